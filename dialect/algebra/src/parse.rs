//! The one parser of terms: what attributes, the calculator and the tests write.
//!
//! ```text
//! term     = product [ "o" int "o" product ] { "(" tuple {"," tuple} ")" }
//! product  = swizzle | "<" term {"," term} ">" | call | layout
//!          | linear                                   linear<{lane = [1,2]} -> {row = 4}>
//! swizzle  = ("S" | "Sw" | "Swizzle") "<" int "," int "," int ">"
//! call     = name [ "<" int {"," int} ">" ] "(" term {"," term} ")"
//! layout   = tuple [ ":" ( tuple | steps ) ]
//! steps    = int { "@" int } | "(" steps {"," steps} ")"
//! tuple    = int | "_" | "(" [ tuple {"," tuple} ] ")"
//! int      = ["_"] ["-"] digits
//! ```
//!
//! What CuTe prints and what its programs say is read as it is: `_8` is 8, `Sw<3,4,3>` is `S<3,4,3>`,
//! `size<0>(L)` is `size(L, 0)`. A layout before a coordinate in parentheses is `crd2idx` of it, or
//! `slice` where the coordinate has a `_`: `(4,8):(8,1)(1,2)`.
//!
//! A caller may bind names to terms ([`Term::parse_with`]); a bound name stands for its whole term,
//! wherever a term of that kind may stand.

use crate::{
    basis::{Basis, BasisLayout, check_steps},
    cursor::{Cursor, Reads, bracketed, entries, template},
    error::{Error, Result},
    layout::Layout,
    linear,
    swizzle::{ComposedLayout, Outer, Swizzle},
    symbolic::static_composed_of_coordinates,
    term::{Op, Term, Value},
    tuple::{Coord, Nested, Tuple},
};
use alloc::{borrow::ToOwned, format, string::String, string::ToString, vec, vec::Vec};
use core::str::FromStr;

/// Levels that a term may nest. Enough for any program; small enough for any stack.
pub const DEPTH_LIMIT: usize = 64;

/// Bytes that a term's text may have.
pub const LENGTH_LIMIT: usize = 1 << 20;

/// What names stand for.
type Names<'n> = &'n dyn Fn(&str) -> Option<Term>;

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
    KEYWORDS.contains(&word) || Op::from_name(word).is_some()
}

/// Parses a whole text.
pub(crate) fn term(text: &str) -> Result<Term> {
    Parser::new(text, None)?.whole()
}

/// Parses a whole text in which names may stand for terms.
pub(crate) fn term_with(text: &str, names: Names<'_>) -> Result<Term> {
    Parser::new(text, Some(names))?.whole()
}

struct Parser<'t> {
    text: Cursor<'t>,
    names: Option<Names<'t>>,
    /// Bytes of the text, and of the terms that names stood for.
    length: usize,
}

impl<'t> Reads<'t> for Parser<'t> {
    fn cursor(&mut self) -> &mut Cursor<'t> {
        &mut self.text
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, names: Option<Names<'t>>) -> Result<Self> {
        let mut parser = Self { text: Cursor::new(text, 0), names, length: 0 };
        parser.lengthen(text.len())?;
        Ok(parser)
    }

    fn whole(mut self) -> Result<Term> {
        let term = self.term(0)?;
        self.text.end()?;
        Ok(term)
    }

    /// Counts bytes; a name counts as what it stands for, so that names of names stay bounded.
    fn lengthen(&mut self, bytes: usize) -> Result<()> {
        self.length = self.length.saturating_add(bytes);
        if self.length > LENGTH_LIMIT {
            return Err(Error::Limit {
                what: "bytes of a term",
                limit: LENGTH_LIMIT,
                found: self.length.to_string(),
            });
        }
        Ok(())
    }

    /// A term, and the coordinates that it is called at.
    fn term(&mut self, depth: usize) -> Result<Term> {
        let mut term = self.composed(depth)?;
        let mut depth = depth;
        while is_function(&term) && self.text.is_called() {
            depth = self.text.deeper(depth)?;
            let coord = match self.coord(depth)? {
                Coord::Tuple(mut entries) if entries.len() == 1 => entries.remove(0),
                coord => coord,
            };
            let (op, coord) = match coord.to_tuple() {
                Some(Tuple::Leaf(index)) => (Op::Crd2Idx, Value::Int(index)),
                Some(tuple) => (Op::Crd2Idx, Value::Tuple(tuple)),
                None => (Op::Slice, Value::Coord(coord)),
            };
            term = Term::Call { op, args: vec![Term::Literal(coord), term] };
        }
        Ok(term)
    }

    fn composed(&mut self, depth: usize) -> Result<Term> {
        let start = self.text.at;
        let outer = self.product(depth)?;
        if !self.eat_o() {
            return Ok(outer);
        }
        let offset = match self.text.peek() == Some('(') {
            true => self.product(self.text.deeper(depth)?)?,
            false => Term::Literal(Value::Int(self.integer()?)),
        };
        if !self.eat_o() {
            return Err(self.text.expected("`o` and an inner layout"));
        }
        let inner = self.product(self.text.deeper(depth)?)?;
        let outer = match outer {
            Term::Literal(Value::Swizzle(swizzle)) => Outer::Swizzle(swizzle),
            Term::Literal(Value::Layout(layout)) => Outer::Layout(layout),
            _ => {
                return Err(Error::Parse {
                    offset: start,
                    expected: "a swizzle or a layout before `o`".to_owned(),
                    found: "another term".to_owned(),
                    nearest: None,
                });
            }
        };
        match (outer, offset, inner) {
            (outer, Term::Literal(Value::Int(offset)), Term::Literal(Value::Layout(inner))) => {
                Ok(Term::Literal(Value::Composed(ComposedLayout { outer, offset, inner })))
            }
            (
                Outer::Layout(outer),
                Term::Literal(Value::Tuple(offset)),
                Term::Literal(Value::Basis(inner)),
            ) => static_composed_of_coordinates(&outer, &offset, &inner).map(Term::Literal),
            (
                Outer::Layout(outer),
                Term::Literal(Value::Int(0)),
                Term::Literal(Value::Basis(inner)),
            ) => static_composed_of_coordinates(&outer, &Tuple::Leaf(0), &inner).map(Term::Literal),
            _ => Err(Error::Parse {
                offset: self.text.at,
                expected: "a layout after `o`".to_owned(),
                found: "another term".to_owned(),
                nearest: None,
            }),
        }
    }

    /// A lone `o`.
    fn eat_o(&mut self) -> bool {
        let found = self.text.word() == "o";
        if found {
            self.text.at += 1;
        }
        found
    }

    fn product(&mut self, depth: usize) -> Result<Term> {
        match self.text.peek() {
            Some('<') => bracketed(self, depth, ["<", ">"], Self::term).map(Term::Tiler),
            Some(c) if c.is_ascii_alphabetic() => self.call(depth),
            _ => self.layout(depth),
        }
    }

    fn call(&mut self, depth: usize) -> Result<Term> {
        let name = self.text.word();
        if is_swizzle(name) {
            self.text.at += name.len();
            let swizzle = swizzle(self, Self::integer)?;
            return Ok(Term::Literal(Value::Swizzle(swizzle)));
        }
        if linear::begins(name) {
            let (layout, end) = linear::read(self.text.text(), self.text.at)?;
            self.text.at = end;
            return Ok(Term::Literal(Value::Linear(layout)));
        }
        let Some(op) = Op::from_name(name) else {
            let start = self.text.at;
            return match self.named(depth)? {
                // A number may go on as a layout: `n:1`.
                Some(Term::Literal(Value::Int(_) | Value::Tuple(_) | Value::Coord(_))) => {
                    self.text.at = start;
                    self.layout(depth)
                }
                Some(term) => Ok(term),
                None if self.names.is_some() => Err(unknown(
                    &mut self.text,
                    "an operation of the algebra or a name that is bound",
                )),
                None => Err(unknown(&mut self.text, "an operation of the algebra")),
            };
        };
        self.text.at += name.len();
        let modes = template(self, Self::integer)?;
        self.text.require("(", "`(`")?;
        let depth = self.text.deeper(depth)?;
        let mut args = entries(self, depth, ")", false, Self::term)?;
        args.splice(1..1, modes.into_iter().map(|mode| Term::Literal(Value::Int(mode))));
        Ok(Term::Call { op, args })
    }

    /// The term of the name ahead, if a bound one is ahead. It counts as if its text stood here.
    fn named(&mut self, depth: usize) -> Result<Option<Term>> {
        // Asked at every integer, and most texts bind no names.
        if self.names.is_none() {
            return Ok(None);
        }
        let name = self.text.word();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || is_reserved(name) {
            return Ok(None);
        }
        let Some(term) = self.names.and_then(|names| names(name)) else { return Ok(None) };
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
            return Err(Error::Parse {
                offset: self.text.at,
                expected: format!("at most {DEPTH_LIMIT} levels of nesting"),
                found: format!("{deepest} with what `{name}` stands for"),
                nearest: None,
            });
        }
        self.lengthen(text.len())?;
        self.text.at += name.len();
        Ok(Some(term))
    }

    /// The error for a name whose term may not stand at `offset`.
    fn misnamed(&self, offset: usize, term: &Term, expected: &str) -> Error {
        let name = self.text.text().get(offset..self.text.at).unwrap_or("");
        let shown: String = term.to_string().chars().take(60).collect();
        Error::Parse {
            offset,
            expected: expected.to_owned(),
            found: format!("`{name}`, which is {shown}"),
            nearest: None,
        }
    }

    fn layout(&mut self, depth: usize) -> Result<Term> {
        let start = self.text.at;
        let shape = self.tuple(depth);
        if self.text.peek() == Some('@') {
            // A stride by itself.
            self.text.at = start;
            let stride = self.steps(depth)?;
            check_steps(&stride)?;
            return Ok(Term::Literal(Value::Steps(stride)));
        }
        let shape = shape?;
        if !self.text.eat(":") {
            return Ok(Term::Literal(match shape {
                Ok(Tuple::Leaf(value)) => Value::Int(value),
                Ok(tuple) => Value::Tuple(tuple),
                Err(coord) => Value::Coord(coord),
            }));
        }
        let strides_at = self.text.at;
        let stride = self.tuple(depth);
        if self.text.peek() == Some('@')
            && let Ok(shape) = shape
        {
            self.text.at = strides_at;
            let stride = self.steps(depth)?;
            return Ok(Term::Literal(Value::Basis(BasisLayout::new(shape, stride)?)));
        }
        let (Ok(shape), Ok(stride)) = (shape, stride?) else {
            return Err(Error::Parse {
                offset: start,
                expected: "a layout of integers".to_owned(),
                found: "`_`".to_owned(),
                nearest: None,
            });
        };
        Ok(Term::Literal(Value::Layout(Layout::new(shape, stride)?)))
    }

    /// Strides of which one at least is a scaled basis element: `1@0`, the outermost mode last.
    fn steps(&mut self, depth: usize) -> Result<Nested<Basis>> {
        if self.text.peek() == Some('(') {
            return bracketed(self, depth, ["(", ")"], Self::steps).map(Nested::Node);
        }
        let scale = self.integer()?;
        let mut path = Vec::new();
        while self.text.eat("@") {
            let at = self.text.at;
            let mode = self.integer()?;
            path.insert(
                0,
                usize::try_from(mode).map_err(|_| Error::Parse {
                    offset: at,
                    expected: "a mode that is not negative".to_owned(),
                    found: mode.to_string(),
                    nearest: None,
                })?,
            );
            self.text.deeper(path.len())?;
        }
        Ok(Nested::Leaf(Basis { scale, path }))
    }

    /// A tuple, or a coordinate with `_` in it.
    fn tuple(&mut self, depth: usize) -> Result<core::result::Result<Tuple, Coord>> {
        if let Some(tuple) = self.text.tuple(depth) {
            return Ok(Ok(tuple));
        }
        let coord = self.coord(depth)?;
        Ok(coord.to_tuple().ok_or(coord))
    }

    fn coord(&mut self, depth: usize) -> Result<Coord> {
        match self.text.peek() {
            Some('(') => bracketed(self, depth, ["(", ")"], Self::coord).map(Coord::Tuple),
            Some('_') if self.text.is_any() => {
                self.text.eat("_");
                Ok(Coord::Any)
            }
            _ => {
                self.text.rest();
                let start = self.text.at;
                match self.named(depth)? {
                    Some(Term::Literal(Value::Int(value))) => Ok(Coord::At(value)),
                    Some(Term::Literal(Value::Tuple(tuple))) => Ok(Coord::from(&tuple)),
                    Some(Term::Literal(Value::Coord(coord))) => Ok(coord),
                    Some(term) => {
                        Err(self.misnamed(start, &term, "an integer or a tuple of integers"))
                    }
                    None => self.integer().map(Coord::At),
                }
            }
        }
    }

    fn integer(&mut self) -> Result<i64> {
        self.text.rest();
        let start = self.text.at;
        match self.named(0)? {
            Some(Term::Literal(Value::Int(value))) => return Ok(value),
            Some(term) => return Err(self.misnamed(start, &term, "an integer")),
            None => {}
        }
        self.text.integer("a term, an integer, `_` or `(`")
    }
}

/// Whether a term may be called at a coordinate: where it has no value that is a function, the
/// operation says so.
fn is_function(term: &Term) -> bool {
    match term {
        Term::Call { .. } => true,
        Term::Tiler(_) => false,
        Term::Literal(value) => !matches!(
            value,
            Value::Int(_) | Value::Tuple(_) | Value::Coord(_) | Value::Steps(_) | Value::Tiler(_)
        ),
    }
}

/// Whether a word begins a swizzle: ours, what CuTe prints, and what its programs say.
pub(crate) fn is_swizzle(word: &str) -> bool {
    matches!(word, "S" | "Sw" | "Swizzle")
}

/// The error for a word that names no operation, with the one that it is most like.
pub(crate) fn unknown(text: &mut Cursor<'_>, expected: &str) -> Error {
    let nearest = Op::nearest(text.word());
    match text.expected(expected) {
        Error::Parse { offset, expected, found, .. } => {
            Error::Parse { offset, expected, found, nearest }
        }
        error => error,
    }
}

/// A swizzle behind its `S`.
pub(crate) fn swizzle<'t, P: Reads<'t>>(
    parser: &mut P,
    mut integer: impl FnMut(&mut P) -> Result<i64>,
) -> Result<Swizzle> {
    parser.cursor().require("<", "`<`")?;
    let start = parser.cursor().at;
    let mut number = |close: &str| -> Result<i64> {
        let value = integer(parser)?;
        parser.cursor().require(close, &format!("`{close}`"))?;
        Ok(value)
    };
    let (bits, base, shift) = (number(",")?, number(",")?, number(">")?);
    let bad = || Error::Parse {
        offset: start,
        expected: "a swizzle's bits, base and shift".to_owned(),
        found: format!("{bits}, {base}, {shift}"),
        nearest: None,
    };
    Swizzle::new(
        u32::try_from(bits).map_err(|_| bad())?,
        u32::try_from(base).map_err(|_| bad())?,
        i32::try_from(shift).map_err(|_| bad())?,
    )
}

impl FromStr for Layout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match term(text)?.eval()? {
            Value::Layout(layout) => Ok(layout),
            other => Err(Error::Operand {
                operation: "layout",
                expected: "a plain layout".to_owned(),
                found: other.to_string(),
            }),
        }
    }
}

impl FromStr for Tuple {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match term(text)? {
            Term::Literal(Value::Int(value)) => Ok(Self::Leaf(value)),
            Term::Literal(Value::Tuple(tuple)) => Ok(tuple),
            other => Err(Error::Operand {
                operation: "tuple",
                expected: "a tuple of integers".to_owned(),
                found: other.to_string(),
            }),
        }
    }
}

impl FromStr for Coord {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match term(text)? {
            Term::Literal(Value::Int(value)) => Ok(Self::At(value)),
            Term::Literal(Value::Tuple(tuple)) => Ok(Self::from(&tuple)),
            Term::Literal(Value::Coord(coord)) => Ok(coord),
            other => Err(Error::Operand {
                operation: "coordinate",
                expected: "integers and `_`".to_owned(),
                found: other.to_string(),
            }),
        }
    }
}
