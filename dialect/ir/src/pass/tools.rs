//! The main functions of MLIR's tools, and registration of all of upstream MLIR.

use crate::border::ffi::{
    layoutLspServerMain, layoutOptMain, layoutRegisterUpstream, layoutRegisterUpstreamPasses, lend,
};
use crate::pass::build::heard;
use melior::{
    Context, diagnostic::Diagnostic, dialect::DialectRegistry, ir::Module, pass::PassManager,
    utility::parse_pass_pipeline,
};
use mlir_sys::mlirModuleCreateParseFromFile;
use std::{
    env,
    ffi::{CString, c_char, c_int},
    os::unix::ffi::OsStringExt,
    process::ExitCode,
};

/// Adds every upstream dialect, extension and LLVM IR translation to a registry.
pub fn register_upstream(registry: &DialectRegistry) {
    // SAFETY: the registry is valid.
    unsafe { layoutRegisterUpstream(registry.to_raw()) }
}

/// Registers every upstream pass with MLIR's global registry.
pub fn register_upstream_passes() {
    // SAFETY: it only touches MLIR's global registry, which locks.
    unsafe { layoutRegisterUpstreamPasses() }
}

/// Shows tracing events on standard error as the environment variable `LAYOUT_LOG` states, in the
/// syntax of `tracing_subscriber`: `LAYOUT_LOG=debug`, `LAYOUT_LOG=layout_passes=trace`. For main
/// functions of tools; silent when the variable is not set, and a warning when it cannot be read.
pub fn init_tracing() {
    use tracing_subscriber::{EnvFilter, fmt};
    let Some(directives) = env::var_os("LAYOUT_LOG") else { return };
    let directives = directives.to_string_lossy();
    let filter = match EnvFilter::try_new(&*directives) {
        Ok(filter) => filter,
        Err(error) => {
            eprintln!(
                "warning: expected LAYOUT_LOG to be a filter such as debug or layout_passes=trace, \
                 found {directives:?} ({error})"
            );
            return;
        }
    };
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    // A second call keeps the first subscriber.
    let _ =
        fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours).try_init();
}

/// Parses a module from a file, or from standard input when the path is `-`. Nothing when
/// diagnostics have reported why not.
pub fn parse_file<'c>(context: &'c Context, path: &str) -> Option<Module<'c>> {
    // SAFETY: the path lives until the call returns; a failed parse is null.
    unsafe { Module::from_option_raw(mlirModuleCreateParseFromFile(context.to_raw(), lend(path))) }
}

/// Parses a module from a text.
///
/// # Errors
///
/// The text of the diagnostics, each with its line and column; they are shown too.
pub fn parse<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, String> {
    let (module, errors) = heard(context, placed, || Module::parse(context, text));
    module.ok_or_else(|| joined(errors, "expected a module, found none"))
}

/// Runs the passes of a textual pipeline on a module.
///
/// # Errors
///
/// The pipeline's error, or the text of the diagnostics that say why a pass failed; they are shown too.
pub fn run_passes<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    pipeline: &str,
) -> Result<(), String> {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)
        .map_err(|error| error.to_string())?;
    let (done, errors) = heard(context, placed, || manager.run(module));
    done.map_err(|error| joined(errors, &error.to_string()))
}

/// The messages of the errors, or `otherwise` if there are none.
fn joined(errors: Vec<String>, otherwise: &str) -> String {
    if errors.is_empty() { otherwise.to_owned() } else { errors.join("\n") }
}

/// An error after its place, where it has one in a file: `file:1:2: message`.
fn placed(error: &Diagnostic<'_>) -> String {
    let location = error.location().to_string();
    let place = location.strip_prefix("loc(\"").and_then(|rest| rest.strip_suffix(')'));
    match place {
        Some(place) => format!("{}: {error}", place.replacen('"', "", 1)),
        None => error.to_string(),
    }
}

/// Runs `mlir-opt`'s main function on this process's arguments. `tool` heads the help text.
pub fn opt_main(tool: &str, registry: &DialectRegistry) -> ExitCode {
    with_arguments(|argc, argv| {
        // SAFETY: the arguments live until the call returns.
        unsafe { layoutOptMain(argc, argv, lend(tool), registry.to_raw()) }
    })
}

/// Runs `mlir-lsp-server`'s main function on this process's arguments.
pub fn lsp_server_main(registry: &DialectRegistry) -> ExitCode {
    with_arguments(|argc, argv| {
        // SAFETY: the arguments live until the call returns.
        unsafe { layoutLspServerMain(argc, argv, registry.to_raw()) }
    })
}

fn with_arguments(main: impl FnOnce(c_int, *mut *mut c_char) -> c_int) -> ExitCode {
    // An argument holds no NUL byte: the system passes arguments as C strings.
    let mut arguments: Vec<CString> =
        env::args_os().filter_map(|argument| CString::new(argument.into_vec()).ok()).collect();
    // C programs may write to their arguments; `into_raw` gives memory that may be written.
    let mut pointers: Vec<*mut c_char> = arguments.drain(..).map(CString::into_raw).collect();
    let count = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
    pointers.push(std::ptr::null_mut());
    match main(count, pointers.as_mut_ptr()) {
        0 => ExitCode::SUCCESS,
        _ => {
            report_misspelled();
            ExitCode::FAILURE
        }
    }
}

/// Says which pass is most like a name in a pipeline, where MLIR has reported an unknown pass.
fn report_misspelled() {
    let arguments: Vec<String> = env::args().collect();
    for (i, argument) in arguments.iter().enumerate() {
        let Some(rest) = argument.trim_start_matches('-').strip_prefix("pass-pipeline") else {
            continue;
        };
        let next = arguments.get(i + 1).map_or("", String::as_str);
        let pipeline = rest.strip_prefix('=').unwrap_or(next);
        for (found, like) in crate::pass::passes::misspelled(pipeline) {
            eprintln!("hint: did you mean the pass '{like}' in place of '{found}'?");
        }
    }
}
