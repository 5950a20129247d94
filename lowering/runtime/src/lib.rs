//! Runs compiled layout kernels: loads PTX and its manifest through the CUDA driver, fills arguments
//! with random data, checks against a float64 reference, times, and compares with cuBLASLt.
//!
//! Links neither LLVM nor CUDA: the driver and cuBLASLt are opened at run time, so that the crate
//! builds and its arithmetic is tested on a machine without a GPU.
//!
//! | module | contents |
//! |---|---|
//! | [`manifest`] | the launch facts that the compiler writes beside PTX, as JSON |
//! | [`instances`] | kernels by the sizes that a launch has |
//! | [`chosen`] | kernels of the sizes that a command line chooses |
//! | [`expression`] | integers of a manifest that depend on sizes known at run time |
//! | [`data`] | random elements, bits of each element type, poison |
//! | [`reference`](mod@reference) | the float64 GEMM on the CPU, and the error between two matrices |
//! | [`driver`] | the CUDA driver: device, buffers, modules, launches, events |
//! | [`launch`] | a kernel and the steps around it, launched as its manifest says |
//! | [`launcher`] | code and manifest as a C file with functions that launch |
//! | [`binding`] | tensors as operands: sizes read off shapes, and layouts checked |
//! | [`executable`] | what a program calls: code and its manifest, launched on its streams; [`ffi`] is its C face |
//! | [`program`] | functions of a model: launches in order, and the plan of their memory |
//! | [`runnable`] | a program on a device: run on a stream, or captured as a CUDA graph |
//! | [`prepared`] | blocks and tensor maps for launches that host code makes itself |
//! | [`pool`] | workspaces: memory in order with a stream |
//! | [`cublas`] | cuBLASLt as the baseline, and how a row-major problem is put to it |
//! | [`epilogue`] | a kernel's epilogue, and its float64 reference |
//! | [`flush`] | emptying the L2 cache before a time is taken |
//! | [`matmul`] | one GEMM: arguments on the device, check, interleaved timing |
//! | [`memory`] | whether the memory of this machine suffices for operands |
//! | [`trial`] | operands of any kernel, and the comparison of its results with a reference function's |
//! | [`library`] | reference functions, from the shared object that the compiler leaves beside PTX |
//! | [`referenced`] | a kernel with a reference: arguments on the device, check, timing beside a device copy |
//! | [`record`] | what was measured, a line of JSON for each kernel |

pub mod binding;
pub mod chosen;
mod configuration;
pub mod cublas;
pub mod data;
pub mod distance;
mod document;
pub mod driver;
pub mod epilogue;
mod error;
pub mod executable;
pub mod expression;
mod family;
#[cfg(feature = "ffi")]
pub mod ffi;
pub mod flush;
mod gemm;
pub mod instances;
mod kept;
pub mod launch;
pub mod launcher;
pub mod library;
pub mod manifest;
pub mod matmul;
mod matrix;
pub mod memory;
pub mod pool;
pub mod prepared;
pub mod program;
pub mod record;
pub mod reference;
pub mod referenced;
pub mod runnable;
mod scalar;
mod template;
mod tensor_map;
pub mod trial;
pub mod window;

pub use error::{Error, Result};
