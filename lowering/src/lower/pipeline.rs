//! `layout.pipeline` on a GPU: a warpgroup that loads, and warpgroups that multiply.
//!
//! Each stage has two barriers in shared memory. `full` is completed by the copy engine when the stage's bytes have arrived, `empty`
//! by the consumers' warps when they have read them. Both flip once in every round, so that a wait names the parity of the round:
//!
//! ```text
//! producer    for each tile, each k:  wait empty; expect the bytes on full; load
//! consumers   for each tile:          prologue
//!               each k:               wait full; mainloop; wait for the step before; release its stage
//!                                     wait for the last step; release its stage; epilogue
//! ```
//!
//! A step that leaves nothing in flight releases its own stage. With several consumer groups, a tile is one group's, and the producer's
//! steps go round all of them. A barrier `turn` for each group orders their MMAs by the sequence of the block's tiles:
//!
//! ```text
//! a consumer group      for each tile of its own:  prologue; wait turn; … all steps …; pass the turn on; epilogue
//! ```
//!
//! While one consumer group multiplies, the others are in their epilogues, and all have MMAs in flight only where one's end meets the next one's
//! beginning. The order is needed, too: a parity distinguishes a phase from the next one only, so that no consumer group may wait for a stage
//! whose phase before is still to come.
//!
//! Producer and consumers count the steps of the tiles before from tile to tile, and find each step in the same stage and round. Where tiles have
//! steps of their own, both compute how many from the same arithmetic ([`tiles`]). A step divides nothing: it carries its slot, a stage
//! and a parity, to the next, since loads and MMAs wait for it. With remainders by 5, 6 or 12 stages kernels took 4 to 20 % longer.
//!
//! In a cluster, consumers also signal the producers of other blocks that they have read a stage. After its last step a
//! producer waits until all stages are empty, so that its block's barriers outlive the last arrival.
//!
//! The producer is one thread of the warpgroup after the consumers, which gives most of its registers to them.

mod again;
mod tiles;

use super::{
    Failure, Located, Lowering, Target,
    address::{cast, inner, offset_pointer},
    cluster::{self, Cluster},
    copy::parse,
    groups::Groups,
    memory::element_bytes,
    warps,
    wgmma::{self, Accumulators},
};
use layout_dialect::{
    ViewType,
    atoms::{self, WARP, WARPGROUP},
    build::{self, Builder, Val, operand, result},
    epilogue::YIELD,
    ops::{PIPELINE_STEPS, PipelineFacts},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, OperationRef, RegionLike, Type, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};
use std::collections::HashMap;
use tiles::{ConsumerGroup, Tiles, close_step};

/// The facts that operations inside a pipeline need.
#[derive(Default)]
pub(super) struct Stage<'c> {
    /// In `load`: the barrier that counts the bytes.
    pub(super) barrier: Option<Val<'c>>,
    /// The blocks of the cluster, which multicast loads.
    pub(super) cluster: Option<Cluster<'c>>,
    /// Accumulators that instructions in flight write.
    pub(super) under_way: Vec<Accumulators<'c>>,
    /// Registers that a thread may have.
    pub(super) registers: i64,
    /// In `mainloop`: its groups of MMAs.
    pub(super) groups: Groups,
}

/// The regions of the operation.
const LOAD: usize = 0;
const PROLOGUE: usize = 1;
const MAINLOOP: usize = 2;
const EPILOGUE: usize = 3;

/// Bytes of a barrier.
const BARRIER_BYTES: i64 = 8;

/// The time hint of `try_wait`, in nanoseconds: a thread that waits longer tries again.
const SUSPEND_NANOSECONDS: i64 = 10_000_000;

/// How many barriers of each kind there are, and what arrives at them.
struct FrameCounts {
    stages: i64,
    turns: i64,
    /// The warps of a consumer group.
    warps: i64,
    /// Blocks that each stage is written from.
    writers: i64,
}

/// The values that all of a pipeline's code uses.
struct Frame<'c> {
    operation: OperationRef<'c, 'c>,
    facts: PipelineFacts,
    thread: Val<'c>,
    cluster: Option<Cluster<'c>>,
    full: Val<'c>,
    empty: Val<'c>,
    /// One barrier for each consumer group, where there are several.
    turns: Val<'c>,
    counts: FrameCounts,
    /// Bytes that one step loads.
    bytes: i64,
    /// Whether the threads of a warp read a stage each for itself, and not as `wgmma` does for all.
    reads: bool,
}

impl<'c> Lowering<'c> {
    pub(super) fn pipeline(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), Located<'c>> {
        let at = |failure: Failure| (operation, failure);
        if self.target == Target::Host {
            return Err(at(Failure::refused(
                "expected no layout.pipeline on the host: run layout-serialize first",
            )));
        }
        if self.stage.is_some() {
            return Err(at(Failure::refused("expected no layout.pipeline inside another")));
        }
        again::meets_nowhere(operation)?;
        let b = Builder::before(operation);
        let frame = self.frame(&b, operation).map_err(at)?;
        let consumers = frame.facts.consumers;
        let index = Type::index(self.context);
        let first = |b: &Builder<'c>| -> Result<Val<'c>, Failure> {
            let consumers = b.constant(index, consumers)?;
            Ok(b.less(frame.thread, consumers)?)
        };
        let consumes = first(&b).map_err(at)?;
        // In place before they are filled: what fails inside is reported, and must be in place by then.
        let ((consumer, consuming), (loader, loading)) = (b.region(), b.region());
        b.operation("scf.if", &[consumes], &[], &[], vec![consumer, loader])
            .map_err(|e| at(e.into()))?;
        let end = |inner: &Builder<'c>| {
            let end = inner.operation("scf.yield", &[], &[], &[], vec![]);
            end.map(|_| ()).map_err(|e| at(e.into()))
        };
        let registers = atoms::consumer_registers(consumers / WARPGROUP);
        self.stage = Some(Stage { cluster: frame.cluster, registers, ..Stage::default() });
        self.consume(&consuming, &frame)?;
        end(&consuming)?;
        self.produce(&loading, &frame)?;
        end(&loading)?;
        self.stage = None;
        if again::may_run_again(operation) {
            frame.retire(&b).map_err(at)?;
        }
        Ok(())
    }

    /// Makes the barriers, and lets all threads see them.
    fn frame(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<Frame<'c>, Failure> {
        let facts = layout_dialect::ops::pipeline(operation)?;
        let stages = facts.stages;
        let turns = if facts.ping_pong > 1 { facts.ping_pong } else { 0 };
        let bytes = stages
            .checked_mul(2)
            .and_then(|barriers| barriers.checked_add(turns)?.checked_mul(BARRIER_BYTES))
            .ok_or_else(Failure::overflow)?;
        let full = self.shared_buffer(operation.location(), bytes, None)?;
        let empty = offset_pointer(b, full, b.integer(64), None, stages)?;
        let turn = match turns {
            0 => empty,
            _ => offset_pointer(b, full, b.integer(64), None, 2 * stages)?,
        };
        let thread = warps::thread(b, self.function)?;
        let cluster = Cluster::new(b, facts.cluster)?;
        let writers = cluster.as_ref().map_or(1, Cluster::writers);
        let counts = FrameCounts { stages, turns, warps: facts.group_threads() / WARP, writers };
        let bytes = loaded(operation, LOAD)?;
        let reads = reads(operation)?;
        let frame = Frame {
            operation,
            facts,
            thread,
            cluster,
            full,
            empty,
            turns: turn,
            counts,
            bytes,
            reads,
        };
        let mut all = Vec::new();
        for (barriers, count, arrivals) in frame.barriers() {
            all.extend((0..count).map(|number| (barriers, number, arrivals)));
        }
        self.initialise(b, thread, &all)?;
        match frame.cluster {
            Some(_) => cluster::meet(b)?,
            None => {
                b.operation("gpu.barrier", &[], &[], &[], vec![])?;
            }
        }
        Ok(frame)
    }

    fn produce(&mut self, b: &Builder<'c>, frame: &Frame<'c>) -> Result<(), Located<'c>> {
        let at = |failure: Failure| (frame.operation, failure);
        let index = Type::index(self.context);
        let one_thread = || -> Result<Val<'c>, Failure> {
            set_registers(b, frame.facts.consumers, false)?;
            if frame.facts.depth < ELECTED_STEPS {
                let loader = b.constant(index, frame.facts.consumers)?;
                return Ok(b.equal(frame.thread, loader)?);
            }
            let elected = b.value("nvvm.elect.sync", &[], b.integer(1), &[])?;
            let warp = b.binary("arith.divui", frame.thread, b.constant(index, WARP)?)?;
            let loader = b.constant(index, frame.facts.consumers / WARP)?;
            Ok(b.binary("arith.andi", b.equal(warp, loader)?, elected)?)
        };
        let loads = one_thread().map_err(at)?;
        let (region, inner) = b.region();
        b.operation("scf.if", &[loads], &[], &[], vec![region, melior::ir::Region::new()])
            .map_err(|e| at(e.into()))?;
        let tiles = Tiles::open(&inner, frame, None).map_err(at)?;
        let (step, k, slot) = tiles.open_steps(frame).map_err(at)?;
        keep_in_branches(frame.operation, k).map_err(at)?;
        let open = || -> Result<(Val<'c>, Val<'c>), Failure> {
            slot.wait_until_empty(&step, frame)?;
            let full = barrier(&step, frame.full, slot.stage)?;
            let bytes = step.constant(step.integer(32), frame.bytes)?;
            step.operation("nvvm.mbarrier.arrive.expect_tx", &[full, bytes], &[], &[], vec![])?;
            Ok((full, step.value("arith.index_castui", &[slot.stage], index, &[])?))
        };
        let (full, stage) = open().map_err(at)?;
        if let Some(stage) = &mut self.stage {
            stage.barrier = Some(full);
        }
        self.place(&step, frame, LOAD, &[tiles.tile, k, stage])?;
        if let Some(stage) = &mut self.stage {
            stage.barrier = None;
        }
        close_step(&step, frame, slot).map_err(at)?;
        hoist(&step);
        tiles.close(frame).map_err(at)?;
        if frame.cluster.is_some() {
            tiles.drain(&inner, frame).map_err(at)?;
        }
        inner.operation("scf.yield", &[], &[], &[], vec![]).map_err(|e| at(e.into()))?;
        Ok(())
    }

    fn consume(&mut self, b: &Builder<'c>, frame: &Frame<'c>) -> Result<(), Located<'c>> {
        let at = |failure: Failure| (frame.operation, failure);
        let index = Type::index(self.context);
        let signals = || -> Result<Signals<'c>, Failure> {
            set_registers(b, frame.facts.consumers, true)?;
            let mask = b.constant(index, WARP - 1)?;
            let lane = b.binary("arith.andi", frame.thread, mask)?;
            let writers = frame.cluster.as_ref().map_or(1, Cluster::writers);
            Ok(Signals { lane, sends: cluster::first_lanes(b, lane, writers)? })
        };
        let signals = signals().map_err(at)?;
        let tiles = ConsumerGroup::of(b, frame)
            .and_then(|group| Tiles::open(b, frame, group.as_ref()))
            .map_err(at)?;
        self.place(&tiles.b, frame, PROLOGUE, &[tiles.tile])?;
        tiles.wait_for_turn(frame).map_err(at)?;

        let (step, k, slot) = tiles.open_steps(frame).map_err(at)?;
        let open = || -> Result<Val<'c>, Failure> {
            wait(&step, barrier(&step, frame.full, slot.stage)?, slot.parity)?;
            Ok(step.value("arith.index_castui", &[slot.stage], index, &[])?)
        };
        let stage = open().map_err(at)?;
        if frame.reads {
            // Loads of several steps at once take more registers than there are.
            annotate(k, "unroll").map_err(at)?;
        }
        if let Some(stage) = &mut self.stage
            && let Some(block) = frame.operation.region(MAINLOOP).ok().and_then(|r| r.first_block())
        {
            stage.groups = Groups::of(block);
        }
        self.place(&step, frame, MAINLOOP, &[tiles.tile, k, stage])?;
        let (under_way, groups) = self
            .stage
            .as_mut()
            .map(|stage| (std::mem::take(&mut stage.under_way), std::mem::take(&mut stage.groups)))
            .unwrap_or_default();
        let settled = under_way.is_empty();
        let written_out = !frame.facts.varies && frame.facts.depth <= UNROLL_FACTOR;
        let few = !frame.facts.varies && frame.facts.depth <= FEW_STEPS;
        if !settled && few && !written_out {
            annotate(k, "unroll").map_err(at)?;
        }
        let release_step = || -> Result<(), Failure> {
            if settled {
                return release(&step, frame, signals, slot.stage);
            }
            // The remaining groups are this step's; none where steps are written out.
            let left = if written_out { 0 } else { groups.count() };
            wgmma::wait(&step, i64::try_from(left).unwrap_or(0))?;
            let none = step.constant(index, 0)?;
            let follows = step.less(none, k)?;
            let sends = step.binary("arith.andi", signals.sends, follows)?;
            let before = tiles.stage_before(&step, frame, (slot, k))?;
            release(&step, frame, Signals { sends, ..signals }, before)
        };
        release_step().map_err(at)?;
        close_step(&step, frame, slot).map_err(at)?;

        tiles.pass_turn(frame, signals.lane).map_err(at)?;
        let release_last = || -> Result<(), Failure> {
            if settled {
                return Ok(());
            }
            wgmma::wait_for(&tiles.b, &under_way)?;
            let last = tiles.last_step(frame)?;
            let slot = tiles.slot(&tiles.b, frame, last)?;
            release(&tiles.b, frame, signals, slot.stage)
        };
        release_last().map_err(at)?;
        self.place(&tiles.b, frame, EPILOGUE, &[tiles.tile])?;
        tiles.close(frame).map_err(at)
    }

    /// Moves a region's operations to `b`, with these values for its arguments, and lowers them.
    fn place(
        &mut self,
        b: &Builder<'c>,
        frame: &Frame<'c>,
        region: usize,
        arguments: &[Val<'c>],
    ) -> Result<(), Located<'c>> {
        let block = frame
            .operation
            .region(region)
            .ok()
            .and_then(|region| region.first_block())
            .ok_or_else(|| {
                (frame.operation, Failure::refused("expected a region with a block, found none"))
            })?;
        // SAFETY: the block is owned by the operation's region.
        let block = unsafe { melior::ir::BlockRef::from_raw(block.to_raw()) };
        for (i, &value) in arguments.iter().enumerate() {
            tree::replace_uses(tree::argument(block, i), value);
        }
        let operations = tree::operations(block);
        for &operation in &operations {
            b.adopt(operation);
        }
        for operation in operations {
            if tree::name(operation).starts_with("layout.") {
                self.located(operation)?;
                continue;
            }
            for inner in tree::all(operation) {
                if tree::name(inner).starts_with("layout.") {
                    self.located(inner)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether `mainloop` has anything that reads memory but the multiplications of whole warpgroups.
fn reads(operation: OperationRef<'_, '_>) -> Result<bool, Failure> {
    const PURE: [&str; 4] = ["arith.", "math.", "scf.", "affine."];
    const VIEWS: [&str; 7] = [
        "layout.mma",
        "layout.slice",
        "layout.composition",
        "layout.zipped_divide",
        "layout.logical_divide",
        "layout.idx2crd",
        "layout.crd2idx",
    ];
    let step = operation.region(MAINLOOP)?;
    let operations = step.first_block().map(tree::operations).unwrap_or_default();
    let inner = operations.iter().flat_map(|&operation| tree::all(operation));
    let quiet =
        |name: &str| PURE.iter().any(|dialect| name.starts_with(dialect)) || VIEWS.contains(&name);
    Ok(operations.iter().copied().chain(inner).any(|operation| !quiet(&tree::name(operation))))
}

/// Steps from which on a tile is loaded by an elected thread, of which `ptxas` knows that it is alone: a bulk copy is one instruction, not a loop over
/// the active threads. With fewer steps, the first copies come later so.
const ELECTED_STEPS: i64 = 32;

/// Steps that are unrolled: each waits for all its MMAs. After a wait for all groups but one, `ptxas` 13.0 takes accumulators
/// for complete to which the last group still adds, and reads them before the wait for it where both are in one block
/// (122x960x504 in tiles of 64x16x256: two steps).
const UNROLL_FACTOR: i64 = 2;

/// The number of steps up to which LLVM might unroll the loop over them; it stays a loop for the same reason.
const FEW_STEPS: i64 = 16;

/// Lets what branches of `load` compute stay in them, where there are any: it is the same in all steps, so
/// that LLVM would move that of every branch in front of the loop of this counter, and the producer has
/// few registers.
fn keep_in_branches<'c>(operation: OperationRef<'c, 'c>, counter: Val<'c>) -> Result<(), Failure> {
    let region = operation.region(LOAD)?;
    let loads = region.first_block().map(tree::operations).unwrap_or_default();
    if !loads.iter().any(|&load| tree::name(load) == "scf.if") {
        return Ok(());
    }
    annotate(counter, "licm")
}

/// Has LLVM leave out a transformation of the loop of this counter.
fn annotate(counter: Val<'_>, without: &str) -> Result<(), Failure> {
    let text = format!("#llvm.loop_annotation<{without} = <disable = true>>");
    let counted = tree::owner(counter);
    if let Some(counted) = counted.as_ref().and_then(BlockLike::parent_operation) {
        let context = build::context_of(counted);
        let annotation = Attribute::parse(context, &text)
            .ok_or_else(|| melior::Error::AttributeParse(text.clone()))?;
        tree::set_attribute(counted, "llvm.loop_annotation", annotation);
    }
    Ok(())
}

/// How many steps a tile has: the arithmetic of the region, once more.
fn steps<'c>(b: &Builder<'c>, frame: &Frame<'c>, tile: Val<'c>) -> Result<Val<'c>, Failure> {
    let region = frame.operation.region(PIPELINE_STEPS)?;
    let block = region
        .first_block()
        .ok_or_else(|| Failure::refused("expected a region of steps with a block, found none"))?;
    // SAFETY: the block is owned by the operation's region.
    let block = unsafe { melior::ir::BlockRef::from_raw(block.to_raw()) };
    let mut values = HashMap::from([(tree::key(tree::argument(block, 0)), tile)]);
    for inner in tree::operations(block) {
        let operands: Vec<Val<'c>> = (0..inner.operand_count())
            .map(|i| operand(inner, i))
            .map(|old| values.get(&tree::key(old)).copied().unwrap_or(old))
            .collect();
        if tree::name(inner) == YIELD
            && let Some(&steps) = operands.first()
        {
            return Ok(steps);
        }
        let copy = tree::clone_with(b, inner, &operands);
        for i in 0..inner.result_count() {
            values.insert(tree::key(result(inner, i)), result(copy, i));
        }
    }
    Err(Failure::refused("expected a region of steps that ends with layout.yield, found none"))
}

/// Bytes that the copies of a region bring: of `load`, or of a transaction.
pub(super) fn loaded(operation: OperationRef<'_, '_>, region: usize) -> Result<i64, Failure> {
    let block = operation.region(region)?.first_block().map(tree::operations);
    let bytes = loaded_by(&block.unwrap_or_default())?;
    // The transaction count of a barrier has 20 bits.
    if bytes >= 1 << 20 {
        return Err(Failure::refused(format!(
            "expected steps that load less than 2^20 bytes, found {bytes}"
        )));
    }
    Ok(bytes)
}

/// Bytes that the copies among some operations bring; branches bring the same.
fn loaded_by(operations: &[OperationRef<'_, '_>]) -> Result<i64, Failure> {
    let mut bytes = 0_i64;
    for &operation in operations {
        let name = tree::name(operation);
        let more = match name.as_str() {
            "layout.copy" | "layout.copy_im2col" => {
                let is_bulk = name == "layout.copy_im2col"
                    || layout_dialect::ops::atom(operation)?
                        .copy_kind()
                        .is_some_and(layout_dialect::atoms::CopyKind::is_bulk_load);
                if !is_bulk {
                    continue;
                }
                let view = ViewType::try_from(operand(operation, 1).r#type())?;
                let size = inner(&view.layout()?).size();
                size.checked_mul(element_bytes(view.element_type())?)
                    .ok_or_else(Failure::overflow)?
            }
            "scf.if" => {
                let branch = |number| -> Result<i64, Failure> {
                    let block = operation.region(number)?.first_block().map(tree::operations);
                    loaded_by(&block.unwrap_or_default())
                };
                let (then, otherwise) = (branch(0)?, branch(1)?);
                if then != otherwise {
                    return Err(Failure::refused(format!(
                        "expected branches of a pipeline's load that copy equal numbers of bytes, found {then} and {otherwise}"
                    )));
                }
                then
            }
            _ => {
                let inner = tree::all(operation);
                let is_copy =
                    |inner: &OperationRef<'_, '_>| tree::name(*inner).starts_with("layout.copy");
                if inner.iter().any(is_copy) {
                    return Err(Failure::refused(format!(
                        "expected the bulk copies of a step in no region but those of scf.if, found \
                         some in {}",
                        tree::name(operation)
                    )));
                }
                0
            }
        };
        bytes = bytes.checked_add(more).ok_or_else(Failure::overflow)?;
    }
    Ok(bytes)
}

fn set_registers(b: &Builder<'_>, consumers: i64, consumes: bool) -> Result<(), Failure> {
    let Some((loader, consumer)) = atoms::moved_registers(consumers / WARPGROUP) else {
        return Ok(());
    };
    let (count, action) = if consumes { (consumer, "increase") } else { (loader, "decrease") };
    let count = IntegerAttribute::new(b.integer(32), count).into();
    let attributes =
        [("regCount", count), ("action", parse(b, &format!("#nvvm<action {action}>"))?)];
    b.operation("nvvm.setmaxregister", &[], &[], &attributes, vec![])?;
    Ok(())
}

fn barrier<'c>(b: &Builder<'c>, barriers: Val<'c>, stage: Val<'c>) -> Result<Val<'c>, Failure> {
    offset_pointer(b, barriers, b.integer(64), Some(stage), 0)
}

/// Waits for the end of a barrier's phase of this parity.
pub(super) fn wait<'c>(b: &Builder<'c>, barrier: Val<'c>, parity: Val<'c>) -> Result<(), Failure> {
    let ticks = b.constant(b.integer(32), SUSPEND_NANOSECONDS)?;
    b.operation("nvvm.mbarrier.try_wait.parity", &[barrier, parity, ticks], &[], &[], vec![])?;
    Ok(())
}

/// Moves arithmetic that is the same for all steps of a tile in front of their loop. LLVM leaves divisions in it, as it does not see that their
/// divisors are not 0.
fn hoist<'c>(step: &Builder<'c>) {
    const DIVISIONS: [&str; 4] = ["arith.div", "arith.rem", "arith.ceildiv", "arith.floordiv"];
    let (Some(before), Some(block)) = (step.outside(), tree::owner(step.argument(0))) else {
        return;
    };
    let is_inside = |value: Val<'c>| {
        let own = tree::definition(value).map_or_else(|| tree::owner(value), |made| made.block());
        own.is_some_and(|own| own.to_raw().ptr == block.to_raw().ptr)
    };
    let is_positive = |value: Val<'c>| match tree::definition(value) {
        Some(made) if tree::name(made) == "arith.maxui" => {
            (0..2).any(|at| tree::constant(operand(made, at)).is_some_and(|least| least > 0))
        }
        _ => tree::constant(value).is_some_and(|value| value > 0),
    };
    for operation in tree::operations(block) {
        let name = tree::name(operation);
        let divides = DIVISIONS.iter().any(|division| name.starts_with(division));
        if name.starts_with("arith.")
            && (!divides || is_positive(operand(operation, 1)))
            && !(0..operation.operand_count()).any(|at| is_inside(operand(operation, at)))
        {
            before.adopt(operation);
        }
    }
}

/// The threads that say that their warp has read a stage.
#[derive(Clone, Copy)]
struct Signals<'c> {
    /// The thread's number in its warp.
    lane: Val<'c>,
    /// Whether it says so: one thread for each block that the stage is written from.
    sends: Val<'c>,
}

/// A thread of each warp says, to each block that the stage is written from, that the warp has read
/// it.
fn release<'c>(
    b: &Builder<'c>,
    frame: &Frame<'c>,
    signals: Signals<'c>,
    stage: Val<'c>,
) -> Result<(), Failure> {
    let empty = barrier(b, frame.empty, stage)?;
    if frame.reads {
        // The election of one thread of its warp holds for all others from here on.
        let warp = b.constant(b.integer(32), -1)?;
        b.operation("nvvm.bar.warp.sync", &[warp], &[], &[], vec![])?;
    }
    b.branch(
        signals.sends,
        &[],
        |b| {
            match &frame.cluster {
                Some(cluster) => cluster.release(&b, empty, signals.lane)?,
                None => {
                    b.value("nvvm.mbarrier.arrive", &[empty], b.integer(64), &[])?;
                }
            }
            Ok::<_, Failure>(vec![])
        },
        None,
    )?;
    Ok(())
}
