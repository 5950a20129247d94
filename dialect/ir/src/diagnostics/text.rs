//! Reading short texts: errors with their place, and the cursor that finds them.

use crate::diagnostics::codes::Code;
use std::fmt;

/// An error in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Bytes from the start of the text to the place that the message is about.
    pub offset: usize,
    /// The message: expected and found.
    pub message: String,
    /// The constraint.
    pub(crate) code: Code,
    /// The hint at a legal input, if there is one.
    pub(crate) hint: Option<String>,
}

impl TextError {
    /// The same of another constraint than the text's form.
    pub(crate) fn coded(mut self, code: Code) -> Self {
        self.code = code;
        self
    }

    /// The same with the name that is most like what was found.
    pub(crate) fn like<'n>(
        mut self,
        found: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        self.hint = layout_algebra::nearest_name(found, names)
            .map(|name| format!("did you mean '{name}'?"));
        self
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.message, self.offset)
    }
}

impl std::error::Error for TextError {}

/// A place in a text. Methods skip white space before what they read.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// The error that `expected` is not here.
    pub(crate) fn expected(&mut self, expected: &str) -> TextError {
        let rest = self.rest();
        let found = match rest.chars().next() {
            None => "the end".to_owned(),
            Some(c) if c.is_alphanumeric() || c == '_' || c == '-' => {
                let word = rest
                    .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
                    .map_or(rest, |end| &rest[..end]);
                format!("'{}'", word.chars().take(40).collect::<String>())
            }
            Some(c) => format!("'{c}'"),
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    /// An error at the cursor.
    pub(crate) fn error(&self, message: String) -> TextError {
        TextError { offset: self.offset, message, code: Code::Syntax, hint: None }
    }

    pub(crate) fn offset(&mut self) -> usize {
        self.rest();
        self.offset
    }

    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.offset..];
        let trimmed = rest.trim_start();
        self.offset += rest.len() - trimmed.len();
        trimmed
    }

    pub(crate) fn at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// Skips `symbol` if it is here.
    pub(crate) fn take(&mut self, symbol: char) -> bool {
        let here = self.rest().starts_with(symbol);
        if here {
            self.offset += symbol.len_utf8();
        }
        here
    }

    pub(crate) fn require(&mut self, symbol: char) -> Result<(), TextError> {
        if self.take(symbol) { Ok(()) } else { Err(self.expected(&format!("'{symbol}'"))) }
    }

    /// Continues to the next `symbol` outside of brackets, or to the end.
    pub(crate) fn skip_to(&mut self, symbol: char) {
        let mut depth = 0_usize;
        let rest = self.rest();
        let end = rest.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == symbol && depth == 0
        });
        self.offset += end.unwrap_or(rest.len());
    }

    /// Reads a name of letters, digits and underscores that begins with no digit.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.offset += end;
        Some(&rest[..end])
    }

    /// Reads an integer; `Some(Err)` when its digits do not fit 64 bits.
    pub(crate) fn integer(&mut self) -> Option<Result<i64, TextError>> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let count = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if count == 0 {
            return None;
        }
        let end = rest.len() - digits.len() + count;
        let value = rest[..end].parse().map_err(|_| self.expected("an integer of 64 bits"));
        if value.is_ok() {
            self.offset += end;
        }
        Some(value)
    }

    /// Reads a string in double quotes, without escapes.
    pub(crate) fn quoted(&mut self) -> Option<&'a str> {
        let rest = self.rest().strip_prefix('"')?;
        let end = rest.find('"')?;
        self.offset += end + 2;
        Some(&rest[..end])
    }
}
