//! Writes a graph as a kernel: rows over groups of threads, as [`shape`](super::shape) says, columns over the threads of a group.
//!
//! Each reduction is a pass over a row's columns, as [`passes`](super::passes) writes it: threads reduce what they read, and then
//! `layout.reduce` what they hold. Values that are not read are not computed: bounds are predicates of branches.

use super::{
    coordinate::{CoordId, Coordinate},
    graph::{Graph, Node, Stage, Step},
    passes::{Loaded, Parameter, Task},
    shape::Shape,
};
use crate::linalg::numbers::neutral;
use layout_dialect::{
    build::{Builder, Val, first_result},
    tree,
};
use melior::ir::{Attribute, OperationRef, Type, ValueLike, attribute::DenseI64ArrayAttribute};
use std::collections::{BTreeSet, HashMap};

/// A kernel's body on its way.
pub(super) struct Kernel<'k, 'c> {
    pub(super) graph: &'k mut Graph<'c>,
    pub(super) shape: Shape,
    /// In front of all else, where registers are.
    pub(super) entry: Builder<'c>,
    /// The parameters.
    pub(super) tensors: Vec<Val<'c>>,
    pub(super) outputs: Vec<Val<'c>>,
    pub(super) scalars: Vec<Val<'c>>,
    pub(super) sizes: Vec<Val<'c>>,
    /// The variables of loops that are open.
    pub(super) loops: HashMap<usize, Val<'c>>,
    /// Where the reads of the present pass lie in registers.
    pub(super) loaded: HashMap<Node, Loaded<'c>>,
    /// Reads that later passes over the same columns repeat: the tensor, where, and the innermost loop.
    pub(super) kept: HashMap<(usize, Vec<CoordId>, usize), Loaded<'c>>,
    /// The round, and the step of a run, that registers are read at.
    pub(super) round: Option<Val<'c>>,
    pub(super) step: Option<Val<'c>>,
    /// Views of tensors in vectors of a length, by the parameter.
    pub(super) divided: HashMap<(Parameter, i64), Val<'c>>,
    /// Branches around what is built.
    pub(super) predicates: usize,
    /// The values that reductions hold, and those that they give.
    held: HashMap<(usize, usize), Val<'c>>,
    reduced: HashMap<(usize, usize), Val<'c>>,
}

/// The values that are there already where an operation is built.
#[derive(Clone)]
pub(super) struct Scope<'c> {
    pub(super) b: Builder<'c>,
    pub(super) values: HashMap<Node, Val<'c>>,
    branches: HashMap<Node, Vec<Val<'c>>>,
    pub(super) coordinates: HashMap<CoordId, Val<'c>>,
}

impl<'c> Scope<'c> {
    pub(super) fn new(b: Builder<'c>) -> Self {
        let (values, branches, coordinates) = Default::default();
        Self { b, values, branches, coordinates }
    }

    pub(super) fn inside(&self, b: Builder<'c>) -> Self {
        Self { b, ..self.clone() }
    }
}

pub(super) type Built<T> = Result<T, melior::Error>;

impl<'k, 'c> Kernel<'k, 'c> {
    pub(super) fn new(
        graph: &'k mut Graph<'c>,
        shape: Shape,
        entry: Builder<'c>,
        parameters: &[Val<'c>],
    ) -> Self {
        let mut rest = parameters.iter().copied();
        let counts = [graph.tensors.len(), graph.outputs.len(), graph.scalars.len()];
        let [tensors, outputs, scalars] =
            counts.map(|count| rest.by_ref().take(count).collect::<Vec<_>>());
        let sizes = rest.collect();
        let (loops, held, reduced) = Default::default();
        let (loaded, kept, divided) = Default::default();
        let (round, step) = (None, None);
        Self {
            graph,
            shape,
            entry,
            tensors,
            outputs,
            scalars,
            sizes,
            loops,
            loaded,
            kept,
            round,
            step,
            divided,
            predicates: 0,
            held,
            reduced,
        }
    }

    /// Writes everything after the entry.
    pub(super) fn emit(mut self, b: Builder<'c>) -> Built<()> {
        let index = Type::index(b.context());
        let x = parse(b, "#gpu<dim x>")?;
        let place = |name: &str| b.value(name, &[], index, &[("dimension", x)]);
        let (thread, block) = (place("gpu.thread_id")?, place("gpu.block_id")?);
        let (lanes, per_block) = (self.shape.lanes, self.shape.threads / self.shape.lanes);
        let constant = |value: i64| b.constant(index, value);
        let first = b.binary("arith.muli", block, constant(per_block)?)?;
        let (group, lane) = match (lanes, per_block) {
            (1, _) => (thread, constant(0)?),
            (_, 1) => (constant(0)?, thread),
            _ => (
                b.binary("arith.divui", thread, constant(lanes)?)?,
                b.binary("arith.remui", thread, constant(lanes)?)?,
            ),
        };
        let row = b.binary("arith.addi", first, group)?;
        let mut scope = Scope::new(b);
        if let Some(tile) = self.shape.tile.clone() {
            return self.tile(&mut scope, &tile, (block, thread));
        }
        if self.graph.rows.is_none() {
            return self.elements(&mut scope, row);
        }
        let loops = self.graph.row_loops();
        let count = self.count(&loops);
        self.open(&mut scope, &loops, row)?;
        let is_row = match self.graph.coordinates.known(count) {
            Some(known) if known % per_block == 0 => None,
            _ => Some(self.below(&mut scope, row, count)?),
        };
        let order: Vec<(usize, Stage<'c>)> =
            self.graph.stages().map(|(number, stage)| (number, stage.clone())).collect();
        for (number, stage) in order {
            self.stage(&scope, (number, &stage), (lane, is_row))?;
        }
        let columns = self.graph.columns();
        if columns.is_empty() {
            let is_own = match lanes {
                1 => is_row,
                _ => {
                    let one = self.graph.coordinates.constant(1);
                    let is_first = self.below(&mut scope, lane, one)?;
                    Some(both(&scope.b, is_row, is_first)?)
                }
            };
            return self.predicated(&scope, is_own, |this, scope| this.write(scope, None));
        }
        self.pass(&scope, &columns, (lane, is_row), &Task::Write)
    }

    fn stage(
        &mut self,
        scope: &Scope<'c>,
        (number, stage): (usize, &Stage<'c>),
        (lane, is_row): (Val<'c>, Option<Val<'c>>),
    ) -> Built<()> {
        let is_alone = self.shape.lanes == 1;
        // Steps of a run are reduced separately, since one after the other they would wait for each other.
        let width = if is_alone { 1 } else { self.width_of(&stage.loops) };
        for (i, result) in stage.results.iter().enumerate() {
            let layout = if width == 1 { "1:0".to_owned() } else { format!("{width}:1") };
            let held = self.register(result.of, &layout)?;
            self.held.insert((number, i), held);
        }
        if is_alone {
            self.predicated(scope, is_row, |this, scope| {
                let initial: Vec<Node> = stage.results.iter().map(|r| r.initial).collect();
                let values = this.values(scope, &initial)?;
                this.hold(scope, number, &values)
            })?;
        } else {
            for (i, result) in stage.results.iter().enumerate() {
                let name = result.combined.map(|c| tree::name(c.operation)).unwrap_or_default();
                let value = neutral(&name, result.of).ok_or(melior::Error::OperationBuild)?;
                let attributes = [("value", value)];
                let value = scope.b.value("arith.constant", &[], result.of, &attributes)?;
                for step in 0..width {
                    store_at(&scope.b, value, self.held[&(number, i)], &step.to_string(), &[])?;
                }
            }
        }
        self.pass(scope, &stage.loops, (lane, is_row), &Task::Reduce(number, stage))?;
        if is_alone {
            return Ok(());
        }
        for (i, result) in stage.results.iter().enumerate() {
            let target = self.register(result.of, "1:0")?;
            let kind = result.combined.map(|combined| combined.kind).unwrap_or_default();
            let b = &scope.b;
            let lanes = self.shape.lanes;
            let threads = match width {
                1 => format!("#layout<({lanes},1):(1,0)>"),
                _ => format!("#layout<({lanes},{width}):({width},1)>"),
            };
            let threads = parse(*b, &threads)?;
            let along = DenseI64ArrayAttribute::new(b.context(), &[0]).into();
            let attributes = [("kind", b.string(kind)), ("along", along), ("threads", threads)];
            let operands = [self.held[&(number, i)], target];
            let none = melior::ir::Region::new();
            b.operation("layout.reduce", &operands, &[], &attributes, vec![none])?;
            self.reduced.insert((number, i), target);
        }
        Ok(())
    }

    /// One step of a reduction; of a run, `step` says which.
    pub(super) fn reduce(
        &mut self,
        scope: &mut Scope<'c>,
        (number, stage): (usize, &Stage<'c>),
        step: Option<Val<'c>>,
    ) -> Built<()> {
        if self.shape.lanes == 1 {
            let next: Vec<Node> = stage.results.iter().map(|result| result.next).collect();
            let values = self.values(scope, &next)?;
            return self.hold(scope, number, &values);
        }
        let (pattern, at) = match step {
            Some(step) => ("?", vec![step]),
            None => ("0", vec![]),
        };
        let mut next = Vec::with_capacity(stage.results.len());
        for (i, result) in stage.results.iter().enumerate() {
            let combined = result.combined.ok_or(melior::Error::OperationBuild)?;
            let with = self.values(scope, &[combined.with])?;
            let held = load_at(&scope.b, self.held[&(number, i)], pattern, &at)?;
            next.push(combine(&scope.b, combined.operation, [held, with[0]])?);
        }
        for (i, value) in next.into_iter().enumerate() {
            store_at(&scope.b, value, self.held[&(number, i)], pattern, &at)?;
        }
        Ok(())
    }

    fn hold(&mut self, scope: &Scope<'c>, stage: usize, values: &[Val<'c>]) -> Built<()> {
        for (i, &value) in values.iter().enumerate() {
            store_at(&scope.b, value, self.held[&(stage, i)], "0", &[])?;
        }
        Ok(())
    }

    /// A branch where there is a condition.
    pub(super) fn predicated(
        &mut self,
        scope: &Scope<'c>,
        condition: Option<Val<'c>>,
        body: impl FnOnce(&mut Self, &mut Scope<'c>) -> Built<()>,
    ) -> Built<()> {
        let Some(condition) = condition else { return body(self, &mut scope.clone()) };
        let (region, b) = scope.b.region();
        self.predicates += 1;
        let done = body(self, &mut scope.inside(b));
        self.predicates -= 1;
        done?;
        b.operation("scf.yield", &[], &[], &[], vec![])?;
        let none = melior::ir::Region::new();
        scope.b.operation("scf.if", &[condition], &[], &[], vec![region, none])?;
        Ok(())
    }

    /// The number of steps of loops, as a coordinate.
    pub(super) fn count(&mut self, loops: &[usize]) -> CoordId {
        let mut count = self.graph.coordinates.constant(1);
        for &number in loops {
            count = self.graph.coordinates.product(count, self.graph.loops[number]);
        }
        count
    }

    /// Makes one number the variables of loops, the last one fastest.
    pub(super) fn open(
        &mut self,
        scope: &mut Scope<'c>,
        loops: &[usize],
        mut at: Val<'c>,
    ) -> Built<()> {
        for (place, &number) in loops.iter().enumerate().rev() {
            if place == 0 {
                self.loops.insert(number, at);
                break;
            }
            let size = self.divisor(scope, self.graph.loops[number])?;
            self.loops.insert(number, scope.b.binary("arith.remui", at, size)?);
            at = scope.b.binary("arith.divui", at, size)?;
        }
        Ok(())
    }

    /// A size that indices are divided by, or 1 where it is 0: threads divide before a predicate says that there is nothing to do.
    fn divisor(&mut self, scope: &mut Scope<'c>, size: CoordId) -> Built<Val<'c>> {
        let value = self.coordinate(scope, size)?;
        match self.graph.coordinates.known(size) {
            Some(1..) => Ok(value),
            _ => at_least_1(&scope.b, value),
        }
    }

    pub(super) fn below(
        &mut self,
        scope: &mut Scope<'c>,
        value: Val<'c>,
        size: CoordId,
    ) -> Built<Val<'c>> {
        let size = self.coordinate(scope, size)?;
        const UNSIGNED_LESS: i64 = 6;
        let b = &scope.b;
        let attributes = [("predicate", b.i64_attribute(UNSIGNED_LESS))];
        b.value("arith.cmpi", &[value, size], b.integer(1), &attributes)
    }

    pub(super) fn register(&self, of: Type<'c>, layout: &str) -> Built<Val<'c>> {
        let text = format!("!layout.view<{of}, register, {layout}>");
        let view = Type::parse(self.entry.context(), &text)
            .ok_or(melior::Error::TypeExpected("view", text))?;
        self.entry.value("layout.alloc", &[], view, &[])
    }

    pub(super) fn all(&mut self, scope: &mut Scope<'c>, at: &[CoordId]) -> Built<Vec<Val<'c>>> {
        at.iter().map(|&at| self.coordinate(scope, at)).collect()
    }

    /// A coordinate; the values in it are already.
    pub(super) fn coordinate(&mut self, scope: &mut Scope<'c>, at: CoordId) -> Built<Val<'c>> {
        if let Some(&known) = scope.coordinates.get(&at) {
            return Ok(known);
        }
        let index = Type::index(scope.b.context());
        let of = self.graph.coordinates.get(at).clone();
        let two = |name: &str, this: &mut Self, scope: &mut Scope<'c>, a: CoordId, b: CoordId| {
            let (a, b) = (this.coordinate(scope, a)?, this.coordinate(scope, b)?);
            scope.b.binary(name, a, b)
        };
        let value = match of {
            Coordinate::Known(known) => scope.b.constant(index, known)?,
            // It is another one in each pass.
            Coordinate::Loop(number) => {
                return self.loops.get(&number).copied().ok_or(melior::Error::OperationBuild);
            }
            Coordinate::Size(number) => self.sizes[number],
            Coordinate::Sum(a, b) => two("arith.addi", self, scope, a, b)?,
            Coordinate::Product(a, b) => two("arith.muli", self, scope, a, b)?,
            Coordinate::Quotient(a, b) | Coordinate::Remainder(a, b) => {
                let is_quotient = matches!(of, Coordinate::Quotient(..));
                let (a, b) = (self.coordinate(scope, a)?, self.divisor(scope, b)?);
                scope.b.binary(if is_quotient { "arith.divui" } else { "arith.remui" }, a, b)?
            }
            Coordinate::Linear(digits) => {
                let mut total = None;
                for (digit, size) in digits {
                    let digit = self.coordinate(scope, digit)?;
                    total = Some(match total {
                        None => digit,
                        Some(total) => {
                            let size = self.coordinate(scope, size)?;
                            let above = scope.b.binary("arith.muli", total, size)?;
                            scope.b.binary("arith.addi", above, digit)?
                        }
                    });
                }
                total.ok_or(melior::Error::OperationBuild)?
            }
            Coordinate::Value(node) => {
                let value = *scope.values.get(&node).ok_or(melior::Error::OperationBuild)?;
                match value.r#type() == index {
                    true => value,
                    false => scope.b.value("arith.index_cast", &[value], index, &[])?,
                }
            }
        };
        scope.coordinates.insert(at, value);
        Ok(value)
    }

    /// The operands of nodes that are not computed yet, without those that only branches use.
    pub(super) fn needed(&self, scope: &Scope<'c>, required: &[Node]) -> BTreeSet<Node> {
        let mut needed = BTreeSet::new();
        let mut open = required.to_vec();
        while let Some(node) = open.pop() {
            if !scope.values.contains_key(&node)
                && !scope.branches.contains_key(&node)
                && needed.insert(node)
            {
                self.graph.operands(node, &mut open);
            }
        }
        needed
    }

    /// The values of nodes, with all that they are computed from.
    pub(super) fn values(
        &mut self,
        scope: &mut Scope<'c>,
        required: &[Node],
    ) -> Built<Vec<Val<'c>>> {
        for node in self.needed(scope, required) {
            let step = self.graph.steps[node].clone();
            let value = self.value(scope, node, step)?;
            if let Some(value) = value {
                scope.values.insert(node, value);
            }
        }
        required
            .iter()
            .map(|node| scope.values.get(node).copied().ok_or(melior::Error::OperationBuild))
            .collect()
    }

    fn value(
        &mut self,
        scope: &mut Scope<'c>,
        node: Node,
        step: Step<'c>,
    ) -> Built<Option<Val<'c>>> {
        let b = scope.b;
        let value = match step {
            Step::Load { .. } if let Some(&loaded) = self.loaded.get(&node) => {
                self.element_of(scope, loaded)?
            }
            Step::Load { tensor, at } => {
                let mut operands = vec![self.tensors[tensor]];
                operands.extend(self.all(scope, &at)?);
                let coord = [("coord", b.string(&pattern(at.len())))];
                first_result(b.inferred("layout.load", &operands, &coord)?)
            }
            Step::Copy { operation, operands } => {
                let operands: Vec<Val<'c>> =
                    operands.iter().map(|operand| scope.values[operand]).collect();
                first_result(tree::clone_with(&b, operation, &operands))
            }
            Step::Constant { value, of } => {
                b.value("arith.constant", &[], of, &[("value", value)])?
            }
            Step::Scalar(number) => self.scalars[number],
            Step::Coordinate(at) => self.coordinate(scope, at)?,
            Step::Within(at, size) => {
                let at = self.coordinate(scope, at)?;
                self.below(scope, at, size)?
            }
            Step::Both(x, y) => b.binary("arith.andi", scope.values[&x], scope.values[&y])?,
            Step::Boolean(own) => boolean(&b, scope.values[&own])?,
            Step::Byte(own) => b.value("arith.extui", &[scope.values[&own]], b.integer(8), &[])?,
            Step::Float { own, to } => convert(&b, scope.values[&own], to)?,
            Step::Wide { operation, operands: [x, y] } => {
                combine(&b, operation, [scope.values[&x], scope.values[&y]])?
            }
            Step::Branch { condition, regions, types } => {
                let condition = scope.values[&condition];
                let values = self.branch(scope, condition, &regions, &types)?;
                scope.branches.insert(node, values);
                return Ok(None);
            }
            Step::Taken { branch, number } => scope.branches[&branch][number],
            Step::Held { stage, number } => load_at(&b, self.held[&(stage, number)], "0", &[])?,
            Step::Reduced { stage, number } => match self.reduced.get(&(stage, number)) {
                None => load_at(&b, self.held[&(stage, number)], "0", &[])?,
                Some(&reduced) => {
                    let initial = self.graph.initial(stage, number);
                    let initial = initial.and_then(|node| scope.values.get(&node).copied());
                    let combined = self.graph.stages[stage]
                        .as_ref()
                        .and_then(|stage| stage.results[number].combined);
                    let own = load_at(&b, reduced, "0", &[])?;
                    match (initial, combined) {
                        (Some(initial), Some(combined)) => {
                            combine(&b, combined.operation, [initial, own])?
                        }
                        _ => return Err(melior::Error::OperationBuild),
                    }
                }
            },
        };
        Ok(Some(value))
    }

    /// The values of one branch or the other: both are computed where nothing is read in them.
    fn branch(
        &mut self,
        scope: &mut Scope<'c>,
        condition: Val<'c>,
        regions: &[Vec<Node>; 2],
        types: &[Type<'c>],
    ) -> Built<Vec<Val<'c>>> {
        let b = scope.b;
        if self.is_free(scope, regions) {
            let [then, otherwise] =
                [&regions[0], &regions[1]].map(|nodes| self.values(scope, nodes));
            let pairs = then?.into_iter().zip(otherwise?);
            return pairs
                .map(|(x, y)| b.value("arith.select", &[condition, x, y], x.r#type(), &[]))
                .collect();
        }
        let slots: Vec<(Val<'c>, Type<'c>)> = types
            .iter()
            .map(|&of| {
                let kept = kept_as(&b, of);
                Ok((self.register(kept, "1:0")?, kept))
            })
            .collect::<Built<_>>()?;
        let mut made = Vec::with_capacity(2);
        for nodes in regions {
            let (region, inside) = b.region();
            let values = self.values(&mut scope.inside(inside), nodes)?;
            for (value, &(slot, kept)) in values.into_iter().zip(&slots) {
                store_at(&inside, cast(&inside, value, kept, true)?, slot, "0", &[])?;
            }
            inside.operation("scf.yield", &[], &[], &[], vec![])?;
            made.push(region);
        }
        b.operation("scf.if", &[condition], &[], &[], made)?;
        let back = slots.into_iter().zip(types);
        back.map(|((slot, _), &of)| cast(&b, load_at(&b, slot, "0", &[])?, of, false)).collect()
    }

    /// Whether values can be computed though they are not read: nothing is loaded, and nothing divided.
    fn is_free(&self, scope: &Scope<'c>, regions: &[Vec<Node>; 2]) -> bool {
        let mut open: Vec<Node> = regions.iter().flatten().copied().collect();
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            if scope.values.contains_key(&node) || !seen.insert(node) {
                continue;
            }
            match &self.graph.steps[node] {
                Step::Load { .. } if self.loaded.contains_key(&node) => continue,
                Step::Load { .. } => return false,
                Step::Copy { operation, .. } => {
                    let name = tree::name(*operation);
                    if name.starts_with("math.") || name.contains("div") || name.contains("rem") {
                        return false;
                    }
                }
                Step::Branch { regions, .. } => open.extend(regions.iter().flatten()),
                _ => {}
            }
            self.graph.operands(node, &mut open);
        }
        true
    }
}

/// A size, or 1 where it is 0.
pub(super) fn at_least_1<'c>(b: &Builder<'c>, size: Val<'c>) -> Built<Val<'c>> {
    b.binary("arith.maxui", size, b.constant(size.r#type(), 1)?)
}

/// `(?,?)`: a coordinate of values.
pub(super) fn pattern(rank: usize) -> String {
    match rank {
        0 => "0".to_owned(),
        1 => "?".to_owned(),
        _ => format!("({})", vec!["?"; rank].join(",")),
    }
}

pub(super) fn both<'c>(b: &Builder<'c>, first: Option<Val<'c>>, second: Val<'c>) -> Built<Val<'c>> {
    match first {
        Some(first) => b.binary("arith.andi", first, second),
        None => Ok(second),
    }
}

/// The element of registers at a coordinate.
pub(super) fn load_at<'c>(
    b: &Builder<'c>,
    register: Val<'c>,
    pattern: &str,
    at: &[Val<'c>],
) -> Built<Val<'c>> {
    let operands = [&[register], at].concat();
    Ok(first_result(b.inferred("layout.load", &operands, &[("coord", b.string(pattern))])?))
}

pub(super) fn store_at<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    register: Val<'c>,
    pattern: &str,
    at: &[Val<'c>],
) -> Built<()> {
    let operands = [&[value, register], at].concat();
    b.operation("layout.store", &operands, &[], &[("coord", b.string(pattern))], vec![])?;
    Ok(())
}

pub(super) fn parse<'c>(b: Builder<'c>, text: &str) -> Built<Attribute<'c>> {
    let found = Attribute::parse(b.context(), text);
    found.ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))
}

/// The type that a register has for values of a type.
fn kept_as<'c>(b: &Builder<'c>, of: Type<'c>) -> Type<'c> {
    let text = of.to_string();
    match text.as_str() {
        "i1" => b.integer(8),
        "index" => b.integer(64),
        _ => of,
    }
}

/// The result of an operation on two values: of bytes for booleans, where it is one of booleans.
fn combine<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    [x, y]: [Val<'c>; 2],
) -> Built<Val<'c>> {
    if x.r#type() == first_result(operation).r#type() {
        return Ok(first_result(tree::clone_with(b, operation, &[x, y])));
    }
    b.binary(&tree::name(operation), x, y)
}

/// A float of 16 bits as one of 32, or back.
fn convert<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Built<Val<'c>> {
    let name = if to == Type::float32(b.context()) { "arith.extf" } else { "arith.truncf" };
    b.value(name, &[value], to, &[])
}

/// A value as it is kept, or back.
fn cast<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>, keeps: bool) -> Built<Val<'c>> {
    let name = match (value.r#type() == to, value.r#type().to_string().as_str(), keeps) {
        (true, ..) => return Ok(value),
        (_, "index", _) => "arith.index_cast",
        (_, _, true) => "arith.extui",
        _ if to == Type::index(b.context()) => "arith.index_cast",
        _ => "arith.trunci",
    };
    b.value(name, &[value], to, &[])
}

/// Whether a byte is not 0.
pub(super) fn boolean<'c>(b: &Builder<'c>, byte: Val<'c>) -> Built<Val<'c>> {
    const DIFFERENT: i64 = 1;
    let zero = b.constant(b.integer(8), 0)?;
    let attributes = [("predicate", b.i64_attribute(DIFFERENT))];
    b.value("arith.cmpi", &[byte, zero], b.integer(1), &attributes)
}
