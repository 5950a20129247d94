//! Powers on f64: e to the power of a logarithm that has 65 bits or more, as two numbers, times the exponent.

use super::{EXP_ABOVE, EXP_BELOW, LESS, LN_2_HEAD, LN_2_TAIL, Made, Math, Power};
use crate::lower::Failure;
use layout_dialect::build::Val;

/// 2/3, and what f64 leaves of it.
const TWO_THIRDS: [f64; 2] = [2.0 / 3.0, 3.700743415417188e-17];

/// Terms 2/5 + 2/7 s² + … of log((1 + s) / (1 - s)) beyond those of s and s³, for s up to 0.172: the rest is below 2^-68 of it.
const LOG_TERMS: i32 = 13;

/// A number in two parts, of which the first is the sum as f64 rounds it.
#[derive(Clone, Copy)]
struct Pair<'c> {
    high: Val<'c>,
    low: Val<'c>,
}

impl<'c> Math<'c> {
    /// A positive number to a power.
    pub(in crate::lower::math) fn magnitude_double(&self, x: Val<'c>, y: Val<'c>) -> Made<'c> {
        let log = self.log_pair(x)?;
        let product = self.product_pair(y, log.high)?;
        let low = self.multiply_add(y, log.low, product.low)?;
        // Beyond the range of the exponential the rest may be no number.
        let size = self.intrinsic("fabs", &[product.high])?;
        let is_known = self.compare(LESS, size, self.constant(-EXP_BELOW)?)?;
        let low = self.select(is_known, low, self.constant(0.0)?)?;
        let reduced = self.reduced(self.clamped(product.high, [EXP_BELOW, EXP_ABOVE])?)?;
        let rest = self.ordered(reduced.rest, self.sum(reduced.low, low)?)?;
        let power = Power { count: reduced.count, rest: rest.high, low: rest.low };
        self.scaled(self.sum(self.constant(1.0)?, self.grown(&power)?)?, power.count)
    }

    /// log(m 2^e) = 2 (s + s³/3 + s⁵/5 + …) + e log(2), with s = (m - 1) / (m + 1).
    fn log_pair(&self, x: Val<'c>) -> Result<Pair<'c>, Failure> {
        let (f, exponent) = self.mantissa(x)?;
        let below = self.ordered(self.constant(2.0)?, f)?;
        let high = self.quotient(f, below.high)?;
        let minus = self.negative(high)?;
        let left = self.multiply_add(minus, below.high, f)?;
        let left = self.multiply_add(minus, below.low, left)?;
        let s = Pair { high, low: self.quotient(left, below.high)? };
        let square = self.times(s, s)?;
        let cube = self.times(square, s)?;
        let by = Pair { high: self.constant(TWO_THIRDS[0])?, low: self.constant(TWO_THIRDS[1])? };
        let third = self.times(cube, by)?;
        let coefficients: Vec<f64> =
            (2..=LOG_TERMS).rev().map(|n| 2.0 / f64::from(2 * n + 1)).collect();
        let rest = self.polynomial(&coefficients, square.high)?;
        let rest = self.product(self.product(square.high, cube.high)?, rest)?;
        let twice = self.ordered(self.sum(s.high, s.high)?, third.high)?;
        let low = self.sum(third.low, self.sum(s.low, s.low)?)?;
        let low = self.sum(twice.low, self.sum(low, rest)?)?;
        // This product has all its bits.
        let whole = self.product(exponent, self.constant(LN_2_HEAD)?)?;
        let sum = self.ordered(whole, twice.high)?;
        let low = self.multiply_add(exponent, self.constant(LN_2_TAIL)?, low)?;
        self.ordered(sum.high, self.sum(sum.low, low)?)
    }

    /// The sum of two numbers, of which the first is the larger one, or 0.
    fn ordered(&self, x: Val<'c>, y: Val<'c>) -> Result<Pair<'c>, Failure> {
        let high = self.sum(x, y)?;
        Ok(Pair { high, low: self.less(y, self.less(high, x)?)? })
    }

    fn product_pair(&self, x: Val<'c>, y: Val<'c>) -> Result<Pair<'c>, Failure> {
        let high = self.product(x, y)?;
        Ok(Pair { high, low: self.multiply_add(x, y, self.negative(high)?)? })
    }

    fn times(&self, x: Pair<'c>, y: Pair<'c>) -> Result<Pair<'c>, Failure> {
        let Pair { high, low } = self.product_pair(x.high, y.high)?;
        let low = self.multiply_add(x.low, y.high, low)?;
        Ok(Pair { high, low: self.multiply_add(x.high, y.low, low)? })
    }
}
