//! Prepares launches ahead of the first of a block, so that nothing of the host comes between launches that need not wait for it.
//!
//! ```text
//! call @layout_prepare_launch(…%rooms0…)               call @layout_prepare_launch(…%rooms0…)
//! %maps0 = llvm.load %rooms0                           %maps0 = llvm.load %rooms0
//! gpu.launch_func @first … (%maps0)              ->    call @layout_prepare_launch(…%rooms1…)
//! call @layout_prepare_launch(…%rooms1…)               %maps1 = llvm.load %rooms1
//! %maps1 = llvm.load %rooms1                           gpu.launch_func @first … (%maps0)
//! gpu.launch_func @second … (%maps1)                   gpu.launch_func @second … (%maps1)
//! ```
//!
//! Upstream's `gpu-async-region` puts launches that follow each other on one stream, and lets the host wait for the stream in front of a
//! call. A launch needs addresses and sizes, not the results of those before it.

use super::prepared::PREPARE;
use layout_dialect::{
    buffers::is_part,
    build::{Builder, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use std::{collections::HashSet, ffi::c_void};

/// Operations of the device, which the host need not wait for.
const ON_THE_DEVICE: [&str; 5] =
    ["gpu.launch_func", "gpu.alloc", "gpu.dealloc", "gpu.memcpy", "gpu.memset"];

/// Prepares the launches of each block ahead of the first.
pub(crate) fn prepare_ahead(root: OperationRef<'_, '_>) {
    let mut done = HashSet::new();
    for launch in tree::inside(root, "gpu.launch_func") {
        if let Some(block) = launch.block()
            && done.insert(block.to_raw().ptr)
        {
            prepare_block(&tree::operations(block));
        }
    }
}

/// The launches from one operation on that the host waits for up to the next.
fn prepare_block<'c>(operations: &[OperationRef<'c, 'c>]) {
    let mut first: Option<OperationRef<'c, 'c>> = None;
    // Operations after the first launch that stay, and memory on the stack that these use.
    let mut staying = HashSet::new();
    let mut frees = false;
    for &operation in operations {
        let name = tree::name(operation);
        let Some(launch) = first else {
            first = (name == "gpu.launch_func").then_some(operation);
            continue;
        };
        let is_moved = match name.as_str() {
            // Memory that is free by then is not held twice.
            "gpu.alloc" => !frees && operation.result_count() == 1,
            "func.call" => is_preparation(operation),
            "llvm.load" | "llvm.store" => rooms(operation).next().is_some(),
            _ => is_pure(&name),
        };
        frees |= name == "gpu.dealloc";
        let operands = (0..operation.operand_count()).map(|i| operand(operation, i));
        let definitions: Vec<_> =
            operands.filter_map(tree::definition).map(|made| made.to_raw().ptr).collect();
        if is_moved && !definitions.iter().any(|made| staying.contains(made)) {
            Builder::before(launch).adopt(operation);
            continue;
        }
        staying.insert(operation.to_raw().ptr);
        // Accesses to the same memory on the stack stay after it.
        staying.extend(rooms(operation));
        if !is_moved && !ON_THE_DEVICE.contains(&name.as_str()) {
            // The host waits here.
            (first, frees) = (None, false);
            staying.clear();
        }
    }
}

/// Whether a call prepares a launch, from a constant text and memory that only preparations use.
fn is_preparation(call: OperationRef<'_, '_>) -> bool {
    let callee = call.attribute("callee").map(|callee| callee.to_string());
    let pointers = (0..call.operand_count()).map(|i| operand(call, i));
    let mut pointers = pointers.filter(|value| value.r#type().to_string() == "!llvm.ptr");
    callee.is_ok_and(|callee| callee.trim_start_matches('@') == PREPARE)
        && pointers.all(|pointer| {
            tree::definition(pointer).is_some_and(|made| {
                tree::name(made) == "llvm.mlir.addressof" || is_room(made, call)
            })
        })
}

/// The memory on the stack among an operation's operands that only preparations of its block use.
fn rooms<'c>(operation: OperationRef<'c, 'c>) -> impl Iterator<Item = *mut c_void> {
    let operands = (0..operation.operand_count()).map(move |i| operand(operation, i));
    let rooms = operands.filter_map(tree::definition).filter(move |room| is_room(*room, operation));
    rooms.map(|room| room.to_raw().ptr)
}

/// Whether an operation is memory on the stack that only calls and accesses of one operation's block use.
fn is_room<'c>(room: OperationRef<'c, 'c>, user: OperationRef<'c, 'c>) -> bool {
    tree::name(room) == "llvm.alloca"
        && tree::users(room).all(|own| {
            own.block() == user.block()
                && ["func.call", "llvm.load", "llvm.store"].contains(&tree::name(own).as_str())
        })
}

/// Whether an operation only computes its results.
fn is_pure(name: &str) -> bool {
    const PURE: [&str; 9] = [
        "builtin.unrealized_conversion_cast",
        "llvm.addrspacecast",
        "llvm.extractvalue",
        "llvm.getelementptr",
        "llvm.insertvalue",
        "llvm.inttoptr",
        "llvm.ptrtoint",
        "memref.dim",
        "memref.extract_strided_metadata",
    ];
    PURE.contains(&name)
        || is_part(name)
        || ["arith.", "index.", "llvm.mlir.", "memref.extract_aligned_pointer"]
            .iter()
            .any(|start| name.starts_with(start))
}
