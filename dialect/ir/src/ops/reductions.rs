//! What `gpu.subgroup_reduce` combines two values by, for whoever takes it apart.

use crate::data::types::is_float;
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};

/// The operation of `arith` that two values are reduced by.
///
/// # Errors
///
/// A reduction that does not fit the type of its values.
pub fn combining(operation: OperationRef<'_, '_>) -> Result<&'static str, String> {
    let operand = operation.operand(0).map_err(|error| error.to_string())?;
    let r#type = operand.r#type();
    let text = operation.attribute("op").map_err(|error| error.to_string())?.to_string();
    let name = text.trim_end_matches('>').split([' ', '<']).next_back().unwrap_or_default();
    // Of a vector, each element.
    let word = r#type.to_string();
    let element = word.strip_prefix("vector<").and_then(|rest| rest.strip_suffix('>'));
    let element = element.and_then(|rest| rest.rsplit('x').next());
    let float = match element {
        Some(element) => element.starts_with('f') || element.starts_with("bf"),
        None => is_float(r#type),
    };
    Ok(match (name, float) {
        ("add", true) => "arith.addf",
        ("add", false) => "arith.addi",
        ("mul", true) => "arith.mulf",
        ("mul", false) => "arith.muli",
        ("minui", false) => "arith.minui",
        ("minsi", false) => "arith.minsi",
        ("maxui", false) => "arith.maxui",
        ("maxsi", false) => "arith.maxsi",
        ("and", false) => "arith.andi",
        ("or", false) => "arith.ori",
        ("xor", false) => "arith.xori",
        ("minnumf", true) => "arith.minnumf",
        ("maxnumf", true) => "arith.maxnumf",
        ("minimumf", true) => "arith.minimumf",
        ("maximumf", true) => "arith.maximumf",
        _ => {
            return Err(format!(
                "expected a reduction of numbers that fits their type, found {name} of {type}"
            ));
        }
    })
}
