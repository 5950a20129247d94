//! Shapes with symbols: how they relate, and quotients leaf by leaf; see [`crate::shape_div`] and its
//! neighbours.
//!
//! A relation is true or false where it is so under every assignment; between the two, the fact that
//! would decide is missing.

use super::{
    error::{Answer, Error, Quotient, Result, Site},
    expr::Expr,
    facts::Facts,
    tuple::SymbolicTuple,
};
use crate::shape::{Quotients, divide, each_tile, rounded_up, stands_for};

/// Whether both nest in the same way.
pub fn congruent(a: &SymbolicTuple, b: &SymbolicTuple) -> bool {
    a.congruent(b)
}

/// Whether `a` nests as `b`, or stops earlier.
pub fn weakly_congruent(a: &SymbolicTuple, b: &SymbolicTuple) -> bool {
    stands_for(a, b, &mut |_, _| true)
}

/// Whether every coordinate of a layout of shape `a` is one of a layout of shape `b`; see
/// [`crate::compatible`].
///
/// # Errors
///
/// Sizes of which it is not known whether they are equal.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let answer = |text: &str| match evaluate(text, &mut Facts::new()) {
///     Ok(value) => value.to_string(),
///     Err(error) => error.to_string(),
/// };
/// assert_eq!(answer("compatible((M*N,8), ((M,N),8))"), "true");
/// assert_eq!(answer("compatible(M{range=8..}, (4,1))"), "false");
/// assert_eq!(
///     answer("compatible(M, (4,2))"),
///     "compatible(M, (4,2)): needs \"M = 8\", which is not known; write 8 for M",
/// );
/// ```
pub fn compatible(facts: &Facts, a: &SymbolicTuple, b: &SymbolicTuple) -> Result<bool> {
    let mut answers = Vec::new();
    let nests = stands_for(a, b, &mut |extent, part| {
        answers.push(part.product().map(|size| facts.equal(extent, &size)));
        true
    });
    if !nests {
        return Ok(false);
    }
    let operands = || format!("{a}, {b}");
    let site = Site { operation: "compatible", operands: &operands };
    all(&site, answers.into_iter().collect::<Result<_>>()?)
}

/// Whether tiles of `divisor` fill `shape` exactly; see [`crate::evenly_divides`].
///
/// # Errors
///
/// A leaf of which it is not known whether it divides, or whether it is at least 1.
pub fn evenly_divides(
    facts: &Facts,
    shape: &SymbolicTuple,
    divisor: &SymbolicTuple,
) -> Result<bool> {
    let mut answers = Vec::new();
    let nests = each_tile(shape, divisor, &mut |part, by| {
        let by = by.product()?;
        let positive = [facts.distinct(&by, &Expr::from(0)), facts.at_least(&by, &Expr::from(1))];
        if let Some(open) = positive.into_iter().find(|answer| !answer.is_yes()) {
            answers.push(open);
            return Ok::<_, Error>(true);
        }
        let size = part.product()?;
        // That it divides the size comes first: it is the shorter thing to say.
        answers.push(facts.divide(&size, &by).into());
        if part.leaf_count() > 1 && answers.last().is_some_and(Answer::is_yes) {
            let quotient = ceil_div(facts, part, &SymbolicTuple::Leaf(by.clone()))?;
            answers.push(facts.equal(&quotient.product()?.times(&by)?, &size));
        }
        Ok(true)
    })?;
    if nests.is_none() {
        return Ok(false);
    }
    let operands = || format!("{shape}, {divisor}");
    all(&Site { operation: "evenly_divides", operands: &operands }, answers)
}

/// Whether all are yes; false as soon as one is no.
pub(super) fn all(site: &Site<'_>, answers: Vec<Answer>) -> Result<bool> {
    if answers.iter().any(|answer| matches!(answer, Answer::No(_))) {
        return Ok(false);
    }
    if answers.iter().all(Answer::is_yes) {
        return Ok(true);
    }
    Err(site.unmet_best(answers.into_iter().filter(|answer| !answer.is_yes()).collect()))
}

/// Quotients rounded up; see [`crate::ceil_div`].
///
/// # Errors
///
/// A dividend that is not known to be at least 0, a divisor not to be at least 1; where a divisor goes
/// on to the next mode, an extent not to be at least 1.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let shape = evaluate("ceil_div((M{range=1..},N{range=0..}), (128,64))", &mut Facts::new())?;
/// assert_eq!(shape.to_string(), "(ceil_div(M,128),ceil_div(N,64))");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn ceil_div(facts: &Facts, a: &SymbolicTuple, b: &SymbolicTuple) -> Result<SymbolicTuple> {
    divide("ceil_div", a, b, &Expressions { facts, operation: "ceil_div", even: false })
}

/// [`ceil_div`] of extents that are known to divide each other, one way or the other; see
/// [`crate::shape_div`].
///
/// # Errors
///
/// Those of [`ceil_div`]; extents neither of which is known to divide the other.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let answer = |text: &str| match evaluate(text, &mut Facts::new()) {
///     Ok(value) => value.to_string(),
///     Err(error) => error.to_string(),
/// };
/// assert_eq!(answer("shape_div((M{div=8 range=1..},4), 8)"), "(M/8,4)");
/// assert_eq!(
///     answer("shape_div((M{div=4 range=1..},4), 8)"),
///     "shape_div((M,4), 8): needs \"8 divides M\", which is not known; say M{div=8}",
/// );
/// ```
pub fn shape_div(facts: &Facts, a: &SymbolicTuple, b: &SymbolicTuple) -> Result<SymbolicTuple> {
    divide("shape_div", a, b, &Expressions { facts, operation: "shape_div", even: true })
}

/// The least multiples of `b` that are not below `a`; see [`crate::round_up`].
///
/// # Errors
///
/// Those of [`ceil_div`].
pub fn round_up(facts: &Facts, a: &SymbolicTuple, b: &SymbolicTuple) -> Result<SymbolicTuple> {
    let quotients = Expressions { facts, operation: "round_up", even: false };
    rounded_up(a, b, &quotients, &mut |quotient, by| quotient.times(by))
}

/// Quotients of expressions, rounded up or known to come out even one way or the other.
struct Expressions<'f> {
    facts: &'f Facts,
    operation: &'static str,
    even: bool,
}

impl Quotients for Expressions<'_> {
    type Extent = Expr;
    type Error = Error;

    fn one(&self) -> Expr {
        Expr::from(1)
    }

    fn size(&self, shape: &SymbolicTuple) -> Result<Expr> {
        shape.product()
    }

    fn quotient(&self, extent: &Expr, by: &Expr, [a, b]: [&SymbolicTuple; 2]) -> Result<Expr> {
        let operands = || format!("{a}, {b}");
        let site = Site { operation: self.operation, operands: &operands };
        site.require(self.facts.at_least(extent, &Expr::from(0)))?;
        site.require(self.facts.at_least(by, &Expr::from(1)))?;
        if !self.even {
            return self.facts.ceil_div(extent, by);
        }
        let down = match self.facts.divide(extent, by) {
            Quotient::Exact(quotient) => return Ok(quotient),
            other => other,
        };
        match self.facts.divide(by, extent) {
            // The divisor is at least 1, and so is what divides it and is not below 0.
            Quotient::Exact(_) => Ok(self.one()),
            up => Err(site.unmet(vec![down.into(), up.into()])),
        }
    }

    fn left(&self, extent: &Expr, by: &Expr) -> Result<Expr> {
        if extent.is(0) {
            return Ok(by.clone());
        }
        let operands = || format!("{extent}, {by}");
        let site = Site { operation: self.operation, operands: &operands };
        site.require(self.facts.at_least(extent, &self.one()))?;
        self.facts.ceil_div(by, extent)
    }
}
