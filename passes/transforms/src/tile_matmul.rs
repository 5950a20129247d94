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
mod warpgroup_plan;
mod warpgroup_program;

use layout_algebra::{AnyLayout, Layout};
use layout_dialect::{
    Space, ViewType,
    build::{Builder, Val, context_of, operand as operand_of},
    diagnostics, tree,
};
use melior::ir::{
    BlockLike, OperationRef, ValueLike, attribute::StringAttribute, operation::OperationLike,
};
use plan::{Plan, Problem};
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
    let begin = |launch: &Launch| {
        tracing::info!(?launch, "tiled");
        let kernel = kernel(function, body, launch, &name, [&a, &b, &c], &arguments)?;
        let entry = tree::entry(kernel)
            .ok_or_else(|| refused("expected the kernel to have a body".to_owned()))?;
        let parameters = [0, 1, 2].map(|i| tree::argument(entry, arguments[i]));
        let builder = Builder::at_end(context_of(kernel), matmul.location(), entry);
        Ok::<_, Failure>((builder, parameters))
    };
    if WarpgroupPlan::wanted(&problem) {
        let plan = WarpgroupPlan::new(&problem).map_err(Failure::Refused)?;
        let (tiles_m, tiles_n) = plan.tiles();
        let (builder, parameters) = begin(&Launch {
            grid: (tiles_m * tiles_n, 1),
            threads: plan.threads(),
            chip: plan.chip.clone(),
            extents: (plan.m, plan.n, plan.k),
            loops: true,
        })?;
        warpgroup_program::emit(builder, &plan, parameters)?;
    } else {
        let plan = Plan::new(&problem).map_err(Failure::Refused)?;
        let (builder, parameters) = begin(&Launch {
            grid: plan.grid(),
            threads: plan.threads,
            chip: plan.chip.clone(),
            extents: (plan.m, plan.n, plan.k),
            loops: false,
        })?;
        program::emit(builder, &plan, parameters)?;
    }
    tree::erase(function);
    Ok(())
}

/// What a launch of the kernel needs.
#[derive(Debug)]
struct Launch {
    grid: (i64, i64),
    threads: i64,
    chip: String,
    /// (M, N, K).
    extents: (i64, i64, i64),
    /// Whether blocks loop over tiles, so that a grid that fills the device is enough.
    loops: bool,
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

/// Makes a `gpu.module` with an empty kernel in front of `function`.
///
/// The skeleton is text because that is how it reads best; its body is built, not written.
fn kernel<'c>(
    function: OperationRef<'c, 'c>,
    body: melior::ir::BlockRef<'c, 'c>,
    launch: &Launch,
    name: &str,
    matrices: [&Matrix; 3],
    arguments: &[usize],
) -> Result<OperationRef<'c, 'c>, Failure> {
    let context = context_of(function);
    let mut parameters = String::new();
    for i in 0..body.argument_count() {
        let comma = if i == 0 { "" } else { ", " };
        let _ = write!(parameters, "{comma}%arg{i}: {}", tree::argument(body, i).r#type());
    }
    let mut described = vec![String::new(); arguments.len()];
    let roles = [("a", "read"), ("b", "read"), ("c", "write")];
    for ((matrix, (role, access)), &position) in matrices.iter().zip(roles).zip(arguments) {
        if let Some(slot) = described.get_mut(position) {
            *slot = format!(
                "{{name = \"{role}\", element = \"{}\", shape = \"{}\", stride = \"{}\", access = \"{access}\"}}",
                matrix.element,
                matrix.layout.shape(),
                matrix.layout.stride()
            );
        }
    }
    let (grid_m, grid_n) = launch.grid;
    let (m, n, k) = launch.extents;
    let limit = if launch.loops { "grid_limit = \"multiprocessors\", " } else { "" };
    let text = format!(
        "gpu.module @{name} {{\n gpu.func @{name}({parameters}) kernel attributes {{\
         known_block_size = array<i32: {threads}, 1, 1>, \
         layout.kernel = {{grid = array<i64: {grid_m}, {grid_n}, 1>, \
         {limit}block = array<i64: {threads}, 1, 1>, chip = \"{chip}\", args = [{args}], \
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
    let kernel = *tree::inside(module, "gpu.func")
        .first()
        .ok_or_else(|| Failure::Refused("skeleton without a kernel".to_owned()))?;
    for operation in tree::all(kernel) {
        tree::erase(operation);
    }
    Ok(kernel)
}

fn element_bits(element: &str) -> Option<i64> {
    match element {
        "f16" | "bf16" => Some(16),
        "f32" => Some(32),
        _ => None,
    }
}
