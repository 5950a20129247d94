//! What a copy asks of two layouts.

use super::{
    coalesce, composition,
    error::{Answer, Error, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    right_inverse,
    tuple::SymbolicTuple,
};
use alloc::{format, vec, vec::Vec};

/// How many elements, from offset 0 on, lie in a row in both layouts at the same coordinates; see
/// [`crate::max_common_vector`].
///
/// # Errors
///
/// Those of [`right_inverse`] and [`composition`]; where it is not known whether a mode goes on from
/// where the row ends.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, max_common_vector};
/// // A row-major matrix with a padded leading dimension, and a tile of shared memory.
/// let (a, mut facts) = SymbolicLayout::parse("(128,64):(LD{range=65..},1)")?;
/// let b = SymbolicLayout::parse_with("(128,64):(64,1)", &mut facts)?;
/// assert_eq!(max_common_vector(&facts, &a, &b)?.to_string(), "64");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn max_common_vector(facts: &Facts, a: &SymbolicLayout, b: &SymbolicLayout) -> Result<Expr> {
    if let (Some(a), Some(b)) = (a.to_static(), b.to_static()) {
        return Ok(Expr::from(crate::max_common_vector(&a, &b)?));
    }
    let operands = || format!("{a}, {b}");
    let site = Site { operation: "max_common_vector", operands: &operands };
    let (size, one) = (a.size()?, Expr::from(1));
    // The elements that are in a row so far, the modes of the inverse that have their indices, and the
    // end of these.
    let (mut count, mut part, mut end) = (one.clone(), Vec::new(), one.clone());
    for (extent, start) in right_inverse(facts, b)?.flat() {
        if extent.is(1) {
            continue;
        }
        let reach = |length: &Expr| end.plus(&length.minus(&one)?.times(&start)?);
        let fits = facts.at_least(&size, &reach(&extent)?);
        let mut length = extent.clone();
        if !fits.is_yes() {
            // Past its size a layout has no elements, though it has offsets.
            if !end.is(1) {
                let next = facts.distinct(&a.at(facts, &start)?, &count);
                if next.is_yes() {
                    return Ok(count);
                }
                return Err(site.unmet(vec![fits, next]));
            }
            site.require(facts.at_least(&start, &one))?;
            length = facts.min(&extent, &facts.ceil_div(&size, &start)?)?;
        }
        let longer = |length: &Expr| {
            let modes = part.iter().cloned().chain([(length.clone(), start.clone())]);
            composition(facts, a, &SymbolicLayout::of_flat(modes.collect()))
        };
        let common = match longer(&length) {
            Err(Error::Algebra(crate::Error::NoComposition { .. })) => {
                return broken(facts, &site, a, [&count, &length, &start], &longer);
            }
            common => coalesce(&common?)?.flat(),
        };
        if !matches!(common.as_slice(), [(_, stride)] if stride.is(1)) {
            return first_row(facts, &site, common);
        }
        count = count.times(&length)?;
        if length != extent {
            return Ok(count);
        }
        end = reach(&length)?;
        part.push((length, start));
    }
    Ok(count)
}

/// How many entries of modes lie in a row from 0 on.
fn first_row(facts: &Facts, site: &Site<'_>, modes: Vec<(Expr, Expr)>) -> Result<Expr> {
    let Some(((extent, stride), behind)) = modes.split_first() else { return Ok(Expr::from(1)) };
    let two = Expr::from(2);
    match facts.distinct(stride, &Expr::from(1)) {
        Answer::Yes => {
            // A mode of one entry is none, and the next would begin the row.
            if !behind.is_empty() {
                site.require(facts.at_least(extent, &two))?;
            }
            return Ok(Expr::from(1));
        }
        Answer::No(_) => {}
        unknown => return Err(site.unmet(vec![unknown])),
    }
    for (length, stride) in behind {
        site.require(facts.distinct(stride, extent))?;
        if facts.at_least(length, &two).is_yes() {
            break;
        }
    }
    Ok(extent.clone())
}

/// The row where it ends within a mode of the inverse, which no layout shows as a whole: `count` elements
/// are in a row, and of `length` steps of `start` some go on.
fn broken(
    facts: &Facts,
    site: &Site<'_>,
    a: &SymbolicLayout,
    [count, length, start]: [&Expr; 3],
    longer: &dyn Fn(&Expr) -> Result<SymbolicLayout>,
) -> Result<Expr> {
    let step = |steps: i64| -> Result<[Expr; 2]> {
        Ok([a.at(facts, &start.scaled(steps)?)?, count.scaled(steps)?])
    };
    let goes_on = |steps: i64| -> Result<bool> {
        match longer(&Expr::from(steps)) {
            Ok(common) => Ok(coalesce(&common)?.flat() == [(count.scaled(steps)?, Expr::from(1))]),
            Err(Error::Algebra(crate::Error::NoComposition { .. })) => Ok(false),
            Err(error) => Err(error),
        }
    };
    // What holds for some steps holds for fewer.
    let (mut longest, mut most) = (1, length.as_constant().unwrap_or(2));
    while most - longest > 1 {
        let middle = longest + (most - longest) / 2;
        if goes_on(middle)? { longest = middle } else { most = middle }
    }
    let [found, wanted] = step(longest)?;
    site.require(facts.distinct(&found, &wanted))?;
    count.scaled(longest)
}

/// The coordinates of the elements that [`max_common_vector`] counts, as a layout.
///
/// # Errors
///
/// Those of [`max_common_vector`].
pub fn max_common_layout(
    facts: &Facts,
    a: &SymbolicLayout,
    b: &SymbolicLayout,
) -> Result<SymbolicLayout> {
    let extent = max_common_vector(facts, a, b)?;
    if extent.is(1) {
        return Ok(SymbolicLayout::one());
    }
    let row = SymbolicTuple::Leaf(extent);
    let row = SymbolicLayout::under(facts, row, SymbolicTuple::Leaf(Expr::from(1)))?;
    composition(facts, &right_inverse(facts, b)?, &row)
}
