//! The whole table, proved on small operands: every rule holds wherever its condition does, its
//! condition is needed, and it fires.
//!
//! Rules on layouts are checked on all layouts of up to two modes with small extents and strides.
//! Rules on indices are checked at every word of small widths: once with operands that are known,
//! and once with all that may be known of operands that are not, since a condition sees facts.

use crate::support;

use egg::Pattern;
use layout_algebra::{Term, Tuple, Value};
use layout_egraph::{
    facts::{Facts, Number},
    index::bounds,
    node::Node,
    rules::{self, FAMILIES, Known, Rule, RuleLanguage},
};
use std::collections::{BTreeMap, BTreeSet};
use support::Proof;

/// A rule with its patterns parsed.
struct Row {
    rule: &'static Rule,
    left: Pattern<Node>,
    right: Pattern<Node>,
    names: Vec<String>,
}

impl Row {
    fn new(rule: &'static Rule) -> Self {
        let parse = |text: &str| {
            text.parse().unwrap_or_else(|error| panic!("{}: {text}: {error:?}", rule.name))
        };
        let names = rules::variables(rule.left);
        Self { rule, left: parse(rule.left), right: parse(rule.right), names }
    }

    fn of(speaks: RuleLanguage) -> impl Iterator<Item = Self> {
        let families = FAMILIES.iter().filter(move |family| family.language == speaks);
        families.flat_map(|family| family.rules).map(Self::new)
    }

    /// Both sides for values of the variables; the right side computes from `facts`.
    fn sides(
        &self,
        values: &BTreeMap<&str, Value>,
        facts: &BTreeMap<&str, Facts>,
        width: u32,
    ) -> Option<(Option<Value>, Option<Value>)> {
        let lookup = |name: &str| facts.get(name);
        let known = Known::new(&lookup, width);
        let computed: Option<BTreeMap<&str, Value>> = self
            .rule
            .computes
            .iter()
            .map(|&(name, compute)| Some((name, compute(&known)?)))
            .collect();
        let computed = computed?;
        let left = rules::evaluate(&self.left, &|name| values.get(name).cloned(), width);
        let right = |name: &str| computed.get(name).or_else(|| values.get(name)).cloned();
        Some((left, rules::evaluate(&self.right, &right, width)))
    }

    fn holds(&self, facts: &BTreeMap<&str, Facts>, width: u32) -> bool {
        let lookup = |name: &str| facts.get(name);
        (self.rule.holds)(&Known::new(&lookup, width))
    }
}

fn value(text: &str) -> Value {
    Term::parse(text).and_then(|term| term.eval()).unwrap_or_else(|error| panic!("{text}: {error}"))
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

/// The values that may stand for a layout, besides plain layouts with natural strides: swizzles that move bits
/// down and up, that move none, and that are no involution; with offsets, and under layouts; strides
/// below 0, and strides into coordinates; integers, shapes and matrices.
const OTHERS: &[&str] = &[
    "S<1,0,1> o 0 o (4,4):(4,1)",
    "S<1,1,1> o 4 o 8:1",
    "S<0,4,4> o 0 o (4,2):(2,1)",
    "S<0,0,0> o 3 o 4:1",
    "S<1,0,-1> o 0 o (2,4):(4,1)",
    "S<1,2,-1> o 2 o 8:1",
    "S<3,0,2> o 0 o 32:1",
    "S<1,0,1> o 1 o (4):(1)",
    "S<1,0,1> o 0 o (2,2):(-1,4)",
    "S<2,0,2> o 0 o ((2,2),4):((1,8),2)",
    "4:-1",
    "(4,2):(-1,4)",
    "(2,2):(1,-2)",
    "(2,3):(-2,-4)",
    "(3,2):(0,-1)",
    "make_identity_layout((4,2))",
    "make_identity_layout((2,(2,2)))",
    "(4,4):(2@0,1@1)",
    "4:1@0",
    "composition(make_identity_layout((4,2)), 2)",
    "composition(make_identity_layout((2,(2,4))), 4:1)",
    "S<1,0,1>",
    "S<0,1,2>",
    "S<1,2,-1>",
    "S<3,0,2>",
    "to_linear((2,4):(4,1))",
    "to_linear(S<1,0,1>)",
    "4",
    "1",
    "(4,2)",
];

/// Candidates for a variable, by what its letter stands for.
fn candidates(rule: &Rule, name: &str, layouts: &[Value], plain: usize) -> Vec<Value> {
    let ints = |values: &[i64]| values.iter().copied().map(Value::Int).collect::<Vec<_>>();
    let texts = |texts: &[&str]| texts.iter().map(|text| value(text)).collect::<Vec<_>>();
    // Pairs and triples of all would be many; identities are what several rules look for.
    let step = match plain {
        0 | 1 => 1,
        2 => 7,
        _ => 29,
    };
    let mut layouts: Vec<Value> = layouts.iter().step_by(step).cloned().collect();
    layouts.extend(["2:1", "4:1", "8:1", "16:1"].map(value));
    match name {
        "n" | "m" if rule.left.contains("cast") => ints(&[-2, 0, 1, 2, 3, 4, 6]),
        "n" => {
            let mut all = ints(&[1, 2, 4, 8, 16, 24]);
            if rule.left.contains("complement") {
                all.extend(texts(&["(2,4)", "(8,2)"]));
            }
            all
        }
        "y" | "z" => ints(&[0, 1]),
        "k" => texts(&["_", "(_,1)", "(1,_)", "(_,0)", "(_,_)"]),
        "t" | "s" | "u" if rule.left.contains("?u") => texts(&["_", "2:1", "(2,2)"]),
        "t" | "s" | "u" => texts(&["<_>", "<_, _>", "<2:1, _>", "(2,2)", "2:1", "1:0", "2:2"]),
        "p" | "q" | "r" => texts(&[
            "to_linear(S<1,0,1>)",
            "to_linear(S<2,0,2>)",
            "to_linear(S<1,1,1>)",
            "to_linear(S<1,0,-1>)",
            "to_linear((2,4):(4,1))",
            "to_linear((4,2):(2,1))",
            "to_linear((2,2):(1,8))",
            "to_linear((2,2):(0,1))",
            "invert(to_linear((2,4):(4,1)))",
            "8:1",
            "S<1,0,1>",
        ]),
        _ => {
            let others = OTHERS.iter().step_by(if plain > 2 { 3 } else { 1 });
            layouts.extend(others.map(|text| value(text)));
            if rule.name == "sort-idempotent" || rule.left.contains("to_linear") {
                layouts.push(value("to_linear((2,4):(4,1))"));
            }
            layouts
        }
    }
}

/// Every binding of names to candidates.
fn product(names: &[String], of: &dyn Fn(&str) -> Vec<Value>) -> Vec<Vec<Value>> {
    names.iter().fold(vec![vec![]], |bindings, name| {
        let values = of(name);
        let extended = bindings.into_iter().flat_map(|binding: Vec<Value>| {
            let values = values.clone();
            values.into_iter().map(move |value| [binding.clone(), vec![value]].concat())
        });
        extended.collect()
    })
}

fn named<'n, T: Clone>(names: &'n [String], values: &[T]) -> BTreeMap<&'n str, T> {
    names.iter().map(String::as_str).zip(values.iter().cloned()).collect()
}

#[test]
fn rows_are_complete_and_unique() {
    let mut names = BTreeSet::new();
    for rule in rules::all() {
        let row = Row::new(rule);
        assert!(names.insert(rule.name), "{} is declared twice", rule.name);
        assert!(!row.names.is_empty(), "{}: the left side has variables", rule.name);
        for name in rules::variables(rule.right) {
            let computed = rule.computes.iter().any(|(computed, _)| *computed == name);
            assert!(row.names.contains(&name) || computed, "{}: ?{name}", rule.name);
        }
        for text in [rule.condition, rule.origin, rule.avoids] {
            assert!(!text.is_empty(), "{}", rule.name);
        }
        assert_eq!(rules::find(rule.name).map(|rule| rule.name), Some(rule.name));
    }
    assert!(names.len() >= 80, "{}", names.len());
}

/// Rules on layouts: where the condition holds and the left side has a value, the right side has
/// the same; each fires; where there is a condition, dropping it makes some small operands differ.
#[test]
fn rules_on_layouts_hold_and_need_their_conditions() {
    let all = layouts();
    let mut wrong = Vec::new();
    for row in Row::of(RuleLanguage::Layouts) {
        let rule = row.rule;
        let small = ["n", "m", "y", "z", "s", "t", "u", "k", "p", "q", "r"];
        let plain = row.names.iter().filter(|name| !small.contains(&name.as_str())).count();
        let (mut fired, mut refuted) = (0, false);
        let mut bindings = product(&row.names, &|name| candidates(rule, name, &all, plain));
        if !rule.counterexample.is_empty() {
            bindings.push(counterexample(&row));
        }
        for binding in bindings {
            let values = named(&row.names, &binding);
            let facts: BTreeMap<&str, Facts> = values
                .iter()
                .map(|(&name, value)| (name, rules::facts_of(value.clone(), 64)))
                .collect();
            let holds = row.holds(&facts, 64);
            let Some((left, right)) = row.sides(&values, &facts, 64) else { continue };
            if left.is_none() {
                // Two rules could give a term without a value one each, and they would differ.
                if holds && right.is_some() {
                    wrong.push(format!("{}: {values:?}: nothing is not {right:?}", rule.name));
                    break;
                }
                refuted |= right.is_some();
                continue;
            }
            if holds {
                fired += 1;
                if left != right {
                    wrong.push(format!("{}: {values:?}: {left:?} is not {right:?}", rule.name));
                    break;
                }
            } else if left != right {
                refuted = true;
            }
        }
        if fired == 0 {
            wrong.push(format!("{} never fires on small operands", rule.name));
        }
        if rule.is_conditional() != refuted {
            wrong.push(format!("{}: the condition is needed: {refuted}", rule.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Operands of the kinds that a rule on layouts is easily wrong for.
const KINDS: [(&str, &[&str]); 5] = [
    (
        "swizzled",
        &[
            "S<1,0,1> o 0 o (4,4):(4,1)",
            "S<1,1,1> o 4 o 8:1",
            "S<1,0,-1> o 0 o (2,4):(4,1)",
            "S<3,0,2> o 0 o 32:1",
            "S<1,0,1> o 0 o (2,2):(-1,4)",
            "S<1,0,1> o 1 o (4):(1)",
        ],
    ),
    ("descending", &["4:-1", "(4,2):(-1,4)", "(2,2):(1,-2)", "(2,3):(-2,-4)", "(3,2):(0,-1)"]),
    (
        "into coordinates",
        &[
            "make_identity_layout((4,2))",
            "make_identity_layout((2,(2,2)))",
            "(4,4):(2@0,1@1)",
            "4:1@0",
            "(4,1):(1@0,1@1)",
        ],
    ),
    (
        "under a layout",
        &[
            "composition(make_identity_layout((4,2)), 2)",
            "composition(make_identity_layout((2,(2,4))), 4:1)",
            "composition(S<1,0,1> o 0 o (4,4):(4,1), S<1,1,1>)",
        ],
    ),
    ("linear", &["to_linear((2,4):(4,1))", "to_linear(S<1,0,1> o 0 o (4,4):(4,1))"]),
];

/// For each variable of a rule without a condition, the kinds of operands with which the left side has a
/// value. Both sides are the same for all of them.
fn kinds_of(row: &Row, of: &dyn Fn(&str) -> Vec<Value>, wrong: &mut Vec<String>) -> String {
    let thin = |values: Vec<Value>| {
        let step = values.len().div_ceil(5).max(1);
        values.into_iter().step_by(step).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for name in &row.names {
        for (kind, texts) in KINDS {
            let special: Vec<Value> = texts
                .iter()
                .filter_map(|text| Term::parse(text).and_then(|term| term.eval()).ok())
                .collect();
            assert!(special.len() > 1, "{kind}: operands without a value");
            // The others: of every kind too, since two of one kind may go together.
            let others = |other: &str| match other == name {
                true => special.clone(),
                false if row.names.len() > 3 => thin(of(other)),
                false => [thin(of(other)), special[..2].to_vec()].concat(),
            };
            let mut fired = false;
            for binding in product(&row.names, &others) {
                let values = named(&row.names, &binding);
                let facts: BTreeMap<&str, Facts> = values
                    .iter()
                    .map(|(&name, value)| (name, rules::facts_of(value.clone(), 64)))
                    .collect();
                let Some((left, right)) = row.sides(&values, &facts, 64) else { continue };
                if left != right {
                    let name = row.rule.name;
                    wrong.push(format!("{name}: {values:?}: {left:?} is not {right:?}"));
                    break;
                }
                fired |= left.is_some();
            }
            if fired {
                found.push(format!("{name} {kind}"));
            }
        }
    }
    format!("{}: {}\n", row.rule.name, found.join(", "))
}

/// Each rule on layouts without a condition holds for every kind of operand with which it has a value: the
/// list says which. A rule that is not in the list is not proved.
#[test]
fn rules_without_a_condition_hold_for_every_kind_of_operand() {
    let all = layouts();
    let (mut listed, mut wrong) = (String::new(), Vec::new());
    let free = |row: &Row| !row.rule.is_conditional();
    for row in Row::of(RuleLanguage::Layouts).filter(free) {
        listed += &kinds_of(&row, &|name| candidates(row.rule, name, &all, 1), &mut wrong);
    }
    for row in Row::of(RuleLanguage::Both).filter(free) {
        listed += &kinds_of(&row, &|name| applied_candidates(&row, name, &all), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/unconditional.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, listed).expect("the list is writable");
        return;
    }
    let hint = "run `UPDATE_EXPECT=1 cargo test -p layout-egraph without_a_condition`";
    let known = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        known == listed,
        "expected the list of rules in tests/unconditional.txt; {hint}:\n{listed}"
    );
}

/// A rule on indices without a condition is proved for all words, and not only for those of few bits.
#[test]
fn rules_on_indices_without_a_condition_are_proved_for_all_words() {
    for row in Row::of(RuleLanguage::Indices).filter(|row| !row.rule.is_conditional()) {
        assert_ne!(Proof::of(row.rule), Proof::Words, "{}", row.rule.name);
    }
}

fn counterexample(row: &Row) -> Vec<Value> {
    let of = |name: &String| {
        let found = row.rule.counterexample.iter().find(|(known, _)| known == name);
        value(found.unwrap_or_else(|| panic!("{}: ?{name} has no value", row.rule.name)).1)
    };
    row.names.iter().map(of).collect()
}

#[test]
fn counterexamples_are_kept_out() {
    for rule in rules::all().filter(|rule| !rule.counterexample.is_empty()) {
        let row = Row::new(rule);
        let values = counterexample(&row);
        let values = named(&row.names, &values);
        let facts: BTreeMap<&str, Facts> = values
            .iter()
            .map(|(&name, value)| (name, rules::facts_of(value.clone(), 64)))
            .collect();
        assert!(!row.holds(&facts, 64), "{}: the condition holds", rule.name);
        if let Some((left, right)) = row.sides(&values, &facts, 64) {
            assert_ne!(left, right, "{}: its counterexample is none", rule.name);
        }
    }
}

/// Rules on indices, with operands that are known, at every word of a width.
fn words(row: &Row, width: u32, wrong: &mut Vec<String>) -> (usize, bool, bool) {
    let (least, greatest) = bounds(width);
    let (mut fired, mut refuted, mut computable) = (0, false, false);
    let ints: Vec<Value> = (least..=greatest).map(Value::Int).collect();
    for binding in product(&row.names, &|_| ints.clone()) {
        let values = named(&row.names, &binding);
        let facts: BTreeMap<&str, Facts> = values
            .iter()
            .map(|(&name, value)| (name, rules::facts_of(value.clone(), width)))
            .collect();
        let holds = row.holds(&facts, width);
        let sides = row.sides(&values, &facts, width);
        if let Some((left, right)) = sides {
            fired += usize::from(holds);
            if holds && left != right {
                wrong.push(format!("{}: {values:?}: {left:?} is not {right:?}", row.rule.name));
                break;
            }
            refuted |= !holds && left != right;
            computable |= !holds;
        }
    }
    (fired, refuted, computable)
}

#[test]
fn rules_on_indices_hold_at_every_word_and_need_their_conditions() {
    let mut wrong = Vec::new();
    for row in Row::of(RuleLanguage::Indices) {
        // Each width is a proof of its own; a rule of four variables has 65,536 cases at four bits.
        let widths: &[u32] = match row.names.len() {
            1 | 2 => &[3, 4, 5, 6, 8],
            3 => &[3, 4, 5],
            4 => &[3, 4],
            _ => &[3],
        };
        let (mut fired, mut refuted, mut computable) = (0, false, false);
        for &width in widths {
            let (now, differs, computes) = words(&row, width, &mut wrong);
            fired += now;
            refuted |= differs;
            computable |= computes;
        }
        if fired == 0 {
            wrong.push(format!("{} never fires", row.rule.name));
        }
        if row.rule.is_conditional() != refuted {
            // A rule that is not computed without its condition has no right side to be wrong.
            if refuted || computable {
                wrong.push(format!("{}: the condition is needed: {refuted}", row.rule.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The possible facts of an index at a small width.
fn knowledge(width: u32, coarse: bool) -> Vec<Number> {
    let (least, greatest) = bounds(width);
    let mut all = Vec::new();
    for low in least..=greatest {
        for high in low..=greatest {
            if coarse && low != high && low != 0 && (low, high) != (least, greatest) {
                continue;
            }
            for multiple in [1, 2, 3] {
                all.extend(Number::between(low, high, multiple, width));
            }
        }
    }
    for zeros in 0..1_u64 << width {
        all.extend(Number { zeros, ..Number::any(width) }.meet(&Number::any(width)));
    }
    all.sort_by_key(|n| (n.low, n.high, n.zeros, n.ones, n.multiple));
    all.dedup();
    all
}

/// Rules on indices whose operands are not known: where the condition holds for what is known, the
/// sides agree for all values that agree with it. This is the check that conditions are monotone.
#[test]
fn rules_on_indices_hold_for_all_that_facts_admit() {
    let width = 3;
    let mut wrong = Vec::new();
    for row in Row::of(RuleLanguage::Indices).filter(|row| row.rule.is_conditional()) {
        let all = knowledge(width, row.names.len() > 2);
        // The constants of a rule are known; the others may be anything.
        let of = |name: &str| -> Vec<Number> {
            match name {
                "c" | "d" | "e" | "f" => (-4..4).map(|c| Number::constant(c, width)).collect(),
                _ => all.clone(),
            }
        };
        let mut cases: Vec<Vec<Number>> = vec![vec![]];
        for name in &row.names {
            let numbers = of(name);
            cases = cases
                .into_iter()
                .flat_map(|case| numbers.iter().map(move |&n| [case.clone(), vec![n]].concat()))
                .collect();
        }
        'cases: for case in cases {
            let facts: Vec<Facts> = case.iter().map(|&number| Facts::of_number(number)).collect();
            let facts = named(&row.names, &facts);
            if !row.holds(&facts, width) {
                continue;
            }
            let admitted: Vec<Vec<i64>> =
                case.iter().map(|n| (-4..4).filter(|&value| n.admits(value)).collect()).collect();
            let mut points: Vec<Vec<Value>> = vec![vec![]];
            for values in &admitted {
                points = points
                    .into_iter()
                    .flat_map(|point| {
                        values.iter().map(move |&v| [point.clone(), vec![Value::Int(v)]].concat())
                    })
                    .collect();
            }
            for point in points {
                let values = named(&row.names, &point);
                if let Some((left, right)) = row.sides(&values, &facts, width)
                    && left != right
                {
                    wrong.push(format!(
                        "{}: {values:?} {case:?}: {left:?} {right:?}",
                        row.rule.name
                    ));
                    break 'cases;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules that apply layouts and swizzles: on all small layouts and indices, known and in intervals.
#[test]
fn rules_that_apply_layouts_hold_and_need_their_conditions() {
    let all: Vec<Value> = layouts().into_iter().step_by(3).collect();
    let mut wrong = Vec::new();
    let rows = Row::of(RuleLanguage::Both);
    for row in rows {
        let (mut fired, mut refuted) = (0, false);
        let mut bindings = product(&row.names, &|name| applied_candidates(&row, name, &all));
        if !row.rule.counterexample.is_empty() {
            bindings.push(counterexample(&row));
        }
        for binding in bindings {
            let values = named(&row.names, &binding);
            let exact: BTreeMap<&str, Facts> = values
                .iter()
                .map(|(&name, value)| (name, rules::facts_of(value.clone(), 64)))
                .collect();
            // The same with an interval in place of each index: from 0 to it, and it or more.
            let loose = |low: bool| -> BTreeMap<&str, Facts> {
                let widen = |(&name, value): (&&'_ str, &Value)| {
                    let facts = match value {
                        Value::Int(v) if "ijxy".contains(name) && *v >= 0 => {
                            let (a, b) = if low { (0, *v) } else { (*v, *v + 3) };
                            Number::between(a, b, 1, 64).map(Facts::of_number)
                        }
                        _ => None,
                    };
                    facts.unwrap_or_else(|| rules::facts_of(value.clone(), 64))
                };
                values.iter().map(|(name, value)| (*name, widen((name, value)))).collect()
            };
            for facts in [exact, loose(true), loose(false)] {
                let holds = row.holds(&facts, 64);
                let Some((left, right)) = row.sides(&values, &facts, 64) else { continue };
                if left.is_none() && right.is_none() {
                    continue;
                }
                if holds {
                    fired += 1;
                    if left != right {
                        wrong.push(format!("{}: {values:?}: {left:?} {right:?}", row.rule.name));
                    }
                } else {
                    refuted |= left != right;
                }
            }
            if wrong.len() > 20 {
                break;
            }
        }
        if fired == 0 {
            wrong.push(format!("{} never fires", row.rule.name));
        }
        // A rule that is not computed without its condition cannot be refuted.
        let computed = !row.rule.computes.is_empty();
        if row.rule.is_conditional() != refuted && (refuted || !computed) {
            wrong.push(format!("{}: the condition is needed: {refuted}", row.rule.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn applied_candidates(row: &Row, name: &str, layouts: &[Value]) -> Vec<Value> {
    let ints = |values: &[i64]| values.iter().copied().map(Value::Int).collect::<Vec<_>>();
    let tuples = |texts: &[&str]| texts.iter().map(|text| value(text)).collect::<Vec<_>>();
    let swizzles = [
        "S<0,0,1>",
        "S<1,0,1>",
        "S<1,1,1>",
        "S<2,0,2>",
        "S<1,0,2>",
        "S<1,2,-1>",
        "S<2,2,-2>",
        "S<3,0,2>",
        "S<1,0,-2>",
    ];
    match name {
        "g" | "h" => tuples(&swizzles),
        "x" | "y" if row.names.len() > 2 => ints(&[0, 1, 2, 3, 4, 5, 8, 12, 16, 21]),
        "x" | "y" => (-3..40).map(Value::Int).collect(),
        "m" | "c" => ints(&[1, 2, 4]),
        "n" if row.rule.left.contains("idx2crd") => {
            let mut all = ints(&[4, 8]);
            all.extend([value("(2,4)"), value("(4,2)"), value("(2,2)")]);
            all
        }
        "n" => ints(&[1, 3, 4]),
        "d" | "e" => ints(&[0, 1, 3, -2]),
        "i" | "j" | "k" if row.names.len() > 2 => ints(&[-2, 0, 1, 2, 3, 5, 9]),
        "i" | "j" | "k" => (-3..20).map(Value::Int).collect(),
        "a" | "b" if row.names.len() > 3 => layouts.iter().step_by(9).cloned().collect(),
        "a" | "b" => layouts.iter().step_by(3).cloned().collect(),
        _ => {
            let mut all: Vec<Value> = layouts.to_vec();
            for text in [
                "S<1,0,1> o 0 o (4,4):(4,1)",
                "S<1,1,1> o 4 o 8:1",
                "S<2,0,2> o 3 o (4,4):(1,4)",
                "(2,2,2):(1,2,4)",
                "(2,3,2):(7,1,3)",
                "(4):(2)",
                "((2,2)):((1,4))",
                "8:1",
                "(4,2):(1,4)",
            ] {
                all.push(value(text));
            }
            all
        }
    }
}

#[test]
fn tuples_of_indices_are_coordinates() {
    let pair = Value::Tuple(Tuple::Node(vec![Tuple::Leaf(1), Tuple::Leaf(2)]));
    assert_eq!(value("(1,2)"), pair);
}

/// The page of what rules are good for, which takes minutes to count, is of the rules that there are.
#[test]
fn rules_page_names_todays_rules() {
    let known: BTreeSet<&str> =
        FAMILIES.iter().flat_map(|family| family.rules).map(|rule| rule.name).collect();
    let page = include_str!("../RULES.md");
    let lines =
        page.lines().filter(|line| line.starts_with("| `") || line.starts_with("No result"));
    let names = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
    let gone: BTreeSet<&str> = names.filter(|name| !known.contains(name)).collect();
    assert!(gone.is_empty(), "run `cargo measure rules --bless`; there is no rule {gone:?}");
}

/// The README's tables are the tables: names, equations and conditions in order.
#[test]
fn readme_lists_every_rule() {
    let readme = include_str!("../README.md");
    let mut listed = String::new();
    for family in FAMILIES {
        listed += &format!(
            "### {}\n\n| name | left | right | condition | origin | keeps out | proved | runs in |\n|---|---|---|---|---|---|---|---|\n",
            family.name
        );
        for rule in family.rules {
            listed += &format!(
                "| `{}` | `{}` | `{}` | {} | {} | {} | {} | {} |\n",
                rule.name,
                rule.left,
                rule.right,
                rule.condition,
                rule.origin,
                rule.avoids,
                Proof::of(rule).name(),
                if family.explains() { "explanations" } else { "searches" }
            );
        }
        listed += "\n";
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let (before, _) = readme.split_once("### ").expect("the first family's heading");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
        std::fs::write(path, format!("{before}{}\n", listed.trim_end()))
            .expect("the README is writable");
        return;
    }
    let hint = "run `UPDATE_EXPECT=1 cargo test -p layout-egraph readme`";
    assert!(
        readme.contains(listed.trim_end()),
        "expected the table of rules in the README; {hint}"
    );
}
