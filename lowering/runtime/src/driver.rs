//! The CUDA driver, opened at run time: device, buffers, modules, launches, events.
//!
//! Owners free what they own. Buffers, events and the functions that time run on the default stream, so that order of
//! calls is order of execution; a launch takes the stream that it runs on.

mod event;
mod graph;
mod maps;

use std::ffi::{CString, c_int, c_void};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use crate::configuration::{Configuration, attribute};
use crate::manifest::{Kernel, Step};
use crate::{Error, Result};

pub use event::Event;
pub use graph::Captured;
pub use maps::EncodedMaps;

/// Turns a refusal into an error that names the call.
pub(crate) fn refused(call: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| Error::Driver { call, reason: describe(&error) }
}

fn describe(error: &DriverError) -> String {
    let text = |found: std::result::Result<&std::ffi::CStr, DriverError>| {
        found.map_or_else(|_| "unknown".to_owned(), |text| text.to_string_lossy().into_owned())
    };
    format!("{} ({})", text(error.error_name()), text(error.error_string()))
}

/// A device's primary context, released when the last that depends on it is gone.
#[derive(Debug)]
struct Context {
    device: sys::CUdevice,
    context: sys::CUcontext,
}

// SAFETY: the driver's functions may be called from any thread; a context is a name to them.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `Gpu::open`. A failure cannot be reported here.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// A CUDA device, with its primary context.
#[derive(Clone, Debug)]
pub struct Gpu {
    context: Arc<Context>,
    /// The device's name.
    pub name: String,
    /// Compute capability: major, minor.
    pub capability: (i32, i32),
    /// The newest CUDA version that the driver speaks, such as 13000.
    pub driver_version: i32,
    /// Size of the L2 cache in bytes.
    pub l2_bytes: usize,
    /// Multiprocessors.
    pub multiprocessors: u32,
}

impl Gpu {
    /// Opens the driver and the first device, whose context is current on this thread then.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpu`] when there is no driver or no device.
    pub fn open() -> Result<Self> {
        let gpu = Self::numbered(0)?;
        // SAFETY: the context is retained.
        unsafe { result::ctx::set_current(gpu.context.context) }
            .map_err(refused("cuCtxSetCurrent"))?;
        Ok(gpu)
    }

    /// Opens the driver and a device, without changing the current context.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpu`] when there is no driver or no such device.
    pub fn numbered(number: i32) -> Result<Self> {
        let device = device(number)?;
        let name = result::device::get_name(device).map_err(refused("cuDeviceGetName"))?;
        let attribute = |attribute| {
            // SAFETY: `device` came from cuDeviceGet.
            unsafe { result::device::get_attribute(device, attribute) }
                .map_err(refused("cuDeviceGetAttribute"))
        };
        use sys::CUdevice_attribute as Attribute;
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let l2 = attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let mut driver_version = 0;
        // SAFETY: the pointer is to a live local of the right type.
        unsafe { sys::cuDriverGetVersion(&mut driver_version) }
            .result()
            .map_err(refused("cuDriverGetVersion"))?;
        // SAFETY: `device` came from cuDeviceGet; the context is released when `Context` is dropped.
        let context = unsafe { result::primary_ctx::retain(device) }
            .map_err(refused("cuDevicePrimaryCtxRetain"))?;
        Ok(Gpu {
            context: Arc::new(Context { device, context }),
            name,
            capability: (major, minor),
            driver_version,
            l2_bytes: usize::try_from(l2).unwrap_or(0),
            multiprocessors: u32::try_from(multiprocessors).unwrap_or(1).max(1),
        })
    }

    /// The compute capability of a device, without a context on it.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpu`] when there is no driver or no such device.
    pub fn capability_of(number: i32) -> Result<(i32, i32)> {
        use sys::CUdevice_attribute as Attribute;
        let device = device(number)?;
        let read = |attribute| {
            // SAFETY: `device` came from cuDeviceGet.
            unsafe { result::device::get_attribute(device, attribute) }
                .map_err(refused("cuDeviceGetAttribute"))
        };
        let major = read(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        Ok((major, read(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?))
    }

    /// The number of the device that memory is on.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpu`] when there is no driver; an address that is not CUDA's.
    pub fn number_of(address: u64) -> Result<i32> {
        device(0)?;
        let mut number: c_int = 0;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: the attribute's value is an `int`, which lives until the call returns; the address is not followed.
        unsafe { sys::cuPointerGetAttribute((&raw mut number).cast(), attribute, address) }
            .result()
            .map_err(refused("cuPointerGetAttribute"))?;
        Ok(number)
    }

    /// The driver's number of the device.
    pub(crate) fn device(&self) -> sys::CUdevice {
        self.context.device
    }

    /// Runs a closure with the context current on this thread, and restores the previous one.
    ///
    /// # Errors
    ///
    /// The driver's, or those of what is done.
    pub fn within<T>(&self, does: impl FnOnce() -> Result<T>) -> Result<T> {
        let _entered = Entered::new(self)?;
        does()
    }

    /// Reserves device memory.
    ///
    /// # Errors
    ///
    /// The driver's refusal, such as too little free memory.
    pub fn allocate(&self, bytes: usize) -> Result<Buffer<'_>> {
        // SAFETY: the context is current as long as `self` lives; the buffer frees the memory once.
        let pointer =
            unsafe { result::malloc_sync(bytes.max(1)) }.map_err(refused("cuMemAlloc"))?;
        Ok(Buffer { pointer, bytes, gpu: std::marker::PhantomData })
    }

    /// Reserves device memory and copies these bytes there.
    ///
    /// # Errors
    ///
    /// As [`Gpu::allocate`]; the driver's refusal of the copy, and errors of earlier launches.
    pub fn upload<T: Copy>(&self, data: &[T]) -> Result<Buffer<'_>> {
        let buffer = self.allocate(std::mem::size_of_val(data))?;
        // SAFETY: the buffer has exactly the size of the data.
        unsafe { result::memcpy_htod_sync(buffer.pointer, data) }
            .map_err(refused("cuMemcpyHtoD"))?;
        Ok(buffer)
    }

    /// Assembles PTX with the driver, or loads a cubin or a fat binary.
    ///
    /// # Errors
    ///
    /// The driver's refusal, with the assembler's log.
    pub fn load(&self, code: &[u8]) -> Result<Module> {
        let _entered = Entered::new(self)?;
        // PTX ends with a zero, and no other form minds one.
        let image: Vec<u8> = code.iter().copied().chain([0]).collect();
        let mut log = vec![0u8; 16 * 1024];
        let mut options = [
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The driver takes the size as the pointer's value.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
        let mut module = std::ptr::null_mut();
        // SAFETY: `image` is zero-terminated, and the driver reads what its header says of it; the two options and their values are live arrays of equal
        // length; the log buffer is as long as its size says.
        let loaded = unsafe {
            sys::cuModuleLoadDataEx(
                &mut module,
                image.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        loaded.result().map_err(|error| Error::Assemble {
            reason: describe(&error),
            log: String::from_utf8_lossy(&log).trim_matches(['\0', '\n']).to_owned(),
        })?;
        Ok(Module(Arc::new(Loaded { module, gpu: self.clone() })))
    }

    /// Reserves device memory that [`Gpu::free`] gives back.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn allocate_raw(&self, bytes: usize) -> Result<u64> {
        // SAFETY: a context is current within; what is reserved is the caller's to free.
        self.within(|| unsafe { result::malloc_sync(bytes.max(1)) }.map_err(refused("cuMemAlloc")))
    }

    /// Frees memory of [`Gpu::allocate_raw`].
    ///
    /// # Errors
    ///
    /// The driver's.
    ///
    /// # Safety
    /// The address came from there, and nothing uses it any more.
    pub unsafe fn free(&self, address: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        self.within(|| unsafe { result::free_sync(address) }.map_err(refused("cuMemFree")))
    }

    /// Copies bytes to device memory, after all that was started.
    ///
    /// # Errors
    ///
    /// The driver's.
    ///
    /// # Safety
    /// The memory at the address is as long as the bytes.
    pub unsafe fn copy_to(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.within(|| {
            self.wait()?;
            // SAFETY: the caller's promise.
            unsafe { result::memcpy_htod_sync(address, bytes) }.map_err(refused("cuMemcpyHtoD"))
        })
    }

    /// Copies bytes from device memory, after all that was started.
    ///
    /// # Errors
    ///
    /// The driver's, and those of what was started.
    ///
    /// # Safety
    /// The memory at the address is as long as the bytes.
    pub unsafe fn copy_from(&self, bytes: &mut [u8], address: u64) -> Result<()> {
        self.within(|| {
            self.wait()?;
            // SAFETY: the caller's promise.
            unsafe { result::memcpy_dtoh_sync(bytes, address) }.map_err(refused("cuMemcpyDtoH"))
        })
    }

    /// Waits until everything that was started has ended; an error of a kernel shows here.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    pub fn wait(&self) -> Result<()> {
        result::ctx::synchronize().map_err(refused("cuCtxSynchronize"))
    }

    /// A new event for timing.
    ///
    /// # Errors
    ///
    /// The driver's refusal.
    pub fn event(&self) -> Result<Event<'_>> {
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)
            .map_err(refused("cuEventCreate"))?;
        Ok(Event { event, gpu: std::marker::PhantomData })
    }
}

/// Opens the driver, and finds a device.
fn device(number: i32) -> Result<sys::CUdevice> {
    let count = match OPENED.get() {
        Some(&count) => count,
        None => {
            let count = open()?;
            *OPENED.get_or_init(|| count)
        }
    };
    if !(0..count).contains(&number) {
        return Err(Error::NoGpu(format!("no device {number} among {count}")));
    }
    result::device::get(number).map_err(absent("cuDeviceGet"))
}

/// The number of devices, of a driver that was opened: looking for its library takes longer than a launch.
static OPENED: OnceLock<i32> = OnceLock::new();

/// Opens the driver, and counts its devices, of which there is one at least.
fn open() -> Result<i32> {
    // SAFETY: opens a shared library whose initialisers are NVIDIA's own; nothing else is called.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoGpu("no libcuda that can be opened".into()));
    }
    result::init().map_err(absent("cuInit"))?;
    match result::device::get_count().map_err(absent("cuDeviceGetCount"))? {
        0 => Err(Error::NoGpu("no device".into())),
        count => Ok(count),
    }
}

/// Turns a refusal of the first calls into an error that says that there is no GPU.
fn absent(what: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| Error::NoGpu(format!("that {what} failed: {}", describe(&error)))
}

/// A context that is current on this thread until this is dropped.
struct Entered;

impl Entered {
    fn new(gpu: &Gpu) -> Result<Self> {
        // SAFETY: the context is retained as long as `gpu` lives.
        unsafe { sys::cuCtxPushCurrent_v2(gpu.context.context) }
            .result()
            .map_err(refused("cuCtxPushCurrent"))?;
        Ok(Self)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut popped = std::ptr::null_mut();
        // SAFETY: takes back the push of `new`. A failure cannot be reported here.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
    }
}

/// Device memory.
#[derive(Debug)]
pub struct Buffer<'gpu> {
    pointer: sys::CUdeviceptr,
    bytes: usize,
    gpu: std::marker::PhantomData<&'gpu Gpu>,
}

impl Buffer<'_> {
    /// The device address.
    pub fn address(&self) -> u64 {
        self.pointer
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sets every byte, in order with launches.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    pub fn fill(&self, byte: u8) -> Result<()> {
        // SAFETY: writes within this buffer; a null stream is the default stream.
        unsafe { result::memset_d8_async(self.pointer, byte, self.bytes, result::stream::null()) }
            .map_err(refused("cuMemsetD8"))
    }

    /// Copies these bytes to an offset.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] for a range that is not within the buffer; the driver's refusal, and errors of earlier launches.
    pub fn write(&self, offset: usize, data: &[u8]) -> Result<()> {
        self.check(offset, data.len())?;
        // SAFETY: the range was checked.
        unsafe { result::memcpy_htod_sync(self.pointer + offset as u64, data) }
            .map_err(refused("cuMemcpyHtoD"))
    }

    /// Copies another buffer's bytes here, in order with launches, up to the smaller size.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    pub fn copy_from(&self, other: &Buffer<'_>) -> Result<()> {
        let bytes = self.bytes.min(other.bytes);
        // SAFETY: both buffers have at least `bytes` bytes; a null stream is the default stream.
        unsafe {
            result::memcpy_dtod_async(self.pointer, other.pointer, bytes, result::stream::null())
        }
        .map_err(refused("cuMemcpyDtoDAsync"))
    }

    /// Copies everything back, after all work that was started before.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    pub fn bytes_back(&self) -> Result<Vec<u8>> {
        let mut data = vec![0u8; self.bytes];
        // SAFETY: the destination has exactly the buffer's size.
        unsafe { result::memcpy_dtoh_sync(&mut data, self.pointer) }
            .map_err(refused("cuMemcpyDtoH"))?;
        Ok(data)
    }

    /// The buffer as float64 values.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    pub fn doubles_back(&self) -> Result<Vec<f64>> {
        let mut data = vec![0f64; self.bytes / size_of::<f64>()];
        // SAFETY: the destination is no longer than the buffer.
        unsafe { result::memcpy_dtoh_sync(&mut data, self.pointer) }
            .map_err(refused("cuMemcpyDtoH"))?;
        Ok(data)
    }

    fn check(&self, offset: usize, length: usize) -> Result<()> {
        if offset.checked_add(length).is_some_and(|end| end <= self.bytes) {
            return Ok(());
        }
        Err(Error::Driver {
            call: "cuMemcpyHtoD",
            reason: format!(
                "expected a range within {} bytes, found {length} at {offset}",
                self.bytes
            ),
        })
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated once, freed once. A failure cannot be reported here.
        let _ = unsafe { result::free_sync(self.pointer) };
    }
}

/// Code that is loaded, until nothing uses it any more.
#[derive(Debug)]
struct Loaded {
    module: sys::CUmodule,
    gpu: Gpu,
}

// SAFETY: the driver's functions may be called from any thread; a module is a name to them.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Drop for Loaded {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        let _ = self.gpu.within(|| {
            // SAFETY: loaded once, unloaded once.
            unsafe { result::module::unload(self.module) }.map_err(refused("cuModuleUnload"))
        });
    }
}

/// Loaded code: entries by name.
#[derive(Clone, Debug)]
pub struct Module(Arc<Loaded>);

impl Module {
    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.0.gpu
    }

    /// An entry by name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn function(&self, name: &str) -> Result<Function> {
        let wrong = |reason: String| Error::Driver { call: "cuModuleGetFunction", reason };
        let text = CString::new(name)
            .map_err(|_| wrong(format!("expected a name, found a zero byte in {name:?}")))?;
        // SAFETY: the module is loaded as long as `self` lives, and the function holds it.
        let function =
            unsafe { result::module::get_function(self.0.module, text) }.map_err(|error| {
                wrong(format!("expected an entry {name}, found {}", describe(&error)))
            })?;
        Ok(Function { function, module: Arc::clone(&self.0), clusters: Arc::default() })
    }

    /// Whether it has a global of a name.
    ///
    /// # Errors
    ///
    /// The driver's, but for one that it lacks.
    #[cfg(feature = "ffi")]
    pub(crate) fn has_global(&self, name: &str) -> Result<bool> {
        let Ok(text) = CString::new(name) else { return Ok(false) };
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded as long as `self` lives, and both pointers are to live locals.
        let outcome = unsafe {
            sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.0.module, text.as_ptr())
        };
        match outcome {
            sys::CUresult::CUDA_ERROR_NOT_FOUND => Ok(false),
            outcome => outcome.result().map(|()| true).map_err(refused("cuModuleGetGlobal")),
        }
    }
}

/// The resources that the driver's assembler gave an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: i32,
    /// Local memory of a thread in bytes: spills and arrays that are not in registers.
    pub local_bytes: i32,
    /// Static shared memory of a block in bytes.
    pub static_shared_bytes: i32,
}

/// An entry of a module.
#[derive(Clone, Debug)]
pub struct Function {
    function: sys::CUfunction,
    module: Arc<Loaded>,
    /// How many clusters run at once, of the launch that made the last query: a query takes as long as a launch.
    clusters: Arc<Mutex<Option<(Clusters, u32)>>>,
}

/// The key of the number of clusters that run at once: blocks of one, threads, and bytes of shared memory.
type Clusters = (u32, [u32; 3], u32);

// SAFETY: as of the module, which it holds.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// Registers, local and static shared memory.
    ///
    /// # Errors
    ///
    /// The driver's refusal.
    pub fn resources(&self) -> Result<Resources> {
        use sys::CUfunction_attribute as Attribute;
        let read = |attribute| {
            // SAFETY: the function belongs to a module that is still loaded.
            unsafe { result::function::get_function_attribute(self.function, attribute) }
                .map_err(refused("cuFuncGetAttribute"))
        };
        Ok(Resources {
            registers: read(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: read(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            static_shared_bytes: read(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
        })
    }

    /// Lets a launch use this much dynamic shared memory (a kernel must request more than 48 KiB).
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] for more shared memory than the device has.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function belongs to a module that is still loaded.
        unsafe { result::function::set_function_attribute(self.function, attribute, value) }
            .map_err(|error| Error::Driver {
                call: "cuFuncSetAttribute",
                reason: format!(
                    "expected a dynamic shared memory that the device has, found {bytes} bytes: {}",
                    describe(&error)
                ),
            })
    }

    /// Starts the function with 64-bit arguments (pointers and integers).
    ///
    /// # Errors
    ///
    /// The driver's refusal, such as a block with too many threads, and errors of earlier launches.
    ///
    /// # Safety
    /// The arguments must be those of the entry, and every pointer must reach as far as the kernel goes.
    pub unsafe fn launch(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[u64],
    ) -> Result<()> {
        let parameters = pointers(arguments);
        let configuration = Configuration { grid, block, shared, cluster: [1; 3] };
        let when = (Stream::DEFAULT, Start::InOrder);
        // SAFETY: the arguments live until the driver has copied them; the rest is the caller's promise.
        unsafe { self.start(configuration, parameters.as_ptr(), when) }
    }

    /// Starts a step of a kernel according to its manifest, with the words of [`Kernel::parameters`].
    ///
    /// # Errors
    ///
    /// As [`Function::launch`].
    ///
    /// # Safety
    /// As for [`Function::launch`]; a step that does not start after what is before it waits for that.
    pub unsafe fn launch_step(
        &self,
        step: &Step,
        words: &[u64],
        when: (Stream, Start),
    ) -> Result<()> {
        let parameters = pointers(words);
        let configuration =
            Configuration { grid: step.grid, block: step.block, shared: 0, cluster: [1; 3] };
        // SAFETY: the caller's promise, passed on.
        unsafe { self.start(configuration, parameters.as_ptr(), when) }
    }

    /// Starts a kernel according to its manifest, with the words of [`Kernel::parameters`], and with the tensor maps
    /// that [`EncodedMaps::new`] encoded for their pointers.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] for a manifest without a grid; the driver's refusal, and errors of earlier launches.
    ///
    /// # Safety
    /// As for [`Function::launch_step`].
    pub unsafe fn launch_kernel(
        &self,
        kernel: &Kernel,
        words: &[u64],
        maps: &EncodedMaps,
        when: (Stream, Start),
    ) -> Result<()> {
        let mut grid = kernel.grid;
        if grid.contains(&0) {
            return Err(Error::Launch(format!(
                "kernel {}: expected a grid, found none in its manifest; give `grid` in layout.kernel or --grid X,Y,Z",
                kernel.name
            )));
        }
        let clusters = match (kernel.cluster, kernel.grid_limit) {
            (0 | 1, _) | (_, None) => None,
            _ => Some(self.active_clusters(kernel)?),
        };
        grid[0] = kernel.blocks_along_x(self.module.gpu.multiprocessors, clusters);
        let mut parameters = pointers(words);
        parameters.extend(pointers(maps.all()));
        let configuration = Configuration { grid, ..Configuration::of(kernel) };
        // SAFETY: the caller's promise, passed on.
        unsafe { self.start(configuration, parameters.as_ptr(), when) }
    }

    /// How many of a kernel's clusters run at once on an idle device.
    fn active_clusters(&self, kernel: &Kernel) -> Result<u32> {
        let key = (kernel.cluster, kernel.block, kernel.shared_bytes);
        let mut kept = self.clusters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, clusters)) = *kept
            && known == key
        {
            return Ok(clusters);
        }
        let configuration = Configuration::of(kernel);
        let mut attributes = [configuration.clusters()];
        let config = configuration.with(&mut attributes);
        let mut clusters = 0;
        // SAFETY: the configuration and its one attribute live until the call returns.
        unsafe { sys::cuOccupancyMaxActiveClusters(&mut clusters, self.function, &config) }
            .result()
            .map_err(refused("cuOccupancyMaxActiveClusters"))?;
        let clusters = u32::try_from(clusters).unwrap_or(0);
        *kept = Some((key, clusters));
        Ok(clusters)
    }

    /// Starts the function with the parameters that these pointers point at.
    ///
    /// # Safety
    /// As for [`Function::launch_step`]; there is a pointer for each parameter, to a live value of its size.
    pub(crate) unsafe fn start(
        &self,
        configuration: Configuration,
        parameters: *const *const c_void,
        (stream, start): (Stream, Start),
    ) -> Result<()> {
        let mut attributes = Vec::new();
        if start == Start::Overlapping {
            let mut overlaps = attribute(
                sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            );
            overlaps.value.programmaticStreamSerializationAllowed = 1;
            attributes.push(overlaps);
        }
        // PTX may say it too; a kernel that was compiled elsewhere need not.
        if configuration.cluster != [1; 3] {
            attributes.push(configuration.clusters());
        }
        let mut config = configuration.with(&mut attributes);
        config.hStream = stream.0;
        // SAFETY: the driver copies the configuration and each argument before it returns; the rest is the
        // caller's promise.
        unsafe {
            sys::cuLaunchKernelEx(
                &config,
                self.function,
                parameters.cast_mut().cast(),
                std::ptr::null_mut(),
            )
        }
        .result()
        .map_err(refused("cuLaunchKernelEx"))
    }
}

/// Pointers to values that are parameters of a kernel.
fn pointers<T>(values: &[T]) -> Vec<*const c_void> {
    values.iter().map(|value| std::ptr::from_ref(value).cast()).collect()
}

/// The stream of a launch: CUDA's `cudaStream_t`, which is the driver's `CUstream`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(pub(crate) sys::CUstream);

// SAFETY: the driver's functions may be called from any thread; a stream is a name to them.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// The default stream.
    pub const DEFAULT: Self = Self(std::ptr::null_mut());

    /// Waits until everything that was started on it has ended.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    ///
    /// # Safety
    /// The stream is of the current context.
    pub unsafe fn wait(self) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { sys::cuStreamSynchronize(self.0) }.result().map_err(refused("cuStreamSynchronize"))
    }

    /// The stream that a caller made.
    ///
    /// # Safety
    /// It must be null or a stream that lives as long as it is launched on, of the device of what is launched.
    pub const unsafe fn of(stream: *mut c_void) -> Self {
        Self(stream.cast())
    }
}

/// When a kernel may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// When all that was started before it is done.
    InOrder,
    /// While what was started before it still runs; the kernel waits for that itself.
    Overlapping,
}
