//! 8-bit numbers by arithmetic on single values, for targets without instructions for them.
//!
//! | from | to | gives |
//! |---|---|---|
//! | f32 | f8E4M3FN, f8E5M2 | the nearest number, of two the even one; beyond the largest (448, 57344) that one; of a NaN 0x7f |
//! | f32 | i8 | the nearest integer, of two the even one; beyond -128 or 127 that one; of a NaN 0 |
//! | i32 | i8 | the integer; beyond -128 or 127 that one |
//! | f8E4M3FN, f8E5M2, i8 | f32 | the same number |
//!
//! That is what `cvt.rn.satfinite` and `cvt.pack.sat` give, bit for bit: infinities are beyond the largest, and
//! zeros keep their sign.

use crate::{
    border::scalars::scalar_name,
    pass::build::{Builder, Val},
};
use melior::{
    Error,
    ir::{
        Type, ValueLike,
        attribute::{FloatAttribute, IntegerAttribute},
    },
};

/// A type of numbers of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// f8E4M3FN: it has no infinities, and one NaN of each sign.
    E4m3,
    /// f8E5M2: the upper half of an f16.
    E5m2,
    /// i8, signed.
    I8,
}

/// Bits of the mantissa of an f32, and the bias of its exponent.
const SINGLE: (i64, i64) = (23, 127);

/// All bits of an f32 but its sign.
const MAGNITUDE: i64 = 0x7fff_ffff;

/// An infinity of f32; beyond it are NaNs.
const INFINITY: i64 = 0x7f80_0000;

/// The bits that a NaN becomes.
const NAN: i64 = 0x7f;

impl Byte {
    /// The type of an element, if it is one of these.
    pub fn of(element: Type<'_>) -> Option<Self> {
        match scalar_name(element)? {
            "f8E4M3FN" => Some(Self::E4m3),
            "f8E5M2" => Some(Self::E5m2),
            "i8" => Some(Self::I8),
            _ => None,
        }
    }

    /// Bits of a float's mantissa, the bias of its exponent, and its largest number.
    const fn float(self) -> Option<(i64, i64, f32)> {
        match self {
            Self::E4m3 => Some((3, 7, 448.0)),
            Self::E5m2 => Some((2, 15, 57344.0)),
            Self::I8 => None,
        }
    }
}

/// The number in f32.
///
/// # Errors
///
/// A value of another type than one of 8 bits.
pub fn widened<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Error> {
    let f32_type = Type::float32(b.context());
    match Byte::of(value.r#type()) {
        Some(Byte::E4m3) => e4m3(b, value),
        Some(Byte::E5m2) => e5m2(b, value),
        Some(Byte::I8) => b.value("arith.sitofp", &[value], f32_type, &[]),
        None => Err(Error::OperationBuild),
    }
}

/// The nearest number of a type of 8 bits, of an f32, or of an i32 where that is i8.
///
/// # Errors
///
/// Another type than one of 8 bits.
pub fn narrowed<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Result<Val<'c>, Error> {
    let byte = Byte::of(to).ok_or(Error::OperationBuild)?;
    match byte.float() {
        Some(format) => {
            let bits = rounded(b, value, format)?;
            b.value("arith.bitcast", &[bits], to, &[])
        }
        None if value.r#type().to_string() == "i32" => {
            let constant = |number| b.constant(b.integer(32), number);
            let value = b.binary("arith.maxsi", value, constant(i8::MIN.into())?)?;
            let value = b.binary("arith.minsi", value, constant(i8::MAX.into())?)?;
            b.value("arith.trunci", &[value], to, &[])
        }
        None => integer(b, value, to),
    }
}

/// The bits of a float of 8 bits.
///
/// Where it is a normal number, half a unit of the last bit that stays, and that bit, are added to the bits of
/// the f32, whose exponent has the other bias then: a carry is right. Below, a sum with a number whose last bit
/// has that weight is rounded by the addition itself.
fn rounded<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    (mantissa, bias, largest): (i64, i64, f32),
) -> Result<Val<'c>, Error> {
    let (i8_type, i32_type, f32_type) = (b.integer(8), b.integer(32), Type::float32(b.context()));
    let constant = |number: i64| b.constant(i32_type, number);
    let dropped = SINGLE.0 - mantissa;
    let all = b.value("arith.bitcast", &[value], i32_type, &[])?;
    let magnitude = b.binary("arith.andi", all, constant(MAGNITUDE)?)?;
    let limited = b.binary("arith.minui", magnitude, constant(largest.to_bits().into())?)?;
    // Normal numbers.
    let last = b.binary("arith.shrui", limited, constant(dropped)?)?;
    let odd = b.binary("arith.andi", last, constant(1)?)?;
    let half = (1 << (dropped - 1)) - 1;
    let moved = half - ((SINGLE.1 - bias) << SINGLE.0);
    let normal = b.binary("arith.addi", limited, constant(moved)?)?;
    let normal = b.binary("arith.addi", normal, odd)?;
    let normal = b.binary("arith.shrui", normal, constant(dropped)?)?;
    // Below the least of them.
    let least = (SINGLE.1 + 1 - bias) << SINGLE.0;
    let weight = (SINGLE.1 + 1 - bias + dropped) << SINGLE.0;
    let small = b.value("arith.bitcast", &[limited], f32_type, &[])?;
    let number = f32::from_bits(u32::try_from(weight).unwrap_or_default());
    let small = b.binary("arith.addf", small, float(b, number.into())?)?;
    let small = b.value("arith.bitcast", &[small], i32_type, &[])?;
    let small = b.binary("arith.subi", small, constant(weight)?)?;
    let is_small = compared(b, Comparison::UnsignedLess, limited, constant(least)?)?;
    let rounded = b.value("arith.select", &[is_small, small, normal], i32_type, &[])?;
    // The sign, and what is no number.
    let sign = b.binary("arith.shrui", all, constant(24)?)?;
    let sign = b.binary("arith.andi", sign, constant(0x80)?)?;
    let signed = b.binary("arith.ori", rounded, sign)?;
    let is_number = compared(b, Comparison::UnsignedLess, magnitude, constant(INFINITY + 1)?)?;
    let bits = b.value("arith.select", &[is_number, signed, constant(NAN)?], i32_type, &[])?;
    b.value("arith.trunci", &[bits], i8_type, &[])
}

/// The integer of 8 bits that is nearest to an f32: beside a number whose last bit is worth 1, the lowest bits
/// of a sum are it.
fn integer<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Result<Val<'c>, Error> {
    const UNIT: f64 = 12_582_912.0; // 1.5 * 2^23
    let i32_type = b.integer(32);
    let all = b.value("arith.bitcast", &[value], i32_type, &[])?;
    let magnitude = b.binary("arith.andi", all, b.constant(i32_type, MAGNITUDE)?)?;
    let value = b.binary("arith.maxnumf", value, float(b, i8::MIN.into())?)?;
    let value = b.binary("arith.minnumf", value, float(b, i8::MAX.into())?)?;
    let value = b.binary("arith.addf", value, float(b, UNIT)?)?;
    let bits = b.value("arith.bitcast", &[value], i32_type, &[])?;
    let limit = b.constant(i32_type, INFINITY + 1)?;
    let is_number = compared(b, Comparison::UnsignedLess, magnitude, limit)?;
    let zero = b.constant(i32_type, 0)?;
    let bits = b.value("arith.select", &[is_number, bits, zero], i32_type, &[])?;
    b.value("arith.trunci", &[bits], to, &[])
}

/// An f8E5M2 is the upper half of an f16.
fn e5m2<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Error> {
    let i16_type = b.integer(16);
    let bits = b.value("arith.bitcast", &[value], b.integer(8), &[])?;
    let bits = b.value("arith.extui", &[bits], i16_type, &[])?;
    let bits = b.binary("arith.shli", bits, b.constant(i16_type, 8)?)?;
    let half = b.value("arith.bitcast", &[bits], Type::float16(b.context()), &[])?;
    b.value("arith.extf", &[half], Type::float32(b.context()), &[])
}

/// The exponent and the mantissa of an f8E4M3FN, in their places in an f32, are the number less the
/// difference of the exponents' biases, subnormal numbers too; all ones are a NaN.
fn e4m3<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Error> {
    const MANTISSA_BITS: i64 = 3;
    const BIAS: i32 = 7;
    let (i32_type, f32_type) = (b.integer(32), Type::float32(b.context()));
    let constant = |number| b.constant(i32_type, number);
    let bits = b.value("arith.bitcast", &[value], b.integer(8), &[])?;
    let bits = b.value("arith.extui", &[bits], i32_type, &[])?;
    let magnitude = b.binary("arith.andi", bits, constant(NAN)?)?;
    let placed = b.binary("arith.shli", magnitude, constant(SINGLE.0 - MANTISSA_BITS)?)?;
    let small = b.value("arith.bitcast", &[placed], f32_type, &[])?;
    let number = b.binary("arith.mulf", small, float(b, 2_f64.powi(127 - BIAS))?)?;
    let is_nan = compared(b, Comparison::Equal, magnitude, constant(NAN)?)?;
    let nan = float(b, f64::NAN)?;
    let number = b.value("arith.select", &[is_nan, nan, number], f32_type, &[])?;
    let negative = b.binary("arith.shrui", bits, constant(7)?)?;
    let sign = b.binary("arith.shli", negative, constant(31)?)?;
    let number = b.value("arith.bitcast", &[number], i32_type, &[])?;
    let number = b.binary("arith.ori", number, sign)?;
    b.value("arith.bitcast", &[number], f32_type, &[])
}

fn float<'c>(b: &Builder<'c>, number: f64) -> Result<Val<'c>, Error> {
    let f32_type = Type::float32(b.context());
    let number = FloatAttribute::new(b.context(), f32_type, number).into();
    b.value("arith.constant", &[], f32_type, &[("value", number)])
}

/// Predicates of `arith.cmpi`.
#[derive(Clone, Copy)]
enum Comparison {
    Equal = 0,
    UnsignedLess = 6,
}

fn compared<'c>(
    b: &Builder<'c>,
    comparison: Comparison,
    x: Val<'c>,
    y: Val<'c>,
) -> Result<Val<'c>, Error> {
    let predicate = IntegerAttribute::new(b.integer(64), comparison as i64).into();
    b.value("arith.cmpi", &[x, y], b.integer(1), &[("predicate", predicate)])
}
