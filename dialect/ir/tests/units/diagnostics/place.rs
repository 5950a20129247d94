//! Tests of places in texts.

use super::*;

#[test]
fn carets_stand_below_their_part() {
    let note = |text: &str, span| Place::new("the term", text, span).expect("a place").note();
    assert_eq!(
        note("#layout<(2,(3,5),2)>", 13..14),
        "in the term:\n  #layout<(2,(3,5),2)>\n               ^"
    );
    let long = format!("({}7:1)", "8,".repeat(100));
    let note = note(&long, long.len() - 4..long.len() - 1);
    let lines: Vec<_> = note.lines().collect();
    assert!(lines[1].starts_with("  …") && lines[1].ends_with("7:1)"), "{note}");
    assert_eq!(lines[2].find('^'), lines[1].chars().position(|c| c == '7'), "{note}");
    assert!(lines[2].ends_with("^~~"), "{note}");
}

#[test]
fn parts_of_layouts_are_found() {
    let found = |text: &str, part| Some(text[within(&Span::of(text), part)?].to_owned());
    let composed = "S<2,0,3> o ?0{div=8} o (?,(?2,8)):(?0,(1,2))";
    for (text, part, expected) in [
        ("(4,8):(8,1)", Part::Shape, Some("(4,8)")),
        ("(4,8):(8,1)", Part::Mode(1), Some("8")),
        ("4:1", Part::Mode(0), Some("4")),
        ("4:1", Part::Mode(1), None),
        ("(4,(2,8)):(8,(1,2))", Part::Integer(4), Some("1")),
        ("(4,8):(8,1)", Part::Stride(0), Some("8")),
        ("(4,8):(8,1)", Part::Outer, None),
        (composed, Part::Outer, Some("S<2,0,3>")),
        (composed, Part::Mode(1), Some("(?2,8)")),
        (composed, Part::Symbol(0), Some("?0{div=8}")),
        (composed, Part::Symbol(1), Some("?")),
        (composed, Part::Symbol(2), Some("?2")),
        (composed, Part::Symbol(3), None),
        ("(?,?{i64}):(?,1)", Part::Symbol(1), Some("?{i64}")),
    ] {
        assert_eq!(found(text, part).as_deref(), expected, "{part:?} of {text}");
    }
}
