//! Linear layouts in terms: literals, operations of their own, and those of layouts that know them.

use super::message;
use layout_algebra::{Term, Value, is_reserved};

fn evaluated(text: &str) -> layout_algebra::Result<Value> {
    Term::parse(text)?.eval()
}

#[test]
fn terms_with_linear_layouts_have_values() {
    for (text, expected) in [
        ("linear<{a = [1,2]} -> {x = 4}>", "linear<{a = [1,2]} -> {x = 4}>"),
        ("LinearLayout(crd=2, idx=2, vals=[1])", "linear<{crd0 = [1]} -> {idx0 = 2}>"),
        ("to_linear((2,2):(2,1))", "linear<{index = [2,1]} -> {offset = 4}>"),
        ("to_linear(4)", "linear<{index = [1,2]} -> {offset = 4}>"),
        ("to_linear(S<1,0,1>)", "linear<{offset = [1,3]} -> {offset = 4}>"),
        ("to_linear(S<1,0,1> o 0 o 4:1)", "linear<{index = [1,3]} -> {offset = 4}>"),
        ("to_linear(to_linear(4:1))", "linear<{index = [1,2]} -> {offset = 4}>"),
        ("to_layout(linear<{a = [2,1]} -> {x = 4}>)", "(2,2):(2,1)"),
        ("to_layout(linear<{a = [1,3]} -> {x = 4}>)", "S<1,0,1> o 0 o 4:1"),
        ("to_layout(to_linear(S<3,3,3> o 0 o (8,64):(64,1)))", "S<3,3,3> o 0 o (8,64):(64,1)"),
        ("invert(linear<{a = [2,3]} -> {x = 4}>)", "linear<{x = [3,1]} -> {a = 4}>"),
        ("pseudo_invert(linear<{a = [1,1]} -> {x = 2}>)", "linear<{x = [1]} -> {a = 4}>"),
        (
            "invert_and_compose(linear<{a = [1,2]} -> {x = 4}>, linear<{b = [2,1]} -> {x = 4}>)",
            "linear<{a = [2,1]} -> {b = 4}>",
        ),
        (
            "linear_product(linear<{a = [1]} -> {x = 2}>, linear<{a = [1]} -> {x = 2}>)",
            "linear<{a = [1,2]} -> {x = 4}>",
        ),
        (
            "divide_left(linear<{a = [1,4]} -> {x = 8}>, linear<{a = [1]} -> {x = 2}>)",
            "linear<{a = [2]} -> {x = 4}>",
        ),
        (
            "divide_right(linear<{a = [2,4]} -> {x = 8}>, linear<{a = [1]} -> {x = 2}>)",
            "linear<{a = [2]} -> {x = 4}>",
        ),
        // The left one acts last, as everywhere in terms.
        (
            "composition(linear<{x = [2,1]} -> {y = 4}>, linear<{a = [1,0]} -> {x = 4}>)",
            "linear<{a = [2,0]} -> {y = 4}>",
        ),
        ("size(linear<{a = [1,0]} -> {x = 2}>)", "4"),
        ("cosize(linear<{a = [1,0]} -> {x = 2}>)", "2"),
        ("is_injective(linear<{a = [1,0]} -> {x = 2}>)", "false"),
        ("is_surjective(linear<{a = [1,0]} -> {x = 2}>)", "true"),
        ("is_bijective(linear<{a = [1,3]} -> {x = 4}>)", "true"),
        ("crd2idx((3,1), linear<{a = [(1,0),(0,1)], b = [(1,1)]} -> {x = 2, y = 2}>)", "(0,0)"),
        ("crd2idx(3, linear<{a = [(1,0),(0,1)], b = [(1,1)]} -> {x = 2, y = 2}>)", "3"),
        ("crd2idx((3,1), linear<{a = [1,3], b = [1]} -> {x = 4}>)", "3"),
    ] {
        let value = evaluated(text).expect(text);
        assert_eq!(value.to_string(), expected, "{text}");
        if matches!(value, Value::Linear(_)) {
            assert_eq!(evaluated(expected), Ok(value));
        }
    }
}

#[test]
fn literals_are_read_in_place_of_any_term() {
    let text = "composition( linear<{x = [1]} -> {y = 2}> , linear<{a = [1]} -> {x = 2}> )";
    let term = Term::parse(text).expect(text);
    assert_eq!(Term::parse(&term.to_string()), Ok(term));
    let error = Term::parse("composition(linear<{x = [1]} -> {y = 3}>, 4)").expect_err("a size");
    assert_eq!(error.to_string(), "linear: expected a size of y that is a power of two, found 3");
    let error = Term::parse("size(linear<{x = [1]} > {y = 2}>)").expect_err("no arrow");
    assert_eq!(error.to_string(), "at byte 22: expected `->`, found `>`");
    assert!(is_reserved("linear") && is_reserved("LinearLayout"));
}

#[test]
fn other_operands_are_refused() {
    let refused = |text: &str| message(evaluated(text));
    assert_eq!(
        refused("to_linear((4,_))"),
        "to_linear: expected a layout or a swizzle as operand 1, found (4,_)"
    );
    assert_eq!(refused("invert(4:1)"), "invert: expected a linear layout as operand 1, found 4:1");
    assert_eq!(refused("invert(linear<{} -> {}>, 4)"), "invert: expected 1 operand, found 2");
    assert_eq!(
        refused("composition(4:1, linear<{a = [1]} -> {x = 2}>)"),
        "composition: expected a linear layout as operand 1, found 4:1"
    );
    assert_eq!(
        refused("coalesce(linear<{a = [1]} -> {x = 2}>)"),
        "coalesce: expected a plain layout as operand 1, found linear<{a = [1]} -> {x = 2}>"
    );
    assert_eq!(
        refused("crd2idx((1,1), linear<{a = [1]} -> {x = 2}>)"),
        "crd2idx: expected an index, or one for each input, as operand 1, found (1,1)"
    );
    assert_eq!(
        refused("crd2idx(((1,1)), linear<{a = [1]} -> {x = 2}>)"),
        "crd2idx: expected an index, or one for each input, as operand 1, found ((1,1))"
    );
    assert_eq!(
        refused("logical_divide(8:1, linear<{a = [1]} -> {x = 2}>)"),
        "logical_divide: expected a layout, a shape, `_` or a tuple of tilers as operand 2, found \
         linear<{a = [1]} -> {x = 2}>"
    );
}
