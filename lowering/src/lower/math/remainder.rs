//! The remainder of a division, as C's `fmod` has it: exact, with the sign of the dividend.

use super::Math;
use crate::lower::Failure;
use layout_dialect::build::{Builder, Val, result};
use melior::ir::{Type, ValueLike, attribute::FloatAttribute};

/// `arith.cmpf oeq`, `oge`, `olt` and `one`.
const EQUAL: i64 = 1;
const AT_LEAST: i64 = 3;
const LESS: i64 = 4;
const DIFFERENT: i64 = 6;

/// The bits of an f64's significand past those that an f32's has.
const BELOW_SINGLE: i64 = (1 << 29) - 1;

/// The root of the least f64's inverse: a quotient of two f64 is less than its fourth power, and a divisor times its square at least 1.
const STEP: f64 = f64::from_bits((537 + 1023) << 52);

impl<'c> Math<'c> {
    /// `x` without as many `y` as fit.
    ///
    /// A quotient in f64 that is cut to 24 bits is a multiple of some unit, and so is what its product with `y` leaves of `x`: less than 2^53
    /// of those by `y`'s last bit, which f64 has, and at most 2^-22 of `x`. Rounds of this continue until that is less than `y`; a quotient that
    /// was rounded up leaves it less than 0, and it gets one `y` back at the end. Where the quotient is infinite, which it is only in f64, a
    /// round takes `y` times a power of two.
    pub(super) fn remainder(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        let b = &self.b;
        let (own, double) = (x.r#type(), Type::float64(b.context()));
        let is_double = own == double;
        let wide = |value: Val<'c>| match is_double {
            true => Ok(value),
            false => b.value("arith.extf", &[value], double, &[]),
        };
        let (x, y) = (wide(x)?, wide(y)?);
        let size =
            |b: &Builder<'c>, value: Val<'c>| self.on(b).named("llvm.fabs.f64", &[value], "none");
        let number = |b: &Builder<'c>, value: f64| {
            let value = FloatAttribute::new(b.context(), double, value).into();
            b.value("arith.constant", &[], double, &[("value", value)])
        };
        let compare = |b: &Builder<'c>, predicate: i64, x: Val<'c>, y: Val<'c>| {
            let attributes = [("predicate", b.i64_attribute(predicate))];
            b.value("arith.cmpf", &[x, y], b.integer(1), &attributes)
        };
        let choose = |b: &Builder<'c>, condition: Val<'c>, x: Val<'c>, y: Val<'c>| {
            b.value("arith.select", &[condition, x, y], x.r#type(), &[])
        };
        let (zero, divisor) = (number(b, 0.0)?, size(b, y)?);
        // Infinite dividends and divisors of 0 have no remainder.
        let is_finite = compare(b, LESS, size(b, x)?, number(b, f64::INFINITY)?)?;
        let is_divisor = compare(b, DIFFERENT, divisor, zero)?;
        let has_one = b.binary("arith.andi", is_finite, is_divisor)?;
        let first = choose(b, has_one, x, zero)?;
        let (before, inner) = b.region_with(&[double]);
        let rest = inner.argument(0);
        let goes_on = compare(&inner, AT_LEAST, size(&inner, rest)?, divisor)?;
        inner.operation("scf.condition", &[goes_on, rest], &[], &[], vec![])?;
        let (body, inner) = b.region_with(&[double]);
        let (rest, word) = (inner.argument(0), inner.integer(64));
        let mut by = y;
        let mut quotient = inner.binary("arith.divf", rest, y)?;
        for _ in 0..if is_double { 2 } else { 0 } {
            let size = size(&inner, quotient)?;
            let is_infinite = compare(&inner, EQUAL, size, number(&inner, f64::INFINITY)?)?;
            let larger = inner.binary("arith.mulf", by, number(&inner, STEP)?)?;
            by = choose(&inner, is_infinite, larger, by)?;
            quotient = inner.binary("arith.divf", rest, by)?;
        }
        let bits = inner.value("arith.bitcast", &[quotient], word, &[])?;
        let bits = inner.binary("arith.andi", bits, inner.constant(word, !BELOW_SINGLE)?)?;
        let cut = inner.value("arith.bitcast", &[bits], double, &[])?;
        // A quotient of less than 24 bits has a fraction, too.
        let whole = self.on(&inner).named("llvm.trunc.f64", &[cut], "none")?;
        let minus = inner.value("arith.negf", &[whole], double, &[])?;
        let next = self.on(&inner).named("llvm.fma.f64", &[minus, by, rest], "none")?;
        inner.operation("scf.yield", &[next], &[], &[], vec![])?;
        let made = b.operation("scf.while", &[first], &[double], &[], vec![before, body])?;
        let rest = result(made, 0);
        // The sign of what is left is that of the dividend.
        let sign = self.named("llvm.copysign.f64", &[size(b, rest)?, x], "none")?;
        let is_other = compare(b, DIFFERENT, rest, sign)?;
        let back = self.named("llvm.copysign.f64", &[divisor, x], "none")?;
        let back = b.binary("arith.addf", rest, back)?;
        let value = choose(b, is_other, back, sign)?;
        let value = choose(b, has_one, value, number(b, f64::NAN)?)?;
        match is_double {
            true => Ok(value),
            false => Ok(b.value("arith.truncf", &[value], own, &[])?),
        }
    }

    /// The same operation, built elsewhere.
    fn on(&self, b: &Builder<'c>) -> Self {
        Self { b: *b, target: self.target, operation: self.operation }
    }
}
