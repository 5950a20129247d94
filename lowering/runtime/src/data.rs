//! Elements as bits: random values, conversions through float64, and the poison that shows what was
//! never written.

use half::{bf16, f16};

use crate::manifest::{Element, Matrix};

/// The byte that unwritten memory holds: in every element type all-ones bits are a NaN, and not the one
/// that arithmetic makes.
pub const POISON: u8 = 0xFF;

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

/// Writes one value at the element's place, rounded to nearest.
pub fn encode(element: Element, value: f64, into: &mut [u8]) {
    match element {
        Element::F16 => into.copy_from_slice(&f16::from_f64(value).to_le_bytes()),
        Element::Bf16 => into.copy_from_slice(&bf16::from_f64(value).to_le_bytes()),
        Element::F32 => into.copy_from_slice(&(value as f32).to_le_bytes()),
        Element::F64 => into.copy_from_slice(&value.to_le_bytes()),
    }
}

/// Reads one value exactly.
pub fn decode(element: Element, from: &[u8]) -> f64 {
    let bytes = |count: usize| from.get(..count).unwrap_or(&[]);
    match element {
        Element::F16 => f16::from_le_bytes(bytes(2).try_into().unwrap_or_default()).to_f64(),
        Element::Bf16 => bf16::from_le_bytes(bytes(2).try_into().unwrap_or_default()).to_f64(),
        Element::F32 => f64::from(f32::from_le_bytes(bytes(4).try_into().unwrap_or_default())),
        Element::F64 => f64::from_le_bytes(bytes(8).try_into().unwrap_or_default()),
    }
}

/// A matrix with fresh random elements; gaps between elements are poisoned.
pub fn random_matrix(matrix: &Matrix, element: Element, random: &mut Random) -> Vec<u8> {
    let size = element.bytes();
    let mut bytes = vec![POISON; matrix.span() * size];
    // Along a stride of 0 there is one element.
    let [rows, columns] =
        [0, 1].map(|i| if matrix.strides[i] == 0 { 1 } else { matrix.extents[i] });
    for row in 0..rows {
        for column in 0..columns {
            let at = matrix.at(row, column) * size;
            encode(element, random.normal(), &mut bytes[at..at + size]);
        }
    }
    bytes
}

/// The elements as float64, packed row-major.
pub fn widen(matrix: &Matrix, element: Element, bytes: &[u8]) -> Vec<f64> {
    let size = element.bytes();
    let mut values = Vec::with_capacity(matrix.extents[0] * matrix.extents[1]);
    for row in 0..matrix.extents[0] {
        for column in 0..matrix.extents[1] {
            values.push(decode(element, &bytes[matrix.at(row, column) * size..]));
        }
    }
    values
}

/// What a kernel did to a poisoned output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Elements that were never written.
    pub unwritten: usize,
    /// Bytes outside every element (before, between, behind) that were written.
    pub stray: usize,
}

/// Compares an output that was poisoned before the launch; `bytes` has `guard` bytes on either side.
pub fn coverage(matrix: &Matrix, element: Element, bytes: &[u8], guard: usize) -> Coverage {
    let size = element.bytes();
    let mut written: Vec<bool> = bytes.iter().map(|&byte| byte != POISON).collect();
    let mut unwritten = 0;
    for row in 0..matrix.extents[0] {
        for column in 0..matrix.extents[1] {
            let at = guard + matrix.at(row, column) * size;
            let place = &mut written[at..at + size];
            unwritten += usize::from(place.iter().all(|byte| !byte));
            place.fill(false);
        }
    }
    Coverage { unwritten, stray: written.iter().filter(|byte| **byte).count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Element; 4] = [Element::F16, Element::Bf16, Element::F32, Element::F64];

    #[test]
    fn values_round_trip() {
        for element in ALL {
            let mut bytes = vec![0; element.bytes()];
            for value in [0.0, 1.0, -2.5, 0.125] {
                encode(element, value, &mut bytes);
                assert_eq!(decode(element, &bytes), value);
            }
        }
    }

    #[test]
    fn poison_is_a_nan_everywhere() {
        for element in ALL {
            assert!(decode(element, &[POISON; 8]).is_nan());
        }
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
        let matrix = Matrix { extents: [2, 3], strides: [4, 1] };
        let bytes = random_matrix(&matrix, Element::F16, &mut Random::new(1));
        assert_eq!(bytes.len(), 7 * 2);
        assert_eq!(&bytes[6..8], [POISON, POISON]);
        let transposed = Matrix { extents: [3, 2], strides: [1, 4] };
        let straight = widen(&matrix, Element::F16, &bytes);
        let turned = widen(&transposed, Element::F16, &bytes);
        assert_eq!(straight[1], turned[2]);
        assert!(straight.iter().all(|value| value.is_finite()));
    }

    #[test]
    fn coverage_finds_holes_and_strays() {
        let matrix = Matrix { extents: [2, 2], strides: [3, 1] };
        let mut bytes = vec![POISON; 5 * 4 + 2 * 8];
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
