//! Reshaping keeps the function of flattened coordinates; cutting and joining keep its parts.

use super::{every, layouts, linear, slow, table, values};
use layout_random::{cases, prelude::*};

#[test]
fn transposing_permutes_coordinates() {
    for layout in every(&[("a", 4), ("b", 2)], &[("x", 2), ("y", 2)]) {
        let turned = layout.transpose_ins(&["b", "a"]).expect("its names");
        let turned = turned.transpose_outs(&["y", "x"]).expect("its names");
        for (input, image) in table(&layout) {
            assert_eq!(slow(&turned, &[input[1], input[0]]), [image[1], image[0]], "{layout}");
        }
    }
}

#[test]
fn sublayouts_fix_inputs_at_zero_and_drop_outputs() {
    for layout in every(&[("a", 4), ("b", 2)], &[("x", 2), ("y", 2)]) {
        // Names in another order: the layout's own order stays.
        let inputs = layout.sublayout(&["b"], &["y", "x"]).expect("its names");
        let outputs = layout.sublayout(&["b", "a"], &["y"]).expect("its names");
        for (input, image) in table(&layout) {
            if input[0] == 0 {
                assert_eq!(slow(&inputs, &input[1..]), image, "{layout}");
            }
            assert_eq!(slow(&outputs, &input), image[1..], "{layout}");
        }
        let zero = table(&layout).iter().all(|(_, image)| image[0] == 0);
        assert_eq!(layout.sublayout_is_zero(&["a", "b"], &["x"]), Ok(zero), "{layout}");
    }
}

#[test]
fn joining_is_the_way_back_from_cutting() {
    for layout in every(&[("a", 4), ("b", 2)], &[("x", 2), ("y", 2)]) {
        let part = |ins: &[&str], outs: &[&str]| layout.sublayout(ins, outs).expect("its names");
        let ins = part(&["a"], &["x", "y"]).concat_ins(&part(&["b"], &["x", "y"]));
        assert_eq!(ins.as_ref(), Ok(&layout));
        let outs = part(&["a", "b"], &["x"]).concat_outs(&part(&["a", "b"], &["y"]));
        assert_eq!(outs.as_ref(), Ok(&layout));
    }
}

#[test]
fn without_zero_bases_no_other_input_changes() {
    let layout = linear("linear<{a = [0,1,0], b = [0,2], c = []} -> {x = 4}>");
    let strip = |name| layout.without_zero_bases(name).expect("a name").to_string();
    assert_eq!(strip("a"), "linear<{a = [1], b = [0,2], c = []} -> {x = 4}>");
    assert_eq!(strip("b"), "linear<{a = [0,1,0], b = [2], c = []} -> {x = 4}>");
    assert_eq!(strip("c"), layout.to_string());
}

#[test]
fn nothing_flattens_to_nothing() {
    let empty = linear("linear<{} -> {}>");
    assert_eq!((empty.flatten_ins(), empty.flatten_outs()), (empty.clone(), empty.clone()));
    assert_eq!((empty.size(), empty.cosize(), empty.at(0)), (1, 1, Ok(0)));
    let unit = empty.reshape_ins(&[("a", 1)]).expect("size 1");
    assert_eq!(unit.unsqueeze_in("a").as_ref(), Ok(&empty));
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn reshaping_keeps_flattened_values(
        layout in layouts(&["a", "b", "c"], &["x", "y", "z"], 9),
    ) {
        let ins: Vec<(String, i64)> = layout.in_dims().map(|(n, s)| (n.to_owned(), s)).collect();
        let outs: Vec<(String, i64)> = layout.out_dims().map(|(n, s)| (n.to_owned(), s)).collect();
        let flat = layout.flatten_ins().flatten_outs();
        prop_assert_eq!(values(&flat), values(&layout));
        prop_assert!(flat.in_dims().count() <= 1 && flat.out_dims().count() <= 1);
        let back = flat.reshape_ins(&ins)?.reshape_outs(&outs)?;
        prop_assert_eq!(&back, &layout);
    }

    #[test]
    fn resizing_keeps_what_both_sizes_have(
        layout in layouts(&["a", "b", "c"], &["x", "y", "z"], 9),
        bits in 0..6_u32,
    ) {
        let Some((name, old)) = layout.in_dims().next() else { return Ok(()) };
        let resized = layout.resize_in(name, 1 << bits)?;
        prop_assert_eq!(resized.in_size(name), Some(1 << bits));
        for (mut input, image) in table(&resized) {
            input[0] %= old;
            prop_assert_eq!(slow(&layout, &input), image);
        }
    }
}
