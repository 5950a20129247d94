//! Proofs about layouts that always answer: tier after tier, from the cheapest, under limits.

use std::{fmt, time::Instant};

use layout_algebra::{AnyLayout, linear::LinearLayout};

use crate::{
    error::{Error, Result},
    isl::{Limit, Limits},
};

mod closed;
mod enumerate;
mod function;
mod gf2;
mod integer;

use function::Function;

/// The means of a proof, from the cheapest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The operands are written alike.
    Structure,
    /// A condition on extents and strides.
    ClosedForm,
    /// Matrices over GF(2), where extents are powers of two and strides share no bits.
    Gf2,
    /// Every coordinate, of at most [`layout_algebra::ENUMERATION_LIMIT`].
    Enumeration,
    /// ISL, in natural coordinates.
    Natural,
    /// ISL, in natural coordinates and in bits of what a swizzle is applied to.
    Binary,
}

impl Tier {
    /// All tiers, from the cheapest.
    pub const ALL: [Self; 6] = [
        Self::Structure,
        Self::ClosedForm,
        Self::Gf2,
        Self::Enumeration,
        Self::Natural,
        Self::Binary,
    ];
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Structure => "structure",
            Self::ClosedForm => "a closed form",
            Self::Gf2 => "GF(2)",
            Self::Enumeration => "enumeration",
            Self::Natural => "ISL in natural coordinates",
            Self::Binary => "ISL in binary coordinates",
        })
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is true.
    Proved(Tier),
    /// It is false, as the witness shows.
    Refuted(Witness),
    /// A limit was hit first.
    Unknown(Limit),
}

impl Verdict {
    /// Whether it is proved.
    pub fn is_proved(&self) -> bool {
        matches!(self, Self::Proved(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved(tier) => write!(f, "proved by {tier}"),
            Self::Refuted(witness) => write!(f, "refuted: {witness}"),
            Self::Unknown(limit) => write!(f, "unknown: no answer within {limit}"),
        }
    }
}

/// A witness that something is false. Coordinates are one-dimensional, and the least there are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Witness {
    /// Two layouts have different offsets.
    Differ {
        /// Where.
        coordinate: i64,
        /// The left one's; none past its size.
        left: Option<i64>,
        /// The right one's; none past its size.
        right: Option<i64>,
    },
    /// A layout has an offset twice.
    Collide {
        /// The least coordinate whose offset an earlier one has.
        coordinate: i64,
        /// The earlier one.
        earlier: i64,
        /// The offset.
        offset: i64,
    },
    /// Two layouts share an offset.
    Meet {
        /// The left one's coordinate.
        left: i64,
        /// The right one's.
        right: i64,
        /// The offset.
        offset: i64,
    },
    /// An offset out of bounds.
    Outside {
        /// Where.
        coordinate: i64,
        /// The offset.
        offset: i64,
    },
    /// An offset that is not a multiple.
    Misaligned {
        /// Where.
        coordinate: i64,
        /// The offset.
        offset: i64,
    },
    /// An offset that does not follow the one before it.
    Broken {
        /// Where.
        coordinate: i64,
        /// The offset.
        offset: i64,
        /// The one of the coordinate before.
        before: i64,
    },
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: &Option<i64>| value.map_or("nothing".to_owned(), |v| v.to_string());
        match self {
            Self::Differ { coordinate, left, right } => {
                write!(f, "{} and {} at coordinate {coordinate}", show(left), show(right))
            }
            Self::Collide { coordinate, earlier, offset } => {
                write!(f, "offset {offset} at coordinates {earlier} and {coordinate}")
            }
            Self::Meet { left, right, offset } => {
                write!(
                    f,
                    "offset {offset} at coordinate {left} of the left and {right} of the right"
                )
            }
            Self::Outside { coordinate, offset } | Self::Misaligned { coordinate, offset } => {
                write!(f, "offset {offset} at coordinate {coordinate}")
            }
            Self::Broken { coordinate, offset, before } => {
                write!(f, "offset {offset} at coordinate {coordinate} after {before}")
            }
        }
    }
}

/// The operand of a query: the function from `0 .. size` to offsets that a layout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand<'a> {
    /// A layout, plain or composed.
    Layout(&'a AnyLayout),
    /// A linear layout, from flattened coordinates to flattened indices.
    Linear(&'a LinearLayout),
}

impl<'a> From<&'a AnyLayout> for Operand<'a> {
    fn from(layout: &'a AnyLayout) -> Self {
        Self::Layout(layout)
    }
}

impl<'a> From<&'a LinearLayout> for Operand<'a> {
    fn from(layout: &'a LinearLayout) -> Self {
        Self::Linear(layout)
    }
}

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(layout) => layout.fmt(f),
            Self::Linear(layout) => layout.fmt(f),
        }
    }
}

/// A question about one or two functions.
#[derive(Clone, Copy)]
enum Question<'a> {
    Equal(&'a Function, &'a Function),
    Injective(&'a Function),
    Disjoint(&'a Function, &'a Function),
    Within(&'a Function, i64, i64),
    Aligned(&'a Function, i64),
    Consecutive(&'a Function, i64),
}

/// Answers questions about layouts: plain, composed and linear ones.
///
/// A layout is the function from `0 .. size` to offsets. Tiers are tried in order until one
/// decides; one that cannot decide costs little. The limits hold for each question as a whole.
///
/// | query | decides |
/// |---|---|
/// | [`equal`](Self::equal) | same size, same offset at each coordinate |
/// | [`injective`](Self::injective) | no offset twice: stores that do not overlap |
/// | [`disjoint`](Self::disjoint) | no offset in both |
/// | [`within`](Self::within) | all offsets in `lower .. upper`: a view in bounds |
/// | [`aligned`](Self::aligned) | all offsets multiples of a number |
/// | [`consecutive`](Self::consecutive) | so many offsets at a time in a row: moved at once |
///
/// ```
/// use layout_algebra::Term;
/// use layout_relation::{Limits, Prover, Tier, Verdict};
/// let layout = |text: &str| Term::parse(text)?.eval_layout();
/// let prover = Prover::new(Limits::default());
/// let swizzled = layout("S<3,4,3> o 0 o (1024,1024):(1024,1)")?;
/// assert_eq!(prover.injective(&swizzled)?, Verdict::Proved(Tier::ClosedForm));
/// let verdict = prover.equal(&layout("(4,8):(8,1)")?, &layout("(8,4):(4,1)")?)?;
/// assert_eq!(verdict.to_string(), "refuted: 8 and 4 at coordinate 1");
/// # Ok::<(), layout_relation::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prover {
    limits: Limits,
    tiers: Vec<Tier>,
}

impl Prover {
    /// A prover with all tiers.
    pub fn new(limits: Limits) -> Self {
        Self { limits, tiers: Tier::ALL.to_vec() }
    }

    /// A prover with some tiers, to compare them.
    pub fn with_tiers(limits: Limits, tiers: &[Tier]) -> Self {
        let mut tiers = tiers.to_vec();
        tiers.sort_unstable();
        Self { limits, tiers }
    }

    /// Whether two layouts have the same size and the same offset at each coordinate.
    ///
    /// # Errors
    ///
    /// Offsets past 64 bits; an outer layout that is evaluated at negative indices; ISL's.
    pub fn equal<'a>(
        &self,
        left: impl Into<Operand<'a>>,
        right: impl Into<Operand<'a>>,
    ) -> Result<Verdict> {
        let (left, right) = (left.into(), right.into());
        if left == right && self.tiers.contains(&Tier::Structure) {
            return Ok(Verdict::Proved(Tier::Structure));
        }
        let (left, right) = (function(left)?, function(right)?);
        self.answer(Question::Equal(&left, &right))
    }

    /// Whether different coordinates have different offsets.
    ///
    /// # Errors
    ///
    /// As [`Prover::equal`].
    pub fn injective<'a>(&self, layout: impl Into<Operand<'a>>) -> Result<Verdict> {
        self.answer(Question::Injective(&function(layout.into())?))
    }

    /// Whether two layouts have no offset in common.
    ///
    /// # Errors
    ///
    /// As [`Prover::equal`].
    pub fn disjoint<'a>(
        &self,
        left: impl Into<Operand<'a>>,
        right: impl Into<Operand<'a>>,
    ) -> Result<Verdict> {
        let (left, right) = (function(left.into())?, function(right.into())?);
        self.answer(Question::Disjoint(&left, &right))
    }

    /// Whether all offsets are in `lower .. upper`.
    ///
    /// # Errors
    ///
    /// As [`Prover::equal`].
    pub fn within<'a>(
        &self,
        layout: impl Into<Operand<'a>>,
        lower: i64,
        upper: i64,
    ) -> Result<Verdict> {
        self.answer(Question::Within(&function(layout.into())?, lower, upper))
    }

    /// Whether all offsets are multiples of `unit`.
    ///
    /// # Errors
    ///
    /// As [`Prover::equal`]; a unit below 1.
    pub fn aligned<'a>(&self, layout: impl Into<Operand<'a>>, unit: i64) -> Result<Verdict> {
        let layout = layout.into();
        if unit < 1 {
            return Err(Error::Condition {
                operation: "aligned",
                operand: layout.to_string(),
                expected: "a unit of at least 1",
                found: unit.to_string(),
            });
        }
        self.answer(Question::Aligned(&function(layout)?, unit))
    }

    /// Whether the offsets of each `run` coordinates, from a multiple of `run` on, are contiguous, as one instruction
    /// requires.
    ///
    /// # Errors
    ///
    /// As [`Prover::equal`]; a run below 1, or one that does not divide the size.
    pub fn consecutive<'a>(&self, layout: impl Into<Operand<'a>>, run: i64) -> Result<Verdict> {
        let layout = layout.into();
        let function = function(layout)?;
        if run < 1 || function.size % run != 0 {
            return Err(Error::Condition {
                operation: "consecutive",
                operand: layout.to_string(),
                expected: "a run of at least 1 that divides the size",
                found: run.to_string(),
            });
        }
        self.answer(Question::Consecutive(&function, run))
    }

    fn answer(&self, question: Question<'_>) -> Result<Verdict> {
        let start = Instant::now();
        let mut unknown = None;
        for &tier in &self.tiers {
            let left = self.limits.time.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(Verdict::Unknown(Limit::Time(self.limits.time)));
            }
            let limits = Limits { time: left, ..self.limits };
            let answer = match tier {
                Tier::Structure => None,
                Tier::ClosedForm => closed::answer(question)?,
                Tier::Gf2 => gf2::answer(question)?,
                Tier::Enumeration => enumerate::answer(question, start + left)?,
                Tier::Natural | Tier::Binary => match integer::answer(question, tier, limits) {
                    Err(Error::Limit { limit, .. }) => {
                        unknown = Some(limit);
                        None
                    }
                    answer => answer?,
                },
            };
            if let Some(verdict) = answer {
                return Ok(verdict);
            }
        }
        Ok(Verdict::Unknown(match unknown {
            // The time that was left is no limit that anyone has set.
            Some(Limit::Time(_)) => Limit::Time(self.limits.time),
            Some(limit) => limit,
            None => Limit::Coordinates(layout_algebra::ENUMERATION_LIMIT),
        }))
    }
}

fn function(operand: Operand<'_>) -> Result<Function> {
    match operand {
        Operand::Layout(layout) => Function::of(layout),
        Operand::Linear(layout) => Ok(Function::linear(layout)),
    }
}
