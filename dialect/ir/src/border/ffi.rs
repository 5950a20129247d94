//! The C border of the shim: mirrors `cpp/Hooks.h`, declaration by declaration.

use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirContext, MlirDialectHandle, MlirDialectRegistry,
    MlirLocation, MlirOperation, MlirPass, MlirRewriterBase, MlirStringRef, MlirType, MlirValue,
};
use std::ffi::{c_char, c_int, c_void};

/// Must equal `LAYOUT_HOOKS_VERSION`.
pub(crate) const HOOKS_VERSION: u32 = 14;

pub(crate) const TEXT_TERM: i32 = 0;
pub(crate) const TEXT_LAYOUT: i32 = 1;
pub(crate) const TEXT_ATOM: i32 = 2;
pub(crate) const TEXT_SCHEDULE: i32 = 3;
pub(crate) const TEXT_VALUE: i32 = 4;
pub(crate) const TEXT_TUPLE: i32 = 5;
pub(crate) const TEXT_RELATION: i32 = 6;
pub(crate) const TEXT_TILED_COPY: i32 = 7;
pub(crate) const TEXT_TILED_MMA: i32 = 8;
pub(crate) const TEXT_THREAD_VALUES: i32 = 9;

pub(crate) const VIEW_ELEMENT: usize = 0;
pub(crate) const VIEW_SPACE: usize = 1;

pub(crate) type TextSink = unsafe extern "C" fn(MlirStringRef, *mut c_void);
/// The value of an attribute or a type; only ever used through a pointer.
#[repr(C)]
pub(crate) struct RawValue {
    _opaque: [u8; 0],
}

/// Receives a value that is lent for the length of the call.
pub(crate) type ValueSink = unsafe extern "C" fn(*const RawValue, *mut c_void);
/// Receives a place in a text, a message, and the notes to it.
pub(crate) type ReportSink =
    unsafe extern "C" fn(usize, MlirStringRef, isize, *const MlirStringRef, *mut c_void);
pub(crate) type TypeSink = unsafe extern "C" fn(MlirType, *mut c_void);
pub(crate) type AttributeSink = unsafe extern "C" fn(MlirAttribute, *mut c_void);

/// Receives the number of an operand.
pub(crate) type PlaceSink = unsafe extern "C" fn(isize, *mut c_void);
/// Receives the least and the greatest value of a result.
pub(crate) type RangeSink = unsafe extern "C" fn(i64, i64, *mut c_void);

#[repr(C)]
pub(crate) struct Hooks {
    pub(crate) read:
        unsafe extern "C" fn(i32, MlirStringRef, ValueSink, ReportSink, *mut c_void) -> bool,
    pub(crate) value_text: unsafe extern "C" fn(*const RawValue) -> MlirStringRef,
    pub(crate) value_hash: unsafe extern "C" fn(*const RawValue) -> usize,
    pub(crate) value_equal: unsafe extern "C" fn(*const RawValue, *const RawValue) -> bool,
    pub(crate) value_retain: unsafe extern "C" fn(*const RawValue),
    pub(crate) value_release: unsafe extern "C" fn(*const RawValue),
    pub(crate) check_view:
        unsafe extern "C" fn(MlirType, MlirStringRef, ReportSink, *mut c_void) -> bool,
    pub(crate) verify: unsafe extern "C" fn(MlirOperation, ReportSink, *mut c_void) -> bool,
    pub(crate) infer: unsafe extern "C" fn(
        MlirStringRef,
        MlirContext,
        isize,
        *const MlirValue,
        MlirAttribute,
        TypeSink,
        ReportSink,
        *mut c_void,
    ) -> bool,
    pub(crate) fold: unsafe extern "C" fn(
        MlirOperation,
        isize,
        *const MlirAttribute,
        AttributeSink,
        PlaceSink,
        *mut c_void,
    ) -> bool,
    pub(crate) ranges:
        unsafe extern "C" fn(MlirOperation, isize, *const i64, RangeSink, *mut c_void) -> bool,
    pub(crate) expand: unsafe extern "C" fn(MlirOperation, MlirRewriterBase) -> bool,
    pub(crate) memref_map:
        unsafe extern "C" fn(MlirAttribute, *mut MlirAffineMap, ReportSink, *mut c_void) -> bool,
    pub(crate) memref_shape:
        unsafe extern "C" fn(MlirAttribute, isize, *const i64, ReportSink, *mut c_void) -> bool,
    pub(crate) nearest:
        unsafe extern "C" fn(MlirStringRef, isize, *const MlirStringRef) -> MlirStringRef,
}

#[repr(C)]
pub(crate) struct PassOption {
    pub(crate) name: MlirStringRef,
    pub(crate) description: MlirStringRef,
    pub(crate) initial: MlirStringRef,
}

#[repr(C)]
pub(crate) struct PassStatistic {
    pub(crate) name: MlirStringRef,
    pub(crate) description: MlirStringRef,
}

/// Passes the types of a value's run-time form to a sink.
pub(crate) type ConvertTypeFn =
    unsafe extern "C" fn(MlirType, TypeSink, *mut c_void, *mut c_void) -> bool;

/// A pass at work; only ever used through a pointer.
#[repr(C)]
pub(crate) struct PassRun {
    _opaque: [u8; 0],
}

#[repr(C)]
pub(crate) struct PassDescriptor {
    pub(crate) name: MlirStringRef,
    pub(crate) description: MlirStringRef,
    pub(crate) root: MlirStringRef,
    pub(crate) option_count: isize,
    pub(crate) options: *const PassOption,
    pub(crate) statistic_count: isize,
    pub(crate) statistics: *const PassStatistic,
    pub(crate) dependent_count: isize,
    pub(crate) dependents: *const MlirDialectHandle,
    pub(crate) run: unsafe extern "C" fn(MlirOperation, *mut PassRun, *mut c_void) -> bool,
    pub(crate) user: *mut c_void,
}

pub(crate) type PipelineBuild = unsafe extern "C" fn(
    isize,
    *const MlirStringRef,
    TextSink,
    TextSink,
    *mut c_void,
    *mut c_void,
) -> bool;

/// `LayoutBufferizeOptions` of the shim.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferizeOptions {
    pub(crate) boundary: i32,
    pub(crate) alignment: u32,
    pub(crate) allow_return_allocs_from_loops: bool,
    pub(crate) allow_unknown_ops: bool,
}

unsafe extern "C" {
    pub(crate) fn layoutInstallHooks(version: u32, hooks: *const Hooks) -> bool;
    pub(crate) fn mlirGetDialectHandle__layout__() -> MlirDialectHandle;

    pub(crate) fn layoutAttributeKind(attribute: MlirAttribute) -> i32;
    pub(crate) fn layoutAttributeText(attribute: MlirAttribute) -> MlirStringRef;
    pub(crate) fn layoutAttributeValue(attribute: MlirAttribute) -> *const RawValue;
    pub(crate) fn layoutAttributeGet(
        context: MlirContext,
        kind: i32,
        value: *const RawValue,
    ) -> MlirAttribute;

    pub(crate) fn layoutTypeIsLayout(r#type: MlirType) -> bool;
    pub(crate) fn layoutLayoutTypeGet(context: MlirContext, value: *const RawValue) -> MlirType;
    pub(crate) fn layoutTypeIsTuple(r#type: MlirType) -> bool;
    pub(crate) fn layoutTupleTypeGet(context: MlirContext, value: *const RawValue) -> MlirType;
    pub(crate) fn layoutTypeIsView(r#type: MlirType) -> bool;
    pub(crate) fn layoutViewTypeGet(
        element: MlirType,
        space: MlirStringRef,
        value: *const RawValue,
    ) -> MlirType;
    pub(crate) fn layoutTypeText(r#type: MlirType) -> MlirStringRef;
    pub(crate) fn layoutTypeValue(r#type: MlirType) -> *const RawValue;
    pub(crate) fn layoutViewTypeElement(r#type: MlirType) -> MlirType;
    pub(crate) fn layoutViewTypeSpace(r#type: MlirType) -> MlirStringRef;

    pub(crate) fn layoutEmit(
        operation: MlirOperation,
        severity: i32,
        message: MlirStringRef,
        noted: MlirOperation,
        note: MlirStringRef,
    );

    pub(crate) fn layoutEmitAt(location: MlirLocation, severity: i32, message: MlirStringRef);

    pub(crate) fn layoutRemarksEnabled(operation: MlirOperation) -> bool;
    pub(crate) fn layoutRemark(
        operation: MlirOperation,
        kind: i32,
        category: MlirStringRef,
        name: MlirStringRef,
        reason: MlirStringRef,
        suggestion: MlirStringRef,
    );

    pub(crate) fn layoutResourceBytes(attribute: MlirAttribute) -> MlirStringRef;
    pub(crate) fn layoutRegisterPass(descriptor: *const PassDescriptor);
    pub(crate) fn layoutCreatePass(
        name: MlirStringRef,
        options: MlirStringRef,
        reject: TextSink,
        user: *mut c_void,
    ) -> MlirPass;
    pub(crate) fn layoutPassOption(run: *const PassRun, index: isize) -> MlirStringRef;
    pub(crate) fn layoutPassCount(run: *mut PassRun, statistic: isize, amount: u64);
    pub(crate) fn layoutPassRunPipeline(
        run: *mut PassRun,
        pipeline: MlirStringRef,
        operation: MlirOperation,
    ) -> bool;
    pub(crate) fn layoutRegisterPipeline(
        name: MlirStringRef,
        description: MlirStringRef,
        option_count: isize,
        options: *const PassOption,
        build: PipelineBuild,
        user: *mut c_void,
    );

    pub(crate) fn layoutConvertStructure(
        function: MlirOperation,
        parts: ConvertTypeFn,
        user: *mut c_void,
    ) -> bool;

    pub(crate) fn layoutInsertTensorCopies(
        module: MlirOperation,
        options: BufferizeOptions,
    ) -> bool;
    pub(crate) fn layoutBufferizeModule(module: MlirOperation, options: BufferizeOptions) -> bool;

    pub(crate) fn layoutRegisterUpstream(registry: MlirDialectRegistry);
    pub(crate) fn layoutRegisterExtensions(registry: MlirDialectRegistry);
    pub(crate) fn layoutRegisterUpstreamPasses();
    pub(crate) fn layoutOptMain(
        argc: c_int,
        argv: *mut *mut c_char,
        tool: MlirStringRef,
        registry: MlirDialectRegistry,
    ) -> c_int;
    pub(crate) fn layoutLspServerMain(
        argc: c_int,
        argv: *mut *mut c_char,
        registry: MlirDialectRegistry,
    ) -> c_int;
}

/// A text to lend to MLIR for the length of a call.
pub(crate) fn lend(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// A text that MLIR lends; bytes that are not UTF-8 are replaced.
///
/// # Safety
///
/// `text` must be valid for the length of the call.
pub(crate) unsafe fn borrow(text: MlirStringRef) -> String {
    if text.data.is_null() || text.length == 0 {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
