//! Estimates the time of a problem with a schedule.
//!
//! Blocks take tiles round-robin, one block for each multiprocessor. A step along K of a tile takes as long as its MMAs,
//! as its loads, as the bytes that loads write to shared memory and MMAs read from there, or as a load's latency over the
//! stages, whichever is longest; then the tile is stored. Meanwhile all blocks share memory and the L2 cache. MMAs, traffic of memory and traffic of the cache overlap, so the
//! longest of the three counts most ([`Constants::overlap`]). A chip's rates come from its description; the [`Constants`] are
//! the fractions of them that kernels reach, fitted to measured times ([`crate::fit`]).

use crate::{
    chip::{Chip, Constants},
    piece,
    problem::{GemmShape, Problem, cover},
    tiling::{Tiling, WARP, WARPGROUP},
};

/// Rows of an atom of a warpgroup.
const ATOM: i64 = 64;

/// Threads of a warpgroup.
const GROUP: i64 = WARPGROUP * WARP;

/// The most bytes of a row of the subtile of C that an epilogue stores at once.
const STORE_ROW_BYTES: i64 = 128;

/// Bytes that a multiprocessor's shared memory reads or writes in a clock: 32 banks of 4.
const SHARED_PER_CLOCK: f64 = 128.0;

/// Rows of tiles up to which those of one row are computed beside each other.
const MAX_TILE_ROWS: i64 = 2;

/// Bytes of a segment of memory that [`Constants::segment`] is about.
const SEGMENT: f64 = 128.0;

/// Microseconds of a step along K of warps that fetch their operands element by element: of one block, and of each round of
/// blocks where there are many; what of that vectors take; and of the start (500x500x500 beside 511x513x515 on an H200).
const GATHER_STEP: f64 = 0.8;
const GATHER_ROUND: f64 = 0.33;
const IN_VECTORS: f64 = 0.7;
const GATHER_START: f64 = 3.3;

/// Accumulators of the second level that a multiprocessor adds in a clock, half of them beside MMAs; and microseconds that a tile of
/// 64 rows waits for its last MMA before, where no other warpgroup multiplies meanwhile (2026-11-30-two).
const ADDED_PER_CLOCK: f64 = 256.0;
const DRAIN: f64 = 0.03;

/// The parts of an estimated [`time`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Time of the block with the most to do, in µs.
    pub block: f64,
    /// Time of memory, in µs.
    pub memory: f64,
    /// Time of the L2 cache, in µs.
    pub level_2: f64,
    /// Time before, after and beside these, in µs.
    pub fixed: f64,
}

/// Microseconds that a problem takes with a schedule on a chip.
#[must_use]
pub fn time(chip: &Chip, tiling: &Tiling, problem: &Problem) -> f64 {
    time_with(chip, &chip.constants, tiling, problem)
}

/// [`time`] with other constants.
#[must_use]
pub fn time_with(chip: &Chip, constants: &Constants, tiling: &Tiling, problem: &Problem) -> f64 {
    if let Some(time) = gathered(chip, tiling, problem) {
        return time;
    }
    let Estimate { block, memory, level_2, fixed } = parts(chip, constants, tiling, problem);
    let power = constants.overlap;
    fixed
        + [block, memory, level_2]
            .map(|time| time.powf(power))
            .iter()
            .sum::<f64>()
            .powf(power.recip())
}

/// Time of warps that fetch element by element what bulk copies cannot take, where a chip has these.
fn gathered(chip: &Chip, tiling: &Tiling, problem: &Problem) -> Option<f64> {
    if !chip.warpgroups || tiling.has_warpgroups() {
        return None;
    }
    let GemmShape { extents: [m, n, k], batch } = problem.largest();
    let tiles = cover(m, tiling.tile.0).saturating_mul(cover(n, tiling.tile.1));
    let rounds = cover(tiles.saturating_mul(batch), chip.multiprocessors) as f64;
    let vectors = if problem.vectors { IN_VECTORS } else { 1.0 };
    let steps = cover(k, tiling.tile.2) as f64;
    Some(GATHER_START + steps * GATHER_STEP.max(rounds * GATHER_ROUND) * vectors)
}

/// The parts of [`time`].
#[must_use]
pub fn parts(chip: &Chip, constants: &Constants, tiling: &Tiling, problem: &Problem) -> Estimate {
    let of = Factors::new(chip, constants, tiling, problem);
    let multiprocessors = chip.multiprocessors;
    let at_once = chip.blocks_at_once(tiling.cluster.0.saturating_mul(tiling.cluster.1));
    let (height, width, depth) = tiling.tile;
    let split = if tiling.stream_k.is_some() { 1 } else { tiling.split_k.max(1) };
    let mut blocks = vec![0.0_f64; usize::try_from(at_once).unwrap_or(1)];
    let (mut next, mut steps_of_all, mut tiles_of_all) = (0_i64, 0.0, 0.0);
    let (mut loaded, mut requested, mut compulsory) = (0.0, 0.0, 0.0);
    let (mut results, mut distant) = (0.0, 0.0);
    let mut fixed = constants.start;
    // The time that MMAs of a next tile would hide.
    let mut hidden = 0.0;
    for gemm in &problem.gemms {
        let GemmShape { extents: [m, n, k], batch } = *gemm;
        let step = of.step(gemm);
        let whole = |extent: i64, tile: i64, blocks: i64| {
            cover(cover(extent, tile), blocks).saturating_mul(blocks)
        };
        let (rows, columns) = if tiling.swap_ab { (n, m) } else { (m, n) };
        let tiles = whole(rows, height, tiling.cluster.0)
            .saturating_mul(whole(columns, width, tiling.cluster.1))
            .saturating_mul(batch);
        let steps = cover(k, depth);
        let turns = tiles.saturating_mul(split);
        let exposed = if turns > at_once { of.exposed(steps) } else { of.alone() };
        hidden = f64::max(hidden, of.alone() - exposed);
        let each = cover(steps, split) as f64 * step + exposed;
        if tiling.stream_k.is_none() {
            // Tiles of this GEMM that are a block's: those after the last one of the GEMM before.
            let (least, more) = (turns.div_euclid(at_once), turns.rem_euclid(at_once));
            for (place, block) in (0_i64..).zip(&mut blocks) {
                let turn = if place < next { place - next + at_once } else { place - next };
                *block += (least + i64::from(turn < more)) as f64 * each;
            }
            next = turns.saturating_add(next).rem_euclid(at_once);
        }
        // Blocks beside each other take tiles of one column; those of one row are as far from each other as there are rows.
        let down = cover(rows, height);
        let readers = cover(cover(columns, width), tiling.cluster.1);
        if down > MAX_TILE_ROWS && readers > 1 {
            distant +=
                [rows, k, batch, problem.bytes].map(|factor| factor as f64).iter().product::<f64>();
        }
        let (tiles, steps) = (tiles as f64, steps as f64);
        steps_of_all += tiles * steps * step;
        tiles_of_all += tiles;
        loaded += of.loaded(of.lines(gemm)) * steps * tiles;
        requested += of.loaded(of.cache_lines(gemm)) * steps * tiles;
        let [m, n, k, batch] = [m, n, k, batch].map(|extent| extent as f64);
        compulsory += (m * k + n * k * of.factors) * batch * problem.bytes as f64;
        results += m * n * batch * problem.result_bytes as f64;
        for (operand, extent) in problem.operands.iter().zip([m, n]) {
            if operand.copied {
                let bytes = 2.0 * extent * k * batch * problem.bytes as f64;
                fixed += constants.copy + bytes * constants.memory / chip.memory_bytes_per_us;
            }
        }
    }
    let block = match tiling.stream_k {
        // Nothing is computed beside the store of a block's last tile.
        None => blocks.into_iter().fold(0.0, f64::max) + hidden,
        Some(sharing) => {
            let sharing = sharing.clamp(1, at_once) as f64;
            steps_of_all / sharing + (tiles_of_all / sharing + 1.0) * of.alone()
        }
    };
    // Partial results of 4 bytes are written, and read again.
    let tile_bytes = 8.0 * (height * width) as f64;
    let part = constants.parts / (chip.loads_per_us() * multiprocessors as f64);
    match tiling.stream_k {
        Some(sharing) => {
            let partial_tiles = (2 * sharing) as f64;
            fixed += constants.sum + tile_bytes * partial_tiles.min(2.0 * tiles_of_all) * part;
        }
        None if split > 1 => {
            fixed += constants.sum + tile_bytes * tiles_of_all * split as f64 * part
        }
        None => {}
    }
    if tiling.cluster != (1, 1) {
        fixed += constants.cluster;
    }
    let again = if tiling.stream_k.is_some() { constants.scattered } else { constants.again };
    let cache = constants.cache * chip.level_2_bytes as f64;
    let beyond = (loaded - compulsory).max(0.0) * compulsory / (compulsory + cache);
    let bytes = compulsory + results + again * beyond;
    let memory_us = |bytes: f64| bytes * constants.memory / chip.memory_bytes_per_us;
    fixed += constants.distant * memory_us(distant);
    let memory = memory_us(bytes) * of.segments(&problem.largest());
    let level_2 =
        requested * of.outer * constants.level_2 / (chip.loads_per_us() * multiprocessors as f64);
    Estimate { block, memory, level_2, fixed }
}

/// The numbers that are the same for all GEMMs of a problem.
struct Factors<'a> {
    chip: &'a Chip,
    constants: &'a Constants,
    tiling: &'a Tiling,
    bytes: f64,
    /// GEMMs of A that are computed together.
    factors: f64,
    /// Whether rows along and columns of the tile are contiguous along M or N, and lie across cache lines.
    outer_of: [bool; 2],
    across: [bool; 2],
    /// How much longer loads take where one is.
    outer: f64,
    /// Time of the MMAs of a step, in µs.
    multiplied: f64,
    /// Bytes that the MMAs of a step read from shared memory, where they are of warpgroups.
    read: f64,
    /// Time of a tile's beginning and of its store, in µs.
    beginning: f64,
    store: f64,
    /// Columns of a piece of the store, and bytes of an element, or `None` if the copy engine does not store, or the tile
    /// before may be another GEMM's.
    piece: Option<(i64, i64)>,
}

impl<'a> Factors<'a> {
    fn new(
        chip: &'a Chip,
        constants: &'a Constants,
        tiling: &'a Tiling,
        problem: &Problem,
    ) -> Self {
        let (height, width, depth) = tiling.tile;
        let [a, b] = problem.operands;
        let (along_rows, along_columns) = if tiling.swap_ab { (b, a) } else { (a, b) };
        let outer = if a.outer || b.outer { constants.outer } else { 1.0 };
        let (height, width) = (height as f64, width as f64);
        let factors = problem.factors as f64;
        let mut added = 0.0;
        // Columns of all B, which one instruction multiplies.
        let wide = width * factors;
        let mut gemms = height * wide * depth as f64 * constants.multiply;
        let mut read = 0.0;
        if tiling.has_warpgroups() && chip.warpgroups {
            // Each instruction reads its rows of A, and all columns of B.
            let instructions = height / ATOM as f64;
            read = instructions * (ATOM as f64 + wide) * (depth * problem.bytes) as f64;
            let own = tiling.tile.0 / (tiling.warps.0 / WARPGROUP).max(1);
            // Instructions start one after the other, however few columns they have.
            gemms *= (wide + constants.columns) / wide;
            gemms *= if own > ATOM { constants.several } else { 1.0 };
            let alone = tiling.tile.0 <= ATOM && tiling.ping_pong < 2;
            gemms *= if alone { constants.single } else { 1.0 };
            if problem.two_levels {
                added = height * width / ADDED_PER_CLOCK / chip.clock_mhz;
                if tiling.warps.0.saturating_mul(tiling.warps.1) == WARPGROUP {
                    added += DRAIN * instructions;
                }
            }
        } else {
            gemms /= chip.mma_sync_share;
        }
        let most = STORE_ROW_BYTES / problem.result_bytes.max(1);
        let columns = if tiling.swap_ab == problem.turned_c {
            piece::across(tiling.tile.1, most)
        } else {
            piece::along(tiling.tile.1).min(most)
        };
        let pieces = cover(tiling.tile.1, columns) as f64;
        let direct = if problem.bulk_stores { 1.0 } else { constants.direct };
        let share = chip.memory_bytes_per_us / chip.multiprocessors as f64;
        let bytes = height * width * problem.result_bytes as f64;
        let store = bytes / share * constants.store + pieces * constants.piece;
        Self {
            chip,
            constants,
            tiling,
            bytes: problem.bytes as f64,
            factors,
            outer_of: [along_rows.outer, along_columns.outer],
            across: [along_rows.across, along_columns.across],
            outer,
            multiplied: gemms / chip.macs_per_us(problem.bytes) + added,
            read,
            beginning: constants.tile,
            store: store * direct,
            piece: (problem.bulk_stores && problem.gemms.len() == 1)
                .then_some((columns, problem.result_bytes)),
        }
    }

    /// Time of a tile beside its steps, in µs.
    fn alone(&self) -> f64 {
        self.beginning + self.store
    }

    /// The same for a tile of `steps` steps that another one follows: the part that its MMAs do not hide.
    fn exposed(&self, steps: i64) -> f64 {
        match self.tiling {
            // The pieces of swapped tiles wait for each other beside the MMAs of another consumer group, too.
            Tiling { ping_pong: 2.., swap_ab: true, .. } => self.alone(),
            Tiling { ping_pong: 2.., .. } => self.alone() * self.constants.hidden,
            _ => self.alone() - self.store * self.deferred(steps) * (1.0 - self.constants.deferred),
        }
    }

    /// The part of a tile's pieces that waits for the next tile's steps.
    fn deferred(&self, steps: i64) -> f64 {
        let Tiling { tile: (height, width, _), warps, split_k, stream_k, .. } = *self.tiling;
        let groups = warps.0 / WARPGROUP * warps.1;
        let (Some((columns, bytes)), true, None) =
            (self.piece, split_k == 1 && groups > 0, stream_k)
        else {
            return 0.0;
        };
        let registers = match bytes {
            4 => ATOM * columns / GROUP,
            2 if columns % 16 == 0 => ATOM * columns / GROUP / 2,
            _ => return 0.0,
        };
        let pieces = (height / ATOM * cover(width, columns) / groups).max(1);
        let accumulators = self.tiling.accumulators().saturating_mul(self.factors as i64);
        piece::deferred(groups, accumulators, (pieces, registers), steps) as f64 / pieces as f64
    }

    /// Rows and columns of a tile that are loaded: no more than there are, in whole segments.
    fn lines(&self, gemm: &GemmShape) -> [f64; 2] {
        let [m, n, _] = gemm.extents;
        let (rows, columns) = if self.tiling.swap_ab { (n, m) } else { (m, n) };
        let of = |tile: i64, extent: i64, outer: bool| {
            let lines = tile.min(cover(extent, 8).saturating_mul(8)) as f64;
            if outer { lines.max(self.constants.short * 2.0 / self.bytes) } else { lines }
        };
        let (height, width, _) = self.tiling.tile;
        [of(height, rows, self.outer_of[0]), of(width, columns, self.outer_of[1]) * self.factors]
    }

    /// These, with the cache lines beside their own that rows across such take.
    fn cache_lines(&self, gemm: &GemmShape) -> [f64; 2] {
        let lines = self.lines(gemm);
        let of = |across: bool| if across { self.constants.across } else { 1.0 };
        [0, 1].map(|i| lines[i] * of(self.across[i]))
    }

    /// Bytes of lines that a block loads in a step, and does not get from others of its cluster.
    fn loaded(&self, [rows, columns]: [f64; 2]) -> f64 {
        let (cm, cn) = self.tiling.cluster;
        let depth = self.tiling.tile.2 as f64 * self.bytes;
        (rows / cn.max(1) as f64 + columns / cm.max(1) as f64) * depth
    }

    /// Time of a step along K, in µs.
    fn step(&self, gemm: &GemmShape) -> f64 {
        let lines = self.cache_lines(gemm);
        let (cm, cn) = self.tiling.cluster;
        // Blocks of a cluster along N load A for each other, and along M B.
        let shared = [cn, cm];
        let all: f64 = (0..2)
            .map(|i| {
                let multicast = if shared[i] > 1 { self.constants.multicast } else { 1.0 };
                lines[i] * multicast
            })
            .sum();
        let bytes = all * self.tiling.tile.2 as f64 * self.bytes * self.outer;
        let load = bytes * self.constants.load / self.chip.loads_per_us();
        let latency = self.constants.latency / self.tiling.stages.max(1) as f64;
        let written = self.lines(gemm).iter().sum::<f64>() * self.tiling.tile.2 as f64 * self.bytes;
        let shared_per_us = SHARED_PER_CLOCK * self.chip.clock_mhz;
        let shared = match self.read {
            0.0 => 0.0,
            read => (read + written) * self.constants.shared / shared_per_us,
        };
        let together = if self.tiling.cluster == (1, 1) { 0.0 } else { self.constants.together };
        self.multiplied.max(shared).max(load).max(latency) + self.constants.step + together
    }

    /// How much longer memory takes for the segments of the larger factor.
    fn segments(&self, gemm: &GemmShape) -> f64 {
        let [m, n, _] = gemm.extents;
        let (rows, columns) = if self.tiling.swap_ab { (n, m) } else { (m, n) };
        let (height, width, depth) = self.tiling.tile;
        let of = |tile: i64, extent: i64, outer: bool| if outer { tile.min(extent) } else { depth };
        let elements = if rows > columns {
            of(height, rows, self.outer_of[0])
        } else {
            of(width, columns, self.outer_of[1])
        };
        1.0 + self.constants.segment * SEGMENT / (elements.max(1) as f64 * self.bytes)
    }
}

/// Microseconds of the MMAs of a step along K of a tile.
#[must_use]
pub fn multiplied(chip: &Chip, tiling: &Tiling, problem: &Problem) -> f64 {
    Factors::new(chip, &chip.constants, tiling, problem).multiplied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Operand;

    fn chip() -> &'static Chip {
        Chip::named("sm_90a").expect("a chip")
    }

    fn tiling(text: &str) -> Tiling {
        text.parse().expect("a schedule")
    }

    fn problem(gemms: &[[i64; 3]]) -> Problem {
        let gemms = gemms.iter().map(|&extents| GemmShape { extents, batch: 1 }).collect();
        Problem {
            gemms,
            bytes: 2,
            result_bytes: 2,
            operands: [Operand::default(); 2],
            factors: 1,
            turned_c: false,
            bulk_stores: true,
            sums_of_f32: true,
            two_levels: false,
            vectors: true,
        }
    }

    fn block(tiling: &Tiling, gemms: &[[i64; 3]]) -> f64 {
        parts(chip(), &chip().constants, tiling, &problem(gemms)).block
    }

    /// 133 tiles are two rounds for one block; one of each of 133 GEMMs are, too.
    #[test]
    fn the_block_with_the_most_tiles_counts() {
        // Three warpgroups have no registers for pieces that wait for the next tile.
        let tiling = tiling("tile = (192,192,64), warps = (12,1), stages = 4");
        let one = block(&tiling, &[[192, 192, 640]]);
        let is = |gemms: &[[i64; 3]], times: f64| {
            let found = block(&tiling, gemms);
            assert!((found - times * one).abs() < 1e-9, "{gemms:?}: {found} beside {one}");
        };
        is(&[[192 * 132, 192, 640]], 1.0);
        is(&[[192 * 133, 192, 640]], 2.0);
        is(&[[192, 192, 640]; 132], 1.0);
        is(&[[192, 192, 640]; 133], 2.0);
        // Short tiles beside long ones take the blocks that have none yet.
        is(&[[192, 192, 640], [192 * 131, 192, 64]], 1.0);
        assert!(block(&tiling, &[[192, 192, 640], [192 * 132, 192, 64]]) > one);
        // Two tiles of two warpgroups take less: the first one's pieces are stored beside the steps of the second.
        let waits: Tiling =
            "tile = (128,128,64), warps = (8,1), stages = 4".parse().expect("a schedule");
        let one = block(&waits, &[[128 * 132, 128, 640]]);
        assert!(block(&waits, &[[128 * 133, 128, 640]]) < 1.95 * one);
    }

    /// A batch is as many GEMMs, and a group of one is a GEMM.
    #[test]
    fn a_batch_is_a_group_of_equal_products() {
        let tiling = tiling("tile = (128,128,64), warps = (8,1), stages = 4");
        let all = problem(&[[300, 400, 500]; 7]);
        let gemm = GemmShape { extents: [300, 400, 500], batch: 7 };
        let batch = Problem { gemms: vec![gemm], ..all.clone() };
        let of = |problem| time(chip(), &tiling, problem);
        assert!((of(&all) - of(&batch)).abs() < 1e-9);
    }

    /// Loads that a cluster shares, rows across cache lines, and copies before the kernel.
    #[test]
    fn what_loads_take_counts() {
        // 95 µs alone and 78 in pairs (`2026-11-27-carried`).
        let keys = "tile = (192,192,64), warps = (12,1), stages = 4";
        let (alone, pair) = (tiling(keys), tiling(&format!("{keys}, cluster = (2,1)")));
        let aligned = problem(&[[3000, 3000, 3000]]);
        let across = Operand { across: true, ..Operand::default() };
        let far = Problem { operands: [across; 2], ..aligned.clone() };
        let of = |tiling, problem| time(chip(), tiling, problem);
        assert!(of(&alone, &far) > of(&alone, &aligned));
        assert!(of(&pair, &far) < of(&alone, &far));
        let copied = Operand { copied: true, ..Operand::default() };
        let copies = Problem { operands: [copied, Operand::default()], ..aligned.clone() };
        assert!(of(&alone, &copies) > of(&alone, &aligned) + chip().constants.copy);
    }

    /// The same schedule on chips with more of everything takes less.
    #[test]
    fn chips_differ() {
        let tiling = tiling("tile = (128,128,32), warps = (2,2), stages = 4");
        let of = |name| time(Chip::named(name).expect("a chip"), &tiling, &problem(&[[4096; 3]]));
        assert!(of("sm_80") < of("sm_89") * 1.5 && of("sm_100a") < of("sm_80"));
    }
}
