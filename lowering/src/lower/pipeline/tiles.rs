//! The loops of a pipeline's producer and consumers over tiles and their steps, and the slots of their ring of stages.

use super::{Failure, Frame, barrier, cast, cluster, steps, wait};
use layout_dialect::build::{Builder, CarryingLoop, Val, operand};
use melior::ir::{Type, ValueLike};

/// A step's place in the ring of stages.
#[derive(Clone, Copy)]
pub(super) struct Slot<'c> {
    pub(super) stage: Val<'c>,
    pub(super) parity: Val<'c>,
}

impl<'c> Slot<'c> {
    /// The slot of step `k`, counted from the steps before this tile.
    pub(super) fn of(
        b: &Builder<'c>,
        frame: &Frame<'c>,
        before: Val<'c>,
        k: Val<'c>,
    ) -> Result<Self, Failure> {
        let i32_type = b.integer(32);
        let k = cast(b, k, i32_type)?;
        let step = b.binary("arith.addi", before, k)?;
        let stages = b.constant(i32_type, frame.facts.stages)?;
        let stage = b.binary("arith.remui", step, stages)?;
        let round = b.binary("arith.divui", step, stages)?;
        let one = b.constant(i32_type, 1)?;
        let parity = b.binary("arith.andi", round, one)?;
        Ok(Self { stage, parity })
    }

    /// The one of the next step.
    pub(super) fn next(self, b: &Builder<'c>, frame: &Frame<'c>) -> Result<Self, Failure> {
        let number = |value| b.constant(b.integer(32), value);
        let is_last = b.equal(self.stage, number(frame.facts.stages - 1)?)?;
        let next = b.binary("arith.addi", self.stage, number(1)?)?;
        let stage = select(b, is_last, number(0)?, next)?;
        let turns = b.value("arith.extui", &[is_last], b.integer(32), &[])?;
        Ok(Self { stage, parity: b.binary("arith.xori", self.parity, turns)? })
    }

    /// Waits until the step that had the stage before was read.
    pub(super) fn wait_until_empty(
        &self,
        b: &Builder<'c>,
        frame: &Frame<'c>,
    ) -> Result<(), Failure> {
        let one = b.constant(b.integer(32), 1)?;
        let parity = b.binary("arith.xori", self.parity, one)?;
        wait(b, barrier(b, frame.empty, self.stage)?, parity)
    }
}

/// The number of this thread's consumer group, as an index and as an integer of 32 bits.
pub(super) struct ConsumerGroup<'c> {
    number: Val<'c>,
    narrow: Val<'c>,
}

impl<'c> ConsumerGroup<'c> {
    /// None where there is one consumer group only.
    pub(super) fn of(b: &Builder<'c>, frame: &Frame<'c>) -> Result<Option<Self>, Failure> {
        if frame.facts.ping_pong == 1 {
            return Ok(None);
        }
        let threads = b.constant(Type::index(b.context()), frame.facts.group_threads())?;
        let number = b.binary("arith.divui", frame.thread, threads)?;
        Ok(Some(Self { number, narrow: cast(b, number, b.integer(32))? }))
    }
}

/// The loop over the tiles of a block, or of a consumer group, which counts the steps of the tiles before.
pub(super) struct Tiles<'c> {
    pub(super) b: Builder<'c>,
    pub(super) tile: Val<'c>,
    before: Val<'c>,
    /// The steps of all tiles, after the loop.
    left: Val<'c>,
    /// The number of tiles in a row, one of which is in the loop.
    ping_pong: i64,
    /// The steps of the tile, where they are its own.
    steps: Option<Val<'c>>,
}

impl<'c> Tiles<'c> {
    pub(super) fn open(
        b: &Builder<'c>,
        frame: &Frame<'c>,
        group: Option<&ConsumerGroup<'c>>,
    ) -> Result<Self, Failure> {
        let mut bounds = [0, 1, 2].map(|i| operand(frame.operation, i));
        let i32_type = b.integer(32);
        // An even number of rounds leaves the phase unchanged, and gives the step before the first a number.
        let none = if frame.facts.varies { 2 * frame.facts.stages } else { 0 };
        let mut before = b.constant(i32_type, none)?;
        let mut ping_pong = 1;
        if let Some(group) = group {
            ping_pong = frame.facts.ping_pong;
            let index = Type::index(b.context());
            let skipped = b.binary("arith.muli", bounds[2], group.number)?;
            bounds[0] = b.binary("arith.addi", bounds[0], skipped)?;
            bounds[2] = b.binary("arith.muli", bounds[2], b.constant(index, ping_pong)?)?;
            let depth = b.constant(i32_type, frame.facts.depth)?;
            before = b.binary("arith.muli", group.narrow, depth)?;
        }
        let CarryingLoop { inside, index: tile, carried: [carried], left: [left] } =
            b.open_carrying_loop(bounds, [before])?;
        let steps = if frame.facts.varies { Some(steps(&inside, frame, tile)?) } else { None };
        Ok(Self { b: inside, tile, before: carried, left, ping_pong, steps })
    }

    /// The loop over the tile's steps: at the end of its body, with a step's number and slot.
    pub(super) fn open_steps(
        &self,
        frame: &Frame<'c>,
    ) -> Result<(Builder<'c>, Val<'c>, Slot<'c>), Failure> {
        let number = |value| self.b.constant(Type::index(self.b.context()), value);
        let steps = self.steps.map_or_else(|| number(frame.facts.depth), Ok)?;
        let first = self.slot(&self.b, frame, number(0)?)?;
        let bounds = [number(0)?, steps, number(1)?];
        let CarryingLoop { inside, index, carried: [stage, parity], .. } =
            self.b.open_carrying_loop(bounds, [first.stage, first.parity])?;
        Ok((inside, index, Slot { stage, parity }))
    }

    pub(super) fn last_step(&self, frame: &Frame<'c>) -> Result<Val<'c>, Failure> {
        let index = Type::index(self.b.context());
        let Some(steps) = self.steps else {
            return Ok(self.b.constant(index, frame.facts.depth - 1)?);
        };
        Ok(self.b.binary("arith.subi", steps, self.b.constant(index, 1)?)?)
    }

    /// The turn of the tile at this distance after the loop's: its barrier, and its round.
    fn turn(
        &self,
        b: &Builder<'c>,
        frame: &Frame<'c>,
        distance: i64,
    ) -> Result<(Val<'c>, Val<'c>), Failure> {
        let i32_type = b.integer(32);
        let depth = b.constant(i32_type, frame.facts.depth)?;
        let number = b.binary("arith.divui", self.before, depth)?;
        let number = b.binary("arith.addi", number, b.constant(i32_type, distance)?)?;
        let ping_pong = b.constant(i32_type, frame.facts.ping_pong)?;
        let turn = b.binary("arith.remui", number, ping_pong)?;
        let round = b.binary("arith.divui", number, ping_pong)?;
        Ok((barrier(b, frame.turns, turn)?, round))
    }

    /// Waits until the consumer group of the tile before has issued its MMAs.
    ///
    /// That tile's turn is the one before the turn, one round later, of the tile `consumer groups - 1` later;
    /// and a new barrier counts as past the phase of parity 1.
    pub(super) fn wait_for_turn(&self, frame: &Frame<'c>) -> Result<(), Failure> {
        if self.ping_pong == 1 {
            return Ok(());
        }
        let (turn, round) = self.turn(&self.b, frame, self.ping_pong - 1)?;
        let one = self.b.constant(self.b.integer(32), 1)?;
        let parity = self.b.binary("arith.andi", round, one)?;
        wait(&self.b, turn, self.b.binary("arith.xori", parity, one)?)
    }

    /// Each warp says that it has issued all of a tile's MMAs.
    pub(super) fn pass_turn(&self, frame: &Frame<'c>, lane: Val<'c>) -> Result<(), Failure> {
        if self.ping_pong == 1 {
            return Ok(());
        }
        let first = cluster::first_lanes(&self.b, lane, 1)?;
        let (turn, _) = self.turn(&self.b, frame, 0)?;
        self.b.branch(
            first,
            &[],
            |b| {
                b.value("nvvm.mbarrier.arrive", &[turn], b.integer(64), &[])?;
                Ok::<_, Failure>(vec![])
            },
            None,
        )?;
        Ok(())
    }

    pub(super) fn close(&self, frame: &Frame<'c>) -> Result<(), Failure> {
        let i32_type = self.b.integer(32);
        let depth = match self.steps {
            Some(steps) => cast(&self.b, steps, i32_type)?,
            None => {
                let depth = frame.facts.depth.checked_mul(self.ping_pong);
                self.b.constant(i32_type, depth.ok_or_else(Failure::overflow)?)?
            }
        };
        let next = self.b.binary("arith.addi", self.before, depth)?;
        self.b.operation("scf.yield", &[next], &[], &[], vec![])?;
        Ok(())
    }

    /// The stage of the step before step `k`, which has this slot; by the count where tiles have steps of their own, as validation follows.
    pub(super) fn stage_before(
        &self,
        b: &Builder<'c>,
        frame: &Frame<'c>,
        (slot, k): (Slot<'c>, Val<'c>),
    ) -> Result<Val<'c>, Failure> {
        if self.steps.is_some() {
            let before = b.binary("arith.subi", k, b.constant(k.r#type(), 1)?)?;
            return Ok(self.slot(b, frame, before)?.stage);
        }
        let [none, one, last] =
            [0, 1, frame.facts.stages - 1].map(|n| b.constant(b.integer(32), n));
        let before = b.binary("arith.subi", slot.stage, one?)?;
        select(b, b.equal(slot.stage, none?)?, last?, before)
    }

    /// Where step `k` of the tile is in the ring.
    pub(super) fn slot(
        &self,
        b: &Builder<'c>,
        frame: &Frame<'c>,
        k: Val<'c>,
    ) -> Result<Slot<'c>, Failure> {
        Slot::of(b, frame, self.before, k)
    }

    /// After the loop, the producer of a block of a cluster waits until all steps that it has loaded were
    /// read: consumers of other blocks, too, say so at barriers of this one, which go with the block.
    pub(super) fn drain(&self, b: &Builder<'c>, frame: &Frame<'c>) -> Result<(), Failure> {
        let (inner, k) = b.open_count(frame.facts.stages)?;
        Slot::of(&inner, frame, self.left, k)?.wait_until_empty(&inner, frame)
    }
}

/// Ends the body of a loop over steps.
pub(super) fn close_step<'c>(
    b: &Builder<'c>,
    frame: &Frame<'c>,
    slot: Slot<'c>,
) -> Result<(), Failure> {
    let next = slot.next(b, frame)?;
    b.operation("scf.yield", &[next.stage, next.parity], &[], &[], vec![])?;
    Ok(())
}

fn select<'c>(b: &Builder<'c>, which: Val<'c>, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
    Ok(b.value("arith.select", &[which, x, y], x.r#type(), &[])?)
}
