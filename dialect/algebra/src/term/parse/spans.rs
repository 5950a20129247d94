//! The places of a term's parts in its text.

use super::{Form, Names, Parser, Syntax, Value};
use crate::term::prelude::*;
use crate::{
    integer::{Facts, mention::Declarations},
    place::Place,
    tuple::Coord,
};
use core::ops::Range;

/// The bytes of a part of a term, its kind, and its parts.
///
/// Shapes are read with symbols or without, and nothing is evaluated: a layout that is none has its parts
/// too.
///
/// ```
/// use layout_algebra::{Span, Term};
/// let text = "coalesce(composition(((4,6),3):((1,5),1), (6,3)))";
/// let error = Term::parse(text)?.eval().unwrap_err();
/// assert_eq!(&text[Span::of(text).of_place(&error.place())], "6");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// The bytes.
    pub range: Range<usize>,
    /// The text that is there.
    pub kind: SpanKind,
    /// The parts, in the order of the term.
    pub parts: Vec<Span>,
}

/// The kind of a part of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpanKind {
    /// An integer.
    Integer,
    /// A symbol, with the facts in braces after it.
    Symbol {
        /// Its name; of one without a name the number that it was given.
        name: String,
    },
    /// An expression over integers and symbols, or a multiple of a basis element.
    Expression,
    /// `_`, a swizzle or a linear layout.
    Word,
    /// A tuple or a tiler, by its entries.
    Tuple,
    /// A layout, by its shape and its stride.
    Layout,
    /// A composed layout: outer, offset and inner.
    Composed,
    /// An operation and its operands.
    Call {
        /// Its name; the layout, where that is called at a coordinate.
        name: Range<usize>,
    },
    /// A text that is no term, by what was read of it.
    Unfinished,
}

impl Span {
    /// The term that a text is. Where reading stops before the end, it is unfinished and its parts are those
    /// that were read whole.
    pub fn of(text: &str) -> Self {
        Self::within(text, 0..text.len())
    }

    /// The term that a part of a text is.
    pub fn within(text: &str, part: Range<usize>) -> Self {
        let unfinished = |parts| Self { range: part.clone(), kind: SpanKind::Unfinished, parts };
        let mut facts = Facts::new();
        let mut symbols = Declarations::new(&mut facts);
        let text = text.get(..part.end).unwrap_or("");
        let Ok(mut parser) = Parser::new(text, Names::None, Some(&mut symbols)) else {
            return unfinished(Vec::new());
        };
        parser.text.at = part.start;
        parser.spans = Some(Vec::new());
        let read = parser.whole();
        let mut spans = parser.spans.unwrap_or_default();
        match (read, spans.pop()) {
            (Ok(_), Some(span)) if spans.is_empty() => span,
            (_, last) => {
                spans.extend(last);
                unfinished(spans)
            }
        }
    }

    /// Whether it is an integer, known or not.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, SpanKind::Integer | SpanKind::Symbol { .. } | SpanKind::Expression)
    }

    /// The entry that a path of numbers leads to, from the outermost tuple inwards.
    pub fn entry(&self, path: &[usize]) -> Option<&Self> {
        path.iter().try_fold(self, |part, &step| match part.kind {
            SpanKind::Tuple => part.parts.get(step),
            _ => None,
        })
    }

    /// Shape and stride of a layout; of the inner one where it is composed.
    pub fn layout(&self) -> Option<[&Self; 2]> {
        match (&self.kind, self.parts.as_slice()) {
            (SpanKind::Layout, [shape, stride]) => Some([shape, stride]),
            (SpanKind::Composed, [.., inner]) => inner.layout(),
            _ => None,
        }
    }

    /// The outermost parts of the requested kind, from left to right.
    pub fn outermost(&self, filter: &impl Fn(&Self) -> bool) -> Vec<&Self> {
        if filter(self) {
            return Vec::from([self]);
        }
        self.parts.iter().flat_map(|part| part.outermost(filter)).collect()
    }

    /// The bytes that an error's place leads to: of an operation its name. The way ends where a value was not
    /// written out.
    pub fn of_place(&self, place: &Place) -> Range<usize> {
        let mut part = self;
        for &step in place.calls.iter().chain(&place.operand) {
            let (SpanKind::Call { .. } | SpanKind::Tuple) = part.kind else { break };
            part = part.parts.get(step).unwrap_or(part);
        }
        part = part.entry(&place.modes).unwrap_or(part);
        match &part.kind {
            SpanKind::Call { name } => name.clone(),
            _ => part.range.clone(),
        }
    }
}

/// Where a part begins, and how many parts were read before.
pub(super) struct Mark {
    start: usize,
    before: usize,
}

impl Parser<'_, '_, '_> {
    /// The place of the part ahead.
    pub(super) fn mark(&mut self) -> Mark {
        let Some(spans) = &self.spans else { return Mark { start: 0, before: 0 } };
        let before = spans.len();
        self.text.rest();
        Mark { start: self.text.at, before }
    }

    /// Forgets the spans that were noted from a mark on.
    pub(super) fn forget(&mut self, mark: &Mark) {
        if let Some(spans) = &mut self.spans {
            spans.truncate(mark.before);
        }
    }

    /// Notes the span of what was read from a mark on.
    pub(super) fn note(&mut self, mark: &Mark, read: &Syntax) {
        let kind = match read {
            Syntax::Form(Form::Symbol(name)) => SpanKind::Symbol { name: name.clone() },
            Syntax::Form(Form::Layout(_)) => SpanKind::Layout,
            Syntax::Form(Form::Composed(_)) => SpanKind::Composed,
            Syntax::Tiler(_) | Syntax::Form(Form::Tuple(_)) => SpanKind::Tuple,
            Syntax::Form(_) => SpanKind::Expression,
            Syntax::Call { .. } => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let bytes = self.text.text().as_bytes();
                let name = bytes.iter().skip(mark.start).take_while(|byte| is_word(byte)).count();
                SpanKind::Call { name: mark.start..mark.start + name }
            }
            Syntax::Literal(value) => match value {
                Value::Int(_) => SpanKind::Integer,
                Value::Tuple(_) => SpanKind::Tuple,
                Value::Coord(Coord::Tuple(_)) => SpanKind::Tuple,
                _ => SpanKind::Word,
            },
        };
        self.note_as(mark, kind);
    }

    pub(super) fn note_as(&mut self, mark: &Mark, kind: SpanKind) {
        let Some(spans) = &mut self.spans else { return };
        let text = self.text.text().get(mark.start..self.text.at).unwrap_or("").trim_end();
        let range = mark.start..mark.start + text.len();
        let mut parts = spans.split_off(mark.before.min(spans.len()));
        match parts.as_slice() {
            // The part itself, noted by what it was read as, or a layout in parentheses.
            [part]
                if part.range == range
                    || matches!(kind, SpanKind::Layout | SpanKind::Composed)
                        && part.kind == kind =>
            {
                spans.append(&mut parts);
            }
            _ => spans.push(Span { range, kind, parts }),
        }
    }

    /// Notes a layout that is called at a coordinate, which is the first operand and follows it.
    pub(super) fn note_called(&mut self, mark: &Mark) {
        let Some(spans) = &mut self.spans else { return };
        let Some([layout, coordinate]) = spans.get_mut(mark.before..) else { return };
        let name = layout.range.clone();
        core::mem::swap(layout, coordinate);
        self.note_as(mark, SpanKind::Call { name });
    }

    /// Modes between `<` and `>` are before the first operand, and are operands after it.
    pub(super) fn rotate_spans(&mut self, mark: &Mark, modes: usize) {
        let parts = mark.before..mark.before + modes + 1;
        if let Some(parts) = self.spans.as_mut().and_then(|spans| spans.get_mut(parts)) {
            parts.rotate_left(modes);
        }
    }
}
