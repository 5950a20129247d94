//! The order of events: vector clocks of the threads of a block, and of its barriers' bulk copies.
//!
//! An agent is a thread, or a barrier in shared memory, whose phases are the steps of the copies that it counts. A thread's accesses have
//! the number of its releases so far, its own time. A release passes on what the thread knows of all agents, and an acquire adds
//! to that: an access of another agent came before one of this thread where the thread knows that agent's time.
//!
//! Clocks of kernels with asynchronous copies or MMAs are twice as long: after the times come those up to which stores are visible to the
//! asynchronous proxy, which a `fence.proxy.async` sets to the times that its thread knows.

use std::rc::Rc;

/// The times that a thread knows of; threads that synchronised share one list.
pub(super) type Times = Rc<[u32]>;

/// A thread's knowledge.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    times: Times,
    /// The time of the thread's next access.
    now: u32,
}

impl Clock {
    /// The initial clocks of all threads.
    pub(super) fn all(threads: usize, agents: usize, has_proxies: bool) -> Vec<Self> {
        let length = if has_proxies { 2 * agents } else { agents };
        let times: Times = vec![0; length].into();
        (0..threads).map(|_| Self { times: times.clone(), now: 1 }).collect()
    }

    pub(super) const fn now(&self) -> u32 {
        self.now
    }

    /// Whether a time of an agent is known.
    pub(super) fn knows(&self, agent: usize, time: u32) -> bool {
        self.times.get(agent).is_some_and(|&known| known >= time)
    }

    /// Whether stores of an agent at a time are visible to the asynchronous proxy.
    pub(super) fn shows(&self, agent: usize, time: u32) -> bool {
        self.times.get(self.times.len() / 2 + agent).is_some_and(|&known| known >= time)
    }

    /// Passes on what the thread knows, its accesses so far among that.
    pub(super) fn release(&mut self, thread: usize, into: &mut Vec<u32>) {
        into.resize(self.times.len().max(into.len()), 0);
        for (known, &time) in into.iter_mut().zip(&*self.times) {
            *known = (*known).max(time);
        }
        if let Some(known) = into.get_mut(thread) {
            *known = (*known).max(self.now);
        }
        self.now += 1;
    }

    /// Adds what others know. Threads that knew the same before share a list then, by way of `shared`.
    pub(super) fn acquire(&mut self, from: &[u32], shared: &mut Option<(Times, Times)>) {
        if let Some((before, after)) = shared
            && Rc::ptr_eq(before, &self.times)
        {
            self.times = after.clone();
            return;
        }
        let later = |(place, &time): (usize, &u32)| from.get(place).map_or(time, |&t| t.max(time));
        let after: Times = self.times.iter().enumerate().map(later).collect();
        *shared = Some((std::mem::replace(&mut self.times, after.clone()), after));
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
        for (number, own) in all.iter_mut().enumerate() {
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
        all.iter_mut().for_each(|own| own.times = joined.clone());
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
        let (mut passed, before) = (Vec::new(), all[0].now());
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
}
