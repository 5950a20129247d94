//! Pictures, and what they refuse.

use super::{linear, message};

#[test]
fn one_output_is_one_row() {
    let picture = linear("linear<{lane = [1,2], warp = [3]} -> {x = 4}>").picture();
    let expected =
        "lane:warp\nx 0      x 1      x 2      x 3\n0:0 3:1  1:0 2:1  2:0 1:1  3:0 0:1\n";
    assert_eq!(picture.as_deref(), Ok(expected));
}

#[test]
fn elements_that_nobody_holds_are_empty() {
    let picture = linear("linear<{a = [(1,1)]} -> {x = 2, y = 2}>").picture();
    let expected = "a\n     y 0  y 1\nx 0  0\nx 1       1\n";
    assert_eq!(picture.as_deref(), Ok(expected));
}

#[test]
fn without_dimensions_there_is_one_place() {
    assert_eq!(linear("linear<{} -> {}>").picture().as_deref(), Ok("\n\n\n"));
}

#[test]
fn pictures_are_flat_and_small() {
    assert_eq!(
        message(linear("linear<{} -> {x = 2, y = 2, z = 2}>").picture()),
        "picture: expected at most two outputs, found (x, y, z)"
    );
    assert_eq!(
        message(linear("linear<{} -> {x = 8192}>").picture()),
        "coordinates of a picture: expected at most 4096, found 8192"
    );
    let many = format!("linear<{{a = [{}]}} -> {{}}>", ["()"; 13].join(","));
    assert_eq!(
        message(linear(&many).picture()),
        "coordinates of a picture: expected at most 4096, found 8192"
    );
}
