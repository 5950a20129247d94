//! The combination of two values by `gpu.subgroup_reduce`, and the exchange between lanes, for passes that expand it.

use crate::data::types::is_float;
use crate::ops::prelude::*;
use melior::Error;

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
    // A vector is combined element by element.
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

/// Whether some lanes of a warp may not come to an operation: it is in a branch, in a loop whose lanes may go on for different
/// rounds, or in one of several blocks.
pub fn may_diverge(operation: OperationRef<'_, '_>) -> bool {
    const BRANCHES: [&str; 3] = ["scf.if", "scf.index_switch", "scf.while"];
    const FUNCTIONS: [&str; 3] = ["gpu.func", "func.func", "llvm.func"];
    let uniform = |value| is_uniform(value, &mut { MAX_VISITED });
    tree::ancestors(operation).any(|around| match tree::name(around).as_str() {
        name if BRANCHES.contains(&name) => true,
        "scf.for" => !(0..3).all(|at| uniform(operand(around, at))),
        name if FUNCTIONS.contains(&name) => {
            tree::entry(around).is_some_and(|entry| entry.next_in_region().is_some())
        }
        _ => false,
    })
}

/// Values that are visited to see whether one is uniform, at most.
const MAX_VISITED: usize = 256;

/// Whether a value is known to be one for all threads of a block: it is made of constants, arguments and a block's numbers.
fn is_uniform(value: Val<'_>, left: &mut usize) -> bool {
    const OF_BLOCK: [&str; 3] = ["gpu.block_id", "gpu.block_dim", "gpu.grid_dim"];
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    let Some(made) = tree::definition(value) else {
        let Some(block) = tree::owner(value) else { return false };
        let Some(around) = block.parent_operation() else { return false };
        return match tree::name(around).as_str() {
            "gpu.func" | "func.func" => {
                tree::entry(around).is_some_and(|entry| entry.to_raw().ptr == block.to_raw().ptr)
            }
            // The counter; other arguments are carried.
            "scf.for" => {
                tree::key(tree::argument(block, 0)) == tree::key(value)
                    && (0..3).all(|at| is_uniform(operand(around, at), left))
            }
            _ => false,
        };
    };
    let name = tree::name(made);
    let is_arithmetic = ["arith.", "index."].iter().any(|prefix| name.starts_with(prefix))
        || name == "builtin.unrealized_conversion_cast";
    OF_BLOCK.contains(&name.as_str())
        || is_arithmetic && (0..made.operand_count()).all(|at| is_uniform(operand(made, at), left))
}

/// The value of the lane whose number differs by `offset`, a power of 2: words of 32 bits are exchanged. None for a type that
/// is not made of such words, or a part of one. `width` is the number of lanes in a row, from a multiple of it on, that exchange: in a branch
/// they do so alone, if it is less than a warp's.
pub fn from_lane<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    (offset, width): (i64, i64),
) -> Result<Option<Val<'c>>, Error> {
    let shuffled = |b: &Builder<'c>, value, offset| shuffled(b, value, (offset, width));
    let own = value.r#type();
    let bits: u32 = match own.to_string().as_str() {
        "f64" | "i64" => 64,
        "f32" | "i32" => return shuffled(b, value, offset).map(Some),
        "f16" | "bf16" | "i16" => 16,
        "i8" => 8,
        _ => return Ok(None),
    };
    let (word, plain) = (b.integer(32), b.integer(bits));
    let cast = |value: Val<'c>, to: Type<'c>| match value.r#type() == to {
        true => Ok(value),
        false => b.value("arith.bitcast", &[value], to, &[]),
    };
    let raw = cast(value, plain)?;
    let raw = if bits < 32 {
        let wide = b.value("arith.extui", &[raw], word, &[])?;
        b.value("arith.trunci", &[shuffled(b, wide, offset)?], plain, &[])?
    } else {
        let half = b.constant(plain, 32)?;
        let low = b.value("arith.trunci", &[raw], word, &[])?;
        let high = b.binary("arith.shrui", raw, half)?;
        let high = b.value("arith.trunci", &[high], word, &[])?;
        let low = b.value("arith.extui", &[shuffled(b, low, offset)?], plain, &[])?;
        let high = b.value("arith.extui", &[shuffled(b, high, offset)?], plain, &[])?;
        b.binary("arith.ori", low, b.binary("arith.shli", high, half)?)?
    };
    cast(raw, own).map(Some)
}

fn shuffled<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    (offset, width): (i64, i64),
) -> Result<Val<'c>, Error> {
    const MODE: &str = "#gpu<shuffle_mode xor>";
    let word = b.integer(32);
    let (offset, width) = (b.constant(word, offset)?, b.constant(word, width)?);
    let mode = Attribute::parse(b.context(), MODE);
    let mode = mode.ok_or_else(|| Error::AttributeParse(MODE.to_owned()))?;
    let (operands, types) = ([value, offset, width], [value.r#type(), b.integer(1)]);
    let shuffle = b.operation("gpu.shuffle", &operands, &types, &[("mode", mode)], vec![])?;
    Ok(first_result(shuffle))
}
