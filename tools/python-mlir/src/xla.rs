//! Launches from XLA: the handler of its foreign functions, which JAX calls on streams of its own, with no Python around.
//!
//! The structures are those of `xla/ffi/api/c_api.h`, version 0: each begins with its size, and grows at its end alone.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use layout_runtime::driver::Gpu;
use layout_runtime::manifest::Access;

use crate::dlpack::{Device, Type};
use crate::launch::{Launcher, Operands};
use crate::tensor::{TensorArgument, UNKNOWN};

/// The functions that calls name by number, as long as the process lives: XLA keeps what it has compiled.
static FUNCTIONS: Mutex<Vec<Arc<Launcher>>> = Mutex::new(Vec::new());

/// The number of a function.
pub(crate) fn number_of(launcher: &Arc<Launcher>) -> usize {
    *launcher.number.get_or_init(|| {
        let mut functions = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
        functions.push(Arc::clone(launcher));
        functions.len() - 1
    })
}

/// The newest minor version of the interface that this was written for.
const MINOR: i32 = 3;
/// The kind of an extension that queries a handler's version.
const METADATA: i32 = 1;
/// The code of errors of operands.
const INVALID_ARGUMENT: i32 = 3;
/// The kind of an attribute that is one number.
const SCALAR: i32 = 3;
/// The type of an integer of 64 bits.
const S64: i32 = 5;

#[repr(C)]
struct Extension {
    size: usize,
    kind: i32,
    next: *mut Extension,
}

#[repr(C)]
struct Version {
    size: usize,
    extension: *mut Extension,
    major: i32,
    minor: i32,
}

#[repr(C)]
struct Metadata {
    size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct CreateError {
    size: usize,
    extension: *mut Extension,
    message: *const c_char,
    code: i32,
}

#[repr(C)]
struct ErrorMessage {
    size: usize,
    extension: *mut Extension,
    error: *mut c_void,
    message: *const c_char,
}

#[repr(C)]
struct DestroyError {
    size: usize,
    extension: *mut Extension,
    error: *mut c_void,
}

#[repr(C)]
struct GetStream {
    size: usize,
    extension: *mut Extension,
    context: *mut c_void,
    stream: *mut c_void,
}

/// The interface as far as it is used here.
#[repr(C)]
struct Api {
    size: usize,
    extension: *mut Extension,
    version: Version,
    internal: *const c_void,
    create_error: Option<unsafe extern "C" fn(*mut CreateError) -> *mut c_void>,
    error_message: Option<unsafe extern "C" fn(*mut ErrorMessage)>,
    destroy_error: Option<unsafe extern "C" fn(*mut DestroyError)>,
    register: *const c_void,
    get_stream: Option<unsafe extern "C" fn(*mut GetStream) -> *mut c_void>,
}

#[repr(C)]
struct Buffer {
    size: usize,
    extension: *mut Extension,
    element: i32,
    data: *mut c_void,
    rank: i64,
    shape: *const i64,
}

/// A list of buffers: arguments or results.
#[repr(C)]
struct Buffers {
    size: usize,
    extension: *mut Extension,
    count: i64,
    kinds: *const i32,
    all: *const *const Buffer,
}

#[repr(C)]
struct Text {
    start: *const u8,
    length: usize,
}

#[repr(C)]
struct Scalar {
    element: i32,
    value: *const i64,
}

#[repr(C)]
struct Attributes {
    size: usize,
    extension: *mut Extension,
    count: i64,
    kinds: *const i32,
    names: *const *const Text,
    all: *const *const Scalar,
}

#[repr(C)]
pub(crate) struct Frame {
    size: usize,
    extension: *mut Extension,
    api: *const Api,
    context: *mut c_void,
    stage: i32,
    arguments: Buffers,
    results: Buffers,
    attributes: Attributes,
}

/// XLA's numbers of element types, and DLPack's code and bits.
const TYPES: &[(i32, u8, u8)] = &[
    (1, 6, 8),
    (2, 0, 8),
    (3, 0, 16),
    (4, 0, 32),
    (5, 0, 64),
    (6, 1, 8),
    (7, 1, 16),
    (8, 1, 32),
    (9, 1, 64),
    (10, 2, 16),
    (11, 2, 32),
    (12, 2, 64),
    (16, 4, 16),
    (19, 12, 8),
    (20, 10, 8),
    (15, 5, 64),
    (18, 5, 128),
];

/// The handler: a call has an attribute `function`, the number of one, and the operands as buffers, those that are read and then those that are written.
/// An operand that is read and written is both, in the same memory.
pub(crate) unsafe extern "C" fn handler(frame: *mut Frame) -> *mut c_void {
    // SAFETY: XLA's frame, which lives until this returns.
    let frame = unsafe { &*frame };
    // SAFETY: the kind says what an extension is.
    unsafe {
        if let Some(extension) = frame.extension.as_ref()
            && extension.kind == METADATA
        {
            let metadata = &mut *(*frame.extension.cast::<MetadataExtension>()).metadata;
            let own = frame.api.as_ref().map_or(MINOR, |api| api.version.minor);
            metadata.version.major = 0;
            metadata.version.minor = own.min(MINOR);
            metadata.traits = 0;
            return std::ptr::null_mut();
        }
    }
    let called = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: a frame of a call.
        unsafe { call(frame) }
    }));
    let message = match called {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(message)) => message,
        Err(_) => "layout_mlir: internal error; see standard error".to_owned(),
    };
    let message = CString::new(message).unwrap_or_default();
    // SAFETY: the interface's function, and a message that lives until it returns.
    unsafe {
        let mut arguments = CreateError {
            size: size_of::<CreateError>(),
            extension: std::ptr::null_mut(),
            message: message.as_ptr(),
            code: INVALID_ARGUMENT,
        };
        match frame.api.as_ref().and_then(|api| api.create_error) {
            Some(create) => create(&mut arguments),
            None => std::ptr::null_mut(),
        }
    }
}

unsafe fn call(frame: &Frame) -> Result<(), String> {
    // SAFETY: lists are as long as they say.
    let (attributes, arguments, results) =
        unsafe { (attribute(&frame.attributes), list(&frame.arguments), list(&frame.results)) };
    let number = attributes.and_then(|number| usize::try_from(number).ok());
    let functions = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = number.and_then(|number| functions.get(number)).cloned();
    drop(functions);
    let launcher = found.ok_or("layout_mlir: expected a function of this process, found none")?;
    let operands = launcher.signature.operands();
    let written: Vec<usize> =
        (0..operands.len()).filter(|&one| operands[one].access != Access::Read).collect();
    if arguments.len() != launcher.inputs.len() || results.len() != written.len() {
        return Err(format!(
            "{}: expected {} arguments and {} results, found {} and {}",
            launcher.signature.of(),
            launcher.inputs.len(),
            written.len(),
            arguments.len(),
            results.len()
        ));
    }
    // All are of one device, which the driver knows of an address.
    let filled = arguments.iter().chain(&results).find(|buffer| !buffer.data.is_null());
    let id = filled.and_then(|buffer| Gpu::number_of(buffer.data as u64).ok());
    let device = Device::cuda(id.unwrap_or(UNKNOWN));
    let mut taken: Operands = Operands::new();
    taken.resize_with(operands.len(), || None);
    let inputs = launcher.inputs.iter().zip(&arguments);
    for (&number, buffer) in inputs.chain(written.iter().zip(&results)) {
        // SAFETY: as above.
        let (element, shape) = unsafe { described(buffer) };
        let element = element.ok_or_else(|| {
            let (name, found) = (&operands[number].name, buffer.element);
            format!("{name}: expected elements that are known, found XLA's type {found}")
        })?;
        // The wrapper requested of XLA the layout's own order of dimensions, of which buffers say nothing.
        taken[number] =
            Some(TensorArgument::own(buffer.data as u64, (element, device), shape, &[]));
    }
    let text = |refused: crate::launch::LaunchError| refused.to_string();
    let checked = launcher.bound_by_shapes(&mut taken).map_err(text)?;
    // SAFETY: the frame's interface and context.
    let stream = unsafe { stream(frame)? };
    let device = launcher.device(&checked, &taken).map_err(text)?;
    let code = launcher.code(&checked, device).map_err(text)?;
    launcher.launch(&code, &taken, stream).map_err(text)
}

/// The stream of a call; on the CPU there is none.
unsafe fn stream(frame: &Frame) -> Result<u64, String> {
    // SAFETY: XLA's interface, which lives as long as the process.
    unsafe {
        let api = frame.api.as_ref().ok_or("expected XLA's interface, found null")?;
        let get = api.get_stream.ok_or("expected a stream of XLA's, found none")?;
        let mut arguments = GetStream {
            size: size_of::<GetStream>(),
            extension: std::ptr::null_mut(),
            context: frame.context,
            stream: std::ptr::null_mut(),
        };
        let error = get(&mut arguments);
        if error.is_null() {
            return Ok(arguments.stream as u64);
        }
        let mut query = ErrorMessage {
            size: size_of::<ErrorMessage>(),
            extension: std::ptr::null_mut(),
            error,
            message: std::ptr::null(),
        };
        let mut text = String::new();
        if let Some(message) = api.error_message {
            message(&mut query);
            if !query.message.is_null() {
                text = CStr::from_ptr(query.message).to_string_lossy().into_owned();
            }
        }
        if let Some(destroy) = api.destroy_error {
            let size = size_of::<DestroyError>();
            destroy(&mut DestroyError { size, extension: std::ptr::null_mut(), error });
        }
        Err(format!("expected a stream of a GPU, found none: {text}"))
    }
}

/// The attribute `function`.
unsafe fn attribute(attributes: &Attributes) -> Option<i64> {
    let count = usize::try_from(attributes.count).unwrap_or(0);
    // SAFETY: three lists of this length; the kind says what an attribute is.
    unsafe {
        (0..count).find_map(|at| {
            let name = &**attributes.names.add(at);
            let name = std::slice::from_raw_parts(name.start, name.length);
            if name != b"function" || *attributes.kinds.add(at) != SCALAR {
                return None;
            }
            let scalar = &**attributes.all.add(at);
            (scalar.element == S64).then(|| *scalar.value)
        })
    }
}

unsafe fn list(buffers: &Buffers) -> Vec<&Buffer> {
    let count = usize::try_from(buffers.count).unwrap_or(0);
    // SAFETY: as long as it says; all are buffers, of which there is no other kind.
    (0..count).map(|at| unsafe { &**buffers.all.add(at) }).collect()
}

unsafe fn described(buffer: &Buffer) -> (Option<Type>, &[i64]) {
    let found = TYPES.iter().find(|(own, ..)| *own == buffer.element);
    let element = found.map(|&(_, code, bits)| Type { code, bits, lanes: 1 });
    let rank = usize::try_from(buffer.rank).unwrap_or(0);
    if rank == 0 || buffer.shape.is_null() {
        return (element, &[]);
    }
    // SAFETY: as long as the rank.
    (element, unsafe { std::slice::from_raw_parts(buffer.shape, rank) })
}
