//! A program on a device: run on a stream, or captured once as a CUDA graph that is launched many times.
//!
//! ```no_run
//! use layout_runtime::{driver::Stream, executable::Executable, runnable::Tensor};
//! # let (code, manifest, x, w, y) = (&[0_u8][..], "", 0_u64, 0_u64, 0_u64);
//! let executable = Executable::load(0, code, manifest)?;
//! let model = executable.program("main")?;
//! let arguments = [Tensor { address: x, shape: &[8, 512] }, Tensor { address: w, shape: &[512, 512] }];
//! let results = [Tensor { address: y, shape: &[8, 512] }];
//! // SAFETY: the addresses are those of tensors of these shapes on device 0.
//! unsafe { model.run(Stream::DEFAULT, &arguments, &results)? };
//! # Ok::<(), layout_runtime::Error>(())
//! ```
//!
//! All buffers of a run lie in one workspace, which is taken in order with the stream. Plans of the last 1,024 different sizes
//! are kept, and so are tensor maps, as long as a step is run with the pointers that they were encoded for.

use std::sync::{Arc, Mutex, PoisonError};

use crate::driver::{Captured, EncodedMaps, Gpu, Stream};
use crate::executable::Callable;
use crate::kept::Kept;
use crate::pool::{Pool, Pooled};
use crate::program::Program;
use crate::program::plan::{Place, Plan, Planned};
use crate::{Error, Result};

/// A tensor in device memory, in row-major order without gaps.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'s> {
    /// Where it starts.
    pub address: u64,
    /// Its extents, the slowest first.
    pub shape: &'s [i64],
}

/// A program with the code of its kernels.
#[derive(Debug)]
pub struct Runnable {
    program: Program,
    kernels: Vec<Arc<Callable>>,
    constants: Arc<Held>,
    kept: Kept<Ready>,
    gpu: Gpu,
    pool: Arc<Pool>,
}

/// Device memory that is freed with it.
#[derive(Debug)]
struct Held {
    addresses: Vec<u64>,
    gpu: Gpu,
}

impl Drop for Held {
    fn drop(&mut self) {
        for &address in &self.addresses {
            // SAFETY: reserved once, freed once; freeing waits for what uses it. A failure has nobody left to tell.
            let _ = unsafe { self.gpu.free(address) };
        }
    }
}

/// A plan, the kernels that its steps start, and the tensor maps of each step's last run.
#[derive(Debug)]
struct Ready {
    plan: Plan,
    kernels: Vec<Option<Arc<Callable>>>,
    maps: Vec<Mutex<Option<Encoded>>>,
}

/// Tensor maps, and the pointers that they were encoded for.
type Encoded = (Vec<u64>, Arc<EncodedMaps>);

impl Runnable {
    /// A program with its kernels.
    pub(crate) fn new(
        program: Program,
        kernels: &[Arc<Callable>],
        gpu: &Gpu,
        pool: &Arc<Pool>,
    ) -> Result<Self> {
        let mut constants = Held { addresses: Vec::new(), gpu: gpu.clone() };
        for bytes in program.constants()? {
            let address = gpu.allocate_raw(bytes.len())?;
            constants.addresses.push(address);
            // SAFETY: the memory was reserved for so many bytes.
            unsafe { gpu.copy_to(address, &bytes)? };
        }
        Ok(Self {
            program,
            kernels: kernels.to_vec(),
            constants: Arc::new(constants),
            kept: Kept::default(),
            gpu: gpu.clone(),
            pool: Arc::clone(pool),
        })
    }

    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Bytes of the workspace of a run with arguments of these shapes.
    ///
    /// # Errors
    ///
    /// As [`Program::sizes_of`]; a kernel that does not take its sizes.
    pub fn workspace_bytes(&self, shapes: &[&[i64]]) -> Result<usize> {
        Ok(self.ready(shapes)?.plan.workspace)
    }

    /// Runs it on a stream. Returns at once.
    ///
    /// # Errors
    ///
    /// Tensors that are too few or too many, of other shapes, or null; a kernel that does not take its sizes; what the driver
    /// refuses. An error of a kernel itself shows when the stream is waited for.
    ///
    /// # Safety
    /// The stream is of the executable's device. Each tensor is in memory of that device, until the stream has done this.
    pub unsafe fn run(
        &self,
        stream: Stream,
        arguments: &[Tensor<'_>],
        results: &[Tensor<'_>],
    ) -> Result<()> {
        let ready = self.checked(arguments, results)?;
        self.gpu.within(|| {
            let workspace = match ready.plan.workspace {
                0 => None,
                bytes => Some(self.pool.allocate(bytes, stream)?),
            };
            let address = workspace.as_ref().map_or(0, Pooled::address);
            // SAFETY: the caller's promise; the workspace is as long as the plan says, until the stream is past this.
            unsafe { self.steps(stream, &ready, arguments, results, address) }
        })
    }

    /// Captures a run of these tensors as a graph, with a workspace of its own.
    ///
    /// # Errors
    ///
    /// As [`Runnable::run`].
    ///
    /// # Safety
    /// Each tensor is in memory of the executable's device, as long as the graph is launched.
    pub unsafe fn capture(
        &self,
        arguments: &[Tensor<'_>],
        results: &[Tensor<'_>],
    ) -> Result<Graph> {
        let ready = self.checked(arguments, results)?;
        let address = self.gpu.allocate_raw(ready.plan.workspace)?;
        let workspace = Held { addresses: vec![address], gpu: self.gpu.clone() };
        let captured = self.gpu.capture(|stream| {
            // SAFETY: the caller's promise; the graph keeps the workspace.
            unsafe { self.steps(stream, &ready, arguments, results, address) }
        })?;
        let _constants = Arc::clone(&self.constants);
        Ok(Graph { captured, _workspace: workspace, _constants, _kernels: self.kernels.clone() })
    }

    fn ready(&self, shapes: &[&[i64]]) -> Result<Arc<Ready>> {
        let sizes = self.program.sizes_of(shapes)?;
        self.kept.get(&sizes, || {
            let find = |name: &str| {
                let found = self.kernels.iter().find(|kernel| kernel.name() == name);
                found
                    .ok_or_else(|| Error::Manifest(format!("expected a kernel {name}, found none")))
            };
            let plan =
                Plan::new(&self.program, &sizes, |name| find(name).map(|one| one.instances()))?;
            let of = |step: &Planned| match step {
                Planned::Launch { kernel, .. } => find(kernel).map(|found| Some(Arc::clone(found))),
                Planned::Copy { .. } => Ok(None),
            };
            let kernels = plan.steps.iter().map(of).collect::<Result<_>>()?;
            let maps = plan.steps.iter().map(|_| Mutex::default()).collect();
            Ok(Ready { plan, kernels, maps })
        })
    }

    /// The plan for these tensors, whose shapes fit, and none of which is null.
    fn checked(&self, arguments: &[Tensor<'_>], results: &[Tensor<'_>]) -> Result<Arc<Ready>> {
        let shapes: Vec<&[i64]> = arguments.iter().map(|argument| argument.shape).collect();
        let ready = self.ready(&shapes)?;
        let wrong = |what: String| Error::Launch(format!("program {}{what}", self.program.name));
        let wanted = &ready.plan.results;
        if results.len() != wanted.len() {
            let (wanted, found) = (wanted.len(), results.len());
            return Err(wrong(format!(": expected {wanted} results, found {found}")));
        }
        for (i, (result, wanted)) in results.iter().zip(wanted).enumerate() {
            if result.shape != wanted.as_slice() {
                let found = result.shape;
                return Err(wrong(format!(
                    ", result {i}: expected the shape {wanted:?}, found {found:?}"
                )));
            }
        }
        for (kind, tensors) in [("argument", arguments), ("result", results)] {
            for (i, tensor) in tensors.iter().enumerate() {
                if tensor.address == 0 && !tensor.shape.contains(&0) {
                    return Err(wrong(format!(", {kind} {i}: expected device memory, found null")));
                }
            }
        }
        Ok(ready)
    }

    /// Starts the steps in order. The device's context is current.
    unsafe fn steps(
        &self,
        stream: Stream,
        ready: &Ready,
        arguments: &[Tensor<'_>],
        results: &[Tensor<'_>],
        workspace: u64,
    ) -> Result<()> {
        let address = |place: &Place| {
            let (start, offset) = match *place {
                Place::Argument(at, offset) => (arguments.get(at).map(|one| one.address), offset),
                Place::Result(at, offset) => (results.get(at).map(|one| one.address), offset),
                Place::Workspace(offset) => (Some(workspace), offset),
                Place::Constant(at, offset) => (self.constants.addresses.get(at).copied(), offset),
            };
            start.unwrap_or(0) + offset as u64
        };
        let all = ready.plan.steps.iter().zip(&ready.kernels).zip(&ready.maps);
        for ((step, kernel), maps) in all {
            match (step, kernel) {
                (Planned::Launch { instance, places, .. }, Some(kernel)) => {
                    let pointers: Vec<u64> = places.iter().map(address).collect();
                    let own = instance.kernel().args.len().min(pointers.len());
                    instance.check_pointers(&pointers[..own])?;
                    let mut kept = maps.lock().unwrap_or_else(PoisonError::into_inner);
                    let maps = match kept.as_ref() {
                        Some((known, maps)) if *known == pointers => Arc::clone(maps),
                        _ => {
                            let maps = Arc::new(EncodedMaps::new(instance.kernel(), &pointers)?);
                            *kept = Some((pointers.clone(), Arc::clone(&maps)));
                            maps
                        }
                    };
                    drop(kept);
                    // SAFETY: the caller's promise: tensors are as long as their shapes say, and buffers lie in the workspace.
                    unsafe { kernel.start(stream, instance, &pointers, &maps)? };
                }
                (Planned::Copy { from, to, bytes }, _) => {
                    let (to, from) = (address(to), address(from));
                    // An argument that was given away may be the result.
                    if to != from && *bytes > 0 {
                        // SAFETY: as above.
                        unsafe { stream.copy(to, from, *bytes)? };
                    }
                }
                (Planned::Launch { kernel, .. }, None) => {
                    return Err(Error::Manifest(format!("expected a kernel {kernel}, found none")));
                }
            }
        }
        Ok(())
    }
}

/// A captured run, with its workspace, and the constants and the code that it reads. Two launches of one graph never run at once: CUDA puts them in order.
#[derive(Debug)]
pub struct Graph {
    captured: Captured,
    _workspace: Held,
    _constants: Arc<Held>,
    _kernels: Vec<Arc<Callable>>,
}

impl Graph {
    /// Runs it on a stream. Returns at once.
    ///
    /// # Errors
    ///
    /// The driver's refusal.
    ///
    /// # Safety
    /// The stream is of the executable's device, and the captured tensors are still there.
    pub unsafe fn launch(&self, stream: Stream) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.captured.launch(stream) }
    }
}
