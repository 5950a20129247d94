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
//! writes the terms of both. All
//! partitioning, addresses and predicates are terms of the algebra; no index formula stands here.

mod emit;
mod operand;
mod partition;
mod plan;
mod program;
mod repack;
mod warpgroup_plan;
mod warpgroup_program;

use layout_algebra::{AnyLayout, Layout};
use layout_dialect::{
    Space, ViewType,
    build::{Builder, Val, context_of, operand as operand_of},
    diagnostics, tree,
};
use melior::ir::{
    BlockLike, Location, OperationRef, ValueLike, attribute::StringAttribute,
    operation::OperationLike,
};
use plan::{Plan, Problem};
use repack::Repack;
use std::fmt::Write;
use warpgroup_plan::WarpgroupPlan;

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
        let Some(&matmul) = tree::inside(function, "layout.matmul").first() else { continue };
        if let Err(failure) = tile(function, matmul) {
            diagnostics::error(matmul, &failure.to_string());
            outcome = Err(());
        }
    }
    outcome
}

/// Replaces `function`, which does nothing but `matmul`, by a kernel of the same name.
fn tile<'c>(function: OperationRef<'c, 'c>, matmul: OperationRef<'c, 'c>) -> Result<(), Failure> {
    let refused = |message: String| Failure::Refused(message);
    let body = tree::entry(function)
        .ok_or_else(|| refused("expected a function with a body".to_owned()))?;
    if let Some(other) = tree::operations(body)
        .into_iter()
        .find(|&other| !matches!(tree::name(other).as_str(), "layout.matmul" | "func.return"))
    {
        return Err(refused(format!(
            "expected a function that holds one layout.matmul and nothing else, found {}",
            tree::name(other)
        )));
    }
    let operands = [0, 1, 2].map(|i| operand_of(matmul, i));
    let mut arguments = Vec::new();
    for (value, name) in operands.into_iter().zip(["A", "B", "C"]) {
        let position = (0..body.argument_count()).find(|&i| tree::argument(body, i) == value);
        arguments.push(position.ok_or_else(|| {
            refused(format!("expected {name} to be an argument of the function"))
        })?);
    }
    let [a, b, c] = operands.map(read);
    let (a, b, c) = (a?, b?, c?);
    let schedule = layout_dialect::ops::schedule(matmul)?;
    let problem = Problem {
        a: &a.layout,
        b: &b.layout,
        c: &c.layout,
        input: &a.element,
        output_bits: element_bits(&c.element).ok_or_else(|| {
            refused(format!("expected C of f16, bf16 or f32, found {}", c.element))
        })?,
        schedule: &schedule,
    };
    let name = StringAttribute::try_from(function.attribute("sym_name")?)?.value().to_owned();
    let write = |launch: &Launch<'_>, emit: &dyn Fn(&Kernels<'c>) -> Result<(), melior::Error>| {
        tracing::info!(?launch, "tiled");
        let kernels = kernels(function, body, launch, &name, [&a, &b, &c], &arguments)?;
        emit(&kernels)?;
        Ok::<_, Failure>(())
    };
    let copies = Copies::of(&problem);
    let packed = copies.apply(&problem);
    if WarpgroupPlan::wanted(&packed) {
        let plan = WarpgroupPlan::new(&packed).map_err(Failure::Refused)?;
        let (tiles_m, tiles_n) = plan.tiles();
        let launch = Launch {
            grid: (tiles_m * tiles_n, 1),
            threads: plan.threads(),
            chip: plan.chip.clone(),
            extents: (plan.m, plan.n, plan.k),
            loops: true,
            copies: copies.0.iter().flatten().collect(),
        };
        write(&launch, &|kernels| {
            let mut operands = arguments.clone();
            let mut workspace = body.argument_count();
            for (i, copy) in copies.0.iter().enumerate() {
                let Some(copy) = copy else { continue };
                let (builder, parameters) = kernels.open(copy.name, matmul.location())?;
                copy.emit(builder, &a.element, parameters[arguments[i]], parameters[workspace])?;
                operands[i] = workspace;
                workspace += 1;
            }
            let (builder, parameters) = kernels.open("", matmul.location())?;
            let operands = [0, 1, 2].map(|i| parameters[operands[i]]);
            warpgroup_program::emit(builder, &plan, operands)
        })?;
    } else {
        let plan = Plan::new(&problem).map_err(Failure::Refused)?;
        let launch = Launch {
            grid: plan.grid(),
            threads: plan.threads,
            chip: plan.chip.clone(),
            extents: (plan.m, plan.n, plan.k),
            loops: false,
            copies: Vec::new(),
        };
        write(&launch, &|kernels| {
            let (builder, parameters) = kernels.open("", matmul.location())?;
            program::emit(builder, &plan, [0, 1, 2].map(|i| parameters[arguments[i]]))
        })?;
    }
    tree::erase(function);
    Ok(())
}

/// The copies of A and B that warpgroups need: none where bulk copies take the operand.
struct Copies([Option<Repack>; 2]);

impl Copies {
    fn of(problem: &Problem<'_>) -> Self {
        let copy = |name, layout: &Layout| {
            let taken = warpgroup_plan::bulk_major(name, layout, 2).is_ok();
            if taken { None } else { Repack::new(name, layout).ok() }
        };
        Self([copy("a", problem.a), copy("b", problem.b)])
    }

    /// The problem as it is after the copies.
    fn apply<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        let layout = |i: usize, old| self.0[i].as_ref().map_or(old, |copy| &copy.layout);
        Problem { a: layout(0, problem.a), b: layout(1, problem.b), ..*problem }
    }
}

/// What a launch of the kernel needs.
#[derive(Debug)]
struct Launch<'a> {
    grid: (i64, i64),
    threads: i64,
    chip: String,
    /// (M, N, K).
    extents: (i64, i64, i64),
    /// Whether blocks loop over tiles, so that a grid that fills the device is enough.
    loops: bool,
    /// The copies before it, each with a workspace.
    copies: Vec<&'a Repack>,
}

/// The kernels of a module, still empty.
struct Kernels<'c> {
    name: String,
    module: OperationRef<'c, 'c>,
}

impl<'c> Kernels<'c> {
    /// A builder in the kernel of a copy, or in the last one, and its parameters.
    fn open(
        &self,
        copy: &str,
        location: Location<'c>,
    ) -> Result<(Builder<'c>, Vec<Val<'c>>), melior::Error> {
        let name = kernel_name(&self.name, copy);
        let entry = tree::inside(self.module, "gpu.func")
            .into_iter()
            .find(|kernel| {
                kernel
                    .attribute("sym_name")
                    .and_then(StringAttribute::try_from)
                    .is_ok_and(|found| found.value() == name)
            })
            .and_then(tree::entry)
            .ok_or(melior::Error::OperationBuild)?;
        let parameters = (0..entry.argument_count()).map(|i| tree::argument(entry, i)).collect();
        Ok((Builder::at_end(context_of(self.module), location, entry), parameters))
    }
}

/// The name of a matmul's kernel, or of the one that copies an operand for it.
fn kernel_name(name: &str, copy: &str) -> String {
    if copy.is_empty() { name.to_owned() } else { format!("{name}_copy_{copy}") }
}

/// An operand of the matmul.
struct Matrix {
    element: String,
    layout: Layout,
}

fn read(value: Val<'_>) -> Result<Matrix, Failure> {
    let view = ViewType::try_from(value.r#type())?;
    if view.space() != Space::Global {
        return Err(Failure::Refused(format!(
            "expected operands in global memory, found {}",
            value.r#type()
        )));
    }
    match view.layout()? {
        AnyLayout::Plain(layout) => Ok(Matrix { element: view.element_type().to_string(), layout }),
        AnyLayout::Composed(layout) => {
            Err(Failure::Refused(format!("expected operands with plain layouts, found {layout}")))
        }
    }
}

/// Makes a `gpu.module` with empty kernels in front of `function`.
///
/// The skeleton is text because that is how it reads best; its body is built, not written.
fn kernels<'c>(
    function: OperationRef<'c, 'c>,
    body: melior::ir::BlockRef<'c, 'c>,
    launch: &Launch<'_>,
    name: &str,
    matrices: [&Matrix; 3],
    arguments: &[usize],
) -> Result<Kernels<'c>, Failure> {
    let context = context_of(function);
    let mut parameters: Vec<String> = (0..body.argument_count())
        .map(|i| format!("%arg{i}: {}", tree::argument(body, i).r#type()))
        .collect();
    let mut described = vec![String::new(); arguments.len()];
    let describe = |name: &str, element: &str, layout: &Layout, access: &str| {
        format!(
            "{{name = \"{name}\", element = \"{element}\", shape = \"{}\", stride = \"{}\", access = \"{access}\"}}",
            layout.shape(),
            layout.stride()
        )
    };
    let roles = [("a", "read"), ("b", "read"), ("c", "write")];
    for ((matrix, (role, access)), &position) in matrices.iter().zip(roles).zip(arguments) {
        if let Some(slot) = described.get_mut(position) {
            *slot = describe(role, &matrix.element, &matrix.layout, access);
        }
    }
    let (mut workspaces, mut steps, mut text) = (Vec::new(), Vec::new(), String::new());
    let element = &matrices[0].element;
    for copy in &launch.copies {
        let view = format!("!layout.view<{element}, global, {}>", copy.layout);
        parameters.push(format!("%arg{}: {view}", parameters.len()));
        workspaces.push(describe(&format!("{}_copy", copy.name), element, &copy.layout, "write"));
    }
    let parameters = parameters.join(", ");
    for copy in &launch.copies {
        let ((x, y), threads) = copy.launch();
        let name = kernel_name(name, copy.name);
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
    let (m, n, k) = launch.extents;
    let mut extra = String::new();
    if launch.loops {
        extra.push_str("grid_limit = \"multiprocessors\", ");
    }
    if !launch.copies.is_empty() {
        let (workspaces, steps) = (workspaces.join(", "), steps.join(", "));
        let _ = write!(extra, "workspaces = [{workspaces}], before = [{steps}], ");
    }
    let text = format!(
        "gpu.module @{name} {{\n{text} gpu.func @{name}({parameters}) kernel attributes {{\
         known_block_size = array<i32: {threads}, 1, 1>, \
         layout.kernel = {{grid = array<i64: {grid_m}, {grid_n}, 1>, \
         {extra}block = array<i64: {threads}, 1, 1>, chip = \"{chip}\", args = [{args}], \
         problem = {{kind = \"matmul\", m = {m} : i64, n = {n} : i64, k = {k} : i64}}}}}} {{\n \
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
    Ok(Kernels { name: name.to_owned(), module })
}

fn element_bits(element: &str) -> Option<i64> {
    match element {
        "f16" | "bf16" => Some(16),
        "f32" => Some(32),
        _ => None,
    }
}
