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
    // Types are the old one and the new one, where the operands have the new width first as in the DSL.
    ("recast_layout<half_t, uint32_t>((4,8):(8,1))", "(4,4):(4,1)"),
    ("recast_layout<cute::half_t,cute::uint8_t>((4,8):(8,1))", "(4,16):(16,1)"),
    ("recast_layout<uint32_t, half_t>((4,8):(8,1))", "(4,16):(16,1)"),
    ("layout<1>((4,(2,4)):(2,(1,8)))", "(2,4):(1,8)"),
    ("layout<1,0>((4,(2,4)):(2,(1,8)))", "2:1"),
    ("coshape<1>((8,8):(24,3))", "22"),
    // A range of no modes.
    ("group<1,1>((4,8):(8,1))", "(4,8):(8,1)"),
    ("group((4,8):(8,1), 2, 2)", "(4,8):(8,1)"),
    ("group<1,1>((4,8))", "(4,8)"),
    // In a profile only the nesting counts.
    ("coalesce((4,8):(1,4), (1,_))", "(4,8):(1,4)"),
    ("coalesce((4,(2,3)):(1,(4,8)), (1,_))", "(4,6):(1,4)"),
    ("filter((4,(2,3)):(1,(0,8)), (_,_))", "(4,3):(1,8)"),
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
    ("zip((1,2), (3,(4,_)))", "((1,3),(2,(4,_)))"),
    (
        "zip((1,2), (3,4,5))",
        "error: zip: expected a tuple of the same rank as (1,2), found (3,4,5)",
    ),
    ("append((4,5), 6:1)", "error: append: expected an integer or a tuple as operand 2, found 6:1"),
    ("select((_,1,2), 2, 0)", "(2,_)"),
    ("get(<4:1, (2,2):(1,8)>, 1)", "(2,2):(1,8)"),
    ("take(<4, _, 8>, 1, 3)", "<_, 8:1>"),
    ("get((1@0,2@1), 1)", "2@1"),
    // Layouts in parentheses.
    ("((4,4):(1,4))(1,2)", "9"),
    ("((4,4):(1,4))(_,2)", "(4):(1)"),
    ("(((4,4):(1,4)))(1,2)", "9"),
    ("(S<1,0,1> o 0 o (4,4):(4,1))(2,3)", "10"),
    ("(coalesce((2,2):(1,2)))(3)", "3"),
    ("((4,4):(1,4))", "(4,4):(1,4)"),
    ("((4,2):(1@0,1@1))(3,1)", "(3,1)"),
    // Types.
    ("Int<4>{}", "4"),
    ("C<4>", "4"),
    ("_4{}", "4"),
    ("Shape<_4,Shape<_2,_4>>", "(4,(2,4))"),
    ("Stride<>", "()"),
    ("Layout<Shape<_4,_8>,Stride<_1,_4>>", "(4,8):(1,4)"),
    ("Layout<Shape<_4,Shape<_1,_4>>>{}", "(4,(1,4)):(1,(0,4))"),
    ("Layout<_4>", "4:1"),
    ("Layout<_1>", "1:0"),
    ("Layout<_4,_2>{}(3)", "6"),
    (
        "cute::Layout<cute::tuple<cute::C<4>, cute::C<8>>, cute::tuple<cute::C<1>, cute::C<4>>>",
        "(4,8):(1,4)",
    ),
    ("Tile<_4,Layout<_8,_2>,Underscore>", "<4:1, 8:2, _>"),
    (
        "ComposedLayout<Swizzle<3,4,3>,_0,Layout<Shape<_8,_64>,Stride<_64,_1>>>",
        "S<3,4,3> o 0 o (8,64):(64,1)",
    ),
    ("E<0>{}", "1@0"),
    ("E<0,1>{}", "1@1@0"),
    ("ScaledBasis<_4,1>{}", "4@1"),
    ("(4,2):(Int<4>{}*E<0>{},E<1>{})", "(4,2):(4@0,1@1)"),
    // The functions that make layouts and tuples.
    ("make_shape(4, make_shape(_2{}, 4))", "(4,(2,4))"),
    ("make_shape(4)", "(4)"),
    ("make_coord(1, _)", "(1,_)"),
    ("make_tile(_4{}, Layout<_8,_2>{})", "<4:1, 8:2>"),
    ("make_layout(4)", "4:1"),
    ("make_layout(1)", "1:0"),
    ("make_layout(4, 2)", "4:2"),
    ("make_layout(4, 8:4)", "(4,8):(1,4)"),
    ("make_layout(make_shape(Int<4>{}, 8), make_stride(Int<8>{}, Int<1>{}))", "(4,8):(8,1)"),
    ("make_layout(make_shape(4, 2), make_stride(E<0>{}, E<1>{}))", "(4,2):(1@0,1@1)"),
    ("make_layout((4,8), LayoutLeft{})", "(4,8):(1,4)"),
    ("make_layout((4,8), LayoutRight{})", "(4,8):(8,1)"),
    ("make_layout(Shape<_4,_8>{}, GenRowMajor{})", "(4,8):(8,1)"),
    ("make_ordered_layout((4,8), LayoutRight{})", "(4,8):(8,1)"),
    ("tile_to_shape((4,4):(1,4), (8,8), Step<_2,_1>{})", "((4,2),(4,2)):((1,32),(4,16))"),
    ("tile_to_shape((4,4):(1,4), (8,8), LayoutRight{})", "((4,2),(4,2)):((1,32),(4,16))"),
    ("composition(Swizzle<3,4,3>{}, Int<0>{}, (8,64):(64,1))", "S<3,4,3> o 0 o (8,64):(64,1)"),
    ("composition((4,8):(8,1), 3, 8:1)", "(4,8):(8,1) o 3 o 8:1"),
    ("make_composed_layout((4,8):(8,1), (1,2), (2,3):(1@0,1@1))", "S<0,0,0> o 10 o (2,3):(8,1)"),
    // Names that are nearly right.
    (
        "Swizle<3,4,3>",
        "error: at byte 0: expected an operation of the algebra, found `Swizle`; did you mean `Swizzle`?",
    ),
    (
        "make_shap(4,8)",
        "error: at byte 0: expected an operation of the algebra, found `make_shap`; did you mean `make_shape`?",
    ),
    ("Int<4,5>", "error: at byte 0: expected one integer, found 2"),
    ("Layout<>", "error: at byte 0: expected a shape and a stride, found 0"),
    ("size(LayoutRight{})", "error: at byte 19: expected an order of numbers, found the end"),
    // A block that does not divide a shape is repeated past its end.
    ("tile_to_shape((4,4):(1,4), (6,9))", "((4,2),(4,3)):((1,16),(4,32))"),
    ("tile_to_shape((4,4):(1,4), (6,9), (1,0))", "((4,2),(4,3)):((1,48),(4,16))"),
    (
        "tile_to_shape(S<1,0,1> o 0 o (4,4):(1,4), (6,8))",
        "S<1,0,1> o 0 o ((4,2),(4,2)):((1,16),(4,32))",
    ),
    (
        "tile_to_shape((4,(1,8),(3,2)):(48,(48,6),(2,1)), (4,41,24,4))",
        "((4,1),((1,8),6),((3,2),4),(1,4)):((48,0),((48,6),192),((2,1),1152),(0,4608))",
    ),
    (
        "tile_to_shape((4,3,(1,1,6)):(1,4,(12,12,12)), (8,3,13), (2,0,1))",
        "((4,2),(3,1),((1,1,6),3)):((1,216),(4,0),((12,12,12),72))",
    ),
];

#[test]
fn spellings_of_cute_are_read() {
    for (text, expected) in SPELLINGS {
        let found = Term::parse(text).and_then(|term| term.eval());
        let found = found.map_or_else(|e| format!("error: {e}"), |value| value.to_string());
        assert_eq!(&found, expected, "{text}");
    }
}

/// Without symbols there is no other answer, but for the words of some errors.
#[test]
fn names_of_symbols_are_read_with_spellings_of_cute() {
    for (text, expected) in SPELLINGS.iter().filter(|(_, expected)| !expected.starts_with("error"))
    {
        let found = evaluate(text, &mut Facts::new());
        let found = found.map_or_else(|e| format!("error: {e}"), |value| value.to_string());
        assert_eq!(&found, expected, "{text}");
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
        ("((M,K):(K,1))(i,j)", "K*i+j"),
        ("(coalesce((M,8):(1,M)))(i)", "i"),
        ("(size((M,8):(1,M)))", "(8*M)"),
        ("make_layout(make_shape(M, Int<8>{}), LayoutRight{})", "(M,8):(8,1)"),
        ("make_layout(make_shape(M, 8), make_stride(E<0>{}, 4*E<1>{}))", "(M,8):(1@0,4@1)"),
        ("make_layout((M,8), make_stride(N*E<0>{}, E<1>{}))", "(M,8):(N@0,1@1)"),
        ("Layout<Shape<M,_8>>", "(M,8):(1,M)"),
        ("make_layout(M)", "M:1"),
        ("composition(S<3,3,3>, 0, (M,64):(64,1))", "S<3,3,3> o 0 o (M,64):(64,1)"),
        (
            "make_composed_layout(S<3,3,3>, i, coalesce((M,64):(64,1)))",
            "S<3,3,3> o i o (M,64):(64,1)",
        ),
        (
            "tile_to_shape((8,64):(64,1), (M,N), (1,0))",
            "((8,ceil_div(M,8)),(64,ceil_div(N,64))):((64,512*ceil_div(N,64)),(1,512))",
        ),
        (
            "tile_to_shape(S<3,3,3> o 0 o (8,64):(64,1), (M{div=8},100))",
            "S<3,3,3> o 0 o ((8,M/8),(64,2)):((64,512),(1,64*M))",
        ),
    ];
    for (text, expected) in cases {
        let found = evaluate(text, &mut Facts::new());
        let found = found.map_or_else(|e| format!("error: {e}"), |value| value.to_string());
        assert_eq!(found, expected, "{text}");
    }
}
