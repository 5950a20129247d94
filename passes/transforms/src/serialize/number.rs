//! Arithmetic of single elements on the host, which has no numbers of 8 bits with a point.

use super::{Failure, refused};
use layout_dialect::build::{Builder, Val};
use melior::ir::{
    Type, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
};

/// Zero of a type.
pub(super) fn zero<'c>(b: &Builder<'c>, element: Type<'c>) -> Result<Val<'c>, Failure> {
    if element.to_string().starts_with('i') {
        return Ok(b.constant(element, 0)?);
    }
    let zero = FloatAttribute::new(b.context(), element, 0.0).into();
    Ok(b.value("arith.constant", &[], element, &[("value", zero)])?)
}

/// `sum + factors[0] * factors[1]`, in the type of the sum.
pub(super) fn multiply_add<'c>(
    b: &Builder<'c>,
    factors: [Val<'c>; 2],
    sum: Val<'c>,
) -> Result<Val<'c>, Failure> {
    let [x, y] = factors;
    let to = sum.r#type();
    let (x, y) = (widened(b, x, to)?, widened(b, y, to)?);
    let (multiply, add) =
        if is_integer(to) { ("arith.muli", "arith.addi") } else { ("arith.mulf", "arith.addf") };
    let product = b.binary(multiply, x, y)?;
    Ok(b.binary(add, sum, product)?)
}

fn is_integer(r#type: Type<'_>) -> bool {
    r#type.to_string().starts_with('i')
}

/// The same number in another type, which has it exactly.
fn widened<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Result<Val<'c>, Failure> {
    let from = value.r#type();
    if from == to {
        return Ok(value);
    }
    let f32_type = Type::float32(b.context());
    let value = match from.to_string().as_str() {
        "f8E4M3FN" => e4m3(b, value)?,
        "f8E5M2" => e5m2(b, value)?,
        "tf32" => cast(b, value, f32_type)?,
        "i8" => return Ok(b.value("arith.extsi", &[value], to, &[])?),
        "f16" | "bf16" => b.value("arith.extf", &[value], f32_type, &[])?,
        other => {
            return Err(refused(format!("expected a number narrower than {to}, found {other}")));
        }
    };
    if to == f32_type { Ok(value) } else { Ok(b.value("arith.extf", &[value], to, &[])?) }
}

/// What is stored for a value that is copied: tf32 keep all bits of f32 here.
pub(super) fn copied<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    element: Type<'c>,
) -> Result<Val<'c>, Failure> {
    if value.r#type() == element { Ok(value) } else { cast(b, value, element) }
}

/// The same bits, seen as another type that has the same place in memory.
fn cast<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Result<Val<'c>, Failure> {
    Ok(b.value("builtin.unrealized_conversion_cast", &[value], to, &[])?)
}

/// An f8E5M2 is the upper half of an f16.
fn e5m2<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Failure> {
    let i16_type = b.integer(16);
    let bits = b.value("arith.bitcast", &[value], b.integer(8), &[])?;
    let bits = b.value("arith.extui", &[bits], i16_type, &[])?;
    let bits = b.binary("arith.shli", bits, b.constant(i16_type, 8)?)?;
    let half = b.value("arith.bitcast", &[bits], Type::float16(b.context()), &[])?;
    Ok(b.value("arith.extf", &[half], Type::float32(b.context()), &[])?)
}

/// The exponent and the mantissa of an f8E4M3FN, in their places in an f32, are the number less the
/// difference of the exponents' biases, subnormal numbers too; all ones are a NaN.
fn e4m3<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Failure> {
    const MAGNITUDE: i64 = 0x7f;
    const MANTISSA_BITS: (i64, i64) = (3, 23);
    const BIASES: (i32, i32) = (7, 127);
    let (i32_type, f32_type) = (b.integer(32), Type::float32(b.context()));
    let float = |number: f64| {
        let number = FloatAttribute::new(b.context(), f32_type, number).into();
        b.value("arith.constant", &[], f32_type, &[("value", number)])
    };
    let constant = |number| b.constant(i32_type, number);
    let bits = b.value("arith.bitcast", &[value], b.integer(8), &[])?;
    let bits = b.value("arith.extui", &[bits], i32_type, &[])?;
    let magnitude = b.binary("arith.andi", bits, constant(MAGNITUDE)?)?;
    let placed = constant(MANTISSA_BITS.1 - MANTISSA_BITS.0)?;
    let placed = b.binary("arith.shli", magnitude, placed)?;
    let small = b.value("arith.bitcast", &[placed], f32_type, &[])?;
    let number = b.binary("arith.mulf", small, float(2_f64.powi(BIASES.1 - BIASES.0))?)?;
    let equal = IntegerAttribute::new(b.integer(64), 0).into();
    let operands = [magnitude, constant(MAGNITUDE)?];
    let is_nan = b.value("arith.cmpi", &operands, b.integer(1), &[("predicate", equal)])?;
    let number = b.value("arith.select", &[is_nan, float(f64::NAN)?, number], f32_type, &[])?;
    let negative = b.binary("arith.shrui", bits, constant(7)?)?;
    let sign = b.binary("arith.shli", negative, constant(31)?)?;
    let number = b.value("arith.bitcast", &[number], i32_type, &[])?;
    let number = b.binary("arith.ori", number, sign)?;
    Ok(b.value("arith.bitcast", &[number], f32_type, &[])?)
}
