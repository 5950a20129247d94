//! Brings matmuls into the form that tiling takes: each function holds matmuls on its arguments alone ([`outline`], [`launches`]),
//! and operands that the mainloop takes as they are or in a relayout copy ([`operands`], [`relayout`]), which the pass
//! `layout-normalise-matmul` writes before the matmul ([`rewrite`]).
//!
//! Imports the problem, what bulk copies take, and elementwise kernels; knows nothing of pipelines.

mod launches;
pub(crate) mod operands;
pub(crate) mod outline;
pub(crate) mod relayout;
pub(crate) mod rewrite;
