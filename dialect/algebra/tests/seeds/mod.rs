//! Every worked example of the texts that this algebra was built from: CuTe's own document on the
//! layout algebra, a tutorial, a summary of it, and the note on layouts as functions. Where a text
//! is wrong, the test says so and gives what is right.

mod document;
mod functions;
mod gallery;
mod summary;
mod tutorial;

use crate::terms::check;
use layout_algebra::{Layout, meaning};

#[track_caller]
fn layout(text: &str) -> Layout {
    text.parse().expect("a layout")
}

/// The offset at each index.
fn offsets(text: &str) -> Vec<i64> {
    meaning::offsets(&layout(text)).into_iter().map(|offset| offset.expect("small")).collect()
}

/// The example that two texts work out row by row: `c`, the coordinate in `B`, `B(c)`, the coordinate
/// in `A`, and `A(B(c))` of `A = (6,2):(8,2)` and `B = (4,3):(3,1)`.
const COMPOSED: [(&str, &str, &str, &str, &str); 12] = [
    ("0", "(0,0)", "0", "(0,0)", "0"),
    ("1", "(1,0)", "3", "(3,0)", "24"),
    ("2", "(2,0)", "6", "(0,1)", "2"),
    ("3", "(3,0)", "9", "(3,1)", "26"),
    ("4", "(0,1)", "1", "(1,0)", "8"),
    ("5", "(1,1)", "4", "(4,0)", "32"),
    ("6", "(2,1)", "7", "(1,1)", "10"),
    ("7", "(3,1)", "10", "(4,1)", "34"),
    ("8", "(0,2)", "2", "(2,0)", "16"),
    ("9", "(1,2)", "5", "(5,0)", "40"),
    ("10", "(2,2)", "8", "(2,1)", "18"),
    ("11", "(3,2)", "11", "(5,1)", "42"),
];

/// Checks every row of [`COMPOSED`], each step in it.
fn check_composed() {
    for (c, in_b, b_of_c, in_a, value) in COMPOSED {
        check(&[
            (&format!("idx2crd({c}, (4,3))"), in_b),
            (&format!("crd2idx({in_b}, (4,3):(3,1))"), b_of_c),
            (&format!("crd2idx({c}, (4,3):(3,1))"), b_of_c),
            (&format!("idx2crd({b_of_c}, (6,2))"), in_a),
            (&format!("crd2idx({in_a}, (6,2):(8,2))"), value),
            (&format!("crd2idx({c}, composition((6,2):(8,2), (4,3):(3,1)))"), value),
            // A coordinate of B is one of the result.
            (&format!("crd2idx({in_b}, composition((6,2):(8,2), (4,3):(3,1)))"), value),
        ]);
    }
}
