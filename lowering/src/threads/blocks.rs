//! The blocks of a launch: one runs after another, except where threads wait for a store of a block that has not run yet.
//!
//! A block whose threads all wait in loops of atomic accesses is set aside, and others run before it continues: those that were set aside, and
//! further ones as long as there is room. On a GPU as many blocks run at once as its multiprocessors hold.

use super::{
    clock::Clock,
    machine::{Machine, Step, Thread, WARP},
    phases::Phases,
    registers::Registers,
    shadow::Shadow,
    tensors::Load,
    waits::Wait,
};
use corosensei::{
    Coroutine, Yielder,
    stack::{DefaultStack, Stack},
};
use std::{collections::VecDeque, mem};

/// Bytes that a block's memory is aligned to.
pub(super) const ALIGNMENT: u64 = 1024;

/// Threads of blocks that have begun and not ended: each has a stack.
const MAX_THREADS: usize = 1 << 14;

/// The state of a block that does not run at the moment.
pub(super) struct Block {
    shared: Vec<u8>,
    shared_shadow: Shadow,
    pub(super) threads: Vec<Thread>,
    at: [u32; 3],
    pub(super) number: u32,
    clocks: Vec<Clock>,
    phases: Phases,
    registers: Registers,
    loads: VecDeque<Load>,
    gathered: Vec<u64>,
}

impl Block {
    /// The first byte of its memory.
    pub(super) fn shared_first(&self) -> u64 {
        first_of(&self.shared)
    }
}

/// The first byte of a block's memory.
pub(super) fn first_of(shared: &[u8]) -> u64 {
    (shared.as_ptr() as u64).next_multiple_of(ALIGNMENT)
}

impl Machine {
    /// Runs all blocks; `thread` is what each of their threads does.
    ///
    /// # Errors
    ///
    /// When the system has no memory for a stack.
    pub(super) fn run_blocks(&mut self, thread: &dyn Fn()) -> std::io::Result<()> {
        let mut next = 0;
        // How many blocks in a row did not go on, and whether one of them spins.
        let (mut quiet, mut spins) = (0, false);
        while !self.is_over() {
            let is_quiet = quiet >= self.resident.len();
            let together = self.cluster as usize;
            let has_room = (self.resident.len() + together) * self.threads.len() <= MAX_THREADS;
            if self.resident.is_empty() || is_quiet && spins && has_room {
                // The blocks of a cluster run at once.
                for rank in (0..self.cluster).rev() {
                    let Some(at) = self.place_of_block(next + rank) else { continue };
                    let block = self.begin(at, next + rank, thread)?;
                    // It is the next one to run.
                    self.resident.push_front(block);
                    quiet = 0;
                }
                next = next.saturating_add(self.cluster);
            }
            let Some(mut block) = self.resident.pop_front() else { break };
            self.swap(&mut block);
            // Other blocks of its cluster may let a block continue.
            let is_last = self.cluster == 1 || quiet >= self.resident.len() && !spins;
            let (mut step, mut is_moved) = (self.advance(is_last), false);
            while step == Step::Moved {
                (step, is_moved) = (self.advance(self.cluster == 1), true);
            }
            (quiet, spins) = match (step, is_moved) {
                (Step::Ended | Step::Over, _) => (0, false),
                (_, true) => (0, step == Step::Spins),
                (_, false) => (quiet + 1, spins || step == Step::Spins),
            };
            match step {
                Step::Ended | Step::Over => {
                    self.finish(step == Step::Ended);
                    self.swap(&mut block);
                    self.spare.push(block);
                }
                _ => {
                    self.complete_patterns();
                    self.swap(&mut block);
                    self.resident.push_back(block);
                }
            }
        }
        // Threads that will not run again.
        while let Some(mut block) = self.resident.pop_front() {
            self.swap(&mut block);
            self.finish(false);
            self.swap(&mut block);
        }
        Ok(())
    }

    /// Where the block of a number is in the grid.
    fn place_of_block(&self, number: u32) -> Option<[u32; 3]> {
        let [x, y, z] = self.grid;
        let at = [number % x, number / x % y, number / x / y];
        (at[2] < z).then_some(at)
    }

    /// Exchanges the block that runs with another one.
    pub(super) fn swap(&mut self, other: &mut Block) {
        mem::swap(&mut self.shared, &mut other.shared);
        mem::swap(&mut self.shared_shadow, &mut other.shared_shadow);
        mem::swap(&mut self.threads, &mut other.threads);
        mem::swap(&mut self.at, &mut other.at);
        mem::swap(&mut self.number, &mut other.number);
        mem::swap(&mut self.clocks, &mut other.clocks);
        mem::swap(&mut self.phases, &mut other.phases);
        mem::swap(&mut self.registers, &mut other.registers);
        mem::swap(&mut self.loads, &mut other.loads);
        mem::swap(&mut self.gathered, &mut other.gathered);
    }

    /// A block whose threads are at their start.
    fn begin(&mut self, at: [u32; 3], number: u32, thread: &dyn Fn()) -> std::io::Result<Block> {
        let count = self.threads.len();
        let new = || Block {
            shared: vec![0; self.shared.len()],
            shared_shadow: Shadow::new(self.shared_bytes, 1),
            threads: Vec::new(),
            at,
            number,
            clocks: Vec::new(),
            phases: Phases::default(),
            registers: Registers::default(),
            loads: VecDeque::new(),
            gathered: Vec::new(),
        };
        let mut block = self.spare.pop().unwrap_or_else(new);
        // Nothing that a block before left is seen.
        block.shared.fill(0xff);
        block.shared_shadow.clear();
        self.orders.forget(block.shared.as_ptr() as u64, block.shared.len() as u64);
        (block.at, block.number) = (at, number);
        block.clocks = self.clocks_at_start();
        (block.phases, block.registers) = (Phases::default(), Registers::default());
        block.threads.clear();
        for _ in 0..count {
            let stack = match self.stacks.pop() {
                Some(stack) => stack,
                None => DefaultStack::new(self.stack_bytes)?,
            };
            let (base, limit) = (stack.base().get() as u64, stack.limit().get() as u64);
            // SAFETY: the coroutine is resumed while `run_blocks` borrows `thread` only, and reset at its end.
            let thread: &'static dyn Fn() = unsafe { mem::transmute(thread) };
            let body = Coroutine::with_stack(stack, move |yielder: &Yielder<(), Wait>, ()| {
                super::machine::YIELDER.set(yielder);
                thread();
            });
            let stack = (limit, base);
            block.threads.push(Thread { body: Some(body), stack, ..Thread::default() });
        }
        Ok(block)
    }

    /// Ends the block that runs, and takes the stacks of its threads.
    fn finish(&mut self, is_whole: bool) {
        if is_whole && !self.is_over() {
            self.examine_copies_in_flight();
        }
        if is_whole && !self.is_over() {
            self.refuse_copies_past_the_end();
            self.refuse_unread_mmas();
        }
        for thread in &mut self.threads {
            let Some(mut body) = thread.body.take() else { continue };
            if !body.done() {
                // SAFETY: what is on its stack is compiled code and functions of `calls`, which own nothing.
                unsafe { body.force_reset() };
            }
            self.stacks.push(body.into_stack());
        }
        self.complete_patterns();
    }

    /// Ends what warps access together: another block's warps have the same numbers.
    fn complete_patterns(&mut self) {
        if let Some(patterns) = &mut self.patterns {
            (0..self.threads.len().div_ceil(WARP)).for_each(|warp| patterns.complete(warp));
        }
    }
}
