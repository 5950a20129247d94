//! Functions of f64, of which no chip has one as an instruction: exponentials, logarithms, hyperbolic functions, `erf`, `sin` and `cos` are
//! here, others in [`inverse`] and [`power`].
//!
//! The range is reduced as in Sun's fdlibm (e_exp.c, e_log.c, s_erf.c, k_sin.c, k_cos.c), whose polynomials these are, with fused
//! multiplications; what a reduction leaves past 53 bits is carried as a second number. Results are within 2 units of the last place,
//! which `test/Pipeline/math_f64.test` measures against libm.

mod inverse;
mod power;

use super::{ANGLE_BELOW, Failure, HALF_PI_REST, Math};
use layout_dialect::build::{Val, operand};
use melior::ir::ValueLike;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, SQRT_2};

// Predicates of `arith.cmpf`.
const EQUAL: i64 = 1;
const GREATER: i64 = 2;
const LESS: i64 = 4;

/// Added to a number below 2^51 in size, this leaves the nearest integer in the last bits.
const ROUNDS: f64 = 6755399441055744.0;

/// log(2) in 33 bits, and the rest of it; what is left of log(2) past f64.
const LN_2_HEAD: f64 = 0.6931471803691238;
const LN_2_TAIL: f64 = 1.9082149292705877e-10;
const LN_2_REST: f64 = 2.3190468138462996e-17;

/// 1/log(2), 1/log(10) and log10(2), each in 20 bits or so and the rest.
const LOG2_E_PARTS: [f64; 2] = [1.4426950407214463, 1.6751713164886512e-10];
const LOG10_E_PARTS: [f64; 2] = [0.4342944818781689, 2.5082946711645275e-11];
const LOG10_2_PARTS: [f64; 2] = [0.30102999566361177, 3.694239077158931e-13];

/// Terms of exp(r) = 1 + r + r²/2 + … for |r| up to log(2)/2: what is left of it is below 2^-57 of r.
const EXP_TERMS: i32 = 14;

/// From these on exponentials are infinite, or 0, and their exponents still words.
const EXP_ABOVE: f64 = 712.0;
const EXP_BELOW: f64 = -750.0;
const EXP2_ABOVE: f64 = 1026.0;
const EXP2_BELOW: f64 = -1100.0;

/// From here on one less is the same number.
const EXPM1_ABOVE: f64 = 40.0;

/// From here on tanh is 1 in f64.
const TANH_ABOVE: f64 = 22.0;

/// Below this size t / (t + 2) is the more accurate of the forms of tanh, with t = exp(2 x) - 1.
const TANH_BELOW: f64 = 0.5493061443340548;

/// (log(1 + f) - f + f²/2 - s f²/2) / s in s² with s = f / (2 + f), the highest power first.
const LOG: [f64; 7] = [
    0.14798198605116586,
    0.15313837699209373,
    0.1818357216161805,
    0.22222198432149784,
    0.2857142874366239,
    0.3999999999940942,
    0.6666666666666735,
];

/// Between these, 1 + x is between the roots of 1/2 and 2.
const LOG1P_NEAR: [f64; 2] = [SQRT_2 / 2.0 - 1.0, SQRT_2 - 1.0];

/// (sin(x) - x + x³/6) / x⁵ and (cos(x) - 1 + x²/2) / x⁴ in x², for |x| up to pi/4, the highest power first.
const SIN: [f64; 5] = [
    1.58969099521155e-10,
    -2.5050760253406863e-8,
    2.7557313707070068e-6,
    -0.0001984126982985795,
    0.00833333333332249,
];
const SIN_CUBE: f64 = -0.16666666666666632;
const COS: [f64; 6] = [
    -1.1359647557788195e-11,
    2.087572321298175e-9,
    -2.7557314351390663e-7,
    2.480158728947673e-5,
    -0.001388888888887411,
    0.0416666666666666,
];

/// The rest of pi/2 past two f64.
const HALF_PI_LAST: f64 = -1.4973849048591833e-33;

/// A quotient of polynomials, the highest power first.
struct Ratio {
    above: &'static [f64],
    below: &'static [f64],
}

/// erf(x) / x - 1 in x², up to 0.84375.
const ERF_SMALL: Ratio = Ratio {
    above: &[
        -2.3763016656650163e-5,
        -0.005770270296489442,
        -0.02848174957559851,
        -0.3250421072470015,
        0.12837916709551256,
    ],
    below: &[
        -3.960228278775368e-6,
        0.00013249473800432164,
        0.005081306281875766,
        0.0650222499887673,
        0.39791722395915535,
        1.0,
    ],
};
const ERF_SMALL_BELOW: f64 = 0.84375;

/// erf(x) less [`ERF_1`] in x - 1, up to 1.25.
const ERF_NEAR_1: Ratio = Ratio {
    above: &[
        -0.002166375594868791,
        0.035478304325618236,
        -0.11089469428239668,
        0.31834661990116175,
        -0.3722078760357013,
        0.41485611868374833,
        -0.0023621185607526594,
    ],
    below: &[
        0.011984499846799107,
        0.01363708391202905,
        0.12617121980876164,
        0.07182865441419627,
        0.540397917702171,
        0.10642088040084423,
        1.0,
    ],
};
const ERF_1: f64 = 0.8450629115104675;
const ERF_NEAR_1_BELOW: f64 = 1.25;

/// log(x (1 - erf(x))) + x² + 0.5625 in 1/x², up to 1/0.35 and from there on.
const ERFC_MIDDLE: Ratio = Ratio {
    above: &[
        -9.814329344169145,
        -81.2874355063066,
        -184.60509290671104,
        -162.39666946257347,
        -62.375332450326006,
        -10.558626225323291,
        -0.6938585727071818,
        -0.009864944034847148,
    ],
    below: &[
        -0.0604244152148581,
        6.570249770319282,
        108.63500554177944,
        429.00814002756783,
        645.3872717332679,
        434.56587747522923,
        137.65775414351904,
        19.651271667439257,
        1.0,
    ],
};
/// The logarithm of x (1 - erf(x)) is that of these, less this and x².
const ERFC_SHIFT: f64 = 0.5625;
const ERFC_MIDDLE_BELOW: f64 = 1.0 / 0.35;
const ERFC_LARGE: Ratio = Ratio {
    above: &[
        -483.5191916086514,
        -1025.0951316110772,
        -637.5664433683896,
        -160.63638485582192,
        -17.757954917754752,
        -0.799283237680523,
        -0.0098649429247001,
    ],
    below: &[
        -22.44095244658582,
        474.52854120695537,
        2553.0504064331644,
        3199.8582195085955,
        1536.729586084437,
        325.7925129965739,
        30.33806074348246,
        1.0,
    ],
};

/// From here on erf is 1 in f64.
const ERF_ABOVE: f64 = 6.0;

/// `2^count (1 + rest + low)`.
struct Power<'c> {
    count: Val<'c>,
    rest: Val<'c>,
    low: Val<'c>,
}

/// The parts of all logarithms of `m 2^e`: f = m - 1, and s, f²/2 and the rest of log(1 + f) / s.
struct Logarithm<'c> {
    exponent: Val<'c>,
    f: Val<'c>,
    s: Val<'c>,
    half_square: Val<'c>,
    rest: Val<'c>,
}

type Made<'c> = Result<Val<'c>, Failure>;

impl<'c> Math<'c> {
    /// A function of f64, or `None` for one that is not here.
    pub(super) fn double(&self, name: &str) -> Result<Option<Val<'c>>, Failure> {
        let x = operand(self.operation, 0);
        Ok(Some(match name {
            "acos" => self.acos_double(x)?,
            "acosh" => self.acosh_double(x)?,
            "asin" => self.asin_double(x)?,
            "asinh" => self.asinh_double(x)?,
            "atan" => self.atan_double(x)?,
            "atan2" => self.atan2_double(x, operand(self.operation, 1))?,
            "atanh" => self.atanh_double(x)?,
            "cbrt" => self.cbrt_double(x)?,
            "erfc" => self.erfc_double(x)?,
            "fpowi" => self.integer_power(x, operand(self.operation, 1))?,
            "powf" => self.float_power(x, operand(self.operation, 1))?,
            "tan" => self.tan_double(x)?,
            "exp" => self.exponential(x, 0)?,
            "exp2" => self.exp2_double(x)?,
            "expm1" => self.expm1_double(x)?,
            "log" => self.log_double(x)?,
            "log2" => self.log_to_double(x, LOG2_E_PARTS, [1.0, 0.0])?,
            "log10" => self.log_to_double(x, LOG10_E_PARTS, LOG10_2_PARTS)?,
            "log1p" => self.log1p_double(x)?,
            "tanh" => self.tanh_double(x)?,
            "sinh" => self.sinh_double(x)?,
            "cosh" => self.cosh_double(x)?,
            "erf" => self.erf_double(x)?,
            "sin" => self.circular_double(x, false)?,
            "cos" => self.circular_double(x, true)?,
            _ => return Ok(None),
        }))
    }

    fn sum(&self, x: Val<'c>, y: Val<'c>) -> Made<'c> {
        Ok(self.b.binary("arith.addf", x, y)?)
    }

    fn less(&self, x: Val<'c>, y: Val<'c>) -> Made<'c> {
        Ok(self.b.binary("arith.subf", x, y)?)
    }

    fn product(&self, x: Val<'c>, y: Val<'c>) -> Made<'c> {
        Ok(self.b.binary("arith.mulf", x, y)?)
    }

    fn quotient(&self, x: Val<'c>, y: Val<'c>) -> Made<'c> {
        Ok(self.b.binary("arith.divf", x, y)?)
    }

    /// `z - x y`, rounded once.
    fn less_product(&self, z: Val<'c>, x: Val<'c>, y: f64) -> Made<'c> {
        self.multiply_add(x, self.constant(-y)?, z)
    }

    /// A number in a range; what is none stays so.
    fn clamped(&self, x: Val<'c>, [least, greatest]: [f64; 2]) -> Made<'c> {
        let (least, greatest) = (self.constant(least)?, self.constant(greatest)?);
        let x = self.select(self.compare(GREATER, x, greatest)?, greatest, x)?;
        self.select(self.compare(LESS, x, least)?, least, x)
    }

    /// The integer next to `x y`, as a float and as a word; no number is any word.
    fn rounded(&self, x: Val<'c>, y: f64) -> Result<(Val<'c>, Val<'c>), Failure> {
        let (b, word) = (&self.b, self.b.integer(64));
        let moved = self.multiply_add(x, self.constant(y)?, self.constant(ROUNDS)?)?;
        let whole = self.less(moved, self.constant(ROUNDS)?)?;
        let bits = b.value("arith.bitcast", &[moved], word, &[])?;
        let first = b.constant(word, ROUNDS.to_bits().cast_signed())?;
        Ok((whole, b.binary("arith.subi", bits, first)?))
    }

    /// e to a number between [`EXP_BELOW`] and [`EXP_ABOVE`].
    fn reduced(&self, x: Val<'c>) -> Result<Power<'c>, Failure> {
        let (whole, count) = self.rounded(x, LOG2_E)?;
        // This product has all its bits.
        let near = self.less_product(x, whole, LN_2_HEAD)?;
        let rest = self.less_product(near, whole, LN_2_TAIL)?;
        let low = self.less_product(self.less(near, rest)?, whole, LN_2_TAIL)?;
        Ok(Power { count, rest, low })
    }

    /// exp(rest + low) - 1.
    fn grown(&self, power: &Power<'c>) -> Made<'c> {
        let mut factorial = 1.0;
        let mut terms = vec![];
        for n in 2..=EXP_TERMS {
            factorial *= f64::from(n);
            terms.push(1.0 / factorial);
        }
        terms.reverse();
        let square = self.product(power.rest, power.rest)?;
        let more = self.multiply_add(self.polynomial(&terms, power.rest)?, square, power.low)?;
        self.sum(power.rest, more)
    }

    /// A number times a power of two that may be less than all f64, or more.
    fn scaled(&self, x: Val<'c>, count: Val<'c>) -> Made<'c> {
        let (b, word) = (&self.b, self.b.integer(64));
        let half = b.binary("arith.shrsi", count, b.constant(word, 1)?)?;
        let other = b.binary("arith.subi", count, half)?;
        self.product(self.product(x, self.two_to(half)?)?, self.two_to(other)?)
    }

    /// 2 to an integer that is an exponent.
    fn two_to(&self, count: Val<'c>) -> Made<'c> {
        const BIAS: i64 = 1023;
        const MANTISSA: i64 = 52;
        let (b, word) = (&self.b, self.b.integer(64));
        let moved = b.binary("arith.addi", count, b.constant(word, BIAS)?)?;
        let bits = b.binary("arith.shli", moved, b.constant(word, MANTISSA)?)?;
        let double = self.constant(0.0)?.r#type();
        Ok(b.value("arith.bitcast", &[bits], double, &[])?)
    }

    /// exp(x) times a power of two.
    fn exponential(&self, x: Val<'c>, more: i64) -> Made<'c> {
        let power = self.reduced(self.clamped(x, [EXP_BELOW, EXP_ABOVE])?)?;
        let value = self.sum(self.constant(1.0)?, self.grown(&power)?)?;
        let more = self.b.constant(self.b.integer(64), more)?;
        self.scaled(value, self.b.binary("arith.addi", power.count, more)?)
    }

    fn exp2_double(&self, x: Val<'c>) -> Made<'c> {
        let x = self.clamped(x, [EXP2_BELOW, EXP2_ABOVE])?;
        let (whole, count) = self.rounded(x, 1.0)?;
        let part = self.less(x, whole)?;
        let rest = self.product(part, self.constant(LN_2)?)?;
        let low = self.multiply_add(part, self.constant(LN_2)?, self.negative(rest)?)?;
        let low = self.multiply_add(part, self.constant(LN_2_REST)?, low)?;
        let value = self.grown(&Power { count, rest, low })?;
        self.scaled(self.sum(self.constant(1.0)?, value)?, count)
    }

    fn expm1_double(&self, x: Val<'c>) -> Made<'c> {
        let one = self.constant(1.0)?;
        let power = self.reduced(self.clamped(x, [-EXPM1_ABOVE, EXPM1_ABOVE])?)?;
        let scale = self.two_to(power.count)?;
        let value = self.multiply_add(scale, self.grown(&power)?, self.less(scale, one)?)?;
        // 0 keeps its sign.
        let zero = self.constant(0.0)?;
        let value = self.select(self.compare(EQUAL, x, zero)?, x, value)?;
        let large = self.exponential(x, 0)?;
        let above = self.compare(GREATER, x, self.constant(EXPM1_ABOVE)?)?;
        self.select(above, large, value)
    }

    fn negative(&self, x: Val<'c>) -> Made<'c> {
        Ok(self.b.value("arith.negf", &[x], x.r#type(), &[])?)
    }

    /// m - 1 and e of a positive number `m 2^e`, with m between the roots of 1/2 and 2.
    fn mantissa(&self, x: Val<'c>) -> Result<(Val<'c>, Val<'c>), Failure> {
        const MANTISSA: i64 = 52;
        const LIFT: i64 = 54;
        let (b, word) = (&self.b, self.b.integer(64));
        let is_small = self.compare(LESS, x, self.constant(f64::MIN_POSITIVE)?)?;
        let lifted = self.product(x, self.constant((1_u64 << LIFT) as f64)?)?;
        let normal = self.select(is_small, lifted, x)?;
        let root = (SQRT_2 / 2.0).to_bits().cast_signed();
        let (mantissa, count) = self.split(normal, word, root, MANTISSA)?;
        let lower = b.binary("arith.subi", count, b.constant(word, LIFT)?)?;
        let count = self.select(is_small, lower, count)?;
        let mantissa = b.value("arith.bitcast", &[mantissa], x.r#type(), &[])?;
        let rest = self.less(mantissa, self.constant(1.0)?)?;
        Ok((rest, b.value("arith.sitofp", &[count], x.r#type(), &[])?))
    }

    fn logarithm(&self, f: Val<'c>, exponent: Val<'c>) -> Result<Logarithm<'c>, Failure> {
        let s = self.quotient(f, self.sum(self.constant(2.0)?, f)?)?;
        let square = self.product(s, s)?;
        let rest = self.product(square, self.polynomial(&LOG, square)?)?;
        let half_square = self.product(self.constant(0.5)?, self.product(f, f)?)?;
        Ok(Logarithm { exponent, f, s, half_square, rest })
    }

    /// log(1 + f) + e log(2), with what is to be added to it.
    fn log_sum(&self, own: &Logarithm<'c>, low: Val<'c>) -> Made<'c> {
        let low = self.multiply_add(own.exponent, self.constant(LN_2_TAIL)?, low)?;
        let part = self.multiply_add(own.s, self.sum(own.half_square, own.rest)?, low)?;
        let sum = self.sum(self.less(part, own.half_square)?, own.f)?;
        self.multiply_add(own.exponent, self.constant(LN_2_HEAD)?, sum)
    }

    fn log_double(&self, x: Val<'c>) -> Made<'c> {
        let (f, exponent) = self.mantissa(x)?;
        let value = self.log_sum(&self.logarithm(f, exponent)?, self.constant(0.0)?)?;
        self.of_positive(x, value)
    }

    fn log1p_double(&self, x: Val<'c>) -> Made<'c> {
        let (zero, one) = (self.constant(0.0)?, self.constant(1.0)?);
        let whole = self.sum(one, x)?;
        let (f, exponent) = self.mantissa(whole)?;
        // The part of x, or of 1, that the sum leaves out.
        let is_large = self.compare(GREATER, x, one)?;
        let left = self.select(
            is_large,
            self.less(one, self.less(whole, x)?)?,
            self.less(x, self.less(whole, one)?)?,
        )?;
        let low = self.quotient(left, whole)?;
        let [least, greatest] = LOG1P_NEAR;
        let is_above = self.compare(GREATER, x, self.constant(least)?)?;
        let is_below = self.compare(LESS, x, self.constant(greatest)?)?;
        let is_near = self.b.binary("arith.andi", is_above, is_below)?;
        let f = self.select(is_near, x, f)?;
        let exponent = self.select(is_near, zero, exponent)?;
        let low = self.select(is_near, zero, low)?;
        let value = self.log_sum(&self.logarithm(f, exponent)?, low)?;
        let value = self.select(self.compare(EQUAL, x, zero)?, x, value)?;
        self.of_positive(whole, value)
    }

    /// The logarithm to a base, of which these are the parts of the logarithms of e and of 2.
    fn log_to_double(&self, x: Val<'c>, e: [f64; 2], two: [f64; 2]) -> Made<'c> {
        const HEAD: i64 = -1 << 32;
        let (b, word) = (&self.b, self.b.integer(64));
        let (f, exponent) = self.mantissa(x)?;
        let own = self.logarithm(f, exponent)?;
        let whole = self.less(own.f, own.half_square)?;
        let bits = b.value("arith.bitcast", &[whole], word, &[])?;
        let bits = b.binary("arith.andi", bits, b.constant(word, HEAD)?)?;
        let head = b.value("arith.bitcast", &[bits], x.r#type(), &[])?;
        let low = self.less(self.less(own.f, head)?, own.half_square)?;
        let low = self.multiply_add(own.s, self.sum(own.half_square, own.rest)?, low)?;
        let [large, small] = [e[0], e[1]].map(|part| self.constant(part));
        let (large, small) = (large?, small?);
        let first = self.product(head, large)?;
        let rest = self.product(self.sum(low, head)?, small)?;
        let rest = self.multiply_add(low, large, rest)?;
        let rest = self.multiply_add(own.exponent, self.constant(two[1])?, rest)?;
        let above = self.product(own.exponent, self.constant(two[0])?)?;
        let sum = self.sum(above, first)?;
        let lost = self.sum(self.less(above, sum)?, first)?;
        self.of_positive(x, self.sum(self.sum(rest, lost)?, sum)?)
    }

    fn tanh_double(&self, x: Val<'c>) -> Made<'c> {
        let size = self.intrinsic("fabs", &[x])?;
        let most = self.clamped(size, [0.0, TANH_ABOVE])?;
        let (one, two) = (self.constant(1.0)?, self.constant(2.0)?);
        let t = self.expm1_double(self.sum(most, most)?)?;
        let more = self.sum(t, two)?;
        let small = self.quotient(t, more)?;
        let large = self.less(one, self.quotient(two, more)?)?;
        let value = self.select_below(size, TANH_BELOW, small, large)?;
        self.intrinsic("copysign", &[value, x])
    }

    fn sinh_double(&self, x: Val<'c>) -> Made<'c> {
        let size = self.intrinsic("fabs", &[x])?;
        let t = self.expm1_double(self.clamped(size, [0.0, 1.0])?)?;
        let more = self.sum(t, self.quotient(t, self.sum(t, self.constant(1.0)?)?)?)?;
        let small = self.product(self.constant(0.5)?, more)?;
        let half = self.exponential(size, -1)?;
        let large = self.less(half, self.quotient(self.constant(0.25)?, half)?)?;
        let value = self.select_below(size, 1.0, small, large)?;
        self.intrinsic("copysign", &[value, x])
    }

    fn cosh_double(&self, x: Val<'c>) -> Made<'c> {
        let half = self.exponential(self.intrinsic("fabs", &[x])?, -1)?;
        self.sum(half, self.quotient(self.constant(0.25)?, half)?)
    }

    fn of_ratio(&self, ratio: &Ratio, x: Val<'c>) -> Made<'c> {
        self.quotient(self.polynomial(ratio.above, x)?, self.polynomial(ratio.below, x)?)
    }

    fn erf_double(&self, x: Val<'c>) -> Made<'c> {
        let one = self.constant(1.0)?;
        let size = self.intrinsic("fabs", &[x])?;
        let square = self.product(x, x)?;
        let small = self.multiply_add(size, self.of_ratio(&ERF_SMALL, square)?, size)?;
        let near = self.of_ratio(&ERF_NEAR_1, self.less(size, one)?)?;
        let near = self.sum(self.constant(ERF_1)?, near)?;
        let most = self.clamped(size, [ERF_NEAR_1_BELOW, ERF_ABOVE])?;
        let square = self.product(most, most)?;
        let inverse = self.quotient(one, square)?;
        let [middle, large] = [&ERFC_MIDDLE, &ERFC_LARGE].map(|own| self.of_ratio(own, inverse));
        let rest = self.select_below(most, ERFC_MIDDLE_BELOW, middle?, large?)?;
        let power = self.less(self.less(rest, self.constant(ERFC_SHIFT)?)?, square)?;
        let rest = self.quotient(self.exponential(power, 0)?, most)?;
        let large = self.less(one, rest)?;
        let value = self.select_below(size, ERF_NEAR_1_BELOW, near, large)?;
        let value = self.select_below(size, ERF_SMALL_BELOW, small, value)?;
        self.intrinsic("copysign", &[value, x])
    }

    /// The sine or cosine; no number for angles from [`ANGLE_BELOW`] on, and for those that are none.
    fn circular_double(&self, x: Val<'c>, cosine: bool) -> Made<'c> {
        let (b, word) = (&self.b, self.b.integer(64));
        let (one, half) = (self.constant(1.0)?, self.constant(0.5)?);
        let size = self.intrinsic("fabs", &[x])?;
        let is_known = self.compare(LESS, size, self.constant(ANGLE_BELOW)?)?;
        let angle = self.select(is_known, x, self.constant(0.0)?)?;
        let (quarters, count) = self.rounded(angle, FRAC_2_PI)?;
        // 2/pi is not exact enough for many quarters: one more or less may be nearer.
        let near = self.less_product(angle, quarters, FRAC_PI_2)?;
        let near = self.less_product(near, quarters, HALF_PI_REST)?;
        let (more, next) = self.rounded(near, FRAC_2_PI)?;
        let quarters = self.sum(quarters, more)?;
        let mut count = b.binary("arith.addi", count, next)?;
        // Both are multiples of one unit, so that this difference has all its bits.
        let near = self.less_product(angle, quarters, FRAC_PI_2)?;
        // Near a quarter the next product is larger than what is left: its bits and those of the difference are kept.
        let by = self.constant(HALF_PI_REST)?;
        let product = self.product(quarters, by)?;
        let left = self.multiply_add(quarters, by, self.negative(product)?)?;
        let first = self.less(near, product)?;
        let back = self.less(first, near)?;
        let lost = self.less(near, self.less(first, back)?)?;
        let lost = self.less(lost, self.sum(product, back)?)?;
        let more = self.less_product(self.less(lost, left)?, quarters, HALF_PI_LAST)?;
        let rest = self.sum(first, more)?;
        let low = self.sum(self.less(first, rest)?, more)?;
        let square = self.product(rest, rest)?;
        let cube = self.product(square, rest)?;
        // rest - ((square (low/2 - cube p) - low) - cube c)
        let p = self.polynomial(&SIN, square)?;
        let more = self.less(self.product(half, low)?, self.product(cube, p)?)?;
        let more = self.less(self.product(square, more)?, low)?;
        let more = self.less_product(more, cube, SIN_CUBE)?;
        let sine = self.less(rest, more)?;
        // (1 - square/2) + (((1 - (1 - square/2)) - square/2) + (square² p - rest low))
        let p = self.product(square, self.polynomial(&COS, square)?)?;
        let half_square = self.product(half, square)?;
        let whole = self.less(one, half_square)?;
        let lost = self.less(self.less(one, whole)?, half_square)?;
        let more = self.less(self.product(square, p)?, self.product(rest, low)?)?;
        let other = self.sum(whole, self.sum(lost, more)?)?;
        // Each quarter continues to the next of sin, cos, -sin, -cos.
        if cosine {
            count = b.binary("arith.addi", count, b.constant(word, 1)?)?;
        }
        let bit = |mask: i64| -> Made<'c> {
            const DIFFERENT: i64 = 1;
            let bit = b.binary("arith.andi", count, b.constant(word, mask)?)?;
            let attributes = [("predicate", b.i64_attribute(DIFFERENT))];
            Ok(b.value("arith.cmpi", &[bit, b.constant(word, 0)?], b.integer(1), &attributes)?)
        };
        let value = self.select(bit(1)?, other, sine)?;
        let value = self.select(bit(2)?, self.negative(value)?, value)?;
        // -0 is its own sine.
        let value = match cosine {
            true => value,
            false => self.select(self.compare(EQUAL, x, self.constant(0.0)?)?, x, value)?,
        };
        self.select(is_known, value, self.constant(f64::NAN)?)
    }
}
