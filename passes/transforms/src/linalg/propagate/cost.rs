//! The time of a copy of an operand, and of loads that are no vectors, in microseconds.
//!
//! | | time |
//! |---|---|
//! | a copy | that of a launch, and of its bytes, twice, through memory |
//! | loads of single elements | a sector of the L2 cache each |
//!
//! A size that is known at run time only counts as [`UNKNOWN`].

use super::{moves::Move, structured::Structured};
use crate::linalg::contraction::{buffer, element};
use layout_dialect::{build::first_result, element_bytes};
use layout_schedule::Chip;

/// The size that is computed with where none is known.
pub(super) const UNKNOWN: i64 = 512;

/// Bytes that a load of one element moves.
const SECTOR: f64 = 32.0;

/// Bytes of a load that is a vector.
const VECTOR: i64 = 16;

/// Rows and columns of a tile: how often an operand is read is the other's extent by this.
const TILE: i64 = 128;

/// The time of making a copy.
pub(super) fn copy(copy: &Move<'_>, chip: &Chip) -> f64 {
    let bytes = bytes(first_result(copy.operation));
    let rate = chip.memory_bytes_per_us / chip.constants.memory;
    chip.constants.copy + 2.0 * bytes / rate
}

fn bytes(tensor: layout_dialect::build::Val<'_>) -> f64 {
    let Ok(found) = buffer(tensor) else { return 0.0 };
    let count = found.extents().iter().fold(1.0, |all, n| all * n.unwrap_or(UNKNOWN) as f64);
    count * element_bytes(found.element_type()).unwrap_or(1) as f64
}

/// The time of an operand's loads, where they are no vectors; 0 where they are.
pub(super) fn strided(own: &Structured<'_>, number: usize, chip: &Chip) -> f64 {
    let map = &own.maps[number];
    let size = |d: usize| own.sizes[d].unwrap_or(UNKNOWN);
    let element = element(own.operands[number]).ok().and_then(element_bytes).unwrap_or(1);
    // The innermost dimension of several elements.
    let is_one = |result: &&layout_dialect::affine::Linear| {
        !(result.constant == 0 && result.terms.iter().all(|&(d, _)| size(d) == 1))
    };
    let innermost = map.results.iter().rev().find(is_one);
    let is_wide = match innermost.map(|result| result.dimension()) {
        None => true,
        Some(None) => false,
        Some(Some(d)) => {
            let is_batch = own.maps.iter().all(|map| structured_has(map, d));
            let bytes = size(d).saturating_mul(element);
            !is_batch && own.sizes[d].is_some() && bytes >= VECTOR && bytes % VECTOR == 0
        }
    };
    if is_wide {
        return 0.0;
    }
    let (mut loads, mut others) = (1.0, 1.0);
    for d in 0..own.sizes.len() {
        let mine = structured_has(map, d);
        let all = own.maps.iter().all(|map| structured_has(map, d));
        match (mine, all) {
            (true, _) => loads *= size(d) as f64,
            (false, _) => others *= size(d) as f64,
        }
    }
    let again = (others / TILE as f64).ceil().max(1.0);
    let rate = chip.loads_per_us() * chip.multiprocessors as f64 / chip.constants.level_2;
    loads * again * SECTOR / rate
}

fn structured_has(map: &layout_dialect::affine::IndexingMap, d: usize) -> bool {
    map.results.iter().any(|result| result.terms.iter().any(|&(own, _)| own == d))
}
