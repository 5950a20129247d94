//! Inverse circular functions, hyperbolic functions and their inverses, the complement of the error function and the cube root, on f32.
//!
//! Polynomials are those of Cephes (Moshier), whose file each constant names, the highest power first.

use super::{Failure, Math};
use layout_dialect::build::Val;
use melior::ir::ValueLike;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// (atan(x) - x) / x³ in x², for |x| up to the tangent of pi/8 (`atanf.c`).
const ATAN: [f64; 4] = [8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1];

/// The tangent of pi/8, above which an angle is taken from pi/4.
const TAN_PI_8: f64 = 0.414_213_562_373_095_03;

/// (asin(x) - x) / x³ in x², for |x| up to 1/2 (`asinf.c`).
const ASIN: [f64; 5] =
    [4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1];

/// (sinh(x) - x) / x³ in x², for |x| below 1 (`sinhf.c`).
const SINH: [f64; 3] = [2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1];

/// erfc(x) x exp(x²) in 1 / x², for x from 1 to 2, and from 2 on (`ndtrf.c`).
const ERFC_TO_2: [f64; 9] = [
    2.326819970068386e-2,
    -1.387039388740657e-1,
    3.687424674597105e-1,
    -5.824733027278666e-1,
    6.210004621745983e-1,
    -4.944515323274145e-1,
    3.404879937665872e-1,
    -2.741127028184656e-1,
    5.638259427386472e-1,
];
const ERFC_FROM_2: [f64; 8] = [
    -1.047766399936249e1,
    1.297719955372516e1,
    -7.495518717768503,
    2.921019019210786,
    -1.0152652792027,
    4.218463358204948e-1,
    -2.820767439740514e-1,
    5.641895067754075e-1,
];

/// From here on the square of a number, or 1 beside it, does not count in f32.
const LARGE: f64 = 1e8;

/// Below this, cubes of roots lose bits in f32; a scale that keeps them, and what it does to a cube root.
const SMALL: f64 = 1e-18;
const SCALE: f64 = (1_u64 << 48) as f64;
const SCALE_ROOT: f64 = 1.0 / (1_u64 << 16) as f64;

// Predicates of `arith.cmpf`.
const EQUAL: i64 = 1;
const GREATER: i64 = 2;

/// The slope of a point whose coordinates have any signs and sizes.
pub(super) struct Slope<'c> {
    /// The lesser size by the greater one, from 0 to 1; no number where one is none.
    pub(super) ratio: Val<'c>,
    /// Whether that is x by y.
    pub(super) is_steep: Val<'c>,
}

impl<'c> Math<'c> {
    /// The arc tangent, within 3 units.
    pub(super) fn atan(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let (size, one) = (self.size(x)?, self.constant(1.0)?);
        let is_steep = self.compare(GREATER, size, one)?;
        let slope = self.select(is_steep, self.divide(one, size)?, size)?;
        let angle = self.angle(slope)?;
        let rest = self.subtract(self.constant(FRAC_PI_2)?, angle)?;
        self.copy_sign(self.select(is_steep, rest, angle)?, x)
    }

    /// The angle of a point (x, y), within 4 units, with C's answers where a coordinate is 0 or infinite.
    pub(super) fn atan2(&self, y: Val<'c>, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let slope = self.slope(y, x)?;
        let angle = self.angle(slope.ratio)?;
        let rest = self.subtract(self.constant(FRAC_PI_2)?, angle)?;
        let angle = self.select(slope.is_steep, rest, angle)?;
        let supplement = self.subtract(self.constant(PI)?, angle)?;
        let angle = self.select(self.is_negative(x)?, supplement, angle)?;
        self.copy_sign(angle, y)
    }

    /// The slope of a point (x, y), of f32 or f64.
    pub(super) fn slope(&self, y: Val<'c>, x: Val<'c>) -> Result<Slope<'c>, Failure> {
        let b = &self.b;
        let (up, right) = (self.size(y)?, self.size(x)?);
        // Both are no number where one is none.
        let less = b.binary("arith.minimumf", up, right)?;
        let more = b.binary("arith.maximumf", up, right)?;
        let slope = self.divide(less, more)?;
        // 0 by 0 is 0, and infinity by infinity 1.
        let slope = self.select(self.compare(EQUAL, more, self.constant(0.0)?)?, more, slope)?;
        let is_diagonal = self.compare(EQUAL, less, self.constant(f64::INFINITY)?)?;
        let ratio = self.select(is_diagonal, self.constant(1.0)?, slope)?;
        Ok(Slope { ratio, is_steep: self.compare(GREATER, up, right)? })
    }

    /// The arc tangent of a slope from 0 to 1.
    fn angle(&self, slope: Val<'c>) -> Result<Val<'c>, Failure> {
        let one = self.constant(1.0)?;
        let is_far = self.compare(GREATER, slope, self.constant(TAN_PI_8)?)?;
        let turned = self.divide(self.subtract(slope, one)?, self.add(slope, one)?)?;
        let near = self.select(is_far, turned, slope)?;
        let angle = self.odd(&ATAN, near)?;
        let far = self.add(self.constant(FRAC_PI_4)?, angle)?;
        self.select(is_far, far, angle)
    }

    /// The arc sine, within 3 units; no number beyond 1.
    pub(super) fn asin(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let size = self.size(x)?;
        let small = self.odd(&ASIN, size)?;
        let large = self.subtract(self.constant(FRAC_PI_2)?, self.end_angle(size)?)?;
        self.copy_sign(self.select_below(size, 0.5, small, large)?, x)
    }

    /// The arc cosine, within 3 units; no number beyond 1.
    pub(super) fn acos(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let size = self.size(x)?;
        let near = self.subtract(self.constant(FRAC_PI_2)?, self.odd(&ASIN, x)?)?;
        let end = self.end_angle(size)?;
        let other_end = self.subtract(self.constant(PI)?, end)?;
        let far = self.select(self.is_negative(x)?, other_end, end)?;
        self.select_below(size, 0.5, near, far)
    }

    /// The arc cosine of a number from 1/2 to 1: twice the arc sine of the root of half of what it is below 1.
    fn end_angle(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let half = self.constant(0.5)?;
        let minus_half = self.constant(-0.5)?;
        let root = self.intrinsic("sqrt", &[self.multiply_add(x, minus_half, half)?])?;
        let angle = self.odd(&ASIN, root)?;
        self.add(angle, angle)
    }

    /// Within 8 + |x| units, as the exponential.
    pub(super) fn sinh(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let size = self.size(x)?;
        let small = self.odd(&SINH, x)?;
        let (large, rest) = self.exponentials(size)?;
        let large = self.copy_sign(self.subtract(large, rest)?, x)?;
        self.select_below(size, 1.0, small, large)
    }

    /// Within 8 + |x| units, as the exponential.
    pub(super) fn cosh(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let (large, rest) = self.exponentials(self.size(x)?)?;
        self.add(large, rest)
    }

    /// Halves of the exponentials of x and of -x: that of x is a product, which avoids overflow when 2·exp(x) is infinite.
    fn exponentials(&self, x: Val<'c>) -> Result<(Val<'c>, Val<'c>), Failure> {
        let half = self.constant(0.5)?;
        let root = self.exp(self.multiply(x, half)?)?;
        let large = self.multiply(self.multiply(root, half)?, root)?;
        Ok((large, self.divide(self.constant(0.25)?, large)?))
    }

    /// Within 6 units: `log1p(x + x² / (1 + sqrt(x² + 1)))`, and `log(x) + log(2)` for what is large.
    pub(super) fn asinh(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let (size, one) = (self.size(x)?, self.constant(1.0)?);
        let square = self.multiply(size, size)?;
        let root = self.intrinsic("sqrt", &[self.add(square, one)?])?;
        let part = self.divide(square, self.add(root, one)?)?;
        let small = self.log1p(self.add(size, part)?)?;
        let value = self.select_below(size, LARGE, small, self.log_of_twice(size)?)?;
        self.copy_sign(value, x)
    }

    /// Within 6 units: `log1p(t + sqrt(2 t + t²))` with t = x - 1, and `log(x) + log(2)` for what is large; no number below 1.
    pub(super) fn acosh(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let t = self.subtract(x, self.constant(1.0)?)?;
        let square = self.multiply_add(t, t, self.add(t, t)?)?;
        let small = self.log1p(self.add(t, self.intrinsic("sqrt", &[square])?)?)?;
        // Numbers far below -1 have a square as those above it.
        let none = self.constant(f64::NAN)?;
        let small = self.select_below(x, 1.0, none, small)?;
        self.select_below(x, LARGE, small, self.log_of_twice(x)?)
    }

    fn log_of_twice(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        self.add(self.log(x)?, self.constant(LN_2)?)
    }

    /// Within 6 units: `log1p(2 x / (1 - x)) / 2`; no number beyond 1.
    pub(super) fn atanh(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let size = self.size(x)?;
        let below = self.subtract(self.constant(1.0)?, size)?;
        let value = self.log1p(self.divide(self.add(size, size)?, below)?)?;
        self.copy_sign(self.multiply(value, self.constant(0.5)?)?, x)
    }

    /// Within 1 unit: the power 1/3, and a step of Newton's method. Small numbers are made larger before, so that a cube has all its bits.
    pub(super) fn cbrt(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let own = self.size(x)?;
        let larger = self.multiply(own, self.constant(SCALE)?)?;
        let size = self.select_below(own, SMALL, larger, own)?;
        let root = self.float_power(size, self.constant(1.0 / 3.0)?)?;
        let square = self.multiply(root, root)?;
        let minus = self.b.value("arith.negf", &[size], size.r#type(), &[])?;
        let error = self.multiply_add(square, root, minus)?;
        let step = self.divide(error, self.multiply(square, self.constant(3.0)?)?)?;
        let value = self.subtract(root, step)?;
        let smaller = self.multiply(value, self.constant(SCALE_ROOT)?)?;
        let value = self.select_below(own, SMALL, smaller, value)?;
        // 0 and infinity are their own roots.
        let is_finite = self.compare(GREATER, self.constant(f64::INFINITY)?, own)?;
        let is_more = self.compare(GREATER, own, self.constant(0.0)?)?;
        let has_step = self.b.binary("arith.andi", is_finite, is_more)?;
        self.copy_sign(self.select(has_step, value, own)?, x)
    }

    /// `1 - erf(x)` below 1, within 3 units of 1; a polynomial by `exp(-x²)` from there on, within 8 + 2 x² units.
    pub(super) fn erfc(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let one = self.constant(1.0)?;
        let small = self.subtract(one, self.erf(x)?)?;
        let q = self.divide(one, x)?;
        let square = self.multiply(q, q)?;
        let (near, far) =
            (self.polynomial(&ERFC_TO_2, square)?, self.polynomial(&ERFC_FROM_2, square)?);
        let p = self.select_below(x, 2.0, near, far)?;
        let minus = self.b.value("arith.negf", &[self.multiply(x, x)?], x.r#type(), &[])?;
        let large = self.multiply(self.multiply(self.exp(minus)?, q)?, p)?;
        let value = self.select_below(x, 1.0, small, large)?;
        // Infinity has a quotient of 0 by its own.
        let is_infinite = self.compare(EQUAL, x, self.constant(f64::INFINITY)?)?;
        self.select(is_infinite, self.constant(0.0)?, value)
    }

    /// `x + x³ p(x²)`.
    fn odd(&self, coefficients: &[f64], x: Val<'c>) -> Result<Val<'c>, Failure> {
        let square = self.multiply(x, x)?;
        let cube = self.multiply(square, x)?;
        self.multiply_add(self.polynomial(coefficients, square)?, cube, x)
    }

    fn size(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        self.intrinsic("fabs", &[x])
    }

    fn copy_sign(&self, size: Val<'c>, sign: Val<'c>) -> Result<Val<'c>, Failure> {
        self.intrinsic("copysign", &[size, sign])
    }

    fn add(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        Ok(self.b.binary("arith.addf", x, y)?)
    }

    fn subtract(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        Ok(self.b.binary("arith.subf", x, y)?)
    }

    fn multiply(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        Ok(self.b.binary("arith.mulf", x, y)?)
    }

    fn divide(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        Ok(self.b.binary("arith.divf", x, y)?)
    }
}
