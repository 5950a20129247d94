//! Tile schedulers: from the index of a block to the tiles of C that it computes, and to the range of K.
//!
//! Imports the emitter, partitions and stores; knows nothing of pipelines and launches.

pub(crate) mod grouped;
pub(crate) mod raster;
pub(crate) mod split_k;
pub(crate) mod stream_k;
