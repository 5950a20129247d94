//! The C interface for host code that MLIR makes: what that code needs before a launch, and the functions that
//! `gpu-to-llvm` calls (MLIR's own library of these is not in its packages). Such code cannot return an error, so an
//! error ends the process, as an assertion in it does.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError, atomic};

use cudarc::driver::sys;

use super::{opened, slice, text};
use crate::configuration::Configuration;
use crate::driver::{Function, Gpu, Module, Start, Stream, refused};
use crate::{
    Result,
    prepared::{self, WAITING_PREFIX},
};

/// The device of what follows, as `mgpuSetDefaultDevice` says.
static DEVICE: atomic::AtomicI32 = atomic::AtomicI32::new(0);

fn device() -> Result<Gpu> {
    opened(DEVICE.load(atomic::Ordering::Relaxed))
}

/// The value of an outcome; an error is written to standard error, and ends the process.
fn done<T>(outcome: Result<T>) -> T {
    match outcome {
        Ok(value) => value,
        Err(error) => {
            eprintln!("layout_runtime: {error}");
            std::process::abort()
        }
    }
}

/// Does something with the device's context.
fn within<T>(does: impl FnOnce() -> Result<T>) -> T {
    done(device().and_then(|gpu| gpu.within(does)))
}

/// The outcome of a call of the driver.
fn called(call: &'static str, outcome: sys::CUresult) -> Result<()> {
    outcome.result().map_err(refused(call))
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_prepare_launch(
    kernel: *const c_char,
    pointers: *const *mut c_void,
    pointer_count: usize,
    sizes: *const i64,
    size_count: usize,
    grid: *mut i64,
    tensor_maps: *mut c_void,
) {
    let prepare = || {
        // SAFETY: the caller keeps the header's contract for all three.
        let (kernel, pointers, sizes) = unsafe {
            (
                text(kernel, "the facts of a kernel")?,
                slice(pointers, pointer_count, "pointers")?,
                slice(sizes, size_count, "sizes")?,
            )
        };
        let pointers: Vec<u64> = pointers.iter().map(|pointer| *pointer as u64).collect();
        prepared::prepare(&device()?, kernel, &pointers, sizes)
    };
    let prepared = done(prepare());
    for (number, blocks) in prepared.grid.into_iter().enumerate().filter(|_| !grid.is_null()) {
        // SAFETY: the header requires a place of three integers.
        unsafe { grid.add(number).write(i64::from(blocks)) };
    }
    let maps = prepared.maps.all();
    if !tensor_maps.is_null() {
        // SAFETY: the header requires memory for all maps, of any alignment here.
        unsafe {
            std::ptr::copy_nonoverlapping(
                maps.as_ptr().cast::<u8>(),
                tensor_maps.cast(),
                std::mem::size_of_val(maps),
            );
        }
    }
}

/// Code that host code loaded, and the kernels of it that were requested.
pub struct Loaded {
    module: Module,
    kernels: Mutex<BTreeMap<String, Box<Requested>>>,
}

/// A kernel, and when it may start.
pub struct Requested {
    function: Function,
    start: Start,
}

fn load(code: &[u8]) -> *mut Loaded {
    let module = done(device().and_then(|gpu| gpu.load(code)));
    Box::into_raw(Box::new(Loaded { module, kernels: Mutex::default() }))
}

/// Loads a cubin or a fat binary.
///
/// # Safety
/// The bytes live during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuModuleLoad(data: *const c_void, bytes: usize) -> *mut Loaded {
    // SAFETY: the caller's promise.
    load(done(unsafe { slice(data.cast(), bytes, "code") }))
}

/// Loads zero-terminated PTX.
///
/// # Safety
/// It lives during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuModuleLoadJIT(data: *const c_char, _level: c_int) -> *mut Loaded {
    // SAFETY: the caller's promise.
    load(unsafe { CStr::from_ptr(data) }.to_bytes())
}

/// Unloads a module.
///
/// # Safety
/// It came from one of the functions above, and nothing of it runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuModuleUnload(module: *mut Loaded) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(module) });
}

/// A function of a loaded module, valid as long as the module. A global beside it says whether it waits for its predecessors
/// itself, so that its launches may overlap with these.
///
/// # Safety
/// The module lives, and the name is zero-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuModuleGetFunction(
    module: *const Loaded,
    name: *const c_char,
) -> *const Requested {
    // SAFETY: the caller's promise.
    let (loaded, name) = unsafe { (&*module, done(text(name, "a kernel's name"))) };
    let mut kernels = loaded.kernels.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kernel) = kernels.get(name) {
        return &raw const **kernel;
    }
    let kernel = within(|| {
        let function = loaded.module.function(name)?;
        let waits = loaded.module.has_global(&format!("{WAITING_PREFIX}{name}"))?;
        Ok(Requested { function, start: if waits { Start::Overlapping } else { Start::InOrder } })
    });
    &raw const **kernels.entry(name.to_owned()).or_insert(Box::new(kernel))
}

/// Launches a function; `count` is the number of parameters, or 0 where the caller does not say it.
///
/// # Safety
/// The parameters are those of the function.
unsafe fn launch(
    kernel: *const Requested,
    [cluster, grid, block]: [[isize; 3]; 3],
    shared: i32,
    stream: sys::CUstream,
    (parameters, count): (*const *const c_void, usize),
) {
    let extents = |own: [isize; 3]| own.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let shared = u32::try_from(shared).unwrap_or(0);
    let (cluster, grid, block) = (extents(cluster), extents(grid), extents(block));
    // A launch of no blocks does nothing.
    if grid.contains(&0) {
        return;
    }
    within(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let Requested { function, start } = &*kernel;
            if shared > 0 {
                function.allow_shared(shared)?;
            }
            slice(parameters, count, "parameters")?;
            let configuration = Configuration { grid, block, shared, cluster };
            function.start(configuration, parameters, (Stream(stream), *start))
        }
    });
}

/// Launches a function.
///
/// # Safety
/// The parameters are those of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuLaunchKernel(
    kernel: *const Requested,
    grid_x: isize,
    grid_y: isize,
    grid_z: isize,
    block_x: isize,
    block_y: isize,
    block_z: isize,
    shared: i32,
    stream: sys::CUstream,
    parameters: *const *const c_void,
    _extra: *const *const c_void,
    count: usize,
) {
    let extents = [[1; 3], [grid_x, grid_y, grid_z], [block_x, block_y, block_z]];
    // SAFETY: the caller's promise.
    unsafe { launch(kernel, extents, shared, stream, (parameters, count)) }
}

/// Launches a function in clusters of blocks.
///
/// # Safety
/// The parameters are those of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuLaunchClusterKernel(
    kernel: *const Requested,
    cluster_x: isize,
    cluster_y: isize,
    cluster_z: isize,
    grid_x: isize,
    grid_y: isize,
    grid_z: isize,
    block_x: isize,
    block_y: isize,
    block_z: isize,
    shared: i32,
    stream: sys::CUstream,
    parameters: *const *const c_void,
    _extra: *const *const c_void,
) {
    let clusters = [cluster_x, cluster_y, cluster_z];
    let extents = [clusters, [grid_x, grid_y, grid_z], [block_x, block_y, block_z]];
    // SAFETY: the caller's promise.
    unsafe { launch(kernel, extents, shared, stream, (parameters, 0)) }
}

/// A stream.
#[unsafe(no_mangle)]
pub extern "C" fn mgpuStreamCreate() -> sys::CUstream {
    within(|| {
        let mut stream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the pointer is to a live local.
        called("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        Ok(stream)
    })
}

/// An event.
#[unsafe(no_mangle)]
pub extern "C" fn mgpuEventCreate() -> sys::CUevent {
    within(|| {
        let mut event = std::ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the pointer is to a live local.
        called("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, flags) })?;
        Ok(event)
    })
}

/// Functions that are one call of the driver.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) = $call:ident($($given:expr),*);)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Streams, events and memory are the driver's, and live.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) {
            // SAFETY: the caller's promise.
            within(|| called(stringify!($call), unsafe { sys::$call($($given),*) }));
        }
    )*};
}

calls! {
    /// Frees a stream.
    mgpuStreamDestroy(stream: sys::CUstream) = cuStreamDestroy_v2(stream);
    /// Waits for a stream.
    mgpuStreamSynchronize(stream: sys::CUstream) = cuStreamSynchronize(stream);
    /// Lets a stream wait for an event.
    mgpuStreamWaitEvent(stream: sys::CUstream, event: sys::CUevent) = cuStreamWaitEvent(stream, event, 0);
    /// Frees an event.
    mgpuEventDestroy(event: sys::CUevent) = cuEventDestroy_v2(event);
    /// Waits for an event.
    mgpuEventSynchronize(event: sys::CUevent) = cuEventSynchronize(event);
    /// Puts an event after what a stream was given.
    mgpuEventRecord(event: sys::CUevent, stream: sys::CUstream) = cuEventRecord(event, stream);
    /// Copies bytes.
    mgpuMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, stream: sys::CUstream) =
        cuMemcpyAsync(to as u64, from as u64, bytes, stream);
    /// Fills memory with words of 32 bits.
    mgpuMemset32(to: *mut c_void, value: u32, count: usize, stream: sys::CUstream) =
        cuMemsetD32Async(to as u64, value, count, stream);
    /// Fills memory with words of 16 bits.
    mgpuMemset16(to: *mut c_void, value: u16, count: usize, stream: sys::CUstream) =
        cuMemsetD16Async(to as u64, value, count, stream);
    /// Lets the device reach memory of the host.
    mgpuMemHostRegister(memory: *mut c_void, bytes: u64) = cuMemHostRegister_v2(memory, bytes as usize, 0);
    /// Ends that.
    mgpuMemHostUnregister(memory: *mut c_void) = cuMemHostUnregister(memory);
}

/// Memory of the device, or of both.
///
/// # Safety
/// The stream is the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuMemAlloc(
    bytes: u64,
    _stream: sys::CUstream,
    is_host_shared: bool,
) -> *mut c_void {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
    within(|| {
        let mut address = 0;
        // SAFETY: the pointer is to a live local.
        unsafe {
            if is_host_shared {
                let flags = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
                let outcome = sys::cuMemAllocManaged(&mut address, bytes, flags);
                called("cuMemAllocManaged", outcome)?;
            } else {
                called("cuMemAlloc", sys::cuMemAlloc_v2(&mut address, bytes))?;
            }
        }
        Ok(address as *mut c_void)
    })
}

/// Frees memory of [`mgpuMemAlloc`], after all work of the stream.
///
/// # Safety
/// It came from there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuMemFree(memory: *mut c_void, _stream: sys::CUstream) {
    // SAFETY: the caller's promise; cuMemFree waits for what uses it.
    within(|| called("cuMemFree", unsafe { sys::cuMemFree_v2(memory as u64) }));
}

/// The device that modules are loaded on from here on.
#[unsafe(no_mangle)]
pub extern "C" fn mgpuSetDefaultDevice(number: i32) {
    DEVICE.store(number, atomic::Ordering::Relaxed);
}

/// A memref's descriptor up to its sizes: as many of these as its rank, and as many strides.
#[repr(C)]
pub struct Described {
    base: *mut u8,
    data: *mut u8,
    offset: i64,
}

/// The memory of a memref without gaps.
///
/// # Safety
/// The descriptor is one of this rank.
unsafe fn bytes_of(rank: i64, memref: *const Described, element: i64) -> (*mut c_void, u64) {
    let rank = usize::try_from(rank).unwrap_or(0);
    // SAFETY: the sizes follow what `Described` has.
    unsafe {
        let sizes = std::slice::from_raw_parts(memref.add(1).cast::<i64>(), rank);
        let count = sizes.iter().fold(element, |all, &size| all.saturating_mul(size));
        let start =
            (*memref).data.wrapping_offset((*memref).offset.saturating_mul(element) as isize);
        (start.cast(), u64::try_from(count).unwrap_or(0))
    }
}

/// Lets the device reach the memory of a memref.
///
/// # Safety
/// The descriptor is one of this rank, of memory of the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuMemHostRegisterMemRef(
    rank: i64,
    memref: *const Described,
    element: i64,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (memory, bytes) = bytes_of(rank, memref, element);
        mgpuMemHostRegister(memory, bytes);
    }
}

/// Ends that.
///
/// # Safety
/// As of [`mgpuMemHostRegisterMemRef`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mgpuMemHostUnregisterMemRef(
    rank: i64,
    memref: *const Described,
    element: i64,
) {
    // SAFETY: the caller's promise.
    unsafe { mgpuMemHostUnregister(bytes_of(rank, memref, element).0) };
}
