//! The values that integer results may have, for MLIR's analysis of integer ranges.

use crate::ops::{
    calls::{self, Outcome},
    subject::{Known, Subject},
};
use layout_algebra::symbolic::Range;
use melior::ir::OperationRef;

/// The least and the greatest value of each result of an operation, given those of its operands.
/// Nothing where nothing is known.
pub(crate) fn ranges(
    name: &str,
    operation: OperationRef<'_, '_>,
    operands: &[(i64, i64)],
) -> Option<Vec<(i64, i64)>> {
    let mut subject = Subject::of(operation);
    subject.indices = operands.iter().map(|&range| Known { range: Some(range) }).collect();
    let answer = calls::evaluate(calls::row(name)?, &subject).ok()?;
    let Outcome::Numbers(numbers) = &answer.outcome else { return None };
    Some(numbers.iter().map(|number| clip(answer.facts.range(number))).collect())
}

/// A range as integers of 64 bits have it.
fn clip(range: Range) -> (i64, i64) {
    let clip = |bound: i128| bound.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    (range.lo.map_or(i64::MIN, clip), range.hi.map_or(i64::MAX, clip))
}
