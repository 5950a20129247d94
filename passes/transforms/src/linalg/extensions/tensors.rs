//! Operations of `tensor` that compute elements: `gather`, `generate` and `splat`.

use super::{
    element, extents, left,
    loops::{Built, Size, cast, empty, fill, identity, index_constant, one, sizes, variable},
    ranked,
};
use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    BlockLike, OperationRef, Type, ValueLike, attribute::DenseI64ArrayAttribute,
    operation::OperationLike,
};
use std::collections::HashMap;

/// The slices that indices name; a dimension that is gathered has one element in the result, or is none of it.
pub(super) fn gather<'c>(operation: OperationRef<'c, 'c>, b: &Builder<'c>) -> Built<Val<'c>> {
    let (source, indices) = (operand(operation, 0), operand(operation, 1));
    let all = [source, indices, result(operation, 0)];
    if let Some(value) = all.iter().find(|value| ranked(value.r#type()).is_none()) {
        return left(format!("expected tensors with a rank, found {}", value.r#type()));
    }
    let dimensions = operation.attribute("gather_dims").ok();
    let dimensions = dimensions.and_then(|all| DenseI64ArrayAttribute::try_from(all).ok());
    let gathered: Option<Vec<usize>> = dimensions.and_then(|all| {
        (0..all.len()).map(|i| usize::try_from(all.element(i).ok()?).ok()).collect()
    });
    let Some(gathered) = gathered else { return left("expected gather_dims, found none") };
    let (rank, batch) = (extents(source).len(), extents(indices).len().saturating_sub(1));
    let is_kept = extents(result(operation, 0)).len() == batch + rank;
    let (of_source, mut to) = (sizes(b, source)?, sizes(b, indices)?);
    to.truncate(batch);
    // The loop along each dimension of the source that is taken whole.
    let mut loops = vec![None; rank];
    for (d, size) in of_source.into_iter().enumerate() {
        match gathered.contains(&d) {
            true if is_kept => to.push(Size::Known(1)),
            true => {}
            false => {
                loops[d] = Some(to.len());
                to.push(size);
            }
        }
    }
    let index = Type::index(b.context());
    let output = (empty(b, &to, element(source)?)?, identity(to.len()));
    one(b, to.len(), &[], output, |b, _| {
        let mut operands = vec![source];
        for (d, own) in loops.iter().enumerate() {
            operands.push(match own {
                Some(own) => variable(b, *own)?,
                None => {
                    let mut at = vec![indices];
                    for d in 0..batch {
                        at.push(variable(b, d)?);
                    }
                    let place = gathered.iter().position(|found| *found == d).unwrap_or(0);
                    at.push(index_constant(b, i64::try_from(place).unwrap_or(i64::MAX))?);
                    let found = b.value("tensor.extract", &at, element(indices)?, &[])?;
                    cast(b, found, index)?
                }
            });
        }
        Ok(b.value("tensor.extract", &operands, element(source)?, &[])?)
    })
}

/// A loop whose body is the operation's, on `linalg.index`.
pub(super) fn generate<'c>(operation: OperationRef<'c, 'c>, b: &Builder<'c>) -> Built<Val<'c>> {
    let Some(body) = tree::entry(operation) else { return left("expected a body, found none") };
    let mut steps = tree::operations(body);
    let Some(end) = steps.pop() else { return left("expected a body, found an empty one") };
    let made = output(operation, 0, b)?;
    let count = extents(made).len();
    one(b, count, &[], (made, identity(count)), |b, _| {
        let mut known = HashMap::new();
        for d in 0..body.argument_count() {
            known.insert(tree::key(tree::argument(body, d)), variable(b, d)?);
        }
        tree::clone_all(b, &steps, &mut known);
        let value = operand(end, 0);
        Ok(known.get(&tree::key(value)).copied().unwrap_or(value))
    })
}

/// `linalg.fill`.
pub(super) fn splat<'c>(operation: OperationRef<'c, 'c>, b: &Builder<'c>) -> Built<Val<'c>> {
    let made = output(operation, 1, b)?;
    fill(b, operand(operation, 0), made)
}

/// A tensor of the type of an operation's result, whose operands from a place on are the sizes that the type leaves open.
fn output<'c>(operation: OperationRef<'c, 'c>, from: usize, b: &Builder<'c>) -> Built<Val<'c>> {
    let of = result(operation, 0);
    if ranked(of.r#type()).is_none() {
        return left(format!("expected a tensor without an encoding, found {}", of.r#type()));
    }
    let mut open = (from..operation.operand_count()).map(|i| operand(operation, i));
    let size = |known: Option<i64>| known.map(Size::Known).or_else(|| open.next().map(Size::Value));
    let Some(to) = extents(of).into_iter().map(size).collect::<Option<Vec<_>>>() else {
        return left("expected an operand for each ?, found fewer");
    };
    empty(b, &to, element(of)?)
}
