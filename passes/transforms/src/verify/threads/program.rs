//! A trace as a program of accesses and barriers, each with what its forms need.

use crate::verify::{
    trace::{Access, Claim, Condition, Coordinate, Copy, Event, Kind, Point, Root, Trace},
    view::{Behind, View},
};
use layout_algebra::{Layout, Swizzle};
use layout_dialect::{Space, atoms::CopyKind};
use layout_relation::IndexForm;
use std::collections::{BTreeMap, BTreeSet};

/// Elements of a copy that are looked at.
const ELEMENTS: i64 = 1 << 16;

/// One side of a copy.
pub(super) struct Touch<'t> {
    pub(super) root: &'t Root,
    pub(super) memory: String,
    pub(super) store: bool,
    pub(super) asynchronous: bool,
    /// Whether other accesses to the memory are looked at too.
    pub(super) follows: bool,
    pub(super) base: &'t IndexForm,
    pub(super) behind: Outside,
    /// Of each element, before what it is behind.
    pub(super) offsets: Vec<i64>,
    pub(super) guards: Vec<(&'t IndexForm, Vec<i64>, i64)>,
    pub(super) around: &'t [Condition],
    pub(super) threads: Option<i64>,
    pub(super) coordinates: &'t [Coordinate],
    pub(super) domain: &'t [Condition],
    /// Elements that there are.
    pub(super) bounds: Option<(i64, i64)>,
    /// Bytes of an element, and of a step of its address.
    bytes: i64,
    step: i64,
    /// Bytes that are noted together.
    unit: i64,
    pub(super) operation: usize,
    pub(super) event: u32,
}

impl Touch<'_> {
    pub(super) fn does(&self) -> &'static str {
        if self.store { "a store" } else { "a load" }
    }

    /// The units of memory of an element: the first, and how many.
    pub(super) fn units(&self, element: i64) -> (i64, i64) {
        let first = element.saturating_mul(self.step).div_euclid(self.unit);
        (first, (self.bytes / self.unit).max(1))
    }
}

/// What an offset goes through last, in numbers.
pub(super) enum Outside {
    Nothing,
    Swizzle(Swizzle),
    Layout(Vec<(i64, i64)>),
}

impl Outside {
    fn of(behind: &Behind) -> Option<Self> {
        Some(match behind {
            Behind::Nothing => Self::Nothing,
            Behind::Swizzle(swizzle) => Self::Swizzle(*swizzle),
            Behind::Layout(modes) => Self::Layout(
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

pub(super) enum Node<'t> {
    Touch(Box<Touch<'t>>),
    Barrier(&'t [Condition], usize),
    /// A barrier of a warp.
    Warp,
    Commit,
    Wait(usize),
    Loop {
        bounds: &'t [IndexForm; 3],
        symbol: u32,
        body: Vec<Node<'t>>,
        has_barrier: bool,
    },
    Claim(&'t Claim),
    /// Something that is not followed.
    Lost,
}

/// What a function's threads do.
pub(super) struct Program<'t> {
    pub(super) nodes: Vec<Node<'t>>,
    lost: BTreeSet<String>,
    operations: Vec<usize>,
    whole: bool,
    roots: BTreeSet<Root>,
    extents: &'t [Option<i64>],
}

impl<'t> Program<'t> {
    pub(super) fn of(trace: &'t Trace) -> Self {
        let mut builder = Builder {
            trace,
            excluded: excluded(trace),
            units: units(trace),
            loops: Vec::new(),
            stack: vec![Vec::new()],
            lost: BTreeSet::new(),
            operations: Vec::new(),
            roots: BTreeSet::new(),
            pipeline: false,
        };
        for event in &trace.events {
            if !builder.event(event) {
                break;
            }
        }
        // What stands in a loop that does not end was not followed.
        let mut nodes = std::mem::take(&mut builder.stack[0]);
        for claim in &trace.claims {
            match builder.follows(&claim.form) && builder.all_follow(&claim.around) {
                true => nodes.insert(0, Node::Claim(claim)),
                false => {
                    builder.lost.insert(format!(
                        "an integer that a type says more of than is proved, {}",
                        claim.form
                    ));
                }
            }
        }
        if let Some(number) = trace.given.taken.first() {
            builder.lost.insert(format!(
                "{} is taken to be what a layout.make says of it",
                crate::verify::compare::symbol_name(*number)
            ));
        }
        Self {
            nodes,
            whole: builder.lost.is_empty(),
            lost: builder.lost,
            operations: builder.operations,
            roots: builder.roots,
            extents: &trace.extents,
        }
    }

    pub(super) fn touches_memory(&self) -> bool {
        !self.nodes.is_empty() || !self.lost.is_empty()
    }

    pub(super) fn not_followed(&self) -> impl Iterator<Item = &String> {
        self.lost.iter()
    }

    /// Whether all accesses are looked at.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    pub(super) fn roots(&self) -> BTreeSet<Root> {
        self.roots.clone()
    }

    pub(super) fn operation(&self, event: u32) -> usize {
        self.operations.get(event as usize).copied().unwrap_or(0)
    }

    /// Accesses of a block, with so many rounds of each loop at most.
    pub(super) fn cost(&self, threads: i64, rounds: i64) -> u64 {
        self.cost_of(&self.nodes, rounds).saturating_mul(threads.unsigned_abs())
    }

    fn cost_of(&self, nodes: &[Node<'_>], rounds: i64) -> u64 {
        let one = |node: &Node<'_>| match node {
            Node::Touch(touch) => touch.offsets.len() as u64,
            Node::Loop { symbol, body, .. } => {
                let own = self.extents.get(*symbol as usize).copied().flatten();
                let own = own.unwrap_or(i64::MAX).min(rounds.saturating_add(1)).max(0);
                self.cost_of(body, rounds).max(1).saturating_mul(own.unsigned_abs())
            }
            _ => 1,
        };
        nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(one(node)))
    }
}

/// Memory that the copy engine or the matrix engine touches, or a pipeline.
fn excluded(trace: &Trace) -> BTreeSet<Root> {
    let mut all = BTreeSet::new();
    let mut inside = false;
    for event in &trace.events {
        match event {
            Event::Point(point, _) => inside = !matches!(point, Point::End),
            Event::Copy(copy) if inside || copy.kind.is_bulk() => {
                all.extend(
                    [&copy.source, &copy.target].into_iter().flatten().map(|v| v.root.clone()),
                );
            }
            Event::Views(_, views) => all.extend(views.iter().map(|view| view.root.clone())),
            _ => {}
        }
    }
    all
}

/// For each memory, bytes that divide all that is touched at once and all addresses.
fn units(trace: &Trace) -> BTreeMap<Root, i64> {
    let mut all: BTreeMap<Root, i64> = BTreeMap::new();
    let mut note = |root: &Root, bytes: i64| {
        let unit = all.entry(root.clone()).or_insert(bytes);
        *unit = gcd(*unit, bytes);
    };
    for event in &trace.events {
        match event {
            Event::Copy(copy) => {
                for view in [&copy.source, &copy.target].into_iter().flatten() {
                    note(&view.root, view.bytes);
                }
            }
            Event::Access(access) => {
                note(&access.root, gcd(access.bytes, access.address.divisor()));
            }
            _ => {}
        }
    }
    all
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.wrapping_abs() } else { gcd(b, a.wrapping_rem(b)) }
}

struct Builder<'t> {
    trace: &'t Trace,
    excluded: BTreeSet<Root>,
    units: BTreeMap<Root, i64>,
    /// Loops around: what stands before each, and its event.
    loops: Vec<(&'t [IndexForm; 3], Option<u32>)>,
    stack: Vec<Vec<Node<'t>>>,
    lost: BTreeSet<String>,
    operations: Vec<usize>,
    roots: BTreeSet<Root>,
    pipeline: bool,
}

impl<'t> Builder<'t> {
    fn push(&mut self, node: Node<'t>) {
        if let Some(last) = self.stack.last_mut() {
            last.push(node);
        }
    }

    fn lose(&mut self, what: impl Into<String>) {
        self.lost.insert(what.into());
        self.push(Node::Lost);
    }

    /// Whether a form has a value at a thread.
    fn follows(&self, form: &IndexForm) -> bool {
        let active = |symbol: u32| self.loops.iter().any(|&(_, own)| own == Some(symbol));
        form.symbols().into_iter().all(|symbol| symbol < 7 || active(symbol))
    }

    fn all_follow(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|(form, _)| self.follows(form))
    }

    /// Whether what comes behind the event is followed.
    fn event(&mut self, event: &'t Event) -> bool {
        match event {
            Event::Copy(copy) => self.copy(copy),
            Event::Access(access) => self.access(access),
            Event::Sync(name, around, operation) => self.barrier(name, around, *operation),
            Event::Open(bounds, symbol) => {
                self.loops.push((bounds, *symbol));
                self.stack.push(Vec::new());
            }
            Event::Close => self.close(),
            Event::Instruction(instruction) if instruction.name.starts_with("nvvm.bar.warp") => {
                self.push(Node::Warp);
            }
            Event::Instruction(instruction) if instruction.name.starts_with("nvvm.fence") => {}
            Event::Instruction(instruction) => self.lose(instruction.name.clone()),
            Event::Point(point, _) => {
                self.pipeline = !matches!(point, Point::End);
                if matches!(point, Point::Begin(_)) {
                    self.lost.insert("memory that a pipeline touches".to_owned());
                }
                self.push(Node::Lost);
            }
            Event::Views(name, _) => {
                self.lost.insert(format!("memory that {name} reads"));
            }
            Event::Handed(name, _) if name.starts_with("block ") => {
                self.lose("branches between blocks");
                return false;
            }
            Event::Handed(name, _) if name == "func.call" => {
                if let Some(callee) = self.trace.calls.first() {
                    self.lose(format!("a call of @{callee}"));
                }
            }
            Event::Handed(..) => {}
            Event::Unmodelled(what) => {
                self.lose(what.clone());
                return !what.contains("bounds are not known");
            }
        }
        true
    }

    fn close(&mut self) {
        let (Some((bounds, symbol)), Some(body)) = (self.loops.pop(), self.stack.pop()) else {
            return;
        };
        let symbol = symbol.filter(|_| bounds.iter().all(|bound| self.follows(bound)));
        let Some(symbol) = symbol else {
            if !body.is_empty() {
                self.lose("a loop whose rounds are not counted");
            }
            return;
        };
        let has_barrier = body.iter().any(|node| match node {
            Node::Barrier(..) | Node::Wait(_) | Node::Lost | Node::Warp => true,
            Node::Loop { has_barrier, .. } => *has_barrier,
            _ => false,
        });
        if !body.is_empty() {
            self.push(Node::Loop { bounds, symbol, body, has_barrier });
        }
    }

    fn barrier(&mut self, name: &str, around: &'t [Condition], operation: usize) {
        if !self.all_follow(around) {
            return self.lose("a barrier under a condition that is not known");
        }
        let left = name.rsplit(' ').next().and_then(|left| left.parse().ok());
        match name {
            "gpu.barrier" | "nvvm.barrier" => {
                self.push(Node::Barrier(around, operation));
            }
            "nvvm.cp.async.commit.group" => self.push(Node::Commit),
            _ if name.starts_with("nvvm.cp.async.wait.group") => {
                self.push(Node::Wait(left.unwrap_or(0)));
            }
            _ if name.contains("bulk") => {}
            _ => self.lose(name.to_owned()),
        }
    }

    fn copy(&mut self, copy: &'t Copy) {
        if copy.kind.is_bulk() {
            self.lost.insert("memory that bulk copies touch".to_owned());
            return;
        }
        let zeros = copy
            .target
            .as_ref()
            .is_some_and(|target| matches!(target.space, Space::Shared | Space::Register));
        for (view, store) in [(&copy.source, false), (&copy.target, true)] {
            let Some(view) = view else { continue };
            if view.root == Root::Nothing {
                continue;
            }
            let guarded = !store || !zeros;
            match self.side(copy, view, store, guarded) {
                Some(touch) => self.push(Node::Touch(Box::new(touch))),
                None => {
                    if !matches!(view.root, Root::Register(_)) {
                        self.lose(format!(
                            "{} at {}, which depends on what is not known",
                            if store { "a store" } else { "a load" },
                            copy.place
                        ));
                    }
                }
            }
        }
    }

    fn side(
        &mut self,
        copy: &'t Copy,
        view: &'t View,
        store: bool,
        guarded: bool,
    ) -> Option<Touch<'t>> {
        let followed = self.follows(&view.base)
            && self.all_follow(&copy.around)
            && self.all_follow(&view.domain)
            && view.coordinates.iter().all(|coordinate| self.follows(&coordinate.index));
        if !followed {
            return None;
        }
        let mut guards = Vec::new();
        for (guard, limit) in copy.guards.iter().filter(|_| guarded) {
            (guard.behind.is_nothing() && self.follows(&guard.base)).then_some(())?;
            guards.push((&guard.base, offsets(&guard.layout)?, *limit));
        }
        let bounds = match (&view.root, &view.behind) {
            (Root::Argument(number), _) => self.trace.reaches.get(*number).copied().flatten(),
            (Root::Buffer(number) | Root::Register(number), Behind::Nothing) => {
                let bytes = self.trace.buffers.get(*number).copied();
                bytes.filter(|&bytes| bytes > 0).map(|bytes| (0, bytes))
            }
            _ => None,
        };
        let bytes = view.bytes.max(1);
        let bounds = bounds.map(|(from, to)| (from.div_euclid(bytes), to.div_euclid(bytes)));
        let asynchronous = store && copy.kind == CopyKind::CpAsync;
        Some(self.noted(Touch {
            root: &view.root,
            memory: memory(&view.root),
            store,
            asynchronous,
            follows: self.are_followed(&view.root),
            base: &view.base,
            behind: Outside::of(&view.behind)?,
            offsets: offsets(&view.layout)?,
            guards,
            around: &copy.around,
            threads: copy.threads,
            coordinates: &view.coordinates,
            domain: &view.domain,
            bounds,
            bytes,
            step: bytes,
            unit: self.units.get(&view.root).copied().unwrap_or(1).max(1),
            operation: copy.operation,
            event: 0,
        }))
    }

    /// Whether other accesses to a memory are followed as well.
    fn are_followed(&self, root: &Root) -> bool {
        !self.pipeline
            && !self.excluded.contains(root)
            && matches!(root, Root::Argument(_) | Root::Buffer(_) | Root::Shared)
    }

    fn noted(&mut self, touch: Touch<'t>) -> Touch<'t> {
        let event = u32::try_from(self.operations.len()).unwrap_or(u32::MAX);
        self.operations.push(touch.operation);
        if touch.follows {
            self.roots.insert(touch.root.clone());
        }
        Touch { event, ..touch }
    }

    fn access(&mut self, access: &'t Access) {
        if matches!(access.root, Root::Register(_) | Root::Nothing) {
            return;
        }
        if !self.follows(&access.address) || !self.all_follow(&access.guards) {
            return self.lose("an access that depends on what is not known");
        }
        let store = matches!(access.kind, Kind::Store | Kind::StoreMatrix);
        let touch = Touch {
            root: &access.root,
            memory: memory(&access.root),
            store,
            asynchronous: false,
            follows: self.are_followed(&access.root),
            base: &access.address,
            behind: Outside::Nothing,
            offsets: vec![0],
            guards: Vec::new(),
            around: &access.guards,
            threads: None,
            coordinates: &[],
            domain: &[],
            bounds: None,
            bytes: access.bytes,
            step: 1,
            unit: self.units.get(&access.root).copied().unwrap_or(1).max(1),
            operation: access.operation,
            event: 0,
        };
        let touch = self.noted(touch);
        self.push(Node::Touch(Box::new(touch)));
    }
}

/// The offset of each element of a layout.
fn offsets(layout: &Layout) -> Option<Vec<i64>> {
    let size = layout.size();
    (size <= ELEMENTS).then_some(())?;
    (0..size).map(|at| layout.at(at).ok()).collect()
}

/// Memory in words.
fn memory(root: &Root) -> String {
    match root {
        Root::Argument(number) => format!("argument {number}"),
        Root::Buffer(number) | Root::Register(number) => format!("buffer {number}"),
        Root::Shared | Root::Nothing => "shared memory".to_owned(),
    }
}
