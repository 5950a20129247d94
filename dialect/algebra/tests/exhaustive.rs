//! The fast operations against the slow definition: every pair of small layouts, and random larger
//! ones. No answer may be wrong, and nothing that exists may be refused.
//!
//! `cargo test` runs a sample. All of it, and ten million random pairs:
//!
//! ```text
//! cargo test --release -p layout-algebra --test all exhaustive:: -- --ignored
//! ```

use layout_algebra::{Error, Layout, Tiler, Tuple, meaning};
use layout_random::{Numbers as Random, checked};

/// Leaves `extent:stride` of the small layouts.
fn leaves(extents: i64, strides: i64) -> Vec<(i64, i64)> {
    (1..=extents).flat_map(|extent| (0..=strides).map(move |stride| (extent, stride))).collect()
}

fn layout(modes: &[(i64, i64)]) -> Layout {
    let tuple = |values: Vec<i64>| match values[..] {
        [value] => Tuple::Leaf(value),
        _ => Tuple::Node(values.into_iter().map(Tuple::Leaf).collect()),
    };
    let shape = tuple(modes.iter().map(|mode| mode.0).collect());
    let stride = tuple(modes.iter().map(|mode| mode.1).collect());
    Layout::new(shape, stride).expect("small")
}

/// Every layout of rank 1 and 2.
fn small(extents: i64, strides: i64) -> Vec<Layout> {
    let leaves = leaves(extents, strides);
    let pairs = leaves.iter().flat_map(|&a| leaves.iter().map(move |&b| layout(&[a, b])));
    leaves.iter().map(|&a| layout(&[a])).chain(pairs).collect()
}

/// Draws of these tests.
trait Draws {
    fn below(&mut self, bound: i64) -> i64;

    /// A layout of rank 1 to 3, of sizes that are worth it: strides that often divide, often not.
    fn layout(&mut self) -> Layout;
}

impl Draws for Random {
    fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.number(u64::try_from(bound).expect("positive"))).expect("small")
    }

    fn layout(&mut self) -> Layout {
        const STRIDES: [i64; 12] = [0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24, 48];
        let rank = 1 + self.below(3);
        let modes: Vec<(i64, i64)> = (0..rank)
            .map(|_| {
                let stride = match self.below(3) {
                    0 => self.below(40),
                    _ => self.pick(&STRIDES),
                };
                (1 + self.below(8), stride)
            })
            .collect();
        layout(&modes)
    }
}

fn check_composition(a: &Layout, b: &Layout) {
    match a.composition(b) {
        Ok(result) => {
            assert!(meaning::is_composition(a, b, &result), "{a} o {b} = {result}: wrong");
        }
        Err(Error::NoComposition { coordinate, expected, .. }) => {
            assert!(!meaning::has_composition(a, b), "{a} o {b}: refused, and yet it exists");
            let at = meaning::offset(b, coordinate).and_then(|middle| meaning::offset(a, middle));
            assert_eq!(at, Some(expected), "{a} o {b}: no witness");
        }
        Err(error) => panic!("{a} o {b}: {error}"),
    }
}

fn check_divide(a: &Layout, b: &Layout) {
    let Ok(rest) = b.complement(&Tuple::Leaf(a.size())) else {
        assert!(a.logical_divide(&Tiler::Layout(b.clone())).is_err());
        return;
    };
    let both = Layout::make_layout(&[b.clone(), rest]).expect("small");
    match a.logical_divide(&Tiler::Layout(b.clone())) {
        Ok(result) => {
            let tile = result.mode(0).expect("a tile");
            assert!(meaning::is_composition(a, b, &tile), "{a} / {b} = {result}: wrong tile");
            let exact = meaning::exact_complement(b, a.size()).is_some();
            let reached = |layout: &Layout| {
                let mut offsets = meaning::offsets(layout);
                offsets.sort_unstable();
                offsets
            };
            if exact && meaning::refines(result.shape(), both.shape()) {
                assert!(meaning::is_composition(a, &both, &result), "{a} / {b} = {result}");
                // Only with tiles that do not repeat themselves is nothing repeated.
                if b.is_injective().expect("small") {
                    assert_eq!(reached(a), reached(&result), "{a} / {b} = {result}");
                }
            }
        }
        Err(_) => {
            assert!(!meaning::has_composition(a, &both), "{a} / {b}: refused, and yet it exists");
            if b.cosize().expect("small") <= a.size() {
                let shorter = a.coalesce().expect("small");
                assert!(!meaning::has_composition(&shorter, &both), "{a} / {b}: padded, it exists");
            }
        }
    }
}

/// A divide of a layout whose last modes have extent 1, which only padding answers.
#[test]
fn divides_past_modes_of_one() {
    let mut padded = 0;
    for (extent, stride, next) in (2..=7)
        .flat_map(|extent| (0..=3).map(move |stride| (extent, stride)))
        .flat_map(|(extent, stride)| [0, 1, 2, 10].map(|next| (extent, stride, next)))
    {
        for modes in
            [vec![(extent, stride), (1, next)], vec![(2, 7), (extent, stride), (1, next), (1, 5)]]
        {
            let a = layout(&modes);
            for (tile, step) in (1..=5).flat_map(|tile| (1..=6).map(move |step| (tile, step))) {
                for b in [layout(&[(tile, step)]), layout(&[(2, 1), (tile, 2 * step)])] {
                    check_divide(&a, &b);
                    let both = b
                        .complement(&Tuple::Leaf(a.size()))
                        .and_then(|rest| Layout::make_layout(&[b.clone(), rest]));
                    let quotient = a.logical_divide(&Tiler::Layout(b));
                    if let (Ok(both), Ok(result)) = (both, quotient)
                        && both.size() == result.size()
                        && !meaning::has_composition(&a, &both)
                    {
                        assert!(meaning::is_divide_inside(&a, &both, &result), "{a} / {both}");
                        padded += 1;
                    }
                }
            }
        }
    }
    assert!(padded > 100, "{padded}");
}

fn check_product(a: &Layout, b: &Layout) {
    let codomain = a.size() * b.cosize().expect("small");
    let places = a.complement(&Tuple::Leaf(codomain));
    match (a.logical_product(&Tiler::Layout(b.clone())), places) {
        (Ok(result), Ok(places)) => {
            assert_eq!(result.mode(0).as_ref(), Some(a));
            let repeated = result.mode(1).expect("places");
            assert!(meaning::is_composition(&places, b, &repeated), "{a} x {b} = {result}");
        }
        (Err(_), Ok(places)) => {
            assert!(!meaning::has_composition(&places, b), "{a} x {b}: refused, and yet it exists");
        }
        (result, Err(_)) => assert!(result.is_err()),
    }
}

fn check_one(a: &Layout) {
    assert!(meaning::same(a, &a.coalesce().expect("small")).is_ok(), "coalesce {a}");
    let inverse = a.right_inverse().expect("small");
    assert!(meaning::is_right_inverse(a, &inverse), "right inverse of {a}: {inverse}");
    let mut offsets = meaning::offsets(a);
    offsets.sort_unstable();
    offsets.dedup();
    let distinct = i64::try_from(offsets.len()).expect("small");
    let range = a.cosize().expect("small");
    assert_eq!(a.is_injective(), Ok(distinct == a.size()), "{a}");
    assert_eq!(a.is_surjective(), Ok(distinct == range), "{a}");
    assert_eq!(a.is_bijective(), Ok(distinct == a.size() && distinct == range), "{a}");
    if distinct == a.size() && distinct == range {
        assert_eq!(inverse.size(), a.size(), "{a}: the right inverse stops early");
    }
    if let Ok(inverse) = a.left_inverse() {
        assert!(meaning::is_left_inverse(a, &inverse), "left inverse of {a}: {inverse}");
    }
    for size in [1, 2, 6, 8, 12, 24, 32, 64] {
        let exact = meaning::exact_complement(a, size).filter(|moves| meaning::is_layout(moves));
        match a.complement(&Tuple::Leaf(size)) {
            Ok(rest) => {
                assert!(meaning::is_complement(a, &rest), "complement({a}, {size}) = {rest}");
                if let Some(moves) = exact {
                    let moves: Vec<_> = moves.into_iter().map(Some).collect();
                    assert_eq!(meaning::offsets(&rest), moves, "complement({a}, {size})");
                }
            }
            Err(error) => assert!(exact.is_none(), "complement({a}, {size}): {error}"),
        }
    }
}

/// Whether any layout of rank 1 or 2 leads back from the offsets of an injective layout.
fn has_left_inverse(a: &Layout) -> bool {
    let (size, reach) = (a.size(), a.cosize().expect("small"));
    let leads_back = |inverse: &Layout| meaning::is_left_inverse(a, inverse);
    (-size..=size).any(|first| {
        (2..=reach).any(|extent| {
            (-size..=size).any(|second| leads_back(&layout(&[(extent, first), (reach, second)])))
        })
    })
}

#[test]
fn left_inverses_are_found() {
    for a in small(3, 5) {
        if a.is_injective() == Ok(true) && a.left_inverse().is_err() {
            assert!(!has_left_inverse(&a), "{a} has a left inverse");
        }
    }
}

fn check_pair(a: &Layout, b: &Layout) {
    check_composition(a, b);
    check_divide(a, b);
    check_product(a, b);
}

fn random_pairs(count: u64, seed: u64) {
    for number in 0..count {
        checked(seed << 32 ^ number, |random| {
            let (a, b) = (random.layout(), random.layout());
            check_pair(&a, &b);
            check_one(&a);
        });
    }
}

#[test]
fn each_small_layout() {
    small(4, 8).iter().for_each(check_one);
}

#[test]
fn pairs_of_very_small_layouts() {
    let all = small(3, 4);
    all.iter().for_each(|a| all.iter().for_each(|b| check_pair(a, b)));
}

#[test]
fn random_pairs_sampled() {
    random_pairs(20_000, 1);
}

#[test]
#[ignore = "takes a minute; run with --release -- --ignored"]
fn pairs_of_small_layouts() {
    let all = small(4, 8);
    all.iter().for_each(|a| all.iter().for_each(|b| check_pair(a, b)));
}

#[test]
#[ignore = "takes some minutes; run with --release -- --ignored"]
fn ten_million_random_pairs() {
    let threads = 10;
    std::thread::scope(|scope| {
        for seed in 1..=threads {
            scope.spawn(move || random_pairs(10_000_000 / threads, seed * 7_919));
        }
    });
}
