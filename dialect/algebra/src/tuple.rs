//! Nested tuples: shapes, strides and coordinates.

pub(crate) mod coordinates;

pub(crate) use crate::nested::{Nested, Tuple, list};

use crate::integer::{self, Expr, Facts, Integer, substitute::closes};
use alloc::vec::Vec;
use core::fmt::{self, Write};

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
        impl<T: Clone + fmt::Display> $crate::tuple::Entries for $of<T> {
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

impl<I: fmt::Display> fmt::Display for CoordOf<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_by(f, &mut |value, f| value.fmt(f))
    }
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
    pub fn refresh(&self, facts: &Facts) -> integer::Result<Self> {
        self.try_map(&mut |leaf| facts.refresh(leaf))
    }
}

closes!(Nested<Expr> => Tuple, |tuple, leaf| tuple.try_map(leaf));
closes!(CoordOf<Expr> => Coord, |coord, leaf| coord.try_map(leaf));
