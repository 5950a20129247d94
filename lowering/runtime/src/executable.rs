//! What a program calls: code and its manifest, loaded on a device and launched on the program's own streams.
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
//! All of it may be used from any thread, and leaves the thread's current context as it was.

use std::sync::Arc;

use crate::driver::{EncodedMaps, Gpu, Stream};
use crate::launch::Launch;
use crate::manifest::{Kernel, Manifest};
use crate::pool::Pool;
use crate::{Error, Result};

/// Code on a device, with the kernels that its manifest describes.
#[derive(Clone, Debug)]
pub struct Executable {
    kernels: Vec<Arc<Callable>>,
}

/// A kernel that can be launched.
#[derive(Debug)]
pub struct Callable {
    kernel: Kernel,
    launch: Launch,
    /// Bytes of each workspace.
    workspaces: Vec<usize>,
    gpu: Gpu,
    /// What workspaces are taken from.
    pool: Arc<Pool>,
}

impl Executable {
    /// Loads PTX, a cubin or a fat binary, with the text of its manifest, on a device.
    ///
    /// # Errors
    ///
    /// No such device; a manifest that is none, or that names what the code lacks; what the driver refuses.
    pub fn load(device: i32, code: &[u8], manifest: &str) -> Result<Self> {
        let manifest = Manifest::parse(manifest)?;
        let gpu = Gpu::numbered(device)?;
        let module = gpu.load(code)?;
        gpu.within(|| {
            let pool = Arc::new(Pool::new(&gpu)?);
            let load = |kernel: Kernel| {
                let workspaces = kernel.workspaces.iter();
                Ok(Arc::new(Callable {
                    launch: Launch::new(&module, &kernel)?,
                    workspaces: workspaces
                        .map(|workspace| workspace.workspace_bytes())
                        .collect::<Result<_>>()?,
                    gpu: gpu.clone(),
                    pool: Arc::clone(&pool),
                    kernel,
                }))
            };
            let kernels = manifest.kernels.into_iter().map(load).collect::<Result<_>>()?;
            Ok(Self { kernels })
        })
    }

    /// The kernels, in the manifest's order.
    pub fn kernels(&self) -> &[Arc<Callable>] {
        &self.kernels
    }

    /// A kernel by its name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn kernel(&self, name: &str) -> Result<Arc<Callable>> {
        let found = self.kernels.iter().find(|one| one.kernel.name == name);
        found.cloned().ok_or_else(|| {
            let names = self.kernels.iter().map(|one| one.kernel.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            Error::Launch(format!("expected one of the kernels {names}, found {name}"))
        })
    }
}

impl Callable {
    /// What the manifest says of it.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Bytes of workspace that each launch takes, in order with its stream.
    pub fn workspace_bytes(&self) -> usize {
        self.workspaces.iter().sum()
    }

    /// Starts the kernel, and the steps before and behind it, on a stream. `pointers` are device addresses, one for each
    /// argument; `sizes` are those that the kernel takes at run time: none, as the compiler makes kernels of static sizes.
    ///
    /// # Errors
    ///
    /// Pointers or sizes that are too few or too many; a pointer that is null or is less aligned than the kernel was
    /// compiled for; what the driver refuses. An error of the kernel itself shows when the stream is waited for.
    ///
    /// # Safety
    /// The stream is of the executable's device. Each pointer is to memory of that device that reaches as far as the
    /// layout of its argument says, until the stream has done this.
    pub unsafe fn launch(&self, stream: Stream, pointers: &[u64], sizes: &[i64]) -> Result<()> {
        self.check(pointers, sizes)?;
        self.gpu.within(|| {
            let mut workspaces = Vec::with_capacity(self.workspaces.len());
            for &bytes in &self.workspaces {
                workspaces.push(self.pool.allocate(bytes, stream)?);
            }
            let workspaces_at = workspaces.iter().map(|workspace| workspace.address());
            let pointers: Vec<u64> = pointers.iter().copied().chain(workspaces_at).collect();
            let maps = EncodedMaps::new(&self.kernel, &pointers)?;
            // SAFETY: the caller's promise; workspaces are as long as the manifest says, until the stream is past this.
            unsafe { self.launch.start(&self.kernel, stream, &pointers, &maps) }
        })
    }

    /// Whether a launch may have these.
    fn check(&self, pointers: &[u64], sizes: &[i64]) -> Result<()> {
        let Kernel { name, args, .. } = &self.kernel;
        let differs = |expected: String, found: String| {
            Err(Error::Launch(format!("kernel {name}: expected {expected}, found {found}")))
        };
        if pointers.len() != args.len() {
            let names: Vec<&str> = args.iter().map(|argument| argument.name.as_str()).collect();
            let expected = format!("{} pointers ({})", args.len(), names.join(", "));
            return differs(expected, pointers.len().to_string());
        }
        if !sizes.is_empty() {
            return differs(
                "no sizes, as all of its are static".to_owned(),
                sizes.len().to_string(),
            );
        }
        for (argument, &pointer) in args.iter().zip(pointers) {
            let alignment = argument.pointer_alignment() as u64;
            if pointer == 0 {
                return differs(format!("device memory for {}", argument.name), "null".to_owned());
            }
            if !pointer.is_multiple_of(alignment) {
                let found = format!("{} bytes behind one", pointer % alignment);
                return differs(
                    format!("{} at a multiple of {alignment} bytes", argument.name),
                    found,
                );
            }
        }
        Ok(())
    }
}
