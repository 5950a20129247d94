//! `cargo measure addresses`: integer instructions that address computations take on sm_90a.
//!
//! `test/Addresses` holds kernels in pairs, `FILE.mlir` and `FILE.cu`. The first is compiled in five
//! ways, assembled, disassembled and counted ([`sass`]); the counts must be those that are stored, and
//! their means within bars ([`figures`]). The prediction of the simplifier's cost model for each kernel is
//! compared with counts on several chips ([`model`]). nvcc's counts of the second are stored too, and made again only where nvcc and the
//! CuTe headers are at hand. Kernels whose layouts are partly static are counted with and without the
//! e-graph ([`chains`]), and what each rule saves in all of them is counted, too ([`rules`]).

pub(crate) mod chains;
mod figures;
mod model;
pub(crate) mod rules;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use layout_support::process::{self, Error};
use layout_support::report::Tally;
use layout_support::workspace;

use crate::page::{read, write};
use crate::sass::{self, Count};
use crate::tools::{Tools, with_end};
use figures::{Figures, Origin};

const CHIP: &str = "sm_90a";

/// The passes that turn kernels without operations of `layout` into LLVM's dialect, and no more. The last pass names the
/// loops' annotations as MLIR's translation reads them: without it, ptxas would unroll the loops.
const TO_LLVM: &str = "gpu.module(convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm,\
    convert-nvvm-to-llvm,reconcile-unrealized-casts),layout-mark-tensor-maps";

/// A lowering that computes offsets as a layout's definition says.
const PLAIN: &str = "layout-lower{plain=true}";

/// How MLIR alone would simplify what that leaves.
const MLIR: &str = "canonicalize,cse,gpu.module(int-range-optimizations),canonicalize,cse";

/// The options of nvcc, before the include path, the output and the input.
const NVCC_OPTIONS: &[&str] =
    &["-std=c++17", "-O3", "-arch=sm_90a", "--expt-relaxed-constexpr", "-cubin"];

/// Counts and compares with what is stored: a passed or failed test for each kernel.
pub(crate) fn check(tools: &Tools) -> Result<Tally, Error> {
    let stored = stored()?;
    let measured = measure(tools, None)?;
    let differences = measured.differences(&stored);
    for line in &differences {
        eprintln!("addresses: {line}");
    }
    let figures = measured.completed(&stored);
    let stored_model = model::Model::from_json(&read(&model_path())?)
        .map_err(|error| format!("{}: {error}", model_path().display()))?;
    let model = model::predict(tools)?.completed(&stored_model, &figures);
    let unlike = model.differences(&stored_model);
    for line in &unlike {
        eprintln!("addresses: {line}");
    }
    let differences = [differences, unlike].concat();
    let readme = read(&folder().join("README.md"))?;
    let is_stale = model.in_readme(&figures.in_readme(&readme)?)? != readme;
    if is_stale {
        eprintln!("addresses: test/Addresses/README.md: expected the table of the stored counts");
    }
    if is_stale || !differences.is_empty() {
        eprintln!("addresses: `cargo measure addresses --bless` stores what was found");
    }
    let missed = [figures.missed(), model.missed()].concat();
    for line in &missed {
        eprintln!("addresses: {line}");
    }
    let failed = (differences.len() + missed.len() + usize::from(is_stale)) as u64;
    let kernels = figures.rows.len() as u64;
    let chains = chains::check(tools)?;
    let passed = kernels.saturating_sub(failed) + chains.passed;
    Ok(Tally { passed, failed: failed + chains.failed, without_gpu: 0 })
}

/// Counts and stores; with nvcc and CUTLASS's headers, nvcc's counts too.
pub(crate) fn bless(tools: &Tools, nvcc: Option<(&str, &str)>) -> Result<(), Error> {
    let stored = if counts_path().exists() { stored()? } else { Figures::default() };
    let figures = measure(tools, nvcc)?.completed(&stored);
    write(&counts_path(), &figures.to_json())?;
    let readme = folder().join("README.md");
    let counted = model::count(tools)?;
    let model = model::predict(tools)?.completed(&counted, &figures);
    write(&model_path(), &model.to_json())?;
    write(&readme, &model.in_readme(&figures.in_readme(&read(&readme)?)?)?)?;
    println!("{}\n{}", figures.table(), model.table());
    Ok(())
}

fn measure(tools: &Tools, nvcc: Option<(&str, &str)>) -> Result<Figures, Error> {
    let scratch = tools.scratch("addresses")?;
    let none = format!("--pass-pipeline=builtin.module({PLAIN},{TO_LLVM})");
    let mlir = format!("--pass-pipeline=builtin.module({PLAIN},{MLIR},{TO_LLVM})");
    // With LLVM's level of optimisation.
    let pipelines = [
        (none.as_str(), "0"),
        (mlir.as_str(), "0"),
        (none.as_str(), "3"),
        (mlir.as_str(), "3"),
        ("--layout-to-nvvm", "3"),
    ];
    let mut figures = Figures::default();
    for file in files()? {
        let source = folder().join(format!("{file}.mlir"));
        let mut add = |way: usize, cubin: &Path| -> Result<(), Error> {
            for (kernel, count) in counts(tools, cubin)? {
                figures.rows.entry((file.clone(), kernel)).or_default()[way] = Some(count);
            }
            Ok(())
        };
        for (way, (pipeline, level)) in pipelines.iter().enumerate() {
            let path = scratch.join(format!("{file}.{}", figures::COMPILERS[way].0));
            let lowered = with_end(&path, "mlir");
            process::read(tools.opt(&source).arg(pipeline).arg("-o").arg(&lowered))?;
            add(way, &tools.lowered_to_cubin(&path, CHIP, level)?)?;
        }
        if let Some((nvcc, include)) = nvcc {
            let cubin = scratch.join(format!("{file}.nvcc.cubin"));
            let mut command = Command::new(nvcc);
            command.args(NVCC_OPTIONS).arg(format!("-I{include}")).arg("-o").arg(&cubin);
            process::read(command.arg(folder().join(format!("{file}.cu"))))?;
            add(pipelines.len(), &cubin)?;
        }
    }
    if let Some((nvcc, include)) = nvcc {
        figures.origin = origin(nvcc, include)?;
    }
    Ok(figures)
}

/// The counts of each kernel of a file of machine code.
fn counts(tools: &Tools, cubin: &Path) -> Result<BTreeMap<String, Count>, Error> {
    sass::count(&tools.disassemble(cubin)?).map_err(|error| format!("{}: {error}", cubin.display()))
}

/// The origin of nvcc's counts.
fn origin(nvcc: &str, include: &str) -> Result<Origin, Error> {
    let output = process::read(Command::new(nvcc).arg("--version"))?;
    let release = output.split(", V").nth(1).and_then(|rest| rest.split_whitespace().next());
    let header = read(&Path::new(include).join("cutlass/version.h"))?;
    let part = |name: &str| {
        let line = header.lines().find_map(|line| line.strip_prefix(&format!("#define {name} ")));
        line.map_or("?", str::trim).to_owned()
    };
    let parts = ["CUTLASS_MAJOR", "CUTLASS_MINOR", "CUTLASS_PATCH"].map(part);
    Ok(Origin {
        command: format!("nvcc {} -ICUTLASS/include FILE.cu", NVCC_OPTIONS.join(" ")),
        nvcc: release.unwrap_or("?").to_owned(),
        cutlass: parts.join("."),
        date: process::read(Command::new("date").args(["-u", "+%F"]))?.trim().to_owned(),
    })
}

/// The names of the files, without their extension; each has both forms.
fn files() -> Result<Vec<String>, Error> {
    let names = sources(&folder())?;
    for name in &names {
        let path = folder().join(format!("{name}.cu"));
        if !path.exists() {
            return Err(format!("{}: expected a file beside {name}.mlir", path.display()));
        }
    }
    Ok(names)
}

/// The names of the `.mlir` files of a folder, without their extension.
fn sources(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let sources = paths.filter(|path| path.extension().is_some_and(|kind| kind == "mlir"));
    let stem = |path: PathBuf| Some(path.file_stem()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = sources.filter_map(stem).collect();
    names.sort();
    Ok(names)
}

fn folder() -> PathBuf {
    workspace::root().join("test/Addresses")
}

fn counts_path() -> PathBuf {
    folder().join("counts.json")
}

fn model_path() -> PathBuf {
    folder().join("model.json")
}

fn stored() -> Result<Figures, Error> {
    let path = counts_path();
    Figures::from_json(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))
}
