//! `layout-verify` of threads that meet in memory: a block's threads, one by one.
//!
//! What a trace says of addresses, coordinates and conditions is evaluated at each thread's numbers, event
//! by event. Two accesses of one element by different threads, of which one is a store, need a barrier in
//! between; what an asynchronous copy writes may be touched behind its wait only, and by other threads
//! behind a barrier after that; what is read of a buffer was written; coordinates are within their modes.
//! What is refuted happens: these threads do that in this block.
//!
//! | is followed | is named, and not followed |
//! |---|---|
//! | blocks of one dimension or more, whose size is known; loops, also of other rounds in each thread | integers of the arguments, data as indices, branches between blocks |
//! | `gpu.barrier`, `nvvm.bar.warp.sync` among threads of a warp | memory that pipelines, bulk copies and `wgmma` touch: their barriers are `mbarrier`s |
//! | `cp.async` with its groups | functions that are called and do more than arithmetic |
//! | stores of two blocks to one element | stores of one instruction in one warp to one element, which may be one value |
//!
//! As many accesses are looked at as [`ACCESSES`] says: first rounds of loops only, and some blocks, where
//! there are more.

mod memory;
mod program;

use super::{
    Findings, Place,
    trace::{Condition, Trace},
};
use memory::{Actor, Conflict, Memories};
use program::{Node, Program, Touch};

/// Accesses of elements, over all threads, rounds and blocks, that are looked at.
const ACCESSES: u64 = 1 << 19;

/// Threads of a block, and blocks, that are looked at.
const THREADS: i64 = 1024;

/// What is refuted of a function before the rest is left out.
const REFUTED: usize = 4;

/// Follows the threads of a function.
pub(super) fn check(trace: &Trace, findings: &mut Findings) {
    if let Some(conflict) = &trace.launch.conflict {
        findings.refute(format!("expected one launch of @{}, found that {conflict}", trace.name));
    }
    let program = Program::of(trace);
    let kernel = trace.function == "gpu.func";
    let extents: Vec<i64> =
        (0..6).map(|at| trace.extents.get(at).copied().flatten().unwrap_or(1)).collect();
    let threads: [i64; 3] = match kernel {
        true => [extents[0], extents[1], extents[2]],
        false => [1; 3],
    };
    let count = threads.iter().product::<i64>();
    if !program.touches_memory() {
        return;
    }
    if kernel && (!trace.launch.known[0] || count > THREADS) {
        return findings.not_followed(format!(
            "threads of @{}: a block whose size no attribute says",
            trace.name
        ));
    }
    for what in program.not_followed() {
        findings.not_followed(format!("threads of @{}: {what}", trace.name));
    }
    let grid: [i64; 3] = match kernel && trace.launch.known[1] {
        true => [extents[3], extents[4], extents[5]],
        false => [1; 3],
    };
    let blocks = grid.iter().try_fold(1_i64, |all, &one| all.checked_mul(one)).unwrap_or(i64::MAX);
    // As many rounds of each loop as there is room for, then as many blocks.
    const ROUNDS: [i64; 5] = [i64::MAX, 16, 6, 4, 3];
    let cost = |rounds: i64| program.cost(count, rounds);
    let Some(rounds) = ROUNDS.into_iter().find(|&rounds| cost(rounds) <= ACCESSES) else {
        return findings
            .not_followed(format!("threads of @{}: more than {ACCESSES} accesses", trace.name));
    };
    let room = i64::try_from(ACCESSES / cost(rounds).max(1)).unwrap_or(i64::MAX).max(1);
    let mut run = Run {
        trace,
        program: &program,
        threads,
        count,
        rounds,
        block: [0; 3],
        loops: vec![0; trace.extents.len()],
        memories: Memories::new(&program),
        findings,
        refuted: 0,
        whole: program.is_whole(),
        forms: 0,
    };
    for number in numbers(blocks, room) {
        run.block =
            [number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1].max(1)];
        run.memories.begin_block(number);
        run.whole = program.is_whole();
        run.nodes(&program.nodes);
        if run.refuted >= REFUTED {
            return;
        }
    }
}

/// The first block, the last, and those behind the first, as many as there is room for.
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
    findings: &'r mut Findings,
    refuted: usize,
    /// Whether all that is written before was looked at.
    whole: bool,
    /// Forms that had no value.
    forms: usize,
}

impl Run<'_> {
    fn nodes(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            if self.refuted >= REFUTED {
                return;
            }
            match node {
                Node::Touch(touch) => self.touch(touch),
                Node::Barrier(around, operation) => self.barrier(around, *operation),
                Node::Warp => self.memories.warp_barrier(),
                Node::Commit => self.memories.commit(),
                Node::Wait(left) => self.memories.wait(*left),
                Node::Loop { bounds, symbol, body, has_barrier } => {
                    self.r#loop(bounds, *symbol, body, *has_barrier);
                }
                Node::Claim(claim) => self.claim(claim),
                Node::Lost => {
                    // Other threads may have been waited for, and memory written.
                    self.memories.forget();
                    self.whole = false;
                }
            }
        }
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
        let value = form.at(&|symbol| self.at(thread, symbol));
        self.forms += usize::from(value.is_none());
        value
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

    fn r#loop(
        &mut self,
        bounds: &[layout_relation::IndexForm; 3],
        symbol: u32,
        body: &[Node<'_>],
        has_barrier: bool,
    ) {
        let mut most = 0;
        for thread in 0..self.count {
            let [from, to, step] = [0, 1, 2].map(|at| self.value(&bounds[at], thread));
            let (Some(from), Some(to), Some(step)) = (from, to, step) else { return self.lose() };
            if step < 1 {
                return self.lose();
            }
            let span = to.saturating_sub(from).max(0);
            most = most.max(span / step + i64::from(span % step != 0));
        }
        for round in 0..most.min(self.rounds) {
            self.loops[symbol as usize] = round;
            self.nodes(body);
            if self.refuted >= REFUTED {
                return;
            }
        }
        if most > self.rounds {
            self.whole = false;
            if has_barrier {
                self.memories.forget();
            }
            self.loops[symbol as usize] = most - 1;
            self.nodes(body);
            if has_barrier {
                self.memories.forget();
            }
        }
    }

    fn lose(&mut self) {
        self.memories.forget();
        self.whole = false;
    }

    /// All threads meet, or none.
    fn barrier(&mut self, around: &[Condition], operation: usize) {
        let (mut here, mut away) = (None, None);
        if !around.is_empty() {
            for thread in 0..self.count {
                match self.holds(around, thread) {
                    Some(true) => here = here.or(Some(thread)),
                    Some(false) => away = away.or(Some(thread)),
                    None => return self.lose(),
                }
            }
        }
        match (here, away) {
            (Some(here), Some(away)) => {
                let message = format!(
                    "expected all threads of a block at a barrier, found {} at it and {} not, in {}",
                    self.thread(here),
                    self.thread(away),
                    self.place()
                );
                self.refute(message, operation, None);
                self.memories.barrier();
            }
            (None, Some(_)) => {}
            _ => self.memories.barrier(),
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
                let mut wanted = Vec::new();
                if least > i64::MIN || most < i64::MAX {
                    wanted.push(format!("within {least} to {most}"));
                }
                if divisor > 1 {
                    wanted.push(format!("a multiple of {divisor}"));
                }
                let message = format!(
                    "expected an integer {}, as the type says, found {value} ({}, {})",
                    wanted.join(" and "),
                    self.thread(thread),
                    self.place()
                );
                return self.refute(message, claim.operation, None);
            }
        }
    }

    fn touch(&mut self, touch: &Touch<'_>) {
        let last = touch.threads.map_or(self.count, |threads| threads.min(self.count));
        for thread in 0..last {
            match self.one(touch, thread) {
                Some(true) => {}
                Some(false) => return,
                None => {
                    self.whole = false;
                    return;
                }
            }
        }
    }

    /// One thread's accesses; whether the next thread is looked at.
    fn one(&mut self, touch: &Touch<'_>, thread: i64) -> Option<bool> {
        if !self.holds(touch.around, thread)? {
            return Some(true);
        }
        let base = self.value(touch.base, thread)?;
        let mut limits = Vec::with_capacity(touch.guards.len());
        for (form, offsets, limit) in &touch.guards {
            limits.push((self.value(form, thread)?, offsets, *limit));
        }
        let inside = |at: usize| {
            limits.iter().all(|(base, offsets, limit)| {
                offsets.get(at).is_some_and(|offset| base.saturating_add(*offset) < *limit)
            })
        };
        let active = (0..touch.offsets.len()).find(|&at| inside(at));
        if active.is_none() {
            return Some(true);
        }
        if !self.coordinates(touch, thread)? {
            return Some(false);
        }
        for (at, &offset) in touch.offsets.iter().enumerate() {
            if !inside(at) {
                continue;
            }
            let element = touch.behind.at(base.checked_add(offset)?)?;
            if let Some((from, to)) = touch.bounds
                && (element < from || element >= to)
            {
                let message = format!(
                    "expected {} of {} within elements {from} to {}, found element {element} ({}, {})",
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
            if let Some(conflict) = self.memories.touch(touch, element, thread, self.whole) {
                return Some(self.conflict(touch, element, thread, conflict));
            }
        }
        Some(true)
    }

    /// Whether the coordinates that an access is made of are within their modes.
    fn coordinates(&mut self, touch: &Touch<'_>, thread: i64) -> Option<bool> {
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
                    "expected coordinates of {} within its layout, found {form} = {value}, which is not below \
                     {limit} ({}, {})",
                    touch.memory,
                    self.thread(thread),
                    self.place()
                );
                self.refute(message, touch.operation, None);
                return Some(false);
            }
        }
        Some(true)
    }

    /// What two accesses do to each other; whether the next thread is looked at.
    fn conflict(
        &mut self,
        touch: &Touch<'_>,
        element: i64,
        thread: i64,
        conflict: Conflict,
    ) -> bool {
        let what = format!("element {element} of {}", touch.memory);
        let does = if touch.store { "stores" } else { "loads" };
        let own = format!("{} {does} it", self.thread(thread));
        let other = |actor: Actor| (actor.thread as i64, self.program.operation(actor.event));
        match conflict {
            Conflict::Unwritten => {
                let message = format!(
                    "expected {what} to be written before it is read, found no store: {own}, in {}",
                    self.place()
                );
                self.refute(message, touch.operation, None);
            }
            Conflict::Race { actor, stored } => {
                let (by, operation) = other(actor);
                let did = if stored { "stores" } else { "loads" };
                let one_warp = by / 32 == thread / 32;
                if one_warp && actor.event == touch.event && touch.store && stored {
                    self.findings.not_followed(format!(
                        "threads of @{}: which value is left where threads of a warp store at once to one \
                         element of {}",
                        self.trace.name, touch.memory
                    ));
                    return true;
                }
                let message = format!(
                    "expected a barrier between accesses to {what}, found none: {} {did} it and {own}, in {}",
                    self.thread(by),
                    self.place()
                );
                self.refute(
                    message,
                    touch.operation,
                    Some((operation, format!("{} {did} it here", self.thread(by)))),
                );
            }
            Conflict::Pending(actor) => {
                let (by, operation) = other(actor);
                let message = format!(
                    "expected a wait between an asynchronous copy to {what} and the next access, found none: \
                     {} copies to it and {own}, in {}",
                    self.thread(by),
                    self.place()
                );
                self.refute(
                    message,
                    touch.operation,
                    Some((operation, format!("{} copies to it here", self.thread(by)))),
                );
            }
            Conflict::Blocks { actor, stored, block } => {
                let (by, operation) = other(actor);
                let did = if stored { "stores" } else { "loads" };
                let message = format!(
                    "expected blocks to share no element that one stores, found {what}: {} of block number \
                     {block} {did} it and {own}, in {}",
                    self.thread(by),
                    self.place()
                );
                self.refute(
                    message,
                    touch.operation,
                    Some((operation, format!("{} {did} it here", self.thread(by)))),
                );
            }
        }
        false
    }
}
