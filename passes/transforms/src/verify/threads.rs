//! `layout-verify` of threads that share memory: follows a block's threads one by one.
//!
//! A trace's addresses, coordinates and conditions are evaluated at each thread's numbers, event
//! by event. Threads continue until they wait; each has a clock of what it knows to be done ([`clock`]), which it
//! passes on where it meets others, and at barriers that others wait for. Bulk copies, `cp.async` and MMAs
//! work beside the thread that begins them, and are done where their barrier's phase or their group is waited
//! for. Two accesses of one element, of which one is a store, are ordered by that; what is read of a buffer was
//! written; coordinates are within their modes; what is waited for comes. A refutation is a real execution: these
//! threads do that in this block.
//!
//! | is followed | is named, and not followed |
//! |---|---|
//! | blocks of one dimension or more, whose size is known; loops, also of other rounds in each thread; functions that are called, in their place | branches between blocks; loops that go on for more rounds than are examined |
//! | loads and stores of a kernel's attributions and of `memref.global`s in a block's memory | other memrefs |
//! | loads, stores, atomic updates and `cp.async` of LLVM's dialect and NVVM through pointers of `layout.pointer` | pointers that loops and branches pass on; calls and copies of bytes that take pointers; text of PTX |
//! | integers that loops carry, branches choose, lanes exchange, and threads store and load | integers that are made of data, or loaded from memory of which facts say nothing |
//! | `gpu.barrier`, `nvvm.bar.warp.sync` among the lanes of its mask, shuffles, reductions, `ldmatrix`, `stmatrix` and MMAs that all threads of a warp or warpgroup come to, `nvvm.barrier` of some threads and arrivals at it | barriers of a cluster, and copies to several of its blocks (`mapa`, multicast) as text of PTX |
//! | `cp.async` and bulk copies with their groups; `mbarrier`s and `layout.barriers` by phases, arrivals and bytes; `fence.proxy.async` between stores and what the copy engine and MMAs read | |
//! | `layout.pipeline`, as if each step had its barriers | pipelines whose tiles have steps of their own |
//! | elements of `ldmatrix` and `stmatrix` by the lanes that hold them, whichever lane gives a row's address | |
//! | tiles that `wgmma` reads, in each warp of the warpgroup, until their group is waited for | which registers MMAs write |
//! | stores of two blocks to one element; atomic updates, which race with other accesses alone | stores of one instruction in one warp to one element, which may be one value; arguments that bulk copies and threads store |
//!
//! As many accesses are examined as [`ACCESSES`] says: first rounds of loops only, and some blocks, where
//! there are more. Where threads wait for each other one by one, or compute integers in loops, no round is left out: the first
//! accesses and steps of the first block and the last are examined, and as many blocks as there is room for. That is a proof
//! for all where other blocks and rounds do the same ([`repeats`]); else it is named. Fences between accesses of threads and
//! bulk copies that overwrite them are not examined. A loop whose threads reach the integers of an earlier round again
//! never ends; it is refuted ([`endless`]).

mod barriers;
mod build;
mod clock;
mod compute;
mod discards;
mod endless;
mod engines;
mod memory;
mod program;
mod repeats;
mod steps;
mod units;
mod walk;

use super::{
    Findings, Gap, Place,
    follow::COMPUTED,
    matrices::MatrixRows,
    trace::{Condition, PARAMETERS, Trace},
};
use barriers::Barriers;
use clock::{AsyncAgent, Clocks, Key};
use discards::{Discards, Suspect};
use endless::Endless;
use layout_dialect::atoms::WARP;
use memory::{Actor, Conflict, Memories, Stamp};
use program::{By, CopyAccess, Groups, Places, Program, ThreadSet};
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

/// Accesses of elements, over all threads, rounds and blocks, that are examined.
const ACCESSES: u64 = 1 << 19;

/// The same of one block, where rounds of its loops stand for all others.
const MAX_ACCESSES: u64 = ACCESSES << 2;

/// The budget of steps per thread, for a block whose threads wait for each other one by one.
const STEPS: u64 = 1 << 20;

/// Threads of a block, and blocks, that are examined.
const THREADS: i64 = 1024;

/// The refutations of a function before the rest is left out.
const REFUTED: usize = 4;

/// Follows the threads of a function; whether all that any thread of any block does was examined.
pub(super) fn check(trace: &Trace, findings: &mut Findings) -> bool {
    if let Some(conflict) = &trace.launch.conflict {
        findings.refute(format!("expected one launch size of @{}, found {conflict}", trace.name));
    }
    let program = Program::of(trace);
    let kernel = trace.function == "gpu.func";
    let extents: Vec<i64> =
        (0..6).map(|at| trace.extents.get(at).copied().flatten().unwrap_or(1)).collect();
    let threads: [i64; 3] = match kernel {
        true => [extents[0], extents[1], extents[2]],
        false => [1; 3],
    };
    let count = threads.iter().fold(1_i64, |all, &one| all.saturating_mul(one));
    if !program.touches_memory() {
        return false;
    }
    if kernel && (!trace.launch.known[0] || count > THREADS) {
        findings.not_followed(format!("threads of @{}: a block of unknown size", trace.name));
        return false;
    }
    for gap in program.not_followed() {
        findings.not_followed(gap.clone().for_claim(&format!("threads of @{}", trace.name)));
    }
    let grid: [i64; 3] = match kernel && trace.launch.known[1] {
        true => [extents[3], extents[4], extents[5]],
        false => [1; 3],
    };
    let blocks = grid.iter().try_fold(1_i64, |all, &one| all.checked_mul(one)).unwrap_or(i64::MAX);
    // As many rounds of each loop as there is room for, then as many blocks. Where threads wait for each other, no
    // round is left out, and what comes after the first accesses is.
    const ROUNDS: [i64; 5] = [i64::MAX, 16, 6, 4, 3];
    let cost = |rounds: i64| program.cost(count, rounds);
    let rounds = match program.phases {
        true => Some(i64::MAX),
        // Rounds that stand for all others may take more.
        false => ROUNDS
            .into_iter()
            .find(|&rounds| cost(rounds) <= ACCESSES)
            .or_else(|| ROUNDS.last().copied().filter(|&rounds| cost(rounds) <= MAX_ACCESSES)),
    };
    let Some(rounds) = rounds else {
        findings.not_followed(format!("threads of @{}: more than {ACCESSES} accesses", trace.name));
        return false;
    };
    let room = match program.phases {
        true => BLOCKS,
        false => i64::try_from(ACCESSES / cost(rounds).max(1)).unwrap_or(i64::MAX).max(1),
    };
    let all = usize::try_from(count).unwrap_or(1);
    let mut run = Run {
        trace,
        program: &program,
        threads,
        count,
        rounds,
        block: [0; 3],
        loops: vec![0; trace.extents.len()],
        memories: Memories::new(&program, trace.launch.orders_blocks),
        clocks: Clocks::new(all),
        barriers: Barriers::default(),
        groups: BTreeMap::new(),
        begun: BTreeMap::new(),
        findings,
        refuted: 0,
        whole: program.is_whole(),
        accesses: 0,
        steps: 0,
        forms: 0,
        computed: Vec::new(),
        contents: compute::IntegerMemory::new(trace, &program),
        discards: Discards::default(),
        endless: Endless::default(),
        discards_values: false,
        missing: None,
        unknown_at: BTreeMap::new(),
        divided: false,
        cut: None,
    };
    // Blocks that stand for others come first.
    let expected = program.blocks.representatives(grid);
    let mut numbers = numbers(blocks, room);
    if program.phases && numbers.len() > 1 {
        // There may be no room for all.
        numbers[1..].rotate_right(1);
    }
    let others = expected.iter().flatten().filter(|number| !numbers.contains(number));
    let others: Vec<i64> = others.take(MAX_REPRESENTATIVES).copied().collect();
    let spared = 1 + others.len();
    let (first, rest) = numbers.split_at(numbers.len().min(1));
    numbers = [first, &others, rest].concat();
    numbers.truncate(usize::try_from(room).unwrap_or(usize::MAX).max(spared));
    let mut complete = kernel && trace.launch.known[1] && rounds == i64::MAX;
    complete &= i64::try_from(numbers.len()).ok() == Some(blocks);
    let mut walked = BTreeSet::new();
    // Accesses and steps of all blocks that are examined.
    let mut left = (ACCESSES, STEPS);
    for (at, number) in numbers.into_iter().enumerate() {
        if program.phases && at > spared && (left.0 == 0 || left.1 == 0) {
            complete = false;
            break;
        }
        run.block =
            [number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1].max(1)];
        // The last block has some room in any case, and so do those that stand for others.
        let room = match at {
            0 => (ACCESSES, STEPS),
            _ if at <= spared => (left.0.max(ACCESSES / 4), left.1.max(STEPS / 4)),
            _ => left,
        };
        let room = if program.phases { room } else { (ACCESSES, STEPS) };
        run.begin_block(number, room);
        run.block();
        if run.discards.are_some() {
            let complete = run.whole && run.accesses > 0 && run.steps > 0;
            run.begin_block(number, room);
            run.discards.follow();
            run.block();
            run.refute_used(complete);
        }
        let used = (room.0.saturating_sub(run.accesses), room.1.saturating_sub(run.steps));
        left = (left.0.saturating_sub(used.0), left.1.saturating_sub(used.1));
        let is_cut = program.phases && (run.accesses == 0 || run.steps == 0);
        complete &= run.whole && !is_cut;
        if !is_cut || at == 0 {
            walked.insert(number);
        }
        if is_cut && at == 0 {
            let what = format!(
                "threads of @{}: what the first block does after {ACCESSES} accesses, or {STEPS} steps of its threads",
                trace.name
            );
            run.findings.not_followed(what);
        }
        if run.refuted >= REFUTED || run.divided {
            break;
        }
    }
    let (divided, sampled) = (run.divided, !run.contents.sampled.is_empty());
    let discards = run.discards_values;
    if let Some((rounds, walked)) = run.cut {
        let what = format!("threads of @{}: {walked} of {rounds} rounds of a loop", trace.name);
        findings.not_followed(what);
    }
    let is_known = !kernel || trace.launch.known[1];
    let represents = |all: &Vec<i64>| all.iter().all(|number| walked.contains(number));
    let is_all = i64::try_from(walked.len()).ok() == Some(blocks);
    // Which values are used is in no decision that blocks are compared by.
    let is_proved = match is_known {
        true => is_all || !discards && expected.as_ref().is_some_and(represents),
        false => !discards && program.blocks.are_one(),
    };
    if !is_proved && !divided && !findings.is_refuted() {
        let count = if is_known { blocks.to_string() } else { "any number of".to_owned() };
        let what = format!("threads of @{}: {} of {count} blocks", trace.name, walked.len());
        findings.not_followed(what);
    }
    if divided {
        findings.not_followed(format!("threads of @{}: a division by 0", trace.name));
    }
    findings.undefined = divided;
    findings.sampled = sampled;
    complete && !divided && findings.misaligned.is_empty() && !findings.is_refuted()
}

/// The most blocks that represent others that are examined in any case.
const MAX_REPRESENTATIVES: usize = 8;

/// Blocks whose threads wait for each other that are examined, at most.
const BLOCKS: i64 = 256;

/// The first block, the last, and those after the first, as many as there is room for.
fn numbers(blocks: i64, room: i64) -> Vec<i64> {
    let count = room.min(blocks);
    let mut all: Vec<i64> = (0..count).collect();
    if let Some(last) = all.last_mut().filter(|_| count > 1) {
        *last = blocks - 1;
    }
    all
}

struct Run<'r> {
    trace: &'r Trace,
    program: &'r Program<'r>,
    threads: [i64; 3],
    count: i64,
    rounds: i64,
    block: [i64; 3],
    /// Which round each loop is in, by its symbol.
    loops: Vec<i64>,
    memories: Memories,
    clocks: Clocks,
    barriers: Barriers,
    /// Groups that were committed, of each agent that has them.
    groups: BTreeMap<AsyncAgent, u32>,
    /// The last group of bulk copies from shared memory that each thread began, and the operation.
    begun: BTreeMap<AsyncAgent, (u32, usize)>,
    findings: &'r mut Findings,
    refuted: usize,
    /// Whether all that is written before was examined.
    whole: bool,
    /// Accesses and steps that are left, where threads wait for each other.
    accesses: u64,
    steps: u64,
    /// Forms that had no value.
    forms: usize,
    /// The integers that a program computes, by their symbols, of each thread.
    computed: Vec<Vec<Option<i64>>>,
    /// The integers in memory that a program loads.
    contents: compute::IntegerMemory,
    /// Reads whose values may never be used.
    discards: Discards<'r>,
    endless: Endless,
    /// Whether a block had reads that go wrong and whose values nothing uses.
    discards_values: bool,
    /// A symbol that had no value, of the form that was evaluated last.
    missing: Option<u32>,
    /// The operations at which integers that are not known come from, by their symbols.
    unknown_at: BTreeMap<u32, usize>,
    /// Whether a thread divided by 0, where nothing means anything.
    divided: bool,
    /// Rounds of a loop, and how many of them were walked, where others may do something else.
    cut: Option<(i64, i64)>,
}

/// The place of a barrier in words.
fn place_of(key: Key, place: i64) -> String {
    match key {
        Key::At(Some(buffer), place) => format!("element {place} of buffer {buffer}"),
        _ => format!("byte {place} of shared memory"),
    }
}

/// An element at which an instruction begins, though it is at no multiple of the instruction's length.
fn misplaced(elements: &[(usize, i64)], run: i64) -> Option<i64> {
    let first = |at: usize| i64::try_from(at).is_ok_and(|at| at % run == 0);
    let found = elements
        .iter()
        .find(|&&(at, element)| run > 1 && first(at) && element.rem_euclid(run) != 0);
    found.map(|&(_, element)| element)
}

/// The actor that works beside a thread in groups.
fn agent_of(groups: Groups, thread: i64) -> AsyncAgent {
    let thread = usize::try_from(thread).unwrap_or(0);
    match groups {
        Groups::Async => AsyncAgent::Async(thread),
        Groups::Bulk => AsyncAgent::BulkGroups(thread),
        Groups::Mmas => AsyncAgent::Mmas(thread / WARPGROUP),
    }
}

/// Threads of a warpgroup.
const WARPGROUP: usize = 128;

impl<'r> Run<'r> {
    /// The value of a symbol, or `None` for an integer that a program does not know.
    fn known(&self, thread: i64, symbol: u32) -> Option<i64> {
        let Some(number) = symbol.checked_sub(COMPUTED) else {
            return (symbol < PARAMETERS).then(|| self.at(thread, symbol));
        };
        let own = self.computed.get(usize::try_from(number).ok()?)?;
        own.get(usize::try_from(thread).ok()?).copied().flatten()
    }

    /// The state before a block, of which so many accesses and steps are examined.
    fn begin_block(&mut self, number: i64, (accesses, steps): (u64, u64)) {
        self.memories.begin_block(number);
        self.clocks = Clocks::new(usize::try_from(self.count).unwrap_or(1));
        self.barriers = Barriers::default();
        self.groups.clear();
        self.begun.clear();
        self.whole = self.program.is_whole();
        (self.accesses, self.steps) = (accesses, steps);
        self.computed.clear();
        self.contents.begin_block();
        self.endless.begin_block();
    }

    fn at(&self, thread: i64, symbol: u32) -> i64 {
        let [x, y, _] = self.threads;
        match symbol {
            0 => thread % x,
            1 => thread / x % y,
            2 => thread / x / y,
            3..=5 => self.block[symbol as usize - 3],
            6 => 0,
            _ => self.loops.get(symbol as usize).copied().unwrap_or(0),
        }
    }

    fn value(&mut self, form: &layout_relation::IndexForm, thread: i64) -> Option<i64> {
        if let Some(value) = form.as_constant() {
            return Some(value);
        }
        let missing = Cell::new(None);
        let known = |symbol: u32| {
            self.known(thread, symbol).unwrap_or_else(|| {
                missing.set(Some(symbol));
                0
            })
        };
        let value = form.at(&known).filter(|_| missing.get().is_none());
        self.missing = missing.get().or(self.missing);
        self.forms += usize::from(value.is_none());
        value
    }

    /// Whether a thread does something.
    fn is_active(&mut self, who: ThreadSet<'_>, thread: i64) -> Option<bool> {
        let (from, to) = who.threads;
        if thread < from || thread >= to || thread % who.every.max(1) != 0 {
            return Some(false);
        }
        self.holds(who.around, thread)
    }

    fn holds(&mut self, conditions: &[Condition], thread: i64) -> Option<bool> {
        for (form, limit) in conditions {
            if self.value(form, thread)? >= *limit {
                return Some(false);
            }
        }
        Some(true)
    }

    /// A thread in words.
    fn thread(&self, thread: i64) -> String {
        match self.threads {
            [_, 1, 1] => format!("thread {thread}"),
            _ => {
                let [x, y, z] = [0, 1, 2].map(|symbol| self.at(thread, symbol));
                format!("thread ({x},{y},{z})")
            }
        }
    }

    /// The block, and the rounds of loops, in words.
    fn place(&self) -> String {
        let [x, y, z] = self.block;
        match self.trace.function == "gpu.func" {
            true => format!("block ({x},{y},{z}) of @{}", self.trace.name),
            false => format!("@{}", self.trace.name),
        }
    }

    fn refute(&mut self, message: String, at: usize, note: Option<(usize, String)>) {
        if self.findings.refute_at(Place { message, at, note }) {
            self.refuted += 1;
        }
    }

    fn claim(&mut self, claim: &super::trace::Claim) {
        for thread in 0..self.count {
            if self.holds(&claim.around, thread) != Some(true) {
                continue;
            }
            let Some(value) = self.value(&claim.form, thread) else { return };
            let (least, most) = claim.range;
            let divisor = claim.divisor.max(1);
            if value < least || value > most || value % divisor != 0 {
                let mut expected = Vec::new();
                if least > i64::MIN || most < i64::MAX {
                    expected.push(format!("within {least} to {most}"));
                }
                if divisor > 1 {
                    expected.push(format!("a multiple of {divisor}"));
                }
                let message = format!(
                    "expected an integer {}, as its type states, found {value} ({}, {})",
                    expected.join(" and "),
                    self.thread(thread),
                    self.place()
                );
                return self.refute(message, claim.operation, None);
            }
        }
    }

    /// Accesses of a group's threads.
    fn touch(&mut self, touch: &'r CopyAccess<'r>, threads: &[i64]) {
        for &thread in threads {
            match self.one(touch, thread) {
                Some(true) => {}
                Some(false) => return,
                None => {
                    self.depends("an access", Some(touch.operation));
                    self.whole = false;
                    self.contents.forget();
                    return;
                }
            }
        }
    }

    /// One thread's accesses; whether the next thread is examined.
    fn one(&mut self, touch: &'r CopyAccess<'r>, thread: i64) -> Option<bool> {
        // Not all lanes give a row where there are fewer than four matrices.
        let gives = |rows: MatrixRows| thread % WARP < rows.lanes;
        if !self.is_active(touch.who, thread)? || !touch.rows.is_none_or(gives) {
            return Some(true);
        }
        let base = self.value(touch.base, thread)?;
        let mut limits = Vec::with_capacity(touch.predicates.len());
        for (form, offsets, limit) in &touch.predicates {
            limits.push((self.value(form, thread)?, offsets, *limit));
        }
        let inside = |at: usize| {
            limits.iter().all(|(base, offsets, limit)| {
                offsets.get(at).is_some_and(|offset| base.saturating_add(*offset) < *limit)
            })
        };
        let elements: Vec<i64> = match &touch.places {
            Places::Offsets(offsets, outside) => {
                let active = (0..offsets.len()).filter(|&at| inside(at));
                let place = |at: usize| Some((at, outside.at(base.checked_add(offsets[at])?)?));
                let all: Vec<(usize, i64)> = active.map(place).collect::<Option<_>>()?;
                if let Some(element) = misplaced(&all, touch.run) {
                    let message = format!(
                        "expected {} elements of {} at once from a multiple of {} on, found element {element} ({}, {})",
                        touch.run,
                        touch.memory,
                        touch.run,
                        self.thread(thread),
                        self.place()
                    );
                    let place = Place { message, at: touch.operation, note: None };
                    self.findings.misaligned.push(place);
                    return Some(false);
                }
                all.into_iter().map(|(_, element)| element).collect()
            }
            Places::Matrix(matrix) => matrix.places(base).into_iter().collect(),
        };
        if elements.is_empty() {
            return Some(true);
        }
        if !self.coordinates(touch, thread)? {
            return Some(false);
        }
        let Some(stamp) = self.stamp(touch, thread)? else { return Some(false) };
        self.accesses = self.accesses.saturating_sub(elements.len() as u64);
        if self.program.read.contains(touch.root) {
            let value = touch.value.and_then(|value| self.value(value, thread));
            self.contents.touch(touch, thread, &elements, value);
        }
        for element in elements {
            if let Some((from, to)) = touch.bounds
                && (element < from || element.saturating_add(touch.wide) > to)
            {
                let units = touch.counts();
                let message = format!(
                    "expected {} of {} within {units}s {from} to {}, found {units} {element} ({}, {})",
                    touch.does(),
                    touch.memory,
                    to - 1,
                    self.thread(thread),
                    self.place()
                );
                self.refute(message, touch.operation, None);
                return Some(false);
            }
            if !touch.follows {
                continue;
            }
            let found = self.memories.touch(touch, element, stamp, &self.clocks, self.whole);
            for (unit, conflict) in found {
                let suspect = Suspect { touch, element, thread, conflict };
                if !self.suspects(suspect, unit) {
                    return Some(self.conflict(&suspect));
                }
            }
            self.read_again(touch, element, thread);
        }
        if let By::Bulk(signal, bytes) = touch.by {
            let value = self.value(signal.form(), thread)?;
            let (key, _) = signal.at(value);
            // Its bytes come: done at once, since what knows of them decides, and not when they come.
            let _ = self.barriers.arrive(key, stamp.agent, (0, -bytes), None);
        }
        Some(true)
    }

    /// Who works, and when; none, and refuted, where a bulk copy has no barrier.
    fn stamp(&mut self, touch: &CopyAccess<'_>, thread: i64) -> Option<Option<Stamp>> {
        let number = usize::try_from(thread).ok()?;
        let actor = Actor { thread: u32::try_from(thread).ok()?, event: touch.event };
        let groups = match touch.by {
            By::Thread | By::Atomic => {
                let time = self.clocks.of(number, number);
                return Some(Some(Stamp {
                    agent: number,
                    time,
                    actor,
                    atomic: matches!(touch.by, By::Atomic),
                    generic: true,
                    holders: [(number, time); 2],
                }));
            }
            By::Bulk(signal, _) => {
                let value = self.value(signal.form(), thread)?;
                let (key, _) = signal.at(value);
                let agent = self.clocks.agent(AsyncAgent::Barrier(key));
                let Some(time) = self.barriers.current(key) else {
                    self.no_barrier("a bulk copy", (key, value), thread, touch.operation);
                    return Some(None);
                };
                let holders = [(number, time); 2];
                let (atomic, generic) = (false, false);
                return Some(Some(Stamp { agent, time, actor, atomic, generic, holders }));
            }
            By::Async => Groups::Async,
            By::BulkGroup => Groups::Bulk,
            By::Mmas => Groups::Mmas,
        };
        let group = agent_of(groups, thread);
        let agent = self.clocks.agent(group);
        let time = self.groups.get(&group).copied().unwrap_or(0).saturating_add(1);
        if groups == Groups::Bulk {
            self.begun.insert(group, (time, touch.operation));
        }
        let holders = [(number, time); 2];
        Some(Some(Stamp { agent, time, actor, atomic: false, generic: false, holders }))
    }

    fn no_barrier(&mut self, what: &str, (key, place): (Key, i64), thread: i64, operation: usize) {
        let message = format!(
            "expected a barrier that was initialised for {what}, found none at {} ({}, {})",
            place_of(key, place),
            self.thread(thread),
            self.place()
        );
        self.refute(message, operation, None);
    }

    /// Whether the coordinates that an access is made of are within their modes.
    fn coordinates(&mut self, touch: &CopyAccess<'_>, thread: i64) -> Option<bool> {
        for coordinate in touch.coordinates {
            let value = self.value(&coordinate.index, thread)?;
            if value < 0 || value >= coordinate.extent {
                let message = format!(
                    "expected a coordinate of {} from 0 to {}, found {value} ({}, {})",
                    touch.memory,
                    coordinate.extent - 1,
                    self.thread(thread),
                    self.place()
                );
                self.refute(message, touch.operation, None);
                return Some(false);
            }
        }
        for (form, limit) in touch.domain {
            let value = self.value(form, thread)?;
            if value >= *limit {
                let message = format!(
                    "expected coordinates of {} within its layout, found one that is {} outside of its mode ({}, {})",
                    touch.memory,
                    value.saturating_sub(*limit).saturating_add(1),
                    self.thread(thread),
                    self.place()
                );
                self.refute(message, touch.operation, None);
                return Some(false);
            }
        }
        Some(true)
    }

    /// The description of an access, in words.
    fn did(&self, (by, is_of_warp): (By<'_>, bool), store: bool, thread: i64) -> String {
        let thread = self.thread(thread);
        match (by, store) {
            (By::Thread, true) if is_of_warp => {
                format!("the warp of {thread} stores it by stmatrix")
            }
            (By::Thread, false) if is_of_warp => {
                format!("the warp of {thread} loads it by ldmatrix")
            }
            (By::Thread, true) => format!("{thread} stores it"),
            (By::Thread, false) => format!("{thread} loads it"),
            (By::Atomic, _) => format!("{thread} updates it"),
            (By::Async, _) => format!("{thread} copies to it"),
            (By::Bulk(..), _) => format!("a bulk copy of {thread} writes it"),
            (By::BulkGroup, _) => format!("a bulk copy of {thread} reads it"),
            (By::Mmas, _) => format!("MMAs of the warpgroup of {thread} read it"),
        }
    }

    /// The conflict of two accesses; whether the next thread is checked.
    fn conflict(&mut self, suspect: &Suspect<'r>) -> bool {
        let &Suspect { touch, element, thread, conflict } = suspect;
        let what = format!("{} {element} of {}", touch.counts(), touch.memory);
        let own = self.did((touch.by, touch.rows.is_some()), touch.store, thread);
        let program = self.program;
        let other = |actor: Actor, stored: bool| {
            let by = program.by(actor.event);
            let did = (by, program.is_of_warp(actor.event));
            (self.did(did, stored, i64::from(actor.thread)), program.operation(actor.event), by)
        };
        let (message, note) = match conflict {
            Conflict::Unwritten => {
                let message = format!(
                    "expected {what} to be written before it is read, found no store: {own}, in {}",
                    self.place()
                );
                (message, None)
            }
            Conflict::Race { actor, stored } => {
                let (did, operation, by) = other(actor, stored);
                let one_warp = i64::from(actor.thread) / 32 == thread / 32;
                if one_warp
                    && actor.event == touch.event
                    && touch.store
                    && stored
                    && matches!(touch.by, By::Thread)
                {
                    let what = format!(
                        "threads of @{}: which value is left where threads of a warp store at once to one \
                         element of {}",
                        self.trace.name, touch.memory
                    );
                    self.findings.not_followed(Gap { what, at: Some(touch.operation) });
                    return true;
                }
                let order = match (by, touch.by) {
                    (By::Thread | By::Async | By::Atomic, By::Thread | By::Async | By::Atomic) => {
                        "a barrier"
                    }
                    _ => "a barrier, or a wait,",
                };
                let message = format!(
                    "expected {order} between accesses to {what}, found none: {did} and {own}, in {}",
                    self.place()
                );
                (message, Some((operation, format!("{did} here"))))
            }
            Conflict::Pending { actor, stored } => {
                let (did, operation, by) = other(actor, stored);
                let begun = match by {
                    By::Mmas => "MMAs that read",
                    By::BulkGroup => "a bulk copy from",
                    By::Bulk(..) => "a bulk copy to",
                    By::Async | By::Thread | By::Atomic => "an asynchronous copy to",
                };
                let message = format!(
                    "expected a wait between {begun} {what} and the next access, found none: {did} and {own}, in \
                     {}",
                    self.place()
                );
                (message, Some((operation, format!("{did} here"))))
            }
            Conflict::Unshown { actor } => {
                let (did, operation, _) = other(actor, true);
                let message = format!(
                    "expected a fence.proxy.async between a store to {what} and its asynchronous read, found none: {did} \
                     and {own}, in {}",
                    self.place()
                );
                (message, Some((operation, format!("{did} here"))))
            }
            Conflict::Blocks { actor, stored, block } => {
                let (did, operation, _) = other(actor, stored);
                let message = format!(
                    "expected blocks to share no element that one stores, found {what}: {} and {own}, in {}",
                    did.replacen(" stores it", &format!(" of block number {block} stores it"), 1)
                        .replacen(" loads it", &format!(" of block number {block} loads it"), 1),
                    self.place()
                );
                (message, Some((operation, format!("{did} here"))))
            }
        };
        self.refute(message, touch.operation, note);
        false
    }
}
