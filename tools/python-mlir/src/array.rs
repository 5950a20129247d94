//! Memory that this package allocates, for results of frameworks that cannot allocate from C.

use std::ffi::c_void;

use layout_runtime::driver::{Gpu, Stream};
use pyo3::exceptions::{PyAttributeError, PyBufferError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{ffi, intern};

use crate::dlpack::{Device, Managed, ManagedVersioned, Tensor, Type, VERSION};
use crate::error;
use crate::function::is_row_major;
use crate::tensor::TensorArgument;

/// A result in device memory, which any framework takes: by `__dlpack__` or `__cuda_array_interface__`.
#[pyclass(frozen, name = "Array", module = "layout_mlir")]
pub(crate) struct PyArray {
    address: u64,
    element: Type,
    device: Device,
    dimensions: (Vec<i64>, Vec<i64>),
    /// The stream that it is written on.
    stream: u64,
    gpu: Gpu,
}

impl PyArray {
    pub(crate) fn new(
        gpu: Gpu,
        (element, device): (Type, Device),
        (shape, strides): (&[i64], &[i64]),
        stream: u64,
    ) -> PyResult<Self> {
        let count: i64 = shape.iter().product();
        let bytes = usize::try_from(count).unwrap_or(0) * usize::from(element.bits / 8);
        let address = gpu.allocate_raw(bytes).map_err(|error| error::of(&error))?;
        let dimensions = (shape.to_vec(), strides.to_vec());
        Ok(Self { address, element, device, dimensions, stream, gpu })
    }

    /// As an operand of the launch that writes it.
    pub(crate) fn taken(&self) -> TensorArgument {
        let (shape, strides) = &self.dimensions;
        TensorArgument::own(self.address, (self.element, self.device), shape, strides)
    }

    /// Waits until it is written.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        // SAFETY: the stream of the launch that writes it.
        let wait = || unsafe { Stream::of(self.stream as *mut c_void).wait() };
        py.detach(|| self.gpu.within(wait)).map_err(|error| error::of(&error))
    }
}

impl Drop for PyArray {
    fn drop(&mut self) {
        // SAFETY: reserved once, freed once; freeing waits for what uses it. A failure cannot be reported here.
        let _ = unsafe { self.gpu.free(self.address) };
    }
}

#[pymethods]
impl PyArray {
    /// The extents.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.dimensions.0)
    }

    /// The strides in elements.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.dimensions.1)
    }

    /// The element type, by MLIR's name.
    #[getter]
    fn dtype(&self) -> String {
        self.element.name()
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        (self.device.kind, self.device.id)
    }

    /// The memory for another framework, when it is written.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        let device = (own.device.kind, own.device.id);
        if copy == Some(true) || dl_device.is_some_and(|requested| requested != device) {
            return Err(PyBufferError::new_err(
                "expected the memory itself, found a request for a copy",
            ));
        }
        let _ = stream;
        own.wait(py)?;
        let mut held = Box::new(TensorOwner {
            of: slf.clone().unbind(),
            shape: own.dimensions.0.clone(),
            strides: own.dimensions.1.clone(),
        });
        let tensor = Tensor {
            data: own.address as *mut c_void,
            device: own.device,
            rank: i32::try_from(held.shape.len()).unwrap_or(i32::MAX),
            element: own.element,
            shape: held.shape.as_mut_ptr(),
            strides: held.strides.as_mut_ptr(),
            byte_offset: 0,
        };
        let context = Box::into_raw(held).cast();
        let capsule = if max_version.is_some_and(|(major, _)| major >= VERSION.major) {
            let deleter = Some(delete_versioned as unsafe extern "C" fn(*mut ManagedVersioned));
            let managed = ManagedVersioned { version: VERSION, context, deleter, flags: 0, tensor };
            let managed = Box::into_raw(Box::new(managed)).cast();
            // SAFETY: the name says what is in it, and the destructor is that of this name.
            unsafe {
                ffi::PyCapsule_New(managed, c"dltensor_versioned".as_ptr(), Some(drop_versioned))
            }
        } else {
            let deleter = Some(delete as unsafe extern "C" fn(*mut Managed));
            let managed = Box::into_raw(Box::new(Managed { tensor, context, deleter })).cast();
            // SAFETY: as above.
            unsafe { ffi::PyCapsule_New(managed, c"dltensor".as_ptr(), Some(drop_plain)) }
        };
        // SAFETY: a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let text = self.element.numpy().ok_or_else(|| {
            PyAttributeError::new_err(format!(
                "expected elements that numpy has, found {}",
                self.element.name()
            ))
        })?;
        let bytes = i64::from(self.element.bits / 8);
        let (shape, strides) = &self.dimensions;
        let interface = PyDict::new(py);
        interface.set_item("shape", PyTuple::new(py, shape)?)?;
        interface.set_item("typestr", text)?;
        interface.set_item("data", (self.address, false))?;
        interface.set_item("version", 3)?;
        interface.set_item("stream", self.stream.max(1))?;
        if !is_row_major(shape, strides) {
            interface.set_item(
                "strides",
                PyTuple::new(py, strides.iter().map(|stride| stride * bytes))?,
            )?;
        }
        Ok(interface)
    }

    fn __repr__(&self) -> String {
        let (shape, strides) = &self.dimensions;
        format!(
            "<layout_mlir.Array {}{shape:?}:{strides:?} on {}>",
            self.element.name(),
            self.device.text()
        )
    }
}

/// The owner that lives as long as a tensor that was passed on.
struct TensorOwner {
    of: Py<PyArray>,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

unsafe fn release(context: *mut c_void) {
    // SAFETY: of `__dlpack__`, released once.
    let held = unsafe { Box::from_raw(context.cast::<TensorOwner>()) };
    Python::attach(|_| drop(held.of));
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: of `__dlpack__`, deleted once.
    unsafe { release(Box::from_raw(managed).context) }
}

unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: as above.
    unsafe { release(Box::from_raw(managed).context) }
}

unsafe extern "C" fn drop_plain(capsule: *mut ffi::PyObject) {
    // SAFETY: called with a capsule of `__dlpack__`; one that was taken has another name by then.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, c"dltensor".as_ptr()) != 0 {
            delete(ffi::PyCapsule_GetPointer(capsule, c"dltensor".as_ptr()).cast());
        }
    }
}

unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    let name = c"dltensor_versioned";
    // SAFETY: as above.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, name.as_ptr()) != 0 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, name.as_ptr()).cast());
        }
    }
}

/// An array as one of the framework of another tensor, where that takes DLPack; else as it is.
pub(crate) fn as_its_like<'py>(
    array: Bound<'py, PyAny>,
    like: Option<&Bound<'py, PyAny>>,
) -> Bound<'py, PyAny> {
    let take = || -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(like) = like else { return Ok(None) };
        let py = array.py();
        let name = intern!(py, "from_dlpack");
        let namespace = match like.getattr_opt(intern!(py, "__array_namespace__"))? {
            Some(of) => Some(of.call0()?),
            None => {
                let module: String =
                    like.get_type().getattr(intern!(py, "__module__"))?.extract()?;
                let root = module.split('.').next().unwrap_or_default().to_owned();
                let modules = py.import("sys")?.getattr("modules")?;
                modules.cast::<PyDict>()?.get_item(root)?
            }
        };
        let Some(from) = namespace.map(|space| space.getattr_opt(name)).transpose()?.flatten()
        else {
            return Ok(None);
        };
        from.call1((&array,)).map(Some)
    };
    take().ok().flatten().unwrap_or(array)
}
