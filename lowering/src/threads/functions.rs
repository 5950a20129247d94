//! The chip's approximate functions of `f32`, as the CPU's exact ones, and its functions of words, as arithmetic.

use super::{Error, conversions::attribute, program::lane};
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

/// Replaces such a function; false for any other operation.
pub(super) fn replace<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<bool, Error> {
    let own = |value| {
        tree::replace_uses(first_result(operation), value);
        tree::erase(operation);
    };
    match tree::name(operation).as_str() {
        "llvm.call_intrinsic" => {}
        "nvvm.dot.accumulate.4way" => {
            own(dot(b, operation)?);
            return Ok(true);
        }
        name => {
            let Some(mask) = name.strip_prefix("nvvm.read.ptx.sreg.lanemask.") else {
                return Ok(false);
            };
            own(lanes(b, mask)?);
            return Ok(true);
        }
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
    own(value);
    Ok(true)
}

/// The sum of a word and of the products of four bytes (`dp4a`).
fn dot<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<Val<'c>, Error> {
    let word = b.integer(32);
    let mut sum = operand(operation, 2);
    for place in 0..4 {
        let position = attribute(b, &format!("array<i64: {place}>"))?;
        let mut factors = [sum; 2];
        for (number, (factor, name)) in factors.iter_mut().zip(["a_type", "b_type"]).enumerate() {
            let from = [operand(operation, number)];
            let position = [("static_position", position)];
            let byte = b.value("vector.extract", &from, b.integer(8), &position)?;
            let is_unsigned = operation.attribute(name)?.to_string().contains("unsigned");
            let cast = if is_unsigned { "arith.extui" } else { "arith.extsi" };
            *factor = b.value(cast, &[byte], word, &[])?;
        }
        let product = b.binary("arith.muli", factors[0], factors[1])?;
        sum = b.binary("arith.addi", sum, product)?;
    }
    Ok(sum)
}

/// A bit for each lane that a `lanemask` register names.
fn lanes<'c>(b: &Builder<'c>, mask: &str) -> Result<Val<'c>, Error> {
    let word = b.integer(32);
    let one = b.constant(word, 1)?;
    let equal = b.binary("arith.shli", one, lane(b)?)?;
    let below = b.binary("arith.subi", equal, one)?;
    let inverse = |value| b.binary("arith.xori", value, b.constant(word, -1)?);
    Ok(match mask {
        "eq" => equal,
        "lt" => below,
        "le" => b.binary("arith.ori", equal, below)?,
        "ge" => inverse(below)?,
        _ => inverse(b.binary("arith.ori", equal, below)?)?,
    })
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
