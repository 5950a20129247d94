//! Contiguous runs: how many elements an instruction may move at once.

use super::{AnyLayout, ComposedLayout, Outer, bits::may_have};
use crate::{
    error::Result,
    layout::{Layout, evaluate::walk},
};
use alloc::vec::Vec;

/// The most coordinates of a layout that is enumerated, which is exact.
const MAX_ENUMERATED: i64 = 1 << 12;

impl AnyLayout {
    /// The largest power of two `v` that divides the size such that every aligned group of `v` indices
    /// is at contiguous, ascending offsets.
    ///
    /// Exact for plain layouts and for composed ones of at most 4096 coordinates; for larger ones it is
    /// found from the bits of offset and strides, and may be less than the largest, never more. Where
    /// a run starts is not its concern: it is aligned if offset and other strides are.
    ///
    /// # Errors
    ///
    /// Overflow.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// let run = |text: &str| Term::parse(text)?.eval_layout()?.contiguous_run();
    /// assert_eq!(run("(8,64):(64,1)")?, 1);
    /// assert_eq!(run("(64,8):(1,64)")?, 512);
    /// assert_eq!(run("S<3,3,3> o 0 o (64,8):(1,64)")?, 8);
    /// // Groups of 8 that start at odd multiples of 4 run across a bit that moves.
    /// assert_eq!(run("S<3,3,3> o 0 o (8,32):(1,4)")?, 4);
    /// // Here no offset has a bit that the swizzle reads.
    /// assert_eq!(run("S<3,3,3> o 0 o 64:1")?, 64);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn contiguous_run(&self) -> Result<i64> {
        match self {
            AnyLayout::Plain(layout) => Ok(plain(layout)?.0),
            AnyLayout::Composed(composed) => composed_run(composed),
        }
    }
}

/// The run of a plain layout, and the strides of the other modes.
fn plain(layout: &Layout) -> Result<(i64, Vec<i64>)> {
    let flat = layout.coalesce()?.flat();
    let rest = |modes: &[(i64, i64)]| {
        modes.iter().filter(|&&(extent, _)| extent > 1).map(|&(_, stride)| stride).collect()
    };
    Ok(match flat.split_first() {
        Some((&(extent, 1), others)) => (lowest_bit(extent), rest(others)),
        _ => (1, rest(&flat)),
    })
}

/// The largest power of two that divides a number; 0, which all divide, has none.
fn lowest_bit(value: i64) -> i64 {
    value & value.wrapping_neg()
}

fn composed_run(composed: &ComposedLayout) -> Result<i64> {
    if composed.inner.size() <= MAX_ENUMERATED {
        return walked(composed);
    }
    let (inner, strides) = plain(&composed.inner)?;
    // A group of `run` then stays within an aligned group of `run` middle offsets.
    let mut run = inner;
    for value in strides.into_iter().chain([composed.offset]) {
        if value != 0 {
            run = run.min(lowest_bit(value).checked_abs().unwrap_or(1));
        }
    }
    match &composed.outer {
        Outer::Layout(outer) => Ok(run.min(plain(outer)?.0)),
        Outer::Swizzle(swizzle) => {
            while run > 1 {
                // Aligned groups stay together unless the swizzle reads a bit within, or changes
                // one.
                let (_, lost) = swizzle.upcast(run.trailing_zeros());
                match may_have("contiguous_run", composed.offset, &composed.inner, lost) {
                    Ok(false) => break,
                    // Too many to walk: no is the safe answer.
                    Ok(true) | Err(_) => run /= 2,
                }
            }
            Ok(run)
        }
    }
}

/// By the definition: the run divides the size and every index at which a new run begins.
fn walked(composed: &ComposedLayout) -> Result<i64> {
    let mut bits = composed.inner.size();
    let mut expected = None;
    let middle = walk("contiguous_run", composed.offset, &composed.inner)?;
    for (index, offset) in (0_i64..).zip(middle) {
        let at = composed.outer.at_under(&(), &offset)?;
        if expected != Some(at) {
            bits |= index;
            if bits & 1 == 1 {
                return Ok(1);
            }
        }
        expected = at.checked_add(1);
    }
    Ok(lowest_bit(bits))
}
