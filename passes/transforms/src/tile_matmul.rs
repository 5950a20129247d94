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
mod emit;
mod epilogue;
mod group;
mod held;
mod operand;
mod order;
mod partition;
mod plan;
mod program;
mod repack;
mod share;
mod stream_k;
mod sum;
mod warpgroup_plan;
mod warpgroup_program;

use crate::pointers::{self, ASSUMED};
use bulk::Rows;
use epilogue::{Bound, Fusion};
use layout_algebra::{AnyLayout, Layout};
use layout_dialect::{
    Space, ViewType,
    atoms::{self, Atom, shared_matrix},
    build::{Builder, Val, context_of, operand as operand_of},
    diagnostics::{self, Optimization},
    schedule::Schedule,
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, Location, OperationRef, ValueLike, attribute::StringAttribute,
    operation::OperationLike,
};
use operand::Memory;
use partition::Major;
use plan::{Plan, Problem};
use repack::Repack;
use share::Place;
use std::fmt::Write;
use sum::Sum;
use warpgroup_plan::WarpgroupPlan;

/// The pass, as its remarks name it.
const NAME: &str = "layout-tile-matmul";

/// Why a matmul was left alone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Algebra(#[from] layout_algebra::Error),
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
        let Some(&first) = matmuls.first() else { continue };
        let tiled = alone(function).map_err(|failure| (first, failure)).and_then(|body| {
            match matmuls.as_slice() {
                [one] => tile(function, body, *one).map_err(|failure| (*one, failure)),
                several => group::tile(function, body, several),
            }
        });
        match tiled {
            Ok(()) => tree::erase(function),
            Err((matmul, failure)) => {
                diagnostics::error(matmul, &failure.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

/// The body of a function that does nothing but matmuls.
fn alone<'c>(function: OperationRef<'c, 'c>) -> Result<BlockRef<'c, 'c>, Failure> {
    let refused = |message: String| Failure::Refused(message);
    let body = tree::entry(function)
        .ok_or_else(|| refused("expected a function with a body".to_owned()))?;
    let other = tree::operations(body)
        .into_iter()
        .find(|&other| !matches!(tree::name(other).as_str(), "layout.matmul" | "func.return"));
    match other {
        None => Ok(body),
        Some(other) => Err(refused(format!(
            "expected a function that holds layout.matmul and nothing else, found {}",
            tree::name(other)
        ))),
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
}

impl<'c> Matmul<'c> {
    fn read(body: BlockRef<'c, 'c>, matmul: OperationRef<'c, 'c>) -> Result<Self, Failure> {
        let operands = [0, 1, 2].map(|i| operand_of(matmul, i));
        let mut arguments = [0; 3];
        for (i, name) in ["A", "B", "C"].into_iter().enumerate() {
            arguments[i] = position(body, operands[i], name)?;
        }
        let [a, b, c] = operands.map(read);
        let (a, b, c) = (a?, b?, c?);
        let schedule = layout_dialect::ops::schedule(matmul)?;
        let roles = if schedule.exchange { [1, 0, 2] } else { [0, 1, 2] };
        let seen = if schedule.exchange { turned("C", &c.layout)? } else { c.layout.clone() };
        let fusion = Fusion::new(matmul, body, schedule.exchange)?;
        Ok(Self { matrices: [a, b, c], arguments, schedule, roles, seen, fusion })
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
        })
    }

    /// Its epilogue in a kernel of these parameters.
    fn bound(
        &self,
        builder: &Builder<'c>,
        parameters: &[Val<'c>],
        problem: &Problem<'_>,
    ) -> Result<Option<Bound<'_, 'c>>, melior::Error> {
        let views = self
            .fusion
            .iter()
            .flat_map(|fusion| &fusion.operands)
            .map(|operand| transposed(builder, parameters[operand.argument], problem));
        let views = views.collect::<Result<Vec<_>, melior::Error>>()?;
        Ok(self.fusion.as_ref().map(|fusion| Bound::new(fusion, views)))
    }

    fn described(&self) -> Described<'_, 'c> {
        let Self { matrices, arguments, fusion, .. } = self;
        Described { matrices, arguments, fusion: fusion.as_ref() }
    }
}

/// Makes a kernel of the name of `function`, which does nothing but `matmul`.
fn tile<'c>(
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    matmul: OperationRef<'c, 'c>,
) -> Result<(), Failure> {
    let read = Matmul::read(body, matmul)?;
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
    let copies = Copies::of(&problem);
    let mut packed = copies.apply(&problem);
    let unpacked = unpacked(&problem).filter(|_| WarpgroupPlan::wanted(&packed));
    if let Some(copy) = &unpacked {
        packed.c = &copy.layout;
        packed.alignments[2] = ASSUMED;
    }
    if WarpgroupPlan::wanted(&packed) {
        let mut plan = WarpgroupPlan::new(&packed).map_err(Failure::Refused)?;
        copies.tell(matmul, &problem);
        banks::tell(matmul, &plan.conflicts());
        // A workspace stands as it is computed; the copy transposes.
        plan.exchanged &= unpacked.is_none();
        let sum = match &plan.partial {
            None => None,
            Some(partial) => Some(Sum::new(partial, &problem).map_err(Failure::Refused)?),
        };
        let parts = plan.stream_k.as_ref();
        let parts = parts.and_then(|stream_k| Some((stream_k, stream_k.partial.as_ref()?)));
        let grid = match &plan.stream_k {
            Some(stream_k) => stream_k.blocks,
            None => plan.all_tiles().saturating_mul(plan.splits()),
        };
        let launch = Launch {
            grid: (grid, 1),
            threads: plan.threads(),
            chip: plan.chip.clone(),
            extents: vec![(problem.extents(plan.m, plan.n, plan.k), problem.batch())],
            precision: precision(plan.mma, plan.promote),
            loops: plan.stream_k.is_none(),
            cluster: plan.cluster.0 * plan.cluster.1,
            copies: copies.named(""),
            sum: match (&plan.partial, &sum, parts) {
                (Some(partial), Some(sum), _) => Some((&partial.layout, sum.shares.launch())),
                (_, _, Some((stream_k, parts))) => Some((&parts.layout, stream_k.launch(parts))),
                _ => None,
            },
            unpacked: unpacked.as_ref(),
        };
        write(&launch, &|kernels| {
            let mut operands = roles.map(|role| arguments[role]);
            let mut workspace = body.argument_count();
            copies.emit(kernels, "", &a.element, &mut operands, &mut workspace)?;
            if let Some(sum) = &sum {
                let (builder, parameters) = kernels.open(sum::NAME, matmul.location())?;
                let c = transposed(&builder, parameters[operands[2]], &problem)?;
                sum.emit(builder, parameters[workspace], c, bound(&builder, &parameters)?)?;
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
            if let Some(copy) = &unpacked {
                let (builder, parameters) =
                    kernels.open(&copy_name(copy.name), matmul.location())?;
                let target = transposed(&builder, parameters[operands[2]], &problem)?;
                copy.emit(builder, &c.element, parameters[workspace], target)?;
                operands[2] = workspace;
            }
            let (builder, parameters) = kernels.open("", matmul.location())?;
            // The parts of a sum are not the sum yet.
            let bound = if sum.is_some() { None } else { bound(&builder, &parameters)? };
            let workspace = shared.map(|i| parameters[i]);
            let operands = operands.map(|i| parameters[i]);
            let product = warpgroup_program::Product { plan: &plan, operands, fused: bound };
            warpgroup_program::emit(builder, vec![product], workspace)
        })?;
    } else {
        let plan = Plan::new(&problem).map_err(Failure::Refused)?;
        banks::tell(matmul, &plan.conflicts());
        let launch = Launch {
            grid: plan.grid(),
            threads: plan.threads,
            chip: plan.chip.clone(),
            extents: vec![(problem.extents(plan.m, plan.n, plan.k), problem.batch())],
            precision: precision(plan.mma, false),
            loops: false,
            cluster: 1,
            copies: Vec::new(),
            sum: None,
            unpacked: None,
        };
        write(&launch, &|kernels| {
            let (builder, parameters) = kernels.open("", matmul.location())?;
            let [a, b, c] = roles.map(|role| parameters[arguments[role]]);
            let operands = [a, b, transposed(&builder, c, &problem)?];
            let fused = bound(&builder, &parameters)?;
            program::emit(builder, &[program::Product { plan: &plan, operands, fused }])
        })?;
    }
    Ok(())
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
    if !problem.schedule.exchange {
        return Ok(c);
    }
    let modes = problem.c.modes();
    let extent = |i: usize| modes.get(i).map_or(1, Layout::size);
    let term = warpgroup_program::transposed((extent(0), extent(1)), problem.batch());
    emit::Emit { b: *builder }.algebra("layout.composition", c, &term)
}

/// The copy of C that comes behind warpgroups, which write it where their bulk stores can: where
/// they cannot write to C itself, and C is so large that the copy takes less time than their threads
/// would with element after element.
fn unpacked(problem: &Problem<'_>) -> Option<Repack> {
    const LARGE: i64 = 1 << 22;
    let bytes = problem.output_bits / 8;
    let rows_of =
        |memory| Rows::of("C", memory, warpgroup_plan::piece(problem.schedule.tile.1, bytes));
    let parts = problem.schedule.splits != 1 || problem.schedule.stream_k.is_some();
    if parts || problem.c.size() < LARGE || bytes != 2 || rows_of(problem.result()).is_ok() {
        return None;
    }
    let copy = Repack::new("c", problem.result(), false).ok()?;
    let rows = rows_of(Memory::aligned(&copy.layout, bytes));
    rows.is_ok_and(|rows| rows.major == Major::Reduction).then_some(copy)
}

/// Whether warpgroups take A and B in the order along M, or N: where the instruction does, and A that threads
/// load to registers.
fn turned_by(problem: &Problem<'_>) -> [bool; 2] {
    const HELD: (Space, Space) = (Space::Register, Space::Shared);
    let atom = problem.schedule.mma.as_deref().and_then(atoms::lookup).and_then(Atom::mma);
    let held = atom.is_some_and(|mma| (mma.a_space, mma.b_space) == HELD);
    let transposes = shared_matrix::transposes(problem.input_bytes);
    [transposes || held, transposes]
}

/// The copies of A and B that warpgroups need: none where bulk copies take the operand, in an order
/// that the instruction takes.
struct Copies([Option<Repack>; 2]);

impl Copies {
    fn of(problem: &Problem<'_>) -> Self {
        let (rows, columns, depth) = problem.schedule.tile;
        let transposes = turned_by(problem);
        let taken = |i: usize, name, memory: Memory<'_>, rows| {
            let taken = Rows::of(name, memory, (rows, depth)).ok();
            taken.filter(|rows| rows.major == Major::Reduction || transposes[i])
        };
        let [a, b] = if problem.schedule.exchange { ["b", "a"] } else { ["a", "b"] };
        let taken = [taken(0, a, problem.left(), rows), taken(1, b, problem.right(), columns)];
        let short = bulk::short_rows(problem, taken);
        let copy = |i: usize, name, memory| match taken[i] {
            Some(_) if !short[i] => None,
            _ => Repack::new(name, memory, !transposes[i]).ok(),
        };
        Self([copy(0, a, problem.left()), copy(1, b, problem.right())])
    }

    /// Tells of each operand that is copied why it is, where that would be heard.
    fn tell(&self, matmul: OperationRef<'_, '_>, problem: &Problem<'_>) {
        if !diagnostics::remarks_wanted(matmul) {
            return;
        }
        let (rows, columns, depth) = problem.schedule.tile;
        let operands = [(problem.left(), rows), (problem.right(), columns)];
        let operands = problem.names().into_iter().zip(operands);
        let operands = operands.zip(turned_by(problem)).zip(&self.0);
        for (((name, (memory, rows)), turns), _) in operands.filter(|(_, copy)| copy.is_some()) {
            let Memory { layout, element_bytes: bytes, .. } = memory;
            let reason = match Rows::of(name, memory, (rows, depth)) {
                Err(reason) => reason,
                Ok(rows) if rows.major == Major::Outer && !turns => {
                    format!(
                        "expected {name} with stride 1 along K for wgmma of elements of {bytes} bytes, found \
                     {layout}"
                    )
                }
                Ok(rows) => format!(
                    "expected {name} in blocks of more than {} elements in a row, which bulk copies \
                     would take longer for than a copy and products, found {layout}",
                    rows.width
                ),
            };
            let reason = format!("{name} is copied before the matmul: {reason}");
            let (kind, name) = (Optimization::Missed, "copied-operand");
            diagnostics::optimization_remark(matmul, kind, NAME, name, &reason, "");
        }
    }

    /// Each copy, by a name of its own.
    fn named(&self, number: &str) -> Vec<(String, &Repack)> {
        let copies = self.0.iter().flatten();
        copies.map(|copy| (format!("{}{number}", copy.name), copy)).collect()
    }

    /// Emits the copies, from the arguments of these numbers to workspaces from this number on, which
    /// are the arguments then.
    fn emit<'c>(
        &self,
        kernels: &Kernels<'c>,
        number: &str,
        element: &str,
        operands: &mut [usize; 3],
        workspace: &mut usize,
    ) -> Result<(), melior::Error> {
        for (copy, operand) in self.0.iter().zip(operands) {
            let Some(copy) = copy else { continue };
            let name = copy_name(&format!("{}{number}", copy.name));
            let (builder, parameters) = kernels.open(&name, kernels.module.location())?;
            copy.emit(builder, element, parameters[*operand], parameters[*workspace])?;
            *operand = *workspace;
            *workspace += 1;
        }
        Ok(())
    }

    /// The problem as it is after the copies.
    fn apply<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        let layout = |i: usize, old| self.0[i].as_ref().map_or(old, |copy| &copy.layout);
        let mut alignments = problem.alignments;
        for (alignment, copy) in alignments.iter_mut().zip(&self.0) {
            *alignment = if copy.is_some() { ASSUMED } else { *alignment };
        }
        Problem { a: layout(0, problem.a), b: layout(1, problem.b), alignments, ..*problem }
    }
}

/// What a launch of the kernel needs.
#[derive(Debug)]
struct Launch<'a> {
    grid: (i64, i64),
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
    /// The copies before it, each with a name and a workspace.
    copies: Vec<(String, &'a Repack)>,
    /// The sum of the parts of C behind it, with the workspace of the parts.
    sum: Option<(&'a Layout, Place)>,
    /// The copy of C behind it, with a workspace.
    unpacked: Option<&'a Repack>,
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
}

impl<'c> Kernels<'c> {
    /// A builder in another kernel, or in the matmul's own, and its parameters. Of several kernels, which all are
    /// for chips that can, each may be launched while the one before it still runs, and waits for it.
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
    layout: Layout,
    /// Bytes that its address is a multiple of.
    alignment: i64,
}

fn read(value: Val<'_>) -> Result<Matrix, Failure> {
    let alignment = pointers::alignment(value);
    let view = ViewType::try_from(value.r#type())?;
    if view.space() != Space::Global {
        return Err(Failure::Refused(format!(
            "expected operands in global memory, found {}",
            value.r#type()
        )));
    }
    match view.layout()? {
        AnyLayout::Plain(layout) => {
            let element = view.element_type().to_string();
            let bytes = element_bits("operands", &element)? / 8;
            if alignment % bytes != 0 {
                return Err(Failure::Refused(format!(
                    "expected operands at multiples of the {bytes} bytes of their elements, found one \
                     with llvm.align = {alignment}"
                )));
            }
            Ok(Matrix { element, layout, alignment })
        }
        AnyLayout::Composed(layout) => {
            Err(Failure::Refused(format!("expected operands with plain layouts, found {layout}")))
        }
    }
}

/// What the facts of a kernel say of the matmul's operands.
struct Described<'a, 'c> {
    /// A, B and C.
    matrices: &'a [Matrix; 3],
    /// The numbers of their arguments.
    arguments: &'a [usize; 3],
    fusion: Option<&'a Fusion<'c>>,
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
    let describe = |name: &str, element: &str, layout: &Layout, access: &str, alignment: i64| {
        let start = match alignment {
            ASSUMED => String::new(),
            bytes => format!(", alignment = {bytes} : i64"),
        };
        format!(
            "{{name = \"{name}\", element = \"{element}\", shape = \"{}\", stride = \"{}\", access = \"{access}\"{start}}}",
            layout.shape(),
            layout.stride()
        )
    };
    for (number, Described { matrices, arguments, fusion }) in products.iter().enumerate() {
        // Of several products, whose it is.
        let number = if products.len() == 1 { String::new() } else { number.to_string() };
        let reads_c = fusion.is_some_and(|fusion| fusion.reads(arguments[2]));
        let roles =
            [("a", "read"), ("b", "read"), ("c", if reads_c { "read_write" } else { "write" })];
        for ((matrix, (role, access)), &position) in matrices.iter().zip(roles).zip(*arguments) {
            if let Some(slot) = described.get_mut(position) {
                let name = format!("{role}{number}");
                *slot = describe(&name, &matrix.element, &matrix.layout, access, matrix.alignment);
            }
        }
        let separator = if number.is_empty() { "" } else { "_" };
        for (i, operand) in fusion.iter().flat_map(|fusion| &fusion.operands).enumerate() {
            match described.get_mut(operand.argument) {
                Some(slot) if slot.is_empty() => {
                    let name = format!("e{i}{separator}{number}");
                    *slot = describe(
                        &name,
                        &operand.element,
                        &operand.layout,
                        "read",
                        operand.alignment,
                    );
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
    let Some(Described { matrices, .. }) = products.first() else {
        return Err(Failure::Refused("expected a matmul, found none".to_owned()));
    };
    let (mut workspaces, mut text) = (Vec::new(), String::new());
    let mut workspace = |name: &str, element: &str, layout: &Layout| {
        let view = format!("!layout.view<{element}, global, {layout}>");
        parameters.push(format!("%arg{}: {view}", parameters.len()));
        workspaces.push(describe(name, element, layout, "write", ASSUMED));
    };
    let mut others = Vec::new();
    for (name, copy) in &launch.copies {
        workspace(&format!("{name}_copy"), &matrices[0].element, &copy.layout);
        others.push((copy_name(name), copy.shares.launch()));
    }
    if let Some((layout, place)) = launch.sum {
        workspace(&format!("{}s", sum::NAME), "f32", layout);
        others.push((sum::NAME.to_owned(), place));
    }
    if let Some(copy) = launch.unpacked {
        workspace(&format!("{}_copy", copy.name), &matrices[2].element, &copy.layout);
        others.push((copy_name(copy.name), copy.shares.launch()));
    }
    let parameters = parameters.join(", ");
    let mut steps = Vec::new();
    for (other, ((x, y), threads)) in others {
        let name = kernel_name(name, &other);
        let place = format!("grid = array<i64: {x}, {y}, 1>, block = array<i64: {threads}, 1, 1>");
        steps.push(format!("{{name = \"{name}\", {place}}}"));
        let _ = write!(
            text,
            " gpu.func @{name}({parameters}) kernel attributes {{\
             known_block_size = array<i32: {threads}, 1, 1>, layout.step = {{{place}}}}} {{\n \
             gpu.return\n }}\n"
        );
    }
    let (grid_m, grid_n) = launch.grid;
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
    if !steps.is_empty() {
        extra.push_str("dependent_launch = true, ");
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
        let batch = batch.map(|batch| format!(", batch = {batch} : i64")).unwrap_or_default();
        format!("m = {m} : i64, n = {n} : i64, k = {k} : i64{batch}")
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
         layout.kernel = {{grid = array<i64: {grid_m}, {grid_n}, 1>, \
         {extra}block = array<i64: {threads}, 1, 1>, chip = \"{chip}\", args = [{args}], \
         problem = {{{problem}}}}}}} {{\n \
         gpu.return\n }}\n}}\n",
        threads = launch.threads,
        chip = launch.chip,
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
    Ok(Kernels { name: name.to_owned(), module, steps: order })
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
