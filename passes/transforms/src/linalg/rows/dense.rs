//! Copies slices with gaps to dense memory where their users require it, in a kernel that may compute more on the way.
//!
//! ```text
//! %s = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1]       %s = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1]
//! return %s                                          ->   %d = linalg.generic ins(%s) { yield }
//!                                                         return %d
//! ```
//!
//! The results of a function have no gaps, and neither has memory whose type has no strides. Bufferisation makes
//! a copy there that no copy engine does: `memref.copy` of memory with gaps.

use super::{
    super::reshape::{parsed, ranked},
    extent::{Extent, Number, numbers},
    pull::is_tensor,
};
use layout_dialect::{
    buffers::{Buffer, Strides},
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use std::collections::HashMap;

/// Puts a copy after each slice with gaps that a function returns, or that memory without gaps is read from.
///
/// # Errors
///
/// MLIR's error for a copy that it refuses, and what reads it.
pub(super) fn run<'c>(
    root: OperationRef<'c, '_>,
) -> Result<(), (OperationRef<'c, 'c>, melior::Error)> {
    let copied = |reader: OperationRef<'c, 'c>, value: Val<'c>| {
        copy(&Builder::before(reader), value).map_err(|error| (reader, error))
    };
    for end in tree::inside(root, "func.return") {
        let mut copies = HashMap::new();
        for i in 0..end.operand_count() {
            let value = operand(end, i);
            if has_gaps(value) {
                let made = match copies.get(&tree::key(value)) {
                    Some(made) => *made,
                    None => copied(end, value)?,
                };
                copies.insert(tree::key(value), made);
                tree::set_operand(end, i, made);
            }
        }
    }
    for read in tree::inside(root, "bufferization.to_buffer") {
        let found = Buffer::of(first_result(read).r#type()).ok().flatten();
        let is_dense = found.is_some_and(|own| matches!(own.strides(), Ok(Strides::Rows)));
        let value = operand(read, 0);
        if is_dense && has_gaps(value) {
            tree::set_operand(read, 0, copied(read, value)?);
        }
    }
    Ok(())
}

/// Whether a tensor is a slice with gaps, or one that is reshaped.
fn has_gaps(mut value: Val<'_>) -> bool {
    while is_tensor(value)
        && let Some(made) = tree::definition(value)
    {
        match tree::name(made).as_str() {
            "tensor.extract_slice" if !is_run(made).unwrap_or(false) => return true,
            "tensor.cast"
            | "tensor.collapse_shape"
            | "tensor.expand_shape"
            | "tensor.extract_slice" => value = operand(made, 0),
            _ => break,
        }
    }
    false
}

/// Whether a slice's elements are contiguous in its source: all of the last dimensions, a part of the one before them, and one
/// element of each of the others.
fn is_run(slice: OperationRef<'_, '_>) -> Option<bool> {
    let whole = Extent::all(operand(slice, 0)).ok()?;
    let sizes = numbers(slice, "static_sizes", 2).ok()?;
    let steps = numbers(slice, "static_strides", 3).ok()?;
    let mut is_part = false;
    for ((size, step), whole) in sizes.iter().zip(&steps).zip(&whole).rev() {
        let size = match size {
            Number::Known(known) => Extent::Known(*known),
            Number::Value(value) => Extent::value(*value).ok()?,
        };
        if size == Extent::Known(1) {
            // All of it, or one of several.
            is_part |= *whole != size;
            continue;
        }
        if is_part || !matches!(step, Number::Known(1)) {
            return Some(false);
        }
        is_part = size != *whole;
    }
    Some(true)
}

/// An operation of `linalg` that computes a tensor's own elements.
fn copy<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, melior::Error> {
    let build = |_| melior::Error::OperationBuild;
    let (element, extents) = ranked(value.r#type()).ok_or(melior::Error::OperationBuild)?;
    let known = Extent::all(value).map_err(build)?;
    let open = known.iter().zip(&extents).filter(|(_, own)| own.is_none());
    let sizes = open.map(|(own, _)| own.emit(b)).collect::<Result<Vec<_>, _>>()?;
    let init = b.value("tensor.empty", &sizes, value.r#type(), &[])?;
    let loops: Vec<String> = (0..extents.len()).map(|d| format!("d{d}")).collect();
    let loops = loops.join(", ");
    let map = format!("affine_map<({loops}) -> ({loops})>");
    let kinds = vec!["#linalg.iterator_type<parallel>"; extents.len()].join(", ");
    let attributes = [
        ("indexing_maps", parsed(b, &format!("[{map}, {map}]"))?),
        ("iterator_types", parsed(b, &format!("[{kinds}]"))?),
        ("operandSegmentSizes", parsed(b, "array<i32: 1, 1>")?),
    ];
    let (region, inner) = b.region_with(&[element, element]);
    inner.operation("linalg.yield", &[inner.argument(0)], &[], &[], vec![])?;
    let made = b.operation(
        "linalg.generic",
        &[value, init],
        &[value.r#type()],
        &attributes,
        vec![region],
    )?;
    Ok(first_result(made))
}
