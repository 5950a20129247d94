//! What depends on the order of strides, which facts must decide.

use super::{
    error::{Answer, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::{SymbolicLayout, compact},
    modes::is_zero,
};
use crate::modal::{Part, joined};

/// A compact layout of the same shape whose modes run in the same order; modes of stride 0 keep it.
///
/// # Errors
///
/// A stride of which it is not known whether it is 0, or less than another; overflow and limits.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, make_layout_like};
/// let (layout, facts) = SymbolicLayout::parse("(M,8,4):(64,0,S{range=65..})")?;
/// assert_eq!(make_layout_like(&facts, &layout)?.to_string(), "(M,8,4):(1,0,M)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn make_layout_like(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let operands = || layout.to_string();
    let site = Site { operation: "make_layout_like", operands: &operands };
    let zero = Expr::from(0);
    let mut modes = Vec::new();
    for (place, (extent, stride)) in layout.flat().into_iter().enumerate() {
        // A mode of one entry has stride 0 wherever it stands.
        if extent.is(1) || is_zero(facts, &site, &stride)? {
            continue;
        }
        let magnitude = if facts.at_least(&zero, &stride).is_yes() {
            stride.scaled(-1)?
        } else {
            site.require(facts.at_least(&stride, &zero))?;
            stride
        };
        modes.push((place, magnitude));
    }
    let order = ordered(&site, modes, |(i, a), (j, b)| later(facts, a, b, i < j))?;
    let order: Vec<usize> = order.into_iter().map(|(place, _)| place).collect();
    SymbolicLayout::new(facts, layout.shape().clone(), compact(layout.shape(), &order)?)
}

/// The modes at the top ordered by stride, then by size; nested modes by their least stride.
///
/// # Errors
///
/// Modes of which it is not known which comes first.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, sort};
/// let (layout, facts) = SymbolicLayout::parse("(M,N):(N{range=2..},1)")?;
/// assert_eq!(sort(&facts, &layout)?.to_string(), "(N,M):(1,N)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn sort(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    if layout.is_leaf() {
        return Ok(layout.clone());
    }
    let operands = || layout.to_string();
    let site = Site { operation: "sort", operands: &operands };
    let mut modes = Vec::new();
    for (place, part) in Part::of(layout).modes().enumerate() {
        let strides = part.stride().leaves().into_iter().cloned().enumerate().collect();
        let strides = ordered(&site, strides, |(_, a), (_, b)| later(facts, a, b, true))?;
        let least = strides.into_iter().next().map_or_else(|| Expr::from(0), |(_, least)| least);
        modes.push((place, least, part.shape().product()?, part.to_layout()));
    }
    let modes = ordered(&site, modes, |(i, a, small, _), (j, b, large, _)| {
        let strictly = later(facts, a, b, false)?;
        let sizes = later(facts, small, large, i < j)?;
        let equal_or_less = strictly.is_yes() || later(facts, a, b, true)?.is_yes();
        Ok(if equal_or_less && sizes.is_yes() { Answer::Yes } else { strictly })
    })?;
    joined(modes.into_iter().map(|(_, _, _, mode)| mode).collect())
}

/// Whether `a` may come before `b`: it is less, or no greater where that is enough.
fn later(facts: &Facts, a: &Expr, b: &Expr, or_equal: bool) -> Result<Answer> {
    let least = if or_equal { a.clone() } else { a.plus(&Expr::from(1))? };
    Ok(facts.at_least(b, &least))
}

/// Entries in an order in which each is known to come before all that follow.
fn ordered<T>(
    site: &Site<'_>,
    mut entries: Vec<T>,
    before: impl Fn(&T, &T) -> Result<Answer>,
) -> Result<Vec<T>> {
    site.few(entries.len())?;
    let mut sorted = Vec::with_capacity(entries.len());
    while !entries.is_empty() {
        let mut unmet = Vec::new();
        let mut first = None;
        'entries: for (i, entry) in entries.iter().enumerate() {
            for (j, other) in entries.iter().enumerate() {
                if i == j {
                    continue;
                }
                let answer = before(entry, other)?;
                if !answer.is_yes() {
                    unmet.push(answer);
                    continue 'entries;
                }
            }
            first = Some(i);
            break;
        }
        match first {
            Some(first) => sorted.push(entries.remove(first)),
            None if unmet.len() <= 2 => return Err(site.unmet(unmet)),
            None => return Err(site.unmet_best(unmet)),
        }
    }
    Ok(sorted)
}
