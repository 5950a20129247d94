//! Fixing coordinates: slice keeps the modes written `_`, dice the others.

use crate::{
    error::{Error, Result},
    layout::Layout,
    modes::make_layout,
    tuple::{Coord, Tuple},
};

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
    walk(coord, layout, &mut |coord, mode| {
        match coord {
            Coord::Any => kept.push(mode.clone()),
            Coord::At(index) => {
                fixed = fixed
                    .checked_add(mode.at(*index)?)
                    .ok_or_else(|| Error::overflow("slice", layout))?;
            }
            Coord::Tuple(_) => {}
        }
        Ok(())
    })?;
    let kept = if kept.is_empty() { Layout::one() } else { make_layout(&kept)? };
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
    if let Coord::At(_) = coord {
        return Ok(layout.clone());
    }
    let mut fixed = Vec::new();
    walk(coord, layout, &mut |coord, mode| {
        if let Coord::At(_) = coord {
            fixed.push(mode.clone());
        }
        Ok(())
    })?;
    if fixed.is_empty() { Ok(Layout::one()) } else { make_layout(&fixed) }
}

/// Visits each integer and `_` of a coordinate with the mode it stands for.
fn walk(
    coord: &Coord,
    layout: &Layout,
    visit: &mut impl FnMut(&Coord, &Layout) -> Result<()>,
) -> Result<()> {
    match coord {
        Coord::Tuple(_) => parts(coord, layout.shape(), layout.stride(), visit),
        _ => visit(coord, layout),
    }
}

/// [`walk`] over parts of a layout, which are copied only where they are visited.
fn parts(
    coord: &Coord,
    shape: &Tuple,
    stride: &Tuple,
    visit: &mut impl FnMut(&Coord, &Layout) -> Result<()>,
) -> Result<()> {
    match (coord, shape, stride) {
        (Coord::Tuple(entries), Tuple::Node(shapes), Tuple::Node(strides))
            if entries.len() == shapes.len() =>
        {
            let modes = shapes.iter().zip(strides);
            entries
                .iter()
                .zip(modes)
                .try_for_each(|(entry, (shape, stride))| parts(entry, shape, stride, visit))
        }
        (Coord::Tuple(_), ..) => {
            Err(Error::Coordinate { shape: shape.clone(), coord: coord.to_string() })
        }
        _ => visit(coord, &Layout::new(shape.clone(), stride.clone())?),
    }
}
