//! Terms that go from offsets to a layout.

use layout_algebra::{Layout, Term, Tuple};

fn eval(text: &str) -> String {
    match Term::parse(text).and_then(|term| term.eval()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn offsets_are_a_layout_or_refuted_at_the_first_index() {
    for (term, expected) in [
        ("layout_of(0)", "1:0"),
        ("layout_of((0,9223372036854775807))", "2:9223372036854775807"),
        ("layout_of((0,-9223372036854775808), 2)", "2:-9223372036854775808"),
        ("layout_of((0,2,8,10))", "(2,2):(2,8)"),
        ("layout_of(((0,2),(8,10)))", "(2,2):(2,8)"),
        ("layout_of((0,3,1,4,2,5), (2,3))", "(2,3):(3,1)"),
        ("layout_of((0,1,2,3,4,5), (2,3))", "(2,3):(1,2)"),
        ("layout_of((0,1,2,3,4,5), 6:1)", "6:1"),
        (
            "layout_of((0,2,4,3))",
            "error: layout_of((0,2,4,3)): expected the offsets of a layout, found 3 at index 3, \
             where the only candidate has 6",
        ),
        (
            "layout_of((0,3,1,4,2,6), (2,3))",
            "error: layout_of((0,3,1,4,2,6)): expected the offsets of a layout, found 6 at index 5, \
             where the only candidate has 5",
        ),
        (
            "layout_of((1,2))",
            "error: layout_of((1,2)): expected the offsets of a layout, found 1 at index 0, where \
             the only candidate has 0",
        ),
        (
            "layout_of((0,1,2), (2,2))",
            "error: layout_of: expected a shape of 3 coordinates as operand 2, found (2,2)",
        ),
        (
            "layout_of(4:1)",
            "error: layout_of: expected an integer or a tuple of integers as operand 1, found 4:1",
        ),
    ] {
        assert_eq!(eval(term), expected, "{term}");
    }
}

/// Tuples of integers alone are read in a way of their own: it gives what the other gives.
#[test]
fn tuples_are_read_and_written_alike_with_and_without_more() {
    let extremes = "(9223372036854775807,(-9223372036854775808,0),10,-1)";
    let layout = format!("(2,(2,2),3,1):{extremes}");
    for (term, expected) in [
        (" ( 4 ,\t8 ) :\u{a0}( 1 , 4 ) ", "(4,8):(1,4)"),
        ("(4,(8,),):(1,(4,),)", "(4,(8)):(1,(4))"),
        ("(4,(_,),)", "(4,(_))"),
        ("-007", "-7"),
        (extremes, extremes),
        (&layout, &layout),
    ] {
        assert_eq!(eval(term), expected, "{term}");
    }
}

/// Answers that were wrong, or refused, and their kin.
#[test]
fn borders() {
    for (term, expected) in [
        // A row ends with the smaller of the two layouts, and where its modes say.
        ("max_common_vector((2,8):(8,1), (2,16):(16,1))", "8"),
        ("max_common_vector((2,2):(2,1), (2,3):(3,1))", "2"),
        ("max_common_vector((10,2):(1,20), 16:1)", "10"),
        ("max_common_layout((10,2):(1,20), 16:1)", "10:1"),
        ("max_common_vector((8000000,8000000):(1,9000000), 16000000:1)", "8000000"),
        ("max_common_vector(4:-1, 4:1)", "1"),
        ("max_common_vector(1:0, 4:1)", "1"),
        // Negative strides: wide element -1 begins at offset -1.
        (
            "upcast(4:-1, 2)",
            "error: upcast(4:-1, 2): expected modes whose wide elements are contiguous, found \
             offset -3 before wide element -1",
        ),
        ("upcast(3:-1, 2)", "2:-1"),
        ("upcast((2,3):(1,-1), 2)", "(1,2):(1,-1)"),
        ("recast(5:-1, 8, 32)", "2:-1"),
        ("is_bijective(6:-1)", "false"),
        ("is_bijective((2,1):(1,-1))", "true"),
        ("is_bijective((2,3):(3,-1))", "false"),
        ("is_surjective(6:-1)", "true"),
        // The identity at 0 alone.
        ("left_inverse(4:0)", "4:0"),
        // As CuTe's `ceil_div` divides.
        ("evenly_divides(16, (16))", "true"),
        ("evenly_divides(16, ((8)))", "true"),
        ("evenly_divides((16), (8,2))", "false"),
        ("evenly_divides((6,4), 8)", "false"),
        ("evenly_divides((4,6), 8)", "true"),
        ("evenly_divides((6,4), 0)", "false"),
        ("ceil_div((8,16), ((4,8)):((1,4)))", "4"),
        ("ceil_div((8,16), <4:1, 8:1>)", "(2,2)"),
        ("ceil_div((8,16), 4:2)", "(2,16)"),
        ("ceil_div(10, 4:1)", "3"),
        // The right side is a layout, or stays where it is.
        ("composition((16,8):(1,16), S<3,4,-1> o 0 o 10:1)", "10:1"),
        ("composition(12:1, S<1,0,1> o 0 o 4:1)", "S<1,0,1> o 0 o 4:1"),
        ("composition(S<1,3,1>, S<1,0,1> o 0 o 4:1)", "S<1,0,1> o 0 o 4:1"),
        ("composition((4,3):(1,5), S<1,0,1> o 0 o 4:1)", "S<1,0,1> o 0 o 4:1"),
        // The last mode continues, also where it has one entry.
        (
            "composition((2,4):(8,1) o 1 o (1,1):(-1,7), S<0,2,0> o -2 o 4:0)",
            "(2,4):(8,1) o -13 o 4:0",
        ),
        // Bits past those that choose a bank keep the tile in its memory.
        (
            "conflict_free_swizzle(((8),(7,3,1)):((9),(72,3,1)), (32,2):(1,32), (8,4):(21,1), 16)",
            "S<4,0,-4>",
        ),
    ] {
        assert_eq!(eval(term), expected, "{term}");
    }
}

/// A view of other elements has the memory of the first, element by element and as often; and each layout
/// with which CuTe's recast has that memory is taken.
#[test]
fn views_are_recast_within_their_memory() {
    let modes: Vec<(i64, i64)> = [1, 2, 3, 4]
        .into_iter()
        .flat_map(|extent| [-2, -1, 0, 1, 2, 3, 4, 8].map(|stride| (extent, stride)))
        .collect();
    let layout = |modes: &[(i64, i64)]| {
        let leaves = |of: fn(&(i64, i64)) -> i64| {
            Tuple::Node(modes.iter().map(of).map(Tuple::Leaf).collect())
        };
        Layout::new(leaves(|mode| mode.0), leaves(|mode| mode.1)).expect("small")
    };
    let parts = |layout: &Layout, parts: i64| {
        let offsets = (0..layout.size()).map(|i| layout.at(i).expect("small"));
        let mut all: Vec<i64> =
            offsets.flat_map(|offset| (0..parts).map(move |part| offset * parts + part)).collect();
        all.sort_unstable();
        all
    };
    let (mut taken, mut refused, mut beyond) = (0, 0, 0);
    for &a in &modes {
        for &b in &modes {
            for &c in &modes {
                let source = layout(&[a, b, c]);
                // Where a mode of one element leads says nothing of memory.
                let mut counted = [a, b, c];
                let unit = |mode: &(i64, i64)| mode.1 == 1;
                let wide = counted.iter().any(|mode| mode.0 > 1 && unit(mode));
                let alone = counted.iter().position(unit).filter(|_| !wide);
                for (i, mode) in counted.iter_mut().enumerate() {
                    if mode.0 == 1 && alone != Some(i) {
                        mode.1 = 0;
                    }
                }
                for (old, new) in [(16, 8), (32, 8), (8, 16), (8, 32), (48, 32)] {
                    let same = |other: &Layout| {
                        let common =
                            [48, 32, 16, 8].into_iter().find(|of| old % of + new % of == 0);
                        let common = common.expect("bytes");
                        parts(&source, old / common) == parts(other, new / common)
                    };
                    let cute = layout(&counted).recast(old, new).ok();
                    match source.recast_view(old, new) {
                        Ok(view) => {
                            taken += 1;
                            assert!(same(&view), "{source}, {old} to {new}: {view}");
                        }
                        Err(error) => {
                            refused += 1;
                            beyond += usize::from(cute.is_some());
                            let right = cute.filter(same);
                            assert!(right.is_none(), "{error}: {}", right.expect("is some"));
                        }
                    }
                }
            }
        }
    }
    assert!(taken > 5_000 && refused > 5_000 && beyond > 5_000, "{taken} {refused} {beyond}");
}
