//! The conditions on a loop whose copies may run ahead: which operations copy, which compute, and which barriers separate them.
//!
//! A round copies tiles to buffers that the loop alone uses and that copies alone write, waits for all of them, lets all threads
//! meet, and computes. The places that the copies read depend on the loop's counter alone, and the loop does not write them. They write the
//! same places in each round, so that a round reads nothing that an earlier one left.

use super::{NotPipelined, buffers};
use layout_dialect::{
    Space, ViewType,
    atoms::CopyKind,
    build::{Val, operand, result},
    ops, tree,
};
use melior::ir::{
    BlockRef, OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};

/// A loop that can be pipelined.
pub(super) struct Body<'c> {
    pub(super) r#loop: OperationRef<'c, 'c>,
    pub(super) block: BlockRef<'c, 'c>,
    pub(super) counter: Val<'c>,
    /// The allocations that its copies write.
    pub(super) tiles: Vec<OperationRef<'c, 'c>>,
    pub(super) copies: Vec<OperationRef<'c, 'c>>,
    /// The operations that compute the copies' operands in the loop, in order.
    pub(super) leads_to_copies: Vec<OperationRef<'c, 'c>>,
    /// Commits, waits and barriers in whose places the pipeline has its own.
    replaced: Vec<OperationRef<'c, 'c>>,
}

/// The operations of a body by their places.
struct Order<'c> {
    all: Vec<OperationRef<'c, 'c>>,
    copies: Vec<usize>,
    commits: Vec<usize>,
    /// Those for all copies.
    waits: Vec<usize>,
    barriers: Vec<usize>,
}

impl<'c> Body<'c> {
    /// Reads a loop.
    ///
    /// # Errors
    ///
    /// The reason that keeps its copies from running ahead.
    pub(super) fn read(r#loop: OperationRef<'c, 'c>) -> Result<Self, NotPipelined<'c>> {
        let block = tree::entry(r#loop)
            .ok_or_else(|| (r#loop, "expected a loop with a body".to_owned()))?;
        let counter = tree::argument(block, 0);
        if counter.r#type().to_string() != "index" {
            let found = counter.r#type();
            return Err((
                r#loop,
                format!("expected a loop whose counter is an index, found {found}"),
            ));
        }
        let order = Order::of(r#loop, block)?;
        let copies: Vec<OperationRef<'c, 'c>> =
            order.copies.iter().map(|&at| order.all[at]).collect();
        let mut body = Self {
            r#loop,
            block,
            counter,
            tiles: Vec::new(),
            copies,
            leads_to_copies: Vec::new(),
            replaced: Vec::new(),
        };
        body.leads_to_copies = body.leads_to_copies(&order)?;
        for &copy in &body.copies {
            let tile = body.tile(copy)?;
            if !body.tiles.contains(&tile) {
                body.check_users(tile)?;
                body.tiles.push(tile);
            }
        }
        body.replaced = body.check_order(&order)?;
        body.check_sources()?;
        Ok(body)
    }

    /// Whether an operation is in the loop.
    pub(super) fn holds(&self, operation: OperationRef<'c, 'c>) -> bool {
        tree::ancestors(operation).any(|around| around == self.r#loop)
    }

    /// Takes away what the pipeline has in other places.
    pub(super) fn clean(&self) {
        self.copies.iter().chain(&self.replaced).copied().for_each(tree::erase);
        buffers::clean(self.leads_to_copies.iter().rev());
    }

    /// The operations that compute the operands of copies in the loop.
    fn leads_to_copies(
        &self,
        order: &Order<'c>,
    ) -> Result<Vec<OperationRef<'c, 'c>>, NotPipelined<'c>> {
        let mut needed: Vec<OperationRef<'c, 'c>> = Vec::new();
        let mut next: Vec<(OperationRef<'c, 'c>, OperationRef<'c, 'c>)> =
            self.copies.iter().map(|&copy| (copy, copy)).collect();
        while let Some((copy, at)) = next.pop() {
            for value in (0..at.operand_count()).map(|i| operand(at, i)) {
                let Some(made) = tree::definition(value) else {
                    let own = tree::owner(value).is_some_and(|owner| owner == self.block);
                    if own && value != self.counter {
                        return Err((
                            copy,
                            "expected a copy that depends on the induction variable alone, found one that depends on a \
                             loop-carried value"
                                .to_owned(),
                        ));
                    }
                    continue;
                };
                if !self.holds(made) || needed.contains(&made) {
                    continue;
                }
                if !is_pure(made) {
                    let name = tree::name(made);
                    return Err((
                        copy,
                        format!(
                            "expected a copy that depends on the induction variable alone, found one that depends on {name} in the loop"
                        ),
                    ));
                }
                needed.push(made);
                next.push((copy, made));
            }
        }
        Ok(order.all.iter().filter(|operation| needed.contains(operation)).copied().collect())
    }

    /// The allocation that a copy writes a part of, at the same place in each round.
    fn tile(&self, copy: OperationRef<'c, 'c>) -> Result<OperationRef<'c, 'c>, NotPipelined<'c>> {
        let target = operand(copy, 1);
        let mut seen = vec![target];
        while let Some(value) = seen.pop() {
            if value == self.counter {
                return Err((
                    copy,
                    "expected a copy to the same buffer in each iteration, found one that depends on the induction variable".to_owned(),
                ));
            }
            let made = tree::definition(value).filter(|made| self.holds(*made));
            seen.extend(
                made.into_iter()
                    .flat_map(|made| (0..made.operand_count()).map(move |i| operand(made, i))),
            );
        }
        allocation(target).filter(|made| !self.holds(*made)).ok_or_else(|| {
            (
                copy,
                format!(
                    "expected a copy to a buffer of layout.alloc in front of the loop, found a target of type {}",
                    target.r#type()
                ),
            )
        })
    }

    /// Checks that the loop alone uses a buffer, and its copies alone write it.
    fn check_users(&self, tile: OperationRef<'c, 'c>) -> Result<(), NotPipelined<'c>> {
        let mut seen = vec![tile];
        while let Some(at) = seen.pop() {
            for user in tree::users(at) {
                let name = tree::name(user);
                if is_view(user) {
                    seen.push(user);
                } else if !self.holds(user) {
                    return Err((
                        user,
                        format!("expected a buffer without uses outside of the loop, found {name}"),
                    ));
                } else if !self.copies.contains(&user) && !reads(user, result(at, 0)) {
                    return Err((
                        user,
                        format!(
                            "expected a buffer that the loop's copies alone write, found {name}"
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks that barriers keep copies and what computes apart, and gives those that the pipeline replaces.
    fn check_order(
        &self,
        order: &Order<'c>,
    ) -> Result<Vec<OperationRef<'c, 'c>>, NotPipelined<'c>> {
        let Order { all, copies, commits, waits, barriers } = order;
        let r#loop = self.r#loop;
        let (Some(&first), Some(&last)) = (copies.first(), copies.last()) else {
            return Err((
                r#loop,
                "expected copies with cp_async atoms in the loop's body, found none".to_owned(),
            ));
        };
        let refuse = |at: usize, message: &str| Err((all[at], message.to_owned()));
        let reads_tile = |at: usize| {
            !copies.contains(&at) && self.uses(all[at], |root| self.tiles.contains(&root))
        };
        let reader = (0..all.len()).find(|&at| reads_tile(at));
        let last_reader = (0..all.len()).rev().find(|&at| reads_tile(at));
        let Some(&wait) = waits.iter().find(|&&wait| wait > last) else {
            return refuse(
                last,
                "expected nvvm.cp.async.wait.group 0 after the copy in the loop's body, found none",
            );
        };
        if !commits.iter().any(|&commit| last < commit && commit < wait) {
            return refuse(
                last,
                "expected nvvm.cp.async.commit.group between the copy and the wait for it, found none",
            );
        }
        if let Some(&early) = barriers.iter().find(|&&at| first < at && at < wait) {
            return refuse(
                early,
                "expected barriers before the copies and after the wait for them, found one between them",
            );
        }
        if let Some(reader) = reader.filter(|&reader| reader < wait) {
            return refuse(
                reader,
                "expected reads of a buffer after the wait for its copies, found one before it",
            );
        }
        let met = barriers.iter().copied().find(|&at| at > wait);
        let Some(met) = met.filter(|&met| reader.is_none_or(|reader| met < reader)) else {
            return refuse(
                wait,
                "expected a barrier between the wait and the reads of the copied buffers, found none",
            );
        };
        let before = barriers.iter().copied().filter(|&at| at < first);
        let after =
            barriers.iter().copied().filter(|&at| last_reader.is_some_and(|last| at > last));
        let positions: Vec<usize> = before.chain(after).collect();
        if positions.is_empty() {
            return Err((
                r#loop,
                "expected a barrier before the copies or at the end of the loop's body, since threads may still read what others will overwrite, found none"
                    .to_owned(),
            ));
        }
        // The operations in front of the barrier move after the pipeline's own.
        for (at, &operation) in all.iter().enumerate().take(met) {
            let known = copies.contains(&at)
                || commits.contains(&at)
                || waits.contains(&at)
                || barriers.contains(&at);
            if !known && !is_pure(operation) && !avoids_shared_memory(operation) {
                let name = tree::name(operation);
                return refuse(
                    at,
                    &format!(
                        "expected no access to shared memory other than the copies before the barrier that follows them, found {name}"
                    ),
                );
            }
        }
        // The barriers after that nothing but the end of the round follows.
        let at_end = |at: usize| {
            at < met
                || all[at..]
                    .iter()
                    .all(|one| is_pure(*one) || barriers.iter().any(|&b| all[b] == *one))
        };
        let positions = positions.into_iter().filter(|&at| at_end(at));
        let others = commits.iter().chain(waits).copied().chain([met]);
        Ok(positions.chain(others).map(|at| all[at]).collect())
    }

    /// Whether an operation, or one inside of it, that is no view itself, uses a view of such memory.
    fn uses(
        &self,
        operation: OperationRef<'c, 'c>,
        of: impl Fn(OperationRef<'c, 'c>) -> bool,
    ) -> bool {
        let inside = tree::all(operation).into_iter().chain([operation]);
        inside.filter(|one| !is_pure(*one)).any(|one| {
            (0..one.operand_count()).any(|i| allocation(operand(one, i)).is_some_and(&of))
        })
    }

    /// Checks that the loop writes no memory that its copies may read.
    fn check_sources(&self) -> Result<(), NotPipelined<'c>> {
        for &copy in &self.copies {
            if space(operand(copy, 0)) != Some(Space::Global) {
                let found = operand(copy, 0).r#type();
                return Err((copy, format!("expected a copy from global memory, found {found}")));
            }
        }
        for operation in tree::all(self.r#loop) {
            let name = tree::name(operation);
            let target = match name.as_str() {
                "layout.copy" => Some(1),
                "layout.store" | "layout.atomic" => Some(1),
                "layout.fill" => Some(0),
                "memref.store" | "func.call" | "gpu.launch_func" | "llvm.store" => None,
                _ => continue,
            };
            if target.is_none_or(|place| space(operand(operation, place)) == Some(Space::Global)) {
                return Err((
                    operation,
                    format!(
                        "expected a loop that writes no global memory, which copies ahead may read, found {name}"
                    ),
                ));
            }
        }
        Ok(())
    }
}

impl<'c> Order<'c> {
    fn of(r#loop: OperationRef<'c, 'c>, block: BlockRef<'c, 'c>) -> Result<Self, NotPipelined<'c>> {
        let mut all = tree::operations(block);
        all.pop();
        let mut order = Self {
            all: Vec::new(),
            copies: vec![],
            commits: vec![],
            waits: vec![],
            barriers: vec![],
        };
        for (at, &operation) in all.iter().enumerate() {
            match tree::name(operation).as_str() {
                "layout.copy" if is_async(operation) => order.copies.push(at),
                "nvvm.cp.async.commit.group" => order.commits.push(at),
                "nvvm.cp.async.wait.group" => {
                    let left = operation.attribute("n").and_then(IntegerAttribute::try_from);
                    let left = left.map_or(0, |left| left.value());
                    if left != 0 {
                        return Err((
                            operation,
                            format!(
                                "expected a wait for all copies in a sequential loop, found one that leaves {left} in flight"
                            ),
                        ));
                    }
                    order.waits.push(at);
                }
                _ if ops::is_block_barrier(operation) => order.barriers.push(at),
                _ => {
                    let inside = tree::all(operation);
                    if let Some(copy) = inside.iter().find(|inner| is_async(**inner)) {
                        return Err((
                            *copy,
                            format!(
                                "expected copies with cp_async atoms directly in the loop's body, found one in {}",
                                tree::name(operation)
                            ),
                        ));
                    }
                }
            }
        }
        if order.copies.is_empty() {
            return Err((
                r#loop,
                "expected copies with cp_async atoms in the loop's body, found none".to_owned(),
            ));
        }
        order.all = all;
        Ok(order)
    }
}

/// Whether an operation is a copy that runs while others do.
fn is_async(operation: OperationRef<'_, '_>) -> bool {
    tree::name(operation) == "layout.copy"
        && ops::atom(operation).is_ok_and(|atom| atom.copy_kind() == Some(CopyKind::CpAsync))
}

/// Whether an operation does nothing but compute its results.
fn is_pure(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    let computes = match name.split_once('.') {
        Some(("arith" | "math" | "index" | "affine" | "vector", _)) => true,
        Some(("gpu", place)) => {
            matches!(place, "thread_id" | "block_id" | "block_dim" | "grid_dim" | "lane_id")
        }
        Some(("layout", what)) => !matches!(
            what,
            "alloc"
                | "atomic"
                | "barriers"
                | "load"
                | "make_fragment_like"
                | "map"
                | "partition_fragment"
                | "print"
                | "reduce"
        ),
        _ => false,
    };
    computes && operation.result_count() > 0 && operation.regions().next().is_none()
}

/// Whether an operation sees what its first operand sees in another way.
pub(super) fn is_view(operation: OperationRef<'_, '_>) -> bool {
    let sees = |value: Val<'_>| ViewType::try_from(value.r#type()).is_ok();
    is_pure(operation)
        && operation.operand_count() > 0
        && tree::name(operation).starts_with("layout.")
        && sees(operand(operation, 0))
        && sees(result(operation, 0))
}

/// The allocation that a view is of.
fn allocation<'c>(view: Val<'c>) -> Option<OperationRef<'c, 'c>> {
    let mut made = tree::definition(view)?;
    while is_view(made) {
        made = tree::definition(operand(made, 0))?;
    }
    (tree::name(made) == "layout.alloc").then_some(made)
}

fn space(view: Val<'_>) -> Option<Space> {
    ViewType::try_from(view.r#type()).ok().map(|view| view.space())
}

/// Whether an operation does no more with a view than read it.
fn reads(operation: OperationRef<'_, '_>, view: Val<'_>) -> bool {
    let written = match tree::name(operation).as_str() {
        "layout.load" => return true,
        "layout.copy" => 1,
        "layout.mma" => 2,
        _ => return false,
    };
    operand(operation, written) != view
}

/// Whether an operation has nothing to do with shared memory, wherever it is between barriers.
fn avoids_shared_memory(operation: OperationRef<'_, '_>) -> bool {
    let known = matches!(
        tree::name(operation).as_str(),
        "layout.alloc"
            | "layout.copy"
            | "layout.fill"
            | "layout.load"
            | "layout.make_fragment_like"
            | "layout.mma"
            | "layout.partition_fragment"
            | "layout.store"
    );
    let views = (0..operation.operand_count()).map(|i| space(operand(operation, i)));
    let results = (0..operation.result_count()).map(|i| space(result(operation, i)));
    known && views.chain(results).all(|space| space != Some(Space::Shared))
}
