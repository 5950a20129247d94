//! Predicates: what relations say is outside is what the algebra's predicates say.

use crate::support;

use layout_algebra::Tiler;
use layout_relation::{
    IntegerSet, comparisons, coordinates, integral_coordinates, outside_of_composition,
    predicate_set,
};
use support::{Draws, Random, context, layout};

const EXTENTS: &[i64] = &[1, 2, 3, 4, 5, 6];
const STRIDES: &[i64] = &[0, 1, 1, 2, 3, 4, 6, 8, 12];

/// The exact set of what is outside of a composition is where the algebra's predicate fails, and
/// the predicate can be had back from the set.
#[test]
fn compositions_agree_with_the_algebra() {
    let mut random = Random::of_seed(31);
    let context = context();
    let mut outside_of_some = 0;
    for _ in 0..400 {
        let outer = random.layout(2, EXTENTS, STRIDES);
        let inner = random.layout(3, EXTENTS, STRIDES);
        let tiler = Tiler::Layout(inner.clone());
        let Ok(predicate) = outer.in_bounds_of_composition(&tiler) else { continue };
        if predicate.shape() != inner.shape() {
            continue;
        }
        let outside = outside_of_composition(&context, &outer, &inner).unwrap();
        let all = coordinates(&context, inner.shape()).unwrap();
        let inside = all.subtract(&outside).unwrap();
        let holds = predicate_set(&context, &predicate).unwrap();
        assert!(holds.is_equal(&inside).unwrap(), "{outer} o {inner}");
        assert_eq!(outside.is_empty().unwrap(), predicate.always_holds(), "{outer} o {inner}");
        outside_of_some += i32::from(!predicate.always_holds());
        // ISL may say the same by other comparisons; as sets they agree.
        let found = comparisons(&inside, inner.shape()).unwrap();
        let Some(found) = found else { continue };
        let mut again = all.clone();
        for comparison in &found {
            let strides = comparison.layout.stride().leaves();
            let sum: Vec<_> = strides.iter().zip(0..).map(|(d, i)| format!("{d}*c{i}")).collect();
            let names: Vec<_> = (0..strides.len()).map(|i| format!("c{i}")).collect();
            let text =
                format!("{{ [{}] : {} < {} }}", names.join(","), sum.join(" + "), comparison.bound);
            again = again.intersect(&IntegerSet::parse(&context, &text).unwrap()).unwrap();
        }
        assert!(again.is_equal(&inside).unwrap(), "{outer} o {inner}: {found:?}");
    }
    assert!(outside_of_some > 50, "{outside_of_some}");
}

/// 10 elements in tiles of 4, as in the paper's argument for predicates.
#[test]
fn a_divide_that_does_not_come_out_even() {
    let context = context();
    let (ten, four) = (layout("10:1"), Tiler::Layout(layout("4:1")));
    let predicate = ten.in_bounds_of_divide(&four).unwrap();
    let divided = ten.logical_divide(&four).unwrap();
    assert_eq!(divided.to_string(), "(4,3):(1,4)");
    let inside = predicate_set(&context, &predicate).unwrap();
    let outside = coordinates(&context, divided.shape()).unwrap().subtract(&inside).unwrap();
    let outside = integral_coordinates(&outside, divided.shape()).unwrap();
    assert_eq!(outside.text().unwrap(), "{ [c] : 10 <= c <= 11 }");
    let found = comparisons(&inside, divided.shape()).unwrap().unwrap();
    assert_eq!(found, predicate.comparisons());
}

/// Sets without the algebra's form: with a division, and of two parts.
#[test]
fn not_every_set_is_a_predicate() {
    let context = context();
    let shape = "(4,4)".parse().unwrap();
    for text in [
        "{ [i, j] : 0 <= i, j < 4 and (i + j) mod 2 = 0 }",
        "{ [i, j] : 0 <= i, j < 4 and (i < 2 or j > 2) }",
        "{ [i, j] : 0 <= i < 4 and i = j }",
    ] {
        let set = IntegerSet::parse(&context, text).unwrap();
        assert_eq!(comparisons(&set, &shape).unwrap(), None, "{text}");
    }
    let all = IntegerSet::parse(&context, "{ [i, j] : 0 <= i, j < 4 }").unwrap();
    assert_eq!(comparisons(&all, &shape).unwrap(), Some(Vec::new()));
}
