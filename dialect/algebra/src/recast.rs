//! Layouts of wider or narrower elements over the same memory.

use crate::{
    error::{Error, Result},
    integer::Verdict,
    layout::Layout,
    leaf::Leaf,
    shape::gcd,
    symbolic::Site,
};
use std::fmt;

/// The layout of elements `n` times as wide: the wide element at `c` holds what the narrow ones
/// around it held.
///
/// Modes that step over whole wide elements keep their extents; those inside of one are packed,
/// and what does not fill the last wide element is padded, as in CuTe.
///
/// # Errors
///
/// `n` below 1; a stride that neither divides `n` nor is a multiple of it; packed modes that do not
/// reach every wide element in which a narrow one lies; overflow.
///
/// ```
/// use layout_algebra::{Layout, upcast};
/// let layout: Layout = "(4,6,8):(1,4,24)".parse()?;
/// assert_eq!(upcast(&layout, 8)?.to_string(), "(1,3,8):(1,1,3)");
/// // Offsets 0, -1 and -2 lie in the wide elements 0, -1 and -1; those of `4:-1` reach -2, too.
/// assert_eq!(upcast(&"3:-1".parse()?, 2)?.to_string(), "2:-1");
/// assert!(upcast(&"4:-1".parse()?, 2).is_err());
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn upcast(layout: &Layout, n: i64) -> Result<Layout> {
    upcast_under(&(), layout, n)
}

/// [`upcast`] under facts.
///
/// # Errors
///
/// `n` below 1; a stride that is not known to be a multiple of `n`, or a constant divisor of it;
/// packed modes that are not known to reach every wide element in which a narrow one lies.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, upcast};
/// let (layout, facts) = SymbolicLayout::parse("(M,K{div=8}):(K,1)")?;
/// assert_eq!(upcast(&facts, &layout, 8)?.to_string(), "(M,K/8):(K/8,1)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn upcast_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    n: i64,
) -> Result<Layout<L>, L::Error> {
    if let Some(layout) = L::closed(layout) {
        return Ok(L::of_closed(upcast(&layout, n)?));
    }
    let operation = "upcast";
    let operands = || format!("{layout}, {n}");
    let site = Site { operation, operands: &operands };
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation,
        operand: operands(),
        expected,
        found,
    };
    let lost = |lost| L::lost(lost, operation, layout);
    positive(operation, layout, n)?;
    let factor = L::from(n);
    // How far the packed modes reach to either side, in narrow elements and in wide ones.
    let zero = || (L::from(0), L::from(0));
    let mut reached = [zero(), zero()];
    let result = each(layout, &mut |extent, stride| {
        // 0 stays 0, and the sign stays.
        let answer = match L::divide(facts, stride, &factor) {
            Ok(quotient) => return Ok((extent.clone(), quotient)),
            Err(answer) => answer,
        };
        let step = stride.constant().filter(|&step| step != 0 && n.checked_rem(step) == Some(0));
        let Some(step) = step else {
            return Err(L::unmet(&site, vec![answer], || {
                let expected = "strides that divide the factor or are multiples of it";
                condition(expected, stride.to_string())
            }));
        };
        // It divides the factor, which is positive: its magnitude fits.
        let magnitude = step.saturating_abs();
        let packed = L::ceil_div(facts, extent, &L::from(n / magnitude)).map_err(lost)?;
        let (narrow, wide) = &mut reached[usize::from(step < 0)];
        let more = extent.less_one().and_then(|steps| steps.scaled(magnitude));
        *narrow = more.and_then(|more| narrow.plus(&more)).map_err(lost)?;
        *wide = packed.less_one().and_then(|more| wide.plus(&more)).map_err(lost)?;
        Ok((packed, L::from(step.signum())))
    })?;
    // Otherwise a narrow element lies in a wide one that no coordinate reaches.
    let [(narrow, wide), (below, wide_below)] = reached;
    let every = "packed modes that reach every wide element";
    let within = L::floor_div(facts, &narrow, &factor).map_err(lost)?;
    L::require(&site, L::equal(facts, &within, &wide), || {
        let last = wide.constant().map_or(0, |wide| wide + 1);
        condition(every, format!("offset {narrow} beyond the last of {last} wide elements"))
    })?;
    // Offset -1 lies in wide element -1.
    let within = L::ceil_div(facts, &below, &factor).map_err(lost)?;
    L::require(&site, L::equal(facts, &within, &wide_below), || {
        condition(every, format!("offset -{below} before wide element -{wide_below}"))
    })?;
    Ok(result)
}

/// The layout of elements `n` times as narrow: the mode of contiguous elements grows by the parts.
///
/// With one mode of stride 1 the result reaches exactly the parts of what the layout reaches. Modes
/// of stride 1 or -1 grow alike, as in CuTe: several of them overlap, and the result then reaches past
/// the last part, too. `(4,2):(1,1)` ends at 4, and `(8,4):(1,1)` at 10, though the parts end at 9.
///
/// # Errors
///
/// `n` below 1; for `n` above 1, no mode of stride 1 that the parts could lengthen; overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("downcast((4,8):(8,1), 2)")?, "(4,16):(16,1)");
/// # Ok::<(), Error>(())
/// ```
pub fn downcast(layout: &Layout, n: i64) -> Result<Layout> {
    downcast_under(&(), layout, n)
}

/// [`downcast`] under facts.
///
/// # Errors
///
/// `n` below 1; a stride of which it is not known whether it is 1 or -1; for `n` above 1, no mode of
/// stride 1; overflow.
pub fn downcast_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    n: i64,
) -> Result<Layout<L>, L::Error> {
    if let Some(layout) = L::closed(layout) {
        return Ok(L::of_closed(downcast(&layout, n)?));
    }
    let operation = "downcast";
    let operands = || format!("{layout}, {n}");
    let site = Site { operation, operands: &operands };
    let lost = |lost| L::lost(lost, operation, layout);
    positive(operation, layout, n)?;
    if n == 1 {
        return Ok(layout.clone());
    }
    let contiguous = || {
        if layout.stride().values().iter().any(|stride| stride.is(1)) {
            return Ok(());
        }
        let (expected, found) = ("a mode of stride 1", layout.stride().to_string());
        Err(Error::Condition { operation, operand: operands(), expected, found })
    };
    if !L::OPEN {
        contiguous()?;
    }
    let result = each(layout, &mut |extent, stride| {
        for unit in [1, -1] {
            let other = L::distinct(facts, stride, &L::from(unit));
            if other.is_no() {
                return Ok((extent.scaled(n).map_err(lost)?, stride.clone()));
            }
            L::require(&site, other, || Error::overflow(operation, layout))?;
        }
        Ok((extent.clone(), stride.scaled(n).map_err(lost)?))
    })?;
    contiguous()?;
    Ok(result)
}

/// The layout of elements of `new` bits over memory that holds elements of `old` bits.
///
/// # Errors
///
/// Bits below 1; those of [`upcast`] and [`downcast`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("recast((4,8):(8,1), 32, 16)")?, "(4,16):(16,1)");
/// assert_eq!(value("recast((4,8):(8,1), 16, 32)")?, "(4,4):(4,1)");
/// # Ok::<(), Error>(())
/// ```
pub fn recast(layout: &Layout, old: i64, new: i64) -> Result<Layout> {
    recast_under(&(), layout, old, new)
}

/// [`recast`] under facts.
///
/// # Errors
///
/// Bits below 1; those of [`upcast_under`] and [`downcast_under`].
pub fn recast_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    old: i64,
    new: i64,
) -> Result<Layout<L>, L::Error> {
    let [up, down] = factors(layout, old, new)?;
    let wide = if up == 1 { layout.clone() } else { upcast_under(facts, layout, up)? };
    if down == 1 { Ok(wide) } else { downcast_under(facts, &wide, down) }
}

/// How much wider elements become, and then how much narrower.
pub(crate) fn factors(layout: &impl fmt::Display, old: i64, new: i64) -> Result<[i64; 2]> {
    positive("recast", layout, old.min(new))?;
    let common = gcd(old, new);
    Ok([new / common, old / common])
}

fn positive(operation: &'static str, layout: &impl fmt::Display, n: i64) -> Result<()> {
    if n < 1 {
        return Err(Error::Condition {
            operation,
            operand: layout.to_string(),
            expected: "a factor of at least 1",
            found: n.to_string(),
        });
    }
    Ok(())
}

/// The layout with each leaf replaced; `f` keeps extents at 1 or above.
fn each<L: Leaf>(
    layout: &Layout<L>,
    f: &mut impl FnMut(&L, &L) -> Result<(L, L), L::Error>,
) -> Result<Layout<L>, L::Error> {
    let mut old = layout.stride().values().into_iter();
    let (zero, mut strides) = (L::from(0), Vec::new());
    let shape = layout.shape().try_map(&mut |extent: &L| {
        let (extent, stride) = f(extent, old.next().unwrap_or(&zero))?;
        strides.push(stride);
        Ok::<_, L::Error>(extent)
    })?;
    let mut strides = strides.into_iter();
    let stride = layout
        .stride()
        .try_map(&mut |_| Ok::<_, L::Error>(strides.next().unwrap_or(L::from(0))))?;
    Layout::sized(shape, stride)
}
