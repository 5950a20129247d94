//! Copies to and from numbers of 8 bits: at every f16, every bf16, and around every place where what is
//! nearest changes, they give what a search of all 256 numbers finds.

use crate::engine::{Engine, context};
use std::collections::BTreeSet;

/// Elements of one copy.
const AT_ONCE: usize = 256;

/// A type of 8 bits, by definition.
#[derive(Clone, Copy)]
struct Byte {
    name: &'static str,
    /// Bits of the mantissa and the bias of the exponent, or `None` for integers.
    float: Option<(i32, i32)>,
}

const BYTES: [Byte; 3] = [
    Byte { name: "f8E4M3FN", float: Some((3, 7)) },
    Byte { name: "f8E5M2", float: Some((2, 15)) },
    Byte { name: "i8", float: None },
];

impl Byte {
    /// The number of some bits.
    fn number(self, bits: u8) -> f64 {
        let Some((mantissa, bias)) = self.float else { return (bits as i8).into() };
        let sign = if bits & 0x80 == 0 { 1.0 } else { -1.0 };
        let exponent = i32::from(bits & 0x7f) >> mantissa;
        let rest = f64::from(bits & ((1 << mantissa) - 1)) / 2_f64.powi(mantissa);
        // The greatest exponent has infinities and NaNs, but where infinities do not exist one NaN.
        if mantissa == 2 && exponent == 31 {
            return if rest == 0.0 { sign * f64::INFINITY } else { f64::NAN };
        }
        if mantissa == 3 && bits & 0x7f == 0x7f {
            return f64::NAN;
        }
        match exponent {
            0 => sign * rest * 2_f64.powi(1 - bias),
            _ => sign * (1.0 + rest) * 2_f64.powi(exponent - bias),
        }
    }

    /// The conversion of a number: the nearest of all that are finite, and the even one of two that are as near.
    fn nearest(self, value: f64) -> u8 {
        if value.is_nan() {
            return if self.float.is_some() { 0x7f } else { 0 };
        }
        // The distances are as long from any number beyond all.
        let value = value.clamp(-1e6, 1e6);
        let signed =
            |bits: &u8| self.float.is_none() || (bits & 0x80 != 0) == value.is_sign_negative();
        let all = (0..=u8::MAX).filter(|&bits| self.number(bits).is_finite()).filter(signed);
        let distance = |bits: u8| (self.number(bits) - value).abs();
        all.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then_with(|| (a & 1).cmp(&(b & 1))))
            .expect("there are finite numbers")
    }

    /// Numbers around each where the nearest one changes.
    fn edges(self) -> Vec<f32> {
        let finite: BTreeSet<u32> = (0..=u8::MAX)
            .map(|bits| self.number(bits).abs())
            .filter(|number| number.is_finite())
            .map(|number| (number as f32).to_bits())
            .collect();
        let numbers: Vec<f32> = finite.into_iter().map(f32::from_bits).collect();
        let middles = numbers.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
        let last = numbers[numbers.len() - 1];
        let beyond = [last + (last - numbers[numbers.len() - 2]) / 2.0, 1e38, f32::INFINITY];
        let all = numbers.iter().copied().chain(middles).chain(beyond);
        all.flat_map(|number| [number.next_down(), number, number.next_up()])
            .flat_map(|number| [number, -number])
            .collect()
    }
}

/// Elements at a place that vectors of them may have.
#[repr(align(64))]
struct Aligned<T>([T; AT_ONCE]);

/// Every f16 and every bf16, as f32; NaNs too.
fn halves() -> impl Iterator<Item = f32> {
    (0..=u16::MAX).flat_map(|bits| {
        [half::f16::from_bits(bits).to_f32(), f32::from_bits(u32::from(bits) << 16)]
    })
}

fn program(from: &str, to: &str, atom: &str) -> String {
    let [source, target] = [from, to].map(|of| format!("!layout.view<{of}, host, {AT_ONCE}:1>"));
    format!(
        "func.func @{atom}(%s: {source}, %t: {target}) {{
           layout.copy #layout.atom<{atom}> %s, %t : {source}, {target}
           return
         }}\n"
    )
}

/// The copies of values, which are filled up to whole copies.
fn copied<S: Copy + Default, T: Copy + Default + PartialEq + std::fmt::Debug>(
    types: (&str, &str),
    values: &[S],
) -> Vec<T> {
    let atoms = ["simt_1", "simt_2", "simt_4"];
    let context = context();
    let text: String = atoms.iter().map(|atom| program(types.0, types.1, atom)).collect();
    let engine = Engine::lowered(&context, &text);
    let mut all = Vec::with_capacity(values.len());
    for part in values.chunks(AT_ONCE) {
        let mut source = Aligned([S::default(); AT_ONCE]);
        source.0[..part.len()].copy_from_slice(part);
        let [first, second, third] = atoms.map(|atom| {
            let mut target = Aligned([T::default(); AT_ONCE]);
            let arguments = [source.0.as_ptr() as i64, target.0.as_mut_ptr() as i64];
            engine.call(atom, &arguments, 0, false);
            target.0
        });
        // Bits, where numbers may be NaN.
        let text = |values: &[T]| format!("{values:?}");
        assert_eq!(text(&first), text(&second));
        assert_eq!(text(&first), text(&third));
        all.extend_from_slice(&first[..part.len()]);
    }
    all
}

#[test]
fn floats_become_the_nearest_numbers_of_8_bits() {
    for byte in BYTES {
        let values: Vec<f32> = halves().chain(byte.edges()).collect();
        let found: Vec<u8> = copied(("f32", byte.name), &values);
        for (value, found) in values.iter().zip(found) {
            let expected = byte.nearest(f64::from(*value));
            assert_eq!(found, expected, "{} of {value:e} ({:x})", byte.name, value.to_bits());
        }
    }
}

/// The numbers that saturate, are halfway, or are smaller than all that are normal, by hand.
#[test]
fn edges_are_what_the_formats_say() {
    let values = [448.0, 464.0, 465.0, -1e9, f32::INFINITY, f32::NAN, -f32::NAN, -0.0, 17.0, 19.0];
    let found: Vec<u8> = copied(("f32", "f8E4M3FN"), &values);
    assert_eq!(found, [0x7e, 0x7e, 0x7e, 0xfe, 0x7e, 0x7f, 0x7f, 0x80, 0x58, 0x5a]);
    let tiny = 2_f32.powi(-9);
    let values = [tiny, tiny / 2.0, tiny * 0.51, tiny * 1.5, -tiny * 7.5, 2_f32.powi(-140)];
    let found: Vec<u8> = copied(("f32", "f8E4M3FN"), &values);
    assert_eq!(found, [0x01, 0x00, 0x01, 0x02, 0x88, 0x00]);
    let values = [57344.0, 61439.0, 61440.0, f32::NEG_INFINITY, f32::NAN, 2_f32.powi(-16)];
    let found: Vec<u8> = copied(("f32", "f8E5M2"), &values);
    assert_eq!(found, [0x7b, 0x7b, 0x7b, 0xfb, 0x7f, 0x01]);
    let values = [0.5, 1.5, -2.5, 127.5, 1e30, -128.5, f32::NEG_INFINITY, f32::NAN, -0.4];
    let found: Vec<i8> = copied(("f32", "i8"), &values);
    assert_eq!(found, [0, 2, -2, 127, 127, -128, -128, 0, 0]);
}

#[test]
fn integers_saturate() {
    let values: Vec<i32> = (-400..400).chain([i32::MIN, i32::MAX, 1 << 20, -(1 << 20)]).collect();
    let found: Vec<i8> = copied(("i32", "i8"), &values);
    for (value, found) in values.iter().zip(found) {
        assert_eq!(i32::from(found), (*value).clamp(-128, 127));
    }
}

#[test]
fn numbers_of_8_bits_are_floats_exactly() {
    let bits: Vec<u8> = (0..=u8::MAX).collect();
    for byte in BYTES {
        let single: Vec<f32> = copied((byte.name, "f32"), &bits);
        let double: Vec<f64> = copied((byte.name, "f64"), &bits);
        for ((&bits, single), double) in bits.iter().zip(single).zip(double) {
            let expected = byte.number(bits);
            let same = |found: f64| found.to_bits() == expected.to_bits();
            let both = same(f64::from(single)) && same(double);
            let nan = expected.is_nan() && single.is_nan() && double.is_nan();
            assert!(both || nan, "{} {bits:x}: {single} {double} {expected}", byte.name);
        }
    }
}

/// From one type of 8 bits to another, and from those of 16, by way of f32.
#[test]
fn types_of_8_bits_become_each_other() {
    let bits: Vec<u8> = (0..=u8::MAX).collect();
    for from in BYTES {
        for to in BYTES.into_iter().filter(|to| to.name != from.name) {
            let found: Vec<u8> = copied((from.name, to.name), &bits);
            for (&bits, found) in bits.iter().zip(found) {
                assert_eq!(found, to.nearest(from.number(bits)), "{} {bits:x}", to.name);
            }
        }
    }
}
