//! Where in a text a violation is, and the note that shows the text with a caret below.

use layout_algebra::{Span, SpanKind};
use std::ops::Range;

/// The longest text that a note shows around the part; the rest is cut.
const MAX_EXCERPT: usize = 96;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The name of the text, for the note.
    what: String,
    text: String,
    mark: Range<usize>,
}

impl Place {
    /// The bytes `mark` of a text, or `None` if they are not in it.
    pub(crate) fn new(what: impl Into<String>, text: &str, mark: Range<usize>) -> Option<Self> {
        text.get(mark.clone())?;
        Some(Self { what: what.into(), text: text.to_owned(), mark })
    }

    /// All of a text.
    pub(crate) fn whole(what: impl Into<String>, text: &str) -> Self {
        Self { what: what.into(), text: text.to_owned(), mark: 0..text.len() }
    }

    /// The text on a line of its own, and a caret below its part.
    pub(crate) fn note(&self) -> String {
        // Text in front and after, as far as there is room.
        let chars = |text: &str| text.chars().count();
        let (before, marked) = (&self.text[..self.mark.start], &self.text[self.mark.clone()]);
        let after = &self.text[self.mark.end..];
        let marked: String = marked.chars().take(MAX_EXCERPT).collect();
        let room = MAX_EXCERPT.saturating_sub(chars(&marked));
        let front = match chars(before) {
            all if all <= room => before.to_owned(),
            all => format!("…{}", before.chars().skip(all - room / 2).collect::<String>()),
        };
        let room = MAX_EXCERPT.saturating_sub(chars(&front) + chars(&marked));
        let back = match chars(after) {
            all if all <= room => after.to_owned(),
            _ => format!("{}…", after.chars().take(room).collect::<String>()),
        };
        let (gap, line) = (" ".repeat(chars(&front)), "~".repeat(chars(&marked).max(1) - 1));
        format!("in {}:\n  {front}{marked}{back}\n  {gap}^{line}", self.what)
    }
}

/// A part of an attribute or a type, or of the text between its brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// A view's elements.
    Element,
    /// A view's space.
    Space,
    /// The layout between the brackets, after a view's elements and space.
    Layout,
    /// The outer part of a composed layout: a swizzle or another layout.
    Outer,
    /// A layout's shape.
    Shape,
    /// A mode of the shape; all of it, if it is one mode.
    Mode(usize),
    /// The stride of a mode; all of it, if it is one mode.
    Stride(usize),
    /// The `?` of this number.
    Symbol(usize),
    /// The integer of this number, in the order of the text.
    Integer(usize),
}

/// The place of a part of the layout that a text is.
pub(crate) fn of_text(what: impl Into<String>, text: &str, part: Part) -> Option<Place> {
    Place::new(what, text, within(&Span::of(text), part)?)
}

/// The bytes of a part of a layout.
pub(crate) fn within(span: &Span, part: Part) -> Option<Range<usize>> {
    let mode = |part: usize, mode: usize| match span.layout()?[part] {
        one if one.kind != SpanKind::Tuple => Some(one).filter(|_| mode == 0),
        modes => modes.entry(&[mode]),
    };
    let found = match part {
        Part::Shape => span.layout()?[0],
        Part::Mode(number) => mode(0, number)?,
        Part::Stride(number) => mode(1, number)?,
        Part::Outer => Some(span).filter(|span| span.kind == SpanKind::Composed)?.parts.first()?,
        Part::Symbol(number) => symbol(span, number)?,
        Part::Integer(number) => span.outermost(&Span::is_number).get(number)?,
        Part::Whole | Part::Element | Part::Space | Part::Layout => span,
    };
    Some(found.range.clone())
}

/// Where the symbol of a number is mentioned first; they are numbered as they first occur.
fn symbol(span: &Span, number: usize) -> Option<&Span> {
    let mut seen = Vec::new();
    let symbols = span.outermost(&|part| matches!(part.kind, SpanKind::Symbol { .. }));
    let mut first = symbols.into_iter().filter(|part| {
        let SpanKind::Symbol { name } = &part.kind else { return false };
        let is_first = !seen.contains(&name);
        seen.push(name);
        is_first
    });
    first.nth(number)
}

#[cfg(test)]
#[path = "../../tests/units/diagnostics/place.rs"]
mod tests;
