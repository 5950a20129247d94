//! Mainloops: which instructions multiply a tile, which copies bring it to shared memory and to registers, and how
//! buffers are laid out. [`warps`] are fed by `cp.async` and multiply with `mma.sync` or FMA, [`warpgroups`] by bulk
//! copies and multiply with `wgmma`.
//!
//! Imports the problem, partitions, tile schedulers and stores; knows nothing of pipelines, normalisation and launches.

pub(crate) mod bulk_copy;
pub(crate) mod register_operand;
pub(crate) mod shared_memory;
pub(crate) mod warpgroups;
pub(crate) mod warps;

use layout_dialect::atoms::{self, Atom};

/// The atom of a name that this pass uses.
pub(crate) fn known(name: &str) -> Result<&'static Atom, String> {
    atoms::lookup(name).ok_or_else(|| format!("expected the atom table to have {name}"))
}
