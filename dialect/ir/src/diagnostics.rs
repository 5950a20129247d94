//! Diagnostics at operations, as MLIR's own verifiers emit them: `'layout.copy' op expected …`.

pub mod codes;
pub(crate) mod nearest;
pub(crate) mod place;
pub(crate) mod text;
pub(crate) mod violation;

use crate::border::ffi::{layoutEmit, layoutEmitAt, layoutRemark, layoutRemarksEnabled, lend};
use melior::ir::{Location, operation::OperationLike};
use mlir_sys::MlirOperation;

const ERROR: i32 = 0;
const WARNING: i32 = 1;
const REMARK: i32 = 2;

/// Emits an error.
pub fn error<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>, message: &str) {
    emit(operation.to_raw(), ERROR, message, None);
}

/// Emits an error with a note at another operation.
pub fn error_with_note<'c: 'a, 'a, 'd: 'b, 'b>(
    operation: impl OperationLike<'c, 'a>,
    message: &str,
    other: impl OperationLike<'d, 'b>,
    note: &str,
) {
    emit(operation.to_raw(), ERROR, message, Some((other.to_raw(), note)));
}

/// Emits a warning.
pub fn warning<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>, message: &str) {
    emit(operation.to_raw(), WARNING, message, None);
}

/// Emits a remark.
pub fn remark<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>, message: &str) {
    emit(operation.to_raw(), REMARK, message, None);
}

/// Emits an error at an operation's place, of a program that is too long to be shown with it.
pub fn error_in<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>, message: &str) {
    emit_at(operation.location(), ERROR, message);
}

/// Emits a warning, as [`error_in`].
pub fn warning_in<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>, message: &str) {
    emit_at(operation.location(), WARNING, message);
}

/// Emits a remark, as [`error_in`].
pub fn remark_in<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>, message: &str) {
    emit_at(operation.location(), REMARK, message);
}

/// Emits a remark at the place of an operation that is gone.
pub fn remark_at(location: Location<'_>, message: &str) {
    emit_at(location, REMARK, message);
}

fn emit_at(location: Location<'_>, severity: i32, message: &str) {
    // SAFETY: the location is valid, and the text is copied.
    unsafe { layoutEmitAt(location.to_raw(), severity, lend(message)) }
}

/// The topic of an optimisation remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimization {
    /// Something became better.
    Passed,
    /// Something could have become better, as far as the pass knows.
    Missed,
}

/// Whether remarks are shown: one of the options `--remarks-filter…` was given.
pub fn remarks_enabled<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> bool {
    // SAFETY: the operation is valid.
    unsafe { layoutRemarksEnabled(operation.to_raw()) }
}

/// Emits an optimisation remark of the pass `category`, for MLIR's options `--remarks-filter…`.
/// `name` is the kind of remark; an empty `suggestion` is none.
pub fn optimization_remark<'c: 'a, 'a>(
    operation: impl OperationLike<'c, 'a>,
    kind: Optimization,
    category: &'static str,
    name: &'static str,
    reason: &str,
    suggestion: &str,
) {
    // SAFETY: the operation is valid; category and name live as long as the process, and the other
    // texts are copied.
    unsafe {
        layoutRemark(
            operation.to_raw(),
            kind as i32,
            lend(category),
            lend(name),
            lend(reason),
            lend(suggestion),
        );
    }
}

fn emit(
    operation: MlirOperation,
    severity: i32,
    message: &str,
    note: Option<(MlirOperation, &str)>,
) {
    let (noted, note) = note.unwrap_or((MlirOperation { ptr: std::ptr::null_mut() }, ""));
    // SAFETY: the operations are valid, and the texts are copied.
    unsafe { layoutEmit(operation, severity, lend(message), noted, lend(note)) }
}
