//! The nesting of tuples, and what an error says of a layout: values that know no arithmetic.

use alloc::{vec, vec::Vec};
use core::fmt::{self, Write};
use smallvec::SmallVec;

/// A value or a tuple of nested values: the common form of shapes and strides.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nested<T> {
    /// A value.
    Leaf(T),
    /// A tuple; one without entries is the shape of a layout of rank 0.
    Node(Vec<Nested<T>>),
}

/// An integer or a tuple of tuples: CuTe's `IntTuple`.
///
/// ```
/// use layout_algebra::Tuple;
/// let shape: Tuple = "(4,(2,4))".parse()?;
/// assert_eq!((shape.rank(), shape.depth(), shape.leaves()), (2, 2, vec![4, 2, 4]));
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub type Tuple = Nested<i64>;

/// A layout of integers as it is written, such as `(4,8):(1,4)`; see [`Layout`](crate::Layout), which it becomes by `try_from`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShapeStride {
    /// The extents of its modes.
    pub shape: Tuple,
    /// Their strides.
    pub stride: Tuple,
}

impl fmt::Display for ShapeStride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)
    }
}

impl<T> Nested<T> {
    /// Entries at the top; a value has one.
    pub fn rank(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::Node(entries) => entries.len(),
        }
    }

    /// How deep it nests; a value has depth 0.
    pub fn depth(&self) -> usize {
        match self {
            Self::Leaf(_) => 0,
            Self::Node(entries) => 1 + entries.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// How many values there are.
    pub fn leaf_count(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::Node(entries) => entries.iter().map(Self::leaf_count).sum(),
        }
    }

    /// The top entries; a value is its own.
    pub fn entries(&self) -> &[Self] {
        match self {
            Self::Leaf(_) => core::slice::from_ref(self),
            Self::Node(entries) => entries,
        }
    }

    /// The same nesting with values replaced, in order.
    pub fn try_map<U, E>(&self, f: &mut impl FnMut(&T) -> Result<U, E>) -> Result<Nested<U>, E> {
        Ok(match self {
            Self::Leaf(value) => Nested::Leaf(f(value)?),
            Self::Node(entries) => Nested::Node(
                entries.iter().map(|entry| entry.try_map(f)).collect::<Result<_, E>>()?,
            ),
        })
    }

    /// The values, from left to right.
    pub fn values(&self) -> SmallVec<[&T; 8]> {
        let mut values = SmallVec::new();
        self.visit(&mut |value| values.push(value));
        values
    }

    /// The same nesting with values replaced, in order, by what always has one.
    pub(crate) fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Nested<U> {
        match self {
            Self::Leaf(value) => Nested::Leaf(f(value)),
            Self::Node(entries) => Nested::Node(entries.iter().map(|entry| entry.map(f)).collect()),
        }
    }

    /// The part that a path leads to, from the outermost entry inwards.
    pub(crate) fn part(&self, path: &[usize]) -> Option<&Self> {
        path.iter().try_fold(self, |part, &place| match part {
            Self::Leaf(_) => None,
            Self::Node(entries) => entries.get(place),
        })
    }

    /// The value that a path leads to.
    pub(crate) fn value_mut(&mut self, path: &[usize]) -> Option<&mut T> {
        match (self, path) {
            (Self::Leaf(value), []) => Some(value),
            (Self::Node(entries), [place, path @ ..]) => entries.get_mut(*place)?.value_mut(path),
            _ => None,
        }
    }

    /// The path of each value, in order.
    pub(crate) fn paths(&self) -> Vec<Vec<usize>> {
        match self {
            Self::Leaf(_) => vec![Vec::new()],
            Self::Node(entries) => {
                let inside = |(place, entry): (usize, &Self)| {
                    let prefixed = |path: Vec<usize>| [vec![place], path].concat();
                    entry.paths().into_iter().map(prefixed).collect::<Vec<_>>()
                };
                entries.iter().enumerate().flat_map(inside).collect()
            }
        }
    }

    /// Calls `f` with each value, from left to right.
    pub(crate) fn visit<'s>(&'s self, f: &mut impl FnMut(&'s T)) {
        match self {
            Self::Leaf(value) => f(value),
            Self::Node(entries) => entries.iter().for_each(|entry| entry.visit(f)),
        }
    }

    /// Whether both nest in the same way: `(2,(3,4))` and `(5,(6,7))` do.
    pub fn congruent<U>(&self, other: &Nested<U>) -> bool {
        match (self, other) {
            (Self::Leaf(_), Nested::Leaf(_)) => true,
            (Self::Node(a), Nested::Node(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.congruent(b))
            }
            _ => false,
        }
    }

    /// Writes the tuple, each value by `write`.
    pub(crate) fn write_by<W: Write + ?Sized>(
        &self,
        f: &mut W,
        write: &mut impl FnMut(&T, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        match self {
            Self::Leaf(value) => write(value, f),
            Self::Node(entries) => {
                list(f, ["(", ",", ")"], entries, &mut |entry, f| entry.write_by(f, write))
            }
        }
    }
}

impl Tuple {
    /// The integers, from left to right.
    pub fn leaves(&self) -> Vec<i64> {
        let mut leaves = Vec::new();
        self.visit(&mut |value| leaves.push(*value));
        leaves
    }

    /// The integers side by side: `(2,(3,4))` is `(2,3,4)`.
    pub fn flatten(&self) -> Self {
        match self {
            Self::Leaf(_) => self.clone(),
            Self::Node(_) => Self::Node(self.leaves().into_iter().map(Self::Leaf).collect()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Nested<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_by(f, &mut |value, f| value.fmt(f))
    }
}

/// Writes entries between brackets.
pub(crate) fn list<T, W: Write + ?Sized>(
    f: &mut W,
    [open, between, close]: [&str; 3],
    entries: &[T],
    write: &mut impl FnMut(&T, &mut W) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, entry) in entries.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        write(entry, f)?;
    }
    f.write_str(close)
}
