//! `cargo xtask bench`: how long the compiler takes, and the kernels where there is a GPU. With
//! `fold`: how long files of many compositions take.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::Outcome;
use crate::demo::DEMO_GEMM;
use layout_support::{process, workspace};

/// How often each command is run; the median is printed.
const RUNS: usize = 9;

/// The script that compiles the kernels of many shapes.
const KERNELS: &str = "test/Pipeline/Inputs/gemms.py";

/// The script that writes and times files of many compositions.
const COMPOSITIONS: &str = "test/Dialect/Inputs/compositions.py";

/// The script that mutates inputs and runs them.
const MUTANTS: &str = "test/Dialect/Inputs/mutate.py";

/// The optimised driver, in the target folder.
const RELEASE: &str = "release/layout-opt";

/// Exit code of `layout-run` where no CUDA driver can be loaded.
pub(crate) const NO_GPU: i32 = 3;

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    if arguments == ["fold"] {
        return fold();
    }
    let binaries = workspace::build_compiler()?;
    let input = workspace::root().join(DEMO_GEMM);
    let scratch = binaries.join("bench");
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    println!("median wall time of {RUNS} runs, profile dev, {DEMO_GEMM}:");
    let optimise = || {
        let mut command = Command::new(binaries.join("layout-opt"));
        command.arg(&input).arg("--layout-to-nvvm").arg("-o").arg(scratch.join("gemm.nvvm.mlir"));
        command
    };
    let translate = || {
        let mut command = Command::new(binaries.join("layout-translate"));
        command.arg(&input).args(["--pipeline", "--layout-to-ptx"]);
        command.arg("--manifest").arg(scratch.join("gemm.json"));
        command.arg("-o").arg(scratch.join("gemm.ptx"));
        command
    };
    println!("    layout-opt --layout-to-nvvm                {:>8.1} ms", median_ms(&optimise)?);
    println!("    layout-translate --pipeline --layout-to-ptx {:>7.1} ms", median_ms(&translate)?);
    bench_kernels(&binaries, &scratch, arguments)
}

/// Times `layout-opt --canonicalize`, optimised, on files of 1,000 and of 100,000 compositions.
fn fold() -> Outcome {
    process::must(&mut workspace::cargo(&["build", "--release", "--package", "layout-opt"]))?;
    println!("layout-opt --canonicalize, profile release, median of whole processes:");
    let mut command = Command::new("python3");
    command.arg(workspace::root().join(COMPOSITIONS)).arg("time");
    command.arg(workspace::target()?.join(RELEASE)).args(["1000", "100000"]);
    process::show(&mut command)
}

/// Runs mutants of the suites' inputs through `layout-opt`, optimised: no crash, no hang.
pub(crate) fn fuzz(arguments: &[&str]) -> Outcome {
    process::must(&mut workspace::cargo(&["build", "--release", "--package", "layout-opt"]))?;
    let mut command = Command::new("python3");
    command.arg(workspace::root().join(MUTANTS)).arg(workspace::target()?.join(RELEASE));
    command.args(if arguments.is_empty() { &["10000"] } else { arguments });
    process::show(&mut command)
}

/// Compiles the kernels of the GPU suite and times them against cuBLASLt, all in one process.
fn bench_kernels(binaries: &Path, scratch: &Path, arguments: &[&str]) -> Outcome {
    let kernels = scratch.join("kernels");
    let mut path = vec![binaries.to_path_buf()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(path).map_err(|error| format!("PATH: {error}"))?;
    let mut compile = Command::new("python3");
    compile.arg(workspace::root().join(KERNELS)).arg("compile").arg(&kernels).env("PATH", path);
    process::must(&mut compile)?;
    let mut command = Command::new(binaries.join("layout-run"));
    command.arg("bench").arg(&kernels).args(arguments);
    let finished = process::tee(&mut command)?;
    if finished.code == Some(NO_GPU) {
        println!("no GPU on this machine: kernels were not timed");
        return Ok(true);
    }
    Ok(finished.success)
}

fn median_ms(command: &dyn Fn() -> Command) -> Result<f64, process::Error> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let started = Instant::now();
        process::read(&mut command())?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}
