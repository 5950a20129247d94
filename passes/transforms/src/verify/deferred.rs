//! Stores of a tile that the next iteration of its loop issues, or the iteration itself if it is the last: together
//! they are one store for each iteration.
//!
//! ```text
//! for each tile:
//!     for each k:   if k = 1 and there was a tile before: store that tile      (later)
//!     if no tile follows: store the tile                                       (last)
//! ```

use super::trace::{Condition, Copy, Trace};
use layout_relation::IndexForm;
use std::borrow::Cow;

/// Points of the loop and of blocks that are examined, at most.
const POINTS: i64 = 1 << 20;

/// The ids of blocks.
const BLOCKS: std::ops::Range<u32> = 3..6;

/// The copies, with each pair that is one store of a round in place of both.
pub(super) fn merged<'t>(copies: Vec<(&'t Trace, &'t Copy)>) -> Vec<(&'t Trace, Cow<'t, Copy>)> {
    let mut left = copies;
    let mut found = Vec::new();
    while let Some((trace, later)) = left.first().copied() {
        left.remove(0);
        let pair = left.iter().enumerate().find_map(|(at, &(other, last))| {
            let may_be_one = std::ptr::eq(trace, other) && is_alike(later, last);
            if may_be_one { Some((at, merge(trace, later, last)?)) } else { None }
        });
        match pair {
            Some((at, whole)) => {
                left.remove(at);
                found.push((trace, Cow::Owned(whole)));
            }
            None => found.push((trace, Cow::Borrowed(later))),
        }
    }
    found
}

/// Whether two copies differ in their places and conditions alone.
fn is_alike(one: &Copy, other: &Copy) -> bool {
    let (Some(a), Some(b)) = (&one.target, &other.target) else { return false };
    let places = one.predicates.iter().zip(&other.predicates);
    one.kind == other.kind
        && one.kind.is_bulk_store()
        && (one.run, one.threads) == (other.run, other.threads)
        && (&a.root, &a.layout, a.bytes) == (&b.root, &b.layout, b.bytes)
        && (a.outer.is_nothing() && b.outer.is_nothing())
        && one.predicates.len() == other.predicates.len()
        && places.into_iter().all(|((a, limit), (b, other))| {
            (&a.layout, limit) == (&b.layout, other) && a.outer.is_nothing() && b.outer.is_nothing()
        })
}

/// One store of each round, where `later` stores in the next round what `last` stores where no other follows.
fn merge(trace: &Trace, later: &Copy, last: &Copy) -> Option<Copy> {
    let (&step, loops) = later.loops.split_last()?;
    let &round = last.loops.last().filter(|_| last.loops == loops)?;
    let extent = |symbol: u32| trace.extent(symbol);
    let blocks: Vec<(u32, i64)> =
        BLOCKS.map(|symbol| Some((symbol, extent(symbol)?))).collect::<Option<_>>()?;
    let (rounds, steps) = (extent(round)?, extent(step)?);
    let points = blocks.iter().try_fold(rounds, |all, &(_, extent)| all.checked_mul(extent))?;
    if points.checked_mul(steps)? > POINTS {
        return None;
    }
    let of_round = |symbol: &u32| *symbol == round || BLOCKS.contains(symbol);
    // A form is what rounds add and what else does.
    let is_separable = |form: &IndexForm| {
        form.linked().iter().all(|group| group.iter().all(of_round) || !group.iter().any(of_round))
    };
    let places = |copy: &'_ Copy| -> Option<Vec<IndexForm>> {
        let target = copy.target.as_ref()?.base.clone();
        let predicates = copy.predicates.iter().map(|(view, _)| view.base.clone());
        Some(std::iter::once(target).chain(predicates).collect())
    };
    let (of_later, of_last) = (places(later)?, places(last)?);
    for (a, b) in of_later.iter().zip(&of_last) {
        let rest = a.minus(b)?;
        if !(is_separable(a) && is_separable(b) && rest.symbols().iter().all(of_round)) {
            return None;
        }
    }
    let is_in = |all: &[Condition], one: &Condition| all.contains(one);
    let (common, own): (Vec<_>, Vec<_>) =
        last.around.iter().cloned().partition(|one| is_in(&later.around, one));
    let others: Vec<_> = later.around.iter().filter(|one| !is_in(&common, one)).cloned().collect();
    let of_own = own.iter().all(|(form, _)| form.symbols().iter().all(of_round));
    let of_others = others
        .iter()
        .all(|(form, _)| form.symbols().iter().all(|symbol| of_round(symbol) || *symbol == step));
    let executed: Vec<_> =
        common.iter().filter(|(form, _)| form.symbols().iter().any(of_round)).cloned().collect();
    let of_executed = executed.iter().all(|(form, _)| form.symbols().iter().all(of_round));
    if !(of_own && of_others && of_executed) {
        return None;
    }
    for block in 0..points / rounds.max(1) {
        let mut ids = Vec::with_capacity(blocks.len());
        let mut left = block;
        for &(symbol, extent) in &blocks {
            ids.push((symbol, left % extent.max(1)));
            left /= extent.max(1);
        }
        let at = |form: &IndexForm, number: i64, k: i64| {
            form.at(&|symbol| match symbol {
                own if own == round => number,
                own if own == step => k,
                own => ids.iter().find(|(id, _)| *id == own).map_or(0, |&(_, value)| value),
            })
        };
        let hold = |all: &[Condition], number: i64, k: i64| -> Option<bool> {
            let mut holds = true;
            for (form, limit) in all {
                holds &= at(form, number, k)? < *limit;
            }
            Some(holds)
        };
        // How often a round stores what was before it.
        let stores = |number: i64| -> Option<i64> {
            if number >= rounds || !hold(&executed, number, 0)? {
                return Some(0);
            }
            let mut count = 0;
            for k in 0..steps {
                count += i64::from(hold(&others, number, k)?);
            }
            Some(count)
        };
        if stores(0)? != 0 {
            return None;
        }
        for number in 0..rounds {
            let once = i64::from(hold(&own, number, 0)?) + stores(number + 1)?;
            match hold(&executed, number, 0)? {
                false if stores(number + 1)? == 0 => continue,
                true if once == 1 => {}
                _ => return None,
            }
            if stores(number + 1)? == 1 {
                for (a, b) in of_later.iter().zip(&of_last) {
                    if at(a, number + 1, 0)? != at(b, number, 0)? {
                        return None;
                    }
                }
            }
        }
    }
    Some(Copy { around: common, ..last.clone() })
}
