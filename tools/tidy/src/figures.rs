//! Measured figures: pages have them from records, between two marks, or as the output of a command that a test runs.
//!
//! A figure in the text of a page has its source in a comment on its line: `<!-- test: PATH -->` names a test, or the code that
//! a test runs, which has the number; `<!-- mean: TABLE COLUMN -->` says that it is the geometric mean of a column of a table
//! of the records.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use layout_support::process::Error;

/// Where rows of tables on pages are kept.
const FILE: &str = "test/Device/records/figures.jsonl";

/// The beginning of the mark in front of a table of that file.
const MARK: &str = "<!-- figures ";

/// The beginnings of the marks in front of a part that a program writes.
const BEGINNINGS: &[&str] = &[MARK, "<!-- made by ", "<!-- counts: ", "<!-- model: "];

/// The beginning of the mark after a part that a program writes.
const END: &str = "<!-- end of ";

/// Units of measurements. A number in front of one is a figure, on any page.
const UNITS: &[&str] = &["µs", "us", "ns", "ms", "GB/s", "TB/s", "GFLOP/s", "TFLOP/s"];

/// Further words that make a figure of the number in front of them, on the pages that readers see first.
const WORDS: &[&str] = &[
    "%", "percent", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "s", "second", "seconds",
    "minute", "minutes", "hour", "hours", "times",
];

/// The pages that readers see first, and folders of such: ratios, shares, sizes and counts are figures there.
const FRONT: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    ".github/CONTRIBUTING.md",
    "dialect/TUTORIAL.md",
    "dialect/CUTE.md",
    "dialect/algebra/src/course.md",
    "dialect/book/",
];

/// Notebooks: pages of dated runs, which are records themselves. Each with what it notes.
const NOTEBOOKS: &[(&str, &str)] = &[
    ("dialect/algebra/fuzz/README.md", "runs of the fuzzer, and its limit"),
    ("passes/egraph/RULES.md", "counts of rules, written by `cargo measure rules`"),
    ("test/Device/CHECKS.md", "checks on a device"),
    ("test/Device/EXPERIMENTS.md", "experiments"),
    ("test/Device/PERFORMANCE.md", "times, written by `layout-run performance`"),
];

/// Each figure of a page that has no source, and each mark without a record or without its end.
pub(crate) fn findings(root: &Path, files: &[String]) -> Result<Vec<String>, Error> {
    let read = |name: &str| {
        std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))
    };
    let records = read(FILE)?;
    let mut findings = Vec::new();
    for name in files.iter().filter(|name| name.ends_with(".md")) {
        if NOTEBOOKS.iter().all(|(path, _)| path != name) {
            findings.extend(of(name, &read(name)?, &records, &|path| read(path).ok()));
        }
    }
    Ok(findings)
}

fn of(name: &str, text: &str, records: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let is_front =
        FRONT.iter().any(|front| *front == name || front.ends_with('/') && name.starts_with(front));
    let mut findings = Vec::new();
    let (mut fenced, mut generated) = (false, None);
    for (line, own) in (1..).zip(text.lines()) {
        if own.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && own.starts_with(END) {
            generated = None;
        } else if !fenced && BEGINNINGS.iter().any(|mark| own.starts_with(mark)) {
            generated = Some(line);
        }
        if let Some(table) = own.strip_prefix(MARK).and_then(|rest| rest.split(':').next()) {
            let of_page = format!("\"page\": \"{name}\", \"table\": \"{table}\"");
            if !records.lines().any(|record| record.contains(&of_page)) {
                findings
                    .push(format!("{name}:{line}: expected rows of {table} in {FILE}, found none"));
            }
        }
        if fenced || generated.is_some() || own.starts_with("    ") {
            continue;
        }
        let sources: Vec<Source> = sources(own, records, read);
        for source in &sources {
            if let Source::Broken(what) = source {
                findings.push(format!("{name}:{line}: {what}"));
            }
        }
        let plain = without_comments(own);
        let prose = plain.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut figures = figures(&plain, UNITS);
        if is_front {
            figures.extend(self::figures(&prose, WORDS));
            figures.extend(ratios(&prose));
            figures.extend(counts(&prose));
        }
        for figure in &figures {
            if !sources.iter().any(|source| source.has(figure)) {
                findings.push(format!(
                    "{name}:{line}: expected a figure from {FILE}, or a test that has it, found \"{figure}\" in the text"
                ));
            }
        }
        let is_unused = |source: &&Source| !figures.iter().any(|figure| source.has(figure));
        for source in sources.iter().filter(is_unused) {
            if !matches!(source, Source::Broken(_)) {
                findings.push(format!(
                    "{name}:{line}: expected a figure of this line in its source, found none"
                ));
            }
        }
    }
    if let Some(line) = generated {
        findings.push(format!("{name}:{line}: expected {END}… after this mark, found none"));
    }
    findings
}

/// Where a figure of a line is from.
#[derive(Debug)]
enum Source {
    /// The numbers of a file.
    File(Vec<f64>),
    /// A geometric mean.
    Mean(f64),
    /// A comment that names nothing; why.
    Broken(String),
}

impl Source {
    fn has(&self, figure: &str) -> bool {
        let digits: String = number_at_start(figure).chars().filter(|c| *c != ',').collect();
        let Ok(value) = digits.trim_end_matches('.').parse::<f64>() else { return false };
        let is = |other: f64| (other - value).abs() < 1e-9;
        match self {
            Self::File(numbers) => numbers
                .iter()
                .any(|number| is(*number) || figure.ends_with(['%', 't']) && is(*number * 100.0)),
            Self::Mean(mean) => {
                let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
                format!("{mean:.places$}") == digits
            }
            Self::Broken(_) => false,
        }
    }
}

/// The sources that comments of a line name.
fn sources(line: &str, records: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<Source> {
    // A comment in backticks is a quotation.
    let parts: Vec<&str> = line.split("<!-- ").collect();
    let comments = parts.windows(2).filter_map(|pair| {
        let comment = pair[1].split_once(" -->")?.0;
        (!pair[0].ends_with('`')).then_some(comment)
    });
    let source = |comment: &str| {
        if let Some(path) = comment.strip_prefix("test: ") {
            return Some(match read(path) {
                Some(text) => Source::File(numbers(&text)),
                None => Source::Broken(format!("expected a file {path}, found none")),
            });
        }
        let (table, column) = comment.strip_prefix("mean: ")?.split_once(' ')?;
        Some(match mean(records, table, column) {
            Some(mean) => Source::Mean(mean),
            None => Source::Broken(format!("expected rows of {table} with {column}, found none")),
        })
    };
    comments.filter_map(source).collect()
}

/// The geometric mean of a column of a table.
fn mean(records: &str, table: &str, column: &str) -> Option<f64> {
    let of_row = |line: &str| {
        let record: Value = serde_json::from_str(line).ok()?;
        let row: BTreeMap<String, Value> =
            serde_json::from_value::<Vec<(String, Value)>>(record["row"].clone())
                .ok()?
                .into_iter()
                .collect();
        (record["table"] == table).then(|| row.get(column)?.as_f64()).flatten()
    };
    let values: Vec<f64> = records.lines().filter_map(of_row).collect();
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// The numbers of a text.
fn numbers(text: &str) -> Vec<f64> {
    let of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_');
    let words = text.split(|c: char| !of_number(c)).filter(|word| !word.is_empty());
    words.filter_map(|word| word.replace('_', "").trim_matches('.').parse().ok()).collect()
}

/// A line without its comments.
fn without_comments(line: &str) -> String {
    let mut parts = line.split("<!--");
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        plain.push_str(part.split_once("-->").map_or("", |(_, rest)| rest));
    }
    plain
}

fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | ',')
}

fn number_at_start(text: &str) -> &str {
    &text[..text.find(|c: char| !is_of_number(c)).unwrap_or(text.len())]
}

/// Numbers with a unit of measurement.
fn figures<'t>(line: &'t str, units: &[&str]) -> Vec<&'t str> {
    let of_unit = |unit: &&str| {
        let length = unit.len();
        let found = line.match_indices(*unit).filter_map(move |(at, _)| {
            let end = at + length;
            let number = line[..at].trim_end();
            let digits = number.chars().rev().take_while(|c| is_of_number(*c)).count();
            let first = number.len() - digits;
            let is_word = line[end..].chars().next().is_some_and(char::is_alphanumeric);
            let is_number = number[first..].starts_with(|c: char| c.is_ascii_digit());
            let is_name = number[..first].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            (is_number && !is_word && !is_name).then(|| &line[first..end])
        });
        found.collect::<Vec<_>>()
    };
    units.iter().flat_map(of_unit).collect()
}

/// Fractions of something: a number with a point in front of "of".
fn ratios(line: &str) -> Vec<&str> {
    let found = figures(line, &["of"]);
    found.into_iter().filter(|figure| number_at_start(figure).contains('.')).collect()
}

/// Numbers with commas between thousands.
fn counts(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut is_name = false;
    while let Some(c) = rest.chars().next() {
        if !c.is_ascii_digit() {
            is_name = c.is_alphanumeric() || matches!(c, '_' | '(' | ':');
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let number = number_at_start(rest);
        let groups: Vec<&str> = number.trim_end_matches(['.', ',']).split(',').collect();
        let is_count = groups.len() > 1
            && groups[0].len() <= 3
            && groups[1..].iter().all(|group| group.len() == 3 && !group.contains('.'));
        if is_count && !is_name {
            found.push(number.trim_end_matches(['.', ',']));
        }
        is_name = true;
        rest = &rest[number.len()..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<String> {
        let records = "{\"page\": \"x.md\", \"table\": \"a\", \"row\": [[\"speed / peer\", 1.0]]}\n\
                       {\"page\": \"x.md\", \"table\": \"a\", \"row\": [[\"speed / peer\", 1.21]]}\n";
        let read =
            |path: &str| (path == "a.rs").then(|| "assert!(mean <= 0.04 && 100_000)".to_owned());
        of(name, text, records, &read)
    }

    #[test]
    fn figures_of_the_text_are_found() {
        let figure = |text| figures(text, UNITS);
        assert_eq!(figure("It takes 1,234.5 µs there."), ["1,234.5 µs"]);
        assert_eq!(figure("at 3,031 GB/s"), ["3,031 GB/s"]);
        assert_eq!(figure("12ms"), ["12ms"]);
        assert!(figure("| kernel | µs | in 2 columns, programs of 5 users |").is_empty());
        assert!(figure("²us of ×ms").is_empty());
    }

    #[test]
    fn figures_of_front_pages_are_found() {
        let text = "1.1 times, 0.97 of it, 4 %, 58 MB, 20 s, three minutes, 2 minutes, 100,000 terms\n\
                    `1.1 times`, (1,024), 8.0 or higher, 128 bytes, f32 s, sm_90 s, 3 of 5, 1.2.3\n";
        let figures = ["4 %", "58 MB", "20 s", "2 minutes", "1.1 times", "0.97 of", "100,000"];
        let expected = figures.map(|figure| {
            format!("README.md:1: expected a figure from {FILE}, or a test that has it, found \"{figure}\" in the text")
        });
        assert_eq!(found("README.md", text), expected);
        assert!(found("x.md", text).is_empty());
    }

    #[test]
    fn sources_of_a_line_have_its_figures() {
        assert!(found("README.md", "at most 4 % <!-- test: a.rs --> slower\n").is_empty());
        assert!(
            found("README.md", "100,000 <!-- test: a.rs -->\n`<!-- test: PATH -->`\n").is_empty()
        );
        assert!(found("README.md", "1.10 of <!-- mean: a speed / peer --> it\n").is_empty());
        assert_eq!(
            found(
                "README.md",
                "5 % <!-- test: a.rs -->\nno <!-- test: b.rs --> <!-- mean: b c -->\n"
            ),
            [
                format!(
                    "README.md:1: expected a figure from {FILE}, or a test that has it, found \"5 %\" in the text"
                ),
                "README.md:1: expected a figure of this line in its source, found none".to_owned(),
                "README.md:2: expected a file b.rs, found none".to_owned(),
                "README.md:2: expected rows of b with c, found none".to_owned(),
            ]
        );
    }

    #[test]
    fn generated_parts_and_code_may_have_figures() {
        let text = "<!-- figures a: made by it -->\n| 3 µs |\n<!-- end of the figures -->\n```\n4 µs\n```\n    5 µs\n<!-- a remark -->\n6 µs\n<!-- figures b: made by it -->\n7 µs\n";
        assert_eq!(
            found("x.md", text),
            [
                format!(
                    "x.md:9: expected a figure from {FILE}, or a test that has it, found \"6 µs\" in the text"
                ),
                format!("x.md:10: expected rows of b in {FILE}, found none"),
                "x.md:10: expected <!-- end of … after this mark, found none".to_owned(),
            ]
        );
    }
}
