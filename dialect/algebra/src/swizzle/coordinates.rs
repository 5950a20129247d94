//! Composed layouts whose offset is a coordinate, or whose outer layout is a coordinate layout.

use super::{AnyLayout, ComposedLayout, Outer, Swizzle, Swizzles};
use crate::{
    error::Error,
    integer::{Expr, Site, substitute::closes},
    layout::{
        Layout,
        basis::BasisLayout,
        leaf::Leaf,
        parts::{mode_at, unfit},
    },
    tuple::{CoordOf, Nested},
};
use alloc::{
    format,
    string::{String, ToString},
};
use core::fmt;

/// `outer o offset o inner` with a coordinate layout as the outer one: the coordinate at `c` is at
/// `outer(offset + inner(c))`. The inner layout may be composed itself.
///
/// ```
/// # use layout_algebra::answer;
/// // The coordinates of a tile that starts at index 5, and those of swizzled indices.
/// assert_eq!(answer("crd2idx((1,1), (4,4):(1@0,1@1) o 5 o (2,2):(1,4))"), "(2,2)");
/// let swizzled = "composition((8,8):(1@0,1@1), S<3,0,3> o 0 o (8,8):(1,8))";
/// assert_eq!(answer(swizzled), "(8,8):(1@0,1@1) o 0 o S<3,0,3> o 0 o (8,8):(1,8)");
/// assert_eq!(answer(&format!("crd2idx((1,2), {swizzled})")), "(3,2)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComposedCoordinates<L: Leaf = i64> {
    /// Applied last.
    pub outer: BasisLayout<L>,
    /// Added between.
    pub offset: L,
    /// Applied first; its shape is the whole's.
    pub inner: AnyLayout<L>,
}

impl<L: Swizzles> ComposedCoordinates<L> {
    /// The coordinate that a coordinate, or an index in place of any tuple, is mapped to, under facts.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow; an index that is not known to be at least 0, where that matters.
    pub fn crd2crd_under(
        &self,
        facts: &L::Facts,
        coord: &Nested<L>,
    ) -> Result<Nested<L>, L::Error> {
        let inside = match &self.inner {
            AnyLayout::Plain(layout) => layout.crd2idx_under(facts, coord)?,
            AnyLayout::Composed(composed) => composed.crd2idx_under(facts, coord)?,
        };
        let index = self.moved(&inside)?.offset;
        self.outer.crd2idx_under(facts, &Nested::Leaf(index))
    }

    /// The modes that a coordinate keeps, with the whole offset inside, under facts.
    pub fn slice_under(&self, facts: &L::Facts, coord: &CoordOf<L>) -> Result<Self, L::Error> {
        let (kept, fixed) = match &self.inner {
            AnyLayout::Plain(layout) => {
                let (kept, fixed) = layout.slice_under(facts, coord)?;
                (kept.into(), fixed)
            }
            AnyLayout::Composed(composed) => composed.slice_under(facts, coord)?,
        };
        Ok(Self { inner: kept, ..self.moved(&fixed)? })
    }

    fn moved(&self, by: &L) -> Result<Self, L::Error> {
        let offset = self.offset.plus(by).map_err(|lost| L::lost(lost, "crd2idx", self))?;
        Ok(Self { offset, ..self.clone() })
    }
}

impl<L: Leaf> ComposedCoordinates<L> {
    /// The same outside over another inner layout.
    pub fn try_map<E>(
        &self,
        f: impl FnOnce(&Layout<L>) -> Result<Layout<L>, E>,
    ) -> Result<Self, E> {
        Ok(Self { inner: self.inner.try_map(f)?, ..self.clone() })
    }

    /// The same with other leaves.
    pub(crate) fn map_leaves<M: Leaf, E: From<M::Unsized>>(
        &self,
        f: &mut impl FnMut(&L) -> Result<M, E>,
    ) -> Result<ComposedCoordinates<M>, E> {
        let (outer, offset) = (self.outer.map_leaves(f)?, f(&self.offset)?);
        let inner = match &self.inner {
            AnyLayout::Plain(layout) => AnyLayout::Plain(layout.map_leaves(f)?),
            AnyLayout::Composed(composed) => AnyLayout::Composed(composed.map_leaves(f)?),
        };
        Ok(ComposedCoordinates { outer, offset, inner })
    }
}

closes!(ComposedCoordinates<Expr> => ComposedCoordinates, |layout, leaf| layout.map_leaves(leaf));

impl<L: Leaf> fmt::Display for ComposedCoordinates<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o {} o {}", self.outer, self.offset, self.inner)
    }
}

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
    let mut steady = true;
    for (path, by) in offset.paths().into_iter().zip(offset.values()) {
        let entered =
            mode_at(outer, &path).ok_or_else(|| unfit::<L>(outer.shape(), offset.to_string()))?;
        steady &= by.is(0) || entered.coalesce_x()?.is_leaf();
    }
    if steady {
        let offset = start_of(facts, outer, offset, &operands)?;
        let inner = inner.composed_after(facts, outer)?;
        return Ok(Swizzle::identity().before(offset, inner).simplified());
    }
    let (offset, inner) = indices_of(facts, outer.shape(), offset, inner, &operands)?;
    Ok(AnyLayout::Composed(ComposedLayout { outer: Outer::Layout(outer.clone()), offset, inner }))
}

/// [`composed_of_coordinates`] where the outer layout is a coordinate layout, too: the value is their composition where
/// the offset is 0, and otherwise the outer layout of indices.
pub(crate) fn composed_twice<L: Leaf>(
    facts: &L::Facts,
    outer: &BasisLayout<L>,
    offset: &Nested<L>,
    inner: &BasisLayout<L>,
) -> Result<core::result::Result<BasisLayout<L>, ComposedCoordinates<L>>, L::Error> {
    if offset.values().into_iter().all(|by| by.is(0)) {
        return inner.composed_after(facts, outer).map(Ok);
    }
    let operands = || format!("{outer} o {offset} o {inner}");
    let (offset, inner) = indices_of(facts, outer.shape(), offset, inner, &operands)?;
    Ok(Err(ComposedCoordinates { outer: outer.clone(), offset, inner: inner.into() }))
}

/// The offset of a coordinate, each part of it in its mode.
fn start_of<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    offset: &Nested<L>,
    operands: &dyn Fn() -> String,
) -> Result<L, L::Error> {
    let mut parts = offset.paths().into_iter().zip(offset.values());
    parts.try_fold(L::from(0), |sum, (path, by)| match mode_at(layout, &path) {
        Some(mode) => {
            let more = mode.at_under(facts, by)?;
            sum.plus(&more).map_err(|lost| L::lost(lost, "composed", operands()))
        }
        None => Err(unfit::<L>(layout.shape(), offset.to_string())),
    })
}

/// `offset o inner` as indices of a shape, in which all of its coordinates must lie.
fn indices_of<L: Leaf>(
    facts: &L::Facts,
    shape: &Nested<L>,
    offset: &Nested<L>,
    inner: &BasisLayout<L>,
    operands: &dyn Fn() -> String,
) -> Result<(L, Layout<L>), L::Error> {
    let site = Site { operation: "composed", operands };
    let lost = |lost| L::lost(lost, site.operation, operands());
    let indices = Layout::compact(facts, shape.clone())?;
    let start = start_of(facts, &indices, offset, operands)?;
    let zero = L::from(0);
    let within = |greater: &L, less: &L| {
        L::require(&site, L::at_least(facts, greater, less), || {
            let expected = "coordinates in the shape of the outer layout";
            Error::condition(site.operation, operands(), expected, format!("{greater} < {less}"))
        })
    };
    for (path, by) in offset.paths().into_iter().zip(offset.values()) {
        let offsets = inner.along(&path)?;
        within(by, &zero)?;
        for (extent, stride) in &offsets.leaves() {
            if !extent.is(1) {
                within(stride, &zero)?;
            }
        }
        let extent =
            mode_at(&indices, &path).map_or(Ok(zero.clone()), |mode| mode.total()).map_err(lost)?;
        within(&extent, &by.plus(&offsets.cosize_under(facts)?).map_err(lost)?)?;
    }
    Ok((start, inner.composed_after(facts, &indices)?))
}
