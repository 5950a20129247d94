//! Shapes: how they relate, and the integer arithmetic that works on them leaf by leaf.
//!
//! | relation | holds when |
//! |---|---|
//! | [`Nested::congruent`] | both nest in the same way |
//! | [`Nested::weakly_congruent`] | the first nests as the second, or stops earlier |
//! | [`Nested::compatible`] | weakly congruent, and each leaf of the first is the size of what it stands for: coordinates of the first are coordinates of the second |
//! | [`Nested::evenly_divides`] | tiles of the divisor fill the shape, without any that is padded |
//!
//! Source: CuTe's `int_tuple.hpp` and its document 01, "Layouts".

use crate::{
    error::{Error, Result},
    integer::{Integer, Site, Verdict},
    tuple::{Nested, Tuple},
};
use alloc::{format, vec, vec::Vec};
use core::fmt;

impl<T> Nested<T> {
    /// Whether `a` nests as `b`, or stops earlier: `8` and `(2,4)` are weakly congruent to `(3,(4,5))`.
    pub fn weakly_congruent<U>(&self, b: &Nested<U>) -> bool {
        corresponds(self, b, &mut |_, _| {})
    }
}

impl Tuple {
    /// Whether every coordinate of a layout of shape `a` is one of a layout of shape `b`: `24` is
    /// compatible with `(4,6)`, which is compatible with `((2,2),6)`.
    pub fn compatible(&self, b: &Tuple) -> bool {
        self.compatible_under(&(), b).unwrap_or(false)
    }

    /// Whether tiles of `divisor` fill `shape` exactly: for each leaf of the divisor and the part of the
    /// shape that it stands for, the leaf times the size of their [`Nested::ceil_div`] is the part's size. `8` does
    /// not divide `(6,4)` evenly, though it divides 24: the first mode takes 6 of it and leaves 2. A
    /// divisor of lower rank says nothing of the modes past its own; one mode may be in parentheses.
    pub fn evenly_divides(&self, divisor: &Tuple) -> bool {
        self.evenly_divides_under(&(), divisor).unwrap_or(false)
    }
}

impl<L: Integer> Nested<L> {
    /// [`Nested::compatible`] under facts.
    pub fn compatible_under(&self, facts: &L::Facts, b: &Nested<L>) -> Result<bool, L::Error> {
        let mut answers = Vec::new();
        let nests = corresponds(self, b, &mut |extent, part| {
            answers.push(part.product().map(|size| L::equal(facts, extent, &size)));
        });
        if !nests {
            return Ok(false);
        }
        let site = Site { operation: "compatible", operands: &|| format!("{self}, {b}") };
        all::<L>(&site, answers.into_iter().collect::<Result<_, _>>()?)
    }

    /// [`Nested::evenly_divides`] under facts.
    pub fn evenly_divides_under(
        &self,
        facts: &L::Facts,
        divisor: &Nested<L>,
    ) -> Result<bool, L::Error> {
        let mut answers = Vec::new();
        let nests = each_tile(self, divisor, &mut |part, by| {
            let by = by.product()?;
            let positive =
                [L::distinct(facts, &by, &L::from(0)), L::at_least(facts, &by, &L::from(1))];
            if let Some(open) = positive.into_iter().find(|answer| !answer.is_yes()) {
                answers.push(open);
                return Ok::<_, L::Error>(());
            }
            let size = part.product()?;
            // The divisibility of the size comes first: its message is the shorter one.
            match L::divide(facts, &size, &by) {
                Err(answer) => answers.push(answer),
                Ok(_) if part.leaf_count() > 1 => {
                    let quotient =
                        part.ceil_div_under(facts, &Nested::Leaf(by.clone()))?.product()?;
                    let whole = quotient.times(&by);
                    let whole = whole.map_err(|lost| L::lost(lost, "evenly_divides", self))?;
                    answers.push(L::equal(facts, &whole, &size));
                }
                Ok(_) => {}
            }
            Ok(())
        })?;
        if !nests {
            return Ok(false);
        }
        let operands = || format!("{self}, {divisor}");
        all::<L>(&Site { operation: "evenly_divides", operands: &operands }, answers)
    }

    /// Rounded-up division. A tuple divided by an integer is divided from the left: the first mode as far as possible,
    /// the next mode by the rest. A tuple divided by a tuple is divided mode by mode.
    pub fn ceil_div_under(&self, facts: &L::Facts, b: &Nested<L>) -> Result<Nested<L>, L::Error> {
        Quotients { facts, operation: "ceil_div", even: None }.divide(self, b)
    }

    /// [`Nested::ceil_div`] of numbers that divide each other, one way or the other: CuTe's quotient of shapes.
    pub fn shape_div_under(&self, facts: &L::Facts, b: &Nested<L>) -> Result<Nested<L>, L::Error> {
        Quotients { facts, operation: "shape_div", even: Some([self, b]) }.divide(self, b)
    }

    /// The least multiples of `b` that are not below `a`, leaf by leaf.
    pub fn round_up_under(&self, facts: &L::Facts, b: &Nested<L>) -> Result<Nested<L>, L::Error> {
        let lost = |lost| L::lost(lost, "round_up", format_args!("({self}, {b})"));
        Quotients { facts, operation: "round_up", even: None }.round_up(self, b, &lost)
    }

    /// The size of each mode at the top: `((2,3),4)` is `(6,4)`.
    pub fn product_each(&self) -> Result<Nested<L>, L::Error> {
        match self {
            Nested::Leaf(_) => Ok(self.clone()),
            Nested::Node(entries) => {
                let sizes = entries.iter().map(|entry| entry.product().map(Nested::Leaf));
                Ok(Nested::Node(sizes.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Strides of the compact layout of a shape whose first mode runs fastest; extents of 1 have
    /// stride 0, as in CuTe.
    pub fn compact_col_major(&self) -> Result<Nested<L>, L::Error> {
        let order: Vec<usize> = (0..self.leaf_count()).collect();
        compact("compact_col_major", self, &order)
    }

    /// Strides of the compact layout of a shape whose last mode runs fastest.
    pub fn compact_row_major(&self) -> Result<Nested<L>, L::Error> {
        let order: Vec<usize> = (0..self.leaf_count()).rev().collect();
        compact("compact_row_major", self, &order)
    }
}

/// Whether all are yes; false as soon as one is no.
fn all<L: Integer>(site: &Site<'_>, answers: Vec<L::Answer>) -> Result<bool, L::Error> {
    if answers.iter().any(Verdict::is_no) {
        return Ok(false);
    }
    let open: Vec<_> = answers.into_iter().filter(|answer| !answer.is_yes()).collect();
    if open.is_empty() { Ok(true) } else { Err(L::undecided(site, L::most_helpful(open))) }
}

/// Calls `each` with every leaf of a divisor and the part of the shape that it stands for; false where the divisor has
/// more modes than the shape.
fn each_tile<T, E>(
    shape: &Nested<T>,
    divisor: &Nested<T>,
    each: &mut impl FnMut(&Nested<T>, &Nested<T>) -> Result<(), E>,
) -> Result<bool, E> {
    let Nested::Node(tiles) = divisor else { return each(shape, divisor).map(|()| true) };
    // A leaf is its own only mode.
    let parts = shape.entries();
    if tiles.len() > parts.len() {
        return Ok(false);
    }
    for (part, tile) in parts.iter().zip(tiles) {
        if !each_tile(part, tile, each)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether `a` nests as `b`, or stops earlier; calls `each` with the leaves of `a` and the parts of `b` that they stand
/// for.
pub(crate) fn corresponds<T, U>(
    a: &Nested<T>,
    b: &Nested<U>,
    each: &mut impl FnMut(&T, &Nested<U>),
) -> bool {
    match (a, b) {
        (Nested::Leaf(leaf), part) => each(leaf, part),
        (Nested::Node(_), Nested::Leaf(_)) => return false,
        (Nested::Node(a), Nested::Node(b)) => {
            return a.len() == b.len() && a.iter().zip(b).all(|(a, b)| corresponds(a, b, each));
        }
    }
    true
}

/// Strides of a compact layout: leaf `order[0]` runs fastest, and extents of 1 have stride 0.
pub(crate) fn compact<L: Integer>(
    operation: &'static str,
    shape: &Nested<L>,
    order: &[usize],
) -> Result<Nested<L>, L::Error> {
    compact_after(operation, shape, &L::from(1), order)
}

/// [`compact`] strides of which the least is `start`.
pub(crate) fn compact_after<L: Integer>(
    operation: &'static str,
    shape: &Nested<L>,
    start: &L,
    order: &[usize],
) -> Result<Nested<L>, L::Error> {
    let extents = shape.values();
    let mut strides = vec![L::from(0); extents.len()];
    let mut next = start.clone();
    for &i in order {
        if let (Some(extent), Some(stride)) = (extents.get(i), strides.get_mut(i))
            && !extent.is(1)
        {
            let after = next.times(extent).map_err(|lost| L::lost(lost, operation, shape))?;
            *stride = core::mem::replace(&mut next, after);
        }
    }
    let mut strides = strides.into_iter();
    shape.try_map(&mut |_| Ok(strides.next().unwrap_or_else(|| L::from(0))))
}

/// The greatest common divisor that is an `i64`, which is not negative. That with 0 is the other number.
///
/// ```
/// use layout_algebra::gcd;
/// assert_eq!([gcd(12, -18), gcd(0, 5), gcd(i64::MIN, 0)], [6, 5, 1 << 62]);
/// ```
pub fn gcd(a: i64, b: i64) -> i64 {
    // Only 2^63, of `i64::MIN` with itself or 0, is none.
    i64::try_from(num_integer::gcd(a.unsigned_abs(), b.unsigned_abs())).unwrap_or(1 << 62)
}

/// Quotients of extents, rounded up, or only those of extents that divide each other.
struct Quotients<'q, L: Integer> {
    facts: &'q L::Facts,
    operation: &'static str,
    /// The shapes whose extents must divide each other.
    even: Option<[&'q Nested<L>; 2]>,
}

impl<L: Integer> Quotients<'_, L> {
    /// [`Nested::ceil_div`] of a part.
    fn divide(&self, a: &Nested<L>, b: &Nested<L>) -> Result<Nested<L>, L::Error> {
        match (a, b) {
            (Nested::Node(entries), Nested::Node(by)) => {
                if by.len() > entries.len() {
                    return Err(mismatch(self.operation, a, b).into());
                }
                let entries = entries.iter().enumerate().map(|(i, a)| match by.get(i) {
                    Some(b) => self.divide(a, b),
                    None => self.divide(a, &Nested::Leaf(L::from(1))),
                });
                Ok(Nested::Node(entries.collect::<Result<_, _>>()?))
            }
            (_, Nested::Leaf(by)) => {
                let (mut rest, mut before) = (by.clone(), None);
                a.try_map(&mut |extent: &L| {
                    // The divisor that the mode before left is for this one.
                    if let Some(before) = before.replace(extent.clone()) {
                        rest = self.left(&before, &rest)?;
                    }
                    self.quotient(extent, &rest, [a, b])
                })
            }
            (Nested::Leaf(_), Nested::Node(_)) => self.divide(a, &Nested::Leaf(b.product()?)),
        }
    }

    /// [`Nested::round_up`] of a part.
    fn round_up(
        &self,
        a: &Nested<L>,
        b: &Nested<L>,
        lost: &impl Fn(L::Lost) -> L::Error,
    ) -> Result<Nested<L>, L::Error> {
        match (a, b) {
            (Nested::Node(entries), Nested::Node(by)) if by.len() <= entries.len() => {
                let entries = entries.iter().enumerate().map(|(i, a)| match by.get(i) {
                    Some(b) => self.round_up(a, b, lost),
                    None => self.round_up(a, &Nested::Leaf(L::from(1)), lost),
                });
                Ok(Nested::Node(entries.collect::<Result<_, _>>()?))
            }
            (Nested::Leaf(extent), Nested::Leaf(by)) => {
                let quotient = self.quotient(extent, by, [a, b])?;
                quotient.times(by).map(Nested::Leaf).map_err(lost)
            }
            _ => Err(mismatch("round_up", a, b).into()),
        }
    }

    /// The quotient of an extent by a divisor, which are parts of these shapes.
    fn quotient(&self, extent: &L, by: &L, [a, b]: [&Nested<L>; 2]) -> Result<L, L::Error> {
        let (facts, operation) = (self.facts, self.operation);
        let site = Site { operation, operands: &|| format!("{a}, {b}") };
        let condition = |of: [&Nested<L>; 2], expected: &'static str| {
            let (operand, found) = (format!("{}, {}", of[0], of[1]), format!("{extent} and {by}"));
            Error::condition(operation, operand, expected, found)
        };
        let least = || condition([a, b], "a dividend of at least 0 and a divisor of at least 1");
        L::require(&site, L::at_least(facts, extent, &L::from(0)), least)?;
        L::require(&site, L::at_least(facts, by, &L::from(1)), least)?;
        let Some(whole) = self.even else {
            return L::ceil_div(facts, extent, by).map_err(|lost| L::lost(lost, operation, a));
        };
        let down = match L::divide(facts, extent, by) {
            Ok(quotient) => return Ok(quotient),
            Err(answer) => answer,
        };
        match L::divide(facts, by, extent) {
            // The divisor is at least 1, and so is what divides it and is not below 0.
            Ok(_) => Ok(L::from(1)),
            Err(up) => Err(L::unmet(&site, vec![down, up], || {
                condition(whole, "extents that divide each other")
            })),
        }
    }

    /// The part of a divisor that an extent leaves for the next one.
    fn left(&self, extent: &L, by: &L) -> Result<L, L::Error> {
        if extent.is(0) {
            return Ok(by.clone());
        }
        let site = Site { operation: self.operation, operands: &|| format!("{extent}, {by}") };
        let positive = L::at_least(self.facts, extent, &L::from(1));
        L::require(&site, positive, || Error::overflow(self.operation, extent))?;
        L::ceil_div(self.facts, by, extent).map_err(|lost| L::lost(lost, self.operation, by))
    }
}

fn mismatch<T: fmt::Display>(operation: &'static str, a: &Nested<T>, b: &Nested<T>) -> Error {
    Error::operand(operation, format!("a tuple that nests no deeper than {a}"), b)
}

closed! { Tuple {
    ceil_div = ceil_div_under(b: &Tuple) -> Tuple;
    shape_div = shape_div_under(b: &Tuple) -> Tuple;
    round_up = round_up_under(b: &Tuple) -> Tuple;
} }
