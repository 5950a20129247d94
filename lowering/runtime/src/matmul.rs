//! One GEMM on the device, or several of one kernel: fresh random operands, the check against float64, interleaved timing.

use std::borrow::Cow;

use rayon::prelude::*;
use serde::Serialize;

use crate::cublas::{Bias, Function as Activation, Fused, Library, Plan};
use crate::data::{self, Coverage, Random, poison};
use crate::driver::{Buffer, EncodedMaps, Gpu, Module, Resources, Start, Stream};
use crate::epilogue::Program;
use crate::flush::{Flush, Left};
use crate::launch::Launch;
use crate::manifest::{Access, Argument, Element, Gemm, Kernel, Matrix};
use crate::reference::{self, Comparison, Difference, Reference};
use crate::{Error, Result};

/// Poisoned bytes before and after each matrix: a read there brings a NaN, a write there is seen.
pub const REDZONE: usize = 4096;

/// Up to this many terms the reference is computed on the CPU.
const CPU_TERMS: f64 = 3e8;

/// Runs before a time is taken.
const WARM_UPS: usize = 3;

/// A kernel with its operands on the device.
#[derive(Debug)]
pub struct Case<'a, 'gpu> {
    gpu: &'gpu Gpu,
    kernel: &'a Kernel,
    launch: Launch,
    /// Memory that its kernels share, not initialised.
    workspaces: Vec<Buffer<'gpu>>,
    /// All arguments with their redzones.
    buffers: Vec<Buffer<'gpu>>,
    /// The bytes of the arguments that a kernel reads, from their first element on.
    contents: Vec<Vec<u8>>,
    maps: EncodedMaps,
    gemms: Vec<GemmData<'a>>,
}

/// One of the GEMMs that a kernel computes.
#[derive(Debug)]
struct GemmData<'a> {
    gemm: Gemm<'a>,
    /// A and B, exactly, packed row-major, one matrix of a batch after the other.
    operands: [Vec<f64>; 2],
    /// A second B likewise.
    dual: Option<Vec<f64>>,
    /// The bytes of C before a launch, where the kernel reads it.
    before_launch: Option<Vec<u8>>,
    /// The epilogue of each accumulator.
    epilogue: Option<Fusion>,
    /// The reference GEMM, once it was requested.
    expected: Option<(Reference, &'static str)>,
}

/// An epilogue and its operands.
#[derive(Debug)]
struct Fusion {
    program: Program,
    operands: Vec<Field>,
}

/// A matrix as the device has it.
#[derive(Debug)]
struct Field {
    matrix: Matrix,
    element: Element,
    bytes: Vec<u8>,
}

impl Field {
    /// The element of a row of all matrices, which are contiguous.
    fn at(&self, row: usize, column: usize) -> f64 {
        let rows = self.matrix.extents[0];
        let place = self.matrix.at(row / rows, row % rows, column) * self.element.bytes();
        data::decode(self.element, self.bytes.get(place..).unwrap_or(&[]))
    }
}

impl Fusion {
    /// Replaces each accumulator, packed row-major, by the epilogue's result for it and for that of a second B.
    fn apply(&self, sums: &mut [f64], second: Option<&[f64]>, columns: usize) {
        sums.par_chunks_mut(columns.max(1)).enumerate().for_each(|(row, sums)| {
            let mut values = Vec::new();
            for (column, sum) in sums.iter_mut().enumerate() {
                let elements = self.operands.iter().map(|field| field.at(row, column));
                let second = second.map(|sums| sums[row * columns + column]);
                let others = second.into_iter().chain(elements);
                *sum = self.program.apply(*sum, others, &mut values);
            }
        });
    }
}

/// The verdict on one result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether every element was written, nothing else was, the error is within the tolerance, and a
    /// second run gave the same bits.
    pub passed: bool,
    /// Frobenius norm of the difference over that of the reference, or `None` if it is not a number.
    pub relative_error: Option<f64>,
    /// The bound of the relative error.
    pub tolerance: f64,
    /// Largest absolute difference, or `None` if it is not a number.
    pub largest_error: Option<f64>,
    /// Row and column of the largest difference; rows of a batch continue from matrix to matrix.
    pub worst: (usize, usize),
    /// Elements that were never written.
    pub unwritten: usize,
    /// Bytes outside every element that were written.
    pub stray_bytes: usize,
    /// Bytes that differ in a second run, if there was one: accumulation has a fixed order.
    pub differing_bytes: Option<usize>,
    /// Where the float64 reference was computed.
    pub reference: &'static str,
}

impl Verdict {
    fn of(
        difference: Difference,
        coverage: Coverage,
        tolerance: f64,
        columns: usize,
        place: &'static str,
    ) -> Self {
        let number = |value: f64| value.is_finite().then_some(value);
        Verdict {
            passed: difference.relative <= tolerance && coverage == Coverage::default(),
            relative_error: number(difference.relative),
            tolerance,
            largest_error: number(difference.largest),
            worst: (difference.worst / columns, difference.worst % columns),
            unwritten: coverage.unwritten,
            stray_bytes: coverage.stray,
            differing_bytes: None,
            reference: place,
        }
    }

    /// With what two runs gave, which have to agree.
    fn compared(self, first: &[u8], second: &[u8]) -> Self {
        let differing = first.iter().zip(second).filter(|(one, other)| one != other).count()
            + first.len().abs_diff(second.len());
        Self { passed: self.passed && differing == 0, differing_bytes: Some(differing), ..self }
    }

    /// The verdict on all GEMMs of a kernel: it passes if all do, and has the largest errors.
    fn with(self, other: Self) -> Self {
        let numbers = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a.max(b));
        let is_worse = other.largest_error.is_none_or(|error| Some(error) > self.largest_error);
        let sums = self.differing_bytes.zip(other.differing_bytes).map(|(a, b)| a + b);
        Self {
            passed: self.passed && other.passed,
            relative_error: numbers(self.relative_error, other.relative_error),
            tolerance: self.tolerance.max(other.tolerance),
            largest_error: numbers(self.largest_error, other.largest_error),
            worst: if is_worse { other.worst } else { self.worst },
            unwritten: self.unwritten + other.unwritten,
            stray_bytes: self.stray_bytes + other.stray_bytes,
            differing_bytes: sums,
            reference: other.reference,
        }
    }
}

/// The computation of cuBLASLt in place of a kernel.
#[derive(Debug, Default)]
pub struct Baseline<'library, 'gpu> {
    /// The prepared calls, and the epilogue in each: one for each problem, in their order; empty if
    /// a problem has no call.
    pub plans: Vec<(Plan<'library, 'gpu>, Fused)>,
    /// The verdict on its result, or on that of the call that comes nearest.
    pub verdict: Option<Verdict>,
    /// Why there is no call.
    pub refusal: Option<String>,
}

/// Times of one contender over all repetitions, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// The median: the figure that counts.
    pub median_us: f64,
    /// The fastest.
    pub min_us: f64,
    /// Nine tenths were no slower.
    pub p90_us: f64,
    /// Operations a second at the median, in units of 1e12.
    pub tflops: f64,
}

impl Times {
    /// Summary of a list of times, or `None` if the list is empty.
    pub fn of(mut times: Vec<f64>, flops: f64) -> Option<Times> {
        times.sort_by(f64::total_cmp);
        let (min_us, last) = (*times.first()?, times.len() - 1);
        let median_us = times[times.len() / 2];
        Some(Times {
            median_us,
            min_us,
            p90_us: times[last * 9 / 10],
            tflops: flops / median_us / 1e6,
        })
    }
}

/// Ours and cuBLASLt's, interleaved in one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// Our kernel.
    pub ours: Times,
    /// cuBLASLt's best proposal, when there is a library.
    pub cublas: Option<Times>,
    /// Repetitions per figure.
    pub repetitions: usize,
}

impl Timing {
    /// Our speed over cuBLASLt's: above 1 we are faster.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.cublas?.median_us / self.ours.median_us)
    }
}

impl<'a, 'gpu> Case<'a, 'gpu> {
    /// Fills A and B with fresh random numbers of this seed and puts everything on the device: for all
    /// GEMMs of a kernel.
    ///
    /// # Errors
    ///
    /// [`Error::Manifest`] for no GEMM, an argument or workspace that is no matrix, an epilogue that is not a program, and tensor maps that
    /// the driver would refuse;
    /// an entry that the module lacks; the driver's refusal, such as too little free memory.
    pub fn new(
        gpu: &'gpu Gpu,
        module: &'a Module,
        gemms: Vec<Gemm<'a>>,
        seed: u64,
    ) -> Result<Self> {
        let kernel = match gemms.first() {
            Some(gemm) => gemm.kernel,
            None => return Err(Error::Manifest("expected a GEMM, found none".into())),
        };
        let launch = Launch::new(module, kernel)?;
        let mut random = Random::new(seed);
        let mut buffers = Vec::with_capacity(kernel.args.len());
        let mut contents = Vec::with_capacity(kernel.args.len());
        for argument in &kernel.args {
            let (layout, element) = (argument.matrix()?, argument.element);
            let buffer = gpu.allocate(layout.span() * element.bytes() + 2 * REDZONE)?;
            buffer.fill(poison(element))?;
            let mut bytes = Vec::new();
            if argument.access != Access::Write {
                bytes = data::random_matrix(&layout, element, &mut random);
                buffer.write(place(argument), &bytes)?;
            }
            buffers.push(buffer);
            contents.push(bytes);
        }
        let gemms = gemms.into_iter().map(|gemm| GemmData::new(gemm, &contents));
        let gemms = gemms.collect::<Result<Vec<_>>>()?;
        let mut workspaces = Vec::new();
        for workspace in &kernel.workspaces {
            let buffer = gpu.allocate(workspace.workspace_bytes()? + 2 * REDZONE)?;
            buffer.fill(poison(workspace.element))?;
            workspaces.push(buffer);
        }
        let maps = EncodedMaps::new(kernel, &pointers(kernel, &buffers, &workspaces))?;
        Ok(Case { gpu, kernel, launch, workspaces, buffers, contents, maps, gemms })
    }

    /// The resources that the driver's assembler gave the kernel.
    ///
    /// # Errors
    ///
    /// The driver's refusal.
    pub fn resources(&self) -> Result<Resources> {
        self.launch.resources()
    }

    fn launch(&self) -> Result<()> {
        let pointers = pointers(self.kernel, &self.buffers, &self.workspaces);
        // SAFETY: the addresses are device memory as long as the manifest's layouts say, in its order.
        unsafe {
            self.launch.start(self.kernel, (Stream::DEFAULT, Start::InOrder), &pointers, &self.maps)
        }
    }

    fn launch_plan(
        &self,
        product: &GemmData<'_>,
        plan: &Plan<'_, '_>,
        proposal: usize,
    ) -> Result<()> {
        let addresses = product
            .gemm
            .arguments
            .map(|number| address(&self.buffers[number], &self.kernel.args[number]));
        // SAFETY: the plan was prepared for these layouts, and the addresses reach as far as they say.
        unsafe { plan.launch(proposal, addresses) }
    }

    /// Runs our kernel on poisoned outputs and compares every element with the reference; and once more,
    /// and compares all bits.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of the kernel; [`Error::Manifest`] for a GEMM that is too large for the reference on the device.
    /// A wrong result is a verdict and no error.
    pub fn check(&mut self) -> Result<Verdict> {
        let run = |poison: fn(Element) -> u8| -> Result<(Vec<Vec<u8>>, usize)> {
            self.surround(poison)?;
            for product in &self.gemms {
                self.poison(product, poison)?;
            }
            self.launch()?;
            self.gpu.wait()?;
            let results = self.gemms.iter().map(|product| self.result(product));
            Ok((results.collect::<Result<_>>()?, self.strayed(poison)?))
        };
        let ((first, strayed), (mut second, again)) = (run(poison)?, run(data::other_poison)?);
        let strayed = strayed.max(again);
        let mut all: Option<Verdict> = None;
        for ((product, first), second) in self.gemms.iter_mut().zip(&first).zip(&mut second) {
            let mut verdict = product.verdict(self.gpu, first)?;
            let (layout, element) = (product.gemm.layouts[2], product.gemm.elements()[2]);
            if data::other_poison(element) != poison(element) {
                let start = place(product.gemm.argument(2));
                verdict.unwritten = data::still_poison(&layout, element, (first, second), start);
                verdict.passed &= verdict.unwritten == 0;
            }
            let verdict = verdict.compared(first, second);
            all = Some(match all {
                Some(before) => before.with(verdict),
                None => verdict,
            });
        }
        let all = all.ok_or_else(|| Error::Manifest("expected a GEMM, found none".into()))?;
        let stray_bytes = all.stray_bytes + strayed;
        Ok(Verdict { passed: all.passed && strayed == 0, stray_bytes, ..all })
    }

    fn results(&self) -> Vec<usize> {
        self.gemms.iter().map(|product| product.gemm.arguments[2]).collect()
    }

    /// The bytes of an operand among a poison.
    fn among(&self, number: usize, poison: fn(Element) -> u8) -> Result<Cow<'_, [u8]>> {
        let (argument, contents) = (&self.kernel.args[number], &self.contents[number]);
        let element = argument.element;
        if poison(element) == data::poison(element) {
            return Ok(Cow::Borrowed(contents));
        }
        let others = data::surrounded(&argument.matrix()?, element, contents, poison(element));
        Ok(Cow::Owned(others))
    }

    /// Puts a poison around and between the elements of integer operands, and into integer workspaces.
    fn surround(&self, poison: fn(Element) -> u8) -> Result<()> {
        let results = self.results();
        for (number, (buffer, argument)) in self.buffers.iter().zip(&self.kernel.args).enumerate() {
            if argument.element.is_integer() && !results.contains(&number) {
                buffer.fill(poison(argument.element))?;
                buffer.write(place(argument), &self.among(number, poison)?)?;
            }
        }
        for (buffer, workspace) in self.workspaces.iter().zip(&self.kernel.workspaces) {
            if workspace.element.is_integer() {
                buffer.fill(poison(workspace.element))?;
            }
        }
        Ok(())
    }

    /// Bytes of operands, of what lies around and between their elements, and of what lies around workspaces, that
    /// launches have changed, where all lay among this poison.
    fn strayed(&self, poison: fn(Element) -> u8) -> Result<usize> {
        let results = self.results();
        let mut strayed = 0;
        for (number, (buffer, argument)) in self.buffers.iter().zip(&self.kernel.args).enumerate() {
            if results.contains(&number) {
                continue;
            }
            let found = buffer.bytes_back()?;
            let (start, contents) = (place(argument), self.among(number, poison)?);
            let (before, rest) = found.split_at(start.min(found.len()));
            let (inside, after) = rest.split_at(contents.len().min(rest.len()));
            let poison = poison(argument.element);
            strayed += before.iter().chain(after).filter(|&&byte| byte != poison).count();
            if *inside != *contents {
                let pairs = inside.iter().zip(contents.iter());
                strayed += pairs.filter(|(one, other)| one != other).count();
            }
        }
        for (buffer, workspace) in self.workspaces.iter().zip(&self.kernel.workspaces) {
            let found = buffer.bytes_back()?;
            let poison = poison(workspace.element);
            let (before, rest) = found.split_at(REDZONE.min(found.len()));
            let (_, after) = rest.split_at(rest.len().saturating_sub(REDZONE));
            strayed += before.iter().chain(after).filter(|&&byte| byte != poison).count();
        }
        Ok(strayed)
    }

    /// Runs cuBLASLt on a poisoned output and compares in the same way: a baseline has to be right too.
    fn check_plan(&mut self, number: usize, plan: &Plan<'_, '_>) -> Result<Verdict> {
        let product = &self.gemms[number];
        self.poison(product, poison)?;
        self.launch_plan(product, plan, 0)?;
        self.gpu.wait()?;
        let bytes = self.result(product)?;
        self.gemms[number].verdict(self.gpu, &bytes)
    }

    fn result(&self, product: &GemmData<'_>) -> Result<Vec<u8>> {
        self.buffers[product.gemm.arguments[2]].bytes_back()
    }

    fn poison(&self, product: &GemmData<'_>, poison: fn(Element) -> u8) -> Result<()> {
        let c = &self.buffers[product.gemm.arguments[2]];
        c.fill(poison(product.gemm.elements()[2]))?;
        match &product.before_launch {
            Some(bytes) => c.write(place(product.gemm.argument(2)), bytes),
            None => Ok(()),
        }
    }

    /// The computation of cuBLASLt that equals this kernel's: for each problem, the epilogue and operands with a right
    /// result and the least error. It has no plans if the library has no such computation of one of the problems.
    ///
    /// # Errors
    ///
    /// As [`Case::check`]. A refusal of the library is a part of the baseline and no error.
    pub fn baseline<'l>(&mut self, library: &'l Library<'gpu>) -> Result<Baseline<'l, 'gpu>> {
        let mut all = Baseline::default();
        for number in 0..self.gemms.len() {
            let Baseline { plans, verdict, refusal } = self.baseline_of(number, library)?;
            all.plans.extend(plans);
            all.verdict = match (all.verdict, verdict) {
                (Some(before), Some(verdict)) => Some(before.with(verdict)),
                (before, verdict) => before.or(verdict),
            };
            all.refusal = all.refusal.or(refusal);
        }
        if all.plans.len() < self.gemms.len() {
            all.plans.clear();
        }
        Ok(all)
    }

    fn baseline_of<'l>(
        &mut self,
        number: usize,
        library: &'l Library<'gpu>,
    ) -> Result<Baseline<'l, 'gpu>> {
        let mut best = Baseline::default();
        let gemm = self.gemms[number].gemm;
        if gemm.dual().is_some() {
            best.refusal = Some("expected one B, as cuBLASLt multiplies, found two".to_owned());
            return Ok(best);
        }
        for fused in self.candidates(&gemm) {
            match library.prepare(&gemm, fused) {
                Err(error) if best.verdict.is_none() => best.refusal = Some(error.to_string()),
                Err(_) => {}
                Ok(plan) => {
                    let verdict = match self.check_plan(number, &plan) {
                        // The library may refuse what it has proposed.
                        Err(error @ Error::Cublas(_)) => {
                            if best.verdict.is_none() {
                                best.refusal = Some(error.to_string());
                            }
                            continue;
                        }
                        verdict => verdict?,
                    };
                    let error = |verdict: &Verdict| verdict.relative_error.unwrap_or(f64::INFINITY);
                    let known = best.verdict.as_ref().map_or(f64::INFINITY, error);
                    if best.verdict.is_some() && error(&verdict) >= known {
                        continue;
                    }
                    best = if verdict.passed {
                        let plans = vec![(plan, fused)];
                        Baseline { plans, verdict: Some(verdict), refusal: None }
                    } else {
                        let refusal = Some(format!("cuBLASLt's result is wrong: {verdict:?}"));
                        Baseline { plans: Vec::new(), verdict: Some(verdict), refusal }
                    };
                }
            }
        }
        Ok(best)
    }

    /// The computations of cuBLASLt that may take the place of this kernel.
    fn candidates(&self, gemm: &Gemm<'_>) -> Vec<Fused> {
        let Some(epilogue) = gemm.epilogue else { return vec![Fused::default()] };
        let rows = gemm.layouts[2].strides[1] == 1;
        let vector = if rows { [0, 1] } else { [1, 0] };
        let bias = epilogue.operands.iter().find_map(|&number| {
            let argument = self.kernel.args.get(number)?;
            let matrix = argument.matrix().ok()?;
            let address = address(&self.buffers[number], argument);
            let (element, batch_stride) = (argument.element, matrix.batch_stride);
            (matrix.strides == vector && matrix.is_plain()).then_some(Bias {
                address,
                element,
                batch_stride,
            })
        });
        let functions = [Activation::Gelu, Activation::Relu, Activation::None];
        functions.map(|function| Fused { function, bias }).to_vec()
    }

    /// Times our kernel and, interleaved with it, cuBLASLt's best proposals, one call for each problem after the
    /// other; the L2 cache is flushed before each launch, and the order alternates.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of kernels; [`Error::Cublas`] if no proposal of a plan runs.
    pub fn time(
        &self,
        plans: &[&Plan<'_, '_>],
        repetitions: Option<usize>,
        left: Left,
    ) -> Result<Timing> {
        let flush = Flush::new(self.gpu, left)?;
        let ours = || self.launch();
        for _ in 0..WARM_UPS {
            ours()?;
        }
        let calls = self.gemms.iter().zip(plans);
        let calls = calls.map(|(product, plan)| {
            let proposal = self.best_proposal(product, plan, &flush)?;
            Ok((product, *plan, proposal))
        });
        let calls = calls.collect::<Result<Vec<_>>>()?;
        let theirs = || {
            calls.iter().try_for_each(|&(product, plan, proposal)| {
                self.launch_plan(product, plan, proposal)
            })
        };
        let contenders: [&dyn Fn() -> Result<()>; 2] = [&ours, &theirs];
        let known = if calls.len() < self.gemms.len() { 1 } else { 2 };
        let mut times = flush.interleaved(&contenders[..known], repetitions)?.into_iter();
        let (our_times, their_times) =
            (times.next().unwrap_or_default(), times.next().unwrap_or_default());
        let repetitions = our_times.len();
        let flops = self.gemms.iter().map(|product| product.gemm.flops()).sum();
        let ours = Times::of(our_times, flops)
            .ok_or_else(|| Error::Manifest("expected at least one repetition".into()))?;
        Ok(Timing { ours, cublas: Times::of(their_times, flops), repetitions })
    }

    /// The proposal that is fastest here; one that fails to run is passed over.
    fn best_proposal(
        &self,
        product: &GemmData<'_>,
        plan: &Plan<'_, '_>,
        flush: &Flush<'_>,
    ) -> Result<usize> {
        let mut best = (f64::INFINITY, 0);
        for proposal in 0..plan.proposals() {
            let run = || self.launch_plan(product, plan, proposal);
            if run().is_err() {
                continue;
            }
            let mut times = Vec::with_capacity(5);
            for _ in 0..5 {
                times.push(flush.sample(&[&run])?[0]);
            }
            times.sort_by(f64::total_cmp);
            if times[2] < best.0 {
                best = (times[2], proposal);
            }
        }
        if best.0.is_finite() {
            return Ok(best.1);
        }
        Err(Error::Cublas("expected a cuBLASLt algorithm that runs, found none".into()))
    }
}

impl<'a> GemmData<'a> {
    /// A GEMM, of what all arguments hold.
    fn new(gemm: Gemm<'a>, contents: &[Vec<u8>]) -> Result<Self> {
        let [a, b, c] = gemm.arguments;
        let elements = gemm.elements();
        let operands = [(0, a), (1, b)]
            .map(|(i, number)| data::widen(&gemm.layouts[i], elements[i], &contents[number]));
        let dual = |number: usize| -> Result<Vec<f64>> {
            let argument = &gemm.kernel.args[number];
            Ok(data::widen(&argument.matrix()?, argument.element, &contents[number]))
        };
        let dual = gemm.dual().map(dual).transpose()?;
        let epilogue = match gemm.epilogue {
            None => None,
            Some(epilogue) => {
                let field = |&number: &usize| -> Result<Field> {
                    let argument = &gemm.kernel.args[number];
                    let (matrix, element) = (argument.matrix()?, argument.element);
                    Ok(Field { matrix, element, bytes: contents[number].clone() })
                };
                let operands = epilogue.operands.iter().map(field).collect::<Result<_>>()?;
                Some(Fusion { program: Program::new(epilogue)?, operands })
            }
        };
        let before_launch = Some(contents[c].clone()).filter(|bytes| !bytes.is_empty());
        Ok(Self { gemm, operands, dual, before_launch, epilogue, expected: None })
    }

    fn verdict(&mut self, gpu: &Gpu, bytes: &[u8]) -> Result<Verdict> {
        let layout = self.gemm.layouts[2];
        let [_, _, element] = self.gemm.elements();
        let start = place(self.gemm.argument(2));
        let mut coverage = data::coverage(&layout, element, bytes, start);
        let result = data::widen(&layout, element, &bytes[start..]);
        let Gemm { precision, epilogue, k, .. } = self.gemm;
        let comparison = Comparison::new(self.gemm.elements(), k, precision, epilogue);
        let (expected, place) = match self.expected.take() {
            Some(expected) => expected,
            None => self.reference(gpu, &comparison)?,
        };
        let difference = comparison.difference(&result, &expected);
        let right = comparison.right_as_poison(&result, &expected);
        coverage.unwritten = coverage.unwritten.saturating_sub(right);
        let tolerance = comparison.tolerance(&expected);
        self.expected = Some((expected, place));
        Ok(Verdict::of(difference, coverage, tolerance, self.gemm.n, place))
    }

    fn reference(&self, gpu: &Gpu, comparison: &Comparison) -> Result<(Reference, &'static str)> {
        let (m, n, k) = (self.gemm.m, self.gemm.n, self.gemm.k);
        let [a, b] = &self.operands;
        let on_cpu = self.gemm.flops() / 2.0 <= CPU_TERMS;
        let product = |b: &Vec<f64>| -> Result<Vec<f64>> {
            let mut sums = Vec::with_capacity(m * n * self.gemm.batch);
            for (a, b) in a.chunks(m * k).zip(b.chunks(n * k)) {
                sums.extend(if on_cpu {
                    reference::gemm(a, b, m, n, k)
                } else {
                    reference_on(gpu, a, b, m, n, k)?
                });
            }
            Ok(sums)
        };
        let (sums, second) = (product(b)?, self.dual.as_ref().map(product).transpose()?);
        let place = if on_cpu { "cpu" } else { "gpu" };
        let apply =
            |fusion: &Fusion, values: &mut [f64]| fusion.apply(values, second.as_deref(), n);
        let epilogue =
            self.epilogue.as_ref().map(|fusion| move |values: &mut [f64]| apply(fusion, values));
        let epilogue = epilogue.as_ref().map(|apply| apply as &reference::InPlace<'_>);
        Ok((Reference::new(sums, comparison, epilogue), place))
    }
}

/// The pointers of a launch: where the matrices start, and the workspaces.
fn pointers(kernel: &Kernel, buffers: &[Buffer<'_>], workspaces: &[Buffer<'_>]) -> Vec<u64> {
    let workspaces = workspaces.iter().map(|buffer| buffer.address() + REDZONE as u64);
    let own = buffers.iter().zip(&kernel.args);
    own.map(|(buffer, argument)| address(buffer, argument)).chain(workspaces).collect()
}

/// Where a matrix starts.
fn address(buffer: &Buffer<'_>, argument: &Argument) -> u64 {
    buffer.address() + place(argument) as u64
}

/// Bytes of a buffer in front of its matrix: the redzone, and what keeps it from more alignment than it has.
fn place(argument: &Argument) -> usize {
    REDZONE + argument.start()
}

/// The float64 reference on the device: `C(i,j) = sum over l of A(i,l) * B(j,l)`, packed row-major.
///
/// # Errors
///
/// [`Error::Manifest`] for lists of other lengths than the extents say, and for extents that have too many tiles for a grid; the
/// driver's refusal.
pub fn reference_on(
    gpu: &Gpu,
    a: &[f64],
    b: &[f64],
    m: usize,
    n: usize,
    k: usize,
) -> Result<Vec<f64>> {
    if a.len() != m * k || b.len() != n * k {
        return Err(Error::Manifest(format!(
            "reference: expected {} and {} elements, found {} and {}",
            m * k,
            n * k,
            a.len(),
            b.len()
        )));
    }
    let module = gpu.load(reference::PTX.as_bytes())?;
    let function = module.function(reference::ENTRY)?;
    let (a, b) = (gpu.upload(a)?, gpu.upload(b)?);
    let c = gpu.allocate(m * n * size_of::<f64>())?;
    c.fill(poison(Element::F64))?;
    let tiles = |extent: usize| {
        u32::try_from(extent.div_ceil(reference::TILE)).map_err(|_| {
            Error::Manifest(format!("reference: expected a smaller matrix, found extent {extent}"))
        })
    };
    let tile = reference::TILE as u32;
    let [m, n, k] = [m, n, k].map(|extent| extent as u64);
    // Pointers, extents, then the strides (row, column) of A and B.
    let arguments = [a.address(), b.address(), c.address(), m, n, k, k, 1, k, 1];
    // SAFETY: the arguments are those of the entry in `reference.cu`; the buffers have the sizes checked above.
    unsafe {
        function.launch([tiles(n as usize)?, tiles(m as usize)?, 1], [tile, tile, 1], 0, &arguments)
    }?;
    gpu.wait()?;
    c.doubles_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_up() {
        let times = Times::of(vec![3.0, 1.0, 2.0], 4e6).unwrap();
        assert_eq!(times, Times { median_us: 2.0, min_us: 1.0, p90_us: 2.0, tflops: 2.0 });
        assert!(Times::of(Vec::new(), 1.0).is_none());
    }

    #[test]
    fn the_ratio_is_speed_over_speed() {
        let of = |median| Times { median_us: median, min_us: median, p90_us: median, tflops: 1.0 };
        let timing = Timing { ours: of(10.0), cublas: Some(of(8.0)), repetitions: 1 };
        assert_eq!(timing.ratio(), Some(0.8));
    }

    #[test]
    fn a_verdict_needs_numbers_and_full_coverage() {
        let right = Difference { relative: 1e-4, largest: 0.1, worst: 5 };
        let whole = Coverage::default();
        let verdict = Verdict::of(right, whole, 1e-3, 3, "cpu");
        assert!(verdict.passed);
        assert_eq!(verdict.worst, (1, 2));
        assert!(!Verdict::of(right, Coverage { unwritten: 1, stray: 0 }, 1e-3, 3, "cpu").passed);
        assert!(!Verdict::of(right, Coverage { unwritten: 0, stray: 1 }, 1e-3, 3, "cpu").passed);
        assert!(verdict.clone().compared(&[1, 2], &[1, 2]).passed);
        let twice = verdict.compared(&[1, 2, 3], &[1, 7, 8]);
        assert_eq!((twice.passed, twice.differing_bytes), (false, Some(2)));
        let nan = Difference { relative: f64::NAN, largest: f64::NAN, worst: 0 };
        let verdict = Verdict::of(nan, whole, 1e-3, 3, "cpu");
        assert!(!verdict.passed && verdict.relative_error.is_none());
    }
}
