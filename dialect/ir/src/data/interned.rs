//! The storage of attributes and types: a value and its canonical text, made once by the parser or a builder.
//!
//! A value never changes. References to it are counted: each storage of an attribute or a type has one,
//! which it gives back when its context ends, so that contexts and threads may share values. A plugin
//! has its own copy of this code, and its contexts see values of that copy alone.
//!
//! Two values of one kind are equal where their canonical texts are: a text has all that is known of a
//! value, and [`Interned::of`] keeps what the text says, however the value was found.

use crate::{
    atoms::{
        Atom,
        choice::Choice,
        tiled::{TiledCopy, TiledMma},
    },
    border::ffi::RawValue,
    data::{
        relations::Mapping,
        term_value::{TermValue, is_layout, is_tuple},
    },
    diagnostics::violation::Violation,
};
use layout_algebra::{Error, Layout, Nested, Term, Tuple, Value};
use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

thread_local! {
    /// The layouts that this thread read or inferred last, the latest first: a program names a layout
    /// several times in a row, where a value is made, in its type and where it is used.
    static RECENT: RefCell<[Option<Arc<Interned>>; 4]> = const { RefCell::new([const { None }; 4]) };
}

/// An interned value, with its text.
#[derive(Debug)]
pub(crate) struct Interned {
    text: Box<str>,
    hash: u64,
    content: Content,
}

/// The kinds of values. Programs have many layouts and few of the others, which are boxed.
#[derive(Debug)]
enum Content {
    /// A layout that is known.
    Layout(Packed),
    /// Another value of the algebra that is known.
    Value(Box<Value>),
    /// One with symbols.
    Symbolic(Box<TermValue>),
    /// A term that is not its own value.
    Term(Box<LazyTerm>),
    /// The same, with its value in its place: the text alone says which term it is.
    Evaluated(Arc<Interned>),
    Atom(&'static Atom),
    Choice(Box<Choice>),
    Mapping(Box<Mapping>),
    TiledCopy(Box<TiledCopy>),
    TiledMma(Box<TiledMma>),
}

/// A layout in one piece of memory, of which a tuple takes one for each of its levels: in the order of the
/// text, for a tuple the number of its entries, negated, and for a mode its extent, which is at least 1,
/// and its stride.
#[derive(Debug)]
struct Packed(Box<[i64]>);

impl Packed {
    fn new(layout: &Layout) -> Self {
        let mut words = Vec::with_capacity(Self::length(layout.shape()));
        Self::pack(layout.shape(), layout.stride(), &mut words);
        Self(words.into_boxed_slice())
    }

    fn length(shape: &Tuple) -> usize {
        match shape {
            Nested::Leaf(_) => 2,
            Nested::Node(entries) => 1 + entries.iter().map(Self::length).sum::<usize>(),
        }
    }

    fn pack(shape: &Tuple, stride: &Tuple, words: &mut Vec<i64>) {
        match (shape, stride) {
            (Nested::Leaf(extent), Nested::Leaf(step)) => words.extend([*extent, *step]),
            // A layout's stride nests as its shape does.
            _ => {
                words.push(-(shape.entries().len() as i64));
                for (shape, stride) in shape.entries().iter().zip(stride.entries()) {
                    Self::pack(shape, stride, words);
                }
            }
        }
    }

    fn layout(&self) -> Layout {
        let unpacked = Self::unpack(&mut self.0.iter().copied());
        let layout = unpacked.and_then(|(shape, stride)| Layout::new(shape, stride).ok());
        layout.expect("what was packed is a layout")
    }

    fn unpack(words: &mut impl Iterator<Item = i64>) -> Option<(Tuple, Tuple)> {
        let extent = words.next()?;
        if extent > 0 {
            return Some((Nested::Leaf(extent), Nested::Leaf(words.next()?)));
        }
        let count = usize::try_from(-extent).ok()?;
        let (mut shape, mut stride) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for _ in 0..count {
            let mode = Self::unpack(words)?;
            shape.push(mode.0);
            stride.push(mode.1);
        }
        Some((Nested::Node(shape), Nested::Node(stride)))
    }
}

/// A term that is evaluated when its value is used first.
#[derive(Debug)]
struct LazyTerm {
    term: Mutex<Option<Box<Term>>>,
    value: OnceLock<Result<Arc<Interned>, Box<Error>>>,
}

impl LazyTerm {
    /// The value, given the term's text.
    fn value(&self, text: &str) -> Result<&Arc<Interned>, Error> {
        let evaluate = || {
            let term = self.term.lock().unwrap_or_else(PoisonError::into_inner).take();
            let term = term.map_or_else(|| Term::parse(text), |term| Ok(*term));
            term.and_then(Term::into_value).map(Interned::of_value).map_err(Box::new)
        };
        self.value.get_or_init(evaluate).as_ref().map_err(|error| (**error).clone())
    }

    /// The term, given its text. Few terms are evaluated and examined as terms too, so that a text is
    /// read again rather than the term kept beside its value.
    fn term(&self, text: &str) -> Result<Term, Error> {
        match &*self.term.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(term) => Ok((**term).clone()),
            None => Term::parse(text),
        }
    }
}

impl Interned {
    fn new(text: String, content: Content) -> Arc<Self> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        // The room of a text that grew as it was written is up to twice that of the text.
        Arc::new(Self { text: Box::from(text.as_str()), hash: hasher.finish(), content })
    }

    /// The storage of a layout or a tuple.
    pub(crate) fn of(term_value: &TermValue) -> Arc<Self> {
        match term_value {
            TermValue::Static(value) => Self::of_value(value.clone()).remembered(),
            TermValue::Symbolic { .. } => {
                let text = term_value.to_string();
                // The facts of the symbols are those of the text, wherever the value was found.
                let parsed = TermValue::parse(&text).unwrap_or_else(|_| term_value.clone());
                Self::new(text, Content::Symbolic(Box::new(parsed)))
            }
        }
    }

    /// The storage of a type's text.
    pub(crate) fn read(source: &str, term_value: TermValue) -> Arc<Self> {
        match term_value {
            TermValue::Static(value) => Self::of_value(value).remembered(),
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
        let text = value.to_string();
        match value {
            Value::Layout(layout) => Self::new(text, Content::Layout(Packed::new(&layout))),
            value => Self::new(text, Content::Value(Box::new(value))),
        }
    }

    /// The term of a text. The parser evaluates terms, so that their trees are not all in memory at once;
    /// one without a value keeps its error.
    pub(crate) fn read_term(text: &str) -> Result<Arc<Self>, Error> {
        let term = Self::of_term(Term::parse(text)?);
        let Content::Term(call) = &term.content else { return Ok(term.remembered()) };
        let Ok(value) = call.value(&term.text) else { return Ok(term) };
        let value = Arc::clone(value).remembered();
        Ok(match Arc::try_unwrap(term) {
            Ok(term) => Arc::new(Self { content: Content::Evaluated(value), ..term }),
            Err(term) => term,
        })
    }

    /// The layout of a canonical text, if it is one of those that this thread read or inferred last.
    pub(crate) fn recent(text: &str) -> Option<Arc<Self>> {
        RECENT.with_borrow_mut(|recent| {
            let same = |held: &Option<Arc<Self>>| held.as_ref().is_some_and(|h| &*h.text == text);
            let found = recent.iter().position(same)?;
            recent[..=found].rotate_right(1);
            recent[0].clone()
        })
    }

    /// The same, or its equal that was read before. One that is a layout is found from now on.
    fn remembered(self: Arc<Self>) -> Arc<Self> {
        if !matches!(self.content, Content::Layout(_)) {
            return self;
        }
        if let Some(known) = Self::recent(&self.text) {
            return known;
        }
        RECENT.with_borrow_mut(|recent| {
            recent.rotate_right(1);
            recent[0] = Some(Arc::clone(&self));
        });
        self
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
                Self::new(text, Content::Term(Box::new(LazyTerm { term, value: OnceLock::new() })))
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

    /// A tiled copy.
    pub(crate) fn of_tiled_copy(copy: TiledCopy) -> Arc<Self> {
        Self::new(copy.to_string(), Content::TiledCopy(Box::new(copy)))
    }

    /// A tiled MMA.
    pub(crate) fn of_tiled_mma(mma: TiledMma) -> Arc<Self> {
        Self::new(mma.to_string(), Content::TiledMma(Box::new(mma)))
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

    /// The value of a layout or a tuple.
    pub(crate) fn term_value(&self) -> Result<TermValue, Violation> {
        match &self.content {
            Content::Symbolic(term_value) => Ok((**term_value).clone()),
            _ => Ok(TermValue::Static(self.known()?)),
        }
    }

    /// The term.
    pub(crate) fn term(&self) -> Result<Term, Error> {
        match &self.content {
            Content::Symbolic(_) => Err(self.not_static()),
            Content::Layout(layout) => Ok(Term::Literal(Value::Layout(layout.layout()))),
            Content::Value(value) => Ok(Term::Literal((**value).clone())),
            Content::Term(call) => call.term(&self.text),
            _ => Term::parse(&self.text),
        }
    }

    /// The value, of a term that of its evaluation.
    pub(crate) fn known(&self) -> Result<Value, Error> {
        match &self.content {
            Content::Layout(layout) => Ok(Value::Layout(layout.layout())),
            Content::Value(value) => Ok((**value).clone()),
            Content::Term(call) => call.value(&self.text)?.known(),
            Content::Evaluated(value) => value.known(),
            _ => Err(self.not_static()),
        }
    }

    /// The error for an integer that is known at run time: of an attribute's, only a memref's layout may have some.
    fn not_static(&self) -> Error {
        Error::Operand {
            operation: "term",
            expected: "a static value".to_owned(),
            found: self.text.to_string(),
        }
    }

    /// Whether it is a known layout of some kind; a term is none before it is evaluated.
    pub(crate) fn is_layout(&self) -> bool {
        match &self.content {
            Content::Layout(_) => true,
            Content::Value(value) => is_layout(value),
            _ => false,
        }
    }

    /// Whether it is a coordinate layout, static or partly static.
    pub(crate) fn is_into_coordinates(&self) -> bool {
        match &self.content {
            Content::Value(value) => matches!(**value, Value::Basis(_) | Value::ComposedBasis(_)),
            Content::Symbolic(value) => matches!(
                **value,
                TermValue::Symbolic { value: Value::Basis(_) | Value::ComposedBasis(_), .. }
            ),
            _ => false,
        }
    }

    /// Whether it is a known tuple of some kind; a term is none before it is evaluated.
    pub(crate) fn is_tuple(&self) -> bool {
        matches!(&self.content, Content::Value(value) if is_tuple(value))
    }

    /// A term's value, as attributes and types hold it.
    pub(crate) fn value(self: &Arc<Self>) -> Result<Arc<Self>, Error> {
        match &self.content {
            Content::Symbolic(_) => Err(self.not_static()),
            Content::Term(call) => call.value(&self.text).map(Arc::clone),
            Content::Evaluated(value) => Ok(Arc::clone(value)),
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

    pub(crate) fn tiled_copy(&self) -> Option<&TiledCopy> {
        if let Content::TiledCopy(copy) = &self.content { Some(copy) } else { None }
    }

    pub(crate) fn tiled_mma(&self) -> Option<&TiledMma> {
        if let Content::TiledMma(mma) = &self.content { Some(mma) } else { None }
    }

    /// The value as C++ takes it; it counts a reference of its own where it keeps it.
    pub(crate) fn lend(self: &Arc<Self>) -> *const RawValue {
        Arc::as_ptr(self).cast()
    }

    /// A value that C++ lends.
    ///
    /// # Safety
    ///
    /// The pointer is one of [`Interned::lend`], and a reference is counted for `'c`.
    pub(crate) unsafe fn borrow<'c>(raw: *const RawValue) -> &'c Self {
        // SAFETY: the caller's promise.
        unsafe { &*raw.cast::<Self>() }
    }

    /// The same with a reference of its own.
    ///
    /// # Safety
    ///
    /// As for [`Interned::borrow`].
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
    /// As for [`Interned::borrow`].
    pub(crate) unsafe fn retain(raw: *const RawValue) {
        // SAFETY: the caller's promise.
        unsafe { Arc::increment_strong_count(raw.cast::<Self>()) }
    }

    /// Counts one reference less.
    ///
    /// # Safety
    ///
    /// As for [`Interned::borrow`]; the reference that ends is one of [`Interned::retain`].
    pub(crate) unsafe fn release(raw: *const RawValue) {
        // SAFETY: the caller's promise.
        unsafe { Arc::decrement_strong_count(raw.cast::<Self>()) }
    }
}

impl PartialEq for Interned {
    fn eq(&self, other: &Self) -> bool {
        // Most are read or inferred as the same value, whose text need not be compared.
        std::ptr::eq(self, other) || self.hash == other.hash && self.text == other.text
    }
}

/// The common methods of attributes and types that hold values, for a class over melior's attributes or
/// types: its value and text, and to be shown and compared as what it wraps.
macro_rules! holder {
    ($name:ident of $inner:ident: $like:ident, $raw:ident, $value:ident, $text:ident) => {
        impl<'c> $name<'c> {
            pub(crate) fn interned(&self) -> &'c crate::data::interned::Interned {
                // SAFETY: it is of this class, and its context keeps what it holds.
                unsafe { crate::data::interned::Interned::borrow($value(self.0.to_raw())) }
            }

            /// The canonical text of the value.
            pub fn text(&self) -> String {
                self.interned().text().to_owned()
            }

            /// The same text, lent by the context.
            pub fn text_ref(&self) -> melior::StringRef<'c> {
                // SAFETY: it is of this class, and its context keeps its text.
                unsafe { melior::StringRef::from_raw($text(self.0.to_raw())) }
            }
        }

        impl<'c> From<$name<'c>> for $inner<'c> {
            fn from(held: $name<'c>) -> Self {
                held.0
            }
        }

        impl<'c> $like<'c> for $name<'c> {
            fn to_raw(&self) -> mlir_sys::$raw {
                self.0.to_raw()
            }
        }

        impl std::fmt::Display for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use holder;

#[cfg(test)]
#[path = "../../tests/units/data/interned.rs"]
mod tests;
