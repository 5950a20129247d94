//! Where in a text a violation is, and the note that shows the text with a caret below.

use crate::diagnostics::spans::{Kind, Node};
use std::ops::Range;

/// Longest text that a note shows around the part; the rest is cut.
const SHOWN: usize = 96;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// What the text is, for the note.
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
    /// What is between the brackets, behind a view's elements and space.
    Layout,
    /// What a layout is behind: a swizzle or another layout.
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
    Place::new(what, text, within(text, &Node::read(text), part)?)
}

pub(crate) fn within(text: &str, node: &Node, part: Part) -> Option<Range<usize>> {
    let found = match part {
        Part::Shape => &node.layout()?[0],
        Part::Mode(mode) => node.layout()?[0].mode(mode)?,
        Part::Stride(mode) => node.layout()?[1].mode(mode)?,
        Part::Outer => match &node.kind {
            Kind::Composed(parts) => parts.first()?,
            _ => return None,
        },
        Part::Symbol(number) => return symbol(text, node.span.clone(), number),
        Part::Integer(number) => return node.integers(text).into_iter().nth(number),
        Part::Whole | Part::Element | Part::Space | Part::Layout => node,
    };
    Some(found.span.clone())
}

/// Where the `?` of a number stands first, with its name and what is known of it. A name is a `?` and
/// digits, and every other `?` is another integer; they are numbered as they first occur.
fn symbol(text: &str, layout: Range<usize>, number: usize) -> Option<Range<usize>> {
    let part = text.get(layout.clone())?;
    let mut named: Vec<&str> = Vec::new();
    let mut found = 0;
    for (at, _) in part.match_indices('?') {
        let rest = &part[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let name = &rest[..digits];
        if digits > 0 && named.contains(&name) {
            continue;
        }
        if found == number {
            let braces = match rest[digits..].strip_prefix('{') {
                Some(inside) => inside.find('}')? + 2,
                None => 0,
            };
            let start = layout.start + at;
            return Some(start..start + 1 + digits + braces);
        }
        named.push(name);
        found += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_their_part() {
        let note = |text: &str, span| Place::new("the term", text, span).expect("a place").note();
        assert_eq!(
            note("#layout<(2,(3,5),2)>", 13..14),
            "in the term:\n  #layout<(2,(3,5),2)>\n               ^"
        );
        let long = format!("({}7:1)", "8,".repeat(100));
        let note = note(&long, long.len() - 4..long.len() - 1);
        let lines: Vec<_> = note.lines().collect();
        assert!(lines[1].starts_with("  …") && lines[1].ends_with("7:1)"), "{note}");
        assert_eq!(lines[2].find('^'), lines[1].chars().position(|c| c == '7'), "{note}");
        assert!(lines[2].ends_with("^~~"), "{note}");
    }

    #[test]
    fn parts_of_layouts_are_found() {
        let found =
            |text: &str, part| Some(text[within(text, &Node::read(text), part)?].to_owned());
        let composed = "S<2,0,3> o ?0{div=8} o (?,(?1,8)):(?0,(1,2))";
        for (text, part, expected) in [
            ("(4,8):(8,1)", Part::Shape, Some("(4,8)")),
            ("(4,8):(8,1)", Part::Mode(1), Some("8")),
            ("4:1", Part::Mode(0), Some("4")),
            ("4:1", Part::Mode(1), None),
            ("(4,(2,8)):(8,(1,2))", Part::Integer(4), Some("1")),
            ("(4,8):(8,1)", Part::Stride(0), Some("8")),
            ("(4,8):(8,1)", Part::Outer, None),
            (composed, Part::Outer, Some("S<2,0,3>")),
            (composed, Part::Mode(1), Some("(?1,8)")),
            (composed, Part::Symbol(0), Some("?0{div=8}")),
            (composed, Part::Symbol(1), Some("?")),
            (composed, Part::Symbol(2), Some("?1")),
            (composed, Part::Symbol(3), None),
            ("(?,?{i64}):(?,1)", Part::Symbol(1), Some("?{i64}")),
        ] {
            assert_eq!(found(text, part).as_deref(), expected, "{part:?} of {text}");
        }
    }
}
