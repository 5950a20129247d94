//! The pieces of C that a warpgroup stores at once through shared memory: so many of a tile's columns.

/// Columns of a piece that is contiguous along columns, of `most` at most: the largest power of two that divides a tile's, a
/// row of a swizzle.
#[must_use]
pub fn across(columns: i64, most: i64) -> i64 {
    (columns & columns.wrapping_neg()).min(most)
}

/// Columns of a piece that is contiguous along rows: the most that divide a tile's, are not too many for two buffers of each
/// warpgroup, and where that is possible are whole pairs of matrices of 8 columns.
#[must_use]
pub fn along(columns: i64) -> i64 {
    const MOST: i64 = 64;
    let divides =
        |unit: i64| (1..=MOST / unit).rev().map(|count| count * unit).find(|of| columns % of == 0);
    divides(16).or_else(|| divides(8)).unwrap_or(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_divide_tiles() {
        assert_eq!([16, 96, 256].map(|columns| across(columns, 64)), [16, 32, 64]);
        assert_eq!([8, 24, 96, 160, 176, 200, 208].map(along), [8, 24, 48, 32, 16, 40, 16]);
    }
}
