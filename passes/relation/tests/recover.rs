//! Layouts back from mappings alone: what is found is the mapping, and a witness where nothing is.

use crate::support;

use layout_algebra::{AnyLayout, BasisLayout, Swizzle, Term, Tuple, Value, linear::LinearLayout};
use layout_relation::{
    Context, Formula, Recovered, Relation, any_layout_mapping, basis_layout_mapping, index_mapping,
    least_rank_layout, linear_layout_mapping, linear_layout_text, recover,
};
use support::{Draws, Random, context, layout};

fn any(text: &str) -> AnyLayout {
    Term::parse(text).unwrap().eval_layout().unwrap()
}

fn recovered(text: &str) -> String {
    let context = context();
    let mapping = match text.starts_with('{') {
        true => Relation::parse(&context, text).unwrap(),
        false => any_layout_mapping(&context, &any(text)).unwrap(),
    };
    match recover(&mapping).unwrap() {
        Recovered::Layout(layout) => layout.to_string(),
        Recovered::Swizzled(layout) => layout.to_string(),
        Recovered::Basis(layout) => layout.to_string(),
        Recovered::Linear { offset, layout } => match &offset[..] {
            [offset] => format!("{layout} + {offset}"),
            offset => format!("{layout} + {offset:?}"),
        },
        Recovered::Neither { layout, linear } => {
            let linear = linear.map_or("none".to_owned(), |linear| linear.to_string());
            format!("layout: {layout}; linear: {linear}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn layouts_swizzles_and_linear_layouts_are_found() {
    for (mapping, expected) in [
        ("((2,2),(3,1)):((1,2),(4,9))", "12:1"),
        ("(6,4):(4,1)", "(6,4):(4,1)"),
        // A swizzle that does nothing to these offsets, and one that does.
        ("S<1,4,3> o 0 o (4,8):(8,1)", "(4,8):(8,1)"),
        ("S<2,0,3> o 0 o (8,8):(8,1)", "S<2,0,3> o 0 o (8,8):(8,1)"),
        ("S<1,0,2> o 3 o (4,4):(4,1)", "S<1,0,2> o 3 o (4,4):(4,1)"),
        // No power of two.
        ("S<1,0,2> o 0 o (3,5):(5,1)", "S<1,0,2> o 0 o (3,5):(5,1)"),
        // Two swizzles at once are only linear.
        (
            "{ [c] -> [((floor(c/4) + c) mod 2) + 2*((floor(c/2) + floor(c/4)) mod 2) + \
             4*(floor(c/4) mod 2)] : 0 <= c < 8 }",
            "linear<{index = [1,2,7]} -> {offset = 8}> + 0",
        ),
        (
            "{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }",
            "layout: expected 7 at coordinate (3), found 23 in the only candidate; \
             linear: expected 1 at coordinate (5), found 9 in the only candidate",
        ),
        (
            "{ [c] -> [(-3c) mod 15] : 0 <= c < 15 }",
            "layout: expected 9 at coordinate (2), found 24 in the only candidate; linear: none",
        ),
    ] {
        assert_eq!(recovered(mapping), expected, "{mapping}");
    }
}

/// The layout found for a random composed layout has its offsets, whatever kind it is.
#[test]
fn composed_layouts_are_found_again() {
    let mut random = Random::of_seed(21);
    let context = context();
    for _ in 0..60 {
        let inner = random.layout(3, &[2, 2, 4, 3], &[0, 1, 2, 4, 8, 16, 5]);
        let bits = 1 + u32::try_from(random.below(2)).unwrap();
        let shift = i32::try_from(u64::from(bits) + random.below(2)).unwrap();
        let shift = if random.below(2) == 0 { shift } else { -shift };
        let base = u32::try_from(random.below(3)).unwrap();
        let swizzle = Swizzle::new(bits, base, shift).unwrap();
        let composed = any(&format!("{swizzle} o {} o {inner}", random.choose(&[0, 0, 1, 6])));
        let mapping = any_layout_mapping(&context, &composed).unwrap();
        let found = match recover(&mapping).unwrap() {
            Recovered::Layout(layout) => AnyLayout::Plain(layout),
            Recovered::Swizzled(layout) => AnyLayout::Composed(layout),
            Recovered::Linear { offset, layout } => {
                for index in 0..composed.size() {
                    let expected = composed.at(index).unwrap();
                    assert_eq!(layout.at(index).unwrap() ^ offset[0], expected, "{composed}");
                }
                continue;
            }
            other => {
                // A swizzle that reaches past the offsets' bits is not sought.
                let most = (0..composed.size()).map(|c| composed.at(c).unwrap()).max().unwrap();
                assert!(swizzle.period() > most, "{composed}: {other:?}");
                continue;
            }
        };
        for index in 0..composed.size() {
            assert_eq!(found.at(index).unwrap(), composed.at(index).unwrap(), "{composed}");
        }
    }
}

/// Sizes far beyond what could be listed.
#[test]
fn large_layouts_are_recovered_symbolically() {
    let context = context();
    for text in [
        "(1000,1000,1000):(1000000,1000,1)",
        "(4096,4096):(4096,1)",
        "((16,64),(3,1000)):((1,1000000),(16,7000000))",
    ] {
        let given = layout(text);
        let mapping = layout_relation::layout_mapping(&context, &given).unwrap();
        let found = least_rank_layout(&mapping).unwrap().unwrap();
        assert_eq!(found, given.coalesce().unwrap());
    }
    // One offset of a million is wrong.
    let text = "{ [c] -> [c] : 0 <= c < 1000000 and c != 777777; [777777] -> [0] }";
    let mapping = Relation::parse(&context, text).unwrap();
    assert_eq!(
        least_rank_layout(&mapping).unwrap().unwrap_err().to_string(),
        "expected 0 at coordinate (777777), found 777777 in the only candidate"
    );
}

/// Formulas of composed layouts are their offsets, negative ones too.
#[test]
fn formulas_of_composed_layouts() {
    let context = context();
    for text in [
        "S<2,1,3> o 5 o (4,(2,3)):(8,(1,-40))",
        "S<1,0,-2> o 0 o (3,5):(5,1)",
        "(4,3):(1,7) o 2 o (2,5):(1,2)",
    ] {
        let given = any(text);
        let mapping = any_layout_mapping(&context, &given).unwrap();
        let formula = Formula::of(&mapping).unwrap();
        for index in 0..given.size() {
            let expected = Some(vec![given.at(index).unwrap()]);
            assert_eq!(formula.at(&[index]).unwrap(), expected, "{text} at {index}");
            assert_eq!(mapping.at(&[index]).unwrap(), expected, "{text} at {index}");
        }
    }
}

/// Coordinates of several dimensions: a mode for each, nested where the mapping along it needs several.
#[test]
fn dimensions_are_modes() {
    for (mapping, expected) in [
        ("{ [i, j] -> [4i + j] : 0 <= i < 4 and 0 <= j < 4 }", "(4,4):(4,1)"),
        ("{ [i, j] -> [i + 4j] : 0 <= i < 4 and 0 <= j < 4 }", "(4,4):(1,4)"),
        ("{ [i, j, k] -> [-2i + 7k] : 0 <= i < 3 and j = 0 and 0 <= k < 5 }", "(3,1,5):(-2,0,7)"),
        (
            "{ [i, j] -> [8i + (j mod 2) + 100*floor(j/2)] : 0 <= i < 4 and 0 <= j < 6 }",
            "(4,(2,3)):(8,(1,100))",
        ),
        // Under a swizzle, with an offset, and with no power of two.
        (
            "{ [i, j] -> [8i + 4*((floor(j/4) + i) mod 2) + (j mod 4)] : 0 <= i, j < 8 }",
            "S<1,2,1> o 0 o (8,8):(8,1)",
        ),
        (
            "{ [i, j] -> [8i + 4*((floor(j/4) + i) mod 2) + (j mod 4)] : 0 <= i < 3 and 0 <= j < 8 }",
            "S<1,2,1> o 0 o (3,8):(8,1)",
        ),
        // One result that is linear only, under the names that it has.
        (
            "{ [lane, warp] -> [((lane + floor(warp/2)) mod 2) + 2*((floor(lane/2) + warp) mod 2) + \
             4*(floor(warp/2) mod 2)] : 0 <= lane, warp < 4 }",
            "linear<{lane = [1,2], warp = [2,5]} -> {offset = 8}> + 0",
        ),
        // Where coordinates are not only added.
        (
            "{ [i, j] -> [i + 3*((i + j) mod 3)] : 0 <= i, j < 3 }",
            "layout: expected 2 at coordinate (2,1), found 11 in the only candidate; linear: none",
        ),
        (
            "{ [i, j] -> [i + 4*((i + j) mod 4)] : 0 <= i, j < 4 }",
            "layout: expected 3 at coordinate (3,1), found 19 in the only candidate; \
             linear: expected 9 at coordinate (1,1), found 1 in the only candidate",
        ),
    ] {
        assert_eq!(recovered(mapping), expected, "{mapping}");
    }
}

/// Several results: coordinates of a layout with scaled basis elements, or those of a linear layout.
#[test]
fn results_are_coordinates() {
    for (mapping, expected) in [
        ("{ [i, j] -> [i, j] : 0 <= i < 3 and 0 <= j < 5 }", "(3,5):(1@0,1@1)"),
        ("{ [i, j] -> [j, 2i] : 0 <= i < 3 and 0 <= j < 5 }", "(3,5):(2@1,1@0)"),
        ("{ [c] -> [c mod 3, floor(c/3)] : 0 <= c < 12 }", "(3,4):(1@0,1@1)"),
        (
            "{ [i, j] -> [j mod 4, 0, i - 5*floor(j/4)] : 0 <= i < 3 and 0 <= j < 8 }",
            "(3,(4,2)):(1@2,(1@0,-5@2))",
        ),
        // A dimension that no stride moves is kept all the same.
        ("{ [i] -> [i, 0] : 0 <= i < 4 }", "(4,1):(1@0,1@1)"),
        ("{ [i, j] -> [0, 0] : i = 0 and 0 <= j < 4 }", "(1,(4,1)):(0,(0,1@1))"),
        // Names of words and letters are kept; `c0` and the like are variables.
        (
            "{ [a, b] -> [c = a, d = (a + b) mod 2] : 0 <= a, b < 2 }",
            "linear<{a = [(1,1)], b = [(0,1)]} -> {c = 2, d = 2}> + [0, 0]",
        ),
        (
            "{ [c0, c1] -> [c0, (c0 + c1) mod 2] : 0 <= c0, c1 < 2 }",
            "linear<{crd0 = [(1,1)], crd1 = [(0,1)]} -> {idx0 = 2, idx1 = 2}> + [0, 0]",
        ),
        (
            "{ [lane] -> [row = 1 - (lane mod 2), col = lane] : 0 <= lane < 2 }",
            "linear<{lane = [(1,1)]} -> {row = 2, col = 2}> + [1, 0]",
        ),
        // A step that moves in two results is no scaled basis element's.
        (
            "{ [i] -> [i, i] : 0 <= i < 3 }",
            "layout: expected (1,1) at coordinate (1), found nothing in the only candidate; linear: none",
        ),
        (
            "{ [i, j] -> [i, (i + j) mod 4] : 0 <= i, j < 4 }",
            "layout: expected (3,0) at coordinate (3,1), found (3,4) in the only candidate; \
             linear: expected (1,2) at coordinate (1,1), found (1,0) in the only candidate",
        ),
    ] {
        assert_eq!(recovered(mapping), expected, "{mapping}");
    }
}

/// Sizes far beyond what could be listed, of several dimensions and results.
#[test]
fn large_boxes_are_recovered_symbolically() {
    for (mapping, expected) in [
        (
            "{ [i, j, k] -> [i + 5000j + 9000000*floor(k/7)] : 0 <= i < 5000 and 0 <= j < 1000 and \
             0 <= k < 70 }",
            "(5000,1000,(7,10)):(1,5000,(0,9000000))",
        ),
        (
            "{ [i, j] -> [j mod 100, i, floor(j/100)] : 0 <= i < 10000 and 0 <= j < 700000 }",
            "(10000,(100,7000)):(1@1,(1@0,1@2))",
        ),
        (
            "{ [i, j] -> [i + ((i + j) mod 2)] : 0 <= i, j < 10000 }",
            "layout: expected 1 at coordinate (1,1), found 3 in the only candidate; linear: none",
        ),
        (
            "{ [a, b] -> [row = a, col = ((a + b) mod 2) + 2*(floor(b/2))] : 0 <= a < 16384 and 0 <= b < 8 }",
            "linear<{a = [(1,1),(2,0),(4,0),(8,0),(16,0),(32,0),(64,0),(128,0),(256,0),(512,0),(1024,0),\
             (2048,0),(4096,0),(8192,0)], b = [(0,1),(0,2),(0,4)]} -> {row = 16384, col = 8}> + [0, 0]",
        ),
    ] {
        assert_eq!(recovered(mapping), expected, "{mapping}");
    }
}

#[test]
fn domains_that_are_no_boxes_are_errors() {
    let context = context();
    let error =
        |text: &str| recover(&Relation::parse(&context, text).unwrap()).unwrap_err().to_string();
    assert_eq!(
        error("{ [i, j] -> [i + j] : 0 <= i <= j < 3 }"),
        "recover({ [i, j] -> [i + j] : i >= 0 and i <= j <= 2 }): expected the domain to be a box from 0, \
         found no image at (1,0)"
    );
    assert_eq!(
        error("{ [i, j] -> [i + j] : -1 <= i < 2 and 0 <= j < 3 }"),
        "recover({ [i, j] -> [i + j] : -1 <= i <= 1 and 0 <= j <= 2 }): expected the domain to be a box \
         from 0, found negative coordinates"
    );
    assert_eq!(
        error("{ [i, j] -> [i + j] : 0 <= i < 2 and 0 <= j }"),
        "size({ [j] : j >= 0 }): expected a bounded set, found one without bounds"
    );
    assert_eq!(
        error("{ [] -> [0] }"),
        "recover: expected a mapping from and to at least 1 dimension, found 0 to 1"
    );
    assert_eq!(
        error("{ [i] -> [] : 0 <= i < 2 }"),
        "recover: expected a mapping from and to at least 1 dimension, found 1 to 0"
    );
}

/// The mapping of a layout on its natural coordinates, and on those of its modes, is the layout's again.
#[test]
fn random_layouts_are_recovered_from_their_coordinates() {
    let mut random = Random::of_seed(33);
    let context = context();
    for _ in 0..150 {
        let given = random.layout(3, &[2, 3, 4, 1, 6], &[0, 1, 2, 4, 12, 5, -3]);
        let mapping = index_mapping(&context, &given).unwrap();
        let Recovered::Layout(found) = recover(&mapping).unwrap() else {
            panic!("{given}: a layout")
        };
        // Extents are as they are, and strides too, but of one entry.
        let flat = |layout: &layout_algebra::Layout| -> Vec<(i64, i64)> {
            let flat = layout.flat();
            flat.into_iter().map(|(n, d)| (n, if n == 1 { 0 } else { d })).collect()
        };
        assert_eq!(flat(&found), flat(&given), "{given}");
    }
}

fn basis(text: &str) -> BasisLayout {
    match Term::parse(text).unwrap().eval().unwrap() {
        Value::Basis(layout) => layout,
        other => panic!("{text}: {other}"),
    }
}

/// A coordinate layout is found again from its mapping: the same coordinates, flat.
#[test]
fn random_layouts_into_coordinates_are_found_again() {
    let mut random = Random::of_seed(5);
    let context = context();
    for _ in 0..100 {
        let modes = 1 + random.below(4);
        let (mut shape, mut stride) = (Vec::new(), Vec::new());
        for _ in 0..modes {
            shape.push(random.choose(&[2, 3, 4, 1]).to_string());
            let scale = random.choose(&[1, 2, 5, -1]);
            stride.push(format!("{scale}@{}", random.below(3)));
        }
        let given = basis(&format!("({}):({})", shape.join(","), stride.join(",")));
        let mapping = basis_layout_mapping(&context, &given).unwrap();
        let leaves =
            |layout: &BasisLayout, at: i64| layout.crd2crd(&Tuple::Leaf(at)).unwrap().leaves();
        let results = leaves(&given, 0).len();
        let expected: Vec<_> = (0..given.size()).map(|at| leaves(&given, at)).collect();
        for (at, expected) in (0..).zip(&expected) {
            assert_eq!(mapping.at(&[at]).unwrap().as_ref(), Some(expected), "{given} at {at}");
        }
        let found: Vec<_> = match recover(&mapping).unwrap() {
            Recovered::Basis(found) => (0..found.size()).map(|at| leaves(&found, at)).collect(),
            Recovered::Layout(found) if results == 1 => {
                (0..found.size()).map(|at| vec![found.at(at).unwrap()]).collect()
            }
            other => panic!("{given}: {other:?}"),
        };
        assert_eq!(found, expected, "{given}");
    }
    // Nested coordinates come back flat.
    let nested = basis("(4,(3,2)):(1@1,(1@0@0,2@1@0))");
    let mapping = basis_layout_mapping(&context, &nested).unwrap();
    let Recovered::Basis(found) = recover(&mapping).unwrap() else { panic!("coordinates") };
    assert_eq!(found.to_string(), "(4,3,2):(1@2,1@0,2@1)");
}

fn linear_again(context: &Context, given: &LinearLayout) {
    let text = linear_layout_text(context, given).unwrap();
    let mapping = Relation::parse(context, &text).unwrap();
    let coordinates: Vec<_> = given.in_dims().map(|(name, size)| (name.to_owned(), size)).collect();
    let images = |layout: &LinearLayout| -> Vec<Vec<(String, i64)>> {
        let at = |mut index: i64| {
            let digit = |(name, size): &(String, i64)| {
                let digit = index % size;
                index /= size;
                (name.clone(), digit)
            };
            let coordinate: Vec<_> = coordinates.iter().map(digit).collect();
            layout.apply(&coordinate).unwrap()
        };
        (0..given.size()).map(at).collect()
    };
    match recover(&mapping).unwrap() {
        Recovered::Linear { offset, layout } => {
            assert!(offset.iter().all(|&start| start == 0), "{given}");
            assert_eq!(images(&layout), images(given), "{given}: {layout}");
        }
        // A mapping that strides express is a layout: the same numbers, without names.
        Recovered::Basis(layout) => {
            for (index, image) in (0..).zip(images(given)) {
                let numbers: Vec<_> = image.into_iter().map(|(_, number)| number).collect();
                let found = layout.crd2crd(&Tuple::Leaf(index)).unwrap().leaves();
                assert_eq!(found, numbers, "{given}: {layout}");
            }
        }
        Recovered::Layout(layout) => {
            for (index, image) in (0..).zip(images(given)) {
                assert_eq!(layout.at(index).unwrap(), image[0].1, "{given}: {layout}");
            }
        }
        Recovered::Swizzled(layout) => {
            for (index, image) in (0..).zip(images(given)) {
                assert_eq!(layout.at(index).unwrap(), image[0].1, "{given}: {layout}");
            }
        }
        other => panic!("{given}: {other:?}"),
    }
}

/// Linear layouts come back with the names of their dimensions.
#[test]
fn random_linear_layouts_are_found_again() {
    let mut random = Random::of_seed(8);
    let context = context();
    let names = ["register", "lane", "warp"];
    let results = ["row", "col"];
    for _ in 0..60 {
        let outs: Vec<(&str, i64)> = (0..1 + random.below(2))
            .map(|at| (results[usize::try_from(at).unwrap()], *random.choose(&[2, 4, 8])))
            .collect();
        let bases: Vec<(&str, Vec<Vec<i64>>)> = (0..1 + random.below(3))
            .map(|at| {
                let vector = |random: &mut Random| -> Vec<i64> {
                    outs.iter()
                        .map(|&(_, size)| {
                            let below = u64::try_from(size).unwrap();
                            i64::try_from(random.below(below)).unwrap()
                        })
                        .collect()
                };
                let bits = random.below(3);
                let vectors = (0..bits).map(|_| vector(&mut random)).collect();
                (names[usize::try_from(at).unwrap()], vectors)
            })
            .collect();
        linear_again(&context, &LinearLayout::new(&bases, &outs).unwrap());
    }
    // Words that ISL reads otherwise, and names on both sides, are not written.
    for text in [
        "linear<{mod = [1,3]} -> {offset = 4}>",
        "linear<{a = [(1,1)], b = [(0,1)]} -> {a = 2, x = 2}>",
    ] {
        let given: LinearLayout = text.parse().unwrap();
        let written = linear_layout_text(&context, &given).unwrap();
        let positional = linear_layout_mapping(&context, &given).unwrap().expressions().unwrap();
        assert_eq!(written, positional, "{text}");
    }
}
