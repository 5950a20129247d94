//! `layout-run plot`: the ratio to cuBLASLt over shape, as an SVG picture of records.
//!
//! One bar for each kernel, from the line at 1 to the right where it is faster and to the left where it
//! is slower; on a logarithmic scale, on which twice and half as fast are equally long. Colours follow
//! the reader's choice of light or dark.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use layout_runtime::record::Record;
use layout_runtime::{Error, Result};

/// Pixels: a digit of the text, a row, the room around everything, and the scale from end to end.
const DIGIT: f64 = 7.3;
const ROW: usize = 20;
const MARGIN: usize = 12;
const SCALE: f64 = 460.0;

/// Ratios that get a line and a number where they are in range.
const TICKS: &[f64] = &[
    0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0,
    4.0, 6.0, 8.0, 12.0, 16.0,
];

/// The least range of ratios that is drawn.
const MIN_RANGE: (f64, f64) = (0.8, 1.25);

/// Colours for light, and for dark where the reader prefers it.
const STYLE: &str = "\
.page{fill:#fff}text{fill:#222}.quiet{fill:#666}.tick{stroke:#ddd}.one{stroke:#222;stroke-width:1.5}\
.bar{stroke:#a0a;stroke-dasharray:4 3}.faster{fill:#1a7f5a}.slower{fill:#c2571a}\
@media (prefers-color-scheme:dark){.page{fill:#14171a}text{fill:#e4e4e4}.quiet{fill:#9aa0a6}\
.tick{stroke:#33383d}.one{stroke:#e4e4e4}.bar{stroke:#e58ae5}.faster{fill:#4cc38a}.slower{fill:#f0935a}}";

/// One bar.
#[derive(Debug, PartialEq)]
struct Entry {
    label: String,
    ratio: f64,
}

/// Reads the records and writes the picture, of one run or of all.
pub(crate) fn run(
    paths: &[PathBuf],
    only: Option<&str>,
    bars: &[f64],
    output: Option<&Path>,
) -> Result<()> {
    let mut records = Vec::new();
    for path in paths {
        records.extend(layout_runtime::record::load(path)?);
    }
    records.retain(|record| only.is_none_or(|run| record.run == run));
    let names: Vec<String> = paths
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .chain(only.map(str::to_owned))
        .collect();
    write(&records, &names.join(", "), bars, output)
}

/// Writes the picture of some records.
pub(crate) fn write(
    records: &[Record],
    source: &str,
    bars: &[f64],
    output: Option<&Path>,
) -> Result<()> {
    let lines: Vec<&Record> = records.iter().collect();
    let svg = svg(&lines, source, bars).ok_or_else(|| Error::Record {
        path: source.into(),
        reason: "expected a kernel with a ratio to cuBLASLt, found none".into(),
    })?;
    match output {
        Some(path) => {
            std::fs::write(path, svg).map_err(|source| Error::Write { path: path.into(), source })
        }
        None => {
            print!("{svg}");
            Ok(())
        }
    }
}

/// The picture, or `None` if nothing was compared.
pub(crate) fn svg(records: &[&Record], source: &str, bars: &[f64]) -> Option<String> {
    let entries = entries(records);
    let mean = geometric_mean(entries.iter().map(|entry| entry.ratio))?;
    let title = format!("Speed over that of {}", peers(records));
    let count = match entries.len() {
        1 => "1 kernel".to_owned(),
        count => format!("{count} kernels"),
    };
    let note =
        format!("{count}, geometric mean {mean:.3}; longer to the right is faster; {source}");
    Some(draw(&entries, &title, &note, bars))
}

/// The bars in the order of the records; a kernel whose problem comes again says its file's name.
fn entries(records: &[&Record]) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for record in records {
        let Some(ratio) = record.ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0) else {
            continue;
        };
        let label = label(record);
        *times.entry(label.clone()).or_default() += 1;
        found.push((label, record.file.as_deref(), ratio));
    }
    found
        .into_iter()
        .map(|(label, file, ratio)| {
            let repeated = times.get(&label).is_some_and(|&times| times > 1);
            let label = match file.filter(|_| repeated) {
                Some(file) => format!("{label} {}", file.trim_end_matches(".ptx")),
                None => label,
            };
            Entry { label, ratio }
        })
        .collect()
}

/// A problem with its type and orders, such as `16 of 8×8×8 bf16 tn`.
pub(crate) fn label(record: &Record) -> String {
    let types = record.types.as_ref().and_then(|types| types.first());
    let words = [Some(extents(record)), types.cloned(), record.orders.clone()];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The extents of a problem, such as `16 of 8×8×8`.
pub(crate) fn extents(record: &Record) -> String {
    let shape = |m, n, k, batch| match batch {
        1 => format!("{m}×{n}×{k}"),
        batch => format!("{batch} of {m}×{n}×{k}"),
    };
    if let (Some(m), Some(n), Some(k)) = (record.m, record.n, record.k) {
        return shape(m, n, k, record.batch.unwrap_or(1));
    }
    let Some(groups) = &record.groups else { return "unknown".to_owned() };
    let mut runs: Vec<(String, usize)> = Vec::new();
    for group in groups {
        let text = shape(group.m, group.n, group.k, group.batch);
        match runs.last_mut() {
            Some((last, count)) if *last == text => *count += 1,
            _ => runs.push((text, 1)),
        }
    }
    let words: Vec<String> = runs
        .into_iter()
        .map(|(text, count)| if count == 1 { text } else { format!("{count} × ({text})") })
        .collect();
    format!("group of {}", words.join(", "))
}

/// None of no ratios.
pub(crate) fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) =
        ratios.fold((0.0, 0_u32), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// The libraries that were compared with, and the devices, each once.
pub(crate) fn peers(records: &[&Record]) -> String {
    let mut names: Vec<String> = Vec::new();
    for record in records {
        let Some(library) = &record.library else { continue };
        let version = library
            .version
            .map(|version| format!(" {}.{}", version / 10000, version % 10000 / 100));
        let name = format!("{}{}, {}", library.name, version.unwrap_or_default(), record.device);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join("; ")
}

// Writing to a string cannot fail, hence `let _`.
fn draw(entries: &[Entry], title: &str, note: &str, bars: &[f64]) -> String {
    let ratios = || entries.iter().map(|entry| entry.ratio).chain(bars.iter().copied());
    let low = ratios().fold(MIN_RANGE.0, f64::min) / 1.05;
    let high = ratios().fold(MIN_RANGE.1, f64::max) * 1.05;
    let wide = |text: &str| text.chars().count() as f64 * DIGIT;
    let labels = entries.iter().map(|entry| wide(&entry.label)).fold(0.0, f64::max);
    let left = MARGIN as f64 + labels + 8.0;
    let at = |ratio: f64| left + SCALE * (ratio / low).ln() / (high / low).ln();
    let width = (left + SCALE + 5.0 * DIGIT).max(wide(title).max(wide(note)) + 2.0 * MARGIN as f64);
    let top = MARGIN + 3 * ROW;
    let bottom = top + entries.len() * ROW;
    let height = bottom + MARGIN;
    let mut body = String::new();
    text(&mut body, title, MARGIN as f64, MARGIN + 14, "");
    text(&mut body, note, MARGIN as f64, MARGIN + ROW + 14, " class=\"quiet\"");
    let mut line = |class: &str, ratio: f64| {
        let x = at(ratio);
        let _ = writeln!(
            body,
            "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>"
        );
    };
    let ticks = ticks(&at, low, high);
    for &tick in ticks.iter().filter(|&&tick| tick != 1.0) {
        line("tick", tick);
    }
    for &bar in bars {
        line("bar", bar);
    }
    line("one", 1.0);
    for tick in ticks {
        let attributes = " class=\"quiet\" text-anchor=\"middle\"";
        text(&mut body, &tick.to_string(), at(tick), top - 6, attributes);
    }
    for (i, entry) in entries.iter().enumerate() {
        let y = top + i * ROW;
        text(&mut body, &entry.label, left - 8.0, y + 14, " text-anchor=\"end\"");
        let (from, to) = (at(entry.ratio.min(1.0)), at(entry.ratio.max(1.0)));
        let class = if entry.ratio < 1.0 { "slower" } else { "faster" };
        let _ = writeln!(
            body,
            "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\"/>",
            y + 3,
            to - from,
            ROW - 6
        );
        text(&mut body, &format!("{:.2}", entry.ratio), to + 5.0, y + 14, "");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" \
         viewBox=\"0 0 {width:.0} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escaped(title)
    )
}

/// The ticks in range that leave room for their numbers; 1 is always among them.
fn ticks(at: &dyn Fn(f64) -> f64, low: f64, high: f64) -> Vec<f64> {
    let room = 4.5 * DIGIT;
    let one = at(1.0);
    let mut kept: Vec<f64> = Vec::new();
    for &tick in TICKS.iter().filter(|&&tick| tick > low && tick < high) {
        let after_last = kept.last().is_none_or(|&last| at(tick) - at(last) >= room);
        if tick == 1.0 || (after_last && (at(tick) - one).abs() >= room) {
            kept.push(tick);
        }
    }
    kept
}

fn text(out: &mut String, words: &str, x: f64, y: usize, attributes: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y}\"{attributes}>{}</text>", escaped(words));
}

/// Text with what XML reads as its own replaced.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use layout_runtime::record::Group;

    use super::*;

    fn entry(label: &str, ratio: f64) -> Entry {
        Entry { label: label.into(), ratio }
    }

    #[test]
    fn bars_go_from_one_to_their_ratio_on_one_scale() {
        let picture = draw(&[entry("a<b", 0.5), entry("c", 2.0)], "title", "note", &[0.95]);
        let document = roxmltree::Document::parse(&picture).unwrap();
        let number = |node: roxmltree::Node<'_, '_>, name: &str| -> f64 {
            node.attribute(name).unwrap().parse().unwrap()
        };
        let of_class = |class: &str| {
            document.descendants().find(|node| node.attribute("class") == Some(class)).unwrap()
        };
        let one = number(of_class("one"), "x1");
        let (slower, faster) = (of_class("slower"), of_class("faster"));
        assert_eq!(number(slower, "x") + number(slower, "width"), one);
        assert_eq!(number(faster, "x"), one);
        // Half and twice as fast are equally long.
        assert_eq!(number(slower, "width"), number(faster, "width"));
        assert!(number(of_class("bar"), "x1") < one);
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        for expected in ["a<b", "c", "0.50", "2.00", "1", "title", "note"] {
            assert!(texts.contains(&expected), "{expected} is not among {texts:?}");
        }
    }

    #[test]
    fn numbers_of_the_scale_never_meet() {
        for (low, high) in [(0.76_f64, 1.31), (0.3, 3.7), (0.1, 17.0)] {
            let at = |ratio: f64| SCALE * (ratio / low).ln() / (high / low).ln();
            let kept = ticks(&at, low, high);
            assert!(kept.contains(&1.0));
            for pair in kept.windows(2) {
                assert!(at(pair[1]) - at(pair[0]) >= 4.0 * DIGIT, "{kept:?}");
            }
        }
    }

    #[test]
    fn labels_name_batches_and_groups() {
        let single = Record {
            m: Some(8),
            n: Some(16),
            k: Some(4),
            batch: Some(3),
            types: Some(vec!["f16".into(), "f16".into(), "f32".into()]),
            orders: Some("nt".into()),
            ..Record::default()
        };
        assert_eq!(label(&single), "3 of 8×16×4 f16 nt");
        let group = |m| Group { m, n: 8, k: 8, batch: 1, epilogue: None };
        let grouped =
            Record { groups: Some(vec![group(8), group(8), group(16)]), ..Record::default() };
        assert_eq!(label(&grouped), "group of 2 × (8×8×8), 16×8×8");
    }

    #[test]
    fn records_without_a_comparison_have_no_picture() {
        let error = write(&[Record::default()], "none.jsonl", &[], None).unwrap_err().to_string();
        assert_eq!(error, "none.jsonl: expected a kernel with a ratio to cuBLASLt, found none");
    }
}
