//! Rearranging modes, where facts or expressions have a part in it: coalesce, flatten, filter. What
//! only moves modes is the same for all layouts: see [`crate::Modal`].

use super::{
    error::{Answer, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    tuple::SymbolicTuple,
};
use crate::modal::{Part, by_profile};

/// The layout in fewer flat modes that is the same function on `0 .. size`.
///
/// Drops modes of extent 1 and merges modes that continue each other under every assignment. At
/// given values modes may be left that the static algebra would merge.
///
/// # Errors
///
/// Overflow and limits.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, coalesce};
/// let (layout, _) = SymbolicLayout::parse("((M,8),(1,N)):((1,M),(3,8*M))")?;
/// assert_eq!(coalesce(&layout)?.to_string(), "8*M*N:1");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn coalesce(layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let modes = layout.flat().into_iter().filter(|(extent, _)| !extent.is(1)).collect();
    Ok(SymbolicLayout::from_flat(merge(modes)?))
}

/// [`coalesce`] that is the same function past the size as well: the last mode keeps its stride
/// even where its extent is 1.
///
/// # Errors
///
/// Overflow and limits.
pub fn coalesce_x(layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let flat = layout.flat();
    let last = flat.len().saturating_sub(1);
    let kept = flat
        .into_iter()
        .enumerate()
        .filter(|(i, (extent, _))| !extent.is(1) || *i == last)
        .map(|(_, mode)| mode)
        .collect();
    Ok(SymbolicLayout::from_flat(merge(kept)?))
}

fn merge(modes: Vec<(Expr, Expr)>) -> Result<Vec<(Expr, Expr)>> {
    let mut merged: Vec<(Expr, Expr)> = Vec::with_capacity(modes.len());
    for (extent, stride) in modes {
        if let Some((before, step)) = merged.last_mut()
            && before.times(step)? == stride
        {
            *before = before.times(&extent)?;
            continue;
        }
        merged.push((extent, stride));
    }
    Ok(merged)
}

/// [`coalesce`] of each part of the layout that stands where `profile` has a leaf.
///
/// # Errors
///
/// A profile that nests deeper than the layout; overflow and limits.
pub fn coalesce_by(layout: &SymbolicLayout, profile: &SymbolicTuple) -> Result<SymbolicLayout> {
    by_profile("coalesce", Part::of(layout), profile, &mut coalesce)
}

/// All leaves as modes at the top.
pub fn flatten(layout: &SymbolicLayout) -> SymbolicLayout {
    if layout.is_leaf() {
        return layout.clone();
    }
    let tuple = |leaves: Vec<&Expr>| {
        SymbolicTuple::Node(leaves.into_iter().cloned().map(SymbolicTuple::Leaf).collect())
    };
    SymbolicLayout::known(tuple(layout.shape().leaves()), tuple(layout.stride().leaves()))
}

/// The layout with every mode of stride 0 shortened to `1:0`.
///
/// # Errors
///
/// A stride of which it is not known whether it is 0.
pub fn filter_zeros(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let operands = || layout.to_string();
    let site = Site { operation: "filter_zeros", operands: &operands };
    let mut strides = layout.stride().leaves().into_iter();
    let shape = layout.shape().map(&mut |extent| {
        let still = match strides.next() {
            Some(stride) => is_zero(facts, &site, stride)?,
            None => true,
        };
        Ok(if still { Expr::from(1) } else { extent.clone() })
    })?;
    Ok(SymbolicLayout::known(shape, layout.stride().clone()))
}

/// [`coalesce`] of [`filter_zeros`]: what is left of a layout when broadcasts are dropped.
///
/// # Errors
///
/// As [`filter_zeros`].
pub fn filter(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    coalesce(&filter_zeros(facts, layout)?)
}

/// [`filter`] of each part of the layout that stands where `profile` has a leaf.
///
/// # Errors
///
/// As [`filter_zeros`] and [`coalesce_by`].
pub fn filter_by(
    facts: &Facts,
    layout: &SymbolicLayout,
    profile: &SymbolicTuple,
) -> Result<SymbolicLayout> {
    coalesce_by(&filter_zeros(facts, layout)?, profile)
}

/// Whether a stride is 0, which must be known.
pub(super) fn is_zero(facts: &Facts, site: &Site<'_>, stride: &Expr) -> Result<bool> {
    let zero = Expr::from(0);
    match facts.distinct(stride, &zero) {
        Answer::Yes => Ok(false),
        Answer::No(_) => Ok(true),
        unknown => Err(site.unmet(vec![unknown])),
    }
}
