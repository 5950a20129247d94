//! Writes the accumulators of warpgroups, or what the epilogue makes of them, to a tile of C.
//!
//! Imports stores, fusions and the emitter; knows nothing of pipelines.

use crate::matmul::{
    emit::{Emit, Emitted, Extents, Predicate, element_type_text},
    epilogue::{
        fusion::{Bound, OperandSlice},
        store::Store,
    },
    mainloop::Plan,
    scheduler::{TileScheduler, Work},
};
use layout_dialect::{
    atoms::{Atom, WARP, WARPGROUP},
    build::{Builder, Val, result},
};

/// C inside the block: this thread's, or this warpgroup's, share of every tile.
pub(crate) struct Output<'c> {
    /// `(share…,(tiles,tiles))`, or of a batch `(share…,(tiles,tiles,matrices))`.
    pub(crate) target: Val<'c>,
    pub(crate) predicates: Vec<Predicate<'c>>,
    pub(crate) staging: Option<Staging<'c>>,
}

/// The buffers of a warpgroup through which C is written.
#[derive(Clone, Copy)]
pub(crate) struct Staging<'c> {
    /// `((rows,columns),buffers)`.
    pub(crate) buffers: Val<'c>,
    /// The addresses that this lane gives: `(values,runs,buffers)`.
    pub(crate) addresses: Val<'c>,
    /// The accumulators of a piece in C's type, or of each piece: `(values,pieces)`.
    pub(crate) registers: Val<'c>,
    /// The number of the warpgroup's barrier, and its threads.
    pub(crate) barrier: [Val<'c>; 2],
}

/// The epilogue inside the block: this thread's share of each operand, in every tile.
pub(crate) struct Epilogue<'f, 'c> {
    pub(crate) bound: Bound<'f, 'c>,
    /// `((values,pieces),(atoms,atoms),(tiles,tiles))`.
    pub(crate) shares: Vec<OperandSlice<'c>>,
    /// Accumulators of an atom that it is applied to at once, so that the operands' elements for them
    /// fit in registers too; and how often.
    pub(crate) pieces: (i64, i64),
}

/// The most accumulators that an epilogue is applied to at once.
const CHUNK: i64 = 32;

impl<'c> Epilogue<'_, 'c> {
    /// Applies it to a part of the accumulators in a tile.
    pub(crate) fn apply(
        &self,
        e: &Emit<'c>,
        accumulators: (&[Val<'c>], Val<'c>),
        pattern: &str,
        tile: &[Val<'c>],
    ) -> Emitted<()> {
        let shares = self
            .shares
            .iter()
            .map(|share| share.part(|view| e.slice(view, pattern, tile)))
            .collect::<Emitted<Vec<_>>>()?;
        self.bound.apply(e, accumulators, &shares)
    }
}

/// Partitions the epilogue's operands as the accumulators are.
pub(crate) fn fuse<'f, 'c>(
    e: &Emit<'c>,
    (plan, extents): (&Plan, &Extents<'c>),
    bound: Bound<'f, 'c>,
    place: [Val<'c>; 3],
) -> Emitted<Epilogue<'f, 'c>> {
    let tiler = plan.scheduler.tiler((plan.scheduler.tile.0, plan.scheduler.tile.1));
    let by_thread = format!("<{}, _>", plan.partition);
    let (values, ..) = plan.accumulators;
    let held = match &plan.store {
        Store::Staged { .. } => values / plan.pieces().2,
        Store::Direct { .. } => {
            // Every 8 columns are 4 values, as every `wgmma` has them.
            let fits = |&held: &i64| values % held == 0;
            (1..=CHUNK / 4).rev().map(|columns| 4 * columns).find(fits).unwrap_or(values)
        }
    };
    let pieces = (held, values / held);
    let by_piece = format!("<({held},{}):(1,{held}), _, _>", pieces.1);
    let share = |view| {
        let tiles = e.algebra("layout.zipped_divide", view, &tiler)?;
        let arranged = e.algebra("layout.composition", tiles, &by_thread)?;
        let own = e.slice(arranged, "((((?,_),_),(?,?)),_)", &place)?;
        e.algebra("layout.composition", own, &by_piece)
    };
    let ragged = plan.scheduler.ragged();
    let extent = ((extents.m, extents.n), extents.batch);
    let shares = bound.shares(e, extent, ragged, &share)?;
    Ok(Epilogue { bound, shares, pieces })
}

/// A tile's place in C, and the pattern of its coordinates.
pub(crate) type Target<'a, 'c> = (&'a [Val<'c>], &'a str);

/// Writes the accumulators, or what the epilogue makes of them, to a tile of C. The last pieces, which the next
/// tile's steps store, are kept in registers, and stored here only where `is_last` says that no tile follows.
pub(crate) fn finish_tile<'c>(
    e: &Emit<'c>,
    plan: &Plan,
    (store, c): (&Store, &Output<'c>),
    fused: Option<&Epilogue<'_, 'c>>,
    (accumulators, results): (&[Val<'c>], Val<'c>),
    (tile, at): Target<'_, 'c>,
    kept: Option<DeferredStores<'c>>,
) -> Emitted<()> {
    match store {
        Store::Direct { copy, .. } => {
            if let Some(fused) = fused {
                let (held, along) = fused.pieces;
                let split = format!("<({held},{along}):(1,{held}), _, _>");
                for piece in 0..along {
                    let part = |view| -> Emitted<Val<'c>> {
                        let split = e.algebra("layout.composition", view, &split)?;
                        e.slice(split, &format!("((_,{piece}),_,_)"), &[])
                    };
                    let pattern = format!("((_,{piece}),_,{at})");
                    let (own, made) = parts((accumulators, results), &part)?;
                    fused.apply(e, (&own, made), &pattern, tile)?;
                }
            }
            write(e, c, (copy, results), (tile, &format!("(_,_,{at})")))
        }
        Store::Staged { .. } => {
            let Some(staging) = &c.staging else { return Ok(()) };
            let pieces = plan.all_pieces();
            let first_kept = pieces.len() - kept.as_ref().map_or(0, |kept| kept.pieces);
            for (number, &[m, n, piece]) in pieces.iter().enumerate() {
                let part = |view| e.slice(view, &format!("((_,{piece}),{m},{n})"), &[]);
                let (own, made) = parts((accumulators, results), &part)?;
                if let Some(fused) = fused {
                    let pattern = format!("((_,{piece}),({m},{n}),{at})");
                    fused.apply(e, (&own, made), &pattern, tile)?;
                }
                e.copy("simt_2", made, staging.held(e, plan, number)?, &[])?;
                if number < first_kept {
                    put(e, plan, (store, c), number, (tile, at))?;
                }
            }
            let Some(kept) = kept else { return Ok(()) };
            let rest = |b: Builder<'c>| -> Emitted<Vec<Val<'c>>> {
                for number in first_kept..pieces.len() {
                    put(&Emit { b }, plan, (store, c), number, (tile, at))?;
                }
                Ok(Vec::new())
            };
            e.b.branch(kept.is_last, &[], rest, None)?;
            Ok(())
        }
    }
}

/// The subtiles of a tile that are stored during the mainloop of the next one.
#[derive(Clone, Copy)]
pub(crate) struct DeferredStores<'c> {
    /// How many, the last ones.
    pub(crate) pieces: usize,
    /// Whether no tile follows.
    pub(crate) is_last: Val<'c>,
}

/// Stores a piece from the registers that hold it, through a buffer.
pub(crate) fn put<'c>(
    e: &Emit<'c>,
    plan: &Plan,
    (store, c): (&Store, &Output<'c>),
    number: usize,
    (tile, at): Target<'_, 'c>,
) -> Emitted<()> {
    let (Store::Staged { buffers, collect, store, .. }, Some(staging)) = (store, &c.staging) else {
        return Ok(());
    };
    let Some(&[m, n, piece]) = plan.all_pieces().get(number) else { return Ok(()) };
    wait_for_stores(e, buffers - 1)?;
    staging.meet(e)?;
    let buffer = i64::try_from(number).unwrap_or(0) % buffers;
    let to = e.slice(staging.addresses, &format!("(_,_,{buffer})"), &[])?;
    e.copy(collect.name, staging.held(e, plan, number)?, to, &[])?;
    let kind = e.attribute("#nvvm.proxy_kind<async.shared>")?;
    let space = e.attribute("#nvvm.shared_space<cta>")?;
    let fence = [("kind", kind), ("space", space)];
    e.b.operation("nvvm.fence.proxy", &[], &[], &fence, vec![])?;
    staging.meet(e)?;
    let from = e.slice(staging.buffers, &format!("(_,{buffer})"), &[])?;
    let (_, _, along) = plan.pieces();
    let pattern = format!("(_,({m},{}),{at})", piece + along * n);
    write(e, c, (store, from), (tile, &pattern))?;
    e.b.operation("nvvm.cp.async.bulk.commit.group", &[], &[], &[], vec![])?;
    Ok(())
}

/// Copies to a part of a tile of C.
fn write<'c>(
    e: &Emit<'c>,
    c: &Output<'c>,
    (atom, source): (&Atom, Val<'c>),
    (tile, pattern): Target<'_, 'c>,
) -> Emitted<()> {
    let part = |view| e.slice(view, pattern, tile);
    let target = part(c.target)?;
    let predicates = Predicate::each(&c.predicates, part)?;
    e.copy(atom.name, source, target, &predicates)
}

impl<'c> Staging<'c> {
    /// A barrier of the warpgroup.
    fn meet(&self, e: &Emit<'c>) -> Emitted<()> {
        let segments = e.attribute("array<i32: 1, 1, 0>")?;
        let attributes = [("operandSegmentSizes", segments)];
        e.b.operation("nvvm.barrier", &self.barrier, &[], &attributes, vec![])?;
        Ok(())
    }

    /// The registers of a piece.
    fn held(&self, e: &Emit<'c>, plan: &Plan, number: usize) -> Emitted<Val<'c>> {
        match plan.deferred {
            0 => Ok(self.registers),
            _ => e.slice(self.registers, &format!("(_,{number})"), &[]),
        }
    }
}

/// A part of the accumulators, and of what is made of them, which may take the place of the first.
fn parts<'c>(
    (accumulators, results): (&[Val<'c>], Val<'c>),
    part: &dyn Fn(Val<'c>) -> Emitted<Val<'c>>,
) -> Emitted<(Vec<Val<'c>>, Val<'c>)> {
    let made = part(results)?;
    let of = |&one: &Val<'c>| if one == results { Ok(made) } else { part(one) };
    Ok((accumulators.iter().map(of).collect::<Emitted<_>>()?, made))
}

/// Waits until the copy engine has read all but the last `pending` stores of this thread.
pub(crate) fn wait_for_stores(e: &Emit<'_>, pending: i64) -> Emitted<()> {
    let attributes =
        [("group", e.attribute(&format!("{pending} : i32"))?), ("read", e.attribute("unit")?)];
    e.b.operation("nvvm.cp.async.bulk.wait_group", &[], &[], &attributes, vec![])?;
    Ok(())
}

/// Partitions C among threads, or warpgroups.
pub(crate) fn output<'c>(
    e: &Emit<'c>,
    (plan, extents): (&Plan, &Extents<'c>),
    view: Val<'c>,
    [thread, lane, group_m, group_n]: [Val<'c>; 4],
    known: Option<Staging<'c>>,
) -> Emitted<Output<'c>> {
    let warpgroups = plan.warpgroups()?;
    let is_partial = matches!(plan.scheduler.work, Work::SplitK(_));
    let tiler = plan.scheduler.tiler((plan.scheduler.tile.0, plan.scheduler.tile.1));
    let part = |view: Val<'c>, term: &str, pattern: &str, at: &[Val<'c>]| -> Emitted<Val<'c>> {
        let tiles = e.algebra("layout.zipped_divide", view, &tiler)?;
        let arranged = e.algebra("layout.composition", tiles, &format!("<{term}, _>"))?;
        e.slice(arranged, pattern, at)
    };
    let share = |view: Val<'c>, term: &str, pattern: &str, at: &[Val<'c>]| -> Emitted<Val<'c>> {
        // Partial results are stored without the epilogue.
        let view = if warpgroups.swap_ab && !is_partial {
            let TileScheduler { extents: (m, n, _), batch, .. } = plan.scheduler;
            e.turned(view, (m, n), batch, extents.are_known())?
        } else {
            view
        };
        part(view, term, pattern, at)
    };
    match &plan.store {
        Store::Direct { partition, .. } => {
            let ragged = if is_partial { (false, false) } else { plan.scheduler.ragged() };
            let (pattern, at) = ("((((?,_),_),(?,?)),_)", [lane, group_m, group_n]);
            let target = share(view, partition, pattern, &at)?;
            // Coordinates as C is seen: those of one row, transposed, would continue past its end.
            let predicates = Predicate::each(
                &e.predicates((extents.m, extents.n), extents.batch, ragged)?,
                |view| part(view, partition, pattern, &at),
            )?;
            Ok(Output { target, predicates, staging: None })
        }
        Store::Staged { piece, staging, collect_partition, pieces, .. } => {
            let (pattern, at) = ("(((_,_),(?,?)),_)", [group_m, group_n]);
            let target = share(view, pieces, pattern, &at)?;
            // Bulk copies take their coordinates from the predicates: there is one for each mode.
            let Extents { m, n, batch, .. } = *extents;
            let extent = if warpgroups.swap_ab { (n, m) } else { (m, n) };
            let predicates = Predicate::each(&e.coordinates(extent, batch)?, |view| {
                share(view, pieces, pattern, &at)
            })?;
            if known.is_some() {
                return Ok(Output { target, predicates, staging: known });
            }
            let element = element_type_text(view);
            let shared = e.alloc(&element, "shared", staging)?;
            let warps = e.idx2crd(lane, &format!("({WARP},{})", WARPGROUP / WARP))?;
            let (lane, warp) = (result(warps, 0), result(warps, 1));
            let group =
                result(e.idx2crd(thread, &format!("({WARPGROUP},{})", warpgroups.count()))?, 1);
            let buffers = e.slice(shared, "(_,_,?)", &[group])?;
            let by_lane = format!("<{collect_partition}, _, _>");
            let arranged = e.algebra("layout.composition", shared, &by_lane)?;
            let addresses = e.slice(arranged, "((((?,_),_),(?,0)),_,?)", &[lane, warp, group])?;
            let values = piece.0 * piece.1 / WARPGROUP;
            let registers = match (plan.deferred, plan.all_pieces().len()) {
                (0, _) => e.registers(&element, &[values])?,
                (_, held) => e.registers(&element, &[values, i64::try_from(held).unwrap_or(1)])?,
            };
            // Barrier 0 is the block's.
            let i32_type = e.b.integer(32);
            let number = e.b.value("arith.index_cast", &[group], i32_type, &[])?;
            let number = e.b.binary("arith.addi", number, e.b.constant(i32_type, 1)?)?;
            let barrier = [number, e.b.constant(i32_type, WARPGROUP)?];
            let staging = Some(Staging { buffers, addresses, registers, barrier });
            Ok(Output { target, predicates, staging })
        }
    }
}
