//! Layouts back from mappings alone: what is found is the mapping, and a witness where nothing is.

mod support;

use layout_algebra::{AnyLayout, Swizzle, Term, coalesce};
use layout_relation::{
    Formula, Recovered, Relation, any_layout_mapping, least_rank_layout, recover,
};
use support::{Random, context, layout};

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
        Recovered::Linear { offset, layout } => format!("{layout} + {offset}"),
        Recovered::Neither { layout, linear } => {
            let linear = linear.map_or("none".to_owned(), |linear| linear.to_string());
            format!("layout: {layout}; linear: {linear}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn layouts_swizzles_and_linear_layouts_are_found() {
    for (mapping, wanted) in [
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
        assert_eq!(recovered(mapping), wanted, "{mapping}");
    }
}

/// What is found for a random composed layout has its offsets, whatever it is.
#[test]
fn composed_layouts_are_found_again() {
    let mut random = Random(21);
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
                    let wanted = composed.at(index).unwrap();
                    assert_eq!(layout.at(index).unwrap() ^ offset, wanted, "{composed}");
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
        assert_eq!(found, coalesce(&given).unwrap());
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
            let wanted = Some(vec![given.at(index).unwrap()]);
            assert_eq!(formula.at(&[index]).unwrap(), wanted, "{text} at {index}");
            assert_eq!(mapping.at(&[index]).unwrap(), wanted, "{text} at {index}");
        }
    }
}
