//! Emptying the level 2 cache before a time is taken.

use serde::{Deserialize, Serialize};

use crate::driver::{Buffer, Gpu, Module};
use crate::{Error, Result};

/// The kernel that reads a buffer, made from `flush.cu` beside this file.
const PTX: &str = include_str!("flush.ptx");

/// Its entry.
const ENTRY: &str = "layout_read_all";

/// Threads of its blocks.
const THREADS: u32 = 256;

/// Bytes that one of its threads reads at once.
const LINE: usize = 16;

/// What the level 2 cache is full of before each launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Left {
    /// Lines that were written: whoever runs next has them written back, which takes its share of the
    /// memory's bandwidth.
    #[default]
    Written,
    /// Lines that were only read: they go without a trace.
    Read,
}

/// A buffer larger than the cache, and how it goes through it.
#[derive(Debug)]
pub(crate) struct Flush<'gpu> {
    buffer: Buffer<'gpu>,
    reader: Option<(Module, u32)>,
}

impl<'gpu> Flush<'gpu> {
    pub(crate) fn new(gpu: &'gpu Gpu, left: Left) -> Result<Self> {
        let buffer = gpu.allocate((2 * gpu.l2_bytes).max(128 << 20))?;
        let reader = match left {
            Left::Written => None,
            Left::Read => {
                buffer.fill(0)?;
                Some((gpu.load(PTX.as_bytes())?, gpu.multiprocessors))
            }
        };
        Ok(Flush { buffer, reader })
    }

    /// Starts it on the default stream.
    pub(crate) fn run(&self) -> Result<()> {
        let Some((module, multiprocessors)) = &self.reader else { return self.buffer.fill(0) };
        let lines = u64::try_from(self.buffer.bytes() / LINE)
            .map_err(|_| Error::Manifest("expected a buffer below 2^64 bytes".into()))?;
        let address = self.buffer.address();
        let grid = [4 * multiprocessors, 1, 1];
        // SAFETY: the arguments are those of the entry in `flush.cu`; the buffer has so many lines, and holds zeros,
        // so that the last pointer is never written.
        unsafe {
            module.function(ENTRY)?.launch(grid, [THREADS, 1, 1], 0, &[address, lines, address])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_the_one_that_is_launched() {
        assert!(PTX.contains(&format!(".visible .entry {ENTRY}(")));
        assert_eq!(PTX.matches(".param .u64").count(), 3);
    }
}
