//! Linear layouts as text: printed in one form, read in two.
//!
//! ```text
//! linear   = "linear" "<" "{" [input {"," input}] "}" "->" "{" [output {"," output}] "}" ">"
//! input    = name "=" "[" [vector {"," vector}] "]"
//! output   = name "=" int
//! vector   = int | "(" [int {"," int}] ")"
//! paper    = "LinearLayout" "(" "crd" "=" vector "," "idx" "=" vector ","
//!                               "vals" "=" "[" [vector {"," vector}] "]" ")"
//! ```

use super::{LinearLayout, NAME_LIMIT, dims::coordinate};
use crate::{
    cursor::{Cursor, LENGTH_LIMIT},
    error::{Error, Result},
};
use alloc::{format, string::String, vec, vec::Vec};
use core::{fmt, str::FromStr};

/// The word with which the dialect's form begins.
const LINEAR: &str = "linear";

/// The word with which the paper's form begins.
const PAPER: &str = "LinearLayout";

/// Whether a word begins a linear layout.
pub(crate) fn begins(word: &str) -> bool {
    word == LINEAR || word == PAPER
}

/// Reads the linear layout that begins at a byte of a text, and the byte after it.
///
/// # Errors
///
/// Text that is none, with the byte; bases that are those of no layout.
pub(crate) fn read(text: &str, at: usize) -> Result<(LinearLayout, usize)> {
    let mut cursor = Cursor::new(text, at);
    let layout = cursor.linear()?;
    Ok((layout, cursor.at))
}

impl<'t> Cursor<'t> {
    fn token(&mut self, token: &str) -> Result<()> {
        self.require(token, &format!("`{token}`"))
    }

    /// A word that must be this one.
    fn keyword(&mut self, keyword: &str) -> Result<()> {
        if self.word() != keyword {
            return Err(self.expected(&format!("`{keyword}`")));
        }
        self.at += keyword.len();
        Ok(())
    }

    /// The items that `read` reads, until `close`, with commas between.
    fn list<T>(&mut self, close: &str, read: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut entries = Vec::new();
        if self.eat(close) {
            return Ok(entries);
        }
        loop {
            entries.push(read(self)?);
            if self.eat(close) {
                return Ok(entries);
            }
            if !self.eat(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn linear(&mut self) -> Result<LinearLayout> {
        match self.word() {
            LINEAR => self.named(),
            PAPER => self.paper(),
            _ => Err(self.expected("`linear` or `LinearLayout`")),
        }
    }

    fn named(&mut self) -> Result<LinearLayout> {
        self.keyword(LINEAR)?;
        self.token("<")?;
        self.token("{")?;
        let bases = self.list("}", |cursor| {
            let name = cursor.name()?;
            cursor.token("=")?;
            Ok((name, cursor.vectors()?))
        })?;
        self.token("->")?;
        self.token("{")?;
        let outs = self.list("}", |cursor| {
            let name = cursor.name()?;
            cursor.token("=")?;
            Ok((name, cursor.integer("an integer")?))
        })?;
        self.token(">")?;
        LinearLayout::new(&bases, &outs)
    }

    fn paper(&mut self) -> Result<LinearLayout> {
        self.keyword(PAPER)?;
        self.token("(")?;
        let mut shape = |name: &str| -> Result<Vec<i64>> {
            self.keyword(name)?;
            self.token("=")?;
            let shape = self.vector()?;
            self.token(",")?;
            Ok(shape)
        };
        let (crd, idx) = (shape("crd")?, shape("idx")?);
        self.keyword("vals")?;
        self.token("=")?;
        let vals = self.vectors()?;
        self.token(")")?;
        LinearLayout::from_values_at_bases(&crd, &idx, &vals)
    }

    fn vectors(&mut self) -> Result<Vec<Vec<i64>>> {
        self.token("[")?;
        self.list("]", Self::vector)
    }

    fn vector(&mut self) -> Result<Vec<i64>> {
        match self.eat("(") {
            true => self.list(")", |cursor| cursor.integer("an integer")),
            false => Ok(vec![self.integer("an integer")?]),
        }
    }

    fn name(&mut self) -> Result<&'t str> {
        let name = self.word();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.expected("a dimension's name"));
        }
        if name.len() > NAME_LIMIT {
            return Err(
                self.expected(&format!("a dimension's name of at most {NAME_LIMIT} characters"))
            );
        }
        self.at += name.len();
        Ok(name)
    }
}

impl FromStr for LinearLayout {
    type Err = Error;

    /// Reads either form.
    fn from_str(text: &str) -> Result<Self> {
        if text.len() > LENGTH_LIMIT {
            return Err(Error::limit("bytes of a term", LENGTH_LIMIT, text.len()));
        }
        let mut cursor = Cursor::new(text, 0);
        let layout = cursor.linear()?;
        cursor.end().map(|()| layout)
    }
}

impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("linear<{")?;
        for (i, (name, bases)) in self.bases().iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{name} = {}", vectors(bases))?;
        }
        f.write_str("} -> {")?;
        for (i, (name, size)) in self.out_dims().enumerate() {
            write!(f, "{}{name} = {size}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("}>")
    }
}

fn vectors(vectors: &[Vec<i64>]) -> String {
    let vectors: Vec<String> = vectors.iter().map(|vector| coordinate(vector)).collect();
    format!("[{}]", vectors.join(","))
}

impl LinearLayout {
    /// The paper's literal of this layout, which keeps its function but not its names.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [1,2], warp = [0]} -> {row = 4}>".parse()?;
    /// let text = "LinearLayout(crd=(4,2), idx=4, vals=[1,2,0])";
    /// assert_eq!(layout.to_paper(), text);
    /// assert_eq!(text.parse::<LinearLayout>()?.matrix(), layout.matrix());
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn to_paper(&self) -> String {
        let sizes = |sizes: &mut dyn Iterator<Item = (&str, i64)>| {
            coordinate(&sizes.map(|(_, size)| size).collect::<Vec<_>>())
        };
        let (crd, idx) = (sizes(&mut self.in_dims()), sizes(&mut self.out_dims()));
        let vals: Vec<Vec<i64>> = self.bases().into_iter().flat_map(|(_, bases)| bases).collect();
        format!("LinearLayout(crd={crd}, idx={idx}, vals={})", vectors(&vals))
    }
}
