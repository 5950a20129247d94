//! The text of layouts with symbols: the grammar of [`crate::Term`], with sums in place of integers.
//!
//! ```text
//! term     = layout [ "o" sum "o" layout ] { "(" sums ")" }   S<3,3,3> o 0 o (M,64):(64,1)
//! layout   = sum [ ":" steps ] | steps | swizzle | linear   (M,8):(1,M), and as in terms without symbols
//! steps    = sum | product { "@" int } | "(" steps {"," steps} ")"
//! sum      = product {("+" | "-") product}
//! product  = factor {("*" | "/") factor}                "/" must come out even
//! factor   = ["-"] ( int | symbol | "_" | name ["<" sums ">"] "(" terms ")" | "<" terms ">" | "(" [sums] ")" )
//! symbol   = (identifier | "?" [int]) [ "{" {fact} "}" ]
//! fact     = "i32" | "i64" | "div=" int | "range=" [int] ".." [int]
//! ```
//!
//! A symbol's facts may stand at any mention of it and hold for all. Parentheses around one sum
//! group where an operator follows, and are a tuple of one entry elsewhere.

use super::{
    error::{Error, Result},
    facts::Facts,
    symbol::{Symbol, Width},
};
use crate::{
    LENGTH_LIMIT, Op, Value,
    cursor::{Cursor, Reads, bracketed, entries, template},
    linear,
    parse::{is_swizzle, swizzle, unknown},
};
use alloc::{
    borrow::ToOwned, boxed::Box, collections::BTreeMap, format, string::String, string::ToString,
    vec, vec::Vec,
};
use core::mem;

/// Integers, symbols, calls and tuples that a term with symbols may have.
pub const PART_LIMIT: usize = 4096;

/// What a text says, before symbols are looked up.
#[derive(Debug)]
pub(super) enum Syntax {
    Int(i64),
    Symbol(String),
    Any,
    Tuple(Vec<Syntax>),
    Tiler(Vec<Syntax>),
    Layout(Box<Syntax>, Box<Syntax>),
    /// A swizzle or a linear layout.
    Literal(Box<Value>),
    /// `outer o offset o inner`.
    Composed(Box<[Syntax; 3]>),
    /// A multiple of a basis element, and which.
    Step(Box<Syntax>, Vec<usize>),
    Call {
        name: String,
        at: usize,
        args: Vec<Syntax>,
    },
    /// Summands, and whether each is taken off.
    Sum(Vec<(bool, Syntax)>),
    /// Factors, and whether each divides.
    Product(Vec<(bool, Syntax)>),
}

/// What names stand for: the text of a value.
pub(super) type Names = BTreeMap<String, String>;

/// Reads a text and adds the symbols that it mentions to the facts.
pub(super) fn term<'t>(
    text: &'t str,
    facts: &'t mut Facts,
    names: Option<&'t Names>,
) -> Result<Syntax> {
    let mut parser = Parser { names, ..Parser::new(text, facts)? };
    let syntax = parser.term(0)?;
    parser.text.end()?;
    parser.declare()?;
    Ok(syntax)
}

/// Reads one symbol with its facts.
pub(crate) fn symbol(text: &str) -> Result<Symbol> {
    let mut facts = Facts::new();
    let mut parser = Parser::new(text, &mut facts)?;
    let name = match parser.text.peek() {
        Some('?') => parser.anonymous()?,
        _ => {
            let name = parser.text.word().to_owned();
            if !is_name(&name) {
                return Err(parser.expected("a symbol"));
            }
            parser.text.at += name.len();
            name
        }
    };
    parser.annotation(&name)?;
    parser.text.end()?;
    parser.declare()?;
    facts.get(&name).cloned().ok_or_else(|| Error::operand("symbol", "a symbol", text))
}

/// Whether a symbol may be called so.
pub(crate) fn is_name(name: &str) -> bool {
    if let Some(number) = name.strip_prefix('?') {
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        return digits && number.len() <= 18 && (number == "0" || !number.starts_with('0'));
    }
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let all = chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    // `_8` is an integer that CuTe knows at compile time.
    let is_static = name.starts_with('_') && name[1..].starts_with(|c: char| c.is_ascii_digit());
    first && all && !is_static && !matches!(name, "_" | "o")
}

/// What a text says of one symbol.
#[derive(Default)]
struct Mention {
    width: Option<Width>,
    divisors: Vec<i64>,
    lo: Option<i64>,
    hi: Option<i64>,
}

struct Parser<'t> {
    text: Cursor<'t>,
    facts: &'t mut Facts,
    mentions: BTreeMap<String, Mention>,
    names: Option<&'t Names>,
    /// The least number that may be free for a symbol without a name.
    next: u64,
    /// Parts that were read.
    parts: usize,
}

impl<'t> Reads<'t> for Parser<'t> {
    fn cursor(&mut self) -> &mut Cursor<'t> {
        &mut self.text
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, facts: &'t mut Facts) -> Result<Self> {
        if text.len() > LENGTH_LIMIT {
            return Err(Error::Algebra(crate::Error::Limit {
                what: "bytes of a term",
                limit: LENGTH_LIMIT,
                found: text.len().to_string(),
            }));
        }
        let (text, mentions) = (Cursor::new(text, 0), BTreeMap::new());
        Ok(Self { text, facts, mentions, names: None, next: 0, parts: 0 })
    }

    fn expected(&mut self, expected: &str) -> Error {
        Error::Algebra(self.text.expected(expected))
    }

    /// A term, and the coordinates that it is called at.
    fn term(&mut self, depth: usize) -> Result<Syntax> {
        let mut term = self.composed(depth)?;
        let mut depth = depth;
        while is_function(&term) && self.text.is_called() {
            depth = self.text.deeper(depth)?;
            let at = self.text.at;
            term = called(term, at, bracketed(self, depth, ["(", ")"], Self::sum)?);
        }
        Ok(term)
    }

    fn composed(&mut self, depth: usize) -> Result<Syntax> {
        let outer = self.layout(depth)?;
        if !self.eat_o() {
            return Ok(outer);
        }
        let offset = self.sum(depth)?;
        if !self.eat_o() {
            return Err(self.expected("`o` and an inner layout"));
        }
        let inner = self.layout(self.text.deeper(depth)?)?;
        Ok(Syntax::Composed(Box::new([outer, offset, inner])))
    }

    /// A lone `o`.
    fn eat_o(&mut self) -> bool {
        let found = self.text.word() == "o";
        if found {
            self.text.at += 1;
        }
        found
    }

    fn layout(&mut self, depth: usize) -> Result<Syntax> {
        if self.is_stride() {
            return self.steps(depth);
        }
        let shape = self.sum(depth)?;
        if !self.text.eat(":") {
            return Ok(shape);
        }
        Ok(Syntax::Layout(Box::new(shape), Box::new(self.steps(depth)?)))
    }

    /// Whether a stride of basis elements by itself is ahead.
    fn is_stride(&mut self) -> bool {
        let rest = self.text.rest();
        let ahead = rest.get(..entry(rest)).unwrap_or(rest);
        if !ahead.contains('@') || ahead.contains(':') {
            return false;
        }
        // Elsewhere it is in the operands of a call.
        let outside = |end: usize| {
            let open = |c: char| matches!(c, '(' | '<' | '{');
            let close = |c: char| matches!(c, ')' | '>' | '}');
            let before = &ahead[..end];
            before.matches(open).count() == before.matches(close).count()
        };
        is_tuple(ahead) || ahead.match_indices('@').any(|(at, _)| outside(at))
    }

    /// A stride; one that is a multiple of a basis element has the outermost mode last.
    fn steps(&mut self, depth: usize) -> Result<Syntax> {
        let rest = self.text.rest();
        let ahead = rest.get(..entry(rest)).unwrap_or(rest);
        if !ahead.contains('@') {
            return self.sum(depth);
        }
        // Parentheses around a multiple group, and are not all of the entry.
        if is_tuple(ahead) {
            return bracketed(self, depth, ["(", ")"], Self::steps).map(Syntax::Tuple);
        }
        let multiple = self.sum(depth)?;
        let mut path = Vec::new();
        while self.text.eat("@") {
            let mode = self.text.integer("a mode")?;
            let mode = usize::try_from(mode)
                .map_err(|_| self.text.error("a mode that is not negative", mode.to_string()))?;
            path.insert(0, mode);
            self.text.deeper(path.len())?;
        }
        Ok(if path.is_empty() { multiple } else { Syntax::Step(Box::new(multiple), path) })
    }

    fn sum(&mut self, depth: usize) -> Result<Syntax> {
        let mut summands = vec![(false, self.product(depth)?)];
        loop {
            let minus = match self.text.peek() {
                Some('+') => false,
                Some('-') => true,
                _ => break,
            };
            self.text.at += 1;
            summands.push((minus, self.product(depth)?));
        }
        Ok(only(summands).unwrap_or_else(Syntax::Sum))
    }

    fn product(&mut self, depth: usize) -> Result<Syntax> {
        let mut factors = vec![(false, self.factor(depth)?)];
        loop {
            let divides = match self.text.peek() {
                Some('*') => false,
                Some('/') => true,
                _ => break,
            };
            self.text.at += 1;
            factors.push((divides, self.factor(depth)?));
        }
        Ok(only(factors).unwrap_or_else(Syntax::Product))
    }

    fn factor(&mut self, depth: usize) -> Result<Syntax> {
        self.parts += 1;
        if self.parts > PART_LIMIT {
            return Err(Error::Algebra(crate::Error::Limit {
                what: "parts of a term with symbols",
                limit: PART_LIMIT,
                found: "more".to_owned(),
            }));
        }
        match self.text.peek() {
            Some('-') if !self.text.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                let depth = self.text.deeper(depth)?;
                self.text.eat("-");
                Ok(Syntax::Product(vec![(false, Syntax::Int(-1)), (false, self.factor(depth)?)]))
            }
            Some('(') => bracketed(self, depth, ["(", ")"], Self::sum).map(Syntax::Tuple),
            Some('<') => bracketed(self, depth, ["<", ">"], Self::term).map(Syntax::Tiler),
            Some('?') => {
                let name = self.anonymous()?;
                self.annotation(&name)?;
                Ok(Syntax::Symbol(name))
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.named(depth),
            _ => {
                let expected = "a term, an integer, a symbol, `_` or `(`";
                Ok(Syntax::Int(self.text.integer(expected)?))
            }
        }
    }

    fn named(&mut self, depth: usize) -> Result<Syntax> {
        if self.text.is_any() && self.text.word() == "_" {
            self.text.at += 1;
            return Ok(Syntax::Any);
        }
        let (at, name) = (self.text.at, self.text.word());
        if name.starts_with('_') && !is_name(name) {
            let expected = "a term, an integer, a symbol, `_` or `(`";
            return Ok(Syntax::Int(self.text.integer(expected)?));
        }
        if !is_name(name) {
            return Err(self.expected("a term, an integer, a symbol, `_` or `(`"));
        }
        if is_swizzle(name) && self.text.rest()[name.len()..].starts_with('<') {
            self.text.at += name.len();
            let swizzle = swizzle(self, |parser| parser.text.integer("an integer"))?;
            return Ok(Syntax::Literal(Box::new(Value::Swizzle(swizzle))));
        }
        if linear::begins(name) && self.text.rest()[name.len()..].starts_with(['<', '(']) {
            let (layout, end) = linear::read(self.text.text(), self.text.at)?;
            self.text.at = end;
            return Ok(Syntax::Literal(Box::new(Value::Linear(layout))));
        }
        let bound = self.names.and_then(|names| names.get(name));
        let is_called = self.text.rest()[name.len()..].trim_start().starts_with('(');
        if let Some(value) = bound
            && !(is_called && is_operation(name))
        {
            self.text.at += name.len();
            let value = self.bound(value, depth)?;
            if !self.text.is_called() || !is_function(&value) {
                return Ok(value);
            }
            let depth = self.text.deeper(depth)?;
            let at = self.text.at;
            return Ok(called(value, at, bracketed(self, depth, ["(", ")"], Self::sum)?));
        }
        let is_template = || self.text.ahead()[name.len()..].starts_with('<');
        if is_called && !is_operation(name) {
            return Err(Error::Algebra(unknown(&mut self.text, "an operation of the algebra")));
        }
        if is_called || Op::from_name(name).is_some() && is_template() {
            self.text.at += name.len();
            let modes = template(self, |parser| parser.sum(depth))?;
            self.text.require("(", "`(`")?;
            let depth = self.text.deeper(depth)?;
            let mut args = entries(self, depth, ")", false, Self::term)?;
            args.splice(1..1, modes);
            return Ok(Syntax::Call { name: name.to_owned(), at, args });
        }
        self.text.at += name.len();
        self.annotation(name)?;
        Ok(Syntax::Symbol(name.to_owned()))
    }

    /// What a name stands for, as a whole. In its text names are those of symbols.
    fn bound(&mut self, value: &'t str, depth: usize) -> Result<Syntax> {
        let depth = self.text.deeper(depth)?;
        let (text, names) =
            (mem::replace(&mut self.text, Cursor::new(value, 0)), self.names.take());
        let syntax = self.term(depth)?;
        self.text.end()?;
        (self.text, self.names) = (text, names);
        Ok(syntax)
    }

    /// `?` and its number, or the next number that is free.
    fn anonymous(&mut self) -> Result<String> {
        self.text.require("?", "`?`")?;
        let number: String = self.text.ahead().chars().take_while(char::is_ascii_digit).collect();
        if !number.is_empty() {
            let name = format!("?{number}");
            if !is_name(&name) {
                return Err(self.expected("a number of at most 18 digits that starts with no 0"));
            }
            self.text.at += number.len();
            return Ok(name);
        }
        loop {
            let name = format!("?{}", self.next);
            self.next += 1;
            if self.facts.get(&name).is_none() && !self.mentions.contains_key(&name) {
                return Ok(name);
            }
        }
    }

    /// The facts in braces, if there are any; an empty mention counts.
    fn annotation(&mut self, name: &str) -> Result<()> {
        let mut facts = Mention::default();
        if self.text.eat("{") {
            while !self.text.eat("}") {
                let expected = "`i32`, `i64`, `div=`, `range=` or `}`";
                self.text.peek();
                let word = self.text.word();
                match word {
                    "i32" | "i64" => {
                        self.text.at += word.len();
                        facts.width = Some(if word == "i32" { Width::W32 } else { Width::W64 });
                    }
                    "div" => {
                        self.text.at += word.len();
                        self.text.require("=", "`=`")?;
                        facts.divisors.push(self.text.integer("an integer")?);
                    }
                    "range" => {
                        self.text.at += word.len();
                        self.text.require("=", "`=`")?;
                        self.range(&mut facts)?;
                    }
                    _ => return Err(self.expected(expected)),
                }
            }
        }
        let mention = self.mentions.entry(name.to_owned()).or_default();
        mention.width = mention.width.max(facts.width);
        mention.divisors.extend(facts.divisors);
        mention.lo = mention.lo.max(facts.lo);
        mention.hi = match (mention.hi, facts.hi) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Ok(())
    }

    fn range(&mut self, facts: &mut Mention) -> Result<()> {
        if self.text.peek() != Some('.') {
            facts.lo = Some(self.text.integer("an integer or `..`")?);
        }
        self.text.require(".", "`..`")?;
        if !self.text.ahead().starts_with('.') {
            return Err(self.expected("`..`"));
        }
        self.text.at += 1;
        if self.text.peek().is_some_and(|c| c == '-' || c.is_ascii_digit()) {
            facts.hi = Some(self.text.integer("an integer")?);
        }
        Ok(())
    }

    /// Adds what was mentioned to the facts.
    fn declare(&mut self) -> Result<()> {
        for (name, mention) in core::mem::take(&mut self.mentions) {
            let known = self.facts.get(&name).map(Symbol::width);
            let width = mention.width.or(known).unwrap_or(Width::W32);
            let (lo, hi) = width.limits();
            let mut symbol = Symbol::new(&name, width)?
                .with_range(mention.lo.unwrap_or(lo), mention.hi.unwrap_or(hi))?;
            for divisor in mention.divisors {
                symbol = symbol.with_divisor(divisor)?;
            }
            self.facts.insert(symbol)?;
        }
        Ok(())
    }
}

/// Bytes of the entry ahead: up to a comma or a bracket that closes what it stands in.
fn entry(text: &str) -> usize {
    let mut open = 0_usize;
    let end = text.bytes().position(|byte| match byte {
        b',' => open == 0,
        b'(' | b'<' | b'{' => {
            open += 1;
            false
        }
        b')' | b'>' | b'}' if open == 0 => true,
        b')' | b'>' | b'}' => {
            open -= 1;
            false
        }
        _ => false,
    });
    end.unwrap_or(text.len())
}

/// The byte of the bracket that closes the one that the text starts with.
fn closing(text: &str) -> usize {
    1 + text.get(1..).map_or(0, |inner| {
        let mut at = 0;
        while let Some(rest) = inner.get(at..) {
            at += entry(rest);
            match inner.as_bytes().get(at) {
                Some(b',') => at += 1,
                _ => break,
            }
        }
        at
    })
}

/// Whether a word names an operation, of the algebra or of arithmetic.
fn is_operation(name: &str) -> bool {
    Op::from_name(name).is_some() || matches!(name, "floor_div" | "mod" | "min")
}

/// Whether an entry is one tuple, which may be a stride that is called at coordinates.
fn is_tuple(ahead: &str) -> bool {
    let after = || ahead.get(closing(ahead) + 1..).unwrap_or("").trim_start();
    ahead.starts_with('(') && matches!(after().chars().next(), None | Some('('))
}

/// Whether a term may be called at a coordinate: where it has no value that is a function, the
/// operation says so.
fn is_function(syntax: &Syntax) -> bool {
    match syntax {
        Syntax::Layout(..) | Syntax::Literal(_) | Syntax::Composed(_) => true,
        Syntax::Call { name, .. } => Op::from_name(name).is_some(),
        _ => false,
    }
}

/// The call of a layout at a coordinate.
fn called(layout: Syntax, at: usize, mut coord: Vec<Syntax>) -> Syntax {
    let coord = match coord.len() {
        1 => coord.remove(0),
        _ => Syntax::Tuple(coord),
    };
    fn has_any(syntax: &Syntax) -> bool {
        match syntax {
            Syntax::Any => true,
            Syntax::Tuple(entries) => entries.iter().any(has_any),
            _ => false,
        }
    }
    let name = if has_any(&coord) { "slice" } else { "crd2idx" };
    Syntax::Call { name: name.to_owned(), at, args: vec![coord, layout] }
}

/// The only entry, if it is one and is neither taken off nor divides.
fn only(mut entries: Vec<(bool, Syntax)>) -> core::result::Result<Syntax, Vec<(bool, Syntax)>> {
    match entries.pop() {
        Some((_, entry)) if entries.is_empty() => Ok(entry),
        Some(last) => {
            entries.push(last);
            Err(entries)
        }
        None => Err(entries),
    }
}
