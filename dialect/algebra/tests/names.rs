//! Terms in which names stand for other terms.

use layout_algebra::{DEPTH_LIMIT, Error, LENGTH_LIMIT, Op, Term, is_reserved};

/// Parses with some names bound.
fn parse(text: &str, bound: &[(&str, &str)]) -> Result<Term, Error> {
    let bound: Vec<(&str, Term)> =
        bound.iter().map(|(name, text)| (*name, Term::parse(text).unwrap())).collect();
    Term::parse_with(text, &|name| {
        bound.iter().find(|(bound, _)| *bound == name).map(|(_, term)| term.clone())
    })
}

fn refusal(text: &str, bound: &[(&str, &str)]) -> String {
    parse(text, bound).unwrap_err().to_string()
}

#[test]
fn a_name_is_read_in_place_of_its_term() {
    let bound = [
        ("A", "(4,8):(8,1)"),
        ("m", "4"),
        ("tile", "(2,_)"),
        ("pair", "(2,2)"),
        ("s", "S<2,0,2>"),
        ("later", "coalesce((2,4):(1,2))"),
        ("coalesced_A", "32:1"),
    ];
    let cases = [
        ("A", "(4,8):(8,1)"),
        ("size(A)", "size((4,8):(8,1))"),
        ("logical_divide(A, <m, _>)", "logical_divide((4,8):(8,1), <4, _>)"),
        ("logical_divide(A, tile)", "logical_divide((4,8):(8,1), (2,_))"),
        ("m:1", "4:1"),
        ("(m,pair):(m,(1,2))", "(4,(2,2)):(4,(1,2))"),
        ("s o m o A", "S<2,0,2> o 4 o (4,8):(8,1)"),
        ("S<m,m,m>", "S<4,4,4>"),
        ("size(later)", "size(coalesce((2,4):(1,2)))"),
        ("coalesce(coalesced_A)", "coalesce(32:1)"),
    ];
    for (text, meaning) in cases {
        assert_eq!(parse(text, &bound), Term::parse(meaning), "{text}");
    }
}

#[test]
fn keywords_need_no_declaration() {
    let all = Term::parse("1").unwrap();
    let parsed = |text| Term::parse_with(text, &|_| Some(all.clone()));
    assert_eq!(parsed("size(4:1)"), Term::parse("size(4:1)"));
    assert_eq!(parsed("S<1,0,1> o 0 o 4:1"), Term::parse("S<1,0,1> o 0 o 4:1"));
    assert!(Op::ALL.iter().all(|op| is_reserved(op.name())));
    assert!(is_reserved("o") && !is_reserved("tile"));
}

#[test]
fn names_without_a_place_are_refused() {
    let bound = [("A", "(4,8):(8,1)"), ("pair", "(2,2)")];
    assert_eq!(
        refusal("size(B)", &bound),
        "at byte 5: expected an operation of the algebra or a name that is bound, found `B`"
    );
    assert_eq!(
        refusal("(4,A):(1,4)", &bound),
        "at byte 3: expected an integer or a tuple of integers, found `A`, which is (4,8):(8,1)"
    );
    assert_eq!(
        refusal("S<1,0,pair>", &bound),
        "at byte 6: expected an integer, found `pair`, which is (2,2)"
    );
    assert_eq!(refusal("A A", &bound), "at byte 2: expected the end, found `A`");
    assert_eq!(
        Term::parse("size(B)").unwrap_err().to_string(),
        "at byte 5: expected an operation of the algebra, found `B`"
    );
}

#[test]
fn what_names_stand_for_counts_towards_the_bounds() {
    let deep = format!("{}1{}", "(".repeat(DEPTH_LIMIT - 1), ")".repeat(DEPTH_LIMIT - 1));
    assert!(parse("size(deep)", &[("deep", &deep)]).is_ok());
    assert_eq!(
        refusal("rank((1,deep))", &[("deep", &deep)]),
        "at byte 8: expected at most 64 levels of nesting, found 65 with what `deep` stands for"
    );
    let long = format!("({}1)", "1,".repeat(LENGTH_LIMIT / 4));
    let found = 10 + 2 * long.len();
    assert_eq!(
        refusal("<long,long", &[("long", &long)]),
        format!("bytes of a term: expected at most {LENGTH_LIMIT}, found {found}")
    );
}
