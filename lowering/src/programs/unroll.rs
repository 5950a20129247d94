//! `layout-unroll-loops`: loops over tensors in host functions, unrolled.
//!
//! ```text
//! %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) {      %b = … %a … 0 …
//!   %b = … %x … %i …                                        ->     %y = … %b … 1 …
//!   scf.yield %b
//! }
//! ```
//!
//! A loop whose bounds are constants and whose copies stay within the budget is unrolled; another one is left, and
//! becomes a loop of the program.

use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};

/// Most operations that unrolling may make in one module.
const BUDGET: usize = 100_000;

/// Unrolls the loops below `root`, the outermost first, once parallel ones are [loops](super::forall).
pub(crate) fn unroll(root: OperationRef<'_, '_>) -> Result<(), ()> {
    super::forall::in_order(root)?;
    let mut left = BUDGET;
    let mut skipped = 0;
    // Copies of a loop hold copies of those in it, which are found again; so are those in one that is left.
    loop {
        let is_one =
            |one: &OperationRef<'_, '_>| tree::name(*one) == "scf.for" && is_of_tensors(*one);
        let all = tree::all(root).into_iter().filter(is_one);
        let Some(found) = all.into_iter().nth(skipped) else { return Ok(()) };
        match rounds(found) {
            Some(rounds) if cost(found, rounds.len()) <= left => {
                left -= cost(found, rounds.len());
                if let Err(error) = unroll_one(found, &rounds) {
                    layout_dialect::diagnostics::error(found, &error.to_string());
                    return Err(());
                }
            }
            _ => skipped += 1,
        }
    }
}

/// Whether a loop carries tensors from round to round, in a function of the host.
fn is_of_tensors(found: OperationRef<'_, '_>) -> bool {
    let results = (0..found.result_count()).map(|i| result(found, i).r#type().to_string());
    let on_host = tree::ancestors(found).all(|around| tree::name(around) != "gpu.module");
    on_host && results.into_iter().any(|r#type| r#type.starts_with("tensor<"))
}

/// The values of a loop's variable, where its bounds are constants.
fn rounds(found: OperationRef<'_, '_>) -> Option<Vec<i64>> {
    let known = |place: usize| tree::constant(operand(found, place));
    let (first, end, step) = (known(0)?, known(1)?, known(2)?);
    if step <= 0 || found.attribute("unsignedCmp").is_ok() {
        return None;
    }
    let values = std::iter::successors(Some(first), |value| value.checked_add(step));
    let values: Vec<i64> = values.take_while(|&value| value < end).take(BUDGET + 1).collect();
    Some(values)
}

/// How many operations a loop becomes.
fn cost(found: OperationRef<'_, '_>, rounds: usize) -> usize {
    tree::all(found).len().saturating_mul(rounds)
}

fn unroll_one<'c>(found: OperationRef<'c, 'c>, rounds: &[i64]) -> Result<(), melior::Error> {
    let b = Builder::before(found);
    let count = found.result_count();
    // After the two bounds and the step.
    let mut carried: Vec<Val<'c>> = (0..count).map(|i| operand(found, 3 + i)).collect();
    let r#type = operand(found, 0).r#type();
    for &round in rounds {
        let index = b.constant(r#type, round)?;
        let copy = tree::clone_with(&b, found, &[]);
        let Some(body) = tree::entry(copy) else { break };
        tree::replace_uses(tree::argument(body, 0), index);
        for (i, &value) in carried.iter().enumerate() {
            tree::replace_uses(tree::argument(body, i + 1), value);
        }
        for operation in tree::operations(body) {
            if tree::name(operation) == "scf.yield" {
                carried = (0..count).map(|i| operand(operation, i)).collect();
            } else {
                b.adopt(operation);
            }
        }
        tree::erase(copy);
    }
    for (i, &value) in carried.iter().enumerate() {
        tree::replace_uses(result(found, i), value);
    }
    tree::erase(found);
    Ok(())
}
