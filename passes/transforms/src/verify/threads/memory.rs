//! What was done to each element: by whom, since which barrier.

use super::program::{Program, Touch};
use crate::verify::trace::Root;
use std::collections::{BTreeMap, HashMap};

/// A thread in one of a program's accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actor {
    pub(super) thread: u32,
    pub(super) event: u32,
    /// Barriers of its warp before.
    warps: u32,
}

/// What two accesses do to each other.
pub(super) enum Conflict {
    /// What is read was never written.
    Unwritten,
    /// Nothing orders them.
    Race { actor: Actor, stored: bool },
    /// An asynchronous copy was not waited for.
    Pending(Actor),
    /// Another block stores it, or it is stored by another.
    Blocks { actor: Actor, stored: bool, block: i64 },
}

#[derive(Clone, Default)]
struct Cell {
    /// Barriers before what follows was noted.
    epoch: u32,
    writer: Option<Actor>,
    reader: Option<Actor>,
    /// A reader that is another thread.
    other: Option<Actor>,
    written: bool,
    pending: Option<Actor>,
    /// Blocks that stored and loaded it before.
    blocks: [Option<(i64, Actor)>; 2],
}

/// The memory of a function.
pub(super) struct Memories {
    /// By the memory: whether each block has its own, and its elements.
    all: BTreeMap<Root, (bool, HashMap<i64, Cell>)>,
    epoch: u32,
    warps: u32,
    block: i64,
    /// Elements that the asynchronous copies of each group write, the group that is open last.
    groups: Vec<Vec<(Root, i64)>>,
}

impl Memories {
    pub(super) fn new(program: &Program<'_>) -> Self {
        let all = program.roots().into_iter().map(|root| {
            let own = !matches!(root, Root::Argument(_));
            (root, (own, HashMap::new()))
        });
        Self { all: all.collect(), epoch: 1, warps: 0, block: 0, groups: vec![Vec::new()] }
    }

    pub(super) fn begin_block(&mut self, number: i64) {
        self.epoch += 1;
        self.block = number;
        self.groups = vec![Vec::new()];
        for (own, cells) in self.all.values_mut() {
            match own {
                true => cells.clear(),
                false => cells.values_mut().for_each(|cell| cell.pending = None),
            }
        }
    }

    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    pub(super) fn warp_barrier(&mut self) {
        self.warps += 1;
    }

    /// What is not followed may have waited.
    pub(super) fn forget(&mut self) {
        self.epoch += 1;
        self.groups = vec![Vec::new()];
        for (_, cells) in self.all.values_mut() {
            cells.values_mut().for_each(|cell| cell.pending = None);
        }
    }

    pub(super) fn commit(&mut self) {
        self.groups.push(Vec::new());
    }

    /// All groups but the last ones are done: their threads see what they wrote.
    pub(super) fn wait(&mut self, left: usize) {
        let committed = self.groups.len() - 1;
        let done: Vec<_> = self.groups.drain(..committed.saturating_sub(left)).collect();
        for (root, element) in done.into_iter().flatten() {
            let Some((_, cells)) = self.all.get_mut(&root) else { continue };
            let Some(cell) = cells.get_mut(&element) else { continue };
            if let Some(actor) = cell.pending.take() {
                cell.renew(self.epoch);
                cell.writer = Some(actor);
            }
        }
    }

    /// Notes an access; what is wrong with it.
    pub(super) fn touch(
        &mut self,
        touch: &Touch<'_>,
        element: i64,
        thread: i64,
        whole: bool,
    ) -> Option<Conflict> {
        let actor =
            Actor { thread: u32::try_from(thread).ok()?, event: touch.event, warps: self.warps };
        let (own, cells) = self.all.get_mut(touch.root)?;
        let (first, count) = touch.units(element);
        for unit in first..first + count {
            let cell = cells.entry(unit).or_default();
            cell.renew(self.epoch);
            let conflict = cell.touch(touch, actor, *own && whole, self.block);
            if conflict.is_some() {
                return conflict;
            }
            if touch.asynchronous {
                cell.pending = Some(actor);
                cell.writer = None;
                if let Some(open) = self.groups.last_mut() {
                    open.push((touch.root.clone(), unit));
                }
            }
            if !*own {
                cell.blocks[usize::from(!touch.store)] = Some((self.block, actor));
            }
        }
        None
    }
}

impl Cell {
    fn renew(&mut self, epoch: u32) {
        if self.epoch != epoch {
            *self = Self {
                epoch,
                written: self.written,
                pending: self.pending,
                blocks: self.blocks,
                ..Self::default()
            };
        }
    }

    fn touch(
        &mut self,
        touch: &Touch<'_>,
        actor: Actor,
        is_new: bool,
        block: i64,
    ) -> Option<Conflict> {
        // One thread's accesses are in order, and those of a warp behind its own barrier.
        let apart = |other: &Actor| {
            other.thread != actor.thread
                && (other.thread / 32 != actor.thread / 32 || other.warps == actor.warps)
        };
        if let Some(other) = self.pending {
            return Some(Conflict::Pending(other));
        }
        if let Some(other) = self.writer.filter(apart) {
            self.writer = Some(actor).filter(|_| touch.store).or(self.writer);
            return Some(Conflict::Race { actor: other, stored: true });
        }
        let [stored, loaded] = self.blocks;
        let others = |noted: Option<(i64, Actor)>| noted.filter(|&(number, _)| number != block);
        if let Some((number, other)) = others(stored) {
            return Some(Conflict::Blocks { actor: other, stored: true, block: number });
        }
        if !touch.store {
            if is_new && !self.written {
                return Some(Conflict::Unwritten);
            }
            match self.reader {
                Some(reader) if reader.thread != actor.thread => self.other = Some(actor),
                _ => self.reader = Some(actor),
            }
            return None;
        }
        if let Some(other) = [self.reader, self.other].into_iter().flatten().find(apart) {
            return Some(Conflict::Race { actor: other, stored: false });
        }
        if let Some((number, other)) = others(loaded) {
            return Some(Conflict::Blocks { actor: other, stored: false, block: number });
        }
        self.written = true;
        self.writer = Some(actor);
        None
    }
}
