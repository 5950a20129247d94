//! Fixing coordinates: slice keeps the modes written `_`, dice the others.

use crate::{
    error::Result,
    layout::Layout,
    leaf::Leaf,
    modal::{Part, joined, walk},
    tuple::{Coord, CoordOf},
};
use alloc::vec::Vec;

/// What a coordinate leaves of a layout, and the offset of what it fixes.
///
/// The kept modes stand side by side, whatever they were nested in; a coordinate that fixes all
/// leaves `1:0`.
///
/// # Errors
///
/// A coordinate that does not fit; overflow.
///
/// ```
/// use layout_algebra::{Coord, Layout, slice};
/// let layout: Layout = "(4,(2,4)):(2,(1,8))".parse()?;
/// let coord = Coord::Tuple(vec![Coord::At(3), Coord::Any]);
/// let (kept, offset) = slice(&coord, &layout)?;
/// assert_eq!((kept.to_string(), offset), ("((2,4)):((1,8))".to_owned(), 6));
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn slice(coord: &Coord, layout: &Layout) -> Result<(Layout, i64)> {
    slice_under(&(), coord, layout)
}

/// [`slice()`] under facts.
///
/// # Errors
///
/// A coordinate that does not fit; those of [`Layout::crd2idx_under`].
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
pub fn slice_under<L: Leaf>(
    facts: &L::Facts,
    coord: &CoordOf<L>,
    layout: &Layout<L>,
) -> Result<(Layout<L>, L), L::Error> {
    if *coord == CoordOf::Any {
        return Ok((layout.clone(), L::from(0)));
    }
    let mut kept = Vec::new();
    let mut fixed = L::from(0);
    walk(coord, Part::of(layout), &mut |index, part| {
        match index {
            None => kept.push(part.to_layout()),
            Some(index) => {
                let offset = L::offset(facts, part.shape(), part.stride(), index)?;
                fixed = fixed.plus(&offset).map_err(|lost| L::lost(lost, "slice", layout))?;
            }
        }
        Ok(())
    })?;
    let kept = if kept.is_empty() { Layout::one() } else { joined(kept)? };
    Ok((kept, fixed))
}

/// The modes that a coordinate fixes.
///
/// # Errors
///
/// As [`slice()`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("dice((3,_), (4,(2,4)):(2,(1,8)))")?, "(4):(2)");
/// # Ok::<(), Error>(())
/// ```
pub fn dice<L: Leaf>(coord: &CoordOf<L>, layout: &Layout<L>) -> Result<Layout<L>, L::Error> {
    if let CoordOf::At(_) = coord {
        return Ok(layout.clone());
    }
    let mut fixed = Vec::new();
    walk(coord, Part::of(layout), &mut |index, part| {
        fixed.extend(index.map(|_| part.to_layout()));
        Ok(())
    })?;
    if fixed.is_empty() { Ok(Layout::one()) } else { joined(fixed) }
}
