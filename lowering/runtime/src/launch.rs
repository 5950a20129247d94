//! The launch of a kernel and of the steps around it, from its manifest.

use std::sync::{Mutex, PoisonError};

use crate::Result;
use crate::driver::{EncodedMaps, Function, Module, Resources, Start, Stream};
use crate::manifest::{Kernel, Step};

/// The entries of a kernel and of the steps before and after it, found in a module. A kernel that takes sizes has the
/// same for all of them.
#[derive(Debug)]
pub struct Launch {
    function: Function,
    /// Bytes of shared memory that the function may have; the driver keeps the last number that it was given.
    allowed: Mutex<u32>,
    before: Vec<Function>,
    after: Vec<Function>,
}

impl Launch {
    /// Finds the entries, and lets the kernel have its shared memory.
    ///
    /// # Errors
    ///
    /// An entry that the module lacks; more shared memory than the device has.
    pub fn new(module: &Module, kernel: &Kernel) -> Result<Self> {
        let function = module.function(&kernel.name)?;
        function.allow_shared(kernel.shared_bytes)?;
        let allowed = Mutex::new(kernel.shared_bytes);
        let functions = |steps: &[Step]| {
            steps.iter().map(|step| module.function(&step.name)).collect::<Result<Vec<_>>>()
        };
        let (before, after) = (functions(&kernel.before)?, functions(&kernel.after)?);
        Ok(Self { function, allowed, before, after })
    }

    /// The resources that the driver's assembler gave the kernel.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn resources(&self) -> Result<Resources> {
        self.function.resources()
    }

    /// Lets the kernel have more shared memory than before, where it has more of its sizes.
    fn allow(&self, bytes: u32) -> Result<()> {
        let mut allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes > *allowed {
            self.function.allow_shared(bytes)?;
            *allowed = bytes;
        }
        Ok(())
    }

    /// Starts all steps on a stream, after its earlier work: `pointers` are those of the arguments and then of the
    /// workspaces, and `maps` were encoded for them. A kernel that waits by itself may overlap with the kernel before
    /// it.
    ///
    /// # Errors
    ///
    /// The driver's refusal. An error of the kernel itself shows when the stream is waited for.
    ///
    /// # Safety
    /// The kernel is that of [`Launch::new`], or of other sizes; each pointer is to device memory that reaches as far as the layout of its
    /// argument says, until the stream has done this.
    pub unsafe fn start(
        &self,
        kernel: &Kernel,
        (stream, first): (Stream, Start),
        pointers: &[u64],
        maps: &EncodedMaps,
    ) -> Result<()> {
        self.allow(kernel.shared_bytes)?;
        let words = kernel.parameters(pointers)?;
        let where_it_waits = |waits: bool| if waits { Start::Overlapping } else { Start::InOrder };
        let others = where_it_waits(kernel.dependent_launch || kernel.waits);
        let mut next = if kernel.waits { first } else { Start::InOrder };
        let mut when = || (stream, std::mem::replace(&mut next, others));
        // SAFETY: the caller's promise; kernels whose manifest says so wait for those before them.
        unsafe {
            for (function, step) in self.before.iter().zip(&kernel.before) {
                function.launch_step(step, &words, when())?;
            }
            self.function.launch_kernel(kernel, &words, maps, when())?;
            for (function, step) in self.after.iter().zip(&kernel.after) {
                function.launch_step(step, &words, when())?;
            }
        }
        Ok(())
    }
}
