//! Named unknowns: thread and block ids, loop counters, arguments.

use crate::index::bounds;
use std::{fmt, str::FromStr};

/// The threads that see the same value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Uniform {
    /// Each thread may see another value.
    #[default]
    Thread,
    /// The threads of a warp see one value.
    Warp,
    /// The threads of a block see one value.
    Block,
}

/// An unknown with what is stated of it. Text: `name`, then any of `:low..high` (both included),
/// `%multiple`, `@depth` (how many loops it changes in) and `~warp` or `~block`.
///
/// ```
/// use layout_egraph::symbol::{Symbol, Uniform};
/// let k: Symbol = "k:0..120%8@1~block".parse()?;
/// assert_eq!((k.low, k.high, k.multiple, k.depth), (0, 120, 8, 1));
/// assert_eq!(k.uniform, Uniform::Block);
/// assert_eq!(k.to_string(), "k:0..120%8@1~block");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol {
    /// The name: a letter, then letters, digits, `.` and `_`.
    pub name: String,
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
    /// Every value is a multiple of this; 1 says nothing.
    pub multiple: u64,
    /// How many loops it changes in.
    pub depth: u32,
    /// The threads that see the same value.
    pub uniform: Uniform,
}

impl Symbol {
    /// An unknown of which nothing is stated.
    pub fn any(name: &str) -> Self {
        let (low, high) = bounds(64);
        let uniform = Uniform::Thread;
        Self { name: name.to_owned(), low, high, multiple: 1, depth: 0, uniform }
    }

    /// An unknown in `0 .. extent`.
    pub fn below(name: &str, extent: i64) -> Self {
        Self { low: 0, high: extent.saturating_sub(1).max(0), ..Self::any(name) }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if (self.low, self.high) != bounds(64) {
            write!(f, ":{}..{}", self.low, self.high)?;
        }
        if self.multiple != 1 {
            write!(f, "%{}", self.multiple)?;
        }
        if self.depth != 0 {
            write!(f, "@{}", self.depth)?;
        }
        match self.uniform {
            Uniform::Thread => Ok(()),
            Uniform::Warp => f.write_str("~warp"),
            Uniform::Block => f.write_str("~block"),
        }
    }
}

impl FromStr for Symbol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("expected {what} in the symbol `{text}`");
        let end = text.find([':', '%', '@', '~']).unwrap_or(text.len());
        let (name, mut rest) = text.split_at(end);
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        if !named {
            return Err(wrong("a letter, then letters, digits, `.` and `_`"));
        }
        let mut symbol = Self::any(name);
        while let Some(mark) = rest.chars().next() {
            let end = rest[1..].find([':', '%', '@', '~']).map_or(rest.len(), |end| end + 1);
            let part = &rest[1..end];
            rest = &rest[end..];
            match mark {
                ':' => {
                    let bounds = part
                        .split_once("..")
                        .and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
                    (symbol.low, symbol.high) = bounds
                        .filter(|(low, high): &(i64, i64)| low <= high)
                        .ok_or_else(|| wrong("bounds `low..high`"))?;
                }
                '%' => {
                    let multiple = part.parse().ok().filter(|&multiple| multiple > 0);
                    symbol.multiple =
                        multiple.ok_or_else(|| wrong("a positive number after `%`"))?;
                }
                '@' => {
                    symbol.depth =
                        part.parse().map_err(|_| wrong("a number of loops after `@`"))?;
                }
                _ => {
                    symbol.uniform = match part {
                        "warp" => Uniform::Warp,
                        "block" => Uniform::Block,
                        _ => return Err(wrong("`warp` or `block` after `~`")),
                    };
                }
            }
        }
        Ok(symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_print_what_they_read() {
        for text in ["i", "tid.x:0..127", "n%8", "k:-4..4@2", "w:0..3~warp", "b~block"] {
            assert_eq!(text.parse::<Symbol>().map(|symbol| symbol.to_string()), Ok(text.into()));
        }
        assert_eq!(Symbol::below("i", 8).to_string(), "i:0..7");
    }

    #[test]
    fn wrong_symbols_say_what_was_expected() {
        let error = |text: &str| text.parse::<Symbol>().expect_err("no symbol");
        assert_eq!(error("i:5..2"), "expected bounds `low..high` in the symbol `i:5..2`");
        assert_eq!(error("i%0"), "expected a positive number after `%` in the symbol `i%0`");
        assert_eq!(error("i@x"), "expected a number of loops after `@` in the symbol `i@x`");
        assert_eq!(error("i~grid"), "expected `warp` or `block` after `~` in the symbol `i~grid`");
        assert_eq!(
            error("3i"),
            "expected a letter, then letters, digits, `.` and `_` in the symbol `3i`"
        );
    }
}
