//! Operations that only move elements: transposes and broadcasts by any name.

use crate::linalg::{
    contraction::buffer,
    loops::is_copy,
    reshape::{self, groups_of, ranked},
    rows::is_tensor,
};
use layout_dialect::{
    affine::{Linear, indexing_maps},
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};

/// A copy whose elements lie in another order, or several times.
pub(super) struct Move<'c> {
    pub(super) operation: OperationRef<'c, 'c>,
    pub(super) source: Val<'c>,
    /// The dimension of the result that each dimension of the source is, or `None` for one of which the first element is read.
    pub(super) places: Vec<Option<usize>>,
    /// The dimensions of the result.
    rank: usize,
}

impl<'c> Move<'c> {
    /// The transpose or broadcast that makes a tensor.
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
        let source = operand(operation, 0);
        // A fill copies a number.
        ranked(source.r#type())?;
        let one = |result: &Linear| match (result.dimension(), result.terms.as_slice()) {
            (Some(d), _) => place[d].map(Some),
            (None, []) => (result.constant == 0).then_some(None),
            _ => None,
        };
        let places: Vec<Option<usize>> = from.results.iter().map(one).collect::<Option<_>>()?;
        // No diagonal.
        let mut each: Vec<usize> = places.iter().copied().flatten().collect();
        each.sort_unstable();
        each.is_sorted_by(|a, b| a < b).then_some(())?;
        Some(Self { operation, source, places, rank: to.results.len() })
    }

    /// The dimension of the result that each dimension of the source is, where each element lies in the result once.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        let order: Vec<usize> = self.places.iter().copied().collect::<Option<_>>()?;
        (order.len() == self.rank).then_some(order)
    }

    /// The copy with the reshape in front of it that was after it: of whole groups, each of which lies in the source as it is made one.
    pub(super) fn after_reshape(
        &self,
        reshape: OperationRef<'c, 'c>,
        reader: OperationRef<'c, 'c>,
    ) -> Result<Option<Self>, melior::Error> {
        let (Ok(groups), Ok(found)) = (groups_of(reshape), buffer(self.source)) else {
            return Ok(None);
        };
        let Some(all) = self.places.iter().copied().collect::<Option<Vec<usize>>>() else {
            return Ok(None);
        };
        let mut rest = all.as_slice();
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
            places.push(groups.iter().position(|other| other == group));
            sizes.push(reshape::product(extents[all.clone()].iter().copied()));
            own.push(all.collect());
            rest = &rest[group.len()..];
        }
        let rank = groups.len();
        if own.len() == self.places.len() {
            return Ok(Some(Self { operation: self.operation, source: self.source, places, rank }));
        }
        let b = Builder::before(reader);
        let made = reshape::tensor(&b, &sizes, found.element_type())?;
        let source = reshape::collapse(&b, self.source, &own, made)?;
        Ok(Some(Self { operation: self.operation, source, places, rank }))
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
