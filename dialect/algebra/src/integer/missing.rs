//! Why an operation on symbols has no answer: which fact is missing, and how to state it.

use super::expr::Expr;
use crate::{
    error::brief,
    place::{Place, WithPlace},
};
use alloc::{boxed::Box, format, string::String, string::ToString, vec, vec::Vec};
use core::fmt;

/// Modes that an operation goes through one by one.
pub const MODE_LIMIT: usize = 32;

/// The result of an operation on symbols.
pub type Result<T> = core::result::Result<T, Error>;

/// An error keeps the missing fact, so that a compiler can require it in its own way; its text is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error that has nothing to do with symbols: text, limits, overflow, an operand's form, and
    /// every error of the static algebra where all operands are static.
    #[error(transparent)]
    Algebra(#[from] crate::error::Error),
    /// The operation has an answer if one of these facts holds, and none is known.
    #[error("{operation}({}): needs {}", brief(operands), needed(needs))]
    Missing {
        /// The operation.
        operation: &'static str,
        /// Its operands.
        operands: String,
        /// Any one of these is enough to continue.
        needs: Vec<Need>,
    },
    /// The operation would have an answer if one of these held, and all are known to be false.
    #[error(
        "{operation}({}): needs {}, which the facts rule out",
        brief(operands),
        Alternatives(needs)
    )]
    Never {
        /// The operation.
        operation: &'static str,
        /// Its operands.
        operands: String,
        /// The fact that the operation needs.
        needs: Vec<Fact>,
    },
    /// A value that a symbol cannot have, or a symbol without a value.
    #[error("expected {expected}, found {symbol} = {found}")]
    Value {
        /// The symbol.
        symbol: String,
        /// The value that it stands for.
        expected: String,
        /// The operand that it was given.
        found: String,
    },
    /// Facts about one symbol that exclude each other.
    #[error("{symbol}: expected facts that a value can have, found {found}")]
    Contradiction {
        /// The symbol.
        symbol: String,
        /// The facts.
        found: String,
    },
    /// Another error, and what it is about: see [`Error::cause`] and [`Error::place`].
    #[error("{error}")]
    At {
        /// The operand and the mode.
        place: Box<Place>,
        /// Why there is no answer.
        error: Box<Error>,
    },
}

impl Error {
    pub(crate) fn overflow(operation: &'static str, operands: impl ToString) -> Self {
        Self::Algebra(crate::error::Error::Overflow { operation, operands: operands.to_string() })
    }

    pub(crate) fn operand(
        operation: &'static str,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> Self {
        Self::Algebra(crate::error::Error::operand(operation, expected.into(), found))
    }

    /// The facts that would have been enough, any one of them; empty if the cause is another.
    pub fn missing(&self) -> &[Need] {
        match self.cause() {
            Self::Missing { needs, .. } => needs,
            _ => &[],
        }
    }

    /// The byte where a parse stopped.
    pub fn offset(&self) -> Option<usize> {
        match self {
            Self::Algebra(error) => error.offset(),
            _ => None,
        }
    }
}

/// A statement about expressions that an operation depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fact {
    /// `of` is a multiple of `divisor`.
    Divides {
        /// The divisor.
        divisor: Expr,
        /// The dividend.
        of: Expr,
    },
    /// `greater >= less`.
    AtLeast {
        /// The greater.
        greater: Expr,
        /// The less.
        less: Expr,
    },
    /// They have the same value.
    Equal(Expr, Expr),
    /// They never have the same value.
    Distinct(Expr, Expr),
    /// It has one value, whichever: for operations that count, or go by bits.
    Known(Expr),
}

impl Fact {
    /// Whether it says that a symbol divides a constant, which few programs can promise.
    fn far_fetched(&self) -> bool {
        matches!(
            self,
            Self::Divides { divisor, of }
                if divisor.as_constant().is_none() && of.as_constant().is_some()
        )
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Divides { divisor, of } => write!(f, "\"{divisor} divides {of}\""),
            Self::AtLeast { greater, less } => match (greater.as_constant(), less.as_constant()) {
                (Some(_), None) => write!(f, "\"{less} <= {greater}\""),
                _ => write!(f, "\"{greater} >= {less}\""),
            },
            Self::Equal(a, b) => write!(f, "\"{a} = {b}\""),
            Self::Distinct(a, b) => write!(f, "\"{a} != {b}\""),
            Self::Known(expr) => write!(f, "\"{expr} = n\" for one n"),
        }
    }
}

/// A fact that is not known, and how to state it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Need {
    /// The fact.
    pub fact: Fact,
    /// The text that states the fact, such as `add the fact M{div=2}`.
    pub hint: String,
}

impl From<core::convert::Infallible> for Error {
    fn from(never: core::convert::Infallible) -> Self {
        match never {}
    }
}

/// The verdict of the facts about a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds under every assignment that the facts allow.
    Yes,
    /// It holds under none.
    No(Fact),
    /// The facts do not decide, or not in a way that is found.
    Unknown(Need),
}

impl Answer {
    /// Whether it is [`Answer::Yes`].
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }

    /// How little it helps to report it: what is refuted helps least.
    pub(crate) fn remoteness(&self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::Unknown(need) => 1 + u8::from(need.fact.far_fetched()),
            Self::No(fact) => 3 + u8::from(fact.far_fetched()),
        }
    }
}

/// The verdict of the facts about a quotient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quotient {
    /// The divisor divides, and this is the quotient.
    Exact(Expr),
    /// It divides under no assignment.
    Never(Fact),
    /// The facts do not decide.
    Unknown(Need),
}

impl From<Quotient> for Answer {
    fn from(quotient: Quotient) -> Self {
        match quotient {
            Quotient::Exact(_) => Self::Yes,
            Quotient::Never(fact) => Self::No(fact),
            Quotient::Unknown(need) => Self::Unknown(need),
        }
    }
}

/// Any one of some.
struct Alternatives<'n, T>(&'n [T]);

impl<T: fmt::Display> fmt::Display for Alternatives<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, one) in self.0.iter().enumerate() {
            write!(f, "{}{one}", if i == 0 { "" } else { " or " })?;
        }
        Ok(())
    }
}

/// The facts that are missing, and how to state them.
fn needed(needs: &[Need]) -> String {
    let which = match needs.len() {
        1 => "which is not known",
        2 => "neither of which is known",
        _ => "none of which is known",
    };
    let facts: Vec<_> = needs.iter().map(|need| &need.fact).collect();
    let hints: Vec<_> = needs.iter().map(|need| &need.hint).collect();
    format!("{}, {which}; {}", Alternatives(&facts), Alternatives(&hints))
}

/// An operation at work, for its errors.
pub struct Site<'s> {
    pub operation: &'static str,
    pub operands: &'s dyn Fn() -> String,
}

impl Site<'_> {
    /// The error that none of these is known.
    pub(crate) fn unmet(&self, answers: Vec<Answer>) -> Error {
        let (mut needs, mut never) = (Vec::new(), Vec::new());
        for answer in answers {
            match answer {
                Answer::Yes => {}
                Answer::No(fact) if !never.contains(&fact) => never.push(fact),
                Answer::Unknown(need) if !needs.contains(&need) => needs.push(need),
                Answer::No(_) | Answer::Unknown(_) => {}
            }
        }
        if needs.iter().any(|need| !need.fact.far_fetched()) {
            needs.retain(|need| !need.fact.far_fetched());
        }
        let (operation, operands) = (self.operation, (self.operands)());
        if needs.is_empty() {
            Error::Never { operation, operands, needs: never }
        } else {
            Error::Missing { operation, operands, needs }
        }
    }

    pub(crate) fn require(&self, answer: Answer) -> Result<()> {
        match answer {
            Answer::Yes => Ok(()),
            other => Err(self.unmet(vec![other])),
        }
    }

    pub(crate) fn exact(&self, quotient: Quotient) -> Result<Expr> {
        match quotient {
            Quotient::Exact(expr) => Ok(expr),
            other => Err(self.unmet(vec![other.into()])),
        }
    }

    /// The error that the most helpful of these is not known.
    pub(crate) fn unmet_best(&self, answers: Vec<Answer>) -> Error {
        self.unmet(answers.into_iter().min_by_key(Answer::remoteness).into_iter().collect())
    }

    /// Refuses to go through too many modes: each step may require facts of large expressions.
    pub(crate) fn few(&self, modes: usize) -> Result<()> {
        if modes <= MODE_LIMIT {
            return Ok(());
        }
        let (what, found) = ("modes of a layout with symbols", modes.to_string());
        Err(Error::Algebra(crate::error::Error::limit(what, MODE_LIMIT, found)))
    }

    pub(crate) fn overflow(&self) -> Error {
        Error::overflow(self.operation, (self.operands)())
    }
}

impl WithPlace for Error {
    fn map_place(self, change: impl FnOnce(&mut Place)) -> Self {
        let (mut place, error) = match self {
            Self::Algebra(error) => return Self::Algebra(error.map_place(change)),
            Self::At { place, error } => (place, error),
            error => (Box::default(), Box::new(error)),
        };
        change(&mut place);
        Self::At { place, error }
    }
}

impl Error {
    /// Why there is no answer, without its place.
    pub fn cause(&self) -> &Self {
        match self {
            Self::At { error, .. } => error.cause(),
            other => other,
        }
    }

    /// [`crate::error::Error::place`].
    pub fn place(&self) -> Place {
        match self {
            Self::Algebra(error) => error.place(),
            Self::At { place, .. } => (**place).clone(),
            _ => Place::default(),
        }
    }
}
