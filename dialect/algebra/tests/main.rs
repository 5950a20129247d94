//! The tests of the algebra, in one program: it is linked once, and its tests run side by side.
//!
//! `cargo test -p layout-algebra --test all swizzle::` runs those of one file.

mod banks;
mod basis;
mod canonical;
mod composed;
mod coordinates;
mod definitions;
mod derived_facts;
mod differences;
mod errors;
mod exhaustive;
mod functions;
mod functions_of_offsets;
mod fuzzed;
mod linear;
mod linear_swizzle;
mod machine;
mod made_of_others;
mod names;
mod operations;
mod predicate;
mod rank_0;
mod seeds;
#[cfg(feature = "serde")]
mod serialised;
mod spans;
mod spellings;
mod swizzle;
mod swizzle_compositions;
mod swizzle_layouts;
mod symbolic;
mod symbolic_calls;
mod symbolic_exhaustive;
mod symbolic_operations;
mod symbolic_properties;
mod terms;
mod texts;
