//! Conversions of a `TermValue` to the kinds of values that operations work on, and back.

use crate::{
    data::term_value::TermValue,
    diagnostics::{codes::Code, violation::Violation},
};
use layout_algebra::{CoordOf, Expr, Facts, Layout, Nested, Value};

/// A value as the algebra with symbols takes it.
pub(crate) fn symbolic_value(term_value: &TermValue) -> Value<Expr> {
    match term_value {
        TermValue::Static(value) => Value::<Expr>::from(value),
        TermValue::Symbolic { value, .. } => value.clone(),
    }
}

/// A value as a tuple of integers.
pub(crate) fn tuple(term_value: &TermValue) -> Result<Nested<Expr>, Violation> {
    match term_value {
        TermValue::Static(Value::Int(value)) => Ok(Nested::Leaf(Expr::from(*value))),
        TermValue::Static(Value::Tuple(tuple)) => Ok(tuple.into()),
        TermValue::Symbolic { value: Value::Int(expr), .. } => Ok(Nested::Leaf(expr.clone())),
        TermValue::Symbolic { value: Value::Tuple(tuple), .. } => Ok(tuple.clone()),
        other => Err(Violation::new(Code::Kind, "an integer or a tuple of integers", other)),
    }
}

/// A value as an integer.
pub(crate) fn integer(term_value: &TermValue) -> Result<Expr, Violation> {
    match tuple(term_value)? {
        Nested::Leaf(expr) => Ok(expr),
        other => Err(Violation::new(Code::Kind, "an integer", other)),
    }
}

/// A tuple as a value.
pub(crate) fn tuple_term_value(tuple: Nested<Expr>, facts: &Facts) -> TermValue {
    TermValue::with(Value::<Expr>::from(tuple), facts)
}

/// A value as a coordinate.
pub(crate) fn coord(term_value: &TermValue) -> Result<CoordOf<Expr>, Violation> {
    match symbolic_value(term_value) {
        Value::Coord(coord) => Ok(coord),
        _ => Ok(CoordOf::<Expr>::from(&tuple(term_value)?)),
    }
}

/// The compact layout of what is a shape.
pub(crate) fn compact(found: &TermValue) -> Option<String> {
    let TermValue::Static(Value::Int(_) | Value::Tuple(_)) = found else { return None };
    let layout = Layout::from_shape(tuple(found).ok()?.to_static()?).ok()?;
    Some(format!("{layout} is the compact layout of that shape"))
}
