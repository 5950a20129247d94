//! Tests of layouts as affine maps.

use super::*;
use melior::Context;

fn map(text: &str) -> Option<IndexingMap> {
    let context = Context::new();
    let text = format!("affine_map<{text}>");
    indexing_map(Attribute::parse(&context, &text).expect("a map"))
}

#[test]
fn sums_of_multiples_are_read() {
    let found = map("(d0, d1, d2) -> (d2, d0 * 2 + d1 + 3, 5, d1 * 3 + d0 - d1 * 2)");
    let results = found.expect("linear").results;
    let terms: Vec<_> = results.iter().map(|r| (r.terms.as_slice(), r.constant)).collect();
    assert_eq!(
        terms,
        [(&[(2, 1)][..], 0), (&[(0, 2), (1, 1)][..], 3), (&[][..], 5), (&[(0, 1), (1, 1)][..], 0)]
    );
    assert_eq!(results[0].dimension(), Some(2));
    assert_eq!(results[1].dimension(), None);
}

#[test]
fn maps_are_read_as_they_are_written() {
    let found = map("(d0, d1, d2) -> (d2, d0 * 2 + d1 + 3, 5, 0)").expect("linear");
    let context = Context::new();
    let written = Attribute::parse(&context, &found.to_string()).expect("a map");
    assert_eq!(indexing_map(written), Some(found));
}

#[test]
fn what_is_no_sum_of_multiples_is_none() {
    assert_eq!(map("(d0, d1) -> (d0 floordiv 2, d1)"), None);
    assert_eq!(map("(d0, d1) -> (d0 mod 2 + d1)"), None);
    assert_eq!(map("(d0)[s0] -> (d0 + s0)"), None);
    assert_eq!(map("(d0)[s0] -> (d0 * s0)"), None);
}
