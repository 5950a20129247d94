//! Shapes: how they relate, and the integer arithmetic that works on them leaf by leaf.
//!
//! | relation | holds when |
//! |---|---|
//! | [`congruent`] | both nest in the same way |
//! | [`weakly_congruent`] | the first nests as the second, or stops earlier |
//! | [`compatible`] | weakly congruent, and each leaf of the first is the size of what it stands for: coordinates of the first are coordinates of the second |
//! | [`evenly_divides`] | tiles of the divisor fill the shape, without any that is padded |
//!
//! Source: CuTe's `int_tuple.hpp` and its document 01, "Layouts".

use crate::{
    error::{Error, Result},
    tuple::{Nested, Tuple},
};
use std::fmt;

/// Whether both nest in the same way.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("congruent((2,(3,4)), (5,(6,7)))")?, "true");
/// # Ok::<(), Error>(())
/// ```
pub fn congruent(a: &Tuple, b: &Tuple) -> bool {
    a.congruent(b)
}

/// Whether `a` nests as `b`, or stops earlier: `8` and `(2,4)` are weakly congruent to `(3,(4,5))`.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("weakly_congruent((8,2), (3,(4,5)))")?, "true");
/// assert_eq!(value("weakly_congruent((3,(4,5)), (8,2))")?, "false");
/// # Ok::<(), Error>(())
/// ```
pub fn weakly_congruent(a: &Tuple, b: &Tuple) -> bool {
    stands_for(a, b, &mut |_, _| true)
}

/// Whether every coordinate of a layout of shape `a` is one of a layout of shape `b`: `24` is
/// compatible with `(4,6)`, which is compatible with `((2,2),6)`.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("compatible(24, (4,6))")?, "true");
/// assert_eq!(value("compatible((4,6), 24)")?, "false");
/// # Ok::<(), Error>(())
/// ```
pub fn compatible(a: &Tuple, b: &Tuple) -> bool {
    stands_for(a, b, &mut |extent, part| part.product().is_ok_and(|size| size == *extent))
}

/// Whether tiles of `divisor` fill `shape` exactly: for each leaf of the divisor and the part of the
/// shape that it stands for, the leaf times the size of their [`ceil_div`] is the part's size. `8` does
/// not divide `(6,4)` evenly, though it divides 24: the first mode takes 6 of it and leaves 2. A
/// divisor of lower rank says nothing of the modes past its own; one mode may stand in parentheses.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("evenly_divides((8,(3,6)), (4,3))")?, "true");
/// assert_eq!(value("evenly_divides((8,6), (4,4))")?, "false");
/// assert_eq!(value("evenly_divides((6,4), 8)")?, "false");
/// assert_eq!(value("evenly_divides(16, (16))")?, "true");
/// # Ok::<(), Error>(())
/// ```
pub fn evenly_divides(shape: &Tuple, divisor: &Tuple) -> bool {
    let filled = |part: &Tuple, by: &Tuple| {
        let quotient = ceil_div(part, by).and_then(|quotient| quotient.product()).ok()?;
        Some(quotient.checked_mul(by.product().ok()?)? == part.product().ok()?)
    };
    let every =
        each_tile(shape, divisor, &mut |part, by| Ok::<_, Error>(filled(part, by) == Some(true)));
    matches!(every, Ok(Some(true)))
}

/// Whether `each` holds of every leaf of a divisor and the part of the shape that it stands for; none
/// where the divisor has more modes than the shape.
pub(crate) fn each_tile<T: Clone, E>(
    shape: &Nested<T>,
    divisor: &Nested<T>,
    each: &mut impl FnMut(&Nested<T>, &Nested<T>) -> Result<bool, E>,
) -> Result<Option<bool>, E> {
    let Nested::Node(tiles) = divisor else { return each(shape, divisor).map(Some) };
    // A leaf is its own only mode.
    let parts = match shape {
        Nested::Node(parts) => parts.as_slice(),
        leaf => std::slice::from_ref(leaf),
    };
    if tiles.len() > parts.len() {
        return Ok(None);
    }
    let mut every = true;
    for (part, tile) in parts.iter().zip(tiles) {
        match each_tile(part, tile, each)? {
            Some(holds) => every &= holds,
            None => return Ok(None),
        }
    }
    Ok(Some(every))
}

/// Whether `a` nests as `b`, or stops earlier, and `each` holds of every leaf of `a` and the part of
/// `b` that it stands for.
pub(crate) fn stands_for<T, U>(
    a: &Nested<T>,
    b: &Nested<U>,
    each: &mut impl FnMut(&T, &Nested<U>) -> bool,
) -> bool {
    match (a, b) {
        (Nested::Leaf(leaf), part) => each(leaf, part),
        (Nested::Node(_), Nested::Leaf(_)) => false,
        (Nested::Node(a), Nested::Node(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| stands_for(a, b, each))
        }
    }
}

/// Rounded-up division. A tuple by an integer divides from the left: the first mode takes what it
/// can, the next mode what is left. A tuple by a tuple divides mode by mode.
///
/// # Errors
///
/// A divisor below 1 or a negative dividend; a divisor of higher rank.
///
/// ```
/// use layout_algebra::ceil_div;
/// assert_eq!(ceil_div(&"(3,100,3)".parse()?, &"256".parse()?)?.to_string(), "(1,2,3)");
/// assert_eq!(ceil_div(&"(100,9)".parse()?, &"(32,4)".parse()?)?.to_string(), "(4,3)");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn ceil_div(a: &Tuple, b: &Tuple) -> Result<Tuple> {
    divide("ceil_div", a, b, &Integers { operation: "ceil_div", even: None })
}

/// [`ceil_div`] of numbers that divide each other, one way or the other: CuTe's quotient of shapes.
///
/// # Errors
///
/// Those of [`ceil_div`]; numbers that do not divide each other.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("shape_div((6,2), 3)")?, "(2,2)");
/// assert_eq!(value("shape_div((6,2), 12)")?, "(1,1)");
/// # Ok::<(), Error>(())
/// ```
pub fn shape_div(a: &Tuple, b: &Tuple) -> Result<Tuple> {
    divide("shape_div", a, b, &Integers { operation: "shape_div", even: Some((a, b)) })
}

/// The least multiples of `b` that are not below `a`, leaf by leaf.
///
/// # Errors
///
/// Those of [`ceil_div`]; overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("round_up((10,7), (4,2))")?, "(12,8)");
/// # Ok::<(), Error>(())
/// ```
pub fn round_up(a: &Tuple, b: &Tuple) -> Result<Tuple> {
    let integers = Integers { operation: "round_up", even: None };
    rounded_up(a, b, &integers, &mut |quotient, by| {
        quotient.checked_mul(*by).ok_or_else(|| Error::overflow("round_up", format!("({a}, {b})")))
    })
}

/// The size of each mode at the top: `((2,3),4)` is `(6,4)`.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// use layout_algebra::product_each;
/// assert_eq!(product_each(&"((2,3),4)".parse()?)?.to_string(), "(6,4)");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn product_each(shape: &Tuple) -> Result<Tuple> {
    match shape {
        Tuple::Leaf(_) => Ok(shape.clone()),
        Tuple::Node(entries) => {
            let sizes = entries.iter().map(|entry| entry.product().map(Tuple::Leaf));
            Ok(Tuple::Node(sizes.collect::<Result<_>>()?))
        }
    }
}

/// Strides of the compact layout of a shape whose first mode runs fastest; extents of 1 have
/// stride 0, as in CuTe.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("compact_col_major((4,(2,3)))")?, "(1,(4,8))");
/// # Ok::<(), Error>(())
/// ```
pub fn compact_col_major(shape: &Tuple) -> Result<Tuple> {
    let order: Vec<usize> = (0..shape.leaf_count()).collect();
    compact("compact_col_major", shape, &order)
}

/// Strides of the compact layout of a shape whose last mode runs fastest.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("compact_row_major((4,(2,3)))")?, "(6,(3,1))");
/// # Ok::<(), Error>(())
/// ```
pub fn compact_row_major(shape: &Tuple) -> Result<Tuple> {
    let order: Vec<usize> = (0..shape.leaf_count()).rev().collect();
    compact("compact_row_major", shape, &order)
}

/// Strides of a compact layout: leaf `order[0]` runs fastest.
pub(crate) fn compact(operation: &'static str, shape: &Tuple, order: &[usize]) -> Result<Tuple> {
    let extents = shape.leaves();
    let mut strides = vec![0; extents.len()];
    let mut next = 1_i64;
    for &i in order {
        if let (Some(&extent), Some(stride)) = (extents.get(i), strides.get_mut(i))
            && extent != 1
        {
            *stride = next;
            next = next.checked_mul(extent).ok_or_else(|| Error::overflow(operation, shape))?;
        }
    }
    let mut strides = strides.into_iter();
    shape.map(&mut |_| Ok(strides.next().unwrap_or(0)))
}

/// `ceil(a / b)` for `a >= 0`, `b >= 1`.
pub(crate) fn ceil(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(i64::MAX)
}

/// Quotients of extents, which are integers or expressions.
pub(crate) trait Quotients {
    /// An extent.
    type Extent: Clone + fmt::Display;
    /// Why there is no quotient.
    type Error: From<Error>;

    /// The extent 1.
    fn one(&self) -> Self::Extent;

    /// The size of a shape.
    fn size(&self, shape: &Nested<Self::Extent>) -> Result<Self::Extent, Self::Error>;

    /// The quotient of an extent by a divisor, which are parts of these shapes.
    fn quotient(
        &self,
        extent: &Self::Extent,
        by: &Self::Extent,
        of: [&Nested<Self::Extent>; 2],
    ) -> Result<Self::Extent, Self::Error>;

    /// What of a divisor an extent leaves for the next one.
    fn left(&self, extent: &Self::Extent, by: &Self::Extent) -> Result<Self::Extent, Self::Error>;
}

/// A quotient of shapes: what [`ceil_div`] says, with the quotients of extents as given.
pub(crate) fn divide<Q: Quotients>(
    operation: &'static str,
    a: &Nested<Q::Extent>,
    b: &Nested<Q::Extent>,
    quotients: &Q,
) -> Result<Nested<Q::Extent>, Q::Error> {
    match (a, b) {
        (Nested::Node(entries), Nested::Node(by)) => {
            if by.len() > entries.len() {
                return Err(mismatch(operation, a, b).into());
            }
            let entries = entries.iter().enumerate().map(|(i, a)| match by.get(i) {
                Some(b) => divide(operation, a, b, quotients),
                None => divide(operation, a, &Nested::Leaf(quotients.one()), quotients),
            });
            Ok(Nested::Node(entries.collect::<Result<_, _>>()?))
        }
        (_, Nested::Leaf(by)) => {
            let (mut rest, mut before) = (by.clone(), None);
            a.try_map(&mut |extent: &Q::Extent| {
                // What the mode before did not divide is left for this one.
                if let Some(before) = before.replace(extent.clone()) {
                    rest = quotients.left(&before, &rest)?;
                }
                quotients.quotient(extent, &rest, [a, b])
            })
        }
        (Nested::Leaf(_), Nested::Node(_)) => {
            divide(operation, a, &Nested::Leaf(quotients.size(b)?), quotients)
        }
    }
}

/// [`round_up`], with the quotients of extents as given and `times` to multiply them again.
pub(crate) fn rounded_up<Q: Quotients>(
    a: &Nested<Q::Extent>,
    b: &Nested<Q::Extent>,
    quotients: &Q,
    times: &mut impl FnMut(Q::Extent, &Q::Extent) -> Result<Q::Extent, Q::Error>,
) -> Result<Nested<Q::Extent>, Q::Error> {
    match (a, b) {
        (Nested::Node(entries), Nested::Node(by)) if by.len() <= entries.len() => {
            let entries = entries.iter().enumerate().map(|(i, a)| match by.get(i) {
                Some(b) => rounded_up(a, b, quotients, times),
                None => rounded_up(a, &Nested::Leaf(quotients.one()), quotients, times),
            });
            Ok(Nested::Node(entries.collect::<Result<_, _>>()?))
        }
        (Nested::Leaf(extent), Nested::Leaf(by)) => {
            let quotient = quotients.quotient(extent, by, [a, b])?;
            times(quotient, by).map(Nested::Leaf)
        }
        _ => Err(mismatch("round_up", a, b).into()),
    }
}

/// Quotients of integers, rounded up; of these shapes only where one divides the other.
struct Integers<'t> {
    operation: &'static str,
    even: Option<(&'t Tuple, &'t Tuple)>,
}

impl Quotients for Integers<'_> {
    type Extent = i64;
    type Error = Error;

    fn one(&self) -> i64 {
        1
    }

    fn size(&self, shape: &Tuple) -> Result<i64> {
        shape.product()
    }

    fn quotient(&self, &x: &i64, &y: &i64, [a, b]: [&Tuple; 2]) -> Result<i64> {
        let (operation, found) = (self.operation, || format!("{x} and {y}"));
        if x < 0 || y < 1 {
            return Err(Error::Condition {
                operation,
                operand: format!("{a}, {b}"),
                expected: "a dividend of at least 0 and a divisor of at least 1",
                found: found(),
            });
        }
        match self.even {
            Some((a, b)) if x % y != 0 && (x == 0 || y % x != 0) => Err(Error::Condition {
                operation,
                operand: format!("{a}, {b}"),
                expected: "extents that divide each other",
                found: found(),
            }),
            _ => Ok(ceil(x, y)),
        }
    }

    fn left(&self, &extent: &i64, &by: &i64) -> Result<i64> {
        Ok(if extent == 0 { by } else { ceil(by, extent) })
    }
}

fn mismatch<T: fmt::Display>(operation: &'static str, a: &Nested<T>, b: &Nested<T>) -> Error {
    Error::Operand {
        operation,
        expected: format!("a tuple that nests no deeper than {a}"),
        found: b.to_string(),
    }
}
