//! Types of numbers by their names, without printing them.

use melior::ir::{Type, TypeLike};
use mlir_sys::{
    MlirType, mlirIntegerTypeGetWidth, mlirIntegerTypeIsSignless, mlirIntegerTypeIsUnsigned,
    mlirTypeIsABF16, mlirTypeIsAF16, mlirTypeIsAF32, mlirTypeIsAF64, mlirTypeIsAFloat8E4M3FN,
    mlirTypeIsAFloat8E5M2, mlirTypeIsAIndex, mlirTypeIsAInteger, mlirTypeIsATF32,
};

/// The name of a type of numbers that kernels have: the text of the type, without printing it, which takes MLIR as long as building
/// an operation.
pub fn scalar_name(r#type: Type<'_>) -> Option<&'static str> {
    type Is = unsafe extern "C" fn(MlirType) -> bool;
    const FLOATS: [(Is, &str); 7] = [
        (mlirTypeIsAF32, "f32"),
        (mlirTypeIsABF16, "bf16"),
        (mlirTypeIsAF16, "f16"),
        (mlirTypeIsAFloat8E4M3FN, "f8E4M3FN"),
        (mlirTypeIsAFloat8E5M2, "f8E5M2"),
        (mlirTypeIsATF32, "tf32"),
        (mlirTypeIsAF64, "f64"),
    ];
    let raw = r#type.to_raw();
    // SAFETY: the type is valid, and an integer where its width and its sign are requested.
    unsafe {
        if mlirTypeIsAIndex(raw) {
            return Some("index");
        }
        if !mlirTypeIsAInteger(raw) {
            return FLOATS.into_iter().find(|(is, _)| is(raw)).map(|(_, name)| name);
        }
        match (mlirIntegerTypeGetWidth(raw), mlirIntegerTypeIsUnsigned(raw)) {
            (2, true) => Some("ui2"),
            (4, true) => Some("ui4"),
            (8, true) => Some("ui8"),
            _ if !mlirIntegerTypeIsSignless(raw) => None,
            (1, _) => Some("i1"),
            (2, _) => Some("i2"),
            (4, _) => Some("i4"),
            (8, _) => Some("i8"),
            (16, _) => Some("i16"),
            (32, _) => Some("i32"),
            (64, _) => Some("i64"),
            _ => None,
        }
    }
}
