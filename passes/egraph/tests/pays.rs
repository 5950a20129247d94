//! The use of each rule: how often it adds an equation, in how many terms the result costs more without it,
//! and which rules no term misses even when all of them are left out. `cargo measure rules` prints it.

use crate::random;

use layout_algebra::Term;
use layout_egraph::{
    Budget, Language, RecExpr, Record, Settings,
    cost::{Chip, Cost, Model},
    node::{Node, to_term},
    optimise, price, read,
    rules::{self, FAMILIES, RuleLanguage},
    simplify,
};
use layout_random::case;
use std::collections::{BTreeMap, BTreeSet};

/// The input of a search.
enum Case {
    /// Index arithmetic, with layouts applied in it.
    Search(Record),
    /// A term of layouts, by rules alone.
    Layouts(Term),
}

/// A rule's counts at a place: equations that it adds, and terms that cost more without it.
type Counts = BTreeMap<(&'static str, String), (usize, usize)>;

impl Case {
    /// The cost of the result without some rules, and how often each rule added an equation.
    fn cost(
        &self,
        without: &'static [&'static str],
    ) -> Option<(Cost, BTreeMap<&'static str, usize>)> {
        match self {
            Self::Search(record) => {
                let chip = Chip::named("sm_90a")?;
                let model = if record.applied { Model::Applied(chip) } else { Model::Nvptx(chip) };
                let usual = Settings::new(model, record.width);
                let budget = Budget { without, ..usual.budget };
                let settings = Settings { budget, ..usual };
                let found = optimise(&record.expr, &record.roots, &settings).ok()?;
                // A result is priced without them, too: rules that fuse are what a price is made by.
                let cost = price(&found.expr, &found.roots, &settings).ok()?;
                Some((cost, found.summary.applied))
            }
            Self::Layouts(term) => {
                let usual = Budget { evaluate: false, nodes: 2000, ..Budget::default() };
                let found = simplify(term, &Budget { without, ..usual }).ok()?;
                Some((found.report.cost_after, found.report.applied))
            }
        }
    }
}

/// The terms that rules are counted on: those of the file that `LAYOUT_SEARCHES` names, `PLACE\tSEARCH` a line, and
/// random ones.
fn cases() -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    let path = std::env::var("LAYOUT_SEARCHES").expect("LAYOUT_SEARCHES names a file of searches");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines: BTreeSet<&str> = text.lines().collect();
    for line in lines {
        let (place, search) = line.split_once('\t').expect("a place and a search");
        let record = search.parse().unwrap_or_else(|error| panic!("{error}"));
        cases.push((place.to_owned(), Case::Search(record)));
    }
    // The terms of the tests of index arithmetic.
    for text in include_str!("index.rs").split('"').filter(|text| text.starts_with('(')) {
        let Ok(expr) = read(text) else { continue };
        for width in [32, 64] {
            let roots = vec![(expr.len() - 1).into()];
            let record = Record { applied: false, width, expr: expr.clone(), roots };
            cases.push(("tests".to_owned(), Case::Search(record)));
        }
    }
    let add = |cases: &mut Vec<_>, place: &str, strategy: &random::Text, count: u64| {
        for number in 0..count {
            let text = case(strategy, 5, number);
            if place == "random layouts" {
                let term = Term::parse(&text).map(Case::Layouts);
                cases.extend(term.ok().map(|case| (place.to_owned(), case)));
            } else {
                let expr = read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                let roots = vec![(expr.len() - 1).into()];
                let record = Record { applied: false, width: 32, expr, roots };
                cases.push((place.to_owned(), Case::Search(record)));
            }
        }
    };
    let scale = |count: u64| match std::env::var("LAYOUT_RANDOM_PERCENT") {
        Ok(percent) => count * percent.parse::<u64>().expect("a number") / 100,
        Err(_) => count,
    };
    add(&mut cases, "random indices", &random::chains(), scale(100));
    add(&mut cases, "random indices", &random::indices(3), scale(100));
    add(&mut cases, "random indices", &random::wide_indices(1), scale(150));
    add(&mut cases, "random indices", &random::wide_indices(2), scale(150));
    add(&mut cases, "random layouts", &random::wide(2), scale(20_000));
    add(&mut cases, "random layouts", &random::wide(3), scale(10_000));
    add(&mut cases, "random layouts", &random::layouts(3), scale(5_000));
    // The left sides of rules on layouts: what fires on them and pays in no other way is not what another rule does, too.
    let families = FAMILIES.iter().filter(|family| family.language == RuleLanguage::Layouts);
    for rule in families.flat_map(|family| family.rules) {
        let strategy = random::left_side(rule.left);
        for number in 0..scale(200) {
            let expr = read(&case(&strategy, 6, number));
            let case = expr.ok().and_then(|expr| Some(Case::Layouts(term(&expr)?)));
            cases.extend(case.map(|case| ("left sides".to_owned(), case)));
        }
    }
    cases
}

/// A term of layouts.
fn term(expr: &RecExpr<Node>) -> Option<Term> {
    let nodes: &[Node] = expr;
    let mut terms: Vec<Term> = Vec::new();
    for node in nodes {
        let below = node.children().iter().map(|&child| terms[usize::from(child)].clone());
        terms.push(to_term(node, below.collect())?);
    }
    terms.pop()
}

/// One slice of rules that are left out, for as long as the process runs.
fn leaked(rules: &BTreeSet<&'static str>) -> &'static [&'static str] {
    rules.iter().copied().collect::<Vec<_>>().leak()
}

/// A line for each rule and place where it adds an equation: `rule NAME PLACE FIRES PAYS`; and one for each rule that
/// no term misses when all of these are left out: `spare NAME`.
#[test]
#[ignore = "minutes: cargo measure rules"]
fn rules_that_pay() {
    let mut counts = Counts::new();
    let mut fires: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    let mut costs = Vec::new();
    let start = std::time::Instant::now();
    let cases = cases();
    for (i, (place, case)) in cases.iter().enumerate() {
        let Some((cost, applied)) = case.cost(&[]) else {
            costs.push(None);
            continue;
        };
        costs.push(Some(cost));
        for (name, times) in applied {
            let without = rules::find(name).map(|rule| std::slice::from_ref(&rule.name));
            let other = case.cost(without.expect("a rule"));
            let pays = other.is_none_or(|(other, _)| other > cost);
            let entry = counts.entry((name, place.clone())).or_default();
            *entry = (entry.0 + times, entry.1 + usize::from(pays));
            fires.entry(name).or_default().push(i);
        }
    }
    eprintln!("counted {} terms in {:?}", cases.len(), start.elapsed());
    for ((name, place), (fires, pays)) in &counts {
        println!("rule\t{name}\t{place}\t{fires}\t{pays}");
    }
    let pays: BTreeSet<&str> =
        counts.iter().filter(|(_, (_, pays))| *pays > 0).map(|((name, _), _)| *name).collect();
    let mut spare: BTreeSet<&'static str> = rules::all().map(|rule| rule.name).collect();
    spare.retain(|name| !fires.contains_key(name));
    let names: Vec<&'static str> = fires.keys().copied().collect();
    for name in names.into_iter().filter(|name| !pays.contains(name)) {
        spare.insert(name);
        let without = leaked(&spare);
        let mut more: Vec<(&'static str, usize)> = Vec::new();
        let is_spared = fires[name].iter().all(|&i| {
            let Some((cost, applied)) = cases[i].1.cost(without) else { return false };
            more.extend(applied.into_keys().map(|other| (other, i)));
            cost <= costs[i].expect("a cost")
        });
        if !is_spared {
            spare.remove(name);
            continue;
        }
        // The rules that take its place are missed in these terms, too.
        for (other, i) in more {
            let of = fires.entry(other).or_default();
            if !of.contains(&i) {
                of.push(i);
            }
        }
    }
    eprintln!("and those that can be spared in {:?}", start.elapsed());
    for name in spare {
        println!("spare\t{name}");
    }
}
