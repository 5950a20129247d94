//! `layout.reduce`: a reduction along modes of a tile that threads hold.

use super::{
    broadcast::{Elements, sizes},
    map::{function, text},
    plan::ThreadValues,
};
use crate::ops::prelude::*;
use crate::{
    data::{
        attributes::{self},
        evaluate::to_shape,
        types::is_float,
    },
    ops::views::{known_layout, view, writable},
};
use melior::ir::BlockRef;

/// An operation of `arith`, and the name by which `gpu.subgroup_reduce` knows it.
type By = [&'static str; 2];

/// The kinds of reductions: what floats and integers are combined by.
const KINDS: [(&str, Option<By>, Option<By>); 11] = [
    ("add", Some(["arith.addf", "add"]), Some(["arith.addi", "add"])),
    ("mul", Some(["arith.mulf", "mul"]), Some(["arith.muli", "mul"])),
    ("max", Some(["arith.maximumf", "maximumf"]), Some(["arith.maxsi", "maxsi"])),
    ("min", Some(["arith.minimumf", "minimumf"]), Some(["arith.minsi", "minsi"])),
    ("maxnum", Some(["arith.maxnumf", "maxnumf"]), None),
    ("minnum", Some(["arith.minnumf", "minnumf"]), None),
    ("maxu", None, Some(["arith.maxui", "maxui"])),
    ("minu", None, Some(["arith.minui", "minui"])),
    ("and", None, Some(["arith.andi", "and"])),
    ("or", None, Some(["arith.ori", "or"])),
    ("xor", None, Some(["arith.xori", "xor"])),
];

/// How two elements are combined.
#[derive(Clone, Copy, Debug)]
pub(super) enum Combine<'c> {
    /// By an operation of `arith`, and the name of its reduction.
    By(By),
    /// By a region.
    Region(BlockRef<'c, 'c>),
}

/// A `layout.reduce` that was verified.
#[derive(Debug)]
pub(super) struct Reduce<'c> {
    /// Sources with their targets, whose elements are combined together.
    pub(super) pairs: Vec<Pair<'c>>,
    pub(super) combine: Combine<'c>,
    pub(super) along: Vec<i64>,
    pub(super) holders: ThreadValues,
}

/// A source and its target.
#[derive(Debug)]
pub(super) struct Pair<'c> {
    pub(super) source: Val<'c>,
    pub(super) target: Val<'c>,
    pub(super) element: Type<'c>,
    /// Which element of the target is that of an element of the source.
    pub(super) elements: Elements,
    /// The target's layout.
    pub(super) layout: AnyLayout,
}

impl<'c> Reduce<'c> {
    pub(super) fn of(operation: OperationRef<'c, '_>) -> Result<Self, Violation> {
        let count = pairs(operation)?;
        let shape = shape(operation, 0)?;
        let along = attributes::integers(operation.attribute("along")?)?;
        let pairs = (0..count).map(|at| Pair::of(operation, (at, count), &shape));
        Ok(Self {
            combine: combine(operation, view(operation, 0)?.element_type(), count)?,
            along,
            holders: holders(operation, &shape)?,
            pairs: pairs.collect::<Result<_, _>>()?,
        })
    }
}

impl<'c> Pair<'c> {
    /// The pair number `at` of `count`.
    fn of(
        operation: OperationRef<'c, '_>,
        (at, count): (usize, usize),
        first: &[i64],
    ) -> Result<Self, Violation> {
        let own = shape(operation, at)?;
        if own != first {
            let expected = format!("sources of one shape, {}", text(first));
            return Err(Violation::new(Code::ReduceSources, expected, text(&own))
                .at(parts::of_operand(operation, at, Part::Shape)));
        }
        let target = at + count;
        Ok(Self {
            source: operand(operation, at),
            target: operand(operation, target),
            element: view(operation, at)?.element_type(),
            elements: elements(operation, target, first)?,
            layout: known_layout(view(operation, target)?).map_err(|refused| {
                refused.at(parts::of_operand(operation, target, Part::Symbol(0)))
            })?,
        })
    }
}

/// How many sources there are, each with a target.
fn pairs(operation: OperationRef<'_, '_>) -> Result<usize, Violation> {
    match operation.operand_count() {
        0 => Err(Violation::new(Code::ReduceSources, "at least one source", "none")),
        odd if odd % 2 == 1 => {
            let expected = "as many targets as sources";
            Err(Violation::new(Code::ReduceSources, expected, format!("{odd} views")))
        }
        even => Ok(even / 2),
    }
}

/// The sizes of an operand's modes.
fn shape(operation: OperationRef<'_, '_>, at: usize) -> Result<Vec<i64>, Violation> {
    sizes(view(operation, at)?, Code::ReduceTarget)
        .map_err(|refused| refused.at(parts::of_operand(operation, at, Part::Shape)))
}

/// The value of an attribute that is a term.
fn term(
    operation: OperationRef<'_, '_>,
    name: &str,
) -> Result<Option<layout_algebra::Value>, Violation> {
    let Ok(attribute) = operation.attribute(name) else { return Ok(None) };
    let value = TermAttribute::try_from(attribute)?.term().and_then(|term| term.eval());
    Ok(Some(
        value.map_err(|error| Violation::from(error).at(parts::of_attribute(operation, name)))?,
    ))
}

/// Who holds the tile.
fn holders(operation: OperationRef<'_, '_>, shape: &[i64]) -> Result<ThreadValues, Violation> {
    let tile: Option<Tuple> = term(operation, "tile")?
        .map(to_shape)
        .transpose()
        .map_err(|error| Violation::from(error).at(parts::of_attribute(operation, "tile")))?;
    match term(operation, "threads")? {
        Some(threads) => ThreadValues::of(&threads, tile.as_ref())
            .map_err(|refused| refused.at(parts::of_attribute(operation, "threads"))),
        None => match tile {
            Some(tile) => {
                let expected = "a thread-value layout, by which threads hold the tile";
                Err(Violation::new(Code::ReduceThreads, expected, format!("a tile {tile} alone"))
                    .at(parts::of_attribute(operation, "tile")))
            }
            None => ThreadValues::alone(shape)
                .map_err(|refused| refused.at(parts::of_operand(operation, 0, Part::Shape))),
        },
    }
}

/// Which element of the target is that of an element of the source.
fn elements(
    operation: OperationRef<'_, '_>,
    target: usize,
    source: &[i64],
) -> Result<Elements, Violation> {
    let own = shape(operation, target)?;
    Elements::of(&own, source).ok_or_else(|| {
        let expected = format!(
            "a target with as many elements as the source, with one element, or with modes of the sizes {} or 1",
            text(source)
        );
        Violation::new(Code::ReduceTarget, expected, text(&own))
            .hint("a mode of stride 0 holds one result for all of its coordinates")
            .at(parts::of_operand(operation, target, Part::Shape))
    })
}

/// How two elements are combined: by the kind, or by the region.
fn combine<'c>(
    operation: OperationRef<'c, '_>,
    element: Type<'c>,
    sources: usize,
) -> Result<Combine<'c>, Violation> {
    let kind = operation.attribute("kind").ok().and_then(tree::text);
    let place = || parts::of_attribute(operation, "kind");
    match (kind, tree::entry(operation)) {
        (None, Some(block)) => Ok(Combine::Region(block)),
        (None, None) => {
            let expected = "a kind of reduction, or a region";
            Err(Violation::new(Code::ReduceKind, expected, "none"))
        }
        (Some(kind), Some(_)) => {
            let expected = "a kind of reduction or a region";
            Err(Violation::new(Code::ReduceKind, expected, format!("{kind} and a region"))
                .at(place()))
        }
        (Some(kind), None) if sources > 1 => {
            let expected = format!("a region, which combines elements of {sources} sources");
            Err(Violation::new(Code::ReduceKind, expected, kind).at(place()))
        }
        (Some(kind), None) => {
            let Some((_, floats, integers)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
                let names: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).collect();
                return Err(Violation::unknown(Code::ReduceKind, &kind, &names).at(place()));
            };
            let by = if is_float(element) { floats } else { integers };
            let has_arithmetic =
                !super::map::WITHOUT_ARITHMETIC.contains(&element.to_string().as_str());
            by.filter(|_| has_arithmetic).map(Combine::By).ok_or_else(|| {
                let expected = format!("a reduction that fits elements of {element}");
                Violation::new(Code::ReduceKind, expected, &kind).at(place())
            })
        }
    }
}

pub(crate) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let count = pairs(check.operation)?;
    let mut types = Vec::with_capacity(count);
    for at in 0..count {
        let target = at + count;
        writable(check, target)?;
        let (from, to) = (check.view(at)?.element_type(), check.view(target)?.element_type());
        if from != to {
            let expected = format!("a target with the source's element type {from}");
            let refused = Violation::new(Code::ReduceTarget, expected, to);
            let refused = refused.hint("layout.map converts elements");
            check.refuse_for(Site::Operand(target, Part::Element), refused);
        }
        types.push(from);
    }
    let reduce = Reduce::of(check.operation)?;
    let Reduce { along, holders, .. } = &reduce;
    let rank = i64::try_from(holders.rank).unwrap_or(i64::MAX);
    for (at, &mode) in along.iter().enumerate() {
        let expected = match mode {
            _ if mode < 0 || mode >= rank => format!("modes below the tile's rank, {rank}"),
            _ if along[..at].contains(&mode) => "each mode once".to_owned(),
            _ => continue,
        };
        check.refuse(Site::Attribute("along"), Code::ReduceModes, expected, mode);
    }
    let all = super::broadcast::product(&shape(check.operation, 0)?);
    if all != Some(holders.values) {
        let expected = format!(
            "a thread-value layout with as many values as the source has elements, {}",
            all.unwrap_or(i64::MAX)
        );
        check.refuse(Site::Attribute("threads"), Code::ReduceThreads, expected, holders.values);
    }
    match reduce.combine {
        Combine::Region(_) => {
            let arguments = [types.as_slice(), &types].concat();
            function(check, &arguments, &types, Code::ReduceRegion)
        }
        Combine::By(_) => Ok(()),
    }
}
