//! The facts of values that index arithmetic starts from: casts between widths, and counters of loops.
//!
//! Each fact follows from upstream's definition for every execution, and a fact that does not survive an operation is
//! dropped: a cast to fewer bits keeps what fits, an unsigned cast reinterprets the word, and a counter that may wrap
//! keeps only the power of two in its steps. `tests/sources.rs` checks all of them at every word of small widths, and at
//! the edges of 8, 16, 32 and 64 bits.

use super::number::{Number, power_of_two_in};
use crate::index::{bounds, mask};
use num_integer::gcd;

/// How a cast fills the bits that are new. To fewer bits, all of them cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// With copies of the sign.
    Sign,
    /// With zeros.
    Zero,
}

/// The trip count that no execution reaches.
const MAX_ITERATIONS: i128 = 1 << 50;

/// The facts of a value after a cast to words of `width` bits.
///
/// ```
/// use layout_egraph::facts::{Number, source::{Cast, cast}};
/// let x = Number::between(0, 299, 1, 32).ok_or("bounds")?;
/// let byte = cast(Cast::Sign, &x, 8);
/// assert_eq!((byte.low, byte.high), (-128, 127));
/// # Ok::<(), &str>(())
/// ```
pub fn cast(kind: Cast, x: &Number, width: u32) -> Number {
    let any = Number::any(width);
    let (least, greatest) = bounds(width);
    let low_bits = mask(x.width.min(width));
    let bits = Number { zeros: x.zeros & low_bits, ones: x.ones & low_bits, ..any };
    // The integer of the unsigned word is 2^width more where it is below 0.
    let wraps = kind == Cast::Zero && width > x.width && x.low < 0;
    let (low, high) = match (wraps, x.high < 0) {
        (false, _) => (i128::from(x.low), i128::from(x.high)),
        (true, true) => {
            let more = 1_i128 << x.width;
            (i128::from(x.low) + more, i128::from(x.high) + more)
        }
        (true, false) => (0, i128::from(mask(x.width))),
    };
    let fits = low >= i128::from(least) && high <= i128::from(greatest);
    let found = match (i64::try_from(low), i64::try_from(high)) {
        (Ok(low), Ok(high)) if fits => {
            let multiple = if wraps { power_of_two_in(x.multiple) } else { x.multiple };
            Number { low, high, multiple, ..bits }
        }
        _ => Number { multiple: power_of_two_in(x.multiple), ..bits },
    };
    found.refined().unwrap_or(any)
}

/// The facts of the counter of a loop that runs from `lower` on, by `step`, while it is below `upper`,
/// signed or unsigned. Such a loop continues past the end of its words, where it meets one.
///
/// ```
/// use layout_egraph::facts::{Number, source::counter};
/// let constant = |value| Number::constant(value, 32);
/// let i = counter(&constant(0), &constant(100), &constant(8), false);
/// assert_eq!((i.low, i.high, i.multiple), (0, 96, 8));
/// // Unsigned, the upper bound -16 is 4294967280.
/// let i = counter(&constant(0), &constant(-16), &constant(1), true);
/// assert_eq!((i.low, i.high), (i64::from(i32::MIN), i64::from(i32::MAX)));
/// ```
pub fn counter(lower: &Number, upper: &Number, step: &Number, unsigned: bool) -> Number {
    let any = Number::any(lower.width);
    let stride = gcd(lower.multiple, step.multiple);
    // Whatever wraps, what divides the first value, each step and the number of words divides all.
    let wrapped = Number { multiple: power_of_two_in(stride), ..any };
    let wrapped = wrapped.refined().unwrap_or(any);
    let Some(last) = upper.high.checked_sub(1) else { return wrapped };
    if step.low < 1 || lower.low > last {
        return wrapped;
    }
    let natural = lower.low >= 0 && upper.low >= 0;
    if unsigned && !natural {
        return wrapped;
    }
    let room = i128::from(any.high);
    let ends = i128::from(last) + i128::from(step.high) <= room;
    let outlives = (room - i128::from(lower.high)) / i128::from(step.high) >= MAX_ITERATIONS;
    if !(unsigned || ends || outlives) {
        // It is below the upper bound all the same.
        return Number { high: last, ..wrapped }.refined().unwrap_or(wrapped);
    }
    let high = match (lower.value(), step.value()) {
        (Some(first), Some(step)) => {
            last - (i128::from(last) - i128::from(first)).rem_euclid(i128::from(step)) as i64
        }
        _ => last,
    };
    Number { low: lower.low, high, multiple: stride, ..any }.refined().unwrap_or(wrapped)
}
