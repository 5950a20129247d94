//! `layout-pipeline-loops`: pipelines loops that copy tiles to shared memory and compute on them.
//!
//! ```text
//! scf.for %k … {                               copy the first stages-1 tiles, where there are enough
//!   gpu.barrier                                scf.for %k … {
//!   layout.copy <cp_async_…> … to %tile          wait for the oldest tile; gpu.barrier
//!   commit, wait for all            ->           copy the tile that is stages-1 ahead, if there is one
//!   gpu.barrier                                  compute on the stage of %k
//!   compute on %tile                           }
//! } {layout.stages = 3}                        wait for all; gpu.barrier
//! ```
//!
//! A loop requires it with the attribute `layout.stages`. Its results stay the same: [`body`] says what a loop must be for that, and
//! [`buffers`] gives the memory of a tile to several.

mod body;
mod buffers;

use crate::matmul::emit::{Emit, Emitted};
use body::Body;
use buffers::{Buffer, Clones};
use layout_dialect::{
    build::{Builder, Val, context_of, operand},
    diagnostics, expand,
    passes::{PassRun, Statistic},
    tree,
};
use melior::ir::{OperationRef, Type, attribute::IntegerAttribute, operation::OperationLike};

/// The pass's name.
pub(crate) const NAME: &str = "layout-pipeline-loops";

/// The attribute of a loop that says how many tiles are in memory at once.
const STAGES: &str = "layout.stages";

/// The most stages.
const MAX_STAGES: i64 = 16;

const PIPELINED: &str = "pipelined";

pub(crate) const STATISTICS: &[Statistic] =
    &[Statistic { name: PIPELINED, description: "loops that were pipelined" }];

/// Why a loop is not pipelined, and the operation that is the reason.
type NotPipelined<'c> = (OperationRef<'c, 'c>, String);

/// Pipelines every loop below `root` that requires it.
///
/// # Errors
///
/// A diagnostic at what keeps a loop from it.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    // Found before any is pipelined, which takes operations away.
    let mut loops = tree::all(root);
    loops.retain(|operation| operation.attribute(STAGES).is_ok());
    for operation in loops {
        let Ok(stages) = operation.attribute(STAGES) else { continue };
        let stages = IntegerAttribute::try_from(stages).map(|stages| stages.value());
        match pipeline(operation, stages.unwrap_or(0)) {
            Ok(()) => pass.count(PIPELINED, 1),
            Err((at, message)) => {
                diagnostics::error(at, &message);
                outcome = Err(());
            }
        }
    }
    outcome
}

/// The names of the kernels that have a loop which requires it.
pub(crate) fn pipelined_kernels(root: OperationRef<'_, '_>) -> Vec<String> {
    let has_loops = |kernel: &OperationRef<'_, '_>| {
        tree::all(*kernel).into_iter().any(|inside| inside.attribute(STAGES).is_ok())
    };
    let name = |kernel: OperationRef<'_, '_>| tree::symbol(kernel);
    tree::inside(root, "gpu.func").into_iter().filter(has_loops).filter_map(name).collect()
}

fn pipeline<'c>(operation: OperationRef<'c, 'c>, stages: i64) -> Result<(), NotPipelined<'c>> {
    let wrong = |message: String| Err((operation, message));
    let name = tree::name(operation);
    if name != "scf.for" || !tree::ancestors(operation).any(|at| tree::name(at) == "gpu.func") {
        let is_function = |name: &String| name.ends_with(".func");
        let around = tree::ancestors(operation).map(tree::name).find(is_function);
        let around = around.map_or_else(String::new, |around| format!(" in {around}"));
        return wrong(format!(
            "expected {STAGES} of an scf.for in a gpu.func, found it of {name}{around}"
        ));
    }
    if !(2..=MAX_STAGES).contains(&stages) {
        return wrong(format!(
            "expected an integer from 2 to {MAX_STAGES} as {STAGES}, found {}",
            match operation.attribute(STAGES) {
                Ok(found) if stages == 0 => found.to_string(),
                _ => stages.to_string(),
            }
        ));
    }
    expand::expand_copies(operation).map_err(|(at, error)| (at, error.to_string()))?;
    let body = Body::read(operation)?;
    let mut all = Vec::with_capacity(body.tiles.len());
    for &tile in &body.tiles {
        all.push(Buffer::of(tile, &body, stages)?);
    }
    let write = || -> Emitted<()> {
        let pipeline = Pipeline { body: &body, buffers: &all, stages };
        pipeline.emit()?;
        body.clean();
        all.iter().for_each(Buffer::clean);
        tree::remove_attribute(operation, STAGES);
        Ok(())
    };
    write().map_err(|error| (operation, format!("cannot build the pipeline: {error}")))
}

/// A loop, and its buffers of several stages.
struct Pipeline<'p, 'c> {
    body: &'p Body<'c>,
    buffers: &'p [Buffer<'c>],
    stages: i64,
}

impl<'c> Pipeline<'_, 'c> {
    fn emit(&self) -> Emitted<()> {
        let r#loop = self.body.r#loop;
        let [lower, upper, step] = [0, 1, 2].map(|i| operand(r#loop, i));
        let before = Builder::before(r#loop);
        for tile in 0..self.stages - 1 {
            self.copy_if_there(before, (lower, tile, step), upper, &|b| index(b, tile))?;
        }
        self.rounds()?;
        let Some(next) = r#loop.next_in_block() else { return Ok(()) };
        // SAFETY: operations after the loop are owned by its block.
        let next = unsafe { OperationRef::from_raw(next.to_raw()) };
        let after = Builder::before(next).with_location(r#loop.location());
        Emit { b: after }.wait_for_copies(0)
    }

    /// The code at the start of each round.
    fn rounds(&self) -> Emitted<()> {
        let Body { r#loop, block, counter, .. } = *self.body;
        let [lower, upper, step] = [0, 1, 2].map(|i| operand(r#loop, i));
        let b = Builder::at_start(context_of(r#loop), r#loop.location(), block);
        let e = Emit { b };
        e.wait_for_copies(self.stages - 2)?;
        // From 0 on.
        let mut round = counter;
        if tree::constant(lower) != Some(0) {
            round = b.binary("arith.subi", round, lower)?;
        }
        if tree::constant(step) != Some(1) {
            round = b.binary("arith.divui", round, step)?;
        }
        let ahead = self.stages - 1;
        let of_stages =
            |b: Builder<'c>, round: Val<'c>| b.binary("arith.remui", round, index(b, self.stages)?);
        self.copy_if_there(b, (counter, ahead, step), upper, &|b| {
            let round = b.binary("arith.addi", round, index(b, ahead)?)?;
            of_stages(b, round)
        })?;
        let stage = of_stages(b, round)?;
        let mut clones = Clones::default();
        for buffer in self.buffers {
            buffer.at(b, stage, &mut clones)?;
        }
        for operation in tree::all(r#loop) {
            // The copies of the loop as it was go.
            if !self.body.copies.contains(&operation) {
                clones.replace_operands(operation);
            }
        }
        clones.clean();
        Ok(())
    }

    /// Copies the tile that is some steps after a counter, where the loop has it, to the stage that it is given, as one
    /// group; a group without copies where it has not.
    fn copy_if_there(
        &self,
        b: Builder<'c>,
        (first, steps, step): (Val<'c>, i64, Val<'c>),
        upper: Val<'c>,
        stage: &dyn Fn(Builder<'c>) -> Emitted<Val<'c>>,
    ) -> Emitted<()> {
        let by = tree::constant(step).and_then(|step| step.checked_mul(steps));
        let number = tree::constant(first).zip(by).and_then(|(first, by)| first.checked_add(by));
        let is_there = number.zip(tree::constant(upper)).map(|(number, upper)| number < upper);
        if is_there == Some(false) {
            return Emit { b }.commit_copies();
        }
        let counter = match (number, by) {
            (_, Some(0)) => first,
            (Some(number), _) => index(b, number)?,
            (None, Some(by)) => b.binary("arith.addi", first, index(b, by)?)?,
            (None, None) => {
                let by = b.binary("arith.muli", step, index(b, steps)?)?;
                b.binary("arith.addi", first, by)?
            }
        };
        if is_there == Some(true) {
            self.copy(b, counter, stage(b)?)?;
        } else {
            let is_there = b.less(counter, upper)?;
            let copy = |b: Builder<'c>| self.copy(b, counter, stage(b)?).map(|()| Vec::new());
            b.branch(is_there, &[], copy, None)?;
        }
        Emit { b }.commit_copies()
    }

    /// The copies of one round.
    fn copy(&self, b: Builder<'c>, counter: Val<'c>, stage: Val<'c>) -> Emitted<()> {
        let mut clones = Clones::default();
        clones.replace(self.body.counter, counter);
        for buffer in self.buffers {
            buffer.at(b, stage, &mut clones)?;
        }
        for &operation in self.body.leads_to_copies.iter().chain(&self.body.copies) {
            clones.add(&b, operation);
        }
        clones.clean();
        Ok(())
    }
}

fn index<'c>(b: Builder<'c>, value: i64) -> Emitted<Val<'c>> {
    b.constant(Type::index(b.context()), value)
}
