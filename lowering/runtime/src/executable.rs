//! The executable that a program calls: code and its manifest, loaded on a device and launched on the program's own streams.
//!
//! ```no_run
//! use layout_runtime::{driver::Stream, executable::Executable};
//! # let (code, manifest, a, b, c) = (&[0_u8][..], "", 0_u64, 0_u64, 0_u64);
//! let executable = Executable::load(0, code, manifest)?;
//! let gemm = executable.kernel("gemm")?;
//! // SAFETY: the addresses are those of matrices on device 0, as the manifest describes them.
//! unsafe { gemm.launch(Stream::DEFAULT, &[a, b, c], &[])? };
//! # Ok::<(), layout_runtime::Error>(())
//! ```
//!
//! A kernel that takes sizes at run time, or a family of such, is launched with these in place of the empty list:
//! `gemm.launch(stream, &[a, b, c], &[m])`. A launch with sizes that were seen before reads nothing of the manifest again.
//!
//! All of it may be used from any thread, and leaves the thread's current context as it was.

#[cfg(feature = "ffi")]
use std::ffi::CStr;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use crate::driver::{EncodedMaps, Gpu, Module, Start, Stream};
use crate::instances::{Instance, Instances};
use crate::launch::Launch;
use crate::manifest::{Kernel, Manifest, Size};
use crate::pool::Pool;
use crate::runnable::Runnable;
use crate::{Error, Result};

/// Code on a device, with the kernels that its manifest describes.
#[derive(Clone, Debug)]
pub struct Executable {
    kernels: Vec<Arc<Callable>>,
    programs: Vec<Arc<Runnable>>,
}

/// A kernel, a kernel that takes sizes at run time, or a family of such, ready to launch.
#[derive(Debug)]
pub struct Callable {
    instances: Instances,
    /// The names of its sizes for C.
    #[cfg_attr(not(feature = "ffi"), expect(dead_code, reason = "the C face alone reads it"))]
    size_names: Vec<CString>,
    /// One for each variant.
    launches: Vec<Arc<Launch>>,
    gpu: Gpu,
    /// The pool of workspaces.
    pool: Arc<Pool>,
    /// The tensor maps of the last launch.
    maps: Mutex<Option<Encoded>>,
}

/// Tensor maps, and the instance and the pointers that they were encoded for.
type Encoded = (Arc<Instance>, Vec<u64>, Arc<EncodedMaps>);

/// The entries of a module by kernels' names: a kernel and the families that it is of share one.
struct Launches<'m> {
    module: &'m Module,
    found: Vec<(String, Arc<Launch>)>,
}

impl Launches<'_> {
    fn of(&mut self, kernel: &Kernel) -> Result<Arc<Launch>> {
        if let Some((_, launch)) = self.found.iter().find(|(name, _)| *name == kernel.name) {
            return Ok(Arc::clone(launch));
        }
        let launch = Arc::new(Launch::new(self.module, kernel)?);
        self.found.push((kernel.name.clone(), Arc::clone(&launch)));
        Ok(launch)
    }
}

impl Executable {
    /// Loads PTX, a cubin or a fat binary, with the text of its manifest, on a device.
    ///
    /// # Errors
    ///
    /// No such device; a manifest that is none, or that names what the code lacks; what the driver refuses.
    pub fn load(device: i32, code: &[u8], manifest: &str) -> Result<Self> {
        let Manifest { kernels, templates, families, programs, .. } = Manifest::parse(manifest)?;
        let gpu = Gpu::numbered(device)?;
        let module = gpu.load(code)?;
        gpu.within(|| {
            let pool = Pool::of(&gpu)?;
            let mut launches = Launches { module: &module, found: Vec::new() };
            let mut load = |instances: Instances| {
                let size_name = |size: &Size| {
                    CString::new(size.name.as_str())
                        .map_err(|_| Error::Manifest("expected a name, found a zero byte".into()))
                };
                let variants = instances.variants();
                Ok(Arc::new(Callable {
                    size_names: instances.sizes().iter().map(size_name).collect::<Result<_>>()?,
                    launches: variants
                        .into_iter()
                        .map(|kernel| launches.of(kernel))
                        .collect::<Result<_>>()?,
                    instances,
                    gpu: gpu.clone(),
                    pool: Arc::clone(&pool),
                    maps: Mutex::default(),
                }))
            };
            let kernels = kernels.into_iter().map(Instances::of_kernel);
            let families = families.into_iter();
            let families = families.map(|family| Instances::of_family(family, &templates));
            let sized = templates.iter().cloned().map(Instances::of_template).map(Ok);
            let all = kernels.chain(sized).chain(families);
            let kernels: Vec<Arc<Callable>> =
                all.map(|instances| load(instances?)).collect::<Result<_>>()?;
            let programs = programs
                .into_iter()
                .map(|program| Ok(Arc::new(Runnable::new(program, &kernels, &gpu, &pool)?)));
            let programs = programs.collect::<Result<_>>()?;
            Ok(Self { kernels, programs })
        })
    }

    /// The kernels, those that take sizes, and the families, each in the manifest's order.
    pub fn kernels(&self) -> &[Arc<Callable>] {
        &self.kernels
    }

    /// A kernel or a family by its name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn kernel(&self, name: &str) -> Result<Arc<Callable>> {
        let found = self.kernels.iter().find(|one| one.name() == name);
        found.cloned().ok_or_else(|| {
            let names = self.kernels.iter().map(|one| one.name());
            let names = names.collect::<Vec<_>>().join(", ");
            Error::Launch(format!("expected one of the kernels {names}, found {name}"))
        })
    }

    /// The programs, in the manifest's order.
    pub fn programs(&self) -> &[Arc<Runnable>] {
        &self.programs
    }

    /// A program by its name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn program(&self, name: &str) -> Result<Arc<Runnable>> {
        let found = self.programs.iter().find(|one| one.program().name == name);
        found.cloned().ok_or_else(|| {
            let names = self.programs.iter().map(|one| one.program().name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            Error::Launch(format!("expected one of the programs {names}, found {name}"))
        })
    }
}

impl Callable {
    /// The name of the kernel or the family.
    pub fn name(&self) -> &str {
        self.instances.name()
    }

    /// The sizes that it takes at run time, in order; empty if all of its sizes are static.
    pub fn sizes(&self) -> &[Size] {
        self.instances.sizes()
    }

    /// The name of a size, for C.
    #[cfg(feature = "ffi")]
    pub(crate) fn size_name(&self, number: usize) -> Option<&CStr> {
        self.size_names.get(number).map(CString::as_c_str)
    }

    /// The kernel that a launch with these sizes starts.
    ///
    /// # Errors
    ///
    /// Sizes that are too few or too many, or that it does not take.
    pub fn at(&self, sizes: &[i64]) -> Result<Arc<Instance>> {
        self.instances.at(sizes)
    }

    /// Bytes of workspace that each launch with these sizes takes, in order with its stream.
    ///
    /// # Errors
    ///
    /// As [`Callable::at`].
    pub fn workspace_bytes(&self, sizes: &[i64]) -> Result<usize> {
        let instance = self.at(sizes)?;
        let bytes = instance.workspaces().iter();
        bytes.copied().try_fold(0_usize, usize::checked_add).ok_or_else(|| {
            Error::Manifest(format!("kernel {}: expected workspaces below 2^64 bytes", self.name()))
        })
    }

    /// Starts the kernel of these sizes, and the steps before and after it, on a stream. `pointers` are device addresses,
    /// one for each argument; `sizes` are those that it takes at run time: empty if all of its sizes are static.
    ///
    /// # Errors
    ///
    /// Pointers or sizes that are too few or too many; a size that is out of its range or no multiple of its divisor; a
    /// pointer that is null or is less aligned than the kernel was compiled for; what the driver refuses. An error of the
    /// kernel itself shows when the stream is waited for.
    ///
    /// # Safety
    /// The stream is of the executable's device. Each pointer is to memory of that device that reaches as far as the
    /// layout of its argument says at these sizes, until the stream has done this.
    pub unsafe fn launch(&self, stream: Stream, pointers: &[u64], sizes: &[i64]) -> Result<()> {
        let instance = self.at(sizes)?;
        // SAFETY: the caller's promise.
        unsafe { self.launch_instance(stream, &instance, pointers) }
    }

    /// Like [`Callable::launch`], for the instance that [`Callable::at`] returned for the sizes.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Safety
    /// As there; the instance is one of this kernel.
    pub unsafe fn launch_instance(
        &self,
        stream: Stream,
        instance: &Arc<Instance>,
        pointers: &[u64],
    ) -> Result<()> {
        instance.check_pointers(pointers)?;
        self.gpu.within(|| {
            let mut workspaces = Vec::with_capacity(instance.workspaces().len());
            for &bytes in instance.workspaces() {
                workspaces.push(self.pool.allocate(bytes, stream)?);
            }
            let workspaces_at = workspaces.iter().map(|workspace| workspace.address());
            let pointers: Vec<u64> = pointers.iter().copied().chain(workspaces_at).collect();
            let maps = self.maps(instance, &pointers)?;
            // SAFETY: the caller's promise; workspaces are as long as the manifest says, until the stream is past this.
            unsafe { self.start((stream, Start::InOrder), instance, &pointers, &maps) }
        })
    }

    /// The tensor maps of an instance for these pointers: those of the last launch where it had the same.
    fn maps(&self, instance: &Arc<Instance>, pointers: &[u64]) -> Result<Arc<EncodedMaps>> {
        let kernel = instance.kernel();
        if kernel.tensor_maps.is_empty() {
            return Ok(Arc::default());
        }
        let mut kept = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, at, maps)) = kept.as_ref()
            && Arc::ptr_eq(of, instance)
            && at == pointers
        {
            return Ok(Arc::clone(maps));
        }
        let maps = Arc::new(EncodedMaps::new(kernel, pointers)?);
        *kept = Some((Arc::clone(instance), pointers.to_vec(), Arc::clone(&maps)));
        Ok(maps)
    }

    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The kernels by sizes.
    pub fn instances(&self) -> &Instances {
        &self.instances
    }

    /// Starts the kernel of an instance and the steps around it: `pointers` are those of its arguments and workspaces, which
    /// `maps` were encoded for. The device's context is current.
    ///
    /// # Errors
    ///
    /// The driver's refusal.
    ///
    /// # Safety
    /// As for [`Callable::launch`]; workspaces are as long as the instance says.
    pub(crate) unsafe fn start(
        &self,
        stream: (Stream, Start),
        instance: &Instance,
        pointers: &[u64],
        maps: &EncodedMaps,
    ) -> Result<()> {
        let launch = self.launches.get(instance.variant()).ok_or_else(|| {
            let name = self.name();
            Error::Manifest(format!("kernel {name}: expected a variant with code, found none"))
        })?;
        // SAFETY: the caller's promise.
        unsafe { launch.start(instance.kernel(), stream, pointers, maps) }
    }
}
