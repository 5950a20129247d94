//! Queries of a lowering about operations on partly static layouts and tuples.
//!
//! A value of such a type is, at run time, the values of its symbols in their order. An operation's
//! result needs no code where it is a layout or a tuple: its symbols are some of its operands'. An
//! integer is an expression over the operands' symbols, which are numbered through all operands.

use crate::ops::prelude::*;
pub use crate::ops::{
    calls::{Answer, Condition, Definition, Outcome},
    construct::matched,
    views::{Fixed, Recast},
};
use crate::{
    data::{conversions::coord, offsets},
    ops::{
        adaptor::{self},
        calls, views,
    },
};

/// Whether the table answers for an operation of a name without the dialect's prefix.
pub fn answers(name: &str) -> bool {
    calls::row(name).is_some()
}

/// The result of an operation, or `None` for operations of other kinds.
pub fn answer(operation: OperationRef<'_, '_>) -> Option<Result<Answer, Violation>> {
    let name = crate::pass::tree::name(operation);
    let row = calls::row(name.strip_prefix("layout.")?)?;
    Some(calls::evaluate(row, &Adaptor::of(operation)))
}

/// The facts of an operation's symbols when its coordinates are in range, as it demands of them.
///
/// An answer's expressions are right for every coordinate; the integers that they are computed in
/// need only hold those in range.
pub fn in_range(operation: OperationRef<'_, '_>, answer: &Answer) -> Result<Facts, Violation> {
    let name = crate::pass::tree::name(operation);
    let mut adaptor = Adaptor::of(operation);
    let operands = adaptor.operands(true)?;
    let call = calls::Call::new(&adaptor, operands);
    let (first, bounds) = match name.as_str() {
        "layout.crd2idx" => {
            let shape = offsets::shape_of(call.operand(0)?)?;
            let pattern = call.adaptor.pattern()?;
            (1, index::coordinate_bounds(&pattern, &shape, &answer.facts))
        }
        "layout.idx2crd" => {
            let shape = index::idx2crd_shape(&call)?;
            (0, vec![index::greatest_index(&shape, &answer.facts)])
        }
        _ => return Ok(answer.facts.clone()),
    };
    views::bounded(&mut adaptor, first, &bounds)
}

/// The offset that the coordinate of a `layout.slice`, `layout.load`, `layout.store`, `layout.crd2idx`,
/// `layout.local_tile` or `layout.partition` fixes in its view or layout, which is the operand number `source`.
pub fn fixed(operation: OperationRef<'_, '_>, source: usize) -> Result<Fixed, Violation> {
    views::fixed(&crate::pass::tree::name(operation), Adaptor::of(operation), source)
}

/// The index of a `layout.idx2crd` and the extents that it goes through.
pub fn divided(operation: OperationRef<'_, '_>) -> Result<(Expr, Vec<Expr>), Violation> {
    let adaptor = Adaptor::of(operation);
    let operands = adaptor.operands(false)?;
    index::divided(&calls::Call::new(&adaptor, operands))
}

/// A tuple's entries as those of a coordinate.
///
/// # Errors
///
/// A layout, or a tuple of tilers.
pub fn coordinate(tuple: &TermValue) -> Result<CoordOf<Expr>, Violation> {
    coord(tuple)
}

/// The result of a `layout.recast` of a view.
pub fn recast<'c>(operation: OperationRef<'c, '_>) -> Result<Recast<'c>, Violation> {
    views::recast(&Adaptor::of(operation))
}

/// The layout, tuple or view's layout in a type, static or partly static, or `None` for other types.
pub fn carried(r#type: Type<'_>) -> Result<Option<TermValue>, Violation> {
    adaptor::known(r#type)
}

/// Whether an operand of a type is one symbol of an answer: an integer that may stand for one.
pub fn is_symbol(r#type: Type<'_>) -> bool {
    adaptor::integer_width(r#type).is_some()
}

/// The value that a type carries, or `None` for types that are no layouts or tuples.
pub fn known(r#type: Type<'_>) -> Option<Result<TermValue, Violation>> {
    crate::data::types::term_value_of(r#type)
}

/// Whether an operation's first result is a boolean that is known.
pub fn boolean(answer: &Answer) -> Option<bool> {
    match &answer.outcome {
        Outcome::Value(TermValue::Static(layout_algebra::Value::Bool(boolean))) => Some(*boolean),
        _ => None,
    }
}
