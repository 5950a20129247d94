//! Barriers that threads arrive at and wait for one by one: `mbarrier`s, those of pipelines, and the numbered ones of
//! some of a block's threads.

use super::clock::{Clock, Key, later, with};
use std::{collections::BTreeMap, rc::Rc};

/// An `mbarrier`: phases that end when as many have arrived and all bytes that are expected have come.
pub(super) struct Mbarrier {
    count: i64,
    /// Arrivals that the phase lacks.
    pending: i64,
    /// Bytes that the phase lacks; copies may come before their bytes are expected.
    bytes: i64,
    /// Phases that ended.
    phase: u32,
    /// The clocks of those that arrived in this phase, and in the last one.
    now: Clock,
    last: Clock,
    /// The thread that made it, and when, or `None` for those of pipelines, which all threads meet after.
    made: Option<(usize, u32)>,
}

impl Mbarrier {
    fn new(count: i64, made: Option<(usize, u32)>) -> Self {
        let none = Clock::default();
        Self { count, pending: count, bytes: 0, phase: 0, now: Rc::clone(&none), last: none, made }
    }

    /// The phase that copies complete in now, counted from 1.
    pub(super) fn current(&self) -> u32 {
        self.phase.saturating_add(1)
    }

    /// The phase ends where nothing lacks; whether it did. The copies that complete at it are done then.
    fn end(&mut self, agent: usize) -> bool {
        if self.pending > 0 || self.bytes != 0 {
            return false;
        }
        self.last = with(&self.now, agent, self.current());
        self.now = Clock::default();
        self.pending = self.count;
        self.phase = self.current();
        true
    }
}

/// The event that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitEvent {
    /// The phase of this parity ended.
    Parity(i64),
    /// So many phases ended.
    Phases(i64),
}

/// All of a block's.
#[derive(Default)]
pub(super) struct Barriers {
    all: BTreeMap<Key, Mbarrier>,
    numbered: BTreeMap<i64, Numbered>,
}

/// A numbered barrier: how many arrived since it opened last, with what they know, and what is known after it each
/// time that it opened.
#[derive(Default)]
struct Numbered {
    arrived: usize,
    now: Clock,
    opened: Vec<Clock>,
}

/// Why a barrier operation is wrong, in words.
pub(super) type Fault = String;

impl Barriers {
    pub(super) fn init(&mut self, key: Key, count: i64, made: Option<(usize, u32)>) {
        self.all.insert(key, Mbarrier::new(count, made));
    }

    /// The thread that made a barrier, and when.
    pub(super) fn made(&self, key: Key) -> Option<(usize, u32)> {
        self.all.get(&key)?.made
    }

    pub(super) fn retire(&mut self, key: Key) {
        self.all.remove(&key);
    }

    /// The phase that copies complete in now.
    pub(super) fn current(&self, key: Key) -> Option<u32> {
        self.all.get(&key).map(Mbarrier::current)
    }

    /// So many arrive at once with what they know, and more bytes are expected, or fewer where they came; whether a
    /// phase ended.
    pub(super) fn arrive(
        &mut self,
        key: Key,
        agent: usize,
        (count, bytes): (i64, i64),
        clock: Option<&Clock>,
    ) -> Result<bool, Fault> {
        let Some(barrier) = self.all.get_mut(&key) else {
            return Err("a barrier that was made before".to_owned());
        };
        if count > barrier.pending {
            return Err(format!("at most {} arrivals in phase {}", barrier.count, barrier.phase));
        }
        barrier.pending = barrier.pending.saturating_sub(count);
        barrier.bytes = barrier.bytes.saturating_add(bytes);
        if let Some(clock) = clock {
            barrier.now = later(&barrier.now, clock);
        }
        Ok(barrier.end(agent))
    }

    /// Whether what is waited for has come, and what is known then.
    pub(super) fn has_come(&self, key: Key, until: WaitEvent) -> Option<Option<Clock>> {
        let barrier = self.all.get(&key)?;
        let come = match until {
            WaitEvent::Parity(parity) => i64::from(barrier.phase & 1) != parity & 1,
            WaitEvent::Phases(phases) => i64::from(barrier.phase) >= phases,
        };
        Some(come.then(|| Rc::clone(&barrier.last)))
    }

    /// The missing part of the phase that is waited for: its number, arrivals, and bytes.
    pub(super) fn lacks(&self, key: Key) -> Option<(u32, i64, i64)> {
        self.all.get(&key).map(|barrier| (barrier.phase, barrier.pending, barrier.bytes))
    }

    /// A thread arrives at a numbered barrier with what it knows: how often that has opened before.
    pub(super) fn meet(&mut self, number: i64, count: usize, clock: &Clock) -> usize {
        let barrier = self.numbered.entry(number).or_default();
        let before = barrier.opened.len();
        barrier.arrived = barrier.arrived.saturating_add(1);
        barrier.now = later(&barrier.now, clock);
        if barrier.arrived >= count {
            barrier.arrived = 0;
            barrier.opened.push(std::mem::take(&mut barrier.now));
        }
        before
    }

    /// The clock after a numbered barrier that had opened so often before, where it has opened.
    pub(super) fn opened(&self, number: i64, before: usize) -> Option<&Clock> {
        self.numbered.get(&number)?.opened.get(before)
    }
}
