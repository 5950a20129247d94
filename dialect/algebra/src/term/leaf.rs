//! Where terms of integers and of expressions differ.

use super::Value;
use crate::{
    leaf::Leaf,
    symbolic::{self, Expr},
    tuple::list,
};
use core::fmt::{self, Display};

/// What terms need of a leaf beside what layouts do.
pub trait Evaluates: Sized {
    /// Writes a value as its `Display` does.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn write_value(value: &Value<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result
    where
        Self: Leaf;
}

impl Evaluates for i64 {
    fn write_value(value: &Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match value {
            Value::Int(value) => value.fmt(f),
            Value::Tuple(value) => value.fmt(f),
            Value::Coord(value) => value.fmt(f),
            Value::Layout(value) => value.fmt(f),
            Value::Composed(value) => value.fmt(f),
            Value::Swizzle(value) => value.fmt(f),
            Value::Tiler(value) => value.fmt(f),
            Value::Basis(value) => value.fmt(f),
            Value::Steps(value) => value.fmt(f),
            Value::Linear(value) => value.fmt(f),
            Value::Bool(value) => value.fmt(f),
            Value::List(values) => list(f, "[", values, ", ", "]"),
        }
    }
}

impl Evaluates for Expr {
    fn write_value(value: &Value<Expr>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        symbolic::write_value(value, f)
    }
}
