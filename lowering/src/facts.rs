//! Attributes that hold facts, such as those of a kernel's launch, as JSON.

use layout_dialect::tree;
use melior::ir::{
    Attribute, AttributeLike,
    attribute::{DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute},
};
use serde_json::{Map, Value, json};

/// Integers, texts, arrays and dictionaries as JSON.
///
/// # Errors
///
/// The text of an attribute of another kind.
pub(crate) fn json(attribute: Attribute<'_>) -> Result<Value, String> {
    let unexpected = || attribute.to_string();
    if let Some(text) = tree::text(attribute) {
        return Ok(json!(text));
    }
    if let Ok(integer) = IntegerAttribute::try_from(attribute) {
        let value = integer.value();
        // true and false are integers of one bit.
        let says = attribute.r#type().to_string() == "i1";
        return Ok(if says { json!(value != 0) } else { json!(value) });
    }
    if let Ok(array) = DenseI64ArrayAttribute::try_from(attribute) {
        let values: Result<Vec<i64>, _> = (0..array.len()).map(|i| array.element(i)).collect();
        return Ok(json!(values.map_err(|_| unexpected())?));
    }
    if let Some(elements) = tree::elements(attribute) {
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
