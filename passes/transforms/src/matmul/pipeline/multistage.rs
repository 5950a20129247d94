//! The multistage pipeline: the threads that multiply load `stages - 1` tiles ahead.
//!
//! ```text
//! copy tiles 0 .. stages-1 to shared memory, asynchronously
//! wait for tile 0; load the fragments of its first step
//! for each tile along K:
//!     start copying the tile that is stages-1 ahead
//!     for each step: load the fragments of the next step, multiply-accumulate;
//!         the next step of the last one is the first of the next tile: wait for it before
//! write the accumulators, or what the epilogue makes of them
//! ```
//!
//! Fragments are double-buffered in registers: MMAs of one step run while the next step's loads, and the barrier between
//! two tiles, are waited for.
//!
//! A coordinate past an operand's end reads as zero: each copy carries, for every mode that a tile
//! may leave, the coordinate along that mode as an identity tensor that was partitioned exactly like
//! the data, and the extent it must stay below.
//!
//! One raster covers the tiles of several problems, of which each block has one. The whole program of each
//! problem is in a branch; all share the same shared memory, each through layouts of its own.

use crate::matmul::{
    emit::{Emit, Emitted, Extent, Extents, Predicate, element_type_text},
    epilogue::{
        fusion::{Bound, OperandSlice},
        store::{Store, Vectors},
    },
    mainloop::{
        Plan,
        warps::{InputPlan, Warps},
    },
    partition::WARP,
    pipeline::Gemm,
    scheduler::{
        Work,
        stream_k::StreamK,
        tiles::{Tile, Tiles},
    },
};
use layout_dialect::build::{Builder, Val, first_result, result};
use melior::ir::Type;

/// An input operand inside the block: this thread's share of each stage.
struct Input<'c, 'p> {
    plan: &'p InputPlan,
    /// `(vector, passes…, k tiles)` in global memory.
    source: Val<'c>,
    predicates: Vec<Predicate<'c>>,
    /// The same share of the shared buffer: `(vector, passes…, stages)`.
    target: Val<'c>,
    /// This lane's addresses of fragments: `(values, atoms, k steps, 1, stages)`.
    fragments: Val<'c>,
    /// Registers of each k step: `(values, atoms, 1)`.
    registers: Vec<Val<'c>>,
}

impl<'c> Input<'c, '_> {
    /// The registers of a k step.
    fn at(&self, step: i64) -> Emitted<Val<'c>> {
        let registers = usize::try_from(step).ok().and_then(|step| self.registers.get(step));
        registers.copied().ok_or(melior::Error::OperationBuild)
    }
}

/// The thread that runs: its number, and that of its lane and of its warp along M and N.
#[derive(Clone, Copy)]
struct Place<'c> {
    thread: Val<'c>,
    lane: Val<'c>,
    warp: [Val<'c>; 2],
}

/// Emits the parts of a tile program at one point.
#[derive(Clone, Copy)]
struct Program<'c, 'p> {
    e: Emit<'c>,
    plan: &'p Plan,
    warps: &'p Warps,
    place: Place<'c>,
    tiles: &'p Tiles<'p, 'c>,
}

/// A matrix that accumulators are stored to, and which of its tiles.
struct Target<'c, 's> {
    store: &'s Store,
    view: Val<'c>,
    at: [Val<'c>; 2],
    /// The extents that the tile must stay within; partial results are whole tiles.
    extent: Option<(Extent<'c>, Extent<'c>)>,
}

/// Emits the whole program into the kernel's body: of one problem, whose blocks are along x and y, or of
/// several, whose blocks are along x.
pub(crate) fn emit<'c>(
    builder: Builder<'c>,
    gemms: &[Gemm<'_, '_, 'c>],
    workspace: Option<Val<'c>>,
) -> Emitted<()> {
    let e = Emit { b: builder };
    let plan = gemms.first().map(|gemm| gemm.plan).ok_or(melior::Error::OperationBuild)?;
    let thread = e.hardware_index("gpu.thread_id", "x")?;
    let block = e.hardware_index("gpu.block_id", "x")?;
    let all = gemms.iter().map(|gemm| (&gemm.plan.scheduler, gemm.extents));
    let tiles = Tiles::new(&e, all, block)?;
    let (wm, wn) = plan.warps()?.warps;
    let coordinates = e.idx2crd(thread, &format!("({WARP},{wm},{wn})"))?;
    let [lane, warp_m, warp_n] = [0, 1, 2].map(|i| result(coordinates, i));
    let place = Place { thread, lane, warp: [warp_m, warp_n] };
    let buffers = match gemms {
        [_] => [None; 2],
        _ => [buffer(&e, gemms, 0, |warps| &warps.a)?, buffer(&e, gemms, 1, |warps| &warps.b)?],
    };
    let one = |e: &Emit<'c>, index: Val<'c>| {
        tiles.tile(e, index, &|e, number, tile| {
            let gemm = &gemms[number];
            let plan = gemm.plan;
            let program = Program { e: *e, plan, warps: plan.warps()?, place, tiles: &tiles };
            program.gemm(gemm, (index, number, tile), buffers, workspace)
        })
    };
    if tiles.are_shared() {
        let bounds = tiles.bounds(&e, block, block)?;
        let (inner, index) = e.b.open_loop(bounds)?;
        one(&Emit { b: inner }, index)?;
    } else {
        one(&e, block)?;
    }
    e.b.operation("gpu.return", &[], &[], &[], vec![])?;
    Ok(())
}

/// Shared memory for the stages of an input operand, the same for all problems.
fn buffer<'c>(
    e: &Emit<'c>,
    gemms: &[Gemm<'_, '_, 'c>],
    operand: usize,
    input: impl Fn(&Warps) -> &InputPlan,
) -> Emitted<Option<Val<'c>>> {
    let Some(first) = gemms.first() else { return Ok(None) };
    let element = element_type_text(first.operands[operand]);
    let warps = gemms.iter().filter_map(|gemm| gemm.plan.warps().ok());
    let elements = warps.map(|warps| input(warps).elements).max().unwrap_or(1);
    e.alloc(&element, "shared", &format!("({elements}):(1)")).map(Some)
}

impl<'c, 'p> Program<'c, 'p> {
    /// The block's work on its tile; where several problems share its memory, through that.
    fn gemm(
        &self,
        gemm: &Gemm<'_, '_, 'c>,
        (number_of_all, number_of_gemm, own): (Val<'c>, usize, &Tile<'c>),
        buffers: [Option<Val<'c>>; 2],
        workspace: Option<Val<'c>>,
    ) -> Emitted<()> {
        let Self { e, plan, warps, tiles, .. } = *self;
        let tile = own;
        let (at, number) = ([tile.at[0], tile.at[1]], tile.at.get(2).copied());
        let [a, b, c] = gemm.operands;
        let [a, b, c] = [e.matrix(a, number)?, e.matrix(b, number)?, e.matrix(c, number)?];
        let fused = gemm.fused.as_ref().map(|fused| fused.of_matrix(&e, number)).transpose()?;

        let Extents { m, n, k, .. } = gemm.extents;
        let a = self.input((&warps.a, (m, k)), a, at[0], self.place.warp[0], buffers[0])?;
        let b = self.input((&warps.b, (n, k)), b, at[1], self.place.warp[1], buffers[1])?;
        let (values, atoms_m, atoms_n) = plan.accumulators;
        let accumulator = plan.accumulator();
        let accumulators = e.registers(accumulator, &[values, atoms_m, atoms_n])?;
        let zero = e.zero(accumulator)?;
        e.b.operation("layout.fill", &[accumulators, zero], &[], &[], vec![])?;

        let index = Type::index(e.b.context());
        let place = (number_of_gemm, own);
        for stage in 0..plan.stages - 1 {
            let stage = e.b.constant(index, stage)?;
            self.fetch(&a, &b, tiles.step(&e, place, stage)?, stage)?;
        }
        let k_tiles = tiles.own_steps(&e, place, e.cover(k, plan.scheduler.tile.2, 1)?)?;
        let (zero, one) = (e.b.constant(index, 0)?, e.b.constant(index, 1)?);
        e.wait_for_copies(plan.stages - 2)?;
        self.load(&a, 0, zero)?;
        self.load(&b, 0, zero)?;
        let (inner, tile) = match k_tiles {
            Extent::Known(tiles) => e.b.open_count(tiles)?,
            Extent::At(tiles) => e.b.open_loop([zero, tiles, one])?,
        };
        {
            let e = Emit { b: inner };
            let program = Program { e, ..*self };
            // The last digit continues past its extent.
            let ring = format!("({},{})", plan.stages, k_tiles.known().unwrap_or(1));
            let stage = |tile| Ok::<_, melior::Error>(result(e.idx2crd(tile, &ring)?, 0));
            let ahead = e.b.constant(index, plan.stages - 1)?;
            let fetched = e.b.binary("arith.addi", tile, ahead)?;
            program.fetch(&a, &b, tiles.step(&e, place, fetched)?, stage(fetched)?)?;
            let own = stage(tile)?;
            for step in 0..warps.k_steps {
                let of_tile = step + 1 < warps.k_steps;
                if of_tile {
                    program.load(&a, step + 1, own)?;
                    program.load(&b, step + 1, own)?;
                }
                // A tile of one step has one buffer, which is read before the next tile's fragments are loaded to it.
                let multiply = || program.multiply(&a, &b, accumulators, step);
                if warps.k_steps == 1 {
                    multiply()?;
                }
                if !of_tile {
                    e.wait_for_copies(plan.stages - 2)?;
                    let next = stage(e.b.binary("arith.addi", tile, one)?)?;
                    program.load(&a, 0, next)?;
                    program.load(&b, 0, next)?;
                }
                if warps.k_steps > 1 {
                    multiply()?;
                }
            }
        }
        e.wait_for_copies(0)?;
        let store = &plan.store;
        let to = tiles.destination(&e, place)?;
        let extent = (!matches!(plan.scheduler.work, Work::SplitK(_))).then_some((m, n));
        let whole = |e: &Emit<'c>| {
            let target = Target { store, view: c, at: [to[0], to[1]], extent };
            let program = Program { e: *e, ..*self };
            match &warps.vectors {
                Some(vectors) => {
                    program.store_vectors(vectors, &target, accumulators, fused.as_ref())
                }
                None => program.store(&target, accumulators, fused.as_ref()),
            }
        };
        let partly = |e: &Emit<'c>, slot: Val<'c>| match (&plan.scheduler.work, workspace) {
            (Work::StreamK(StreamK { partial: Some(parts), .. }), Some(view)) => {
                let at = [slot, e.b.constant(index, 0)?];
                let target = Target { store: &parts.store, view, at, extent: None };
                Program { e: *e, ..*self }.store(&target, accumulators, None)
            }
            _ => Ok(()),
        };
        tiles.finish(&e, number_of_all, &whole, &partly)
    }

    /// Partitions an input operand among the block's threads.
    fn input(
        &self,
        (plan, extent): (&'p InputPlan, (Extent<'c>, Extent<'c>)),
        view: Val<'c>,
        block: Val<'c>,
        warp: Val<'c>,
        buffer: Option<Val<'c>>,
    ) -> Emitted<Input<'c, 'p>> {
        let Place { thread, lane, .. } = self.place;
        let tiler = format!("({},{})", plan.tile.0, plan.tile.1);
        let by_mode = format!("<{}, _>", plan.copy_partition);
        let share = |view: Val<'c>| -> Emitted<Val<'c>> {
            let tiles = self.e.algebra("layout.zipped_divide", view, &tiler)?;
            let row = self.e.slice(tiles, "(_,(?,_))", &[block])?;
            let arranged = self.e.algebra("layout.composition", row, &by_mode)?;
            self.e.slice(arranged, "(((?,_),_),_)", &[thread])
        };
        let source = share(view)?;
        let predicates = Predicate::each(&self.e.predicates(extent, None, plan.ragged)?, share)?;

        let element = element_type_text(view);
        let shared = match buffer {
            None => self.e.alloc(&element, "shared", &plan.shared)?,
            Some(buffer) => {
                let layout = self.e.layout(&plan.shared)?;
                first_result(self.e.b.inferred("layout.make_view", &[buffer, layout], &[])?)
            }
        };
        let arranged = self.e.algebra("layout.composition", shared, &by_mode)?;
        let target = self.e.slice(arranged, "(((?,_),_),_)", &[thread])?;

        let by_lane = format!("<{}, _>", plan.load_partition);
        let arranged = self.e.algebra("layout.composition", shared, &by_lane)?;
        let fragments = self.e.slice(arranged, "((((?,_),_),(?,_)),_)", &[lane, warp])?;
        let (values, atoms) = plan.fragment;
        let steps = 0..self.warps.k_steps;
        let held = plan.converted.unwrap_or(&element);
        let registers =
            steps.map(|_| self.e.registers(held, &[values, atoms, 1])).collect::<Emitted<_>>()?;
        Ok(Input { plan, source, predicates, target, fragments, registers })
    }

    /// Starts the copy of one tile of each input to a stage, as one group.
    fn fetch(
        &self,
        a: &Input<'c, 'p>,
        b: &Input<'c, 'p>,
        tile: Val<'c>,
        stage: Val<'c>,
    ) -> Emitted<()> {
        for input in [a, b] {
            let source = self.e.slice(input.source, "(_,_,?)", &[tile])?;
            let target = self.e.slice(input.target, "(_,_,?)", &[stage])?;
            let of_tile = |view| self.e.slice(view, "(_,_,?)", &[tile]);
            let predicates = Predicate::each(&input.predicates, of_tile)?;
            self.e.copy(input.plan.copy.name, source, target, &predicates)?;
        }
        self.e.commit_copies()
    }

    /// Loads the fragments of one k step to its registers.
    fn load(&self, input: &Input<'c, 'p>, step: i64, stage: Val<'c>) -> Emitted<()> {
        let pattern = format!("(_,(_,{step}),_,?)");
        let source = self.e.slice(input.fragments, &pattern, &[stage])?;
        self.e.copy(input.plan.load.name, source, input.at(step)?, &[])
    }

    /// Multiplies the fragments of one k step, and adds the products to the accumulators.
    fn multiply(
        &self,
        a: &Input<'c, 'p>,
        b: &Input<'c, 'p>,
        accumulators: Val<'c>,
        step: i64,
    ) -> Emitted<()> {
        let atom = self.e.atom(self.plan.mma.name)?;
        let operands = [a.at(step)?, b.at(step)?, accumulators];
        self.e.b.operation("layout.mma", &operands, &[], &[("atom", atom)], vec![])?;
        Ok(())
    }

    /// Writes the accumulators, or what the epilogue makes of them, to a tile.
    fn store(
        &self,
        target: &Target<'c, '_>,
        accumulators: Val<'c>,
        fused: Option<&Bound<'_, 'c>>,
    ) -> Emitted<()> {
        let Store::Direct { copy, partition } = target.store else {
            return Err(melior::Error::OperationBuild);
        };
        let share = |view| self.accumulators_of(target, partition, view);
        let predicates = self.predicates(target, &share)?;
        let to = (share(target.view)?, &predicates[..]);
        self.collect(copy.name, (target, partition), (accumulators, fused), to)
    }

    /// Puts the tile together in shared memory, and writes it in vectors.
    fn store_vectors(
        &self,
        vectors: &Vectors,
        target: &Target<'c, '_>,
        accumulators: Val<'c>,
        fused: Option<&Bound<'_, 'c>>,
    ) -> Emitted<()> {
        let Self { e, place: Place { thread, lane, warp, .. }, .. } = *self;
        let Vectors { collect_partition, store_partition, .. } = vectors;
        let buffer = e.alloc(&element_type_text(target.view), "shared", &vectors.buffer)?;
        let arranged =
            e.algebra("layout.composition", buffer, &format!("<{collect_partition}, _>"))?;
        let own = e.slice(arranged, "((((?,_),_),(?,?)),0)", &[lane, warp[0], warp[1]])?;
        let registers = (accumulators, fused);
        self.collect(vectors.collect.name, (target, collect_partition), registers, (own, &[]))?;
        e.b.operation("gpu.barrier", &[], &[], &[], vec![])?;
        let by_thread = format!("<{store_partition}, _>");
        let arranged = e.algebra("layout.composition", buffer, &by_thread)?;
        let own = e.slice(arranged, "(((?,_),_),0)", &[thread])?;
        let share = |view: Val<'c>| -> Emitted<Val<'c>> {
            let tiles = e.algebra("layout.zipped_divide", view, &self.tiler())?;
            let arranged = e.algebra("layout.composition", tiles, &by_thread)?;
            e.slice(arranged, "(((?,_),_),(?,?))", &[thread, target.at[0], target.at[1]])
        };
        e.copy(vectors.store.name, own, share(target.view)?, &self.predicates(target, &share)?)
    }

    /// Copies the accumulators, or what the epilogue makes of them, to a view that is partitioned as they are.
    fn collect(
        &self,
        copy: &str,
        (target, partition): (&Target<'c, '_>, &str),
        (accumulators, fused): (Val<'c>, Option<&Bound<'_, 'c>>),
        (to, predicates): (Val<'c>, &[Predicate<'c>]),
    ) -> Emitted<()> {
        let plan = self.plan;
        let (Some(fused), Some(extent)) = (fused, target.extent) else {
            return self.e.copy(copy, accumulators, to, predicates);
        };
        // Atom by atom along M, so that the operands' elements fit in registers too.
        let share = |view| self.accumulators_of(target, partition, view);
        let shares = fused.shares(&self.e, (extent, None), plan.scheduler.ragged(), &share)?;
        let (values, rows, columns) = plan.accumulators;
        // The epilogue makes other numbers of accumulators of integers.
        let results = match plan.accumulator() == "i32" {
            true => self.e.registers("f32", &[values, rows, columns])?,
            false => accumulators,
        };
        for row in 0..rows {
            let part = |view| self.e.slice(view, &format!("(_,({row},_))"), &[]);
            let of_row = |view| self.e.slice(view, &format!("(_,{row},_)"), &[]);
            let own = of_row(accumulators)?;
            let made = if results == accumulators { own } else { of_row(results)? };
            let shares = shares
                .iter()
                .map(|share| {
                    Ok(OperandSlice {
                        view: part(share.view)?,
                        predicates: Predicate::each(&share.predicates, part)?,
                    })
                })
                .collect::<Emitted<Vec<_>>>()?;
            fused.apply(&self.e, (&[own], made), &shares)?;
            self.e.copy(copy, made, part(to)?, &Predicate::each(predicates, part)?)?;
        }
        Ok(())
    }

    /// A thread's part of a tile of a matrix, as its accumulators lie in it.
    fn accumulators_of(
        &self,
        target: &Target<'c, '_>,
        partition: &str,
        view: Val<'c>,
    ) -> Emitted<Val<'c>> {
        let Place { lane, warp, .. } = self.place;
        let place = [lane, warp[0], warp[1], target.at[0], target.at[1]];
        let tiles = self.e.algebra("layout.zipped_divide", view, &self.tiler())?;
        let arranged = self.e.algebra("layout.composition", tiles, &format!("<{partition}, _>"))?;
        self.e.slice(arranged, "((((?,_),_),(?,?)),(?,?))", &place)
    }

    /// The predicates of a tile, partitioned as it is.
    fn predicates(
        &self,
        target: &Target<'c, '_>,
        share: &dyn Fn(Val<'c>) -> Emitted<Val<'c>>,
    ) -> Emitted<Vec<Predicate<'c>>> {
        let Some(extent) = target.extent else { return Ok(Vec::new()) };
        Predicate::each(&self.e.predicates(extent, None, self.plan.scheduler.ragged())?, share)
    }

    /// The tiler of C.
    fn tiler(&self) -> String {
        let (rows, columns, _) = self.plan.scheduler.tile;
        format!("({rows},{columns})")
    }
}
