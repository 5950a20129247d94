//! The numbers that MMAs multiply, as they lie in registers and in shared memory.

use layout_runtime::{data::decode, manifest::Element};

/// The type of an MMA's multiplicands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Multiplicand {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    S8,
    F64,
}

impl Multiplicand {
    /// All, with their names in PTX.
    const ALL: [(Self, &'static str); 7] = [
        (Self::F16, "f16"),
        (Self::Bf16, "bf16"),
        (Self::Tf32, "tf32"),
        (Self::E4m3, "e4m3"),
        (Self::E5m2, "e5m2"),
        (Self::S8, "s8"),
        (Self::F64, "f64"),
    ];

    /// The type of a name in PTX.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own)| *own == name).map(|(of, _)| *of)
    }

    /// A number for the type, in three bits.
    pub(super) const fn code(self) -> u32 {
        self as u32
    }

    /// The type of such a number.
    pub(super) fn of_code(code: u32) -> Self {
        Self::ALL.iter().find(|(of, _)| of.code() == code).map_or(Self::F16, |(of, _)| *of)
    }

    /// Bytes of an element.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::E4m3 | Self::E5m2 | Self::S8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number that an element's bytes are: exact.
    pub(super) fn number(self, bytes: &[u8]) -> f64 {
        /// The bits of a tf32 that are not multiplied.
        const IGNORED: u32 = (1 << 13) - 1;
        let element = match self {
            Self::F16 => Element::F16,
            Self::Bf16 => Element::Bf16,
            Self::E4m3 => Element::E4m3,
            Self::E5m2 => Element::E5m2,
            Self::S8 => Element::I8,
            Self::F64 => Element::F64,
            Self::Tf32 => {
                let word = bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
                return f32::from_bits(word & !IGNORED).into();
            }
        };
        decode(element, bytes)
    }

    /// The same in f32, which holds all numbers of the types but f64.
    pub(super) fn single(self, bytes: &[u8]) -> f32 {
        let half = || bytes.first_chunk().map_or(0, |half| u16::from_le_bytes(*half));
        match self {
            Self::Bf16 => f32::from_bits(u32::from(half()) << 16),
            Self::F16 => half::f16::from_bits(half()).to_f32(),
            _ => self.number(bytes) as f32,
        }
    }
}

/// The bits of the nearest tf32 of an f32, of two the greater in magnitude; of infinities and NaNs their own.
pub(super) const fn nearest_tf32(bits: u32) -> u32 {
    const HALF: u32 = 1 << 12;
    const EXPONENT: u32 = 0x7f80_0000;
    if bits & EXPONENT == EXPONENT { bits } else { (bits + HALF) & !(2 * HALF - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tf32_are_nearest() {
        let nearest = |value: f32| f32::from_bits(nearest_tf32(value.to_bits()));
        assert_eq!(nearest(1.0 + 2f32.powi(-11)), 1.0 + 2f32.powi(-10));
        assert_eq!(nearest(-1.0 - 2f32.powi(-12)), -1.0);
        assert_eq!(nearest(f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert!(nearest(f32::from_bits(0x7fff_ffff)).is_nan());
    }

    #[test]
    fn numbers_are_those_of_their_types() {
        assert_eq!(Multiplicand::F16.single(&0x3e00_u16.to_le_bytes()), 1.5);
        assert_eq!(Multiplicand::Bf16.single(&0xbfc0_u16.to_le_bytes()), -1.5);
        assert_eq!(Multiplicand::Tf32.single(&0x3fc0_1fff_u32.to_le_bytes()), 1.5);
        assert_eq!(Multiplicand::E4m3.single(&[0x3c]), 1.5);
        assert_eq!(Multiplicand::E5m2.single(&[0x3e]), 1.5);
        assert_eq!(Multiplicand::S8.single(&[0x80]), -128.0);
        assert_eq!(Multiplicand::F64.number(&1.5_f64.to_le_bytes()), 1.5);
    }

    #[test]
    fn codes_name_types() {
        for (of, name) in Multiplicand::ALL {
            assert_eq!(
                (Multiplicand::of_code(of.code()), Multiplicand::named(name)),
                (of, Some(of))
            );
            assert!(of.code() < 8);
        }
    }
}
