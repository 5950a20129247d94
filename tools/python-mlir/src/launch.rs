//! The checks and the start of a launch: without Python, so that other frameworks' threads launch too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use layout_runtime::Error;
use layout_runtime::binding::{self, Mismatch, Signature, Tensor};
use layout_runtime::driver::{Gpu, Stream};
use layout_runtime::executable::Callable;
use layout_runtime::instances::{Instance, Instances};
use layout_runtime::manifest::{Access, Program};
use layout_runtime::runnable::{self, Runnable};
use smallvec::SmallVec;

use crate::dlpack::{Device, Type};
use crate::module::Loaded;
use crate::specialize::Specializations;
use crate::tensor::{TensorArgument, UNKNOWN};

/// Most combinations of shapes that are kept of a function.
const CAPACITY: usize = 1024;

/// Why nothing is launched.
pub(crate) enum LaunchError {
    /// An operand that is not taken.
    Operand(Box<Operand>),
    /// An error of the runtime.
    Runtime(Error),
    /// A value that is none.
    Value(String),
}

/// An operand that a launch does not take.
pub(crate) struct Operand {
    pub of: String,
    /// Its number and name, or `None` if it is about no operand.
    pub operand: Option<(usize, String)>,
    /// The property of the operand that is wrong.
    pub property: &'static str,
    pub expected: String,
    pub found: String,
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Operand(operand) => {
                let Operand { of, operand, expected, found, .. } = operand.as_ref();
                f.write_str(of)?;
                if let Some((number, name)) = operand {
                    write!(f, ", operand {number} ({name})")?;
                }
                write!(f, ": expected {expected}, found {found}")
            }
            Self::Runtime(error) => error.fmt(f),
            Self::Value(text) => f.write_str(text),
        }
    }
}

impl From<Error> for LaunchError {
    fn from(error: Error) -> Self {
        Self::Runtime(error)
    }
}

impl From<Mismatch> for LaunchError {
    fn from(mismatch: Mismatch) -> Self {
        let Mismatch { of, operand, property, expected, found } = mismatch;
        let property = property.name();
        Self::Operand(Box::new(Operand { of, operand, property, expected, found }))
    }
}

/// A kernel or a program: what it takes, and its code where that is loaded.
pub(crate) struct Launcher {
    pub name: String,
    /// The operands of a launch.
    pub signature: Signature,
    pub target: Target,
    /// Operands that are not written alone.
    pub inputs: Vec<usize>,
    /// Operands that are written alone.
    pub outputs: Vec<usize>,
    pub loaded: Arc<Loaded>,
    /// Its number among those that are called from C.
    pub number: OnceLock<usize>,
    /// The same function compiled for the shapes of calls, where it is; a call launches these.
    pub specializations: Option<Specializations>,
    seen: Mutex<LaunchCache>,
}

pub(crate) enum Target {
    Kernel(Instances),
    Program,
}

/// The launches of shapes that occurred before.
#[derive(Default)]
struct LaunchCache {
    last: Option<(Key, Arc<Checked>)>,
    all: HashMap<Key, Arc<Checked>>,
}

/// Element types, shapes and strides of operands.
type Key = SmallVec<[i64; 64]>;

/// The number in a key for an operand that is to be allocated.
const MISSING: i64 = -1;
/// The first number of a key that has no strides.
const BY_SHAPES: i64 = -2;

/// The operands of a launch, or `None` if one is to be allocated.
pub(crate) type Operands = SmallVec<[Option<TensorArgument>; 8]>;

/// Element type, shape and strides.
pub(crate) type TensorKey = (String, Vec<i64>, Vec<i64>);

/// A launch of shapes that were checked.
pub(crate) struct Checked {
    pub sizes: Vec<i64>,
    /// Extents and strides of each operand that is written alone.
    pub results: Vec<(Type, binding::Place)>,
    /// Bytes that each pointer is a multiple of; a program says it of its kernels at each launch.
    alignments: Vec<u64>,
    /// The function compiled for these shapes, or `None` if the one of all shapes is launched.
    specialized: OnceLock<Option<Arc<Launcher>>>,
    /// The code on each device.
    codes: Mutex<Vec<(i32, Code)>>,
}

#[derive(Clone)]
pub(crate) enum Code {
    Kernel(Arc<Callable>, Arc<Instance>),
    Program(Arc<Runnable>),
}

impl Launcher {
    pub(crate) fn kernel(
        instances: Instances,
        loaded: Arc<Loaded>,
    ) -> layout_runtime::Result<Self> {
        let signature = Signature::of_instances(&instances)?;
        let name = instances.name().to_owned();
        Ok(Self::new(name, signature, Target::Kernel(instances), loaded))
    }

    pub(crate) fn program(program: &Program, loaded: Arc<Loaded>) -> layout_runtime::Result<Self> {
        let signature = Signature::of_program(program)?;
        Ok(Self::new(program.name.clone(), signature, Target::Program, loaded))
    }

    fn new(name: String, signature: Signature, target: Target, loaded: Arc<Loaded>) -> Self {
        let numbered = || signature.operands().iter().enumerate();
        let written = |written: bool| {
            let chosen =
                numbered().filter(|(_, operand)| (operand.access == Access::Write) == written);
            chosen.map(|(number, _)| number).collect::<Vec<usize>>()
        };
        let (inputs, outputs) = (written(false), written(true));
        Self {
            name,
            inputs,
            outputs,
            signature,
            target,
            loaded,
            number: OnceLock::new(),
            specializations: None,
            seen: Mutex::default(),
        }
    }

    /// The function that is launched for tensors that were checked, where it is another one, if that is known.
    pub(crate) fn specialized(&self, checked: &Checked) -> Option<Option<Arc<Launcher>>> {
        match self.specializations {
            Some(_) => checked.specialized.get().cloned(),
            None => Some(None),
        }
    }

    /// The same, compiled where it is not known; and a message where that fails, and the function of all shapes is launched.
    pub(crate) fn specialize(
        &self,
        checked: &Checked,
        taken: &[Option<TensorArgument>],
    ) -> (Option<Arc<Launcher>>, Option<String>) {
        let Some(specializations) = &self.specializations else { return (None, None) };
        let mut failure = None;
        let found = checked.specialized.get_or_init(|| {
            let inputs = self.inputs.iter().map(|&number| taken.get(number)?.as_ref());
            let shapes = inputs.map(|taken| taken.map(|taken| taken.shape().to_vec()));
            let shapes: Vec<Vec<i64>> = shapes.collect::<Option<_>>()?;
            specializations.of(&shapes).unwrap_or_else(|message| {
                failure = Some(message);
                None
            })
        });
        (found.clone(), failure)
    }

    /// The launch for tensors of these shapes: the one found before, where they are not new.
    pub(crate) fn bound(
        &self,
        taken: &[Option<TensorArgument>],
        given: &[(&str, i64)],
    ) -> Result<Arc<Checked>, LaunchError> {
        if !given.is_empty() {
            return self.check(taken, given).map(Arc::new);
        }
        let mut key = Key::new();
        for taken in taken {
            match taken {
                Some(taken) => {
                    key.push(taken.word());
                    key.extend_from_slice(&taken.dimensions);
                }
                None => key.push(MISSING),
            }
        }
        self.kept(key, || self.check(taken, &[]))
    }

    /// The launch for memory whose shapes alone are known, and which was laid out as the layouts state.
    pub(crate) fn bound_by_shapes(
        &self,
        taken: &mut [Option<TensorArgument>],
    ) -> Result<Arc<Checked>, LaunchError> {
        let mut key = Key::from_slice(&[BY_SHAPES]);
        for taken in taken.iter() {
            match taken {
                Some(taken) => {
                    key.push(taken.word());
                    key.extend_from_slice(taken.shape());
                }
                None => key.push(MISSING),
            }
        }
        self.kept(key, || {
            self.lay_out(taken)?;
            self.check(taken, &[])
        })
    }

    /// The launch found before under a key, or the one that `find` finds.
    fn kept(
        &self,
        key: Key,
        find: impl FnOnce() -> Result<Checked, LaunchError>,
    ) -> Result<Arc<Checked>, LaunchError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((last, found)) = &seen.last
            && *last == key
        {
            return Ok(Arc::clone(found));
        }
        if let Some(found) = seen.all.get(&key).cloned() {
            seen.last = Some((key, Arc::clone(&found)));
            return Ok(found);
        }
        drop(seen);
        let found = Arc::new(find()?);
        seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.all.len() >= CAPACITY {
            seen.all.clear();
        }
        seen.all.insert(key.clone(), Arc::clone(&found));
        seen.last = Some((key, Arc::clone(&found)));
        Ok(found)
    }

    /// Checks tensors, and finds the sizes.
    pub(crate) fn check(
        &self,
        taken: &[Option<TensorArgument>],
        given: &[(&str, i64)],
    ) -> Result<Checked, LaunchError> {
        let names: Vec<Option<String>> =
            taken.iter().map(|taken| taken.as_ref().map(|taken| taken.element.name())).collect();
        let tensors: Vec<Option<Tensor<'_>>> = taken
            .iter()
            .zip(&names)
            .map(|(taken, name)| {
                let (taken, element) = taken.as_ref().zip(name.as_deref())?;
                Some(Tensor { element, shape: taken.shape(), strides: Some(taken.strides()) })
            })
            .collect();
        let (sizes, alignments) = match &self.target {
            Target::Kernel(instances) => {
                let found = binding::instance_of(instances, &self.signature, &tensors, given);
                let (sizes, instance) = found?;
                let arguments = instance.kernel().args.iter();
                let alignments = arguments.map(|argument| argument.pointer_alignment() as u64);
                (sizes, alignments.collect())
            }
            Target::Program => (self.signature.bind(&tensors, given)?, Vec::new()),
        };
        let result = |&number: &usize| {
            let name = &self.signature.operands()[number].element;
            let element = Type::of(name).ok_or_else(|| {
                LaunchError::Value(format!(
                    "{}: expected a result of elements that DLPack has, found {name}",
                    self.signature.of()
                ))
            })?;
            let place = self.signature.result(number, &sizes)?;
            Ok((element, place))
        };
        let results = self.outputs.iter().map(result).collect::<Result<_, LaunchError>>()?;
        let (specialized, codes) = (OnceLock::new(), Mutex::default());
        Ok(Checked { sizes, results, alignments, specialized, codes })
    }

    /// Gives operands the strides of their layouts: for memory of which only shapes are known, and which was laid out so.
    fn lay_out(&self, taken: &mut [Option<TensorArgument>]) -> Result<(), LaunchError> {
        let names: Vec<Option<String>> =
            taken.iter().map(|taken| taken.as_ref().map(|taken| taken.element.name())).collect();
        let tensors: Vec<Option<Tensor<'_>>> = taken
            .iter()
            .zip(&names)
            .map(|(taken, name)| {
                let (taken, element) = taken.as_ref().zip(name.as_deref())?;
                Some(Tensor { element, shape: taken.shape(), strides: None })
            })
            .collect();
        let (_, places) = self.signature.places(&tensors)?;
        for (taken, (_, strides)) in taken.iter_mut().zip(places) {
            if let Some(taken) = taken {
                taken.set_strides(&strides);
            }
        }
        Ok(())
    }

    /// The operands that are written alone, as they were found.
    pub(crate) fn described(&self, checked: &Checked) -> Vec<TensorKey> {
        let all = self.outputs.iter().zip(&checked.results).map(|(&number, (_, place))| {
            let (shape, strides) = place.clone();
            (self.signature.operands()[number].element.clone(), shape, strides)
        });
        all.collect()
    }

    /// Checks what the shapes do not say: devices, addresses, and what may be written.
    pub(crate) fn device(
        &self,
        bound: &Checked,
        taken: &[Option<TensorArgument>],
    ) -> Result<i32, LaunchError> {
        let mut device = None;
        let refuse = |number: usize, property: &'static str, expected: &str, found: &str| {
            let name = self.signature.operands()[number].name.clone();
            LaunchError::Operand(Box::new(Operand {
                of: self.signature.of().to_owned(),
                operand: Some((number, name)),
                property,
                expected: expected.to_owned(),
                found: found.to_owned(),
            }))
        };
        for (number, taken) in taken.iter().enumerate() {
            let Some(taken) = taken else { continue };
            if !taken.device.is_cuda() {
                let expected = "memory of a CUDA device";
                return Err(refuse(number, "device", expected, &taken.device.text()));
            }
            let is_empty = taken.shape().contains(&0);
            if taken.address == 0 && !is_empty {
                return Err(refuse(number, "device", "device memory", "null"));
            }
            let id = match taken.device.id {
                UNKNOWN if is_empty => continue,
                UNKNOWN => Gpu::number_of(taken.address)?,
                id => id,
            };
            match device {
                Some(device) if device != id => {
                    let expected = Device::cuda(device).text();
                    return Err(refuse(number, "device", &expected, &Device::cuda(id).text()));
                }
                _ => device = Some(id),
            }
            if taken.is_read_only && self.signature.operands()[number].access != Access::Read {
                return Err(refuse(
                    number,
                    "access",
                    "memory that may be written",
                    "memory to be read only",
                ));
            }
            let alignment = bound.alignments.get(number).copied().unwrap_or(1);
            if !taken.address.is_multiple_of(alignment) {
                let expected = format!("an address at a multiple of {alignment} bytes");
                let past = taken.address % alignment;
                let found = format!("an address {past} bytes past a multiple of {alignment}");
                return Err(refuse(number, "alignment", &expected, &found));
            }
        }
        Ok(device.unwrap_or(0))
    }

    /// The code on a device, which is loaded there at the first call.
    pub(crate) fn code(&self, bound: &Checked, device: i32) -> Result<Code, LaunchError> {
        let mut codes = bound.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = codes.iter().find(|(on, _)| *on == device) {
            return Ok(code.clone());
        }
        drop(codes);
        let executable = self.loaded.on(device)?;
        let code = match &self.target {
            Target::Kernel(_) => {
                let callable = executable.kernel(&self.name)?;
                let instance = callable.at(&bound.sizes)?;
                Code::Kernel(callable, instance)
            }
            Target::Program => Code::Program(executable.program(&self.name)?),
        };
        codes = bound.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.push((device, code.clone()));
        Ok(code)
    }

    /// Starts the code with these operands.
    pub(crate) fn launch(
        &self,
        code: &Code,
        taken: &[Option<TensorArgument>],
        stream: u64,
    ) -> Result<(), LaunchError> {
        let operands = || taken.iter().flatten();
        // SAFETY: a stream of the caller's, whose device is that of the tensors.
        let stream = unsafe { Stream::of(stream as *mut std::ffi::c_void) };
        let started = match code {
            Code::Kernel(callable, instance) => {
                let pointers: SmallVec<[u64; 8]> = operands().map(|one| one.address).collect();
                // SAFETY: the tensors were checked against the layouts of this instance, and their owners keep the memory, in order
                // with the stream, as they do for each launch.
                unsafe { callable.launch_instance(stream, instance, &pointers) }
            }
            Code::Program(program) => {
                let tensors: SmallVec<[runnable::Tensor<'_>; 8]> = operands()
                    .map(|one| runnable::Tensor { address: one.address, shape: one.shape() })
                    .collect();
                let (arguments, results) = tensors.split_at(self.inputs.len().min(tensors.len()));
                // SAFETY: as above; shapes and strides are those of the program.
                unsafe { program.run(stream, arguments, results) }
            }
        };
        Ok(started?)
    }
}
