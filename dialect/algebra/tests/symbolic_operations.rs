//! Every kind of operation on operands with symbols: what it answers, and which fact it misses.

use layout_algebra::{Facts, evaluate};

/// Evaluates each term and compares what comes out with what is written down.
fn check(table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let found = match evaluate(text, &mut Facts::new()) {
                Ok(value) => value.to_string(),
                Err(error) => format!("error: {error}"),
            };
            (found != *expected)
                .then(|| format!("{text}\n  expected {expected}\n  found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shapes_divide_and_compare() {
    check(&[
        (
            "ceil_div((M{range=1..},N{range=0..}), 8)",
            "(ceil_div(M,8),ceil_div(N,floor_div(7,M)+1))",
        ),
        ("ceil_div((M{range=0..},N{range=0..}), (8,4))", "(ceil_div(M,8),ceil_div(N,4))"),
        ("ceil_div(M, 8)", "ceil_div(M,8)"),
        ("ceil_div((M+1), 8)", "floor_div(M,8)+1"),
        (
            "ceil_div((M,N), 8)",
            "error: ceil_div((M,N), 8): needs \"M >= 0\", which is not known; add the fact M{range=0..}",
        ),
        (
            "ceil_div((M{range=0..},N), 8)",
            "error: ceil_div(M, 8): needs \"M >= 1\", which is not known; add the fact M{range=1..}",
        ),
        ("shape_div((M{div=8 range=1..},4), 8)", "(M/8,4)"),
        ("shape_div((4,M{div=2 range=1..}), 8)", "(1,M/2)"),
        (
            "shape_div((6,M{range=1..}), 4)",
            "error: shape_div((6,M), 4): needs \"4 divides 6\" or \"6 divides 4\", which the facts rule out",
        ),
        (
            "shape_div(M{div=4 range=1..}, 8)",
            "error: shape_div(M, 8): needs \"8 divides M\", which is not known; add the fact M{div=8}",
        ),
        (
            "shape_div(M:1, (2,3,4))",
            "error: shape_div(M, 24): needs \"24 divides M\", which is not known; add the fact M{div=24}",
        ),
        ("round_up((M{range=0..},10), (8,4))", "(8*ceil_div(M,8),12)"),
        (
            "round_up((M,10), (8,4))",
            "error: round_up(M, 8): needs \"M >= 0\", which is not known; add the fact M{range=0..}",
        ),
        (
            "round_up(M, (8,4))",
            "error: round_up: expected a tuple that nests no deeper than M, found (8,4)",
        ),
        ("congruent((M,(N,2)), (1,(2,K)))", "true"),
        ("congruent((M,N), M)", "false"),
        ("weakly_congruent((M,N), (1,(2,K)))", "true"),
        ("compatible((M*N,8), ((M,N),8))", "true"),
        (
            "compatible((M,8), ((M,N{range=2..}),8))",
            "error: compatible((M,8), ((M,N),8)): needs \"M = M*N\", which is not known; write M for M*N",
        ),
        ("compatible((M,8), 8)", "false"),
        ("compatible(M{range=9..}, 8)", "false"),
        ("evenly_divides((M{div=8},(6,N{range=1..})), (8,3))", "true"),
        ("evenly_divides((M{div=8},(2,6)), (8,3))", "false"),
        ("evenly_divides(M{div=8}, (8))", "true"),
        (
            "evenly_divides((M{div=8},(N,6)), (8,3))",
            "error: ceil_div((N,6), 3): needs \"N >= 0\", which is not known; add the fact N{range=0..}",
        ),
        ("evenly_divides((M{div=8},(7,5)), (8,3))", "false"),
        (
            "evenly_divides((M,N), (8,4))",
            "error: evenly_divides((M,N), (8,4)): needs \"8 divides M\", which is not known; add the fact M{div=8}",
        ),
        (
            "evenly_divides((M*K,N), (K,1))",
            "error: evenly_divides((K*M,N), (K,1)): needs \"K != 0\", which is not known; add the fact K{range=1..}",
        ),
    ]);
}

#[test]
fn layouts_are_one_to_one_or_onto() {
    check(&[
        ("is_injective((M,64):(64,1))", "true"),
        ("is_injective((M,N):(N,1))", "true"),
        ("is_injective((M,N):(1,M))", "true"),
        ("is_injective((M,N):(-1,M))", "true"),
        ("is_injective((M{range=2..},4):(0,1))", "false"),
        ("is_injective((M{range=2..},64):(32,1))", "false"),
        ("is_injective((M{range=2..},64):(32*K{range=1..},K))", "false"),
        (
            "is_injective((8,64):(LD,1))",
            "error: is_injective((8,64):(LD,1)): needs \"LD >= 64\", which is not known; add the fact LD{range=64..}",
        ),
        (
            "is_injective((M,4):(0,1))",
            "error: is_injective((M,4):(0,1)): needs \"M <= 1\", which is not known; add the fact M{range=..1}",
        ),
        ("is_surjective((M,N):(N,1))", "true"),
        ("is_surjective((M,N):(-1,M))", "true"),
        ("is_surjective((M,4):(3,1))", "true"),
        ("is_surjective((M{range=2..},8):(9,1))", "false"),
        (
            "is_surjective((M,8):(9,1))",
            "error: is_surjective((M,8):(9,1)): needs \"M >= 2\", which is not known; add the fact M{range=2..}",
        ),
        (
            "is_surjective((8,64):(LD{range=1..},1))",
            "error: is_surjective((8,64):(LD,1)): needs \"LD <= 64\", which is not known; add the fact LD{range=..64}",
        ),
        (
            "is_surjective((8,64):(LD,1))",
            "error: is_surjective((8,64):(LD,1)): needs \"LD >= 0\", which is not known; add the fact LD{range=0..}",
        ),
        ("is_bijective((M,(8,N)):(8*N,(1,8)))", "true"),
        ("is_bijective((M{range=2..},8):(4,1))", "false"),
        (
            "is_bijective((8,64):(LD{range=64..},1))",
            "error: is_bijective((8,64):(LD,1)): needs \"LD <= 64\", which is not known; add the fact LD{range=..64}",
        ),
    ]);
}

#[test]
fn threads_share_a_shape() {
    check(&[
        ("domain_distribute((4,M{div=32 range=32..}), 128)", "128:1"),
        ("domain_distribute((M{range=1..},8), 4*M)", "4*M:1"),
        ("domain_distribute((3,5,M{div=2 range=2..}), 6)", "(3,2):(1,15)"),
        (
            "domain_distribute((4,M{range=1..}), 128)",
            "error: domain_distribute((4,M), 128): needs \"32 divides M\", which is not known; add the fact M{div=32}",
        ),
        (
            "domain_distribute((4,M), N)",
            "error: domain_distribute((4,M), N): needs \"N >= 1\", which is not known; add the fact N{range=1..}",
        ),
    ]);
}

#[test]
fn coordinates_lie_inside() {
    check(&[
        (
            "in_bounds_of_divide((M,K{div=64}):(K,1), (128,64))",
            "[[((128,ceil_div(M,128)),(64,K/64)):((1,128),(0,0)), M]]",
        ),
        ("in_bounds_of_divide((M{div=128},K{div=64}):(K,1), (128,64))", "[]"),
        ("in_bounds_of_divide(M:1, 4:1)", "[[(4,ceil_div(M,4)):(1,4), M]]"),
        ("in_bounds_of_divide((5,M):(M,40*M), 2:1)", "[[(2,(3,M)):(1,(2,0)), 5]]"),
        ("in_bounds_of_composition((8,M):(1,8), (8,4):(1,8))", "[[(8,4):(1,8), 8*M]]"),
        ("in_bounds_of_composition((8,M{range=4..}):(1,8), (8,4):(1,8))", "[]"),
        ("in_bounds_of_composition(M:2, 4:-1)", "[[4:1, 1]]"),
        (
            "in_bounds_of_divide(M:1, 4:K)",
            "error: complement(4:K, M): needs \"K >= 1\", which is not known; add the fact K{range=1..}",
        ),
    ]);
}

#[test]
fn swizzles_stand_before_layouts() {
    check(&[
        ("S<3,3,3> o 0 o (M,64):(64,1)", "S<3,3,3> o 0 o (M,64):(64,1)"),
        ("(M,8):(8,1) o K o 4:2", "(M,8):(8,1) o K o 4:2"),
        ("S<0,4,3> o 0 o (M,64):(64,1)", "S<0,4,3> o 0 o (M,64):(64,1)"),
        ("composition(S<3,3,3>, (M,64):(64,1))", "S<3,3,3> o 0 o (M,64):(64,1)"),
        ("composition(S<3,3,3> o 0 o (M,64):(64,1), (8,8))", "S<3,3,3> o 0 o (8,8):(64,1)"),
        (
            "zipped_divide(S<3,3,3> o 0 o (M,64):(64,1), (8,64))",
            "S<3,3,3> o 0 o ((8,64),(ceil_div(M,8),1)):((64,1),(512,0))",
        ),
        ("coalesce(S<0,4,3> o 0 o (M,8):(8,1))", "(M,8):(8,1)"),
        ("size(S<3,3,3> o 0 o (M,64):(64,1))", "64*M"),
        ("shape(S<3,3,3> o 0 o (M,64):(64,1))", "(M,64)"),
        ("rank(S<3,3,3> o 0 o (M,64):(64,1))", "2"),
        ("cosize(S<3,3,3> o 0 o M:512)", "512*M-511"),
        ("cosize(S<0,2,0> o 0 o (M,4):(-4,2))", "7"),
        ("cosize(S<0,2,0> o 5 o (M,4):(4,-2))", "4*M+2"),
        (
            "cosize(S<3,3,3> o 0 o (M,64):(64,1))",
            "error: cosize(S<3,3,3> o 0 o (M,64):(64,1)): needs \"M = n\" for one n, which is not known; add the fact M{range=n..n}",
        ),
        ("cosize(S<3,3,3> o 0 o (M{range=8..8},64):(64,1))", "512"),
        ("slice((0,_), S<3,3,3> o 0 o (M,64):(64,1))", "(64):(1)"),
        ("slice((_,0), S<3,3,3> o 0 o (M,64):(64,1))", "S<3,3,3> o 0 o (M):(64)"),
        ("slice((_,0), S<3,3,3> o 0 o (M,64):(512,1))", "(M):(512)"),
        ("slice_and_offset((_,8), S<3,3,3> o 64 o (M,64):(512,1))", "[(M):(512), 64]"),
        ("crd2idx((1,j{range=0..7}), S<3,3,3> o 0 o (M,64):(64,1))", "j+72"),
        ("crd2idx((8*i,0), S<3,3,3> o 0 o (M,64):(64,1))", "512*i"),
        (
            "crd2idx((i,0), S<1,0,1> o 0 o M:1)",
            "error: coordinate: expected one that fits the shape M, found (i,0)",
        ),
        ("crd2idx(i, S<1,0,1> o 0 o M:2)", "2*i+mod(i,2)"),
        (
            "crd2idx(i{range=0..}, (8,M):(8,1) o 2*K{range=0..} o 4:2)",
            "16*K+16*i-63*floor_div(K+i,4)",
        ),
        ("upcast(S<3,3,3> o 64 o (M,64):(64,1), 8)", "S<3,0,3> o 8 o (M,8):(8,1)"),
        ("downcast(S<3,3,3> o 64 o (M,64):(64,1), 2)", "S<3,4,3> o 128 o (M,128):(128,1)"),
        ("recast(S<3,3,3> o 0 o (M,64):(64,1), 16, 8)", "S<3,4,3> o 0 o (M,128):(128,1)"),
        ("recast_layout(S<3,3,3> o 0 o (M,64):(64,1), 32, 16)", "S<3,2,3> o 0 o (M,32):(32,1)"),
        (
            "upcast(S<3,3,3> o K o (M,64):(64,1), 8)",
            "error: upcast(S<3,3,3> o K o (M,64):(64,1), 8): needs \"8 divides K\", which is not known; add the fact K{div=8}",
        ),
        (
            "upcast(S<3,3,3> o 0 o (M,64):(64,1), 16)",
            "error: upcast(S<3,3,3> o 0 o (M,64):(64,1), 16): needs \"M <= 1\", which is not known; add the fact M{range=..1}",
        ),
        (
            "upcast(S<3,3,3> o 0 o (M,64):(64,1), 3)",
            "error: upcast(S<3,3,3> o 0 o (M,64):(64,1), 3): expected a factor that is a power of two, for a swizzled layout, found 3",
        ),
        (
            "downcast(S<3,3,3> o 0 o (M,2):(-1,1), 2)",
            "error: downcast(S<3,3,3> o 0 o (M,2):(-1,1), 2): expected nonnegative strides within a wide element of a swizzled layout, found -1",
        ),
        (
            "upcast((M,8):(1,64) o 2 o 8:1, 2)",
            "error: upcast((M,8):(1,64) o 2 o 8:1, 2): needs \"2 divides M\", which is not known; add the fact M{div=2}",
        ),
        ("upcast((M{div=2},8):(1,64) o 2 o 8:1, 2)", "(M/2,8):(1,32) o 1 o 4:1"),
        ("downcast((M,8):(K,1) o i{range=0..} o 8:1, 2)", "((2,M),8):((1,2*K),2) o 2*i o 16:1"),
        ("upcast(M:1 o 0 o 8:1, 2)", "ceil_div(M,2):1 o 0 o 4:1"),
        ("right_inverse(S<3,3,3> o 0 o M{range=1..64}:1)", "M:1"),
        (
            "right_inverse(S<3,3,3> o 0 o M:1)",
            "error: right_inverse(S<3,3,3> o 0 o M:1): needs \"M = n\" for one n, which is not known; add the fact M{range=n..n}",
        ),
        ("filter(S<3,3,3> o 0 o (M,64,4):(64,1,0))", "S<3,3,3> o 0 o (M,64):(64,1)"),
        (
            "S<3,3,3> o (M,8):(8,1)",
            "error: at byte 16: expected `o` and an inner layout, found `:`",
        ),
    ]);
}

#[test]
fn coordinates_follow_tiles() {
    check(&[
        ("make_identity_layout((M{range=1..},(N{range=1..},4)))", "(M,(N,4)):(1@0,(1@0@1,1@1@1))"),
        ("make_identity_layout(M{range=1..})", "M:1"),
        (
            "make_identity_layout((M-1,4))",
            "error: layout((M-1,4):(1@0,1@1)): needs \"M >= 2\", which is not known; add the fact M{range=2..}",
        ),
        ("(M,N):(2*K@0,1@1)", "(M,N):(2*K@0,1@1)"),
        ("(M,N):((K+1)@0,0)", "(M,N):((K+1)@0,0)"),
        ("(M,(N,4)):(1@0,(3@0@1,K@1@1))", "(M,(N,4)):(1@0,(3@0@1,K@1@1))"),
        ("coalesce((M,4,N):(1@0,M@0,1@1))", "(4*M,N):(1@0,1@1)"),
        (
            "zipped_divide((M,N):(1@0,1@1), (128,64))",
            "((128,64),(ceil_div(M,128),ceil_div(N,64))):((1@0,1@1),(128@0,64@1))",
        ),
        ("composition((M,N):(1@0,1@1), (8,4))", "(8,4):(1@0,1@1)"),
        ("crd2idx((i,j), (M,N):(2*K@0,1@1))", "(2*K*i,j)"),
        ("slice((i,_), (M,N):(1@0,1@1))", "(N):(1@1)"),
        ("slice_and_offset((i,_), (M,N):(1@0,1@1))", "[(N):(1@1), (i,0)]"),
        ("coshape((M,N):(1@0,2@1))", "(M,2*N-1)"),
        ("size((M,N):(1@0,2@1))", "M*N"),
        ("shape((M,N):(1@0,2@1))", "(M,N)"),
        ("rank((M,N):(1@0,2@1))", "2"),
        ("depth((M,(N,2)):(1@0,(2@1,0)))", "2"),
        ("stride((M,(N,2)):(K@0,(2@1,0)))", "(K@0,(2@1,0))"),
        ("(K@0,(2*K@1,0),floor_div(K,2)@2)", "(K@0,(2*K@1,0),floor_div(K,2)@2)"),
        ("K@0", "K@0"),
        ("ceil_div(K,4)@1@0", "ceil_div(K,4)@1@0"),
        ("get((M,(N,2)):(K@0,(2@1,0)), 1)", "(N,2):(2@1,0)"),
        ("get(((M,4)):((K@0,0)), 0, 1)", "4:0"),
        ("select((M,N):(1@0,K@1), 1)", "(N):(K@1)"),
        ("group((M,N,4):(1@0,K@1,2@2), 0, 2)", "((M,N),4):((1@0,K@1),2@2)"),
        ("flatten((M,(N,4)):(1@0,(K@1,2@2)))", "(M,N,4):(1@0,K@1,2@2)"),
        ("append((M,N):(1@0,1@1), K:M@0)", "(M,N,K):(1@0,1@1,M@0)"),
        (
            "tiled_divide((M,N):(1@0,1@1), (128,64))",
            "((128,64),ceil_div(M,128),ceil_div(N,64)):((1@0,1@1),128@0,64@1)",
        ),
        ("coalesce((M,(4,N)):(1@0,(1@1,4@1)), (1,1))", "(M,4*N):(1@0,1@1)"),
        (
            "get((M,N):(K@0,1@1), 2)",
            "error: get: expected a mode below the rank 2 of (M,N):(K@0,1@1), found 2",
        ),
        (
            "coshape((M,N):(K@0,2@1))",
            "error: cosize((M,N):(K,0)): needs \"K >= 0\", which is not known; add the fact K{range=0..}",
        ),
        ("composition((M{range=1..1},2):(1@0,1@1), 2:M)", "2:1@1"),
        ("right_inverse((M,N):(1@0,1@1))", "(M,N):(1,M)"),
        ("composition((M,N):(1,M), (M,N):(1@0,1@1))", "(M,N):(1,M)"),
        ("make_identity_layout((M,4))", "(M,4):(1@0,1@1)"),
        ("1@0+2", "error: at byte 3: expected the end, found `+`"),
        (
            "(M@0,4@1@0)",
            "error: layout: expected strides that take each part of a coordinate for an integer or \
             for a tuple of at most 64 modes, found (M@0,4@1@0)",
        ),
        ("M:1@-1", "error: at byte 6: expected a mode that is not negative, found -1"),
    ]);
}

#[test]
fn banks_conflict() {
    check(&[
        ("bank_conflicts((8,64):(LD{div=64 range=64..},1), (8,8):(1,8), 16)", "7"),
        ("bank_conflicts(S<3,3,3> o 0 o (M{range=8..},64):(64,1), (8,8):(1,M), 16)", "0"),
        ("bank_conflicts((32,K):(1,32), (32,K{range=1..1}):(1,32), 32)", "0"),
        // Rows that start in other banks: padded by 8 elements.
        (
            "bank_conflicts((8,64):(LD,1), (8,8):(1,8), 16)",
            "error: bank_conflicts((8,64):(LD,1), (8,8):(1,8), 16): needs \"64 divides LD\", which is not known; add the fact LD{div=64}",
        ),
        ("bank_conflicts((8,64):(64*K{range=1..}+8,1), (8,8):(1,8), 16)", "0"),
        (
            "bank_conflicts((8,64):(64*K{range=0..},1), (8,8):(1,8), 16)",
            "error: bank_conflicts((8,64):(64*K,1), (8,8):(1,8), 16): needs \"K >= 1\", which is not known; add the fact K{range=1..}",
        ),
        (
            "bank_conflicts((M,64):(64,1), (8,8):(1,8), 16)",
            "error: composition((M,64):(64,1), (8,8):(1,8)): needs \"M >= 8\", which is not known; add the fact M{range=8..}",
        ),
        (
            "bank_conflicts((8,64):(64,1), (T,8):(1,8), 16)",
            "error: bank_conflicts((8,64):(64,1), (T,8):(1,8), 16): needs \"T <= 456\", which is not known; add the fact T{range=..456}",
        ),
        (
            "bank_conflicts((8,64):(64,1), (T{range=1..8},8):(1,8), 16)",
            "error: bank_conflicts((8,64):(64,1), (T,8):(1,8), 16): needs \"T = n\" for one n, which is not known; add the fact T{range=n..n}",
        ),
        (
            "bank_conflicts((M,64):(64,1), 8:1, 16)",
            "error: conflicts: expected an access with a mode of threads and one of values, found 8:1",
        ),
        (
            "bank_conflicts((M,64):(64,1), (8,8):(1,8), 24)",
            "error: conflicts: expected elements of a power of two of bits, at most 128, found 24",
        ),
        (
            "conflict_free_swizzle((M,64):(64,1), (8,8):(1,8), (8,8):(1,8), 16)",
            "error: conflict_free_swizzle((M,64):(64,1), (8,8):(1,8), (8,8):(1,8), 16): needs \"M = n\" for one n, which is not known; add the fact M{range=n..n}",
        ),
        (
            "conflict_free_swizzle((M{range=8..8},64):(64,1), (8,8):(1,8), (8,8):(1,8), 16)",
            "S<3,3,3>",
        ),
    ]);
}

#[test]
fn linear_layouts_require_values() {
    check(&[
        (
            "to_linear((M,8):(8,1))",
            "error: to_linear((M,8):(8,1)): needs \"M = n\" for one n, which is not known; add the fact M{range=n..n}",
        ),
        ("to_layout(to_linear((M{range=4..4},8):(8,1)))", "(4,8):(8,1)"),
        ("is_surjective(linear<{x = [1,2]} -> {y = 4}>)", "true"),
        (
            "composition(linear<{x = [1,2]} -> {y = 4}>, (M,8):(8,1))",
            "error: composition(linear<{x = [1,2]} -> {y = 4}>, (M,8):(8,1)): needs \"M = n\" for one n, which is not known; add the fact M{range=n..n}",
        ),
        ("(S,2):(1,S)", "(S,2):(1,S)"),
        ("linear + 1", "linear+1"),
    ]);
}

#[test]
fn quotients_read_back() {
    for text in [
        "floor_div(-K{div=3 range=3..}-M-1, 2*K)",
        "9*K{range=1..}-6*K*ceil_div(-3*K-M, 6*K)-M-1",
        "floor_div(-N{range=1..}-M-1, 2*N+1)",
        "ceil_div(-N{range=1..}-M, 2*N+1)",
    ] {
        let mut facts = Facts::new();
        let value = evaluate(text, &mut facts).expect(text);
        let again = evaluate(&value.to_string(), &mut facts).expect("what was printed");
        assert_eq!(again, value, "{text}");
    }
}

#[test]
fn borders() {
    check(&[
        ("max_common_vector((3,N{range=4..}):(N,1), (3,2*N):(2*N,1))", "N"),
        ("max_common_vector((10,M{range=2..}):(1,20), 16:1)", "10"),
        // Where M is 1, the other mode begins the row.
        (
            "max_common_vector((4,3):(1,4), (3,M{range=1..4}):(M,1))",
            "error: max_common_vector((4,3):(1,4), (3,M):(M,1)): needs \"M >= 2\", which is not known; add the fact M{range=2..}",
        ),
        ("max_common_vector((M{range=2..},64):(64,1), (M,64):(64,1))", "64*M"),
        ("is_bijective((M{range=2..},4):(-4,1))", "false"),
        ("is_bijective((M,4):(4,1))", "true"),
        ("upcast((M,3):(4,-1), 2)", "(M,2):(2,-1)"),
        ("ceil_div((1,3,K{range=1..1}), 4:1)", "1"),
        // At M = 12 the free places have one mode, which continues.
        (
            "logical_product((2,2):(M{div=3 range=12..}@0,4@0), (2):(4@0))",
            "error: logical_product((2,2):(M@0,4@0), (2):(4@0)): needs \"4*floor_div(M,8) >= 5\" or \"floor_div(M,8) >= 2\", neither of which is known; assume 4*floor_div(M,8) >= 5 or assume floor_div(M,8) >= 2",
        ),
        // Past a last mode of one entry the one before continues, as without symbols.
        (
            "logical_divide((N{range=1..},(4,1)):(1@0,(1@0@1,1@1@1)), <N:1, 2:3>)",
            "((N,1),(2,3)):((1@0,0),(3@0@1,1@0@1))",
        ),
        // At N = 1 it is one plain layout, which has a wider form.
        (
            "upcast((2,1):(1,-1) o 0 o (2,1):(N{range=1..},0), 2)",
            "error: composition((2,1):(1,-1), (2,1):(N,0)): needs \"2 divides N\" or \"N <= 1\", neither of which is known; add the fact N{div=2} or add the fact N{range=..1}",
        ),
        (
            "upcast((2,1):(1,-1) o N{range=0..} o (2,1):(1,0), 2)",
            "error: upcast((2,1):(1,-1) o N o (2,1):(1,0), 2): needs \"N = 0\", which is not known; write 0 for N",
        ),
        ("ceil_div((M{div=8 range=8..},16), ((4,8)):((1,4)))", "M/2"),
        ("ceil_div((M{range=1..},N{range=1..}), <8:1, 4:1>)", "(ceil_div(M,8),ceil_div(N,4))"),
    ]);
}

#[test]
fn composed_layouts_are_right_operands() {
    let needs = |term: &str, name: &str| {
        let expected = format!(
            "{term}: needs \"{name} = n\" for one n, which is not known; add the fact {name}{{range=n..n}}"
        );
        let found = evaluate(term, &mut Facts::new()).expect_err("not known");
        assert_eq!(found.to_string(), expected);
    };
    check(&[("composition((M{range=4..},8):(8,1), S<1,4,1> o 0 o (2,2):(1,2))", "(2,2):(8,16)")]);
    // Some values have an answer: for one row, the last, and for no offset the others.
    needs("composition((M,4):(4,1), S<1,0,1> o 0 o (N,2):(2,1))", "M");
    needs("composition(S<1,0,1>, S<1,2,3> o 0 o M:8)", "M");
    needs("composition(S<1,0,1>, (M,4):(1,8) o 0 o 16:1)", "M");
}

#[test]
fn a_layout_of_rank_0_is_0_wherever_it_is_read() {
    check(&[
        ("composition(():(), (4,N):(1,2))", "(4,N):(0,0)"),
        ("logical_divide(():(), N:1)", "(N,1):(0,0)"),
    ]);
}

#[test]
fn an_index_below_0_has_no_digits() {
    check(&[
        (
            "idx2crd(X, M, 1)",
            "error: idx2crd(X, M, 1): needs \"X >= 0\", which is not known; add the fact X{range=0..}",
        ),
        ("idx2crd(X{range=0..}, M, 2)", "-M*floor_div(X,2*M)+floor_div(X,2)"),
        ("idx2crd(-2, 3, 1)", "-2"),
    ]);
}

#[test]
fn hints_agree_with_what_is_known() {
    check(&[
        (
            "max_alignment((M{div=8},N):(1,8))",
            "error: right_inverse((M,N):(1,8)): needs \"8 != M\", which is not known; add the fact M{range=16..}",
        ),
        (
            "is_injective(S<2,0,3> o 0 o (M,8):(8,1))",
            "error: is_injective(S<2,0,3> o 0 o (M,8):(8,1)): needs \"M = n\" for one n, which is not known; add the fact M{range=n..n}",
        ),
    ]);
}

/// Integers divide one that is below 0, with symbols and without.
#[test]
fn multiples_below_0_are_divided() {
    check(&[
        ("evenly_divides(-8, 4)", "true"),
        ("evenly_divides(-8, 3)", "false"),
        ("evenly_divides((K-N), 1)", "true"),
        ("evenly_divides(M{div=8 range=..-8}, 4)", "true"),
    ]);
}

#[test]
fn elements_of_the_same_width_stay() {
    check(&[
        ("upcast((1,1):(1,0) o 1 o 1:0, 1)", "(1,1):(1,0) o 1 o 1:0"),
        ("upcast((K,1):(1,0) o K o 1:0, 1)", "(K,1):(1,0) o K o 1:0"),
    ]);
}
