//! Rearranging modes: coalesce, flatten, group, select, concatenate, sort, filter, zip.

use crate::{
    error::{Error, Result},
    layout::{Layout, Modes},
    tiler::Tiler,
    tuple::Tuple,
};
use std::fmt;

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
    Ok(Layout::of_modes(&coalesced(layout)?, layout.size()))
}

/// [`coalesce`] that is the same function past the size as well: the last mode keeps its stride
/// even where its extent is 1.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// use layout_algebra::{Layout, coalesce, coalesce_x};
/// let layout: Layout = "(2,1):(1,80)".parse()?;
/// assert_eq!((coalesce(&layout)?.at(2)?, coalesce_x(&layout)?.at(2)?, layout.at(2)?), (2, 80, 80));
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn coalesce_x(layout: &Layout) -> Result<Layout> {
    Ok(Layout::of_modes(&coalesced_x(layout)?, layout.size()))
}

/// The modes of [`coalesce`]; none for a layout of size 1.
pub(crate) fn coalesced(layout: &Layout) -> Result<Modes> {
    let mut modes = Modes::new();
    let mut fits = true;
    layout.visit(&mut |extent, stride| {
        if extent != 1 {
            fits &= merge(&mut modes, extent, stride);
        }
    });
    if fits { Ok(modes) } else { Err(Error::overflow("coalesce", layout)) }
}

/// The modes of [`coalesce_x`]: at least one.
pub(crate) fn coalesced_x(layout: &Layout) -> Result<Modes> {
    let mut modes = Modes::new();
    let mut fits = true;
    // A mode of extent 1 counts only as the last one, which is known when no other follows.
    let mut skipped = None;
    layout.visit(&mut |extent, stride| {
        skipped = (extent == 1).then_some(stride);
        if extent != 1 {
            fits &= merge(&mut modes, extent, stride);
        }
    });
    if let Some(stride) = skipped {
        fits &= merge(&mut modes, 1, stride);
    }
    if fits { Ok(modes) } else { Err(Error::overflow("coalesce", layout)) }
}

/// Puts a mode behind the others, or into the last one, if it continues that; false on overflow.
fn merge(modes: &mut Modes, extent: i64, stride: i64) -> bool {
    if let Some((before, step)) = modes.last_mut()
        && before.checked_mul(*step) == Some(stride)
    {
        return match before.checked_mul(extent) {
            Some(merged) => {
                *before = merged;
                true
            }
            None => false,
        };
    }
    modes.push((extent, stride));
    true
}

/// [`coalesce`] of each part of the layout that stands where `profile` has an integer.
///
/// # Errors
///
/// A profile that nests deeper than the layout; overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("coalesce((2,(1,6)):(1,(6,2)), (1,1))")?, "(2,6):(1,2)");
/// # Ok::<(), Error>(())
/// ```
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
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("make_layout(4:8, 8:1)")?, "(4,8):(8,1)");
/// # Ok::<(), Error>(())
/// ```
pub fn make_layout(modes: &[Layout]) -> Result<Layout> {
    if modes.is_empty() {
        return Err(Error::Operand {
            operation: "make_layout",
            expected: "at least one layout".to_owned(),
            found: "none".to_owned(),
        });
    }
    let shape = Tuple::Node(modes.iter().map(|mode| mode.shape().clone()).collect());
    let stride = Tuple::Node(modes.iter().map(|mode| mode.stride().clone()).collect());
    match modes.iter().try_fold(1_i64, |size, mode| size.checked_mul(mode.size())) {
        Some(size) => Ok(Layout::from_parts(shape, stride, size)),
        None => Err(Error::overflow("product", &shape)),
    }
}

/// All leaves as modes at the top.
///
/// # Errors
///
/// None but overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("flatten((4,(2,4)):(2,(1,8)))")?, "(4,2,4):(2,1,8)");
/// # Ok::<(), Error>(())
/// ```
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
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("get((4,(2,3)):(2,(1,8)), 1)")?, "(2,3):(1,8)");
/// assert_eq!(value("get((4,(2,3)):(2,(1,8)), 1, 0)")?, "2:1");
/// # Ok::<(), Error>(())
/// ```
pub fn get(layout: &Layout, path: &[i64]) -> Result<Layout> {
    let (mut shape, mut stride) = (layout.shape(), layout.stride());
    for &mode in path {
        let index = usize::try_from(mode).ok();
        let found = index.and_then(|i| shape.entries().get(i).zip(stride.entries().get(i)));
        match found {
            Some(part) => (shape, stride) = part,
            None => {
                return Err(no_mode("get", &Layout::new(shape.clone(), stride.clone())?, mode));
            }
        }
    }
    Layout::new(shape.clone(), stride.clone())
}

/// The layout of some modes.
///
/// # Errors
///
/// A mode that the layout does not have.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("select((2,3,4):(1,2,6), 2, 0)")?, "(4,2):(6,1)");
/// # Ok::<(), Error>(())
/// ```
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
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("group((2,3,4):(1,2,6), 0, 2)")?, "((2,3),4):((1,2),6)");
/// # Ok::<(), Error>(())
/// ```
pub fn group(layout: &Layout, begin: i64, end: i64) -> Result<Layout> {
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
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("append((2,3):(1,2), 4:6)")?, "(2,3,4):(1,2,6)");
/// # Ok::<(), Error>(())
/// ```
pub fn append(layout: &Layout, mode: &Layout) -> Result<Layout> {
    let mut modes = layout.modes();
    modes.push(mode.clone());
    make_layout(&modes)
}

/// The layout with another put before its modes.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("prepend((2,3):(1,2), 4:6)")?, "(4,2,3):(6,1,2)");
/// # Ok::<(), Error>(())
/// ```
pub fn prepend(layout: &Layout, mode: &Layout) -> Result<Layout> {
    let mut modes = layout.modes();
    modes.insert(0, mode.clone());
    make_layout(&modes)
}

/// The layout with one mode replaced.
///
/// # Errors
///
/// A mode that the layout does not have; overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("replace((2,3):(1,2), 1, 4:6)")?, "(2,4):(1,6)");
/// # Ok::<(), Error>(())
/// ```
pub fn replace(layout: &Layout, mode: i64, by: &Layout) -> Result<Layout> {
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
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("take((2,3,4):(1,2,6), 1, 3)")?, "(3,4):(2,6)");
/// # Ok::<(), Error>(())
/// ```
pub fn take(layout: &Layout, begin: i64, end: i64) -> Result<Layout> {
    let (begin, end) = range("take", layout, begin, end)?;
    make_layout(&layout.modes()[begin..end])
}

/// The layout with every mode of stride 0 shortened to `1:0`: the same offsets, each as often as
/// the other modes reach it.
///
/// # Errors
///
/// None but overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("filter_zeros((2,3):(1,0))")?, "(2,1):(1,0)");
/// # Ok::<(), Error>(())
/// ```
pub fn filter_zeros(layout: &Layout) -> Result<Layout> {
    let mut strides = layout.stride().leaves().into_iter();
    let shape =
        layout.shape().map(&mut |extent| Ok(if strides.next() == Some(0) { 1 } else { extent }))?;
    Layout::new(shape, layout.stride().clone())
}

/// [`coalesce`] of [`filter_zeros`]: what is left of a layout when broadcasts are dropped.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("filter((2,3,4):(1,0,2))")?, "8:1");
/// # Ok::<(), Error>(())
/// ```
pub fn filter(layout: &Layout) -> Result<Layout> {
    coalesce(&filter_zeros(layout)?)
}

/// [`filter`] of each part of the layout that stands where `profile` has an integer.
///
/// # Errors
///
/// A profile that nests deeper than the layout; overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("filter(((2,3),(2,4)):((1,0),(0,2)), (1,1))")?, "(2,4):(1,2)");
/// # Ok::<(), Error>(())
/// ```
pub fn filter_by(layout: &Layout, profile: &Tuple) -> Result<Layout> {
    coalesce_by(&filter_zeros(layout)?, profile)
}

/// The modes at the top ordered by stride, then by extent; nested modes by their least stride.
///
/// The offsets stay the same, their order does not.
///
/// # Errors
///
/// None but overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("sort((2,3,4):(12,1,3))")?, "(3,4,2):(1,3,12)");
/// # Ok::<(), Error>(())
/// ```
pub fn sort(layout: &Layout) -> Result<Layout> {
    if layout.is_leaf() {
        return Ok(layout.clone());
    }
    let mut modes = layout.modes();
    modes.sort_by_cached_key(|mode| {
        let least = mode.stride().leaves().into_iter().min();
        (least, mode.size())
    });
    make_layout(&modes)
}

/// Two layouts mode by mode, or one layout of two modes taken apart:
/// `zip((A0,A1), (B0,B1)) = ((A0,B0),(A1,B1))`.
///
/// # Errors
///
/// Layouts of different rank.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("zip((2,3):(1,2), (4,5):(6,24))")?, "((2,4),(3,5)):((1,6),(2,24))");
/// # Ok::<(), Error>(())
/// ```
pub fn zip(a: &Layout, b: &Layout) -> Result<Layout> {
    if a.rank() != b.rank() {
        return Err(Error::Operand {
            operation: "zip",
            expected: format!("layouts of the same rank as {a}"),
            found: b.to_string(),
        });
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
///
/// ```
/// use layout_algebra::{Term};
/// let term = Term::parse("unzip(((2,3),(4,5),6):((1,2),(10,20),100), <_, _>)")?;
/// assert_eq!(term.eval()?.to_string(), "((2,4),(3,5,6)):((1,10),(2,20,100))");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn unzip(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    make_layout(&unzipped(layout, tiler)?)
}

/// What has modes at the top: layouts of either kind of stride.
pub(crate) trait Modal: Sized + Clone + fmt::Display {
    /// The modes at the top; a leaf is its own.
    fn modes(&self) -> Vec<Self>;
    /// The layout of some modes, at least one.
    fn of(modes: &[Self]) -> Result<Self>;
}

impl Modal for Layout {
    fn modes(&self) -> Vec<Self> {
        Layout::modes(self)
    }

    fn of(modes: &[Self]) -> Result<Self> {
        make_layout(modes)
    }
}

/// The two modes of [`unzip`].
pub(crate) fn unzipped<L: Modal>(layout: &L, tiler: &Tiler) -> Result<[L; 2]> {
    let modes = layout.modes();
    let rank = modes.len();
    let Tiler::Tuple(entries) = tiler else {
        return <[L; 2]>::try_from(modes).map_err(|_| Error::Operand {
            operation: "unzip",
            expected: "a pair (tile, rest) wherever the tiler has a layout or `_`".to_owned(),
            found: format!("{layout} of rank {rank}"),
        });
    };
    if entries.len() > rank {
        return Err(Error::Operand {
            operation: "unzip",
            expected: format!("a tiler of at most {rank} entries for {layout}"),
            found: entries.len().to_string(),
        });
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
    Ok([L::of(&tiles)?, L::of(&rests)?])
}

/// A range of modes.
fn range(operation: &'static str, layout: &Layout, begin: i64, end: i64) -> Result<(usize, usize)> {
    usize::try_from(begin)
        .ok()
        .zip(usize::try_from(end).ok())
        .filter(|&(begin, end)| begin < end && end <= layout.rank())
        .ok_or_else(|| Error::Operand {
            operation,
            expected: format!("a range of modes of {layout} that is not empty"),
            found: format!("{begin} .. {end}"),
        })
}

/// The layout with modes `1:0` appended up to a rank.
pub(crate) fn padded(layout: &Layout, rank: usize) -> Result<Layout> {
    if layout.rank() >= rank {
        return Ok(layout.clone());
    }
    let mut modes = layout.modes();
    while modes.len() < rank {
        modes.push(Layout::one());
    }
    make_layout(&modes)
}

pub(crate) fn no_mode(operation: &'static str, layout: &Layout, mode: i64) -> Error {
    Error::Mode { operation, layout: layout.to_string(), rank: layout.rank(), mode }
}
