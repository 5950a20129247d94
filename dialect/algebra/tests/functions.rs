//! Terms that go from offsets to a layout.

use layout_algebra::Term;

fn eval(text: &str) -> String {
    match Term::parse(text).and_then(|term| term.eval()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn offsets_are_a_layout_or_refuted_at_the_first_index() {
    for (term, wanted) in [
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
        assert_eq!(eval(term), wanted, "{term}");
    }
}

/// Tuples of integers alone are read in a way of their own: it gives what the other gives.
#[test]
fn tuples_are_read_and_written_alike_with_and_without_more() {
    let extremes = "(9223372036854775807,(-9223372036854775808,0),10,-1)";
    let layout = format!("(2,(2,2),3,1):{extremes}");
    for (term, wanted) in [
        (" ( 4 ,\t8 ) :\u{a0}( 1 , 4 ) ", "(4,8):(1,4)"),
        ("(4,(8,),):(1,(4,),)", "(4,(8)):(1,(4))"),
        ("(4,(_,),)", "(4,(_))"),
        ("-007", "-7"),
        (extremes, extremes),
        (&layout, &layout),
    ] {
        assert_eq!(eval(term), wanted, "{term}");
    }
}
