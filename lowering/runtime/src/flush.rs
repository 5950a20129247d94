//! Flushes the L2 cache before a measurement.

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

/// The content of the L2 cache before each launch.
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
    gpu: &'gpu Gpu,
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
        Ok(Flush { gpu, buffer, reader })
    }

    /// Microseconds of each work, each with a flushed cache.
    pub(crate) fn sample(&self, works: &[&dyn Fn() -> Result<()>]) -> Result<Vec<f64>> {
        let mut events = Vec::with_capacity(works.len());
        for work in works {
            let (start, end) = (self.gpu.event()?, self.gpu.event()?);
            // It also keeps the device busy while the launch is queued: no launch latency in the time.
            self.run()?;
            start.record()?;
            work()?;
            end.record()?;
            events.push((start, end));
        }
        self.gpu.wait()?;
        events.iter().map(|(start, end)| Ok(end.since(start)? * 1e3)).collect()
    }

    /// Microseconds of each contender in each repetition, in an order that alternates direction: as often as requested, or for about
    /// a third of a second of the first, but often enough for a median.
    pub(crate) fn interleaved(
        &self,
        contenders: &[&dyn Fn() -> Result<()>],
        repetitions: Option<usize>,
    ) -> Result<Vec<Vec<f64>>> {
        let once = self.sample(&contenders[..contenders.len().min(1)])?;
        let once = once.first().map_or(1.0, |once| once.max(1.0));
        let repetitions = repetitions.unwrap_or((3e5 / once) as usize).clamp(11, 201);
        let mut times = vec![Vec::with_capacity(repetitions); contenders.len()];
        for repetition in 0..repetitions {
            let mut order: Vec<usize> = (0..contenders.len()).collect();
            if repetition % 2 == 1 {
                order.reverse();
            }
            let works: Vec<_> = order.iter().map(|&place| contenders[place]).collect();
            for (place, time) in order.iter().zip(self.sample(&works)?) {
                times[*place].push(time);
            }
        }
        Ok(times)
    }

    /// Starts it on the default stream.
    fn run(&self) -> Result<()> {
        let Some((module, multiprocessors)) = &self.reader else { return self.buffer.fill(0) };
        let lines = u64::try_from(self.buffer.bytes() / LINE)
            .map_err(|_| Error::Manifest("expected a buffer below 2^64 bytes".into()))?;
        let address = self.buffer.address();
        let grid = [4 * multiprocessors, 1, 1];
        // SAFETY: the arguments are those of the entry in `flush.cu`; the buffer has that many lines, and holds zeros,
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
