//! The registers of a block, which its threads give back and take (`setmaxnreg`).
//!
//! At launch each thread has an equal part of the 65,536 registers of a multiprocessor. A warp that takes more than
//! others gave back waits for ever: the same kernel would hang on a device.

use super::{
    machine::{Machine, WARP},
    waits::Wait,
};

/// Registers of a multiprocessor, and those that one thread may have.
const ALL: usize = 65_536;
const MAX_REGISTERS: usize = 255;

/// The granularity of a thread's register allocation.
const STEP: usize = 8;

/// The registers of the warps of a block, counted for one lane.
#[derive(Debug, Default)]
pub(super) struct Registers {
    /// Those of each warp, once one of them gave or took some.
    held: Vec<usize>,
    /// Those that warps gave back.
    free: usize,
}

/// Registers per thread at the launch of `threads` threads.
fn at_launch(threads: usize) -> usize {
    (ALL / threads.max(1) / STEP * STEP).min(MAX_REGISTERS)
}

impl Registers {
    /// Gives the warp of a thread as many registers; false where too few are free.
    fn set(&mut self, thread: usize, threads: usize, count: usize) -> bool {
        if self.held.is_empty() {
            self.held = vec![at_launch(threads); threads.div_ceil(WARP)];
        }
        let Some(held) = self.held.get_mut(thread / WARP) else { return true };
        let there = self.free + *held;
        if count > there {
            return false;
        }
        (self.free, *held) = (there - count, count);
        true
    }

    /// The reason for which a thread gets no more.
    pub(super) fn refuse(&self, count: u32, threads: usize) -> String {
        let each = at_launch(threads);
        format!(
            "expected {count} registers for the thread of the {} that {threads} threads have at launch ({each} each), found too few \
             that others gave back when no thread went on",
            each * threads
        )
    }
}

impl Machine {
    /// Gives the current thread as many registers; whether it has to wait for them.
    pub(super) fn resize(&mut self, count: u32) -> bool {
        let threads = self.threads.len();
        !self.registers.set(self.current, threads, count as usize)
    }

    /// Lets the threads continue that get the registers that they wait for.
    pub(super) fn pass_registers(&mut self) -> bool {
        let (mut any, threads) = (false, self.threads.len());
        for (number, thread) in self.threads.iter_mut().enumerate() {
            let Some(Wait::Registers { count, .. }) = thread.waits else { continue };
            if self.registers.set(number, threads, count as usize) {
                (thread.waits, any) = (None, true);
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_takes_what_others_gave() {
        let mut registers = Registers::default();
        assert!((0..128).all(|thread| registers.set(thread, 384, 40)));
        assert!((128..384).all(|thread| registers.set(thread, 384, 232)));
        assert!(!registers.set(200, 384, 240));
        assert_eq!((at_launch(128), at_launch(640)), (255, 96));
    }
}
