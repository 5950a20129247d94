//! Layouts with ordered modes: by given numbers, or by strides, whose order facts must decide.

use crate::layout::prelude::*;
use crate::{
    layout::{
        is_known,
        modal::{Part, joined},
    },
    shape::{compact, corresponds},
};
use core::{cmp::Ordering, iter};

impl<L: Leaf> Nested<L> {
    /// The compact layout of a shape whose modes run in the order given: the smallest number runs
    /// fastest. A number in place of a tuple is that of all its leaves, which then run from left to right.
    /// Extents of 1 have stride 0.
    pub fn make_ordered_layout_under(
        &self,
        facts: &L::Facts,
        order: &Tuple,
    ) -> Result<Layout<L>, L::Error> {
        let by_order = in_order(self, order)?;
        Layout::under(facts, self.clone(), compact("make_ordered_layout", self, &by_order)?)
    }
}

/// The leaves of a shape in an order: the one with the smallest number first.
pub(crate) fn in_order<T: fmt::Display>(shape: &Nested<T>, order: &Tuple) -> Result<Vec<usize>> {
    let (mut keys, leaves) = (order.leaves(), shape.leaf_count());
    if keys.len() != leaves {
        keys.clear();
        let fits = corresponds(order, shape, &mut |key, part| {
            keys.extend(iter::repeat_n(*key, part.leaf_count()));
        });
        if !fits {
            let expected = format!("an order with {leaves} entries for {shape}");
            return Err(Error::operand("make_ordered_layout", expected, order));
        }
    }
    let mut by_order: Vec<usize> = (0..leaves).collect();
    by_order.sort_by_key(|&i| (keys[i], i));
    Ok(by_order)
}

impl<L: Leaf> Layout<L> {
    /// A compact layout of the same shape whose modes run in the order of the strides, negative ones first as in CuTe; modes
    /// of stride 0 keep it.
    pub fn make_layout_like_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        let site = Site { operation: "make_layout_like", operands: &|| self.to_string() };
        let mut modes = Vec::new();
        for (place, (extent, stride)) in self.leaves().iter().enumerate() {
            // A mode of one entry has stride 0 wherever it is.
            if extent.is(1) || is_known(facts, &site, stride, 0)? {
                continue;
            }
            modes.push((place, stride.clone()));
        }
        let order = ordered::<L, _>(&site, modes, |(i, a), (j, b)| later(facts, a, b, i < j))?;
        let order: Vec<usize> = order.into_iter().map(|(place, _)| place).collect();
        let stride = compact("make_layout_like", self.shape(), &order)?;
        Ok(self.restrided((), stride))
    }

    /// The modes at the top ordered by stride, then by extent; nested modes by their least stride.
    ///
    /// The offsets stay the same, their order does not.
    pub fn sort_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        if self.is_leaf() || self.rank() == 0 {
            return Ok(self.clone());
        }
        let site = Site { operation: "sort", operands: &|| self.to_string() };
        let mut modes = Vec::new();
        for (place, part) in Part::of(self).modes().enumerate() {
            let strides = part.stride().values().into_iter().cloned().enumerate().collect();
            let strides =
                ordered::<L, _>(&site, strides, |(_, a), (_, b)| later(facts, a, b, true))?;
            let least = strides.into_iter().next().map_or_else(|| L::from(0), |(_, least)| least);
            modes.push((place, least, part.shape().product()?, part.to_layout()));
        }
        let modes = ordered::<L, _>(&site, modes, |(i, a, small, _), (j, b, large, _)| {
            let strictly = later(facts, a, b, false)?;
            let sizes = later(facts, small, large, i < j)?;
            let equal_or_less = strictly.is_yes() || later(facts, a, b, true)?.is_yes();
            Ok(if equal_or_less && sizes.is_yes() { sizes } else { strictly })
        })?;
        joined(modes.into_iter().map(|(_, _, _, mode)| mode).collect())
    }
}

/// Whether `a` may come before `b`: it is less, or no greater where that is enough.
fn later<L: Leaf>(facts: &L::Facts, a: &L, b: &L, or_equal: bool) -> Result<L::Answer, L::Error> {
    if or_equal {
        return Ok(L::at_least(facts, b, a));
    }
    match a.plus(&L::from(1)) {
        Ok(least) => Ok(L::at_least(facts, b, &least)),
        // Nothing is greater than the greatest.
        Err(_) if !L::OPEN => Ok(L::distinct(facts, a, a)),
        Err(lost) => Err(L::lost(lost, "sort", a)),
    }
}

/// Entries in an order in which each is known to come before all that follow.
fn ordered<L: Leaf, T>(
    site: &Site<'_>,
    mut entries: Vec<T>,
    before: impl Fn(&T, &T) -> Result<L::Answer, L::Error>,
) -> Result<Vec<T>, L::Error> {
    if !L::OPEN {
        // Every comparison of integers is decided.
        let before = |a: &T, b: &T| before(a, b).is_ok_and(|answer| answer.is_yes());
        entries.sort_by(|a, b| match (before(a, b), before(b, a)) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => Ordering::Equal,
        });
        return Ok(entries);
    }
    L::few(site, entries.len())?;
    arranged::<L, _>(entries, |a, b| before(a, b).map(Some))?.map_err(|unmet| match unmet.len() {
        ..=2 => L::undecided(site, unmet),
        _ => L::undecided(site, L::most_helpful(unmet)),
    })
}

/// Entries in an order, or the answers that leave it open.
type Arranged<T, A> = Result<Vec<T>, Vec<A>>;

/// Entries in an order in which each is known to come before all that follow; where none of some is, the first answer
/// of each that is not yes. No answer is no, too.
pub(crate) fn arranged<L: Leaf, T>(
    mut entries: Vec<T>,
    before: impl Fn(&T, &T) -> Result<Option<L::Answer>, L::Error>,
) -> Result<Arranged<T, L::Answer>, L::Error> {
    let mut sorted = Vec::with_capacity(entries.len());
    while !entries.is_empty() {
        let (mut unmet, mut first) = (Vec::new(), None);
        'entries: for (i, entry) in entries.iter().enumerate() {
            for (_, other) in entries.iter().enumerate().filter(|(j, _)| *j != i) {
                let answer = before(entry, other)?;
                if !answer.as_ref().is_some_and(Verdict::is_yes) {
                    unmet.extend(answer);
                    continue 'entries;
                }
            }
            first = Some(i);
            break;
        }
        match first {
            Some(first) => sorted.push(entries.remove(first)),
            None => return Ok(Err(unmet)),
        }
    }
    Ok(Ok(sorted))
}

closed! { Tuple {
    make_ordered_layout = make_ordered_layout_under(order: &Tuple) -> Layout;
} }

closed! { Layout {
    make_layout_like = make_layout_like_under() -> Layout;
    sort = sort_under() -> Layout;
} }
