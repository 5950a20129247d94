//! A datum as the kinds of values that operations work on, and back.

use crate::{
    data::datum::Datum,
    diagnostics::{codes::Code, violation::Violation},
};
use layout_algebra::{CoordOf, Expr, Facts, Layout, Nested, Value};

/// A value as the algebra with symbols takes it.
pub(crate) fn symbolic_value(datum: &Datum) -> Value<Expr> {
    match datum {
        Datum::Static(value) => Value::<Expr>::from(value),
        Datum::Symbolic { value, .. } => value.clone(),
    }
}

/// A value as a tuple of integers.
pub(crate) fn tuple(datum: &Datum) -> Result<Nested<Expr>, Violation> {
    match datum {
        Datum::Static(Value::Int(value)) => Ok(Nested::Leaf(Expr::from(*value))),
        Datum::Static(Value::Tuple(tuple)) => Ok(tuple.into()),
        Datum::Symbolic { value: Value::Int(expr), .. } => Ok(Nested::Leaf(expr.clone())),
        Datum::Symbolic { value: Value::Tuple(tuple), .. } => Ok(tuple.clone()),
        other => Err(Violation::new(Code::Kind, "an integer or a tuple of integers", other)),
    }
}

/// A value as an integer.
pub(crate) fn integer(datum: &Datum) -> Result<Expr, Violation> {
    match tuple(datum)? {
        Nested::Leaf(expr) => Ok(expr),
        other => Err(Violation::new(Code::Kind, "an integer", other)),
    }
}

/// A tuple as a value.
pub(crate) fn tuple_datum(tuple: Nested<Expr>, facts: &Facts) -> Datum {
    Datum::with(Value::<Expr>::from(tuple), facts)
}

/// A value as a coordinate.
pub(crate) fn coord(datum: &Datum) -> Result<CoordOf<Expr>, Violation> {
    match symbolic_value(datum) {
        Value::Coord(coord) => Ok(coord),
        _ => Ok(CoordOf::<Expr>::from(&tuple(datum)?)),
    }
}

/// The compact layout of what is a shape.
pub(crate) fn compact(found: &Datum) -> Option<String> {
    let Datum::Static(Value::Int(_) | Value::Tuple(_)) = found else { return None };
    let layout = Layout::from_shape(tuple(found).ok()?.to_static()?).ok()?;
    Some(format!("{layout} is the compact layout of that shape"))
}
