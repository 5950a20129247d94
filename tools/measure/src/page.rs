//! Stored counts: files, tables between two marks of a page, and means.

use std::collections::BTreeMap;
use std::path::Path;

use layout_support::process::Error;

pub(crate) fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// A page with a table in place of the one between two marks.
///
/// # Errors
///
/// A page without the marks.
pub(crate) fn between(page: &str, [begin, end]: [&str; 2], table: &str) -> Result<String, Error> {
    let parts =
        page.split_once(begin).and_then(|(head, rest)| Some((head, rest.split_once(end)?.1)));
    match parts {
        Some((head, tail)) => Ok(format!("{head}{begin}{table}{end}{tail}")),
        None => Err(format!("expected {} and {}", begin.trim_end(), end.trim_end())),
    }
}

/// Rows of JSON by file and kernel as the members of an object, one kernel a line.
pub(crate) fn by_file<Row>(
    rows: &BTreeMap<(String, String), Row>,
    indent: &str,
    row: impl Fn(&Row) -> String,
) -> String {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((file, kernel), found) in rows {
        let line = format!("{indent}  \"{kernel}\": {{{}}}", row(found));
        files.entry(file).or_default().push(line);
    }
    let files: Vec<String> = files
        .iter()
        .map(|(file, lines)| format!("{indent}\"{file}\": {{\n{}\n{indent}}}", lines.join(",\n")))
        .collect();
    files.join(",\n")
}

/// The geometric mean of counts over others; what takes no instruction counts as one. None of none.
pub(crate) fn mean(pairs: impl Iterator<Item = (u64, u64)>) -> Option<f64> {
    let logarithms: Vec<f64> =
        pairs.map(|(a, b)| (a.max(1) as f64 / b.max(1) as f64).ln()).collect();
    let count = logarithms.len() as f64;
    (count > 0.0).then(|| (logarithms.iter().sum::<f64>() / count).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_between_its_marks() {
        let marks = ["<!-- begin -->\n", "<!-- end -->\n"];
        let page = "before\n<!-- begin -->\nold\n<!-- end -->\nafter\n";
        let found = between(page, marks, "new\n").unwrap();
        assert_eq!(found, "before\n<!-- begin -->\nnew\n<!-- end -->\nafter\n");
        assert_eq!(between(&found, marks, "new\n").unwrap(), found);
        assert_eq!(
            between("nothing", marks, "new\n").unwrap_err(),
            "expected <!-- begin --> and <!-- end -->"
        );
    }

    #[test]
    fn means_are_geometric_and_nothing_counts_as_one() {
        let found = mean([(2, 8), (4, 2), (0, 0)].into_iter()).unwrap();
        assert!((found - 0.5_f64.cbrt()).abs() < 1e-12);
        assert_eq!(mean(std::iter::empty()), None);
    }
}
