//! Where terms of integers and of expressions differ.

use super::Value;
use crate::{
    basis::{Basis, BasisLayout},
    leaf::Leaf,
    symbolic::{self, Expr, SymbolicBasis, SymbolicSteps},
    tuple::{Nested, list},
};
use core::{
    fmt::{self, Display},
    hash::Hash,
};

/// What terms need of a leaf beside what layouts do.
pub trait Evaluates: Sized {
    /// A layout into coordinates.
    type Basis: Clone + fmt::Debug + Eq + Ord + Hash;
    /// A stride of such a layout.
    type Steps: Clone + fmt::Debug + Eq + Ord + Hash;

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
    type Basis = BasisLayout;
    type Steps = Nested<Basis>;

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
    type Basis = SymbolicBasis;
    type Steps = SymbolicSteps;

    fn write_value(value: &Value<Expr>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        symbolic::write_value(value, f)
    }
}
