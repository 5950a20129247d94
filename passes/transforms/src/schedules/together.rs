//! Matmuls of a function of the host that become one kernel: neighbours that read the same A, as the projections in front of attention do,
//! where one grouped kernel takes less time by the estimate than a kernel each.
//!
//! ```text
//! layout.matmul %x, %wq, %q      -> layout.matmul %x, %wq, %q {layout.together = 0}
//! layout.matmul %x, %wk, %k         layout.matmul %x, %wk, %k {layout.together = 0}
//! ```
//!
//! Between neighbours are only views and allocations, and no C is an operand of another.

use super::{
    Row, family,
    problem::{Problem, joined, problem},
    ranked, tiling,
};
use crate::matmul;
use layout_dialect::{
    Choice, Schedule, ScheduleAttribute,
    buffers::is_part,
    build::{Builder, Val, context_of, operand},
    ops, tree,
};
use layout_schedule::{Chip, model};
use melior::ir::{OperationRef, operation::OperationLike};

/// Marks matmuls below `module` that become one kernel, and gives them the schedule.
pub(super) fn mark(module: OperationRef<'_, '_>, rows: &[Row]) {
    for function in tree::inside(module, "func.func") {
        if function.attribute(matmul::HOST).is_err() {
            continue;
        }
        let runs = runs(function);
        for (number, run) in (0..).zip(&runs) {
            if let Some(schedule) = chosen(rows, run) {
                for matmul in run {
                    let context = context_of(*matmul);
                    let attribute = ScheduleAttribute::new(context, &schedule);
                    tree::set_attribute(*matmul, "schedule", attribute.into());
                    let number = Builder::before(*matmul).i64_attribute(number);
                    tree::set_attribute(*matmul, matmul::TOGETHER, number);
                }
            }
        }
    }
}

/// The runs of neighbours of a function that may be one kernel.
fn runs<'c>(function: OperationRef<'c, '_>) -> Vec<Vec<OperationRef<'c, 'c>>> {
    let operations = tree::entry(function).map(tree::operations).unwrap_or_default();
    let mut runs: Vec<Vec<OperationRef<'c, 'c>>> = vec![Vec::new()];
    for operation in operations {
        let is_matmul = tree::name(operation) == "layout.matmul";
        let Some(run) = runs.last_mut() else { break };
        if is_matmul && run.iter().all(|before| may_join(*before, operation)) {
            if is_open(operation) {
                run.push(operation);
            }
        } else if !leaves_memory(operation) {
            runs.push(if is_matmul && is_open(operation) { vec![operation] } else { Vec::new() });
        }
    }
    runs.retain(|run| run.len() > 1);
    runs
}

/// Whether a matmul has no schedule yet, and all of its sizes are known.
fn is_open(matmul: OperationRef<'_, '_>) -> bool {
    matches!(ops::choice(matmul), Ok(Choice::Auto { .. }))
        && ops::dual(matmul).is_none()
        && !ops::is_mixed(matmul)
        && matmul.attribute(matmul::FAMILY).is_err()
        && family::is_known(matmul)
}

/// Whether an operation neither reads nor writes memory: what the operands of a matmul are made by.
pub(super) fn leaves_memory(operation: OperationRef<'_, '_>) -> bool {
    const NAMES: [&str; 4] = ["layout.constant", "layout.make", "memref.alloc", "memref.dim"];
    let name = tree::name(operation);
    is_view(&name) || NAMES.contains(&name.as_str()) || name.starts_with("arith.")
}

/// Whether the operation of a name gives a view of its first operand's memory.
pub(super) fn is_view(name: &str) -> bool {
    name == "layout.make_view" || is_part(name)
}

/// Whether two matmuls multiply the same A, and neither writes what the other one reads or writes.
fn may_join(before: OperationRef<'_, '_>, after: OperationRef<'_, '_>) -> bool {
    let is_new = |matmul: OperationRef<'_, '_>| {
        let made = memory(operand(matmul, 2)).and_then(tree::definition);
        made.is_some_and(|made| tree::name(made) == "memref.alloc")
    };
    operand(before, 0) == operand(after, 0)
        && is_new(before)
        && is_new(after)
        && writes_elsewhere(before, after)
        && writes_elsewhere(after, before)
        && matmul::are_alike(before, after)
}

/// Whether what a matmul writes is no memory of the other one.
pub(super) fn writes_elsewhere(matmul: OperationRef<'_, '_>, other: OperationRef<'_, '_>) -> bool {
    let Some(own) = memory(operand(matmul, 2)) else { return false };
    (0..other.operand_count())
        .all(|i| memory(operand(other, i)).is_some_and(|found| tree::key(found) != tree::key(own)))
}

/// The memory that a view is of: an allocation or an argument.
pub(super) fn memory<'c>(view: Val<'c>) -> Option<Val<'c>> {
    let mut at = view;
    while let Some(made) = tree::definition(at) {
        match tree::name(made).as_str() {
            "memref.alloc" => break,
            name if is_view(name) => at = operand(made, 0),
            _ => return None,
        }
    }
    Some(at)
}

/// The schedule of the one kernel, where there is one and it is estimated to take less time than a kernel each.
fn chosen(rows: &[Row], run: &[OperationRef<'_, '_>]) -> Option<Schedule> {
    let read = |matmul: &OperationRef<'_, '_>| match ops::choice(*matmul) {
        Ok(Choice::Auto { chip, .. }) => problem(*matmul, chip).ok(),
        _ => None,
    };
    let problems = run.iter().map(read).collect::<Option<Vec<_>>>()?;
    let chip = Chip::named(&problems.first()?.chip)?;
    let time = |problem: &Problem, group: &[OperationRef<'_, '_>]| {
        let fits = |schedule: &Schedule| matmul::fits(group, schedule).is_ok();
        let schedule = ranked(rows, problem, &fits).ok()?.schedule;
        let time = model::time(chip, &tiling(&schedule), &problem.modelled());
        fits(&schedule).then_some((time, schedule))
    };
    let mut apart = 0.0;
    for (problem, matmul) in problems.iter().zip(run) {
        apart += time(problem, &[*matmul])?.0;
    }
    let (together, schedule) = time(&joined(problems)?, run)?;
    (together < apart).then_some(schedule)
}
