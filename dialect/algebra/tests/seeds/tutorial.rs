//! The tutorial.

use super::{check, layout, offsets};
use layout_algebra::meaning;

#[test]
fn terms_to_know() {
    check(&[
        ("rank((2,3))", "2"),
        ("rank(6)", "1"),
        ("rank((6))", "1"),
        ("depth(6)", "0"),
        ("depth((2,3))", "1"),
        ("depth(((2,4),3))", "2"),
        ("size((2,3):(1,4))", "6"),
        ("size(4:2)", "4"),
        ("shape((2,3):(1,4))", "(2,3)"),
        ("stride((2,3):(1,4))", "(1,4)"),
    ]);
}

#[test]
fn table_of_cosizes() {
    for (text, offsets, size, cosize) in [
        ("4:1", &[0, 1, 2, 3][..], 4, 4),
        ("4:2", &[0, 2, 4, 6], 4, 7),
        ("(2,3):(1,4)", &[0, 1, 4, 5, 8, 9], 6, 10),
    ] {
        let layout = layout(text);
        let expected: Vec<_> = offsets.iter().copied().map(Some).collect();
        assert_eq!(meaning::offsets(&layout), expected, "{text}");
        assert_eq!((layout.size(), layout.cosize()), (size, Ok(cosize)), "{text}");
    }
}

/// The offsets that are reached; between them there may be gaps below the cosize.
#[test]
fn table_of_codomains() {
    for (text, reached, never) in [
        ("4:1", &[0, 1, 2, 3][..], &[][..]),
        ("4:2", &[0, 2, 4, 6], &[1, 3, 5]),
        ("(2,3):(1,4)", &[0, 1, 4, 5, 8, 9], &[2, 3, 6, 7]),
    ] {
        let layout = layout(text);
        assert_eq!(layout.image().as_deref(), Ok(reached), "{text}");
        let cosize = layout.cosize().expect("small");
        let gaps: Vec<i64> = (0..cosize).filter(|offset| !reached.contains(offset)).collect();
        assert_eq!(gaps, never, "{text}");
    }
}

/// `cosize(A) = A(size(A) - 1) + 1` holds for strides that are not negative.
#[test]
fn cosize_by_the_last_offset_needs_strides_that_are_not_negative() {
    let layout = layout("3:-2");
    assert_eq!(layout.at(layout.size() - 1).map(|last| last + 1), Ok(-3));
    assert_eq!(layout.cosize(), Ok(5));
}

#[test]
fn indexing_and_slicing() {
    check(&[
        ("crd2idx((2,(0,1)), (4,(2,4)):(2,(1,8)))", "12"),
        ("slice((0,(_,_)), (4,(2,4)):(2,(1,8)))", "(2,4):(1,8)"),
    ]);
}

/// `offset(row, (col1, col2)) = row * s_row + col1 * s_col1 + col2 * s_col2`
#[test]
fn the_formula_of_an_offset() {
    for (row, first, second) in (0..4).flat_map(|row| (0..8).map(move |c| (row, c % 2, c / 2))) {
        let coordinate = format!("crd2idx(({row},({first},{second})), (4,(2,4)):(2,(1,8)))");
        check(&[(&coordinate, &(row * 2 + first + second * 8).to_string())]);
    }
}

#[test]
fn coalescing_keeps_the_function() {
    assert_eq!(offsets("coalesce((2,(1,6)):(1,(6,2)))"), offsets("(2,(1,6)):(1,(6,2))"));
    check(&[("depth(coalesce((2,(1,6)):(1,(6,2))))", "0")]);
}

#[test]
fn table_of_the_four_cases_of_coalescing() {
    check(&[
        ("coalesce((3,1):(5,2))", "3:5"),
        ("coalesce((1,3):(2,5))", "3:5"),
        ("coalesce((3,4):(5,15))", "12:5"),
        ("coalesce((3,4):(5,16))", "(3,4):(5,16)"),
    ]);
}

/// 20/10 is two parts of ten.
#[test]
fn division_of_a_number() {
    check(&[("logical_divide(20:1, 10:1)", "(10,2):(1,10)")]);
}

#[test]
fn coalescing_and_dividing() {
    check(&[
        ("coalesce((2,(1,6)):(1,(6,2)))", "12:1"),
        ("logical_divide((4,6):(6,1), (2,2))", "((2,2),(2,3)):((6,12),(1,2))"),
        ("zipped_divide((4,6):(6,1), (2,2))", "((2,2),(2,3)):((6,1),(12,2))"),
    ]);
}
