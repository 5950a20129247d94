//! Reading a function as a program of threads, for `layout-verify` alone.
//!
//! A pass is examined by functions of ids and counters, which before and after it are the same. The walk of the threads needs
//! more: integers that loops carry, that branches choose, that other threads store or lanes exchange, and functions
//! that are called. Each such integer is a symbol here, and a step of the program says how a thread computes it; the
//! walk of the threads ([`super::threads`]) carries the steps out. A function that is called is read in its place.

use super::{
    arithmetic,
    data_flow::Flow,
    fragments::forget,
    launch,
    loops::Limits,
    trace::{Condition, Event, Known, Reader, address},
    view::{View, layout},
};
use layout_dialect::{
    atoms::WARP,
    build::{Val, operand, result},
    tree,
};
use layout_relation::IndexForm;
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};
use std::collections::{HashMap, HashSet};

/// From this symbol on, integers that threads compute as they go.
pub(super) const COMPUTED: u32 = 1 << 28;

/// Functions that call each other, at most.
const CALLS: u32 = 16;

/// Terms of a form that is evaluated wherever it is used; one that has more is computed once. Where sizes are numbers, it is
/// the threads that it is read for.
const WEIGHT: [usize; 2] = [128, 24];

/// The most rounds of a loop that ends by a condition.
pub(super) const MAX_ROUNDS: i64 = 1 << 40;

/// The state of a reader of programs.
#[derive(Default)]
pub(super) struct Follow {
    /// How many integers are computed so far.
    computed: u32,
    /// The barrier of the transaction around.
    pub(super) transaction: Option<View>,
    /// Calls around.
    pub(super) calls: u32,
    /// The call that was read in its place last, by its address.
    pub(super) inlined: usize,
    /// The values that may be data of shared memory, or depend on such, by their keys.
    pub(super) data: HashSet<usize>,
    /// The value of each allocation, by its operation: one of a function that is called twice is one buffer.
    pub(super) buffers: HashMap<usize, Known>,
}

/// A step of a program beside accesses and barriers of the block.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Integers are computed, all at once.
    Compute(Compute),
    /// Something at a barrier in memory.
    Phase(Phase),
    /// The threads of a warp meet.
    Warp(Vec<Condition>),
    /// As many threads in a row as a warp or a warpgroup has do something at once.
    Collective(Collective),
    /// All MMAs but those of the last groups are waited for.
    Mmas(u32, Vec<Condition>),
    /// Data goes from values to others.
    Flow(Flow),
}

#[derive(Clone, Debug)]
pub(super) struct Collective {
    pub(super) around: Vec<Condition>,
    /// The operation, by its address.
    pub(super) operation: usize,
    /// Threads in a row that do it at once.
    pub(super) threads: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Compute {
    pub(super) symbols: Vec<(u32, Number)>,
    pub(super) around: Vec<Condition>,
    pub(super) operation: usize,
}

/// How an integer is computed.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Form(IndexForm),
    /// 1 where all of these hold, else 0.
    All(Vec<Condition>),
    /// An operation on words.
    Arithmetic {
        name: String,
        /// Bits of the result, and of the operands.
        bits: u32,
        of: u32,
        predicate: i64,
        operands: Vec<IndexForm>,
    },
    /// The element that a view of one element holds.
    Element(Box<View>),
    /// A value of another lane: how its number is computed, from which number and width.
    Lane {
        value: IndexForm,
        mode: Lane,
        number: IndexForm,
        width: IndexForm,
    },
    /// The values of lanes, combined: the operation, how many lanes, and how far they are apart.
    Lanes {
        value: IndexForm,
        name: String,
        bits: u32,
        count: i64,
        stride: i64,
    },
    Unknown,
}

/// Which lane a shuffle reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lane {
    At,
    Xor,
    Up,
    Down,
}

/// Something at a barrier in memory.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) kind: PhaseKind,
    /// The buffer of the barrier, and its number there.
    pub(super) buffer: usize,
    pub(super) number: IndexForm,
    pub(super) around: Vec<Condition>,
    pub(super) operation: usize,
}

#[derive(Clone, Debug)]
pub(super) enum PhaseKind {
    /// It is initialised with an arrival count.
    Make(IndexForm),
    /// One arrival, and the bytes that are expected.
    Arrive(Option<IndexForm>),
    /// Until the phase of this parity is over.
    Wait(IndexForm),
}

/// The value of a symbol.
fn symbol(number: u32, bits: u32) -> Option<Known> {
    let form = IndexForm::symbol(number, None, None)?;
    Some(match bits {
        1 => Known::Conditions(vec![(form.scale(-1)?, 0)]),
        _ => Known::Form(form),
    })
}

fn is_computed(form: &IndexForm) -> bool {
    form.symbols().last().is_some_and(|&last| last >= COMPUTED)
}

impl Reader {
    /// Reads an operation of a program.
    pub(super) fn follow(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        if !self.followed(operation, name) {
            self.read(operation, name.to_owned());
        }
        self.complete(operation, name);
        self.flow(operation, name);
    }

    /// Whether an operation is read here.
    fn followed(&mut self, operation: OperationRef<'_, '_>, name: &str) -> bool {
        match name {
            "scf.for" => self.rounds(operation),
            "scf.while" => self.rounds_while(operation),
            "scf.if" => self.choice(operation),
            "func.call" => return self.inlined(operation),
            "func.return" => return self.follow.as_ref().is_some_and(|follow| follow.calls > 0),
            "nvvm.read.ptx.sreg.cluster.ctarank" | "gpu.cluster_block_id" => self.rank(operation),
            "gpu.shuffle" => self.shuffle(operation),
            "gpu.subgroup_reduce" => self.lanes(operation),
            _ if name == "layout.alloc" || layout_dialect::expand::is_fragment(name) => {
                return self.allocated(operation);
            }
            "layout.select" => {
                let (Some(view), Some(layout)) = (self.view(operation, 0), layout(operation))
                else {
                    return false;
                };
                self.set(operation, 0, Some(Known::View(view.relaid(&layout))));
            }
            "layout.barriers" => self.barriers(operation),
            "layout.arrive" => self.arrives(operation),
            "layout.wait" => self.waits(operation),
            "layout.transaction" => self.transaction(operation),
            "layout.wait_mma" => {
                let pending = number(operation, "pending").and_then(|n| u32::try_from(n).ok());
                let around = self.around.clone();
                self.step(Step::Mmas(pending.unwrap_or(u32::MAX), around));
            }
            "layout.atomic" => self.atomic(operation),
            _ if name.starts_with("arith.") => return self.computes(operation, name),
            _ => return false,
        }
        true
    }

    pub(super) fn step(&mut self, step: Step) {
        self.event(Event::Follow(Box::new(step)));
    }

    /// Threads in a row do something at once, where threads are followed.
    pub(super) fn collective(&mut self, operation: OperationRef<'_, '_>, threads: i64) {
        if self.follow.is_some() {
            let (around, operation) = (self.around.clone(), address(operation));
            self.step(Step::Collective(Collective { around, operation, threads }));
        }
    }

    /// The number of a new symbol.
    fn fresh(&mut self) -> u32 {
        let Some(follow) = &mut self.follow else { return u32::MAX };
        follow.computed = follow.computed.saturating_add(1);
        COMPUTED.saturating_add(follow.computed - 1)
    }

    /// Computes integers here, all at once.
    fn compute(&mut self, symbols: Vec<(u32, Number)>) {
        let (around, operation) = (self.around.clone(), self.reading);
        self.step(Step::Compute(Compute { symbols, around, operation }));
    }

    /// Lets a value be a new symbol, which is computed here.
    fn computed(&mut self, value: Val<'_>, number: Number) {
        let Some(bits) = arithmetic::width(value.r#type()) else { return };
        let own = self.fresh();
        self.compute(vec![(own, number)]);
        if let Some(known) = symbol(own, bits) {
            self.know(value, known);
        }
    }

    /// An operand as a number.
    pub(super) fn number_of(&self, operation: OperationRef<'_, '_>, at: usize) -> Number {
        match self.known(operation, at) {
            Some(Known::Conditions(conditions)) => Number::All(conditions.clone()),
            _ => self.form(operation, at).map_or(Number::Unknown, Number::Form),
        }
    }

    fn weight(&self) -> usize {
        WEIGHT[usize::from(self.sizes.is_some())]
    }

    /// Lets integers that have no form, or one of many terms, be symbols.
    fn complete(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        for at in 0..operation.result_count() {
            let value = result(operation, at);
            let Some(bits) = arithmetic::width(value.r#type()) else { continue };
            match self.known_of(value) {
                None if matches!(name, "layout.load" | "memref.load") => self.loaded(value),
                // A result that has no form, as of a shift by an integer that is no constant.
                None => {
                    let number = self.step_of(operation, name, (bits, self.forms(operation)));
                    self.computed(value, number);
                }
                Some(Known::Form(form)) if form.weight() > self.weight() => {
                    let form = form.clone();
                    self.computed(value, Number::Form(form));
                }
                _ => {}
            }
        }
    }

    /// Lets an integer be what the load that was read last loads.
    pub(super) fn loaded(&mut self, value: Val<'_>) {
        if self.follow.is_none() {
            return;
        }
        let source = match self.trace.events.last() {
            Some(Event::Copy(copy)) => copy.source.clone(),
            _ => None,
        };
        let number = source.map_or(Number::Unknown, |view| Number::Element(Box::new(view)));
        self.computed(value, number);
    }

    /// Operations on integers that are computed.
    fn computes(&mut self, operation: OperationRef<'_, '_>, name: &str) -> bool {
        let count = operation.operand_count();
        if operation.result_count() != 1 || count == 0 {
            return false;
        }
        let Some(bits) = arithmetic::width(result(operation, 0).r#type()) else { return false };
        let forms = self.forms(operation);
        if forms.iter().flatten().all(|form| !is_computed(form)) {
            return false;
        }
        let number = self.step_of(operation, name, (bits, forms));
        self.computed(result(operation, 0), number);
        true
    }

    /// The operands that are integers with a form.
    fn forms(&self, operation: OperationRef<'_, '_>) -> Vec<Option<IndexForm>> {
        let form = |at| match self.known(operation, at)? {
            // A condition of one comparison of what is computed needs no form of its own.
            Known::Pointer(..) | Known::View(_) => None,
            _ => self.form(operation, at),
        };
        (0..operation.operand_count()).map(form).collect()
    }

    /// The result of an operation of `arith` as what each thread computes.
    fn step_of(
        &self,
        operation: OperationRef<'_, '_>,
        name: &str,
        (bits, operands): (u32, Vec<Option<IndexForm>>),
    ) -> Number {
        let of = operands.len().checked_sub(1).map(|last| operand(operation, last).r#type());
        let all: Option<Vec<IndexForm>> = operands.into_iter().collect();
        match (all, of.and_then(arithmetic::width)) {
            (Some(operands), Some(of)) => {
                let predicate = number(operation, "predicate").unwrap_or(0);
                Number::Arithmetic { name: name.to_owned(), bits, of, predicate, operands }
            }
            _ => Number::Unknown,
        }
    }

    /// A loop: what it carries are symbols, and so is its counter, unless its rounds are known.
    fn rounds(&mut self, operation: OperationRef<'_, '_>) {
        let Some(body) = tree::entry(operation) else { return };
        let Limits { bits, unsigned, bounds } = self.limits(operation, body);
        let (mut carried, mut first) = (Vec::new(), Vec::new());
        for at in 3..operation.operand_count() {
            let value = operand(operation, at);
            match arithmetic::width(value.r#type()) {
                Some(bits) => {
                    let own = self.fresh();
                    first.push((own, self.number_of(operation, at)));
                    carried.push((at - 3, own, bits));
                }
                None => {
                    let root = self.root_of(value);
                    self.carry(tree::argument(body, at - 2), root, false);
                }
            }
        }
        self.compute(first);
        self.used(operation, 0..3);
        let rest = || 3..operation.operand_count();
        let pairs = rest().map(|at| (operand(operation, at), tree::argument(body, at - 2)));
        self.pass_data(pairs, true);
        let counter = self.enter(bounds, if unsigned { bits + 1 } else { bits });
        let counter = match unsigned {
            true => counter.and_then(|counter| counter.signed(bits)),
            false => counter,
        };
        match counter {
            Some(counter) => self.know(tree::argument(body, 0), Known::Form(counter)),
            None => self.forget(tree::argument(body, 0)),
        }
        self.give(&carried, |at| tree::argument(body, at + 1));
        self.block(body);
        if let Some(last) = tree::operations(body).pop() {
            let next = carried.iter().map(|&(at, own, _)| (own, self.number_of(last, at)));
            let next = next.collect();
            self.compute(next);
            let next = (0..last.operand_count())
                .map(|at| (operand(last, at), tree::argument(body, at + 1)));
            self.pass_data(next, true);
        }
        self.close();
        let results = (0..operation.result_count())
            .map(|at| (tree::argument(body, at + 1), result(operation, at)));
        self.pass_data(results, false);
        self.give(&carried, |at| result(operation, at));
    }

    /// Lets values be the symbols that a loop carries.
    fn give<'c>(&mut self, carried: &[(usize, u32, u32)], of: impl Fn(usize) -> Val<'c>) {
        for &(at, own, bits) in carried {
            if let Some(known) = symbol(own, bits) {
                self.know(of(at), known);
            }
        }
    }

    /// Opens a loop, and gives its counter.
    fn enter(&mut self, bounds: [Option<IndexForm>; 3], bits: u32) -> Option<IndexForm> {
        // Where one step may pass the last word, the counter would wrap around.
        let most = if bits < 63 { (1_i64 << (bits - 1)) - 1 } else { i64::MAX };
        let is_known = || -> Option<bool> {
            let [Some(from), Some(to), Some(step)] = &bounds else { return None };
            let by = step.as_constant().filter(|&by| by > 0)?;
            let (from, to) = (from.range().0?, to.range().1?);
            let passed = to.checked_add(by - 1)?;
            Some(passed <= most && to.checked_sub(from)? <= 1 << 32)
        };
        if is_known() == Some(true) {
            let counter = self.open(bounds);
            self.compute(Vec::new());
            return counter;
        }
        let (own, _) = self.counter(None);
        self.loops.push(own);
        let counted = || {
            let [Some(from), Some(to), Some(step)] = bounds else { return None };
            let round = IndexForm::symbol(own, Some(0), None)?;
            let value = round.times(&step)?.plus(&from)?;
            Some(([from, to.clone(), step], value.minus(&to)?, value))
        };
        let Some(([from, to, step], left, value)) = counted() else {
            self.unmodelled("a loop whose bounds are not known");
            // Something to close again.
            self.around.push((IndexForm::constant(0), 1));
            self.event(Event::Open([0, 0, 1].map(IndexForm::constant), None));
            return None;
        };
        self.around.push((left, 0));
        self.event(Event::Open([from, to, step], Some(own)));
        let counter = self.fresh();
        self.compute(vec![(counter, Number::Form(value))]);
        IndexForm::symbol(counter, None, None)
    }

    /// A loop that continues as long as a condition holds.
    fn rounds_while(&mut self, operation: OperationRef<'_, '_>) {
        let block = |at: usize| -> Option<BlockRef<'_, '_>> {
            let region = operation.region(at).ok()?;
            // SAFETY: the block is in the loop's region.
            region.first_block().map(|block| unsafe { BlockRef::from_raw(block.to_raw()) })
        };
        let (Some(before), Some(after)) = (block(0), block(1)) else { return };
        let mut first = Vec::new();
        let mut carried = Vec::new();
        for at in 0..operation.operand_count() {
            let Some(bits) = arithmetic::width(operand(operation, at).r#type()) else { continue };
            let own = self.fresh();
            first.push((own, self.number_of(operation, at)));
            carried.push((at, own, bits));
        }
        let mut passed = Vec::new();
        for at in 0..operation.result_count() {
            let Some(bits) = arithmetic::width(result(operation, at).r#type()) else { continue };
            let own = self.fresh();
            passed.push((at, own, bits));
        }
        let goes_on = self.fresh();
        first.push((goes_on, Number::Form(IndexForm::constant(1))));
        self.compute(first);
        let first = (0..operation.operand_count())
            .map(|at| (operand(operation, at), tree::argument(before, at)));
        self.pass_data(first, true);
        let (round, _) = self.counter(None);
        self.loops.push(round);
        let condition = IndexForm::symbol(goes_on, None, None).and_then(|form| form.scale(-1));
        self.around.push((condition.unwrap_or_else(|| IndexForm::constant(0)), 0));
        let bounds = [0, MAX_ROUNDS, 1].map(IndexForm::constant);
        self.event(Event::Open(bounds, Some(round)));
        self.compute(Vec::new());
        self.give(&carried, |at| tree::argument(before, at));
        self.block(before);
        if let Some(last) = tree::operations(before).pop() {
            let mut all = vec![(goes_on, self.number_of(last, 0))];
            all.extend(passed.iter().map(|&(at, own, _)| (own, self.number_of(last, at + 1))));
            self.used(last, 0..1);
            let each = || 0..operation.result_count().min(last.operand_count().saturating_sub(1));
            let pairs = each().map(|at| (operand(last, at + 1), result(operation, at)));
            let arguments = each().map(|at| (operand(last, at + 1), tree::argument(after, at)));
            let pairs: Vec<_> = pairs.chain(arguments).collect();
            self.pass_data(pairs.into_iter(), false);
            self.compute(all);
        }
        self.give(&passed, |at| tree::argument(after, at));
        self.block(after);
        if let Some(last) = tree::operations(after).pop() {
            let next = carried.iter().map(|&(at, own, _)| (own, self.number_of(last, at)));
            let next = next.collect();
            self.compute(next);
            let next =
                (0..last.operand_count()).map(|at| (operand(last, at), tree::argument(before, at)));
            self.pass_data(next, true);
        }
        self.close();
        self.give(&passed, |at| result(operation, at));
    }

    /// A branch: what it chooses are symbols, and a condition that is not plain is computed once.
    fn choice(&mut self, operation: OperationRef<'_, '_>) {
        let conditions = match self.known(operation, 0) {
            Some(Known::Conditions(conditions)) => Some(conditions.clone()),
            Some(Known::Form(form)) => arithmetic::holds(&form.clone()),
            _ => None,
        };
        let most = self.weight();
        let is_plain = |conditions: &[Condition]| {
            let weight: usize = conditions.iter().map(|(form, _)| form.weight()).sum();
            weight <= most && conditions.iter().all(|(form, _)| !is_computed(form))
        };
        let plain = conditions
            .as_ref()
            .filter(|all| is_plain(all))
            .and_then(|all| Some((all.clone(), arithmetic::negation(all)?)));
        let (then, otherwise) = plain.unwrap_or_else(|| {
            let own = self.fresh();
            let number = conditions.map_or(Number::Unknown, Number::All);
            self.compute(vec![(own, number)]);
            let form = IndexForm::symbol(own, None, None).unwrap_or(IndexForm::constant(0));
            let holds = form.scale(-1).unwrap_or(IndexForm::constant(0));
            (vec![(holds, 0)], vec![(form, 1)])
        });
        self.used(operation, 0..1);
        let mut chosen = Vec::new();
        for at in 0..operation.result_count() {
            let Some(bits) = arithmetic::width(result(operation, at).r#type()) else { continue };
            let own = self.fresh();
            chosen.push((at, own, bits));
        }
        for (at, conditions) in [(0, then), (1, otherwise)] {
            let Ok(region) = operation.region(at) else { continue };
            let Some(body) = region.first_block() else { continue };
            let length = self.around.len();
            self.around.extend(conditions);
            self.block(body);
            let last = tree::operations(body).pop();
            if let Some(last) = last {
                let each = 0..operation.result_count().min(last.operand_count());
                let pairs = each.map(|at| (operand(last, at), result(operation, at)));
                self.pass_data(pairs, false);
            }
            if let Some(last) = last.filter(|_| !chosen.is_empty()) {
                let all = chosen.iter().map(|&(at, own, _)| (own, self.number_of(last, at)));
                let all = all.collect();
                self.compute(all);
            }
            self.around.truncate(length);
        }
        self.give(&chosen, |at| result(operation, at));
    }

    /// A function that is called is read in its place; whether it is.
    fn inlined(&mut self, operation: OperationRef<'_, '_>) -> bool {
        let name = operation.attribute("callee").map(|callee| callee.to_string());
        let name = name.unwrap_or_default();
        let Some(callee) = launch::callee(operation, name.trim_start_matches('@')) else {
            return false;
        };
        let Some(body) = tree::entry(callee) else { return false };
        let calls = self.follow.as_ref().map_or(0, |follow| follow.calls);
        if calls >= CALLS || body.next_in_region().is_some() {
            return false;
        }
        let given: Vec<Option<Known>> =
            (0..operation.operand_count()).map(|at| self.known(operation, at).cloned()).collect();
        self.forget_inside(callee);
        for (at, known) in given.into_iter().enumerate().take(body.argument_count()) {
            let argument = tree::argument(body, at);
            self.forget(argument);
            if let Some(known) = known {
                self.know(argument, known);
            }
        }
        if let Some(follow) = &mut self.follow {
            follow.calls += 1;
        }
        let given = 0..operation.operand_count().min(body.argument_count());
        let given = given.map(|at| (operand(operation, at), tree::argument(body, at)));
        self.pass_data(given, false);
        self.block(body);
        if let Some(follow) = &mut self.follow {
            follow.calls -= 1;
            follow.inlined = address(operation);
        }
        if let Some(last) = tree::operations(body).pop() {
            let returned = 0..operation.result_count().min(last.operand_count());
            let returned = returned.map(|at| (operand(last, at), result(operation, at)));
            self.pass_data(returned, false);
            for at in 0..operation.result_count().min(last.operand_count()) {
                let known = self.known(last, at).cloned();
                self.set(operation, at, known);
            }
        }
        true
    }

    /// Forgets what was known of a function's values where it was called before.
    fn forget_inside(&mut self, function: OperationRef<'_, '_>) {
        for inner in tree::all(function) {
            for region in inner.regions() {
                if let Some(block) = region.first_block() {
                    forget(self, block);
                }
            }
            (0..inner.result_count()).for_each(|at| self.forget(result(inner, at)));
        }
    }

    /// The number of a block in its cluster, whose blocks are neighbours along x.
    fn rank(&mut self, operation: OperationRef<'_, '_>) {
        const BLOCK: u32 = 3;
        let cluster = self.trace.launch.cluster;
        let along_x = launch::axis(operation).is_none_or(|axis| axis == 0);
        let extent = self.trace.extents.get(BLOCK as usize).copied().flatten();
        let block = IndexForm::symbol(BLOCK, Some(0), extent);
        let rank = match along_x {
            true => block.and_then(|block| block.modulo(cluster)),
            false => Some(IndexForm::constant(0)),
        };
        self.set(operation, 0, rank.map(Known::Form));
    }

    fn shuffle(&mut self, operation: OperationRef<'_, '_>) {
        let width = self.form(operation, 2);
        // The lanes of a segment wait for each other; see `takes_part_alone` in the lowering.
        let width = width.as_ref().and_then(IndexForm::as_constant);
        if let Some(width) = width.filter(|&width| (2..=WARP).contains(&width)) {
            self.collective(operation, width);
        }
        let number = match (self.form(operation, 0), self.lane(operation)) {
            (Some(value), Some((mode, number, width))) => {
                Number::Lane { value, mode, number, width }
            }
            _ => Number::Unknown,
        };
        self.computed(result(operation, 0), number);
    }

    /// Which lane a shuffle reads: how it is computed, from which number and width.
    pub(super) fn lane(
        &self,
        operation: OperationRef<'_, '_>,
    ) -> Option<(Lane, IndexForm, IndexForm)> {
        let mode = operation.attribute("mode").map(|mode| mode.to_string()).unwrap_or_default();
        let modes = [("idx", Lane::At), ("xor", Lane::Xor), ("up", Lane::Up), ("down", Lane::Down)];
        let mode = modes.iter().find(|(name, _)| mode.contains(&format!(" {name}>")));
        Some((mode?.1, self.form(operation, 1)?, self.form(operation, 2)?))
    }

    fn lanes(&mut self, operation: OperationRef<'_, '_>) {
        let value = result(operation, 0);
        self.collective(operation, WARP);
        let Some(bits) = arithmetic::width(value.r#type()) else { return };
        let name = operation.attribute("op").map(|op| op.to_string()).unwrap_or_default();
        let name = name.rsplit(' ').next().unwrap_or("").trim_end_matches('>').to_owned();
        let count = number(operation, "cluster_size").unwrap_or(32);
        let stride = number(operation, "cluster_stride").unwrap_or(1);
        let number = match self.form(operation, 0) {
            Some(value) => Number::Lanes { value, name, bits, count, stride },
            None => Number::Unknown,
        };
        self.computed(value, number);
    }

    fn allocated(&mut self, operation: OperationRef<'_, '_>) -> bool {
        let own = address(operation);
        let Some(follow) = &self.follow else { return false };
        match follow.buffers.get(&own).cloned() {
            Some(known) => self.set(operation, 0, Some(known)),
            None => {
                self.read(operation, tree::name(operation));
                let known = self.known_of(result(operation, 0)).cloned();
                if let (Some(follow), Some(known)) = (&mut self.follow, known) {
                    follow.buffers.insert(own, known);
                }
            }
        }
        true
    }

    /// An atomic update of an element, also of a partly static view.
    pub(super) fn atomic(&mut self, operation: OperationRef<'_, '_>) {
        let point = self.point(operation, 1, 2);
        let point = point.or_else(|| Self::single(self.moved_by(operation, 1)?));
        let count = self.trace.events.len();
        self.elements(operation, None, point, None);
        let kind = operation.attribute("kind").ok().and_then(tree::text);
        let combines = kind.is_some_and(|kind| kind != "exchange");
        for event in &mut self.trace.events[count..] {
            if let Event::Copy(copy) = event {
                (copy.atomic, copy.combines) = (true, combines);
            }
        }
    }

    /// A predicate whose limit is computed: coordinates less the limit are below 0.
    pub(super) fn below(&self, view: View, limit: Val<'_>) -> Option<(View, i64)> {
        self.follow.as_ref()?;
        let Some(Known::Form(limit)) = self.known_of(limit) else { return None };
        let base = view.outer.is_nothing().then(|| view.base.minus(limit))??;
        Some((View { base, ..view }, 0))
    }
}

/// An integer of an attribute.
pub(super) fn number(operation: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    let value = IntegerAttribute::try_from(operation.attribute(name).ok()?).ok()?;
    Some(value.value())
}
