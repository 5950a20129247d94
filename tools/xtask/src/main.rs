//! `cargo xtask`: set-up, demo, tests and checks of this repository.
//!
//! Imports none of the repository's own crates, so that it builds on a machine without LLVM and can
//! install what the other crates need.

mod addresses;
mod bench;
mod bless;
mod candidates;
mod demo;
mod kernels;
mod lit;
mod plugin;
mod process;
mod ptxas;
mod report;
mod rooms;
mod setup;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

Commands:
  setup      install the packages that are missing (changes nothing when all are there)
  demo       compile and run the demo GEMM, saying what each stage did
  test       everything that CI checks: format, lints, Rust tests, lit suites, tidy
  bless      rewrite the inline goldens of the Rust tests and regenerate generated docs
  plugin     build liblayout_plugin.so for a stock mlir-opt (with --release: optimised)
  tidy       floors, file sizes, folder READMEs, stale generated docs
  addresses  count the integer instructions of test/Addresses and compare with what is stored
             (with --bless: store them; with --nvcc NVCC INCLUDE: nvcc's too;
             with `chains`: test/Addresses/Chains only, with and without layout-simplify;
             with `rules`: which rules fire and pay, in both and in random terms)
  bench      time the compiler, and the kernels where there is a GPU
             (with `fold`: files of 1,000 and 100,000 compositions)
  fuzz       10,000 mutants of the suites' inputs through every pass (with COUNT --seed N: others; --seconds N behind it: for so long)
  kernels    assemble the kernel of each row of the table of schedules, and check its resources
  candidates FOLDER SHAPE…
             compile the schedule space of some problems, for `layout-run tune`
";

/// What a command ends with: `Ok(false)` is a finding that was already reported.
type Outcome = Result<bool, process::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["setup"] => setup::run().map(|()| true),
        ["demo"] => demo::run(),
        ["test"] => test::run(),
        ["bless"] => bless::run(),
        ["plugin", rest @ ..] => plugin::run(rest),
        ["tidy"] => tidy::run(),
        ["addresses", rest @ ..] => addresses::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["fuzz", rest @ ..] => bench::fuzz(rest),
        ["kernels"] => kernels::run(),
        ["candidates", rest @ ..] => candidates::run(rest),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(true)
        }
        [] => {
            eprint!("xtask: expected a command, found none\n\n{USAGE}");
            Ok(false)
        }
        other => {
            eprint!(
                "xtask: expected one of the commands below, found `{}`\n\n{USAGE}",
                other.join(" ")
            );
            Ok(false)
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
