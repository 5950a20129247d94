//! `cargo xtask addresses rules`: which rules of the e-graph fire, and which pay.
//!
//! A rule fires as often as it adds an equation. It pays in a kernel that takes more instructions without it, by
//! the model. Counted over the kernels of `test/Addresses/Chains`, those of `test/Addresses`, and random
//! chains of layouts with open leaves (`passes/egraph/tests/open.rs`). A table of the rules that fire, and the names
//! of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::{folder, model};
use crate::process::{self, Error};
use crate::{Outcome, workspace};

/// Where rules are counted.
const PLACES: [&str; 3] = ["chains", "addresses", "random"];

/// How often a rule fires, and in how many kernels or terms it pays, by place.
type Counts = BTreeMap<String, [(u64, u64); 3]>;

/// Counts, and prints the table.
pub(super) fn run() -> Outcome {
    let binaries = workspace::build_compiler()?;
    let readme = super::read(&workspace::root().join("passes/egraph/README.md"))?;
    let mut counts: Counts = listed(&readme).map(|name| (name, [(0, 0); 3])).collect();
    for (place, folder) in [folder().join("Chains"), folder()].iter().enumerate() {
        for file in super::sources(folder)? {
            count(&binaries, &folder.join(format!("{file}.mlir")), place, &mut counts)?;
        }
    }
    random(&mut counts)?;
    print!("{}", table(&counts));
    Ok(true)
}

/// The rules in the tables of the e-graph's README, of which each row has the rule's two sides.
fn listed(readme: &str) -> impl Iterator<Item = String> {
    let row = |line: &str| {
        let (name, rest) = line.strip_prefix("| `")?.split_once('`')?;
        rest.starts_with(" | `").then(|| name.to_owned())
    };
    readme.lines().filter_map(row)
}

/// The passes of `layout-to-nvvm` that simplify, without a rule, and a count.
fn pipeline(without: &str) -> String {
    format!(
        "--pass-pipeline=builtin.module(layout-simplify{{arithmetic=false without={without}}},layout-fold,\
         layout-lower,canonicalize,cse,layout-simplify{{without={without}}},canonicalize,cse,\
         layout-simplify{{arithmetic=false count=true}})"
    )
}

/// Hundredths of instructions of each kernel of a file, and equations of each rule.
type Found = (BTreeMap<String, u64>, BTreeMap<String, u64>);

fn simplify(binaries: &Path, file: &Path, without: &str) -> Result<Found, Error> {
    let mut command = Command::new(binaries.join("layout-opt"));
    command.arg(file).arg(pipeline(without)).args(["--mlir-pass-statistics", "-o", "/dev/null"]);
    let said = process::capture(&mut command)?;
    if !said.success {
        return Err(format!("{}: expected counts, found:\n{}", file.display(), said.stderr));
    }
    let kernels = model::predictions(&said.stderr)?.into_iter().collect();
    Ok((kernels, equations(&said.stderr)))
}

/// The counters of rules in MLIR's statistics.
fn equations(text: &str) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let counter = line.trim().strip_prefix("(S)").and_then(|rest| rest.split_once("rule: "));
        if let Some((count, rest)) = counter
            && let (Ok(count), Some(name)) =
                (count.trim().parse::<u64>(), rest.split_whitespace().next())
        {
            *found.entry(name.to_owned()).or_default() += count;
        }
    }
    found
}

fn count(binaries: &Path, file: &Path, place: usize, counts: &mut Counts) -> Result<(), Error> {
    let (kernels, rules) = simplify(binaries, file, "none")?;
    for (rule, fires) in rules {
        let entry = &mut counts.entry(rule.clone()).or_default()[place];
        let (without, _) = simplify(binaries, file, &rule)?;
        let is_dearer =
            |(name, cost): &(&String, &u64)| kernels.get(*name).is_some_and(|with| with < *cost);
        let dearer = without.iter().filter(is_dearer).count();
        *entry = (entry.0 + fires, entry.1 + dearer as u64);
    }
    Ok(())
}

/// The same of random terms, as the e-graph's own test counts them.
fn random(counts: &mut Counts) -> Result<(), Error> {
    let mut command = Command::new("cargo");
    command.args(["test", "--quiet", "-p", "layout-egraph", "--test", "open", "rules_that_pay"]);
    let text = process::read(command.args(["--", "--ignored", "--nocapture"]))?;
    for line in text.lines() {
        if let ["rule", name, fires, pays] = line.split_whitespace().collect::<Vec<_>>()[..]
            && let (Ok(fires), Ok(pays)) = (fires.parse(), pays.parse())
        {
            counts.entry(name.to_owned()).or_default()[2] = (fires, pays);
        }
    }
    Ok(())
}

fn table(counts: &Counts) -> String {
    let mut text = String::from("| rule |");
    for place in PLACES {
        let _ = write!(text, " fires: {place} | pays |");
    }
    text += "\n|---|--:|--:|--:|--:|--:|--:|\n";
    let mut never: BTreeSet<&str> = BTreeSet::new();
    let mut pays = 0;
    for (rule, row) in counts {
        if row.iter().all(|&(fires, _)| fires == 0) {
            never.insert(rule);
            continue;
        }
        pays += usize::from(row.iter().any(|&(_, pays)| pays > 0));
        let _ = write!(text, "| `{rule}` |");
        for (fires, pays) in row {
            let _ = write!(text, " {fires} | {pays} |");
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "\n{} rules: {} fire, {pays} pay. {} never fire: {}.",
        counts.len(),
        counts.len() - never.len(),
        never.len(),
        never.into_iter().collect::<Vec<_>>().join(", ")
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_of_the_tables() {
        let text =
            "| trap | here | `t` |\n| `sums` | text |\n| `add-zero` | `(add ?x 0)` | `?x` |\n";
        assert_eq!(listed(text).collect::<Vec<_>>(), ["add-zero"]);
    }

    #[test]
    fn statistics_are_read() {
        let text = "layout-simplify\n  (S)   3 rule: add-zero - equations that the rule added\n  (S) 1 nodes - n\n  (S) 2 rule: add-zero - e\n  (S) 0 rule: sub-self - e\n";
        let found = equations(text);
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("add-zero".to_owned(), 5), ("sub-self".to_owned(), 0)]
        );
    }

    #[test]
    fn rules_that_never_fire_are_named_behind_the_table() {
        let counts: Counts = [
            ("a".to_owned(), [(2, 1), (0, 0), (3, 0)]),
            ("b".to_owned(), [(0, 0); 3]),
            ("c".to_owned(), [(1, 0), (0, 0), (0, 0)]),
        ]
        .into();
        let text = table(&counts);
        assert!(text.contains("| `a` | 2 | 1 | 0 | 0 | 3 | 0 |\n| `c` |"));
        assert!(text.ends_with("3 rules: 2 fire, 1 pay. 1 never fire: b.\n"));
    }
}
