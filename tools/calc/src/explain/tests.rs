//! The text of explanations, and that every operation has one.

use expect_test::{Expect, expect};
use layout_algebra::{Error, Layout, Op, Term, Tuple, Value};
use layout_random::Numbers;

use super::{call, definition, explain, trace};
use crate::{paint::Paint, session::Session};

fn check(line: &str, expected: Expect) {
    let answer = Session::default().answer(line);
    expected.assert_eq(&explain(&answer, Paint::Plain));
}

#[test]
fn a_divide_is_reported_by_its_definition() {
    check(
        "logical_divide((4,2,3):(2,1,8), 4:2)",
        expect![[r#"
        logical_divide((4,2,3):(2,1,8), 4:2)
        1. logical_divide((4,2,3):(2,1,8), 4:2) = ((2,2),(2,3)):((4,1),(2,8))
          logical_divide(A, B) = composition(A, make_layout(B, complement(B, size(A))))
            size((4,2,3):(2,1,8)) = 24
            complement(4:2, 24) = (2,3):(1,8)
            make_layout(4:2, (2,3):(1,8)) = (4,(2,3)):(2,(1,8))
            composition((4,2,3):(2,1,8), (4,(2,3)):(2,(1,8))) = ((2,2),(2,3)):((4,1),(2,8))
        = ((2,2),(2,3)):((4,1),(2,8))
    "#]],
    );
    check(
        "zipped_divide((8,8):(8,1), <4:1, 2:1>)",
        expect![[r#"
        zipped_divide((8,8):(8,1), <4:1, 2:1>)
        1. zipped_divide((8,8):(8,1), <4:1, 2:1>) = ((4,2),(2,4)):((8,1),(32,2))
          zipped_divide(A, B) = unzip(logical_divide(A, B), B)
            logical_divide((8,8):(8,1), <4:1, 2:1>) = ((4,2),(2,4)):((8,32),(1,2))
              logical_divide(A, <B0, B1>) = make_layout(logical_divide(A0, B0), logical_divide(A1, B1)), mode by mode
                logical_divide(8:8, 4:1) = (4,2):(8,32)
                logical_divide(8:1, 2:1) = (2,4):(1,2)
                make_layout((4,2):(8,32), (2,4):(1,2)) = ((4,2),(2,4)):((8,32),(1,2))
            unzip(((4,2),(2,4)):((8,32),(1,2)), <4:1, 2:1>) = ((4,2),(2,4)):((8,1),(32,2))
        = ((4,2),(2,4)):((8,1),(32,2))
    "#]],
    );
    check(
        "flat_divide((8,8):(8,1), (4,2))",
        expect![[r#"
        flat_divide((8,8):(8,1), (4,2))
        1. flat_divide((8,8):(8,1), (4,2)) = (4,2,2,4):(8,1,32,2)
          flat_divide(A, B) = zipped_divide(A, B) with both modes opened
            Z = zipped_divide((8,8):(8,1), (4,2)) = ((4,2),(2,4)):((8,1),(32,2))
              zipped_divide(A, B) = unzip(logical_divide(A, B), B)
                logical_divide((8,8):(8,1), (4,2)) = ((4,2),(2,4)):((8,32),(1,2))
                unzip(((4,2),(2,4)):((8,32),(1,2)), (4,2)) = ((4,2),(2,4)):((8,1),(32,2))
            make_layout(4:8, 2:1, 2:32, 4:2) = (4,2,2,4):(8,1,32,2)
        = (4,2,2,4):(8,1,32,2)
    "#]],
    );
    check(
        "logical_divide((5,2):(2,40), 2:1)",
        expect![[r#"
            logical_divide((5,2):(2,40), 2:1)
            1. logical_divide((5,2):(2,40), 2:1) = (2,(3,2)):(2,(4,40))
              logical_divide: as composition(A, make_layout(B, complement(B, size(A)))), but padded to whole tiles
              inside of A only where (2,(3,2)):(1,(2,0)) < 5
              outside: the indices 5 + 2:6
            = (2,(3,2)):(2,(4,40))
        "#]],
    );
}

#[test]
fn a_product_is_reported_by_its_definition() {
    check(
        "logical_product((2,2):(4,1), 6:1)",
        expect![[r#"
        logical_product((2,2):(4,1), 6:1)
        1. logical_product((2,2):(4,1), 6:1) = ((2,2),(2,3)):((4,1),(2,8))
          logical_product(A, B) = make_layout(A, composition(complement(A, N), B)), N = size(A) * cosize(B)
            N = 24
            complement((2,2):(4,1), 24) = (2,3):(2,8)
            composition((2,3):(2,8), 6:1) = (2,3):(2,8)
            make_layout((2,2):(4,1), (2,3):(2,8)) = ((2,2),(2,3)):((4,1),(2,8))
        = ((2,2),(2,3)):((4,1),(2,8))
    "#]],
    );
    check(
        "raked_product((2,5):(5,1), (3,4):(1,3))",
        expect![[r#"
        raked_product((2,5):(5,1), (3,4):(1,3))
        1. raked_product((2,5):(5,1), (3,4):(1,3)) = ((3,2),(4,5)):((10,5),(30,1))
          raked_product(A, B): each mode is B's and A's in P = logical_product(A, B)
            P = logical_product((2,5):(5,1), (3,4):(1,3)) = ((2,5),(3,4)):((5,1),(10,30))
              logical_product(A, B) = make_layout(A, composition(complement(A, N), B)), N = size(A) * cosize(B)
                N = 120
                complement((2,5):(5,1), 120) = 12:10
                composition(12:10, (3,4):(1,3)) = (3,4):(10,30)
                make_layout((2,5):(5,1), (3,4):(10,30)) = ((2,5),(3,4)):((5,1),(10,30))
            make_layout(3:10, 2:5) = (3,2):(10,5)
            make_layout(4:30, 5:1) = (4,5):(30,1)
            make_layout((3,2):(10,5), (4,5):(30,1)) = ((3,2),(4,5)):((10,5),(30,1))
        = ((3,2),(4,5)):((10,5),(30,1))
    "#]],
    );
    check(
        "tile_to_shape((2,2):(1,2), (6,8))",
        expect![[r#"
        tile_to_shape((2,2):(1,2), (6,8))
        1. tile_to_shape((2,2):(1,2), (6,8)) = ((2,3),(2,4)):((1,4),(2,12))
          tile_to_shape(A, B, C) = blocked_product(A, make_ordered_layout(ceil_div(B, shape(A)), C))
            shape((2,2):(1,2)) = (2,2)
            ceil_div((6,8), (2,2)) = (3,4)
            make_ordered_layout((3,4), (0,1)) = (3,4):(1,3)
            blocked_product((2,2):(1,2), (3,4):(1,3)) = ((2,3),(2,4)):((1,4),(2,12))
              blocked_product(A, B): each mode is A's and B's in P = logical_product(A, B)
                P = logical_product((2,2):(1,2), (3,4):(1,3)) = ((2,2),(3,4)):((1,2),(4,12))
                make_layout(2:1, 3:4) = (2,3):(1,4)
                make_layout(2:2, 4:12) = (2,4):(2,12)
                make_layout((2,3):(1,4), (2,4):(2,12)) = ((2,3),(2,4)):((1,4),(2,12))
        = ((2,3),(2,4)):((1,4),(2,12))
    "#]],
    );
}

#[test]
fn a_composition_is_reported_by_its_values() {
    check(
        "composition((6,2):(8,2), (4,3):(3,1))",
        expect![[r#"
        composition((6,2):(8,2), (4,3):(3,1))
        1. composition((6,2):(8,2), (4,3):(3,1)) = ((2,2),3):((24,2),8)
          composition: R(c) = A(B(c)), and R has the shape of B refined
            A o 4:3 = (2,2):(24,2)
            A o 3:1 = 3:8
            c        0   1  2   3  4   5   6   7   8   9  10  11  ...
            B(c)     0   3  6   9  1   4   7  10   2   5   8  11  ...
            A(B(c))  0  24  2  26  8  32  10  34  16  40  18  42  ...
        = ((2,2),3):((24,2),8)
    "#]],
    );
    check(
        "composition((4,8):(8,1), <2:1, _>)",
        expect![[r#"
        composition((4,8):(8,1), <2:1, _>)
        1. composition((4,8):(8,1), <2:1, _>) = (2,8):(8,1)
          composition(A, <B0, B1>) = make_layout(composition(A0, B0), A1), mode by mode
            composition(4:8, 2:1) = 2:8
            make_layout(2:8, 8:1) = (2,8):(8,1)
        = (2,8):(8,1)
    "#]],
    );
    check(
        "composition(S<2,0,2> o 0 o (4,4):(1,4), 4:2)",
        expect![[r#"
        composition(S<2,0,2> o 0 o (4,4):(1,4), 4:2)
        1. composition(S<2,0,2> o 0 o (4,4):(1,4), 4:2) = S<2,0,2> o 0 o 4:2
          composition: R(c) = A(B(c)), and R has the shape of B refined
            (outer o offset o L) o B = outer o offset o (L o B)
        = S<2,0,2> o 0 o 4:2
    "#]],
    );
}

#[test]
fn what_has_no_definition_is_traced() {
    check(
        "complement((2,2):(1,6), 24)",
        expect![[r#"
        complement((2,2):(1,6), 24)
        1. complement((2,2):(1,6), 24) = (3,2):(2,12)
          complement: (L, R) reaches no offset twice, and all below n where L's modes leave whole gaps
            L sorted by stride, without modes of stride 0: 2:1, 2:6
            2:1 leaves no gap below it; it ends at 2*1 = 2
            2:6 leaves a gap below it that 3:2 fills; it ends at 2*6 = 12
            up to 24: 2:12, as ceil_div(24, 12) = 2
            coalesced: (3,2):(2,12)
        = (3,2):(2,12)
    "#]],
    );
    check(
        "coalesce((2,(1,6)):(1,(6,2)))",
        expect![[r#"
        coalesce((2,(1,6)):(1,(6,2)))
        1. coalesce((2,(1,6)):(1,(6,2))) = 12:1
          coalesce: n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go
            1:6 goes: its extent is 1
            2:1 and 6:2 are 12:1: 2*1 = 2
        = 12:1
    "#]],
    );
    check(
        "left_inverse((4,8):(8,1))",
        expect![[r#"
            left_inverse((4,8):(8,1))
            1. left_inverse((4,8):(8,1)) = (8,4):(4,1)
              left_inverse: R(L(i)) = i for each i below size(L) that is 0 in modes of stride 0
                i        0  1   2   3  4  5   6   7  8   9  10  11  ...
                L(i)     0  8  16  24  1  9  17  25  2  10  18  26  ...
                R(L(i))  0  1   2   3  4  5   6   7  8   9  10  11  ...
            by rules alone, without evaluation:
              left_inverse((4,8):(8,1))
              = right_inverse((4,8):(8,1))
                by left-inverse-is-right-inverse: a is bijective onto [0, size a), and both inverses are one, a = (4,8):(8,1) (checked at all 1 point; proved by structure)
            = (8,4):(4,1)
        "#]],
    );
    check(
        "right_inverse((2,2):(1,8))",
        expect![[r#"
        right_inverse((2,2):(1,8))
        1. right_inverse((2,2):(1,8)) = 2:1
          right_inverse: L(R(i)) = i for each i below size(R)
            i        0  1
            R(i)     0  1
            L(R(i))  0  1
        = 2:1
    "#]],
    );
    check(
        "cosize((4,(2,4)):(2,(1,8)))",
        expect![[r#"
        cosize((4,(2,4)):(2,(1,8)))
        1. cosize((4,(2,4)):(2,(1,8))) = 32
          cosize: 1 + the sum of (extent-1) * |stride|
            1 + (4-1)*2 + (2-1)*1 + (4-1)*8 = 32
        = 32
    "#]],
    );
    check(
        "crd2idx((1,6), (4,(2,4)):(2,(1,8)))",
        expect![[r#"
            crd2idx((1,6), (4,(2,4)):(2,(1,8)))
            1. crd2idx((1,6), (4,(2,4)):(2,(1,8))) = 26
              crd2idx: the sum of coordinate * stride
                1*2 + 0*1 + 3*8 = 26
            = 26
        "#]],
    );
    check(
        "crd2idx((1,(0,3)), (4,(2,4)):(2,(1,8)))",
        expect![[r#"
        crd2idx((1,(0,3)), (4,(2,4)):(2,(1,8)))
        1. crd2idx((1,(0,3)), (4,(2,4)):(2,(1,8))) = 26
          crd2idx: the sum of coordinate * stride
            1*2 + 0*1 + 3*8 = 26
        = 26
    "#]],
    );
}

#[test]
fn what_is_padded_reports_where_it_is_outside() {
    check(
        "zipped_divide((10,7):(7,1), <4:1, 7:1>)",
        expect![[r#"
        zipped_divide((10,7):(7,1), <4:1, 7:1>)
        1. zipped_divide((10,7):(7,1), <4:1, 7:1>) = ((4,7),(3,1)):((7,1),(28,0))
          zipped_divide(A, B) = unzip(logical_divide(A, B), B)
            logical_divide((10,7):(7,1), <4:1, 7:1>) = ((4,3),(7,1)):((7,28),(1,0))
              logical_divide(A, <B0, B1>) = make_layout(logical_divide(A0, B0), logical_divide(A1, B1)), mode by mode
                logical_divide(10:7, 4:1) = (4,3):(7,28)
                logical_divide(7:1, 7:1) = (7,1):(1,0)
                make_layout((4,3):(7,28), (7,1):(1,0)) = ((4,3),(7,1)):((7,28),(1,0))
            unzip(((4,3),(7,1)):((7,28),(1,0)), <4:1, 7:1>) = ((4,7),(3,1)):((7,1),(28,0))
          inside of A only where ((4,7),(3,1)):((1,0),(4,0)) < 10
          outside: the indices 58 + (2,7):(1,4)
        = ((4,7),(3,1)):((7,1),(28,0))
    "#]],
    );
    check(
        "flat_divide((10,7):(7,1), (4,4))",
        expect![[r#"
        flat_divide((10,7):(7,1), (4,4))
        1. flat_divide((10,7):(7,1), (4,4)) = (4,4,3,2):(7,1,28,4)
          flat_divide(A, B) = zipped_divide(A, B) with both modes opened
            Z = zipped_divide((10,7):(7,1), (4,4)) = ((4,4),(3,2)):((7,1),(28,4))
              zipped_divide(A, B) = unzip(logical_divide(A, B), B)
                logical_divide((10,7):(7,1), (4,4)) = ((4,3),(4,2)):((7,28),(1,4))
                unzip(((4,3),(4,2)):((7,28),(1,4)), (4,4)) = ((4,4),(3,2)):((7,1),(28,4))
            make_layout(4:7, 4:1, 3:28, 2:4) = (4,4,3,2):(7,1,28,4)
          inside of A only where (4,4,3,2):(1,0,4,0) < 10 and (4,4,3,2):(0,1,0,4) < 7
          outside: 26 coordinates, which are no layout
        = (4,4,3,2):(7,1,28,4)
    "#]],
    );
    check(
        "composition((2,1):(1,80), (2,2):(2,1))",
        expect![[r#"
        composition((2,1):(1,80), (2,2):(2,1))
        1. composition((2,1):(1,80), (2,2):(2,1)) = (2,2):(80,1)
          composition: R(c) = A(B(c)), and R has the shape of B refined
            A o 2:2 = 2:80
            A o 2:1 = 2:1
            c        0   1  2   3
            B(c)     0   2  1   3
            A(B(c))  0  80  1  81
          inside of A only where (2,2):(2,1) < 2
          outside: the indices 1 + 2:2
        = (2,2):(80,1)
    "#]],
    );
}

#[test]
fn slices_and_recasts_are_traced() {
    check(
        "slice((1,_), (4,8):(8,1))",
        expect![[r#"
            slice((1,_), (4,8):(8,1))
            1. slice((1,_), (4,8):(8,1)) = (8):(1)
              slice: fixed modes are removed; a composed layout keeps the part of their offset that it needs inside, and slice_and_offset returns the rest
                the numbers in (1,_) lead to offset 8
            = (8):(1)
        "#]],
    );
    check(
        "recast((8,4):(1,8), 16, 8)",
        expect![[r#"
        recast((8,4):(1,8), 16, 8)
        1. recast((8,4):(1,8), 16, 8) = (16,4):(1,16)
          recast(A, 16, 8) = downcast(A, 2), as 16/8 is 2/1
            downcast((8,4):(1,8), 2) = (16,4):(1,16)
        = (16,4):(1,16)
    "#]],
    );
    check(
        "recast((8,4):(1,8), 6, 4)",
        expect![[r#"
        recast((8,4):(1,8), 6, 4)
        1. recast((8,4):(1,8), 6, 4) = (12,4):(1,12)
          recast(A, 6, 4) = upcast(downcast(A, 3), 2), as 6/4 is 3/2
            downcast((8,4):(1,8), 3) = (24,4):(1,24)
            upcast((24,4):(1,24), 2) = (12,4):(1,12)
        = (12,4):(1,12)
    "#]],
    );
    check(
        "nullspace((2,3,4):(0,1,0))",
        expect![[r#"
        nullspace((2,3,4):(0,1,0))
        1. nullspace((2,3,4):(0,1,0)) = (2,4):(1,6)
          nullspace: L(R(i)) = 0, and R goes through the modes of stride 0
            i        0  1  2  3   4   5   6   7
            R(i)     0  1  6  7  12  13  18  19
            L(R(i))  0  0  0  0   0   0   0   0
        = (2,4):(1,6)
    "#]],
    );
}

#[test]
fn steps_go_from_the_inside_out_and_each_is_reported_once() {
    check(
        "make_layout(get(coalesce((2,2):(1,2)), 0), coalesce((2,2):(1,2)))",
        expect![[r#"
        make_layout(get(coalesce((2,2):(1,2)), 0), coalesce((2,2):(1,2)))
        1. coalesce((2,2):(1,2)) = 4:1
          coalesce: n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go
            2:1 and 2:2 are 4:1: 2*1 = 2
        2. get(4:1, 0) = 4:1
          get: shape and stride are those of the mode
        3. make_layout(4:1, 4:1) = (4,4):(1,1)
          make_layout: R(a, b, ...) = A(a) + B(b) + ...
        = (4,4):(1,1)
    "#]],
    );
    check(
        "let tile = shape(<4, _>)",
        expect![[r#"
        let tile = shape(<4, _>)
        1. shape(<4:1, _>) has no answer
          shape: the part before the colon
        error: layout: expected a layout, found <4:1, _>
    "#]],
    );
    check(
        "let tile = (4,8):(8,1)",
        expect![[r#"
        let tile = (4,8):(8,1)
        tile = (4,8):(8,1)
    "#]],
    );
}

#[test]
fn a_refusal_shows_its_witness() {
    check(
        "composition((3,4):(1,5), (2,2):(2,1))",
        expect![[r#"
        composition((3,4):(1,5), (2,2):(2,1))
        1. composition((3,4):(1,5), (2,2):(2,1)) has no answer
          composition: R(c) = A(B(c)), and R has the shape of B refined
            A = (3,4):(1,5), B = (2,2):(2,1)
            c                   0  1  2  3
            B(c)                0  2  1  3
            expected: A(B(c))   0  2  1  5
            the only candidate  0  2  1  3
            coordinate 3: expected 5, found 3
        error: composition((3,4):(1,5), (2,2):(2,1)): no layout has these values: expected 5 at coordinate 3, found 3 in the only candidate
    "#]],
    );
    check(
        "composition((6,2):(1,7), (3,2):(2,3))",
        expect![[r#"
        composition((6,2):(1,7), (3,2):(2,3))
        1. composition((6,2):(1,7), (3,2):(2,3)) has no answer
          composition: R(c) = A(B(c)), and R has the shape of B refined
            A = (6,2):(1,7), B = (3,2):(2,3)
            c                   0  1  2  3  4  5
            B(c)                0  2  4  3  5  7
            expected: A(B(c))   0  2  4  3  5  8
            the only candidate  0  2  4  3  5  7
            coordinate 5: expected 8, found 7
        error: composition((6,2):(1,7), (3,2):(2,3)): no layout has these values: expected 8 at coordinate 5, found 7 in the only candidate
    "#]],
    );
    check(
        "logical_divide((4,4):(1,4), (2,2):(1,1))",
        expect![[r#"
        logical_divide((4,4):(1,4), (2,2):(1,1))
        1. logical_divide((4,4):(1,4), (2,2):(1,1)) has no answer
          logical_divide(A, B) = composition(A, make_layout(B, complement(B, size(A))))
            size((4,4):(1,4)) = 16
            complement((2,2):(1,1), 16) has no answer
              complement: (L, R) reaches no offset twice, and all below n where L's modes leave whole gaps
                L sorted by stride, without modes of stride 0: 2:1, 2:1
                2:1 leaves no gap below it; it ends at 2*1 = 2
                2:1 starts before 2, where the last mode ends
        error: complement((2,2):(1,1)): expected sorted modes that each start where the last ended, or later, found stride 1 after 2
    "#]],
    );
    check(
        "left_inverse((4,8):(2,1))",
        expect![[r#"
            left_inverse((4,8):(2,1))
            1. left_inverse((4,8):(2,1)) has no answer
              left_inverse: R(L(i)) = i for each i below size(L) that is 0 in modes of stride 0
                indices 1 and 8 both have offset 2
            error: left_inverse((4,8):(2,1)): expected an injective layout, found 8:1 reaching past stride 2
        "#]],
    );
    check(
        "is_injective((4,8):(2,1))",
        expect![[r#"
        is_injective((4,8):(2,1))
        1. is_injective((4,8):(2,1)) = false
          is_injective: L(i) = L(j) only where i = j
            indices 1 and 8 both have offset 2
        = false
    "#]],
    );
    check(
        "is_bijective((4,8):(2,8))",
        expect![[r#"
        is_bijective((4,8):(2,8))
        1. is_bijective((4,8):(2,8)) = false
          is_bijective: is_injective(L) and is_surjective(L)
            no index has offset 1, and some have 2
        = false
    "#]],
    );
    check(
        "is_surjective((4,8):(9,1))",
        expect![[r#"
        is_surjective((4,8):(9,1))
        1. is_surjective((4,8):(9,1)) = false
          is_surjective: each offset below cosize(L) is some L(i)
            no index has offset 8, and some have 9
        = false
    "#]],
    );
    check(
        "is_surjective((2,2):(-1,9))",
        expect![[r#"
        is_surjective((2,2):(-1,9))
        1. is_surjective((2,2):(-1,9)) = false
          is_surjective: each offset below cosize(L) is some L(i)
            no index has offset 1, and some have 8
        = false
    "#]],
    );
    check(
        "is_injective((2,2):(-9223372036854775807,9223372036854775807))",
        expect![[r#"
        is_injective((2,2):(-9223372036854775807,9223372036854775807))
        1. is_injective((2,2):(-9223372036854775807,9223372036854775807)) has no answer
          is_injective: L(i) = L(j) only where i = j
        error: is_injective: expected results within 64 bits, found an overflow for (2,2):(-9223372036854775807,9223372036854775807)
    "#]],
    );
    check(
        "is_surjective((2,2):(-9223372036854775807,9223372036854775807))",
        expect![[r#"
        is_surjective((2,2):(-9223372036854775807,9223372036854775807))
        1. is_surjective((2,2):(-9223372036854775807,9223372036854775807)) = false
          is_surjective: each offset below cosize(L) is some L(i)
            no index has offset -9223372036854775806, and some have 0
        = false
    "#]],
    );
    check(
        "  size((4,8)",
        expect![[r#"
        size((4,8)
                  ^
        error: at byte 12: expected `,` or `)`, found the end
    "#]],
    );
}

/// Draws of these tests.
trait Draws {
    fn below(&mut self, bound: i64) -> i64;

    fn layout(&mut self) -> Layout;

    /// A value of any kind.
    fn value(&mut self) -> Value;
}

impl Draws for Numbers {
    fn below(&mut self, bound: i64) -> i64 {
        self.within(0, bound - 1)
    }

    fn layout(&mut self) -> Layout {
        let rank = 1 + self.below(3);
        let mut leaves = |from: i64, bound: i64| {
            Tuple::Node((0..rank).map(|_| Tuple::Leaf(from + self.below(bound))).collect())
        };
        Layout::new(leaves(1, 6), leaves(0, 9)).unwrap()
    }

    fn value(&mut self) -> Value {
        let layout = self.layout();
        match self.below(8) {
            0 => Value::Int(self.below(9) - 1),
            1 => Value::Tuple(layout.shape().clone()),
            2 => Term::parse("(_,1)").unwrap().eval().unwrap(),
            3 => Term::parse("S<2,0,2> o 1 o (4,4):(1,4)").unwrap().eval().unwrap(),
            4 => Term::parse("<2:1, 3:2>").unwrap().eval().unwrap(),
            5 => Term::parse("S<1,0,1>").unwrap().eval().unwrap(),
            _ => Value::Layout(layout),
        }
    }
}

#[test]
fn every_operation_is_explained_whatever_its_operands() {
    let mut numbers = Numbers::of_seed(1);
    let mut answered = 0;
    for &op in Op::ALL {
        for _ in 0..60 {
            let count = 1 + numbers.below(3);
            let term = call(op, &(0..count).map(|_| numbers.value()).collect::<Vec<_>>());
            let mut session = Session::default();
            let answer = session.answer(&term.to_string());
            let text = explain(&answer, Paint::Plain);
            // An explanation never changes the answer that it ends with.
            let last = text.lines().last().unwrap().to_owned();
            match &answer.value {
                Ok(value) => assert_eq!(last, format!("= {value}")),
                Err(error) => assert_eq!(last, format!("error: {error}")),
            }
            answered += usize::from(answer.value.is_ok());
        }
    }
    assert!(answered > 100, "{answered}");
}

#[test]
fn identities_hold_on_even_operands() {
    let cases = [
        ("logical_divide((8,6):(6,1), 4:2)"),
        ("logical_divide((8,6):(6,1), <2:1, 3:1>)"),
        ("zipped_divide((8,6):(6,1), <2:1, 3:1>)"),
        ("tiled_divide((8,6):(6,1), <2:1, 3:1>)"),
        ("flat_divide((8,6):(6,1), <2:1, 3:1>)"),
        ("logical_product((8,6):(6,1), 4:2)"),
        ("zipped_product((8,6):(6,1), <2:1, 3:1>)"),
        ("tiled_product((8,6):(6,1), <2:1, 3:1>)"),
        ("flat_product((8,6):(6,1), <2:1, 3:1>)"),
        ("blocked_product((8,6):(6,1), (2,3):(3,1))"),
        ("raked_product((8,6):(6,1), (2,3):(3,1))"),
        ("tile_to_shape((8,6):(6,1), (16,18))"),
        ("tile_to_shape((8,6):(6,1), (16,18), (1,0))"),
        ("filter((8,6,1):(6,0,1))"),
        ("distribute((16,16):(16,1), (4,4), (4,4):(1,4))"),
        ("recast_layout((8,6):(6,1), 16, 32)"),
    ];
    let mut seen = Vec::new();
    for text in cases {
        let Term::Call { op, args } = Term::parse(text).unwrap() else { panic!("{text}") };
        let values: Vec<_> = args.iter().map(|arg| arg.eval().unwrap()).collect();
        let result = call(op, &values).eval();
        assert!(result.is_ok(), "{text}: {result:?}");
        assert!(definition::of(op, &values, &result).is_some(), "{text}");
        seen.push(op);
    }
    // Every identity of the catalogue is among them.
    for &op in Op::ALL {
        assert!(
            !matches!(op.row().law, layout_algebra::Law::Is(_)) || seen.contains(&op),
            "{}",
            op.name()
        );
    }
}

#[test]
fn traces_end_where_the_operation_does() {
    let mut numbers = Numbers::of_seed(7);
    let mut reported = 0;
    for _ in 0..300 {
        let layout = numbers.layout();
        for (op, values) in [
            (Op::Coalesce, vec![Value::Layout(layout.clone())]),
            (Op::Complement, vec![Value::Layout(layout.clone()), Value::Int(60)]),
        ] {
            let Ok(result) = call(op, &values).eval() else { continue };
            let lines = trace::of(op, &values, &result);
            // A complement always has a last gap; coalescing may have nothing to do.
            assert!(op == Op::Coalesce || !lines.is_empty(), "{layout}: {result}");
            reported += lines.len();
        }
    }
    assert!(reported > 300);
}

#[test]
fn long_terms_are_explained_in_part() {
    let modes: Vec<_> = (0..300).map(|i| format!("coalesce(2:{i})")).collect();
    let answer = Session::default().answer(&format!("make_layout({})", modes.join(",")));
    let text = explain(&answer, Paint::Plain);
    assert!(text.contains("\n200. "), "{text}");
    assert!(text.contains("\n(more steps than are shown)\n") && !text.contains("\n201. "));
}

#[test]
fn errors_of_lines_that_are_no_text_are_reported() {
    let (expected, found) = ("UTF-8".into(), "a byte".into());
    let error = Error::Parse { offset: 2, expected, found, nearest: None };
    let answer = crate::session::Answer::refused("4:".into(), error);
    expect![[r#"
        4:
          ^
        error: at byte 2: expected UTF-8, found a byte
    "#]]
    .assert_eq(&explain(&answer, Paint::Plain));
}
