//! `layout-run check`: is the kernel right?

use layout_runtime::chosen::Chosen;
use layout_runtime::driver::{Gpu, Module, Resources};
use layout_runtime::matmul::{Case, Verdict};
use layout_runtime::{Error, Result};
use serde_json::json;

use crate::inputs::Input;
use crate::record::{self, Recording};
use crate::referenced;

/// Checks every kernel of the inputs; true when all are right. Where there are several inputs, one that cannot be run does not keep
/// the others from running, and its path precedes its messages.
pub(crate) fn run(
    gpu: &Gpu,
    inputs: &[Input],
    seed: u64,
    as_json: bool,
    recording: &Recording,
) -> Result<bool> {
    let this = recording.begin(gpu, seed);
    let mut rows = Vec::new();
    let mut good = true;
    if !as_json {
        println!("{}", crate::describe(gpu));
    }
    for input in inputs {
        let of = match inputs {
            [_] => String::new(),
            _ => format!("{}: ", input.path.display()),
        };
        let mut checked = |input: &Input| -> Result<bool> {
            let module = gpu.load(input.ptx.as_bytes())?;
            let of_file = record::of_file(&this, &input.path)?;
            let mut good = true;
            let references = input.references()?;
            for chosen in &input.kernels {
                if let Some(references) =
                    references.as_ref().filter(|_| chosen.kernel.reference.is_some())
                {
                    let found = referenced::check(gpu, &module, chosen, references, seed)?;
                    good &= found.is_right();
                    if as_json {
                        rows.push(found.row());
                    } else {
                        println!("{of}{found}");
                    }
                    continue;
                }
                let (resources, verdict) = match one(gpu, &module, chosen, seed) {
                    Ok(found) => found,
                    // A size that cannot be run does not keep the others from it.
                    Err(error) if !chosen.sizes.is_empty() => {
                        eprintln!("{of}{chosen}: {error}");
                        good = false;
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                good &= verdict.passed;
                recording.append(&[of_file.of(chosen, &resources, &verdict)?])?;
                if as_json {
                    rows.push(row(chosen, &resources, &verdict));
                } else {
                    println!("{of}{}", sentence(chosen, &resources, &verdict, seed));
                }
            }
            Ok(good)
        };
        match checked(input) {
            Ok(right) => good &= right,
            Err(error) if inputs.len() > 1 => {
                eprintln!("{of}{error}");
                good = false;
            }
            Err(error) => return Err(error),
        }
    }
    if as_json {
        let report = json!({"device": gpu.name, "seed": seed, "kernels": rows});
        let text = serde_json::to_string_pretty(&report)
            .map_err(|error| Error::Manifest(error.to_string()))?;
        println!("{text}");
    }
    Ok(good)
}

/// Checks one kernel.
fn one(gpu: &Gpu, module: &Module, chosen: &Chosen, seed: u64) -> Result<(Resources, Verdict)> {
    let mut case = Case::new(gpu, module, chosen.kernel.gemms()?, seed)?;
    Ok((case.resources()?, case.check()?))
}

/// The JSON row of a checked kernel.
pub(crate) fn row(chosen: &Chosen, resources: &Resources, verdict: &Verdict) -> serde_json::Value {
    let kernel = &chosen.kernel;
    let mut row = json!({
        "name": kernel.name,
        "chip": kernel.chip,
        "problem": kernel.problem,
        "elements": kernel.args.iter().map(|argument| argument.element).collect::<Vec<_>>(),
        "strides": kernel.args.iter().map(|argument| &argument.stride).collect::<Vec<_>>(),
        "registers": resources.registers,
        "local_bytes": resources.local_bytes,
        "shared_bytes": i64::from(kernel.shared_bytes) + i64::from(resources.static_shared_bytes),
        "check": verdict,
    });
    if !chosen.sizes.is_empty() {
        let sizes = chosen.sizes.iter().map(|(name, value)| (name.clone(), json!(value)));
        row["sizes"] = sizes.collect();
    }
    if let Some(family) = &chosen.family {
        row["family"] = json!(family);
    }
    row
}

fn sentence(chosen: &Chosen, resources: &Resources, verdict: &Verdict, seed: u64) -> String {
    let relative = verdict
        .relative_error
        .map_or_else(|| "not a number".into(), |error| format!("{error:.2e}"));
    let mut text = format!(
        "{}: {}: relative error {relative} against float64 on the {}, expected at most {:.0e}; {} registers, \
         {} bytes of local memory, {} bytes of shared memory; seed {seed}",
        chosen,
        if verdict.passed { "PASSED" } else { "FAILED" },
        verdict.reference,
        verdict.tolerance,
        resources.registers,
        resources.local_bytes,
        i64::from(chosen.kernel.shared_bytes) + i64::from(resources.static_shared_bytes),
    );
    if !verdict.passed {
        text.push_str(&format!(
            "\n    worst at ({},{}); {} elements never written; {} bytes written outside",
            verdict.worst.0, verdict.worst.1, verdict.unwritten, verdict.stray_bytes
        ));
        if let Some(differing) = verdict.differing_bytes.filter(|&differing| differing > 0) {
            text.push_str(&format!("; {differing} bytes differ in a second run"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use layout_runtime::manifest::Kernel;

    use super::*;

    fn kernel() -> Kernel {
        Kernel {
            name: "gemm".into(),
            chip: "sm_80".into(),
            grid: [1, 1, 1],
            grid_limit: None,
            dependent_launch: false,
            waits: false,
            scalars: Vec::new(),
            reference: None,
            unordered: false,
            bytes: None,
            flops: None,
            cluster: 1,
            block: [128, 1, 1],
            shared_bytes: 49152,
            args: Vec::new(),
            workspaces: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            tensor_maps: Vec::new(),
            problem: None,
        }
    }

    #[test]
    fn a_failure_reports_its_location() {
        let verdict = Verdict {
            passed: false,
            relative_error: None,
            tolerance: 1e-3,
            largest_error: None,
            worst: (3, 4),
            unwritten: 2,
            stray_bytes: 0,
            differing_bytes: Some(3),
            reference: "cpu",
        };
        let resources = Resources { registers: 168, local_bytes: 0, static_shared_bytes: 0 };
        let mut chosen = Chosen { kernel: kernel(), family: None, sizes: Vec::new() };
        assert!(row(&chosen, &resources, &verdict).get("sizes").is_none());
        assert_eq!(
            sentence(&chosen, &resources, &verdict, 7),
            "gemm: FAILED: relative error not a number against float64 on the cpu, expected at most 1e-3; 168 registers, \
             0 bytes of local memory, 49152 bytes of shared memory; seed 7\n    worst at (3,4); 2 elements never written; \
             0 bytes written outside; 3 bytes differ in a second run"
        );
        chosen.sizes = vec![("m".into(), 7), ("k".into(), 64)];
        chosen.family = Some("any".into());
        let text = sentence(&chosen, &resources, &verdict, 7);
        assert!(text.starts_with("any at m=7, k=64 (gemm): FAILED"), "{text}");
        let row = row(&chosen, &resources, &verdict);
        assert_eq!((&row["sizes"], &row["family"]), (&json!({"m": 7, "k": 64}), &json!("any")));
        assert_eq!(row["name"], "gemm");
    }
}
