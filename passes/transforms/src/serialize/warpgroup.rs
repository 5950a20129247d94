//! Pipelines, bulk copies and MMAs of warpgroups, one after the other.

use super::{Failure, Located, Serialize, ThreadLoop, collective::inner, number, refused};
use layout_algebra::Layout;
use layout_dialect::{
    Space, ViewType,
    atoms::{MmaAtom, WARPGROUP, tensor_map},
    build::{Builder, Val, operand},
    ops::{Limit, Predicate},
    tree,
};
use melior::ir::{OperationRef, RegionLike, Type, ValueLike, operation::OperationLike};
use std::collections::HashMap;

/// The coordinate of an element of a tile in shared memory, `((rows,K),atoms,k steps)`.
const ELEMENT: &str = "((?,?),?,?)";

/// A loop or pipeline with a bound that depends on the thread.
pub(super) fn uneven(what: &str, bound: &str) -> Failure {
    refused(format!(
        "expected a {what} with the same bounds for all threads of a block, found {bound} that depends on the thread"
    ))
}

impl<'c> Serialize<'c> {
    /// A pipeline is the loop that it means. A step is read right after it was loaded, so that
    /// buffers are reused without waiting.
    pub(super) fn pipeline(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
    ) -> Result<(), Result<Located<'c>, Failure>> {
        let fail = |error: melior::Error| Err(error.into());
        let facts = layout_dialect::ops::pipeline(operation).map_err(fail)?;
        let bound = |i| {
            self.shared.get(&tree::key(operand(operation, i))).copied().ok_or_else(|| {
                let found = ["a first tile", "a last tile", "a step"][i];
                Err(uneven("pipeline", found))
            })
        };
        let bounds = [bound(0)?, bound(1)?, bound(2)?];
        let (outer, tile) = b.open_loop(bounds).map_err(fail)?;
        const LOAD: usize = 0;
        const PROLOGUE: usize = 1;
        const MAINLOOP: usize = 2;
        const EPILOGUE: usize = 3;
        self.region(operation, PROLOGUE, outer, &[tile])?;
        let index = Type::index(self.context);
        let (step, k) = if facts.varies {
            let steps = self.steps(operation, outer, tile)?;
            let number = |value| outer.constant(index, value).map_err(|e| Err(e.into()));
            outer.open_loop([number(0)?, steps, number(1)?]).map_err(fail)?
        } else {
            outer.open_count(facts.depth).map_err(fail)?
        };
        let stages = step.constant(index, facts.stages).map_err(fail)?;
        let stage = step.binary("arith.remui", k, stages).map_err(fail)?;
        self.region(operation, LOAD, step, &[tile, k, stage])?;
        self.region(operation, MAINLOOP, step, &[tile, k, stage])?;
        self.region(operation, EPILOGUE, outer, &[tile])
    }

    /// How many steps a tile has.
    fn steps(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
        tile: Val<'c>,
    ) -> Result<Val<'c>, Result<Located<'c>, Failure>> {
        let number = layout_dialect::ops::PIPELINE_STEPS;
        self.region(operation, number, b, &[tile])?;
        let region = operation.region(number).map_err(|error| Err(error.into()))?;
        let last = region.first_block().and_then(|block| tree::operations(block).pop());
        let steps = last.and_then(|last| self.shared.get(&tree::key(operand(last, 0))).copied());
        steps.ok_or_else(|| Err(refused("expected a number of steps that is uniform in the block")))
    }

    fn region(
        &mut self,
        operation: OperationRef<'c, 'c>,
        number: usize,
        b: Builder<'c>,
        arguments: &[Val<'c>],
    ) -> Result<(), Result<Located<'c>, Failure>> {
        let region = operation.region(number).map_err(|error| Err(error.into()))?;
        let block = region
            .first_block()
            .ok_or_else(|| Err(refused("expected a region with a block, found none")))?;
        // SAFETY: the block is owned by the operation's region.
        let block = unsafe { melior::ir::BlockRef::from_raw(block.to_raw()) };
        for (i, &value) in arguments.iter().enumerate() {
            self.shared.insert(tree::key(tree::argument(block, i)), value);
        }
        self.block(block, b).map_err(Ok)
    }

    /// A bulk load: one for the block.
    pub(super) fn bulk_load(
        &self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
    ) -> Result<(), Failure> {
        let operands = (0..operation.operand_count())
            .map(|i| {
                self.shared.get(&tree::key(operand(operation, i))).copied().ok_or_else(|| {
                    refused("expected a bulk load whose views all threads of a block share")
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.bulk_copy(&b, &operands, &layout_dialect::ops::predicates(operation)?)
    }

    /// A bulk store: one for each warpgroup.
    pub(super) fn bulk_store(
        &self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
    ) -> Result<(), Failure> {
        let mut piece = self.warpgroups(&b, WARPGROUP)?.0;
        let operands = (0..operation.operand_count())
            .map(|i| self.value(&mut piece, operand(operation, i)))
            .collect::<Result<Vec<_>, _>>()?;
        self.bulk_copy(&piece.b, &operands, &layout_dialect::ops::predicates(operation)?)
    }

    /// A loop over groups of threads; what is computed in it is their first thread's, which stands
    /// for all of them.
    fn warpgroups(
        &self,
        b: &Builder<'c>,
        threads: i64,
    ) -> Result<(ThreadLoop<'c>, Val<'c>), Failure> {
        let (b, group) = b.open_count(self.threads / threads)?;
        let threads = b.constant(Type::index(self.context), threads)?;
        let thread = b.binary("arith.muli", group, threads)?;
        Ok((ThreadLoop { b, thread, values: HashMap::new() }, group))
    }

    /// Copies element by element. Where a predicate says that there is none, shared memory is cleared, and global memory
    /// stays, but for what is in the granule in which a row ends: the copy engine stores that as a whole.
    fn bulk_copy(
        &self,
        b: &Builder<'c>,
        operands: &[Val<'c>],
        predicates: &[Predicate<'c>],
    ) -> Result<(), Failure> {
        let (views, values) = operands.split_at(2 + predicates.len());
        let mut values = values.iter();
        let limits = predicates.iter().map(|predicate| match predicate.limit {
            Limit::Known(limit) => Some(Limit::Known(limit)),
            Limit::At(_) => values.next().map(|value| Limit::At(*value)),
        });
        let limits = limits.collect::<Option<Vec<_>>>();
        let limits = limits.ok_or_else(|| refused("expected an index for each limit"))?;
        let view = ViewType::try_from(operands[0].r#type())?;
        let element = view.element_type();
        let (b, i) = b.open_count(tile_of(view)?.size())?;
        let to_shared = ViewType::try_from(operands[1].r#type())?.space() == Space::Shared;
        let limits = if to_shared { limits } else { stored(&b, views, &limits)? };
        let mut exists: Option<Val<'c>> = None;
        for (&predicate, limit) in views[2..].iter().zip(limits) {
            let index = Type::index(self.context);
            let coordinate = at(&b, predicate, "?", &[i], index)?;
            let limit = match limit {
                Limit::Known(limit) => b.constant(index, limit)?,
                Limit::At(limit) => limit,
            };
            let below = b.less(coordinate, limit)?;
            exists = Some(match exists {
                None => below,
                Some(all) => b.binary("arith.andi", all, below)?,
            });
        }
        let held = ViewType::try_from(operands[1].r#type())?.element_type();
        let store = |b: &Builder<'c>, value: Val<'c>| -> Result<(), Failure> {
            let value = number::copied(b, value, held)?;
            let coordinate = [("coord", b.string("?"))];
            b.operation("layout.store", &[value, operands[1], i], &[], &coordinate, vec![])?;
            Ok(())
        };
        let Some(exists) = exists else {
            let value = at(&b, operands[0], "?", &[i], element)?;
            return store(&b, value);
        };
        let copy = |b: Builder<'c>| {
            let value = at(&b, operands[0], "?", &[i], element)?;
            store(&b, value)?;
            Ok::<_, Failure>(vec![])
        };
        let clear = |b: Builder<'c>| {
            store(&b, number::zero(&b, element)?)?;
            Ok::<_, Failure>(vec![])
        };
        b.branch(exists, &[], copy, to_shared.then_some(&clear))?;
        Ok(())
    }

    /// An MMA of warpgroups: tiles in shared memory element by element, and the accumulators of
    /// a warpgroup seen as the atom's tiles.
    pub(super) fn warpgroup_mma(
        &mut self,
        operation: OperationRef<'c, 'c>,
        mma: &MmaAtom,
        b: Builder<'c>,
    ) -> Result<(), Failure> {
        let (m, n, k) = mma.extent;
        let (c, _) = self.tiles(&b, operand(operation, 2), &mma.c, (m, n), mma.threads)?;
        let extents = |i: usize| -> Result<(i64, i64), Failure> {
            let layout = ViewType::try_from(operand(operation, i).r#type())?.layout()?;
            let modes = inner(&layout).modes();
            let extent = |i: usize| modes.get(i).map_or(1, Layout::size);
            Ok((extent(1), extent(2)))
        };
        let ((rows, steps), (columns, _)) = (extents(0)?, extents(1)?);
        let held = match mma.a_space {
            Space::Register => {
                let a = operand(operation, 0);
                Some(self.tiles(&b, a, &mma.a, (m, k), mma.threads)?.0)
            }
            _ => None,
        };
        let (mut piece, group) = self.warpgroups(&b, mma.threads)?;
        let x = match held {
            Some(held) => held,
            None => self.value(&mut piece, operand(operation, 0))?,
        };
        let y = self.value(&mut piece, operand(operation, 1))?;

        let mut b = piece.b;
        let mut open = |count: i64| -> Result<Val<'c>, Failure> {
            let (inner, index) = b.open_count(count)?;
            b = inner;
            Ok(index)
        };
        let step = open(steps)?;
        let (row, column) = (open(rows)?, open(columns)?);
        let (im, jn, ik) = (open(m)?, open(n)?, open(k)?);
        let load = |view: Val<'c>, coordinate: [Val<'c>; 4]| -> Result<Val<'c>, Failure> {
            let element = ViewType::try_from(view.r#type())?.element_type();
            at(&b, view, ELEMENT, &coordinate, element)
        };
        let left = match held {
            Some(held) => self.element(&b, held, &[im, ik, row, step, group])?,
            None => load(x, [im, ik, row, step])?,
        };
        let factors = [left, load(y, [jn, ik, column, step])?];
        let place = [im, jn, row, column, group];
        let sum = self.element(&b, c, &place)?;
        let sum = number::multiply_add(&b, factors, sum)?;
        self.set_element(&b, sum, c, &place)
    }
}

/// The layout of a tile; strides that are known at run time are numbers that stand for them.
fn tile_of(view: ViewType<'_>) -> Result<Layout, Failure> {
    match view.layout() {
        Ok(layout) => Ok(inner(&layout).clone()),
        Err(_) => {
            let term_value = view.term_value().map_err(|error| refused(error.to_string()))?;
            let layout = term_value.representative();
            layout.ok_or_else(|| refused(format!("expected a plain layout, found {term_value}")))
        }
    }
}

/// The limits of the coordinates below which a bulk tensor copy stores: along the mode in which a tile has neighbours in
/// memory, up to the end of a granule.
fn stored<'c>(
    b: &Builder<'c>,
    operands: &[Val<'c>],
    limits: &[Limit<'c>],
) -> Result<Vec<Limit<'c>>, Failure> {
    let target = ViewType::try_from(operands[1].r#type())?;
    let bytes = element_bytes(&target.element_type().to_string());
    let unit = (tensor_map::STRIDE_ALIGNMENT / bytes).max(1);
    let leaves = tile_of(target)?.flat();
    let row = leaves.iter().position(|&(extent, stride)| extent != 1 && stride == 1);
    let mut stored = limits.to_vec();
    for (limit, &predicate) in stored.iter_mut().zip(&operands[2..]) {
        let predicate = inner(&ViewType::try_from(predicate.r#type())?.layout()?).flat();
        if row.and_then(|row| predicate.get(row)).is_some_and(|&(_, stride)| stride == 1) {
            *limit = match *limit {
                Limit::Known(limit) => Limit::Known(limit.saturating_add(unit - 1) / unit * unit),
                Limit::At(limit) => {
                    let number = |value: i64| b.constant(limit.r#type(), value);
                    let reach = b.binary("arith.addi", limit, number(unit - 1)?)?;
                    let units = b.binary("arith.divui", reach, number(unit)?)?;
                    Limit::At(b.binary("arith.muli", units, number(unit)?)?)
                }
            };
        }
    }
    Ok(stored)
}

/// Bytes of an element of a matrix.
fn element_bytes(element: &str) -> i64 {
    match element {
        "f64" | "i64" => 8,
        "f32" | "i32" => 4,
        "f16" | "bf16" | "i16" => 2,
        _ => 1,
    }
}

/// `layout.load` of the element at a coordinate.
fn at<'c>(
    b: &Builder<'c>,
    view: Val<'c>,
    pattern: &str,
    coordinate: &[Val<'c>],
    element: Type<'c>,
) -> Result<Val<'c>, Failure> {
    let mut operands = vec![view];
    operands.extend_from_slice(coordinate);
    Ok(b.value("layout.load", &operands, element, &[("coord", b.string(pattern))])?)
}
