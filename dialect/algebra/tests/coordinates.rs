//! The algebra of coordinate layouts, against the coordinates that the slow definition gives.

use crate::terms;

use layout_algebra::{
    Basis, BasisLayout, Facts, Layout, Nested, Op, Tuple, Value, evaluate,
    meaning::{coordinate, has_composition, offset, offset_of},
};
use layout_random::{cases, prelude::*};
use std::collections::BTreeSet;
use terms::check;

#[test]
fn compositions() {
    check(&[
        ("composition((4,4):(4,1), (4,4):(1@1,1@0))", "(4,4):(1,4)"),
        ("composition((4096,8192):(1,4096), (32,8,128):(1@0,1@1,32@0))", "(32,8,128):(1,4096,32)"),
        ("composition((8,6):(1@0,1@1), (3,4):(2@1,1@0))", "(3,4):(2@1,1@0)"),
        ("composition(((2,4),6):((8,1),16), 8:1@0)", "(2,4):(8,1)"),
        ("composition(S<2,0,2> o 0 o (4,4):(4,1), (4,4):(1@1,1@0))", "S<2,0,2> o 0 o (4,4):(1,4)"),
        ("composition((4,(2,3)):(6,(3,1)), (3,4):(1@1@1,1@0))", "(3,4):(1,6)"),
        ("composition((4,4):(4,1), (4,2):(1@1,0))", "(4,2):(1,0)"),
        // Where no extent divides, the values decide.
        ("composition((9,(9,3)):(1@0,(9@0,1@1)), 3:2)", "3:2@0"),
        ("composition((6,3,2):(1@0,6@0,1@1), (3,2):(5,18))", "(3,2):(5@0,1@1)"),
        ("composition((4,4):(1@0,-1@1), (2,2):(2,8))", "(2,2):(2@0,-2@1)"),
    ]);
}

#[test]
fn sizes_that_are_symbols() {
    let answer = |text: &str| match evaluate(text, &mut Facts::new()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    };
    let identity = "(M{range=1..},N{range=1..}):(1@0,1@1)";
    for (text, expected) in [
        (
            "composition((4096,8192):(1,4096), (32,N{range=1..},8,128):(1@0,8@1,1@1,32@0))"
                .to_owned(),
            "(32,N,8,128):(1,32768,4096,32)",
        ),
        (format!("composition((M,N):(N,1), {identity})"), "(M,N):(N,1)"),
        (format!("right_inverse({identity})"), "(M,N):(1,M)"),
        (format!("left_inverse({identity})"), "(M,N):(1,M)"),
        (format!("cosize({identity})"), "M*N"),
        (format!("is_bijective({identity})"), "true"),
        (format!("complement({identity}, (2*M,N))"), "(2,1):(M@0,N@1)"),
        (
            format!("logical_product({identity}, (3,5):(1@0,1@1))"),
            "((M,N),(3,5)):((1@0,1@1),(M@0,N@1))",
        ),
        (
            "logical_divide((M{div=4 range=4..},N{div=2 range=2..}):(N,1), (4,2):(1@0,1@1))"
                .to_owned(),
            "((4,2),(M/4,N/2)):((N,1),(4*N,2))",
        ),
    ] {
        assert_eq!(answer(&text), expected, "{text}");
    }
}

#[test]
fn inverses_and_complements() {
    check(&[
        ("right_inverse((4,8):(1@1,1@0))", "(8,4):(4,1)"),
        ("left_inverse((4,8):(1@1,1@0))", "(8,4):(4,1)"),
        ("left_inverse((4,8):(2@1,1@0))", "(8,(2,4)):(4,(0,1))"),
        ("right_inverse((4,8):(2@1,1@0))", "(8,1):(4,0)"),
        ("right_inverse(((4,3),(2,2)):((1@0,1@1),(4@0,3@1)))", "((4,2),(3,2)):((1,12),(4,24))"),
        ("nullspace((4,3,2):(1@0,0,1@1))", "3:4"),
        ("complement((4,3):(1@0,1@1), (8,6))", "(2,2):(4@0,3@1)"),
        ("complement((4):(1@0), (8,6))", "(2,6):(4@0,1@1)"),
        // As in CuTe IR: a mode for each part, and an integer is the extent of the first.
        ("complement((4,3):(2@0,1@1))", "(2,1):(1@0,3@1)"),
        ("complement((4,3):(1@0,1@1))", "(1,1):(4@0,3@1)"),
        ("complement((8,6):(1@0,1@1), 48)", "(6,1):(8@0,6@1)"),
        ("complement((4,4):(1@0,1@1), (64))", "(16,1):(4@0,4@1)"),
        ("complement((4,4):(1@0,1@1), (8,8,2))", "(2,2,2):(4@0,4@1,1@2)"),
        ("complement((4,4):(1@0,1@1), ((8,2),4))", "(4,1):(4@0,4@1)"),
        ("complement((2,3):(1@2,1@0), 24)", "(8,1,1):(3@0,1@1,2@2)"),
        ("complement((4,4):(1@0@0,2@1), ((8),4))", "((2),2):((4@0@0),1@1)"),
        ("complement((2,2):(3@0,2@1), 48)", "((3,8),2):((1@0,6@0),1@1)"),
        ("cosize((4,8):(2@0,1@1))", "56"),
        ("cosize((4,8):(2@0,1@1), 0)", "7"),
        ("is_injective((4,8):(2@0,1@1))", "true"),
        ("is_injective((4,8,2):(2@0,1@1,0))", "false"),
        ("is_surjective((4,8):(2@0,1@1))", "false"),
        ("is_bijective((4,8):(1@1,1@0))", "true"),
    ]);
}

#[test]
fn divides_and_products() {
    check(&[
        ("logical_divide((8,6):(6,1), (4,3):(1@0,1@1))", "((4,3),(2,2)):((6,1),(24,3))"),
        ("zipped_divide((8,6):(1@0,1@1), (4,3):(1@0,1@1))", "((4,3),(2,2)):((1@0,1@1),(4@0,3@1))"),
        ("tiled_divide((8,6):(6,1), (4,3):(1@0,1@1))", "((4,3),2,2):((6,1),24,3)"),
        ("flat_divide((8,6):(6,1), (4,3):(1@0,1@1))", "(4,3,2,2):(6,1,24,3)"),
        // In a tuple of tilers, each with its mode.
        ("composition(((4,4),8):((4,1),16), <(2,4):(1@1,1@0), 4:2>)", "((2,4),4):((1,4),32)"),
        ("composition((8,6):(1@0,1@1), <_, (3):(1@0)>)", "(8,(3)):(1@0,(1@1))"),
        (
            "logical_divide(((8,6),10):((6,1),48), <(4,3):(1@0,1@1), 5>)",
            "(((4,3),(2,2)),(5,2)):(((6,1),(24,3)),(48,240))",
        ),
        (
            "zipped_divide(((8,6),10):((6,1),48), <(4,3):(1@0,1@1), 5>)",
            "(((4,3),5),((2,2),2)):(((6,1),48),((24,3),240))",
        ),
        (
            "tiled_divide(((8,6),10):((6,1),48), <(4,3):(1@0,1@1), 5>)",
            "(((4,3),5),(2,2),2):(((6,1),48),(24,3),240)",
        ),
        (
            "flat_divide(((8,6),10):((6,1),48), <(4,3):(1@0,1@1), 5>)",
            "((4,3),5,(2,2),2):((6,1),48,(24,3),240)",
        ),
        (
            "composition(S<1,2,2> o 0 o ((4,4),8):((4,1),16), <(2,4):(1@1,1@0), 4:2>)",
            "S<1,2,2> o 0 o ((2,4),4):((1,4),32)",
        ),
        ("<(2,4):(1@1,1@0), <4:2, _>>", "<(2,4):(1@1,1@0), <4:2, _>>"),
        ("logical_product((4,8):(1@0,1@1), <2:1, 3:1@1>)", "((4,2),(8,3)):((1@0,4@0),(1@1,8@1))"),
        (
            "logical_product((4,8):(1@0,1@1), <2:1, 3:1@0>)",
            "error: logical_product: expected a coordinate layout that nests like (0,0), found 3:1@0",
        ),
        (
            "logical_product((4,8):(1@0,1@1), <(2,1):(1@0,1@1), 3:1>)",
            "((4,(2,1)),(8,3)):((1@0,(4@0,0)),(1@1,1@0))",
        ),
        (
            "local_tile(((8,6),10):((6,1),48), <(4,3):(1@0,1@1), 5>, (1,_))",
            "((4,3),5,2):((6,1),48,240)",
        ),
        (
            "blocked_product((4,8):(1@0,1@1), <(2,1):(1@0,1@1), 3:1>)",
            "error: blocked_product: expected a layout as operand 2, found <(2,1):(1@0,1@1), 3:1>",
        ),
        (
            "unzip(((4,3),(2,2)):((6,1),(24,3)), <(4,3):(1@0,1@1), _>)",
            "((4,2),(3,2)):((6,24),(1,3))",
        ),
        (
            "coalesce((8,6):(6,1), <(4,3):(1@0,1@1), 5>)",
            "error: coalesce: expected an integer or a tuple of integers as operand 2, found <(4,3):(1@0,1@1), 5:1>",
        ),
        (
            "evenly_divides((8,6), <(4,3):(1@0,1@1), 5>)",
            "error: evenly_divides: expected a layout, a shape, `_` or a tuple of tilers as operand 2, found <(4,3):(1@0,1@1), 5:1>",
        ),
        (
            "logical_product((4,8):(1@0,1@1), (3,5):(1@0,1@1))",
            "((4,8),(3,5)):((1@0,1@1),(4@0,8@1))",
        ),
        // As in CuTe IR: along the first part.
        ("logical_product((4,8):(1@0,1@1), 3:1)", "((4,8),3):((1@0,1@1),4@0)"),
        ("blocked_product((2,2):(1@0,4@1), 3:1)", "((2,3),(2,1)):((1@0,2@0),(4@1,0))"),
        ("tile_to_shape((4,4):(1@0,1@1), (8,8))", "((4,2),(4,2)):((1@0,4@0),(1@1,8@0))"),
        ("tile_to_shape((4,4):(1@0,1@1), (8,8), (1,0))", "((4,2),(4,2)):((1@0,8@0),(1@1,4@0))"),
        ("zipped_divide(8:1, 5:2@0)", "(5,(2)):(2,(1))"),
        ("max_common_vector((4,4):(1@0,1@1), (4,4):(1,4))", "1"),
        ("max_common_layout((4,4):(1,4), (4,4):(1@0,1@1))", "1:0"),
        ("recast((4,4):(1@0,1@1), 16, 16)", "(4,4):(1@0,1@1)"),
        ("logical_product((4,8):(2@0,1@1), 2:1)", "((4,8),2):((2@0,1@1),1@0)"),
        (
            "logical_product((4,8):(2@0,1@1), 3:1)",
            "error: composition(((2,12),1):((1@0,8@0),8@1), 3:1): expected a right operand that divides \
             the modes on the left, without a carry, found 3:1",
        ),
        ("zipped_product((4,8):(1@0,1@1), <2:1, 3:1@1>)", "((4,8),(2,3)):((1@0,1@1),(4@0,8@1))"),
        ("tiled_product((4,8):(1@0,1@1), <2:1, 3:1@1>)", "((4,8),2,3):((1@0,1@1),4@0,8@1)"),
        ("flat_product((4,8):(1@0,1@1), <2:1, 3:1@1>)", "(4,8,2,3):(1@0,1@1,4@0,8@1)"),
        // Each mode on its own, as of (4,8):(1,4).
        ("logical_product((4,8):(1@0,1@1), <2:1, 3:1>)", "((4,2),(8,3)):((1@0,4@0),(1@1,1@0))"),
        (
            "blocked_product((4,8):(1@0,1@1), (3,5):(1@0,1@1))",
            "((4,3),(8,5)):((1@0,4@0),(1@1,8@1))",
        ),
        // Coordinates of the complement's modes, 2:2 and on from 8.
        ("logical_product((2,2):(1,4), (2,3):(1@0,1@1))", "((2,2),(2,3)):((1,4),(2,8))"),
        ("flat_product(8:1, (2,3):(1@0,2@0))", "(8,2,3):(1,8,16)"),
        (
            "tiled_product(S<1,0,1> o 0 o (8,(1,4)):(1,(32,16)), 2:1@0)",
            "S<1,0,1> o 0 o ((8,(1,4)),2):((1,(32,16)),8)",
        ),
        (
            "blocked_product(8:1, 4:1@0)",
            "error: blocked_product: expected a coordinate layout as operand 1, found 8:1",
        ),
        ("raked_product((4,8):(1@0,1@1), (3,5):(1@0,1@1))", "((3,4),(5,8)):((4@0,1@0),(8@1,1@1))"),
    ]);
}

/// The modes of coordinate layouts are queried, and their shapes taken, as those of others.
#[test]
fn queries_and_shapes() {
    let layout = "((4,2),8):((1@0,4@0),2@1)";
    for (call, expected) in [
        ("size(L, 0)", "8"),
        ("rank(L, 0)", "2"),
        ("depth(L)", "2"),
        ("depth(L, 1)", "0"),
        ("shape(L, 0)", "(4,2)"),
        ("shape(L, 0, 1)", "2"),
        ("stride(L)", "((1@0,4@0),2@1)"),
        ("stride(L, 1)", "2@1"),
        ("stride((4,2):(1@0,0), 1)", "0"),
        ("coshape(L)", "(8,15)"),
        ("coshape(L, 0)", "(8)"),
        ("cosize(L)", "120"),
        ("product_each(L)", "(8,8)"),
        ("make_identity_layout(L)", "((4,2),8):((1@0@0,1@1@0),1@1)"),
        ("make_ordered_layout(L, ((1,2),0))", "((4,2),8):((8,32),1)"),
        ("compact_col_major(L)", "((1,4),8)"),
        ("idx2crd(13, L)", "((1,1),1)"),
        ("increment(((3,1),1), L)", "((0,0),2)"),
        ("congruent(L, ((1,1),1))", "true"),
        ("compatible((8,8), L)", "true"),
        ("evenly_divides(L, (4,2))", "true"),
        ("ceil_div(L, (4,2))", "((1,2),4)"),
        ("shape_div(L, 4)", "((1,2),8)"),
        ("domain_distribute(L, 4)", "4:1"),
        (
            "ceil_div((8,8), (8,8):(1@0,1@1))",
            "error: ceil_div: expected a layout, a shape, `_` or a tuple of tilers as operand 2, \
             found (8,8):(1@0,1@1)",
        ),
        (
            "distribute((16,16):(1@0,1@1), (4,4), (4,4):(1,4))",
            "((4,4),(4,4)):((1@0,1@1),(4@0,4@1))",
        ),
    ] {
        check(&[(&call.replace('L', layout), expected)]);
    }
}

/// A thread's part of an identity tensor has the coordinates of its part of the data.
#[test]
fn coordinates_are_distributed_as_data_are() {
    for tv in ["(4,4):(1,4)", "(4,4):(4,1)", "((2,4),2):((1,4),2)", "(8,2):(1,8)"] {
        for (tile, shape) in [("(4,4)", "(8,12)"), ("(8,2)", "(16,6)"), ("16", "48")] {
            let term = |of: &str| format!("distribute({of}, {tile}, {tv})");
            let value =
                |text: &str| text.parse::<Value>().unwrap_or_else(|e| panic!("{text}: {e}"));
            let data = value(&term(&format!("make_layout({shape})")));
            let coordinates = value(&term(&format!("make_identity_layout({shape})")));
            let shape: Tuple = shape.parse().expect("a shape");
            let index = Layout::from_shape(shape).expect("small");
            match (data, coordinates) {
                (Value::Layout(data), Value::Basis(coordinates)) => {
                    assert_eq!(data.size(), coordinates.size());
                    for i in 0..data.size() {
                        let at = coordinates.crd2crd(&Tuple::Leaf(i)).expect("small");
                        assert_eq!(index.crd2idx(&at), data.at(i), "{coordinates} at {i}");
                    }
                }
                // An integer's coordinates are its indices.
                (data, coordinates) => assert_eq!(data, coordinates),
            }
        }
    }
}

/// An offset that is a coordinate: the value is what the whole is in integers.
#[test]
fn composed_layouts_with_coordinates_as_offsets() {
    check(&[
        ("(4,4):(4,1) o (0,0) o (2,3):(1@0,1@1)", "(2,3):(4,1)"),
        ("(4,4):(4,1) o 0 o (2,3):(1@0,1@1)", "(2,3):(4,1)"),
        ("crd2idx((1,2), (4,4):(4,1) o (1,1) o (2,3):(1@0,1@1))", "11"),
        ("cosize((4,4):(4,1) o (1,1) o (2,3):(1@0,1@1))", "12"),
        ("slice((1,_), (4,4):(4,1) o (1,1) o (2,3):(1@0,1@1))", "S<0,0,0> o 9 o (3):(1)"),
        ("slice((1,_), (4,4):(4,1) o 0 o (2,3):(1@0,1@1))", "(3):(1)"),
        // Rows 1 to 2 of two strides: an offset there may carry.
        ("((2,2),4):((1,8),2) o (1,0) o (2,3):(1@0,1@1)", "((2,2),4):((1,8),2) o 1 o (2,3):(1,4)"),
        (
            "((2,2),4):((1,8),2) o (3,0) o (2,3):(1@0,1@1)",
            "error: composed(((2,2),4):((1,8),2) o (3,0) o (2,3):(1@0,1@1)): expected coordinates in \
             the shape of the outer layout, found 4 < 5",
        ),
        (
            "(4,4):(4,1) o (0,0,0) o (2,3):(1@0,1@1)",
            "error: coordinate: expected one that fits the shape (4,4), found (0,0,0)",
        ),
    ]);
    for (text, expected) in [
        ("(M,4):(4,1) o (0,0) o (2,3):(1@0,1@1)", "(2,3):(4,1)"),
        ("crd2idx((1,2), (M,4):(4,1) o (i,1) o (2,3):(1@0,1@1))", "4*i+7"),
    ] {
        let value = evaluate(text, &mut Facts::new()).expect("it fits");
        assert_eq!(value.to_string(), expected, "{text}");
    }
}

/// Questions about all that a composed coordinate layout reaches.
#[test]
fn composed_coordinate_layouts() {
    check(&[
        ("cosize((4,4):(1@0,1@1) o 5 o (2,2):(1,4))", "9"),
        ("coshape((4,4):(1@0,1@1) o 5 o (2,2):(1,4), 1)", "(2,3)"),
        ("is_injective((4,4):(1@0,1@1) o 5 o (2,2):(1,4))", "true"),
        ("is_injective((4,4):(1@0,1@1) o 5 o (2,2):(1,1))", "false"),
        ("is_surjective((4,4):(1@0,1@1) o 5 o (2,2):(1,4))", "false"),
        ("left_inverse((4,4):(1@0,1@1) o 5 o (2,2):(1,4))", "(4,2):(1,2) o -5 o (4,4):(1,4)"),
        (
            "right_inverse((4,4):(1@0,1@1) o 5 o (2,2):(1,4))",
            "error: right_inverse((4,4):(1@0,1@1) o 5 o (2,2):(1,4)): expected inverses that compose, \
             so that each index comes back, found none for coordinate 0",
        ),
        ("complement((4,4):(1@0,1@1) o 5 o (2,2):(1,4), 16)", "(2,2):(2,8)"),
        (
            "nullspace((4,4):(1@0,1@1) o 16 o (2,2):(1,0))",
            "error: nullspace((4,4):(1@0,1@1) o 16 o (2,2):(1,0)): expected coordinate 0 at index 0, found (0,4)",
        ),
        ("max_common_vector((4,4):(1@0,1@1) o 5 o (2,2):(1,4), 4:1)", "1"),
    ]);
    let swizzled = "composition((8,8):(1@0,1@1), S<3,0,3> o 0 o (8,8):(1,8))";
    for (call, expected) in [
        ("is_bijective(L)", "true"),
        ("coshape(L)", "(8,8)"),
        ("cosize(L)", "64"),
        ("right_inverse(L)", "S<3,0,3> o 0 o (8,8):(1,8)"),
        ("left_inverse(L)", "S<3,0,3> o 0 o (8,8):(1,8)"),
        ("nullspace(L)", "1:0"),
        ("complement(L, 128)", "2:64"),
    ] {
        check(&[(&call.replace('L', swizzled), expected)]);
    }
}

/// The forms of coordinates, with the path of each part.
fn zeros() -> impl Strategy<Value = (Tuple, Vec<Vec<usize>>)> {
    prop_oneof![
        Just(("(0,0)", vec![vec![0], vec![1]])),
        Just(("(0)", vec![vec![0]])),
        Just(("(0,(0,0))", vec![vec![0], vec![1, 0], vec![1, 1]])),
    ]
    .prop_map(|(zero, paths)| (zero.parse().expect("a tuple"), paths))
}

/// A coordinate layout in which every part is named, and what these nest like.
fn into_coordinates() -> impl Strategy<Value = (BasisLayout, Tuple)> {
    zeros().prop_flat_map(|(zero, paths)| {
        let more = prop::collection::vec((1_i64..5, 0_i64..7, 0..paths.len()), 0..3);
        let one = prop::collection::vec((1_i64..5, 1_i64..5), paths.len());
        let order = any::<prop::sample::Index>();
        (Just((zero, paths)), one, more, order).prop_map(|((zero, paths), one, more, order)| {
            let mut modes: Vec<(i64, Basis)> = one
                .into_iter()
                .zip(&paths)
                .map(|((extent, scale), path)| (extent, Basis { scale, path: path.clone() }))
                .collect();
            modes.extend(more.into_iter().map(|(extent, scale, part)| {
                let path = if scale == 0 { Vec::new() } else { paths[part].clone() };
                (extent, Basis { scale, path })
            }));
            let by = order.index(modes.len());
            modes.rotate_left(by);
            let (shape, stride): (Vec<_>, Vec<_>) =
                modes.into_iter().map(|(n, d)| (Nested::Leaf(n), Nested::Leaf(d))).unzip();
            let layout = BasisLayout::new(Nested::Node(shape), Nested::Node(stride));
            (layout.expect("small"), zero)
        })
    })
}

/// A layout whose shape coordinates fit.
fn taking(zero: &Tuple) -> BoxedStrategy<(Tuple, Tuple)> {
    match zero {
        Nested::Leaf(_) => prop_oneof![
            (1_i64..9, -3_i64..9).prop_map(|(n, d)| (Nested::Leaf(n), Nested::Leaf(d))),
            prop::collection::vec((1_i64..5, 0_i64..9), 2..3).prop_map(|modes| {
                let (shape, stride) =
                    modes.into_iter().map(|(n, d)| (Nested::Leaf(n), Nested::Leaf(d))).unzip();
                (Nested::Node(shape), Nested::Node(stride))
            }),
        ]
        .boxed(),
        Nested::Node(entries) => entries
            .iter()
            .map(taking)
            .collect::<Vec<_>>()
            .prop_map(|entries| {
                let (shape, stride) = entries.into_iter().unzip();
                (Nested::Node(shape), Nested::Node(stride))
            })
            .boxed(),
    }
}

fn call(op: Op, values: &[&Value]) -> layout_algebra::Result<Value> {
    op.apply(values)
}

fn coordinates(layout: &BasisLayout, zero: &Tuple) -> Vec<Tuple> {
    (0..layout.size()).map(|i| coordinate(layout, zero, i).expect("small")).collect()
}

/// The leaves of a layout that move a part, as a plain layout.
fn part(layout: &BasisLayout, path: &[usize]) -> Layout {
    let Nested::Node(strides) = layout.stride() else { panic!("flat") };
    let modes = layout.shape().leaves().into_iter().zip(strides).filter_map(|(extent, stride)| {
        let Nested::Leaf(basis) = stride else { return None };
        (basis.path == path && basis.scale != 0)
            .then_some((Nested::Leaf(extent), Nested::Leaf(basis.scale)))
    });
    let (shape, stride): (Vec<_>, Vec<_>) = modes.unzip();
    Layout::new(Nested::Node(shape), Nested::Node(stride)).expect("small")
}

fn paths(zero: &Tuple, path: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    match zero {
        Nested::Leaf(_) => all.push(path.clone()),
        Nested::Node(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                path.push(i);
                paths(entry, path, all);
                path.pop();
            }
        }
    }
}

/// Whether each stride is a multiple of where the mode before it ends.
fn is_chain(layout: &Layout) -> bool {
    let mut modes = layout.flat();
    modes.retain(|&(extent, _)| extent > 1);
    modes.sort_by_key(|mode| mode.1);
    modes.windows(2).all(|pair| pair[1].1 % (pair[0].0 * pair[0].1) == 0)
}

fn mode_at(layout: &Layout, path: &[usize]) -> Layout {
    path.iter().fold(layout.clone(), |layout, &mode| layout.mode(mode).expect("a mode"))
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_composition_is_both_in_turn(
        (b, zero, shape, stride) in into_coordinates().prop_flat_map(|(b, zero)| {
            let a = taking(&zero);
            (Just(b), Just(zero), a).prop_map(|(b, zero, (shape, stride))| (b, zero, shape, stride))
        })
    ) {
        let a = Layout::new(shape, stride).expect("small");
        let answer = call(Op::Composition, &[&Value::Layout(a.clone()), &Value::Basis(b.clone())]);
        match answer {
            Ok(Value::Layout(result)) => {
                prop_assert_eq!(result.size(), b.size());
                for (i, at) in (0..).zip(coordinates(&b, &zero)) {
                    prop_assert_eq!(offset(&result, i), offset_of(&a, &at), "{} o {} at {}", a, b, i);
                }
            }
            Ok(other) => prop_assert!(false, "{a} o {b} = {other}"),
            // Then some part of it has none.
            Err(error) => {
                let mut all = Vec::new();
                paths(&zero, &mut Vec::new(), &mut all);
                let exist = all.iter().all(|path| has_composition(&mode_at(&a, path), &part(&b, path)));
                prop_assert!(!exist, "{}", error);
            }
        }
    }

    #[test]
    fn a_tiler_of_coordinate_layouts_goes_mode_by_mode(
        (b, zero, shape, stride) in into_coordinates().prop_flat_map(|(b, zero)| {
            let a = taking(&zero);
            (Just(b), Just(zero), a).prop_map(|(b, zero, (shape, stride))| (b, zero, shape, stride))
        }),
        (n, d) in (1_i64..5, 1_i64..4),
    ) {
        let first = Layout::new(shape, stride).expect("small");
        let second: Layout = "(4,6):(5,100)".parse().expect("a layout");
        let tile = Layout::new(Nested::Leaf(n), Nested::Leaf(d)).expect("small");
        let whole = Value::Layout(Layout::make_layout(&[first.clone(), second.clone()]).expect("small"));
        let tiler = Value::of_tilers(vec![Value::Basis(b.clone()), Value::Layout(tile.clone())], &());
        let tiler = tiler.expect("tilers");
        for op in [Op::Composition, Op::LogicalDivide] {
            let per_mode = [
                call(op, &[&Value::Layout(first.clone()), &Value::Basis(b.clone())]),
                call(op, &[&Value::Layout(second.clone()), &Value::Layout(tile.clone())]),
            ];
            match (call(op, &[&whole, &tiler]), per_mode) {
                (Ok(Value::Layout(found)), [Ok(Value::Layout(first)), Ok(Value::Layout(second))]) => {
                    prop_assert_eq!(found, Layout::make_layout(&[first, second]).expect("small"));
                }
                (Err(_), per_mode) => prop_assert!(per_mode.iter().any(Result::is_err), "{} by {}", whole, tiler),
                (found, _) => prop_assert!(false, "{whole} by {tiler}: {found:?}"),
            }
        }
        let Ok(Value::Layout(found)) = call(Op::Composition, &[&whole, &tiler]) else { return Ok(()) };
        for (i, at) in (0..).zip(coordinates(&b, &zero)) {
            for j in 0..n {
                let coord = Nested::Node(vec![Nested::Leaf(i), Nested::Leaf(j)]);
                let expected = offset_of(&first, &at).map(|at| at + second.at(j * d).expect("small"));
                prop_assert_eq!(found.crd2idx(&coord).ok(), expected, "{} by {} at {}", whole, tiler, coord);
            }
        }
    }

    #[test]
    fn inverses_lead_back((b, zero) in into_coordinates()) {
        let value = Value::Basis(b.clone());
        if let Value::Layout(right) = call(Op::RightInverse, &[&value]).expect("one exists") {
            for i in 0..right.size() {
                let there = right.at(i).expect("small");
                let at = coordinate(&b, &zero, there).expect("small");
                prop_assert_eq!(offset_of(&right, &at), Some(there), "{} by {}", b, right);
                prop_assert_eq!(right.shape().idx2crd(i).ok().map(|c| {
                    right.crd2idx(&c).ok()
                }), Some(Some(there)));
            }
        }
        if let Ok(Value::Layout(left)) = call(Op::LeftInverse, &[&value]) {
            let Nested::Node(strides) = b.stride() else { panic!("flat") };
            for (i, at) in (0..).zip(coordinates(&b, &zero)) {
                let Nested::Node(digits) = b.shape().idx2crd(i).expect("small") else {
                    panic!("flat")
                };
                let still = digits.iter().zip(strides).any(|(digit, stride)| {
                    matches!((digit, stride), (Nested::Leaf(1..), Nested::Leaf(Basis { scale: 0, .. })))
                });
                if !still {
                    prop_assert_eq!(offset_of(&left, &at), Some(i), "{} by {}", b, left);
                }
            }
        }
    }

    #[test]
    fn complements_reach_no_coordinate_twice_and_products_of_chains_neither((b, zero) in into_coordinates()) {
        let value = Value::Basis(b.clone());
        let all = coordinates(&b, &zero);
        let once = all.iter().collect::<BTreeSet<_>>().len() == all.len();
        let injective = call(Op::IsInjective, &[&value]);
        prop_assert!(injective.is_err() || injective == Ok(Value::Bool(once)), "{} {:?}", b, injective);
        let reach = b.coshape().expect("small");
        let onto = all.iter().collect::<BTreeSet<_>>().len();
        let cosize = reach.product().expect("small");
        prop_assert_eq!(call(Op::Cosize, &[&value]), Ok(Value::Int(cosize)));
        let surjective = call(Op::IsSurjective, &[&value]);
        let expected = Value::Bool(i64::try_from(onto) == Ok(cosize));
        prop_assert!(surjective.is_err() || surjective == Ok(expected), "{} {:?}", b, surjective);
        let together = |rest: &BasisLayout| {
            let rest = coordinates(rest, &zero);
            let moved: BTreeSet<Vec<i64>> = rest.iter().flat_map(|by| {
                let by = by.leaves();
                let distinct: BTreeSet<_> = all.iter().map(Tuple::leaves).collect();
                distinct.into_iter().map(move |at| {
                    at.iter().zip(&by).map(|(a, b)| a + b).collect::<Vec<i64>>()
                })
            }).collect();
            (moved.len(), onto * rest.len())
        };
        if let Ok(Value::Basis(rest)) = call(Op::Complement, &[&value, &Value::Tuple(reach)]) {
            let (reached, expected) = together(&rest);
            prop_assert_eq!(reached, expected, "{} and {}", b, rest);
        }
        let times = Value::Layout("3:1".parse().expect("a layout"));
        if let Ok(Value::Basis(product)) = call(Op::LogicalProduct, &[&value, &times]) {
            let Nested::Node(shapes) = product.shape() else { panic!("two modes") };
            prop_assert_eq!(&shapes[0], b.shape());
            let whole: BTreeSet<Vec<i64>> =
                coordinates(&product, &zero).iter().map(Tuple::leaves).collect();
            // As of plain layouts: where strides of a part are no chain, copies may meet in its gaps.
            let mut all_parts = Vec::new();
            paths(&zero, &mut Vec::new(), &mut all_parts);
            if all_parts.iter().all(|path| is_chain(&part(&b, path))) {
                prop_assert_eq!(whole.len(), onto * 3, "{}", product);
            }
        }
    }
}
