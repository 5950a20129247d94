//! The warp-specialised pipeline: a producer warpgroup loads, consumer warpgroups multiply, cooperative or ping-pong.
//!
//! ```text
//! layout.pipeline over this block's tiles
//!     load      bulk copies of a tile of A and of each B to a stage
//!     prologue  zero the accumulators
//!     mainloop  write a piece of the tile before; multiply-accumulate a stage; of A in registers, load and multiply its
//!               steps along K
//!     epilogue  write the accumulators, or what the epilogue of the matmul makes of them
//! ```
//!
//! Where a thread has registers for them, the pieces of a tile of a cooperative kernel wait for the steps of the block's next tile:
//! `epilogue` makes them, and writes them itself after the block's last tile only. A step writes its piece in front of its own
//! MMAs, while those of the step before are in flight, so that the stage of these is released as early as without.
//!
//! One raster covers the tiles of several problems, one problem's after the other's. The work on a tile
//! is in branches, one for each problem, of which all threads take the same; stages,
//! accumulators and buffers are those of all.

use crate::matmul::{
    emit::{CopyHints, Emit, Emitted, Extent, Extents, Predicate},
    epilogue::{
        store::Store,
        write::{
            DeferredStores, Epilogue, Output, finish_tile, fuse, output, put, wait_for_stores,
        },
    },
    mainloop::{
        Plan,
        warpgroups::{InputPlan, Warpgroups},
    },
    pipeline::Gemm,
    scheduler::{
        Work,
        tiles::{Tile, Tiles},
    },
};
use layout_dialect::{
    atoms::{WARP, WARPGROUP},
    build::{Builder, Val, result},
};
use melior::ir::{Type, attribute::DenseI64ArrayAttribute};
use std::ops::Range;

/// The predicate of an input operand along M or N.
const ROWS: i64 = 0;

/// An input operand of a problem.
struct Source<'c> {
    /// The matrix in tiles: `((rows,columns),(tiles,k tiles))`, or of a batch
    /// `((rows,columns,1),(tiles,k tiles,matrices))`; or the image that is one by its window.
    tiles: Val<'c>,
    predicates: Vec<Predicate<'c>>,
    /// Whether the last tile may have rows beyond the matrix.
    is_ragged: bool,
}

/// The buffers of an input operand's tiles, the same for all problems.
#[derive(Clone)]
struct Stages<'c> {
    /// `((rows,columns),stages)`, for each matrix whose tiles are in a stage.
    shared: Vec<Val<'c>>,
    /// The operand of this thread's warpgroup: `(tile,(atoms,k steps),1,stages)`; of an operand in
    /// registers, what this thread loads: `(values,(atoms,k steps),1,stages)`.
    fragments: Val<'c>,
}

/// A problem inside the block.
struct BlockProblem<'p, 'f, 'c> {
    plan: &'p Plan,
    warpgroups: &'p Warpgroups,
    a: Source<'c>,
    /// B, and a second one.
    b: Vec<Source<'c>>,
    c: Output<'c>,
    fused: Option<Epilogue<'f, 'c>>,
}

/// Emits the whole program into the kernel's body: problems that have all but their extents in common,
/// and what parts of tiles are stored to that blocks share.
pub(crate) fn emit<'c>(
    builder: Builder<'c>,
    gemms: Vec<Gemm<'_, '_, 'c>>,
    workspace: Option<Val<'c>>,
) -> Emitted<()> {
    let e = Emit { b: builder };
    let index = Type::index(e.b.context());
    let thread = e.hardware_index("gpu.thread_id", "x")?;
    let block = e.hardware_index("gpu.block_id", "x")?;
    let blocks = e.hardware_index("gpu.grid_dim", "x")?;
    let plan = gemms.first().map(|gemm| gemm.plan).ok_or(melior::Error::OperationBuild)?;
    let warpgroups = plan.warpgroups()?;
    let (gm, gn) = warpgroups.groups;
    // The same in each consumer group.
    let threads = match warpgroups.ping_pong {
        1 => format!("({WARPGROUP},{gm},{gn})"),
        ping_pong => format!("({WARPGROUP},{gm},{gn},{ping_pong})"),
    };
    let coordinates = e.idx2crd(thread, &threads)?;
    let [lane, group_m, group_n] = [0, 1, 2].map(|i| result(coordinates, i));

    let element = plan.mma.mma().map_or("", |mma| mma.input);
    let (mut all, mut stages, mut staging) = (Vec::new(), None::<[Stages<'_>; 2]>, None);
    let mut scheduled = Vec::with_capacity(gemms.len());
    let place = [thread, lane, group_m, group_n];
    for Gemm { plan, operands: [a, b, c], dual, fused, extents } in gemms {
        let Extents { m, n, k, batch } = extents;
        let warpgroups = plan.warpgroups()?;
        scheduled.push((&plan.scheduler, extents));
        let a = source(&e, plan, (&warpgroups.a, (m, k), batch), a)?;
        let b = [Some(b), dual].into_iter().flatten();
        let b = b.map(|b| source(&e, plan, (&warpgroups.b, (n, k), batch), b));
        let b = b.collect::<Emitted<Vec<_>>>()?;
        if stages.is_none() {
            let a = buffers(&e, &warpgroups.a, element, [lane, group_m])?;
            stages = Some([a, buffers(&e, &warpgroups.b, element, [lane, group_n])?]);
        }
        let c = output(&e, (plan, &extents), c, place, staging)?;
        staging = c.staging;
        let fused = match fused {
            Some(bound) => Some(fuse(&e, (plan, &extents), bound, [lane, group_m, group_n])?),
            None => None,
        };
        all.push(BlockProblem { plan, warpgroups, a, b, c, fused });
    }
    let stages = stages.ok_or(melior::Error::OperationBuild)?;
    let parts = match &plan.scheduler.work {
        Work::StreamK(stream_k) => stream_k.partial.as_ref().map(|parts| &parts.store),
        _ => None,
    };
    let parts = match (parts, workspace) {
        (Some(store @ Store::Direct { partition, .. }), Some(view)) => {
            let (rows, columns, _) = plan.scheduler.tile;
            let tiler = format!("({rows},{columns})");
            let tiles = e.algebra("layout.zipped_divide", view, &tiler)?;
            let own = e.algebra("layout.composition", tiles, &format!("<{partition}, _>"))?;
            let target = e.slice(own, "((((?,_),_),(?,?)),_)", &[lane, group_m, group_n])?;
            Some((store, Output { target, predicates: Vec::new(), staging: None }))
        }
        _ => None,
    };
    let (values, atoms_m, atoms_n) = plan.accumulators;
    let accumulator = plan.accumulator();
    // Values of an atom: those of a piece, and how many pieces there are.
    let piece = match &plan.store {
        Store::Direct { .. } => values,
        Store::Staged { piece, .. } => piece.0 * piece.1 / WARPGROUP,
    };
    let registers = |element: &str, values: i64| match &plan.store {
        Store::Direct { .. } => e.registers(element, &[values, atoms_m, atoms_n]),
        Store::Staged { .. } => {
            let (m, n) = (atoms_m, atoms_n);
            let strides = format!("((1,{piece}),{values},{})", values * m);
            let layout = format!("(({piece},{}),{m},{n}):{strides}", values / piece);
            e.alloc(element, "register", &layout)
        }
    };
    let accumulators = registers(accumulator, values * plan.factors)?;
    // The accumulators of each B, which an atom has side by side.
    let each = match plan.factors {
        1 => vec![accumulators],
        factors => {
            let pieces = values / piece;
            let by_matrix =
                format!("<(({piece},{pieces}),{factors}):((1,{piece}),{values}), _, _>");
            let by_matrix = e.algebra("layout.composition", accumulators, &by_matrix)?;
            let of = |number: i64| e.slice(by_matrix, &format!("((_,{number}),_,_)"), &[]);
            (0..factors).map(of).collect::<Emitted<_>>()?
        }
    };
    // An epilogue makes other numbers of accumulators of integers.
    let results = match accumulator == "i32" && all.iter().any(|gemm| gemm.fused.is_some()) {
        true => registers("f32", values)?,
        false => each[0],
    };
    let held = held_registers(&e, warpgroups, element)?;
    let zero = e.zero(accumulator)?;
    let k_extent = scheduled.first().map(|(_, extents)| extents.k);
    let tiles = Tiles::new(&e, scheduled.into_iter(), block)?;
    let bounds = tiles.bounds(&e, block, blocks)?;
    let steps = tiles.steps(&e)?;
    let pieces = plan.all_pieces().len();
    // The last pieces of a tile are stored beside the steps of the next one.
    let deferred = pieces - usize::try_from(plan.deferred).unwrap_or(0)..pieces;

    let (load, inner) = e.b.region_with(&[index; 3]);
    {
        let e = Emit { b: inner };
        let [tile, k, stage] = [0, 1, 2].map(|i| e.b.argument(i));
        tiles.tile(&e, tile, &|e, number, tile| {
            let k = tiles.step(e, (number, tile), k)?;
            all[number].load(e, &stages, &tile.at, k, stage)
        })?;
    }
    let (prologue, inner) = e.b.region_with(&[index]);
    inner.operation("layout.fill", &[accumulators, zero], &[], &[], vec![])?;

    let (mainloop, inner) = e.b.region_with(&[index; 3]);
    {
        let e = Emit { b: inner };
        let stage = e.b.argument(2);
        let [tile, k] = [0, 1].map(|i| e.b.argument(i));
        // While the MMAs of the step before are in flight.
        let turn = |e: &Emit<'c>, turn: i64| e.b.equal(k, e.b.constant(index, turn)?);
        put_before(&e, (&tiles, &all), (tile, bounds[2]), &deferred, k, turn)?;
        multiply(&e, (plan, warpgroups), &stages, &held, accumulators, stage)?;
    }
    let (epilogue, inner) = e.b.region_with(&[index]);
    {
        let e = Emit { b: inner };
        let tile = e.b.argument(0);
        if let Some(extent @ Extent::At(_)) = k_extent {
            // Pieces that the steps of this tile had no turn for.
            let steps = e.value(e.cover(extent, plan.scheduler.tile.2, 1)?)?;
            let left = |e: &Emit<'c>, turn: i64| e.b.less(steps, e.b.constant(index, turn + 1)?);
            put_before(&e, (&tiles, &all), (tile, bounds[2]), &deferred, steps, left)?;
        }
        let kept = match deferred.len() {
            0 => None,
            pieces => {
                let next = e.b.binary("arith.addi", tile, bounds[2])?;
                let last = e.b.binary("arith.subi", bounds[1], e.b.constant(index, 1)?)?;
                Some(DeferredStores { pieces, is_last: e.b.less(last, next)? })
            }
        };
        let whole = |e: &Emit<'c>, number: usize, tile: &Tile<'c>| -> Emitted<()> {
            let BlockProblem { plan, c, fused, .. } = &all[number];
            let at = tiles.destination(e, (number, tile))?;
            let target = (&at[..], plan.scheduler.place());
            // Some of several problems may have no epilogue.
            let results = if fused.is_some() { results } else { each[0] };
            finish_tile(e, plan, (&plan.store, c), fused.as_ref(), (&each, results), target, kept)
        };
        let partly = |e: &Emit<'c>, slot: Val<'c>| -> Emitted<()> {
            let Some((store, parts)) = &parts else { return Ok(()) };
            let target = (&[slot][..], "(?,0)");
            finish_tile(e, plan, (store, parts), None, (&each, each[0]), target, None)
        };
        tiles.finish(&e, tile, &|e| tiles.tile(e, tile, &whole), &partly)?;
    }
    let mut attributes = vec![
        ("depth", e.b.i64_attribute(tiles.depth())),
        ("stages", e.b.i64_attribute(plan.stages)),
        ("consumers", e.b.i64_attribute(warpgroups.consumers())),
    ];
    if warpgroups.ping_pong != 1 {
        attributes.push(("ping_pong", e.b.i64_attribute(warpgroups.ping_pong)));
    }
    if plan.scheduler.cluster != (1, 1) {
        let (cm, cn) = plan.scheduler.cluster;
        attributes.push(("cluster", e.attribute(&format!("array<i64: {cm}, {cn}>"))?));
    }
    let regions = vec![load, prologue, mainloop, epilogue, steps];
    e.b.operation("layout.pipeline", &bounds, &[], &attributes, regions)?;
    if staging.is_some() {
        // The copy engine reads the buffers to the end.
        wait_for_stores(&e, 0)?;
    }
    e.b.operation("gpu.return", &[], &[], &[], vec![])?;
    Ok(())
}

/// Stores the pieces of the tile before the block's tile, where there is one, whose turn it is: turns are 1 to the
/// number of pieces. Later steps, which are most of a tile's, take one branch. The condition that
/// a tile was before is each piece's own: known for all, the turns would become a table of jumps, whose branch takes longer.
fn put_before<'c>(
    e: &Emit<'c>,
    (tiles, all): (&Tiles<'_, 'c>, &[BlockProblem<'_, '_, 'c>]),
    (tile, stride): (Val<'c>, Val<'c>),
    pieces: &Range<usize>,
    step: Val<'c>,
    is_turn: impl Fn(&Emit<'c>, i64) -> Emitted<Val<'c>>,
) -> Emitted<()> {
    let index = Type::index(e.b.context());
    if pieces.is_empty() {
        return Ok(());
    }
    let before = e.b.binary("arith.subi", tile, stride)?;
    let follows = e.b.less(e.b.constant(index, -1)?, before)?;
    let turns = i64::try_from(pieces.len()).unwrap_or(i64::MAX);
    let early = e.b.less(step, e.b.constant(index, turns.saturating_add(1))?)?;
    let store = |b: Builder<'c>, piece: usize| -> Emitted<Vec<Val<'c>>> {
        tiles.tile(&Emit { b }, before, &|e, number, tile| {
            let BlockProblem { plan, c, .. } = &all[number];
            let at = tiles.destination(e, (number, tile))?;
            put(e, plan, (&plan.store, c), piece, (&at, plan.scheduler.place()))
        })?;
        Ok(Vec::new())
    };
    let each = |b: Builder<'c>| -> Emitted<Vec<Val<'c>>> {
        for (turn, piece) in (1..).zip(pieces.clone()) {
            let here = b.binary("arith.andi", follows, is_turn(&Emit { b }, turn)?)?;
            b.branch(here, &[], |b| store(b, piece), None)?;
        }
        Ok(Vec::new())
    };
    e.b.branch(early, &[], each, None)?;
    Ok(())
}

impl<'c> BlockProblem<'_, '_, 'c> {
    /// Copies the tiles of a step to their stages.
    fn load(
        &self,
        e: &Emit<'c>,
        [of_a, of_b]: &[Stages<'c>; 2],
        at: &[Val<'c>],
        k: Val<'c>,
        stage: Val<'c>,
    ) -> Emitted<()> {
        let Self { plan, warpgroups, .. } = self;
        let (cm, cn) = plan.scheduler.cluster;
        // Blocks that differ along N read the same of A, and along M the same of B.
        let travel = |multicast: Option<i64>, input: &InputPlan, whole: &Source<'c>| CopyHints {
            multicast,
            evict_first: input.evict_first,
            no_zfill: whole.is_ragged.then_some(ROWS),
        };
        let for_a = travel((cn > 1).then_some(1), &warpgroups.a, &self.a);
        let a = (&self.a, at[0], for_a, of_a.shared[0], warpgroups.a.window);
        let b = self.b.iter().zip(&of_b.shared);
        let b = b.map(|(b, &shared)| {
            let for_b = travel((cm > 1).then_some(0), &warpgroups.b, b);
            (b, at[1], for_b, shared, warpgroups.b.window)
        });
        for (input, outer, travel, shared, window) in [a].into_iter().chain(b) {
            if let Some(window) = window {
                let [rows, _, columns] = <[i64; 3]>::from(plan.scheduler.tile);
                let first = |tile: Val<'c>, extent: i64| {
                    let extent = e.b.constant(Type::index(e.b.context()), extent)?;
                    e.b.binary("arith.muli", tile, extent)
                };
                let target = e.slice(shared, "(_,?)", &[stage])?;
                let operands = [input.tiles, target, first(outer, rows)?, first(k, columns)?];
                let numbers = DenseI64ArrayAttribute::new(e.b.context(), &window.numbers());
                let attributes = [("window", numbers.into())];
                e.b.operation("layout.copy_im2col", &operands, &[], &attributes, vec![])?;
                continue;
            }
            let at: Vec<Val<'c>> = [outer, k].into_iter().chain(at.get(2).copied()).collect();
            let part = |view| e.slice(view, &format!("(_,{})", plan.scheduler.place()), &at);
            let source = part(input.tiles)?;
            let target = e.slice(shared, "(_,?)", &[stage])?;
            let predicates = Predicate::each(&input.predicates, part)?;
            e.copy_for(travel, warpgroups.load.name, source, target, &predicates)?;
        }
        Ok(())
    }
}

/// Partitions an input operand among tiles.
fn source<'c>(
    e: &Emit<'c>,
    whole: &Plan,
    (plan, extent, batch): (&InputPlan, (Extent<'c>, Extent<'c>), Option<Extent<'c>>),
    view: Val<'c>,
) -> Emitted<Source<'c>> {
    if plan.window.is_some() {
        return Ok(Source { tiles: view, predicates: Vec::new(), is_ragged: false });
    }
    let tiler = whole.scheduler.tiler(plan.tile);
    let tiles = |view| e.algebra("layout.zipped_divide", view, &tiler);
    let source = tiles(view)?;
    // Bulk copies take their coordinates from the predicates: there is one for each mode.
    let predicates = Predicate::each(&e.coordinates(extent, batch)?, tiles)?;
    // A row of the tile beyond the operand's rows is one of C's that is not stored.
    let is_ragged = extent.0.known().is_none_or(|rows| rows % plan.tile.0 != 0);
    Ok(Source { tiles: source, predicates, is_ragged })
}

/// The stages of an input operand, partitioned among warpgroups.
fn buffers<'c>(
    e: &Emit<'c>,
    plan: &InputPlan,
    element: &str,
    place: [Val<'c>; 2],
) -> Emitted<Stages<'c>> {
    let shared = e.alloc(element, "shared", &plan.shared)?;
    let by_group = format!("<{}, _>", plan.fragments);
    let arranged = e.algebra("layout.composition", shared, &by_group)?;
    let fragments = match &plan.held {
        None => e.slice(arranged, "((((?,_),_),(?,_)),_)", &place)?,
        Some(_) => {
            let [lane, group] = place;
            let warps = e.idx2crd(lane, &format!("({WARP},{})", WARPGROUP / WARP))?;
            let place = [result(warps, 0), result(warps, 1), group];
            e.slice(arranged, "(((((?,_),?),_),(?,_)),_)", &place)?
        }
    };
    let shared = match &plan.matrices {
        (1, _) => vec![shared],
        (count, term) => {
            let by_matrix = e.algebra("layout.composition", shared, &format!("<{term}, _>"))?;
            let of = |number: i64| e.slice(by_matrix, &format!("((_,{number}),_)"), &[]);
            (0..*count).map(of).collect::<Emitted<_>>()?
        }
    };
    Ok(Stages { shared, fragments })
}

/// The registers of A, where it is multiplied from there: `(values,atoms,1)` for each step along K that
/// is held at once, or all together where accumulation has two levels.
fn held_registers<'c>(e: &Emit<'c>, plan: &Warpgroups, element: &str) -> Emitted<Vec<Val<'c>>> {
    let Some(held) = &plan.a.held else { return Ok(Vec::new()) };
    let (values, atoms) = held.fragment;
    if plan.two_level_accumulation {
        return Ok(vec![e.registers(element, &[values, atoms, held.steps])?]);
    }
    (0..held.steps).map(|_| e.registers(element, &[values, atoms, 1])).collect()
}

/// Multiplies a stage.
fn multiply<'c>(
    e: &Emit<'c>,
    (plan, warpgroups): (&Plan, &Warpgroups),
    [a, b]: &[Stages<'c>; 2],
    registers: &[Val<'c>],
    accumulators: Val<'c>,
    stage: Val<'c>,
) -> Emitted<()> {
    let gemm = |left: Val<'c>, right: Val<'c>| -> Emitted<()> {
        let mut attributes = vec![("atom", e.atom(plan.mma.name)?)];
        if warpgroups.two_level_accumulation {
            attributes.push(("two_level_accumulation", e.attribute("unit")?));
        }
        e.b.operation("layout.mma", &[left, right, accumulators], &[], &attributes, vec![])?;
        Ok(())
    };
    let part = |view, pattern: &str| e.slice(view, pattern, &[stage]);
    let all = "(_,(_,_),0,?)";
    match (&warpgroups.a.held, registers) {
        (Some(held), &[all_steps]) if warpgroups.two_level_accumulation => {
            e.copy(held.copy.name, part(a.fragments, all)?, all_steps, &[])?;
            gemm(all_steps, part(b.fragments, all)?)
        }
        // The registers of alternate steps: they are loaded while those of others are multiplied.
        (Some(held), turns) if !turns.is_empty() => {
            let depth = plan.mma.mma().map_or(1, |mma| mma.extent.2);
            for (k, &loaded) in (0..plan.scheduler.tile.2 / depth).zip(turns.iter().cycle()) {
                let step = format!("(_,(_,{k}),_,?)");
                e.copy(held.copy.name, part(a.fragments, &step)?, loaded, &[])?;
                gemm(loaded, part(b.fragments, &step)?)?;
            }
            Ok(())
        }
        _ => gemm(part(a.fragments, all)?, part(b.fragments, all)?),
    }
}
