//! `compile`: MLIR to a module, in this process, and from the cache where it was compiled before.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use layout_compile::cache::{self, Entry, Key};
use layout_compile::{Diagnostic, Options, Severity, Source};
use layout_runtime::driver::Gpu;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::error::CompileError;
use crate::module::{PyDiagnostic, PyModule_};

/// What bytecode begins with.
const BYTECODE: &[u8] = b"ML\xefR";

/// What is compiled.
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
            let bytes = bytes.as_bytes();
            if bytes.starts_with(BYTECODE) {
                return Ok(Self::Bytecode(bytes.to_vec()));
            }
            let text = String::from_utf8(bytes.to_vec());
            let wrong = "expected bytes of MLIR's text or bytecode, found others";
            return text.map(Self::Text).map_err(|_| PyValueError::new_err(wrong));
        }
        if source.hasattr("__fspath__")? {
            return source.extract().map(Self::File);
        }
        Ok(Self::Text(source.str()?.to_cow()?.into_owned()))
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::File(path) => cache::input(path),
            Self::Text(text) => Ok(text.as_bytes().to_vec()),
            Self::Bytecode(bytes) => Ok(bytes.clone()),
        }
    }
}

/// Code, manifest, and what was said.
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
    if opt_level > 3 {
        return Err(PyValueError::new_err(format!(
            "expected an opt_level of 0 to 3, found {opt_level}"
        )));
    }
    let input = Input::of(source)?;
    let folder = folder(cache)?;
    let own: PathBuf = py.import("layout_mlir._native")?.getattr("__file__")?.extract()?;
    let done = py.detach(|| {
        let chip = chip.unwrap_or_else(present);
        let options = Options { chip, opt_level };
        kept(&input, &options, folder.as_deref(), &own)
    });
    match done {
        Ok((code, manifest, said)) => {
            let said = said.iter().map(|one| PyDiagnostic::of(py, one)).collect::<PyResult<_>>()?;
            PyModule_::new(py, code, manifest, said)
        }
        Err(Failed::Read(message)) => Err(PyOSError::new_err(message)),
        Err(Failed::Compile(said)) => Err(raised(py, &said)),
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

fn raised(py: Python<'_>, said: &[Diagnostic]) -> PyErr {
    let errors: Vec<String> = said
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .map(ToString::to_string)
        .collect();
    let error = CompileError::new_err(errors.join("\n"));
    let said: PyResult<Vec<Py<PyDiagnostic>>> =
        said.iter().map(|one| PyDiagnostic::of(py, one)).collect();
    // An exception without its attributes is one still.
    let _ = said.and_then(|said| error.value(py).setattr("diagnostics", said));
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
            Ok(asked) => Ok(asked.is_true().then(own).flatten()),
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
        Entry::new(folder, key.bytes(&[options.opt_level]))
    });
    let beside =
        tempfile::tempdir().map_err(|error| failed(format!("cannot make a folder: {error}")))?;
    let output = beside.path().join("module.ptx");
    if let Some(entry) = &entry
        && let Some((said, _)) = entry.restore(&output, &ENDINGS).map_err(failed)?
    {
        let read = |path: &Path| {
            std::fs::read(path)
                .map_err(|error| failed(format!("cannot read {}: {error}", path.display())))
        };
        let manifest = read(&output.with_extension("json"))?;
        return Ok((read(&output)?, String::from_utf8_lossy(&manifest).into_owned(), said));
    }
    let file;
    let source = match input {
        Input::Text(text) => Source::Text(text),
        Input::File(path) => {
            file = path.display().to_string();
            Source::File(&file)
        }
        Input::Bytecode(bytes) => {
            let path = beside.path().join("module.mlirbc");
            std::fs::write(&path, bytes)
                .map_err(|error| failed(format!("cannot write {}: {error}", path.display())))?;
            file = path.display().to_string();
            Source::File(&file)
        }
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let report = {
        let said = Arc::clone(&said);
        move |one: Diagnostic| said.lock().unwrap_or_else(PoisonError::into_inner).push(one)
    };
    let compiled = layout_compile::compile(source, options, report);
    let mut said = std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
    let compiled = match compiled {
        Ok(Some(compiled)) => compiled,
        Ok(None) => return Err(Failed::Compile(said)),
        Err(message) => {
            said.push(Diagnostic::nowhere(Severity::Error, message));
            return Err(Failed::Compile(said));
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
                true => entry.keep(&output, &ENDINGS, &said, ""),
                false => Ok(()),
            }
        };
        // The code is there, whatever becomes of the cache.
        if let Err(message) = keep() {
            said.push(Diagnostic::nowhere(Severity::Warning, message));
        }
    }
    Ok((compiled.ptx.into_bytes(), manifest, said))
}
