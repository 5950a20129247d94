//! `layout-overlap-launches`: the kernels of a program, and those that `gpu.launch_func` launches, wait for their predecessors themselves, so that
//! the runtime launches each while the one before it still runs (CUDA's programmatic dependent launch).
//!
//! ```text
//! gpu.func @scale(%x: !llvm.ptr<1>) kernel             gpu.func @scale(%x: !llvm.ptr<1>) kernel
//!     attributes {layout.kernel = {…}} {                   attributes {layout.kernel = {…, waits = true}} {
//!   %i = gpu.thread_id x                                 %i = gpu.thread_id x
//!   %a = llvm.load %x : !llvm.ptr<1> -> f32       ->     nvvm.griddepcontrol wait
//!                                                        nvvm.griddepcontrol launch_dependents
//!                                                        %a = llvm.load %x : !llvm.ptr<1> -> f32
//! ```
//!
//! The wait is in front of the first operation of the entry block that could reach global memory: barriers in shared memory are made,
//! and tensor maps are fetched, while the kernel before still runs. A kernel ends only after its wait, so that all kernels before the one
//! that a wait is for have ended too. Dependents are launched after the wait: what they read before their own was written by none
//! of the two kernels before them. A kernel of many small blocks does not launch them, which takes time in each block: they start when it ends.
//!
//! A program's launches read `waits` in the manifest. Host code has only the loaded binary, where a global beside each such kernel,
//! `layout_waits_` and its name, says so to `mgpuLaunchKernel` of the runtime library. A library that does not look for it launches in order.
//! Launches on one stream overlap, so the host's code [prepares](ahead) all launches of a block ahead of the first.

use super::PROGRAMS;
use crate::derive::STEP;
use crate::lower::{KERNEL, ahead, function, launch};
use layout_dialect::{
    atoms,
    build::{Builder, context_of, operand},
    targets, tree,
};
use layout_runtime::prepared::WAITING_PREFIX;
use melior::ir::{
    Attribute, Identifier, OperationRef, Region, ValueLike,
    attribute::{BoolAttribute, DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// The entry of a kernel's facts that says so to the runtime.
const WAITS: &str = "waits";

/// The first architecture with programmatic dependent launch.
const FIRST: u32 = 90;

/// Blocks of a kernel that launches its dependents, at most. Matmuls, whose blocks are persistent, do so with any number. On an H200, kernels of 16,384
/// blocks that do so made a decode step of 201 us one of 205.
const BLOCKS: i64 = 512;

const CONTROL: &str = "nvvm.griddepcontrol";

/// Lets the kernels of each `gpu.module` wait that is launched, where its chip can.
pub(crate) fn overlap(root: OperationRef<'_, '_>) -> Result<(), ()> {
    ahead::prepare_ahead(root);
    let has_programs = root.attribute(PROGRAMS).is_ok();
    let launches = tree::inside(root, "gpu.launch_func");
    let launched: Vec<_> =
        launches.into_iter().filter_map(|launch| launch::kernel_of(root, launch)).collect();
    for module in tree::inside(root, "gpu.module") {
        let functions = tree::inside(module, "gpu.func");
        let is_launched = functions.iter().any(|function| launched.contains(function));
        if targets::is_foreign(module) || !(has_programs || is_launched) {
            continue;
        }
        let has = |function: &&OperationRef<'_, '_>, name| function.attribute(name).is_ok();
        let kernels: Vec<_> = functions.iter().filter(|one| has(one, KERNEL)).collect();
        if !kernels.iter().all(|kernel| can_wait(**kernel)) {
            continue;
        }
        let launches = kernels.iter().all(|kernel| launches_dependents(**kernel));
        for function in functions.iter().filter(|one| has(one, KERNEL) || has(one, STEP)) {
            let is_launched = launched.contains(function);
            let outcome = control(*function, launches)
                .and_then(|()| if is_launched { declare(module, *function) } else { Ok(()) });
            if let Err(error) = outcome {
                layout_dialect::diagnostics::error(*function, &error.to_string());
                return Err(());
            }
        }
        for kernel in kernels {
            say(*kernel);
        }
    }
    Ok(())
}

/// Whether a kernel's chip has the instruction.
fn can_wait(kernel: OperationRef<'_, '_>) -> bool {
    let chip = fact(kernel, "chip").and_then(tree::text);
    chip.and_then(|chip| atoms::chip_number(&chip)).is_some_and(|number| number >= FIRST)
}

/// Whether a kernel has few blocks, or computes a matmul.
fn launches_dependents(kernel: OperationRef<'_, '_>) -> bool {
    let blocks = fact(kernel, "grid").and_then(|grid| {
        let one = |size| Some(IntegerAttribute::try_from(size).ok()?.value());
        match DenseI64ArrayAttribute::try_from(grid) {
            Ok(all) => (0..all.len())
                .try_fold(1_i64, |all_so_far, i| all_so_far.checked_mul(all.element(i).ok()?)),
            Err(_) => tree::elements(grid)?
                .into_iter()
                .try_fold(1_i64, |all, size| all.checked_mul(one(size)?)),
        }
    });
    fact(kernel, "problem").is_some() || blocks.is_some_and(|blocks| blocks <= BLOCKS)
}

/// An entry of a kernel's facts.
fn fact<'c>(kernel: OperationRef<'c, 'c>, attribute_name: &str) -> Option<Attribute<'c>> {
    let facts = facts(kernel)?;
    let mut entries = (0..facts.len()).filter_map(|i| facts.element(i).ok());
    entries.find(|(name, _)| name_of(*name) == attribute_name).map(|(_, value)| value)
}

fn facts<'c>(kernel: OperationRef<'c, 'c>) -> Option<DictionaryAttribute<'c>> {
    DictionaryAttribute::try_from(kernel.attribute(KERNEL).ok()?).ok()
}

fn name_of(name: Identifier<'_>) -> String {
    name.as_string_ref().as_str().unwrap_or_default().to_owned()
}

/// Adds to a kernel's facts that it waits.
fn say(kernel: OperationRef<'_, '_>) {
    // SAFETY: the kernel is valid during the pass.
    let kernel = unsafe { OperationRef::from_raw(kernel.to_raw()) };
    let context = context_of(kernel);
    let Some(facts) = facts(kernel) else { return };
    let mut entries: Vec<(Identifier<'_>, Attribute<'_>)> = (0..facts.len())
        .filter_map(|i| facts.element(i).ok())
        .filter(|(name, _)| name_of(*name) != WAITS)
        .collect();
    entries.push((Identifier::new(context, WAITS), BoolAttribute::new(context, true).into()));
    tree::set_attribute(kernel, KERNEL, DictionaryAttribute::new(context, &entries).into());
}

/// Declares the global that says so to the runtime library, once.
fn declare(
    module: OperationRef<'_, '_>,
    function: OperationRef<'_, '_>,
) -> Result<(), melior::Error> {
    let symbol = format!("{WAITING_PREFIX}{}", tree::symbol(function).unwrap_or_default());
    let Some(body) = tree::entry(module).filter(|_| !function::declares(module, &symbol)) else {
        return Ok(());
    };
    let b = Builder::at_start(context_of(function), function.location(), body);
    let parsed = |text: &str| {
        Attribute::parse(context_of(function), text)
            .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))
    };
    let attributes = [
        ("sym_name", b.string(&symbol)),
        ("global_type", parsed("i8")?),
        ("linkage", parsed("#llvm.linkage<external>")?),
        ("addr_space", parsed("1 : i32")?),
        ("constant", Attribute::unit(context_of(function))),
        ("value", parsed("1 : i8")?),
    ];
    b.operation("llvm.mlir.global", &[], &[], &attributes, vec![Region::new()])?;
    Ok(())
}

/// Gives a function the wait, and the launch of its dependents, where it lacks them.
fn control(function: OperationRef<'_, '_>, launches: bool) -> Result<(), melior::Error> {
    let Some(entry) = tree::entry(function) else { return Ok(()) };
    let operations = tree::operations(entry);
    let action = |one: &OperationRef<'_, '_>, action: &str| {
        tree::name(*one) == CONTROL
            && one.attribute("kind").is_ok_and(|kind| kind.to_string().contains(action))
    };
    let add = |before: OperationRef<'_, '_>, action: &str| -> Result<(), melior::Error> {
        let text = format!("#nvvm<grid_dep_action {action}>");
        let kind = Attribute::parse(context_of(before), &text)
            .ok_or(melior::Error::AttributeParse(text))?;
        Builder::before(before).operation(CONTROL, &[], &[], &[("kind", kind)], vec![])?;
        Ok(())
    };
    let first = operations.iter().position(|one| action(one, "wait"));
    let place = first.or_else(|| operations.iter().position(|&one| !avoids_global_memory(one)));
    let Some(&user) = place.and_then(|place| operations.get(place)) else { return Ok(()) };
    if first.is_none() {
        add(user, "wait")?;
    }
    if launches && !operations.iter().any(|one| action(one, "launch_dependents")) {
        let next = if first.is_some() { place.and_then(|at| operations.get(at + 1)) } else { None };
        add(*next.unwrap_or(&user), "launch_dependents")?;
    }
    Ok(())
}

/// Whether an operation, and all in it, cannot reach global memory.
fn avoids_global_memory(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    let local = |place: usize| {
        operation.operand_count() > place
            && matches!(
                operand(operation, place).r#type().to_string().as_str(),
                "!llvm.ptr" | "!llvm.ptr<3>"
            )
    };
    match name.as_str() {
        // A pointer without an address space is that of an alloca: a cast from another space is not among these.
        "llvm.load" => local(0),
        "llvm.store" => local(1),
        "llvm.alloca" | "llvm.getelementptr" => true,
        "scf.if" | "scf.for" => tree::all(operation)
            .into_iter()
            .filter(|one| *one != operation)
            .all(avoids_global_memory),
        "scf.yield" => true,
        "gpu.thread_id" | "gpu.block_id" | "gpu.block_dim" | "gpu.grid_dim" | "gpu.barrier" => true,
        // Tensor maps are parameters, which no kernel writes.
        "nvvm.prefetch" | "nvvm.mbarrier.init" | "nvvm.barrier" | "nvvm.barrier0" => true,
        CONTROL => true,
        _ => {
            ["arith.", "math.", "llvm.mlir.", "nvvm.fence.", "nvvm.cluster.", "nvvm.read.ptx.sreg."]
                .iter()
                .any(|start| name.starts_with(start))
        }
    }
}
