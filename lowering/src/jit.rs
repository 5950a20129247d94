//! Runs a serialized kernel on the host, through MLIR's JIT, and checks it.
//!
//! The function is what `layout-to-host` made of a tile program. The check is the one that
//! `layout-run` makes on a GPU, on the same random numbers, poison, reference and bounds. Poison lies around every operand
//! and workspace, and between the elements of operands: none of it may change, and none may reach results. Floats are
//! poisoned with a NaN; with integers, a second run has another poison, and must give the same.
//!
//! Accesses that a GPU traps at, or that its driver refuses, are errors here too: vectors whose addresses are no multiples of their
//! size ([`watch`]), tensor maps of other memory than the copy engine takes, more shared memory than the chip has.

mod divisions;
mod engine;
mod watch;

pub use engine::{Engine, Packed};

use crate::{
    budget::{self, Stop, loops},
    nvptx::{self, Chip},
};
use layout_algebra::Layout;
use layout_dialect::{
    build::{Builder, context_of},
    tree,
};
use layout_runtime::{
    data::{self, Random, other_poison, poison},
    epilogue::{Epilogue, Program},
    manifest::{Access, Argument, Element, GemmProblem, Kernel, Precision, Problem, Step},
    memory,
    reference::{self, Comparison, Reference},
    window::Window,
};
use melior::ir::{Module, OperationRef, operation::OperationLike};
use std::ffi::c_void;

/// Why a function was not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A kernel that is not a matmul.
    #[error("expected a kernel with {expected}, found {found}")]
    Kernel {
        /// The part that was expected.
        expected: &'static str,
        /// The part that was found.
        found: String,
    },
    /// An operand's layout.
    #[error("{0}")]
    Layout(#[from] layout_algebra::Error),
    /// Nothing that the JIT could compile; LLVM has reported why.
    #[error("expected a module in LLVM's dialect: run the pipeline layout-to-host first")]
    NotLowered,
    /// More than the kernel's chip has.
    #[error("{0}")]
    Chip(#[from] nvptx::Error),
    /// Tensor maps that the driver would refuse.
    #[error("{0}")]
    Launch(#[from] layout_runtime::Error),
    /// An access at which a GPU traps.
    #[error(
        "expected {function} to access {operand} at multiples of {expected} bytes, found an address {found} bytes past a multiple of {expected}"
    )]
    Misaligned {
        /// The host function.
        function: String,
        /// The operand, or what else it is.
        operand: String,
        /// Bytes that are moved at once.
        expected: u64,
        /// Bytes from the multiple before.
        found: u64,
    },
    /// A loop that takes more steps than a run has: its place, as MLIR prints it, and the message.
    #[error("{message}")]
    At {
        /// The place of the loop.
        location: String,
        /// The expectation and the finding.
        message: String,
    },
    /// The system has no memory for a stack.
    #[error("cannot make a stack: {0}")]
    Stack(std::io::Error),
    /// A problem whose reference takes more steps than a run has.
    #[error("{0}")]
    TooMuch(String),
    /// MLIR refused an operation; its own diagnostic has been emitted.
    #[error("cannot watch the accesses of a host function: {0}")]
    Ir(#[from] melior::Error),
    /// No function of the kernel's name.
    #[error("expected a host function @{0}, found none: run the pipeline layout-to-host first")]
    NoFunction(String),
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Frobenius norm of the difference from the reference over that of the reference.
    pub relative_error: f64,
    /// The largest error that is taken as right.
    pub tolerance: f64,
    /// Elements of the result that were never written.
    pub unwritten: usize,
    /// Bytes before, between and after the result's elements that were written.
    pub stray: usize,
    /// The extents of each problem, as text.
    pub problem: String,
}

impl Verdict {
    /// Whether the kernel computed the matmul, and wrote nothing else.
    pub fn is_right(&self) -> bool {
        self.unwritten == 0 && self.stray == 0 && self.relative_error <= self.tolerance
    }
}

/// The host functions of a module as machine code in this process.
pub struct HostFunctions {
    engine: Engine,
    /// The places of loops, by their numbers.
    places: Vec<String>,
}

/// How host functions are run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The seed of random operands.
    pub seed: u64,
    /// The steps of a run: [`crate::budget`].
    pub steps: u64,
}

impl HostFunctions {
    /// Compiles the functions that `layout-to-host` made of a module's tile programs.
    ///
    /// # Errors
    ///
    /// A module that the JIT cannot compile.
    pub fn compile(module: &Module<'_>) -> Result<Self, Error> {
        let module = compiled(module)?;
        let places = loops::watch(module.as_operation())?;
        let [tick, enter] = budget::functions();
        let watched = [(watch::NAME, watch::access as *mut c_void), tick, enter];
        let engine = Engine::new(&module, &watched).ok_or(Error::NotLowered)?;
        Ok(Self { engine, places })
    }

    /// Runs a kernel, at the sizes that it has here, on random operands.
    ///
    /// # Errors
    ///
    /// A kernel that is no matmul of a, b and c, of which there is no function, that the chip does not take, or that takes more steps than a
    /// run has.
    pub fn check(&self, kernel: &Kernel, options: Options) -> Result<Verdict, Error> {
        Chip::find(&kernel.chip)?.check(kernel)?;
        budget::check_problem(kernel, options.steps).map_err(Error::TooMuch)?;
        let (mut verdict, first) = self.checked(kernel, options, poison)?;
        let has_other =
            |argument: &Argument| other_poison(argument.element) != poison(argument.element);
        if kernel.args.iter().any(has_other) {
            let (other, second) = self.checked(kernel, options, other_poison)?;
            let differing = first.iter().zip(&second).filter(|(one, other)| one != other).count();
            // An element that is still poison in one of two runs with different poison differs.
            verdict.unwritten = verdict.unwritten.max(differing);
            verdict.stray = verdict.stray.max(other.stray);
        }
        Ok(verdict)
    }

    /// The result of a run with a poison, and the elements of all results.
    fn checked(
        &self,
        kernel: &Kernel,
        options: Options,
        poison: fn(Element) -> u8,
    ) -> Result<(Verdict, Vec<u64>), Error> {
        let mut random = Random::new(options.seed);
        let mut operands = kernel
            .args
            .iter()
            .map(|argument| Operand::new(argument, &mut random, poison))
            .collect::<Result<Vec<_>, _>>()?;
        let (gemms, precision, problem) = gemms(kernel)?;
        let gemms = gemms
            .into_iter()
            .map(|gemm| gemm.read(kernel, &operands))
            .collect::<Result<Vec<_>, _>>()?;
        for workspace in &kernel.workspaces {
            operands.push(Operand::new(workspace, &mut random, poison)?);
        }
        for argument in &kernel.args {
            let (expected, found) = (argument.element.bytes() as u64, argument.start() as u64);
            if !found.is_multiple_of(expected) {
                let (function, operand) = (format!("@{}", kernel.name), argument.name.clone());
                return Err(Error::Misaligned {
                    function,
                    operand,
                    expected,
                    found: found % expected,
                });
            }
        }
        let addresses: Vec<u64> =
            operands.iter_mut().map(|operand| operand.first() as u64).collect();
        kernel.check_tensor_maps(&addresses)?;
        let words = kernel.parameters(&addresses)?;
        let arguments = kernel.args.len();
        let before: Vec<Vec<u8>> =
            operands.iter().take(arguments).map(|operand| operand.bytes().to_vec()).collect();
        let names = |steps: &'_ [Step]| -> Vec<String> {
            steps.iter().map(|step| step.name.clone()).collect()
        };
        for name in
            [names(&kernel.before), vec![kernel.name.clone()], names(&kernel.after)].concat()
        {
            let function =
                self.engine.packed(&name).ok_or_else(|| Error::NoFunction(name.clone()))?;
            // SAFETY: the kernel's facts name each argument, which is a pointer to memory that holds every offset of its layout, and
            // the integers after it, whose bytes a word begins with.
            let run = unsafe { function.call_within(&words, options.steps) };
            let misplaced = watch::first();
            run.map_err(|stop| self.stopped(&name, stop))?;
            if let Some(access) = misplaced {
                return Err(misaligned(name, access, kernel, &operands));
            }
        }
        let (mut relative_error, mut tolerance) = (0.0_f64, 0.0_f64);
        let (mut unwritten, mut stray) = (0, 0);
        for gemm in &gemms {
            let elements = gemm.place.map(|i| operands[i].element);
            let depth = operands[gemm.place[1]].columns.len();
            let comparison = Comparison::new(elements, depth, precision, gemm.epilogue);
            let (error, allowed) = gemm.error(&operands, &comparison);
            // An error that is not a number stays.
            relative_error = if error.is_nan() { error } else { relative_error.max(error) };
            tolerance = tolerance.max(allowed);
            let result = &operands[gemm.place[2]];
            let (missed, outside) = result.coverage();
            // An integer may have the value of a poison; one that nothing wrote differs in the second run.
            let missed = if result.element.is_integer() { 0 } else { missed };
            (unwritten, stray) = (unwritten + missed, stray + outside);
            if error.is_nan() {
                break;
            }
        }
        let results: Vec<usize> = gemms.iter().map(|gemm| gemm.place[2]).collect();
        for (number, (operand, before)) in operands.iter().zip(&before).enumerate() {
            if !results.contains(&number) {
                stray +=
                    operand.bytes().iter().zip(before).filter(|(one, other)| one != other).count();
            }
        }
        stray += operands.iter().skip(arguments).map(Operand::around).sum::<usize>();
        let bits = results.iter().flat_map(|&number| operands[number].values());
        let bits = bits.map(f64::to_bits).collect();
        let verdict = Verdict { relative_error, tolerance, unwritten, stray, problem };
        Ok((verdict, bits))
    }

    /// Why a function was stopped, at its place.
    fn stopped(&self, name: &str, stop: Stop) -> Error {
        match stop {
            Stop::Steps(exceeded) => Error::At {
                location: self.places.get(exceeded.site as usize).cloned().unwrap_or_default(),
                message: exceeded.message(&format!("@{name}")),
            },
            Stop::Stack(error) => Error::Stack(error),
        }
    }
}

/// The trap of a GPU, with the operand that the access is to.
fn misaligned(
    function: String,
    access: watch::Access,
    kernel: &Kernel,
    operands: &[Operand],
) -> Error {
    let names = kernel.args.iter().chain(&kernel.workspaces).map(|argument| &argument.name);
    let mut all = names.zip(operands);
    let holds = |operand: &Operand| {
        let bytes = operand.bytes().as_ptr_range();
        (bytes.start as u64..bytes.end as u64).contains(&access.address)
    };
    let operand = all.find(|(_, operand)| holds(operand)).map(|(name, _)| name.clone());
    let operand = operand.unwrap_or_else(|| "a buffer".to_owned());
    let (expected, found) = (access.bytes, access.address % access.bytes);
    Error::Misaligned { function: format!("@{function}"), operand, expected, found }
}

/// A GEMM that a kernel computes.
struct MissingKernel<'k> {
    extents: [i64; 3],
    batch: Option<i64>,
    place: [usize; 3],
    epilogue: Option<&'k Epilogue>,
    window: Option<Window>,
}

/// The GEMMs of a kernel, what of them is rounded, and what they are called.
fn gemms(kernel: &Kernel) -> Result<(Vec<MissingKernel<'_>>, Option<Precision>, String), Error> {
    match &kernel.problem {
        Some(Problem::Matmul { m, n, k, batch, precision, epilogue, window }) => {
            let names = || kernel.args.iter().map(|argument| argument.name.as_str());
            let argument_of = |expected: &str| {
                names().position(|name| name == expected).ok_or_else(|| Error::Kernel {
                    expected: "arguments a, b and c",
                    found: names().collect::<Vec<_>>().join(", "),
                })
            };
            let place = [argument_of("a")?, argument_of("b")?, argument_of("c")?];
            let (extents, batch, epilogue) = ([*m, *n, *k], *batch, epilogue.as_ref());
            let gemm = MissingKernel { extents, batch, place, epilogue, window: *window };
            Ok((vec![gemm], *precision, format!("{m}x{n}x{k}")))
        }
        Some(Problem::Grouped { problems, precision }) => {
            let extents_of = |problem: &'_ GemmProblem| [problem.m, problem.n, problem.k];
            let all = problems.iter().map(|problem| MissingKernel {
                extents: extents_of(problem),
                batch: problem.batch,
                place: problem.args,
                epilogue: problem.epilogue.as_ref(),
                window: problem.window,
            });
            let words = |problem: &GemmProblem| {
                let [m, n, k] = extents_of(problem);
                format!("{m}x{n}x{k}")
            };
            let names: Vec<String> = problems.iter().map(words).collect();
            Ok((all.collect(), *precision, names.join(", ")))
        }
        None => {
            Err(Error::Kernel { expected: "a matmul as its problem", found: "none".to_owned() })
        }
    }
}

/// The matmul of A and B, for all matrices of a batch; A may be the im2col matrix of an image.
fn product(a: &Operand, b: &Operand, window: Option<Window>) -> Vec<f64> {
    let [columns, depth] = [b.rows.len(), b.columns.len()];
    let (left, right) = (a.matrix(window), b.values());
    let rows = left.len() / (depth * a.matrices.len()).max(1);
    let each = left.chunks((rows * depth).max(1)).zip(right.chunks((columns * depth).max(1)));
    each.flat_map(|(left, right)| reference::gemm(left, right, rows, columns, depth)).collect()
}

/// A GEMM, with what is done to its accumulators as it was before the kernel ran, which may write to it.
struct Read<'k> {
    place: [usize; 3],
    epilogue: Option<&'k Epilogue>,
    window: Option<Window>,
    fusion: Option<(Program, Vec<Vec<f64>>)>,
}

impl<'k> MissingKernel<'k> {
    fn read(self, kernel: &Kernel, operands: &[Operand]) -> Result<Read<'k>, Error> {
        let Self { extents: [m, n, k], batch, place, epilogue, window } = self;
        for (number, (name, rows, columns)) in
            place.into_iter().zip([("a", m, k), ("b", n, k), ("c", m, n)])
        {
            let is_of = |operand: &Operand| match window.filter(|_| number == place[0]) {
                None => operand.is_of(rows, columns, batch),
                Some(window) => operand.is_image_of(window, [rows, columns]),
            };
            if !operands.get(number).is_some_and(is_of) {
                let shape = kernel.args.get(number).map_or("nothing", |argument| &argument.shape);
                let of = batch.map(|batch| format!("{batch} of ")).unwrap_or_default();
                return Err(Error::Kernel {
                    expected: "arguments as large as its problem",
                    found: format!("{name} of {shape} for {of}{m}x{n}x{k}"),
                });
            }
        }
        let Some(epilogue) = epilogue else {
            return Ok(Read { place, epilogue: None, window, fusion: None });
        };
        let mut elements = Vec::new();
        if let Some(number) = epilogue.dual {
            let found = operands.get(number).filter(|operand| operand.is_of(n, k, batch));
            let dual = found.ok_or_else(|| Error::Kernel {
                expected: "a second B of the first one's shape",
                found: format!("argument {number}"),
            })?;
            elements.push(product(&operands[place[0]], dual, window));
        }
        for &number in &epilogue.operands {
            let found = operands.get(number).filter(|operand| operand.is_of(m, n, batch));
            let operand = found.ok_or_else(|| Error::Kernel {
                expected: "an epilogue whose operands are arguments of C's shape",
                found: format!("argument {number}"),
            })?;
            elements.push(operand.values());
        }
        let program = Program::new(epilogue).map_err(|error| Error::Kernel {
            expected: "an epilogue that the reference computes",
            found: error.to_string(),
        })?;
        Ok(Read { place, epilogue: Some(epilogue), window, fusion: Some((program, elements)) })
    }
}

impl Read<'_> {
    /// How far the result is from the reference, and how far it may be.
    fn error(&self, operands: &[Operand], comparison: &Comparison) -> (f64, f64) {
        let [a, b, c] = self.place;
        let result = operands[c].values();
        let expected = product(&operands[a], &operands[b], self.window);
        let epilogue = self.fusion.as_ref().map(|(program, elements)| {
            move |accumulators: &mut [f64]| {
                let mut values = Vec::new();
                for (i, sum) in accumulators.iter_mut().enumerate() {
                    let others = elements.iter().map(|all| all.get(i).copied().unwrap_or(f64::NAN));
                    *sum = program.apply(*sum, others, &mut values);
                }
            }
        });
        let epilogue = epilogue.as_ref().map(|apply| apply as &reference::InPlace<'_>);
        let expected = Reference::new(expected, comparison, epilogue);
        let relative = comparison.difference(&result, &expected).relative;
        (relative, comparison.tolerance(&expected))
    }
}

/// Poisoned bytes on either side of an operand; a multiple of the alignment that kernels assume.
const REDZONE: usize = 256;

/// Bytes that an operand may take: beyond, a run would take hours.
const MAX_BYTES: usize = 1 << 32;

/// One matrix in memory, or a batch of them.
struct Operand {
    /// The redzone, the elements, the redzone. Words of 16 bytes, so that they are as aligned as a
    /// kernel assumes.
    words: Vec<u128>,
    element: Element,
    /// The byte that it holds where nothing was written.
    poison: u8,
    /// Bytes in front of the first element, and to the end of the last, or of what of a workspace is whole units.
    start: usize,
    end: usize,
    /// Offsets of each row, each column and each matrix: an element's offset is their sum.
    rows: Vec<usize>,
    columns: Vec<usize>,
    matrices: Vec<usize>,
    /// Whether there is a mode for matrices.
    batched: bool,
    /// Channels, columns, rows and number of an image, whose pixels are the rows and whose channels are the columns.
    image: Option<[usize; 4]>,
}

impl Operand {
    /// Random values where the kernel reads, poison elsewhere.
    fn new(
        argument: &Argument,
        random: &mut Random,
        poison: fn(Element) -> u8,
    ) -> Result<Self, Error> {
        const WORD: usize = size_of::<u128>();
        let strange = |expected| Error::Kernel {
            expected,
            found: format!("{} of {}:{}", argument.name, argument.shape, argument.stride),
        };
        let layout: Layout = format!("{}:{}", argument.shape, argument.stride).parse()?;
        let modes = layout.modes();
        let single = Layout::from_shape(layout_algebra::Tuple::Leaf(1))?;
        let (rows, columns, batch) = match modes.as_slice() {
            [rows, columns] => (rows.clone(), columns, &single),
            [rows, columns, batch] => (rows.clone(), columns, batch),
            [channels, pixels @ ..] if pixels.len() == 3 => {
                (Layout::make_layout(pixels)?, channels, &single)
            }
            _ => return Err(strange("arguments of rank 2, 3 or 4")),
        };
        let offsets = |mode: &Layout| -> Result<Vec<usize>, Error> {
            (0..mode.size())
                .map(|i| {
                    usize::try_from(mode.at(i)?)
                        .map_err(|_| strange("arguments with strides of at least 0"))
                })
                .collect()
        };
        let too_large = || strange("arguments of at most 2^32 bytes");
        let limit = MAX_BYTES / argument.element.bytes();
        let fits = |count: i64| usize::try_from(count).is_ok_and(|count| count <= limit);
        let (size, reach) = (layout.size(), layout.cosize().unwrap_or(i64::MAX));
        if !fits(size) || !fits(reach) {
            return Err(too_large());
        }
        // Its bytes before and after a run, and the place and the value of each element.
        let bytes = 2 * reach.unsigned_abs() * argument.element.bytes() as u64;
        let what = format!("operand {} with its copies", argument.name);
        memory::check(&what, bytes + 16 * size.unsigned_abs())?;
        let (rows, columns, matrices) = (offsets(&rows)?, offsets(columns)?, offsets(batch)?);
        let last = |offsets: &[usize]| offsets.iter().copied().max().unwrap_or(0);
        // Below the limit, so no sum overflows.
        let span = last(&rows) + last(&columns) + last(&matrices) + 1;
        let bytes = span * argument.element.bytes() + argument.start() + 2 * REDZONE;
        let poison = poison(argument.element);
        let words =
            memory::filled(&what, u128::from_ne_bytes([poison; WORD]), bytes.div_ceil(WORD))?;
        let (element, batched) = (argument.element, modes.len() == 3);
        let extents = modes.iter().map(|mode| usize::try_from(mode.size()).unwrap_or(0));
        let image = extents.collect::<Vec<_>>().try_into().ok();
        let start = REDZONE + argument.start();
        // A workspace has whole units of a bulk copy.
        let end = start + (span * argument.element.bytes()).div_ceil(WORD) * WORD;
        let mut operand =
            Self { words, element, poison, start, end, rows, columns, matrices, batched, image };
        if argument.access != Access::Write {
            let element = operand.element;
            for at in operand.places() {
                let size = element.bytes();
                let value = data::random(element, random);
                data::encode(element, value, &mut operand.bytes_mut()[at..at + size]);
            }
        }
        Ok(operand)
    }

    /// The address of its first element.
    fn first(&mut self) -> *mut u8 {
        let start = self.start;
        self.bytes_mut()[start..].as_mut_ptr()
    }

    /// Whether it is a matrix, or a batch of matrices, of these sizes.
    fn is_of(&self, rows: i64, columns: i64, batch: Option<i64>) -> bool {
        let found = [&self.rows, &self.columns, &self.matrices].map(|all| i64::try_from(all.len()));
        self.batched == batch.is_some() && found == [rows, columns, batch.unwrap_or(1)].map(Ok)
    }

    /// Whether it is an image whose im2col matrix has these extents.
    fn is_image_of(&self, window: Window, extents: [i64; 2]) -> bool {
        self.image.is_some_and(|image| window.extents(image) == Ok(extents))
    }

    /// The elements of the matrix that it is as A: of an image the im2col matrix, which [`Self::is_image_of`] has checked.
    fn matrix(&self, window: Option<Window>) -> Vec<f64> {
        let values = self.values();
        let Some((window, image)) = window.zip(self.image) else { return values };
        let [channels, width, height, _] = image;
        let at = |[c, w, h, n]: [usize; 4]| ((n * height + h) * width + w) * channels + c;
        let element = |place: [usize; 4]| values.get(at(place)).copied().unwrap_or(f64::NAN);
        window.matrix(image, element).unwrap_or_default()
    }

    /// Where each element's bytes begin, matrix by matrix, and row by row.
    fn places(&self) -> Vec<usize> {
        let size = self.element.bytes();
        let mut places = Vec::new();
        for matrix in &self.matrices {
            for row in &self.rows {
                let place = |column: &usize| self.start + (matrix + row + column) * size;
                places.extend(self.columns.iter().map(place));
            }
        }
        places
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the words' memory, read as bytes; any bit pattern is a byte.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), size_of_val(&*self.words)) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let length = size_of_val(&*self.words);
        // SAFETY: the words' memory, borrowed for as long as the bytes are; any bytes are a word.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), length) }
    }

    /// The elements as float64, row by row.
    fn values(&self) -> Vec<f64> {
        let bytes = self.bytes();
        self.places().into_iter().map(|at| data::decode(self.element, &bytes[at..])).collect()
    }

    /// Bytes in front of a workspace, and after it, that were written.
    fn around(&self) -> usize {
        let (before, rest) = self.bytes().split_at(self.start);
        let after = rest.get(self.end - self.start..).unwrap_or_default();
        before.iter().chain(after).filter(|&&byte| byte != self.poison).count()
    }

    /// Elements that are still poison, and bytes outside of elements that no longer are.
    fn coverage(&self) -> (usize, usize) {
        let poison = self.poison;
        let mut written: Vec<bool> = self.bytes().iter().map(|&byte| byte != poison).collect();
        let mut unwritten = 0;
        for at in self.places() {
            let place = &mut written[at..at + self.element.bytes()];
            unwritten += usize::from(!place.contains(&true));
            place.fill(false);
        }
        (unwritten, written.into_iter().filter(|&written| written).count())
    }
}

/// The part of a module that is in LLVM's dialect; functions of others stay.
fn compiled<'c>(module: &Module<'c>) -> Result<Module<'c>, Error> {
    let all = tree::entry(module.as_operation()).map(tree::operations).unwrap_or_default();
    let is_ours = |operation: &OperationRef<'_, '_>| tree::name(*operation).starts_with("llvm.");
    let own = Module::new(module.as_operation().location());
    for (name, attribute) in module.as_operation().attributes() {
        let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
        if name.starts_with("llvm.") || name.starts_with("dlti.") {
            tree::set_attribute(own.as_operation(), &name, attribute);
        }
    }
    if let Some(body) = tree::entry(own.as_operation()) {
        let context = context_of(own.as_operation());
        let b = Builder::at_end(context, own.as_operation().location(), body);
        for operation in all.into_iter().filter(is_ours) {
            tree::clone_with(&b, operation, &[]);
        }
    }
    watch::vectors(own.as_operation())?;
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(element: Element, shape: &str, stride: &str, access: Access) -> Argument {
        let (shape, stride) = (shape.to_owned(), stride.to_owned());
        Argument {
            name: "c".to_owned(),
            element,
            shape,
            stride,
            access,
            alignment: None,
            sizes: Vec::new(),
            values: None,
            ascending: None,
        }
    }

    fn operand(element: Element, shape: &str, stride: &str, access: Access) -> Operand {
        let argument = argument(element, shape, stride, access);
        Operand::new(&argument, &mut Random::new(1), poison).expect("a matrix")
    }

    #[test]
    fn inputs_are_random_and_outputs_poison() {
        for element in [Element::F16, Element::Bf16, Element::F32] {
            let input = operand(element, "(3,(2,4))", "(1,(3,12))", Access::Read);
            assert_eq!(input.values().len(), 24);
            assert!(input.values().iter().all(|value| value.is_finite()));
            assert_eq!(input.coverage(), (0, 0));
            let output = operand(element, "(3,5)", "(8,1)", Access::Write);
            assert!(output.values().iter().all(|value| value.is_nan()));
            assert_eq!(output.coverage(), (15, 0));
        }
    }

    #[test]
    fn matrices_of_a_batch_follow_each_other() {
        let batch = operand(Element::F32, "(2,3,2)", "(3,1,8)", Access::Write);
        let first = [0, 1, 2, 3, 4, 5].map(|i| REDZONE + 4 * i);
        assert_eq!(batch.places(), [first, first.map(|place| place + 32)].concat());
        assert!(batch.is_of(2, 3, Some(2)) && !batch.is_of(2, 3, None));
        let one = operand(Element::F32, "(2,3,2)", "(3,1,0)", Access::Read).values();
        assert_eq!(one[..6], one[6..]);
    }

    #[test]
    fn writes_outside_of_elements_are_seen() {
        let mut output = operand(Element::F16, "(2,2)", "(3,1)", Access::Write);
        for at in [0, REDZONE - 1, REDZONE + 4] {
            output.bytes_mut()[at] = 0;
        }
        assert_eq!(output.coverage(), (4, 3));
    }

    #[test]
    fn memory_is_aligned_as_kernels_assume() {
        let output = operand(Element::Bf16, "(1,1)", "(1,1)", Access::Write);
        assert_eq!(output.bytes()[REDZONE..].as_ptr().align_offset(16), 0);
    }

    #[test]
    fn memory_is_aligned_to_the_alignment_of_the_kernel() {
        for alignment in [2, 4, 8] {
            let argument = argument(Element::F16, "(2,2)", "(2,1)", Access::ReadWrite);
            let argument = Argument { alignment: Some(alignment), ..argument };
            let operand = Operand::new(&argument, &mut Random::new(1), poison).expect("an operand");
            let first = operand.bytes()[operand.start..].as_ptr();
            assert_eq!(first.align_offset(alignment), 0);
            assert_ne!(first.align_offset(2 * alignment), 0);
            assert_eq!(operand.coverage(), (0, 0));
        }
    }

    /// A kernel that moves 16 bytes of `a` at once, run on memory of an alignment.
    fn moves_vectors(alignment: Option<usize>) -> Result<Verdict, String> {
        let registry = melior::dialect::DialectRegistry::new();
        melior::utility::register_all_dialects(&registry);
        let context = melior::Context::new();
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        melior::utility::register_all_llvm_translations(&context);
        let text = "llvm.func @gemm(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) {
            %0 = llvm.load %a {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
            llvm.store %0, %c {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
            llvm.return }";
        let module = Module::parse(&context, text).ok_or("a module")?;
        let of = |name: &str, shape: &str, stride: &str, access: Access| Argument {
            name: name.to_owned(),
            ..argument(Element::F32, shape, stride, access)
        };
        let mut a = of("a", "(4,1)", "(1,1)", Access::Read);
        a.alignment = alignment;
        let args = vec![
            a,
            of("b", "(1,1)", "(1,1)", Access::Read),
            of("c", "(4,1)", "(1,1)", Access::Write),
        ];
        let kernel = Kernel {
            name: "gemm".to_owned(),
            chip: "sm_80".to_owned(),
            grid: [1; 3],
            grid_limit: None,
            cluster: 1,
            block: [32, 1, 1],
            shared_bytes: 0,
            args,
            workspaces: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            dependent_launch: false,
            waits: false,
            scalars: Vec::new(),
            reference: None,
            unordered: false,
            bytes: None,
            flops: None,
            tensor_maps: Vec::new(),
            problem: Some(Problem::Matmul {
                m: 4,
                n: 1,
                k: 1,
                batch: None,
                precision: None,
                epilogue: None,
                window: None,
            }),
        };
        let functions = HostFunctions::compile(&module).map_err(|error| error.to_string())?;
        functions
            .check(&kernel, Options { seed: 1, steps: budget::STEPS })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn vectors_are_where_a_gpu_takes_them() {
        let verdict = moves_vectors(None).expect("a run");
        assert_eq!((verdict.unwritten, verdict.stray), (0, 0));
        assert_eq!(
            moves_vectors(Some(8)),
            Err("expected @gemm to access a at multiples of 16 bytes, found an address 8 bytes past a multiple of 16"
                .to_owned())
        );
        assert_eq!(
            moves_vectors(Some(2)),
            Err("expected @gemm to access a at multiples of 4 bytes, found an address 2 bytes past a multiple of 4"
                .to_owned())
        );
    }

    #[test]
    fn strange_arguments_are_refused() {
        let error = |shape: &str, stride: &str| {
            let argument = argument(Element::F16, shape, stride, Access::Read);
            Operand::new(&argument, &mut Random::new(1), poison)
                .err()
                .expect("an error")
                .to_string()
        };
        assert_eq!(
            error("(2,2,2,2,2)", "(1,2,4,8,16)"),
            "expected a kernel with arguments of rank 2, 3 or 4, found c of (2,2,2,2,2):(1,2,4,8,16)"
        );
        assert_eq!(
            error("(2,2)", "(1,-2)"),
            "expected a kernel with arguments with strides of at least 0, found c of (2,2):(1,-2)"
        );
        assert_eq!(
            error("(2,2)", "(1,4611686018427387904)"),
            "expected a kernel with arguments of at most 2^32 bytes, found c of \
             (2,2):(1,4611686018427387904)"
        );
        assert_eq!(
            error("(4294967296,1)", "(0,1)"),
            "expected a kernel with arguments of at most 2^32 bytes, found c of \
             (4294967296,1):(0,1)"
        );
    }
}
