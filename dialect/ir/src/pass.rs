//! The infrastructure of passes: operations as a tree, builders, the registry, pipelines and main functions. Nothing
//! here but `bufferize` depends on layouts.

pub mod bufferize;
pub mod build;
pub mod narrow;
pub mod passes;
pub mod structure;
pub mod targets;
pub mod tools;
pub mod tree;
