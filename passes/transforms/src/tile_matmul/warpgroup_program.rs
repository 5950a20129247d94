//! Emits the tile program on warpgroups: what one block does, in layout operations.
//!
//! ```text
//! layout.pipeline over this block's tiles
//!     load    bulk copies of a tile of A and of B to a stage
//!     start   zero the accumulators
//!     step    multiply-accumulate a stage
//!     finish  write the accumulators
//! ```

use super::{
    emit::{Emit, Emitted, Guard, element_type_text},
    warpgroup_plan::{InputPlan, WarpgroupPlan},
};
use layout_dialect::{
    atoms::WARPGROUP,
    build::{Builder, Val, result},
};
use melior::ir::Type;

/// An input operand inside the block.
struct Input<'c> {
    /// The matrix in tiles: `((rows,columns),(tiles,k tiles))`.
    source: Val<'c>,
    guards: Vec<Guard<'c>>,
    /// `((rows,columns),stages)`.
    shared: Val<'c>,
    /// What this thread's warpgroup multiplies: `(tile,(atoms,k steps),1,stages)`.
    fragments: Val<'c>,
}

/// C inside the block: this thread's share of every tile.
struct Output<'c> {
    target: Val<'c>,
    guards: Vec<Guard<'c>>,
}

/// Emits the whole program into the kernel's body; `a`, `b` and `c` are its arguments.
pub(super) fn emit<'c>(
    builder: Builder<'c>,
    plan: &WarpgroupPlan,
    [a, b, c]: [Val<'c>; 3],
) -> Emitted<()> {
    let e = Emit { b: builder };
    let index = Type::index(e.b.context());
    let thread = e.hardware_index("gpu.thread_id", "x")?;
    let block = e.hardware_index("gpu.block_id", "x")?;
    let blocks = e.hardware_index("gpu.grid_dim", "x")?;
    let (gm, gn) = plan.groups;
    let coordinates = e.idx2crd(thread, &format!("({WARPGROUP},{gm},{gn})"))?;
    let [lane, group_m, group_n] = [0, 1, 2].map(|i| result(coordinates, i));

    let a = input(&e, &plan.a, a, lane, group_m)?;
    let b = input(&e, &plan.b, b, lane, group_n)?;
    let c = output(&e, plan, c, [lane, group_m, group_n])?;
    let (values, atoms_m, atoms_n) = plan.accumulators;
    let accumulators = e.registers("f32", &[values, atoms_m, atoms_n])?;
    let zero = e.zero()?;
    let raster = e.layout(&plan.raster())?;
    let (tiles_m, tiles_n) = plan.tiles();
    let count = e.b.constant(index, tiles_m * tiles_n)?;
    let place = |e: &Emit<'c>, tile: Val<'c>| -> Emitted<[Val<'c>; 2]> {
        let number = e.crd2idx(raster, "?", &[tile])?;
        let coordinates = e.idx2crd(number, &format!("({tiles_m},{tiles_n})"))?;
        Ok([result(coordinates, 0), result(coordinates, 1)])
    };

    let (load, inner) = e.b.region_with(&[index; 3]);
    {
        let e = Emit { b: inner };
        let [tile, k, stage] = [0, 1, 2].map(|i| e.b.argument(i));
        let [row, column] = place(&e, tile)?;
        for (input, outer) in [(&a, row), (&b, column)] {
            let part = |view| e.slice(view, "(_,(?,?))", &[outer, k]);
            let source = part(input.source)?;
            let target = e.slice(input.shared, "(_,?)", &[stage])?;
            let guards = input
                .guards
                .iter()
                .map(|guard| Ok(Guard { view: part(guard.view)?, limit: guard.limit }))
                .collect::<Emitted<Vec<_>>>()?;
            e.copy(plan.load.name, source, target, &guards)?;
        }
    }
    let (start, inner) = e.b.region_with(&[index]);
    inner.operation("layout.fill", &[accumulators, zero], &[], &[], vec![])?;

    let (step, inner) = e.b.region_with(&[index; 3]);
    {
        let e = Emit { b: inner };
        let stage = e.b.argument(2);
        let part = |view| e.slice(view, "(_,(_,_),0,?)", &[stage]);
        let operands = [part(a.fragments)?, part(b.fragments)?, accumulators];
        let atom = e.atom(plan.mma.name)?;
        e.b.operation("layout.mma", &operands, &[], &[("atom", atom)], vec![])?;
    }
    let (finish, inner) = e.b.region_with(&[index]);
    {
        let e = Emit { b: inner };
        let [row, column] = place(&e, e.b.argument(0))?;
        let part = |view| e.slice(view, "(_,_,(?,?))", &[row, column]);
        let target = part(c.target)?;
        let guards = c
            .guards
            .iter()
            .map(|guard| Ok(Guard { view: part(guard.view)?, limit: guard.limit }))
            .collect::<Emitted<Vec<_>>>()?;
        e.copy(plan.store.name, accumulators, target, &guards)?;
    }
    let attributes = [
        ("depth", e.b.i64_attribute(plan.depth())),
        ("stages", e.b.i64_attribute(plan.stages)),
        ("consumers", e.b.i64_attribute(plan.consumers())),
    ];
    let regions = vec![load, start, step, finish];
    e.b.operation("layout.pipeline", &[block, count, blocks], &[], &attributes, regions)?;
    e.b.operation("gpu.return", &[], &[], &[], vec![])?;
    Ok(())
}

/// Partitions an input operand among the block's tiles, stages and warpgroups.
fn input<'c>(
    e: &Emit<'c>,
    plan: &InputPlan,
    view: Val<'c>,
    lane: Val<'c>,
    group: Val<'c>,
) -> Emitted<Input<'c>> {
    let tiler = format!("({},{})", plan.tile.0, plan.tile.1);
    let tiles = |view| e.algebra("layout.zipped_divide", view, &tiler);
    let source = tiles(view)?;
    // Bulk copies take their coordinates from the guards: there is one for each mode.
    let guards = e
        .guards(plan.extent, (true, true))?
        .into_iter()
        .map(|guard| Ok(Guard { view: tiles(guard.view)?, limit: guard.limit }))
        .collect::<Emitted<Vec<_>>>()?;
    let shared = e.alloc(&element_type_text(view), "shared", &plan.shared)?;
    let by_group = format!("<{}, _>", plan.fragments);
    let arranged = e.algebra("layout.composition", shared, &by_group)?;
    let fragments = e.slice(arranged, "((((?,_),_),(?,_)),_)", &[lane, group])?;
    Ok(Input { source, guards, shared, fragments })
}

/// Partitions C: this thread's accumulators in each tile.
fn output<'c>(
    e: &Emit<'c>,
    plan: &WarpgroupPlan,
    view: Val<'c>,
    thread: [Val<'c>; 3],
) -> Emitted<Output<'c>> {
    let tiler = format!("({},{})", plan.tile.0, plan.tile.1);
    let by_mode = format!("<{}, _>", plan.store_partition);
    let share = |view: Val<'c>| -> Emitted<Val<'c>> {
        let tiles = e.algebra("layout.zipped_divide", view, &tiler)?;
        let arranged = e.algebra("layout.composition", tiles, &by_mode)?;
        e.slice(arranged, "((((?,_),_),(?,?)),_)", &thread)
    };
    let ragged = (plan.m % plan.tile.0 != 0, plan.n % plan.tile.1 != 0);
    let target = share(view)?;
    let guards = e
        .guards((plan.m, plan.n), ragged)?
        .into_iter()
        .map(|guard| Ok(Guard { view: share(guard.view)?, limit: guard.limit }))
        .collect::<Emitted<Vec<_>>>()?;
    Ok(Output { target, guards })
}
