//! Functions in LLVM's dialect, which our passes leave unchanged, except for the operation that computes a warp's MMA.

use layout_dialect::{
    build::{operand, result},
    tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use std::{collections::HashMap, fmt::Write};

/// The operations inside a function as text, with values by the order in which they are used: equal
/// texts do the same. MLIR's printer would number the values of the whole module for each.
pub(super) fn body(function: OperationRef<'_, '_>) -> Vec<String> {
    let mut values = HashMap::new();
    let mut lines = Vec::new();
    for operation in tree::all(function) {
        let product = product(operation);
        let mut text = product.clone().unwrap_or_else(|| tree::name(operation));
        for at in 0..operation.operand_count() {
            let next = values.len();
            let number = values.entry(tree::key(operand(operation, at))).or_insert(next);
            // Writing to a string cannot fail.
            let _ = write!(text, " %{number}");
        }
        for (name, attribute) in operation.attributes() {
            // The name of an MMA determines it.
            if product.is_some() {
                break;
            }
            let name = name.as_string_ref().as_str().unwrap_or("").to_owned();
            // A loop annotation is a hint to LLVM, and changes no result.
            if name != "loop_annotation" {
                let _ = write!(text, " {name}={attribute}");
            }
        }
        lines.push(text);
    }
    lines
}

/// The MMA of a warp, whichever operation computes it: MLIR's, or a call of the intrinsic. None for others.
fn product(operation: OperationRef<'_, '_>) -> Option<String> {
    const PREFIX: &str = "llvm.nvvm.mma.";
    let text = |name: &str| operation.attribute(name).ok().map(|attribute| attribute.to_string());
    // The types of the accumulators before and after it.
    let types = || {
        let last = operation.operand_count().checked_sub(1)?;
        (operation.result_count() > 0).then_some(())?;
        Some(format!("{} {}", result(operation, 0).r#type(), operand(operation, last).r#type()))
    };
    match tree::name(operation).as_str() {
        "nvvm.mma.sync" => {
            let inside =
                |name: &str| Some(text(name)?.split_once('<')?.1.strip_suffix('>')?.to_owned());
            let shape = inside("shape")?.replace(" = ", "").replace(", ", "");
            let (rows, columns) = (inside("layoutA")?, inside("layoutB")?);
            let (a, b) = (inside("multiplicandAPtxType")?, inside("multiplicandBPtxType")?);
            let saturates = inside("intOverflowBehavior").is_some_and(|how| how == "satfinite");
            // MMAs of other kinds of numbers, and of bits, are not known.
            let is_plain = a == b && text("b1Op").is_none();
            is_plain.then_some(())?;
            Some(format!("{shape}.{rows}.{columns} {a} {saturates} {}", types()?))
        }
        name @ ("llvm.call" | "llvm.call_intrinsic") => {
            let callee = text(if name == "llvm.call" { "callee" } else { "intrin" })?;
            let rest = callee.trim_matches(['@', '"']).strip_prefix(PREFIX)?;
            let mut words = rest.split('.');
            let (shape, rows, columns) = (words.next()?, words.next()?, words.next()?);
            let mut words: Vec<&str> = words.collect();
            let saturates = words.first() == Some(&"satfinite");
            if saturates {
                words.remove(0);
            }
            // MMAs of f16 are named by their accumulators, those of 8-bit floats by both, others by their
            // operands.
            let of = match words[..] {
                [one] => one.to_owned(),
                ["f16" | "f32", "f16" | "f32"] => "f16".to_owned(),
                [_, _, _, _] => words.join("."),
                _ => return None,
            };
            Some(format!("{shape}.{rows}.{columns} {of} {saturates} {}", types()?))
        }
        _ => None,
    }
}
