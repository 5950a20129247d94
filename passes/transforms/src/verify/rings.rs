//! Loops that go round a ring: each round carries on the next number modulo some, and whether the rounds over the ring are odd.
//!
//! ```text
//! stage  = count mod n         then  if stage == n - 1 { 0 } else { stage + 1 }
//! parity = (count div n) & 1   then  parity xor (stage == n - 1)
//! ```
//!
//! By induction both are, in round k of the loop, those of `count + k`.

use super::{
    arithmetic,
    trace::{Known, Reader},
};
use layout_dialect::{build::operand, tree};
use layout_relation::IndexForm;
use melior::ir::{
    BlockRef, OperationRef, Value, attribute::IntegerAttribute, operation::OperationLike,
};

/// The numbers of a ring, and the count whose remainder the first one is.
type Ring<'c> = (Value<'c, 'c>, i64);

impl Reader {
    /// A value that goes round a ring, or the parity of one.
    pub(super) fn ring(
        &self,
        operation: OperationRef<'_, '_>,
        body: BlockRef<'_, '_>,
        at: usize,
    ) -> Option<IndexForm> {
        let count = |(count, _): Ring<'_>| {
            let Some(Known::Form(count)) = self.known_of(count) else { return None };
            count.range().0.filter(|&least| least >= 0)?;
            count.plus(&self.round()?)
        };
        if let Some(ring) = stage(operation, body, at) {
            return count(ring)?.modulo(ring.1);
        }
        let ring = parity(operation, body, at)?;
        count(ring)?.floor_div(ring.1)?.mask(1)
    }
}

/// Whether a loop carries a value as one that goes round a ring: where it is none of these, it is another number in each round.
pub(super) fn is_alike(operation: OperationRef<'_, '_>, body: BlockRef<'_, '_>, at: usize) -> bool {
    const WAYS: [[&str; 2]; 2] = [["arith.remui", "arith.select"], ["arith.andi", "arith.xori"]];
    let Some(next) = yielded(body, at) else { return false };
    let first = operand(operation, at);
    WAYS.iter().any(|way| defined(first, way[0]).is_some() && defined(next, way[1]).is_some())
}

/// The ring whose numbers a loop carries.
fn stage<'c>(
    operation: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    at: usize,
) -> Option<Ring<'c>> {
    let first = defined(operand(operation, at), "arith.remui")?;
    let count = number(operand(first, 1)).filter(|&count| count > 0)?;
    let own = tree::argument(body, at.checked_sub(2)?);
    let next = defined(yielded(body, at)?, "arith.select")?;
    let more = defined(operand(next, 2), "arith.addi")?;
    let is_ring = is_last(operand(next, 0), own, count)
        && number(operand(next, 1)) == Some(0)
        && is_same(operand(more, 0), own)
        && number(operand(more, 1)) == Some(1);
    is_ring.then(|| (operand(first, 0), count))
}

/// The ring the parity of whose rounds a loop carries, beside the ring's numbers.
fn parity<'c>(
    operation: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    at: usize,
) -> Option<Ring<'c>> {
    let first = defined(operand(operation, at), "arith.andi")?;
    let rounds = defined(operand(first, 0), "arith.divui")?;
    let own = tree::argument(body, at.checked_sub(2)?);
    let next = defined(yielded(body, at)?, "arith.xori")?;
    let turns = defined(operand(next, 1), "arith.extui")?;
    let rings = (3..operation.operand_count()).map(|at| (at, stage(operation, body, at)));
    rings.filter_map(|(at, ring)| Some((at, ring?))).find_map(|(at, (count, numbers))| {
        let is_parity = number(operand(first, 1)) == Some(1)
            && is_same(operand(rounds, 0), count)
            && number(operand(rounds, 1)) == Some(numbers)
            && is_same(operand(next, 0), own)
            && is_last(operand(turns, 0), tree::argument(body, at - 2), numbers);
        is_parity.then_some((count, numbers))
    })
}

/// Whether a condition says that a number is the last of so many.
fn is_last<'c>(condition: Value<'c, 'c>, of: Value<'c, 'c>, count: i64) -> bool {
    const EQUAL: i64 = 0;
    let predicate = |comparison: OperationRef<'_, '_>| {
        let predicate = comparison.attribute("predicate").and_then(IntegerAttribute::try_from);
        predicate.ok().map(|predicate| predicate.value())
    };
    defined(condition, "arith.cmpi").is_some_and(|equal| {
        predicate(equal) == Some(EQUAL)
            && is_same(operand(equal, 0), of)
            && number(operand(equal, 1)) == Some(count - 1)
    })
}

fn is_same<'c>(one: Value<'c, 'c>, other: Value<'c, 'c>) -> bool {
    tree::key(one) == tree::key(other)
}

/// The operation that a value is a result of, if it has this name.
fn defined<'c>(value: Value<'c, 'c>, name: &str) -> Option<OperationRef<'c, 'c>> {
    tree::definition(value).filter(|&made| tree::name(made) == name)
}

fn number(value: Value<'_, '_>) -> Option<i64> {
    arithmetic::constant(tree::definition(value)?)
}

/// The value that a loop's body yields for its operand of this number.
fn yielded<'c>(body: BlockRef<'c, 'c>, at: usize) -> Option<Value<'c, 'c>> {
    let last = tree::operations(body).into_iter().next_back()?;
    Some(operand(last, at.checked_sub(3)?))
}
