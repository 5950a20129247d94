//! Symbols in a text, and the facts that the text states about them.

use crate::{
    cursor::Cursor,
    error::Result,
    integer::{
        Width,
        facts::Facts,
        missing::{self, Error},
        symbol::Symbol,
    },
};
use alloc::{borrow::ToOwned, collections::BTreeMap, format, string::String, vec::Vec};

/// Reads one symbol with its facts.
pub(crate) fn symbol(text: &str) -> missing::Result<Symbol> {
    let mut facts = Facts::new();
    let (mut mentions, mut cursor) = (Declarations::new(&mut facts), Cursor::new(text, 0));
    if cursor.peek() != Some('?') && !is_name(cursor.word()) {
        return Err(Error::Algebra(cursor.expected("a symbol")));
    }
    let name = mentions.read(&mut cursor)?;
    cursor.end()?;
    mentions.declare()?;
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

/// The facts that a text states about one symbol.
#[derive(Default)]
struct Declaration {
    width: Option<Width>,
    divisors: Vec<i64>,
    lo: Option<i64>,
    hi: Option<i64>,
}

/// The symbols that a text declares, which join those of a table.
pub(crate) struct Declarations<'f> {
    facts: &'f mut Facts,
    mentions: BTreeMap<String, Declaration>,
    /// The least number that may be free for a symbol without a name.
    next: u64,
}

impl<'f> Declarations<'f> {
    pub(crate) fn new(facts: &'f mut Facts) -> Self {
        Self { facts, mentions: BTreeMap::new(), next: 0 }
    }

    /// The name of the symbol ahead; the facts in braces after it are noted.
    pub(crate) fn read(&mut self, text: &mut Cursor<'_>) -> Result<String> {
        let name = match text.peek() {
            Some('?') => self.anonymous(text)?,
            _ => {
                let name = text.word().to_owned();
                text.at += name.len();
                name
            }
        };
        self.annotation(text, &name)?;
        Ok(name)
    }

    /// `?` and its number, or the next number that is free.
    fn anonymous(&mut self, text: &mut Cursor<'_>) -> Result<String> {
        text.require("?", "`?`")?;
        let number: String = text.ahead().chars().take_while(char::is_ascii_digit).collect();
        if !number.is_empty() {
            let name = format!("?{number}");
            if !is_name(&name) {
                return Err(text.expected("a number of at most 18 digits that starts with no 0"));
            }
            text.at += number.len();
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
    fn annotation(&mut self, text: &mut Cursor<'_>, name: &str) -> Result<()> {
        let mut facts = Declaration::default();
        if text.eat("{") {
            while !text.eat("}") {
                let expected = "`i32`, `i64`, `div=`, `range=` or `}`";
                text.peek();
                let word = text.word();
                match word {
                    "i32" | "i64" => {
                        text.at += word.len();
                        facts.width = Some(if word == "i32" { Width::W32 } else { Width::W64 });
                    }
                    "div" => {
                        text.at += word.len();
                        text.require("=", "`=`")?;
                        facts.divisors.push(text.integer("an integer")?);
                    }
                    "range" => {
                        text.at += word.len();
                        text.require("=", "`=`")?;
                        range(text, &mut facts)?;
                    }
                    _ => return Err(text.expected(expected)),
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

    /// Adds what was mentioned to the facts.
    pub(crate) fn declare(self) -> missing::Result<()> {
        for (name, mention) in self.mentions {
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

/// The range in a symbol's facts.
fn range(text: &mut Cursor<'_>, facts: &mut Declaration) -> Result<()> {
    if text.peek() != Some('.') {
        facts.lo = Some(text.integer("an integer or `..`")?);
    }
    text.require(".", "`..`")?;
    if !text.ahead().starts_with('.') {
        return Err(text.expected("`..`"));
    }
    text.at += 1;
    if text.peek().is_some_and(|c| c == '-' || c.is_ascii_digit()) {
        facts.hi = Some(text.integer("an integer")?);
    }
    Ok(())
}
