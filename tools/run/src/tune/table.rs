//! The rows that a search adds to the table of schedules, which `layout-tile-matmul` reads.

use serde::{Deserialize, Serialize};

/// A problem that was measured, and the schedule that was fastest: the table's own fields and order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) chip: String,
    pub(crate) element: String,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) schedule: String,
    pub(crate) ratio: f64,
    pub(crate) device: String,
    pub(crate) record: String,
    pub(crate) reason: String,
}

impl Row {
    fn problem(&self) -> (&str, &str, usize, usize, usize) {
        (&self.chip, &self.element, self.m, self.n, self.k)
    }
}

/// The rows of a table.
pub(crate) fn rows(text: &str) -> Result<Vec<Row>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The table with new rows: one takes the place of the row of the same problem, or is at the end.
///
/// The first of two new rows of one problem, in different transposes, is kept.
pub(crate) fn merge(old: &str, new: &[Row]) -> Result<String, String> {
    let mut rows = rows(old)?;
    let mut added: Vec<&Row> = Vec::new();
    for row in new {
        if added.iter().any(|other| other.problem() == row.problem()) {
            continue;
        }
        added.push(row);
        match rows.iter_mut().find(|other| other.problem() == row.problem()) {
            Some(other) => other.clone_from(row),
            None => rows.push(row.clone()),
        }
    }
    let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
    let lines = lines.map_err(|error| error.to_string())?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(m: usize, ratio: f64) -> Row {
        Row {
            chip: "sm_90a".into(),
            element: "bf16".into(),
            m,
            n: 8,
            k: 8,
            schedule: "tile = (64,64,64), warps = (4,1), stages = 8".into(),
            ratio,
            device: "a chip".into(),
            record: "a.json".into(),
            reason: "a reason".into(),
        }
    }

    #[test]
    fn a_row_takes_the_place_of_its_problems_row() {
        let one = merge("[]", &[row(8, 1.0), row(16, 0.5), row(8, 0.1)]).unwrap();
        let two = merge(&one, &[row(32, 2.0), row(16, 0.75)]).unwrap();
        assert_eq!(two, merge("[]", &[row(8, 1.0), row(16, 0.75), row(32, 2.0)]).unwrap());
        assert_eq!(two.lines().count(), 5);
    }

    /// The committed table is in the form that is written here: a search changes the lines of its rows.
    #[test]
    fn the_table_of_the_compiler_keeps_its_form() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../passes/transforms/src/schedules.json");
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(merge(&text, &[]).unwrap(), text);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(
            merge("{}", &[]).unwrap_err(),
            "invalid type: map, expected a sequence at line 1 column 0"
        );
    }
}
