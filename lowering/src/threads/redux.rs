//! `redux.sync` of whole warps, as shuffles: in each step every lane combines its value with that of another lane.

use super::{
    Error,
    program::{Sites, shuffle},
};
use layout_dialect::{
    build::{Builder, first_result, operand},
    tree,
};
use melior::ir::{Attribute, OperationRef, operation::OperationLike};

/// The kinds of reductions, and how two words are combined.
const KINDS: [(&str, &str); 8] = [
    ("add", "arith.addi"),
    ("min", "arith.minsi"),
    ("max", "arith.maxsi"),
    ("umin", "arith.minui"),
    ("umax", "arith.maxui"),
    ("and", "arith.andi"),
    ("or", "arith.ori"),
    ("xor", "arith.xori"),
];

/// Lanes of a warp.
const WARP: i64 = 32;

/// Writes out a reduction of all lanes of a warp; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    if tree::name(operation) != "nvvm.redux.sync" || !has_all_lanes(operation) {
        return Ok(false);
    }
    let kind = operation.attribute("kind")?.to_string();
    let combine = KINDS.iter().find(|(name, _)| kind.ends_with(&format!(" {name}>")));
    let Some((_, combine)) = combine else { return Ok(false) };
    let mode = Attribute::parse(b.context(), "#gpu<shuffle_mode xor>")
        .ok_or_else(|| Error::refused("expected a mode of shuffles, found none"))?;
    let word = b.integer(32);
    let mut value = operand(operation, 0);
    let mut offset = 1;
    while offset < WARP {
        let operands = [value, b.constant(word, offset)?, b.constant(word, WARP)?];
        let types = [word, b.integer(1)];
        let made = b.operation("gpu.shuffle", &operands, &types, &[("mode", mode)], vec![])?;
        value = b.binary(combine, value, first_result(made))?;
        shuffle(&Builder::before(made), made, sites)?;
        offset *= 2;
    }
    tree::replace_uses(first_result(operation), value);
    tree::erase(operation);
    Ok(true)
}

/// Whether the mask of lanes is a constant of all.
fn has_all_lanes(operation: OperationRef<'_, '_>) -> bool {
    let mask = tree::definition(operand(operation, 1));
    let value = mask.and_then(|mask| mask.attribute("value").ok());
    value.is_some_and(|value| value.to_string().starts_with("-1 "))
}
