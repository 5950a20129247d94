//! The common parts of `cargo xtask` and `layout-measure`: running programs, where things are, and counting what passed.

pub mod process;
pub mod ptxas;
pub mod pypi;
pub mod report;
pub mod setup;
pub mod workspace;
