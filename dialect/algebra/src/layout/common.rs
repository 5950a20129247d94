//! Queries about vectorised copies: how many elements are contiguous in both layouts, and how far a layout is aligned.
//!
//! For integers, elements are compared one by one where no composition decides. For expressions, facts must decide for
//! each mode whether the run of contiguous elements continues.

use crate::layout::prelude::*;
use crate::{
    integer::Answer,
    layout::{evaluate::ENUMERATION_LIMIT, modes::coalesced},
    shape::gcd,
};

impl<L: Common> Layout<L> {
    /// How many elements, from offset 0 on, are contiguous in both layouts at the same coordinates: the
    /// widest vector that a copy between them may move at once. The coordinates are those of
    /// [`Layout::right_inverse`](crate::Layout::right_inverse) of `b`.
    pub fn max_common_vector_under(&self, facts: &L::Facts, b: &Self) -> Result<L, L::Error> {
        L::max_common_vector(facts, self, b)
    }

    /// The coordinates of the elements that [`Layout::max_common_vector_under`] counts, as a layout; where no layout
    /// has them all, the longest part from the first on that whole modes of the inverse have.
    pub fn max_common_layout_under(&self, facts: &L::Facts, b: &Self) -> Result<Self, L::Error> {
        let extent = self.max_common_vector_under(facts, b)?;
        if extent.is(1) {
            return Ok(Self::one());
        }
        let inverse = b.right_inverse_under(facts)?;
        let first = |extent: L| {
            let row = Self::under(facts, Nested::Leaf(extent), Nested::Leaf(L::from(1)))?;
            inverse.composition_under(facts, &row)
        };
        match first(extent.clone()) {
            Err(error) if L::is_no_layout(&error) => {}
            result => return result,
        }
        let mut whole = L::from(1);
        for (length, _) in inverse.leaves() {
            match whole.times(&length) {
                Ok(longer) if L::at_least(facts, &extent, &longer).is_yes() => whole = longer,
                _ => break,
            }
        }
        let count = L::floor_div(facts, &extent, &whole).and_then(|count| count.times(&whole));
        first(count.map_err(|lost| L::lost(lost, "max_common_layout", self))?)
    }
}

impl<L: Leaf> Layout<L> {
    /// How many elements an aligned vector may have: the greatest `n` that divides the elements that lie in a
    /// row from offset 0 on, and each stride of the modes that are not in the row. Blocks of `n` elements then
    /// start at multiples of `n` and are reached whole.
    pub fn max_alignment_under(&self, facts: &L::Facts) -> Result<L, L::Error> {
        if let Some(closed) = L::closed(self) {
            return closed.max_alignment().map(L::from).map_err(Into::into);
        }
        let site = Site { operation: "max_alignment", operands: &|| self.to_string() };
        let row = self.right_inverse_under(facts)?;
        let length = row.total().map_err(|lost| L::lost(lost, site.operation, self))?;
        if length.is(1) {
            return Ok(length);
        }
        let divided = self.coalesce()?.logical_divide_under(facts, &TilerOf::Layout(row))?;
        let rest = divided.get(&[1])?.coalesce()?.flat();
        rest.iter().try_fold(length, |aligned, mode| alignment_under(facts, &site, aligned, mode))
    }
}

/// How far blocks stay aligned that a mode moves: a mode of one entry moves nothing, and stride 0 neither.
pub(crate) fn alignment_under<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    aligned: L,
    (extent, stride): &(L, L),
) -> Result<L, L::Error> {
    let keeps = match L::divide(facts, stride, &aligned) {
        Ok(_) => return Ok(aligned),
        Err(answer) => answer,
    };
    let moves = L::at_least(facts, extent, &L::from(2));
    if !moves.is_yes() {
        return Err(L::undecided(site, vec![keeps, moves]));
    }
    if let (Some(stride), Some(aligned)) = (stride.constant(), aligned.constant()) {
        return Ok(L::from(gcd(stride, aligned)));
    }
    let ahead = L::at_least(facts, stride, &L::from(1));
    match L::divide(facts, &aligned, stride) {
        Ok(_) if ahead.is_yes() => Ok(stride.clone()),
        Ok(_) => Err(L::undecided(site, vec![ahead])),
        Err(answer) => Err(L::undecided(site, vec![keeps, answer])),
    }
}

closed! { Layout {
    max_alignment = max_alignment_under() -> i64;
    max_common_vector = max_common_vector_under(b: &Layout) -> i64;
    max_common_layout = max_common_layout_under(b: &Layout) -> Layout;
} }

/// How the elements in a row are counted.
pub trait Common: Leaf {
    /// [`Layout::max_common_vector_under`].
    fn max_common_vector(
        facts: &Self::Facts,
        a: &Layout<Self>,
        b: &Layout<Self>,
    ) -> Result<Self, Self::Error>;

    /// The lesser of two counts.
    fn lesser(facts: &Self::Facts, a: &Self, b: &Self) -> Result<Self, Self::Lost>;
}

impl Common for i64 {
    fn max_common_vector((): &(), a: &Layout, b: &Layout) -> Result<i64> {
        let inverse = b.right_inverse()?;
        let at = |index| inverse.at(index);
        let known = in_a_row(a, &inverse)?;
        // The unknown ones are tried, element by element.
        let end = inverse.size().min(known.saturating_add(ENUMERATION_LIMIT));
        for element in known..end {
            let index = at(element)?;
            if index >= a.size() || a.at(index)? != element {
                return Ok(element);
            }
        }
        if end < inverse.size() {
            return Err(Error::limit("elements to evaluate", ENUMERATION_LIMIT, inverse.size()));
        }
        Ok(end)
    }

    fn lesser((): &(), a: &i64, b: &i64) -> Result<i64, Self::Lost> {
        Ok(*a.min(b))
    }
}

impl Common for Expr {
    fn max_common_vector(
        facts: &Facts,
        a: &Layout<Expr>,
        b: &Layout<Expr>,
    ) -> integer::Result<Expr> {
        if let (Some(closed), Some(b)) = (a.to_static(), b.to_static()) {
            return Ok(Expr::from(closed.max_common_vector(&b)?));
        }
        let site = Site { operation: "max_common_vector", operands: &|| format!("{a}, {b}") };
        let (size, one) = (a.size()?, Expr::from(1));
        // The elements that are in a row so far, the modes of the inverse that have their indices, and the
        // end of these.
        let (mut count, mut part, mut end) = (one.clone(), Vec::new(), one.clone());
        let mut modes = b.right_inverse_under(facts)?.flat();
        modes.retain(|(extent, _)| !extent.is(1));
        let last = modes.len().saturating_sub(1);
        // The element that follows those of the modes before one. A mode of one entry is none, and the next is tried.
        let ends_before = |place: usize, count: &Expr| -> integer::Result<Vec<Answer>> {
            let (extent, start) = &modes[place];
            let mut needs = vec![facts.distinct(&a.at_under(facts, start)?, count)];
            if place < last {
                needs.push(facts.at_least(extent, &Expr::from(2)));
            }
            needs.retain(|answer| !answer.is_yes());
            Ok(needs)
        };
        for (place, (extent, start)) in modes.iter().cloned().enumerate() {
            let reach = |length: &Expr| end.plus(&length.minus(&one)?.times(&start)?);
            let fits = facts.at_least(&size, &reach(&extent)?);
            let (mut length, mut bound) = (extent.clone(), extent.clone());
            if !fits.is_yes() {
                // Past its size a layout has no elements, though it has offsets.
                if !end.is(1) {
                    let mut needs = ends_before(place, &count)?;
                    if needs.is_empty() {
                        return Ok(count);
                    }
                    needs.insert(0, fits);
                    return Err(site.unmet(needs));
                }
                site.require(facts.at_least(&start, &one))?;
                bound = facts.ceil_div(&size, &start)?;
                length = facts.min(&extent, &bound)?;
            }
            let longer = |length: &Expr| {
                let modes = part.iter().cloned().chain([(length.clone(), start.clone())]);
                a.composition_under(facts, &Layout::of_modes(&modes.collect::<Vec<_>>(), ()))
            };
            let common = match longer(&length) {
                Err(integer::Error::Algebra(Error::NoComposition { .. })) => {
                    return broken(facts, &site, a, [&count, &length, &start], &longer);
                }
                common => common?.coalesce()?.flat(),
            };
            if !matches!(common.as_slice(), [(_, stride)] if stride.is(1)) {
                return first_row(facts, &site, common, place == last);
            }
            count = count.times(&length)?;
            if length != extent {
                // Where all of the mode fits, the next may continue.
                let past = facts.at_least(&extent, &bound.plus(&one)?);
                if place == last || past.is_yes() {
                    return Ok(count);
                }
                let mut needs = ends_before(place + 1, &count)?;
                if needs.is_empty() {
                    return Ok(count);
                }
                needs.insert(0, past);
                return Err(site.unmet(needs));
            }
            end = reach(&length)?;
            part.push((length, start));
        }
        Ok(count)
    }

    fn lesser(facts: &Facts, a: &Expr, b: &Expr) -> Result<Expr, Self::Lost> {
        facts.min(a, b)
    }
}

/// Elements that are known to be contiguous: indices of `a` at which it is what `inverse` is the
/// inverse of.
fn in_a_row(a: &Layout, inverse: &Layout) -> Result<i64> {
    let mut part: Modes = Modes::new();
    let (mut count, mut room) = (1_i64, a.size() - 1);
    for &(extent, start) in &inverse.leaves() {
        // Past its size a layout has no elements, though it has offsets. The strides of an inverse
        // are at least 1, but for an extent of 1.
        let within = room.checked_div(start).map_or(extent, |steps| extent.min(steps + 1));
        let whole = |length: i64| -> Result<bool> {
            let longer: Modes = part.iter().copied().chain([(length, start)]).collect();
            match a.composition(&Layout::of_leaves(&longer)?) {
                Ok(common) => Ok(match coalesced(&common)?.as_slice() {
                    [] => true,
                    modes => *modes == [(count.saturating_mul(length), 1)],
                }),
                Err(Error::NoComposition { .. } | Error::Undecided { .. }) => Ok(false),
                Err(error) => Err(error),
            }
        };
        // The longest part of the mode: what holds for one holds for every shorter one.
        let (mut longest, mut most) = (1, within);
        if whole(within)? {
            longest = within;
        } else {
            while most - longest > 1 {
                let middle = longest + (most - longest) / 2;
                if whole(middle)? { longest = middle } else { most = middle }
            }
        }
        count = count.saturating_mul(longest);
        room -= (longest - 1) * start;
        part.push((longest, start));
        if longest < extent {
            break;
        }
    }
    Ok(count)
}

/// How many entries of modes are contiguous from 0 on; unless it is the end, other modes follow.
fn first_row(
    facts: &Facts,
    site: &Site<'_>,
    modes: Vec<(Expr, Expr)>,
    is_end: bool,
) -> integer::Result<Expr> {
    let Some(((extent, stride), rest)) = modes.split_first() else { return Ok(Expr::from(1)) };
    // A mode of one entry is none, and the next would begin the row, or continue with it.
    let two = Expr::from(2);
    match facts.distinct(stride, &Expr::from(1)) {
        Answer::Yes => {
            if !(rest.is_empty() && is_end) {
                site.require(facts.at_least(extent, &two))?;
            }
            return Ok(Expr::from(1));
        }
        Answer::No(_) => {}
        unknown => return Err(site.unmet(vec![unknown])),
    }
    for (place, (length, stride)) in rest.iter().enumerate() {
        site.require(facts.distinct(stride, extent))?;
        let ends = facts.at_least(length, &two);
        if ends.is_yes() {
            break;
        }
        if !is_end && place + 1 == rest.len() {
            return Err(site.unmet(vec![ends]));
        }
    }
    Ok(extent.clone())
}

/// The row where it ends within a mode of the inverse, which no layout shows as a whole: `count` elements
/// are in a row, and of `length` steps of `start` some continue.
fn broken(
    facts: &Facts,
    site: &Site<'_>,
    a: &Layout<Expr>,
    [count, length, start]: [&Expr; 3],
    longer: &dyn Fn(&Expr) -> integer::Result<Layout<Expr>>,
) -> integer::Result<Expr> {
    let step = |steps: i64| -> integer::Result<[Expr; 2]> {
        Ok([a.at_under(facts, &start.scaled(steps)?)?, count.scaled(steps)?])
    };
    let goes_on = |steps: i64| -> integer::Result<bool> {
        match longer(&Expr::from(steps)) {
            Ok(common) => Ok(common.coalesce()?.flat() == [(count.scaled(steps)?, Expr::from(1))]),
            Err(integer::Error::Algebra(Error::NoComposition { .. })) => Ok(false),
            Err(error) => Err(error),
        }
    };
    // A row that holds for some steps holds for fewer.
    let (mut longest, mut most) = (1, length.as_constant().unwrap_or(2));
    while most - longest > 1 {
        let middle = longest + (most - longest) / 2;
        if goes_on(middle)? { longest = middle } else { most = middle }
    }
    let [found, expected] = step(longest)?;
    site.require(facts.distinct(&found, &expected))?;
    count.scaled(longest)
}
