//! Composed layouts in terms: what is done inside, what is affine, and slices against the slow definition.

use crate::terms;

use layout_algebra::{AnyLayout, Coord, Facts, Layout, Term, evaluate};
use layout_random::{Numbers, checked};
use terms::check;

fn symbolic(text: &str) -> String {
    match evaluate(text, &mut Facts::new()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn what_rearranges_coordinates_happens_inside() {
    check(&[
        ("dice((1,_), S<3,3,3> o 0 o (8,64):(64,1))", "S<3,3,3> o 0 o (8):(64)"),
        ("dice((1,_), S<0,4,3> o 5 o (8,8):(8,1))", "S<0,4,3> o 5 o (8):(8)"),
        ("dice((1,_), 64:2 o 5 o (8,8):(8,1))", "64:2 o 5 o (8):(8)"),
        ("make_layout_like(S<3,3,3> o 0 o (8,64):(64,1))", "(8,64):(64,1)"),
        ("make_layout_like(64:2 o 5 o (8,8,2):(16,1,0))", "(8,8,2):(8,1,0)"),
        ("make_layout_like((3,6,3):(-18,-1,-6))", "(3,6,3):(1,9,3)"),
        ("complement(S<3,3,3> o 0 o (8,8):(64,1), 1024)", "(8,2):(8,512)"),
        ("complement(64:2 o 5 o (4,2):(2,1))", "1:0"),
        ("sort(S<1,0,1> o 4 o (2,4):(4,1))", "S<1,0,1> o 4 o (4,2):(1,4)"),
        ("sort(16:3 o 1 o (2,4):(4,1))", "16:3 o 1 o (4,2):(1,4)"),
        ("coshape(S<1,0,1> o 4 o (2,4):(4,1))", "12"),
        ("coshape(16:3 o 1 o (2,4):(4,1), 1)", "13"),
        ("in_bounds_of_divide(S<1,0,1> o 4 o 10:1, 4:1)", "[[(4,3):(1,4), 10]]"),
        ("in_bounds_of_composition(16:3 o 1 o 10:1, 4:3)", "[]"),
        (
            "dice((1,2), S<3,3,3> o 0 o 8:64)",
            "error: expected a coordinate that fits the shape 8, found (1,2)",
        ),
    ]);
    for (text, expected) in [
        ("dice((1,_), S<3,3,3> o 0 o (M,64):(64,1))", "S<3,3,3> o 0 o (M):(64)"),
        ("dice((1,_), S<0,4,3> o i o (M,8):(8,1))", "S<0,4,3> o i o (M):(8)"),
        ("make_layout_like(S<3,3,3> o 0 o (M,64):(64,1))", "(M,64):(64,1)"),
        ("complement(S<3,3,3> o i o (M,8):(64,1), 64*M)", "8:8"),
        ("sort(S<1,0,1> o i o (M{range=2..},4):(4,1))", "S<1,0,1> o i o (4,M):(1,4)"),
        ("nullspace(S<1,0,1> o i{range=0..0} o (M,4):(0,1))", "M:1"),
        ("nullspace((M,4):(4,1) o 0 o (2,2):(0,1))", "2:1"),
        (
            "nullspace(S<1,0,1> o i{div=2} o (M,4):(0,1))",
            "error: nullspace(S<1,0,1> o i o (M,4):(0,1)): needs \"i+mod(i/2,2) = 0\", which is not known; \
             write i+mod(i/2,2) for 0",
        ),
    ] {
        assert_eq!(symbolic(text), expected, "{text}");
    }
}

/// An offset before a layout without a swizzle only moves it.
#[test]
fn affine_layouts() {
    check(&[
        ("slice((1,_), S<0,4,3> o 5 o (8,8):(8,1))", "S<0,4,3> o 13 o (8):(1)"),
        ("slice((1,_), S<0,4,3> o -8 o (8,8):(8,1))", "(8):(1)"),
        ("slice((_,1), S<0,0,0> o 66 o (2,3):(64,1))", "S<0,0,0> o 67 o (2):(64)"),
        ("slice((_,1), (8,64):(64,1) o (1,2) o (2,3):(1@0,1@1))", "S<0,0,0> o 67 o (2):(64)"),
        ("slice((0,1), (8,64):(64,1) o (1,2) o (2,3):(1@0,1@1))", "S<0,0,0> o 67 o ():()"),
        (
            "local_tile((8,64):(64,1) o (1,2) o (2,4):(1@0,1@1), (2,2), (0,1))",
            "S<0,0,0> o 68 o (2,2):(64,1)",
        ),
        ("slice_and_offset((1,_), S<0,4,3> o 5 o (8,8):(8,1))", "[(8):(1), 13]"),
        ("recast(S<0,4,3> o 8 o (8,8):(8,1), 16, 32)", "S<0,4,3> o 4 o (8,4):(4,1)"),
        ("recast(S<0,4,3> o 5 o (8,8):(8,1), 32, 16)", "S<0,4,3> o 10 o (8,16):(16,1)"),
        (
            "recast(S<0,4,3> o 5 o (8,8):(8,1), 16, 32)",
            "error: upcast(S<0,4,3> o 5 o (8,8):(8,1), 2): expected an offset that is a multiple of a wide element, \
             found 5",
        ),
        ("cosize(S<0,4,3> o 5 o (8,8):(8,1))", "69"),
        ("coalesce(S<0,4,3> o 5 o (8,8):(1,8))", "S<0,4,3> o 5 o 64:1"),
        // Too large to go through index by index.
        ("left_inverse(S<0,4,3> o 0 o (1600,1600):(1,0))", "1600:1"),
        ("right_inverse(S<0,4,3> o 0 o (1600,1601):(1,1600))", "2561600:1"),
    ]);
    for (text, expected) in [
        ("slice_and_offset((1,_), S<0,4,3> o i o (M,8):(8,1))", "[(8):(1), i+8]"),
        ("slice((1,_), S<0,4,3> o i o (M,8):(8,1))", "S<0,4,3> o i+8 o (8):(1)"),
        ("recast(S<0,4,3> o i{div=2} o (M,8):(8,1), 16, 32)", "S<0,4,3> o i/2 o (M,4):(4,1)"),
        ("recast(S<0,4,3> o i o (M,8):(8,1), 32, 16)", "S<0,4,3> o 2*i o (M,16):(16,1)"),
        ("cosize(S<0,4,3> o 5 o (M,8):(8,1))", "8*M+5"),
    ] {
        assert_eq!(symbolic(text), expected, "{text}");
    }
}

fn any(text: &str) -> AnyLayout {
    Term::parse(text).and_then(|term| term.eval_layout()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A slice and where it starts are the whole at the coordinates that are kept; the offsets of both lie below their
/// cosizes. This is what the partition of a tensor under a swizzle makes of it.
#[test]
fn slices_are_the_whole_at_fixed_coordinates() {
    let layouts = [
        "S<3,0,3> o 0 o (8,8):(8,1)",
        "S<2,1,3> o 5 o (8,8):(8,1)",
        "S<2,0,-3> o 3 o (8,(2,4)):(1,(8,16))",
        "S<0,4,3> o 5 o (8,8):(8,1)",
        "(4,40):(1,8) o 6 o (8,8):(8,1)",
        "100:3 o 7 o (8,(4,2)):(1,(8,40))",
    ];
    for text in layouts {
        for divided in ["", "zipped_divide", "tiled_divide", "partition"] {
            let whole = match divided {
                "" => any(text),
                // As tensors are partitioned: a thread's part of a tile in thread-value form.
                "partition" => any(&format!("composition({text}, ((4,2),8):((1,32),4))")),
                name => any(&format!("{name}({text}, (4,2))")),
            };
            let AnyLayout::Composed(composed) = &whole else { panic!("{whole}") };
            let modes = composed.inner.modes();
            let first = &modes[0];
            for fixed in 0..first.size() {
                let mut coord = vec![Coord::At(fixed)];
                coord.resize(modes.len(), Coord::Any);
                let (kept, offset) = whole.slice_and_offset(&Coord::Tuple(coord)).expect("it fits");
                assert_eq!(kept.size(), composed.inner.size() / first.size());
                let below = kept.cosize().expect("small");
                let mut most = 0;
                for index in 0..kept.size() {
                    let there = kept.at(index).expect("small");
                    most = most.max(there);
                    let whole_index = fixed + first.size() * index;
                    assert_eq!(
                        Ok(there + offset),
                        whole.at(whole_index),
                        "{whole} at {fixed}, {index}: {kept} + {offset}"
                    );
                }
                assert!(most < below, "{kept}: {most} is not below {below}");
            }
        }
    }
}

/// A composed layout of up to three modes: under a swizzle, with an offset alone, under a layout, or under a layout by
/// coordinates.
fn drawn(numbers: &mut Numbers) -> String {
    let extents: Vec<i64> =
        (0..numbers.within(1, 3)).map(|_| numbers.pick(&[1, 2, 3, 4])).collect();
    let mut modes = |of: &mut dyn FnMut(&mut Numbers) -> String| {
        let strides: Vec<String> = extents.iter().map(|_| of(numbers)).collect();
        let shape: Vec<String> = extents.iter().map(i64::to_string).collect();
        format!("({}):({})", shape.join(","), strides.join(","))
    };
    let inner = modes(&mut |numbers| numbers.pick(&[0, 1, 2, 3, 4, 8, 16, 64]).to_string());
    let steps = modes(&mut |numbers| format!("{}@{}", numbers.pick(&[1, 2]), numbers.within(0, 1)));
    let offset = numbers.within(0, 70);
    match numbers.within(0, 3) {
        0 => {
            let (bits, base) = (numbers.within(1, 3), numbers.within(0, 2));
            let shift = numbers.within(bits, 4) * numbers.pick(&[1, -1]);
            format!("S<{bits},{base},{shift}> o {offset} o {inner}")
        }
        1 => format!("S<0,{},{}> o {offset} o {inner}", numbers.within(0, 4), numbers.within(0, 3)),
        2 => format!("(6,5,40):(1,9,50) o {offset} o {inner}"),
        _ => {
            let at = [numbers.within(0, 3), numbers.within(0, 3)];
            format!("(64,64):(64,1) o ({},{}) o {steps}", at[0], at[1])
        }
    }
}

/// `slice_and_offset(c, L)` is `L` at `c` filled in; `slice(c, L)` alone as well, but for a swizzle that moves something,
/// where CuTe gives the offset that the swizzle does not need back.
#[test]
fn a_slice_is_the_whole_at_the_coordinate_filled_in() {
    let (mut alone, mut folded) = (0, 0);
    for seed in 0..600 {
        checked(seed, |numbers| {
            let text = drawn(numbers);
            let Ok(whole) = Term::parse(&text).and_then(|term| term.eval_layout()) else { return };
            let AnyLayout::Composed(composed) = &whole else { return };
            let modes = composed.inner.modes();
            let pattern: Vec<Option<i64>> = modes
                .iter()
                .map(|mode| numbers.percent(50).then(|| numbers.within(0, mode.size() - 1)))
                .collect();
            let coord = pattern.iter().map(|at| at.map_or(Coord::Any, Coord::At)).collect();
            let coord = Coord::Tuple(coord);
            let by_term = |op: &str| {
                let term = Term::parse(&format!("{op}({coord}, {text})")).expect("a call");
                term.eval().expect("it fits").to_string()
            };
            let (kept, offset) = whole.slice_and_offset(&coord).expect("it fits");
            let slice = composed.slice(&coord).expect("it fits");
            assert_eq!(by_term("slice"), slice.to_string());
            assert_eq!(by_term("slice_and_offset"), format!("[{kept}, {offset}]"));
            let moves = composed.swizzle().is_some_and(|swizzle| !swizzle.is_identity());
            for index in 0..kept.size() {
                // The index of the whole: digits where the coordinate has `_`.
                let (mut left, mut place, mut below) = (index, 0, 1);
                for (mode, fixed) in modes.iter().zip(&pattern) {
                    let digit = fixed.unwrap_or(left % mode.size());
                    left = if fixed.is_some() { left } else { left / mode.size() };
                    place += digit * below;
                    below *= mode.size();
                }
                let expected = whole.at(place).expect("small");
                assert_eq!(kept.at(index).map(|at| at + offset), Ok(expected), "{coord} of {text}");
                if !moves {
                    assert_eq!(slice.at(index), Ok(expected), "{coord} of {text}: {slice}");
                }
            }
            if moves { folded += 1 } else { alone += 1 }
        });
    }
    assert!(alone > 200 && folded > 80, "{alone} {folded}");
}

fn value(text: &str) -> Result<String, String> {
    let value = Term::parse(text).and_then(|term| term.eval());
    value.map(|value| value.to_string()).map_err(|error| error.to_string())
}

/// A swizzle around a layout leaves these as they are.
#[test]
fn what_a_swizzle_lets_through() {
    check(&[
        // As CuTe C++ answers.
        ("max_common_vector(S<3,3,3> o 0 o (8,64):(64,1), (8,64):(64,1))", "8"),
        ("max_common_vector((8,64):(64,1), S<3,3,3> o 0 o (8,64):(64,1))", "8"),
        ("max_common_vector(S<3,3,3> o 0 o (8,64):(64,1), S<3,3,3> o 0 o (8,64):(64,1))", "512"),
        ("max_common_vector(S<3,3,3> o 0 o (8,64):(64,1), S<2,4,3> o 0 o (8,64):(64,1))", "8"),
        ("max_common_layout(S<3,3,3> o 0 o (8,64):(64,1), (8,64):(64,1))", "8:8"),
        ("max_common_layout((8,64):(64,1), S<3,3,3> o 0 o (8,64):(64,1))", "8:8"),
        ("filter(S<3,3,3> o 0 o (8,64):(64,0), (1,1))", "S<3,3,3> o 0 o (8,1):(64,0)"),
        // Where it has none.
        ("filter(S<3,3,3> o 0 o (8,64):(64,0))", "S<3,3,3> o 0 o 8:64"),
        ("filter_zeros(5:1 o 1 o (2,4):(1,0))", "5:1 o 1 o (2,1):(1,0)"),
        ("nullspace(S<3,3,3> o 0 o (8,64):(64,0))", "64:8"),
        // Offset 8 of both is element 9, which the vector of 9 lacks.
        ("max_common_vector(S<2,0,3> o 0 o (3,3):(1,3), S<2,0,3> o 0 o (3,3):(1,3))", "8"),
        // Blocks of 8 elements from the offset on, and halves of blocks.
        ("max_common_vector(S<3,3,3> o 8 o (8,64):(64,1), (8,64):(64,1))", "8"),
        ("max_common_vector(S<3,3,3> o 12 o (8,64):(64,1), (8,64):(64,1))", "4"),
        ("max_common_vector((8,64):(64,1), S<3,3,3> o 7 o (8,64):(64,1))", "1"),
        ("max_common_vector(S<0,3,3> o 7 o (8,64):(64,1), (8,64):(64,1))", "512"),
        ("max_common_layout(S<3,3,3> o 12 o (8,64):(64,1), (8,64):(64,1))", "4:8"),
        // The same offset under the same swizzle; other offsets.
        (
            "max_common_vector(S<3,3,3> o 512 o (8,64):(64,1), S<3,3,3> o 512 o (8,64):(64,1))",
            "512",
        ),
        ("max_common_vector(S<3,3,3> o 8 o (8,64):(64,1), S<3,3,3> o 8 o (8,64):(64,1))", "512"),
        ("max_common_vector(S<2,0,2> o 4 o 16:1, S<2,0,2> o 4 o 16:1)", "15"),
        ("max_common_vector(S<2,0,2> o 5 o 16:1, S<2,0,2> o 5 o 16:1)", "1"),
        ("max_common_vector(S<3,3,3> o 8 o (8,64):(64,1), S<3,3,3> o 16 o (8,64):(64,1))", "8"),
        ("max_common_vector(8:1 o 0 o 4:1, 4:1)", "4"),
        (
            "max_common_vector(8:1 o 1 o 4:1, 4:1)",
            "error: composition(8:1 o 1 o 4:1): expected a layout that is plain, from offset 0 on, found 1",
        ),
        ("max_alignment(S<3,4,3>)", "16"),
        ("make_layout(S<3,4,3>)", "S<3,4,3> o 0 o 1024:1"),
        ("make_layout(S<2,0,-3>)", "S<2,0,-3> o 0 o 32:1"),
        ("make_layout(S<0,4,3>)", "128:1"),
        (
            "max_common_layout(S<1,0,2> o 0 o 4:1, S<2,0,2> o 0 o 4:1)",
            "error: max_common_layout: expected a plain layout beside a swizzled one, found S<1,0,2> o 0 o 4:1",
        ),
        // Outside of a layout, and where the swizzle takes the offset to 0.
        ("nullspace(8:3 o 0 o (2,4):(1,0))", "4:2"),
        ("nullspace((2,4):(0,1) o 1 o (2,4):(1,0))", "4:2"),
        ("nullspace(S<2,0,0> o 3 o (2,4):(1,0))", "4:2"),
        (
            "nullspace(S<1,0,2> o 1 o (2,4):(1,0))",
            "error: nullspace(S<1,0,2> o 1 o (2,4):(1,0)): expected offset 0 at index 0, found 1",
        ),
    ]);
}

/// A coordinate layout as the outer one.
#[test]
fn coordinates_of_composed_layouts() {
    const SWIZZLED: &str = "(8,8):(1@0,1@1) o 0 o S<3,0,3> o 0 o (8,8):(8,1)";
    check(&[
        ("(4,4):(1@0,1@1) o 5 o (2,2):(1,4)", "(4,4):(1@0,1@1) o 5 o (2,2):(1,4)"),
        ("crd2idx((1,1), (4,4):(1@0,1@1) o 5 o (2,2):(1,4))", "(2,2)"),
        ("((4,4):(1@0,1@1) o 5 o (2,2):(1,4))(3)", "(2,2)"),
        ("(4,4):(1@0,1@1) o (0,0) o (2,2):(1@1,1@0)", "(2,2):(1@1,1@0)"),
        ("(4,4):(1@0,1@1) o (1,2) o (2,2):(1@1,1@0)", "(4,4):(1@0,1@1) o 9 o (2,2):(4,1)"),
        (
            "make_composed_layout(make_identity_layout((4,8)), 3, (8,4):(4,1))",
            "(4,8):(1@0,1@1) o 3 o (8,4):(4,1)",
        ),
        // One coordinate layout, where there is one.
        ("composition((4,4):(1@0,1@1), (4,4):(4,1) o 0 o (2,2):(1,4))", "(2,2):(1@1,1@0)"),
        ("composition((4,4):(1@0,1@1), S<1,0,2> o 0 o (2,2):(1,8))", "(2,2):(1@0,2@1)"),
        ("composition((8,8):(1@0,1@1), S<3,0,3> o 0 o (8,8):(8,1))", SWIZZLED),
        (
            "composition((8,8):(1@0,1@1), S<1,0,1> o 4 o (2,2):(8,1))",
            "(8,8):(1@0,1@1) o 0 o S<1,0,1> o 4 o (2,2):(8,1)",
        ),
        (
            "composition((4,4):(1@0,1@1), S<1,0,2>)",
            "(4,4):(1@0,1@1) o 0 o S<1,0,2> o 0 o (4,4):(1,4)",
        ),
        ("composition((2,4):(1@0,1@1), S<1,0,3>)", "(2,4):(1@0,1@1)"),
        // Modes are rearranged inside.
        (
            "zipped_divide((4,4):(1@0,1@1) o 5 o (2,2):(1,4), (1,2))",
            "(4,4):(1@0,1@1) o 5 o ((1,2),(2,1)):((1,4),(1,0))",
        ),
        ("get((4,4):(1@0,1@1) o 5 o (2,2):(1,4), 1)", "(4,4):(1@0,1@1) o 5 o 2:4"),
        ("slice((1,_), (4,4):(1@0,1@1) o 5 o (2,2):(1,4))", "(4,4):(1@0,1@1) o 6 o (2):(4)"),
        (
            "slice_and_offset((1,_), (4,4):(1@0,1@1) o 5 o (2,2):(1,4))",
            "[(4,4):(1@0,1@1) o 6 o (2):(4), (0,0)]",
        ),
        ("dice((1,_), (4,4):(1@0,1@1) o 5 o (2,2):(1,4))", "(4,4):(1@0,1@1) o 5 o (2):(1)"),
        (
            "local_tile((4,4):(1@0,1@1) o 0 o (4,4):(4,1), (2,2), (1,1))",
            "(4,4):(1@0,1@1) o 10 o (2,2):(4,1)",
        ),
        ("transpose((4,4):(1@0,1@1) o 5 o (2,3):(1,4))", "(4,4):(1@0,1@1) o 5 o (3,2):(4,1)"),
        (
            "composition((4,4):(1@0,1@1) o 5 o (2,2):(1,4), (2,2):(2,1))",
            "(4,4):(1@0,1@1) o 5 o (2,2):(4,1)",
        ),
        (
            "composition((4,4):(1@0,1@1) o 5 o 4:1, S<1,0,1> o 0 o 4:1)",
            "(4,4):(1@0,1@1) o 5 o S<1,0,1> o 0 o 4:1",
        ),
        ("size((4,4):(1@0,1@1) o 5 o (2,3):(1,4))", "6"),
        ("shape((4,4):(1@0,1@1) o 5 o (2,3):(1,4))", "(2,3)"),
        ("rank((4,4):(1@0,1@1) o 5 o (2,3):(1,4))", "2"),
        ("equal((4,4):(1@0,1@1) o 0 o (2,2):(1,4), (2,2):(1@0,1@1))", "true"),
        ("equal((4,4):(1@0,1@1) o 1 o (2,2):(1,4), (2,2):(1@0,1@1))", "false"),
        (
            "right_inverse((4,4):(1@0,1@1) o 5 o (2,3):(1,4))",
            "error: right_inverse((4,4):(1@0,1@1) o 5 o (2,3):(1,4)): expected inverses that compose, so \
             that each index comes back, found none for coordinate 0",
        ),
        ("cosize((4,4):(1@0,1@1) o 5 o (2,3):(1,4))", "12"),
        (
            "make_composed_layout(S<3,3,3> o 0 o 8:1, 0, 8:1)",
            "error: make_composed_layout: expected a swizzle, or a plain or a coordinate layout as operand 1, found S<3,3,3> o 0 o 8:1",
        ),
        // One element is left, or no mode is fixed.
        ("slice((1,2), (4,8):(8,1))", "():()"),
        ("slice(3, (4,8):(8,1))", "():()"),
        ("slice((1,2), (4,8):(1@0,1@1))", "():()"),
        ("slice((1,2), S<3,3,3> o 0 o (8,64):(64,1))", "():()"),
        ("slice((1,2), 4:1 o 1 o (4,8):(8,1))", "4:1 o 11 o ():()"),
        ("slice_and_offset((1,2), (4,8):(8,1))", "[():(), 10]"),
        ("dice((_,_), (4,8):(8,1))", "():()"),
        ("dice(_, (4,8):(8,1))", "():()"),
        ("dice(_, S<3,3,3> o 0 o (8,64):(64,1))", "S<3,3,3> o 0 o ():()"),
        ("local_tile((4,8):(8,1), (2,2), (0,_))", "(2,2,4):(8,1,2)"),
    ]);
    let open = |text: &str| match evaluate(text, &mut Facts::new()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    };
    for (text, expected) in [
        ("(4,M):(1@0,1@1) o i o (2,M):(1,4)", "(4,M):(1@0,1@1) o i o (2,M):(1,4)"),
        ("composition((4,M):(1@0,1@1), S<0,0,0> o 0 o (2,M):(1,4))", "(2,M):(1@0,1@1)"),
        ("crd2idx((1,c{range=0..}), (4,M):(1@0,1@1) o 4*i{range=0..} o (2,M):(1,4))", "(1,c+i)"),
        (
            "slice((1,c), (4,M):(1@0,1@1) o 4*i o (2,M):(1,4))",
            "(4,M):(1@0,1@1) o 4*c+4*i+1 o ():()",
        ),
        ("slice((i,2), (M,8):(8,1))", "():()"),
        ("max_common_vector(S<3,3,3> o j{div=8} o (M,64):(64,1), (M,64):(64,1))", "8"),
        ("max_common_vector(S<3,3,3> o 4 o (M,64):(64,1), (M,64):(64,1))", "4"),
        ("max_common_vector(S<3,3,3> o 0 o (M,N{div=64}):(N,1), (M,N):(N,1))", "8"),
        (
            "max_common_vector(S<3,3,3> o 0 o (8*M,64):(64,1), S<3,3,3> o 0 o (8*M,64):(64,1))",
            "512*M",
        ),
        (
            "max_common_vector(S<3,3,3> o k o (M,64):(64,1), (M,64):(64,1))",
            "error: max_common_vector(S<3,3,3> o k o (M,64):(64,1), (M,64):(64,1)): needs \"8 divides k\", which is not known; add the fact k{div=8}",
        ),
        (
            "max_common_vector(S<3,3,3> o j o (M,64):(64,1), S<3,3,3> o k o (M,64):(64,1))",
            "error: max_common_vector(S<3,3,3> o j o (M,64):(64,1), S<3,3,3> o k o (M,64):(64,1)): needs \"j = k\", which is not known; write k for j",
        ),
    ] {
        assert_eq!(open(text), expected, "{text}");
    }
}

/// Against the values: vectors are contiguous in both, and null spaces reach offset 0 alone.
#[test]
fn what_a_swizzle_lets_through_has_the_right_values() {
    let leaf = |numbers: &mut Numbers| {
        (numbers.pick(&[1, 2, 3, 4, 8]), numbers.pick(&[0, 1, 2, 3, 4, 8, 16, 32]))
    };
    let mut answered = [0; 2];
    for seed in 0..3000 {
        checked(seed, |numbers| {
            let leaves: Vec<_> = (0..numbers.within(1, 3)).map(|_| leaf(numbers)).collect();
            let text = |part: fn(&(i64, i64)) -> i64| {
                let parts: Vec<_> = leaves.iter().map(|leaf| part(leaf).to_string()).collect();
                format!("({})", parts.join(","))
            };
            let plain = format!("{}:{}", text(|leaf| leaf.0), text(|leaf| leaf.1));
            let (bits, base) = (numbers.within(0, 3), numbers.within(0, 3));
            let shift = numbers.within(1, 3) * numbers.pick(&[1, -1]);
            let offset = numbers.pick(&[0, 0, 1, 4, 8, 12, 24, 64]);
            let swizzled = format!("S<{bits},{base},{shift}> o {offset} o {plain}");
            let whole = any(&swizzled);
            let inside: Layout = plain.parse().expect("a layout");
            let others = [
                plain.clone(),
                swizzled.clone(),
                format!("S<1,1,2> o 0 o {plain}"),
                format!("S<{bits},{base},{shift}> o 8 o {plain}"),
            ];
            for other in others {
                let Ok(vector) = value(&format!("max_common_vector({swizzled}, {other})")) else {
                    continue;
                };
                let (vector, other): (i64, _) = (vector.parse().expect("a number"), any(&other));
                // Steps from the first element, in both.
                let at = |layout: &AnyLayout, i| layout.at(i).expect("small");
                let step = |layout, i| at(layout, i) - at(layout, 0);
                let places: Vec<[i64; 2]> = (0..whole.size())
                    .map(|i| [&whole, &other].map(|layout| step(layout, i)))
                    .collect();
                for offset in 0..vector {
                    assert!(places.contains(&[offset; 2]), "{vector} of {swizzled}, {other}");
                }
                answered[0] += i32::from(vector > 1);
            }
            if let Ok(common) = value(&format!("max_common_layout({swizzled}, {plain})")) {
                let common = any(&common);
                for offset in 0..common.size() {
                    let (place, start) = (common.at(offset).expect("small"), whole.at(0));
                    let step = whole.at(place).expect("small") - start.expect("small");
                    assert_eq!((step, inside.at(place)), (offset, Ok(offset)), "{swizzled}");
                }
            }
            if let Ok(null) = value(&format!("nullspace({swizzled})")) {
                let null = any(&null);
                for i in 0..null.size() {
                    assert_eq!(whole.at(null.at(i).expect("small")), Ok(0), "{swizzled}: {null}");
                }
                answered[1] += i32::from(null.size() > 1);
            }
        });
    }
    assert!(answered.iter().all(|&count| count > 100), "{answered:?}");
}

/// `(A, A* o S o B)`: CuTe finds the swizzle of the whole, and so does this.
#[test]
fn a_block_is_repeated_at_swizzled_places() {
    check(&[
        (
            "zipped_product((2,2):(1,2), S<1,0,1> o 0 o (2,2):(2,1))",
            "S<1,2,1> o 0 o ((2,2),(2,2)):((1,2),(8,4))",
        ),
        (
            "tiled_product((2,2):(1,2), S<1,0,1> o 0 o (2,2):(2,1))",
            "S<1,2,1> o 0 o ((2,2),2,2):((1,2),8,4)",
        ),
        (
            "flat_product((2,2):(1,2), S<1,0,1> o 0 o (2,2):(2,1))",
            "S<1,2,1> o 0 o (2,2,2,2):(1,2,8,4)",
        ),
        (
            "logical_product(4:1, 16:1 o 3 o 2:1)",
            "error: logical_product(4:1, 16:1 o 3 o 2:1): expected places that are a layout, or under a \
             swizzle that moves no offset of the block, found 16:4 o 3 o (4,2):(1,1)",
        ),
    ]);
    let (mut answered, mut swizzled) = (0, 0);
    for seed in 0..2000 {
        checked(seed, |numbers| {
            let leaf = |numbers: &mut Numbers| numbers.pick(&[1, 2, 4]);
            let [a, b, c, d] = [0; 4].map(|_| leaf(numbers));
            let block = match numbers.within(0, 2) {
                0 => format!("({a},{b}):(1,{a})"),
                1 => format!("({a},{b}):({b},1)"),
                _ => format!("({a},{b}):(1,{})", 2 * a),
            };
            let (bits, base) = (numbers.within(0, 2), numbers.within(0, 2));
            let shift = numbers.within(bits, 3) * numbers.pick(&[1, -1]);
            let times = format!("S<{bits},{base},{shift}> o 0 o ({c},{d}):({d},1)");
            let Ok(found) = value(&format!("logical_product({block}, {times})")) else { return };
            let (whole, block, times) = (any(&found), any(&block), any(&times));
            let AnyLayout::Plain(inside) = &block else { panic!("{block}") };
            let codomain = block.size() * times.cosize().expect("small");
            let free = any(&format!("complement({inside}, {codomain})"));
            for index in 0..whole.size() {
                let (place, of_block) = (index / block.size(), index % block.size());
                let place = free.at(times.at(place).expect("small")).expect("small");
                let expected = block.at(of_block).expect("small") + place;
                assert_eq!(whole.at(index), Ok(expected), "{block}, {times}: {whole} at {index}");
            }
            answered += 1;
            swizzled += i32::from(matches!(whole, AnyLayout::Composed(_)));
        });
    }
    assert!(answered > 500 && swizzled > 100, "{answered} {swizzled}");
}
