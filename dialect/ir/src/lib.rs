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
//! - [`atoms`] is the table of hardware instructions, [`epilogue`] the program that a matmul applies to its accumulators.
//! - [`passes`] registers passes written in Rust, [`diagnostics`] reports what they refuse.
//! - [`tools`] runs the main functions of MLIR's own tools over a registry.
//!
//! The source is in rooms, and each imports only from those before it: `border`, `diagnostics`, `pass`,
//! `atoms`, `data`, `ops`.
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

pub mod atoms;
mod border;
mod data;
pub mod diagnostics;
pub mod ops;
mod pass;

pub use atoms::{
    choice::Choice,
    schedule::{self, Schedule},
    space::Space,
};
pub use border::{context, scalars::scalar_name};
pub use data::{
    affine,
    attributes::{
        AtomAttribute, RelationAttribute, ScheduleAttribute, TermAttribute, TiledCopyAttribute,
        TiledMmaAttribute,
    },
    buffers, coordinate, evaluate,
    term_value::{self, TermValue},
    types::{self, LayoutType, TupleType, ViewType, element_bytes, is_float},
};
pub use diagnostics::{
    codes::{self, Code},
    text::TextError,
    violation::Violation,
};
pub use ops::{SliceCoord, dynamic, epilogue, expand, fragments, reductions};
pub use pass::{bufferize, build, narrow, passes, structure, targets, tools, tree};

use melior::dialect::{DialectHandle, DialectRegistry};
use mlir_sys::{MlirDialectRegistry, mlirDialectHandleInsertDialect};

/// Adds the dialect to a registry, and the dialects of front ends that the registry does not have: files of torch-mlir and IREE
/// parse then, and `layout-decompose-extensions` rewrites their operations.
pub fn register(registry: &DialectRegistry) {
    // SAFETY: the registry is valid.
    unsafe { register_raw(registry.to_raw()) }
}

/// Like [`register`], for a registry that MLIR owns.
///
/// # Safety
///
/// The registry must be valid.
pub unsafe fn register_raw(registry: MlirDialectRegistry) {
    // SAFETY: the handle is a constant, and the registry is the caller's promise.
    unsafe {
        mlirDialectHandleInsertDialect(handle().to_raw(), registry);
        border::ffi::layoutRegisterExtensions(registry);
    }
}

/// The dialect's handle, for registries, contexts and passes' dependents.
pub fn handle() -> DialectHandle {
    border::hooks::install(&ops::interface::HOOKS);
    // SAFETY: the handle is a constant of the shim's.
    unsafe { DialectHandle::from_raw(border::ffi::mlirGetDialectHandle__layout__()) }
}
