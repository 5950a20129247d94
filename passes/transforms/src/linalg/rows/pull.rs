//! Reads operations on tensors as a graph: an element of a result from the elements that it is computed from, back to tensors
//! in memory.
//!
//! Elementwise operations, reshapes, slices, padding and concatenations are coordinates and arithmetic; a reduction is a stage,
//! once for each row. A graph that does not fit together stops, and says which value has to be in memory.

mod body;
mod digits;
mod moves;

use super::{
    super::{
        Reason,
        contraction::element,
        numbers::{is_half, number},
    },
    coordinate::CoordId,
    extent::{ById, Extent},
    graph::{Combined, Graph, Node, Output, Result as Held, Stage, Step, Stored},
    plan::UNKNOWN,
};
use digits::Digits;
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    build::{Val, context_of, first_result, operand, result},
    element_bytes, tree,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, Type, TypeLike, ValueLike,
    operation::{OperationLike, OperationResult},
    r#type::IntegerType,
};
use mlir_sys::{
    mlirAttributeIsADenseElements, mlirDenseElementsAttrGetSplatValue,
    mlirDenseElementsAttrIsSplat, mlirTypeIsATensor,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The longest chain of operations that may compute one value; from there on it is read from memory.
const DEPTH: usize = 100;

/// How often the functions of one element are computed, at most, rather than once by a kernel of their own: the chip does as many faster than it
/// launches a kernel.
pub(super) const AGAIN: i64 = 1 << 18;

/// The most steps of a kernel.
const MAX_STEPS: usize = 20_000;

/// The most steps of a reduction that one thread of several does serially.
const MAX_SERIAL_STEPS: i64 = 32;

/// Types of elements in memory.
pub(super) const STORED: [&str; 10] =
    ["f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"];

/// Operations that combine in any order, as `layout.reduce` names them.
const KINDS: [(&str, &str); 15] = [
    ("arith.addf", "add"),
    ("arith.addi", "add"),
    ("arith.mulf", "mul"),
    ("arith.muli", "mul"),
    ("arith.maximumf", "max"),
    ("arith.minimumf", "min"),
    ("arith.maxsi", "max"),
    ("arith.minsi", "min"),
    ("arith.maxnumf", "maxnum"),
    ("arith.minnumf", "minnum"),
    ("arith.maxui", "maxu"),
    ("arith.minui", "minu"),
    ("arith.andi", "and"),
    ("arith.ori", "or"),
    ("arith.xori", "xor"),
];

/// The type of booleans, each of which is a byte in memory.
pub(super) const BOOLEAN: &str = "i1";

/// Why a graph is none.
pub(super) enum Stop<'c> {
    /// The results of this operation have to be in memory.
    Memory(OperationRef<'c, 'c>),
    /// This operation is none that kernels have.
    Left(OperationRef<'c, 'c>, Reason),
}

type Found<'c, T> = Result<T, Stop<'c>>;

/// The graph of one kernel while it is built.
pub(super) struct GraphBuilder<'p, 'c> {
    graph: Graph<'c>,
    root: OperationRef<'c, 'c>,
    /// The operations that are computed where they are read.
    inlined: &'p HashSet<usize>,
    elements: HashMap<(usize, Vec<CoordId>), Node>,
    bodies: HashMap<(usize, Vec<CoordId>), Vec<Node>>,
    reductions: HashMap<(usize, Vec<CoordId>), usize>,
    /// The reduction whose results are the rows.
    first: Option<OperationRef<'c, 'c>>,
    /// The loops around what is computed.
    scope: BTreeSet<usize>,
    depth: usize,
    /// Whether reductions may be in others, and all is computed where it is read.
    nested: bool,
}

/// The operation's identity, for sets.
pub(in crate::linalg) fn identity(operation: OperationRef<'_, '_>) -> usize {
    operation.to_raw().ptr as usize
}

/// Whether a value is a tensor.
pub(in crate::linalg) fn is_tensor(value: Val<'_>) -> bool {
    // SAFETY: the type is valid.
    unsafe { mlirTypeIsATensor(value.r#type().to_raw()) }
}

/// How many functions an operation's body has.
pub(super) fn functions(operation: OperationRef<'_, '_>) -> usize {
    let all = tree::all(operation).into_iter();
    all.filter(|step| tree::name(*step).starts_with("math.")).count()
}

/// The graph of an operation's results. Where its dimensions do not fit what is reduced before a reshape, as channels do not fit
/// a norm's groups of them, a dimension is one loop for each of its digits.
pub(super) fn graph<'c>(
    root: OperationRef<'c, 'c>,
    results: &[usize],
    inlined: &HashSet<usize>,
) -> Found<'c, Graph<'c>> {
    let of_digits = |digits: &[Digits]| {
        let mut pull = GraphBuilder::new(root, inlined, false);
        pull.outputs(results, digits)?;
        Ok(pull.graph)
    };
    let plain = of_digits(&[]);
    let (Err(Stop::Memory(_)), Some(&first)) = (&plain, results.first()) else { return plain };
    match digits::of(root, first, inlined) {
        Some(digits) => of_digits(&digits).or(plain),
        None => plain,
    }
}

/// The graph of an operation's first result, in which reductions may be in others: for what recognises a computation, and
/// not for [`super::kernel`]. A dimension of the result is one loop for each of its `digits`, the slowest first.
pub(super) fn nested<'c>(
    root: OperationRef<'c, 'c>,
    digits: &[Vec<Extent<'c>>],
    inlined: &HashSet<usize>,
) -> Found<'c, Graph<'c>> {
    let mut pull = GraphBuilder::new(root, inlined, true);
    let mut at = Vec::with_capacity(digits.len());
    for extents in digits {
        at.push(pull.open_digits(extents));
    }
    pull.scope = pull.graph.outer.iter().copied().collect();
    let tensor = first_result(root);
    let value = pull.computed(tensor, root, at.clone())?;
    let stored = pull.stored(tensor)?;
    pull.graph.outputs.push(Output { stored, at, value });
    Ok(pull.graph)
}

impl<'p, 'c> GraphBuilder<'p, 'c> {
    fn new(root: OperationRef<'c, 'c>, inlined: &'p HashSet<usize>, nested: bool) -> Self {
        Self {
            graph: Graph::default(),
            root,
            inlined,
            elements: HashMap::new(),
            bodies: HashMap::new(),
            reductions: HashMap::new(),
            first: None,
            scope: BTreeSet::new(),
            depth: 0,
            nested,
        }
    }

    fn left<T>(&self, operation: OperationRef<'c, 'c>, reason: impl Into<String>) -> Found<'c, T> {
        Err(Stop::Left(operation, reason.into()))
    }

    fn or_left<T>(
        &self,
        operation: OperationRef<'c, 'c>,
        found: Result<T, Reason>,
    ) -> Found<'c, T> {
        found.map_err(|reason| Stop::Left(operation, reason))
    }

    /// A coordinate of outer loops, one for each digit, the slowest first.
    fn open_digits(&mut self, extents: &[Extent<'c>]) -> CoordId {
        let mut own = Vec::with_capacity(extents.len());
        for extent in extents {
            let (digit, number) = self.graph.open_loop(extent);
            self.graph.outer.extend(number);
            own.push((digit, self.graph.size(extent)));
        }
        self.graph.coordinates.linear(&own)
    }

    /// Adds the results that the kernel writes; the first one's dimensions have these digits, where any are given.
    fn outputs(&mut self, results: &[usize], digits: &[Digits]) -> Found<'c, ()> {
        let root = self.root;
        for &number in results {
            let tensor = result(root, number);
            let of = self.or_left(root, element(tensor))?.to_string();
            if !STORED.contains(&of.as_str()) && of != BOOLEAN {
                return self
                    .left(root, format!("expected elements that kernels write, found {of}"));
            }
        }
        let Some(&first) = results.first() else { return Ok(()) };
        let extents = self.or_left(root, Extent::all(result(root, first)))?;
        let mut at = Vec::with_capacity(extents.len());
        for (d, extent) in extents.iter().enumerate() {
            let own = match digits.get(d).and_then(Option::as_ref) {
                Some(sizes) => sizes.iter().map(|&size| Extent::Known(size)).collect(),
                None => vec![extent.clone()],
            };
            at.push(self.open_digits(&own));
        }
        self.scope = self.graph.outer.iter().copied().collect();
        let maps = indexing_maps(root);
        if maps.as_ref().is_some_and(|maps| self.reduces(root, maps, first)) {
            self.graph.rows = Some(self.scope.clone());
        }
        for &number in results {
            let tensor = result(root, number);
            let own = match (&maps, number == first) {
                (_, true) => at.clone(),
                // As the loops of the first result say.
                (Some(maps), _) => {
                    let loops = self.loops_of(root, maps, first, &at)?;
                    let loops: Option<Vec<CoordId>> = loops.into_iter().collect();
                    match loops {
                        Some(loops) => self.coordinates(&maps[self.inputs(root) + number], &loops),
                        None if maps[self.inputs(root) + number]
                            == maps[self.inputs(root) + first] =>
                        {
                            at.clone()
                        }
                        None => {
                            return self.left(root, "expected results of one map, found several");
                        }
                    }
                }
                (None, _) => return self.left(root, "expected one result, found several"),
            };
            let mut value = self.computed(tensor, root, own.clone())?;
            if self.or_left(root, element(tensor))?.to_string() == BOOLEAN {
                value = self.graph.add(Step::Byte(value));
            }
            let stored = self.stored(tensor)?;
            self.graph.outputs.push(Output { stored, at: own, value });
        }
        Ok(())
    }

    fn inputs(&self, operation: OperationRef<'c, 'c>) -> usize {
        operation.operand_count().saturating_sub(operation.result_count())
    }

    /// Whether an operation has loops that a result has not.
    fn reduces(
        &self,
        operation: OperationRef<'c, 'c>,
        maps: &[IndexingMap],
        number: usize,
    ) -> bool {
        let Some(map) = maps.get(self.inputs(operation) + number) else { return false };
        let has = |d| map.results.iter().any(|r| r.terms.iter().any(|&(own, _)| own == d));
        let extents = loop_extents(operation, maps);
        (0..map.dimensions).any(|d| {
            !has(d)
                && extents.get(d).is_none_or(|one| one.as_ref().and_then(Extent::known) != Some(1))
        })
    }

    /// An element of a tensor.
    fn pull(&mut self, tensor: Val<'c>, at: Vec<CoordId>) -> Found<'c, Node> {
        let key = (tree::key(tensor), at);
        if let Some(&known) = self.elements.get(&key) {
            return Ok(known);
        }
        let at = key.1.clone();
        let made = tree::definition(tensor);
        let inlined = made.filter(|made| {
            self.inlined.contains(&identity(*made)) && tree::name(*made) != "arith.constant"
        });
        let node = match inlined {
            Some(made) if self.depth >= DEPTH || self.graph.steps.len() > MAX_STEPS => {
                return Err(Stop::Memory(made));
            }
            Some(made) => {
                self.depth += 1;
                let node = self.computed(tensor, made, at);
                self.depth -= 1;
                node?
            }
            None => match made.and_then(splat) {
                Some((value, of)) => self.graph.add(Step::Constant { value, of }),
                None => self.load(tensor, at)?,
            },
        };
        self.elements.insert(key, node);
        Ok(node)
    }

    /// How a result lies in memory: its extents, and bytes of an element.
    fn stored(&self, tensor: Val<'c>) -> Found<'c, Stored<'c>> {
        let extents = self.or_left(self.root, Extent::all(tensor))?;
        let bytes = element_bytes(self.or_left(self.root, element(tensor))?).unwrap_or(1);
        Ok((extents, bytes))
    }

    fn load(&mut self, tensor: Val<'c>, at: Vec<CoordId>) -> Found<'c, Node> {
        let of = self.or_left(self.root, element(tensor))?;
        let is_boolean = of.to_string() == BOOLEAN;
        if !STORED.contains(&of.to_string().as_str()) && !is_boolean {
            return self
                .left(self.root, format!("expected elements that kernels read, found {of}"));
        }
        let extents = self.or_left(self.root, Extent::all(tensor))?;
        if extents.contains(&Extent::Known(0)) {
            // No element of it is ever read.
            return self.zero(of);
        }
        let bytes = element_bytes(of).unwrap_or(1);
        let tensor = self.graph.tensor(tensor, (extents, bytes));
        let loaded = self.graph.add(Step::Load { tensor, at });
        Ok(if is_boolean { self.graph.add(Step::Boolean(loaded)) } else { loaded })
    }

    fn zero(&mut self, of: Type<'c>) -> Found<'c, Node> {
        let value = number(of, 0.0);
        match value {
            Some(value) => Ok(self.graph.add(Step::Constant { value, of })),
            None => {
                self.left(self.root, format!("expected elements that kernels compute, found {of}"))
            }
        }
    }

    /// An element of what an operation computes.
    fn computed(
        &mut self,
        tensor: Val<'c>,
        made: OperationRef<'c, 'c>,
        at: Vec<CoordId>,
    ) -> Found<'c, Node> {
        match tree::name(made).as_str() {
            "tensor.empty" => {
                let of = self.or_left(made, element(tensor))?;
                self.zero(of)
            }
            "tensor.cast" => self.pull(operand(made, 0), at),
            "tensor.splat" => self.capture(operand(made, 0), made),
            "tensor.expand_shape" => self.expansion(tensor, made, &at),
            "tensor.collapse_shape" => self.collapse(made, at),
            "tensor.extract_slice" => self.slice(made, &at),
            "tensor.insert_slice" => self.insertion(made, at),
            "tensor.pad" => self.padding(made, &at),
            "tensor.concat" => self.concatenation(made, at),
            _ => self.structured(tensor, made, at),
        }
    }

    /// The loops' variables where a result's coordinates are these, or `None` for loops that it does not have.
    fn loops_of(
        &mut self,
        made: OperationRef<'c, 'c>,
        maps: &[IndexingMap],
        number: usize,
        at: &[CoordId],
    ) -> Found<'c, Vec<Option<CoordId>>> {
        let map = &maps[self.inputs(made) + number];
        let mut loops = vec![None; map.dimensions];
        for (result, &own) in map.results.iter().zip(at) {
            match (result.dimension(), result.terms.is_empty()) {
                (Some(d), _) if loops[d].is_none() => loops[d] = Some(own),
                (None, true) => {}
                _ => {
                    return self
                        .left(made, "expected a result whose coordinates are loops, each once, found other coordinates");
                }
            }
        }
        Ok(loops)
    }

    fn coordinates(&mut self, map: &IndexingMap, loops: &[CoordId]) -> Vec<CoordId> {
        map.results.iter().map(|result| self.linear(result, loops)).collect()
    }

    fn linear(&mut self, sum: &Linear, loops: &[CoordId]) -> CoordId {
        let coordinates = &mut self.graph.coordinates;
        let mut total = None;
        for &(d, factor) in &sum.terms {
            let factor = coordinates.constant(factor);
            let term = coordinates.product(loops[d], factor);
            total = Some(total.map_or(term, |total| coordinates.sum(total, term)));
        }
        let constant = coordinates.constant(sum.constant);
        total.map_or(constant, |total| coordinates.sum(total, constant))
    }

    /// An element of a structured operation's result.
    fn structured(
        &mut self,
        tensor: Val<'c>,
        made: OperationRef<'c, 'c>,
        at: Vec<CoordId>,
    ) -> Found<'c, Node> {
        let number = OperationResult::try_from(tensor).map(|own| own.result_number()).unwrap_or(0);
        let Some(maps) = indexing_maps(made) else {
            return self
                .left(made, "expected coordinates that are linear in the loops, found others");
        };
        let Some(body) = tree::entry(made) else { return self.left(made, "expected a body") };
        if maps.len() != made.operand_count() || body.argument_count() > maps.len() {
            return self.left(made, "expected a map and an argument of the body for each operand");
        }
        let mut loops = self.loops_of(made, &maps, number, &at)?;
        let extents = loop_extents(made, &maps);
        let zero = self.graph.coordinates.constant(0);
        for (own, extent) in loops.iter_mut().zip(&extents) {
            if own.is_none() && *extent == Some(Extent::Known(1)) {
                *own = Some(zero);
            }
        }
        match loops.iter().copied().collect::<Option<Vec<CoordId>>>() {
            Some(loops) => {
                let is_root = identity(made) == identity(self.root);
                let values = self.elementwise(made, &maps, body, loops, is_root)?;
                match values.get(number) {
                    Some(&value) => Ok(value),
                    None => self.left(made, "expected a value for each result"),
                }
            }
            None => self.reduction(made, &maps, body, (&loops, &extents), (&at, number)),
        }
    }

    fn arguments(
        &mut self,
        made: OperationRef<'c, 'c>,
        maps: &[IndexingMap],
        body: BlockRef<'c, 'c>,
        loops: &[CoordId],
        count: usize,
    ) -> Found<'c, HashMap<usize, Node>> {
        let mut known = HashMap::new();
        for (i, map) in maps.iter().enumerate().take(count.min(body.argument_count())) {
            let argument = tree::argument(body, i);
            if !tree::is_used(argument) {
                continue;
            }
            let own = operand(made, i);
            let node = match is_tensor(own) {
                true => {
                    let at = self.coordinates(map, loops);
                    self.pull(own, at)?
                }
                false => self.capture(own, made)?,
            };
            known.insert(tree::key(argument), node);
        }
        Ok(known)
    }

    fn elementwise(
        &mut self,
        made: OperationRef<'c, 'c>,
        maps: &[IndexingMap],
        body: BlockRef<'c, 'c>,
        loops: Vec<CoordId>,
        is_root: bool,
    ) -> Found<'c, Vec<Node>> {
        let key = (identity(made), loops);
        if let Some(known) = self.bodies.get(&key) {
            return Ok(known.clone());
        }
        let loops = &key.1;
        let mut known = self.arguments(made, maps, body, loops, maps.len())?;
        let values = self.evaluate(body, &mut known, made, loops)?;
        // A value that is the same for many columns is better computed once.
        let mut own = BTreeSet::new();
        let all = loops.iter().try_for_each(|&at| self.graph.coordinates.loops(at, &mut own));
        let is_of_rows = self.graph.rows.as_ref().is_some_and(|rows| own.is_subset(rows));
        let again = all.is_some() && !own.is_empty() && !own.is_superset(&self.scope);
        let is_often = || functions(made) > 0 && self.rounds() > AGAIN;
        if !is_root && !self.nested && again && !is_of_rows && is_often() {
            return Err(Stop::Memory(made));
        }
        self.bodies.insert(key, values.clone());
        Ok(values)
    }

    /// How often what is computed in the loops around it is computed; of a size that is known at run time only, as if it were a usual one.
    fn rounds(&self) -> i64 {
        let size = |&number: &usize| {
            let size = self.graph.loops.get(number).copied();
            size.and_then(|size| self.graph.coordinates.known(size)).unwrap_or(UNKNOWN)
        };
        self.scope.iter().map(size).fold(1, i64::saturating_mul)
    }

    /// A result of a reduction, of which there is one for each row.
    fn reduction(
        &mut self,
        made: OperationRef<'c, 'c>,
        maps: &[IndexingMap],
        body: BlockRef<'c, 'c>,
        (loops, extents): (&[Option<CoordId>], &[Option<Extent<'c>>]),
        (at, number): (&[CoordId], usize),
    ) -> Found<'c, Node> {
        let key = (identity(made), at.to_vec());
        // Booleans are reduced as bytes.
        let is_boolean =
            |i: usize| element(result(made, i)).is_ok_and(|of| of.to_string() == BOOLEAN);
        // Sums and products of 16 bits are kept in 32: rounded each time, one of thousands is far off.
        let outputs = self.inputs(made);
        let nested = self.nested;
        let narrow = |i: usize| {
            let of = element(result(made, i)).ok().filter(|of| is_half(*of) && !nested)?;
            let (_, kind, _) = combined(body, outputs + i, i)?;
            ["add", "mul"].contains(&kind).then_some(of)
        };
        if let Some(&stage) = self.reductions.get(&key) {
            return Ok(self.reduced(stage, number, is_boolean(number), narrow(number)));
        }
        let mut own = BTreeSet::new();
        let all = at.iter().try_for_each(|&at| self.graph.coordinates.loops(at, &mut own));
        let is_root = identity(made) == identity(self.root);
        let rows = self.graph.rows.clone();
        let of_loops = at.iter().all(|&at| self.graph.coordinates.is_of_loops(at));
        let fits = match &rows {
            Some(rows) => own == *rows,
            None => {
                let outer: BTreeSet<usize> = self.graph.outer.iter().copied().collect();
                own.is_subset(&outer) && (!own.is_empty() || outer.is_empty())
            }
        };
        if !is_root && !self.nested && (all.is_none() || !of_loops || !fits) {
            // One that gives an element each, as a window does, is a kernel of its own in front of rows of its results.
            let is_wider = all.is_some() && rows.is_some_and(|rows| own.is_subset(&rows));
            return Err(Stop::Memory(self.first.filter(|_| is_wider).unwrap_or(made)));
        }
        if rows.is_none() && !is_root {
            self.first = Some(made);
        }
        let (inputs, count) = (self.inputs(made), made.result_count());
        if maps[inputs..].iter().any(|map| *map != maps[inputs + number]) {
            return self.left(made, "expected results of one map, found several");
        }
        self.graph.rows = Some(own.clone());
        let mut inner = Vec::with_capacity(loops.len());
        let mut opened = Vec::new();
        for (d, (own, extent)) in loops.iter().zip(extents).enumerate() {
            let at = match (own, extent) {
                (Some(own), _) => *own,
                (None, Some(extent)) => {
                    let (at, opening) = self.graph.open_loop(extent);
                    opened.extend(opening);
                    if let Some(number) = opening.filter(|_| self.nested) {
                        self.graph.declared.insert(number, declared_sizes(made, maps, d));
                    }
                    at
                }
                (None, None) => {
                    return self
                        .left(made, "expected an operand dimension for each loop, found none");
                }
            };
            inner.push(at);
        }
        self.graph.stages.push(None);
        let stage = self.graph.stages.len() - 1;
        let outside =
            std::mem::replace(&mut self.scope, own.iter().chain(&opened).copied().collect());
        let mut known = self.arguments(made, maps, body, &inner, inputs)?;
        for i in 0..count {
            let mut held = self.graph.add(Step::Held { stage, number: i });
            if is_boolean(i) {
                held = self.graph.add(Step::Boolean(held));
            } else if let Some(to) = narrow(i) {
                held = self.graph.add(Step::Float { own: held, to });
            }
            if inputs + i < body.argument_count() {
                known.insert(tree::key(tree::argument(body, inputs + i)), held);
            }
        }
        let next = self.evaluate(body, &mut known, made, &inner)?;
        self.scope = outside;
        let mut results = Vec::with_capacity(count);
        for (i, &next) in next.iter().enumerate().take(count) {
            let mut initial = self.pull(operand(made, inputs + i), at.to_vec())?;
            let mut of = self.or_left(made, element(operand(made, inputs + i)))?;
            let mut combined = combined(body, inputs + i, i).and_then(|(operation, kind, with)| {
                let with = known.get(&tree::key(with)).copied();
                with.map(|with| Combined { operation, kind, with })
            });
            let mut next = next;
            if is_boolean(i) {
                of = IntegerType::new(context_of(made), 8).into();
                [initial, next] = [initial, next].map(|one| self.graph.add(Step::Byte(one)));
                // Only these do to 0 and 1 in bytes what they do to bits.
                combined = combined.filter(|own| ["and", "or", "xor"].contains(&own.kind));
                if let Some(own) = &mut combined {
                    own.with = self.graph.add(Step::Byte(own.with));
                }
            }
            if let (Some(_), Some(own)) = (narrow(i), &mut combined) {
                of = Type::float32(context_of(made));
                initial = self.graph.add(Step::Float { own: initial, to: of });
                own.with = self.wide(own.with, of);
                let held = self.graph.add(Step::Held { stage, number: i });
                let operands = [held, own.with];
                next = self.graph.add(Step::Wide { operation: own.operation, operands });
            }
            results.push(Held { of, initial, next, combined });
        }
        let own = Stage { loops: opened, results };
        let mut steps =
            own.loops.iter().map(|&own| self.graph.coordinates.known(self.graph.loops[own]));
        let steps = steps.try_fold(1_i64, |product, steps| product.checked_mul(steps?));
        let is_long = steps.is_none_or(|steps| steps > MAX_SERIAL_STEPS);
        if !is_root && !self.nested && !own.is_shared() && is_long {
            return Err(Stop::Memory(made));
        }
        self.graph.stages[stage] = Some(own);
        self.graph.order.push(stage);
        self.reductions.insert(key, stage);
        Ok(self.reduced(stage, number, is_boolean(number), narrow(number)))
    }

    fn reduced(
        &mut self,
        stage: usize,
        number: usize,
        is_boolean: bool,
        narrow: Option<Type<'c>>,
    ) -> Node {
        let own = self.graph.add(Step::Reduced { stage, number });
        match narrow {
            Some(to) => self.graph.add(Step::Float { own, to }),
            None if is_boolean => self.graph.add(Step::Boolean(own)),
            None => own,
        }
    }

    /// A float of 16 bits as one of 32; a product of two is not rounded between.
    fn wide(&mut self, own: Node, to: Type<'c>) -> Node {
        let product = match &self.graph.steps[own] {
            Step::Copy { operation, operands } if tree::name(*operation) == "arith.mulf" => {
                Some((*operation, [operands[0], operands[1]]))
            }
            _ => None,
        };
        match product {
            Some((operation, factors)) => {
                let operands = factors.map(|own| self.graph.add(Step::Float { own, to }));
                self.graph.add(Step::Wide { operation, operands })
            }
            None => self.graph.add(Step::Float { own, to }),
        }
    }
}

/// The operation of a body that combines what is held with something else, which has no part in it.
fn combined<'c>(
    body: BlockRef<'c, 'c>,
    argument: usize,
    number: usize,
) -> Option<(OperationRef<'c, 'c>, &'static str, Val<'c>)> {
    let held = tree::argument(body, argument);
    let end = tree::operations(body).last().copied()?;
    let step = tree::definition(operand(end, number))?;
    let name = tree::name(step);
    let (_, kind) = KINDS.iter().find(|(own, _)| *own == name)?;
    let (a, b) = (operand(step, 0), operand(step, 1));
    let with = match (ById(a) == ById(held), ById(b) == ById(held)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    // Each is used once: here, and at the end.
    let uses = |value: Val<'c>| {
        tree::operations(body)
            .into_iter()
            .flat_map(|step| [vec![step], tree::all(step)].concat())
            .map(|step| {
                (0..step.operand_count()).filter(|&i| ById(operand(step, i)) == ById(value)).count()
            })
            .sum::<usize>()
    };
    (uses(held) == 1 && uses(first_result(step)) == 1).then_some((step, *kind, with))
}

/// The size of each loop, where an operand says it.
fn loop_extents<'c>(made: OperationRef<'c, 'c>, maps: &[IndexingMap]) -> Vec<Option<Extent<'c>>> {
    let count = maps.first().map_or(0, |map| map.dimensions);
    let mut found: Vec<Option<Extent<'c>>> = vec![None; count];
    for (i, map) in maps.iter().enumerate() {
        let own = operand(made, i);
        if !is_tensor(own) {
            continue;
        }
        let Ok(extents) = Extent::all(own) else { continue };
        for (result, extent) in map.results.iter().zip(extents) {
            let Some(d) = result.dimension() else { continue };
            let is_better = match &found[d] {
                None => true,
                Some(known) => known.known().is_none() && extent.known().is_some(),
            };
            if is_better {
                found[d] = Some(extent);
            }
        }
    }
    found
}

/// All sizes that operands say a loop has.
fn declared_sizes<'c>(
    made: OperationRef<'c, 'c>,
    maps: &[IndexingMap],
    d: usize,
) -> Vec<Extent<'c>> {
    let mut found = Vec::new();
    for (i, map) in maps.iter().enumerate() {
        let own = operand(made, i);
        let Some(place) = map.results.iter().position(|one| one.dimension() == Some(d)) else {
            continue;
        };
        let extents =
            if is_tensor(own) { Extent::all(own).unwrap_or_default() } else { Vec::new() };
        found.extend(extents.into_iter().nth(place));
    }
    found
}

/// The one number of a constant tensor.
fn splat<'c>(made: OperationRef<'c, 'c>) -> Option<(Attribute<'c>, Type<'c>)> {
    if tree::name(made) != "arith.constant" || !is_tensor(first_result(made)) {
        return None;
    }
    let value = made.attribute("value").ok()?;
    let of = element(first_result(made)).ok()?;
    let raw = melior::ir::AttributeLike::to_raw(&value);
    // SAFETY: the kind is checked first.
    unsafe {
        let is_splat = mlirAttributeIsADenseElements(raw) && mlirDenseElementsAttrIsSplat(raw);
        is_splat.then(|| (Attribute::from_raw(mlirDenseElementsAttrGetSplatValue(raw)), of))
    }
}
