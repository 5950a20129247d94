//! `layout-run`: runs, checks and times compiled layout kernels on a GPU.
//!
//! Exit codes: 0 on success, 1 for a failed check or bad input, 3 where there is no GPU.

mod bench;
mod check;
mod fit;
mod inputs;
mod performance;
mod plot;
mod program;
mod record;
mod referenced;
mod tune;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Parser, Subcommand};
use layout_runtime::Error;
use layout_runtime::chosen::{Choice, Grid};
use layout_runtime::driver::Gpu;
use layout_runtime::flush::Left;

use record::Recording;

/// Exit code where no CUDA driver with a device can be opened.
const NO_GPU: u8 = 3;

const CHECK_EXAMPLES: &str = "\
Examples:
  layout-run check gemm.ptx --size m=1,7,16
  layout-run check softmax.ptx softmax.json      the reference is computed by softmax.so beside them";

const BENCH_EXAMPLES: &str = "\
Examples:
  layout-run bench gemm.ptx --json gemm.json
  layout-run bench reduce.ptx --size n=100000003";

const PROGRAM_EXAMPLES: &str = "\
Examples:
  layout-run program mlp.ptx --repetitions 100
  layout-run program gpt.cubin --arguments inputs --results outputs --size arg0_1=64";

/// Runs, checks and times compiled layout kernels.
#[derive(Debug, Parser)]
#[command(
    name = "layout-run",
    version,
    after_help = "Exit codes: 0 success, 1 failed check or bad input, 3 no GPU."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the GPU that the other commands use
    Device,
    /// Run each kernel of PTX files on random data and compare with a float64 reference
    #[command(after_help = CHECK_EXAMPLES)]
    Check {
        /// Folders, or PTX files as `layout-translate --layout-to-ptx` writes them, each optionally followed by its
        /// manifest, which by default has the same name ending in .json
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        sizes: Sizes,
        #[command(flatten)]
        common: Common,
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        recording: Recording,
    },
    /// Check and time kernels: matmuls interleaved with cuBLASLt when that can be opened, others with a device copy of the same number
    /// of bytes
    #[command(after_help = BENCH_EXAMPLES)]
    Bench {
        /// Folders, or PTX files, each optionally followed by its manifest
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        sizes: Sizes,
        #[command(flatten)]
        common: Common,
        /// Write the results to this file as JSON
        #[arg(long)]
        json: Option<PathBuf>,
        /// Draw the ratios to cuBLASLt into this file
        #[arg(long)]
        svg: Option<PathBuf>,
        #[command(flatten)]
        recording: Recording,
        /// Repetitions of each kernel; by default by its time
        #[arg(long)]
        repetitions: Option<usize>,
        /// A libcublasLt, or the folder that holds it
        #[arg(long)]
        cublas_path: Option<PathBuf>,
        /// Flush the L2 cache by reading, so that no launch has to have lines written back
        #[arg(long)]
        flush_by_reading: bool,
    },
    /// Run a program, a function of a model as `layout-compile` writes it, and time it
    #[command(after_help = PROGRAM_EXAMPLES)]
    Program {
        /// PTX or a cubin
        code: PathBuf,
        /// Its manifest; by default of the same name ending in .json
        manifest: Option<PathBuf>,
        /// The program, where there are several
        #[arg(long)]
        name: Option<String>,
        /// A size that is known at run time, and its value; may be given again
        #[arg(long = "size", value_name = "NAME=VALUE")]
        sizes: Vec<Choice>,
        /// A folder with a file of raw elements for each argument, in the order of their names; random ones by default
        #[arg(long, value_name = "FOLDER")]
        arguments: Option<PathBuf>,
        /// Write each result to a file of raw elements in this folder
        #[arg(long, value_name = "FOLDER")]
        results: Option<PathBuf>,
        /// How often it is timed, as launches and as a CUDA graph
        #[arg(long, default_value_t = 0)]
        repetitions: usize,
        #[command(flatten)]
        common: Common,
    },
    /// Find the fastest schedule of each problem among compiled candidates, interleaved with cuBLASLt
    Tune {
        /// The folder that `cargo measure candidates` made
        folder: PathBuf,
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        recording: Recording,
        /// Put the winners into this table of schedules, whose rows name the run of the records
        #[arg(long, requires = "path")]
        table: Option<PathBuf>,
        /// Where measurements are kept, so that a run that was killed continues; by default in FOLDER
        #[arg(long)]
        journal: Option<PathBuf>,
        /// A libcublasLt, or the folder that holds it
        #[arg(long)]
        cublas_path: Option<PathBuf>,
    },
    /// Draw the ratio to cuBLASLt over shape, from lines that `--record` wrote
    Plot {
        /// Files of records
        #[arg(required = true)]
        records: Vec<PathBuf>,
        /// Only the lines of this run
        #[arg(long, value_name = "NAME")]
        run: Option<String>,
        /// Draw a dashed line at this ratio; may be given again
        #[arg(long = "bar", value_name = "RATIO", value_parser = ratio)]
        bars: Vec<f64>,
        /// Where to write the SVG; by default standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Fit the cost model of a chip to records, and report the loss of its choice on problems that were left out
    Fit {
        /// A file of records
        #[arg(default_value = "test/Device/records/h200.jsonl")]
        records: PathBuf,
        /// The chip: one of passes/schedule/devices
        #[arg(long, default_value = "sm_90a")]
        chip: String,
        /// Only the lines of this run; may be given again
        #[arg(long = "run", value_name = "NAME", default_values = fit::RUNS)]
        runs: Vec<String>,
        /// Seed of the search
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Write the chip's description with the fitted constants to this file
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Write what was measured: PERFORMANCE.md and its pictures, the table of the front page, and the tables of figures on other pages
    Performance {
        /// A file of records
        #[arg(default_value = "test/Device/records/h200.jsonl")]
        records: PathBuf,
        /// The table of schedules, whose rows are listed apart
        #[arg(long, default_value = "passes/transforms/src/schedules.json")]
        table: PathBuf,
        /// The rows of tables on other pages
        #[arg(long, default_value = "test/Device/records/figures.jsonl")]
        figures: PathBuf,
        /// The folder of PERFORMANCE.md
        #[arg(short, long, default_value = "test/Device")]
        output: PathBuf,
        /// The folder from which figures name their pages; its README.md has the table of the front page
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
}

/// A ratio that a line can be drawn at.
fn ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if (0.01..=100.0).contains(&ratio) => Ok(ratio),
        _ => Err(format!("expected a ratio from 0.01 to 100, found {text}")),
    }
}

#[derive(Debug, Args)]
struct Sizes {
    /// A size that kernels take at run time, and its value, or several to run each: `m=1,7,16`; may be given again
    #[arg(long = "size", value_name = "NAME=VALUE")]
    choices: Vec<Choice>,
    /// Blocks in x, y and z of kernels without a grid in their manifest
    #[arg(long, value_name = "X,Y,Z")]
    grid: Option<Grid>,
}

#[derive(Debug, Args)]
struct Common {
    /// Seed of the random data; fresh each run by default, and printed
    #[arg(long)]
    seed: Option<u64>,
}

impl Common {
    fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            // 32 bits are enough, and short enough to be typed again.
            u64::from(now.subsec_nanos()) ^ (now.as_secs() & 0xFFFF_FFFF)
        })
    }
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
    match run(&cli.command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("layout-run: {error}");
            if matches!(error, Error::NoGpu(_)) {
                ExitCode::from(NO_GPU)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn run(command: &Command) -> layout_runtime::Result<bool> {
    match command {
        Command::Device => {
            let gpu = Gpu::open()?;
            println!("{}", describe(&gpu));
            Ok(true)
        }
        Command::Check { paths, sizes, common, json, recording } => {
            let inputs = inputs::collect(paths, &sizes.choices, sizes.grid)?;
            check::run(&Gpu::open()?, &inputs, common.seed(), *json, recording)
        }
        Command::Bench {
            paths,
            sizes,
            common,
            json,
            svg,
            recording,
            repetitions,
            cublas_path,
            flush_by_reading,
        } => {
            let inputs = inputs::collect(paths, &sizes.choices, sizes.grid)?;
            let options = bench::Options {
                seed: common.seed(),
                repetitions: *repetitions,
                cublas: cublas_path.as_deref(),
                json: json.as_deref(),
                recording,
                left: if *flush_by_reading { Left::Read } else { Left::Written },
            };
            let (good, records) = bench::run(&Gpu::open()?, &inputs, &options)?;
            if let Some(svg) = svg {
                plot::write(&records, "bench", &[], Some(svg))?;
            }
            Ok(good)
        }
        Command::Program {
            code,
            manifest,
            name,
            sizes,
            arguments,
            results,
            repetitions,
            common,
        } => program::run(&program::Options {
            code,
            manifest: manifest.as_deref(),
            name: name.as_deref(),
            sizes,
            arguments: arguments.as_deref(),
            results: results.as_deref(),
            repetitions: *repetitions,
            seed: common.seed(),
        }),
        Command::Tune { folder, common, recording, table, journal, cublas_path } => {
            let default_journal = tune::journal_in(folder);
            let options = tune::Options {
                seed: common.seed(),
                cublas: cublas_path.as_deref(),
                journal: journal.as_deref().unwrap_or(&default_journal),
                recording,
                table: table.as_deref(),
            };
            tune::run(folder, &options)
        }
        Command::Plot { records, run, bars, output } => {
            plot::run(records, run.as_deref(), bars, output.as_deref()).map(|()| true)
        }
        Command::Fit { records, chip, runs, seed, write } => {
            let options =
                fit::Options { records, chip, runs, seed: *seed, write: write.as_deref() };
            fit::run(&options).map(|()| true)
        }
        Command::Performance { records, table, figures, output, root } => {
            performance::run(records, table, figures, output, root).map(|()| true)
        }
    }
}

/// One line about the device.
fn describe(gpu: &Gpu) -> String {
    format!(
        "{}, compute capability {}.{}, driver for CUDA {}.{}, {} MiB of L2",
        gpu.name,
        gpu.capability.0,
        gpu.capability.1,
        gpu.driver_version / 1000,
        gpu.driver_version % 1000 / 10,
        gpu.l2_bytes >> 20
    )
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
