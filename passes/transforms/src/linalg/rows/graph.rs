//! The computation of a kernel, as a graph: elements of tensors that are read, operations of bodies on them, and reductions.
//!
//! A node comes after what it is computed from.

use super::{
    coordinate::{CoordId, Coordinate, Coordinates},
    extent::{ById, Extent},
};
use layout_dialect::{build::Val, tree};
use melior::ir::{Attribute, OperationRef, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The number of a node.
pub(super) type Node = usize;

#[derive(Clone, Debug)]
pub(super) enum Step<'c> {
    /// An element of a tensor in memory.
    Load { tensor: usize, at: Vec<CoordId> },
    /// A copy of an operation, on other operands.
    Copy { operation: OperationRef<'c, 'c>, operands: Vec<Node> },
    /// A number.
    Constant { value: Attribute<'c>, of: Type<'c> },
    /// A number that the host passes.
    Scalar(usize),
    /// A coordinate, as an `index`.
    Coordinate(CoordId),
    /// Whether a coordinate is one below a size, and no negative one.
    Within(CoordId, CoordId),
    /// Whether both are.
    Both(Node, Node),
    /// Whether a byte of memory is not 0: an `i1` that is read.
    Boolean(Node),
    /// An `i1` as a byte of memory.
    Byte(Node),
    /// A float of another width.
    Float { own: Node, to: Type<'c> },
    /// A binary operation of a body on wider floats than the body's.
    Wide { operation: OperationRef<'c, 'c>, operands: [Node; 2] },
    /// The values of one branch or the other one.
    Branch { condition: Node, regions: [Vec<Node>; 2], types: Vec<Type<'c>> },
    /// A value of a branch.
    Taken { branch: Node, number: usize },
    /// The value that a reduction holds so far.
    Held { stage: usize, number: usize },
    /// The value that a reduction gives.
    Reduced { stage: usize, number: usize },
}

/// A value that a reduction holds.
#[derive(Clone, Debug)]
pub(super) struct Result<'c> {
    pub(super) of: Type<'c>,
    pub(super) initial: Node,
    /// The next value, computed from the one that it holds.
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

/// The sizes of a tensor, and the bytes of its elements.
pub(super) type Stored<'c> = (Vec<Extent<'c>>, i64);

/// A tensor's element that the kernel writes.
#[derive(Clone, Debug)]
pub(super) struct Output<'c> {
    pub(super) stored: Stored<'c>,
    pub(super) at: Vec<CoordId>,
    pub(super) value: Node,
}

/// One way through loops: a reduction, or what is written.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// The loops, the outermost first.
    pub(super) loops: Vec<usize>,
    /// The nodes that are computed in each step.
    pub(super) required: Vec<Node>,
    pub(super) writes: bool,
}

/// A kernel's computation.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph<'c> {
    pub(super) coordinates: Coordinates,
    pub(super) steps: Vec<Step<'c>>,
    /// The tensors that are read.
    pub(super) tensors: Vec<Val<'c>>,
    /// Their sizes, and the bytes of an element.
    pub(super) stored: Vec<Stored<'c>>,
    /// The numbers that the host passes.
    pub(super) scalars: Vec<Val<'c>>,
    /// The sizes that are known at run time.
    pub(super) sizes: Vec<Extent<'c>>,
    /// The size of each loop.
    pub(super) loops: Vec<CoordId>,
    /// All facts of the sizes of loops of reductions, by their numbers: of one loop they are the same.
    pub(super) declared: BTreeMap<usize, Vec<Extent<'c>>>,
    /// The loops of what is written, the outermost first, those of one step left out.
    pub(super) outer: Vec<usize>,
    /// Those of them that are rows, where anything is reduced.
    pub(super) rows: Option<BTreeSet<usize>>,
    /// Reductions in the order in which they are computed; their numbers, since one within another is done before it.
    pub(super) order: Vec<usize>,
    pub(super) stages: Vec<Option<Stage<'c>>>,
    pub(super) outputs: Vec<Output<'c>>,
}

impl<'c> Graph<'c> {
    pub(super) fn add(&mut self, step: Step<'c>) -> Node {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// A size as a coordinate.
    pub(super) fn size(&mut self, extent: &Extent<'c>) -> CoordId {
        if let Extent::Known(known) = extent {
            return self.coordinates.constant(*known);
        }
        let number = position(&mut self.sizes, extent.clone());
        self.coordinates.add(Coordinate::Size(number))
    }

    /// The number of a size that is known at run time.
    pub(super) fn size_number(&self, at: CoordId) -> Option<usize> {
        match self.coordinates.get(at) {
            Coordinate::Size(number) => Some(*number),
            _ => None,
        }
    }

    /// A new loop's variable; 0 for one of one step.
    pub(super) fn open_loop(&mut self, extent: &Extent<'c>) -> (CoordId, Option<usize>) {
        let size = self.size(extent);
        if self.coordinates.known(size) == Some(1) {
            return (self.coordinates.constant(0), None);
        }
        self.loops.push(size);
        let number = self.loops.len() - 1;
        (self.coordinates.add(Coordinate::Loop(number)), Some(number))
    }

    /// The number of a tensor that is read.
    pub(super) fn tensor(&mut self, tensor: Val<'c>, stored: Stored<'c>) -> usize {
        let number = handle(&mut self.tensors, tensor);
        if number == self.stored.len() {
            self.stored.push(stored);
        }
        number
    }

    /// The number of a value that the host passes.
    pub(super) fn scalar(&mut self, value: Val<'c>) -> usize {
        handle(&mut self.scalars, value)
    }

    /// The reductions, in order.
    pub(super) fn stages(&self) -> impl Iterator<Item = (usize, &Stage<'c>)> {
        self.order.iter().filter_map(|&number| Some((number, self.stages[number].as_ref()?)))
    }

    /// The outer loops that are rows, or those that are not.
    fn outer_loops(&self, are_rows: bool) -> Vec<usize> {
        let is_row = |number: &usize| self.rows.as_ref().is_none_or(|rows| rows.contains(number));
        self.outer.iter().copied().filter(|number| is_row(number) == are_rows).collect()
    }

    /// The outer loops that are spread over groups of threads.
    pub(super) fn row_loops(&self) -> Vec<usize> {
        self.outer_loops(true)
    }

    /// The outer loops that the threads of a group share.
    pub(super) fn columns(&self) -> Vec<usize> {
        self.outer_loops(false)
    }

    /// The reductions, and then what is written.
    pub(super) fn passes(&self) -> Vec<Pass> {
        let of_stage = |(_, stage): (usize, &Stage<'c>)| Pass {
            loops: stage.loops.clone(),
            required: stage.results.iter().map(|result| result.next).collect(),
            writes: false,
        };
        let mut all: Vec<Pass> = self.stages().map(of_stage).collect();
        let loops = if self.rows.is_some() { self.columns() } else { self.outer.clone() };
        let required = self.outputs.iter().map(|output| output.value).collect();
        all.push(Pass { loops, required, writes: true });
        all
    }

    /// Lets passes over loops of the same sizes have the same loops, so that what they read at one place is at one coordinate.
    pub(super) fn join_loops(&mut self) {
        if self.rows.is_none() {
            return;
        }
        let mut known: Vec<Vec<usize>> = Vec::new();
        let mut renamed = HashMap::new();
        for Pass { loops, .. } in self.passes() {
            let sizes = |loops: &[usize]| -> Vec<CoordId> {
                loops.iter().map(|&number| self.loops[number]).collect()
            };
            match known.iter().find(|own| sizes(own) == sizes(&loops)) {
                Some(own) => renamed.extend(loops.iter().copied().zip(own.iter().copied())),
                None => known.push(loops),
            }
        }
        let Self { coordinates, steps, outputs, stages, outer, .. } = self;
        let mut rename = |at: &mut CoordId| *at = coordinates.renamed(*at, &renamed);
        for step in steps {
            match step {
                Step::Load { at, .. } => at.iter_mut().for_each(&mut rename),
                Step::Coordinate(at) => rename(at),
                Step::Within(at, size) => [at, size].into_iter().for_each(&mut rename),
                _ => {}
            }
        }
        outputs.iter_mut().flat_map(|output| &mut output.at).for_each(&mut rename);
        let stages = stages.iter_mut().flatten().flat_map(|stage| &mut stage.loops);
        for number in stages.chain(outer) {
            *number = renamed.get(number).copied().unwrap_or(*number);
        }
    }

    /// Whether it computes functions of `math`.
    pub(super) fn has_functions(&self) -> bool {
        let is_function = |step: &Step<'c>| match step {
            Step::Copy { operation, .. } => tree::name(*operation).starts_with("math."),
            _ => false,
        };
        self.steps.iter().any(is_function)
    }

    /// How many elements of tensors a step reads.
    pub(super) fn reads(&self) -> usize {
        let load = |step: &Step<'c>| match step {
            Step::Load { tensor, at } => Some((*tensor, at.clone())),
            _ => None,
        };
        self.steps.iter().filter_map(load).collect::<BTreeSet<_>>().len()
    }

    /// Nodes with all that they are computed from in each case.
    pub(super) fn always(&self, required: &[Node]) -> BTreeSet<Node> {
        let mut found = BTreeSet::new();
        let mut open = required.to_vec();
        while let Some(node) = open.pop() {
            if found.insert(node) {
                self.operands(node, &mut open);
            }
        }
        found
    }

    /// Reads that passes over loops do in each case, at coordinates without computed values.
    pub(super) fn reads_over(&self, loops: &[usize]) -> Vec<Node> {
        let passes = self.passes().into_iter().filter(|pass| pass.loops == loops);
        let all: BTreeSet<Node> = passes.flat_map(|pass| self.always(&pass.required)).collect();
        let is_plain = |node: &Node| {
            let mut values = Vec::new();
            self.operands(*node, &mut values);
            matches!(self.steps[*node], Step::Load { .. }) && values.is_empty()
        };
        all.into_iter().filter(is_plain).collect()
    }

    /// Nodes with all that they are computed from, also in branches.
    pub(super) fn reached(&self, required: &[Node]) -> BTreeSet<Node> {
        let mut found = BTreeSet::new();
        let mut open = required.to_vec();
        while let Some(node) = open.pop() {
            if !found.insert(node) {
                continue;
            }
            self.operands(node, &mut open);
            if let Step::Branch { regions, .. } = &self.steps[node] {
                open.extend(regions.iter().flatten());
            }
        }
        found
    }

    /// The operands of a step, without those that only its branches use.
    pub(super) fn operands(&self, node: Node, found: &mut Vec<Node>) {
        match &self.steps[node] {
            Step::Load { at, .. } => at.iter().for_each(|&at| self.values(at, found)),
            Step::Copy { operands, .. } => found.extend(operands),
            Step::Coordinate(at) => self.values(*at, found),
            Step::Within(at, size) => [at, size].into_iter().for_each(|&at| self.values(at, found)),
            Step::Both(a, b) => found.extend([*a, *b]),
            Step::Boolean(own) | Step::Byte(own) | Step::Float { own, .. } => found.push(*own),
            Step::Wide { operands, .. } => found.extend(operands),
            Step::Branch { condition, .. } => found.push(*condition),
            Step::Taken { branch, .. } => found.push(*branch),
            Step::Reduced { stage, number } => {
                found.extend(self.initial(*stage, *number));
            }
            Step::Constant { .. } | Step::Scalar(_) | Step::Held { .. } => {}
        }
    }

    /// The initial value of a reduction.
    pub(super) fn initial(&self, stage: usize, number: usize) -> Option<Node> {
        Some(self.stages[stage].as_ref()?.results[number].initial)
    }

    /// The computed values in a coordinate.
    fn values(&self, at: CoordId, found: &mut Vec<Node>) {
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

/// The place of an element in a list, after the others where it is none.
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
    match all.iter().position(|known| ById(*known) == ById(one)) {
        Some(place) => place,
        None => {
            all.push(one);
            all.len() - 1
        }
    }
}
