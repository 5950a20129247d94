//! Schedules of mixed-input matmuls, whose narrower operand warps convert in registers.
//!
//! A tile is as high as the other operand where that has few rows, and all warps lie along the narrower one: each of its elements
//! is read from memory and converted once, by one warp.

use super::Problem;
use layout_dialect::schedule::Schedule;
use layout_schedule::{Chip, problem::cover};

/// Rows of a tile along the operand that is not converted, and of the other one, the best first.
const FEW: [i64; 3] = [16, 32, 64];
const MANY: [i64; 2] = [128, 64];

/// Steps along K that a block has at least where several share a tile.
const LEAST_STEPS: i64 = 8;

/// The schedules of a problem, the best first.
pub(super) fn schedules(problem: &Problem, converted: usize) -> Vec<Schedule> {
    const DEPTH: i64 = 64;
    let [m, n, k] = problem.extents;
    let (few, many) = if converted == 0 { (n, m) } else { (m, n) };
    let height = FEW.into_iter().find(|height| few <= *height).unwrap_or(FEW[FEW.len() - 1]);
    let blocks = Chip::named(&problem.chip).map_or(1, |chip| chip.multiprocessors);
    let mut all = Vec::new();
    for width in MANY.into_iter().filter(|width| *width < 2 * many.max(1)) {
        let tiles = cover(few, height).saturating_mul(cover(many, width));
        let tiles = tiles.saturating_mul(problem.batch.max(1)).max(1);
        let most = cover(k, DEPTH) / LEAST_STEPS;
        let split = if problem.sums_of_f32 { (blocks / tiles).clamp(1, most.max(1)) } else { 1 };
        let (tile, warps) = match converted {
            0 => (format!("({width},{height},{DEPTH})"), "(4,1)"),
            _ => (format!("({height},{width},{DEPTH})"), "(1,4)"),
        };
        for split in [split, 1].into_iter().take(if split == 1 { 1 } else { 2 }) {
            let split = if split == 1 { String::new() } else { format!("split_k = {split}, ") };
            let text = format!(
                "tile = {tile}, warps = {warps}, stages = 4, {split}chip = \"{}\"",
                problem.chip
            );
            all.extend(text.parse::<Schedule>().ok());
        }
    }
    all
}
