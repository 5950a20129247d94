//! Tiles of several problems.

use super::*;

#[test]
fn tiles_of_products_follow_each_other() {
    let all = ranges([8, 1, 6].into_iter());
    let ends: Vec<(i64, i64)> = all.iter().map(|range| (range.first, range.end())).collect();
    assert_eq!(ends, [(0, 8), (8, 9), (9, 15)]);
    assert_eq!(ranges([i64::MAX, 2].into_iter())[1].end(), i64::MAX);
}
