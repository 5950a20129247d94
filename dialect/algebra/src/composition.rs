//! Composition: `A o B` is the layout with `(A o B)(c) = A(B(c))` for every coordinate of `B`.
//!
//! CuTe's rule takes each leaf `s:d` of `B` through the modes of `A` by dividing. It is right where
//! every division is exact (strong divisibility) and the leaves of `B` never add up to a carry in
//! the radix of `A`'s shape. Elsewhere it may return another function without a word
//! (cutlass#2955, #3177), or give up although a layout exists. Here the rule is used where it is
//! right, so that the text is CuTe's; otherwise the values decide: each leaf's offsets are turned
//! into the layout of least rank, and the sum of the leaves is compared at every coordinate.

use crate::{
    error::{Error, Result},
    function::layout_of,
    layout::Layout,
    modes::{coalesce_x, make_layout},
    tiler::Tiler,
};

/// Coordinates that are compared where the closed form does not decide.
pub const ENUMERATION_LIMIT: i64 = 1 << 20;

/// `A o B`.
///
/// # Errors
///
/// [`Error::NoComposition`] with the first coordinate where no layout fits; [`Error::Undecided`]
/// where deciding would take more than [`ENUMERATION_LIMIT`] evaluations; overflow.
///
/// ```
/// use layout_algebra::{Layout, composition};
/// let layout = |text: &str| text.parse::<Layout>();
/// let r = composition(&layout("(6,2):(8,2)")?, &layout("(4,3):(3,1)")?)?;
/// assert_eq!(r.to_string(), "((2,2),3):((24,2),8)");
/// // No division is exact here, and yet a layout exists.
/// assert_eq!(composition(&layout("(5,6):(24,15)")?, &layout("3:6")?)?.to_string(), "3:39");
/// // Here none does: at coordinate 5 the offset is 8.
/// assert!(composition(&layout("(6,2):(1,7)")?, &layout("(3,2):(2,3)")?).is_err());
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn composition(a: &Layout, b: &Layout) -> Result<Layout> {
    let flat = coalesce_x(a)?;
    let radix = flat.flat();
    let mut room: Vec<i64> =
        radix[..radix.len() - 1].iter().map(|&(extent, _)| extent - 1).collect();
    if let Some(closed) = closed_form(&radix, b, &mut room)? {
        return Ok(closed);
    }
    by_values(a, b)
}

/// [`composition`] by mode: with a tuple, each entry with its mode; `_` keeps a mode, and so do
/// modes past the tuple.
///
/// # Errors
///
/// As [`composition`]; a tuple longer than the layout's rank.
pub fn composition_tiler(a: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Layout(b) => composition(a, b),
        Tiler::Any => Ok(a.clone()),
        Tiler::Tuple(entries) => {
            by_mode("composition", a, entries, &mut |mode, entry| composition_tiler(mode, entry))
        }
    }
}

/// Applies `f` to each mode that a tiler's tuple names, and keeps the others.
pub(crate) fn by_mode(
    operation: &'static str,
    layout: &Layout,
    entries: &[Tiler],
    f: &mut impl FnMut(&Layout, &Tiler) -> Result<Layout>,
) -> Result<Layout> {
    let modes = layout.modes();
    if entries.len() > modes.len() {
        return Err(Error::Operand {
            operation,
            expected: format!("a tiler of at most {} entries for {layout}", modes.len()),
            found: entries.len().to_string(),
        });
    }
    let modes: Vec<_> = modes
        .iter()
        .enumerate()
        .map(|(i, mode)| match entries.get(i) {
            Some(entry) => f(mode, entry),
            None => Ok(mode.clone()),
        })
        .collect::<Result<_>>()?;
    make_layout(&modes)
}

/// CuTe's rule, where it is right; none where a division is not exact or a carry may happen.
///
/// `room` holds, for each digit but the last, how much may still be added without a carry.
fn closed_form(radix: &[(i64, i64)], b: &Layout, room: &mut [i64]) -> Result<Option<Layout>> {
    if !b.is_leaf() {
        let mut modes = Vec::with_capacity(b.rank());
        for mode in b.modes() {
            match closed_form(radix, &mode, room)? {
                Some(mode) => modes.push(mode),
                None => return Ok(None),
            }
        }
        return make_layout(&modes).map(Some);
    }
    let (extent, stride) = b.flat()[0];
    let overflow = || Error::overflow("composition", format!("({radix:?}, {b})"));
    if stride == 0 {
        return Ok(Some(b.clone()));
    }
    let (&(_, last_stride), before) =
        radix.split_last().ok_or_else(|| Error::overflow("composition", b))?;
    if before.is_empty() {
        let stride = stride.checked_mul(last_stride).ok_or_else(overflow)?;
        return Layout::leaf(extent, stride).map(Some);
    }
    if stride < 0 {
        return Ok(None);
    }
    let mut result = Vec::new();
    let (mut rest, mut step) = (extent, stride);
    for (&(size, factor), room) in before.iter().zip(room) {
        if rest == 1 {
            // CuTe goes on dividing the stride, which only the leftover mode below would show.
            step = ceil_div(step, size);
            continue;
        }
        if size % step != 0 && step % size != 0 {
            return Ok(None);
        }
        let taken = ceil_div(size, step);
        let next = ceil_div(step, size);
        if taken > 1 {
            let taken = taken.min(rest);
            if rest % taken != 0 {
                return Ok(None);
            }
            *room -= (taken - 1) * step;
            if *room < 0 {
                return Ok(None);
            }
            result.push((taken, step.checked_mul(factor).ok_or_else(overflow)?));
            rest /= taken;
        }
        step = next;
    }
    if rest > 1 || result.is_empty() {
        result.push((rest, step.checked_mul(last_stride).ok_or_else(overflow)?));
    }
    Layout::from_flat(&result).map(Some)
}

fn ceil_div(a: i64, b: i64) -> i64 {
    (a - 1) / b + 1
}

/// The composition by its values.
fn by_values(a: &Layout, b: &Layout) -> Result<Layout> {
    let undecided =
        Error::Undecided { a: a.clone(), b: b.clone(), size: b.size(), limit: ENUMERATION_LIMIT };
    if b.size() > ENUMERATION_LIMIT {
        return Err(undecided);
    }
    let candidate = leaf_by_leaf(a, b, b, 1)?;
    for coordinate in 0..b.size() {
        let (wanted, found) = (a.at(b.at(coordinate)?)?, candidate.at(coordinate)?);
        if wanted != found {
            return Err(Error::NoComposition {
                a: a.clone(),
                b: b.clone(),
                coordinate,
                wanted,
                found,
            });
        }
    }
    Ok(candidate)
}

/// Each leaf of `part` replaced by the layout of its values; `below` is the product of the extents
/// that come before it in `b`, so that a refutation can be told in coordinates of `b`.
fn leaf_by_leaf(a: &Layout, b: &Layout, part: &Layout, below: i64) -> Result<Layout> {
    if !part.is_leaf() {
        let mut below = below;
        let modes = part
            .modes()
            .iter()
            .map(|mode| {
                let result = leaf_by_leaf(a, b, mode, below);
                below = below.saturating_mul(mode.size());
                result
            })
            .collect::<Result<Vec<_>>>()?;
        return make_layout(&modes);
    }
    let values = (0..part.size()).map(|i| a.at(part.at(i)?)).collect::<Result<Vec<_>>>()?;
    layout_of(&values)?.map_err(|refutation| Error::NoComposition {
        a: a.clone(),
        b: b.clone(),
        coordinate: refutation.index * below,
        wanted: refutation.wanted,
        found: refutation.found,
    })
}
