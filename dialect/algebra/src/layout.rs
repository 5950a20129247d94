//! Layouts: a shape, a congruent stride, and the function that they are.

use crate::{
    error::{Error, Result},
    modal::{Modal, Part, no_modes},
    shape::compact_col_major,
    tuple::Tuple,
};
use smallvec::SmallVec;
use std::fmt;

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
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layout {
    shape: Tuple,
    stride: Tuple,
    size: i64,
}

/// Leaves as `(extent, stride)`; layouts of the field have few.
pub(crate) type Modes = SmallVec<[(i64, i64); 8]>;

impl Layout {
    /// A layout of a shape and a congruent stride.
    ///
    /// # Errors
    ///
    /// When they are not congruent, an extent is below 1, or the size overflows.
    pub fn new(shape: Tuple, stride: Tuple) -> Result<Self> {
        if !shape.congruent(&stride) {
            return Err(Error::Incongruent { shape, stride });
        }
        let mut size = Some(1_i64);
        let mut bad = None;
        shape.visit(&mut |extent| {
            if extent < 1 {
                bad = bad.or(Some(extent));
            }
            size = size.and_then(|size| size.checked_mul(extent));
        });
        if let Some(extent) = bad {
            return Err(Error::Extent { shape, extent });
        }
        match size {
            Some(size) => Ok(Self { shape, stride, size }),
            None => Err(Error::overflow("product", &shape)),
        }
    }

    /// Parts that are known to make a layout of this size.
    pub(crate) fn from_parts(shape: Tuple, stride: Tuple, size: i64) -> Self {
        debug_assert!(shape.congruent(&stride));
        Self { shape, stride, size }
    }

    /// The compact column-major layout of a shape: the first mode runs fastest. Extents of 1 have
    /// stride 0.
    ///
    /// # Errors
    ///
    /// As [`Layout::new`].
    pub fn from_shape(shape: Tuple) -> Result<Self> {
        let stride = compact_col_major(&shape)?;
        Self::new(shape, stride)
    }

    /// A layout of one mode.
    pub(crate) fn leaf(extent: i64, stride: i64) -> Result<Self> {
        Self::new(Tuple::Leaf(extent), Tuple::Leaf(stride))
    }

    /// `1:0`.
    pub(crate) fn one() -> Self {
        Self::from_parts(Tuple::Leaf(1), Tuple::Leaf(0), 1)
    }

    /// The layout of two modes.
    pub(crate) fn of_two([first, second]: [Self; 2]) -> Result<Self> {
        let size = first.size.checked_mul(second.size);
        let shape = Tuple::Node(vec![first.shape, second.shape]);
        match size {
            Some(size) => {
                Ok(Self { shape, stride: Tuple::Node(vec![first.stride, second.stride]), size })
            }
            None => Err(Error::overflow("product", &shape)),
        }
    }

    /// Modes that are known to make a layout of this size: one is a leaf, none is `1:0`.
    pub(crate) fn of_modes(modes: &[(i64, i64)], size: i64) -> Self {
        match modes {
            [] => Self::one(),
            &[(extent, stride)] => Self::from_parts(Tuple::Leaf(extent), Tuple::Leaf(stride), size),
            _ => Self::from_parts(
                Tuple::Node(modes.iter().map(|&(extent, _)| Tuple::Leaf(extent)).collect()),
                Tuple::Node(modes.iter().map(|&(_, stride)| Tuple::Leaf(stride)).collect()),
                size,
            ),
        }
    }

    /// A flat layout of `(extent, stride)` pairs: one pair is a leaf, none is `1:0`.
    pub(crate) fn from_flat(modes: &[(i64, i64)]) -> Result<Self> {
        match modes {
            [] => Ok(Self::one()),
            &[(extent, stride)] => Self::leaf(extent, stride),
            _ => Self::new(
                Tuple::Node(modes.iter().map(|&(extent, _)| Tuple::Leaf(extent)).collect()),
                Tuple::Node(modes.iter().map(|&(_, stride)| Tuple::Leaf(stride)).collect()),
            ),
        }
    }

    /// The shape.
    pub fn shape(&self) -> &Tuple {
        &self.shape
    }

    /// The stride, in elements.
    pub fn stride(&self) -> &Tuple {
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

    /// Coordinates: the product of the extents.
    pub fn size(&self) -> i64 {
        self.size
    }

    /// One more than the greatest offset, for strides that are not negative; CuTe's
    /// `1 + sum (extent-1)*|stride|`.
    ///
    /// # Errors
    ///
    /// Overflow.
    pub fn cosize(&self) -> Result<i64> {
        self.leaves()
            .into_iter()
            .try_fold(1_i64, |sum, (extent, stride)| {
                sum.checked_add((extent - 1).checked_mul(stride.checked_abs()?)?)
            })
            .ok_or_else(|| Error::overflow("cosize", self))
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
    pub fn flat(&self) -> Vec<(i64, i64)> {
        self.leaves().into_vec()
    }

    /// All leaves as `(extent, stride)`, without a heap for few.
    pub(crate) fn leaves(&self) -> Modes {
        let mut modes = Modes::new();
        self.visit(&mut |extent, stride| modes.push((extent, stride)));
        modes
    }

    /// Calls `f` with the extent and stride of each leaf.
    pub(crate) fn visit(&self, f: &mut impl FnMut(i64, i64)) {
        visit(&self.shape, &self.stride, f);
    }

    /// Whether the shape is an integer.
    pub fn is_leaf(&self) -> bool {
        matches!(self.shape, Tuple::Leaf(_))
    }

    /// The offset of a one-dimensional index, which may lie past the size.
    ///
    /// # Errors
    ///
    /// Overflow.
    pub fn at(&self, index: i64) -> Result<i64> {
        offset_at(&self.leaves(), index)
            .ok_or_else(|| Error::overflow("at", format!("{self} at {index}")))
    }

    /// The offset of a coordinate that nests like the shape, or less deeply.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow.
    pub fn crd2idx(&self, coord: &Tuple) -> Result<i64> {
        offset_of(&self.shape, &self.stride, coord)
    }
}

/// [`Layout::crd2idx`] of a part of a layout, without a copy of it for each level.
fn offset_of(shape: &Tuple, stride: &Tuple, coord: &Tuple) -> Result<i64> {
    match (shape, stride, coord) {
        (_, _, Tuple::Leaf(index)) => {
            let mut leaves = Modes::new();
            visit(shape, stride, &mut |extent, stride| leaves.push((extent, stride)));
            offset_at(&leaves, *index)
                .ok_or_else(|| Error::overflow("at", format!("{shape}:{stride} at {index}")))
        }
        (Tuple::Node(shapes), Tuple::Node(strides), Tuple::Node(entries))
            if shapes.len() == entries.len() =>
        {
            let modes = shapes.iter().zip(strides).zip(entries);
            modes.into_iter().try_fold(0_i64, |sum, ((shape_, stride_), entry)| {
                sum.checked_add(offset_of(shape_, stride_, entry)?)
                    .ok_or_else(|| Error::overflow("crd2idx", format!("{shape}:{stride}")))
            })
        }
        _ => Err(Error::Coordinate { shape: shape.clone(), coord: coord.to_string() }),
    }
}

/// Calls `f` with the extent and stride of each leaf of a shape and a congruent stride.
fn visit(shape: &Tuple, stride: &Tuple, f: &mut impl FnMut(i64, i64)) {
    match (shape, stride) {
        (Tuple::Leaf(extent), Tuple::Leaf(stride)) => f(*extent, *stride),
        (Tuple::Node(shapes), Tuple::Node(strides)) => {
            shapes.iter().zip(strides).for_each(|(shape, stride)| visit(shape, stride, f));
        }
        // Shape and stride of a layout are congruent.
        _ => {}
    }
}

/// The offset of an index in leaves; none on overflow.
pub(crate) fn offset_at(leaves: &[(i64, i64)], index: i64) -> Option<i64> {
    let (&(_, last), before) = leaves.split_last()?;
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

impl Modal for Layout {
    type Extent = i64;
    type Stride = i64;
    type Error = Error;

    fn shape(&self) -> &Tuple {
        &self.shape
    }

    fn stride(&self) -> &Tuple {
        &self.stride
    }

    fn part(&self, shape: &Tuple, stride: &Tuple) -> Self {
        // A part of a congruent pair, of a part of the size.
        let mut size = 1;
        shape.visit(&mut |extent| size *= extent);
        Self::from_parts(shape.clone(), stride.clone(), size)
    }

    fn of_parts(modes: Vec<Self>) -> Result<Self> {
        if modes.is_empty() {
            return Err(no_modes());
        }
        let size = modes.iter().try_fold(1_i64, |size, mode| size.checked_mul(mode.size));
        let parts = modes.into_iter().map(|mode| (mode.shape, mode.stride));
        let (shape, stride): (Vec<_>, Vec<_>) = parts.unzip();
        let (shape, stride) = (Tuple::Node(shape), Tuple::Node(stride));
        match size {
            // Congruent as the parts are, which is not looked at again on each level.
            Some(size) => Ok(Self { shape, stride, size }),
            None => Err(Error::overflow("product", &shape)),
        }
    }

    fn misfit(shape: &Tuple, coord: String) -> Error {
        Error::Coordinate { shape: shape.clone(), coord }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written by hand: types and attributes are known by this text.
        let mut text = String::with_capacity(32);
        write_tuple(&mut text, &self.shape);
        text.push(':');
        write_tuple(&mut text, &self.stride);
        f.write_str(&text)
    }
}

/// Writes a tuple as its `Display` does.
fn write_tuple(text: &mut String, tuple: &Tuple) {
    match tuple {
        Tuple::Leaf(value) => write_integer(text, *value),
        Tuple::Node(entries) => {
            text.push('(');
            for (i, entry) in entries.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write_tuple(text, entry);
            }
            text.push(')');
        }
    }
}

fn write_integer(text: &mut String, value: i64) {
    if value < 0 {
        text.push('-');
    }
    let mut digits = [b'0'; 20];
    let mut rest = value.unsigned_abs();
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    text.extend(digits[digits.len() - count..].iter().map(|&digit| char::from(digit)));
}

/// The natural coordinate of an index: the last leaf takes all that is left.
///
/// # Errors
///
/// An extent below 1.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("idx2crd(11, (6,2))")?, "(5,1)");
/// # Ok::<(), Error>(())
/// ```
pub fn idx2crd(index: i64, shape: &Tuple) -> Result<Tuple> {
    let leaves = shape.leaf_count();
    let mut rest = index;
    let mut seen = 0;
    shape.map(&mut |extent| {
        seen += 1;
        if extent < 1 {
            return Err(Error::Extent { shape: shape.clone(), extent });
        }
        if seen == leaves {
            return Ok(rest);
        }
        let digit = rest % extent;
        rest /= extent;
        Ok(digit)
    })
}

/// [`idx2crd`] of each integer of a coordinate, in the part of the shape where it stands.
///
/// # Errors
///
/// A coordinate that nests deeper than the shape; an extent below 1.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("idx2crd((3,5), (4,(2,3)))")?, "(3,(1,2))");
/// # Ok::<(), Error>(())
/// ```
pub fn crd2crd(coord: &Tuple, shape: &Tuple) -> Result<Tuple> {
    match (coord, shape) {
        (Tuple::Leaf(index), _) => idx2crd(*index, shape),
        (Tuple::Node(coords), Tuple::Node(extents)) if coords.len() == extents.len() => {
            let coords = coords.iter().zip(extents).map(|(coord, extent)| crd2crd(coord, extent));
            Ok(Tuple::Node(coords.collect::<Result<_>>()?))
        }
        _ => Err(Error::Coordinate { shape: shape.clone(), coord: coord.to_string() }),
    }
}
