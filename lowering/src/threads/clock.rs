//! The order of events: vector clocks of the threads of a block, and of its barriers' bulk copies.
//!
//! An agent is a thread, or a barrier in shared memory, whose phases are the steps of the copies that it counts. A thread's accesses have
//! the number of its releases so far, its own time. A release passes on what the thread knows of all agents, and an acquire adds
//! to that: an access of another agent came before one of this thread where the thread knows that agent's time.
//!
//! Threads of other blocks are agents of their block: what is known of them is a list of times for each such block, which a release passes on
//! and an acquire takes, as those of the block's own.
//!
//! Clocks of kernels with asynchronous copies or MMAs are twice as long: after the times come those up to which stores are visible to the
//! asynchronous proxy, which a `fence.proxy.async` sets to the times that its thread knows.

use super::block_times::{Blocks, Times, later};
use std::rc::Rc;

/// Knowledge of the agents of a block, and of those of other blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    times: Vec<u32>,
    others: Option<Blocks>,
}

impl Known {
    /// Sets the time of an agent of the block.
    pub(super) fn set(&mut self, agent: usize, time: u32) {
        self.times.resize(self.times.len().max(agent + 1), 0);
        if let Some(own) = self.times.get_mut(agent) {
            *own = time;
        }
    }

    /// Adds knowledge that a thread of another block has released, for agents of block number `block`.
    pub(super) fn add(&mut self, block: u32, released: &Blocks) {
        if let Some(times) = released.get(block) {
            self.times.resize(self.times.len().max(times.len()), 0);
            for (own, &time) in self.times.iter_mut().zip(&**times) {
                *own = (*own).max(time);
            }
        }
        add_others(&mut self.others, Some(released));
    }

    #[cfg(test)]
    pub(super) fn time(&self, agent: usize) -> Option<u32> {
        self.times.get(agent).copied()
    }
}

/// Adds what is known of blocks to what is known of them.
pub(super) fn add_others(to: &mut Option<Blocks>, from: Option<&Blocks>) {
    let Some(from) = from else { return };
    *to = Some(to.as_ref().map_or_else(|| from.clone(), |own| own.with_all(from)));
}

/// The knowledge of threads that knew the same, before and after they acquired the same.
pub(super) type Shared = Option<[(Times, Option<Blocks>); 2]>;

/// A thread's knowledge.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    times: Times,
    /// Its knowledge of other blocks; of its own block, `times` alone says it.
    others: Option<Blocks>,
    /// The time of the thread's next access.
    now: u32,
}

impl Clock {
    /// The initial clocks of all threads.
    pub(super) fn all(threads: usize, agents: usize, has_proxies: bool) -> Vec<Self> {
        let length = if has_proxies { 2 * agents } else { agents };
        let times: Times = vec![0; length].into();
        (0..threads).map(|_| Self { times: times.clone(), others: None, now: 1 }).collect()
    }

    pub(super) const fn now(&self) -> u32 {
        self.now
    }

    /// Whether a time of an agent is known.
    pub(super) fn knows(&self, agent: usize, time: u32) -> bool {
        self.times.get(agent).is_some_and(|&known| known >= time)
    }

    /// The same of an agent of another block.
    pub(super) fn knows_of(&self, block: u32, agent: usize, time: u32) -> bool {
        let times = self.others.as_ref().and_then(|others| others.get(block));
        times.and_then(|times| times.get(agent)).is_some_and(|&known| known >= time)
    }

    /// Whether stores of an agent at a time are visible to the asynchronous proxy.
    pub(super) fn shows(&self, agent: usize, time: u32) -> bool {
        self.times.get(self.times.len() / 2 + agent).is_some_and(|&known| known >= time)
    }

    /// The same of an agent of another block.
    pub(super) fn shows_of(&self, block: u32, agent: usize, time: u32) -> bool {
        let times = self.others.as_ref().and_then(|others| others.get(block));
        times.is_some_and(|all| all.get(all.len() / 2 + agent).is_some_and(|&known| known >= time))
    }

    /// Passes on what the thread knows, its accesses so far among that.
    pub(super) fn release(&mut self, thread: usize, into: &mut Known) {
        let Known { times, others } = into;
        times.resize(self.times.len().max(times.len()), 0);
        for (known, &time) in times.iter_mut().zip(&*self.times) {
            *known = (*known).max(time);
        }
        if let Some(known) = times.get_mut(thread) {
            *known = (*known).max(self.now);
        }
        add_others(others, self.others.as_ref());
        self.now += 1;
    }

    /// The same for threads of any block, by a thread of block number `block`.
    pub(super) fn release_to_all(&mut self, thread: usize, block: u32) -> Blocks {
        let mut times = self.times.to_vec();
        if let Some(known) = times.get_mut(thread) {
            *known = (*known).max(self.now);
        }
        self.now += 1;
        self.others.clone().unwrap_or_default().with(block, &times.into())
    }

    /// Adds what others know. Threads that knew the same before share a list then, by way of `shared`.
    pub(super) fn acquire(&mut self, from: &Known, shared: &mut Shared) {
        let is_same = |one: &Option<Blocks>, other: &Option<Blocks>| match (one, other) {
            (Some(one), Some(other)) => one.is(other),
            (None, None) => true,
            _ => false,
        };
        if let Some([(times, others), after]) = shared
            && Rc::ptr_eq(times, &self.times)
            && is_same(others, &self.others)
        {
            (self.times, self.others) = after.clone();
            return;
        }
        let before = (self.times.clone(), self.others.clone());
        let at =
            |(place, &time): (usize, &u32)| from.times.get(place).map_or(time, |&t| t.max(time));
        self.times = self.times.iter().enumerate().map(at).collect();
        add_others(&mut self.others, from.others.as_ref());
        *shared = Some([before, (self.times.clone(), self.others.clone())]);
    }

    /// Adds what threads of any block have released; this one is of block number `block`.
    pub(super) fn acquire_from_all(&mut self, block: u32, from: &Blocks) {
        if let Some(times) = from.get(block) {
            self.times = later(&self.times, times);
        }
        add_others(&mut self.others, Some(from));
    }

    /// Makes what the thread knows of and has done visible to the asynchronous proxy.
    pub(super) fn show(&mut self, thread: usize) {
        let half = self.times.len() / 2;
        let mut times = self.times.to_vec();
        let (known, shown) = times.split_at_mut(half);
        if let Some(own) = known.get_mut(thread) {
            *own = self.now;
        }
        shown.copy_from_slice(known);
        self.times = times.into();
        self.now += 1;
    }

    /// Lets threads that wait for each other know what each of them does; `first` is the number of the first one.
    pub(super) fn join(all: &mut [Self], first: usize) {
        let Some(one) = all.first() else { return };
        let mut joined = one.times.to_vec();
        let mut before = one.times.clone();
        let mut others = one.others.clone();
        for (number, own) in all.iter_mut().enumerate() {
            add_others(&mut others, own.others.as_ref());
            if !Rc::ptr_eq(&before, &own.times) {
                before = own.times.clone();
                for (known, &time) in joined.iter_mut().zip(&*own.times) {
                    *known = (*known).max(time);
                }
            }
            if let Some(known) = joined.get_mut(first + number) {
                *known = (*known).max(own.now);
            }
            own.now += 1;
        }
        let joined: Times = joined.into();
        for own in all {
            (own.times, own.others) = (joined.clone(), others.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_know_what_came_before_a_synchronisation() {
        let mut all = Clock::all(3, 3, false);
        let before = all[0].now();
        assert!(!all[1].knows(0, before));
        Clock::join(&mut all[..2], 0);
        assert!(all[1].knows(0, before) && !all[1].knows(0, all[0].now()));
        assert!(!all[2].knows(0, before));
        // By way of another thread.
        Clock::join(&mut all[1..], 1);
        assert!(all[2].knows(0, before));
    }

    #[test]
    fn an_acquire_takes_what_was_released() {
        let mut all = Clock::all(2, 2, false);
        let (mut passed, before) = (Known::default(), all[0].now());
        all[0].release(0, &mut passed);
        all[1].acquire(&passed, &mut None);
        assert!(all[1].knows(0, before) && !all[1].knows(0, before + 1));
    }

    #[test]
    fn stores_are_shown_by_a_fence_alone() {
        let mut all = Clock::all(2, 2, true);
        let stored = all[0].now();
        Clock::join(&mut all, 0);
        assert!(all[1].knows(0, stored) && !all[1].shows(0, stored));
        all[0].show(0);
        assert!(all[0].shows(0, stored) && !all[1].shows(0, stored));
        Clock::join(&mut all, 0);
        assert!(all[1].shows(0, stored));
    }

    #[test]
    fn a_release_reaches_other_blocks() {
        let mut first = Clock::all(2, 2, false);
        let stored = first[1].now();
        Clock::join(&mut first, 0);
        let released = first[0].release_to_all(0, 7);
        let mut second = Clock::all(2, 2, false);
        second[1].acquire_from_all(8, &released);
        assert!(second[1].knows_of(7, 1, stored) && !second[1].knows_of(7, 1, stored + 1));
        assert!(!second[0].knows_of(7, 1, stored) && !second[1].knows(1, stored));
        // A barrier passes it on, and so does a release to a third block.
        Clock::join(&mut second, 0);
        assert!(second[0].knows_of(7, 1, stored));
        let mut third = Clock::all(2, 2, false);
        third[0].acquire_from_all(9, &second[0].release_to_all(0, 8));
        assert!(third[0].knows_of(7, 1, stored));
    }
}
