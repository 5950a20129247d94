//! Values that differ by the names of their symbols alone have one spelling.

use layout_algebra::{Facts, evaluate};

fn canonical(text: &str) -> (String, Vec<String>) {
    let mut facts = Facts::new();
    let value = evaluate(text, &mut facts).expect("a value");
    let canonical = value.canonical(&facts).expect("a spelling");
    (canonical.value.annotated(&canonical.facts), canonical.names)
}

#[test]
fn values_that_differ_by_names_have_one_spelling() {
    for (one, other) in [
        ("(M,8):(1,N)", "(B,8):(1,A)"),
        ("(?1,?0)", "(?,?)"),
        ("(b+a,b)", "(x+y,y)"),
        ("(a*b+c,c)", "(c*b+a,a)"),
        ("<M:1, _, (N{div=4},2):(1,M)>", "<Z:1, _, (B{div=4},2):(1,Z)>"),
    ] {
        assert_eq!(canonical(one).0, canonical(other).0, "{one} and {other}");
    }
}

#[test]
fn a_spelling_is_its_own() {
    for text in ["(?1,?0)", "(b+a,b)", "(c*b+a,a,b)", "((x,y),ceil_div(y,x{range=1..}))", "z-a+3"] {
        let (spelling, names) = canonical(text);
        let (again, numbers) = canonical(&spelling);
        assert_eq!(again, spelling);
        let expected: Vec<_> = (0..names.len()).map(|i| format!("?{i}")).collect();
        assert_eq!(numbers, expected, "{spelling}");
    }
}

#[test]
fn one_extent_may_need_what_another_implies() {
    let text = "(?0,ceil_div(2*?{range=1..},?0)):(1,4*?0)";
    assert_eq!(canonical(text).0, text);
}

#[test]
fn names_lead_back() {
    let text = "(?1,?0+4)";
    let mut facts = Facts::new();
    let value = evaluate(text, &mut facts).expect("a value");
    let canonical = value.canonical(&facts).expect("a spelling");
    assert_eq!(canonical.value.to_string(), "(?0,?1+4)");
    assert_eq!(canonical.names, ["?1", "?0"]);
    let names = canonical.names;
    let back = |name: &str| names[name[1..].parse::<usize>().expect("a number")].clone();
    let (value, _) = canonical.value.renamed(&canonical.facts, &back).expect("renamed");
    assert_eq!(value.to_string(), text);
}
