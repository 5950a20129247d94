//! `layout-decompose-extensions`: operations that front ends emit beside `linalg`, and those of `linalg` and `tensor` that are no loops, as loops of
//! `linalg`.
//!
//! ```text
//! %v, %i = tm_tensor.sort … outs(%x, %iota)   ->   %rank  = linalg.generic …    how many elements come before each
//!                                                  %order = linalg.generic …    the element of each rank
//!                                                  %v, %i = linalg.generic … {tensor.extract %x[%order]}
//! ```
//!
//! | operation | of | as |
//! |---|---|---|
//! | `sort`, `topk` | `tm_tensor`, `iree_linalg_ext` | ranks by counting, then a gather ([`sort`]) |
//! | `scan` | both | reductions within blocks and over blocks ([`scan`]) |
//! | `scatter` | both | the last update of each place and a gather, or a reduction over updates ([`scatter`], [`slices`]) |
//! | `attention` | `tm_tensor` | two contractions and a softmax ([`attention`]) |
//! | `softmax` | `linalg` | two reductions and two elementwise operations ([`softmax`]) |
//! | `pack`, `unpack` | `linalg` | copies to and from whole tiles ([`packs`]) |
//! | `gather`, `generate`, `splat` | `tensor` | a loop that reads, computes or fills ([`tensors`]) |
//!
//! All of them are loops without an order, so that `layout-from-linalg` makes parallel kernels of them. An operation that is not
//! taken stays, and a remark says why.

mod attention;
mod order;
mod packs;
mod scan;
mod scatter;
mod slices;
mod softmax;
mod sort;
mod tensors;

use super::{
    loops::{self, Stop, element, extents},
    reshape::ranked,
};
use layout_dialect::{
    build::{Builder, Val, operand, result},
    diagnostics,
    passes::{PassRun, Statistic},
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, Type, TypeLike, ValueLike,
    attribute::{DenseI32ArrayAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// The pass, as its remarks name it.
pub(crate) const NAME: &str = "layout-decompose-extensions";

/// The counter of operations that became `linalg`.
const DECOMPOSED: &str = "decomposed";

pub(crate) const STATISTICS: &[Statistic] =
    &[Statistic { name: DECOMPOSED, description: "operations that became linalg" }];

/// The dialects of front ends.
const DIALECTS: [&str; 2] = ["tm_tensor.", "iree_linalg_ext."];

/// The operations of `linalg` and `tensor` that are no loops.
const UPSTREAM: [&str; 6] =
    [SOFTMAX, "linalg.pack", "linalg.unpack", "tensor.gather", "tensor.generate", "tensor.splat"];

const SOFTMAX: &str = "linalg.softmax";

/// An operation that is not taken.
fn left<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Left(reason.into()))
}

/// Rewrites each operation of a front end's dialect below `root`, and those of `linalg` and `tensor` that are no loops.
///
/// # Errors
///
/// A diagnostic where MLIR refuses what is built.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    for operation in tree::all(root) {
        let name = tree::name(operation);
        let upstream = UPSTREAM.contains(&name.as_str()).then(|| name.split_once('.')).flatten();
        let own = || DIALECTS.iter().find_map(|dialect| name.strip_prefix(dialect));
        let Some(kind) = upstream.map(|(_, kind)| kind).or_else(own) else { continue };
        if kind == "yield" {
            continue;
        }
        match decompose(kind, operation) {
            Ok(()) => pass.count(DECOMPOSED, 1),
            Err(Stop::Left(reason)) => {
                diagnostics::remark(operation, &format!("{NAME} leaves it as it is: {reason}"));
            }
            Err(Stop::Failed(error)) => {
                diagnostics::error(operation, &format!("{NAME}: cannot build linalg: {error}"));
                return Err(());
            }
        }
    }
    Ok(())
}

fn decompose<'c>(kind: &str, operation: OperationRef<'c, 'c>) -> Result<(), Stop> {
    let b = Builder::before(operation);
    let own = || Extension::read(kind, operation);
    let values = match kind {
        "pack" if is_upstream(operation) => vec![Some(packs::pack(operation, &b)?)],
        "unpack" if is_upstream(operation) => vec![Some(packs::unpack(operation, &b)?)],
        "gather" if is_upstream(operation) => vec![Some(tensors::gather(operation, &b)?)],
        "generate" => vec![Some(tensors::generate(operation, &b)?)],
        "splat" => vec![Some(tensors::splat(operation, &b)?)],
        "sort" => sort::sort(&own()?, &b)?,
        "topk" => sort::topk(&own()?, &b)?,
        "scan" => scan::scan(&own()?, &b)?,
        "scatter" => scatter::scatter(&own()?, &b)?,
        "attention" => attention::attention(&own()?, &b)?,
        "softmax" if is_upstream(operation) => softmax::softmax(&own()?, &b)?,
        _ => {
            return left(format!(
                "expected a sort, topk, scan, scatter or attention, found {kind}"
            ));
        }
    };
    for (number, value) in values.into_iter().enumerate() {
        let old = result(operation, number);
        let Some(value) = value else { continue };
        let value = match value.r#type() == old.r#type() {
            true => value,
            false => b.value("tensor.cast", &[value], old.r#type(), &[])?,
        };
        tree::replace_uses(old, value);
    }
    tree::erase(operation);
    Ok(())
}

/// Whether an operation is one of `linalg` or `tensor`, and not one of the same name of a front end.
fn is_upstream(operation: OperationRef<'_, '_>) -> bool {
    UPSTREAM.contains(&tree::name(operation).as_str())
}

/// An operation, with its operands by their places.
struct Extension<'c> {
    operation: OperationRef<'c, 'c>,
    inputs: Vec<Val<'c>>,
    outputs: Vec<Val<'c>>,
}

impl<'c> Extension<'c> {
    fn read(kind: &str, operation: OperationRef<'c, 'c>) -> Result<Self, Stop> {
        let count = operation.operand_count();
        // The places of operands: how many are read, and how many give the results.
        let (least, most, outputs) = match kind {
            "sort" => (0, 0, count),
            "topk" => (1, 2, 2),
            "scan" => (1, 1, 2),
            "softmax" => (1, 1, 1),
            "attention" => (3, 4, 1),
            _ => (2, 2, 1),
        };
        let inputs = count.saturating_sub(outputs);
        let has_segments = |segments: DenseI32ArrayAttribute<'_>| {
            segments.element(0).ok() == i32::try_from(inputs).ok() && segments.len() == 2
        };
        let segments = operation.attribute("operandSegmentSizes").ok();
        let segments = segments.and_then(|all| DenseI32ArrayAttribute::try_from(all).ok());
        // Those of `topk` of IREE are one for each operand.
        let is_of_two = segments.is_none_or(|all| all.len() != 2 || has_segments(all));
        if !is_of_two || !(least..=most).contains(&inputs) || outputs == 0 || count == 0 {
            return left(format!(
                "expected {least} to {most} operands in 'ins' and {outputs} in 'outs', found {count} operands"
            ));
        }
        let all: Vec<Val<'c>> = (0..count).map(|i| operand(operation, i)).collect();
        let (inputs, outputs) = all.split_at(inputs);
        if operation.result_count() != outputs.len() {
            return left(format!(
                "expected a result for each operand in 'outs', found {} of {}",
                operation.result_count(),
                outputs.len()
            ));
        }
        for (number, output) in outputs.iter().enumerate() {
            let found = result(operation, number).r#type();
            if found != output.r#type() {
                return left(format!(
                    "expected result {number} of type {}, found {found}",
                    output.r#type()
                ));
            }
        }
        if let Some(value) = all.iter().find(|value| ranked(value.r#type()).is_none()) {
            return left(format!(
                "expected tensors with a rank and without an encoding, found {}",
                value.r#type()
            ));
        }
        for value in &all {
            let of = element(*value)?;
            if !(of.is_integer() || of.is_float()) {
                return left(format!("expected elements that are integers or floats, found {of}"));
            }
        }
        let known = |all: &[Val<'c>]| all.iter().copied().map(uncast).collect();
        Ok(Self { operation, inputs: known(inputs), outputs: known(outputs) })
    }

    /// The dimension that it works along, of a tensor.
    fn dimension(&self, tensor: Val<'c>) -> Result<usize, Stop> {
        let rank = extents(tensor).len();
        let found = self.operation.attribute("dimension").ok();
        let found = found.and_then(|found| IntegerAttribute::try_from(found).ok());
        let found = found.map_or(-1, |found| found.value());
        match usize::try_from(found).ok().filter(|d| *d < rank) {
            Some(dimension) => Ok(dimension),
            None => left(format!("expected a dimension below the rank of {rank}, found {found}")),
        }
    }

    /// A boolean among its attributes.
    fn is(&self, name: &str, otherwise: bool) -> bool {
        self.operation.attribute(name).map_or(otherwise, |found| found.to_string() == "true")
    }

    /// The block of its region, with arguments of these types, which gives one value of another.
    fn body(&self, arguments: &[Type<'c>], gives: Type<'c>) -> Result<BlockRef<'c, 'c>, Stop> {
        let Some(block) = tree::entry(self.operation) else { return left("expected a region") };
        let found: Vec<_> =
            (0..block.argument_count()).map(|i| tree::argument(block, i).r#type()).collect();
        if found != arguments {
            let text = |all: &[Type<'c>]| {
                all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            };
            return left(format!(
                "expected a region with arguments ({}), found ({})",
                text(arguments),
                text(&found)
            ));
        }
        let steps = tree::operations(block);
        if let Some(step) = steps.iter().find(|step| step.region_count() > 0) {
            return left(format!(
                "expected a region of operations without regions, found {}",
                tree::name(*step)
            ));
        }
        match steps.last() {
            Some(end) if end.operand_count() == 1 && operand(*end, 0).r#type() == gives => {
                Ok(block)
            }
            _ => left(format!("expected a region that gives one value of {gives}")),
        }
    }
}

/// The tensor that a cast hides sizes of.
fn uncast(tensor: Val<'_>) -> Val<'_> {
    let made = tree::definition(tensor).filter(|made| tree::name(*made) == "tensor.cast");
    let source = made.map(|made| operand(made, 0)).filter(|source| {
        let (own, hidden) = (extents(*source), extents(tensor));
        let knows = |(own, hidden): (&Option<i64>, &Option<i64>)| own.is_some() || hidden.is_none();
        own.len() == hidden.len() && own.iter().zip(&hidden).all(knows)
    });
    source.map_or(tensor, uncast)
}

/// The sizes of a tensor's dimensions that its type says; those of other values are none.
/// Whether two tensors may have the same shape.
fn same_shape(a: Val<'_>, b: Val<'_>) -> bool {
    let (a, b) = (extents(a), extents(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.is_none() || b.is_none() || a == b)
}
