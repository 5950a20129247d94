//! Python's objects as tensors: by DLPack's table of functions, `__dlpack__`, or `__cuda_array_interface__`.

use std::ffi::c_void;

use layout_runtime::binding::row_major;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use pyo3::{ffi, intern};
use smallvec::SmallVec;

use crate::dlpack::{
    Device, Exchange, Managed, ManagedVersioned, READ_ONLY, Tensor, Type, VERSION,
};

/// The number of a device that is not known.
pub(crate) const UNKNOWN: i32 = -1;

/// A tensor as a launch reads it.
pub(crate) struct TensorArgument {
    pub address: u64,
    pub element: Type,
    pub device: Device,
    pub is_read_only: bool,
    pub rank: usize,
    /// Extents, then strides in elements.
    pub dimensions: SmallVec<[i64; 16]>,
    /// The stream on which it was written last, if the object reports one.
    pub written_on: Option<u64>,
    /// The owner of the memory during the call.
    _keep: Option<Py<PyAny>>,
}

impl TensorArgument {
    pub(crate) fn shape(&self) -> &[i64] {
        self.dimensions.get(..self.rank).unwrap_or_default()
    }

    pub(crate) fn strides(&self) -> &[i64] {
        self.dimensions.get(self.rank..).unwrap_or_default()
    }

    /// Element type and rank as one integer, which is not negative.
    pub(crate) fn word(&self) -> i64 {
        let Type { code, bits, .. } = self.element;
        (i64::from(code) << 32) | (i64::from(bits) << 16) | self.rank as i64
    }

    pub(crate) fn set_strides(&mut self, strides: &[i64]) {
        self.dimensions.truncate(self.rank);
        self.dimensions.extend_from_slice(strides);
    }

    /// Memory of this package's own.
    pub(crate) fn own(
        address: u64,
        (element, device): (Type, Device),
        shape: &[i64],
        strides: &[i64],
    ) -> Self {
        Self {
            address,
            element,
            device,
            is_read_only: false,
            rank: shape.len(),
            dimensions: shape.iter().chain(strides).copied().collect(),
            written_on: None,
            _keep: None,
        }
    }

    /// A tensor of a framework with a table, or `None` for others.
    pub(crate) fn by_table(
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(Self, &'static Exchange)>> {
        let Some(table) = Exchange::of(object)? else { return Ok(None) };
        let Some(tensor) = table.describe(object)? else { return Ok(None) };
        // SAFETY: the object lives, and nothing of Python has run since.
        let taken = unsafe { Self::read(&tensor, false, None) };
        Ok(Some((taken, table)))
    }

    /// Any tensor: `__dlpack__` orders its memory with the stream.
    pub(crate) fn by_protocol(object: &Bound<'_, PyAny>, stream: u64) -> PyResult<Self> {
        let py = object.py();
        if object.hasattr(intern!(py, "__dlpack__"))? {
            return Self::of_capsule(object, stream);
        }
        match object.getattr_opt(intern!(py, "__cuda_array_interface__"))? {
            Some(interface) => Self::of_interface(interface.cast::<PyDict>()?, object),
            None => Err(PyTypeError::new_err(format!(
                "expected a tensor with __dlpack__ or __cuda_array_interface__, found {}",
                object.get_type().name()?
            ))),
        }
    }

    fn of_capsule(object: &Bound<'_, PyAny>, stream: u64) -> PyResult<Self> {
        let py = object.py();
        let arguments = PyDict::new(py);
        let place = object.call_method0(intern!(py, "__dlpack_device__"))?;
        let (kind, id): (i32, i32) = place.extract()?;
        if (Device { kind, id }).is_cuda() {
            // DLPack's number of the default stream is 1.
            arguments.set_item("stream", stream.max(1))?;
        }
        arguments.set_item("max_version", (VERSION.major, VERSION.minor))?;
        let method = object.getattr(intern!(py, "__dlpack__"))?;
        let capsule = match method.call((), Some(&arguments)) {
            Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                arguments.del_item("max_version")?;
                method.call((), Some(&arguments))?
            }
            capsule => capsule?,
        };
        // The capsule keeps its name: what it holds is given back when it goes.
        let versioned = c"dltensor_versioned";
        // SAFETY: a live object, and names that end with a zero.
        let is_versioned =
            unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), versioned.as_ptr()) } != 0;
        let name = if is_versioned { versioned } else { c"dltensor" };
        // SAFETY: as above; another name is an exception.
        let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
        if pointer.is_null() {
            return Err(PyErr::fetch(py));
        }
        let keep = Some(capsule.unbind());
        // SAFETY: the names say what they point to, which lives as long as the capsule.
        unsafe {
            if is_versioned {
                let managed = &*pointer.cast::<ManagedVersioned>();
                if managed.version.major != VERSION.major {
                    let found = managed.version.major;
                    return Err(PyValueError::new_err(format!(
                        "expected DLPack's version {}, found {found}",
                        VERSION.major
                    )));
                }
                Ok(Self::read(&managed.tensor, managed.flags & READ_ONLY != 0, keep))
            } else {
                Ok(Self::read(&(*pointer.cast::<Managed>()).tensor, false, keep))
            }
        }
    }

    /// # Safety
    /// The lists of the tensor are as long as its rank.
    unsafe fn read(tensor: &Tensor, is_read_only: bool, keep: Option<Py<PyAny>>) -> Self {
        let rank = usize::try_from(tensor.rank).unwrap_or(0);
        let mut dimensions = SmallVec::new();
        // SAFETY: the caller's promise; a null list is not read.
        unsafe {
            if rank > 0 && !tensor.shape.is_null() {
                dimensions.extend_from_slice(std::slice::from_raw_parts(tensor.shape, rank));
                if tensor.strides.is_null() {
                    let strides = row_major(&dimensions);
                    dimensions.extend_from_slice(&strides);
                } else {
                    dimensions.extend_from_slice(std::slice::from_raw_parts(tensor.strides, rank));
                }
            }
        }
        Self {
            address: address(tensor.data) + tensor.byte_offset,
            element: tensor.element,
            device: tensor.device,
            is_read_only,
            rank,
            dimensions,
            written_on: None,
            _keep: keep,
        }
    }

    fn of_interface(interface: &Bound<'_, PyDict>, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let field = |name: &str| {
            let wrong = || {
                PyValueError::new_err(format!(
                    "expected __cuda_array_interface__ with {name:?}, found none"
                ))
            };
            interface.get_item(name)?.ok_or_else(wrong)
        };
        let shape: Vec<i64> = field("shape")?.extract()?;
        let text: String = field("typestr")?.extract()?;
        let element = Type::of_numpy(&text).ok_or_else(|| {
            PyValueError::new_err(format!(
                "expected a typestr of booleans, integers or floats in this machine's order of bytes, found {text}"
            ))
        })?;
        let (data, is_read_only): (u64, bool) = field("data")?.extract()?;
        let bytes = i64::from(element.bits / 8);
        let strides = match interface.get_item("strides")? {
            Some(strides) if !strides.is_none() => {
                let strides: Vec<i64> = strides.extract()?;
                if let Some(stride) = strides.iter().find(|&stride| stride % bytes != 0) {
                    return Err(PyValueError::new_err(format!(
                        "expected strides of whole elements of {bytes} bytes, found {stride} bytes"
                    )));
                }
                strides.into_iter().map(|stride| stride / bytes).collect()
            }
            _ => row_major(&shape),
        };
        if strides.len() != shape.len() {
            return Err(PyValueError::new_err(format!(
                "expected a stride for each of {} extents, found {}",
                shape.len(),
                strides.len()
            )));
        }
        let written_on = match interface.get_item("stream")? {
            Some(stream) if !stream.is_none() => Some(stream.extract()?),
            _ => None,
        };
        let rank = shape.len();
        let dimensions = shape.into_iter().chain(strides).collect();
        Ok(Self {
            address: data,
            element,
            // The interface does not say which; the driver knows it of the address.
            device: Device::cuda(UNKNOWN),
            is_read_only,
            rank,
            dimensions,
            written_on: written_on.filter(|_| data != 0),
            _keep: Some(object.clone().unbind()),
        })
    }
}

fn address(pointer: *mut c_void) -> u64 {
    pointer as u64
}

/// A stream that a caller names: an integer, or an object of PyTorch's, CuPy's or cuda-python's.
pub(crate) fn stream(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = object.py();
    if let Some(protocol) = object.getattr_opt(intern!(py, "__cuda_stream__"))? {
        let (_, handle): (u64, u64) = protocol.call0()?.extract()?;
        return Ok(handle);
    }
    for name in ["cuda_stream", "ptr", "handle"] {
        if let Some(handle) = object.getattr_opt(name)? {
            return handle.call_method0("__int__")?.extract();
        }
    }
    object.extract().map_err(|_| {
        let found = object.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "expected a stream as an integer, or an object with __cuda_stream__, cuda_stream or ptr, found {found}"
        ))
    })
}
