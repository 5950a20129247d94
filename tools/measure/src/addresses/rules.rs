//! `cargo measure rules`: which rules of the e-graph fire, and which pay.
//!
//! A rule fires as often as it adds an equation. It pays in a term whose result costs more without it. The terms are
//! those that `layout-simplify` searches in the kernels of `test/Addresses/Chains`, in those of `test/Addresses`, and in the
//! programs of all other tests, which `layout-opt` writes as events; and random ones. A test of the
//! e-graph searches each again without each of the rules that fire in it (`passes/egraph/tests/pays.rs`). Its
//! counts are the page `passes/egraph/RULES.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use layout_support::process::{self, Error};
use layout_support::workspace;

use super::folder;
use crate::page::{read, write};
use crate::tools::Tools;

/// Where rules are counted, and what the page calls it.
const SECTIONS: [&str; 6] =
    ["chains", "addresses", "tests", "random indices", "random layouts", "left sides"];

/// Folders of `test` whose programs are searched besides the kernels that are counted.
const TESTS: [&str; 6] =
    ["Dialect", "Lowering", "Passes", "Pipeline", "Pipeline/Inputs", "Pipeline/Inputs/found"];

/// The text that begins the events of searches.
const EVENT: &str = "search=";

const HEAD: &str = "# What rules are good for

Written by `cargo measure rules --bless`; without `--bless` it is compared. A rule fires as often as it adds an equation (first
number), and pays in a term whose result costs more without it (second number).

- *chains*: the searches of `layout-to-nvvm` in the kernels of `test/Addresses/Chains`, whose layouts are partly static;
- *addresses*: those in the kernels of `test/Addresses`;
- *tests*: those in the programs of all other tests, each search once;
- *random indices*: 500 terms of index arithmetic, 100 of them layouts with open leaves applied to digits, by instructions of sm_90a;
- *random layouts*: 35,000 terms of layouts, by rules alone (`evaluate=false`), by the size of the result;
- *left sides*: 200 terms of the left side of each rule on layouts, by rules alone.

";

/// How often a rule fires, and in how many terms it pays, by place.
type Counts = BTreeMap<String, [(u64, u64); 6]>;

/// Counts, and compares with the page, or stores; true when the page is as it was or is new.
pub(crate) fn run(tools: &Tools, bless: bool) -> Result<bool, Error> {
    let searches = tools.scratch("addresses")?.join("searches.txt");
    write(&searches, &searched(tools)?)?;
    let found = page(&counted(&searches)?);
    let path = workspace::root().join("passes/egraph/RULES.md");
    if bless {
        write(&path, &found)?;
        return Ok(true);
    }
    let stored = read(&path)?;
    for line in found.lines().filter(|line| !stored.lines().any(|other| other == *line)) {
        eprintln!("rules: expected no other line in RULES.md than {line}");
    }
    Ok(found == stored)
}

/// The searches of all programs, a place and a search a line.
fn searched(tools: &Tools) -> Result<String, Error> {
    let test = workspace::root().join("test");
    let mut folders: Vec<(&str, PathBuf)> =
        vec![("chains", folder().join("Chains")), ("addresses", folder())];
    folders.extend(TESTS.iter().map(|name| ("tests", test.join(name))));
    let mut lines = BTreeSet::new();
    for (place, folder) in folders {
        // Tests of the simplifier alone are no kernels.
        let ways: &[&str] = match place {
            "tests" => &["--layout-to-nvvm", "--layout-simplify"],
            _ => &["--layout-to-nvvm"],
        };
        for (file, way) in
            super::sources(&folder)?.iter().flat_map(|file| ways.iter().map(move |way| (file, way)))
        {
            let mut command = tools.opt(&folder.join(format!("{file}.mlir")));
            command.args(["--split-input-file", way]);
            command.args(["--allow-unregistered-dialect", "-o", "/dev/null"]);
            command.env("LAYOUT_LOG", "layout_egraph::searches=trace");
            let output = process::capture(&mut command)?;
            // Tests of errors fail, as they should.
            if !output.success && place != "tests" {
                return Err(format!("{file}: expected searches, found:\n{}", output.stderr));
            }
            let searches = output.stderr.lines().filter_map(|line| line.split_once(EVENT));
            lines.extend(searches.map(|(_, search)| format!("{place}\t{search}\n")));
        }
    }
    Ok(lines.into_iter().collect())
}

/// The counts of the e-graph's own test, and the rules that can be spared.
fn counted(searches: &Path) -> Result<(Counts, Vec<String>), Error> {
    let mut command = Command::new("cargo");
    command.args(["test", "--quiet", "-p", "layout-egraph", "--test", "pays"]);
    command.args(["--", "--ignored", "--nocapture"]).env("LAYOUT_SEARCHES", searches);
    parsed(&process::read(&mut command)?)
}

fn parsed(text: &str) -> Result<(Counts, Vec<String>), Error> {
    let (mut counts, mut spare) = (Counts::new(), Vec::new());
    for line in text.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["rule", name, place, fires, pays] => {
                let at = SECTIONS.iter().position(|&known| known == place);
                if let (Some(at), Ok(fires), Ok(pays)) = (at, fires.parse(), pays.parse()) {
                    counts.entry(name.to_owned()).or_default()[at] = (fires, pays);
                }
            }
            ["spare", name] => spare.push(name.to_owned()),
            _ => {}
        }
    }
    match counts.is_empty() {
        true => Err(format!("expected counts of rules, found:\n{text}")),
        false => Ok((counts, spare)),
    }
}

fn page((counts, spare): &(Counts, Vec<String>)) -> String {
    let mut text = String::from(HEAD);
    text += "| rule |";
    for title in SECTIONS {
        let _ = write!(text, " {title} |");
    }
    text += "\n|---|--:|--:|--:|--:|--:|--:|\n";
    let mut pays = 0;
    for (rule, row) in counts {
        pays += usize::from(row.iter().any(|&(_, pays)| pays > 0));
        let _ = write!(text, "| `{rule}` |");
        for (fires, pays) in row {
            match fires {
                0 => text += " |",
                _ => {
                    let _ = write!(text, " {fires}, {pays} |");
                }
            }
        }
        text.push('\n');
    }
    let _ = writeln!(text, "\n{} rules fire, {pays} pay by themselves.", counts.len());
    if !spare.is_empty() {
        let names: Vec<String> = spare.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(
            text,
            "\nNo result costs more when all of these are left out at once: {}.",
            names.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_and_written() {
        let text =
            "running 1 test\nrule\ta\tchains\t2\t1\nrule\tb\trandom layouts\t3\t0\nspare\tb\n";
        let found = page(&parsed(text).expect("counts"));
        assert!(found.contains("| `a` | 2, 1 | | | | | |\n| `b` | | | | | 3, 0 | |\n"), "{found}");
        assert!(
            found.ends_with(
                "2 rules fire, 1 pay by themselves.\n\nNo result costs more when all of these are left out at \
                 once: `b`.\n"
            ),
            "{found}"
        );
        assert!(parsed("running 0 tests\n").is_err());
    }
}
