//! Coordinate layouts: every divide and composition against the coordinates themselves.

use crate::terms;

use layout_algebra::{Layout, Term, Tiler, Tuple, answer};
use terms::check;

#[test]
fn identity_layouts() {
    check(&[
        ("make_identity_layout(8)", "8:1"),
        ("make_identity_layout((8))", "(8):(1@0)"),
        ("make_identity_layout((4,8))", "(4,8):(1@0,1@1)"),
        ("make_identity_layout((4,(2,3)))", "(4,(2,3)):(1@0,(1@0@1,1@1@1))"),
        ("crd2idx((3,5), make_identity_layout((4,8)))", "(3,5)"),
        ("crd2idx(23, make_identity_layout((4,8)))", "(3,5)"),
        ("coshape(make_identity_layout((4,(2,3))))", "(4,(2,3))"),
    ]);
}

#[test]
fn literals_are_read_as_they_are_written() {
    check(&[
        ("(4,8):(1@0,1@1)", "(4,8):(1@0,1@1)"),
        ("(4,(2,3)):(2@1,(1@0@2,0))", "(4,(2,3)):(2@1,(1@0@2,0))"),
        ("4:3@1", "4:3@1"),
        ("crd2idx(2, 4:3@1)", "(0,6)"),
    ]);
}

/// A coordinate of one part is an integer.
#[test]
fn coordinates_of_one_part() {
    check(&[
        ("composition(32:2, 8:2@0)", "8:4"),
        ("composition((8,64):(64,1), <4:2@0, _>)", "(4,64):(128,1)"),
        ("32:2 o (3) o 8:2@0", "S<0,0,0> o 6 o 8:4"),
        (
            "composition(32:2, 8:2@1)",
            "error: coordinate: expected one that fits the shape 32, found coordinates that nest like (0,0)",
        ),
    ]);
}

#[test]
fn filtered_coordinates() {
    check(&[
        ("filter((2,4,8):(1@0,1@1,1@2))", "(2,4,8):(1@0,1@1,1@2)"),
        ("filter((4,(8,1)):(1@1,(4@1,1@0)))", "32:1@1"),
        ("filter((4,3,8):(1@1,0,4@1))", "32:1@1"),
        ("filter(((4,3),8):((1@1,0),4@1), (1,1))", "(4,8):(1@1,4@1)"),
        ("filter_zeros((4,3,8):(1@1,0,4@1))", "(4,1,8):(1@1,0,4@1)"),
        ("coshape((4,8):(1@0,1@1), 1)", "(1,8)"),
        ("coalesce((4,(2,3)):(1@0,(1@1,2@1)), (_,1))", "(4,6):(1@0,1@1)"),
        ("group((4,8):(1@0,1@1), 1, 1)", "(4,8):(1@0,1@1)"),
    ]);
    for (text, expected) in
        [("filter((M,N):(1@0,1@1))", "(M,N):(1@0,1@1)"), ("filter((M,N,4):(1@0,0,M@0))", "4*M:1@0")]
    {
        assert_eq!(answer(text), expected, "{text}");
    }
}

#[test]
fn tiles_of_coordinates() {
    check(&[
        (
            "zipped_divide(make_identity_layout((8,6)), (4,3))",
            "((4,3),(2,2)):((1@0,1@1),(4@0,3@1))",
        ),
        ("composition((8,6):(1@0,1@1), <4:2, _>)", "(4,6):(2@0,1@1)"),
        ("composition((8,6):(1@0,1@1), 16:1)", "(8,2):(1@0,1@1)"),
        ("coalesce((2,4,1):(1@0,2@0,5@1))", "8:1@0"),
        ("slice((3,_), (8,6):(1@0,1@1))", "(6):(1@1)"),
        ("stride((4,(2,3)):(2@1,(1@0@2,0)))", "(2@1,(1@0@2,0))"),
        ("(2@1,(1@0@2,0))", "(2@1,(1@0@2,0))"),
        ("-4@1", "-4@1"),
        ("depth((4,(2,3)):(2@1,(1@0@2,0)))", "2"),
        ("get((4,(2,3)):(2@1,(1@0@2,0)), 1)", "(2,3):(1@0@2,0)"),
        ("get((4,(2,3)):(2@1,(1@0@2,0)), 1, 1)", "3:0"),
        ("select((4,6,8):(1@0,1@1,1@2), 2, 0)", "(8,4):(1@2,1@0)"),
        ("take((4,6,8):(1@0,1@1,1@2), 1, 3)", "(6,8):(1@1,1@2)"),
        ("group((4,6,8):(1@0,1@1,1@2), 0, 2)", "((4,6),8):((1@0,1@1),1@2)"),
        ("flatten((4,(2,3)):(2@1,(1@0@2,0)))", "(4,2,3):(2@1,1@0@2,0)"),
        ("append((4,6):(1@0,1@1), 8:16@0)", "(4,6,8):(1@0,1@1,16@0)"),
        ("prepend((4,6):(1@0,1@1), 8:0)", "(8,4,6):(0,1@0,1@1)"),
        ("replace((4,6):(1@0,1@1), 0, 8:3@1)", "(8,6):(3@1,1@1)"),
        ("zip((4,6):(1@0,1@1), (2,3):(4@0,6@1))", "((4,2),(6,3)):((1@0,4@0),(1@1,6@1))"),
        (
            "unzip(((4,2),(6,3)):((1@0,4@0),(1@1,6@1)), <_, _>)",
            "((4,6),(2,3)):((1@0,1@1),(4@0,6@1))",
        ),
        ("make_layout(4:1@0, 6:1@1)", "(4,6):(1@0,1@1)"),
        ("make_layout((4,6), (1@1,2@0))", "(4,6):(1@1,2@0)"),
        ("dice((3,_), (8,6):(1@0,1@1))", "(8):(1@0)"),
        ("tiled_divide((10,6):(1@0,1@1), (4,3))", "((4,3),3,2):((1@0,1@1),4@0,3@1)"),
        ("flat_divide((10,6):(1@0,1@1), (4,3))", "(4,3,3,2):(1@0,1@1,4@0,3@1)"),
        // Past its size the mode of one entry does not continue.
        ("logical_divide((5,1):(1@0,1@1), 3:2)", "(3,2):(2@0,1@0)"),
        ("coalesce(((2,4),6):((1@0,2@0),1@1), (1,1))", "(8,6):(1@0,1@1)"),
        ("slice_and_offset((3,_), (8,6):(1@0,1@1))", "[(6):(1@1), (3,0)]"),
    ]);
}

#[test]
fn equal_coordinate_layouts_are_the_same_function() {
    check(&[
        ("equal((2,2):(1@0,2@0), 4:1@0)", "true"),
        ("equal((2,1,2):(1@0,7@1,1@1), (2,2):(1@0,1@1))", "true"),
        ("equal((2,2,2):(1@0,0@1,1@1), (2,2,2):(1@0,0,1@1))", "true"),
        ("equal((2,2):(1@0,1@1), (2,2):(1@1,1@0))", "false"),
        ("equal((2,2):(1@0,3@0), 4:1@0)", "false"),
        ("equal(4:1@0, 4:1)", "false"),
        // One maps to pairs, the other to single integers.
        ("equal((2,1):(1@0,1@1), 2:1@0)", "false"),
    ]);
}

/// A mode of one entry moves to neither side, so that the others may descend together.
#[test]
fn modes_of_one_entry_have_no_side() {
    assert_eq!(answer("composition((2,3):(1@0,(3*K)@1), (2,1):(-2,1))"), "(2,1):(-3*K@1,3*K@1)");
    assert_eq!(answer("composition((2,3):(1@0,(3*K)@1), (2,1):(2,-1))"), "(2,1):(3*K@1,-3*K@1)");
    assert_eq!(answer("composition((2,3):(1,K), (2,1):(-2,1))"), "(2,1):(-K,K)");
}

#[test]
fn errors() {
    check(&[
        (
            "composition((8,6):(1@0,1@1), 3:5)",
            "error: composition((8,6):(1@0,1@1), 3:5): expected a right operand that divides the \
             modes on the left, without a carry, found 3:5",
        ),
        (
            "upcast((8,6):(1@0,1@1), 2)",
            "error: upcast: expected a layout of integer strides, found (8,6):(1@0,1@1)",
        ),
        (
            "composition(4:1, (8,6):(1@0,1@1))",
            "error: coordinate: expected one that fits the shape 4, found coordinates that nest like \
             (0,0)",
        ),
        (
            "composition(((2,3),4):((1,7),2), 3:1@0)",
            "error: composition((2,3):(1,7), (3):(1)): no layout has these values: expected 7 at \
             coordinate 2, found 2 in the only candidate",
        ),
        (
            "left_inverse((4,2):(1@0,3@0))",
            "error: left_inverse((4,2):(1,3)): expected an injective layout, found 4:1 reaching past \
             stride 3",
        ),
        (
            "logical_product((4,8):(1@0,1@1), (2,2,2):(1@0,1@1,1@2))",
            "error: logical_product: expected a coordinate layout that nests like (0,0), found \
             (2,2,2):(1@0,1@1,1@2)",
        ),
        (
            "append((4,6):(1@0,1@1), 8:2)",
            "error: layout: expected strides that take each part of a coordinate for an integer or \
             for a tuple of at most 64 modes, found (4,6,8):(1@0,1@1,2)",
        ),
        (
            "get((8,6):(32@0,1@1), 2)",
            "error: get: expected a mode below the rank 2 of (8,6):(32@0,1@1), found 2",
        ),
        (
            "(1@0,4)",
            "error: layout: expected strides that take each part of a coordinate for an integer or \
             for a tuple of at most 64 modes, found (1@0,4)",
        ),
        (
            "crd2idx((1@0,1@1), (8,6):(32@0,1@1))",
            "error: crd2idx: expected an integer or a tuple of integers as operand 1, found (1@0,1@1)",
        ),
        (
            "(2,2):(1@0,1@1@0)",
            "error: layout: expected strides that take each part of a coordinate for an integer or \
             for a tuple of at most 64 modes, found (2,2):(1@0,1@1@0)",
        ),
        (
            "(2,2):(1@0,1@100000000)",
            "error: layout: expected strides that take each part of a coordinate for an integer or \
             for a tuple of at most 64 modes, found (2,2):(1@0,1@100000000)",
        ),
        ("4:1@-1", "error: at byte 4: expected a mode that is not negative, found -1"),
        (
            "(4,2):(1@0)",
            "error: layout: expected a stride congruent to the shape (4,2), found (1@0)",
        ),
    ]);
}

/// A divided identity and a divided layout run through the same elements: `L(identity(c)) = L/t(c)`.
#[test]
fn coordinates_follow_a_layout_through_its_tiles() {
    for (layout, tiler) in [
        ("(8,6):(6,1)", "(4,3)"),
        ("(8,6):(1,8)", "<4:2, 2:3>"),
        ("(10,7):(7,1)", "(4,2)"),
        ("(12,(4,6)):(1,(12,48))", "<(2,3):(6,1), 8:1>"),
    ] {
        let layout: Layout = layout.parse().expect("a layout");
        let tiler: Tiler = Term::parse(tiler).and_then(|term| term.eval_tiler()).expect("a tiler");
        let identity = layout.shape().make_identity_layout().expect("a shape");
        let coordinates = identity.zipped_divide(&tiler).expect("divides");
        let offsets = layout.zipped_divide(&tiler).expect("divides");
        assert_eq!(coordinates.size(), offsets.size());
        for index in 0..offsets.size() {
            let coordinate = coordinates.crd2crd(&Tuple::Leaf(index)).expect("small");
            let offset = layout.crd2idx(&coordinate).expect("small");
            assert_eq!(Ok(offset), offsets.at(index), "{layout} at {coordinate}");
        }
    }
}
