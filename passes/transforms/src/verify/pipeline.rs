//! How a `layout.pipeline` was lowered: its consumers and its loading thread, and what they signal to each
//! other through barriers in shared memory.
//!
//! A step has a stage, `step mod stages`, and a round, `step div stages`; steps of all tiles are
//! counted. Each stage has two barriers. These must be there, beside the operations of the regions:
//!
//! ```text
//! first      full barriers of one arrival, empty ones of each warp of a consumer group, and block, that reads;
//!            for each consumer group one of its warps; all see them
//! consumers  of several consumer groups, before a tile's first step: wait for the MMAs of the tile before
//!            after its last step: arrive for the tile's own
//!            before a step: wait for its full barrier, in the parity of its round
//!            before registers are written that MMAs read: all of these are done
//!            after it: MMAs of all steps before are done; arrive at the empty barrier of the step
//!            before; after the last step, the same for it; where a step leaves no MMAs in
//!            flight, arrive for the step itself
//! producer   before a step: wait for its empty barrier, in the other parity; expect its bytes
//!            its copies count at its full barrier
//!            in a cluster, after its last step: wait for the empty barriers of as many more as there are
//!            stages, so that all blocks have reported what they have read before its own ends
//! ```
//!
//! The consumer group whose number is a tile's modulo the consumer groups takes the tile. Since a consumer group waits until the tile
//! before was issued, all steps before its own have arrived when it waits for one, so that no phase of a
//! barrier passes between the one that it waits for and the next of that parity.
//!
//! Where tiles have steps of their own, those of the tiles before are what both loops over tiles carry:
//! from two rounds on, which is the same stage and parity as none, and with each tile as many more as the
//! region of its steps says, on either side.
//!
//! In this order each stage is written, read and written again: a wait in a parity ends with the phase
//! before it, and a new barrier counts as past the phase of parity 1.

use super::{
    compare::{Comparison, name},
    mmas::{IN_FLIGHT, INSIDE, OVERWRITES, TWO_LEVELS},
    segments::{Segment, accesses, unlisted},
    trace::{Access, Condition, Event, Instruction, Kind, Point, Root, Trace},
    view::View,
};
use layout_dialect::{Space, atoms::WARP};
use layout_relation::IndexForm;

/// Bytes of a barrier.
const BARRIER: i64 = 8;

/// The symbols of a thread's number and of a block's in its cluster.
const THREAD: u32 = 0;
pub(super) const RANK: u32 = 6;

/// Why the walk ended: it was reported already.
pub(super) struct Stopped;

/// Walks along what was there before, and finds each thing in what came of it.
pub(super) struct Walk<'w, 'a> {
    pub(super) comparison: &'w mut Comparison<'a>,
    pub(super) after: &'w Trace,
    /// The next event after the pass.
    next: usize,
    /// Accesses since the last boundary.
    accesses: Segment,
    /// The common conditions of a warp group's threads.
    group: Vec<Condition>,
    /// Conditions of the warp group and of loops.
    pub(super) around: Vec<Condition>,
    pub(super) ring: Option<Ring>,
    /// The step whose bytes are loaded.
    loading: Option<IndexForm>,
    /// The groups of MMAs of a step that may be in flight: the registers that each reads.
    groups: Vec<Option<Root>>,
    /// How many of them the step has committed.
    committed: usize,
    /// Whether the step has threads that read shared memory each for itself.
    reads: bool,
}

/// The barriers of a pipeline.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    stages: i64,
    consumers: i64,
    /// Consumer groups of consumers.
    ping_pong: i64,
    /// Blocks along M and N.
    pub(super) cluster: (i64, i64),
    /// Where the full barriers are in shared memory; the empty ones are after them.
    full: i64,
    /// Bytes that a step loads.
    bytes: i64,
}

/// The fences that order MMAs: after a fence MMAs use registers, after a wait registers hold the accumulators. Both pass the
/// registers through inline assembly without an instruction.
const FENCE: &str = "nvvm.wgmma.fence.aligned";
const WAIT: &str = "nvvm.wgmma.wait.group.sync.aligned";
const REGISTERS: &str = "// registers";

/// The most groups of MMAs that a wait leaves in flight.
fn groups_left(wait: &Instruction) -> Option<usize> {
    let (_, group) = wait.attributes.iter().find(|(name, _)| name == "group")?;
    group.split(' ').next()?.parse().ok()
}

impl Ring {
    /// The address of a step's barrier among those that begin here.
    fn barrier(&self, first: i64, step: &IndexForm) -> Option<IndexForm> {
        step.modulo(self.stages)?.scale(BARRIER)?.plus(&IndexForm::constant(first))
    }

    fn empty(&self) -> i64 {
        self.full + self.stages * BARRIER
    }

    /// The barriers that consumer groups wait for.
    fn turns(&self) -> i64 {
        self.full + 2 * self.stages * BARRIER
    }

    /// Barriers for stages and for consumer groups.
    fn barriers(&self) -> i64 {
        2 * self.stages + if self.ping_pong > 1 { self.ping_pong } else { 0 }
    }

    /// Warps of a consumer group.
    fn warps(&self) -> i64 {
        self.consumers / self.ping_pong.max(1) / WARP
    }

    /// The barrier of a tile's turn, counted in the block, and the round of it.
    fn turn(&self, tile: &IndexForm) -> Option<(IndexForm, IndexForm)> {
        let place = tile.modulo(self.ping_pong)?.scale(BARRIER)?;
        Some((place.plus(&IndexForm::constant(self.turns()))?, tile.floor_div(self.ping_pong)?))
    }

    fn parity(&self, step: &IndexForm) -> Option<IndexForm> {
        step.floor_div(self.stages)?.mask(1)
    }

    /// Blocks that a stage is written from.
    fn writers(&self) -> i64 {
        self.cluster.0 + self.cluster.1 - 1
    }
}

/// Compares a function that has pipelines with what it was lowered to.
pub(super) fn compare(after: &Trace, comparison: &mut Comparison<'_>) {
    let before = comparison.before;
    let mut walk = Walk {
        comparison,
        after,
        next: 0,
        accesses: Segment::default(),
        group: Vec::new(),
        around: Vec::new(),
        ring: None,
        loading: None,
        groups: Vec::new(),
        committed: 0,
        reads: false,
    };
    for (at, event) in before.events.iter().enumerate() {
        if walk.event(event, &before.events[at..]).is_err() {
            return;
        }
    }
    walk.flush();
    if let Some(event) = walk.after.events.get(walk.next) {
        let message = format!("expected no more in @{}, found {}", before.name, name(Some(event)));
        walk.comparison.findings.refute(message);
    }
}

impl Walk<'_, '_> {
    fn event(&mut self, event: &Event, rest: &[Event]) -> Result<(), Stopped> {
        match event {
            Event::Copy(copy) if copy.kind.is_bulk_load() => {
                self.flush();
                self.around = [&copy.around[..], &self.group[..]].concat();
                let Some((ring, step)) = self.ring.zip(self.loading.clone()) else {
                    return self.unknown("a bulk copy outside of a pipeline's loads");
                };
                let barrier = ring.barrier(ring.full, &step);
                self.load(copy, barrier.as_ref())
            }
            Event::Copy(copy) if copy.kind.is_bulk_store() => {
                self.flush();
                self.around = [&copy.around[..], &self.group[..]].concat();
                self.store(copy)
            }
            Event::Copy(copy) => {
                self.overwrites(copy.target.as_ref())?;
                let before = self.comparison.before;
                let Some(all) = accesses(copy, &|symbol| before.extent(symbol)) else {
                    return self.unknown(&unlisted(copy));
                };
                all.into_iter().for_each(|access| self.access(access));
                Ok(())
            }
            Event::Access(access) => {
                self.access(access.clone());
                Ok(())
            }
            Event::Unmodelled(what, _) => self.unknown(what),
            Event::Follow(_) => self.unknown("a step of a program of threads"),
            Event::Views(name, views, around, ..) => {
                self.flush();
                self.around = [&around[..], &self.group[..]].concat();
                match &views[..] {
                    [a, b] if name.ends_with(TWO_LEVELS) => self.two_levels(a, b),
                    [a, b] => {
                        let overwrites = name.contains(OVERWRITES);
                        match a.space == Space::Register {
                            true => self.register_mmas(a, b, overwrites)?,
                            false => self.mmas(a, b, overwrites)?,
                        }
                        self.committed_or_done(name.ends_with(IN_FLIGHT))
                    }
                    _ => self.unknown("an operation on whole views"),
                }
            }
            // Nothing is between the last step, which released its own stage, and what follows.
            Event::Point(Point::Last(_), _) if self.groups.is_empty() => Ok(()),
            Event::Point(point, around) => {
                self.flush();
                if matches!(point, Point::End) {
                    self.group.clear();
                }
                self.around = [&around[..], &self.group[..]].concat();
                self.point(point, rest)
            }
            Event::Instruction(instruction) => {
                self.flush();
                let mut expected = instruction.clone();
                expected.predicates.extend(self.group.iter().cloned());
                let found = self.take()?;
                self.comparison.events(Some(&Event::Instruction(expected)), Some(&found));
                Ok(())
            }
            Event::Sync(..) | Event::Open(..) | Event::Close | Event::PassedOn(..) => {
                self.flush();
                let found = self.take()?;
                if std::mem::discriminant(event) != std::mem::discriminant(&found) {
                    return self.refute(&name(Some(event)), &name(Some(&found)));
                }
                let mut expected = event.clone();
                if let Event::Sync(_, around, ..) = &mut expected {
                    around.extend(self.group.iter().cloned());
                }
                self.comparison.events(Some(&expected), Some(&found));
                Ok(())
            }
        }
    }

    /// An MMA's group is committed; whether one that may be in flight after its step.
    pub(super) fn commits(&mut self) -> bool {
        self.committed += 1;
        self.ring.is_some() && self.committed <= self.groups.len()
    }

    /// Registers are written: the last MMAs that read them are done. After these, as many groups may
    /// be in flight as were committed since, in this step or from the step before on.
    fn overwrites(&mut self, target: Option<&View>) -> Result<(), Stopped> {
        let Some(Root::Register(_)) = target.map(|target| &target.root) else { return Ok(()) };
        let root = target.map(|target| target.root.clone());
        let (now, before) = self.groups.split_at(self.committed.min(self.groups.len()));
        let mut since = now.iter().rev().chain(before.iter().rev());
        let Some(later) = since.position(|read| read.is_some() && *read == root) else {
            return Ok(());
        };
        self.flush();
        self.waits_for_all_but(later)
    }

    /// A wait that leaves at most `most` groups of MMAs pending.
    fn waits_for_all_but(&mut self, most: usize) -> Result<(), Stopped> {
        let wait = self.instruction(WAIT, &[])?;
        let left = groups_left(&wait);
        if left.is_some_and(|left| left <= most) {
            return Ok(());
        }
        let found = left.map_or("another".to_owned(), |left| format!("one but {left}"));
        self.refute(&format!("a wait for all groups of MMAs but {most}"), &found)
    }

    /// Compares the accesses since the last boundary.
    fn flush(&mut self) {
        let mut found = Segment::default();
        while let Some(event) = self.after.events.get(self.next) {
            match event {
                Event::Access(access) => found.add(access.clone()),
                Event::Unmodelled(what, _) => {
                    let message = format!("{what} in @{}", self.comparison.before.name);
                    self.comparison.findings.unknown(message);
                }
                _ => break,
            }
            self.next += 1;
        }
        let expected = std::mem::take(&mut self.accesses);
        self.comparison.accesses(&expected, &found);
    }

    pub(super) fn unknown<T>(&mut self, what: &str) -> Result<T, Stopped> {
        let message = format!("{what} in @{}", self.comparison.before.name);
        self.comparison.findings.unknown(message);
        Err(Stopped)
    }

    pub(super) fn refute<T>(&mut self, expected: &str, found: &str) -> Result<T, Stopped> {
        let function = &self.comparison.before.name;
        let message = format!("expected {expected} in @{function}, found {found}");
        self.comparison.findings.refute(message);
        Err(Stopped)
    }

    pub(super) fn peek(&self) -> Option<&Event> {
        self.after.events.get(self.next)
    }

    fn take(&mut self) -> Result<Event, Stopped> {
        match self.peek().cloned() {
            Some(event) => {
                self.next += 1;
                Ok(event)
            }
            None => self.refute("more of a pipeline", "the end"),
        }
    }

    /// The next instruction, which has this name and is under these conditions and those around.
    pub(super) fn instruction(
        &mut self,
        expected: &str,
        predicates: &[Condition],
    ) -> Result<Instruction, Stopped> {
        let found = self.take()?;
        match found {
            Event::Instruction(instruction) if instruction.name == expected => {
                let predicates = [predicates, &self.around[..]].concat();
                self.comparison.predicates(&predicates, &instruction.predicates, expected);
                Ok(*instruction)
            }
            other => self.refute(expected, &name(Some(&other))),
        }
    }

    /// The next instruction if it is inline assembly that begins like this.
    pub(super) fn assembly(&mut self, begins: &str) -> Option<Instruction> {
        let Some(Event::Instruction(instruction)) = self.peek() else { return None };
        let text = |(name, value): &(String, String)| {
            name == "asm_string" && value.trim_start_matches('"').starts_with(begins)
        };
        if instruction.name != "llvm.inline_asm" || !instruction.attributes.iter().any(text) {
            return None;
        }
        let instruction = (**instruction).clone();
        self.next += 1;
        Some(instruction)
    }

    /// Whether all MMAs are waited for next.
    pub(super) fn waits_for_mmas(&mut self) -> bool {
        let mut waits = false;
        while self.wait_for_registers() == Some(0) {
            self.next += 2;
            waits = true;
            // One wait passes on the registers of all accumulators.
            while self.assembly(REGISTERS).is_some() {}
        }
        waits
    }

    /// Whether MMAs read registers next, or a fence follows.
    pub(super) fn fences(&mut self) -> bool {
        let is_fence = self.peek().is_some_and(|event| name(Some(event)) == FENCE);
        self.next += usize::from(is_fence);
        is_fence || self.assembly(REGISTERS).is_some()
    }

    /// The next wait for MMAs and the registers that it passes on: how many groups it leaves.
    pub(super) fn waits_for_registers(&mut self) -> Option<usize> {
        let left = self.wait_for_registers()?;
        self.next += 2;
        Some(left)
    }

    /// As [`Self::waits_for_registers`], without continuing.
    fn wait_for_registers(&self) -> Option<usize> {
        let Some(Event::Instruction(wait)) = self.peek() else { return None };
        let Some(Event::Instruction(held)) = self.after.events.get(self.next + 1) else {
            return None;
        };
        let is_held = held.attributes.iter().any(|(name, value)| {
            name == "asm_string" && value.trim_start_matches('"').starts_with(REGISTERS)
        });
        if wait.name != WAIT || held.name != "llvm.inline_asm" || !is_held {
            return None;
        }
        groups_left(wait)
    }

    /// An operand is this address in shared memory, or this number.
    pub(super) fn operand(
        &mut self,
        (instruction, at): (&Instruction, usize),
        root: &Root,
        expected: Option<&IndexForm>,
        predicates: &[Condition],
    ) -> Result<(), Stopped> {
        let what = format!("operand {at} of {}", instruction.name);
        match (instruction.operands.get(at), expected) {
            (Some(Some((found, form))), Some(expected)) if found == root => {
                let predicates = [predicates, &self.around[..]].concat();
                self.comparison.form_under(&predicates, &what, expected, form);
                Ok(())
            }
            (Some(Some((found, _))), Some(_)) => {
                self.refute(&format!("{what} to point to {root:?}"), &format!("{found:?}"))
            }
            _ => self.unknown(&what),
        }
    }

    fn point(&mut self, point: &Point, rest: &[Event]) -> Result<(), Stopped> {
        if let Point::Begin(facts) = point {
            let ring = Ring {
                stages: facts.stages,
                consumers: facts.consumers,
                ping_pong: facts.ping_pong,
                cluster: facts.cluster,
                full: 0,
                bytes: match loaded(rest) {
                    Some(bytes) => bytes,
                    None => return self.unknown("how many bytes a step loads"),
                },
            };
            return self.begin(ring);
        }
        let Some(ring) = self.ring else { return self.unknown("a pipeline without a beginning") };
        let thread = self.thread();
        let Some(thread) = thread else { return self.unknown("the number of threads") };
        let consumes = (thread.clone(), ring.consumers);
        match point {
            Point::Consume => self.enter(vec![consumes.clone()], vec![consumes]),
            Point::Produce => {
                let Some(opposite) = thread.scale(-1) else { return self.unknown("a thread") };
                let last = (opposite, 1 - ring.consumers);
                let first = (thread, ring.consumers + 1);
                self.enter(vec![last.clone()], vec![last, first])
            }
            Point::Turn(tile) => {
                let wait = self.instruction("nvvm.mbarrier.try_wait.parity", &[])?;
                // One round of turns later, whose phase before is the one of the tile before.
                let before = tile
                    .plus(&IndexForm::constant(ring.ping_pong - 1))
                    .and_then(|before| ring.turn(&before));
                let (barrier, round) = before.unzip();
                self.operand((&wait, 0), &Root::Shared, barrier.as_ref(), &[])?;
                let other = round.and_then(|round| round.mask(1)?.xor(&IndexForm::constant(1)));
                self.operand((&wait, 1), &Root::Nothing, other.as_ref(), &[])
            }
            Point::Issued(tile) => {
                let Some(lane) = self.thread().and_then(|thread| thread.mask(WARP - 1)) else {
                    return self.unknown("the number of threads");
                };
                let first = [(lane, 1)];
                let arrives = self.instruction("nvvm.mbarrier.arrive", &first)?;
                let barrier = ring.turn(tile).map(|(barrier, _)| barrier);
                self.operand((&arrives, 0), &Root::Shared, barrier.as_ref(), &first)
            }
            Point::Full(step) => {
                self.reads = false;
                self.groups = groups(rest);
                self.committed = 0;
                let wait = self.instruction("nvvm.mbarrier.try_wait.parity", &[])?;
                self.operand(
                    (&wait, 0),
                    &Root::Shared,
                    ring.barrier(ring.full, step).as_ref(),
                    &[],
                )?;
                self.operand((&wait, 1), &Root::Nothing, ring.parity(step).as_ref(), &[])
            }
            Point::Drained(step) => self.waits_until_empty(ring, step),
            Point::Empty(step) => {
                self.loading = Some(step.clone());
                self.waits_until_empty(ring, step)?;
                let expects = self.instruction("nvvm.mbarrier.arrive.expect_tx", &[])?;
                let barrier = ring.barrier(ring.full, step);
                self.operand((&expects, 0), &Root::Shared, barrier.as_ref(), &[])?;
                let bytes = IndexForm::constant(ring.bytes);
                self.operand((&expects, 1), &Root::Nothing, Some(&bytes), &[])
            }
            Point::Read(step, k) => {
                if self.groups.is_empty() {
                    return self.release(step, &[]);
                }
                self.waits_for_all_but(self.groups.len())?;
                let before = step.minus(&IndexForm::constant(1));
                let Some((before, follows)) = before.zip(k.scale(-1)) else {
                    return self.unknown("the step before");
                };
                // The stage before a tile's first step was released already.
                self.release(&before, &[(follows, 0)])
            }
            Point::Last(step) => {
                if !self.waits_for_mmas() {
                    return self.refute("a wait for all MMAs", &name(self.peek()));
                }
                self.release(step, &[])
            }
            Point::End => {
                let ring = self.ring.take();
                ring.map_or(Ok(()), |ring| self.retire(ring))
            }
            Point::Begin(..) => Ok(()),
        }
    }

    /// The part of a warp group begins; some registers may be reallocated, in all threads of its warpgroups.
    fn enter(&mut self, warps: Vec<Condition>, group: Vec<Condition>) -> Result<(), Stopped> {
        let outside: Vec<Condition> = self
            .around
            .iter()
            .filter(|condition| !self.group.contains(condition))
            .cloned()
            .collect();
        self.around = [&outside[..], &warps[..]].concat();
        if matches!(self.peek(), Some(Event::Instruction(next)) if next.name == "nvvm.setmaxregister")
        {
            self.instruction("nvvm.setmaxregister", &[])?;
        }
        self.around = [&outside[..], &group[..]].concat();
        self.group = group;
        Ok(())
    }

    pub(super) fn thread(&self) -> Option<IndexForm> {
        IndexForm::symbol(THREAD, Some(0), self.comparison.extent(THREAD))
    }

    /// The barriers are made by the first thread, and all threads see them.
    fn begin(&mut self, mut ring: Ring) -> Result<(), Stopped> {
        let Some(thread) = self.thread() else { return self.unknown("the number of threads") };
        let first = [(thread, 1)];
        for number in 0..ring.barriers() {
            let made = self.instruction("nvvm.mbarrier.init", &first)?;
            if number == 0 {
                let place = match made.operands.first() {
                    Some(Some((Root::Shared, form))) => form.as_constant(),
                    _ => None,
                };
                let Some(place) = place else { return self.unknown("the place of a barrier") };
                ring.full = place;
            }
            let place = IndexForm::constant(ring.full + number * BARRIER);
            self.operand((&made, 0), &Root::Shared, Some(&place), &[])?;
            let count = match number {
                full if full < ring.stages => 1,
                empty if empty < 2 * ring.stages => ring.warps() * ring.writers(),
                _ => ring.warps(),
            };
            self.operand((&made, 1), &Root::Nothing, Some(&IndexForm::constant(count)), &[])?;
        }
        self.instruction("nvvm.fence.mbarrier.init", &first)?;
        self.ring = Some(ring);
        self.comparison.reserved.push((ring.full, ring.barriers() * BARRIER));
        self.meet(ring)
    }

    /// A pipeline that may be executed again gives its barriers back: after a barrier of the block, the thread that
    /// made them invalidates each.
    fn retire(&mut self, ring: Ring) -> Result<(), Stopped> {
        const INVALIDATES: &str = "nvvm.mbarrier.inval";
        let next = self.after.events.get(self.next + 1);
        if !matches!(next, Some(Event::Instruction(next)) if next.name == INVALIDATES) {
            return Ok(());
        }
        let Some(thread) = self.thread() else { return self.unknown("the number of threads") };
        match self.take()? {
            Event::Sync(barrier, ..) if barrier == "gpu.barrier" => {}
            other => return self.refute("gpu.barrier", &name(Some(&other))),
        }
        let first = [(thread, 1)];
        for number in 0..ring.barriers() {
            let retired = self.instruction(INVALIDATES, &first)?;
            let place = IndexForm::constant(ring.full + number * BARRIER);
            self.operand((&retired, 0), &Root::Shared, Some(&place), &[])?;
        }
        Ok(())
    }

    /// All threads of the block, or of the blocks of the cluster, meet.
    fn meet(&mut self, ring: Ring) -> Result<(), Stopped> {
        if ring.cluster != (1, 1) {
            self.instruction("nvvm.cluster.arrive.relaxed", &[])?;
            self.instruction("nvvm.cluster.wait", &[])?;
            return Ok(());
        }
        match self.take()? {
            Event::Sync(barrier, ..) if barrier == "gpu.barrier" => Ok(()),
            other => self.refute("gpu.barrier", &name(Some(&other))),
        }
    }

    /// The producer waits until the step before in a step's stage was read.
    fn waits_until_empty(&mut self, ring: Ring, step: &IndexForm) -> Result<(), Stopped> {
        let wait = self.instruction("nvvm.mbarrier.try_wait.parity", &[])?;
        let barrier = ring.barrier(ring.empty(), step);
        self.operand((&wait, 0), &Root::Shared, barrier.as_ref(), &[])?;
        let other = ring.parity(step).and_then(|parity| parity.xor(&IndexForm::constant(1)));
        self.operand((&wait, 1), &Root::Nothing, other.as_ref(), &[])
    }

    /// The barrier of a warp holds for its other threads: they met where each has read for itself.
    fn meets_warp(&mut self) -> Result<(), Stopped> {
        const WARP_SYNC: &str = "nvvm.bar.warp.sync";
        let meets = matches!(self.peek(), Some(Event::Instruction(next)) if next.name == WARP_SYNC);
        if !meets && self.reads {
            return self.refute(
                "the threads of a warp to meet before one of them releases a stage",
                &name(self.peek()),
            );
        }
        if meets {
            let found = self.instruction(WARP_SYNC, &[])?;
            self.operand((&found, 0), &Root::Nothing, Some(&IndexForm::constant(-1)), &[])?;
        }
        Ok(())
    }

    /// An access of a warp group's threads.
    fn access(&mut self, mut access: Access) {
        let loads = matches!(access.kind, Kind::Load | Kind::LoadMatrix);
        self.reads |= loads && matches!(access.root, Root::Buffer(_));
        access.predicates.extend(self.group.iter().cloned());
        self.accesses.add(access);
    }

    /// A thread of each warp signals to each block that writes the stage of a step that it was read.
    fn release(&mut self, step: &IndexForm, when: &[Condition]) -> Result<(), Stopped> {
        let Some(ring) = self.ring else { return self.unknown("a release outside of a pipeline") };
        let barrier = ring.barrier(ring.empty(), step);
        let lane = self.thread().and_then(|thread| thread.mask(WARP - 1));
        let Some(lane) = lane else { return self.unknown("the number of threads") };
        let predicates = [&[(lane, ring.writers())], when].concat();
        self.meets_warp()?;
        if ring.cluster == (1, 1) {
            let arrives = self.instruction("nvvm.mbarrier.arrive", &predicates)?;
            return self.operand((&arrives, 0), &Root::Shared, barrier.as_ref(), &predicates);
        }
        let begins = "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, $0, $1; \
                      mbarrier.arrive.shared::cluster.b64 _, [remote]; }";
        let Some(arrives) = self.assembly(begins) else {
            let found = name(self.peek());
            return self.refute("an arrival at a barrier of another block", &found);
        };
        let all = [&predicates[..], &self.around[..]].concat();
        self.comparison.predicates(&all, &arrives.predicates, "an arrival");
        self.operand((&arrives, 0), &Root::Nothing, barrier.as_ref(), &predicates)?;
        self.ranks(&arrives, ring)
    }

    /// The first lanes name each block of this one's column and row in the cluster, each once.
    fn ranks(&mut self, arrives: &Instruction, ring: Ring) -> Result<(), Stopped> {
        let Some(Some((_, rank))) = arrives.operands.get(1) else {
            return self.unknown("the blocks that are notified of a step that was read");
        };
        let (rows, columns) = ring.cluster;
        for own in 0..rows * columns {
            let (row, column) = (own % rows, own / rows);
            let mut expected: Vec<i64> = (0..rows).map(|row| row + rows * column).collect();
            expected.extend((0..columns).filter(|&j| j != column).map(|j| row + rows * j));
            expected.sort_unstable();
            let extents = |symbol| self.comparison.extent(symbol);
            let reported = |lane: i64| rank.value_at(&[(THREAD, lane), (RANK, own)], &extents);
            let found: Option<Vec<i64>> = (0..ring.writers()).map(reported).collect();
            let Some(mut found) = found else {
                return self.unknown("the blocks that are notified of a step that was read");
            };
            found.sort_unstable();
            if found != expected {
                let expected = format!("block {own} of a cluster to signal blocks {expected:?}");
                return self.refute(&expected, &format!("{found:?}"));
            }
        }
        self.comparison.findings.proved += 1;
        Ok(())
    }
}

/// The groups of MMAs of the step that begins with these events, which are waited for after it: the
/// registers that each reads. Those with two-level accumulation are waited for at once, as are those in
/// loops and branches, and all of registers that these write.
fn groups(events: &[Event]) -> Vec<Option<Root>> {
    let step = events.iter().take_while(|event| !matches!(event, Event::Point(Point::Read(..), _)));
    let registers = |view: Option<&View>| {
        let root = view.map(|view| view.root.clone());
        root.filter(|root| matches!(root, Root::Register(_)))
    };
    let (mut groups, mut outside, mut plain) = (Vec::new(), 0, true);
    for event in step {
        match event {
            Event::Point(Point::Full(_), around) => outside = around.len(),
            Event::Views(name, views, ..)
                if !name.ends_with(TWO_LEVELS) && !name.ends_with(INSIDE) =>
            {
                groups.push(registers(views.first()));
            }
            Event::Copy(copy) if copy.around.len() > outside => {
                plain &= registers(copy.target.as_ref()).is_none();
            }
            _ => {}
        }
    }
    groups.retain(|read| plain || read.is_none());
    groups
}

/// Bytes that a step of the pipeline loads, which begins with these events. Branches have conditions of
/// their own, and load as much each.
fn loaded(events: &[Event]) -> Option<i64> {
    let mut branches: Vec<(&[Condition], i64)> = Vec::new();
    for event in events {
        match event {
            Event::Copy(copy) if copy.kind.is_bulk_load() => {
                let target = copy.target.as_ref()?;
                let bytes = target.size().checked_mul(target.bytes)?;
                match branches.last_mut().filter(|(around, _)| *around == copy.around) {
                    Some((_, all)) => *all = all.checked_add(bytes)?,
                    None => branches.push((&copy.around, bytes)),
                }
            }
            Event::Unmodelled(..) => return None,
            Event::Point(Point::End, _) => break,
            _ => {}
        }
    }
    let bytes = branches.first().map_or(0, |&(_, bytes)| bytes);
    branches.iter().all(|&(_, other)| other == bytes).then_some(bytes)
}
