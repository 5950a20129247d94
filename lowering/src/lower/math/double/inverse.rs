//! The tangent, inverse circular and hyperbolic functions, the cube root and the complement of the error function, on f64.
//!
//! Polynomials and ranges are fdlibm's (s_atan.c, e_asin.c, s_asinh.c, e_acosh.c, e_atanh.c, s_erf.c), the highest power first. The rounding error of a root
//! or a product is found by a fused multiplication, where fdlibm cuts numbers in halves.

use super::{
    ERF_1, ERF_NEAR_1, ERF_NEAR_1_BELOW, ERF_SMALL, ERF_SMALL_BELOW, ERFC_LARGE, ERFC_MIDDLE,
    ERFC_MIDDLE_BELOW, ERFC_SHIFT, GREATER, HALF_PI_REST, LESS, Made, Math, Ratio,
};
use layout_dialect::build::Val;
use melior::ir::ValueLike;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// (x - atan(x)) / x³ in x², for |x| below 7/16.
const ATAN: [f64; 11] = [
    0.016285820115365782,
    -0.036531572744216916,
    0.049768779946159324,
    -0.058335701337905735,
    0.06661073137387531,
    -0.0769187620504483,
    0.09090887133436507,
    -0.11111110405462356,
    0.14285714272503466,
    -0.19999999999876483,
    0.3333333333333293,
];

/// Where another angle is subtracted first, and that angle with what is left of it: the arc tangent of 1/2, and of 1.
const ATAN_NEAR_0: f64 = 7.0 / 16.0;
const ATAN_NEAR_HALF: f64 = 11.0 / 16.0;
const ATAN_HALF: [f64; 2] = [0.4636476090008061, 2.2698777452961687e-17];
const ATAN_1: [f64; 2] = [FRAC_PI_4, 3.061616997868383e-17];

/// (asin(x) - x) / x³ in x², up to 1/2.
const ASIN: Ratio = Ratio {
    above: &[
        3.479331075960212e-5,
        7.915349942898145e-4,
        -0.04005553450067941,
        0.20121253213486293,
        -0.3255658186224009,
        0.16666666666666666,
    ],
    below: &[0.07703815055590194, -0.6882839716054533, 2.0209457602335057, -2.403394911734414, 1.0],
};

/// From here on a square swallows the 1 beside it.
const LARGE: f64 = (1_u64 << 28) as f64;

/// A power of two that makes every positive number normal, and its cube root.
const LIFT: f64 = (1_u64 << 54) as f64;
const LIFT_ROOT: f64 = (1_u64 << 18) as f64;

/// From here on the complement of the error function is 0 in f64.
const ERFC_ABOVE: f64 = 28.0;

/// The bits of a number whose square has all its bits.
const HEAD: i64 = -1 << 32;

impl<'c> Math<'c> {
    pub(super) fn tan_double(&self, x: Val<'c>) -> Made<'c> {
        self.quotient(self.circular_double(x, false)?, self.circular_double(x, true)?)
    }

    pub(super) fn atan_double(&self, x: Val<'c>) -> Made<'c> {
        let (size, one) = (self.intrinsic("fabs", &[x])?, self.constant(1.0)?);
        let is_steep = self.compare(GREATER, size, one)?;
        let slope = self.select(is_steep, self.quotient(one, size)?, size)?;
        let angle = self.angle_double(slope)?;
        let angle = self.select(is_steep, self.rest_of(FRAC_PI_2, HALF_PI_REST, angle)?, angle)?;
        self.intrinsic("copysign", &[angle, x])
    }

    /// The angle of a point (x, y), with C's answers where a coordinate is 0 or infinite.
    pub(super) fn atan2_double(&self, y: Val<'c>, x: Val<'c>) -> Made<'c> {
        let slope = self.slope(y, x)?;
        let angle = self.angle_double(slope.ratio)?;
        let rest = self.rest_of(FRAC_PI_2, HALF_PI_REST, angle)?;
        let angle = self.select(slope.is_steep, rest, angle)?;
        let supplement = self.rest_of(PI, 2.0 * HALF_PI_REST, angle)?;
        let angle = self.select(self.is_negative(x)?, supplement, angle)?;
        self.intrinsic("copysign", &[angle, y])
    }

    /// A constant, with what f64 leaves of it, less an angle.
    fn rest_of(&self, whole: f64, low: f64, angle: Val<'c>) -> Made<'c> {
        self.less(self.constant(whole)?, self.less(angle, self.constant(low)?)?)
    }

    /// The arc tangent of a slope from 0 to 1.
    fn angle_double(&self, slope: Val<'c>) -> Made<'c> {
        let (one, two) = (self.constant(1.0)?, self.constant(2.0)?);
        let from_half =
            self.quotient(self.less(self.sum(slope, slope)?, one)?, self.sum(two, slope)?)?;
        let from_1 = self.quotient(self.less(slope, one)?, self.sum(slope, one)?)?;
        let turned = self.select_below(slope, ATAN_NEAR_HALF, from_half, from_1)?;
        let near = self.select_below(slope, ATAN_NEAR_0, slope, turned)?;
        let square = self.product(near, near)?;
        let lost = self.product(near, self.product(square, self.polynomial(&ATAN, square)?)?)?;
        let small = self.less(near, lost)?;
        let part = |own: [f64; 2]| -> Made<'c> {
            let lost = self.less(self.less(lost, self.constant(own[1])?)?, near)?;
            self.less(self.constant(own[0])?, lost)
        };
        let large = self.select_below(slope, ATAN_NEAR_HALF, part(ATAN_HALF)?, part(ATAN_1)?)?;
        self.select_below(slope, ATAN_NEAR_0, small, large)
    }

    /// `(asin(x) - x) / x` of the square of x.
    fn asin_rest(&self, square: Val<'c>) -> Made<'c> {
        self.product(square, self.of_ratio(&ASIN, square)?)
    }

    /// The root of half of what a size is below 1, what is left of that root, and the rest of its arc sine.
    fn half_chord(&self, size: Val<'c>) -> Result<(Val<'c>, Val<'c>), super::Failure> {
        let half = self.constant(0.5)?;
        let square = self.product(self.less(self.constant(1.0)?, size)?, half)?;
        let root = self.intrinsic("sqrt", &[square])?;
        let error = self.multiply_add(self.negative(root)?, root, square)?;
        let low = self.quotient(error, self.sum(root, root)?)?;
        // 0 has no quotient.
        let low = self.select(self.compare(GREATER, root, self.constant(0.0)?)?, low, error)?;
        let rest = self.asin_rest(square)?;
        Ok((root, self.multiply_add(root, rest, low)?))
    }

    /// No number beyond 1.
    pub(super) fn asin_double(&self, x: Val<'c>) -> Made<'c> {
        let size = self.intrinsic("fabs", &[x])?;
        let small = self.multiply_add(size, self.asin_rest(self.product(size, size)?)?, size)?;
        let (root, low) = self.half_chord(size)?;
        // pi/2 - 2 root, with what is lost.
        let (whole, twice) = (self.constant(FRAC_PI_2)?, self.sum(root, root)?);
        let near = self.less(whole, twice)?;
        let lost = self.less(self.less(whole, near)?, twice)?;
        let more = self.less(self.constant(HALF_PI_REST)?, self.sum(low, low)?)?;
        let large = self.sum(near, self.sum(lost, more)?)?;
        let value = self.select_below(size, 0.5, small, large)?;
        self.intrinsic("copysign", &[value, x])
    }

    /// No number beyond 1.
    pub(super) fn acos_double(&self, x: Val<'c>) -> Made<'c> {
        let size = self.intrinsic("fabs", &[x])?;
        let rest = self.product(x, self.asin_rest(self.product(x, x)?)?)?;
        let rest = self.less(x, self.less(self.constant(HALF_PI_REST)?, rest)?)?;
        let near = self.less(self.constant(FRAC_PI_2)?, rest)?;
        let (root, low) = self.half_chord(size)?;
        let end = self.sum(root, low)?;
        let end = self.sum(end, end)?;
        let angle = self.sum(root, self.less(low, self.constant(HALF_PI_REST)?)?)?;
        let other_end = self.less(self.constant(PI)?, self.sum(angle, angle)?)?;
        let far = self.select(self.is_negative(x)?, other_end, end)?;
        self.select_below(size, 0.5, near, far)
    }

    pub(super) fn asinh_double(&self, x: Val<'c>) -> Made<'c> {
        let (size, one) = (self.intrinsic("fabs", &[x])?, self.constant(1.0)?);
        let square = self.product(size, size)?;
        let root = self.intrinsic("sqrt", &[self.sum(square, one)?])?;
        let part = self.quotient(square, self.sum(root, one)?)?;
        let small = self.log1p_double(self.sum(size, part)?)?;
        let part = self.quotient(one, self.sum(root, size)?)?;
        let middle = self.log_double(self.multiply_add(self.constant(2.0)?, size, part)?)?;
        let large = self.log_of_twice_double(size)?;
        let value = self.select_below(size, LARGE, middle, large)?;
        let value = self.select_below(size, 2.0, small, value)?;
        self.intrinsic("copysign", &[value, x])
    }

    /// No number below 1.
    pub(super) fn acosh_double(&self, x: Val<'c>) -> Made<'c> {
        let (one, two) = (self.constant(1.0)?, self.constant(2.0)?);
        let t = self.less(x, one)?;
        let square = self.multiply_add(t, t, self.sum(t, t)?)?;
        let small = self.log1p_double(self.sum(t, self.intrinsic("sqrt", &[square])?)?)?;
        let root = self.intrinsic("sqrt", &[self.multiply_add(x, x, self.constant(-1.0)?)?])?;
        let part = self.quotient(one, self.sum(x, root)?)?;
        let middle = self.log_double(self.multiply_add(two, x, self.negative(part)?)?)?;
        let value = self.select_below(x, LARGE, middle, self.log_of_twice_double(x)?)?;
        let value = self.select_below(x, 2.0, small, value)?;
        self.select_below(x, 1.0, self.constant(f64::NAN)?, value)
    }

    fn log_of_twice_double(&self, x: Val<'c>) -> Made<'c> {
        self.sum(self.log_double(x)?, self.constant(LN_2)?)
    }

    /// No number beyond 1.
    pub(super) fn atanh_double(&self, x: Val<'c>) -> Made<'c> {
        let size = self.intrinsic("fabs", &[x])?;
        let below = self.less(self.constant(1.0)?, size)?;
        let twice = self.sum(size, size)?;
        let small = self.multiply_add(twice, self.quotient(size, below)?, twice)?;
        let of = self.select_below(size, 0.5, small, self.quotient(twice, below)?)?;
        let value = self.product(self.constant(0.5)?, self.log1p_double(of)?)?;
        self.intrinsic("copysign", &[value, x])
    }

    /// The exponential of a third of the logarithm, and a step of Newton's method.
    pub(super) fn cbrt_double(&self, x: Val<'c>) -> Made<'c> {
        let own = self.intrinsic("fabs", &[x])?;
        let lifted = self.product(own, self.constant(LIFT)?)?;
        let size = self.select_below(own, f64::MIN_POSITIVE, lifted, own)?;
        let third = self.quotient(self.log_double(size)?, self.constant(3.0)?)?;
        let root = self.exponential(third, 0)?;
        let square = self.product(root, root)?;
        let error = self.multiply_add(square, root, self.negative(size)?)?;
        let step = self.quotient(error, self.product(self.constant(3.0)?, square)?)?;
        let value = self.less(root, step)?;
        let lowered = self.product(value, self.constant(1.0 / LIFT_ROOT)?)?;
        let value = self.select_below(own, f64::MIN_POSITIVE, lowered, value)?;
        // 0 and infinity are their own roots.
        let is_finite = self.compare(LESS, own, self.constant(f64::INFINITY)?)?;
        let is_more = self.compare(GREATER, own, self.constant(0.0)?)?;
        let has_step = self.b.binary("arith.andi", is_finite, is_more)?;
        self.intrinsic("copysign", &[self.select(has_step, value, own)?, x])
    }

    pub(super) fn erfc_double(&self, x: Val<'c>) -> Made<'c> {
        let (b, word) = (&self.b, self.b.integer(64));
        let (half, one, two) = (self.constant(0.5)?, self.constant(1.0)?, self.constant(2.0)?);
        let size = self.intrinsic("fabs", &[x])?;
        // 1 - (x + x y), and 1/2 - (x - 1/2 + x y) where that has more bits.
        let part = self.product(x, self.of_ratio(&ERF_SMALL, self.product(x, x)?)?)?;
        let least = self.less(one, self.sum(x, part)?)?;
        let small = self.less(half, self.sum(part, self.less(x, half)?)?)?;
        let small = self.select_below(x, 0.25, least, small)?;
        let near = self.of_ratio(&ERF_NEAR_1, self.less(size, one)?)?;
        let right = self.less(self.constant(1.0 - ERF_1)?, near)?;
        let left = self.sum(one, self.sum(self.constant(ERF_1)?, near)?)?;
        let is_left = self.is_negative(x)?;
        let near = self.select(is_left, left, right)?;
        let most = self.clamped(size, [ERF_NEAR_1_BELOW, ERFC_ABOVE])?;
        let inverse = self.quotient(one, self.product(most, most)?)?;
        let [middle, large] = [&ERFC_MIDDLE, &ERFC_LARGE].map(|own| self.of_ratio(own, inverse));
        let rest = self.select_below(most, ERFC_MIDDLE_BELOW, middle?, large?)?;
        // x² = z² + (x - z) (x + z), of which z² has all its bits.
        let bits = b.value("arith.bitcast", &[most], word, &[])?;
        let bits = b.binary("arith.andi", bits, b.constant(word, HEAD)?)?;
        let z = b.value("arith.bitcast", &[bits], most.r#type(), &[])?;
        let first = self.less(self.constant(-ERFC_SHIFT)?, self.product(z, z)?)?;
        let more = self.multiply_add(self.less(z, most)?, self.sum(z, most)?, rest)?;
        let value = self.product(self.exponential(first, 0)?, self.exponential(more, 0)?)?;
        let value = self.quotient(value, most)?;
        let large = self.select(is_left, self.less(two, value)?, value)?;
        let value = self.select_below(size, ERF_NEAR_1_BELOW, near, large)?;
        self.select_below(size, ERF_SMALL_BELOW, small, value)
    }
}
