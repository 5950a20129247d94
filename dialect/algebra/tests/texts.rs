//! Every value that is printed is read from its text again.

use layout_algebra::{
    AnyLayout, BasisLayout, ComposedLayout, Coord, Layout, Swizzle, Term, Tiler, Tuple, Value,
    linear::LinearLayout,
};
use std::{fmt::Display, str::FromStr};

fn is_read_again<T: FromStr<Err = layout_algebra::Error> + Display + PartialEq>(text: &str) {
    let value: T = text.parse().expect(text);
    assert_eq!(value.to_string(), text);
    assert!(value.to_string().parse::<T>().expect(text) == value, "{text}");
}

#[test]
fn values_are_read_from_their_texts() {
    is_read_again::<Layout>("((2,2),3):((24,2),8)");
    is_read_again::<Tuple>("(4,(2,4))");
    is_read_again::<Coord>("(1,(0,_))");
    is_read_again::<Tiler>("<3:4, (2,4):(1,8)>");
    is_read_again::<Tiler>("<_, <2:1, _>>");
    is_read_again::<Tiler>("(3,8):(1,3)");
    is_read_again::<Tiler>("_");
    is_read_again::<Swizzle>("S<3,4,3>");
    is_read_again::<Swizzle>("S<2,0,-3>");
    is_read_again::<ComposedLayout>("S<3,4,3> o 0 o (8,64):(64,1)");
    is_read_again::<AnyLayout>("S<3,4,3> o 16 o (8,64):(64,1)");
    is_read_again::<AnyLayout>("(8,64):(64,1)");
    is_read_again::<BasisLayout>("(10,(4,6)):(1@0,(1@0@1,1@1@1))");
    is_read_again::<LinearLayout>("linear<{lane = [1,2]} -> {row = 4}>");
    is_read_again::<Value>("24");
    is_read_again::<Term>("composition((6,2):(8,2), (4,3):(3,1))");
    assert_eq!("(3,8)".parse::<Tiler>().expect("a tiler").to_string(), "<3:1, 8:1>");
}

#[test]
fn values_of_other_kinds_are_errors() {
    let errors = [
        "8:1".parse::<Swizzle>().expect_err("a layout"),
        "S<3,4,3>".parse::<Tiler>().expect_err("a swizzle"),
        "8:1".parse::<ComposedLayout>().expect_err("a layout"),
        "(3,8)".parse::<AnyLayout>().expect_err("a tuple"),
        "8:1".parse::<BasisLayout>().expect_err("a layout"),
    ];
    assert_eq!(
        errors.map(|error| error.to_string()),
        [
            "swizzle: expected a swizzle such as S<3,4,3>, found 8:1",
            "tiler: expected a layout, a shape, `_` or a tuple of tilers, found S<3,4,3>",
            "layout: expected a composed layout, found 8:1",
            "layout: expected a layout or a composed layout, found (3,8)",
            "layout: expected a coordinate layout, found 8:1",
        ]
    );
}
