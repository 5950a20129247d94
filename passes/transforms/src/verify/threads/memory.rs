//! The accesses to each element: thread and time.

use super::{
    clock::Clocks,
    program::{By, CopyAccess, Program},
};
use crate::verify::{
    matrices::{MatrixRows, ROW_BYTES},
    trace::Root,
};
use layout_dialect::atoms::WARP;
use std::collections::{BTreeMap, HashMap};

/// Readers of an element, of which those that are done are forgotten from time to time.
const READERS: usize = 8;

/// A thread in one of a program's accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actor {
    pub(super) thread: u32,
    pub(super) event: u32,
}

/// An access by an agent at a time, that a thread has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub(super) agent: usize,
    pub(super) time: u32,
    pub(super) actor: Actor,
    /// Whether it is an atomic update, which no other one conflicts with.
    pub(super) atomic: bool,
    /// Whether it is a generic-proxy access, which needs a fence before the asynchronous proxy sees it.
    pub(super) generic: bool,
    /// The threads that hold the first and the last byte, each with its time. For matrices, these may differ from the lane that
    /// gives the address; for other accesses, they are the thread that accesses.
    pub(super) holders: [(usize, u32); 2],
}

impl Stamp {
    /// The access of some bytes of a row that lanes of a warp hold.
    fn held(self, rows: MatrixRows, bytes: [i64; 2], clocks: &Clocks) -> Self {
        let thread = i64::from(self.actor.thread);
        let (lane, first) = (thread % WARP, thread / WARP * WARP);
        let holders = bytes.map(|byte| {
            let holder = first + rows.holder(lane, byte.rem_euclid(ROW_BYTES));
            let holder = usize::try_from(holder).ok().filter(|&holder| holder < clocks.threads());
            let holder = holder.unwrap_or(self.agent);
            (holder, clocks.of(holder, holder))
        });
        Self { holders, ..self }
    }

    /// Whether another access has completed for the threads that begin this one.
    fn follows(&self, other: &Self, clocks: &Clocks) -> bool {
        self.holders.iter().zip(other.holders).all(|(&(thread, _), held)| {
            let (agent, time) = if other.generic { held } else { (other.agent, other.time) };
            clocks.of(thread, agent) >= time
        })
    }

    /// Whether the same agents make both.
    fn is_of(&self, other: &Self) -> bool {
        let threads = |own: &Self| own.holders.map(|(thread, _)| thread);
        self.agent == other.agent && (!self.generic || threads(self) == threads(other))
    }
}

/// The conflict of two accesses.
#[derive(Clone, Copy)]
pub(super) enum Conflict {
    /// An element that is read was never written.
    Unwritten,
    /// Nothing orders them.
    Race { actor: Actor, stored: bool },
    /// An actor beside the threads was not waited for.
    Pending { actor: Actor, stored: bool },
    /// No fence shows what a thread stored to the asynchronous proxy, which reads it.
    Unshown { actor: Actor },
    /// Another block stores it, or it is stored by another.
    Blocks { actor: Actor, stored: bool, block: i64 },
}

#[derive(Clone, Default)]
struct Cell {
    /// Which block what follows was noted in.
    epoch: u32,
    writer: Option<Stamp>,
    readers: Vec<Stamp>,
    /// Atomic updates since it was stored last.
    updates: Vec<Stamp>,
    written: bool,
    /// Blocks that stored, loaded and updated it before.
    blocks: [Option<(i64, Actor)>; 3],
}

/// The memory of a function.
pub(super) struct Memories {
    /// By the memory: whether each block has its own, and its elements.
    all: BTreeMap<Root, (bool, HashMap<i64, Cell>)>,
    epoch: u32,
    block: i64,
    /// Whether blocks may have an order, so that accesses of two of them are no conflict that is known.
    ordered: bool,
}

impl Memories {
    pub(super) fn new(program: &Program<'_>, ordered: bool) -> Self {
        let all = program.roots().into_iter().map(|root| {
            let own = !matches!(root, Root::Argument(_));
            (root, (own, HashMap::new()))
        });
        Self { all: all.collect(), epoch: 0, block: 0, ordered }
    }

    pub(super) fn begin_block(&mut self, number: i64) {
        self.epoch += 1;
        self.block = number;
        for (own, cells) in self.all.values_mut() {
            if *own {
                cells.clear();
            }
        }
    }

    /// An operation that is not followed may have waited for all.
    pub(super) fn forget(&mut self) {
        self.epoch += 1;
    }

    /// Notes an access; what is wrong with it, and at which units of memory. A thread that begins it knows what its clock
    /// says.
    pub(super) fn touch(
        &mut self,
        touch: &CopyAccess<'_>,
        element: i64,
        stamp: Stamp,
        clocks: &Clocks,
        whole: bool,
    ) -> Vec<(i64, Conflict)> {
        let Some((own, cells)) = self.all.get_mut(touch.root) else { return Vec::new() };
        let mut found = Vec::new();
        let (first, count) = touch.units(element);
        for unit in first..first + count {
            let stamp = match touch.rows {
                Some(rows) => {
                    let byte = unit.saturating_mul(touch.unit);
                    let last = byte.saturating_add(touch.unit.min(touch.bytes) - 1);
                    stamp.held(rows, [byte, last], clocks)
                }
                None => stamp,
            };
            let cell = cells.entry(unit).or_default();
            if cell.epoch != self.epoch {
                *cell = Cell {
                    epoch: self.epoch,
                    written: cell.written,
                    blocks: cell.blocks,
                    ..Cell::default()
                };
            }
            let conflicts = cell.touch(touch, stamp, clocks, *own && whole, self.block);
            found.extend(conflicts.into_iter().map(|conflict| (unit, conflict)));
            if !*own && !self.ordered {
                let did = match (touch.store, stamp.atomic) {
                    (_, true) => 2,
                    (true, _) => 0,
                    (false, _) => 1,
                };
                cell.blocks[did] = Some((self.block, stamp.actor));
            }
        }
        found
    }
}

impl Cell {
    fn touch(
        &mut self,
        touch: &CopyAccess<'_>,
        stamp: Stamp,
        clocks: &Clocks,
        is_new: bool,
        block: i64,
    ) -> Vec<Conflict> {
        let begins = stamp.actor.thread as usize;
        // Done for the thread that begins the access: what it does itself is in order, and what an agent beside the
        // threads does at once is one access where one operation does it.
        let is_done = |other: &Stamp| {
            stamp.follows(other, clocks)
                || other.agent == stamp.agent
                    && other.time == stamp.time
                    && other.actor.event == stamp.actor.event
                    && other.actor.thread == stamp.actor.thread
        };
        let conflict = |other: Stamp, stored: bool| {
            let by = other.actor.thread as usize;
            let actor = other.actor;
            // Another thread may have waited for what works beside it, and not signalled this one.
            match other.generic || clocks.of(by, other.agent) >= other.time {
                true => Conflict::Race { actor, stored },
                false => Conflict::Pending { actor, stored },
            }
        };
        if let Some(other) = self.writer.filter(|other| !is_done(other)) {
            self.writer = Some(stamp).filter(|_| touch.store).or(self.writer);
            return vec![conflict(other, true)];
        }
        let is_asynchronous = matches!(touch.by, By::Mmas | By::BulkGroup) && !touch.store;
        let is_hidden = |other: &Stamp| {
            is_new && other.generic && !clocks.is_shown(begins, other.agent, other.time)
        };
        if let Some(other) = self.writer.filter(|other| is_asynchronous && is_hidden(other)) {
            return vec![Conflict::Unshown { actor: other.actor }];
        }
        let update = |other: &&Stamp| !stamp.atomic && !is_done(other);
        if let Some(&other) = self.updates.iter().find(update) {
            return vec![conflict(other, true)];
        }
        let [stored, loaded, updated] = self.blocks;
        let others = |noted: Option<(i64, Actor)>| noted.filter(|&(number, _)| number != block);
        if let Some((number, other)) = others(stored) {
            return vec![Conflict::Blocks { actor: other, stored: true, block: number }];
        }
        if let Some((number, other)) = others(updated).filter(|_| !stamp.atomic) {
            return vec![Conflict::Blocks { actor: other, stored: true, block: number }];
        }
        if is_new && !self.written && (!touch.store || touch.combines) {
            return vec![Conflict::Unwritten];
        }
        if !touch.store {
            // Those before are done where this one is.
            add(&mut self.readers, stamp, |other| !stamp.follows(other, clocks));
            return Vec::new();
        }
        let open = self.readers.iter().filter(|other| !is_done(other));
        let found: Vec<Conflict> = open.map(|&other| conflict(other, false)).collect();
        // Those that read it may not use it, so that the store of a block's own memory counts in any case.
        if !found.is_empty() && !is_new {
            return found;
        }
        if let Some((number, other)) = others(loaded) {
            return vec![Conflict::Blocks { actor: other, stored: false, block: number }];
        }
        self.readers.clear();
        self.written = true;
        if stamp.atomic {
            add(&mut self.updates, stamp, |other| !stamp.follows(other, clocks));
        } else {
            self.updates.clear();
            self.writer = Some(stamp);
        }
        found
    }
}

/// Adds an access to those of its kind, of which the ones that it comes after, and an earlier one of the same actor, need
/// not be kept.
fn add(all: &mut Vec<Stamp>, stamp: Stamp, is_open: impl Fn(&Stamp) -> bool) {
    match all.last_mut() {
        Some(last) if last.is_of(&stamp) => *last = stamp,
        _ => {
            if all.len() >= READERS && all.len().is_power_of_two() {
                all.retain(|other| !other.is_of(&stamp) && is_open(other));
            }
            all.push(stamp);
        }
    }
}
