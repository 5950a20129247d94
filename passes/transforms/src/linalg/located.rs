//! Locates a tensor that is a part of another one: slices and reshapes with known sizes are views, not copies.
//!
//! | made by | strides, from those of the source | offset |
//! |---|---|---|
//! | `tensor.extract_slice` with known offsets and steps | times the steps | plus offsets times strides |
//! | `tensor.expand_shape` | of a group, the last is the source's, each before it times the extents after | the same |
//! | `tensor.collapse_shape` of dimensions without gaps | of a group, the last | the same |
//! | anything else | rows, the last dimension fastest | 0 |
//!
//! Bufferisation makes the same views (`memref.subview`, `expand_shape`, `collapse_shape`), so that a buffer of this type is one
//! of them. Knows nothing of loops.

use super::{contraction::memref_of, reshape::groups_of};
use crate::pointers::ASSUMED;
use layout_dialect::{
    buffers::Buffer,
    build::{Val, context_of, operand},
    tree,
    types::element_bytes,
};
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::DenseI64ArrayAttribute, operation::OperationLike,
};

/// A tensor's strides and where its first element is, in elements of the tensor that it is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    strides: Vec<i64>,
    offset: i64,
}

/// The memref that a tensor lies in: strided where it is a part of another that copies can start at, else without gaps.
pub(crate) fn memref_of_part<'c>(tensor: Val<'c>) -> Option<Type<'c>> {
    part(tensor).or_else(|| memref_of(tensor.r#type()))
}

/// Whether a tensor is read where it lies: a slice that is none of these is copied first.
pub(crate) fn lies_in_place(tensor: Val<'_>) -> bool {
    let mut at = tensor;
    while let Some(made) = tree::definition(at) {
        match tree::name(made).as_str() {
            "tensor.extract_slice" => {
                let is_start = || Place::of(tensor).is_some_and(|place| place.offset == 0);
                return part(tensor).is_some() || is_start();
            }
            "tensor.expand_shape" | "tensor.collapse_shape" | "tensor.cast" => {
                at = operand(made, 0)
            }
            _ => break,
        }
    }
    true
}

fn part<'c>(tensor: Val<'c>) -> Option<Type<'c>> {
    let place = Place::of(tensor)?;
    let whole = Buffer::of(memref_of(tensor.r#type())?).ok()??;
    let is_number = whole.extents().is_empty();
    if is_number || place.offset == 0 && Some(&place.strides) == rows(&whole.extents()).as_ref() {
        return None;
    }
    let element = whole.element_type();
    let bytes = element_bytes(element)?;
    if place.offset.checked_mul(bytes)? % ASSUMED != 0 {
        return None;
    }
    let extents: Vec<String> = whole
        .extents()
        .iter()
        .map(|extent| extent.map_or("?".to_owned(), |extent| extent.to_string()))
        .collect();
    let strides: Vec<String> = place.strides.iter().map(i64::to_string).collect();
    let offset = match place.offset {
        0 => String::new(),
        offset => format!(", offset: {offset}"),
    };
    let text = format!(
        "memref<{}x{element}, strided<[{}]{offset}>>",
        extents.join("x"),
        strides.join(", ")
    );
    Type::parse(context_of(tree::definition(tensor)?), &text)
}

impl Place {
    /// Where a tensor lies, or `None` if that is known at run time only.
    fn of(tensor: Val<'_>) -> Option<Self> {
        let made = tree::definition(tensor);
        let name = made.map(tree::name).unwrap_or_default();
        let extents =
            |value: Val<'_>| Some(Buffer::of(memref_of(value.r#type())?).ok()??.extents());
        match (made, name.as_str()) {
            (Some(made), "tensor.extract_slice") => {
                let source = Self::of(operand(made, 0))?;
                let all = |name: &str| integers(made, name);
                let (offsets, steps) = (all("static_offsets")?, all("static_strides")?);
                // Bufferisation has a type of its own for slices that drop dimensions.
                let is_whole = extents(tensor)?.len() == source.strides.len();
                let are_known = !offsets.iter().chain(&steps).any(|&known| known == i64::MIN);
                (is_whole && are_known).then_some(())?;
                let mut offset = source.offset;
                let mut strides = Vec::with_capacity(steps.len());
                for ((at, step), stride) in offsets.iter().zip(&steps).zip(&source.strides) {
                    offset = offset.checked_add(at.checked_mul(*stride)?)?;
                    strides.push(stride.checked_mul(*step)?);
                }
                Some(Self { strides, offset })
            }
            (Some(made), "tensor.expand_shape") => {
                let Self { strides: source, offset } = Self::of(operand(made, 0))?;
                let extents = extents(tensor)?;
                let mut strides = vec![0; extents.len()];
                for (group, stride) in groups_of(made).ok()?.into_iter().zip(source) {
                    let mut next = stride;
                    for (position, &dimension) in group.iter().rev().enumerate() {
                        *strides.get_mut(dimension)? = next;
                        // Nothing is in front of the first.
                        if position + 1 < group.len() {
                            next = next.checked_mul((*extents.get(dimension)?)?)?;
                        }
                    }
                }
                Some(Self { strides, offset })
            }
            (Some(made), "tensor.collapse_shape") => {
                let source = operand(made, 0);
                let Self { strides: of, offset } = Self::of(source)?;
                let extents = extents(source)?;
                let mut strides = Vec::new();
                for group in groups_of(made).ok()? {
                    // As upstream has it: a dimension of one element may have any stride.
                    let is_one = |d: usize| extents.get(d) == Some(&Some(1));
                    let last = group.iter().rposition(|&d| !is_one(d)).unwrap_or(0);
                    let own = *of.get(*group.get(last)?)?;
                    let mut next = own;
                    for pair in group[..=last].windows(2).rev() {
                        let [before, after] = [pair[0], pair[1]];
                        next = next.checked_mul((*extents.get(after)?)?)?;
                        (is_one(before) || *of.get(before)? == next).then_some(())?;
                    }
                    strides.push(own);
                }
                Some(Self { strides, offset })
            }
            _ => Some(Self { strides: rows(&extents(tensor)?)?, offset: 0 }),
        }
    }
}

/// The strides of rows without gaps; only the first extent may be known at run time.
fn rows(extents: &[Option<i64>]) -> Option<Vec<i64>> {
    let mut strides = vec![1; extents.len()];
    for d in (1..extents.len()).rev() {
        strides[d - 1] = i64::checked_mul(strides[d], extents[d]?)?;
    }
    Some(strides)
}

pub(super) fn integers(operation: OperationRef<'_, '_>, name: &str) -> Option<Vec<i64>> {
    let all = DenseI64ArrayAttribute::try_from(operation.attribute(name).ok()?).ok()?;
    (0..all.len()).map(|i| all.element(i).ok()).collect()
}
