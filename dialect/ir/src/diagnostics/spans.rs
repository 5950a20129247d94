//! A text of the algebra as the parts that it has, each with its span.
//!
//! Errors say which operand of which call they are about, and which mode of it: [`Node::of`] walks to
//! that part. A text that does not parse has parts too, so that all of its errors have their places.

use layout_algebra::Place;
use std::ops::Range;

/// Levels that are taken apart: more than a term has.
const DEPTH_LIMIT: usize = 96;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

/// The kinds of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer, an expression, a swizzle or a word.
    Leaf,
    /// Entries in brackets.
    List(Vec<Node>),
    /// A shape and a stride.
    Layout(Box<[Node; 2]>),
    /// Parts that are composed: outer, offset and inner.
    Composed(Vec<Node>),
    /// An operation and its operands.
    Call(Range<usize>, Vec<Node>),
}

impl Node {
    /// The term that a text is.
    pub(crate) fn read(text: &str) -> Self {
        Reader { text: text.as_bytes(), at: 0 }.term(0)
    }

    /// What stands between the outermost brackets of an attribute or a type.
    pub(crate) fn inside(text: &str) -> Vec<Self> {
        let mut reader = Reader { text: text.as_bytes(), at: text.find('<').unwrap_or(text.len()) };
        reader.list(0)
    }

    /// The entries of a list, and the part itself where it is none.
    pub(crate) fn entries(&self) -> &[Self] {
        match &self.kind {
            Kind::List(entries) => entries,
            _ => std::slice::from_ref(self),
        }
    }

    /// The entry that a path of numbers leads to, from the outermost list inwards.
    pub(crate) fn entry(&self, path: &[usize]) -> Option<&Self> {
        path.iter().try_fold(self, |part, &step| match &part.kind {
            Kind::List(entries) => entries.get(step),
            _ => None,
        })
    }

    /// The mode of this number of a shape or a stride, which may be one mode.
    pub(crate) fn mode(&self, mode: usize) -> Option<&Self> {
        self.entries().get(mode)
    }

    /// Shape and stride of a layout; of the inner one where it is composed.
    pub(crate) fn layout(&self) -> Option<&[Self; 2]> {
        match &self.kind {
            Kind::Layout(parts) => Some(parts),
            Kind::Composed(parts) => parts.last()?.layout(),
            _ => None,
        }
    }

    /// The leaves of a shape or a stride.
    pub(crate) fn leaves(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::List(entries) => entries.iter().flat_map(Self::leaves).collect(),
            _ => vec![self],
        }
    }

    /// The integers of a layout or a tuple, in the order of its text: those of the shape and the stride
    /// of each layout that it is composed of, and the offsets between.
    pub(crate) fn integers(&self, text: &str) -> Vec<Range<usize>> {
        let parts = match &self.kind {
            Kind::Leaf => {
                let leaf = &text[self.span.clone()];
                let is_integer = leaf != "_" && !leaf.starts_with("S<");
                return is_integer.then(|| self.span.clone()).into_iter().collect();
            }
            Kind::Layout(parts) => parts.as_slice(),
            Kind::List(parts) | Kind::Composed(parts) | Kind::Call(_, parts) => parts,
        };
        parts.iter().flat_map(|part| part.integers(text)).collect()
    }

    /// The layouts that are written out, but for those into coordinates.
    pub(crate) fn written_out(&self, text: &str) -> Vec<&Self> {
        match &self.kind {
            Kind::Leaf => Vec::new(),
            Kind::Layout(_) if text[self.span.clone()].contains('@') => Vec::new(),
            Kind::Layout(_) => vec![self],
            Kind::List(parts) | Kind::Composed(parts) | Kind::Call(_, parts) => {
                parts.iter().flat_map(|part| part.written_out(text)).collect()
            }
        }
    }

    /// The span that an error's place leads to: of an operation its name. It ends where a value was not
    /// written out.
    pub(crate) fn of(&self, place: &Place) -> Range<usize> {
        let mut part = self;
        for &step in place.calls.iter().chain(&place.operand) {
            let (Kind::Call(_, parts) | Kind::List(parts)) = &part.kind else { break };
            part = parts.get(step).unwrap_or(part);
        }
        part = part.entry(&place.modes).unwrap_or(part);
        match &part.kind {
            Kind::Call(name, _) => name.clone(),
            _ => part.span.clone(),
        }
    }
}

#[derive(Clone, Copy)]
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.text.get(self.at).copied()
    }

    fn is_after_space(&self) -> bool {
        self.at.checked_sub(1).is_some_and(|before| self.text[before].is_ascii_whitespace())
    }

    /// A lone `o`.
    fn eat_o(&mut self) -> bool {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let found = self.peek() == Some(b'o') && !self.text.get(self.at + 1).is_some_and(is_word);
        self.at += usize::from(found);
        found
    }

    fn term(&mut self, depth: usize) -> Node {
        let first = self.factor(depth);
        let mut parts = vec![first];
        while self.eat_o() {
            parts.push(self.factor(depth));
        }
        let mut term = match parts.len() {
            1 => parts.remove(0),
            last => {
                let span = parts[0].span.start..parts[last - 1].span.end;
                Node { span, kind: Kind::Composed(parts) }
            }
        };
        // A layout at a coordinate, which is the first operand.
        while self.peek() == Some(b'(') {
            let start = self.at;
            let entries = self.list(depth + 1);
            let coordinate = Node { span: start..self.at, kind: Kind::List(entries) };
            let name = term.span.clone();
            term =
                Node { span: name.start..self.at, kind: Kind::Call(name, vec![coordinate, term]) };
        }
        term
    }

    fn factor(&mut self, depth: usize) -> Node {
        let shape = self.operand(depth);
        if self.peek() != Some(b':') {
            return shape;
        }
        self.at += 1;
        let stride = self.operand(depth);
        let span = shape.span.start..stride.span.end;
        Node { span, kind: Kind::Layout(Box::new([shape, stride])) }
    }

    /// A list, a call, or a leaf, which is an expression where it goes on.
    fn operand(&mut self, depth: usize) -> Node {
        self.space();
        let start = self.at;
        let kind = match self.text.get(start) {
            _ if depth > DEPTH_LIMIT => Kind::Leaf,
            Some(b'(' | b'<' | b'[') => Kind::List(self.list(depth + 1)),
            Some(byte) if byte.is_ascii_alphabetic() => {
                let rest = &self.text[start..];
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                self.at += rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
                let name = start..self.at;
                // `size<0>(L)` has its modes behind the layout.
                let mut ahead = *self;
                let modes = match ahead.peek() {
                    Some(b'<') => ahead.list(depth + 1),
                    _ => Vec::new(),
                };
                match ahead.peek() {
                    Some(b'(') => {
                        self.at = ahead.at;
                        let mut operands = self.list(depth + 1);
                        let behind = operands.len().min(1);
                        operands.splice(behind..behind, modes);
                        Kind::Call(name, operands)
                    }
                    _ => Kind::Leaf,
                }
            }
            _ => Kind::Leaf,
        };
        let end = self.at;
        let goes_on = match self.peek() {
            None | Some(b',' | b')' | b'>' | b']' | b':') => false,
            Some(b'o') => !{ *self }.eat_o(),
            // A layout at a coordinate.
            Some(b'(') => matches!(kind, Kind::Leaf),
            Some(_) => true,
        };
        if !goes_on {
            return Node { span: start..end, kind };
        }
        self.leaf();
        Node { span: start..self.at, kind: Kind::Leaf }
    }

    /// The entries in the brackets that open here, up to the one that closes or the end.
    fn list(&mut self, depth: usize) -> Vec<Node> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            match self.peek() {
                None => return entries,
                Some(b')' | b'>' | b']') => {
                    self.at += 1;
                    return entries;
                }
                Some(b',' | b':') => self.at += 1,
                Some(_) => entries.push(self.term(depth)),
            }
        }
    }

    /// Goes on to the end of an expression.
    fn leaf(&mut self) {
        let mut depth = 0_usize;
        let mut end = self.at;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'(' | b'<' | b'{' | b'[' => depth += 1,
                // The arrow of a linear layout closes nothing.
                b'>' if self.text[self.at - 1] == b'-' => {}
                b')' | b'>' | b'}' | b']' if depth > 0 => depth -= 1,
                b')' | b'>' | b']' | b',' | b':' if depth == 0 => break,
                b'o' if depth == 0 && self.is_after_space() && { *self }.eat_o() => break,
                _ => {}
            }
            self.at += 1;
            if !byte.is_ascii_whitespace() {
                end = self.at;
            }
        }
        self.at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_taken_apart() {
        let of = |text: &str| -> Vec<String> {
            let part = Node::read(text);
            let Kind::List(entries) = part.kind else { return Vec::new() };
            entries.into_iter().map(|entry| text[entry.span].to_owned()).collect()
        };
        assert_eq!(of("( 2 ,(3,5))"), ["2", "(3,5)"]);
        assert_eq!(of("<4:1, (2,2):(1,8)>"), ["4:1", "(2,2):(1,8)"]);
        assert_eq!(of("(1,)"), ["1"]);
        assert_eq!(of("(4,2):(1,4)"), [""; 0]);
        assert_eq!(of("8"), [""; 0]);
        let view = "!layout.view<vector<2xf16>, global, (4,8):(8,1)>";
        let parts: Vec<_> = Node::inside(view).into_iter().map(|part| &view[part.span]).collect();
        assert_eq!(parts, ["vector<2xf16>", "global", "(4,8):(8,1)"]);
    }

    #[test]
    fn written_layouts_are_found() {
        let of = |text: &str| -> Vec<String> {
            let part = Node::read(text);
            let layouts = part.written_out(text).into_iter().filter_map(Node::layout);
            layouts.flatten().map(|part| text[part.span.clone()].to_owned()).collect()
        };
        assert_eq!(of("(4,(2,2)):(1,(4,8))"), ["(4,(2,2))", "(1,(4,8))"]);
        assert_eq!(of("<4:1, ( 2 ,2) : (1,8)>"), ["4", "1", "( 2 ,2)", "(1,8)"]);
        assert_eq!(of("S<2,0,3> o 0 o (?{div=8},8):(8,1)"), ["(?{div=8},8)", "(8,1)"]);
        assert_eq!(of("get(?{div=4}:floor_div(?0,2), 0)"), ["?{div=4}", "floor_div(?0,2)"]);
        assert_eq!(of("floor_div(?0,2)*4:1"), ["floor_div(?0,2)*4", "1"]);
        assert_eq!(of("(4,8):(1@0,1@1)"), [""; 0]);
        for text in [":", "(:)", "4:", ":1", "((:", "}:{", "\u{e9}:\u{e9}", "o o", "->", "1>2"] {
            assert!(of(text).len() <= 2, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(of(&deep), [""; 0]);
    }

    #[test]
    fn integers_are_in_order() {
        let of = |text: &str| -> Vec<String> {
            let integers = Node::read(text).integers(text);
            integers.into_iter().map(|span| text[span].to_owned()).collect()
        };
        assert_eq!(of("(4,?{div=8}):(?,1)"), ["4", "?{div=8}", "?", "1"]);
        assert_eq!(of("S<2,0,3> o ? o (4,8):(8,1)"), ["?", "4", "8", "8", "1"]);
        assert_eq!(of("(?,4):(4,1) o 0 o 8:1"), ["?", "4", "4", "1", "0", "8", "1"]);
        assert_eq!(of("(_,(3,?))"), ["3", "?"]);
    }

    #[test]
    fn errors_point_at_their_mode() {
        for (text, marked) in [
            ("composition((4,2):(1,5), 8:3)", "8:3"),
            ("composition(((4,6),3):((1,5),1), (6,3))", "6"),
            ("complement((4,4):(1,2), 64)", "(4,4):(1,2)"),
            ("coalesce(composition((4,2):(1,5), 8:3))", "8:3"),
            ("composition(8:1, complement((4,4):(1,2), 64))", "(4,4):(1,2)"),
            ("composition(4:1)", "composition"),
            ("size(coalesce(composition(4:1)))", "composition"),
            ("size<0>(composition((4,2):(1,5), 8:3))", "8:3"),
            ("(4,2):(1,4)((0,0,0))", "((0,0,0))"),
            ("get((4,2):(1,4), 0, 3)", "3"),
            ("take((4,2):(1,4), 0, 3)", "3"),
            ("zipped_divide((4,(4,2)):(1,(4,16)), (4,(2,1,2)))", "2"),
            ("logical_product((4,4):(1,2), 6:1)", "(4,4):(1,2)"),
            ("coalesce((4,8):(1,4), (1,(1,1)))", "(1,1)"),
        ] {
            let error = match layout_algebra::Term::parse(text).map(|term| term.eval()) {
                Err(error) | Ok(Err(error)) => error,
                Ok(Ok(value)) => panic!("{text} is {value}"),
            };
            assert_eq!(&text[Node::read(text).of(&error.place())], marked, "{text}");
        }
    }
}
