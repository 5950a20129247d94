//! Loops and branches: the values of a loop's counter, and the enclosing conditions.

use super::{
    arithmetic, carried_values, rings,
    trace::{Event, Known, LOOPS, Reader},
};
use layout_dialect::{
    build::{operand, result},
    tree,
};
use layout_relation::IndexForm;
use melior::ir::{BlockRef, OperationRef, RegionLike, ValueLike, operation::OperationLike};
use std::collections::HashMap;

/// The limits of an `scf.for` as it compares them.
pub(super) struct Limits {
    /// Bits of its counter, which has no sign where it is `unsigned`.
    pub(super) bits: u32,
    pub(super) unsigned: bool,
    /// From where, to where, and the step.
    pub(super) bounds: [Option<IndexForm>; 3],
}

impl Reader {
    /// The limits of a loop with this body.
    pub(super) fn limits(&self, operation: OperationRef<'_, '_>, body: BlockRef<'_, '_>) -> Limits {
        let bits = arithmetic::width(tree::argument(body, 0).r#type()).unwrap_or(64);
        let unsigned = operation.attribute("unsignedCmp").is_ok();
        let bounds = [0, 1, 2].map(|at| {
            let bound = self.form(operation, at)?;
            if unsigned { bound.unsigned(bits) } else { Some(bound) }
        });
        Limits { bits, unsigned, bounds }
    }

    /// A new counter of a loop; `None` where the number of rounds is not known.
    pub(super) fn counter(&mut self, rounds: Option<i64>) -> (u32, Option<IndexForm>) {
        let symbol = u32::try_from(self.trace.extents.len()).unwrap_or(u32::MAX).max(LOOPS);
        self.trace.extents.push(rounds);
        (symbol, IndexForm::symbol(symbol, Some(0), rounds))
    }

    /// Which round the innermost loop is in.
    pub(super) fn round(&self) -> Option<IndexForm> {
        let symbol = *self.loops.last()?;
        let rounds = self.trace.extents.get(symbol as usize).copied().flatten();
        IndexForm::symbol(symbol, Some(0), rounds)
    }

    /// Opens a loop, and gives its counter's value: `from + step * round`.
    pub(super) fn open(&mut self, bounds: [Option<IndexForm>; 3]) -> Option<IndexForm> {
        self.open_in(bounds, None)
    }

    /// The same of a counter that has numbers of a range only, both ends included: where one step may pass
    /// the last, it wraps around, and has any of them.
    fn open_in(
        &mut self,
        bounds: [Option<IndexForm>; 3],
        range: Option<(i64, i64)>,
    ) -> Option<IndexForm> {
        let [Some(from), Some(to), Some(step)] = bounds else {
            self.unmodelled("a loop whose bounds are not known");
            let (symbol, _) = self.counter(None);
            self.loops.push(symbol);
            return None;
        };
        let by = step.as_constant().filter(|&by| by > 0);
        let wraps = |&(_, most): &(i64, i64)| {
            let next = to.range().1.zip(by).and_then(|(to, by)| to.checked_add(by - 1));
            next.is_none_or(|next| next > most)
        };
        if let Some((least, most)) = range.filter(wraps) {
            let (symbol, _) = self.counter(None);
            self.loops.push(symbol);
            let value = IndexForm::symbol(symbol, Some(least), most.checked_add(1));
            let left = value.as_ref().and_then(|value| value.minus(&to));
            self.around.push(left.map_or((IndexForm::constant(0), 1), |left| (left, 0)));
            self.event(Event::Open([from, to, step], None));
            return value;
        }
        let known = by.zip(from.range().0).zip(to.range().1);
        // From the least start on: rounds past the end are cut off by a condition.
        let rounds = known.and_then(|((by, from), to)| {
            // From the least word to the greatest is more than a word.
            let span = (i128::from(to) - i128::from(from)).max(0);
            i64::try_from((span + i128::from(by) - 1) / i128::from(by)).ok()
        });
        let (symbol, round) = self.counter(rounds);
        self.loops.push(symbol);
        let value = round.and_then(|round| round.scale(by?)?.plus(&from));
        // In a round the value is below the end, which may be no number.
        let left = value.as_ref().and_then(|value| value.minus(&to)).filter(|_| rounds.is_some());
        if let Some(left) = left
            && !matches!(left.below(0), Some(None))
        {
            self.around.push((left, 0));
        } else {
            // Something to take away again.
            self.around.push((IndexForm::constant(0), 1));
        }
        self.event(Event::Open([from, to, step], Some(symbol)));
        value
    }

    pub(super) fn close(&mut self) {
        self.loops.pop();
        self.around.pop();
        self.event(Event::Close);
    }

    pub(super) fn r#loop(&mut self, operation: OperationRef<'_, '_>) {
        let Some(body) = tree::entry(operation) else { return };
        let Limits { bits, unsigned, bounds } = self.limits(operation, body);
        let range = (bits < 64).then(|| match unsigned {
            true => (0, (1_i64 << bits) - 1),
            false => (-1_i64 << (bits - 1), (1_i64 << (bits - 1)) - 1),
        });
        let understood = bounds.iter().all(Option::is_some);
        let value = self.open_in(bounds, range);
        let value = value.and_then(|value| if unsigned { value.signed(bits) } else { Some(value) });
        if let Some(value) = value {
            self.values.insert(tree::key(tree::argument(body, 0)), Known::Form(value));
        }
        let (mut carried, mut sums) = (Vec::new(), HashMap::new());
        for at in 3..operation.operand_count() {
            let root = self.root_of(operand(operation, at));
            if self.carry(tree::argument(body, at - 2), root, false) {
                carried.push(at);
                continue;
            }
            if let Some(number) = self.ring(operation, body, at) {
                self.bind(body, at - 2, Some(number));
                continue;
            }
            let sum = self.sum(operation, body, at);
            // A value that grows by another number in each round; a sum of data is data.
            let step = carried_values::step_of(operation, body, at);
            let is_other = step.is_some_and(|step| self.is_number(step, 0))
                || rings::is_alike(operation, body, at);
            if sum.is_none() && is_other {
                self.carry(tree::argument(body, at - 2), None, true);
                carried.push(at);
                continue;
            }
            let left = sum.as_ref().and_then(|sum| self.sums_up(operation, body, at, sum));
            sums.extend(left.map(|left| (at, left)));
            self.bind(body, at - 2, sum);
        }
        if !carried.is_empty() {
            self.pass_on(operation, "scf.for".to_owned(), carried.iter().copied());
        }
        self.block(body);
        let yielded: Vec<usize> = carried.iter().map(|at| at - 3).collect();
        self.carry_on(body, &yielded);
        if understood {
            self.close();
        } else {
            self.loops.pop();
        }
        for at in 0..operation.result_count() {
            let root = self.root_of(operand(operation, at + 3));
            self.leave(result(operation, at), root, sums.get(&(at + 3)).copied());
        }
    }

    pub(super) fn branch(&mut self, operation: OperationRef<'_, '_>) {
        let conditions = match self.known(operation, 0) {
            Some(Known::Conditions(conditions)) => Some(conditions.clone()),
            _ => None,
        };
        let length = self.around.len();
        let known = conditions.is_some();
        let opposite = conditions.as_deref().and_then(arithmetic::negation);
        self.around.extend(conditions.unwrap_or_default());
        self.unknown += usize::from(!known);
        if let Some(body) = tree::entry(operation) {
            self.block(body);
        }
        self.around.truncate(length);
        self.unknown -= usize::from(!known);
        let unknown = usize::from(opposite.is_none());
        self.unknown += unknown;
        self.around.extend(opposite.unwrap_or_default());
        if let Ok(other) = operation.region(1)
            && let Some(body) = other.first_block()
        {
            self.block(body);
        }
        self.around.truncate(length);
        self.unknown -= unknown;
    }
}
