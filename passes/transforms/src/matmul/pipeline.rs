//! Pipelines: the K loop of a block as operations. [`multistage`] loads ahead in the threads that multiply,
//! [`warp_specialised`] in a warpgroup of its own.
//!
//! Imports mainloops, schedulers and epilogues; knows nothing of normalisation and launches.

pub(crate) mod multistage;
pub(crate) mod warp_specialised;

use crate::matmul::{
    emit::{Emitted, Extents},
    epilogue::fusion::Bound,
    mainloop::{Mainloop, Plan},
};
use layout_dialect::build::{Builder, Val};

/// A GEMM, and its operands in the kernel: A, B and C, and a second B.
pub(crate) struct Gemm<'p, 'f, 'c> {
    pub(crate) plan: &'p Plan,
    pub(crate) operands: [Val<'c>; 3],
    pub(crate) dual: Option<Val<'c>>,
    pub(crate) fused: Option<Bound<'f, 'c>>,
    pub(crate) extents: Extents<'c>,
}

/// Emits the whole program into a kernel's body: GEMMs that have all but their extents in common, and the
/// destination of partial results, if blocks share tiles.
pub(crate) fn emit<'c>(
    builder: Builder<'c>,
    gemms: Vec<Gemm<'_, '_, 'c>>,
    workspace: Option<Val<'c>>,
) -> Emitted<()> {
    match gemms.first().map(|gemm| &gemm.plan.mainloop) {
        None => Ok(()),
        Some(Mainloop::Warps(_)) => multistage::emit(builder, &gemms, workspace),
        Some(Mainloop::Warpgroups(_)) => warp_specialised::emit(builder, gemms, workspace),
    }
}
