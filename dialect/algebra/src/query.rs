//! Questions about a layout as a function: is it one-to-one, onto, and what does it share with
//! another.

use crate::{
    ENUMERATION_LIMIT,
    composition::composition,
    error::{Error, Result},
    evaluate::{Offsets, admit},
    inverse::right_inverse,
    layout::{Layout, Modes},
    modes::coalesced,
    shape::gcd,
    tuple::Tuple,
};
use alloc::{format, string::ToString, vec, vec::Vec};

/// Whether different coordinates have different offsets.
///
/// Decided without evaluation where sorted modes do not reach into each other, where a mode of
/// stride 0 repeats, and where two modes meet; else by evaluating.
///
/// # Errors
///
/// More than [`ENUMERATION_LIMIT`] coordinates to evaluate, or a quarter of that where offsets go past
/// 2^25; overflow.
///
/// ```
/// use layout_algebra::{Layout, is_injective};
/// let layout = |text: &str| text.parse::<Layout>();
/// assert!(is_injective(&layout("(4,8):(8,1)")?)?);
/// assert!(!is_injective(&layout("(4,8):(2,1)")?)?);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn is_injective(layout: &Layout) -> Result<bool> {
    let mut modes = reaching(layout)?;
    if modes.iter().any(|&(_, stride)| stride == 0) {
        return Ok(false);
    }
    modes.sort_unstable_by_key(|&(_, stride)| stride);
    let mut reach = 0_i64;
    let mut apart = true;
    for (i, &(extent, stride)) in modes.iter().enumerate() {
        apart &= stride > reach;
        reach = (extent - 1)
            .checked_mul(stride)
            .and_then(|more| reach.checked_add(more))
            .ok_or_else(|| Error::overflow("is_injective", layout))?;
        for &(other, step) in &modes[..i] {
            let common = gcd(stride, step);
            if step / common < extent && stride / common < other {
                return Ok(false);
            }
        }
    }
    if apart {
        return Ok(true);
    }
    // None overflows, since the reach did not.
    let offsets = Offsets::of_modes(&modes, layout.size()).flatten();
    let reach = reach.unsigned_abs();
    if reach < MARKS {
        limited(layout)?;
        return Ok(differ_below(reach, offsets));
    }
    // A place in a large table takes as long as many divisions.
    admit(layout.size(), 32)?;
    Ok(differ(layout.size(), offsets))
}

/// Whether none of some offsets from a least to a greatest one comes twice.
///
/// # Errors
///
/// More than is evaluated, where they lie far apart.
pub(crate) fn distinct(offsets: &[i64], least: i64, greatest: i64) -> Result<bool> {
    let above = |&offset: &i64| offset.wrapping_sub(least);
    let reach = greatest.abs_diff(least);
    if reach < MARKS {
        return Ok(differ_below(reach, offsets.iter().map(above)));
    }
    let count = i64::try_from(offsets.len()).unwrap_or(i64::MAX);
    admit(count, 32)?;
    if i64::try_from(reach).is_err() {
        return Err(Error::overflow("is_injective", format!("offsets from {least} to {greatest}")));
    }
    Ok(differ(count, offsets.iter().map(above)))
}

/// Offsets up to which each has a bit of its own: four million bytes.
const MARKS: u64 = 1 << 25;

/// Whether no offset up to a reach comes twice.
fn differ_below(reach: u64, mut offsets: impl Iterator<Item = i64>) -> bool {
    let mut marks = vec![0_u64; usize::try_from(reach / 64 + 1).unwrap_or(0)];
    offsets.all(|offset| {
        let offset = offset.unsigned_abs();
        let (word, bit) = (usize::try_from(offset / 64).unwrap_or(0), 1 << (offset % 64));
        let seen = marks[word] & bit != 0;
        marks[word] |= bit;
        !seen
    })
}

/// Whether none of a number of offsets, which are not negative, comes twice: by a table of twice their
/// number, in less time than sorting takes.
fn differ(count: i64, mut offsets: impl Iterator<Item = i64>) -> bool {
    const FREE: i64 = -1;
    let places = usize::try_from(count).unwrap_or(0).max(1).saturating_mul(2).next_power_of_two();
    let mut table = vec![FREE; places];
    offsets.all(|offset| {
        // Fibonacci hashing: the high bits of a product with the golden ratio.
        let hash = offset.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = usize::try_from(hash >> (64 - places.trailing_zeros())).unwrap_or(0);
        while table[place] != FREE && table[place] != offset {
            place = (place + 1) & (places - 1);
        }
        core::mem::replace(&mut table[place], offset) == FREE
    })
}

/// Whether every offset from 0 to the greatest is reached; of a layout with negative strides, from
/// the least.
///
/// Exact and without evaluation: in the order of strides, each must not step past what the smaller
/// ones reach, since no larger one could fill the gap.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("is_surjective((2,3):(3,1))")?, "true");
/// assert_eq!(value("is_surjective((2,3):(4,1))")?, "false");
/// # Ok::<(), Error>(())
/// ```
pub fn is_surjective(layout: &Layout) -> Result<bool> {
    let mut modes = reaching(layout)?;
    modes.sort_unstable_by_key(|&(_, stride)| stride);
    let mut reach = 0_i64;
    for (extent, stride) in modes {
        if stride > reach + 1 {
            return Ok(false);
        }
        reach = (extent - 1)
            .checked_mul(stride)
            .and_then(|more| reach.checked_add(more))
            .filter(|&reach| reach < i64::MAX)
            .ok_or_else(|| Error::overflow("is_surjective", layout))?;
    }
    Ok(true)
}

/// Whether the layout only permutes `0 .. size`: injective and surjective.
///
/// # Errors
///
/// Those of [`is_injective`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("is_bijective((4,8):(8,1))")?, "true");
/// assert_eq!(value("is_bijective((2,2):(1,1))")?, "false");
/// // Offsets 0 to -5: the range is not that of the indices.
/// assert_eq!(value("is_bijective(6:-1)")?, "false");
/// # Ok::<(), Error>(())
/// ```
pub fn is_bijective(layout: &Layout) -> Result<bool> {
    if layout.flat().iter().any(|&(extent, stride)| extent > 1 && stride < 0) {
        return Ok(false);
    }
    // Onto a range of as many offsets as there are coordinates, it is one-to-one.
    Ok(is_surjective(layout)? && layout.cosize()? == layout.size())
}

/// The offsets that are reached, in ascending order, each once. [`symbolic::image`](crate::symbolic::image())
/// writes them as a layout.
///
/// # Errors
///
/// More than [`ENUMERATION_LIMIT`] coordinates; overflow.
///
/// ```
/// use layout_algebra::image;
/// assert_eq!(image(&"(2,3):(1,1)".parse()?)?, [0, 1, 2, 3]);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn image(layout: &Layout) -> Result<Vec<i64>> {
    limited(layout)?;
    let offsets: Option<Vec<i64>> = Offsets::of(layout).collect();
    let mut offsets = offsets.ok_or_else(|| Error::overflow("image", layout))?;
    offsets.sort_unstable();
    offsets.dedup();
    Ok(offsets)
}

/// Refuses to evaluate too many coordinates.
fn limited(layout: &Layout) -> Result<()> {
    if layout.size() <= ENUMERATION_LIMIT {
        return Ok(());
    }
    Err(Error::Limit {
        what: "coordinates to evaluate",
        limit: usize::try_from(ENUMERATION_LIMIT).unwrap_or(usize::MAX),
        found: layout.size().to_string(),
    })
}

/// The shape of the codomain: for a layout of integer strides its cosize.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("coshape((2,3):(1,4))")?, "10");
/// assert_eq!(value("coshape((2,3):(1@0,1@1))")?, "(2,3)");
/// # Ok::<(), Error>(())
/// ```
pub fn coshape(layout: &Layout) -> Result<Tuple> {
    layout.cosize().map(Tuple::Leaf)
}

/// How many elements, from offset 0 on, lie in a row in both layouts at the same coordinates: the
/// widest vector that a copy between them may move at once. The coordinates are those of
/// [`right_inverse`](crate::right_inverse()) of `b`.
///
/// # Errors
///
/// Overflow; more than [`ENUMERATION_LIMIT`] elements in a row in `b` of which no composition says
/// where `a` has them.
///
/// ```
/// use layout_algebra::{Layout, max_common_vector};
/// let layout = |text: &str| text.parse::<Layout>();
/// assert_eq!(max_common_vector(&layout("(8,4):(1,8)")?, &layout("(8,4):(1,16)")?)?, 8);
/// assert_eq!(max_common_vector(&layout("(8,4):(1,8)")?, &layout("(8,4):(4,1)")?)?, 1);
/// assert_eq!(max_common_vector(&layout("2:1")?, &layout("4:1")?)?, 2);
/// // The inverse of the second reaches past the size of the first, and past its first mode.
/// assert_eq!(max_common_vector(&layout("(2,8):(8,1)")?, &layout("(2,16):(16,1)")?)?, 8);
/// assert_eq!(max_common_vector(&layout("(10,2):(1,20)")?, &layout("16:1")?)?, 10);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn max_common_vector(a: &Layout, b: &Layout) -> Result<i64> {
    let inverse = right_inverse(b)?;
    let at = |index| inverse.at(index);
    let known = in_a_row(a, &inverse)?;
    // What is not known is tried, element by element.
    let end = inverse.size().min(known.saturating_add(ENUMERATION_LIMIT));
    for element in known..end {
        let index = at(element)?;
        if index >= a.size() || a.at(index)? != element {
            return Ok(element);
        }
    }
    if end < inverse.size() {
        return Err(Error::Limit {
            what: "elements to evaluate",
            limit: usize::try_from(ENUMERATION_LIMIT).unwrap_or(usize::MAX),
            found: inverse.size().to_string(),
        });
    }
    Ok(end)
}

/// Elements that are known to lie in a row: indices of `a` at which it is what `inverse` is the
/// inverse of.
fn in_a_row(a: &Layout, inverse: &Layout) -> Result<i64> {
    let mut part: Modes = Modes::new();
    let (mut count, mut room) = (1_i64, a.size() - 1);
    for &(extent, start) in &inverse.leaves() {
        // Past its size a layout has no elements, though it has offsets. The strides of an inverse
        // are at least 1, but for an extent of 1.
        let within = room.checked_div(start).map_or(extent, |steps| extent.min(steps + 1));
        let whole = |length: i64| -> Result<bool> {
            let longer: Modes = part.iter().copied().chain([(length, start)]).collect();
            match composition(a, &Layout::from_flat(&longer)?) {
                Ok(common) => Ok(match coalesced(&common)?.as_slice() {
                    [] => true,
                    modes => *modes == [(count.saturating_mul(length), 1)],
                }),
                Err(Error::NoComposition { .. } | Error::Undecided { .. }) => Ok(false),
                Err(error) => Err(error),
            }
        };
        // The longest part of the mode: what holds for one holds for every shorter one.
        let (mut longest, mut most) = (1, within);
        if whole(within)? {
            longest = within;
        } else {
            while most - longest > 1 {
                let middle = longest + (most - longest) / 2;
                if whole(middle)? { longest = middle } else { most = middle }
            }
        }
        count = count.saturating_mul(longest);
        room -= (longest - 1) * start;
        part.push((longest, start));
        if longest < extent {
            break;
        }
    }
    Ok(count)
}

/// The coordinates of the elements that [`max_common_vector`] counts, as a layout; where no layout
/// has them all, the longest part from the first on that whole modes of the inverse have.
///
/// # Errors
///
/// Those of [`max_common_vector`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("max_common_layout((8,4):(1,8), (8,4):(1,16))")?, "8:1");
/// # Ok::<(), Error>(())
/// ```
pub fn max_common_layout(a: &Layout, b: &Layout) -> Result<Layout> {
    let extent = max_common_vector(a, b)?;
    if extent == 1 {
        return Ok(Layout::one());
    }
    let inverse = right_inverse(b)?;
    match composition(&inverse, &Layout::leaf(extent, 1)?) {
        Err(Error::NoComposition { .. }) => {}
        result => return result,
    }
    let mut whole = 1_i64;
    for (length, _) in inverse.leaves() {
        match whole.checked_mul(length).filter(|&longer| longer <= extent) {
            Some(longer) => whole = longer,
            None => break,
        }
    }
    composition(&inverse, &Layout::leaf(extent / whole * whole, 1)?)
}

/// The modes that have more than one coordinate, with positive strides: turning a mode around
/// shifts the image and changes nothing else.
fn reaching(layout: &Layout) -> Result<Modes> {
    let mut modes = layout.leaves();
    modes.retain(|&mut (extent, _)| extent != 1);
    for (_, stride) in &mut modes {
        *stride = stride.checked_abs().ok_or_else(|| Error::overflow("abs", layout))?;
    }
    Ok(modes)
}
