//! Vector accesses, which a GPU requires at multiples of their size.
//!
//! Before a host function is compiled, a call of [`access`] is put in front of each access to a vector, and the access is
//! marked as aligned to one byte: this machine's instructions then take any address.

use crate::budget::loops;
use layout_dialect::{
    build::{Builder, context_of, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike};
use std::{cell::Cell, ffi::c_void};

/// The name by which host functions call [`access`].
pub(super) const NAME: &str = "layout_access";

/// An access at an address that is no multiple of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) address: u64,
    pub(super) bytes: u64,
}

thread_local! {
    /// The first such access since the last question.
    static FIRST: Cell<Option<Access>> = const { Cell::new(None) };
}

/// The first access of this thread at which a GPU would have trapped, since the last query.
pub(super) fn first() -> Option<Access> {
    FIRST.take()
}

/// The function that host functions call before they access several elements at once.
pub(super) extern "C" fn access(pointer: *const c_void, bytes: u64) {
    let address = pointer as u64;
    if bytes != 0 && !address.is_multiple_of(bytes) && FIRST.get().is_none() {
        FIRST.set(Some(Access { address, bytes }));
    }
}

/// Has every access to a vector call [`access`] first.
pub(super) fn vectors(module: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    let mut found = false;
    for operation in tree::all(module) {
        let (pointer, value) = match tree::name(operation).as_str() {
            "llvm.load" => (operand(operation, 0), operation.result(0)?.r#type()),
            "llvm.store" => (operand(operation, 1), operand(operation, 0).r#type()),
            _ => continue,
        };
        let alignment = operation.attribute("alignment").and_then(IntegerAttribute::try_from);
        let Ok(alignment) = alignment else { continue };
        if !value.to_string().starts_with("vector<") || alignment.value() <= 1 {
            continue;
        }
        let b = Builder::before(operation);
        let bytes = loops::constant(&b, 64, alignment.value())?;
        loops::call(&b, NAME, &[pointer, bytes], None)?;
        tree::set_attribute(operation, "alignment", b.i64_attribute(1));
        found = true;
    }
    let Some(body) = tree::entry(module).filter(|_| found) else { return Ok(()) };
    let b = Builder::at_start(context_of(module), module.location(), body);
    loops::declare(&b, &[(NAME, "!llvm.func<void (ptr, i64)>")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_misaligned_access_is_kept() {
        for (address, bytes) in [(32, 16), (40, 8), (40, 16), (36, 8)] {
            access(address as *const c_void, bytes);
        }
        assert_eq!(first(), Some(Access { address: 40, bytes: 16 }));
        assert_eq!(first(), None);
    }
}
