//! Panics stay on this side of the border: one that leaves an `extern "C"` function aborts the host.

use layout_dialect::context::context_from_raw;
use melior::Context;
use mlir_sys::{MlirContext, MlirStringCallback, MlirStringRef, mlirDialectHandleLoadDialect};
use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The result of `body`; `otherwise` when it panics.
pub(crate) fn caught<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// Where a caller takes texts: a callback that may be null, and its data.
#[derive(Clone, Copy)]
pub(crate) struct Sink {
    pub(crate) callback: MlirStringCallback,
    pub(crate) user: *mut c_void,
}

impl Sink {
    /// Passes a text for the length of the call.
    ///
    /// # Safety
    ///
    /// The callback must take the data that it came with.
    pub(crate) unsafe fn send(self, text: &str) {
        if let Some(callback) = self.callback {
            // SAFETY: the caller's promise; the text outlives the call.
            unsafe {
                callback(
                    MlirStringRef { data: text.as_ptr().cast(), length: text.len() },
                    self.user,
                );
            }
        }
    }
}

/// The result of `body`; after an error or a panic, `otherwise`, and `errors` receives the reason.
///
/// # Safety
///
/// As [`Sink::send`].
pub(crate) unsafe fn answered<T>(
    otherwise: T,
    errors: Sink,
    body: impl FnOnce() -> Result<T, String>,
) -> T {
    let panicked = || Err("internal error: a function of the layout library panicked".to_owned());
    match catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| panicked()) {
        Ok(answer) => answer,
        Err(message) => {
            // SAFETY: the caller's promise.
            unsafe { errors.send(&message) };
            otherwise
        }
    }
}

/// Whether `body` has a text, which `values` receives; after an error or a panic, `errors` receives the reason.
///
/// # Safety
///
/// As [`Sink::send`], of both.
pub(crate) unsafe fn sent(
    values: Sink,
    errors: Sink,
    body: impl FnOnce() -> Result<String, String>,
) -> bool {
    // SAFETY: the caller's promises.
    unsafe {
        let text = answered(None, errors, || body().map(Some));
        if let Some(text) = &text {
            values.send(text);
        }
        text.is_some()
    }
}

/// A text of the caller's.
///
/// # Errors
///
/// Bytes that are not UTF-8.
///
/// # Safety
///
/// The text must be valid for `'a`.
pub(crate) unsafe fn text<'a>(raw: MlirStringRef) -> Result<&'a str, String> {
    if raw.data.is_null() || raw.length == 0 {
        return Ok("");
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    std::str::from_utf8(bytes).map_err(|error| {
        format!(
            "expected a text in UTF-8, found byte {:#04x} at {}",
            bytes[error.valid_up_to()],
            error.valid_up_to()
        )
    })
}

/// The caller's context, with the dialect loaded: without it MLIR would abort on our attributes.
///
/// # Safety
///
/// The context must be valid for `'c`.
pub(crate) unsafe fn context<'c>(raw: MlirContext) -> Result<&'c Context, String> {
    if raw.ptr.is_null() {
        return Err("expected a context, found null".to_owned());
    }
    // SAFETY: the caller's promise; the handle is a constant.
    unsafe {
        mlirDialectHandleLoadDialect(layout_dialect::handle().to_raw(), raw);
        Ok(context_from_raw(raw))
    }
}
