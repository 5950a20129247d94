//! Both forms of text, read and printed.

use super::{layouts, linear, message};
use layout_algebra::linear::LinearLayout;
use layout_random::{cases, prelude::*};

#[test]
fn spaces_do_not_matter_and_integers_stand_for_vectors_of_one() {
    let text = "linear<{a = [1,2], b = []} -> {x = 4}>";
    let spaced = " linear < { a=[ ( 1 ) , 2 ] , b = [ ] } -> { x = 4 } > ";
    assert_eq!(linear(spaced).to_string(), text);
    let none = "linear<{a = [(),()]} -> {}>";
    assert_eq!(linear(none).to_string(), none);
}

#[test]
fn the_papers_form_names_its_dimensions() {
    let layout = linear("LinearLayout( crd = (4,2), idx=4, vals=[1, 2, (3)] )");
    assert_eq!(layout.to_string(), "linear<{crd0 = [1,2], crd1 = [3]} -> {idx0 = 4}>");
    assert_eq!(layout.to_paper(), "LinearLayout(crd=(4,2), idx=4, vals=[1,2,3])");
}

#[test]
fn errors_point_at_what_they_did_not_expect() {
    for (text, expected) in [
        ("", "at byte 0: expected `linear` or `LinearLayout`, found the end"),
        ("layout<", "at byte 0: expected `linear` or `LinearLayout`, found `layout`"),
        ("linear{", "at byte 6: expected `<`, found `{`"),
        ("linear<a", "at byte 7: expected `{`, found `a`"),
        ("linear<{1", "at byte 8: expected a dimension's name, found `1`"),
        ("linear<{a [", "at byte 10: expected `=`, found `[`"),
        ("linear<{a = 1", "at byte 12: expected `[`, found `1`"),
        ("linear<{a = [x", "at byte 13: expected an integer, found `x`"),
        ("linear<{a = [1 2", "at byte 15: expected `,` or `]`, found `2`"),
        ("linear<{a = [(1;", "at byte 15: expected `,` or `)`, found `;`"),
        ("linear<{a = [1] b", "at byte 16: expected `,` or `}`, found `b`"),
        ("linear<{} {", "at byte 10: expected `->`, found `{`"),
        ("linear<{} -> {x = 4]", "at byte 19: expected `,` or `}`, found `]`"),
        ("linear<{} -> {}", "at byte 15: expected `>`, found the end"),
        ("linear<{} -> {}> o", "at byte 17: expected the end, found `o`"),
        (
            "linear<{} -> {x = 9223372036854775808}>",
            "at byte 18: expected an integer of 64 bits, found one of 19 digits",
        ),
        ("LinearLayout(idx", "at byte 13: expected `crd`, found `idx`"),
        ("LinearLayout(crd=(4,4); ", "at byte 22: expected `,`, found `;`"),
        ("LinearLayout(crd=4, idx=4, values", "at byte 27: expected `vals`, found `values`"),
    ] {
        assert_eq!(message(text.parse::<LinearLayout>()), expected, "{text}");
    }
    assert_eq!(
        message(format!("linear<{{{}", "a".repeat(41)).parse::<LinearLayout>()),
        format!(
            "at byte 8: expected a dimension's name of at most 40 characters, found `{}`",
            "a".repeat(40)
        )
    );
    let long = " ".repeat((1 << 20) + 1);
    assert_eq!(
        message(long.parse::<LinearLayout>()),
        "bytes of a term: expected at most 1048576, found 1048577"
    );
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn text_round_trips(layout in layouts(&["a", "b_1", "c"], &["x", "y", "z"], 60)) {
        prop_assert_eq!(&linear(&layout.to_string()), &layout);
        // Shapes of no dimension have no text in the paper's form but `()`.
        let paper = linear(&layout.to_paper());
        prop_assert_eq!(paper.matrix(), layout.matrix());
    }

    #[test]
    fn no_text_panics(text in "(linear<|\\{|\\}|\\[|\\]|->|>|[a-c] = |[0-9(),-]|LinearLayout\\()*") {
        let _ = text.parse::<LinearLayout>();
    }
}
