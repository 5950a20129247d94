//! Layouts of wider or narrower elements over the same memory.

use crate::{
    error::{Error, Result},
    layout::Layout,
    shape::{ceil, gcd},
    tuple::Tuple,
};

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
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation: "upcast",
        operand: format!("{layout}, {n}"),
        expected,
        found,
    };
    let overflow = || Error::overflow("upcast", layout);
    positive("upcast", layout, n)?;
    // How far the packed modes reach to either side, in narrow elements and in wide ones.
    let mut reached = [(0_i64, 0_i64); 2];
    let result = each(layout, &mut |extent, stride| {
        if stride == 0 {
            return Ok((extent, stride));
        }
        let step = stride.checked_abs().ok_or_else(overflow)?;
        if n % step != 0 && step % n != 0 {
            return Err(condition(
                "strides that divide the factor or are multiples of it",
                stride.to_string(),
            ));
        }
        let packed = ceil(extent, ceil(n, step));
        if step < n {
            let reach = (extent - 1).checked_mul(step);
            let (narrow, wide) = &mut reached[usize::from(stride < 0)];
            *narrow = reach.and_then(|reach| narrow.checked_add(reach)).ok_or_else(overflow)?;
            *wide += packed - 1;
        }
        Ok((packed, stride.signum() * ceil(step, n)))
    })?;
    let [(narrow, wide), (below, wide_below)] = reached;
    let every = "packed modes that reach every wide element";
    if narrow / n != wide {
        let found = format!("offset {narrow} beyond the last of {} wide elements", wide + 1);
        return Err(condition(every, found));
    }
    // Offset -1 lies in wide element -1.
    if ceil(below, n) != wide_below {
        let found = format!("offset -{below} before wide element -{wide_below}");
        return Err(condition(every, found));
    }
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
    positive("downcast", layout, n)?;
    let mut contiguous = false;
    layout.stride().visit(&mut |stride| contiguous |= stride == 1);
    if n > 1 && !contiguous {
        return Err(Error::Condition {
            operation: "downcast",
            operand: format!("{layout}, {n}"),
            expected: "a mode of stride 1",
            found: layout.stride().to_string(),
        });
    }
    each(layout, &mut |extent, stride| {
        let overflow = || Error::overflow("downcast", layout);
        if stride == 1 || stride == -1 {
            Ok((extent.checked_mul(n).ok_or_else(overflow)?, stride))
        } else {
            Ok((extent, stride.checked_mul(n).ok_or_else(overflow)?))
        }
    })
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
    positive("recast", layout, old.min(new))?;
    let common = gcd(old, new);
    let (up, down) = (new / common, old / common);
    let wide = if up == 1 { layout.clone() } else { upcast(layout, up)? };
    if down == 1 { Ok(wide) } else { downcast(&wide, down) }
}

fn positive(operation: &'static str, layout: &Layout, n: i64) -> Result<()> {
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

fn each(layout: &Layout, f: &mut impl FnMut(i64, i64) -> Result<(i64, i64)>) -> Result<Layout> {
    let mut strides = Vec::new();
    let mut old = layout.stride().leaves().into_iter();
    let shape = layout.shape().map(&mut |extent| {
        let (extent, stride) = f(extent, old.next().unwrap_or(0))?;
        strides.push(stride);
        Ok(extent)
    })?;
    let mut strides = strides.into_iter();
    let stride: Tuple = layout.stride().map(&mut |_| Ok(strides.next().unwrap_or(0)))?;
    Layout::new(shape, stride)
}
