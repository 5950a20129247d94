//! Measuring candidates on the GPU, interleaved with cuBLASLt.

use std::path::Path;

use layout_runtime::cublas::{Fused, Library};
use layout_runtime::driver::Gpu;
use layout_runtime::flush::Left;
use layout_runtime::matmul::Case;
use layout_runtime::{Error, Result};

use super::Candidate;
use super::search::{Measure, Sample};

/// The GPU and the library to compare with.
pub(crate) struct Device<'gpu> {
    gpu: &'gpu Gpu,
    library: Option<Library<'gpu>>,
    seed: u64,
}

impl<'gpu> Device<'gpu> {
    pub(crate) fn new(gpu: &'gpu Gpu, cublas: Option<&Path>, seed: u64) -> Result<Self> {
        let library = match Library::open(gpu, cublas) {
            Ok(library) => Some(library),
            // A library that was requested by name has to be there.
            Err(error) if cublas.is_some() => return Err(error),
            Err(error) => {
                println!("no comparison, and no rows for the table: {error}");
                None
            }
        };
        Ok(Device { gpu, library, seed })
    }

    /// The library's version.
    pub(crate) fn library(&self) -> Option<usize> {
        self.library.as_ref().map(|library| library.version)
    }

    fn sample(
        &self,
        candidate: &Candidate,
        repetitions: usize,
        check: bool,
    ) -> Result<std::result::Result<Sample, String>> {
        let module = self.gpu.load(candidate.input.ptx.as_bytes())?;
        let kernels = &candidate.input.manifest.kernels;
        let kernel = kernels
            .first()
            .ok_or_else(|| Error::Manifest("expected at least one kernel, found none".into()))?;
        let gemm = kernel.matmul()?;
        let mut case = Case::new(self.gpu, &module, vec![gemm], self.seed)?;
        if check {
            let verdict = case.check()?;
            if !verdict.passed {
                return Ok(Err(format!("expected a right result, found {verdict:?}")));
            }
        }
        let plans = match &self.library {
            Some(library) if gemm.epilogue.is_some() => case.baseline(library)?.plans,
            Some(library) => vec![(library.prepare(&gemm, Fused::default())?, Fused::default())],
            None => Vec::new(),
        };
        let plans: Vec<_> = plans.iter().map(|(plan, _)| plan).collect();
        let timing = case.time(&plans, Some(repetitions), Left::Written)?;
        Ok(Ok(Sample {
            ours_us: timing.ours.median_us,
            cublas_us: timing.cublas.map(|times| times.median_us),
        }))
    }
}

impl Measure for Device<'_> {
    fn measure(
        &mut self,
        candidate: &Candidate,
        repetitions: usize,
        check: bool,
    ) -> Result<std::result::Result<Sample, String>> {
        match self.sample(candidate, repetitions, check) {
            // The driver's assembler refuses a candidate; the others can still win.
            Err(error @ Error::Assemble { .. }) => Ok(Err(error.to_string())),
            other => other,
        }
    }
}
