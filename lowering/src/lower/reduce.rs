//! Lowers `gpu.subgroup_reduce` to `redux.sync` for words of 32 bits of a whole warp, and otherwise to shuffles: in each
//! step every lane combines its value with that of the lane whose number differs in one bit.

use super::{Failure, Located, copy::parse};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    reductions, tree,
};
use melior::ir::{
    OperationRef, ValueLike,
    attribute::{DenseI32ArrayAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// Lanes of a warp.
const WARP: i64 = 32;

/// How `redux.sync` names what two words are combined by.
const REDUX: [(&str, &str); 8] = [
    ("arith.addi", "add"),
    ("arith.minsi", "min"),
    ("arith.maxsi", "max"),
    ("arith.minui", "umin"),
    ("arith.maxui", "umax"),
    ("arith.andi", "and"),
    ("arith.ori", "or"),
    ("arith.xori", "xor"),
];

/// The least chip that has `redux.sync`; kernels that name none are for one that has it.
const MIN_CHIP: u32 = 80;

/// Lowers the reductions below a function of a device.
pub(super) fn lower<'c>(function: OperationRef<'c, 'c>) -> Result<(), Located<'c>> {
    for operation in tree::all(function) {
        if tree::name(operation) != "gpu.subgroup_reduce" {
            continue;
        }
        let value = reduced(function, operation).map_err(|failure| (operation, failure))?;
        tree::replace_uses(first_result(operation), value);
        tree::erase(operation);
    }
    Ok(())
}

fn reduced<'c>(
    function: OperationRef<'c, 'c>,
    operation: OperationRef<'c, 'c>,
) -> Result<Val<'c>, Failure> {
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
    let block = function.attribute("known_block_size").and_then(DenseI32ArrayAttribute::try_from);
    let threads: Option<i64> = block.ok().map(|block| {
        let extents = (0..block.len()).filter_map(|i| block.element(i).ok()).map(i64::from);
        extents.fold(1, i64::saturating_mul)
    });
    if let Some(threads) = threads.filter(|threads| threads % reach != 0) {
        return Err(Failure::refused(format!(
            "expected a block of a multiple of {reach} threads, whose values the reduction combines, found {threads}"
        )));
    }
    let mut value = operand(operation, 0);
    let combine = reductions::combining(operation).map_err(Failure::refused)?;
    let kind = REDUX.iter().find(|(name, _)| *name == combine).filter(|_| lanes == WARP);
    if let Some((_, kind)) = kind
        && value.r#type() == b.integer(32)
        && has_redux(operation)
    {
        let all = b.constant(b.integer(32), -1)?;
        let kind = ("kind", parse(&b, &format!("#nvvm<redux_kind {kind}>"))?);
        return Ok(b.value("nvvm.redux.sync", &[value, all], value.r#type(), &[kind])?);
    }
    let mut offset = stride;
    while offset < reach {
        let other = reductions::from_lane(&b, value, (offset, WARP))?.ok_or_else(|| {
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

/// Whether the chip has `redux.sync`, which the targets of the operation's module say; upstream's own is sm_75.
fn has_redux(operation: OperationRef<'_, '_>) -> bool {
    let mut above = operation.parent_operation();
    while let Some(own) = above {
        if let Ok(targets) = own.attribute("targets") {
            let targets = targets.to_string();
            let mut chips = targets.split("#nvvm.target").skip(1).map(|target| {
                let chip =
                    target.split_once("chip = \"").and_then(|(_, rest)| rest.split_once('"'));
                chip.and_then(|(chip, _)| layout_dialect::atoms::chip_number(chip))
            });
            return chips.all(|chip| chip.is_some_and(|chip| chip >= MIN_CHIP));
        }
        above = own.parent_operation();
    }
    true
}
