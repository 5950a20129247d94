//! Every way to go wrong, with the whole text of the error: what was expected, and what was found.

use layout_algebra::Term;

/// Terms that have no value, and why.
const ERRORS: &[(&str, &str)] = &[
    ("(4,2", "at byte 4: expected `,` or `)`, found the end"),
    ("4:", "at byte 2: expected a term, an integer, `_` or `(`, found the end"),
    ("foo(1)", "at byte 0: expected an operation of the algebra, found `foo`"),
    ("(4,2):(1)", "expected a stride congruent to the shape (4,2), found (1)"),
    ("(4,0):(1,1)", "expected extents of at least 1, found 0 in (4,0)"),
    ("99999999999999999999:1", "at byte 0: expected an integer of 64 bits, found one of 20 digits"),
    (
        "(4,9223372036854775808):(1,1)",
        "at byte 3: expected an integer of 64 bits, found one of 19 digits",
    ),
    ("(4,-):(1,1)", "at byte 3: expected a term, an integer, `_` or `(`, found `-`"),
    ("(4,8 9):(1,1)", "at byte 5: expected `,` or `)`, found `9`"),
    (
        "(4294967296,4294967296):(1,1)",
        "product: expected results within 64 bits, found an overflow for (4294967296,4294967296)",
    ),
    (
        "cosize((4294967296,2):(4294967296,1))",
        "cosize: expected results within 64 bits, found an overflow for (4294967296,2):(4294967296,1)",
    ),
    (
        "composition((6,2):(1,7), (3,2):(2,3))",
        "composition((6,2):(1,7), (3,2):(2,3)): no layout has these values: expected 8 at coordinate 5, found 7 in the only candidate",
    ),
    (
        "composition((5,6):(24,15), (1048577,2):(2,1))",
        "composition((5,6):(24,15), (1048577,2):(2,1)): expected a strongly divisible right operand or at most 1048576 coordinates to compare, found 2097154",
    ),
    (
        "composition(4:1, <2:1, 2:1>)",
        "composition: expected a tiler of at most 1 entries for 4:1, found 2",
    ),
    (
        "composition((4,2):(9223372036854775807,1), 2:2)",
        "composition: expected results within 64 bits, found an overflow for ((4,2):(9223372036854775807,1), 2:2)",
    ),
    (
        "coalesce(4:1, 4:1)",
        "coalesce: expected an integer or a tuple of integers as operand 2, found 4:1",
    ),
    ("coalesce(4:1, (1,1))", "coalesce: expected a profile no deeper than 4, found (1,1)"),
    ("coalesce(S<3,0,3>)", "coalesce: expected a plain layout as operand 1, found S<3,0,3>"),
    (
        "complement((2,2):(1,1), 3)",
        "complement((2,2):(1,1)): expected sorted modes that each start where the last ended, or later, found stride 1 after 2",
    ),
    ("complement(4:-1, 3)", "complement(4:-1): expected strides that are not negative, found -1"),
    ("complement(4:1, 0)", "complement(4:1): expected a codomain of at least 1, found 0"),
    (
        "logical_divide((4,(4)):(1,(7)), <2:1, 2:1, 2:1>)",
        "logical_divide: expected a tiler of at most 2 entries for (4,(4)):(1,(7)), found 3",
    ),
    (
        "zipped_divide((4,6):(1,4), <2:1, _>)",
        "unzip: expected a pair (tile, rest) wherever the tiler has a layout or `_`, found 6:4 of rank 1",
    ),
    (
        "logical_product((2,2):(1,1), 2:1)",
        "complement((2,2):(1,1)): expected sorted modes that each start where the last ended, or later, found stride 1 after 2",
    ),
    ("blocked_product(3:1, 0)", "expected extents of at least 1, found 0 in 0"),
    (
        "tile_to_shape((4,4):(1,4), 16)",
        "tile_to_shape: expected a shape of at least rank 2 for (4,4):(1,4), found 16",
    ),
    (
        "compositon(4:1, 2:1)",
        "at byte 0: expected an operation of the algebra, found `compositon`; did you mean `composition`?",
    ),
    (
        "group_mode(4:1, 0, 1)",
        "at byte 0: expected an operation of the algebra, found `group_mode`",
    ),
    ("composition((4,2):(1,4)  (2,2))", "at byte 25: expected `,` or `)`, found `(`"),
    ("(4,8):(8,1) (1,2)", "at byte 12: expected the end, found `(`"),
    ("(4,8)(1,2)", "at byte 5: expected the end, found `(`"),
    ("(4,8):(8,1)()", "expected a coordinate that fits the shape (4,8), found ()"),
    ("(4,8):(8,1)(1,2,3)", "expected a coordinate that fits the shape (4,8), found (1,2,3)"),
    ("size<0(4:1)", "at byte 6: expected `,` or `>`, found `(`"),
    ("size<_>(4:1)", "at byte 5: expected a term, an integer, `_` or `(`, found `_`"),
    ("size<0>", "at byte 7: expected `(`, found the end"),
    ("Sw<3,4>", "at byte 6: expected `,`, found `>`"),
    ("S<1,0,1> o _0", "at byte 13: expected `o` and an inner layout, found the end"),
    ("slice((1,_,2), (4,8))", "slice: expected a coordinate that fits (4,8), found (1,_,2)"),
    ("dice((1,_), 4)", "dice: expected a coordinate that fits 4, found (1,_)"),
    ("get((4,8), 2)", "get: expected a mode below the rank 2 of (4,8), found 2"),
    (
        "take((4,8), 1, 1)",
        "take: expected a range of entries of (4,8) that is not empty, found 1 .. 1",
    ),
    ("replace((4,8), 2, 5)", "replace: expected a mode below the rank 2 of (4,8), found 2"),
    (
        "idx2crd(3, (4,2), (0,4))",
        "idx2crd(3, 4, 0): expected extents and strides that divide, found 4 and 0",
    ),
    (
        "idx2crd(3, (4,2), (1,2,3))",
        "idx2crd: expected an index and a stride that nest no deeper than (4,2), found 3 and (1,2,3)",
    ),
    (
        "compact_col_major((4,2), (1,2,3))",
        "compact_col_major: expected a start that nests no deeper than (4,2), found (1,2,3)",
    ),
    (
        "compact_row_major((2,2), 9223372036854775807)",
        "compact_row_major: expected results within 64 bits, found an overflow for (2,2)",
    ),
    (
        "evenly_divides(8, (2,2):(1,1))",
        "complement((2,2):(1,1)): expected sorted modes that each start where the last ended, or later, found stride 1 after 2",
    ),
    (
        "tile_to_shape((4,4):(1,4), (8,-6))",
        "ceil_div(-6, 4): expected a dividend of at least 0 and a divisor of at least 1, found -6 and 4",
    ),
    (
        "make_ordered_layout((4,4), (1))",
        "make_ordered_layout: expected an order with 2 entries for (4,4), found (1)",
    ),
    (
        "left_inverse((2,2):(1,1))",
        "left_inverse((2,2):(1,1)): expected an injective layout, found 2:1 reaching past stride 1",
    ),
    (
        "left_inverse((64,64):(2,129))",
        "left_inverse((64,64):(2,129)): expected sorted strides that each divide the next, or a small layout with an inverse, found 2 and 129",
    ),
    (
        "left_inverse(4:-1)",
        "left_inverse(4:-1): expected strides that are not negative, found 4:-1",
    ),
    ("get((4,4):(1,4), 2)", "get: expected a mode below the rank 2 of (4,4):(1,4), found 2"),
    (
        "select((4,4):(1,4), -1)",
        "select: expected a mode below the rank 2 of (4,4):(1,4), found -1",
    ),
    ("group((4,4):(1,4), 1, 3)", "group: expected a range of modes of (4,4):(1,4), found 1 .. 3"),
    (
        "take((4,4):(1,4), 0, 3)",
        "take: expected a range of modes of (4,4):(1,4) that is not empty, found 0 .. 3",
    ),
    (
        "replace((4,4):(1,4), 2, 4:1)",
        "replace: expected a mode below the rank 2 of (4,4):(1,4), found 2",
    ),
    ("zip((4,4):(1,4), 4:1)", "zip: expected layouts of the same rank as (4,4):(1,4), found 4:1"),
    (
        "unzip((4,4):(1,4), <_, _>)",
        "unzip: expected a pair (tile, rest) wherever the tiler has a layout or `_`, found 4:1 of rank 1",
    ),
    (
        "crd2idx((1,2,3), (4,4):(1,4))",
        "expected a coordinate that fits the shape (4,4), found (1,2,3)",
    ),
    ("idx2crd((1,2), 4)", "expected a coordinate that fits the shape 4, found (1,2)"),
    (
        "slice((1,_,2), (4,4):(1,4))",
        "expected a coordinate that fits the shape (4,4), found (1,_,2)",
    ),
    (
        "upcast(4:3, 2)",
        "upcast(4:3, 2): expected strides that divide the factor or are multiples of it, found 3",
    ),
    (
        "upcast((6,2):(1,4), 8)",
        "upcast((6,2):(1,4), 8): expected modes whose wide elements are contiguous, found offset 9 beyond the last of 1 wide elements",
    ),
    ("upcast(4:1, 0)", "upcast(4:1): expected a factor of at least 1, found 0"),
    ("downcast(4:2, 2)", "downcast(4:2, 2): expected a mode of stride 1, found 2"),
    ("recast(4:1, 0, 8)", "recast(4:1): expected a factor of at least 1, found 0"),
    (
        "shape_div((6,2), 4)",
        "shape_div((6,2), 4): expected extents that divide each other, found 6 and 4",
    ),
    (
        "ceil_div((6,2), 0)",
        "ceil_div((6,2), 0): expected a dividend of at least 0 and a divisor of at least 1, found 6 and 0",
    ),
    (
        "round_up((6,2), (2,2,2))",
        "round_up: expected a tuple that nests no deeper than (6,2), found (2,2,2)",
    ),
    (
        "domain_distribute((4,4), 0)",
        "domain_distribute((4,4)): expected at least 1 to distribute over, found 0",
    ),
    (
        "distribute((16,16):(16,1), (4,4), (4,4):(1,8))",
        "distribute: expected a layout (thread, value) into the 16 indices of the tile (4,4), found (4,4):(1,8)",
    ),
    ("size()", "at byte 5: expected a term, an integer, `_` or `(`, found `)`"),
    ("rank((4,4):(1,4), 5)", "get: expected a mode below the rank 2 of (4,4):(1,4), found 5"),
    ("S<40,20,10> o 0 o 4:1", "bits that a swizzle reaches: expected at most 62, found 70"),
    ("S<1,2", "at byte 5: expected `,`, found the end"),
    ("S<3,0,3> o 4:1", "at byte 12: expected `o` and an inner layout, found `:`"),
];

#[test]
fn errors_say_what_was_expected_and_found() {
    for (term, expected) in ERRORS {
        match Term::parse(term).and_then(|term| term.eval()) {
            Ok(value) => panic!("{term}: expected an error, found {value}"),
            Err(error) => assert_eq!(&error.to_string(), expected, "{term}"),
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("{}4{}", "(".repeat(100_000), ")".repeat(100_000));
    let error = Term::parse(&deep).expect_err("too deep");
    assert_eq!(
        error.to_string(),
        "at byte 64: expected at most 64 levels of nesting, found one more"
    );
    let calls = format!("{}4:1{}", "coalesce(".repeat(100), ")".repeat(100));
    let error = Term::parse(&calls).expect_err("too deep");
    assert_eq!(
        error.to_string(),
        "at byte 585: expected at most 64 levels of nesting, found one more"
    );
}

#[test]
fn length_is_bounded() {
    let long = format!("({}1)", "1,".repeat(600_000));
    let error = Term::parse(&long).expect_err("too long");
    assert_eq!(error.to_string(), "bytes of a term: expected at most 1048576, found 1200003");
}

#[test]
fn names_of_cute_and_triton_lead_to_the_operation() {
    let at = "at byte 0: expected an operation of the algebra, found";
    for (name, meant) in [
        ("raked", "raked_product"),
        ("blocked", "blocked_product"),
        ("inverse", "right_inverse"),
        ("with_shape", "reshape"),
        ("compose", "composition"),
        ("getFreeVariableMasks", "free_variables"),
        ("divideLeft", "divide_left"),
        ("zip2_by", "unzip"),
        ("make_swizzle", "S<b,m,s>"),
        ("swizzle", "Swizzle"),
        ("compositon", "composition"),
    ] {
        let error = Term::parse(&format!("{name}(4:1)")).expect_err("no operation").to_string();
        assert_eq!(error, format!("{at} `{name}`; did you mean `{meant}`?"));
    }
}

#[test]
fn a_long_operand_is_quoted_in_part() {
    let squares: Vec<String> = (0..20_000_i64).map(|i| (i * i).to_string()).collect();
    let text = format!("layout_of(({}))", squares.join(","));
    let error = Term::parse(&text).expect("a call").eval().expect_err("no layout");
    let message = error.to_string();
    assert!(message.starts_with("layout_of((0,1,4,9,16,25,"), "{message}");
    let end =
        "…): expected the offsets of a layout, found 9 at index 3, where the only candidate has 5";
    assert!(message.ends_with(end), "{message}");
    assert!(message.len() < 320, "{message}");
    // The error has all of it.
    let layout_algebra::Error::Condition { operand, .. } = error.cause() else { panic!("{error}") };
    assert!(operand.ends_with(",399960001)"));
}
