//! Pointers to elements that are read in branches, moved out of these.
//!
//! Elements under predicates are read in a branch each. A pointer in each of them is another value to LLVM, whose straight-line strength
//! reduction compares each with all before it, which takes seconds for some hundred of them. Before the branches they are one pointer and
//! constants. LLVM moves what one branch alone uses back into it.
//!
//! Branches that write keep their pointers: LLVM may join those of two groups, and choose between the registers that they store by
//! a pointer, which puts these into local memory.

use layout_dialect::{
    build::{Builder, Val, context_of, operand, result},
    tree,
};
use melior::ir::{OperationRef, RegionLike, Type, ValueLike, operation::OperationLike};

/// Moves pointers to global memory out of the branches of a function that give an element, in the order in which they follow from one another.
pub(super) fn move_out_of_branches(function: OperationRef<'_, '_>) {
    let global = Type::parse(context_of(function), "!llvm.ptr<1>");
    for pointer in tree::inside(function, "llvm.getelementptr") {
        if global.is_none_or(|global| result(pointer, 0).r#type() != global) {
            continue;
        }
        let operands: Vec<Val<'_>> =
            (0..pointer.operand_count()).map(|i| operand(pointer, i)).collect();
        let is_free = |branch: &OperationRef<'_, '_>| {
            tree::name(*branch) == "scf.if"
                && branch.result_count() > 0
                && is_flat(*branch)
                && !operands.iter().any(|&value| tree::is_within(value, *branch))
        };
        if let Some(branch) = tree::ancestors(pointer).next().filter(is_free) {
            let moved = tree::clone_with(&Builder::before(branch), pointer, &operands);
            tree::replace_uses(result(pointer, 0), result(moved, 0));
            tree::erase(pointer);
        }
    }
}

/// Whether no operation in an operation's regions has regions.
fn is_flat(around: OperationRef<'_, '_>) -> bool {
    let blocks = around.regions().filter_map(|region| region.first_block());
    blocks.into_iter().all(|block| {
        tree::operations(block).into_iter().all(|operation| operation.region_count() == 0)
    })
}
