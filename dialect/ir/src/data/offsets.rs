//! Layouts of which some integers are known only at run time: the shape of any of them, and those that
//! map coordinates to offsets, plain or behind a swizzle or another layout.

use crate::{
    data::{conversions::symbolic_value, term_value::TermValue},
    diagnostics::{codes::Code, violation::Violation},
};
use layout_algebra::{ComposedLayout, Expr, Facts, Layout, Nested, Outer, Value};

/// A layout into offsets, as [`layout_algebra::AnyLayout`] is one that is known.
#[derive(Clone, Debug)]
pub(crate) enum Offsets {
    /// `shape:stride`.
    Plain(Layout<Expr>),
    /// `outer o offset o inner`.
    Composed(ComposedLayout<Expr>),
}

impl Offsets {
    /// The layout that a value is.
    ///
    /// # Errors
    ///
    /// A value that is no layout, or one into coordinates or of bits.
    pub(crate) fn of(term_value: &TermValue) -> Result<Self, Violation> {
        match symbolic_value(term_value) {
            Value::Layout(layout) => Ok(Self::Plain(layout)),
            Value::Composed(composed) => Ok(Self::Composed(composed)),
            other => Err(Violation::new(Code::Kind, "a layout into offsets", other)),
        }
    }

    /// The inner layout, which coordinates go through first; its shape is the whole's.
    pub(crate) fn inner(&self) -> &Layout<Expr> {
        match self {
            Self::Plain(layout) => layout,
            Self::Composed(composed) => &composed.inner,
        }
    }

    /// The same with another inner layout.
    pub(crate) fn with_inner(&self, inner: Layout<Expr>) -> Value<Expr> {
        match self {
            Self::Plain(_) => Value::Layout(inner),
            Self::Composed(composed) => Value::Composed(composed.with_inner(inner)),
        }
    }

    /// The offset of a coordinate.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; integers of which too little is known.
    pub(crate) fn crd2idx(&self, facts: &Facts, coord: &Nested<Expr>) -> Result<Expr, Violation> {
        Ok(match self {
            Self::Plain(layout) => layout.crd2idx_under(facts, coord)?,
            Self::Composed(composed) => composed.crd2idx_under(facts, coord)?,
        })
    }

    /// The offset that a coordinate's is relative to, and the offset within: a swizzle adds what steps by
    /// whole periods of it, and examines the bits of the rest.
    ///
    /// # Errors
    ///
    /// Limits.
    pub(crate) fn around_and_within(&self, facts: &Facts) -> Result<[Layout<Expr>; 2], Violation> {
        let inner = self.inner();
        let within = |stride: &Expr| match self {
            Self::Plain(_) => false,
            Self::Composed(composed) => match &composed.outer {
                Outer::Layout(_) => true,
                Outer::Swizzle(swizzle) => {
                    let period = u64::try_from(swizzle.period()).unwrap_or(u64::MAX);
                    // One of no bits is none.
                    !swizzle.is_identity() && !facts.divisor(stride).is_multiple_of(period)
                }
            },
        };
        let part = |wanted: bool| {
            let stride = inner.stride().try_map(&mut |stride| {
                let taken = within(stride) == wanted;
                Ok::<_, Violation>(if taken { stride.clone() } else { Expr::from(0) })
            })?;
            Ok::<_, Violation>(Layout::<Expr>::under(facts, inner.shape().clone(), stride)?)
        };
        Ok([part(false)?, part(true)?])
    }
}

/// The shape of a layout of any kind but one of bits.
///
/// # Errors
///
/// A value that is none.
pub(crate) fn shape_of(term_value: &TermValue) -> Result<Nested<Expr>, Violation> {
    match symbolic_value(term_value) {
        Value::Layout(layout) => Ok(layout.shape().clone()),
        Value::Composed(composed) => Ok(composed.inner.shape().clone()),
        Value::Basis(layout) => Ok(layout.shape().clone()),
        other => Err(Violation::new(Code::Kind, "a shape or a layout", other)),
    }
}
