//! `check` and `bench` of kernels with a reference.

use std::fmt;

use layout_runtime::Result;
use layout_runtime::chosen::Chosen;
use layout_runtime::data::Random;
use layout_runtime::driver::{Gpu, Module, Resources};
use layout_runtime::library::References;
use layout_runtime::referenced::{Case, Timing, Verdict};
use serde_json::json;

use crate::bench::Options;

/// The findings about a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    name: String,
    chip: String,
    sizes: Vec<(String, i64)>,
    shared_bytes: i64,
    resources: Resources,
    verdict: Verdict,
    seed: u64,
    timing: Option<Timing>,
}

/// Checks a kernel.
pub(crate) fn check(
    gpu: &Gpu,
    module: &Module,
    chosen: &Chosen,
    references: &References,
    seed: u64,
) -> Result<Report> {
    found(gpu, module, chosen, references, seed, |_| Ok(None))
}

/// Checks and times a kernel.
pub(crate) fn bench(
    gpu: &Gpu,
    module: &Module,
    chosen: &Chosen,
    references: &References,
    options: &Options<'_>,
) -> Result<Report> {
    found(gpu, module, chosen, references, options.seed, |case| {
        case.time(options.repetitions, options.left).map(Some)
    })
}

fn found(
    gpu: &Gpu,
    module: &Module,
    chosen: &Chosen,
    references: &References,
    seed: u64,
    time: impl FnOnce(&Case<'_, '_>) -> Result<Option<Timing>>,
) -> Result<Report> {
    // Scalars have numbers of their own, which do not move those of operands.
    let kernel = chosen.kernel.clone().with_random_scalars(&mut Random::new(!seed));
    let case = Case::new(gpu, module, &kernel, references, seed)?;
    let (resources, verdict) = (case.resources()?, case.check()?);
    let timing = time(&case)?;
    Ok(Report {
        name: chosen.to_string(),
        chip: kernel.chip.clone(),
        sizes: chosen.sizes.clone(),
        shared_bytes: i64::from(kernel.shared_bytes) + i64::from(resources.static_shared_bytes),
        resources,
        verdict,
        seed,
        timing,
    })
}

impl Report {
    /// Whether the kernel is right.
    pub(crate) fn is_right(&self) -> bool {
        self.verdict.passed
    }

    /// As JSON.
    pub(crate) fn row(&self) -> serde_json::Value {
        let mut row = json!({
            "name": self.name,
            "chip": self.chip,
            "registers": self.resources.registers,
            "local_bytes": self.resources.local_bytes,
            "shared_bytes": self.shared_bytes,
            "check": self.verdict,
        });
        if !self.sizes.is_empty() {
            row["sizes"] =
                self.sizes.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        }
        if let Some(timing) = &self.timing {
            row["timing"] = json!(timing);
            row["gigabytes_per_second"] = json!(timing.bandwidth());
            row["copy_gigabytes_per_second"] = json!(timing.copy_bandwidth());
            row["ratio"] = json!(timing.ratio());
        }
        row
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { passed, tolerance, unwritten, stray_bytes, .. } = self.verdict;
        let number = |value: Option<f64>| match value {
            Some(value) => format!("{value:.2e}"),
            None => "not a number".to_owned(),
        };
        // The bound is 0, or the difference is no number.
        let worst = match self.verdict.worst {
            Some(worst) => format!("at {worst:.2e} of its bound"),
            None => "beyond its bound".to_owned(),
        };
        write!(
            f,
            "{}: {}: relative error {} against its reference in float64, expected at most {tolerance:.0e}; worst element \
             {worst}; {} registers, {} bytes of local memory, {} bytes of shared memory; seed {}",
            self.name,
            if passed { "PASSED" } else { "FAILED" },
            number(self.verdict.relative_error),
            self.resources.registers,
            self.resources.local_bytes,
            self.shared_bytes,
            self.seed
        )?;
        if !passed {
            write!(
                f,
                "\n    {unwritten} elements never written; {stray_bytes} bytes written outside"
            )?;
            if let Some(element) = &self.verdict.element {
                write!(f, "; worst {element}")?;
            }
            if let Some(differing) = self.verdict.differing_bytes.filter(|&differing| differing > 0)
            {
                write!(f, "; {differing} bytes differ in a second run")?;
            }
        }
        if let Some(timing) = &self.timing {
            write!(
                f,
                "\n    {:.1} µs, {:.0} GB/s of {} bytes; a device copy of as many {:.1} µs, {:.0} GB/s; ratio {:.2}",
                timing.ours.median_us,
                timing.bandwidth(),
                timing.bytes,
                timing.copy.median_us,
                timing.copy_bandwidth(),
                timing.ratio()
            )?;
            if timing.ours.tflops > 0.0 {
                write!(f, "; {:.1} TFLOP/s", timing.ours.tflops)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use layout_runtime::matmul::Times;

    use super::*;

    fn found(passed: bool, timing: Option<Timing>) -> Report {
        Report {
            name: "softmax".into(),
            chip: "sm_80".into(),
            sizes: vec![("n".into(), 7)],
            shared_bytes: 1024,
            resources: Resources { registers: 32, local_bytes: 0, static_shared_bytes: 0 },
            verdict: Verdict {
                passed,
                relative_error: Some(1.66e-3),
                tolerance: 7.8e-3,
                worst: Some(0.5),
                element: Some("y(2): expected 6.93, found 7.61; 9 wrong".into()),
                unwritten: 3,
                stray_bytes: 0,
                differing_bytes: Some(2),
            },
            seed: 7,
            timing,
        }
    }

    #[test]
    fn a_verdict_reports_what_is_wrong() {
        assert_eq!(
            found(true, None).to_string(),
            "softmax: PASSED: relative error 1.66e-3 against its reference in float64, expected at most 8e-3; worst element \
             at 5.00e-1 of its bound; 32 registers, 0 bytes of local memory, 1024 bytes of shared memory; seed 7"
        );
        let text = found(false, None).to_string();
        let wrong = "\n    3 elements never written; 0 bytes written outside; worst y(2): expected 6.93, found 7.61; 9 wrong; 2 bytes differ \
                     in a second run";
        assert!(text.starts_with("softmax: FAILED") && text.ends_with(wrong), "{text}");
    }

    #[test]
    fn times_are_compared_with_those_of_a_copy() {
        let of = |median_us, tflops| Times { median_us, min_us: 1.0, p90_us: 1.0, tflops };
        let timing =
            Timing { ours: of(20.0, 0.0), copy: of(16.0, 0.0), bytes: 64_000_000, repetitions: 11 };
        let text = found(true, Some(timing)).to_string();
        let expected = "\n    20.0 µs, 3200 GB/s of 64000000 bytes; a device copy of as many 16.0 µs, 4000 GB/s; ratio 0.80";
        assert!(text.ends_with(expected), "{text}");
        let row = found(true, Some(timing)).row();
        assert_eq!((&row["ratio"], &row["sizes"]), (&json!(0.8), &json!({"n": 7})));
    }
}
