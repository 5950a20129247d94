//! Random layout terms: the simplified term is equal, no more expensive, and the same on every run.

use layout_algebra::Term;
use layout_egraph::{Budget, simplify};

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

/// On random terms: the same value, no higher cost, and the same result twice, with evaluation and
/// with rules alone.
fn check(seed: u64, count: usize) {
    let mut terms = Terms(seed);
    for _ in 0..count {
        let text = terms.term(3);
        let term = Term::parse(&text).expect("well formed");
        for evaluate in [true, false] {
            let budget = Budget { evaluate, nodes: 400, iterations: 4, ..Budget::default() };
            let simplified =
                simplify(&term, &budget).unwrap_or_else(|error| panic!("{text}: {error}"));
            if let Ok(value) = term.eval() {
                assert_eq!(
                    simplified.term.eval().as_ref(),
                    Ok(&value),
                    "{text} -> {}",
                    simplified.term
                );
            }
            assert!(simplified.report.cost_after <= simplified.report.cost_before, "{text}");
            let again = simplify(&term, &budget).expect("as before");
            assert_eq!(simplified, again, "{text}");
        }
    }
}

#[test]
fn simplified_terms_are_equal_cheaper_and_repeatable() {
    check(1, 1000);
}

#[test]
#[ignore = "minutes: cargo test --release -p layout-egraph --test terms -- --ignored"]
fn a_hundred_thousand_terms_are_consistent() {
    check(2, 100_000);
}
