//! Terms that fuzzing found to be slow, and others built to be as slow as they can be: each has its
//! answer or its error, at once.

use layout_algebra::{ComposedLayout, Outer, Swizzle, Term};
use std::time::{Duration, Instant};

/// The text of a term's value or error. Ten times what fuzzing allows, and the best of five, since this
/// may be a slow build on a busy machine.
#[track_caller]
fn at_once(text: &str) -> String {
    let term = Term::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let answer = term.eval();
        least = least.min(start.elapsed());
        if least < Duration::from_secs(1) {
            return answer.map_or_else(|error| error.to_string(), |value| value.to_string());
        }
    }
    let shown: String = text.chars().take(200).collect();
    panic!("expected an answer within a second, found {least:?} for {shown}");
}

/// `value,value,…`
fn times(count: usize, value: &str) -> String {
    vec![value; count].join(",")
}

/// `((…(inner)…))`
fn deep(levels: usize, inner: &str) -> String {
    format!("{}{inner}{}", "(".repeat(levels), ")".repeat(levels))
}

#[test]
fn single_coordinates_of_swizzled_layouts_cost_nothing() {
    let many = format!("({},524288):({},1)", times(500, "1"), times(500, "3"));
    assert_eq!(at_once(&format!("cosize(S<0,0,-62> o 0 o {many})")), "524288");
    assert_eq!(at_once(&format!("cosize((2,2):(1,5) o 1 o {many})")), "1310721");
    let inner = format!("(1048576,{}):(-21,{})", times(14, "1"), times(14, "1048576"));
    assert_eq!(at_once(&format!("cosize(S<0,0,-62> o 0 o {inner})")), "1");
}

#[test]
fn an_access_goes_through_single_coordinates_once() {
    let many = format!("({},65536):({},1)", times(2000, "1"), times(2000, "3"));
    for tile in [many.clone(), format!("S<3,4,3> o 0 o {many}"), format!("{many} o 0 o {many}")] {
        let access = format!("(32,({},2048)):(1,({},32))", times(2000, "1"), times(2000, "7"));
        assert_eq!(at_once(&format!("bank_conflicts({tile}, {access}, 32)")), "0");
    }
}

#[test]
fn one_mode_carries_into_no_other() {
    assert_eq!(at_once("composition(1:5, (1048576,1048576):(1,-1))"), "(1048576,1048576):(5,-5)");
}

#[test]
fn compositions_by_mode_share_a_budget() {
    // Neither division is exact, and each composition takes half a million comparisons.
    let (a, b) = ("(6,100000):(1,100)", "(2,262144):(4,12)");
    let both = "((6,100000),(6,100000)):((1,100),(1,100))";
    assert_eq!(at_once(&format!("composition({a}, {b})")), "(2,262144):(4,200)");
    assert_eq!(
        at_once(&format!("composition({both}, <{b}, {b}>)")),
        "((2,262144),(2,262144)):((4,200),(4,200))"
    );
    let thrice = format!("({0},{0},{0}):({1},{1},{1})", "(6,100000)", "(1,100)");
    assert_eq!(
        at_once(&format!("composition({thrice}, <{b}, {b}, {b}>)")),
        format!(
            "composition({a}, {b}): expected a strongly divisible right operand or at most \
             1048576 coordinates to compare, found 1572864"
        )
    );
}

#[test]
fn deep_nesting_copies_no_mode_twice() {
    /// Sixty levels of a thousand leaves each, beside the next level.
    fn nested(open: &str, leaf: &str, close: &str) -> String {
        let level = format!(",{}{close}", times(1_000, leaf));
        format!("{}{leaf}{}", open.repeat(60), level.repeat(60))
    }
    let (ones, profile) = (nested("(", "1", ")"), nested("<", "1", ">"));
    let layout = format!("{ones}:{}", nested("(", "0", ")"));
    let size = |term: String| at_once(&format!("size({term})"));
    for operation in ["coalesce", "filter"] {
        assert_eq!(size(format!("{operation}({layout}, {ones})")), "1");
    }
    for operation in ["composition", "logical_divide", "flat_divide", "logical_product"] {
        assert_eq!(size(format!("{operation}({layout}, {profile})")), "1");
    }
    // Two factors in a division that is not exact, so that values are compared.
    let right = format!("({ones},3):({},6)", nested("(", "7", ")"));
    let composed = format!("composition((5,6):(24,15), {right})");
    assert_eq!(at_once(&format!("coalesce({composed})")), "3:39");
}

#[test]
fn many_digits_take_from_the_budget() {
    let a = "(6,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2):(1,100,7,50,900,11,13,1000,3,5,17,19,23,29,\
             31,37,41,43,47,53,59)";
    assert_eq!(
        at_once(&format!("composition({a}, (262144,4):(12,4))")),
        format!(
            "composition({a}, (262144,4):(12,4)): expected a strongly divisible right operand or at \
             most 399457 coordinates to compare, found 1048576"
        )
    );
}

#[test]
fn injectivity_takes_no_sorting() {
    for (layout, answer) in [
        ("(1024,1023):(1024,1025)", "true"),
        ("(1024,1014):(1024,1023)", "true"),
        ("(64,64,256):(4097,3911,7919)", "true"),
        ("(512,512):(1099511627776,1099511627777)", "true"),
        (
            "(1024,1024):(1099511627776,1099511627777)",
            "coordinates to evaluate: expected at most 262144, found 1048576",
        ),
        ("(1024,512,2):(1024,1025,1)", "false"),
        ("(256,512,2):(1099511627776,1099511627777,1)", "false"),
    ] {
        assert_eq!(at_once(&format!("is_injective({layout})")), answer, "{layout}");
    }
}

#[test]
fn offsets_of_composed_layouts_are_marked_and_not_sorted() {
    for (term, answer) in [
        ("is_bijective(S<3,4,3> o 0 o (524288,1):(1,524288))", "true"),
        ("is_bijective(S<0,0,-62> o 0 o (262144,2,1):(49,0,-24))", "false"),
        ("is_surjective(S<5,2,-1> o 23 o (2,262144):(1,15))", "false"),
        ("is_injective((3,1):(15,3) o 0 o (210481,2):(1,20))", "false"),
        ("is_injective(S<1,0,0> o 0 o 262144:100000000000)", "true"),
        (
            "is_injective(1000:1000000000 o 0 o (1000,1000):(1000,1))",
            "coordinates to evaluate: expected at most 524288, found 1000000",
        ),
    ] {
        assert_eq!(at_once(term), answer, "{term}");
    }
}

#[test]
fn a_long_word_is_near_no_name() {
    let error = Term::parse(&"a".repeat(1_000_000)).expect_err("no name").to_string();
    assert!(error.contains("expected an operation of the algebra"), "{error}");
    assert!(!error.contains("did you mean"), "{error}");
}

#[test]
fn the_search_for_a_left_inverse_ends() {
    for strides in ["2,9,41,163,655", "3,13,50,211,700", "5,21,83,331,999"] {
        let layout = format!("(4,4,4,4,4):({strides})");
        let expected =
            "sorted strides that each divide the next, or a small layout with an inverse";
        let answer = at_once(&format!("left_inverse({layout})"));
        assert!(answer.contains(expected), "{answer}");
    }
}

#[test]
fn composed_layouts_are_inverted_within_a_budget() {
    let square = "(1024,1024):(1,1024)";
    assert_eq!(
        at_once(&format!("right_inverse({square} o 0 o {square})")),
        "1048576:1 o 0 o 1048576:1"
    );
    assert_eq!(
        at_once(&format!("left_inverse({square} o 0 o {square})")),
        "1048576:1 o 0 o 1048576:1"
    );
    let strides: Vec<String> = (0..20).map(|i| (1 << (i * 7 % 20)).to_string()).collect();
    let bits = format!("({}):({})", times(20, "2"), strides.join(","));
    assert_eq!(
        at_once(&format!("right_inverse({bits} o 0 o {bits})")),
        "coordinates to evaluate: expected at most 139810, found 1048576"
    );
    assert_eq!(at_once(&format!("cosize({bits} o 0 o (1024,400):(1,1024))")), "1040320");
}

#[test]
fn bits_of_swizzled_layouts_are_walked_over_once() {
    assert_eq!(
        at_once("left_inverse(S<20,0,20> o 0 o (1023,1023):(1023,1))"),
        "(1023,1023):(1023,1)"
    );
    assert_eq!(
        at_once("right_inverse(S<20,0,20> o 0 o (1021,1023):(1023,1))"),
        "(1023,1021):(1021,1)"
    );
}

#[test]
fn a_composed_layout_is_linear_at_once() {
    let answer = at_once("to_linear((1,1):(1,1) o 0 o 1048576:1)");
    assert!(answer.ends_with("{offset = 1048576}>"), "{answer}");
    // The last column is 3 * 2^20: no pair of bits refutes that, and every index is compared.
    let bits: Vec<String> = (0..19).map(|bit| (1 << bit).to_string()).collect();
    assert_eq!(
        at_once("to_linear((524288,2):(1,3145728) o 0 o 1048576:1)"),
        format!("linear<{{index = [{},3145728]}} -> {{offset = 4194304}}>", bits.join(","))
    );
    assert_eq!(
        at_once("to_linear(S<2,0,18> o 1 o (524288,2):(1,1048576))"),
        "to_linear(S<2,0,18> o 1 o (524288,2):(1,1048576)): expected offset 0 at index 0, found 1"
    );
}

#[test]
fn deep_and_long_layouts_are_not_copied_for_each_level() {
    let count = 100_000;
    let layout = format!("{}:{}", deep(60, &times(count, "1")), deep(60, &times(count, "3")));
    assert_eq!(at_once(&format!("crd2idx({}, {layout})", deep(59, "7"))), "21");
    assert_eq!(at_once(&format!("get({layout}, {})", times(60, "0"))), "1:3");
    assert_eq!(at_once(&format!("size(slice({}, {layout}))", deep(59, "_"))), "1");
    assert_eq!(at_once(&format!("dice({}, {layout})", deep(59, "_"))), "():()");
}

/// The fields of a swizzle are public.
#[test]
fn swizzles_past_the_limit_move_modes_of_one_entry() {
    for (bits, base, shift) in [(5, 0, 62), (31, 200, 63), (65, 61, i32::MAX), (64, 64, i32::MIN)] {
        let outer = Outer::Swizzle(Swizzle { bits, base, shift });
        for text in ["(2,1):(4,3)", "((5,1),1):((4,1),3)", "1:8"] {
            let inner = text.parse().expect("a layout");
            let layout = ComposedLayout { outer: outer.clone(), offset: 31, inner };
            assert!(layout.fold().is_ok(), "{layout}");
        }
    }
}
