//! `layout-run tune`: which schedule of a folder of candidates is fastest on this device?
//!
//! `cargo measure candidates` makes the folder: PTX and manifest of each schedule of the space, and
//! `candidates.json`, which says what schedule each is. The search ([`search`]) is successive halving:
//! all candidates of a problem are timed a few times, interleaved with cuBLASLt, the faster half more
//! often, until one is left. Each measurement is a line of a journal ([`journal`]); a run that was
//! killed continues where it stopped. Its output is records and rows of the table ([`table`]) from
//! which `layout-tile-matmul` takes the schedule of a matmul that has none.

mod device;
mod journal;
mod search;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use layout_runtime::driver::Gpu;
use layout_runtime::flush::Left;
use layout_runtime::manifest::read_text;
use layout_runtime::record::{Outcome as Verdict, Peer, Record, Times};
use layout_runtime::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::inputs::Input;
use crate::record::{self, Recording};
use journal::Journal;
use search::{Outcome, Ranked};

/// The user's options.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    pub(crate) seed: u64,
    pub(crate) cublas: Option<&'a Path>,
    pub(crate) journal: &'a Path,
    pub(crate) recording: &'a Recording,
    pub(crate) table: Option<&'a Path>,
}

/// A schedule of the space, compiled.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// Its PTX and manifest.
    pub(crate) input: Input,
    /// The text of its schedule, without the chip.
    pub(crate) schedule: String,
    /// Distinguishes its PTX from that of another compiler: a journal's times hold for these words only.
    pub(crate) fingerprint: String,
}

/// A problem whose candidates are measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct TuneProblem {
    pub(crate) chip: String,
    pub(crate) element: String,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    /// A and B by BLAS letters.
    pub(crate) transposes: String,
}

/// Searches every problem of the folder, appends records and writes the table; true when each has a winner.
pub(crate) fn run(folder: &Path, options: &Options<'_>) -> Result<bool> {
    let contests = load(folder)?;
    let gpu = Gpu::open()?;
    println!("{}", crate::describe(&gpu));
    let mut journal = Journal::open(options.journal, &gpu.name)?;
    println!("{} measurements in {}", journal.len(), options.journal.display());
    let mut device = device::Device::new(&gpu, options.cublas, options.seed)?;
    let this = options.recording.begin(&gpu, options.seed);
    let mut outcomes = Vec::new();
    for (number, (contest, candidates)) in contests.iter().enumerate() {
        println!("[{}/{}] {contest}: {} candidates", number + 1, contests.len(), candidates.len());
        let outcome = search::halve(candidates, &mut journal, &mut device, &mut |line| {
            println!("    {line}");
        })?;
        outcomes.push((contest.clone(), outcome));
        // After every problem: what is found is kept when a later one is interrupted.
        if let Some((contest, outcome)) = outcomes.last() {
            options.recording.append(&records(&this, device.library(), contest, outcome))?;
        }
    }
    if let Some(path) = options.table {
        let old = if path.exists() { read_text(path)? } else { "[]".into() };
        let merged = table::merge(&old, &rows(&gpu.name, &this.run, &outcomes))
            .map_err(|reason| Error::Record { path: path.into(), reason })?;
        write(path, &merged)?;
    }
    Ok(outcomes.iter().all(|(_, outcome)| outcome.winner().is_some()))
}

/// Reads a folder of candidates, by problem.
fn load(folder: &Path) -> Result<BTreeMap<TuneProblem, Vec<Candidate>>> {
    let index = folder.join(record::INDEX);
    let refused = |reason| Error::Record { path: index.clone(), reason };
    let rows = record::index(&index)?;
    if rows.is_empty() {
        return Err(refused("expected at least one candidate, found none".into()));
    }
    let mut contests: BTreeMap<TuneProblem, Vec<Candidate>> = BTreeMap::new();
    for row in rows {
        let input = Input::load(&folder.join(&row.file), None)?;
        let ([kernel], []) = (&input.manifest.kernels[..], &input.manifest.templates[..]) else {
            let found = match input.manifest.templates.first() {
                Some(template) => format!("{}, which takes sizes at run time", template.name()),
                None => input.manifest.kernels.len().to_string(),
            };
            return Err(refused(format!(
                "expected one kernel of static sizes in {}, found {found}",
                row.file
            )));
        };
        let gemm = kernel.matmul()?;
        let contest = TuneProblem {
            chip: kernel.chip.clone(),
            element: gemm.elements()[0].to_string(),
            m: gemm.m,
            n: gemm.n,
            k: gemm.k,
            transposes: gemm.transposes(),
        };
        let fingerprint = format!("{:016x}", fingerprint(&input.ptx));
        let candidate = Candidate { input, schedule: row.schedule, fingerprint };
        contests.entry(contest).or_default().push(candidate);
    }
    Ok(contests)
}

/// FNV-1a of a text (64 bits): a fixed function, so that journals outlive a change of toolchain.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl std::fmt::Display for TuneProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TuneProblem { chip, element, m, n, k, transposes } = self;
        write!(f, "{m}x{n}x{k} {element} {transposes} on {chip}")
    }
}

/// The last measurement of each candidate.
fn records(
    run: &Record,
    library: Option<usize>,
    contest: &TuneProblem,
    outcome: &Outcome,
) -> Vec<Record> {
    let times = |median_us: Option<f64>| {
        median_us.map(|median_us| Times { median_us, min_us: None, p90_us: None })
    };
    let line = |(place, ranked): (usize, &Ranked)| {
        let TuneProblem { chip, element, m, n, k, transposes } = contest;
        let extent = |extent: usize| i64::try_from(extent).ok();
        let entry = &ranked.entry;
        let place = format!("round {}, place {}", entry.round, place + 1);
        let remarks = [run.note.clone(), Some(place), entry.failure.clone()];
        Record {
            note: Some(remarks.into_iter().flatten().collect::<Vec<_>>().join("; ")),
            level_2_cache: Some(Left::Written),
            file: Some(ranked.file.clone()),
            chip: Some(chip.clone()),
            m: extent(*m),
            n: extent(*n),
            k: extent(*k),
            batch: Some(1),
            types: Some(vec![element.clone()]),
            orders: Some(transposes.clone()),
            schedule: Some(ranked.schedule.clone()),
            auto: Some(false),
            repetitions: Some(entry.repetitions),
            ours: times(entry.ours_us),
            library: library.map(|version| Peer {
                name: "cuBLASLt".into(),
                version: Some(version),
                times: times(entry.cublas_us),
                ..Peer::default()
            }),
            ratio: entry.ratio(),
            verdict: Some(match entry.failure {
                None => Verdict::Passed,
                Some(_) => Verdict::Failed,
            }),
            ..run.clone()
        }
    };
    outcome.ranking.iter().enumerate().map(line).collect()
}

/// A row of the table for each problem with a winner that was compared with cuBLASLt.
fn rows(device: &str, record: &str, outcomes: &[(TuneProblem, Outcome)]) -> Vec<table::Row> {
    let row = |(contest, outcome): &(TuneProblem, Outcome)| {
        let winner = outcome.winner()?;
        let TuneProblem { chip, element, m, n, k, .. } = contest.clone();
        Some(table::Row {
            chip,
            element,
            m,
            n,
            k,
            schedule: winner.schedule.clone(),
            ratio: (winner.entry.ratio()? * 1e3).round() / 1e3,
            device: device.into(),
            record: record.into(),
            reason: match outcome.ranking.len() {
                1 => "the only schedule that was measured".into(),
                count => format!("the fastest of {count} schedules"),
            },
        })
    };
    outcomes.iter().filter_map(row).collect()
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|source| Error::Write { path: path.into(), source })
}

/// Where the journal lies unless it is named: in the folder of candidates.
pub(crate) fn journal_in(folder: &Path) -> PathBuf {
    folder.join("tune.journal")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each ranked candidate becomes a line of its run: those that lost, and those that are wrong, too.
    #[test]
    fn each_candidate_is_a_line() {
        let contest = TuneProblem {
            chip: "sm_90a".into(),
            element: "bf16".into(),
            m: 8,
            n: 16,
            k: 32,
            transposes: "nt".into(),
        };
        let ranked = |file: &str, ours_us, failure: Option<&str>| Ranked {
            file: file.into(),
            schedule: "tile = (64,64,64)".into(),
            entry: journal::Entry {
                fingerprint: String::new(),
                round: 2,
                repetitions: 21,
                ours_us,
                cublas_us: ours_us.map(|_| 3.0),
                failure: failure.map(str::to_owned),
            },
        };
        let ranking = vec![ranked("a.ptx", Some(2.0), None), ranked("b.ptx", None, Some("wrong"))];
        let run = Record { run: "a run".into(), ..Record::default() };
        let lines = records(&run, Some(130_100), &contest, &Outcome { ranking });
        let text = |line: &Record| {
            (
                line.file.clone().unwrap(),
                line.ratio,
                line.verdict.unwrap(),
                line.note.clone().unwrap(),
            )
        };
        assert_eq!(
            lines.iter().map(text).collect::<Vec<_>>(),
            [
                ("a.ptx".into(), Some(1.5), Verdict::Passed, "round 2, place 1".into()),
                ("b.ptx".into(), None, Verdict::Failed, "round 2, place 2; wrong".into()),
            ]
        );
        let first = &lines[0];
        assert_eq!(
            (first.m, first.n, first.k, first.batch),
            (Some(8), Some(16), Some(32), Some(1))
        );
        assert_eq!((first.run.as_str(), first.orders.as_deref()), ("a run", Some("nt")));
        assert_eq!(first.schedule.as_deref(), Some("tile = (64,64,64)"));
    }

    #[test]
    fn a_fingerprint_is_that_of_the_published_function() {
        // From the test vectors of FNV.
        assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
    }
}
