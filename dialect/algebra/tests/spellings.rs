//! CuTe's own spellings, read by the grammar of terms, and by that of terms with symbols alike: each
//! beside the term that it is.

use layout_algebra::{Facts, Term, evaluate};

/// A spelling of CuTe, and the value that it has.
const SPELLINGS: &[(&str, &str)] = &[
    // The texts that CuTe prints.
    ("Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", "S<3,4,3> o 0 o (8,64):(64,1)"),
    ("Swizzle<3,4,3>", "S<3,4,3>"),
    ("(_4,(_2,_-3)):(_1,(_4,_8))", "error: expected extents of at least 1, found -3 in (4,(2,-3))"),
    ("(_4,_8):(_1,_-4)", "(4,8):(1,-4)"),
    ("(_4,_2):(_1@0,_1@1)", "(4,2):(1@0,1@1)"),
    ("(_,_2)", "(_,2)"),
    // A layout called at a coordinate.
    ("(4,8):(8,1)(1,2)", "10"),
    ("(4,8):(8,1)((1,2))", "10"),
    ("(4,8):(8,1)(9)", "10"),
    ("(4,8):(8,1)(_,2)", "(4):(8)"),
    ("(4,(2,4)):(2,(1,8))(3,(_,1))", "(2):(1)"),
    ("(4,8):(8,1)(_)", "(4,8):(8,1)"),
    ("Sw<1,0,1> o 0 o (4,4):(4,1)(2,3)", "10"),
    ("S<1,0,1>(2)", "3"),
    ("composition((6,2):(8,2), (4,3):(3,1))(1)", "24"),
    ("(4,2):(1@0,1@1)(3,1)", "(3,1)"),
    ("make_layout(4:1, 2:4)(_,1)", "(4):(1)"),
    ("logical_divide((8,8):(8,1), <2, 4>)((_,_),(_,1))(1,3,2)", "58"),
    // Modes in angle brackets.
    ("size<0>((4,8):(8,1))", "4"),
    ("size<1,0>((4,(2,4)):(2,(1,8)))", "2"),
    ("get<1>((4,(2,4)):(2,(1,8)))", "(2,4):(1,8)"),
    ("get<1,1>((4,(2,4)):(2,(1,8)))", "4:8"),
    ("rank<1>((4,(2,4)):(2,(1,8)))", "2"),
    ("depth<1>((4,(2,4)):(2,(1,8)))", "1"),
    ("cosize<0>((4,8):(8,1))", "25"),
    ("shape<1>((4,(2,4)):(2,(1,8)))", "(2,4)"),
    ("stride<1>((4,(2,4)):(2,(1,8)))", "(1,8)"),
    ("stride<_1,_1>((4,(2,4)):(2,(1,8)))", "8"),
    ("select<1,0>((4,8):(8,1))", "(8,4):(1,8)"),
    ("take<1,3>((2,3,4):(1,2,6))", "(3,4):(2,6)"),
    ("group<0,2>((2,3,4):(1,2,6))", "((2,3),4):((1,2),6)"),
    ("group_modes<0,2>((2,3,4):(1,2,6))", "((2,3),4):((1,2),6)"),
    ("group_modes((2,3,4):(1,2,6), 0, 2)", "((2,3),4):((1,2),6)"),
    ("replace<1>((2,3):(1,2), 4:6)", "(2,4):(1,6)"),
    ("upcast<2>((4,8):(8,1))", "(4,4):(4,1)"),
    ("recast_layout<8,16>((4,8):(8,1))", "(4,16):(16,1)"),
    // Entries of tuples.
    ("get<1>((4,(2,4)))", "(2,4)"),
    ("get<1,0>(shape((4,(2,4)):(2,(1,8))))", "2"),
    ("select<2,0>((4,5,6))", "(6,4)"),
    ("take<1,3>((4,5,6))", "(5,6)"),
    ("group<0,2>((4,5,6))", "((4,5),6)"),
    ("flatten((4,(2,(4,8))))", "(4,2,4,8)"),
    ("append((4,5), 6)", "(4,5,6)"),
    ("prepend((4,5), (6,7))", "((6,7),4,5)"),
    ("replace((4,5), 1, (6,7))", "(4,(6,7))"),
    ("size<1>((4,(2,3)))", "6"),
    // `slice_` of pycute has these values too.
    ("slice((_,1), (4,8))", "(4)"),
    ("slice((1,_), (4,(2,3)))", "((2,3))"),
    ("slice((_,(1,_)), (4,(2,3)))", "(4,3)"),
    ("slice((1,2), (4,8))", "()"),
    ("slice(_, (4,8))", "(4,8)"),
    ("dice((_,1), (4,8))", "(8)"),
    ("dice(_, (4,8))", "()"),
    ("dice(1, (4,8))", "(4,8)"),
    // A tuple without entries.
    ("()", "()"),
    ("( )", "()"),
    ("rank(())", "0"),
    ("size(())", "1"),
    ("flatten(((),(2,())))", "(2)"),
    ("congruent((), ())", "true"),
    ("append((), 4)", "(4)"),
    // Operands that CuTe may leave out.
    ("compact_col_major((4,(1,3)), 2)", "(2,(0,8))"),
    ("compact_row_major((4,(1,3)), 2)", "(6,(0,2))"),
    ("compact_col_major((4,(2,3)), (1,5))", "(1,(5,10))"),
    ("idx2crd(13, (4,(2,4)), (8,(1,2)))", "(1,(1,2))"),
    ("idx2crd((3,5), (4,(2,4)), (1,(1,2)))", "(3,(1,2))"),
    ("idx2crd(5, (4,2), 1)", "(1,1)"),
    ("idx2crd(3, (1,4), (0,1))", "(0,3)"),
    ("evenly_divides((8,(3,6)), (4,(3,2)))", "true"),
    ("evenly_divides(8, (2,2))", "false"),
    ("evenly_divides((8,12), <4:2, (2,3):(1,4)>)", "true"),
    ("evenly_divides((8,12), <4:3, _>)", "false"),
    ("evenly_divides((8,12), (_,5))", "false"),
    ("evenly_divides((8,12), 4:2)", "true"),
];

#[test]
fn spellings_of_cute_are_read() {
    for (text, wanted) in SPELLINGS {
        let found = Term::parse(text).and_then(|term| term.eval());
        let found = found.map_or_else(|e| format!("error: {e}"), |value| value.to_string());
        assert_eq!(&found, wanted, "{text}");
    }
}

/// Without symbols there is no other answer, but for the words of some errors.
#[test]
fn spellings_of_cute_are_read_beside_symbols() {
    for (text, wanted) in SPELLINGS.iter().filter(|(_, wanted)| !wanted.starts_with("error")) {
        let found = evaluate(text, &mut Facts::new());
        let found = found.map_or_else(|e| format!("error: {e}"), |value| value.to_string());
        assert_eq!(&found, wanted, "{text}");
    }
}

#[test]
fn spellings_of_cute_are_read_with_symbols() {
    let cases = [
        ("Sw<3,4,3> o _0 o (M,_64):(_64,_1)", "S<3,4,3> o 0 o (M,64):(64,1)"),
        ("(M,K):(K,1)(i,j)", "K*i+j"),
        ("(M,K):(K,_1)(_,2)", "(M):(K)"),
        ("(M,(N,2)):(1@0,(1@1,N@1))(_,(j{range=0..},1))", "(M):(1@0)"),
        ("size<0>((M,8):(8,1))", "M"),
        ("get<1>((M,(N,4)):(1,(M,M*N)))", "(N,4):(M,M*N)"),
        ("get<1>((M,N))", "N"),
        ("stride<1,0>((M,(N,4)):(1,(M,M*N)))", "M"),
        ("group_modes<0,2>((M,N,4):(1,M,M*N))", "((M,N),4):((1,M),M*N)"),
        ("slice((_,i), (M,N))", "(M)"),
        ("dice((_,i), (M,N))", "(N)"),
        ("flatten((M,(N,4)))", "(M,N,4)"),
        ("compact_col_major((M,4), s)", "(s,M*s)"),
        (
            "idx2crd(i{range=0..}, (M{range=1..},8), (1,M))",
            "(mod(i,M),floor_div(i,M)-8*floor_div(i,8*M))",
        ),
        ("evenly_divides((M{div=8 range=8..},12), <4:1, 3:4>)", "true"),
        (
            "compositon((M,8):(8,1), 4:1)",
            "error: at byte 0: expected an operation of the algebra, found `compositon`; did you mean `composition`?",
        ),
        ("_8*M", "8*M"),
    ];
    for (text, wanted) in cases {
        let found = evaluate(text, &mut Facts::new());
        let found = found.map_or_else(|e| format!("error: {e}"), |value| value.to_string());
        assert_eq!(found, wanted, "{text}");
    }
}
