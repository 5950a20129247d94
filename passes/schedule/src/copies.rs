//! Decides which operands that TMA cannot load are copied before the kernel.
//!
//! TMA takes as long for a short inner dimension of a box as for a long one: where that is more than the math, and than
//! a copy would take, the operand is copied first.

use crate::{
    chip::Chip,
    model,
    problem::{GemmShape, Problem, cover},
    tiling::Tiling,
};

/// The most bytes of a row of a box: those of the widest swizzle.
pub const MAX_ROW_BYTES: i64 = 128;

/// Microseconds that the copy engine of a multiprocessor takes for a row of a box, however short it is: at 4096x4096x4096 in
/// bf16, tiles of 128x256, rows of 16 bytes took 717 µs on an H200, of 32 bytes 397, of 64 bytes 204, and of 128 bytes, as
/// without blocks, 172, where MMAs take all of the time.
pub const ROW: f64 = ROW_PICOSECONDS as f64 * 1e-6;

/// [`ROW`] in picoseconds.
pub const ROW_PICOSECONDS: u64 = 1000;

/// The time of whole rows of the first operand and of the second: blocks that run at the same time are neighbours along M, so
/// that they read the same tile of the second. With 17 problems in blocks on an H200, each with every choice of copies (run
/// `2026-11-22-launches/0`), the fastest is chosen of 16; of the last it is 5 % faster.
const WHOLE_ROW: [f64; 2] = [1.8e-3, 0.9e-3];

/// Microseconds that a copy takes before the matmul, and for each byte: of both operands there, 45 µs.
const COPY: f64 = 2.92;
const COPIED_BYTE: f64 = 0.58e-6;

/// Which of A and B to copy although bulk copies take them, in rows of `widths` bytes in shared memory: nothing if rows
/// are whole. `sizes` are the bytes of each in memory.
#[must_use]
pub fn short_rows(
    chip: &Chip,
    tiling: &Tiling,
    problem: &Problem,
    widths: [Option<i64>; 2],
    sizes: [f64; 2],
) -> [bool; 2] {
    let GemmShape { extents: [m, n, k], batch } = problem.largest();
    let (bm, bn, bk) = tiling.tile;
    let (cm, cn) = tiling.cluster;
    let parts = tiling.split_k;
    if [m, n, k, bm, bn, bk, cm, cn, parts].into_iter().any(|extent| extent < 1) {
        return [false; 2];
    }
    let tiles = (cover(m, bm) as f64) * (cover(n, bn) as f64) * (batch as f64) * (parts as f64);
    let turns = (tiles / chip.multiprocessors as f64).ceil();
    let steps = turns * (cover(k, bk) as f64 / parts as f64).ceil();
    let gemms = model::multiplied(chip, tiling, problem);
    // Blocks of a cluster along N load A for each other, and along M B.
    let lines = [(bm, cn), (bn, cm)];
    let is_short =
        |place: usize| widths[place].filter(|&width| (1..MAX_ROW_BYTES).contains(&width));
    let time = |copied: [bool; 2]| {
        let (mut loads, mut copies) = (0.0, 0.0);
        for (place, (lines, share)) in lines.into_iter().enumerate() {
            let (width, row) = match is_short(place).filter(|_| !copied[place]) {
                Some(width) => (width, ROW),
                None => (MAX_ROW_BYTES, WHOLE_ROW[place]),
            };
            loads += (lines * bk * problem.bytes) as f64 / width as f64 / share as f64 * row;
            if copied[place] {
                copies += COPY + sizes[place] * COPIED_BYTE;
            }
        }
        steps * f64::max(gemms, loads) + copies
    };
    let choices = [[false, false], [true, false], [false, true], [true, true]];
    let allowed =
        choices.into_iter().filter(|choice| (0..2).all(|i| is_short(i).is_some() || !choice[i]));
    // The first of those that take as long, which has the fewest copies.
    allowed.min_by(|&a, &b| time(a).total_cmp(&time(b))).unwrap_or_default()
}
