//! Fixing coordinates: slice keeps the modes written `_`, dice the others.

use super::{
    error::Result, expr::Expr, facts::Facts, layout::SymbolicLayout, tuple::SymbolicCoord,
};
use crate::{
    modal::{Part, joined, walk},
    slice::diced,
};

/// What a coordinate leaves of a layout, and the offset of what it fixes.
///
/// # Errors
///
/// A coordinate that does not fit; those of [`SymbolicLayout::at`].
///
/// ```
/// use layout_algebra::symbolic::{SymbolicCoord, SymbolicLayout, slice};
/// let (layout, mut facts) = SymbolicLayout::parse("((128,M),K):((K,128*K),1)")?;
/// let block = facts.declare("block{range=0..}")?;
/// let rows = SymbolicCoord::Tuple(vec![SymbolicCoord::Any, SymbolicCoord::At(block)]);
/// let (tile, offset) =
///     slice(&facts, &SymbolicCoord::Tuple(vec![rows, SymbolicCoord::Any]), &layout)?;
/// assert_eq!((tile.to_string(), offset.to_string()), ("(128,K):(K,1)".into(), "128*K*block".into()));
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn slice(
    facts: &Facts,
    coord: &SymbolicCoord,
    layout: &SymbolicLayout,
) -> Result<(SymbolicLayout, Expr)> {
    if *coord == SymbolicCoord::Any {
        return Ok((layout.clone(), Expr::from(0)));
    }
    let mut kept = Vec::new();
    let mut fixed = Expr::from(0);
    walk(coord, Part::of(layout), &mut |index, part| {
        match index {
            None => kept.push(part.to_layout()),
            Some(index) => fixed = fixed.plus(&part.to_layout().at(facts, index)?)?,
        }
        Ok(())
    })?;
    let kept = if kept.is_empty() { SymbolicLayout::one() } else { joined(kept)? };
    Ok((kept, fixed))
}

/// The modes that a coordinate fixes.
///
/// # Errors
///
/// A coordinate that does not fit.
pub fn dice(coord: &SymbolicCoord, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    diced(coord, layout).map(|fixed| fixed.unwrap_or_else(SymbolicLayout::one))
}
