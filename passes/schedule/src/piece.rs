//! The pieces of C that a warpgroup stores at once through shared memory: some of a tile's columns. A block's next tile
//! need not wait for them: where registers suffice, pieces are stored beside its steps.

/// Registers that a thread has for accumulators and for pieces that wait, of one warpgroup, of two, and of three; `ptxas`
/// spills with more.
const REGISTER_BUDGET: [i64; 3] = [215, 192, 88];

/// The number of a warpgroup's pieces that wait for the steps of the next tile, which store one each from the second
/// on. A thread has `accumulators` accumulators, and takes `registers` for a piece.
#[must_use]
pub fn deferred(
    warpgroups: i64,
    accumulators: i64,
    (pieces, registers): (i64, i64),
    steps: i64,
) -> i64 {
    // More of them are narrow, and take as long as they save.
    const MAX_PIECES: i64 = 8;
    let room = usize::try_from(warpgroups - 1).ok().and_then(|place| REGISTER_BUDGET.get(place));
    let room = room.map_or(0, |room| (room - accumulators).max(0) / registers.max(1));
    if pieces > MAX_PIECES { 0 } else { room.min(pieces).min(steps - 1).max(0) }
}

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
    const MAX_PIECES: i64 = 64;
    let divides = |unit: i64| {
        (1..=MAX_PIECES / unit).rev().map(|count| count * unit).find(|of| columns % of == 0)
    };
    divides(16).or_else(|| divides(8)).unwrap_or(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_wait_where_registers_suffice() {
        // 128x256 of two warpgroups: all pieces of 64x64; of 32 bits only two.
        assert_eq!(deferred(2, 128, (4, 16), 32), 4);
        assert_eq!(deferred(2, 128, (8, 16), 32), 4);
        assert_eq!(deferred(2, 128, (4, 16), 3), 2);
        assert_eq!(deferred(2, 120, (15, 4), 32), 0);
        // Three warpgroups have none left.
        assert_eq!(deferred(3, 96, (3, 16), 32), 0);
        assert_eq!(deferred(4, 16, (1, 16), 32), 0);
    }

    #[test]
    fn pieces_divide_tiles() {
        assert_eq!([16, 96, 256].map(|columns| across(columns, 64)), [16, 32, 64]);
        assert_eq!([8, 24, 96, 160, 176, 200, 208].map(along), [8, 24, 48, 32, 16, 40, 16]);
    }
}
