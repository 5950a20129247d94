//! Tilers: what a by-mode operation takes for each mode.

use crate::{error::Result, layout::Layout, tuple::Tuple};
use std::fmt;

/// A layout, a tuple of tilers, or `_`, which keeps a mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tiler {
    /// Applied to the whole layout.
    Layout(Layout),
    /// Entry by entry, each to a mode.
    Tuple(Vec<Tiler>),
    /// Keep the mode.
    Any,
}

impl Tiler {
    /// A shape as a tiler: `(3,8)` is `<3:1, 8:1>`.
    ///
    /// # Errors
    ///
    /// An extent below 1.
    pub fn from_shape(shape: &Tuple) -> Result<Self> {
        Ok(match shape {
            Tuple::Leaf(extent) => Self::Layout(Layout::leaf(*extent, 1)?),
            Tuple::Node(entries) => {
                Self::Tuple(entries.iter().map(Self::from_shape).collect::<Result<_>>()?)
            }
        })
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(layout) => write!(f, "{layout}"),
            Self::Any => write!(f, "_"),
            Self::Tuple(entries) => {
                write!(f, "<")?;
                for (i, entry) in entries.iter().enumerate() {
                    write!(f, "{}{entry}", if i == 0 { "" } else { ", " })?;
                }
                write!(f, ">")
            }
        }
    }
}
