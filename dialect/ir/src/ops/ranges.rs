//! The values that integer results may have, for MLIR's analysis of integer ranges.

use crate::ops::prelude::*;
use crate::ops::{
    adaptor::Known,
    calls::{self},
};
use layout_algebra::Range;

/// The least and the greatest value of each result of an operation, given those of its operands.
/// Nothing where nothing is known.
pub(crate) fn ranges(
    name: &str,
    operation: OperationRef<'_, '_>,
    operands: &[(i64, i64)],
) -> Option<Vec<(i64, i64)>> {
    let mut adaptor = Adaptor::of(operation);
    adaptor.indices = operands.iter().map(|&range| Known { range: Some(range) }).collect();
    let answer = calls::evaluate(calls::row(name)?, &adaptor).ok()?;
    let Outcome::Numbers(numbers) = &answer.outcome else { return None };
    Some(numbers.iter().map(|number| of_words(answer.facts.range(number))).collect())
}

/// A range as words of 64 bits have it.
///
/// A result is an integer of any size to the algebra, and a word to what computes it: sums and products of words
/// wrap. Where an integer may be past the words, or nothing says that it is not, the word may be any. To
/// clip the range instead would be wrong: of an integer of 2^63 the word is -2^63.
fn of_words(range: Range) -> (i64, i64) {
    let word = |bound: Option<i128>| i64::try_from(bound?).ok();
    word(range.lo).zip(word(range.hi)).unwrap_or((i64::MIN, i64::MAX))
}
