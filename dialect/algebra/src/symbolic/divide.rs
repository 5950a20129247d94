//! Divides: a layout split into tiles.

use super::{
    complement::{complement, sorted},
    composition::composition,
    error::{Answer, Quotient, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    modes::{coalesce, coalesce_x},
    tuple::SymbolicTiler,
};
use crate::{
    Tiler,
    modal::{Past, all_apart, by_mode, gathered, joined, rests_apart},
};

/// Splits each mode that the tiler names into `(tile, rest)`: `A o (B, complement(B, size A))`.
///
/// A divide that does not come out even is padded, as in the static algebra: the mode in which the
/// tile ends is lengthened to a multiple of what the tile takes of it. If that is the last mode,
/// nothing need be known of it.
///
/// # Errors
///
/// Those of [`complement`] and [`composition`]; where it is not known in which mode the tile ends.
///
/// ```
/// use layout_algebra::symbolic::{Facts, SymbolicLayout, SymbolicTiler, SymbolicTuple, zipped_divide};
/// let (layout, facts) = SymbolicLayout::parse("(M,K):(K,1)")?;
/// let tiler = SymbolicTiler::from_shape(&facts, &SymbolicTuple::from(&"(128,64)".parse()?))?;
/// assert_eq!(
///     zipped_divide(&facts, &layout, &tiler)?.to_string(),
///     "((128,64),(ceil_div(M,128),ceil_div(K,64))):((K,1),(128*K,64))",
/// );
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn logical_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    by_mode("logical_divide", Past::Kept, layout, tiler, &mut |mode, tile| {
        if let (Some(mode), Some(tile)) = (mode.to_static(), tile.to_static()) {
            return Ok((&crate::logical_divide(&mode, &Tiler::Layout(tile))?).into());
        }
        let padded = padded(facts, mode, tile)?;
        let rest = complement(facts, tile, coalesce(&padded)?.shape())?;
        composition(facts, &padded, &joined(vec![tile.clone(), rest])?)
    })
}

/// [`logical_divide`] with all tiles gathered in the first mode and all rests in the second.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn zipped_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    gathered(logical_divide(facts, layout, tiler)?, tiler)
}

/// [`zipped_divide`] with the rests as modes of their own: `(tiles, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn tiled_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    rests_apart(&zipped_divide(facts, layout, tiler)?)
}

/// [`zipped_divide`] with tiles and rests as modes of their own: `(tile, tile, …, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn flat_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    all_apart(&zipped_divide(facts, layout, tiler)?)
}

/// The layout with the mode in which the tile's last cut falls lengthened to a multiple of the cut;
/// itself where all cuts are even, or are known to be past what lengthening can do.
pub(super) fn padded(
    facts: &Facts,
    layout: &SymbolicLayout,
    tile: &SymbolicLayout,
) -> Result<SymbolicLayout> {
    let operands = || format!("{layout}, {tile}");
    let site = Site { operation: "logical_divide", operands: &operands };
    let modes = coalesce_x(layout)?.flat();
    site.few(modes.len())?;
    let Some((_, before)) = modes.split_last() else { return Ok(layout.clone()) };
    if before.is_empty() {
        return Ok(layout.clone());
    }
    // A tile cuts the indices of the layout where one of its modes starts or ends.
    let mut cuts = Vec::new();
    for (extent, stride) in sorted(facts, &site, tile)? {
        if !stride.is(1) {
            // A mode of one entry is none, and cuts nowhere.
            site.require(facts.at_least(&extent, &Expr::from(2)))?;
        }
        cuts.extend([stride.clone(), stride.times(&extent)?]);
    }
    // At values at which a mode continues the one before, the static algebra sees one mode and pads
    // elsewhere, unless the tile comes out even.
    let apart = |even: Answer| {
        for pair in modes.windows(2) {
            if let [(extent, stride), (_, next)] = pair {
                let apart = facts.distinct(&extent.times(stride)?, next);
                if !apart.is_yes() {
                    return Err(site.unmet(vec![even, apart]));
                }
            }
        }
        Ok(())
    };
    let mut below = Expr::from(1);
    for (i, (extent, _)) in before.iter().enumerate() {
        let above = below.times(extent)?;
        let (mut step, mut beyond) = (Expr::from(1), false);
        for cut in &cuts {
            if facts.at_least(&below, cut).is_yes() {
                continue;
            }
            let inside = facts.at_least(&above, cut);
            if facts.at_least(cut, &above).is_yes() {
                beyond = true;
                continue;
            }
            site.require(facts.at_least(cut, &below))?;
            site.require(inside)?;
            let next = facts.divide(cut, &below);
            let next = match next {
                Quotient::Never(_) => return apart(Answer::Yes).map(|()| layout.clone()),
                other => site.exact(other)?,
            };
            match facts.divide(&next, &step) {
                // Cuts of a chain are multiples of each other; others are left to composition.
                Quotient::Never(_) => return apart(Answer::Yes).map(|()| layout.clone()),
                other => site.exact(other)?,
            };
            step = next;
        }
        let even: Answer = facts.divide(extent, &step).into();
        if even.is_yes() {
            below = above;
            continue;
        }
        if beyond {
            site.require(match even {
                Answer::No(_) => Answer::Yes,
                ref unknown => unknown.clone(),
            })?;
            return apart(even).map(|()| layout.clone());
        }
        apart(even)?;
        let mut lengthened = modes.clone();
        if let Some(mode) = lengthened.get_mut(i) {
            mode.0 = facts.ceil_div(extent, &step)?.times(&step)?;
        }
        return Ok(SymbolicLayout::from_flat(lengthened));
    }
    Ok(layout.clone())
}
