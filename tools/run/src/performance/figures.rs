//! Tables of measured figures on pages other than that of GEMMs: a line of the file of figures is a row of one table on one
//! page, which has the table between two comments.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde::Deserialize;

/// The mark after a table.
const END: &str = "<!-- end of the figures -->\n";

/// A row of a table, and how it was measured.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    /// The page, from the repository's root.
    pub(super) page: String,
    /// The name of the table.
    pub(super) table: String,
    date: String,
    commit: Option<String>,
    device: String,
    driver: Option<String>,
    command: Option<String>,
    note: Option<String>,
    /// Columns, each with the value of this row.
    row: Vec<(String, Cell)>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Cell {
    Number(f64),
    Text(String),
    Missing(()),
}

/// The figures of a file: a line of JSON each. The error names the line.
pub(super) fn read(text: &str) -> Result<Vec<Figure>, String> {
    let mut figures: Vec<Figure> = Vec::new();
    for (line, own) in (1..).zip(text.lines()) {
        let figure: Figure =
            serde_json::from_str(own).map_err(|error| format!("line {line}: {error}"))?;
        let names = |figure: &Figure| -> Vec<String> {
            figure.row.iter().map(|(name, _)| name.clone()).collect()
        };
        let same = |other: &&Figure| other.page == figure.page && other.table == figure.table;
        if let Some(first) = figures.iter().find(same)
            && names(first) != names(&figure)
        {
            let (expected, found) = (names(first).join(", "), names(&figure).join(", "));
            return Err(format!("line {line}: expected the columns {expected}, found {found}"));
        }
        figures.push(figure);
    }
    Ok(figures)
}

/// The pages that show figures.
pub(super) fn pages(figures: &[Figure]) -> BTreeSet<&str> {
    figures.iter().map(|figure| figure.page.as_str()).collect()
}

/// A page with its tables as they are in the figures. The error names what its text does not have.
pub(super) fn replaced(page: &str, text: &str, figures: &[Figure]) -> Result<String, String> {
    let mut text = text.to_owned();
    let own: Vec<&Figure> = figures.iter().filter(|figure| figure.page == page).collect();
    let names: BTreeSet<&str> = own.iter().map(|figure| figure.table.as_str()).collect();
    for name in names {
        let begin = begin(name);
        let rows: Vec<&Figure> = own.iter().copied().filter(|row| row.table == name).collect();
        let parts = text.split_once(&begin).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(END)?;
            Some(format!("{before}{begin}{}{END}{after}", table(&rows)))
        });
        text = parts.ok_or_else(|| {
            format!("expected the comments around the figures {name}, found none or one")
        })?;
    }
    Ok(text)
}

/// The mark in front of a table.
fn begin(name: &str) -> String {
    format!("<!-- figures {name}: made by `layout-run performance`; do not edit -->\n")
}

/// A table, and under it where its rows were measured. Rows of several runs have the number of theirs in a last column.
fn table(rows: &[&Figure]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut sources: Vec<String> = Vec::new();
    for source in rows.iter().map(|row| source(row)) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let one_run = sources.len() == 1;
    let mut text = String::new();
    let line = |text: &mut String, mut cells: Vec<String>, run: &str| {
        if !one_run {
            cells.push(run.to_owned());
        }
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    line(&mut text, first.row.iter().map(|(name, _)| name.clone()).collect(), "run");
    let is_number = |column: usize| {
        rows.iter().all(|row| !matches!(row.row[column].1, Cell::Text(_)))
            && rows.iter().any(|row| matches!(row.row[column].1, Cell::Number(_)))
    };
    let columns = 0..first.row.len();
    let rule = columns.clone().map(|column| if is_number(column) { "--:" } else { "---" });
    let run = if one_run { "" } else { "--:|" };
    let _ = writeln!(text, "|{}|{run}", rule.collect::<Vec<_>>().join("|"));
    let digits: Vec<usize> = columns.clone().map(|column| digits(rows, column)).collect();
    for row in rows {
        let cell = |column: usize| match &row.row[column].1 {
            Cell::Number(number) => grouped(*number, digits[column]),
            Cell::Text(text) => text.clone(),
            Cell::Missing(()) => String::new(),
        };
        let run = sources.iter().position(|other| *other == source(row)).map_or(0, |run| run + 1);
        line(&mut text, columns.clone().map(cell).collect(), &run.to_string());
    }
    let _ = match one_run {
        true => write!(text, "\nMeasured {}\n", sources[0]),
        false => (1..)
            .zip(&sources)
            .try_for_each(|(run, source)| write!(text, "\nRun {run}: measured {source}\n")),
    };
    text
}

/// The most digits after the point that a number of a column has.
fn digits(rows: &[&Figure], column: usize) -> usize {
    let of = |row: &&Figure| match &row.row[column].1 {
        Cell::Number(number) => {
            number.to_string().split_once('.').map_or(0, |(_, after)| after.len())
        }
        _ => 0,
    };
    rows.iter().map(of).max().unwrap_or(0)
}

/// A number with commas between thousands.
fn grouped(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let (whole, fraction) = text.split_once('.').map_or((&*text, None), |(a, b)| (a, Some(b)));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
    let mut all = String::from(sign);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            all.push(',');
        }
        all.push(digit);
    }
    if let Some(fraction) = fraction {
        let _ = write!(all, ".{fraction}");
    }
    all
}

/// Where a row was measured, as the end of a sentence, and what is noted of it.
fn source(figure: &Figure) -> String {
    let Figure { date, commit, device, driver, command, note, .. } = figure;
    let mut text = format!("on {device}");
    if let Some(driver) = driver {
        let _ = write!(text, ", driver {driver}");
    }
    let _ = write!(text, ", {date}");
    if let Some(commit) = commit {
        let _ = write!(text, ", {commit}");
    }
    if let Some(command) = command {
        let _ = write!(text, ", by `{command}`");
    }
    text.push('.');
    if let Some(note) = note {
        let _ = write!(text, " {note}.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kernel: &str, time: &str) -> String {
        format!(
            r#"{{"page":"a.md","table":"k","date":"2026-11-26","commit":null,"device":"an H200","driver":"580","command":"layout-run bench","note":null,"row":[["kernel","{kernel}"],["µs",{time}],["peer",null]]}}"#
        )
    }

    #[test]
    fn a_table_is_written_between_its_comments() {
        let figures =
            read(&[line("softmax", "1234.5"), line("norm", "20")].join("\n")).expect("figures");
        assert_eq!(pages(&figures).into_iter().collect::<Vec<_>>(), ["a.md"]);
        let page = format!("before\n{}old\n{END}after\n", begin("k"));
        let expected = format!(
            "before\n{}| kernel | µs | peer |\n|---|--:|---|\n| softmax | 1,234.5 |  |\n| norm | 20.0 |  |\n\n\
             Measured on an H200, driver 580, 2026-11-26, by `layout-run bench`.\n{END}after\n",
            begin("k")
        );
        assert_eq!(replaced("a.md", &page, &figures), Ok(expected));
        assert_eq!(
            replaced("a.md", "no table\n", &figures),
            Err("expected the comments around the figures k, found none or one".into())
        );
    }

    #[test]
    fn rows_of_several_runs_name_theirs() {
        let other = line("norm", "20").replace("an H200", "an H100");
        let figures = read(&[line("softmax", "1"), other].join("\n")).expect("figures");
        let page = format!("{}{END}", begin("k"));
        let expected = format!(
            "{}| kernel | µs | peer | run |\n|---|--:|---|--:|\n| softmax | 1 |  | 1 |\n| norm | 20 |  | 2 |\n\n\
             Run 1: measured on an H200, driver 580, 2026-11-26, by `layout-run bench`.\n\n\
             Run 2: measured on an H100, driver 580, 2026-11-26, by `layout-run bench`.\n{END}",
            begin("k")
        );
        assert_eq!(replaced("a.md", &page, &figures), Ok(expected));
    }

    #[test]
    fn rows_of_one_table_have_the_same_columns() {
        let other = line("norm", "20").replace("µs", "ms");
        assert_eq!(
            read(&[line("softmax", "1"), other].join("\n")),
            Err("line 2: expected the columns kernel, µs, peer, found kernel, ms, peer".into())
        );
        let error = read(r#"{"page":"a.md"}"#).expect_err("fields are missing");
        assert!(error.starts_with("line 1: missing field `table`"), "{error}");
    }
}
