//! The complement: what a layout leaves out.

use crate::{
    error::{Error, Result},
    layout::{Layout, Modes},
    modes::merged,
    shape::ceil_div,
    tuple::Tuple,
};

/// The layout that fills what `layout` leaves out of a codomain: its offsets, added to those of
/// `layout`, are all different, and it is ordered.
///
/// Together they reach every offset below the codomain's size exactly where the modes of `layout`,
/// sorted by stride, are a chain (each stride a multiple of the extent times the stride before it)
/// and the last of them ends on a divisor of it. Elsewhere gaps stay, as in CuTe: between modes,
/// what no multiple fills; behind the last, the rest is rounded up. The size of a codomain that is
/// a tuple is rounded up mode by mode.
///
/// # Errors
///
/// A layout whose sorted modes overlap; negative strides; a codomain below 1; overflow.
///
/// ```
/// use layout_algebra::{Layout, Tuple, complement};
/// let layout: Layout = "(2,2):(1,6)".parse()?;
/// assert_eq!(complement(&layout, &Tuple::Leaf(24))?.to_string(), "(3,2):(2,12)");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn complement(layout: &Layout, codomain: &Tuple) -> Result<Layout> {
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation: "complement",
        operand: layout.to_string(),
        expected,
        found,
    };
    let mut least = 1;
    codomain.visit(&mut |extent| least = least.min(extent));
    if least < 1 {
        return Err(condition("a codomain of at least 1", codomain.to_string()));
    }
    let mut modes = sorted(layout);
    if let Some((_, stride)) = modes.iter().find(|&&(_, stride)| stride < 0) {
        return Err(condition("strides that are not negative", stride.to_string()));
    }
    let mut filled = 1_i64;
    for (extent, stride) in &mut modes {
        if *stride < filled {
            return Err(condition(
                "sorted modes that each start where the last ended, or later",
                format!("stride {stride} after {filled}"),
            ));
        }
        let end = stride.checked_mul(*extent);
        (*extent, *stride) = (*stride / filled, filled);
        filled = end.ok_or_else(|| Error::overflow("complement", layout))?;
    }
    modes.push((ceil_div(codomain, &Tuple::Leaf(filled))?.product()?, filled));
    let size = modes.iter().try_fold(1_i64, |size, (extent, _)| size.checked_mul(*extent));
    match (merged(&modes), size) {
        (Some(modes), Some(size)) => Ok(Layout::of_modes(&modes, size)),
        _ => Err(Error::overflow("complement", layout)),
    }
}

/// The modes that reach something, in the order of their strides.
pub(crate) fn sorted(layout: &Layout) -> Modes {
    let mut modes = layout.leaves();
    modes.retain(|&mut (extent, stride)| extent != 1 && stride != 0);
    modes.sort_unstable_by_key(|&(extent, stride)| (stride, extent));
    modes
}
