//! `cargo measure chains`: the instructions that the e-graph saves where layouts are partly static.
//!
//! The kernels of `test/Addresses/Chains` are chains of layout operations whose extents and strides are
//! arguments. Each is compiled in two ways that differ in one pass: without `layout-simplify`, so that only
//! folds work, and with it. The counts are in the folder's README, which is compared.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use layout_support::process::{self, Error};
use layout_support::report::Tally;

use super::{CHIP, counts, folder, sources};
use crate::page::{self, read, write};
use crate::sass::Count;
use crate::tools::{Tools, with_end};

/// The passes of `layout-to-nvvm` for kernels without a matmul, but for `layout-simplify`.
const FOLDED: &str = "--pass-pipeline=builtin.module(layout-fold,layout-lower,\
    gpu.module(canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm,\
    convert-nvvm-to-llvm,reconcile-unrealized-casts,canonicalize,cse),layout-mark-tensor-maps)";

/// The two ways.
const PIPELINES: [(&str, &str); 2] = [("folded", FOLDED), ("simplified", "--layout-to-nvvm")];

/// Kernels at least.
const KERNELS: usize = 30;

/// The greatest geometric mean of the ratios, and the greatest of each of them.
const MEAN: f64 = 0.85;
const MAX_RATIO: f64 = 1.0;

/// Where the table is in the folder's README.
const MARKS: [&str; 2] =
    ["<!-- counts: written by `cargo measure chains --bless` -->\n", "<!-- end of counts -->\n"];

/// The counts of both ways, by file and kernel.
type Rows = BTreeMap<(String, String), [Count; 2]>;

/// Counts and stores.
pub(crate) fn bless(tools: &Tools) -> Result<(), Error> {
    let rows = measure(tools)?;
    write(&readme(), &page::between(&read(&readme())?, MARKS, &table(&rows))?)?;
    print!("{}", table(&rows));
    Ok(())
}

/// Counts and compares with the table of the README, and with the bars.
pub(crate) fn check(tools: &Tools) -> Result<Tally, Error> {
    let rows = measure(tools)?;
    let stored = read(&readme())?;
    let mut lines = missed(&rows);
    let found = page::between(&stored, MARKS, &table(&rows))?;
    let differing = found.lines().filter(|line| !stored.lines().any(|other| other == *line));
    lines.extend(differing.map(|line| format!("expected no other line in the README than {line}")));
    if found != stored {
        lines.push("`cargo measure chains --bless` stores what was found".to_owned());
    }
    for line in &lines {
        eprintln!("chains: {line}");
    }
    let (kernels, failed) = (rows.len() as u64, lines.len() as u64);
    Ok(Tally { passed: kernels.saturating_sub(failed), failed, without_gpu: 0 })
}

fn measure(tools: &Tools) -> Result<Rows, Error> {
    let scratch = tools.scratch("addresses/chains")?;
    let mut rows = Rows::new();
    for file in sources(&place())? {
        let source = place().join(format!("{file}.mlir"));
        for (way, (name, pipeline)) in PIPELINES.iter().enumerate() {
            let path = scratch.join(format!("{file}.{name}"));
            let lowered = with_end(&path, "mlir");
            process::read(tools.opt(&source).arg(pipeline).arg("-o").arg(&lowered))?;
            let cubin = tools.lowered_to_cubin(&path, CHIP, "3")?;
            for (kernel, count) in counts(tools, &cubin)? {
                rows.entry((file.clone(), kernel)).or_default()[way] = count;
            }
        }
    }
    Ok(rows)
}

fn place() -> PathBuf {
    folder().join("Chains")
}

fn readme() -> PathBuf {
    place().join("README.md")
}

/// The second way's count over the first's; what takes no instruction counts as one.
fn ratio([folded, simplified]: &[Count; 2]) -> f64 {
    simplified.all.max(1) as f64 / folded.all.max(1) as f64
}

/// The geometric mean of the ratios; 1 of none.
fn mean(rows: &Rows) -> f64 {
    page::mean(rows.values().map(|[folded, simplified]| (simplified.all, folded.all)))
        .unwrap_or(1.0)
}

/// The bars that are missed, a line each.
fn missed(rows: &Rows) -> Vec<String> {
    let mut lines = Vec::new();
    if rows.len() < KERNELS {
        lines.push(format!("expected at least {KERNELS} kernels, found {}", rows.len()));
    }
    if mean(rows) > MEAN {
        lines.push(format!("expected a mean of at most {MEAN}, found {:.3}", mean(rows)));
    }
    for ((file, kernel), counts) in rows.iter().filter(|(_, counts)| ratio(counts) > MAX_RATIO) {
        let [folded, simplified] = counts.map(|count| count.all);
        lines.push(format!("{file}/{kernel}: expected at most {folded}, found {simplified}"));
    }
    lines
}

fn table(rows: &Rows) -> String {
    let mut text = String::from("| kernel | folded | simplified | ratio |\n|---|--:|--:|--:|\n");
    for ((file, kernel), counts) in rows {
        let [folded, simplified] = counts.map(|count| count.all);
        let _ =
            writeln!(text, "| {file}/{kernel} | {folded} | {simplified} | {:.2} |", ratio(counts));
    }
    let above = rows.values().filter(|counts| ratio(counts) > 1.0).count();
    let _ = writeln!(
        text,
        "\nGeometric mean of the ratios, {} kernels: {:.3}. Above 1: {above}.",
        rows.len(),
        mean(rows)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(counts: &[(u64, u64)]) -> Rows {
        let count = |all| Count { all, in_loops: 0 };
        let row = |(i, &(a, b)): (usize, &(u64, u64))| {
            (("file".to_owned(), format!("kernel{i}")), [count(a), count(b)])
        };
        counts.iter().enumerate().map(row).collect()
    }

    #[test]
    fn missed_bars_are_reported() {
        let mut counts = [(8, 6); KERNELS];
        assert_eq!(missed(&sample(&counts)), Vec::<String>::new());
        counts[1] = (8, 9);
        assert_eq!(missed(&sample(&counts)), ["file/kernel1: expected at most 8, found 9"]);
        assert_eq!(
            missed(&sample(&[(8, 7)])),
            [
                "expected at least 30 kernels, found 1",
                "expected a mean of at most 0.85, found 0.875"
            ]
        );
    }

    #[test]
    fn the_table_has_a_row_a_kernel_and_the_mean() {
        let found = table(&sample(&[(8, 4), (4, 8)]));
        assert!(found.contains("| file/kernel0 | 8 | 4 | 0.50 |\n"), "{found}");
        assert!(
            found.ends_with("Geometric mean of the ratios, 2 kernels: 1.000. Above 1: 1.\n"),
            "{found}"
        );
    }
}
