//! `outer o offset o inner`, and layouts that are plain or composed.

use super::{Swizzle, Swizzles};
use crate::{
    error::{Error, Result},
    integer::{Expr, substitute::closes},
    layout::{Layout, evaluate::At, leaf::Leaf},
    tuple::{Nested, Tuple},
};
use core::fmt;

/// The outer part of a composed layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outer<L: Leaf = i64> {
    /// A swizzle.
    Swizzle(Swizzle),
    /// A layout.
    Layout(Layout<L>),
}

/// `outer o offset o inner`: the element at `c` is at `outer(offset + inner(c))`.
///
/// The shape is the inner layout's. There is no stride; [`slice`](Self::slice) and
/// [`fold`](Self::fold) find the plain layout where it is one.
///
/// ```
/// use layout_algebra::{AnyLayout, Term};
/// let layout = Term::parse("S<3,0,3> o 0 o (8,8):(8,1)")?.eval_layout()?;
/// // Row r of an 8x8 tile: its columns, each xored with r.
/// let row = |r: i64| -> layout_algebra::Result<Vec<i64>> {
///     (0..8).map(|c| Ok(layout.at(r + 8 * c)? % 8)).collect()
/// };
/// assert_eq!(row(1)?, [1, 0, 3, 2, 5, 4, 7, 6]);
/// assert_eq!(row(2)?, [2, 3, 0, 1, 6, 7, 4, 5]);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
///
/// With symbols, facts bound the offsets:
///
/// ```
/// use layout_algebra::answer;
/// let tiles = "zipped_divide(S<3,3,3> o 0 o (M,64):(64,1), (8,64))";
/// assert_eq!(answer(tiles), "S<3,3,3> o 0 o ((8,64),(ceil_div(M,8),1)):((64,1),(512,0))");
/// // A tile starts where the swizzle starts again, so that the tiles' starts are a plain layout.
/// assert_eq!(answer(&format!("slice((0,_), {tiles})")), "((ceil_div(M,8),1)):((512,0))");
/// assert_eq!(answer(&format!("upcast({tiles}, 8)")), "S<3,0,3> o 0 o ((8,8),(ceil_div(M,8),1)):((8,1),(64,0))");
/// assert_eq!(answer("crd2idx((1,j{range=0..7}), S<3,3,3> o 0 o (M,64):(64,1))"), "j+72");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComposedLayout<L: Leaf = i64> {
    /// Applied last.
    pub outer: Outer<L>,
    /// Added between.
    pub offset: L,
    /// Applied first; its shape is the whole's.
    pub inner: Layout<L>,
}

impl<L: Swizzles> Outer<L> {
    /// The image of an offset, under facts.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::at_under`]; an expression that passes the limits.
    pub fn at_under(&self, facts: &L::Facts, offset: &L) -> Result<L, L::Error> {
        match self {
            Self::Swizzle(swizzle) => L::swizzled(facts, *swizzle, offset),
            Self::Layout(layout) => layout.at_under(facts, offset),
        }
    }
}

impl<L: Leaf> fmt::Display for Outer<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Swizzle(swizzle) => swizzle.fmt(f),
            Self::Layout(layout) => layout.fmt(f),
        }
    }
}

impl<L: Leaf> ComposedLayout<L> {
    /// The outer function, if it is a swizzle.
    pub fn swizzle(&self) -> Option<Swizzle> {
        match &self.outer {
            Outer::Swizzle(swizzle) => Some(*swizzle),
            Outer::Layout(_) => None,
        }
    }

    /// The same outside over another inner layout.
    pub fn with_inner(&self, inner: Layout<L>) -> Self {
        Self { inner, ..self.clone() }
    }

    /// The inner layout alone where nothing is around it: the swizzle is the identity and the
    /// offset 0. Otherwise the same.
    pub fn simplified(self) -> AnyLayout<L> {
        match &self.outer {
            Outer::Swizzle(swizzle) if swizzle.is_identity() && self.offset.is(0) => {
                AnyLayout::Plain(self.inner)
            }
            _ => AnyLayout::Composed(self),
        }
    }

    /// Writes the layout, with each leaf written by `leaf`.
    pub(crate) fn write_by<W: fmt::Write + ?Sized>(
        &self,
        f: &mut W,
        leaf: &mut impl FnMut(&L, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        match &self.outer {
            Outer::Swizzle(swizzle) => write!(f, "{swizzle}")?,
            Outer::Layout(layout) => layout.write_by(f, leaf)?,
        }
        f.write_str(" o ")?;
        leaf(&self.offset, f)?;
        f.write_str(" o ")?;
        self.inner.write_by(f, leaf)
    }

    /// The same with other leaves.
    pub(crate) fn map_leaves<M: Leaf, E: From<M::Unsized>>(
        &self,
        f: &mut impl FnMut(&L) -> Result<M, E>,
    ) -> Result<ComposedLayout<M>, E> {
        let outer = match &self.outer {
            Outer::Swizzle(swizzle) => Outer::Swizzle(*swizzle),
            Outer::Layout(layout) => Outer::Layout(layout.map_leaves(f)?),
        };
        Ok(ComposedLayout { outer, offset: f(&self.offset)?, inner: self.inner.map_leaves(f)? })
    }
}

closes!(ComposedLayout<Expr> => ComposedLayout, |layout, leaf| layout.map_leaves(leaf));

impl<L: Swizzles> ComposedLayout<L> {
    /// The offset of a coordinate that nests like the shape, or less deeply.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow. Under facts: those of [`Layout::crd2idx_under`] and
    /// [`Outer::at_under`].
    pub fn crd2idx_under(&self, facts: &L::Facts, coord: &Nested<L>) -> Result<L, L::Error> {
        let inside = self.inner.crd2idx_under(facts, coord)?;
        let shifted = inside.plus(&self.offset).map_err(|lost| L::lost(lost, "at", self))?;
        self.outer.at_under(facts, &shifted)
    }
}

impl ComposedLayout {
    /// The offset of a one-dimensional index.
    pub fn at(&self, index: i64) -> Result<i64> {
        self.outer.at_under(&(), &self.shifted(self.inner.at(index)?)?)
    }

    pub(crate) fn shifted(&self, offset: i64) -> Result<i64> {
        offset.checked_add(self.offset).ok_or_else(|| Error::overflow("at", self))
    }
}

/// The parts around the inner layout, made ready to be applied often.
pub(crate) struct Outside<'l> {
    layout: &'l ComposedLayout,
    outer: core::result::Result<At<'l>, Swizzle>,
}

impl<'l> Outside<'l> {
    pub(crate) fn of(layout: &'l ComposedLayout) -> Result<Self> {
        let outer = match &layout.outer {
            Outer::Layout(outer) => Ok(At::new(outer)?),
            Outer::Swizzle(swizzle) => Err(*swizzle),
        };
        Ok(Self { layout, outer })
    }

    /// Modes that an application goes through.
    pub(crate) fn modes(&self) -> usize {
        self.outer.as_ref().map_or(1, At::modes)
    }

    /// The image of an offset of the inner layout.
    pub(crate) fn at(&self, offset: i64) -> Result<i64> {
        let shifted = self.layout.shifted(offset)?;
        match &self.outer {
            Ok(outer) => outer.at(shifted),
            Err(swizzle) => Ok(swizzle.apply(shifted)),
        }
    }
}

impl<L: Leaf> fmt::Display for ComposedLayout<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o {} o {}", self.outer, self.offset, self.inner)
    }
}

/// A layout, plain or composed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnyLayout<L: Leaf = i64> {
    /// `shape:stride`.
    Plain(Layout<L>),
    /// `outer o offset o shape:stride`.
    Composed(ComposedLayout<L>),
}

impl<L: Leaf> AnyLayout<L> {
    /// The layout that coordinates meet first: of a plain layout, itself.
    pub fn inner(&self) -> &Layout<L> {
        match self {
            Self::Plain(layout) => layout,
            Self::Composed(composed) => &composed.inner,
        }
    }

    /// The same with another inner layout.
    pub fn try_map<E>(
        &self,
        f: impl FnOnce(&Layout<L>) -> Result<Layout<L>, E>,
    ) -> Result<Self, E> {
        Ok(match self {
            Self::Plain(layout) => Self::Plain(f(layout)?),
            Self::Composed(composed) => Self::Composed(composed.with_inner(f(&composed.inner)?)),
        })
    }
}

/// Operations that plain and composed layouts have.
macro_rules! of_either {
    ($($name:ident($($arg:ident: $of:ty),*) -> $to:ty;)*) => {
        impl AnyLayout { $(
            #[doc = concat!(
                "[`Layout::", stringify!($name), "`](crate::layout::Layout::", stringify!($name), ") or [`ComposedLayout::",
                stringify!($name), "`], whichever it is."
            )]
            pub fn $name(&self, $($arg: $of),*) -> Result<$to> {
                match self {
                    Self::Plain(layout) => layout.$name($($arg),*).map(Into::into),
                    Self::Composed(composed) => composed.$name($($arg),*),
                }
            }
        )* }
    };
}

of_either! {
    at(index: i64) -> i64;
    crd2idx(coord: &Tuple) -> i64;
    cosize() -> i64;
    right_inverse() -> Self;
    left_inverse() -> Self;
    upcast(n: i64) -> Self;
    downcast(n: i64) -> Self;
    recast(old: i64, new: i64) -> Self;
}

impl AnyLayout {
    /// Coordinates.
    pub fn size(&self) -> i64 {
        self.inner().size()
    }
}

impl<L: Leaf> From<Layout<L>> for AnyLayout<L> {
    fn from(layout: Layout<L>) -> Self {
        Self::Plain(layout)
    }
}

impl<L: Leaf> From<ComposedLayout<L>> for AnyLayout<L> {
    fn from(composed: ComposedLayout<L>) -> Self {
        Self::Composed(composed)
    }
}

impl<L: Leaf> fmt::Display for AnyLayout<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(layout) => layout.fmt(f),
            Self::Composed(composed) => composed.fmt(f),
        }
    }
}

closed! { ComposedLayout {
    crd2idx = crd2idx_under(coord: &Tuple) -> i64;
} }
