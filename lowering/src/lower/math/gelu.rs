//! The factor of a GELU: `1 + erf(c x)`, or half of it, as one power of 2.
//!
//! The sum needs neither part to be right by itself: a third of the instructions of a GELU are those by which `erf` is exact near 0. For
//! a negative number the sum is what `erf` leaves of 1, and is computed as such: no difference cancels. A half is one less in the
//! exponent, and a scale part of the polynomial.

use super::{Failure, Math, Target};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, attribute::FloatAttribute, operation::OperationLike};

/// log2(1 - erf(x)) / x, the highest power first: the minimax polynomial (Remez) from 0 to 4 for the absolute error of 1 - erf(x), 1.6e-8.
/// Beyond 4, where 1 - erf(x) is below that, it falls without end.
const LOG_ERFC: [f64; 8] = [
    -4.53583331752e-5,
    4.45505608728e-4,
    -1.48943558546e-3,
    -7.74638383689e-4,
    2.82536873634e-2,
    -1.48481617095e-1,
    -9.18416393065e-1,
    -1.62790859306,
];

/// Scales that a coefficient of the polynomial may have the eighth power of.
const SCALES: std::ops::RangeInclusive<f64> = 0.0625..=16.0;

/// A product that has a sum, or half of it, for a factor.
struct Product<'c> {
    operation: OperationRef<'c, 'c>,
    /// The other factor.
    other: Val<'c>,
}

/// Lowers a sum of 1 and an error function of f32 whose value nothing else reads, with a scale before it and a half after.
pub(super) fn lower<'c>(sum: OperationRef<'c, 'c>, target: Target) -> Result<(), Failure> {
    let Some((one, erf)) = with_constant(sum) else { return Ok(()) };
    let Some(erf) = tree::definition(erf).filter(|erf| one == 1.0 && is_erf(*erf)) else {
        return Ok(());
    };
    // `c x`.
    let scaled = alone(operand(erf, 0)).and_then(|made| match tree::name(made).as_str() {
        "arith.mulf" => with_constant(made).map(|(scale, x)| (made, scale, x)),
        "arith.divf" => Some((made, number(operand(made, 1))?.recip(), operand(made, 0))),
        _ => None,
    });
    let scaled = scaled.filter(|(_, scale, _)| SCALES.contains(scale));
    let (scale, x) = scaled.map_or((1.0, operand(erf, 0)), |(_, scale, x)| (scale, x));
    let halved = halved(sum);
    let root = halved.as_ref().map_or(sum, |(root, _)| root.operation);
    let math = Math { b: Builder::before(root), target, operation: erf };
    let mut value = math.factor(x, scale, halved.is_some())?;
    if let Some((root, Some(_))) = &halved {
        value = math.b.binary("arith.mulf", root.other, value)?;
    }
    tree::replace_uses(first_result(root), value);
    let half = halved.as_ref().and_then(|(_, half)| *half);
    // From the last on.
    let all = [halved.as_ref().map(|_| root), half, Some(sum), Some(erf), scaled.map(|all| all.0)];
    all.into_iter().flatten().for_each(tree::erase);
    Ok(())
}

fn is_erf(operation: OperationRef<'_, '_>) -> bool {
    tree::name(operation) == "math.erf"
        && first_result(operation).r#type().to_string() == "f32"
        && tree::users(operation).count() == 1
}

/// The product that a sum is part of with a half: `0.5 sum`, or `(0.5 y) sum` with the half's operation, and `y` for the other factor.
fn halved<'c>(sum: OperationRef<'c, 'c>) -> Option<(Product<'c>, Option<OperationRef<'c, 'c>>)> {
    let mut users = tree::users(sum);
    let (user, None) = (users.next()?, users.next()) else { return None };
    if tree::name(user) != "arith.mulf" {
        return None;
    }
    if let Some((0.5, other)) = with_constant(user) {
        return Some((Product { operation: user, other }, None));
    }
    let of_sum = |i: usize| tree::definition(operand(user, i)) == Some(sum);
    let other = if of_sum(0) { operand(user, 1) } else { operand(user, 0) };
    let half = alone(other).filter(|half| tree::name(*half) == "arith.mulf")?;
    let (0.5, other) = with_constant(half)? else { return None };
    Some((Product { operation: user, other }, Some(half)))
}

/// The operation of a value that has one use.
fn alone<'c>(value: Val<'c>) -> Option<OperationRef<'c, 'c>> {
    tree::definition(value).filter(|made| tree::users(*made).count() == 1)
}

/// The constant among the two operands of an operation, and the other one.
fn with_constant<'c>(operation: OperationRef<'c, 'c>) -> Option<(f64, Val<'c>)> {
    let (first, second) = (operand(operation, 0), operand(operation, 1));
    let before = || number(first).map(|constant| (constant, second));
    number(second).map(|constant| (constant, first)).or_else(before)
}

/// A constant's number.
fn number(value: Val<'_>) -> Option<f64> {
    let made = tree::definition(value).filter(|made| tree::name(*made) == "arith.constant")?;
    let value = made.attribute("value").and_then(FloatAttribute::try_from).ok()?;
    Some(value.value())
}

impl<'c> Math<'c> {
    /// `1 + erf(scale x)` within 4 units of 1, or half of it within 2.
    fn factor(&self, x: Val<'c>, scale: f64, halved: bool) -> Result<Val<'c>, Failure> {
        let size = self.intrinsic("fabs", &[x])?;
        let powers = (1..=8).rev().map(|power| scale.powi(power));
        let scaled: Vec<f64> = LOG_ERFC.iter().zip(powers).map(|(own, by)| own * by).collect();
        let polynomial = self.polynomial(&scaled, size)?;
        let (power, whole) = match halved {
            true => (self.multiply_add(polynomial, size, self.constant(-1.0)?)?, 1.0),
            false => (self.b.binary("arith.mulf", polynomial, size)?, 2.0),
        };
        let rest = self.exp2_of_a_part(power)?;
        let large = self.b.binary("arith.subf", self.constant(whole)?, rest)?;
        self.select_below(x, 0.0, rest, large)
    }
}
