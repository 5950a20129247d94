//! `layout-run bench`: how fast is the kernel, beside cuBLASLt in the same run?

use std::path::Path;

use layout_runtime::cublas::Library;
use layout_runtime::driver::Gpu;
use layout_runtime::flush::Left;
use layout_runtime::manifest::Gemm;
use layout_runtime::matmul::{Baseline, Case, Times, Timing, Verdict};
use layout_runtime::record::{Check, Outcome, Peer, Record};
use layout_runtime::{Error, Result};
use serde_json::{Value, json};

use crate::check;
use crate::inputs::Input;
use crate::record::{self, Recording};
use crate::referenced;

/// The user's options.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    pub(crate) seed: u64,
    pub(crate) repetitions: Option<usize>,
    pub(crate) cublas: Option<&'a Path>,
    pub(crate) json: Option<&'a Path>,
    pub(crate) recording: &'a Recording,
    pub(crate) left: Left,
}

/// Checks and times every kernel, prints a table, writes JSON and lines; true when all are right, and the lines.
pub(crate) fn run(
    gpu: &Gpu,
    inputs: &[Input],
    options: &Options<'_>,
) -> Result<(bool, Vec<Record>)> {
    let this =
        Record { level_2_cache: Some(options.left), ..options.recording.begin(gpu, options.seed) };
    let mut records = Vec::new();
    println!("{}", crate::describe(gpu));
    let library = match Library::open(gpu, options.cublas) {
        Ok(library) => {
            println!("cuBLASLt {}, the fastest of its proposals", library.version);
            Some(library)
        }
        // A library that was requested by name has to be there.
        Err(error) if options.cublas.is_some() => return Err(error),
        Err(error) => {
            println!("no comparison: {error}");
            None
        }
    };
    println!(
        "seed {}; medians, L2 cache full of lines that were {} before each launch, contenders interleaved\n",
        options.seed,
        match options.left {
            Left::Written => "written",
            Left::Read => "read",
        }
    );
    let has_matmul =
        |input: &Input| input.kernels.iter().any(|chosen| chosen.kernel.reference.is_none());
    if inputs.iter().any(has_matmul) {
        println!("{HEADER}");
    }
    let mut rows = Vec::new();
    let mut good = true;
    for input in inputs {
        let module = gpu.load(input.ptx.as_bytes())?;
        let of_file = record::of_file(&this, &input.path)?;
        let references = input.references()?;
        for chosen in &input.kernels {
            if let Some(references) =
                references.as_ref().filter(|_| chosen.kernel.reference.is_some())
            {
                let found = referenced::bench(gpu, &module, chosen, references, options)?;
                good &= found.is_right();
                println!("{found}");
                let mut row = found.row();
                row["file"] = json!(input.path.file_name().map(|name| name.to_string_lossy()));
                rows.push(row);
                continue;
            }
            let gemms = chosen.kernel.gemms()?;
            let mut case = Case::new(gpu, &module, gemms.clone(), options.seed)?;
            let resources = case.resources()?;
            let verdict = case.check()?;
            let baseline = match &library {
                Some(library) => Some(case.baseline(library)?),
                None => None,
            };
            let Baseline { plans, verdict: plan_verdict, refusal } = baseline.unwrap_or_default();
            let fused = plans.first().map(|(_, fused)| *fused);
            let calls: Vec<_> = plans.iter().map(|(plan, _)| plan).collect();
            let timing = case.time(&calls, options.repetitions, options.left)?;
            good &= verdict.passed;
            println!("{}", line(&gemms, &verdict, &timing));
            if let Some(refusal) = &refusal {
                println!("    no comparison: {refusal}");
            }
            let mut row = check::row(chosen, &resources, &verdict);
            row["file"] = json!(input.path.file_name().map(|name| name.to_string_lossy()));
            row["timing"] = json!(timing);
            row["ratio"] = json!(timing.ratio());
            row["cublas_check"] = json!(plan_verdict);
            if gemms.iter().any(|gemm| gemm.epilogue.is_some()) {
                row["cublas_epilogue"] = json!(fused.map(|fused| fused.to_string()));
            }
            row["no_comparison"] = json!(refusal);
            rows.push(row);
            let peer = library.as_ref().map(|library| Peer {
                name: "cuBLASLt".into(),
                version: Some(library.version),
                epilogue: fused.map(|fused| fused.to_string()).filter(|fused| fused != "none"),
                times: None,
                verdict: plan_verdict.as_ref().map(Outcome::of),
                check: plan_verdict.as_ref().map(Check::of),
                refusal,
            });
            let record = of_file.of(chosen, &resources, &verdict)?.timed(&timing, peer);
            // At once, so that a run that is killed keeps what it measured.
            options.recording.append(std::slice::from_ref(&record))?;
            records.push(record);
        }
    }
    if let Some(path) = options.json {
        let report = json!({
            "device": gpu.name,
            "driver_cuda": gpu.driver_version,
            "cublas": library.as_ref().map(|library| library.version),
            "seed": options.seed,
            "level_2_cache": options.left,
            "kernels": rows,
        });
        write(path, &report)?;
    }
    Ok((good, records))
}

const HEADER: &str = "  m × n × k              types          ab   error     verdict  ours µs    TFLOP/s  cuBLAS µs  TFLOP/s  ratio";

fn line(gemms: &[Gemm<'_>], verdict: &Verdict, timing: &Timing) -> String {
    let Some(gemm) = gemms.first() else { return String::new() };
    let size = match (gemms.len(), gemm.batch) {
        (1, 1) => format!("{} × {} × {}", gemm.m, gemm.n, gemm.k),
        (1, batch) => format!("{batch} of {} × {} × {}", gemm.m, gemm.n, gemm.k),
        (count, _) => format!("{count}: {} × {} × {}, …", gemm.m, gemm.n, gemm.k),
    };
    let [a, _, c] = gemm.elements();
    let types = format!("{a} → {c}");
    let error = verdict.relative_error.map_or_else(|| "NaN".into(), |error| format!("{error:.1e}"));
    let outcome = if verdict.passed { "passed" } else { "FAILED" };
    let transposes = gemm.transposes();
    let Times { median_us, tflops, .. } = timing.ours;
    let theirs = match (timing.cublas, timing.ratio()) {
        (Some(theirs), Some(ratio)) => {
            format!("{:>9.1} {:>8.1} {ratio:>6.2}", theirs.median_us, theirs.tflops)
        }
        _ => format!("{:>9} {:>8} {:>6}", "–", "–", "–"),
    };
    format!(
        "  {size:<22} {types:<14} {transposes:<4} {error:<9} {outcome:<8} {median_us:<10.1} {tflops:>7.1}  {theirs}"
    )
}

fn write(path: &Path, report: &Value) -> Result<()> {
    let text =
        serde_json::to_string_pretty(report).map_err(|error| Error::Manifest(error.to_string()))?;
    std::fs::write(path, text + "\n").map_err(|source| Error::Write { path: path.into(), source })
}
