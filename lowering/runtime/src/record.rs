//! Records of measurements: one line of JSON for each kernel that was checked or timed.
//!
//! `test/Device/records/h200.jsonl` holds what was measured on an H200; `layout-run check`, `bench` and `tune` append
//! lines with `--record`. Every key is in every line, with null where it is not known: nothing is left to a default.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::chosen::Chosen;
use crate::driver::{Gpu, Resources};
use crate::epilogue::Epilogue;
use crate::flush::Left;
use crate::manifest::{Precision, Problem, read_text};
use crate::matmul::{self, Timing, Verdict};
use crate::{Error, Result};

/// One kernel that was checked, timed or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The run: lines of one run were measured by one process, so that their times compare.
    pub run: String,
    /// The day, or the second in UTC, by ISO 8601.
    pub date: Option<String>,
    /// The commit of the compiler.
    pub commit: Option<String>,
    /// The command that was executed.
    pub command: Option<String>,
    /// Remarks: the list of kernels, the place in a search, why a kernel failed.
    pub note: Option<String>,
    /// The difference of the kernel from the compiler's output: PTX that was changed by hand, or an experimental build.
    pub changed: Option<String>,
    /// The device's name.
    pub device: String,
    /// The driver's version.
    pub driver: Option<String>,
    /// The newest CUDA version that the driver speaks, such as 13000.
    pub driver_cuda: Option<i32>,
    /// Seed of the random data.
    pub seed: Option<u64>,
    /// The content of the L2 cache before each launch.
    pub level_2_cache: Option<Left>,
    /// The PTX file.
    pub file: Option<String>,
    /// The chip that the kernel was compiled for.
    pub chip: Option<String>,
    /// Rows of A and C; `m`, `n` and `k` are none for a group, or for a kernel that is no GEMM.
    pub m: Option<i64>,
    /// Rows of B, columns of C.
    pub n: Option<i64>,
    /// Columns of A and B.
    pub k: Option<i64>,
    /// GEMMs of a batch; 1 for a single one.
    pub batch: Option<i64>,
    /// The problems of a grouped GEMM.
    pub groups: Option<Vec<Group>>,
    /// Element types of the arguments: A, B, C and the operands of an epilogue; of a group those of each problem.
    pub types: Option<Vec<String>>,
    /// A and B by BLAS letters: `n` where A (m,k) or the right side (k,n) is column-major, else `t`.
    pub orders: Option<String>,
    /// Strides of the arguments, in the order of `types`.
    pub strides: Option<Vec<String>>,
    /// Where operands or accumulators are less exact than the types state.
    pub precision: Option<Precision>,
    /// The epilogue of each accumulator.
    pub epilogue: Option<Epilogue>,
    /// Sizes that the kernel took at run time.
    pub sizes: Option<BTreeMap<String, i64>>,
    /// The family that the kernel is a variant of.
    pub family: Option<String>,
    /// The text of the schedule, without the chip.
    pub schedule: Option<String>,
    /// Whether the compiler chose the schedule.
    pub auto: Option<bool>,
    /// Registers and memory.
    pub resources: Option<Usage>,
    /// Launches per time.
    pub repetitions: Option<usize>,
    /// Times of the kernel.
    pub ours: Option<Times>,
    /// The peer in the same run.
    pub library: Option<Peer>,
    /// The speed of the kernel over that of the peer.
    pub ratio: Option<f64>,
    /// Whether the result was right.
    pub verdict: Option<Outcome>,
    /// The result of the check.
    pub check: Option<Check>,
}

/// A problem of a grouped GEMM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Rows of A and C.
    pub m: i64,
    /// Rows of B, columns of C.
    pub n: i64,
    /// Columns of A and B.
    pub k: i64,
    /// GEMMs of a batch; 1 for a single one.
    pub batch: i64,
    /// The epilogue of each accumulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epilogue: Option<Epilogue>,
}

/// Whether a result was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every element was written and is within the tolerance, nothing else was written.
    Passed,
    /// It was not.
    Failed,
}

/// The driver's facts about a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Registers of a thread.
    pub registers: Option<i64>,
    /// Local memory of a thread in bytes: spills and arrays that are not in registers.
    pub local_bytes: Option<i64>,
    /// Shared memory of a block in bytes.
    pub shared_bytes: Option<i64>,
}

/// Times over all repetitions, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// The median: the figure that counts.
    pub median_us: f64,
    /// The fastest.
    pub min_us: Option<f64>,
    /// Nine tenths were no slower.
    pub p90_us: Option<f64>,
}

/// The peer of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// Its version, such as 130100.
    pub version: Option<usize>,
    /// The epilogue that it fuses.
    pub epilogue: Option<String>,
    /// Its times.
    pub times: Option<Times>,
    /// Whether its result was right.
    pub verdict: Option<Outcome>,
    /// The check of its result.
    pub check: Option<Check>,
    /// Why it computed nothing.
    pub refusal: Option<String>,
}

/// The result of the check against float64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Frobenius norm of the difference over that of the reference.
    pub relative_error: Option<f64>,
    /// The bound of the relative error.
    pub tolerance: Option<f64>,
    /// Where the reference was computed.
    pub reference: Option<String>,
    /// Largest absolute difference.
    pub largest_error: Option<f64>,
    /// Row and column of the largest difference.
    pub worst: Option<[usize; 2]>,
    /// Elements that were never written.
    pub unwritten: Option<usize>,
    /// Bytes outside every element that were written.
    pub stray_bytes: Option<usize>,
    /// Bytes that a second run gave another value.
    pub differing_bytes: Option<usize>,
}

impl Record {
    /// A line that names device and driver, and no kernel yet.
    #[must_use]
    pub fn on(gpu: &Gpu) -> Self {
        Self { device: gpu.name.clone(), driver_cuda: Some(gpu.driver_version), ..Self::default() }
    }

    /// The same run, with a kernel that was checked.
    ///
    /// # Errors
    ///
    /// A kernel that does not say what it computes.
    pub fn of(&self, chosen: &Chosen, resources: &Resources, verdict: &Verdict) -> Result<Self> {
        let kernel = &chosen.kernel;
        let gemms = kernel.gemms()?;
        let mut record = Self {
            chip: Some(kernel.chip.clone()),
            types: Some(kernel.args.iter().map(|argument| argument.element.to_string()).collect()),
            orders: gemms.first().map(crate::gemm::Gemm::transposes),
            strides: Some(kernel.args.iter().map(|argument| argument.stride.clone()).collect()),
            family: chosen.family.clone(),
            resources: Some(Usage {
                registers: Some(resources.registers.into()),
                local_bytes: Some(resources.local_bytes.into()),
                shared_bytes: Some(
                    i64::from(kernel.shared_bytes) + i64::from(resources.static_shared_bytes),
                ),
            }),
            ..self.clone()
        };
        if !chosen.sizes.is_empty() {
            record.sizes = Some(chosen.sizes.iter().cloned().collect());
        }
        match &kernel.problem {
            Some(Problem::Matmul { m, n, k, batch, precision, epilogue, .. }) => {
                (record.m, record.n, record.k) = (Some(*m), Some(*n), Some(*k));
                record.batch = Some(batch.unwrap_or(1));
                record.precision = *precision;
                record.epilogue.clone_from(epilogue);
            }
            Some(Problem::Grouped { problems, precision }) => {
                let group = |problem: &crate::manifest::GemmProblem| Group {
                    m: problem.m,
                    n: problem.n,
                    k: problem.k,
                    batch: problem.batch.unwrap_or(1),
                    epilogue: problem.epilogue.clone(),
                };
                record.groups = Some(problems.iter().map(group).collect());
                record.precision = *precision;
            }
            None => {}
        }
        record.verdict = Some(Outcome::of(verdict));
        record.check = Some(Check::of(verdict));
        Ok(record)
    }

    /// With the times of the kernel, and of the peer if there is one.
    #[must_use]
    pub fn timed(self, timing: &Timing, peer: Option<Peer>) -> Self {
        Self {
            repetitions: Some(timing.repetitions),
            ours: Some(Times::of(&timing.ours)),
            ratio: timing.ratio(),
            library: peer.map(|peer| Peer { times: timing.cublas.as_ref().map(Times::of), ..peer }),
            ..self
        }
    }
}

impl Outcome {
    /// The outcome of a verdict.
    #[must_use]
    pub fn of(verdict: &Verdict) -> Self {
        if verdict.passed { Self::Passed } else { Self::Failed }
    }
}

impl Check {
    /// The details of a verdict besides its outcome.
    #[must_use]
    pub fn of(verdict: &Verdict) -> Self {
        Self {
            relative_error: verdict.relative_error,
            tolerance: Some(verdict.tolerance),
            reference: Some(verdict.reference.into()),
            largest_error: verdict.largest_error,
            worst: Some(verdict.worst.into()),
            unwritten: Some(verdict.unwritten),
            stray_bytes: Some(verdict.stray_bytes),
            differing_bytes: verdict.differing_bytes,
        }
    }
}

impl Times {
    /// The times of one contender.
    #[must_use]
    pub fn of(times: &matmul::Times) -> Self {
        Self { median_us: times.median_us, min_us: Some(times.min_us), p90_us: Some(times.p90_us) }
    }
}

/// Reads a file of records.
///
/// # Errors
///
/// A file that cannot be read; the number of the first line that is no record, and why.
pub fn load(path: &Path) -> Result<Vec<Record>> {
    parse(&read_text(path)?).map_err(|reason| Error::Record { path: path.into(), reason })
}

fn parse(text: &str) -> std::result::Result<Vec<Record>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))
        })
        .collect()
}

/// Appends records to a file, which is made where it is not there.
///
/// # Errors
///
/// A file that cannot be written.
pub fn append(path: &Path, records: &[Record]) -> Result<()> {
    let failed = |source| Error::Write { path: path.into(), source };
    let mut text = String::new();
    for record in records {
        let line =
            serde_json::to_string(record).map_err(|error| Error::Manifest(error.to_string()))?;
        text.push_str(&line);
        text.push('\n');
    }
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

/// This second in UTC, by ISO 8601.
#[must_use]
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    stamp(since.as_secs())
}

/// A second since 1970 as a date and a time of the Gregorian calendar (H. Hinnant, `civil_from_days`).
fn stamp(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const RECORDS: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/Device/records/h200.jsonl");

    /// Every line has every key and no other, and says nothing twice: what is read and written again is the line.
    #[test]
    fn every_line_of_the_h200_obeys_the_schema() {
        let text = std::fs::read_to_string(RECORDS).unwrap();
        let records = load(Path::new(RECORDS)).unwrap();
        assert_eq!(records.len(), text.lines().count());
        for (number, (record, line)) in records.iter().zip(text.lines()).enumerate() {
            let found: Value = serde_json::from_str(line).unwrap();
            assert_eq!(serde_json::to_value(record).unwrap(), found, "line {}", number + 1);
        }
    }

    /// The fields of a line agree with those that are computed from it.
    #[test]
    fn lines_of_the_h200_agree_with_themselves() {
        for (number, record) in load(Path::new(RECORDS)).unwrap().iter().enumerate() {
            let line = format!("line {}: {record:?}", number + 1);
            let date = record.date.as_deref().unwrap();
            assert!(record.run.starts_with(&date[..10]), "{line}");
            assert!(record.groups.is_none() || record.m.is_none(), "{line}");
            for positive in [record.m, record.n, record.k, record.batch].into_iter().flatten() {
                assert!(positive > 0, "{line}");
            }
            if let Some(orders) = &record.orders {
                assert!(["nn", "nt", "tn", "tt"].contains(&orders.as_str()), "{line}");
            }
            let theirs = record.library.as_ref().and_then(|library| library.times);
            if let (Some(ours), Some(theirs), Some(ratio)) = (record.ours, theirs, record.ratio) {
                // Times of printed tables have one decimal, and ratios two.
                let computed = theirs.median_us / ours.median_us;
                assert!((computed / ratio - 1.0).abs() < 0.02, "{computed}: {line}");
            }
            for times in [record.ours, theirs].into_iter().flatten() {
                assert!(times.min_us.is_none_or(|least| least <= times.median_us), "{line}");
                assert!(times.p90_us.is_none_or(|most| most >= times.median_us), "{line}");
            }
            if let (Some(Outcome::Passed), Some(check)) = (record.verdict, &record.check)
                && let (Some(error), Some(tolerance)) = (check.relative_error, check.tolerance)
            {
                assert!(error <= tolerance, "{line}");
            }
        }
    }

    #[test]
    fn a_line_records_checks_and_times() {
        let kernel = serde_json::from_str(
            r#"{"name": "gemm", "chip": "sm_80", "grid": [1, 1, 1], "block": [128, 1, 1], "shared_bytes": 48, "args": [
                {"name": "a", "element": "f16", "shape": "(8,4)", "stride": "(4,1)", "access": "read"},
                {"name": "b", "element": "f16", "shape": "(16,4)", "stride": "(4,1)", "access": "read"},
                {"name": "c", "element": "f32", "shape": "(8,16)", "stride": "(16,1)", "access": "write"}],
                "problem": {"kind": "matmul", "m": 8, "n": 16, "k": 4}}"#,
        )
        .unwrap();
        let chosen = Chosen { kernel, family: Some("gemm".into()), sizes: vec![("m".into(), 8)] };
        let resources = Resources { registers: 20, local_bytes: 0, static_shared_bytes: 16 };
        let verdict = Verdict {
            passed: true,
            relative_error: Some(0.5),
            tolerance: 1.0,
            largest_error: None,
            worst: (1, 2),
            unwritten: 0,
            stray_bytes: 0,
            differing_bytes: Some(0),
            reference: "cpu",
        };
        let run = Record { run: "a run".into(), device: "a chip".into(), ..Record::default() };
        let checked = run.of(&chosen, &resources, &verdict).unwrap();
        let times = |median_us| matmul::Times { median_us, min_us: 1.0, p90_us: 9.0, tflops: 1.0 };
        let timing = Timing { ours: times(4.0), cublas: Some(times(2.0)), repetitions: 11 };
        let peer = Peer { name: "cuBLASLt".into(), ..Peer::default() };
        let line = serde_json::to_value(checked.timed(&timing, Some(peer))).unwrap();
        let expected = serde_json::json!({
            "run": "a run", "device": "a chip", "chip": "sm_80", "m": 8, "n": 16, "k": 4, "batch": 1,
            "types": ["f16", "f16", "f32"], "orders": "tn", "strides": ["(4,1)", "(4,1)", "(16,1)"],
            "sizes": {"m": 8}, "family": "gemm", "ratio": 0.5, "verdict": "passed", "repetitions": 11,
            "resources": {"registers": 20, "local_bytes": 0, "shared_bytes": 64},
            "ours": {"median_us": 4.0, "min_us": 1.0, "p90_us": 9.0},
            "library": {"name": "cuBLASLt", "version": null, "epilogue": null, "verdict": null, "check": null,
                "refusal": null, "times": {"median_us": 2.0, "min_us": 1.0, "p90_us": 9.0}},
            "check": {"relative_error": 0.5, "tolerance": 1.0, "reference": "cpu", "largest_error": null,
                "worst": [1, 2], "unwritten": 0, "stray_bytes": 0, "differing_bytes": 0},
        });
        for (key, value) in line.as_object().unwrap() {
            assert_eq!(value, expected.get(key).unwrap_or(&Value::Null), "{key}");
        }
    }

    #[test]
    fn lines_are_appended_and_read_again() {
        let path = std::env::temp_dir().join(format!("layout-records-{}", std::process::id()));
        let record = Record {
            run: "2026-11-23T10:00:00Z".into(),
            device: "a chip".into(),
            m: Some(8),
            ratio: Some(0.5),
            verdict: Some(Outcome::Passed),
            ..Record::default()
        };
        let other = Record { m: Some(16), ..record.clone() };
        append(&path, std::slice::from_ref(&record)).unwrap();
        append(&path, std::slice::from_ref(&other)).unwrap();
        assert_eq!(load(&path).unwrap(), [record, other]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_line_that_is_no_record_is_named() {
        let good = serde_json::to_string(&Record::default()).unwrap();
        assert_eq!(parse(&good).unwrap(), [Record::default()]);
        let unknown = good.replacen("\"run\"", "\"colour\":1,\"run\"", 1);
        let message = parse(&format!("{good}\n\n{unknown}\n")).unwrap_err();
        assert!(
            message.starts_with("line 3: unknown field `colour`, expected one of `run`, "),
            "{message}"
        );
        assert_eq!(
            parse("{").unwrap_err(),
            "line 1: EOF while parsing an object at line 1 column 1"
        );
    }

    #[test]
    fn seconds_are_dates() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_442_399, "2026-11-23T13:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(stamp(seconds), date);
        }
    }
}
