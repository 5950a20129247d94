//! A GPU's blocks and threads on this machine: threads are coroutines, which stop where they wait for others.
//!
//! Blocks run one after another, except those that wait for each other ([`super::blocks`]), and so do the threads of a block: each runs until it
//! ends or waits at a barrier, for its warp or for its warpgroup. When all threads of a warp wait for each other, or all threads of a block at one barrier,
//! they continue. Bulk copies complete as late as possible: when no thread can continue without one. Compiled code calls
//! the functions of [`super::calls`] on the coroutine's stack; neither they nor what they call may panic.

use super::{
    blocks::{ALIGNMENT, Block, first_of},
    budget::{Budget, LONG},
    clock::Clock,
    clusters::{self, Meeting},
    copies::Copy,
    mma::Accumulators,
    orders::{Fences, Orders},
    patterns::{Pattern, Patterns, Space},
    phases::Phases,
    print::{Format, Printed},
    registers::Registers,
    shadow::{Mark, Shadow},
    statics::Variables,
    tensors::{Bulk, Load, Tensor},
    waits::Wait,
    warpgroups::Issued,
};
use corosensei::{Coroutine, CoroutineResult, Yielder, stack::DefaultStack};
use std::{
    cell::Cell,
    collections::{BTreeMap, VecDeque},
};

/// Bytes of a thread's stack besides its own buffers.
const STACK: usize = 1 << 17;

/// Different races that are kept.
const MAX_RACES: usize = 16;

/// Threads of a warp.
pub(super) const WARP: usize = 32;

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read = 0,
    Write = 1,
    /// A load or store that has an order with others.
    Atomic = 2,
    AtomicRead = 3,
    /// A store of what an element held, changed.
    Update = 4,
}

impl Access {
    pub(super) const fn stores(self) -> bool {
        matches!(self, Self::Write | Self::Atomic | Self::Update)
    }

    pub(super) const fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic | Self::AtomicRead | Self::Update)
    }
}

/// Global memory that an argument points at.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) name: String,
    /// Its first byte, and the one past its last.
    pub(super) first: u64,
    pub(super) end: u64,
    /// Whether the kernel may write it.
    pub(super) written: bool,
    /// Bytes of an element.
    pub(super) element: usize,
}

/// A place in the program that a thread is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The block, in x, y, z.
    pub(super) block: [u32; 3],
    /// The thread of the block.
    pub(super) thread: [u32; 3],
    /// Number of the place in the source.
    pub(super) site: u32,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: Place,
    pub(super) message: String,
    /// Another thread, with its message.
    pub(super) other: Option<(Place, String)>,
}

/// The order that two accesses do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingOrder {
    /// A barrier between them.
    Barrier,
    /// A wait for the first, an asynchronous copy.
    Copied,
    /// A wait for the first, an asynchronous read.
    Read,
    /// A fence between the first, a store, and the second, an asynchronous read.
    Fence,
}

/// Two accesses to one address without an order; the first is that which came first in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Race {
    /// The access that came first in this run.
    pub(super) first: Place,
    /// The other one.
    pub(super) second: Place,
    /// Whether the second is a store; the first is one otherwise.
    pub(super) stores: bool,
    /// The order that is missing.
    pub(super) lack: MissingOrder,
    /// Whose memory, and how far past its start.
    pub(super) memory: String,
    /// The byte of it.
    pub(super) byte: u64,
    /// How often the two places raced.
    pub(super) count: u64,
}

pub(super) type Body = Coroutine<(), Wait, (), DefaultStack>;

/// How far the threads of a block came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Threads continue.
    Moved,
    /// Those that run wait in a loop for a store.
    Spins,
    /// All threads wait for other blocks.
    Waits,
    /// All threads have ended.
    Ended,
    /// A fault, or races, end the run.
    Over,
}

/// One thread of the block that runs.
pub(super) struct Thread {
    pub(super) body: Option<Body>,
    pub(super) waits: Option<Wait>,
    pub(super) is_done: bool,
    /// The result of a shuffle.
    pub(super) reply: u64,
    pub(super) is_valid: bool,
    /// The result of an MMA.
    pub(super) accumulators: Accumulators,
    /// Copies of the group that is open, and of those after it.
    pub(super) open: Vec<Copy>,
    pub(super) groups: Vec<Vec<Copy>>,
    /// MMAs of its warpgroup.
    pub(super) issued: Issued,
    /// Bulk copies from shared memory.
    pub(super) bulk: Bulk,
    /// The knowledge that its fences release and acquire.
    pub(super) fences: Fences,
    /// How often it came to the barrier of its cluster, and how often it has waited there.
    pub(super) met: u32,
    pub(super) waited: u32,
    /// Atomic accesses since it last let others run, and whether it does.
    pub(super) atomics: u32,
    /// The value that its next access, a comparison and exchange, expects.
    pub(super) expected: Option<u64>,
    pub(super) is_turn: bool,
    /// Where its stack is.
    pub(super) stack: (u64, u64),
    /// How it waits; null until it begins.
    pub(super) yielder: *const Yielder<(), Wait>,
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            body: None,
            waits: None,
            is_done: false,
            reply: 0,
            is_valid: false,
            accumulators: Accumulators::default(),
            open: Vec::new(),
            groups: Vec::new(),
            issued: Issued::default(),
            bulk: Bulk::default(),
            fences: Fences::default(),
            met: 0,
            waited: 0,
            atomics: 0,
            expected: None,
            is_turn: false,
            stack: (0, 0),
            yielder: std::ptr::null(),
        }
    }
}

/// A store to where another thread of the warp has stored by the same operation: of one instruction of a warp, whose threads
/// store in no order. Whether both store one value is known once the store has happened.
struct SameWarpStore {
    address: u64,
    /// The bytes that lay there before.
    value: [u8; 16],
    bytes: usize,
    earlier: Mark,
    later: Mark,
    region: Option<usize>,
    byte: u64,
}

/// A launch.
pub(super) struct Machine {
    pub(super) grid: [u32; 3],
    block: [u32; 3],
    /// Neighbours along x that are a cluster.
    pub(super) cluster: u32,
    pub(super) regions: Vec<Region>,
    shadows: Vec<Option<Shadow>>,
    /// A block's memory, as aligned as a GPU's.
    pub(super) shared: Vec<u8>,
    pub(super) shared_bytes: usize,
    pub(super) shared_shadow: Shadow,
    /// Memory of a fixed size in it.
    pub(super) variables: Variables,
    pub(super) patterns: Option<Patterns>,
    pub(super) threads: Vec<Thread>,
    pub(super) stacks: Vec<DefaultStack>,
    pub(super) stack_bytes: usize,
    /// The block, in x, y, z, and its number.
    pub(super) at: [u32; 3],
    pub(super) number: u32,
    pub(super) current: usize,
    /// The knowledge of each thread about the others.
    pub(super) clocks: Vec<Clock>,
    /// Whether copies and MMAs run beside the threads, so that stores need fences for them.
    pub(super) has_proxies: bool,
    /// Barriers in shared memory, and those of some threads.
    pub(super) phases: Phases,
    pub(super) registers: Registers,
    /// The kernel's tensor maps, and the copies to shared memory that have not ended.
    pub(super) tensors: Vec<Tensor>,
    pub(super) loads: VecDeque<Load>,
    /// The output, the formats of it, and the values of the thread that prints.
    pub(super) printed: Printed,
    formats: Vec<Format>,
    /// The texts of assertions.
    pub(super) texts: Vec<String>,
    pub(super) values: Vec<u64>,
    /// The values that all threads passed to the last reduction over the block.
    pub(super) gathered: Vec<u64>,
    pub(super) fault: Option<Fault>,
    pub(super) budget: Budget,
    /// A store that may store what a thread of its warp has stored there, and then is none that races.
    doubt: Option<SameWarpStore>,
    /// The barriers of clusters, by the number of the first block.
    pub(super) meetings: BTreeMap<u32, Meeting>,
    /// The knowledge that atomic accesses pass on.
    pub(super) orders: Orders,
    /// Blocks that have begun and not ended, but for the one that runs, and those that have ended.
    pub(super) resident: VecDeque<Block>,
    pub(super) spare: Vec<Block>,
    races: BTreeMap<(u32, u32), Race>,
    /// Races after which the run ends.
    most_races: usize,
    more_races: u64,
}

thread_local! {
    pub(super) static MACHINE: Cell<*mut Machine> = const { Cell::new(std::ptr::null_mut()) };
    pub(super) static YIELDER: Cell<*const Yielder<(), Wait>> = const { Cell::new(std::ptr::null()) };
}

/// The result of a launch.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) fault: Option<Fault>,
    /// Whether the fault is that the budget was used up.
    pub(super) exceeds: bool,
    pub(super) races: Vec<Race>,
    /// Races between places that are not listed.
    pub(super) more_races: u64,
    pub(super) patterns: Vec<(u32, Space, Pattern)>,
    pub(super) printed: Printed,
}

impl Machine {
    pub(super) fn new(
        (grid, block, cluster): ([u32; 3], [u32; 3], u32),
        (variables, private): (Variables, u64),
        regions: Vec<Region>,
        tensors: Vec<Tensor>,
        (formats, texts): (Vec<Format>, Vec<String>),
        (watches_patterns, has_proxies): (bool, bool),
        (budget, most_races): (Budget, usize),
    ) -> Self {
        let threads = block.iter().map(|&extent| extent as usize).product::<usize>();
        let shared_bytes = usize::try_from(variables.span()).unwrap_or(0);
        let shadow = |region: &Region| {
            let bytes = usize::try_from(region.end - region.first).unwrap_or(0);
            region.written.then(|| Shadow::new(bytes, region.element))
        };
        Self {
            grid,
            block,
            cluster: cluster.max(1),
            shadows: regions.iter().map(shadow).collect(),
            regions,
            shared: vec![0xff; shared_bytes + ALIGNMENT as usize],
            shared_bytes,
            shared_shadow: Shadow::new(shared_bytes, 1),
            variables,
            patterns: watches_patterns.then(|| Patterns::new(threads.div_ceil(WARP))),
            threads: (0..threads).map(|_| Thread::default()).collect(),
            stacks: Vec::new(),
            stack_bytes: STACK + usize::try_from(private).unwrap_or(0),
            at: [0; 3],
            number: 0,
            current: 0,
            clocks: Vec::new(),
            has_proxies,
            phases: Phases::default(),
            registers: Registers::default(),
            tensors,
            loads: VecDeque::new(),
            printed: Printed::default(),
            formats,
            texts,
            values: Vec::new(),
            gathered: Vec::new(),
            fault: None,
            budget,
            most_races,
            doubt: None,
            meetings: BTreeMap::new(),
            orders: Orders::default(),
            resident: VecDeque::new(),
            spare: Vec::new(),
            races: BTreeMap::new(),
            more_races: 0,
        }
    }

    /// Whether a fault, or as many races as end the run, were found.
    pub(super) fn is_over(&self) -> bool {
        self.fault.is_some() || self.races.len() >= self.most_races
    }

    /// Runs all blocks; `thread` is what each of their threads does.
    ///
    /// # Errors
    ///
    /// When the system has no memory for a stack.
    pub(super) fn run(mut self, thread: &dyn Fn()) -> std::io::Result<Outcome> {
        self.run_blocks(thread)?;
        Ok(Outcome {
            fault: self.fault,
            exceeds: self.budget.is_used_up,
            races: self.races.into_values().collect(),
            more_races: self.more_races,
            patterns: self.patterns.map(Patterns::found).unwrap_or_default(),
            printed: self.printed,
        })
    }

    /// Prints the values that the thread has passed.
    pub(super) fn print(&mut self, format: usize) {
        let values = std::mem::take(&mut self.values);
        if let Some(format) = self.formats.get(format) {
            self.printed.add(format, &values);
        }
    }

    /// Runs each thread that does not wait until it does, and lets those continue that wait for no one any more; `is_last` where no other block
    /// lets one continue.
    pub(super) fn advance(&mut self, is_last: bool) -> Step {
        let mut spins = false;
        for number in 0..self.threads.len() {
            let thread = &mut self.threads[number];
            if thread.is_done || thread.waits.is_some() {
                continue;
            }
            let Some(mut body) = thread.body.take() else { continue };
            self.current = number;
            let resumed = self.resume(&mut body);
            let thread = &mut self.threads[number];
            (thread.body, thread.is_turn) = (Some(body), false);
            match resumed {
                // It runs again once the others have.
                CoroutineResult::Yield(Wait::Turn) => (thread.is_turn, spins) = (true, true),
                CoroutineResult::Yield(wait) => thread.waits = Some(wait),
                CoroutineResult::Return(()) => thread.is_done = true,
            }
            if self.is_over() {
                return Step::Over;
            }
        }
        let warps = self.threads.len().div_ceil(WARP);
        // The last one at a barrier of some threads has let the others continue.
        let is_free = |own: &Thread| !own.is_done && own.waits.is_none() && !own.is_turn;
        let mut any = self.threads.iter().any(is_free);
        for warp in 0..warps {
            any |= self.exchange(warp, false);
        }
        any |= self.multiply_warpgroups() | self.pass_phases() | self.pass_registers();
        any |= self.pass_cluster();
        if self.is_over() {
            return Step::Over;
        }
        if any || self.end_bulk_copy() {
            return if self.is_over() { Step::Over } else { Step::Moved };
        }
        if spins {
            return Step::Spins;
        }
        if self.threads.iter().all(|own| own.is_done) {
            return Step::Ended;
        }
        if self.is_at_barrier() {
            self.pass_barrier();
            return if self.is_over() { Step::Over } else { Step::Moved };
        }
        if !is_last {
            return Step::Waits;
        }
        // Nobody continues any more: who waits for others waits for ever.
        let is_moved = (0..warps).any(|warp| self.exchange(warp, true)) || self.pass_barrier();
        if is_moved && !self.is_over() { Step::Moved } else { Step::Over }
    }

    pub(super) fn clocks_at_start(&self) -> Vec<Clock> {
        let slots = if self.has_proxies { super::phases::MAX_BARRIERS } else { 0 };
        Clock::all(self.threads.len(), self.threads.len() + slots, self.has_proxies)
    }

    fn resume(&mut self, body: &mut Body) -> CoroutineResult<Wait, ()> {
        let number = self.current;
        self.charge(LONG);
        MACHINE.set(self);
        // It is null until the thread begins, which sets it.
        YIELDER.set(self.threads.get(number).map_or(std::ptr::null(), |thread| thread.yielder));
        let resumed = body.resume(());
        if let Some(thread) = self.threads.get_mut(number) {
            thread.yielder = YIELDER.get();
        }
        MACHINE.set(std::ptr::null_mut());
        YIELDER.set(std::ptr::null());
        self.settle();
        resumed
    }

    /// Makes what a thread knows of visible to copies and MMAs.
    pub(super) fn show(&mut self) {
        if let Some(clock) = self.clocks.get_mut(self.current).filter(|_| self.has_proxies) {
            clock.show(self.current);
        }
    }

    /// The place of a thread, or of the thread whose bulk copies are an agent.
    pub(super) fn place(&self, agent: usize, site: u32) -> Place {
        let [x, y, _] = self.block;
        let thread = match agent.checked_sub(self.threads.len()) {
            Some(slot) => self.phases.copies_of(slot),
            None => u32::try_from(agent).unwrap_or(0),
        };
        Place { block: self.at, thread: [thread % x, thread / x % y, thread / x / y], site }
    }

    /// The index that a thread reads of its place: see `index_of` in [`super::program`].
    pub(super) fn index(&self, kind: i32) -> i64 {
        let thread = self.place(self.current, 0).thread;
        let of = |all: [u32; 3], first: i32| {
            usize::try_from(kind - first).ok().and_then(|i| all.get(i).copied()).unwrap_or(0)
        };
        match kind {
            0..=2 => of(thread, 0).into(),
            3..=5 => of(self.at, 3).into(),
            6..=8 => of(self.block, 6).into(),
            9..=11 => of(self.grid, 9).into(),
            12..=14 => {
                i64::from(of(self.at, 12)) * i64::from(of(self.block, 12))
                    + i64::from(of(thread, 12))
            }
            15 => (self.current % WARP) as i64,
            16 => (self.current / WARP) as i64,
            17 => self.threads.len().div_ceil(WARP) as i64,
            18 => WARP as i64,
            _ => self.index_in_cluster(i64::from(kind) - clusters::FIRST_INDEX),
        }
    }

    pub(super) fn shared_first(&self) -> u64 {
        first_of(&self.shared)
    }

    pub(super) fn stop(&mut self, site: u32, message: String) {
        if self.fault.is_none() {
            self.fault = Some(Fault { at: self.place(self.current, site), message, other: None });
        }
    }

    /// Notes an access before it happens; whether it may.
    pub(super) fn access(
        &mut self,
        address: u64,
        bytes: u64,
        what: (Access, u64),
        site: u32,
    ) -> bool {
        self.access_from(0, (address, bytes), what, site)
    }

    /// The same by a pointer that is made of an operand's, whose first byte is `base`: it has to stay in that operand.
    pub(super) fn access_from(
        &mut self,
        base: u64,
        (address, bytes): (u64, u64),
        (access, alignment): (Access, u64),
        site: u32,
    ) -> bool {
        self.settle();
        if !self.spend(LONG, site) {
            return false;
        }
        let (writes, is_atomic) = (access.stores(), access.is_atomic());
        let verb = if writes { "writes" } else { "reads" };
        if !self.aligned((address, bytes), alignment, site) {
            return false;
        }
        let end = address.saturating_add(bytes);
        let shared = self.shared_first();
        let in_shared = self.is_shared(address, bytes);
        let own = self.regions.iter().position(|region| base > 0 && region.first == base);
        let is_in = |region: &Region| address >= region.first && end <= region.end;
        if let Some(region) = own.and_then(|own| self.regions.get(own)).filter(|own| !is_in(own)) {
            let message = beyond((&region.name, region.first, region.end), (address, bytes), verb);
            self.stop(site, message);
            return false;
        }
        let region = own.or_else(|| self.regions.iter().position(is_in));
        let thread = u32::try_from(self.current).unwrap_or(0);
        if !in_shared && region.is_none() {
            let stack = self.threads.get(self.current).map_or((0, 0), |thread| thread.stack);
            if address >= stack.0 && end <= stack.1 {
                return true;
            }
            let elsewhere = (address, bytes);
            if let Some(may) = self.access_elsewhere(elsewhere, (writes, is_atomic), site) {
                return may;
            }
            self.stop(site, self.outside(address, bytes, verb));
            return false;
        }
        if let Some(region) = region.and_then(|region| self.regions.get(region))
            && writes
            && !region.written
        {
            let why = match region.name.starts_with('@') {
                true => "a constant",
                false => "read-only in the manifest",
            };
            let message = format!(
                "expected no store to {}, which is {why}, found one of {bytes} bytes",
                region.name
            );
            self.stop(site, message);
            return false;
        }
        if let Some(patterns) = &mut self.patterns {
            let space = if in_shared { Space::Shared } else { Space::Global };
            patterns.note(thread, site, space, address, bytes);
        }
        let Some(clock) = self.clocks.get(self.current) else { return true };
        let mark = Mark::new(self.number, thread, clock.now(), site, is_atomic);
        let first = match region {
            Some(region) => self.regions.get(region).map_or(0, |region| region.first),
            None => shared,
        };
        let shadow = match region {
            Some(region) => self.shadows.get_mut(region).and_then(Option::as_mut),
            None => Some(&mut self.shared_shadow),
        };
        let Some(shadow) = shadow else { return true };
        let (place, length) = ((address - first) as usize, bytes as usize);
        if let Some(copy) = shadow.pending(place, length) {
            self.race((copy, MissingOrder::Copied), (mark, writes), region, address - first);
            return true;
        }
        if access == Access::Update && region.is_none() && shadow.is_new(place, length) {
            let message = "expected a store to shared memory before an atomic update of it, found none in this block";
            self.stop(site, message.to_owned());
            return false;
        }
        let found = match writes {
            true => shadow.write(place, length, mark, clock),
            false => shadow.read(place, length, mark, clock),
        };
        if let Some(earlier) = found {
            let byte = address - first;
            let one_instruction = earlier.site() == site && earlier.block() == self.number;
            let same_warp = earlier.agent() / 32 == thread / 32;
            if writes && !is_atomic && one_instruction && same_warp && length <= 16 {
                let mut value = [0; 16];
                // SAFETY: the range was looked up: it is of an operand, or of the block's memory.
                unsafe {
                    std::ptr::copy(address as *const u8, value.as_mut_ptr(), length);
                }
                self.doubt = Some(SameWarpStore {
                    address,
                    value,
                    bytes: length,
                    earlier,
                    later: mark,
                    region,
                    byte,
                });
            } else {
                self.race((earlier, lack(earlier)), (mark, writes), region, byte);
            }
        }
        true
    }

    /// Whether an access is aligned as the instruction requires; else the thread stops.
    pub(super) fn aligned(&mut self, (address, bytes): (u64, u64), to: u64, site: u32) -> bool {
        if to < 2 || address.is_multiple_of(to) {
            return true;
        }
        let (found, hint) = (address % to, self.alignment_hint(address, to));
        self.stop(site, format!(
            "expected an access of {bytes} bytes aligned to {to}, found {found} bytes past an aligned address{hint}"
        ));
        false
    }

    /// Examines what the last store has stored, if that was to be seen.
    pub(super) fn settle(&mut self) {
        let Some(SameWarpStore { address, value, bytes, earlier, later, region, byte }) =
            self.doubt.take()
        else {
            return;
        };
        let mut now = [0; 16];
        // SAFETY: the range was looked up when the store was announced.
        unsafe {
            std::ptr::copy(address as *const u8, now.as_mut_ptr(), bytes);
        }
        if now != value {
            self.race((earlier, lack(earlier)), (later, true), region, byte);
        }
    }

    /// Notes a race of an access, maybe a copy that is pending, with a later one, maybe a store.
    pub(super) fn race(
        &mut self,
        (earlier, lack): (Mark, MissingOrder),
        (later, stores): (Mark, bool),
        region: Option<usize>,
        byte: u64,
    ) {
        let key = (earlier.site(), later.site());
        if let Some(race) = self.races.get_mut(&key) {
            race.count += 1;
            return;
        }
        if self.races.len() >= MAX_RACES {
            self.more_races += 1;
            return;
        }
        let mut first = self.place(earlier.agent() as usize, earlier.site());
        let [x, y, _] = self.grid;
        let mut second = self.place(later.agent() as usize, later.site());
        // In a cluster, either may be of another block.
        for (place, block) in [(&mut first, earlier.block()), (&mut second, later.block())] {
            place.block = [block % x, block / x % y, block / x / y];
        }
        let (memory, byte) = match region.and_then(|region| self.regions.get(region)) {
            Some(region) => (region.name.clone(), byte),
            None => self.in_words(byte),
        };
        self.races.insert(key, Race { first, second, stores, lack, memory, byte, count: 1 });
    }

    /// The description of an access to nothing that the kernel has.
    fn outside(&self, address: u64, bytes: u64, verb: &str) -> String {
        const MAX_DISTANCE: u64 = 1 << 32;
        let regions =
            self.regions.iter().map(|region| (region.name.as_str(), region.first, region.end));
        let distance = |&(_, first, end): &(&str, u64, u64)| match address < first {
            true => first - address,
            false => address.saturating_sub(end),
        };
        let nearest = regions
            .chain(self.shared_parts())
            .filter(|(_, first, end)| first < end)
            .min_by_key(distance);
        match nearest.filter(|place| distance(place) < MAX_DISTANCE) {
            Some(memory) => beyond(memory, (address, bytes), verb),
            None => format!(
                "expected an access of the kernel's memory, found one that {verb} {bytes} bytes elsewhere"
            ),
        }
    }
}

/// The description of an access that leaves memory of this name, from its first byte to before its end.
fn beyond(
    (name, first, end): (&str, u64, u64),
    (address, bytes): (u64, u64),
    verb: &str,
) -> String {
    let at = i128::from(address) - i128::from(first);
    let size = end - first;
    format!(
        "expected an access of {name} within its {size} bytes, found one that {verb} {bytes} from byte {at} on"
    )
}

/// The order that an access lacks with an earlier one that is no copy.
pub(super) const fn lack(earlier: Mark) -> MissingOrder {
    if earlier.is_under_way() { MissingOrder::Read } else { MissingOrder::Barrier }
}
