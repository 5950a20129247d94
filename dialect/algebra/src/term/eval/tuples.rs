//! Operations on modes, applied to the entries of tuples.

use super::{Args, Evaluated, operands::tuple_of};
use crate::term::prelude::*;
use crate::{layout::entries::chosen, tuple::Entries};
use core::ops::Range;

impl<L: TermLeaf> Args<'_, L> {
    /// An operation on modes, of the entries of a tuple; `None` for one that does nothing
    /// with them.
    pub(super) fn on_tuple(&self) -> Option<Evaluated<L>> {
        let operand = |i: usize| self.value(i).and_then(tuple_of);
        if matches!(self.op, Op::Slice | Op::Dice) {
            let (coord, tuple) = (self.coord(0).ok()?, operand(1)?);
            let is_chosen = match self.op {
                Op::Slice => |coord: &CoordOf<L>| matches!(coord, CoordOf::Any),
                _ => |coord: &CoordOf<L>| matches!(coord, CoordOf::At(_)),
            };
            let kept = chosen(self.op.name(), &coord, &tuple, is_chosen);
            return Some(kept.map(Value::from).map_err(Into::into));
        }
        // An integer by itself is a layout, as in CuTe.
        let inserted = match self.op {
            Op::Append | Op::Prepend | Op::Zip => Some(1),
            Op::Replace => Some(2),
            _ => None,
        };
        let numbers = (1..self.values.len()).filter(|i| Some(*i) != inserted);
        let numbers: Result<Vec<_>, _> = numbers.map(|i| self.int(i)).collect();
        let (op, numbers) = (self.op, numbers.ok()?);
        let entries = match (self.value(0)?, inserted) {
            (Value::Tuple(tuple), None) => op.of_entries(tuple, &numbers, None)?.map(Value::from),
            (Value::Coord(coord), None) => op.of_entries(coord, &numbers, None)?.map(Value::from),
            (Value::Steps(steps), None) => {
                op.of_entries(steps, &numbers, None)?.and_then(Value::steps)
            }
            (Value::Tiler(tiler), None) => op.of_entries(tiler, &numbers, None)?.map(Value::from),
            (Value::Tuple(_) | Value::Coord(_), Some(place)) => {
                let (source, other) = match (self.coord(0), self.coord(place)) {
                    (Ok(source), Ok(other)) => (source, other),
                    _ => return Some(Err(self.kind(place, "an integer or a tuple").into())),
                };
                op.of_entries(&source, &numbers, Some(&other))?.map(Value::from)
            }
            _ => return None,
        };
        Some(entries.map_err(Into::into))
    }
}

impl Op {
    /// An operation on modes, of the entries of a tuple of any kind; `None` for one that does nothing with them.
    ///
    /// # Errors
    ///
    /// An entry that the tuple does not have; another rank.
    ///
    /// ```
    /// use layout_algebra::{Coord, Op};
    /// let coord: Coord = "(1,(_,3))".parse()?;
    /// let entry = Op::Get.of_entries(&coord, &[1, 0], None).expect("of entries")?;
    /// assert_eq!(entry, Coord::Any);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn of_entries<T: Entries>(
        self,
        source: &T,
        numbers: &[i64],
        other: Option<&T>,
    ) -> Option<Result<T>> {
        let entries = source.entries();
        let tuple = |entries: Vec<T>| Ok(T::of_entries(entries));
        Some(match (self, numbers, other) {
            (Op::Get, _, None) => numbers.iter().try_fold(source.clone(), |part, &mode| {
                Ok(part.entries()[place_of(self, &part, mode)?].clone())
            }),
            (Op::Select, _, None) => {
                let chosen =
                    numbers.iter().map(|&mode| Ok(entries[place_of(self, source, mode)?].clone()));
                chosen.collect::<Result<_>>().map(T::of_entries)
            }
            (Op::Take, &[begin, end], None) => range_of(self, source, begin, end)
                .map(|range| T::of_entries(entries[range].to_vec())),
            (Op::Group, &[begin, end], None) => range_of(self, source, begin, end).map(|range| {
                let mut all = entries.to_vec();
                let begin = range.start;
                let within: Vec<T> = all.drain(range).collect();
                if !within.is_empty() {
                    all.insert(begin, T::of_entries(within));
                }
                T::of_entries(all)
            }),
            (Op::Flatten, [], None) if source.is_leaf() => Ok(source.clone()),
            (Op::Flatten, [], None) => tuple(leaves(source)),
            (Op::Append, [], Some(other)) => {
                tuple(entries.iter().chain([other]).cloned().collect())
            }
            (Op::Prepend, [], Some(other)) => {
                tuple([other].into_iter().chain(entries).cloned().collect())
            }
            (Op::Replace, &[mode], Some(other)) => place_of(self, source, mode).map(|place| {
                let mut all = entries.to_vec();
                all[place] = other.clone();
                if source.is_leaf() { other.clone() } else { T::of_entries(all) }
            }),
            (Op::Zip, [], Some(other)) if other.entries().len() == entries.len() => {
                let pairs = entries.iter().zip(other.entries());
                tuple(pairs.map(|(a, b)| T::of_entries(vec![a.clone(), b.clone()])).collect())
            }
            (Op::Zip, [], Some(other)) => {
                let expected = format!("a tuple of the same rank as {source}");
                Err(Error::operand(self.name(), expected, other).about(1))
            }
            _ => return None,
        })
    }
}

/// The place of an entry that is there.
fn place_of<T: Entries>(op: Op, tuple: &T, mode: i64) -> Result<usize> {
    let rank = tuple.entries().len();
    let at = usize::try_from(mode).ok().filter(|&at| at < rank);
    let layout = || tuple.to_string();
    at.ok_or_else(|| Error::Mode { operation: op.name(), layout: layout(), rank, mode })
}

/// The places of entries that are there; one at least, but of those that are grouped.
fn range_of<T: Entries>(op: Op, tuple: &T, begin: i64, end: i64) -> Result<Range<usize>> {
    let places = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    let range = places.map(|(begin, end)| begin..end);
    let may_be_empty = op == Op::Group;
    let fits = |range: &Range<usize>| {
        let is_full = if may_be_empty { range.start <= range.end } else { !range.is_empty() };
        is_full && range.end <= tuple.entries().len()
    };
    range.filter(fits).ok_or_else(|| {
        let full = if may_be_empty { "" } else { " that is not empty" };
        let expected = format!("a range of entries of {tuple}{full}");
        Error::operand(op.name(), expected, format!("{begin} .. {end}"))
    })
}

fn leaves<T: Entries>(tuple: &T) -> Vec<T> {
    match tuple.is_leaf() {
        true => vec![tuple.clone()],
        false => tuple.entries().iter().flat_map(leaves).collect(),
    }
}
