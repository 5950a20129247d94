//! `layout-measure`: counts instructions and resources of compiled kernels, without a GPU.
//!
//! It runs `layout-opt` and `layout-translate`, NVIDIA's assembler and its disassembler as programs, and counts
//! instructions, registers and memory in what they write. `cargo xtask test` calls `addresses` and `kernels`.

mod addresses;
mod candidates;
mod kernels;
mod page;
mod program;
mod sass;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use layout_support::process::Error;
use layout_support::report::Tally;

use tools::Tools;

/// Counts the instructions and resources of compiled kernels, and compiles schedule spaces.
#[derive(Debug, Parser)]
#[command(name = "layout-measure", version, after_help = "Run by `cargo measure COMMAND`.")]
struct Cli {
    /// The folder of `layout-opt` and `layout-translate`; without it, both are built first
    #[arg(long, global = true, value_name = "FOLDER")]
    tools: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count the integer instructions of test/Addresses and of its chains, and compare with what is stored
    Addresses {
        #[command(flatten)]
        stored: Stored,
        /// Count what nvcc makes of the .cu files too, with CUTLASS's headers, and store
        #[arg(long, num_args = 2, value_names = ["NVCC", "INCLUDE"], conflicts_with = "bless")]
        nvcc: Option<Vec<String>>,
    },
    /// Count test/Addresses/Chains only, with and without layout-simplify
    Chains(Stored),
    /// Count which rules of the e-graph fire and pay, in programs and in random terms
    Rules(Stored),
    /// Assemble the kernel of each row of the table of schedules, and check its resources
    Kernels,
    /// Compile the schedule space of some problems, for `layout-run tune`
    Candidates(candidates::Request),
}

#[derive(Debug, Args)]
struct Stored {
    /// Store what is found in place of comparing with it
    #[arg(long)]
    bless: bool,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too; they go to standard output and are no failure.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match run(cli) {
        Ok(good) => ExitCode::from(u8::from(!good)),
        Err(error) => {
            eprintln!("layout-measure: {error}");
            ExitCode::FAILURE
        }
    }
}

/// True when nothing was found fault with.
fn run(cli: Cli) -> Result<bool, Error> {
    let tools = Tools::provide(cli.tools)?;
    // As `cargo test` ends, so that the same code adds it up.
    let counted = |Tally { passed, failed, .. }| {
        println!("test result: {passed} passed; {failed} failed");
        failed == 0
    };
    match cli.command {
        Command::Addresses { stored: Stored { bless: false }, nvcc: None } => {
            addresses::check(&tools).map(counted)
        }
        Command::Addresses { nvcc, .. } => {
            let nvcc = nvcc.as_deref().and_then(|words| words.first().zip(words.get(1)));
            addresses::bless(&tools, nvcc.map(|(nvcc, include)| (nvcc.as_str(), include.as_str())))
                .map(|()| true)
        }
        Command::Chains(Stored { bless: false }) => addresses::chains::check(&tools).map(counted),
        Command::Chains(_) => addresses::chains::bless(&tools).map(|()| true),
        Command::Rules(Stored { bless }) => addresses::rules::run(&tools, bless),
        Command::Kernels => kernels::check(&tools).map(counted),
        Command::Candidates(request) => candidates::run(&tools, &request),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
