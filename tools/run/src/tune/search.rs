//! Successive halving over candidates of one problem, against anything that can measure.

use layout_runtime::Result;

use super::Candidate;
use super::journal::{Entry, Journal};

/// Repetitions of the first round; each later one takes twice as many, up to the last.
const FIRST: usize = 11;
const LAST: usize = 201;

/// The result of one measurement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Median of ours.
    pub(crate) ours_us: f64,
    /// Median of cuBLASLt's best proposal, interleaved with ours; none without the library.
    pub(crate) cublas_us: Option<f64>,
}

/// Something that runs kernels: a device, or recorded times in tests.
pub(crate) trait Measure {
    /// Times a candidate; the first time that it gets one, it also checks its result.
    ///
    /// The inner error is a candidate's own: it is wrong, or cannot run, and is out of the contest.
    fn measure(
        &mut self,
        candidate: &Candidate,
        repetitions: usize,
        check: bool,
    ) -> Result<std::result::Result<Sample, String>>;
}

/// A candidate and its last measurement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) file: String,
    pub(crate) schedule: String,
    pub(crate) entry: Entry,
}

/// All candidates of a problem, fastest first; those that failed are last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) ranking: Vec<Ranked>,
}

impl Outcome {
    /// The fastest of those that are right.
    pub(crate) fn winner(&self) -> Option<&Ranked> {
        self.ranking.first().filter(|ranked| ranked.entry.failure.is_none())
    }
}

/// Finds the fastest candidate; `say` gets a line for each measurement.
pub(crate) fn halve(
    candidates: &[Candidate],
    journal: &mut Journal,
    measure: &mut dyn Measure,
    say: &mut dyn FnMut(&str),
) -> Result<Outcome> {
    let mut left: Vec<&Candidate> = candidates.iter().collect();
    let mut ranking = Vec::new();
    let mut repetitions = FIRST;
    let mut round = 1;
    loop {
        let mut measured = Vec::with_capacity(left.len());
        for (i, &candidate) in left.iter().enumerate() {
            let known = journal.find(&candidate.fingerprint, round);
            let again = if known.is_some() { ", from the journal" } else { "" };
            let entry = match known {
                Some(entry) => entry.clone(),
                None => {
                    let sample = measure.measure(candidate, repetitions, round == 1)?;
                    let entry = Entry::new(&candidate.fingerprint, round, repetitions, sample);
                    journal.add(entry.clone())?;
                    entry
                }
            };
            say(&format!(
                "round {round}, {}/{}: {}: {}{again}",
                i + 1,
                left.len(),
                candidate.schedule,
                entry.words()
            ));
            measured.push((candidate, entry));
        }
        // Stable, so that of equals the first one stays: the result is the same from run to run.
        measured.sort_by(|(_, a), (_, b)| b.score().total_cmp(&a.score()));
        let right = measured.iter().filter(|(_, entry)| entry.failure.is_none()).count();
        let kept = if right > 1 { right.div_ceil(2) } else { 0 };
        let out = measured.split_off(kept);
        // Who leaves later is before who left earlier.
        ranking.splice(0..0, out.into_iter().map(|(candidate, entry)| ranked(candidate, entry)));
        if measured.len() < 2 {
            ranking.splice(0..0, measured.into_iter().map(|(c, entry)| ranked(c, entry)));
            return Ok(Outcome { ranking });
        }
        left = measured.into_iter().map(|(candidate, _)| candidate).collect();
        repetitions = (2 * repetitions - 1).min(LAST);
        round += 1;
    }
}

fn ranked(candidate: &Candidate, entry: Entry) -> Ranked {
    let name = candidate.input.path.file_name().unwrap_or_default();
    Ranked {
        file: name.to_string_lossy().into_owned(),
        schedule: candidate.schedule.clone(),
        entry,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use layout_runtime::Error;
    use layout_runtime::manifest::Manifest;

    use super::*;
    use crate::inputs::Input;

    /// Times in microseconds by the candidate's name, or `None` for one that computes something wrong.
    struct Recorded {
        times: BTreeMap<&'static str, Option<f64>>,
        /// The requests: candidate, repetitions, whether it was checked.
        requests: Vec<(String, usize, bool)>,
        /// The number of measurements after which the process is killed.
        lives: usize,
    }

    impl Measure for Recorded {
        fn measure(
            &mut self,
            candidate: &Candidate,
            repetitions: usize,
            check: bool,
        ) -> Result<std::result::Result<Sample, String>> {
            if self.requests.len() == self.lives {
                return Err(Error::NoGpu("a kill".into()));
            }
            self.requests.push((candidate.fingerprint.clone(), repetitions, check));
            let sample = |ours_us| Sample { ours_us, cublas_us: Some(100.0) };
            Ok(self.times[candidate.fingerprint.as_str()].map(sample).ok_or("wrong".into()))
        }
    }

    /// The tiles that were measured at 4096³ in bf16 on an H200, and one that is wrong.
    const TIMES: [(&str, Option<f64>); 6] = [
        ("128x256x64x3", Some(183.7)),
        ("256x128x64x4", Some(178.2)),
        ("wrong", None),
        ("128x256x64x4", Some(175.4)),
        ("128x128x64x6", Some(204.4)),
        ("128x192x64x5", Some(222.9)),
    ];

    fn recorded(lives: usize) -> Recorded {
        Recorded { times: TIMES.into_iter().collect(), requests: Vec::new(), lives }
    }

    fn candidates() -> Vec<Candidate> {
        let candidate = |name: &str| Candidate {
            input: Input {
                path: PathBuf::from(format!("{name}.ptx")),
                ptx: String::new(),
                manifest: Manifest::of(Vec::new()),
                kernels: Vec::new(),
                references: PathBuf::new(),
            },
            schedule: name.into(),
            fingerprint: name.into(),
        };
        TIMES.iter().map(|(name, _)| candidate(name)).collect()
    }

    fn names(outcome: &Outcome) -> Vec<&str> {
        outcome.ranking.iter().map(|ranked| ranked.schedule.as_str()).collect()
    }

    const RANKING: [&str; 6] =
        ["128x256x64x4", "256x128x64x4", "128x256x64x3", "128x128x64x6", "128x192x64x5", "wrong"];

    #[test]
    fn the_fastest_wins_and_slow_ones_are_timed_least() {
        let mut journal = Journal::in_memory();
        let mut device = recorded(usize::MAX);
        let mut lines = Vec::new();
        let outcome = halve(&candidates(), &mut journal, &mut device, &mut |line| {
            lines.push(line.to_owned());
        })
        .unwrap();
        assert_eq!(names(&outcome), RANKING);
        assert_eq!(outcome.winner().unwrap().entry.ratio(), Some(100.0 / 175.4));
        // Six, then three of the five right ones, then two.
        let count = |repetitions| device.requests.iter().filter(|row| row.1 == repetitions).count();
        assert_eq!((device.requests.len(), count(11), count(21), count(41)), (11, 6, 3, 2));
        // Results are checked once.
        assert!(
            device.requests.iter().all(|(_, repetitions, check)| *check == (*repetitions == 11))
        );
        assert_eq!(lines[0], "round 1, 1/6: 128x256x64x3: 183.7 us, 0.544 of cuBLASLt's speed");
        assert_eq!(lines[2], "round 1, 3/6: wrong: out: wrong");
    }

    /// Killed after any number of measurements and started again: nothing is measured twice, and the
    /// result is the same.
    #[test]
    fn what_was_killed_goes_on() {
        let folder = std::env::temp_dir().join(format!("layout-run-tune-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for lives in 0..=11 {
            let path = folder.join(format!("{lives}.journal"));
            let mut first = recorded(lives);
            let mut journal = Journal::open(&path, "a chip").unwrap();
            let broken = halve(&candidates(), &mut journal, &mut first, &mut |_| ());
            assert_eq!(broken.is_err(), lives < 11);
            drop(journal);
            let mut second = recorded(usize::MAX);
            let mut journal = Journal::open(&path, "a chip").unwrap();
            let outcome = halve(&candidates(), &mut journal, &mut second, &mut |_| ()).unwrap();
            assert_eq!(names(&outcome), RANKING);
            assert_eq!(first.requests.len() + second.requests.len(), 11, "killed after {lives}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn nobody_wins_when_all_are_wrong() {
        let mut device = recorded(usize::MAX);
        let wrong = candidates().into_iter().filter(|one| one.schedule == "wrong");
        let all: Vec<_> = wrong.collect();
        let outcome = halve(&all, &mut Journal::in_memory(), &mut device, &mut |_| ()).unwrap();
        assert_eq!((outcome.ranking.len(), outcome.winner()), (1, None));
    }
}
