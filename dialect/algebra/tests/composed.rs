//! Composed layouts in terms: what is done inside, what is affine, and slices against the slow definition.

mod terms;

use layout_algebra::{AnyLayout, Coord, Facts, Term, evaluate};
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
        (
            "dice((1,2), S<3,3,3> o 0 o 8:64)",
            "error: expected a coordinate that fits the shape 8, found (1,2)",
        ),
    ]);
    for (text, expected) in [
        ("dice((1,_), S<3,3,3> o 0 o (M,64):(64,1))", "S<3,3,3> o 0 o (M):(64)"),
        ("dice((1,_), S<0,4,3> o i o (M,8):(8,1))", "S<0,4,3> o i o (M):(8)"),
        ("make_layout_like(S<3,3,3> o 0 o (M,64):(64,1))", "(M,64):(64,1)"),
    ] {
        assert_eq!(symbolic(text), expected, "{text}");
    }
}

/// An offset before a layout without a swizzle only moves it.
#[test]
fn affine_layouts() {
    check(&[
        ("slice((1,_), S<0,4,3> o 5 o (8,8):(8,1))", "(8):(1)"),
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
