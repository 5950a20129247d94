//! The common parts of the commands of this repository: running programs, where things are, what a machine needs, and counting what passed.

pub mod process;
pub mod ptxas;
pub mod pypi;
pub mod report;
pub mod setup;
pub mod workspace;
