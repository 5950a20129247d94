//! The last accesses to each piece of memory, and whether two accesses are ordered.
//!
//! Two accesses to one address, at least one of them a store and not both atomic, race unless one thread made both, or the later
//! thread knew of the earlier access by its [`Clock`]: a barrier or a synchronisation of their warp is between them. Threads of two blocks
//! have an order where an atomic operation of one acquires what one of the other released. An asynchronous copy stores at any time from where it begins to where it is waited for: whoever accesses
//! its bytes in between races with it, its own thread too. So does whoever stores to what an asynchronous operation reads.

use super::clock::Clock;

/// Bits of [`Mark::who`] that hold the site.
const SITE: u32 = 21;

/// The first site that marks cannot name.
pub(super) const MAX_SITES: usize = 1 << (SITE - 1);

/// Agents that marks can name: threads, and barriers that count copies.
pub(super) const MAX_AGENTS: usize = 1 << (32 - SITE);

/// The first time that says of a read that it is in flight: the rest is the read's number.
const IN_FLIGHT: u32 = 1 << 31;

/// Who made an access, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    block: u32,
    /// The agent's own time.
    time: u32,
    /// Agent, whether it was atomic, and the site.
    who: u32,
}

impl Mark {
    const NONE: Self = Self { block: u32::MAX, time: 0, who: 0 };

    pub(super) const fn new(block: u32, agent: u32, time: u32, site: u32, atomic: bool) -> Self {
        Self { block, time, who: agent << SITE | (atomic as u32) << (SITE - 1) | site }
    }

    pub(super) const fn block(self) -> u32 {
        self.block
    }

    pub(super) const fn agent(self) -> u32 {
        self.who >> SITE
    }

    pub(super) const fn site(self) -> u32 {
        self.who & (MAX_SITES as u32 - 1)
    }

    pub(super) const fn time(self) -> u32 {
        self.time
    }

    const fn is_atomic(self) -> bool {
        self.who >> (SITE - 1) & 1 == 1
    }

    const fn is_none(self) -> bool {
        self.block == u32::MAX
    }

    /// As a read that continues until it is waited for.
    pub(super) const fn under_way(self, number: u32) -> Self {
        Self { time: IN_FLIGHT | number, ..self }
    }

    /// Whether it is a read that continues.
    pub(super) const fn is_under_way(self) -> bool {
        self.time >= IN_FLIGHT
    }

    /// Whether another access, which is later, may also have come first; `knows` is the clock of its thread.
    fn races(self, later: Self, knows: &Clock) -> bool {
        if self.is_none() || (self.is_atomic() && later.is_atomic()) {
            return false;
        }
        !self.is_before(later, knows)
    }

    /// Whether it came before another access.
    fn is_before(self, later: Self, knows: &Clock) -> bool {
        let agent = self.agent() as usize;
        !self.is_under_way()
            && match self.block == later.block {
                true => self.agent() == later.agent() || knows.knows(agent, self.time),
                false => knows.knows_of(self.block, agent, self.time),
            }
    }
}

/// The last accesses to each piece of some memory.
#[derive(Debug)]
pub(super) struct Shadow {
    /// Bytes of a piece.
    granule: usize,
    writes: Vec<Mark>,
    /// The readers of each piece since its last store that no later reader knew of, with the last one in front: two of a warp,
    /// and some of other blocks. None as long as nothing was read.
    reads: Vec<Vec<Mark>>,
    /// Atomic stores of each piece since its last plain one, in the same way: they have no order with it, and none with each other.
    atomics: Vec<Vec<Mark>>,
    /// Copies that nobody has waited for; none as long as there were none.
    pending: Vec<Mark>,
}

impl Shadow {
    pub(super) fn new(bytes: usize, granule: usize) -> Self {
        let granule = granule.max(1);
        let writes = vec![Mark::NONE; bytes.div_ceil(granule)];
        Self { granule, writes, reads: Vec::new(), atomics: Vec::new(), pending: Vec::new() }
    }

    /// Forgets all accesses: they are ordered before all that come.
    pub(super) fn clear(&mut self) {
        self.writes.fill(Mark::NONE);
        self.reads.iter_mut().chain(&mut self.atomics).for_each(Vec::clear);
        self.pending.clear();
    }

    /// Notes that an asynchronous copy to some bytes begins; an earlier access that it races with.
    pub(super) fn begin(
        &mut self,
        first: usize,
        bytes: usize,
        by: Mark,
        knows: &Clock,
    ) -> Option<Mark> {
        if self.pending.is_empty() {
            self.pending = vec![Mark::NONE; self.writes.len()];
        }
        let mut found = None;
        for place in self.pieces(first, bytes) {
            if let Some(earlier) = self.stored(place, by, knows).or(self.loaded(place, by, knows)) {
                found.get_or_insert(earlier);
            }
            if let Some(pending) = self.pending.get_mut(place) {
                *pending = by;
            }
        }
        found
    }

    /// Notes that a copy that began has ended.
    pub(super) fn end(&mut self, first: usize, bytes: usize) {
        for place in self.pieces(first, bytes) {
            if let Some(pending) = self.pending.get_mut(place) {
                *pending = Mark::NONE;
            }
        }
    }

    /// Notes that a copy that began has ended and was a store by an agent, which has an order with what was before.
    pub(super) fn end_as(&mut self, first: usize, bytes: usize, by: Mark) {
        self.end(first, bytes);
        for place in self.pieces(first, bytes) {
            if let Some(write) = self.writes.get_mut(place) {
                *write = by;
            }
            self.forget(place);
        }
    }

    /// Whether nothing was stored to some of these bytes.
    pub(super) fn is_new(&self, first: usize, bytes: usize) -> bool {
        self.pieces(first, bytes).any(|place| {
            let atomics = self.atomics.get(place).is_none_or(Vec::is_empty);
            atomics && self.writes.get(place).is_some_and(|write| write.is_none())
        })
    }

    /// A copy to some of these bytes that nobody has waited for.
    pub(super) fn pending(&self, first: usize, bytes: usize) -> Option<Mark> {
        let places = self.pending.get(self.pieces(first, bytes))?;
        places.iter().find(|pending| !pending.is_none()).copied()
    }

    /// A store by one of the first `threads` agents to some of these bytes that the asynchronous proxy may not see.
    pub(super) fn hidden(
        &self,
        first: usize,
        bytes: usize,
        threads: usize,
        knows: &Clock,
    ) -> Option<Mark> {
        let is_hidden = |write: &&Mark| {
            let agent = write.agent() as usize;
            !write.is_none() && agent < threads && !knows.shows(agent, write.time)
        };
        let places = self.pieces(first, bytes);
        let atomics = self.atomics.get(places.clone()).into_iter().flatten().flatten();
        self.writes.get(places)?.iter().chain(atomics).find(is_hidden).copied()
    }

    /// Notes a load of some bytes; an earlier store that it races with.
    pub(super) fn read(
        &mut self,
        first: usize,
        bytes: usize,
        by: Mark,
        knows: &Clock,
    ) -> Option<Mark> {
        let mut found = None;
        if self.reads.is_empty() {
            self.reads = vec![Vec::new(); self.writes.len()];
        }
        for place in self.pieces(first, bytes) {
            if let Some(earlier) = self.stored(place, by, knows) {
                found.get_or_insert(earlier);
            }
            if let Some(readers) = self.reads.get_mut(place) {
                add(readers, by, knows);
            }
        }
        found
    }

    /// An earlier store to a piece that races with an access.
    fn stored(&self, place: usize, by: Mark, knows: &Clock) -> Option<Mark> {
        let atomics = self.atomics.get(place).into_iter().flatten();
        let mut all = self.writes.get(place).into_iter().chain(atomics);
        all.find(|earlier| earlier.races(by, knows)).copied()
    }

    /// An earlier load of a piece that races with a store.
    fn loaded(&self, place: usize, by: Mark, knows: &Clock) -> Option<Mark> {
        let mut readers = self.reads.get(place).into_iter().flatten();
        readers.find(|reader| reader.races(by, knows)).copied()
    }

    /// Forgets what came before a plain store of a piece.
    fn forget(&mut self, place: usize) {
        for all in [&mut self.reads, &mut self.atomics] {
            if let Some(own) = all.get_mut(place) {
                own.clear();
            }
        }
    }

    /// Notes that a read that was in flight has ended, at a time of its agent.
    pub(super) fn end_read(&mut self, first: usize, bytes: usize, by: Mark, number: u32) {
        let open = by.under_way(number);
        for place in self.pieces(first, bytes) {
            for reader in self.reads.get_mut(place).into_iter().flatten() {
                if (reader.time, reader.agent()) == (open.time, open.agent()) {
                    reader.time = by.time;
                }
            }
        }
    }

    /// Notes a store of some bytes; an earlier access that it races with.
    pub(super) fn write(
        &mut self,
        first: usize,
        bytes: usize,
        by: Mark,
        knows: &Clock,
    ) -> Option<Mark> {
        let mut found = None;
        if by.is_atomic() && self.atomics.is_empty() {
            self.atomics = vec![Vec::new(); self.writes.len()];
        }
        for place in self.pieces(first, bytes) {
            if let Some(earlier) = self.stored(place, by, knows).or(self.loaded(place, by, knows)) {
                found.get_or_insert(earlier);
            }
            match self.atomics.get_mut(place).filter(|_| by.is_atomic()) {
                Some(atomics) => add(atomics, by, knows),
                None => {
                    self.forget(place);
                    if let Some(write) = self.writes.get_mut(place) {
                        *write = by;
                    }
                }
            }
        }
        found
    }

    fn pieces(&self, first: usize, bytes: usize) -> std::ops::RangeInclusive<usize> {
        first / self.granule..=(first + bytes.max(1) - 1) / self.granule
    }
}

/// Adds an access to those of a piece that none after them knows of.
fn add(all: &mut Vec<Mark>, by: Mark, knows: &Clock) {
    /// Accesses of other blocks that are kept.
    const MAX_OTHERS: usize = 4;
    match all.first_mut() {
        // Most pieces are accessed by one thread at a time.
        Some(last) if last.is_before(by, knows) => *last = by,
        None => all.push(by),
        Some(_) => {
            let (mut others, mut beside) = (0, 0);
            all.retain(|own| {
                if own.block != by.block {
                    if own.is_before(by, knows) {
                        return false;
                    }
                    others += 1;
                    return others <= MAX_OTHERS;
                }
                let same_warp = own.agent() / 32 == by.agent() / 32;
                beside += usize::from(same_warp && !own.is_under_way());
                !own.is_before(by, knows) && (beside <= 1 || !same_warp)
            });
            all.insert(0, by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::clock::Known, *};

    /// Threads of a block that synchronise as a test says.
    struct Threads(Vec<Clock>);

    impl Threads {
        fn new() -> Self {
            Self(Clock::all(256, 256, false))
        }

        fn mark(&self, block: u32, thread: u32) -> Mark {
            Mark::new(block, thread, self.0[thread as usize].now(), 7, false)
        }

        fn barrier(&mut self) {
            Clock::join(&mut self.0, 0);
        }

        fn read(
            &self,
            shadow: &mut Shadow,
            first: usize,
            (block, thread): (u32, u32),
        ) -> Option<Mark> {
            shadow.read(first, 4, self.mark(block, thread), &self.0[thread as usize])
        }

        fn write(
            &self,
            shadow: &mut Shadow,
            first: usize,
            (block, thread): (u32, u32),
        ) -> Option<Mark> {
            shadow.write(first, 4, self.mark(block, thread), &self.0[thread as usize])
        }
    }

    #[test]
    fn a_mark_keeps_what_it_is_made_of() {
        let mark = Mark::new(9, 1023, 3, 77, true);
        assert_eq!((mark.block(), mark.agent(), mark.site()), (9, 1023, 77));
        assert!(mark.is_atomic());
    }

    #[test]
    fn a_barrier_orders_a_block_and_nothing_else() {
        let (mut shadow, mut all) = (Shadow::new(64, 4), Threads::new());
        let first = all.mark(0, 1);
        assert_eq!(all.write(&mut shadow, 0, (0, 1)), None);
        assert_eq!(all.read(&mut shadow, 0, (0, 1)), None);
        assert_eq!(all.read(&mut shadow, 4, (0, 2)), None);
        assert_eq!(all.read(&mut shadow, 0, (0, 2)), Some(first));
        all.barrier();
        assert_eq!(all.read(&mut shadow, 0, (0, 3)), None);
        assert_eq!(all.read(&mut shadow, 0, (1, 1)), Some(first));
    }

    #[test]
    fn a_store_races_with_any_reader() {
        // The last reader is the one that stores; another one read before.
        let (mut shadow, mut all) = (Shadow::new(64, 4), Threads::new());
        let first = all.mark(0, 1);
        all.read(&mut shadow, 8, (0, 1));
        all.read(&mut shadow, 8, (0, 2));
        assert_eq!(all.write(&mut shadow, 8, (0, 2)), Some(first));
        // A reader of another block, which read before.
        all.read(&mut shadow, 12, (0, 1));
        all.read(&mut shadow, 12, (1, 1));
        assert_eq!(all.write(&mut shadow, 12, (1, 1)), Some(first));
        // After a barrier there is none.
        all.read(&mut shadow, 16, (0, 1));
        all.barrier();
        assert_eq!(all.write(&mut shadow, 16, (0, 2)), None);
    }

    #[test]
    fn a_store_races_with_each_of_many_readers() {
        // All warps but the third have an order with the store.
        let (mut shadow, mut all) = (Shadow::new(64, 4), Threads::new());
        for warp in 0..8 {
            all.read(&mut shadow, 0, (0, 32 * warp));
        }
        let missed = all.mark(0, 64);
        let mut known = Known::default();
        for thread in [0, 32, 96, 128, 160, 192, 224] {
            all.0[thread].release(thread, &mut known);
        }
        all.0[255].acquire(&known, &mut None);
        assert_eq!(all.write(&mut shadow, 0, (0, 255)), Some(missed));
    }

    #[test]
    fn vectors_touch_all_of_their_pieces() {
        let (mut shadow, all) = (Shadow::new(64, 1), Threads::new());
        let knows = &all.0[0];
        assert_eq!(shadow.write(16, 16, all.mark(0, 1), knows), None);
        assert_eq!(shadow.write(32, 1, all.mark(0, 2), knows), None);
        assert_eq!(shadow.write(31, 1, all.mark(0, 2), knows), Some(all.mark(0, 1)));
    }

    #[test]
    fn atomics_race_with_plain_accesses_only() {
        let (mut shadow, all) = (Shadow::new(64, 4), Threads::new());
        let atomic = |thread| Mark::new(0, thread, 1, 1, true);
        let knows = &all.0[0];
        assert_eq!(shadow.write(0, 4, atomic(1), knows), None);
        assert_eq!(shadow.write(0, 4, atomic(2), knows), None);
        assert_eq!(all.read(&mut shadow, 0, (0, 3)), Some(atomic(2)));
    }

    #[test]
    fn an_atomic_store_hides_no_plain_access() {
        let (mut shadow, mut all) = (Shadow::new(64, 4), Threads::new());
        let atomic = |thread| Mark::new(0, thread, 1, 1, true);
        let zeroed = all.mark(0, 0);
        assert_eq!(all.write(&mut shadow, 0, (0, 0)), None);
        // The thread's own atomic has an order with its store; that of another has not, though it comes later.
        assert_eq!(shadow.write(0, 4, atomic(0), &all.0[0]), None);
        assert_eq!(shadow.write(0, 4, atomic(40), &all.0[40]), Some(zeroed));
        // An atomic after a load hides it from no store.
        let loaded = all.mark(0, 1);
        assert_eq!(all.read(&mut shadow, 8, (0, 1)), None);
        assert_eq!(shadow.write(8, 4, atomic(1), &all.0[1]), None);
        assert_eq!(all.write(&mut shadow, 8, (0, 40)), Some(atomic(1)));
        assert_eq!(all.read(&mut shadow, 12, (0, 1)), None);
        assert_eq!(shadow.write(12, 4, atomic(40), &all.0[40]), Some(loaded));
        // Each atomic is after a barrier, or races with the store.
        shadow.write(16, 4, atomic(3), &all.0[3]);
        shadow.write(16, 4, atomic(70), &all.0[70]);
        Clock::join(&mut all.0[64..96], 64);
        assert_eq!(all.write(&mut shadow, 16, (0, 71)), Some(atomic(3)));
    }

    #[test]
    fn a_copy_stores_until_it_is_waited_for() {
        let (mut shadow, all) = (Shadow::new(64, 1), Threads::new());
        let knows = &all.0[1];
        all.read(&mut shadow, 16, (0, 2));
        // It may store before another thread has read, and its own thread knows.
        assert_eq!(shadow.begin(16, 16, all.mark(0, 1), knows), Some(all.mark(0, 2)));
        assert_eq!(shadow.begin(32, 16, all.mark(0, 1), knows), None);
        // A barrier is no wait.
        assert_eq!(shadow.pending(44, 4), Some(all.mark(0, 1)));
        assert_eq!(shadow.pending(48, 4), None);
        shadow.end(32, 16);
        assert_eq!(shadow.pending(44, 4), None);
    }

    #[test]
    fn a_read_that_goes_on_races_with_its_own_thread() {
        let (mut shadow, mut all) = (Shadow::new(64, 1), Threads::new());
        let (open, closed) = (all.mark(0, 1).under_way(5), all.mark(0, 1));
        assert_eq!(shadow.read(0, 16, open, &all.0[1]), None);
        assert_eq!(shadow.begin(0, 16, closed, &all.0[1]), Some(open));
        shadow.end(0, 16);
        // The end of another read is not that of this one.
        shadow.end_read(0, 16, closed, 4);
        assert_eq!(shadow.write(0, 4, closed, &all.0[1]), Some(open));
        shadow.end_read(0, 16, closed, 5);
        all.barrier();
        assert_eq!(all.write(&mut shadow, 4, (0, 2)), None);
    }

    #[test]
    fn a_warp_has_an_order_of_its_own() {
        let (mut shadow, mut all) = (Shadow::new(64, 4), Threads::new());
        let first = all.mark(0, 1);
        all.write(&mut shadow, 0, (0, 1));
        Clock::join(&mut all.0[..32], 0);
        assert_eq!(all.read(&mut shadow, 0, (0, 2)), None);
        assert_eq!(all.read(&mut shadow, 0, (0, 33)), Some(first));
    }
}
