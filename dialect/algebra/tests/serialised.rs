//! Values as text, through `serde` and back. Needs the feature `serde`.

use layout_algebra::{
    AnyLayout, BasisLayout, ComposedLayout, Coord, Layout, Swizzle, Term, Tiler, Tuple, Value,
    linear::LinearLayout,
};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::{Debug, Display};

#[track_caller]
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug + Display>(texts: &[&str]) {
    for text in texts {
        let quoted = serde_json::to_string(text).expect("a string");
        let value: T = serde_json::from_str(&quoted).unwrap_or_else(|e| panic!("{text}: {e}"));
        let written = serde_json::to_string(&value).expect("a string");
        assert_eq!(written, serde_json::to_string(&value.to_string()).expect("a string"));
        assert_eq!(serde_json::from_str::<T>(&written).expect("its own text"), value);
    }
}

#[test]
fn each_kind_of_value() {
    round_trip::<Layout>(&["8:1", "(4,(2,4)):(2,(1,8))", "(2,2):(-1,0)"]);
    round_trip::<Tuple>(&["8", "(4,(2,4))"]);
    round_trip::<Coord>(&["_", "(1,(_,2))"]);
    round_trip::<Swizzle>(&["S<3,4,3>", "S<2,0,-2>"]);
    round_trip::<ComposedLayout>(&["S<3,4,3> o 0 o (8,64):(64,1)", "(4,4):(4,1) o 3 o 4:2"]);
    round_trip::<AnyLayout>(&["8:1", "S<3,4,3> o 0 o (8,64):(64,1)"]);
    round_trip::<BasisLayout>(&["(4,(2,3)):(2@1,(1@0@2,0))"]);
    round_trip::<Tiler>(&["<3:4, _>", "8:1", "<<8:1, 8:1>, _>"]);
    round_trip::<Term>(&["composition((6,2):(8,2), (4,3):(3,1))"]);
    round_trip::<Value>(&["8", "(4,_)", "S<3,4,3>", "(4,8):(1@0,1@1)"]);
    round_trip::<LinearLayout>(&["linear<{lane = [(0,1),(1,0)]} -> {row = 2, col = 2}>"]);
}

#[test]
fn errors() {
    let error =
        |text: &str| serde_json::from_str::<Layout>(text).expect_err("no layout").to_string();
    assert_eq!(
        error("\"(4,8):(1)\""),
        "expected a stride congruent to the shape (4,8), found (1) at line 1 column 11"
    );
    assert_eq!(
        error("8"),
        "invalid type: integer `8`, expected the text of a layout at line 1 column 1"
    );
    let error = serde_json::from_str::<ComposedLayout>("\"8:1\"").expect_err("plain");
    assert_eq!(
        error.to_string(),
        "composed layout: expected a composed layout, found 8:1 at line 1 column 5"
    );
}
