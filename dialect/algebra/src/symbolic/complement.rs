//! The complement: what a layout leaves out.

use super::{
    error::{Answer, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    modes::coalesce,
    tuple::SymbolicTuple,
};

/// The layout that fills what `layout` leaves out of a codomain; see [`crate::complement`].
///
/// # Errors
///
/// Strides that are not known to be positive or 0; modes that are not known to start where another
/// ends, or later, in some order; a codomain that is not known to be at least 1. A mode that may have
/// a single entry, and then would not count, where that makes a difference.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, SymbolicTuple, complement};
/// let (layout, facts) = SymbolicLayout::parse("(4,N):(M{range=1..},4*M)")?;
/// let codomain = facts.symbol("N")?.times(&facts.symbol("M")?)?.scaled(12)?;
/// let rest = complement(&facts, &layout, &SymbolicTuple::Leaf(codomain))?;
/// assert_eq!(rest.to_string(), "(M,3):(1,4*M*N)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn complement(
    facts: &Facts,
    layout: &SymbolicLayout,
    codomain: &SymbolicTuple,
) -> Result<SymbolicLayout> {
    if let (Some(layout), Some(codomain)) = (layout.to_static(), codomain.to_static()) {
        return Ok((&crate::complement(&layout, &codomain)?).into());
    }
    let operands = || format!("{layout}, {codomain}");
    let site = Site { operation: "complement", operands: &operands };
    for extent in codomain.leaves() {
        site.require(facts.at_least(extent, &Expr::from(1)))?;
    }
    let modes = sorted(facts, &site, layout)?;
    let mut filled = Expr::from(1);
    let mut result = Vec::with_capacity(modes.len() + 1);
    for (i, (extent, stride)) in modes.iter().enumerate() {
        let longer = facts.at_least(extent, &Expr::from(2));
        if !longer.is_yes() {
            // A mode of one entry is none. It makes no difference where it starts on a multiple of
            // what is filled, and what comes next starts on a multiple of its start.
            let next = modes.get(i + 1).map(|(_, stride)| stride);
            let next = next.or_else(|| codomain.leaves().first().copied()).unwrap_or(stride);
            for answer in [facts.divide(stride, &filled), facts.divide(next, stride)] {
                let answer: Answer = answer.into();
                if !answer.is_yes() {
                    return Err(site.unmet(vec![longer, answer]));
                }
            }
        }
        result.push((facts.floor_div(stride, &filled)?, filled));
        filled = stride.times(extent)?;
    }
    result.push((ceil_div_size(facts, codomain, &filled)?, filled));
    coalesce(&SymbolicLayout::from_flat(result))
}

/// The size of a shape divided from the left and rounded up: the first extent takes what it can, the
/// next what is left.
fn ceil_div_size(facts: &Facts, shape: &SymbolicTuple, by: &Expr) -> Result<Expr> {
    let mut rest = by.clone();
    shape.leaves().into_iter().try_fold(Expr::from(1), |size, extent| {
        let quotient = facts.ceil_div(extent, &rest)?;
        rest = facts.ceil_div(&rest, extent)?;
        size.times(&quotient)
    })
}

/// The modes that may reach something, each known to start where the one before ends, or later.
pub(super) fn sorted(
    facts: &Facts,
    site: &Site<'_>,
    layout: &SymbolicLayout,
) -> Result<Vec<(Expr, Expr)>> {
    let mut modes = Vec::new();
    for (extent, stride) in layout.flat() {
        if extent.is(1) || stride.is(0) {
            continue;
        }
        site.require(facts.at_least(&stride, &Expr::from(1)))?;
        modes.push((extent, stride));
    }
    site.few(modes.len())?;
    let mut sorted = Vec::with_capacity(modes.len());
    while !modes.is_empty() {
        let mut unmet = Vec::with_capacity(modes.len());
        let first = modes.iter().enumerate().find_map(|(i, (extent, stride))| {
            let Ok(end) = stride.times(extent) else { return None };
            let others = modes.iter().enumerate().filter(|&(j, _)| j != i);
            let mut answers = others.map(|(_, (_, other))| facts.at_least(other, &end));
            match answers.find(|answer| !answer.is_yes()) {
                None => Some(i),
                Some(answer) => {
                    unmet.push(answer);
                    None
                }
            }
        });
        match first {
            Some(first) => sorted.push(modes.remove(first)),
            None if unmet.is_empty() => return Err(site.overflow()),
            None => return Err(site.unmet_best(unmet)),
        }
    }
    Ok(sorted)
}
