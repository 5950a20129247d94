//! The warp-specialised pipeline: a producer warpgroup loads, consumer warpgroups multiply, cooperative or ping-pong.
//!
//! ```text
//! layout.pipeline over this block's tiles
//!     load    bulk copies of a tile of A and of B to a stage
//!     start   zero the accumulators
//!     step    multiply-accumulate a stage; of A in registers, load and multiply its steps along K
//!     finish  write the accumulators, or what the epilogue makes of them
//! ```
//!
//! Of several products, the tiles of all are one order, one product's behind the other's. What is done
//! to a tile stands in branches, one for each product, of which all threads take the same; stages,
//! accumulators and buffers are those of all.

use crate::matmul::{
    emit::{Emit, Emitted, Extent, Extents, Guard, Travel},
    epilogue::{
        fusion::Bound,
        store::Store,
        write::{Epilogue, Output, finish_tile, fuse, output, wait_for_stores},
    },
    mainloop::warpgroups::{InputPlan, WarpgroupPlan},
    partition::Major,
    scheduler::{
        grouped::{self, Range, Split, of_product},
        raster::Raster,
        stream_k::Parts,
    },
    sizes,
};
use layout_dialect::{
    atoms::{WARP, WARPGROUP},
    build::{Builder, Val, result},
};
use melior::ir::{Region, Type};

/// An input operand of a product.
struct Source<'c> {
    /// The matrix in tiles: `((rows,columns),(tiles,k tiles))`, or of a batch
    /// `((rows,columns,1),(tiles,k tiles,matrices))`.
    tiles: Val<'c>,
    guards: Vec<Guard<'c>>,
}

/// Where tiles of an input operand are in the block, whichever product's.
#[derive(Clone, Copy)]
struct Stages<'c> {
    /// `((rows,columns),stages)`.
    shared: Val<'c>,
    /// What this thread's warpgroup multiplies: `(tile,(atoms,k steps),1,stages)`; of an operand in
    /// registers, what this thread loads: `(values,(atoms,k steps),1,stages)`.
    fragments: Val<'c>,
}

/// A product, and its operands in the kernel: A, B and C.
pub(crate) struct Product<'p, 'f, 'c> {
    pub(crate) plan: &'p WarpgroupPlan,
    pub(crate) operands: [Val<'c>; 3],
    pub(crate) fused: Option<Bound<'f, 'c>>,
    pub(crate) extents: Extents<'c>,
}

/// A product inside the block.
struct Inside<'p, 'f, 'c> {
    plan: &'p WarpgroupPlan,
    a: Source<'c>,
    b: Source<'c>,
    c: Output<'c>,
    fused: Option<Epilogue<'f, 'c>>,
    /// The order of its tiles.
    raster: Raster<'c>,
    extents: Extents<'c>,
}

/// Emits the whole program into the kernel's body: products that have all but their extents in common,
/// and what parts of tiles are stored to that blocks share.
pub(crate) fn emit<'c>(
    builder: Builder<'c>,
    products: Vec<Product<'_, '_, 'c>>,
    workspace: Option<Val<'c>>,
) -> Emitted<()> {
    let e = Emit { b: builder };
    let index = Type::index(e.b.context());
    let thread = e.hardware_index("gpu.thread_id", "x")?;
    let block = e.hardware_index("gpu.block_id", "x")?;
    let blocks = e.hardware_index("gpu.grid_dim", "x")?;
    let plan = products.first().map(|product| product.plan).ok_or(melior::Error::OperationBuild)?;
    let (gm, gn) = plan.groups;
    // The same in each team.
    let threads = match plan.teams {
        1 => format!("({WARPGROUP},{gm},{gn})"),
        teams => format!("({WARPGROUP},{gm},{gn},{teams})"),
    };
    let coordinates = e.idx2crd(thread, &threads)?;
    let [lane, group_m, group_n] = [0, 1, 2].map(|i| result(coordinates, i));

    let element = plan.mma.mma().map_or("", |mma| mma.input);
    let (mut sides, mut stages, mut staging) = (Vec::new(), None, None);
    let place = [thread, lane, group_m, group_n];
    for Product { plan, operands: [a, b, c], fused, extents } in products {
        let Extents { m, n, k, batch } = extents;
        let (a, a_stages) =
            (source(&e, plan, (&plan.a, (m, k), batch), a)?, stages.map(|(a, _)| a));
        let a_stages = match a_stages {
            Some(stages) => stages,
            None => buffers(&e, &plan.a, element, [lane, group_m])?,
        };
        let (b, b_stages) =
            (source(&e, plan, (&plan.b, (n, k), batch), b)?, stages.map(|(_, b)| b));
        let b_stages = match b_stages {
            Some(stages) => stages,
            None => buffers(&e, &plan.b, element, [lane, group_n])?,
        };
        stages = Some((a_stages, b_stages));
        let c = output(&e, (plan, &extents), c, place, staging)?;
        staging = c.staging;
        let fused = match fused {
            Some(bound) => Some(fuse(&e, (plan, &extents), bound, [lane, group_m, group_n])?),
            None => None,
        };
        sides.push((plan, extents, a, b, c, fused));
    }
    let (a, b) = stages.ok_or(melior::Error::OperationBuild)?;
    let parts = match (plan.stream_k.as_ref().and_then(|stream| stream.partial.as_ref()), workspace)
    {
        (Some(Parts { store: store @ Store::Direct { partition, .. }, .. }), Some(view)) => {
            let tiler = format!("({},{})", plan.tile.0, plan.tile.1);
            let tiles = e.algebra("layout.zipped_divide", view, &tiler)?;
            let own = e.algebra("layout.composition", tiles, &format!("<{partition}, _>"))?;
            let target = e.slice(own, "((((?,_),_),(?,?)),_)", &[lane, group_m, group_n])?;
            Some((store, Output { target, guards: Vec::new(), staging: None }))
        }
        _ => None,
    };
    let (values, atoms_m, atoms_n) = plan.accumulators;
    let sum = plan.mma.mma().map_or("f32", |mma| mma.output);
    let registers = |element: &str| match &plan.store {
        Store::Direct { .. } => e.registers(element, &[values, atoms_m, atoms_n]),
        Store::Staged { piece, .. } => {
            let held = piece.0 * piece.1 / WARPGROUP;
            let (m, n) = (atoms_m, atoms_n);
            let strides = format!("((1,{held}),{values},{})", values * m);
            let layout = format!("(({held},{}),{m},{n}):{strides}", values / held);
            e.alloc(element, "register", &layout)
        }
    };
    let accumulators = registers(sum)?;
    // What an epilogue makes of sums of integers are other numbers.
    let results = match sum == "i32" && sides.iter().any(|(.., fused)| fused.is_some()) {
        true => registers("f32")?,
        false => accumulators,
    };
    let held = held_registers(&e, plan, element)?;
    let zero = e.zero(sum)?;
    let mut all: Vec<Inside<'_, '_, 'c>> = Vec::with_capacity(sides.len());
    for (plan, extents, a, b, c, fused) in sides {
        let raster = Raster::new(&e, plan, &extents)?;
        all.push(Inside { plan, a, b, c, fused, raster, extents });
    }
    // The tiles of each, with those of its parts.
    let ranges =
        grouped::ranges(all.iter().map(|Inside { plan, .. }| plan.all_tiles() * plan.splits()));
    let share = match &plan.stream_k {
        None => None,
        Some(stream_k) => Some((stream_k, stream_k.work(&e, block)?)),
    };
    let (bounds, steps) = match &share {
        None => {
            let count = match all.as_slice() {
                [Inside { raster: Raster::Groups(groups), .. }] => groups.count(&e)?,
                _ => e.b.constant(index, ranges.last().map_or(0, |last| last.end()))?,
            };
            ([block, count, blocks], depths(&e, &all, &ranges)?)
        }
        Some((stream_k, work)) => (stream_k.tiles(&e, work)?, stream_k.region(&e, work)?),
    };

    let (load, inner) = e.b.region_with(&[index; 3]);
    {
        let e = Emit { b: inner };
        let [tile, k, stage] = [0, 1, 2].map(|i| e.b.argument(i));
        of_product(&e, tile, (&ranges, Split::First), &|e, number, tile| {
            let product = &all[number];
            let place = product.place(e, tile)?;
            let splits = product.plan.splits();
            let k = match (place.part, &share) {
                (Some(part), _) => {
                    let all = e.layout(&format!("({0},{splits}):(1,{0})", product.plan.depth()))?;
                    e.crd2idx(all, "(?,?)", &[k, part])?
                }
                (None, Some((stream_k, work))) => {
                    let part = stream_k.part(e, work, tile)?;
                    e.b.binary("arith.addi", k, part.skipped)?
                }
                (None, None) => k,
            };
            product.load(e, [a, b], &place, k, stage)
        })?;
    }
    let (start, inner) = e.b.region_with(&[index]);
    inner.operation("layout.fill", &[accumulators, zero], &[], &[], vec![])?;

    let (step, inner) = e.b.region_with(&[index; 3]);
    {
        let e = Emit { b: inner };
        let stage = e.b.argument(2);
        multiply(&e, plan, [a, b], &held, accumulators, stage)?;
    }
    let (finish, inner) = e.b.region_with(&[index]);
    {
        let e = Emit { b: inner };
        let tile = e.b.argument(0);
        let whole = |e: &Emit<'c>| -> Emitted<()> {
            of_product(e, tile, (&ranges, Split::First), &|e, number, tile| {
                let product = &all[number];
                let Inside { plan, c, fused, .. } = product;
                let place = product.place(e, tile)?;
                let target = (target_tile(e, plan, &place)?, plan.place());
                // Of several products some have no epilogue.
                let results = if fused.is_some() { results } else { accumulators };
                let sums = (accumulators, results);
                finish_tile(e, plan, (&plan.store, c), fused.as_ref(), sums, target)
            })
        };
        let partly = |e: &Emit<'c>, slot: Val<'c>| -> Emitted<()> {
            let Some((store, parts)) = &parts else { return Ok(()) };
            let sums = (accumulators, accumulators);
            finish_tile(e, plan, (store, parts), None, sums, (vec![slot], "(?,0)"))
        };
        match &share {
            None => whole(&e)?,
            Some((stream_k, work)) => stream_k.finish(&e, work, tile, whole, &partly)?,
        }
    }
    let most = |product: &Inside<'_, '_, 'c>| match product.extents.k {
        Extent::Known(_) => product.plan.depth(),
        Extent::At(_) => sizes::MOST / product.plan.tile.2 + 1,
    };
    let depth = all.iter().map(most).max().unwrap_or(1);
    let mut attributes = vec![
        ("depth", e.b.i64_attribute(depth)),
        ("stages", e.b.i64_attribute(plan.stages)),
        ("consumers", e.b.i64_attribute(plan.consumers())),
    ];
    if plan.teams != 1 {
        attributes.push(("teams", e.b.i64_attribute(plan.teams)));
    }
    if plan.cluster != (1, 1) {
        let (cm, cn) = plan.cluster;
        attributes.push(("cluster", e.attribute(&format!("array<i64: {cm}, {cn}>"))?));
    }
    let regions = vec![load, start, step, finish, steps];
    e.b.operation("layout.pipeline", &bounds, &[], &attributes, regions)?;
    if staging.is_some() {
        // The copy engine reads the buffers to the end.
        wait_for_stores(&e, 0)?;
    }
    e.b.operation("gpu.return", &[], &[], &[], vec![])?;
    Ok(())
}

/// How many steps the tiles of each product have, where they are not as many for all.
fn depths<'c>(e: &Emit<'c>, all: &[Inside<'_, '_, 'c>], ranges: &[Range]) -> Emitted<Region<'c>> {
    let depth = |product: &Inside<'_, '_, 'c>| product.plan.depth();
    let Some((last, others)) = all.split_last() else { return Ok(Region::new()) };
    if let (Extent::At(_), []) = (last.extents.k, others) {
        let (region, inner) = e.b.region_with(&[Type::index(e.b.context())]);
        let e = Emit { b: inner };
        let steps = e.value(e.cover(last.extents.k, last.plan.tile.2, 1)?)?;
        e.b.operation("layout.yield", &[steps], &[], &[], vec![])?;
        return Ok(region);
    }
    if others.iter().all(|other| depth(other) == depth(last)) {
        return Ok(Region::new());
    }
    let index = Type::index(e.b.context());
    let (region, inner) = e.b.region_with(&[index]);
    let tile = inner.argument(0);
    let mut steps = inner.constant(index, depth(last))?;
    for (product, range) in others.iter().zip(ranges).rev() {
        let end = inner.constant(index, range.end())?;
        let own = inner.constant(index, depth(product))?;
        let before = inner.less(tile, end)?;
        steps = inner.value("arith.select", &[before, own, steps], index, &[])?;
    }
    inner.operation("layout.yield", &[steps], &[], &[], vec![])?;
    Ok(region)
}

impl<'c> Inside<'_, '_, 'c> {
    /// Where a tile is.
    fn place(&self, e: &Emit<'c>, tile: Val<'c>) -> Emitted<Place<'c>> {
        let raster = match self.raster {
            Raster::Groups(groups) => {
                return Ok(Place { at: groups.place_of(e, tile)?, part: None });
            }
            Raster::Layout(raster) => raster,
        };
        let (tiles, splits) = (self.plan.all_tiles(), self.plan.splits());
        let (tile, part) = match splits {
            1 => (tile, None),
            _ => {
                let parts = e.idx2crd(tile, &format!("({tiles},{splits})"))?;
                (result(parts, 0), Some(result(parts, 1)))
            }
        };
        Ok(Place { at: self.plan.place_of(e, raster, tile)?, part })
    }

    /// Relayouts the tiles of a step to their stages.
    fn load(
        &self,
        e: &Emit<'c>,
        stages: [Stages<'c>; 2],
        place: &Place<'c>,
        k: Val<'c>,
        stage: Val<'c>,
    ) -> Emitted<()> {
        let plan = self.plan;
        let (cm, cn) = plan.cluster;
        // Blocks that differ along N read the same of A, and along M the same of B.
        let travel = [
            Travel { multicast: (cn > 1).then_some(1), streamed: plan.a.streamed },
            Travel { multicast: (cm > 1).then_some(0), streamed: plan.b.streamed },
        ];
        let inputs = [(&self.a, place.at[0]), (&self.b, place.at[1])];
        for (((input, outer), travel), stages) in inputs.into_iter().zip(travel).zip(stages) {
            let at: Vec<Val<'c>> = [outer, k].into_iter().chain(place.at.get(2).copied()).collect();
            let part = |view| e.slice(view, &format!("(_,{})", plan.place()), &at);
            let source = part(input.tiles)?;
            let target = e.slice(stages.shared, "(_,?)", &[stage])?;
            let guards = input
                .guards
                .iter()
                .map(|guard| Ok(Guard { view: part(guard.view)?, limit: guard.limit }))
                .collect::<Emitted<Vec<_>>>()?;
            e.copy_for(travel, plan.load.name, source, target, &guards)?;
        }
        Ok(())
    }
}

/// A tile of C.
struct Place<'c> {
    /// Row, column, and of which matrix of a batch.
    at: Vec<Val<'c>>,
    /// The part of K that is summed up.
    part: Option<Val<'c>>,
}

/// Where a tile's sums go: to its place in C, or in the partial sums of its part of K, which stand
/// one behind the other.
fn target_tile<'c>(e: &Emit<'c>, plan: &WarpgroupPlan, place: &Place<'c>) -> Emitted<Vec<Val<'c>>> {
    let mut at = place.at.clone();
    let (Some(part), Some(partial)) = (place.part, &plan.partial) else {
        return Ok(at);
    };
    let (tiles_m, tiles_n) = plan.tiles();
    let (mode, tiles) = match partial.major {
        Major::Reduction => (0, tiles_m),
        Major::Outer => (1, tiles_n),
    };
    let all = e.layout(&format!("({tiles},{}):(1,{tiles})", partial.count))?;
    at[mode] = e.crd2idx(all, "(?,?)", &[at[mode], part])?;
    Ok(at)
}

/// Partitions an input operand among tiles.
fn source<'c>(
    e: &Emit<'c>,
    whole: &WarpgroupPlan,
    (plan, extent, batch): (&InputPlan, (Extent<'c>, Extent<'c>), Option<Extent<'c>>),
    view: Val<'c>,
) -> Emitted<Source<'c>> {
    let tiler = whole.tiler(plan.tile);
    let tiles = |view| e.algebra("layout.zipped_divide", view, &tiler);
    let source = tiles(view)?;
    // Bulk copies take their coordinates from the guards: there is one for each mode.
    let guards = e
        .coordinates(extent, batch)?
        .into_iter()
        .map(|guard| Ok(Guard { view: tiles(guard.view)?, limit: guard.limit }))
        .collect::<Emitted<Vec<_>>>()?;
    Ok(Source { tiles: source, guards })
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
    Ok(Stages { shared, fragments })
}

/// The registers of A, where it is multiplied from there: `(values,atoms,1)` for each step along K that
/// is held at once, or all together where their sums are formed apart.
fn held_registers<'c>(e: &Emit<'c>, plan: &WarpgroupPlan, element: &str) -> Emitted<Vec<Val<'c>>> {
    let Some(held) = &plan.a.held else { return Ok(Vec::new()) };
    let (values, atoms) = held.fragment;
    if plan.promote {
        return Ok(vec![e.registers(element, &[values, atoms, held.steps])?]);
    }
    (0..held.steps).map(|_| e.registers(element, &[values, atoms, 1])).collect()
}

/// Multiplies a stage.
fn multiply<'c>(
    e: &Emit<'c>,
    plan: &WarpgroupPlan,
    [a, b]: [Stages<'c>; 2],
    registers: &[Val<'c>],
    accumulators: Val<'c>,
    stage: Val<'c>,
) -> Emitted<()> {
    let product = |left: Val<'c>, right: Val<'c>| -> Emitted<()> {
        let mut attributes = vec![("atom", e.atom(plan.mma.name)?)];
        if plan.promote {
            attributes.push(("promote", e.attribute("unit")?));
        }
        e.b.operation("layout.mma", &[left, right, accumulators], &[], &attributes, vec![])?;
        Ok(())
    };
    let part = |view, pattern: &str| e.slice(view, pattern, &[stage]);
    let all = "(_,(_,_),0,?)";
    match (&plan.a.held, registers) {
        (Some(held), &[all_steps]) if plan.promote => {
            e.copy(held.copy.name, part(a.fragments, all)?, all_steps, &[])?;
            product(all_steps, part(b.fragments, all)?)
        }
        // The registers of steps in turns: they are loaded while those of others are multiplied.
        (Some(held), turns) if !turns.is_empty() => {
            let depth = plan.mma.mma().map_or(1, |mma| mma.extent.2);
            for (k, &loaded) in (0..plan.tile.2 / depth).zip(turns.iter().cycle()) {
                let step = format!("(_,(_,{k}),_,?)");
                e.copy(held.copy.name, part(a.fragments, &step)?, loaded, &[])?;
                product(loaded, part(b.fragments, &step)?)?;
            }
            Ok(())
        }
        _ => product(part(a.fragments, all)?, part(b.fragments, all)?),
    }
}
