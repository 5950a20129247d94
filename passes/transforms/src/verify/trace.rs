//! What a function does to memory: accesses with their addresses as functions of thread and block
//! ids and of loop counters.
//!
//! A trace holds nothing of MLIR's, so that the one from before a pass can be compared with the one
//! after it. It is read from layout operations and from what they are lowered to alike; what is not
//! understood becomes an event of its own, and is never passed over.

use super::{
    arithmetic,
    given::{Given, integers, parameter_form},
    handed::{self, CARRIED, Handed},
    partly::{self, Memref, Partly},
    view::View,
};
use crate::pointers;
use layout_dialect::{
    atoms::CopyKind,
    build::{operand, result},
    ops::PipelineFacts,
    tree,
};
use layout_relation::IndexForm;
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, RegionLike, Value, ValueLike,
    attribute::{
        DenseI32ArrayAttribute, DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute,
        StringAttribute,
    },
    operation::OperationLike,
};
use std::collections::HashMap;

/// Symbols 0 to 2 are the thread's id, 3 to 5 the block's, this one the block's number in its cluster,
/// those behind it count loops.
const RANK: u32 = 6;
const LOOPS: u32 = RANK + 1;

/// From this symbol on, integers that the function is given, in the order of its arguments; what
/// stands for a layout or view that is known in part is counted as it is handed on.
pub(super) const PARAMETERS: u32 = 1 << 20;

/// What a GPU has at most, along each dimension: threads of a block, blocks, blocks of a cluster.
const MOST: [i64; 7] = [1024, 1024, 64, i32::MAX as i64, 65535, 65535, 16];

/// What orders accesses.
const BARRIERS: [&str; 6] = [
    "gpu.barrier",
    "nvvm.barrier",
    "nvvm.cp.async.commit.group",
    "nvvm.cp.async.wait.group",
    "nvvm.cp.async.bulk.commit.group",
    "nvvm.cp.async.bulk.wait_group",
];

/// `form < limit`.
pub(super) type Condition = (IndexForm, i64);

/// Memory that an access is to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    /// What an argument of the function points to.
    Argument(usize),
    /// A buffer in shared memory, or on the host, by its number.
    Buffer(usize),
    /// The shared memory of a block as a whole.
    Shared,
    /// Registers, which have no addresses: which allocation, by its number among the buffers.
    Register(usize),
    /// None: an `iota`.
    Nothing,
}

/// One instruction's access.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) root: Root,
    pub(super) kind: Kind,
    /// In bytes.
    pub(super) address: IndexForm,
    pub(super) bytes: i64,
    pub(super) guards: Vec<Condition>,
    /// Conditions that hold where coordinates are in range; elsewhere the access means nothing.
    pub(super) domain: Vec<Condition>,
    /// The number that is stored, where it is index arithmetic.
    pub(super) value: Option<IndexForm>,
}

/// What an access does. Those of matrices give the address of a row each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Load,
    Store,
    LoadMatrix,
    StoreMatrix,
}

/// A `layout.copy`, or a fill, load or store of elements.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    /// None for a fill or a store.
    pub(super) source: Option<View>,
    /// None for a load.
    pub(super) target: Option<View>,
    pub(super) guards: Vec<(View, i64)>,
    pub(super) kind: CopyKind,
    /// The number that is stored, where it is index arithmetic.
    pub(super) value: Option<IndexForm>,
    /// Elements of an instruction.
    pub(super) run: i64,
    /// Conditions around it.
    pub(super) around: Vec<Condition>,
    /// Counters of the loops around it.
    pub(super) loops: Vec<u32>,
    /// How many of the block's threads get there, where it is not all.
    pub(super) threads: Option<i64>,
    /// The mode of a cluster along which all blocks load the same.
    pub(super) multicast: Option<i64>,
    /// Where it stands.
    pub(super) place: String,
}

/// What a kernel's facts say of a tensor map, the contiguous dimension first.
#[derive(Clone, Debug)]
pub(super) struct TensorMap {
    pub(super) argument: usize,
    pub(super) extents: Vec<i64>,
    /// In bytes.
    pub(super) strides: Vec<i64>,
    pub(super) r#box: Vec<i64>,
    /// Bytes of a swizzled row; 0 for none.
    pub(super) swizzle: i64,
}

/// What ends the name of a product whose sums are formed apart.
pub(super) const PROMOTES: &str = " promote";

/// What ends the name of a product in a loop or branch of a pipeline's step, which is waited for there.
pub(super) const INSIDE: &str = " inside";

/// A point of a pipeline: what its loading thread and its consumers tell each other there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// The pipeline begins.
    Begin(PipelineFacts),
    /// What follows is what consumers do.
    Consume,
    /// The team of a tile, counted in the block, may issue its products: those of the tile before were.
    Turn(IndexForm),
    /// A step's bytes have arrived.
    Full(IndexForm),
    /// A step was read, which is the tile's number `k`: the stage of the one before may be written.
    Read(IndexForm, IndexForm),
    /// All products of a tile, counted in the block, were issued.
    Issued(IndexForm),
    /// The tile's last step was read too.
    Last(IndexForm),
    /// What follows is what the loading thread does.
    Produce,
    /// A step's stage may be written.
    Empty(IndexForm),
    /// The step before in a step's stage was read, where no more are loaded.
    Drained(IndexForm),
    /// The pipeline ends.
    End,
}

/// An instruction that is compared as it is: its name, what its attributes say, and its operands.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    /// Of integers and pointers; what else is in registers is not looked at.
    pub(super) operands: Vec<Option<(Root, IndexForm)>>,
    /// Conditions around it.
    pub(super) guards: Vec<Condition>,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Copy(Box<Copy>),
    Access(Access),
    /// A barrier, or a group of copies that begins or is waited for.
    Sync(String),
    /// A loop's bounds and step.
    Open([IndexForm; 3]),
    Close,
    /// An instruction on barriers, descriptors or registers of other threads.
    Instruction(Box<Instruction>),
    /// A point of a pipeline, and the conditions around it.
    Point(Point, Vec<Condition>),
    /// Views that an operation takes as wholes, and the operation.
    Views(String, Vec<View>),
    /// What loops, branches, calls and returns hand on.
    Handed(String, Vec<Handed>),
    /// Something with addresses that are not modelled, and what.
    Unmodelled(String),
}

/// What a function does to memory, in order.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// `gpu.func` or `func.func`.
    pub(super) function: String,
    pub(super) name: String,
    pub(super) events: Vec<Event>,
    /// How many values each symbol has, from 0.
    pub(super) extents: Vec<Option<i64>>,
    /// The views of its arguments.
    pub(super) arguments: Vec<Option<View>>,
    /// Bounds of the memory behind its arguments, in bytes, where they are known: from the first on,
    /// below the second.
    pub(super) reaches: Vec<Option<(i64, i64)>>,
    /// Bytes that the addresses of its arguments are multiples of.
    pub(super) alignments: Vec<i64>,
    /// Bytes of its buffers.
    pub(super) buffers: Vec<i64>,
    /// Its tensor maps, which are its last arguments.
    pub(super) maps: Vec<TensorMap>,
    /// Its matmuls: the numbers of the arguments that they multiply, and the result's.
    pub(super) matmuls: Vec<Option<[usize; 3]>>,
    /// Conditions that hold where coordinates are in range of which numbers are computed always; others
    /// mean nothing.
    pub(super) domain: Vec<Condition>,
    /// What it is given.
    pub(super) given: Given,
    /// The function as text, where something in it is not understood.
    pub(super) text: Option<String>,
    /// Whether what counts without bounds wraps around as well.
    pub(super) exact: bool,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Form(IndexForm),
    View(View),
    Pointer(Root, IndexForm),
    /// A view of a layout that is known in part.
    Partly(Partly),
    /// The integers that a layout or a tuple leaves open.
    Integers(Vec<IndexForm>),
    /// A memref that the function is given.
    Memref(Memref),
    Conditions(Vec<Condition>),
    /// What was in registers, which is not looked at.
    Data,
    /// A number where the conditions hold, and 0 elsewhere.
    Choice(Vec<Condition>, IndexForm),
}

/// Reads a function.
pub(super) struct Reader {
    pub(super) trace: Trace,
    values: HashMap<usize, Known>,
    pub(super) around: Vec<Condition>,
    /// Conditions around that are not understood.
    unknown: usize,
    pub(super) loops: Vec<u32>,
    pub(super) threads: Option<i64>,
    /// Whether the extents are those of a launch that is known.
    launched: bool,
    /// What was given, and is said of symbols, before a pass.
    before: Option<Given>,
    /// The next symbol of what is carried.
    pub(super) carried: u32,
}

impl Trace {
    /// How many values a symbol has, from 0.
    pub(super) fn extent(&self, symbol: u32) -> Option<i64> {
        self.extents.get(symbol as usize).copied().flatten()
    }

    /// The trace of a function of `func` or `gpu`; of one that a pass has been over, with what it was
    /// given before.
    pub(super) fn of(function: OperationRef<'_, '_>, before: Option<&Given>, exact: bool) -> Self {
        let trace = Self {
            function: tree::name(function),
            name: symbol_of(function),
            events: Vec::new(),
            extents: extents(function),
            arguments: Vec::new(),
            reaches: Vec::new(),
            alignments: Vec::new(),
            buffers: Vec::new(),
            maps: maps(function).unwrap_or_default(),
            matmuls: Vec::new(),
            domain: Vec::new(),
            given: Given::default(),
            text: None,
            exact,
        };
        let mut reader = Reader {
            trace,
            values: HashMap::new(),
            around: Vec::new(),
            unknown: 0,
            loops: Vec::new(),
            threads: None,
            launched: launch(function).is_some(),
            before: before.cloned(),
            carried: CARRIED,
        };
        reader.function(function);
        let mut trace = reader.trace;
        if trace.events.iter().any(|event| matches!(event, Event::Unmodelled(_))) {
            trace.text = Some(function.to_string());
        }
        trace
    }
}

/// The name of a function.
pub(super) fn symbol_of(function: OperationRef<'_, '_>) -> String {
    function
        .attribute("sym_name")
        .ok()
        .and_then(|name| StringAttribute::try_from(name).ok())
        .map_or_else(String::new, |name| name.value().to_owned())
}

/// What a kernel says of its launch.
fn launch<'c>(function: OperationRef<'c, '_>) -> Option<melior::ir::Attribute<'c>> {
    function.attribute("layout.kernel").or_else(|_| function.attribute("layout.step")).ok()
}

/// The extents of thread and block ids: what the kernel's attributes say, else what a GPU has.
fn extents(function: OperationRef<'_, '_>) -> Vec<Option<i64>> {
    let mut extents: Vec<Option<i64>> = MOST.iter().copied().map(Some).collect();
    if let Ok(known) = function.attribute("known_block_size")
        && let Ok(known) = DenseI32ArrayAttribute::try_from(known)
    {
        for (at, extent) in extents.iter_mut().take(3).enumerate() {
            *extent = known.element(at).ok().map(i64::from).or(*extent);
        }
    }
    if let Some(facts) = launch(function)
        && let Ok(facts) = DictionaryAttribute::try_from(facts)
    {
        for (first, name) in [(0, "block"), (3, "grid")] {
            let list = facts.element_by_name(name);
            if let Some(Ok(list)) = list.map(DenseI64ArrayAttribute::try_from) {
                for at in 0..3 {
                    extents[first + at] = list.element(at).ok().or(extents[first + at]);
                }
            }
        }
    }
    extents
}

/// The tensor maps of a kernel's facts.
fn maps(function: OperationRef<'_, '_>) -> Option<Vec<TensorMap>> {
    let facts = DictionaryAttribute::try_from(launch(function)?).ok()?;
    let list = tree::elements(facts.element_by_name("tensor_maps")?)?;
    let read = |map: Attribute<'_>| -> Option<TensorMap> {
        let map = DictionaryAttribute::try_from(map).ok()?;
        let number = |name| {
            let number = IntegerAttribute::try_from(map.element_by_name(name)?).ok()?;
            Some(number.value())
        };
        let numbers = |name| -> Option<Vec<i64>> {
            let all = DenseI64ArrayAttribute::try_from(map.element_by_name(name)?).ok()?;
            (0..all.len()).map(|at| all.element(at).ok()).collect()
        };
        Some(TensorMap {
            argument: usize::try_from(number("arg")?).ok()?,
            extents: numbers("extents")?,
            strides: numbers("strides")?,
            r#box: numbers("box")?,
            swizzle: number("swizzle")?,
        })
    };
    list.into_iter().map(read).collect()
}

/// Which of x, y and z an operation asks about.
fn axis(operation: OperationRef<'_, '_>) -> Option<usize> {
    let dimension = operation.attribute("dimension").ok()?.to_string();
    ["x", "y", "z"].iter().position(|axis| dimension.contains(&format!("dim {axis}")))
}

impl Reader {
    fn function(&mut self, function: OperationRef<'_, '_>) {
        let Ok(region) = function.region(0) else { return };
        let Some(entry) = region.first_block() else { return };
        let host = self.trace.function == "func.func";
        let own = Given::of(entry, host);
        let mut parameter = PARAMETERS;
        for at in 0..entry.argument_count() {
            let argument = tree::argument(entry, at);
            let r#type = argument.r#type();
            let before = self.before.as_ref();
            let root = Root::Argument(before.map_or(at, |before| before.argument(at, &own)));
            let form = |number: u32| before.unwrap_or(&own).forms.get(&number).cloned();
            let mut view = View::whole(r#type, root.clone());
            if let Some(view) = view.as_mut().filter(|_| partly::own_offset(r#type, host) > 0) {
                view.base = IndexForm::factor(parameter, None, None);
            }
            let count = integers(r#type, host);
            let known = if let Some(view) = &view {
                Some(Known::View(view.clone()))
            } else if partly::is_open(r#type) {
                let own = partly::own_offset(r#type, host);
                let all =
                    (parameter.saturating_add(own)..parameter.saturating_add(count)).map(form);
                let own = (own > 0).then(|| IndexForm::factor(parameter, None, None));
                all.collect::<Option<_>>().and_then(|all| partly::argument(r#type, root, own, all))
            } else if r#type.to_string().starts_with("!llvm.ptr") {
                Some(Known::Pointer(root, IndexForm::constant(0)))
            } else if let Some(bits) = arithmetic::width(r#type) {
                let known = form(parameter).or_else(|| parameter_form(parameter, bits));
                match bits {
                    1 => known.and_then(|form| arithmetic::holds(&form)).map(Known::Conditions),
                    _ => known.map(Known::Form),
                }
            } else {
                let rank = count.saturating_sub(1) / 2;
                let memref = Memref { root, first: parameter, rank };
                (count > 0).then_some(Known::Memref(memref))
            };
            parameter = parameter.saturating_add(count);
            self.trace.reaches.push(match &view {
                Some(view) => view.reach_in_bytes(),
                None => partly::reach(r#type),
            });
            let alignment = pointers::alignment(argument);
            self.trace.alignments.push(alignment);
            self.trace.arguments.push(view);
            if let Some(known) = known {
                self.values.insert(tree::key(argument), known);
            }
        }
        self.trace.given = own;
        // A pass may come behind one that took types away: what these said is told on.
        for (number, form) in self.before.iter().flat_map(|before| &before.forms) {
            self.trace.given.forms.entry(*number).or_insert_with(|| form.clone());
        }
        self.blocks(entry);
    }

    pub(super) fn block(&mut self, block: BlockRef<'_, '_>) {
        for operation in tree::operations(block) {
            self.operation(operation);
        }
    }

    pub(super) fn event(&mut self, event: Event) {
        let accesses = matches!(event, Event::Copy(_) | Event::Access(_) | Event::Instruction(_));
        if accesses && self.unknown > 0 {
            self.unmodelled("an access under a condition that is no comparison");
        } else {
            self.trace.events.push(event);
        }
    }

    pub(super) fn unmodelled(&mut self, what: &str) {
        self.trace.events.push(Event::Unmodelled(what.to_owned()));
    }

    /// Which operation on the way to some operands is not followed, in words.
    pub(super) fn missing(
        &self,
        operation: OperationRef<'_, '_>,
        operands: impl Iterator<Item = usize>,
    ) -> String {
        // Data is not looked for.
        let unknown = |value: &Value<'_, '_>| {
            let r#type = value.r#type();
            self.known_of(*value).is_none() && !layout_dialect::types::is_float(r#type)
        };
        let mut values = operands.map(|at| operand(operation, at));
        let Some(mut value) = values.find(unknown) else {
            return format!("the coordinate or layout of {}", tree::name(operation));
        };
        // Definitions stand before their uses, so that this comes to an end.
        while let Some(definition) = tree::definition(value) {
            let mut operands = (0..definition.operand_count()).map(|at| operand(definition, at));
            match operands.find(unknown) {
                Some(next) => value = next,
                None => return format!("what {} gives", tree::name(definition)),
            }
        }
        format!("an argument of type {}", value.r#type())
    }

    pub(super) fn set(&mut self, operation: OperationRef<'_, '_>, at: usize, known: Option<Known>) {
        if let Some(known) = known {
            self.values.insert(tree::key(result(operation, at)), known);
        }
    }

    /// Notes what is known of a value.
    pub(super) fn know(&mut self, value: Value<'_, '_>, known: Known) {
        self.values.insert(value.to_raw().ptr as usize, known);
    }

    pub(super) fn known_of(&self, value: Value<'_, '_>) -> Option<&Known> {
        self.values.get(&(value.to_raw().ptr as usize))
    }

    /// What was said of a symbol before a pass.
    pub(super) fn given(&self, symbol: u32) -> Option<IndexForm> {
        self.before.as_ref()?.forms.get(&symbol).cloned()
    }

    pub(super) fn known(&self, operation: OperationRef<'_, '_>, at: usize) -> Option<&Known> {
        self.values.get(&tree::key(operand(operation, at)))
    }

    pub(super) fn form(&self, operation: OperationRef<'_, '_>, at: usize) -> Option<IndexForm> {
        match self.known(operation, at)? {
            Known::Form(form) => Some(form.clone()),
            Known::Conditions(conditions) => arithmetic::indicator(conditions),
            Known::Choice(conditions, form) => {
                arithmetic::indicator(conditions)?.choose(form, &IndexForm::constant(0))
            }
            _ => None,
        }
    }

    /// How many values a symbol has, from 0.
    pub(super) fn extent(&self, symbol: u32) -> Option<i64> {
        self.trace.extent(symbol)
    }

    pub(super) fn view(&self, operation: OperationRef<'_, '_>, at: usize) -> Option<View> {
        match self.known(operation, at)? {
            Known::View(view) => Some(view.clone()),
            _ => None,
        }
    }

    pub(super) fn operation(&mut self, operation: OperationRef<'_, '_>) {
        let name = tree::name(operation);
        match name.as_str() {
            "gpu.thread_id" => self.id(operation, 0),
            "gpu.block_id" => self.id(operation, 3),
            "nvvm.read.ptx.sreg.cluster.ctarank" => {
                let extent = self.trace.extents.get(RANK as usize).copied().flatten();
                let rank = IndexForm::symbol(RANK, Some(0), extent);
                self.set(operation, 0, rank.map(Known::Form));
            }
            "gpu.block_dim" => self.dimension(operation, 0),
            "gpu.grid_dim" => self.dimension(operation, 3),
            "scf.for" => self.r#loop(operation),
            "scf.if" => self.branch(operation),
            "func.return" | "func.call" => {
                let operands = 0..operation.operand_count();
                self.hand_on(operation, name, operands);
            }
            _ if BARRIERS.contains(&name.as_str()) => self.event(Event::Sync(name)),
            _ if name.starts_with("arith.") => self.arithmetic(operation, &name),
            _ if name.starts_with("layout.") => self.layout_operation(operation, &name),
            _ => self.memory_operation(operation, &name),
        }
    }

    fn id(&mut self, operation: OperationRef<'_, '_>, first: u32) {
        let Some(at) = axis(operation).and_then(|at| u32::try_from(at).ok()) else { return };
        let symbol = first + at;
        let extent = self.trace.extents.get(symbol as usize).copied().flatten();
        self.set(operation, 0, IndexForm::symbol(symbol, Some(0), extent).map(Known::Form));
    }

    /// The thread's number along the first dimension.
    pub(super) fn thread(&self) -> Option<IndexForm> {
        let extent = self.trace.extents.first().copied().flatten();
        IndexForm::symbol(0, Some(0), extent)
    }

    /// How many threads or blocks there are, where the kernel's facts say it.
    fn dimension(&mut self, operation: OperationRef<'_, '_>, first: usize) {
        if !self.launched {
            return;
        }
        let at = axis(operation);
        let extent = at.and_then(|at| self.trace.extents.get(first + at).copied().flatten());
        self.set(operation, 0, extent.map(|extent| Known::Form(IndexForm::constant(extent))));
    }

    /// A new counter of a loop; `None` where the number of rounds is not known.
    pub(super) fn counter(&mut self, rounds: Option<i64>) -> (u32, Option<IndexForm>) {
        let symbol = u32::try_from(self.trace.extents.len()).unwrap_or(u32::MAX).max(LOOPS);
        self.trace.extents.push(rounds);
        (symbol, IndexForm::symbol(symbol, Some(0), rounds))
    }

    /// Which round the innermost loop is in.
    pub(super) fn round(&self) -> Option<IndexForm> {
        let symbol = *self.loops.last()?;
        let rounds = self.trace.extents.get(symbol as usize).copied().flatten();
        IndexForm::symbol(symbol, Some(0), rounds)
    }

    /// Opens a loop, and gives its counter's value: `from + step * round`.
    pub(super) fn open(&mut self, bounds: [Option<IndexForm>; 3]) -> Option<IndexForm> {
        let [Some(from), Some(to), Some(step)] = bounds else {
            self.unmodelled("a loop whose bounds are not known");
            let (symbol, _) = self.counter(None);
            self.loops.push(symbol);
            return None;
        };
        let by = step.as_constant().filter(|&by| by > 0);
        let known = by.zip(from.range().0).zip(to.range().1);
        // From the least start on: rounds past the end are cut off by a condition.
        let rounds = known.map(|((by, from), to)| {
            let span = to.saturating_sub(from).max(0);
            span / by + i64::from(span % by != 0)
        });
        let (symbol, round) = self.counter(rounds);
        self.loops.push(symbol);
        let value = round.and_then(|round| round.scale(by?)?.plus(&from));
        // In a round the value is below the end, which may be no number.
        let left = value.as_ref().and_then(|value| value.minus(&to)).filter(|_| rounds.is_some());
        if let Some(left) = left
            && !matches!(left.below(0), Some(None))
        {
            self.around.push((left, 0));
        } else {
            // Something to take away again.
            self.around.push((IndexForm::constant(0), 1));
        }
        self.event(Event::Open([from, to, step]));
        value
    }

    pub(super) fn close(&mut self) {
        self.loops.pop();
        self.around.pop();
        self.event(Event::Close);
    }

    fn r#loop(&mut self, operation: OperationRef<'_, '_>) {
        let bounds = [0, 1, 2].map(|at| self.form(operation, at));
        let understood = bounds.iter().all(Option::is_some);
        let value = self.open(bounds);
        let Some(body) = tree::entry(operation) else { return };
        if let Some(value) = value {
            self.values.insert(tree::key(tree::argument(body, 0)), Known::Form(value));
        }
        let (mut carried, mut sums) = (Vec::new(), HashMap::new());
        for at in 3..operation.operand_count() {
            let root = self.root_of(operand(operation, at));
            if self.carry(tree::argument(body, at - 2), root, false) {
                carried.push(at);
                continue;
            }
            let sum = self.sum(operation, body, at);
            // What grows by another number in each round; a sum of data is data.
            let step = handed::step_of(operation, body, at);
            if sum.is_none() && step.is_some_and(|step| self.is_number(step, 0)) {
                self.carry(tree::argument(body, at - 2), None, true);
                carried.push(at);
                continue;
            }
            let left = sum.as_ref().and_then(|sum| self.sums_up(operation, body, at, sum));
            sums.extend(left.map(|left| (at, left)));
            self.bind(body, at - 2, sum);
        }
        if !carried.is_empty() {
            self.hand_on(operation, "scf.for".to_owned(), carried.iter().copied());
        }
        self.block(body);
        let yielded: Vec<usize> = carried.iter().map(|at| at - 3).collect();
        self.carry_on(body, &yielded);
        if understood {
            self.close();
        } else {
            self.loops.pop();
        }
        for at in 0..operation.result_count() {
            let root = self.root_of(operand(operation, at + 3));
            self.leave(result(operation, at), root, sums.get(&(at + 3)).copied());
        }
    }

    fn branch(&mut self, operation: OperationRef<'_, '_>) {
        let conditions = match self.known(operation, 0) {
            Some(Known::Conditions(conditions)) => Some(conditions.clone()),
            _ => None,
        };
        let length = self.around.len();
        let known = conditions.is_some();
        let opposite = conditions.as_deref().and_then(arithmetic::negation);
        self.around.extend(conditions.unwrap_or_default());
        self.unknown += usize::from(!known);
        if let Some(body) = tree::entry(operation) {
            self.block(body);
        }
        self.around.truncate(length);
        self.unknown -= usize::from(!known);
        let unknown = usize::from(opposite.is_none());
        self.unknown += unknown;
        self.around.extend(opposite.unwrap_or_default());
        if let Ok(other) = operation.region(1)
            && let Some(body) = other.first_block()
        {
            self.block(body);
        }
        self.around.truncate(length);
        self.unknown -= unknown;
    }

    pub(super) fn bind(&mut self, block: BlockRef<'_, '_>, at: usize, form: Option<IndexForm>) {
        if let Some(form) = form {
            self.values.insert(tree::key(tree::argument(block, at)), Known::Form(form));
        }
    }

    pub(super) fn pointer(
        &self,
        operation: OperationRef<'_, '_>,
        at: usize,
    ) -> Option<(Root, IndexForm)> {
        match self.known(operation, at)? {
            Known::Pointer(root, form) => Some((root.clone(), form.clone())),
            _ => None,
        }
    }
}
