//! Schedules that a product on warpgroups may have beside those that were measured at its size: tiles of every
//! width that fits, with parts of K, clusters and teams where they may pay. Which of them is taken, [`super::cost`]
//! says.

use super::{Problem, element_bytes};
use layout_dialect::{atoms, schedule::Schedule};

/// Multiprocessors of an H200, for which the rates of [`super::cost`] hold.
pub(crate) const MULTIPROCESSORS: i64 = 132;

/// Bytes along K of a tile: those of the widest swizzle.
const DEPTH: i64 = 128;

/// Bytes along K of a stage of narrow tiles, at most, and of all stages.
const DEEPEST: i64 = 512;
const AHEAD: i64 = 2560;

/// Stages at most, and at least.
const STAGES: (i64, i64) = (4, 12);

/// Bytes of shared memory beside the stages: barriers, and for each warpgroup two pieces of C on their way.
const BARRIERS: i64 = 1024;
const PIECES: i64 = 2 * 8192;

/// Rows of a tile, warps along M, and teams.
const ROWS: [(i64, i64, i64); 5] = [(64, 4, 1), (128, 8, 1), (256, 8, 1), (128, 4, 2), (64, 4, 2)];

/// Rows of a product whose operands are exchanged so that its few rows are columns of narrow tiles, and columns
/// of these, at most.
const FEW_ROWS: i64 = 96;
const NARROW: i64 = 64;

/// What fetches operands element by element, where that is needed.
const GATHERED: &str = "tile = (32,32,64), warps = (2,2), stages = 4";

/// Parts of K that are tried.
const PARTS: [i64; 13] = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 64];

/// Clusters that are tried where rows lie across cache lines.
const CLUSTERS: [(i64, i64); 2] = [(2, 1), (1, 2)];

/// All of them, in a fixed order.
pub(super) fn schedules(problem: &Problem) -> Vec<Schedule> {
    let bytes = element_bytes(&problem.element);
    let limit = atoms::shared_limit(&problem.chip).unwrap_or(0);
    let depth = DEPTH / bytes;
    let [m, n, k] = problem.extents;
    let mut found = Vec::new();
    // Where operands would be copied first, a small product is done before.
    if problem.copied != [false; 2] && bytes == 2 {
        let text = format!("{GATHERED}, chip = \"{}\"", problem.chip);
        found.extend(text.parse::<Schedule>());
    }
    for exchange in [false, true] {
        let (rows, columns) = if exchange { (n, m) } else { (m, n) };
        let few = columns <= FEW_ROWS;
        if exchange && !few && !problem.turned_c {
            continue;
        }
        // What stands along N of the tile is contiguous along it, or along K.
        let outer = if exchange { problem.outer[0] } else { problem.outer[1] };
        for width in (8..=256).step_by(8) {
            let usual = width % 16 == 0 || (few && width < 48);
            let covers = width <= 16 || width < 2 * columns;
            let swizzled = !outer || width % 64 == 0;
            let narrow = !exchange || problem.turned_c || width <= NARROW;
            let has_atom = atoms::for_warpgroup(&problem.element, width).is_some();
            if !(usual && covers && swizzled && narrow && has_atom) {
                continue;
            }
            for (height, warps, teams) in ROWS {
                let threads = warps * atoms::WARP;
                let sums = height * width / threads;
                let most = if threads * teams == 2 * atoms::WARPGROUP { 232 } else { 255 };
                if sums + atoms::BESIDE_ACCUMULATORS > most || (height > 64 && height >= 2 * rows) {
                    continue;
                }
                let tiles = cover(rows, height).saturating_mul(cover(columns, width));
                // As many rounds as there are teams, at least.
                if teams > 1 && tiles.saturating_mul(problem.batch) <= MULTIPROCESSORS {
                    continue;
                }
                let groups = threads / atoms::WARPGROUP * teams;
                let space = limit - BARRIERS - PIECES * groups.min(2);
                let deeper = if width <= NARROW && height == 64 { DEEPEST } else { DEPTH };
                for factor in [1, 2, 4].into_iter().filter(|factor| factor * DEPTH <= deeper) {
                    let along = depth * factor;
                    if factor > 1 && along >= 2 * k {
                        continue;
                    }
                    let stage = (height + width) * along * bytes;
                    let stages = (space / stage).min(AHEAD / (along * bytes)).min(STAGES.1);
                    if stages < STAGES.0 {
                        continue;
                    }
                    let schedule = Schedule {
                        tile: (height, width, along),
                        warps: (warps, 1),
                        stages,
                        mma: None,
                        promote: false,
                        swap_ab: exchange,
                        cluster: (1, 1),
                        split_k: 1,
                        stream_k: None,
                        ping_pong: teams,
                        epilogue_stages: None,
                        raster: None,
                        chip: problem.chip.clone(),
                    };
                    let steps = cover(k, along);
                    if problem.across != [false; 2] {
                        let fits = |&(cm, cn): &(i64, i64)| {
                            cover(rows, height) >= cm && cover(columns, width) >= cn
                        };
                        let clusters = CLUSTERS.into_iter().filter(fits);
                        found.extend(
                            clusters.map(|cluster| Schedule { cluster, ..schedule.clone() }),
                        );
                    }
                    let parts = PARTS.into_iter().filter(|&parts| {
                        problem.sums_of_f32
                            && teams == 1
                            && 2 * parts <= steps
                            && tiles.saturating_mul(problem.batch).saturating_mul(parts)
                                <= 2 * MULTIPROCESSORS
                    });
                    found.extend(parts.map(|split_k| Schedule { split_k, ..schedule.clone() }));
                    found.push(schedule);
                }
            }
        }
    }
    found
}

/// Whether a schedule is for warpgroups.
pub(super) fn has_warpgroups(schedule: &Schedule) -> bool {
    schedule.warps.0 % (atoms::WARPGROUP / atoms::WARP) == 0
}

/// How many tiles cover an extent.
pub(super) fn cover(extent: i64, tile: i64) -> i64 {
    (extent - 1) / tile.max(1) + 1
}

/// What is taken for elements and a chip of which nothing is known: warps that multiply for themselves.
pub(super) fn usual(problem: &Problem) -> Result<Schedule, String> {
    let depth = match element_bytes(&problem.element) {
        1 => 64,
        2 => 32,
        _ => 16,
    };
    let tiles = |&[m, n, _]: &[i64; 3]| cover(m, 128).saturating_mul(cover(n, 128));
    let tiles = match problem.products.as_slice() {
        [] => tiles(&problem.extents),
        several => several.iter().fold(0, |all: i64, one| all.saturating_add(tiles(one))),
    };
    let large = tiles >= MULTIPROCESSORS / 2;
    let side = if large && depth > 16 { 128 } else { 64 };
    let text = format!(
        "tile = ({side},{side},{depth}), warps = (2,2), stages = 3, chip = \"{}\"",
        problem.chip
    );
    text.parse().map_err(|error| format!("the usual schedule: {error}"))
}

/// What is left where nothing else fits: warps that multiply for themselves, in tiles that grow smaller.
pub(super) fn smallest(problem: &Problem) -> Vec<Schedule> {
    let tiles = [
        "tile = (64,64,64), warps = (2,2), stages = 3",
        "tile = (64,64,32), warps = (2,2), stages = 3",
        "tile = (64,64,16), warps = (2,2), stages = 2",
        "tile = (32,32,32), warps = (1,2), stages = 2",
        "tile = (32,32,16), warps = (1,2), stages = 2",
        "tile = (16,16,32), warps = (1,1), stages = 2",
        "tile = (16,16,16), warps = (1,1), stages = 2",
    ];
    let parsed = tiles.iter().map(|tile| format!("{tile}, chip = \"{}\"", problem.chip).parse());
    parsed.filter_map(Result::ok).collect()
}
