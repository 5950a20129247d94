//! Predicates of padded divides and of compositions that reach past their left operand, against
//! enumeration.

use layout_algebra::{Layout, Predicate, Region, Term, Tiler, Tuple};
use std::collections::BTreeSet;

fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}

fn tile(text: &str) -> Tiler {
    Tiler::Layout(layout(text))
}

/// Coordinates at which a predicate holds; without one of its comparisons, if one is given.
fn holding(predicate: &Predicate, without: Option<usize>) -> Vec<i64> {
    let size = predicate.shape().product().unwrap();
    (0..size)
        .filter(|&index| {
            predicate.comparisons().iter().enumerate().all(|(i, comparison)| {
                Some(i) == without || comparison.layout.at(index).unwrap() < comparison.bound
            })
        })
        .collect()
}

/// Holds at the expected coordinates, and no comparison can go.
fn check(predicate: &Predicate, expected: &[i64], what: &str) {
    assert_eq!(holding(predicate, None), expected, "{what}: {predicate}");
    for i in 0..predicate.comparisons().len() {
        assert_ne!(holding(predicate, Some(i)), expected, "{what}: {predicate} without {i}");
    }
    let size = predicate.shape().product().unwrap();
    assert_eq!(predicate.always_holds(), i64::try_from(expected.len()) == Ok(size));
    let outside: Vec<i64> = (0..size).filter(|index| !expected.contains(index)).collect();
    for (region, set) in
        [(predicate.inside().unwrap(), expected), (predicate.outside().unwrap(), &outside)]
    {
        match region {
            Region::Empty => assert!(set.is_empty()),
            Region::Layout { start, layout } => {
                let found: Vec<i64> =
                    (0..layout.size()).map(|i| start + layout.at(i).unwrap()).collect();
                assert_eq!(found, set);
            }
            Region::Irregular { count } => assert_eq!(i64::try_from(set.len()), Ok(count)),
        }
    }
    for comparison in predicate.comparisons() {
        assert_eq!(comparison.layout.shape(), predicate.shape(), "{what}: {predicate}");
    }
}

/// The strides are so far apart that an offset past a mode's end is no other element's: what the
/// layout's elements reach is inside, all else is not.
fn reached(original: &Layout, result: &Layout) -> Vec<i64> {
    let elements: BTreeSet<i64> = (0..original.size()).map(|i| original.at(i).unwrap()).collect();
    assert_eq!(i64::try_from(elements.len()), Ok(original.size()));
    (0..result.size()).filter(|&i| elements.contains(&result.at(i).unwrap())).collect()
}

/// The lengthened mode continues into the next one, and still its own index is compared.
#[test]
fn a_mode_that_is_lengthened_to_meet_the_next() {
    let (a, b) = (layout("(3,2):(2,8)"), tile("2:1"));
    let divided = a.logical_divide(&b).unwrap();
    assert_eq!(divided, layout("(2,4):(2,4)"));
    let predicate = a.in_bounds_of_divide(&b).unwrap();
    assert_eq!(predicate.to_string(), "(2,(2,2)):(1,(2,0)) < 3");
    assert_eq!(holding(&predicate, None), reached(&a, &divided));
}

#[test]
fn divides_of_one_mode_by_any_tile() {
    let mut padded = 0;
    for n in 1..=13 {
        for extent in 1..=6 {
            for stride in 1..=5 {
                let original = layout(&format!("{n}:1"));
                let tiler = tile(&format!("{extent}:{stride}"));
                let Ok(divided) = original.logical_divide(&tiler) else { continue };
                let predicate = original.in_bounds_of_divide(&tiler).unwrap();
                assert_eq!(predicate.shape(), divided.shape());
                assert!(predicate.comparisons().len() <= 1);
                check(&predicate, &reached(&original, &divided), &format!("{original} by {tiler}"));
                padded += usize::from(!predicate.always_holds());
            }
        }
    }
    assert!(padded > 100, "{padded}");
}

#[test]
fn divides_of_nested_layouts_by_any_tile() {
    let mut padded = 0;
    for text in [
        "(5,2):(1,1000)",
        "(2,5):(1000,1)",
        "(3,4):(1,1000)",
        "(6,3):(1000,1)",
        "((2,3),5):((1,1000),100000)",
        "(5,3,2):(1,1000,100000)",
        "(4,3,3):(100000,1000,1)",
        "(2,(3,1)):(100000,(1000,1))",
        "(5,2):(2,12)",
        // Where the mode of one entry cannot continue, the one before it does.
        "(5,1):(1,1000)",
        "(5,1,1):(1,7,1000)",
        "((3,5),1):((1000,1),100000)",
    ] {
        let original = layout(text);
        for tiler in [
            "2:1",
            "3:1",
            "4:1",
            "2:2",
            "3:2",
            "2:3",
            "5:1",
            "2:5",
            "(2,2):(1,5)",
            "4:2",
            "7:1",
            "(2,3):(1,6)",
            "3:4",
        ] {
            let tiler = tile(tiler);
            let Ok(divided) = original.logical_divide(&tiler) else { continue };
            // Lengthened, the last one's columns run into each other.
            if text == "(5,2):(2,12)" && divided.size() > original.size() {
                continue;
            }
            let predicate = original.in_bounds_of_divide(&tiler).unwrap();
            assert_eq!(predicate.shape(), divided.shape(), "{original} by {tiler}");
            check(&predicate, &reached(&original, &divided), &format!("{original} by {tiler}"));
            padded += usize::from(!predicate.always_holds());
        }
    }
    assert!(padded > 15, "{padded}");
}

#[test]
fn divides_by_mode_in_every_arrangement() {
    for m in 1..=6 {
        for n in 1..=6 {
            let original = layout(&format!("({m},{n},2):(1,1000,1000000)"));
            for a in 1..=5 {
                for b in 1..=5 {
                    let tiler = Tiler::from_shape(&format!("({a},{b})").parse().unwrap()).unwrap();
                    let predicate = original.in_bounds_of_divide(&tiler).unwrap();
                    let uneven = usize::from(m % a != 0) + usize::from(n % b != 0);
                    assert_eq!(predicate.comparisons().len(), uneven);
                    let what = format!("{original} by {tiler}");
                    type Divide = fn(&Layout, &Tiler) -> layout_algebra::Result<Layout>;
                    let all: [(Predicate, Divide); 4] = [
                        (predicate.clone(), Layout::logical_divide),
                        (predicate.zipped(&tiler).unwrap(), Layout::zipped_divide),
                        (predicate.tiled(&tiler).unwrap(), Layout::tiled_divide),
                        (predicate.flat(&tiler).unwrap(), Layout::flat_divide),
                    ];
                    for (predicate, divide) in all {
                        let divided = divide(&original, &tiler).unwrap();
                        assert_eq!(predicate.shape(), divided.shape());
                        check(&predicate, &reached(&original, &divided), &what);
                    }
                }
            }
        }
    }
}

/// Inside is where the right operand's offset is an index of the left one.
#[test]
fn compositions_that_reach_past() {
    let mut past = 0;
    for a in ["5:1", "(2,2):(1,80)", "(2,1):(1,80)", "(3,2):(7,100)", "(4,4):(4,1)"] {
        let a = layout(a);
        for m in 1..=4 {
            for n in 1..=3 {
                for s in -2..=4 {
                    for d in -2..=6 {
                        let b = layout(&format!("({m},{n}):({s},{d})"));
                        let tiler = Tiler::Layout(b.clone());
                        let Ok(composed) = a.composition(&b) else { continue };
                        let predicate = a.in_bounds_of_composition(&tiler).unwrap();
                        assert_eq!(predicate.shape(), composed.shape());
                        let expected: Vec<i64> = (0..b.size())
                            .filter(|&i| (0..a.size()).contains(&b.at(i).unwrap()))
                            .collect();
                        check(&predicate, &expected, &format!("{a} o {b}"));
                        past += usize::from(!predicate.always_holds());
                    }
                }
            }
        }
    }
    assert!(past > 500, "{past}");
}

fn of_divide(original: &str, tiler: &Tiler) -> Predicate {
    layout(original).in_bounds_of_divide(tiler).unwrap()
}

/// The example of the identities: ISL finds {10 <= i <= 11}.
#[test]
fn identity_9_ten_by_four() {
    let predicate = of_divide("10:1", &tile("4:1"));
    assert_eq!(predicate.to_string(), "(4,3):(1,4) < 10");
    assert_eq!(predicate.outside().unwrap().to_string(), "10 + 2:1");
    assert_eq!(predicate.inside().unwrap().to_string(), "0 + 10:1");
    assert_eq!(predicate.shape().to_string(), "(4,3)");
    let at = |text: &str| predicate.holds(&text.parse::<Tuple>().unwrap()).unwrap();
    assert!(at("(1,2)") && at("9") && !at("(2,2)") && !at("11"));
}

/// Seed 002, section 3.4.1: `(2,1):(1,80) o (2,2):(2,1)` is `(2,2):(80,1)` in CuTe, and the relation
/// has only coordinates 0 and 2.
#[test]
fn seed_002_composition_with_promotion() {
    let a = layout("(2,1):(1,80)");
    let b = tile("(2,2):(2,1)");
    assert_eq!(a.composition(&layout("(2,2):(2,1)")).unwrap().to_string(), "(2,2):(80,1)");
    let predicate = a.in_bounds_of_composition(&b).unwrap();
    assert_eq!(predicate.to_string(), "(2,2):(2,1) < 2");
    assert_eq!(predicate.inside().unwrap().to_string(), "0 + 2:2");
    assert_eq!(predicate.outside().unwrap().to_string(), "1 + 2:2");
    // Promoted, the left operand is large enough, as the paper says.
    let promoted = layout("(2,2):(1,80)");
    assert!(promoted.in_bounds_of_composition(&b).unwrap().always_holds());
}

/// Seed 003 divides 24 elements by `4:2` and the 2-D `(9,(4,8))` by `<3:3, (2,4):(1,8)>`; both come
/// out even, and so does its 4x2 example.
#[test]
fn seed_003_divides_are_even() {
    assert_eq!(of_divide("(4,2,3):(2,1,8)", &tile("4:2")).to_string(), "true");
    let tiler = Tiler::Tuple(vec![tile("3:3"), tile("(2,4):(1,8)")]);
    assert_eq!(of_divide("(9,(4,8)):(59,(13,1))", &tiler).to_string(), "true");
}

/// Seed 001 reads a layout past its size in its last mode, and so does composition: the extension of
/// `(2,2):(1,10)` at 4 is 20.
#[test]
fn seed_001_extension_is_outside() {
    let a = layout("(2,2):(1,10)");
    assert_eq!(a.at(4), Ok(20));
    let predicate = a.in_bounds_of_composition(&tile("6:1")).unwrap();
    assert_eq!(predicate.to_string(), "(2,3):(1,2) < 4");
    assert_eq!(predicate.outside().unwrap().to_string(), "4 + 2:1");
}

#[test]
fn predicates_by_name() {
    let by_shape = |text: &str| Tiler::from_shape(&text.parse().unwrap()).unwrap();
    for (original, tiler, expected) in [
        ("(512,257):(257,1)", by_shape("(128,32)"), "((128,4),(32,9)):((0,0),(1,32)) < 257"),
        (
            "(100,70):(70,1)",
            by_shape("(16,16)"),
            "((16,7),(16,5)):((1,16),(0,0)) < 100 and ((16,7),(16,5)):((0,0),(1,16)) < 70",
        ),
        // A mode that the tiler keeps or does not name.
        ("(10,7,5):(35,5,1)", by_shape("(4,7)"), "((4,3),(7,1),5):((1,4),(0,0),0) < 10"),
        ("(10,7):(7,1)", Tiler::Tuple(vec![Tiler::Any, tile("2:1")]), "(10,(2,4)):(0,(1,2)) < 7"),
        // A tile with gaps.
        ("10:1", tile("2:2"), "(2,(2,3)):(2,(1,4)) < 10"),
        // The first mode is lengthened.
        ("(5,3):(1,1000)", tile("2:1"), "(2,(3,3)):(1,(2,0)) < 5"),
        // The mode of one entry does not continue.
        ("(5,1):(1,10)", tile("3:2"), "(3,2):(2,1) < 5"),
        ("7:1", Tiler::Any, "true"),
    ] {
        assert_eq!(of_divide(original, &tiler).to_string(), expected, "{original} by {tiler}");
    }
    // Offsets below 0 are no indices either.
    let predicate = layout("5:1").in_bounds_of_composition(&tile("(3,3):(-1,4)")).unwrap();
    assert_eq!(predicate.to_string(), "(3,3):(-1,4) < 5 and (3,3):(1,-4) < 1");
    assert_eq!(predicate.inside().unwrap().to_string(), "4 coordinates, which are no layout");
    assert_eq!(of_divide("12:1", &tile("4:1")).outside().unwrap().to_string(), "none");
}

#[test]
fn refusals() {
    let predicate = of_divide("10:1", &tile("4:1"));
    assert_eq!(
        predicate.holds(&"(1,1,1)".parse().unwrap()).unwrap_err().to_string(),
        "expected a coordinate that fits the shape (4,3), found (1,1,1)"
    );
    let tiler = Tiler::from_shape(&"(4,4)".parse().unwrap()).unwrap();
    assert_eq!(
        layout("10:1").in_bounds_of_divide(&tiler).unwrap_err().to_string(),
        layout("10:1").logical_divide(&tiler).unwrap_err().to_string()
    );
    let large = of_divide("2000001:1", &tile("2:1"));
    assert_eq!(large.to_string(), "(2,1000001):(1,2) < 2000001");
    assert_eq!(
        large.inside().unwrap_err().to_string(),
        "coordinates to evaluate: expected at most 1048576, found 2000002"
    );
}

#[test]
fn terms_have_predicates() {
    let many = |value: &str| [vec![value; 30], vec!["1"; 3000]].concat().join(",");
    let tiles = format!("in_bounds_of_divide(({}):({}), ({}))", many("3"), many("1"), many("2"));
    for (term, answer) in [
        ("in_bounds_of_divide(10:1, 4:1)", "[[(4,3):(1,4), 10]]"),
        ("in_bounds_of_divide(12:1, 4:1)", "[]"),
        ("in_bounds_of_divide((5,2):(2,40), 2:1)", "[[(2,(3,2)):(1,(2,0)), 5]]"),
        (
            "in_bounds_of_divide((10,7):(7,1), (4,4))",
            "[[((4,3),(4,2)):((1,4),(0,0)), 10], [((4,3),(4,2)):((0,0),(1,4)), 7]]",
        ),
        ("in_bounds_of_composition((2,1):(1,80), (2,2):(2,1))", "[[(2,2):(2,1), 2]]"),
        ("in_bounds_of_composition((10,7):(7,1), <4:4, _>)", "[[(4,7):(4,0), 10]]"),
        ("in_bounds_of_divide(10:1)", "in_bounds_of_divide: expected 2 operands, found 1"),
        // A swizzle moves offsets, not indices.
        ("in_bounds_of_divide(S<1,0,1> o 0 o 10:1, 4:1)", "[[(4,3):(1,4), 10]]"),
        (
            "in_bounds_of_divide(S<1,0,1>, 4:1)",
            "in_bounds_of_divide: expected a plain layout as operand 1, found S<1,0,1>",
        ),
        (&tiles, "leaves of a predicate's layouts: expected at most 65536, found more"),
    ] {
        let value = Term::parse(term).expect("a term").eval();
        let found = value.map_or_else(|error| error.to_string(), |value| value.to_string());
        assert_eq!(found, answer, "{term}");
    }
}
