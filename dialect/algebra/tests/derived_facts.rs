//! Facts that follow from what is stated, and so are not requested: the tilings that a program with dynamic sizes has.

use layout_algebra::{Expr, Facts, Layout, Value, Values, evaluate};

fn answer(text: &str) -> String {
    match evaluate(text, &mut Facts::new()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(&answer(text), expected, "{text}");
    }
}

/// The extent of a layout or of a shape is positive, and a positive multiple of 64 is at least 64.
#[test]
fn a_positive_multiple_is_at_least_the_divisor() {
    check(&[
        ("composition((M{div=64},8):(8,1), 64:1)", "64:8"),
        ("complement((4,N):(1,4), M{div=64})", "ceil_div(M/4,N):4*N"),
        ("complement(64:1, (M{div=64},N))", "M*N/64:64"),
        ("complement((8,8):(1,M{div=64}), (M,N{div=8}))", "(M/8,N/8):(8,8*M)"),
        (
            "tile_to_shape((8,64):(64,1), (M{div=8},K{div=64}))",
            "((8,M/8),(64,K/64)):((64,512),(1,64*M))",
        ),
        (
            "tile_to_shape(S<3,3,3> o 0 o (8,64):(64,1), (M{div=8},K{div=64}))",
            "S<3,3,3> o 0 o ((8,M/8),(64,K/64)):((64,512),(1,64*M))",
        ),
        ("complement((M,64):(64,1), 64*M*N)", "N:64*M"),
        ("composition((M{div=16},K):(K,1), <M, 8>)", "(M,8):(K,1)"),
    ]);
}

/// An integer whose range has one value is a multiple of that value, and is written with its range alone.
#[test]
fn one_value_divides_itself() {
    check(&[
        ("composition((M{range=128..128},8):(8,1), 64:1)", "64:8"),
        ("composition((N{div=64 range=100..180},8):(8,1), 128:1)", "128:8"),
    ]);
}

/// A shape that a block does not divide is covered by the one rounded up, whose extents are at least 1 as its own are.
#[test]
fn shapes_are_rounded_up_to_blocks() {
    check(&[
        ("tile_to_shape((2,4):(1,2), round_up((7,6), (2,4)))", "((2,4),(4,2)):((1,8),(2,32))"),
        (
            "tile_to_shape((8,64):(64,1), round_up((M,N), (8,64)))",
            "((8,ceil_div(M,8)),(64,ceil_div(N,64))):((64,512),(1,512*ceil_div(M,8)))",
        ),
        (
            "tile_to_shape(S<3,3,3> o 0 o (8,64):(64,1), round_up((M,N), (8,64)), (1,0))",
            "S<3,3,3> o 0 o ((8,ceil_div(M,8)),(64,ceil_div(N,64))):((64,512*ceil_div(N,64)),(1,512))",
        ),
    ]);
}

/// However a bound is stated, the fact is the same, with one text.
#[test]
fn one_fact_has_one_form() {
    let of = |text: &str| {
        let (layout, facts) = Layout::<Expr>::parse(text).expect("a layout");
        (layout.annotated(&facts), layout, facts)
    };
    for (text, same) in [
        ("M{range=128..128}:1", "M{div=64 range=100..180}:1"),
        ("(M{div=64},8):(8,1)", "(M{div=64 range=64..},8):(8,1)"),
        ("(M{div=64},8):(8,1)", "(M{range=1.. div=64},8):(8,1)"),
        ("(M{div=64 range=64..128},8):(8,1)", "(M{range=..191 div=64},8):(8,1)"),
        ("(8,8):(M{div=64 range=64..},1)", "(8,8):(M{div=64 range=1..},1)"),
        ("(8,8):(M{div=64},1)", "(8,8):(M{div=64 range=-2147483648..2147483647},1)"),
        ("(8,8):(M{div=64},1)", "(8,8):(M{div=64 range=..2147483600},1)"),
    ] {
        assert_eq!((of(same), of(text).0.as_str()), (of(text), text));
    }
    assert_ne!(of("(8,8):(M{div=64},1)"), of("(8,8):(M{div=64 range=64..},1)"));
}

/// A stride is no extent: only stated facts follow.
#[test]
fn a_stride_may_be_negative() {
    check(&[
        (
            "is_injective((M{div=64},64):(LD{div=64},1))",
            "error: is_injective((M,64):(LD,1)): needs \"LD >= 64\", which is not known; add the fact \
             LD{range=64..}",
        ),
        ("is_injective((M{div=64},64):(LD{div=64 range=1..},1))", "true"),
    ]);
}

/// A mode that may have one entry is none at that value, which changes nothing where modes are compact.
#[test]
fn compact_layouts_have_inverses_whatever_their_extents_are() {
    check(&[
        ("right_inverse((M,N):(N,1))", "(N,M):(M,1)"),
        ("left_inverse((M,N):(N,1))", "(N,M):(M,1)"),
        ("left_inverse((M,N,K):(N*K,K,1))", "(K,N,M):(M*N,M,1)"),
        ("right_inverse((M,N,K):(N*K,K,1))", "(K,N,M):(M*N,M,1)"),
        (
            "left_inverse((M,N):(2*N,1))",
            "error: left_inverse((M,N):(2*N,1)): needs \"N >= 2\", which is not known; add the fact N{range=2..}",
        ),
    ]);
}

/// The answers at small values, one-entry modes among them, are the static algebra's.
#[test]
fn inverses_at_all_small_values() {
    for text in ["(M,N):(N,1)", "(M,N):(1,M)", "(M,N,4):(4*N,4,1)", "(4,M,N):(M*N,N,1)"] {
        let mut facts = Facts::new();
        let layout = Layout::<Expr>::parse_with(text, &mut facts).expect("a layout");
        for (name, fixed) in [
            ("right_inverse", Layout::right_inverse as fn(&Layout) -> _),
            ("left_inverse", Layout::left_inverse),
        ] {
            let term = format!("{name}({text})");
            let Ok(Value::Layout(inverse)) = evaluate(&term, &mut Facts::new()) else {
                panic!("{term}: {}", answer(&term))
            };
            for (m, n) in (1..6).flat_map(|m| (1..6).map(move |n| (m, n))) {
                let values = Values::new(&facts, [("M", m), ("N", n)]).expect("allowed");
                let at = layout.substitute(&values).expect("small");
                let found = inverse.substitute(&values).expect("small");
                let expected = fixed(&at).expect("an inverse");
                assert_eq!(found.coalesce(), expected.coalesce(), "{term} at {m}, {n}");
            }
        }
    }
}
