//! Rearranging modes: coalesce, flatten, group, select, concatenate.

use crate::{
    error::{Error, Result},
    layout::Layout,
    tuple::Tuple,
};

/// The layout of fewest flat modes that is the same function on `0 .. size`.
///
/// Drops modes of extent 1 and merges modes that continue each other; all ones are `1:0`.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// use layout_algebra::{Layout, coalesce};
/// let layout: Layout = "(2,(1,6)):(1,(6,2))".parse()?;
/// assert_eq!(coalesce(&layout)?.to_string(), "12:1");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn coalesce(layout: &Layout) -> Result<Layout> {
    let modes: Vec<_> = layout.flat().into_iter().filter(|&(extent, _)| extent != 1).collect();
    Layout::from_flat(&merge(layout, modes)?)
}

/// [`coalesce`] that is the same function past the size as well: the last mode keeps its stride
/// even where its extent is 1.
///
/// # Errors
///
/// Overflow.
pub fn coalesce_x(layout: &Layout) -> Result<Layout> {
    let flat = layout.flat();
    let last = flat.len() - 1;
    let kept = flat
        .into_iter()
        .enumerate()
        .filter(|&(i, (extent, _))| extent != 1 || i == last)
        .map(|(_, mode)| mode)
        .collect();
    Layout::from_flat(&merge(layout, kept)?)
}

fn merge(layout: &Layout, modes: Vec<(i64, i64)>) -> Result<Vec<(i64, i64)>> {
    let mut merged: Vec<(i64, i64)> = Vec::with_capacity(modes.len());
    for (extent, stride) in modes {
        match merged.last_mut() {
            Some((before, step)) if before.checked_mul(*step) == Some(stride) => {
                *before = before
                    .checked_mul(extent)
                    .ok_or_else(|| Error::overflow("coalesce", layout))?;
            }
            _ => merged.push((extent, stride)),
        }
    }
    Ok(merged)
}

/// [`coalesce`] of each part of the layout that stands where `profile` has an integer.
///
/// # Errors
///
/// A profile that nests deeper than the layout; overflow.
pub fn coalesce_by(layout: &Layout, profile: &Tuple) -> Result<Layout> {
    match profile {
        Tuple::Leaf(_) => coalesce(layout),
        Tuple::Node(entries) => {
            if layout.is_leaf() || entries.len() > layout.rank() {
                return Err(Error::Operand {
                    operation: "coalesce",
                    expected: format!("a profile no deeper than {}", layout.shape()),
                    found: profile.to_string(),
                });
            }
            let modes = layout.modes();
            let modes: Vec<_> = modes
                .iter()
                .enumerate()
                .map(|(i, mode)| match entries.get(i) {
                    Some(entry) => coalesce_by(mode, entry),
                    None => Ok(mode.clone()),
                })
                .collect::<Result<_>>()?;
            make_layout(&modes)
        }
    }
}

/// The layout whose modes are the given layouts.
///
/// # Errors
///
/// No layouts; overflow.
pub fn make_layout(modes: &[Layout]) -> Result<Layout> {
    if modes.is_empty() {
        return Err(Error::Operand {
            operation: "make_layout",
            expected: "at least one layout".to_owned(),
            found: "none".to_owned(),
        });
    }
    Layout::new(
        Tuple::Node(modes.iter().map(|mode| mode.shape().clone()).collect()),
        Tuple::Node(modes.iter().map(|mode| mode.stride().clone()).collect()),
    )
}

/// All leaves as modes at the top.
///
/// # Errors
///
/// None but overflow.
pub fn flatten(layout: &Layout) -> Result<Layout> {
    if layout.is_leaf() {
        return Ok(layout.clone());
    }
    let flat: Vec<_> = layout.flat();
    Layout::new(
        Tuple::Node(flat.iter().map(|&(extent, _)| Tuple::Leaf(extent)).collect()),
        Tuple::Node(flat.iter().map(|&(_, stride)| Tuple::Leaf(stride)).collect()),
    )
}

/// A mode, or a mode of a mode.
///
/// # Errors
///
/// A mode that the layout does not have.
pub fn get(layout: &Layout, path: &[i64]) -> Result<Layout> {
    path.iter().try_fold(layout.clone(), |layout, &mode| {
        usize::try_from(mode)
            .ok()
            .and_then(|index| layout.mode(index))
            .ok_or_else(|| no_mode("get", &layout, mode))
    })
}

/// The layout of some modes.
///
/// # Errors
///
/// A mode that the layout does not have.
pub fn select(layout: &Layout, modes: &[i64]) -> Result<Layout> {
    let chosen: Vec<_> = modes
        .iter()
        .map(|&mode| {
            usize::try_from(mode)
                .ok()
                .and_then(|index| layout.mode(index))
                .ok_or_else(|| no_mode("select", layout, mode))
        })
        .collect::<Result<_>>()?;
    make_layout(&chosen)
}

/// The layout with modes `begin .. end` put into one.
///
/// # Errors
///
/// A range that is empty or leaves the rank.
pub fn group(layout: &Layout, begin: i64, end: i64) -> Result<Layout> {
    let modes = layout.modes();
    let range = usize::try_from(begin)
        .ok()
        .zip(usize::try_from(end).ok())
        .filter(|&(begin, end)| begin < end && end <= modes.len())
        .ok_or_else(|| no_mode("group", layout, if begin < 0 { begin } else { end - 1 }))?;
    let mut grouped: Vec<_> = modes[..range.0].to_vec();
    grouped.push(make_layout(&modes[range.0..range.1])?);
    grouped.extend_from_slice(&modes[range.1..]);
    make_layout(&grouped)
}

/// The layout with modes `1:0` appended up to a rank.
pub(crate) fn padded(layout: &Layout, rank: usize) -> Result<Layout> {
    if layout.rank() >= rank {
        return Ok(layout.clone());
    }
    let mut modes = layout.modes();
    while modes.len() < rank {
        modes.push(Layout::leaf(1, 0)?);
    }
    make_layout(&modes)
}

pub(crate) fn no_mode(operation: &'static str, layout: &Layout, mode: i64) -> Error {
    Error::Mode { operation, layout: layout.to_string(), rank: layout.rank(), mode }
}
