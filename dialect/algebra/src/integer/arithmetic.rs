//! The interface of an integer to operations.
//!
//! An operation of the algebra is written once, over [`Integer`]. An `i64` needs no facts: every
//! question about it has an answer, and only overflow stops its arithmetic. An [`Expr`] stands for one
//! integer under each assignment that its [`Facts`] allow, so that a question may stay open.

use super::{
    Expr, Facts,
    missing::{self, Answer, Quotient, Site},
};
use crate::{
    error::{self, Error},
    place::WithPlace,
};
use alloc::{vec, vec::Vec};
use core::{fmt, hash::Hash};

/// An answer to a question about integers.
pub trait Verdict {
    /// Whether it is so, under every assignment.
    fn is_yes(&self) -> bool;

    /// Whether it is so under no assignment.
    fn is_no(&self) -> bool;
}

/// An integer that is known, or an expression over integers that are known at run time only.
///
/// It is implemented for `i64`, whose facts are `()`, and for [`Expr`] under [`Facts`].
pub trait Integer:
    Clone + fmt::Debug + fmt::Display + Eq + Ord + Hash + From<i64> + sealed::Sealed + 'static
{
    /// The facts about the integers beside themselves.
    type Facts;
    /// The verdict of the facts about a statement.
    type Answer: Verdict;
    /// Why an operation has no answer.
    type Error: From<Error> + WithPlace + fmt::Display;
    /// Why arithmetic has no result; [`Integer::lost`] makes it an error of an operation.
    type Lost;
    /// Whether one of these may stand for several integers.
    const OPEN: bool;

    /// The value, where it is the same under every assignment.
    fn constant(&self) -> Option<i64>;

    /// Whether it is the constant `value`.
    fn is(&self, value: i64) -> bool {
        self.constant() == Some(value)
    }

    /// The sum.
    fn plus(&self, other: &Self) -> error::Result<Self, Self::Lost>;

    /// The difference.
    fn minus(&self, other: &Self) -> error::Result<Self, Self::Lost>;

    /// The product.
    fn times(&self, other: &Self) -> error::Result<Self, Self::Lost>;

    /// The product with an integer.
    fn scaled(&self, factor: i64) -> error::Result<Self, Self::Lost>;

    /// One less.
    fn less_one(&self) -> error::Result<Self, Self::Lost> {
        self.plus(&Self::from(-1))
    }

    /// Whether `greater >= less`.
    fn at_least(facts: &Self::Facts, greater: &Self, less: &Self) -> Self::Answer;

    /// Whether both have the same value.
    fn equal(facts: &Self::Facts, a: &Self, b: &Self) -> Self::Answer;

    /// Whether they never have the same value.
    fn distinct(facts: &Self::Facts, a: &Self, b: &Self) -> Self::Answer;

    /// The quotient by what divides.
    ///
    /// # Errors
    ///
    /// The answer that is not yes.
    fn divide(facts: &Self::Facts, of: &Self, by: &Self) -> error::Result<Self, Self::Answer>;

    /// The quotient rounded down, by what is at least 1.
    fn floor_div(facts: &Self::Facts, of: &Self, by: &Self) -> error::Result<Self, Self::Lost>;

    /// The quotient rounded up, by what is at least 1.
    fn ceil_div(facts: &Self::Facts, of: &Self, by: &Self) -> error::Result<Self, Self::Lost>;

    /// The error of an operation whose arithmetic has no result.
    fn lost(lost: Self::Lost, operation: &'static str, operands: impl fmt::Display) -> Self::Error;

    /// The error of an operation that needs one of these answers to be yes; `otherwise` says it of
    /// integers that are known.
    fn unmet(
        site: &Site<'_>,
        answers: Vec<Self::Answer>,
        otherwise: impl FnOnce() -> Error,
    ) -> Self::Error;

    /// [`Integer::unmet`] of answers that are open: those about known integers never are.
    fn undecided(site: &Site<'_>, answers: Vec<Self::Answer>) -> Self::Error {
        Self::unmet(site, answers, || Error::overflow(site.operation, (site.operands)()))
    }

    /// The answer whose error helps a user most.
    fn most_helpful(answers: Vec<Self::Answer>) -> Vec<Self::Answer>;

    /// Whether a mode `before:step` continues with the stride of the next, under every assignment.
    fn continues(before: &Self, step: &Self, stride: &Self) -> error::Result<bool, Self::Lost>;

    /// Refuses what is not known to be so.
    ///
    /// # Errors
    ///
    /// [`Integer::unmet`].
    fn require(
        site: &Site<'_>,
        answer: Self::Answer,
        otherwise: impl FnOnce() -> Error,
    ) -> error::Result<(), Self::Error> {
        if answer.is_yes() {
            return Ok(());
        }
        Err(Self::unmet(site, vec![answer], otherwise))
    }

    /// Refuses to go through too many modes, where each step requires facts of large expressions.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`].
    fn few(site: &Site<'_>, modes: usize) -> error::Result<(), Self::Error>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i64 {}
    impl Sealed for super::Expr {}
}

/// `ceil(a / b)` for `a >= 0`, `b >= 1`.
#[inline]
pub(crate) fn ceil(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}

/// A result that is not within 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Verdict for bool {
    #[inline]
    fn is_yes(&self) -> bool {
        *self
    }

    #[inline]
    fn is_no(&self) -> bool {
        !*self
    }
}

impl Integer for i64 {
    type Facts = ();
    type Answer = bool;
    type Error = Error;
    type Lost = Overflow;
    const OPEN: bool = false;

    #[inline]
    fn constant(&self) -> Option<i64> {
        Some(*self)
    }

    #[inline]
    fn plus(&self, other: &Self) -> Result<Self, Overflow> {
        self.checked_add(*other).ok_or(Overflow)
    }

    #[inline]
    fn minus(&self, other: &Self) -> Result<Self, Overflow> {
        self.checked_sub(*other).ok_or(Overflow)
    }

    #[inline]
    fn times(&self, other: &Self) -> Result<Self, Overflow> {
        self.checked_mul(*other).ok_or(Overflow)
    }

    #[inline]
    fn scaled(&self, factor: i64) -> Result<Self, Overflow> {
        self.checked_mul(factor).ok_or(Overflow)
    }

    #[inline]
    fn at_least((): &(), greater: &Self, less: &Self) -> bool {
        greater >= less
    }

    #[inline]
    fn equal((): &(), a: &Self, b: &Self) -> bool {
        a == b
    }

    #[inline]
    fn distinct((): &(), a: &Self, b: &Self) -> bool {
        a != b
    }

    #[inline]
    fn divide((): &(), of: &Self, by: &Self) -> Result<Self, bool> {
        match of.checked_rem(*by) {
            Some(0) => of.checked_div(*by).ok_or(false),
            _ => Err(false),
        }
    }

    #[inline]
    fn floor_div((): &(), of: &Self, by: &Self) -> Result<Self, Overflow> {
        match (*of, *by) {
            (of @ 0.., by @ 1..) => Ok(of / by),
            (of, by) => of.checked_div_euclid(by).ok_or(Overflow),
        }
    }

    #[inline]
    fn ceil_div((): &(), of: &Self, by: &Self) -> Result<Self, Overflow> {
        let (of, by) = match (*of, *by) {
            (of @ 0.., by @ 1..) => return Ok(ceil(of, by)),
            (of, by) => (of, by),
        };
        let down = of.checked_div_euclid(by).ok_or(Overflow)?;
        Ok(down + i64::from(of.rem_euclid(by) != 0))
    }

    fn lost(_: Overflow, operation: &'static str, operands: impl fmt::Display) -> Error {
        Error::overflow(operation, operands)
    }

    fn unmet(_: &Site<'_>, _: Vec<bool>, otherwise: impl FnOnce() -> Error) -> Error {
        otherwise()
    }

    fn most_helpful(answers: Vec<bool>) -> Vec<bool> {
        answers
    }

    #[inline]
    fn continues(before: &Self, step: &Self, stride: &Self) -> Result<bool, Overflow> {
        Ok(before.checked_mul(*step) == Some(*stride))
    }

    fn few(_: &Site<'_>, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl Verdict for Answer {
    fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }

    fn is_no(&self) -> bool {
        matches!(self, Self::No(_))
    }
}

impl Integer for Expr {
    type Facts = Facts;
    type Answer = Answer;
    type Error = missing::Error;
    type Lost = missing::Error;
    const OPEN: bool = true;

    fn constant(&self) -> Option<i64> {
        self.as_constant()
    }

    fn plus(&self, other: &Self) -> missing::Result<Self> {
        self.plus(other)
    }

    fn minus(&self, other: &Self) -> missing::Result<Self> {
        self.minus(other)
    }

    fn times(&self, other: &Self) -> missing::Result<Self> {
        self.times(other)
    }

    fn scaled(&self, factor: i64) -> missing::Result<Self> {
        self.scaled(factor)
    }

    fn at_least(facts: &Facts, greater: &Self, less: &Self) -> Answer {
        facts.at_least(greater, less)
    }

    fn equal(facts: &Facts, a: &Self, b: &Self) -> Answer {
        facts.equal(a, b)
    }

    fn distinct(facts: &Facts, a: &Self, b: &Self) -> Answer {
        facts.distinct(a, b)
    }

    fn divide(facts: &Facts, of: &Self, by: &Self) -> Result<Self, Answer> {
        match facts.divide(of, by) {
            Quotient::Exact(quotient) => Ok(quotient),
            other => Err(other.into()),
        }
    }

    fn floor_div(facts: &Facts, of: &Self, by: &Self) -> missing::Result<Self> {
        facts.floor_div(of, by)
    }

    fn ceil_div(facts: &Facts, of: &Self, by: &Self) -> missing::Result<Self> {
        facts.ceil_div(of, by)
    }

    fn lost(lost: missing::Error, _: &'static str, _: impl fmt::Display) -> missing::Error {
        lost
    }

    fn unmet(site: &Site<'_>, answers: Vec<Answer>, _: impl FnOnce() -> Error) -> missing::Error {
        site.unmet(answers)
    }

    fn most_helpful(answers: Vec<Answer>) -> Vec<Answer> {
        answers.into_iter().min_by_key(Answer::remoteness).into_iter().collect()
    }

    fn continues(before: &Self, step: &Self, stride: &Self) -> missing::Result<bool> {
        Ok(before.times(step)? == *stride)
    }

    fn few(site: &Site<'_>, modes: usize) -> missing::Result<()> {
        site.few(modes)
    }
}
