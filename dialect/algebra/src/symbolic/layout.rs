//! Layouts of expressions: values in place of symbols, and what is known now.

use super::{error::Result, expr::Expr, facts::Facts, substitute::Values, tuple::SymbolicTuple};
use crate::{Layout, leaf::Leaf};
use alloc::{string::String, vec::Vec};

/// A layout `shape:stride` with expressions over symbols as leaves; see [`Layout`].
pub(crate) type SymbolicLayout = Layout<Expr>;

impl SymbolicLayout {
    /// Parts that are known to be congruent and extents that are known to be at least 1.
    pub(crate) fn known(shape: SymbolicTuple, stride: SymbolicTuple) -> Self {
        Self::from_parts(shape, stride, ())
    }

    /// A flat layout: one pair is a leaf, none is `1:0`.
    pub(crate) fn of_flat(modes: Vec<(Expr, Expr)>) -> Self {
        Self::of_modes(&modes, ())
    }

    /// The same with integers, if all leaves are constant.
    pub fn to_static(&self) -> Option<Layout> {
        Layout::new(self.shape().to_static()?, self.stride().to_static()?).ok()
    }

    /// The layout at chosen values.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow; an extent below 1, which no values that satisfy the
    /// facts give.
    pub fn substitute(&self, values: &Values) -> Result<Layout> {
        Ok(Layout::new(self.shape().substitute(values)?, self.stride().substitute(values)?)?)
    }

    /// The layout in the normal form of what is known now; see [`Facts::refresh`].
    ///
    /// # Errors
    ///
    /// Overflow and limits; extents that are no longer known to be at least 1 in another table.
    pub fn refresh(&self, facts: &Facts) -> Result<Self> {
        Self::under(facts, self.shape().refresh(facts)?, self.stride().refresh(facts)?)
    }

    /// The layout with each symbol's facts at its first mention: what a type of a dynamic layout
    /// looks like. Reading it back gives the same layout and the same facts of its symbols.
    ///
    /// ```
    /// use layout_algebra::{Layout, Expr};
    /// let text = "(?,8):(1,?{div=8})";
    /// let (layout, facts) = Layout::<Expr>::parse(text)?;
    /// assert_eq!(layout.to_string(), "(?0,8):(1,?1)");
    /// assert_eq!(layout.annotated(&facts), text);
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn annotated(&self, facts: &Facts) -> String {
        super::display::annotated(&crate::Value::Layout(self.clone()), facts)
    }

    /// One more than the greatest offset; see [`Layout::cosize_under`].
    ///
    /// # Errors
    ///
    /// A stride whose sign is not known.
    pub fn cosize(&self, facts: &Facts) -> Result<Expr> {
        self.cosize_under(facts)
    }

    /// The offset of a one-dimensional index, which may lie past the size.
    ///
    /// # Errors
    ///
    /// An index into more than one mode that is not known to be at least 0.
    pub fn at(&self, facts: &Facts, index: &Expr) -> Result<Expr> {
        Expr::offset(facts, self.shape(), self.stride(), index)
    }

    /// The offset of a coordinate that nests like the shape, or less deeply.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; those of [`Layout::<Expr>::at`].
    pub fn crd2idx(&self, facts: &Facts, coord: &SymbolicTuple) -> Result<Expr> {
        self.crd2idx_under(facts, coord)
    }
}

impl From<&Layout> for SymbolicLayout {
    fn from(layout: &Layout) -> Self {
        Self::known(layout.shape().into(), layout.stride().into())
    }
}
