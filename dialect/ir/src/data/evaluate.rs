//! From the dialect's terms to the algebra's values.

use crate::diagnostics::codes::TERM;
use layout_algebra::{AnyLayout, Error, Term, Tuple, Value};

/// Parses and evaluates a text that should be a layout.
///
/// # Errors
///
/// The parser's or the evaluation's; a value of another kind.
pub fn any_layout(text: &str) -> Result<AnyLayout, Error> {
    Term::parse(text)?.eval_layout()
}

/// The layout that a value is.
pub fn to_layout(value: Value) -> Result<AnyLayout, Error> {
    AnyLayout::try_from(value).map_err(|other| operand("a layout", &other))
}

/// The shape that a value is, or has.
pub fn to_shape(value: Value) -> Result<Tuple, Error> {
    match value {
        Value::Int(extent) => Ok(Tuple::Leaf(extent)),
        Value::Tuple(shape) => Ok(shape),
        Value::Layout(layout) => Ok(layout.shape().clone()),
        Value::Composed(composed) => Ok(composed.inner.shape().clone()),
        other => Err(operand("a shape or a layout", &other)),
    }
}

fn operand(expected: &str, found: &Value) -> Error {
    Error::Operand { operation: TERM, expected: expected.to_owned(), found: found.to_string() }
}
