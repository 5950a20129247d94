//! The common parts of the commands that translate: `layout-translate` and `layout-compile`.

use crate::nvptx::{self, Chip, DEFAULT_CHIP};
use layout_dialect::{atoms, diagnostics, targets, tree};
use layout_runtime::manifest::{Manifest, Template};
use melior::{
    Context,
    diagnostic::{Diagnostic, DiagnosticSeverity},
    dialect::DialectRegistry,
    ir::{Module, OperationRef, operation::OperationLike},
    pass::PassManager,
    utility,
};
use std::{
    collections::HashSet,
    fs,
    io::{self, Write},
    path::Path,
    process::{Command, ExitCode},
};

/// A context with all dialects and passes: upstream's, the dialect's, this crate's, and those that `passes` registers. Its diagnostics
/// go to standard error.
pub fn context(passes: impl FnOnce()) -> Context {
    let registry = DialectRegistry::new();
    utility::register_all_dialects(&registry);
    layout_dialect::register(&registry);
    passes();
    crate::register_all();
    utility::register_all_passes();
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    utility::register_all_llvm_translations(&context);
    report_diagnostics(&context);
    context
}

/// Runs a command, and returns its exit code: 0 for success, 1 if it failed or found something wrong. Messages go to
/// standard error.
pub fn exit_code(run: impl FnOnce() -> Result<bool, String>) -> ExitCode {
    nvptx::report_fatal_errors();
    layout_dialect::tools::init_tracing();
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints diagnostics to standard error as compilers do: `file:1:2: error: …`.
fn report_diagnostics(context: &Context) {
    context.attach_diagnostic_handler(|diagnostic| {
        eprintln!("{}", rendered(&diagnostic));
        true
    });
}

/// A diagnostic in the form of compilers, with a line for each note; MLIR's note of the whole operation is left out,
/// since the location names it.
pub fn rendered(diagnostic: &Diagnostic<'_>) -> String {
    let severity = match diagnostic.severity() {
        DiagnosticSeverity::Error => "error",
        DiagnosticSeverity::Warning => "warning",
        DiagnosticSeverity::Note => "note",
        DiagnosticSeverity::Remark => "remark",
    };
    let mut text = format!("{}{severity}: {diagnostic}", place(&diagnostic.location().to_string()));
    for note in (0..diagnostic.note_count()).filter_map(|note| diagnostic.note(note).ok()) {
        if !note.to_string().starts_with("see current operation") {
            text.push('\n');
            text.push_str(&rendered(&note));
        }
    }
    text
}

/// The cubin that `ptxas` makes of PTX.
///
/// # Errors
///
/// When it cannot be run, or refuses the PTX.
pub fn assemble(ptxas: &Path, ptx: &str, chip: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a folder: {error}"))?;
    let [input, output] = ["kernels.ptx", "kernels.cubin"].map(|name| folder.path().join(name));
    fs::write(&input, ptx).map_err(|error| format!("cannot write {}: {error}", input.display()))?;
    let mut command = Command::new(ptxas);
    command.arg(format!("--gpu-name={chip}")).arg(&input).arg("-o").arg(&output);
    let done =
        command.output().map_err(|error| format!("cannot run {}: {error}", ptxas.display()))?;
    if !done.status.success() {
        let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(format!("{} refuses the PTX: {}", ptxas.display(), stderr.trim()));
    }
    fs::read(&output).map_err(|error| format!("cannot read {}: {error}", output.display()))
}

/// The requested chip, else the newest one that the kernels of a module are for. The manifest records the choice. None where diagnostics have
/// reported which kernels do not fit it.
///
/// # Errors
///
/// A chip that is unknown.
pub fn choose_chip(
    module: &Module<'_>,
    requested: Option<&str>,
    manifest: Option<&mut Manifest>,
) -> Result<Option<Chip>, String> {
    let (kernels, templates) = match manifest {
        Some(manifest) => (&mut manifest.kernels[..], &mut manifest.templates[..]),
        None => Default::default(),
    };
    let all = || kernels.iter().chain(templates.iter().map(Template::smallest));
    let newest =
        all().map(|kernel| kernel.chip.clone()).rev().max_by_key(|chip| atoms::chip_number(chip));
    let name = requested.or(newest.as_deref()).unwrap_or(DEFAULT_CHIP);
    let chip = Chip::find(name).map_err(|error| error.to_string())?;
    let mut fits = true;
    for kernel in all() {
        let Err(error) = chip.check(kernel) else { continue };
        match function(module, &kernel.name) {
            Some(function) => diagnostics::error_in(function, &error.to_string()),
            None => return Err(error.to_string()),
        }
        fits = false;
    }
    if !fits {
        return Ok(None);
    }
    for kernel in kernels {
        chip.name.clone_into(&mut kernel.chip);
    }
    for template in templates {
        template.set_chip(chip.name);
    }
    Ok(Some(chip))
}

/// The kernel, or the host function that it has become.
pub fn function<'c>(module: &Module<'c>, name: &str) -> Option<OperationRef<'c, 'c>> {
    let is_named = |found: &OperationRef<'c, 'c>| {
        let kinds = ["gpu.func", "llvm.func", "func.func"];
        kinds.contains(&tree::name(*found).as_str())
            && tree::symbol(*found).is_some_and(|own| own == name)
    };
    tree::all(module.as_operation()).into_iter().find(is_named)
}

/// `loc("file":1:2)` as compilers write it: `file:1:2: `; nothing for a place that is not known.
pub fn place(location: &str) -> String {
    let inside = location.strip_prefix("loc(").and_then(|rest| rest.strip_suffix(')'));
    match inside {
        Some("unknown") | None => String::new(),
        Some(inside) => format!("{}: ", inside.replace('"', "")),
    }
}

/// The modules of kernels for NVIDIA's GPUs, which one PTX text holds.
///
/// # Errors
///
/// None, or two kernels of one name.
pub fn gpu_modules<'c>(module: &Module<'c>) -> Result<Vec<OperationRef<'c, 'c>>, String> {
    let modules = layout_dialect::tree::inside(module.as_operation(), "gpu.module");
    let own: Vec<OperationRef<'c, 'c>> =
        modules.into_iter().filter(|&module| !targets::is_foreign(module)).collect();
    if own.is_empty() {
        return Err("expected a gpu.module, found none".to_owned());
    }
    let mut names = HashSet::new();
    for kernel in own.iter().flat_map(|&module| tree::all(module)) {
        let is_function = tree::name(kernel) == "llvm.func" && tree::entry(kernel).is_some();
        if let Some(refusal) = crate::names::refusal(kernel).filter(|_| is_function) {
            return Err(refusal);
        }
        if let Some(name) = kernel
            .attribute("nvvm.kernel")
            .ok()
            .and_then(|_| tree::symbol(kernel))
            .filter(|name| !names.insert(name.clone()))
        {
            return Err(format!("expected kernels of different names, found two @{name}"));
        }
    }
    Ok(own)
}

/// Runs passes; false when diagnostics have reported why they stopped.
///
/// # Errors
///
/// A pipeline that cannot be read.
pub fn passes<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    text: &str,
) -> Result<bool, String> {
    let manager = PassManager::new(context);
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), text)
        .map_err(|error| error.to_string())?;
    Ok(manager.run(module).is_ok())
}

/// Writes a text to a file, or to standard output.
///
/// # Errors
///
/// The system's error, with the place.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), String> {
    match path {
        None => io::stdout().write_all(text.as_bytes()),
        Some(path) => fs::write(path, text),
    }
    .map_err(|error| {
        let place = path.map_or("standard output".to_owned(), |path| path.display().to_string());
        format!("cannot write {place}: {error}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_as_compilers_write_them() {
        assert_eq!(place("loc(\"a.mlir\":8:5)"), "a.mlir:8:5: ");
        assert_eq!(place("loc(unknown)"), "");
    }
}
