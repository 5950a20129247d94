//! Decides which layouts have offsets in 32 bits.

use super::address::inner;
use layout_algebra::{AnyLayout, Expr, Facts, Layout, Outer, Range};

/// Largest offset in bytes for which 32-bit arithmetic is used. Coordinates that a predicate cuts off
/// may lie a few tiles past the end, hence well below 2^31.
const NARROW_LIMIT: i64 = 1 << 30;

/// Whether every offset of a layout is known to lie well within 32 bits.
pub(super) fn is_narrow(layout: &AnyLayout) -> bool {
    let (offset, outer) = match layout {
        AnyLayout::Plain(_) => (0, None),
        AnyLayout::Composed(composed) => (composed.offset, Some(&composed.outer)),
    };
    let reach =
        inner(layout).cosize().ok().and_then(|cosize| cosize.checked_add(offset.checked_abs()?));
    let bytes = reach.and_then(|reach| reach.checked_mul(8)).unwrap_or(i64::MAX);
    bytes < NARROW_LIMIT && outer.is_none_or(is_narrow_outer)
}

/// Whether small offsets stay small.
fn is_narrow_outer(outer: &Outer) -> bool {
    match outer {
        Outer::Swizzle(swizzle) => swizzle.period() < NARROW_LIMIT,
        // The size does not bound the unit of the last stride.
        Outer::Layout(_) => false,
    }
}

/// Whether every offset of a layout, and every sum of some of its terms, is known to lie well within
/// 32 bits.
pub(super) fn fits(layout: &Layout<Expr>, facts: &Facts) -> bool {
    let mut reach = (0_i128, 0_i128);
    for (extent, stride) in layout.flat() {
        let last = extent.plus(&Expr::from(-1)).and_then(|last| last.times(&stride));
        let Ok(Range { lo: Some(lo), hi: Some(hi) }) = last.map(|last| facts.range(&last)) else {
            return false;
        };
        reach = (reach.0.saturating_add(lo.min(0)), reach.1.saturating_add(hi.max(0)));
    }
    let limit = i128::from(NARROW_LIMIT);
    reach.0 > -limit && reach.1 < limit
}
