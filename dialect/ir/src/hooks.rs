//! The hooks that the shim calls: each turns raw MLIR into this crate's terms, and no panic leaves.

use crate::{
    TermAttribute, atoms,
    choice::Choice,
    context::context_from_raw,
    datum,
    evaluate::message,
    expand::expand,
    ffi::{self, borrow, lend},
    fold::{self, Folded},
    infer, memref, ranges,
    subject::Subject,
    text::{Cursor, TextError},
    types::check_view,
    verify,
};
use layout_algebra::Term;
use melior::ir::{
    Attribute, AttributeLike, OperationRef, Type, TypeLike, Value, operation::OperationLike,
};
use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirContext, MlirOperation, MlirRewriterBase, MlirStringRef,
    MlirType, MlirValue, mlirAttributeGetContext, mlirRewriterBaseInsert,
    mlirRewriterBaseReplaceOpWithOperation,
};
use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Once,
};

static HOOKS: ffi::Hooks = ffi::Hooks {
    canonicalize,
    check_view: check_view_hook,
    verify: verify_hook,
    infer: infer_hook,
    fold: fold_hook,
    ranges: ranges_hook,
    evaluate,
    expand: expand_hook,
    memref_map,
    memref_shape,
};

/// Installs the hooks, once for the process.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the table lives as long as the process.
        let installed = unsafe { ffi::layoutInstallHooks(ffi::HOOKS_VERSION, &HOOKS) };
        assert!(installed, "the shim was compiled from this crate's own header");
    });
}

/// What is said when a hook panics.
const PANICKED: &str = "internal error: a hook of the layout dialect panicked";

fn guarded<T>(hook: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(hook)).ok()
}

/// An error of the algebra's parser or evaluation, at its place.
fn text_error(error: &layout_algebra::Error) -> TextError {
    TextError { offset: error.offset().unwrap_or(0), message: message(error) }
}

fn canonical(kind: i32, text: &str) -> Result<String, TextError> {
    match kind {
        ffi::TEXT_TERM => {
            Term::parse(text).map(|term| term.to_string()).map_err(|error| text_error(&error))
        }
        ffi::TEXT_LAYOUT => Ok(datum::view_type(text)?.to_string()),
        ffi::TEXT_ATOM => {
            let mut cursor = Cursor::new(text);
            let mut start = cursor.clone();
            match cursor.word().and_then(atoms::lookup) {
                Some(atom) if cursor.at_end() => Ok(atom.name.to_owned()),
                Some(_) => Err(cursor.expected("the end of the atom's name")),
                None => Err(start.expected("the name of an atom")),
            }
        }
        ffi::TEXT_VALUE => Ok(datum::layout_type(text)?.to_string()),
        ffi::TEXT_TUPLE => Ok(datum::tuple_type(text)?.to_string()),
        ffi::TEXT_SCHEDULE => text.parse::<Choice>().map(|choice| choice.to_string()),
        _ => {
            Err(TextError { offset: 0, message: format!("expected a kind of text, found {kind}") })
        }
    }
}

unsafe extern "C" fn canonicalize(
    kind: i32,
    text: MlirStringRef,
    accept: ffi::TextSink,
    reject: ffi::ErrorSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends the text for the length of the call.
    let text = unsafe { borrow(text) };
    let answer = guarded(|| canonical(kind, &text))
        .unwrap_or_else(|| Err(TextError { offset: 0, message: PANICKED.to_owned() }));
    // SAFETY: the sinks take texts for the length of the call.
    unsafe {
        match answer {
            Ok(text) => {
                accept(lend(&text), user);
                true
            }
            Err(error) => {
                reject(error.offset, lend(&error.message), user);
                false
            }
        }
    }
}

unsafe extern "C" fn check_view_hook(
    element: MlirType,
    space: MlirStringRef,
    reject: ffi::TextSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid type and text for the length of the call.
    let (element, space) = unsafe { (Type::from_raw(element), borrow(space)) };
    let answer = guarded(|| check_view(element, &space).map(|_| ()))
        .unwrap_or_else(|| Err(PANICKED.to_owned()));
    refuse(answer.err(), reject, user)
}

unsafe extern "C" fn verify_hook(
    operation: MlirOperation,
    reject: ffi::TextSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid operation for the length of the call.
    let operation = unsafe { OperationRef::from_raw(operation) };
    let violations = guarded(|| verify::verify(&short_name(operation), operation))
        .unwrap_or_else(|| vec![PANICKED.to_owned()]);
    refuse(violations, reject, user)
}

/// Reports messages; true if there are none.
fn refuse(
    messages: impl IntoIterator<Item = String>,
    reject: ffi::TextSink,
    user: *mut c_void,
) -> bool {
    let mut ok = true;
    for message in messages {
        // SAFETY: the sink takes a text for the length of the call.
        unsafe { reject(lend(&message), user) };
        ok = false;
    }
    ok
}

/// The operation's name without its dialect's prefix.
fn short_name(operation: OperationRef<'_, '_>) -> String {
    let name = operation.name();
    let name = name.as_string_ref();
    let name = name.as_str().unwrap_or_default();
    name.strip_prefix("layout.").unwrap_or(name).to_owned()
}

#[allow(clippy::too_many_arguments, reason = "the arguments of MLIR's own interface method")]
unsafe extern "C" fn infer_hook(
    name: MlirStringRef,
    context: MlirContext,
    count: isize,
    operands: *const MlirValue,
    attributes: MlirAttribute,
    add: ffi::TypeSink,
    reject: ffi::TextSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends everything for the length of the call.
    let (context, name, attributes, operands) = unsafe {
        let operands: Vec<Value<'_, '_>> = (0..usize::try_from(count).unwrap_or(0))
            .map(|i| Value::from_raw(*operands.add(i)))
            .collect();
        (context_from_raw(context), borrow(name), Attribute::from_raw(attributes), operands)
    };
    let answer = guarded(|| {
        let subject = Subject::unmade(context, &operands, attributes);
        infer::infer(name.strip_prefix("layout.").unwrap_or(&name), &subject)
            .map_err(|violation| violation.to_string())
    })
    .unwrap_or_else(|| Err(PANICKED.to_owned()));
    match answer {
        Ok(types) => {
            tracing::trace!(operation = %name, ?types, "inferred");
            for r#type in types {
                // SAFETY: the sink takes a valid type.
                unsafe { add(r#type.to_raw(), user) };
            }
            true
        }
        Err(message) => refuse([message], reject, user),
    }
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
        let constants: Vec<Option<Attribute<'_>>> = (0..usize::try_from(count).unwrap_or(0))
            .map(|i| Attribute::from_option_raw(*constants.add(i)))
            .collect();
        (OperationRef::from_raw(operation), constants)
    };
    // A fold that fails in any way leaves the operation as it is.
    let folded = guarded(|| fold::fold(&short_name(operation), operation, &constants)).flatten();
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
    let (operation, operands) = unsafe {
        let operands: Vec<(i64, i64)> = (0..usize::try_from(count).unwrap_or(0))
            .map(|i| (*bounds.add(2 * i), *bounds.add(2 * i + 1)))
            .collect();
        (OperationRef::from_raw(operation), operands)
    };
    let found = guarded(|| ranges::ranges(&short_name(operation), operation, &operands)).flatten();
    for (lo, hi) in found.iter().flatten() {
        // SAFETY: the sink takes two integers.
        unsafe { add(*lo, *hi, user) };
    }
    found.is_some()
}

unsafe extern "C" fn evaluate(term: MlirAttribute) -> MlirAttribute {
    let evaluated = guarded(|| {
        // SAFETY: the shim lends a valid attribute, whose context outlives the call.
        let (attribute, context) = unsafe {
            let attribute = Attribute::from_raw(term);
            let context = context_from_raw(mlirAttributeGetContext(term));
            (attribute, context)
        };
        let Term::Call { op, args } = TermAttribute::try_from(attribute).ok()?.term().ok()? else {
            return None;
        };
        let value = Term::Call { op, args }.eval().ok()?;
        Some(TermAttribute::new(context, &Term::Literal(value)).to_raw())
    });
    evaluated.flatten().unwrap_or(MlirAttribute { ptr: std::ptr::null() })
}

unsafe extern "C" fn expand_hook(operation: MlirOperation, rewriter: MlirRewriterBase) -> bool {
    let expanded = guarded(|| {
        // SAFETY: the shim lends a valid operation, which stands before the rewriter's place, and its
        // rewriter, which owns what is inserted.
        unsafe {
            let operation = OperationRef::from_raw(operation);
            let raw = rewriter.ptr;
            let mut insert = |step: melior::ir::Operation<'_>| {
                let rewriter = MlirRewriterBase { ptr: raw };
                OperationRef::from_raw(mlirRewriterBaseInsert(rewriter, step.into_raw()))
            };
            let last = expand(operation, &mut insert).ok().flatten()?;
            let rewriter = MlirRewriterBase { ptr: raw };
            mlirRewriterBaseReplaceOpWithOperation(rewriter, operation.to_raw(), last.to_raw());
        }
        Some(())
    });
    expanded.flatten().is_some()
}

/// The term of a raw attribute.
///
/// # Safety
///
/// The attribute must be valid.
unsafe fn term_of(raw: MlirAttribute) -> Result<Term, String> {
    // SAFETY: the caller's promise.
    let attribute = TermAttribute::try_from(unsafe { Attribute::from_raw(raw) });
    attribute.map_err(|error| error.to_string())?.term().map_err(|error| message(&error))
}

unsafe extern "C" fn memref_map(
    raw: MlirAttribute,
    map: *mut MlirAffineMap,
    reject: ffi::TextSink,
    user: *mut c_void,
) -> bool {
    let answer = guarded(|| {
        // SAFETY: the shim lends a valid attribute, whose context outlives the call.
        let (term, context) =
            unsafe { (term_of(raw)?, context_from_raw(mlirAttributeGetContext(raw))) };
        Ok(memref::affine_map(context, &memref::layout_of(&term)?))
    });
    match answer.unwrap_or_else(|| Err(PANICKED.to_owned())) {
        Ok(found) => {
            // SAFETY: the shim lends a place for one map.
            unsafe { map.write(found) };
            true
        }
        Err(message) => refuse([message], reject, user),
    }
}

unsafe extern "C" fn memref_shape(
    raw: MlirAttribute,
    rank: isize,
    shape: *const i64,
    reject: ffi::TextSink,
    user: *mut c_void,
) -> bool {
    let answer = guarded(|| {
        // SAFETY: the shim lends a valid attribute, and an extent for each dimension.
        let (term, shape) = unsafe {
            let shape: Vec<Option<i64>> = (0..usize::try_from(rank).unwrap_or(0))
                .map(|i| Some(*shape.add(i)).filter(|extent| *extent >= 0))
                .collect();
            (term_of(raw)?, shape)
        };
        memref::check_shape(&memref::layout_of(&term)?, &shape)
    });
    refuse(answer.unwrap_or_else(|| Err(PANICKED.to_owned())).err(), reject, user)
}
