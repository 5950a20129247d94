//! Measured figures: pages have them from records, between two marks, or as the output of a command that a test runs.

use std::path::Path;

use layout_support::process::Error;

/// Where rows of tables on pages are kept.
const FILE: &str = "test/Device/records/figures.jsonl";

/// The beginning of the mark in front of a table of that file.
const MARK: &str = "<!-- figures ";

/// The beginning of the mark behind a part that a program writes.
const END: &str = "<!-- end of ";

/// Units of measurements. A number in front of one is a figure.
const UNITS: &[&str] = &["µs", "us", "ns", "ms", "GB/s", "TB/s", "GFLOP/s", "TFLOP/s"];

/// Notebooks: pages of dated runs, which are records themselves. Each with what it notes.
const NOTEBOOKS: &[(&str, &str)] = &[
    ("CHANGELOG.md", "changes"),
    ("dialect/algebra/fuzz/README.md", "runs of the fuzzer, and its limit"),
    ("passes/egraph/RULES.md", "counts of rules, written by `cargo measure rules`"),
    ("test/Device/CHECKS.md", "checks on a device"),
    ("test/Device/EXPERIMENTS.md", "experiments"),
    ("test/Device/PERFORMANCE.md", "times, written by `layout-run performance`"),
];

/// Each figure of a page that no record has, and each mark without a record.
pub(crate) fn findings(root: &Path, files: &[String]) -> Result<Vec<String>, Error> {
    let read = |name: &str| {
        std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))
    };
    let records = read(FILE)?;
    let mut findings = Vec::new();
    for name in files.iter().filter(|name| name.ends_with(".md")) {
        if NOTEBOOKS.iter().all(|(path, _)| path != name) {
            findings.extend(of(name, &read(name)?, &records));
        }
    }
    Ok(findings)
}

fn of(name: &str, text: &str, records: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let (mut fenced, mut generated) = (false, false);
    for (line, own) in (1..).zip(text.lines()) {
        if own.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if own.starts_with("<!-- ") {
            generated = !own.starts_with(END);
        }
        if let Some(table) = own.strip_prefix(MARK).and_then(|rest| rest.split(':').next()) {
            let of_page = format!("\"page\": \"{name}\", \"table\": \"{table}\"");
            if !records.lines().any(|record| record.contains(&of_page)) {
                findings
                    .push(format!("{name}:{line}: expected rows of {table} in {FILE}, found none"));
            }
        }
        if fenced || generated || own.starts_with("    ") {
            continue;
        }
        if let Some(figure) = figure(own) {
            findings.push(format!(
                "{name}:{line}: expected a figure from {FILE}, found \"{figure}\" in the text"
            ));
        }
    }
    findings
}

/// The first number with a unit of measurement.
fn figure(line: &str) -> Option<&str> {
    UNITS.iter().find_map(|unit| {
        line.match_indices(unit).find_map(|(at, _)| {
            let end = at + unit.len();
            let number = line[..at].trim_end();
            let of_number = |c: &char| c.is_ascii_digit() || matches!(c, '.' | ',');
            let first = number.len() - number.chars().rev().take_while(of_number).count();
            let is_word = line[end..].chars().next().is_some_and(char::is_alphanumeric);
            let is_number = number[first..].starts_with(|c: char| c.is_ascii_digit());
            (is_number && !is_word).then(|| &line[first..end])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_text_are_found() {
        assert_eq!(figure("It takes 1,234.5 µs there."), Some("1,234.5 µs"));
        assert_eq!(figure("at 3,031 GB/s"), Some("3,031 GB/s"));
        assert_eq!(figure("12ms"), Some("12ms"));
        assert_eq!(figure("| kernel | µs | in 2 columns, programs of 5 users |"), None);
        assert_eq!(figure("²us of ×ms"), None);
    }

    #[test]
    fn generated_parts_and_code_may_have_figures() {
        let text = "<!-- figures a: made by it -->\n| 3 µs |\n<!-- end of the figures -->\n```\n4 µs\n```\n    5 µs\n6 µs\n<!-- figures b: made by it -->\n";
        let records = "{\"page\": \"x.md\", \"table\": \"a\", \"row\": []}\n";
        assert_eq!(
            of("x.md", text, records),
            [
                "x.md:8: expected a figure from test/Device/records/figures.jsonl, found \"6 µs\" in the text",
                "x.md:9: expected rows of b in test/Device/records/figures.jsonl, found none",
            ]
        );
    }
}
