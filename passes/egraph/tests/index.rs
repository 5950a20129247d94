//! Index arithmetic: what the search finds, that it is equal, no more expensive, and stays.

use layout_egraph::{
    Budget, Settings, Stop, agree,
    cost::{Chip, Model},
    explain,
    facts::LayoutAnalysis,
    node::Node,
    optimise, read, rules, write,
};

fn settings(width: u32) -> Settings {
    Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), width)
}

/// The cheapest form of a text; checked for equality, cost, repetition and idempotence.
fn cheapest(text: &str) -> String {
    let expr = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let root = [(expr.len() - 1).into()];
    let settings = settings(32);
    let found = optimise(&expr, &root, &settings).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(agree(&expr, &found.expr, 32).is_some(), "{text}: {}", write(&found.expr));
    assert!(found.summary.cost_after <= found.summary.cost_before, "{text}");
    let again = optimise(&expr, &root, &settings).expect("as before");
    assert_eq!(again, found, "{text}");
    let twice = optimise(&found.expr, &found.roots, &settings).expect("as before");
    assert_eq!(write(&twice.expr), write(&found.expr), "{text}: a second search changes it");
    write(&found.expr)
}

#[test]
fn digits_are_recombined() {
    assert_eq!(cheapest("(add (mul (div x:0..1023 32) 32) (mod x 32))"), "x");
    assert_eq!(cheapest("(crd2idx i:0..31 [(4,8):(1,4)])"), "i");
    assert!(!cheapest("(crd2idx (idx2crd i:0..63 [(8,8)]) [(8,8):(8,1)])").contains("div"));
}

/// Digits that do not continue each other: the remainder is in the quotient.
#[test]
fn remainders_are_found_in_quotients() {
    let rows = cheapest("(add (mul (div t:0..1023 12) 13) (mod t 12))");
    assert_eq!(rows.matches("(high t ").count(), 1, "{rows}");
    assert!(!rows.contains("mod") && !rows.contains("-12"), "{rows}");
    // An image of 14 by 14 in one of 16 by 16.
    let pixels = cheapest(
        "(add (add (mod b:0..9999 14) (mul (mod (div b 14) 14) 16)) (mul (div b 196) 256))",
    );
    assert!(!pixels.contains("mod") && !pixels.contains("-14"), "{pixels}");
}

/// Quotients by constants are one product where the reciprocal's error stays small enough.
#[test]
fn quotients_of_small_numbers_are_products() {
    assert_eq!(cheapest("(div k:0..2147483647 3)"), "(high k 1431655766)");
    assert_eq!(cheapest("(div k:0..2147483647 7)"), "(div k 7)");
    assert_eq!(cheapest("(div k:0..715827882 7)"), "(high k 613566757)");
}

/// Extents that are not known.
#[test]
fn rows_of_a_dynamic_extent_are_split() {
    assert_eq!(cheapest("(div (add (mul r:0..7 n:64..100) c:0..63) n)"), "r");
    assert_eq!(cheapest("(mod (add (mul r:0..7 n:64..100) c:0..63) n)"), "c");
}

/// 0 is the product of every term with 0: a class of constants keeps the constant only, or rules on
/// sums of products would match all of them with all others.
#[test]
fn constants_do_not_collect_terms() {
    let text = "(add (add (mul (mod t:0..127 16) 8) (mul (div t 16) 1024)) (mul b:0..99 16384))";
    let expr = read(text).expect("a term");
    let found = optimise(&expr, &[(expr.len() - 1).into()], &settings(32)).expect("consistent");
    assert!(found.summary.nodes < 3000, "{}", found.summary.nodes);
}

#[test]
fn ranges_drop_divisions() {
    assert_eq!(cheapest("(div (add (mul r:0..7 64) c:0..63) 64)"), "r");
    assert_eq!(cheapest("(mod (add (mul r:0..7 64) c:0..63) 64)"), "c");
    assert_eq!(cheapest("(lt (add (mul r:0..7 64) c:0..63) 512)"), "1");
}

#[test]
fn tiles_of_tiles_are_one_offset() {
    // The row of a tile of 64 rows of 256, in bytes of two.
    let found =
        cheapest("(mul (add (mul (add (mul b:0..15~block 64) r:0..63) 256) (mul c:0..31 8)) 2)");
    assert!(!found.contains("div"), "{found}");
}

#[test]
fn swizzles_become_shift_and_logic() {
    let found = cheapest("(crd2idx (tuple r:0..7 c:0..63) [S<3,3,3> o 0 o (8,64):(64,1)])");
    assert!(!found.contains("swizzle"), "{found}");
}

#[test]
fn what_a_loop_does_not_change_is_summed_first() {
    let found = cheapest("(add (add (mul k:0..15@1 64) (mul r:0..127 1024)) c:0..63)");
    assert!(found.contains("(mul r 1024)") || found.contains("(shl r 10)"), "{found}");
    // The sum of what stays is one operand of the sum with what changes.
    let text = "(mul (add (add k:0..15@1 r:0..127) c:0..63) n:0..9)";
    let found = cheapest(text);
    assert!(found.contains("(mul (add r c) n)") || found.contains("(mul n (add r c))"), "{found}");
}

/// Trap 1: associativity and commutativity make every tree of a sum. Sums are commuted, and regrouped
/// only downhill; a long one stays small and the search ends by itself.
#[test]
fn sums_do_not_blow_up() {
    let sum = (1..12).fold("x0:0..9".to_owned(), |sum, i| format!("(add {sum} x{i}:0..9)"));
    let expr = read(&sum).expect("a term");
    let found = optimise(&expr, &[(expr.len() - 1).into()], &settings(32)).expect("consistent");
    assert_eq!(found.summary.stop, Stop::Saturated);
    assert!(found.summary.nodes < 400, "{}", found.summary.nodes);
    // The usual two rules on the same sum, for comparison.
    use egg::{Runner, SymbolLang, rewrite};
    let rules: [egg::Rewrite<SymbolLang, ()>; 2] = [
        rewrite!("commute"; "(add ?a ?b)" => "(add ?b ?a)"),
        rewrite!("associate"; "(add ?a (add ?b ?c))" => "(add (add ?a ?b) ?c)"),
    ];
    let plain: String = sum.replace(":0..9", "");
    let runner = Runner::default()
        .with_expr(&plain.parse().expect("a term"))
        .with_node_limit(20_000)
        .run(&rules);
    assert!(runner.egraph.total_number_of_nodes() > 10_000);
}

/// Trap 1 for every operation that commutes: a chain of twelve ends by itself, with some nodes for each
/// link and none for each tree.
#[test]
fn products_logic_and_extremes_do_not_blow_up() {
    for op in ["mul", "and", "or", "xor", "min", "max"] {
        let chain = |links: u32| {
            let all =
                (1..links).fold("x0:0..9".to_owned(), |all, i| format!("({op} {all} x{i}:0..9)"));
            let expr = read(&all).expect("a term");
            let settings = settings(32);
            optimise(&expr, &[(expr.len() - 1).into()], &settings).expect("consistent").summary
        };
        let (short, long) = (chain(6), chain(12));
        assert_eq!((short.stop, long.stop), (Stop::Saturated, Stop::Saturated), "{op}");
        assert!(long.nodes <= 4 * short.nodes, "{op}: {} and {}", short.nodes, long.nodes);
    }
}

/// Trap 2: facts of merged classes that contradict each other must not go unseen, nor panic.
#[test]
fn contradicting_statements_are_errors() {
    let expr = read("(sub i:5..9%20 1)").expect("a term");
    let error =
        optimise(&expr, &[(expr.len() - 1).into()], &settings(32)).expect_err("no multiple");
    assert_eq!(
        error.to_string(),
        "expected facts of equal terms that agree, found the symbol i:5..9%20 and no multiple of 20 in \
         its bounds"
    );
}

/// Trap 2, in a merge: a rule that is wrong unites classes whose facts no value agrees with.
#[test]
fn merged_facts_that_contradict_are_recorded() {
    let mut egraph = egg::EGraph::<Node, LayoutAnalysis>::new(LayoutAnalysis::new(true, 32));
    let mut add = |text: &str| egraph.add_expr(&read(text).expect("a term"));
    let (low, high) = (add("x:0..3"), add("y:8..9"));
    egraph.union(low, high);
    egraph.rebuild();
    let found = egraph.analysis.contradiction.clone().expect("a contradiction");
    let found = [found.known, found.found];
    assert!(found.contains(&"an index in [0, 3]".to_owned()), "{found:?}");
    assert!(found.contains(&"an index in [8, 9]".to_owned()), "{found:?}");
}

/// Trap 2, in a merge that is sound: a fact about one term holds for all, and no other does.
#[test]
fn merged_facts_meet() {
    let mut egraph = egg::EGraph::<Node, LayoutAnalysis>::new(LayoutAnalysis::new(true, 32));
    let mut add = |text: &str| egraph.add_expr(&read(text).expect("a term"));
    let (x, y) = (add("x:0..20"), add("y:8..99%4"));
    egraph.union(x, y);
    egraph.rebuild();
    assert_eq!(egraph.analysis.contradiction, None);
    let number = egraph[x].data.number.expect("an index");
    assert_eq!((number.low, number.high, number.multiple), (8, 20, 4));
}

/// Trap 3: a conditional rule leaves no trace of why its condition held. Ours says so, and the chain
/// is replayed.
#[test]
fn conditional_rules_are_explained() {
    let expr = read("(div (add (mul r:0..7 64) c:0..63) 64)").expect("a term");
    let explanation = explain(&expr, &settings(32)).expect("each step holds");
    let text = explanation.to_string();
    assert!(text.starts_with("  (div (add (mul r 64) c) 64)\n= "), "{text}");
    assert!(text.contains("checked at all 512 points"), "{text}");
    let last = explanation.steps.last().expect("a step");
    assert_eq!(last.after, "r", "{text}");
}

/// Trap 3, over many terms: each step that a conditional rule made says the condition, with what its
/// variables stand for, and none is left unchecked.
#[test]
fn every_step_of_a_conditional_rule_names_its_condition() {
    let mut seen = std::collections::BTreeSet::new();
    for text in [
        "(div (add (mul r:0..7 64) c:0..63) 64)",
        "(mod (add (mul r:0..7 64) c:0..63) 64)",
        "(lt (add (mul r:0..7 64) c:0..63) 512)",
        "(add (mul (div x:0..1023 32) 32) (mod x 32))",
        "(or (mul a:0..15 16) b:0..15)",
        "(mod (mod x:0..999 64) 16)",
        "(div (div x:0..999 4) 8)",
        "(div (mul x:0..99 24) 8)",
        "(select (lt x:0..9 10) y:0..9 z:0..9)",
        "(min x:0..9 y:10..20)",
        "(lt (mul x:0..95 12) 100)",
        "(div (add (mul y:0..9 n:5..9) x:0..4) n)",
        "(mul (div x:0..99%8 8) 8)",
    ] {
        let explanation =
            explain(&read(text).expect("a term"), &settings(32)).expect("each step holds");
        for step in &explanation.steps {
            assert!(step.points > 0, "{text}: {step:?}");
            let Some(rule) = rules::find(&step.rule) else { continue };
            assert!(step.condition.starts_with(rule.condition), "{text}: {step:?}");
            for variable in rules::variables(rule.left) {
                assert!(step.condition.contains(&format!("{variable} = ")), "{text}: {step:?}");
            }
            if rule.is_conditional() {
                seen.insert(rule.name);
            }
        }
    }
    assert!(seen.len() >= 8, "{seen:?}");
}

/// A constant that a rule computes may be in a chain as another term of its class, here one that is
/// 0: the replay requires its value.
#[test]
fn computed_constants_are_known_by_their_values() {
    let text = "(xor (and (div v:0..127 1) 56) (add (mul (div (div v 8) 64) 512) (mul v 8)))";
    let explanation =
        explain(&read(text).expect("a term"), &settings(32)).expect("each step holds");
    let last = explanation.steps.last().expect("a step");
    assert!(!last.after.contains("div"), "{}", last.after);
}

#[test]
fn fuel_stops_a_search_at_a_rule() {
    let expr = read("(add (mul (div x:0..1023 32) 32) (mod x 32))").expect("a term");
    let of = |fuel| {
        let budget = Budget { fuel, ..settings(32).budget };
        let settings = Settings { budget, ..settings(32) };
        optimise(&expr, &[(expr.len() - 1).into()], &settings).expect("consistent").summary
    };
    assert_eq!(of(0).stop, Stop::Fuel);
    assert!(of(0).applied.is_empty());
    let enough = (1..200).find(|&fuel| of(fuel).cost_after == 0).expect("enough fuel");
    assert!(of(enough - 1).cost_after > 0);
    // All searches of one term burn the same fuel, and a price burns none.
    for fuel in 0..20 {
        assert!(of(fuel).applied.values().sum::<usize>() <= fuel, "{fuel}");
        assert_eq!(of(fuel).cost_before, of(usize::MAX).cost_before);
    }
}

#[test]
fn shared_parts_count_once() {
    // One sum is shared by both roots.
    let expr =
        read("(add (add (mul t:0..127 48) 7) (mul (add (mul t 48) 7) 1024))").expect("a term");
    let found = optimise(&expr, &[(expr.len() - 1).into()], &settings(32)).expect("consistent");
    assert!(found.summary.cost_after <= 220, "{} {}", found.summary.cost_after, write(&found.expr));
}

/// Terms that all threads of a block share are summed separately, where as many instructions do: the sum is made
/// once for a warp then. Among values that threads do not share, nothing is regrouped.
#[test]
fn what_a_warp_shares_is_summed_by_itself() {
    let found = |shared: &str| {
        let text = format!(
            "(add (add (add (add t:0..127 a:0..9{shared}) b:0..9{shared}) c:0..9{shared}) (add d:0..9{shared} 0))"
        );
        let expr = read(&text).expect("a term");
        let settings = Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32);
        let found = optimise(&expr, &[(expr.len() - 1).into()], &settings).expect("a result");
        write(&found.expr)
    };
    let (separate, mixed) = (found("~block"), found(""));
    assert_ne!(separate, mixed);
    // One sum of three for the warp, and one of three for each thread; else both are each thread's.
    assert_eq!(separate, "(add (add (add (add b c) a) t) d)");
    assert!(mixed.contains("t a") || mixed.contains("a t") || mixed.contains("t b"), "{mixed}");
}

/// Among forms with equally many instructions, the one with fewer live values is taken.
#[test]
fn fewer_registers_break_ties() {
    let expr = read("(add x:0..99 (add y:0..99 (add z:0..99 (add w:0..99 0))))").expect("a term");
    let usual = Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32);
    let summary = |settle_steps| {
        let settings = Settings { settle_steps, ..usual };
        optimise(&expr, &[(expr.len() - 1).into()], &settings).expect("a result").summary
    };
    let (without, with) = (summary(0), summary(usual.settle_steps));
    assert_eq!(without.cost_after, with.cost_after);
    assert!(with.live < without.live, "{} and {}", with.live, without.live);
    assert_eq!(with, summary(usual.settle_steps));
}

/// Two fields of one value, far enough apart, are one product and one mask; the remainder by an extent that is
/// not known is in the quotient already.
#[test]
fn fields_share_a_product_and_digits_a_quotient() {
    let found = |text: &str| {
        let expr = read(text).expect("a term");
        let settings = Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32);
        let found = optimise(&expr, &[(expr.len() - 1).into()], &settings).expect("a result");
        write(&found.expr)
    };
    assert_eq!(
        found("(add (mul (mod t:0..31 4) 2) (mul (div t 4) 512))"),
        "(and -506 (mul t 130))"
    );
    // The fields of a wider value overlap in the product.
    let wider = found("(add (mul (mod t:0..127 4) 2) (mul (div t 4) 512))");
    assert!(!wider.contains("130"), "{wider}");
    assert_eq!(
        found("(add (mul p:8..8192 (div x:0..9999 n:1..4096)) (mod x n))"),
        "(add (mul (sub p n) (div x n)) x)"
    );
}

/// A layout that is applied to what another made is one layout, before it becomes arithmetic, and its
/// price is that of its digits.
#[test]
fn layouts_that_are_applied_are_joined() {
    let chip = Chip::named("sm_90a").expect("a chip");
    let found = |text: &str| {
        let expr = read(text).expect("a term");
        let settings = Settings::new(Model::Applied(chip), 64);
        let found = optimise(&expr, &[(expr.len() - 1).into()], &settings).expect("a result");
        write(&found.expr)
    };
    let joined = found("(crd2idx (crd2idx t:0..31 [(4,8):(8,1)]) [(8,4):(100,3)])");
    assert_eq!(joined, found("(crd2idx t:0..31 [(4,8):(3,100)])"));
    assert_eq!(joined, "(add (mul t 3) (mul (shr t 2) 88))");
    // Back and forth is nothing.
    assert_eq!(found("(crd2idx (crd2idx t:0..31 [(4,8):(8,1)]) [(8,4):(4,1)])"), "t");
    // The digits of an index, and a layout of that shape.
    let digits = "(add (mul (crd2idx t:0..23 [(4,6):(1,0)]) 6) (crd2idx t [(4,6):(0,1)]))";
    assert_eq!(found(digits), found("(crd2idx t:0..23 [(4,6):(6,1)])"));
}
