//! Tests of values and their texts.

use super::*;

#[test]
fn texts_are_canonical() {
    let text = |text: &str| TermValue::parse(text).expect("a value").to_string();
    for (written, canonical) in [
        ("(4,8):(8,1)", "(4,8):(8,1)"),
        ("( ? , 8 ) : ( 1 , ? {div=8} )", "(?,8):(1,?{div=8})"),
        ("(?7,8):(1,?7)", "(?0,8):(1,?0)"),
        ("coalesce((?0,8):(1,?0))", "8*?:1"),
        ("(?{i64 div=16},?{range=0..31},_)", "(?{i64 div=16},?{range=0..31},_)"),
        ("size((4,?):(1,4))", "4*?{range=1..}"),
        ("shape((4,?):(1,4))", "(4,?{range=1..})"),
        ("<?:1, _>", "<?:1, _>"),
        ("(1@0,(4@0@1,0))", "(1@0,(4@0@1,0))"),
        ("( ?3{div=8} @ 0, 2*?3@1 )", "(?0{div=8}@0,2*?0@1)"),
        ("S<3,3,3> o 0 o (?,64):(64,1)", "S<3,3,3> o 0 o (?,64):(64,1)"),
        ("S<2,0,3> o ?1{div=8} o (?0,8):(?1,1)", "S<2,0,3> o ?0{div=8} o (?,8):(?0,1)"),
        ("(?,4):(4,1) o 0 o (?{i64},2):(2,1)", "(?,4):(4,1) o 0 o (?{i64},2):(2,1)"),
        ("(?{div=8},?):(1@0,?{i64}@1)", "(?{div=8},?):(1@0,?{i64}@1)"),
        ("make_identity_layout((4,(?{range=1..},2)))", "(4,(?,2)):(1@0,(1@0@1,1@1@1))"),
    ] {
        assert_eq!(text(written), canonical);
        assert_eq!(text(canonical), canonical);
    }
}

#[test]
fn kinds_are_distinguished() {
    let error = |result: Result<TermValue, Violation>| result.expect_err("refused").to_string();
    assert_eq!(error(layout_type("(?,8)")), "expected a layout, found (?,8)");
    assert_eq!(
        error(tuple_type("(?,8):(1,?)")),
        "expected an integer, a tuple or a tuple of tilers, found (?,8):(1,?)"
    );
    assert_eq!(
        error(layout_type("composition((?,8):(8,1), (4,?):(2,8))")),
        "composition((?0,8):(8,1), (4,?1):(2,8)): needs \"2 divides ?0\" or \"?0 >= 7\", neither \
         of which is known"
    );
    let widths = TermValue::parse("(?,?{i64}):(1,?)").expect("a layout").widths();
    assert_eq!(widths, [Width::W32, Width::W64, Width::W32]);
}
