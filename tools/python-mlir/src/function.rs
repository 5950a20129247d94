//! A kernel or a program that is called with tensors.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use layout_runtime::binding::{self, Signature, Tensor, row_major};
use layout_runtime::driver::{Gpu, Stream};
use layout_runtime::executable::Callable;
use layout_runtime::instances::{Instance, Instances};
use layout_runtime::manifest::Access;
use layout_runtime::runnable::{self, Runnable};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use smallvec::SmallVec;

use crate::array::{self, PyArray};
use crate::dlpack::{Device, Exchange, Type};
use crate::error;
use crate::module::Loaded;
use crate::tensor::{self, Taken, UNKNOWN};

/// Most combinations of shapes that are kept of a function.
const CAPACITY: usize = 1024;

/// A kernel or a program: called with tensors, it runs on the GPU that they are on.
///
///     f(*tensors, out=None, stream=None, sizes=None)
///
/// `tensors` are all operands in order, results included, which are written then; or all that are read, and then the results
/// are allocated by the framework of the first tensor, and returned: one, or a tuple of several. `out` are the results in
/// place of new ones, one tensor or a sequence. `stream` is an integer or an object with a CUDA stream; by default the one that
/// the first tensor's framework works on. `sizes` is a dict of sizes that no shape says. A call returns before the GPU is done.
#[pyclass(frozen, name = "Function", module = "layout_mlir", weakref)]
pub(crate) struct PyFunction {
    pub(crate) name: String,
    /// What a launch takes.
    signature: Signature,
    target: Target,
    /// Operands that are not written alone.
    inputs: Vec<usize>,
    /// Operands that are written alone.
    outputs: Vec<usize>,
    loaded: Arc<Loaded>,
    seen: Mutex<Seen>,
}

enum Target {
    Kernel(Instances),
    Program,
}

/// What was found for shapes that were seen before.
#[derive(Default)]
struct Seen {
    last: Option<(Key, Arc<Checked>)>,
    all: HashMap<Key, Arc<Checked>>,
}

/// Element types, shapes and strides of operands.
type Key = SmallVec<[i64; 64]>;

/// The operands of a launch; none where one is to be allocated.
type Operands = SmallVec<[Option<Taken>; 8]>;

/// Element type, shape and strides.
type Described = (String, Vec<i64>, Vec<i64>);

/// A launch of shapes that were checked.
struct Checked {
    sizes: Vec<i64>,
    /// Extents and strides of each operand that is written alone.
    results: Vec<(Type, binding::Place)>,
    /// Bytes that each pointer is a multiple of; a program says it of its kernels at each launch.
    alignments: Vec<u64>,
    /// The code on each device.
    codes: Mutex<Vec<(i32, Code)>>,
}

#[derive(Clone)]
enum Code {
    Kernel(Arc<Callable>, Arc<Instance>),
    Program(Arc<Runnable>),
}

impl PyFunction {
    pub(crate) fn kernel(
        instances: Instances,
        loaded: Arc<Loaded>,
    ) -> layout_runtime::Result<Self> {
        let signature = Signature::of_instances(&instances)?;
        let name = instances.name().to_owned();
        Ok(Self::new(name, signature, Target::Kernel(instances), loaded))
    }

    pub(crate) fn program(
        program: &layout_runtime::manifest::Program,
        loaded: Arc<Loaded>,
    ) -> layout_runtime::Result<Self> {
        let signature = Signature::of_program(program)?;
        Ok(Self::new(program.name.clone(), signature, Target::Program, loaded))
    }

    fn new(name: String, signature: Signature, target: Target, loaded: Arc<Loaded>) -> Self {
        let numbered = || signature.operands().iter().enumerate();
        let written = |written: bool| {
            let chosen =
                numbered().filter(|(_, operand)| (operand.access == Access::Write) == written);
            chosen.map(|(number, _)| number).collect::<Vec<usize>>()
        };
        let (inputs, outputs) = (written(false), written(true));
        Self { name, inputs, outputs, signature, target, loaded, seen: Mutex::default() }
    }

    /// The operands by number: those that are given, and none of those that are to be allocated.
    fn arrange<'py>(
        &self,
        operands: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<SmallVec<[Option<Bound<'py, PyAny>>; 8]>> {
        let py = operands.py();
        let (count, all) = (operands.len(), self.signature.operands().len());
        if count == all && (out.is_none() || self.outputs.is_empty()) {
            return Ok(operands.iter().map(Some).collect());
        }
        if count != self.inputs.len() {
            let names = |numbers: &[usize]| {
                let operand = |&number: &usize| self.signature.operands()[number].name.as_str();
                numbers.iter().map(operand).collect::<Vec<_>>().join(", ")
            };
            let every: Vec<usize> = (0..all).collect();
            let mut expected = format!("{all} tensors ({})", names(&every));
            if !self.outputs.is_empty() {
                expected += &format!(
                    ", or {} without results ({})",
                    self.inputs.len(),
                    names(&self.inputs)
                );
            }
            let found = count.to_string();
            return Err(error::raised(py, (self.signature.of(), None), "count", &expected, &found));
        }
        let mut arranged: SmallVec<[Option<Bound<'py, PyAny>>; 8]> = SmallVec::from_elem(None, all);
        for (&number, operand) in self.inputs.iter().zip(operands.iter()) {
            arranged[number] = Some(operand);
        }
        if let Some(out) = out {
            let several = out.is_instance_of::<PyTuple>() || out.is_instance_of::<PyList>();
            let results: Vec<Bound<'py, PyAny>> =
                if several { out.extract()? } else { vec![out.clone()] };
            if results.len() != self.outputs.len() {
                let (expected, found) = (self.outputs.len(), results.len());
                let expected = format!("{expected} results in out");
                return Err(error::raised(
                    py,
                    (self.signature.of(), None),
                    "count",
                    &expected,
                    &found.to_string(),
                ));
            }
            for (&number, result) in self.outputs.iter().zip(results) {
                arranged[number] = Some(result);
            }
        }
        Ok(arranged)
    }

    /// What is launched for tensors of these shapes: what was found before, where they are not new.
    fn bound(
        &self,
        py: Python<'_>,
        taken: &[Option<Taken>],
        given: &[(&str, i64)],
    ) -> PyResult<Arc<Checked>> {
        let mut key = Key::new();
        for taken in taken {
            match taken {
                Some(taken) => {
                    let Type { code, bits, .. } = taken.element;
                    key.push((i64::from(code) << 32) | (i64::from(bits) << 16) | taken.rank as i64);
                    key.extend_from_slice(&taken.dimensions);
                }
                None => key.push(-1),
            }
        }
        key.extend(given.iter().map(|(_, value)| *value));
        let is_kept = given.is_empty();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if is_kept {
            if let Some((last, bound)) = &seen.last
                && *last == key
            {
                return Ok(Arc::clone(bound));
            }
            if let Some(bound) = seen.all.get(&key).cloned() {
                seen.last = Some((key, Arc::clone(&bound)));
                return Ok(bound);
            }
        }
        drop(seen);
        let bound = Arc::new(self.check(py, taken, given)?);
        if is_kept {
            seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.all.len() >= CAPACITY {
                seen.all.clear();
            }
            seen.all.insert(key.clone(), Arc::clone(&bound));
            seen.last = Some((key, Arc::clone(&bound)));
        }
        Ok(bound)
    }

    /// Checks tensors, and finds the sizes.
    fn check(
        &self,
        py: Python<'_>,
        taken: &[Option<Taken>],
        given: &[(&str, i64)],
    ) -> PyResult<Checked> {
        let names: Vec<Option<String>> =
            taken.iter().map(|taken| taken.as_ref().map(|taken| taken.element.name())).collect();
        let tensors: Vec<Option<Tensor<'_>>> = taken
            .iter()
            .zip(&names)
            .map(|(taken, name)| {
                let (taken, element) = taken.as_ref().zip(name.as_deref())?;
                Some(Tensor { element, shape: taken.shape(), strides: Some(taken.strides()) })
            })
            .collect();
        let refused = |mismatch| error::refused(py, &mismatch);
        let (sizes, alignments) = match &self.target {
            Target::Kernel(instances) => {
                let found = binding::instance_of(instances, &self.signature, &tensors, given);
                let (sizes, instance) = found.map_err(refused)?;
                let arguments = instance.kernel().args.iter();
                let alignments = arguments.map(|argument| argument.pointer_alignment() as u64);
                (sizes, alignments.collect())
            }
            Target::Program => (self.signature.bind(&tensors, given).map_err(refused)?, Vec::new()),
        };
        let result = |&number: &usize| {
            let name = &self.signature.operands()[number].element;
            let element = Type::of(name).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "{}: expected a result of elements that DLPack has, found {name}",
                    self.signature.of()
                ))
            })?;
            let place = self.signature.result(number, &sizes).map_err(|error| error::of(&error))?;
            Ok((element, place))
        };
        let results = self.outputs.iter().map(result).collect::<PyResult<_>>()?;
        Ok(Checked { sizes, results, alignments, codes: Mutex::default() })
    }

    /// The operands that are written alone, as they were found.
    fn described(&self, checked: &Checked) -> Vec<Described> {
        let all = self.outputs.iter().zip(&checked.results).map(|(&number, (_, place))| {
            let (shape, strides) = place.clone();
            (self.signature.operands()[number].element.clone(), shape, strides)
        });
        all.collect()
    }

    /// Checks what the shapes do not say: devices, addresses, and what may be written.
    fn device(&self, py: Python<'_>, bound: &Checked, taken: &[Option<Taken>]) -> PyResult<i32> {
        let mut device = None;
        let refuse = |number: usize, property: &str, expected: &str, found: &str| {
            let name = self.signature.operands()[number].name.clone();
            let place = (self.signature.of(), Some((number, name)));
            error::raised(py, place, property, expected, found)
        };
        for (number, taken) in taken.iter().enumerate() {
            let Some(taken) = taken else { continue };
            if !taken.device.is_cuda() {
                let expected = "memory of a CUDA device";
                return Err(refuse(number, "device", expected, &taken.device.text()));
            }
            let is_empty = taken.shape().contains(&0);
            if taken.address == 0 && !is_empty {
                return Err(refuse(number, "device", "device memory", "null"));
            }
            let id = match taken.device.id {
                UNKNOWN if is_empty => continue,
                UNKNOWN => Gpu::number_of(taken.address).map_err(|error| error::of(&error))?,
                id => id,
            };
            match device {
                Some(device) if device != id => {
                    let expected = Device::cuda(device).text();
                    return Err(refuse(number, "device", &expected, &Device::cuda(id).text()));
                }
                _ => device = Some(id),
            }
            if taken.is_read_only && self.signature.operands()[number].access != Access::Read {
                return Err(refuse(
                    number,
                    "access",
                    "memory that may be written",
                    "memory to be read only",
                ));
            }
            let alignment = bound.alignments.get(number).copied().unwrap_or(1);
            if !taken.address.is_multiple_of(alignment) {
                let expected = format!("an address at a multiple of {alignment} bytes");
                let found = format!("{} bytes behind one", taken.address % alignment);
                return Err(refuse(number, "alignment", &expected, &found));
            }
        }
        Ok(device.unwrap_or(0))
    }

    /// The code on a device, which is loaded there at the first call.
    fn code(&self, py: Python<'_>, bound: &Checked, device: i32) -> PyResult<Code> {
        let mut codes = bound.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = codes.iter().find(|(on, _)| *on == device) {
            return Ok(code.clone());
        }
        drop(codes);
        let found = py.detach(|| {
            let executable = self.loaded.on(device)?;
            Ok(match &self.target {
                Target::Kernel(_) => {
                    let callable = executable.kernel(&self.name)?;
                    let instance = callable.at(&bound.sizes)?;
                    Code::Kernel(callable, instance)
                }
                Target::Program => Code::Program(executable.program(&self.name)?),
            })
        });
        let code = found.map_err(|error| error::of(&error))?;
        codes = bound.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.push((device, code.clone()));
        Ok(code)
    }

    /// Starts the code with these operands.
    fn launch(
        &self,
        py: Python<'_>,
        code: &Code,
        taken: &[Option<Taken>],
        stream: u64,
    ) -> PyResult<()> {
        let operands = || taken.iter().flatten();
        // SAFETY: a stream of the caller's, whose device is that of the tensors.
        let stream = unsafe { Stream::of(stream as *mut std::ffi::c_void) };
        let started = match code {
            Code::Kernel(callable, instance) => {
                let pointers: SmallVec<[u64; 8]> = operands().map(|one| one.address).collect();
                // SAFETY: the tensors were checked against the layouts of this instance, and their owners keep the memory, in order
                // with the stream, as they do for each launch.
                py.detach(|| unsafe { callable.launch_instance(stream, instance, &pointers) })
            }
            Code::Program(program) => {
                let tensors: SmallVec<[runnable::Tensor<'_>; 8]> = operands()
                    .map(|one| runnable::Tensor { address: one.address, shape: one.shape() })
                    .collect();
                let (arguments, results) = tensors.split_at(self.inputs.len().min(tensors.len()));
                // SAFETY: as above; shapes and strides are those of the program.
                py.detach(|| unsafe { program.run(stream, arguments, results) })
            }
        };
        started.map_err(|error| error::of(&error))
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
            match Taken::by_table(object)? {
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
                    *taken = Some(Taken::by_protocol(object, stream)?);
                }
            }
        }
        Ok((all, table.map(|(table, _)| table), stream))
    }

    /// New results, in the places of those that are not given: tensors of the framework, or arrays where it has no table.
    fn allocate<'py>(
        &self,
        py: Python<'py>,
        bound: &Checked,
        (device, stream): (i32, u64),
        table: Option<&'static Exchange>,
        taken: &mut [Option<Taken>],
    ) -> PyResult<SmallVec<[Bound<'py, PyAny>; 2]>> {
        let mut made = SmallVec::new();
        for (&number, (element, (shape, strides))) in self.outputs.iter().zip(&bound.results) {
            if taken.get(number).is_some_and(Option::is_some) {
                continue;
            }
            let place = (*element, Device::cuda(device));
            let (object, own) = match table {
                Some(table) => {
                    let object = table.allocate(py, place, (shape, strides))?.into_bound(py);
                    let Some((own, _)) = Taken::by_table(&object)? else {
                        return Err(PyValueError::new_err(
                            "expected a tensor of the framework's own type, found another",
                        ));
                    };
                    (object, own)
                }
                None => {
                    let gpu = self.loaded.gpu(device).map_err(|error| error::of(&error))?;
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
        let bound = self.bound(py, &taken, &given)?;
        let device = self.device(py, &bound, &taken)?;
        let code = self.code(py, &bound, device)?;
        let missing = taken.iter().any(Option::is_none);
        let mut made = match missing {
            true => self.allocate(py, &bound, (device, stream), table, &mut taken)?,
            false => SmallVec::new(),
        };
        for one in taken.iter().flatten() {
            if let Some(written_on) = one.written_on.filter(|&other| other != stream) {
                let gpu = self.loaded.gpu(device).map_err(|error| error::of(&error))?;
                // SAFETY: the stream that the tensor's owner names, of its device.
                let wait = || unsafe { Stream::of(written_on as *mut std::ffi::c_void).wait() };
                py.detach(|| gpu.within(wait)).map_err(|error| error::of(&error))?;
            }
        }
        self.launch(py, &code, &taken, stream)?;
        if table.is_none() {
            // An array is handed on when it is written.
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
        let bound = self.check(py, &taken, &given)?;
        let found = PyDict::new(py);
        for (size, value) in self.signature.sizes().iter().zip(&bound.sizes) {
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
    ) -> PyResult<Vec<Described>> {
        let objects = self.arrange(operands, None)?;
        let (taken, ..) = self.take(py, &objects, None)?;
        let sizes = sizes.unwrap_or_default();
        let given: Vec<(&str, i64)> =
            sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let bound = self.check(py, &taken, &given)?;
        Ok(self.described(&bound))
    }

    /// As `results`, of tensors that are told by element type, shape and strides.
    fn _infer(&self, py: Python<'_>, tensors: Vec<Described>) -> PyResult<Vec<Described>> {
        let mut all: Operands = SmallVec::new();
        all.resize_with(self.signature.operands().len(), || None);
        if tensors.len() != self.inputs.len() {
            return Err(PyValueError::new_err(format!(
                "expected {} tensors, found {}",
                self.inputs.len(),
                tensors.len()
            )));
        }
        for (&number, (name, shape, strides)) in self.inputs.iter().zip(tensors) {
            let element = Type::of(&name).ok_or_else(|| {
                PyValueError::new_err(format!("expected a type of elements, found {name}"))
            })?;
            all[number] = Some(Taken::own(0, (element, Device::cuda(0)), &shape, &strides));
        }
        let checked = self.check(py, &all, &[])?;
        Ok(self.described(&checked))
    }

    /// The name in the source.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.name
    }

    /// "kernel", "family" (of which a launch takes one kernel by its sizes) or "program" (which launches several).
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.target {
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
        self.signature.operands().iter().map(operand).collect()
    }

    /// The sizes that are known at run time: a dict from each name to its least and its greatest value, and what it is a multiple of.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sizes = PyDict::new(py);
        for size in self.signature.sizes() {
            sizes.set_item(&size.name, (size.least, size.most, size.divisor))?;
        }
        Ok(sizes)
    }

    /// For each size the operand, the dimension and the divisor that give its value; None of a size that no dimension gives.
    #[getter]
    fn _sources(&self) -> Vec<Option<(usize, usize, i64)>> {
        self.signature.sources()
    }

    fn __repr__(&self) -> String {
        let operand = |operand: PyOperand| {
            format!("{}: {}[{}]", operand.name, operand.element, operand.shape().join(", "))
        };
        let operands: Vec<String> = self.operands().into_iter().map(operand).collect();
        format!("<layout_mlir.Function {} {}({})>", self.kind(), self.name, operands.join(", "))
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
