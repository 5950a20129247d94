//! Random chains of layouts with open leaves: digits of an index in a shape whose extents are unknown, and
//! layouts applied to them. The cheapest arithmetic is equal, no more expensive, and the same on every run.

use layout_egraph::{
    Budget, Settings, agree,
    cost::{Chip, Model},
    optimise, price, read, rules, write,
};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use std::collections::BTreeMap;

/// An index that digits are taken of.
const INDICES: &[&str] = &["e:0..4095", "t:0..255", "(add (mul b:0..31 128) t:0..127)"];

/// Extents: unknown ones, with and without a divisor, and known ones.
const EXTENTS: &[&str] = &["m:1..64", "n:1..48", "p:8..64%8", "8", "3", "32"];

/// Strides besides those that continue the mode before.
const STRIDES: &[&str] = &["0", "1", "s:8..512%8", "r:1..999", "4", "96"];

/// One mode: its extent, its stride where it does not continue the mode before, and whether it does.
fn mode() -> impl Strategy<Value = (&'static str, &'static str, bool)> {
    (prop::sample::select(EXTENTS), prop::sample::select(STRIDES), any::<bool>())
}

/// The offset of the digits of an index in a layout of these modes: of all of them, or in another order.
fn chain() -> impl Strategy<Value = String> {
    let modes = prop::collection::vec(mode(), 1..4);
    (prop::sample::select(INDICES), modes, any::<bool>(), any::<bool>()).prop_map(
        |(index, modes, joined, reversed)| {
            let mut strides: Vec<String> = Vec::new();
            for (i, (_, stride, continues)) in modes.iter().enumerate() {
                strides.push(match i {
                    _ if !continues => (*stride).to_owned(),
                    0 => "1".to_owned(),
                    _ if strides[i - 1] == "1" => modes[i - 1].0.to_owned(),
                    _ => format!("(mul {} {})", strides[i - 1], modes[i - 1].0),
                });
            }
            let nested = |leaves: &[String]| {
                let (last, before) = leaves.split_last().expect("a mode at least");
                before.iter().rev().fold(last.clone(), |all, leaf| format!("(tuple {leaf} {all})"))
            };
            let extents: Vec<String> = modes.iter().map(|mode| mode.0.to_owned()).collect();
            if joined {
                return format!(
                    "(crd2idx {index} (layout {} {}))",
                    nested(&extents),
                    nested(&strides)
                );
            }
            let mut terms = Vec::new();
            let mut rest = index.to_owned();
            for (i, (extent, stride)) in extents.iter().zip(&strides).enumerate() {
                let digit = match i + 1 == extents.len() {
                    true => rest.clone(),
                    false => format!("(mod {rest} {extent})"),
                };
                rest = format!("(div {rest} {extent})");
                terms.push(format!("(crd2idx {digit} (layout {extent} {stride}))"));
            }
            if reversed {
                terms.reverse();
            }
            let last = terms.pop().expect("a mode at least");
            terms.iter().rev().fold(last, |sum, term| format!("(add {term} {sum})"))
        },
    )
}

fn settings() -> Settings {
    Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32)
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(300) })]

    #[test]
    fn chains_of_open_layouts_keep_their_values(text in chain()) {
        let expr = read(&text).expect("a term");
        let root = [(expr.len() - 1).into()];
        let found = optimise(&expr, &root, &settings()).expect("facts that agree");
        let cheapest = write(&found.expr);
        prop_assert!(agree(&expr, &found.expr, 32).is_some(), "{text} -> {cheapest}");
        prop_assert!(found.summary.cost_after <= found.summary.cost_before, "{text}");
        prop_assert!(!cheapest.contains("crd2idx"), "{text} -> {cheapest}");
        let again = optimise(&expr, &root, &settings()).expect("facts that agree");
        prop_assert_eq!(&found.expr, &again.expr);
    }
}

/// How often each rule adds an equation to random chains, and in how many the result costs more without it: what
/// `cargo xtask addresses rules` prints. A line for each rule that adds one.
#[test]
#[ignore = "minutes: cargo test --release -p layout-egraph --test open rules_that -- --ignored --nocapture"]
fn rules_that_pay_in_random_chains() {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for _ in 0..200 {
        let text = chain().new_tree(&mut runner).expect("a chain").current();
        let expr = read(&text).expect("a term");
        let root = [(expr.len() - 1).into()];
        let found = optimise(&expr, &root, &settings()).expect("facts that agree");
        let cost = price(&found.expr, &found.roots, &settings()).expect("facts that agree");
        for (rule, times) in &found.summary.applied {
            let usual = settings();
            let without = rules::find(rule).map(|rule| rule.name);
            let without = Settings { budget: Budget { without, ..usual.budget }, ..usual };
            let other = optimise(&expr, &root, &without).expect("facts that agree");
            let entry = counts.entry(*rule).or_default();
            entry.0 += times;
            entry.1 += usize::from(other.summary.cost_after > cost);
        }
    }
    for (rule, (fires, pays)) in counts {
        println!("rule {rule} {fires} {pays}");
    }
}
