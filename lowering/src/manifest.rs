//! What a launch needs to know, read off a kernel.
//!
//! Passes leave these facts in one attribute of the kernel, `layout.kernel`, which survives the
//! conversion to LLVM's dialect. The manifest is that attribute as JSON.

use layout_dialect::tree;
use melior::ir::{
    Attribute, AttributeLike, OperationRef,
    attribute::{DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute, StringAttribute},
    operation::OperationLike,
};
use mlir_sys::{mlirArrayAttrGetElement, mlirArrayAttrGetNumElements};
use serde_json::{Map, Value, json};

/// The attribute of a kernel that holds the facts of its launch.
pub const ATTRIBUTE: &str = "layout.kernel";

/// The version of the manifest's form.
const VERSION: u32 = 1;

/// Why a module has no manifest.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No kernel below the root.
    #[error("expected a kernel with the attribute {ATTRIBUTE}, found none")]
    NoKernel,
    /// An attribute of another kind than a manifest holds.
    #[error("expected integers, texts, arrays and dictionaries in {ATTRIBUTE}, found {0}")]
    Kind(String),
}

/// The manifest of every kernel below `root`, in order.
///
/// # Errors
///
/// No kernel; facts of another form than passes leave.
pub fn of(root: OperationRef<'_, '_>) -> Result<Value, Error> {
    let mut kernels = Vec::new();
    for operation in tree::all(root) {
        let Ok(facts) = operation.attribute(ATTRIBUTE) else { continue };
        let name = operation
            .attribute("sym_name")
            .ok()
            .and_then(|name| StringAttribute::try_from(name).ok())
            .map(|name| name.value().to_owned())
            .unwrap_or_default();
        let Value::Object(facts) = json(facts)? else {
            return Err(Error::Kind(facts.to_string()));
        };
        let mut kernel = Map::new();
        kernel.insert("name".to_owned(), json!(name));
        kernel.extend(facts);
        kernels.push(Value::Object(kernel));
    }
    if kernels.is_empty() {
        return Err(Error::NoKernel);
    }
    Ok(json!({ "version": VERSION, "kernels": kernels }))
}

fn json(attribute: Attribute<'_>) -> Result<Value, Error> {
    let unexpected = || Error::Kind(attribute.to_string());
    if let Ok(text) = StringAttribute::try_from(attribute) {
        return Ok(json!(text.value()));
    }
    if let Ok(integer) = IntegerAttribute::try_from(attribute) {
        return Ok(json!(integer.value()));
    }
    if let Ok(array) = DenseI64ArrayAttribute::try_from(attribute) {
        let values: Result<Vec<i64>, _> = (0..array.len()).map(|i| array.element(i)).collect();
        return Ok(json!(values.map_err(|_| unexpected())?));
    }
    if attribute.is_array() {
        // melior 0.27's `ArrayAttribute::try_from` asks for a dense array of i64, so the C API it is.
        // SAFETY: the kind was asked, and the index is below the count.
        let elements: Vec<Attribute<'_>> = unsafe {
            (0..mlirArrayAttrGetNumElements(attribute.to_raw()))
                .map(|i| Attribute::from_raw(mlirArrayAttrGetElement(attribute.to_raw(), i)))
                .collect()
        };
        return Ok(Value::Array(elements.into_iter().map(json).collect::<Result<_, _>>()?));
    }
    if let Ok(dictionary) = DictionaryAttribute::try_from(attribute) {
        let mut object = Map::new();
        for i in 0..dictionary.len() {
            let (key, value) = dictionary.element(i).map_err(|_| unexpected())?;
            let key = key.as_string_ref().as_str().unwrap_or_default().to_owned();
            object.insert(key, json(value)?);
        }
        return Ok(Value::Object(object));
    }
    Err(unexpected())
}
