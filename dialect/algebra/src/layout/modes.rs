//! Rearranging modes: coalesce, flatten, group, select, concatenate, filter, zip.

use crate::{
    error::{Error, Result},
    integer::Site,
    layout::{
        Layout, Modes, is_zero,
        leaf::Leaf,
        modal::{Modal, Part, by_profile, joined, unzipped},
        stride::Stride,
        tiler::TilerOf,
    },
    place::Travels,
    tuple::{Nested, Tuple},
};
use alloc::{format, string::ToString, vec, vec::Vec};

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
///
/// Modes of expressions merge where they continue each other under every assignment; at given values
/// modes may be left that would merge there.
///
/// ```
/// use layout_algebra::{coalesce, Layout, Expr};
/// let (layout, _) = Layout::<Expr>::parse("((M,8),(1,N)):((1,M),(3,8*M))")?;
/// assert_eq!(coalesce(&layout)?.to_string(), "8*M*N:1");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub fn coalesce<L: Leaf, S: Stride<L>>(layout: &Layout<L, S>) -> Result<Layout<L, S>, L::Error> {
    let (codomain, size) = (layout.codomain().clone(), layout.measured().clone());
    Ok(Layout::of_modes_within(codomain, &coalesced(layout)?, size))
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
pub fn coalesce_x<L: Leaf, S: Stride<L>>(layout: &Layout<L, S>) -> Result<Layout<L, S>, L::Error> {
    let (codomain, size) = (layout.codomain().clone(), layout.measured().clone());
    Ok(Layout::of_modes_within(codomain, &coalesced_x(layout)?, size))
}

/// The modes of [`coalesce`]; none for a layout of size 1.
pub(crate) fn coalesced<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
) -> Result<Modes<L, S>, L::Error> {
    let mut modes = Modes::new();
    let mut fits = Ok(());
    layout.visit(&mut |extent, stride| {
        if !extent.is(1) && fits.is_ok() {
            fits = merge(&mut modes, extent, stride);
        }
    });
    fits.map(|()| modes).map_err(|lost| L::lost(lost, "coalesce", layout))
}

/// The modes of [`coalesce_x`]: at least one.
pub(crate) fn coalesced_x<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
) -> Result<Modes<L, S>, L::Error> {
    let mut modes = Modes::new();
    let mut fits = Ok(());
    // A mode of extent 1 counts only as the last one, which is known when no other follows.
    let mut skipped = None;
    layout.visit(&mut |extent, stride| {
        let one = extent.is(1);
        skipped = one.then(|| stride.clone());
        if !one && fits.is_ok() {
            fits = merge(&mut modes, extent, stride);
        }
    });
    if let (Some(stride), Ok(())) = (skipped, &fits) {
        fits = merge(&mut modes, &L::from(1), &stride);
    }
    fits.map(|()| modes).map_err(|lost| L::lost(lost, "coalesce", layout))
}

/// The modes of [`coalesce`] of flat modes.
///
/// # Errors
///
/// Overflow.
pub(crate) fn merged<L: Leaf>(flat: &[(L, L)]) -> Result<Modes<L>, L::Lost> {
    let mut modes = Modes::new();
    let mut apart = flat.iter().filter(|(extent, _)| !extent.is(1));
    apart.try_for_each(|(extent, stride)| merge(&mut modes, extent, stride))?;
    Ok(modes)
}

/// Puts a mode behind the others, or into the last one, if it continues that.
#[inline]
fn merge<L: Leaf, S: Stride<L>>(
    modes: &mut Modes<L, S>,
    extent: &L,
    stride: &S,
) -> Result<(), L::Lost> {
    if let Some((before, step)) = modes.last_mut()
        && S::goes_on(before, step, stride)?
    {
        *before = before.times(extent)?;
        return Ok(());
    }
    modes.push((extent.clone(), stride.clone()));
    Ok(())
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
pub fn coalesce_by<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
    profile: &Nested<L>,
) -> Result<Layout<L, S>, L::Error> {
    by_profile("coalesce", Part::of(layout), profile, &mut coalesce)
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
pub fn make_layout<L: Modal>(modes: &[L]) -> Result<L, L::Error> {
    joined(modes.to_vec())
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
pub fn flatten<L: Leaf, S: Stride<L>>(layout: &Layout<L, S>) -> Result<Layout<L, S>, L::Error> {
    if layout.is_leaf() {
        return Ok(layout.clone());
    }
    let (extents, strides): (Vec<_>, Vec<_>) = layout
        .leaves()
        .into_iter()
        .map(|(extent, stride)| (Nested::Leaf(extent), Nested::Leaf(stride)))
        .unzip();
    let (shape, stride) = (Nested::Node(extents), Nested::Node(strides));
    Ok(Layout::within(layout.codomain().clone(), shape, stride, layout.measured().clone()))
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
pub fn get<L: Modal>(layout: &L, path: &[i64]) -> Result<L, L::Error> {
    let mut part = Part::of(layout);
    for (i, &mode) in path.iter().enumerate() {
        part = part.mode(mode).ok_or_else(|| part.no_mode("get", mode).about(1 + i))?;
    }
    Ok(part.to_layout())
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
pub fn select<L: Modal>(layout: &L, modes: &[i64]) -> Result<L, L::Error> {
    let part = Part::of(layout);
    let chosen = modes.iter().enumerate().map(|(i, &mode)| match part.mode(mode) {
        Some(mode) => Ok(mode.to_layout()),
        None => Err(part.no_mode("select", mode).about(1 + i)),
    });
    joined(chosen.collect::<Result<_, _>>()?)
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
pub fn group<L: Modal>(layout: &L, begin: i64, end: i64) -> Result<L, L::Error> {
    let (begin, end) = range("group", layout, begin, end)?;
    let mut modes = Part::of(layout).to_layouts();
    let after = modes.split_off(end);
    let grouped = joined(modes.split_off(begin))?;
    modes.push(grouped);
    modes.extend(after);
    joined(modes)
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
pub fn append<L: Modal>(layout: &L, mode: &L) -> Result<L, L::Error> {
    let mut modes = Part::of(layout).to_layouts();
    modes.push(mode.clone());
    joined(modes)
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
pub fn prepend<L: Modal>(layout: &L, mode: &L) -> Result<L, L::Error> {
    let mut modes = Part::of(layout).to_layouts();
    modes.insert(0, mode.clone());
    joined(modes)
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
pub fn replace<L: Modal>(layout: &L, mode: i64, by: &L) -> Result<L, L::Error> {
    let part = Part::of(layout);
    let mut modes = part.to_layouts();
    match usize::try_from(mode).ok().and_then(|at| modes.get_mut(at)) {
        Some(slot) => *slot = by.clone(),
        None => return Err(part.no_mode("replace", mode).about(1)),
    }
    if part.is_leaf() { Ok(by.clone()) } else { joined(modes) }
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
pub fn take<L: Modal>(layout: &L, begin: i64, end: i64) -> Result<L, L::Error> {
    let (begin, end) = range("take", layout, begin, end)?;
    let modes = Part::of(layout).modes().skip(begin).take(end - begin);
    joined(modes.map(Part::to_layout).collect())
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
    filter_zeros_under(&(), layout)
}

/// [`filter_zeros`] under facts.
///
/// # Errors
///
/// A stride of which it is not known whether it is 0.
pub fn filter_zeros_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
) -> Result<Layout<L>, L::Error> {
    let operands = || layout.to_string();
    let site = Site { operation: "filter_zeros", operands: &operands };
    let mut strides = layout.stride().values().into_iter();
    let shape = layout.shape().try_map(&mut |extent: &L| {
        let still = match strides.next() {
            Some(stride) => is_zero(facts, &site, stride)?,
            None => true,
        };
        Ok::<_, L::Error>(if still { L::from(1) } else { extent.clone() })
    })?;
    Layout::sized(shape, layout.stride().clone())
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
    filter_under(&(), layout)
}

/// [`filter`] under facts, with the errors of [`filter_zeros_under`].
pub fn filter_under<L: Leaf>(facts: &L::Facts, layout: &Layout<L>) -> Result<Layout<L>, L::Error> {
    coalesce(&filter_zeros_under(facts, layout)?)
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
    filter_by_under(&(), layout, profile)
}

/// [`filter_by`] under facts.
///
/// # Errors
///
/// As [`filter_zeros_under`] and [`coalesce_by`].
pub fn filter_by_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    profile: &Nested<L>,
) -> Result<Layout<L>, L::Error> {
    coalesce_by(&filter_zeros_under(facts, layout)?, profile)
}

/// Two layouts mode by mode: `zip((A0,A1), (B0,B1)) = ((A0,B0),(A1,B1))`.
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
pub fn zip<L: Modal>(a: &L, b: &L) -> Result<L, L::Error> {
    let (first, second) = (Part::of(a), Part::of(b));
    if first.rank() != second.rank() {
        let expected = format!("layouts of the same rank as {a}");
        return Err(Error::Operand { operation: "zip", expected, found: b.to_string() }.into());
    }
    let pairs = first.modes().zip(second.modes());
    let pairs = pairs.map(|(a, b)| joined(vec![a.to_layout(), b.to_layout()]));
    joined(pairs.collect::<Result<_, _>>()?)
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
pub fn unzip<L: Modal, T>(layout: &L, tiler: &TilerOf<T>) -> Result<L, L::Error> {
    joined(unzipped(Part::of(layout), tiler)?.into())
}

/// A range of modes.
fn range<L: Modal>(
    operation: &'static str,
    layout: &L,
    begin: i64,
    end: i64,
) -> Result<(usize, usize), L::Error> {
    let rank = layout.shape().rank();
    let bounds = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    bounds.filter(|&(begin, end)| begin < end && end <= rank).ok_or_else(|| {
        let expected = format!("a range of modes of {layout} that is not empty");
        let found = format!("{begin} .. {end}");
        // The bound that is outside of the rank, or the end of what is empty.
        let begins = usize::try_from(begin).is_ok_and(|begin| begin < rank);
        L::Error::from(Error::Operand { operation, expected, found }).about(if begins {
            2
        } else {
            1
        })
    })
}
