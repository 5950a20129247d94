//! Layouts: a shape and a congruent stride, which define a function.
//!
//! Leaves are integers, or expressions over symbols, under facts: [`Leaf`]. An operation is a method:
//! `layout.complement_under(&facts, &codomain)`, over any leaf, takes the facts first, and
//! `layout.complement(&codomain)`, of integers, none. The macro `closed!` makes the second of the first.

pub(crate) mod basis;
pub(crate) mod common;
pub(crate) mod complement;
pub(crate) mod composition;
pub(crate) mod distribute;
pub(crate) mod divide;
pub(crate) mod entries;
pub(crate) mod evaluate;
pub(crate) mod function;
pub(crate) mod image;
pub(crate) mod injective;
pub(crate) mod inverse;
pub(crate) mod leaf;
pub(crate) mod modal;
pub(crate) mod modes;
pub(crate) mod order;
pub(crate) mod parts;
pub(crate) mod predicate;
mod prelude;
pub(crate) mod product;
pub(crate) mod recast;
pub(crate) mod slice;
pub(crate) mod stride;
pub(crate) mod tiler;
pub(crate) mod values;

use crate::layout::prelude::*;
use crate::{
    integer::substitute::closes, layout::modal::Part, nested::ShapeStride, shape::compact,
};
use core::fmt::Write;
use smallvec::SmallVec;

/// A layout `shape:stride` maps coordinates of its shape to offsets.
///
/// A coordinate may be a tuple that nests like the shape, or an integer in place of any tuple,
/// which counts colexicographically: the first mode runs fastest. An index past the size continues
/// in the last mode, and a negative one goes the other way: `L(-i) = -L(i)`.
///
/// | coordinate of `(4,(2,4)):(2,(1,8))` | offset |
/// |---|---|
/// | `(2,(0,1))` | 2·2 + 0·1 + 1·8 = 12 |
/// | `(2,2)` | the same: 2 is `(0,1)` in `(2,4)` |
/// | `10` | the same: 10 is `(2,2)` in `(4,8)` |
///
/// ```
/// use layout_algebra::Layout;
/// let layout: Layout = "(4,(2,4)):(2,(1,8))".parse()?;
/// assert_eq!((layout.size(), layout.cosize()?, layout.at(10)?), (32, 32, 12));
/// # Ok::<(), layout_algebra::Error>(())
/// ```
///
/// A method that is an operation of terms has its conditions, errors and further examples in its row of the table,
/// [`Op`](crate::Op). All operations may overflow, or exceed a limit of expressions.
///
/// A layout of expressions stands for one of integers under each assignment that the facts allow, and
/// every operation on it for the operation on those:
///
/// ```
/// use layout_algebra::{Expr, Layout};
/// let (layout, mut facts) = Layout::<Expr>::parse("(M{div=8},(2,N)):(2*N,(N,1))")?;
/// assert_eq!(layout.size()?.to_string(), "2*M*N");
/// let i = facts.declare("i{range=0..}")?;
/// assert_eq!(layout.mode(1).expect("two modes").at_under(&facts, &i)?.to_string(), "floor_div(i,2)+N*mod(i,2)");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layout<L: Leaf = i64, S: Stride<L> = L> {
    shape: Nested<L>,
    stride: Nested<S>,
    /// The codomain: offsets, or coordinates that nest in some way. Parts of the layout share it.
    codomain: S::Codomain,
    size: L::Size,
}

impl From<&Layout> for ShapeStride {
    fn from(layout: &Layout) -> Self {
        Self { shape: layout.shape.clone(), stride: layout.stride.clone() }
    }
}

impl TryFrom<&ShapeStride> for Layout {
    type Error = Error;

    fn try_from(text: &ShapeStride) -> Result<Self> {
        Self::new(text.shape.clone(), text.stride.clone())
    }
}

/// Leaves as `(extent, stride)`; layouts of the field have few.
pub(crate) type Modes<L = i64, S = L> = SmallVec<[(L, S); 8]>;

impl<L: Leaf> Layout<L> {
    /// [`Layout::from_shape`] under facts.
    pub fn compact(facts: &L::Facts, shape: Nested<L>) -> Result<Self, L::Error> {
        let order: Vec<usize> = (0..shape.leaf_count()).collect();
        let stride = compact("compact_col_major", &shape, &order)?;
        Self::under(facts, shape, stride)
    }

    /// Parts that are known to make a layout of this size.
    pub(crate) fn from_parts(shape: Nested<L>, stride: Nested<L>, size: L::Size) -> Self {
        Self::within((), shape, stride, size)
    }

    /// Parts that are known to be congruent and extents that are known to be at least 1.
    pub(crate) fn sized(shape: Nested<L>, stride: Nested<L>) -> Result<Self, L::Error> {
        let size = size_of(&shape)?;
        Ok(Self::from_parts(shape, stride, size))
    }

    /// `1:0`.
    pub(crate) fn one() -> Self {
        Self::one_within(())
    }

    /// The layout of two modes.
    pub(crate) fn of_two([first, second]: [Self; 2]) -> Result<Self, L::Error> {
        let size = L::size_of_modes([&first.size, &second.size].into_iter());
        let shape = Nested::Node(vec![first.shape, second.shape]);
        match size {
            Some(size) => {
                let stride = Nested::Node(vec![first.stride, second.stride]);
                Ok(Self::from_parts(shape, stride, size))
            }
            None => Err(Error::overflow("product", &shape).into()),
        }
    }

    /// Modes that are known to make a layout of this size: one is a leaf, none is `1:0`.
    pub(crate) fn of_modes(modes: &[(L, L)], size: L::Size) -> Self {
        Self::of_modes_within((), modes, size)
    }

    /// A flat layout of modes whose extents are known to be at least 1: one is a leaf, none is `1:0`.
    pub(crate) fn of_leaves(modes: &[(L, L)]) -> Result<Self, L::Error> {
        Self::of_leaves_within((), modes)
    }

    /// One more than the greatest offset, for strides that are not negative; CuTe's
    /// `1 + sum (extent-1)*|stride|`.
    pub fn cosize_under(&self, facts: &L::Facts) -> Result<L, L::Error> {
        let lost = |lost| L::lost(lost, "cosize", self);
        let mut sum = L::from(1);
        for (extent, stride) in &self.leaves() {
            if extent.is(1) {
                continue;
            }
            let site = Site { operation: "cosize", operands: &|| self.to_string() };
            let magnitude = magnitude(facts, &site, stride)?.map_err(lost)?;
            let more = extent.less_one().and_then(|steps| steps.times(&magnitude));
            sum = more.and_then(|more| sum.plus(&more)).map_err(lost)?;
        }
        Ok(sum)
    }

    /// [`Layout::at`] under facts.
    ///
    /// # Errors
    ///
    /// An index into more than one mode that is not known to be at least 0; overflow.
    pub fn at_under(&self, facts: &L::Facts, index: &L) -> Result<L, L::Error> {
        L::offset(facts, &self.shape, &self.stride, index)
    }

    /// The layout of the same nesting with other leaves.
    pub(crate) fn map_leaves<M: Leaf, E: From<M::Unsized>>(
        &self,
        f: &mut impl FnMut(&L) -> Result<M, E>,
    ) -> Result<Layout<M>, E> {
        let (shape, stride) = (self.shape.try_map(f)?, self.stride.try_map(f)?);
        let size = M::measure(&shape)?;
        Ok(Layout::from_parts(shape, stride, size))
    }
}

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// A layout of a shape and a congruent stride, under facts.
    ///
    /// # Errors
    ///
    /// When they are not congruent, or an extent is not known to be at least 1; strides that do not agree
    /// on the coordinates; overflow.
    pub fn under(facts: &L::Facts, shape: Nested<L>, stride: Nested<S>) -> Result<Self, L::Error> {
        let codomain = S::codomain(&shape, &stride)?;
        let size = L::size_under(facts, &shape, &|| pair_text(&shape, &stride))?;
        Ok(Self { shape, stride: S::settled(stride), codomain, size })
    }

    /// Parts that are known to make a layout of this size into a codomain.
    pub(crate) fn within(
        codomain: S::Codomain,
        shape: Nested<L>,
        stride: Nested<S>,
        size: L::Size,
    ) -> Self {
        debug_assert!(shape.congruent(&stride));
        Self { shape, stride, codomain, size }
    }

    /// The layout of the same shape with other strides, into a codomain.
    pub(crate) fn restrided<T: Stride<L>>(
        &self,
        codomain: T::Codomain,
        stride: Nested<T>,
    ) -> Layout<L, T> {
        Layout::within(codomain, self.shape.clone(), stride, self.size.clone())
    }

    /// `1:0` into a codomain.
    pub(crate) fn one_within(codomain: S::Codomain) -> Self {
        let shape = Nested::Leaf(L::from(1));
        let size = L::size_of_part(&shape);
        Self::within(codomain, shape, Nested::Leaf(S::still()), size)
    }

    /// [`Layout::of_modes`] into a codomain.
    // A call for each layout costs a tenth of coalescing one.
    #[inline(always)]
    pub(crate) fn of_modes_within(codomain: S::Codomain, modes: &[(L, S)], size: L::Size) -> Self {
        let shape = |mode: &(L, S)| Nested::Leaf(mode.0.clone());
        let stride = |mode: &(L, S)| Nested::Leaf(mode.1.clone());
        match modes {
            [] => Self::one_within(codomain),
            [mode] => Self::within(codomain, shape(mode), stride(mode), size),
            _ => Self::within(
                codomain,
                Nested::Node(modes.iter().map(shape).collect()),
                Nested::Node(modes.iter().map(stride).collect()),
                size,
            ),
        }
    }

    /// [`Layout::of_leaves`] into a codomain.
    pub(crate) fn of_leaves_within(
        codomain: S::Codomain,
        modes: &[(L, S)],
    ) -> Result<Self, L::Error> {
        match L::size_of_extents(modes.iter().map(|(extent, _)| extent)) {
            Some(size) => Ok(Self::of_modes_within(codomain, modes, size)),
            None => {
                let extents = modes.iter().map(|(extent, _)| Nested::Leaf(extent.clone()));
                Err(Error::overflow("product", Nested::Node(extents.collect())).into())
            }
        }
    }

    /// The codomain.
    pub(crate) fn codomain(&self) -> &S::Codomain {
        &self.codomain
    }

    /// The shape.
    pub fn shape(&self) -> &Nested<L> {
        &self.shape
    }

    /// The stride, in elements.
    pub fn stride(&self) -> &Nested<S> {
        &self.stride
    }

    /// Modes at the top; a leaf has one.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// How deep the shape nests.
    pub fn depth(&self) -> usize {
        self.shape.depth()
    }

    /// Coordinates: the product of the extents. For integers it is known to fit.
    pub fn size(&self) -> L::SizeOf {
        L::size_of(&self.shape, &self.size)
    }

    /// The size as a leaf.
    pub(crate) fn total(&self) -> Result<L, L::Lost> {
        L::total(&self.shape, &self.size)
    }

    /// The part of its size that the layout keeps.
    pub(crate) fn measured(&self) -> &L::Size {
        &self.size
    }

    /// A mode at the top.
    pub fn mode(&self, index: usize) -> Option<Self> {
        Part::of(self).modes().nth(index).map(Part::to_layout)
    }

    /// The modes at the top; a leaf is its own.
    pub fn modes(&self) -> Vec<Self> {
        Part::of(self).to_layouts()
    }

    /// All leaves as `(extent, stride)`.
    pub fn flat(&self) -> Vec<(L, S)> {
        self.leaves().into_vec()
    }

    /// All leaves as `(extent, stride)`, without a heap for few.
    pub(crate) fn leaves(&self) -> Modes<L, S> {
        let mut modes = Modes::new();
        self.visit(&mut |extent, stride| modes.push((extent.clone(), stride.clone())));
        modes
    }

    /// Calls `f` with the extent and stride of each leaf.
    pub(crate) fn visit(&self, f: &mut impl FnMut(&L, &S)) {
        visit(&self.shape, &self.stride, f);
    }

    /// Whether the shape is no tuple.
    pub fn is_leaf(&self) -> bool {
        matches!(self.shape, Nested::Leaf(_))
    }

    /// The offset of a coordinate that nests like the shape, or less deeply.
    ///
    /// An offset, or the coordinate where a coordinate layout maps
    /// one.
    pub fn crd2idx_under(
        &self,
        facts: &L::Facts,
        coord: &Nested<L>,
    ) -> Result<S::Offset, L::Error> {
        offset_of(facts, &self.codomain, &self.shape, &self.stride, coord)
    }

    /// Writes the layout, each leaf by `leaf`.
    pub(crate) fn write_by<W: Write + ?Sized>(
        &self,
        f: &mut W,
        leaf: &mut impl FnMut(&L, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        write_pair(&self.shape, &self.stride, f, leaf)
    }
}

/// The size of a shape whose extents are known to be at least 1.
pub(crate) fn size_of<L: Leaf>(shape: &Nested<L>) -> Result<L::Size, L::Error> {
    let size = L::size_of_extents(shape.values().into_iter());
    size.ok_or_else(|| Error::overflow("product", shape).into())
}

/// The distance from 0, of what is known to lie on one side of it; then it may overflow.
fn magnitude<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    value: &L,
) -> Result<Result<L, L::Lost>, L::Error> {
    let zero = L::from(0);
    if L::at_least(facts, &zero, value).is_yes() {
        return Ok(value.scaled(-1));
    }
    L::require(site, L::at_least(facts, value, &zero), || Error::overflow("abs", value))?;
    Ok(Ok(value.clone()))
}

/// Whether a leaf is a value, which must be known.
pub(crate) fn is_known<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    leaf: &L,
    value: i64,
) -> Result<bool, L::Error> {
    let distinct = L::distinct(facts, leaf, &L::from(value));
    if distinct.is_no() {
        return Ok(true);
    }
    L::require(site, distinct, || Error::overflow(site.operation, leaf))?;
    Ok(false)
}

impl<S: Stride<i64>> Layout<i64, S> {
    /// A layout of a shape and a congruent stride.
    ///
    /// # Errors
    ///
    /// When they are not congruent, an extent is below 1, or the size overflows; strides that take one
    /// part of a coordinate for an integer and for a tuple, or a path longer or wider than a term may nest.
    pub fn new(shape: Tuple, stride: Nested<S>) -> Result<Self> {
        Self::under(&(), shape, stride)
    }
}

impl Layout {
    /// The compact column-major layout of a shape: the first mode runs fastest. Extents of 1 have
    /// stride 0.
    pub fn from_shape(shape: Tuple) -> Result<Self> {
        let stride = shape.compact_col_major()?;
        Self::new(shape, stride)
    }

    /// The offset of a one-dimensional index, which may lie past the size.
    pub fn at(&self, index: i64) -> Result<i64> {
        self.at_under(&(), &index)
    }
}

closes!(Layout<Expr> => Layout, |layout, leaf| layout.map_leaves(leaf));

impl Layout<Expr> {
    /// The layout in normal form under the facts known now; see [`Facts::refresh`].
    ///
    /// # Errors
    ///
    /// Overflow and limits; extents that are no longer known to be at least 1 in another table.
    pub fn refresh(&self, facts: &Facts) -> integer::Result<Self> {
        Self::under(facts, self.shape().refresh(facts)?, self.stride().refresh(facts)?)
    }
}

/// [`Layout::crd2idx_under`] of a part of a layout, without a copy of it for each level.
fn offset_of<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    codomain: &S::Codomain,
    shape: &Nested<L>,
    stride: &Nested<S>,
    coord: &Nested<L>,
) -> Result<S::Offset, L::Error> {
    match (shape, stride, coord) {
        (_, _, Nested::Leaf(index)) => S::place(facts, codomain, shape, stride, index),
        (Nested::Node(shapes), Nested::Node(strides), Nested::Node(entries))
            if shapes.len() == entries.len() =>
        {
            let modes = shapes.iter().zip(strides).zip(entries);
            let mut sum = S::origin(codomain);
            for ((shape_, stride_), entry) in modes {
                S::add(&mut sum, offset_of(facts, codomain, shape_, stride_, entry)?)
                    .map_err(|lost| L::lost(lost, "crd2idx", pair_text(shape, stride)))?;
            }
            Ok(sum)
        }
        _ => Err(L::misfit(shape, coord.to_string())),
    }
}

/// Writes a shape and a stride as a layout's text, each leaf by `leaf`.
pub(crate) fn write_pair<L: Leaf, S: Stride<L>, W: Write + ?Sized>(
    shape: &Nested<L>,
    stride: &Nested<S>,
    f: &mut W,
    leaf: &mut impl FnMut(&L, &mut W) -> fmt::Result,
) -> fmt::Result {
    shape.write_by(f, leaf)?;
    f.write_str(":")?;
    stride.write_by(f, &mut |step: &S, f| step.spell(f, leaf))
}

/// A shape and a stride, as a layout's text.
pub(crate) fn pair_text<L: Leaf, S: Stride<L>>(shape: &Nested<L>, stride: &Nested<S>) -> String {
    let mut text = String::with_capacity(32);
    // A string takes all that is written to it.
    let _ = write_pair(shape, stride, &mut text, &mut L::write);
    text
}

/// Calls `f` with the extent and stride of each leaf of a shape and a congruent stride.
pub(crate) fn visit<L, S>(shape: &Nested<L>, stride: &Nested<S>, f: &mut impl FnMut(&L, &S)) {
    match (shape, stride) {
        (Nested::Leaf(extent), Nested::Leaf(stride)) => f(extent, stride),
        (Nested::Node(shapes), Nested::Node(strides)) => {
            shapes.iter().zip(strides).for_each(|(shape, stride)| visit(shape, stride, f));
        }
        // Shape and stride of a layout are congruent.
        _ => {}
    }
}

/// The offset of an index in leaves, 0 where there are none; none on overflow.
pub(crate) fn offset_at(leaves: &[(i64, i64)], index: i64) -> Option<i64> {
    let Some((&(_, last), before)) = leaves.split_last() else { return Some(0) };
    let mut rest = index;
    let mut offset = 0_i64;
    for &(extent, stride) in before {
        if rest == 0 {
            return Some(offset);
        }
        offset = (rest % extent).checked_mul(stride)?.checked_add(offset)?;
        rest /= extent;
    }
    rest.checked_mul(last)?.checked_add(offset)
}

impl<L: Leaf, S: Stride<L>> fmt::Display for Layout<L, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written by hand: types and attributes are known by this text.
        f.write_str(&pair_text(&self.shape, &self.stride))
    }
}

impl Tuple {
    /// The natural coordinate of an index: the last leaf takes all that is left.
    pub fn idx2crd(&self, index: i64) -> Result<Tuple> {
        self.idx2crd_under(&(), &index)
    }
}

impl<L: Leaf> Nested<L> {
    /// [`Nested::idx2crd`] under facts.
    ///
    /// # Errors
    ///
    /// An index into a shape of more than one leaf that is not known to be at least 0; an extent that
    /// is not known to be at least 1.
    pub fn idx2crd_under(&self, facts: &L::Facts, index: &L) -> Result<Nested<L>, L::Error> {
        let site = Site { operation: "idx2crd", operands: &|| format!("{index}, {self}") };
        let mut digits = L::digits(facts, &site, index, self)?.into_iter();
        self.try_map(&mut |_| Ok(digits.next().unwrap_or_else(|| L::from(0))))
    }

    /// [`Nested::idx2crd`] of each integer of a coordinate, in the part of the shape where it is.
    ///
    /// # Errors
    ///
    /// A coordinate that nests deeper than the shape; an extent below 1. Under facts: a coordinate that
    /// does not fit; those of [`Nested::idx2crd_under`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("idx2crd((3,5), (4,(2,3)))"), "(3,(1,2))");
    /// ```
    pub fn crd2crd_under(
        &self,
        facts: &L::Facts,
        coord: &Nested<L>,
    ) -> Result<Nested<L>, L::Error> {
        match (coord, self) {
            (Nested::Leaf(index), _) => self.idx2crd_under(facts, index),
            (Nested::Node(coords), Nested::Node(extents)) if coords.len() == extents.len() => {
                let coords = coords
                    .iter()
                    .zip(extents)
                    .map(|(coord, extent)| extent.crd2crd_under(facts, coord));
                Ok(Nested::Node(coords.collect::<Result<_, _>>()?))
            }
            _ => Err(L::misfit(self, coord.to_string())),
        }
    }
}

closed! { Tuple {
    crd2crd = crd2crd_under(coord: &Tuple) -> Tuple;
} }

closed! { Layout {
    cosize = cosize_under() -> i64;
    crd2idx = crd2idx_under(coord: &Tuple) -> i64;
} }
