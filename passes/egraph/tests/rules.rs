//! The whole table, checked against evaluation: every rule on all small operands, its firing, and
//! its counterexample.

use layout_algebra::{Layout, Term, Value};
use layout_egraph::{
    Budget,
    rules::{self, Known, RULES, Rule},
    simplify,
};
use std::collections::{BTreeMap, BTreeSet};

fn value(text: &str) -> Value {
    Term::parse(text).and_then(|term| term.eval()).expect("a value")
}

/// All layouts of up to two modes with small extents and strides, flat and nested.
fn layouts() -> Vec<Value> {
    let mut all: BTreeSet<Value> = BTreeSet::new();
    let leaves: Vec<(i64, i64)> =
        [1, 2, 3, 4].into_iter().flat_map(|n| [0, 1, 2, 3, 4, 8].map(|d| (n, d))).collect();
    for &(n, d) in &leaves {
        all.insert(value(&format!("{n}:{d}")));
    }
    let some: Vec<_> = leaves.iter().filter(|&&(n, _)| n != 3).collect();
    for &&(n, d) in &some {
        for &&(m, e) in &some {
            all.insert(value(&format!("({n},{m}):({d},{e})")));
        }
    }
    for text in ["((2,2),2):((1,2),4)", "(2,(2,2)):(4,(2,1))", "((4)):((1))", "8:1", "(3,2):(2,1)"]
    {
        all.insert(value(text));
    }
    all.into_iter().collect()
}

/// Candidates for a variable, by what its letter stands for.
fn candidates(name: &str, layouts: &[Value], plain: usize) -> Vec<Value> {
    let ints = |values: &[i64]| values.iter().copied().map(Value::Int).collect::<Vec<_>>();
    match name {
        "n" => ints(&[1, 2, 4, 8, 16, 24]),
        "y" | "z" => ints(&[0, 1]),
        "t" | "s" => {
            let mut tilers: Vec<Value> = ["<_>", "<_, _>", "<2:1, _>", "(2,2)"].map(value).to_vec();
            tilers.extend(["2:1", "1:0", "2:2"].map(value));
            tilers
        }
        // Pairs and triples of all would be many; identities are what several rules look for.
        _ if plain > 1 => {
            let identities = ["2:1", "4:1", "8:1", "16:1"].map(value);
            let step = if plain == 2 { 5 } else { 13 };
            layouts.iter().step_by(step).cloned().chain(identities).collect()
        }
        _ => layouts.to_vec(),
    }
}

/// Every binding of a rule's variables to candidates.
fn bindings(rule: &Rule) -> Vec<BTreeMap<String, Value>> {
    let names = rules::variables(rule.left);
    let all = layouts();
    let plain =
        names.iter().filter(|name| !["n", "y", "z", "s", "t"].contains(&name.as_str())).count();
    let mut bindings = vec![BTreeMap::new()];
    for name in &names {
        let values = candidates(name, &all, plain);
        bindings = bindings
            .into_iter()
            .flat_map(|binding: BTreeMap<String, Value>| {
                values.iter().map(move |value| {
                    let mut binding = binding.clone();
                    binding.insert(name.clone(), value.clone());
                    binding
                })
            })
            .collect();
    }
    bindings
}

/// Both sides of a rule for a binding, and whether the condition holds.
fn sides(rule: &Rule, binding: &BTreeMap<String, Value>) -> (bool, Option<Value>, Option<Value>) {
    let lookup = |name: &str| binding.get(name).cloned();
    let known = Known::new(&lookup);
    let holds = (rule.holds)(&known);
    let computed = rule.computes.and_then(|computes| computes(&known));
    let right = |name: &str| if name == "v" { computed.clone() } else { lookup(name) };
    (holds, rules::evaluate(rule.left, &lookup), rules::evaluate(rule.right, &right))
}

#[test]
fn rows_are_complete_and_unique() {
    let mut names = BTreeSet::new();
    for rule in RULES {
        assert!(names.insert(rule.name), "{} stands twice", rule.name);
        assert!(!rules::variables(rule.left).is_empty(), "{}: the left side parses", rule.name);
        for name in rules::variables(rule.right) {
            let bound = rules::variables(rule.left).contains(&name);
            assert!(bound || (name == "v" && rule.computes.is_some()), "{}: ?{name}", rule.name);
        }
        for text in [rule.condition, rule.origin, rule.avoids] {
            assert!(!text.is_empty(), "{}", rule.name);
        }
    }
    assert!(RULES.len() >= 30, "{}", RULES.len());
}

/// Where the condition holds and the left side has a value, the right side has the same.
#[test]
fn rules_hold_on_all_small_operands() {
    for rule in RULES {
        let mut fired = 0;
        for binding in bindings(rule) {
            let (holds, left, right) = sides(rule, &binding);
            if holds && left.is_some() {
                fired += 1;
                assert_eq!(left, right, "{}: {binding:?}", rule.name);
            }
        }
        assert!(fired > 0, "{} never fires on small operands", rule.name);
    }
}

#[test]
fn counterexamples_are_kept_out() {
    for rule in RULES.iter().filter(|rule| !rule.counterexample.is_empty()) {
        let binding: BTreeMap<String, Value> = rule
            .counterexample
            .iter()
            .map(|&(name, text)| (name.to_owned(), value(text)))
            .collect();
        let (holds, left, right) = sides(rule, &binding);
        assert!(!holds, "{}: the condition holds for its counterexample", rule.name);
        assert_ne!(left, right, "{}: its counterexample is none", rule.name);
    }
}

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
#[test]
fn simplified_terms_are_equal_cheaper_and_repeatable() {
    let mut terms = Terms(1);
    for _ in 0..1500 {
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
fn layouts_print_and_parse() {
    for value in layouts() {
        assert!(value.to_string().parse::<Layout>().is_ok(), "{value}");
    }
}

/// The README's table is the table: names, equations and conditions in order.
#[test]
fn readme_lists_every_rule() {
    let readme = include_str!("../README.md");
    let listed: String = RULES
        .iter()
        .map(|rule| {
            format!(
                "| `{}` | `{}` | `{}` | {} | {} |\n",
                rule.name, rule.left, rule.right, rule.condition, rule.origin
            )
        })
        .collect();
    assert!(readme.contains(&listed), "expected in passes/egraph/README.md:\n{listed}");
}
