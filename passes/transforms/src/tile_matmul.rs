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
//! matmuls of one function are one kernel ([`group`]), whose tiles are one order ([`order`]); [`launch`] has what a launch needs. All
//! partitioning, addresses and predicates are terms of the algebra; no index formula stands here.

mod banks;
mod bulk;
mod copies;
mod decide;
mod emit;
mod epilogue;
mod group;
mod held;
mod launch;
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

use crate::pointers;
use decide::{Decision, Program, decide};
use emit::{Extent, Extents};
use epilogue::{Bound, Fusion};
use launch::{
    Copied, Described, Kernels, Launch, copy_name, cover_text, grid_text, kernels, precision,
};
use layout_algebra::Layout;
use layout_dialect::{
    Space, ViewType,
    build::{Builder, Val, operand as operand_of},
    diagnostics,
    schedule::Schedule,
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, ValueLike, attribute::StringAttribute,
    operation::OperationLike,
};
pub(crate) use outline::{becomes_a_kernel, groups, unused};
use plan::Problem;
use repack::Repack;
use sizes::{MODES, Said, Sizes};

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
        sizes.agree()?;
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
