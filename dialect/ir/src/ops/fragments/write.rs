//! Operations on fragments, expanded element by element.

use super::{exchange, map::Map};
use crate::ops::prelude::*;
use crate::{
    ops::{SliceCoord, epilogue::YIELD},
    pass::build::result,
};
use melior::ir::BlockRef;
use std::collections::HashMap;

/// Whether an operation is expanded element by element.
pub fn is_fragment_wide(operation: OperationRef<'_, '_>) -> bool {
    matches!(tree::name(operation).as_str(), "layout.map" | "layout.reduce")
}

/// Writes out all fragment-wide operations below `root`; how many there were.
///
/// # Errors
///
/// The first one that cannot be written out, and why.
pub fn write_out<'c>(root: OperationRef<'c, '_>) -> Result<u64, (OperationRef<'c, 'c>, Violation)> {
    let mut count = 0;
    for operation in tree::all(root).into_iter().filter(|&operation| is_fragment_wide(operation)) {
        written(operation).map_err(|failure| (operation, failure))?;
        tree::erase(operation);
        count += 1;
    }
    Ok(count)
}

fn written<'c>(operation: OperationRef<'c, 'c>) -> Result<(), Violation> {
    match tree::name(operation).as_str() {
        "layout.reduce" => exchange::write(operation),
        _ => map(operation),
    }
}

fn map<'c>(operation: OperationRef<'c, 'c>) -> Result<(), Violation> {
    let Map { inputs, outputs, size, body } = Map::of(operation)?;
    let b = Builder::before(operation);
    for index in 0..size {
        let mut numbers = HashMap::new();
        for (at, (view, elements)) in inputs.iter().enumerate() {
            bind(&b, *view, elements.at(index), tree::argument(body, at), &mut numbers)?;
        }
        for (number, view) in outputs.iter().enumerate() {
            let old = tree::argument(body, inputs.len() + number);
            bind(&b, *view, index, old, &mut numbers)?;
        }
        for (view, value) in outputs.iter().zip(applied(&b, body, numbers)) {
            store(&b, value, *view, index)?;
        }
    }
    Ok(())
}

/// Loads the element that an argument of a region is, where something uses it.
fn bind<'c>(
    b: &Builder<'c>,
    view: Val<'c>,
    at: i64,
    argument: Val<'c>,
    values: &mut HashMap<usize, Val<'c>>,
) -> Result<(), Violation> {
    if tree::is_used(argument) {
        values.insert(tree::key(argument), load(b, view, at)?);
    }
    Ok(())
}

/// Copies the operations of a region's block, for given values of its arguments: what it yields.
pub(super) fn applied<'c>(
    b: &Builder<'c>,
    body: BlockRef<'c, 'c>,
    mut values: HashMap<usize, Val<'c>>,
) -> Vec<Val<'c>> {
    for inner in tree::operations(body) {
        let operands = (0..inner.operand_count()).map(|at| operand(inner, at));
        let operands: Vec<Val<'c>> =
            operands.map(|own| values.get(&tree::key(own)).copied().unwrap_or(own)).collect();
        if tree::name(inner) == YIELD {
            return operands;
        }
        let copy = tree::clone_with(b, inner, &operands);
        let results = 0..inner.result_count();
        values.extend(results.map(|at| (tree::key(result(inner, at)), result(copy, at))));
    }
    Vec::new()
}

pub(super) fn load<'c>(b: &Builder<'c>, view: Val<'c>, at: i64) -> Result<Val<'c>, Violation> {
    let load = ops::new("load", b.location())
        .operands(&[view])
        .coordinate(&[SliceCoord::At(at)])
        .build()?;
    Ok(first_result(b.insert(load)))
}

pub(super) fn store<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    view: Val<'c>,
    at: i64,
) -> Result<(), Violation> {
    let store =
        ops::new("store", b.location()).operands(&[value, view]).coordinate(&[SliceCoord::At(at)]);
    b.insert(store.results(&[]).build()?);
    Ok(())
}
