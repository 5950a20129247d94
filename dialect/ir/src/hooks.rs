//! The hooks that the shim calls: each turns raw MLIR into this crate's terms, and no panic leaves.

use crate::{
    TermAttribute, atoms, blame, canonical,
    choice::Choice,
    codes::Code,
    context::context_from_raw,
    datum::{self, Datum},
    expand::expand,
    ffi::{self, borrow, lend},
    fold::{self, Folded},
    infer, memref, nearest, ranges, recent, recovery, relations,
    subject::Subject,
    text::Cursor,
    types::check_view,
    verify,
    violation::{Report, Violation},
};
use layout_algebra::{Term, Value};
use melior::ir::{
    Attribute, AttributeLike, Identifier, OperationRef, Type, TypeLike, Value as Val,
    operation::OperationLike,
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
    expand: expand_hook,
    memref_map,
    memref_shape,
    nearest: nearest_hook,
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

fn panicked() -> Vec<Report> {
    vec![Report { offset: 0, message: PANICKED.to_owned(), notes: Vec::new() }]
}

/// The reports of an answer that is none; a hook that panicked has none either.
fn reports<T>(answer: Option<Result<T, Violation>>) -> Vec<Report> {
    match answer {
        Some(Ok(_)) => Vec::new(),
        Some(Err(violation)) => violation.reports(),
        None => panicked(),
    }
}

fn guarded<T>(hook: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(hook)).ok()
}

/// A text in canonical spelling, and whether it is a plain layout of integers: that has the same
/// spelling as a term, a layout and a view's layout.
fn canonical(kind: i32, text: &str) -> Result<(String, bool), Violation> {
    let is_plain = |datum: &Datum| matches!(datum, Datum::Static(Value::Layout(_)));
    // A name before `<` that is none of the other kinds' is taken for a term's.
    let named = |violation: Violation, names: [&str; 3]| {
        let like = text.split_once('<').and_then(|(word, _)| nearest::name(word, names));
        violation.hint_if(like.map(|name| format!("'{name}<…>' is most like it")))
    };
    let spelled = match kind {
        ffi::TEXT_TERM => {
            let attributes = ["atom", "schedule", "relation"];
            let term = Term::parse(text).map_err(|error| named(error.into(), attributes))?;
            let (spelled, plain) =
                (term.to_string(), matches!(term, Term::Literal(Value::Layout(_))));
            recent::keep(&spelled, term);
            return Ok((spelled, plain));
        }
        ffi::TEXT_LAYOUT => {
            let datum = datum::view_type(text)?;
            return Ok((datum.to_string(), is_plain(&datum)));
        }
        ffi::TEXT_VALUE => {
            let types = ["view", "tuple", "layout"];
            let datum = datum::layout_type(text).map_err(|violation| named(violation, types))?;
            return Ok((datum.to_string(), is_plain(&datum)));
        }
        ffi::TEXT_ATOM => {
            let mut cursor = Cursor::new(text);
            let mut start = cursor.clone();
            let word = cursor.word().unwrap_or("");
            match atoms::lookup(word) {
                Some(atom) if cursor.at_end() => atom.name.to_owned(),
                Some(_) => return Err(cursor.expected("the end of the atom's name").into()),
                None => {
                    let error = start.expected("the name of an atom").coded(Code::Atom);
                    let names = atoms::all().iter().map(|atom| atom.name);
                    return Err(error.like(word, names).into());
                }
            }
        }
        ffi::TEXT_TUPLE => datum::tuple_type(text)?.to_string(),
        ffi::TEXT_RELATION => relations::canonical(text)?,
        ffi::TEXT_SCHEDULE => match Choice::read(text) {
            Ok(choice) => choice.to_string(),
            Err(errors) => {
                Violation::all(errors.into_iter().map(Violation::from))?;
                String::new()
            }
        },
        _ => return Err(Violation::new(Code::Syntax, "a kind of text", kind)),
    };
    Ok((spelled, false))
}

/// How all that is wrong with a text is shown.
fn told(kind: i32, text: &str, violation: Violation) -> Vec<Report> {
    match kind {
        ffi::TEXT_TERM | ffi::TEXT_LAYOUT | ffi::TEXT_VALUE | ffi::TEXT_TUPLE => {
            recovery::reports(text, violation)
        }
        _ => violation.reports_in(text),
    }
}

unsafe extern "C" fn canonicalize(
    kind: i32,
    text: MlirStringRef,
    accept: ffi::SpellingSink,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends the text for the length of the call.
    let text = unsafe { borrow(text) };
    let answer =
        guarded(|| canonical(kind, &text).map_err(|violation| told(kind, &text, violation)))
            .unwrap_or_else(|| Err(panicked()));
    match answer {
        Ok((text, is_plain)) => {
            // SAFETY: the sink takes a text for the length of the call.
            unsafe { accept(lend(&text), is_plain, user) };
            true
        }
        Err(reports) => refuse(&reports, reject, user),
    }
}

unsafe extern "C" fn check_view_hook(
    element: MlirType,
    space: MlirStringRef,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid type and text for the length of the call.
    let (element, space) = unsafe { (Type::from_raw(element), borrow(space)) };
    let answer = guarded(|| match check_view(element, &space) {
        Ok(_) => Vec::new(),
        Err(refused) => {
            let part = |violation: &Violation| match violation.code() {
                Code::ViewSpace => ffi::VIEW_SPACE,
                _ => ffi::VIEW_ELEMENT,
            };
            let parts: Vec<usize> = refused.each().into_iter().map(part).collect();
            let told = refused.reports().into_iter().zip(parts);
            let mut told: Vec<Report> =
                told.map(|(report, offset)| Report { offset, ..report }).collect();
            told.sort_by_key(|report| report.offset);
            told
        }
    });
    refuse(&answer.unwrap_or_else(panicked), reject, user)
}

unsafe extern "C" fn verify_hook(
    operation: MlirOperation,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid operation for the length of the call.
    let operation = unsafe { OperationRef::from_raw(operation) };
    let answer = guarded(|| {
        Violation::all(verify::verify(short_name(&operation.name()), operation))
            .map_err(|violation| blame::settled(&Subject::of(operation), violation))
    });
    refuse(&reports(answer), reject, user)
}

/// Hands reports on; true if there are none.
fn refuse(reports: &[Report], reject: ffi::ReportSink, user: *mut c_void) -> bool {
    for report in reports {
        let notes: Vec<MlirStringRef> = report.notes.iter().map(|note| lend(note)).collect();
        // SAFETY: the sink takes texts for the length of the call.
        unsafe {
            let count = notes.len() as isize;
            reject(report.offset, lend(&report.message), count, notes.as_ptr(), user);
        }
    }
    reports.is_empty()
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
        let operands: Vec<Val<'_, '_>> = (0..usize::try_from(count).unwrap_or(0))
            .map(|i| Val::from_raw(*operands.add(i)))
            .collect();
        (context_from_raw(context), borrow(name), Attribute::from_raw(attributes), operands)
    };
    let answer = guarded(|| {
        let subject = Subject::unmade(context, &operands, attributes);
        infer::infer(name.strip_prefix("layout.").unwrap_or(&name), &subject)
            .map_err(|violation| blame::settled(&subject, violation))
    });
    match answer {
        Some(Ok(types)) => {
            tracing::trace!(operation = %name, ?types, "inferred");
            for r#type in types {
                // SAFETY: the sink takes a valid type.
                unsafe { add(r#type.to_raw(), user) };
            }
            true
        }
        refused => refuse(&reports(refused), reject, user),
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
    let folded =
        guarded(|| fold::fold(short_name(&operation.name()), operation, &constants)).flatten();
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
    let found =
        guarded(|| ranges::ranges(short_name(&operation.name()), operation, &operands)).flatten();
    for (lo, hi) in found.iter().flatten() {
        // SAFETY: the sink takes two integers.
        unsafe { add(*lo, *hi, user) };
    }
    found.is_some()
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
            let last = match expand(operation, &mut insert).ok().flatten() {
                Some(last) => last,
                None => canonical::simplify(operation, &mut insert)?,
            };
            let rewriter = MlirRewriterBase { ptr: raw };
            mlirRewriterBaseReplaceOpWithOperation(rewriter, operation.to_raw(), last.to_raw());
        }
        Some(())
    });
    expanded.flatten().is_some()
}

unsafe extern "C" fn nearest_hook(
    name: MlirStringRef,
    count: isize,
    names: *const MlirStringRef,
) -> MlirStringRef {
    // SAFETY: the shim lends texts; those that are chosen from live as long as their context.
    unsafe {
        let found = borrow(name);
        let raw: Vec<MlirStringRef> =
            (0..usize::try_from(count).unwrap_or(0)).map(|i| *names.add(i)).collect();
        let texts: Vec<String> = raw.iter().map(|name| borrow(*name)).collect();
        let like = guarded(|| nearest::name(&found, texts.iter().map(String::as_str)));
        let place = like.flatten().and_then(|like| texts.iter().position(|name| name == like));
        place.map_or(lend(""), |place| raw[place])
    }
}

/// The term of a raw attribute.
///
/// # Safety
///
/// The attribute must be valid.
unsafe fn term_of(raw: MlirAttribute) -> Result<Term, Violation> {
    // SAFETY: the caller's promise.
    Ok(TermAttribute::try_from(unsafe { Attribute::from_raw(raw) })?.term()?)
}

unsafe extern "C" fn memref_map(
    raw: MlirAttribute,
    map: *mut MlirAffineMap,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    let answer = guarded(|| {
        // SAFETY: the shim lends a valid attribute, whose context outlives the call.
        let (term, context) =
            unsafe { (term_of(raw)?, context_from_raw(mlirAttributeGetContext(raw))) };
        Ok(memref::affine_map(context, &memref::layout_of(&term)?))
    });
    match answer {
        Some(Ok(found)) => {
            // SAFETY: the shim lends a place for one map.
            unsafe { map.write(found) };
            true
        }
        refused => refuse(&reports(refused), reject, user),
    }
}

unsafe extern "C" fn memref_shape(
    raw: MlirAttribute,
    rank: isize,
    shape: *const i64,
    reject: ffi::ReportSink,
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
    refuse(&reports(answer), reject, user)
}
