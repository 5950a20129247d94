//! Shapes: how they relate, and the integer arithmetic that works on them leaf by leaf.
//!
//! | relation | holds when |
//! |---|---|
//! | [`congruent`] | both nest in the same way |
//! | [`weakly_congruent`] | the first nests as the second, or stops earlier |
//! | [`compatible`] | weakly congruent, and each leaf of the first is the size of what it stands for: coordinates of the first are coordinates of the second |
//! | [`evenly_divides`] | each leaf of the divisor divides the size of the part it stands for |
//!
//! Source: CuTe's `int_tuple.hpp` and its document 01, "Layouts".

use crate::{
    error::{Error, Result},
    tuple::Tuple,
};

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
    match (a, b) {
        (Tuple::Leaf(_), _) => true,
        (Tuple::Node(_), Tuple::Leaf(_)) => false,
        (Tuple::Node(a), Tuple::Node(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| weakly_congruent(a, b))
        }
    }
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
    match (a, b) {
        (Tuple::Leaf(extent), _) => b.product().is_ok_and(|size| size == *extent),
        (Tuple::Node(_), Tuple::Leaf(_)) => false,
        (Tuple::Node(a), Tuple::Node(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| compatible(a, b))
        }
    }
}

/// Whether each leaf of `divisor` divides the size of the part of `shape` that it stands for. A
/// divisor of lower rank says nothing of the modes past its own.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("evenly_divides((8,(2,6)), (4,3))")?, "true");
/// assert_eq!(value("evenly_divides((8,6), (4,4))")?, "false");
/// # Ok::<(), Error>(())
/// ```
pub fn evenly_divides(shape: &Tuple, divisor: &Tuple) -> bool {
    match (shape, divisor) {
        (_, Tuple::Leaf(divisor)) => {
            *divisor != 0 && shape.product().is_ok_and(|size| size.checked_rem(*divisor) == Some(0))
        }
        (Tuple::Leaf(_), Tuple::Node(_)) => false,
        (Tuple::Node(shape), Tuple::Node(divisor)) => {
            shape.len() >= divisor.len()
                && shape.iter().zip(divisor).all(|(a, b)| evenly_divides(a, b))
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
    divide("ceil_div", a, b, &mut |a, b| Ok(ceil(a, b)))
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
    divide("shape_div", a, b, &mut |x, y| {
        if x % y == 0 || (x != 0 && y % x == 0) {
            return Ok(ceil(x, y));
        }
        Err(Error::Condition {
            operation: "shape_div",
            operand: format!("{a}, {b}"),
            expected: "extents that divide each other",
            found: format!("{x} and {y}"),
        })
    })
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
    match (a, b) {
        (Tuple::Node(entries), Tuple::Node(by)) if by.len() <= entries.len() => {
            let one = Tuple::Leaf(1);
            let by = by.iter().chain(std::iter::repeat(&one));
            let entries = entries.iter().zip(by).map(|(a, b)| round_up(a, b));
            Ok(Tuple::Node(entries.collect::<Result<_>>()?))
        }
        (Tuple::Leaf(value), Tuple::Leaf(by)) => {
            positive("round_up", a, b, *value, *by)?;
            ceil(*value, *by)
                .checked_mul(*by)
                .map(Tuple::Leaf)
                .ok_or_else(|| Error::overflow("round_up", format!("({a}, {b})")))
        }
        _ => Err(mismatch("round_up", a, b)),
    }
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

fn divide(
    operation: &'static str,
    a: &Tuple,
    b: &Tuple,
    quotient: &mut impl FnMut(i64, i64) -> Result<i64>,
) -> Result<Tuple> {
    match (a, b) {
        (Tuple::Node(entries), Tuple::Node(by)) => {
            if by.len() > entries.len() {
                return Err(mismatch(operation, a, b));
            }
            let one = Tuple::Leaf(1);
            let by = by.iter().chain(std::iter::repeat(&one));
            let entries = entries.iter().zip(by).map(|(a, b)| divide(operation, a, b, quotient));
            Ok(Tuple::Node(entries.collect::<Result<_>>()?))
        }
        (_, Tuple::Leaf(by)) => {
            let mut rest = *by;
            a.map(&mut |extent| {
                positive(operation, a, b, extent, rest)?;
                let result = quotient(extent, rest)?;
                // What this mode did not divide is left for the next one.
                rest = if extent == 0 { rest } else { ceil(rest, extent) };
                Ok(result)
            })
        }
        (Tuple::Leaf(_), Tuple::Node(_)) => {
            divide(operation, a, &Tuple::Leaf(b.product()?), quotient)
        }
    }
}

fn positive(operation: &'static str, a: &Tuple, b: &Tuple, x: i64, y: i64) -> Result<()> {
    if x >= 0 && y >= 1 {
        return Ok(());
    }
    Err(Error::Condition {
        operation,
        operand: format!("{a}, {b}"),
        expected: "a dividend of at least 0 and a divisor of at least 1",
        found: format!("{x} and {y}"),
    })
}

fn mismatch(operation: &'static str, a: &Tuple, b: &Tuple) -> Error {
    Error::Operand {
        operation,
        expected: format!("a tuple that nests no deeper than {a}"),
        found: b.to_string(),
    }
}
