//! How long proofs take, tier by tier. Beside it, `proofs_islpy.py` has islpy decide the same queries.
//!
//! ```text
//! cargo bench -p layout-relation
//! pip install islpy && python3 passes/relation/benches/proofs_islpy.py
//! ```

use std::time::Duration;

use divan::{Bencher, black_box};
use layout_algebra::{AnyLayout, Swizzle, Term, linear::LinearLayout};
use layout_relation::{
    Context, Limits, Prover, Tier, any_layout_mapping, binary_swizzle_mapping, layout_mapping,
};

fn main() {
    divan::main();
}

const LIMITS: Limits = Limits { operations: 0, time: Duration::from_secs(10) };

fn any(text: &str) -> AnyLayout {
    Term::parse(text).and_then(|term| term.eval_layout()).expect("a layout")
}

/// `(2,2,…):(1,2,4,…)`, which coalesces to one mode.
fn ones(modes: u32) -> AnyLayout {
    let shape = vec!["2"; modes as usize].join(",");
    let stride: Vec<_> = (0..modes).map(|bit| (1_i64 << bit).to_string()).collect();
    any(&format!("({shape}):({})", stride.join(",")))
}

/// 24 modes whose strides reach into each other, and yet injective: `(3,2):(2,3)`, shifted.
fn tangled() -> AnyLayout {
    let shape = ["3,2"; 12].join(",");
    let stride = |k: u32| format!("{},{}", 2 * 10_i64.pow(k), 3 * 10_i64.pow(k));
    let stride: Vec<_> = (0..12).map(stride).collect();
    any(&format!("({shape}):({})", stride.join(",")))
}

/// 128 threads by 128 values onto a swizzled tile of 128 by 128.
const TILE: &str = "S<3,4,3> o 0 o ((4,8,4),(2,2,16,2)):((2,128,4096),(1,1024,8,2048))";

/// Each tier that can decide a question.
fn tiers(all: &[Tier]) -> Vec<Prover> {
    all.iter().map(|&tier| Prover::with_tiers(LIMITS, &[tier])).collect()
}

#[divan::bench(args = ["all tiers", "GF(2)", "enumeration", "ISL in natural coordinates"])]
fn equal_14_modes_and_coalesced(bencher: Bencher<'_, '_>, tier: &str) {
    let (a, b) = (ones(14), any("16384:1"));
    let prover = prover(tier);
    bencher.bench_local(|| {
        let verdict = prover.equal(black_box(&a), black_box(&b)).expect("an answer");
        assert!(verdict.is_proved(), "{verdict}");
    });
}

/// As the paper would: two relations of the one-dimensional coordinate, of fewer modes, since ISL
/// 0.25 takes four times as long for each two modes more.
#[divan::bench(max_time = 2)]
fn equal_8_modes_and_coalesced_as_relations(bencher: Bencher<'_, '_>) {
    let (AnyLayout::Plain(a), AnyLayout::Plain(b)) = (ones(8), any("256:1")) else { return };
    let context = Context::new(LIMITS).expect("a context");
    bencher.bench_local(|| {
        let a = layout_mapping(&context, &a).expect("a relation");
        let b = layout_mapping(&context, &b).expect("a relation");
        assert_eq!(a.is_equal(&b), Ok(true));
    });
}

fn prover(tier: &str) -> Prover {
    let by_name = Tier::ALL.iter().position(|t| t.to_string() == tier);
    match by_name {
        Some(at) => tiers(&Tier::ALL).swap_remove(at),
        None => Prover::new(LIMITS),
    }
}

#[divan::bench(args = ["all tiers", "ISL in natural coordinates"])]
fn injective_24_modes(bencher: Bencher<'_, '_>, tier: &str) {
    let layout = ones(24);
    let prover = prover(tier);
    bencher.bench_local(|| {
        let verdict = prover.injective(black_box(&layout)).expect("an answer");
        assert!(verdict.is_proved(), "{verdict}");
    });
}

#[divan::bench(args = ["all tiers", "ISL in natural coordinates"])]
fn injective_24_tangled_modes(bencher: Bencher<'_, '_>, tier: &str) {
    let layout = tangled();
    let prover = prover(tier);
    bencher.bench_local(|| {
        let verdict = prover.injective(black_box(&layout)).expect("an answer");
        assert!(verdict.is_proved(), "{verdict}");
    });
}

#[divan::bench(args = ["all tiers", "GF(2)", "enumeration"])]
fn injective_128_threads_by_128_values(bencher: Bencher<'_, '_>, tier: &str) {
    let layout = any(TILE);
    let prover = prover(tier);
    bencher.bench_local(|| {
        let verdict = prover.injective(black_box(&layout)).expect("an answer");
        assert!(verdict.is_proved(), "{verdict}");
    });
}

#[divan::bench(args = ["all tiers", "GF(2)", "enumeration", "ISL in binary coordinates"])]
fn within_128_threads_by_128_values(bencher: Bencher<'_, '_>, tier: &str) {
    let layout = any(TILE);
    let prover = prover(tier);
    bencher.bench_local(|| {
        let verdict = prover.within(black_box(&layout), 0, 16384).expect("an answer");
        assert!(verdict.is_proved(), "{verdict}");
    });
}

const SWIZZLES: &[(u32, u32, i32)] = &[(2, 0, 3), (3, 4, 3), (3, 4, 4), (4, 4, 8), (8, 0, 8)];

/// `S o S` is the identity, by matrices.
#[divan::bench(args = SWIZZLES)]
fn involution_by_matrices(bencher: Bencher<'_, '_>, &(b, m, s): &(u32, u32, i32)) {
    let swizzle = Swizzle::new(b, m, s).expect("a swizzle");
    let size = swizzle.period();
    let identity = any(&format!("{size}:1"));
    let prover = Prover::new(LIMITS);
    bencher.bench_local(|| {
        let linear = LinearLayout::from_swizzle(&swizzle, size).expect("a linear layout");
        let twice = linear.flatten_ins();
        let back = LinearLayout::from_swizzle(&swizzle, size).expect("a linear layout");
        let inputs = [(layout_algebra::linear::OFFSET, size)];
        let back = back.reshape_ins(&inputs).expect("the same bits");
        let twice = twice.compose(&back).expect("a composition");
        let verdict = prover.equal(&twice, &identity).expect("an answer");
        assert!(verdict.is_proved(), "{verdict}");
    });
}

/// `S o S` is the identity, by ISL on bits.
#[divan::bench(args = SWIZZLES, max_time = 2)]
fn involution_by_relations_of_bits(bencher: Bencher<'_, '_>, &(b, m, s): &(u32, u32, i32)) {
    let swizzle = Swizzle::new(b, m, s).expect("a swizzle");
    let nothing = Swizzle::new(0, b + m, s).expect("a swizzle");
    let context = Context::new(LIMITS).expect("a context");
    bencher.bench_local(|| {
        let mapping = binary_swizzle_mapping(&context, &swizzle).expect("a relation");
        let identity = binary_swizzle_mapping(&context, &nothing).expect("a relation");
        let twice = mapping.then(&mapping).expect("a relation");
        assert_eq!(twice.is_equal(&identity), Ok(true));
    });
}

#[divan::bench]
fn relation_of_128_threads_by_128_values(bencher: Bencher<'_, '_>) {
    let layout = any(TILE);
    let context = Context::new(LIMITS).expect("a context");
    bencher.bench_local(|| any_layout_mapping(&context, black_box(&layout)).expect("a relation"));
}
