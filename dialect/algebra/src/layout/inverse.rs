//! Inverses and the null space.

use crate::layout::prelude::*;
use crate::layout::{is_known, modes::coalesced, order::arranged};

impl<L: Leaf> Layout<L> {
    /// A layout `R` that starts the contiguous range of offsets from 0: `L(R(i)) = i`. It is the longest
    /// there is, unless modes overlap: of those that continue from the same offset the first is taken, as in
    /// CuTe, and another may be longer.
    pub fn right_inverse_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        if let Some(closed) = L::closed(self) {
            return Ok(L::of_closed(closed.right_inverse()?));
        }
        let operation = "right_inverse";
        let site = Site { operation, operands: &|| self.to_string() };
        let lost = |lost| L::lost(lost, operation, self);
        let starts = with_starts(&coalesced(self)?).map_err(lost)?;
        L::few(&site, starts.len())?;
        let mut modes: Vec<(usize, Start<L>)> = starts.into_iter().enumerate().collect();
        let mut result: Modes<L> = Modes::new();
        let (mut reached, mut taken) = (L::from(1), None);
        // The first mode that continues; all before it must be known not to.
        while let Some(i) = modes.iter().position(|(_, (_, stride, _))| *stride == reached) {
            if L::OPEN {
                goes_on(facts, &site, &modes, i, taken, &reached)?;
            }
            let (place, (extent, _, start)) = modes.remove(i);
            taken = Some(place);
            reached = reached.times(&extent).map_err(lost)?;
            result.push((extent, start));
        }
        if L::OPEN {
            ends(facts, &site, &modes, &reached)?;
        }
        Layout::of_leaves(&result)?.coalesce()
    }

    /// A layout `R` with `R(L(i)) = i` for every `i` below the size of `L` whose coordinates in modes of
    /// stride 0 are 0; for the others `L(R(L(i))) = L(i)`.
    ///
    /// Where sorted strides divide each other, `R` is CuTe's. Elsewhere CuTe has none, or a wrong one;
    /// here one is searched for, within a budget.
    ///
    /// The strides of `(2,2):(2,3)`, whose offsets are 0, 2, 3 and 5, do not divide; and yet 0, 1, 1, 2, 2, 3 is a layout.
    pub fn left_inverse_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        if let Some(closed) = L::closed(self) {
            return Ok(L::of_closed(closed.left_inverse()?));
        }
        let operation = "left_inverse";
        let site = Site { operation, operands: &|| self.to_string() };
        let condition = |expected: &'static str, found: String| {
            Error::condition(operation, self, expected, found)
        };
        let lost = |lost| L::lost(lost, operation, self);
        let mut modes = Vec::new();
        let mut broadcast = L::from(1);
        for (extent, stride, start) in with_starts(&coalesced(self)?).map_err(lost)? {
            if stride.is(0) {
                broadcast = extent;
                continue;
            }
            L::require(&site, L::at_least(facts, &stride, &L::from(1)), || {
                condition("strides that are not negative", format!("{extent}:{stride}"))
            })?;
            modes.push((stride, extent, start));
        }
        L::few(&site, modes.len())?;
        if modes.is_empty() {
            return Layout::of_leaves(&[(broadcast, L::from(0))]);
        }
        let sorted = if L::OPEN { chained(facts, &site, modes)? } else { in_order(modes) };
        if L::OPEN {
            some_entries(facts, &site, &sorted, &broadcast)?;
        }
        let mut result: Modes<L> = Modes::new();
        if let Some((first, _, _)) = sorted.first() {
            result.push((first.clone(), L::from(0)));
        }
        for (i, (stride, extent, start)) in sorted.iter().enumerate() {
            let Some((next, _, _)) = sorted.get(i + 1) else {
                result.push((extent.clone(), start.clone()));
                break;
            };
            let length = match L::divide(facts, next, stride) {
                Ok(length) => length,
                Err(answer) => {
                    return searched(&sorted).ok_or_else(|| {
                        L::unmet(&site, vec![answer], || {
                            let expected = "sorted strides that each divide the next, or a small layout \
                                            with an inverse";
                            condition(expected, format!("{stride} and {next}"))
                        })
                    });
                }
            };
            if !L::OPEN && !stride.times(extent).is_ok_and(|end| end <= *next) {
                let found = format!("{extent}:{stride} reaching past stride {next}");
                return Err(condition("an injective layout", found).into());
            }
            result.push((length, start.clone()));
        }
        Layout::of_leaves(&result)?.coalesce()
    }
}

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// The coordinates that stride-0 modes run through: `L(nullspace(L)(i)) = 0`.
    pub fn nullspace_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        let site = Site { operation: "nullspace", operands: &|| self.to_string() };
        let starts = with_starts(&self.leaves());
        let mut modes: Modes<L> = Modes::new();
        for (extent, stride, start) in starts.map_err(|lost| L::lost(lost, "nullspace", self))? {
            if !extent.is(1) && is_known(facts, &site, stride.scale(), 0)? {
                modes.push((extent, start));
            }
        }
        Layout::of_leaves(&modes)
    }
}

/// Refuses modes one of which may continue from where the range ends.
fn ends<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    modes: &[(usize, Start<L>)],
    reached: &L,
) -> Result<(), L::Error> {
    let undecided = || Error::overflow(site.operation, reached);
    modes.iter().filter(|(_, (extent, _, _))| !extent.is(1)).try_for_each(|(_, (_, stride, _))| {
        L::require(site, L::distinct(facts, stride, reached), undecided)
    })
}

/// Refuses mode `i` as the next of a range where another may be it, or where at values at which two
/// modes continue each other they would be seen as one: this one and one that is left out, or another
/// and the one that was taken last.
fn goes_on<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    modes: &[(usize, Start<L>)],
    i: usize,
    taken: Option<usize>,
    reached: &L,
) -> Result<(), L::Error> {
    let end =
        reached.times(&modes[i].1.0).map_err(|lost| L::lost(lost, site.operation, reached))?;
    for before in &modes[..i] {
        // One that starts where this mode ends, or later, continues from here only where this mode has a
        // single entry. Then this mode is none, and that one comes next.
        if !L::at_least(facts, &before.1.1, &end).is_yes() {
            ends(facts, site, core::slice::from_ref(before), reached)?;
        }
    }
    for (_, (extent, stride, _)) in until_longer(facts, modes[..i].iter().rev()) {
        let later = L::at_least(facts, stride, reached);
        let end = extent.times(stride).map_err(|lost| L::lost(lost, site.operation, stride))?;
        let distinct = L::distinct(facts, &end, reached);
        if !later.is_yes() && !distinct.is_yes() {
            return Err(L::undecided(site, vec![later, distinct]));
        }
    }
    let later = modes[i + 1..].iter().filter(|(place, _)| taken.is_some_and(|t| t < *place));
    if taken.is_none_or(|taken| taken > modes[i].0) {
        for (_, (_, stride, _)) in until_longer(facts, later) {
            let distinct = L::distinct(facts, stride, reached);
            L::require(site, distinct, || Error::overflow(site.operation, reached))?;
        }
    }
    Ok(())
}

/// A mode as extent, stride, and the index at which its second entry is.
type Start<L, S = L> = (L, S, L);

/// The modes up to the first that is known to have more than one entry, which alone keeps those
/// beyond it from being next to the mode where the walk begins.
fn until_longer<'m, L: Leaf>(
    facts: &'m L::Facts,
    modes: impl Iterator<Item = &'m (usize, Start<L>)>,
) -> impl Iterator<Item = &'m (usize, Start<L>)> {
    let mut ended = false;
    modes.take_while(move |(_, (extent, _, _))| {
        let over = ended;
        ended = L::at_least(facts, extent, &L::from(2)).is_yes();
        !over
    })
}

/// The modes as extent, stride, and the index at which a mode's second entry is.
fn with_starts<L: Leaf, S: Stride<L>>(modes: &[(L, S)]) -> Result<Vec<Start<L, S>>, L::Lost> {
    let mut start = L::from(1);
    let modes = modes.iter().map(|(extent, stride)| {
        let next = start.times(extent)?;
        Ok((extent.clone(), stride.clone(), core::mem::replace(&mut start, next)))
    });
    modes.collect()
}

/// Refuses modes, as stride, extent and start, that may have a single entry, where that makes a difference. Such a
/// mode is none. It makes none where it fills all from the end of the mode before to the start of the next, unless
/// no mode is left beside what is broadcast.
fn some_entries<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    sorted: &[Start<L>],
    broadcast: &L,
) -> Result<(), L::Error> {
    let several = |extent: &L| L::at_least(facts, extent, &L::from(2));
    let require =
        |extent: &L| L::require(site, several(extent), || Error::overflow(site.operation, extent));
    let mut ended = L::from(1);
    for (i, (stride, extent, _)) in sorted.iter().enumerate() {
        let end = stride.times(extent).map_err(|lost| L::lost(lost, site.operation, stride))?;
        if *stride != ended || sorted.get(i + 1).is_some_and(|(next, _, _)| *next != end) {
            require(extent)?;
        }
        ended = end;
    }
    match sorted.first() {
        Some((_, extent, _))
            if !broadcast.is(1)
                && !sorted.iter().any(|(_, extent, _)| several(extent).is_yes()) =>
        {
            require(extent)
        }
        _ => Ok(()),
    }
}

/// Modes as stride, extent and start in the order of their strides.
fn in_order<L: Leaf>(mut modes: Vec<Start<L>>) -> Vec<Start<L>> {
    modes.sort_unstable();
    modes
}

/// Modes as stride, extent and start in an order in which each ends no later than any that follows
/// starts, on a divisor of that one's stride.
fn chained<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    modes: Vec<Start<L>>,
) -> Result<Vec<Start<L>>, L::Error> {
    let sorted = arranged::<L, _>(modes, |(stride, extent, _), (other, _, _)| {
        let end = stride.times(extent).map_err(|lost| L::lost(lost, site.operation, stride))?;
        let divides = L::divide(facts, other, stride).err();
        Ok(divides.or_else(|| Some(L::at_least(facts, other, &end))))
    })?;
    sorted.map_err(|unmet| L::undecided(site, L::most_helpful(unmet)))
}

/// Points that the search for a left inverse may examine.
const SEARCH_LIMIT: usize = 2_000_000;

/// A left inverse by trying radices, where all is known: the modes are `(stride, extent, start)`, and a
/// point is what the inverse must map where.
fn searched<L: Leaf>(modes: &[Start<L>]) -> Option<Layout<L>> {
    if L::OPEN {
        return None;
    }
    let known = modes.iter().map(|(stride, extent, start)| {
        Some((stride.constant()?, extent.constant()?, start.constant()?))
    });
    search(&known.collect::<Option<Vec<_>>>()?).map(L::of_closed)
}

fn search(modes: &[(i64, i64, i64)]) -> Option<Layout> {
    const POINTS: i64 = 1 << 12;
    let count = modes.iter().try_fold(1_i64, |count, mode| count.checked_mul(mode.1))?;
    let cosize = modes.iter().try_fold(1_i64, |sum, &(stride, extent, _)| {
        sum.checked_add(stride.checked_mul(extent - 1)?)
    })?;
    if count > POINTS || cosize > POINTS {
        return None;
    }
    let mut points = vec![(0, 0)];
    for &(stride, extent, start) in modes {
        points = (0..extent)
            .flat_map(|digit| {
                points.iter().map(move |&(x, y)| (x + digit * stride, y + digit * start))
            })
            .collect();
    }
    points.sort_unstable();
    if points.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let mut budget = SEARCH_LIMIT;
    let mut result = Vec::new();
    through(&points, &mut result, &mut budget)
        .then(|| Layout::of_leaves(&result).and_then(|layout| layout.coalesce()).ok())
        .flatten()
}

/// Modes of a layout through points `(index, offset)`, which are sorted and begin with `(0, 0)`:
/// one mode through all, or the extent and stride of a first mode and, recursively, the modes
/// through the quotients.
fn through(points: &[(i64, i64)], result: &mut Vec<(i64, i64)>, budget: &mut usize) -> bool {
    let Some(&(greatest, _)) = points.last() else { return false };
    let Some(&(x, y)) = points.get(1) else {
        result.push((greatest + 1, 0));
        return true;
    };
    if y % x == 0 && points.iter().all(|&(index, offset)| index * (y / x) == offset) {
        result.push((greatest + 1, y / x));
        return true;
    }
    for extent in 2..=greatest {
        // Two points in one quotient determine the stride.
        let distinguished =
            points.windows(2).position(|pair| pair[0].0 / extent == pair[1].0 / extent);
        let seen = distinguished.unwrap_or(points.len()) + 1;
        let Some(left) = budget.checked_sub(seen) else { return false };
        *budget = left;
        let strides = match distinguished {
            Some(at) => {
                let (a, b) = (points[at], points[at + 1]);
                let (dx, dy) = (b.0 - a.0, b.1 - a.1);
                if dy % dx != 0 {
                    continue;
                }
                Strides::One(dy / dx)
            }
            None if points.iter().all(|&(index, _)| index % extent == 0) => Strides::One(0),
            None => Strides::UpTo(points.iter().map(|point| point.1.abs()).max().unwrap_or(0)),
        };
        for stride in strides.iter() {
            let Some(left) = budget.checked_sub(points.len()) else { return false };
            *budget = left;
            let mut above: Vec<(i64, i64)> = points
                .iter()
                .map(|&(index, offset)| (index / extent, offset - index % extent * stride))
                .collect();
            above.dedup();
            if above.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                continue;
            }
            let kept = result.len();
            result.push((extent, stride));
            if through(&above, result, budget) {
                return true;
            }
            result.truncate(kept);
        }
    }
    false
}

/// The strides that a first mode may have.
enum Strides {
    One(i64),
    /// All of at most this magnitude.
    UpTo(i64),
}

impl Strides {
    /// Small ones first, one by one: there may be more than the budget lets try.
    fn iter(&self) -> impl Iterator<Item = i64> {
        let (first, most) = match *self {
            Self::One(stride) => (stride, 0),
            Self::UpTo(most) => (0, most),
        };
        core::iter::once(first).chain((1..=most).flat_map(|stride| [-stride, stride]))
    }
}

closed! { Layout {
    right_inverse = right_inverse_under() -> Layout;
    left_inverse = left_inverse_under() -> Layout;
    nullspace = nullspace_under() -> Layout;
} }
