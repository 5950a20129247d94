//! A trace as a program of accesses and barriers, each with what its forms need.

use super::{
    build::Builder,
    clock::Key,
    engines::Matrix,
    repeats::{self, Blocks, Repeats},
};
use crate::verify::{
    Gap,
    data_flow::Flow,
    follow::{Collective, Compute},
    matrices::MatrixRows,
    trace::{Claim, Condition, Coordinate, Copy, Root, Trace},
    view::OuterPart,
};
use layout_algebra::Swizzle;
use layout_relation::IndexForm;
use std::collections::BTreeSet;

/// The threads that execute an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadSet<'t> {
    /// From the first on, below the second.
    pub(super) threads: (i64, i64),
    /// Only the first thread of each group of this many.
    pub(super) every: i64,
    pub(super) around: &'t [Condition],
}

/// An actor: a thread, or what it begins beside it.
#[derive(Clone, Copy, Debug)]
pub(super) enum By<'t> {
    Thread,
    /// A thread, at once with all others that do the same.
    Atomic,
    /// `cp.async`.
    Async,
    /// A bulk copy, which completes at a barrier, and its bytes.
    Bulk(Signal<'t>, i64),
    /// A bulk copy that a group completes.
    BulkGroup,
    /// MMAs of a warpgroup, which a group completes.
    Mmas,
}

/// A barrier that is arrived at or waited for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal<'t> {
    /// The `mbarrier` at an address in shared memory, or the one of a number in a buffer.
    At(Option<usize>, &'t IndexForm),
    /// A stage's of a pipeline, by the step.
    Full(Ring, &'t IndexForm),
    Empty(Ring, &'t IndexForm),
}

impl Signal<'_> {
    pub(super) fn form(&self) -> &IndexForm {
        match self {
            Signal::At(_, form) | Signal::Full(_, form) | Signal::Empty(_, form) => form,
        }
    }

    /// Which one, where its form has this value; and of a step the round of its stage.
    pub(super) fn at(&self, value: i64) -> (Key, i64) {
        match self {
            Signal::At(buffer, _) => (Key::At(*buffer, value), 0),
            Signal::Full(ring, _) => {
                let stages = ring.stages.max(1);
                (Key::Full(ring.number, value.rem_euclid(stages)), value.div_euclid(stages))
            }
            Signal::Empty(ring, _) => {
                let stages = ring.stages.max(1);
                (Key::Empty(ring.number, value.rem_euclid(stages)), value.div_euclid(stages))
            }
        }
    }
}

/// The stages of a pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) number: usize,
    pub(super) stages: i64,
    /// Threads that read a stage.
    pub(super) readers: i64,
}

/// One side of a copy.
pub(super) struct CopyAccess<'t> {
    pub(super) root: &'t Root,
    pub(super) memory: String,
    pub(super) store: bool,
    pub(super) by: By<'t>,
    /// Whether it changes what an element holds.
    pub(super) combines: bool,
    /// Whether other accesses to the memory are examined too.
    pub(super) follows: bool,
    pub(super) base: &'t IndexForm,
    pub(super) places: Places,
    pub(super) predicates: Vec<(&'t IndexForm, Vec<i64>, i64)>,
    pub(super) who: ThreadSet<'t>,
    pub(super) coordinates: &'t [Coordinate],
    pub(super) domain: &'t [Condition],
    /// Elements that there are.
    pub(super) bounds: Option<(i64, i64)>,
    /// Bytes of an element, and of a step of its address.
    pub(super) bytes: i64,
    pub(super) step: i64,
    /// Bytes that are noted together.
    pub(super) unit: i64,
    /// The number that is stored, where it is one of a program.
    pub(super) value: Option<&'t IndexForm>,
    /// Elements that are touched from each offset on.
    pub(super) wide: i64,
    /// Elements that an instruction moves; the first is at a multiple of their number.
    pub(super) run: i64,
    /// Which lanes hold the elements of a row; none where each lane holds the elements that it addresses.
    pub(super) rows: Option<MatrixRows>,
    pub(super) operation: usize,
    pub(super) event: u32,
}

impl CopyAccess<'_> {
    /// The unit that its places count.
    pub(super) fn counts(&self) -> &'static str {
        if self.step == 1 { "byte" } else { "element" }
    }

    pub(super) fn does(&self) -> &'static str {
        if self.store { "a store" } else { "a load" }
    }

    /// The units of memory of an element: the first, and how many.
    pub(super) fn units(&self, element: i64) -> (i64, i64) {
        let first = element.saturating_mul(self.step).div_euclid(self.unit);
        (first, (self.bytes / self.unit).max(1))
    }
}

/// Which elements are touched, from a base on.
pub(super) enum Places {
    /// At these offsets, under a swizzle or a layout.
    Offsets(Vec<i64>, Outside),
    /// Those that a matrix descriptor names, which is the base.
    Matrix(Matrix),
}

impl Places {
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Offsets(offsets, _) => offsets.len(),
            Self::Matrix(matrix) => matrix.count(),
        }
    }
}

/// The function that an offset goes through last, in numbers.
#[derive(PartialEq)]
pub(super) enum Outside {
    Nothing,
    Swizzle(Swizzle),
    Layout(Vec<(i64, i64)>),
}

impl Outside {
    pub(super) fn of(outer: &OuterPart) -> Option<Self> {
        Some(match outer {
            OuterPart::Nothing => Self::Nothing,
            OuterPart::Swizzle(swizzle) => Self::Swizzle(*swizzle),
            OuterPart::Layout(modes) => Self::Layout(
                modes
                    .iter()
                    .map(|[extent, stride]| Some((extent.as_constant()?, stride.as_constant()?)))
                    .collect::<Option<_>>()?,
            ),
        })
    }

    pub(super) fn at(&self, offset: i64) -> Option<i64> {
        match self {
            Self::Nothing => Some(offset),
            Self::Swizzle(swizzle) => {
                let lowest = swizzle.base.checked_add(swizzle.shift.max(0).unsigned_abs())?;
                let mask = 1_i64.checked_shl(swizzle.bits)?.checked_sub(1)?.checked_shl(lowest)?;
                let bits = offset & mask;
                Some(match swizzle.shift {
                    shift @ 0.. => offset ^ bits >> shift.unsigned_abs().min(63),
                    shift => offset ^ bits.checked_shl(shift.unsigned_abs())?,
                })
            }
            Self::Layout(modes) => {
                let (mut rest, mut sum) = (offset, 0_i64);
                for (at, &(extent, stride)) in modes.iter().enumerate() {
                    let mut digit = rest;
                    if at + 1 < modes.len() {
                        digit = rest.checked_rem(extent)?;
                        rest /= extent;
                    }
                    sum = sum.checked_add(digit.checked_mul(stride)?)?;
                }
                Some(sum)
            }
        }
    }
}

/// Groups of what works beside the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Groups {
    Async,
    Bulk,
    Mmas,
}

pub(super) enum Node<'t> {
    Touch(Box<CopyAccess<'t>>),
    /// All threads of the block meet.
    Barrier(ThreadSet<'t>, usize),
    /// The given number of threads meet; else all.
    Numbered {
        who: ThreadSet<'t>,
        number: &'t IndexForm,
        count: Option<&'t IndexForm>,
        /// Whether the threads that arrive wait too.
        waits: bool,
        operation: usize,
    },
    /// A barrier of a warp: the mask of its lanes, and the operation; else all that come.
    Warp(ThreadSet<'t>, Option<(&'t IndexForm, usize)>),
    /// All threads of a warp, or warpgroup, do something at once.
    Collective(ThreadSet<'t>, &'t Collective),
    /// A proxy fence.
    Fence(ThreadSet<'t>),
    Commit(Groups, ThreadSet<'t>),
    /// All groups but the last ones are done.
    Wait(Groups, ThreadSet<'t>, u32),
    /// An `mbarrier` is initialised with an arrival count.
    Make {
        who: ThreadSet<'t>,
        signal: Signal<'t>,
        count: &'t IndexForm,
    },
    Retire {
        who: ThreadSet<'t>,
        signal: Signal<'t>,
    },
    /// Integers are computed.
    Compute(&'t Compute),
    /// The barriers of a pipeline are made, and all threads meet.
    Ring(Ring, ThreadSet<'t>, usize),
    Arrive(Box<Arrive<'t>>),
    /// Until the phase of a parity has ended, or of a pipeline's step.
    Await {
        who: ThreadSet<'t>,
        signal: Signal<'t>,
        parity: Option<&'t IndexForm>,
        operation: usize,
    },
    Loop {
        bounds: &'t [IndexForm; 3],
        symbol: u32,
        body: Vec<Node<'t>>,
        has_barrier: bool,
        /// Threads of which some may do something inside.
        threads: (i64, i64),
        /// Conditions on a thread's number without which it does nothing inside.
        around: Vec<Condition>,
        /// The conditions under which a thread is in a round, the loop's own last, where the loop is one of a program.
        live: Option<&'t [Condition]>,
        /// How its rounds repeat, where they do.
        repeats: Option<Repeats>,
    },
    Claim(&'t Claim),
    /// Data goes from registers or memory to others.
    Data(ThreadSet<'t>, Data<'t>),
    /// Something that is not followed; whether threads may wait for each other in it.
    Lost(bool),
}

/// How data goes, of a copy or between values; with the access that reads it: its number, and the unit of its memory.
pub(super) struct Data<'t> {
    pub(super) flow: Option<&'t Flow>,
    pub(super) copy: Option<&'t Copy>,
    pub(super) source: Option<(u32, i64)>,
}

pub(super) struct Arrive<'t> {
    pub(super) who: ThreadSet<'t>,
    pub(super) signal: Signal<'t>,
    /// One where it is not stated.
    pub(super) count: Option<&'t IndexForm>,
    /// Bytes that are expected.
    pub(super) bytes: Option<&'t IndexForm>,
    /// Whether the warpgroup's MMAs are done when this is seen.
    pub(super) mmas: bool,
    pub(super) operation: usize,
}

impl<'t> Node<'t> {
    /// Which threads do it.
    pub(super) fn who(&self) -> Option<ThreadSet<'t>> {
        match self {
            Self::Touch(touch) => Some(touch.who),
            Self::Barrier(who, _)
            | Self::Numbered { who, .. }
            | Self::Warp(who, _)
            | Self::Collective(who, _)
            | Self::Fence(who)
            | Self::Commit(_, who)
            | Self::Wait(_, who, _)
            | Self::Make { who, .. }
            | Self::Retire { who, .. }
            | Self::Ring(_, who, _)
            | Self::Data(who, _)
            | Self::Await { who, .. } => Some(*who),
            Self::Arrive(arrive) => Some(arrive.who),
            Self::Loop { .. } | Self::Claim(_) | Self::Lost(_) | Self::Compute(_) => None,
        }
    }
}

/// The program of a function's threads.
pub(super) struct Program<'t> {
    pub(super) nodes: Vec<Node<'t>>,
    lost: Vec<Gap>,
    /// For each access: its operation, its agent, and whether the lanes of a warp make it together.
    operations: Vec<(usize, By<'t>, bool)>,
    /// The accesses whose data is followed.
    pub(super) followed: BTreeSet<u32>,
    whole: bool,
    /// Whether threads wait for each other one by one, so that they continue at their own times.
    pub(super) phases: bool,
    roots: BTreeSet<Root>,
    /// Memory that integers of the program are loaded from.
    pub(super) read: BTreeSet<Root>,
    extents: &'t [Option<i64>],
    /// How blocks differ.
    pub(super) blocks: Blocks,
}

impl<'t> Program<'t> {
    pub(super) fn of(trace: &'t Trace) -> Self {
        let mut builder = Builder::new(trace);
        for event in &trace.events {
            if !builder.event(event) {
                break;
            }
        }
        // A loop that does not end was not followed.
        let mut nodes = std::mem::take(&mut builder.stack[0]);
        for claim in &trace.claims {
            match builder.follows(&claim.form) && builder.all_follow(&claim.around) {
                true => nodes.insert(0, Node::Claim(claim)),
                false => {
                    let what = format!(
                        "an integer of which a type states more than is proved, {}",
                        claim.form
                    );
                    builder.note(Gap { what, at: Some(claim.operation) });
                }
            }
        }
        if let Some(number) = trace.given.taken.first() {
            let name = trace.symbol(*number);
            builder.note(format!("{name} is taken to be what a layout.make states of it").into());
        }
        repeats::find(&mut nodes, &trace.extents);
        Self {
            blocks: Blocks::of(&nodes, &trace.extents),
            phases: nodes.iter().any(waits),
            nodes,
            whole: builder.lost.is_empty(),
            lost: builder.lost,
            operations: builder.operations,
            followed: builder.followed,
            roots: builder.roots,
            read: builder.read,
            extents: &trace.extents,
        }
    }

    pub(super) fn touches_memory(&self) -> bool {
        !self.nodes.is_empty() || !self.lost.is_empty()
    }

    pub(super) fn not_followed(&self) -> impl Iterator<Item = &Gap> {
        self.lost.iter()
    }

    /// Whether all accesses are examined.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    pub(super) fn roots(&self) -> BTreeSet<Root> {
        self.roots.clone()
    }

    pub(super) fn operation(&self, event: u32) -> usize {
        self.operations.get(event as usize).map_or(0, |&(operation, ..)| operation)
    }

    /// The actor of an access.
    pub(super) fn by(&self, event: u32) -> By<'t> {
        self.operations.get(event as usize).map_or(By::Thread, |&(_, by, _)| by)
    }

    /// Whether the lanes of a warp make an access together.
    pub(super) fn is_of_warp(&self, event: u32) -> bool {
        self.operations.get(event as usize).is_some_and(|&(.., is_of_warp)| is_of_warp)
    }

    /// Accesses of a block, with at most `rounds` iterations of each loop.
    pub(super) fn cost(&self, threads: i64, rounds: i64) -> u64 {
        self.cost_of(&self.nodes, threads, rounds)
    }

    fn cost_of(&self, nodes: &[Node<'_>], threads: i64, rounds: i64) -> u64 {
        let one = |node: &Node<'_>| match node {
            Node::Touch(touch) => {
                let own = (threads / touch.who.every.max(1)).max(1).unsigned_abs();
                (touch.places.count() as u64).saturating_mul(own)
            }
            Node::Loop { symbol, body, repeats, .. } => {
                let own = self.extents.get(*symbol as usize).copied().flatten();
                let examined = repeats.map_or(rounds.saturating_add(1), |own| own.walked(rounds));
                let own = own.unwrap_or(i64::MAX).min(examined).max(0);
                self.cost_of(body, threads, rounds).max(1).saturating_mul(own.unsigned_abs())
            }
            Node::Data(..) => 0,
            _ => threads.unsigned_abs(),
        };
        nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(one(node)))
    }
}

/// Whether threads wait in a node for some others.
fn waits(node: &Node<'_>) -> bool {
    match node {
        Node::Numbered { .. }
        | Node::Make { .. }
        | Node::Retire { .. }
        | Node::Ring(..)
        | Node::Arrive(_)
        | Node::Await { .. } => true,
        Node::Loop { body, .. } => body.iter().any(|node| waits(node) || computes(node)),
        _ => false,
    }
}

/// Whether integers are computed in a node, which no round of a loop may be left out for.
fn computes(node: &Node<'_>) -> bool {
    match node {
        Node::Compute(compute) => !compute.symbols.is_empty(),
        Node::Loop { body, .. } => body.iter().any(computes),
        _ => false,
    }
}

/// Memory in words.
pub(super) fn memory(root: &Root) -> String {
    match root {
        Root::Argument(number) => format!("argument {number}"),
        Root::Buffer(number) | Root::Register(number) => format!("buffer {number}"),
        Root::Shared | Root::Nothing => "shared memory".to_owned(),
    }
}
