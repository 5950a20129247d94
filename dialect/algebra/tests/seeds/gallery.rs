//! The gallery of compositions on which engines go wrong, and what else is required of the algebra by name.

use super::{check, layout};
use layout_algebra::{Error, Expr, Found, Layout, Values, meaning};

/// The coordinate that refutes every layout, with the expected offset.
#[track_caller]
fn refuted(a: &str, b: &str) -> (i64, i64) {
    let (a, b) = (layout(a), layout(b));
    assert!(!meaning::has_composition(&a, &b), "{a} o {b}");
    match a.composition(&b) {
        Err(Error::NoComposition { coordinate, expected, .. }) => {
            let value = a.at(b.at(coordinate).expect("small"));
            assert_eq!(value, Ok(expected), "{a} o {b} at {coordinate}");
            (coordinate, expected)
        }
        other => panic!("{a} o {b}: {other:?}"),
    }
}

/// cutlass#2955: both engines answer `(3,2):(2,3)`.
#[test]
fn a_carry_is_noticed() {
    assert_eq!(refuted("(6,2):(1,7)", "(3,2):(2,3)"), (5, 8));
}

/// cutlass#3177: CuTe's dialect answers `(2,3):(6,3)`.
#[test]
fn a_weak_test_of_divisibility_is_not_enough() {
    assert_eq!(refuted("(4,6,8):(2,3,5)", "6:3"), (3, 8));
}

/// CuTe's dialect answers `(2,2):(55,11)`.
#[test]
fn offsets_that_stay_where_they_are() {
    assert_eq!(refuted("(6,3):(11,11)", "4:5"), (3, 55));
}

/// pycute answers `3:1`, and forgets two of five.
#[test]
fn nothing_is_cut_off() {
    assert_eq!(refuted("(3,2):(1,5)", "5:1"), (3, 5));
}

/// pycute answers `2:2`.
#[test]
fn three_are_not_two() {
    assert_eq!(refuted("(4,2):(1,10)", "3:2"), (2, 10));
}

/// pycute answers `(4,3,2):(1,4,128)`, of another shape.
#[test]
fn a_result_has_the_shape_of_the_right_operand() {
    let (coordinate, _) = refuted("(12,32):(1,128)", "(4,8):(1,4)");
    assert!((0..32).contains(&coordinate));
}

/// Both engines refuse.
#[test]
fn what_exists_is_found() {
    check(&[("composition((5,6):(24,15), 3:6)", "3:39")]);
}

/// The results of each identity with a condition where the condition is dropped.
#[test]
fn counterexamples_of_the_identities() {
    check(&[
        ("composition((4,8):(8,1), <2:1, 4:1>)", "(2,4):(8,1)"),
        ("coalesce((2,1):(1,80))", "2:1"),
        ("composition((2,1):(1,80), (2,2):(2,1))", "(2,2):(80,1)"),
        ("complement((2,2):(1,5), 20)", "(2,2):(2,10)"),
        ("complement(complement((2,2):(2,1), 4), 4)", "4:1"),
        ("logical_divide(10:1, 4:1)", "(4,3):(1,4)"),
        ("in_bounds_of_divide(10:1, 4:1)", "[[(4,3):(1,4), 10]]"),
        ("logical_product(2:0, 3:1)", "(2,3):(0,1)"),
        ("logical_product(logical_product(2:1, 2:2), 2:1)", "((2,2),2):((1,4),2)"),
        ("logical_product(2:1, logical_product(2:2, 2:1))", "(2,(2,2)):(1,(4,2))"),
        ("right_inverse((2,2):(1,8))", "2:1"),
        ("downcast(upcast((4,4):(2,1), 2), 2)", "(8,4):(1,1)"),
    ]);
}

/// A tiler is no concatenation: of the modes of `(2,4):(1,1)` each composes, but they carry.
#[test]
fn a_concatenation_is_no_tiler() {
    assert_eq!(refuted("(4,8):(8,1)", "(2,4):(1,1)"), (7, 1));
}

/// A sequence of offsets, a function of an index, and a shape or strides that are given.
#[test]
fn functions_become_layouts() {
    assert_eq!(Layout::of_offsets(&[0, 39, 78]), Ok(Ok(layout("3:39"))));
    let refutation =
        Layout::of_offsets(&[0, 2, 4, 3, 5, 8]).expect("small").expect_err("no layout");
    assert_eq!((refutation.index, refutation.expected, refutation.found), (5, 8, 7));
    let f = |i: i64| i % 2 + i / 2 * 7;
    let expected = layout("(2,3):(1,7)");
    assert_eq!(Layout::of_fn(6, f), Ok(Found::Proved(expected.clone())));
    assert_eq!(Layout::of_fn_in(expected.shape(), f), Ok(Found::Proved(expected.clone())));
    let values: Vec<i64> = (0..6).map(f).collect();
    assert_eq!(Layout::of_strides(&[1, 7], &values), Ok(expected));
}

/// The offsets that are reached, with and without symbols.
#[test]
fn images() {
    assert_eq!(layout("(2,3):(1,1)").image(), Ok(vec![0, 1, 2, 3]));
    let (symbols, facts) = Layout::<Expr>::parse("(M,N):(1,1)").expect("a layout");
    let reached = symbols.image_under(&facts).expect("an interval");
    assert_eq!(reached.to_string(), "M+N-1:1");
    let values = Values::new(&facts, [("M", 2), ("N", 3)]).expect("allowed");
    assert_eq!(reached.layout.substitute(&values), Ok(layout("4:1")));
}

/// Strides that are scaled basis elements.
#[test]
fn coordinates_are_offsets_too() {
    check(&[
        ("make_identity_layout((4,8))", "(4,8):(1@0,1@1)"),
        ("coshape((4,8):(1@0,1@1))", "(4,8)"),
    ]);
}
