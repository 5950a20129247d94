//! Passes over the columns of a row, or over all elements: what they read goes to registers first, then each step is computed.
//!
//! A pass of a row of `steps` runs over `lanes` threads is
//!
//! ```text
//! for round in 0..rounds:                         // unrolled
//!     run = round * lanes + lane
//!     if run < steps: registers(_, round) = vectors of the run
//! for round in 0..rounds:
//!     if run < steps: for step in 0..width: …     // what registers(step, round) say
//! ```
//!
//! so that all reads of a thread are in flight at once. A later pass over the same columns finds them in registers. Rows
//! that are longer than registers, or not known, are so read in parts of a few rounds, by each pass again.

use super::{
    super::numbers::is_half,
    coordinate::{CoordId, Coordinate},
    graph::{Node, Stage, Step},
    kernel::{Built, Kernel, Scope, both, load_at, parse, pattern, store_at},
    vectors::{self, Access, Run},
};
use layout_dialect::{
    build::{Val, first_result},
    tree,
};
use melior::ir::{Type, ValueLike, attribute::DenseI64ArrayAttribute, operation::OperationLike};
use num_integer::div_ceil;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The most elements of all operands that a thread keeps in registers.
const MAX_REGISTER_ELEMENTS: i64 = 128;

/// The elements of one operand that a thread reads before it computes, where it does not read all.
const PREFETCH: i64 = 16;

/// A kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Parameter {
    Input(usize),
    Output(usize),
}

/// Registers with what a pass reads: of a run an element for each step, or one for all.
#[derive(Clone, Copy)]
pub(super) struct Loaded<'c> {
    register: Val<'c>,
    access: Access,
}

impl<'c> Loaded<'c> {
    /// An element for each step of a run.
    pub(super) fn each(register: Val<'c>) -> Self {
        Self { register, access: Access::Each }
    }
}

/// The work of each step of a pass.
pub(super) enum Task<'s, 'c> {
    Reduce(usize, &'s Stage<'c>),
    Write,
}

/// Loops in runs.
pub(super) struct Runs {
    loops: Vec<usize>,
    pub(super) run: Run,
    /// The loop of runs that stands for the innermost one.
    pub(super) vectors: usize,
    /// How many runs there are.
    count: CoordId,
}

impl Runs {
    fn width(&self) -> i64 {
        self.run.width
    }
}

/// The rounds of a thread: the first one, where that is not 0, and how many.
#[derive(Clone, Copy)]
struct Rounds<'c> {
    start: Option<Val<'c>>,
    count: i64,
    /// Whether a round may be past the last run.
    ends: bool,
}

impl<'c> Kernel<'_, 'c> {
    /// The length of runs of a pass.
    pub(super) fn width_of(&self, loops: &[usize]) -> i64 {
        vectors::width_of(self.graph, loops, self.shape.width)
    }

    /// All elements: a run is one thread's.
    pub(super) fn elements(&mut self, scope: &mut Scope<'c>, run: Val<'c>) -> Built<()> {
        let loops = self.graph.outer.clone();
        let runs = self.runs(&loops);
        let is_own = match self.graph.coordinates.known(runs.count) {
            Some(known) if known % self.shape.threads == 0 => None,
            _ => Some(self.below(scope, run, runs.count)?),
        };
        let zero = scope.b.constant(Type::index(scope.b.context()), 0)?;
        self.open_runs(scope, &runs, run)?;
        let required = self.required(&Task::Write);
        let fresh = match runs.width() {
            1 => HashSet::new(),
            _ => self.plan(scope, &runs, &required, (1, false))?,
        };
        self.predicated(scope, is_own, |this, scope| {
            this.round = Some(zero);
            if !fresh.is_empty() {
                this.read(&mut scope.clone(), &runs, &required, (&fresh, true))?;
            }
            this.compute(scope, &runs, &Task::Write)
        })
    }

    /// One pass over the columns of a row, or over what is reduced.
    pub(super) fn pass(
        &mut self,
        scope: &Scope<'c>,
        loops: &[usize],
        of_row: (Val<'c>, Option<Val<'c>>),
        task: &Task<'_, 'c>,
    ) -> Built<()> {
        let runs = self.runs(loops);
        let lanes = self.shape.lanes;
        let known = self.graph.coordinates.known(runs.count);
        if known == Some(0) {
            return Ok(());
        }
        let ends = known.is_none_or(|known| known % lanes != 0);
        let rounds = known.map(|known| div_ceil(known, lanes));
        let reads = i64::try_from(self.graph.reads()).unwrap_or(i64::MAX).max(1);
        let held = rounds.and_then(|rounds| rounds.checked_mul(runs.width())?.checked_mul(reads));
        // Passes over other loops may read much less.
        let held = held.map(|held| held.min(self.held_by_passes().unwrap_or(i64::MAX)));
        if let (Some(count), Some(..=MAX_REGISTER_ELEMENTS)) = (rounds, held) {
            let rounds = Rounds { start: None, count, ends };
            // Reads of later passes are in flight with the rest.
            let ahead = self.graph.reads_over(loops);
            return self.rounds(scope, &runs, (rounds, Some(&ahead)), of_row, task);
        }
        let ahead = (PREFETCH / runs.width()).max(1);
        let mut outside = scope.clone();
        let b = outside.b;
        let index = Type::index(b.context());
        let each = b.constant(index, lanes * ahead)?;
        let parts = match known {
            Some(known) => b.constant(index, div_ceil(known, lanes * ahead))?,
            None => {
                let count = self.coordinate(&mut outside, runs.count)?;
                let more = b.binary("arith.addi", count, b.constant(index, lanes * ahead - 1)?)?;
                b.binary("arith.divui", more, each)?
            }
        };
        let (b, part) = b.open_loop([b.constant(index, 0)?, parts, b.constant(index, 1)?])?;
        let start = b.binary("arith.muli", part, b.constant(index, ahead)?)?;
        let ends = known.is_none_or(|known| known % (lanes * ahead) != 0);
        let rounds = Rounds { start: Some(start), count: ahead, ends };
        self.rounds(&outside.inside(b), &runs, (rounds, None), of_row, task)
    }

    /// Elements that a thread reads in all passes, those over the same loops once, or `None` if it is not known how many.
    fn held_by_passes(&self) -> Option<i64> {
        let mut all: BTreeMap<Vec<usize>, BTreeSet<(usize, &[CoordId])>> = BTreeMap::new();
        for pass in self.graph.passes() {
            let own = all.entry(pass.loops).or_default();
            for node in self.graph.reached(&pass.required) {
                if let Step::Load { tensor, at } = &self.graph.steps[node] {
                    own.insert((*tensor, at));
                }
            }
        }
        all.into_iter().try_fold(0_i64, |sum, (loops, reads)| {
            let mut sizes =
                loops.iter().map(|&own| self.graph.coordinates.known(self.graph.loops[own]));
            let steps = sizes.try_fold(1_i64, |product, size| product.checked_mul(size?))?;
            let each =
                div_ceil(steps, self.shape.lanes).checked_mul(i64::try_from(reads.len()).ok()?)?;
            sum.checked_add(each)
        })
    }

    /// Rounds of a pass: what they read, and what they compute. Registers are kept for later passes where these read `ahead`.
    fn rounds(
        &mut self,
        scope: &Scope<'c>,
        runs: &Runs,
        (rounds, ahead): (Rounds<'c>, Option<&[Node]>),
        of_row: (Val<'c>, Option<Val<'c>>),
        task: &Task<'_, 'c>,
    ) -> Built<()> {
        self.loaded.clear();
        let required = [self.required(task), ahead.unwrap_or_default().to_vec()].concat();
        let fresh = self.plan(scope, runs, &required, (rounds.count, ahead.is_some()))?;
        if !fresh.is_empty() {
            self.each_round(scope, runs, rounds, of_row, |this, scope| {
                this.read(scope, runs, &required, (&fresh, true))
            })?;
        }
        self.each_round(scope, runs, rounds, of_row, |this, scope| {
            this.compute(scope, runs, task)
        })?;
        self.loaded.clear();
        Ok(())
    }

    fn each_round(
        &mut self,
        scope: &Scope<'c>,
        runs: &Runs,
        rounds: Rounds<'c>,
        (lane, is_row): (Val<'c>, Option<Val<'c>>),
        body: impl FnOnce(&mut Self, &mut Scope<'c>) -> Built<()>,
    ) -> Built<()> {
        let index = Type::index(scope.b.context());
        let (b, round) = match rounds.count {
            1 => (scope.b, scope.b.constant(index, 0)?),
            count => scope.b.open_count(count)?,
        };
        let mut inside = scope.inside(b);
        self.round = Some(round);
        let lanes = b.constant(index, self.shape.lanes)?;
        let run = match (rounds.start, rounds.count) {
            (None, 1) => lane,
            (start, _) => {
                let all = match start {
                    Some(start) => b.binary("arith.addi", start, round)?,
                    None => round,
                };
                let first = b.binary("arith.muli", all, lanes)?;
                b.binary("arith.addi", first, lane)?
            }
        };
        let is_own = match rounds.ends {
            false => is_row,
            true => {
                let is_run = self.below(&mut inside, run, runs.count)?;
                Some(both(&b, is_row, is_run)?)
            }
        };
        self.open_runs(&mut inside, runs, run)?;
        self.predicated(&inside, is_own, body)
    }

    /// Loops in runs, as long as the kernel has them.
    pub(super) fn runs(&mut self, loops: &[usize]) -> Runs {
        let width = self.width_of(loops);
        let mut own = loops.to_vec();
        let innermost = own.last().copied().unwrap_or(usize::MAX);
        let mut vectors = innermost;
        if width > 1
            && let Some(last) = own.last_mut()
        {
            let all = &mut self.graph.coordinates;
            let size = self.graph.loops[innermost];
            let size = match all.known(size) {
                Some(known) => all.constant(known / width),
                None => {
                    let width = all.constant(width);
                    all.add(Coordinate::Quotient(size, width))
                }
            };
            self.graph.loops.push(size);
            vectors = self.graph.loops.len() - 1;
            *last = vectors;
        }
        let count = self.count(&own);
        let run = Run::new(self.graph, innermost, width);
        Runs { loops: own, run, vectors, count }
    }

    /// Makes a run's number the variables of its loops; the innermost is that of its first step.
    fn open_runs(&mut self, scope: &mut Scope<'c>, runs: &Runs, run: Val<'c>) -> Built<()> {
        self.open(scope, &runs.loops, run)?;
        if runs.width() > 1 {
            let b = scope.b;
            let width = b.constant(Type::index(b.context()), runs.width())?;
            let first = b.binary("arith.muli", self.loops[&runs.vectors], width)?;
            self.loops.insert(runs.run.innermost, first);
        }
        Ok(())
    }

    /// The nodes that each step of a task computes.
    pub(super) fn required(&self, task: &Task<'_, 'c>) -> Vec<Node> {
        match task {
            Task::Write => self.graph.outputs.iter().map(|output| output.value).collect(),
            Task::Reduce(_, stage) => {
                let is_alone = self.shape.lanes == 1;
                let combined = |own: &super::graph::Result<'c>| {
                    own.combined.filter(|_| !is_alone).map_or(own.next, |combined| combined.with)
                };
                stage.results.iter().map(combined).collect()
            }
        }
    }

    /// Registers for what a pass reads. Gives the reads that are not there yet, and whether they are in branches.
    pub(super) fn plan(
        &mut self,
        scope: &Scope<'c>,
        runs: &Runs,
        required: &[Node],
        (rounds, keeps): (i64, bool),
    ) -> Built<HashSet<(Node, bool)>> {
        let mut fresh = HashSet::new();
        let mut open = vec![(required.to_vec(), true)];
        while let Some((required, is_always)) = open.pop() {
            for node in self.needed(scope, &required) {
                match self.graph.steps[node].clone() {
                    Step::Load { tensor, at } if !self.loaded.contains_key(&node) => {
                        let mut values = Vec::new();
                        self.graph.operands(node, &mut values);
                        if !values.iter().all(|&own| runs.run.is_same(own)) {
                            continue;
                        }
                        let key = (tensor, at.clone(), runs.run.innermost);
                        let known = self.kept.get(&key).copied().filter(|_| keeps);
                        let loaded = match known {
                            Some(known) => known,
                            None => {
                                fresh.insert((node, is_always));
                                self.registers(runs, (tensor, &at), rounds)?
                            }
                        };
                        if keeps && is_always {
                            self.kept.insert(key, loaded);
                        }
                        self.loaded.insert(node, loaded);
                    }
                    Step::Branch { condition, regions, .. } if runs.run.is_same(condition) => {
                        open.insert(0, (regions.concat(), false));
                    }
                    _ => {}
                }
            }
        }
        Ok(fresh)
    }

    fn registers(
        &mut self,
        runs: &Runs,
        (tensor, at): (usize, &[CoordId]),
        rounds: i64,
    ) -> Built<Loaded<'c>> {
        let access = runs.run.access(self.graph, &self.graph.stored[tensor].0, at);
        let of = element(self.tensors[tensor])?;
        let layout = match access {
            Access::Same => format!("(1,{rounds}):(0,1)"),
            Access::Row(aligned) => layout(aligned, runs.width(), rounds),
            Access::Each => layout(runs.width(), runs.width(), rounds),
        };
        Ok(Loaded { register: self.register(of, &layout)?, access })
    }

    /// Reads what is not in registers yet.
    pub(super) fn read(
        &mut self,
        scope: &mut Scope<'c>,
        runs: &Runs,
        required: &[Node],
        (fresh, is_always): (&HashSet<(Node, bool)>, bool),
    ) -> Built<()> {
        for node in self.needed(scope, required) {
            match self.graph.steps[node].clone() {
                Step::Load { tensor, at } if fresh.contains(&(node, is_always)) => {
                    let mut values = Vec::new();
                    self.graph.operands(node, &mut values);
                    self.values(scope, &values)?;
                    self.load(scope, runs, (tensor, &at, &values), self.loaded[&node])?;
                }
                Step::Branch { condition, regions, .. } if runs.run.is_same(condition) => {
                    let reads = |nodes: &Vec<Node>| {
                        self.graph.reached(nodes).iter().any(|&own| fresh.contains(&(own, false)))
                    };
                    if !regions.iter().any(reads) {
                        continue;
                    }
                    let condition = self.values(scope, &[condition])?[0];
                    let mut made = Vec::with_capacity(2);
                    for nodes in &regions {
                        let (region, b) = scope.b.region();
                        self.read(&mut scope.inside(b), runs, nodes, (fresh, false))?;
                        b.operation("scf.yield", &[], &[], &[], vec![])?;
                        made.push(region);
                    }
                    scope.b.operation("scf.if", &[condition], &[], &[], made)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a run of a tensor.
    fn load(
        &mut self,
        scope: &mut Scope<'c>,
        runs: &Runs,
        (tensor, at, values): (usize, &[CoordId], &[Node]),
        Loaded { register, access }: Loaded<'c>,
    ) -> Built<()> {
        let round = self.round.ok_or(melior::Error::OperationBuild)?;
        let from = self.tensors[tensor];
        match access {
            Access::Same => {
                let at = self.all(scope, at)?;
                let value = load_at(&scope.b, from, &pattern(at.len()), &at)?;
                store_at(&scope.b, value, register, "(0,?)", &[round])
            }
            Access::Each => self.each_step(scope, runs, |this, scope, step| {
                this.values(scope, values)?;
                let at = this.all(scope, at)?;
                let value = load_at(&scope.b, from, &pattern(at.len()), &at)?;
                store_at(&scope.b, value, register, "(?,?)", &[step, round])
            }),
            Access::Row(aligned) => {
                let parameter = Parameter::Input(tensor);
                self.vectors(scope, runs, (parameter, at), (register, aligned))
            }
        }
    }

    /// Moves a run between registers and a tensor.
    pub(super) fn vectors(
        &mut self,
        scope: &mut Scope<'c>,
        runs: &Runs,
        (parameter, at): (Parameter, &[CoordId]),
        (register, aligned): (Val<'c>, i64),
    ) -> Built<()> {
        let round = self.round.ok_or(melior::Error::OperationBuild)?;
        let (view, bytes, last) = self.divided_view(parameter, aligned)?;
        let parts = runs.width() / aligned;
        for part in 0..parts {
            let mut at = at.to_vec();
            let vectors = self.graph.coordinates.add(Coordinate::Loop(runs.vectors));
            let loops = (runs.run.innermost, runs.width(), vectors);
            let all = &mut self.graph.coordinates;
            at[last] = vectors::divided(all, at[last], aligned, loops, part);
            let operands = [vec![view], self.all(scope, &at)?].concat();
            let modes: Vec<&str> =
                (0..at.len()).map(|i| if i == last { "(_,?)" } else { "(0,?)" }).collect();
            let coord = match modes.as_slice() {
                [one] => (*one).to_owned(),
                modes => format!("({})", modes.join(",")),
            };
            let b = scope.b;
            let slice = |operands: &[Val<'c>], coord: &str| -> Built<Val<'c>> {
                let attributes = [("coord", b.string(coord))];
                Ok(first_result(b.inferred("layout.slice", operands, &attributes)?))
            };
            let in_memory = slice(&operands, &coord)?;
            let coord = if parts == 1 { "(_,?)".to_owned() } else { format!("((_,{part}),?)") };
            let in_registers = slice(&[register, round], &coord)?;
            let operands = match parameter {
                Parameter::Input(_) => [in_memory, in_registers],
                Parameter::Output(_) => [in_registers, in_memory],
            };
            let elements = vectors::elements_at_once(aligned, bytes);
            let atom = parse(b, &format!("#layout.atom<simt_{elements}>"))?;
            let limits = DenseI64ArrayAttribute::new(b.context(), &[]).into();
            let attributes = [("atom", atom), ("limits", limits)];
            b.operation("layout.copy", &operands, &[], &attributes, vec![])?;
        }
        Ok(())
    }

    /// A parameter's view whose last mode of several elements is one of vectors; bytes of an element, and which mode it is.
    fn divided_view(&mut self, parameter: Parameter, by: i64) -> Built<(Val<'c>, i64, usize)> {
        let (view, (extents, bytes)) = match parameter {
            Parameter::Input(i) => (self.tensors[i], &self.graph.stored[i]),
            Parameter::Output(i) => (self.outputs[i], &self.graph.outputs[i].stored),
        };
        let last = vectors::last(extents).ok_or(melior::Error::OperationBuild)?;
        if let Some(&known) = self.divided.get(&(parameter, by)) {
            return Ok((known, *bytes, last));
        }
        let tiles: Vec<String> = (0..extents.len())
            .map(|i| if i == last { format!("{by}:1") } else { "1:0".to_owned() })
            .collect();
        let tiler = match tiles.as_slice() {
            [one] => one.clone(),
            all => format!("<{}>", all.join(",")),
        };
        let term = [("term", parse(self.entry, &format!("#layout<{tiler}>"))?)];
        let divided = first_result(self.entry.inferred("layout.logical_divide", &[view], &term)?);
        self.divided.insert((parameter, by), divided);
        Ok((divided, *bytes, last))
    }

    /// The steps of a run, each in a scope that knows what is alike in all.
    fn each_step(
        &mut self,
        scope: &Scope<'c>,
        runs: &Runs,
        body: impl FnOnce(&mut Self, &mut Scope<'c>, Val<'c>) -> Built<()>,
    ) -> Built<()> {
        let (b, step) = scope.b.open_count(runs.width())?;
        // Outside of a branch a loop is where a program of the host has the threads meet, after which no value stays.
        let mut inside = match self.predicates {
            0 => Scope::new(b),
            _ => scope.inside(b),
        };
        inside.coordinates.retain(|&at, _| runs.run.stays(self.graph, at));
        let innermost = runs.run.innermost;
        let first = self.loops[&innermost];
        self.loops.insert(innermost, b.binary("arith.addi", first, step)?);
        self.step = Some(step);
        let done = body(self, &mut inside, step);
        self.step = None;
        self.loops.insert(innermost, first);
        done
    }

    /// The elements that a pass has read.
    pub(super) fn element_of(
        &self,
        scope: &Scope<'c>,
        Loaded { register, access }: Loaded<'c>,
    ) -> Built<Val<'c>> {
        let round = self.round.ok_or(melior::Error::OperationBuild)?;
        match (access, self.step) {
            (Access::Same, _) => load_at(&scope.b, register, "(0,?)", &[round]),
            (_, Some(step)) => load_at(&scope.b, register, "(?,?)", &[step, round]),
            (_, None) => Err(melior::Error::OperationBuild),
        }
    }

    /// Computes the steps of a run.
    pub(super) fn compute(
        &mut self,
        scope: &mut Scope<'c>,
        runs: &Runs,
        task: &Task<'_, 'c>,
    ) -> Built<()> {
        if runs.width() == 1 {
            return match task {
                Task::Reduce(number, stage) => self.reduce(scope, (*number, stage), None),
                Task::Write => self.write(scope, None),
            };
        }
        // Where the steps do not know it, as above, LLVM finds it.
        let needed = match self.predicates {
            0 => BTreeSet::new(),
            _ => self.needed(scope, &self.required(task)),
        };
        let has_value = |node: &Node| !matches!(self.graph.steps[*node], Step::Branch { .. });
        let same = needed.into_iter().filter(|&node| runs.run.is_same(node));
        let same: Vec<Node> = same.filter(has_value).collect();
        self.values(scope, &same)?;
        let outputs: Vec<Access> = match task {
            Task::Reduce(..) => Vec::new(),
            Task::Write => {
                let access = |output: &super::graph::Output<'c>| {
                    runs.run.access(self.graph, &output.stored.0, &output.at)
                };
                self.graph.outputs.iter().map(access).collect()
            }
        };
        let mut written = Vec::new();
        self.each_step(scope, runs, |this, scope, step| match task {
            Task::Reduce(number, stage) => this.reduce(scope, (*number, stage), Some(step)),
            Task::Write => {
                written = this.write_run(scope, runs, &outputs, step)?;
                Ok(())
            }
        })?;
        for (i, register, aligned) in written {
            let at = self.graph.outputs[i].at.clone();
            self.round = Some(scope.b.constant(Type::index(scope.b.context()), 0)?);
            self.vectors(scope, runs, (Parameter::Output(i), &at), (register, aligned))?;
        }
        Ok(())
    }

    /// Writes a step of a run: to registers where a vector is written after the last step. Gives these.
    fn write_run(
        &mut self,
        scope: &mut Scope<'c>,
        runs: &Runs,
        outputs: &[Access],
        step: Val<'c>,
    ) -> Built<Vec<(usize, Val<'c>, i64)>> {
        let mut written = Vec::new();
        for (i, access) in outputs.iter().enumerate() {
            let Access::Row(aligned) = *access else {
                self.write(scope, Some(i))?;
                continue;
            };
            // The copy to memory narrows two numbers at once.
            let mut node = self.graph.outputs[i].value;
            match &self.graph.steps[node] {
                Step::Float { own, to } if is_half(*to) => node = *own,
                Step::Copy { operation, operands } if tree::name(*operation) == "arith.truncf" => {
                    let of = layout_dialect::build::operand(*operation, 0).r#type().to_string();
                    let to = first_result(*operation).r#type();
                    let is_plain = operation.attribute("roundingmode").is_err();
                    if of == "f32" && is_half(to) && is_plain {
                        node = operands[0];
                    }
                }
                _ => {}
            }
            let value = self.values(scope, &[node])?[0];
            let layout = layout(aligned, runs.width(), 1);
            let register = self.register(value.r#type(), &layout)?;
            let zero = scope.b.constant(Type::index(scope.b.context()), 0)?;
            store_at(&scope.b, value, register, "(?,?)", &[step, zero])?;
            written.push((i, register, aligned));
        }
        Ok(written)
    }

    /// Writes the element of one result, or of all.
    pub(super) fn write(&mut self, scope: &mut Scope<'c>, only: Option<usize>) -> Built<()> {
        let all = 0..self.graph.outputs.len();
        let all: Vec<usize> = all.filter(|i| only.is_none_or(|only| only == *i)).collect();
        let nodes: Vec<Node> = all.iter().map(|&i| self.graph.outputs[i].value).collect();
        let values = self.values(scope, &nodes)?;
        for (i, value) in all.into_iter().zip(values) {
            let at = self.graph.outputs[i].at.clone();
            let at = self.all(scope, &at)?;
            store_at(&scope.b, value, self.outputs[i], &pattern(at.len()), &at)?;
        }
        Ok(())
    }
}

/// The layout of registers of runs of vectors.
fn layout(aligned: i64, width: i64, rounds: i64) -> String {
    match width / aligned {
        1 => format!("({width},{rounds}):(1,{width})"),
        parts => format!("(({aligned},{parts}),{rounds}):((1,{aligned}),{width})"),
    }
}

/// The type of a view's elements.
pub(super) fn element<'c>(view: Val<'c>) -> Built<Type<'c>> {
    let view = layout_dialect::ViewType::try_from(view.r#type());
    Ok(view.map_err(|_| melior::Error::OperationBuild)?.element_type())
}
