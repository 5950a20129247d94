//! The summary of the algebra.

use super::{check, check_composed, layout};
use layout_algebra::meaning;

#[test]
fn composition_row_by_row() {
    check_composed();
}

#[test]
fn composition_by_hand() {
    check(&[
        ("crd2idx((3,2), (4,3):(3,1))", "11"),
        ("idx2crd(11, (6,2))", "(5,1)"),
        ("crd2idx((5,1), (6,2):(8,2))", "42"),
    ]);
}

/// The layout itself, and then the table row by row, a column for each place of the repetition.
#[test]
fn complement_row_by_row() {
    check(&[
        ("crd2idx((0,0), (2,2):(1,6))", "0"),
        ("crd2idx((0,1), (2,2):(1,6))", "6"),
        ("crd2idx((1,0), (2,2):(1,6))", "1"),
        ("crd2idx((1,1), (2,2):(1,6))", "7"),
    ]);
    let rest = "complement((2,2):(1,6), 24)";
    // A row of the table is one of the layout, repeated: down by 2, and across by 12.
    for row in 0..6 {
        for column in 0..4 {
            let (block, down, across) = ((row % 2, column % 2), row / 2, column / 2);
            let coordinate = format!("(({},{}),({down},{across}))", block.0, block.1);
            check(&[(
                &format!("crd2idx({coordinate}, make_layout((2,2):(1,6), {rest}))"),
                &(row + 6 * column).to_string(),
            )]);
        }
    }
}

/// A tiler is a layout, a tuple of tilers, or a shape.
#[test]
fn tilers_of_three_kinds() {
    check(&[
        ("composition((4,8):(8,1), 4:2)", "(2,2):(16,1)"),
        ("composition((4,8):(8,1), <2:2, 4:2>)", "(2,4):(16,2)"),
        ("composition((4,8):(8,1), (2,4))", "(2,4):(8,1)"),
        ("composition((4,8):(8,1), <2:1, 4:1>)", "(2,4):(8,1)"),
    ]);
}

/// The table of a layout with its complement below 24: each offset once.
#[test]
fn complement_fills_the_table() {
    let all = layout("((2,2),(3,2)):((1,6),(2,12))");
    let mut offsets = meaning::offsets(&all);
    offsets.sort_unstable();
    assert_eq!(offsets, (0..24).map(Some).collect::<Vec<_>>());
    check(&[("complement((2,2):(1,6), 24)", "(3,2):(2,12)")]);
}
