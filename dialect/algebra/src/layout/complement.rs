//! The complement: the offsets that a layout does not reach.

use crate::layout::prelude::*;
use crate::layout::{modes::merged, order::arranged};

impl<L: Leaf> Layout<L> {
    /// The layout that fills the offsets of a codomain that `layout` leaves out: its offsets, added to those of
    /// `layout`, are all different, and it is ordered.
    ///
    /// Together they reach every offset below the codomain's size exactly where the modes of `layout`,
    /// sorted by stride, are a chain (each stride a multiple of the extent times the stride before it)
    /// and the last of them ends on a divisor of it. Elsewhere gaps stay, as in CuTe: between modes,
    /// what no multiple fills; past the last, the rest is rounded up. The size of a codomain that is
    /// a tuple is rounded up mode by mode.
    pub fn complement_under(
        &self,
        facts: &L::Facts,
        codomain: &Nested<L>,
    ) -> Result<Layout<L>, L::Error> {
        if let (Some(closed), Some(codomain)) = (L::closed(self), L::closed_tuple(codomain)) {
            return Ok(L::of_closed(closed.complement(&codomain)?));
        }
        let (one, operation) = (L::from(1), "complement");
        let site = Site { operation, operands: &|| format!("{self}, {codomain}") };
        let condition = |expected: &'static str, found: String| {
            Error::condition(operation, self, expected, found)
        };
        let lost = |lost| L::lost(lost, operation, self);
        for extent in codomain.values() {
            L::require(&site, L::at_least(facts, extent, &one), || {
                condition("a codomain of at least 1", codomain.to_string())
            })?;
        }
        let mut modes = self.leaves();
        modes.retain(|(extent, stride)| !extent.is(1) && !stride.is(0));
        L::sort(facts, &site, &mut modes)?;
        if !L::OPEN
            && let Some((_, least)) = modes.first()
        {
            L::require(&site, L::at_least(facts, least, &L::from(0)), || {
                condition("strides that are not negative", least.to_string())
            })?;
        }
        let mut filled = one;
        for i in 0..modes.len() {
            let (extent, stride) = &modes[i];
            if L::OPEN {
                let next = modes.get(i + 1).map(|(_, stride)| stride);
                let next = next.or_else(|| codomain.values().first().copied()).unwrap_or(stride);
                counts(facts, &site, (extent, stride), [&filled, next])?;
            } else {
                L::require(&site, L::at_least(facts, stride, &filled), || {
                    let expected = "sorted modes that each start where the last ended, or later";
                    condition(expected, format!("stride {stride} after {filled}"))
                })?;
            }
            let gap = L::floor_div(facts, stride, &filled).map_err(lost)?;
            let end = stride.times(extent).map_err(lost)?;
            modes[i] = (gap, core::mem::replace(&mut filled, end));
        }
        let rest = if L::OPEN {
            ceil_div_size(facts, codomain, &filled).map_err(lost)?
        } else {
            codomain.ceil_div_under(facts, &Nested::Leaf(filled.clone()))?.product()?
        };
        modes.push((rest, filled));
        let modes = merged(&modes).map_err(lost)?;
        match L::size_of_extents(modes.iter().map(|(extent, _)| extent)) {
            Some(size) => Ok(Layout::of_modes(&modes, size)),
            None => Err(Error::overflow(operation, self).into()),
        }
    }
}

/// Refuses a mode that may have one entry, and then would be none, where that makes a difference. It
/// makes none where the mode starts on a multiple of what is filled, and what comes next starts on a
/// multiple of its start.
fn counts<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    (extent, stride): (&L, &L),
    [filled, next]: [&L; 2],
) -> Result<(), L::Error> {
    let longer = L::at_least(facts, extent, &L::from(2));
    if longer.is_yes() {
        return Ok(());
    }
    for quotient in [L::divide(facts, stride, filled), L::divide(facts, next, stride)] {
        if let Err(answer) = quotient {
            return Err(L::undecided(site, vec![longer, answer]));
        }
    }
    Ok(())
}

/// The size of a shape divided from the left and rounded up: the first extent takes what it can, the
/// next what is left.
fn ceil_div_size<L: Leaf>(facts: &L::Facts, shape: &Nested<L>, by: &L) -> Result<L, L::Lost> {
    let mut rest = by.clone();
    shape.values().into_iter().try_fold(L::from(1), |size, extent| {
        let quotient = L::ceil_div(facts, extent, &rest)?;
        rest = L::ceil_div(facts, &rest, extent)?;
        size.times(&quotient)
    })
}

/// The modes that reach something, in the order of their strides.
pub(crate) fn sorted(layout: &Layout) -> Modes {
    let mut modes = layout.leaves();
    modes.retain(|&mut (extent, stride)| extent != 1 && stride != 0);
    modes.sort_unstable_by_key(|&(extent, stride)| (stride, extent));
    modes
}

/// The modes of expressions that may reach something, each known to start where the one before ends,
/// or later.
pub(crate) fn distinct_modes(
    facts: &Facts,
    site: &Site<'_>,
    layout: &Layout<Expr>,
) -> integer::Result<Modes<Expr>> {
    let mut modes = layout.leaves();
    modes.retain(|(extent, stride)| !extent.is(1) && !stride.is(0));
    sort_distinct(facts, site, &mut modes)?;
    Ok(modes)
}

/// [`Leaf::sort`] of expressions.
pub(crate) fn sort_distinct(
    facts: &Facts,
    site: &Site<'_>,
    modes: &mut Modes<Expr>,
) -> integer::Result<()> {
    for (_, stride) in modes.iter() {
        site.require(facts.at_least(stride, &Expr::from(1)))?;
    }
    site.few(modes.len())?;
    let ended = |mode: (Expr, Expr)| {
        let end = mode.1.times(&mode.0).ok();
        (mode, end)
    };
    let entries = core::mem::take(modes).into_iter().map(ended).collect();
    let sorted = arranged::<Expr, _>(entries, |(_, end), ((_, other), _)| {
        Ok(end.as_ref().map(|end| facts.at_least(other, end)))
    })?;
    match sorted {
        Ok(sorted) if sorted.last().is_none_or(|(_, end)| end.is_some()) => {
            modes.extend(sorted.into_iter().map(|(mode, _)| mode));
            Ok(())
        }
        Err(unmet) if !unmet.is_empty() => Err(site.unmet_best(unmet)),
        _ => Err(site.overflow()),
    }
}

closed! { Layout {
    complement = complement_under(codomain: &Tuple) -> Layout;
} }
