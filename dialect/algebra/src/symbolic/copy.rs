//! What a copy asks of two layouts, and how threads share a shape or a tile.

use super::{
    composition::{composition, composition_tiler},
    divide::zipped_divide,
    error::{Answer, Error, Quotient, Result, Site},
    expr::{Expr, gcd},
    facts::Facts,
    inverse::right_inverse,
    layout::{SymbolicLayout, compact},
    modes::coalesce,
    tuple::{SymbolicTiler, SymbolicTuple},
};

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
            composition(facts, a, &SymbolicLayout::from_flat(modes.collect()))
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
    let row = SymbolicLayout::new(facts, row, SymbolicTuple::Leaf(Expr::from(1)))?;
    composition(facts, &right_inverse(facts, b)?, &row)
}

/// What `n` threads take of a shape, each its own: from each mode the greatest common divisor of what
/// is left; see [`crate::domain_distribute`].
///
/// # Errors
///
/// `n` or an extent that is not known to be at least 1; an extent and what is left of `n`, neither of
/// which is known to divide the other, unless both are constant.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let answer = |text: &str| match evaluate(text, &mut Facts::new()) {
///     Ok(value) => value.to_string(),
///     Err(error) => error.to_string(),
/// };
/// assert_eq!(answer("domain_distribute((4,M{div=32 range=32..}), 128)"), "128:1");
/// assert_eq!(
///     answer("domain_distribute((4,M{range=1..}), 128)"),
///     "domain_distribute((4,M), 128): needs \"32 divides M\", which is not known; say M{div=32}",
/// );
/// ```
pub fn domain_distribute(facts: &Facts, shape: &SymbolicTuple, n: &Expr) -> Result<SymbolicLayout> {
    let operands = || format!("{shape}, {n}");
    let site = Site { operation: "domain_distribute", operands: &operands };
    let one = Expr::from(1);
    site.require(facts.at_least(n, &one))?;
    let extents = shape.leaves();
    let order: Vec<usize> = (0..extents.len()).collect();
    let strides = compact(shape, &order)?;
    let mut rest = n.clone();
    let mut taken = Vec::with_capacity(extents.len());
    for (extent, stride) in extents.into_iter().zip(strides.leaves()) {
        site.require(facts.at_least(extent, &one))?;
        let (common, left) = common_divisor(facts, &site, extent, &rest)?;
        rest = left;
        taken.push((common, stride.clone()));
    }
    coalesce(&SymbolicLayout::from_flat(taken))
}

/// The greatest common divisor of two expressions that are at least 1, and the quotient of the second
/// by it.
fn common_divisor(facts: &Facts, site: &Site<'_>, a: &Expr, b: &Expr) -> Result<(Expr, Expr)> {
    if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
        let common = gcd(x.unsigned_abs(), y.unsigned_abs()).max(1);
        let common = i64::try_from(common).map_err(|_| site.overflow())?;
        return Ok((Expr::from(common), Expr::from(y / common)));
    }
    let over = match facts.divide(a, b) {
        Quotient::Exact(_) => return Ok((b.clone(), Expr::from(1))),
        other => other,
    };
    match facts.divide(b, a) {
        Quotient::Exact(quotient) => Ok((a.clone(), quotient)),
        under => Err(site.unmet(vec![over.into(), under.into()])),
    }
}

/// A layout whose tiles are distributed by a thread-value layout: `((thread, value), rest)`; see
/// [`crate::distribute`].
///
/// # Errors
///
/// A thread-value layout that is no pair or is not known to stay in the tile; those of
/// [`zipped_divide`] and [`composition_tiler`].
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, SymbolicTuple, distribute};
/// let (layout, mut facts) = SymbolicLayout::parse("(M{div=4},N{div=4}):(N,1)")?;
/// let tv = SymbolicLayout::parse_with("(4,4):(1,4)", &mut facts)?;
/// let tile = SymbolicTuple::from(&"(4,4)".parse()?);
/// let parts = distribute(&facts, &layout, &tile, &tv)?;
/// assert_eq!(parts.to_string(), "((4,4),(M/4,N/4)):((N,1),(4*N,4))");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn distribute(
    facts: &Facts,
    layout: &SymbolicLayout,
    tile: &SymbolicTuple,
    tv: &SymbolicLayout,
) -> Result<SymbolicLayout> {
    let size = tile.product()?;
    let expected =
        || format!("a layout (thread, value) into the {size} indices of the tile {tile}");
    if tv.rank() != 2 {
        return Err(Error::operand("distribute", expected(), tv));
    }
    let reach = tv.cosize(facts)?;
    let operands = || format!("{layout}, {tile}, {tv}");
    let site = Site { operation: "distribute", operands: &operands };
    if let (Some(size), Some(reach)) = (size.as_constant(), reach.as_constant())
        && reach > size
    {
        return Err(Error::operand("distribute", expected(), tv));
    }
    site.require(facts.at_least(&size, &reach))?;
    let divided = zipped_divide(facts, layout, &SymbolicTiler::from_shape(facts, tile)?)?;
    let tiler = vec![SymbolicTiler::Layout(tv.clone()), SymbolicTiler::Any];
    composition_tiler(facts, &divided, &SymbolicTiler::Tuple(tiler))
}
