//! What a kernel computes, as a graph: elements of tensors that are read, operations of bodies on them, and reductions.
//!
//! A node stands behind what it is computed from.

use super::{
    coordinate::{At, Coordinate, Coordinates},
    extent::{Extent, Same},
};
use layout_dialect::build::Val;
use melior::ir::{Attribute, OperationRef, Type};
use std::collections::BTreeSet;

/// The number of a node.
pub(super) type Node = usize;

#[derive(Clone, Debug)]
pub(super) enum Step<'c> {
    /// An element of a tensor in memory.
    Load { tensor: usize, at: Vec<At> },
    /// A copy of an operation, on other operands.
    Copy { operation: OperationRef<'c, 'c>, operands: Vec<Node> },
    /// A number.
    Constant { value: Attribute<'c>, of: Type<'c> },
    /// What the host hands.
    Scalar(usize),
    /// A coordinate, as an `index`.
    Coordinate(At),
    /// Whether a coordinate is one below a size, and no negative one.
    Within(At, At),
    /// Whether both are.
    Both(Node, Node),
    /// The values of one branch or the other one.
    Branch { condition: Node, regions: [Vec<Node>; 2], types: Vec<Type<'c>> },
    /// A value of a branch.
    Taken { branch: Node, number: usize },
    /// What a reduction holds so far.
    Held { stage: usize, number: usize },
    /// What a reduction gives.
    Reduced { stage: usize, number: usize },
}

/// A value that a reduction holds.
#[derive(Clone, Debug)]
pub(super) struct Result<'c> {
    pub(super) of: Type<'c>,
    pub(super) initial: Node,
    /// What it holds next, from what it holds.
    pub(super) next: Node,
    /// Where it is combined with a value that does not depend on it.
    pub(super) combined: Option<Combined<'c>>,
}

/// A reduction in any order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combined<'c> {
    pub(super) operation: OperationRef<'c, 'c>,
    /// As `layout.reduce` names it.
    pub(super) kind: &'static str,
    pub(super) with: Node,
}

/// A reduction over loops of its own.
#[derive(Clone, Debug)]
pub(super) struct Stage<'c> {
    /// The numbers of its loops, the outermost first.
    pub(super) loops: Vec<usize>,
    pub(super) results: Vec<Result<'c>>,
}

impl Stage<'_> {
    /// Whether threads may share its steps.
    pub(super) fn is_shared(&self) -> bool {
        self.results.iter().all(|result| result.combined.is_some())
    }
}

/// A tensor's element that the kernel writes.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) at: Vec<At>,
    pub(super) value: Node,
}

/// A kernel's computation.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph<'c> {
    pub(super) coordinates: Coordinates,
    pub(super) steps: Vec<Step<'c>>,
    /// The tensors that are read.
    pub(super) tensors: Vec<Val<'c>>,
    /// The numbers that the host hands.
    pub(super) scalars: Vec<Val<'c>>,
    /// The sizes that are known at run time.
    pub(super) sizes: Vec<Extent<'c>>,
    /// The size of each loop.
    pub(super) loops: Vec<At>,
    /// The loops of what is written, the outermost first, those of one step left out.
    pub(super) outer: Vec<usize>,
    /// Those of them that are rows, where anything is reduced.
    pub(super) rows: Option<BTreeSet<usize>>,
    /// Reductions in the order in which they are computed; their numbers, since one within another is done before it.
    pub(super) order: Vec<usize>,
    pub(super) stages: Vec<Option<Stage<'c>>>,
    pub(super) outputs: Vec<Output>,
}

impl<'c> Graph<'c> {
    pub(super) fn add(&mut self, step: Step<'c>) -> Node {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// A size as a coordinate.
    pub(super) fn size(&mut self, extent: &Extent<'c>) -> At {
        if let Extent::Known(known) = extent {
            return self.coordinates.constant(*known);
        }
        let number = position(&mut self.sizes, extent.clone());
        self.coordinates.add(Coordinate::Size(number))
    }

    /// A new loop's variable; 0 for one of one step.
    pub(super) fn open_loop(&mut self, extent: &Extent<'c>) -> (At, Option<usize>) {
        let size = self.size(extent);
        if self.coordinates.known(size) == Some(1) {
            return (self.coordinates.constant(0), None);
        }
        self.loops.push(size);
        let number = self.loops.len() - 1;
        (self.coordinates.add(Coordinate::Loop(number)), Some(number))
    }

    /// The number of a tensor that is read.
    pub(super) fn tensor(&mut self, tensor: Val<'c>) -> usize {
        handle(&mut self.tensors, tensor)
    }

    /// The number of a value that the host hands.
    pub(super) fn scalar(&mut self, value: Val<'c>) -> usize {
        handle(&mut self.scalars, value)
    }

    /// The reductions, in order.
    pub(super) fn stages(&self) -> impl Iterator<Item = (usize, &Stage<'c>)> {
        self.order.iter().filter_map(|&number| Some((number, self.stages[number].as_ref()?)))
    }

    /// What a step is computed from, but for what stands in branches.
    pub(super) fn operands(&self, node: Node, found: &mut Vec<Node>) {
        match &self.steps[node] {
            Step::Load { at, .. } => at.iter().for_each(|&at| self.values(at, found)),
            Step::Copy { operands, .. } => found.extend(operands),
            Step::Coordinate(at) => self.values(*at, found),
            Step::Within(at, size) => [at, size].into_iter().for_each(|&at| self.values(at, found)),
            Step::Both(a, b) => found.extend([*a, *b]),
            Step::Branch { condition, .. } => found.push(*condition),
            Step::Taken { branch, .. } => found.push(*branch),
            Step::Reduced { stage, number } => {
                found.extend(self.initial(*stage, *number));
            }
            Step::Constant { .. } | Step::Scalar(_) | Step::Held { .. } => {}
        }
    }

    /// What a reduction starts from.
    pub(super) fn initial(&self, stage: usize, number: usize) -> Option<Node> {
        Some(self.stages[stage].as_ref()?.results[number].initial)
    }

    /// The computed values in a coordinate.
    fn values(&self, at: At, found: &mut Vec<Node>) {
        match self.coordinates.get(at) {
            Coordinate::Value(node) => found.push(*node),
            Coordinate::Sum(a, b)
            | Coordinate::Product(a, b)
            | Coordinate::Quotient(a, b)
            | Coordinate::Remainder(a, b) => {
                self.values(*a, found);
                self.values(*b, found);
            }
            Coordinate::Linear(digits) => {
                digits.iter().for_each(|(digit, _)| self.values(*digit, found));
            }
            Coordinate::Known(_) | Coordinate::Loop(_) | Coordinate::Size(_) => {}
        }
    }
}

/// The place of an element in a list, behind the others where it is none.
fn position<T: PartialEq>(all: &mut Vec<T>, one: T) -> usize {
    match all.iter().position(|known| *known == one) {
        Some(place) => place,
        None => {
            all.push(one);
            all.len() - 1
        }
    }
}

fn handle<'c>(all: &mut Vec<Val<'c>>, one: Val<'c>) -> usize {
    match all.iter().position(|known| Same(*known) == Same(one)) {
        Some(place) => place,
        None => {
            all.push(one);
            all.len() - 1
        }
    }
}
