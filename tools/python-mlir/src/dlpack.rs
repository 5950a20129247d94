//! DLPack's structures, and the table of functions that frameworks put on their tensors' type.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{ffi, intern};

/// The newest version that is read and written here.
pub(crate) const VERSION: Version = Version { major: 1, minor: 1 };
/// A bit of [`ManagedVersioned::flags`].
pub(crate) const READ_ONLY: u64 = 1;

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Version {
    pub major: u32,
    pub minor: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Device {
    pub kind: i32,
    pub id: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Type {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Tensor {
    pub data: *mut c_void,
    pub device: Device,
    pub rank: i32,
    pub element: Type,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

#[repr(C)]
pub(crate) struct Managed {
    pub tensor: Tensor,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
pub(crate) struct ManagedVersioned {
    pub version: Version,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    pub flags: u64,
    pub tensor: Tensor,
}

type SetError = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char);

/// `DLPackExchangeAPI`: what a framework does with its tensors from C.
#[repr(C)]
pub(crate) struct Exchange {
    version: Version,
    previous: *const c_void,
    allocate: Option<
        unsafe extern "C" fn(
            *mut Tensor,
            *mut *mut ManagedVersioned,
            *mut c_void,
            SetError,
        ) -> c_int,
    >,
    of_object: *const c_void,
    to_object: Option<unsafe extern "C" fn(*mut ManagedVersioned, *mut *mut c_void) -> c_int>,
    describe: Option<unsafe extern "C" fn(*mut c_void, *mut Tensor) -> c_int>,
    stream: Option<unsafe extern "C" fn(i32, i32, *mut *mut c_void) -> c_int>,
}

impl Device {
    pub(crate) const CPU: i32 = 1;
    const CUDA: i32 = 2;
    const CUDA_HOST: i32 = 3;
    const CUDA_MANAGED: i32 = 13;

    pub(crate) const fn cuda(id: i32) -> Self {
        Self { kind: Self::CUDA, id }
    }

    pub(crate) const fn is_cuda(self) -> bool {
        matches!(self.kind, Self::CUDA | Self::CUDA_MANAGED)
    }

    pub(crate) fn text(self) -> String {
        match self.kind {
            Self::CPU => "the CPU".to_owned(),
            Self::CUDA | Self::CUDA_MANAGED => format!("CUDA device {}", self.id),
            Self::CUDA_HOST => "the CPU (pinned)".to_owned(),
            kind => format!("DLPack's device {kind}"),
        }
    }
}

/// Element types: MLIR's name, and DLPack's code and bits.
const TYPES: &[(&str, u8, u8)] = &[
    ("i8", 0, 8),
    ("i16", 0, 16),
    ("i32", 0, 32),
    ("i64", 0, 64),
    ("ui8", 1, 8),
    ("ui16", 1, 16),
    ("ui32", 1, 32),
    ("ui64", 1, 64),
    ("f16", 2, 16),
    ("f32", 2, 32),
    ("f64", 2, 64),
    ("bf16", 4, 16),
    ("i1", 6, 8),
    ("f8E4M3", 8, 8),
    ("f8E4M3B11FNUZ", 9, 8),
    ("f8E4M3FN", 10, 8),
    ("f8E4M3FNUZ", 11, 8),
    ("f8E5M2", 12, 8),
    ("f8E5M2FNUZ", 13, 8),
    // Names of the same elements in memory.
    ("tf32", 2, 32),
    ("index", 0, 64),
];

impl Type {
    /// MLIR's name.
    pub(crate) fn name(self) -> String {
        let found = TYPES
            .iter()
            .find(|(_, code, bits)| (*code, *bits, 1) == (self.code, self.bits, self.lanes));
        match found {
            Some((name, ..)) => (*name).to_owned(),
            None if self.code == 5 => format!("complex<f{}>", self.bits / 2),
            None => format!("DLPack's type {} of {} bits", self.code, self.bits),
        }
    }

    /// The type of MLIR's name; integers below a byte take one.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let name = match name {
            "i2" | "i4" => "i8",
            name => name,
        };
        let (_, code, bits) = TYPES.iter().find(|(known, ..)| *known == name)?;
        Some(Self { code: *code, bits: *bits, lanes: 1 })
    }

    /// The type of numpy's `typestr`, as `<f4`.
    pub(crate) fn of_numpy(text: &str) -> Option<Self> {
        let (order, rest) = text.split_at_checked(1)?;
        let (kind, bytes) = rest.split_at_checked(1)?;
        let bits = bytes.parse::<u8>().ok()?.checked_mul(8)?;
        let code = match kind {
            "i" => 0,
            "u" => 1,
            "f" => 2,
            "c" => 5,
            "b" => 6,
            _ => return None,
        };
        (order != ">" || bits == 8).then_some(Self { code, bits, lanes: 1 })
    }

    /// Numpy's `typestr`, or `None` if numpy has no such type.
    pub(crate) fn numpy(self) -> Option<String> {
        let kind = match self.code {
            0 => "i",
            1 => "u",
            2 => "f",
            6 => "b",
            _ => return None,
        };
        let order = if self.bits == 8 { "|" } else { "<" };
        Some(format!("{order}{kind}{}", self.bits / 8))
    }
}

/// The tables of types that were looked up; a type with a table lives as long as the process.
static KNOWN: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

impl Exchange {
    /// The table of an object's type, or `None` if it has none that can be read here.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static Self>> {
        let py = object.py();
        let kind = object.get_type();
        let address = kind.as_ptr() as usize;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = known.iter().find(|(of, _)| *of == address) {
            // SAFETY: it was read of a capsule whose contents live as long as the process, as DLPack requires.
            return Ok(unsafe { (*table as *const Self).as_ref() });
        }
        drop(known);
        let Some(capsule) = kind.getattr_opt(intern!(py, "__dlpack_c_exchange_api__"))? else {
            return Ok(None);
        };
        // SAFETY: a live object and a name that ends with a zero; a wrong name is an exception.
        let table =
            unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), c"dlpack_exchange_api".as_ptr()) };
        if table.is_null() {
            return Err(PyErr::fetch(py));
        }
        let table = table.cast::<Self>();
        // SAFETY: the name says what it points to, and its first field stays where it is in all versions.
        if unsafe { (*table).version.major } != VERSION.major {
            return Ok(None);
        }
        let keep: Py<PyType> = kind.unbind();
        std::mem::forget(keep);
        known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.push((address, table as usize));
        // SAFETY: as above.
        Ok(unsafe { table.as_ref() })
    }

    /// Describes a tensor without owning it: pointers in it live as long as the object, until control is given back to Python. None
    /// where the framework does not do that.
    pub(crate) fn describe(&self, object: &Bound<'_, PyAny>) -> PyResult<Option<Tensor>> {
        let Some(describe) = self.describe else { return Ok(None) };
        let mut tensor = EMPTY;
        // SAFETY: an object of the type that the table is of, and a place for the answer.
        match unsafe { describe(object.as_ptr().cast(), &mut tensor) } {
            0 => Ok(Some(tensor)),
            _ => Err(PyErr::fetch(object.py())),
        }
    }

    /// The stream that the framework works on.
    pub(crate) fn stream(&self, py: Python<'_>, device: Device) -> PyResult<usize> {
        let Some(stream) = self.stream else { return Ok(0) };
        let mut found = std::ptr::null_mut();
        // SAFETY: a place for the answer.
        match unsafe { stream(device.kind, device.id, &mut found) } {
            0 => Ok(found as usize),
            _ => Err(PyErr::fetch(py)),
        }
    }

    /// A new tensor of the framework, with contents that are not defined, and its address. Strides are those of some layout without gaps.
    pub(crate) fn allocate(
        &self,
        py: Python<'_>,
        (element, device): (Type, Device),
        (shape, strides): (&[i64], &[i64]),
    ) -> PyResult<(Py<PyAny>, u64)> {
        let (Some(allocate), Some(to_object)) = (self.allocate, self.to_object) else {
            return Err(PyRuntimeError::new_err(
                "expected a framework that allocates tensors, found none; give out=",
            ));
        };
        let row_major = layout_runtime::binding::row_major(shape) == strides;
        let count = shape.iter().product();
        let mut extents = if row_major { shape.to_vec() } else { vec![count] };
        let mut ones = layout_runtime::binding::row_major(&extents);
        let mut prototype = Tensor {
            device,
            rank: i32::try_from(extents.len()).unwrap_or(i32::MAX),
            element,
            shape: extents.as_mut_ptr(),
            strides: ones.as_mut_ptr(),
            ..EMPTY
        };
        let mut managed = std::ptr::null_mut();
        let mut message = String::new();
        // SAFETY: the prototype and what it points to live until the call returns; the callback gets the string that it is given.
        let status =
            unsafe { allocate(&mut prototype, &mut managed, (&raw mut message).cast(), set_error) };
        if status != 0 || managed.is_null() {
            if PyErr::occurred(py) {
                return Err(PyErr::fetch(py));
            }
            return Err(PyRuntimeError::new_err(message));
        }
        // SAFETY: what was just allocated.
        let (data, offset) = unsafe { ((*managed).tensor.data, (*managed).tensor.byte_offset) };
        if !row_major {
            managed = Strided::wrap(managed, shape, strides);
        }
        let mut object = std::ptr::null_mut();
        // SAFETY: what was just allocated, which is given away here.
        if unsafe { to_object(managed, &mut object) } != 0 {
            return Err(PyErr::fetch(py));
        }
        // SAFETY: a new reference to the framework's tensor.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, object.cast()) }?;
        Ok((object.unbind(), data as u64 + offset))
    }
}

const EMPTY: Tensor = Tensor {
    data: std::ptr::null_mut(),
    device: Device { kind: 0, id: 0 },
    rank: 0,
    element: Type { code: 0, bits: 0, lanes: 1 },
    shape: std::ptr::null_mut(),
    strides: std::ptr::null_mut(),
    byte_offset: 0,
};

unsafe extern "C" fn set_error(context: *mut c_void, kind: *const c_char, message: *const c_char) {
    // SAFETY: the context is the string of `allocate`, and both texts end with a zero.
    unsafe {
        let text = |text: *const c_char| CStr::from_ptr(text).to_string_lossy();
        *context.cast::<String>() = format!("{}: {}", text(kind), text(message));
    }
}

/// Memory of one tensor, seen with other extents and strides.
struct Strided {
    of: *mut ManagedVersioned,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Strided {
    fn wrap(of: *mut ManagedVersioned, shape: &[i64], strides: &[i64]) -> *mut ManagedVersioned {
        let mut own = Box::new(Self { of, shape: shape.to_vec(), strides: strides.to_vec() });
        // SAFETY: the framework's tensor, which `own` owns from here on.
        let (version, inner) = unsafe { ((*of).version, (*of).tensor) };
        let tensor = Tensor {
            rank: i32::try_from(shape.len()).unwrap_or(i32::MAX),
            shape: own.shape.as_mut_ptr(),
            strides: own.strides.as_mut_ptr(),
            ..inner
        };
        let context = Box::into_raw(own).cast();
        let deleter = Some(Self::delete as unsafe extern "C" fn(*mut ManagedVersioned));
        Box::into_raw(Box::new(ManagedVersioned { version, context, deleter, flags: 0, tensor }))
    }

    unsafe extern "C" fn delete(managed: *mut ManagedVersioned) {
        // SAFETY: made by `wrap`, and deleted once; so is what it wraps.
        unsafe {
            let own = Box::from_raw(Box::from_raw(managed).context.cast::<Self>());
            if let Some(deleter) = (*own.of).deleter {
                deleter(own.of);
            }
        }
    }
}
