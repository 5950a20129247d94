//! Composed layouts whose offset is a coordinate.

use super::{AnyLayout, ComposedLayout, Outer, Swizzle};
use crate::{
    error::Error,
    integer::Site,
    layout::{
        Layout,
        basis::BasisLayout,
        leaf::Leaf,
        parts::{mode_at, unfit},
    },
    tuple::Nested,
};
use alloc::{format, string::ToString, vec::Vec};

/// `outer o offset o inner`, where the inner layout is into coordinates: the element at `c` is at
/// `outer(offset + inner(c))`. The value is what this is in integers, a plain layout where the offset is 0.
///
/// Where a part of the coordinate enters a mode of several strides, an offset in it may carry; then the whole is the
/// outer layout of indices, and the coordinates must lie in its shape.
///
/// # Errors
///
/// An offset or coordinates that do not fit the shape of the outer layout; coordinates that are not known to lie in
/// it, where that counts; those of [`crate::BasisLayout::composed_after`].
pub(crate) fn composed_of_coordinates<L: Leaf>(
    facts: &L::Facts,
    outer: &Layout<L>,
    offset: &Nested<L>,
    inner: &BasisLayout<L>,
) -> Result<AnyLayout<L>, L::Error> {
    // An integer stands for a coordinate only where it is 0.
    if matches!(offset, Nested::Leaf(offset) if offset.is(0)) {
        return Ok(AnyLayout::Plain(inner.composed_after(facts, outer)?));
    }
    let operands = || format!("{outer} o {offset} o {inner}");
    let site = Site { operation: "composed", operands: &operands };
    let zero = L::from(0);
    let lost = |lost| L::lost(lost, site.operation, operands());
    let mut steady = true;
    let parts: Vec<_> = offset.paths().into_iter().zip(offset.values()).collect();
    for &(ref path, by) in &parts {
        let entered =
            mode_at(outer, path).ok_or_else(|| unfit::<L>(outer.shape(), offset.to_string()))?;
        steady &= by.is(0) || entered.coalesce_x()?.is_leaf();
    }
    let start_of = |layout: &Layout<L>| {
        parts.iter().try_fold(zero.clone(), |sum, &(ref path, by)| match mode_at(layout, path) {
            Some(mode) => sum.plus(&mode.at_under(facts, by)?).map_err(lost),
            None => Ok(sum),
        })
    };
    if steady {
        let (offset, inner) = (start_of(outer)?, inner.composed_after(facts, outer)?);
        return Ok(Swizzle::identity().before(offset, inner).simplified());
    }
    let within = |greater: &L, less: &L| {
        L::require(&site, L::at_least(facts, greater, less), || {
            let expected = "coordinates in the shape of the outer layout";
            Error::condition(site.operation, operands(), expected, format!("{greater} < {less}"))
        })
    };
    for &(ref path, by) in &parts {
        let offsets = inner.along(path)?;
        within(by, &zero)?;
        for (extent, stride) in &offsets.leaves() {
            if !extent.is(1) {
                within(stride, &zero)?;
            }
        }
        let extent =
            mode_at(outer, path).map_or(Ok(zero.clone()), |mode| mode.total()).map_err(lost)?;
        within(&extent, &by.plus(&offsets.cosize_under(facts)?).map_err(lost)?)?;
    }
    let indices = Layout::compact(facts, outer.shape().clone())?;
    Ok(AnyLayout::Composed(ComposedLayout {
        outer: Outer::Layout(outer.clone()),
        offset: start_of(&indices)?,
        inner: inner.composed_after(facts, &indices)?,
    }))
}
