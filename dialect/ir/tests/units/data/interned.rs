//! Tests of interned values.

use super::*;
use crate::data::{attributes::TermAttribute, types::TupleType};

#[test]
fn a_built_value_equals_its_parsed_text() {
    for text in [
        "(4,8):(8,1)",
        "5",
        "(4,(2,2))",
        "S<3,3,3> o 0 o (8,64):(64,1)",
        "(?,8):(1,?{div=8})",
        "coalesce((?0,8):(1,?0))",
        "(?{i64 div=16},?{range=0..31},_)",
        "make_identity_layout((4,(?{range=1..},2)))",
        "<3:1, (2,4):(1,8)>",
    ] {
        let term_value = TermValue::parse(text).expect("a value");
        let (built, read) = (Interned::of(&term_value), Interned::read(text, term_value.clone()));
        assert!(*built == *read && built.hash() == read.hash(), "{text}");
        let again = TermValue::parse(built.text()).expect("a value");
        for held in [&built, &read] {
            assert_eq!(held.term_value(), Ok(again.clone()), "{text}");
        }
    }
}

#[test]
fn a_packed_layout_is_the_same() {
    for text in ["4:2", "(4):(1)", "((2,2),3):((24,-2),0)", "(((7)),(1,(2,3))):(((1)),(0,(7,14)))"]
    {
        let layout: Layout = text.parse().expect("a layout");
        assert_eq!(Packed::new(&layout).layout(), layout, "{text}");
    }
}

#[test]
fn a_term_is_evaluated_once_and_keeps_its_error() {
    let held =
        Interned::of_term(Term::parse("composition((6,2):(8,2), (4,3):(3,1))").expect("one"));
    let (first, second) = (held.value().expect("a value"), held.value().expect("a value"));
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!(first.text(), "((2,2),3):((24,2),8)");
    let refused =
        Interned::of_term(Term::parse("composition((4,6):(1,5), (6,4):(1,3))").expect("one"));
    assert_eq!(refused.value().err(), refused.known().err());
    assert!(refused.value().is_err());
}

#[test]
fn a_layout_that_was_read_is_read_again_as_the_same_value() {
    let read = |text: &str| Interned::read_term(text).expect("a term");
    let layout = "((2,2),3):((24,2),8)";
    let r#type = Interned::read(layout, TermValue::parse(layout).expect("a layout"));
    assert!(Interned::recent(layout).is_some_and(|recent| Arc::ptr_eq(&recent, &r#type)));
    let call = "composition((6,2):(8,2), (4,3):(3,1))";
    for text in [call, layout, "( (2,2),3 ) : ((24,2),8)"] {
        let term = read(text);
        assert!(Arc::ptr_eq(&term.value().expect("a value"), &r#type), "{text}");
    }
    // One of another value keeps its own, and one without a value its error.
    let other = read("coalesce((2,4):(1,2))");
    assert_eq!(other.value().map(|value| value.text().to_owned()), Ok("8:1".to_owned()));
    assert_eq!(other.text(), "coalesce((2,4):(1,2))");
    assert_eq!(other.term(), Term::parse(other.text()));
    let refused = read("composition((4,6):(1,5), (6,4):(1,3))");
    assert!(refused.value().is_err());
    // Few are remembered.
    for extent in 1..=8 {
        read(&format!("{extent}:1"));
    }
    assert!(Interned::recent(layout).is_none() && Arc::strong_count(&r#type) == 1);
}

#[test]
fn a_context_gives_its_references_back() {
    let held = Interned::of_value(Value::Int(7));
    let registry = melior::dialect::DialectRegistry::new();
    crate::register(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    let term = TermAttribute::from_interned(&context, &held);
    let r#type = TupleType::from_interned(&context, &held);
    assert_eq!(Arc::strong_count(&held), 3);
    // An equal value is the one that the context has.
    let equal = Interned::of_value(Value::Int(7));
    assert_eq!(TermAttribute::from_interned(&context, &equal), term);
    assert_eq!(TupleType::from_interned(&context, &equal), r#type);
    assert_eq!((Arc::strong_count(&held), Arc::strong_count(&equal)), (3, 1));
    drop(context);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn references_are_counted() {
    let held = Interned::of_value(Value::Int(3));
    let raw = held.lend();
    // SAFETY: `held` counts a reference throughout, and each one that is given back was taken.
    let shared = unsafe {
        Interned::retain(raw);
        let shared = Interned::share(raw);
        assert_eq!(Arc::strong_count(&held), 3);
        assert_eq!(Interned::borrow(raw).text(), "3");
        Interned::release(raw);
        shared
    };
    assert_eq!(Arc::strong_count(&held), 2);
    drop(held);
    assert_eq!((shared.text(), Arc::strong_count(&shared)), ("3", 1));
}
