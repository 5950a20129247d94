//! Casts and counters of loops: their facts admit every value that they have, at every word of small
//! widths and at the edges of the others.

use layout_egraph::{
    facts::{
        Number,
        source::{Cast, cast, counter},
    },
    index::{bounds, mask, word, wrap},
};

/// A cast by its definition.
fn defined(kind: Cast, value: i64, from: u32, to: u32) -> i64 {
    let bits = match kind {
        Cast::Sign => value.cast_unsigned(),
        Cast::Zero => word(value, from),
    };
    wrap(bits.cast_signed(), to)
}

/// The possible facts of a word: intervals between some values, with divisors, and known bits.
fn knowledge(values: &[i64], width: u32) -> Vec<Number> {
    let mut all = Vec::new();
    for &low in values {
        for &high in values.iter().filter(|&&high| high >= low) {
            for multiple in [1, 2, 3, 4, 12] {
                all.extend(Number::between(low, high, multiple, width));
            }
        }
    }
    for bit in 0..width.min(10) {
        for (zeros, ones) in [(1 << bit, 0), (0, 1 << bit)] {
            let known = Number { zeros, ones, ..Number::any(width) };
            all.extend(known.meet(&Number::any(width)));
        }
    }
    all
}

/// The least and the greatest word, 0, and powers of two of each width, with what is beside them.
fn edges(width: u32) -> Vec<i64> {
    let (least, greatest) = bounds(width);
    let mut all = vec![least, greatest, 0];
    for bits in [1, 2, 7, 8, 15, 16, 31, 32, 33, 62, 63] {
        if bits < 63 {
            all.extend([1_i64 << bits, -(1_i64 << bits)]);
        }
    }
    let mut all: Vec<i64> = all
        .into_iter()
        .flat_map(|x| [x.saturating_sub(1), x, x.saturating_add(1)])
        .filter(|x| (least..=greatest).contains(x))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn check_casts(from: u32, to: u32, values: &[i64], known: &[Number]) {
    for kind in [Cast::Sign, Cast::Zero] {
        for number in known {
            let found = cast(kind, number, to);
            assert_eq!(found.width, to);
            for &value in values.iter().filter(|&&value| number.admits(value)) {
                let defined = defined(kind, value, from, to);
                assert!(
                    found.admits(defined),
                    "{kind:?} i{from} to i{to}: {value}: {number:?}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn casts_hold_at_every_word_of_small_widths() {
    for from in 1..=8 {
        let (least, greatest) = bounds(from);
        let values: Vec<i64> = (least..=greatest).collect();
        let some: Vec<i64> = match from {
            1..=5 => values.clone(),
            _ => {
                values.iter().copied().filter(|x| edges(from).contains(x) || x % 29 == 0).collect()
            }
        };
        let known = knowledge(&some, from);
        for to in 1..=9 {
            check_casts(from, to, &values, &known);
        }
    }
}

#[test]
fn casts_hold_at_the_edges_of_each_width() {
    for from in [1, 8, 16, 32, 64] {
        let values = edges(from);
        let some: Vec<i64> = values.iter().copied().step_by(3).chain([bounds(from).1]).collect();
        let known = knowledge(&some, from);
        for to in [1, 8, 16, 32, 64] {
            check_casts(from, to, &values, &known);
        }
    }
}

/// A value that fits is kept, exactly.
#[test]
fn casts_keep_what_fits() {
    let between = |low, high, width| Number::between(low, high, 1, width).expect("bounds");
    let bounds_of = |x: Number| (x.low, x.high);
    assert_eq!(bounds_of(cast(Cast::Sign, &between(-3, 100, 32), 8)), (-3, 100));
    assert_eq!(bounds_of(cast(Cast::Sign, &between(0, 128, 32), 8)), (-128, 127));
    assert_eq!(bounds_of(cast(Cast::Zero, &between(-3, -1, 8), 32)), (253, 255));
    assert_eq!(bounds_of(cast(Cast::Zero, &between(-1, 1, 8), 32)), (0, 255));
    assert_eq!(bounds_of(cast(Cast::Zero, &between(-1, 1, 32), 64)), (0, (1 << 32) - 1));
    assert_eq!(bounds_of(cast(Cast::Zero, &Number::any(1), 64)), (0, 1));
    assert_eq!(bounds_of(cast(Cast::Sign, &Number::any(1), 64)), (-1, 0));
    let even = Number { multiple: 12, ..between(0, 1200, 32) };
    assert_eq!(cast(Cast::Sign, &even, 8).multiple, 4);
}

/// The values that a counter has, as upstream's lowering makes them: the loop compares, runs, and adds, and
/// a sum wraps. At most as many as there are words.
fn iterations(lower: i64, upper: i64, step: i64, unsigned: bool, width: u32) -> Vec<i64> {
    let mut found = Vec::new();
    let mut now = lower;
    for _ in 0..=mask(width) {
        let below = match unsigned {
            true => word(now, width) < word(upper, width),
            false => now < upper,
        };
        if !below {
            break;
        }
        found.push(now);
        now = wrap(now.wrapping_add(step), width);
    }
    found
}

#[test]
fn counters_hold_at_every_word_of_small_widths() {
    for width in [3, 4, 5] {
        let (least, greatest) = bounds(width);
        for lower in least..=greatest {
            for upper in least..=greatest {
                for step in least..=greatest {
                    for unsigned in [false, true] {
                        let constant = |value| Number::constant(value, width);
                        let (l, u, s) = (constant(lower), constant(upper), constant(step));
                        let values = iterations(lower, upper, step, unsigned, width);
                        // Known, known from below or above only, and not at all.
                        let upwards = Number::between(lower, greatest, 1, width).expect("bounds");
                        let downwards = Number::between(least, upper, 1, width).expect("bounds");
                        for (l, u) in
                            [(l, u), (upwards, u), (l, downwards), (l, Number::any(width))]
                        {
                            let found = counter(&l, &u, &s, unsigned);
                            for &value in &values {
                                assert!(
                                    found.admits(value),
                                    "{lower} to {upper} by {step}, {unsigned}, i{width}: {value}: {found:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Loops that start, end or step at the edges of wide words: the first iterations and those before the end.
#[test]
fn counters_hold_at_the_edges_of_each_width() {
    for width in [8, 16, 32, 64] {
        let values = edges(width);
        for &lower in &values {
            for &upper in &values {
                for &step in values.iter().step_by(2) {
                    for unsigned in [false, true] {
                        let constant = |value| Number::constant(value, width);
                        let u = [constant(upper), Number::any(width)];
                        let found =
                            u.map(|u| counter(&constant(lower), &u, &constant(step), unsigned));
                        let mut now = lower;
                        for _ in 0..6 {
                            let below = match unsigned {
                                true => word(now, width) < word(upper, width),
                                false => now < upper,
                            };
                            if !below {
                                break;
                            }
                            for found in &found {
                                assert!(
                                    found.admits(now),
                                    "{lower} to {upper} by {step}, {unsigned}, i{width}: {now}: {found:?}"
                                );
                            }
                            now = wrap(now.wrapping_add(step), width);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn counters_without_an_end_are_known_where_no_execution_reaches_it() {
    let from_zero = |step, width| {
        let constant = |value| Number::constant(value, width);
        let found = counter(&constant(0), &Number::any(width), &constant(step), false);
        (found.low, found.multiple)
    };
    assert_eq!(from_zero(1, 32), (0, 1));
    assert_eq!(from_zero(8, 64), (0, 8));
    assert_eq!(from_zero(12, 32), (i64::from(i32::MIN), 4));
    assert_eq!(from_zero(1 << 40, 64), (i64::MIN, 1 << 40));
}
