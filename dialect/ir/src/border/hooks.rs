//! The hooks that the shim calls: each turns raw MLIR into this crate's terms, and no panic leaves.

use crate::border::{
    context::context_from_raw,
    ffi::{self, RawValue, borrow, lend},
};
use melior::{
    Context,
    ir::{
        Attribute, AttributeLike, Identifier, Operation, OperationRef, Type, TypeLike, Value,
        operation::OperationLike,
    },
};
use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirContext, MlirOperation, MlirRewriterBase, MlirStringRef,
    MlirType, MlirValue, mlirAttributeGetContext, mlirRewriterBaseInsert,
    mlirRewriterBaseReplaceOpWithOperation,
};
use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
};

/// An error as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// Bytes from the start of the text that was read, where one was.
    pub(crate) offset: usize,
    /// One line: the code, and what was expected and found.
    pub(crate) message: String,
    /// Where it is, and what would do.
    pub(crate) notes: Vec<String>,
}

/// The replacement of a result.
pub(crate) enum Folded<'c> {
    /// A constant.
    Constant(Attribute<'c>),
    /// The operand of this number.
    Operand(usize),
}

/// Inserts an operation before the one that is rewritten.
pub(crate) type Insert<'i, 'c> = dyn FnMut(Operation<'c>) -> OperationRef<'c, 'c> + 'i;

/// The hooks that C++ calls. Names of operations are without the dialect's prefix.
pub(crate) trait Behaviour: Sync {
    /// Hands the value of a text of a kind to `accept`, for the length of the call.
    fn read(
        &self,
        kind: i32,
        text: &str,
        accept: &mut dyn FnMut(*const RawValue),
    ) -> Result<(), Vec<Report>>;

    /// The canonical text of a value, which lives as long as the value.
    ///
    /// # Safety
    ///
    /// As of all methods on values: a value is one that [`Behaviour::read`] or the dialect made, of
    /// which a reference is counted.
    unsafe fn value_text(&self, value: *const RawValue) -> MlirStringRef;

    /// Equal values have equal hashes.
    ///
    /// # Safety
    ///
    /// As [`Behaviour::value_text`].
    unsafe fn value_hash(&self, value: *const RawValue) -> usize;

    /// Whether two values of one kind are equal.
    ///
    /// # Safety
    ///
    /// As [`Behaviour::value_text`].
    unsafe fn value_equal(&self, a: *const RawValue, b: *const RawValue) -> bool;

    /// Counts one more reference.
    ///
    /// # Safety
    ///
    /// As [`Behaviour::value_text`].
    unsafe fn value_retain(&self, value: *const RawValue);

    /// Counts one reference less.
    ///
    /// # Safety
    ///
    /// As [`Behaviour::value_text`]; the reference that ends was retained.
    unsafe fn value_release(&self, value: *const RawValue);

    /// The errors of the elements and the space of a view; each offset is a part of its type.
    fn check_view(&self, element: Type<'_>, space: &str) -> Vec<Report>;

    /// The errors of an operation.
    fn verify(&self, name: &str, operation: OperationRef<'_, '_>) -> Vec<Report>;

    /// The result types of an operation.
    fn infer<'c>(
        &self,
        name: &str,
        context: &'c Context,
        operands: &[Value<'c, 'c>],
        attributes: Attribute<'c>,
    ) -> Result<Vec<Type<'c>>, Vec<Report>>;

    /// The folded results of an operation, if it folds.
    fn fold<'c>(
        &self,
        name: &str,
        operation: OperationRef<'c, '_>,
        constants: &[Option<Attribute<'c>>],
    ) -> Option<Vec<Folded<'c>>>;

    /// The least and the greatest value of each result, given those of the operands.
    fn ranges(
        &self,
        name: &str,
        operation: OperationRef<'_, '_>,
        operands: &[(i64, i64)],
    ) -> Option<Vec<(i64, i64)>>;

    /// The last of the operations that take another's place, if any do.
    fn expand<'c>(
        &self,
        operation: OperationRef<'c, 'c>,
        insert: &mut Insert<'_, 'c>,
    ) -> Option<OperationRef<'c, 'c>>;

    /// The affine map of a term as the layout of a memref.
    fn memref_map(
        &self,
        context: &Context,
        term: Attribute<'_>,
    ) -> Result<MlirAffineMap, Vec<Report>>;

    /// The errors of a term as the layout of memrefs of a shape.
    fn memref_shape(&self, term: Attribute<'_>, shape: &[Option<i64>]) -> Vec<Report>;

    /// The place of the name that is most like another.
    fn nearest(&self, name: &str, names: &[String]) -> Option<usize>;
}

static BEHAVIOUR: OnceLock<&'static dyn Behaviour> = OnceLock::new();

static HOOKS: ffi::Hooks = ffi::Hooks {
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
    nearest: nearest_hook,
};

/// Installs the hooks, once for the process.
pub(crate) fn install(behaviour: &'static dyn Behaviour) {
    BEHAVIOUR.get_or_init(|| {
        // SAFETY: the table lives as long as the process.
        let installed = unsafe { ffi::layoutInstallHooks(ffi::HOOKS_VERSION, &HOOKS) };
        assert!(installed, "the shim was compiled from this crate's own header");
        behaviour
    });
}

/// The message when a hook panics.
const PANICKED: &str = "internal error: a hook of the layout dialect panicked";

fn panicked() -> Vec<Report> {
    vec![Report { offset: 0, message: PANICKED.to_owned(), notes: Vec::new() }]
}

/// The dialect's answer; none where it panics, or where no dialect is installed.
fn asked<T>(ask: impl FnOnce(&'static dyn Behaviour) -> T) -> Option<T> {
    let behaviour = *BEHAVIOUR.get()?;
    catch_unwind(AssertUnwindSafe(|| ask(behaviour))).ok()
}

unsafe extern "C" fn read(
    kind: i32,
    text: MlirStringRef,
    accept: ffi::ValueSink,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends the text for the length of the call.
    let text = unsafe { borrow(text) };
    // SAFETY: the sink takes a value for the length of the call.
    let mut accept = |value| unsafe { accept(value, user) };
    match asked(|dialect| dialect.read(kind, &text, &mut accept)) {
        Some(Ok(())) => true,
        Some(Err(reports)) => refuse(&reports, reject, user),
        None => refuse(&panicked(), reject, user),
    }
}

unsafe extern "C" fn value_text(value: *const RawValue) -> MlirStringRef {
    // SAFETY: the shim counts a reference to the value.
    asked(|dialect| unsafe { dialect.value_text(value) }).unwrap_or(lend(""))
}

unsafe extern "C" fn value_hash(value: *const RawValue) -> usize {
    // SAFETY: the shim counts a reference to the value.
    asked(|dialect| unsafe { dialect.value_hash(value) }).unwrap_or_default()
}

unsafe extern "C" fn value_equal(a: *const RawValue, b: *const RawValue) -> bool {
    // SAFETY: the shim counts references to the values.
    asked(|dialect| unsafe { dialect.value_equal(a, b) }).unwrap_or_default()
}

unsafe extern "C" fn value_retain(value: *const RawValue) {
    // SAFETY: whoever lends the value counts a reference to it.
    let _ = asked(|dialect| unsafe { dialect.value_retain(value) });
}

unsafe extern "C" fn value_release(value: *const RawValue) {
    // SAFETY: the shim gives back a reference that it retained.
    let _ = asked(|dialect| unsafe { dialect.value_release(value) });
}

unsafe extern "C" fn check_view_hook(
    element: MlirType,
    space: MlirStringRef,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid type and text for the length of the call.
    let (element, space) = unsafe { (Type::from_raw(element), borrow(space)) };
    let answer = asked(|dialect| dialect.check_view(element, &space));
    refuse(&answer.unwrap_or_else(panicked), reject, user)
}

unsafe extern "C" fn verify_hook(
    operation: MlirOperation,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid operation for the length of the call.
    let operation = unsafe { OperationRef::from_raw(operation) };
    let answer = asked(|dialect| dialect.verify(short_name(&operation.name()), operation));
    refuse(&answer.unwrap_or_else(panicked), reject, user)
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
        let operands: Vec<Value<'_, '_>> = (0..usize::try_from(count).unwrap_or(0))
            .map(|i| Value::from_raw(*operands.add(i)))
            .collect();
        (context_from_raw(context), borrow(name), Attribute::from_raw(attributes), operands)
    };
    let answer = asked(|dialect| {
        let name = name.strip_prefix("layout.").unwrap_or(&name);
        dialect.infer(name, context, &operands, attributes)
    });
    match answer {
        Some(Ok(types)) => {
            tracing::trace!(target: "layout_dialect::hooks", operation = %name, ?types, "inferred");
            for r#type in types {
                // SAFETY: the sink takes a valid type.
                unsafe { add(r#type.to_raw(), user) };
            }
            true
        }
        Some(Err(reports)) => refuse(&reports, reject, user),
        None => refuse(&panicked(), reject, user),
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
        asked(|dialect| dialect.fold(short_name(&operation.name()), operation, &constants))
            .flatten();
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
        asked(|dialect| dialect.ranges(short_name(&operation.name()), operation, &operands))
            .flatten();
    for (lo, hi) in found.iter().flatten() {
        // SAFETY: the sink takes two integers.
        unsafe { add(*lo, *hi, user) };
    }
    found.is_some()
}

unsafe extern "C" fn expand_hook(operation: MlirOperation, rewriter: MlirRewriterBase) -> bool {
    let expanded = asked(|dialect| {
        // SAFETY: the shim lends a valid operation, which stands before the rewriter's place, and its
        // rewriter, which owns what is inserted.
        unsafe {
            let operation = OperationRef::from_raw(operation);
            let raw = rewriter.ptr;
            let mut insert = |step: melior::ir::Operation<'_>| {
                let rewriter = MlirRewriterBase { ptr: raw };
                OperationRef::from_raw(mlirRewriterBaseInsert(rewriter, step.into_raw()))
            };
            let last = dialect.expand(operation, &mut insert)?;
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
        let place = asked(|dialect| dialect.nearest(&found, &texts)).flatten();
        place.and_then(|place| raw.get(place).copied()).unwrap_or(lend(""))
    }
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
    let answer = asked(|dialect| dialect.memref_map(context, term));
    match answer {
        Some(Ok(found)) => {
            // SAFETY: the shim lends a place for one map.
            unsafe { map.write(found) };
            true
        }
        Some(Err(reports)) => refuse(&reports, reject, user),
        None => refuse(&panicked(), reject, user),
    }
}

unsafe extern "C" fn memref_shape(
    raw: MlirAttribute,
    rank: isize,
    shape: *const i64,
    reject: ffi::ReportSink,
    user: *mut c_void,
) -> bool {
    // SAFETY: the shim lends a valid attribute, and an extent for each dimension.
    let (term, shape) = unsafe {
        let shape: Vec<Option<i64>> = (0..usize::try_from(rank).unwrap_or(0))
            .map(|i| Some(*shape.add(i)).filter(|extent| *extent >= 0))
            .collect();
        (Attribute::from_raw(raw), shape)
    };
    let answer = asked(|dialect| dialect.memref_shape(term, &shape));
    refuse(&answer.unwrap_or_else(panicked), reject, user)
}
