//! What a lowering asks of operations on layouts and tuples that are known in part.
//!
//! A value of such a type is, at run time, the values of its symbols in their order. An operation's
//! result needs no code where it is a layout or a tuple: its symbols are some of its operands'. An
//! integer is an expression over the operands' symbols, which are numbered through all operands.

use crate::{
    calls, construct,
    datum::{Datum, Violation},
    subject::{Known, Operand, Subject},
};
pub use crate::{
    calls::{Answer, Condition, Outcome},
    construct::matched,
};
use layout_algebra::symbolic::Facts;
use melior::ir::OperationRef;

/// The names of the operations that the table answers for, without the dialect's prefix.
pub fn operations() -> Vec<&'static str> {
    calls::ROWS.iter().map(|row| row.name).collect()
}

/// What an operation gives; nothing for operations of other kinds.
///
/// # Errors
///
/// What its verifier would refuse.
pub fn answer(operation: OperationRef<'_, '_>) -> Option<Result<Answer, Violation>> {
    let name = crate::tree::name(operation);
    let row = calls::row(name.strip_prefix("layout.")?)?;
    Some(calls::evaluate(row, &Subject::of(operation)))
}

/// What is known of an operation's symbols when its coordinates are in range, as it demands of them.
///
/// An answer's expressions are right for every coordinate; the integers that they are computed in
/// need only hold those in range.
///
/// # Errors
///
/// What its verifier would refuse.
pub fn in_range(operation: OperationRef<'_, '_>, answer: &Answer) -> Result<Facts, Violation> {
    let name = crate::tree::name(operation);
    let mut subject = Subject::of(operation);
    let operands = subject.operands(true)?;
    let call = calls::Call { subject: &subject, operands, args: Vec::new() };
    let bounds = match name.as_str() {
        "layout.crd2idx" => {
            let layout = calls::symbolic_layout(call.operand(0)?)?;
            let pattern = call.subject.pattern()?;
            construct::coordinate_bounds(&pattern, layout.shape(), &answer.facts)
        }
        "layout.idx2crd" => {
            let shape = construct::idx2crd_shape(&call)?;
            vec![construct::greatest_index(&shape, &answer.facts)]
        }
        _ => return Ok(answer.facts.clone()),
    };
    let mut bounds = bounds.into_iter();
    subject.indices = call
        .operands
        .iter()
        .map(|operand| Known {
            range: match operand {
                // One value would make it a constant, which out of range it is not.
                Operand::Index { .. } => {
                    bounds.next().flatten().map(|greatest| (0, greatest.max(1)))
                }
                _ => None,
            },
        })
        .collect();
    let mut facts = Facts::new();
    for operand in subject.operands(true)? {
        operand.declare(&mut facts)?;
    }
    Ok(facts)
}

/// What is known of a value of a type; nothing for types that are no layouts or tuples.
///
/// # Errors
///
/// None in practice: types have been read before.
pub fn known(r#type: melior::ir::Type<'_>) -> Option<Result<Datum, Violation>> {
    crate::types::datum_of(r#type)
}

/// Whether an operation's first result is a truth that is known.
pub fn truth(answer: &Answer) -> Option<bool> {
    match &answer.outcome {
        Outcome::Value(Datum::Static(layout_algebra::Value::Bool(truth))) => Some(*truth),
        _ => None,
    }
}
