//! How long proofs may take, each question three times and the best counted. The times hold for
//! release builds:
//!
//! ```text
//! cargo test --release -p layout-relation --test all bars:: -- --ignored --nocapture
//! ```
//!
//! Without `--ignored`, the same questions are only kept from hanging, in any build on any machine.

use crate::support;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use layout_algebra::{AnyLayout, Swizzle, Term, linear::LinearLayout};
use layout_relation::{Prover, Verdict, Witness};
use support::LIMITS;

/// The time that no answer may take, however busy the machine is.
const HANGS: Duration = Duration::from_secs(5);

fn any(text: &str) -> AnyLayout {
    Term::parse(text).and_then(|term| term.eval_layout()).unwrap()
}

/// Every `S<b,m,s>` with `b + m + |s| <= 16`, of either sign.
fn swizzles() -> Vec<Swizzle> {
    let mut all = Vec::new();
    for bits in 0..=16_u32 {
        for base in 0..=16 - bits {
            let most = i32::try_from(16 - bits - base).unwrap();
            all.extend((-most..=most).map(|shift| Swizzle::new(bits, base, shift).unwrap()));
        }
    }
    all
}

/// `S(S(c)) = c` for all `c` below the swizzle's period: the swizzle twice, as matrices.
fn twice(prover: &Prover, swizzle: &Swizzle) -> Verdict {
    let size = swizzle.period();
    let once = LinearLayout::from_swizzle(swizzle, size).unwrap();
    let again = LinearLayout::from_swizzle(swizzle, size).unwrap();
    let again = again.reshape_ins(&[(layout_algebra::linear::OFFSET, size)]).unwrap();
    let twice = once.flatten_ins().compose(&again).unwrap();
    prover.equal(&twice, &any(&format!("{size}:1"))).unwrap()
}

/// The answer, and the best of three times.
fn best(question: impl Fn() -> Verdict) -> (Verdict, Duration) {
    let time = |_| {
        let start = Instant::now();
        let verdict = question();
        (verdict, start.elapsed())
    };
    (0..3).map(time).min_by_key(|&(_, took)| took).unwrap()
}

/// Checks every swizzle; the longest time.
fn involutions() -> Duration {
    let prover = Prover::new(LIMITS);
    let mut longest = (Duration::ZERO, String::new());
    let all = swizzles();
    assert_eq!(all.len(), 1785);
    for swizzle in all {
        let (verdict, took) = best(|| twice(&prover, &swizzle));
        let holds = swizzle.bits == 0 || swizzle.shift.unsigned_abs() >= swizzle.bits;
        match verdict {
            Verdict::Proved(_) => assert!(holds, "{swizzle}"),
            Verdict::Refuted(Witness::Differ { coordinate, left, right }) => {
                assert!(!holds, "{swizzle}");
                // The least coordinate that does not come back.
                let back = |c: i64| swizzle.apply(swizzle.apply(c));
                assert_eq!((left, right), (Some(back(coordinate)), Some(coordinate)), "{swizzle}");
                let before = (0..coordinate.min(1 << 10)).all(|c| back(c) == c);
                assert!(before && left != right, "{swizzle} at {coordinate}");
            }
            other => panic!("expected an answer for {swizzle}, found {other}"),
        }
        longest = longest.max((took, swizzle.to_string()));
    }
    println!("involution: at most {:?} ({})", longest.0, longest.1);
    longest.0
}

/// The other bars: each question, its bar in milliseconds, and what it took.
fn questions() -> BTreeMap<&'static str, (u64, Duration)> {
    let prover = Prover::new(LIMITS);
    let shape = |modes: usize| vec!["2"; modes].join(",");
    let powers = |modes: usize| {
        (0..modes).map(|bit| (1_i64 << bit).to_string()).collect::<Vec<_>>().join(",")
    };
    let wide = |modes: usize| any(&format!("({}):({})", shape(modes), powers(modes)));
    let tangled: Vec<_> =
        (0..12_u32).map(|k| format!("{},{}", 2 * 10_i64.pow(k), 3 * 10_i64.pow(k))).collect();
    let tangled = any(&format!("({}):({})", ["3,2"; 12].join(","), tangled.join(",")));
    // 128 threads by 128 values onto a swizzled tile of 128 by 128.
    let tile = any("S<3,4,3> o 0 o ((4,8,4),(2,2,16,2)):((2,128,4096),(1,1024,8,2048))");
    let (ones, one) = (wide(14), any("16384:1"));
    let mut found = BTreeMap::new();
    let mut measure = |name, bar, question: &dyn Fn() -> Verdict| {
        let (verdict, took) = best(question);
        assert!(verdict.is_proved(), "{name}: {verdict}");
        println!("{name}: {took:?}");
        found.insert(name, (bar, took));
    };
    measure("14 modes equal their coalesced form", 1, &|| prover.equal(&ones, &one).unwrap());
    let modes = wide(24);
    measure("24 modes are injective", 20, &|| prover.injective(&modes).unwrap());
    measure("24 tangled modes are injective", 20, &|| prover.injective(&tangled).unwrap());
    measure("128 threads by 128 values are apart", 50, &|| prover.injective(&tile).unwrap());
    measure("128 threads by 128 values are inside", 50, &|| {
        prover.within(&tile, 0, 16384).unwrap()
    });
    found
}

#[test]
fn nothing_hangs() {
    assert!(involutions() < HANGS);
    for (name, (_, took)) in questions() {
        assert!(took < HANGS, "{name}: {took:?}");
    }
}

#[test]
#[ignore = "times of a release build on a quiet machine"]
fn bars_are_kept() {
    let took = involutions();
    assert!(took < Duration::from_millis(5), "involution: {took:?}");
    for (name, (bar, took)) in questions() {
        assert!(took < Duration::from_millis(bar), "{name}: {took:?}, and {bar} ms at most");
    }
}
