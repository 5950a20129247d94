//! Barriers of a program, as `layout.barriers` and the operations on them are lowered: one thread initialises them, the
//! first lane of each warp arrives, and waits are for the parity of a phase.

use super::{
    follow::{Phase, PhaseKind, Step, number},
    trace::{Condition, Event, Known, Reader, Root, address},
    view::View,
};
use layout_dialect::{atoms::WARP, build::result, tree};
use layout_relation::IndexForm;
use melior::ir::{OperationRef, RegionLike, ValueLike, operation::OperationLike};

impl Reader {
    /// Barriers are made by the first thread; after the last of several in a row, all threads meet.
    pub(super) fn barriers(&mut self, operation: OperationRef<'_, '_>) {
        let buffer = self.trace.buffers.len();
        let value = result(operation, 0);
        let arrivals = number(operation, "arrivals");
        let view = View::whole(value.r#type(), Root::Buffer(buffer), false);
        let (Some(view), Some(arrivals), Some(thread)) = (view, arrivals, self.thread()) else {
            return self.unmodelled("layout.barriers of a layout that is not known");
        };
        let bytes = view.layout.cosize().ok().and_then(|size| size.checked_mul(view.bytes));
        self.trace.buffers.push(bytes.unwrap_or(0));
        let places: Option<Vec<i64>> = (0..view.size()).map(|at| view.layout.at(at).ok()).collect();
        self.know(value, Known::View(view));
        let around = [&self.around[..], &[(thread, 1)]].concat();
        for place in places.unwrap_or_default() {
            let kind = PhaseKind::Make(IndexForm::constant(arrivals));
            let number = IndexForm::constant(place);
            self.phase(operation, kind, (buffer, number), around.clone());
        }
        let next = operation.next_in_block().map(tree::name);
        if next.as_deref() != Some("layout.barriers") {
            self.meets(operation);
        }
    }

    /// All threads of the block meet.
    pub(super) fn meets(&mut self, operation: OperationRef<'_, '_>) {
        let around = self.around.clone();
        self.event(Event::Sync("gpu.barrier".to_owned(), around, Vec::new(), address(operation)));
    }

    /// The barrier that an operation names: its buffer, and its number there.
    fn barrier_at(
        &self,
        operation: OperationRef<'_, '_>,
        view: usize,
    ) -> Option<(usize, IndexForm, View)> {
        let point = self.point(operation, view, view + 1)?;
        match point.root {
            Root::Buffer(buffer) => Some((buffer, point.element(0)?, point)),
            _ => None,
        }
    }

    fn phase(
        &mut self,
        operation: OperationRef<'_, '_>,
        kind: PhaseKind,
        (buffer, number): (usize, IndexForm),
        around: Vec<Condition>,
    ) {
        let operation = address(operation);
        self.step(Step::Phase(Phase { kind, buffer, number, around, operation }));
    }

    /// The thread's number in its block, where the block's size is known; else along the first dimension.
    pub(super) fn thread(&self) -> Option<IndexForm> {
        let own = |axis: u32| IndexForm::symbol(axis, Some(0), self.extent(axis));
        let mut number = own(0)?;
        let mut before = 1_i64;
        for axis in (1..3).filter(|_| self.trace.launch.known[0]) {
            before = before.checked_mul(self.extent(axis - 1)?)?;
            if self.extent(axis)? > 1 {
                number = number.plus(&own(axis)?.scale(before)?)?;
            }
        }
        Some(number)
    }

    /// The one thread that each warp elects, taken to be its first: which it is, PTX does not state. The conditions around hold for
    /// whole warps.
    pub(super) fn elected(&mut self, operation: OperationRef<'_, '_>) {
        let Some(thread) = self.thread().filter(|_| operation.operand_count() == 0) else { return };
        // Blocks, or threads from or up to a multiple of a warp.
        let whole = |(form, limit): &Condition| {
            let constant = |form: Option<IndexForm>| form?.as_constant();
            let below = constant(form.minus(&thread)).map(|more| limit - more);
            let from = constant(form.plus(&thread)).map(|more| more - limit + 1);
            form.symbols().iter().all(|symbol| (3..6).contains(symbol))
                || below.or(from).is_some_and(|end| end % WARP == 0)
        };
        if let Some(lane) = thread.mask(WARP - 1).filter(|_| self.around.iter().all(whole)) {
            self.set(operation, 0, Some(Known::Conditions(vec![(lane, 1)])));
        }
    }

    /// The threads of a warp meet, and its first lane arrives.
    pub(super) fn arrives(&mut self, operation: OperationRef<'_, '_>) {
        let lane = self.thread();
        let lane = lane.and_then(|own| own.mask(WARP - 1).or_else(|| own.modulo(WARP)));
        let (Some((buffer, number, _)), Some(lane)) = (self.barrier_at(operation, 0), lane) else {
            return self.unmodelled("layout.arrive at a barrier that is not known");
        };
        let around = self.around.clone();
        self.step(Step::Warp(around.clone()));
        let first = [&around[..], &[(lane, 1)]].concat();
        self.phase(operation, PhaseKind::Arrive(None), (buffer, number), first);
    }

    pub(super) fn waits(&mut self, operation: OperationRef<'_, '_>) {
        let round = self.form(operation, 0);
        let (Some((buffer, number, _)), Some(round)) = (self.barrier_at(operation, 1), round)
        else {
            return self.unmodelled("layout.wait for a barrier that is not known");
        };
        let around = self.around.clone();
        self.phase(operation, PhaseKind::Wait(round), (buffer, number), around);
    }

    /// One arrival with the bytes of all copies, and then the copies.
    pub(super) fn transaction(&mut self, operation: OperationRef<'_, '_>) {
        let body = operation.region(0).ok().and_then(|region| {
            // SAFETY: the block is in the operation's region.
            region
                .first_block()
                .map(|block| unsafe { melior::ir::BlockRef::from_raw(block.to_raw()) })
        });
        let (Some((buffer, number, point)), Some(body)) = (self.barrier_at(operation, 0), body)
        else {
            return self.unmodelled("layout.transaction at a barrier that is not known");
        };
        let first = self.trace.events.len();
        let around = self.around.clone();
        self.phase(operation, PhaseKind::Arrive(None), (buffer, number), around);
        if let Some(follow) = &mut self.follow {
            follow.transaction = Some(point);
        }
        self.block(body);
        if let Some(follow) = &mut self.follow {
            follow.transaction = None;
        }
        let mut bytes = Some(0_i64);
        for event in &self.trace.events[first + 1..] {
            bytes = match event {
                Event::Copy(copy) if copy.kind.is_bulk_load() => {
                    let target = copy.target.as_ref();
                    let own = target.and_then(|target| target.size().checked_mul(target.bytes));
                    bytes.zip(own).and_then(|(all, own)| all.checked_add(own))
                }
                Event::Open(..) | Event::Unmodelled(..) => None,
                _ => bytes,
            };
        }
        let Some(bytes) = bytes else {
            return self.unmodelled("a transaction whose bytes are not known");
        };
        if let Some(Event::Follow(step)) = self.trace.events.get_mut(first)
            && let Step::Phase(phase) = &mut **step
        {
            phase.kind = PhaseKind::Arrive(Some(IndexForm::constant(bytes)));
        }
    }
}
