//! Operations on modes, of the entries of tuples.

use super::{Args, Evaluated, operands::tuple_of};
use crate::{
    Op,
    error::{Error, Result},
    layout::entries::{diced, sliced},
    term::{Decides, Value},
    tuple::Nested,
};
use alloc::{format, string::ToString, vec, vec::Vec};
use core::{fmt, ops::Range};

impl<L: Decides> Args<'_, L> {
    /// An operation on modes, of the entries of a tuple; `None` for one that does nothing
    /// with them.
    pub(super) fn on_tuple(&self) -> Option<Evaluated<L>> {
        let operand = |i: usize| self.value(i).and_then(tuple_of);
        if matches!(self.op, Op::Slice | Op::Dice) {
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
        let numbers: Result<Vec<_>, _> = numbers.map(|i| self.int(i)).collect();
        let entries = of_entries(self.op, tuple, &numbers.ok()?, other.as_deref())?;
        Some(entries.map(Value::from).map_err(Into::into))
    }
}

/// An operation on modes, of the entries of a tuple; `None` for one that does nothing with them.
///
/// # Errors
///
/// An entry that the tuple does not have.
pub(super) fn of_entries<T: Clone + fmt::Display>(
    op: Op,
    tuple: &Nested<T>,
    numbers: &[i64],
    other: Option<&Nested<T>>,
) -> Option<Result<Nested<T>>> {
    let entries = tuple.entries();
    Some(match (op, numbers, other) {
        (Op::Get, _, None) => {
            let found = numbers.iter().try_fold(tuple, |tuple, &mode| {
                place_of(op, tuple, mode).map(|place| &tuple.entries()[place])
            });
            found.cloned()
        }
        (Op::Select, _, None) => {
            let chosen =
                numbers.iter().map(|&mode| Ok(entries[place_of(op, tuple, mode)?].clone()));
            chosen.collect::<Result<_>>().map(Nested::Node)
        }
        (Op::Take, &[begin, end], None) => {
            range_of(op, tuple, begin, end).map(|range| Nested::Node(entries[range].to_vec()))
        }
        (Op::Group, &[begin, end], None) => range_of(op, tuple, begin, end).map(|range| {
            let mut all = entries.to_vec();
            let begin = range.start;
            let within = all.drain(range).collect();
            all.insert(begin, Nested::Node(within));
            Nested::Node(all)
        }),
        (Op::Flatten, [], None) => Ok(match tuple {
            Nested::Leaf(_) => tuple.clone(),
            Nested::Node(_) => Nested::Node(leaves(tuple)),
        }),
        (Op::Append, [], Some(other)) => {
            Ok(Nested::Node(entries.iter().chain([other]).cloned().collect()))
        }
        (Op::Prepend, [], Some(other)) => {
            Ok(Nested::Node([other].into_iter().chain(entries).cloned().collect()))
        }
        (Op::Replace, &[mode], Some(other)) => place_of(op, tuple, mode).map(|place| {
            let mut all = entries.to_vec();
            all[place] = other.clone();
            Nested::Node(all)
        }),
        _ => return None,
    })
}

/// The place of an entry that is there.
fn place_of<T: fmt::Display>(op: Op, tuple: &Nested<T>, mode: i64) -> Result<usize> {
    let at = usize::try_from(mode).ok().filter(|&at| at < tuple.rank());
    at.ok_or_else(|| Error::Mode {
        operation: op.name(),
        layout: tuple.to_string(),
        rank: tuple.rank(),
        mode,
    })
}

/// The places of entries that are there, of which there is one at least.
fn range_of<T: fmt::Display>(
    op: Op,
    tuple: &Nested<T>,
    begin: i64,
    end: i64,
) -> Result<Range<usize>> {
    let places = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    let range = places.map(|(begin, end)| begin..end);
    range.filter(|range| !range.is_empty() && range.end <= tuple.rank()).ok_or_else(|| {
        Error::operand(
            op.name(),
            format!("a range of entries of {tuple} that is not empty"),
            format!("{begin} .. {end}"),
        )
    })
}

fn leaves<T: Clone>(tuple: &Nested<T>) -> Vec<Nested<T>> {
    match tuple {
        Nested::Leaf(_) => vec![tuple.clone()],
        Nested::Node(entries) => entries.iter().flat_map(leaves).collect(),
    }
}
