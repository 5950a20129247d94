//! Long chains: time grows no faster than n log n, and a thousand links stay under 100 ms.

use layout_algebra::{Op, Term};
use layout_egraph::{Budget, Stop, simplify};
use std::time::{Duration, Instant};

/// `n` compositions and coalesces, one around the other.
fn chain(base: &str, links: usize) -> Term {
    let parse = |text: &str| Term::parse(text).expect("a term");
    let link = parse("(32,32):(32,1)");
    (0..links).fold(parse(base), |chain, i| match i % 2 {
        0 => Term::Call { op: Op::Composition, args: vec![chain, link.clone()] },
        _ => Term::Call { op: Op::Coalesce, args: vec![chain] },
    })
}

/// The least of five runs, which other work on the machine disturbs least.
fn time(term: &Term, budget: &Budget) -> Duration {
    let run = || {
        let start = Instant::now();
        let simplified = simplify(term, budget).expect("consistent");
        assert!(simplified.report.cost_after <= simplified.report.cost_before);
        start.elapsed()
    };
    (0..5).map(|_| run()).min().expect("runs")
}

#[test]
fn a_chain_that_evaluates_is_its_value() {
    let simplified = simplify(&chain("1024:1", 10_000), &Budget::default()).expect("consistent");
    assert_eq!(simplified.report.stop, Stop::Evaluated);
    assert!(simplified.report.nodes < 30_000, "{}", simplified.report.nodes);
}

/// No layout is the innermost composition, so that nothing around it has a value: the rules alone
/// see the whole chain.
#[test]
fn a_chain_without_a_value_saturates() {
    let term = chain("composition((6,2):(1,7), (3,2):(2,3))", 1000);
    let simplified = simplify(&term, &Budget::default()).expect("consistent");
    assert_eq!(simplified.report.stop, Stop::Saturated);
    assert!(simplified.report.nodes < 3000, "{}", simplified.report.nodes);
}

/// Nodes and rounds, which a clock does not disturb: nodes grow with the chain, rounds do not, though
/// rules match at each of its links.
#[test]
fn work_grows_with_the_chain() {
    let budget = Budget { nodes: 100_000, matches: 2_000_000, ..Budget::default() };
    let report = |links| {
        let term = chain("composition((6,2):(1,7), (3,2):(2,3))", links);
        simplify(&term, &budget).expect("consistent").report
    };
    let (short, long) = (report(1000), report(10_000));
    assert_eq!((short.stop, long.stop), (Stop::Saturated, Stop::Saturated));
    assert_eq!(short.iterations, long.iterations);
    assert!(long.nodes <= 11 * short.nodes, "{} {}", short.nodes, long.nodes);
}

/// Rules alone, on what would evaluate: associativity makes a node for each pair of links, so that
/// the budget ends it.
#[test]
fn a_chain_for_rules_alone_ends_with_its_budget() {
    let budget = Budget { evaluate: false, nodes: 4000, ..Budget::default() };
    let simplified = simplify(&chain("1024:1", 300), &budget).expect("consistent");
    assert!(simplified.report.nodes < 5000, "{}", simplified.report.nodes);
    assert!(simplified.report.cost_after <= simplified.report.cost_before);
}

#[test]
#[ignore = "times: cargo test --release -p layout-egraph --test all chains:: -- --ignored --nocapture"]
fn times_of_chains() {
    let mut all = Vec::new();
    for base in ["1024:1", "composition((6,2):(1,7), (3,2):(2,3))"] {
        let mut times = Vec::new();
        for links in [1000, 2000, 5000, 10_000] {
            let time = time(&chain(base, links), &Budget { nodes: 100_000, ..Budget::default() });
            println!("{base}: {links} links in {time:?}");
            times.push((links, time));
        }
        all.push(times);
    }
    for times in all {
        assert!(times[0].1 < Duration::from_millis(100), "{times:?}");
        // n log n from 1,000 to 10,000 is a factor of 13.3; half as much again for the clock.
        assert!(times[3].1 < times[0].1 * 20, "{times:?}");
    }
}
