//! Divides: a layout split into tiles.

use crate::{
    complement::{complement, sorted},
    composition::composition_of_two,
    error::{Error, Result},
    evaluate::Budget,
    layout::Layout,
    modal::{Past, all_apart, by_mode, gathered, rests_apart},
    modes::{coalesce, coalesced_x},
    shape::ceil,
    tiler::Tiler,
};

/// Splits each mode that the tiler names into `(tile, rest)`: `A o (B, complement(B, size A))`.
///
/// A divide that does not come out even keeps CuTe's padded result: the mode in which the tile ends
/// is lengthened to a multiple of what the tile takes of it, and the last tiles reach past it.
///
/// | `A` | tile | result | outside |
/// |---|---|---|---|
/// | `10:1` | `4:1` | `(4,3):(1,4)` | offsets 10 and 11 |
/// | `(5,2):(2,40)` | `2:1` | `(2,(3,2)):(2,(4,40))` | the sixth row of each column |
/// | `(5,1):(1,10)` | `3:2` | `(3,2):(2,1)` | offset 5 |
///
/// # Errors
///
/// Those of [`complement`] and [`composition`](crate::composition).
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("logical_divide((4,2,3):(2,1,8), 4:2)")?, "((2,2),(2,3)):((4,1),(2,8))");
/// assert_eq!(value("logical_divide(10:1, 4:1)")?, "(4,3):(1,4)");
/// assert_eq!(value("logical_divide((8,6):(6,1), (4,3))")?, "((4,2),(3,2)):((6,24),(1,3))");
/// # Ok::<(), Error>(())
/// ```
pub fn logical_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let mut budget = Budget::new();
    by_mode("logical_divide", Past::Kept, layout, tiler, &mut |mode, tile| {
        Ok(divided(mode, tile, &mut budget)?.result)
    })
}

/// One mode divided by one tile.
pub(crate) struct Divided {
    /// What was divided: the mode itself, or the mode without last modes of extent 1.
    pub(crate) mode: Layout,
    /// `mode` with the mode in which the tile's last cut falls lengthened; none if none is.
    pub(crate) longer: Option<Layout>,
    /// The complement of the tile.
    pub(crate) rest: Layout,
    /// The composition with `(tile, rest)`.
    pub(crate) result: Layout,
}

/// Divides a mode by a tile.
///
/// Past its size a layout goes on in its last mode, also where that has extent 1. Where no layout is the
/// quotient of the mode as it goes on, and the tile lies inside, only coordinates of the padding lie past
/// the size: there the mode goes on in its last mode of a greater extent, as if it ended in that one.
pub(crate) fn divided(mode: &Layout, tile: &Layout, budget: &mut Budget) -> Result<Divided> {
    let refused = match as_it_goes_on(mode.clone(), tile, budget) {
        Err(error @ (Error::NoComposition { .. } | Error::Overflow { .. })) => error,
        answer => return answer,
    };
    let ends_in_one = mode.leaves().last().is_some_and(|(extent, _)| *extent == 1);
    match coalesce(mode) {
        Ok(shorter) if ends_in_one && tile.cosize().is_ok_and(|reach| reach <= mode.size()) => {
            as_it_goes_on(shorter, tile, budget).map_err(|_| refused)
        }
        _ => Err(refused),
    }
}

fn as_it_goes_on(mode: Layout, tile: &Layout, budget: &mut Budget) -> Result<Divided> {
    let longer = padded(&mode, tile)?;
    let extended = longer.as_ref().unwrap_or(&mode);
    let rest = complement(tile, coalesce(extended)?.shape())?;
    let result = composition_of_two(extended, [tile, &rest], budget)?;
    Ok(Divided { mode, longer, rest, result })
}

/// [`logical_divide`] with all tiles gathered in the first mode and all rests in the second.
///
/// # Errors
///
/// As [`logical_divide`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("zipped_divide((8,6):(6,1), (4,3))")?, "((4,3),(2,2)):((6,1),(24,3))");
/// # Ok::<(), Error>(())
/// ```
pub fn zipped_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    gathered(logical_divide(layout, tiler)?, tiler)
}

/// [`zipped_divide`] with the rests as modes of their own: `(tiles, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("tiled_divide((8,6):(6,1), (4,3))")?, "((4,3),2,2):((6,1),24,3)");
/// # Ok::<(), Error>(())
/// ```
pub fn tiled_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    rests_apart(&zipped_divide(layout, tiler)?)
}

/// [`zipped_divide`] with tiles and rests as modes of their own: `(tile, tile, …, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("flat_divide((8,6):(6,1), (4,3))")?, "(4,3,2,2):(6,1,24,3)");
/// # Ok::<(), Error>(())
/// ```
pub fn flat_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    all_apart(&zipped_divide(layout, tiler)?)
}

/// The layout with the mode in which the tile's last cut falls lengthened to a multiple of the cut;
/// none where all cuts are even, or no lengthening makes them so.
fn padded(layout: &Layout, tile: &Layout) -> Result<Option<Layout>> {
    let mut modes = coalesced_x(layout)?;
    let lengthened = pad(&mut modes, tile)
        .ok_or_else(|| Error::overflow("logical_divide", format!("({layout}, {tile})")))?;
    lengthened.then(|| Layout::from_flat(&modes)).transpose()
}

/// Lengthens the mode in which the tile's last cut falls, where that makes all cuts even; whether it
/// did. Nothing on overflow.
pub(crate) fn pad<S>(modes: &mut [(i64, S)], tile: &Layout) -> Option<bool> {
    if modes.len() < 2 {
        // The last mode goes on.
        return Some(false);
    }
    // A tile cuts the indices of the layout where one of its modes starts or ends.
    let mut cuts = Vec::new();
    for (extent, stride) in sorted(tile) {
        cuts.extend([stride, stride.checked_mul(extent)?]);
    }
    let last = modes.len().saturating_sub(1);
    let mut below = 1_i64;
    for (extent, _) in &mut modes[..last] {
        let above = below.checked_mul(*extent)?;
        let (mut uneven, mut step) = (false, 1);
        for &cut in cuts.iter().filter(|&&cut| below < cut && cut < above) {
            // Cuts of a chain are multiples of each other; others are left to composition.
            if cut % below != 0 || (cut / below) % step != 0 {
                return Some(false);
            }
            step = cut / below;
            uneven |= *extent % step != 0;
        }
        if uneven {
            if cuts.iter().any(|&cut| cut >= above) {
                return Some(false);
            }
            *extent = ceil(*extent, step).checked_mul(step)?;
            return Some(true);
        }
        below = above;
    }
    Some(false)
}
