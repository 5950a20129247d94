//! `layout-from-linalg`: contractions of `linalg` become matmuls on views, and all other operations on tensors fused
//! kernels.
//!
//! ```text
//! linalg.fill(%zero, %sums)
//! linalg.matmul(%a, %b, %sums)                 -> layout.matmul %a, %b, %c … epilogue(%bias) { … }
//! linalg.generic(%sums, %bias, %c) { … }
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | [`contraction`] | reads an operation: its dimensions as modes of M, N, K and the batch, and its body |
//! | [`rearrange`] | moves of operands before contractions that no matmul reads as they lie |
//! | [`loops`] | structured operations as they are built |
//! | [`convolution`] | the image and the window of a convolution whose copies compute its im2col matrix |
//! | [`views`] | layouts of memrefs in these modes, and views |
//! | [`mixed`] | contractions of two element types, whose operands are converted to one first |
//! | [`quantised`] | contractions of integers with zero points, or without signs, as those without them |
//! | [`memory`] | which memory operations read and write, and what may be the same |
//! | [`conversions`] | operations that convert each element of a tensor |
//! | [`numbers`] | numbers of the types of elements, and neutral ones |
//! | [`fusion`] | the elementwise operations after it that become the epilogue, and what it starts from |
//! | [`collapse`] | reshapes after contractions move after the elementwise operations that read them |
//! | [`counters`] | a pass of its own, before: integers that loops carry in tensors |
//! | [`elements`] | a pass of its own, before: sizes that the host reads of tensors |
//! | [`extensions`] | a pass of its own, before: sorts, scans, scatters and attention of front ends' dialects |
//! | [`prologue`] | conversions before contractions that MMAs' operands go through in registers |
//! | [`propagate`] | a pass of its own, before: which layouts contractions read and write |
//! | [`reshape`] | reshapes to shapes that are tensors, as reshapes of dimensions |
//! | [`rows`] | all other operations on tensors, as kernels |
//! | [`shared`] | equal kernels, of which one stays |
//!
//! Operations that are not taken are left as they are, and a remark says why. Operands are tensors or memrefs; on tensors more becomes epilogues,
//! since bufferisation lets several results have one memory.

mod broadcast;
mod collapse;
mod contraction;
mod conversions;
mod convolution;
pub(crate) mod counters;
pub(crate) mod elements;
pub(crate) mod extensions;
mod fusion;
mod located;
mod loops;
mod memory;
mod mixed;
mod numbers;
mod prologue;
pub(crate) mod propagate;
mod quantised;
mod rearrange;
mod reshape;
mod rows;
mod shared;
mod views;

use crate::matmul::HOST;
use contraction::{Contraction, Dimensions};
use conversions::Conversion;
use convolution::Image;
use fusion::Fusion;
use layout_dialect::{
    ScheduleAttribute,
    build::{Builder, Val, context_of, operand},
    diagnostics,
    epilogue::YIELD,
    ops,
    passes::{PassOption, PassRun, Statistic},
    tree,
};
use loops::{Built, Stop};
use melior::ir::{Attribute, OperationRef, Region, Type, ValueLike, operation::OperationLike};
use rearrange::{Rearranged, Target, Transposed};
use std::collections::{HashMap, HashSet};
use views::{Sizes, View};

/// The pass, as its remarks name it.
pub(crate) const NAME: &str = "layout-from-linalg";

/// The option that keeps attention from warpgroups.
const WARPGROUPS: &str = "warpgroup-attention";

/// The counter of contractions that became matmuls.
const TAKEN: &str = "taken";

/// The counter of elementwise operations that became epilogues.
const FUSED: &str = "fused";

/// The counter of kernels of other operations.
const KERNELS: &str = "kernels";

/// The counter of kernels of attention.
const ATTENTION: &str = "attention";

/// The counter of operations that these compute.
const COMPUTED: &str = "computed";

pub(crate) const OPTIONS: &[PassOption] = &[
    PassOption {
        name: "chip",
        description: "The chip that matmuls are scheduled for",
        initial: "sm_90a",
    },
    PassOption {
        name: WARPGROUPS,
        description: "Whether attention may take the library's kernels on warpgroups (true or false)",
        initial: "true",
    },
];

pub(crate) const STATISTICS: &[Statistic] = &[
    Statistic { name: TAKEN, description: "contractions that became matmuls" },
    Statistic { name: FUSED, description: "elementwise operations that became epilogues" },
    Statistic { name: KERNELS, description: "kernels of other operations on tensors" },
    Statistic {
        name: ATTENTION,
        description: "kernels of attention: two contractions and a softmax",
    },
    Statistic { name: COMPUTED, description: "operations that these kernels compute" },
];

/// Why an operation is left as it is: what was expected, and what was found.
type Reason = String;

/// Turns every contraction below `root` into a matmul on views, and what else is on tensors into kernels.
///
/// # Errors
///
/// A diagnostic for a chip that is unknown, and where MLIR refuses what is built.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let chip = pass.option("chip");
    let schedule = |keys: &str| {
        let text = format!("#layout.schedule<auto{keys}, chip = \"{chip}\">");
        let parsed = Attribute::parse(context_of(root), &text);
        parsed.filter(|found| ScheduleAttribute::try_from(*found).is_ok())
    };
    let of_levels = (schedule(""), schedule(", two_level_accumulation = true"));
    let (Some(one_level), Some(two_levels)) = of_levels else {
        let known = layout_schedule::Chip::known();
        let message =
            format!("expected one of the chips {known} as the option 'chip', found {chip}");
        diagnostics::error(root, &message);
        return Err(());
    };
    let modules = shared::modules(root);
    broadcast::run(root);
    if let Err(error) = reshape::run(root) {
        diagnostics::error(root, &format!("{NAME}: cannot build a reshape: {error}"));
        return Err(());
    }
    let warpgroups = match pass.option(WARPGROUPS).as_str() {
        "true" => true,
        "false" => false,
        found => {
            let message =
                format!("expected true or false as the option '{WARPGROUPS}', found {found}");
            diagnostics::error(root, &message);
            return Err(());
        }
    };
    let attention = rows::attention(root, &chip, warpgroups).map_err(|(operation, error)| {
        diagnostics::error(operation, &format!("{NAME}: cannot build a kernel: {error}"));
    })?;
    pass.count(ATTENTION, attention.kernels);
    pass.count(COMPUTED, attention.taken);
    for (operation, reason) in attention.left {
        diagnostics::remark(
            operation,
            &format!("{NAME} computes attention as two matmuls and a softmax: {reason}"),
        );
    }
    if let Err(error) = collapse::run(root) {
        diagnostics::error(root, &format!("{NAME}: cannot move a reshape: {error}"));
        return Err(());
    }
    let converted = prologue::run(root)
        .and_then(|()| mixed::run(root, &chip))
        .and_then(|()| quantised::run(root));
    if let Err(Stop::Failed(error)) = converted {
        diagnostics::error(root, &format!("{NAME}: cannot convert an operand: {error}"));
        return Err(());
    }
    // Only operations that are no contractions go meanwhile, and those that are examined.
    let contractions = tree::all(root).into_iter().filter(|found| contraction::may_be_one(*found));
    let (mut refused, mut without_matmul) = (Vec::new(), Vec::new());
    for mut operation in contractions.collect::<Vec<_>>() {
        let mut planned = plan(operation, &chip);
        if let Err(reason) = &planned {
            match rearranged(operation, &chip, reason) {
                Ok(Some(moved)) => {
                    operation = moved;
                    // Its epilogue may be what follows it now.
                    planned = plan(operation, &chip);
                }
                Ok(None) | Err(Stop::Left(_)) => {}
                Err(Stop::Failed(error)) => {
                    diagnostics::error(root, &format!("{NAME}: cannot move an operand: {error}"));
                    return Err(());
                }
            }
        }
        match planned {
            Ok(plan) => {
                let fused = plan.fusion.fused().count() as u64;
                let of = plan.contraction.multiplied_element().unwrap_or_default();
                let is_narrow = contraction::accumulates_narrowly(&of, &chip);
                if is_narrow {
                    let message = format!(
                        "{NAME} accumulates {of} in two levels: tensor cores of {chip} keep fewer bits than f32 within a tile"
                    );
                    diagnostics::remark(operation, &message);
                }
                if let Err(error) = plan.emit(if is_narrow { two_levels } else { one_level }) {
                    diagnostics::error(root, &format!("{NAME}: cannot build a matmul: {error}"));
                    return Err(());
                }
                pass.count(TAKEN, 1);
                pass.count(FUSED, fused);
            }
            Err(reason) => {
                if contraction::is_product(operation) || Contraction::read(operation).is_ok() {
                    let own = rows::identity(operation);
                    without_matmul.push((own, operation.location(), reason.clone()));
                }
                refused.push((operation, reason));
            }
        }
    }
    for operation in tree::all(root) {
        let operands = operation.operand_count();
        let is_linalg = tree::name(operation).starts_with("linalg.");
        if operands > 3 && is_linalg && contraction::is_product(operation) {
            let reason = format!("expected A, B and C as operands, found {operands} operands");
            without_matmul.push((rows::identity(operation), operation.location(), reason));
        }
    }
    let outcome = rows::run(root, &chip).map_err(|(operation, error)| {
        diagnostics::error(operation, &format!("{NAME}: cannot build a kernel: {error}"));
    })?;
    shared::run(root, &modules);
    pass.count(KERNELS, outcome.kernels);
    pass.count(COMPUTED, outcome.taken);
    for (_, place, reason) in without_matmul.iter().filter(|(own, ..)| outcome.erased.contains(own))
    {
        let message = format!("{NAME} computes the contraction without tensor cores: {reason}");
        diagnostics::remark_at(*place, &message);
    }
    // A contraction that no matmul computes may be a kernel now.
    refused.retain(|(own, _)| !outcome.erased.contains(&rows::identity(*own)));
    let known: HashSet<usize> = refused.iter().map(|(own, _)| rows::identity(*own)).collect();
    let (again, other): (Vec<_>, Vec<_>) =
        outcome.left.into_iter().partition(|(own, _)| known.contains(&rows::identity(*own)));
    // An operation that multiplies nothing is no contraction: why it is no kernel is the reason.
    for (operation, reason) in again {
        let own = refused.iter_mut().find(|(own, _)| *own == operation);
        if let Some(own) = own.filter(|_| !contraction::multiplies(operation)) {
            own.1 = reason;
        }
    }
    let other = other.into_iter().chain(in_memory(root)).chain(of_others(root));
    let other = other.filter(|(own, _)| !known.contains(&rows::identity(*own)));
    for (operation, reason) in refused.into_iter().chain(other) {
        diagnostics::remark(operation, &format!("{NAME} leaves it as it is: {reason}"));
    }
    Ok(())
}

/// The operations of the host on memrefs that are left: only contractions are computed there.
fn in_memory<'c>(root: OperationRef<'c, '_>) -> Vec<(OperationRef<'c, 'c>, Reason)> {
    let mut left = Vec::new();
    tree::visit(root, &mut |operation| {
        let name = tree::name(operation);
        if name.starts_with("gpu.") {
            return false;
        }
        let mut operands = (0..operation.operand_count()).map(|i| operand(operation, i));
        if name.starts_with("linalg.") && operands.any(memory::is_memref) {
            let reason = "expected a contraction or operands that are tensors, found memrefs";
            left.push((operation, reason.to_owned()));
        }
        true
    });
    left
}

/// The operations of other dialects on tensors that are operations of `linalg` in another form.
fn of_others<'c>(root: OperationRef<'c, '_>) -> Vec<(OperationRef<'c, 'c>, Reason)> {
    let mut left = Vec::new();
    tree::visit(root, &mut |operation| {
        let name = tree::name(operation);
        let is_tensor = |value: Val<'_>| value.r#type().to_string().starts_with("tensor<");
        let hint = match name.split('.').next() {
            _ if name == "tensor.generate" => "linalg.generic with linalg.index computes the same",
            Some("arith" | "math" | "tosa")
                if !(0..operation.operand_count()).any(|i| is_tensor(operand(operation, i))) =>
            {
                return true;
            }
            Some("arith" | "math") => "--convert-elementwise-to-linalg makes them of it",
            Some("tosa") => "--tosa-to-linalg-pipeline makes them of it",
            _ => return !name.starts_with("gpu."),
        };
        let reason = format!("expected operations of linalg on tensors, found {name}; {hint}");
        left.push((operation, reason));
        true
    });
    left
}

/// A matmul that is yet to be made.
struct Plan<'c> {
    contraction: Contraction<'c>,
    sizes: Sizes<'c>,
    /// A, B, the epilogue's operands, and C.
    views: Vec<View<'c>>,
    /// The image that stands for A where that is the im2col matrix of an image.
    image: Option<Image<'c>>,
    fusion: Fusion<'c>,
}

/// The contraction that a matmul computes in place of another one, once operands were moved.
fn rearranged<'c>(
    operation: OperationRef<'c, 'c>,
    chip: &str,
    reason: &str,
) -> Built<Option<OperationRef<'c, 'c>>> {
    let is_taken = |made: Rearranged<'c>, what: String| {
        let moved = made.contraction;
        if plan(moved, chip).is_err() {
            made.erase();
            return None;
        }
        diagnostics::remark(operation, &format!("{NAME} first {what}: {reason}"));
        made.replace();
        Some(moved)
    };
    for target in Target::ALL {
        let Some(made) = Rearranged::of(operation, target, chip)? else { continue };
        if let Some(moved) = is_taken(made, format!("moves A to {}", target.name())) {
            return Ok(Some(moved));
        }
    }
    for choice in Transposed::ALL {
        let Some(made) = choice.build(operation)? else { continue };
        if let Some(moved) = is_taken(made, format!("transposes {choice}")) {
            return Ok(Some(moved));
        }
    }
    Ok(None)
}

/// The matmul that a contraction becomes. Where loops of M or N are not one loop, as operands lie in memory, outer ones become those of a batch,
/// along which the other operand stays.
fn plan<'c>(operation: OperationRef<'c, 'c>, chip: &str) -> Result<Plan<'c>, Reason> {
    let mut contraction = Contraction::read(operation)?;
    contraction.is_on(chip)?;
    let image = Image::of(&mut contraction, chip);
    if image.is_some() {
        return Plan::of(contraction, image);
    }
    rearrange::drop_taps(&mut contraction);
    let whole = Plan::of(contraction.clone(), None);
    // Rows of a window are few: a matrix of all is faster.
    let may_part = (whole.is_err() || contraction.dimensions.batch.is_empty())
        && !rearrange::has_windows(&contraction);
    let is_better = |plan: &Plan<'c>| match &whole {
        Ok(whole) => whole.copies() && !plan.copies() && plan.fills_tiles(),
        Err(_) => true,
    };
    let batches = may_part.then(|| contraction.with_batches()).into_iter().flatten();
    let parted = batches.flat_map(|own| Plan::of(own, None)).find(is_better);
    parted.map_or(whole, Ok)
}

impl<'c> Plan<'c> {
    fn of(contraction: Contraction<'c>, image: Option<Image<'c>>) -> Result<Self, Reason> {
        // The image is what padding is around, whose sizes no loop has.
        let operands = usize::from(image.is_some())..3;
        let sizes = Sizes::of(&contraction, operands)?;
        let fusion = Fusion::of(&contraction, &sizes)?;
        let dimensions = &contraction.dimensions;
        let batch = || (!dimensions.batch.is_empty()).then_some(dimensions.batch.as_slice());
        let modes = |rows: &'_ [usize], columns: &'_ [usize]| -> Vec<Vec<usize>> {
            [rows, columns].into_iter().chain(batch()).map(<[usize]>::to_vec).collect()
        };
        let ([a, b, _], [in_a, in_b, _]) = (&contraction.operands, &contraction.maps);
        let mut operands = vec![
            (*a, in_a, modes(&dimensions.m, &dimensions.k)),
            (*b, in_b, modes(&dimensions.n, &dimensions.k)),
        ];
        for one in fusion.others.iter().chain([&fusion.target]) {
            operands.push((one.memref, &one.map, modes(&dimensions.m, &dimensions.n)));
        }
        let mut views = Vec::with_capacity(operands.len());
        for (memref, map, modes) in &operands {
            let modes: Vec<&[usize]> = modes.iter().map(Vec::as_slice).collect();
            views.push(View::of(*memref, map, &modes, &sizes)?);
        }
        // The mode of each view that is M, N, K or the batch: of A, of B, and of the others.
        let of = |a: Option<usize>, b: Option<usize>, c: Option<usize>| -> Vec<Option<usize>> {
            let a = a.filter(|_| image.is_none());
            (0..views.len()).map(|i| [a, b].get(i).copied().unwrap_or(c)).collect()
        };
        let places =
            [of(Some(0), None, Some(0)), of(None, Some(0), Some(1)), of(Some(1), Some(1), None)];
        let all = of(Some(2), Some(2), Some(2));
        for places in places.iter().chain((!dimensions.batch.is_empty()).then_some(&all)) {
            views::merge(&mut views, places)?;
        }
        views::fit_tiles(&views[usize::from(image.is_some())..])?;
        Ok(Self { contraction, sizes, views, image, fusion })
    }

    /// Whether operands may be copied before the kernel, into blocks that tiles fit.
    fn copies(&self) -> bool {
        views::fit_blocks(&self.views).is_err()
    }

    /// Whether M and N are at least an instruction's.
    fn fills_tiles(&self) -> bool {
        const MIN_POINTS: i64 = 16;
        let Dimensions { m, n, .. } = &self.contraction.dimensions;
        [m, n].into_iter().all(|loops| {
            let known = |d: &usize| match self.sizes.at(*d) {
                views::Size::Known(known) => *known,
                views::Size::Product(..) => MIN_POINTS,
            };
            loops.iter().map(known).fold(1, i64::saturating_mul) >= MIN_POINTS
        })
    }

    /// Puts the matmul in place of the last operation that it stands for, and takes those away.
    fn emit(self, schedule: Attribute<'c>) -> Result<(), melior::Error> {
        let Self { contraction, sizes, views, image, fusion } = self;
        let last = fusion.fused().last().unwrap_or(contraction.operation);
        let b = Builder::before(last).with_location(contraction.operation.location());
        let mut made = Vec::with_capacity(views.len());
        // The memref that each tensor lies in that is read; a result that is a tensor gets memory of its own.
        let mut tensors: HashMap<usize, Val<'c>> = HashMap::new();
        let result = fusion.target.memref;
        for (i, view) in views.iter().enumerate() {
            if let Some(image) = image.as_ref().filter(|_| i == 0) {
                made.push(image.emit(&b)?);
                continue;
            }
            let seen = view.memref();
            let memref = match tensors.get(&tree::key(seen)) {
                Some(memref) => *memref,
                None if memory::is_memref(seen) => seen,
                None if i + 1 == views.len() => {
                    views::allocate(&b, seen.r#type(), &fusion.target.map, &sizes)?
                }
                None => views::read_part(&b, seen)?,
            };
            tensors.insert(tree::key(seen), memref);
            made.push(view.emit(&b, memref, &sizes)?);
        }
        // C is in front of the epilogue's operands.
        let c = made.pop().ok_or(melior::Error::OperationBuild)?;
        made.insert(2, c);
        let is_wide = contraction.result_element().is_ok_and(|found| found.to_string() == "f64");
        let kind = if is_wide { Type::float64(b.context()) } else { Type::float32(b.context()) };
        let region = match fusion.is_empty() {
            true => Region::new(),
            false => {
                let (region, inner) = b.region_with(&vec![kind; made.len() - 2]);
                let value = fusion.emit(&inner, &contraction, kind)?;
                inner.operation(YIELD, &[value], &[], &[], vec![])?;
                region
            }
        };
        let window = image.as_ref().map(|image| ("window", image.window(b.context())));
        let segments = ops::matmul_segments(b.context(), made.len() - 3, false);
        let attributes: Vec<_> =
            [("schedule", schedule), segments].into_iter().chain(window).collect();
        b.operation("layout.matmul", &made, &[], &attributes, vec![region])?;
        // The function keeps its arguments, and launches what the matmul becomes.
        let mut around = tree::ancestors(contraction.operation);
        if let Some(function) = around.find(|around| tree::name(*around) == "func.func") {
            tree::set_attribute(function, HOST, Attribute::unit(b.context()));
        }
        if !memory::is_memref(result) {
            let memref = tensors.get(&tree::key(result)).ok_or(melior::Error::OperationBuild)?;
            let unit = Attribute::unit(b.context());
            let flags = [("restrict", unit), ("writable", unit)];
            let name = "bufferization.to_tensor";
            tree::replace_uses(result, b.value(name, &[*memref], result.r#type(), &flags)?);
        }
        let fused: Vec<_> = fusion.fused().collect();
        fused.into_iter().rev().chain([contraction.operation]).for_each(tree::erase);
        let fill = fusion.fill.filter(|fill| tree::user(*fill).is_none());
        let widened = fill.and_then(|fill| Conversion::of_half(operand(fill, 0)));
        fill.into_iter().for_each(tree::erase);
        let widened = widened.map(|made| made.operation).filter(|made| tree::user(*made).is_none());
        widened.into_iter().for_each(tree::erase);
        fusion.idle().for_each(tree::erase);
        image.iter().filter_map(Image::idle).for_each(tree::erase);
        Ok(())
    }
}
