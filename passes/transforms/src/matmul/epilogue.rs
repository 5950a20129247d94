//! Epilogues: what is done to the accumulators before they are stored ([`fusion`]), how they are stored ([`store`]), and
//! the operations that do so ([`write`]).
//!
//! Imports the emitter, partitions and operands; knows nothing of normalisation, schedulers and launches.

pub(crate) mod fusion;
pub(crate) mod store;
pub(crate) mod write;
