//! Partly static layouts: the shape of any of them, and those that map coordinates to offsets, plain or with a swizzle
//! or a layout as the outer function.

use crate::{
    data::{conversions::symbolic_value, term_value::TermValue},
    diagnostics::{codes::Code, violation::Violation},
};
use layout_algebra::{AnyLayout, Expr, Facts, Layout, Nested, Outer};

/// The layout into offsets that a value is.
///
/// # Errors
///
/// A value that is no layout, or one into coordinates or of bits.
pub(crate) fn offsets(term_value: &TermValue) -> Result<AnyLayout<Expr>, Violation> {
    AnyLayout::try_from(symbolic_value(term_value))
        .map_err(|other| Violation::new(Code::Kind, "a layout into offsets", other))
}

/// The offset that a coordinate's is relative to, and the offset within: a swizzle adds what steps by
/// whole periods of it, and takes the bits of the rest.
pub(crate) fn around_and_within(
    layout: &AnyLayout<Expr>,
    facts: &Facts,
) -> Result<[Layout<Expr>; 2], Violation> {
    let inner = layout.inner();
    let within = |stride: &Expr| match layout {
        AnyLayout::Plain(_) => false,
        AnyLayout::Composed(composed) => match &composed.outer {
            Outer::Layout(_) => true,
            Outer::Swizzle(swizzle) => {
                let period = u64::try_from(swizzle.period()).unwrap_or(u64::MAX);
                // A zero-bit swizzle is the identity.
                !swizzle.is_identity() && !facts.divisor(stride).is_multiple_of(period)
            }
        },
    };
    let part = |is_within: bool| {
        let stride = inner.stride().try_map(&mut |stride| {
            let taken = within(stride) == is_within;
            Ok::<_, Violation>(if taken { stride.clone() } else { Expr::from(0) })
        })?;
        Ok::<_, Violation>(Layout::<Expr>::under(facts, inner.shape().clone(), stride)?)
    };
    Ok([part(false)?, part(true)?])
}

/// The sizes of the modes of a shape at the top, where they are known; a leaf is its own.
pub(crate) fn mode_sizes(shape: &Nested<Expr>) -> Result<Vec<Option<i64>>, Violation> {
    let modes = match shape {
        Nested::Node(modes) => modes.as_slice(),
        leaf => std::slice::from_ref(leaf),
    };
    modes.iter().map(|mode| Ok(mode.product()?.as_constant())).collect()
}

/// The shape of a layout of any kind but one of bits.
///
/// # Errors
///
/// A value that is none.
pub(crate) fn shape_of(term_value: &TermValue) -> Result<Nested<Expr>, Violation> {
    let value = symbolic_value(term_value);
    let shape = value.layout_shape().cloned();
    shape.ok_or_else(|| Violation::new(Code::Kind, "a shape or a layout", value))
}
