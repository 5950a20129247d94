//! `cargo xtask`: set-up, demo, tests and checks of this repository.
//!
//! Nothing below it needs LLVM, so that it builds on a machine without it and can
//! install what the other crates need.

mod bench;
mod bless;
mod demo;
mod frontends;
mod lit;
mod plugin;
mod test;
mod wheel;

use std::process::ExitCode;

use layout_support::{process, setup};

const USAGE: &str = "\
Usage: cargo xtask COMMAND

Commands:
  setup      install the packages that are missing (changes nothing when all are there)
  demo       compile and run the demo GEMM, and print the result of each stage
  test       everything that CI checks: format, tidy, licences, lints, documentation, Rust tests, packages, wheels, front ends, lit suites
             (with --quick: format, tidy, unit tests, and the short lit suites)
  bless      rewrite the inline goldens of the Rust tests and regenerate generated docs
  plugin     build liblayout_plugin.so for a stock mlir-opt (with --release: optimised)
  wheel      build the Python packages, install each into a fresh virtual environment, and test it there
             (with `algebra` or `mlir`: one of them)
  tidy       floors, file sizes, folder READMEs, stale generated docs, links between pages, words that are not the field's
  bench      time the compiler, and the kernels where there is a GPU
             (with `fold`: files of 1,000 and 100,000 compositions)
  fuzz       10,000 mutants of the suites' inputs through every pass (with COUNT --seed N: others; --seconds N after it: further seeds until N seconds have passed)
";

/// The outcome of a command: `Ok(false)` is a finding that was already reported.
type Outcome = Result<bool, process::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        words if requests_help(words) => {
            print!("{USAGE}");
            Ok(true)
        }
        ["setup"] => setup::run().map(|()| true),
        ["demo"] => demo::run(),
        ["test"] => test::run(),
        ["test", "--quick"] => test::quick(),
        ["bless"] => bless::run(),
        ["plugin", rest @ ..] => plugin::run(rest),
        ["wheel", rest @ ..] => wheel::run(rest),
        ["tidy"] => layout_tidy::run(),
        ["bench", rest @ ..] => bench::run(rest),
        ["fuzz", rest @ ..] => bench::fuzz(rest),
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

/// Whether the usage is printed and no command runs: with `--help` or `-h` after a command, too.
fn requests_help(words: &[&str]) -> bool {
    words == ["help"] || words.iter().any(|word| ["--help", "-h"].contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_of_a_command_is_the_usage() {
        let help: [&[&str]; 5] =
            [&["help"], &["--help"], &["-h"], &["fuzz", "--help"], &["test", "--quick", "-h"]];
        assert!(help.into_iter().all(requests_help));
        let commands: [&[&str]; 4] =
            [&[], &["fuzz"], &["bench", "help"], &["fuzz", "10", "--seed"]];
        assert!(!commands.into_iter().any(requests_help));
    }
}
