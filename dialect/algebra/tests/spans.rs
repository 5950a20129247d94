//! Where the parts of a term are in its text.

use layout_algebra::{Operation, Span, SpanKind, Term};

/// The text of each part is a term again, and the same part.
fn check(text: &str, term: &Term, span: &Span) {
    let part = &text[span.range.clone()];
    let (Term::Call { args: parts, .. } | Term::Tiler(parts)) = term else { return };
    assert_eq!(parts.len(), span.parts.len(), "{text}: {part}");
    for (term, span) in parts.iter().zip(&span.parts) {
        check(text, term, span);
    }
    // Operands in the template are read with those in parentheses only.
    let again = Term::parse(part).unwrap_or_else(|error| panic!("{text}: {part}: {error}"));
    assert_eq!(again, *term, "{text}: {part}");
}

#[test]
fn operands_stand_where_their_spans_say() {
    let examples = Operation::all().iter().map(|row| row.example.0);
    let others = [
        " coalesce ( (4, (2,4)) : (2,(1,8)) , 1 ) ",
        "size<1>((4,8):(8,1))",
        "get<0,1>(((4,2),8):((1,4),8), 0)",
        "(4,8):(8,1)(1,(2))",
        "composition((4,8):(8,1), <2:1, _>)(_,0)",
        "S<3,4,3> o 0 o (8,64):(64,1)",
        "(4,8):(1@0,1@1)",
        "(1@1,(0,3@1@0))",
        "(4,(_,2),)",
        "linear<{lane = [1,2]} -> {row = 4}>",
    ];
    for text in examples.chain(others) {
        let span = Span::of(text);
        assert_eq!(span.range, text.len() - text.trim_start().len()..text.trim_end().len());
        assert_ne!(span.kind, SpanKind::Unfinished, "{text}");
        check(text, &Term::parse(text).expect(text), &span);
    }
}

/// The texts of the outermost parts of the requested kind.
fn parts(text: &str, expected: impl Fn(&Span) -> bool) -> Vec<&str> {
    Span::of(text).outermost(&expected).into_iter().map(|part| &text[part.range.clone()]).collect()
}

#[test]
fn a_path_leads_to_an_entry() {
    let text = "( 2 ,(3,(5,_)), 7+2*(K{div=2}))";
    let span = Span::of(text);
    let at = |path: &[usize]| span.entry(path).map(|part| &text[part.range.clone()]);
    assert_eq!(at(&[0]), Some("2"));
    assert_eq!(at(&[1, 1]), Some("(5,_)"));
    assert_eq!(at(&[2]), Some("7+2*(K{div=2})"));
    assert_eq!(at(&[1, 2]), None);
    assert_eq!(at(&[0, 0]), None);
}

#[test]
fn written_layouts_are_found() {
    let of = |text| parts(text, |part| part.kind == SpanKind::Layout);
    assert_eq!(of("(4,(2,2)):(1,(4,8))"), ["(4,(2,2)):(1,(4,8))"]);
    assert_eq!(of("<4:1, ( 2 ,2) : (1,8)>"), ["4:1", "( 2 ,2) : (1,8)"]);
    assert_eq!(of("S<2,0,3> o 0 o (?{div=8},8):(8,1)"), ["(?{div=8},8):(8,1)"]);
    assert_eq!(of("get(?{div=4}:floor_div(?0,2), 0)"), ["?{div=4}:floor_div(?0,2)"]);
    // The parts that were read before reading stopped.
    assert_eq!(of("(4,(2,2),1):(1,2), 5:(1,1), 2:"), ["(4,(2,2),1):(1,2)"]);
    assert_eq!(of("coalesce(make_layout((4,2):1, 3:1), foo(2:1))"), ["(4,2):1", "3:1"]);
    for text in [":", "(:)", "4:", ":1", "((:", "}:{", "\u{e9}:\u{e9}", "o o", "->", "1>2", ""] {
        assert_eq!(of(text), [""; 0], "{text}");
    }
    assert_eq!(of(&"(".repeat(100_000)), [""; 0]);
}

#[test]
fn numbers_are_in_order() {
    let of = |text| parts(text, Span::is_number);
    assert_eq!(of("(4,?{div=8}):(?,1)"), ["4", "?{div=8}", "?", "1"]);
    assert_eq!(of("S<2,0,3> o ? o (4,8):(8,1)"), ["?", "4", "8", "8", "1"]);
    assert_eq!(of("(?,4):(4,1) o 0 o 8:1"), ["?", "4", "4", "1", "0", "8", "1"]);
    assert_eq!(of("(_,(3,?))"), ["3", "?"]);
    assert_eq!(of("(ceil_div(?0,4),2@1)"), ["ceil_div(?0,4)", "2@1"]);
    let is_symbol = |part: &Span| matches!(&part.kind, SpanKind::Symbol { name } if name == "?0");
    assert_eq!(parts("(ceil_div(?0 , 4),?0)", is_symbol), ["?0", "?0"]);
    assert_eq!(parts("(?1,?{i64},?)", is_symbol), ["?{i64}"]);
}

#[test]
fn errors_point_at_their_mode() {
    for (text, marked) in [
        ("composition((4,2):(1,5), 8:3)", "8:3"),
        ("composition(((4,6),3):((1,5),1), (6,3))", "6"),
        ("complement((4,4):(1,2), 64)", "(4,4):(1,2)"),
        ("coalesce(composition((4,2):(1,5), 8:3))", "8:3"),
        ("composition(8:1, complement((4,4):(1,2), 64))", "(4,4):(1,2)"),
        ("composition(4:1)", "composition"),
        ("size(coalesce(composition(4:1)))", "composition"),
        ("size<0>(composition((4,2):(1,5), 8:3))", "8:3"),
        ("(4,2):(1,4)((0,0,0))", "((0,0,0))"),
        ("get((4,2):(1,4), 0, 3)", "3"),
        ("take((4,2):(1,4), 0, 3)", "3"),
        ("zipped_divide((4,(4,2)):(1,(4,16)), (4,(2,1,2)))", "2"),
        ("logical_product((4,4):(1,2), 6:1)", "(4,4):(1,2)"),
        ("coalesce((4,8):(1,4), (1,(1,1)))", "(1,1)"),
    ] {
        let error = match Term::parse(text).map(|term| term.eval()) {
            Err(error) | Ok(Err(error)) => error,
            Ok(Ok(value)) => panic!("{text} is {value}"),
        };
        assert_eq!(&text[Span::of(text).of_place(&error.place())], marked, "{text}");
    }
}

#[test]
fn a_layout_in_parentheses_has_its_parts() {
    let text = "((4,M):(1,4))(1,2)";
    let span = Span::of(text);
    let [coordinate, layout] = span.parts.as_slice() else { panic!("{span:?}") };
    let [shape, stride] = layout.layout().expect("a layout");
    let texts = [coordinate, shape, stride].map(|part| &text[part.range.clone()]);
    assert_eq!(texts, ["(1,2)", "(4,M)", "(1,4)"]);
}
