//! Barriers: those of shared memory, whose phases end with arrivals and with the bytes of bulk copies, named ones of some threads, and the block's.
//!
//! A phase of a barrier in shared memory ends when as many threads have arrived as it was initialised for, and as many bytes have come
//! as arrivals announced. Whoever waits for it then knows what the threads that arrived knew, and the copies that it counted.

use super::{
    Error,
    block_times::Blocks,
    clock::{Clock, Known},
    machine::{Access, Fault, Machine, WARP},
    orders,
    program::{Sites, call, constant, plain},
    shadow::Mark,
    waits::Wait,
};
use layout_dialect::{
    build::{Builder, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike};
use std::collections::BTreeMap;

/// Barriers in shared memory that a block has at most.
pub(super) const MAX_BARRIERS: usize = 256;

const _: () = assert!(1024 + MAX_BARRIERS <= super::shadow::MAX_AGENTS);

/// The number of named barriers of a block.
const NAMED_BARRIERS: u32 = 16;

/// Bytes of a barrier.
const BYTES: u64 = 8;

/// The fault of a thread that uses another block's barrier too early.
const NOT_MET: &str = "expected a barrier of the cluster between the initialisation of a barrier and its use by another block, found none";

/// A barrier in shared memory.
#[derive(Debug, Default)]
pub(super) struct Phase {
    /// Its number among the block's.
    slot: usize,
    /// The store that initialised it.
    init: Option<Mark>,
    /// Arrivals that end a phase, and those that this one lacks.
    count: i64,
    left: i64,
    /// Bytes that this phase lacks.
    bytes: i64,
    /// Phases that have ended.
    ended: u32,
    /// The knowledge of those who have arrived, and of those who did in the phase before.
    known: Known,
    before: Known,
}

impl Phase {
    /// Ends the phase if nothing is missing.
    fn settle(&mut self, threads: usize) {
        if self.left > 0 || self.bytes != 0 {
            return;
        }
        self.left = self.count;
        self.ended += 1;
        // The copies that it counted are steps of an agent of their own.
        let agent = threads + self.slot;
        self.known.set(agent, self.ended);
        self.before = std::mem::take(&mut self.known);
    }

    /// Whether a thread of another block than its own, `number`, knows that it was initialised.
    fn is_known(&self, number: u32, clock: &Clock) -> bool {
        let knows = |mark: Mark| clock.knows_of(number, mark.agent() as usize, mark.time());
        self.init.is_none_or(knows)
    }

    /// Why no thread may arrive.
    fn refuse_arrival(&self) -> Option<String> {
        let count = self.count;
        (self.left == 0)
            .then(|| format!("expected {count} arrivals in a phase of a barrier, found one more"))
    }

    /// Whether the last phase of this parity has ended.
    const fn has_ended(&self, parity: bool) -> bool {
        (self.ended % 2 == 1) != parity
    }
}

/// A barrier of some threads.
#[derive(Debug, Default)]
struct Named {
    /// Threads that end it.
    count: i64,
    come: i64,
    known: Known,
    waiting: Vec<usize>,
}

/// The barriers of a block.
#[derive(Debug, Default)]
pub(super) struct Phases {
    /// By address.
    barriers: BTreeMap<u64, Phase>,
    named: BTreeMap<u32, Named>,
    /// The thread that began the last copy that a barrier counts, by slot.
    copies: Vec<u32>,
}

impl Phases {
    /// The thread whose copies a barrier counts.
    pub(super) fn copies_of(&self, slot: usize) -> u32 {
        self.copies.get(slot).copied().unwrap_or(0)
    }
}

/// Writes out operations of barriers; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let name = tree::name(operation);
    let count = operation.operand_count();
    let (function, kind, operands) = match (name.as_str(), count) {
        ("nvvm.mbarrier.init", 2) => ("layout_phase", 0, 2),
        ("nvvm.mbarrier.arrive", 1) => ("layout_phase", 1, 1),
        ("nvvm.mbarrier.arrive.expect_tx", 2) => ("layout_phase", 2, 2),
        ("nvvm.mbarrier.try_wait.parity", 2 | 3) => ("layout_phase", 3, 2),
        ("nvvm.mbarrier.inval", 1) => ("layout_phase", 4, 1),
        ("nvvm.mbarrier.complete_tx", 2) => ("layout_phase", 5, 2),
        ("nvvm.barrier", 2) => ("layout_some", 0, 2),
        ("nvvm.barrier.arrive", 2) => ("layout_some", 1, 2),
        ("nvvm.fence.mbarrier.init", 0) => {
            // The initialisation is visible to copies then, and to the other blocks of a cluster.
            call(b, "layout_show", &[], None)?;
            call(b, "layout_fence", &[constant(b, 32, orders::RELEASES.into())?], None)?;
            tree::erase(operation);
            return Ok(true);
        }
        ("nvvm.fence.proxy", 0) => {
            let kind = operation.attribute("kind")?.to_string();
            if !kind.contains("async") {
                return Ok(false);
            }
            ("layout_show", 0, 0)
        }
        ("nvvm.setmaxregister", _) => ("layout_resize", 0, 0),
        ("nvvm.prefetch", _) => {
            tree::erase(operation);
            return Ok(true);
        }
        _ => return Ok(false),
    };
    let mut values = Vec::new();
    if function == "layout_resize" {
        let count = IntegerAttribute::try_from(operation.attribute("regCount")?)?.value();
        values = vec![constant(b, 32, count)?, constant(b, 32, sites.of(operation))?];
    } else if function != "layout_show" {
        values.push(constant(b, 32, kind)?);
        for at in 0..2 {
            let value = match at < operands {
                true => operand(operation, at),
                false => constant(b, 32, 0)?,
            };
            let is_pointer = value.r#type().to_string().starts_with("!llvm.ptr");
            values.push(if is_pointer { plain(b, value)? } else { value });
        }
        values.push(constant(b, 32, sites.of(operation))?);
    }
    call(b, function, &values, None)?;
    if operation.result_count() > 0 {
        // The token of an arrival, which names its phase; who waits gives a parity.
        tree::replace_uses(first_result(operation), constant(b, 64, 0)?);
    }
    tree::erase(operation);
    Ok(true)
}

impl Machine {
    /// Initialises a barrier.
    pub(super) fn begin_phases(&mut self, address: u64, count: i32, site: u32) -> bool {
        if !self.access(address, BYTES, (Access::Write, BYTES), site) {
            return false;
        }
        let thread = u32::try_from(self.current).unwrap_or(0);
        let now = self.clocks.get(self.current).map_or(0, Clock::now);
        let slots = self.phases.barriers.len();
        if slots >= MAX_BARRIERS || count < 1 {
            self.stop(site, format!(
                "expected at most {MAX_BARRIERS} barriers of at least one arrival, found number {slots} of {count}"
            ));
            return false;
        }
        let barrier = self
            .phases
            .barriers
            .entry(address)
            .or_insert_with(|| Phase { slot: slots, ..Phase::default() });
        // An agent's time never goes back: a barrier that begins again continues from an even number of phases.
        barrier.ended = barrier.ended.next_multiple_of(2);
        (barrier.count, barrier.left, barrier.bytes) = (count.into(), count.into(), 0);
        barrier.init = Some(Mark::new(self.number, thread, now, site, false));
        (barrier.known, barrier.before) = (Known::default(), Known::default());
        true
    }

    /// Looks up the mbarrier; records a fault and returns None if uninitialised.
    fn phase(&mut self, address: u64, site: u32) -> Option<&mut Phase> {
        if !self.phases.barriers.contains_key(&address) {
            self.stop(site, "expected a barrier that was initialised, found none".to_owned());
            return None;
        }
        // The stores that initialise it come before all else.
        if !self.access(address, BYTES, (Access::AtomicRead, BYTES), site) {
            return None;
        }
        self.phases.barriers.get_mut(&address)
    }

    /// Arrives at a barrier, and announces bytes of copies.
    pub(super) fn arrive(&mut self, address: u64, bytes: i32, site: u32) -> bool {
        if let Some(may) = self.arrive_elsewhere(address, bytes, site) {
            return may;
        }
        let (current, threads) = (self.current, self.threads.len());
        let Some(barrier) = self.phase(address, site) else { return false };
        if let Some(message) = barrier.refuse_arrival() {
            self.stop(site, message);
            return false;
        }
        let mut known = std::mem::take(&mut barrier.known);
        if let Some(clock) = self.clocks.get_mut(current) {
            clock.release(current, &mut known);
        }
        if let Some(barrier) = self.phases.barriers.get_mut(&address) {
            (barrier.known, barrier.left) = (known, barrier.left - 1);
            barrier.bytes += i64::from(bytes);
            barrier.settle(threads);
        }
        true
    }

    /// Arrives at a barrier of this block for a thread of another one, with the clock `clock`, which releases some knowledge.
    pub(super) fn arrive_for(
        &mut self,
        (address, bytes): (u64, i32),
        (released, clock): (&Blocks, &Clock),
    ) -> Result<(), String> {
        let (number, threads) = (self.number, self.threads.len());
        let barrier = self.phases.barriers.get_mut(&address);
        let barrier = barrier.ok_or("expected a barrier that was initialised, found none")?;
        if let Some(message) = barrier.refuse_arrival() {
            return Err(message);
        }
        if !barrier.is_known(number, clock) {
            return Err(NOT_MET.to_owned());
        }
        barrier.known.add(number, released);
        barrier.left -= 1;
        barrier.bytes += i64::from(bytes);
        barrier.settle(threads);
        Ok(())
    }

    /// Whether a thread has to wait for a phase, or `None` if there is no barrier.
    pub(super) fn has_ended(&mut self, address: u64, parity: bool, site: u32) -> Option<bool> {
        let current = self.current;
        let barrier = self.phase(address, site)?;
        if !barrier.has_ended(parity) {
            return Some(false);
        }
        let before = std::mem::take(&mut barrier.before);
        if let Some(clock) = self.clocks.get_mut(current) {
            clock.acquire(&before, &mut None);
        }
        if let Some(barrier) = self.phases.barriers.get_mut(&address) {
            barrier.before = before;
        }
        Some(true)
    }

    /// Forgets a barrier, whose memory is free then.
    pub(super) fn end_phases(&mut self, address: u64, site: u32) -> bool {
        self.phase(address, site).is_some()
            && self.access(address, BYTES, (Access::Write, BYTES), site)
    }

    /// Counts a copy that a thread begins, maybe one of another block; the mark of its store in the end.
    pub(super) fn count_copy(
        &mut self,
        (from, clock): (u32, &Clock),
        address: u64,
        site: u32,
    ) -> Option<Mark> {
        let (current, threads, number) = (self.current, self.threads.len(), self.number);
        let barrier = match from == number {
            true => self.phase(address, site)?,
            false => {
                let found = self.phases.barriers.get(&address);
                let knows = found.map(|found| found.is_known(number, clock));
                if knows != Some(true) {
                    self.stop(
                        site,
                        match knows {
                            None => {
                                "expected a barrier that was initialised, found none".to_owned()
                            }
                            Some(_) => NOT_MET.to_owned(),
                        },
                    );
                    return None;
                }
                self.phases.barriers.get_mut(&address)?
            }
        };
        let (slot, ended, init) = (barrier.slot, barrier.ended, barrier.init);
        if self.phases.copies.len() <= slot {
            self.phases.copies.resize(slot + 1, 0);
        }
        if let Some(thread) = self.phases.copies.get_mut(slot) {
            *thread = u32::try_from(current).unwrap_or(0);
        }
        let is_shown = |init: &Mark| {
            let agent = init.agent() as usize;
            match from == number {
                true => clock.shows(agent, init.time()),
                false => clock.shows_of(number, agent, init.time()),
            }
        };
        if let Some(init) = init.filter(|init| !is_shown(init)) {
            let other = self.place(init.agent() as usize, init.site());
            self.fault = Some(Fault {
                at: self.place(current, site),
                message: "expected a fence.mbarrier.init between the initialisation of a barrier and a copy that signals it, found none"
                    .to_owned(),
                other: Some((other, "it starts here".to_owned())),
            });
            return None;
        }
        let agent = u32::try_from(threads + slot).unwrap_or(0);
        Some(Mark::new(self.number, agent, ended + 1, site, false))
    }

    /// Counts bytes that no copy brings.
    pub(super) fn complete(&mut self, address: u64, bytes: i32, site: u32) -> bool {
        let is_there = self.phase(address, site).is_some();
        if is_there {
            self.count_bytes(address, bytes.into());
        }
        is_there
    }

    /// Counts the bytes of a copy that has ended.
    pub(super) fn count_bytes(&mut self, address: u64, bytes: i64) {
        let threads = self.threads.len();
        if let Some(barrier) = self.phases.barriers.get_mut(&address) {
            barrier.bytes -= bytes;
            barrier.settle(threads);
        }
    }

    /// Comes to a named barrier; whether the thread has to wait there, or `None` if it may not.
    pub(super) fn come(&mut self, number: u32, count: i32, waits: bool, site: u32) -> Option<bool> {
        let current = self.current;
        let count = i64::from(count);
        let named = self.phases.named.entry(number).or_default();
        if named.come == 0 {
            named.count = count;
        }
        if number >= NAMED_BARRIERS || named.count != count || count % 32 != 0 || count < 1 {
            let expected = named.count;
            self.stop(site, format!(
                "expected {expected} threads, a multiple of 32, at one of {NAMED_BARRIERS} barriers, found {count} at barrier {number}"
            ));
            return None;
        }
        named.come += 1;
        if let Some(clock) = self.clocks.get_mut(current) {
            clock.release(current, &mut named.known);
        }
        if named.come < count {
            if waits {
                named.waiting.push(current);
            }
            return Some(waits);
        }
        // The last one lets all continue.
        let Named { known, mut waiting, .. } = std::mem::take(named);
        if waits {
            waiting.push(current);
        }
        let mut shared = None;
        for thread in waiting {
            if let Some(clock) = self.clocks.get_mut(thread) {
                clock.acquire(&known, &mut shared);
            }
            if let Some(thread) = self.threads.get_mut(thread) {
                thread.waits = None;
            }
        }
        Some(false)
    }

    /// Lets the threads continue whose phase has ended.
    pub(super) fn pass_phases(&mut self) -> bool {
        let (mut any, mut shared) = (false, None);
        let mut last = 0;
        for (number, thread) in self.threads.iter_mut().enumerate() {
            let Some(Wait::Phase { barrier, parity, .. }) = thread.waits else { continue };
            let Some(phase) = self.phases.barriers.get(&barrier) else { continue };
            if !phase.has_ended(parity) {
                continue;
            }
            if last != barrier {
                (last, shared) = (barrier, None);
            }
            if let Some(clock) = self.clocks.get_mut(number) {
                clock.acquire(&phase.before, &mut shared);
            }
            (thread.waits, any) = (None, true);
        }
        any
    }

    /// Whether all threads wait at one barrier of the block.
    pub(super) fn is_at_barrier(&self) -> bool {
        let at = |thread: &super::machine::Thread| match thread.waits {
            Some(Wait::Barrier { site } | Wait::Gather { site, .. }) => Some(site),
            _ => None,
        };
        let first = self.threads.first().and_then(at);
        first.is_some() && self.threads.iter().all(|thread| at(thread) == first)
    }

    /// Lets all threads continue where all wait at one barrier; refuses that only some of them do.
    pub(super) fn pass_barrier(&mut self) -> bool {
        let place = |is: fn(&Wait) -> bool| {
            self.threads.iter().position(|thread| thread.waits.as_ref().is_some_and(is))
        };
        // Who gets no registers keeps others waiting.
        let first =
            place(|wait| matches!(wait, Wait::Registers { .. })).or_else(|| place(|_| true));
        let Some((first, wait)) = first.and_then(|at| Some((at, self.threads[at].waits?))) else {
            return false;
        };
        if wait.may_end() {
            return self.refuse_wait(first, wait);
        }
        let differs =
            |thread: &super::machine::Thread| thread.waits.map(Wait::site) != Some(wait.site());
        if let Some(other) = self.threads.iter().position(differs) {
            let at = self.place(first, wait.site());
            let count = self.threads.len();
            let does = match wait {
                Wait::Gather { .. } => "execute this reduction",
                _ => "arrive at this barrier",
            };
            let message = format!(
                "expected all {count} threads of a block to {does}, found thread {other} absent"
            );
            let other = match self.threads[other].waits {
                Some(own) => (self.place(other, own.site()), "it waits here".to_owned()),
                None => (self.place(other, wait.site()), "it has returned".to_owned()),
            };
            self.fault = Some(Fault { at, message, other: Some(other) });
            return false;
        }
        if matches!(wait, Wait::Gather { .. }) {
            let value = |thread: &super::machine::Thread| match thread.waits {
                Some(Wait::Gather { value, .. }) => value,
                _ => 0,
            };
            self.gathered = self.threads.iter().map(value).collect();
            self.threads.iter_mut().for_each(|thread| thread.waits = None);
            return true;
        }
        self.threads.iter_mut().for_each(|thread| thread.waits = None);
        Clock::join(&mut self.clocks, 0);
        if let Some(patterns) = &mut self.patterns {
            (0..self.threads.len().div_ceil(WARP)).for_each(|warp| patterns.complete(warp));
        }
        true
    }

    /// Says why a thread waits for ever.
    pub(super) fn refuse_wait(&mut self, thread: usize, wait: Wait) -> bool {
        let message = match wait {
            Wait::Phase { barrier, .. } => {
                let phase = self.phases.barriers.get(&barrier);
                let (left, bytes) = phase.map_or((0, 0), |phase| (phase.left, phase.bytes));
                format!(
                    "expected an end of the barrier's phase that this waits for, found {left} arrivals and {bytes} bytes of \
                     copies missing when no thread went on"
                )
            }
            Wait::Some { number, .. } => {
                let named = self.phases.named.get(&number);
                let (count, come) = named.map_or((0, 0), |named| (named.count, named.come));
                format!(
                    "expected {count} threads to arrive at barrier {number}, found {come} when no thread could continue"
                )
            }
            Wait::Cluster { .. } => format!(
                "expected all threads of the cluster to arrive at its barrier, found {} missing when no thread could continue",
                self.missing_in_cluster()
            ),
            Wait::Registers { count, .. } => self.registers.refuse(count, self.threads.len()),
            _ => "expected all threads of a warpgroup to execute this MMA, found one that does not"
                .to_owned(),
        };
        let other = self.threads.iter().enumerate().find_map(|(number, own)| {
            let site = own.waits.filter(|other| other.site() != wait.site())?.site();
            Some((self.place(number, site), "it waits here".to_owned()))
        });
        self.fault = Some(Fault { at: self.place(thread, wait.site()), message, other });
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_arrivals_and_bytes() {
        let mut phase = Phase { slot: 1, count: 2, left: 2, ..Phase::default() };
        // Before the first one ends, that of the other parity counts as ended.
        assert!(!phase.has_ended(false) && phase.has_ended(true));
        (phase.left, phase.bytes) = (0, 128);
        phase.settle(4);
        assert!(!phase.has_ended(false));
        phase.bytes = 0;
        phase.settle(4);
        assert!(phase.has_ended(false) && !phase.has_ended(true));
        assert_eq!((phase.left, phase.before.time(5)), (2, Some(1)));
    }
}
