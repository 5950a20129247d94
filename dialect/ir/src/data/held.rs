//! What attributes and types hold: a value and its canonical text, made once by the parser or a builder.
//!
//! A value never changes. References to it are counted: each storage of an attribute or a type has one,
//! which it gives back when its context ends, so that contexts and threads may share values. A plugin
//! has its own copy of this code, and its contexts see values of that copy alone.
//!
//! Two values of one kind are equal where their canonical texts are: a text has all that is known of a
//! value, and [`Held::of`] keeps what the text says, however the value was found.

use crate::{
    atoms::{Atom, choice::Choice},
    border::ffi::RawValue,
    data::{datum::Datum, relations::Mapping},
    diagnostics::violation::Violation,
};
use layout_algebra::{Error, Term, Value};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// A value with its text.
#[derive(Debug)]
pub(crate) struct Held {
    text: Box<str>,
    hash: u64,
    content: Content,
}

/// The kinds of values.
#[derive(Debug)]
enum Content {
    /// A value of the algebra that is known.
    Value(Value),
    /// One with symbols.
    Symbolic(Box<Datum>),
    /// A term that is not its own value.
    Term(Box<Call>),
    Atom(&'static Atom),
    Choice(Box<Choice>),
    Mapping(Box<Mapping>),
}

/// A term until somebody wanted its value, and that value from then on.
#[derive(Debug)]
struct Call {
    term: Mutex<Option<Box<Term>>>,
    value: OnceLock<Result<Arc<Held>, Box<Error>>>,
}

impl Call {
    /// The value, given the term's text.
    fn value(&self, text: &str) -> Result<&Arc<Held>, Error> {
        let evaluate = || {
            let term = self.term.lock().unwrap_or_else(PoisonError::into_inner).take();
            let term = term.map_or_else(|| Term::parse(text), |term| Ok(*term));
            term.and_then(Term::into_value).map(Held::of_value).map_err(Box::new)
        };
        self.value.get_or_init(evaluate).as_ref().map_err(|error| (**error).clone())
    }

    /// The term, given its text. Few terms are evaluated and looked at as terms too, so that a text is
    /// read again rather than the term kept beside its value.
    fn term(&self, text: &str) -> Result<Term, Error> {
        match &*self.term.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(term) => Ok((**term).clone()),
            None => Term::parse(text),
        }
    }
}

impl Held {
    fn new(text: String, content: Content) -> Arc<Self> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Arc::new(Self { text: text.into_boxed_str(), hash: hasher.finish(), content })
    }

    /// What is known of a layout or a tuple.
    pub(crate) fn of(datum: &Datum) -> Arc<Self> {
        match datum {
            Datum::Static(value) => Self::of_value(value.clone()),
            Datum::Symbolic { .. } => {
                let text = datum.to_string();
                // What is known of the symbols is what the text says, wherever the value was found.
                let said = Datum::parse(&text).unwrap_or_else(|_| datum.clone());
                Self::new(text, Content::Symbolic(Box::new(said)))
            }
        }
    }

    /// What a text of a type says.
    pub(crate) fn read(source: &str, datum: Datum) -> Arc<Self> {
        match datum {
            Datum::Static(value) => Self::of_value(value),
            symbolic => {
                let text = symbolic.to_string();
                match text == source {
                    true => Self::new(text, Content::Symbolic(Box::new(symbolic))),
                    false => Self::of(&symbolic),
                }
            }
        }
    }

    /// A value of the algebra.
    pub(crate) fn of_value(value: Value) -> Arc<Self> {
        Self::new(value.to_string(), Content::Value(value))
    }

    /// A term.
    pub(crate) fn of_term(term: Term) -> Arc<Self> {
        match term {
            Term::Literal(value @ (Value::Int(_) | Value::Tuple(_) | Value::Layout(_))) => {
                Self::of_value(value)
            }
            term => {
                let text = term.to_string();
                let term = Mutex::new(Some(Box::new(term)));
                Self::new(text, Content::Term(Box::new(Call { term, value: OnceLock::new() })))
            }
        }
    }

    /// A row of the atom table.
    pub(crate) fn of_atom(atom: &'static Atom) -> Arc<Self> {
        Self::new(atom.name.to_owned(), Content::Atom(atom))
    }

    /// A schedule, or that one is to be chosen.
    pub(crate) fn of_choice(choice: Choice) -> Arc<Self> {
        Self::new(choice.to_string(), Content::Choice(Box::new(choice)))
    }

    /// A function of integer tuples, by its text.
    pub(crate) fn of_mapping(text: String, mapping: Mapping) -> Arc<Self> {
        Self::new(text, Content::Mapping(Box::new(mapping)))
    }

    /// The canonical text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Equal values have equal hashes.
    pub(crate) fn hash(&self) -> usize {
        self.hash as usize
    }

    /// Whether some of it is known only at run time.
    pub(crate) fn is_symbolic(&self) -> bool {
        matches!(self.content, Content::Symbolic(_))
    }

    /// What is known of a layout or a tuple.
    pub(crate) fn datum(&self) -> Result<Datum, Violation> {
        match &self.content {
            Content::Value(value) => Ok(Datum::Static(value.clone())),
            Content::Symbolic(datum) => Ok((**datum).clone()),
            _ => Ok(Datum::Static(self.evaluated()?.clone())),
        }
    }

    /// The term.
    pub(crate) fn term(&self) -> Result<Term, Error> {
        match &self.content {
            Content::Value(value) => Ok(Term::Literal(value.clone())),
            Content::Term(call) => call.term(&self.text),
            _ => Term::parse(&self.text),
        }
    }

    /// The value of a term.
    pub(crate) fn evaluated(&self) -> Result<&Value, Error> {
        match &self.content {
            Content::Value(value) => Ok(value),
            Content::Term(call) => call.value(&self.text)?.evaluated(),
            _ => Err(Error::Operand {
                operation: "term",
                expected: "a value that is known when compiling".to_owned(),
                found: self.text.to_string(),
            }),
        }
    }

    /// A term's value, as attributes and types hold it.
    pub(crate) fn value(self: &Arc<Self>) -> Result<Arc<Self>, Error> {
        match &self.content {
            Content::Term(call) => call.value(&self.text).map(Arc::clone),
            _ => Ok(Arc::clone(self)),
        }
    }

    pub(crate) fn atom(&self) -> Option<&'static Atom> {
        if let Content::Atom(atom) = &self.content { Some(atom) } else { None }
    }

    pub(crate) fn choice(&self) -> Option<&Choice> {
        if let Content::Choice(choice) = &self.content { Some(choice) } else { None }
    }

    pub(crate) fn mapping(&self) -> Option<&Mapping> {
        if let Content::Mapping(mapping) = &self.content { Some(mapping) } else { None }
    }

    /// The value as C++ takes it; it counts a reference of its own where it keeps it.
    pub(crate) fn lend(self: &Arc<Self>) -> *const RawValue {
        Arc::as_ptr(self).cast()
    }

    /// A value that C++ lends.
    ///
    /// # Safety
    ///
    /// The pointer is one of [`Held::lend`], and a reference is counted for `'c`.
    pub(crate) unsafe fn borrow<'c>(raw: *const RawValue) -> &'c Self {
        // SAFETY: the caller's promise.
        unsafe { &*raw.cast::<Self>() }
    }

    /// The same with a reference of its own.
    ///
    /// # Safety
    ///
    /// As for [`Held::borrow`].
    pub(crate) unsafe fn share(raw: *const RawValue) -> Arc<Self> {
        // SAFETY: the caller's promise; the new count is that of the result.
        unsafe {
            Self::retain(raw);
            Arc::from_raw(raw.cast::<Self>())
        }
    }

    /// Counts one more reference.
    ///
    /// # Safety
    ///
    /// As for [`Held::borrow`].
    pub(crate) unsafe fn retain(raw: *const RawValue) {
        // SAFETY: the caller's promise.
        unsafe { Arc::increment_strong_count(raw.cast::<Self>()) }
    }

    /// Counts one reference less.
    ///
    /// # Safety
    ///
    /// As for [`Held::borrow`]; the reference that ends is one of [`Held::retain`].
    pub(crate) unsafe fn release(raw: *const RawValue) {
        // SAFETY: the caller's promise.
        unsafe { Arc::decrement_strong_count(raw.cast::<Self>()) }
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{attributes::TermAttribute, types::TupleType};

    #[test]
    fn a_built_value_is_the_one_that_its_text_says() {
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
            let datum = Datum::parse(text).expect("a value");
            let (built, read) = (Held::of(&datum), Held::read(text, datum.clone()));
            assert!(*built == *read && built.hash() == read.hash(), "{text}");
            let again = Datum::parse(built.text()).expect("a value");
            for held in [&built, &read] {
                assert_eq!(held.datum(), Ok(again.clone()), "{text}");
            }
        }
    }

    #[test]
    fn a_term_is_evaluated_once_and_keeps_its_error() {
        let held =
            Held::of_term(Term::parse("composition((6,2):(8,2), (4,3):(3,1))").expect("one"));
        let (first, second) = (held.value().expect("a value"), held.value().expect("a value"));
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.text(), "((2,2),3):((24,2),8)");
        let refused =
            Held::of_term(Term::parse("composition((4,6):(1,5), (6,4):(1,3))").expect("one"));
        assert_eq!(refused.value().err(), refused.evaluated().err());
        assert!(refused.value().is_err());
    }

    #[test]
    fn a_context_gives_its_references_back() {
        let held = Held::of_value(Value::Int(7));
        let registry = melior::dialect::DialectRegistry::new();
        crate::register(&registry);
        let context = melior::Context::new();
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        let term = TermAttribute::from_held(&context, &held);
        let r#type = TupleType::from_held(&context, &held);
        assert_eq!(Arc::strong_count(&held), 3);
        // An equal value is the one that the context has.
        let equal = Held::of_value(Value::Int(7));
        assert_eq!(TermAttribute::from_held(&context, &equal), term);
        assert_eq!(TupleType::from_held(&context, &equal), r#type);
        assert_eq!((Arc::strong_count(&held), Arc::strong_count(&equal)), (3, 1));
        drop(context);
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn references_are_counted() {
        let held = Held::of_value(Value::Int(3));
        let raw = held.lend();
        // SAFETY: `held` counts a reference throughout, and each one that is given back was taken.
        let shared = unsafe {
            Held::retain(raw);
            let shared = Held::share(raw);
            assert_eq!(Arc::strong_count(&held), 3);
            assert_eq!(Held::borrow(raw).text(), "3");
            Held::release(raw);
            shared
        };
        assert_eq!(Arc::strong_count(&held), 2);
        drop(held);
        assert_eq!((shared.text(), Arc::strong_count(&shared)), ("3", 1));
    }
}
