//! `layout-translate`: lowered MLIR to LLVM IR, PTX and a launch manifest, or to a run on this machine's CPU; layouts to relations and back.

mod cpu;
mod relations;

use clap::{ArgGroup, Parser, ValueEnum};
use layout_dialect::{diagnostics, tree};
use layout_lowering::{
    budget::STEPS,
    commands::{self, assemble, choose_chip, gpu_modules, passes, write},
    manifest,
    nvptx::Translated,
    pipeline,
    reference::References,
    statistics::Statistics,
};
use layout_runtime::chosen::{Choice, Grid};
use layout_runtime::launcher;
use layout_runtime::manifest::Manifest;
use melior::ir::{Module, OperationRef, operation::OperationLike};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
};

// For MLIR's own allocations too: the crate's feature `override` takes the place of `malloc`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Translates GPU kernels in LLVM's dialect to LLVM IR or PTX, and writes launch manifests; runs kernels on the CPU and checks them; and
/// translates layouts to relations in ISL's notation and back.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
#[command(group(ArgGroup::new("action").required(true).args([
    "layout_to_llvmir", "layout_to_ptx", "emit", "run_on_cpu", "layout_to_isl", "isl_to_layout",
])))]
struct Arguments {
    /// The MLIR file; `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Write LLVM IR
    #[arg(long)]
    layout_to_llvmir: bool,
    /// Write PTX
    #[arg(long)]
    layout_to_ptx: bool,
    /// Write a C file with the PTX and the manifest inside and a function that launches each kernel; with
    /// `-o NAME.c`, also `NAME.h`
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "manifest")]
    emit: Option<Language>,
    /// With --emit: assemble the PTX with this ptxas, and put the cubin in its place
    #[arg(long, value_name = "PTXAS", requires = "emit")]
    ptxas: Option<PathBuf>,
    /// Run the kernel on this machine's CPU and check it against a float64 reference
    #[arg(long)]
    run_on_cpu: bool,
    /// Write each layout of the file as a relation in ISL's notation
    #[arg(long, conflicts_with_all = ["chip", "manifest", "stats"])]
    layout_to_isl: bool,
    /// Read relations, one a line, in ISL's notation or as `affine_map<…> on affine_set<…>`, and
    /// write the layout of each
    #[arg(long, conflicts_with_all = ["chip", "manifest", "stats", "pipeline"])]
    isl_to_layout: bool,
    /// Run the pipeline first (layout-to-nvvm, or layout-to-host with --run-on-cpu): the file holds
    /// matmuls or tile programs on views
    #[arg(long)]
    pipeline: bool,
    /// With --pipeline: prove that each of its passes preserves the program's behaviour
    #[arg(long, requires = "pipeline")]
    verify_each_layout_pass: bool,
    /// The GPU; by default the one that the kernel's schedule names
    #[arg(long, conflicts_with = "run_on_cpu")]
    chip: Option<String>,
    /// Write the launch manifest (JSON) to a file
    #[arg(long, value_name = "FILE", conflicts_with = "run_on_cpu")]
    manifest: Option<PathBuf>,
    /// Write the references that kernels name as a shared object, which layout-run computes them with; cc links it
    #[arg(long, value_name = "FILE.so", conflicts_with_all = ["run_on_cpu", "emit"])]
    reference: Option<PathBuf>,
    /// With --run-on-cpu: blocks in x, y and z of kernels without a grid in their manifest
    #[arg(long, value_name = "X,Y,Z", requires = "run_on_cpu", value_parser = Grid::from_str)]
    grid: Option<Grid>,
    /// With --run-on-cpu: report accesses that are not coalesced or that conflict at banks of shared memory, by line
    #[arg(long, requires = "run_on_cpu")]
    access_remarks: bool,
    /// Print counts of the PTX's instructions to standard error
    #[arg(long, conflicts_with_all = ["layout_to_llvmir", "run_on_cpu"])]
    stats: bool,
    /// LLVM's optimisation level
    #[arg(long, value_name = "0..3", default_value_t = 3,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    opt_level: u8,
    /// The seed of random operands with --run-on-cpu
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// With --run-on-cpu: the most steps that a kernel may take, and its reference each time that it runs: iterations of loops and multiply-adds of
    /// MMAs count one each, accesses of threads to memory 16
    #[arg(long, value_name = "N", requires = "run_on_cpu", default_value_t = STEPS)]
    max_steps: u64,
    /// With --run-on-cpu: a size that kernels take at run time, and its value, or several to run each: `m=1,7,16`; may be
    /// given again
    #[arg(long = "size", value_name = "NAME=VALUE", requires = "run_on_cpu")]
    sizes: Vec<Choice>,
    /// Where to write; by default standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A language that launchers are written in.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Language {
    /// C99, with `layout_runtime.h`
    C,
}

const EXAMPLES: &str = "\
Examples:
  layout-translate gemm.mlir --pipeline --layout-to-ptx --manifest gemm.json -o gemm.ptx
  layout-opt gemm.mlir --layout-to-nvvm | layout-translate - --layout-to-ptx --chip sm_90a
  layout-translate gemm.mlir --pipeline --emit=c -o gemm.c
  layout-translate gemm.mlir --pipeline --run-on-cpu
  layout-translate softmax.mlir --pipeline --run-on-cpu --access-remarks
  layout-translate softmax.mlir --pipeline --layout-to-ptx --manifest softmax.json --reference softmax.so -o softmax.ptx
  layout-translate gemm.mlir --layout-to-isl | layout-translate - --isl-to-layout

Exit codes: 0 done, 1 the command line or the input cannot be used, or the check failed.";

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too; they go to standard output and are no failure.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    commands::exit_code(|| run(&arguments))
}

/// Whether no operation of ours is left; reports the first one.
fn is_lowered(module: &Module<'_>) -> bool {
    let operations = tree::all(module.as_operation());
    let first = operations.into_iter().find(|found| tree::name(*found).starts_with("layout."));
    if let Some(first) = first {
        let found = tree::name(first);
        let message = format!(
            "expected operations of upstream dialects, found {found}; --pipeline lowers it"
        );
        diagnostics::error(first, &message);
    }
    first.is_none()
}

/// Whether a module has something to translate; reports a function on tensors, where there are only such.
fn has_kernels(module: &Module<'_>) -> bool {
    let operations = tree::all(module.as_operation());
    let is_ours = |found: &OperationRef<'_, '_>| {
        let name = tree::name(*found);
        name.starts_with("layout.") || name == "gpu.module"
    };
    if operations.iter().any(is_ours) {
        return true;
    }
    let on_tensors = operations.into_iter().find(|found| {
        let signature = found.attribute("function_type").map(|own| own.to_string());
        tree::name(*found) == "func.func" && signature.is_ok_and(|own| own.contains("tensor<"))
    });
    if let Some(function) = on_tensors {
        let name = tree::symbol(function).unwrap_or_default();
        diagnostics::error_in(
            function,
            &format!(
                "expected kernels, or matmuls on views, found @{name} on tensors; layout-compile compiles functions on tensors"
            ),
        );
    }
    on_tensors.is_none()
}

/// Carries out the arguments; false when diagnostics have reported why it could not, or a check failed.
fn run(arguments: &Arguments) -> Result<bool, String> {
    if arguments.isl_to_layout {
        let text = relations::to_layouts(&read(&arguments.input)?)?;
        write(arguments.output.as_deref(), &text)?;
        return Ok(true);
    }
    let context = commands::context(|| {
        layout_passes::register_all();
        if arguments.verify_each_layout_pass {
            layout_passes::verify_each_pass();
        }
    });
    let name = arguments.input.display().to_string();
    let Some(mut module) = layout_dialect::tools::parse_file(&context, &name) else {
        return Ok(false);
    };
    if !arguments.layout_to_isl
        && (!has_kernels(&module) || (!arguments.pipeline && !is_lowered(&module)))
    {
        return Ok(false);
    }
    if arguments.run_on_cpu {
        return cpu::run(&context, module, arguments);
    }
    if arguments.pipeline && !passes(&context, &mut module, &pipeline::to_nvvm())? {
        return Ok(false);
    }
    if arguments.layout_to_isl {
        let relations = relations::of_module(&module)?;
        for remark in &relations.remarks {
            eprintln!("remark: {remark}");
        }
        write(arguments.output.as_deref(), &relations.text)?;
        return Ok(true);
    }
    let references =
        References::of_kernels(&context, &module).map_err(|error| error.to_string())?;
    if let Some(path) = &arguments.reference {
        let references =
            references.as_ref().ok_or("expected a kernel with layout.reference, found none")?;
        references.write(path).map_err(|error| error.to_string())?;
    }
    // A kernel from elsewhere needs no facts, unless they are requested.
    let mut facts = manifest::of(module.as_operation());
    let requested = arguments.chip.as_deref();
    let Some(chip) = choose_chip(&module, requested, facts.as_mut().ok())? else {
        return Ok(false);
    };
    let facts_of_launch = facts;
    let facts = match &arguments.manifest {
        None => None,
        Some(path) => {
            let facts = facts_of_launch.as_ref().map_err(ToString::to_string)?;
            let text = serde_json::to_string_pretty(facts).map_err(|error| error.to_string())?;
            Some((path, text))
        }
    };
    let translated = Translated::new(&gpu_modules(&module)?, chip, arguments.opt_level)
        .map_err(|error| error.to_string())?;
    if let Some(Language::C) = arguments.emit {
        let facts = facts_of_launch.map_err(|error| error.to_string())?;
        let ptx = translated.ptx().map_err(|error| error.to_string())?;
        if arguments.stats {
            eprint!("{}", Statistics::of(&ptx));
        }
        return emit_c(arguments, &facts, &ptx, chip.name).map(|()| true);
    }
    let text = if arguments.layout_to_llvmir {
        translated.llvm_ir()
    } else {
        let ptx = translated.ptx().map_err(|error| error.to_string())?;
        if arguments.stats {
            eprint!("{}", Statistics::of(&ptx));
        }
        ptx
    };
    // Nothing is written before all of it is there.
    if let Some((path, facts)) = facts {
        write(Some(path), &format!("{facts}\n"))?;
    }
    write(arguments.output.as_deref(), &text)?;
    Ok(true)
}

/// Writes the C file, and its header beside it.
fn emit_c(arguments: &Arguments, manifest: &Manifest, ptx: &str, chip: &str) -> Result<(), String> {
    let output = arguments.output.as_deref();
    let named = output.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let cubin = arguments.ptxas.as_deref().map(|ptxas| assemble(ptxas, ptx, chip)).transpose()?;
    let code = cubin.as_deref().unwrap_or(ptx.as_bytes());
    let launcher = launcher::emit(named.as_deref().unwrap_or("kernels"), manifest, code)?;
    let header = output.map(|output| output.with_extension("h"));
    if header.as_deref() == output && output.is_some() {
        return Err(format!(
            "expected an output whose header has another name, found {} for both",
            header.unwrap_or_default().display()
        ));
    }
    match header {
        Some(header) => write(Some(&header), &launcher.header)?,
        // The header, which a compiler would read there.
        None => write(None, &launcher.header)?,
    }
    let source = match output {
        Some(_) => launcher.source,
        None => launcher.source.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned()),
    };
    write(output, &source)
}

/// The text of a file, or of standard input.
fn read(path: &Path) -> Result<String, String> {
    let text = match path.to_str() {
        Some("-") => io::read_to_string(io::stdin()),
        _ => fs::read_to_string(path),
    };
    text.map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_well_formed() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
