//! Inverses and the null space.

use crate::{
    error::{Error, Result},
    layout::Layout,
    modes::{coalesce, coalesced},
};

/// The longest layout `R` that starts the contiguous range of offsets from 0: `L(R(i)) = i`.
///
/// # Errors
///
/// Overflow.
pub fn right_inverse(layout: &Layout) -> Result<Layout> {
    let flat = coalesced(layout)?;
    let overflow = || Error::overflow("right_inverse", layout);
    let mut starts = Vec::with_capacity(flat.len());
    let mut start = 1_i64;
    for &(extent, _) in &flat {
        starts.push(start);
        start = start.checked_mul(extent).ok_or_else(overflow)?;
    }
    let mut result = Vec::new();
    let mut reached = 1_i64;
    while let Some(i) = flat.iter().position(|&(extent, stride)| stride == reached && extent > 1) {
        let (extent, _) = flat[i];
        result.push((extent, starts[i]));
        reached = reached.checked_mul(extent).ok_or_else(overflow)?;
    }
    coalesce(&Layout::from_flat(&result)?)
}

/// A layout `R` with `R(L(i)) = i` for every `i` below the size of `L` whose coordinates in modes of
/// stride 0 are 0; for the others `L(R(L(i))) = L(i)`.
///
/// # Errors
///
/// A layout that is not injective apart from its modes of stride 0, or whose sorted strides do not
/// divide each other: no layout is its left inverse then. Negative strides; overflow.
pub fn left_inverse(layout: &Layout) -> Result<Layout> {
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation: "left_inverse",
        operand: layout.to_string(),
        expected,
        found,
    };
    let overflow = || Error::overflow("left_inverse", layout);
    let mut start = 1_i64;
    let mut modes = Vec::new();
    let mut broadcast = 1;
    for (extent, stride) in coalesced(layout)? {
        if stride < 0 {
            return Err(condition("strides that are not negative", format!("{extent}:{stride}")));
        }
        if stride > 0 {
            modes.push((stride, extent, start));
        } else {
            broadcast = extent;
        }
        start = start.checked_mul(extent).ok_or_else(overflow)?;
    }
    modes.sort_unstable();
    let Some(&(first, _, _)) = modes.first() else { return Layout::leaf(broadcast, 0) };
    let mut result = Vec::new();
    if first > 1 {
        result.push((first, 0));
    }
    for (i, &(stride, extent, start)) in modes.iter().enumerate() {
        let length = match modes.get(i + 1) {
            None => extent,
            Some(&(next, _, _)) => {
                if next % stride != 0 {
                    return Err(condition(
                        "sorted strides that each divide the next",
                        format!("{stride} and {next}"),
                    ));
                }
                if stride.checked_mul(extent).is_none_or(|end| end > next) {
                    return Err(condition(
                        "an injective layout",
                        format!("{extent}:{stride} reaching past stride {next}"),
                    ));
                }
                next / stride
            }
        };
        result.push((length, start));
    }
    coalesce(&Layout::from_flat(&result)?)
}

/// The coordinates that stride-0 modes run through: `L(nullspace(L)(i)) = 0`.
///
/// # Errors
///
/// Overflow.
pub fn nullspace(layout: &Layout) -> Result<Layout> {
    let mut start = 1_i64;
    let mut modes = Vec::new();
    for (extent, stride) in layout.flat() {
        if stride == 0 && extent > 1 {
            modes.push((extent, start));
        }
        start = start.checked_mul(extent).ok_or_else(|| Error::overflow("nullspace", layout))?;
    }
    Layout::from_flat(&modes)
}
