//! Where the parts of a term stand in its text.

use super::Parser;
use alloc::vec::Vec;
use core::ops::Range;

/// The bytes of a part of a term, and of the parts of that: the operands of a call, the entries of a tuple
/// or tiler, shape and stride of a layout, what stands between the `o`s of a composed layout.
///
/// ```
/// use layout_algebra::Term;
/// let text = "coalesce((4,(2,4)):(2,(1,8)), (1,1))";
/// let (_, span) = Term::parse_spanned(text)?;
/// let at = |path: &[usize]| span.at(path).map(|span| &text[span.range.clone()]);
/// assert_eq!(at(&[]), Some(text));
/// // The first operand, its shape, and mode 1 of that.
/// assert_eq!(at(&[0]), Some("(4,(2,4)):(2,(1,8))"));
/// assert_eq!(at(&[0, 0, 1]), Some("(2,4)"));
/// assert_eq!(at(&[1]), Some("(1,1)"));
/// assert_eq!(at(&[2]), None);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Span {
    /// The bytes.
    pub range: Range<usize>,
    /// The parts, in the order of the term.
    pub parts: Vec<Span>,
}

impl Span {
    /// The part that a path of places leads to.
    pub fn at(&self, path: &[usize]) -> Option<&Self> {
        path.iter().try_fold(self, |span, &place| span.parts.get(place))
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

    /// Notes the span of the part that was read from a mark on.
    pub(super) fn note(&mut self, mark: &Mark) {
        let Some(spans) = &mut self.spans else { return };
        let text = self.text.text().get(mark.start..self.text.at).unwrap_or("").trim_end();
        let range = mark.start..mark.start + text.len();
        let mut parts = spans.split_off(mark.before.min(spans.len()));
        match parts.as_slice() {
            // The part itself, noted by what it was read as.
            [part] if part.range == range => spans.append(&mut parts),
            _ => spans.push(Span { range, parts }),
        }
    }

    /// Notes the span of what has no parts of its own.
    pub(super) fn note_leaf(&mut self, mark: &Mark) {
        if let Some(spans) = &mut self.spans {
            spans.truncate(mark.before);
        }
        self.note(mark);
    }

    /// A coordinate stands behind the layout that it is read at, and is the first operand.
    pub(super) fn swap_spans(&mut self, mark: &Mark) {
        if let Some(parts) = self.spans.as_mut().and_then(|spans| spans.get_mut(mark.before..)) {
            parts.reverse();
        }
    }

    /// Modes between `<` and `>` stand before the first operand, and are operands behind it.
    pub(super) fn rotate_spans(&mut self, mark: &Mark, modes: usize) {
        let parts = mark.before..mark.before + modes + 1;
        if let Some(parts) = self.spans.as_mut().and_then(|spans| spans.get_mut(parts)) {
            parts.rotate_left(modes);
        }
    }
}
