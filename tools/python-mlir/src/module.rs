//! A module: code, its manifest, and its functions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use layout_runtime::driver::Gpu;
use layout_runtime::executable::Executable;
use layout_runtime::instances::Instances;
use layout_runtime::manifest::{Manifest, Template};
use pyo3::exceptions::{PyAttributeError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error;
use crate::function::PyFunction;
use crate::launch::Launcher;
use crate::specialize::{Specializations, Specializer};

/// Code, and where it is loaded.
pub(crate) struct Loaded {
    code: Vec<u8>,
    manifest: String,
    devices: Mutex<BTreeMap<i32, (Gpu, Executable)>>,
}

impl Loaded {
    pub(crate) fn new(code: Vec<u8>, manifest: String) -> Self {
        Self { code, manifest, devices: Mutex::default() }
    }

    /// The code on a device.
    pub(crate) fn on(&self, device: i32) -> layout_runtime::Result<Executable> {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, executable)) = devices.get(&device) {
            return Ok(executable.clone());
        }
        let gpu = Gpu::numbered(device)?;
        let executable = Executable::load(device, &self.code, &self.manifest)?;
        devices.insert(device, (gpu, executable.clone()));
        Ok(executable)
    }

    /// A device that the code is loaded on.
    pub(crate) fn gpu(&self, device: i32) -> layout_runtime::Result<Gpu> {
        self.on(device)?;
        let devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        match devices.get(&device) {
            Some((gpu, _)) => Ok(gpu.clone()),
            None => Gpu::numbered(device),
        }
    }
}

/// A diagnostic of the compiler about its input.
#[pyclass(frozen, name = "Diagnostic", module = "layout_mlir")]
pub(crate) struct PyDiagnostic {
    /// "error", "warning", "remark" or "note".
    #[pyo3(get)]
    severity: String,
    /// The place in the input, as "file:line:column"; None where it is not known.
    #[pyo3(get)]
    location: Option<String>,
    /// The text.
    #[pyo3(get)]
    message: String,
    /// Its notes, a list of Diagnostic.
    #[pyo3(get)]
    notes: Vec<Py<PyDiagnostic>>,
    text: String,
}

#[pymethods]
impl PyDiagnostic {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<layout_mlir.Diagnostic {}>", self.text)
    }
}

#[cfg(feature = "compiler")]
impl PyDiagnostic {
    pub(crate) fn of(py: Python<'_>, of: &layout_compile::Diagnostic) -> PyResult<Py<Self>> {
        use layout_compile::Severity;
        let severity = match of.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        };
        let notes = of.notes.iter().map(|note| Self::of(py, note)).collect::<PyResult<_>>()?;
        let (location, message) = (of.location.clone(), of.message.clone());
        let own =
            Self { severity: severity.to_owned(), location, message, notes, text: of.to_string() };
        Py::new(py, own)
    }
}

/// Compiled kernels and programs: each function is an attribute.
///
/// A module with one public function can be called itself. Nothing is loaded before the first call, so that a module can be
/// compiled, saved and queried for its operands where no GPU is.
#[pyclass(frozen, name = "Module", module = "layout_mlir", weakref)]
pub(crate) struct PyModule_ {
    loaded: Arc<Loaded>,
    /// The GPU that it is for, such as "sm_90a".
    #[pyo3(get)]
    chip: String,
    /// The diagnostics of the compiler: a list of Diagnostic.
    #[pyo3(get)]
    diagnostics: Vec<Py<PyDiagnostic>>,
    programs: Vec<(String, Py<PyFunction>)>,
    kernels: Vec<(String, Py<PyFunction>)>,
}

impl PyModule_ {
    /// A module of code and manifest. With a specializer, each of its programs is compiled again for the shapes of calls, for as many as the
    /// limit says.
    pub(crate) fn new(
        py: Python<'_>,
        code: Vec<u8>,
        manifest: String,
        diagnostics: Vec<Py<PyDiagnostic>>,
        specializer: Option<(Arc<dyn Specializer>, usize)>,
    ) -> PyResult<Self> {
        let raise = |error: layout_runtime::Error| error::of(&error);
        let facts = Manifest::parse(&manifest).map_err(raise)?;
        let loaded = Arc::new(Loaded::new(code, manifest));
        let (mut kernels, mut programs) = (Vec::new(), Vec::new());
        let plain = facts.kernels.iter().cloned().map(Instances::of_kernel);
        let families = facts.families.iter().cloned();
        let families = families.map(|family| Instances::of_family(family, &facts.templates));
        let sized = facts.templates.iter().cloned().map(Instances::of_template).map(Ok);
        for instances in plain.chain(families).chain(sized) {
            let launcher = Launcher::kernel(instances.map_err(raise)?, Arc::clone(&loaded));
            let launcher = launcher.map_err(raise)?;
            kernels.push((launcher.name.clone(), Py::new(py, PyFunction::new(launcher))?));
        }
        for program in &facts.programs {
            let mut launcher = Launcher::program(program, Arc::clone(&loaded)).map_err(raise)?;
            // A function whose sizes are all known is compiled for its shapes.
            if let Some((specializer, limit)) = &specializer
                && !launcher.signature.sizes().is_empty()
            {
                let (name, by) = (launcher.name.clone(), Arc::clone(specializer));
                launcher.specializations = Some(Specializations::new(name, by, *limit));
            }
            programs.push((launcher.name.clone(), Py::new(py, PyFunction::new(launcher))?));
        }
        let chips = facts.kernels.iter().map(|kernel| &kernel.chip);
        let sized = facts.templates.iter().map(|template| &Template::smallest(template).chip);
        let chip = chips.chain(sized).next().cloned().unwrap_or_default();
        Ok(Self { loaded, chip, diagnostics, programs, kernels })
    }

    /// The functions that its source has: programs, or the kernels of a file without.
    fn public(&self) -> &[(String, Py<PyFunction>)] {
        if self.programs.is_empty() { &self.kernels } else { &self.programs }
    }

    fn is_ptx(&self) -> bool {
        self.loaded.code.iter().take(4096).all(u8::is_ascii)
    }
}

#[pymethods]
impl PyModule_ {
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyFunction>> {
        let mut all = self.programs.iter().chain(&self.kernels);
        let found = all.find(|(own, _)| own == name).map(|(_, function)| function.clone_ref(py));
        found.ok_or_else(|| {
            let names: Vec<&str> = self.public().iter().map(|(name, _)| name.as_str()).collect();
            PyAttributeError::new_err(format!(
                "expected one of the functions {}, found {name}",
                names.join(", ")
            ))
        })
    }

    fn __dir__(&self) -> Vec<String> {
        let own = ["chip", "diagnostics", "functions", "kernels", "manifest", "ptx", "save"];
        let own = own.iter().map(|name| (*name).to_owned());
        own.chain(self.public().iter().map(|(name, _)| name.clone())).collect()
    }

    /// Calls the one function, or `main`.
    #[pyo3(signature = (*operands, **keywords))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        operands: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = match self.public() {
            [(_, function)] => function,
            several => {
                let main = several.iter().find(|(name, _)| name == "main");
                let (_, function) = main.ok_or_else(|| {
                    let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                    PyTypeError::new_err(format!(
                        "expected a module of one function, found {}; call one of them",
                        names.join(", ")
                    ))
                })?;
                function
            }
        };
        function.bind(py).call(operands, keywords)
    }

    /// The functions of its source by name: programs, or the kernels of a file without.
    #[getter]
    fn functions(&self, py: Python<'_>) -> BTreeMap<String, Py<PyFunction>> {
        let own = self.public().iter();
        own.map(|(name, function)| (name.clone(), function.clone_ref(py))).collect()
    }

    /// All kernels by name, those that programs launch among them.
    #[getter]
    fn kernels(&self, py: Python<'_>) -> BTreeMap<String, Py<PyFunction>> {
        let own = self.kernels.iter();
        own.map(|(name, function)| (name.clone(), function.clone_ref(py))).collect()
    }

    /// How the kernels are launched, as the JSON of the manifest.
    #[getter]
    fn manifest(&self) -> &str {
        &self.loaded.manifest
    }

    /// The code as text; None where it was loaded as a cubin.
    #[getter]
    fn ptx(&self) -> Option<String> {
        self.is_ptx().then(|| String::from_utf8_lossy(&self.loaded.code).into_owned())
    }

    /// Writes the code, and the manifest beside it as .json; `load` reads them again.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let ending = if self.is_ptx() { "ptx" } else { "cubin" };
        if path.extension().is_none_or(|found| found != ending) {
            return Err(PyValueError::new_err(format!(
                "expected a path that ends in .{ending}, found {}",
                path.display()
            )));
        }
        let write = |path: &Path, bytes: &[u8]| {
            std::fs::write(path, bytes).map_err(|error| {
                PyOSError::new_err(format!("cannot write {}: {error}", path.display()))
            })
        };
        write(&path.with_extension("json"), self.loaded.manifest.as_bytes())?;
        write(&path, &self.loaded.code)
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.public().iter().map(|(name, _)| name.as_str()).collect();
        format!("<layout_mlir.Module for {}: {}>", self.chip, names.join(", "))
    }
}

/// Loads what `Module.save` or `layout-compile -o FILE.ptx` wrote: the code at a path that ends in .ptx or .cubin, and the manifest beside it
/// as .json. Needs no compiler.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<PyModule_> {
    let read = |path: &Path| -> PyResult<Vec<u8>> {
        std::fs::read(path).map_err(|error| {
            std::io::Error::new(error.kind(), format!("cannot read {}: {error}", path.display()))
                .into()
        })
    };
    let code = read(&path)?;
    let manifest = read(&path.with_extension("json"))?;
    let manifest = String::from_utf8(manifest)
        .map_err(|_| PyValueError::new_err("expected a manifest of text, found other bytes"))?;
    PyModule_::new(py, code, manifest, Vec::new(), None)
}
