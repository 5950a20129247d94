//! Operations that only move elements: transposes by any name.

use crate::linalg::{
    contraction::buffer,
    loops::is_copy,
    reshape::{self, groups_of},
    rows::is_tensor,
};
use layout_dialect::{
    affine::indexing_maps,
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{OperationRef, operation::OperationLike};

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
        (is_copy(operation) && operation.operand_count() == 2).then_some(())?;
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

    /// The copy with the reshape in front of it that was behind it: of whole groups, each of which lies in the source as it is made one.
    pub(super) fn behind(
        &self,
        reshape: OperationRef<'c, 'c>,
        reader: OperationRef<'c, 'c>,
    ) -> Result<Option<Self>, melior::Error> {
        let (Ok(groups), Ok(found)) = (groups_of(reshape), buffer(self.source)) else {
            return Ok(None);
        };
        let mut rest = self.places.as_slice();
        let (mut places, mut own, mut sizes) = (Vec::new(), Vec::<Vec<usize>>::new(), Vec::new());
        let extents = found.extents();
        while let Some(first) = rest.first() {
            let is_next = |group: &&Vec<usize>| group.first() == Some(first);
            let Some(group) = groups.iter().find(is_next).filter(|group| rest.starts_with(group))
            else {
                return Ok(None);
            };
            let start = self.places.len() - rest.len();
            let all = start..start + group.len();
            places.extend(groups.iter().position(|other| other == group));
            sizes.push(reshape::product(extents[all.clone()].iter().copied()));
            own.push(all.collect());
            rest = &rest[group.len()..];
        }
        let b = Builder::before(reader);
        let made = reshape::tensor(&b, &sizes, found.element_type())?;
        let source = reshape::collapse(&b, self.source, &own, made)?;
        Ok(Some(Self { operation: self.operation, source, places }))
    }
}

/// Whether an operation computes tensors that nothing reads.
pub(super) fn is_idle(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    let shapes = [
        "tensor.collapse_shape",
        "tensor.dim",
        "tensor.empty",
        "tensor.expand_shape",
        "tensor.pad",
    ];
    let is_tensor = |i| is_tensor(result(operation, i));
    let is_computed = name.starts_with("linalg.") && (0..operation.result_count()).all(is_tensor);
    operation.result_count() > 0
        && (shapes.contains(&name.as_str()) || is_computed)
        && tree::user(operation).is_none()
}
