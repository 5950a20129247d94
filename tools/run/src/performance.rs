//! `layout-run performance`: generates PERFORMANCE.md, its pictures, and the tables of other pages from the files of records.
//!
//! A table has one row a problem: of the newest run that timed it, the fastest kernel. Kernels that were changed by
//! hand, results that were wrong, and times after a flush that only reads are left out.

mod figures;
mod summary;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use layout_runtime::flush::Left;
use layout_runtime::manifest::{Precision, read_text};
use layout_runtime::record::{self, Outcome, Record};
use layout_runtime::{Error, Result};

use crate::fit::UNCHECKED;
use crate::plot;
use crate::tune::table::{self, Row};

/// The page's name.
const PAGE: &str = "PERFORMANCE.md";

/// The library of most records.
const CUBLAS: &str = "cuBLASLt";

/// Bytes that rows have to be multiples of for bulk copies to take them as they are.
const GRANULE: i64 = 16;

/// Reads records and table, and writes the page and its pictures, the table of the front page, and the tables of figures.
pub(crate) fn run(
    records: &Path,
    table: &Path,
    figures: &Path,
    output: &Path,
    root: &Path,
) -> Result<()> {
    let rows = table::rows(&read_text(table)?)
        .map_err(|reason| Error::Record { path: table.into(), reason })?;
    let records = record::load(records)?;
    let write = |path: PathBuf, text: String| {
        std::fs::write(&path, text).map_err(|source| Error::Write { path, source })
    };
    for (name, text) in files(&records, &rows) {
        write(output.join(name), text)?;
    }
    let readme = root.join("README.md");
    match summary::replaced(&read_text(&readme)?, &summary::table(&sections(&records, &rows))) {
        Some(text) => write(readme, text)?,
        None => return Err(Error::Record { path: readme, reason: summary::EXPECTED.into() }),
    }
    let rows = figures::read(&read_text(figures)?)
        .map_err(|reason| Error::Record { path: figures.into(), reason })?;
    for page in figures::pages(&rows) {
        let path = root.join(page);
        let text = figures::replaced(page, &read_text(&path)?, &rows)
            .map_err(|reason| Error::Record { path: path.clone(), reason })?;
        write(path, text)?;
    }
    Ok(())
}

/// One table of the page.
struct Section<'a> {
    title: &'static str,
    text: String,
    /// The peer of its ratios.
    peer: &'static str,
    /// The picture of its ratios.
    picture: Option<&'static str>,
    records: Vec<&'a Record>,
}

/// The page and its pictures, by name.
fn files(records: &[Record], rows: &[Row]) -> Vec<(String, String)> {
    let sections = sections(records, rows);
    let mut files = Vec::new();
    let mut page = head(records);
    for section in &sections {
        let _ = write!(page, "\n## {}\n\n{}\n", section.title, section.text);
        for sentence in means(&section.records) {
            let _ = write!(page, "\n{sentence}\n");
        }
        if let Some(name) = section.picture
            && let Some(svg) = plot::svg(&section.records, "newest runs", &[])
        {
            let _ = write!(page, "\n![Ratios: {}]({name})\n", section.title);
            files.push((name.to_owned(), svg));
        }
        let _ = write!(page, "\n{}", body(&section.records));
    }
    page.push_str(&tuned_rows(rows));
    page.push_str(&all_runs(records));
    files.push((PAGE.to_owned(), page));
    files
}

fn head(records: &[Record]) -> String {
    let devices = names(records.iter().map(|record| record.device.clone()));
    let drivers = names(records.iter().filter_map(|record| record.driver.clone()));
    let libraries = names(records.iter().filter_map(|record| {
        let library = record.library.as_ref()?;
        let version = library.version?;
        Some(format!("{} {}.{}", library.name, version / 10000, version % 10000 / 100))
    }));
    let newest = records.iter().filter_map(|record| record.date.as_deref()).max().unwrap_or("–");
    format!(
        "# Measured times\n\n\
         Made by `layout-run performance` from the {} lines of [`records/h200.jsonl`](records/h200.jsonl); do not edit. Device: {devices}, driver {drivers}; \
         library: {libraries}; newest line: {newest}. [EXPERIMENTS](EXPERIMENTS.md) records what was tried without a gain.\n\n\
         Times are medians in microseconds, ours and the library's interleaved in one run, with the L2 cache flushed by writes before each launch, on fresh random data. \
         Results are checked with a float64 reference; none that was wrong is listed. The ratio is our speed over the library's. A row is the fastest kernel of the newest run that timed the problem; \
         `auto` says that the compiler chose the schedule, and a dash that the record does not say which it was. A and B are contiguous along K (`tn`) unless stated otherwise.\n",
        records.len()
    )
}

fn sections<'a>(records: &'a [Record], rows: &[Row]) -> Vec<Section<'a>> {
    let row_of = |record: &Record| {
        let extents = [record.m?, record.n?, record.k?].map(|extent| usize::try_from(extent).ok());
        rows.iter().find(|row| {
            [row.m, row.n, row.k].map(Some) == extents
                && Some(&row.chip) == record.chip.as_ref()
                && Some(row.element.as_str()) == operand(record)
        })
    };
    let shape_has_row = |record: &Record| {
        let row = |row: &Row| {
            Some(&row.chip) == record.chip.as_ref()
                && [row.m, row.n, row.k].map(|extent| i64::try_from(extent).ok())
                    == [record.m, record.n, record.k]
        };
        rows.iter().any(row)
    };
    let single = |record: &Record| {
        record.batch == Some(1)
            && record.epilogue.is_none()
            && record.precision != Some(Precision::TwoLevelAccumulation)
    };
    let plain = |record: &Record| single(record) && record.precision.is_none();
    let half = |record: &Record| matches!(operand(record), Some("bf16" | "f16"));
    let warpgroups = |record: &Record| record.chip.as_deref() == Some("sm_90a");
    let auto = |record: &Record| record.auto == Some(true);
    let tn = |record: &Record| record.orders.as_deref().is_none_or(|orders| orders == "tn");
    let cublas = |record: &Record| peer(record).is_none_or(|name| name == CUBLAS);
    vec![
        Section {
            title: "Tuned shapes",
            text: "The table of schedules (`passes/transforms/src/schedules.json`) has a row for each of these: they were tuned.".into(),
            peer: "cuBLASLt",
            picture: Some("performance-tuned.svg"),
            records: newest(records, |record| {
                let row = row_of(record);
                let takes = row.is_some_and(|row| record.schedule.as_ref() == Some(&row.schedule));
                row.is_some()
                    && warpgroups(record)
                    && single(record)
                    && tn(record)
                    && cublas(record)
                    && (auto(record) || takes)
            }),
        },
        Section {
            title: "Tuned shapes in other orders and in f16",
            text: "The schedule is that of the tuned row; types or orders differ from those that it was tuned with.".into(),
            peer: "cuBLASLt",
            picture: None,
            records: newest(records, |record| {
                let row = row_of(record).is_some() && tn(record);
                auto(record) && plain(record) && half(record) && cublas(record) && shape_has_row(record) && !row
            }),
        },
        Section {
            title: "Untuned shapes",
            text: "`auto` estimates the time of its schedules here. Some of these shapes were among those to which the estimate was fitted.".into(),
            peer: "cuBLASLt",
            picture: Some("performance-untuned.svg"),
            records: newest(records, |record| {
                auto(record) && plain(record) && half(record) && warpgroups(record) && cublas(record) && !shape_has_row(record)
            }),
        },
        Section {
            title: "Batches",
            text: "Against cuBLASLt's strided batches.".into(),
            peer: "cuBLASLt",
            picture: None,
            records: newest(records, |record| {
                record.batch.is_some_and(|batch| batch > 1) && record.epilogue.is_none() && warpgroups(record) && auto(record)
            }),
        },
        Section {
            title: "Groups",
            text: "One kernel for several problems, against cuBLASLt called once for each problem; on `sm_90a` with the schedule that `auto` takes.".into(),
            peer: "cuBLASLt, a call a problem",
            picture: None,
            records: newest(records, |record| {
                record.groups.is_some() && (auto(record) || !warpgroups(record))
            }),
        },
        Section {
            title: "Epilogues",
            text: "Against cuBLASLt with an epilogue of its own where it has one.".into(),
            peer: "cuBLASLt",
            picture: None,
            records: newest(records, |record| {
                let large = [record.m, record.n].into_iter().flatten().all(|extent| extent >= 1024);
                record.epilogue.is_some() && record.batch == Some(1) && large && peer(record).is_some()
            }),
        },
        Section {
            title: "Other element types",
            text: "`narrow_accumulator` is the instruction's own accumulation (the library's fast one), `two_level_accumulation` two-level accumulation (its precise one).".into(),
            peer: "cuBLASLt",
            picture: Some("performance-types.svg"),
            records: newest(records, |record| {
                let reported = record.precision.is_some() || !operand(record).is_some_and(|element| element.starts_with("f8"));
                !half(record) && reported && record.epilogue.is_none() && record.batch == Some(1)
                    && warpgroups(record) && record.m.is_some_and(|m| m >= 1024) && peer(record) == Some(CUBLAS)
            }),
        },
        Section {
            title: "`mma.sync`",
            text: "Kernels for `sm_80`, which every later chip runs. The [table of schedules](#the-table-of-schedules) has its rows, in `tn`.".into(),
            peer: "cuBLASLt",
            picture: None,
            records: newest(records, |record| {
                half(record) && plain(record) && record.chip.as_deref() == Some("sm_80") && peer(record) == Some(CUBLAS)
            }),
        },
        Section {
            title: "Dynamic sizes",
            text: "The peer is our own kernel that was compiled for the size, in the same run.".into(),
            peer: "ours, compiled for the size",
            picture: None,
            records: newest(records, |record| record.sizes.is_some() && !cublas(record)),
        },
    ]
}

/// The name of what a record compares with.
fn peer(record: &Record) -> Option<&str> {
    record.library.as_ref().map(|library| library.name.as_str())
}

/// The element type of A.
fn operand(record: &Record) -> Option<&str> {
    record.types.as_ref()?.first().map(String::as_str)
}

/// The fastest kernel of each problem's newest run, in the order of their work.
fn newest(records: &[Record], filter: impl Fn(&Record) -> bool) -> Vec<&Record> {
    let mut found: BTreeMap<String, &Record> = BTreeMap::new();
    for record in records {
        let good = record.changed.is_none()
            && record.verdict != Some(Outcome::Failed)
            && !UNCHECKED.contains(&record.run.as_str())
            && record.level_2_cache != Some(Left::Read)
            && record.ratio.is_some();
        if !good || !filter(record) {
            continue;
        }
        let slower = |other: &&Record| other.run == record.run && other.ratio >= record.ratio;
        let key = key(record);
        if !found.get(&key).is_some_and(slower) {
            found.insert(key, record);
        }
    }
    let mut rows: Vec<(f64, String, &Record)> = found
        .into_iter()
        .map(|(key, record)| (operations(record).unwrap_or(0.0), key, record))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    rows.into_iter().map(|(_, _, record)| record).collect()
}

/// The problem as a text: records of one text compete for a row.
fn key(record: &Record) -> String {
    let Record { types, orders, precision, epilogue, chip, library, groups, .. } = record;
    // Matrices of a batch lie in several ways.
    let strides = record.strides.as_ref().filter(|_| record.batch.is_some_and(|batch| batch > 1));
    let steps = epilogue.as_ref().map(|epilogue| &epilogue.steps);
    let fused: Vec<_> = groups.iter().flatten().map(|group| &group.epilogue).collect();
    let operand = types.iter().flatten().next();
    let result = types.as_ref().and_then(|types| types.get(2)).or(operand);
    let peer = library.as_ref().map(|library| &library.name);
    format!(
        "{} {operand:?} {result:?} {orders:?} {precision:?} {steps:?} {fused:?} {chip:?} {peer:?} {strides:?} {:?}",
        plot::extents(record),
        record.sizes
    )
}

/// Floating point operations.
fn operations(record: &Record) -> Option<f64> {
    let work =
        |m: i64, n: i64, k: i64, batch: i64| 2.0 * m as f64 * n as f64 * k as f64 * batch as f64;
    match (&record.groups, record.m, record.n, record.k) {
        (Some(groups), ..) => {
            Some(groups.iter().map(|group| work(group.m, group.n, group.k, group.batch)).sum())
        }
        (None, Some(m), Some(n), Some(k)) => Some(work(m, n, k, record.batch.unwrap_or(1))),
        _ => None,
    }
}

/// Whether the rows of A, B and C are multiples of what bulk copies take.
fn is_aligned(record: &Record) -> bool {
    let (Some(m), Some(n), Some(k)) = (record.m, record.n, record.k) else { return false };
    let bytes = match operand(record) {
        Some("f64") => 8,
        Some("f32" | "i32") => 4,
        Some("bf16" | "f16") => 2,
        _ => 1,
    };
    let orders = record.orders.as_deref().unwrap_or("tn");
    let a = if orders.starts_with('n') { m } else { k };
    let b = if orders.ends_with('t') { n } else { k };
    [a, b, n].iter().all(|row| row * bytes % GRANULE == 0)
}

/// The means of several records' ratios.
struct RatioMeans {
    /// The geometric mean.
    mean: f64,
    /// How many are below 0.95.
    below: usize,
    /// The least.
    least: f64,
    /// The extents of the least.
    at: String,
}

fn means_of(records: &[&Record]) -> Option<RatioMeans> {
    let ratios = || records.iter().filter_map(|record| record.ratio);
    let ratio = |record: &Record| record.ratio.unwrap_or(0.0);
    let least = records.iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    Some(RatioMeans {
        mean: plot::geometric_mean(ratios())?,
        below: ratios().filter(|ratio| *ratio < 0.95).count(),
        least: ratio(least),
        at: plot::extents(least),
    })
}

/// The geometric means of a table, and its least ratio.
fn means(records: &[&Record]) -> Vec<String> {
    let aligned: Vec<&Record> =
        records.iter().copied().filter(|record| is_aligned(record)).collect();
    let line = |records: &[&Record], what: &str| {
        let RatioMeans { mean, below, least, at } = means_of(records)?;
        let count = records.len();
        Some(format!(
            "Geometric mean of {what}{count}: **{mean:.3}**; {below} below 0.95; least {least:.2} ({at})."
        ))
    };
    let all = line(records, "");
    let part = (aligned.len() != records.len() && !aligned.is_empty())
        .then(|| line(&aligned, "those with rows at multiples of 16 bytes, "))
        .flatten();
    all.into_iter().chain(part).collect()
}

/// The rows of a table.
fn body(records: &[&Record]) -> String {
    let mut text = String::from(
        "| m×n×k | types | orders | schedule | ours µs | TFLOP/s | peer µs | ratio | run |\n\
         |---|---|---|---|--:|--:|--:|--:|---|\n",
    );
    for record in records {
        let time = |times: Option<record::Times>| {
            times.map_or_else(|| "–".to_owned(), |times| format!("{:.1}", times.median_us))
        };
        let rate = operations(record).zip(record.ours).map_or_else(
            || "–".to_owned(),
            |(operations, times)| format!("{:.0}", operations / times.median_us / 1e6),
        );
        let peer = record.library.as_ref();
        let fused = peer.and_then(|peer| peer.epilogue.as_ref());
        let sizes = record.sizes.as_ref().map(|sizes| {
            let names: Vec<&str> = sizes.keys().map(String::as_str).collect();
            format!("{} at run time", names.join(", "))
        });
        let remark = [fused.map(|fused| format!("library: {fused}")), sizes, epilogue(record)];
        let remarks: Vec<String> = remark.into_iter().flatten().collect();
        let mut shape = plot::extents(record);
        if !remarks.is_empty() {
            let _ = write!(shape, " ({})", remarks.join("; "));
        }
        let _ = writeln!(
            text,
            "| {shape} | {} | {} | {} | {} | {rate} | {} | {:.2} | {} |",
            types(record),
            record.orders.as_deref().unwrap_or("–"),
            schedule(record),
            time(record.ours),
            time(peer.and_then(|peer| peer.times)),
            record.ratio.unwrap_or(0.0),
            record.run
        );
    }
    text
}

/// The operations of an epilogue.
fn epilogue(record: &Record) -> Option<String> {
    let steps = &record.epilogue.as_ref()?.steps;
    let words = names(steps.iter().filter(|step| step.op != "arith.constant").map(|step| {
        match step.op.split_once('.') {
            Some(("arith", name)) => name.trim_end_matches('f').to_owned(),
            Some((_, name)) => name.to_owned(),
            None => step.op.clone(),
        }
    }));
    Some(format!("ours: {words}"))
}

fn types(record: &Record) -> String {
    let Some(types) = &record.types else { return "–".to_owned() };
    let Some(first) = types.first() else { return "–".to_owned() };
    let result = types.get(2).filter(|result| *result != first);
    let sums = match record.precision {
        Some(Precision::NarrowAccumulator) => ", narrow accumulator",
        Some(Precision::TwoLevelAccumulation) => ", two-level accumulation",
        Some(Precision::Tf32) => " as tf32",
        None => "",
    };
    let result = result.map(|result| format!(" → {result}")).unwrap_or_default();
    format!("{first}{result}{sums}")
}

/// A schedule in few words: the tile, warps and stages, and the other keys as they are.
fn schedule(record: &Record) -> String {
    let prefix = if record.auto == Some(true) { "auto" } else { "" };
    let Some(schedule) = &record.schedule else {
        return if prefix.is_empty() { "–".into() } else { prefix.into() };
    };
    let words = schedule
        .replace("tile = ", "")
        .replace("warps = ", "")
        .replace(", stages = ", ", ")
        .replace(" = true", "")
        .replace(" = ", " ");
    if prefix.is_empty() { words } else { format!("{prefix}: {words}") }
}

/// The rows of the table of schedules, each with the run that it is from.
fn tuned_rows(rows: &[Row]) -> String {
    let mut text = String::from(
        "\n## The table of schedules\n\nThe ratio of each row is that of the run in which its schedule was found.\n\n\
         | chip | element | m×n×k | schedule | ratio | run | reason |\n|---|---|---|---|--:|---|---|\n",
    );
    for row in rows {
        let Row { chip, element, m, n, k, schedule, ratio, record, reason, .. } = row;
        let _ = writeln!(
            text,
            "| {chip} | {element} | {m}×{n}×{k} | {schedule} | {ratio:.3} | {record} | {reason} |"
        );
    }
    text
}

/// All runs, with how many of their kernels were right; those of one name, `NAME/0`, `NAME/1`, …, in one line.
fn all_runs(records: &[Record]) -> String {
    let mut runs: Vec<(&str, Vec<&Record>)> = Vec::new();
    for record in records {
        let name = record.run.split('/').next().unwrap_or(&record.run);
        match runs.iter_mut().find(|(run, _)| *run == name) {
            Some((_, lines)) => lines.push(record),
            None => runs.push((name, vec![record])),
        }
    }
    let mut text = String::from(
        "\n## All runs\n\nA kernel that was changed by hand, to see what a part of it costs, may be wrong; no other is.\n\n\
         | run | parts | lines | right | wrong | of which changed by hand | remarks | command of the first |\n|---|--:|--:|--:|--:|--:|---|---|\n",
    );
    for (run, lines) in &runs {
        let count = |outcome| lines.iter().filter(|line| line.verdict == Some(outcome)).count();
        let changed =
            |line: &&&Record| line.verdict == Some(Outcome::Failed) && line.changed.is_some();
        let changed = lines.iter().filter(changed).count();
        let first = lines.first();
        let notes = names(lines.iter().filter_map(|line| {
            let note = line.note.as_deref()?.split("; ").next()?;
            (!note.starts_with("round ")).then(|| note.to_owned())
        }));
        let notes = if notes.chars().count() > 160 { "several" } else { &notes };
        let command = first.and_then(|line| line.command.as_deref()).unwrap_or("–");
        let _ = writeln!(
            text,
            "| {run} | {} | {} | {} | {} | {changed} | {notes} | `{command}` |",
            lines.iter().map(|line| &line.run).collect::<BTreeSet<_>>().len(),
            lines.len(),
            count(Outcome::Passed),
            count(Outcome::Failed)
        );
    }
    text
}

/// Each name once, in order of appearance.
fn names(all: impl Iterator<Item = String>) -> String {
    let mut found: Vec<String> = Vec::new();
    for name in all {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found.join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The committed page and pictures are those of the committed records; `cargo xtask bless` rewrites them.
    #[test]
    fn the_page_shows_the_records() {
        let records = record::load(&root().join("test/Device/records/h200.jsonl")).unwrap();
        let table = root().join("passes/transforms/src/schedules.json");
        let rows = table::rows(&read_text(&table).unwrap()).unwrap();
        let readme = read_text(&root().join("README.md")).unwrap();
        let shown = summary::replaced(&readme, &summary::table(&sections(&records, &rows)));
        expect_file![root().join("README.md")].assert_eq(&shown.unwrap());
        let files = files(&records, &rows);
        assert_eq!(files.len(), 4);
        for (name, text) in files {
            if name.ends_with(".svg") {
                roxmltree::Document::parse(&text).unwrap();
            }
            expect_file![root().join("test/Device").join(name)].assert_eq(&text);
        }
    }

    /// The tables of other pages are those of the committed figures.
    #[test]
    fn pages_show_the_figures() {
        let file = root().join("test/Device/records/figures.jsonl");
        let rows = figures::read(&read_text(&file).unwrap()).unwrap();
        for page in figures::pages(&rows) {
            let path = root().join(page);
            let shown = figures::replaced(page, &read_text(&path).unwrap(), &rows);
            expect_file![path].assert_eq(&shown.unwrap_or_else(|error| panic!("{page}: {error}")));
        }
    }

    fn timed(run: &str, ratio: f64) -> Record {
        Record {
            run: run.into(),
            m: Some(8),
            n: Some(8),
            k: Some(8),
            batch: Some(1),
            ratio: Some(ratio),
            ..Record::default()
        }
    }

    #[test]
    fn a_problem_has_the_fastest_of_its_newest_run() {
        let wrong = Record { verdict: Some(Outcome::Failed), ..timed("b", 9.0) };
        let changed = Record { changed: Some("no loads".into()), ..timed("b", 9.0) };
        let read = Record { level_2_cache: Some(Left::Read), ..timed("c", 9.0) };
        let other = Record { orders: Some("nt".into()), ..timed("a", 0.5) };
        let records = [
            timed("a", 3.0),
            timed("b", 1.0),
            timed("b", 2.0),
            timed("b", 1.5),
            wrong,
            changed,
            read,
            other,
        ];
        let found = newest(&records, |_| true);
        assert_eq!(found, [&records[2], &records[7]]);
        assert_eq!(
            means(&found),
            ["Geometric mean of 2: **1.000**; 1 below 0.95; least 0.50 (8×8×8).",]
        );
    }

    #[test]
    fn rows_are_aligned_by_their_contiguous_modes() {
        let of = |m, n, k, orders: &str| Record {
            m: Some(m),
            n: Some(n),
            k: Some(k),
            orders: Some(orders.into()),
            types: Some(vec!["bf16".into()]),
            ..Record::default()
        };
        assert!(is_aligned(&of(7, 8, 16, "tn")));
        assert!(!is_aligned(&of(7, 8, 16, "nn")));
        assert!(is_aligned(&of(8, 16, 7, "nt")));
        assert!(!is_aligned(&of(8, 9, 8, "tn")));
    }
}
