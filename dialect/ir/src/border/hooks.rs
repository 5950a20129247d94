//! The common part of the hooks that the shim calls: no panic leaves them, and errors go to C++ as reports.

use crate::border::ffi;
use mlir_sys::MlirStringRef;
use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Once,
};

/// An error as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// Bytes from the start of the text that was read, where one was.
    pub(crate) offset: usize,
    /// One line: the code, and what was expected and found.
    pub(crate) message: String,
    /// The place of the error, and the hint.
    pub(crate) notes: Vec<String>,
}

/// The message when a hook panics.
const PANICKED: &str = "internal error: a hook of the layout dialect panicked";

/// Installs the hooks, once for the process.
pub(crate) fn install(hooks: &'static ffi::Hooks) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: the table lives as long as the process.
        let installed = unsafe { ffi::layoutInstallHooks(ffi::HOOKS_VERSION, hooks) };
        assert!(installed, "the shim was compiled from this crate's own header");
    });
}

/// The answer of a hook, or `None` if it panics.
pub(crate) fn caught<T>(hook: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(hook)).ok()
}

/// The answer of a hook; none after its errors, or the one of a panic, were passed to a sink.
pub(crate) fn answered<T>(
    reject: ffi::ReportSink,
    user: *mut c_void,
    hook: impl FnOnce() -> Result<T, Vec<Report>>,
) -> Option<T> {
    let panicked = || Report { offset: 0, message: PANICKED.to_owned(), notes: Vec::new() };
    let answer = caught(hook).unwrap_or_else(|| Err(vec![panicked()]));
    for report in answer.as_ref().err().into_iter().flatten() {
        let notes: Vec<MlirStringRef> = report.notes.iter().map(|note| ffi::lend(note)).collect();
        let count = notes.len() as isize;
        // SAFETY: the sink takes texts for the length of the call.
        unsafe { reject(report.offset, ffi::lend(&report.message), count, notes.as_ptr(), user) };
    }
    answer.ok()
}

/// Values in a row that C++ lends.
///
/// # Safety
///
/// There are as many, and they stay for `'a`.
pub(crate) unsafe fn lent<'a, T>(first: *const T, count: isize) -> &'a [T] {
    match usize::try_from(count) {
        // SAFETY: the caller's promise.
        Ok(count) if count > 0 => unsafe { std::slice::from_raw_parts(first, count) },
        _ => &[],
    }
}
