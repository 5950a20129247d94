//! `layout-tile-matmul`: a matmul on views and a schedule become a tile program for a GPU.
//!
//! ```text
//! layout.matmul %a, %b, %c schedule(#layout.schedule<…>)
//!     -> gpu.module { gpu.func: one block's program, in layout operations }
//! ```
//!
//! There are two ways. Warps that copy with `cp.async` and multiply with `mma.sync` run on every
//! chip: [`plan`] decides and refuses, [`program`] emits. Warpgroups that are fed by bulk copies and
//! multiply with `wgmma` are for one: [`warpgroup_plan`], [`warpgroup_program`]. [`partition`]
//! writes the terms of both, [`epilogue`] what both do to the sums before they store them. Several
//! matmuls of one function are one kernel ([`group`]), whose tiles are one order ([`order`]). All
//! partitioning, addresses and predicates are terms of the algebra; no index formula stands here.

mod banks;
mod bulk;
mod copies;
mod decide;
mod emit;
mod epilogue;
mod group;
mod held;
mod operand;
mod order;
mod outline;
mod partition;
mod plan;
mod program;
mod raster;
mod repack;
mod share;
mod sizes;
mod stream_k;
mod sum;
mod warpgroup_plan;
mod warpgroup_program;

use crate::pointers::{self, ASSUMED};
use decide::{Decision, Program, decide};
use emit::{Extent, Extents};
use epilogue::{Bound, Fusion};
use layout_algebra::Layout;
use layout_dialect::{
    Space, ViewType,
    atoms::{self, Atom},
    build::{Builder, Val, context_of, operand as operand_of},
    diagnostics,
    schedule::Schedule,
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, Location, OperationRef, ValueLike, attribute::StringAttribute,
    operation::OperationLike,
};
pub(crate) use outline::{becomes_a_kernel, groups};
use plan::Problem;
use repack::Repack;
use share::Place;
use sizes::{MODES, Said, Sizes};
use std::fmt::Write;

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

/// A matmul as it was read.
struct Matmul<'c> {
    /// A, B and C, and the numbers of their arguments.
    matrices: [Matrix; 3],
    arguments: [usize; 3],
    schedule: Schedule,
    /// Exchanged, A and B have each other's roles, and C is seen transposed.
    roles: [usize; 3],
    seen: Layout,
    fusion: Option<Fusion<'c>>,
    /// Those that are known at run time.
    sizes: Sizes,
}

impl<'c> Matmul<'c> {
    fn read(body: BlockRef<'c, 'c>, matmul: OperationRef<'c, 'c>) -> Result<Self, Failure> {
        Self::with(body, matmul, layout_dialect::ops::schedule(matmul)?)
    }

    /// A matmul with a schedule in the place of its own.
    fn with(
        body: BlockRef<'c, 'c>,
        matmul: OperationRef<'c, 'c>,
        schedule: Schedule,
    ) -> Result<Self, Failure> {
        let operands = [0, 1, 2].map(|i| operand_of(matmul, i));
        let mut arguments = [0; 3];
        for (i, name) in ["A", "B", "C"].into_iter().enumerate() {
            arguments[i] = position(body, operands[i], name)?;
        }
        let mut sizes = Sizes::default();
        let names = [("a", MODES[0]), ("b", MODES[1]), ("c", MODES[2])];
        for (operand, (name, modes)) in operands.into_iter().zip(names) {
            sizes.note(name, ViewType::try_from(operand.r#type())?, &modes)?;
        }
        for i in 3..matmul.operand_count() {
            let view = ViewType::try_from(operand_of(matmul, i).r#type())?;
            sizes.note(&format!("e{}", i - 3), view, &MODES[2])?;
        }
        if let Some(function) = body.parent_operation() {
            sizes.bound(function);
        }
        let read = |i: usize| read(operands[i], names[i].0, &names[i].1, &sizes);
        let (a, b, c) = (read(0)?, read(1)?, read(2)?);
        let roles = if schedule.swap_ab { [1, 0, 2] } else { [0, 1, 2] };
        let seen = if schedule.swap_ab { turned("C", &c.layout)? } else { c.layout.clone() };
        let fusion = Fusion::new(matmul, body, schedule.swap_ab, &sizes)?;
        Ok(Self { matrices: [a, b, c], arguments, schedule, roles, seen, fusion, sizes })
    }

    fn problem(&self) -> Result<Problem<'_>, Failure> {
        let [a, _, c] = &self.matrices;
        let alignment = |role: usize| self.matrices[role].alignment;
        Ok(Problem {
            a: &self.matrices[self.roles[0]].layout,
            b: &self.matrices[self.roles[1]].layout,
            c: &self.seen,
            alignments: self.roles.map(alignment),
            input: &a.element,
            input_bytes: element_bits("A", &a.element)? / 8,
            output_bits: element_bits("C", &c.element)?,
            schedule: &self.schedule,
            stores_to_workspace: false,
            sizes: &self.sizes,
            strided: self.roles.map(|role| self.matrices[role].said.is_strided()),
        })
    }

    /// The extents of the product in a kernel of these parameters, in the roles of A and B: those of a plan, where they
    /// are known.
    fn extents(
        &self,
        builder: &Builder<'c>,
        parameters: &[Val<'c>],
        (m, n, k): (i64, i64, i64),
        batch: Option<i64>,
    ) -> Result<Extents<'c>, melior::Error> {
        let e = emit::Emit { b: *builder };
        let extent = |name: &str, known: i64| -> Result<Extent<'c>, melior::Error> {
            for (matrix, &argument) in self.matrices.iter().zip(&self.arguments) {
                let own = |extent: &Option<String>| extent.as_deref() == Some(name);
                if let Some(mode) = matrix.said.extents.iter().position(own) {
                    return e.extent_of(parameters[argument], mode).map(Extent::At);
                }
            }
            Ok(Extent::Known(known))
        };
        let (rows, columns) = if self.schedule.swap_ab { ("n", "m") } else { ("m", "n") };
        Ok(Extents {
            m: extent(rows, m)?,
            n: extent(columns, n)?,
            k: extent("k", k)?,
            batch: batch.map(|batch| extent("batch", batch)).transpose()?,
        })
    }

    /// Its epilogue in a kernel of these parameters.
    fn bound(
        &self,
        builder: &Builder<'c>,
        parameters: &[Val<'c>],
        problem: &Problem<'_>,
    ) -> Result<Option<Bound<'_, 'c>>, melior::Error> {
        let views = self.fusion.iter().flat_map(|fusion| &fusion.operands).map(|operand| {
            match operand.is_copied() {
                true => Ok(parameters[operand.source]),
                false => transposed(builder, parameters[operand.argument], problem),
            }
        });
        let views = views.collect::<Result<Vec<_>, melior::Error>>()?;
        Ok(self.fusion.as_ref().map(|fusion| Bound::new(fusion, views)))
    }

    fn described(&self) -> Described<'_, 'c> {
        let Self { matrices, arguments, fusion, sizes, .. } = self;
        Described { matrices, arguments, fusion: fusion.as_ref(), sizes }
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
    copies.tell(matmul, &problem);
    let behind = || {
        let copies = unpacked.iter();
        let named = |copy: &'_ Repack| copy.name.to_owned();
        copies.map(|copy| Copied { name: named(copy), element: c.element.clone(), copy }).collect()
    };
    match program {
        Program::Warpgroups(mut plan, sum) => {
            banks::tell(matmul, &plan.conflicts());
            // A workspace stands as it is computed; the copy transposes.
            plan.exchanged &= unpacked.is_none();
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
                    let (builder, parameters) = kernels.open(sum::NAME, matmul.location())?;
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
                    let (builder, parameters) = kernels.open(sum::NAME, matmul.location())?;
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
                    warpgroup_program::Product { plan: &plan, operands, fused: bound, extents };
                warpgroup_program::emit(builder, vec![product], workspace)
            })
        }
        Program::Warps(plan) => {
            banks::tell(matmul, &plan.conflicts());
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
                let product = program::Product { plan: &plan, operands: [a, b, c], fused, extents };
                program::emit(builder, &[product])
            })
        }
    }
}

/// The number of the function's argument that a value is.
fn position<'c>(body: BlockRef<'c, 'c>, value: Val<'c>, name: &str) -> Result<usize, Failure> {
    (0..body.argument_count()).find(|&i| tree::argument(body, i) == value).ok_or_else(|| {
        Failure::Refused(format!("expected {name} to be an argument of the function"))
    })
}

/// The layout of a matrix's transpose, or of those of a batch.
fn turned(name: &str, layout: &Layout) -> Result<Layout, Failure> {
    let mut modes = layout.modes();
    if !matches!(modes.len(), 2 | 3) {
        return Err(Failure::Refused(format!("expected {name} of rank 2 or 3, found {layout}")));
    }
    modes.swap(0, 1);
    Ok(layout_algebra::make_layout(&modes)?)
}

/// C, or a matrix of its shape, as the roles of A and B have it.
fn transposed<'c>(
    builder: &Builder<'c>,
    c: Val<'c>,
    problem: &Problem<'_>,
) -> Result<Val<'c>, melior::Error> {
    if !problem.schedule.swap_ab {
        return Ok(c);
    }
    let modes = problem.c.modes();
    let extent = |i: usize| modes.get(i).map_or(1, Layout::size);
    let known = problem.sizes.is_empty();
    let e = emit::Emit { b: *builder };
    e.turned(c, (extent(0), extent(1)), problem.batch(), known)
}

/// The tiles along M and N, in whole clusters, and the matrices of a batch as expressions, where sizes are known at run
/// time.
fn grid_text(problem: &Problem<'_>, tile: (i64, i64), cluster: (i64, i64)) -> Option<[String; 3]> {
    cover_text(problem, tile, cluster, problem.is_covered(tile))
}

/// As [`grid_text`], with one tile along the modes that are covered.
fn cover_text(
    problem: &Problem<'_>,
    (rows, columns): (i64, i64),
    (cm, cn): (i64, i64),
    covered: (bool, bool),
) -> Option<[String; 3]> {
    let sizes = problem.sizes;
    if sizes.is_empty() {
        return None;
    }
    let extent = |layout: &Layout, mode: usize| layout.mode(mode).map_or(1, |mode| mode.size());
    let (m, n) = if problem.schedule.swap_ab { ("n", "m") } else { ("m", "n") };
    let text = |covered: bool, name: &str, mode: usize| match covered {
        true => "1".to_owned(),
        false => sizes.text(name, extent(problem.c, mode)),
    };
    Some([
        sizes::tiles(&text(covered.0, m, 0), rows, cm),
        sizes::tiles(&text(covered.1, n, 1), columns, cn),
        sizes.text("batch", problem.batch().unwrap_or(1)),
    ])
}

/// What a launch of the kernel needs.
#[derive(Debug)]
struct Launch<'a> {
    grid: (i64, i64),
    /// The same as expressions, where sizes are known at run time.
    grid_at_run_time: Option<[String; 2]>,
    threads: i64,
    chip: String,
    /// (M, N, K) of each product, and how many there are where it is a batch.
    extents: Vec<((i64, i64, i64), Option<i64>)>,
    /// What of it is less exact than operands and sums of f32 would be.
    precision: Option<&'static str>,
    /// Whether blocks loop over tiles, so that a grid that fills the device is enough.
    loops: bool,
    /// Blocks that run together.
    cluster: i64,
    /// The copies before it, each with a workspace.
    copies: Vec<Copied<'a>>,
    /// The sum of the parts of C behind it, with the workspace of the parts.
    sum: Option<(&'a Layout, Place)>,
    /// The sum's blocks as expressions, where sizes are known at run time.
    sum_at_run_time: Option<[String; 2]>,
    /// The copies of C behind it, each with a workspace.
    unpacked: Vec<Copied<'a>>,
}

/// A copy of an operand, what it is named after, and what its elements are.
#[derive(Debug)]
struct Copied<'a> {
    name: String,
    element: String,
    copy: &'a Repack,
}

/// The manifest's word for what an atom rounds.
fn precision(atom: &Atom, promoted: bool) -> Option<&'static str> {
    let mma = atom.mma()?;
    match (mma.multiplicand, mma.short_sums) {
        ("tf32", _) => Some("tf32"),
        (_, true) if promoted => Some("promoted_sums"),
        (_, true) => Some("short_sums"),
        _ if mma.output == "f16" => Some("short_sums"),
        _ => None,
    }
}

/// The kernels of a module, still empty.
struct Kernels<'c> {
    name: String,
    module: OperationRef<'c, 'c>,
    /// How many run before the matmul's own, and how many behind it.
    steps: (usize, usize),
    /// Whether the chip lets each be launched while the one before it still runs.
    overlap: bool,
}

impl<'c> Kernels<'c> {
    /// A builder in another kernel, or in the matmul's own, and its parameters. Of several kernels, on chips
    /// that can, each may be launched while the one before it still runs, and waits for it.
    fn open(
        &self,
        other: &str,
        location: Location<'c>,
    ) -> Result<(Builder<'c>, Vec<Val<'c>>), melior::Error> {
        let name = kernel_name(&self.name, other);
        let named = |kernel: &OperationRef<'c, 'c>| {
            kernel
                .attribute("sym_name")
                .and_then(StringAttribute::try_from)
                .is_ok_and(|found| found.value() == name)
        };
        let all = tree::inside(self.module, "gpu.func");
        // The matmul's own is the last in the module, and runs behind those before it.
        let (before, after) = self.steps;
        let place = all.iter().position(named).ok_or(melior::Error::OperationBuild)?;
        let turn = match place {
            own if own == before + after => before,
            step if step < before => step,
            step => step + 1,
        };
        let entry = tree::entry(all[place]).ok_or(melior::Error::OperationBuild)?;
        let parameters = (0..entry.argument_count()).map(|i| tree::argument(entry, i)).collect();
        let builder = Builder::at_end(context_of(self.module), location, entry);
        let emit = emit::Emit { b: builder };
        let control = |action: &str| -> Result<(), melior::Error> {
            if !self.overlap {
                return Ok(());
            }
            let kind = emit.attribute(&format!("#nvvm<grid_dep_action {action}>"))?;
            builder.operation("nvvm.griddepcontrol", &[], &[], &[("kind", kind)], vec![])?;
            Ok(())
        };
        if turn < before + after {
            control("launch_dependents")?;
        }
        if turn > 0 {
            control("wait")?;
        }
        Ok((builder, parameters))
    }
}

/// The name of a matmul's kernel, or of another one that works for it.
fn kernel_name(name: &str, other: &str) -> String {
    if other.is_empty() { name.to_owned() } else { format!("{name}_{other}") }
}

/// What the kernel of a copy is named after.
fn copy_name(name: &str) -> String {
    format!("copy_{name}")
}

/// An operand of the matmul.
struct Matrix {
    element: String,
    /// The layout; numbers stand for sizes that are known at run time.
    layout: Layout,
    /// What the kernel's facts say of it.
    said: Said,
    /// Bytes that its address is a multiple of.
    alignment: i64,
}

fn read(value: Val<'_>, name: &str, modes: &[&str], sizes: &Sizes) -> Result<Matrix, Failure> {
    let alignment = pointers::alignment(value);
    let view = ViewType::try_from(value.r#type())?;
    if view.space() != Space::Global {
        return Err(Failure::Refused(format!(
            "expected operands in global memory, found {}",
            value.r#type()
        )));
    }
    let (layout, said) = sizes.layout(name, view, modes)?;
    let element = view.element_type().to_string();
    let bytes = element_bits("operands", &element)? / 8;
    if alignment % bytes != 0 {
        return Err(Failure::Refused(format!(
            "expected operands at multiples of the {bytes} bytes of their elements, found one with \
             llvm.align = {alignment}"
        )));
    }
    Ok(Matrix { element, layout, said, alignment })
}

/// What the facts of a kernel say of the matmul's operands.
struct Described<'a, 'c> {
    /// A, B and C.
    matrices: &'a [Matrix; 3],
    /// The numbers of their arguments.
    arguments: &'a [usize; 3],
    fusion: Option<&'a Fusion<'c>>,
    sizes: &'a Sizes,
}

/// Makes a `gpu.module` with empty kernels in front of `function`.
///
/// The skeleton is text because that is how it reads best; its body is built, not written.
fn kernels<'c>(
    function: OperationRef<'c, 'c>,
    body: melior::ir::BlockRef<'c, 'c>,
    launch: &Launch<'_>,
    name: &str,
    products: &[Described<'_, 'c>],
) -> Result<Kernels<'c>, Failure> {
    let context = context_of(function);
    let said = tree::argument_attributes(function).unwrap_or_default();
    let mut parameters: Vec<String> = (0..body.argument_count())
        .map(|i| {
            let said = said.get(i).map(ToString::to_string).unwrap_or_default();
            format!("%arg{i}: {} {said}", tree::argument(body, i).r#type())
        })
        .collect();
    let mut described = vec![String::new(); body.argument_count()];
    let describe = |name: &str, element: &str, said: &Said, access: &str, alignment: i64| {
        let start = match alignment {
            ASSUMED => String::new(),
            bytes => format!(", alignment = {bytes} : i64"),
        };
        format!(
            "{{name = \"{name}\", element = \"{element}\", shape = \"{}\", stride = \"{}\", access = \"{access}\"{start}{}}}",
            said.shape,
            said.stride,
            said.integers()
        )
    };
    for (number, Described { matrices, arguments, fusion, .. }) in products.iter().enumerate() {
        // Of several products, whose it is.
        let number = if products.len() == 1 { String::new() } else { number.to_string() };
        let reads_c = fusion.is_some_and(|fusion| fusion.reads(arguments[2]));
        let roles =
            [("a", "read"), ("b", "read"), ("c", if reads_c { "read_write" } else { "write" })];
        for ((matrix, (role, access)), &position) in matrices.iter().zip(roles).zip(*arguments) {
            if let Some(slot) = described.get_mut(position) {
                let name = format!("{role}{number}");
                *slot = describe(&name, &matrix.element, &matrix.said, access, matrix.alignment);
            }
        }
        let separator = if number.is_empty() { "" } else { "_" };
        for (i, operand) in fusion.iter().flat_map(|fusion| &fusion.operands).enumerate() {
            match described.get_mut(operand.argument) {
                Some(slot) if slot.is_empty() => {
                    let name = format!("e{i}{separator}{number}");
                    *slot =
                        describe(&name, &operand.element, &operand.said, "read", operand.alignment);
                }
                _ => {}
            }
        }
    }
    if let Some(unused) = described.iter().position(String::is_empty) {
        return Err(Failure::Refused(format!(
            "expected every argument of the function to be an operand of a matmul, found argument {unused}, \
             which is none"
        )));
    }
    let (mut workspaces, mut text) = (Vec::new(), String::new());
    let mut workspace = |name: &str, element: &str, layout: &Layout| {
        let view = format!("!layout.view<{element}, global, {layout}>");
        parameters.push(format!("%arg{}: {view}", parameters.len()));
        workspaces.push(describe(name, element, &Said::of(layout), "write", ASSUMED));
    };
    let (mut others, mut at_run_time) = (Vec::new(), Vec::new());
    for Copied { name, element, copy } in &launch.copies {
        workspace(&format!("{name}_copy"), element, &copy.layout);
        others.push((copy_name(name), copy.shares.launch()));
        at_run_time.push(None);
    }
    if let Some((layout, place)) = launch.sum {
        workspace(&format!("{}s", sum::NAME), "f32", layout);
        others.push((sum::NAME.to_owned(), place));
        at_run_time.push(launch.sum_at_run_time.as_ref());
    }
    for Copied { name, element, copy } in &launch.unpacked {
        workspace(&format!("{name}_copy"), element, &copy.layout);
        others.push((copy_name(name), copy.shares.launch()));
        at_run_time.push(None);
    }
    let parameters = parameters.join(", ");
    let mut steps = Vec::new();
    for ((other, ((x, y), threads)), at_run_time) in others.into_iter().zip(at_run_time) {
        let name = kernel_name(name, &other);
        let grid = match at_run_time {
            None => format!("array<i64: {x}, {y}, 1>"),
            Some([x, y]) => format!("[\"{x}\", \"{y}\", 1 : i64]"),
        };
        let place = format!("grid = {grid}, block = array<i64: {threads}, 1, 1>");
        // What names the sizes of the blocks.
        let args = match at_run_time {
            None => String::new(),
            Some(_) => format!(", args = [{}]", described.join(", ")),
        };
        steps.push(format!("{{name = \"{name}\", {place}}}"));
        let _ = write!(
            text,
            " gpu.func @{name}({parameters}) kernel attributes {{\
             known_block_size = array<i32: {threads}, 1, 1>, layout.step = {{{place}{args}}}}} {{\n \
             gpu.return\n }}\n"
        );
    }
    let grid = match &launch.grid_at_run_time {
        None => format!("array<i64: {}, {}, 1>", launch.grid.0, launch.grid.1),
        Some([x, y]) => format!("[\"{x}\", \"{y}\", 1 : i64]"),
    };
    let precision = match launch.precision {
        Some(precision) => format!(", precision = \"{precision}\""),
        None => String::new(),
    };
    let mut extra = String::new();
    if launch.loops {
        extra.push_str("grid_limit = \"multiprocessors\", ");
    }
    if launch.cluster != 1 {
        let _ = write!(extra, "cluster = {} : i64, ", launch.cluster);
    }
    // From Hopper on.
    let overlap = atoms::chip_number(&launch.chip).is_some_and(|number| number >= 90);
    if !steps.is_empty() && overlap {
        extra.push_str("dependent_launch = true, ");
    }
    if let Ok(family) = function.attribute(FAMILY) {
        let _ = write!(extra, "family = {family}, ");
    }
    let after = steps.split_off(launch.copies.len());
    let order = (steps.len(), after.len());
    for (key, list) in [("workspaces", workspaces), ("before", steps), ("after", after)] {
        if !list.is_empty() {
            let _ = write!(extra, "{key} = [{}], ", list.join(", "));
        }
    }
    let mut known = format!("known_block_size = array<i32: {}, 1, 1>", launch.threads);
    if launch.cluster != 1 {
        let _ = write!(known, ", known_cluster_size = array<i32: {}, 1, 1>", launch.cluster);
    }
    let extents = |number: usize| {
        let ((m, n, k), batch) = launch.extents.get(number).copied().unwrap_or_default();
        let fact = |name: &str, extent: i64| match products.get(number) {
            Some(product) => product.sizes.fact(name, extent),
            None => format!("{extent} : i64"),
        };
        let batch = batch.map(|batch| format!(", batch = {}", fact("batch", batch)));
        let [m, n, k] = [("m", m), ("n", n), ("k", k)].map(|(name, extent)| fact(name, extent));
        format!("m = {m}, n = {n}, k = {k}{}", batch.unwrap_or_default())
    };
    let epilogue = |product: &Described<'_, 'c>| match product.fusion {
        Some(fusion) => format!(", epilogue = {}", fusion.facts()),
        None => String::new(),
    };
    let problem = match products {
        [one] => {
            format!("kind = \"matmul\", {}{precision}{}", extents(0), epilogue(one))
        }
        several => {
            let all: Vec<String> = several
                .iter()
                .enumerate()
                .map(|(number, product)| {
                    let [a, b, c] = product.arguments;
                    let place = format!("args = array<i64: {a}, {b}, {c}>");
                    format!("{{{}, {place}{}}}", extents(number), epilogue(product))
                })
                .collect();
            format!("kind = \"grouped\", products = [{}]{precision}", all.join(", "))
        }
    };
    let text = format!(
        "gpu.module @{name} {{\n{text} gpu.func @{name}({parameters}) kernel attributes {{{known}, \
         layout.kernel = {{grid = {grid}, {sizes}\
         {extra}block = array<i64: {threads}, 1, 1>, chip = \"{chip}\", args = [{args}], \
         problem = {{{problem}}}}}}} {{\n \
         gpu.return\n }}\n}}\n",
        threads = launch.threads,
        chip = launch.chip,
        sizes = products.first().map(|product| product.sizes.facts()).unwrap_or_default(),
        args = described.join(", "),
    );
    let skeleton = melior::ir::Module::parse(context, &text)
        .ok_or_else(|| Failure::Refused(format!("cannot parse the kernel's skeleton:\n{text}")))?;
    let source = tree::inside(skeleton.as_operation(), "gpu.module");
    let source = source.first().ok_or_else(|| Failure::Refused("empty skeleton".to_owned()))?;
    let builder = Builder::before(function);
    let module = tree::clone_with(&builder, *source, &[]);
    for kernel in tree::inside(module, "gpu.func") {
        for operation in tree::all(kernel) {
            tree::erase(operation);
        }
    }
    Ok(Kernels { name: name.to_owned(), module, steps: order, overlap })
}

fn element_bits(name: &str, element: &str) -> Result<i64, Failure> {
    match element {
        "f8E4M3FN" | "f8E5M2" | "i8" => Ok(8),
        "f16" | "bf16" => Ok(16),
        "f32" | "i32" => Ok(32),
        "f64" => Ok(64),
        _ => Err(Failure::Refused(format!(
            "expected {name} of f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i8 or i32, found {element}"
        ))),
    }
}
