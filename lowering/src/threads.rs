//! Runs any kernel on this machine's CPU, thread by thread, and reports races.
//!
//! The program that runs is the one that `layout-lower` makes for the kernel's chip: the addresses are the ones that the GPU computes.
//! Threads are coroutines ([`machine`]) that stop at barriers and shuffles; each access to memory is announced before it
//! happens ([`program`]), so that one outside of operands is an error and not a crash, and so that two accesses without an
//! order are seen ([`shadow`]). Where the kernel names a reference, or its facts state a problem, results are compared with it
//! ([`crate::reference`], [`layout_runtime::trial`]).

mod all_reduce;
mod assertions;
mod block_times;
mod blocks;
mod budget;
mod calls;
mod clock;
mod clusters;
mod collectives;
mod conversions;
mod copies;
mod functions;
mod lanes;
mod machine;
mod matrices;
mod mma;
mod multiplicands;
mod orders;
mod origins;
mod patterns;
mod phases;
mod print;
mod program;
mod registers;
mod shadow;
mod slots;
mod statics;
mod tensors;
mod tiles;
mod waits;
mod warpgroups;

use crate::{
    budget::{HINT, check_problem},
    jit::Engine,
    nvptx::{self, Chip},
};
use budget::Budget;
use layout_dialect::tree;
use layout_runtime::{
    data::{Random, other_poison, poison},
    distance::Distance,
    manifest::{Access, Element, Kernel},
    memory,
    trial::{self, Coverage, Expected, Field, ReferenceFn},
};
use machine::{Machine, MissingOrder, Outcome, Place, Region};
use melior::ir::{Attribute, Module, OperationRef, operation::OperationLike};
pub use patterns::{Pattern, Space};
use tensors::Tensor;

/// Poisoned bytes on either side of an operand.
const REDZONE: usize = 4096;

/// Why a kernel was not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The CPU does not run the kernel: what was expected and found.
    #[error("{0}")]
    Refused(String),
    /// The same, at a place in the source, as MLIR prints it.
    #[error("{message}")]
    At {
        /// The place of the operation.
        location: String,
        /// The expectation and the finding.
        message: String,
    },
    /// LLVM or a pass has reported why.
    #[error("expected a kernel that can be compiled for this machine")]
    NotLowered,
    /// MLIR refused an operation; its own diagnostic has been emitted.
    #[error("cannot make a program of a kernel: {0}")]
    Ir(#[from] melior::Error),
    /// A manifest that no launch can be made of.
    #[error("{0}")]
    Launch(#[from] layout_runtime::Error),
    /// More than the kernel's chip has.
    #[error("{0}")]
    Chip(#[from] nvptx::Error),
    /// The system has no memory for a stack.
    #[error("cannot make a stack: {0}")]
    Stack(#[from] std::io::Error),
}

impl Error {
    fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }

    fn at(operation: OperationRef<'_, '_>, message: impl Into<String>) -> Self {
        Self::At { location: operation.location().to_string(), message: message.into() }
    }
}

/// A fault of a kernel, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The place in the source, as MLIR prints it.
    pub location: String,
    /// The expectation and the finding.
    pub message: String,
    /// Other places, each with its message.
    pub notes: Vec<(String, String)>,
}

/// The cost of the accesses at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The place in the source, as MLIR prints it.
    pub location: String,
    /// Whether global memory or a block's.
    pub space: Space,
    /// The figures.
    pub pattern: Pattern,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The distance of the results from those of the reference, if there is one.
    pub distance: Option<Distance>,
    /// Elements of results that were never written.
    pub unwritten: usize,
    /// The first of them.
    pub first_unwritten: Option<String>,
    /// Bytes that are no element of a result and were written.
    pub stray: usize,
    /// Faults and races.
    pub findings: Vec<Finding>,
    /// Races that are not listed.
    pub more_races: u64,
    /// Whether a fault or races ended the run early, so that results are not meaningful.
    pub is_cut_off: bool,
    /// Accesses that take more than they need.
    pub remarks: Vec<Remark>,
    /// The output of `gpu.printf`.
    pub printed: String,
    /// Calls of it whose output found no room.
    pub not_printed: u64,
}

impl Verdict {
    /// Whether nothing was wrong.
    pub fn is_right(&self) -> bool {
        self.unwritten == 0
            && self.stray == 0
            && self.findings.is_empty()
            && self.distance.as_ref().is_none_or(Distance::is_right)
    }
}

/// How a kernel is run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The seed of random operands.
    pub seed: u64,
    /// Whether accesses that take more than they need are noted.
    pub remarks: bool,
    /// The steps of the kernel, and of its reference: [`crate::budget`].
    pub steps: u64,
    /// The different races that end the run.
    pub races: usize,
}

/// Lets functions of `math` in kernels be those of this machine: a GPU's own approximations are not here.
pub fn prepare(module: &Module<'_>) {
    let context = layout_dialect::build::context_of(module.as_operation());
    let Some(exact) = Attribute::parse(context, "#arith.fastmath<none>") else { return };
    for own in tree::inside(module.as_operation(), "gpu.module") {
        for operation in tree::all(own) {
            if tree::name(operation).starts_with("math.") {
                tree::set_attribute(operation, "fastmath", exact);
            }
        }
    }
}

/// Runs a kernel of a module that `layout-lower` has lowered, on random operands, and compares its results with those of a reference, or
/// without one of its problem.
///
/// # Errors
///
/// Operations that only a GPU runs; a launch that is none.
pub fn check(
    module: &Module<'_>,
    kernel: &Kernel,
    reference: Option<&ReferenceFn<'_>>,
    options: Options,
) -> Result<Verdict, Error> {
    Chip::find(&kernel.chip)?.check(kernel)?;
    let [grid, block] = [kernel.grid, kernel.block].map(|extents| {
        extents.iter().try_fold(1_u64, |count, &extent| count.checked_mul(extent.into()))
    });
    if kernel.grid.contains(&0) {
        let (name, grid) = (&kernel.name, kernel.grid);
        return Err(Error::refused(match grid {
            [0, 0, 0] => format!(
                "expected a grid of kernel {name}, found none; give `grid` in layout.kernel or --grid X,Y,Z"
            ),
            _ => format!("expected a grid of @{name} of at least 1 block, found {grid:?}"),
        }));
    }
    let (cluster, along_x) = (kernel.cluster, kernel.grid[0]);
    if !(1..=clusters::MAX_BLOCKS).contains(&cluster) {
        return Err(Error::refused(format!(
            "expected a cluster of @{} of 1 to {} blocks, found {cluster}",
            kernel.name,
            clusters::MAX_BLOCKS
        )));
    }
    if !along_x.is_multiple_of(cluster) {
        return Err(Error::refused(format!(
            "expected blocks of @{} along x that are a multiple of its cluster of {cluster}, found {along_x}",
            kernel.name
        )));
    }
    let threads = grid.zip(block).and_then(|(grid, block)| grid.checked_mul(block));
    let most = options.steps / budget::LONG;
    if threads.is_none_or(|threads| threads > most) {
        return Err(Error::refused(format!(
            "expected @{} to have at most {most} threads, each of which takes {} steps at least, found a grid of {:?} and a block of {:?}; {HINT}",
            kernel.name,
            budget::LONG,
            kernel.grid,
            kernel.block
        )));
    }
    check_problem(kernel, options.steps).map_err(Error::Refused)?;
    if !(kernel.workspaces.is_empty() && kernel.before.is_empty() && kernel.after.is_empty()) {
        return Err(Error::refused(format!(
            "expected a kernel that runs alone, found workspaces or kernels around {}",
            kernel.name
        )));
    }
    let own = tree::inside(module.as_operation(), "gpu.module").into_iter().find(|module| {
        tree::inside(*module, "gpu.func")
            .into_iter()
            .any(|function| tree::symbol(function).is_some_and(|name| name == kernel.name))
    });
    let own = own.ok_or_else(|| {
        Error::refused(format!(
            "expected a gpu.func @{}, found none: run layout-lower first",
            kernel.name
        ))
    })?;
    let program = program::of(own, (&kernel.name, kernel.shared_bytes))?;
    let mut whole = kernel.clone();
    whole.shared_bytes = program.variables.needed();
    Chip::find(&kernel.chip)?.check(&whole)?;
    let engine =
        Engine::unoptimized(&program.module, &calls::functions()).ok_or(Error::NotLowered)?;
    let run = Run { kernel, lowered: own, engine: &engine, program: &program, options };
    let (mut verdict, mut coverage) = run.once(reference, poison)?;
    let differs =
        |own: &layout_runtime::manifest::Argument| other_poison(own.element) != poison(own.element);
    if !verdict.is_cut_off && kernel.args.iter().any(differs) {
        let (other, again) = run.once(reference, other_poison)?;
        if other.is_cut_off {
            return Ok(other);
        }
        coverage = coverage.with(&again);
        verdict.distance = match (verdict.distance, other.distance) {
            (Some(one), Some(other)) if one.worst > other.worst => Some(one),
            (_, other) => other,
        };
    }
    if !verdict.is_cut_off {
        (verdict.unwritten, verdict.stray) = (coverage.unwritten(), coverage.stray);
        let fields = kernel.args.iter().map(Field::new).collect::<Result<Vec<_>, _>>()?;
        verdict.first_unwritten = coverage.first_unwritten(&fields);
    }
    Ok(verdict)
}

/// A kernel that is run.
struct Run<'r, 'c> {
    kernel: &'r Kernel,
    /// Its module, lowered.
    lowered: OperationRef<'r, 'r>,
    engine: &'r Engine,
    program: &'r program::Program<'c>,
    options: Options,
}

/// Memory of an operand, as aligned as it says.
struct Memory {
    /// Words of 16 bytes, and where a multiple of 256 bytes is among them.
    words: Vec<u128>,
    first: usize,
    bytes: usize,
}

impl Memory {
    const ALIGNMENT: usize = 256;

    fn new(field: &Field, contents: &[u8], poison: u8) -> Result<Self, Error> {
        let bytes = 2 * REDZONE + contents.len() + field.start + Self::ALIGNMENT;
        let word = u128::from_ne_bytes([poison; 16]);
        let words = memory::filled(&field.name, word, bytes.div_ceil(16))?;
        let mut memory = Self { words, first: 0, bytes: contents.len() };
        let start = memory.words.as_ptr() as usize;
        memory.first = (start + REDZONE).next_multiple_of(Self::ALIGNMENT) - start + field.start;
        let first = memory.first;
        memory.all_mut()[first..first + contents.len()].copy_from_slice(contents);
        Ok(memory)
    }

    fn all_mut(&mut self) -> &mut [u8] {
        let length = size_of_val(&*self.words);
        // SAFETY: the words' memory, borrowed for as long as the bytes are; any bytes are a word.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), length) }
    }

    fn address(&mut self) -> u64 {
        let first = self.first;
        self.all_mut()[first..].as_mut_ptr() as u64
    }

    /// The contents, and the number of bytes around them that are not poison.
    fn back(&mut self, poison: u8) -> (Vec<u8>, usize) {
        let (first, end) = (self.first, self.first + self.bytes);
        let all = self.all_mut();
        let around = all[..first].iter().chain(&all[end..]);
        (all[first..end].to_vec(), around.filter(|&&byte| byte != poison).count())
    }
}

impl Run<'_, '_> {
    fn once(
        &self,
        reference: Option<&ReferenceFn<'_>>,
        poison: fn(Element) -> u8,
    ) -> Result<(Verdict, Coverage), Error> {
        let mut random = Random::new(self.options.seed);
        let (fields, before) = trial::operands(self.kernel, &mut random, poison)?;
        let kernel = self.kernel.clone().with_random_scalars(&mut random);
        let mut memory: Vec<Memory> = fields
            .iter()
            .zip(&before)
            .map(|(field, contents)| Memory::new(field, contents, poison(field.element)))
            .collect::<Result<_, _>>()?;
        let written = fields.iter().filter(|field| field.access != Access::Read);
        let marks = written.map(|field| field.span() as u64).sum::<u64>();
        let what = format!("the last accesses to each result of @{}", kernel.name);
        memory::check(&what, marks * size_of::<shadow::Mark>() as u64)?;
        let addresses: Vec<u64> = memory.iter_mut().map(Memory::address).collect();
        let regions = fields.iter().zip(&addresses).map(|(field, &first)| Region {
            name: field.name.clone(),
            first,
            end: first + (field.span() * field.element.bytes()) as u64,
            written: field.access != Access::Read,
            element: field.element.bytes(),
        });
        let constants = self.program.constants.iter().map(|own| {
            let first = self.engine.address(&own.name).ok_or(Error::NotLowered)?;
            let (name, end) = (format!("@{}", own.name), first.saturating_add(own.bytes));
            Ok(Region { name, first, end, written: false, element: 1 })
        });
        let constants = constants.collect::<Result<Vec<_>, Error>>()?;
        let mut words = kernel.parameters(&addresses)?;
        // A tensor map has 128 bytes, of which its address is enough here.
        let maps = vec![[0_u64; 16]; kernel.tensor_maps.len()];
        let tensors = maps.iter().zip(&kernel.tensor_maps).map(|(place, map)| Tensor {
            map: map.clone(),
            first: addresses.get(map.arg).copied().unwrap_or(0),
            handle: place.as_ptr() as u64,
        });
        let tensors: Vec<Tensor> = tensors.collect();
        kernel.check_tensor_maps(&addresses)?;
        words.extend(tensors.iter().map(|tensor| tensor.handle));
        let function = self.engine.packed(&kernel.name).ok_or(Error::NotLowered)?;
        let machine = Machine::new(
            (kernel.grid, kernel.block, kernel.cluster),
            (self.program.variables.clone(), self.program.private),
            regions.chain(constants).collect(),
            tensors,
            (self.program.formats.clone(), self.program.texts.clone()),
            (self.options.remarks, self.program.has_proxies),
            (Budget::new(&kernel.name, self.options.steps), self.options.races),
        );
        // SAFETY: the words are those of the kernel's facts; each access that the function makes is looked up before.
        let outcome = machine.run(&|| unsafe { function.call(&words) })?;
        let mut verdict = self.findings(outcome);
        if verdict.is_cut_off {
            return Ok((verdict, Coverage::default()));
        }
        let (mut after, mut strayed) = (Vec::new(), 0);
        for (field, memory) in fields.iter().zip(&mut memory) {
            let (contents, around) = memory.back(poison(field.element));
            after.push(contents);
            strayed += around;
        }
        let mut coverage = Coverage::new(&fields, &before, &after, poison);
        coverage.stray += strayed;
        if reference.is_some() || kernel.problem.is_some() {
            let expected = Expected::new(&kernel, &fields, &before, reference)?;
            verdict.distance = Some(expected.distance(&fields, &after));
        }
        Ok((verdict, coverage))
    }

    /// An argument of integers of any value, which a kernel may take for indices.
    fn unbounded(&self) -> Option<&str> {
        let mut arguments = self.kernel.args.iter();
        let found = arguments.find(|own| {
            let is_read = own.access != Access::Write && own.element.is_integer();
            is_read && own.values.is_none() && own.ascending.is_none()
        });
        found.map(|own| own.name.as_str())
    }

    fn location(&self, place: Place) -> String {
        self.program.sites.get(place.site as usize).cloned().unwrap_or_default()
    }

    fn findings(&self, outcome: Outcome) -> Verdict {
        let mut verdict = Verdict {
            more_races: outcome.more_races,
            printed: outcome.printed.text,
            not_printed: outcome.printed.dropped,
            is_cut_off: outcome.fault.is_some() || outcome.races.len() >= self.options.races,
            ..Verdict::default()
        };
        if let Some(fault) = outcome.fault {
            let notes = fault
                .other
                .map(|(place, text)| (self.location(place), format!("{}: {text}", named(place))));
            let mut message = format!("{}, by {}", fault.message, named(fault.at));
            let is_indexed = || origins::are_loaded(self.lowered, &self.location(fault.at));
            if let Some(argument) = self.unbounded().filter(|_| is_outside(&fault.message))
                && is_indexed()
            {
                message.push_str(&format!(
                    "; elements of {argument} are random, and an entry `values` of layout.kernel bounds them"
                ));
            }
            if outcome.exceeds {
                message.push_str(&format!("; {HINT}"));
            }
            verdict.findings.push(Finding {
                location: self.location(fault.at),
                message,
                notes: notes.into_iter().collect(),
            });
        }
        for race in outcome.races {
            let verb = if race.stores { "stores to" } else { "loads from" };
            let times = if race.count > 1 {
                format!(", {} times in all", race.count)
            } else {
                String::new()
            };
            let (expected, found) = match race.lack {
                MissingOrder::Barrier => ("a barrier between two accesses", "a race"),
                MissingOrder::Copied => {
                    ("a wait for an asynchronous copy before an access of its bytes", "none")
                }
                MissingOrder::Read => {
                    ("a wait for an asynchronous read before a store to its bytes", "none")
                }
                MissingOrder::Fence => (
                    "a fence.proxy.async between a store and an asynchronous read of its bytes",
                    "none",
                ),
            };
            let says = match (race.lack, race.stores) {
                (MissingOrder::Copied, _) => "copies to it here, and does not wait for the copy",
                (MissingOrder::Read, _) => "reads it here, and does not wait for the read",
                (MissingOrder::Fence, _) => "stores to it here, and no proxy fence follows",
                (MissingOrder::Barrier, true) => "accesses it here, unordered with that access",
                (MissingOrder::Barrier, false) => "stores to it here, unordered with that access",
            };
            verdict.findings.push(Finding {
                location: self.location(race.second),
                message: format!(
                    "expected {expected}, found {found}: {} {verb} byte {} of {} here{times}",
                    named(race.second),
                    race.byte,
                    race.memory
                ),
                notes: vec![(self.location(race.first), format!("{} {says}", named(race.first)))],
            });
        }
        verdict.remarks = outcome
            .patterns
            .into_iter()
            .filter(|(_, _, pattern)| pattern.taken > pattern.needed)
            .map(|(site, space, pattern)| Remark {
                location: self.program.sites.get(site as usize).cloned().unwrap_or_default(),
                space,
                pattern,
            })
            .collect();
        verdict
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.is_cut_off, &self.distance) {
            (true, _) => {
                return f.write_str("stopped at the first error, before its results: WRONG");
            }
            (_, Some(distance)) => {
                write!(
                    f,
                    "relative error {:.2e} against its reference in float64 (at most {:.1e}), {}",
                    distance.relative,
                    distance.tolerance,
                    distance.of_bound()
                )?;
                if !distance.is_right() {
                    write!(f, " ({})", distance.worst_element())?;
                }
            }
            (_, None) => write!(f, "no reference")?,
        }
        let (unwritten, stray) = (self.unwritten, self.stray);
        let races = self.findings.len() as u64 + self.more_races;
        write!(f, ", {unwritten} elements unwritten")?;
        if let Some(first) = self.first_unwritten.as_ref().filter(|_| unwritten > 0) {
            write!(f, ", or computed from memory that nothing wrote (the first: {first})")?;
        }
        write!(f, ", {stray} stray bytes, {races} races: ")?;
        f.write_str(if self.is_right() { "right" } else { "WRONG" })
    }
}

/// Whether a fault is an access of memory that is not the kernel's.
fn is_outside(message: &str) -> bool {
    message.starts_with("expected an access of") && !message.contains("at a multiple of")
}

/// A thread in words.
fn named(place: Place) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    format!("thread {} of block {}", triple(place.thread), triple(place.block))
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Pattern { requests, taken, needed } = self.pattern;
        let each = taken as f64 / requests.max(1) as f64;
        match self.space {
            Space::Shared => write!(
                f,
                "bank conflicts: {taken} wavefronts of shared memory where {needed} suffice, {each:.1} for each of \
                 {requests} requests"
            ),
            Space::Global => write!(
                f,
                "access is not coalesced: {taken} sectors of 32 bytes where {needed} suffice, {each:.1} for each of \
                 {requests} requests"
            ),
        }
    }
}
