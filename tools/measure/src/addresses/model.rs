//! The prediction of the e-graph's cost model for each kernel, beside instructions that were counted on
//! several chips: `test/Addresses/model.json`, and its error in the suite's README.

use std::collections::BTreeMap;
use std::fmt::Write;

use layout_support::process::{self, Error};
use serde_json::Value;

use super::figures::Figures;
use super::{CHIP, counts, files, folder};
use crate::page;
use crate::tools::Tools;

/// The chips on which kernels are counted; the model's weights are the same for all from sm_70 on.
const CHIPS: [&str; 4] = ["sm_80", "sm_89", CHIP, "sm_120a"];

/// The bars of the error: the greatest median of the relative errors, and the least rank correlation.
const MEDIAN: f64 = 0.05;
const CORRELATION: f64 = 0.95;

/// The passes before the one that counts, as in `layout-to-nvvm`.
const COUNTED: &str = "--pass-pipeline=builtin.module(layout-simplify{arithmetic=false},layout-fold,\
    layout-lower,canonicalize,cse,layout-simplify,canonicalize,cse,\
    layout-simplify{arithmetic=false count=true})";

/// Where the table is in the README.
const MARKS: [&str; 2] =
    ["<!-- model: written by `cargo measure addresses --bless` -->\n", "<!-- end of model -->\n"];

/// One kernel: what is predicted, in hundredths of an instruction, and what was counted by chip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    predicted: u64,
    counted: BTreeMap<String, u64>,
}

/// All kernels, by file and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Model {
    rows: BTreeMap<(String, String), Row>,
}

/// How far the predictions are from what a chip takes.
struct Fit {
    median: f64,
    worst: f64,
    kernel: String,
    correlation: f64,
}

/// The predictions of the model today.
pub(super) fn predict(tools: &Tools) -> Result<Model, Error> {
    let mut model = Model::default();
    for file in files()? {
        let mut command = tools.opt(&folder().join(format!("{file}.mlir")));
        let output = process::capture(command.args([COUNTED, "-o", "/dev/null"]))?;
        if !output.success {
            return Err(format!("{file}: expected counts, found:\n{}", output.stderr));
        }
        for (kernel, predicted) in predictions(&output.stderr)? {
            let counted = BTreeMap::new();
            model.rows.insert((file.clone(), kernel), Row { predicted, counted });
        }
    }
    Ok(model)
}

/// Kernels and hundredths of instructions in remarks of the pass.
pub(super) fn predictions(text: &str) -> Result<Vec<(String, u64)>, Error> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((_, rest)) = line.split_once("remark: layout-simplify: @") else { continue };
        let parsed = rest.split_once(" takes ").and_then(|(name, rest)| {
            let (number, _) = rest.split_once(" instructions")?;
            Some((name.to_owned(), number.replace('.', "").parse().ok()?))
        });
        found.push(
            parsed.ok_or_else(|| format!("expected a count of instructions, found `{line}`"))?,
        );
    }
    Ok(found)
}

/// Counts the kernels on every chip but the suite's own.
pub(super) fn count(tools: &Tools) -> Result<Model, Error> {
    let mut model = Model::default();
    let scratch = tools.scratch("addresses")?;
    for file in files()? {
        for chip in CHIPS.into_iter().filter(|&chip| chip != CHIP) {
            let base = scratch.join(format!("{file}.ours"));
            for (kernel, count) in counts(tools, &tools.lowered_to_cubin(&base, chip, "3")?)? {
                let row = model.rows.entry((file.clone(), kernel)).or_default();
                row.counted.insert(chip.to_owned(), count.all);
            }
        }
    }
    Ok(model)
}

impl Model {
    /// Reads the stored text.
    pub(super) fn from_json(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut rows = BTreeMap::new();
        for (file, kernels) in value.as_object().into_iter().flatten() {
            for (kernel, row) in kernels.as_object().into_iter().flatten() {
                let number = |key: &str| {
                    row[key].as_u64().ok_or_else(|| {
                        format!("{file}/{kernel}: expected a number for {key}, found {}", row[key])
                    })
                };
                let mut counted = BTreeMap::new();
                for chip in CHIPS {
                    counted.insert(chip.to_owned(), number(chip)?);
                }
                let predicted = number("predicted")?;
                rows.insert((file.clone(), kernel.clone()), Row { predicted, counted });
            }
        }
        Ok(Self { rows })
    }

    /// The text to store: one kernel a line.
    pub(super) fn to_json(&self) -> String {
        let kernels = page::by_file(&self.rows, "  ", |row| {
            let counted = row.counted.iter().map(|(chip, count)| format!("\"{chip}\": {count}"));
            let predicted = format!("\"predicted\": {}", row.predicted);
            std::iter::once(predicted).chain(counted).collect::<Vec<_>>().join(", ")
        });
        format!("{{\n{kernels}\n}}\n")
    }

    /// With the counts of the suite's chip, and those of the others from elsewhere.
    pub(super) fn completed(mut self, others: &Self, figures: &Figures) -> Self {
        for (key, row) in &mut self.rows {
            if let Some(other) = others.rows.get(key) {
                row.counted.clone_from(&other.counted);
            }
            if let Some(count) = figures.ours(key) {
                row.counted.insert(CHIP.to_owned(), count);
            }
        }
        self
    }

    /// The differences from the stored predictions, a line each.
    pub(super) fn differences(&self, stored: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        for (key, row) in &self.rows {
            let old = stored.rows.get(key).cloned().unwrap_or_default();
            if old != *row {
                let (file, kernel) = key;
                lines.push(format!(
                    "{file}/{kernel}, model: expected {} hundredths beside {:?}, found {} beside {:?}",
                    old.predicted, old.counted, row.predicted, row.counted
                ));
            }
        }
        for (file, kernel) in stored.rows.keys().filter(|key| !self.rows.contains_key(key)) {
            lines.push(format!("{file}/{kernel}, model: expected a prediction, found none"));
        }
        lines
    }

    /// How far the predictions are from a chip's counts, or `None` if nothing was counted.
    fn fit(&self, chip: &str) -> Option<Fit> {
        let pairs: Vec<(String, f64, f64)> = self
            .rows
            .iter()
            .filter_map(|((file, kernel), row)| {
                let counted = *row.counted.get(chip)?;
                Some((format!("{file}/{kernel}"), row.predicted as f64 / 100.0, counted as f64))
            })
            .collect();
        let mut errors: Vec<(f64, &str)> = pairs
            .iter()
            // A kernel without instructions counts as one, so that the relative error is defined.
            .map(|(name, predicted, counted)| {
                ((predicted - counted).abs() / counted.max(1.0), name.as_str())
            })
            .collect();
        errors.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let &(worst, kernel) = errors.last()?;
        let middle = errors.len() / 2;
        let median = match errors.len() % 2 {
            0 => f64::midpoint(errors[middle - 1].0, errors[middle].0),
            _ => errors[middle].0,
        };
        let ranks = |of: &dyn Fn(&(String, f64, f64)) -> f64| {
            ranks(&pairs.iter().map(of).collect::<Vec<f64>>())
        };
        let correlation = correlation(&ranks(&|pair| pair.1), &ranks(&|pair| pair.2));
        Some(Fit { median, worst, kernel: kernel.to_owned(), correlation })
    }

    /// The bars that are missed, a line each.
    pub(super) fn missed(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for chip in CHIPS {
            let Some(Fit { median, correlation, .. }) = self.fit(chip) else {
                lines.push(format!("expected counts of {chip}, found none"));
                continue;
            };
            if median > MEDIAN {
                lines.push(format!(
                    "expected a median error of the model of at most {MEDIAN} on {chip}, found {median:.3}"
                ));
            }
            if correlation < CORRELATION {
                lines.push(format!(
                    "expected a rank correlation of at least {CORRELATION} on {chip}, found {correlation:.3}"
                ));
            }
        }
        lines
    }

    /// The error by chip.
    pub(super) fn table(&self) -> String {
        let mut text = String::from(
            "| chip | median error | worst error | of | rank correlation |\n|---|--:|--:|---|--:|\n",
        );
        for chip in CHIPS {
            if let Some(Fit { median, worst, kernel, correlation }) = self.fit(chip) {
                let (median, worst) = (100.0 * median, 100.0 * worst);
                let _ = writeln!(
                    text,
                    "| {chip} | {median:.1} % | {worst:.0} % | {kernel} | {correlation:.3} |"
                );
            }
        }
        text
    }

    /// The README with this table in place of its own.
    pub(super) fn in_readme(&self, readme: &str) -> Result<String, Error> {
        page::between(readme, MARKS, &self.table())
    }
}

/// The rank of each value; values that are equal share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Pearson's correlation of two lists of one length; 0 where one is constant.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        a.iter().zip(b).map(|(x, y)| of(x - mean_a, y - mean_b)).sum::<f64>()
    };
    let scale = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    if scale > 0.0 { sum(&|x, y| x * y) / scale } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: &[(&str, u64, u64)]) -> Model {
        let row = |&(kernel, predicted, counted): &(&str, u64, u64)| {
            let counted = CHIPS.map(|chip| (chip.to_owned(), counted)).into();
            (("gemm".to_owned(), kernel.to_owned()), Row { predicted, counted })
        };
        Model { rows: rows.iter().map(row).collect() }
    }

    #[test]
    fn stored_models_are_read_back() {
        let model = sample(&[("copy", 401, 4), ("tile", 902, 8)]);
        assert_eq!(Model::from_json(&model.to_json()), Ok(model));
        assert_eq!(
            Model::from_json("{\"gemm\": {\"copy\": {}}}"),
            Err("gemm/copy: expected a number for sm_80, found null".to_owned())
        );
    }

    #[test]
    fn remarks_are_read() {
        let text = "a.mlir:3:1: remark: layout-simplify: @copy takes 6.04 instructions: 2 sums\n  gpu.func";
        assert_eq!(predictions(text), Ok(vec![("copy".to_owned(), 604)]));
        assert!(predictions("remark: layout-simplify: @copy is long").is_err());
    }

    #[test]
    fn errors_are_relative_and_ranks_are_shared() {
        let fit = sample(&[("a", 400, 4), ("b", 900, 6), ("c", 800, 8)]).fit(CHIP).unwrap();
        assert!(fit.median.abs() < 1e-12 && (fit.worst - 0.5).abs() < 1e-12);
        assert_eq!(fit.kernel, "gemm/b");
        assert!((fit.correlation - 0.5).abs() < 1e-12);
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
        assert!((correlation(&[1.0, 2.0], &[2.0, 4.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn missed_bars_are_reported() {
        assert_eq!(sample(&[("a", 400, 4), ("b", 600, 6)]).missed(), Vec::<String>::new());
        let missed = sample(&[("a", 800, 4), ("b", 600, 6)]).missed();
        assert_eq!(missed.len(), 2 * CHIPS.len());
        assert_eq!(
            missed[..2],
            [
                "expected a median error of the model of at most 0.05 on sm_80, found 0.500",
                "expected a rank correlation of at least 0.95 on sm_80, found -1.000",
            ]
        );
    }

    #[test]
    fn differences_report_both() {
        let (new, old) = (sample(&[("a", 500, 4)]), sample(&[("a", 400, 4)]));
        let counted = "{\"sm_120a\": 4, \"sm_80\": 4, \"sm_89\": 4, \"sm_90a\": 4}";
        assert_eq!(
            new.differences(&old),
            [format!(
                "gemm/a, model: expected 400 hundredths beside {counted}, found 500 beside {counted}"
            )]
        );
        assert!(new.differences(&new).is_empty());
    }
}
