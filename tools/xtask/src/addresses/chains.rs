//! `cargo xtask addresses chains`: what the e-graph saves where layouts are known in part.
//!
//! The kernels of `test/Addresses/Chains` are chains of layout operations whose extents and strides are
//! arguments. Each is compiled in two ways that differ in one pass: without `layout-simplify`, so that only
//! folds work, and with it. The counts stand in the folder's README, which is compared.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::sass::Count;
use super::{CHIP, assemble, disassemble, folder, read, sources, write};
use crate::process::{self, Error};
use crate::report::Tally;
use crate::{Outcome, ptxas, workspace};

/// The passes of `layout-to-nvvm` for kernels without a matmul, but for `layout-simplify`.
const FOLDED: &str = "--pass-pipeline=builtin.module(layout-fold,layout-lower,\
    gpu.module(canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm,\
    convert-nvvm-to-llvm,reconcile-unrealized-casts,canonicalize,cse),layout-mark-tensor-maps)";

/// The two ways.
const WAYS: [(&str, &str); 2] = [("folded", FOLDED), ("simplified", "--layout-to-nvvm")];

/// Kernels at least.
const KERNELS: usize = 30;

/// What the geometric mean of the ratios, and each of them, may be at most.
const MEAN: f64 = 0.85;
const EACH: f64 = 1.0;

/// Where the table stands in the folder's README.
const BEGIN: &str = "<!-- counts: written by `cargo xtask addresses chains --bless` -->\n";
const END: &str = "<!-- end of counts -->\n";

/// The counts of both ways, by file and kernel.
type Rows = BTreeMap<(String, String), [Count; 2]>;

/// Counts and compares, or stores.
pub(super) fn run(arguments: &[&str]) -> Outcome {
    let binaries = workspace::build_compiler()?;
    match arguments {
        [] => Ok(check(&binaries)?.failed == 0),
        ["--bless"] => {
            let rows = measure(&binaries)?;
            write(&readme(), &in_readme(&read(&readme())?, &rows)?)?;
            print!("{}", table(&rows));
            Ok(true)
        }
        _ => Err(format!(
            "addresses chains: expected nothing or --bless, found `{}`",
            arguments.join(" ")
        )),
    }
}

/// Counts and compares with the table of the README, and with the bars.
pub(super) fn check(binaries: &Path) -> Result<Tally, Error> {
    let rows = measure(binaries)?;
    let stored = read(&readme())?;
    let mut lines = missed(&rows);
    let found = in_readme(&stored, &rows)?;
    let differing = found.lines().filter(|line| !stored.lines().any(|other| other == *line));
    lines.extend(differing.map(|line| format!("expected no other line in the README than {line}")));
    if found != stored {
        lines.push("`cargo xtask addresses chains --bless` stores what was found".to_owned());
    }
    for line in &lines {
        eprintln!("addresses chains: {line}");
    }
    let (kernels, failed) = (rows.len() as u64, lines.len() as u64);
    Ok(Tally { passed: kernels.saturating_sub(failed), failed, without_gpu: 0 })
}

fn measure(binaries: &Path) -> Result<Rows, Error> {
    let (ptxas, disassembler) = (ptxas::provide()?, ptxas::disassembler()?);
    let scratch = binaries.join("addresses/chains");
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut rows = Rows::new();
    for file in sources(&place())? {
        let source = place().join(format!("{file}.mlir"));
        for (way, (name, pipeline)) in WAYS.iter().enumerate() {
            let path = scratch.join(format!("{file}.{name}"));
            let mut command = Command::new(binaries.join("layout-opt"));
            command.arg(&source).arg(pipeline).arg("-o").arg(format!("{}.mlir", path.display()));
            process::read(&mut command)?;
            let cubin = assemble(binaries, &ptxas, &path, CHIP, "3")?;
            for (kernel, count) in disassemble(&disassembler, &cubin)? {
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
    let sum: f64 = rows.values().map(|counts| ratio(counts).ln()).sum();
    (sum / rows.len().max(1) as f64).exp()
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
    for ((file, kernel), counts) in rows.iter().filter(|(_, counts)| ratio(counts) > EACH) {
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

/// The README with this table in the place of its own.
fn in_readme(readme: &str, rows: &Rows) -> Result<String, Error> {
    let parts =
        readme.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    match parts {
        Some((head, tail)) => Ok(format!("{head}{BEGIN}{}{END}{tail}", table(rows))),
        None => Err(format!("expected {} and {}", BEGIN.trim_end(), END.trim_end())),
    }
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
    fn means_are_geometric_and_nothing_counts_as_one() {
        assert!((mean(&sample(&[(8, 2), (2, 4), (0, 0)])) - 0.5_f64.cbrt()).abs() < 1e-12);
    }

    #[test]
    fn missed_bars_are_told() {
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
    fn the_table_stands_in_the_readme() {
        let rows = sample(&[(8, 4)]);
        let text = format!("head\n{BEGIN}old\n{END}tail\n");
        let found = in_readme(&text, &rows).unwrap();
        assert!(found.contains("| file/kernel0 | 8 | 4 | 0.50 |\n"));
        assert!(found.ends_with(&format!("{END}tail\n")));
        assert_eq!(in_readme(&found, &rows).unwrap(), found);
        assert!(in_readme("nothing", &rows).is_err());
    }
}
