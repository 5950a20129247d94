//! The schedules that are tried for a problem on a chip.

use crate::{
    chip::Chip,
    problem::{Problem, Product, cover},
    tiling::{Tiling, WARP, WARPGROUP},
};

/// Bytes along K of a tile: those of the widest swizzle.
const DEPTH: i64 = 128;

/// Bytes along K of a stage of narrow tiles, at most, and of all stages.
const DEEPEST: i64 = 512;
const AHEAD: i64 = 2560;

/// Stages at least, of deep ones and of others, and at most.
const STAGES: [i64; 2] = [4, 3];
const MOST_STAGES: i64 = 12;

/// Bytes of shared memory beside the stages: barriers, and for each warpgroup two pieces of C in flight.
const BARRIERS: i64 = 1024;
const PIECES: i64 = 2 * 8192;

/// Registers of a thread of several warpgroups, of one, and beside its sums.
const REGISTERS: [i64; 2] = [232, 255];
const BESIDE_SUMS: i64 = 48;

/// Rows of a tile, warps along M, and sets of these.
const ROWS: [(i64, i64, i64); 5] = [(64, 4, 1), (128, 8, 1), (256, 8, 1), (128, 4, 2), (64, 4, 2)];

/// Rows of a product whose operands are swapped so that its few rows are columns of narrow tiles, and columns of these, at
/// most.
const FEW_ROWS: i64 = 96;
const NARROW: i64 = 64;

/// The copy that fetches operands element by element, where that is needed.
const GATHERED: Tiling = Tiling {
    tile: (32, 32, 64),
    warps: (2, 2),
    stages: 4,
    swap_ab: false,
    cluster: (1, 1),
    split_k: 1,
    stream_k: None,
    ping_pong: 1,
};

/// Slices of K that are tried.
const PARTS: [i64; 13] = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 64];

/// Clusters that are tried, and tiles from which on.
const CLUSTERS: [(i64, i64); 2] = [(2, 1), (1, 2)];
const CLUSTERED: i64 = 8;

/// Rounds of tiles up to which blocks may share their steps along K.
const SHARED_ROUNDS: i64 = 12;

/// All of them, in a fixed order. `has_atom` says whether the chip multiplies tiles of so many columns at once.
pub fn tilings(chip: &Chip, problem: &Problem, has_atom: &dyn Fn(i64) -> bool) -> Vec<Tiling> {
    let Product { extents: [m, n, k], batch } = problem.largest();
    let bytes = problem.bytes.max(1);
    let depth = DEPTH / bytes;
    let [a, b] = problem.operands;
    let mut found = Vec::new();
    // Where operands would be copied first, a small product is done before.
    if (a.copied || b.copied) && bytes == 2 && problem.factors == 1 {
        found.push(GATHERED);
    }
    let far = a.across || b.across;
    // The compiler swaps no operands beside a second B, and adds no partial sums of two products.
    let factors = problem.factors;
    let alone = factors == 1;
    for swap_ab in [false, true].into_iter().filter(|&swap_ab| alone || !swap_ab) {
        let (rows, columns) = if swap_ab { (n, m) } else { (m, n) };
        let few = columns <= FEW_ROWS;
        if swap_ab && !few && !problem.turned_c {
            continue;
        }
        // The operand along N of the tile is contiguous along it, or along K.
        let outer = if swap_ab { a.outer } else { b.outer };
        for width in (8..=256).step_by(8) {
            let usual = width % 16 == 0 || (few && width < 48);
            let covers = width <= 16 || width < columns.saturating_mul(2);
            let swizzled = !outer || width % 64 == 0;
            let narrow = !swap_ab || problem.turned_c || width <= NARROW;
            if !(usual && covers && swizzled && narrow && has_atom(width * factors)) {
                continue;
            }
            for (height, warps, sets) in ROWS {
                let threads = warps * WARP;
                let groups = warps / WARPGROUP * sets;
                let registers = REGISTERS[usize::from(groups != 2)];
                let long = height > 64 && height >= rows.saturating_mul(2);
                if height * width * factors / threads + BESIDE_SUMS > registers || long {
                    continue;
                }
                let tiles = cover(rows, height).saturating_mul(cover(columns, width));
                let all = tiles.saturating_mul(batch);
                // As many rounds as there are sets, at least.
                if sets > 1 && all <= chip.multiprocessors {
                    continue;
                }
                let space = chip.shared_bytes - BARRIERS - PIECES * groups.min(2);
                let deeper = if width <= NARROW && height == 64 { DEEPEST } else { DEPTH };
                for factor in [1, 2, 4].into_iter().filter(|factor| factor * DEPTH <= deeper) {
                    let along = depth * factor;
                    let stage = (height + width * factors) * along * bytes;
                    let stages = (space / stage).min(AHEAD / (along * bytes)).min(MOST_STAGES);
                    if stages < STAGES[usize::from(factor == 1)]
                        || (factor > 1 && along >= k.saturating_mul(2))
                    {
                        continue;
                    }
                    let plain = Tiling {
                        tile: (height, width, along),
                        warps: (warps, 1),
                        stages,
                        swap_ab,
                        cluster: (1, 1),
                        split_k: 1,
                        stream_k: None,
                        ping_pong: sets,
                    };
                    let fits = |&(cm, cn): &(i64, i64)| {
                        cover(rows, height) >= cm && cover(columns, width) >= cn
                    };
                    // Ping-pong consumers would wait for those of another block.
                    if far || (all >= CLUSTERED && sets == 1) {
                        let clusters = CLUSTERS.into_iter().filter(fits);
                        found.extend(clusters.map(|cluster| Tiling { cluster, ..plain }));
                    }
                    let steps = cover(k, along);
                    let apart = problem.sums_of_f32 && sets == 1 && alone;
                    let parts = PARTS.into_iter().filter(|&parts| {
                        let turns = all.saturating_mul(parts);
                        apart && 2 * parts <= steps && turns <= 2 * chip.multiprocessors
                    });
                    found.extend(parts.map(|split_k| Tiling { split_k, ..plain }));
                    let rounds = (chip.multiprocessors + 1)..=SHARED_ROUNDS * chip.multiprocessors;
                    if apart
                        && batch == 1
                        && all % chip.multiprocessors != 0
                        && rounds.contains(&all)
                    {
                        found.push(Tiling { stream_k: Some(chip.multiprocessors), ..plain });
                    }
                    found.push(plain);
                }
            }
        }
    }
    found
}
