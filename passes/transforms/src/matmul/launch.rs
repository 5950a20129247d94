//! The kernels of a matmul, still empty, and what their launches need: facts in the attribute `layout.kernel`, as numbers
//! or as expressions of sizes that are known at run time.
//!
//! Imports the problem, sizes, relayout copies and epilogues; knows nothing of mainloops and pipelines.

use crate::{
    matmul::{
        FAMILY, Failure,
        elementwise::Place,
        emit,
        epilogue::fusion::Fusion,
        normalise::relayout::Relayout,
        problem::{Matrix, Problem},
        scheduler::split_k,
        sizes::{self, Said, Sizes},
    },
    pointers::ASSUMED,
};
use layout_algebra::Layout;
use layout_dialect::{
    atoms::{self, Atom},
    build::{Builder, Val, context_of},
    tree,
};
use melior::ir::{
    BlockLike, Location, OperationRef, ValueLike, attribute::StringAttribute,
    operation::OperationLike,
};
use std::fmt::Write;

/// The tiles along M and N, in whole clusters, and the matrices of a batch as expressions, where sizes are known at run
/// time.
pub(crate) fn grid_text(
    problem: &Problem<'_>,
    tile: (i64, i64),
    cluster: (i64, i64),
) -> Option<[String; 3]> {
    cover_text(problem, tile, cluster, problem.is_covered(tile))
}

/// As [`grid_text`], with one tile along the modes that are covered.
pub(crate) fn cover_text(
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
pub(crate) struct Launch<'a> {
    pub(crate) grid: (i64, i64),
    /// The same as expressions, where sizes are known at run time.
    pub(crate) grid_at_run_time: Option<[String; 2]>,
    pub(crate) threads: i64,
    pub(crate) chip: String,
    /// (M, N, K) of each product, and how many there are where it is a batch.
    pub(crate) extents: Vec<((i64, i64, i64), Option<i64>)>,
    /// What of it is less exact than operands and sums of f32 would be.
    pub(crate) precision: Option<&'static str>,
    /// Whether blocks loop over tiles, so that a grid that fills the device is enough.
    pub(crate) loops: bool,
    /// Blocks that run together.
    pub(crate) cluster: i64,
    /// The copies before it, each with a workspace.
    pub(crate) copies: Vec<Copied<'a>>,
    /// The sum of the parts of C behind it, with the workspace of the parts.
    pub(crate) sum: Option<(&'a Layout, Place)>,
    /// The sum's blocks as expressions, where sizes are known at run time.
    pub(crate) sum_at_run_time: Option<[String; 2]>,
    /// The copies of C behind it, each with a workspace.
    pub(crate) unpacked: Vec<Copied<'a>>,
}

/// A copy of an operand, what it is named after, and what its elements are.
#[derive(Debug)]
pub(crate) struct Copied<'a> {
    pub(crate) name: String,
    pub(crate) element: String,
    pub(crate) copy: &'a Relayout,
}

/// The manifest's word for what an atom rounds.
pub(crate) fn precision(atom: &Atom, promoted: bool) -> Option<&'static str> {
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
pub(crate) struct Kernels<'c> {
    pub(crate) name: String,
    pub(crate) module: OperationRef<'c, 'c>,
    /// How many run before the matmul's own, and how many behind it.
    pub(crate) steps: (usize, usize),
    /// Whether the chip lets each be launched while the one before it still runs.
    pub(crate) overlap: bool,
}

impl<'c> Kernels<'c> {
    /// A builder in another kernel, or in the matmul's own, and its parameters. Of several kernels, on chips
    /// that can, each may be launched while the one before it still runs, and waits for it.
    pub(crate) fn open(
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
pub(crate) fn kernel_name(name: &str, other: &str) -> String {
    if other.is_empty() { name.to_owned() } else { format!("{name}_{other}") }
}

/// What the kernel of a copy is named after.
pub(crate) fn copy_name(name: &str) -> String {
    format!("copy_{name}")
}

/// What the facts of a kernel say of the matmul's operands.
pub(crate) struct Described<'a, 'c> {
    /// A, B and C.
    pub(crate) matrices: &'a [Matrix; 3],
    /// The numbers of their arguments.
    pub(crate) arguments: &'a [usize; 3],
    pub(crate) fusion: Option<&'a Fusion<'c>>,
    pub(crate) sizes: &'a Sizes,
}

/// Makes a `gpu.module` with empty kernels in front of `function`.
///
/// The skeleton is text because that is how it reads best; its body is built, not written.
pub(crate) fn kernels<'c>(
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
        workspace(&format!("{}s", split_k::NAME), "f32", layout);
        others.push((split_k::NAME.to_owned(), place));
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
