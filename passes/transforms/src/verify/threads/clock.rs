//! Vector clocks: the events that each thread knows to be done.
//!
//! An *agent* does things in its own order: a thread, or what works beside the threads, as the copies that complete at
//! one barrier or the MMAs of one warpgroup. An event of an agent is complete for a thread whose clock of that
//! agent is as late. Threads pass their clocks on where they meet, and where one waits for what another has arrived at.
//! A proxy fence of a thread shows all that is done for it to the asynchronous proxy; that is passed on alike.

use std::{collections::BTreeMap, rc::Rc};

/// An agent other than the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AsyncAgent {
    /// The `cp.async` copies of a thread, by its groups.
    Async(usize),
    /// The bulk copies that a thread issues and that groups of it complete.
    BulkGroups(usize),
    /// The bulk copies that complete at a barrier, by its phases.
    Barrier(Key),
    /// The MMAs of a warpgroup, by its groups.
    Mmas(usize),
}

/// A barrier in memory: an `mbarrier` at an address in shared memory, or one of a `layout.pipeline`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// The one at a byte of shared memory, or of a number in a buffer.
    At(Option<usize>, i64),
    /// A stage of a pipeline, by its number: its bytes have arrived.
    Full(usize, i64),
    /// A stage was read.
    Empty(usize, i64),
}

/// How late each agent is; 0 of those that are not in it.
#[derive(Clone, Default)]
pub(super) struct Times {
    done: Vec<u32>,
    /// The same of what fences show to the asynchronous proxy.
    shown: Vec<u32>,
}

pub(super) type Clock = Rc<Times>;

pub(super) struct Clocks {
    /// The clocks of each thread, without itself.
    known: Vec<Clock>,
    own: Vec<u32>,
    agents: BTreeMap<AsyncAgent, usize>,
}

fn at(times: &[u32], agent: usize) -> u32 {
    times.get(agent).copied().unwrap_or(0)
}

/// The later of both for each agent.
fn latest(one: &[u32], other: &[u32]) -> Vec<u32> {
    let length = one.len().max(other.len());
    (0..length).map(|agent| at(one, agent).max(at(other, agent))).collect()
}

fn is_later(one: &[u32], other: &[u32]) -> bool {
    other.iter().enumerate().all(|(agent, &time)| at(one, agent) >= time)
}

/// Lets an agent be as late.
fn raise(times: &mut Vec<u32>, agent: usize, time: u32) {
    if times.len() <= agent {
        times.resize(agent + 1, 0);
    }
    times[agent] = times[agent].max(time);
}

/// The later of both clocks.
pub(super) fn later(one: &Clock, other: &Clock) -> Clock {
    if Rc::ptr_eq(one, other)
        || is_later(&one.done, &other.done) && is_later(&one.shown, &other.shown)
    {
        return Rc::clone(one);
    }
    let (done, shown) = (latest(&one.done, &other.done), latest(&one.shown, &other.shown));
    Rc::new(Times { done, shown })
}

impl Clocks {
    pub(super) fn new(threads: usize) -> Self {
        let none = Clock::default();
        Self { known: vec![none; threads], own: vec![1; threads], agents: BTreeMap::new() }
    }

    /// The number of threads.
    pub(super) fn threads(&self) -> usize {
        self.own.len()
    }

    /// The agent beside the threads.
    pub(super) fn agent(&mut self, agent: AsyncAgent) -> usize {
        let next = self.own.len() + self.agents.len();
        *self.agents.entry(agent).or_insert(next)
    }

    /// How late an agent is for a thread.
    pub(super) fn of(&self, thread: usize, agent: usize) -> u32 {
        if thread == agent { self.own[thread] } else { at(&self.known[thread].done, agent) }
    }

    /// The clock of a thread, itself included; its later events are later.
    pub(super) fn release(&mut self, thread: usize) -> Clock {
        let own = self.own[thread];
        let clock = with(&self.known[thread], thread, own);
        self.own[thread] = own.saturating_add(1);
        clock
    }

    /// A thread learns what a clock says.
    pub(super) fn acquire(&mut self, thread: usize, clock: &Clock) {
        self.known[thread] = later(&self.known[thread], clock);
    }

    /// A thread learns that an agent is as late.
    pub(super) fn learn(&mut self, thread: usize, agent: usize, time: u32) {
        if at(&self.known[thread].done, agent) < time {
            self.known[thread] = with(&self.known[thread], agent, time);
        }
    }

    /// Threads meet: each knows what any of them knew.
    pub(super) fn meet(&mut self, threads: &[usize]) {
        let Some(&first) = threads.first() else { return };
        let mut all = Times::clone(&self.known[first]);
        let mut last = Rc::clone(&self.known[first]);
        for &thread in threads {
            let known = &self.known[thread];
            if !Rc::ptr_eq(known, &last) {
                all.done = latest(&all.done, &known.done);
                all.shown = latest(&all.shown, &known.shown);
                last = Rc::clone(known);
            }
        }
        for &thread in threads {
            raise(&mut all.done, thread, self.own[thread]);
        }
        let all = Rc::new(all);
        for &thread in threads {
            self.known[thread] = Rc::clone(&all);
            self.own[thread] = self.own[thread].saturating_add(1);
        }
    }

    /// A proxy fence of a thread.
    pub(super) fn fence(&mut self, thread: usize) {
        let own = self.own[thread];
        let known = &self.known[thread];
        let mut shown = latest(&known.shown, &known.done);
        raise(&mut shown, thread, own);
        self.known[thread] = Rc::new(Times { done: known.done.clone(), shown });
        self.own[thread] = own.saturating_add(1);
    }

    /// Whether fences that a thread knows of show what an agent did at a time.
    pub(super) fn is_shown(&self, thread: usize, agent: usize, time: u32) -> bool {
        at(&self.known[thread].shown, agent) >= time
    }
}

/// A clock that says of an agent that it is as late.
pub(super) fn with(clock: &Clock, agent: usize, time: u32) -> Clock {
    let mut all = Times::clone(clock);
    raise(&mut all.done, agent, time);
    Rc::new(all)
}
