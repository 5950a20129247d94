//! The depth of a reference: how many numbers it adds up for an element, which is its longest reduction, read from its
//! loops.
//!
//! A loop reduces if it carries values from iteration to iteration, or if it stores a value computed from a load of the
//! same memref, at an index that the loop does not change, and stores nothing else there.

use super::Depth;
use layout_dialect::{
    build::{Val, operand},
    tree,
};
use melior::ir::{BlockLike, OperationRef, attribute::IntegerAttribute, operation::OperationLike};
use std::collections::HashSet;

/// The most operations that are examined after one value.
const MAX_OPERATIONS: usize = 4096;

/// The longest reduction of a function.
pub(super) fn of(function: OperationRef<'_, '_>) -> Depth {
    let mut depth = Depth::Known(1);
    for operation in tree::all(function) {
        let loops = match tree::name(operation).as_str() {
            "memref.store" if adds_to_itself(operation) => {
                let around = around(operation);
                around
                    .into_iter()
                    .filter(|one| !moves(*one, operation) && !starts(*one, operation))
                    .collect()
            }
            "scf.for" | "scf.while" if operation.result_count() > 0 => {
                let mut all = vec![operation];
                all.extend(around(operation).into_iter().take_while(|one| one.result_count() > 0));
                all
            }
            _ => continue,
        };
        depth = longer(depth, loops.into_iter().map(rounds).fold(Depth::Known(1), times));
    }
    depth
}

fn times(one: Depth, other: Depth) -> Depth {
    match (one, other) {
        (Depth::Known(one), Depth::Known(other)) => Depth::Known(one.saturating_mul(other)),
        _ => Depth::AtRunTime,
    }
}

fn longer(one: Depth, other: Depth) -> Depth {
    match (one, other) {
        (Depth::Known(one), Depth::Known(other)) => Depth::Known(one.max(other)),
        _ => Depth::AtRunTime,
    }
}

/// The loops around an operation, from the inside.
fn around<'c>(operation: OperationRef<'c, 'c>) -> Vec<OperationRef<'c, 'c>> {
    let mut all = Vec::new();
    let mut inside = operation.parent_operation();
    while let Some(parent) = inside {
        // SAFETY: what is around an operation lives as long as it does.
        let parent: OperationRef<'c, 'c> = unsafe { OperationRef::from_raw(parent.to_raw()) };
        match tree::name(parent).as_str() {
            "func.func" => break,
            "scf.for" | "scf.while" => all.push(parent),
            _ => {}
        }
        inside = parent.parent_operation();
    }
    all
}

/// How often a loop runs.
fn rounds(one: OperationRef<'_, '_>) -> Depth {
    if tree::name(one) != "scf.for" {
        return Depth::AtRunTime;
    }
    let constant = |place: usize| -> Option<i64> {
        let value = tree::definition(operand(one, place))?.attribute("value").ok()?;
        Some(IntegerAttribute::try_from(value).ok()?.value())
    };
    match (constant(0), constant(1), constant(2)) {
        (Some(lower), Some(upper), Some(step)) if step > 0 => {
            let count = upper.saturating_sub(lower).max(0);
            Depth::Known(count.unsigned_abs().div_ceil(step.unsigned_abs()).max(1))
        }
        _ => Depth::AtRunTime,
    }
}

/// Whether an index of a store depends on a loop's induction variable.
fn moves(one: OperationRef<'_, '_>, store: OperationRef<'_, '_>) -> bool {
    let Some(variable) = tree::entry(one).filter(|entry| entry.argument_count() > 0) else {
        return false;
    };
    let variable = tree::key(tree::argument(variable, 0));
    let indices = (2..store.operand_count()).map(|i| operand(store, i)).collect();
    depends_on(indices, |value, _| tree::key(value) == variable)
}

/// Whether a store computes what it stores from a load of the same memref.
fn adds_to_itself(store: OperationRef<'_, '_>) -> bool {
    let own = tree::key(operand(store, 1));
    depends_on(vec![operand(store, 0)], |_, operation| {
        operation.is_some_and(|operation| {
            tree::name(operation) == "memref.load" && tree::key(operand(operation, 0)) == own
        })
    })
}

/// Whether a loop stores to the memref of a store what does not depend on it.
fn starts(one: OperationRef<'_, '_>, store: OperationRef<'_, '_>) -> bool {
    let own = tree::key(operand(store, 1));
    tree::all(one).into_iter().any(|other| {
        tree::name(other) == "memref.store"
            && tree::key(operand(other, 1)) == own
            && !adds_to_itself(other)
    })
}

/// Whether one of the values that some are computed from is found.
fn depends_on<'c>(
    mut next: Vec<Val<'c>>,
    is_found: impl Fn(Val<'c>, Option<OperationRef<'c, 'c>>) -> bool,
) -> bool {
    let mut seen = HashSet::new();
    while let Some(value) = next.pop() {
        if seen.len() > MAX_OPERATIONS || !seen.insert(tree::key(value)) {
            continue;
        }
        let operation = tree::definition(value);
        if is_found(value, operation) {
            return true;
        }
        if let Some(operation) = operation {
            next.extend((0..operation.operand_count()).map(|i| operand(operation, i)));
        }
    }
    false
}
