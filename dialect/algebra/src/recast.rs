//! Layouts of wider or narrower elements over the same memory.

use crate::{
    error::{Error, Result},
    layout::Layout,
    tuple::Tuple,
};

/// The layout of elements `n` times as wide.
///
/// # Errors
///
/// `n` below 1; a stride that neither divides `n` nor is a multiple of it; a contiguous mode that
/// does not hold a whole number of wide elements; overflow.
pub fn upcast(layout: &Layout, n: i64) -> Result<Layout> {
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation: "upcast",
        operand: format!("{layout}, {n}"),
        expected,
        found,
    };
    positive("upcast", layout, n)?;
    each(layout, &mut |extent, stride| {
        if stride == 0 {
            return Ok((extent, stride));
        }
        let step = stride.checked_abs().ok_or_else(|| Error::overflow("upcast", layout))?;
        if n % step != 0 && step % n != 0 {
            return Err(condition(
                "strides that divide the factor or are multiples of it",
                stride.to_string(),
            ));
        }
        let pack = (n - 1) / step + 1;
        if extent % pack != 0 {
            return Err(condition("extents of whole wide elements", format!("{extent}:{stride}")));
        }
        Ok((extent / pack, stride.signum() * ((step - 1) / n + 1)))
    })
}

/// The layout of elements `n` times as narrow.
///
/// # Errors
///
/// `n` below 1; overflow.
pub fn downcast(layout: &Layout, n: i64) -> Result<Layout> {
    positive("downcast", layout, n)?;
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
pub fn recast(layout: &Layout, old: i64, new: i64) -> Result<Layout> {
    positive("recast", layout, old.min(new))?;
    let common = gcd(old, new);
    let (up, down) = (new / common, old / common);
    let narrow = if down == 1 { layout.clone() } else { downcast(layout, down)? };
    if up == 1 { Ok(narrow) } else { upcast(&narrow, up) }
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
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
