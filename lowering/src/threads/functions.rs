//! The chip's approximate functions of `f32`, as the CPU's exact ones.

use super::Error;
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    OperationRef, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// `arith.cmpf olt`.
const LESS: i64 = 4;

/// Replaces the call of an approximate function; false for any other operation.
pub(super) fn replace<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<bool, Error> {
    if tree::name(operation) != "llvm.call_intrinsic" {
        return Ok(false);
    }
    let called = operation.attribute("intrin").ok().and_then(tree::text);
    let Some(function) = called.as_deref().and_then(|name| name.strip_prefix("llvm.nvvm.")) else {
        return Ok(false);
    };
    let exact = |name: &str| -> Result<Val<'c>, Error> {
        let x = operand(operation, 0);
        Ok(b.value(name, &[x], x.r#type(), &[])?)
    };
    let value = match function {
        "ex2.approx.ftz.f" => flushed(b, exact("math.exp2")?)?,
        "lg2.approx.f" => exact("math.log2")?,
        "sqrt.approx.f" => exact("math.sqrt")?,
        "rsqrt.approx.f" => exact("math.rsqrt")?,
        _ => return Ok(false),
    };
    tree::replace_uses(first_result(operation), value);
    tree::erase(operation);
    Ok(true)
}

/// A value of at least 0, or 0 where it is below the least normal number.
fn flushed<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Error> {
    let of = value.r#type();
    let number = |number: f64| -> Result<Val<'c>, Error> {
        let number = FloatAttribute::new(b.context(), of, number).into();
        Ok(b.value("arith.constant", &[], of, &[("value", number)])?)
    };
    let predicate = IntegerAttribute::new(b.integer(64), LESS).into();
    let least = number(f64::from(f32::MIN_POSITIVE))?;
    let is_below =
        b.value("arith.cmpf", &[value, least], b.integer(1), &[("predicate", predicate)])?;
    Ok(b.value("arith.select", &[is_below, number(0.0)?, value], of, &[])?)
}
