//! How long a kernel takes with a schedule, so far as schedules differ: the block with the most to do.
//!
//! Blocks take the tiles of all products in turns, one block for each multiprocessor. A step along K of a
//! tile takes as long as its products or as its loads, whichever is longer; a tile is then stored, which one
//! team does while another multiplies. The three rates are those that come nearest to 57 kernels of 12
//! groups, each with up to five tiles, on an H200 (runs `2026-11-22-groups`): by a sixth, in the mean,
//! and the tile that they choose was within 7 % of the fastest in every one. [`time`] is the estimate for a single
//! product.

use super::{
    Problem, element_bytes,
    space::{self, MULTIPROCESSORS, cover},
};
use layout_dialect::schedule::Schedule;

/// Picoseconds of one multiplication and addition on a multiprocessor, for each byte of an element.
pub(crate) const PRODUCT: f64 = 0.16;

/// Picoseconds of a byte that is loaded.
const LOAD: f64 = 12.0;

/// Picoseconds of an element that is stored.
const STORE: f64 = 4.5;

/// How much longer loads take whose rows lie across cache lines: 4000x4000x1000 beside 4096x4096x1024
/// (run `2026-11-21-batched/3`), with tiles of 128x256, 128x192 and 128x128 and with clusters.
const ACROSS: f64 = 1.63;

/// What of operands a schedule's time depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operands {
    /// Bytes of an element.
    pub(super) bytes: i64,
    /// Whether rows of A and of B lie across cache lines.
    pub(super) across: [bool; 2],
}

/// Picoseconds that products (M, N, K) take with a schedule, but for what they take with any.
pub(super) fn cost(schedule: &Schedule, products: &[[i64; 3]], operands: Operands) -> f64 {
    let (rows, columns, depth) = schedule.tile;
    let [rows, columns, depth] = [rows, columns, depth].map(|extent| extent as f64);
    let bytes = operands.bytes as f64;
    let multiplies = rows * columns * depth * bytes * PRODUCT;
    // Blocks of a cluster along N load A for each other, and along M B.
    let [left, right] = operands.across.map(|across| if across { ACROSS } else { 1.0 });
    let (left, right) = if schedule.swap_ab { (right, left) } else { (left, right) };
    let (cm, cn) = schedule.cluster;
    let loaded = rows * left / cn.max(1) as f64 + columns * right / cm.max(1) as f64;
    let loads = loaded * depth * bytes * LOAD;
    let store = rows * columns * STORE / schedule.ping_pong.max(1) as f64;
    let mut blocks = [0.0_f64; MULTIPROCESSORS as usize];
    let mut next = 0;
    for &product in products {
        let (tiles, steps) = tiles(schedule, product);
        let each = steps as f64 * multiplies.max(loads) + store;
        for (place, block) in (0_i64..).zip(&mut blocks) {
            // Tiles of this product that are the block's: those behind the last one of the product before.
            let turn = (place - next).rem_euclid(MULTIPROCESSORS);
            let own = (tiles - turn + MULTIPROCESSORS - 1).div_euclid(MULTIPROCESSORS).max(0);
            *block += own as f64 * each;
        }
        next = (next + tiles).rem_euclid(MULTIPROCESSORS);
    }
    blocks.into_iter().fold(0.0, f64::max)
}

/// Microseconds that any kernel takes, that a kernel which copies an operand takes before it, and one which sums up
/// parts of K behind it.
const START: f64 = 4.34;
const COPY: f64 = 1.7;
const SUM: f64 = 3.9;

/// Microseconds of one multiplication and addition for each byte of an element, of a byte that a block loads, of an
/// element that it stores, of a step along K beside these, and of a load until it is there.
const MULTIPLIED: f64 = 0.144e-6;
const LOADED: f64 = 7.78e-6;
const STORED: f64 = 24.6e-6;
const STEP: f64 = 0.0602;
const LATENCY: f64 = 0.607;

/// Columns that a narrower tile is multiplied as slowly as: A is read all the same.
const NARROWEST: i64 = 105;

/// Rows of a tile above which each warpgroup multiplies two atoms of few columns, and how much longer that takes:
/// 4504x4504x4504 in 284 µs with tiles of 256x128, and in 248 with 128x256.
const HIGH: i64 = 128;
const TWO_ATOMS: f64 = 1.07;

/// Columns of a piece of C that is stored at once, at most and at least, and how much longer narrow ones take.
const PIECE: (i64, i64) = (64, 16);
const NARROW_PIECE: f64 = 0.33;

/// How much longer loads take whose rows lie across cache lines.
const LONGER: f64 = 1.89;

/// Microseconds of a byte that passes through memory.
const MEMORY: f64 = 1.0 / 3.62e6;

/// What a byte that is loaded once more is of one that passes through memory.
const AGAIN: f64 = 0.068;

/// Microseconds of a byte of the parts of K, which the second-level cache holds.
const PARTS: f64 = 0.1e-6;

/// Microseconds of a step along K of warps that fetch their operands element by element: of one block, and of each
/// round of blocks where there are many; and what of that vectors take (500x500x500 beside 511x513x515).
const GATHERED: f64 = 0.8;
const GATHERED_ROUND: f64 = 0.33;
const IN_VECTORS: f64 = 0.7;
const GATHERED_START: f64 = 3.3;

/// Microseconds that a product takes with a schedule. The constants were fitted to 517 kernels of 117 shapes on an H200
/// (runs `2026-11-22-robust` and `2026-11-22-shapes`): what is chosen of those that were measured at a
/// shape is 2 % behind the fastest in the mean. What launches take since they overlap, and tiles of many rows, are
/// of the runs `2026-11-22-launches`.
pub(super) fn time(schedule: &Schedule, problem: &Problem) -> f64 {
    let bytes = element_bytes(&problem.element) as f64;
    let (tiles, steps) = tiles(schedule, problem.extents);
    let parts = schedule.split_k.max(1);
    let tiles = tiles.saturating_mul(problem.batch).saturating_mul(parts);
    let rounds = cover(tiles, MULTIPROCESSORS) as f64;
    let steps = cover(steps, parts) as f64;
    let [m, n, k] = problem.extents;
    if !space::has_warpgroups(schedule) {
        let each = GATHERED.max(rounds * GATHERED_ROUND);
        let vectors = if problem.vectors { IN_VECTORS } else { 1.0 };
        return GATHERED_START + steps * each * vectors;
    }
    let (rows, columns) = if schedule.swap_ab { (n, m) } else { (m, n) };
    let (height, width, depth) = schedule.tile;
    let (cm, cn) = schedule.cluster;
    let [mut left, mut right] = problem.across.map(|across| if across { LONGER } else { 1.0 });
    if schedule.swap_ab {
        std::mem::swap(&mut left, &mut right);
    }
    // A stage as deep as its bytes, whatever they are elements of.
    let deep = depth as f64 * bytes;
    let atoms = if height > HIGH { TWO_ATOMS } else { 1.0 };
    let multiplied = (height * width.max(NARROWEST)) as f64 * deep * MULTIPLIED * atoms;
    // Tiles that are longer than their matrix load no more than there is.
    let loaded = height.min(cover(rows, 8) * 8) as f64 * left / cn as f64
        + width.min(cover(columns, 8) * 8) as f64 * right / cm as f64;
    let latency = LATENCY / schedule.stages.max(1) as f64;
    let step = multiplied.max(loaded * deep * LOADED).max(latency) + STEP;
    let piece = (width & -width).clamp(PIECE.1, PIECE.0);
    let narrow = 1.0 + NARROW_PIECE * (PIECE.0 as f64 / piece as f64 - 1.0);
    let stored = (height * width) as f64 * STORED * narrow / schedule.ping_pong.max(1) as f64;
    let blocks = rounds * (steps * step + stored);
    let [m, n, k, batch] = [m, n, k, problem.batch].map(|extent| extent as f64);
    let least = (m * k + n * k) * batch * bytes;
    let total = (height.min(cover(rows, 8) * 8) + width.min(cover(columns, 8) * 8)) as f64
        * deep
        * steps
        * tiles as f64;
    let again = (total - least).max(0.0);
    let memory = (least + m * n * batch * bytes + AGAIN * again) * MEMORY;
    let mut start = START;
    if parts > 1 {
        // Parts are whole tiles.
        start += SUM + 8.0 * (height * width) as f64 * tiles as f64 * PARTS;
    }
    for (copied, extent) in problem.copied.into_iter().zip([m, n]) {
        start += if copied { COPY + 2.0 * extent * k * batch * bytes * MEMORY } else { 0.0 };
    }
    // What multiplies and what moves memory overlap, the less the nearer they are.
    start + (blocks.powi(3) + memory.powi(3)).cbrt()
}

/// Tiles of C in whole clusters, and tiles along K of each.
fn tiles(schedule: &Schedule, [m, n, k]: [i64; 3]) -> (i64, i64) {
    let (m, n) = if schedule.swap_ab { (n, m) } else { (m, n) };
    let cover = |extent: i64, tile: i64| (extent - 1) / tile.max(1) + 1;
    let whole = |tiles: i64, blocks: i64| cover(tiles, blocks).saturating_mul(blocks);
    let ((rows, columns, depth), (cm, cn)) = (schedule.tile, schedule.cluster);
    let (down, along) = (whole(cover(m, rows), cm), whole(cover(n, columns), cn));
    (down.saturating_mul(along), cover(k, depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALIGNED: Operands = Operands { bytes: 2, across: [false; 2] };

    fn schedule(text: &str) -> Schedule {
        text.parse().expect("a schedule")
    }

    /// 133 tiles are two rounds for one block; one of each of 133 products are, too.
    #[test]
    fn the_block_with_the_most_tiles_counts() {
        let schedule = schedule("tile = (128,128,64), warps = (8,1), stages = 4");
        let of = |products: &[[i64; 3]]| cost(&schedule, products, ALIGNED);
        let one = of(&[[128, 128, 640]]);
        assert!(one > 0.0);
        assert_eq!(of(&[[128 * 132, 128, 640]]), one);
        assert_eq!(of(&[[128 * 133, 128, 640]]), 2.0 * one);
        assert_eq!(of(&[[128, 100, 640]; 132]), one);
        assert_eq!(of(&[[128, 100, 640]; 133]), 2.0 * one);
        // Short tiles beside long ones take the blocks that have none yet.
        assert_eq!(of(&[[128, 128, 640], [128 * 131, 128, 64]]), one);
        assert!(of(&[[128, 128, 640], [128 * 132, 128, 64]]) > one);
    }

    /// Small tiles load more for what they multiply, and exchanged ones stand across.
    #[test]
    fn loads_and_shapes_count() {
        let large = schedule("tile = (128,256,64), warps = (8,1), stages = 4");
        let small = schedule("tile = (64,64,64), warps = (4,1), stages = 8");
        let full = [[4096, 4096, 4096]];
        assert!(cost(&small, &full, ALIGNED) > 2.0 * cost(&large, &full, ALIGNED));
        let few = [[512, 512, 512]];
        assert!(cost(&small, &few, ALIGNED) < cost(&large, &few, ALIGNED));
        let across = schedule("tile = (64,16,256), warps = (4,1), stages = 5, swap_ab = true");
        assert_eq!(tiles(&across, [16, 8192, 512]), (128, 2));
    }

    /// A cluster has whole clusters of tiles, and takes away what rows across cache lines cost.
    #[test]
    fn clusters_load_for_each_other() {
        let keys = "tile = (128,256,64), warps = (8,1), stages = 4";
        let (alone, pair) = (schedule(keys), schedule(&format!("{keys}, cluster = (2,1)")));
        assert_eq!((tiles(&alone, [300, 256, 64]), tiles(&pair, [300, 256, 64])), ((3, 1), (4, 1)));
        let product = [[4000, 4000, 1000]];
        let across = Operands { bytes: 2, across: [true; 2] };
        let of = |schedule, operands| cost(schedule, &product, operands);
        assert!(of(&alone, across) > 1.3 * of(&alone, ALIGNED));
        assert_eq!(of(&pair, across), of(&pair, ALIGNED));
    }
}
