//! MLIR's affine maps and sets: there and back, and the texts of errors.

use crate::support;

use layout_relation::{
    IntegerSet, Relation, affine_pieces, affine_sets, index_mapping, layout_mapping,
    relation_of_affine_map, set_of_affine_set,
};
use support::{Draws, Random, context};

/// A relation from its pieces.
fn again(context: &layout_relation::Context, relation: &Relation) -> Relation {
    let mut whole: Option<Relation> = None;
    for piece in affine_pieces(relation).unwrap() {
        let map = relation_of_affine_map(context, &piece.map).unwrap();
        for domain in &piece.domain {
            let part = map.on(&set_of_affine_set(context, domain).unwrap()).unwrap();
            whole = Some(match whole {
                None => part,
                Some(whole) => whole.union(&part).unwrap(),
            });
        }
    }
    whole.unwrap()
}

#[test]
fn layouts_survive_the_round_trip() {
    let mut random = Random::of_seed(41);
    let context = context();
    for _ in 0..40 {
        let given = random.layout(3, &[1, 2, 3, 4], &[0, 1, 2, 3, 8, -5]);
        for mapping in
            [layout_mapping(&context, &given).unwrap(), index_mapping(&context, &given).unwrap()]
        {
            let found = again(&context, &mapping);
            assert!(found.is_equal(&mapping).unwrap(), "{given}");
        }
    }
    let fan = Relation::parse(&context, "{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }").unwrap();
    assert!(again(&context, &fan).is_equal(&fan).unwrap());
    let pieces = "{ [c] -> [c] : 0 <= c < 4; [c] -> [7 - c] : 4 <= c < 8 }";
    let pieces = Relation::parse(&context, pieces).unwrap();
    assert_eq!(affine_pieces(&pieces).unwrap().len(), 2);
    assert!(again(&context, &pieces).is_equal(&pieces).unwrap());
}

#[test]
fn sets_survive_the_round_trip() {
    let context = context();
    for text in [
        "{ [i, j] : 0 <= i <= j < 8 }",
        "{ [i, j] : 0 <= i, j < 8 and (i + j) mod 3 = 0 }",
        "{ [i] : 0 <= i < 4 or 8 <= i < 12 }",
        "{ [i] }",
        "{ [i] : false }",
    ] {
        let set = IntegerSet::parse(&context, text).unwrap();
        let empty = IntegerSet::parse(&context, "{ [i] : false }").unwrap();
        let parts = affine_sets(&set).unwrap();
        let parts = parts.iter().map(|part| set_of_affine_set(&context, part).unwrap());
        let found = parts.reduce(|a, b| a.union(&b).unwrap()).unwrap_or(empty);
        assert!(found.is_equal(&set).unwrap(), "{text}");
    }
}

#[test]
fn mlir_texts_are_read() {
    let context = context();
    for (text, at, image) in [
        ("affine_map<(d0) -> (d0)>", &[3][..], vec![3]),
        ("affine_map<(d0, d1) -> (d1, d0)>", &[3, 4], vec![4, 3]),
        ("(i, mod1) -> (i ceildiv 4 - mod1 * -2)", &[5, 1], vec![4]),
        ("affine_map<(d0) -> (-d0 mod 8, -(d0 + 1) floordiv 2)>", &[3], vec![5, -2]),
        ("affine_map<(d0) -> ((d0 floordiv 4) * 8 + (d0 mod 4) floordiv 2 + 1)>", &[7], vec![10]),
        ("affine_map<() -> (3)>", &[], vec![3]),
    ] {
        let relation = relation_of_affine_map(&context, text).unwrap();
        assert_eq!(relation.at(at).unwrap(), Some(image), "{text}");
    }
    let symbolic =
        relation_of_affine_map(&context, "affine_map<(d0)[s0] -> (d0 + s0 * 4)>").unwrap();
    let paper = Relation::parse(&context, "[s0] -> { [i] -> [i + 4s0] }").unwrap();
    assert!(symbolic.is_equal(&paper).unwrap());
    let set = set_of_affine_set(&context, "affine_set<(d0)[s0] : (d0 >= 0, d0 <= s0 - 1)>");
    let paper = IntegerSet::parse(&context, "[s0] -> { [i] : 0 <= i < s0 }").unwrap();
    assert!(set.unwrap().is_equal(&paper).unwrap());
}

#[test]
fn texts_of_errors() {
    let context = context();
    let map = |text: &str| relation_of_affine_map(&context, text).err().unwrap().to_string();
    for (text, expected) in [
        ("", "expected `(`, found the end at byte 0"),
        ("affine_map(d0) -> (d0)", "expected `<`, found `(` at byte 10"),
        ("affine_map<(d0) -> (d0)", "expected `>`, found the end at byte 23"),
        ("(d0) -> (d0) x", "expected the end, found `x` at byte 13"),
        ("(d0, d0) -> (d0)", "expected a new name, found `d0` at byte 5"),
        ("(d0) -> (d0 mod 0)", "expected a divisor of at least 1, found `0` at byte 16"),
        ("(d0) -> (d0 floordiv d0)", "expected a divisor of at least 1, found `d0` at byte 21"),
        ("(d0) -> (d0 +)", "expected a dimension, a symbol or a number, found `)` at byte 13"),
        ("(d0) : (d0)", "expected `->`, found `:` at byte 5"),
        ("(é) -> (é ∘)", "expected `,`, found `∘` at byte 12"),
    ] {
        assert_eq!(map(text), expected, "{text}");
    }
    let deep = format!("(d0) -> ({}d0{})", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(
        map(&deep),
        "expected expressions that nest at most 100 deep, found `(` at byte 110"
    );
    assert_eq!(map("(d0) -> (d0 * d0)"), "expected a number as one factor, found `)` at byte 16");
    let set = set_of_affine_set(&context, "(d0) : (d0)").err().unwrap();
    assert_eq!(set.to_string(), "expected `>=`, `<=` or `==`, found `)` at byte 10");
}
