//! Asserts that sizes are divided by others than 0: reshapes of `torch` divide by extents, which may be 0.

use crate::commands::place;
use layout_dialect::{
    build::{Builder, operand},
    tree,
};
use melior::ir::{
    OperationRef, TypeLike, ValueLike, attribute::StringAttribute, operation::OperationLike,
};

/// Divisions of indices.
const DIVISIONS: [&str; 7] = [
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.divsi",
    "arith.divui",
    "arith.floordivsi",
    "arith.remsi",
    "arith.remui",
];

/// The predicate of `arith.cmpi ne`.
const DIFFERENT: i64 = 1;

/// Adds assertions to the functions below `root`, outside of loops.
///
/// # Errors
///
/// MLIR's error for an operation that it refuses.
pub(super) fn run(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    let functions = tree::inside(root, "func.func").into_iter();
    for body in functions.filter_map(tree::entry) {
        for division in tree::operations(body) {
            let name = tree::name(division);
            if !DIVISIONS.contains(&name.as_str()) {
                continue;
            }
            let divisor = operand(division, 1);
            let is_known = tree::constant(divisor).is_some_and(|known| known != 0);
            if is_known || !divisor.r#type().is_index() {
                continue;
            }
            let b = Builder::before(division);
            let operands = [divisor, b.constant(divisor.r#type(), 0)?];
            let predicate = [("predicate", b.i64_attribute(DIFFERENT))];
            let is_divisor = b.value("arith.cmpi", &operands, b.integer(1), &predicate)?;
            let at = place(&division.location().to_string());
            let message = format!(
                "expected a size other than 0 as the divisor of '{name}', found 0, at {}",
                at.trim_end_matches([':', ' '])
            );
            let message = StringAttribute::new(b.context(), &message).into();
            b.operation("cf.assert", &[is_divisor], &[], &[("msg", message)], vec![])?;
        }
    }
    Ok(())
}
