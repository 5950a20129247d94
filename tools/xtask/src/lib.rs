//! What `cargo xtask` and `layout-measure` share: running programs, where things are, and counting what passed.

pub mod process;
pub mod ptxas;
pub mod report;
pub mod setup;
pub mod workspace;
