//! Rules on indices, proved for more than small words: bit by bit and as polynomials at every width, and by
//! ISL at 32 bits.
//!
//! For ISL the variables that stand for constants are constants of a list. The others are symbolic: of all
//! that may be known of them, the loosest facts are taken under which the condition holds, and no integer
//! that they admit distinguishes the two sides. A word is an integer here, and what wraps does so by a
//! remainder modulo 2^32.

use crate::support;

use egg::{ENodeOrVar, Id, Language, Pattern, RecExpr};
use layout_algebra::Value;
use layout_egraph::{
    facts::{Facts, Number},
    index::{IndexOp, bounds, wrap},
    node::Node,
    rules::{self, Known, Rule},
    sets::{Piece, pieces},
    symbol::Symbol,
};
use layout_relation::{Context, IntegerSet, Limits};
use std::{collections::BTreeMap, time::Duration};
use support::{Proof, is_constant};

fn pattern(text: &str) -> Pattern<Node> {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn rules_of(proof: Proof) -> impl Iterator<Item = &'static Rule> {
    rules::all().filter(move |rule| Proof::of(rule) == proof)
}

/// A truth table at a width of one bit, of which every operation on bits is made.
#[test]
fn logic_holds_for_every_bit() {
    let mut count = 0;
    for rule in rules_of(Proof::Bits) {
        let names = rules::variables(rule.left);
        let (left, right) = (pattern(rule.left), pattern(rule.right));
        for row in 0..1_usize << names.len() {
            let value = |name: &str| {
                let place = names.iter().position(|known| known == name)?;
                Some(Value::Int(-i64::try_from(row >> place & 1).ok()?))
            };
            let sides = [&left, &right].map(|side| rules::evaluate(side, &value, 1));
            assert!(sides[0].is_some() && sides[0] == sides[1], "{}: {sides:?}", rule.name);
        }
        count += 1;
    }
    assert!(count >= 15, "{count}");
}

/// Products of variables, sorted, with their coefficients.
type Polynomial = BTreeMap<Vec<String>, i64>;

fn sum(a: &Polynomial, b: &Polynomial, sign: i64) -> Polynomial {
    let mut sum = a.clone();
    for (term, coefficient) in b {
        *sum.entry(term.clone()).or_default() += sign * coefficient;
    }
    sum.retain(|_, coefficient| *coefficient != 0);
    sum
}

fn product(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut all = Polynomial::new();
    for (x, m) in a {
        for (y, n) in b {
            let mut term = [x.clone(), y.clone()].concat();
            term.sort();
            *all.entry(term).or_default() += m * n;
        }
    }
    all.retain(|_, coefficient| *coefficient != 0);
    all
}

fn polynomial(side: &Pattern<Node>) -> Polynomial {
    let mut found: Vec<Polynomial> = Vec::new();
    for node in &*side.ast {
        let made = match node {
            ENodeOrVar::Var(var) => Polynomial::from([(vec![var.to_string()], 1)]),
            ENodeOrVar::ENode(Node::Literal(Value::Int(0))) => Polynomial::new(),
            ENodeOrVar::ENode(Node::Literal(Value::Int(value))) => {
                Polynomial::from([(vec![], *value)])
            }
            ENodeOrVar::ENode(Node::Index(op, below)) => {
                let of = |i: usize| &found[usize::from(below[i])];
                // The quotient of two polynomials as an unknown, whatever it is; 0 divides on neither side.
                let quotient = || {
                    let name = format!("{:?} / {:?}", of(0), of(1));
                    Polynomial::from([(vec![name], 1)])
                };
                match op {
                    IndexOp::Add => sum(of(0), of(1), 1),
                    IndexOp::Sub => sum(of(0), of(1), -1),
                    IndexOp::Mul => product(of(0), of(1)),
                    IndexOp::Mad => sum(&product(of(0), of(1)), of(2), 1),
                    IndexOp::Add3 => sum(&sum(of(0), of(1), 1), of(2), 1),
                    IndexOp::Div => quotient(),
                    IndexOp::Mod => sum(of(0), &product(&quotient(), of(1)), -1),
                    other => panic!("{other:?} is no operation of a ring"),
                }
            }
            other => panic!("{other:?} is no index"),
        };
        found.push(made);
    }
    found.pop().expect("a side")
}

/// An equation of polynomials over the integers holds in every commutative ring. One whose sides divide by the
/// same holds wherever that is not 0; where it is, neither side has a value, as words of few bits show.
#[test]
fn rings_hold_at_every_width() {
    let mut count = 0;
    for rule in rules_of(Proof::Ring) {
        let sides = [rule.left, rule.right].map(|side| polynomial(&pattern(side)));
        assert_eq!(sides[0], sides[1], "{}", rule.name);
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

const WIDTH: u32 = 32;

/// A side as a term, for what stands for its variables.
fn term(side: &Pattern<Node>, values: &BTreeMap<&str, Node>) -> Option<RecExpr<Node>> {
    let mut term = RecExpr::default();
    let mut places: Vec<Id> = Vec::new();
    for node in &*side.ast {
        let node = match node {
            ENodeOrVar::Var(var) => values.get(var.to_string().trim_start_matches('?'))?.clone(),
            ENodeOrVar::ENode(node) => {
                node.clone().map_children(|child| places[usize::from(child)])
            }
        };
        places.push(term.add(node));
    }
    Some(term)
}

/// Constants that a rule may see.
fn constants(count: usize) -> Vec<Vec<i64>> {
    let list: &[i64] = match count {
        0 | 1 => &[
            -128,
            -12,
            -1,
            0,
            1,
            2,
            3,
            4,
            5,
            7,
            8,
            12,
            31,
            32,
            48,
            64,
            96,
            100,
            255,
            256,
            1000,
            4096,
            65_536,
            1_048_576,
            1 << 30,
            i32::MAX as i64,
        ],
        2 => &[-12, -4, -3, 0, 1, 2, 4, 5, 12, 64, 1 << 20],
        _ => &[-6, -1, 1, 2, 3, 12],
    };
    (0..count).fold(vec![vec![]], |all: Vec<Vec<i64>>, _| {
        all.iter()
            .flat_map(|one| list.iter().map(move |&c| [one.clone(), vec![c]].concat()))
            .collect()
    })
}

/// The possible facts of a variable, beside constants: the loosest first.
fn knowledge(constants: &[i64]) -> Vec<Number> {
    let (least, greatest) = bounds(WIDTH);
    let mut all = vec![Number::any(WIDTH)];
    let mut add = |low, high, multiple: i64| {
        all.extend(Number::between(low, high, multiple.unsigned_abs().max(1), WIDTH));
    };
    add(0, greatest, 1);
    for &c in constants {
        add(least, greatest, c);
        add(0, greatest, c);
    }
    for &c in constants.iter().filter(|&&c| c > 0) {
        add(0, greatest / c, 1);
        add(0, greatest / 4, c);
    }
    add(0, greatest / 4, 1);
    for &c in constants.iter().filter(|&&c| c > 1) {
        add(0, c - 1, 1);
    }
    add(0, 1023, 1);
    add(-512, 511, 1);
    add(2048, 4095, 1);
    add(0, 1, 1);
    all
}

/// Whether all that `tight` admits, `loose` does.
fn covers(loose: &Number, tight: &Number) -> bool {
    loose.low <= tight.low
        && tight.high <= loose.high
        && tight.multiple.is_multiple_of(loose.multiple)
        && loose.zeros & !tight.zeros == 0
        && loose.ones & !tight.ones == 0
}

/// Proves a rule: how many questions ISL answered.
fn prove(rule: &Rule, context: &Context) -> usize {
    let names = rules::variables(rule.left);
    let (left, right) = (pattern(rule.left), pattern(rule.right));
    let fixed: Vec<&str> = names.iter().map(String::as_str).filter(|n| is_constant(n)).collect();
    let free: Vec<&str> = names.iter().map(String::as_str).filter(|n| !is_constant(n)).collect();
    let mut questions = 0;
    for constants in constants(fixed.len()) {
        let known = knowledge(&constants);
        let cases = (0..free.len()).fold(vec![vec![]], |all: Vec<Vec<Number>>, _| {
            let extend = |one: &Vec<Number>| {
                let one = one.clone();
                known.iter().map(move |&n| [one.clone(), vec![n]].concat())
            };
            all.iter().flat_map(extend).collect()
        });
        let mut proved: Vec<Vec<Number>> = Vec::new();
        for case in cases {
            if proved.iter().any(|loose| loose.iter().zip(&case).all(|(a, b)| covers(a, b))) {
                continue;
            }
            let numbers = constants.iter().map(|&c| Number::constant(c, WIDTH)).chain(case.clone());
            let facts: BTreeMap<&str, Facts> =
                fixed.iter().chain(&free).copied().zip(numbers.map(Facts::of_number)).collect();
            let lookup = |name: &str| facts.get(name);
            let Some(computed) = rule.instantiate(&Known::new(&lookup, WIDTH)) else { continue };
            let mut values: BTreeMap<&str, Node> = BTreeMap::new();
            for (&name, &c) in fixed.iter().zip(&constants) {
                values.insert(name, Node::Literal(Value::Int(c)));
            }
            for (name, value) in &computed {
                let Value::Int(value) = value else { panic!("{}: {value}", rule.name) };
                assert_eq!(wrap(*value, WIDTH), *value, "{}", rule.name);
                values.insert(name, Node::Literal(Value::Int(*value)));
            }
            let mut domain: Vec<String> = Vec::new();
            for (&name, number) in free.iter().zip(&case) {
                let &Number { low, high, multiple, .. } = number;
                domain.push(format!("{low} <= {name} <= {high}"));
                if number.multiple > 1 {
                    domain.push(format!("{name} mod {} = 0", number.multiple));
                }
                let symbol = Symbol { low, high, multiple, ..Symbol::any(name) };
                values.insert(name, Node::Symbol(symbol));
            }
            // A side that has no value: no divisor, or a shift by too much. Then neither has the other.
            let side = |side| pieces(&term(side, &values)?, &|s| Some(Piece::unknown(s)), WIDTH);
            let (Some(a), Some(b)) = (side(&left), side(&right)) else { continue };
            for a in &a {
                for b in &b {
                    let differ = format!("{} != {}", a.text(), b.text());
                    let parts = [&domain[..], a.conditions(), b.conditions(), &[differ]].concat();
                    let text = format!("{{ [{}] : {} }}", free.join(","), parts.join(" and "));
                    let set = IntegerSet::parse(context, &text)
                        .unwrap_or_else(|error| panic!("{}: {text}: {error}", rule.name));
                    let empty = set
                        .is_empty()
                        .unwrap_or_else(|error| panic!("{}: {text}: {error}", rule.name));
                    assert!(empty, "{}: {:?} of {text}", rule.name, set.least());
                    questions += 1;
                }
            }
            proved.push(case);
        }
    }
    questions
}

/// Every second rule, so that two threads share the work.
fn prove_half(half: usize) {
    let limits = Limits { operations: 20_000_000, time: Duration::from_secs(20) };
    let context = Context::new(limits).expect("memory");
    let mut count = 0;
    for rule in rules_of(Proof::Isl).skip(half).step_by(2) {
        let start = std::time::Instant::now();
        let questions = prove(rule, &context);
        let time = start.elapsed();
        println!("{} by {}: {questions} questions in {time:?}", rule.name, Proof::Isl.name());
        assert!(questions > 0, "{} is never checked", rule.name);
        count += 1;
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn isl_proves_rules_on_words_of_32_bits() {
    prove_half(0);
}

#[test]
fn isl_proves_the_other_rules_on_words_of_32_bits() {
    prove_half(1);
}

/// Rules whose condition is weakened: the proofs refute, and do not only accept.
#[test]
fn isl_refutes_what_does_not_hold() {
    let refutes = |name: &str, holds: fn(&Known<'_>) -> bool| {
        let rule = Rule { holds, ..*rules::find(name).expect("a rule") };
        assert_eq!(Proof::of(&rule), Proof::Isl, "{name}");
        let prove = || prove(&rule, &Context::new(Limits::default()).expect("memory"));
        assert!(std::panic::catch_unwind(prove).is_err(), "{name}");
    };
    refutes("div-of-sum", |known| known.positive("c").is_some());
    refutes("mod-of-mod", |known| known.positive("c").and(known.positive("d")).is_some());
    // The sum may wrap.
    refutes("less-of-sum", |known| known.int("c").and(known.int("d")).is_some());
}
