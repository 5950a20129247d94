//! Logarithms, powers, and what comes of them: `log`, `log2`, `log10`, `log1p`, `expm1`, `powf`, `fpowi`, on f32; and C's rules for powers
//! of what is no finite positive number, on f64, too.
//!
//! A number is `m * 2^e` with m between the roots of 1/2 and 2, taken apart by its bits. Powers are computed in f64, since an error of the
//! logarithm grows by the exponent.

use super::{Failure, Math};
use layout_dialect::{
    build::{Val, operand},
    tree,
};
use melior::ir::{
    Type, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};
use std::f64::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E, SQRT_2};

/// (log(1 + f) - f + f²/2) / f³ in f, for 1 + f between the roots of 1/2 and 2, the highest power first (Cephes, `logf.c`).
const LOG: [f64; 9] = [
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
];

/// log(2), of which f32 has all bits, and what that leaves of it.
const LN_2_HEAD: f64 = 0.693359375;
const LN_2_REST: f64 = -2.12194440e-4;

/// The least normal number of f32, and a power of two that makes lesser ones normal.
const MIN_NORMAL_F32: f64 = 1.175_494_350_822_287_5e-38;
const SCALE: f64 = (1_u64 << 23) as f64;

/// Terms of log(m) = 2 (s + s³/3 + s⁵/5 + …) with s = (m - 1) / (m + 1), which is at most 0.172.
const LOG_TERMS: i32 = 9;

/// Terms of exp(r) = 1 + r + r²/2 + … for |r| up to log(2)/2.
const EXP_TERMS: i32 = 12;

/// Powers of e beyond this are infinite, or 0, in f32.
const GREATEST_EXPONENT: f64 = 150.0;

// Predicates of `arith.cmpf`.
const EQUAL: i64 = 1;
const GREATER: i64 = 2;
const LESS: i64 = 4;
const UNORDERED: i64 = 14;

/// m and e of `m * 2^e`, and m - 1.
struct Decomposition<'c> {
    /// m - 1.
    rest: Val<'c>,
    /// e, as a float.
    exponent: Val<'c>,
}

impl<'c> Math<'c> {
    /// Within 2 units.
    pub(super) fn log(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let parts = self.parts(x)?;
        let rest = self.log_of_rest(&parts)?;
        let rest = self.multiply_add(parts.exponent, self.constant(LN_2_REST)?, rest)?;
        let sum = self.b.binary("arith.addf", parts.rest, rest)?;
        let sum = self.multiply_add(parts.exponent, self.constant(LN_2_HEAD)?, sum)?;
        self.of_positive(x, sum)
    }

    /// Within 3 units: the logarithm to a base, of which `scale` is the logarithm of e, and `two` that of 2.
    fn log_to(&self, x: Val<'c>, scale: f64, two: f64) -> Result<Val<'c>, Failure> {
        let parts = self.parts(x)?;
        let log = self.b.binary("arith.addf", parts.rest, self.log_of_rest(&parts)?)?;
        // The rest of the scale in f32 counts where the exponent is 0.
        let head = f64::from(scale as f32);
        let low = self.b.binary("arith.mulf", log, self.constant(scale - head)?)?;
        let log = self.multiply_add(log, self.constant(head)?, low)?;
        let sum = self.multiply_add(parts.exponent, self.constant(two)?, log)?;
        self.of_positive(x, sum)
    }

    pub(super) fn log2(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        self.log_to(x, LOG2_E, 1.0)
    }

    pub(super) fn log10(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        self.log_to(x, LOG10_E, LOG10_2)
    }

    /// Within 4 units: `log(u) x / (u - 1)` with u = 1 + x as it is rounded (Kahan).
    pub(super) fn log1p(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let one = self.constant(1.0)?;
        let u = self.b.binary("arith.addf", x, one)?;
        let by = self.b.binary("arith.divf", x, self.b.binary("arith.subf", u, one)?)?;
        let value = self.b.binary("arith.mulf", self.log(u)?, by)?;
        let is_infinite = self.compare(EQUAL, u, self.constant(f64::INFINITY)?)?;
        let value = self.select(is_infinite, u, value)?;
        self.select(self.compare(EQUAL, u, one)?, x, value)
    }

    /// Within 8 + |x| units: `(u - 1) x / log(u)` with u = exp(x) as it is rounded (Kahan).
    pub(super) fn expm1(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let one = self.constant(1.0)?;
        let u = self.exp(x)?;
        let less = self.b.binary("arith.subf", u, one)?;
        let by = self.b.binary("arith.divf", x, self.log(u)?)?;
        let value = self.b.binary("arith.mulf", less, by)?;
        let minus_one = self.constant(-1.0)?;
        let value = self.select(self.compare(EQUAL, less, minus_one)?, less, value)?;
        let is_infinite = self.compare(EQUAL, u, self.constant(f64::INFINITY)?)?;
        let value = self.select(is_infinite, u, value)?;
        self.select(self.compare(EQUAL, u, one)?, x, value)
    }

    /// x to an integer: what is known to be 2 or 3 is a product.
    pub(super) fn integer_power(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        let known = tree::definition(y).and_then(|made| made.attribute("value").ok());
        let known = known.and_then(|value| IntegerAttribute::try_from(value).ok());
        let square = || self.b.binary("arith.mulf", x, x);
        match known.map(|value| value.value()) {
            Some(2) => Ok(square()?),
            Some(3) => Ok(self.b.binary("arith.mulf", square()?, x)?),
            _ => {
                let double = Type::float64(self.b.context());
                let y = self.b.value("arith.sitofp", &[y], double, &[])?;
                self.power(x, y)
            }
        }
    }

    /// x to a power that is f32 or f64, as x is.
    pub(super) fn float_power(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        let double = Type::float64(self.b.context());
        let y = match y.r#type() == double {
            true => y,
            false => self.b.value("arith.extf", &[y], double, &[])?,
        };
        self.power(x, y)
    }

    /// x to a power that is f64, as C's `pow`.
    fn power(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        let size = self.intrinsic("fabs", &[x])?;
        let value = match x.r#type() == y.r#type() {
            true => self.magnitude_double(size, y)?,
            false => self.magnitude(size, y)?,
        };
        self.power_of_all(x, y, size, value)
    }

    /// A positive number to a power that is f64, rounded to f32.
    fn magnitude(&self, size: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        let b = &self.b;
        let (single, double, word) = (size.r#type(), Type::float64(b.context()), b.integer(64));
        let number = |value: f64| -> Result<Val<'c>, Failure> { self.number(double, value) };
        let wide = b.value("arith.extf", &[size], double, &[])?;
        // m and e.
        const MANTISSA: i64 = 52;
        let root = i64::try_from((SQRT_2 / 2.0).to_bits()).unwrap_or(0);
        let (rest, exponent) = self.split(wide, word, root, MANTISSA)?;
        let rest = b.value("arith.bitcast", &[rest], double, &[])?;
        let exponent = b.value("arith.sitofp", &[exponent], double, &[])?;
        let one = number(1.0)?;
        let s = b.binary(
            "arith.divf",
            b.binary("arith.subf", rest, one)?,
            b.binary("arith.addf", rest, one)?,
        )?;
        let square = b.binary("arith.mulf", s, s)?;
        let mut log = number(0.0)?;
        for term in (0..LOG_TERMS).rev() {
            let coefficient = number(2.0 / f64::from(2 * term + 1))?;
            log = self.multiply_add_wide(log, square, coefficient)?;
        }
        let log = b.binary("arith.mulf", log, s)?;
        let log = self.multiply_add_wide(exponent, number(LN_2)?, log)?;
        // exp(y log x), where neither the integer nor the result leaves its type.
        let power = b.binary("arith.mulf", y, log)?;
        let is_none = self.compare(UNORDERED, power, power)?;
        let power = self.select(is_none, number(0.0)?, power)?;
        let most = number(GREATEST_EXPONENT)?;
        let power = self.select(self.compare(GREATER, power, most)?, most, power)?;
        let least = number(-GREATEST_EXPONENT)?;
        let power = self.select(self.compare(LESS, power, least)?, least, power)?;
        let twos = b.binary("arith.mulf", power, number(LOG2_E)?)?;
        let twos = self.named("llvm.roundeven.f64", &[twos], "none")?;
        let rest = self.multiply_add_wide(twos, number(-LN_2)?, power)?;
        let mut value = number(0.0)?;
        for term in (0..EXP_TERMS).rev() {
            let factorial: f64 = (1..=term).map(f64::from).product();
            value = self.multiply_add_wide(value, rest, number(1.0 / factorial)?)?;
        }
        let twos = b.value("arith.fptosi", &[twos], word, &[])?;
        const BIAS: i64 = 1023;
        let twos = b.binary("arith.addi", twos, b.constant(word, BIAS)?)?;
        let twos = b.binary("arith.shli", twos, b.constant(word, MANTISSA)?)?;
        let scale = b.value("arith.bitcast", &[twos], double, &[])?;
        let value = b.binary("arith.mulf", value, scale)?;
        Ok(b.value("arith.truncf", &[value], single, &[])?)
    }

    /// A power of which `value` is right where x is positive and finite: also of all else.
    fn power_of_all(
        &self,
        x: Val<'c>,
        y: Val<'c>,
        size: Val<'c>,
        value: Val<'c>,
    ) -> Result<Val<'c>, Failure> {
        let b = &self.b;
        let double = y.r#type();
        let number = |value: f64| -> Result<Val<'c>, Failure> { self.number(double, value) };
        // 0, 1 and infinity, of whichever sign.
        let (zero, infinity) = (self.constant(0.0)?, self.constant(f64::INFINITY)?);
        let grows = self.compare(GREATER, y, number(0.0)?)?;
        let at_zero = self.select(grows, zero, infinity)?;
        let at_infinity = self.select(grows, infinity, zero)?;
        let is_zero = self.compare(EQUAL, size, zero)?;
        let is_infinite = self.compare(EQUAL, size, infinity)?;
        let single_one = self.constant(1.0)?;
        let value = self.select(is_zero, at_zero, value)?;
        let value = self.select(is_infinite, at_infinity, value)?;
        let value = self.select(self.compare(EQUAL, size, single_one)?, single_one, value)?;
        // Negative numbers have powers that are integers.
        let whole = self.named("llvm.roundeven.f64", &[y], "none")?;
        let is_whole = self.compare(EQUAL, whole, y)?;
        let half = b.binary("arith.mulf", y, number(0.5)?)?;
        let half_whole = self.named("llvm.roundeven.f64", &[half], "none")?;
        const DIFFERENT: i64 = 6;
        let is_fraction = self.compare(DIFFERENT, half_whole, half)?;
        let is_odd = b.binary("arith.andi", is_whole, is_fraction)?;
        let minus = b.value("arith.negf", &[value], value.r#type(), &[])?;
        let signed = self.select(is_odd, minus, value)?;
        let edge = b.binary("arith.ori", is_zero, is_infinite)?;
        let has_one = b.binary("arith.ori", is_whole, edge)?;
        let none = self.constant(f64::NAN)?;
        let signed = self.select(has_one, signed, none)?;
        let value = self.select(self.is_negative(x)?, signed, value)?;
        // No number, but for its power 0, and for powers of 1.
        let unordered_x = self.compare(UNORDERED, x, x)?;
        let unordered_y = self.compare(UNORDERED, y, y)?;
        let value = self.select(b.binary("arith.ori", unordered_x, unordered_y)?, none, value)?;
        let is_one = self.compare(EQUAL, x, single_one)?;
        let is_constant = b.binary("arith.ori", is_one, self.compare(EQUAL, y, number(0.0)?)?)?;
        self.select(is_constant, single_one, value)
    }

    /// m - 1 and e of a positive number.
    fn parts(&self, x: Val<'c>) -> Result<Decomposition<'c>, Failure> {
        let b = &self.b;
        let (single, word) = (x.r#type(), b.integer(32));
        let is_small = self.compare(LESS, x, self.constant(MIN_NORMAL_F32)?)?;
        let scaled = b.binary("arith.mulf", x, self.constant(SCALE)?)?;
        let normal = self.select(is_small, scaled, x)?;
        const MANTISSA: i64 = 23;
        let root = i64::from(((SQRT_2 / 2.0) as f32).to_bits());
        let (mantissa, exponent) = self.split(normal, word, root, MANTISSA)?;
        let mantissa = b.value("arith.bitcast", &[mantissa], single, &[])?;
        let rest = b.binary("arith.subf", mantissa, self.constant(1.0)?)?;
        let exponent = b.value("arith.sitofp", &[exponent], single, &[])?;
        let lower = b.binary("arith.subf", exponent, self.constant(23.0)?)?;
        Ok(Decomposition { rest, exponent: self.select(is_small, lower, exponent)? })
    }

    /// The bits of m, which is at least the number that has the bits `root`, and e.
    pub(super) fn split(
        &self,
        x: Val<'c>,
        word: Type<'c>,
        root: i64,
        mantissa: i64,
    ) -> Result<(Val<'c>, Val<'c>), Failure> {
        let b = &self.b;
        let bits = b.value("arith.bitcast", &[x], word, &[])?;
        let above = b.binary("arith.subi", bits, b.constant(word, root)?)?;
        let width = b.constant(word, mantissa)?;
        let exponent = b.binary("arith.shrsi", above, width)?;
        let whole = b.binary("arith.shli", exponent, width)?;
        Ok((b.binary("arith.subi", bits, whole)?, exponent))
    }

    /// log(1 + f) - f.
    fn log_of_rest(&self, parts: &Decomposition<'c>) -> Result<Val<'c>, Failure> {
        let f = parts.rest;
        let square = self.b.binary("arith.mulf", f, f)?;
        let cube = self.b.binary("arith.mulf", square, f)?;
        let value = self.b.binary("arith.mulf", self.polynomial(&LOG, f)?, cube)?;
        self.multiply_add(square, self.constant(-0.5)?, value)
    }

    /// A logarithm of what is positive and finite; of 0 that is -∞, of less and of no number none.
    pub(super) fn of_positive(&self, x: Val<'c>, value: Val<'c>) -> Result<Val<'c>, Failure> {
        let (zero, infinity) = (self.constant(0.0)?, self.constant(f64::INFINITY)?);
        let is_zero = self.compare(EQUAL, x, zero)?;
        let other =
            self.select(is_zero, self.constant(f64::NEG_INFINITY)?, self.constant(f64::NAN)?)?;
        let value = self.select(self.compare(GREATER, x, zero)?, value, other)?;
        self.select(self.compare(EQUAL, x, infinity)?, x, value)
    }

    /// Whether the sign of an f32 or f64 is set: that of -0, too.
    pub(super) fn is_negative(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let b = &self.b;
        let word = b.integer(if x.r#type() == Type::float64(b.context()) { 64 } else { 32 });
        let bits = b.value("arith.bitcast", &[x], word, &[])?;
        const SIGNED_LESS: i64 = 2;
        let attributes = [("predicate", b.i64_attribute(SIGNED_LESS))];
        let zero = b.constant(word, 0)?;
        Ok(b.value("arith.cmpi", &[bits, zero], b.integer(1), &attributes)?)
    }

    fn multiply_add_wide(&self, x: Val<'c>, y: Val<'c>, z: Val<'c>) -> Result<Val<'c>, Failure> {
        self.named("llvm.fma.f64", &[x, y, z], "none")
    }

    fn number(&self, of: Type<'c>, value: f64) -> Result<Val<'c>, Failure> {
        let value = FloatAttribute::new(self.b.context(), of, value).into();
        Ok(self.b.value("arith.constant", &[], of, &[("value", value)])?)
    }

    pub(super) fn compare(
        &self,
        predicate: i64,
        x: Val<'c>,
        y: Val<'c>,
    ) -> Result<Val<'c>, Failure> {
        let attributes = [("predicate", self.b.i64_attribute(predicate))];
        Ok(self.b.value("arith.cmpf", &[x, y], self.b.integer(1), &attributes)?)
    }

    pub(super) fn select(
        &self,
        condition: Val<'c>,
        yes: Val<'c>,
        no: Val<'c>,
    ) -> Result<Val<'c>, Failure> {
        Ok(self.b.value("arith.select", &[condition, yes, no], yes.r#type(), &[])?)
    }

    /// The tangent, as the quotient of sine and cosine: within 4 units.
    pub(super) fn tan(&self) -> Result<Val<'c>, Failure> {
        let x = operand(self.operation, 0);
        let (sine, cosine) = (self.circular(x, false)?, self.circular(x, true)?);
        Ok(self.b.binary("arith.divf", sine, cosine)?)
    }
}
