//! `layout-normalise-matmul`: rewrites matmuls so that the mainloop of their schedule accepts their operands.
//!
//! ```text
//! layout.matmul %a, %b, %c schedule(<…, swap_ab = true>)
//!     -> %turned = layout.select %c                     C as the swapped operands give it
//!        %copy = memref.alloc, layout.make_view         an operand that the mainloop does not take is copied,
//!        layout.copy %b, %copy
//!        layout.matmul %copy, %a, %turned schedule(<…, mma = …>)
//! ```
//!
//! C and the epilogue's operands are copied likewise, C after the matmul. The schedule names its atom, and so the mainloop. Every
//! operation that is made has the attribute [`STEP`]: tiling makes a kernel of each copy, and a workspace of its memory.
//!
//! Imports the problem, what decides on copies, and workspaces; knows nothing of kernels.

use crate::matmul::{
    Failure, NAME,
    decide::Decision,
    kernel,
    normalise::{launches::Workspace, outline},
    problem::Matmul,
};
use layout_dialect::{
    ScheduleAttribute,
    build::{Builder, Val, context_of, first_result, operand},
    diagnostics::{self, Optimization},
    schedule::Schedule,
    tree,
};
use melior::ir::{
    Attribute, OperationRef, attribute::DenseI64ArrayAttribute, operation::OperationLike,
};

/// The attribute of an operation that is a step of the matmul beside it: a view of an operand, or a relayout copy.
pub(crate) const STEP: &str = "layout.relayout";

/// The attribute of a matmul whose A and B were swapped: kernels name their arguments as the source did.
pub(crate) const SWAPPED: &str = "layout.swapped";

/// Normalises every `layout.matmul` below `module`; each has a schedule.
///
/// # Errors
///
/// A diagnostic at each matmul that cannot be computed.
pub(crate) fn run(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(module, "func.func") {
        let matmuls = tree::inside(function, "layout.matmul");
        for group in outline::groups(function, &matmuls) {
            if let Err((number, failure)) = normalise(&group) {
                diagnostics::error(group[number.min(group.len() - 1)], &failure.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

/// Normalises matmuls that become one kernel.
fn normalise(matmuls: &[OperationRef<'_, '_>]) -> Result<(), (usize, Failure)> {
    // As they are when they are tiled: alone, on arguments.
    let made = outline::alone(matmuls).map_err(|failure| (0, failure))?;
    let rewrite_all = || {
        let alone = tree::inside(made, "layout.matmul");
        let body = tree::entry(made).ok_or((0, melior::Error::OperationBuild.into()))?;
        let mut all = Vec::with_capacity(alone.len());
        for (number, &matmul) in alone.iter().enumerate() {
            all.push(Matmul::read(body, matmul).map_err(|failure| (number, failure))?);
        }
        let decisions = kernel::decide(&all)?;
        let each = matmuls.iter().zip(all.iter().zip(&decisions)).enumerate();
        for (number, (&matmul, (read, decision))) in each {
            rewrite(matmul, read, decision).map_err(|failure| (number, failure))?;
        }
        Ok(())
    };
    let outcome = rewrite_all();
    tree::erase(made);
    outcome
}

/// Puts a normal matmul, and the copies that it needs, in place of one.
fn rewrite<'c>(
    matmul: OperationRef<'c, '_>,
    read: &Matmul<'_>,
    decision: &Decision,
) -> Result<(), Failure> {
    remark(matmul, read, decision)?;
    let is_swapped = matmul.attribute(SWAPPED).is_ok();
    let swaps = read.schedule.swap_ab && !is_swapped;
    let schedule = Schedule {
        swap_ab: false,
        mma: Some(decision.plan.mma.name.to_owned()),
        ..read.schedule.clone()
    };
    let b = Builder::before(matmul);
    let mut operands: Vec<Val<'c>> =
        (0..matmul.operand_count()).map(|i| operand(matmul, i)).collect();
    if swaps {
        operands.swap(0, 1);
        for view in &mut operands[2..] {
            *view = turned(&b, *view)?;
        }
    }
    let fused = decision.fused.iter().map(|(number, copy)| (3 + number, copy));
    let before = decision.copies.0.iter().enumerate();
    let before = before.filter_map(|(i, copy)| copy.as_ref().map(|copy| (i, copy))).chain(fused);
    let mut memory = Vec::new();
    for (i, copy) in before {
        let element = read.inputs().get(i).map_or_else(|| read.element(i), |of| (*of).to_owned());
        let (held, view) = workspace(&b, Workspace { element, layout: copy.layout.clone() })?;
        step(&b, "layout.copy", &[operands[i], view])?;
        memory.push(held);
        operands[i] = view;
    }
    let target = operands[2];
    if let Some(copy) = &decision.unpacked {
        let (held, view) =
            workspace(&b, Workspace { element: read.element(2), layout: copy.layout.clone() })?;
        memory.push(held);
        operands[2] = view;
    }
    let made = tree::clone_with(&b, matmul, &operands);
    tree::set_attribute(
        made,
        "schedule",
        ScheduleAttribute::new(context_of(matmul), &schedule).into(),
    );
    if swaps {
        tree::set_attribute(made, SWAPPED, Attribute::unit(b.context()));
    }
    if decision.unpacked.is_some() {
        step(&b, "layout.copy", &[operands[2], target])?;
    }
    for held in memory {
        step(&b, "memref.dealloc", &[held])?;
    }
    tree::erase(matmul);
    Ok(())
}

/// Says which operands are copied, and why warps multiply where they do instead of warpgroups.
fn remark(
    matmul: OperationRef<'_, '_>,
    read: &Matmul<'_>,
    decision: &Decision,
) -> Result<(), Failure> {
    decision.copies.remark(matmul, &read.source()?);
    if let Some(reason) = &decision.missed {
        let reason = format!("warps multiply, since warpgroups cannot: {reason}");
        let kind = Optimization::Missed;
        diagnostics::optimization_remark(matmul, kind, NAME, "mainloop", &reason, "");
    }
    Ok(())
}

/// The transpose of a matrix, or of each of a batch.
fn turned<'c>(b: &Builder<'c>, view: Val<'c>) -> Result<Val<'c>, Failure> {
    let value =
        layout_dialect::ViewType::try_from(melior::ir::ValueLike::r#type(&view))?.term_value();
    let rank = value.ok().and_then(|value| value.rank()).unwrap_or(2);
    let modes = if rank == 3 { &[1, 0, 2][..] } else { &[1, 0] };
    let modes = DenseI64ArrayAttribute::new(b.context(), modes).into();
    let made = b.inferred("layout.select", &[view], &[("modes", modes)])?;
    tree::set_attribute(made, STEP, Attribute::unit(b.context()));
    Ok(first_result(made))
}

/// Memory for a copy, and a view of it.
fn workspace<'c>(b: &Builder<'c>, of: Workspace) -> Result<(Val<'c>, Val<'c>), Failure> {
    let (held, view) = of.emit(b)?;
    let mut made = vec![view];
    while let Some(step) = made.pop().and_then(tree::definition) {
        tree::set_attribute(step, STEP, Attribute::unit(b.context()));
        made.extend((0..step.operand_count()).map(|i| operand(step, i)));
    }
    Ok((held, view))
}

/// An operation without results that is a step of a matmul.
fn step<'c>(b: &Builder<'c>, name: &str, operands: &[Val<'c>]) -> Result<(), Failure> {
    let mut attributes = vec![(STEP, Attribute::unit(b.context()))];
    if name == "layout.copy" {
        let atom = "#layout.atom<simt_1>";
        let atom = Attribute::parse(b.context(), atom)
            .ok_or_else(|| melior::Error::AttributeParse(atom.to_owned()))?;
        let limits = DenseI64ArrayAttribute::new(b.context(), &[]).into();
        attributes.extend([("atom", atom), ("limits", limits)]);
    }
    b.operation(name, operands, &[], &attributes, vec![])?;
    Ok(())
}

/// Whether an operation is a step of a matmul.
pub(crate) fn is_step(operation: OperationRef<'_, '_>) -> bool {
    operation.attribute(STEP).is_ok()
}

/// The steps of a matmul, in the order of their block: those that make its operands, and those that take what these made.
pub(crate) fn steps<'c>(matmul: OperationRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    // SAFETY: the matmul is in a module that outlives the call.
    let matmul: OperationRef<'c, 'c> = unsafe { OperationRef::from_raw(matmul.to_raw()) };
    let mut found: Vec<OperationRef<'c, 'c>> = Vec::new();
    let mut next = vec![matmul];
    while let Some(operation) = next.pop() {
        let operands = (0..operation.operand_count()).map(|i| operand(operation, i));
        let makers = operands.filter_map(tree::definition);
        let users = tree::users(operation).collect::<Vec<_>>();
        for other in makers.chain(users).filter(|&other| is_step(other)) {
            if !found.contains(&other) {
                found.push(other);
                next.push(other);
            }
        }
    }
    found.sort_by(|&one, &other| match (one == other, tree::comes_before(one, other)) {
        (true, _) => std::cmp::Ordering::Equal,
        (_, true) => std::cmp::Ordering::Less,
        (_, false) => std::cmp::Ordering::Greater,
    });
    found
}

/// Where an operand of a matmul comes from.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'c> {
    /// The operand itself, without the steps that bring it to the matmul, or take it from there.
    pub(crate) value: Val<'c>,
    /// The view of the workspace, where there is a copy.
    pub(crate) workspace: Option<Val<'c>>,
}

/// Where the operands of a matmul come from, in the order of the source.
pub(crate) fn origins<'c>(matmul: OperationRef<'c, '_>) -> Vec<Origin<'c>> {
    let mut all: Vec<_> = (0..matmul.operand_count()).map(|i| origin(matmul, i)).collect();
    if matmul.attribute(SWAPPED).is_ok() {
        all.swap(0, 1);
    }
    all
}

/// Where an operand of a matmul comes from, by its number.
fn origin<'c>(matmul: OperationRef<'c, '_>, number: usize) -> Origin<'c> {
    let made_by = |value: Val<'c>, name: &str| {
        tree::definition(value).filter(|&made| is_step(made) && tree::name(made) == name)
    };
    let own = operand(matmul, number);
    let mut origin = Origin { value: own, workspace: None };
    if let Some(view) = made_by(own, "layout.make_view") {
        let copies =
            |&other: &OperationRef<'c, 'c>| is_step(other) && tree::name(other) == "layout.copy";
        if let Some(copy) = tree::users(view).find(copies) {
            let sides = [operand(copy, 0), operand(copy, 1)];
            origin.value = if sides[0] == own { sides[1] } else { sides[0] };
            origin.workspace = Some(own);
        }
    }
    if let Some(turned) = made_by(origin.value, "layout.select") {
        origin.value = operand(turned, 0);
    }
    origin
}
