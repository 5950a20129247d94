//! Values that indices may have, as far as a few steps before them say.
//!
//! An index has 64 bits. Arithmetic on one is done in 32 where all values that it may have fit, or
//! where an operation demands a coordinate in range: `layout.idx2crd` does not, its last coordinate
//! goes on past the shape.

use layout_dialect::{
    build::{Val, operand},
    tree,
};
use melior::ir::{
    BlockLike, OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
    r#type::IntegerType,
};

/// Steps that are followed.
const DEPTH: usize = 8;

/// Whether a value that is at least 0 is known to fit 32 bits with a sign.
pub(super) fn fits(value: Val<'_>) -> bool {
    range(value, DEPTH).1 <= i128::from(i32::MAX)
}

/// The least and the greatest value, read with a sign.
fn range(value: Val<'_>, depth: usize) -> (i128, i128) {
    let all = of_width(width(value));
    if depth == 0 {
        return all;
    }
    let found = match tree::definition(value) {
        Some(made) => computed(made, value, depth - 1),
        None => argument(value, depth - 1),
    };
    // What wraps around may be anything.
    found.filter(|found| all.0 <= found.0 && found.1 <= all.1).unwrap_or(all)
}

fn width(value: Val<'_>) -> u32 {
    IntegerType::try_from(value.r#type()).map_or(64, |r#type| r#type.width())
}

fn of_width(bits: u32) -> (i128, i128) {
    let half = 1_i128 << bits.clamp(1, 64).saturating_sub(1);
    (-half, half - 1)
}

/// The range of an operation's result; nothing where it is not known here.
fn computed(made: OperationRef<'_, '_>, value: Val<'_>, depth: usize) -> Option<(i128, i128)> {
    let of = |i: usize| range(operand(made, i), depth);
    let natural = |i: usize| Some(of(i)).filter(|range| range.0 >= 0);
    Some(match tree::name(made).as_str() {
        "arith.constant" => {
            let value = IntegerAttribute::try_from(made.attribute("value").ok()?).ok()?.value();
            (i128::from(value), i128::from(value))
        }
        "gpu.thread_id"
        | "gpu.block_id"
        | "gpu.cluster_id"
        | "gpu.cluster_block_id"
        | "gpu.lane_id"
        | "gpu.subgroup_id"
        | "gpu.block_dim"
        | "gpu.grid_dim"
        | "gpu.num_subgroups"
        | "gpu.subgroup_size" => (0, i128::from(i32::MAX)),
        "arith.index_cast" | "arith.extsi" | "arith.trunci" => of(0),
        "arith.index_castui" | "arith.extui" => match natural(0) {
            Some(natural) => natural,
            None => (0, (1_i128 << width(operand(made, 0)).min(64)) - 1),
        },
        "arith.addi" => (of(0).0 + of(1).0, of(0).1 + of(1).1),
        "arith.subi" => (of(0).0 - of(1).1, of(0).1 - of(1).0),
        "arith.muli" => {
            let (x, y) = (of(0), of(1));
            let products = [x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1];
            (*products.iter().min()?, *products.iter().max()?)
        }
        "arith.andi" | "arith.minui" => match (natural(0), natural(1)) {
            (Some(x), Some(y)) => (0, x.1.min(y.1)),
            (Some(x), None) => (0, x.1),
            (None, Some(y)) => (0, y.1),
            (None, None) => return None,
        },
        "arith.divui" | "arith.shrui" => (0, natural(0)?.1),
        "arith.remui" => match natural(1) {
            Some(by) if by.1 > 0 => (0, by.1 - 1),
            _ => (0, natural(0)?.1),
        },
        "arith.minsi" => (of(0).0.min(of(1).0), of(0).1.min(of(1).1)),
        "arith.maxsi" => (of(0).0.max(of(1).0), of(0).1.max(of(1).1)),
        "arith.select" => (of(1).0.min(of(2).0), of(1).1.max(of(2).1)),
        "layout.idx2crd" if made.attribute("shape").is_ok() => {
            let extents = layout_dialect::ops::idx2crd_extents(made).ok()?;
            let place = (0..extents.len())
                .find(|&i| made.result(i).is_ok_and(|result| Val::from(result) == value))?;
            match extents.get(place) {
                Some(extent) if place + 1 < extents.len() => (0, i128::from(*extent) - 1),
                _ => (0, natural(0)?.1),
            }
        }
        _ => return None,
    })
}

/// The range of a block's argument: a loop's counter, or an index of a launch.
fn argument(value: Val<'_>, depth: usize) -> Option<(i128, i128)> {
    let block = tree::owner(value)?;
    let around = block.parent_operation()?;
    let is = |place: usize| place < block.argument_count() && tree::argument(block, place) == value;
    match tree::name(around).as_str() {
        "scf.for" if is(0) => {
            let (first, end) = (range(operand(around, 0), depth), range(operand(around, 1), depth));
            // Of both signs, the order of the loop's comparison is not known here.
            (first.0 >= 0 && end.0 >= 0).then_some((first.0, end.1))
        }
        "gpu.launch" if (0..12).any(is) => Some((0, i128::from(i32::MAX))),
        _ => None,
    }
}
