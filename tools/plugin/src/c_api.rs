//! The functions of `include/layout-c/Layout.h`, which documents them; change both together.
//!
//! Nothing here decides anything about layouts. A function that can fail takes a callback for the
//! message; its answer is then null or false. Null attributes and types are of no kind of ours.

/// A C function from a text in a context to an attribute or a type; null, and the reason to the callback, where the
/// text makes none.
macro_rules! of_text {
    ($(#[$documentation:meta])* $get:ident -> $raw:ident, |$context:ident, $text:ident| $made:expr) => {
        $(#[$documentation])*
        ///
        /// # Safety
        ///
        /// The context and the text must be valid, and the callback must accept its data.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            context_: MlirContext,
            text_: MlirStringRef,
            on_error: MlirStringCallback,
            user_data: *mut c_void,
        ) -> $raw {
            let errors = Sink { callback: on_error, user: user_data };
            // SAFETY: the caller's promises.
            unsafe {
                answered($raw { ptr: ptr::null() }, errors, || {
                    let ($context, $text) = (context(context_)?, text(text_)?);
                    Ok($made.to_raw())
                })
            }
        }
    };
}

pub mod attributes;

use crate::catch::{Sink, answered, caught, context, sent, text};
use layout_algebra::{Term, Value};
use layout_dialect::{
    LayoutType, TermAttribute, TermValue, TupleType, ViewType, Violation,
    passes::create_pass,
    term_value::{layout_type, tuple_type, view_type},
    types::check_view,
};
use layout_lowering::manifest;
use melior::ir::{Attribute, AttributeLike, OperationRef, Type, TypeLike};
use mlir_sys::{
    MlirAttribute, MlirContext, MlirDialectHandle, MlirDialectRegistry, MlirOperation, MlirPass,
    MlirStringCallback, MlirStringRef, MlirType, mlirAttributeGetContext, mlirTypeGetContext,
};
use std::{ffi::c_void, ptr};

const NO_ATTRIBUTE: MlirAttribute = MlirAttribute { ptr: ptr::null() };
const NO_TYPE: MlirType = MlirType { ptr: ptr::null() };
const NO_TEXT: MlirStringRef = MlirStringRef { data: ptr::null(), length: 0 };

/// The dialect's handle, for MLIR's functions on handles.
#[unsafe(no_mangle)]
pub extern "C" fn layoutGetDialectHandle() -> MlirDialectHandle {
    caught(MlirDialectHandle { ptr: ptr::null() }, || layout_dialect::handle().to_raw())
}

/// Adds the dialect to a registry.
///
/// # Safety
///
/// The registry must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutRegisterDialect(registry: MlirDialectRegistry) {
    // SAFETY: the caller's promise.
    caught((), || unsafe { crate::insert_dialect(registry) });
}

/// Registers every pass and pipeline with MLIR's global registry; further calls do nothing.
#[unsafe(no_mangle)]
pub extern "C" fn layoutRegisterPasses() {
    caught((), crate::register_all_passes);
}

/// A new pass, owned by the caller.
///
/// # Safety
///
/// The texts must be valid, and the callback must accept its data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutPassCreate(
    name: MlirStringRef,
    options: MlirStringRef,
    on_error: MlirStringCallback,
    user_data: *mut c_void,
) -> MlirPass {
    let errors = Sink { callback: on_error, user: user_data };
    // SAFETY: the caller's promises.
    unsafe {
        answered(MlirPass { ptr: ptr::null_mut() }, errors, || {
            crate::register_all_passes();
            create_pass(text(name)?, text(options)?)
        })
    }
}

/// Evaluates an expression and passes its value to a callback.
///
/// # Safety
///
/// The text must be valid, and the callbacks must take their data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutEvaluate(
    expression: MlirStringRef,
    on_value: MlirStringCallback,
    on_error: MlirStringCallback,
    user_data: *mut c_void,
) -> bool {
    let [values, errors] = [on_value, on_error].map(|callback| Sink { callback, user: user_data });
    // SAFETY: the caller's promises.
    unsafe {
        sent(values, errors, || {
            let value = Term::parse(text(expression)?).and_then(|term| term.eval());
            value.map(|value| value.to_string()).map_err(|error| error.to_string())
        })
    }
}

/// Passes the manifest of the kernels and programs below an operation to a callback.
///
/// # Safety
///
/// The operation must be valid or null, and the callbacks must take their data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutGetManifest(
    operation: MlirOperation,
    on_value: MlirStringCallback,
    on_error: MlirStringCallback,
    user_data: *mut c_void,
) -> bool {
    let [values, errors] = [on_value, on_error].map(|callback| Sink { callback, user: user_data });
    // SAFETY: the caller's promises.
    unsafe {
        sent(values, errors, || {
            if operation.ptr.is_null() {
                return Err("expected an operation, found null".to_owned());
            }
            let manifest = manifest::of(OperationRef::from_raw(operation));
            let manifest = manifest.map_err(|error| error.to_string())?;
            serde_json::to_string(&manifest).map_err(|error| error.to_string())
        })
    }
}

of_text! {
    /// `#layout<text>`.
    layoutAttrGet -> MlirAttribute, |context, text| {
        TermAttribute::new(context, &Term::parse(text).map_err(|error| error.to_string())?)
    }
}

/// Whether an attribute is a term.
///
/// # Safety
///
/// The attribute must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutAttrIsATerm(attribute: MlirAttribute) -> bool {
    // SAFETY: the caller's promise.
    caught(false, || unsafe { term_attribute(attribute) }.is_ok())
}

/// The text of an attribute of the dialect, owned by the context; empty for others.
///
/// # Safety
///
/// The attribute must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutAttrGetText(attribute: MlirAttribute) -> MlirStringRef {
    caught(NO_TEXT, || {
        // SAFETY: the caller's promise.
        let attribute = unsafe { Attribute::from_option_raw(attribute) };
        attribute.and_then(attributes::text_of).unwrap_or(NO_TEXT)
    })
}

/// The term's value, as a term.
///
/// # Safety
///
/// The attribute must be valid or null, and the callback must accept its data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutAttrEvaluate(
    attribute: MlirAttribute,
    on_error: MlirStringCallback,
    user_data: *mut c_void,
) -> MlirAttribute {
    let errors = Sink { callback: on_error, user: user_data };
    // SAFETY: the caller's promises.
    unsafe {
        answered(NO_ATTRIBUTE, errors, || {
            let value = value_of(term_attribute(attribute)?)?;
            let context = context(mlirAttributeGetContext(attribute))?;
            Ok(TermAttribute::new(context, &Term::Literal(value)).to_raw())
        })
    }
}

/// The integer that a term evaluates to.
///
/// # Safety
///
/// The attribute must be valid or null, `value` must be valid for a write, and the callback must
/// take its data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutAttrGetInteger(
    attribute: MlirAttribute,
    value: *mut i64,
    on_error: MlirStringCallback,
    user_data: *mut c_void,
) -> bool {
    let errors = Sink { callback: on_error, user: user_data };
    // SAFETY: the caller's promises.
    unsafe {
        answered(false, errors, || match value_of(term_attribute(attribute)?)? {
            Value::Int(integer) => {
                value.write(integer);
                Ok(true)
            }
            other => Err(format!("expected an integer, found {other}")),
        })
    }
}

of_text! {
    /// `!layout<text>`.
    layoutTypeGet -> MlirType, |context, text| {
        LayoutType::of(context, &read(text, layout_type)?).map_err(|error| error.to_string())?
    }
}

/// Whether a type is a layout.
///
/// # Safety
///
/// The type must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutTypeIsALayout(r#type: MlirType) -> bool {
    // SAFETY: the caller's promise.
    caught(false, || unsafe { known(r#type) }.is_some_and(|t| LayoutType::try_from(t).is_ok()))
}

/// The layout of a layout type or of a view type, or the tuple of a tuple type, owned by the context; empty for other types.
///
/// # Safety
///
/// The type must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutTypeGetText(r#type: MlirType) -> MlirStringRef {
    caught(NO_TEXT, || {
        // SAFETY: the caller's promise.
        let Some(known) = (unsafe { known(r#type) }) else { return NO_TEXT };
        let text = LayoutType::from_type(known).map(|layout| layout.text_ref());
        let text = text.or_else(|| ViewType::from_type(known).map(|view| view.text_ref()));
        let text = text.or_else(|| TupleType::from_type(known).map(|tuple| tuple.text_ref()));
        text.map_or(NO_TEXT, |text| text.to_raw())
    })
}

of_text! {
    /// `!layout.tuple<text>`.
    layoutTupleGet -> MlirType, |context, text| {
        TupleType::of(context, &read(text, tuple_type)?).map_err(|error| error.to_string())?
    }
}

/// Whether a type is a tuple.
///
/// # Safety
///
/// The type must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutTypeIsATuple(r#type: MlirType) -> bool {
    // SAFETY: the caller's promise.
    caught(false, || unsafe { known(r#type) }.is_some_and(|t| TupleType::from_type(t).is_some()))
}

/// The layout or the tuple of a text; an error of its syntax has its place.
fn read(text: &str, of: fn(&str) -> Result<TermValue, Violation>) -> Result<TermValue, String> {
    if !text.contains('?') {
        Term::parse(text).map_err(|error| error.to_string())?;
    }
    of(text).map_err(|error| error.to_string())
}

/// `!layout.view<element, space, text>`.
///
/// # Safety
///
/// The type and the texts must be valid, and the callback must accept its data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutViewGet(
    element: MlirType,
    space: MlirStringRef,
    text_: MlirStringRef,
    on_error: MlirStringCallback,
    user_data: *mut c_void,
) -> MlirType {
    let errors = Sink { callback: on_error, user: user_data };
    // SAFETY: the caller's promises.
    unsafe {
        answered(NO_TYPE, errors, || {
            let element = known(element).ok_or("expected an element type, found null")?;
            context(mlirTypeGetContext(element.to_raw()))?;
            let space = check_view(element, text(space)?).map_err(|error| error.to_string())?;
            let layout = read(text(text_)?, view_type)?;
            let r#type =
                ViewType::of(element, space, &layout).map_err(|error| error.to_string())?;
            Ok(r#type.to_raw())
        })
    }
}

/// Whether a type is a view.
///
/// # Safety
///
/// The type must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutTypeIsAView(r#type: MlirType) -> bool {
    // SAFETY: the caller's promise.
    caught(false, || unsafe { view(r#type) }.is_some())
}

/// The type of a view's elements; null for other types.
///
/// # Safety
///
/// The type must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutViewGetElementType(r#type: MlirType) -> MlirType {
    // SAFETY: the caller's promise.
    caught(NO_TYPE, || unsafe { view(r#type) }.map_or(NO_TYPE, |v| v.element_type().to_raw()))
}

/// The name of a view's space, owned by the context; empty for other types.
///
/// # Safety
///
/// The type must be valid or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layoutViewGetSpace(r#type: MlirType) -> MlirStringRef {
    // SAFETY: the caller's promise.
    caught(NO_TEXT, || unsafe { view(r#type) }.map_or(NO_TEXT, |v| v.space_ref().to_raw()))
}

/// # Safety
///
/// The attribute must be valid or null.
unsafe fn term_attribute<'c>(raw: MlirAttribute) -> Result<TermAttribute<'c>, String> {
    // SAFETY: the caller's promise.
    let attribute = unsafe { Attribute::from_option_raw(raw) };
    let attribute = attribute.ok_or("expected a layout term, found null")?;
    TermAttribute::try_from(attribute)
        .map_err(|_| format!("expected a layout term, found {attribute}"))
}

fn value_of(attribute: TermAttribute<'_>) -> Result<Value, String> {
    attribute.term().and_then(|term| term.eval()).map_err(|error| error.to_string())
}

/// # Safety
///
/// The type must be valid or null.
unsafe fn known<'c>(raw: MlirType) -> Option<Type<'c>> {
    // SAFETY: the caller's promise.
    (!raw.ptr.is_null()).then(|| unsafe { Type::from_raw(raw) })
}

/// # Safety
///
/// The type must be valid or null.
unsafe fn view<'c>(raw: MlirType) -> Option<ViewType<'c>> {
    // SAFETY: the caller's promise.
    unsafe { known(raw) }.and_then(|known| ViewType::try_from(known).ok())
}
