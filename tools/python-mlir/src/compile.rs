//! `compile`: MLIR to a module, in this process, and from the cache where it was compiled before.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use layout_compile::cache::{self, Entry, Key};
use layout_compile::{Diagnostic, Options, Severity, Source, Specialization};
use layout_runtime::driver::Gpu;
use layout_runtime::manifest::Manifest;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::error::CompileError;
use crate::launch::Launcher;
use crate::module::{Loaded, PyDiagnostic, PyModule_};
use crate::specialize::Specializer;

/// The first bytes of bytecode.
const BYTECODE: &[u8] = b"ML\xefR";

/// The input of a compilation.
#[derive(Clone)]
enum Input {
    File(PathBuf),
    Text(String),
    Bytecode(Vec<u8>),
}

impl Input {
    fn of(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = source.cast::<PyString>() {
            let text = text.to_cow()?.into_owned();
            let is_path = !text.contains('\n') && text.ends_with(".mlir");
            return Ok(if is_path { Self::File(text.into()) } else { Self::Text(text) });
        }
        if let Ok(bytes) = source.cast::<PyBytes>() {
            return Self::of_bytes(bytes.as_bytes());
        }
        if source.hasattr("__fspath__")? {
            return source.extract().map(Self::File);
        }
        Ok(Self::Text(source.str()?.to_cow()?.into_owned()))
    }

    fn of_bytes(bytes: &[u8]) -> PyResult<Self> {
        if bytes.starts_with(BYTECODE) {
            return Ok(Self::Bytecode(bytes.to_vec()));
        }
        let text = String::from_utf8(bytes.to_vec());
        let wrong = "expected bytes of MLIR's text or bytecode, found bytes that are no UTF-8";
        text.map(Self::Text).map_err(|_| PyValueError::new_err(wrong))
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::File(path) => cache::input(path),
            Self::Text(text) => Ok(text.as_bytes().to_vec()),
            Self::Bytecode(bytes) => Ok(bytes.clone()),
        }
    }
}

/// Code, manifest, and its diagnostics.
type Output = (Vec<u8>, String, Vec<Diagnostic>);

/// Compiles MLIR to kernels and the programs that launch them.
///
/// `source` is a text, the path of a file (a `pathlib.Path`, or a `str` that ends in .mlir), bytes of text or bytecode, or an object whose
/// `str` is a text, such as a module of MLIR's Python bindings or of torch-mlir. Functions on tensors (`linalg`, `tensor`, `arith`, `math`)
/// become programs; a file without is one of matmuls on views and of kernels written in layouts.
///
/// `chip` is the GPU: by default that of device 0, and "sm_90a" where there is none. `opt_level` is LLVM's, 0 to 3. `cache` is the folder that
/// compilations are kept in, by what they depend on: by default $LAYOUT_CACHE, else a folder `layout` in the user's cache; False keeps nothing.
///
/// Raises CompileError with the diagnostics where there is no code; those of a module that was compiled are its `diagnostics`.
#[pyfunction]
#[pyo3(signature = (source, *, chip=None, opt_level=3, cache=None))]
pub(crate) fn compile(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    chip: Option<String>,
    opt_level: u8,
    cache: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyModule_> {
    let compiler = Compiler::new(py, source, (chip, opt_level), cache)?;
    compiler.module(py, None)
}

/// Compiles MLIR as `compile` does, and each function on tensors with sizes known at run time again for the shapes of each call, as `jax.jit` does.
///
/// A call with tensors of new shapes compiles the function with these extents static, and launches that from then on. `limit` is how many shapes of
/// a function are compiled for; a call with others launches the function of all shapes. Compiled code is kept in the cache under the source and
/// the shapes, so that another process finds it. `f.specialize(*tensors)` compiles ahead of a call, and `f.specializations` are those that are there.
#[pyfunction]
#[pyo3(signature = (source, *, chip=None, opt_level=3, cache=None, limit=16))]
pub(crate) fn jit(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    chip: Option<String>,
    opt_level: u8,
    cache: Option<&Bound<'_, PyAny>>,
    limit: usize,
) -> PyResult<PyModule_> {
    let mut compiler = Compiler::new(py, source, (chip, opt_level), cache)?;
    // A file may change before a call.
    if let Input::File(path) = &compiler.input {
        let bytes = cache::input(path).map_err(PyOSError::new_err)?;
        compiler.input = Input::of_bytes(&bytes)?;
    }
    compiler.module(py, Some(limit))
}

/// All that a compilation depends on but the shapes.
#[derive(Clone)]
struct Compiler {
    input: Input,
    options: Options,
    /// The cache, where there is one.
    folder: Option<PathBuf>,
    /// The extension.
    own: PathBuf,
}

impl Compiler {
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        (chip, opt_level): (Option<String>, u8),
        cache: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if opt_level > 3 {
            return Err(PyValueError::new_err(format!(
                "expected an opt_level of 0 to 3, found {opt_level}"
            )));
        }
        let input = Input::of(source)?;
        let folder = folder(cache)?;
        let own = py.import("layout_mlir._native")?.getattr("__file__")?.extract()?;
        let chip = chip.unwrap_or_else(|| py.detach(present));
        Ok(Self { input, options: Options { chip, opt_level, specialization: None }, folder, own })
    }

    /// The module; with a limit, one whose functions are compiled again for so many shapes.
    fn module(self, py: Python<'_>, limit: Option<usize>) -> PyResult<PyModule_> {
        match py.detach(|| self.output()) {
            Ok((code, manifest, diagnostics)) => {
                let diagnostics = diagnostics
                    .iter()
                    .map(|one| PyDiagnostic::of(py, one))
                    .collect::<PyResult<_>>()?;
                let specializer =
                    limit.map(|limit| (Arc::new(self) as Arc<dyn Specializer>, limit));
                PyModule_::new(py, code, manifest, diagnostics, specializer)
            }
            Err(Failed::Read(message)) => Err(PyOSError::new_err(message)),
            Err(Failed::Compile(diagnostics)) => Err(raised(py, &diagnostics)),
        }
    }

    fn output(&self) -> Result<Output, Failed> {
        kept(&self.input, &self.options, self.folder.as_deref(), &self.own)
    }
}

impl Specializer for Compiler {
    fn specialize(&self, function: &str, shapes: &[Vec<i64>]) -> Result<Launcher, String> {
        let specialization =
            Some(Specialization { function: function.to_owned(), shapes: shapes.to_vec() });
        let options = Options { specialization, ..self.options.clone() };
        let (code, manifest, _) =
            Self { options, ..self.clone() }.output().map_err(|failed| failed.text())?;
        let facts = Manifest::parse(&manifest).map_err(|error| error.to_string())?;
        let found = facts.programs.iter().find(|program| program.name == function);
        let program = found.ok_or("expected the function in the manifest, found none")?;
        let loaded = Arc::new(Loaded::new(code, manifest));
        Launcher::program(program, loaded).map_err(|error| error.to_string())
    }
}

/// The chips that `compile` takes.
#[pyfunction]
pub(crate) fn chips() -> Vec<&'static str> {
    layout_compile::chips().collect()
}

enum Failed {
    Read(String),
    Compile(Vec<Diagnostic>),
}

impl Failed {
    fn text(&self) -> String {
        match self {
            Self::Read(message) => message.clone(),
            Self::Compile(diagnostics) => errors(diagnostics),
        }
    }
}

/// The errors among diagnostics, a line each.
fn errors(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
    errors.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn raised(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyErr {
    let error = CompileError::new_err(errors(diagnostics));
    let diagnostics: PyResult<Vec<Py<PyDiagnostic>>> =
        diagnostics.iter().map(|one| PyDiagnostic::of(py, one)).collect();
    // An exception without its attributes is one still.
    let _ = diagnostics.and_then(|diagnostics| error.value(py).setattr("diagnostics", diagnostics));
    error
}

/// The chip of the first GPU; the compiler's own default where there is none.
fn present() -> String {
    let found = Gpu::capability_of(0).ok();
    found.map_or_else(|| "sm_90a".to_owned(), |found| layout_compile::chip_of(found).to_owned())
}

/// The folder of the cache, where there is one.
fn folder(cache: Option<&Bound<'_, PyAny>>) -> PyResult<Option<PathBuf>> {
    let variable =
        |name: &str| std::env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let own = || {
        variable("LAYOUT_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("layout")))
            .or_else(|| variable("HOME").map(|folder| folder.join(".cache/layout")))
    };
    match cache.filter(|cache| !cache.is_none()) {
        None => Ok(own()),
        Some(cache) => match cache.cast::<PyBool>() {
            Ok(answer) => Ok(answer.is_true().then(own).flatten()),
            Err(_) => cache.extract().map(Some).map_err(|_| {
                PyTypeError::new_err(
                    "expected a folder, True or False as cache, found something else",
                )
            }),
        },
    }
}

/// Compiles, or takes what was kept.
fn kept(
    input: &Input,
    options: &Options,
    folder: Option<&Path>,
    own: &Path,
) -> Result<Output, Failed> {
    const ENDINGS: [&str; 2] = ["ptx", "json"];
    let failed =
        |message: String| Failed::Compile(vec![Diagnostic::nowhere(Severity::Error, message)]);
    let bytes = input.bytes().map_err(Failed::Read)?;
    let name = match input {
        Input::File(path) => path.as_os_str().as_encoded_bytes(),
        Input::Text(_) | Input::Bytecode(_) => b"-",
    };
    let entry = folder.map(|folder| {
        let key = Key::new().program(own).bytes(&bytes).bytes(name).bytes(options.chip.as_bytes());
        let key = key.bytes(&[options.opt_level]);
        Entry::new(folder, options.specialization.iter().fold(key, |key, one| one.key(key)))
    });
    let scratch =
        tempfile::tempdir().map_err(|error| failed(format!("cannot make a folder: {error}")))?;
    let output = scratch.path().join("module.ptx");
    if let Some(entry) = &entry
        && let Some((diagnostics, _)) = entry.restore(&output, &ENDINGS).map_err(failed)?
    {
        let read = |path: &Path| {
            std::fs::read(path)
                .map_err(|error| failed(format!("cannot read {}: {error}", path.display())))
        };
        let manifest = read(&output.with_extension("json"))?;
        return Ok((read(&output)?, String::from_utf8_lossy(&manifest).into_owned(), diagnostics));
    }
    let file;
    let source = match input {
        Input::Text(text) => Source::Text(text),
        Input::File(path) => {
            file = path.display().to_string();
            Source::File(&file)
        }
        Input::Bytecode(bytes) => {
            let path = scratch.path().join("module.mlirbc");
            std::fs::write(&path, bytes)
                .map_err(|error| failed(format!("cannot write {}: {error}", path.display())))?;
            file = path.display().to_string();
            Source::File(&file)
        }
    };
    let diagnostics = Arc::new(Mutex::new(Vec::new()));
    let report = {
        let diagnostics = Arc::clone(&diagnostics);
        move |one: Diagnostic| diagnostics.lock().unwrap_or_else(PoisonError::into_inner).push(one)
    };
    let compiled = layout_compile::compile(source, options, report);
    let mut diagnostics =
        std::mem::take(&mut *diagnostics.lock().unwrap_or_else(PoisonError::into_inner));
    let compiled = match compiled {
        Ok(Some(compiled)) => compiled,
        Ok(None) => return Err(Failed::Compile(diagnostics)),
        Err(message) => {
            diagnostics.push(Diagnostic::nowhere(Severity::Error, message));
            return Err(Failed::Compile(diagnostics));
        }
    };
    let manifest = serde_json::to_string_pretty(&compiled.manifest)
        .map_err(|error| failed(error.to_string()))?
        + "\n";
    if let Some(entry) = entry {
        let keep = || -> Result<(), String> {
            let write = |path: &Path, bytes: &[u8]| {
                std::fs::write(path, bytes)
                    .map_err(|error| format!("cannot write {}: {error}", path.display()))
            };
            write(&output, compiled.ptx.as_bytes())?;
            write(&output.with_extension("json"), manifest.as_bytes())?;
            // An input that changed meanwhile is kept under no name.
            match input.bytes() == Ok(bytes) {
                true => entry.keep(&output, &ENDINGS, &diagnostics, ""),
                false => Ok(()),
            }
        };
        // The code is there, whatever becomes of the cache.
        if let Err(message) = keep() {
            diagnostics.push(Diagnostic::nowhere(Severity::Warning, message));
        }
    }
    Ok((compiled.ptx.into_bytes(), manifest, diagnostics))
}
