//! The schedules that are tried for a problem on a chip.

use crate::{
    chip::Chip,
    piece,
    problem::{GemmShape, Problem, cover},
    tiling::{Tiling, WARP, WARPGROUP},
};

/// Bytes along K of a tile: those of the widest swizzle.
const DEPTH: i64 = 128;

/// Bytes along K of a stage of narrow tiles, at most, and of all stages.
const MAX_STAGE_BYTES: i64 = 512;
const MAX_PREFETCH_BYTES: i64 = 2560;

/// Stages at least, of deep ones and of others, and at most.
const STAGES: [i64; 2] = [4, 3];
const MAX_STAGES: i64 = 12;

/// Bytes of shared memory beside the stages: barriers, and the pieces of C in flight, of so many rows and at most so many bytes in
/// a row, for one warpgroup, for two, and for three.
const BARRIERS: i64 = 1024;
const PIECE: (i64, i64) = (64, 128);
const PIECES: [i64; 3] = [2, 4, 3];

/// Registers that a thread has for accumulators, of one warpgroup, of two, and of three.
const ACCUMULATORS: [i64; 3] = [207, 184, 102];

/// Rows of a tile, warps along M and N, and sets of these.
const ROWS: [(i64, (i64, i64), i64); 7] = [
    (64, (4, 1), 1),
    (128, (8, 1), 1),
    (192, (12, 1), 1),
    (192, (4, 2), 1),
    (256, (8, 1), 1),
    (128, (4, 1), 2),
    (64, (4, 1), 2),
];

/// Rows of a GEMM whose operands are swapped so that its few rows are columns of narrow tiles, and columns of these, at
/// most.
const FEW_ROWS: i64 = 96;
const NARROW: i64 = 64;

/// The fewest columns of swapped tiles of three warpgroups.
const MIN_SWAPPED_COLUMNS: i64 = 144;

/// The tiling of the copy that gathers operands element by element, where that is needed.
const GATHER_TILING: Tiling = Tiling {
    tile: (32, 32, 64),
    warps: (2, 2),
    stages: 4,
    swap_ab: false,
    cluster: (1, 1),
    split_k: 1,
    stream_k: None,
    ping_pong: 1,
};

/// The numbers of slices of K that are tried.
const SPLITS: [i64; 13] = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 64];

/// Clusters that are tried, and tiles from which on; those of four where all blocks run at once.
const CLUSTERS: [(i64, i64); 5] = [(2, 1), (1, 2), (2, 2), (4, 1), (1, 4)];
const CLUSTERED: i64 = 8;

/// Lines of a tile that a block of a cluster loads for the others are a multiple of these, the rows of a swizzle; where these lie
/// along the lines, a block loads whole boxes of so many, or part of one; where a step is several swizzles deep, whole boxes too.
const LINES: i64 = 8;
const BOX: i64 = 64;

/// Rounds of tiles up to which blocks may share their steps along K.
const SHARED_ROUNDS: i64 = 12;

/// All candidates, in a fixed order. `has_atom` states whether the chip multiplies tiles of this number of columns at
/// once.
pub fn tilings(chip: &Chip, problem: &Problem, has_atom: &dyn Fn(i64) -> bool) -> Vec<Tiling> {
    let GemmShape { extents: [m, n, k], batch } = problem.largest();
    let bytes = problem.bytes.max(1);
    let depth = DEPTH / bytes;
    let [a, b] = problem.operands;
    let mut found = Vec::new();
    // Where operands would be copied first, a small GEMM is done before.
    if (a.copied || b.copied) && bytes == 2 && problem.factors == 1 {
        found.push(GATHER_TILING);
    }
    let far = a.across || b.across;
    // The compiler swaps no operands beside a second B, and adds no partial results of two GEMMs.
    let factors = problem.factors;
    let alone = factors == 1;
    for swap_ab in [false, true].into_iter().filter(|&swap_ab| alone || !swap_ab) {
        let (rows, columns) = if swap_ab { (n, m) } else { (m, n) };
        let few = columns <= FEW_ROWS;
        // Other results than those of 16 bits are stored by each thread if rows of the tile are contiguous in C.
        let staged = problem.turned_c || (problem.bulk_stores && problem.result_bytes == 2);
        if swap_ab && !few && !staged {
            continue;
        }
        // The operand along N of the tile is contiguous along it, or along K.
        let (outer_rows, outer) = if swap_ab { (b.outer, a.outer) } else { (a.outer, b.outer) };
        for width in (8..=256).step_by(8) {
            let usual = width % 16 == 0 || swap_ab || (few && width < 48);
            let covers = width <= 16 || width < columns.saturating_mul(2);
            let swizzled = !outer || width % 64 == 0;
            let narrow = !swap_ab || staged || width <= NARROW;
            if !(usual && covers && swizzled && narrow && has_atom(width * factors)) {
                continue;
            }
            let piece = match swap_ab == problem.turned_c {
                true => piece::across(width, PIECE.1 / problem.result_bytes.max(1)),
                false => piece::along(width),
            };
            for (height, warps, sets) in ROWS {
                let place = |groups: i64| usize::try_from(groups.clamp(1, 3) - 1).unwrap_or(0);
                let has_room = |groups: i64, sets: i64| {
                    let accumulators = height * width * factors / (groups * WARPGROUP * WARP);
                    accumulators <= ACCUMULATORS[place(groups * sets)]
                };
                let groups = warps.0 * warps.1 / WARPGROUP;
                let long = height > 64 && height >= rows.saturating_mul(2);
                // Side by side, two warpgroups have room for more columns than three have.
                let several_columns = warps.1 > 1;
                let whole = !several_columns || (width % 16 == 0 && !outer && !has_room(3, 1));
                // Few columns of swapped tiles feed three warpgroups badly.
                let fed = !swap_ab || groups < 3 || width >= MIN_SWAPPED_COLUMNS;
                if long || !whole || !fed || !has_room(groups, sets) {
                    continue;
                }
                let groups = groups * sets;
                let tiles = cover(rows, height).saturating_mul(cover(columns, width));
                let all = tiles.saturating_mul(batch);
                // As many rounds as there are sets, at least; the store of a swapped tile is not overlapped by another set.
                if sets > 1 && (swap_ab || all <= chip.multiprocessors) {
                    continue;
                }
                let row = (piece * problem.result_bytes).min(PIECE.1);
                let space = chip.shared_bytes - BARRIERS - PIECE.0 * row * PIECES[place(groups)];
                let deeper = if width <= NARROW && height == 64 { MAX_STAGE_BYTES } else { DEPTH };
                for factor in [1, 2, 4].into_iter().filter(|factor| factor * DEPTH <= deeper) {
                    let along = depth * factor;
                    let stage = (height + width * factors) * along * bytes;
                    let stages =
                        (space / stage).min(MAX_PREFETCH_BYTES / (along * bytes)).min(MAX_STAGES);
                    if stages < STAGES[usize::from(factor == 1 && !several_columns)]
                        || (factor > 1 && along >= k.saturating_mul(2))
                    {
                        continue;
                    }
                    let plain = Tiling {
                        tile: (height, width, along),
                        warps,
                        stages,
                        swap_ab,
                        cluster: (1, 1),
                        split_k: 1,
                        stream_k: None,
                        ping_pong: sets,
                    };
                    let fits = |&(cm, cn): &(i64, i64)| {
                        let parts =
                            |lines: i64, blocks: i64, outer: bool| match outer && lines > BOX {
                                true => lines / BOX % blocks == 0,
                                false => {
                                    let whole = outer || factor == 1 || factor % blocks == 0;
                                    lines % (LINES * blocks) == 0 && whole
                                }
                            };
                        let blocks = cm * cn;
                        cover(rows, height) >= cm
                            && cover(columns, width) >= cn
                            && parts(width, cm, outer)
                            && parts(height, cn, outer_rows)
                            && (blocks == 2 || (sets == 1 && all <= chip.blocks_at_once(blocks)))
                    };
                    if far || all >= CLUSTERED {
                        let clusters = CLUSTERS.into_iter().filter(fits);
                        found.extend(clusters.map(|cluster| Tiling { cluster, ..plain }));
                    }
                    let steps = cover(k, along);
                    let two_levels = problem.sums_of_f32 && sets == 1 && alone;
                    let parts = SPLITS.into_iter().filter(|&parts| {
                        let turns = all.saturating_mul(parts);
                        two_levels && 2 * parts <= steps && turns <= 2 * chip.multiprocessors
                    });
                    found.extend(parts.map(|split_k| Tiling { split_k, ..plain }));
                    let rounds = (chip.multiprocessors + 1)..=SHARED_ROUNDS * chip.multiprocessors;
                    if two_levels
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
