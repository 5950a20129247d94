//! Tests of how a reduction is planned.

use super::*;
use layout_algebra::Term;

fn plan(threads: &str, tile: Option<&str>, along: &[i64]) -> Result<Plan, String> {
    let value = Term::parse(threads).and_then(|term| term.eval()).expect("a layout");
    let tile = tile.map(|tile| tile.parse::<Tuple>().expect("a shape"));
    let holders = ThreadValues::of(&value, tile.as_ref()).map_err(|refused| refused.to_string())?;
    Plan::of(&holders, along, true).map_err(|refused| refused.to_string())
}

#[test]
fn a_row_in_a_block_goes_through_lanes_and_warps() {
    let plan = plan("(256,(8,2)):(8,(1,2048))", None, &[0]).expect("a plan");
    assert_eq!(plan.groups, [(0..16).collect::<Vec<i64>>()]);
    assert_eq!(plan.lanes, [0, 1, 2, 3, 4]);
    assert_eq!(plan.exchange, Some(vec![(32, DigitKind::Lane), (8, DigitKind::Partial)]));
}

#[test]
fn a_warp_a_row_needs_no_shared_memory() {
    let text = "((32,4),(8,4)):((8@1,1@0),(1@1,256@1))";
    let rows = plan(text, None, &[1]).expect("a plan");
    assert_eq!((rows.lanes.as_slice(), rows.exchange), ([0, 1, 2, 3, 4].as_slice(), None));
    let columns = plan(text, None, &[0]).expect("a plan");
    assert_eq!(columns.groups.len(), 32);
    assert_eq!(columns.lanes, [0; 0]);
    assert_eq!(columns.exchange, Some(vec![(32, DigitKind::Independent), (4, DigitKind::Partial)]));
}

/// The accumulator of `mma.m16n8k16`: rows in quads of lanes, columns in the others.
#[test]
fn accumulators_of_mma_are_reduced_in_quads() {
    let text = "((4,8),(2,2)):((32,1),(16,8))";
    let rows = plan(text, Some("(16,8)"), &[1]).expect("a plan");
    assert_eq!((rows.lanes.as_slice(), rows.exchange), ([0, 1].as_slice(), None));
    assert_eq!(rows.groups, [vec![0, 1], vec![2, 3]]);
    let columns = plan(text, Some("(16,8)"), &[0]).expect("a plan");
    assert_eq!((columns.lanes.as_slice(), columns.exchange), ([2, 3, 4].as_slice(), None));
    assert_eq!(columns.groups, [vec![0, 2], vec![1, 3]]);
    let all = plan(text, Some("(16,8)"), &[0, 1]).expect("a plan");
    assert_eq!(all.lanes, [0, 1, 2, 3, 4]);
    assert_eq!(all.groups, [[0, 1, 2, 3]]);
}

#[test]
fn what_is_held_twice_is_counted_once() {
    // Two warps with the same elements, and a value that a thread has twice.
    let plan = plan("((32,2),(2,2)):((2,0),(1,0))", None, &[0]).expect("a plan");
    assert_eq!(plan.groups, [[0, 1]]);
    assert_eq!(plan.group_of, [0, 0, 0, 0]);
    assert_eq!((plan.lanes.as_slice(), plan.exchange), ([0, 1, 2, 3, 4].as_slice(), None));
}

#[test]
fn threads_that_are_no_power_of_two_go_through_shared_memory() {
    let of_24 = plan("(24,2):(2,1)", None, &[0]).expect("a plan");
    assert_eq!(
        (of_24.lanes.as_slice(), of_24.exchange),
        ([].as_slice(), Some(vec![(24, DigitKind::Partial)]))
    );
    // Three warps: lanes by shuffles.
    let of_96 = plan("(96,2):(2,1)", None, &[0]).expect("a plan");
    assert_eq!(of_96.lanes, [0, 1, 2, 3, 4]);
    assert_eq!(of_96.exchange, Some(vec![(32, DigitKind::Lane), (3, DigitKind::Partial)]));
}

#[test]
fn what_no_digit_leads_to_is_refused() {
    let refused = |threads, tile, along: &[i64]| plan(threads, tile, along).expect_err("refused");
    // Lanes 1 and 2 hold the same element, and no digit of the number alone is without effect.
    assert_eq!(
        refused("((2,2),2):((2,2),1)", None, &[0]),
        "expected threads that hold each element once, or by digits of their number that move no other element, \
         found element 2 a second time in thread 2"
    );
    assert_eq!(
        refused("(32,4,2):(1,32,128)", None, &[0]),
        "expected a thread-value layout of rank 2, found (32,4,2):(1,32,128)"
    );
    assert_eq!(
        refused("(32,4):(1,32)", Some("(8,8)"), &[0]),
        "expected elements of a tile of 64, found 64"
    );
    assert_eq!(
        refused("(1024,2048):(1,1024)", None, &[0]),
        "expected at most 1048576 threads times values, found 1024 times 2048"
    );
    assert_eq!(
        refused("(3,2):(1,2)", Some("(2,3)"), &[0]),
        "expected threads that hold parts of a result and differ in digits of their number only, found element \
         1, which no such digit leads to from thread 0"
    );
    assert_eq!(
        refused("(2,2):(2,1)", Some("(3,2)"), &[0]),
        "expected a thread-value layout in which all threads combine the same values, found other values in thread 1 than in thread 0"
    );
}
