//! Elements as bits: random values, conversions through float64, and the poison that shows what was
//! never written.

use half::{bf16, f16};
use rayon::prelude::*;

use crate::manifest::{Element, Matrix};

/// The byte that unwritten memory of floats holds: in every type all-ones bits are a NaN, and not the
/// one that arithmetic makes.
const NAN: u8 = 0xFF;

/// The byte that fills unwritten memory of integers: it is near the least number, which no accumulated product of
/// bytes reaches.
const INTEGER_POISON: u8 = 0x80;

/// The byte that unwritten memory holds.
pub const fn poison(element: Element) -> u8 {
    if element.is_integer() { INTEGER_POISON } else { NAN }
}

/// The byte that unwritten memory holds in a second run: another one for integers, so that elements that were never
/// written, or were read from outside of operands, differ.
pub const fn other_poison(element: Element) -> u8 {
    if element.is_integer() { !INTEGER_POISON } else { poison(element) }
}

/// A small deterministic generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Mean 0, variance 1, close to normal: the sum of four uniform numbers. Real data is not of small
    /// integers, and power (hence clock) depends on the data.
    pub fn normal(&mut self) -> f64 {
        let bits = self.bits();
        let sum: u64 = (0..4).map(|piece| (bits >> (16 * piece)) & 0xFFFF).sum();
        (sum as f64 / 65536.0 - 2.0) * 3f64.sqrt()
    }
}

/// A float of 8 bits: the bits of its mantissa, and the greatest exponent and mantissa that a number
/// has.
struct Byte {
    mantissa: i32,
    bias: i32,
    largest: u8,
}

const E4M3: Byte = Byte { mantissa: 3, bias: 7, largest: 0x7e };
const E5M2: Byte = Byte { mantissa: 2, bias: 15, largest: 0x7b };

impl Byte {
    fn decode(&self, byte: u8) -> f64 {
        let magnitude = i32::from(byte & 0x7f);
        let sign = if byte & 0x80 == 0 { 1.0 } else { -1.0 };
        if magnitude > i32::from(self.largest) {
            // The upper half of a binary16 has infinities, the other format none.
            let infinite = self.mantissa == 2 && magnitude == 0x7c;
            return if infinite { sign * f64::INFINITY } else { f64::NAN };
        }
        let (exponent, mantissa) =
            (magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1));
        let (lead, exponent) = if exponent == 0 { (0, 1) } else { (1 << self.mantissa, exponent) };
        sign * f64::from(lead + mantissa) * 2f64.powi(exponent - self.bias - self.mantissa)
    }

    /// The nearest number, of two the even one; beyond the largest, that.
    fn encode(&self, value: f64) -> u8 {
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        let size = value.abs();
        if size.is_nan() {
            return 0x7f;
        }
        if size >= self.decode(self.largest) {
            return sign | self.largest;
        }
        // The exponent of a float64 is the bits below its sign; below the least normal number, all
        // steps are as wide as there.
        let exponent = i32::try_from(size.to_bits() >> 52).unwrap_or(0) - 1023;
        let exponent = exponent.max(1 - self.bias);
        let steps = (size * 2f64.powi(self.mantissa - exponent)).round_ties_even() as i32;
        // As many steps as two exponents have are the first of the next: the carry is right.
        let bits = ((exponent + self.bias - 1) << self.mantissa) + steps;
        sign | u8::try_from(bits).unwrap_or(self.largest).min(self.largest)
    }
}

/// Integers of a range in a random order: each comes once before any comes again.
#[derive(Clone, Debug)]
pub struct Shuffled {
    least: i64,
    /// Numbers of the range.
    count: u64,
    /// Those that have not come yet, where they are few enough to be kept.
    left: Vec<i64>,
}

impl Shuffled {
    /// The most numbers that are stored; beyond it, each number is drawn from the whole range.
    const MAX_TABLE: u64 = 1 << 26;

    /// The integers from `least` to `most`, or `None` if the range is empty.
    pub fn new(least: i64, most: i64) -> Option<Self> {
        let count = most.checked_sub(least)?.checked_add(1)?;
        let count = u64::try_from(count).ok().filter(|&count| count > 0)?;
        Some(Self { least, count, left: Vec::new() })
    }

    /// The next one.
    pub fn draw(&mut self, random: &mut Random) -> i64 {
        if self.count > Self::MAX_TABLE {
            return self.least.wrapping_add_unsigned(random.bits() % self.count);
        }
        if self.left.is_empty() {
            self.left.extend((0..self.count).map(|own| self.least.wrapping_add_unsigned(own)));
        }
        let place = random.bits() % self.left.len() as u64;
        self.left.swap_remove(usize::try_from(place).unwrap_or(0))
    }
}

/// Integers from `first` to `last`, both among them where there are two and more, none less than the one before.
pub fn ascending(first: i64, last: i64, count: usize, random: &mut Random) -> Vec<i64> {
    let most = last.abs_diff(first).saturating_add(1);
    let mut all: Vec<i64> =
        (0..count).map(|_| first.saturating_add_unsigned(random.bits() % most)).collect();
    if let [begin, .., end] = all.as_mut_slice() {
        (*begin, *end) = (first, last);
    }
    all.sort_unstable();
    all
}

/// A random number for an element: of integers, such as fill a byte.
pub fn random(element: Element, random: &mut Random) -> f64 {
    const DEVIATION: f64 = 32.0;
    match element {
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => {
            (random.normal() * DEVIATION).round()
        }
        _ => random.normal(),
    }
}

/// Writes one value at the element's place, rounded to nearest; numbers of 8 bits saturate.
pub fn encode(element: Element, value: f64, into: &mut [u8]) {
    match element {
        Element::E4m3 => into.copy_from_slice(&[E4M3.encode(value)]),
        Element::E5m2 => into.copy_from_slice(&[E5M2.encode(value)]),
        Element::I8 => into.copy_from_slice(&(value.round_ties_even() as i8).to_le_bytes()),
        Element::I16 => into.copy_from_slice(&(value as i16).to_le_bytes()),
        Element::I32 => into.copy_from_slice(&(value as i32).to_le_bytes()),
        Element::I64 => into.copy_from_slice(&(value as i64).to_le_bytes()),
        Element::F16 => into.copy_from_slice(&f16::from_f64(value).to_le_bytes()),
        Element::Bf16 => into.copy_from_slice(&bf16::from_f64(value).to_le_bytes()),
        Element::Tf32 | Element::F32 => into.copy_from_slice(&(value as f32).to_le_bytes()),
        Element::F64 => into.copy_from_slice(&value.to_le_bytes()),
    }
}

/// The value that an element has for it.
pub fn nearest(element: Element, value: f64) -> f64 {
    let mut bytes = [0; 8];
    let bytes = &mut bytes[..element.bytes()];
    encode(element, value, bytes);
    decode(element, bytes)
}

/// Reads an integer of some bytes.
pub fn integer(from: &[u8], bytes: usize) -> i64 {
    let mut word = [0; 8];
    let (Some(from), Some(to)) = (from.get(..bytes), word.get_mut(8 - bytes.min(8)..)) else {
        return 0;
    };
    to.copy_from_slice(from);
    i64::from_le_bytes(word) >> (64 - 8 * bytes)
}

/// Reads one value exactly.
pub fn decode(element: Element, from: &[u8]) -> f64 {
    let bytes = |count: usize| from.get(..count).unwrap_or(&[]);
    match element {
        Element::E4m3 => E4M3.decode(from.first().copied().unwrap_or_default()),
        Element::E5m2 => E5M2.decode(from.first().copied().unwrap_or_default()),
        Element::I8 => f64::from(from.first().copied().unwrap_or_default() as i8),
        Element::I16 => f64::from(i16::from_le_bytes(bytes(2).try_into().unwrap_or_default())),
        // Exact up to 2^53.
        Element::I64 => i64::from_le_bytes(bytes(8).try_into().unwrap_or_default()) as f64,
        Element::I32 => f64::from(i32::from_le_bytes(bytes(4).try_into().unwrap_or_default())),
        Element::F16 => f16::from_le_bytes(bytes(2).try_into().unwrap_or_default()).to_f64(),
        Element::Bf16 => bf16::from_le_bytes(bytes(2).try_into().unwrap_or_default()).to_f64(),
        Element::Tf32 | Element::F32 => {
            f64::from(f32::from_le_bytes(bytes(4).try_into().unwrap_or_default()))
        }
        Element::F64 => f64::from_le_bytes(bytes(8).try_into().unwrap_or_default()),
    }
}

/// Elements of memory that one generator fills.
const DRAWN: usize = 1 << 16;

/// A matrix with fresh random elements; gaps between elements are poisoned. Each [`DRAWN`] elements of memory have a generator of
/// their own, so that all processors draw, and the numbers do not depend on how many there are.
pub fn random_matrix(matrix: &Matrix, element: Element, numbers: &mut Random) -> Vec<u8> {
    let size = element.bytes();
    let mut bytes = vec![poison(element); matrix.span() * size];
    let seed = numbers.bits();
    bytes.par_chunks_mut(DRAWN * size).enumerate().for_each(|(number, chunk)| {
        let mut own = Random::new(Random::new(seed ^ number as u64).bits());
        for into in chunk.chunks_exact_mut(size) {
            encode(element, random(element, &mut own), into);
        }
    });
    if matrix.is_contiguous() {
        return bytes;
    }
    // Along a stride of 0 there is one element.
    let once = |mode: usize, extent: usize, stride: usize| {
        if stride == 0 && matrix.blocks[mode].is_none() { 1 } else { extent }
    };
    let distinct = Matrix {
        extents: [0, 1].map(|i| once(i, matrix.extents[i], matrix.strides[i])),
        batch: once(2, matrix.batch, matrix.batch_stride),
        ..*matrix
    };
    let mut is_gap = vec![true; matrix.span()];
    distinct.places().for_each(|place| is_gap[place] = false);
    for (into, is_gap) in bytes.chunks_exact_mut(size).zip(is_gap) {
        if is_gap {
            into.fill(poison(element));
        }
    }
    bytes
}

/// The same elements among another poison.
pub fn surrounded(matrix: &Matrix, element: Element, bytes: &[u8], poison: u8) -> Vec<u8> {
    let size = element.bytes();
    let mut surrounded = vec![poison; bytes.len()];
    for place in matrix.places() {
        let own = place * size..(place + 1) * size;
        if let (Some(to), Some(from)) = (surrounded.get_mut(own.clone()), bytes.get(own)) {
            to.copy_from_slice(from);
        }
    }
    surrounded
}

/// The elements as float64, packed row-major, one matrix of a batch after the other.
pub fn widen(matrix: &Matrix, element: Element, bytes: &[u8]) -> Vec<f64> {
    let size = element.bytes();
    let [rows, columns] = matrix.extents;
    let mut values = vec![0.0; matrix.elements()];
    values.par_chunks_mut(columns).enumerate().for_each(|(row, values)| {
        for (column, value) in values.iter_mut().enumerate() {
            let place = matrix.at(row / rows, row % rows, column);
            *value = decode(element, &bytes[place * size..]);
        }
    });
    values
}

/// The state of a poisoned output after a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Elements that were never written.
    pub unwritten: usize,
    /// Bytes outside every element (before, between, after) that were written.
    pub stray: usize,
}

/// Compares an output that was poisoned before the launch; `bytes` has `redzone` bytes on either side.
pub fn coverage(matrix: &Matrix, element: Element, bytes: &[u8], redzone: usize) -> Coverage {
    let size = element.bytes();
    let poison = poison(element);
    let mut written: Vec<bool> = bytes.iter().map(|&byte| byte != poison).collect();
    let mut unwritten = 0;
    for place in matrix.places() {
        let at = redzone + place * size;
        let place = &mut written[at..at + size];
        unwritten += usize::from(place.iter().all(|byte| !byte));
        place.fill(false);
    }
    Coverage { unwritten, stray: written.iter().filter(|byte| **byte).count() }
}

/// Elements that hold the poison of each of two runs; what does then holds the same in both, for a comparison.
pub fn still_poison(
    matrix: &Matrix,
    element: Element,
    (first, second): (&[u8], &mut [u8]),
    redzone: usize,
) -> usize {
    let (own, other) = (poison(element), other_poison(element));
    let mut unwritten = vec![false; first.len()];
    for ((unwritten, one), two) in unwritten.iter_mut().zip(first).zip(second) {
        if (*one, *two) == (own, other) {
            (*unwritten, *two) = (true, own);
        }
    }
    let size = element.bytes();
    let is_unwritten = |place: usize| {
        let at = redzone + place * size;
        unwritten.get(at..at + size).is_some_and(|bytes| bytes.iter().all(|byte| *byte))
    };
    matrix.places().filter(|&place| is_unwritten(place)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip() {
        for element in Element::ALL {
            let mut bytes = vec![0; element.bytes()];
            // Numbers that every type has exactly; those of integers are whole.
            for value in [0.0, 1.0, -2.5, 0.125, -96.0_f64] {
                let value = if element.is_integer() { value.round() } else { value };
                encode(element, value, &mut bytes);
                assert_eq!(decode(element, &bytes), value, "{element}");
            }
        }
    }

    #[test]
    fn poison_is_no_result() {
        for element in Element::ALL {
            let value = decode(element, &[poison(element); 8]);
            if element.is_integer() { assert!(value < -127.0) } else { assert!(value.is_nan()) }
        }
    }

    /// Every number of 8 bits is its own nearest, and what lies between two goes to the nearer one.
    #[test]
    fn bytes_round_to_nearest() {
        for (element, byte) in [(Element::E4m3, &E4M3), (Element::E5m2, &E5M2)] {
            for bits in 0..=byte.largest {
                let value = decode(element, &[bits]);
                assert_eq!(byte.encode(value), bits, "{element} {value}");
                assert_eq!(byte.encode(-value), bits | 0x80, "{element} -{value}");
                if bits < byte.largest {
                    let middle = (value + decode(element, &[bits + 1])) / 2.0;
                    assert_eq!(byte.encode(middle), bits + bits % 2, "{element} {middle}");
                    assert_eq!(byte.encode(middle * 0.999), bits, "{element} {middle}");
                }
            }
        }
        let known = [(0x38, 1.0), (0x7e, 448.0), (0x01, 2f64.powi(-9)), (0xc0, -2.0)];
        for (bits, value) in known {
            assert_eq!(E4M3.decode(bits), value);
        }
        for (bits, value) in [(0x3c, 1.0), (0x7b, 57344.0), (0x01, 2f64.powi(-16)), (0xc0, -2.0)] {
            assert_eq!(E5M2.decode(bits), value);
            let half = half::f16::from_bits(u16::from(bits) << 8);
            assert_eq!(E5M2.decode(bits), half.to_f64());
        }
        assert_eq!((E4M3.encode(1e9), E5M2.encode(-1e9)), (0x7e, 0xfb));
    }

    #[test]
    fn bytes_saturate() {
        let e4m3 = |value| nearest(Element::E4m3, value);
        // From 464 on the nearest would be beyond the largest.
        let largest = [448.0, 463.0, 464.0, 465.0, 1e9, f64::INFINITY].map(e4m3);
        assert_eq!(largest, [448.0; 6]);
        assert_eq!(e4m3(-465.0), -448.0);
        assert!(e4m3(f64::NAN).is_nan());
        assert_eq!(nearest(Element::E5m2, 1e6), 57344.0);
        assert_eq!(nearest(Element::E5m2, f64::NEG_INFINITY), -57344.0);
        let i8 = |value| nearest(Element::I8, value);
        let integers = [0.5, 1.5, -2.5, 127.4, 127.5, 1e9, -128.5, -1e9, f64::NAN].map(i8);
        assert_eq!(integers, [0.0, 2.0, -2.0, 127.0, 127.0, 127.0, -128.0, -128.0, 0.0]);
    }

    #[test]
    fn the_generator_is_deterministic_and_near_normal() {
        let mut random = Random::new(7);
        let values: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
        let mut again = Random::new(7);
        assert!(values.iter().take(100).all(|value| *value == again.normal()));
        let mean = values.iter().sum::<f64>() / 1e5;
        let variance = values.iter().map(|value| value * value).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn a_gap_keeps_its_poison() {
        let matrix = Matrix::single([2, 3], [4, 1]);
        let bytes = random_matrix(&matrix, Element::F16, &mut Random::new(1));
        assert_eq!(bytes.len(), 7 * 2);
        assert_eq!(&bytes[6..8], [NAN, NAN]);
        let transposed = Matrix::single([3, 2], [1, 4]);
        let straight = widen(&matrix, Element::F16, &bytes);
        let turned = widen(&transposed, Element::F16, &bytes);
        assert_eq!(straight[1], turned[2]);
        assert!(straight.iter().all(|value| value.is_finite()));
    }

    /// Chunks that are drawn side by side differ from each other, and not from run to run.
    #[test]
    fn a_seed_gives_the_same_matrix() {
        let matrix = Matrix::single([3, DRAWN], [DRAWN, 1]);
        let of = |seed| random_matrix(&matrix, Element::Bf16, &mut Random::new(seed));
        let bytes = of(5);
        assert_eq!(bytes, of(5));
        assert_ne!(bytes, of(6));
        let rows: Vec<&[u8]> = bytes.chunks(DRAWN * 2).collect();
        assert!(rows[0] != rows[1] && rows[1] != rows[2]);
    }

    #[test]
    fn elements_stay_among_another_poison() {
        let matrix = Matrix::single([2, 2], [3, 1]);
        let bytes = [1, 2, 0x80, 3, 4];
        assert_eq!(surrounded(&matrix, Element::I8, &bytes, 0x7f), [1, 2, 0x7f, 3, 4]);
    }

    #[test]
    fn two_poisons_report_what_is_written() {
        // -128 is written, 127 is, the third never.
        let matrix = Matrix::single([1, 3], [4, 1]);
        let [first, mut second] = [[0x80, 0x80, 0x7f, 0x80, 0x80], [0x7f, 0x80, 0x7f, 0x7f, 0x7f]];
        let unwritten = still_poison(&matrix, Element::I8, (&first, &mut second), 1);
        assert_eq!((unwritten, second), (1, first));
        assert_eq!(other_poison(Element::E4m3), poison(Element::E4m3));
        assert_ne!(other_poison(Element::I32), poison(Element::I32));
    }

    #[test]
    fn coverage_finds_holes_and_strays() {
        let matrix = Matrix::single([2, 2], [3, 1]);
        let mut bytes = vec![NAN; 5 * 4 + 2 * 8];
        let whole = coverage(&matrix, Element::F32, &bytes, 8);
        assert_eq!(whole, Coverage { unwritten: 4, stray: 0 });
        for index in [0, 1, 3] {
            bytes[8 + index * 4..][..4].copy_from_slice(&1f32.to_le_bytes());
        }
        bytes[8 + 2 * 4] = 0;
        bytes[0] = 0;
        assert_eq!(coverage(&matrix, Element::F32, &bytes, 8), Coverage { unwritten: 1, stray: 2 });
    }
}
