//! The mainloop of warpgroups, decided before any operation is emitted: bulk copies to shared memory, and `wgmma` of
//! tiles there, or of A in registers.

use crate::matmul::{
    epilogue::store::Store,
    limits::{self, GROUP_WARPS},
    mainloop::{
        Mainloop, Plan,
        bulk_copy::{Rows, in_blocks, is_loaded, whole_blocks},
        known,
        register_operand::{self, RegisterOperand},
        shared_memory,
    },
    operand::Memory,
    partition::{self, Major},
    problem::Problem,
    scheduler::{TileScheduler, Work},
    sizes::MAX_SIZE,
};
use layout_algebra::Conflicts;
use layout_dialect::{
    Space,
    atoms::{
        self, Atom, CopyKind, MmaAtom, REGISTERS_WITHOUT_ACCUMULATORS, WARPGROUP, im2col::Window,
        shared_matrix,
    },
};
use layout_schedule::piece as pieces;

/// Bytes from which on an operand would push most of what the L2 cache holds out of it:
/// more than half of the 50 MB of Hopper's.
const EVICT_FIRST_BYTES: i64 = 32 << 20;

/// Tiles that may read the same part of an evict-first operand, at once: measured were one, two and four, which gain up to 12 %, and
/// more of them, which gain nothing.
const STREAM_READERS: i64 = 4;

/// How one input operand travels: global to shared memory.
pub(crate) struct InputPlan {
    /// The operand's extents.
    pub(crate) extent: (i64, i64),
    /// Tile extents: rows of M or N, then K.
    pub(crate) tile: (i64, i64),
    /// Matrices whose tiles are side by side in a stage, and the term that distinguishes them.
    pub(crate) matrices: (i64, String),
    /// Term: the shared buffer, all stages.
    pub(crate) shared: String,
    /// The bank conflicts of what reads it.
    pub(crate) conflicts: Vec<Conflicts>,
    /// Term: the tiles that the instruction reads, by warpgroup; or what is loaded to registers, by lane,
    /// warp and warpgroup.
    pub(crate) fragments: String,
    /// Where the instruction reads registers.
    pub(crate) held: Option<RegisterOperand>,
    /// Whether it passes through the L2 cache once, so that it is marked evict-first.
    pub(crate) evict_first: bool,
    /// Where it is the im2col matrix of an image.
    pub(crate) window: Option<Window>,
}

/// Warpgroups that multiply tiles in shared memory.
pub(crate) struct Warpgroups {
    /// Warpgroups along M and N that share a tile.
    pub(crate) groups: (i64, i64),
    /// Sets of them that take tiles alternately: two are ping-pong.
    pub(crate) ping_pong: i64,
    pub(crate) load: &'static Atom,
    pub(crate) a: InputPlan,
    pub(crate) b: InputPlan,
    /// Whether accumulation has two levels, each tile along K separately.
    pub(crate) two_level_accumulation: bool,
    /// Whether A and B are swapped, so that C is seen transposed.
    pub(crate) swap_ab: bool,
}

/// Decides everything, or says what does not fit.
pub(crate) fn plan(problem: &Problem<'_>) -> Result<Plan, String> {
    let element_bytes = problem.input_bytes;
    let schedule = problem.schedule;
    let (bm, bn, bk) = schedule.tile;
    let (wm, wn) = schedule.warps;
    let chip = schedule.chip.clone();
    if wm % GROUP_WARPS != 0 {
        return Err(format!(
            "expected a multiple of {GROUP_WARPS} warps along M, the warps of a warpgroup, \
             found {wm}"
        ));
    }
    let groups = (wm / GROUP_WARPS, wn);
    if problem.converts() {
        let ([a_name, b_name], [a, b]) = (problem.names(), problem.elements);
        return Err(format!(
            "expected {a_name} and {b_name} of one element type for wgmma, found {a} and {b}, one of which warps convert"
        ));
    }
    limits::with_dual(problem)?;
    let factors = problem.factors();
    let columns = (bn / wn).saturating_mul(factors);
    let consumers = limits::on_warpgroups(schedule)?;
    let registers = atoms::consumer_registers(consumers);
    let of_group = (bm / groups.0.max(1)).saturating_mul(bn / groups.1.max(1));
    let accumulators = of_group.saturating_mul(factors) / WARPGROUP;
    // Two-level accumulation has one instruction in flight at a time, whose accumulators are not those of the tile.
    let held = |tiled: &MmaAtom| match schedule.two_level_accumulation {
        true => accumulators + tiled.c_values,
        false => accumulators,
    };
    let has_room = |tiled: &MmaAtom| held(tiled) + REGISTERS_WITHOUT_ACCUMULATORS <= registers;
    let (mma, tiled) = limits::atom(problem, || {
        let whole = atoms::for_warpgroup(problem.input, columns)
            .ok_or_else(|| without_atom(problem.input, columns, factors))?;
        // The widest instruction whose accumulators fit, where each has only a part of the columns.
        let parts = (2..=columns).filter(|parts| factors == 1 && columns % parts == 0);
        let narrower =
            parts.filter_map(|parts| atoms::for_warpgroup(problem.input, columns / parts));
        let mut all = std::iter::once(whole).chain(narrower);
        Ok(all.find(|atom| atom.mma().is_some_and(has_room)).unwrap_or(whole))
    })?;
    if tiled.b_space != Space::Shared {
        return Err(format!("expected a wgmma atom, found {}", mma.name));
    }
    let stored = limits::of_one(tiled, factors, bn / wn)?;
    let (am, an, ak) = tiled.extent;
    limits::whole([
        ("tile M", bm, "warpgroups along M times the atom's M", groups.0.checked_mul(am)),
        ("tile N", bn, "warps along N times the atom's N", groups.1.checked_mul(stored.extent.1)),
        ("tile K", bk, "the atom's K", Some(ak)),
    ])?;
    let (cm, cn) = schedule.cluster;
    let ping_pong = schedule.ping_pong;
    limits::together(schedule, tiled)?;
    let (held, has_room) = (held(tiled), has_room(tiled));
    let in_registers = tiled.a_space == Space::Register;
    let at_once = match in_registers && has_room {
        true => register_operand::steps(tiled, schedule, element_bytes, groups, (held, registers))?,
        false => 0,
    };
    if !has_room {
        return Err(format!(
            "expected a tile whose accumulators leave a thread {REGISTERS_WITHOUT_ACCUMULATORS} of its \
             {registers} registers, found {held} accumulators in ({bm},{bn}) of {consumers} \
             warpgroups"
        ));
    }
    let stages = schedule.stages;
    // Barriers take one more piece of the alignment of shared buffers.
    let space = limits::stages(problem, 1024)?;
    let warp_tile = (bm / groups.0, bn / groups.1);
    windowed(problem)?;
    let input = |name: &str,
                 memory: Memory<'_>,
                 ((rows, warp_rows), factors): ((i64, i64), i64),
                 tv: &str,
                 ar: i64,
                 blocks| {
        // The rows of all matrices, those of a warpgroup side by side.
        let (tile, whole_tile) = ((rows, bk), (rows * factors, bk));
        let Memory { layout, .. } = memory;
        let window = problem.window.filter(|_| std::ptr::eq(layout, problem.a));
        let Rows { major, width } = match window {
            // The copy engine lays out rows of K.
            Some(_) => Rows { major: Major::Reduction, width: 0 },
            None => Rows::of(name, memory, tile)?,
        };
        let modes = layout.modes();
        let held = in_registers && ar == am && tv == tiled.a;
        if major == Major::Outer && !held && !shared_matrix::transposes(element_bytes) {
            let (rows, columns) = (modes[0].size(), modes[1].size());
            return Err(format!(
                "expected {name} with stride 1 along K for {}, which reads elements of \
                 {element_bytes} bytes from K-major tiles only, found {layout}; \
                 use ({rows},{columns}):({columns},1)",
                mma.name
            ));
        }
        let (warp_tile, atom_tile) = ((warp_rows * factors, bk), (ar, ak));
        let (fragments, held) = if held {
            let held =
                RegisterOperand::new(tiled, major, element_bytes, (warp_rows / ar, at_once))?;
            let copy = (held.copy, element_bytes);
            let source = partition::held_source(tile, warp_tile, atom_tile, tv, copy);
            (source, Some(held))
        } else {
            (partition::fragment(whole_tile, warp_tile, atom_tile, tv), None)
        };
        let access = match &held {
            Some(held) => {
                let at_once = held.copy.elements(element_bytes).unwrap_or(1);
                shared_memory::access_of_held(&fragments, at_once)
            }
            None => shared_memory::matrices(whole_tile, major, element_bytes),
        };
        // An instruction's tile begins where a row does.
        let whole = major == Major::Outer && held.is_none();
        let width = if whole { width | (ar / factors) } else { width };
        let (width, conflicts) =
            shared_memory::loaded(whole_tile, width, major, element_bytes, access);
        let stage = partition::bulk_shared(whole_tile, width, 1, major, element_bytes);
        let matrices = partition::side_by_side(tile, warp_rows, factors);
        if factors > 1 {
            let own = format!("slice(((_,0),_), composition({stage}, <{matrices}, _>))");
            is_loaded(layout, tile, &own, element_bytes, blocks)?;
        } else if window.is_none() && (blocks > 1 || in_blocks(layout)) {
            is_loaded(layout, tile, &stage, element_bytes, blocks)?;
        }
        Ok::<_, String>(InputPlan {
            extent: (modes[0].size(), modes[1].size()),
            tile,
            matrices: (factors, matrices),
            shared: partition::bulk_shared(whole_tile, width, stages, major, element_bytes),
            conflicts,
            fragments,
            held,
            evict_first: false,
            window,
        })
    };
    let [a_name, b_name] = problem.names();
    let mut a = input(a_name, problem.left(), ((bm, warp_tile.0), 1), &tiled.a, am, cn)?;
    let of_b = ((bn, warp_tile.1), factors);
    let mut b = input(b_name, problem.right(), of_b, &tiled.b, an, cm)?;
    if let Some(dual) = problem.dual {
        let second = input("the second B", dual, of_b, &tiled.b, an, cm)?;
        if second.shared != b.shared {
            return Err(format!(
                "expected both B contiguous along one mode, and in blocks alike, found {} and {}",
                problem.b, dual.layout
            ));
        }
    }
    let covered = problem.is_covered((bm, bn));
    let rows = if covered.0 { bm } else { a.extent.0 };
    let columns = if covered.1 { bn } else { b.extent.0 };
    // A block beyond them in a mode that is one tile would have that tile again.
    for (mode, extent, tile, blocks) in [("M", rows, bm, cm), ("N", columns, bn, cn)] {
        let tiles = (extent - 1) / tile + 1;
        if blocks > tiles {
            return Err(format!(
                "expected a cluster of no more blocks along {mode} than C has tiles there, \
                 {tiles}, found {blocks}"
            ));
        }
    }
    let mut scheduler = TileScheduler {
        extents: (a.extent.0, b.extent.0, a.extent.1),
        batch: problem.batch(),
        tile: schedule.tile,
        cluster: schedule.cluster,
        covered,
        raster: schedule.raster.clone(),
        loops: true,
        work: Work::Persistent,
    };
    whole_blocks("C", problem.c, (bm, bn), problem.output_bits / 8)?;
    let of = ((bm, bn), warp_tile);
    let store = match scheduler.share_k(problem, of, stored)? {
        Some(store) => store,
        None => Store::new(problem, (bm, bn), warp_tile, stored, consumers, space)?,
    };
    let tiles = scheduler.tiles();
    let clusters = (tiles.0 / cm, tiles.1 / cn);
    let batch = scheduler.batch;
    // Few tiles along the other mode read the same, and, in an order of ours, at the same time: of sizes that are
    // known at run time, as many as there may be.
    let most = problem.most();
    let at_most = |clusters: i64, most: Option<i64>, tile: i64, cluster: i64| match most {
        Some(most) => ((most.max(1) - 1) / tile + 1 - 1) / cluster + 1,
        None => clusters,
    };
    let readers = (at_most(clusters.0, most.0, bm, cm), at_most(clusters.1, most.1, bn, cn));
    let matrices = if problem.sizes.get("batch").is_some() { MAX_SIZE } else { batch.unwrap_or(1) };
    let most_tiles = [readers.0, cm, readers.1, cn].into_iter().fold(matrices, i64::saturating_mul);
    for (input, layout, readers) in [(&mut a, problem.a, readers.1), (&mut b, problem.b, readers.0)]
    {
        let (rows, columns) = input.extent;
        let gemms = batch.unwrap_or(1);
        // One matrix for all of a batch is read by the tiles of each.
        let (matrices, more) = match layout.mode(2) {
            Some(mode) if mode.flat().iter().all(|&(_, stride)| stride == 0) => (1, gemms),
            _ => (gemms, 1),
        };
        let readers = readers.saturating_mul(more);
        let bytes = rows.saturating_mul(columns).saturating_mul(element_bytes);
        let bytes = bytes.saturating_mul(matrices);
        let together = readers == 1 || schedule.raster.is_none();
        // Small GEMMs whose operands two tiles read, one after the other, are slower so.
        let most = if batch.is_some() { 1 } else { STREAM_READERS };
        input.evict_first =
            input.window.is_none() && bytes >= EVICT_FIRST_BYTES && readers <= most && together;
    }
    let warpgroups = Warpgroups {
        groups,
        ping_pong,
        load: known("bulk_tensor_load")?,
        a,
        b,
        two_level_accumulation: schedule.two_level_accumulation,
        swap_ab: schedule.swap_ab,
    };
    let mut plan = Plan {
        scheduler,
        stages,
        threads: warpgroups.consumers() + WARPGROUP,
        chip,
        mma,
        stored,
        accumulators: (stored.c_values, warp_tile.0 / am, warp_tile.1 / stored.extent.1),
        factors,
        partition: partition::fragment((bm, bn), warp_tile, (am, stored.extent.1), &stored.c),
        store,
        deferred: 0,
        mainloop: Mainloop::Warpgroups(Box::new(warpgroups)),
    };
    plan.deferred = deferred(&plan, problem, most_tiles, held);
    Ok(plan)
}

/// Why no atom of warpgroups multiplies this type exactly with this many columns, a warpgroup's part of N of `factors` B's.
fn without_atom(input: &str, columns: i64, factors: i64) -> String {
    /// An N that every type has.
    const COLUMNS: i64 = 64;
    if atoms::for_warpgroup(input, COLUMNS).is_none() {
        let hint = match input {
            "f32" => "; 'mma' names an atom that rounds to tf32",
            _ => "",
        };
        return format!(
            "expected operands of a type that wgmma multiplies exactly, found {input}{hint}"
        );
    }
    let extent = match factors {
        1 => "tile N over warps along N",
        _ => "twice tile N over warps along N",
    };
    let multiple = match input {
        "i8" => "a multiple of 8 below 32 or of 16 up to 256",
        _ => "a multiple of 8 from 8 to 256",
    };
    format!("expected {extent} to be {multiple} for wgmma of {input}, found {columns}")
}

/// Pieces of a tile that are stored beside the steps of the block's next tile, while MMAs are in flight. Ping-pong has
/// another consumer group's.
fn deferred(plan: &Plan, problem: &Problem<'_>, most_tiles: i64, accumulators: i64) -> i64 {
    const REGISTER_BITS: i64 = 32;
    let (Mainloop::Warpgroups(warpgroups), Store::Staged { piece, collect, .. }) =
        (&plan.mainloop, &plan.store)
    else {
        return 0;
    };
    let scheduler = &plan.scheduler;
    let blocks = layout_schedule::Chip::named(&plan.chip).map_or(0, |chip| chip.multiprocessors);
    // Threads that write 16 bits each would hold these in a register of their own.
    let is_collected = matches!(collect.copy_kind(), Some(CopyKind::Stmatrix { .. }));
    let is_packed = problem.output_bits == REGISTER_BITS || is_collected;
    let alone = warpgroups.ping_pong == 1
        && !warpgroups.two_level_accumulation
        && warpgroups.a.held.is_none()
        && matches!(scheduler.work, Work::Persistent);
    if most_tiles <= blocks || !is_packed || !alone {
        return 0;
    }
    let pieces = i64::try_from(plan.all_pieces().len()).unwrap_or(i64::MAX);
    let registers = piece.0 * piece.1 / WARPGROUP * problem.output_bits / REGISTER_BITS;
    // Tiles with fewer steps than pieces, where K is known at run time, store the others before their own.
    let steps = if problem.sizes.get("k").is_some() { MAX_SIZE } else { scheduler.depth() };
    pieces::deferred(warpgroups.count(), accumulators, (pieces, registers), steps)
}

/// The conditions of tiles of an image's im2col matrix: the copy engine reads channels of one tap at a time.
fn windowed(problem: &Problem<'_>) -> Result<(), String> {
    /// Bytes of a row of a box, which a swizzle has.
    const ROW: i64 = 128;
    if problem.window.is_none() {
        return Ok(());
    }
    let schedule = problem.schedule;
    if schedule.swap_ab || schedule.cluster.1 != 1 {
        return Err(format!(
            "expected an image as A without 'swap_ab', and clusters along M only, found {schedule}"
        ));
    }
    let channels = problem.a.mode(1).and_then(|k| k.mode(0)).map_or(1, |mode| mode.size());
    let (depth, row) = (schedule.tile.2, ROW / problem.input_bytes);
    let columns = problem.a.mode(1).map_or(1, |mode| mode.size());
    if channels % row != 0 || depth % row != 0 || columns % depth != 0 {
        return Err(format!(
            "expected channels and tiles along K of multiples of {row}, and whole tiles along K, found {channels} \
             channels, and tiles of {depth} of {columns}"
        ));
    }
    Ok(())
}

impl Warpgroups {
    /// Warpgroups that multiply, of all consumer groups.
    pub(crate) fn count(&self) -> i64 {
        self.groups.0 * self.groups.1 * self.ping_pong
    }

    /// Threads that multiply.
    pub(crate) fn consumers(&self) -> i64 {
        WARPGROUP * self.count()
    }
}
