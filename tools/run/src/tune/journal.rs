//! The measurements so far: a line of JSON for the device, then one for each measurement, written
//! when it was taken. A line that a kill cut short is dropped.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use layout_runtime::manifest::read_text;
use layout_runtime::{Error, Result};
use serde::{Deserialize, Serialize};

use super::search::Sample;

/// One measurement of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) fingerprint: String,
    pub(crate) round: usize,
    pub(crate) repetitions: usize,
    /// Medians in microseconds.
    pub(crate) ours_us: Option<f64>,
    pub(crate) cublas_us: Option<f64>,
    /// Why the candidate is out of the contest.
    pub(crate) failure: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    device: String,
}

/// The measurements, in memory and in a file.
#[derive(Debug)]
pub(crate) struct Journal {
    entries: BTreeMap<(String, usize), Entry>,
    file: Option<(PathBuf, File)>,
}

impl Entry {
    pub(crate) fn new(
        fingerprint: &str,
        round: usize,
        repetitions: usize,
        sample: std::result::Result<Sample, String>,
    ) -> Self {
        let (ours_us, cublas_us, failure) = match sample {
            Ok(sample) => (Some(sample.ours_us), sample.cublas_us, None),
            Err(reason) => (None, None, Some(reason)),
        };
        Entry { fingerprint: fingerprint.into(), round, repetitions, ours_us, cublas_us, failure }
    }

    /// Our speed over cuBLASLt's.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(self.cublas_us? / self.ours_us?)
    }

    /// The score by which candidates are ordered: the ratio, in which the device's clock cancels, else the speed.
    pub(crate) fn score(&self) -> f64 {
        let speed = self.ours_us.map(|ours| 1.0 / ours);
        self.ratio().or(speed).filter(|_| self.failure.is_none()).unwrap_or(f64::NEG_INFINITY)
    }

    pub(crate) fn words(&self) -> String {
        match (&self.failure, self.ours_us, self.ratio()) {
            (Some(reason), ..) => format!("out: {reason}"),
            (None, Some(ours), Some(ratio)) => {
                format!("{ours:.1} us, {ratio:.3} of cuBLASLt's speed")
            }
            (None, Some(ours), None) => format!("{ours:.1} us"),
            (None, None, _) => "not measured".into(),
        }
    }
}

impl Journal {
    /// Reads what is there, and continues after it; makes the file where there is none.
    pub(crate) fn open(path: &Path, device: &str) -> Result<Self> {
        let text = if path.exists() { read_text(path)? } else { String::new() };
        // Without its end a line is not whole.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let refused = |reason| Error::Record { path: path.into(), reason };
        let mut entries = BTreeMap::new();
        for (number, line) in text[..whole].lines().enumerate() {
            let bad = |error: serde_json::Error| {
                refused(format!(
                    "line {}: expected a line of this journal, found {error}",
                    number + 1
                ))
            };
            if number == 0 {
                let header: Header = serde_json::from_str(line).map_err(bad)?;
                if header.device != device {
                    return Err(refused(format!(
                        "expected a journal of {device}, found one of {}",
                        header.device
                    )));
                }
                continue;
            }
            let entry: Entry = serde_json::from_str(line).map_err(bad)?;
            entries.insert((entry.fingerprint.clone(), entry.round), entry);
        }
        let unwritable = |source| Error::Write { path: path.into(), source };
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(unwritable)?;
        file.set_len(whole as u64).map_err(unwritable)?;
        let mut journal = Journal { entries, file: Some((path.into(), file)) };
        if whole == 0 {
            journal.line(&Header { device: device.into() })?;
        }
        Ok(journal)
    }

    /// One that nothing outlives.
    #[cfg(test)]
    pub(crate) fn in_memory() -> Self {
        Journal { entries: BTreeMap::new(), file: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn find(&self, fingerprint: &str, round: usize) -> Option<&Entry> {
        self.entries.get(&(fingerprint.to_owned(), round))
    }

    /// Keeps a measurement, in the file first.
    pub(crate) fn add(&mut self, entry: Entry) -> Result<()> {
        self.line(&entry)?;
        self.entries.insert((entry.fingerprint.clone(), entry.round), entry);
        Ok(())
    }

    fn line(&mut self, row: &impl Serialize) -> Result<()> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let text =
            serde_json::to_string(row).map_err(|error| Error::Manifest(error.to_string()))?;
        file.write_all(format!("{text}\n").as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(|source| Error::Write { path: path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_short_is_dropped_and_a_foreign_device_refused() {
        let path = std::env::temp_dir().join(format!("layout-run-journal-{}", std::process::id()));
        let entry =
            |round| Entry::new("f", round, 11, Ok(Sample { ours_us: 2.0, cublas_us: Some(1.0) }));
        let mut journal = Journal::open(&path, "a chip").unwrap();
        journal.add(entry(1)).unwrap();
        journal.add(entry(2)).unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 3]).unwrap();
        let mut journal = Journal::open(&path, "a chip").unwrap();
        assert_eq!((journal.find("f", 1), journal.find("f", 2)), (Some(&entry(1)), None));
        journal.add(entry(2)).unwrap();
        drop(journal);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let error = Journal::open(&path, "another chip").unwrap_err().to_string();
        let place = path.display();
        assert_eq!(
            error,
            format!("{place}: expected a journal of another chip, found one of a chip")
        );
        std::fs::write(&path, "{}\n").unwrap();
        let error = Journal::open(&path, "a chip").unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "{place}: line 1: expected a line of this journal, found missing field `device` at line 1 column 2"
            )
        );
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_failed_sorts_last() {
        let failed = Entry::new("f", 1, 11, Err("wrong".into()));
        let slow = Entry::new("g", 1, 11, Ok(Sample { ours_us: 1e9, cublas_us: None }));
        assert!(slow.score() > failed.score());
        assert_eq!(slow.words(), "1000000000.0 us");
    }
}
