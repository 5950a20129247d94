//! What operations on modes do with the entries of tuples.

use super::{Args, Evaluated, operands::tuple_of};
use crate::{
    Op,
    error::Result,
    layout::entries::{diced, of_entries, sliced},
    term::{Decides, Value},
};
use alloc::vec::Vec;

impl<L: Decides> Args<'_, L> {
    /// What an operation on modes does with the entries of a tuple; `None` of one that does nothing
    /// with them.
    pub(super) fn on_tuple(&self) -> Option<Evaluated<L>> {
        let operand = |i: usize| self.value(i).and_then(tuple_of);
        if matches!(self.op, Op::Slice | Op::Dice) && self.values.len() == 2 {
            let (coord, tuple) = (self.coord(0).ok()?, operand(1)?);
            let kept = match self.op {
                Op::Slice => sliced(&coord, &tuple),
                _ => diced(&coord, &tuple),
            };
            return Some(kept.map(Value::from).map_err(Into::into));
        }
        // An integer by itself is a layout, as in CuTe.
        let Some(Value::Tuple(tuple)) = self.value(0) else { return None };
        let (numbers, other) = match self.op {
            Op::Append | Op::Prepend => (1..1, Some(operand(1)?)),
            Op::Replace => (1..2, Some(operand(2)?)),
            _ => (1..self.values.len(), None),
        };
        let used = numbers.len() + 1 + usize::from(other.is_some());
        if used != self.values.len() {
            return None;
        }
        let numbers: Result<Vec<_>, _> = numbers.map(|i| self.int(i)).collect();
        let entries = of_entries(self.op, tuple, &numbers.ok()?, other.as_deref())?;
        Some(entries.map(Value::from).map_err(Into::into))
    }
}
