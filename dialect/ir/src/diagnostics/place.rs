//! Where in a text a violation is: the spans of its parts, found by counting brackets, and the note
//! that shows the text with a caret below.
//!
//! Texts are those of attributes and types, as they were written or as they are printed. A part that
//! is not found leaves a violation without a place, never with a wrong one.

use layout_algebra::{Error, Tuple};
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

/// A span without the white space around it.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let part = text.get(span.clone()).unwrap_or("");
    let start = span.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// Where the bytes of a span stand outside of all its brackets, with the byte.
fn at_top(text: &str, span: Range<usize>) -> impl Iterator<Item = (usize, u8)> {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    span.filter_map(move |at| {
        let byte = *bytes.get(at)?;
        match byte {
            b'(' | b'<' | b'{' | b'[' => depth += 1,
            // The arrow of a linear layout closes nothing.
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b')' | b'>' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => return Some((at, byte)),
            _ => {}
        }
        None
    })
}

/// The entries of a bracketed list; nothing where the span is none.
pub(crate) fn entries(text: &str, span: Range<usize>) -> Option<Vec<Range<usize>>> {
    let span = trimmed(text, span);
    let part = text.get(span.clone())?;
    let inside = match (part.chars().next()?, part.chars().last()?) {
        ('(', ')') | ('<', '>') | ('[', ']') => span.start + 1..span.end - 1,
        _ => return None,
    };
    // One bracket that closes before the end is no list, but the start of a layout.
    if at_top(text, span.clone()).next().is_some() {
        return None;
    }
    let mut found = Vec::new();
    let mut start = inside.start;
    for (at, _) in at_top(text, inside.clone()).filter(|&(_, byte)| byte == b',') {
        found.push(trimmed(text, start..at));
        start = at + 1;
    }
    let last = trimmed(text, start..inside.end);
    if !last.is_empty() {
        found.push(last);
    }
    Some(found)
}

/// The entry that a path of numbers leads to, from the outermost list inwards.
pub(crate) fn entry(text: &str, span: Range<usize>, path: &[usize]) -> Option<Range<usize>> {
    let mut span = trimmed(text, span);
    for &step in path {
        span = entries(text, span)?.get(step)?.clone();
    }
    Some(span)
}

/// Shape and stride of the layout that a span is; of the inner one where it is composed.
pub(crate) fn shape_and_stride(
    text: &str,
    span: Range<usize>,
) -> Option<(Range<usize>, Range<usize>)> {
    let inner = text.get(span.clone())?.rfind(" o ").map_or(0, |at| at + 3);
    let span = trimmed(text, span.start + inner..span.end);
    let (colon, _) = at_top(text, span.clone()).find(|&(_, byte)| byte == b':')?;
    Some((trimmed(text, span.start..colon), trimmed(text, colon + 1..span.end)))
}

/// Where a printed part stands in a text that may have more white space: the first place where it
/// is not a piece of a longer word.
pub(crate) fn find(text: &str, part: &str) -> Option<Range<usize>> {
    let wanted: Vec<u8> = part.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = text.as_bytes();
    let starts = (0..bytes.len()).filter(|&at| Some(&bytes[at]) == wanted.first());
    starts.into_iter().find_map(|start| {
        let mut at = start;
        for byte in &wanted {
            while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            if bytes.get(at) != Some(byte) {
                return None;
            }
            at += 1;
        }
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let joined = (word(before) && word(wanted.first()))
            || (word(bytes.get(at)) && word(wanted.last()))
            // A layout's shape or stride alone is not the layout, nor is a mode of it.
            || matches!((before, bytes.get(at)), (Some(b':' | b'-'), _));
        (!joined && text.is_char_boundary(start)).then_some(start..at)
    })
}

/// A layout that is written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) shape: Range<usize>,
    pub(crate) stride: Range<usize>,
}

/// The layouts that are written out in a text, but for those into coordinates.
pub(crate) fn literals(text: &str) -> Vec<Literal> {
    let bytes = text.as_bytes();
    let literal = |colon: usize| {
        let shape = trimmed(text, start_of_operand(bytes, colon)..colon);
        let stride = trimmed(text, colon + 1..end_of_operand(bytes, colon + 1));
        let whole = text.get(shape.start..stride.end)?;
        let known = !shape.is_empty() && !stride.is_empty() && !whole.contains('@');
        known.then_some(Literal { shape, stride })
    };
    (0..bytes.len()).filter(|&at| bytes[at] == b':').filter_map(literal).collect()
}

/// Where the leaf or the list in brackets ends that begins at a byte.
fn end_of_operand(bytes: &[u8], start: usize) -> usize {
    let (mut depth, mut first) = (0_usize, None);
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            byte if first.is_none() && byte.is_ascii_whitespace() => continue,
            b'(' | b'{' => depth += 1,
            b')' | b'}' if depth == 0 => return at,
            b')' | b'}' => depth -= 1,
            b',' | b'<' | b'>' | b':' if depth == 0 => return at,
            byte if depth == 0 && byte.is_ascii_whitespace() => return at,
            _ => {}
        }
        if *first.get_or_insert(*byte) == b'(' && depth == 0 {
            return at + 1;
        }
    }
    bytes.len()
}

/// Where the leaf or the list in brackets begins that ends before a byte.
fn start_of_operand(bytes: &[u8], end: usize) -> usize {
    let (mut depth, mut last) = (0_usize, None);
    for at in (0..end).rev() {
        match bytes[at] {
            byte if last.is_none() && byte.is_ascii_whitespace() => continue,
            b')' | b'}' => depth += 1,
            b'(' | b'{' if depth == 0 => return at + 1,
            b'(' | b'{' => depth -= 1,
            b',' | b'<' | b'>' | b':' if depth == 0 => return at + 1,
            byte if depth == 0 && byte.is_ascii_whitespace() => return at + 1,
            _ => {}
        }
        // A list, unless it is what a function takes.
        let called = at.checked_sub(1).is_some_and(|at| bytes[at].is_ascii_alphanumeric());
        let is_list = *last.get_or_insert(bytes[at]) == b')';
        if is_list && depth == 0 && bytes[at] == b'(' && !called {
            return at;
        }
    }
    0
}

/// The leaves of a shape or a stride.
pub(crate) fn leaves(text: &str, span: Range<usize>) -> Vec<Range<usize>> {
    match entries(text, span.clone()) {
        None => vec![trimmed(text, span)],
        Some(entries) => entries.into_iter().flat_map(|entry| leaves(text, entry)).collect(),
    }
}

/// The integers of a layout or a tuple, in the order of its text: those of the shape and the stride of
/// each layout that it is composed of, and the offsets between.
pub(crate) fn values(text: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let Some(part) = text.get(span.clone()) else { return Vec::new() };
    let mut found = Vec::new();
    let mut start = span.start;
    let breaks = part.match_indices(" o ").map(|(at, _)| span.start + at);
    for end in breaks.chain([span.end]) {
        let segment = trimmed(text, start..end);
        start = end + 3;
        if text[segment.clone()].starts_with("S<") {
            continue;
        }
        match shape_and_stride(text, segment.clone()) {
            Some((shape, stride)) => {
                found.extend(leaves(text, shape).into_iter().chain(leaves(text, stride)));
            }
            None => found.extend(leaves(text, segment)),
        }
    }
    found.retain(|leaf| &text[leaf.clone()] != "_");
    found
}

/// The parts of a layout whose stride does not nest as the shape does, each with what to mark.
pub(crate) fn incongruent(text: &str, layout: &Literal) -> Vec<(Literal, Range<usize>)> {
    let Literal { shape, stride } = layout;
    match (entries(text, shape.clone()), entries(text, stride.clone())) {
        (None, None) => Vec::new(),
        (None, Some(_)) | (Some(_), None) => vec![(layout.clone(), stride.clone())],
        (Some(extents), Some(strides)) => {
            let pairs = extents
                .iter()
                .zip(&strides)
                .map(|(extent, stride)| Literal { shape: extent.clone(), stride: stride.clone() });
            let mut found: Vec<_> = pairs.flat_map(|part| incongruent(text, &part)).collect();
            if found.is_empty() && extents.len() != strides.len() {
                let extra = strides.get(extents.len()).unwrap_or(stride);
                found.push((layout.clone(), extra.clone()));
            }
            found
        }
    }
}

/// The part of `text` that an error of the algebra is about.
pub(crate) fn of_error(text: &str, error: &Error) -> Option<Range<usize>> {
    match error {
        Error::Parse { offset, .. } => Some(*offset..*offset),
        Error::Incongruent { shape, stride } => {
            let span = find(text, &format!("{shape}:{stride}"))
                .or_else(|| find(text, &format!("{shape}:{}", one_entry(stride))))?;
            let (shape, stride) = shape_and_stride(text, span)?;
            incongruent(text, &Literal { shape, stride }).into_iter().next().map(|(_, mark)| mark)
        }
        Error::Extent { shape, extent } => {
            let span = find(text, &shape.to_string())?;
            let within = text.get(span.clone())?;
            let leaf = find(within, &extent.to_string())?;
            Some(span.start + leaf.start..span.start + leaf.end)
        }
        Error::Coordinate { coord, .. } => find(text, coord),
        Error::NoComposition { a, b, .. } | Error::Undecided { a, b, .. } => {
            find(text, &format!("{a},{b}"))
                .and_then(|pair| find(&text[..pair.end], &format!(",{b}")))
                .map(|pair| trimmed(text, pair.start + 1..pair.end))
                .or_else(|| find(text, &b.to_string()))
        }
        Error::Overflow { operands, .. } => find(text, operands),
        Error::Condition { operand, operation, .. } => {
            find(text, operand).or_else(|| find(text, operation))
        }
        Error::Operand { operation, found, .. } => find(text, found)
            .filter(|_| found.contains([':', ',', '<']))
            .or_else(|| find(text, operation)),
        Error::Mode { operation, .. } => find(text, operation),
        _ => None,
    }
}

/// A tuple of one entry as one writes it, with the comma.
fn one_entry(tuple: &Tuple) -> String {
    match tuple {
        Tuple::Node(entries) if entries.len() == 1 => format!("({},)", entries[0]),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_their_part() {
        let text = "#layout<(2,(3,5),2)>";
        let span = entry(text, 8..19, &[1, 1]).expect("an entry");
        let note = Place::new("the term", text, span).expect("a place").note();
        assert_eq!(note, "in the term:\n  #layout<(2,(3,5),2)>\n                ^");
        let long = format!("({}7:1)", "8,".repeat(100));
        let span = find(&long, "7:1").expect("a part");
        let note = Place::new("the term", &long, span).expect("a place").note();
        let lines: Vec<_> = note.lines().collect();
        assert!(lines[1].starts_with("  …") && lines[1].ends_with("7:1)"), "{note}");
        assert_eq!(lines[2].find('^'), lines[1].chars().position(|c| c == '7'), "{note}");
        assert!(lines[2].ends_with("^~~"), "{note}");
    }

    #[test]
    fn parts_are_found_whatever_the_space() {
        for (text, part, found) in [
            ("composition((4,2):(1,5), 8:3)", "8:3", Some("8:3")),
            ("( 4 ,2 ) : (1, 5)", "(4,2):(1,5)", Some("( 4 ,2 ) : (1, 5)")),
            ("(18:3, 8:35)", "8:3", None),
            ("(4:18, 8)", "8", Some("8")),
            ("", "8", None),
        ] {
            assert_eq!(find(text, part).map(|span| &text[span]), found, "{part} in {text}");
        }
    }

    #[test]
    fn lists_are_taken_apart() {
        let of = |text: &str| -> Option<Vec<String>> {
            Some(entries(text, 0..text.len())?.into_iter().map(|s| text[s].to_owned()).collect())
        };
        assert_eq!(of("( 2 ,(3,5))"), Some(vec!["2".to_owned(), "(3,5)".to_owned()]));
        assert_eq!(of("<4:1, (2,2):(1,8)>").map(|e| e.len()), Some(2));
        assert_eq!(of("(1,)").map(|e| e.len()), Some(1));
        assert_eq!(of("(4,2):(1,4)"), None);
        assert_eq!(of("8"), None);
    }

    #[test]
    fn written_layouts_are_found() {
        let of = |text: &str| -> Vec<String> {
            let spans = literals(text).into_iter().map(|l| [l.shape, l.stride]);
            spans.flatten().map(|span| text[span].to_owned()).collect()
        };
        assert_eq!(of("(4,(2,2)):(1,(4,8))"), ["(4,(2,2))", "(1,(4,8))"]);
        assert_eq!(of("<4:1, ( 2 ,2) : (1,8)>"), ["4", "1", "( 2 ,2)", "(1,8)"]);
        assert_eq!(of("S<2,0,3> o 0 o (?{div=8},8):(8,1)"), ["(?{div=8},8)", "(8,1)"]);
        assert_eq!(of("get(?{div=4}:floor_div(?0,2), 0)"), ["?{div=4}", "floor_div(?0,2)"]);
        assert_eq!(of("floor_div(?0,2):1"), ["floor_div(?0,2)", "1"]);
        assert_eq!(of("(4,8):(1@0,1@1)"), [""; 0]);
        for text in [":", "(:)", "4:", ":1", "((:", "}:{", "\u{e9}:\u{e9}"] {
            assert!(of(text).len() <= 2, "{text}");
        }
    }

    #[test]
    fn values_are_in_order() {
        let of = |text: &str| -> Vec<String> {
            values(text, 0..text.len()).into_iter().map(|span| text[span].to_owned()).collect()
        };
        assert_eq!(of("(4,?{div=8}):(?,1)"), ["4", "?{div=8}", "?", "1"]);
        assert_eq!(of("S<2,0,3> o ? o (4,8):(8,1)"), ["?", "4", "8", "8", "1"]);
        assert_eq!(of("(?,4):(4,1) o 0 o 8:1"), ["?", "4", "4", "1", "0", "8", "1"]);
        assert_eq!(of("(_,(3,?))"), ["3", "?"]);
    }

    #[test]
    fn errors_point_at_their_mode() {
        for (text, marked) in [
            ("(4,2):(1,2,3)", "3"),
            ("(4,(2,2)):(1,2)", "2"),
            ("(4,2,8):(1,2)", "(1,2)"),
            ("(4,2):(1,)", "(1,)"),
            ("coalesce((4, 2) : (1, (2,3)))", "(2,3)"),
            ("(4,(0,2)):(1,(4,8))", "0"),
            ("composition((4,2):(1,5), 8:3)", "8:3"),
            ("complement((4,4):(1,2), 64)", "(4,4):(1,2)"),
            ("composition(4:1)", "composition"),
        ] {
            let error = match layout_algebra::Term::parse(text).map(|term| term.eval()) {
                Err(error) | Ok(Err(error)) => error,
                Ok(Ok(value)) => panic!("{text} is {value}"),
            };
            assert_eq!(of_error(text, &error).map(|span| &text[span]), Some(marked), "{text}");
        }
    }
}
