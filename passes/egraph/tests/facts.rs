//! Transfer functions of facts, at every word of small widths: the facts about a result admit
//! every result of operands that agree with their own facts.

use layout_egraph::{
    facts::{Number, number},
    index::{IndexOp, bounds},
};

/// The possible facts of an index: intervals, with divisors, and with known bits.
fn numbers(width: u32) -> Vec<Number> {
    let (least, greatest) = bounds(width);
    let mut all = Vec::new();
    for low in least..=greatest {
        for high in low..=greatest {
            for multiple in [1, 2, 3] {
                all.extend(Number::between(low, high, multiple, width));
            }
        }
    }
    for zeros in 0..1_u64 << width {
        for ones in 0..1_u64 << width {
            all.extend(Number { zeros, ones, ..Number::any(width) }.meet(&Number::any(width)));
        }
    }
    all.sort_by_key(|n| (n.low, n.high, n.zeros, n.ones, n.multiple));
    all.dedup();
    all
}

fn admitted(number: &Number) -> Vec<i64> {
    let (least, greatest) = bounds(number.width);
    (least..=greatest).filter(|&value| number.admits(value)).collect()
}

#[test]
fn facts_of_pairs_admit_every_answer() {
    use IndexOp::*;
    let width = 3;
    let all = numbers(width);
    let values: Vec<Vec<i64>> = all.iter().map(admitted).collect();
    for (x, xs) in all.iter().zip(&values) {
        assert!(!xs.is_empty(), "{x:?} admits nothing");
        for (y, ys) in all.iter().zip(&values) {
            for op in [
                Add, Sub, Mul, Div, Mod, High, Shl, Shr, And, Or, Xor, Min, Max, Less, AtMost,
                Equal,
            ] {
                let facts = Number::of(op, &[*x, *y], width);
                for &a in xs {
                    for &b in ys {
                        if let Some(answer) = op.eval(&[a, b], width) {
                            assert!(
                                facts.admits(answer),
                                "{op:?} {a} {b} = {answer}: {x:?} {y:?} {facts:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_both_know_is_what_both_admit() {
    let all = numbers(3);
    for x in &all {
        for y in &all {
            let (met, joined) = (x.meet(y), x.join(y));
            for value in -4..4 {
                let (a, b) = (x.admits(value), y.admits(value));
                assert!(!(a && b) || met.is_some_and(|met| met.admits(value)), "{x:?} {y:?}");
                assert!(!(a || b) || joined.admits(value), "{x:?} {y:?}");
            }
            // Facts only grow: what both know is no less than what one knows.
            if let Some(met) = met {
                assert!(met.low >= x.low && met.high <= x.high && met.zeros & x.zeros == x.zeros);
            }
        }
    }
}

#[test]
fn sums_that_do_not_wrap_are_found() {
    let all = numbers(3);
    for x in &all {
        for y in &all {
            let fits = |op: fn(i64, i64) -> i64| {
                admitted(x)
                    .iter()
                    .all(|&a| admitted(y).iter().all(|&b| (-4..4).contains(&op(a, b))))
            };
            assert!(!number::adds(x, y) || fits(|a, b| a + b), "{x:?} + {y:?}");
            assert!(!number::subtracts(x, y) || fits(|a, b| a - b), "{x:?} - {y:?}");
            assert!(!number::multiplies(x, y) || fits(|a, b| a * b), "{x:?} * {y:?}");
        }
    }
}
