//! Writes a graph as a kernel: rows over groups of threads, columns over the threads of a group.
//!
//! | graph | a thread has |
//! |---|---|
//! | no reduction | an element |
//! | rows of few elements, or reductions in one order only | a row |
//! | rows of more than 8 columns | every 32nd column of a row |
//! | rows of more than 1024 columns | every 256th column of a row |
//!
//! Each reduction is a pass over a row's columns: threads reduce what they read, and then `layout.reduce` what they hold. What
//! is not read is not computed: bounds are predicates of branches.

use super::{
    coordinate::{At, Coordinate},
    graph::{Graph, Node, Stage, Step},
    pull::{STORED, number},
};
use layout_dialect::{
    build::{Builder, Val, first_result},
    tree,
};
use melior::ir::{Attribute, Type, ValueLike, attribute::DenseI64ArrayAttribute};
use num_integer::div_ceil;
use std::collections::{BTreeSet, HashMap};

/// Threads of a block, unless a row has more.
pub(super) const THREADS: i64 = 256;

/// Columns of rows that one thread has.
const FEW: i64 = 8;

/// Columns of rows that the lanes of a warp have.
const SOME: i64 = 1024;

const WARP: i64 = 32;

/// How threads share rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Threads that have a row together.
    pub(super) lanes: i64,
}

impl Shape {
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        if graph.rows.is_none() {
            return Self { lanes: 1 };
        }
        let mut most = Some(steps(graph, &columns(graph)));
        let mut is_shared = true;
        for (_, stage) in graph.stages() {
            is_shared &= stage.is_shared();
            most = most.map(|most| match (most, steps(graph, &stage.loops)) {
                (Some(a), Some(b)) => Some(a.max(b)),
                _ => None,
            });
        }
        let lanes = match most.flatten() {
            _ if !is_shared => 1,
            Some(..=FEW) => 1,
            Some(..=SOME) => WARP,
            _ => THREADS,
        };
        Self { lanes }
    }

    /// Rows, or elements, of a block.
    pub(super) fn rows(&self) -> i64 {
        THREADS / self.lanes
    }
}

/// The outer loops that are spread over groups of threads.
pub(super) fn rows(graph: &Graph<'_>) -> Vec<usize> {
    let is_row = |number: &usize| graph.rows.as_ref().is_none_or(|rows| rows.contains(number));
    graph.outer.iter().copied().filter(is_row).collect()
}

fn columns(graph: &Graph<'_>) -> Vec<usize> {
    let is_row = |number: &usize| graph.rows.as_ref().is_none_or(|rows| rows.contains(number));
    graph.outer.iter().copied().filter(|number| !is_row(number)).collect()
}

/// How many steps loops have together, where that is known.
fn steps(graph: &Graph<'_>, loops: &[usize]) -> Option<i64> {
    let mut sizes = loops.iter().map(|&number| graph.coordinates.known(graph.loops[number]));
    sizes.try_fold(1_i64, |product, size| product.checked_mul(size?))
}

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
    loops: HashMap<usize, Val<'c>>,
    /// What reductions hold, and what they give.
    held: HashMap<(usize, usize), Val<'c>>,
    reduced: HashMap<(usize, usize), Val<'c>>,
}

/// What stands already where an operation is built.
#[derive(Clone)]
struct Scope<'c> {
    b: Builder<'c>,
    values: HashMap<Node, Val<'c>>,
    branches: HashMap<Node, Vec<Val<'c>>>,
    coordinates: HashMap<At, Val<'c>>,
}

impl<'c> Scope<'c> {
    fn new(b: Builder<'c>) -> Self {
        let (values, branches, coordinates) = Default::default();
        Self { b, values, branches, coordinates }
    }

    fn inside(&self, b: Builder<'c>) -> Self {
        Self { b, ..self.clone() }
    }
}

type Built<T> = Result<T, melior::Error>;

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
        Self { graph, shape, entry, tensors, outputs, scalars, sizes, loops, held, reduced }
    }

    /// Writes everything behind the entry.
    pub(super) fn emit(mut self, b: Builder<'c>) -> Built<()> {
        let index = Type::index(b.context());
        let x = parse(b, "#gpu<dim x>")?;
        let place = |name: &str| b.value(name, &[], index, &[("dimension", x)]);
        let (thread, block) = (place("gpu.thread_id")?, place("gpu.block_id")?);
        let (lanes, per_block) = (self.shape.lanes, self.shape.rows());
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
        let loops = rows(self.graph);
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
        let columns = columns(self.graph);
        if columns.is_empty() {
            let is_own = match lanes {
                1 => is_row,
                _ => {
                    let one = self.graph.coordinates.constant(1);
                    let is_first = self.below(&mut scope, lane, one)?;
                    Some(both(&scope.b, is_row, is_first)?)
                }
            };
            return self.guarded(&scope, is_own, |this, scope| this.store(scope));
        }
        self.pass(&scope, &columns, (lane, is_row), |this, scope| this.store(scope))
    }

    /// One pass over the columns of a row, or over what is reduced.
    fn pass(
        &mut self,
        scope: &Scope<'c>,
        loops: &[usize],
        (lane, is_row): (Val<'c>, Option<Val<'c>>),
        body: impl FnOnce(&mut Self, &mut Scope<'c>) -> Built<()>,
    ) -> Built<()> {
        let mut outside = scope.clone();
        let b = outside.b;
        let index = Type::index(b.context());
        let count = self.count(loops);
        let lanes = self.shape.lanes;
        let rounds = match self.graph.coordinates.known(count) {
            Some(known) => b.constant(index, div_ceil(known, lanes))?,
            None => {
                let count = self.coordinate(&mut outside, count)?;
                let more = b.binary("arith.addi", count, b.constant(index, lanes - 1)?)?;
                b.binary("arith.divui", more, b.constant(index, lanes)?)?
            }
        };
        let bounds = [b.constant(index, 0)?, rounds, b.constant(index, 1)?];
        let (b, round) = b.open_loop(bounds)?;
        let mut inside = scope.inside(b);
        let first = b.binary("arith.muli", round, b.constant(index, lanes)?)?;
        let column = b.binary("arith.addi", first, lane)?;
        let is_own = match self.graph.coordinates.known(count) {
            Some(known) if known % lanes == 0 => is_row,
            _ => {
                let is_column = self.below(&mut inside, column, count)?;
                Some(both(&b, is_row, is_column)?)
            }
        };
        self.open(&mut inside, loops, column)?;
        self.guarded(&inside, is_own, body)
    }

    fn stage(
        &mut self,
        scope: &Scope<'c>,
        (number, stage): (usize, &Stage<'c>),
        (lane, is_row): (Val<'c>, Option<Val<'c>>),
    ) -> Built<()> {
        let is_alone = self.shape.lanes == 1;
        for (i, result) in stage.results.iter().enumerate() {
            let held = self.register(result.of)?;
            self.held.insert((number, i), held);
        }
        if is_alone {
            self.guarded(scope, is_row, |this, scope| {
                let initial: Vec<Node> = stage.results.iter().map(|r| r.initial).collect();
                let values = this.values(scope, &initial)?;
                this.hold(scope, number, &values)
            })?;
        } else {
            let mut values = Vec::with_capacity(stage.results.len());
            for result in &stage.results {
                let name = result.combined.map(|c| tree::name(c.operation)).unwrap_or_default();
                let value = neutral(&name, result.of).ok_or(melior::Error::OperationBuild)?;
                values.push(scope.b.value(
                    "arith.constant",
                    &[],
                    result.of,
                    &[("value", value)],
                )?);
            }
            self.hold(scope, number, &values)?;
        }
        self.pass(scope, &stage.loops, (lane, is_row), |this, scope| {
            let mut next = Vec::with_capacity(stage.results.len());
            for (i, result) in stage.results.iter().enumerate() {
                next.push(match result.combined.filter(|_| !is_alone) {
                    Some(combined) => {
                        let with = this.values(scope, &[combined.with])?;
                        let held = load(&scope.b, this.held[&(number, i)])?;
                        let made = tree::clone_with(&scope.b, combined.operation, &[held, with[0]]);
                        first_result(made)
                    }
                    None => this.values(scope, &[result.next])?[0],
                });
            }
            this.hold(scope, number, &next)
        })?;
        if is_alone {
            return Ok(());
        }
        for (i, result) in stage.results.iter().enumerate() {
            let target = self.register(result.of)?;
            let kind = result.combined.map(|combined| combined.kind).unwrap_or_default();
            let b = &scope.b;
            let threads = parse(*b, &format!("#layout<({},1):(1,0)>", self.shape.lanes))?;
            let along = DenseI64ArrayAttribute::new(b.context(), &[0]).into();
            let said = [("kind", b.string(kind)), ("along", along), ("threads", threads)];
            let operands = [self.held[&(number, i)], target];
            let none = melior::ir::Region::new();
            b.operation("layout.reduce", &operands, &[], &said, vec![none])?;
            self.reduced.insert((number, i), target);
        }
        Ok(())
    }

    fn hold(&mut self, scope: &Scope<'c>, stage: usize, values: &[Val<'c>]) -> Built<()> {
        for (i, &value) in values.iter().enumerate() {
            store(&scope.b, value, self.held[&(stage, i)])?;
        }
        Ok(())
    }

    fn store(&mut self, scope: &mut Scope<'c>) -> Built<()> {
        let all: Vec<Node> = self.graph.outputs.iter().map(|output| output.value).collect();
        let values = self.values(scope, &all)?;
        for (i, value) in values.into_iter().enumerate() {
            let at = self.graph.outputs[i].at.clone();
            let mut operands = vec![value, self.outputs[i]];
            operands.extend(self.all(scope, &at)?);
            let coord = [("coord", scope.b.string(&pattern(at.len())))];
            scope.b.operation("layout.store", &operands, &[], &coord, vec![])?;
        }
        Ok(())
    }

    /// A branch where there is a condition.
    fn guarded(
        &mut self,
        scope: &Scope<'c>,
        condition: Option<Val<'c>>,
        body: impl FnOnce(&mut Self, &mut Scope<'c>) -> Built<()>,
    ) -> Built<()> {
        let Some(condition) = condition else { return body(self, &mut scope.clone()) };
        let (region, b) = scope.b.region();
        body(self, &mut scope.inside(b))?;
        b.operation("scf.yield", &[], &[], &[], vec![])?;
        let none = melior::ir::Region::new();
        scope.b.operation("scf.if", &[condition], &[], &[], vec![region, none])?;
        Ok(())
    }

    /// The number of steps of loops, as a coordinate.
    fn count(&mut self, loops: &[usize]) -> At {
        let mut count = self.graph.coordinates.constant(1);
        for &number in loops {
            count = self.graph.coordinates.product(count, self.graph.loops[number]);
        }
        count
    }

    /// Makes one number the variables of loops, the last one fastest.
    fn open(&mut self, scope: &mut Scope<'c>, loops: &[usize], mut at: Val<'c>) -> Built<()> {
        for (place, &number) in loops.iter().enumerate().rev() {
            if place == 0 {
                self.loops.insert(number, at);
                break;
            }
            let size = self.coordinate(scope, self.graph.loops[number])?;
            self.loops.insert(number, scope.b.binary("arith.remui", at, size)?);
            at = scope.b.binary("arith.divui", at, size)?;
        }
        Ok(())
    }

    fn below(&mut self, scope: &mut Scope<'c>, value: Val<'c>, size: At) -> Built<Val<'c>> {
        let size = self.coordinate(scope, size)?;
        const UNSIGNED_LESS: i64 = 6;
        let b = &scope.b;
        let said = [("predicate", b.i64_attribute(UNSIGNED_LESS))];
        b.value("arith.cmpi", &[value, size], b.integer(1), &said)
    }

    fn register(&self, of: Type<'c>) -> Built<Val<'c>> {
        let text = format!("!layout.view<{of}, register, 1:0>");
        let view = Type::parse(self.entry.context(), &text)
            .ok_or(melior::Error::TypeExpected("view", text))?;
        self.entry.value("layout.alloc", &[], view, &[])
    }

    fn all(&mut self, scope: &mut Scope<'c>, at: &[At]) -> Built<Vec<Val<'c>>> {
        at.iter().map(|&at| self.coordinate(scope, at)).collect()
    }

    /// A coordinate; the values in it stand already.
    fn coordinate(&mut self, scope: &mut Scope<'c>, at: At) -> Built<Val<'c>> {
        if let Some(&known) = scope.coordinates.get(&at) {
            return Ok(known);
        }
        let index = Type::index(scope.b.context());
        let of = self.graph.coordinates.get(at).clone();
        let two = |name: &str, this: &mut Self, scope: &mut Scope<'c>, a: At, b: At| {
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
            Coordinate::Quotient(a, b) => two("arith.divui", self, scope, a, b)?,
            Coordinate::Remainder(a, b) => two("arith.remui", self, scope, a, b)?,
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

    /// The values of nodes, with all that they are computed from.
    fn values(&mut self, scope: &mut Scope<'c>, wanted: &[Node]) -> Built<Vec<Val<'c>>> {
        let mut needed = BTreeSet::new();
        let mut open = wanted.to_vec();
        while let Some(node) = open.pop() {
            if !scope.values.contains_key(&node)
                && !scope.branches.contains_key(&node)
                && needed.insert(node)
            {
                self.graph.operands(node, &mut open);
            }
        }
        for node in needed {
            let step = self.graph.steps[node].clone();
            let value = self.value(scope, node, step)?;
            if let Some(value) = value {
                scope.values.insert(node, value);
            }
        }
        wanted
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
            Step::Branch { condition, regions, types } => {
                let condition = scope.values[&condition];
                let values = self.branch(scope, condition, &regions, &types)?;
                scope.branches.insert(node, values);
                return Ok(None);
            }
            Step::Taken { branch, number } => scope.branches[&branch][number],
            Step::Held { stage, number } => load(&b, self.held[&(stage, number)])?,
            Step::Reduced { stage, number } => match self.reduced.get(&(stage, number)) {
                None => load(&b, self.held[&(stage, number)])?,
                Some(&reduced) => {
                    let initial = self.graph.initial(stage, number);
                    let initial = initial.and_then(|node| scope.values.get(&node).copied());
                    let combined = self.graph.stages[stage]
                        .as_ref()
                        .and_then(|stage| stage.results[number].combined);
                    let own = load(&b, reduced)?;
                    match (initial, combined) {
                        (Some(initial), Some(combined)) => {
                            first_result(tree::clone_with(&b, combined.operation, &[initial, own]))
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
                Ok((self.register(kept)?, kept))
            })
            .collect::<Built<_>>()?;
        let mut made = Vec::with_capacity(2);
        for nodes in regions {
            let (region, inside) = b.region();
            let values = self.values(&mut scope.inside(inside), nodes)?;
            for (value, &(slot, kept)) in values.into_iter().zip(&slots) {
                store(&inside, cast(&inside, value, kept, true)?, slot)?;
            }
            inside.operation("scf.yield", &[], &[], &[], vec![])?;
            made.push(region);
        }
        b.operation("scf.if", &[condition], &[], &[], made)?;
        let back = slots.into_iter().zip(types);
        back.map(|((slot, _), &of)| cast(&b, load(&b, slot)?, of, false)).collect()
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

/// `(?,?)`: a coordinate of values.
fn pattern(rank: usize) -> String {
    match rank {
        0 => "0".to_owned(),
        1 => "?".to_owned(),
        _ => format!("({})", vec!["?"; rank].join(",")),
    }
}

fn both<'c>(b: &Builder<'c>, first: Option<Val<'c>>, second: Val<'c>) -> Built<Val<'c>> {
    match first {
        Some(first) => b.binary("arith.andi", first, second),
        None => Ok(second),
    }
}

fn load<'c>(b: &Builder<'c>, register: Val<'c>) -> Built<Val<'c>> {
    let coord = [("coord", b.string("0"))];
    Ok(first_result(b.inferred("layout.load", &[register], &coord)?))
}

fn store<'c>(b: &Builder<'c>, value: Val<'c>, register: Val<'c>) -> Built<()> {
    let coord = [("coord", b.string("0"))];
    b.operation("layout.store", &[value, register], &[], &coord, vec![])?;
    Ok(())
}

fn parse<'c>(b: Builder<'c>, text: &str) -> Built<Attribute<'c>> {
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

/// What leaves the other operand of an operation as it is.
fn neutral<'c>(name: &str, of: Type<'c>) -> Option<Attribute<'c>> {
    let text = of.to_string();
    if !STORED.contains(&text.as_str()) {
        return None;
    }
    let bits: u32 = text.trim_start_matches('i').parse().unwrap_or(1);
    let greatest = 2_f64.powi(i32::try_from(bits).ok()? - 1);
    let value = match name {
        "arith.addf" => -0.0,
        "arith.mulf" | "arith.muli" => 1.0,
        "arith.maximumf" => f64::NEG_INFINITY,
        "arith.minimumf" => f64::INFINITY,
        "arith.maxnumf" | "arith.minnumf" => f64::NAN,
        "arith.maxsi" => -greatest,
        "arith.minsi" => greatest - 1.0,
        "arith.minui" | "arith.andi" => -1.0,
        "arith.addi" | "arith.maxui" | "arith.ori" | "arith.xori" => 0.0,
        _ => return None,
    };
    number(of, value)
}
