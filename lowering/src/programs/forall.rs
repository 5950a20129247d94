//! Turns parallel loops over tensors into sequential loops: a program has one queue of kernels, and each kernel is
//! parallel.
//!
//! ```text
//! %y = scf.forall (%i) in (%n) shared_outs(%o = %x) {     %y = scf.for %i = %c0 to %n step %c1 iter_args(%o = %x) {
//!   %t = … %i …                                             %t = … %i …
//!   scf.forall.in_parallel {                         ->     %p = tensor.insert_slice %t into %o[%i] …
//!     tensor.parallel_insert_slice %t into %o[%i] …         scf.yield %p
//!   }                                                     }
//! }
//! ```
//!
//! Iterations write disjoint parts, so any order gives the same result.

use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    BlockRef, OperationRef, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute},
    operation::OperationLike,
};

type Built<T> = Result<T, melior::Error>;

/// Rewrites the loops below `root` that give tensors, the innermost first.
pub(super) fn in_order(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut all = tree::inside(root, "scf.forall");
    all.reverse();
    for found in all {
        let on_host = tree::ancestors(found).all(|around| tree::name(around) != "gpu.module");
        if !on_host || found.result_count() == 0 {
            continue;
        }
        if let Err(error) = rewrite(found) {
            layout_dialect::diagnostics::error(found, &error.to_string());
            return Err(());
        }
    }
    Ok(())
}

fn rewrite<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let b = Builder::before(found);
    let body = tree::entry(found).ok_or(melior::Error::OperationBuild)?;
    let segments = DenseI32ArrayAttribute::try_from(found.attribute("operandSegmentSizes")?)?;
    let mut next = 0;
    let mut bounds = Vec::new();
    for (i, name) in ["staticLowerBound", "staticUpperBound", "staticStep"].into_iter().enumerate()
    {
        let listed = DenseI64ArrayAttribute::try_from(found.attribute(name)?)?;
        let end = next + usize::try_from(segments.element(i)?).unwrap_or(0);
        let mut values = Vec::with_capacity(listed.len());
        for place in 0..listed.len() {
            values.push(match listed.element(place)? {
                i64::MIN if next < end => {
                    next += 1;
                    operand(found, next - 1)
                }
                known => b.constant(Type::index(b.context()), known)?,
            });
        }
        bounds.push(values);
    }
    let carried: Vec<Val<'c>> = (next..found.operand_count()).map(|i| operand(found, i)).collect();
    let counters: Vec<[Val<'c>; 3]> = bounds[0]
        .iter()
        .zip(&bounds[1])
        .zip(&bounds[2])
        .map(|((&first, &end), &step)| [first, end, step])
        .collect();
    let results = nest(&b, (found, body), &counters, &mut Vec::new(), &carried)?;
    for (i, value) in results.into_iter().enumerate() {
        tree::replace_uses(result(found, i), value);
    }
    tree::erase(found);
    Ok(())
}

/// The loops that are left, and the body in the last of them. Gives what the first one leaves.
fn nest<'c>(
    b: &Builder<'c>,
    (found, body): (OperationRef<'c, 'c>, BlockRef<'c, 'c>),
    bounds: &[[Val<'c>; 3]],
    counters: &mut Vec<Val<'c>>,
    carried: &[Val<'c>],
) -> Built<Vec<Val<'c>>> {
    let Some((&[first, end, step], rest)) = bounds.split_first() else {
        return round(b, body, counters, carried);
    };
    let types: Vec<Type<'c>> = carried.iter().map(ValueLike::r#type).collect();
    let (region, inside) = b.region_with(&[&[first.r#type()], &types[..]].concat());
    counters.push(inside.argument(0));
    let own: Vec<Val<'c>> = (0..types.len()).map(|i| inside.argument(i + 1)).collect();
    let left = nest(&inside, (found, body), rest, counters, &own)?;
    inside.operation("scf.yield", &left, &[], &[], vec![])?;
    let operands = [&[first, end, step], carried].concat();
    let made = b.operation("scf.for", &operands, &types, &[], vec![region])?;
    Ok((0..types.len()).map(|i| result(made, i)).collect())
}

/// The body of one round; gives the tensors with what it writes.
fn round<'c>(
    b: &Builder<'c>,
    body: BlockRef<'c, 'c>,
    counters: &[Val<'c>],
    carried: &[Val<'c>],
) -> Built<Vec<Val<'c>>> {
    for (i, &value) in counters.iter().chain(carried).enumerate() {
        tree::replace_uses(tree::argument(body, i), value);
    }
    let mut left = carried.to_vec();
    for operation in tree::operations(body) {
        if tree::name(operation) != "scf.forall.in_parallel" {
            b.adopt(operation);
            continue;
        }
        let writes = tree::entry(operation).map(tree::operations).unwrap_or_default();
        for write in writes {
            let mut operands: Vec<Val<'c>> =
                (0..write.operand_count()).map(|i| operand(write, i)).collect();
            let place = carried.iter().position(|own| tree::key(*own) == tree::key(operands[1]));
            let place = place.ok_or(melior::Error::OperationBuild)?;
            operands[1] = left[place];
            let mut attributes = Vec::new();
            for name in ["static_offsets", "static_sizes", "static_strides", "operandSegmentSizes"]
            {
                attributes.push((name, write.attribute(name)?));
            }
            let of = left[place].r#type();
            left[place] = b.value("tensor.insert_slice", &operands, of, &attributes)?;
        }
    }
    Ok(left)
}
