//! Which coordinates of a padded divide, or of a composition that reaches past its left operand, lie
//! outside; see [`crate::in_bounds_of_divide`].
//!
//! A comparison stays unless it is known to hold always: at values at which a tile comes out even, one
//! may be left that the static algebra would leave out.

use super::{
    complement::complement,
    composition::{composition, composition_tiler},
    divide::{logical_divide, padded},
    error::{Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    modes::{coalesce, coalesce_x},
    tuple::SymbolicTiler,
};
use crate::{
    modal::{Part, joined},
    predicate::{Comparison, by_tiler},
};

/// Holds at the coordinates `c` with `layout(c) < bound`.
pub type SymbolicComparison = Comparison<SymbolicLayout, Expr>;

/// Where [`logical_divide`] of a layout stays inside of it: where all comparisons hold.
///
/// # Errors
///
/// Those of [`logical_divide`]; a stride of the tile that is not known to be at least 0.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, SymbolicTiler, SymbolicTuple, in_bounds_of_divide};
/// let (layout, facts) = SymbolicLayout::parse("(M,K{div=64}):(K,1)")?;
/// let tiler = SymbolicTiler::from_shape(&facts, &SymbolicTuple::from(&"(128,64)".parse()?))?;
/// let inside = in_bounds_of_divide(&facts, &layout, &tiler)?;
/// // The columns come out even.
/// let inside: Vec<_> = inside.iter().map(ToString::to_string).collect();
/// assert_eq!(inside, ["((128,ceil_div(M,128)),(64,K/64)):((1,128),(0,0)) < M"]);
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn in_bounds_of_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<Vec<SymbolicComparison>> {
    let operands = || format!("{layout}, {tiler}");
    let site = Site { operation: "in_bounds_of_divide", operands: &operands };
    let divided = logical_divide(facts, layout, tiler)?;
    let zero = Expr::from(0);
    by_tiler(layout, tiler, &divided, &zero, &mut |mode: &SymbolicLayout, tile, divided| {
        let padded = padded(facts, mode, tile)?;
        let rest = complement(facts, tile, coalesce(&padded)?.shape())?;
        let whole = joined(vec![tile.clone(), rest])?;
        let mut comparisons = Vec::new();
        // One mode may have been lengthened. Its own index tells.
        let lengthened = coalesce_x(&padded)?.flat();
        for (i, (extent, _)) in coalesce_x(mode)?.flat().into_iter().enumerate() {
            if lengthened.get(i).is_some_and(|(length, _)| *length != extent) {
                let index = lengthened
                    .iter()
                    .enumerate()
                    .map(|(j, (length, _))| (length.clone(), Expr::from(i64::from(i == j))));
                let index = SymbolicLayout::from_flat(index.collect());
                let layout = composition(facts, &index, &whole)?;
                comparisons.push(Comparison { layout, bound: extent });
            }
        }
        // The last mode goes on: the index as a whole tells.
        comparisons.push(Comparison { layout: whole, bound: padded.size()? });
        necessary(facts, &site, comparisons, divided)
    })
}

/// Where [`composition`] with a layout stays inside of the left operand; see
/// [`crate::in_bounds_of_composition`].
///
/// # Errors
///
/// Those of [`composition`]; a stride of the right operand of which it is not known on which side of
/// 0 it lies.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, SymbolicTiler, in_bounds_of_composition};
/// let (a, mut facts) = SymbolicLayout::parse("(8,M):(1,8)")?;
/// let b = SymbolicTiler::Layout(SymbolicLayout::parse_with("(8,4):(1,8)", &mut facts)?);
/// let inside = in_bounds_of_composition(&facts, &a, &b)?;
/// assert_eq!(inside[0].to_string(), "(8,4):(1,8) < 8*M");
/// facts.declare("M{range=4..}")?;
/// assert!(in_bounds_of_composition(&facts, &a, &b)?.is_empty());
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn in_bounds_of_composition(
    facts: &Facts,
    a: &SymbolicLayout,
    b: &SymbolicTiler,
) -> Result<Vec<SymbolicComparison>> {
    let operands = || format!("{a}, {b}");
    let site = Site { operation: "in_bounds_of_composition", operands: &operands };
    let composed = composition_tiler(facts, a, b)?;
    let zero = Expr::from(0);
    by_tiler(a, b, &composed, &zero, &mut |mode: &SymbolicLayout, part, composed| {
        let mut comparisons = vec![Comparison { layout: part.clone(), bound: mode.size()? }];
        let ascends = |stride: &&Expr| facts.at_least(stride, &zero).is_yes();
        if !part.stride().leaves().iter().all(ascends) {
            // An offset is not negative if its opposite is less than 1.
            let opposite = part.stride().map(&mut |stride| stride.scaled(-1))?;
            let layout = SymbolicLayout::known(part.shape().clone(), opposite);
            comparisons.push(Comparison { layout, bound: Expr::from(1) });
        }
        necessary(facts, &site, comparisons, composed)
    })
}

/// Those of the comparisons that are not known to hold always, on the shape of the result where its
/// leaves are finer.
fn necessary(
    facts: &Facts,
    site: &Site<'_>,
    comparisons: Vec<SymbolicComparison>,
    result: Part<'_, SymbolicLayout>,
) -> Result<Vec<SymbolicComparison>> {
    let mut kept = Vec::new();
    for Comparison { layout, bound } in comparisons {
        let mut end = Expr::from(1);
        for (extent, stride) in layout.flat() {
            if !facts.at_least(&Expr::from(0), &stride).is_yes() {
                site.require(facts.at_least(&stride, &Expr::from(0)))?;
                end = end.plus(&extent.plus(&Expr::from(-1))?.times(&stride)?)?;
            }
        }
        if facts.at_least(&bound, &end).is_yes() {
            continue;
        }
        let layout = if layout.shape() == result.shape() {
            layout
        } else {
            let whole = SymbolicLayout::from_shape(facts, result.shape().clone())?;
            composition(facts, &layout, &whole)?
        };
        kept.push(Comparison { layout, bound });
    }
    Ok(kept)
}
