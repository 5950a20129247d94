//! `cargo xtask bless`: rewrites inline goldens and generated docs, then shows what changed.

use std::process::Command;

use crate::Outcome;
use layout_support::{process, workspace};

pub(crate) fn run() -> Outcome {
    // Goldens of expect-test are rewritten by the tests themselves. The plugin has none, and runs inside of a host that brings MLIR.
    let packages = ["--workspace", "--exclude", "layout-plugin"];
    process::must(
        workspace::cargo(&["test", "--quiet", "--lib", "--bins"])
            .args(packages)
            .env("UPDATE_EXPECT", "1"),
    )?;
    // Python's stubs, and the page of operations.
    for (package, test, filter) in
        [("layout-python", "stubs", ""), ("layout-algebra", "all", "operations::")]
    {
        process::must(
            workspace::cargo(&["test", "--quiet", "--package", package, "--test", test, filter])
                .env("UPDATE_EXPECT", "1"),
        )?;
    }
    layout_tidy::generate()?;
    process::show(Command::new("git").args(["diff", "--stat"]).current_dir(workspace::root()))
}
