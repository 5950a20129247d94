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

use crate::{
    data::evaluate::to_layout,
    diagnostics::{
        codes::Code,
        place::{Part, of_text},
        violation::Violation,
    },
};
use layout_algebra::{AnyLayout, Layout, Outer, Term, Tuple};
use melior::Context;
use mlir_sys::{
    MlirAffineExpr, MlirAffineMap, MlirContext, mlirAffineAddExprGet, mlirAffineConstantExprGet,
    mlirAffineDimExprGet, mlirAffineFloorDivExprGet, mlirAffineMapGet,
    mlirAffineMapMultiDimIdentityGet, mlirAffineModExprGet, mlirAffineMulExprGet,
};

/// The layout of a memref: the value of a term that an affine map describes.
///
/// # Errors
///
/// A term whose value is no layout, or has a swizzle; offsets past 64 bits.
pub(crate) fn layout_of(term: &Term) -> Result<AnyLayout, Violation> {
    let value = term.eval()?;
    let layout = to_layout(value).map_err(|error| Violation::from(error).coded(Code::Kind))?;
    if let AnyLayout::Composed(composed) = &layout {
        match composed.swizzle() {
            None => {}
            Some(swizzle) if swizzle.is_identity() => {}
            Some(swizzle) => {
                let found = format!(
                    "{layout}: {swizzle} is an exclusive or of bits, which affine maps do not have"
                );
                let expected = "a memref's layout to be an affine map";
                return Err(Violation::new(Code::MemrefSwizzle, expected, found)
                    .hint("a !layout.view<…> takes swizzled layouts")
                    .at(of_text("the layout", &layout.to_string(), Part::Outer)));
            }
        }
    }
    // Where the offsets stay within 64 bits, so does every constant of the map.
    layout.cosize()?;
    Ok(layout)
}

/// The shape that a memref must have.
///
/// # Errors
///
/// A shape of another rank or other extents; `None` is a dynamic extent.
pub(crate) fn check_shape(layout: &AnyLayout, shape: &[Option<i64>]) -> Result<(), Violation> {
    let extents: Vec<_> = layout.inner().modes().iter().map(|mode| Some(mode.size())).collect();
    if extents == shape {
        return Ok(());
    }
    let found = if shape.is_empty() { "none".to_owned() } else { spelled(shape) };
    let expected =
        format!("a memref of the dimensions {} for the layout {layout}", spelled(&extents));
    let differs = extents.iter().zip(shape).position(|(extent, dimension)| extent != dimension);
    let mode = differs.filter(|_| extents.len() == shape.len());
    let place = |mode| of_text("the layout", &layout.to_string(), Part::Mode(mode));
    Err(Violation::new(Code::MemrefShape, expected, found).at(mode.and_then(place)))
}

fn spelled(shape: &[Option<i64>]) -> String {
    let extents = shape.iter().map(|extent| extent.map_or("?".to_owned(), |e| e.to_string()));
    extents.collect::<Vec<_>>().join("x")
}

/// The affine map of a layout that [`layout_of`] accepts, from the dimensions of the memref to an
/// offset in elements; the identity on all dimensions where the layout is compact and the last
/// dimension runs fastest, since upstream passes look for just that.
pub(crate) fn affine_map(context: &Context, layout: &AnyLayout) -> MlirAffineMap {
    let builder = Builder { context: context.to_raw() };
    let rank = layout.inner().rank();
    if let AnyLayout::Plain(plain) = layout
        && is_row_major(plain)
    {
        // SAFETY: the context is valid.
        return unsafe { mlirAffineMapMultiDimIdentityGet(builder.context, rank as isize) };
    }
    let mut offset = builder.constant(0);
    for (i, mode) in layout.inner().modes().iter().enumerate() {
        offset = builder.sum(offset, builder.offset(builder.dimension(i), &simple(mode)));
    }
    if let AnyLayout::Composed(composed) = layout {
        offset = builder.sum(offset, builder.constant(composed.offset));
        if let Outer::Layout(outer) = &composed.outer {
            offset = builder.offset(offset, &simple(outer));
        }
    }
    // SAFETY: the context is valid, and the one result is an expression in it.
    unsafe { mlirAffineMapGet(builder.context, rank as isize, 0, 1, &raw mut offset) }
}

/// Whether a layout is compact and its last mode runs fastest.
fn is_row_major(layout: &Layout) -> bool {
    let leaf = |mode: &Layout| match *simple(mode).flat() {
        [leaf] => Some(leaf),
        _ => None,
    };
    let Some(strides) = layout.modes().iter().map(leaf).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let extents = Tuple::Node(strides.iter().map(|&(extent, _)| Tuple::Leaf(extent)).collect());
    // A dimension of one element may have any stride.
    extents.compact_row_major().is_ok_and(|compact| {
        compact
            .leaves()
            .iter()
            .zip(&strides)
            .all(|(expected, (e, found))| *e == 1 || expected == found)
    })
}

/// A mode with as few leaves as it can have. One that is a leaf stays as it is, since a dimension
/// of one element keeps the stride that was written.
fn simple(mode: &Layout) -> Layout {
    if mode.is_leaf() { mode.clone() } else { mode.coalesce().unwrap_or_else(|_| mode.clone()) }
}

/// Makes expressions, which MLIR simplifies as they are made.
struct Builder {
    context: MlirContext,
}

impl Builder {
    fn constant(&self, value: i64) -> MlirAffineExpr {
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

    /// The offset of a layout at an index. As everywhere, an index past the size continues in the
    /// last mode, so the last has no remainder.
    fn offset(&self, index: MlirAffineExpr, layout: &Layout) -> MlirAffineExpr {
        let modes = layout.flat();
        let mut sum = self.constant(0);
        let mut before = 1_i64;
        for (i, &(extent, stride)) in modes.iter().enumerate() {
            // SAFETY: all are expressions in the context; divisors are at least 1, and their
            // product is the size of a layout, which fits.
            unsafe {
                let mut digit = mlirAffineFloorDivExprGet(index, self.constant(before));
                if i + 1 < modes.len() {
                    digit = mlirAffineModExprGet(digit, self.constant(extent));
                    before = before.saturating_mul(extent);
                }
                sum = self.sum(sum, mlirAffineMulExprGet(digit, self.constant(stride)));
            }
        }
        sum
    }
}

#[cfg(test)]
#[path = "../../tests/units/data/memref.rs"]
mod tests;
