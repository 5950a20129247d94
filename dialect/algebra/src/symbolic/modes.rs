//! Rearranging modes: coalesce, flatten, group, select, concatenate, filter.

use super::{
    error::{Answer, Error, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    tuple::{SymbolicTiler, SymbolicTuple},
};

/// The layout in fewer flat modes that is the same function on `0 .. size`.
///
/// Drops modes of extent 1 and merges modes that continue each other under every assignment. At
/// given values modes may be left that the static algebra would merge.
///
/// # Errors
///
/// Overflow and limits.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, coalesce};
/// let (layout, _) = SymbolicLayout::parse("((M,8),(1,N)):((1,M),(3,8*M))")?;
/// assert_eq!(coalesce(&layout)?.to_string(), "8*M*N:1");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn coalesce(layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let modes = layout.flat().into_iter().filter(|(extent, _)| !extent.is(1)).collect();
    Ok(SymbolicLayout::from_flat(merge(modes)?))
}

/// [`coalesce`] that is the same function past the size as well: the last mode keeps its stride
/// even where its extent is 1.
///
/// # Errors
///
/// Overflow and limits.
pub fn coalesce_x(layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let flat = layout.flat();
    let last = flat.len().saturating_sub(1);
    let kept = flat
        .into_iter()
        .enumerate()
        .filter(|(i, (extent, _))| !extent.is(1) || *i == last)
        .map(|(_, mode)| mode)
        .collect();
    Ok(SymbolicLayout::from_flat(merge(kept)?))
}

fn merge(modes: Vec<(Expr, Expr)>) -> Result<Vec<(Expr, Expr)>> {
    let mut merged: Vec<(Expr, Expr)> = Vec::with_capacity(modes.len());
    for (extent, stride) in modes {
        if let Some((before, step)) = merged.last_mut()
            && before.times(step)? == stride
        {
            *before = before.times(&extent)?;
            continue;
        }
        merged.push((extent, stride));
    }
    Ok(merged)
}

/// [`coalesce`] of each part of the layout that stands where `profile` has a leaf.
///
/// # Errors
///
/// A profile that nests deeper than the layout; overflow and limits.
pub fn coalesce_by(layout: &SymbolicLayout, profile: &SymbolicTuple) -> Result<SymbolicLayout> {
    let SymbolicTuple::Node(entries) = profile else { return coalesce(layout) };
    if layout.is_leaf() || entries.len() > layout.rank() {
        let expected = format!("a profile no deeper than {}", layout.shape());
        return Err(Error::operand("coalesce", expected, profile));
    }
    let modes: Vec<_> = layout
        .modes()
        .into_iter()
        .enumerate()
        .map(|(i, mode)| match entries.get(i) {
            Some(entry) => coalesce_by(&mode, entry),
            None => Ok(mode),
        })
        .collect::<Result<_>>()?;
    make_layout(&modes)
}

/// The layout whose modes are the given layouts.
///
/// # Errors
///
/// No layouts.
pub fn make_layout(modes: &[SymbolicLayout]) -> Result<SymbolicLayout> {
    if modes.is_empty() {
        return Err(Error::operand("make_layout", "at least one layout", "none"));
    }
    Ok(SymbolicLayout::known(
        SymbolicTuple::Node(modes.iter().map(|mode| mode.shape().clone()).collect()),
        SymbolicTuple::Node(modes.iter().map(|mode| mode.stride().clone()).collect()),
    ))
}

/// All leaves as modes at the top.
pub fn flatten(layout: &SymbolicLayout) -> SymbolicLayout {
    if layout.is_leaf() {
        return layout.clone();
    }
    let tuple = |leaves: Vec<&Expr>| {
        SymbolicTuple::Node(leaves.into_iter().cloned().map(SymbolicTuple::Leaf).collect())
    };
    SymbolicLayout::known(tuple(layout.shape().leaves()), tuple(layout.stride().leaves()))
}

/// A mode, or a mode of a mode.
///
/// # Errors
///
/// A mode that the layout does not have.
pub fn get(layout: &SymbolicLayout, path: &[i64]) -> Result<SymbolicLayout> {
    path.iter().try_fold(layout.clone(), |layout, &mode| one(&layout, "get", mode))
}

/// The layout of some modes.
///
/// # Errors
///
/// A mode that the layout does not have.
pub fn select(layout: &SymbolicLayout, modes: &[i64]) -> Result<SymbolicLayout> {
    let chosen: Vec<_> =
        modes.iter().map(|&mode| one(layout, "select", mode)).collect::<Result<_>>()?;
    make_layout(&chosen)
}

fn one(layout: &SymbolicLayout, operation: &'static str, mode: i64) -> Result<SymbolicLayout> {
    usize::try_from(mode)
        .ok()
        .and_then(|index| layout.mode(index))
        .ok_or_else(|| no_mode(operation, layout, mode))
}

/// The layout with modes `begin .. end` put into one.
///
/// # Errors
///
/// A range that is empty or leaves the rank.
pub fn group(layout: &SymbolicLayout, begin: i64, end: i64) -> Result<SymbolicLayout> {
    let modes = layout.modes();
    let (begin, end) = range("group", layout, begin, end)?;
    let mut grouped: Vec<_> = modes[..begin].to_vec();
    grouped.push(make_layout(&modes[begin..end])?);
    grouped.extend_from_slice(&modes[end..]);
    make_layout(&grouped)
}

/// The layout with another put behind its modes.
///
/// # Errors
///
/// None.
pub fn append(layout: &SymbolicLayout, mode: &SymbolicLayout) -> Result<SymbolicLayout> {
    let mut modes = layout.modes();
    modes.push(mode.clone());
    make_layout(&modes)
}

/// The layout with another put before its modes.
///
/// # Errors
///
/// None.
pub fn prepend(layout: &SymbolicLayout, mode: &SymbolicLayout) -> Result<SymbolicLayout> {
    let mut modes = layout.modes();
    modes.insert(0, mode.clone());
    make_layout(&modes)
}

/// The layout with one mode replaced.
///
/// # Errors
///
/// A mode that the layout does not have.
pub fn replace(layout: &SymbolicLayout, mode: i64, by: &SymbolicLayout) -> Result<SymbolicLayout> {
    let mut modes = layout.modes();
    match usize::try_from(mode).ok().and_then(|at| modes.get_mut(at)) {
        Some(slot) => *slot = by.clone(),
        None => return Err(no_mode("replace", layout, mode)),
    }
    if layout.is_leaf() { Ok(by.clone()) } else { make_layout(&modes) }
}

/// The layout of modes `begin .. end`.
///
/// # Errors
///
/// A range that is empty or leaves the rank.
pub fn take(layout: &SymbolicLayout, begin: i64, end: i64) -> Result<SymbolicLayout> {
    let (begin, end) = range("take", layout, begin, end)?;
    make_layout(&layout.modes()[begin..end])
}

/// Two layouts mode by mode: `zip((A0,A1), (B0,B1)) = ((A0,B0),(A1,B1))`.
///
/// # Errors
///
/// Layouts of different rank.
pub fn zip(a: &SymbolicLayout, b: &SymbolicLayout) -> Result<SymbolicLayout> {
    if a.rank() != b.rank() {
        return Err(Error::operand("zip", format!("layouts of the same rank as {a}"), b));
    }
    let pairs = a.modes().into_iter().zip(b.modes()).map(|(a, b)| make_layout(&[a, b]));
    make_layout(&pairs.collect::<Result<Vec<_>>>()?)
}

/// Gathers the first parts of the modes that a tiler's tuple names, and the second parts; modes
/// past the tuple go with the second. Undoes a by-mode divide: each mode named must be a pair.
///
/// # Errors
///
/// A mode named by a layout or `_` that is no pair; a tiler longer than the rank.
pub fn unzip(layout: &SymbolicLayout, tiler: &SymbolicTiler) -> Result<SymbolicLayout> {
    make_layout(&unzipped(layout, tiler)?)
}

fn unzipped(layout: &SymbolicLayout, tiler: &SymbolicTiler) -> Result<[SymbolicLayout; 2]> {
    let SymbolicTiler::Tuple(entries) = tiler else {
        return <[SymbolicLayout; 2]>::try_from(layout.modes()).map_err(|modes| {
            let expected = "a pair (tile, rest) wherever the tiler has a layout or `_`";
            Error::operand("unzip", expected, format!("{layout} of rank {}", modes.len()))
        });
    };
    let modes = layout.modes();
    if entries.len() > modes.len() {
        let expected = format!("a tiler of at most {} entries for {layout}", modes.len());
        return Err(Error::operand("unzip", expected, entries.len()));
    }
    let (mut tiles, mut rests) = (Vec::new(), Vec::new());
    for (i, mode) in modes.into_iter().enumerate() {
        match entries.get(i) {
            Some(entry) => {
                let [tile, rest] = unzipped(&mode, entry)?;
                tiles.push(tile);
                rests.push(rest);
            }
            None => rests.push(mode),
        }
    }
    Ok([make_layout(&tiles)?, make_layout(&rests)?])
}

/// A range of modes.
fn range(
    operation: &'static str,
    layout: &SymbolicLayout,
    begin: i64,
    end: i64,
) -> Result<(usize, usize)> {
    usize::try_from(begin)
        .ok()
        .zip(usize::try_from(end).ok())
        .filter(|&(begin, end)| begin < end && end <= layout.rank())
        .ok_or_else(|| {
            let expected = format!("a range of modes of {layout} that is not empty");
            Error::operand(operation, expected, format!("{begin} .. {end}"))
        })
}

/// The layout with every mode of stride 0 shortened to `1:0`.
///
/// # Errors
///
/// A stride of which it is not known whether it is 0.
pub fn filter_zeros(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let operands = || layout.to_string();
    let site = Site { operation: "filter_zeros", operands: &operands };
    let mut strides = layout.stride().leaves().into_iter();
    let shape = layout.shape().map(&mut |extent| {
        let still = match strides.next() {
            Some(stride) => is_zero(facts, &site, stride)?,
            None => true,
        };
        Ok(if still { Expr::from(1) } else { extent.clone() })
    })?;
    Ok(SymbolicLayout::known(shape, layout.stride().clone()))
}

/// [`coalesce`] of [`filter_zeros`]: what is left of a layout when broadcasts are dropped.
///
/// # Errors
///
/// As [`filter_zeros`].
pub fn filter(facts: &Facts, layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    coalesce(&filter_zeros(facts, layout)?)
}

/// Whether a stride is 0, which must be known.
pub(super) fn is_zero(facts: &Facts, site: &Site<'_>, stride: &Expr) -> Result<bool> {
    let zero = Expr::from(0);
    match facts.distinct(stride, &zero) {
        Answer::Yes => Ok(false),
        Answer::No(_) => Ok(true),
        unknown => Err(site.unmet(vec![unknown])),
    }
}

/// The layout with modes `1:0` appended up to a rank.
pub(super) fn padded(layout: &SymbolicLayout, rank: usize) -> Result<SymbolicLayout> {
    if layout.rank() >= rank {
        return Ok(layout.clone());
    }
    let mut modes = layout.modes();
    modes.resize(rank, SymbolicLayout::leaf(Expr::from(1), Expr::from(0)));
    make_layout(&modes)
}

fn no_mode(operation: &'static str, layout: &SymbolicLayout, mode: i64) -> Error {
    let (layout, rank) = (layout.to_string(), layout.rank());
    Error::Algebra(crate::Error::Mode { operation, layout, rank, mode })
}
