//! Whole messages of the errors that documentation examples do not show already.

use super::{linear, message};
use layout_algebra::linear::LinearLayout;

const NONE: [(&str, Vec<Vec<i64>>); 0] = [];

#[test]
fn bases_are_checked() {
    let new = |bases: &[(&str, Vec<Vec<i64>>)], outs: &[(&str, i64)]| {
        message(LinearLayout::new(bases, outs))
    };
    assert_eq!(
        new(&[("a", vec![vec![1, 1]])], &[("x", 4)]),
        "linear: expected a basis of a = 1 with entries for (x), found (1,1)"
    );
    assert_eq!(
        new(&[("a", vec![vec![1], vec![]])], &[("x", 4)]),
        "linear: expected a basis of a = 2 with entries for (x), found ()"
    );
    assert_eq!(
        new(&[("a", vec![vec![0, -1]])], &[("x", 4), ("y", 4)]),
        "linear: expected a basis of a = 1 with 0 <= y < 4, found -1"
    );
    assert_eq!(
        new(&[("a", vec![]), ("a", vec![])], &[]),
        "linear: expected dimensions of different names, found a twice"
    );
    assert_eq!(
        new(&NONE, &[("x", 2), ("x", 2)]),
        "linear: expected dimensions of different names, found x twice"
    );
    assert_eq!(
        new(&NONE, &[("x", 6)]),
        "linear: expected a size of x that is a power of two, found 6"
    );
    assert_eq!(
        new(&NONE, &[("x", 0)]),
        "linear: expected a size of x that is a power of two, found 0"
    );
    assert_eq!(
        new(&NONE, &[("x", i64::MIN)]),
        "linear: expected a size of x that is a power of two, found -9223372036854775808"
    );
    assert_eq!(
        new(&NONE, &[("x", 1 << 40), ("y", 1 << 30)]),
        "bits of a linear layout's inputs or outputs: expected at most 62, found 70"
    );
    let many: Vec<(String, i64)> = (0..65).map(|i| (format!("x{i}"), 1)).collect();
    assert_eq!(
        message(LinearLayout::new(&NONE, &many)),
        "dimensions of a linear layout's inputs or outputs: expected at most 64, found one more"
    );
    assert_eq!(
        new(&[("a", vec![vec![0]; 63])], &[("x", 1)]),
        "bits of a linear layout's inputs or outputs: expected at most 62, found 63"
    );
}

#[test]
fn names_are_words() {
    let named = |name: &str| message(LinearLayout::identity1d(2, name, "x"));
    for name in ["", "1a", "a b", "a-b", "ä", "a".repeat(41).as_str()] {
        assert_eq!(
            named(name),
            format!(
                "strided1d: expected a dimension's name of at most 40 ASCII letters, digits and `_`, \
                 the first no digit, found {name:?}"
            )
        );
    }
    assert!(LinearLayout::identity1d(2, "_a1", &"a".repeat(40)).is_ok());
}

#[test]
fn sizes_are_powers_of_two() {
    assert_eq!(
        message(LinearLayout::identity1d(3, "a", "x")),
        "strided1d: expected a size of a that is a power of two, found 3"
    );
    assert_eq!(
        message(LinearLayout::strided1d(4, 0, "a", "x")),
        "strided1d: expected a stride that is a power of two, found 0"
    );
    assert_eq!(
        message(LinearLayout::strided1d(1 << 40, 1 << 40, "a", "x")),
        "bits of a linear layout's inputs or outputs: expected at most 62, found 80"
    );
    assert_eq!(
        message(LinearLayout::zeros1d(4, "a", "x", 3)),
        "zeros1d: expected a size of x that is a power of two, found 3"
    );
}

#[test]
fn inferred_outputs_are_reached() {
    let bases = [("a", vec![vec![i64::MAX]])];
    assert_eq!(
        message(LinearLayout::surjective(&bases, &["x"])),
        "linear: expected a basis of a = 1 with 0 <= x < 1, found 9223372036854775807"
    );
    let bases = [("a", vec![vec![-1]])];
    assert_eq!(
        message(LinearLayout::surjective(&bases, &["x"])),
        "linear: expected a basis of a = 1 with 0 <= x < 1, found -1"
    );
}

#[test]
fn the_papers_literal_has_a_value_for_each_bit() {
    assert_eq!(
        message(LinearLayout::from_values_at_bases(&[4, 2], &[4], &[vec![1], vec![2]])),
        "linear: expected 3 values for the bits of (4,2), found 2"
    );
    assert_eq!(
        message(LinearLayout::from_values_at_bases(&[4, 2], &[4], &[vec![1], vec![2], vec![4]])),
        "linear: expected a basis of crd1 = 1 with 0 <= idx0 < 4, found 4"
    );
}

#[test]
fn matrices_have_as_many_entries_as_the_sizes_say() {
    let layout = linear("linear<{a = [1,2]} -> {x = 4}>");
    assert_eq!(
        message(LinearLayout::from_matrix(&layout.matrix(), &[("a", 4)], &[("x", 8)])),
        "linear: expected a matrix of 3 rows and 2 columns, found 2 and 2"
    );
}

#[test]
fn coordinates_name_every_input_once() {
    let layout = linear("linear<{a = [1,2], b = [1]} -> {x = 4}>");
    assert_eq!(
        message(layout.apply(&[("a", 0)])),
        "apply: expected a coordinate of (a, b), found (a)"
    );
    assert_eq!(
        message(layout.apply(&[("a", 0), ("a", 1)])),
        "apply: expected a coordinate of (a, b), found (a, a)"
    );
    assert_eq!(
        message(layout.apply(&[("a", -1), ("b", 0)])),
        "apply: expected 0 <= a < 4, found -1"
    );
    assert_eq!(message(layout.at(-1)), "at: expected 0 <= index < 8, found -1");
}

#[test]
fn compositions_need_room() {
    let inner = linear("linear<{a = [1,2]} -> {x = 8}>");
    let outer = linear("linear<{x = [1,2]} -> {y = 4}>");
    assert_eq!(
        message(inner.compose(&outer)),
        "compose: expected an outer layout with at least 8 of x, found 4"
    );
}

#[test]
fn products_may_not_grow_without_bound() {
    let half = LinearLayout::identity1d(1 << 40, "a", "x").expect("40 bits");
    assert_eq!(
        message(half.product(&half)),
        "bits of a linear layout's inputs or outputs: expected at most 62, found 80"
    );
}

#[test]
fn failed_quotients_name_the_first_invalid_entry() {
    let whole = linear("linear<{a = [(1,0),(0,1)], b = [(3,1)]} -> {x = 4, y = 2}>");
    let by = |text: &str| message(whole.divide_left(&linear(text)));
    assert_eq!(
        by("linear<{c = [1]} -> {x = 2}>"),
        "divide_left: expected a multiple of the divisor's 2 of c, found no such dimension"
    );
    assert_eq!(
        by("linear<{a = [1]} -> {x = 8}>"),
        "divide_left: expected a multiple of the divisor's 8 of x, found 4"
    );
    assert_eq!(
        by("linear<{b = [], a = [1]} -> {x = 2}>"),
        "divide_left: expected a divisor with dimensions in the order (a, b), found (b, a)"
    );
    assert_eq!(
        by("linear<{a = [1]} -> {x = 2}>"),
        "divide_left(linear<{a = [(1,0),(0,1)], b = [(3,1)]} -> {x = 4, y = 2}>): expected the \
         divisor in the low bits, found (3,1) at b = 1, which meets the outputs of linear<{a = [1]} \
         -> {x = 2}>"
    );
    let right = |text: &str| message(whole.divide_right(&linear(text)));
    assert_eq!(
        right("linear<{a = [1]} -> {x = 2}>"),
        "divide_right(linear<{a = [(1,0),(0,1)], b = [(3,1)]} -> {x = 4, y = 2}>): expected the \
         divisor in the high bits, found (0,1) at a = 2, where linear<{a = [1]} -> {x = 2}> needs \
         (2,0)"
    );
}

#[test]
fn quotients_require_the_identity_over_their_dimensions() {
    let layout = linear("linear<{a = [(1,1)], b = [(0,1)], c = [(0,0),(0,0)]} -> {a = 2, d = 2}>");
    let over = |name: &str| message(layout.quotient(&[name]));
    let prefix = format!("quotient({layout}): expected the identity over the dimensions, found ");
    assert_eq!(over("a"), prefix.clone() + "(1,1) at a = 1");
    assert_eq!(over("b"), prefix.clone() + "no output b");
    assert_eq!(over("d"), prefix + "no input d");
    let sizes = linear("linear<{a = [1,0]} -> {a = 2}>");
    assert_eq!(
        message(sizes.quotient(&["a"])),
        "quotient(linear<{a = [1,0]} -> {a = 2}>): expected the identity over the dimensions, found \
         a of size 4 to 2"
    );
    let mixed = linear("linear<{a = [(1,0)], b = [(1,1)]} -> {a = 2, b = 2}>");
    assert_eq!(
        message(mixed.quotient(&["a"])),
        "quotient(linear<{a = [(1,0)], b = [(1,1)]} -> {a = 2, b = 2}>): expected the identity over \
         the dimensions, found (1,1) at b = 1"
    );
}

#[test]
fn inverses_name_what_is_missed_or_hit_twice() {
    assert_eq!(
        message(linear("linear<{a = [1], b = [2,0]} -> {x = 4}>").invert()),
        "invert(linear<{a = [1], b = [2,0]} -> {x = 4}>): expected a bijection, found (a = 0, b = 0) \
         and (a = 0, b = 2) both at (x = 0)"
    );
    assert_eq!(
        message(linear("linear<{a = [(1,0)]} -> {x = 2, y = 2}>").invert()),
        "invert(linear<{a = [(1,0)]} -> {x = 2, y = 2}>): expected a bijection, found no input at (x = \
         0, y = 1)"
    );
}

#[test]
fn data_move_only_between_the_same_elements() {
    let a = linear("linear<{a = [1,2]} -> {x = 4}>");
    assert_eq!(
        message(a.invert_and_compose(&linear("linear<{b = [1,2]} -> {y = 4}>"))),
        "invert_and_compose: expected layouts with the same outputs (x), found (y)"
    );
    assert_eq!(
        message(a.invert_and_compose(&linear("linear<{b = [1]} -> {x = 2}>"))),
        "invert_and_compose(linear<{b = [1]} -> {x = 2}>): expected an outer layout that has every \
         element, found none for 2, which is at a = 2"
    );
}

#[test]
fn dimensions_that_are_not_there_are_named() {
    let layout = linear("linear<{a = [(1,0)], b = []} -> {x = 2, y = 1}>");
    assert_eq!(
        message(layout.transpose_outs(&["x", "x"])),
        "transpose_outs: expected the names (x, y) in some order, found (x, x)"
    );
    assert_eq!(
        message(layout.reshape_outs(&[("x", 4)])),
        "reshape_outs: expected sizes with the product 2, found 4"
    );
    assert_eq!(
        message(layout.sublayout(&["a"], &["z"])),
        "sublayout: expected a dimension among (x, y), found z"
    );
    assert_eq!(
        message(layout.sublayout_is_zero(&["z"], &["x"])),
        "sublayout: expected a dimension among (a, b), found z"
    );
    assert_eq!(
        message(layout.unsqueeze_in("x")),
        "unsqueeze_in: expected a dimension among (a, b), found x"
    );
    assert_eq!(message(layout.unsqueeze_out("x")), "unsqueeze_out: expected x of size 1, found 2");
    assert_eq!(
        message(layout.resize_in("c", 2)),
        "resize_in: expected a dimension among (a, b), found c"
    );
    assert_eq!(
        message(layout.resize_in("a", 3)),
        "resize_in: expected a size of a that is a power of two, found 3"
    );
    assert_eq!(
        message(layout.without_zero_bases("c")),
        "without_zero_bases: expected a dimension among (a, b), found c"
    );
    assert_eq!(
        message(layout.rename_in("a", "b")),
        "rename_in: expected dimensions of different names, found b twice"
    );
    assert_eq!(
        message(layout.rename_out("z", "b")),
        "rename_out: expected a dimension among (x, y), found z"
    );
}

#[test]
fn only_layouts_of_the_same_dimensions_concatenate() {
    let a = linear("linear<{a = [1]} -> {x = 2}>");
    let b = linear("linear<{b = [1]} -> {x = 4}>");
    assert_eq!(
        message(a.concat_ins(&b)),
        "concat_ins: expected the same outputs (x) of 2, found (x) of 4"
    );
    assert_eq!(
        message(a.concat_outs(&b)),
        "concat_outs: expected the same inputs (a) of 2, found (b) of 2"
    );
    assert_eq!(
        message(a.concat_outs(&a)),
        "concat_outs: expected dimensions of different names, found x twice"
    );
}
