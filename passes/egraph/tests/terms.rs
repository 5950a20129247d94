//! Random terms of both languages: the simplified term is equal, no more expensive, and the same on every
//! run and every number of threads.

use crate::random;

use layout_algebra::{Term, Value};
use layout_egraph::{
    Budget, Settings, agree,
    cost::{Chip, Model},
    facts::Facts,
    optimise, read, simplify, write,
};
use layout_random::check_case;
use std::{
    cell::Cell,
    hash::{DefaultHasher, Hash, Hasher},
    time::Instant,
};

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
/// has none gets none. The facts about both terms are equal.
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

/// Checks wide terms on one thread per processor: what went wrong, and how many changed.
fn check_wide(seed: u64, count: usize) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let run = |part: usize| {
        let terms = [1, 2, 3].map(random::wide);
        let (mut wrong, mut valued) = (Vec::new(), 0);
        for i in (part..count).step_by(threads) {
            let has_value = Cell::new(false);
            let holds = |text: String| {
                has_value.set(Term::parse(&text).is_ok_and(|term| term.eval().is_ok()));
                wide_term(&text).map(|_| ())
            };
            wrong.extend(check_case(&terms[i % 3], seed, i as u64, holds).err());
            valued += usize::from(has_value.get());
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
#[ignore = "minutes: cargo test --release -p layout-egraph --test all terms::wide_terms_by_the_million -- --ignored --nocapture"]
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

/// Checks random terms of both languages, one in five of index arithmetic, on `threads` threads; the
/// digest of all results in order, so that runs can be compared.
fn check(seed: u64, count: usize, threads: usize) -> u64 {
    let digest = |from: usize, to: usize| -> Vec<u64> {
        let (layouts, indices) = (random::layouts(3), random::indices(3));
        let digests = (from..to).map(|i| {
            let found = Cell::new(0);
            let digest = |text: &str, of: &dyn Fn(&str) -> String| {
                let mut hasher = DefaultHasher::new();
                of(text).hash(&mut hasher);
                found.set(hasher.finish());
                Ok(())
            };
            let holds = match i % 5 {
                4 => check_case(&indices, seed, i as u64, |text| digest(&text, &index_term)),
                _ => check_case(&layouts, seed, i as u64, |text| digest(&text, &layout_term)),
            };
            holds.unwrap_or_else(|error| panic!("{error}"));
            found.get()
        });
        digests.collect()
    };
    let share = count.div_ceil(threads).max(1);
    let all: Vec<u64> = std::thread::scope(|scope| {
        let digest = &digest;
        let parts: Vec<_> = (0..count)
            .step_by(share)
            .map(|from| scope.spawn(move || digest(from, count.min(from + share))))
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("terms that hold")).collect()
    });
    let mut hasher = DefaultHasher::new();
    all.hash(&mut hasher);
    hasher.finish()
}

/// As [`check`] on one thread per processor, with the time.
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
#[ignore = "a minute: cargo test -p layout-egraph --test all terms::a_hundred -- --ignored --nocapture"]
fn a_hundred_thousand_terms_are_consistent() {
    check_once(2, 100_000);
}

#[test]
#[ignore = "minutes: cargo test --release -p layout-egraph --test all terms::a_million -- --ignored --nocapture"]
fn a_million_terms_are_consistent() {
    check_repeatedly(3, 1_000_000);
}

#[test]
#[ignore = "a minute: cargo test -p layout-egraph --test all terms::twenty -- --ignored --nocapture"]
fn twenty_thousand_terms_are_consistent() {
    check_repeatedly(4, 20_000);
}
