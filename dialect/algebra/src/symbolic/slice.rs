//! Fixing coordinates: slice keeps the modes written `_`, dice the others.

use super::{
    error::Result,
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    modes::make_layout,
    tuple::{SymbolicCoord, misfit},
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
    walk(coord, layout, &mut |coord, mode| {
        match coord {
            SymbolicCoord::Any => kept.push(mode.clone()),
            SymbolicCoord::At(index) => fixed = fixed.plus(&mode.at(facts, index)?)?,
            SymbolicCoord::Tuple(_) => {}
        }
        Ok(())
    })?;
    Ok((side_by_side(&kept)?, fixed))
}

/// The modes that a coordinate fixes.
///
/// # Errors
///
/// A coordinate that does not fit.
pub fn dice(coord: &SymbolicCoord, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    if let SymbolicCoord::At(_) = coord {
        return Ok(layout.clone());
    }
    let mut fixed = Vec::new();
    walk(coord, layout, &mut |coord, mode| {
        if let SymbolicCoord::At(_) = coord {
            fixed.push(mode.clone());
        }
        Ok(())
    })?;
    side_by_side(&fixed)
}

fn side_by_side(modes: &[SymbolicLayout]) -> Result<SymbolicLayout> {
    if modes.is_empty() {
        return Ok(SymbolicLayout::leaf(Expr::from(1), Expr::from(0)));
    }
    make_layout(modes)
}

/// Visits each expression and `_` of a coordinate with the mode it stands for.
fn walk(
    coord: &SymbolicCoord,
    layout: &SymbolicLayout,
    visit: &mut dyn FnMut(&SymbolicCoord, &SymbolicLayout) -> Result<()>,
) -> Result<()> {
    let SymbolicCoord::Tuple(entries) = coord else { return visit(coord, layout) };
    let modes = layout.modes();
    if layout.is_leaf() || modes.len() != entries.len() {
        return Err(misfit(layout.shape(), coord));
    }
    entries.iter().zip(&modes).try_for_each(|(entry, mode)| walk(entry, mode, visit))
}
