//! Divides: a layout split into tiles.

use crate::{
    complement::{complement, sorted},
    composition::{by_mode, composition_within},
    error::{Error, Result},
    evaluate::Budget,
    layout::Layout,
    modes::{coalesce, coalesced_x, make_layout, unzip},
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
    divide_within(layout, tiler, &mut Budget::new())
}

fn divide_within(layout: &Layout, tiler: &Tiler, budget: &mut Budget) -> Result<Layout> {
    match tiler {
        Tiler::Any => Ok(layout.clone()),
        Tiler::Layout(tile) => {
            let padded = padded(layout, tile)?;
            let rest = complement(tile, coalesce(&padded)?.shape())?;
            composition_within(&padded, &make_layout(&[tile.clone(), rest])?, budget)
        }
        Tiler::Tuple(entries) => {
            let mut divide = |mode: &Layout, entry: &Tiler| divide_within(mode, entry, budget);
            make_layout(&by_mode("logical_divide", layout, entries, &mut divide)?)
        }
    }
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
    let zipped = zipped_divide(layout, tiler)?;
    let [tile, rest] = two(&zipped)?;
    let mut modes = vec![tile];
    modes.extend(rest.modes());
    make_layout(&modes)
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
    let zipped = zipped_divide(layout, tiler)?;
    let [tile, rest] = two(&zipped)?;
    let mut modes = tile.modes();
    modes.extend(rest.modes());
    make_layout(&modes)
}

/// The layout with the mode in which the tile's last cut falls lengthened to a multiple of the cut;
/// itself where all cuts are even, or no lengthening makes them so.
pub(crate) fn padded(layout: &Layout, tile: &Layout) -> Result<Layout> {
    let mut modes = coalesced_x(layout)?;
    if pad(&mut modes, tile)
        .ok_or_else(|| Error::overflow("logical_divide", format!("({layout}, {tile})")))?
    {
        return Layout::from_flat(&modes);
    }
    Ok(layout.clone())
}

/// Lengthens the mode in which the tile's last cut falls, where that makes all cuts even; whether it
/// did. Nothing on overflow.
pub(crate) fn pad<S>(modes: &mut [(i64, S)], tile: &Layout) -> Option<bool> {
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

/// The modes of a divide or product gathered by [`unzip`]; of one layout by another they already
/// are.
pub(crate) fn gathered(layout: Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Layout(_) => Ok(layout),
        Tiler::Any | Tiler::Tuple(_) => unzip(&layout, tiler),
    }
}

/// The two modes of a divide or product.
pub(crate) fn two(layout: &Layout) -> Result<[Layout; 2]> {
    <[Layout; 2]>::try_from(layout.modes()).map_err(|modes| Error::Operand {
        operation: "divide",
        expected: "a layout of rank 2".to_owned(),
        found: format!("{layout} of rank {}", modes.len()),
    })
}
