//! `layout-oracle`: random programs before and after each pass.

use clap::Parser;
use layout_oracle::{
    defects,
    generate::Mix,
    hunt::{Counts, Finding, Settings, hunt},
};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs random programs before and after each pass and compares each address, byte and result.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Programs in all
    #[arg(long, default_value_t = 1000)]
    programs: u64,
    /// The first program's seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads, each with a part of the programs
    #[arg(long, default_value_t = 1)]
    jobs: u64,
    /// Nearly all programs launch a kernel that layout-verify follows, and that has a fault
    #[arg(long)]
    kernels: bool,
    /// Programs in one module
    #[arg(long, default_value_t = 48)]
    batch: u64,
    /// Every such batch is run natively too; none with 0
    #[arg(long, default_value_t = 8)]
    native: u64,
    /// Rows that each batch is run through, alternately; all with 0
    #[arg(long, default_value_t = 0)]
    rows: usize,
    /// Only this row; may be given several times
    #[arg(long)]
    only: Vec<String>,
    /// Findings after which to stop
    #[arg(long, default_value_t = 1)]
    findings: usize,
    /// Seconds for making one finding smaller
    #[arg(long, default_value_t = 20)]
    shrink: u64,
    /// Seconds after which to stop
    #[arg(long, default_value_t = u64::MAX)]
    seconds: u64,
    /// Prints the programs that the interpreter does not understand
    #[arg(long)]
    show: bool,
    /// Where each job keeps the seed, the programs and the row of the batch that runs
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Where findings are written
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Cargo's profile for reintroduced defects
    #[arg(long, default_value = "release")]
    profile: String,
    /// Leaves a binary for each defect here, named after it, and runs none
    #[arg(long)]
    build_only: Option<PathBuf>,
    /// Puts each defect of `defects/` back whose name contains this, and looks for it in so many programs
    #[arg(long, num_args = 0..=1, default_missing_value = "")]
    defects: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(only) = &arguments.defects {
        return put_back(only, &arguments);
    }
    let begin = Instant::now();
    let jobs = arguments.jobs.max(1);
    let share = arguments.programs.div_ceil(jobs);
    let threads: Vec<_> = (0..jobs)
        .map(|job| {
            let first = job * share;
            let settings = Settings {
                programs: share.min(arguments.programs.saturating_sub(first)),
                seed: arguments.seed + first,
                mix: if arguments.kernels { Mix::Kernels } else { Mix::All },
                batch: arguments.batch.max(1),
                native: arguments.native,
                rows: arguments.rows,
                only: arguments.only.clone(),
                findings: arguments.findings,
                shrink: arguments.shrink,
                seconds: arguments.seconds,
                show: arguments.show,
                trace: arguments.trace.as_ref().map(|path| path.join(job.to_string())),
                ..Settings::default()
            };
            let out = arguments.out.clone();
            std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
                let (mut shown, mut written) = (Instant::now(), 0);
                hunt(&settings, |counts, findings| {
                    for finding in &findings[written..] {
                        write(&out, finding);
                    }
                    written = findings.len();
                    if shown.elapsed() > Duration::from_secs(10) {
                        shown = Instant::now();
                        let rate = counts.programs as f64 / begin.elapsed().as_secs_f64();
                        eprintln!(
                            "job {job}: {} of {} programs, {rate:.0} a second, {} findings",
                            counts.programs,
                            settings.programs,
                            findings.len()
                        );
                    }
                })
            })
        })
        .collect();
    let mut counts = Counts::default();
    let mut findings: Vec<Finding> = Vec::new();
    for thread in threads {
        match thread.map(|thread| thread.join()) {
            Ok(Ok((counted, found))) => {
                counts.add(counted);
                findings.extend(found);
            }
            _ => {
                eprintln!("a thread ended early");
                return ExitCode::from(2);
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{} programs in {seconds:.0} s, {:.0} a second: {} executions, {} comparisons, {} of machine code",
        counts.programs,
        counts.programs as f64 / seconds,
        counts.executions,
        counts.comparisons,
        counts.native
    );
    println!("{} programs launch kernels", counts.launching);
    println!("left out: {} undefined executions, {} too long", counts.undefined, counts.steps);
    for (what, count) in &counts.faulty {
        println!("{count} kernels with {what}");
    }
    for (row, [passes, runs]) in &counts.seconds {
        println!("{row}: {passes:.1} s of passes, {runs:.1} s of executions");
    }
    for (what, count) in &counts.unknown {
        println!("not understood, {count} programs: {what}");
    }
    for (what, count) in &counts.refused {
        println!("refused, {count} programs: {what}");
    }
    println!("{} findings", findings.len());
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A line for each reintroduced defect, with the programs until its first finding.
fn put_back(only: &str, arguments: &Arguments) -> ExitCode {
    let (first, programs) = (arguments.seed, arguments.programs);
    if arguments.build_only.is_none() {
        println!("| defect | row | programs |\n|---|---|---|");
    }
    let settings = defects::Settings {
        only: only.to_owned(),
        seed: first,
        programs,
        profile: arguments.profile.clone(),
        build_only: arguments.build_only.clone(),
    };
    let reported = defects::put_back(&settings, |found| match found.seed {
        Some(seed) => {
            println!("| `{}` | `{}` | {} |", found.defect, found.row, seed - first + 1);
            eprintln!("seed {}", found.what);
        }
        None => println!("| `{}` | `{}` | not in {programs} |", found.defect, found.row),
    });
    match reported {
        Ok(all) if all.iter().all(|found| found.seed.is_some()) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Prints a finding and writes its program.
fn write(out: &Path, finding: &Finding) {
    println!("seed {}: {}: {}", finding.seed, finding.row, finding.what);
    let name = format!("oracle-{}-{}.mlir", finding.seed, finding.row.replace(' ', "-"));
    let path = out.join(name);
    let text = format!("// {}: {}\n{}", finding.row, finding.what, finding.text);
    match std::fs::write(&path, text) {
        Ok(()) => println!("  written to {}", path.display()),
        Err(error) => println!("  {}: {error}\n{}", path.display(), finding.text),
    }
}
