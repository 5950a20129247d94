//! Random terms of both languages: the simplified term is equal, no more expensive, and the same on every
//! run and every number of threads.

use layout_algebra::Term;
use layout_egraph::{
    Budget, Settings, agree,
    cost::{Chip, Model},
    optimise, read, simplify, write,
};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Instant,
};

/// Small random terms, from a seed.
struct Terms(u64);

impl Terms {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn layout(&mut self) -> String {
        let extent = |this: &mut Self| [1, 2, 2, 3, 4, 8][this.below(6) as usize];
        let stride = |this: &mut Self| [0, 1, 1, 2, 4, 8, 16][this.below(7) as usize];
        match self.below(3) {
            0 => format!("{}:{}", extent(self), stride(self)),
            1 => {
                let (a, b, c, d) = (extent(self), extent(self), stride(self), stride(self));
                format!("({a},{b}):({c},{d})")
            }
            _ => {
                let (a, b, c) = (extent(self), extent(self), extent(self));
                format!("({a},({b},{c})):(1,({a},{}))", a * b)
            }
        }
    }

    fn term(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.layout();
        }
        match self.below(11) {
            0 => format!("coalesce({})", self.term(depth - 1)),
            1 => format!("flatten({})", self.term(depth - 1)),
            2 | 3 => format!("composition({}, {})", self.term(depth - 1), self.term(depth - 1)),
            4 => format!("right_inverse({})", self.term(depth - 1)),
            5 => format!("make_layout({}, {})", self.term(depth - 1), self.term(depth - 1)),
            6 => format!("get(make_layout({}, {}), 1)", self.term(depth - 1), self.layout()),
            7 => format!("logical_divide({}, {})", self.term(depth - 1), self.layout()),
            8 => format!("logical_product({}, {})", self.term(depth - 1), self.layout()),
            9 => format!("composition({}, <_>)", self.term(depth - 1)),
            _ => format!("complement({}, 64)", self.term(depth - 1)),
        }
    }
}

/// Random index arithmetic, with layouts applied in it.
struct Indices(Terms);

impl Indices {
    fn constant(&mut self) -> u64 {
        [1, 2, 3, 4, 5, 7, 8, 12, 14, 16, 32, 64, 96][self.0.below(13) as usize]
    }

    fn term(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.0.below(6) {
                0 | 1 => "t:0..127".to_owned(),
                2 => "b:0..999~block".to_owned(),
                3 => "k:0..15@1".to_owned(),
                4 => "m:0..960%32".to_owned(),
                _ => self.constant().to_string(),
            };
        }
        let x = self.term(depth - 1);
        match self.0.below(12) {
            0 | 1 => format!("(add {x} {})", self.term(depth - 1)),
            2 => format!("(mul {x} {})", self.constant()),
            3 | 4 => format!("(div {x} {})", self.constant()),
            5 | 6 => format!("(mod {x} {})", self.constant()),
            7 => {
                let c = self.constant();
                format!("(add (mul (div {x} {c}) {}) (mod {x} {c}))", self.constant())
            }
            8 => format!("(xor {x} {})", self.term(depth - 1)),
            9 => format!("(and {x} {})", self.constant() - 1),
            10 => format!("(shl {x} {})", self.0.below(5)),
            _ => format!("(crd2idx {x} [{}])", self.0.layout()),
        }
    }
}

/// A layout term simplified, with evaluation and with rules alone: the same value, hence the same
/// offset at each coordinate, and no higher cost. The results as text.
fn layout_term(text: &str) -> String {
    let term = Term::parse(text).expect("well formed");
    let value = term.eval();
    let mut results = String::new();
    for evaluate in [true, false] {
        let budget = Budget { evaluate, nodes: 400, iterations: 4, ..Budget::default() };
        let simplified = simplify(&term, &budget).unwrap_or_else(|error| panic!("{text}: {error}"));
        if let Ok(value) = &value {
            let found = simplified.term.eval();
            assert_eq!(found.as_ref(), Ok(value), "{text} -> {}", simplified.term);
        }
        assert!(simplified.report.cost_after <= simplified.report.cost_before, "{text}");
        results += &format!("{} {:?}\n", simplified.term, simplified.report);
    }
    results
}

/// Index arithmetic made cheapest: the same value at values of its symbols, and no higher cost.
fn index_term(text: &str) -> String {
    let expr = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let model = Model::Nvptx(Chip::named("sm_90a").expect("a chip"));
    let usual = Settings::new(model, 32);
    let budget = Budget { nodes: 400, iterations: 4, ..usual.budget };
    let settings = Settings { budget, searches: 2, ..usual };
    let root = [(expr.len() - 1).into()];
    let found = optimise(&expr, &root, &settings).unwrap_or_else(|error| panic!("{text}: {error}"));
    let cheapest = write(&found.expr);
    assert!(agree(&expr, &found.expr, 32).is_some(), "{text} -> {cheapest}");
    assert!(found.summary.cost_after <= found.summary.cost_before, "{text} -> {cheapest}");
    format!("{cheapest} {:?}\n", found.summary)
}

/// Checks random terms of both languages, one in five of index arithmetic, on so many threads; the
/// digest of all results in order, so that runs can be compared.
fn check(seed: u64, count: usize, threads: usize) -> u64 {
    let mut layouts = Terms(seed);
    let mut indices = Indices(Terms(seed + 1));
    let texts: Vec<String> =
        (0..count).map(|i| if i % 5 == 4 { indices.term(3) } else { layouts.term(3) }).collect();
    let digest = |from: usize, texts: &[String]| -> Vec<u64> {
        let digests = texts.iter().enumerate().map(|(i, text)| {
            let index = (from + i) % 5 == 4;
            let mut hasher = DefaultHasher::new();
            if index { index_term(text) } else { layout_term(text) }.hash(&mut hasher);
            hasher.finish()
        });
        digests.collect()
    };
    let share = count.div_ceil(threads).max(1);
    let all: Vec<u64> = std::thread::scope(|scope| {
        let parts: Vec<_> = texts
            .chunks(share)
            .enumerate()
            .map(|(part, texts)| scope.spawn(move || digest(part * share, texts)))
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("terms that hold")).collect()
    });
    let mut hasher = DefaultHasher::new();
    all.hash(&mut hasher);
    hasher.finish()
}

/// As [`check`] on so many threads as there are processors, with the time.
fn check_once(seed: u64, count: usize) -> u64 {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let digest = check(seed, count, threads);
    println!("{count} terms on {threads} threads in {:?}", start.elapsed());
    digest
}

/// Twice in a row, and on one thread more: the results are the same.
fn check_repeatedly(seed: u64, count: usize) {
    let digest = check_once(seed, count);
    assert_eq!(check_once(seed, count), digest, "a second run");
    let threads = std::thread::available_parallelism().map_or(1, usize::from) + 1;
    assert_eq!(check(seed, count, threads), digest, "{threads} threads");
}

#[test]
fn simplified_terms_are_equal_cheaper_and_repeatable() {
    let digest = check(1, 1000, 1);
    assert_eq!(check(1, 1000, 1), digest, "a second run");
    assert_eq!(check(1, 1000, 3), digest, "three threads");
}

#[test]
#[ignore = "a minute: cargo test -p layout-egraph --test terms hundred -- --ignored --nocapture"]
fn a_hundred_thousand_terms_are_consistent() {
    check_once(2, 100_000);
}

#[test]
#[ignore = "minutes: cargo test --release -p layout-egraph --test terms million -- --ignored --nocapture"]
fn a_million_terms_are_consistent() {
    check_repeatedly(3, 1_000_000);
}

#[test]
#[ignore = "a minute: cargo test -p layout-egraph --test terms twenty -- --ignored --nocapture"]
fn twenty_thousand_terms_are_consistent() {
    check_repeatedly(4, 20_000);
}
