//! Chips, the legal schedules of a matmul on them, and its estimated time with each.
//!
//! | module | what it is |
//! |---|---|
//! | [`chip`] | a chip, as `devices/*.json` describes it |
//! | [`problem`] | what is multiplied, so far as times depend on it |
//! | [`tiling`] | what of a schedule times depend on |
//! | [`piece`] | how much of a tile of C is stored at once |
//! | [`space`] | the schedules that are tried for a problem |
//! | [`model`] | the time of a problem with a schedule: one model for one GEMM, a batch, a group and its copies |
//! | [`copies`] | which operands whose rows TMA cannot take are copied before the kernel |
//! | [`fit`] | the model's constants from times that were measured |
//!
//! It knows no MLIR and no device: the compiler chooses by it, and `layout-run fit` fits it.

pub mod chip;
pub mod copies;
pub mod fit;
pub mod model;
pub mod piece;
pub mod problem;
pub mod space;
pub mod tiling;

pub use chip::{Chip, Constants};
pub use problem::{GemmShape, Operand, Problem};
pub use tiling::Tiling;
