//! Operations that convert each element of a tensor.

use super::{contraction::element, numbers::is_half};
use layout_dialect::{
    affine::{IndexingMap, indexing_maps},
    build::{Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};

/// An operation that converts each element of a tensor, and does no more.
#[derive(Clone, Copy)]
pub(super) struct Conversion<'c> {
    pub(super) operation: OperationRef<'c, 'c>,
    /// The tensor that is converted.
    pub(super) source: Val<'c>,
    /// The operation on elements that converts one.
    step: OperationRef<'c, 'c>,
}

impl<'c> Conversion<'c> {
    /// The conversion whose result a tensor is, by one of these operations on elements.
    pub(super) fn of(tensor: Val<'c>, names: &[&str]) -> Option<Self> {
        let operation = tree::definition(tensor)?;
        if !tree::name(operation).starts_with("linalg.") || operation.operand_count() != 2 {
            return None;
        }
        let is_own = |map: &IndexingMap| {
            let mut results = map.results.iter().enumerate();
            map.results.len() == map.dimensions
                && results.all(|(d, own)| own.dimension() == Some(d))
        };
        let body = tree::entry(operation)?;
        let [step, end] = tree::operations(body)[..] else { return None };
        let converts = names.contains(&tree::name(step).as_str())
            && operand(step, 0) == tree::argument(body, 0)
            && operand(end, 0) == first_result(step);
        let found = Self { operation, source: operand(operation, 0), step };
        (converts && indexing_maps(operation)?.iter().all(is_own)).then_some(found)
    }

    /// The one from 16 bits to f32.
    pub(super) fn of_half(tensor: Val<'c>) -> Option<Self> {
        Self::of(tensor, &["arith.extf"]).filter(|found| {
            first_result(found.step).r#type().to_string() == "f32"
                && element(found.source).is_ok_and(is_half)
        })
    }
}
