//! From a trace's events to a program's nodes.

use super::{
    program::{
        Arrive, By, CopyAccess, Data, Groups, Node, Outside, Places, Ring, Signal, ThreadSet,
        memory,
    },
    units::{ELEMENTS, closed, not_followed, offsets, units},
};
use crate::verify::{
    Gap,
    follow::{COMPUTED, Number, Step},
    matrices::MatrixRows,
    mmas::ASYNC,
    trace::{Access, Condition, Copy, Event, Kind, Point, Root, Trace},
    view::View,
};
use layout_dialect::{
    Space,
    atoms::{CopyKind, WARP, WARPGROUP},
};
use layout_relation::IndexForm;
use std::collections::{BTreeMap, BTreeSet};

/// No more threads than a block has.
const ALL: (i64, i64) = (0, i64::MAX);

/// Operands of the barrier that some of the threads meet at.
const NUMBERED: &str = "nvvm.barrier of ";

/// The same of the barrier that some arrive at, and do not wait.
const ARRIVES: &str = "nvvm.barrier.arrive of ";

/// An access: of which operation, the copy that it is, and the number and the memory's unit of what it reads.
#[derive(Clone, Copy)]
pub(super) struct Accessed<'t> {
    pub(super) operation: usize,
    pub(super) copy: &'t Copy,
    pub(super) source: Option<(u32, i64)>,
}

pub(super) struct Builder<'t> {
    pub(super) trace: &'t Trace,
    not_followed: BTreeMap<Root, String>,
    units: BTreeMap<Root, i64>,
    /// Loops around: what is before each, and its event.
    loops: Vec<(&'t [IndexForm; 3], Option<u32>)>,
    pub(super) stack: Vec<Vec<Node<'t>>>,
    pub(super) lost: Vec<Gap>,
    /// The operation of the event that is read.
    at: Option<usize>,
    pub(super) operations: Vec<(usize, By<'t>, bool)>,
    /// Whether the trace says what becomes of data.
    is_program: bool,
    /// The accesses whose data is followed, and the last of all.
    pub(super) followed: BTreeSet<u32>,
    pub(super) accessed: Option<Accessed<'t>>,
    pub(super) roots: BTreeSet<Root>,
    pub(super) read: BTreeSet<Root>,
    /// The pipelines so far, and the one around.
    pipelines: usize,
    ring: Option<Ring>,
    /// The threads of a warp group.
    group: (i64, i64),
    /// The step that is loaded, and how many loops are around its loads.
    loading: Option<(&'t IndexForm, &'t [Condition], usize)>,
    /// The barrier of the next bulk load, and bytes of the load that do not come.
    pub(super) unfilled: Option<(&'t IndexForm, i64)>,
}

impl<'t> Builder<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        Self {
            trace,
            not_followed: not_followed(trace),
            units: units(trace, &read(trace)),
            loops: Vec::new(),
            stack: vec![Vec::new()],
            lost: Vec::new(),
            at: None,
            operations: Vec::new(),
            is_program: trace.events.iter().any(|event| matches!(event, Event::Follow(_))),
            followed: BTreeSet::new(),
            accessed: None,
            roots: BTreeSet::new(),
            unfilled: None,
            read: read(trace),
            pipelines: 0,
            ring: None,
            group: ALL,
            loading: None,
        }
    }

    pub(super) fn push(&mut self, node: Node<'t>) {
        if let Some(last) = self.stack.last_mut() {
            last.push(node);
        }
    }

    /// Threads may wait for each other in what is not followed.
    pub(super) fn lose(&mut self, what: impl Into<String>) {
        self.note(Gap { what: what.into(), at: self.at });
        self.push(Node::Lost(true));
    }

    /// An access that is not followed.
    fn lose_access(&mut self, what: impl Into<String>) {
        self.note(Gap { what: what.into(), at: self.at });
        self.push(Node::Lost(false));
    }

    pub(super) fn note(&mut self, gap: Gap) {
        if !self.lost.contains(&gap) {
            self.lost.push(gap);
        }
    }

    /// The first symbol of a form that has no value at a thread, in words.
    fn unknown_in(&self, form: &IndexForm) -> Option<String> {
        let unknown = |symbol: &u32| !self.is_known(*symbol);
        form.symbols().into_iter().find(unknown).map(|symbol| self.trace.symbol(symbol))
    }

    /// Why a side of a copy is not analysed, after its name.
    fn obstacle(&self, copy: &Copy, view: &View) -> String {
        let first = |forms: &mut dyn Iterator<Item = &IndexForm>| {
            let mut unknown = forms.filter_map(|form| self.unknown_in(form));
            unknown.next()
        };
        let coordinates = view.coordinates.iter().map(|coordinate| &coordinate.index);
        let mut bounds = view.domain.iter().map(|(form, _)| form).chain(coordinates);
        let mut predicates = copy.predicates.iter().map(|(predicate, _)| &predicate.base);
        if let Some(symbol) = self.unknown_in(&view.base) {
            format!("whose address depends on {symbol}")
        } else if let Some(symbol) = first(&mut bounds) {
            format!("whose bounds depend on {symbol}")
        } else if let Some(symbol) = first(&mut copy.around.iter().map(|(form, _)| form)) {
            format!("under a condition on {symbol}")
        } else if let Some(symbol) = first(&mut predicates) {
            format!("whose predicate depends on {symbol}")
        } else {
            format!("of more than {ELEMENTS} elements, or through an outer layout")
        }
    }

    pub(super) fn loops_are_empty(&self) -> bool {
        self.loops.is_empty()
    }

    fn is_known(&self, symbol: u32) -> bool {
        !(7..COMPUTED).contains(&symbol) || self.loops.iter().any(|&(_, own)| own == Some(symbol))
    }

    /// Whether a form has a value at a thread.
    pub(super) fn follows(&self, form: &IndexForm) -> bool {
        form.symbols().into_iter().all(|symbol| self.is_known(symbol))
    }

    pub(super) fn all_follow(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|(form, _)| self.follows(form))
    }

    pub(super) fn who(&self, around: &'t [Condition]) -> ThreadSet<'t> {
        ThreadSet { threads: self.group, every: 1, around }
    }

    pub(super) fn unit(&self, root: &Root) -> i64 {
        self.units.get(root).copied().unwrap_or(1).max(1)
    }

    /// Whether what comes after the event is followed.
    pub(super) fn event(&mut self, event: &'t Event) -> bool {
        self.at = match event {
            Event::Copy(copy) => Some(copy.operation),
            Event::Access(access) => Some(access.operation),
            Event::Instruction(instruction) => Some(instruction.operation),
            Event::Sync(.., operation)
            | Event::Views(.., operation)
            | Event::Unmodelled(_, operation) => Some(*operation),
            _ => None,
        };
        match event {
            Event::Copy(copy) => self.copy(copy),
            Event::Access(access) => self.access(access),
            Event::Sync(name, around, operands, operation) => {
                self.barrier(name, around, operands, *operation);
            }
            Event::Open(bounds, symbol) => {
                self.loops.push((bounds, *symbol));
                self.stack.push(Vec::new());
            }
            Event::Close => self.close(),
            Event::Instruction(instruction) => self.instruction(instruction),
            Event::Point(point, around) => self.point(point, around),
            Event::Views(name, views, around, operation) => {
                self.mma(name, views, around, *operation);
            }
            Event::Follow(step) => self.step(step),
            Event::PassedOn(name, _) if name.starts_with("block ") => {
                self.lose("branches between blocks");
                return false;
            }
            Event::PassedOn(name, _) if name == "func.call" => {
                if let Some(callee) = self.trace.calls.first() {
                    self.lose(format!("a call of @{callee}"));
                }
            }
            Event::PassedOn(..) => {}
            Event::Unmodelled(what, _) => {
                self.lose(what.clone());
                return !what.contains("bounds are not known");
            }
        }
        true
    }

    fn close(&mut self) {
        if let (Some((step, around, depth)), Some(ring)) = (self.loading, self.ring)
            && depth == self.loops.len()
        {
            self.loading = None;
            self.arrive(Signal::Full(ring, step), around, false);
        }
        let (Some((bounds, symbol)), Some(body)) = (self.loops.pop(), self.stack.pop()) else {
            return;
        };
        let has_barrier = body.iter().any(|node| match node {
            Node::Touch(_)
            | Node::Claim(_)
            | Node::Data(..)
            | Node::Commit(..)
            | Node::Compute(_)
            | Node::Collective(..)
            | Node::Fence(_)
            | Node::Lost(false) => false,
            Node::Loop { has_barrier, .. } => *has_barrier,
            _ => true,
        });
        let symbol = symbol.filter(|_| bounds.iter().all(|bound| self.follows(bound)));
        let Some(symbol) = symbol else {
            if has_barrier {
                self.lose("a loop whose rounds are not counted");
            } else if !body.is_empty() {
                self.lose_access("a loop whose rounds are not counted");
            }
            return;
        };
        if !body.is_empty() {
            let (threads, around) = common(&body);
            let live = match body.first() {
                Some(Node::Compute(compute)) => Some(&compute.around[..]),
                _ => None,
            };
            let repeats = None;
            self.push(Node::Loop {
                bounds,
                symbol,
                body,
                has_barrier,
                threads,
                around,
                live,
                repeats,
            });
        }
    }

    fn barrier(
        &mut self,
        name: &str,
        around: &'t [Condition],
        operands: &'t [Option<IndexForm>],
        operation: usize,
    ) {
        if !self.all_follow(around) {
            return self.lose("a barrier under an unknown condition");
        }
        let who = self.who(around);
        let left = name.rsplit(' ').next().and_then(|left| left.parse().ok()).unwrap_or(0);
        match name {
            "gpu.barrier" | "nvvm.barrier" => self.push(Node::Barrier(who, operation)),
            "nvvm.cp.async.commit.group" => self.push(Node::Commit(Groups::Async, who)),
            "nvvm.cp.async.bulk.commit.group" => self.push(Node::Commit(Groups::Bulk, who)),
            _ if name.starts_with("nvvm.cp.async.wait.group") => {
                self.push(Node::Wait(Groups::Async, who, left));
            }
            _ if name.starts_with("nvvm.cp.async.bulk.wait_group") => {
                self.push(Node::Wait(Groups::Bulk, who, left));
            }
            _ if name.starts_with(NUMBERED) || name.starts_with(ARRIVES) => {
                let waits = name.starts_with(NUMBERED);
                let known = |at: usize| operands.get(at).and_then(Option::as_ref);
                let number = known(0).filter(|number| self.follows(number));
                let count = known(1).filter(|count| self.follows(count));
                match (number, count, operands.len()) {
                    (Some(number), count, 1) | (Some(number), count @ Some(_), 2) => {
                        self.push(Node::Numbered { who, number, count, waits, operation });
                    }
                    _ => self.lose("a barrier whose number or threads are unknown"),
                }
            }
            _ => self.lose(name.to_owned()),
        }
    }

    /// A point of a pipeline in layout operations: what its lowering has barriers for.
    fn point(&mut self, point: &'t Point, around: &'t [Condition]) {
        let steps: &[&IndexForm] = match point {
            Point::Full(step) | Point::Read(step, _) | Point::Empty(step) => &[step],
            _ => &[],
        };
        if !self.all_follow(around) || !steps.iter().all(|step| self.follows(step)) {
            return self.lose("a pipeline whose tiles have steps of their own");
        }
        match point {
            Point::Begin(facts) => {
                let readers = facts.group_threads();
                let ring = Ring { number: self.pipelines, stages: facts.stages, readers };
                self.pipelines += 1;
                self.ring = Some(ring);
                self.group = ALL;
                self.push(Node::Ring(ring, self.who(around), 0));
                if facts.stages > ELEMENTS {
                    self.lose(format!("a pipeline of more than {ELEMENTS} stages"));
                }
                // The numbers of warp groups are known with the pipeline.
                self.group = (0, facts.consumers);
            }
            Point::Consume | Point::Turn(_) | Point::Issued(_) | Point::Drained(_) => {}
            Point::Produce => self.group = (self.group.1, self.group.1.saturating_add(1)),
            Point::Full(step) => self.wait(step, around, Signal::Full),
            Point::Read(step, _) => {
                if let Some(ring) = self.ring {
                    self.arrive(Signal::Empty(ring, step), around, true);
                }
            }
            Point::Last(_) => self.push(Node::Wait(Groups::Mmas, self.who(around), 0)),
            Point::Empty(step) => {
                self.wait(step, around, Signal::Empty);
                self.loading = Some((step, around, self.loops.len()));
            }
            Point::End => {
                self.ring = None;
                self.group = ALL;
            }
        }
    }

    fn wait(
        &mut self,
        step: &'t IndexForm,
        around: &'t [Condition],
        signal: fn(Ring, &'t IndexForm) -> Signal<'t>,
    ) {
        let Some(ring) = self.ring else { return };
        let who = self.who(around);
        self.push(Node::Await { who, signal: signal(ring, step), parity: None, operation: 0 });
    }

    fn arrive(&mut self, signal: Signal<'t>, around: &'t [Condition], mmas: bool) {
        let who = self.who(around);
        self.push(Node::Arrive(Box::new(Arrive {
            who,
            signal,
            count: None,
            bytes: None,
            mmas,
            operation: 0,
        })));
    }

    fn copy(&mut self, copy: &'t Copy) {
        if copy.kind.is_bulk() {
            return self.bulk(copy);
        }
        let zeros = copy
            .target
            .as_ref()
            .is_some_and(|target| matches!(target.space, Space::Shared | Space::Register));
        let mut source = None;
        for (view, store) in [(&copy.source, false), (&copy.target, true)] {
            let Some(view) = view else { continue };
            if view.root == Root::Nothing || self.is_settled(view) {
                continue;
            }
            let predicated = !store || !zeros;
            match self.side(copy, view, store, predicated) {
                Some(touch) => {
                    source = source.or(Some((touch.event, touch.unit)).filter(|_| !store));
                    self.push(Node::Touch(Box::new(touch)));
                }
                None => {
                    if !matches!(view.root, Root::Register(_)) {
                        let name = if store { "a store" } else { "a load" };
                        self.lose_access(format!("{name} {}", self.obstacle(copy, view)));
                    }
                }
            }
        }
        let operation = copy.operation;
        self.accessed = Some(Accessed { operation, copy, source });
        // A load or a store is of a value, which the next step says.
        if self.is_program && copy.source.is_some() && copy.target.is_some() {
            self.followed.extend(source.map(|(event, _)| event));
            let who = self.who(&copy.around);
            self.push(Node::Data(who, Data { flow: None, copy: Some(copy), source }));
        }
    }

    /// Whether registers are touched at places that are known, so that nothing of them is left to follow.
    fn is_settled(&self, view: &View) -> bool {
        let Root::Register(number) = view.root else { return false };
        let inside =
            |form: &IndexForm, limit: i64| matches!(form.range(), (_, Some(most)) if most < limit);
        let coordinates = view.coordinates.iter().all(|own| {
            inside(&own.index, own.extent) && matches!(own.index.range(), (Some(0..), _))
        });
        let fits = || {
            let (from, to) = view.reach_in_bytes()?;
            let bytes = self.trace.buffers.get(number)?;
            Some(from >= 0 && to <= *bytes)
        };
        !self.read.contains(&view.root)
            && coordinates
            && view.domain.iter().all(|(form, limit)| inside(form, *limit))
            && view.outer.is_nothing()
            && fits() == Some(true)
    }

    /// A bulk copy's side in shared memory. The other side is memory of an argument, which others touch at most to
    /// read it, or it is named.
    fn bulk(&mut self, copy: &'t Copy) {
        let load = copy.kind.is_bulk_load();
        let view = if load { &copy.target } else { &copy.source };
        let by = match (load, self.ring.zip(self.loading)) {
            (true, _) if copy.barrier.is_some() => self.transaction(copy),
            (true, Some((ring, (step, ..)))) => Some(By::Bulk(Signal::Full(ring, step), 0)),
            (true, None) => None,
            (false, _) => Some(By::BulkGroup),
        };
        let touch = by.zip(view.as_ref()).and_then(|(by, view)| {
            let touch = self.whole(view, load, by, &copy.around, copy.operation)?;
            // The first thread of each warpgroup stores.
            let every = if load { 1 } else { WARPGROUP };
            Some(CopyAccess { who: ThreadSet { every, ..touch.who }, ..touch })
        });
        match touch {
            Some(touch) => self.push(Node::Touch(Box::new(touch))),
            None => self.lose_access("a bulk copy whose address or pipeline is unknown"),
        }
    }

    /// Operands of MMAs in shared memory, which a warpgroup reads: the first thread of each of its warps, since warps come to an MMA one by one.
    fn mma(&mut self, name: &str, views: &'t [View], around: &'t [Condition], operation: usize) {
        let mut reads = false;
        for view in views.iter().filter(|view| view.space == Space::Shared) {
            match self.whole(view, false, By::Mmas, around, operation) {
                Some(touch) => {
                    let who = ThreadSet { every: WARP, ..touch.who };
                    self.push(Node::Touch(Box::new(CopyAccess { who, ..touch })));
                    reads = true;
                }
                None => self.lose_access(format!("memory that {name} reads at an unknown address")),
            }
        }
        if reads {
            let who = self.who(around);
            self.push(Node::Commit(Groups::Mmas, who));
            // An MMA that is not left to the pipeline, or to the program, is waited for there.
            if self.ring.is_none() && !name.ends_with(ASYNC) {
                self.push(Node::Wait(Groups::Mmas, who, 0));
            }
        }
    }

    /// A touch of all elements of a view by what works beside the threads.
    fn whole(
        &mut self,
        view: &'t View,
        store: bool,
        by: By<'t>,
        around: &'t [Condition],
        operation: usize,
    ) -> Option<CopyAccess<'t>> {
        let followed = self.follows(&view.base)
            && self.all_follow(around)
            && self.all_follow(&view.domain)
            && view.coordinates.iter().all(|coordinate| self.follows(&coordinate.index));
        let mut all = followed.then(|| offsets(&view.layout))??;
        let unit = self.unit(&view.root);
        let (bytes, wide) = self.widened(view, &mut all);
        all.sort_unstable();
        all.dedup();
        let step = view.bytes.max(1);
        let follows = self.are_followed(&view.root);
        Some(self.noted(CopyAccess {
            root: &view.root,
            memory: memory(&view.root),
            store,
            by,
            combines: false,
            follows,
            base: &view.base,
            places: Places::Offsets(all, Outside::of(&view.outer)?),
            predicates: Vec::new(),
            who: self.who(around),
            coordinates: &view.coordinates,
            domain: &view.domain,
            bounds: self.bounds(view),
            bytes,
            step,
            unit,
            value: None,
            wide,
            run: 1,
            rows: None,
            operation,
            event: 0,
        }))
    }

    /// Leaves the first offset of each row of the memory's unit, where elements come in such rows: the bytes, and how many
    /// elements these are.
    fn widened(&self, view: &View, all: &mut Vec<i64>) -> (i64, i64) {
        let (unit, bytes) = (self.unit(&view.root), view.bytes.max(1));
        let wide = unit / bytes;
        if wide < 2 || !closed(view, all, wide) {
            return (bytes, 1);
        }
        all.retain(|offset| offset.rem_euclid(wide) == 0);
        (unit, wide)
    }

    /// Elements that a view's memory has.
    fn bounds(&self, view: &View) -> Option<(i64, i64)> {
        let is_plain = matches!(view.root, Root::Argument(_)) || view.outer.is_nothing();
        let bounds = self.bounds_in_bytes(&view.root).filter(|_| is_plain);
        let bytes = view.bytes.max(1);
        bounds.map(|(from, to)| (from.div_euclid(bytes), to.div_euclid(bytes)))
    }

    /// Bytes that memory has.
    fn bounds_in_bytes(&self, root: &Root) -> Option<(i64, i64)> {
        match root {
            Root::Argument(number) => self.trace.reaches.get(*number).copied().flatten(),
            Root::Buffer(number) | Root::Register(number) => {
                let bytes = self.trace.buffers.get(*number).copied();
                bytes.filter(|&bytes| bytes > 0).map(|bytes| (0, bytes))
            }
            Root::Shared | Root::Nothing => None,
        }
    }

    fn side(
        &mut self,
        copy: &'t Copy,
        view: &'t View,
        store: bool,
        predicated: bool,
    ) -> Option<CopyAccess<'t>> {
        let followed = self.follows(&view.base)
            && self.all_follow(&copy.around)
            && self.all_follow(&view.domain)
            && view.coordinates.iter().all(|coordinate| self.follows(&coordinate.index));
        if !followed {
            return None;
        }
        let mut predicates = Vec::new();
        for (predicate, limit) in copy.predicates.iter().filter(|_| predicated) {
            (predicate.outer.is_nothing() && self.follows(&predicate.base)).then_some(())?;
            predicates.push((&predicate.base, offsets(&predicate.layout)?, *limit));
        }
        let step = view.bytes.max(1);
        let mut all = offsets(&view.layout)?;
        let (mut bytes, mut wide) = (step, 1);
        if predicates.is_empty() {
            (bytes, wide) = self.widened(view, &mut all);
        }
        // Rows begin at multiples of a unit's length, and so do shorter runs.
        let run = if wide > 1 && wide % copy.run.max(1) == 0 { 1 } else { copy.run.max(1) };
        if run > 1 && wide > 1 {
            (all, bytes, wide) = (offsets(&view.layout)?, step, 1);
        }
        let asynchronous = store && copy.kind == CopyKind::CpAsync;
        let follows = self.are_followed(&view.root);
        Some(self.noted(CopyAccess {
            root: &view.root,
            memory: memory(&view.root),
            store,
            by: match asynchronous {
                _ if copy.atomic => By::Atomic,
                true => By::Async,
                false => By::Thread,
            },
            combines: copy.combines,
            follows,
            base: &view.base,
            places: Places::Offsets(all, Outside::of(&view.outer)?),
            predicates,
            who: self.who(&copy.around),
            coordinates: &view.coordinates,
            domain: &view.domain,
            bounds: self.bounds(view),
            bytes,
            step,
            unit: self.unit(&view.root),
            wide,
            value: copy.value.as_ref().filter(|_| store),
            run: if matches!(view.root, Root::Register(_)) { 1 } else { run },
            rows: MatrixRows::of_copy(copy.kind, store),
            operation: copy.operation,
            event: 0,
        }))
    }

    /// Whether other accesses to a memory are followed as well.
    pub(super) fn are_followed(&mut self, root: &Root) -> bool {
        if let Some(why) = self.not_followed.get(root) {
            let what = why.clone();
            self.note(Gap { what, at: self.at });
            return false;
        }
        matches!(root, Root::Argument(_) | Root::Buffer(_) | Root::Shared)
    }

    pub(super) fn noted(&mut self, touch: CopyAccess<'t>) -> CopyAccess<'t> {
        let event = u32::try_from(self.operations.len()).unwrap_or(u32::MAX);
        self.operations.push((touch.operation, touch.by, touch.rows.is_some()));
        if touch.follows {
            self.roots.insert(touch.root.clone());
        }
        CopyAccess { event, ..touch }
    }

    fn access(&mut self, access: &'t Access) {
        if matches!(access.root, Root::Register(_) | Root::Nothing) {
            return;
        }
        if !self.follows(&access.address) || !self.all_follow(&access.predicates) {
            let why = match self.unknown_in(&access.address) {
                Some(symbol) => format!("an access whose address depends on {symbol}"),
                None => "an access under an unknown condition".to_owned(),
            };
            return self.lose_access(why);
        }
        let store = !matches!(access.kind, Kind::Load | Kind::LoadMatrix);
        let touch = CopyAccess {
            root: &access.root,
            memory: memory(&access.root),
            store,
            by: match access.kind {
                Kind::Update => By::Atomic,
                Kind::AsyncStore => By::Async,
                _ => By::Thread,
            },
            combines: false,
            follows: self.are_followed(&access.root),
            base: &access.address,
            places: Places::Offsets(vec![0], Outside::Nothing),
            predicates: Vec::new(),
            who: self.who(&access.predicates),
            coordinates: &[],
            domain: &[],
            bounds: self.bounds_in_bytes(&access.root),
            bytes: access.bytes,
            step: 1,
            unit: self.unit(&access.root),
            value: None,
            wide: access.bytes,
            run: 1,
            rows: access.rows,
            operation: access.operation,
            event: 0,
        };
        let touch = self.noted(touch);
        // Where a lowered load's value goes is not followed.
        self.accessed = None;
        self.push(Node::Touch(Box::new(touch)));
    }
}

/// The memory that integers of a program are loaded from.
fn read(trace: &Trace) -> BTreeSet<Root> {
    let mut all = BTreeSet::new();
    for event in &trace.events {
        if let Event::Follow(step) = event
            && let Step::Compute(compute) = &**step
        {
            all.extend(compute.symbols.iter().filter_map(|(_, number)| match number {
                Number::Element(view) => Some(view.root.clone()),
                _ => None,
            }));
        }
    }
    all
}

/// The common part of a loop's nodes: all threads that do something, and the conditions on threads under which
/// they do.
fn common(body: &[Node<'_>]) -> ((i64, i64), Vec<Condition>) {
    let mut threads: Option<(i64, i64)> = None;
    let mut around: Option<Vec<Condition>> = None;
    let of_threads = |condition: &Condition| condition.0.symbols().iter().all(|&symbol| symbol < 3);
    for node in body.iter().filter(|node| !matches!(node, Node::Data(..))) {
        let (own, conditions): ((i64, i64), Vec<Condition>) = match (node, node.who()) {
            (Node::Loop { threads, around, .. }, _) => (*threads, around.clone()),
            (Node::Compute(compute), _) => {
                let of_threads = compute.around.iter().filter(|c| of_threads(c)).cloned();
                (ALL, of_threads.collect())
            }
            (_, Some(who)) => {
                (who.threads, who.around.iter().filter(|c| of_threads(c)).cloned().collect())
            }
            _ => (ALL, Vec::new()),
        };
        threads = Some(threads.map_or(own, |all| (all.0.min(own.0), all.1.max(own.1))));
        around = Some(match around {
            None => conditions,
            Some(all) => all.into_iter().filter(|known| conditions.contains(known)).collect(),
        });
    }
    (threads.unwrap_or(ALL), around.unwrap_or_default())
}
