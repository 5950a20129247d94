//! Barriers of all threads of a block, around a pipeline and in it: pipelines that are executed again, and barriers
//! that not all threads reach.

use super::{Frame, FrameCounts};
use crate::lower::{Failure, Located, address::offset_pointer};
use layout_dialect::{
    build::{Builder, Val},
    tree,
};
use melior::ir::{BlockLike, OperationRef, RegionLike, Type, operation::OperationLike};

/// Refuses calls, in the regions, of functions that all threads of the block meet in; barriers in the regions themselves
/// the verifier refuses.
pub(super) fn meets_nowhere<'c>(operation: OperationRef<'c, 'c>) -> Result<(), Located<'c>> {
    let mut around = operation.parent_operation();
    while let Some(parent) = around.filter(|parent| tree::name(*parent) != "gpu.module") {
        around = parent.parent_operation();
    }
    let Some(module) = around else { return Ok(()) };
    let functions = tree::inside(module, "func.func");
    let mut seen = Vec::new();
    let mut calls: Vec<(OperationRef<'c, 'c>, OperationRef<'c, 'c>)> =
        tree::inside(operation, "func.call").into_iter().map(|call| (call, call)).collect();
    while let Some((first, call)) = calls.pop() {
        let Ok(callee) = call.attribute("callee") else { continue };
        let name = callee.to_string();
        if seen.contains(&name) {
            continue;
        }
        let is_callee = |function: &&OperationRef<'c, 'c>| {
            tree::symbol(**function).is_some_and(|symbol| name == format!("@{symbol}"))
        };
        if let Some(&function) = functions.iter().find(is_callee) {
            let inside = tree::all(function);
            if let Some(&barrier) =
                inside.iter().find(|&&inner| layout_dialect::ops::is_block_barrier(inner))
            {
                return Err((
                    first,
                    Failure::refused(format!(
                        "expected a call of a function without a block-wide barrier, since the producer warpgroup does not execute the pipeline's other regions, found {} in {name}",
                        tree::name(barrier)
                    )),
                ));
            }
            let inner = inside.into_iter().filter(|&inner| tree::name(inner) == "func.call");
            calls.extend(inner.map(|call| (first, call)));
        }
        seen.push(name);
    }
    Ok(())
}

/// Whether a pipeline may be executed several times by one block: in a loop, or in one of several blocks, which branches
/// may lead back to.
pub(super) fn may_run_again(operation: OperationRef<'_, '_>) -> bool {
    let mut inside = operation;
    loop {
        let Some(parent) = inside.parent_operation() else { return false };
        let name = tree::name(parent);
        if matches!(name.as_str(), "gpu.func" | "func.func") {
            let several = parent.region(0).ok().and_then(|region| region.first_block());
            return several.is_some_and(|first| first.next_in_region().is_some());
        }
        if name != "scf.if" {
            return true;
        }
        inside = parent;
    }
}

impl<'c> Frame<'c> {
    /// All barriers of the pipeline, and how many threads arrive at each.
    pub(super) fn barriers(&self) -> [(Val<'c>, i64, i64); 3] {
        let FrameCounts { stages, turns, warps, writers } = self.counts;
        [(self.full, stages, 1), (self.empty, stages, warps * writers), (self.turns, turns, warps)]
    }

    /// After a pipeline that may be executed again: once all threads of the block have left it, the thread that made
    /// its barriers gives them back, and may make them again.
    pub(super) fn retire(&self, b: &Builder<'c>) -> Result<(), Failure> {
        b.operation("gpu.barrier", &[], &[], &[], vec![])?;
        let none = b.constant(Type::index(b.context()), 0)?;
        let retires = b.equal(self.thread, none)?;
        b.branch(
            retires,
            &[],
            |b| {
                for (barriers, count, _) in self.barriers() {
                    for number in 0..count {
                        let barrier = offset_pointer(&b, barriers, b.integer(64), None, number)?;
                        b.operation("nvvm.mbarrier.inval", &[barrier], &[], &[], vec![])?;
                    }
                }
                Ok::<_, Failure>(vec![])
            },
            None,
        )?;
        Ok(())
    }
}
