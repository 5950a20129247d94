//! The trace of a function: accesses to memory with their addresses as functions of thread and block
//! ids and of loop counters.
//!
//! A trace holds nothing of MLIR's, so that the one from before a pass can be compared with the one
//! after it. It is read from layout operations and from what they are lowered to alike; what is not
//! understood becomes an event of its own, and is never passed over.

pub(super) use super::tensor_maps::TensorMap;
use super::{
    argument_facts::{ArgumentFacts, integers, parameter_form},
    arithmetic, block_memory,
    carried_values::{CARRIED, CarriedValue},
    dynamic_views::{self, DynamicView, Memref},
    follow::{Follow, Step},
    kernel_sizes::Sample,
    launch::{self, Launch},
    matrices::MatrixRows,
    sizes::{self, DynamicLayout, Sizes},
    tensor_maps::maps,
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
    BlockLike, BlockRef, OperationRef, RegionLike, Value, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Symbols 0 to 2 are the thread's id, 3 to 5 the block's, this one the block's number in its cluster,
/// those after it count loops.
const RANK: u32 = 6;
pub(super) const LOOPS: u32 = RANK + 1;

/// From this symbol on, integers that the function is given, in the order of its arguments; what
/// stands for a layout or view that is partly static is counted as it is passed on.
pub(super) const PARAMETERS: u32 = 1 << 20;

/// Flags that a value is noted to depend on.
const FLAGS: usize = 16;

/// The operations that order accesses.
const BARRIERS: [&str; 7] = [
    "gpu.barrier",
    "nvvm.barrier",
    "nvvm.barrier.arrive",
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
    /// The memory that an argument of the function points to.
    Argument(usize),
    /// A buffer in shared memory, or on the host, by its number.
    Buffer(usize),
    /// The shared memory of a block as a whole.
    Shared,
    /// Registers, which have no addresses: which allocation, by its number among the buffers.
    Register(usize),
    /// None: an identity tensor.
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
    pub(super) predicates: Vec<Condition>,
    /// Conditions that hold where coordinates are in range; elsewhere the access means nothing.
    pub(super) domain: Vec<Condition>,
    /// The number that is stored, where it is index arithmetic.
    pub(super) value: Option<IndexForm>,
    /// How lanes hold the row of a matrix.
    pub(super) rows: Option<MatrixRows>,
    /// The operation, by its address; 0 of none.
    pub(super) operation: usize,
}

/// The claim of an operation inside a function about an integer.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) form: IndexForm,
    /// The least and the greatest value, and what divides it.
    pub(super) range: (i64, i64),
    pub(super) divisor: i64,
    pub(super) around: Vec<Condition>,
    pub(super) operation: usize,
}

impl Claim {
    /// The conditions that its range is.
    fn conditions(&self) -> Vec<Condition> {
        let (least, most) = self.range;
        let below = most.checked_add(1).map(|limit| (self.form.clone(), limit));
        let above = || Some((self.form.scale(-1)?, 1_i64.checked_sub(least)?));
        below.into_iter().chain(above()).collect()
    }
}

/// A coordinate that a place is made of: an index, and the extent of the mode that it is in.
#[derive(Clone, Debug)]
pub(super) struct Coordinate {
    pub(super) index: IndexForm,
    pub(super) extent: i64,
}

/// The address of an operation, which names it as long as nothing changes.
pub(super) fn address(operation: OperationRef<'_, '_>) -> usize {
    operation.to_raw().ptr as usize
}

/// The kind of an access. Those of matrices give the address of a row each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Load,
    Store,
    LoadMatrix,
    StoreMatrix,
    /// An atomic update.
    Update,
    /// The store of an asynchronous copy, of such a program.
    AsyncStore,
}

/// A `layout.copy`, or a fill, load or store of elements.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    /// None for a fill or a store.
    pub(super) source: Option<View>,
    /// None for a load.
    pub(super) target: Option<View>,
    pub(super) predicates: Vec<(View, i64)>,
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
    /// The predicate beyond whose limit a bulk load may leave elements as they were.
    pub(super) no_zfill: Option<usize>,
    /// The barrier that a bulk load completes at, where the program says it.
    pub(super) barrier: Option<View>,
    /// Whether it is an atomic update of its target, and whether that changes what the target holds.
    pub(super) atomic: bool,
    pub(super) combines: bool,
    /// The operation, by its address.
    pub(super) operation: usize,
}

/// A point of a pipeline: what its loading thread and its consumers signal to each other there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// The pipeline begins.
    Begin(PipelineFacts),
    /// The consumers' part follows.
    Consume,
    /// The consumer group of a tile, counted in the block, may issue its MMAs: those of the tile before were.
    Turn(IndexForm),
    /// A step's bytes have arrived.
    Full(IndexForm),
    /// A step was read, which is the tile's number `k`: the stage of the one before may be written.
    Read(IndexForm, IndexForm),
    /// All MMAs of a tile, counted in the block, were issued.
    Issued(IndexForm),
    /// The tile's last step was read too.
    Last(IndexForm),
    /// The producer's part follows.
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
    /// The integers and pointers; other registers are not compared.
    pub(super) operands: Vec<Option<(Root, IndexForm)>>,
    /// Conditions around it.
    pub(super) predicates: Vec<Condition>,
    /// The operation, by its address.
    pub(super) operation: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Copy(Box<Copy>),
    Access(Access),
    /// A barrier, or a group of copies that begins or is waited for.
    /// Under which conditions, its operands, and the operation, by its address.
    Sync(String, Vec<Condition>, Vec<Option<IndexForm>>, usize),
    /// A loop's bounds and step, and the symbol that counts its rounds, or `None` if its counter may wrap
    /// around, so that rounds are not counted.
    Open([IndexForm; 3], Option<u32>),
    Close,
    /// An instruction on barriers, descriptors or registers of other threads.
    Instruction(Box<Instruction>),
    /// A point of a pipeline, and the conditions around it.
    Point(Point, Vec<Condition>),
    /// Views that an operation takes as wholes, the conditions around it, and the operation, by its address.
    Views(String, Vec<View>, Vec<Condition>, usize),
    /// The values that loops, branches, calls and returns pass on.
    PassedOn(String, Vec<CarriedValue>),
    /// A step of a program of threads, which `layout-verify` reads.
    Follow(Box<Step>),
    /// Something with addresses that are not modelled: what it is, and the operation, by its address.
    Unmodelled(String, usize),
}

/// The accesses of a function to memory, in order.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// The function's operation, by its address.
    pub(super) operation: usize,
    /// `gpu.func` or `func.func`.
    pub(super) function: String,
    pub(super) name: String,
    pub(super) events: Vec<Event>,
    /// How many values each symbol has, from 0.
    pub(super) extents: Vec<Option<i64>>,
    /// The views of its arguments.
    pub(super) arguments: Vec<Option<View>>,
    /// Bounds of the memory of its arguments, in bytes, where they are known: from the first on,
    /// below the second.
    pub(super) reaches: Vec<Option<(i64, i64)>>,
    /// Bytes that the addresses of its arguments are multiples of.
    pub(super) alignments: Vec<i64>,
    /// Bytes of its buffers.
    pub(super) buffers: Vec<i64>,
    /// Its tensor maps, which are its last arguments.
    pub(super) maps: Vec<TensorMap>,
    /// Its matmuls: the numbers of the arguments that are A, B, C, and a second B.
    pub(super) matmuls: Vec<Option<Vec<usize>>>,
    /// Conditions that hold where coordinates are in range of which numbers are computed always; others
    /// mean nothing.
    pub(super) domain: Vec<Condition>,
    /// The values that it is given.
    pub(super) given: ArgumentFacts,
    /// The claims of operations inside about integers, which nothing proves: each as a sentence.
    pub(super) claims: Vec<Claim>,
    /// The claims of `nsw` and `nuw` about sums and products: elsewhere these are poison, and an access with them for its
    /// address means nothing.
    pub(super) flags: Vec<Claim>,
    /// Flags of which nothing is known.
    pub(super) unproved: Vec<String>,
    /// Offsets of coordinates in layouts that fit 32 bits: those of coordinates past the end are known modulo 2^32.
    pub(super) words: Vec<IndexForm>,
    /// Whether each identity tensor holds numbers of 32 bits only.
    pub(super) small_numbers: bool,
    /// How many threads a block has, and how many blocks there are, where launches say so.
    pub(super) launch: Launch,
    /// Functions that it calls and that may touch memory, or wait for other threads.
    pub(super) calls: Vec<String>,
    /// The function as text, where something in it is not understood.
    pub(super) text: Option<String>,
    /// Whether what counts without bounds wraps around as well.
    pub(super) exact: bool,
    /// The layouts of its arguments that are known at sizes.
    pub(super) laid: Vec<Option<DynamicLayout>>,
    /// The names of its arguments' dynamic sizes, by their symbols.
    pub(super) names: BTreeMap<u32, String>,
    /// Integers in its arguments, where its facts say something of them at sizes.
    pub(super) samples: BTreeMap<usize, Sample>,
}

/// The known part of a value.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Form(IndexForm),
    View(View),
    Pointer(Root, IndexForm),
    /// A view of a partly static layout.
    Partly(DynamicView),
    /// The integers that a layout or a tuple leaves open.
    Integers(Vec<IndexForm>),
    /// A memref that the function is given.
    Memref(Memref),
    Conditions(Vec<Condition>),
    /// Data in registers, which is not compared.
    Data,
    /// A number where the conditions hold, and 0 elsewhere.
    Choice(Vec<Condition>, IndexForm),
}

/// Reads a function.
pub(super) struct Reader {
    pub(super) trace: Trace,
    pub(super) values: HashMap<usize, Known>,
    pub(super) around: Vec<Condition>,
    /// Conditions around that are not understood.
    pub(super) unknown: usize,
    pub(super) loops: Vec<u32>,
    pub(super) threads: Option<i64>,
    /// Whether the extents are those of a launch that is known.
    launched: bool,
    /// The values that were given before a pass, and the facts of symbols.
    before: Option<ArgumentFacts>,
    /// The next symbol of what is carried.
    pub(super) carried: u32,
    /// Values that are poison where one of these flags does not hold, by their numbers.
    poison: HashMap<usize, BTreeSet<usize>>,
    /// Those of the operation that is read, for the address of an access.
    flagged: BTreeSet<usize>,
    /// Conditions that hold where coordinates are in range of which numbers are computed in the loops and branches around, up
    /// to where it reads.
    pub(super) inside: Vec<Condition>,
    /// The sizes that the function is examined at.
    pub(super) sizes: Option<Sizes>,
    /// The operation that is read, by its address.
    pub(super) reading: usize,
    /// Where the function is read as a program of threads.
    pub(super) follow: Option<Follow>,
}

impl Trace {
    /// How many values a symbol has, from 0.
    pub(super) fn extent(&self, symbol: u32) -> Option<i64> {
        self.extents.get(symbol as usize).copied().flatten()
    }

    /// The trace of a function before anything of it is read.
    pub(super) fn begun(
        function: OperationRef<'_, '_>,
        before: Option<&ArgumentFacts>,
        exact: bool,
    ) -> Self {
        let own = Launch::of(function);
        // The launch is as it was before the pass: claims of the pass about it are not trusted.
        let extents = match before.and_then(|before| before.launch.as_ref()) {
            Some((kind, launch)) if *kind == tree::name(function) => launch.extents.clone(),
            _ => own.extents.clone(),
        };
        Self {
            operation: address(function),
            names: sizes::named_integers(function).unwrap_or_default(),
            function: tree::name(function),
            name: symbol_of(function),
            events: Vec::new(),
            extents: extents.clone(),
            arguments: Vec::new(),
            reaches: Vec::new(),
            alignments: Vec::new(),
            buffers: Vec::new(),
            maps: maps(function).unwrap_or_default(),
            matmuls: Vec::new(),
            domain: Vec::new(),
            given: ArgumentFacts::default(),
            claims: Vec::new(),
            flags: Vec::new(),
            unproved: Vec::new(),
            words: Vec::new(),
            small_numbers: true,
            launch: own,
            calls: Vec::new(),
            text: None,
            exact,
            laid: Vec::new(),
            samples: BTreeMap::new(),
        }
    }

    /// The trace of a function of `func` or `gpu`; of one that a pass has been over, with what it was
    /// given before.
    pub(super) fn of(
        function: OperationRef<'_, '_>,
        before: Option<&ArgumentFacts>,
        exact: bool,
    ) -> Self {
        let begun = Self::begun(function, before, exact);
        Self::read(function, begun, before, None, None)
    }

    /// The function as a program of threads, at some sizes or all, or `None` if these do not say its blocks.
    pub(super) fn followed(function: OperationRef<'_, '_>, sizes: Option<&Sizes>) -> Option<Self> {
        let mut begun = Self::begun(function, None, false);
        if let Some(sizes) = sizes {
            begun.launch.at(function, sizes)?;
            begun.extents.clone_from(&begun.launch.extents);
        }
        let mut trace = Self::read(function, begun, None, sizes.cloned(), Some(Follow::default()));
        for (&number, sample) in sizes.iter().flat_map(|sizes| sizes.samples()) {
            let count = trace.arguments.get(number)?.as_ref()?.size();
            trace.samples.insert(number, sample.of(count));
        }
        Some(trace)
    }

    /// The same at some sizes of what the function is given, or `None` if these do not say its blocks.
    pub(super) fn at(
        function: OperationRef<'_, '_>,
        before: Option<&ArgumentFacts>,
        sizes: &Sizes,
    ) -> Option<Self> {
        let mut begun = Self::begun(function, before, false);
        begun.launch.at(function, sizes)?;
        if before.is_none() {
            begun.extents.clone_from(&begun.launch.extents);
        }
        Some(Self::read(function, begun, before, Some(sizes.clone()), None))
    }

    fn read(
        function: OperationRef<'_, '_>,
        begun: Self,
        before: Option<&ArgumentFacts>,
        sizes: Option<Sizes>,
        follow: Option<Follow>,
    ) -> Self {
        let mut trace = Reader::at(function, begun, before, sizes, follow).trace;
        if trace.events.iter().any(|event| matches!(event, Event::Unmodelled(..))) {
            trace.text = Some(launch::text_without(function));
        }
        trace
    }
}

/// The name of a function.
pub(super) fn symbol_of(function: OperationRef<'_, '_>) -> String {
    tree::symbol(function).unwrap_or_default()
}

impl Reader {
    /// The trace of a function, begun.
    #[cfg(test)]
    pub(super) fn of(
        function: OperationRef<'_, '_>,
        trace: Trace,
        before: Option<&ArgumentFacts>,
    ) -> Self {
        Self::at(function, trace, before, None, None)
    }

    fn at(
        function: OperationRef<'_, '_>,
        trace: Trace,
        before: Option<&ArgumentFacts>,
        sizes: Option<Sizes>,
        follow: Option<Follow>,
    ) -> Self {
        let mut reader = Reader {
            trace,
            values: HashMap::new(),
            around: Vec::new(),
            unknown: 0,
            loops: Vec::new(),
            threads: None,
            launched: launch::facts(function).is_some(),
            before: before.cloned(),
            carried: CARRIED,
            poison: HashMap::new(),
            flagged: BTreeSet::new(),
            inside: Vec::new(),
            sizes,
            reading: address(function),
            follow,
        };
        reader.function(function);
        reader
    }

    fn function(&mut self, function: OperationRef<'_, '_>) {
        let Ok(region) = function.region(0) else { return };
        let Some(entry) = region.first_block() else { return };
        let host = self.trace.function == "func.func";
        let inputs = block_memory::inputs(function);
        let mut own = ArgumentFacts::of(entry, host);
        if let Some(sizes) = &self.sizes {
            own.forms.extend(sizes.forms());
        }
        let mut parameter = PARAMETERS;
        for at in 0..entry.argument_count() {
            let argument = tree::argument(entry, at);
            let r#type = argument.r#type();
            let before = self.before.as_ref();
            let root = Root::Argument(before.map_or(at, |before| before.argument(at, &own)));
            let form = |number: u32| before.unwrap_or(&own).forms.get(&number).cloned();
            let mut view = View::whole(r#type, root.clone(), self.follow.is_some());
            if let Some(view) =
                view.as_mut().filter(|_| dynamic_views::own_offset(r#type, host) > 0)
            {
                view.base = IndexForm::factor(parameter, None, None);
            }
            let count = integers(r#type, host);
            let own_offset = dynamic_views::own_offset(r#type, host);
            self.trace.laid.push(DynamicLayout::of(r#type, parameter.saturating_add(own_offset)));
            let known = if let Some(view) = &view {
                Some(Known::View(view.clone()))
            } else if dynamic_views::is_open(r#type) {
                let own = dynamic_views::own_offset(r#type, host);
                let all =
                    (parameter.saturating_add(own)..parameter.saturating_add(count)).map(form);
                let own = (own > 0).then(|| IndexForm::factor(parameter, None, None));
                all.collect::<Option<_>>()
                    .and_then(|all| dynamic_views::argument(r#type, root, own, all))
            } else if r#type.to_string().starts_with("!llvm.ptr") {
                Some(Known::Pointer(root, IndexForm::constant(0)))
            } else if let Some(bits) = arithmetic::width(r#type) {
                let known = form(parameter).or_else(|| parameter_form(parameter, bits));
                match bits {
                    1 => known.and_then(|form| arithmetic::holds(&form)).map(Known::Conditions),
                    _ => known.map(Known::Form),
                }
            } else {
                (count > 0).then(|| Known::Memref(Memref::new(r#type, root, parameter)))
            };
            let known = match self.follow {
                Some(_) if at >= inputs => self.block_memory(r#type),
                _ => known.map(|known| self.at_sizes(r#type, known)),
            };
            if let Some(Known::View(whole)) = known.as_ref().filter(|_| at < inputs) {
                view = Some(whole.clone());
            }
            parameter = parameter.saturating_add(count);
            self.trace.reaches.push(match &view {
                Some(view) => view.reach_in_bytes(),
                None => dynamic_views::reach(r#type),
            });
            let alignment = pointers::alignment(argument);
            self.trace.alignments.push(alignment);
            self.trace.arguments.push(view);
            if let Some(known) = known {
                self.values.insert(tree::key(argument), known);
            }
        }
        self.trace.given = own;
        let kind = self.trace.function.clone();
        self.trace.given.launch = Some((kind, self.trace.launch.clone()));
        // A pass may come after one that took types away: what these stated is passed on.
        for (number, form) in self.before.iter().flat_map(|before| &before.forms) {
            self.trace.given.forms.entry(*number).or_insert_with(|| form.clone());
        }
        self.blocks(entry);
    }

    pub(super) fn block(&mut self, block: BlockRef<'_, '_>) {
        let (inside, around) = (self.inside.len(), self.reading);
        for operation in tree::operations(block) {
            self.reading = address(operation);
            self.operation(operation);
        }
        self.reading = around;
        self.inside.truncate(inside);
    }

    pub(super) fn event(&mut self, mut event: Event) {
        if !self.flagged.is_empty() || !self.inside.is_empty() {
            let mut means = self.means();
            means.extend(self.inside.iter().cloned());
            match &mut event {
                Event::Access(access) => access.domain.extend(means),
                Event::Copy(copy) => {
                    for view in [&mut copy.source, &mut copy.target].into_iter().flatten() {
                        view.domain.extend(means.iter().cloned());
                    }
                }
                _ => {}
            }
        }
        let is_packed = match &event {
            Event::Copy(copy) => {
                [&copy.source, &copy.target].into_iter().flatten().any(|view| view.packed > 1)
            }
            Event::Views(_, views, ..) => views.iter().any(|view| view.packed > 1),
            _ => false,
        };
        if is_packed {
            return self.unmodelled("an access to elements of which several are in a byte");
        }
        let accesses = matches!(event, Event::Copy(_) | Event::Access(_) | Event::Instruction(_));
        if accesses && self.unknown > 0 {
            self.unmodelled("an access under a condition that is no comparison");
        } else {
            self.trace.events.push(event);
        }
    }

    pub(super) fn set(&mut self, operation: OperationRef<'_, '_>, at: usize, known: Option<Known>) {
        if let Some(known) = known {
            self.values.insert(tree::key(result(operation, at)), known);
        }
    }

    /// Records the facts about a value.
    pub(super) fn know(&mut self, value: Value<'_, '_>, known: Known) {
        self.values.insert(value.to_raw().ptr as usize, known);
    }

    /// Forgets a value that goes, whose address another one may get.
    pub(super) fn forget(&mut self, value: Value<'_, '_>) {
        self.values.remove(&(value.to_raw().ptr as usize));
    }

    pub(super) fn known_of(&self, value: Value<'_, '_>) -> Option<&Known> {
        self.values.get(&(value.to_raw().ptr as usize))
    }

    /// The facts of a symbol before a pass.
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

    /// The number that a value is.
    pub(super) fn number(&self, value: Value<'_, '_>) -> Option<i64> {
        match self.known_of(value)? {
            Known::Form(form) => form.as_constant(),
            _ => None,
        }
    }

    pub(super) fn view(&self, operation: OperationRef<'_, '_>, at: usize) -> Option<View> {
        match self.known(operation, at)? {
            Known::View(view) => Some(view.clone()),
            _ => None,
        }
    }

    /// Where the flags hold that the operation's operands come from.
    fn means(&self) -> Vec<Condition> {
        let flags = self.flagged.iter().filter_map(|&number| self.trace.flags.get(number));
        flags.flat_map(Claim::conditions).collect()
    }

    pub(super) fn operation(&mut self, operation: OperationRef<'_, '_>) {
        let name = tree::name(operation);
        let first = self.trace.flags.len();
        // A value that is stored may be poison.
        let stored = usize::from(name.ends_with(".store"));
        let operands = (stored..operation.operand_count()).map(|at| operand(operation, at));
        let known = operands.filter_map(|value| self.poison.get(&tree::key(value)));
        let flagged: BTreeSet<usize> = known.flatten().copied().collect();
        self.flagged.clone_from(&flagged);
        if self.follow.is_none() {
            self.read(operation, name.clone());
        } else {
            self.follow(operation, &name);
        }
        self.flagged.clear();
        // The poison of an operand that is not chosen has no effect.
        if name != "arith.select" && operation.regions().next().is_none() {
            let own = flagged.into_iter().chain(first..self.trace.flags.len());
            let mut own: BTreeSet<usize> = own.collect();
            // The last ones of many are kept: an access that is not known to be poison is compared wherever it is.
            while own.len() > FLAGS {
                own.pop_first();
            }
            for at in (0..operation.result_count()).filter(|_| !own.is_empty()) {
                self.poison.insert(tree::key(result(operation, at)), own.clone());
            }
        }
    }

    pub(super) fn read(&mut self, operation: OperationRef<'_, '_>, name: String) {
        match name.as_str() {
            "gpu.thread_id" => self.id(operation, 0),
            "gpu.block_id" => self.id(operation, 3),
            "nvvm.read.ptx.sreg.cluster.ctarank" => {
                let extent = self.trace.extents.get(RANK as usize).copied().flatten();
                let rank = IndexForm::symbol(RANK, Some(0), extent);
                self.set(operation, 0, rank.map(Known::Form));
            }
            "nvvm.elect.sync" => self.elected(operation),
            "gpu.block_dim" => self.dimension(operation, 0),
            "gpu.grid_dim" => self.dimension(operation, 3),
            "scf.for" => self.r#loop(operation),
            "scf.if" => self.branch(operation),
            "func.call" => {
                self.call(operation);
                let operands = 0..operation.operand_count();
                self.pass_on(operation, name, operands);
            }
            "func.return" => {
                let operands = 0..operation.operand_count();
                self.pass_on(operation, name, operands);
            }
            _ if BARRIERS.contains(&name.as_str()) => self.barrier(operation, name),
            _ if name.starts_with("arith.") => self.arithmetic(operation, &name),
            _ if name.starts_with("layout.") => self.layout_operation(operation, &name),
            _ => self.memory_operation(operation, &name),
        }
    }

    /// A barrier, or a group of copies; how many groups may be left is a part of its name.
    fn barrier(&mut self, operation: OperationRef<'_, '_>, name: String) {
        if self.unknown > 0 {
            return self.unmodelled("a barrier under a condition that is no comparison");
        }
        let left = ["n", "group"].iter().find_map(|n| operation.attribute(n).ok());
        let left = left.and_then(|left| IntegerAttribute::try_from(left).ok());
        let name = left.map_or(name.clone(), |left| format!("{name} {}", left.value()));
        // A barrier of some of the threads only.
        let name = match operation.operand_count() {
            0 => name,
            count => format!("{name} of {count} operands"),
        };
        let around = self.around.clone();
        let operands = (0..operation.operand_count()).map(|at| self.form(operation, at)).collect();
        self.event(Event::Sync(name, around, operands, address(operation)));
    }

    /// Notes a function that is called, which may do anything unless it holds arithmetic only.
    fn call(&mut self, operation: OperationRef<'_, '_>) {
        let callee = operation.attribute("callee").map(|callee| callee.to_string());
        let callee = callee.unwrap_or_default();
        let name = callee.trim_start_matches('@');
        if !launch::is_arithmetic(operation, name) {
            self.trace.calls.push(name.to_owned());
        }
    }

    fn id(&mut self, operation: OperationRef<'_, '_>, first: u32) {
        let Some(at) = launch::axis(operation).and_then(|at| u32::try_from(at).ok()) else {
            return;
        };
        let symbol = first + at;
        let extent = self.trace.extents.get(symbol as usize).copied().flatten();
        self.set(operation, 0, IndexForm::symbol(symbol, Some(0), extent).map(Known::Form));
    }

    /// How many threads or blocks there are, where the kernel's facts say it.
    fn dimension(&mut self, operation: OperationRef<'_, '_>, first: usize) {
        if !self.launched {
            return;
        }
        let at = launch::axis(operation);
        let extent = at.and_then(|at| self.trace.extents.get(first + at).copied().flatten());
        self.set(operation, 0, extent.map(|extent| Known::Form(IndexForm::constant(extent))));
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
