//! Pipelines: the K loop of a block as operations. [`multistage`] loads ahead in the threads that multiply,
//! [`warp_specialised`] in a warpgroup of its own.
//!
//! Imports mainloops, schedulers and epilogues; knows nothing of normalisation and launches.

pub(crate) mod multistage;
pub(crate) mod warp_specialised;
