//! The table of the repository's front page: a row for each table of the page of measured times.

use std::fmt::Write;

use layout_runtime::record::Record;

use super::{PAGE, Section, is_aligned, means_of};

/// The marks around the table.
const MARKS: (&str, &str) =
    ("<!-- made by `layout-run performance`; do not edit -->\n", "<!-- end of the table -->\n");

/// The error of a front page without the marks.
pub(super) const EXPECTED: &str = "expected the two comments around the table of times, found none";

/// The page with another table between its marks, or `None` if it has no marks.
pub(super) fn replaced(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(MARKS.0)?;
    let (_, after) = rest.split_once(MARKS.1)?;
    Some(format!("{before}{}{table}{}{after}", MARKS.0, MARKS.1))
}

/// A row for each section: its peer, problems, the geometric mean of their ratios, the same where rows are multiples of 16 bytes, how many are
/// below 0.95, and the least.
pub(super) fn table(sections: &[Section<'_>]) -> String {
    let mut text = String::from(
        "| GEMM on an H200 | peer | problems | speed / peer, geometric mean | the same, aligned rows | below 0.95 | least |\n\
         |---|---|--:|--:|--:|--:|---|\n",
    );
    for Section { title, records, peer, .. } in sections {
        let Some(means) = means_of(records) else { continue };
        let aligned: Vec<&Record> =
            records.iter().copied().filter(|record| is_aligned(record)).collect();
        let of_aligned = means_of(&aligned).map_or_else(
            || "–".to_owned(),
            |means| format!("{:.2} ({})", means.mean, aligned.len()),
        );
        let _ = writeln!(
            text,
            "| [{title}](test/Device/{PAGE}#{}) | {peer} | {} | **{:.2}** | {of_aligned} | {} | {:.2} ({}) |",
            anchor(title),
            records.len(),
            means.mean,
            means.below,
            means.least,
            short(&means.at)
        );
    }
    text
}

/// The extents of a problem, of a group of many only the first.
fn short(extents: &str) -> String {
    match extents.split_once(", ") {
        Some((first, others)) => format!("{first} and {} others", others.split(", ").count()),
        None => extents.to_owned(),
    }
}

/// The anchor that a heading has.
fn anchor(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    title.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        let page = format!("a\n{}old\n{}b\n", MARKS.0, MARKS.1);
        let found = replaced(&page, "new\n");
        assert_eq!(found, Some(format!("a\n{}new\n{}b\n", MARKS.0, MARKS.1)));
        assert_eq!(replaced("a\n", "new\n"), None);
        assert_eq!(short("group of 8×8×8, 9×8×8"), "group of 8×8×8 and 1 others");
        assert_eq!(anchor("`mma.sync`"), "mmasync");
        assert_eq!(anchor("Untuned shapes"), "untuned-shapes");
    }
}
