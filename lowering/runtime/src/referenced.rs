//! A kernel with a reference on the device: fresh random operands, the check against float64, timing beside a device copy.

use serde::Serialize;

use crate::data::{self, Random, poison};
use crate::distance::Distance;
use crate::driver::{Buffer, EncodedMaps, Gpu, Module, Resources, Start, Stream};
use crate::flush::{Flush, Left};
use crate::launch::Launch;
use crate::library::References;
use crate::manifest::{Access, Element, Kernel};
use crate::matmul::{REDZONE, Times};
use crate::trial::{self, Coverage, Expected, Field};
use crate::{Error, Result};

/// Runs before a time is taken.
const WARM_UPS: usize = 3;

/// The contents of operands after a launch, and what of them the launch wrote.
type Results = (Vec<Vec<u8>>, Coverage);

/// A kernel with its operands on the device.
#[derive(Debug)]
pub struct Case<'a, 'gpu> {
    gpu: &'gpu Gpu,
    kernel: &'a Kernel,
    references: &'a References,
    launch: Launch,
    fields: Vec<Field>,
    /// The contents of operands before a launch, from their first elements on.
    memory: Vec<Vec<u8>>,
    buffers: Vec<Buffer<'gpu>>,
    maps: EncodedMaps,
}

/// The verdict on a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether every element was written, nothing else was, each is as near to the reference as it has to be, and a second
    /// run gave the same bits, or, where it adds floats atomically, was right too.
    pub passed: bool,
    /// Norm of the difference over that of the reference, or `None` if it is not a number.
    pub relative_error: Option<f64>,
    /// The bound of the relative error.
    pub tolerance: f64,
    /// The largest difference of an element, relative to its tolerance, or `None` if it is not a number.
    pub worst: Option<f64>,
    /// The element with that difference, if it is wrong: its place, its value and the expected one, and how many are wrong.
    pub element: Option<String>,
    /// Elements that were never written.
    pub unwritten: usize,
    /// Bytes outside every element of a result that were written.
    pub stray_bytes: usize,
    /// Bytes that differ in a second run, or `None` if floats are added atomically.
    pub differing_bytes: Option<usize>,
}

impl Verdict {
    fn of(distance: Distance, (unwritten, stray_bytes): (usize, usize)) -> Self {
        let number = |value: f64| value.is_finite().then_some(value);
        Self {
            passed: distance.is_right() && unwritten == 0 && stray_bytes == 0,
            relative_error: number(distance.relative),
            tolerance: distance.tolerance,
            worst: number(distance.worst),
            element: (!distance.is_right()).then(|| distance.worst_element()),
            unwritten,
            stray_bytes,
            differing_bytes: None,
        }
    }

    /// The worse of two runs.
    fn with(self, other: Self) -> Self {
        let worse = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a.max(b));
        Self {
            passed: self.passed && other.passed,
            relative_error: worse(self.relative_error, other.relative_error),
            worst: worse(self.worst, other.worst),
            element: if other.worst > self.worst {
                other.element
            } else {
                self.element.or(other.element)
            },
            unwritten: self.unwritten.max(other.unwritten),
            stray_bytes: self.stray_bytes.max(other.stray_bytes),
            ..self
        }
    }
}

/// Times of a kernel, interleaved with a device copy that reads and writes the same number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// Our kernel; `tflops` are those of the manifest, else 0.
    pub ours: Times,
    /// The copy.
    pub copy: Times,
    /// Bytes that the kernel has to read and write.
    pub bytes: u64,
    /// Repetitions per figure.
    pub repetitions: usize,
}

impl Timing {
    /// Gigabytes a second of the kernel.
    pub fn bandwidth(&self) -> f64 {
        self.bytes as f64 / self.ours.median_us / 1e3
    }

    /// Gigabytes a second of the copy.
    pub fn copy_bandwidth(&self) -> f64 {
        self.bytes as f64 / self.copy.median_us / 1e3
    }

    /// The kernel's bandwidth over that of the copy.
    pub fn ratio(&self) -> f64 {
        self.copy.median_us / self.ours.median_us
    }
}

impl<'a, 'gpu> Case<'a, 'gpu> {
    /// Puts random operands on the device.
    ///
    /// # Errors
    ///
    /// A kernel with more than arguments and scalars; an argument that is no layout; the driver's.
    pub fn new(
        gpu: &'gpu Gpu,
        module: &'a Module,
        kernel: &'a Kernel,
        references: &'a References,
        seed: u64,
    ) -> Result<Self> {
        if !(kernel.workspaces.is_empty() && kernel.before.is_empty() && kernel.after.is_empty()) {
            return Err(Error::Manifest(format!(
                "kernel {}: expected one that runs alone to be compared with a reference, found workspaces or kernels \
                 around it",
                kernel.name
            )));
        }
        let launch = Launch::new(module, kernel)?;
        let (fields, memory) = trial::operands(kernel, &mut Random::new(seed), poison)?;
        let mut buffers = Vec::with_capacity(fields.len());
        for field in &fields {
            buffers.push(
                gpu.allocate(field.span() * field.element.bytes() + field.start + 2 * REDZONE)?,
            );
        }
        let pointers = pointers(&fields, &buffers);
        let maps = EncodedMaps::new(kernel, &pointers)?;
        Ok(Self { gpu, kernel, references, launch, fields, memory, buffers, maps })
    }

    /// The resources that the driver's assembler gave the kernel.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn resources(&self) -> Result<Resources> {
        self.launch.resources()
    }

    fn launch(&self) -> Result<()> {
        let pointers = pointers(&self.fields, &self.buffers);
        // SAFETY: the addresses are device memory as long as the manifest's layouts say, in its order.
        unsafe {
            self.launch.start(self.kernel, (Stream::DEFAULT, Start::InOrder), &pointers, &self.maps)
        }
    }

    /// Runs the kernel on memory that `byte` fills. The result is the contents of operands after it, and what it wrote; bytes around operands
    /// count as stray.
    fn run(&self, byte: fn(Element) -> u8) -> Result<Results> {
        let mut before = Vec::with_capacity(self.fields.len());
        for ((field, buffer), memory) in self.fields.iter().zip(&self.buffers).zip(&self.memory) {
            buffer.fill(byte(field.element))?;
            let own = among(field, memory, byte(field.element));
            buffer.write(REDZONE + field.start, &own)?;
            before.push(own);
        }
        self.launch()?;
        self.gpu.wait()?;
        let (mut after, mut strayed) = (Vec::with_capacity(before.len()), 0);
        for ((field, buffer), before) in self.fields.iter().zip(&self.buffers).zip(&before) {
            let all = buffer.bytes_back()?;
            let first = REDZONE + field.start;
            let around = all.iter().take(first).chain(all.iter().skip(first + before.len()));
            strayed += around.filter(|&&found| found != byte(field.element)).count();
            after.push(all.get(first..first + before.len()).unwrap_or_default().to_vec());
        }
        let mut coverage = Coverage::new(&self.fields, &before, &after, byte);
        coverage.stray += strayed;
        Ok((after, coverage))
    }

    /// Runs the kernel on poisoned results, compares every element with the reference, and does so once more.
    ///
    /// # Errors
    ///
    /// The driver's, and those of the reference.
    pub fn check(&self) -> Result<Verdict> {
        let computes = |words: &[u64]| self.references.compute(self.kernel, words);
        let expected = Expected::new(self.kernel, &self.fields, &self.memory, Some(&computes))?;
        let ((first, coverage), (second, again)) =
            (self.run(poison)?, self.run(data::other_poison)?);
        let coverage = coverage.with(&again);
        let of = |memory: &[Vec<u8>]| {
            let coverage = (coverage.unwritten(), coverage.stray);
            Verdict::of(expected.distance(&self.fields, memory), coverage)
        };
        let mut verdict = of(&first).with(of(&second));
        if !self.kernel.unordered {
            let written = self.fields.iter().zip(first.iter().zip(&second));
            let written = written.filter(|(field, _)| field.access != Access::Read);
            let differing = written.map(|(field, (first, second))| {
                let values = field.values(first).into_iter().zip(field.values(second));
                values.filter(|(one, other)| one.to_bits() != other.to_bits()).count()
                    * field.element.bytes()
            });
            let differing = differing.sum();
            verdict.differing_bytes = Some(differing);
            verdict.passed &= differing == 0;
        }
        Ok(verdict)
    }

    /// Times the kernel, interleaved with a device copy that reads and writes the same number of bytes; the L2 cache is
    /// flushed before each.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn time(&self, repetitions: Option<usize>, left: Left) -> Result<Timing> {
        let flush = Flush::new(self.gpu, left)?;
        let bytes = self.kernel.traffic()?;
        let half = usize::try_from(bytes / 2).unwrap_or(0).max(1);
        let (from, to) = (self.gpu.allocate(half)?, self.gpu.allocate(half)?);
        from.fill(0)?;
        let (ours, copy) = (|| self.launch(), || to.copy_from(&from));
        for _ in 0..WARM_UPS {
            ours()?;
            copy()?;
        }
        let times: [Vec<f64>; 2] =
            flush.interleaved(&[&ours, &copy], repetitions)?.try_into().unwrap_or_default();
        let repetitions = times[0].len();
        let [our_times, copy_times] = times;
        let flops = self.kernel.flops.unwrap_or(0) as f64;
        match (Times::of(our_times, flops), Times::of(copy_times, 0.0)) {
            (Some(ours), Some(copy)) => Ok(Timing { ours, copy, bytes, repetitions }),
            _ => Err(Error::Manifest("expected at least one repetition".into())),
        }
    }
}

/// The bytes of an operand, with another poison between its elements.
fn among(field: &Field, memory: &[u8], byte: u8) -> Vec<u8> {
    let mut own = vec![byte; memory.len()];
    if field.access != Access::Write {
        let size = field.element.bytes();
        for place in field.places() {
            let at = place * size..(place + 1) * size;
            own[at.clone()].copy_from_slice(&memory[at]);
        }
    }
    own
}

/// The pointers of a launch: where the operands start.
fn pointers(fields: &[Field], buffers: &[Buffer<'_>]) -> Vec<u64> {
    let start = |field: &Field| (REDZONE + field.start) as u64;
    buffers.iter().zip(fields).map(|(buffer, field)| buffer.address() + start(field)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_needs_both_runs() {
        let near = Distance { relative: 1e-8, tolerance: 1e-6, worst: 0.5, ..Distance::default() };
        let far = Distance { worst: 1.5, element: "y(7)".into(), wrong: 1, ..near.clone() };
        let right = Verdict::of(near.clone(), (0, 0));
        assert!(
            right.passed
                && !Verdict::of(near.clone(), (1, 0)).passed
                && !Verdict::of(near.clone(), (0, 1)).passed
        );
        let both = right.clone().with(Verdict::of(far, (0, 2)));
        assert_eq!(
            (both.passed, both.worst, both.element.as_deref(), both.stray_bytes),
            (false, Some(1.5), Some("y(7): expected 0, found 0; 1 wrong"), 2)
        );
        let lost = Distance { worst: f64::NAN, ..near };
        assert_eq!(
            (Verdict::of(lost.clone(), (0, 0)).passed, right.with(Verdict::of(lost, (0, 0))).worst),
            (false, None)
        );
    }

    #[test]
    fn bandwidths_are_of_the_same_bytes() {
        let of = |median_us| Times { median_us, min_us: 1.0, p90_us: 1.0, tflops: 0.0 };
        let timing = Timing { ours: of(20.0), copy: of(16.0), bytes: 64_000_000, repetitions: 11 };
        assert_eq!(
            (timing.bandwidth(), timing.copy_bandwidth(), timing.ratio()),
            (3200.0, 4000.0, 0.8)
        );
    }
}
