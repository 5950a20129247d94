//! The one parser of terms, for attributes, the calculator and the tests.
//!
//! ```text
//! term     = layout [ "o" entry "o" layout ] { "(" entry {"," entry} ")" }
//! layout   = entry [ ":" entry ]
//! entry    = leaf { "@" int }                            1@0: a step in mode 0 of a coordinate
//! leaf     = int | "_" | "(" [ entry {"," entry} ] ")" | "(" term ")" | swizzle | linear | call | "<" term {"," term} ">"
//! swizzle  = ("S" | "Sw" | "Swizzle") "<" int "," int "," int ">"
//! linear   = linear<{lane = [1,2]} -> {row = 4}>
//! call     = name [ "<" int {"," int} ">" ] "(" term {"," term} ")"
//! int      = ["_"] ["-"] digits
//! ```
//!
//! In tuples without symbols are integers, `_` and tuples. Where a caller allows symbols, a leaf is a
//! sum, which calls and symbols may be part of:
//!
//! ```text
//! leaf     = product {("+" | "-") product}               K*i+j
//! product  = factor {("*" | "/") factor}                 "/" must come out even
//! factor   = ["-"] ( a leaf as above | symbol )
//! symbol   = (identifier | "?" [int]) [ "{" {fact} "}" ]
//! fact     = "i32" | "i64" | "div=" int | "range=" [int] ".." [int]
//! ```
//!
//! A symbol's facts may be at any mention of it and hold for all. Parentheses around one sum
//! group where an operator follows, and are a tuple of one entry elsewhere.
//!
//! The texts that CuTe prints and those of its programs are read as they are: `_8` is 8, `Sw<3,4,3>` is `S<3,4,3>`,
//! `size<0>(L)` is `size(L, 0)`, `Layout<Shape<_4,_8>>` is `(4,8):(1,4)` (`parse/cute.rs`). A layout before a coordinate
//! in parentheses is `crd2idx` of it, or `slice` where the coordinate has a `_`: `(4,8):(8,1)(1,2)`.
//!
//! A caller may bind names to terms ([`Term::parse_with`]); a bound name stands for its whole term,
//! wherever a term of that kind may be.

mod cute;
mod layouts;
mod spans;
mod syntax;

use crate::term::prelude::*;
use crate::{
    cursor::{Cursor, DEPTH_LIMIT, LENGTH_LIMIT},
    integer::mention::{Declarations, is_name},
    layout::tiler::Tiler,
    linear,
    nearest::nearest_name,
    swizzle::Swizzle,
    term::Term,
    tuple::Coord,
};
use alloc::collections::BTreeMap;
use core::{mem, str::FromStr};
use spans::Mark;
pub use spans::{Span, SpanKind};
pub(crate) use syntax::{Arithmetic, Form, Syntax};

/// Integers, symbols, calls and tuples that a term with symbols may have.
pub const PART_LIMIT: usize = 4096;

/// Words of the grammar itself, which name no operation.
const KEYWORDS: &[&str] = &["S", "Sw", "Swizzle", "o", "linear", "LinearLayout"];

/// Whether a word has a meaning in every term, so that no name may hide it: an operation or a word
/// of the grammar.
///
/// ```
/// use layout_algebra::is_reserved;
/// assert!(is_reserved("coalesce") && is_reserved("S") && !is_reserved("tile"));
/// ```
pub fn is_reserved(word: &str) -> bool {
    KEYWORDS.contains(&word) || Op::from_name(word).is_some() || cute::is_word(word)
}

/// The values of names.
#[derive(Clone, Copy)]
pub(crate) enum Names<'n> {
    /// Nothing has a name.
    None,
    /// Terms.
    Terms(&'n dyn Fn(&str) -> Option<Term>),
    /// Values, by their texts, in which names are those of symbols.
    Texts(&'n BTreeMap<String, String>),
}

/// Parses a whole text.
pub(crate) fn term(text: &str, names: Names<'_>) -> Result<Term> {
    Parser::new(text, names, None)?.whole()?.into_term()
}

/// Parses a whole text in which symbols may be; what it says of them is noted.
pub(crate) fn open(text: &str, names: Names<'_>, symbols: &mut Declarations<'_>) -> Result<Syntax> {
    Parser::new(text, names, Some(symbols))?.whole()
}

pub(crate) struct Parser<'t, 's, 'f> {
    pub(crate) text: Cursor<'t>,
    names: Names<'t>,
    /// Where they are allowed.
    symbols: Option<&'s mut Declarations<'f>>,
    /// Bytes of the text, and of the terms that names stood for.
    length: usize,
    /// Parts of a text with symbols that were read.
    parts: usize,
    /// The spans of what was read, where a caller requests them.
    spans: Option<Vec<Span>>,
}

impl<'t, 's, 'f> Parser<'t, 's, 'f> {
    fn new(
        text: &'t str,
        names: Names<'t>,
        symbols: Option<&'s mut Declarations<'f>>,
    ) -> Result<Self> {
        let text_length = text.len();
        let text = Cursor::new(text, 0);
        let mut parser = Self { text, names, symbols, length: 0, parts: 0, spans: None };
        parser.lengthen(text_length)?;
        Ok(parser)
    }

    fn whole(&mut self) -> Result<Syntax> {
        let term = self.term(0)?;
        self.text.end()?;
        Ok(term)
    }

    /// Counts bytes; a name counts as what it stands for, so that names of names stay bounded.
    fn lengthen(&mut self, bytes: usize) -> Result<()> {
        self.length = self.length.saturating_add(bytes);
        within("bytes of a term", LENGTH_LIMIT, self.length, self.length.to_string())
    }

    /// Counts parts of a text with symbols, which spans have as many of as the text.
    fn count(&mut self, parts: usize) -> Result<()> {
        if self.spans.is_some() {
            return Ok(());
        }
        self.parts += parts;
        within("parts of a term with symbols", PART_LIMIT, self.parts, "more".to_owned())
    }

    fn is_open(&self) -> bool {
        self.symbols.is_some()
    }

    /// A term, and the coordinates that it is called at.
    fn term(&mut self, depth: usize) -> Result<Syntax> {
        let mark = self.mark();
        let mut term = self.composed(depth)?;
        let mut depth = depth;
        while term.is_function() && self.text.is_called() {
            depth = self.text.deeper(depth)?;
            let coord = self.coordinate(depth)?;
            term = term.at(coord);
            self.note_called(&mark);
        }
        Ok(term)
    }

    /// The coordinate in the parentheses of a call of a layout.
    fn coordinate(&mut self, depth: usize) -> Result<Syntax> {
        let mark = self.mark();
        let mut entries = self.bracketed(depth, ["(", ")"], Self::entry)?;
        self.note_as(&mark, SpanKind::Tuple);
        Ok(match entries.len() {
            1 => entries.remove(0),
            _ => Syntax::tuple(entries),
        })
    }

    /// An entry of a tuple, or a stride.
    fn entry(&mut self, depth: usize) -> Result<Syntax> {
        if self.is_open() { self.step(depth, Self::sum) } else { self.step(depth, Self::integers) }
    }

    /// A leaf or a tuple, or a multiple of a basis element: `1@0`, the outermost mode last.
    fn step(
        &mut self,
        depth: usize,
        read: impl Fn(&mut Self, usize) -> Result<Syntax>,
    ) -> Result<Syntax> {
        let mark = self.mark();
        let multiple = read(self, depth)?;
        let is_scale = self.is_open() || multiple.as_int().is_some();
        let next = self.text.peek();
        if is_scale && next == Some('*') {
            return self.scaled(&mark, multiple, depth);
        }
        if next != Some('@') || !is_scale {
            return Ok(multiple);
        }
        let mut path = Vec::new();
        while self.text.eat("@") {
            let at = self.text.at;
            let mode = if self.is_open() { self.text.integer("a mode")? } else { self.integer()? };
            let place = if self.is_open() { self.text.at } else { at };
            path.insert(
                0,
                usize::try_from(mode)
                    .map_err(|_| Error::parse(place, "a mode that is not negative", mode))?,
            );
            self.text.deeper(path.len())?;
        }
        self.note_as(&mark, SpanKind::Expression);
        Ok(self.multiple(multiple, path))
    }

    /// A number times a basis element: `4*E<0>{}`.
    fn scaled(&mut self, mark: &Mark, scale: Syntax, depth: usize) -> Result<Syntax> {
        self.text.eat("*");
        self.eat_namespace();
        let element = self.spelled(depth)?;
        self.note_as(mark, SpanKind::Expression);
        match (scale.as_int(), element) {
            (
                Some(by),
                Some(Syntax::Literal(Value::Steps(Nested::Leaf(Basis { scale, path })))),
            ) => {
                let scale = scale.checked_mul(by).ok_or_else(|| Error::overflow("term", scale))?;
                Ok(self.multiple(Syntax::int(scale), path))
            }
            _ => Err(self.text.expected("a basis element")),
        }
    }

    /// Products that are added; a factor where no symbols are allowed.
    fn sum(&mut self, depth: usize) -> Result<Syntax> {
        if !self.is_open() {
            return self.factor_here(depth);
        }
        self.operators(depth, ['+', '-'], Form::Sum, |parser, depth| {
            parser.operators(depth, ['*', '/'], Form::Product, Self::factor)
        })
    }

    fn operators(
        &mut self,
        depth: usize,
        [plain, inverse]: [char; 2],
        joined: fn(Vec<(bool, Syntax)>) -> Form,
        read: fn(&mut Self, usize) -> Result<Syntax>,
    ) -> Result<Syntax> {
        let mark = self.mark();
        let first = read(self, depth)?;
        let mut entries = vec![(false, first)];
        while let Some(found) = self.text.peek().filter(|c| [plain, inverse].contains(c)) {
            self.text.at += 1;
            entries.push((found == inverse, read(self, depth)?));
        }
        match entries.len() {
            1 => Ok(entries.remove(0).1),
            _ => {
                self.note_as(&mark, SpanKind::Expression);
                Ok(Syntax::joined(joined, entries))
            }
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Syntax> {
        let mark = self.mark();
        let syntax = self.factor_here(depth)?;
        self.note(&mark, &syntax);
        Ok(syntax)
    }

    fn factor_here(&mut self, depth: usize) -> Result<Syntax> {
        if let Some(tuple) = self.literal(depth)? {
            return Ok(tuple);
        }
        if self.is_open() {
            self.count(1)?;
        }
        match self.text.peek() {
            Some('-') if self.is_open() && !self.text.rest()[1..].starts_with(digit) => {
                let depth = self.text.deeper(depth)?;
                self.text.eat("-");
                let negated = vec![(false, Syntax::int(-1)), (false, self.factor(depth)?)];
                Ok(Syntax::Form(Form::Product(negated)))
            }
            Some('(') => self.parenthesised(depth),
            Some('<') => self.bracketed(depth, ["<", ">"], Self::term).map(Syntax::Tiler),
            Some('_') if self.text.is_any() => {
                let is_name = self.is_open() && self.text.word() != "_";
                if is_name { self.named(depth) } else { self.any() }
            }
            Some('?') if self.is_open() => self.symbol(),
            Some(c) if c.is_ascii_alphabetic() => {
                self.eat_namespace();
                match self.spelled(depth)? {
                    Some(spelled) => Ok(spelled),
                    None => self.named(depth),
                }
            }
            _ => self.integer().map(Syntax::int),
        }
    }

    /// Integers, `_` and tuples of them, and names of such: an entry without symbols.
    fn integers(&mut self, depth: usize) -> Result<Syntax> {
        if let Some(tuple) = self.literal(depth)? {
            return Ok(tuple);
        }
        match self.text.peek() {
            Some('(') => self.parenthesised(depth),
            Some('_') if self.text.is_any() => self.any(),
            first => {
                if first.is_some_and(|first| first.is_ascii_alphabetic()) {
                    self.eat_namespace();
                    if let Some(spelled) = self.spelled(depth)? {
                        return Ok(spelled);
                    }
                }
                let start = self.text.at;
                match self.bound_term(depth)? {
                    Some(Term::Literal(
                        value @ (Value::Int(_) | Value::Tuple(_) | Value::Coord(_)),
                    )) => Ok(Syntax::Literal(value)),
                    Some(term) => {
                        Err(self.misnamed(start, &term, "an integer or a tuple of integers"))
                    }
                    None => self.integer().map(Syntax::int),
                }
            }
        }
    }

    /// A tuple from its opening bracket on, or a layout in parentheses.
    fn parenthesised(&mut self, depth: usize) -> Result<Syntax> {
        let depth = self.text.deeper(depth)?;
        self.text.eat("(");
        if self.text.eat(")") {
            return Ok(Syntax::tuple(Vec::new()));
        }
        let (mark, start) = (self.mark(), self.text.at);
        let mut first = match !self.is_open() && self.begins_function() {
            true => self.term(depth)?,
            false => self.entry(depth)?,
        };
        if self.is_open() || first.is_coordinate() {
            first = self.layout_after(&mark, start, first, depth)?;
        }
        if first.is_function() {
            first = self.composed_after(&mark, start, first, depth)?;
            let is_call = matches!(first, Syntax::Call { .. });
            let ends = self.text.rest().strip_prefix(')');
            // In terms with symbols, calls are entries too.
            if ends.is_some_and(|rest| !(is_call && self.is_open()) || rest.starts_with('(')) {
                self.text.eat(")");
                return Ok(first);
            }
        }
        let mut entries = vec![first];
        if self.text.eat(",") && !self.text.rest().starts_with(')') {
            entries.extend(self.entries(depth, ")", true, Self::entry)?);
        } else if !self.text.eat(")") {
            return Err(self.text.expected("`,` or `)`"));
        }
        Ok(Syntax::tuple(entries))
    }

    /// Whether a swizzle or a call of an operation is ahead.
    fn begins_function(&mut self) -> bool {
        self.eat_namespace();
        let word = self.text.word();
        is_swizzle(word) || Op::from_name(word).is_some()
    }

    /// A tuple of integers, if that is all that is here.
    fn literal(&mut self, depth: usize) -> Result<Option<Syntax>> {
        // Each entry has a span of its own.
        if self.spans.is_some() {
            return Ok(None);
        }
        let Some(tuple) = self.text.tuple(depth) else { return Ok(None) };
        if self.is_open() {
            self.count(parts(&tuple))?;
        }
        Ok(Some(Syntax::Literal(tuple.into())))
    }

    fn any(&mut self) -> Result<Syntax> {
        self.text.eat("_");
        Ok(Syntax::Literal(Value::Coord(Coord::Any)))
    }

    /// A part that begins with a letter.
    fn named(&mut self, depth: usize) -> Result<Syntax> {
        let (start, name) = (self.text.at, self.text.word());
        let after = self.text.ahead().get(name.len()..).unwrap_or("");
        let is_open = self.is_open();
        if is_open && !is_name(name) {
            return Err(self.text.expected(self.expectation()));
        }
        if is_swizzle(name) && (!is_open || after.starts_with('<')) {
            self.text.at += name.len();
            let swizzle = self.swizzle()?;
            self.text.skip_braces();
            return Ok(Syntax::Literal(Value::Swizzle(swizzle)));
        }
        if linear::begins(name) && (!is_open || after.starts_with(['<', '('])) {
            let (layout, end) = linear::read(self.text.text(), self.text.at)?;
            self.text.at = end;
            return Ok(Syntax::Literal(Value::Linear(layout)));
        }
        let op = Op::from_name(name).or_else(|| cute::accessor(name, after));
        if !is_open && let Some(op) = op {
            return self.call(depth, name, Some(op), None);
        }
        let arithmetic = is_open.then(|| Arithmetic::of_name(name)).flatten();
        let is_called = after.trim_start().starts_with('(');
        if let Names::Texts(names) = self.names
            && let Some(value) = names.get(name)
            && !(is_called && (op.is_some() || arithmetic.is_some()))
        {
            self.text.at += name.len();
            return self.value(value, depth);
        }
        let is_call = is_open && (is_called || op.is_some() && after.starts_with('<'));
        if is_call && (op.is_some() || arithmetic.is_some()) {
            return self.call(depth, name, op, arithmetic);
        }
        if is_open && !is_call {
            return self.symbol();
        }
        match self.bound_term(depth)? {
            Some(term) => Ok(term.into()),
            None => {
                self.text.at = start;
                let or_name =
                    matches!(self.names, Names::Terms(_)).then_some(" or a name that is bound");
                let expected = format!("an operation of the algebra{}", or_name.unwrap_or(""));
                Err(unknown(&mut self.text, &expected))
            }
        }
    }

    /// A call of an operation, of the algebra or of arithmetic.
    fn call(
        &mut self,
        depth: usize,
        name: &str,
        mut op: Option<Op>,
        arithmetic: Option<Arithmetic>,
    ) -> Result<Syntax> {
        self.text.at += name.len();
        let mark = self.mark();
        let mut modes = Vec::new();
        if self.text.eat("<") {
            let types = op.filter(|&op| op == Op::RecastLayout).and_then(|_| self.types());
            modes = match types {
                Some(types) => {
                    op = Some(Op::Recast);
                    types
                }
                None => {
                    self.entries(depth, ">", false, |parser, depth| match parser.is_open() {
                        true => parser.sum(depth),
                        false => parser.integer().map(Syntax::int),
                    })?
                }
            };
        }
        self.text.require("(", "`(`")?;
        let depth = self.text.deeper(depth)?;
        let mut args = self.entries(depth, ")", false, Self::term)?;
        self.rotate_spans(&mark, modes.len());
        args.splice(1..1, modes);
        if let (Some(of), Some(Syntax::Form(Form::Order(order)))) = (op, args.last()) {
            let order = *order;
            args.pop();
            let ordered = cute::ordered(of, args, order);
            let (ordered, with) =
                ordered.ok_or_else(|| self.text.expected("an order of numbers"))?;
            (op, args) = (Some(ordered), with);
        }
        // CuTe's composition with an offset.
        if op == Some(Op::Composition) && args.len() == 3 {
            op = Some(Op::MakeComposedLayout);
        }
        Ok(match (op, arithmetic) {
            // On shapes it is an operation of the algebra.
            (Some(op), Some(_)) if !args.iter().all(Syntax::is_sum) => Syntax::Call { op, args },
            (_, Some(arithmetic)) => Syntax::Form(Form::Arithmetic(arithmetic, args)),
            (Some(op), None) => Syntax::Call { op, args },
            (None, None) => return Err(unknown(&mut self.text, "an operation of the algebra")),
        })
    }

    /// The text of a value that a name stands for, as a whole, and what it is called at.
    fn value(&mut self, value: &'t str, depth: usize) -> Result<Syntax> {
        let inner = self.text.deeper(depth)?;
        let text = mem::replace(&mut self.text, Cursor::new(value, 0));
        let names = mem::replace(&mut self.names, Names::None);
        let syntax = self.term(inner)?;
        self.text.end()?;
        (self.text, self.names) = (text, names);
        if !self.text.is_called() || !syntax.is_function() {
            return Ok(syntax);
        }
        let depth = self.text.deeper(depth)?;
        let coord = self.coordinate(depth)?;
        Ok(syntax.at(coord))
    }

    /// The term of the name ahead, if a bound one is ahead. It counts as if its text was here.
    fn bound_term(&mut self, depth: usize) -> Result<Option<Term>> {
        // Called at every integer, and most texts bind no names.
        let Names::Terms(names) = self.names else { return Ok(None) };
        let name = self.text.word();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || is_reserved(name) {
            return Ok(None);
        }
        let Some(term) = names(name) else { return Ok(None) };
        let text = term.to_string();
        let (mut open, mut deepest) = (depth, depth);
        for byte in text.bytes() {
            match byte {
                b'(' | b'<' => open += 1,
                b')' | b'>' => open = open.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(open);
        }
        if deepest > DEPTH_LIMIT {
            let expected = format!("at most {DEPTH_LIMIT} levels of nesting");
            let found = format!("{deepest} with what `{name}` stands for");
            return Err(Error::parse(self.text.at, expected, found));
        }
        self.lengthen(text.len())?;
        self.text.at += name.len();
        Ok(Some(term))
    }

    /// The error for a name whose term may not be at `offset`.
    fn misnamed(&self, offset: usize, term: &Term, expected: &str) -> Error {
        let name = self.text.text().get(offset..self.text.at).unwrap_or("");
        let shown: String = term.to_string().chars().take(60).collect();
        Error::parse(offset, expected, format!("`{name}`, which is {shown}"))
    }

    /// A symbol, with what the text says of it.
    fn symbol(&mut self) -> Result<Syntax> {
        match &mut self.symbols {
            Some(symbols) => {
                symbols.read(&mut self.text).map(|name| Syntax::Form(Form::Symbol(name)))
            }
            None => Err(self.text.expected(self.expectation())),
        }
    }

    fn expectation(&self) -> &'static str {
        match self.is_open() {
            true => "a term, an integer, a symbol, `_` or `(`",
            false => "a term, an integer, `_` or `(`",
        }
    }

    fn integer(&mut self) -> Result<i64> {
        self.text.rest();
        let start = self.text.at;
        match self.bound_term(0)? {
            Some(Term::Literal(Value::Int(value))) => return Ok(value),
            Some(term) => return Err(self.misnamed(start, &term, "an integer")),
            None => {}
        }
        self.text.integer(self.expectation())
    }

    /// A swizzle after its `S`.
    fn swizzle(&mut self) -> Result<Swizzle> {
        self.text.require("<", "`<`")?;
        let start = self.text.at;
        let mut number = |close: &str| -> Result<i64> {
            let value = match self.is_open() {
                true => self.text.integer("an integer")?,
                false => self.integer()?,
            };
            self.text.require(close, &format!("`{close}`"))?;
            Ok(value)
        };
        let (bits, base, shift) = (number(",")?, number(",")?, number(">")?);
        let bad = || {
            let expected = "a swizzle's bits, base and shift";
            Error::parse(start, expected, format!("{bits}, {base}, {shift}"))
        };
        Swizzle::new(
            u32::try_from(bits).map_err(|_| bad())?,
            u32::try_from(base).map_err(|_| bad())?,
            i32::try_from(shift).map_err(|_| bad())?,
        )
    }

    /// The entries between brackets, of which there is one at least but for parentheses.
    fn bracketed(
        &mut self,
        depth: usize,
        [open, close]: [&str; 2],
        read: fn(&mut Self, usize) -> Result<Syntax>,
    ) -> Result<Vec<Syntax>> {
        let depth = self.text.deeper(depth)?;
        self.text.eat(open);
        if open == "(" && self.text.eat(close) {
            return Ok(Vec::new());
        }
        // A tuple may end in a comma.
        self.entries(depth, close, open == "(", read)
    }

    /// Entries of a level up to its closing bracket, with commas between.
    fn entries(
        &mut self,
        depth: usize,
        close: &str,
        comma_at_end: bool,
        read: impl Fn(&mut Self, usize) -> Result<Syntax>,
    ) -> Result<Vec<Syntax>> {
        let mut entries = vec![read(self, depth)?];
        while self.text.eat(",") {
            if comma_at_end && self.text.rest().starts_with(close) {
                break;
            }
            entries.push(read(self, depth)?);
        }
        // The message is written only where it is needed: this is read for every tuple.
        if !self.text.eat(close) {
            return Err(self.text.expected(&format!("`,` or `{close}`")));
        }
        Ok(entries)
    }
}

/// Whether a word begins a swizzle: ours, what CuTe prints, and what its programs say.
fn is_swizzle(word: &str) -> bool {
    matches!(word, "S" | "Sw" | "Swizzle")
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn within(what: &'static str, limit: usize, count: usize, found: String) -> Result<()> {
    if count <= limit { Ok(()) } else { Err(Error::limit(what, limit, found)) }
}

/// Integers and tuples in a tuple.
fn parts(tuple: &Tuple) -> usize {
    match tuple {
        Nested::Leaf(_) => 1,
        Nested::Node(entries) => 1 + entries.iter().map(parts).sum::<usize>(),
    }
}

/// The error for a word that names no operation, with the one that it is most like.
fn unknown(text: &mut Cursor<'_>, expected: &str) -> Error {
    let word = text.word();
    let words = || Op::ALL.iter().map(|op| op.name()).chain(cute::words());
    let nearest = cute::instead_of(word).or_else(|| Op::elsewhere(word).map(Op::name));
    let nearest = nearest.or_else(|| nearest_name(word, words().chain(KEYWORDS.iter().copied())));
    match text.expected(expected) {
        Error::Parse { offset, expected, found, .. } => {
            Error::Parse { offset, expected, found, nearest }
        }
        error => error,
    }
}

impl FromStr for Tuple {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match term(text, Names::None)? {
            Term::Literal(Value::Int(value)) => Ok(Self::Leaf(value)),
            Term::Literal(Value::Tuple(tuple)) => Ok(tuple),
            other => Err(Error::operand("tuple", "a tuple of integers", other)),
        }
    }
}

impl FromStr for Coord {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match term(text, Names::None)? {
            Term::Literal(Value::Int(value)) => Ok(Self::At(value)),
            Term::Literal(Value::Tuple(tuple)) => Ok(Self::from(&tuple)),
            Term::Literal(Value::Coord(coord)) => Ok(coord),
            other => Err(Error::operand("coordinate", "integers and `_`", other)),
        }
    }
}

impl FromStr for Value {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        term(text, Names::None)?.eval()
    }
}

impl FromStr for Tiler {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.parse::<Value>()?.into_tiler(&())
    }
}

/// Reads a type from the text of a value of its kind.
macro_rules! kind_of_value {
    ($type:ty, $name:literal, $expected:literal, $($value:pat => $read:expr),+) => {
        impl FromStr for $type {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                match text.parse::<Value>()? {
                    $($value => Ok($read),)+
                    other => Err(Error::operand($name, $expected, other)),
                }
            }
        }
    };
}

kind_of_value!(Layout, "layout", "a plain layout", Value::Layout(layout) => layout);
kind_of_value!(Swizzle, "swizzle", "a swizzle such as S<3,4,3>", Value::Swizzle(swizzle) => swizzle);
kind_of_value!(ComposedLayout, "layout", "a composed layout", Value::Composed(layout) => layout);
kind_of_value!(BasisLayout, "layout", "a coordinate layout", Value::Basis(layout) => layout);
kind_of_value!(
    AnyLayout, "layout", "a layout or a composed layout",
    Value::Layout(layout) => Self::Plain(layout),
    Value::Composed(layout) => Self::Composed(layout)
);
