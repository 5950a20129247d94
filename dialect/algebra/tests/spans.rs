//! Where the parts of a term stand in its text.

use layout_algebra::{Operation, Span, Term};

/// The text of each part is a term again, and the same part.
fn check(text: &str, term: &Term, span: &Span) {
    let part = &text[span.range.clone()];
    if let Term::Call { args, .. } = term {
        assert_eq!(args.len(), span.parts.len(), "{text}: {part}");
        for (arg, span) in args.iter().zip(&span.parts) {
            check(text, arg, span);
        }
    }
    if let Term::Tiler(entries) = term {
        for (entry, span) in entries.iter().zip(&span.parts) {
            check(text, entry, span);
        }
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
    ];
    for text in examples.chain(others) {
        let (term, span) = Term::parse_spanned(text).expect(text);
        assert_eq!(Term::parse(text).expect(text), term, "{text}");
        check(text, &term, &span);
    }
}

#[test]
fn a_path_leads_to_a_mode() {
    let text = "composition((6,(2,2)):(8,(2,1)), size<0>((4,3):(3,1)))";
    let (_, span) = Term::parse_spanned(text).expect(text);
    let at = |path: &[usize]| span.at(path).map(|span| &text[span.range.clone()]);
    assert_eq!(at(&[0]), Some("(6,(2,2)):(8,(2,1))"));
    assert_eq!(at(&[0, 1]), Some("(8,(2,1))"));
    assert_eq!(at(&[0, 0, 1, 1]), Some("2"));
    assert_eq!(at(&[1]), Some("size<0>((4,3):(3,1))"));
    assert_eq!(at(&[1, 0]), Some("(4,3):(3,1)"));
    assert_eq!(at(&[1, 1]), Some("0"));
    assert_eq!(at(&[1, 2]), None);
}
