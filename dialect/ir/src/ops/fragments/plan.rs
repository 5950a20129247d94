//! The plan of a reduction of a tile that threads hold: what each thread combines, which lanes exchange, and what goes
//! through shared memory.
//!
//! A thread-value layout says which element of the tile is value `v` of thread `t`. The reduced modes split its elements:
//! those that agree in the other modes are combined. Each digit of the thread's number then either leaves the kept modes as
//! they are, so that threads that differ in it hold parts of the same results, or does not. The plan is read off that, digit
//! by digit, and is then checked element by element: threads that exchange hold each element of a result exactly once.

use super::{MAX_ELEMENTS, broadcast::product};
use crate::ops::prelude::*;
use std::collections::{HashMap, HashSet};

/// The most pairs of a thread and a value that are enumerated.
const MAX_ENUMERATED: i64 = 1 << 20;

/// Lanes of a warp.
pub(super) const WARP: i64 = 32;

/// The thread-value layout of a tile: which thread has which element at which value.
#[derive(Clone, Debug)]
pub(super) struct ThreadValues {
    /// The extents of the thread's number, the fastest first.
    digits: Vec<i64>,
    pub(super) threads: i64,
    pub(super) values: i64,
    /// From (thread, value) to a part of a coordinate each, and the number of the tile's mode that it is in.
    parts: Vec<(usize, Layout)>,
    /// The extents of an index into the tile, and the modes that they are in, where the parts are one index.
    tile: Option<Vec<(usize, i64)>>,
    /// How many modes the tile has.
    pub(super) rank: usize,
}

impl ThreadValues {
    /// The holders by a thread-value coordinate layout, or into the indices of a tile.
    pub(super) fn of(threads: &Value, tile: Option<&Tuple>) -> Result<Self, Violation> {
        let (parts, rank) = match (threads, tile) {
            (Value::Layout(layout), _) => (vec![(0, layout.clone())], 1),
            (Value::Basis(layout), None) => {
                let rank = match layout.zero() {
                    Tuple::Node(modes) => modes.len(),
                    Tuple::Leaf(_) => 1,
                };
                let part =
                    |(path, part): (Vec<usize>, Layout)| (path.first().copied().unwrap_or(0), part);
                (layout.components().into_iter().map(part).collect(), rank)
            }
            (Value::Basis(_), Some(tile)) => {
                let expected = "no tile, since the thread-value layout gives coordinates";
                return Err(Violation::new(Code::ReduceThreads, expected, tile));
            }
            (other, _) => {
                let expected = "a layout from (thread, value) to an element of a tile";
                return Err(Violation::new(Code::ReduceThreads, expected, other));
            }
        };
        let modes = parts.first().map(|(_, layout)| layout.modes()).unwrap_or_default();
        let [by_thread, by_value] = modes.as_slice() else {
            let expected = "a thread-value layout of rank 2";
            return Err(Violation::new(Code::ReduceThreads, expected, threads));
        };
        let (count, values) = (by_thread.size(), by_value.size());
        if count.checked_mul(values).is_none_or(|held| held > MAX_ENUMERATED) {
            let expected = format!("at most {MAX_ENUMERATED} threads times values");
            let found = format!("{count} times {values}");
            return Err(Violation::new(Code::ReduceThreads, expected, found));
        }
        let digits = by_thread.flat().iter().map(|&(extent, _)| extent).collect();
        let (tile, rank) = match tile {
            None => (None, rank),
            Some(shape) => {
                let (extents, rank) = extents_of(shape);
                (Some(extents), rank)
            }
        };
        Ok(Self { digits, threads: count, values, parts, tile, rank })
    }

    /// One thread, which holds a tile of a shape, in the order of its indices.
    pub(super) fn alone(shape: &[i64]) -> Result<Self, Violation> {
        let values = product(shape).filter(|&values| values <= MAX_ELEMENTS);
        let Some(values) = values else {
            let expected = format!("at most {MAX_ELEMENTS} elements to expand");
            return Err(Violation::new(Code::ReduceModes, expected, super::map::text(shape)));
        };
        let index = Layout::from_shape(Tuple::Leaf(values))?;
        let tile = shape.iter().copied().enumerate().collect();
        let (digits, rank) = (Vec::new(), shape.len());
        let parts = vec![(0, index)];
        Ok(Self { digits, threads: 1, values, parts, tile: Some(tile), rank })
    }

    /// The numbers of the kept coordinates, and of the whole ones, of each value of each thread.
    fn held(&self, along: &[i64]) -> Result<ThreadElements, Violation> {
        let is_reduced = |mode: usize| along.contains(&(mode as i64));
        let mut extents = Vec::new();
        for (mode, part) in &self.parts {
            match &self.tile {
                Some(tile) => extents.extend(tile.iter().copied()),
                None => extents.push((*mode, part.cosize()?)),
            }
        }
        let all: Vec<i64> = extents.iter().map(|&(_, extent)| extent).collect();
        let size = product(&all).ok_or_else(|| {
            let expected = "a tile of fewer than 2^63 elements";
            Violation::new(Code::ReduceThreads, expected, super::map::text(&all))
        })?;
        let mut held = ThreadElements::default();
        for index in 0..self.threads * self.values {
            let mut coordinate = Vec::with_capacity(extents.len());
            for (_, part) in &self.parts {
                let mut rest = part.at(index)?;
                match &self.tile {
                    None => coordinate.push(rest),
                    Some(_) if rest >= size => {
                        let expected = format!("elements of a tile of {size}");
                        return Err(Violation::new(Code::ReduceThreads, expected, rest));
                    }
                    Some(tile) => coordinate.extend(tile.iter().map(|&(_, extent)| {
                        let digit = rest.rem_euclid(extent.max(1));
                        rest = rest.div_euclid(extent.max(1));
                        digit
                    })),
                }
                if rest < 0 {
                    let expected = "elements from 0 on";
                    return Err(Violation::new(Code::ReduceThreads, expected, rest));
                }
            }
            let (mut kept, mut whole, mut place) = (0, 0, 1);
            for (&(mode, extent), digit) in extents.iter().zip(coordinate) {
                whole += digit * place;
                kept += if is_reduced(mode) { 0 } else { digit * place };
                place *= extent;
            }
            held.kept.push(kept);
            held.whole.push(whole);
        }
        Ok(held)
    }
}

/// The extents of a shape's leaves with the modes at the top that they are in, and how many of these there are.
fn extents_of(shape: &Tuple) -> (Vec<(usize, i64)>, usize) {
    match shape {
        Tuple::Leaf(extent) => (vec![(0, *extent)], 1),
        Tuple::Node(modes) => {
            let leaves = modes.iter().enumerate();
            let leaves = leaves
                .flat_map(|(mode, of)| of.leaves().into_iter().map(move |extent| (mode, extent)));
            (leaves.collect(), modes.len())
        }
    }
}

/// An interned value, with its text.
#[derive(Default)]
struct ThreadElements {
    kept: Vec<i64>,
    whole: Vec<i64>,
}

/// The use of a digit of the thread's number in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DigitKind {
    /// Lanes that have combined what they have: each has the result.
    Lane,
    /// Threads that hold parts of the same results, and exchange these.
    Partial,
    /// Threads that have nothing to do with each other.
    Independent,
}

/// How a reduction is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// For each result of a thread, the values that it combines, each element once.
    pub(super) groups: Vec<Vec<i64>>,
    /// The result of each value.
    pub(super) group_of: Vec<usize>,
    /// The bits of the lane by which lanes hold parts of the same results.
    pub(super) lanes: Vec<u32>,
    /// The digits of the thread's number, the fastest first, where shared memory is needed.
    pub(super) exchange: Option<Vec<(i64, DigitKind)>>,
}

impl Plan {
    /// How the modes `along` of what is held are reduced. `whole_warps`: whether lanes may exchange.
    pub(super) fn of(
        holders: &ThreadValues,
        along: &[i64],
        whole_warps: bool,
    ) -> Result<Self, Violation> {
        let held = holders.held(along)?;
        let threads = holders.threads;
        let at = |thread: i64, value: i64| (thread + threads * value) as usize;
        // The results of a thread, and its duplicate values; the same set in every thread.
        let alike = |numbers: &[i64], thread: i64| {
            let mut seen = HashMap::new();
            let first = |value: i64| *seen.entry(numbers[at(thread, value)]).or_insert(value);
            (0..holders.values).map(first).collect::<Vec<i64>>()
        };
        let (results, elements) = (alike(&held.kept, 0), alike(&held.whole, 0));
        for thread in 1..threads {
            if alike(&held.kept, thread) != results || alike(&held.whole, thread) != elements {
                let expected = "a thread-value layout in which all threads combine the same values";
                let found = format!("other values in thread {thread} than in thread 0");
                return Err(Violation::new(Code::ReduceThreads, expected, found));
            }
        }
        let mut groups: Vec<Vec<i64>> = Vec::new();
        let mut number = HashMap::new();
        let mut group_of = Vec::new();
        for value in 0..holders.values {
            let place = value as usize;
            let group = *number.entry(results[place]).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            group_of.push(group);
            if elements[place] == value {
                groups[group].push(value);
            }
        }
        let digit_kinds = digit_kinds(holders, &held);
        let aligned = threads % WARP == 0 || threads < WARP && threads.count_ones() == 1;
        let mut lanes = Vec::new();
        let (mut digits, mut place) = (Vec::new(), 1);
        let mut exchanges = false;
        for (extent, kind) in digit_kinds {
            // Lanes exchange with those whose number differs in one bit.
            let is_bit = extent == 2 && place < WARP && place.count_ones() == 1;
            let is_lane = is_bit && aligned && whole_warps;
            let kind = match kind {
                DigitKind::Partial if is_lane => {
                    lanes.push(place.trailing_zeros());
                    DigitKind::Lane
                }
                kind => kind,
            };
            exchanges |= kind == DigitKind::Partial;
            place *= extent;
            match digits.last_mut() {
                Some((own, last)) if *last == kind => *own *= extent,
                _ => digits.push((extent, kind)),
            }
        }
        let plan = Self { groups, group_of, lanes, exchange: exchanges.then_some(digits) };
        plan.check(holders, &held)?;
        Ok(plan)
    }

    /// Whether what is combined in the end is each element of a result, once: of threads that exchange, all values.
    fn check(&self, holders: &ThreadValues, held: &ThreadElements) -> Result<(), Violation> {
        let threads = holders.threads;
        let at = |thread: i64, value: i64| (thread + threads * value) as usize;
        let mut all: HashMap<i64, HashSet<i64>> = HashMap::new();
        for (kept, whole) in held.kept.iter().zip(&held.whole) {
            all.entry(*kept).or_default().insert(*whole);
        }
        // Threads that exchange differ in these digits only: the first of each set stands for it.
        let mut place = 1;
        let mut moving = Vec::new();
        for (extent, kind) in digit_kinds(holders, held) {
            if kind == DigitKind::Partial {
                moving.push((place, extent));
            }
            place *= extent;
        }
        let is_first =
            |thread: i64| moving.iter().all(|(place, extent)| thread / place % extent == 0);
        for first in (0..threads).filter(|&thread| is_first(thread)) {
            let mut set = vec![first];
            for &(place, extent) in &moving {
                let more = (0..extent).flat_map(|digit| set.iter().map(move |t| t + digit * place));
                set = more.collect();
            }
            for group in &self.groups {
                let Some(&value) = group.first() else { continue };
                let required = &all[&held.kept[at(first, value)]];
                let mut seen = HashSet::new();
                for &thread in &set {
                    for &value in group {
                        let element = held.whole[at(thread, value)];
                        if !seen.insert(element) {
                            let expected = "threads that hold each element once, or by digits of their number \
                                            that move no other element";
                            let found =
                                format!("element {element} a second time in thread {thread}");
                            return Err(Violation::new(Code::ReduceThreads, expected, found));
                        }
                    }
                }
                if let Some(lost) = required.iter().filter(|&element| !seen.contains(element)).min()
                {
                    let expected = "threads that hold parts of a result and differ in digits of their number only";
                    let found =
                        format!("element {lost}, which no such digit leads to from thread {first}");
                    return Err(Violation::new(Code::ReduceThreads, expected, found));
                }
            }
        }
        Ok(())
    }
}

/// The digits of the thread's number, taken apart to bits as far as they go, the fastest first: `Parts` where they lead to
/// other elements of the same results, else `Apart`.
fn digit_kinds(holders: &ThreadValues, held: &ThreadElements) -> Vec<(i64, DigitKind)> {
    let mut digits = Vec::new();
    for &extent in &holders.digits {
        let bits = extent.trailing_zeros();
        digits.extend((0..bits).map(|_| 2));
        digits.push(extent >> bits);
    }
    let (threads, mut place) = (holders.threads, 1);
    let at = |thread: i64, value: i64| (thread + threads * value) as usize;
    digits.retain(|&extent| extent > 1);
    let kind = |extent: i64| {
        let own = place;
        place *= extent;
        let first = (0..threads).filter(|thread| thread / own % extent == 0);
        let (mut same, mut moves) = (true, false);
        for thread in first {
            for digit in 1..extent {
                for value in 0..holders.values {
                    let (a, b) = (at(thread, value), at(thread + digit * own, value));
                    same &= held.kept[a] == held.kept[b];
                    moves |= held.whole[a] != held.whole[b];
                }
            }
        }
        (extent, if same && moves { DigitKind::Partial } else { DigitKind::Independent })
    };
    digits.into_iter().map(kind).collect()
}

#[cfg(test)]
#[path = "../../../tests/units/ops/fragments/plan.rs"]
mod tests;
