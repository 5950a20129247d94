//! The stored counts, `test/Addresses/counts.json`, and the table of them in the suite's README.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use layout_support::process::Error;

use crate::page;
use crate::sass::Count;

/// Ways to compile a kernel: the name in the file, and what it is.
pub(crate) const COMPILERS: [(&str, &str); 6] = [
    ("none", "offsets as defined, no optimiser but ptxas"),
    ("mlir", "the same with MLIR's `canonicalize`, `cse`, `int-range-optimizations`"),
    ("none_llvm", "offsets as defined, and LLVM's O3"),
    ("mlir_llvm", "the same with MLIR's passes, and LLVM's O3"),
    ("ours", "`layout-to-nvvm`, with `layout-simplify`, and LLVM's O3"),
    ("nvcc", "CuTe C++"),
];

/// The greatest geometric mean of ours over another way.
const MAX_MEANS: [(usize, f64); 4] = [(0, 0.6), (1, 0.8), (3, 0.8), (NVCC, 0.9)];

/// Which of [`COMPILERS`] is the one that is compared with the others.
const OURS: usize = 4;
const NVCC: usize = 5;

/// Where the table is in the README.
const MARKS: [&str; 2] =
    ["<!-- counts: written by `cargo measure addresses --bless` -->\n", "<!-- end of counts -->\n"];

/// How nvcc's counts were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) command: String,
    pub(crate) nvcc: String,
    pub(crate) cutlass: String,
    pub(crate) date: String,
}

/// The counts of one kernel, one for each of [`COMPILERS`].
pub(crate) type Row = [Option<Count>; 6];

/// All counts, by file and kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) origin: Origin,
    pub(crate) rows: BTreeMap<(String, String), Row>,
}

impl Figures {
    /// Reads the stored text.
    ///
    /// # Errors
    ///
    /// Text that is not of the form that [`Figures::to_json`] writes.
    pub(crate) fn from_json(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let word = |key: &str| value["nvcc"][key].as_str().unwrap_or_default().to_owned();
        let origin = Origin {
            command: word("command"),
            nvcc: word("nvcc"),
            cutlass: word("cutlass"),
            date: word("date"),
        };
        let mut rows = BTreeMap::new();
        for (file, kernels) in value["kernels"].as_object().into_iter().flatten() {
            for (kernel, counts) in kernels.as_object().into_iter().flatten() {
                let mut row = Row::default();
                for (place, (way, _)) in row.iter_mut().zip(COMPILERS) {
                    let number = |i: usize| counts[way][i].as_u64();
                    *place = match (number(0), number(1)) {
                        (Some(all), Some(in_loops)) => Some(Count { all, in_loops }),
                        _ if counts[way].is_null() => None,
                        _ => {
                            return Err(format!(
                                "{file}/{kernel}: expected two numbers for {way}, found {}",
                                counts[way]
                            ));
                        }
                    };
                }
                rows.insert((file.clone(), kernel.clone()), row);
            }
        }
        Ok(Self { origin, rows })
    }

    /// The text to store: one kernel a line.
    pub(crate) fn to_json(&self) -> String {
        let Origin { command, nvcc, cutlass, date } = &self.origin;
        let origin = serde_json::json!({
            "command": command, "nvcc": nvcc, "cutlass": cutlass, "date": date,
        });
        let kernels = page::by_file(&self.rows, "    ", |row| {
            let counts = COMPILERS.iter().zip(row).filter_map(|((way, _), count)| {
                count.map(|count| format!("\"{way}\": [{}, {}]", count.all, count.in_loops))
            });
            counts.collect::<Vec<_>>().join(", ")
        });
        format!("{{\n  \"nvcc\": {origin},\n  \"kernels\": {{\n{kernels}\n  }}\n}}\n")
    }

    /// The differences from the stored counts, a line each. Counts of `nvcc` that were not made again
    /// are not compared.
    pub(crate) fn differences(&self, stored: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        let show = |count: Option<Count>| {
            count.map_or("nothing".to_owned(), |count| {
                format!("{} ({} in loops)", count.all, count.in_loops)
            })
        };
        for ((file, kernel), row) in &self.rows {
            let old = stored.rows.get(&(file.clone(), kernel.clone())).copied().unwrap_or_default();
            for (((way, _), new), old) in COMPILERS.iter().zip(row).zip(old) {
                if new.is_some() && *new != old {
                    let (old, new) = (show(old), show(*new));
                    lines.push(format!("{file}/{kernel}, {way}: expected {old}, found {new}"));
                }
            }
            if old[NVCC].is_none() && row[NVCC].is_none() {
                lines.push(format!("{file}/{kernel}: expected a count of nvcc, found nothing"));
            }
        }
        for key in stored.rows.keys().filter(|key| !self.rows.contains_key(key)) {
            lines.push(format!("{}/{}: expected a kernel, found none", key.0, key.1));
        }
        lines
    }

    /// Takes nvcc's counts from the stored ones where they were not made again.
    pub(crate) fn completed(mut self, stored: &Self) -> Self {
        if self.origin == Origin::default() {
            self.origin = stored.origin.clone();
        }
        for (key, row) in &mut self.rows {
            if row[NVCC].is_none() {
                row[NVCC] = stored.rows.get(key).and_then(|row| row[NVCC]);
            }
        }
        self
    }

    /// The count of ours for a kernel.
    pub(crate) fn ours(&self, key: &(String, String)) -> Option<u64> {
        self.rows.get(key)?[OURS].map(|count| count.all)
    }

    /// The geometric mean of ours over another way's counts, or `None` if nothing can be compared.
    pub(crate) fn mean(&self, other: usize) -> Option<f64> {
        // An address that needs no instruction counts as one, so that ratios exist.
        page::mean(self.rows.values().filter_map(|row| Some((row[OURS]?.all, row[other]?.all))))
    }

    /// The bars that are missed, a line each.
    pub(crate) fn missed(&self) -> Vec<String> {
        let means = MAX_MEANS.iter().filter_map(|&(way, bar)| {
            let mean = self.mean(way).filter(|&mean| mean > bar)?;
            let name = COMPILERS[way].0;
            Some(format!("expected a mean of at most {bar} of `{name}`, found {mean:.3}"))
        });
        let above = self.above_nvcc().into_iter();
        let above =
            above.map(|kernel| format!("{kernel}: expected no more than nvcc's count, found more"));
        means.chain(above).collect()
    }

    /// Kernels in which ours takes more instructions than nvcc.
    pub(crate) fn above_nvcc(&self) -> Vec<String> {
        let is_above =
            |row: &Row| matches!((row[OURS], row[NVCC]), (Some(a), Some(b)) if a.all > b.all);
        let above = self.rows.iter().filter(|(_, row)| is_above(row));
        above.map(|((file, kernel), _)| format!("{file}/{kernel}")).collect()
    }

    /// The table and what it comes to.
    pub(crate) fn table(&self) -> String {
        let mut text = String::from(
            "| kernel | none | MLIR | none, LLVM | MLIR, LLVM | ours | nvcc |\n|---|--:|--:|--:|--:|--:|--:|\n",
        );
        for ((file, kernel), row) in &self.rows {
            let _ = write!(text, "| {file}/{kernel} |");
            for count in row {
                let _ = match count {
                    None => write!(text, " |"),
                    Some(Count { all, in_loops: 0 }) => write!(text, " {all} |"),
                    Some(Count { all, in_loops }) => write!(text, " {all} ({in_loops}) |"),
                };
            }
            text.push('\n');
        }
        let count = self.rows.len();
        let _ = writeln!(text, "\nGeometric means of ours over the others, {count} kernels:");
        for (i, (way, what)) in COMPILERS.iter().enumerate().filter(|&(i, _)| i != OURS) {
            if let Some(mean) = self.mean(i) {
                let _ = writeln!(text, "- {mean:.3} of `{way}`: {what}");
            }
        }
        let above = self.above_nvcc();
        let count = above.len();
        let names = if above.is_empty() { "none".to_owned() } else { above.join(", ") };
        let _ = writeln!(text, "\nAbove nvcc ({count}): {names}.");
        let Origin { command, nvcc, cutlass, date } = &self.origin;
        let _ = writeln!(text, "\nnvcc {nvcc}, CUTLASS {cutlass}, {date}: `{command}`.");
        text
    }

    /// The README with this table in place of its own.
    ///
    /// # Errors
    ///
    /// A README without the two marks.
    pub(crate) fn in_readme(&self, readme: &str) -> Result<String, Error> {
        page::between(readme, MARKS, &self.table())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(ours: u64) -> Figures {
        let count = |all| Some(Count { all, in_loops: 0 });
        let row = [count(8), count(8), count(7), count(6), count(ours), count(9)];
        let origin = Origin {
            command: "nvcc -cubin FILE.cu".into(),
            nvcc: "13.0.88".into(),
            cutlass: "4.2.0".into(),
            date: "2026-11-21".into(),
        };
        Figures { origin, rows: BTreeMap::from([(("gemm".into(), "copy".into()), row)]) }
    }

    #[test]
    fn stored_counts_are_read_back() {
        let figures = sample(4);
        assert_eq!(Figures::from_json(&figures.to_json()), Ok(figures));
    }

    #[test]
    fn differences_name_kernel_way_and_both_counts() {
        assert!(sample(4).differences(&sample(4)).is_empty());
        assert_eq!(
            sample(5).differences(&sample(4)),
            ["gemm/copy, ours: expected 4 (0 in loops), found 5 (0 in loops)"]
        );
        let mut fewer = sample(4);
        fewer.rows.clear();
        assert_eq!(fewer.differences(&sample(4)), ["gemm/copy: expected a kernel, found none"]);
    }

    #[test]
    fn counts_of_nvcc_are_kept_when_they_are_not_made_again() {
        let mut again = sample(5);
        again.origin = Origin::default();
        again.rows.values_mut().for_each(|row| row[NVCC] = None);
        assert_eq!(again.completed(&sample(4)), sample(5));
    }

    #[test]
    fn means_are_geometric() {
        assert!(sample(4).mean(0).is_some_and(|mean| (mean - 0.5).abs() < 1e-12));
        assert_eq!(sample(10).above_nvcc(), ["gemm/copy"]);
    }

    #[test]
    fn missed_bars_are_reported() {
        assert_eq!(sample(4).missed(), Vec::<String>::new());
        assert_eq!(
            sample(10).missed(),
            [
                "expected a mean of at most 0.6 of `none`, found 1.250",
                "expected a mean of at most 0.8 of `mlir`, found 1.250",
                "expected a mean of at most 0.8 of `mlir_llvm`, found 1.667",
                "expected a mean of at most 0.9 of `nvcc`, found 1.111",
                "gemm/copy: expected no more than nvcc's count, found more",
            ]
        );
    }
}
