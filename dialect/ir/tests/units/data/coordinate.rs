//! Tests of coordinates.

use super::*;
use layout_algebra::{Value, evaluate};

fn check(coordinate: &str, shape: &str) -> Result<(), Violation> {
    let mut facts = Facts::new();
    let shape = match evaluate(shape, &mut facts) {
        Ok(Value::Tuple(shape)) => shape,
        other => panic!("{shape} is {other:?}"),
    };
    coordinate.parse::<Pattern>().expect("a pattern").check(&shape, &facts)
}

#[test]
fn text_round_trips() {
    for text in ["_", "?", "-3", "(?)", "(_,(?,3,_))"] {
        assert_eq!(text.parse::<Pattern>().expect("a pattern").to_string(), text);
    }
    assert_eq!(" ( _ , 3 ) ".parse::<Pattern>().expect("a pattern").to_string(), "(_,3)");
}

#[test]
fn errors_name_the_place() {
    let error = |text: &str| text.parse::<Pattern>().expect_err("no pattern").to_string();
    assert_eq!(
        error("(_,)"),
        "expected '_', '?', an integer or '(' in a coordinate, found ')' (at byte 3)"
    );
    assert_eq!(error("(_"), "expected ')', found the end (at byte 2)");
    assert_eq!(error("_ 4"), "expected the end of the coordinate, found '4' (at byte 2)");
    assert_eq!(
        error("99999999999999999999"),
        "expected an integer of 64 bits, found '99999999999999999999' (at byte 0)"
    );
    assert_eq!(
        error(&"(".repeat(100_000)),
        "expected a coordinate at most 64 levels deep, found a deeper one (at byte 65)"
    );
}

#[test]
fn coordinates_fit_shapes() {
    let check = |text: &str| check(text, "(8,(4,4))");
    for text in ["_", "?", "127", "(_,_)", "(7,15)", "(?,(3,_))"] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
    let refused = |text: &str| check(text).expect_err("it does not fit").to_string();
    assert_eq!(
        refused("(_,_,_)"),
        "expected a coordinate of 2 modes for the shape (8,(4,4)), found (_,_,_) of 3"
    );
    assert_eq!(refused("((_),_)"), "expected an integer coordinate for the shape 8, found (_)");
    assert_eq!(refused("(8,_)"), "expected a coordinate below 8 for the mode 8, found 8");
    assert_eq!(refused("(0,(-1,_))"), "expected a coordinate below 4 for the mode 4, found -1");
}

#[test]
fn coordinates_fit_what_is_known_of_a_shape() {
    let check = |text: &str| check(text, "(?,(4,?{range=1..9}))");
    for text in ["99", "(99,35)", "(_,(3,8))", "(?,(?,?))"] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
    let refused = |text: &str| check(text).expect_err("it does not fit").to_string();
    assert_eq!(
        refused("(0,(4,9))"),
        "expected a coordinate below 4 for the mode 4, found 4; expected a coordinate below 9 \
         for the mode ?1, found 9"
    );
    assert_eq!(
        refused("(-1,36)"),
        "expected a coordinate of at least 0 for the mode ?0, found -1; expected a coordinate \
         below 36 for the mode (4,?1), found 36"
    );
    assert_eq!(
        refused("(0,(1,2,3))"),
        "expected a coordinate of 2 modes for the shape (4,?1), found (1,2,3) of 3"
    );
}
