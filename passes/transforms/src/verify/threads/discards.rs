//! Reads that go wrong, of values that nothing uses.
//!
//! A thread that reads an element of a block's own memory which nothing wrote, or which another thread stores at the same
//! time, has an undefined value. That is refuted where the value comes to an argument, an address, a condition, another lane or an
//! operation that is not known; threads beyond the extent of a ragged tile read such values and discard them. The block is
//! walked once more then, and the undefined values are followed through registers, the block's own memory and operations.

use super::{
    Run,
    memory::Conflict,
    program::{By, CopyAccess, Data, Outside, ThreadSet},
    units::offsets,
};
use crate::verify::{
    data_flow::{Flow, How},
    trace::{Copy, Root},
    view::View,
};
use layout_dialect::atoms::{CopyKind, WARP};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Reads of a block that are followed to their uses, at most; more are refuted where they are.
const MAX_SUSPECTS: usize = 1 << 16;

/// Rounds of a loop that values are followed through, at most.
const MAX_ROUNDS: i64 = 1 << 12;

/// A conflict that may be of a value which nothing uses: of which access, element and thread.
#[derive(Clone, Copy)]
pub(super) struct Suspect<'r> {
    pub(super) touch: &'r CopyAccess<'r>,
    pub(super) element: i64,
    pub(super) thread: i64,
    pub(super) conflict: Conflict,
}

/// The conflicts of a block, and the undefined values of its threads; each of these is the number of a conflict.
#[derive(Default)]
pub(super) struct Discards<'r> {
    /// With the number of the refutations before.
    all: Vec<(Suspect<'r>, usize)>,
    /// By the number of the access, the thread and the unit of memory.
    loads: HashMap<(u32, i64, i64), usize>,
    /// Elements that another thread stores too early, by the memory, the thread and the unit: any read of it may be the one.
    readers: BTreeMap<(&'r Root, i64, i64), usize>,
    /// Whether the block is walked once more, and whether rounds of its loops are left out then.
    follows: bool,
    is_cut: bool,
    /// Values, by their keys and threads.
    values: HashMap<(usize, i64), usize>,
    /// Bytes of registers, by their buffers and threads.
    registers: BTreeMap<(usize, i64, i64), usize>,
    /// Bytes of the block's own memory that an undefined value was stored to.
    memory: BTreeMap<(&'r Root, i64), usize>,
    used: BTreeSet<usize>,
}

impl Discards<'_> {
    pub(super) fn are_some(&self) -> bool {
        !self.all.is_empty()
    }

    /// The block is walked once more.
    pub(super) fn follow(&mut self) {
        self.follows = true;
    }

    /// Whether the block is walked once more.
    pub(super) fn follows(&self) -> bool {
        self.follows
    }

    /// Whether rounds of a loop that repeat may be left out from one on.
    pub(super) fn skips(&mut self, round: i64) -> bool {
        let skips = !self.follows || round >= MAX_ROUNDS;
        self.is_cut |= self.follows && skips;
        skips
    }

    fn value(&self, key: usize, thread: i64) -> Option<usize> {
        self.values.get(&(key, thread)).copied()
    }

    fn any(&self, keys: &[usize], thread: i64) -> Option<usize> {
        keys.iter().find_map(|&key| self.value(key, thread))
    }

    /// The first of the bytes of registers from one on, below another.
    fn bytes(&self, buffer: usize, thread: i64, from: i64, to: i64) -> Option<usize> {
        let range = (buffer, thread, from)..(buffer, thread, to.max(from));
        self.registers.range(range).next().map(|(_, &own)| own)
    }

    /// The first of the bytes of the block's own memory from one on, below another.
    fn stored(&self, root: &Root, from: i64, to: i64) -> Option<usize> {
        self.memory.range((root, from)..(root, to.max(from))).next().map(|(_, &own)| own)
    }

    fn all_registers(&self, buffers: &[usize], thread: i64) -> Option<usize> {
        buffers.iter().find_map(|&buffer| self.bytes(buffer, thread, i64::MIN, i64::MAX))
    }

    /// A value is undefined, or where the thread surely executes this, it is not.
    fn set(&mut self, key: usize, (thread, is_sure): Active, own: Option<usize>) {
        match own {
            Some(own) => _ = self.values.insert((key, thread), own),
            None if is_sure => _ = self.values.remove(&(key, thread)),
            None => {}
        }
    }

    fn set_bytes(
        &mut self,
        buffer: usize,
        (thread, is_sure): Active,
        bytes: std::ops::Range<i64>,
        own: Option<usize>,
    ) {
        for byte in bytes {
            match own {
                Some(own) => _ = self.registers.insert((buffer, thread, byte), own),
                None if is_sure => _ = self.registers.remove(&(buffer, thread, byte)),
                None => {}
            }
        }
    }
}

/// A thread that executes something, and whether it surely does.
type Active = (i64, bool);

impl<'r> Run<'r> {
    /// Whether a conflict is of a value that may never be used, so that it is refuted where it is used.
    pub(super) fn suspects(&mut self, suspect: Suspect<'r>, unit: i64) -> bool {
        let Suspect { touch, thread, conflict, .. } = suspect;
        if !self.whole || !matches!(touch.root, Root::Buffer(_) | Root::Shared) {
            return false;
        }
        let is_load = !touch.store
            && matches!(touch.by, By::Thread)
            && self.program.followed.contains(&touch.event);
        let by_thread = |event: u32| matches!(self.program.by(event), By::Thread);
        let discards = &mut self.discards;
        let next = discards.all.len();
        let may_add = !discards.follows && next < MAX_SUSPECTS;
        let known = match conflict {
            Conflict::Unwritten
            | Conflict::Race { stored: true, .. }
            | Conflict::Pending { stored: true, .. }
                if is_load =>
            {
                let key = (touch.event, thread, unit);
                match may_add {
                    true => Some(*discards.loads.entry(key).or_insert(next)),
                    false => discards.loads.get(&key).copied(),
                }
            }
            Conflict::Race { actor, stored: false } if touch.store && by_thread(actor.event) => {
                let key = (touch.root, i64::from(actor.thread), unit);
                match may_add {
                    true => Some(*discards.readers.entry(key).or_insert(next)),
                    false => discards.readers.get(&key).copied(),
                }
            }
            _ => None,
        };
        if known == Some(next) {
            discards.all.push((suspect, self.findings.places.len()));
        }
        known.is_some()
    }

    /// A read whose value is not followed is a use.
    pub(super) fn read_again(&mut self, touch: &CopyAccess<'r>, element: i64, thread: i64) {
        let by_thread = matches!(touch.by, By::Thread);
        let reads = !touch.store || matches!(touch.by, By::Atomic);
        let is_followed = by_thread && self.program.followed.contains(&touch.event);
        if !self.discards.follows || !reads || is_followed {
            return;
        }
        let from = element.saturating_mul(touch.step);
        let stored = self.discards.stored(touch.root, from, from.saturating_add(touch.bytes));
        self.discards.used.extend(stored);
        if !by_thread {
            return;
        }
        let (first, count) = touch.units(element);
        for unit in first..first.saturating_add(count) {
            let own = self.discards.readers.get(&(touch.root, thread, unit)).copied();
            self.discards.used.extend(own);
        }
    }

    /// Refutes the conflicts whose values are used, in their order among the other refutations; all of them where not all was
    /// walked.
    pub(super) fn refute_used(&mut self, is_complete: bool) {
        let Discards { all, used, is_cut, .. } = std::mem::take(&mut self.discards);
        let mut added = 0;
        for (number, (suspect, place)) in all.iter().enumerate() {
            if is_complete && !is_cut && !used.contains(&number) {
                self.discards_values = true;
                continue;
            }
            if added >= super::REFUTED {
                return;
            }
            let before = self.findings.places.len();
            self.conflict(suspect);
            if self.findings.places.len() > before {
                let place = (place + added).min(before);
                self.findings.places[place..].rotate_right(1);
                added += 1;
            }
        }
    }

    /// Data goes from values, registers and memory to others.
    pub(super) fn data(&mut self, who: ThreadSet<'_>, data: &Data<'r>, threads: &[i64]) {
        let discards = &self.discards;
        let is_defined = discards.values.is_empty()
            && discards.registers.is_empty()
            && discards.memory.is_empty();
        if !discards.follows || is_defined && data.source.is_none() {
            return;
        }
        let mut active: Vec<Active> = Vec::with_capacity(threads.len());
        for &thread in threads {
            match self.is_active(who, thread) {
                Some(false) => {}
                known => active.push((thread, known.is_some())),
            }
        }
        match (data.copy, data.flow) {
            (Some(copy), flow) => self.copied(copy, flow, data.source, &active),
            (None, Some(flow)) => self.passed(flow, &active),
            (None, None) => {}
        }
    }

    fn passed(&mut self, flow: &Flow, active: &[Active]) {
        // Lanes exchange values at once.
        let mut lanes: BTreeMap<i64, usize> = BTreeMap::new();
        let mut of_threads: BTreeMap<i64, usize> = BTreeMap::new();
        if matches!(flow.how, How::Lane(_) | How::Lanes) {
            for &(thread, _) in active {
                if let Some(own) = self.discards.any(&flow.from, thread) {
                    lanes.entry(thread / WARP).or_insert(own);
                    of_threads.insert(thread, own);
                }
            }
        }
        for &own in active {
            let thread = own.0;
            let any = self.discards.any(&flow.from, thread);
            let result = match &flow.how {
                How::Through => any,
                How::Select(condition) => self.chosen(condition, &flow.from, thread),
                How::Lanes => lanes.get(&(thread / WARP)).copied(),
                How::Lane((mode, number, width)) => {
                    let others = flow.from.get(1..).unwrap_or_default();
                    let which = self.discards.any(others, thread);
                    match self.lane_of(*mode, number, width, thread) {
                        Some(lane) => which.or_else(|| of_threads.get(&lane).copied()),
                        None => lanes.get(&(thread / WARP)).copied(),
                    }
                }
                // Nothing is known to be undefined of an access that is not followed.
                How::Loaded => None,
                How::Pairs => {
                    let from = flow.from.iter().map(|&key| self.discards.value(key, thread));
                    let from: Vec<_> = from.collect();
                    for (&key, value) in flow.to.iter().zip(from) {
                        self.discards.set(key, own, value);
                    }
                    continue;
                }
                How::Used | How::Stored => {
                    let used = any.or_else(|| self.discards.all_registers(&flow.registers, thread));
                    self.discards.used.extend(used);
                    continue;
                }
            };
            for &key in &flow.to {
                self.discards.set(key, own, result);
            }
        }
    }

    /// The result of a selection whose condition is known; else either operand.
    fn chosen(
        &mut self,
        condition: &crate::verify::follow::Number,
        from: &[usize],
        thread: i64,
    ) -> Option<usize> {
        let [of_condition, yes, no] = *from else { return self.discards.any(from, thread) };
        let chosen = match self.number(condition, thread, &[]) {
            Some(value) if value & 1 == 1 => vec![of_condition, yes],
            Some(_) => vec![of_condition, no],
            None => vec![of_condition, yes, no],
        };
        self.discards.any(&chosen, thread)
    }

    /// A copy: from registers, memory or a value to registers, memory or a value, element by element.
    fn copied(
        &mut self,
        copy: &'r Copy,
        flow: Option<&Flow>,
        source: Option<(u32, i64)>,
        active: &[Active],
    ) {
        let of_warp = matches!(copy.kind, CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix { .. });
        let mut all: Vec<Vec<Option<usize>>> = Vec::with_capacity(active.len());
        let mut warps: BTreeMap<i64, usize> = BTreeMap::new();
        for &(thread, _) in active {
            let own = self.read_by(copy, flow, source, thread);
            if let Some(first) = own.iter().flatten().next() {
                warps.entry(thread / WARP).or_insert(*first);
            }
            all.push(own);
        }
        for (&own, elements) in active.iter().zip(all) {
            let thread = own.0;
            let of_all = warps.get(&(thread / WARP)).copied().filter(|_| of_warp);
            // A value fills all of a view.
            let is_one = elements.len() == 1;
            let element = |at: usize| {
                of_all.or_else(|| elements.get(if is_one { 0 } else { at }).copied().flatten())
            };
            let first = of_all.or_else(|| elements.iter().flatten().next().copied());
            let Some(target) = &copy.target else {
                for &key in flow.iter().flat_map(|flow| &flow.to) {
                    self.discards.set(key, own, first);
                }
                continue;
            };
            let inside = self.inside(copy, thread);
            let is_inside =
                |at: usize| inside.as_ref().is_none_or(|all| all.get(at) != Some(&false));
            // A matrix of a warp is stored by other lanes than those that have its addresses.
            let places = match target.root {
                Root::Buffer(_) | Root::Shared if of_warp => None,
                Root::Register(_) | Root::Buffer(_) | Root::Shared => {
                    self.elements_of(target, thread)
                }
                _ => None,
            };
            match (&target.root, places) {
                (&Root::Register(buffer), Some(places)) => {
                    let bytes = target.bytes.max(1);
                    for (at, place) in places.into_iter().enumerate() {
                        let from = place.saturating_mul(bytes);
                        let all = from..from.saturating_add(bytes);
                        // Outside of a predicate, registers become 0.
                        let value = element(at).filter(|_| is_inside(at));
                        self.discards.set_bytes(buffer, own, all, value);
                    }
                }
                (Root::Register(_), None) => self.discards.used.extend(first),
                (root, Some(places)) => {
                    let bytes = target.bytes.max(1);
                    for (at, place) in places.into_iter().enumerate() {
                        let from = place.saturating_mul(bytes);
                        // Outside of a predicate, a block's own memory becomes 0.
                        let value = element(at).filter(|_| is_inside(at));
                        for byte in from..from.saturating_add(bytes) {
                            match value {
                                Some(value) => {
                                    _ = self.discards.memory.insert((root, byte), value);
                                }
                                None if own.1 => _ = self.discards.memory.remove(&(root, byte)),
                                None => {}
                            }
                        }
                    }
                }
                _ => {
                    let count = usize::try_from(target.size()).unwrap_or(usize::MAX);
                    let count = if is_one { 1 } else { count.min(elements.len()) };
                    let stored = (0..count).filter(|&at| is_one || is_inside(at));
                    self.discards.used.extend(stored.filter_map(element));
                    self.discards.used.extend(of_all);
                }
            }
        }
    }

    /// For each element of a copy the conflict that it is undefined by.
    fn read_by(
        &mut self,
        copy: &'r Copy,
        flow: Option<&Flow>,
        source: Option<(u32, i64)>,
        thread: i64,
    ) -> Vec<Option<usize>> {
        let Some(view) = &copy.source else {
            return vec![flow.and_then(|flow| self.discards.any(&flow.from, thread))];
        };
        let bytes = view.bytes.max(1);
        let places = self.elements_of(view, thread);
        let discards = &self.discards;
        match (&view.root, places, source) {
            (Root::Register(buffer), Some(places), _) => {
                let of = |place: i64| {
                    let first = place.saturating_mul(bytes);
                    discards.bytes(*buffer, thread, first, first.saturating_add(bytes))
                };
                places.into_iter().map(of).collect()
            }
            (Root::Register(buffer), None, _) => {
                vec![discards.all_registers(&[*buffer], thread)]
            }
            (root, Some(places), Some((event, unit))) => {
                let of = |place: i64| {
                    let from = place.saturating_mul(bytes);
                    let stored = discards.stored(root, from, from.saturating_add(bytes));
                    if stored.is_some() {
                        return stored;
                    }
                    let first = from.div_euclid(unit.max(1));
                    let mut units = first..first.saturating_add((bytes / unit.max(1)).max(1));
                    units.find_map(|unit| {
                        let load = discards.loads.get(&(event, thread, unit));
                        load.or_else(|| discards.readers.get(&(root, thread, unit))).copied()
                    })
                };
                places.into_iter().map(of).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The elements of a view at a thread.
    fn elements_of(&mut self, view: &View, thread: i64) -> Option<Vec<i64>> {
        let base = self.value(&view.base, thread)?;
        let outside = Outside::of(&view.outer)?;
        let all = offsets(&view.layout)?.into_iter();
        all.map(|offset| outside.at(base.checked_add(offset)?)).collect()
    }

    /// For each element of a copy whether its predicates let it through, or `None` if that is not known.
    fn inside(&mut self, copy: &'r Copy, thread: i64) -> Option<Vec<bool>> {
        let mut all: Option<Vec<bool>> = None;
        for (predicate, limit) in &copy.predicates {
            let places = self.elements_of(predicate, thread)?;
            let own = places.into_iter().map(|place| place < *limit);
            all = Some(match all {
                None => own.collect(),
                Some(all) => all.into_iter().zip(own).map(|(a, b)| a && b).collect(),
            });
        }
        all
    }
}
