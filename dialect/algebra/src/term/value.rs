//! What terms evaluate to.

use crate::{
    basis::{Basis, BasisLayout},
    error::{Error, Result},
    layout::Layout,
    leaf::Leaf,
    linear::LinearLayout,
    swizzle::{AnyLayout, ComposedLayout, Swizzle},
    tiler::{Tiler, TilerOf},
    tuple::{CoordOf, Nested},
};
use alloc::{borrow::ToOwned, string::ToString, vec::Vec};
use core::fmt;

/// What a term evaluates to; with symbols, what has leaves has expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value<L: Leaf = i64> {
    /// An integer; as an operand also the layout `n:1` of a tiler, or a shape.
    Int(L),
    /// A shape, stride or coordinate.
    Tuple(Nested<L>),
    /// A coordinate with `_`.
    Coord(CoordOf<L>),
    /// A layout.
    Layout(Layout<L>),
    /// A layout behind a swizzle or another layout.
    Composed(ComposedLayout<L>),
    /// A swizzle.
    Swizzle(Swizzle),
    /// A tuple of tilers.
    Tiler(TilerOf<Layout<L>>),
    /// A layout into coordinates.
    Basis(BasisLayout<L>),
    /// A stride of such a layout: basis elements, of which one at least is none of an integer.
    Steps(Nested<Basis<L>>),
    /// A linear layout.
    Linear(LinearLayout),
    /// The answer of a predicate.
    Bool(bool),
    /// Several values.
    List(Vec<Value<L>>),
}

impl<L: Leaf> Value<L> {
    /// What it is, in one word.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// assert_eq!(Term::parse("S<3,4,3> o 0 o 64:1")?.eval()?.kind(), "composed");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) => "integer",
            Self::Tuple(_) => "tuple",
            Self::Coord(_) => "coordinate",
            Self::Layout(_) => "layout",
            Self::Composed(_) => "composed",
            Self::Swizzle(_) => "swizzle",
            Self::Tiler(_) => "tiler",
            Self::Basis(_) => "basis layout",
            Self::Steps(_) => "basis stride",
            Self::Linear(_) => "linear layout",
            Self::Bool(_) => "boolean",
            Self::List(_) => "list",
        }
    }

    /// [`Value::tiler`] under facts, which takes the parts of a tiler as they are.
    ///
    /// # Errors
    ///
    /// As [`Value::tiler`]; an extent that is not known to be at least 1.
    pub fn into_tiler(self, facts: &L::Facts) -> Result<TilerOf<Layout<L>>, L::Error> {
        match self {
            Self::Int(extent) => TilerOf::of_extents(facts, &Nested::Leaf(extent)),
            Self::Tuple(shape) => TilerOf::of_extents(facts, &shape),
            Self::Layout(layout) => Ok(TilerOf::Layout(layout)),
            Self::Tiler(tiler) => Ok(tiler),
            Self::Coord(coord) => coord_tiler(facts, &coord),
            Self::Composed(_)
            | Self::Swizzle(_)
            | Self::Basis(_)
            | Self::Steps(_)
            | Self::Linear(_)
            | Self::Bool(_)
            | Self::List(_) => Err(Error::Operand {
                operation: "tiler",
                expected: "a layout, a shape, `_` or a tuple of tilers".to_owned(),
                found: self.to_string(),
            }
            .into()),
        }
    }
}

impl Value {
    /// The value as a tiler.
    ///
    /// # Errors
    ///
    /// A value that is no tiler.
    pub fn tiler(&self) -> Result<Tiler> {
        self.clone().into_tiler(&())
    }
}

/// A shape with `_` as a tiler.
fn coord_tiler<L: Leaf>(
    facts: &L::Facts,
    coord: &CoordOf<L>,
) -> Result<TilerOf<Layout<L>>, L::Error> {
    Ok(match coord {
        CoordOf::Any => TilerOf::Any,
        CoordOf::At(extent) => TilerOf::of_extents(facts, &Nested::Leaf(extent.clone()))?,
        CoordOf::Tuple(entries) => {
            let entries = entries.iter().map(|entry| coord_tiler(facts, entry));
            TilerOf::Tuple(entries.collect::<Result<_, _>>()?)
        }
    })
}

impl<L: Leaf> From<Nested<L>> for Value<L> {
    /// A tuple; one leaf is an integer.
    fn from(tuple: Nested<L>) -> Self {
        match tuple {
            Nested::Leaf(value) => Self::Int(value),
            node => Self::Tuple(node),
        }
    }
}

impl<L: Leaf> From<CoordOf<L>> for Value<L> {
    /// A coordinate; one without `_` is a tuple.
    fn from(coord: CoordOf<L>) -> Self {
        match coord.to_tuple() {
            Some(tuple) => tuple.into(),
            None => Self::Coord(coord),
        }
    }
}

impl<L: Leaf> From<Layout<L>> for Value<L> {
    fn from(layout: Layout<L>) -> Self {
        Self::Layout(layout)
    }
}

impl<L: Leaf> From<AnyLayout<L>> for Value<L> {
    fn from(layout: AnyLayout<L>) -> Self {
        match layout {
            AnyLayout::Plain(layout) => Self::Layout(layout),
            AnyLayout::Composed(composed) => Self::Composed(composed),
        }
    }
}

impl<L: Leaf> fmt::Display for Value<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        L::write_value(self, f)
    }
}
