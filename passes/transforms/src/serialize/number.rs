//! Arithmetic of single elements on the host, which has no 8-bit floats.

use super::{Failure, refused};
use layout_dialect::{
    build::{Builder, Val},
    narrow,
};
use melior::ir::{Type, ValueLike, attribute::FloatAttribute};

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
        "f8E4M3FN" | "f8E5M2" => narrow::widened(b, value)?,
        "tf32" => cast(b, value, f32_type)?,
        "i8" => return Ok(b.value("arith.extsi", &[value], to, &[])?),
        "f16" | "bf16" => b.value("arith.extf", &[value], f32_type, &[])?,
        other => {
            return Err(refused(format!("expected a number narrower than {to}, found {other}")));
        }
    };
    if to == f32_type { Ok(value) } else { Ok(b.value("arith.extf", &[value], to, &[])?) }
}

/// The value that is stored for a value that is copied: tf32 keep all bits of f32 here.
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
