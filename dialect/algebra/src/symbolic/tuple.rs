//! Nested tuples of expressions; coordinates and tilers over them.

use super::{error::Result, expr::Expr, facts::Facts, layout::SymbolicLayout, substitute::Values};
use crate::{Coord, Nested, Tiler, Tuple, tiler::TilerOf, tuple::CoordOf};
use alloc::vec::Vec;

/// An expression or a tuple of tuples: a shape, stride or coordinate with symbols.
pub(crate) type SymbolicTuple = Nested<Expr>;

impl SymbolicTuple {
    /// The expressions, from left to right.
    pub fn leaves(&self) -> Vec<&Expr> {
        self.values().into_vec()
    }

    /// The same nesting with leaves replaced, in order.
    pub(crate) fn map(&self, f: &mut dyn FnMut(&Expr) -> Result<Expr>) -> Result<Self> {
        self.try_map(&mut |expr| f(expr))
    }

    /// The same with integers, if all leaves are constant.
    pub fn to_static(&self) -> Option<Tuple> {
        self.try_map(&mut |expr| expr.as_constant().ok_or(())).ok()
    }

    /// The same with values in place of symbols.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow.
    pub fn substitute(&self, values: &Values) -> Result<Tuple> {
        self.try_map(&mut |expr| values.evaluate(expr))
    }

    /// The tuple in the normal form of what is known now; see [`Facts::refresh`].
    ///
    /// # Errors
    ///
    /// Overflow and limits.
    pub fn refresh(&self, facts: &Facts) -> Result<Self> {
        self.map(&mut |leaf| facts.refresh(leaf))
    }
}

impl From<&Tuple> for SymbolicTuple {
    fn from(tuple: &Tuple) -> Self {
        match tuple {
            Tuple::Leaf(value) => Self::Leaf(Expr::from(*value)),
            Tuple::Node(entries) => Self::Node(entries.iter().map(Self::from).collect()),
        }
    }
}

/// A coordinate of expressions for slicing: `_` keeps a mode.
pub(crate) type SymbolicCoord = CoordOf<Expr>;

impl SymbolicCoord {
    /// The same with integers, if all are constant.
    pub fn to_static(&self) -> Option<Coord> {
        self.try_map(&mut |expr| expr.as_constant().ok_or(())).ok()
    }

    /// The same with values in place of symbols.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow.
    pub fn substitute(&self, values: &Values) -> Result<Coord> {
        self.try_map(&mut |expr| values.evaluate(expr))
    }
}

impl From<&Coord> for SymbolicCoord {
    fn from(coord: &Coord) -> Self {
        match coord {
            Coord::At(value) => Self::At(Expr::from(*value)),
            Coord::Any => Self::Any,
            Coord::Tuple(entries) => Self::Tuple(entries.iter().map(Self::from).collect()),
        }
    }
}

/// A tiler with symbols.
pub(crate) type SymbolicTiler = TilerOf<SymbolicLayout>;

impl SymbolicTiler {
    /// A shape as a tiler: `(M,8)` is `<M:1, 8:1>`.
    ///
    /// # Errors
    ///
    /// An extent that is not known to be at least 1.
    pub fn from_shape(facts: &Facts, shape: &SymbolicTuple) -> Result<Self> {
        Self::of_extents(facts, shape)
    }

    /// The same with integers, if all are constant.
    pub fn to_static(&self) -> Option<Tiler> {
        self.try_map(&mut |layout| layout.to_static().ok_or(())).ok()
    }

    /// The same with values in place of symbols.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow; a layout that is none at these values.
    pub fn substitute(&self, values: &Values) -> Result<Tiler> {
        self.try_map(&mut |layout| layout.substitute(values))
    }
}

impl From<&Tiler> for SymbolicTiler {
    fn from(tiler: &Tiler) -> Self {
        match tiler {
            Tiler::Layout(layout) => Self::Layout(layout.into()),
            Tiler::Any => Self::Any,
            Tiler::Tuple(entries) => Self::Tuple(entries.iter().map(Self::from).collect()),
        }
    }
}
