//! Layouts with symbols: answers and errors by their whole texts.

use layout_algebra::{Expr, Fact, Facts, Layout, Values, evaluate, integer::Error};

fn answer(text: &str) -> String {
    match evaluate(text, &mut Facts::new()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[track_caller]
fn check(rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|(term, expected)| answer(term) != *expected)
        .map(|(term, expected)| {
            format!("{term}\n  expected {expected}\n  found    {}", answer(term))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn expressions_print_in_normal_form() {
    check(&[
        ("M", "M"),
        ("M+M*2-N+1", "3*M-N+1"),
        ("(M+1)*(M-1)", "M*M-1"),
        ("M-M", "0"),
        ("-(M-3)", "-M+3"),
        ("M{div=8}/4", "M/4"),
        ("3*M{div=8}/4", "3*M/4"),
        ("M{div=8}*N{div=4}/32", "M*N/32"),
        ("M{div=8}/8*8", "M"),
        ("floor_div(M,8)", "floor_div(M,8)"),
        ("floor_div(M+7,8)", "ceil_div(M,8)"),
        ("floor_div(M+8,8)", "floor_div(M,8)+1"),
        ("ceil_div(M,128)", "ceil_div(M,128)"),
        ("ceil_div(M{div=128},128)", "M/128"),
        ("ceil_div(ceil_div(M,4),2)", "ceil_div(M,8)"),
        ("floor_div(floor_div(M,4),N{range=1..})", "floor_div(M,4*N)"),
        // The terms beside the quotient go in, symbols too, unless numbers get too large.
        ("floor_div(floor_div(K,2)+N,2)", "floor_div(K+2*N,4)"),
        ("floor_div(mod(K+N{div=2},4),2)", "mod(N/2+floor_div(K,2),2)"),
        (
            "floor_div(floor_div(K,1099511627776)+N,1099511627776)",
            "floor_div(N+floor_div(K,1099511627776),1099511627776)",
        ),
        ("floor_div(6*M+5,4)", "M+floor_div(M,2)+1"),
        ("ceil_div(M,N{range=1..})", "ceil_div(M,N)"),
        ("mod(M,8)", "mod(M,8)"),
        ("mod(M{div=8},8)", "0"),
        ("mod(M{range=0..7},8)", "M"),
        ("mod(M,8)+8*floor_div(M,8)", "M"),
        ("floor_div(i{range=0..3}+4*j{range=0..7},32)", "0"),
        ("floor_div(i{range=0..3}+4*j,8)", "floor_div(j,2)"),
        ("min(M,M+1)", "M"),
        ("min(8*M,16*N)", "8*min(2*N,M)"),
        ("min(M{range=1..8},9)", "M"),
        ("-9223372036854775808", "-9223372036854775808"),
    ]);
}

#[test]
fn layouts_are_answered() {
    check(&[
        ("(M,8):(1,M)", "(M,8):(1,M)"),
        ("(?,8):(1,?{div=8})", "(?0,8):(1,?1)"),
        ("coalesce((M,8):(1,M))", "8*M:1"),
        ("coalesce(((M,1),(N,8)):((1,5),(M,M*N)))", "8*M*N:1"),
        ("coalesce((M,8):(8,1))", "(M,8):(8,1)"),
        ("coalesce(((M,2),(N,K)):((1,M),(1,N)), (1,1))", "(2*M,K*N):(1,1)"),
        ("flatten(((M,8),N):((1,M),8*M))", "(M,8,N):(1,M,8*M)"),
        ("group((M,8,N):(1,M,8*M), 0, 2)", "((M,8),N):((1,M),8*M)"),
        ("select((M,8,N):(1,M,8*M), 2, 0)", "(N,M):(8*M,1)"),
        ("get(((M,8),N):((1,M),8*M), 0, 1)", "8:M"),
        ("make_layout(M:1, N:M)", "(M,N):(1,M)"),
        ("size((M,(N,4)):(1,(M,M*N)))", "4*M*N"),
        ("cosize((M,K):(K,1))", "K*M"),
        ("cosize((M,K):(L{range=0..},1))", "L*M+K-L"),
        ("rank((M,(N,4)):(1,(M,M*N)))", "2"),
        ("depth((M,(N,4)):(1,(M,M*N)))", "2"),
        ("shape((M,8):(8,1))", "(M,8)"),
        ("stride((M,8):(8,1))", "(8,1)"),
        ("crd2idx((i,j), (M,K):(K,1))", "K*i+j"),
        ("crd2idx(i{range=0..}, (M,K):(K,1))", "floor_div(i,M)+K*mod(i,M)"),
        ("crd2idx((3,2), (M{range=1..},8))", "2*M+3"),
        ("idx2crd(i{range=0..}, (8,4,2))", "(mod(i,8),mod(floor_div(i,8),4),floor_div(i,32))"),
        ("append((M,8):(1,M), N:K)", "(M,8,N):(1,M,K)"),
        ("prepend(M:1, N:M)", "(N,M):(M,1)"),
        ("replace((M,8):(1,M), 1, N:0)", "(M,N):(1,0)"),
        ("take((M,8,N):(1,M,8*M), 1, 3)", "(8,N):(M,8*M)"),
        ("zip((M,8):(1,M), (N,2):(K,L))", "((M,N),(8,2)):((1,K),(M,L))"),
        ("unzip(((M,2),(N,4)):((1,K),(2,L)), <_, _>)", "((M,N),(2,4)):((1,2),(K,L))"),
        ("filter((M,8,N):(0,1,8))", "8*N:1"),
        ("filter_zeros((M,8):(0,1))", "(1,8):(0,1)"),
        ("make_ordered_layout((M{range=1..},8), (1,0))", "(M,8):(8,1)"),
        ("compact_row_major((M,1,8))", "(8,0,1)"),
        ("size((M,(N,4)):(1,(M,M*N)), 1, 0)", "N"),
        ("slice_and_offset((i,_), (M,K):(K,1))", "[(K):(1), K*i]"),
        ("composition((M{div=4},8):(8,1), 4:-M/4)", "4:-2*M"),
        ("slice((_,j), (M,K):(K,1))", "(M):(K)"),
        ("dice((i,_), (M,K):(K,1))", "(M):(K)"),
    ]);
}

#[test]
fn composition_answers_or_names_what_is_missing() {
    check(&[
        ("composition((M,8):(1,M), 4:2)", "4:2"),
        (
            "composition((M,8):(8,1), 4:2)",
            "error: composition((M,8):(8,1), 4:2): needs \"2 divides M\" or \"M >= 7\", neither of which is known; add the fact M{div=2} or add the fact M{range=7..}",
        ),
        (
            "composition((M{div=2},8):(8,1), 4:2)",
            "error: composition((M,8):(8,1), 4:2): needs \"M >= 8\", which is not known; add the fact M{range=8..}",
        ),
        ("composition((M{range=7..},8):(8,1), 4:2)", "4:16"),
        (
            "composition((M,N):(N,1), K:2)",
            "error: composition((M,N):(N,1), K:2): needs \"2 divides M\" or \"M-1 >= 2*K-2\", neither of which is known; add the fact M{div=2} or assume M-1 >= 2*K-2",
        ),
        ("composition((M{div=8},N):(N,1), (8,M/8):(1,8))", "(8,M/8):(N,8*N)"),
        (
            "composition((8,4):(4,1), M:K)",
            "error: composition((8,4):(4,1), M:K): needs \"K >= 1\", which is not known; add the fact K{range=1..}",
        ),
        (
            "composition((8,4):(4,1), M:K{range=1..})",
            "error: composition((8,4):(4,1), M:K): needs \"8 divides K\" or \"K*M-K <= 7\", neither of which is known; add the fact K{div=8} or assume 7 >= K*M-K",
        ),
        ("composition((8,4):(4,1), M:K{div=8 range=1..})", "M:K/8"),
        ("composition((5,6,M):(24,15,90), 3:6)", "3:39"),
        ("composition((5,6):(S,T), 3:6)", "3:S+T"),
        (
            "composition((6,2):(S,T), (3,2):(2,3))",
            "error: composition((6,2):(S,T), (3,2):(2,3)): needs \"S+T = 7*S\", which is not known; write 6*S for T",
        ),
        (
            "composition((6,2):(1,7), (3,2):(2,3))",
            "error: composition((6,2):(1,7), (3,2):(2,3)): no layout has these values: expected 8 at coordinate 5, found 7 in the only candidate",
        ),
        (
            "composition((3*M+1,8):(8,1), 4:3)",
            "error: layout((3*M+1,8):(8,1)): needs \"M >= 0\", which is not known; add the fact M{range=0..}",
        ),
        ("composition((M,8):(8,1), N:0)", "N:0"),
        (
            "composition((M,8):(8,1), N:-1)",
            "error: composition((M,8):(8,1), N:-1): needs \"M divides N\" or \"M-1 >= N-1\", neither of which is known; write N as a multiple of M or assume M-1 >= N-1",
        ),
        ("composition((M,8):(8,1), <N:1, 4:2>)", "(N,4):(8,2)"),
    ]);
}

#[test]
fn complements_divides_and_products_answer_or_name_what_is_missing() {
    check(&[
        ("complement((4,N):(M{range=1..},4*M), 12*M*N)", "(M,3):(1,4*M*N)"),
        (
            "complement(4:M, 64)",
            "error: complement(4:M, 64): needs \"M >= 1\", which is not known; add the fact M{range=1..}",
        ),
        (
            "complement((4,8):(M{range=1..},N{range=1..}), 64)",
            "error: complement((4,8):(M,N), 64): needs \"N >= 4*M\", which is not known; assume N >= 4*M",
        ),
        (
            "complement(4:2, N-1)",
            "error: complement(4:2, N-1): needs \"N >= 2\", which is not known; add the fact N{range=2..}",
        ),
        ("complement(4:1, N{range=1..})", "ceil_div(N,4):4"),
        ("complement(N:1, 64)", "floor_div(63,N)+1:N"),
        ("complement((2,2):(2*M{range=1..}+1,1), 64)", "(M,floor_div(31,2*M+1)+1):(2,4*M+2)"),
        ("logical_divide(M:1, 128:1)", "(128,ceil_div(M,128)):(1,128)"),
        ("logical_divide((M,N):(1,M), 128:1)", "(128,ceil_div(M*N,128)):(1,128)"),
        ("logical_divide((M{div=128},N):(N,1), 128:1)", "(128,(M/128,N)):(N,(128*N,1))"),
        (
            "logical_divide((M,N):(N,1), 128:1)",
            "error: logical_divide((M,N):(N,1), 128:1): needs \"M >= 128\", which is not known; add the fact M{range=128..}",
        ),
        (
            "zipped_divide((M,K{div=64}):(K,1), <128:1, 64:1>)",
            "((128,64),(ceil_div(M,128),K/64)):((K,1),(128*K,64))",
        ),
        (
            "zipped_divide((M,K):(K,1), <128:1, _>)",
            "error: unzip: expected a pair (tile, rest) wherever the tiler has a layout or `_`, found K:1 of rank 1",
        ),
        (
            "tiled_divide((M,K):(K,1), (128,64))",
            "((128,64),ceil_div(M,128),ceil_div(K,64)):((K,1),128*K,64)",
        ),
        (
            "flat_divide((M,K):(K,1), (128,64))",
            "(128,64,ceil_div(M,128),ceil_div(K,64)):(K,1,128*K,64)",
        ),
        ("logical_product((M,8):(1,M), (N,2):(2,1))", "((M,8),(N,2)):((1,M),(16*M,8*M))"),
        ("blocked_product((M,8):(1,M), (N,2):(2,1))", "((M,N),(8,2)):((1,16*M),(M,8*M))"),
        ("raked_product((M,8):(1,M), (N,2):(2,1))", "((N,M),(2,8)):((16*M,1),(8*M,M))"),
        (
            "logical_product(M:S, 4:1)",
            "error: complement(M:S, 4*M): needs \"S >= 1\", which is not known; add the fact S{range=1..}",
        ),
        (
            "tile_to_shape((8,64):(64,1), (M{div=8 range=1..},K{div=64 range=1..}))",
            "((8,M/8),(64,K/64)):((64,512),(1,64*M))",
        ),
    ]);
}

#[test]
fn inverses_and_recasts_answer_or_name_what_is_missing() {
    check(&[
        ("right_inverse((M,N):(N,1))", "(N,M):(M,1)"),
        ("right_inverse((M{range=2..},N{range=2..}):(N,1))", "(N,M):(M,1)"),
        // At values at which two modes are one, the static algebra takes another.
        (
            "right_inverse((3*N,3*K,2):(1,1,3*N))",
            "error: right_inverse((3*N,3*K,2):(1,1,3*N)): needs \"3*K != 3*N\", which is not known; \
             assume 3*K-1 >= 3*N",
        ),
        (
            "right_inverse((3*N,4,2):(4,1,K))",
            "error: right_inverse((3*N,4,2):(4,1,K)): needs \"K != 4\", which is not known; add the fact \
             K{range=5..}",
        ),
        (
            "right_inverse((M,N):(1,S))",
            "error: right_inverse((M,N):(1,S)): needs \"S != M\", which is not known; assume S-1 >= M",
        ),
        ("left_inverse((4,N{range=2..}):(2*N,1))", "(2*N,4):(4,1)"),
        (
            "left_inverse((4,N):(2*N,1))",
            "error: left_inverse((4,N):(2*N,1)): needs \"N >= 2\", which is not known; add the fact N{range=2..}",
        ),
        (
            "left_inverse((4,8):(N{range=1..},1))",
            "error: left_inverse((4,8):(N,1)): needs \"N >= 8\", which is not known; add the fact N{range=8..}",
        ),
        ("left_inverse((4,8):(N{div=8 range=1..},1))", "(N,4):(4,1)"),
        ("nullspace((M,8):(0,1))", "M:1"),
        (
            "nullspace((M,8):(S,1))",
            "error: nullspace((M,8):(S,1)): needs \"S != 0\", which is not known; add the fact S{range=1..}",
        ),
        ("upcast((M,K{div=8}):(K,1), 8)", "(M,K/8):(K/8,1)"),
        (
            "upcast((M,K):(K,1), 8)",
            "error: upcast((M,K):(K,1), 8): needs \"8 divides K\", which is not known; add the fact K{div=8}",
        ),
        ("upcast((M,8):(K{div=8},1), 8)", "(M,1):(K/8,1)"),
        (
            "downcast((M,K):(K,1), 4)",
            "error: downcast((M,K):(K,1), 4): needs \"K != 1\", which is not known; add the fact K{range=2..}",
        ),
        ("downcast((M,K{range=2..}):(K,1), 4)", "(M,4*K):(4*K,1)"),
        ("recast((M,K{div=8}):(K,1), 16, 32)", "(M,K/2):(K/2,1)"),
    ]);
}

#[test]
fn orders_and_copies_answer_or_name_what_is_missing() {
    check(&[
        ("sort((M,N{range=2..},4):(4*N,4,1))", "(4,N,M):(1,4,4*N)"),
        (
            "sort((M,N):(S,1))",
            "error: sort((M,N):(S,1)): needs \"S <= 0\" or \"S >= 2\", neither of which is known; add the fact S{range=..0} or add the fact S{range=2..}",
        ),
        ("sort((M,(2,N)):(S{range=9..},(8,1)))", "((2,N),M):((8,1),S)"),
        ("make_layout_like((M,8,N):(64,0,1))", "(M,8,N):(N,0,1)"),
        (
            "make_layout_like((M,N):(S,1))",
            "error: make_layout_like((M,N):(S,1)): needs \"S != 0\", which is not known; add the fact S{range=1..}",
        ),
        ("filter(((M,3),(2,N)):((1,0),(0,2)), (1,1))", "(M,N):(1,2)"),
        ("coshape((M,N):(N{range=0..},1))", "M*N"),
        ("max_common_vector((128,64):(LD{range=65..},1), (128,64):(64,1))", "64"),
        (
            "max_common_vector((128,64):(LD,1), (128,64):(64,1))",
            "error: max_common_vector((128,64):(LD,1), (128,64):(64,1)): needs \"LD != 64\", which is not known; add the fact LD{range=65..}",
        ),
        ("max_common_layout((128,64):(LD{range=65..},1), (128,64):(64,1))", "64:128"),
        ("max_common_vector((M,N{range=2..}):(N,1), (M,N):(N,1))", "M*N"),
        ("max_common_vector((M{range=2..},N{range=2..}):(N,1), (M,N):(1,M))", "1"),
        // At N = 6 the row continues, and so it does where a mode has one entry.
        (
            "max_common_vector((4,6):(6,1), (4,N{range=3..}):(N,1))",
            "error: max_common_vector((4,6):(6,1), (4,N):(N,1)): needs \"N >= 7\" or \"6 != min(6,N)\", neither of which is known; add the fact N{range=7..} or assume 5 >= min(6,N)",
        ),
        ("max_common_vector((4,6):(6,1), (4,N{range=7..}):(N,1))", "6"),
        (
            "max_common_vector(32:1, (4,8,N):(1,4*N,4))",
            "error: max_common_vector(32:1, (4,8,N):(1,4*N,4)): needs \"N <= 1\" or \"N >= 2\", neither of which is known; add the fact N{range=..1} or add the fact N{range=2..}",
        ),
        ("max_common_vector(32:1, (4,8,N{range=2..}):(1,4*N,4))", "4"),
        (
            "distribute((M,N):(N,1), (4,4), (4,4):(1,4))",
            "((4,4),(ceil_div(M,4),ceil_div(N,4))):((N,1),(4*N,4))",
        ),
        (
            "distribute((M,N):(N,1), (4,T), (4,T):(1,4))",
            "((4,T),(ceil_div(M,4),ceil_div(N,T))):((N,1),(4*N,T))",
        ),
        (
            "distribute((M,N):(N,1), (4,4), (4,T):(1,4))",
            "error: distribute((M,N):(N,1), (4,4), (4,T):(1,4)): needs \"T <= 4\", which is not known; add the fact T{range=..4}",
        ),
        (
            "distribute((M,N):(N,1), (4,4), 4:1)",
            "error: distribute: expected a layout (thread, value) into the 16 indices of the tile (4,4), found 4:1",
        ),
    ]);
}

#[test]
fn missing_facts_are_named() {
    check(&[
        (
            "floor_div(M,N)",
            "error: floor_div(M, N): needs \"N >= 1\", which is not known; add the fact N{range=1..}",
        ),
        (
            "M/2",
            "error: divide(M, 2): needs \"2 divides M\", which is not known; add the fact M{div=2}",
        ),
        (
            "M/N",
            "error: divide(M, N): needs \"N divides M\", which is not known; write M as a multiple of N",
        ),
        (
            "cosize((M,K):(L,1))",
            "error: cosize((M,K):(L,1)): needs \"L >= 0\", which is not known; add the fact L{range=0..}",
        ),
        (
            "(M,8+N):(1,M)",
            "error: layout((M,N+8):(1,M)): needs \"N >= -7\", which is not known; add the fact N{range=-7..}",
        ),
        (
            "(M*N,8):(1,M)",
            "error: layout((M*N,8):(1,M)): needs \"M*N >= 1\", which is not known; add the fact M{range=1..}",
        ),
        (
            "crd2idx(i, (M,8):(1,M))",
            "error: at((M,8), i): needs \"i >= 0\", which is not known; add the fact i{range=0..}",
        ),
    ]);
}

#[test]
fn what_is_no_term_is_an_error() {
    check(&[
        (
            "(M,8):(1,(M,2))",
            "error: layout: expected a stride congruent to the shape (M,8), found (1,(M,2))",
        ),
        ("(M,8):(1,_)", "error: stride: expected integers or tuples of them, found (1,_)"),
        ("M{div=0}", "error: symbol: expected a divisor of at least 1, found 0"),
        (
            "M{div=8 range=1..7}",
            "error: M: expected facts that a value can have, found no multiple of 8 in 1..7",
        ),
        ("M{foo}", "error: at byte 2: expected `i32`, `i64`, `div=`, `range=` or `}`, found `foo`"),
        ("M{div}", "error: at byte 5: expected `=`, found `}`"),
        ("M{range=1}", "error: at byte 9: expected `..`, found `}`"),
        ("o", "error: at byte 0: expected a term, an integer, a symbol, `_` or `(`, found `o`"),
        (
            "frobnicate(M)",
            "error: at byte 0: expected an operation of the algebra, found `frobnicate`",
        ),
        (
            "swizzle(M)",
            "error: at byte 0: expected an operation of the algebra, found `swizzle`; did you mean `Swizzle`?",
        ),
        (
            "complement(M)",
            "error: layout(M:1): needs \"M >= 1\", which is not known; add the fact M{range=1..}",
        ),
        (
            "crd2idx((1,2,3), (M,8):(1,M))",
            "error: coordinate: expected one that fits the shape (M,8), found (1,2,3)",
        ),
        (
            "group((M,8):(1,M), 1, 3)",
            "error: group: expected a range of modes of (M,8):(1,M), found 1 .. 3",
        ),
        (
            "get((M,8):(1,M), 2)",
            "error: get: expected a mode below the rank 2 of (M,8):(1,M), found 2",
        ),
        (
            "upcast((M,8):(1,M), 0)",
            "error: upcast((M,8):(1,M)): expected a factor of at least 1, found 0",
        ),
        (
            "upcast((M,8):(1,M), N)",
            "error: upcast((M,8):(1,M), N): needs \"N = n\" for one n, which is not known; add the fact \
             N{range=n..n}",
        ),
        ("(M,8", "error: at byte 4: expected `,` or `)`, found the end"),
        (
            "M+",
            "error: at byte 2: expected a term, an integer, a symbol, `_` or `(`, found the end",
        ),
        ("M 8", "error: at byte 2: expected the end, found `8`"),
        (
            "?01",
            "error: at byte 1: expected a number of at most 18 digits that starts with no 0, found `01`",
        ),
        (
            "99999999999999999999",
            "error: at byte 0: expected an integer of 64 bits, found one of 20 digits",
        ),
        ("S<3,4> o 0 o (M,8):(8,1)", "error: at byte 5: expected `,`, found `>`"),
        ("min(M)", "error: min: expected 2 operands, found 1"),
        (
            "coalesce(M:1, (1,1))",
            "error: coalesce: expected a profile no deeper than M, found (1,1)",
        ),
        ("complement(M:1, 2, 3)", "error: complement: expected 1 to 2 operands, found 3"),
        ("select(M:1)", "error: select: expected at least 2 operands, found 1"),
        ("(M:1)+1", "error: expression: expected an integer, found M:1"),
        ("coalesce(M:1)+1", "error: expression: expected an integer, found M:1"),
        ("(8,9)*M", "error: expression: expected an integer, found (8,9)"),
        (
            "composition((M,8):(8,1), <2:1, 4:1, 8:1>)",
            "error: composition: expected a tiler of at most 2 entries for (M,8):(8,1), found 3",
        ),
        (
            "slice((1,_,2), (M,8):(8,1))",
            "error: coordinate: expected one that fits the shape (M,8), found (1,_,2)",
        ),
        (
            "tile_to_shape((8,8):(1,8), M{range=1..})",
            "error: tile_to_shape: expected a shape of at least rank 2 for (8,8):(1,8), found M",
        ),
    ]);
}

#[test]
fn annotated_text_round_trips() {
    for text in [
        "(M,8):(1,M)",
        "(M{div=8},8):(1,M)",
        "(?,8):(1,?{div=8})",
        "(?{div=16},?{i64}):(?{i64 div=16},1)",
        "((?{range=1..4096},N{i64 div=16 range=16..1024}),4):((1,K),N)",
        "(M{div=2},4):(M/2,S{range=-5..5})",
        "(8*M,ceil_div(N{range=1..},128)):(1,8*M)",
        "(?1{div=4},?):(?1,mod(?,4))",
    ] {
        let (layout, facts) = Layout::<Expr>::parse(text).expect(text);
        assert_eq!(layout.annotated(&facts), text);
        let (again, same) = Layout::<Expr>::parse(&layout.annotated(&facts)).expect(text);
        assert_eq!((again, same), (layout, facts), "{text}");
    }
}

#[test]
fn facts_of_all_mentions_hold_together() {
    let (layout, facts) = Layout::<Expr>::parse("(M{div=4},8):(M{div=6 range=..100},M)").unwrap();
    assert_eq!(layout.annotated(&facts), "(M{div=12 range=12..96},8):(M,M)");
    let mut facts = Facts::new();
    facts.declare("M{range=10..20}").unwrap();
    assert_eq!(
        facts.declare("M{range=21..}").unwrap_err().to_string(),
        "M: expected facts that a value can have, found no multiple of 1 in 21..20",
    );
    assert_eq!(
        facts.declare("M+1").unwrap_err().to_string(),
        "at byte 1: expected the end, found `+`"
    );
    assert_eq!(
        facts.symbol("N").unwrap_err().to_string(),
        "symbol: expected a symbol of the table, found N"
    );
}

#[test]
fn relations_are_used_and_checked() {
    let mut facts = Facts::new();
    let a = Layout::<Expr>::parse_with("(M,8):(8,1)", &mut facts).unwrap();
    let b = Layout::<Expr>::parse_with("N:1", &mut facts).unwrap();
    let compose = |facts: &Facts| {
        a.composition_under(facts, &b)
            .map_or_else(|error| error.to_string(), |layout| layout.to_string())
    };
    assert_eq!(
        compose(&facts),
        "composition((M,8):(8,1), N:1): needs \"M divides N\" or \"M-1 >= N-1\", neither of which is \
         known; write N as a multiple of M or assume M-1 >= N-1",
    );
    let (m, n) = (facts.symbol("M").unwrap(), facts.symbol("N").unwrap());
    facts.assume_at_least(&m, &n).unwrap();
    assert_eq!(compose(&facts), "N:8");
    assert!(Values::new(&facts, [("M", 4), ("N", 4)]).is_ok());
    assert_eq!(
        Values::new(&facts, [("M", 4), ("N", 5)]).unwrap_err().to_string(),
        "expected M-N >= 0, found M-N = -1",
    );
    facts.learn(&Fact::Distinct(m.clone(), n.scaled(2).unwrap())).unwrap();
    assert_eq!(
        Values::new(&facts, [("M", 4), ("N", 2)]).unwrap_err().to_string(),
        "expected M-2*N != 0, found M-2*N = 0",
    );
    assert_eq!(
        facts.assume_at_least(&n.scaled(-1).unwrap(), &m).unwrap_err().to_string(),
        "assume(-N >= M): needs \"-N >= M\", which the facts rule out",
    );
}

#[test]
fn values_are_checked() {
    let (layout, facts) = Layout::<Expr>::parse("(M{div=8 range=8..64},4):(1,N)").unwrap();
    let value = |pairs: &[(&str, i64)]| {
        Values::new(&facts, pairs.iter().copied())
            .and_then(|values| layout.substitute(&values))
            .map_or_else(|error| error.to_string(), |layout| layout.to_string())
    };
    assert_eq!(value(&[("M", 16), ("N", -3)]), "(16,4):(1,-3)");
    assert_eq!(value(&[("M", 16)]), "expected a value for every symbol, found N = none");
    assert_eq!(value(&[("M", 12)]), "expected a multiple of 8 in 8..64, found M = 12");
    assert_eq!(value(&[("M", 72)]), "expected a multiple of 8 in 8..64, found M = 72");
    assert_eq!(value(&[("X", 1)]), "values: expected a symbol of the table, found X");
}

#[test]
fn overflow_and_limits_are_errors() {
    check(&[
        (
            "9223372036854775807*M+M",
            "error: add: expected results within 64 bits, found an overflow for \
             9223372036854775807*M, M",
        ),
        (
            "9223372036854775807*M*(2*N)",
            "error: multiply: expected results within 64 bits, found an overflow for \
             9223372036854775807*M, 2*N",
        ),
    ]);
    let sum = (0..200).map(|i| format!("x{i}")).collect::<Vec<_>>().join("+");
    assert_eq!(answer(&sum), "error: terms of a sum: expected at most 64, found 65");
    let product = ["M"; 20].join("*");
    assert_eq!(answer(&product), "error: power of a symbol: expected at most 16, found 17");
    let nested = (0..20).fold("M".to_owned(), |text, i| format!("floor_div(2*({text})+x{i},3)"));
    assert_eq!(
        answer(&nested),
        "error: nested divisions of an expression: expected at most 16, found 17"
    );
    let wide = (0..40).fold("1".to_owned(), |text, i| format!("{text}*(x{i}+1)"));
    assert_eq!(answer(&wide), "error: terms of a sum: expected at most 64, found 128");
    let deep = format!("{}M{}", "(".repeat(70), ")".repeat(70));
    assert_eq!(
        answer(&deep),
        "error: at byte 64: expected at most 64 levels of nesting, found one more"
    );
    let minus = format!("{}M", "-".repeat(70));
    assert_eq!(
        answer(&minus),
        "error: at byte 64: expected at most 64 levels of nesting, found one more"
    );
    let many = ["1"; 5000].join("+");
    assert_eq!(
        answer(&many),
        "error: parts of a term with symbols: expected at most 4096, found more"
    );
    let product = (0..64).map(|i| format!("x{i}")).collect::<Vec<_>>().join("*");
    let heavy = (0..10).map(|i| format!("y{i}*{product}")).collect::<Vec<_>>().join("+");
    assert_eq!(answer(&heavy), "error: weight of an expression: expected at most 512, found 528");
    let modes = |leaf: &str| vec![leaf; 33].join(",");
    assert_eq!(
        answer(&format!("crd2idx(i{{range=0..}}, ({}):({}))", modes("2"), modes("K"))),
        "error: modes of a layout with symbols: expected at most 32, found 33"
    );
    let long = " ".repeat((1 << 20) + 1);
    assert_eq!(answer(&long), "error: bytes of a term: expected at most 1048576, found 1048577");
    let (layout, facts) = Layout::<Expr>::parse("(M{i64},2):(4*M,1)").unwrap();
    let values = Values::new(&facts, [("M", i64::MAX)]).unwrap();
    assert!(matches!(layout.substitute(&values), Err(Error::Algebra(_))));
}

/// The facts that are missing are values, so that a compiler can insert checks for them.
#[test]
fn missing_facts_are_values() {
    let mut facts = Facts::new();
    let error = evaluate("upcast((M,K):(K,1), 8)", &mut facts).unwrap_err();
    let [need] = error.missing() else { panic!("{error}") };
    assert_eq!(
        (need.fact.to_string().as_str(), need.hint.as_str()),
        ("\"8 divides K\"", "add the fact K{div=8}")
    );
    // The text of the hint is enough.
    facts.declare("K{div=8}").unwrap();
    assert_eq!(
        evaluate("upcast((M,K):(K,1), 8)", &mut facts).unwrap().to_string(),
        "(M,K/8):(K/8,1)"
    );
}

/// A contradictory text states no facts, also none of the symbols before the contradiction.
#[test]
fn a_refused_text_leaves_the_facts() {
    let mut facts = Facts::new();
    evaluate("(M{div=2},8):(8,1)", &mut facts).expect("a layout");
    for text in [
        "(N{div=4}, M{range=5..4})",
        "coalesce((N{range=..3},N{range=4..}):(8,1))",
        "(M{range=..0}):1",
        "(N{div=4}",
    ] {
        let before: Vec<String> = facts.symbols().map(ToString::to_string).collect();
        evaluate(text, &mut facts).expect_err("refused");
        let after: Vec<String> = facts.symbols().map(ToString::to_string).collect();
        assert_eq!(after, before, "{text}");
    }
    assert_eq!(evaluate("size((M,8):(8,1))", &mut facts).expect("a size").to_string(), "8*M");
}
