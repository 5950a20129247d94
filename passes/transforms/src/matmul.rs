//! `layout-tile-matmul`: a matmul on views and a schedule become a tile program for a GPU.
//!
//! ```text
//! layout.matmul %a, %b, %c schedule(#layout.schedule<…>)
//!     -> gpu.module { gpu.func: one block's program, in layout operations }
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | [`problem`] | reads a matmul: operands, schedule, epilogue, and sizes that are known at run time ([`sizes`]) |
//! | [`normalise`] | functions that hold matmuls alone, and relayout copies of operands and results |
//! | [`scheduler`] | from the index of a block to tiles of C and ranges of K |
//! | [`mainloop`] | instructions, copies and buffers of a tile, decided and refused |
//! | [`pipeline`] | the K loop as operations, multistage or warp-specialised |
//! | [`epilogue`] | what is done to accumulators, and how they are stored |
//! | [`launch`] | kernels' skeletons, and what a launch needs |
//!
//! [`decide`] picks a mainloop and the copies that it needs, and [`group`] puts several matmuls of one function into one
//! kernel. Partitions are terms of the algebra ([`partition`]); no index formula stands here.

mod decide;
mod elementwise;
mod emit;
mod epilogue;
mod group;
mod launch;
mod mainloop;
mod normalise;
mod operand;
mod partition;
mod pipeline;
mod problem;
mod scheduler;
mod sizes;

use decide::{Decision, Program, decide};
use launch::{Copied, Kernels, Launch, copy_name, cover_text, grid_text, kernels, precision};
use layout_dialect::{
    build::{Builder, Val},
    diagnostics,
    schedule::Schedule,
    tree,
};
use mainloop::shared_memory;
use melior::ir::{
    BlockLike, BlockRef, OperationRef, attribute::StringAttribute, operation::OperationLike,
};
pub(crate) use normalise::outline::{becomes_a_kernel, groups, unused};
use normalise::{outline, relayout::Relayout};
use pipeline::{multistage, warp_specialised};
use problem::{Matmul, transposed};
use scheduler::split_k;

/// The attribute of a function that is one of a family: the family's name, which one it is, and the greatest sizes that it
/// is for.
pub(crate) const FAMILY: &str = "layout.family";

/// The pass, as its remarks name it.
const NAME: &str = "layout-tile-matmul";

/// Why a matmul was left alone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Algebra(#[from] layout_algebra::Error),
    #[error("{0}")]
    Grid(#[from] crate::grid::Error),
    #[error("cannot build the tile program: {0}")]
    Ir(#[from] melior::Error),
}

/// Tiles every `layout.matmul` below `module`.
///
/// # Errors
///
/// A diagnostic at each matmul that cannot be tiled.
pub(crate) fn run(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(module, "func.func") {
        let matmuls = tree::inside(function, "layout.matmul");
        if matmuls.is_empty() {
            continue;
        }
        let outlined = match outline::outline(module, function, &matmuls) {
            Ok(outlined) => outlined,
            Err((matmul, failure)) => {
                diagnostics::error(matmul, &failure.to_string());
                outcome = Err(());
                continue;
            }
        };
        for outlined in outlined {
            if let Err((matmul, failure)) = tile_all(outlined.function) {
                diagnostics::error(matmul, &failure.to_string());
                outlined.abandon();
                outcome = Err(());
            } else if let Err(failure) = outlined.finish(module) {
                diagnostics::error(function, &failure.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

/// Makes a kernel of a function that does nothing but matmuls.
fn tile_all<'c>(function: OperationRef<'c, 'c>) -> Result<(), (OperationRef<'c, 'c>, Failure)> {
    let matmuls = tree::inside(function, "layout.matmul");
    let Some(body) = tree::entry(function) else { return Ok(()) };
    match matmuls.as_slice() {
        [] => Ok(()),
        [one] => tile(function, body, *one).map_err(|failure| (*one, failure)),
        several => group::tile(function, body, several),
    }
}

/// Whether a program computes matmuls, which become one kernel, with a schedule in the place of theirs.
///
/// # Errors
///
/// What cannot be read, or does not fit.
pub(crate) fn fits(matmuls: &[OperationRef<'_, '_>], schedule: &Schedule) -> Result<(), String> {
    let refused = |failure: Failure| failure.to_string();
    // As they will stand when they are tiled: alone, on arguments.
    let made = outline::alone(matmuls).map_err(refused)?;
    let answer = || {
        let body = tree::entry(made).ok_or("expected a function with a body")?;
        let mut all = Vec::with_capacity(matmuls.len());
        for matmul in tree::inside(made, "layout.matmul") {
            all.push(Matmul::with(body, matmul, schedule.clone()).map_err(refused)?);
        }
        match all.as_slice() {
            [one] => decide(one).map(|_| ()).map_err(refused),
            several => group::fits(several),
        }
    };
    let answer = answer();
    tree::erase(made);
    answer
}

/// Makes a kernel of the name of `function`, which does nothing but `matmul`.
fn tile<'c>(
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    matmul: OperationRef<'c, 'c>,
) -> Result<(), Failure> {
    let mut read = Matmul::read(body, matmul)?;
    let Decision { copies, fused, unpacked, program } = decide(&read)?;
    // Workspaces stand behind the arguments: the copies of A and B, those of the epilogue's operands, the parts of
    // sums, C.
    let first = body.argument_count() + copies.0.iter().flatten().count();
    let sources: Vec<usize> = fused.iter().map(|&(number, _)| number).collect();
    for (place, &number) in sources.iter().enumerate() {
        let operands = read.fusion.as_mut().and_then(|fusion| fusion.operands.get_mut(number));
        if let Some(operand) = operands {
            operand.read_copy(first + place);
        }
    }
    let read = read;
    let (arguments, roles) = (read.arguments, read.roles);
    let [a, _, c] = &read.matrices;
    let problem = read.problem()?;
    let name = StringAttribute::try_from(function.attribute("sym_name")?)?.value().to_owned();
    let write = |launch: &Launch<'_>, emit: &dyn Fn(&Kernels<'c>) -> Result<(), melior::Error>| {
        tracing::info!(?launch, "tiled");
        let kernels = kernels(function, body, launch, &name, &[read.described()])?;
        emit(&kernels)?;
        Ok::<_, Failure>(())
    };
    let bound =
        |builder: &Builder<'c>, parameters: &[Val<'c>]| read.bound(builder, parameters, &problem);
    let element_of = |number: usize| {
        read.fusion
            .as_ref()
            .and_then(|fusion| fusion.operands.get(number))
            .map(|operand| (operand.argument, operand.element.clone()))
    };
    let mut before: Vec<Copied<'_>> = copies
        .named("")
        .into_iter()
        .map(|(name, copy)| Copied { name, element: a.element.clone(), copy })
        .collect();
    for (number, copy) in &fused {
        let (_, element) = element_of(*number).unwrap_or_default();
        before.push(Copied { name: copy.name.to_owned(), element, copy });
    }
    // The kernels before the program's own, and the numbers of its operands and of the next workspace.
    let open = |kernels: &Kernels<'c>| -> Result<([usize; 3], usize), melior::Error> {
        let mut operands = roles.map(|role| arguments[role]);
        let mut workspace = body.argument_count();
        copies.emit(kernels, "", &a.element, &mut operands, &mut workspace)?;
        for (number, copy) in &fused {
            let (argument, element) = element_of(*number).unwrap_or_default();
            let (builder, parameters) = kernels.open(&copy_name(copy.name), matmul.location())?;
            let source = transposed(&builder, parameters[argument], &problem)?;
            copy.pack(builder, &element, source, parameters[workspace])?;
            workspace += 1;
        }
        Ok((operands, workspace))
    };
    // The kernel behind the program's own, if C is copied, and the numbers of its operands.
    let close = |kernels: &Kernels<'c>, mut operands: [usize; 3], workspace: usize| {
        if let Some(copy) = &unpacked {
            let (builder, parameters) = kernels.open(&copy_name(copy.name), matmul.location())?;
            let target = transposed(&builder, parameters[operands[2]], &problem)?;
            copy.unpack(builder, &c.element, parameters[workspace], target)?;
            operands[2] = workspace;
        }
        Ok::<_, melior::Error>(operands)
    };
    copies.remark(matmul, &problem);
    let behind = || {
        let copies = unpacked.iter();
        let named = |copy: &'_ Relayout| copy.name.to_owned();
        copies.map(|copy| Copied { name: named(copy), element: c.element.clone(), copy }).collect()
    };
    match program {
        Program::Warpgroups(mut plan, sum) => {
            shared_memory::remark(matmul, &plan.conflicts());
            // A workspace stands as it is computed; the copy transposes.
            plan.swap_ab &= unpacked.is_none();
            let parts = plan.stream_k.as_ref();
            let parts = parts.and_then(|stream_k| Some((stream_k, stream_k.partial.as_ref()?)));
            let grid = match &plan.stream_k {
                Some(stream_k) => stream_k.blocks,
                None => plan.all_tiles().saturating_mul(plan.splits()),
            };
            let tiles = grid_text(&problem, (plan.tile.0, plan.tile.1), plan.cluster);
            let launch = Launch {
                grid: (grid, 1),
                grid_at_run_time: tiles.map(|[rows, columns, matrices]| {
                    [format!("{rows}*{columns}*{matrices}"), "1".to_owned()]
                }),
                threads: plan.threads(),
                chip: plan.chip.clone(),
                extents: vec![(problem.extents(plan.m, plan.n, plan.k), problem.batch())],
                precision: precision(plan.mma, plan.promote),
                loops: plan.stream_k.is_none(),
                cluster: plan.cluster.0 * plan.cluster.1,
                copies: before,
                sum: match (&plan.partial, &sum, parts) {
                    (Some(partial), Some(sum), _) => Some((&partial.layout, sum.shares.launch())),
                    (_, _, Some((stream_k, parts))) => {
                        Some((&parts.layout, stream_k.launch(parts)))
                    }
                    _ => None,
                },
                sum_at_run_time: sum.as_ref().and_then(|sum| {
                    let (tile, _) = sum.shares.arrangement();
                    let [rows, columns, matrices] =
                        cover_text(&problem, tile, (1, 1), (false, false))?;
                    Some([format!("{rows}*{matrices}"), columns])
                }),
                unpacked: behind(),
            };
            write(&launch, &|kernels| {
                let (mut operands, workspace) = open(kernels)?;
                if let Some(sum) = &sum {
                    let (builder, parameters) = kernels.open(split_k::NAME, matmul.location())?;
                    let c = transposed(&builder, parameters[operands[2]], &problem)?;
                    let extents = (plan.m, plan.n, plan.k);
                    let extents = read.extents(&builder, &parameters, extents, plan.batch)?;
                    let bound = bound(&builder, &parameters)?;
                    let extent = (extents.m, extents.n);
                    sum.emit(builder, parameters[workspace], c, bound, extent)?;
                    operands[2] = workspace;
                }
                let mut shared = None;
                if let Some((stream_k, parts)) = parts {
                    let (builder, parameters) = kernels.open(split_k::NAME, matmul.location())?;
                    let c = transposed(&builder, parameters[operands[2]], &problem)?;
                    let bound = bound(&builder, &parameters)?;
                    stream_k.sum(parts, &plan, builder, [parameters[workspace], c], bound)?;
                    shared = Some(workspace);
                }
                let operands = close(kernels, operands, workspace)?;
                let (builder, parameters) = kernels.open("", matmul.location())?;
                // The parts of a sum are not the sum yet.
                let bound = if sum.is_some() { None } else { bound(&builder, &parameters)? };
                let workspace = shared.map(|i| parameters[i]);
                let extents = (plan.m, plan.n, plan.k);
                let extents = read.extents(&builder, &parameters, extents, plan.batch)?;
                let operands = operands.map(|i| parameters[i]);
                let product =
                    warp_specialised::Product { plan: &plan, operands, fused: bound, extents };
                warp_specialised::emit(builder, vec![product], workspace)
            })
        }
        Program::Warps(plan) => {
            shared_memory::remark(matmul, &plan.conflicts());
            let tiles = grid_text(&problem, (plan.tile.0, plan.tile.1), (1, 1));
            let launch = Launch {
                grid: plan.grid(),
                grid_at_run_time: tiles
                    .map(|[rows, columns, matrices]| [format!("{rows}*{matrices}"), columns]),
                threads: plan.threads,
                chip: plan.chip.clone(),
                extents: vec![(problem.extents(plan.m, plan.n, plan.k), problem.batch())],
                precision: precision(plan.mma, false),
                loops: false,
                cluster: 1,
                copies: before,
                sum: None,
                sum_at_run_time: None,
                unpacked: behind(),
            };
            write(&launch, &|kernels| {
                let (operands, workspace) = open(kernels)?;
                let operands = close(kernels, operands, workspace)?;
                let (builder, parameters) = kernels.open("", matmul.location())?;
                let [a, b, c] = operands.map(|i| parameters[i]);
                let c = match &unpacked {
                    Some(_) => c,
                    None => transposed(&builder, c, &problem)?,
                };
                let fused = bound(&builder, &parameters)?;
                let extents = (plan.m, plan.n, plan.k);
                let extents = read.extents(&builder, &parameters, extents, plan.batch)?;
                let product =
                    multistage::Product { plan: &plan, operands: [a, b, c], fused, extents };
                multistage::emit(builder, &[product])
            })
        }
    }
}
