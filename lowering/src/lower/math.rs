//! Functions of `math`, and operations of `arith`, that neither target has as an instruction or a library's call: on f32, on f16 and bf16 by
//! way of it, on f64 ([`double`]), and on integers.
//!
//! The pass leaves `arith`, and LLVM's intrinsics for the square root, the absolute value,
//! the fused multiplication and the power of two, which PTX has as instructions. Errors are given in
//! units of f32's precision, 2^-24 of a result near 1; constants are those of minimax polynomials
//! that the literature gives.

mod double;
mod gelu;
mod inverse;
mod power;
mod remainder;

use super::{Failure, Target, copy::parse};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    OperationRef, Type, TypeLike, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// log2(e).
const LOG2_E: f64 = std::f64::consts::LOG2_E;

/// erf(x) / x in x², for |x| below 1, the highest power first (Moshier's Cephes, `ndtrf.c`).
const ERF: [f64; 7] = [
    7.853861353153693e-5,
    -8.010193625184903e-4,
    5.188327685732524e-3,
    -2.685381193529856e-2,
    1.128358514861418e-1,
    -3.761_262_582_423_3e-1,
    1.128_379_165_726_71,
];

/// log2(1 - erf(x)) / x, the highest power first, for x from 1 on: the minimax polynomial (Remez) on the range to 4 for the absolute
/// error of 1 - erf(x), 4.0e-10. Beyond 4, where 1 - erf(x) is below 1.6e-8, it falls without end.
const LOG_ERFC: [f64; 7] = [
    -1.997065539594e-5,
    5.039474845847e-4,
    -5.412824295252e-3,
    3.462084079328e-2,
    -1.536685388426e-1,
    -9.160824474296e-1,
    -1.62835770424,
];

/// (tanh(x) - x) / x³ in x², for |x| below 0.625, the highest power first (Cephes, `tanhf.c`).
const TANH: [f64; 5] =
    [-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1];

/// Up to where [`TANH`] is right.
const TANH_BELOW: f64 = 0.625;

/// From here on tanh is 1 in f32, and its exponential is still a number.
const TANH_SATURATION: f64 = 10.0;

/// (sin(x) - x) / x³ in x², and (cos(x) - 1 + x²/2) / x⁴ in x², for |x| up to pi/4, the highest power first (Cephes,
/// `sinf.c`).
const SIN: [f64; 3] = [-1.951_529_589_1e-4, 8.332_160_873_6e-3, -1.666_665_461_1e-1];
const COS: [f64; 3] =
    [2.443_315_711_809_948e-5, -1.388_731_625_493_765e-3, 4.166_664_568_298_827e-2];

/// The rest of pi/2 past f64.
const HALF_PI_REST: f64 = 6.123_233_995_736_766e-17;

/// Up to here f64 determines how many times pi/2 is in an angle, and what is left of it.
const ANGLE_BELOW: f64 = (1_u64 << 50) as f64;

/// The least normal number of f16.
const MIN_NORMAL_F16: f64 = 6.103_515_625e-5;

/// Lowers the functions of `math` on floats below `function`.
pub(super) fn lower<'c>(
    function: OperationRef<'c, 'c>,
    target: Target,
) -> Result<(), (OperationRef<'c, 'c>, Failure)> {
    for sum in tree::inside(function, "arith.addf") {
        gelu::lower(sum, target).map_err(|failure| (sum, failure))?;
    }
    for operation in tree::all(function) {
        let name = tree::name(operation);
        of_arith(operation, &name, target).map_err(|failure| (operation, failure))?;
        let Some(name) = name.strip_prefix("math.") else { continue };
        if operation.result_count() != 1 {
            continue;
        }
        let math = Math { b: Builder::before(operation), target, operation };
        let value = match first_result(operation).r#type().to_string().as_str() {
            "f32" => math.value(name),
            "f64" => math.exact(name),
            "i1" => math.class(name),
            "f16" | "bf16" => {
                widen(operation, name, target).map_err(|failure| (operation, failure))?;
                continue;
            }
            "index" | "i8" | "i16" | "i32" | "i64" => math.integer(name),
            _ => continue,
        };
        let value = value.map_err(|failure| (operation, failure))?;
        if let Some(value) = value {
            tree::replace_uses(first_result(operation), value);
            tree::erase(operation);
        }
    }
    Ok(())
}

/// Operations of `arith` on floats for which upstream's conversion calls a library that no kernel has.
fn of_arith<'c>(
    operation: OperationRef<'c, 'c>,
    name: &str,
    target: Target,
) -> Result<(), Failure> {
    let intrinsic = match name {
        "arith.maxnumf" => "maxnum",
        "arith.minnumf" => "minnum",
        "arith.remf" => "",
        _ => return Ok(()),
    };
    let of = first_result(operation).r#type().to_string();
    if !["f16", "bf16", "f32", "f64"].contains(&of.as_str()) {
        return Ok(());
    }
    let (x, y) = (operand(operation, 0), operand(operation, 1));
    let math = Math { b: Builder::before(operation), target, operation };
    let value = match intrinsic {
        "" => math.remainder(x, y)?,
        name => math.named(&format!("llvm.{name}.{of}"), &[x, y], "none")?,
    };
    tree::replace_uses(first_result(operation), value);
    tree::erase(operation);
    Ok(())
}

/// Computes a function of 16 bits in f32, if it is one of those that are lowered here.
fn widen<'c>(operation: OperationRef<'c, 'c>, name: &str, target: Target) -> Result<(), Failure> {
    let b = Builder::before(operation);
    let (single, narrow) = (Type::float32(b.context()), first_result(operation).r#type());
    let mut operands = Vec::with_capacity(operation.operand_count());
    for i in 0..operation.operand_count() {
        let own = operand(operation, i);
        let is_narrow = own.r#type() == narrow;
        operands.push(if is_narrow { b.value("arith.extf", &[own], single, &[])? } else { own });
    }
    let flags = operation.attribute("fastmath").ok();
    let flags: Vec<_> = flags.into_iter().map(|flags| ("fastmath", flags)).collect();
    let wide = b.value(&format!("math.{name}"), &operands, single, &flags)?;
    let Some(made) = tree::definition(wide) else { return Ok(()) };
    let math = Math { b: Builder::before(made), target, operation: made };
    let value = math.value(name)?;
    if let Some(value) = value {
        let value = b.value("arith.truncf", &[value], narrow, &[])?;
        tree::replace_uses(first_result(operation), value);
        tree::erase(made);
        tree::erase(operation);
    } else {
        tree::erase(made);
    }
    Ok(())
}

/// One operation of `math` on its way.
struct Math<'c> {
    b: Builder<'c>,
    target: Target,
    operation: OperationRef<'c, 'c>,
}

impl<'c> Math<'c> {
    /// Its value, or `None` for an operation that upstream passes lower.
    fn value(&self, name: &str) -> Result<Option<Val<'c>>, Failure> {
        let x = operand(self.operation, 0);
        Ok(Some(match name {
            "absf" => self.intrinsic("fabs", &[x])?,
            "ceil" | "floor" | "round" | "roundeven" | "trunc" => self.intrinsic(name, &[x])?,
            "copysign" => self.intrinsic("copysign", &[x, operand(self.operation, 1)])?,
            "sqrt" if self.approximates() => self.named("llvm.nvvm.sqrt.approx.f", &[x], "none")?,
            "sqrt" => self.intrinsic("sqrt", &[x])?,
            "rsqrt" if self.approximates() => {
                self.named("llvm.nvvm.rsqrt.approx.f", &[x], "none")?
            }
            // Both are rounded to nearest: within 1.5 units.
            "rsqrt" => {
                let root = self.intrinsic("sqrt", &[x])?;
                self.b.binary("arith.divf", self.constant(1.0)?, root)?
            }
            "fma" => {
                let all = [x, operand(self.operation, 1), operand(self.operation, 2)];
                self.intrinsic("fma", &all)?
            }
            "exp2" => self.exp2(x)?,
            "exp" => self.exp(x)?,
            "log2" if self.approximates() => self.named("llvm.nvvm.lg2.approx.f", &[x], "none")?,
            "tanh" if self.approximates() => self.call("tanh", &[x], "afn")?,
            "tanh" => self.tanh(x)?,
            "erf" => self.erf(x)?,
            "sin" => self.circular(x, false)?,
            "cos" => self.circular(x, true)?,
            "tan" => self.tan()?,
            "log" => self.log(x)?,
            "log2" => self.log2(x)?,
            "log10" => self.log10(x)?,
            "log1p" => self.log1p(x)?,
            "expm1" => self.expm1(x)?,
            "powf" => self.float_power(x, operand(self.operation, 1))?,
            "fpowi" => self.integer_power(x, operand(self.operation, 1))?,
            "acos" => self.acos(x)?,
            "acosh" => self.acosh(x)?,
            "asin" => self.asin(x)?,
            "asinh" => self.asinh(x)?,
            "atan" => self.atan(x)?,
            "atan2" => self.atan2(x, operand(self.operation, 1))?,
            "atanh" => self.atanh(x)?,
            "cbrt" => self.cbrt(x)?,
            "cosh" => self.cosh(x)?,
            "erfc" => self.erfc(x)?,
            "sinh" => self.sinh(x)?,
            _ => return Ok(None),
        }))
    }

    /// A function of f64, or `None` for an operation that upstream passes lower.
    fn exact(&self, name: &str) -> Result<Option<Val<'c>>, Failure> {
        let named = |name: &str| {
            let all: Vec<_> =
                (0..self.operation.operand_count()).map(|i| operand(self.operation, i)).collect();
            self.named(&format!("llvm.{name}.f64"), &all, "none")
        };
        Ok(Some(match name {
            "absf" => named("fabs")?,
            "ceil" | "copysign" | "floor" | "fma" | "round" | "roundeven" | "sqrt" | "trunc" => {
                named(name)?
            }
            "rsqrt" => self.b.binary("arith.divf", self.constant(1.0)?, named("sqrt")?)?,
            _ => return self.double(name),
        }))
    }

    /// A function of an integer, or `None` for other operations.
    fn integer(&self, name: &str) -> Result<Option<Val<'c>>, Failure> {
        let (b, x) = (&self.b, operand(self.operation, 0));
        let of = x.r#type();
        // The least integer is its own.
        if name == "absi" {
            let less = b.binary("arith.subi", b.constant(of, 0)?, x)?;
            return Ok(Some(b.binary("arith.maxsi", x, less)?));
        }
        if !["ctlz", "ctpop", "cttz"].contains(&name) {
            return Ok(None);
        }
        let bits = if of.is_index() { b.integer(64) } else { of };
        let own = if of == bits { x } else { b.value("arith.index_cast", &[x], bits, &[])? };
        // The count in 0 is that of all bits, and no poison.
        let flag = (name != "ctpop").then(|| b.constant(b.integer(1), 0)).transpose()?;
        let operands: Vec<_> = [own].into_iter().chain(flag).collect();
        let count = self.named(&format!("llvm.{name}.{bits}"), &operands, "none")?;
        Ok(Some(if of == bits { count } else { b.value("arith.index_cast", &[count], of, &[])? }))
    }

    /// Whether a number is of a class, or `None` for other operations.
    fn class(&self, name: &str) -> Result<Option<Val<'c>>, Failure> {
        const EQUAL: i64 = 1;
        const AT_LEAST: i64 = 3;
        const LESS: i64 = 4;
        const UNORDERED: i64 = 14;
        let x = operand(self.operation, 0);
        let of = x.r#type().to_string();
        let least = match of.as_str() {
            "f16" => MIN_NORMAL_F16,
            "bf16" | "f32" => f64::from(f32::MIN_POSITIVE),
            "f64" => f64::MIN_POSITIVE,
            _ => return Ok(None),
        };
        let size = || self.named(&format!("llvm.fabs.{of}"), &[x], "none");
        let infinity = || self.constant(f64::INFINITY);
        Ok(Some(match name {
            "isnan" => self.compare(UNORDERED, x, x)?,
            "isinf" => self.compare(EQUAL, size()?, infinity()?)?,
            "isfinite" => self.compare(LESS, size()?, infinity()?)?,
            "isnormal" => {
                let size = size()?;
                let is_least = self.compare(AT_LEAST, size, self.constant(least)?)?;
                self.b.binary("arith.andi", is_least, self.compare(LESS, size, infinity()?)?)?
            }
            _ => return Ok(None),
        }))
    }

    /// Whether the operation may be the chip's own approximation.
    fn approximates(&self) -> bool {
        let flags = self.operation.attribute("fastmath").map(|flags| flags.to_string());
        let allows = flags.is_ok_and(|flags| flags.contains("afn") || flags.contains("<fast>"));
        allows && self.target == Target::Device
    }

    /// Within 2 + |x| units: the product is rounded before the power.
    fn exp(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        self.exp2(self.b.binary("arith.mulf", x, self.constant(LOG2_E)?)?)
    }

    /// Within 2 units. Where it may be approximated, results below the least normal number are 0: for those the chip's
    /// instruction needs three more around it.
    fn exp2(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        match self.approximates() {
            true => self.exp2_flushed(x),
            false => self.intrinsic("exp2", &[x]),
        }
    }

    /// The chip's instruction, whose results below the least normal number are 0.
    fn exp2_flushed(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        self.named("llvm.nvvm.ex2.approx.ftz.f", &[x], "none")
    }

    /// Within 4 units, relative below 0.625: `1 - 2 / (1 + exp(2 x))` from there on.
    fn tanh(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let size = self.intrinsic("fabs", &[x])?;
        let square = self.b.binary("arith.mulf", x, x)?;
        let cube = self.b.binary("arith.mulf", square, x)?;
        let small = self.multiply_add(self.polynomial(&TANH, square)?, cube, x)?;
        let most = self.b.binary("arith.minimumf", size, self.constant(TANH_SATURATION)?)?;
        let twice = self.b.binary("arith.addf", most, most)?;
        let one = self.constant(1.0)?;
        let below = self.b.binary("arith.addf", self.exp(twice)?, one)?;
        let rest = self.ratio(self.constant(2.0)?, below)?;
        let large = self.b.binary("arith.subf", one, rest)?;
        let large = self.intrinsic("copysign", &[large, x])?;
        self.select_below(size, TANH_BELOW, small, large)
    }

    /// Within 3 units: a polynomial below 1, relative there, and 1 less a power of 2 from there on.
    fn erf(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        let size = self.intrinsic("fabs", &[x])?;
        let square = self.b.binary("arith.mulf", x, x)?;
        let small = self.b.binary("arith.mulf", self.polynomial(&ERF, square)?, x)?;
        let power = self.b.binary("arith.mulf", self.polynomial(&LOG_ERFC, size)?, size)?;
        let rest = self.exp2_of_a_part(power)?;
        let large = self.b.binary("arith.subf", self.constant(1.0)?, rest)?;
        let large = self.intrinsic("copysign", &[large, x])?;
        self.select_below(size, 1.0, small, large)
    }

    /// A power of 2 that is added to 1: what is below the least normal number may be 0.
    fn exp2_of_a_part(&self, x: Val<'c>) -> Result<Val<'c>, Failure> {
        match self.target {
            Target::Device => self.exp2_flushed(x),
            Target::Host => self.intrinsic("exp2", &[x]),
        }
    }

    /// The sine or cosine, within 2 units of 1: what is left of the angle past whole quarters is found in f64. No number
    /// for angles from [`ANGLE_BELOW`] on, and for those that are none.
    fn circular(&self, x: Val<'c>, cosine: bool) -> Result<Val<'c>, Failure> {
        let b = &self.b;
        let (single, double) = (x.r#type(), Type::float64(b.context()));
        let wide = b.value("arith.extf", &[x], double, &[])?;
        let number = |of: Type<'c>, value: f64| -> Result<Val<'c>, Failure> {
            let value = FloatAttribute::new(b.context(), of, value).into();
            Ok(b.value("arith.constant", &[], of, &[("value", value)])?)
        };
        let size = self.named("llvm.fabs.f64", &[wide], "none")?;
        const ORDERED_LESS: i64 = 4;
        let attributes = [("predicate", b.i64_attribute(ORDERED_LESS))];
        let limit = number(double, ANGLE_BELOW)?;
        let is_known = b.value("arith.cmpf", &[size, limit], b.integer(1), &attributes)?;
        let zero = number(double, 0.0)?;
        let angle = b.value("arith.select", &[is_known, wide, zero], double, &[])?;
        let quarters =
            b.binary("arith.mulf", angle, number(double, std::f64::consts::FRAC_2_PI)?)?;
        let quarters = self.named("llvm.roundeven.f64", &[quarters], "none")?;
        let minus = |value: f64| number(double, -value);
        let near = [quarters, minus(std::f64::consts::FRAC_PI_2)?, angle];
        let near = self.named("llvm.fma.f64", &near, "none")?;
        let rest = [quarters, minus(HALF_PI_REST)?, near];
        let rest = self.named("llvm.fma.f64", &rest, "none")?;
        let rest = b.value("arith.truncf", &[rest], single, &[])?;
        let square = b.binary("arith.mulf", rest, rest)?;
        let cube = b.binary("arith.mulf", square, rest)?;
        let sine = self.multiply_add(self.polynomial(&SIN, square)?, cube, rest)?;
        let fourth = b.binary("arith.mulf", square, square)?;
        let half = self.multiply_add(square, self.constant(-0.5)?, self.constant(1.0)?)?;
        let other = self.multiply_add(self.polynomial(&COS, square)?, fourth, half)?;
        // Each quarter continues to the next of sin, cos, -sin, -cos.
        let word = b.integer(64);
        let mut quarter = b.value("arith.fptosi", &[quarters], word, &[])?;
        if cosine {
            quarter = b.binary("arith.addi", quarter, b.constant(word, 1)?)?;
        }
        let bit = |mask: i64| -> Result<Val<'c>, Failure> {
            let bit = b.binary("arith.andi", quarter, b.constant(word, mask)?)?;
            const DIFFERENT: i64 = 1;
            let attributes = [("predicate", b.i64_attribute(DIFFERENT))];
            Ok(b.value("arith.cmpi", &[bit, b.constant(word, 0)?], b.integer(1), &attributes)?)
        };
        let value = b.value("arith.select", &[bit(1)?, other, sine], single, &[])?;
        let negative = b.value("arith.negf", &[value], single, &[])?;
        let value = b.value("arith.select", &[bit(2)?, negative, value], single, &[])?;
        let none = self.constant(f64::NAN)?;
        Ok(b.value("arith.select", &[is_known, value, none], single, &[])?)
    }

    /// Horner's rule, the highest power first.
    fn polynomial(&self, coefficients: &[f64], x: Val<'c>) -> Result<Val<'c>, Failure> {
        let (first, rest) = coefficients.split_first().unwrap_or((&0.0, &[]));
        let mut sum = self.constant(*first)?;
        for &coefficient in rest {
            sum = self.multiply_add(sum, x, self.constant(coefficient)?)?;
        }
        Ok(sum)
    }

    fn multiply_add(&self, x: Val<'c>, y: Val<'c>, z: Val<'c>) -> Result<Val<'c>, Failure> {
        self.intrinsic("fma", &[x, y, z])
    }

    /// `small` where `x < limit`, else `large`: also where `x` is no number.
    fn select_below(
        &self,
        x: Val<'c>,
        limit: f64,
        small: Val<'c>,
        large: Val<'c>,
    ) -> Result<Val<'c>, Failure> {
        const ORDERED_LESS: i64 = 4;
        let predicate = IntegerAttribute::new(self.b.integer(64), ORDERED_LESS).into();
        let operands = [x, self.constant(limit)?];
        let boolean = self.b.integer(1);
        let below = self.b.value("arith.cmpf", &operands, boolean, &[("predicate", predicate)])?;
        Ok(self.b.value("arith.select", &[below, small, large], small.r#type(), &[])?)
    }

    /// A quotient, by the chip's reciprocal where there is one: within 2 units.
    fn ratio(&self, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>, Failure> {
        let flags = parse(&self.b, "#arith.fastmath<afn>")?;
        Ok(self.b.value("arith.divf", &[x, y], x.r#type(), &[("fastmath", flags)])?)
    }

    fn intrinsic(&self, name: &str, operands: &[Val<'c>]) -> Result<Val<'c>, Failure> {
        self.call(name, operands, "none")
    }

    /// One of LLVM's intrinsics on f32 or f64, by its name: the upstream conversion to NVVM refuses the
    /// operations that stand for those which it makes calls of a library.
    fn call(&self, name: &str, operands: &[Val<'c>], flags: &str) -> Result<Val<'c>, Failure> {
        self.named(&format!("llvm.{name}.{}", operands[0].r#type()), operands, flags)
    }

    /// As [`Self::call`], by the whole name.
    fn named(&self, name: &str, operands: &[Val<'c>], flags: &str) -> Result<Val<'c>, Failure> {
        let b = &self.b;
        let attributes = [
            ("intrin", b.string(name)),
            ("fastmathFlags", parse(b, &format!("#llvm.fastmath<{flags}>"))?),
            ("op_bundle_sizes", parse(b, "array<i32>")?),
            ("operandSegmentSizes", parse(b, &format!("array<i32: {}, 0>", operands.len()))?),
        ];
        Ok(b.value("llvm.call_intrinsic", operands, operands[0].r#type(), &attributes)?)
    }

    fn constant(&self, value: f64) -> Result<Val<'c>, Failure> {
        let r#type = operand(self.operation, 0).r#type();
        let value = FloatAttribute::new(self.b.context(), r#type, value).into();
        Ok(self.b.value("arith.constant", &[], r#type, &[("value", value)])?)
    }
}
