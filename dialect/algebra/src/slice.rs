//! Fixing coordinates: slice keeps the modes written `_`, dice the others.

use crate::{
    error::{Error, Result},
    layout::Layout,
    modal::{Modal, Part, joined, walk},
    tuple::{Coord, CoordOf},
};
use std::fmt;

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
    if *coord == Coord::Any {
        return Ok((layout.clone(), 0));
    }
    let mut kept = Vec::new();
    let mut fixed = 0_i64;
    walk(coord, Part::of(layout), &mut |index, part| {
        match index {
            None => kept.push(part.to_layout()),
            Some(&index) => {
                fixed = fixed
                    .checked_add(part.to_layout().at(index)?)
                    .ok_or_else(|| Error::overflow("slice", layout))?;
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
pub fn dice(coord: &Coord, layout: &Layout) -> Result<Layout> {
    diced(coord, layout).map(|fixed| fixed.unwrap_or_else(Layout::one))
}

/// [`dice`] of any layout; none where nothing is fixed.
pub(crate) fn diced<L: Modal, I: fmt::Display>(
    coord: &CoordOf<I>,
    layout: &L,
) -> Result<Option<L>, L::Error> {
    if let CoordOf::At(_) = coord {
        return Ok(Some(layout.clone()));
    }
    let mut fixed = Vec::new();
    walk(coord, Part::of(layout), &mut |index, part| {
        fixed.extend(index.map(|_| part.to_layout()));
        Ok(())
    })?;
    if fixed.is_empty() { Ok(None) } else { joined(fixed).map(Some) }
}
