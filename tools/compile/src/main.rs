//! `layout-compile`: a model's functions, on tensors, to a library that runs them on a GPU.

mod cpu;

use clap::{Parser, ValueEnum};
use layout_compile::{
    Compiled, Diagnostic, Options, Severity, Source,
    cache::{self, Entry, Key},
    compile,
};
use layout_lowering::{
    commands::{self, assemble, write},
    model::STEPS,
};
use layout_runtime::{
    chosen::Choice,
    launcher,
    manifest::{Argument, Manifest, Template},
    program,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{Arc, Mutex, PoisonError},
};

// For MLIR's own allocations too: the crate's feature `override` takes the place of `malloc`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compiles the functions of a model, `linalg` on tensors, to kernels and programs that launch them; or matmuls on views and
/// handwritten kernels.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// The MLIR file; `-` for standard input
    #[arg(value_name = "MODEL.mlir")]
    input: PathBuf,
    /// The output, by its ending: `.so`, a library; `.c`, its source, with a header beside it; `.ptx` or `.cubin`, the
    /// kernels, with the manifest beside them as `.json`
    #[arg(short, long, value_name = "FILE", required_unless_present = "run_on_cpu")]
    output: Option<PathBuf>,
    /// Run a function on tensors on this machine's CPU, instead: its kernels as loops over their blocks and threads
    #[arg(long, conflicts_with_all = ["output", "cache", "ir", "explain"])]
    run_on_cpu: bool,
    /// The function, where there are several; only the functions that it calls are compiled
    #[arg(long, value_name = "NAME", requires = "run_on_cpu")]
    function: Option<String>,
    /// A folder with a file for each argument, in the order of their names: .npy, or the bytes of their elements; by default random
    /// numbers
    #[arg(long, value_name = "FOLDER", requires = "run_on_cpu")]
    arguments: Option<PathBuf>,
    /// Write results to a folder, as result0.npy, result1.npy, …
    #[arg(long, value_name = "FOLDER", requires = "run_on_cpu")]
    results: Option<PathBuf>,
    /// An extent that the types leave open: arg0_1 is the second extent of the first argument. Several values, separated by
    /// commas, make one call each
    #[arg(long = "size", value_name = "NAME=VALUE", requires = "run_on_cpu")]
    sizes: Vec<Choice>,
    /// The seed of random arguments: floats are normal, integers of 32 and 64 bits 0 or 1, those of 8 and 16 bits -4 to 4; by default 1
    #[arg(long, value_name = "NUMBER", requires = "run_on_cpu")]
    seed: Option<u64>,
    /// The most steps that the function may take: iterations of loops on the CPU
    #[arg(long, value_name = "N", requires = "run_on_cpu", default_value_t = STEPS)]
    max_steps: u64,
    /// Compare results with those of upstream's loops, and exit with 1 where they differ
    #[arg(long, requires = "run_on_cpu")]
    compare: bool,
    /// The GPU
    #[arg(long, default_value = "sm_90a")]
    chip: String,
    /// The assembler, which makes a cubin of PTX: by default `ptxas` if that is on the path; without an assembler, the driver
    /// assembles the PTX when the library is loaded
    #[arg(long, value_name = "PTXAS")]
    ptxas: Option<PathBuf>,
    /// The C compiler that links a `.so`
    #[arg(long, value_name = "CC", default_value = "cc")]
    cc: PathBuf,
    /// The folder of liblayout_runtime.so; by default that of this program
    #[arg(long, value_name = "FOLDER")]
    runtime: Option<PathBuf>,
    /// Write the passes' output, kernels in LLVM's dialect, to a file
    #[arg(long, value_name = "FILE")]
    ir: Option<PathBuf>,
    /// Print each program's steps, and the memory that it takes, to standard output
    #[arg(long)]
    explain: bool,
    /// Keep compiled output in a folder, and reuse it from there the next time; not with `--ir`
    #[arg(long, value_name = "FOLDER", env = "LAYOUT_CACHE")]
    cache: Option<PathBuf>,
    /// LLVM's optimisation level
    #[arg(long, value_name = "0..3", default_value_t = 3,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    opt_level: u8,
    /// How diagnostics are written to standard error: as compilers write them, or each as a line of JSON with severity,
    /// location, message and notes
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    diagnostics: Form,
}

/// A form of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

impl Form {
    fn print(self, diagnostic: &Diagnostic) {
        match self {
            Self::Text => eprintln!("{diagnostic}"),
            // Plain data has a text.
            Self::Json => eprintln!("{}", serde_json::to_string(diagnostic).unwrap_or_default()),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  layout-compile mlp.mlir -o mlp.so
  layout-compile mlp.mlir -o mlp.ptx                      and mlp.json, which layout-run and the runtime library read
  layout-compile mlp.mlir -o mlp.c --ptxas /usr/local/cuda/bin/ptxas
  layout-compile mlp.mlir -o mlp.so --chip sm_80 --explain
  layout-compile mlp.mlir -o mlp.so --cache ~/.cache/layout   compiles once, then reads the cache
  layout-compile softmax.mlir -o softmax.ptx              a kernel that is written in layouts
  layout-compile mlp.mlir --run-on-cpu --compare --size arg0_0=3

The library has a C function main_ for a function @main; NAME_load of NAME.so loads the kernels on a device. layout_runtime.h
defines tensors.

Exit codes: 0 done, 1 the command line or the input cannot be used, or results differ.";

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too; they go to standard output and are no failure.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    commands::exit_code(|| {
        run(&arguments).or_else(|message| {
            arguments.diagnostics.print(&Diagnostic::nowhere(Severity::Error, message));
            Ok(false)
        })
    })
}

/// The kind of an output, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Library,
    Source,
    Ptx,
    Cubin,
}

impl Kind {
    fn of(output: &Path) -> Result<Self, String> {
        match output.extension().and_then(|ending| ending.to_str()) {
            Some("so") => Ok(Self::Library),
            Some("c") => Ok(Self::Source),
            Some("ptx") => Ok(Self::Ptx),
            Some("cubin") => Ok(Self::Cubin),
            _ => Err(format!(
                "expected an output that ends in .so, .c, .ptx or .cubin, found {}",
                output.display()
            )),
        }
    }

    /// The endings of the files that are written.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Library => &["so", "h"],
            Self::Source => &["c", "h"],
            Self::Ptx => &["ptx", "json"],
            Self::Cubin => &["cubin", "json"],
        }
    }
}

/// Carries out the arguments; false when diagnostics have reported why it could not.
fn run(arguments: &Arguments) -> Result<bool, String> {
    if arguments.run_on_cpu {
        return run_on_cpu(arguments);
    }
    // An output excuses its absence from the command line's own check.
    if let Some(option) = of_cpu(arguments) {
        return Err(format!("expected --run-on-cpu with --{option}, found an output"));
    }
    let kind = Kind::of(output(arguments))?;
    let form = arguments.diagnostics;
    let read = cache::input(&arguments.input)?;
    let entry = entry(arguments, kind, &read);
    if let Some(entry) = &entry
        && let Some((diagnostics, explained)) = entry.restore(output(arguments), kind.endings())?
    {
        diagnostics.iter().for_each(|diagnostic| form.print(diagnostic));
        if arguments.explain {
            print!("{explained}");
        }
        return Ok(true);
    }
    let diagnostics = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&diagnostics);
    let report = move |diagnostic: Diagnostic| {
        form.print(&diagnostic);
        kept.lock().unwrap_or_else(PoisonError::into_inner).push(diagnostic);
    };
    let path = arguments.input.display().to_string();
    let text;
    let source = if is_standard_input(arguments) {
        text = String::from_utf8(read.clone())
            .map_err(|_| "expected a text on standard input, found bytes that are none")?;
        Source::Text(&text)
    } else {
        Source::File(&path)
    };
    let (chip, opt_level) = (arguments.chip.clone(), arguments.opt_level);
    let options = Options { chip, opt_level, specialization: None };
    let Some(compiled) = compile(source, &options, report)? else {
        return Ok(false);
    };
    if let Some(path) = &arguments.ir {
        write(Some(path), &compiled.ir)?;
    }
    let explained = explained(&compiled.manifest);
    if arguments.explain {
        print!("{explained}");
    }
    emit(arguments, kind, &compiled)?;
    // An input that changed meanwhile is kept under no name.
    let unchanged = || is_standard_input(arguments) || cache::input(&arguments.input) == Ok(read);
    if let Some(entry) = entry
        && unchanged()
    {
        let diagnostics = diagnostics.lock().unwrap_or_else(PoisonError::into_inner);
        // The outputs are there, whatever becomes of the cache.
        if let Err(message) =
            entry.keep(output(arguments), kind.endings(), &diagnostics, &explained)
        {
            form.print(&Diagnostic::nowhere(Severity::Warning, message));
        }
    }
    Ok(true)
}

/// The output, which is on the command line unless the model runs here.
fn output(arguments: &Arguments) -> &Path {
    arguments.output.as_deref().unwrap_or(Path::new(""))
}

/// An option that is of runs on this machine alone.
fn of_cpu(arguments: &Arguments) -> Option<&'static str> {
    let given = [
        ("compare", arguments.compare),
        ("function", arguments.function.is_some()),
        ("arguments", arguments.arguments.is_some()),
        ("results", arguments.results.is_some()),
        ("size", !arguments.sizes.is_empty()),
        ("seed", arguments.seed.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

/// Runs a function on this machine.
fn run_on_cpu(arguments: &Arguments) -> Result<bool, String> {
    let path = arguments.input.display().to_string();
    let text;
    let source = if is_standard_input(arguments) {
        text = String::from_utf8(cache::input(&arguments.input)?)
            .map_err(|_| "expected a text on standard input, found bytes that are none")?;
        Source::Text(&text)
    } else {
        Source::File(&path)
    };
    let options = cpu::Options {
        chip: &arguments.chip,
        function: arguments.function.as_deref(),
        arguments: arguments.arguments.as_deref(),
        results: arguments.results.as_deref(),
        sizes: &arguments.sizes,
        seed: arguments.seed.unwrap_or(1),
        steps: arguments.max_steps,
        compare: arguments.compare,
    };
    cpu::run(source, &options)
}

fn is_standard_input(arguments: &Arguments) -> bool {
    arguments.input == Path::new("-")
}

/// The place in the cache, where there is one, of input, options and the programs that take part.
fn entry(arguments: &Arguments, kind: Kind, read: &[u8]) -> Option<Entry> {
    let folder = arguments.cache.as_deref().filter(|_| arguments.ir.is_none())?;
    let own = std::env::current_exe().ok()?;
    let mut key = Key::new()
        .program(&own)
        .bytes(read)
        .bytes(arguments.input.as_os_str().as_encoded_bytes())
        .bytes(output(arguments).file_name()?.as_encoded_bytes())
        .bytes(arguments.chip.as_bytes())
        .bytes(&[arguments.opt_level]);
    if kind != Kind::Ptx {
        key = key.program(&arguments.ptxas.clone().or_else(on_path).unwrap_or_default());
    }
    if kind == Kind::Library {
        key = key.bytes(arguments.cc.as_os_str().as_encoded_bytes());
        key = key.program(&runtime(arguments).join(RUNTIME));
    }
    Some(Entry::new(folder, key))
}

/// Writes what was requested. Nothing is written before all of it is there.
fn emit(arguments: &Arguments, kind: Kind, compiled: &Compiled) -> Result<(), String> {
    let Compiled { ptx, manifest: facts, chip, .. } = compiled;
    let output = output(arguments);
    if kind == Kind::Ptx {
        write(Some(&output.with_extension("json")), &json(facts)?)?;
        return write(Some(output), ptx);
    }
    let ptxas = arguments.ptxas.clone().or_else(on_path);
    let cubin = ptxas.as_deref().map(|ptxas| assemble(ptxas, ptx, chip)).transpose()?;
    if kind == Kind::Cubin {
        let cubin = cubin.ok_or("expected an assembler for a cubin, found none; give --ptxas")?;
        write(Some(&output.with_extension("json")), &json(facts)?)?;
        return fs::write(output, cubin)
            .map_err(|error| format!("cannot write {}: {error}", output.display()));
    }
    let stem = output.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_else(|| "model".to_owned());
    let code = cubin.as_deref().unwrap_or(ptx.as_bytes());
    let files = launcher::emit(&stem, facts, code)?;
    if kind == Kind::Source {
        write(Some(&output.with_extension("h")), &files.header)?;
        return write(Some(output), &files.source);
    }
    link(arguments, &stem, &files)
}

/// Compiles and links the library, and writes its header beside it.
fn link(arguments: &Arguments, stem: &str, files: &launcher::Launcher) -> Result<(), String> {
    const HEADER: &str = include_str!("../../../lowering/runtime/include/layout_runtime.h");
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a folder: {error}"))?;
    let at = |name: &str| folder.path().join(name);
    let source = at(&format!("{stem}.c"));
    write(Some(&at("layout_runtime.h")), HEADER)?;
    write(Some(&at(&format!("{stem}.h"))), &files.header)?;
    write(Some(&source), &files.source)?;
    let runtime = runtime(arguments);
    if !runtime.join(RUNTIME).exists() {
        return Err(format!(
            "expected {RUNTIME} in {}, found none; give --runtime FOLDER, or cargo build -p layout-runtime",
            runtime.display()
        ));
    }
    let output = output(arguments);
    let mut command = Command::new(&arguments.cc);
    command.args(["-shared", "-fPIC", "-O1"]).arg(&source).arg("-o").arg(output);
    command.arg(format!("-L{}", runtime.display())).arg("-llayout_runtime");
    command.arg(format!("-Wl,-rpath,{}", runtime.display()));
    // A program that links with it finds it by its name, wherever it lies then.
    command.arg(format!("-Wl,-soname,{stem}.so"));
    let shown = arguments.cc.display();
    let done = command.output().map_err(|error| format!("cannot run {shown}: {error}"))?;
    if !done.status.success() {
        let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(format!("{shown} does not link {}: {}", output.display(), stderr.trim()));
    }
    write(Some(&output.with_extension("h")), &files.header)
}

/// The runtime library's file.
const RUNTIME: &str = "liblayout_runtime.so";

/// The folder of the runtime library: what was given, or this program's.
fn runtime(arguments: &Arguments) -> PathBuf {
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let runtime = arguments.runtime.clone().or(own).unwrap_or_default();
    runtime.canonicalize().unwrap_or(runtime)
}

fn json(facts: &Manifest) -> Result<String, String> {
    let text = serde_json::to_string_pretty(facts).map_err(|error| error.to_string())?;
    Ok(format!("{text}\n"))
}

/// The assembler on the path.
fn on_path() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join("ptxas")).find(|found| found.is_file())
}

/// The steps of each program: its tensors, its steps, and bytes of memory where no size is open. Without programs, what each
/// kernel takes.
fn explained(facts: &Manifest) -> String {
    let mut text = String::new();
    if facts.programs.is_empty() {
        let plain = facts.kernels.iter().map(|kernel| (&kernel.name[..], kernel.args.clone()));
        let sized = facts.templates.iter().map(|kernel| (kernel.name(), Template::args(kernel)));
        for (name, args) in plain.chain(sized) {
            let of = |argument: &Argument| {
                let Argument { name, element, shape, stride, .. } = argument;
                format!("{name} {element} {shape}:{stride}")
            };
            let args: Vec<String> = args.iter().map(of).collect();
            text += &format!("{name}: {}\n", args.join(", "));
        }
    }
    for program in &facts.programs {
        let list = |tensors: &[program::Tensor]| {
            let all: Vec<String> =
                tensors.iter().map(|one| format!("{} {}", one.element, one.shape_text())).collect();
            all.join(", ")
        };
        let (arguments, results) = (list(&program.arguments), list(&program.results));
        text += &format!("{}: {arguments} -> {results}\n", program.name);
        for part in &program.parts {
            text += &format!("  {} = {}\n", part.name, part.value.text());
        }
        text += &steps(facts, &program.steps, 1);
        match facts.workspace_of(program) {
            Some(Ok((bytes, unshared))) => {
                text += &format!("  workspace: {bytes} bytes, of {unshared} without sharing\n");
            }
            Some(Err(error)) => text += &format!("  workspace: {error}\n"),
            None => text += "  workspace: follows from the sizes of a call\n",
        }
    }
    text
}

/// Steps, a line each; those in loops and branches are indented by two letters more.
fn steps(facts: &Manifest, all: &[program::Step], depth: usize) -> String {
    let (mut text, indent) = (String::new(), "  ".repeat(depth));
    let inner = |steps_in: &[program::Step]| steps(facts, steps_in, depth + 1);
    for step in all {
        text += &match step {
            program::Step::Launch(launch) => {
                let places: Vec<String> = launch.operands.iter().map(place).collect();
                let line = format!("{indent}launch {} {}\n", launch.kernel, places.join(", "));
                line + &around(facts, &launch.kernel, &indent) + &variants(facts, launch, &indent)
            }
            program::Step::Copy(copy) => {
                format!("{indent}copy {} -> {}\n", place(&copy.from), place(&copy.to))
            }
            program::Step::Set(all) => {
                let one = |one: &program::control::Assignment| {
                    format!("{} = {}", one.variable, one.value.text())
                };
                let all: Vec<String> = all.iter().map(one).collect();
                format!("{indent}set {}\n", all.join(", "))
            }
            program::Step::Read(read) => {
                format!("{indent}read {} from {}\n", read.variable, place(&read.from))
            }
            program::Step::Branch(branch) => {
                let condition = branch.condition.text();
                let then = format!("{indent}if {condition}\n{}", inner(&branch.then));
                match branch.otherwise.is_empty() {
                    true => then,
                    false => format!("{then}{indent}else\n{}", inner(&branch.otherwise)),
                }
            }
            program::Step::Loop(one) => {
                let (before, body) = (inner(&one.before), inner(&one.body));
                format!("{indent}loop\n{before}{indent}while {}\n{body}", one.condition.text())
            }
        };
    }
    text
}

/// The kernels of a family's launch, a line each, with the sizes that it is for.
fn variants(facts: &Manifest, launch: &program::Launch, indent: &str) -> String {
    let family = facts.families.iter().find(|family| family.name == launch.kernel);
    let mut text = String::new();
    for variant in family.iter().flat_map(|family| &family.variants) {
        let bound = |(size, most): (&String, &i64)| {
            let value = launch.sizes.get(size).map_or_else(|| size.clone(), program::Amount::text);
            format!("{value} <= {most}")
        };
        let bounds: Vec<String> = variant.most.iter().map(bound).collect();
        let condition = match bounds.is_empty() {
            true => "otherwise".to_owned(),
            false => format!("if {}", bounds.join(" and ")),
        };
        text += &format!("{indent}  {} {condition}\n", variant.kernel);
        text += &around(facts, &variant.kernel, &format!("{indent}  "));
    }
    text
}

/// The kernels that prepare another one's workspaces or read them, a line each: copies of its operands, and sums of its parts.
fn around(facts: &Manifest, kernel: &str, indent: &str) -> String {
    let known = facts.kernels.iter().find(|own| own.name == kernel);
    let sized = || facts.templates.iter().find(|own| own.name() == kernel).map(Template::smallest);
    let Some(own) = known.or_else(sized) else { return String::new() };
    let before = own.before.iter().map(|step| (step, "before"));
    let all = before.chain(own.after.iter().map(|step| (step, "after")));
    all.map(|(step, place)| format!("{indent}  {} {place} it\n", step.name)).collect()
}

/// A place as `argument 0` or `buffer 1+256`.
fn place(operand: &program::Operand) -> String {
    let (kind, number) = match operand.memory {
        program::Memory::Argument(number) => ("argument", number),
        program::Memory::Result(number) => ("result", number),
        program::Memory::Buffer(number) => ("buffer", number),
        program::Memory::Constant(number) => ("constant", number),
    };
    match &operand.offset {
        program::Amount::Known(0) => format!("{kind} {number}"),
        program::Amount::Known(bytes) => format!("{kind} {number}+{bytes}"),
        program::Amount::AtRunTime(text) => format!("{kind} {number}+{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_well_formed() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn outputs_are_reported_by_their_endings() {
        let kinds = ["m.so", "m.c", "a/m.ptx", "m.cubin"].map(|name| Kind::of(Path::new(name)));
        assert_eq!(kinds, [Kind::Library, Kind::Source, Kind::Ptx, Kind::Cubin].map(Ok));
        assert_eq!(
            Kind::of(Path::new("model")),
            Err("expected an output that ends in .so, .c, .ptx or .cubin, found model".to_owned())
        );
    }
}
