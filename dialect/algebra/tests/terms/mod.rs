//! Terms and the text of their values, for the tests that are lists of both.

use layout_algebra::Term;

/// Evaluates each term and compares the text of its value.
#[track_caller]
pub(crate) fn check(cases: &[(&str, &str)]) {
    for (term, expected) in cases {
        let found = match Term::parse(term).and_then(|term| term.eval()) {
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(&found, expected, "{term}");
    }
}
