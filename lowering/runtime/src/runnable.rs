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

use crate::driver::{Captured, EncodedMaps, Gpu, Start, Stream};
use crate::executable::Callable;
use crate::instances::Instance;
use crate::kept::SizeCache;
use crate::pool::{Pool, Pooled};
use crate::program::Program;
use crate::program::plan::{Integer, OpenPlace, Place, Plan, Planned};
use crate::template::integers_of;
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
    constants: Arc<DeviceBuffers>,
    kept: SizeCache<LoadedPlan>,
    gpu: Gpu,
    pool: Arc<Pool>,
}

/// Device memory, freed when dropped.
#[derive(Debug)]
struct DeviceBuffers {
    addresses: Vec<u64>,
    gpu: Gpu,
}

impl Drop for DeviceBuffers {
    fn drop(&mut self) {
        for &address in &self.addresses {
            // SAFETY: reserved once, freed once; freeing waits for what uses it. A failure cannot be reported here.
            let _ = unsafe { self.gpu.free(address) };
        }
    }
}

/// A plan, and the kernels and the tensor maps of the last run of each of its launches.
#[derive(Debug)]
struct LoadedPlan {
    plan: Plan,
    kernels: Vec<Arc<Callable>>,
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
        let mut constants = DeviceBuffers { addresses: Vec::new(), gpu: gpu.clone() };
        for bytes in program.constants()? {
            let address = gpu.allocate_raw(bytes.len())?;
            constants.addresses.push(address);
            // SAFETY: the memory was allocated with this size.
            unsafe { gpu.copy_to(address, &bytes)? };
        }
        Ok(Self {
            program,
            kernels: kernels.to_vec(),
            constants: Arc::new(constants),
            kept: SizeCache::default(),
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

    /// Runs it on a stream. Returns at once, but where integers are read from memory to decide what comes next: those are waited for.
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
            let mut run = Run::new(self, &ready, stream, (arguments, results, address));
            // SAFETY: the caller's promise; the workspace is as long as the plan says, until the stream is past this.
            unsafe { run.steps(&ready.plan.steps) }
        })
    }

    /// Captures a run of these tensors as a graph, with a workspace of its own. Loops become the steps of all their rounds.
    ///
    /// # Errors
    ///
    /// As [`Runnable::run`]; a program that reads integers from memory, whose next steps no graph knows.
    ///
    /// # Safety
    /// Each tensor is in memory of the executable's device, as long as the graph is launched.
    pub unsafe fn capture(
        &self,
        arguments: &[Tensor<'_>],
        results: &[Tensor<'_>],
    ) -> Result<Graph> {
        let ready = self.checked(arguments, results)?;
        if self.program.reads_elements() {
            return Err(Error::Launch(format!(
                "program {}: expected steps that are known before a graph runs, found one that reads an integer from memory",
                self.program.name
            )));
        }
        let address = self.gpu.allocate_raw(ready.plan.workspace)?;
        let workspace = DeviceBuffers { addresses: vec![address], gpu: self.gpu.clone() };
        let captured = self.gpu.capture(|stream| {
            let mut run = Run::new(self, &ready, stream, (arguments, results, address));
            // SAFETY: the caller's promise; the graph keeps the workspace.
            unsafe { run.steps(&ready.plan.steps) }
        })?;
        let _constants = Arc::clone(&self.constants);
        Ok(Graph { captured, _workspace: workspace, _constants, _kernels: self.kernels.clone() })
    }

    fn ready(&self, shapes: &[&[i64]]) -> Result<Arc<LoadedPlan>> {
        let sizes = self.program.sizes_of(shapes)?;
        self.kept.get(&sizes, || {
            let find = |name: &str| {
                let found = self.kernels.iter().find(|kernel| kernel.name() == name);
                found
                    .ok_or_else(|| Error::Manifest(format!("expected a kernel {name}, found none")))
            };
            let plan =
                Plan::new(&self.program, &sizes, |name| find(name).map(|one| one.instances()))?;
            let kernels = plan.launches.iter().map(|name| find(name).map(Arc::clone));
            let kernels = kernels.collect::<Result<_>>()?;
            let maps = plan.launches.iter().map(|_| Mutex::default()).collect();
            Ok(LoadedPlan { plan, kernels, maps })
        })
    }

    /// The plan for these tensors, whose shapes fit, and none of which is null.
    fn checked(&self, arguments: &[Tensor<'_>], results: &[Tensor<'_>]) -> Result<Arc<LoadedPlan>> {
        let shapes: Vec<&[i64]> = arguments.iter().map(|argument| argument.shape).collect();
        let ready = self.ready(&shapes)?;
        let wrong = |what: String| Error::Launch(format!("program {}{what}", self.program.name));
        let expected = &ready.plan.results;
        if results.len() != expected.len() {
            let (expected, found) = (expected.len(), results.len());
            return Err(wrong(format!(": expected {expected} results, found {found}")));
        }
        for (i, (result, expected)) in results.iter().zip(expected).enumerate() {
            if result.shape != expected.as_slice() {
                let found = result.shape;
                return Err(wrong(format!(
                    ", result {i}: expected the shape {expected:?}, found {found:?}"
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
}

/// Where a run is: the values of its variables.
struct Run<'r> {
    of: &'r Runnable,
    ready: &'r LoadedPlan,
    stream: Stream,
    arguments: &'r [Tensor<'r>],
    results: &'r [Tensor<'r>],
    workspace: u64,
    values: Vec<i64>,
    /// When the next kernel may start: the first one after what the program does not know of, and one after a copy when that is done.
    next: Start,
}

impl<'r> Run<'r> {
    fn new(
        of: &'r Runnable,
        ready: &'r LoadedPlan,
        stream: Stream,
        (arguments, results, workspace): (&'r [Tensor<'r>], &'r [Tensor<'r>], u64),
    ) -> Self {
        let values = ready.plan.values.clone();
        let next = Start::InOrder;
        Self { of, ready, stream, arguments, results, workspace, values, next }
    }

    fn wrong(&self, what: &str) -> Error {
        Error::Launch(format!("program {}: {what}", self.of.program.name))
    }

    fn address(&self, place: Place) -> u64 {
        let of = |tensors: &[Tensor<'_>], at: usize| tensors.get(at).map(|one| one.address);
        let (start, offset) = match place {
            Place::Argument(at, offset) => (of(self.arguments, at), offset),
            Place::Result(at, offset) => (of(self.results, at), offset),
            Place::Workspace(offset) => (Some(self.workspace), offset),
            Place::Constant(at, offset) => (self.of.constants.addresses.get(at).copied(), offset),
        };
        start.unwrap_or(0) + offset as u64
    }

    fn open_address(&self, place: &OpenPlace) -> Result<u64> {
        let place = place.at(&self.values).map_err(|error| self.wrong(&error))?;
        Ok(self.address(place))
    }

    fn integer(&self, integer: &Integer) -> Result<i64> {
        integer.at(&self.values).map_err(|error| self.wrong(&error))
    }

    /// Starts the steps in order. The device's context is current.
    ///
    /// # Safety
    /// Tensors are as long as their shapes say, the workspace is as long as the plan says, until the stream is past this.
    unsafe fn steps(&mut self, steps: &[Planned]) -> Result<()> {
        for step in steps {
            // SAFETY: the caller's promise.
            unsafe { self.step(step)? };
        }
        Ok(())
    }

    /// Starts one.
    ///
    /// # Safety
    /// As of [`Run::steps`].
    unsafe fn step(&mut self, step: &Planned) -> Result<()> {
        match step {
            Planned::Launch { number, instance, places } => {
                let pointers: Vec<u64> = places.iter().map(|&place| self.address(place)).collect();
                // SAFETY: the caller's promise.
                unsafe { self.launch(*number, instance, &pointers, true) }
            }
            Planned::OpenLaunch { number, sizes, places } => {
                let sizes: Vec<i64> =
                    sizes.iter().map(|size| self.integer(size)).collect::<Result<_>>()?;
                let instance = self.kernel(*number)?.instances().at(&sizes)?;
                if !instance.workspaces().is_empty() {
                    let name = &instance.kernel().name;
                    return Err(self.wrong(&format!(
                        "expected a kernel without a workspace where variables decide its sizes, found {name}"
                    )));
                }
                let pointers: Vec<u64> =
                    places.iter().map(|place| self.open_address(place)).collect::<Result<_>>()?;
                // SAFETY: the caller's promise.
                unsafe { self.launch(*number, &instance, &pointers, false) }
            }
            Planned::Copy { from, to, bytes } => {
                let (from, to) = (self.open_address(from)?, self.open_address(to)?);
                let bytes = bytes.bytes_at(&self.values).map_err(|error| self.wrong(&error))?;
                // An argument that was given away may be the result.
                if to != from && bytes > 0 {
                    // SAFETY: the caller's promise.
                    unsafe { self.stream.copy(to, from, bytes)? };
                    self.next = Start::InOrder;
                }
                Ok(())
            }
            Planned::Set(all) => self.set(all),
            Planned::Read { from, element, variable } => {
                let mut bytes = [0; 8];
                let address = self.open_address(from)?;
                // SAFETY: the caller's promise.
                unsafe { self.stream.read(&mut bytes[..element.bytes()], address)? };
                self.next = Start::InOrder;
                if let Some(value) = self.values.get_mut(*variable) {
                    *value = element.of(bytes);
                }
                Ok(())
            }
            Planned::Branch { condition, lists: [then, otherwise] } => {
                let list = if self.integer(condition)? == 0 { otherwise } else { then };
                // SAFETY: the caller's promise.
                unsafe { self.steps(list) }
            }
            Planned::Loop { condition, lists: [before, body] } => loop {
                // SAFETY: the caller's promise.
                unsafe { self.steps(before)? };
                if self.integer(condition)? == 0 {
                    return Ok(());
                }
                // SAFETY: the caller's promise.
                unsafe { self.steps(body)? };
            },
        }
    }

    fn kernel(&self, number: usize) -> Result<&'r Callable> {
        let found = self.ready.kernels.get(number).map(Arc::as_ref);
        found.ok_or_else(|| {
            Error::Manifest(format!("expected a kernel of launch {number}, found none"))
        })
    }

    /// Starts a kernel. Tensor maps are kept where it has the same sizes each time.
    ///
    /// # Safety
    /// As of [`Run::steps`].
    unsafe fn launch(
        &mut self,
        number: usize,
        instance: &Instance,
        pointers: &[u64],
        is_kept: bool,
    ) -> Result<()> {
        let own = instance.kernel().args.len().min(pointers.len());
        instance.check_pointers(&pointers[..own])?;
        let encode = || EncodedMaps::new(instance.kernel(), pointers).map(Arc::new);
        let maps = match self.ready.maps.get(number).filter(|_| is_kept) {
            None => encode()?,
            Some(slot) => {
                let mut kept = slot.lock().unwrap_or_else(PoisonError::into_inner);
                match kept.as_ref() {
                    Some((known, maps)) if *known == pointers => Arc::clone(maps),
                    _ => {
                        let maps = encode()?;
                        *kept = Some((pointers.to_vec(), Arc::clone(&maps)));
                        maps
                    }
                }
            }
        };
        // SAFETY: the caller's promise.
        unsafe { self.kernel(number)?.start((self.stream, self.next), instance, pointers, &maps)? };
        self.next = Start::Overlapping;
        Ok(())
    }

    fn set(&mut self, all: &[(usize, Integer, u32)]) -> Result<()> {
        let mut new = Vec::with_capacity(all.len());
        for (variable, value, bits) in all {
            let value = self.integer(value)?;
            let above = 64 - (*bits).clamp(1, 64);
            // A boolean is 0 or 1.
            if value << above >> above != value && !(*bits == 1 && value == 1) {
                let expected = integers_of(*bits);
                return Err(self.wrong(&format!("expected {expected}, found {value}")));
            }
            new.push((*variable, value));
        }
        for (variable, value) in new {
            if let Some(own) = self.values.get_mut(variable) {
                *own = value;
            }
        }
        Ok(())
    }
}

/// A captured run, with its workspace, and the constants and the code that it reads. Two launches of one graph never run at once: CUDA puts them in order.
#[derive(Debug)]
pub struct Graph {
    captured: Captured,
    _workspace: DeviceBuffers,
    _constants: Arc<DeviceBuffers>,
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
