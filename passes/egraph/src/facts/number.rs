//! The facts of an index: an interval, known bits and a divisor, together.
//!
//! Each operation has a transfer function: from facts about operands to facts about the
//! answer. `tests/facts.rs` checks all of them at every word of small widths.

use crate::index::{IndexOp, bounds, mask, word, wrap};
use num_integer::gcd;

/// The facts of an index of some width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The least value, with sign.
    pub low: i64,
    /// The greatest value, with sign.
    pub high: i64,
    /// Bits that are 0.
    pub zeros: u64,
    /// Bits that are 1.
    pub ones: u64,
    /// The value, with sign, is a multiple of this; 0 for the value 0.
    pub multiple: u64,
    /// Bits of a word.
    pub width: u32,
}

impl Number {
    /// Nothing is known.
    pub fn any(width: u32) -> Self {
        let (low, high) = bounds(width);
        Self { low, high, zeros: 0, ones: 0, multiple: 1, width }
    }

    /// One value.
    pub fn constant(value: i64, width: u32) -> Self {
        let bits = word(value, width);
        let zeros = !bits & mask(width);
        Self { low: value, high: value, zeros, ones: bits, multiple: value.unsigned_abs(), width }
    }

    /// Multiples in an interval, or `None` if there is no such value.
    pub fn between(low: i64, high: i64, multiple: u64, width: u32) -> Option<Self> {
        let any = Self::any(width);
        Self { low: low.max(any.low), high: high.min(any.high), multiple, ..any }.refined()
    }

    /// The value, if there is only one.
    pub fn value(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether a value agrees with all that is known.
    pub fn admits(&self, value: i64) -> bool {
        let bits = word(value, self.width);
        let divides = match self.multiple {
            0 => value == 0,
            multiple => value.unsigned_abs().is_multiple_of(multiple),
        };
        (self.low..=self.high).contains(&value)
            && bits & self.zeros == 0
            && bits & self.ones == self.ones
            && divides
    }

    /// Whether every value is a multiple of `divisor`.
    pub fn is_multiple_of(&self, divisor: i64) -> bool {
        divisor != 0 && self.multiple.is_multiple_of(divisor.unsigned_abs())
    }

    /// Bits that may be 1.
    pub fn possible(&self) -> u64 {
        !self.zeros & mask(self.width)
    }

    /// The facts that hold where one of two holds.
    pub fn join(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            multiple: gcd(self.multiple, other.multiple),
            width: self.width,
        }
    }

    /// The facts that hold where both hold, or `None` if no value agrees with both.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            multiple: lcm(self.multiple, other.multiple),
            width: self.width,
        }
        .refined()
    }

    /// Each part sharpened by the others, or `None` if no value is left.
    pub(crate) fn refined(mut self) -> Option<Self> {
        // Three rounds reach a fixed point but in corner cases, where less is known than could be.
        for _ in 0..3 {
            if self.low > self.high || self.zeros & self.ones != 0 {
                return None;
            }
            let all = mask(self.width);
            let sign = 1_u64 << (self.width - 1);
            // Leading bits that both ends share.
            let (a, b) = (word(self.low, self.width), word(self.high, self.width));
            if (self.low < 0) == (self.high < 0) {
                let differ = a ^ b;
                let shared = match differ {
                    0 => all,
                    _ => all & !(u64::MAX >> differ.leading_zeros()),
                };
                self.ones |= a & shared;
                self.zeros |= !a & shared;
            }
            // The least and greatest word that the known bits allow.
            if self.zeros & sign != 0 {
                self.low = self.low.max(self.ones.cast_signed());
                self.high = self.high.min((all & !self.zeros).cast_signed());
            } else if self.ones & sign != 0 {
                self.low = self.low.max(wrap(self.ones.cast_signed(), self.width));
                self.high = self.high.min(wrap((all & !self.zeros).cast_signed(), self.width));
            }
            if self.multiple == 0 {
                self.low = self.low.max(0);
                self.high = self.high.min(0);
                continue;
            }
            let trailing = self.multiple.trailing_zeros().min(self.width);
            if trailing > 0 {
                self.zeros |= mask(trailing);
            }
            let known = (!self.zeros & all).trailing_zeros().min(62);
            self.multiple = lcm(self.multiple, 1 << known);
            // Ends that are multiples.
            if let Ok(multiple) = i64::try_from(self.multiple)
                && multiple > 1
            {
                let up = self.low.checked_add(-self.low.rem_euclid(multiple)).and_then(|down| {
                    if down == self.low { Some(down) } else { down.checked_add(multiple) }
                });
                self.low = up?;
                self.high = self.high.checked_sub(self.high.rem_euclid(multiple))?;
            }
        }
        (self.low <= self.high && self.zeros & self.ones == 0).then_some(self)
    }

    /// The facts of an operation's result.
    pub fn of(op: IndexOp, operands: &[Number], width: u32) -> Self {
        if let Some((first, second)) = op.parts() {
            let [x, y, z] = operands else { return Self::any(width) };
            return Self::of(second, &[Self::of(first, &[*x, *y], width), *z], width);
        }
        let constants: Option<Vec<i64>> = operands.iter().map(Number::value).collect();
        if let Some(value) = constants.and_then(|values| op.eval(&values, width)) {
            return Self::constant(value, width);
        }
        let any = Self::any(width);
        let answer = match (op, operands) {
            (IndexOp::Add, [x, y]) => add(x, y),
            (IndexOp::Sub, [x, y]) => sub(x, y),
            (IndexOp::Mul, [x, y]) => mul(x, y),
            (IndexOp::Div, [x, y]) => div(x, y),
            (IndexOp::Mod, [x, y]) => rem(x, y),
            (IndexOp::High, [x, y]) => high(x, y),
            (IndexOp::Shl, [x, y]) => match y.value() {
                Some(k) if (0..i64::from(width) - 1).contains(&k) => {
                    mul(x, &Self::constant(1 << k, width))
                }
                _ => None,
            },
            (IndexOp::Shr, [x, y]) => match y.value() {
                Some(k) if (0..i64::from(width) - 1).contains(&k) => {
                    div(x, &Self::constant(1 << k, width))
                }
                _ => div_by_any(x),
            },
            (IndexOp::And | IndexOp::Or | IndexOp::Xor, [x, y]) => bitwise(op, x, y),
            (IndexOp::Min, [x, y]) => {
                Self { low: x.low.min(y.low), high: x.high.min(y.high), ..x.join(y) }.refined()
            }
            (IndexOp::Max, [x, y]) => {
                Self { low: x.low.max(y.low), high: x.high.max(y.high), ..x.join(y) }.refined()
            }
            (IndexOp::Less | IndexOp::AtMost | IndexOp::Equal, [x, y]) => {
                Some(match decide(op, x, y) {
                    Some(answer) => Self::constant(i64::from(answer), width),
                    None => Self { low: 0, high: 1, ..any }.refined().unwrap_or(any),
                })
            }
            (IndexOp::Select, [c, x, y]) => match c.value() {
                Some(1) => Some(*x),
                Some(0) => Some(*y),
                _ => Some(x.join(y)),
            },
            _ => None,
        };
        answer.unwrap_or(any)
    }
}

/// A comparison that the facts answer.
pub fn decide(op: IndexOp, x: &Number, y: &Number) -> Option<bool> {
    let disjoint = x.meet(y).is_none();
    match op {
        IndexOp::Less if x.high < y.low => Some(true),
        IndexOp::Less if x.low >= y.high => Some(false),
        IndexOp::AtMost if x.high <= y.low => Some(true),
        IndexOp::AtMost if x.low > y.high => Some(false),
        IndexOp::Equal if disjoint => Some(false),
        IndexOp::Equal => (x.value()? == y.value()?).then_some(true),
        _ => None,
    }
}

/// Whether `x + y` never wraps.
pub fn adds(x: &Number, y: &Number) -> bool {
    fits(wide(x.low) + wide(y.low), wide(x.high) + wide(y.high), x.width)
}

/// Whether `x - y` never wraps.
pub fn subtracts(x: &Number, y: &Number) -> bool {
    fits(wide(x.low) - wide(y.high), wide(x.high) - wide(y.low), x.width)
}

/// Whether `x * y` never wraps.
pub fn multiplies(x: &Number, y: &Number) -> bool {
    let (low, high) = products(x, y);
    fits(low, high, x.width)
}

fn wide(value: i64) -> i128 {
    i128::from(value)
}

fn fits(low: i128, high: i128, width: u32) -> bool {
    let (least, greatest) = bounds(width);
    low >= wide(least) && high <= wide(greatest)
}

fn products(x: &Number, y: &Number) -> (i128, i128) {
    let ends = [
        wide(x.low) * wide(y.low),
        wide(x.low) * wide(y.high),
        wide(x.high) * wide(y.low),
        wide(x.high) * wide(y.high),
    ];
    ends.into_iter().fold((i128::MAX, i128::MIN), |(low, high), end| (low.min(end), high.max(end)))
}

/// An interval that may lie outside of a word: then the answer wraps, and only the part of the
/// divisor that is a power of two survives.
fn exact(low: i128, high: i128, multiple: u64, like: Number) -> Option<Number> {
    match (i64::try_from(low), i64::try_from(high)) {
        (Ok(low), Ok(high)) if fits(wide(low), wide(high), like.width) => {
            Number { low, high, multiple, ..like }.refined()
        }
        _ => Number { multiple: power_of_two_in(multiple), ..like }.refined(),
    }
}

/// The power of two in a divisor: what is left of it where words wrap.
pub(crate) fn power_of_two_in(multiple: u64) -> u64 {
    match multiple {
        0 => 0,
        multiple => 1 << multiple.trailing_zeros(),
    }
}

/// Bits of a sum from the bits of its terms and of the carry: a bit is known where it is known in
/// both terms and in what is carried into it.
fn sum_bits(x: &Number, y: (u64, u64), carry: u64, width: u32) -> (u64, u64) {
    let all = mask(width);
    let (y_zeros, y_ones) = y;
    let most = (!x.zeros & all).wrapping_add(!y_zeros & all).wrapping_add(carry);
    let least = x.ones.wrapping_add(y_ones).wrapping_add(carry);
    let carry_zero = !(most ^ x.zeros ^ y_zeros);
    let carry_one = least ^ x.ones ^ y_ones;
    let known = (x.zeros | x.ones) & (y_zeros | y_ones) & (carry_zero | carry_one) & all;
    (!most & known, least & known)
}

fn add(x: &Number, y: &Number) -> Option<Number> {
    let (zeros, ones) = sum_bits(x, (y.zeros, y.ones), 0, x.width);
    let like = Number { zeros, ones, ..Number::any(x.width) };
    let (low, high) = (wide(x.low) + wide(y.low), wide(x.high) + wide(y.high));
    exact(low, high, gcd(x.multiple, y.multiple), like)
}

fn sub(x: &Number, y: &Number) -> Option<Number> {
    // x - y is x + !y + 1.
    let (zeros, ones) = sum_bits(x, (y.ones, y.zeros), 1, x.width);
    let like = Number { zeros, ones, ..Number::any(x.width) };
    let (low, high) = (wide(x.low) - wide(y.high), wide(x.high) - wide(y.low));
    exact(low, high, gcd(x.multiple, y.multiple), like)
}

fn mul(x: &Number, y: &Number) -> Option<Number> {
    let (low, high) = products(x, y);
    let multiple = x.multiple.checked_mul(y.multiple).unwrap_or_else(|| {
        // Too large to say: the powers of two are kept as far as they go.
        1 << (x.multiple.trailing_zeros() + y.multiple.trailing_zeros()).min(62)
    });
    exact(low, high, multiple, Number::any(x.width))
}

fn div(x: &Number, y: &Number) -> Option<Number> {
    let any = Number::any(x.width);
    if y.low <= 0 {
        return div_by_any(x);
    }
    let multiple = match y.value().map(i64::unsigned_abs) {
        Some(by) if x.low >= 0 && x.multiple.is_multiple_of(by) => x.multiple / by,
        _ => 1,
    };
    let (low, high) = if x.low >= 0 {
        (x.low / y.high, x.high / y.low)
    } else {
        // As an unsigned word, up to 2^width - 1.
        match i64::try_from(mask(x.width) / y.low.unsigned_abs()) {
            Ok(high) if high <= any.high => (0, high),
            _ => return Some(any),
        }
    };
    let mut answer = Number { low, high, multiple, ..any };
    if let Some(by) = y.value()
        && by.count_ones() == 1
    {
        let shift = by.trailing_zeros();
        answer.zeros = (x.zeros >> shift) | (mask(x.width) & !(mask(x.width) >> shift));
        answer.ones = x.ones >> shift;
    }
    answer.refined()
}

/// The high word of a product.
fn high(x: &Number, y: &Number) -> Option<Number> {
    let any = Number::any(x.width);
    if x.low < 0 || y.low < 0 {
        return Some(any);
    }
    let end = |a: i64, b: i64| i64::try_from((wide(a) * wide(b)) >> x.width);
    let (Ok(low), Ok(high)) = (end(x.low, y.low), end(x.high, y.high)) else { return Some(any) };
    Number { low, high, ..any }.refined()
}

/// A quotient of words is no more than the dividend.
fn div_by_any(x: &Number) -> Option<Number> {
    let any = Number::any(x.width);
    if x.low < 0 { Some(any) } else { Number { low: 0, high: x.high, ..any }.refined() }
}

fn rem(x: &Number, y: &Number) -> Option<Number> {
    let any = Number::any(x.width);
    if y.low <= 0 {
        return Some(any);
    }
    if x.low >= 0 && x.high < y.low {
        return Some(*x);
    }
    let high = if x.low >= 0 { x.high.min(y.high - 1) } else { y.high - 1 };
    let multiple = match (x.low >= 0, y.value()) {
        (true, Some(by)) => gcd(x.multiple, by.unsigned_abs()),
        (false, Some(by)) => gcd(power_of_two_in(x.multiple), by.unsigned_abs()),
        _ => 1,
    };
    let mut answer = Number { low: 0, high, multiple, ..any };
    if let Some(by) = y.value()
        && by.count_ones() == 1
    {
        let kept = by.unsigned_abs() - 1;
        answer.zeros = (x.zeros & kept) | (mask(x.width) & !kept);
        answer.ones = x.ones & kept;
    }
    answer.refined()
}

fn bitwise(op: IndexOp, x: &Number, y: &Number) -> Option<Number> {
    let any = Number::any(x.width);
    let (zeros, ones) = match op {
        IndexOp::And => (x.zeros | y.zeros, x.ones & y.ones),
        IndexOp::Or => (x.zeros & y.zeros, x.ones | y.ones),
        _ => (x.zeros & y.zeros | x.ones & y.ones, x.zeros & y.ones | x.ones & y.zeros),
    };
    let (low, high) = match op {
        IndexOp::And if x.low >= 0 && y.low >= 0 => (0, x.high.min(y.high)),
        IndexOp::And if x.low >= 0 => (0, x.high),
        IndexOp::And if y.low >= 0 => (0, y.high),
        IndexOp::Or if x.low >= 0 && y.low >= 0 => (x.low.max(y.low), any.high),
        _ => (any.low, any.high),
    };
    Number { low, high, zeros, ones, ..any }.refined()
}

/// The least common multiple; one of the two where it is too large, which says less.
fn lcm(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return 0;
    }
    (a / gcd(a, b)).checked_mul(b).unwrap_or(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sharpen_each_other() {
        let x = Number::between(0, 30, 8, 64).expect("0, 8, 16, 24");
        assert_eq!((x.low, x.high, x.possible()), (0, 24, 0b11000));
        let y = Number { ones: 0b10000, ..x }.meet(&x).expect("16 or 24");
        assert_eq!((y.low, y.high), (16, 24));
        assert_eq!(Number::between(1, 7, 8, 64), None);
    }

    #[test]
    fn contradictions_have_no_value() {
        let odd = Number { ones: 1, ..Number::any(8) };
        let even = Number::between(0, 100, 2, 8).expect("even");
        assert_eq!(odd.meet(&even), None);
        assert_eq!(decide(IndexOp::Equal, &odd, &even), Some(false));
    }

    #[test]
    fn a_wrapped_sum_keeps_powers_of_two_only() {
        let x = Number { multiple: 12, ..Number::any(8) };
        let sum = Number::of(IndexOp::Add, &[x, x], 8);
        assert_eq!((sum.multiple, sum.low), (4, -128));
    }
}
