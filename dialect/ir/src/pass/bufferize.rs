//! Upstream's one-shot bufferisation in two steps, where buffers take the layouts of tensors that are encoded by terms.

use crate::border::ffi::{self, layoutBufferizeModule, layoutInsertTensorCopies};
use melior::ir::OperationRef;

/// The layouts of a function's buffers, where tensors have no encoding of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// Arguments of any strides, results as the body makes them.
    #[default]
    Infer,
    /// Rows without gaps.
    Identity,
    /// Any strides and any offset.
    FullyDynamic,
}

/// Options of upstream's pass.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The layouts at boundaries.
    pub boundary: Boundary,
    /// The alignment of new buffers, in bytes.
    pub alignment: u32,
    /// Whether loops may give memory that their bodies allocate.
    pub allow_return_allocs_from_loops: bool,
    /// Whether operations without the interface stay on tensors.
    pub allow_unknown_ops: bool,
}

impl Options {
    fn raw(self) -> ffi::BufferizeOptions {
        ffi::BufferizeOptions {
            boundary: self.boundary as i32,
            alignment: self.alignment,
            allow_return_allocs_from_loops: self.allow_return_allocs_from_loops,
            allow_unknown_ops: self.allow_unknown_ops,
        }
    }
}

/// Inserts the copies of tensors without which buffers could not be shared.
///
/// # Errors
///
/// After a diagnostic of upstream's.
#[allow(clippy::result_unit_err, reason = "what failed has been reported as a diagnostic")]
pub fn insert_copies(module: OperationRef<'_, '_>, options: Options) -> Result<(), ()> {
    // SAFETY: the module is valid.
    let done = unsafe { layoutInsertTensorCopies(module.to_raw(), options.raw()) };
    if done { Ok(()) } else { Err(()) }
}

/// Replaces tensors by buffers. [`insert_copies`] must have run.
///
/// # Errors
///
/// After a diagnostic of upstream's.
#[allow(clippy::result_unit_err, reason = "what failed has been reported as a diagnostic")]
pub fn run(module: OperationRef<'_, '_>, options: Options) -> Result<(), ()> {
    // SAFETY: the module is valid; all terms that encode tensors have been found to be layouts of their shapes.
    let done = unsafe { layoutBufferizeModule(module.to_raw(), options.raw()) };
    if done { Ok(()) } else { Err(()) }
}
