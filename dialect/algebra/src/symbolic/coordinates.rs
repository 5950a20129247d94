//! Composed layouts whose offset is a coordinate.

use super::{
    basis::SymbolicBasis,
    call::static_answer,
    error::{Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    tuple::SymbolicTuple,
};
use crate::{
    BasisLayout, ComposedLayout, Layout, Nested, Outer, Swizzle, Tuple, Value,
    modes::coalesce_x,
    parts::{mode_at, unfit},
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
pub fn composed_of_coordinates(
    facts: &Facts,
    outer: &SymbolicLayout,
    offset: &SymbolicTuple,
    inner: &SymbolicBasis,
) -> Result<Value<Expr>> {
    let zero = Expr::from(0);
    let behind = |start: Expr, layout| {
        let outer = Outer::Swizzle(Swizzle::identity());
        ComposedLayout { outer, offset: start, inner: layout }.simplified().into()
    };
    // An integer stands for a coordinate only where it is 0.
    if matches!(offset, Nested::Leaf(offset) if offset.is(0)) {
        return Ok(Value::Layout(inner.composed_after(facts, outer)?));
    }
    let mut steady = true;
    let mut parts = Vec::new();
    collect_parts(offset, &mut Vec::new(), &mut parts);
    for (path, by) in &parts {
        let entered =
            mode_at(outer, path).ok_or_else(|| unfit::<Expr>(outer.shape(), offset.to_string()))?;
        steady &= by.is(0) || coalesce_x(&entered)?.is_leaf();
    }
    let start_of = |layout: &SymbolicLayout| {
        parts.iter().try_fold(zero.clone(), |sum, (path, by)| match mode_at(layout, path) {
            Some(mode) => sum.plus(&mode.at(facts, by)?),
            None => Ok(sum),
        })
    };
    if steady {
        return Ok(behind(start_of(outer)?, inner.composed_after(facts, outer)?));
    }
    let operands = || format!("{outer} o {offset} o {inner}");
    let site = Site { operation: "composed", operands: &operands };
    for (path, by) in &parts {
        let offsets = inner.along(path)?;
        site.require(facts.at_least(by, &zero))?;
        for (extent, stride) in offsets.flat() {
            if !extent.is(1) {
                site.require(facts.at_least(&stride, &zero))?;
            }
        }
        let extent = mode_at(outer, path).map_or(Ok(zero.clone()), |mode| mode.size())?;
        site.require(facts.at_least(&extent, &by.plus(&offsets.cosize(facts)?)?))?;
    }
    let indices = SymbolicLayout::compact(facts, outer.shape().clone())?;
    Ok(Value::Composed(ComposedLayout {
        outer: Outer::Layout(outer.clone()),
        offset: start_of(&indices)?,
        inner: inner.composed_after(facts, &indices)?,
    }))
}

/// [`composed_of_coordinates`] without symbols.
///
/// # Errors
///
/// As [`composed_of_coordinates`].
pub(crate) fn static_composed_of_coordinates(
    outer: &Layout,
    offset: &Tuple,
    inner: &BasisLayout,
) -> crate::Result<Value> {
    let (outer, offset) = (SymbolicLayout::from(outer), SymbolicTuple::from(offset));
    let inner = SymbolicBasis::from(inner);
    static_answer("composed", composed_of_coordinates(&Facts::new(), &outer, &offset, &inner))
}

/// Each entry of a tuple with its path.
fn collect_parts(
    tuple: &SymbolicTuple,
    path: &mut Vec<usize>,
    parts: &mut Vec<(Vec<usize>, Expr)>,
) {
    match tuple {
        Nested::Leaf(entry) => parts.push((path.clone(), entry.clone())),
        Nested::Node(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                path.push(i);
                collect_parts(entry, path, parts);
                path.pop();
            }
        }
    }
}
