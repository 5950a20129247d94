//! `gpu.subgroup_reduce` as shuffles: in each round every lane adds what the lane has whose number differs in one bit.

use super::{Failure, Located};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    reductions, tree,
};
use melior::ir::{OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike};

/// Lanes of a warp.
const WARP: i64 = 32;

/// Lowers the reductions below a function of a device.
pub(super) fn lower<'c>(function: OperationRef<'c, 'c>) -> Result<(), Located<'c>> {
    for operation in tree::all(function) {
        if tree::name(operation) != "gpu.subgroup_reduce" {
            continue;
        }
        let value = reduced(operation).map_err(|failure| (operation, failure))?;
        tree::replace_uses(first_result(operation), value);
        tree::erase(operation);
    }
    Ok(())
}

fn reduced<'c>(operation: OperationRef<'c, 'c>) -> Result<Val<'c>, Failure> {
    let b = Builder::before(operation);
    let integer = |name: &str| {
        let attribute = operation.attribute(name).ok()?;
        IntegerAttribute::try_from(attribute).ok().map(|attribute| attribute.value())
    };
    let lanes = integer("cluster_size").unwrap_or(WARP);
    let stride = integer("cluster_stride").unwrap_or(1);
    let reach = lanes.checked_mul(stride).unwrap_or(i64::MAX);
    if lanes < 1
        || stride < 1
        || lanes.count_ones() != 1
        || stride.count_ones() != 1
        || reach > WARP
    {
        return Err(Failure::refused(format!(
            "expected a cluster within the {WARP} lanes of a warp, its size and stride powers of 2, \
             found {lanes} lanes with stride {stride}"
        )));
    }
    let mut value = operand(operation, 0);
    let combine = reductions::combining(operation).map_err(Failure::refused)?;
    let mut offset = stride;
    while offset < reach {
        let other = reductions::from_lane(&b, value, offset)?.ok_or_else(|| {
            Failure::refused(format!(
                "expected a reduction of f16, bf16, f32, f64, i8, i16, i32 or i64, found {}",
                value.r#type()
            ))
        })?;
        value = b.binary(combine, value, other)?;
        offset *= 2;
    }
    Ok(value)
}
