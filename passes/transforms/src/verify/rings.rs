//! Loops over a ring of stages: each iteration carries the next stage, modulo the number of stages, and the parity of
//! the rounds over the ring.
//!
//! ```text
//! stage  = count mod n         then  if stage == n - 1 { 0 } else { stage + 1 }
//! parity = (count div n) & 1   then  parity xor (stage == n - 1)
//! ```
//!
//! By induction both are, in round k of the loop, those of `count + k`. The two are recognised together, as the pipeline's lowering writes
//! them and as `layout-simplify` does; first ones that are other known numbers have the count `n * parity + stage`. Where no count is known,
//! both are symbols, as other values that a loop carries.

use super::trace::{Known, Reader};
use layout_dialect::{build::operand, tree};
use layout_relation::IndexForm;
use melior::ir::{
    BlockRef, OperationRef, Value, attribute::IntegerAttribute, operation::OperationLike,
};

/// A ring that a loop goes round.
struct Ring<'c> {
    /// How many numbers it has.
    numbers: i64,
    /// The count whose remainder the first number is, if both are written so.
    count: Option<Value<'c, 'c>>,
    /// The operands of the loop that the number and the parity are.
    places: [usize; 2],
}

impl Reader {
    /// A value that goes round a ring, or the parity of one.
    pub(super) fn ring(
        &self,
        operation: OperationRef<'_, '_>,
        body: BlockRef<'_, '_>,
        at: usize,
    ) -> Option<IndexForm> {
        let all = 3..operation.operand_count();
        let pairs = all.clone().flat_map(|stage| all.clone().map(move |parity| [stage, parity]));
        let ring = pairs
            .filter(|places| places.contains(&at) && places[0] != places[1])
            .find_map(|places| found(operation, body, places))?;
        let count = match ring.count {
            Some(count) => match self.known_of(count)? {
                Known::Form(count) => count.clone(),
                _ => return None,
            },
            // The first number and the first parity are as good as a count.
            None => {
                let [stage, parity] = ring.places.map(|at| self.form(operation, at));
                let (stage, parity) = (stage?, parity?);
                let is_in = stage.is_within(0, ring.numbers) && parity.is_within(0, 2);
                is_in.then(|| parity.scale(ring.numbers)?.plus(&stage)).flatten()?
            }
        };
        // A count that may wrap around is one whose remainder is known as such.
        let [stage, parity] = ring.places.map(|at| self.form(operation, at));
        let begins = stage.is_some_and(|stage| Some(stage) == count.modulo(ring.numbers))
            && parity.is_some_and(|parity| {
                Some(parity) == count.floor_div(ring.numbers).and_then(|rounds| rounds.mask(1))
            });
        if !begins && count.range().0.is_none_or(|least| least < 0) {
            return None;
        }
        let count = count.plus(&self.round()?)?;
        match ring.places[0] == at {
            true => count.modulo(ring.numbers),
            false => count.floor_div(ring.numbers)?.mask(1),
        }
    }
}

/// Whether a loop carries a value on in the way of one that goes round a ring, known or not.
pub(super) fn is_alike(operation: OperationRef<'_, '_>, body: BlockRef<'_, '_>, at: usize) -> bool {
    const FIRST: [&str; 4] = ["arith.remui", "arith.andi", "arith.addi", "arith.shrui"];
    const NEXT: [&str; 2] = ["arith.select", "arith.xori"];
    let is_one = |value, names: &[&str]| names.iter().any(|name| defined(value, name).is_some());
    let next = yielded(body, at);
    is_one(operand(operation, at), &FIRST) && next.is_some_and(|next| is_one(next, &NEXT))
}

/// The ring whose numbers a loop carries at the first of these places, and the parity at the second.
fn found<'c>(
    operation: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    places: [usize; 2],
) -> Option<Ring<'c>> {
    let [stage, parity] = places.map(|at| tree::argument(body, at - 2));
    let [first, first_parity] = places.map(|at| operand(operation, at));
    // The next number.
    let next = defined(yielded(body, places[0])?, "arith.select")?;
    let numbers = last(operand(next, 0), stage)?.checked_add(1)?;
    let goes_on = number(operand(next, 1)) == Some(0)
        && of_two(operand(next, 2), "arith.addi", |a, b| is_same(a, stage) && is_number(b, 1));
    // The next parity.
    let turns = |turns: Value<'c, 'c>| {
        let turns = defined(turns, "arith.extui");
        turns.and_then(|turns| last(operand(turns, 0), stage)) == Some(numbers - 1)
    };
    let turns =
        of_two(yielded(body, places[1])?, "arith.xori", |a, b| is_same(a, parity) && turns(b));
    // The first ones.
    let count = counted(first_parity, numbers)
        .filter(|&(count, rounds)| is_remainder(first, count, rounds, numbers))
        .map(|(count, _)| count);
    (goes_on && turns).then_some(Ring { numbers, count, places })
}

/// The count the parity of whose rounds over so many numbers a value is, and what its quotient would be.
fn counted<'c>(parity: Value<'c, 'c>, by: i64) -> Option<(Value<'c, 'c>, Value<'c, 'c>)> {
    if let Some(masked) = defined(parity, "arith.andi") {
        let rounds = other(masked, 1)?;
        return Some((divided(rounds, by)?, rounds));
    }
    // A power of two: the bit above its own.
    let masked = defined(divided(parity, by)?, "arith.andi")?;
    Some((other(masked, by.checked_mul(2)? - 1)?, parity))
}

/// The other operand of an operation on a number.
fn other<'c>(made: OperationRef<'c, 'c>, value: i64) -> Option<Value<'c, 'c>> {
    let [a, b] = [operand(made, 0), operand(made, 1)];
    if is_number(b, value) { Some(a) } else { is_number(a, value).then_some(b) }
}

/// The dividend of a quotient by `by`.
fn divided<'c>(quotient: Value<'c, 'c>, by: i64) -> Option<Value<'c, 'c>> {
    if let Some(divided) = defined(quotient, "arith.divui") {
        return is_number(operand(divided, 1), by).then(|| operand(divided, 0));
    }
    let shifted = defined(quotient, "arith.shrui")?;
    let bits = u32::try_from(number(operand(shifted, 1))?).ok()?;
    (1_i64.checked_shl(bits) == Some(by)).then(|| operand(shifted, 0))
}

/// Whether a value is the remainder of a count modulo a number, given the quotient.
fn is_remainder<'c>(
    value: Value<'c, 'c>,
    count: Value<'c, 'c>,
    quotient: Value<'c, 'c>,
    by: i64,
) -> bool {
    let is_taken = |product: Value<'c, 'c>| {
        of_two(product, "arith.muli", |a, b| is_same(a, quotient) && is_number(b, -by))
    };
    let remainder = defined(value, "arith.remui");
    remainder.is_some_and(|of| is_same(operand(of, 0), count) && is_number(operand(of, 1), by))
        || of_two(value, "arith.addi", |a, b| is_taken(a) && is_same(b, count))
        || (by.count_ones() == 1
            && of_two(value, "arith.andi", |a, b| is_same(a, count) && is_number(b, by - 1)))
}

/// The number that a condition says a value to be.
fn last<'c>(condition: Value<'c, 'c>, of: Value<'c, 'c>) -> Option<i64> {
    const EQUAL: i64 = 0;
    let equal = defined(condition, "arith.cmpi")?;
    let predicate = equal.attribute("predicate").and_then(IntegerAttribute::try_from).ok()?;
    let [a, b] = [operand(equal, 0), operand(equal, 1)];
    let other = if is_same(a, of) { b } else { a };
    let is_of = is_same(a, of) || is_same(b, of);
    number(other).filter(|_| is_of && predicate.value() == EQUAL)
}

/// Whether a value is made by an operation of this name of two others, in one order or the other.
fn of_two<'c>(
    value: Value<'c, 'c>,
    name: &str,
    are: impl Fn(Value<'c, 'c>, Value<'c, 'c>) -> bool,
) -> bool {
    defined(value, name).is_some_and(|made| {
        let [a, b] = [operand(made, 0), operand(made, 1)];
        are(a, b) || are(b, a)
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
    tree::constant(value)
}

fn is_number(value: Value<'_, '_>, expected: i64) -> bool {
    number(value) == Some(expected)
}

/// The value that a loop's body yields for its operand of this number.
fn yielded<'c>(body: BlockRef<'c, 'c>, at: usize) -> Option<Value<'c, 'c>> {
    let last = tree::operations(body).into_iter().next_back()?;
    Some(operand(last, at.checked_sub(3)?))
}
