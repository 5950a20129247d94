//! The tiles of shared memory that `wgmma` multiplies, as descriptors name them: units of 16 bytes, swizzled or not.

use super::{machine::Machine, multiplicands::Multiplicand};

/// Bytes of a row that are multiplied for an element.
pub(super) const DEPTH_BYTES: usize = 32;

/// Elements of 16 bits that are multiplied for an element: only these may be transposed.
const TRANSPOSED_DEPTH: u64 = 16;

/// Bytes that a descriptor moves together.
pub(super) const UNIT: u64 = 16;

/// Bits of an address that a descriptor holds.
const ADDRESS: u64 = (1 << 18) - 1;

/// A unit of a tile in shared memory: where it is, its first row, its first column along K.
pub(super) struct Unit {
    pub(super) offset: u64,
    pub(super) row: usize,
    column: usize,
}

/// The units, of `elements` each, of the tile of `rows` rows that a descriptor describes; `first` is the address of a block's memory.
fn units(
    descriptor: u64,
    (rows, elements): (usize, u64),
    is_transposed: bool,
    first: u64,
) -> Vec<Unit> {
    let field = |at: u32| (descriptor >> at & 0x3fff) * UNIT;
    let (leading, stride) = (field(16), field(32));
    let width = match descriptor >> 62 {
        1 => 128,
        2 => 64,
        3 => 32,
        _ => UNIT,
    };
    let start = (field(0).wrapping_sub(first)) & ADDRESS;
    let mask = width / UNIT - 1;
    let wide = width / UNIT;
    let unit = |linear: u64, row: u64, column: u64| Unit {
        offset: linear ^ ((linear >> 7 & mask) << 4),
        row: row as usize,
        column: column as usize,
    };
    let (rows, depth) = (rows as u64, TRANSPOSED_DEPTH);
    if is_transposed {
        let all = (0..rows / 8).flat_map(|block| (0..depth).map(move |k| (block, k)));
        return all
            .map(|(block, k)| {
                let linear = match wide {
                    1 => block * stride + k % 8 * UNIT + k / 8 * leading,
                    _ => {
                        block % wide * UNIT
                            + block / wide * leading
                            + k % 8 * width
                            + k / 8 * stride
                    }
                };
                unit(start + linear, 8 * block, k)
            })
            .collect();
    }
    let across = if wide == 1 { leading } else { UNIT };
    let all = (0..rows).flat_map(|row| (0..2).map(move |half| (row, half)));
    all.map(|(row, half)| {
        unit(start + row % 8 * width + row / 8 * stride + half * across, row, elements * half)
    })
    .collect()
}

/// The elements of a tile, row by row: what is multiplied for an element is a row.
pub(super) struct Tile {
    of: Multiplicand,
    rows: usize,
    depth: usize,
    elements: Vec<f32>,
}

impl Tile {
    pub(super) fn new(rows: usize, of: Multiplicand) -> Self {
        let depth = DEPTH_BYTES / of.bytes();
        Self { of, rows, depth, elements: vec![0.0; rows * depth] }
    }

    /// A row; nothing past the last.
    pub(super) fn row(&self, row: usize) -> &[f32] {
        self.elements.get(row * self.depth..(row + 1) * self.depth).unwrap_or(&[])
    }

    /// Sets an element, if there is one.
    pub(super) fn set(&mut self, row: usize, column: usize, value: f32) {
        let place = self.elements.get_mut(row * self.depth + column);
        if let Some(place) = place.filter(|_| column < self.depth) {
            *place = value;
        }
    }
}

impl Machine {
    /// Loads a tile; the units that it is of, or none and a fault.
    pub(super) fn load_tile(
        &mut self,
        descriptor: u64,
        tile: &mut Tile,
        is_transposed: bool,
        (thread, site): (usize, u32),
    ) -> Option<Vec<Unit>> {
        let first = self.shared_first();
        let each = tile.of.bytes();
        let elements = UNIT / each as u64;
        let units = units(descriptor, (tile.rows, elements), is_transposed, first);
        for unit in &units {
            let end = unit.offset + UNIT;
            if end > self.shared_bytes as u64 {
                self.current = thread;
                self.stop(site, format!(
                    "expected a tile within {} bytes of shared memory, found one with bytes up to {end}",
                    self.shared_bytes
                ));
                return None;
            }
            // SAFETY: the unit is in the block's memory.
            let bytes = unsafe {
                std::ptr::read_unaligned((first + unit.offset) as *const [u8; UNIT as usize])
            };
            for (at, element) in bytes.chunks_exact(each).enumerate() {
                let (row, column) = if is_transposed {
                    (unit.row + at, unit.column)
                } else {
                    (unit.row, unit.column + at)
                };
                tile.set(row, column, tile.of.single(element));
            }
        }
        Some(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_a_swizzled_tile_stay_in_their_rows() {
        // 64 rows of 128 bytes, at the second 16 columns.
        let descriptor = 1 << 62 | (1024 / UNIT) << 32 | ((4096 + 32) / UNIT);
        let all = units(descriptor, (64, 8), false, 4096);
        assert_eq!((all[0].offset, all[1].offset), (32, 48));
        // Row 9: the second group of eight, units exchanged with their neighbours.
        assert_eq!(
            (all[18].row, all[18].offset, all[19].offset),
            (9, 1024 + 128 + 48, 1024 + 128 + 32)
        );
    }

    #[test]
    fn units_of_a_transposed_tile_go_along_its_rows() {
        let descriptor = 1 << 62 | (1024 / UNIT) << 32 | (8192 / UNIT) << 16;
        let all = units(descriptor, (128, 8), true, 0);
        let at = |row, column| all.iter().find(|unit| (unit.row, unit.column) == (row, column));
        assert_eq!(at(8, 0).map(|unit| unit.offset), Some(16));
        assert_eq!(at(8, 1).map(|unit| unit.offset), Some(128));
        assert_eq!(at(64, 0).map(|unit| unit.offset), Some(8192));
        assert_eq!(at(0, 8).map(|unit| unit.offset), Some(1024));
    }
}
