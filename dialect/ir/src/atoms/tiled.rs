//! Tiled copies and tiled MMAs: an atom repeated over threads and values, with CuTe's meaning of
//! `make_tiled_copy` and `make_tiled_mma`.
//!
//! Both say what a thread has of a tile by a *thread-value layout*: thread and value to the tile's element,
//! counted column-major. A thread's part of a layout or view is then, in the layout algebra,
//!
//! ```text
//! slice(composition(zipped_divide(view, tile), <thread_values, _>), ((thread, _), (_, …)))
//! ```
//!
//! after a `logical_divide` by the tiled MMA's permutation where that reorders a mode.

mod copy;
mod mma;

pub use copy::{Retile, TiledCopy};
pub use mma::TiledMma;

use crate::diagnostics::{codes::Code, text::TextError, violation::Violation};
use layout_algebra::{Layout, Nested, Term, Tiler, Tuple, Value};
use std::{fmt, str::FromStr};

/// An operand of an MMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// (M, K).
    A,
    /// (N, K).
    B,
    /// (M, N): the accumulator.
    C,
}

impl Operand {
    /// Its two modes among M, N and K, by number.
    pub fn modes(self) -> [usize; 2] {
        match self {
            Self::A => [0, 2],
            Self::B => [1, 2],
            Self::C => [0, 1],
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
        })
    }
}

impl FromStr for Operand {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "a" => Ok(Self::A),
            "b" => Ok(Self::B),
            "c" => Ok(Self::C),
            _ => Err(()),
        }
    }
}

/// A side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side that is read.
    Source,
    /// The side that is written.
    Target,
}

impl Side {
    /// The word for it in the IR.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Target => "target",
        }
    }
}

impl FromStr for Side {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "source" => Ok(Self::Source),
            "target" => Ok(Self::Target),
            _ => Err(()),
        }
    }
}

/// The part of a tile that each thread has.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The tiler that divides the modes first, where a permutation reorders one.
    pub reorder: Option<Tiler>,
    /// The shape of the tile.
    pub tile: Tuple,
    /// From thread and value to the tile's element, counted column-major.
    pub thread_values: Layout,
}

impl Partition {
    /// From thread and value to the offset in a layout, `(thread, (value, rest…))`: a thread's part of all tiles.
    ///
    /// # Errors
    ///
    /// Those of the divides and of the composition.
    pub fn of(&self, layout: &Layout) -> Result<Layout, Violation> {
        let divided = match &self.reorder {
            Some(by) => layout.logical_divide(by)?,
            None => layout.clone(),
        };
        let tiles = divided.zipped_divide(&Tiler::from_shape(&self.tile)?)?;
        let by = Tiler::Tuple(vec![Tiler::Layout(self.thread_values.clone()), Tiler::Any]);
        let spread = tiles.composition_tiler(&by)?;
        let values = [vec![spread.get(&[0, 1])?], spread.get(&[1])?.modes()].concat();
        Ok(Layout::make_layout(&[spread.get(&[0, 0])?, Layout::make_layout(&values)?])?)
    }
}

/// The layout of `OPERAND of #layout.tiled_mma<…>` or `#layout.tiled_copy<…>`, and perhaps a shape of several tiles.
pub(crate) fn read_thread_values(text: &str) -> Result<Layout, TextError> {
    let entries = entries(text);
    let (what, shape) = match entries[..] {
        [what] => (what, None),
        [what, shape] => (what, Some(shape)),
        _ => {
            let expected = "a tiled copy, or an operand of a tiled MMA, and an optional shape";
            let found = format!("{} of them", entries.len());
            return Err(at(0, &Violation::new(Code::TiledMma, expected, found)));
        }
    };
    let of_body = |name: &str, text: &'_ str| -> Option<(usize, String)> {
        let body = text.strip_prefix(name)?.strip_suffix('>')?;
        Some((name.len(), body.to_owned()))
    };
    let refused = || {
        let expected =
            "'a of', 'b of' or 'c of' a #layout.tiled_mma<…>, or a #layout.tiled_copy<…>";
        at(what.0, &Violation::new(Code::TiledMma, expected, what.1))
    };
    let partition = if let Some((start, body)) = of_body("#layout.tiled_copy<", what.1) {
        let copy = TiledCopy::read(&body)
            .map_err(|error| TextError { offset: what.0 + start + error.offset, ..error })?;
        let (tile, thread_values) = copy.spread().map_err(|refused| at(what.0, &refused))?;
        Partition { reorder: None, tile, thread_values }
    } else {
        let (operand, of) = what.1.split_once(" of ").ok_or_else(refused)?;
        let operand: Operand = operand.trim().parse().map_err(|()| refused())?;
        let (start, body) = of_body("#layout.tiled_mma<", of.trim()).ok_or_else(refused)?;
        let place = what.0 + what.1.len() - of.trim_start().len() + start;
        let mma = TiledMma::read(&body)
            .map_err(|error| TextError { offset: place + error.offset, ..error })?;
        let of_tile = mma.partition(operand).map_err(|refused| at(what.0, &refused))?;
        let [i, j] = operand.modes();
        if shape.is_none() {
            let whole = compact(&[mma.extent(i), mma.extent(j)]);
            return whole.and_then(|whole| of_tile.of(&whole)).map_err(|e| at(what.0, &e));
        }
        of_tile
    };
    let Some(shape) = shape else { return Ok(partition.thread_values) };
    let whole = layout(shape, "a tile")?;
    let sizes: Vec<i64> = whole.modes().iter().map(Layout::size).collect();
    let tile = partition.tile.leaves();
    if sizes.len() != tile.len() || sizes.iter().zip(&tile).any(|(size, tile)| size % tile != 0) {
        let expected = format!("a shape of whole tiles of {}", partition.tile);
        return Err(at(shape.0, &Violation::new(Code::TiledMma, expected, shape.1)));
    }
    partition.of(&whole).map_err(|refused| at(shape.0, &refused))
}

/// A leaf `extent:1`.
fn line(extent: i64) -> Result<Layout, Violation> {
    Ok(Layout::from_shape(Nested::Leaf(extent))?)
}

/// A column-major layout.
fn compact(shape: &[i64]) -> Result<Layout, Violation> {
    Ok(Layout::from_shape(Nested::Node(
        shape.iter().map(|&extent| Nested::Leaf(extent)).collect(),
    ))?)
}

/// The inverse of a layout that has each number from 0 on at one place.
fn inverse(layout: &Layout) -> Result<Option<Layout>, Violation> {
    let inverse = layout.right_inverse()?;
    Ok((inverse.size() == layout.size()).then_some(inverse))
}

/// The entries of a text, each with its place: what is between commas outside of brackets.
fn entries(text: &str) -> Vec<(usize, &str)> {
    let (mut depth, mut start, mut entries) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                entries.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    entries.push((start, &text[start..]));
    let trimmed = |(start, entry): (usize, &'_ str)| start + entry.len() - entry.trim_start().len();
    entries.into_iter().map(|entry| (trimmed(entry), entry.1.trim())).collect()
}

/// An error at a place of a text.
fn at(offset: usize, violation: &Violation) -> TextError {
    TextError {
        offset,
        message: violation.line(),
        code: violation.code(),
        hint: violation.proposal(),
    }
}

/// The value of an entry that is a term.
fn value((offset, text): (usize, &str)) -> Result<Value, TextError> {
    Term::parse(text).and_then(|term| term.eval()).map_err(|error| {
        let within = error.offset().unwrap_or(0);
        at(offset + within, &error.into())
    })
}

/// A layout, or the column-major one of a shape.
fn layout(entry: (usize, &str), what: &str) -> Result<Layout, TextError> {
    let found = value(entry)?;
    let refused = |error: layout_algebra::Error| at(entry.0, &error.into());
    match found {
        Value::Layout(layout) => Ok(layout),
        Value::Tuple(shape) => Layout::from_shape(shape).map_err(refused),
        Value::Int(extent) => Layout::from_shape(Nested::Leaf(extent)).map_err(refused),
        other => {
            let expected = format!("a plain layout or a shape of {what}");
            Err(at(entry.0, &Violation::new(Code::Kind, expected, other)))
        }
    }
}
