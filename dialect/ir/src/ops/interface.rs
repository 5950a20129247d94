//! The hooks that C++ calls: each turns raw MLIR into this crate's terms.

use crate::{
    border::{
        context::context_from_raw,
        ffi::{self, RawValue, borrow, lend},
        hooks::{Report, answered, caught, lent},
    },
    data::{
        attributes::TermAttribute,
        interned::Interned,
        memref::{self, MemrefLayout},
        reading,
        types::check_view,
    },
    diagnostics::{codes::Code, violation::Violation},
    ops::{
        adaptor::Adaptor,
        blame, canonical,
        expand::expand,
        fold::{self, Folded},
        infer, ranges, verify,
    },
};
use melior::ir::{
    Attribute, AttributeLike, Identifier, OperationRef, Type, TypeLike, Value,
    operation::OperationLike,
};
use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirContext, MlirOperation, MlirRewriterBase, MlirStringRef,
    MlirType, MlirValue, mlirAttributeGetContext, mlirRewriterBaseInsert,
    mlirRewriterBaseReplaceOpWithOperation,
};
use std::ffi::c_void;

/// The hooks of the dialect.
pub(crate) static HOOKS: ffi::Hooks = ffi::Hooks {
    read,
    value_text,
    value_hash,
    value_equal,
    value_retain,
    value_release,
    check_view: check_view_hook,
    verify: verify_hook,
    infer: infer_hook,
    fold: fold_hook,
    ranges: ranges_hook,
    expand: expand_hook,
    memref_map,
    memref_shape,
    nearest,
};

/// Operations that had another name before 0.1, and the names that they have now.
const OLD_NAMES: [(&str, &str); 1] = [("layout.iota", "layout.identity_tensor")];

unsafe extern "C" fn read(
    kind: i32,
    text: MlirStringRef,
    accept: ffi::ValueSink,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends the text for the length of the call.
    let text = unsafe { borrow(text) };
    let read = answered(reject, user, || {
        let value = reading::read(kind, &text)
            .map_err(|violation| reading::reported(kind, &text, violation))?;
        // SAFETY: the sink takes a value for the length of the call.
        unsafe { accept(value.lend(), user) };
        Ok(())
    });
    read.is_some()
}

unsafe extern "C" fn value_text(value: *const RawValue) -> MlirStringRef {
    // SAFETY: the shim counts a reference to the value.
    caught(|| lend(unsafe { Interned::borrow(value) }.text())).unwrap_or(lend(""))
}

unsafe extern "C" fn value_hash(value: *const RawValue) -> usize {
    // SAFETY: the shim counts a reference to the value.
    caught(|| unsafe { Interned::borrow(value) }.hash()).unwrap_or_default()
}

unsafe extern "C" fn value_equal(a: *const RawValue, b: *const RawValue) -> bool {
    // SAFETY: the shim counts references to the values.
    caught(|| unsafe { Interned::borrow(a) == Interned::borrow(b) }).unwrap_or_default()
}

unsafe extern "C" fn value_retain(value: *const RawValue) {
    // SAFETY: whoever lends the value counts a reference to it.
    let _ = caught(|| unsafe { Interned::retain(value) });
}

unsafe extern "C" fn value_release(value: *const RawValue) {
    // SAFETY: the shim gives back a reference that it retained.
    let _ = caught(|| unsafe { Interned::release(value) });
}

unsafe extern "C" fn check_view_hook(
    element: MlirType,
    space: MlirStringRef,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid type and text for the length of the call.
    let (element, space) = unsafe { (Type::from_raw(element), borrow(space)) };
    // An error's offset is the part of the type that it is about.
    let part = |violation: &Violation| match violation.code() {
        Code::ViewSpace => ffi::VIEW_SPACE,
        _ => ffi::VIEW_ELEMENT,
    };
    let by_part = |refused: Violation| -> Vec<Report> {
        let parts = refused.each().into_iter().map(part);
        let reports = refused.reports().into_iter().zip(parts);
        let mut reports: Vec<Report> =
            reports.map(|(report, offset)| Report { offset, ..report }).collect();
        reports.sort_by_key(|report| report.offset);
        reports
    };
    answered(reject, user, || check_view(element, &space).map_err(by_part)).is_some()
}

unsafe extern "C" fn verify_hook(
    operation: MlirOperation,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid operation for the length of the call.
    let operation = unsafe { OperationRef::from_raw(operation) };
    let verified = answered(reject, user, || {
        let violations = verify::verify(short_name(&operation.name()), operation);
        Violation::all(violations)
            .map_err(|refused| blame::settled(&Adaptor::of(operation), refused).reports())
    });
    verified.is_some()
}

/// The operation's name without its dialect's prefix.
fn short_name<'i>(name: &'i Identifier<'_>) -> &'i str {
    let name = name.as_string_ref().as_str().unwrap_or_default();
    name.strip_prefix("layout.").unwrap_or(name)
}

#[allow(clippy::too_many_arguments, reason = "the arguments of MLIR's own interface method")]
unsafe extern "C" fn infer_hook(
    name: MlirStringRef,
    context: MlirContext,
    count: isize,
    operands: *const MlirValue,
    attributes: MlirAttribute,
    add: ffi::TypeSink,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends everything for the length of the call.
    let (context, name, attributes, operands) = unsafe {
        let operands = lent(operands, count).iter().map(|&value| Value::from_raw(value));
        let operands: Vec<Value<'_, '_>> = operands.collect();
        (context_from_raw(context), borrow(name), Attribute::from_raw(attributes), operands)
    };
    let types = answered(reject, user, || {
        let adaptor = Adaptor::unmade(context, &operands, attributes);
        infer::infer(name.strip_prefix("layout.").unwrap_or(&name), &adaptor)
            .map_err(|refused| blame::settled(&adaptor, refused).reports())
    });
    if let Some(types) = &types {
        tracing::trace!(target: "layout_dialect::hooks", operation = %name, ?types, "inferred");
    }
    for r#type in types.iter().flatten() {
        // SAFETY: the sink takes a valid type.
        unsafe { add(r#type.to_raw(), user) };
    }
    types.is_some()
}

unsafe extern "C" fn fold_hook(
    operation: MlirOperation,
    count: isize,
    constants: *const MlirAttribute,
    add: ffi::AttributeSink,
    take: ffi::PlaceSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid operation, and an attribute or null for each operand.
    let (operation, constants) = unsafe {
        let constants = lent(constants, count).iter().map(|&raw| Attribute::from_option_raw(raw));
        (OperationRef::from_raw(operation), constants.collect::<Vec<_>>())
    };
    // A fold that fails in any way leaves the operation as it is.
    let folded = caught(|| fold::fold(short_name(&operation.name()), operation, &constants));
    let folded = folded.flatten();
    for folded in folded.iter().flatten() {
        // SAFETY: the sinks take a valid attribute, and the number of an operand.
        unsafe {
            match folded {
                Folded::Constant(attribute) => add(attribute.to_raw(), user),
                Folded::Operand(place) => take(*place as isize, user),
            }
        }
    }
    folded.is_some()
}

unsafe extern "C" fn ranges_hook(
    operation: MlirOperation,
    count: isize,
    bounds: *const i64,
    add: ffi::RangeSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid operation, and two bounds for each operand.
    let (operation, bounds) =
        unsafe { (OperationRef::from_raw(operation), lent(bounds, count.saturating_mul(2))) };
    let operands: Vec<(i64, i64)> = bounds.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let found = caught(|| ranges::ranges(short_name(&operation.name()), operation, &operands));
    let found = found.flatten();
    for (lo, hi) in found.iter().flatten() {
        // SAFETY: the sink takes two integers.
        unsafe { add(*lo, *hi, user) };
    }
    found.is_some()
}

unsafe extern "C" fn expand_hook(operation: MlirOperation, rewriter: MlirRewriterBase) -> bool {
    let expanded = caught(|| {
        // SAFETY: the shim lends a valid operation, which is before the rewriter's place, and its
        // rewriter, which owns what is inserted.
        unsafe {
            let operation = OperationRef::from_raw(operation);
            let insert = &mut |step: melior::ir::Operation<'_>| {
                OperationRef::from_raw(mlirRewriterBaseInsert(rewriter, step.into_raw()))
            };
            let last = match expand(operation, insert).ok().flatten() {
                Some(last) => last,
                None => canonical::simplify(operation, insert)?,
            };
            mlirRewriterBaseReplaceOpWithOperation(rewriter, operation.to_raw(), last.to_raw());
        }
        Some(())
    });
    expanded.flatten().is_some()
}

unsafe extern "C" fn nearest(
    name: MlirStringRef,
    count: isize,
    names: *const MlirStringRef,
) -> MlirStringRef {
    // SAFETY: the shim lends texts; those that are chosen from live as long as their context.
    let (name, raw) = unsafe { (borrow(name), lent(names, count)) };
    let found = caught(|| {
        // SAFETY: as above.
        let names: Vec<String> = raw.iter().map(|name| unsafe { borrow(*name) }).collect();
        let renamed = OLD_NAMES.iter().find(|(old, _)| *old == name).map(|&(_, new)| new);
        let nearest = || layout_algebra::nearest_name(&name, names.iter().map(String::as_str));
        let like = renamed.or_else(nearest)?;
        raw.get(names.iter().position(|name| name == like)?).copied()
    });
    found.flatten().unwrap_or(lend(""))
}

unsafe extern "C" fn memref_map(
    raw: MlirAttribute,
    map: *mut MlirAffineMap,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid attribute, whose context outlives the call.
    let (term, context) =
        unsafe { (Attribute::from_raw(raw), context_from_raw(mlirAttributeGetContext(raw))) };
    let found = answered(reject, user, || {
        let map = memref_layout(term).and_then(|layout| memref::affine_map(context, &layout));
        map.map_err(|refused| refused.reports())
    });
    let Some(found) = found else { return false };
    // SAFETY: the shim lends a place for one map.
    unsafe { map.write(found) };
    true
}

unsafe extern "C" fn memref_shape(
    raw: MlirAttribute,
    rank: isize,
    shape: *const i64,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid attribute, whose context outlives the call, and an extent for each dimension.
    let (term, shape, context) = unsafe {
        let context = context_from_raw(mlirAttributeGetContext(raw));
        (Attribute::from_raw(raw), lent(shape, rank), context)
    };
    let shape: Vec<_> = shape.iter().map(|&extent| Some(extent).filter(|&e| e >= 0)).collect();
    let checked = answered(reject, user, || {
        let checked = memref_layout(term).and_then(|layout| {
            memref::check_shape(&layout, &shape)?;
            memref::affine_map(context, &layout)
        });
        checked.map(|_| ()).map_err(|refused| refused.reports())
    });
    checked.is_some()
}

/// The layout that a term is for a memref.
fn memref_layout(term: Attribute<'_>) -> Result<MemrefLayout, Violation> {
    memref::layout_of(TermAttribute::try_from(term)?.interned())
}
