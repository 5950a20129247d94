//! Lowers values of the dialect that control flow and calls pass on: their run-time form replaces them, by MLIR's own
//! patterns for functions, `scf`, `cf` and `arith.select`.

use crate::border::ffi::{self, layoutConvertStructure};
use melior::ir::{OperationRef, Type};
use mlir_sys::MlirType;
use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The run-time form of a value of a type: one value, several or none, or `None` if it has no such form.
pub type TypeConversion<'p> = dyn Fn(Type<'_>) -> Option<Vec<MlirType>> + 'p;

/// A diagnostic has reported which type has no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unconverted;

/// Converts layouts, tuples and views wherever a function passes them on unchanged.
///
/// Between parts and values are `builtin.unrealized_conversion_cast`s: from a value to its parts,
/// and from parts to a value.
///
/// # Errors
///
/// After a diagnostic, for a type without parts.
pub fn convert(
    function: OperationRef<'_, '_>,
    parts: &TypeConversion<'_>,
) -> Result<(), Unconverted> {
    let mut parts = parts;
    // SAFETY: the function is valid, and what the pointer leads to outlives the call.
    let converted = unsafe {
        layoutConvertStructure(function.to_raw(), hand_parts, (&raw mut parts).cast::<c_void>())
    };
    if converted { Ok(()) } else { Err(Unconverted) }
}

unsafe extern "C" fn hand_parts(
    r#type: MlirType,
    add: ffi::TypeSink,
    sink: *mut c_void,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid type, and returns the pointer of `convert`.
    let (r#type, parts) = unsafe { (Type::from_raw(r#type), &*user.cast::<&TypeConversion<'_>>()) };
    let found = catch_unwind(AssertUnwindSafe(|| parts(r#type))).ok().flatten();
    for part in found.iter().flatten() {
        // SAFETY: the sink takes a valid type.
        unsafe { add(MlirType { ptr: part.ptr }, sink) };
    }
    found.is_some()
}
