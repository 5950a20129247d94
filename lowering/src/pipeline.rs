//! The pipelines from a matmul on views to LLVM's dialect.

use crate::lower::warps;
use layout_dialect::{
    diagnostics,
    passes::{PassOption, PassRun, register_pipeline},
    targets, tree,
};
use melior::ir::{OperationRef, operation::OperationLike};

/// The passes that make a tile program: tile, and find what launches need.
const TILE: &str = "layout-tile-matmul,layout-derive-launch";

/// After it: let loops copy ahead, simplify the terms, evaluate what is left, write out what is done to fragments.
const TO_KERNELS: &str =
    "layout-pipeline-loops,layout-simplify{arithmetic=false},layout-fold,layout-expand-fragments";

/// To kernels without layouts, which wait for their predecessors themselves where something in the module launches them.
const LOWER: &str = "layout-lower,layout-overlap-launches";

/// From what these leave to kernels in LLVM's dialect. Functions of the host that launch them are simplified.
const KERNELS_TO_LLVM: &str =
    "layout-kernels-to-nvvm,func.func(canonicalize,cse),layout-mark-tensor-maps";

/// From what `layout-lower` leaves in a kernel to LLVM's dialect. Its index arithmetic is simplified once
/// folds and common subexpressions have made it what the chip will compute, and takes the 32 bits of a register where its ranges
/// allow it.
const KERNEL_TO_LLVM: &str = "canonicalize,cse,layout-simplify,canonicalize,cse,\
    arith-int-range-narrowing{int-bitwidths-supported=32},canonicalize,cse,\
    convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm,\
    convert-nvvm-to-llvm,reconcile-unrealized-casts,canonicalize,cse";

/// Converts the kernels of each `gpu.module` but those that name targets of others.
pub(crate) fn convert_kernels(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for module in tree::inside(root, "gpu.module") {
        if !targets::is_foreign(module) {
            check_reductions(module)?;
            warps::lower_segments(module).map_err(|(operation, failure)| {
                diagnostics::error(operation, &failure.to_string());
            })?;
            pass.run_pipeline(KERNEL_TO_LLVM, module)?;
            outcome = outcome.and(check_calls(module));
        }
    }
    outcome
}

/// Checks that all threads of a block execute each reduction over a block: upstream lowers no other.
fn check_reductions(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for reduction in tree::inside(module, "gpu.all_reduce") {
        if reduction.attribute("uniform").is_err() {
            let message = "expected 'uniform', which states that all threads of the block execute the reduction, found none";
            diagnostics::error(reduction, message);
            outcome = Err(());
        }
    }
    outcome
}

/// Checks that no kernel calls what upstream takes from CUDA's library of functions, since nothing links that.
fn check_calls(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for call in tree::inside(module, "llvm.call") {
        let callee = call.attribute("callee").map(|callee| callee.to_string()).unwrap_or_default();
        let callee = callee.trim_start_matches('@');
        if callee.starts_with("__nv_") {
            diagnostics::error(
                call,
                &format!(
                    "expected functions that PTX or the lowering of math has, found one that becomes a call of {callee}"
                ),
            );
            outcome = Err(());
        }
    }
    outcome
}

/// From what `layout-serialize` leaves to host functions in LLVM's dialect.
const HOST: &str = "layout-select-host,layout-lower,layout-host-to-llvm";

/// The passes of `layout-to-nvvm`.
pub fn to_nvvm() -> String {
    format!("builtin.module({TILE},{TO_KERNELS},{LOWER},{KERNELS_TO_LLVM})")
}

/// Upstream's passes to `linalg` from other operations on tensors: those of `tosa`, as its own pipeline runs them, and elementwise ones of
/// `arith` and `math`.
const TO_LINALG: &str = "tosa-optional-decompositions,canonicalize,tosa-infer-shapes,tosa-make-broadcastable,\
    tosa-to-linalg-named,canonicalize,tosa-layerwise-constant-fold,tosa-make-broadcastable,tosa-to-linalg,\
    tosa-to-tensor,tosa-to-arith,convert-elementwise-to-linalg";

/// The passes that make a function on tensors one that launches kernels on memory: contractions and what is around them become layout
/// operations, then memory is chosen. Memory that the caller passes is not written. Sizes are not negative, so that much of what
/// frameworks compute and assert of them is known. `options` are those of `layout-from-linalg`.
fn memory(chip: &str, options: &str) -> String {
    format!(
        "inline,layout-check-casts,func.func({TO_LINALG}),layout-inline-sizes,canonicalize,layout-scalarize-counters,layout-numbers-as-tensors,func.func(int-range-optimizations),canonicalize,cse,\
         layout-floats-as-tensors,\
         layout-decompose-extensions,layout-unroll-loops,lower-affine,canonicalize,cse,layout-protect-arguments,layout-propagate{{chip={chip}}},\
         layout-from-linalg{{chip={chip}{options}}},canonicalize,cse,layout-carry-in-place,\
         one-shot-bufferize{{bufferize-function-boundaries \
         function-boundary-type-conversion=identity-layout-map}},canonicalize,cse,lower-affine"
    )
}

fn program(chip: &str) -> String {
    format!("{},{TILE},layout-export-programs", memory(chip, ""))
}

/// The passes that come before all others of a [model](crate::model): then its functions have the arguments that programs have.
#[cfg(feature = "codegen")]
pub(crate) fn to_arguments() -> String {
    format!(
        "builtin.module(inline,layout-check-casts,func.func({TO_LINALG}),layout-numbers-as-tensors)"
    )
}

/// The passes of a [model](crate::model) on this machine's CPU: its functions, on memory, launch kernels that have no parallel parts which wait for
/// each other.
#[cfg(feature = "codegen")]
pub(crate) fn to_memory(chip: &str) -> String {
    format!("builtin.module({})", memory(chip, " warpgroup-attention=false"))
}

/// After them: kernels become loops, and all is code of this machine.
#[cfg(feature = "codegen")]
pub(crate) fn memory_to_llvm() -> String {
    format!(
        "builtin.module({TILE},{TO_KERNELS},layout-check-kernels,layout-serialize,layout-select-host,layout-lower,\
         expand-strided-metadata,lower-affine,layout-host-to-llvm,{REST_TO_LLVM})"
    )
}

/// The passes to loops of `linalg.generic` on tensors.
#[cfg(feature = "codegen")]
pub(crate) const GENERIC_LOOPS: &str = "builtin.module(layout-decompose-extensions,canonicalize,\
    func.func(linalg-generalize-named-ops))";

/// The passes from there to upstream's loops on memory.
#[cfg(feature = "codegen")]
pub(crate) const LOOPS_IN_MEMORY: &str = "builtin.module(func.func(convert-elementwise-to-linalg),canonicalize,layout-protect-arguments,\
    one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map},\
    canonicalize,cse)";

/// Upstream's passes from loops on memory to LLVM's dialect.
#[cfg(feature = "codegen")]
pub(crate) const REST_TO_LLVM: &str = "scf-forall-to-for,func.func(convert-linalg-to-loops),\
    convert-scf-to-cf,memref-expand,expand-strided-metadata,lower-affine,\
    convert-math-to-llvm,convert-math-to-libm,arith-expand{include-bf16=true},convert-arith-to-llvm,convert-index-to-llvm,\
    finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

/// The passes of `layout-compile` for a model: its functions become programs, and its kernels LLVM's dialect.
pub fn to_program(chip: &str) -> String {
    let program = program(chip);
    format!("builtin.module({program},{TO_KERNELS},{LOWER},{KERNELS_TO_LLVM})")
}

/// The passes of `layout-to-host`: the same tile program for one thread of the CPU, if its chip could run it.
pub fn to_host() -> String {
    format!("builtin.module({TILE},{TO_KERNELS},layout-check-kernels,layout-serialize,{HOST})")
}

/// The passes that turn matmuls into tile programs, and derive the launch information of all kernels.
pub fn to_tiles() -> String {
    format!("builtin.module({TILE})")
}

/// The passes from a tile program to the code of a thread on the CPU: those of `layout-to-nvvm` up to `layout-lower`.
pub fn to_threads() -> String {
    format!("builtin.module({TILE},{TO_KERNELS},layout-lower)")
}

pub(crate) fn register() {
    const NO_OPTIONS: &[PassOption] = &[];
    register_pipeline(
        "layout-to-nvvm",
        "Compile matmuls on views and tile programs to GPU kernels in LLVM's dialect",
        NO_OPTIONS,
        |_| Ok(inside(&to_nvvm())),
    );
    register_pipeline(
        "layout-to-host",
        "Compile matmuls on views and tile programs to host functions in LLVM's dialect",
        NO_OPTIONS,
        |_| Ok(inside(&to_host())),
    );
}

/// The passes inside `builtin.module(…)`.
fn inside(pipeline: &str) -> String {
    let passes = pipeline.strip_prefix("builtin.module(").unwrap_or(pipeline);
    passes.strip_suffix(')').unwrap_or(passes).to_owned()
}
