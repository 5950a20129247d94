//! Tilers: operands of by-mode operations, with an entry for each mode.

use crate::layout::prelude::*;
use crate::{
    integer::substitute::closes,
    tuple::{CoordOf, entries, list},
};
use core::fmt::Write;

/// A layout, a tuple of tilers, or `_`, which keeps a mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TilerOf<L> {
    /// Applied to the whole layout.
    Layout(L),
    /// Entry by entry, each to a mode.
    Tuple(Vec<TilerOf<L>>),
    /// Keep the mode.
    Any,
}

/// A tiler of integers.
pub type Tiler = TilerOf<Layout>;

entries!(TilerOf::Tuple);

impl<L> TilerOf<L> {
    /// The tiler with each layout replaced.
    pub fn try_map<M, E>(&self, f: &mut impl FnMut(&L) -> Result<M, E>) -> Result<TilerOf<M>, E> {
        Ok(match self {
            Self::Layout(layout) => TilerOf::Layout(f(layout)?),
            Self::Any => TilerOf::Any,
            Self::Tuple(entries) => TilerOf::Tuple(
                entries.iter().map(|entry| entry.try_map(f)).collect::<Result<_, E>>()?,
            ),
        })
    }

    /// Writes the tiler, each layout by `write`.
    pub(crate) fn write_by<W: Write + ?Sized>(
        &self,
        f: &mut W,
        write: &mut impl FnMut(&L, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        match self {
            Self::Layout(layout) => write(layout, f),
            Self::Any => f.write_str("_"),
            Self::Tuple(entries) => {
                list(f, ["<", ", ", ">"], entries, &mut |entry, f| entry.write_by(f, write))
            }
        }
    }
}

impl<L: Leaf> TilerOf<Layout<L>> {
    /// A shape as a tiler, under facts: `(M,8)` is `<M:1, 8:1>`.
    ///
    /// # Errors
    ///
    /// An extent that is not known to be at least 1.
    pub fn of_extents(facts: &L::Facts, shape: &Nested<L>) -> Result<Self, L::Error> {
        Self::of_coord(facts, &shape.into())
    }

    /// A shape with `_` as a tiler.
    pub(crate) fn of_coord(facts: &L::Facts, shape: &CoordOf<L>) -> Result<Self, L::Error> {
        Ok(match shape {
            CoordOf::Any => Self::Any,
            CoordOf::At(extent) => {
                let (extent, stride) = (Nested::Leaf(extent.clone()), Nested::Leaf(L::from(1)));
                Self::Layout(Layout::under(facts, extent, stride)?)
            }
            CoordOf::Tuple(entries) => {
                let entries = entries.iter().map(|entry| Self::of_coord(facts, entry));
                Self::Tuple(entries.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl Tiler {
    /// A shape as a tiler: `(3,8)` is `<3:1, 8:1>`.
    ///
    /// # Errors
    ///
    /// An extent below 1.
    pub fn from_shape(shape: &Tuple) -> Result<Self> {
        Self::of_extents(&(), shape)
    }
}

closes!(TilerOf<Layout<Expr>> => Tiler, |tiler, leaf| {
    tiler.try_map(&mut |layout| layout.map_leaves(leaf))
});

impl<L: fmt::Display> fmt::Display for TilerOf<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_by(f, &mut |layout, f| layout.fmt(f))
    }
}
