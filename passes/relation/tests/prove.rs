//! Every tier of the prover against the slow definition, and the questions that it must answer.

use crate::support;

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use layout_algebra::{AnyLayout, ComposedLayout, Outer, Swizzle, Term, linear::LinearLayout};
use layout_relation::{Limit, Limits, Prover, Tier, Verdict, Witness};
use support::{Draws, LIMITS, Random, layout};

fn any(text: &str) -> AnyLayout {
    Term::parse(text).unwrap().eval_layout().unwrap()
}

fn offsets(layout: &AnyLayout) -> Vec<i64> {
    (0..layout.size()).map(|coordinate| layout.at(coordinate).unwrap()).collect()
}

/// The answers by the slow definition: `None` if it is true.
mod slow {
    use super::*;

    pub(super) fn equal(left: &AnyLayout, right: &AnyLayout) -> Option<Witness> {
        let (a, b) = (offsets(left), offsets(right));
        let mut coordinates = 0..a.len().max(b.len());
        coordinates.find(|&c| a.get(c) != b.get(c)).map(|c| Witness::Differ {
            coordinate: i64::try_from(c).unwrap(),
            left: a.get(c).copied(),
            right: b.get(c).copied(),
        })
    }

    pub(super) fn injective(layout: &AnyLayout) -> Option<Witness> {
        let mut seen = HashMap::new();
        (0..).zip(offsets(layout)).find_map(|(coordinate, offset)| {
            let earlier = *seen.entry(offset).or_insert(coordinate);
            (earlier != coordinate).then_some(Witness::Collide { coordinate, earlier, offset })
        })
    }

    pub(super) fn disjoint(left: &AnyLayout, right: &AnyLayout) -> Option<Witness> {
        let others = offsets(right);
        (0..).zip(offsets(left)).find_map(|(left, offset)| {
            let right = others.iter().position(|&other| other == offset)?;
            Some(Witness::Meet { left, right: i64::try_from(right).unwrap(), offset })
        })
    }

    pub(super) fn within(layout: &AnyLayout, lower: i64, upper: i64) -> Option<Witness> {
        let mut all = (0..).zip(offsets(layout));
        let (coordinate, offset) = all.find(|(_, x)| *x < lower || *x >= upper)?;
        Some(Witness::Outside { coordinate, offset })
    }

    pub(super) fn aligned(layout: &AnyLayout, unit: i64) -> Option<Witness> {
        let (coordinate, offset) = (0..).zip(offsets(layout)).find(|(_, x)| x % unit != 0)?;
        Some(Witness::Misaligned { coordinate, offset })
    }

    pub(super) fn consecutive(layout: &AnyLayout, run: i64) -> Option<Witness> {
        let all = offsets(layout);
        let inside = (1..).zip(all.windows(2)).filter(|(c, _)| c % run != 0);
        let (coordinate, pair) = inside.into_iter().find(|(_, pair)| pair[1] != pair[0] + 1)?;
        Some(Witness::Broken { coordinate, offset: pair[1], before: pair[0] })
    }
}

/// Counts of decided questions, by tier, so that none is silently left out.
type Decided = HashMap<Tier, (u32, u32)>;

fn check(
    decided: &mut Decided,
    what: &str,
    expected: &Option<Witness>,
    query: impl Fn(&Prover) -> layout_relation::Result<Verdict>,
) {
    for tier in Tier::ALL {
        let prover = Prover::with_tiers(LIMITS, &[tier]);
        let found = query(&prover).unwrap_or_else(|error| panic!("{what} by {tier}: {error}"));
        let count = decided.entry(tier).or_default();
        match (found, expected) {
            (Verdict::Unknown(_), _) => {}
            (Verdict::Proved(by), None) => {
                assert_eq!(by, tier);
                count.0 += 1;
            }
            (Verdict::Refuted(witness), Some(expected)) => {
                assert_eq!(&witness, expected, "{what} by {tier}");
                count.1 += 1;
            }
            (found, expected) => panic!("{what} by {tier}: {found}, but {expected:?}"),
        }
    }
    // All tiers together always answer.
    let found = query(&Prover::new(LIMITS)).unwrap();
    assert!(!matches!(found, Verdict::Unknown(_)), "{what}: {found}");
}

const EXTENTS: &[i64] = &[1, 2, 2, 2, 4, 4, 3, 6];
const STRIDES: &[i64] = &[0, 1, 1, 2, 4, 8, 16, 3, 12, 32, -2];
const POWERS: &[i64] = &[1, 2, 4, 8, 16, 32, 64];

fn some_layout(random: &mut Random) -> AnyLayout {
    let (extents, strides) = match random.below(2) {
        0 => (EXTENTS, STRIDES),
        _ => (&[2, 2, 4][..], POWERS),
    };
    let mut inner = random.layout(3, extents, strides);
    let outer = match random.below(4) {
        0 => {
            let bits = u32::try_from(random.below(3)).unwrap();
            let base = u32::try_from(random.below(3)).unwrap();
            let shift = i32::try_from(random.below(7)).unwrap() - 3;
            Outer::Swizzle(Swizzle::new(bits, base, shift).unwrap())
        }
        1 => {
            if inner.flat().iter().any(|&(_, stride)| stride < 0) {
                inner = layout("(4,2):(2,1)");
            }
            Outer::Layout(random.layout(3, EXTENTS, &STRIDES[..10]))
        }
        _ => return AnyLayout::Plain(inner),
    };
    let offset = *random.choose(&[0, 0, 1, 8, 64, 5]);
    AnyLayout::Composed(ComposedLayout { outer, offset, inner })
}

/// The same function, written otherwise; or another one.
fn companion(random: &mut Random, layout: &AnyLayout) -> AnyLayout {
    match (layout, random.below(3)) {
        (AnyLayout::Plain(plain), 0) => AnyLayout::Plain(plain.coalesce().unwrap()),
        (AnyLayout::Composed(composed), 0) => {
            AnyLayout::Composed(composed.with_inner(composed.inner.coalesce().unwrap()))
        }
        // A swizzle of which the offsets of these layouts know nothing.
        (AnyLayout::Plain(plain), 1) if plain.flat().iter().all(|&(_, stride)| stride >= 0) => {
            AnyLayout::Composed(ComposedLayout {
                outer: Outer::Swizzle(Swizzle::new(1, 12, 3).unwrap()),
                offset: 0,
                inner: plain.clone(),
            })
        }
        _ => some_layout(random),
    }
}

fn run(count: u64, seed: u64) -> Decided {
    let mut random = Random::of_seed(seed);
    let mut decided = Decided::new();
    for _ in 0..count {
        let a = some_layout(&mut random);
        let b = companion(&mut random, &a);
        check(&mut decided, &format!("{a} == {b}"), &slow::equal(&a, &b), |p| p.equal(&a, &b));
        let expected = slow::injective(&a);
        check(&mut decided, &format!("injective {a}"), &expected, |p| p.injective(&a));
        let expected = slow::disjoint(&a, &b);
        check(&mut decided, &format!("disjoint {a}, {b}"), &expected, |p| p.disjoint(&a, &b));
        let lower = *random.choose(&[0, 0, 1, -8]);
        let upper = 1 + i64::try_from(random.below(200)).unwrap();
        let expected = slow::within(&a, lower, upper);
        let what = format!("{a} in {lower} .. {upper}");
        check(&mut decided, &what, &expected, |p| p.within(&a, lower, upper));
        let unit = *random.choose(&[1, 2, 4, 8, 3]);
        let expected = slow::aligned(&a, unit);
        check(&mut decided, &format!("{a} by {unit}"), &expected, |p| p.aligned(&a, unit));
        let run = *random.choose(&[1, 2, 4, 8, 3]);
        if a.size() % run == 0 {
            let expected = slow::consecutive(&a, run);
            let what = format!("{a} in runs of {run}");
            check(&mut decided, &what, &expected, |p| p.consecutive(&a, run));
        }
    }
    decided
}

#[test]
fn tiers_agree_with_the_slow_definition() {
    let decided = run(120, 11);
    for tier in Tier::ALL {
        let (proved, refuted) = decided[&tier];
        assert!(proved > 0, "{tier}: {decided:?}");
        assert!(tier == Tier::Structure || refuted > 0, "{tier}: {decided:?}");
    }
}

#[test]
#[ignore = "minutes: cargo test --release -p layout-relation --test all prove:: -- --ignored"]
fn tiers_agree_with_the_slow_definition_often() {
    run(10_000, 12);
}

/// Random matrices: the prover's answers about linear layouts, against their values.
#[test]
fn linear_layouts_agree_with_the_slow_definition() {
    let mut random = Random::of_seed(13);
    let mut decided = Decided::new();
    for _ in 0..40 {
        let width = 1 + random.below(5);
        let values: Vec<_> = (0..width).map(|_| i64::try_from(random.below(32)).unwrap()).collect();
        let linear = LinearLayout::new(
            &[("index", values.iter().map(|&value| vec![value]).collect())],
            &[("offset", 32)],
        )
        .unwrap();
        // The slow definition takes a layout of any kind that has the same offsets.
        let all = (0..linear.size()).map(|index| linear.at(index).unwrap());
        let all: Vec<_> = all.collect();
        let other = match random.below(2) {
            0 => some_layout(&mut random),
            _ => any("(2,2,2,2):(1,2,4,8)"),
        };
        let others = offsets(&other);
        let differ = (0..all.len().max(others.len())).find(|&c| all.get(c) != others.get(c));
        let expected = differ.map(|c| Witness::Differ {
            coordinate: i64::try_from(c).unwrap(),
            left: all.get(c).copied(),
            right: others.get(c).copied(),
        });
        let what = linear.to_string();
        check(&mut decided, &what, &expected, |p| p.equal(&linear, &other));
        let collide = (0..all.len()).find_map(|c| {
            let earlier = all[..c].iter().position(|offset| *offset == all[c])?;
            let (coordinate, earlier) =
                (i64::try_from(c).unwrap(), i64::try_from(earlier).unwrap());
            Some(Witness::Collide { coordinate, earlier, offset: all[c] })
        });
        check(&mut decided, &what, &collide, |p| p.injective(&linear));
        let misaligned = all.iter().position(|offset| offset % 4 != 0);
        let misaligned = misaligned
            .map(|c| Witness::Misaligned { coordinate: i64::try_from(c).unwrap(), offset: all[c] });
        check(&mut decided, &what, &misaligned, |p| p.aligned(&linear, 4));
        let outside = all.iter().position(|offset| *offset >= 20);
        let outside = outside
            .map(|c| Witness::Outside { coordinate: i64::try_from(c).unwrap(), offset: all[c] });
        check(&mut decided, &what, &outside, |p| p.within(&linear, 0, 20));
    }
    for tier in [Tier::Gf2, Tier::Enumeration, Tier::Binary] {
        let (proved, refuted) = decided[&tier];
        assert!(proved > 0 && refuted > 0, "{tier}: {decided:?}");
    }
}

fn prover() -> Prover {
    Prover::new(LIMITS)
}

#[test]
fn texts_of_verdicts() {
    let prover = prover();
    let text = |verdict: layout_relation::Result<Verdict>| verdict.unwrap().to_string();
    let row = any("(4,8):(8,1)");
    assert_eq!(text(prover.equal(&row, &row)), "proved by structure");
    assert_eq!(text(prover.equal(&row, &any("(4,(2,4)):(8,(1,2))"))), "proved by a closed form");
    assert_eq!(
        text(prover.equal(&row, &any("(4,4):(8,1)"))),
        "refuted: 4 and nothing at coordinate 16"
    );
    assert_eq!(
        text(prover.injective(&any("(4,8):(2,1)"))),
        "refuted: offset 2 at coordinates 1 and 8"
    );
    assert_eq!(
        text(prover.disjoint(&row, &any("2:1 o 40 o 4:-3"))),
        "refuted: offset 31 at coordinate 31 of the left and 3 of the right"
    );
    assert_eq!(text(prover.within(&row, 0, 32)), "proved by a closed form");
    assert_eq!(text(prover.within(&row, 0, 31)), "refuted: offset 31 at coordinate 31");
    assert_eq!(text(prover.aligned(&row, 8)), "refuted: offset 1 at coordinate 4");
    assert_eq!(text(prover.consecutive(&any("(8,4):(1,16)"), 8)), "proved by a closed form");
    assert_eq!(
        text(prover.consecutive(&any("(8,4):(2,16)"), 4)),
        "refuted: offset 2 at coordinate 1 after 0"
    );
    let swizzled = any("S<2,0,3> o 0 o (4,8):(8,1)");
    assert_eq!(text(prover.within(&swizzled, 0, 32)), "proved by a closed form");
    assert_eq!(text(prover.within(&swizzled, 0, 31)), "refuted: offset 31 at coordinate 19");
}

#[test]
fn texts_of_errors() {
    let prover = prover();
    let text = |verdict: layout_relation::Result<Verdict>| verdict.unwrap_err().to_string();
    assert_eq!(
        text(prover.aligned(&any("4:1"), 0)),
        "aligned(4:1): expected a unit of at least 1, found 0"
    );
    assert_eq!(
        text(prover.consecutive(&any("6:1"), 4)),
        "consecutive(6:1): expected a run of at least 1 that divides the size, found 4"
    );
    assert_eq!(
        text(prover.injective(&any("3:9223372036854775807"))),
        "expected an integer within 64 bits, found offset 18446744073709551614"
    );
    assert_eq!(
        text(prover.injective(&any("(4,2):(1,8) o 0 o 4:-1"))),
        "prove((4,2):(1,8)): expected an inner layout and offset of indices from 0, found -3"
    );
    let empty = layout_algebra::Tuple::Node(Vec::new());
    let empty = layout_algebra::Layout::new(empty.clone(), empty).unwrap();
    assert_eq!(
        text(prover.injective(&AnyLayout::Plain(empty))),
        "prove(():()): expected a layout of at least one mode, found none"
    );
}

/// A question that no tier decides before its limit: unknown, in time.
#[test]
fn limits_are_answers() {
    let limits = Limits { operations: 0, time: Duration::from_millis(50) };
    // Strides without order, and too many coordinates to visit.
    let hard = any("(97,101,103,107,109):(1009,1013,1019,1021,1031)");
    let start = Instant::now();
    let verdict = Prover::with_tiers(limits, &[Tier::Structure, Tier::ClosedForm, Tier::Gf2]);
    assert_eq!(verdict.injective(&hard).unwrap(), Verdict::Unknown(Limit::Coordinates(1 << 20)));
    let verdict = Prover::new(limits).injective(&hard).unwrap();
    assert!(!verdict.is_proved(), "{verdict}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let few = Limits { operations: 1, time: Duration::from_secs(60) };
    let natural = Prover::with_tiers(few, &[Tier::Natural]).injective(&any("(4,2):(2,3)"));
    assert!(matches!(natural, Ok(Verdict::Unknown(Limit::Operations(1)))), "{natural:?}");
    assert_eq!(natural.unwrap().to_string(), "unknown: no answer within 1 operations of ISL");
}

/// The questions of the bars, each by the tier that it should take.
#[test]
fn bars() {
    let prover = prover();
    // A layout of 14 modes and its coalesced form.
    let ones = "(2,2,2,2,2,2,2,2,2,2,2,2,2,2)";
    let strides = "(1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192)";
    let verdict = prover.equal(&any(&format!("{ones}:{strides}")), &any("16384:1")).unwrap();
    assert_eq!(verdict, Verdict::Proved(Tier::ClosedForm));
    // 24 modes.
    let shape = vec!["2"; 24].join(",");
    let stride: Vec<_> = (0..24).rev().map(|bit| (3_i64 << bit).to_string()).collect();
    let wide = any(&format!("({shape}):({})", stride.join(",")));
    assert_eq!(prover.injective(&wide).unwrap(), Verdict::Proved(Tier::ClosedForm));
    // 24 modes whose strides reach into each other, in blocks of two.
    let shape = ["3,2"; 12].join(",");
    let stride = |k: u32| format!("{},{}", 2 * 10_i64.pow(k), 3 * 10_i64.pow(k));
    let stride: Vec<_> = (0..12).map(stride).collect();
    let tangled = any(&format!("({shape}):({})", stride.join(",")));
    assert_eq!(prover.injective(&tangled).unwrap(), Verdict::Proved(Tier::ClosedForm));
    // 128 threads by 128 values onto a swizzled tile: each element once, and all in the tile.
    let tile = "S<3,4,3> o 0 o ((4,8,4),(2,2,16,2)):((2,128,4096),(1,1024,8,2048))";
    let tile = any(tile);
    assert_eq!(prover.injective(&tile).unwrap(), Verdict::Proved(Tier::ClosedForm));
    assert_eq!(prover.within(&tile, 0, 16384).unwrap(), Verdict::Proved(Tier::ClosedForm));
}

/// `S o S` is the identity exactly where the shift is at least as far as the bits are many.
#[test]
fn swizzles_are_involutions_where_bits_do_not_meet() {
    let prover = prover();
    for bits in 0..6_u32 {
        for base in 0..4_u32 {
            for shift in -6..=6_i32 {
                let all = bits + base + shift.unsigned_abs();
                let swizzle = Swizzle::new(bits, base, shift).unwrap();
                // The image of each power of two, taken through the swizzle again.
                let strides: Vec<_> = (0..all).map(|bit| 1_i64 << bit).collect();
                let twice: Vec<_> =
                    strides.iter().map(|&x| swizzle.apply(swizzle.apply(x))).collect();
                let involution = strides == twice;
                assert_eq!(involution, bits == 0 || shift.unsigned_abs() >= bits, "{swizzle}");
                let whole = AnyLayout::Composed(ComposedLayout {
                    outer: Outer::Swizzle(swizzle),
                    offset: 0,
                    inner: layout(&format!("{}:1", 1_i64 << all)),
                });
                let injective = prover.injective(&whole).unwrap().is_proved();
                assert_eq!(injective, bits == 0 || shift != 0, "{swizzle}");
            }
        }
    }
}
