//! The C interface of [`Executable`], which `include/layout_runtime.h` declares and documents.

pub mod host;
pub mod program;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use crate::driver::{Gpu, Stream};
use crate::executable::{Callable, Executable};
use crate::{Error, Result};

/// `layout_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// `LAYOUT_OK`
    Ok = 0,
    /// `LAYOUT_ERROR_ARGUMENT`
    Argument = 1,
    /// `LAYOUT_ERROR_MANIFEST`
    Manifest = 2,
    /// `LAYOUT_ERROR_NO_GPU`
    NoGpu = 3,
    /// `LAYOUT_ERROR_DRIVER`
    Driver = 4,
    /// `LAYOUT_ERROR_CODE`
    Code = 5,
    /// `LAYOUT_ERROR_INTERNAL`
    Internal = 6,
}

impl From<&Error> for Status {
    fn from(error: &Error) -> Self {
        match error {
            Error::Launch(_) => Self::Argument,
            Error::Manifest(_) | Error::Reference { .. } => Self::Manifest,
            Error::NoGpu(_) => Self::NoGpu,
            Error::Assemble { .. } => Self::Code,
            Error::Driver { .. } => Self::Driver,
            Error::Read { .. } | Error::Write { .. } | Error::Record { .. } | Error::Cublas(_) => {
                Self::Internal
            }
        }
    }
}

thread_local! {
    /// The message of the last call of this thread that failed.
    static MESSAGE: RefCell<CString> = RefCell::default();
}

fn say(text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    MESSAGE.with_borrow_mut(|message| *message = text);
}

/// The status of what is done; its error's text is kept for [`layout_last_error`].
fn status(does: impl FnOnce() -> Result<()>) -> Status {
    match catch_unwind(AssertUnwindSafe(does)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(error)) => {
            say(&error.to_string());
            Status::from(&error)
        }
        Err(_) => {
            say("a defect of layout_runtime: it panicked");
            Status::Internal
        }
    }
}

/// Devices whose memory was requested, which stay open: memory lives as long as its context.
static OPENED: Mutex<BTreeMap<c_int, Gpu>> = Mutex::new(BTreeMap::new());

/// A device, opened once.
fn opened(device: c_int) -> Result<Gpu> {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(gpu) = opened.get(&device) {
        return Ok(gpu.clone());
    }
    let gpu = Gpu::numbered(device)?;
    opened.insert(device, gpu.clone());
    Ok(gpu)
}

fn null(what: &str) -> Error {
    Error::Launch(format!("expected {what}, found null"))
}

/// The slice that a pointer and a count are; none is empty, whatever the pointer.
///
/// # Safety
/// A non-null pointer is valid for reads of `count` values for the lifetime of the result.
unsafe fn slice<'a, T>(pointer: *const T, count: usize, what: &str) -> Result<&'a [T]> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(what)),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }),
    }
}

/// # Safety
/// As a zero-terminated string that lives as long as the result, or null.
unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|error| Error::Launch(format!("expected {what} in UTF-8, found {error}")))
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_executable_load(
    device: c_int,
    code: *const c_void,
    code_size: usize,
    manifest: *const c_char,
    executable: *mut *mut Executable,
) -> Status {
    status(|| {
        if executable.is_null() {
            return Err(null("a place for the executable"));
        }
        // SAFETY: the caller keeps the header's contract for `code` and `manifest`.
        let (code, manifest) = unsafe {
            (slice(code.cast::<u8>(), code_size, "code")?, text(manifest, "a manifest")?)
        };
        let loaded = Box::new(Executable::load(device, code, manifest)?);
        // SAFETY: not null, and the header requires a place of this type.
        unsafe { executable.write(Box::into_raw(loaded)) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_executable_free(executable: *mut Executable) {
    if !executable.is_null() {
        // SAFETY: it came from `layout_executable_load`, and is freed once, as the header requires.
        let executable = unsafe { Box::from_raw(executable) };
        status(|| {
            drop(executable);
            Ok(())
        });
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_executable_kernel(
    executable: *const Executable,
    name: *const c_char,
    kernel: *mut *const Callable,
) -> Status {
    status(|| {
        // SAFETY: null, or what `layout_executable_load` gave.
        let executable = unsafe { executable.as_ref() }.ok_or_else(|| null("an executable"))?;
        if kernel.is_null() {
            return Err(null("a place for the kernel"));
        }
        // SAFETY: the caller keeps the header's contract for `name`.
        let found = executable.kernel(unsafe { text(name, "a kernel's name") }?)?;
        // SAFETY: not null, and a place of this type; the executable keeps the kernel.
        unsafe { kernel.write(Arc::as_ptr(&found)) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_kernel_size_count(kernel: *const Callable) -> usize {
    // SAFETY: null, or what `layout_executable_kernel` gave.
    unsafe { kernel.as_ref() }.map_or(0, |kernel| kernel.sizes().len())
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_kernel_size_name(
    kernel: *const Callable,
    number: usize,
) -> *const c_char {
    // SAFETY: null, or what `layout_executable_kernel` gave.
    let name = unsafe { kernel.as_ref() }.and_then(|kernel| kernel.size_name(number));
    name.map_or(std::ptr::null(), CStr::as_ptr)
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_kernel_size_range(
    kernel: *const Callable,
    number: usize,
    least: *mut i64,
    most: *mut i64,
    divisor: *mut i64,
) -> Status {
    status(|| {
        // SAFETY: null, or what `layout_executable_kernel` gave.
        let kernel = unsafe { kernel.as_ref() }.ok_or_else(|| null("a kernel"))?;
        let size = kernel.sizes().get(number).ok_or_else(|| {
            let (name, count) = (kernel.name(), kernel.sizes().len());
            Error::Launch(format!("kernel {name}: expected a size below {count}, found {number}"))
        })?;
        for (place, value) in [(least, size.least), (most, size.most), (divisor, size.divisor)] {
            if !place.is_null() {
                // SAFETY: not null, and the header requires a place of this type.
                unsafe { place.write(value) };
            }
        }
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_kernel_workspace_bytes(
    kernel: *const Callable,
    sizes: *const i64,
    size_count: usize,
    bytes: *mut usize,
) -> Status {
    status(|| {
        // SAFETY: null, or what `layout_executable_kernel` gave.
        let kernel = unsafe { kernel.as_ref() }.ok_or_else(|| null("a kernel"))?;
        if bytes.is_null() {
            return Err(null("a place for the number of bytes"));
        }
        // SAFETY: the caller keeps the header's contract for `sizes`.
        let found = kernel.workspace_bytes(unsafe { slice(sizes, size_count, "sizes") }?)?;
        // SAFETY: not null, and the header requires a place of this type.
        unsafe { bytes.write(found) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_kernel_launch(
    kernel: *const Callable,
    stream: *mut c_void,
    pointers: *const *mut c_void,
    pointer_count: usize,
    sizes: *const i64,
    size_count: usize,
) -> Status {
    status(|| {
        // SAFETY: null, or what `layout_executable_kernel` gave.
        let kernel = unsafe { kernel.as_ref() }.ok_or_else(|| null("a kernel"))?;
        // SAFETY: the caller keeps the header's contract for both.
        let (pointers, sizes) = unsafe {
            (slice(pointers, pointer_count, "pointers")?, slice(sizes, size_count, "sizes")?)
        };
        let pointers: Vec<u64> = pointers.iter().map(|pointer| *pointer as u64).collect();
        // SAFETY: the caller keeps the header's contract for the stream and the memory of the pointers.
        unsafe { kernel.launch(Stream::of(stream), &pointers, sizes) }
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_device_allocate(
    device: c_int,
    bytes: usize,
    memory: *mut *mut c_void,
) -> Status {
    status(|| {
        if memory.is_null() {
            return Err(null("a place for the memory's address"));
        }
        let address = opened(device)?.allocate_raw(bytes)?;
        // SAFETY: not null, and the header requires a place of this type.
        unsafe { memory.write(address as *mut c_void) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_device_free(device: c_int, memory: *mut c_void) -> Status {
    status(|| match memory.is_null() {
        true => Ok(()),
        // SAFETY: the caller keeps the header's contract for `memory`.
        false => unsafe { opened(device)?.free(memory as u64) },
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_copy_to_device(
    device: c_int,
    memory: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> Status {
    // SAFETY: the caller keeps the header's contract for all of them.
    status(|| unsafe {
        let from = slice(from.cast::<u8>(), bytes, "bytes to copy")?;
        opened(device)?.copy_to(memory as u64, from)
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_copy_from_device(
    device: c_int,
    to: *mut c_void,
    memory: *const c_void,
    bytes: usize,
) -> Status {
    status(|| {
        if to.is_null() && bytes > 0 {
            return Err(null("a place for the bytes"));
        }
        let to = match bytes {
            0 => &mut [][..],
            // SAFETY: not null, and the header requires that it is valid for `bytes` bytes.
            _ => unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes) },
        };
        // SAFETY: the caller keeps the header's contract for `memory`.
        unsafe { opened(device)?.copy_from(to, memory as u64) }
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn layout_last_error() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions about no kernel have an answer, and calls with none an error with a text.
    #[test]
    fn null_is_no_kernel() {
        let last_error = || {
            // SAFETY: the text lives until this thread's next call that fails.
            unsafe { CStr::from_ptr(layout_last_error()) }.to_str().unwrap_or_default().to_owned()
        };
        let kernel = std::ptr::null::<Callable>();
        let (mut bytes, mut least) = (7_usize, 7_i64);
        // SAFETY: null is taken for the kernel, and for places that nothing is written to; the others are live locals.
        unsafe {
            assert_eq!(layout_kernel_size_count(kernel), 0);
            assert!(layout_kernel_size_name(kernel, 0).is_null());
            let null = std::ptr::null_mut();
            let status = layout_kernel_size_range(kernel, 0, &mut least, null, null);
            assert_eq!(
                (status, last_error()),
                (Status::Argument, "launch: expected a kernel, found null".into())
            );
            let sizes = [7_i64];
            let status = layout_kernel_workspace_bytes(kernel, sizes.as_ptr(), 1, &mut bytes);
            assert_eq!(
                (status, last_error()),
                (Status::Argument, "launch: expected a kernel, found null".into())
            );
            let stream = std::ptr::null_mut();
            let status =
                layout_kernel_launch(kernel, stream, std::ptr::null(), 0, sizes.as_ptr(), 1);
            assert_eq!(
                (status, last_error()),
                (Status::Argument, "launch: expected a kernel, found null".into())
            );
        }
        assert_eq!((bytes, least), (7, 7));
    }
}
