//! `cp.async`: copies of a thread to a block's memory, which store until their thread waits for their group.

use super::{
    machine::{Access, Machine, MissingOrder, lack},
    shadow::Mark,
};

/// An asynchronous copy to a block's memory that was not waited for yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) bytes: u64,
    pub(super) actual: u64,
    /// The first byte of the operand that it reads, or 0 where that is not known.
    pub(super) base: u64,
    pub(super) site: u32,
}

impl Machine {
    /// Takes on an asynchronous copy, which stores from now on and until it is waited for.
    pub(super) fn begin_copy(&mut self, copy: Copy) {
        self.settle();
        let (thread, first) = (u32::try_from(self.current).unwrap_or(0), self.shared_first());
        let Some(clock) = self.clocks.get(self.current) else { return };
        let mark = Mark::new(self.number, thread, clock.now(), copy.site, false);
        let end = first + self.shared_bytes as u64;
        if copy.to >= first && copy.to.saturating_add(copy.bytes) <= end {
            let (place, length) = ((copy.to - first) as usize, copy.bytes as usize);
            // Copies of one instruction of a warp are compared by what they store, at their end.
            let is_sibling =
                |other: Mark| other.site() == copy.site && other.agent() / 32 == thread / 32;
            let pending =
                self.shared_shadow.pending(place, length).filter(|&other| !is_sibling(other));
            let earlier = self.shared_shadow.begin(place, length, mark, clock);
            let earlier = earlier.filter(|&other| !is_sibling(other));
            let earlier = earlier.map(|earlier| (earlier, lack(earlier)));
            if let Some(found) = pending.map(|copy| (copy, MissingOrder::Copied)).or(earlier) {
                self.race(found, (mark, true), None, copy.to - first);
            }
        }
        if let Some(own) = self.threads.get_mut(self.current) {
            own.open.push(copy);
        }
    }

    /// Examines what the copies read that nobody has waited for when their block ends: they happen all the same.
    pub(super) fn examine_copies_in_flight(&mut self) {
        for number in 0..self.threads.len() {
            self.current = number;
            let Some(thread) = self.threads.get_mut(number) else { return };
            let open = std::mem::take(&mut thread.open);
            let left: Vec<Copy> = thread.groups.drain(..).flatten().chain(open).collect();
            for Copy { from, bytes, actual, base, site, .. } in left {
                let actual = actual.min(bytes);
                let read = (Access::Read, actual.max(1));
                if actual > 0 && !self.access_from(base, (from, actual), read, site) {
                    return;
                }
            }
        }
    }

    /// Does the copies of all groups but the newest ones.
    pub(super) fn complete_copies(&mut self, left: usize) -> bool {
        let Some(thread) = self.threads.get_mut(self.current) else { return true };
        let done = thread.groups.len().saturating_sub(left);
        let copies: Vec<Copy> = thread.groups.drain(..done).flatten().collect();
        copies.into_iter().all(|copy| self.copy(copy))
    }

    fn copy(&mut self, copy: Copy) -> bool {
        let Copy { from, to, bytes, actual, base, site } = copy;
        let actual = actual.min(bytes);
        let first = self.shared_first();
        if to >= first && to.saturating_add(bytes) <= first + self.shared_bytes as u64 {
            self.shared_shadow.end((to - first) as usize, bytes as usize);
        }
        let read = (Access::Read, actual.max(1));
        if actual > 0 && !self.access_from(base, (from, actual), read, site) {
            return false;
        }
        if !self.access(to, bytes, (Access::Write, bytes), site) {
            return false;
        }
        // SAFETY: both ranges were looked up: they are of operands, or of the block's memory.
        unsafe {
            let (from, to) = (from as *const u8, to as *mut u8);
            std::ptr::copy(from, to, actual as usize);
            std::ptr::write_bytes(to.add(actual as usize), 0, (bytes - actual) as usize);
        }
        true
    }
}
