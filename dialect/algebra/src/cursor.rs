//! Reading text token by token: what the parsers of terms, of terms with symbols and of linear
//! layouts have in common.

use crate::{
    error::{Error, Result},
    nested::{Nested, Tuple},
};
use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use smallvec::SmallVec;

/// Levels that a term may nest. Enough for any program; small enough for any stack.
pub const DEPTH_LIMIT: usize = 64;

/// Bytes that a term's text may have.
pub const LENGTH_LIMIT: usize = 1 << 20;

/// A place in a text. Space before a token is skipped.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    /// Bytes before the place.
    pub(crate) at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// The rest of the text, from the next token on.
    pub(crate) fn rest(&mut self) -> &'t str {
        let rest = self.ahead();
        // Most tokens follow each other without space.
        if rest.as_bytes().first().is_some_and(u8::is_ascii_graphic) {
            return rest;
        }
        let rest = rest.trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    /// The rest of the text, with the space that comes first.
    pub(crate) fn ahead(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Whether a coordinate follows without space, as in `A(1,2)`: before `A (1,2)` a comma is missing.
    pub(crate) fn is_called(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or("");
        self.ahead().starts_with('(') && !before.ends_with(char::is_whitespace)
    }

    pub(crate) fn peek(&mut self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(crate) fn require(&mut self, token: &str, expected: &str) -> Result<()> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(expected)) }
    }

    pub(crate) fn end(&mut self) -> Result<()> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end")) }
    }

    /// The identifier or number ahead.
    pub(crate) fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        rest.get(..length).unwrap_or("")
    }

    /// Whether `_` is ahead, and not the `_` before an integer that CuTe knows at compile time.
    pub(crate) fn is_any(&mut self) -> bool {
        let rest = self.rest().as_bytes();
        rest.first() == Some(&b'_') && !rest.get(1).is_some_and(|&byte| begins_integer(byte))
    }

    /// Past the `_` that CuTe prints before an integer known at compile time, `_8`; whether it is there.
    fn skip_static(&mut self) -> bool {
        let is_static = self.byte() == Some(b'_') && !self.is_any();
        self.at += usize::from(is_static);
        is_static
    }

    /// Past the braces that make a value of a type: `_8{}`, `Int<8>{}`.
    pub(crate) fn skip_braces(&mut self) {
        if self.ahead().starts_with("{}") {
            self.at += 2;
        }
    }

    pub(crate) fn integer(&mut self, expected: &str) -> Result<i64> {
        let is_static = self.skip_static();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.expected(expected));
        }
        let text = rest.get(..sign + digits).unwrap_or("");
        let value = text
            .parse()
            .map_err(|_| self.error("an integer of 64 bits", format!("one of {digits} digits")))?;
        self.at += text.len();
        if is_static {
            self.skip_braces();
        }
        Ok(value)
    }

    /// A tuple of integers, if that is all that is here: the texts that are read most often are
    /// made of nothing else. Any other is left to be read with its errors.
    pub(crate) fn tuple(&mut self, depth: usize) -> Option<Tuple> {
        let start = self.at;
        let tuple = self.tuple_here(depth);
        if tuple.is_none() {
            self.at = start;
        }
        tuple
    }

    fn tuple_here(&mut self, depth: usize) -> Option<Tuple> {
        if self.byte()? != b'(' {
            return self.integer_here().map(Nested::Leaf);
        }
        if depth >= DEPTH_LIMIT {
            return None;
        }
        // A tuple that is kept has no room to grow.
        let mut entries = SmallVec::<[_; 8]>::new();
        loop {
            // Past the bracket or the comma.
            self.at += 1;
            if entries.is_empty() && self.byte()? == b')' {
                self.at += 1;
                return Some(Nested::Node(Vec::new()));
            }
            entries.push(self.tuple_here(depth + 1)?);
            match self.byte()? {
                b',' => {}
                b')' => {
                    self.at += 1;
                    return Some(Nested::Node(entries.into_vec()));
                }
                _ => return None,
            }
        }
    }

    fn integer_here(&mut self) -> Option<i64> {
        let is_static = self.skip_static();
        let bytes = self.text.as_bytes();
        let negative = self.byte()? == b'-';
        let start = self.at + usize::from(negative);
        let mut value = 0_i64;
        let mut at = start;
        while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
            let digit = i64::from(digit - b'0');
            let next = value.checked_mul(10)?;
            value = if negative { next.checked_sub(digit)? } else { next.checked_add(digit)? };
            at += 1;
        }
        if at == start {
            return None;
        }
        self.at = at;
        if is_static {
            self.skip_braces();
        }
        Some(value)
    }

    /// The byte ahead.
    fn byte(&mut self) -> Option<u8> {
        self.rest().as_bytes().first().copied()
    }

    /// One level more, if there may be one.
    pub(crate) fn deeper(&self, depth: usize) -> Result<usize> {
        if depth >= DEPTH_LIMIT {
            let expected = format!("at most {DEPTH_LIMIT} levels of nesting");
            return Err(self.error(&expected, "one more".to_owned()));
        }
        Ok(depth + 1)
    }

    /// The error that names the token ahead.
    pub(crate) fn expected(&mut self, expected: &str) -> Error {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(c) if c.is_ascii_alphanumeric() || c == '_' => {
                let word = self.word();
                // A message need not repeat more of it than this.
                format!("`{}`", word.get(..40).unwrap_or(word))
            }
            Some(c) => format!("`{}`", c.escape_debug()),
        };
        self.error(expected, found)
    }

    pub(crate) fn error(&self, expected: &str, found: String) -> Error {
        Error::parse(self.at, expected, found)
    }
}

/// Whether an integer may begin with a byte.
fn begins_integer(byte: u8) -> bool {
    byte == b'-' || byte.is_ascii_digit()
}
