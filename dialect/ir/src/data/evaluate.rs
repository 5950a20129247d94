//! From the dialect's terms to the algebra's values.

use crate::diagnostics::codes::TERM;
use layout_algebra::{AnyLayout, Error, Outer, Term, Tuple, Value};

/// Parses and evaluates a text that should be a layout.
///
/// # Errors
///
/// The parser's or the evaluation's; a value of another kind.
pub fn any_layout(text: &str) -> Result<AnyLayout, Error> {
    to_layout(Term::parse(text)?.eval()?)
}

/// The layout that a value is.
///
/// # Errors
///
/// A value of another kind.
pub fn to_layout(value: Value) -> Result<AnyLayout, Error> {
    match value {
        Value::Layout(layout) => Ok(AnyLayout::Plain(layout)),
        Value::Composed(composed) => Ok(AnyLayout::Composed(composed)),
        other => Err(operand("a layout", &other)),
    }
}

/// The shape that a value is, or has.
///
/// # Errors
///
/// A value of another kind.
pub fn to_shape(value: Value) -> Result<Tuple, Error> {
    match value {
        Value::Int(extent) => Ok(Tuple::Leaf(extent)),
        Value::Tuple(shape) => Ok(shape),
        Value::Layout(layout) => Ok(layout.shape().clone()),
        Value::Composed(composed) => Ok(composed.inner.shape().clone()),
        other => Err(operand("a shape or a layout", &other)),
    }
}

/// The offset of a coordinate.
///
/// # Errors
///
/// A coordinate that does not fit; overflow.
pub fn crd2idx(layout: &AnyLayout, coordinate: &Tuple) -> Result<i64, Error> {
    match layout {
        AnyLayout::Plain(layout) => layout.crd2idx(coordinate),
        AnyLayout::Composed(composed) => {
            let middle =
                composed.inner.crd2idx(coordinate)?.checked_add(composed.offset).ok_or(
                    Error::Overflow { operation: "crd2idx", operands: composed.to_string() },
                )?;
            match &composed.outer {
                Outer::Swizzle(swizzle) => Ok(swizzle.apply(middle)),
                Outer::Layout(layout) => layout.at(middle),
            }
        }
    }
}

fn operand(expected: &str, found: &Value) -> Error {
    Error::Operand { operation: TERM, expected: expected.to_owned(), found: found.to_string() }
}
