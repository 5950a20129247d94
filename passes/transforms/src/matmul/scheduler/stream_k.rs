//! Stream-K: the steps of all tiles along K, one tile's after the other's, divided evenly among the
//! blocks.
//!
//! ```text
//! tiles    |    0    |    1    |    2    |    3    |    4    |
//! blocks   |     0      |     1      |     2      |     3    |
//! ```
//!
//! A block's share begins at `floor(block * steps / blocks)`. The block computes the tiles of its share in order. It
//! finishes a tile whose steps are all its own, and stores it to C. It stores the accumulators of other tiles to a
//! workspace of two tiles for each block: one for a tile that another block began, and one for a tile that it begins but
//! does not finish. A second kernel adds these partial results in the order of K, so that two runs give the same bits.

use crate::matmul::{
    elementwise::Place,
    emit::{Emit, Emitted, Extents, Predicate},
    epilogue::{fusion::Bound, store::Store},
    mainloop::known,
    operand::{Memory, Operand},
    partition::{self, Major},
    scheduler::{TileScheduler, raster::Raster},
};
use layout_algebra::Layout;
use layout_dialect::{
    atoms::MmaAtom,
    build::{Builder, Val, result},
    schedule::Schedule,
};
use melior::ir::{Attribute, Region, Type, attribute::IntegerAttribute};

/// Threads of a block that adds partial results.
const THREADS: i64 = 128;

/// Elements that one of them adds: a vector of 16 bytes of f32.
const VECTOR: i64 = 4;

/// Most elements of a row that a block adds.
const COLUMNS: i64 = 128;

/// Tiles of the workspace that a block has.
const SLOTS: i64 = 2;

/// The division of the steps of all tiles among blocks.
pub(crate) struct StreamK {
    /// Blocks.
    pub(crate) blocks: i64,
    /// Tiles of C, or an upper bound if their number is known at run time.
    tiles: i64,
    is_open: bool,
    /// Steps of a tile.
    depth: i64,
    /// Blocks that share a tile, at most.
    parts: i64,
    /// The workspace of parts of tiles, if a tile has parts.
    pub(crate) partial: Option<Partials>,
}

/// Partial results of tiles, and their accumulation into C.
pub(crate) struct Partials {
    /// The workspace: rows of tiles of f32, one below the other.
    pub(crate) layout: Layout,
    /// How the accumulators get there.
    pub(crate) store: Store,
    /// Term: a tile in pieces, `(((thread,values),1),(rows,columns))`.
    term: String,
    /// Pieces along M and N.
    pieces: (i64, i64),
    /// Elements that are stored to C at once.
    vector: i64,
}

/// The work of a block, and the number of steps where that is dynamic.
#[derive(Clone, Copy)]
pub(crate) struct Work<'c> {
    block: Val<'c>,
    begin: Val<'c>,
    end: Val<'c>,
}

/// The work of a block at a tile: its iterations along K.
pub(crate) struct WorkUnit<'c> {
    /// The steps before it, and its own.
    pub(crate) skipped: Val<'c>,
    pub(crate) steps: Val<'c>,
    /// Whether it is all of the tile.
    whole: Val<'c>,
    /// Whether it begins with the tile.
    begins: Val<'c>,
}

impl StreamK {
    /// For a schedule with `stream_k`: the steps of each tile, and the tiles' extents by block and by
    /// warpgroup.
    pub(crate) fn new(
        schedule: &Schedule,
        (tiles, depth): (Option<i64>, i64),
        of: ((i64, i64), (i64, i64)),
        tiled: &MmaAtom,
        c: Memory<'_>,
    ) -> Result<Option<Self>, String> {
        let Some(blocks) = schedule.stream_k else { return Ok(None) };
        /// The most iterations along K of all tiles: products of them do not overflow.
        const MAX_ITERATIONS: i64 = 1 << 30;
        let Some(tiles) = tiles else {
            let tiles = (MAX_ITERATIONS / depth).max(1);
            let mut stream =
                Self { blocks, tiles, is_open: true, depth, parts: blocks, partial: None };
            stream.partial = Some(stream.partial(of, tiled, c)?);
            return Ok(Some(stream));
        };
        let steps = tiles.checked_mul(depth).unwrap_or(i64::MAX);
        if blocks > steps || steps > MAX_ITERATIONS {
            return Err(format!(
                "expected blocks for 'stream_k' that are no more than the tiles along K of all tiles \
                 of C, and these at most {MAX_ITERATIONS}, found {blocks} and {steps}"
            ));
        }
        let mut stream = Self { blocks, tiles, is_open: false, depth, parts: 1, partial: None };
        stream.parts = stream.most_parts();
        if stream.parts > 1 {
            stream.partial = Some(stream.partial(of, tiled, c)?);
        }
        Ok(Some(stream))
    }

    fn all_steps(&self) -> i64 {
        self.tiles * self.depth
    }

    /// The steps of all tiles, where their number is known at run time.
    pub(crate) fn steps<'c>(&self, e: &Emit<'c>, raster: &Raster<'c>) -> Emitted<Option<Val<'c>>> {
        match raster {
            Raster::Groups(groups) => {
                let tiles = groups.count(e)?;
                e.b.binary("arith.muli", tiles, number(e, self.depth)?).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Blocks that share a tile, at most: one more than shares begin inside of it.
    fn most_parts(&self) -> i64 {
        let (mut most, mut parts, mut tile) = (1, 1, None);
        for block in 1..self.blocks {
            let begin = block * self.all_steps() / self.blocks;
            if begin % self.depth == 0 {
                continue;
            }
            let shared = Some(begin / self.depth);
            parts = if tile == shared { parts + 1 } else { 2 };
            tile = shared;
            most = most.max(parts);
        }
        most
    }

    fn partial(
        &self,
        of: ((i64, i64), (i64, i64)),
        tiled: &MmaAtom,
        c: Memory<'_>,
    ) -> Result<Partials, String> {
        let (rows, columns) = of.0;
        let text = format!("({},{columns}):({columns},1)", rows * SLOTS * self.blocks);
        let layout: Layout =
            text.parse().map_err(|error: layout_algebra::Error| error.to_string())?;
        let store = Store::direct(Memory::workspace(&layout, 4), of, tiled)?;
        let width = (columns & columns.wrapping_neg()).min(COLUMNS);
        let height = THREADS * VECTOR / width;
        let share = partition::copy((height, width), THREADS, Major::Reduction, VECTOR)?;
        let term = format!(
            "composition(zipped_divide(({rows},{columns}):(1,{rows}), ({height},{width})), <{share}, _>)"
        );
        let c = Operand::new("C", c)?;
        let vector = if c.major == Major::Reduction { c.vector.min(VECTOR) } else { 1 };
        let pieces = (rows / height, columns / width);
        Ok(Partials { layout, store, term, pieces, vector })
    }

    /// Where the share of a block begins.
    fn begin<'c>(&self, e: &Emit<'c>, steps: Option<Val<'c>>, block: Val<'c>) -> Emitted<Val<'c>> {
        if let Some(steps) = steps {
            let numerator = e.b.binary("arith.muli", block, steps)?;
            return e.b.binary("arith.divui", numerator, number(e, self.blocks)?);
        }
        // The kernel after requires blocks past the last one, as many as a tile has parts.
        let (blocks, steps) = (self.blocks, self.all_steps());
        let all = e.layout(&format!("{}:{steps}", blocks + self.parts + 1))?;
        let numerator = e.crd2idx(all, "?", &[block])?;
        let reach = steps * (self.parts + 2) + 1;
        Ok(result(e.idx2crd(numerator, &format!("({blocks},{reach})"))?, 1))
    }

    /// The tile of a step.
    fn tile_of<'c>(&self, e: &Emit<'c>, step: Val<'c>) -> Emitted<Val<'c>> {
        Ok(result(e.idx2crd(step, &format!("({},{})", self.depth, self.tiles + 1))?, 1))
    }

    /// The share of a block.
    pub(crate) fn work<'c>(
        &self,
        e: &Emit<'c>,
        steps: Option<Val<'c>>,
        block: Val<'c>,
    ) -> Emitted<Work<'c>> {
        let next = e.b.binary("arith.addi", block, number(e, 1)?)?;
        Ok(Work { block, begin: self.begin(e, steps, block)?, end: self.begin(e, steps, next)? })
    }

    /// The tiles that a share meets: from the first on, below the last number, one after the other.
    pub(crate) fn tiles<'c>(&self, e: &Emit<'c>, work: &Work<'c>) -> Emitted<[Val<'c>; 3]> {
        let rounded = e.b.binary("arith.addi", work.end, number(e, self.depth - 1)?)?;
        let (first, mut end) = (self.tile_of(e, work.begin)?, self.tile_of(e, rounded)?);
        if self.is_open {
            // There may be fewer steps than blocks.
            let some = below(e, work.begin, work.end)?;
            let index = Type::index(e.b.context());
            end = e.b.value("arith.select", &[some, end, first], index, &[])?;
        }
        Ok([first, end, number(e, 1)?])
    }

    /// The part of a tile that is in a share.
    pub(crate) fn part<'c>(
        &self,
        e: &Emit<'c>,
        work: &Work<'c>,
        tile: Val<'c>,
    ) -> Emitted<WorkUnit<'c>> {
        let depth = number(e, self.depth)?;
        let start = e.b.binary("arith.muli", tile, depth)?;
        let end = e.b.binary("arith.addi", start, depth)?;
        let from = e.b.binary("arith.maxui", work.begin, start)?;
        let to = e.b.binary("arith.minui", work.end, end)?;
        let begins = at_most(e, work.begin, start)?;
        let ends = at_most(e, end, work.end)?;
        Ok(WorkUnit {
            skipped: e.b.binary("arith.subi", from, start)?,
            steps: e.b.binary("arith.subi", to, from)?,
            whole: e.b.binary("arith.andi", begins, ends)?,
            begins,
        })
    }

    /// The region of a pipeline that says how many steps a tile has.
    pub(crate) fn region<'c>(&self, e: &Emit<'c>, work: &Work<'c>) -> Emitted<Region<'c>> {
        let (region, inner) = e.b.region_with(&[Type::index(e.b.context())]);
        let e = Emit { b: inner };
        let part = self.part(&e, work, e.b.argument(0))?;
        // So it is of every tile that the share meets, and proofs assume it.
        let steps = e.b.binary("arith.maxsi", part.steps, number(&e, 1)?)?;
        e.b.operation("layout.yield", &[steps], &[], &[], vec![])?;
        Ok(region)
    }

    /// Finishes a tile: where it is all the block's own, as `whole` does; else its accumulators go to the
    /// workspace, at the place that `partly` is given.
    pub(crate) fn finish<'c>(
        &self,
        e: &Emit<'c>,
        work: &Work<'c>,
        tile: Val<'c>,
        whole: impl FnOnce(&Emit<'c>) -> Emitted<()>,
        partly: &dyn Fn(&Emit<'c>, Val<'c>) -> Emitted<()>,
    ) -> Emitted<()> {
        if self.partial.is_none() {
            return whole(e);
        }
        let part = self.part(e, work, tile)?;
        let none = |outcome: Emitted<()>| outcome.map(|()| Vec::new());
        let then = |b: Builder<'c>| none(whole(&Emit { b }));
        let otherwise = |b: Builder<'c>| {
            let e = Emit { b };
            let (one, zero) = (number(&e, 1)?, number(&e, 0)?);
            let index = Type::index(e.b.context());
            let which = e.b.value("arith.select", &[part.begins, one, zero], index, &[])?;
            none(partly(&e, self.slot(&e, which, work.block)?))
        };
        e.b.branch(part.whole, &[], then, Some(&otherwise))?;
        Ok(())
    }

    /// A block's place in the workspace: 0 for a tile that another one began, 1 for one that it begins.
    fn slot<'c>(&self, e: &Emit<'c>, which: Val<'c>, block: Val<'c>) -> Emitted<Val<'c>> {
        let all = e.layout(&format!("({SLOTS},{}):(1,{SLOTS})", self.blocks + self.parts))?;
        e.crd2idx(all, "(?,?)", &[which, block])
    }

    /// The launch of the kernel that adds partial results.
    pub(crate) fn launch(&self, parts: &Partials) -> Place {
        ((parts.pieces.0 * parts.pieces.1, self.blocks - 1), THREADS)
    }

    /// Emits the kernel that adds the partial results of the tile in which a share begins.
    pub(crate) fn sum<'c>(
        &self,
        (parts, scheduler, extents): (&Partials, &TileScheduler, &Extents<'c>),
        builder: Builder<'c>,
        [workspace, c]: [Val<'c>; 2],
        fused: Option<Bound<'_, 'c>>,
    ) -> Emitted<()> {
        let e = Emit { b: builder };
        let thread = e.hardware_index("gpu.thread_id", "x")?;
        let piece = e.hardware_index("gpu.block_id", "x")?;
        let block = e.hardware_index("gpu.block_id", "y")?;
        let next = e.b.binary("arith.addi", block, number(&e, 1)?)?;
        let order = |e: &Emit<'c>| Raster::new(e, scheduler, extents);
        let open = if self.is_open { Some(order(&e)?) } else { None };
        let steps = open.map_or(Ok(None), |raster| self.steps(&e, &raster))?;
        let (before, at) = (self.begin(&e, steps, block)?, self.begin(&e, steps, next)?);
        let tile = self.tile_of(&e, at)?;
        let depth = number(&e, self.depth)?;
        let start = e.b.binary("arith.muli", tile, depth)?;
        let end = e.b.binary("arith.addi", start, depth)?;
        // The first share that begins inside of the tile.
        let inside = below(&e, start, at)?;
        let is_first = at_most(&e, before, start)?;
        let sums_up = e.b.binary("arith.andi", inside, is_first)?;
        let then = |b: Builder<'c>| -> Emitted<Vec<Val<'c>>> {
            let e = Emit { b };
            let (m, n) = parts.pieces;
            let pieces = e.idx2crd(piece, &format!("({m},{n})"))?;
            let own = [thread, result(pieces, 0), result(pieces, 1)];
            let sums = e.registers("f32", &[VECTOR])?;
            let held = e.registers("f32", &[VECTOR])?;
            let tiles = e.algebra(
                "layout.zipped_divide",
                workspace,
                &format!("({},{})", scheduler.tile.0, scheduler.tile.1),
            )?;
            let slots = e.algebra("layout.composition", tiles, &format!("<{}, _>", parts.term))?;
            // The first part is the tile's beginning, which the block itself has.
            let add = |b: Builder<'c>, other: Val<'c>, is_first: bool| -> Emitted<Vec<Val<'c>>> {
                let e = Emit { b };
                let slot = self.slot(&e, number(&e, i64::from(is_first))?, other)?;
                let at: Vec<Val<'c>> = own.into_iter().chain([slot]).collect();
                let source = e.slice(slots, "((((?,_),_),(?,?)),(?,0))", &at)?;
                let to = if is_first { sums } else { held };
                e.copy(&format!("simt_{VECTOR}"), source, to, &[])?;
                for i in 0..if is_first { 0 } else { VECTOR } {
                    let (sum, more) = (e.element(sums, i)?, e.element(held, i)?);
                    e.set_element(e.b.binary("arith.addf", sum, more)?, sums, i)?;
                }
                Ok(Vec::new())
            };
            match steps {
                None => {
                    for part in 0..self.parts {
                        let other = e.b.binary("arith.addi", block, number(&e, part)?)?;
                        if part < 2 {
                            add(e.b, other, part == 0)?;
                        } else {
                            let shares = below(&e, self.begin(&e, None, other)?, end)?;
                            e.b.branch(shares, &[], |b| add(b, other, false), None)?;
                        }
                    }
                }
                Some(steps) => {
                    add(e.b, block, true)?;
                    // The blocks that begin before the tile ends: those whose share is not empty.
                    let blocks = e.b.binary("arith.muli", end, number(&e, self.blocks)?)?;
                    let rest = e.b.binary("arith.subi", steps, number(&e, 1)?)?;
                    let last = e.b.binary("arith.addi", blocks, rest)?;
                    let last = e.b.binary("arith.divui", last, steps)?;
                    let (inner, other) = e.b.open_loop([next, last, number(&e, 1)?])?;
                    let e = Emit { b: inner };
                    let after = e.b.binary("arith.addi", other, number(&e, 1)?)?;
                    let from = self.begin(&e, Some(steps), other)?;
                    let some = below(&e, from, self.begin(&e, Some(steps), after)?)?;
                    e.b.branch(some, &[], |b| add(b, other, false), None)?;
                }
            }
            let raster = open.map_or_else(|| order(&e), Ok)?;
            // Where a block gets here, it is a tile of C, which proofs assume.
            let tile = e.b.binary("arith.minui", tile, number(&e, self.tiles - 1)?)?;
            let place = raster.place_of(&e, scheduler, tile)?;
            let at: Vec<Val<'c>> = own.into_iter().chain(place).collect();
            let tiler = scheduler.tiler((scheduler.tile.0, scheduler.tile.1));
            let share = |view: Val<'c>| -> Emitted<Val<'c>> {
                let tiles = e.algebra("layout.zipped_divide", view, &tiler)?;
                let own =
                    e.algebra("layout.composition", tiles, &format!("<{}, _>", parts.term))?;
                e.slice(own, &format!("((((?,_),_),(?,?)),{})", scheduler.place()), &at)
            };
            let ragged = scheduler.ragged();
            let extent = ((extents.m, extents.n), extents.batch);
            if let Some(fused) = &fused {
                let shares = fused.shares(&e, extent, ragged, &share)?;
                fused.apply(&e, (&[sums], sums), &shares)?;
            }
            let predicates = Predicate::each(&e.predicates(extent.0, extent.1, ragged)?, share)?;
            let store = known(&format!("simt_{}", parts.vector));
            let store = store.map_err(melior::Error::AttributeParse)?;
            e.copy(store.name, sums, share(c)?, &predicates)?;
            Ok(Vec::new())
        };
        e.b.branch(sums_up, &[], then, None)?;
        e.b.operation("gpu.return", &[], &[], &[], vec![])?;
        Ok(())
    }
}

fn number<'c>(e: &Emit<'c>, value: i64) -> Emitted<Val<'c>> {
    e.b.constant(Type::index(e.b.context()), value)
}

/// `a < b`, of unsigned numbers.
fn below<'c>(e: &Emit<'c>, a: Val<'c>, b: Val<'c>) -> Emitted<Val<'c>> {
    const UNSIGNED_LESS: i64 = 6;
    compare(e, UNSIGNED_LESS, a, b)
}

/// `a <= b`, of unsigned numbers.
fn at_most<'c>(e: &Emit<'c>, a: Val<'c>, b: Val<'c>) -> Emitted<Val<'c>> {
    const UNSIGNED_AT_MOST: i64 = 7;
    compare(e, UNSIGNED_AT_MOST, a, b)
}

fn compare<'c>(e: &Emit<'c>, predicate: i64, a: Val<'c>, b: Val<'c>) -> Emitted<Val<'c>> {
    let predicate: Attribute<'c> = IntegerAttribute::new(e.b.integer(64), predicate).into();
    e.b.value("arith.cmpi", &[a, b], e.b.integer(1), &[("predicate", predicate)])
}
