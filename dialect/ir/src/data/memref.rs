//! Layouts of memrefs: MLIR's `MemRefLayoutAttrInterface` for `#layout<…>`.
//!
//! `memref<128x64xf16, #layout<((8,16),64):((64,512),1)>>` has one mode of the layout for each of
//! its dimensions. Upstream passes see the layout as an affine map:
//!
//! | layout | map | as strides |
//! |---|---|---|
//! | `(4,8):(8,1)`: the rows lie in order | `(d0, d1) -> (d0, d1)`, MLIR's identity | `[8, 1]` |
//! | `((8,16),64):((64,512),1)`: each mode has one stride | `(d0, d1) -> (d0 * 64 + d1)` | `[64, 1]` |
//! | `((2,4),8):((1,16),2)` | `(d0, d1) -> (d0 mod 2 + (d0 floordiv 2) * 16 + d1 * 2)` | none |
//! | `S<3,4,3> o 0 o (8,64):(64,1)` | none: an affine map has no exclusive or | none |
//! | `(?,64):(64,1)` | `(d0, d1) -> (d0, d1)` | `[64, 1]` |
//! | `((2,?),8):((1,?),2)` | `(d0, d1)[s0] -> (d0 mod 2 + (d0 floordiv 2) * s0 + d1 * 2)` | none |
//!
//! An integer that is known at run time is a symbol of the map where the map depends on it, in the order in which the
//! map first needs them.

use crate::{
    data::{evaluate::to_layout, interned::Interned, term_value::TermValue},
    diagnostics::{
        codes::Code,
        place::{Part, of_text},
        violation::Violation,
    },
};
use layout_algebra::{AnyLayout, Expr, Facts, Interpreter, Layout, Outer, Swizzle, Value};
use melior::Context;
use mlir_sys::{
    MlirAffineExpr, MlirAffineMap, MlirContext, mlirAffineAddExprGet, mlirAffineConstantExprGet,
    mlirAffineDimExprGet, mlirAffineFloorDivExprGet, mlirAffineMapGet,
    mlirAffineMapMultiDimIdentityGet, mlirAffineModExprGet, mlirAffineMulExprGet,
    mlirAffineSymbolExprGet,
};
use std::sync::Arc;

/// The layout of a memref, static or partly static: `outer(offset + inner(c))`.
#[derive(Debug)]
pub(crate) struct MemrefLayout {
    text: String,
    facts: Facts,
    inner: Layout<Expr>,
    offset: Expr,
    outer: Option<Layout<Expr>>,
}

/// The layout of a memref: the value of a term, or a partly static layout, that an affine map describes.
///
/// # Errors
///
/// A term whose value is no layout, or has a swizzle; offsets past 64 bits.
pub(crate) fn layout_of(held: &Interned) -> Result<MemrefLayout, Violation> {
    let value = held.term_value()?;
    if let TermValue::Static(value) = &value {
        let layout =
            to_layout(value.clone()).map_err(|error| Violation::from(error).coded(Code::Kind))?;
        // Where the offsets stay within 64 bits, so does every constant of the map. A swizzle is refused below.
        let is_swizzled = |swizzle: Swizzle| !swizzle.is_identity();
        if !matches!(&layout, AnyLayout::Composed(composed) if composed.swizzle().is_some_and(is_swizzled))
        {
            layout.cosize()?;
        }
    }
    let (text, mut facts) = (value.to_string(), Facts::new());
    let (inner, offset, outer) = match value.symbolic(0, &mut facts)? {
        Value::Layout(layout) => (layout, Expr::from(0), None),
        Value::Composed(composed) => match composed.outer {
            Outer::Layout(outer) => (composed.inner, composed.offset, Some(outer)),
            Outer::Swizzle(swizzle) if swizzle.is_identity() => {
                (composed.inner, composed.offset, None)
            }
            Outer::Swizzle(swizzle) => {
                let found = format!(
                    "{text}: {swizzle} is an exclusive or of bits, which affine maps do not have"
                );
                let expected = "a memref's layout to be an affine map";
                return Err(Violation::new(Code::MemrefSwizzle, expected, found)
                    .hint("a !layout.view<…> takes swizzled layouts")
                    .at(of_text("the layout", &text, Part::Outer)));
            }
        },
        _ => return Err(Violation::new(Code::Kind, "a layout", text)),
    };
    Ok(MemrefLayout { text, facts, inner, offset, outer })
}

impl MemrefLayout {
    /// The extent of each dimension; `None` is one that is known at run time.
    fn extents(&self) -> Result<Vec<Option<i64>>, Violation> {
        let size = |mode: Layout<Expr>| Ok(product(mode.flat())?.as_constant());
        self.inner.modes().into_iter().map(size).collect()
    }
}

/// The number of coordinates of some leaves.
fn product(leaves: Vec<(Expr, Expr)>) -> Result<Expr, Violation> {
    let times = |size: Expr, (extent, _)| Ok(size.times(&extent)?);
    leaves.into_iter().try_fold(Expr::from(1), times)
}

/// The shape that a memref must have.
///
/// # Errors
///
/// A shape of another rank or other extents; `None` is a dynamic extent.
pub(crate) fn check_shape(layout: &MemrefLayout, shape: &[Option<i64>]) -> Result<(), Violation> {
    let extents = layout.extents()?;
    if extents == shape {
        return Ok(());
    }
    let found = if shape.is_empty() { "none".to_owned() } else { spelled(shape) };
    let expected =
        format!("a memref of the dimensions {} for the layout {}", spelled(&extents), layout.text);
    let differs = extents.iter().zip(shape).position(|(extent, dimension)| extent != dimension);
    let mode = differs.filter(|_| extents.len() == shape.len());
    let place = |mode| of_text("the layout", &layout.text, Part::Mode(mode));
    Err(Violation::new(Code::MemrefShape, expected, found).at(mode.and_then(place)))
}

fn spelled(shape: &[Option<i64>]) -> String {
    let extents = shape.iter().map(|extent| extent.map_or("?".to_owned(), |e| e.to_string()));
    extents.collect::<Vec<_>>().join("x")
}

/// The affine map of a layout, from the dimensions of the memref to an offset in elements; the identity on all
/// dimensions where the layout is compact and the last dimension runs fastest, since upstream passes look for just that.
///
/// # Errors
///
/// An integer that no affine expression describes (a minimum); one past 64 bits.
pub(crate) fn affine_map(
    context: &Context,
    layout: &MemrefLayout,
) -> Result<MlirAffineMap, Violation> {
    let mut builder =
        Builder { context: context.to_raw(), facts: &layout.facts, symbols: Vec::new() };
    let rank = layout.inner.rank() as isize;
    if layout.outer.is_none() && layout.offset.is(0) && is_row_major(&layout.inner)? {
        // SAFETY: the context is valid.
        return Ok(unsafe { mlirAffineMapMultiDimIdentityGet(builder.context, rank) });
    }
    let mut offset = builder.number(0);
    for (i, mode) in layout.inner.modes().iter().enumerate() {
        let own = builder.offset(builder.dimension(i), &simple(mode))?;
        offset = builder.sum(offset, own);
    }
    let before = builder.integer(&layout.offset)?;
    offset = builder.sum(offset, before);
    if let Some(outer) = &layout.outer {
        offset = builder.offset(offset, &simple(outer))?;
    }
    let symbols = builder.symbols.len() as isize;
    // SAFETY: the context is valid, and the one result is an expression in it.
    Ok(unsafe { mlirAffineMapGet(builder.context, rank, symbols, 1, &raw mut offset) })
}

/// Whether a layout is compact and its last mode runs fastest.
fn is_row_major(layout: &Layout<Expr>) -> Result<bool, Violation> {
    let mut step = Expr::from(1);
    for mode in layout.modes().iter().rev() {
        let [(extent, stride)] = &simple(mode).flat()[..] else { return Ok(false) };
        // A dimension of one element may have any stride.
        if !extent.is(1) && *stride != step {
            return Ok(false);
        }
        step = step.times(extent)?;
    }
    Ok(true)
}

/// A mode with as few leaves as it can have. One that is a leaf stays as it is, since a dimension
/// of one element keeps the stride that was written.
fn simple(mode: &Layout<Expr>) -> Layout<Expr> {
    if mode.is_leaf() { mode.clone() } else { mode.coalesce().unwrap_or_else(|_| mode.clone()) }
}

/// Makes expressions, which MLIR simplifies as they are made.
struct Builder<'f> {
    context: MlirContext,
    facts: &'f Facts,
    /// The symbols of the map, in their order.
    symbols: Vec<Arc<str>>,
}

impl Builder<'_> {
    fn number(&self, value: i64) -> MlirAffineExpr {
        // SAFETY: the context is valid.
        unsafe { mlirAffineConstantExprGet(self.context, value) }
    }

    fn dimension(&self, index: usize) -> MlirAffineExpr {
        // SAFETY: the context is valid.
        unsafe { mlirAffineDimExprGet(self.context, index as isize) }
    }

    fn sum(&self, a: MlirAffineExpr, b: MlirAffineExpr) -> MlirAffineExpr {
        // SAFETY: both are expressions in the context.
        unsafe { mlirAffineAddExprGet(a, b) }
    }

    fn map_symbol(&mut self, name: &str) -> MlirAffineExpr {
        let known = self.symbols.iter().position(|symbol| **symbol == *name);
        let position = known.unwrap_or_else(|| {
            self.symbols.push(Arc::from(name));
            self.symbols.len() - 1
        });
        // SAFETY: the context is valid.
        unsafe { mlirAffineSymbolExprGet(self.context, position as isize) }
    }

    /// An integer of the layout.
    fn integer(&mut self, integer: &Expr) -> Result<MlirAffineExpr, Violation> {
        if let [name] = &integer.symbols()[..]
            && self.facts.symbol(name)? == *integer
        {
            return Ok(self.map_symbol(name));
        }
        integer.interpret(self).ok_or_else(|| {
            Violation::new(Code::MemrefMinimum, "a memref's layout to be an affine map", integer)
                .hint("a !layout.view<…> takes layouts with a minimum")
        })
    }

    /// The offset of a layout at an index. As everywhere, an index past the size continues in the
    /// last mode, so the last has no remainder.
    fn offset(
        &mut self,
        index: MlirAffineExpr,
        layout: &Layout<Expr>,
    ) -> Result<MlirAffineExpr, Violation> {
        let modes = layout.flat();
        let mut sum = self.number(0);
        let mut before = Expr::from(1);
        for (i, (extent, stride)) in modes.iter().enumerate() {
            let (divisor, step) = (self.integer(&before)?, self.integer(stride)?);
            // SAFETY: all are expressions in the context; divisors are at least 1.
            let mut digit = unsafe { mlirAffineFloorDivExprGet(index, divisor) };
            if i + 1 < modes.len() {
                let extent_here = self.integer(extent)?;
                // SAFETY: as above.
                digit = unsafe { mlirAffineModExprGet(digit, extent_here) };
                before = before.times(extent)?;
            }
            // SAFETY: as above.
            sum = self.sum(sum, unsafe { mlirAffineMulExprGet(digit, step) });
        }
        Ok(sum)
    }
}

impl Interpreter for Builder<'_> {
    type Value = MlirAffineExpr;

    fn constant(&mut self, value: i64) -> Option<MlirAffineExpr> {
        Some(self.number(value))
    }

    fn symbol(&mut self, name: &str, divisor: i64) -> Option<MlirAffineExpr> {
        let (symbol, divisor) = (self.map_symbol(name), self.number(divisor));
        // SAFETY: both are expressions in the context; divisors are at least 1.
        Some(unsafe { mlirAffineFloorDivExprGet(symbol, divisor) })
    }

    fn plus(&mut self, a: &MlirAffineExpr, b: &MlirAffineExpr) -> Option<MlirAffineExpr> {
        Some(self.sum(*a, *b))
    }

    fn times(&mut self, a: &MlirAffineExpr, b: &MlirAffineExpr) -> Option<MlirAffineExpr> {
        // SAFETY: both are expressions of symbols and constants in the context.
        Some(unsafe { mlirAffineMulExprGet(*a, *b) })
    }

    fn floor_div(&mut self, a: &MlirAffineExpr, b: &MlirAffineExpr) -> Option<MlirAffineExpr> {
        // SAFETY: as above; divisors are at least 1.
        Some(unsafe { mlirAffineFloorDivExprGet(*a, *b) })
    }

    fn min(&mut self, _: &MlirAffineExpr, _: &MlirAffineExpr) -> Option<MlirAffineExpr> {
        None
    }
}

#[cfg(test)]
#[path = "../../tests/units/data/memref.rs"]
mod tests;
