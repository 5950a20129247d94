//! Nested tuples of expressions; coordinates and tilers over them.

use super::{
    error::{Error, Result},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    substitute::Values,
};
use crate::{Coord, Nested, Tiler, Tuple};
use std::fmt;

/// An expression or a tuple of tuples: a shape, stride or coordinate with symbols.
pub type SymbolicTuple = Nested<Expr>;

impl SymbolicTuple {
    /// The expressions, from left to right.
    pub fn leaves(&self) -> Vec<&Expr> {
        let mut leaves = Vec::new();
        self.collect(&mut leaves);
        leaves
    }

    fn collect<'s>(&'s self, leaves: &mut Vec<&'s Expr>) {
        match self {
            Self::Leaf(expr) => leaves.push(expr),
            Self::Node(entries) => entries.iter().for_each(|entry| entry.collect(leaves)),
        }
    }

    /// The product of the leaves.
    ///
    /// # Errors
    ///
    /// Overflow and limits.
    pub fn product(&self) -> Result<Expr> {
        self.leaves().into_iter().try_fold(Expr::from(1), |product, leaf| product.times(leaf))
    }

    /// The same nesting with leaves replaced, in order.
    pub(super) fn map(&self, f: &mut dyn FnMut(&Expr) -> Result<Expr>) -> Result<Self> {
        Ok(match self {
            Self::Leaf(expr) => Self::Leaf(f(expr)?),
            Self::Node(entries) => {
                Self::Node(entries.iter().map(|entry| entry.map(f)).collect::<Result<_>>()?)
            }
        })
    }

    /// The same with integers, if all leaves are constant.
    pub fn to_static(&self) -> Option<Tuple> {
        Some(match self {
            Self::Leaf(expr) => Tuple::Leaf(expr.as_constant()?),
            Self::Node(entries) => {
                Tuple::Node(entries.iter().map(Self::to_static).collect::<Option<_>>()?)
            }
        })
    }

    /// The same with values in place of symbols.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow.
    pub fn substitute(&self, values: &Values) -> Result<Tuple> {
        Ok(match self {
            Self::Leaf(expr) => Tuple::Leaf(values.evaluate(expr)?),
            Self::Node(entries) => Tuple::Node(
                entries.iter().map(|entry| entry.substitute(values)).collect::<Result<_>>()?,
            ),
        })
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

/// A coordinate for slicing: `_` keeps a mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymbolicCoord {
    /// A fixed coordinate.
    At(Expr),
    /// `_`: keep the mode.
    Any,
    /// One for each mode.
    Tuple(Vec<SymbolicCoord>),
}

impl SymbolicCoord {
    /// The same as expressions, unless there is a `_`.
    pub fn to_tuple(&self) -> Option<SymbolicTuple> {
        Some(match self {
            Self::At(expr) => SymbolicTuple::Leaf(expr.clone()),
            Self::Any => return None,
            Self::Tuple(entries) => {
                SymbolicTuple::Node(entries.iter().map(Self::to_tuple).collect::<Option<_>>()?)
            }
        })
    }

    /// The same with integers, if all are constant.
    pub fn to_static(&self) -> Option<Coord> {
        Some(match self {
            Self::At(expr) => Coord::At(expr.as_constant()?),
            Self::Any => Coord::Any,
            Self::Tuple(entries) => {
                Coord::Tuple(entries.iter().map(Self::to_static).collect::<Option<_>>()?)
            }
        })
    }

    /// The same with values in place of symbols.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow.
    pub fn substitute(&self, values: &Values) -> Result<Coord> {
        Ok(match self {
            Self::At(expr) => Coord::At(values.evaluate(expr)?),
            Self::Any => Coord::Any,
            Self::Tuple(entries) => Coord::Tuple(
                entries.iter().map(|entry| entry.substitute(values)).collect::<Result<_>>()?,
            ),
        })
    }
}

impl From<&SymbolicTuple> for SymbolicCoord {
    fn from(tuple: &SymbolicTuple) -> Self {
        match tuple {
            SymbolicTuple::Leaf(expr) => Self::At(expr.clone()),
            SymbolicTuple::Node(entries) => Self::Tuple(entries.iter().map(Self::from).collect()),
        }
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

impl fmt::Display for SymbolicCoord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(expr) => write!(f, "{expr}"),
            Self::Any => write!(f, "_"),
            Self::Tuple(entries) => list(f, "(", entries, ",", ")"),
        }
    }
}

/// A layout, a tuple of tilers, or `_`, which keeps a mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymbolicTiler {
    /// Applied to the whole layout.
    Layout(SymbolicLayout),
    /// Entry by entry, each to a mode.
    Tuple(Vec<SymbolicTiler>),
    /// Keep the mode.
    Any,
}

impl SymbolicTiler {
    /// A shape as a tiler: `(M,8)` is `<M:1, 8:1>`.
    ///
    /// # Errors
    ///
    /// An extent that is not known to be at least 1.
    pub fn from_shape(facts: &Facts, shape: &SymbolicTuple) -> Result<Self> {
        Ok(match shape {
            SymbolicTuple::Leaf(_) => Self::Layout(SymbolicLayout::new(
                facts,
                shape.clone(),
                SymbolicTuple::Leaf(Expr::from(1)),
            )?),
            SymbolicTuple::Node(entries) => Self::Tuple(
                entries
                    .iter()
                    .map(|entry| Self::from_shape(facts, entry))
                    .collect::<Result<_>>()?,
            ),
        })
    }

    /// The same with integers, if all are constant.
    pub fn to_static(&self) -> Option<Tiler> {
        Some(match self {
            Self::Layout(layout) => Tiler::Layout(layout.to_static()?),
            Self::Any => Tiler::Any,
            Self::Tuple(entries) => {
                Tiler::Tuple(entries.iter().map(Self::to_static).collect::<Option<_>>()?)
            }
        })
    }

    /// The same with values in place of symbols.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow; a layout that is none at these values.
    pub fn substitute(&self, values: &Values) -> Result<Tiler> {
        Ok(match self {
            Self::Layout(layout) => Tiler::Layout(layout.substitute(values)?),
            Self::Any => Tiler::Any,
            Self::Tuple(entries) => Tiler::Tuple(
                entries.iter().map(|entry| entry.substitute(values)).collect::<Result<_>>()?,
            ),
        })
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

impl fmt::Display for SymbolicTiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(layout) => write!(f, "{layout}"),
            Self::Any => write!(f, "_"),
            Self::Tuple(entries) => list(f, "<", entries, ", ", ">"),
        }
    }
}

fn list(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    entries: &[impl fmt::Display],
    separator: &str,
    close: &str,
) -> fmt::Result {
    write!(f, "{open}")?;
    for (i, entry) in entries.iter().enumerate() {
        write!(f, "{}{entry}", if i == 0 { "" } else { separator })?;
    }
    write!(f, "{close}")
}

/// The error for a coordinate that does not fit a shape.
pub(super) fn misfit(shape: &SymbolicTuple, coord: impl fmt::Display) -> Error {
    Error::operand("coordinate", format!("one that fits the shape {shape}"), coord)
}
