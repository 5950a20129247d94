//! Layouts: a shape, a congruent stride, and the function that they are.

use crate::{
    error::{Error, Result},
    tuple::Tuple,
};
use std::fmt;

/// A layout `shape:stride` maps coordinates of its shape to offsets.
///
/// A coordinate may be a tuple that nests like the shape, or an integer in place of any tuple,
/// which counts colexicographically: the first mode runs fastest. An index past the size continues
/// in the last mode.
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
        if let Some(extent) = shape.leaves().into_iter().find(|&extent| extent < 1) {
            return Err(Error::Extent { shape, extent });
        }
        let size = shape.product()?;
        Ok(Self { shape, stride, size })
    }

    /// The compact column-major layout of a shape: the first mode has stride 1.
    ///
    /// # Errors
    ///
    /// As [`Layout::new`].
    pub fn from_shape(shape: Tuple) -> Result<Self> {
        let mut next = 1_i64;
        let stride = shape.map(&mut |extent| {
            let stride = next;
            next = next.checked_mul(extent).ok_or_else(|| Error::overflow("from_shape", &shape))?;
            Ok(stride)
        })?;
        Self::new(shape, stride)
    }

    /// A layout of one mode.
    pub(crate) fn leaf(extent: i64, stride: i64) -> Result<Self> {
        Self::new(Tuple::Leaf(extent), Tuple::Leaf(stride))
    }

    /// A flat layout of `(extent, stride)` pairs: one pair is a leaf, none is `1:0`.
    pub(crate) fn from_flat(modes: &[(i64, i64)]) -> Result<Self> {
        match modes {
            [] => Self::leaf(1, 0),
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
        self.flat()
            .into_iter()
            .try_fold(1_i64, |sum, (extent, stride)| {
                sum.checked_add((extent - 1).checked_mul(stride.checked_abs()?)?)
            })
            .ok_or_else(|| Error::overflow("cosize", self))
    }

    /// A mode at the top.
    pub fn mode(&self, index: usize) -> Option<Self> {
        match (&self.shape, &self.stride) {
            (Tuple::Node(shape), Tuple::Node(stride)) => {
                Self::new(shape.get(index)?.clone(), stride.get(index)?.clone()).ok()
            }
            _ => (index == 0).then(|| self.clone()),
        }
    }

    /// The modes at the top; a leaf is its own.
    pub fn modes(&self) -> Vec<Self> {
        (0..self.rank()).filter_map(|i| self.mode(i)).collect()
    }

    /// All leaves as `(extent, stride)`.
    pub fn flat(&self) -> Vec<(i64, i64)> {
        self.shape.leaves().into_iter().zip(self.stride.leaves()).collect()
    }

    /// Whether the shape is an integer.
    pub fn is_leaf(&self) -> bool {
        matches!(self.shape, Tuple::Leaf(_))
    }

    /// The offset of a one-dimensional index, which may lie past the size.
    ///
    /// # Errors
    ///
    /// A negative index into more than one mode; overflow.
    pub fn at(&self, index: i64) -> Result<i64> {
        let modes = self.flat();
        if index < 0 && modes.len() > 1 {
            return Err(Error::Coordinate { shape: self.shape.clone(), coord: index.to_string() });
        }
        let mut rest = index;
        let mut offset = 0_i64;
        let last = modes.len() - 1;
        for (i, (extent, stride)) in modes.into_iter().enumerate() {
            let digit = if i == last { rest } else { rest % extent };
            rest /= extent;
            offset = digit
                .checked_mul(stride)
                .and_then(|term| offset.checked_add(term))
                .ok_or_else(|| Error::overflow("at", format!("{self} at {index}")))?;
        }
        Ok(offset)
    }

    /// The offset of a coordinate that nests like the shape, or less deeply.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow.
    pub fn crd2idx(&self, coord: &Tuple) -> Result<i64> {
        match coord {
            Tuple::Leaf(index) => self.at(*index),
            Tuple::Node(entries) => {
                let modes = self.modes();
                if self.is_leaf() || modes.len() != entries.len() {
                    return Err(Error::Coordinate {
                        shape: self.shape.clone(),
                        coord: coord.to_string(),
                    });
                }
                modes.iter().zip(entries).try_fold(0_i64, |sum, (mode, entry)| {
                    sum.checked_add(mode.crd2idx(entry)?)
                        .ok_or_else(|| Error::overflow("crd2idx", self))
                })
            }
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)
    }
}

/// The natural coordinate of an index: the last leaf takes all that is left.
///
/// # Errors
///
/// A negative index into a shape of more than one leaf.
pub fn idx2crd(index: i64, shape: &Tuple) -> Result<Tuple> {
    let leaves = shape.leaves().len();
    if index < 0 && leaves > 1 {
        return Err(Error::Coordinate { shape: shape.clone(), coord: index.to_string() });
    }
    let mut rest = index;
    let mut seen = 0;
    shape.map(&mut |extent| {
        seen += 1;
        if seen == leaves {
            return Ok(rest);
        }
        if extent < 1 {
            return Err(Error::Extent { shape: shape.clone(), extent });
        }
        let digit = rest % extent;
        rest /= extent;
        Ok(digit)
    })
}
