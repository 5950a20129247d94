//! The verifier of `layout.pipeline`.

use crate::{
    atoms::{CopyKind, WARPGROUP},
    ops, tree,
};
use melior::ir::{
    BlockLike, OperationRef, RegionLike, TypeLike, Value, ValueLike,
    attribute::DenseI64ArrayAttribute, operation::OperationLike,
};
use mlir_sys::mlirTypeIsAIndex;

/// Blocks of a cluster that every device with clusters can run.
const MOST_BLOCKS: i64 = 8;

/// The regions and how many arguments each has.
const REGIONS: [(&str, usize); 4] = [("load", 3), ("start", 1), ("step", 3), ("finish", 1)];

pub(super) fn verify(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<String>,
) -> Result<(), String> {
    if let Ok(extents) = operation.attribute("cluster")
        && let Ok(extents) = DenseI64ArrayAttribute::try_from(extents)
        && extents.len() != 2
    {
        return Err(format!("expected a cluster of 2 extents, found {}", extents.len()));
    }
    let facts = ops::pipeline(operation).map_err(|error| error.to_string())?;
    let (rows, columns) = facts.cluster;
    let blocks = rows.checked_mul(columns).unwrap_or(i64::MAX);
    if rows < 1 || columns < 1 || blocks > MOST_BLOCKS {
        violations.push(format!(
            "expected a cluster of 1 to {MOST_BLOCKS} blocks, found ({rows},{columns})"
        ));
    }
    for (name, found) in [("depth", facts.depth), ("stages", facts.stages)] {
        if found < 1 {
            violations.push(format!("expected {name} of at least 1, found {found}"));
        }
    }
    if facts.consumers < WARPGROUP || facts.consumers % WARPGROUP != 0 {
        violations.push(format!(
            "expected consumers to be a multiple of {WARPGROUP}, the threads of a warpgroup, found \
             {}",
            facts.consumers
        ));
    }
    for (i, (name, expected)) in REGIONS.into_iter().enumerate() {
        let region = operation.region(i).map_err(|error| error.to_string())?;
        let Some(block) = region.first_block() else {
            return Err(format!("expected {name} to have a block, found none"));
        };
        let found = block.argument_count();
        let indices = (0..found).all(|i| {
            block.argument(i).is_ok_and(|argument| {
                // SAFETY: the argument's type is valid.
                unsafe { mlirTypeIsAIndex(Value::from(argument).r#type().to_raw()) }
            })
        });
        if found != expected || !indices {
            violations.push(format!(
                "expected {name} to have {expected} arguments of type index, found {found}{}",
                if indices { "" } else { ", not all of that type" }
            ));
        }
        let copies = tree::operations(block);
        for copy in copies.into_iter().filter(|&inner| tree::name(inner) == "layout.copy") {
            let atom = ops::atom(copy).map_err(|error| error.to_string())?;
            let bulk = atom.copy_kind() == Some(CopyKind::BulkTensor);
            if (name == "load") != bulk {
                let kind = if bulk { "no bulk copies" } else { "bulk copies only" };
                violations.push(format!("expected {kind} in {name}, found {}", atom.name));
            }
        }
    }
    Ok(())
}
