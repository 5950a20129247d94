//! Which thread touched each piece of memory last, and whether two accesses have an order.
//!
//! Two accesses to one address, at least one of them a store and not both atomic, race unless one thread made both, or a
//! `gpu.barrier` that their block passed, or a synchronisation of their warp, is between them. Blocks of one launch have
//! no order. An asynchronous copy stores at any time from where it begins to where its thread waits for it: whoever accesses
//! its bytes in between races with it, its own thread too.

/// Bits of [`Mark::who`] that hold the site.
const SITE: u32 = 21;

/// The first site that marks cannot name.
pub(super) const MOST_SITES: usize = 1 << (SITE - 1);

/// Who made an access, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    block: u32,
    /// Barriers that the block had passed.
    epoch: u32,
    /// Synchronisations of the thread's warp.
    warp: u32,
    /// Thread, whether it was atomic, and the site.
    who: u32,
}

impl Mark {
    const NONE: Self = Self { block: u32::MAX, epoch: 0, warp: 0, who: 0 };

    pub(super) const fn new(
        block: u32,
        thread: u32,
        (epoch, warp): (u32, u32),
        site: u32,
        atomic: bool,
    ) -> Self {
        Self { block, epoch, warp, who: thread << SITE | (atomic as u32) << (SITE - 1) | site }
    }

    pub(super) const fn block(self) -> u32 {
        self.block
    }

    pub(super) const fn thread(self) -> u32 {
        self.who >> SITE
    }

    pub(super) const fn site(self) -> u32 {
        self.who & (MOST_SITES as u32 - 1)
    }

    const fn is_atomic(self) -> bool {
        self.who >> (SITE - 1) & 1 == 1
    }

    const fn is_none(self) -> bool {
        self.block == u32::MAX
    }

    /// Whether another access, which is later, may also have come first.
    fn races(self, later: Self) -> bool {
        if self.is_none() || (self.is_atomic() && later.is_atomic()) {
            return false;
        }
        if self.block != later.block {
            return true;
        }
        let same_warp = self.thread() / 32 == later.thread() / 32;
        self.thread() != later.thread()
            && self.epoch == later.epoch
            && !(same_warp && self.warp != later.warp)
    }
}

/// The readers of a piece since its last store: the last one, one more of its block, and one of another block.
type Readers = [Mark; 3];

/// The last accesses to each piece of some memory.
#[derive(Debug)]
pub(super) struct Shadow {
    /// Bytes of a piece.
    granule: usize,
    writes: Vec<Mark>,
    /// None as long as nothing was read.
    reads: Vec<Readers>,
    /// Copies that no wait covers; none as long as there were none.
    pending: Vec<Mark>,
}

impl Shadow {
    pub(super) fn new(bytes: usize, granule: usize) -> Self {
        let granule = granule.max(1);
        let writes = vec![Mark::NONE; bytes.div_ceil(granule)];
        Self { granule, writes, reads: Vec::new(), pending: Vec::new() }
    }

    /// Forgets all: what is behind has an order with what comes.
    pub(super) fn clear(&mut self) {
        self.writes.fill(Mark::NONE);
        self.reads.clear();
        self.pending.clear();
    }

    /// Notes that an asynchronous copy to some bytes begins; an earlier access that it races with.
    pub(super) fn begin(&mut self, first: usize, bytes: usize, by: Mark) -> Option<Mark> {
        if self.pending.is_empty() {
            self.pending = vec![Mark::NONE; self.writes.len()];
        }
        let mut found = None;
        for place in self.pieces(first, bytes) {
            let readers = self.reads.get(place).into_iter().flatten();
            let mut earlier = self.writes.get(place).into_iter().chain(readers);
            if let Some(earlier) = earlier.find(|earlier| earlier.races(by)) {
                found.get_or_insert(*earlier);
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

    /// A copy to some of these bytes that no wait covers.
    pub(super) fn pending(&self, first: usize, bytes: usize) -> Option<Mark> {
        let places = self.pending.get(self.pieces(first, bytes))?;
        places.iter().find(|pending| !pending.is_none()).copied()
    }

    /// Notes a load of some bytes; an earlier store that it races with.
    pub(super) fn read(&mut self, first: usize, bytes: usize, by: Mark) -> Option<Mark> {
        let mut found = None;
        if self.reads.is_empty() {
            self.reads = vec![[Mark::NONE; 3]; self.writes.len()];
        }
        for place in self.pieces(first, bytes) {
            let Some(write) = self.writes.get(place) else { continue };
            if write.races(by) {
                found.get_or_insert(*write);
            }
            let Some([last, beside, other]) = self.reads.get_mut(place) else { continue };
            if last.block != by.block {
                if !last.is_none() {
                    *other = *last;
                }
                *beside = Mark::NONE;
            } else if last.epoch != by.epoch {
                *beside = Mark::NONE;
            } else if last.thread() != by.thread() {
                *beside = *last;
            }
            *last = by;
        }
        found
    }

    /// Notes a store of some bytes; an earlier access that it races with.
    pub(super) fn write(&mut self, first: usize, bytes: usize, by: Mark) -> Option<Mark> {
        let mut found = None;
        for place in self.pieces(first, bytes) {
            let Some(write) = self.writes.get_mut(place) else { continue };
            if write.races(by) {
                found.get_or_insert(*write);
            }
            *write = by;
            if let Some(readers) = self.reads.get_mut(place) {
                if let Some(reader) = readers.iter().find(|reader| reader.races(by)) {
                    found.get_or_insert(*reader);
                }
                *readers = [Mark::NONE; 3];
            }
        }
        found
    }

    fn pieces(&self, first: usize, bytes: usize) -> std::ops::RangeInclusive<usize> {
        first / self.granule..=(first + bytes.max(1) - 1) / self.granule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(block: u32, thread: u32, epoch: u32) -> Mark {
        Mark::new(block, thread, (epoch, 0), 7, false)
    }

    #[test]
    fn a_mark_keeps_what_it_is_made_of() {
        let mark = Mark::new(9, 1023, (3, 4), 77, true);
        assert_eq!((mark.block(), mark.thread(), mark.site()), (9, 1023, 77));
        assert!(mark.is_atomic());
    }

    #[test]
    fn a_barrier_orders_a_block_and_nothing_else() {
        let mut shadow = Shadow::new(64, 4);
        assert_eq!(shadow.write(0, 4, mark(0, 1, 0)), None);
        assert_eq!(shadow.read(0, 4, mark(0, 1, 0)), None);
        assert_eq!(shadow.read(4, 4, mark(0, 2, 0)), None);
        assert_eq!(shadow.read(0, 4, mark(0, 2, 0)), Some(mark(0, 1, 0)));
        assert_eq!(shadow.read(0, 4, mark(0, 3, 1)), None);
        assert_eq!(shadow.read(0, 4, mark(1, 1, 5)), Some(mark(0, 1, 0)));
    }

    #[test]
    fn a_store_races_with_any_reader() {
        // The last reader is the one that stores; another one read before.
        let mut shadow = Shadow::new(64, 4);
        shadow.read(8, 4, mark(0, 1, 0));
        shadow.read(8, 4, mark(0, 2, 0));
        assert_eq!(shadow.write(8, 4, mark(0, 2, 0)), Some(mark(0, 1, 0)));
        // A reader of another block, which read before.
        shadow.read(12, 4, mark(0, 1, 0));
        shadow.read(12, 4, mark(1, 1, 0));
        assert_eq!(shadow.write(12, 4, mark(1, 1, 0)), Some(mark(0, 1, 0)));
        // Behind a barrier there is none.
        shadow.read(16, 4, mark(0, 1, 0));
        assert_eq!(shadow.write(16, 4, mark(0, 2, 1)), None);
    }

    #[test]
    fn vectors_touch_all_of_their_pieces() {
        let mut shadow = Shadow::new(64, 1);
        assert_eq!(shadow.write(16, 16, mark(0, 1, 0)), None);
        assert_eq!(shadow.write(32, 1, mark(0, 2, 0)), None);
        assert_eq!(shadow.write(31, 1, mark(0, 2, 0)), Some(mark(0, 1, 0)));
    }

    #[test]
    fn atomics_race_with_plain_accesses_only() {
        let mut shadow = Shadow::new(64, 4);
        let atomic = |thread| Mark::new(0, thread, (0, 0), 1, true);
        assert_eq!(shadow.write(0, 4, atomic(1)), None);
        assert_eq!(shadow.write(0, 4, atomic(2)), None);
        assert_eq!(shadow.read(0, 4, mark(0, 3, 0)), Some(atomic(2)));
    }

    #[test]
    fn a_copy_stores_until_it_is_waited_for() {
        let mut shadow = Shadow::new(64, 1);
        shadow.read(16, 4, mark(0, 2, 0));
        // It may store before another thread has read, and its own thread knows.
        assert_eq!(shadow.begin(16, 16, mark(0, 1, 0)), Some(mark(0, 2, 0)));
        assert_eq!(shadow.begin(32, 16, mark(0, 1, 0)), None);
        // A barrier is no wait.
        assert_eq!(shadow.pending(44, 4), Some(mark(0, 1, 0)));
        assert_eq!(shadow.pending(48, 4), None);
        shadow.end(32, 16);
        assert_eq!(shadow.pending(44, 4), None);
    }

    #[test]
    fn a_warp_has_an_order_of_its_own() {
        let mut shadow = Shadow::new(64, 4);
        let at = |thread, warp| Mark::new(0, thread, (0, warp), 1, false);
        shadow.write(0, 4, at(1, 0));
        assert_eq!(shadow.read(0, 4, at(2, 1)), None);
        assert_eq!(shadow.read(0, 4, at(33, 1)), Some(at(1, 0)));
    }
}
