//! Lowers the layout dialect to code: upstream dialects, LLVM IR, PTX, and the host's JIT.
//!
//! | stage | module |
//! |---|---|
//! | layout operations to upstream dialects (`layout-lower`) | [`lower`] |
//! | what a launch of a kernel needs, found from its function (`layout-derive-launch`) | [`derive`](mod@derive) |
//! | what is stated to LLVM about parameters: tensor maps by value, ranges (`layout-mark-tensor-maps`) | [`lower`] |
//! | what a kernel's chip would refuse, before it becomes a host function (`layout-check-kernels`) | [`check`] |
//! | which host functions become LLVM's, and how (`layout-select-host`, `layout-host-to-llvm`) | [`host`] |
//! | host functions as programs that the runtime runs (`layout-unroll-loops`, `layout-protect-arguments`, `layout-export-programs`, `layout-overlap-launches`) | [`programs`] |
//! | the passes from a matmul to LLVM's dialect (`layout-to-nvvm`, `layout-to-host`) | [`pipeline`] |
//! | a `gpu.module` to LLVM IR and PTX | [`nvptx`] |
//! | what a launch needs to know | [`manifest`] |
//! | a host function to machine code, in this process | [`jit`] |
//! | the work of compiled code on this machine, counted and limited | [`budget`] |
//! | a kernel on this machine's CPU, thread by thread, with its races | [`threads`] |
//! | the function that a kernel is compared with, in float64 | [`reference`](mod@reference) |
//! | what the commands that translate share | [`commands`] |
//! | counting what the PTX holds | [`statistics`] |

#[cfg(feature = "codegen")]
pub mod budget;
mod check;
#[cfg(feature = "codegen")]
pub mod commands;
pub mod derive;
mod facts;
mod host;
#[cfg(feature = "codegen")]
pub mod jit;
pub mod lower;
pub mod manifest;
#[cfg(feature = "codegen")]
pub mod model;
mod names;
#[cfg(feature = "codegen")]
pub mod nvptx;
pub mod pipeline;
mod programs;
#[cfg(feature = "codegen")]
pub mod reference;
#[cfg(feature = "codegen")]
pub mod statistics;
#[cfg(feature = "codegen")]
pub mod threads;

use layout_dialect::passes::{Pass, dialects, register_once, register_pass};
use melior::dialect::DialectHandle;
use std::sync::Once;

/// The dialects that layout operations are lowered to.
fn lowered_to() -> [DialectHandle; 7] {
    [
        dialects::arith(),
        dialects::gpu(),
        dialects::llvm(),
        dialects::memref(),
        dialects::nvvm(),
        dialects::scf(),
        dialects::vector(),
    ]
}

/// Registers this crate's passes and pipelines with MLIR, once.
pub fn register_all() {
    static ONCE: Once = Once::new();
    register_once(&ONCE, || {
        register_pass(
            &Pass {
                name: "layout-lower",
                description: "Lower all layout operations to upstream dialects",
                dependents: &lowered_to(),
                options: lower::OPTIONS,
                statistics: lower::STATISTICS,
                ..Pass::default()
            },
            lower::lower,
        );
        register_pass(
            &Pass {
                name: "layout-derive-launch",
                description: "Derive the launch information of each kernel from its function",
                ..Pass::default()
            },
            |operation, _| derive::derive(operation),
        );
        register_pass(
            &Pass {
                name: "layout-kernels-to-nvvm",
                description: "Convert lowered kernels to LLVM's dialect, except those of another target",
                dependents: &[
                    dialects::arith(),
                    dialects::cf(),
                    dialects::func(),
                    dialects::gpu(),
                    dialects::index(),
                    layout_dialect::handle(),
                    dialects::llvm(),
                    dialects::math(),
                    dialects::memref(),
                    dialects::nvgpu(),
                    dialects::nvvm(),
                    dialects::scf(),
                    dialects::vector(),
                ],
                ..Pass::default()
            },
            pipeline::convert_kernels,
        );
        register_pass(
            &Pass {
                name: "layout-mark-tensor-maps",
                description: "Pass the tensor maps of lowered kernels by value, and mark launch bounds, ranges of integers, unrolled loops and convergent operations",
                dependents: &[dialects::llvm(), dialects::nvvm()],
                ..Pass::default()
            },
            |operation, _| lower::mark_parameters(operation),
        );
        register_pass(
            &Pass {
                name: "layout-check-kernels",
                description: "Refuse kernels that cannot be lowered for their chip, and attach tensor maps and bytes of shared memory to the others",
                dependents: &lowered_to(),
                ..Pass::default()
            },
            |operation, _| check::check(operation),
        );
        register_pass(
            &Pass {
                name: "layout-protect-arguments",
                description: "Mark public functions on tensors as programs, and their arguments as read-only, except those with bufferization.writable, so that bufferisation copies an argument instead of writing to it",
                ..Pass::default()
            },
            |operation, _| programs::protect(operation),
        );
        register_pass(
            &Pass {
                name: "layout-numbers-as-tensors",
                description: "Turn scalar arguments of public functions on tensors into tensors of rank 0, since programs pass memory",
                dependents: &[dialects::arith(), dialects::tensor()],
                ..Pass::default()
            },
            |operation, _| programs::numbers::to_tensors(operation),
        );
        register_pass(
            &Pass {
                name: "layout-check-casts",
                description: "Assert the extents that a tensor.cast adds to its source's type, and that those of arguments are equal where an operation iterates over them in one loop; programs check them before they launch",
                dependents: &[dialects::arith(), dialects::cf(), dialects::tensor()],
                ..Pass::default()
            },
            |operation, _| programs::casts::check(operation),
        );
        register_pass(
            &Pass {
                name: "layout-floats-as-tensors",
                description: "Turn floats that host functions on tensors compute into tensors of rank 0, which kernels compute, since programs compute only integers",
                dependents: &[
                    dialects::arith(),
                    dialects::cf(),
                    dialects::linalg(),
                    dialects::tensor(),
                ],
                ..Pass::default()
            },
            |operation, _| programs::floats::to_tensors(operation),
        );
        register_pass(
            &Pass {
                name: "layout-unroll-loops",
                description: "Unroll loops with constant bounds that carry tensors in host functions, so that operations fuse across iterations, after turning parallel loops over tensors (scf.forall) into loops",
                dependents: &[dialects::arith(), dialects::scf(), dialects::tensor()],
                ..Pass::default()
            },
            |operation, _| programs::unroll::unroll(operation),
        );
        register_pass(
            &Pass {
                name: "layout-carry-in-place",
                description: "Make loops and branches of host functions update the tensors that they carry in place, as programs require",
                dependents: &[dialects::arith(), dialects::bufferization(), dialects::tensor()],
                ..Pass::default()
            },
            |operation, _| programs::carry::carry(operation),
        );
        register_pass(
            &Pass {
                name: "layout-export-programs",
                description: "Turn host functions that launch kernels into programs in the manifest",
                ..Pass::default()
            },
            |operation, _| programs::export(operation),
        );
        register_pass(
            &Pass {
                name: "layout-overlap-launches",
                description: "Let the kernels that a program or gpu.launch_func launches overlap by programmatic dependent launch",
                dependents: &[dialects::llvm(), dialects::nvvm()],
                ..Pass::default()
            },
            |operation, _| programs::overlap::overlap(operation),
        );
        register_pass(
            &Pass {
                name: "layout-select-host",
                description: "Mark the host functions of layout programs, their callees and their callers, for layout-host-to-llvm",
                ..Pass::default()
            },
            |operation, _| host::select(operation),
        );
        register_pass(
            &Pass {
                name: "layout-host-to-llvm",
                description: "Convert the host functions that layout-select-host marked to LLVM's dialect, and no others",
                dependents: &[
                    dialects::arith(),
                    dialects::cf(),
                    dialects::func(),
                    dialects::index(),
                    dialects::llvm(),
                    dialects::math(),
                    dialects::memref(),
                    dialects::scf(),
                    dialects::vector(),
                ],
                ..Pass::default()
            },
            host::convert,
        );
        pipeline::register();
    });
}
