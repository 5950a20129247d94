//! The shared-memory matrices that `wgmma` reads: its canonical layouts, and the descriptor that
//! states which one the instruction reads.
//!
//! With units of 16 bytes of `T` elements and a swizzle over rows of `W` elements (`W = T` for
//! none), the instruction reads element `(r, k)` of a tile of `R` rows and 32 bytes along K at
//!
//! ```text
//! K-major   ((8,R/8),(T,2)) : ((W,stride),(1,leading))        leading = T when swizzled
//! MN-major  ((W,R/W),(8,K/8)) : ((1,leading),(W,stride))      swizzled
//!           ((T,R/T),(8,K/8)) : ((1,stride),(T,leading))      not swizzled
//! ```
//!
//! and passes the address through the swizzle. These are the PTX ISA's "strides" and "canonical
//! layouts" of asynchronous warpgroup matrices; MN-major ones are for 16-bit elements only.

use crate::diagnostics::{codes::Code, violation::Violation};
use layout_algebra::{AnyLayout, Layout};
use std::fmt;

/// Bytes of the unit that swizzles move.
const UNIT_BYTES: i64 = 16;

/// Rows that a swizzle repeats after.
const SWIZZLE_ROWS: i64 = 8;

/// Rows of the largest tile that an instruction reads: `wgmma` with an N of 256.
const MAX_ROWS: i64 = 256;

/// The contiguous mode of an operand in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Major {
    /// The reduction mode.
    K,
    /// M of A, N of B.
    Mn,
}

impl fmt::Display for Major {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::K => "K-major",
            Self::Mn => "MN-major",
        })
    }
}

/// The descriptor of a tile, all in bytes; the start address is added at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMatrix {
    /// The contiguous mode.
    pub major: Major,
    /// Bytes of a swizzled row: 0, 32, 64 or 128.
    pub swizzle: i64,
    /// The leading dimension byte offset.
    pub leading: i64,
    /// The stride dimension byte offset.
    pub stride: i64,
}

impl SharedMatrix {
    /// The descriptor without its start address.
    pub fn descriptor(&self) -> i64 {
        let mode = match self.swizzle {
            128 => 1_i64,
            64 => 2,
            32 => 3,
            _ => 0,
        };
        (mode << 62) | (field(self.stride) << 32) | (field(self.leading) << 16)
    }

    /// Whether a tile may start `offset` bytes past the start of its buffer: the swizzle is of
    /// address bits, so a tile starts in the first row of its period.
    pub fn starts_at(&self, offset: i64) -> bool {
        let row = self.swizzle.max(UNIT_BYTES);
        let remainder = offset.rem_euclid(row * SWIZZLE_ROWS);
        offset % UNIT_BYTES == 0
            && (self.swizzle == 0 || remainder == 0 || (self.major == Major::K && remainder < row))
    }
}

/// Whether `wgmma` reads MN-major tiles of elements of this size: only of 16-bit ones.
pub const fn transposes(element_bytes: i64) -> bool {
    element_bytes == 2
}

/// A byte offset in the 14 bits that a descriptor has for one.
fn field(bytes: i64) -> i64 {
    (bytes / UNIT_BYTES) & 0x3fff
}

/// Bytes of the rows that a layout's swizzle permutes: 0 for none.
///
/// # Errors
///
/// A swizzle that the hardware does not have, with those that it has.
pub(crate) fn swizzle_bytes(layout: &AnyLayout, element_bytes: i64) -> Result<i64, Violation> {
    let AnyLayout::Composed(composed) = layout else { return Ok(0) };
    let base = (UNIT_BYTES / element_bytes).max(1).ilog2();
    let swizzle = composed.swizzle();
    match swizzle {
        Some(s) if s.bits == 0 => Ok(0),
        Some(s) if s.bits <= 3 && s.base == base && s.shift == 3 && composed.offset == 0 => {
            Ok(UNIT_BYTES << s.bits)
        }
        _ => {
            let expected = format!(
                "no swizzle or one of S<1,{base},3>, S<2,{base},3> and S<3,{base},3> with offset \
                 0, as the hardware has for elements of {element_bytes} bytes"
            );
            let bits = swizzle.map_or(3, |s| s.bits.clamp(1, 3));
            Err(refused(expected, layout).hint(format!("S<{bits},{base},3> is the nearest")))
        }
    }
}

/// How `wgmma` reads the tile `(rows, K)` that a layout describes.
///
/// # Errors
///
/// A layout that is not canonical: the first coordinate at which it leaves the canonical form, and
/// a layout that is canonical.
pub fn derive(layout: &AnyLayout, element_bytes: i64) -> Result<SharedMatrix, String> {
    describe(layout, element_bytes).map_err(|violation| violation.with_hint())
}

fn refused(expected: String, found: impl ToString) -> Violation {
    Violation::new(Code::MmaTile, expected, found)
}

/// As [`derive`], for the verifier.
pub(crate) fn describe(layout: &AnyLayout, element_bytes: i64) -> Result<SharedMatrix, Violation> {
    let swizzle = swizzle_bytes(layout, element_bytes)?;
    let tile = layout.inner();
    let modes = tile.modes();
    let [rows, columns] = modes.as_slice() else {
        return Err(refused("a tile (rows,K) of shared memory".to_owned(), layout));
    };
    let (rows, columns) = (rows.size(), columns.size());
    let unit = UNIT_BYTES / element_bytes;
    if columns != 2 * unit || rows % SWIZZLE_ROWS != 0 {
        let expected =
            format!("a tile of a multiple of {SWIZZLE_ROWS} rows and {} along K", 2 * unit);
        return Err(refused(expected, format!("({rows},{columns}) in {layout}")));
    }
    if rows > MAX_ROWS {
        let expected = format!("a tile of at most {MAX_ROWS} rows");
        return Err(refused(expected, format!("{rows} in {layout}")));
    }
    let unlike = |major: Major, expected: String, found: String| {
        let canonical = canonical(major, rows, element_bytes);
        refused(expected, found).hint(format!("use {canonical}"))
    };
    let at = |row: i64, k: i64| tile.at(row + rows * k);
    let major = match (at(1, 0)?, at(0, 1)?) {
        (_, 1) => Major::K,
        (1, _) => Major::Mn,
        (row, k) => {
            let expected = "a stride of 1 along the rows or along K".to_owned();
            return Err(unlike(Major::K, expected, format!("{row} and {k} in {layout}")));
        }
    };
    if major == Major::Mn && !transposes(element_bytes) {
        let expected = format!(
            "a K-major tile for elements of {element_bytes} bytes, which wgmma cannot transpose"
        );
        return Err(unlike(Major::K, expected, format!("a MN-major one in {layout}")));
    }
    let width = (swizzle / element_bytes).max(unit);
    // Strides that the tile is too small to show are not read.
    let (leading, stride) = match (major, swizzle) {
        (Major::K, 0) => (at(0, unit)?, probe(tile, rows, SWIZZLE_ROWS, 0)?),
        (Major::K, _) => (unit, probe(tile, rows, SWIZZLE_ROWS, 0)?),
        (Major::Mn, 0) => (at(0, SWIZZLE_ROWS)?, probe(tile, rows, width, 0)?),
        (Major::Mn, _) => (probe(tile, rows, width, 0)?, at(0, SWIZZLE_ROWS)?),
    };
    for k in 0..columns {
        for row in 0..rows {
            let (inner, outer) = match major {
                Major::K => (row % SWIZZLE_ROWS * width + k % unit, (k / unit, row / SWIZZLE_ROWS)),
                Major::Mn if swizzle == 0 => {
                    (row % width + k % SWIZZLE_ROWS * width, (k / SWIZZLE_ROWS, row / width))
                }
                Major::Mn => {
                    (row % width + k % SWIZZLE_ROWS * width, (row / width, k / SWIZZLE_ROWS))
                }
            };
            let expected = inner + outer.0 * leading + outer.1 * stride;
            let found = at(row, k)?;
            if found != expected {
                let expected = format!(
                    "offset {expected} at row {row} and K {k} of a {major} tile with a swizzle of \
                     {swizzle} bytes"
                );
                return Err(unlike(major, expected, format!("{found} in {layout}")));
            }
        }
    }
    let matrix = SharedMatrix {
        major,
        swizzle,
        leading: leading * element_bytes,
        stride: stride * element_bytes,
    };
    for (name, bytes) in [("leading", matrix.leading), ("stride", matrix.stride)] {
        if bytes < 0 || bytes % UNIT_BYTES != 0 || bytes >= 1 << 18 {
            let expected =
                format!("a {name} byte offset that is a multiple of {UNIT_BYTES} below 2^18");
            return Err(refused(expected, format!("{bytes} in {layout}")));
        }
    }
    Ok(matrix)
}

/// The offset of row `row`; 0 where the tile has no such row.
fn probe(tile: &Layout, rows: i64, row: i64, k: i64) -> Result<i64, Violation> {
    if row >= rows {
        return Ok(0);
    }
    Ok(tile.at(row + rows * k)?)
}

/// A tile that the instruction takes, for messages.
fn canonical(major: Major, rows: i64, element_bytes: i64) -> String {
    let unit = UNIT_BYTES / element_bytes;
    let base = unit.ilog2();
    match major {
        Major::K => {
            let width = 8 * unit;
            format!(
                "S<3,{base},3> o 0 o ((8,{}),{}):(({width},{}),1)",
                rows / SWIZZLE_ROWS,
                2 * unit,
                width * SWIZZLE_ROWS
            )
        }
        Major::Mn => {
            // The widest swizzle whose rows the tile fills.
            let bits = (0..=3_u32).rev().find(|&bits| rows % (unit << bits) == 0).unwrap_or(0);
            let width = unit << bits;
            format!(
                "S<{bits},{base},3> o 0 o (({width},{}),(8,{})):((1,{}),({width},{}))",
                rows / width,
                2 * unit / SWIZZLE_ROWS,
                2 * unit * width,
                width * SWIZZLE_ROWS
            )
        }
    }
}

#[cfg(test)]
#[path = "../../tests/units/atoms/shared_matrix.rs"]
mod tests;
