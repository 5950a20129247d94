//! The kernels of a matmul, still empty, and what their launches need: facts in the attribute `layout.kernel`, as numbers
//! or as expressions of sizes that are known at run time.
//!
//! Imports the problem, sizes, relayout copies and epilogues; knows nothing of mainloops and pipelines.

pub(crate) mod attributes;

use crate::{
    matmul::{
        FAMILY, Failure,
        elementwise::Place,
        emit,
        epilogue::fusion::{Fused, Fusion},
        normalise::relayout::Relayout,
        problem::{DUAL, Matrix, Problem},
        scheduler::split_k,
        sizes::{self, Sizes, StatedLayout},
    },
    pointers::ASSUMED,
};
use attributes::Attributes;
use layout_algebra::Layout;
use layout_dialect::{
    atoms::{self, Atom, im2col::Window},
    build::{Builder, Val, context_of},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, Location, OperationRef, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};

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
    let (m, n) = problem.modes();
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

/// The facts of a launch of the kernel.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) grid: (i64, i64),
    /// The same as expressions, where sizes are known at run time.
    pub(crate) grid_at_run_time: Option<[String; 2]>,
    pub(crate) threads: i64,
    pub(crate) chip: String,
    /// (M, N, K) of each problem, and how many there are where it is a batch.
    pub(crate) extents: Vec<((i64, i64, i64), Option<i64>)>,
    /// The part of it that is less exact than operands and accumulators of f32 would be.
    pub(crate) precision: Option<&'static str>,
    /// Whether blocks loop over tiles, so that a grid that fills the device is enough.
    pub(crate) loops: bool,
    /// Blocks that run together.
    pub(crate) cluster: i64,
    /// The copies before it, each with a workspace.
    pub(crate) copies: Vec<Copied<'a>>,
    /// The kernel that adds the partial results of C, with their workspace.
    pub(crate) sum: Option<(&'a Layout, Place)>,
    /// The blocks of that kernel as expressions, if sizes are known at run time.
    pub(crate) sum_at_run_time: Option<[String; 2]>,
    /// The copies of C after it, each with a workspace.
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
pub(crate) fn precision(atom: &Atom, two_levels: bool) -> Option<&'static str> {
    let mma = atom.mma()?;
    match (mma.multiplicand, mma.narrow_accumulator) {
        ("tf32", _) => Some("tf32"),
        (_, true) if two_levels => Some("two_level_accumulation"),
        (_, true) => Some("narrow_accumulator"),
        _ if mma.output == "f16" => Some("narrow_accumulator"),
        _ => None,
    }
}

/// The kernels of a module, still empty.
pub(crate) struct Kernels<'c> {
    pub(crate) name: String,
    pub(crate) module: OperationRef<'c, 'c>,
    /// How many run before the matmul's own, and how many after it.
    pub(crate) steps: (usize, usize),
    /// Whether the chip lets each be launched while the one before it still runs.
    pub(crate) overlap: bool,
}

impl<'c> Kernels<'c> {
    /// A builder in another kernel, or in the matmul's own, and its parameters. On chips
    /// that can, each of several kernels may be launched while the one before it still runs, and waits for it.
    pub(crate) fn open(
        &self,
        other: &str,
        location: Location<'c>,
    ) -> Result<(Builder<'c>, Vec<Val<'c>>), melior::Error> {
        let name = kernel_name(&self.name, other);
        let named = |kernel: &OperationRef<'c, 'c>| {
            tree::symbol(*kernel).is_some_and(|found| found == name)
        };
        let all = tree::inside(self.module, "gpu.func");
        // The matmul's own is the last in the module, and runs after those before it.
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

/// The name of a copy in that of its kernel.
pub(crate) fn copy_name(name: &str) -> String {
    format!("copy_{name}")
}

/// The matmul's operands for the facts of a kernel.
pub(crate) struct KernelOperands<'a, 'c> {
    /// A, B and C.
    pub(crate) matrices: &'a [Matrix; 3],
    /// The numbers of their arguments.
    pub(crate) arguments: &'a [usize; 3],
    /// The second B, and the number of its argument.
    pub(crate) dual: Option<&'a (Matrix, usize)>,
    pub(crate) fusion: Option<&'a Fusion<'c>>,
    pub(crate) sizes: &'a Sizes,
    /// Where A is an image.
    pub(crate) window: Option<Window>,
}

/// A kernel that is yet to be made, and the attribute that says what its launch needs.
struct Skeleton<'c> {
    name: String,
    threads: i64,
    cluster: i64,
    key: &'static str,
    facts: Attribute<'c>,
}

/// A kernel beside the matmul's own: its name, its launch, and its blocks as expressions.
type Step<'l> = (String, Place, Option<&'l [String; 2]>);

/// Makes a `gpu.module` with empty kernels in front of `function`.
pub(crate) fn kernels<'c>(
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    launch: &Launch<'_>,
    name: &str,
    gemms: &[KernelOperands<'_, 'c>],
) -> Result<Kernels<'c>, Failure> {
    let facts = Attributes::new(context_of(function));
    let arguments = arguments(facts, body.argument_count(), gemms)?;
    let mut types: Vec<Type<'c>> =
        (0..body.argument_count()).map(|i| tree::argument(body, i).r#type()).collect();
    let mut workspaces = Vec::new();
    let mut workspace = |name: &str, element: &str, layout: &Layout| -> Result<(), Failure> {
        let view = format!("!layout.view<{element}, global, {layout}>");
        let view = Type::parse(context_of(function), &view)
            .ok_or(melior::Error::TypeExpected("view", view))?;
        types.push(view);
        workspaces.push(argument(
            facts,
            name,
            element,
            &StatedLayout::of(layout),
            "write",
            ASSUMED,
        ));
        Ok(())
    };
    let mut steps: Vec<Step<'_>> = Vec::new();
    for Copied { name, element, copy } in &launch.copies {
        workspace(&format!("{name}_copy"), element, &copy.layout)?;
        steps.push((copy_name(name), copy.shares.launch(), None));
    }
    if let Some((layout, place)) = launch.sum {
        workspace(&format!("{}s", split_k::NAME), "f32", layout)?;
        steps.push((split_k::NAME.to_owned(), place, launch.sum_at_run_time.as_ref()));
    }
    for Copied { name, element, copy } in &launch.unpacked {
        workspace(&format!("{name}_copy"), element, &copy.layout)?;
        steps.push((copy_name(name), copy.shares.launch(), None));
    }
    let (mut skeletons, mut named) = (Vec::new(), Vec::new());
    for (other, (blocks, threads), at_run_time) in steps {
        let name = kernel_name(name, &other);
        let place = [("grid", facts.grid(blocks, at_run_time)), ("block", facts.block(threads))];
        // The arguments name the sizes of the blocks.
        let args = at_run_time.map(|_| ("args", facts.list(&arguments)));
        let step = facts.dictionary(place.into_iter().chain(args));
        named.push(facts.dictionary([("name", facts.text(&name))].into_iter().chain(place)));
        skeletons.push(Skeleton { name, threads, cluster: 1, key: "layout.step", facts: step });
    }
    // From Hopper on.
    let overlap =
        !named.is_empty() && atoms::chip_number(&launch.chip).is_some_and(|number| number >= 90);
    let after = named.split_off(launch.copies.len());
    let order = (named.len(), after.len());
    let mut own = vec![
        ("grid", facts.grid(launch.grid, launch.grid_at_run_time.as_ref())),
        ("block", facts.block(launch.threads)),
        ("chip", facts.text(&launch.chip)),
        ("args", facts.list(&arguments)),
        ("problem", problem(facts, launch, gemms)),
    ];
    own.extend(gemms.first().and_then(|one| Some(("sizes", one.sizes.facts(facts)?))));
    own.extend(launch.loops.then(|| ("grid_limit", facts.text("multiprocessors"))));
    own.extend((launch.cluster != 1).then(|| ("cluster", facts.integer(launch.cluster))));
    own.extend(overlap.then(|| ("dependent_launch", facts.holds())));
    own.extend(function.attribute(FAMILY).map(|family| ("family", family)));
    for (key, list) in [("workspaces", workspaces), ("before", named), ("after", after)] {
        own.extend((!list.is_empty()).then(|| (key, facts.list(&list))));
    }
    skeletons.push(Skeleton {
        name: name.to_owned(),
        threads: launch.threads,
        cluster: launch.cluster,
        key: "layout.kernel",
        facts: facts.dictionary(own),
    });
    let module = module(function, name, &types, &skeletons)?;
    Ok(Kernels { name: name.to_owned(), module, steps: order, overlap })
}

/// A `gpu.module` of empty kernels that take these types, in front of a function whose arguments' attributes they have.
fn module<'c>(
    function: OperationRef<'c, 'c>,
    name: &str,
    types: &[Type<'c>],
    skeletons: &[Skeleton<'c>],
) -> Result<OperationRef<'c, 'c>, melior::Error> {
    let context = context_of(function);
    let facts = Attributes::new(context);
    let mut argument_attributes = tree::argument_attributes(function).unwrap_or_default();
    let has_argument_attributes = !argument_attributes.is_empty();
    argument_attributes.resize(types.len(), facts.dictionary([]));
    let b = Builder::before(function);
    let (region, inside) = b.region_with(&[]);
    for Skeleton { name, threads, cluster, key, facts: launch } in skeletons {
        let (body, _) = inside.region_with(types);
        let along_x = |count: i64| -> Attribute<'c> {
            let count = i32::try_from(count).unwrap_or(i32::MAX);
            DenseI32ArrayAttribute::new(context, &[count, 1, 1]).into()
        };
        let function_type = FunctionType::new(context, types, &[]);
        let mut attributes = vec![
            ("sym_name", facts.text(name)),
            ("function_type", TypeAttribute::new(function_type.into()).into()),
            ("gpu.kernel", Attribute::unit(context)),
            ("known_block_size", along_x(*threads)),
            (*key, *launch),
        ];
        attributes.extend((*cluster != 1).then(|| ("known_cluster_size", along_x(*cluster))));
        attributes.extend(
            has_argument_attributes.then(|| ("arg_attrs", facts.list(&argument_attributes))),
        );
        inside.operation("gpu.func", &[], &[], &attributes, vec![body])?;
    }
    b.operation("gpu.module", &[], &[], &[("sym_name", facts.text(name))], vec![region])
}

/// The facts of an argument, or of a workspace.
fn argument<'c>(
    facts: Attributes<'c>,
    name: &str,
    element: &str,
    stated: &StatedLayout,
    access: &str,
    alignment: i64,
) -> Attribute<'c> {
    let text = |text: &str| facts.text(text);
    let own = [
        ("name", text(name)),
        ("element", text(element)),
        ("shape", text(&stated.shape)),
        ("stride", text(&stated.stride)),
        ("access", text(access)),
    ];
    let start = (alignment != ASSUMED).then(|| ("alignment", facts.integer(alignment)));
    let sizes = stated.integers(facts).map(|sizes| ("sizes", sizes));
    facts.dictionary(own.into_iter().chain(start).chain(sizes))
}

/// The facts of all arguments.
fn arguments<'c>(
    facts: Attributes<'c>,
    count: usize,
    gemms: &[KernelOperands<'_, 'c>],
) -> Result<Vec<Attribute<'c>>, Failure> {
    let mut all = vec![None; count];
    for (number, described) in gemms.iter().enumerate() {
        let KernelOperands { matrices, arguments, dual, fusion, .. } = described;
        // The GEMM's number, where there are several.
        let number = if gemms.len() == 1 { String::new() } else { number.to_string() };
        let reads_c = fusion.is_some_and(|fusion| fusion.reads(arguments[2]));
        let operands =
            [("a", "read"), ("b", "read"), ("c", if reads_c { "read_write" } else { "write" })];
        for ((matrix, (operand, access)), &position) in
            matrices.iter().zip(operands).zip(*arguments)
        {
            if let Some(slot) = all.get_mut(position) {
                let Matrix { element, stated, alignment, .. } = matrix;
                let name = format!("{operand}{number}");
                *slot = Some(argument(facts, &name, element, stated, access, *alignment));
            }
        }
        if let Some((Matrix { element, stated, alignment, .. }, position)) = dual
            && let Some(slot @ None) = all.get_mut(*position)
        {
            let name = format!("{DUAL}{number}");
            *slot = Some(argument(facts, &name, element, stated, "read", *alignment));
        }
        let separator = if number.is_empty() { "" } else { "_" };
        for (i, operand) in fusion.iter().flat_map(|fusion| &fusion.operands).enumerate() {
            if let Some(slot @ None) = all.get_mut(operand.argument) {
                let Fused { element, stated, alignment, .. } = operand;
                let name = format!("e{i}{separator}{number}");
                *slot = Some(argument(facts, &name, element, stated, "read", *alignment));
            }
        }
    }
    let unused = all.iter().position(Option::is_none);
    match unused {
        None => Ok(all.into_iter().flatten().collect()),
        Some(unused) => Err(Failure::Refused(format!(
            "expected every argument of the function to be an operand of a matmul, found argument {unused}, \
             which is none"
        ))),
    }
}

/// The facts of the problem, one GEMM or several.
fn problem<'c>(
    facts: Attributes<'c>,
    launch: &Launch<'_>,
    gemms: &[KernelOperands<'_, 'c>],
) -> Attribute<'c> {
    let own = |number: usize, gemm: &KernelOperands<'_, 'c>| {
        let ((m, n, k), batch) = launch.extents.get(number).copied().unwrap_or_default();
        let extents = [("m", Some(m)), ("n", Some(n)), ("k", Some(k)), ("batch", batch)];
        let mut all = Vec::new();
        for (name, extent) in extents {
            all.extend(extent.map(|extent| (name, gemm.sizes.fact(facts, name, extent))));
        }
        let dual = gemm.dual.map(|&(_, argument)| argument);
        all.extend(gemm.fusion.map(|fusion| ("epilogue", fusion.facts(facts, dual))));
        all.extend(gemm.window.map(|window| ("window", self::window(facts, &window))));
        all
    };
    let precision = launch.precision.map(|precision| ("precision", facts.text(precision)));
    let rest = match gemms {
        [one] => {
            let mut all = own(0, one);
            all.push(("kind", facts.text("matmul")));
            all
        }
        several => {
            let each = several.iter().enumerate().map(|(number, gemm)| {
                let place = [("args", facts.places(gemm.arguments))];
                facts.dictionary(own(number, gemm).into_iter().chain(place))
            });
            let each: Vec<_> = each.collect();
            vec![("kind", facts.text("grouped")), ("problems", facts.list(&each))]
        }
    };
    facts.dictionary(rest.into_iter().chain(precision))
}

/// The window of a problem whose A is an image.
fn window<'c>(facts: Attributes<'c>, window: &Window) -> Attribute<'c> {
    let Window { results, taps, strides, dilations, padding } = window;
    let pairs = [
        ("results", results),
        ("taps", taps),
        ("strides", strides),
        ("dilations", dilations),
        ("padding", padding),
    ];
    facts.dictionary(pairs.map(|(name, pair)| (name, facts.integers(pair))))
}
