//! The lines that `--record` appends, and schedules of candidates for them.

use std::path::{Path, PathBuf};

use clap::Args;
use layout_runtime::driver::Gpu;
use layout_runtime::manifest::read_text;
use layout_runtime::record::{self, Record};
use layout_runtime::{Error, Result};
use serde::Deserialize;

/// The file of a folder of candidates that says what they are.
pub(crate) const INDEX: &str = "candidates.json";

/// Where lines go, and what they say besides what is measured.
#[derive(Debug, Default, Args)]
pub(crate) struct Recording {
    /// Append a line for each kernel to this file of records
    #[arg(long = "record", value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
    /// The name of the run in its lines; by default the time at which it began
    #[arg(long, value_name = "NAME", requires = "path")]
    run: Option<String>,
    /// The commit of the compiler in the lines
    #[arg(long, requires = "path")]
    commit: Option<String>,
    /// A remark in the lines
    #[arg(long, requires = "path")]
    note: Option<String>,
}

/// A row of [`INDEX`].
#[derive(Debug, Deserialize)]
pub(crate) struct Candidate {
    /// Its PTX.
    pub(crate) file: String,
    /// The text of its schedule, without the chip.
    pub(crate) schedule: String,
}

impl Recording {
    /// The fields that all lines of a run have.
    pub(crate) fn begin(&self, gpu: &Gpu, seed: u64) -> Record {
        let date = record::now();
        Record {
            run: self.run.clone().unwrap_or_else(|| date.clone()),
            date: Some(date),
            commit: self.commit.clone(),
            command: Some(command(std::env::args())),
            note: self.note.clone(),
            seed: Some(seed),
            ..Record::on(gpu)
        }
    }

    /// Appends lines, where a file was requested.
    pub(crate) fn append(&self, records: &[Record]) -> Result<()> {
        self.path.as_deref().map_or(Ok(()), |path| record::append(path, records))
    }
}

/// The command line, without the folder of the program.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = arguments.collect();
    if let Some(program) = words.first_mut()
        && let Some(name) = Path::new(program.as_str()).file_name()
    {
        *program = name.to_string_lossy().into_owned();
    }
    words.join(" ")
}

/// Reads the index of a folder of candidates.
pub(crate) fn index(path: &Path) -> Result<Vec<Candidate>> {
    serde_json::from_str(&read_text(path)?)
        .map_err(|error| Error::Record { path: path.into(), reason: error.to_string() })
}

/// A line for a PTX file: its name, and its schedule where an index beside it has one.
pub(crate) fn of_file(run: &Record, ptx: &Path) -> Result<Record> {
    let file = ptx.file_name().map(|name| name.to_string_lossy().into_owned());
    let index_path = ptx.with_file_name(INDEX);
    let schedule = if index_path.exists() {
        let known = index(&index_path)?.into_iter().find(|row| Some(&row.file) == file.as_ref());
        known.map(|row| row.schedule)
    } else {
        None
    };
    Ok(Record { auto: schedule.as_ref().map(|_| false), schedule, file, ..run.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_begins_with_the_name_of_the_program() {
        let words = ["/opt/bin/layout-run", "bench", "kernels"].map(str::to_owned);
        assert_eq!(command(words.into_iter()), "layout-run bench kernels");
    }

    #[test]
    fn the_schedule_of_a_candidate_is_that_of_its_index() {
        let folder = std::env::temp_dir().join(format!("layout-run-index-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let rows = r#"[{"file": "a.ptx", "schedule": "tile = (64,64,64)", "shape": "8x8x8"}]"#;
        let run = Record { run: "a run".into(), ..Record::default() };
        let file = |name: &str| of_file(&run, &folder.join(name)).unwrap();
        assert_eq!(file("a.ptx").schedule, None);
        std::fs::write(folder.join(INDEX), rows).unwrap();
        assert_eq!(file("a.ptx").schedule.as_deref(), Some("tile = (64,64,64)"));
        let other = file("b.ptx");
        assert_eq!((other.schedule, other.auto, other.file), (None, None, Some("b.ptx".into())));
        std::fs::write(folder.join(INDEX), "[{").unwrap();
        assert_eq!(
            of_file(&run, &folder.join("a.ptx")).unwrap_err().to_string(),
            format!(
                "{}: EOF while parsing an object at line 1 column 2",
                folder.join(INDEX).display()
            )
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
