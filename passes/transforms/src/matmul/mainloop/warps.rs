//! The mainloop of warps, decided before any operation is emitted: the MMA atom, copy atoms, partitions, threads and
//! bytes. Everything that can be refused is refused here.

use crate::matmul::{
    epilogue::store::{Store, Vectors},
    limits,
    mainloop::{
        Mainloop, Plan,
        bulk_copy::{arranged, whole_blocks},
        known, shared_memory,
    },
    operand::Operand,
    partition::{self, Major, WARP},
    problem::Problem,
    scheduler::{TileScheduler, Work},
};
use layout_algebra::{Conflicts, Term};
use layout_dialect::atoms::{self, Atom, CopyKind, MmaAtom};

/// How one input operand travels: global to shared to registers.
pub(crate) struct InputPlan {
    /// Tile extents: rows of M or N, then K.
    pub(crate) tile: (i64, i64),
    /// Global to shared.
    pub(crate) copy: &'static Atom,
    /// Term: how the block's threads share the copy of a tile.
    pub(crate) copy_partition: String,
    /// Term: the shared buffer, all stages.
    pub(crate) shared: String,
    /// Elements that it reaches.
    pub(crate) elements: i64,
    /// Its bank conflicts, of the copies to it and the loads from it.
    pub(crate) conflicts: Vec<Conflicts>,
    /// Shared to registers.
    pub(crate) load: &'static Atom,
    /// Term: the addresses that each lane gives.
    pub(crate) load_partition: String,
    /// Registers of one k-step, as the MMA atom takes them: `(values, atoms)`.
    pub(crate) fragment: (i64, i64),
    /// The element type of these registers, where the load converts elements to it.
    pub(crate) converted: Option<&'static str>,
    /// Which modes of a tile may lie outside the operand.
    pub(crate) ragged: (bool, bool),
}

/// Warps that multiply fragments in registers.
pub(crate) struct Warps {
    /// Warps along M and N.
    pub(crate) warps: (i64, i64),
    pub(crate) a: InputPlan,
    pub(crate) b: InputPlan,
    /// MMA steps along K in one tile.
    pub(crate) k_steps: i64,
    /// How a tile of C is written through shared memory, or `None` if each thread writes its accumulators.
    pub(crate) vectors: Option<Vectors>,
}

/// Decides everything, or says what does not fit.
pub(crate) fn plan(problem: &Problem<'_>) -> Result<Plan, String> {
    let schedule = problem.schedule;
    let (bm, bn, bk) = schedule.tile;
    let (wm, wn) = schedule.warps;
    let stages = schedule.stages;
    let chip = schedule.chip.clone();
    limits::on_warps(schedule)?;
    let [a_name, b_name] = problem.names();
    let a = Operand::new(a_name, problem.left())?;
    let b = Operand::new(b_name, problem.right())?;
    let (m, k) = a.extent;
    let n = b.extent.0;

    let (mma, tiled) = limits::atom(problem, || {
        atoms::for_warp(problem.input).ok_or_else(|| {
            format!("expected operands that a warp multiplies, found {}", problem.input)
        })
    })?;
    limits::together(schedule, tiled)?;
    let (am, an, ak) = tiled.extent;
    let converted = problem.elements.map(|of| (of != problem.input).then_some(tiled.input));
    let bytes = [0, 1].map(|operand| problem.bytes_of(operand));
    let b_load = load(tiled, &b, bytes[1], converted[1].is_some())?;
    // One ldmatrix.x4 feeds one atom of A and two of B.
    let paired = b_load.copy_kind() != Some(CopyKind::Simt);
    let columns = match paired {
        true => ("warps along N times twice the atom's N", wn.checked_mul(2 * an)),
        false => ("warps along N times the atom's N", wn.checked_mul(an)),
    };
    limits::whole([
        ("tile M", bm, "warps along M times the atom's M", wm.checked_mul(am)),
        ("tile N", bn, columns.0, columns.1),
        ("tile K", bk, "the atom's K", Some(ak)),
    ])?;
    if stages < 2 {
        return Err(format!("expected at least 2 stages, found {stages}"));
    }
    let threads = WARP * wm * wn;
    if threads > 1024 {
        return Err(format!(
            "expected at most 32 warps (1024 threads) in a block, found {wm} x {wn}"
        ));
    }
    let left = limits::stages(problem, 0)?;

    for (name, layout, tile, bytes) in [
        (a_name, problem.a, (bm, bk), bytes[0]),
        (b_name, problem.b, (bn, bk), bytes[1]),
        ("C", problem.c, (bm, bn), problem.output_bits / 8),
    ] {
        whole_blocks(name, layout, tile, bytes)?;
    }
    let warp_tile = (bm / wm, bn / wn);
    let input = |operand: Operand,
                 strided: bool,
                 (load, element_bytes, converted): (&'static Atom, i64, Option<&'static str>),
                 (rows, warp_rows): (i64, i64),
                 fragment: (i64, i64),
                 (atom_tile, tv): ((i64, i64), &str)| {
        let tile = (rows, bk);
        // The widest vectors that the threads cover a tile with, or else elements along the other mode.
        let narrower = std::iter::successors(Some(operand.vector), |&vector| {
            if vector > 1 { Some(vector / 2) } else { None }
        });
        let mut ways = narrower
            .map(|vector| (operand.major, vector))
            .chain([(Major::Reduction, 1), (Major::Outer, 1)]);
        let covered =
            |&(major, vector): &(Major, i64)| partition::copy(tile, threads, major, vector).is_ok();
        let (major, vector) = ways.find(covered).unwrap_or((operand.major, operand.vector));
        let copy_name = match vector * element_bytes {
            // Elements at strides that are known at run time are copied one by one.
            bytes @ (4 | 8 | 16) if !strided => format!("cp_async_{bytes}"),
            _ => "simt_1".to_owned(),
        };
        let warp_tile = (warp_rows, bk);
        let load_partition = match load.copy_kind() {
            Some(CopyKind::Simt) => partition::fragment(tile, warp_tile, atom_tile, tv),
            _ => {
                let copy = (load, element_bytes);
                partition::collective_source(tile, warp_tile, atom_tile, tv, copy)?
            }
        };
        let ragged = (operand.extent.0 % rows != 0, true);
        let copy_partition = partition::copy(tile, threads, major, vector)?;
        let copy = known(&copy_name)?;
        let at_once = |atom: &Atom| atom.elements(element_bytes).unwrap_or(1);
        let accesses = [
            shared_memory::access(&copy_partition, at_once(copy)),
            shared_memory::access_of_warps(&load_partition, at_once(load)),
        ];
        let shared = shared_memory::shared(
            (tile, warp_rows),
            stages,
            operand.major,
            element_bytes,
            &accesses,
        );
        // A swizzle may reach past what the inner layout does.
        let elements = Term::parse(&shared.term)
            .and_then(|term| term.eval_layout()?.cosize())
            .map_err(|error| error.to_string())?;
        Ok::<_, String>(InputPlan {
            tile,
            copy,
            copy_partition,
            shared: shared.term,
            elements,
            conflicts: shared.conflicts,
            load,
            load_partition,
            fragment,
            converted,
            ragged,
        })
    };
    let a_load = load(tiled, &a, bytes[0], converted[0].is_some())?;
    let fragment = (tiled.a_values, warp_tile.0 / am);
    let [a_strided, b_strided, _] = problem.strided;
    let a_load = (a_load, bytes[0], converted[0]);
    let a_plan = input(a, a_strided, a_load, (bm, warp_tile.0), fragment, ((am, ak), &tiled.a))?;
    let fragment = (tiled.b_values, warp_tile.1 / an);
    let (b_tile, b_tv) = match paired {
        true => partition::paired((an, ak), &tiled.b),
        false => ((an, ak), tiled.b.clone()),
    };
    let b_load = (b_load, bytes[1], converted[1]);
    let b_plan = input(b, b_strided, b_load, (bn, warp_tile.1), fragment, (b_tile, &b_tv))?;

    let mut scheduler = TileScheduler {
        extents: (m, n, k),
        batch: problem.batch(),
        tile: (bm, bn, bk),
        cluster: (1, 1),
        covered: (false, false),
        raster: schedule.raster.clone(),
        loops: false,
        work: Work::DataParallel,
    };
    let of = ((bm, bn), warp_tile);
    let split = scheduler.share_k(problem, of, tiled)?;
    // The tile of C takes the place of the stages, which are done with; blocks of several tiles have others by then. With
    // dynamic sizes, translation validation does not see that the stages are.
    let one_tile = split.is_none()
        && matches!(scheduler.work, Work::DataParallel)
        && !scheduler.loops
        && problem.sizes.is_empty();
    let space = left + a_plan.elements * bytes[0] + b_plan.elements * bytes[1];
    let vectors = one_tile.then(|| Vectors::new(problem, of, tiled, threads, space)).flatten();
    let warps = Warps { warps: (wm, wn), a: a_plan, b: b_plan, k_steps: bk / ak, vectors };
    let store = match split {
        Some(store) => store,
        None => Store::direct(problem.result(), of, tiled)?,
    };
    Ok(Plan {
        scheduler,
        stages,
        threads,
        chip,
        mma,
        stored: tiled,
        accumulators: (tiled.c_values, warp_tile.0 / am, warp_tile.1 / an),
        factors: 1,
        partition: partition::fragment((bm, bn), warp_tile, (am, an), &tiled.c),
        store,
        deferred: 0,
        mainloop: Mainloop::Warps(Box::new(warps)),
    })
}

/// Refuses blocks of A, B and C in which the elements of a thread are no layout.
pub(crate) fn is_arranged(plan: &Plan, problem: &Problem<'_>) -> Result<(), String> {
    let Ok(warps) = plan.warps() else { return Ok(()) };
    let [a, b] = problem.names();
    let (m, n, _) = plan.scheduler.tile;
    arranged(a, problem.a, warps.a.tile, &warps.a.copy_partition)?;
    arranged(b, problem.b, warps.b.tile, &warps.b.copy_partition)?;
    match &plan.scheduler.work {
        // The kernel after writes C.
        Work::SplitK(_) => Ok(()),
        _ => arranged("C", problem.c, (m, n), &plan.partition),
    }
}

/// The copy that brings an operand from shared memory to the registers of an atom: a collective one, where
/// there is one for its elements and its order, else each thread what it needs; two elements at once where an atom has them side by
/// side and they are converted.
fn load(
    mma: &MmaAtom,
    operand: &Operand,
    element_bytes: i64,
    is_converted: bool,
) -> Result<&'static Atom, String> {
    if is_converted {
        let is_side_by_side = operand.major == Major::Reduction && mma.extent.0 == 16;
        return known(if is_side_by_side { "simt_2" } else { "simt_1" });
    }
    let collective = match operand.major {
        Major::Reduction => known("ldmatrix_x4")?,
        Major::Outer => known("ldmatrix_x4_trans")?,
    };
    // The fragments of the other atoms are no matrices of 8 by 8.
    let fits = mma.extent.0 == 16 && collective.elements(element_bytes).is_some();
    if fits { Ok(collective) } else { known("simt_1") }
}
