//! Nested tuples: shapes, strides and coordinates.

pub(crate) mod coordinates;

use crate::{
    error::Result,
    integer::{self, Expr, Facts, Integer, substitute::closes},
};
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

/// A coordinate for slicing: `_` keeps a mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoordOf<I> {
    /// A fixed coordinate.
    At(I),
    /// `_`: keep the mode.
    Any,
    /// One for each mode.
    Tuple(Vec<CoordOf<I>>),
}

/// A coordinate of integers.
pub type Coord = CoordOf<i64>;

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
    ///
    /// # Errors
    ///
    /// Those of `f`.
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

/// A tuple of its own kind or a leaf of one: shapes, strides, coordinates and tilers alike.
pub trait Entries: Clone + fmt::Display {
    /// The top entries; a leaf is its own.
    fn entries(&self) -> &[Self];

    /// Whether it is no tuple.
    fn is_leaf(&self) -> bool;

    /// The tuple of some entries.
    fn of_entries(entries: Vec<Self>) -> Self;
}

/// [`Entries`] of an enum with a variant for tuples.
macro_rules! entries {
    ($of:ident::$tuple:ident) => {
        impl<T: Clone + fmt::Display> $crate::Entries for $of<T> {
            fn entries(&self) -> &[Self] {
                match self {
                    Self::$tuple(entries) => entries,
                    leaf => core::slice::from_ref(leaf),
                }
            }

            fn is_leaf(&self) -> bool {
                !matches!(self, Self::$tuple(_))
            }

            fn of_entries(entries: Vec<Self>) -> Self {
                Self::$tuple(entries)
            }
        }
    };
}

pub(crate) use entries;

entries!(Nested::Node);
entries!(CoordOf::Tuple);

impl<L: Integer> Nested<L> {
    /// The product of the leaves.
    ///
    /// # Errors
    ///
    /// Overflow; an expression beyond its limits.
    pub fn product(&self) -> Result<L, L::Error> {
        let mut product = Ok(L::from(1));
        self.visit(&mut |value| {
            if let Ok(before) = &product {
                product = before.times(value);
            }
        });
        product.map_err(|lost| L::lost(lost, "product", self))
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

impl<I> CoordOf<I> {
    /// Writes the coordinate, each value by `write`.
    pub(crate) fn write_by<W: Write + ?Sized>(
        &self,
        f: &mut W,
        write: &mut impl FnMut(&I, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        match self {
            Self::At(value) => write(value, f),
            Self::Any => f.write_str("_"),
            Self::Tuple(entries) => {
                list(f, ["(", ",", ")"], entries, &mut |entry, f| entry.write_by(f, write))
            }
        }
    }

    /// Whether all of it is `_`.
    pub(crate) fn fixes_nothing(&self) -> bool {
        match self {
            Self::Any => true,
            Self::At(_) => false,
            Self::Tuple(entries) => entries.iter().all(Self::fixes_nothing),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Nested<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_by(f, &mut |value, f| value.fmt(f))
    }
}

impl<I: fmt::Display> fmt::Display for CoordOf<I> {
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

impl<I: Clone> From<&Nested<I>> for CoordOf<I> {
    fn from(tuple: &Nested<I>) -> Self {
        match tuple {
            Nested::Leaf(value) => Self::At(value.clone()),
            Nested::Node(entries) => Self::Tuple(entries.iter().map(Self::from).collect()),
        }
    }
}

impl<I: Clone> CoordOf<I> {
    /// The tuple, if it has no `_`.
    pub fn to_tuple(&self) -> Option<Nested<I>> {
        match self {
            Self::At(value) => Some(Nested::Leaf(value.clone())),
            Self::Any => None,
            Self::Tuple(entries) => {
                entries.iter().map(Self::to_tuple).collect::<Option<_>>().map(Nested::Node)
            }
        }
    }

    /// The coordinate with each value replaced.
    ///
    /// # Errors
    ///
    /// Those of `f`.
    pub fn try_map<J, E>(&self, f: &mut impl FnMut(&I) -> Result<J, E>) -> Result<CoordOf<J>, E> {
        Ok(match self {
            Self::At(value) => CoordOf::At(f(value)?),
            Self::Any => CoordOf::Any,
            Self::Tuple(entries) => CoordOf::Tuple(
                entries.iter().map(|entry| entry.try_map(f)).collect::<Result<_, E>>()?,
            ),
        })
    }
}

impl Nested<Expr> {
    /// The expressions, from left to right.
    pub fn leaves(&self) -> Vec<&Expr> {
        self.values().into_vec()
    }

    /// The tuple in normal form under the facts known now; see [`Facts::refresh`].
    ///
    /// # Errors
    ///
    /// Overflow and limits.
    pub fn refresh(&self, facts: &Facts) -> integer::Result<Self> {
        self.try_map(&mut |leaf| facts.refresh(leaf))
    }
}

closes!(Nested<Expr> => Tuple, |tuple, leaf| tuple.try_map(leaf));
closes!(CoordOf<Expr> => Coord, |coord, leaf| coord.try_map(leaf));
