//! Benchmarks of the algebra: times and allocations.
//!
//! ```text
//! cargo bench -p layout-algebra
//! ```

use divan::{Bencher, black_box, counter::ItemsCount};
use layout_algebra::{Layout, Term, Tiler, Tuple, linear::LinearLayout};

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

fn layout(text: &str) -> Layout {
    text.parse().expect("a layout")
}

/// A tile's rank-4 nested layout, and what partitions it.
const A: &str = "((8,16),(4,2),(2,8),64):((1,64),(8,1024),(32,2048),16384)";
const B: &str = "((4,2),8,(2,4),16):((1,8),16,(128,256),1024)";

#[divan::bench]
fn compose_rank_4_nested(bencher: Bencher<'_, '_>) {
    let (a, b) = (layout(A), layout(B));
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench_local(|| black_box(&a).composition(black_box(&b)));
}

#[divan::bench]
fn coalesce_rank_4_nested(bencher: Bencher<'_, '_>) {
    let a = layout(A);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| black_box(&a).coalesce());
}

#[divan::bench]
fn coalesce_to_one_mode(bencher: Bencher<'_, '_>) {
    let a = layout("((8,16),(4,2),(2,8),64):((1,8),(128,512),(1024,2048),16384)");
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| black_box(&a).coalesce());
}

#[divan::bench]
fn complement_of_a_tile(bencher: Bencher<'_, '_>) {
    let (a, size) = (layout("(8,4,16):(1,64,1024)"), Tuple::Leaf(1 << 20));
    bencher.bench_local(|| black_box(&a).complement(black_box(&size)));
}

#[divan::bench]
fn divide_by_a_tile(bencher: Bencher<'_, '_>) {
    let a = layout("(4096,4096):(4096,1)");
    let tiler = Tiler::from_shape(&"(128,64)".parse().expect("a shape")).expect("a tiler");
    bencher.bench_local(|| black_box(&a).logical_divide(black_box(&tiler)));
}

#[divan::bench]
fn right_inverse_of_a_tile(bencher: Bencher<'_, '_>) {
    let a = layout("((4,8),(2,4)):((64,1),(32,8))");
    bencher.bench_local(|| black_box(&a).right_inverse());
}

#[divan::bench]
fn layout_of_a_million_offsets(bencher: Bencher<'_, '_>) {
    let a = layout("((8,16),(4,2),(2,8),64):((1,64),(8,1024),(32,2048),16384)");
    let offsets: Vec<i64> = (0..1 << 20).map(|i| a.at(i).expect("small")).collect();
    bencher
        .counter(ItemsCount::new(offsets.len()))
        .bench_local(|| Layout::of_offsets(black_box(&offsets)));
}

#[divan::bench]
fn parse_and_evaluate(bencher: Bencher<'_, '_>) {
    let text = "zipped_divide((4096,4096):(4096,1), (128,64))";
    bencher.bench_local(|| Term::parse(black_box(text)).and_then(|term| term.eval()));
}

/// The part of a 128 by 128 tile that each thread of a block holds, and where shared memory has it.
const HELD: &str = "linear<{register = [(0,1),(8,0),(0,8),(0,16),(0,32),(64,0)], lane = \
     [(0,2),(0,4),(1,0),(2,0),(4,0)], warp = [(16,0),(32,0),(0,64)]} -> {row = 128, col = 128}>";
const STORED: &str = "linear<{offset = [(0,1),(0,2),(0,4),(0,8),(0,16),(0,32),(0,64),(1,8),(2,16),\
     (4,32),(8,0),(16,0),(32,0),(64,0)]} -> {row = 128, col = 128}>";

fn linear(text: &str) -> LinearLayout {
    text.parse().expect("a linear layout")
}

#[divan::bench]
fn linear_invert_and_compose(bencher: Bencher<'_, '_>) {
    let (held, stored) = (linear(HELD), linear(STORED));
    bencher.bench_local(|| black_box(&held).invert_and_compose(black_box(&stored)));
}

#[divan::bench]
fn linear_of_a_layout_and_back(bencher: Bencher<'_, '_>) {
    let a = layout("((8,16),(4,2),(2,8),64):((1,64),(8,1024),(32,2048),16384)");
    bencher.bench_local(|| LinearLayout::from_layout(black_box(&a)).and_then(|l| l.to_layout()));
}

#[divan::bench]
fn linear_swizzle_found(bencher: Bencher<'_, '_>) {
    let rows = linear("linear<{x = [1,2,4,8,16,32], y = [72,144,288,512]} -> {offset = 1024}>");
    bencher.bench_local(|| black_box(&rows).to_swizzled());
}

/// The longest search: as many bits as there may be, and no swizzle does.
#[divan::bench]
fn linear_swizzle_refused(bencher: Bencher<'_, '_>) {
    // Nothing parts two bases that are the same.
    let bases = (0..61).chain([0]).map(|bit| vec![1_i64 << bit]).collect();
    let layout = LinearLayout::new(&[("x", bases)], &[("offset", 1 << 62)]).expect("62 bits");
    assert!(layout.to_swizzled().is_err());
    bencher.bench_local(|| black_box(&layout).to_swizzled());
}
