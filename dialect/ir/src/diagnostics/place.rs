//! Where in a text a violation is, and the note that shows the text with a caret below.

use layout_algebra::{Span, SpanKind};
use std::ops::Range;

/// Longest text that a note shows around the part; the rest is cut.
const SHOWN: usize = 96;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The name of the text, for the note.
    what: String,
    text: String,
    mark: Range<usize>,
}

impl Place {
    /// The bytes `mark` of a text; nothing where they are not in it.
    pub(crate) fn new(what: impl Into<String>, text: &str, mark: Range<usize>) -> Option<Self> {
        text.get(mark.clone())?;
        Some(Self { what: what.into(), text: text.to_owned(), mark })
    }

    /// The text on a line of its own, and a caret below its part.
    pub(crate) fn note(&self) -> String {
        // Text in front and behind, as far as there is room.
        let chars = |text: &str| text.chars().count();
        let (before, marked) = (&self.text[..self.mark.start], &self.text[self.mark.clone()]);
        let after = &self.text[self.mark.end..];
        let marked: String = marked.chars().take(SHOWN).collect();
        let room = SHOWN.saturating_sub(chars(&marked));
        let front = match chars(before) {
            all if all <= room => before.to_owned(),
            all => format!("…{}", before.chars().skip(all - room / 2).collect::<String>()),
        };
        let room = SHOWN.saturating_sub(chars(&front) + chars(&marked));
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
    /// The layout between the brackets, behind a view's elements and space.
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
    Place::new(what, text, within(text, &Span::of(text), part)?)
}

pub(crate) fn within(text: &str, span: &Span, part: Part) -> Option<Range<usize>> {
    let mode = |part: usize, mode: usize| match span.layout()?[part] {
        one if one.kind != SpanKind::Tuple => Some(one).filter(|_| mode == 0),
        modes => modes.entry(&[mode]),
    };
    let found = match part {
        Part::Shape => span.layout()?[0],
        Part::Mode(number) => mode(0, number)?,
        Part::Stride(number) => mode(1, number)?,
        Part::Outer => Some(span).filter(|span| span.kind == SpanKind::Composed)?.parts.first()?,
        Part::Symbol(number) => symbol(text, span, number)?,
        Part::Integer(number) => span.outermost(&Span::is_number).get(number)?,
        Part::Whole | Part::Element | Part::Space | Part::Layout => span,
    };
    Some(found.range.clone())
}

/// Where the `?` of a number stands first, with its name and what is known of it. Every `?` without a name is
/// another integer; they are numbered as they first occur.
fn symbol<'s>(text: &str, span: &'s Span, number: usize) -> Option<&'s Span> {
    let mut seen = Vec::new();
    let symbols = span.outermost(&|part| part.kind == SpanKind::Symbol);
    let mut first = symbols.into_iter().filter(|symbol| {
        let name = text[symbol.range.clone()].split('{').next().unwrap_or("").trim_end();
        let is_first = name == "?" || !seen.contains(&name);
        seen.push(name);
        name.starts_with('?') && is_first
    });
    first.nth(number)
}

/// The parts between the outermost brackets of an attribute or a type, separated at its commas.
pub(crate) fn inside(text: &str) -> Vec<Range<usize>> {
    let (Some(open), Some(close)) = (text.find('<'), text.rfind('>')) else { return Vec::new() };
    let mut parts = Vec::new();
    let (mut start, mut depth) = (open + 1, 0_usize);
    for at in open + 1..close.max(open) {
        match text.as_bytes()[at] {
            // The arrow of a linear layout or a function closes nothing.
            b'>' if text[..at].ends_with('-') => {}
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b',' if depth == 0 => parts.push(std::mem::replace(&mut start, at + 1)..at),
            b')' | b'>' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    parts.push(start..close.max(start));
    let trimmed = parts.into_iter().map(|part| {
        let inner = text[part.clone()].trim_start();
        let start = part.end - inner.len();
        start..start + inner.trim_end().len()
    });
    trimmed.collect()
}

/// The term of an attribute or a type, which may have other parts in front of it.
pub(crate) fn term_inside(text: &str) -> Option<Span> {
    Some(Span::within(text, inside(text).pop()?))
}

#[cfg(test)]
#[path = "../../tests/units/diagnostics/place.rs"]
mod tests;
