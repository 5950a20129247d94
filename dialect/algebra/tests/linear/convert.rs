//! Conversions between CuTe's layouts and linear layouts: exact both ways.

use super::{every, layouts, linear, message, values};
use layout_algebra::{
    AnyLayout, ComposedLayout, Layout, Outer, Swizzle, Term, linear::LinearLayout,
};
use layout_random::{cases, prelude::*};

fn layout(text: &str) -> Layout {
    text.parse().expect(text)
}

/// Whether values xor, by the definition: all pairs of indices.
fn xors(values: &[i64]) -> bool {
    values.len().is_power_of_two()
        && values.iter().all(|value| *value >= 0)
        && (0..values.len())
            .all(|x| (0..values.len()).all(|y| values[x ^ y] == values[x] ^ values[y]))
}

fn offsets(layout: &AnyLayout) -> Vec<i64> {
    (0..layout.size()).map(|index| layout.at(index).expect("small")).collect()
}

/// Every flat layout of rank 2 with these extents and strides.
fn pairs(extents: &[i64], strides: std::ops::Range<i64>) -> Vec<Layout> {
    let mut all = Vec::new();
    for &a in extents {
        for &b in extents {
            for d in strides.clone() {
                for e in strides.clone() {
                    all.push(layout(&format!("({a},{b}):({d},{e})")));
                }
            }
        }
    }
    all
}

#[test]
fn a_layout_is_linear_exactly_when_its_values_xor() {
    let (mut linear, mut not) = (0, 0);
    for layout in pairs(&[1, 2, 3, 4, 8], -3..18) {
        let offsets = offsets(&AnyLayout::Plain(layout.clone()));
        match LinearLayout::from_layout(&layout) {
            Ok(converted) => {
                linear += 1;
                assert_eq!(values(&converted), offsets, "{layout}");
                let back = converted.to_layout().expect("it was one");
                assert_eq!(Ok(back), layout.coalesce(), "{layout}");
            }
            Err(_) => {
                not += 1;
                assert!(!xors(&offsets), "{layout}");
            }
        }
        assert_eq!(LinearLayout::from_values(&offsets).is_ok(), xors(&offsets), "{layout}");
    }
    assert!(linear > 1000 && not > 1000, "{linear} {not}");
}

/// `layout_of` finds the layout of least rank of any values; here it has no xor to go by.
#[test]
fn a_linear_layout_is_a_layout_exactly_when_its_values_are_those_of_one() {
    for linear in every(&[("index", 8)], &[("offset", 8)]) {
        let found = Layout::of_offsets(&values(&linear)).expect("8 values");
        assert_eq!(linear.to_layout().ok(), found.ok(), "{linear}");
    }
}

#[test]
fn the_output_is_as_large_as_the_offsets_need() {
    let size =
        |text: &str| LinearLayout::from_layout(&layout(text)).expect(text).out_size("offset");
    assert_eq!(size("4:0"), Some(1));
    assert_eq!(size("(2,2):(4,0)"), Some(8));
    assert_eq!(size("(2,2):(2,1)"), Some(4));
    assert_eq!(size("1:7"), Some(1));
    assert_eq!(size("2:2305843009213693952"), Some(1 << 62));
    assert_eq!(size("4611686018427387904:1"), Some(1 << 62));
}

#[test]
fn layouts_that_are_not_linear_say_why() {
    let refused = |text: &str| message(LinearLayout::from_layout(&layout(text)));
    assert_eq!(
        refused("(2,2):(1,1)"),
        "to_linear((2,2):(1,1)): expected offsets of index bits that share no bit, found 1 at 1 and \
         1 at 2: index 3 has offset 2, not 1 xor 1 = 0"
    );
    assert_eq!(
        refused("(2,4,2):(8,1,3)"),
        "to_linear((2,4,2):(8,1,3)): expected offsets of index bits that share no bit, found 1 at 2 \
         and 3 at 8: index 10 has offset 4, not 1 xor 3 = 2"
    );
    assert_eq!(
        refused("(2,3):(1,2)"),
        "to_linear((2,3):(1,2)): expected extents that are powers of two, found 3"
    );
    assert_eq!(
        refused("(2,2):(1,-2)"),
        "to_linear((2,2):(1,-2)): expected offsets that are not negative, found -2 at index 2"
    );
    assert_eq!(
        refused("2:4611686018427387904"),
        "bits of a linear layout's inputs or outputs: expected at most 62, found offset \
         4611686018427387904 at index 1"
    );
    assert_eq!(
        refused("4:4611686018427387904"),
        "bits of a linear layout's inputs or outputs: expected at most 62, found offset \
         4611686018427387904 at index 1"
    );
    assert_eq!(
        message(LinearLayout::from_modes(&layout("(2,2):(1,2)"), &["lane"])),
        "to_linear: expected a name for each of the 2 modes of (2,2):(1,2), found 1"
    );
}

#[test]
fn linear_layouts_that_are_no_layouts_say_why() {
    assert_eq!(
        message(linear("linear<{a = [1,2], b = [6]} -> {x = 8}>").to_layout()),
        "to_layout(linear<{a = [1,2], b = [6]} -> {x = 8}>): expected bases that share no bit, found \
         2 at 2 and 6 at 4: index 6 is at 4, where every layout has 2 + 6 = 8"
    );
    assert_eq!(
        message(linear("linear<{a = [1,1]} -> {x = 8}>").to_modes()),
        "to_layout(linear<{a = [1,1]} -> {x = 8}>): expected bases that share no bit, found 1 at 1 \
         and 1 at 2: index 3 is at 0, where every layout has 1 + 1 = 2"
    );
    assert_eq!(
        message(linear("linear<{} -> {x = 8}>").to_modes()),
        "make_layout: expected at least one layout, found none"
    );
}

#[test]
fn values_that_are_not_linear_say_where() {
    let refused = |values: &[i64]| message(LinearLayout::from_values(values));
    assert_eq!(refused(&[]), "to_linear(0 values): expected a power of two of values, found 0");
    assert_eq!(
        refused(&[0, 1, 2]),
        "to_linear(3 values): expected a power of two of values, found 3"
    );
    assert_eq!(refused(&[1]), "to_linear(1 values): expected offset 0 at index 0, found 1");
    assert_eq!(
        refused(&[0, -1]),
        "to_linear(2 values): expected offsets that are not negative, found -1 at index 1"
    );
    assert_eq!(
        refused(&[0, 1, 2, 3, 4, 5, 6, 8]),
        "to_linear(8 values): expected offsets that xor, found 8 at index 7, not 1 xor 2 xor 4 = 7"
    );
}

#[test]
fn modes_become_inputs() {
    let held = layout("((4,8),(2,2)):((32,1),(16,8))");
    let converted = LinearLayout::from_modes(&held, &["lane", "register"]).expect("powers of two");
    assert_eq!(converted.to_modes().as_ref(), Ok(&held));
    assert_eq!(converted.in_dims().collect::<Vec<_>>(), [("lane", 32), ("register", 4)]);
}

/// All swizzles of few bits, those of 0 shift and of overlapping groups among them.
fn swizzles() -> Vec<Swizzle> {
    let mut all = Vec::new();
    for bits in 0..4 {
        for base in 0..3 {
            for shift in -4..5 {
                all.push(Swizzle::new(bits, base, shift).expect("few bits"));
            }
        }
    }
    all
}

#[test]
fn every_swizzle_is_linear() {
    for swizzle in swizzles() {
        let size = swizzle.period();
        let linear = LinearLayout::from_swizzle(&swizzle, size).expect("its own period");
        let offsets: Vec<i64> = (0..size).map(|x| swizzle.apply(x)).collect();
        assert_eq!(values(&linear), offsets, "{swizzle}");
        let back = linear.to_swizzle().expect("it was one");
        let again: Vec<i64> = (0..size).map(|x| back.apply(x)).collect();
        assert_eq!(again, offsets, "{swizzle} came back as {back}");
        if swizzle.bits > 0 {
            assert_eq!(back, swizzle);
        }
    }
}

#[test]
fn composition_of_swizzles_is_the_product_of_matrices() {
    for a in swizzles() {
        for b in swizzles() {
            let size = a.period().max(b.period());
            let (first, second) =
                (LinearLayout::from_swizzle(&b, size), LinearLayout::from_swizzle(&a, size));
            let (Ok(first), Ok(second)) = (first, second) else { continue };
            let both = first.compose(&second).expect("one dimension");
            let offsets: Vec<i64> = (0..size).map(|x| a.apply(b.apply(x))).collect();
            assert_eq!(values(&both), offsets, "{a} after {b}");
        }
    }
}

#[test]
fn a_swizzle_is_found_exactly_when_there_is_one() {
    let tables: Vec<Vec<i64>> =
        swizzles().iter().map(|s| (0..8).map(|x| s.apply(x)).collect()).collect();
    for linear in every(&[("x", 8)], &[("y", 8)]) {
        let values = values(&linear);
        assert_eq!(linear.to_swizzle().is_ok(), tables.contains(&values), "{linear}");
        if let Ok(swizzle) = linear.to_swizzle() {
            let again: Vec<i64> = (0..8).map(|x| swizzle.apply(x)).collect();
            assert_eq!(again, values, "{linear}");
        }
    }
}

#[test]
fn linear_layouts_that_are_no_swizzles_say_why() {
    let refused = |text: &str| message(linear(text).to_swizzle());
    assert_eq!(
        refused("linear<{a = [1]} -> {x = 4}>"),
        "to_swizzle(linear<{a = [1]} -> {x = 4}>): expected as many outputs as inputs, found 2 inputs \
         and 4 outputs"
    );
    assert_eq!(
        refused("linear<{a = [1,2,7]} -> {x = 8}>"),
        "to_swizzle(linear<{a = [1,2,7]} -> {x = 8}>): expected at most one bit added to each, found \
         7 at 4"
    );
    assert_eq!(
        refused("linear<{a = [1,3,5]} -> {x = 8}>"),
        "to_swizzle(linear<{a = [1,3,5]} -> {x = 8}>): expected bits that all move by the same \
         distance, found bit 1 added to bit 0, and bit 2 added to bit 0"
    );
    assert_eq!(
        refused("linear<{a = [1,3,4,12]} -> {x = 16}>"),
        "to_swizzle(linear<{a = [1,3,4,12]} -> {x = 16}>): expected bits side by side that move, \
         found bit 1 added to bit 0, and bit 3 added to bit 2"
    );
}

#[test]
fn a_composed_layout_is_linear_exactly_when_its_values_xor() {
    let (mut linear, mut not) = (0, 0);
    let inner: Vec<Layout> = pairs(&[2, 4], 0..6);
    let outer = swizzles().into_iter().map(Outer::Swizzle);
    let outer = outer.chain(["(2,2):(1,5)", "(4,4):(4,1)"].map(|text| Outer::Layout(layout(text))));
    for outer in outer {
        for inner in &inner {
            for offset in [0, 1, 2] {
                let composed =
                    ComposedLayout { outer: outer.clone(), offset, inner: inner.clone() };
                let offsets = offsets(&AnyLayout::Composed(composed.clone()));
                match LinearLayout::from_composed(&composed) {
                    Ok(converted) => {
                        linear += 1;
                        assert_eq!(values(&converted), offsets, "{composed}");
                    }
                    Err(_) => {
                        not += 1;
                        assert!(!xors(&offsets), "{composed}");
                    }
                }
            }
        }
    }
    assert!(linear > 1000 && not > 1000, "{linear} {not}");
}

#[test]
fn composed_layouts_that_are_not_linear_say_why() {
    let refused = |text: &str| {
        let any = Term::parse(text).and_then(|term| term.eval_layout()).expect(text);
        message(LinearLayout::from_any(&any))
    };
    assert_eq!(
        refused("S<2,0,2> o 0 o (4,3):(1,4)"),
        "to_linear(S<2,0,2> o 0 o (4,3):(1,4)): expected extents that are powers of two, found 3"
    );
    assert_eq!(
        refused("S<2,0,2> o 0 o 4:3"),
        "to_linear(S<2,0,2> o 0 o 4:3): expected offsets that xor, found 11 at index 3, not 3 xor 7 \
         = 4"
    );
    // Only enumeration would decide, and there is too much to enumerate.
    assert_eq!(
        refused("1:1 o 0 o 4194304:1"),
        "coordinates to evaluate: expected at most 1048576, found 4194304"
    );
}

#[test]
fn a_swizzle_over_a_large_layout_needs_no_trying() {
    let any = Term::parse("S<3,4,3> o 0 o (1073741824,1073741824):(1,1073741824)")
        .and_then(|term| term.eval_layout())
        .expect("a layout");
    let linear = LinearLayout::from_any(&any).expect("linear");
    assert_eq!(linear.at((1 << 60) - 1), any.at((1 << 60) - 1));
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn layouts_without_shared_bits_come_back(
        modes in prop::collection::vec((0..4_u32, 0..4_u32), 1..6),
    ) {
        // Each mode begins above where the one before ends.
        let (mut at, mut shape, mut stride) = (0, vec![], vec![]);
        for (bits, gap) in modes {
            at += gap;
            shape.push((1_i64 << bits).to_string());
            stride.push((1_i64 << at).to_string());
            at += bits;
        }
        let layout = layout(&format!("({}):({})", shape.join(","), stride.join(",")));
        let linear = LinearLayout::from_layout(&layout)?;
        prop_assert_eq!(linear.to_layout()?, layout.coalesce()?);
        prop_assert!(linear.is_injective());
        for index in [0, 1, layout.size() / 2, layout.size() - 1] {
            let index = index.min(layout.size() - 1);
            prop_assert_eq!(linear.at(index)?, layout.at(index)?);
        }
    }

    #[test]
    fn layouts_of_linear_layouts_are_theirs(
        linear in layouts(&["a", "b"], &["x", "y"], 8),
    ) {
        let values = values(&linear);
        prop_assert_eq!(linear.to_layout().ok(), Layout::of_offsets(&values)?.ok());
        let flat = LinearLayout::from_values(&values)?;
        prop_assert!(flat.matrix().rank() == linear.rank());
        if let Ok(modes) = linear.to_modes() {
            prop_assert_eq!(offsets(&AnyLayout::Plain(modes)), values);
        }
    }
}
