//! What "cheapest" means: the cost of a term is the sum of its nodes' costs.

pub mod size;

/// A cost; sums saturate.
pub type Cost = u64;
