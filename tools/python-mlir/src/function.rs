//! A kernel or a program that is called with tensors.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

use layout_runtime::binding::{self, row_major};
use layout_runtime::driver::Stream;
use layout_runtime::manifest::Access;
use pyo3::exceptions::{PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use smallvec::SmallVec;

use crate::array::{self, PyArray};
use crate::dlpack::{Device, Exchange, Type};
use crate::error::{self, RaiseExt};
use crate::launch::{self, Checked, LaunchError, Launcher, Operands, Target, TensorKey};
use crate::specialize::Specializations;
use crate::tensor::{self, TensorArgument};

/// A kernel or a program: called with tensors, it runs on the GPU that they are on.
///
///     f(*tensors, out=None, stream=None, sizes=None)
///
/// `tensors` are all operands in order, results included, which are written then; or all that are read, and then the results
/// are allocated by the framework of the first tensor, and returned: one, or a tuple of several. `out` are the results in
/// place of new ones, one tensor or a sequence. `stream` is an integer or an object with a CUDA stream; by default the one that
/// the first tensor's framework works on. `sizes` is a dict of sizes that no shape says. A call returns before the GPU is done.
#[pyclass(frozen, name = "Function", module = "layout_mlir", weakref)]
pub(crate) struct PyFunction(Arc<Launcher>);

impl PyFunction {
    pub(crate) fn new(launcher: Launcher) -> Self {
        Self(Arc::new(launcher))
    }

    /// Too few or too many tensors.
    fn count(&self, expected: String, found: &str) -> LaunchError {
        LaunchError::Operand(Box::new(launch::Operand {
            of: self.0.signature.of().to_owned(),
            operand: None,
            property: "count",
            expected,
            found: found.to_owned(),
        }))
    }

    /// The operands by number: those that are given, and none of those that are to be allocated.
    fn arrange<'py>(
        &self,
        operands: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<SmallVec<[Option<Bound<'py, PyAny>>; 8]>> {
        let py = operands.py();
        let (count, all) = (operands.len(), self.0.signature.operands().len());
        if count == all && (out.is_none() || self.0.outputs.is_empty()) {
            return Ok(operands.iter().map(Some).collect());
        }
        if count != self.0.inputs.len() {
            let names = |numbers: &[usize]| {
                let operand = |&number: &usize| self.0.signature.operands()[number].name.as_str();
                numbers.iter().map(operand).collect::<Vec<_>>().join(", ")
            };
            let every: Vec<usize> = (0..all).collect();
            let mut expected = format!("{all} tensors ({})", names(&every));
            if !self.0.outputs.is_empty() {
                expected += &format!(
                    ", or {} without results ({})",
                    self.0.inputs.len(),
                    names(&self.0.inputs)
                );
            }
            let found = count.to_string();
            return Err(self.count(expected, &found).raise(py));
        }
        let mut arranged: SmallVec<[Option<Bound<'py, PyAny>>; 8]> = SmallVec::from_elem(None, all);
        for (&number, operand) in self.0.inputs.iter().zip(operands.iter()) {
            arranged[number] = Some(operand);
        }
        if let Some(out) = out {
            let several = out.is_instance_of::<PyTuple>() || out.is_instance_of::<PyList>();
            let results: Vec<Bound<'py, PyAny>> =
                if several { out.extract()? } else { vec![out.clone()] };
            if results.len() != self.0.outputs.len() {
                let (expected, found) = (self.0.outputs.len(), results.len());
                let expected = format!("{expected} results in out");
                return Err(self.count(expected, &found.to_string()).raise(py));
            }
            for (&number, result) in self.0.outputs.iter().zip(results) {
                arranged[number] = Some(result);
            }
        }
        Ok(arranged)
    }

    /// Takes all that are there; gives the table of the first that has one, and the stream.
    fn take(
        &self,
        py: Python<'_>,
        objects: &[Option<Bound<'_, PyAny>>],
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Operands, Option<&'static Exchange>, u64)> {
        let mut all: Operands = SmallVec::with_capacity(objects.len());
        let (mut table, mut others) = (None, false);
        for object in objects {
            let Some(object) = object else {
                all.push(None);
                continue;
            };
            match TensorArgument::by_table(object)? {
                Some((taken, own)) => {
                    table.get_or_insert((own, taken.device));
                    all.push(Some(taken));
                }
                None => {
                    others = true;
                    all.push(None);
                }
            }
        }
        let stream = match (stream, table) {
            (Some(stream), _) => tensor::stream(stream)?,
            (None, Some((table, device))) if device.is_cuda() => table.stream(py, device)? as u64,
            _ => 0,
        };
        if others {
            for (taken, object) in all.iter_mut().zip(objects) {
                if let (None, Some(object)) = (&taken, object) {
                    *taken = Some(TensorArgument::by_protocol(object, stream)?);
                }
            }
        }
        Ok((all, table.map(|(table, _)| table), stream))
    }

    /// The function that is launched for these tensors, where it is another one.
    fn specialized(
        &self,
        py: Python<'_>,
        bound: &Checked,
        taken: &[Option<TensorArgument>],
    ) -> PyResult<Option<Arc<Launcher>>> {
        if let Some(known) = self.0.specialized(bound) {
            return Ok(known);
        }
        let (found, failure) = py.detach(|| self.0.specialize(bound, taken));
        if let Some(message) = failure {
            let message = format!(
                "{}: compiled for all shapes, since it does not compile for these: {message}",
                self.0.name
            );
            let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &message, 1)?;
        }
        Ok(found)
    }

    /// New results, in the places of those that are not given: tensors of the framework, or arrays where it has no table.
    fn allocate<'py>(
        &self,
        py: Python<'py>,
        bound: &Checked,
        (device, stream): (i32, u64),
        table: Option<&'static Exchange>,
        taken: &mut [Option<TensorArgument>],
    ) -> PyResult<SmallVec<[Bound<'py, PyAny>; 2]>> {
        let mut made = SmallVec::new();
        for (&number, (element, (shape, strides))) in self.0.outputs.iter().zip(&bound.results) {
            if taken.get(number).is_some_and(Option::is_some) {
                continue;
            }
            let place = (*element, Device::cuda(device));
            let (object, own) = match table {
                Some(table) => {
                    let (object, address) = table.allocate(py, place, (shape, strides))?;
                    (object.into_bound(py), TensorArgument::own(address, place, shape, strides))
                }
                None => {
                    let gpu = self.0.loaded.gpu(device).map_err(|error| error::of(&error))?;
                    let array = PyArray::new(gpu, place, (shape, strides), stream)?;
                    let array = Bound::new(py, array)?;
                    let own = array.get().taken();
                    (array.into_any(), own)
                }
            };
            taken[number] = Some(own);
            made.push(object);
        }
        Ok(made)
    }
}

#[pymethods]
impl PyFunction {
    #[pyo3(signature = (*operands, out=None, stream=None, sizes=None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        operands: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
        stream: Option<&Bound<'py, PyAny>>,
        sizes: Option<HashMap<String, i64>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let objects = self.arrange(operands, out)?;
        let (mut taken, table, stream) = self.take(py, &objects, stream)?;
        let given: Vec<(&str, i64)> = match &sizes {
            Some(sizes) => sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
            None => Vec::new(),
        };
        let bound = self.0.bound(&taken, &given).raise(py)?;
        let device = self.0.device(&bound, &taken).raise(py)?;
        let specialized = self.specialized(py, &bound, &taken)?;
        let launcher = specialized.as_ref().unwrap_or(&self.0);
        let code = py.detach(|| launcher.code(&bound, device)).raise(py)?;
        let missing = taken.iter().any(Option::is_none);
        let mut made = match missing {
            true => self.allocate(py, &bound, (device, stream), table, &mut taken)?,
            false => SmallVec::new(),
        };
        for one in taken.iter().flatten() {
            if let Some(written_on) = one.written_on.filter(|&other| other != stream) {
                let gpu = self.0.loaded.gpu(device).map_err(|error| error::of(&error))?;
                // SAFETY: the stream that the tensor's owner names, of its device.
                let wait = || unsafe { Stream::of(written_on as *mut std::ffi::c_void).wait() };
                py.detach(|| gpu.within(wait)).map_err(|error| error::of(&error))?;
            }
        }
        py.detach(|| launcher.launch(&code, &taken, stream)).raise(py)?;
        if table.is_none() {
            // An array is passed on when it is written.
            let first = objects.iter().flatten().next();
            made = made.into_iter().map(|array| array::as_its_like(array, first)).collect();
        }
        Ok(match made.len() {
            0 => out.cloned(),
            1 => made.pop(),
            _ => Some(PyTuple::new(py, made)?.into_any()),
        })
    }

    /// Checks tensors as a call does, and returns the values of the sizes; starts nothing. Memory may be of the CPU, as numpy's.
    #[pyo3(signature = (*operands, out=None, sizes=None))]
    fn bind<'py>(
        &self,
        py: Python<'py>,
        operands: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
        sizes: Option<HashMap<String, i64>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let objects = self.arrange(operands, out)?;
        let (taken, ..) = self.take(py, &objects, None)?;
        let sizes = sizes.unwrap_or_default();
        let given: Vec<(&str, i64)> =
            sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let bound = self.0.check(&taken, &given).raise(py)?;
        let found = PyDict::new(py);
        for (size, value) in self.0.signature.sizes().iter().zip(&bound.sizes) {
            found.set_item(&size.name, value)?;
        }
        Ok(found)
    }

    /// The results of a launch with these tensors: for each the element type, the shape and the strides; starts nothing. Memory may be of the
    /// CPU, as numpy's.
    #[pyo3(signature = (*operands, sizes=None))]
    fn results(
        &self,
        py: Python<'_>,
        operands: &Bound<'_, PyTuple>,
        sizes: Option<HashMap<String, i64>>,
    ) -> PyResult<Vec<TensorKey>> {
        let objects = self.arrange(operands, None)?;
        let (taken, ..) = self.take(py, &objects, None)?;
        let sizes = sizes.unwrap_or_default();
        let given: Vec<(&str, i64)> =
            sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let bound = self.0.check(&taken, &given).raise(py)?;
        Ok(self.0.described(&bound))
    }

    /// The function that a call with these tensors launches: of a module of `jit` the one compiled for their shapes, which this compiles where
    /// it is not there yet; else the function itself. Memory may be of the CPU, as numpy's.
    #[pyo3(signature = (*operands))]
    fn specialize(
        slf: &Bound<'_, Self>,
        operands: &Bound<'_, PyTuple>,
    ) -> PyResult<Py<PyFunction>> {
        let (py, own) = (slf.py(), slf.get());
        let objects = own.arrange(operands, None)?;
        let (taken, ..) = own.take(py, &objects, None)?;
        let bound = own.0.bound(&taken, &[]).raise(py)?;
        match own.specialized(py, &bound, &taken)? {
            Some(found) => Py::new(py, Self(found)),
            None => Ok(slf.clone().unbind()),
        }
    }

    /// The functions compiled for shapes: a dict from the shapes of the arguments, a tuple of tuples, to functions.
    #[getter]
    fn specializations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        let all = self.0.specializations.as_ref().map(Specializations::all).unwrap_or_default();
        for (shapes, launcher) in all {
            let shapes = shapes.iter().map(|shape| PyTuple::new(py, shape));
            let shapes = PyTuple::new(py, shapes.collect::<PyResult<Vec<_>>>()?)?;
            found.set_item(shapes, Py::new(py, Self(launcher))?)?;
        }
        Ok(found)
    }

    /// As `results`, of tensors given by element type, shape and strides.
    fn _infer(&self, py: Python<'_>, tensors: Vec<TensorKey>) -> PyResult<Vec<TensorKey>> {
        let mut all: Operands = SmallVec::new();
        all.resize_with(self.0.signature.operands().len(), || None);
        if tensors.len() != self.0.inputs.len() {
            return Err(PyValueError::new_err(format!(
                "expected {} tensors, found {}",
                self.0.inputs.len(),
                tensors.len()
            )));
        }
        for (&number, (name, shape, strides)) in self.0.inputs.iter().zip(tensors) {
            let element = Type::of(&name).ok_or_else(|| {
                PyValueError::new_err(format!("expected a type of elements, found {name}"))
            })?;
            all[number] =
                Some(TensorArgument::own(0, (element, Device::cuda(0)), &shape, &strides));
        }
        let checked = self.0.check(&all, &[]).raise(py)?;
        Ok(self.0.described(&checked))
    }

    /// Sizes read off element types and shapes alone: for each operand that is read its strides, and then for each that is written alone
    /// element type, shape and strides. Frameworks whose arrays have no strides lay their memory out so.
    #[allow(clippy::type_complexity)] // a pair for Python
    fn _places(
        &self,
        py: Python<'_>,
        arrays: Vec<(String, Vec<i64>)>,
    ) -> PyResult<(Vec<Vec<i64>>, Vec<TensorKey>)> {
        let own = &self.0;
        let mut tensors = vec![None; own.signature.operands().len()];
        if arrays.len() != own.inputs.len() {
            let expected = format!("{} arrays", own.inputs.len());
            return Err(self.count(expected, &arrays.len().to_string()).raise(py));
        }
        for (&number, (element, shape)) in own.inputs.iter().zip(&arrays) {
            tensors[number] = Some(binding::Tensor { element, shape, strides: None });
        }
        let (_, places) = own.signature.places(&tensors).map_err(LaunchError::from).raise(py)?;
        let strides = own.inputs.iter().map(|&number| places[number].1.clone()).collect();
        let results = own.outputs.iter().map(|&number| {
            let (shape, strides) = places[number].clone();
            (own.signature.operands()[number].element.clone(), shape, strides)
        });
        Ok((strides, results.collect()))
    }

    /// The number by which XLA's calls name it.
    fn _number(&self) -> usize {
        crate::xla::number_of(&self.0)
    }

    /// The name in the source.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.0.name
    }

    /// "kernel", "family" (of which a launch takes one kernel by its sizes) or "program" (which launches several).
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.0.target {
            Target::Kernel(instances) if instances.is_family() => "family",
            Target::Kernel(_) => "kernel",
            Target::Program => "program",
        }
    }

    /// The operands in order, a list of Operand.
    #[getter]
    fn operands(&self) -> Vec<PyOperand> {
        let operand = |operand: &binding::Operand| PyOperand {
            name: operand.name.clone(),
            element: operand.element.clone(),
            access: match operand.access {
                Access::Read => "read",
                Access::Write => "write",
                Access::ReadWrite => "read_write",
            },
            modes: operand.texts(),
        };
        self.0.signature.operands().iter().map(operand).collect()
    }

    /// The sizes that are known at run time: a dict from each name to its least and its greatest value, and what it is a multiple of.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sizes = PyDict::new(py);
        for size in self.0.signature.sizes() {
            sizes.set_item(&size.name, (size.least, size.most, size.divisor))?;
        }
        Ok(sizes)
    }

    /// For each size the operand, the dimension and the divisor that give its value; None of a size that no dimension gives.
    #[getter]
    fn _sources(&self) -> Vec<Option<(usize, usize, i64)>> {
        self.0.signature.sources()
    }

    fn __repr__(&self) -> String {
        let operand = |operand: PyOperand| {
            format!("{}: {}[{}]", operand.name, operand.element, operand.shape().join(", "))
        };
        let operands: Vec<String> = self.operands().into_iter().map(operand).collect();
        format!("<layout_mlir.Function {} {}({})>", self.kind(), self.0.name, operands.join(", "))
    }
}

/// An operand of a function.
#[pyclass(frozen, name = "Operand", module = "layout_mlir")]
pub(crate) struct PyOperand {
    /// Its name.
    #[pyo3(get)]
    name: String,
    /// Its element type, by MLIR's name.
    #[pyo3(get)]
    element: String,
    /// "read", "write" or "read_write".
    #[pyo3(get)]
    access: &'static str,
    modes: Vec<(String, Option<String>)>,
}

#[pymethods]
impl PyOperand {
    /// The extent of each mode as a text over the sizes.
    #[getter]
    fn shape(&self) -> Vec<String> {
        self.modes.iter().map(|(extent, _)| extent.clone()).collect()
    }

    /// The stride of each mode as a text over the sizes; None where the mode has several.
    #[getter]
    fn strides(&self) -> Vec<Option<String>> {
        self.modes.iter().map(|(_, stride)| stride.clone()).collect()
    }

    fn __repr__(&self) -> String {
        let Self { name, element, access, .. } = self;
        format!("<layout_mlir.Operand {name}: {element}[{}], {access}>", self.shape().join(", "))
    }
}

/// Whether strides are those of row-major order, for what has to hand them on.
pub(crate) fn is_row_major(shape: &[i64], strides: &[i64]) -> bool {
    row_major(shape) == strides
}
