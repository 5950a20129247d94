//! How long a kernel of several products takes with a schedule, so far as schedules differ: the block with
//! the most to do.
//!
//! Blocks take the tiles of all products in turns, one block for each multiprocessor. A step along K of a
//! tile takes as long as its products or as its loads, whichever is longer; a tile is then stored, which one
//! team does while another multiplies. The three rates are those that come nearest to 57 kernels of 12
//! groups, each with up to five tiles, on an H200 (`2026-11-22-h200-groups.json`): by a sixth, in the mean,
//! and the tile that they choose was within 7 % of the fastest in every one.

use layout_dialect::schedule::Schedule;

/// Multiprocessors of an H200, for which the rates hold.
const MULTIPROCESSORS: usize = 132;

/// Picoseconds of one multiplication and addition, for each byte of an element.
const PRODUCT: f64 = 0.16;

/// Picoseconds of a byte that is loaded.
const LOAD: f64 = 12.0;

/// Picoseconds of an element that is stored.
const STORE: f64 = 4.5;

/// Picoseconds that products (M, N, K) of elements of so many bytes take with a schedule, but for what
/// they take with any.
pub(super) fn cost(schedule: &Schedule, products: &[[i64; 3]], element_bytes: i64) -> f64 {
    let (rows, columns, depth) = schedule.tile;
    let [rows, columns, depth] = [rows, columns, depth].map(|extent| extent as f64);
    let bytes = element_bytes as f64;
    let multiplies = rows * columns * depth * bytes * PRODUCT;
    let loads = (rows + columns) * depth * bytes * LOAD;
    let store = rows * columns * STORE / schedule.teams.max(1) as f64;
    let mut blocks = [0.0_f64; MULTIPROCESSORS];
    let mut next = 0;
    for &product in products {
        let (tiles, steps) = tiles(schedule, product);
        let each = steps as f64 * multiplies.max(loads) + store;
        let count = MULTIPROCESSORS as i64;
        for (place, block) in (0_i64..).zip(&mut blocks) {
            // Tiles of this product that are the block's: those behind the last one of the product before.
            let turn = (place - next).rem_euclid(count);
            let own = (tiles - turn + count - 1).div_euclid(count).max(0);
            *block += own as f64 * each;
        }
        next = (next + tiles).rem_euclid(count);
    }
    blocks.into_iter().fold(0.0, f64::max)
}

/// Tiles of C, and tiles along K of each.
fn tiles(schedule: &Schedule, [m, n, k]: [i64; 3]) -> (i64, i64) {
    let (m, n) = if schedule.exchange { (n, m) } else { (m, n) };
    let cover = |extent: i64, tile: i64| (extent - 1) / tile.max(1) + 1;
    let (rows, columns, depth) = schedule.tile;
    (cover(m, rows).saturating_mul(cover(n, columns)), cover(k, depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(text: &str) -> Schedule {
        text.parse().expect("a schedule")
    }

    /// 133 tiles are two rounds for one block; one of each of 133 products are, too.
    #[test]
    fn the_block_with_the_most_tiles_counts() {
        let schedule = schedule("tile = (128,128,64), warps = (8,1), stages = 4");
        let of = |products: &[[i64; 3]]| cost(&schedule, products, 2);
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
        assert!(cost(&small, &full, 2) > 2.0 * cost(&large, &full, 2));
        let few = [[512, 512, 512]];
        assert!(cost(&small, &few, 2) < cost(&large, &few, 2));
        let across = schedule("tile = (64,16,256), warps = (4,1), stages = 5, exchange = true");
        assert_eq!(tiles(&across, [16, 8192, 512]), (128, 2));
    }
}
