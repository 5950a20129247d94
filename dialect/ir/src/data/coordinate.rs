//! Coordinates of operations: `_`, integers, and `?` for operands.
//!
//! The attribute `coord` of `layout.slice`, `layout.crd2idx`, `layout.load` and `layout.store` is
//! such a text. A coordinate fits a shape when at each level it is `_`, an integer, `?`, or a tuple
//! with an entry for each mode of the shape; an integer stands for the one-dimensional index of
//! the whole mode, as in CuTe.

use crate::diagnostics::{
    codes::Code,
    nearest,
    place::Place,
    text::{Cursor, TextError},
    violation::Violation,
};
use layout_algebra::{Coord, Expr, Facts, Nested, Span, Tuple};
use std::{fmt, str::FromStr};

/// Coordinates nest at most this deep.
pub const MAX_DEPTH: usize = 64;

/// A coordinate, in which operands are left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `_`: keep the mode.
    Any,
    /// A known index.
    At(i64),
    /// `?`: the next operand.
    Dynamic,
    /// One entry for each mode.
    Tuple(Vec<Pattern>),
}

impl Pattern {
    /// How many operands the pattern takes.
    pub fn dynamic_count(&self) -> usize {
        match self {
            Self::Any | Self::At(_) => 0,
            Self::Dynamic => 1,
            Self::Tuple(entries) => entries.iter().map(Self::dynamic_count).sum(),
        }
    }

    /// Whether some mode is kept.
    pub fn keeps_a_mode(&self) -> bool {
        match self {
            Self::Any => true,
            Self::At(_) | Self::Dynamic => false,
            Self::Tuple(entries) => entries.iter().any(Self::keeps_a_mode),
        }
    }

    /// Whether every mode is kept.
    pub(crate) fn keeps_all(&self) -> bool {
        match self {
            Self::Any => true,
            Self::At(_) | Self::Dynamic => false,
            Self::Tuple(entries) => entries.iter().all(Self::keeps_all),
        }
    }

    /// The coordinate for slicing, with 0 for each operand: the kept modes do not depend on operands.
    pub fn to_coord(&self) -> Coord {
        match self {
            Self::Any => Coord::Any,
            Self::At(value) => Coord::At(*value),
            Self::Dynamic => Coord::At(0),
            Self::Tuple(entries) => Coord::Tuple(entries.iter().map(Self::to_coord).collect()),
        }
    }

    /// The coordinate with the given indices for the operands, or nothing if it keeps a mode or
    /// `indices` ends early.
    pub fn to_tuple(&self, indices: &mut impl Iterator<Item = i64>) -> Option<Tuple> {
        Some(match self {
            Self::Any => return None,
            Self::At(value) => Tuple::Leaf(*value),
            Self::Dynamic => Tuple::Leaf(indices.next()?),
            Self::Tuple(entries) => Tuple::Node(
                entries.iter().map(|entry| entry.to_tuple(indices)).collect::<Option<_>>()?,
            ),
        })
    }

    /// Whether it is `_`.
    pub(crate) fn is_any(&self) -> bool {
        matches!(self, Self::Any)
    }

    /// The place of the first entry of the requested kind.
    pub(crate) fn place(&self, filter: fn(&Self) -> bool) -> Option<Place> {
        let mut path = Vec::new();
        self.lead(filter, &mut path).then(|| self.place_of(&path)).flatten()
    }

    /// Extends a path to the first entry of the requested kind; false if none is.
    fn lead(&self, filter: fn(&Self) -> bool, path: &mut Vec<usize>) -> bool {
        if filter(self) {
            return true;
        }
        let Self::Tuple(entries) = self else { return false };
        entries.iter().enumerate().any(|(i, entry)| {
            path.push(i);
            let found = entry.lead(filter, path);
            if !found {
                path.pop();
            }
            found
        })
    }

    /// The place of all of it.
    pub(crate) fn whole(&self) -> Option<Place> {
        self.place_of(&[])
    }

    fn place_of(&self, path: &[usize]) -> Option<Place> {
        let text = self.to_string();
        let span = Span::of(&text).entry(path)?.range.clone();
        Place::new("the coordinate", &text, span)
    }

    /// Checks the pattern against a shape, as far as that is known.
    ///
    /// # Errors
    ///
    /// The part of the shape that was expected and the pattern that was found, for each entry that does not
    /// fit.
    pub(crate) fn check(&self, shape: &Nested<Expr>, facts: &Facts) -> Result<(), Violation> {
        let mut violations = Vec::new();
        self.fit(shape, facts, self, &mut Vec::new(), &mut violations);
        Violation::all(violations)
    }

    /// Checks the entry of `whole` that a path leads to.
    fn fit(
        &self,
        shape: &Nested<Expr>,
        facts: &Facts,
        whole: &Self,
        path: &mut Vec<usize>,
        violations: &mut Vec<Violation>,
    ) {
        let violation = match (self, shape) {
            (Self::Any | Self::Dynamic, _) => return,
            (Self::At(value), mode) => match greatest_size(mode, facts) {
                Some(size) if !(0..size).contains(&i128::from(*value)) => {
                    let expected = format!("a coordinate below {size} for the mode {mode}");
                    let nearest = if *value < 0 { 0 } else { size - 1 };
                    Violation::new(Code::CoordBounds, expected, value)
                        .hint(format!("{nearest} is the nearest"))
                }
                None if *value < 0 => {
                    let expected = format!("a coordinate of at least 0 for the mode {mode}");
                    Violation::new(Code::CoordBounds, expected, value).hint("0 is the nearest")
                }
                _ => return,
            },
            (Self::Tuple(entries), Nested::Node(modes)) if entries.len() == modes.len() => {
                for (i, (entry, mode)) in entries.iter().zip(modes).enumerate() {
                    path.push(i);
                    entry.fit(mode, facts, whole, path, violations);
                    path.pop();
                }
                return;
            }
            (Self::Tuple(entries), Nested::Node(modes)) => {
                let fitting = Self::Tuple(nearest::entries(entries, modes.len(), &Self::Any));
                Violation::new(
                    Code::CoordRank,
                    format!("a coordinate of {} modes for the shape {shape}", modes.len()),
                    format!("{self} of {}", entries.len()),
                )
                .hint(format!("{fitting} has as many"))
            }
            (Self::Tuple(entries), Nested::Leaf(_)) => {
                let expected = format!("an integer coordinate for the shape {shape}");
                let first = entries.iter().find(|entry| !matches!(entry, Self::Tuple(_)));
                Violation::new(Code::CoordRank, expected, self)
                    .hint_if(first.map(|entry| format!("{entry} is one")))
            }
        };
        violations.push(violation.at(whole.place_of(path)));
    }

    fn parse(cursor: &mut Cursor<'_>, depth: usize) -> Result<Self, TextError> {
        if depth > MAX_DEPTH {
            return Err(cursor.error(format!(
                "expected a coordinate at most {MAX_DEPTH} levels deep, found a deeper one"
            )));
        }
        if cursor.take('?') {
            return Ok(Self::Dynamic);
        }
        if cursor.take('(') {
            let mut entries = Vec::new();
            loop {
                entries.push(Self::parse(cursor, depth + 1)?);
                if !cursor.take(',') {
                    break;
                }
            }
            cursor.require(')')?;
            return Ok(Self::Tuple(entries));
        }
        if let Some(value) = cursor.integer() {
            return value.map(Self::At);
        }
        if cursor.take('_') {
            return Ok(Self::Any);
        }
        Err(cursor.expected("'_', '?', an integer or '(' in a coordinate"))
    }
}

impl FromStr for Pattern {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let mut cursor = Cursor::new(text);
        let pattern = Self::parse(&mut cursor, 0)?;
        if cursor.at_end() {
            Ok(pattern)
        } else {
            Err(cursor.expected("the end of the coordinate"))
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("_"),
            Self::At(value) => write!(f, "{value}"),
            Self::Dynamic => f.write_str("?"),
            Self::Tuple(entries) => {
                f.write_str("(")?;
                for (i, entry) in entries.iter().enumerate() {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    entry.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The greatest number of coordinates that a shape may have, if one is known.
fn greatest_size(shape: &Nested<Expr>, facts: &Facts) -> Option<i128> {
    let size = shape.product().ok()?;
    let greatest = facts.range(&size).hi?;
    // The bound of a symbol's width alone is no bound that anyone states.
    let stated = |symbol: &str| {
        facts.get(symbol).is_some_and(|symbol| symbol.range().1 != symbol.width().limits().1)
    };
    size.symbols().iter().all(|symbol| stated(symbol)).then_some(greatest)
}

#[cfg(test)]
#[path = "../../tests/units/data/coordinate.rs"]
mod tests;
