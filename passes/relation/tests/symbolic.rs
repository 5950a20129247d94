//! Layouts with symbols as relations with parameters, and back: what a layout leaves open is what the
//! parameters say, no more and no less.

use crate::support;

use layout_algebra::{Facts, Value, Values, evaluate};
use layout_relation::{
    Context, Relation, recover_symbolic, symbolic_basis_mapping, symbolic_composed_mapping,
    symbolic_index_mapping,
};
use support::{Draws, Random, context};

fn mapping_of(context: &Context, text: &str) -> Relation {
    let mut facts = Facts::new();
    match evaluate(text, &mut facts).unwrap() {
        Value::Layout(layout) => symbolic_index_mapping(context, &layout, &facts),
        Value::Composed(layout) => symbolic_composed_mapping(context, &layout, &facts),
        Value::Basis(layout) => symbolic_basis_mapping(context, &layout, &facts),
        other => panic!("no layout: {other}"),
    }
    .unwrap()
}

/// The text of the layout with a mapping, or why there is none.
fn found(mapping: &Relation) -> String {
    match recover_symbolic(mapping) {
        Ok((layout, facts)) => {
            let named = layout.canonical(&facts).unwrap();
            named.value.annotated(&named.facts)
        }
        Err(error) => error.to_string(),
    }
}

fn found_of(text: &str) -> String {
    found(&Relation::parse(&context(), text).unwrap())
}

#[test]
fn layouts_survive_the_round_trip() {
    let context = context();
    for text in [
        "(?,8):(8,1)",
        "(?{div=8},8):(8,1)",
        "(?{i64},?1):(1,0)",
        "(?,4,?):(1,0,0)",
        "(?{range=8..64},4,?{i64 div=3}):(0,3,-5)",
        "(M{div=64},M/64):(1,7)",
        "(M,ceil_div(M,8)):(3,1)",
        "(M,M+1,2*N):(3,1,100)",
        "(?,8):(1@1,4@0)",
        "(?,8,2):(1@0,1@1,3@0)",
        "S<1,0,1> o 0 o (?,2):(2,1)",
        "S<2,1,3> o 0 o (?,16):(16,1)",
        "S<3,3,3> o 0 o (?,64):(64,1)",
        "S<3,4,3> o 0 o (64,?{div=8}):(1,64)",
    ] {
        let mapping = mapping_of(&context, text);
        let written = mapping.expressions().unwrap();
        let again = found(&Relation::parse(&context, &written).unwrap());
        let mut facts = Facts::new();
        let value = evaluate(text, &mut facts).unwrap().canonical(&facts).unwrap();
        assert_eq!(again, value.value.annotated(&value.facts), "{written}");
    }
}

#[test]
fn dimensions_are_modes_of_several() {
    let cases = [
        // In place of natural coordinates, those that count through modes, the last of them open.
        ("[n] -> { [c] -> [2c] : 0 <= c < n }", "?{i64}:2"),
        ("[n] -> { [c] -> [c mod 8 + 100*floor(c/8)] : 0 <= c < 8n }", "(8,?{i64}):(1,100)"),
        (
            "[n, m] -> { [i, j] -> [floor(i/2) + 64*(i mod 2) + 5j] : 0 <= i < n <= 64 and n mod 2 = 0 \
             and 0 <= j < m }",
            "((2,?{div=2 range=2..64}/2),?{i64}):((64,1),5)",
        ),
        // How far coordinates reach may be stated in several ways.
        ("[n] -> { [c] -> [c] : 0 <= c and 2c < n }", "ceil_div(?{i64 range=1..},2):1"),
        ("[n] -> { [c] -> [3c] : 0 <= c < n and c < 8 }", "min(8,?{i64 range=1..}):3"),
        (
            "[n] -> { [c, d] -> [d, c] : 0 <= c < n <= 100 and 0 <= d < 4 }",
            "(?{range=1..100},4):(1@1,1@0)",
        ),
        // A mapping whose parameter is not used is a layout of numbers.
        ("[n] -> { [c] -> [c] : 0 <= c < 8 }", "8:1"),
        ("[a, b] -> { [c] -> [c] : 0 <= c < b }", "?{i64}:1"),
    ];
    for (text, expected) in cases {
        assert_eq!(found_of(text), expected, "{text}");
    }
}

#[test]
fn what_no_layout_has_is_reported() {
    let of = |text: &str| format!("recover({text}): expected ");
    let layout = "the mapping of a plain or swizzled layout, found ";
    let known = "parameters of which a range and a divisor of each is known and no more, found ";
    let cases = [
        (
            "[n] -> { [i, j] -> [i + j] : 0 <= i < n and 0 <= j <= i }",
            "the domain to be a box from 0, found no image at (0,1) where n = 2",
        ),
        (
            "[n] -> { [c] -> [c] : -n <= c < n }",
            "the domain to be a box from 0, found negative coordinates",
        ),
        (
            "[n] -> { [c] -> [n + c] : 0 <= c < n }",
            &format!("{layout}3 at (0) where n = 3, and 0 of the only candidate"),
        ),
        (
            "[n] -> { [c] -> [2c] : 8 <= c < n; [c] -> [c] : 0 <= c <= 7 and c < n }",
            &format!("{layout}16 at (8) where n = 18, and 8 of the only candidate"),
        ),
        (
            "[n] -> { [c] -> [o0] : (-3c + o0) mod 7 = 0 and 0 <= c < n and 0 <= o0 <= 6 }",
            &format!("{layout}2 at (3) where n = 10, and 9 of the only candidate"),
        ),
        // A number that is no multiple of 4 has a last group that is not whole.
        (
            "[n] -> { [c] -> [o0] : (-c + o0) mod 6 = 0 and 0 <= c < n and -9 + 5c <= 2o0 <= 5c }",
            "extents that come out even, found n in steps of 4",
        ),
        (
            "[n, m] -> { [c] -> [c] : m > n and 0 <= c < n }",
            &format!("{known}{{ [n, m] : n > 0 and m > n }}"),
        ),
        (
            "[n] -> { [c] -> [c] : 0 <= c <= 6 and (n = 7 or (n = 3 and c <= 2)) }",
            &format!("{known}{{ [n = 7]; [n = 3] }}"),
        ),
        ("[n] -> { [c] -> [c] : c >= n }", "a bounded domain, found one without bounds"),
        ("[n] -> { [c] -> [o0] : false }", "at least one coordinate, found none"),
        (
            "[n] -> { [c] -> [d] : 0 <= c < n and 0 <= d <= 1 }",
            "one image for each coordinate, found more than one for some",
        ),
        (
            "[n] -> { [c] -> [c, c] : 0 <= c < n }",
            "strides that move in one coordinate, found one that moves by (1,1)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(found_of(text), of(text) + expected);
    }
    assert_eq!(
        found_of("[n] -> { [] -> [n] }"),
        "recover: expected a mapping from and to at least 1 dimension, found 0 to 1"
    );
    assert_eq!(
        found_of("[n] -> { [c] -> [c] : 0 <= c < n <= 99999999999999999999999 }"),
        "expected an integer within 64 bits, found 99999999999999999999999"
    );
}

fn number(random: &mut Random, below: i64) -> i64 {
    i64::try_from(random.below(below.unsigned_abs())).unwrap()
}

/// At every choice of the symbols, the layout that is found has the images of the relation.
#[test]
fn random_layouts_are_found_again() {
    let context = context();
    let mut random = Random::of_seed(5);
    for _ in 0..15 {
        let rank = 1 + random.below(3);
        let mut shape = Vec::new();
        let mut stride = Vec::new();
        for _ in 0..rank {
            let kinds: &[&str] =
                &["?", "?{div=4}", "?{range=2..40}", "2*?", "3", "8", "?{i64 range=1..9}"];
            shape.push(random.choose(kinds).to_string());
            stride.push((number(&mut random, 40) - 8).to_string());
        }
        let text = format!("({}):({})", shape.join(","), stride.join(","));
        let mapping = mapping_of(&context, &text);
        let mut facts = Facts::new();
        let Value::Layout(layout) = evaluate(&text, &mut facts).unwrap() else { panic!() };
        if mapping.parameters().unwrap() == 0 {
            continue;
        }
        let (value, known) = recover_symbolic(&mapping).unwrap();
        let Value::Layout(again) = value else { panic!("{text}: {value}") };
        // Parameters come in the order of the text.
        let names = Value::Layout(layout.clone()).symbols();
        let value_of = |name: &String, random: &mut Random| {
            let symbol = facts.get(name).unwrap();
            let (low, high) = symbol.range();
            let unit = symbol.divisor();
            low.max(0)
                + (unit - low.max(0) % unit) % unit
                + unit * number(random, ((high - low.max(0)) / unit).clamp(0, 4) + 1)
        };
        for _ in 0..5 {
            let chosen: Vec<i64> = names.iter().map(|name| value_of(name, &mut random)).collect();
            let of = |names: Vec<String>, facts: &Facts| {
                let pairs: Vec<(String, i64)> =
                    names.into_iter().zip(chosen.iter().copied()).collect();
                Values::new(facts, pairs.iter().map(|(name, value)| (name.as_str(), *value)))
                    .unwrap()
            };
            let one = layout.substitute(&of(names.clone(), &facts)).unwrap();
            let own = (0..names.len()).map(|at| format!("p{at}")).collect();
            let other = again.substitute(&of(own, &known)).unwrap();
            assert_eq!(one.shape().leaves(), other.shape().leaves(), "{text}");
            let size = one.size();
            assert!((0..size.min(500)).all(|at| one.at(at) == other.at(at)), "{text}");
        }
    }
}
