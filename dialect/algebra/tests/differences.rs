//! The README's table of deliberate differences from CuTe, row by row.

use layout_algebra::{Error, Term};

/// The README of the crate.
const README: &str = include_str!("../README.md");

/// Rows of the table: the term, and what it is here.
fn rows() -> Vec<(&'static str, &'static str)> {
    let table = README.split("## Where it differs from CuTe").nth(1).expect("the section");
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [term, _, here, _] = cells[..] else { panic!("expected four cells: {row}") };
        (term.trim_matches('`'), here)
    })
    .collect()
}

#[test]
fn every_row_is_true() {
    let rows = rows();
    assert_eq!(rows.len(), 43, "rows that were read");
    for (term, here) in rows {
        let found = Term::parse(term).and_then(|term| term.eval());
        let found = found.map_err(|error| error.cause().clone());
        match (here.strip_prefix("error: "), found) {
            (None, Ok(value)) => assert_eq!(value.to_string(), here.trim_matches('`'), "{term}"),
            (Some(reason), Err(Error::NoComposition { coordinate, expected, .. })) => {
                assert_eq!(reason, format!("expected {expected} at coordinate {coordinate}"));
            }
            (Some(reason), Err(error)) => {
                assert!(error.to_string().contains(reason), "{term}: {error}");
            }
            (_, found) => panic!("{term}: expected {here}, found {found:?}"),
        }
    }
}
