//! Operations that only move elements: transposes by any name.

use crate::linalg::rows::is_tensor;
use layout_dialect::{
    affine::indexing_maps,
    build::{Val, operand, result},
    tree,
};
use melior::ir::{BlockLike, OperationRef, operation::OperationLike};

/// A copy whose elements lie in another order.
pub(super) struct Move<'c> {
    pub(super) operation: OperationRef<'c, 'c>,
    pub(super) source: Val<'c>,
    /// The dimension of the result that each dimension of the source is.
    pub(super) places: Vec<usize>,
}

impl<'c> Move<'c> {
    /// The transpose that makes a tensor.
    pub(super) fn of(tensor: Val<'c>) -> Option<Self> {
        let operation = tree::definition(tensor)?;
        (is_yield(operation) && operation.operand_count() == 2).then_some(())?;
        let maps = indexing_maps(operation)?;
        let [from, to] = maps.as_slice() else { return None };
        let mut place = vec![None; to.dimensions];
        for (i, result) in to.results.iter().enumerate() {
            let d = result.dimension()?;
            (place[d].replace(i).is_none()).then_some(())?;
        }
        let places: Vec<usize> =
            from.results.iter().map(|result| place[result.dimension()?]).collect::<Option<_>>()?;
        // Each once: no broadcast, and no diagonal.
        let mut sorted = places.clone();
        sorted.sort_unstable();
        sorted.iter().copied().eq(0..to.results.len()).then_some(())?;
        Some(Self { operation, source: operand(operation, 0), places })
    }
}

/// Whether an operation of `linalg` yields its first operand's element alone.
fn is_yield(operation: OperationRef<'_, '_>) -> bool {
    if !tree::name(operation).starts_with("linalg.") || operation.result_count() != 1 {
        return false;
    }
    let Some(body) = tree::entry(operation) else { return false };
    let [end] = tree::operations(body)[..] else { return false };
    body.argument_count() == 2
        && end.operand_count() == 1
        && tree::key(operand(end, 0)) == tree::key(tree::argument(body, 0))
}

/// Whether an operation computes tensors that nothing reads.
pub(super) fn is_idle(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    let shapes = ["tensor.collapse_shape", "tensor.dim", "tensor.empty", "tensor.expand_shape"];
    let is_tensor = |i| is_tensor(result(operation, i));
    let is_computed = name.starts_with("linalg.") && (0..operation.result_count()).all(is_tensor);
    operation.result_count() > 0
        && (shapes.contains(&name.as_str()) || is_computed)
        && tree::user(operation).is_none()
}
