//! The `layout` dialect for MLIR: attributes, types and operations over [`layout_algebra`].
//!
//! The operations are defined in `ods/`; `build.rs` makes C++ classes from them and compiles them
//! with the small shim in `cpp/`. C++ decides nothing about layouts: parsing, printing, inference,
//! verification and folding are hooks that this crate installs.
//!
//! - [`register`] adds the dialect to a registry.
//! - [`TermAttribute`], [`AtomAttribute`], [`ScheduleAttribute`], [`LayoutType`] and [`ViewType`]
//!   wrap the dialect's attributes and types.
//! - [`ops`] builds and reads operations, [`build`] emits them from passes.
//! - [`atoms`] is the table of hardware instructions, [`epilogue`] what a matmul does to its sums.
//! - [`passes`] registers passes written in Rust, [`diagnostics`] reports what they refuse.
//! - [`tools`] runs the main functions of MLIR's own tools over a registry.
//!
//! ```
//! use layout_dialect::{LayoutType, TermAttribute};
//! use melior::{Context, dialect::DialectRegistry, ir::Attribute};
//!
//! let registry = DialectRegistry::new();
//! layout_dialect::register(&registry);
//! let context = Context::new();
//! context.append_dialect_registry(&registry);
//! context.load_all_available_dialects();
//!
//! let attribute = Attribute::parse(&context, "#layout<coalesce((2,(1,6)):(1,(6,2)))>");
//! let term = TermAttribute::try_from(attribute.expect("it parses"))?.term()?;
//! assert_eq!(term.eval()?.to_string(), "12:1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arithmetic;
pub mod atoms;
mod attributes;
mod blame;
pub mod buffers;
pub mod build;
mod calls;
mod canonical;
pub mod choice;
pub mod codes;
mod compare;
mod construct;
pub mod context;
pub mod coordinate;
pub mod datum;
pub mod diagnostics;
pub mod dynamic;
pub mod epilogue;
pub mod evaluate;
pub mod expand;
mod ffi;
mod fold;
mod hooks;
mod infer;
mod memref;
pub mod narrow;
mod nearest;
mod offsets;
pub mod ops;
mod parts;
pub mod passes;
mod place;
mod ranges;
mod recent;
mod recovery;
mod relations;
pub mod schedule;
pub mod structure;
mod subject;
pub mod targets;
mod text;
pub mod tools;
pub mod tree;
mod tuples;
pub mod types;
mod verify;
mod views;
mod violation;

pub use attributes::{AtomAttribute, RelationAttribute, ScheduleAttribute, TermAttribute};
pub use choice::Choice;
pub use codes::Code;
pub use datum::{Datum, Violation};
pub use ops::SliceCoord;
pub use schedule::Schedule;
pub use text::TextError;
pub use types::{LayoutType, Space, TupleType, ViewType, element_bytes, is_float};

use melior::dialect::{DialectHandle, DialectRegistry};

/// Adds the dialect to a registry.
pub fn register(registry: &DialectRegistry) {
    handle().insert_dialect(registry);
}

/// The dialect's handle, for registries, contexts and passes' dependents.
pub fn handle() -> DialectHandle {
    hooks::install();
    // SAFETY: the handle is a constant of the shim's.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__layout__()) }
}
