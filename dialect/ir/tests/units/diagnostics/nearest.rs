//! Tests of nearest legal inputs.

use super::*;

#[test]
fn the_nearest_is_legal_and_near() {
    assert_eq!(number(24, |n| 64 % n == 0), Some(16));
    assert_eq!(number(3, |n| 8 % n == 0), Some(2));
    assert_eq!(number(0, |n| n > 100), None);
    assert_eq!(number(i64::MAX, |n| n == i64::MAX - 1), Some(i64::MAX - 1));
    assert_eq!(multiple(96, 128), Some(128));
    assert_eq!(multiple(300, 128), Some(256));
    assert_eq!(multiple(12, 0), None);
    assert_eq!(multiple(i64::MAX, 2), None);
    let tuple = |text: &str| text.parse::<Tuple>().expect("a tuple");
    let regrouped = stride(&tuple("(4,(2,2))"), &tuple("(1,4,8)")).map(|t| t.to_string());
    assert_eq!(regrouped.as_deref(), Some("(1,(4,8))"));
    let compact = stride(&tuple("(4,2)"), &tuple("(1,2,3)")).map(|t| t.to_string());
    assert_eq!(compact.as_deref(), Some("(1,4)"));
    assert_eq!(entries(&['a', 'b', 'c'], 2, &'_'), ['a', 'b']);
    assert_eq!(entries(&['a'], 2, &'_'), ['a', '_']);
}
