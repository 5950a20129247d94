//! Layouts whose extents and strides are expressions.

use super::{
    Answer, Fact,
    error::{Error, Result, Site},
    expr::Expr,
    facts::Facts,
    substitute::Values,
    tuple::{SymbolicTuple, misfit},
};
use crate::{
    Layout,
    modal::{Modal, Part, no_modes},
};
use std::fmt;

/// A layout `shape:stride` with expressions over symbols as leaves.
///
/// It stands for one [`Layout`] under each assignment that the facts allow, and every operation on
/// it for the operation on those. Extents are at least 1 by construction. The symbols live in a
/// table of [`Facts`], which every operation takes first.
///
/// ```
/// use layout_algebra::symbolic::{Expr, SymbolicLayout};
/// let (layout, mut facts) = SymbolicLayout::parse("(M{div=8},(2,N)):(2*N,(N,1))")?;
/// assert_eq!(layout.size()?.to_string(), "2*M*N");
/// let i = facts.declare("i{range=0..}")?;
/// assert_eq!(layout.mode(1).expect("two modes").at(&facts, &i)?.to_string(), "floor_div(i,2)+N*mod(i,2)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SymbolicLayout {
    shape: SymbolicTuple,
    stride: SymbolicTuple,
}

impl SymbolicLayout {
    /// A layout of a shape and a congruent stride.
    ///
    /// # Errors
    ///
    /// When they are not congruent, or an extent is not known to be at least 1.
    pub fn new(facts: &Facts, shape: SymbolicTuple, stride: SymbolicTuple) -> Result<Self> {
        if !shape.congruent(&stride) {
            return Err(Error::operand(
                "layout",
                format!("a stride congruent to the shape {shape}"),
                stride,
            ));
        }
        let one = Expr::from(1);
        let operands = || format!("{shape}:{stride}");
        let site = Site { operation: "layout", operands: &operands };
        for extent in shape.leaves() {
            site.require(facts.at_least(extent, &one))?;
        }
        Ok(Self { shape, stride })
    }

    /// The compact column-major layout of a shape: the first mode has stride 1. Extents of 1 have
    /// stride 0.
    ///
    /// # Errors
    ///
    /// As [`SymbolicLayout::new`].
    pub fn from_shape(facts: &Facts, shape: SymbolicTuple) -> Result<Self> {
        let order: Vec<usize> = (0..shape.leaves().len()).collect();
        let stride = compact(&shape, &order)?;
        Self::new(facts, shape, stride)
    }

    /// Parts that are known to be congruent and extents that are known to be at least 1.
    pub(super) fn known(shape: SymbolicTuple, stride: SymbolicTuple) -> Self {
        Self { shape, stride }
    }

    /// One mode, whose extent is known to be at least 1.
    pub(super) fn leaf(extent: Expr, stride: Expr) -> Self {
        Self::known(SymbolicTuple::Leaf(extent), SymbolicTuple::Leaf(stride))
    }

    /// `1:0`.
    pub(super) fn one() -> Self {
        Self::leaf(Expr::from(1), Expr::from(0))
    }

    /// A flat layout: one pair is a leaf, none is `1:0`.
    pub(super) fn from_flat(mut modes: Vec<(Expr, Expr)>) -> Self {
        if modes.len() <= 1 {
            let (extent, stride) = modes.pop().unwrap_or((Expr::from(1), Expr::from(0)));
            return Self::leaf(extent, stride);
        }
        let (shape, stride) = modes
            .into_iter()
            .map(|(extent, stride)| (SymbolicTuple::Leaf(extent), SymbolicTuple::Leaf(stride)))
            .unzip();
        Self::known(SymbolicTuple::Node(shape), SymbolicTuple::Node(stride))
    }

    /// The shape.
    pub fn shape(&self) -> &SymbolicTuple {
        &self.shape
    }

    /// The stride, in elements.
    pub fn stride(&self) -> &SymbolicTuple {
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

    /// Whether the shape is an expression and no tuple.
    pub fn is_leaf(&self) -> bool {
        matches!(self.shape, SymbolicTuple::Leaf(_))
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
    pub fn flat(&self) -> Vec<(Expr, Expr)> {
        self.shape
            .leaves()
            .into_iter()
            .zip(self.stride.leaves())
            .map(|(extent, stride)| (extent.clone(), stride.clone()))
            .collect()
    }

    /// The same with integers, if all leaves are constant.
    pub fn to_static(&self) -> Option<Layout> {
        Layout::new(self.shape.to_static()?, self.stride.to_static()?).ok()
    }

    /// The layout at chosen values.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow; an extent below 1, which no values that satisfy the
    /// facts give.
    pub fn substitute(&self, values: &Values) -> Result<Layout> {
        Ok(Layout::new(self.shape.substitute(values)?, self.stride.substitute(values)?)?)
    }

    /// The layout in the normal form of what is known now; see [`Facts::refresh`].
    ///
    /// # Errors
    ///
    /// Overflow and limits; extents that are no longer known to be at least 1 in another table.
    pub fn refresh(&self, facts: &Facts) -> Result<Self> {
        Self::new(facts, self.shape.refresh(facts)?, self.stride.refresh(facts)?)
    }

    /// The layout with each symbol's facts at its first mention: what a type of a dynamic layout
    /// looks like. Reading it back gives the same layout and the same facts of its symbols.
    ///
    /// ```
    /// use layout_algebra::symbolic::SymbolicLayout;
    /// let text = "(?,8):(1,?{div=8})";
    /// let (layout, facts) = SymbolicLayout::parse(text)?;
    /// assert_eq!(layout.to_string(), "(?0,8):(1,?1)");
    /// assert_eq!(layout.annotated(&facts), text);
    /// # Ok::<(), layout_algebra::symbolic::Error>(())
    /// ```
    pub fn annotated(&self, facts: &Facts) -> String {
        super::display::annotated(&super::SymbolicValue::Layout(self.clone()), facts)
    }

    /// Coordinates: the product of the extents.
    ///
    /// # Errors
    ///
    /// Overflow and limits.
    pub fn size(&self) -> Result<Expr> {
        self.shape.product()
    }

    /// One more than the greatest offset, for strides that are not negative; CuTe's
    /// `1 + sum (extent-1)*|stride|`.
    ///
    /// # Errors
    ///
    /// A stride whose sign is not known.
    pub fn cosize(&self, facts: &Facts) -> Result<Expr> {
        let operands = || self.to_string();
        let site = Site { operation: "cosize", operands: &operands };
        self.flat().into_iter().try_fold(Expr::from(1), |sum, (extent, stride)| {
            if extent.is(1) {
                return Ok(sum);
            }
            let zero = Expr::from(0);
            let magnitude = if facts.at_least(&zero, &stride).is_yes() {
                stride.scaled(-1)?
            } else {
                site.require(facts.at_least(&stride, &zero))?;
                stride
            };
            sum.plus(&extent.plus(&Expr::from(-1))?.times(&magnitude)?)
        })
    }

    /// The offset of a one-dimensional index, which may lie past the size.
    ///
    /// # Errors
    ///
    /// An index into more than one mode that is not known to be at least 0.
    pub fn at(&self, facts: &Facts, index: &Expr) -> Result<Expr> {
        let operands = || format!("{}, {index}", self.shape);
        let site = Site { operation: "at", operands: &operands };
        let digits = digits(facts, &site, index, &self.shape)?;
        self.stride
            .leaves()
            .into_iter()
            .zip(digits)
            .try_fold(Expr::from(0), |sum, (stride, digit)| sum.plus(&digit.times(stride)?))
    }

    /// The offset of a coordinate that nests like the shape, or less deeply.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; those of [`SymbolicLayout::at`].
    pub fn crd2idx(&self, facts: &Facts, coord: &SymbolicTuple) -> Result<Expr> {
        match coord {
            SymbolicTuple::Leaf(index) => self.at(facts, index),
            SymbolicTuple::Node(entries) => {
                let modes = self.modes();
                if self.is_leaf() || modes.len() != entries.len() {
                    return Err(misfit(&self.shape, coord));
                }
                modes.iter().zip(entries).try_fold(Expr::from(0), |sum, (mode, entry)| {
                    sum.plus(&mode.crd2idx(facts, entry)?)
                })
            }
        }
    }
}

/// Strides of a compact layout: leaf `order[0]` runs fastest, and extents of 1 have stride 0.
pub(super) fn compact(shape: &SymbolicTuple, order: &[usize]) -> Result<SymbolicTuple> {
    let extents = shape.leaves();
    let mut strides = vec![Expr::from(0); extents.len()];
    let mut next = Expr::from(1);
    for &i in order {
        if let (Some(extent), Some(stride)) = (extents.get(i), strides.get_mut(i))
            && !extent.is(1)
        {
            let after = next.times(extent)?;
            *stride = std::mem::replace(&mut next, after);
        }
    }
    let mut strides = strides.into_iter();
    shape.map(&mut |_| Ok(strides.next().unwrap_or_else(|| Expr::from(0))))
}

/// The natural coordinate of an index: the last leaf takes all that is left.
///
/// # Errors
///
/// An index into a shape of more than one leaf that is not known to be at least 0; an extent that
/// is not known to be at least 1.
///
/// ```
/// use layout_algebra::symbolic::{Facts, SymbolicLayout, idx2crd};
/// let (layout, mut facts) = SymbolicLayout::parse("(M,8):(1,M)")?;
/// let i = facts.declare("i{range=0..}")?;
/// let coord = idx2crd(&facts, &i, layout.shape())?;
/// assert_eq!(coord.to_string(), "(mod(i,M),floor_div(i,M))");
/// // And back: the quotient cancels.
/// assert_eq!(layout.crd2idx(&facts, &coord)?.to_string(), "i");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn idx2crd(facts: &Facts, index: &Expr, shape: &SymbolicTuple) -> Result<SymbolicTuple> {
    let operands = || format!("{index}, {shape}");
    let site = Site { operation: "idx2crd", operands: &operands };
    let mut digits = digits(facts, &site, index, shape)?.into_iter();
    shape.map(&mut |_| Ok(digits.next().unwrap_or_else(|| Expr::from(0))))
}

/// [`idx2crd`] for a coordinate of any depth: each index where it stands.
///
/// # Errors
///
/// A coordinate that does not fit; those of [`idx2crd`].
pub fn crd2crd(
    facts: &Facts,
    coord: &SymbolicTuple,
    shape: &SymbolicTuple,
) -> Result<SymbolicTuple> {
    match (coord, shape) {
        (SymbolicTuple::Leaf(index), _) => idx2crd(facts, index, shape),
        (SymbolicTuple::Node(coords), SymbolicTuple::Node(extents))
            if coords.len() == extents.len() =>
        {
            let coords =
                coords.iter().zip(extents).map(|(coord, extent)| crd2crd(facts, coord, extent));
            Ok(SymbolicTuple::Node(coords.collect::<Result<_>>()?))
        }
        _ => Err(misfit(shape, coord)),
    }
}

/// The digits of an index in the mixed radix of a shape's leaves.
fn digits(
    facts: &Facts,
    site: &Site<'_>,
    index: &Expr,
    shape: &SymbolicTuple,
) -> Result<Vec<Expr>> {
    let extents = shape.leaves();
    site.few(extents.len())?;
    if extents.len() > 1 {
        site.require(facts.at_least(index, &Expr::from(0)))?;
    }
    // No layout has an extent below 1. The last one is not divided by, and need not be known.
    for extent in &extents {
        if facts.range(extent).hi.is_some_and(|hi| hi < 1) {
            let least = Fact::AtLeast { greater: (*extent).clone(), less: Expr::from(1) };
            site.require(Answer::No(least))?;
        }
    }
    let mut rest = index.clone();
    let mut digits = Vec::with_capacity(extents.len());
    if let Some((_, before)) = extents.split_last() {
        for extent in before {
            let above = facts.floor_div(&rest, extent)?;
            digits.push(rest.minus(&above.times(extent)?)?);
            rest = above;
        }
    }
    digits.push(rest);
    Ok(digits)
}

impl From<&Layout> for SymbolicLayout {
    fn from(layout: &Layout) -> Self {
        Self::known(layout.shape().into(), layout.stride().into())
    }
}

impl Modal for SymbolicLayout {
    type Extent = Expr;
    type Stride = Expr;
    type Error = Error;

    fn shape(&self) -> &SymbolicTuple {
        &self.shape
    }

    fn stride(&self) -> &SymbolicTuple {
        &self.stride
    }

    fn part(&self, shape: &SymbolicTuple, stride: &SymbolicTuple) -> Self {
        Self::known(shape.clone(), stride.clone())
    }

    fn of_parts(modes: Vec<Self>) -> Result<Self> {
        if modes.is_empty() {
            return Err(Error::Algebra(no_modes()));
        }
        let parts = modes.into_iter().map(|mode| (mode.shape, mode.stride));
        let (shape, stride) = parts.unzip();
        Ok(Self::known(SymbolicTuple::Node(shape), SymbolicTuple::Node(stride)))
    }

    fn misfit(shape: &SymbolicTuple, coord: String) -> Error {
        misfit(shape, coord)
    }
}

impl fmt::Display for SymbolicLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)
    }
}
