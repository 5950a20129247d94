//! The laws of application, composition, products, division and inverses.

use super::{
    coded, coordinates, every, flat, in_sizes, layouts, linear, out_sizes, slow, table, values,
};
use layout_algebra::linear::LinearLayout;
use layout_random::{cases, prelude::*};

/// Few and small dimensions, for what is tried exhaustively.
const INS: [(&str, i64); 2] = [("a", 4), ("b", 2)];
const OUTS: [(&str, i64); 2] = [("x", 2), ("y", 2)];

#[test]
fn applies_by_the_slow_definition() {
    for layout in every(&INS, &OUTS) {
        for (index, (input, image)) in (0..).zip(table(&layout)) {
            let named: Vec<_> = layout.in_names().zip(input).rev().collect();
            let applied = layout.apply(&named).expect("in range");
            let expected: Vec<_> =
                layout.out_names().map(str::to_owned).zip(image.clone()).collect();
            assert_eq!(applied, expected, "{layout}");
            let flattened = flat(&image, &out_sizes(&layout));
            assert_eq!(layout.at(index), Ok(flattened), "{layout}");
            let packed = u64::try_from(index).expect("an index");
            let by_matrix = layout.matrix().apply(packed);
            assert_eq!(i64::try_from(by_matrix), Ok(flattened), "{layout}");
        }
    }
}

#[test]
fn rank_and_its_queries_are_those_of_the_table() {
    for layout in every(&INS, &OUTS) {
        let values = values(&layout);
        let mut image = values.clone();
        image.sort_unstable();
        image.dedup();
        assert_eq!(1 << layout.rank(), image.len(), "{layout}");
        assert_eq!(layout.is_surjective(), image.len() == 4, "{layout}");
        assert_eq!(layout.is_injective(), image.len() == values.len(), "{layout}");
        let zeros = values.iter().filter(|value| **value == 0).count();
        let kernel = layout.kernel();
        assert_eq!(1 << kernel.len(), zeros, "{layout}");
        assert!(kernel.iter().all(|input| slow(&layout, input) == [0, 0]), "{layout}");
    }
}

#[test]
fn free_variables_are_those_that_earlier_inputs_repeat() {
    for layout in every(&INS, &OUTS) {
        let masks: Vec<i64> = layout.free_variable_masks().iter().map(|(_, mask)| *mask).collect();
        let free = flat(&masks, &in_sizes(&layout));
        let values = values(&layout);
        for (index, value) in (0_i64..).zip(&values) {
            let first = (0_i64..).zip(&values).find(|(_, other)| *other == value);
            let (first, _) = first.expect("at least itself");
            assert_eq!(index & free == 0, first == index, "{layout} at {index}");
        }
    }
}

#[test]
fn consecutive_elements_are_those_of_the_definition() {
    for layout in every(&[("a", 4), ("b", 2)], &[("x", 4), ("y", 2)]) {
        let runs = |v: i64| {
            coordinates(&in_sizes(&layout)).iter().all(|input| {
                let low = input[0] % v;
                let mut image = slow(&layout, &[input[0] - low, input[1]]);
                image[0] += low;
                slow(&layout, input) == image
            })
        };
        let greatest = [4, 2, 1].into_iter().find(|&v| runs(v)).expect("1 always does");
        assert_eq!(layout.consecutive_in_out(), greatest, "{layout}");
    }
}

#[test]
fn composition_is_one_after_the_other_and_the_product_of_matrices() {
    let inner = every(&[("a", 4)], &[("x", 2), ("y", 2)]);
    // The same names in another order, and one of them larger.
    let outer = every(&[("y", 2), ("x", 4)], &[("z", 2)]);
    for first in &inner {
        for second in &outer {
            let both = first.compose(second).expect("names agree");
            for (input, image) in table(first) {
                assert_eq!(slow(&both, &input), slow(second, &[image[1], image[0]]));
            }
            let aligned = second.transpose_ins(&["x", "y"]).expect("its names");
            let aligned = aligned.resize_in("x", 2).expect("a power of two");
            let product = aligned.matrix().multiply(&first.matrix());
            assert_eq!(product, Ok(both.matrix()));
        }
    }
}

/// A product by its definition: low parts by `a`, high parts by `b`.
fn product_by_definition(a: &LinearLayout, b: &LinearLayout, product: &LinearLayout) {
    let split = |name: &str, value: i64| {
        let low = a.in_size(name).unwrap_or(1);
        (value % low, value / low)
    };
    for (input, image) in table(product) {
        let parts: Vec<(&str, (i64, i64))> = product
            .in_names()
            .zip(&input)
            .map(|(name, value)| (name, split(name, *value)))
            .collect();
        let of = |layout: &LinearLayout, high: bool| -> Vec<i64> {
            let part = |name: &str| parts.iter().find(|(n, _)| *n == name).expect("joined").1;
            let input: Vec<i64> = layout
                .in_names()
                .map(|name| if high { part(name).1 } else { part(name).0 })
                .collect();
            slow(layout, &input)
        };
        let (low, high) = (of(a, false), of(b, true));
        for (name, value) in product.out_names().zip(image) {
            let at = |layout: &LinearLayout, image: &[i64]| {
                layout.out_names().position(|n| n == name).map_or(0, |i| image[i])
            };
            let expected = at(a, &low) + a.out_size(name).unwrap_or(1) * at(b, &high);
            assert_eq!(value, expected, "({a}) * ({b})");
        }
    }
}

#[test]
fn a_quotient_is_found_exactly_when_there_is_one() {
    // Every whole against every divisor; the candidates are all layouts of the one possible shape.
    let candidates = every(&[("a", 2), ("b", 2)], &[("x", 2), ("y", 1)]);
    let divisors = every(&[("a", 2)], &[("x", 2), ("y", 2)]);
    let mut found = 0;
    for whole in every(&[("a", 4), ("b", 2)], &[("x", 4), ("y", 2)]).iter().step_by(7) {
        for divisor in &divisors {
            let left = candidates.iter().find(|c| divisor.product(c).as_ref() == Ok(whole));
            let right = candidates.iter().find(|c| c.product(divisor).as_ref() == Ok(whole));
            assert_eq!(whole.divide_left(divisor).ok().as_ref(), left, "{whole} by {divisor}");
            assert_eq!(whole.divide_right(divisor).ok().as_ref(), right, "{whole} by {divisor}");
            found += usize::from(left.is_some()) + usize::from(right.is_some());
        }
    }
    assert!(found > 0, "no whole had a quotient");
    for divisor in &divisors {
        for candidate in &candidates {
            let whole = divisor.product(candidate).expect("in order");
            assert_eq!(whole.divide_left(divisor).as_ref(), Ok(candidate));
            let whole = candidate.product(divisor).expect("in order");
            assert_eq!(whole.divide_right(divisor).as_ref(), Ok(candidate));
        }
    }
}

#[test]
fn quotients_leave_out_exactly_the_dimensions_that_stay() {
    let dims = [("a", 2), ("b", 4)];
    let mut trivial = 0;
    for code in (0..1 << 9).chain([0b100_010_001]) {
        let layout = coded(&dims, &dims, code);
        // The slow definition: `a` stays, and nothing else depends on it.
        let stays = table(&layout).iter().all(|(input, image)| {
            image[0] == input[0] && image[1] == slow(&layout, &[0, input[1]])[1]
        });
        assert_eq!(layout.is_trivial_over(&["a"]), stays, "{layout}");
        match layout.quotient(&["a"]) {
            Err(_) => assert!(!stays, "{layout}"),
            Ok(quotient) => {
                trivial += 1;
                assert!(stays, "{layout}");
                for (input, image) in table(&quotient) {
                    assert_eq!(slow(&layout, &[0, input[0]])[1..], image, "{layout}");
                }
            }
        }
    }
    assert!(trivial > 1);
}

#[test]
fn inverses_exist_exactly_for_bijections() {
    for layout in every(&[("a", 4), ("b", 2)], &[("x", 2), ("y", 4)]) {
        let mut image = values(&layout);
        image.sort_unstable();
        let bijective = image == (0..8).collect::<Vec<_>>();
        assert_eq!(layout.is_invertible(), bijective, "{layout}");
        let inverse = layout.invert();
        assert_eq!(inverse.is_ok(), bijective, "{layout}");
        if let Ok(inverse) = inverse {
            for (input, image) in table(&layout) {
                assert_eq!(slow(&inverse, &image), input, "{layout}");
            }
            assert_eq!(inverse.invert().as_ref(), Ok(&layout));
            assert_eq!(inverse, layout.pseudo_invert());
        }
    }
}

#[test]
fn pseudo_inverses_choose_the_smallest_input() {
    for layout in every(&INS, &[("x", 4), ("y", 2)]) {
        let inverse = layout.pseudo_invert();
        let table = table(&layout);
        for (_, image) in &table {
            let smallest = table.iter().find(|(_, other)| other == image).expect("itself");
            assert_eq!(slow(&inverse, image), smallest.0, "{layout}");
        }
        let there_and_back = |a: &LinearLayout, b: &LinearLayout| {
            a.compose(b).and_then(|ab| ab.compose(a)).expect("names agree")
        };
        assert_eq!(there_and_back(&layout, &inverse), layout);
        assert_eq!(there_and_back(&inverse, &layout), inverse);
    }
}

#[test]
fn data_move_to_where_the_same_data_are() {
    let sources = every(&[("a", 4)], &[("x", 2), ("y", 2)]);
    let targets = every(&[("c", 2), ("d", 4)], &[("y", 2), ("x", 2)]);
    for source in &sources {
        for target in &targets {
            let held = table(target);
            let expected: Option<Vec<Vec<i64>>> = table(source)
                .iter()
                .map(|(_, image)| {
                    let element = [image[1], image[0]];
                    held.iter().find(|(_, e)| *e == element).map(|(input, _)| input.clone())
                })
                .collect();
            let moved = source.invert_and_compose(target).ok();
            let moved = moved.map(|m| table(&m).into_iter().map(|(_, image)| image).collect());
            assert_eq!(moved, expected, "{source} to {target}");
        }
    }
}

#[test]
fn what_both_hold_alike_does_not_move() {
    // Both hold two copies in the warps. The smallest holder would be warp 0 for all.
    let a = linear("linear<{lane = [1,2], warp = [0]} -> {row = 4}>");
    let b = linear("linear<{lane = [2,1], warp = [0]} -> {row = 4}>");
    let moved = a.invert_and_compose(&b).expect("same elements");
    assert_eq!(
        moved.to_string(),
        "linear<{lane = [(2,0),(1,0)], warp = [(0,1)]} -> {lane = 4, warp = 2}>"
    );
    assert!(moved.is_trivial_over(&["warp"]));
    assert_eq!(moved.compose(&b), Ok(a));
    // Where another input moves the same bits, the smallest holder is chosen, as by Triton 3.9.
    for (a, b, chosen) in [
        (
            "linear<{block = [1]} -> {row = 4}>",
            "linear<{offset = [1,2], block = [1]} -> {row = 4}>",
            "linear<{block = [(1,0)]} -> {offset = 4, block = 2}>",
        ),
        (
            "linear<{lane = [1,0], warp = [1]} -> {row = 2}>",
            "linear<{lane = [1,0], warp = [1]} -> {row = 2}>",
            "linear<{lane = [(1,0),(0,0)], warp = [(1,0)]} -> {lane = 4, warp = 2}>",
        ),
        (
            "linear<{lane = [(1,0),(0,0),(0,1),(1,1)]} -> {row = 2, col = 2}>",
            "linear<{lane = [(1,0),(0,0),(0,1),(1,1)]} -> {row = 2, col = 2}>",
            "linear<{lane = [1,2,4,8]} -> {lane = 16}>",
        ),
    ] {
        let moved = linear(a).invert_and_compose(&linear(b)).expect("same elements");
        assert_eq!(moved.to_string(), chosen);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn application_commutes_with_xor(
        layout in layouts(&["a", "b", "c"], &["x", "y", "z"], 30),
        numbers in any::<(u64, u64)>(),
    ) {
        let mask = u64::try_from(layout.size()).expect("positive") - 1;
        let index = |number: u64| i64::try_from(number & mask).expect("below the size");
        let (x, y) = (index(numbers.0), index(numbers.1));
        let (at_x, at_y) = (layout.at(x)?, layout.at(y)?);
        prop_assert_eq!(layout.at(x ^ y)?, at_x ^ at_y);
    }

    #[test]
    fn products_do_both(
        a in layouts(&["a", "b", "c"], &["x", "y", "z"], 6),
        b in layouts(&["a", "b", "c"], &["x", "y", "z"], 6),
    ) {
        let product = a.product(&b)?;
        product_by_definition(&a, &b, &product);
        prop_assert_eq!(a.is_surjective() && b.is_surjective(), product.is_surjective());
        prop_assert_eq!(a.is_injective() && b.is_injective(), product.is_injective());
        prop_assert_eq!(a.rank() + b.rank(), product.rank());
        // Division gives the factor back, with the dimensions of the product.
        let left = product.divide_left(&a)?;
        let right = product.divide_right(&b)?;
        prop_assert_eq!(a.product(&left)?, product.clone());
        prop_assert_eq!(right.product(&b)?, product.clone());
        prop_assert!(left.in_names().eq(product.in_names()));
        if b.in_names().eq(product.in_names()) && b.out_names().eq(product.out_names()) {
            prop_assert_eq!(left, b.clone());
        }
        if a.in_names().eq(product.in_names()) && a.out_names().eq(product.out_names()) {
            prop_assert_eq!(right, a.clone());
        }
    }

    #[test]
    fn products_associate_and_have_a_neutral_element(
        a in layouts(&["a", "b"], &["x", "y"], 4),
        b in layouts(&["a", "b"], &["x", "y"], 4),
        c in layouts(&["a", "b"], &["x", "y"], 4),
    ) {
        let empty = LinearLayout::empty();
        prop_assert_eq!(a.product(&empty)?, a.clone());
        prop_assert_eq!(empty.product(&a)?, a.clone());
        // Where names leave the order open, it may depend on the grouping: a factor with all names
        // settles it.
        if a.in_names().eq(["a", "b"]) && a.out_names().eq(["x", "y"]) {
            let left = a.product(&b)?.product(&c)?;
            if let Ok(right) = b.product(&c).and_then(|bc| a.product(&bc)) {
                prop_assert_eq!(left, right);
            }
        }
    }

    #[test]
    fn large_compositions_and_inverses_are_those_of_matrices(
        a in layouts(&["a", "b", "c"], &["x", "y", "z"], 60),
        b in layouts(&["x", "y", "z"], &["k", "l"], 60),
    ) {
        if let Ok(both) = a.compose(&b) {
            let wide: Vec<(&str, i64)> = a.out_dims().collect();
            let fitted = wide.iter().try_fold(b.clone(), |b, (name, size)| b.resize_in(name, *size))?;
            let order: Vec<&str> = a.out_names().collect();
            let fitted = fitted.transpose_ins(&order)?;
            prop_assert_eq!(fitted.matrix().multiply(&a.matrix())?, both.matrix());
        }
        let inverse = a.pseudo_invert();
        prop_assert_eq!(a.compose(&inverse)?.compose(&a)?, a.clone());
        prop_assert_eq!(a.is_invertible(), a.invert().is_ok());
        prop_assert_eq!(a.kernel().len() + a.rank() as usize, a.matrix().width() as usize);
        let moved = a.invert_and_compose(&a)?;
        prop_assert_eq!(moved.compose(&a)?, a.clone());
    }
}
