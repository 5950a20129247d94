//! Random terms of both languages: the simplified term is equal, no more expensive, and the same on every
//! run and every number of threads.

use layout_algebra::{Term, Value};
use layout_egraph::{
    Budget, Settings, agree,
    cost::{Chip, Model},
    facts::Facts,
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

/// Random terms of every operation, with every kind of operand: what the small terms leave out.
struct Wide(Terms);

impl Wide {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.0.below(of.len() as u64) as usize]
    }

    fn number(&mut self) -> i64 {
        [0, 1, 2, 3, 4, 6, 8, 16, -1, -2][self.0.below(10) as usize]
    }

    /// Plain layouts with strides of both signs, composed ones, ones into coordinates, swizzles.
    fn leaf(&mut self) -> String {
        let extent = |this: &mut Self| [1, 2, 2, 3, 4, 8][this.0.below(6) as usize];
        let stride = |this: &mut Self| [0, 1, 1, 2, 4, 8, -1, -2, -4][this.0.below(9) as usize];
        let plain = match self.0.below(4) {
            0 => format!("{}:{}", extent(self), stride(self)),
            1 => format!("({}):({})", extent(self), stride(self)),
            2 => {
                let (a, b, c, d) = (extent(self), extent(self), stride(self), stride(self));
                format!("({a},{b}):({c},{d})")
            }
            _ => {
                let (a, b, c) = (extent(self), extent(self), extent(self));
                let (d, e, f) = (stride(self), stride(self), stride(self));
                format!("({a},({b},{c})):({d},({e},{f}))")
            }
        };
        match self.0.below(12) {
            0..=5 => plain,
            6 => self.0.layout(),
            7 | 8 => format!("{} o {} o {plain}", self.swizzle(), self.0.below(5)),
            9 => self
                .pick(&["make_identity_layout((4,2))", "make_identity_layout((2,(2,4)))"])
                .into(),
            10 => self.swizzle(),
            _ => format!("to_linear({})", self.0.layout()),
        }
    }

    fn swizzle(&mut self) -> String {
        let all =
            ["S<1,0,1>", "S<2,1,3>", "S<0,4,4>", "S<0,0,0>", "S<1,2,-1>", "S<2,0,-2>", "S<3,0,2>"];
        self.pick(&all).to_owned()
    }

    fn tiler(&mut self, depth: u32) -> String {
        match self.0.below(5) {
            0 => self.pick(&["(1,2)", "(2,2)", "4", "(2)", "2"]).to_owned(),
            1 => {
                self.pick(&["<2:1, _>", "<_, 2:1>", "<_>", "_", "<2:1, 2:1>", "<2, 2>"]).to_owned()
            }
            _ => self.term(depth),
        }
    }

    fn term(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let below = depth - 1;
        let a = self.term(below);
        match self.0.below(10) {
            0 | 1 => {
                let all = [
                    "coalesce",
                    "flatten",
                    "sort",
                    "filter",
                    "filter_zeros",
                    "right_inverse",
                    "left_inverse",
                    "nullspace",
                    "to_linear",
                    "to_layout",
                    "invert",
                    "pseudo_invert",
                    "make_layout_like",
                    "complement",
                ];
                format!("{}({a})", self.pick(&all))
            }
            2 | 3 => format!("composition({a}, {})", self.tiler(below)),
            4 | 5 => {
                let all = [
                    "logical_divide",
                    "zipped_divide",
                    "tiled_divide",
                    "flat_divide",
                    "logical_product",
                    "zipped_product",
                    "tiled_product",
                    "flat_product",
                ];
                let name = self.pick(&all);
                format!("{name}({a}, {})", self.tiler(below))
            }
            6 => {
                let all = [
                    "make_layout",
                    "append",
                    "prepend",
                    "zip",
                    "blocked_product",
                    "raked_product",
                    "invert_and_compose",
                    "max_common_layout",
                ];
                let name = self.pick(&all);
                format!("{name}({a}, {})", self.term(below))
            }
            7 => {
                let name = self.pick(&["upcast", "downcast", "complement", "get", "select"]);
                format!("{name}({a}, {})", self.number())
            }
            8 => match self.0.below(3) {
                0 => format!("recast({a}, {}, {})", self.number(), self.number()),
                1 => {
                    let bits = self.number();
                    format!("recast({a}, {bits}, {bits})")
                }
                _ => format!("{}({})", self.pick(&["size", "cosize", "rank", "depth"]), a),
            },
            _ => {
                let name = self.pick(&["slice", "dice"]);
                let at = self.pick(&["_", "(_,1)", "(1,_)", "(_,_)", "(_,0)", "0"]);
                format!("{name}({at}, {a})")
            }
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

/// A wide term simplified by rules alone, in text: no fact contradicts another, a value stays what it is, and what
/// has none gets none. What is known of both terms is equal.
fn wide_term(text: &str) -> Result<String, String> {
    let Ok(term) = Term::parse(text) else { return Ok(String::new()) };
    let budget = Budget { evaluate: false, nodes: 300, iterations: 4, ..Budget::default() };
    let simplified = simplify(&term, &budget).map_err(|error| format!("{text}: {error}"))?;
    let (before, after) = (term.eval().ok(), simplified.term.eval().ok());
    if before != after {
        return Err(format!("{text} -> {}: {before:?} is not {after:?}", simplified.term));
    }
    let known = |value: &Option<Value>| value.clone().map(|value| Facts::of_value(value, 64));
    if known(&before) != known(&after) {
        return Err(format!("{text} -> {}: facts differ", simplified.term));
    }
    Ok(format!("{} {:?}\n", simplified.term, simplified.report.stop))
}

/// Checks wide terms on so many threads as there are processors: what went wrong, and how many changed.
fn check_wide(seed: u64, count: usize) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let run = |part: usize| {
        let mut terms = Wide(Terms(seed + part as u64));
        let (mut wrong, mut valued) = (Vec::new(), 0);
        for i in 0..count / threads {
            let text = terms.term(1 + (i % 3) as u32);
            valued += usize::from(Term::parse(&text).is_ok_and(|term| term.eval().is_ok()));
            wrong.extend(wide_term(&text).err());
            if wrong.len() > 40 {
                break;
            }
        }
        (wrong, valued)
    };
    let parts: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let run = &run;
        let parts: Vec<_> = (0..threads).map(|part| scope.spawn(move || run(part))).collect();
        parts.into_iter().map(|part| part.join().expect("no panic")).collect()
    });
    let valued: usize = parts.iter().map(|(_, valued)| valued).sum();
    let wrong: Vec<String> = parts.into_iter().flat_map(|(wrong, _)| wrong).collect();
    println!("{count} terms, {valued} with a value, in {:?}", start.elapsed());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(valued > count / 10, "{valued} of {count} terms have a value");
}

#[test]
fn rules_alone_keep_the_values_of_wide_terms() {
    check_wide(100, 40_000);
}

#[test]
#[ignore = "minutes: cargo test --release -p layout-egraph --test terms wide_terms_by_the_million -- --ignored --nocapture"]
fn wide_terms_by_the_million() {
    check_wide(200, 1_000_000);
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
