//! Whether an address is made of integers that a kernel loads, for the words of a fault.

use layout_dialect::{
    build::{Val, operand},
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, TypeLike, ValueLike, operation::OperationLike,
};
use std::collections::HashSet;

/// Whether an operation at this place in the source accesses memory at an address that a loaded integer is part of.
pub(super) fn are_loaded(kernel: OperationRef<'_, '_>, location: &str) -> bool {
    let here = |operation: &OperationRef<'_, '_>| operation.location().to_string() == location;
    let pointers = tree::all(kernel).into_iter().filter(here).flat_map(|operation| {
        let operands = (0..operation.operand_count()).map(move |at| operand(operation, at));
        operands.filter(|value| value.r#type().to_string().starts_with("!llvm.ptr"))
    });
    is_loaded(pointers.collect())
}

/// Whether one of these values is made of a loaded integer.
fn is_loaded(mut open: Vec<Val<'_>>) -> bool {
    let mut visited = HashSet::new();
    while let Some(value) = open.pop() {
        if !visited.insert(tree::key(value)) {
            continue;
        }
        let around = match tree::definition(value) {
            Some(made) if tree::name(made) == "llvm.load" => {
                if value.r#type().is_integer() {
                    return true;
                }
                continue;
            }
            Some(made) => Some(made),
            // An argument of a block is made of what its loop takes; a function's argument is made of nothing.
            None => tree::owner(value).and_then(|block| block.parent_operation()).map(|around| {
                // SAFETY: what is around a value lives as long as it does.
                unsafe { OperationRef::from_raw(around.to_raw()) }
            }),
        };
        let Some(around) = around.filter(|around| tree::name(*around) != "gpu.func") else {
            continue;
        };
        open.extend((0..around.operand_count()).map(|at| operand(around, at)));
        for region in around.regions() {
            let Some(block) = region.first_block() else { continue };
            // SAFETY: the block is in the region of an operation that lives on.
            let block = unsafe { BlockRef::from_raw(block.to_raw()) };
            if let Some(last) = tree::operations(block).pop() {
                open.extend((0..last.operand_count()).map(|at| operand(last, at)));
            }
        }
    }
    false
}
