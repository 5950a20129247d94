//! References to contexts that MLIR owns.
//!
//! melior's `ContextRef::to_ref` reinterprets a reference to the `ContextRef` itself, so what it
//! returns points at wherever that lies: at a temporary on the stack, in its usual form
//! `operation.context().to_ref()`. Here the `ContextRef`s are kept instead.

use melior::{Context, ContextRef};
use mlir_sys::MlirContext;
use std::{cell::RefCell, collections::HashMap};

thread_local! {
    /// One kept reference for each context that the thread has seen. A context's address may be
    /// used again after it dies; the kept reference is the address, so it stays right.
    static KEPT: RefCell<HashMap<usize, &'static ContextRef<'static>>> = RefCell::default();
}

/// The context of a raw one.
///
/// # Safety
///
/// The context must live for `'c`.
pub unsafe fn context_from_raw<'c>(raw: MlirContext) -> &'c Context {
    let kept = KEPT.with_borrow_mut(|kept| {
        *kept.entry(raw.ptr as usize).or_insert_with(|| {
            // SAFETY: a `ContextRef` is only the address.
            Box::leak(Box::new(unsafe { ContextRef::from_raw(raw) }))
        })
    });
    // SAFETY: the `ContextRef` is never freed, and the context lives for `'c`.
    unsafe { kept.to_ref() }
}
