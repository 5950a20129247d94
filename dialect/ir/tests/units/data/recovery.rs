//! Tests of recovery after an error.

use super::*;
use crate::data::term_value::TermValue;

fn reported(text: &str) -> Vec<String> {
    let refused = TermValue::parse(text).expect_err("an error");
    reports(text, refused)
        .into_iter()
        .map(|report| format!("{}: {} {:?}", report.offset, report.message, report.notes))
        .collect()
}

#[test]
fn all_that_is_wrong_with_a_text_is_reported() {
    assert_eq!(
        reported("(4,(2,2),3):(1,2,(3,4))"),
        [
            "15: [incongruent] expected a stride congruent to the shape (4,(2,2),3), found \
             (1,2,(3,4)) [\"hint: (1,(2,3),4) is congruent\"]",
            "17: [incongruent] expected a stride congruent to the shape 3, found (3,4) \
             [\"hint: 1 is congruent\"]",
        ]
    );
    assert_eq!(
        reported("composition((0,-2):(1,4), ( ? ,8) : (1,( ?,2)))"),
        [
            "13: [extent] expected extents of at least 1, found 0 in (0,-2) [\"hint: 1 is the \
             least\"]",
            "15: [extent] expected extents of at least 1, found -2 in (0,-2) [\"hint: 1 is \
             the least\"]",
            "39: [incongruent] expected a stride congruent to the shape (?,8), found \
             (1,(?,2)) []",
        ]
    );
    assert_eq!(
        reported("composition(compositon(4:1, 2:1), coalesc((4,2):1))"),
        [
            "12: [syntax] expected an operation of the algebra, found `compositon` [\"hint: \
             did you mean 'composition'?\"]",
            "34: [syntax] expected an operation of the algebra, found `coalesc` [\"hint: \
             did you mean 'coalesce'?\"]",
            "48: [incongruent] expected a stride congruent to the shape (4,2), found 1 \
             [\"hint: (1,4) is congruent\"]",
        ]
    );
    assert_eq!(reported("(?{rang=1..4},?{dvi=2}):(1,4)").len(), 2);
    // After an error the value is not known.
    assert_eq!(reported("composition((4,6):(1,5), (0,6):(1,1))").len(), 1);
}
