//! Threads continue until they wait. Those that have gone the same way are a group, which does each thing at once; it
//! parts where some wait and others do not.

use super::{
    REFUTED, Run, agent_of,
    barriers::WaitEvent,
    clock::{AsyncAgent, Clock, Key},
    program::{Arrive, Groups, Node, Ring, Signal, ThreadSet},
    repeats::Repeats,
};
use crate::verify::{
    follow::{Collective, MAX_ROUNDS},
    trace::Condition,
};
use layout_dialect::atoms::WARP;
use layout_relation::IndexForm;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Numbered barriers of a block.
const BARRIERS: i64 = 16;

/// A list of nodes, and how far it is done.
#[derive(Clone)]
struct Frame<'p> {
    nodes: &'p [Node<'p>],
    at: usize,
    turn: Option<Iteration<'p>>,
}

/// An iteration of a loop.
#[derive(Clone, Copy)]
struct Iteration<'p> {
    symbol: u32,
    round: i64,
    most: i64,
    has_barrier: bool,
    repeats: Option<Repeats>,
    /// The conditions under which a thread is in a round.
    live: Option<&'p [Condition]>,
}

impl Iteration<'_> {
    /// Whether only a condition ends the loop.
    const fn is_open(&self) -> bool {
        self.most >= MAX_ROUNDS && self.live.is_some()
    }
}

/// The event that a thread waits for.
#[derive(Clone, Copy)]
enum Pending {
    Phase(Key, WaitEvent, usize),
    /// A numbered barrier, which had opened so often.
    Number(i64, usize),
}

struct Group<'p> {
    threads: Vec<i64>,
    stack: Vec<Frame<'p>>,
    loops: Vec<i64>,
    pending: Vec<(i64, Pending)>,
    /// The operation where all threads meet, which it has come to.
    meets: Option<usize>,
}

/// The next step of a group at a node.
enum Step<'p> {
    Next,
    Enter(Frame<'p>),
    Waits,
    /// All threads of the block meet.
    Meets(usize),
    /// The rest is not followed.
    Halt,
}

impl<'r> Run<'r> {
    /// Walks the threads of a block.
    pub(super) fn block(&mut self) {
        let program: &'r super::Program<'r> = self.program;
        let first = Group {
            threads: (0..self.count).collect(),
            stack: vec![Frame { nodes: &program.nodes, at: 0, turn: None }],
            loops: vec![0; self.loops.len()],
            pending: Vec::new(),
            meets: None,
        };
        let mut ready = VecDeque::from([first]);
        let mut waiting: Vec<Group<'r>> = Vec::new();
        let mut ended: Option<i64> = None;
        loop {
            while let Some(mut group) = ready.pop_front() {
                std::mem::swap(&mut self.loops, &mut group.loops);
                let goes_on = self.advance(&mut group, &mut ready);
                std::mem::swap(&mut self.loops, &mut group.loops);
                match goes_on {
                    None => return,
                    Some(true) => waiting.push(group),
                    Some(false) => {
                        self.ends(&group.threads);
                        ended = ended.or(group.threads.first().copied());
                    }
                }
            }
            let (come, rest): (Vec<_>, Vec<_>) =
                waiting.into_iter().partition(|group| self.may_go_on(group));
            waiting = rest;
            if !come.is_empty() {
                ready.extend(come);
                continue;
            }
            if waiting.is_empty() {
                return;
            }
            if waiting.iter().any(|group| group.meets.is_none()) {
                return self.stuck(&waiting);
            }
            self.meet(&waiting, ended);
            for mut group in waiting.drain(..) {
                group.meets = None;
                if let Some(frame) = group.stack.last_mut() {
                    frame.at += 1;
                }
                ready.push_back(group);
            }
        }
    }

    /// Continues until the group waits, and says true, or ends, and says false; returns `None` if nothing more is examined.
    fn advance(&mut self, group: &mut Group<'r>, ready: &mut VecDeque<Group<'r>>) -> Option<bool> {
        loop {
            if self.refuted >= REFUTED && !self.discards.follows() {
                return None;
            }
            let Some(frame) = group.stack.last() else { return Some(false) };
            let nodes: &'r [Node<'r>] = frame.nodes;
            let next = nodes.get(frame.at);
            if self.program.phases && !matches!(next, Some(Node::Data(..))) {
                self.steps = self.steps.saturating_sub(group.threads.len() as u64);
                if self.steps == 0 || self.accesses == 0 {
                    let loops = group.stack.iter().rev();
                    let own = loops.filter_map(|frame| Some((frame.nodes, frame.turn?)));
                    if let Some((body, turn)) = own.into_iter().find(|(_, turn)| turn.is_open()) {
                        self.is_cut_in(body, turn.round);
                    }
                    return None;
                }
            }
            let Some(node) = next else {
                if !self.end_round(group) {
                    return None;
                }
                continue;
            };
            match self.node(node, group, ready) {
                Step::Next => {
                    group.pending.clear();
                    if let Some(frame) = group.stack.last_mut() {
                        frame.at += 1;
                    }
                }
                Step::Enter(inner) => {
                    if let Some(frame) = group.stack.last_mut() {
                        frame.at += 1;
                    }
                    group.stack.push(inner);
                }
                Step::Waits => return Some(true),
                Step::Meets(operation) => {
                    group.meets = Some(operation);
                    return Some(true);
                }
                Step::Halt => return None,
            }
        }
    }

    fn node(
        &mut self,
        node: &'r Node<'r>,
        group: &mut Group<'r>,
        ready: &mut VecDeque<Group<'r>>,
    ) -> Step<'r> {
        match node {
            Node::Touch(touch) => self.touch(touch, &group.threads),
            Node::Claim(claim) => self.claim(claim),
            Node::Data(who, data) => self.data(*who, data, &group.threads),
            Node::Lost(true) if self.program.phases => return Step::Halt,
            Node::Lost(false) if self.program.phases => self.whole = false,
            // Other threads may have been waited for, and memory written.
            Node::Lost(_) => self.lose(),
            Node::Barrier(who, operation) => return self.barrier(*who, *operation, &group.threads),
            Node::Ring(_, who, operation) => return self.barrier(*who, *operation, &group.threads),
            Node::Loop { .. } => return self.enter(node, &group.threads),
            Node::Numbered { who, number, count, waits, operation } => {
                let how = (*number, *count, *operation);
                if group.pending.is_empty()
                    && let Some(step) = self.arrive_at_number(*who, how, *waits, group)
                {
                    return step;
                }
                return self.part(group, ready);
            }
            Node::Await { who, signal, parity, operation } => {
                group.pending.clear();
                if let Some(step) = self.begin_wait(*who, (*signal, *parity, *operation), group) {
                    return step;
                }
                return self.part(group, ready);
            }
            Node::Warp(who, mask) => {
                let Some(active) = self.active(*who, &group.threads) else { return self.lost() };
                let mut warps: BTreeMap<(usize, i64), Vec<usize>> = BTreeMap::new();
                for thread in active {
                    let lanes = match mask {
                        Some((mask, _)) => self.value(mask, thread as i64),
                        None => Some(-1),
                    };
                    let Some(lanes) = lanes else { return self.lost() };
                    if let (0, Some((_, operation))) = (lanes >> (thread % 32) & 1, mask) {
                        self.left_out(thread as i64, lanes, *operation);
                    }
                    warps.entry((thread / 32, lanes)).or_default().push(thread);
                }
                warps.values().for_each(|warp| self.clocks.meet(warp));
            }
            Node::Fence(who) => {
                let Some(active) = self.active(*who, &group.threads) else { return self.lost() };
                active.into_iter().for_each(|thread| self.clocks.fence(thread));
            }
            Node::Collective(who, collective) => {
                return self.collective(*who, collective, &group.threads);
            }
            Node::Commit(groups, who) => {
                let Some(active) = self.active(*who, &group.threads) else { return self.lost() };
                let all: BTreeSet<AsyncAgent> =
                    active.into_iter().map(|t| agent_of(*groups, t as i64)).collect();
                for actor in all {
                    let count = self.groups.entry(actor).or_insert(0);
                    *count = count.saturating_add(1);
                }
            }
            Node::Wait(groups, who, left) => {
                let Some(active) = self.active(*who, &group.threads) else { return self.lost() };
                for thread in active {
                    self.learn(*groups, thread, *left);
                }
            }
            Node::Make { who, signal, count } => {
                let Some(active) = self.active(*who, &group.threads) else { return self.lost() };
                for thread in active {
                    let own = thread as i64;
                    let place = self.value(signal.form(), own);
                    let Some((place, count)) = place.zip(self.value(count, own)) else {
                        return self.lost();
                    };
                    let made = (thread, self.clocks.of(thread, thread));
                    self.barriers.init(signal.at(place).0, count, Some(made));
                }
            }
            Node::Retire { who, signal } => {
                let Some(active) = self.active(*who, &group.threads) else { return self.lost() };
                for thread in active {
                    let place = self.value(signal.form(), thread as i64);
                    let Some(place) = place else { return self.lost() };
                    self.barriers.retire(signal.at(place).0);
                }
            }
            Node::Compute(compute) => self.compute(compute, &group.threads),
            Node::Arrive(arrive) => {
                if self.arrive(arrive, &group.threads).is_none() {
                    return self.lost();
                }
            }
        }
        Step::Next
    }

    /// The threads that do something, or `None` if that is not known.
    fn active(&mut self, who: ThreadSet<'_>, threads: &[i64]) -> Option<Vec<usize>> {
        let mut all = Vec::new();
        for &thread in threads {
            if self.is_active(who, thread)? {
                all.push(usize::try_from(thread).ok()?);
            }
        }
        Some(all)
    }

    /// All groups but the last ones are done for a thread.
    fn learn(&mut self, groups: Groups, thread: usize, left: u32) {
        let actor = agent_of(groups, thread as i64);
        let committed = self.groups.get(&actor).copied().unwrap_or(0);
        let agent = self.clocks.agent(actor);
        self.clocks.learn(thread, agent, committed.saturating_sub(left));
    }

    /// An unknown operation may have ordered all; after it nothing is known of threads that wait for each other.
    fn lost(&mut self) -> Step<'r> {
        self.depends("a loop, a barrier or a wait", None);
        self.lose();
        if self.program.phases { Step::Halt } else { Step::Next }
    }

    fn lose(&mut self) {
        self.memories.forget();
        self.contents.forget();
        self.whole = false;
    }

    /// All threads meet, or none.
    fn barrier(&mut self, who: ThreadSet<'_>, operation: usize, threads: &[i64]) -> Step<'r> {
        let (mut here, mut away) = (None, None);
        for &thread in threads {
            match self.is_active(who, thread) {
                Some(true) => here = here.or(Some(thread)),
                Some(false) => away = away.or(Some(thread)),
                None => return self.lost(),
            }
        }
        match (here, away) {
            (Some(here), Some(away)) => self.divergent(here, away, operation),
            (None, _) => return Step::Next,
            _ => {}
        }
        Step::Meets(operation)
    }

    /// All threads of the warp, or warpgroup, execute it together, or none.
    fn collective(
        &mut self,
        who: ThreadSet<'_>,
        collective: &Collective,
        threads: &[i64],
    ) -> Step<'r> {
        let operation = collective.operation;
        let mut units: BTreeMap<i64, [Option<i64>; 2]> = BTreeMap::new();
        for &thread in threads {
            let Some(is_active) = self.is_active(who, thread) else {
                self.depends(
                    "an operation that the lanes of a warp execute together",
                    Some(operation),
                );
                self.whole = false;
                return Step::Next;
            };
            let known =
                &mut units.entry(thread / collective.threads).or_default()[usize::from(is_active)];
            *known = known.or(Some(thread));
        }
        let parted = units.into_values().find_map(|[away, here]| here.zip(away));
        if let Some((here, away)) = parted {
            let expected = match collective.threads {
                WARP => "all lanes of the warp to execute this operation together".to_owned(),
                lanes @ ..WARP => {
                    format!("all {lanes} lanes of the segment to execute this operation together")
                }
                _ => "all threads of the warpgroup to execute this operation together".to_owned(),
            };
            self.diverged(&expected, (here, away), operation);
        }
        Step::Next
    }

    /// A lane that executes a warp's barrier is not in its mask.
    fn left_out(&mut self, thread: i64, lanes: i64, operation: usize) {
        let message = format!(
            "expected the mask of a warp barrier to contain each lane that executes it, found {:#x} without lane {} ({}, {})",
            lanes & 0xffff_ffff,
            thread % 32,
            self.thread(thread),
            self.place()
        );
        self.refute(message, operation, None);
    }

    fn divergent(&mut self, here: i64, away: i64, operation: usize) {
        self.diverged("all threads of the block at the barrier", (here, away), operation);
    }

    fn diverged(&mut self, expected: &str, (here, away): (i64, i64), operation: usize) {
        let message = format!(
            "expected {expected}, found {} there and {} absent, in {}",
            self.thread(here),
            self.thread(away),
            self.place()
        );
        self.refute(message, operation, None);
    }

    /// All groups have come to a barrier.
    fn meet(&mut self, groups: &[Group<'r>], ended: Option<i64>) {
        let here = groups.first().and_then(|group| group.threads.first().copied());
        if let (Some(here), Some(away), true) = (here, ended, self.whole) {
            let operation = groups.first().and_then(|group| group.meets).unwrap_or(0);
            self.divergent(here, away, operation);
        }
        let mut all: Vec<usize> = groups
            .iter()
            .flat_map(|group| &group.threads)
            .filter_map(|&thread| usize::try_from(thread).ok())
            .collect();
        all.sort_unstable();
        self.clocks.meet(&all);
        for group in groups {
            let node = group.stack.last().and_then(|frame| frame.nodes.get(frame.at));
            if let Some(Node::Ring(ring, ..)) = node {
                self.make(*ring);
            }
        }
    }

    /// The barriers of a pipeline's stages.
    fn make(&mut self, ring: Ring) {
        for stage in 0..ring.stages.min(super::units::ELEMENTS) {
            self.barriers.init(Key::Full(ring.number, stage), 1, None);
            self.barriers.init(Key::Empty(ring.number, stage), ring.readers, None);
        }
    }

    fn enter(&mut self, node: &'r Node<'r>, group: &[i64]) -> Step<'r> {
        let Node::Loop { bounds, symbol, body, has_barrier, threads, around, live, repeats } = node
        else {
            return Step::Next;
        };
        // Where the loop is entered, its own condition is none yet.
        let outside = live.and_then(|live| live.split_last()).map(|(_, outside)| outside);
        let around = outside.unwrap_or(around);
        let mut most = 0;
        let mut any = false;
        for &thread in group {
            if thread < threads.0 || thread >= threads.1 {
                continue;
            }
            match self.holds(around, thread) {
                Some(true) => any = true,
                Some(false) => continue,
                None => return self.lost(),
            }
            let [from, to, step] = [0, 1, 2].map(|at| self.value(&bounds[at], thread));
            let (Some(from), Some(to), Some(step)) = (from, to, step) else { return self.lost() };
            // A counter that may pass the last word is not followed.
            let wraps = live.is_some() && to.saturating_add(step) > 1 << 41;
            if step < 1 || wraps {
                return self.lost();
            }
            let span = to.saturating_sub(from).max(0);
            most = most.max(span / step + i64::from(span % step != 0));
        }
        if !any || most == 0 {
            return Step::Next;
        }
        self.loops[*symbol as usize] = 0;
        let (symbol, has_barrier, live, repeats) = (*symbol, *has_barrier, *live, *repeats);
        let turn = Iteration { symbol, round: 0, most, has_barrier, repeats, live };
        Step::Enter(Frame { nodes: body, at: 0, turn: Some(turn) })
    }

    /// The end of a list of nodes: the loop's next round, or what is after it. Rounds that repeat earlier ones are
    /// skipped. If there are more other rounds than are examined, the last is examined too. False if the threads never leave
    /// the loop.
    fn end_round(&mut self, group: &mut Group<'r>) -> bool {
        if let Some(Frame {
            nodes,
            turn: Some(turn @ Iteration { symbol, round, live: Some(live), .. }),
            ..
        }) = group.stack.last()
        {
            self.loops[*symbol as usize] = round + 1;
            let goes_on =
                group.threads.iter().any(|&thread| self.holds(live, thread) != Some(false));
            if !goes_on {
                group.stack.pop();
                return true;
            }
            let threads = &group.threads;
            let stays = |run: &mut Self| {
                threads.iter().any(|&thread| run.holds(live, thread) == Some(true))
            };
            if turn.is_open() && stays(self) && !self.may_end((*symbol, *round), nodes, threads) {
                return false;
            }
        }
        let rounds = self.rounds;
        let next = match group.stack.last_mut() {
            Some(Frame { turn: Some(turn), at, .. }) => {
                let (next, last) = (turn.round + 1, turn.most - 1);
                // No decision depends on data of a round.
                let skips = self.discards.skips(next);
                let repeats = turn.repeats.filter(|_| skips);
                if let Some(target) = repeats.and_then(|own| own.skip(next, last, rounds)) {
                    (turn.round, *at) = (target, 0);
                    self.loops[turn.symbol as usize] = target;
                    return true;
                }
                let is_cut = turn.repeats.is_none() && turn.most > rounds;
                let jumps = is_cut && next >= rounds && turn.round < last;
                if jumps {
                    self.whole = false;
                    self.cut = self.cut.max(Some((turn.most, next + 1)));
                }
                // The threads between may have met, and so may those after.
                if turn.has_barrier && (jumps || is_cut && turn.round == last) {
                    self.memories.forget();
                }
                match turn.round < last {
                    true => {
                        turn.round = if jumps { last } else { next };
                        *at = 0;
                        Some((turn.symbol, turn.round))
                    }
                    false => None,
                }
            }
            _ => None,
        };
        match next {
            Some((symbol, round)) => self.loops[symbol as usize] = round,
            None => {
                group.stack.pop();
            }
        }
        true
    }

    /// Threads arrive at a numbered barrier. A step where none of them waits there.
    fn arrive_at_number(
        &mut self,
        who: ThreadSet<'_>,
        (number, count, operation): (&IndexForm, Option<&IndexForm>, usize),
        waits: bool,
        group: &mut Group<'r>,
    ) -> Option<Step<'r>> {
        let Some(active) = self.active(who, &group.threads) else { return Some(self.lost()) };
        if active.is_empty() {
            return Some(Step::Next);
        }
        for thread in active {
            let own = thread as i64;
            let count = match count {
                Some(count) => self.value(count, own),
                None => Some(self.count),
            };
            let Some((number, count)) = self.value(number, own).zip(count) else {
                return Some(self.lost());
            };
            if count < 1 || count > self.count {
                let message = format!(
                    "expected a barrier of 1 to {} threads, found {count} ({}, {})",
                    self.count,
                    self.thread(own),
                    self.place()
                );
                self.refute(message, operation, None);
                return Some(Step::Halt);
            }
            if !(0..BARRIERS).contains(&number) {
                let message = format!(
                    "expected a barrier of number 0 to {}, found {number} ({}, {})",
                    BARRIERS - 1,
                    self.thread(own),
                    self.place()
                );
                self.refute(message, operation, None);
                return Some(Step::Halt);
            }
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let clock = self.clocks.release(thread);
            let before = self.barriers.meet(number, count, &clock);
            if waits {
                group.pending.push((own, Pending::Number(number, before)));
            }
        }
        None
    }

    /// Threads begin to wait for a phase.
    fn begin_wait(
        &mut self,
        who: ThreadSet<'_>,
        (signal, parity, operation): (Signal<'_>, Option<&IndexForm>, usize),
        group: &mut Group<'r>,
    ) -> Option<Step<'r>> {
        let Some(active) = self.active(who, &group.threads) else { return Some(self.lost()) };
        for thread in active {
            let own = thread as i64;
            let Some(value) = self.value(signal.form(), own) else { return Some(self.lost()) };
            let (key, round) = signal.at(value);
            let until = match (signal, parity) {
                (_, Some(parity)) => match self.value(parity, own) {
                    Some(parity) => WaitEvent::Parity(parity),
                    None => return Some(self.lost()),
                },
                (Signal::Empty(..), None) => WaitEvent::Phases(round),
                (_, None) => WaitEvent::Phases(round.saturating_add(1)),
            };
            if self.barriers.current(key).is_none() {
                self.no_barrier("what waits", (key, value), own, operation);
                return Some(Step::Halt);
            }
            self.sees(key, thread, operation);
            group.pending.push((own, Pending::Phase(key, until, operation)));
        }
        None
    }

    /// A thread knows that the barrier that it arrives at or waits for was made, or that is refuted.
    fn sees(&mut self, key: Key, thread: usize, operation: usize) {
        let Some((maker, time)) = self.barriers.made(key) else { return };
        if maker == thread || self.clocks.of(thread, maker) >= time {
            return;
        }
        let (Key::At(buffer, place), maker) = (key, self.thread(maker as i64)) else { return };
        let message = format!(
            "expected a barrier between the initialisation of {} and its use, found none: {maker} initialises it and {} uses it, in {}",
            barrier(buffer, place),
            self.thread(thread as i64),
            self.place()
        );
        self.refute(message, operation, None);
    }

    /// Bulk copies that a group's threads began read shared memory no more when they end.
    fn ends(&mut self, threads: &[i64]) {
        if !self.whole {
            return;
        }
        for &thread in threads {
            let actor = agent_of(Groups::Bulk, thread);
            let Some(&(time, operation)) = self.begun.get(&actor) else { continue };
            let agent = self.clocks.agent(actor);
            let own = usize::try_from(thread).unwrap_or(0);
            if self.clocks.of(own, agent) < time {
                let message = format!(
                    "expected a wait for bulk copies from shared memory before the end of the kernel, found \
                     none: {} began one, in {}",
                    self.thread(thread),
                    self.place()
                );
                return self.refute(message, operation, None);
            }
        }
    }

    /// Whether a thread continues, which learns what it waited for.
    fn has_come(&mut self, thread: i64, pending: Pending) -> bool {
        match pending {
            Pending::Number(number, before) => match self.barriers.opened(number, before) {
                Some(clock) => {
                    let clock = Clock::clone(clock);
                    self.learns(thread, &clock);
                    true
                }
                None => false,
            },
            Pending::Phase(key, until, _) => match self.barriers.has_come(key, until) {
                Some(Some(clock)) => {
                    self.learns(thread, &clock);
                    true
                }
                _ => false,
            },
        }
    }

    fn learns(&mut self, thread: i64, clock: &Clock) {
        if let Ok(thread) = usize::try_from(thread) {
            self.clocks.acquire(thread, clock);
        }
    }

    /// Those of a group that wait, and those that do not, which continue as a group of their own.
    fn part(&mut self, group: &mut Group<'r>, ready: &mut VecDeque<Group<'r>>) -> Step<'r> {
        let all = std::mem::take(&mut group.pending);
        let mut waits: BTreeMap<i64, Pending> = BTreeMap::new();
        for (thread, pending) in all {
            if !self.has_come(thread, pending) {
                waits.insert(thread, pending);
            }
        }
        if waits.is_empty() {
            return Step::Next;
        }
        let (stay, go): (Vec<i64>, Vec<i64>) =
            group.threads.iter().partition(|&&thread| waits.contains_key(&thread));
        group.threads = stay;
        group.pending = waits.into_iter().collect();
        if !go.is_empty() {
            let mut stack = group.stack.clone();
            if let Some(frame) = stack.last_mut() {
                frame.at += 1;
            }
            ready.push_back(Group {
                threads: go,
                stack,
                loops: self.loops.clone(),
                pending: Vec::new(),
                meets: None,
            });
        }
        Step::Waits
    }

    /// Whether a thread of a group may continue.
    fn may_go_on(&self, group: &Group<'r>) -> bool {
        group.meets.is_none()
            && group.pending.iter().any(|&(_, pending)| match pending {
                Pending::Number(number, before) => self.barriers.opened(number, before).is_some(),
                Pending::Phase(key, until, _) => {
                    matches!(self.barriers.has_come(key, until), Some(Some(_)))
                }
            })
    }

    /// Nothing that is waited for will come.
    fn stuck(&mut self, groups: &[Group<'r>]) {
        if !self.whole {
            return;
        }
        let all = || groups.iter().flat_map(|group| &group.pending);
        let number = all().find_map(|&(thread, pending)| match pending {
            Pending::Number(number, _) => Some((thread, number)),
            Pending::Phase(..) => None,
        });
        if let Some((thread, number)) = number {
            let message = format!(
                "expected all threads that barrier {number} counts to arrive, found fewer: {} waits there, in {}",
                self.thread(thread),
                self.place()
            );
            return self.refute(message, 0, None);
        }
        let phase = all().find_map(|&(thread, pending)| match pending {
            Pending::Phase(key, _, operation) => {
                Some((thread, key, operation, self.barriers.lacks(key)?))
            }
            Pending::Number(..) => None,
        });
        let Some((thread, key, operation, (phase, arrivals, bytes))) = phase else { return };
        let barrier = match key {
            Key::At(buffer, place) => barrier(buffer, place),
            Key::Full(_, stage) => format!("the barrier of stage {stage}, which is loaded,"),
            Key::Empty(_, stage) => format!("the barrier of stage {stage}, which is read,"),
        };
        let message = format!(
            "expected phase {phase} of {barrier} to end, found {arrivals} arrivals and {bytes} bytes missing: {} \
             waits for it, in {}",
            self.thread(thread),
            self.place()
        );
        self.refute(message, operation, None);
    }

    /// Threads arrive, each with what it knows.
    fn arrive(&mut self, arrive: &Arrive<'_>, threads: &[i64]) -> Option<()> {
        for thread in self.active(arrive.who, threads)? {
            let own = i64::try_from(thread).ok()?;
            let value = self.value(arrive.signal.form(), own)?;
            let (key, _) = arrive.signal.at(value);
            let number = |run: &mut Self, form: Option<&IndexForm>, none: i64| match form {
                Some(form) => run.value(form, own),
                None => Some(none),
            };
            self.sees(key, thread, arrive.operation);
            let count = number(self, arrive.count, 1)?;
            let bytes = number(self, arrive.bytes, 0)?;
            let mut clock = self.clocks.release(thread);
            if arrive.mmas {
                let actor = agent_of(Groups::Mmas, own);
                let committed = self.groups.get(&actor).copied().unwrap_or(0);
                let agent = self.clocks.agent(actor);
                clock = super::clock::with(&clock, agent, committed);
            }
            let agent = self.clocks.agent(AsyncAgent::Barrier(key));
            if let Err(expected) = self.barriers.arrive(key, agent, (count, bytes), Some(&clock)) {
                let message = format!(
                    "expected {expected}, found {count} more at {} ({}, {})",
                    super::place_of(key, value),
                    self.thread(own),
                    self.place()
                );
                self.refute(message, arrive.operation, None);
                return Some(());
            }
        }
        Some(())
    }
}

/// A barrier in words.
fn barrier(buffer: Option<usize>, place: i64) -> String {
    match buffer {
        Some(buffer) => format!("barrier {place} of buffer {buffer}"),
        None => format!("the barrier at byte {place} of shared memory"),
    }
}
