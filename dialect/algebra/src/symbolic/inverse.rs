//! Inverses and the null space.

use super::{
    error::{Answer, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    modes::{coalesce, is_zero},
};

/// A layout `R` that starts the contiguous range of offsets from 0, `L(R(i)) = i`; see
/// [`crate::right_inverse`].
///
/// # Errors
///
/// Where it is not known whether a mode goes on from where the range ends: the answer would be
/// longer under some assignments than under others.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, right_inverse};
/// let (layout, facts) = SymbolicLayout::parse("(M{range=2..},N{range=2..}):(N,1)")?;
/// assert_eq!(right_inverse(&facts, &layout)?.to_string(), "(N,M):(M,1)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn right_inverse(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    if let Some(layout) = layout.to_static() {
        return Ok((&crate::right_inverse(&layout)?).into());
    }
    let operands = || layout.to_string();
    let site = Site { operation: "right_inverse", operands: &operands };
    let mut modes: Vec<_> = (0..).zip(with_starts(&coalesce(layout)?)?).collect();
    site.few(modes.len())?;
    let mut result = Vec::new();
    let mut reached = Expr::from(1);
    let mut taken: Option<usize> = None;
    // The first mode that goes on; all before it must be known not to.
    while let Some(i) = modes.iter().position(|(_, (_, stride, _))| *stride == reached) {
        for (_, (extent, stride, _)) in &modes[..i] {
            if !extent.is(1) {
                site.require(facts.distinct(stride, &reached))?;
            }
        }
        // At values at which this mode continues one that is left out, or another the one that was
        // taken last, the static algebra sees them as one mode.
        for (_, (extent, stride, _)) in until_longer(facts, modes[..i].iter().rev()) {
            let later = facts.at_least(stride, &reached);
            let apart = facts.distinct(&extent.times(stride)?, &reached);
            if !later.is_yes() && !apart.is_yes() {
                return Err(site.unmet(vec![later, apart]));
            }
        }
        let behind = modes[i + 1..].iter().filter(|(place, _)| taken.is_some_and(|t| t < *place));
        if taken.is_none_or(|taken| taken > modes[i].0) {
            for (_, (_, stride, _)) in until_longer(facts, behind) {
                site.require(facts.distinct(stride, &reached))?;
            }
        }
        let (place, (extent, _, start)) = modes.remove(i);
        taken = Some(place);
        reached = reached.times(&extent)?;
        result.push((extent, start));
    }
    for (_, (extent, stride, _)) in &modes {
        if !extent.is(1) {
            site.require(facts.distinct(stride, &reached))?;
        }
    }
    coalesce(&SymbolicLayout::from_flat(result))
}

/// A mode as extent, stride, and the index at which its second entry stands.
type Start = (Expr, Expr, Expr);

/// The modes up to the first that is known to have more than one entry, which alone keeps those
/// beyond it from being next to the mode where the walk begins.
fn until_longer<'m>(
    facts: &'m Facts,
    modes: impl Iterator<Item = &'m (usize, Start)>,
) -> impl Iterator<Item = &'m (usize, Start)> {
    let mut ended = false;
    modes.take_while(move |(_, (extent, _, _))| {
        let over = ended;
        ended = facts.at_least(extent, &Expr::from(2)).is_yes();
        !over
    })
}

/// The modes as extent, stride, and the index at which a mode's second entry stands.
fn with_starts(layout: &SymbolicLayout) -> Result<Vec<Start>> {
    let mut start = Expr::from(1);
    layout
        .flat()
        .into_iter()
        .map(|(extent, stride)| {
            let next = start.times(&extent)?;
            Ok((extent, stride, std::mem::replace(&mut start, next)))
        })
        .collect()
}

/// A layout `R` with `R(L(i)) = i` for every `i` below the size of `L` whose coordinates in modes of
/// stride 0 are 0; for the others `L(R(L(i))) = L(i)`.
///
/// # Errors
///
/// Extents that are not known to be at least 2 and strides that are not known to be at least 1;
/// modes of which it is not known that, in some order, each stride divides the next and no mode
/// reaches past the next.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, left_inverse};
/// let (layout, facts) = SymbolicLayout::parse("(4,N{range=2..}):(2*N,1)")?;
/// assert_eq!(left_inverse(&facts, &layout)?.to_string(), "(2*N,4):(4,1)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn left_inverse(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    if let Some(layout) = layout.to_static() {
        return Ok((&crate::left_inverse(&layout)?).into());
    }
    let operands = || layout.to_string();
    let site = Site { operation: "left_inverse", operands: &operands };
    let mut modes = Vec::new();
    let mut broadcast = Expr::from(1);
    for (extent, stride, start) in with_starts(&coalesce(layout)?)? {
        if extent.is(1) {
            continue;
        }
        if stride.is(0) {
            broadcast = extent;
            continue;
        }
        site.require(facts.at_least(&extent, &Expr::from(2)))?;
        site.require(facts.at_least(&stride, &Expr::from(1)))?;
        modes.push((extent, stride, start));
    }
    site.few(modes.len())?;
    if modes.is_empty() {
        return Ok(SymbolicLayout::leaf(broadcast, Expr::from(0)));
    }
    let mut sorted = Vec::with_capacity(modes.len());
    while !modes.is_empty() {
        sorted.push(modes.remove(least(facts, &site, &modes)?));
    }
    let mut result = Vec::new();
    if let Some((_, first, _)) = sorted.first() {
        result.push((first.clone(), Expr::from(0)));
    }
    for (i, (extent, stride, start)) in sorted.iter().enumerate() {
        let length = match sorted.get(i + 1) {
            None => extent.clone(),
            Some((_, next, _)) => site.exact(facts.divide(next, stride))?,
        };
        result.push((length, start.clone()));
    }
    coalesce(&SymbolicLayout::from_flat(result))
}

/// The mode that ends no later than any other starts, on a divisor of the other's stride.
fn least(facts: &Facts, site: &Site<'_>, modes: &[Start]) -> Result<usize> {
    let mut unmet = Vec::with_capacity(modes.len());
    for (i, (extent, stride, _)) in modes.iter().enumerate() {
        let end = stride.times(extent)?;
        let others = modes.iter().enumerate().filter(|&(j, _)| j != i);
        let mut answers = others.flat_map(|(_, (_, other, _))| {
            [facts.divide(other, stride).into(), facts.at_least(other, &end)]
        });
        match answers.find(|answer: &Answer| !answer.is_yes()) {
            None => return Ok(i),
            Some(answer) => unmet.push(answer),
        }
    }
    Err(site.unmet_best(unmet))
}

/// The coordinates that stride-0 modes run through: `L(nullspace(L)(i)) = 0`.
///
/// # Errors
///
/// A stride of which it is not known whether it is 0.
pub fn nullspace(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let operands = || layout.to_string();
    let site = Site { operation: "nullspace", operands: &operands };
    let mut modes = Vec::new();
    for (extent, stride, start) in with_starts(layout)? {
        if !extent.is(1) && is_zero(facts, &site, &stride)? {
            modes.push((extent, start));
        }
    }
    Ok(SymbolicLayout::from_flat(modes))
}
