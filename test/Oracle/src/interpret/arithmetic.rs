//! Numbers: what upstream's manual says of each operation, at each width.

use crate::interpret::{
    Stop,
    value::{Value, mask, signed},
};

/// An operation of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are upstream's")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    DivS,
    DivU,
    RemS,
    RemU,
    CeilDivS,
    CeilDivU,
    FloorDivS,
    MaxS,
    MaxU,
    MinS,
    MinU,
}

/// The promises of an operation; poison where one does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// No signed overflow.
    pub nsw: bool,
    /// No unsigned overflow.
    pub nuw: bool,
    /// Nothing is lost.
    pub exact: bool,
    /// Operands share no bits.
    pub disjoint: bool,
    /// The operand is not negative.
    pub non_negative: bool,
}

/// The result of an operation on two integers of `bits` bits.
pub fn binary(op: Binary, flags: Flags, bits: u32, a: &Value, b: &Value) -> Result<Value, Stop> {
    use Binary::*;
    let divides = matches!(op, DivS | DivU | RemS | RemU | CeilDivS | CeilDivU | FloorDivS);
    if divides && matches!(b, Value::Poison) {
        return Err(Stop::undefined("division by poison"));
    }
    if divides && matches!(b, Value::Bits(0)) {
        return Err(Stop::undefined("division by zero"));
    }
    let (x, y) = match (a, b) {
        (Value::Wide(x), Value::Wide(y)) => return wide_binary(op, bits, *x, *y),
        (Value::Bits(x), Value::Bits(y)) if bits <= 64 => (*x, *y),
        (Value::Poison, Value::Bits(y)) if divides && *y == mask(bits) && !is_unsigned(op) => {
            // The dividend may be the least integer.
            return Err(Stop::undefined("poison divided by -1"));
        }
        (Value::Many(a), Value::Many(b)) => {
            let each = a.iter().zip(b.iter()).map(|(a, b)| binary(op, flags, bits, a, b));
            return Ok(Value::Many(each.collect::<Result<_, _>>()?));
        }
        (Value::Poison, _) | (_, Value::Poison) => return Ok(Value::Poison),
        _ => return Err(Stop::unknown(format!("{op:?} of no numbers"))),
    };
    let (p, q) = (i128::from(signed(x, bits)), i128::from(signed(y, bits)));
    let (u, v) = (i128::from(x), i128::from(y));
    let least = -(1_i128 << (bits - 1));
    if matches!(op, DivS | RemS | CeilDivS | FloorDivS) && p == least && q == -1 {
        return Err(Stop::undefined("signed division overflows"));
    }
    if matches!(op, Shl | ShrU | ShrS) && v >= i128::from(bits) {
        return Ok(Value::Poison);
    }
    let exact = |whole: bool| !flags.exact || whole;
    let (wide_signed, wide_unsigned, holds) = match op {
        Add => (p + q, u + v, true),
        Sub => (p - q, u - v, true),
        // The unsigned product of 64 bits takes 128; as unsigned numbers they hold it.
        Mul => {
            let product = u128::from(x) * u128::from(y);
            let over = product > u128::from(mask(bits));
            (p * q, if over { i128::MAX } else { product as i128 }, true)
        }
        Shl => (p << v.min(63), if v < 64 && bits <= 64 { u << v } else { 0 }, true),
        And => (p & q, u & v, true),
        Or => (p | q, u | v, !flags.disjoint || u & v == 0),
        Xor => (p ^ q, u ^ v, true),
        ShrU => (u >> v, u >> v, exact(u & ((1 << v) - 1) == 0)),
        ShrS => (p >> v, p >> v, exact(u & ((1 << v) - 1) == 0)),
        DivS => (p / q, p / q, exact(p % q == 0)),
        DivU => (u / v, u / v, exact(u % v == 0)),
        RemS => (p % q, p % q, true),
        RemU => (u % v, u % v, true),
        CeilDivS => (-(-p).div_euclid_floor(q), 0, true),
        CeilDivU => ((u + v - 1) / v, 0, true),
        FloorDivS => (p.div_euclid_floor(q), 0, true),
        MaxS => (p.max(q), 0, true),
        MaxU => (u.max(v), 0, true),
        MinS => (p.min(q), 0, true),
        MinU => (u.min(v), 0, true),
    };
    if !holds {
        return Ok(Value::Poison);
    }
    if matches!(op, Add | Sub | Mul | Shl) {
        let most = -least - 1;
        if flags.nsw && !(least..=most).contains(&wide_signed) {
            return Ok(Value::Poison);
        }
        if flags.nuw && !(0..=i128::from(mask(bits))).contains(&wide_unsigned) {
            return Ok(Value::Poison);
        }
    }
    Ok(Value::Bits(wide_signed as u64 & mask(bits)))
}

/// The same of up to 128 bits, as far as long products need it.
fn wide_binary(op: Binary, bits: u32, x: u128, y: u128) -> Result<Value, Stop> {
    let value = match op {
        Binary::Add => x.wrapping_add(y),
        Binary::Sub => x.wrapping_sub(y),
        Binary::Mul => x.wrapping_mul(y),
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::ShrU if y < u128::from(bits) => x >> y,
        _ => return Err(Stop::unknown(format!("{op:?} of {bits} bits"))),
    };
    Ok(Value::Wide(value & wide_mask(bits)))
}

fn wide_mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn is_unsigned(op: Binary) -> bool {
    matches!(op, Binary::DivU | Binary::RemU | Binary::CeilDivU)
}

/// Division to the next integer below.
trait FloorDiv {
    fn div_euclid_floor(self, by: Self) -> Self;
}

impl FloorDiv for i128 {
    fn div_euclid_floor(self, by: Self) -> Self {
        let quotient = self / by;
        if self % by != 0 && (self < 0) != (by < 0) { quotient - 1 } else { quotient }
    }
}

/// A comparison of integers, numbered as `arith.cmpi` has them.
pub fn compare(predicate: u8, bits: u32, a: &Value, b: &Value) -> Result<Value, Stop> {
    let (x, y) = match (a, b) {
        (Value::Bits(x), Value::Bits(y)) => (*x, *y),
        (Value::Poison, _) | (_, Value::Poison) => return Ok(Value::Poison),
        (Value::Many(a), Value::Many(b)) => {
            let each = a.iter().zip(b.iter()).map(|(a, b)| compare(predicate, bits, a, b));
            return Ok(Value::Many(each.collect::<Result<_, _>>()?));
        }
        _ => return Err(Stop::unknown("a comparison of no numbers")),
    };
    let (p, q) = (signed(x, bits), signed(y, bits));
    let boolean = match predicate {
        0 => x == y,
        1 => x != y,
        2 => p < q,
        3 => p <= q,
        4 => p > q,
        5 => p >= q,
        6 => x < y,
        7 => x <= y,
        8 => x > y,
        9 => x >= y,
        _ => return Err(Stop::unknown(format!("predicate {predicate}"))),
    };
    Ok(Value::Bits(u64::from(boolean)))
}

/// A change of an integer's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// The high bits go.
    Truncate,
    /// Copies of the sign come.
    Sign,
    /// Zeros come.
    Zero,
    /// To more bits by the sign, or to fewer.
    SignOrTruncate,
    /// To more bits by zeros, or to fewer.
    ZeroOrTruncate,
    /// The same bits.
    Same,
}

/// The result of a cast of an integer.
pub fn cast(kind: Cast, flags: Flags, from: u32, to: u32, value: &Value) -> Result<Value, Stop> {
    let bits = match value {
        Value::Wide(bits) if to <= 64 => return Ok(Value::Bits(*bits as u64 & mask(to))),
        Value::Bits(bits) if to > 64 => {
            let wide = match kind {
                Cast::Sign | Cast::SignOrTruncate => i128::from(signed(*bits, from)) as u128,
                _ => u128::from(*bits),
            };
            return Ok(Value::Wide(wide & wide_mask(to)));
        }
        Value::Bits(bits) => *bits,
        Value::Poison => return Ok(Value::Poison),
        Value::Many(values) => {
            let each = values.iter().map(|value| cast(kind, flags, from, to, value));
            return Ok(Value::Many(each.collect::<Result<_, _>>()?));
        }
        _ => return Err(Stop::unknown("a cast of no number")),
    };
    if flags.non_negative && signed(bits, from) < 0 {
        return Ok(Value::Poison);
    }
    let truncated = bits & mask(to);
    if to < from {
        if flags.nuw && truncated != bits {
            return Ok(Value::Poison);
        }
        if flags.nsw && signed(truncated, to) != signed(bits, from) {
            return Ok(Value::Poison);
        }
    }
    Ok(Value::Bits(match kind {
        Cast::Sign | Cast::SignOrTruncate if to > from => signed(bits, from) as u64 & mask(to),
        _ => truncated,
    }))
}

/// An operation of two floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are upstream's")]
pub enum Float {
    Add,
    Sub,
    Mul,
    Div,
}

/// The result of an operation on two floats.
pub fn float(op: Float, bits: u32, a: &Value, b: &Value) -> Result<Value, Stop> {
    let (Value::Bits(a), Value::Bits(b)) = (a, b) else {
        return match (a, b) {
            (Value::Poison, _) | (_, Value::Poison) => Ok(Value::Poison),
            _ => Err(Stop::unknown("floats that are no numbers")),
        };
    };
    Ok(Value::Bits(if bits == 32 {
        let (a, b) = (f32::from_bits(*a as u32), f32::from_bits(*b as u32));
        let result = match op {
            Float::Add => a + b,
            Float::Sub => a - b,
            Float::Mul => a * b,
            Float::Div => a / b,
        };
        u64::from(canonical32(result).to_bits())
    } else {
        let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
        let result = match op {
            Float::Add => a + b,
            Float::Sub => a - b,
            Float::Mul => a * b,
            Float::Div => a / b,
        };
        if result.is_nan() { f64::NAN.to_bits() } else { result.to_bits() }
    }))
}

/// One NaN for all: which bits it has is not defined.
fn canonical32(value: f32) -> f32 {
    if value.is_nan() { f32::NAN } else { value }
}

/// The two halves of a product or a sum: results of `*_extended`.
pub fn extended(kind: Extended, bits: u32, a: &Value, b: &Value) -> Result<[Value; 2], Stop> {
    let (Value::Bits(x), Value::Bits(y)) = (a, b) else {
        return match (a, b) {
            (Value::Poison, _) | (_, Value::Poison) => Ok([Value::Poison, Value::Poison]),
            _ => Err(Stop::unknown("an extended operation of no numbers")),
        };
    };
    let wide = match kind {
        Extended::AddU => u128::from(*x) + u128::from(*y),
        Extended::MulU => u128::from(*x) * u128::from(*y),
        Extended::MulS => (i128::from(signed(*x, bits)) * i128::from(signed(*y, bits))) as u128,
    };
    let high = (wide >> bits) as u64;
    let high = if kind == Extended::AddU { high & 1 } else { high & mask(bits) };
    Ok([Value::Bits(wide as u64 & mask(bits)), Value::Bits(high)])
}

/// Operations with two results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are upstream's")]
pub enum Extended {
    AddU,
    MulU,
    MulS,
}

/// A comparison of floats, numbered as `arith.cmpf` has them.
pub fn compare_floats(predicate: u8, bits: u32, a: &Value, b: &Value) -> Result<Value, Stop> {
    let (Value::Bits(a), Value::Bits(b)) = (a, b) else {
        return match (a, b) {
            (Value::Poison, _) | (_, Value::Poison) => Ok(Value::Poison),
            _ => Err(Stop::unknown("a comparison of floats that are no numbers")),
        };
    };
    let (a, b) = (wide(*a, bits), wide(*b, bits));
    // From 1 on they are ordered, from 8 on unordered, which a NaN makes true.
    let holds = match predicate {
        0 => false,
        1 | 8 => a == b,
        2 | 9 => a > b,
        3 | 10 => a >= b,
        4 | 11 => a < b,
        5 | 12 => a <= b,
        6 | 13 => a != b && !a.is_nan() && !b.is_nan(),
        7 => !a.is_nan() && !b.is_nan(),
        14 => a.is_nan() || b.is_nan(),
        15 => true,
        _ => return Err(Stop::unknown(format!("predicate {predicate}"))),
    };
    let unordered = (8..=13).contains(&predicate) && (a.is_nan() || b.is_nan());
    Ok(Value::Bits(u64::from(holds || unordered)))
}

/// A conversion from or to a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convert {
    /// A signed integer becomes a float.
    FromSigned,
    /// An unsigned integer becomes a float.
    FromUnsigned,
    /// A float becomes a signed integer, poison where none of that width has its value.
    ToSigned,
    /// A float becomes an unsigned integer, likewise.
    ToUnsigned,
    /// A float becomes one of more bits, or of fewer.
    Float,
    /// The same bits; which of a NaN, is unspecified.
    Bits,
}

/// The result of a conversion of a number.
pub fn convert(kind: Convert, from: u32, to: u32, value: &Value) -> Result<Value, Stop> {
    let bits = match value {
        Value::Bits(bits) => *bits,
        Value::Poison => return Ok(Value::Poison),
        _ => return Err(Stop::unknown("a conversion of no number")),
    };
    // Each way rounds once, to the nearest.
    let float = |single: f32, double: f64| {
        Value::Bits(match to {
            32 => u64::from(canonical32(single).to_bits()),
            _ if double.is_nan() => f64::NAN.to_bits(),
            _ => double.to_bits(),
        })
    };
    Ok(match kind {
        Convert::FromSigned => float(signed(bits, from) as f32, signed(bits, from) as f64),
        Convert::FromUnsigned => float(bits as f32, bits as f64),
        Convert::Float => float(wide(bits, from) as f32, wide(bits, from)),
        Convert::Bits if wide(bits, from).is_nan() => Value::Poison,
        Convert::Bits => Value::Bits(bits),
        Convert::ToSigned | Convert::ToUnsigned => {
            let whole = wide(bits, from).trunc();
            let (least, end) = match kind {
                Convert::ToSigned => (-(2_f64.powi(to as i32 - 1)), 2_f64.powi(to as i32 - 1)),
                _ => (0.0, 2_f64.powi(to as i32)),
            };
            if !(whole >= least && whole < end) {
                return Ok(Value::Poison);
            }
            Value::Bits(whole as i128 as u64 & mask(to))
        }
    })
}

/// A float with its sign changed.
pub fn negate(bits: u32, value: &Value) -> Result<Value, Stop> {
    match value {
        Value::Bits(value) if wide(*value, bits).is_nan() => Ok(Value::Bits(*value)),
        Value::Bits(value) => Ok(Value::Bits(value ^ 1 << (bits - 1))),
        Value::Poison => Ok(Value::Poison),
        _ => Err(Stop::unknown("the negative of no number")),
    }
}

/// A float of 32 or 64 bits, exactly.
fn wide(bits: u64, width: u32) -> f64 {
    match width {
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}
