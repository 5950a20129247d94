//! Errors of operations of the algebra, each with what was expected and what was found.

use crate::{
    nested::{ShapeStride, Tuple},
    place::{Place, WithPlace},
};
use alloc::{boxed::Box, format, string::String, string::ToString};

/// The result of an operation of the algebra.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An error keeps its operands, so that a caller can present them itself; its text is one line.
///
/// The documentation of a method leaves out the errors that all have: overflow, limits of expressions and of evaluations, and
/// the errors of the methods that it consists of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Text that is no term.
    #[error("at byte {offset}: expected {expected}, found {found}{}", suggestion(*nearest))]
    Parse {
        /// Bytes before the place where reading stopped.
        offset: usize,
        /// The text that could have been there.
        expected: String,
        /// The text that is there.
        found: String,
        /// The name that is most like what is there, if one is.
        nearest: Option<&'static str>,
    },
    /// Shape and stride nest differently.
    #[error("expected a stride congruent to the shape {}, found {}", brief(shape), brief(stride))]
    Incongruent {
        /// The shape.
        shape: Tuple,
        /// The stride.
        stride: Tuple,
    },
    /// An extent below 1.
    #[error("expected extents of at least 1, found {extent} in {}", brief(shape))]
    Extent {
        /// The shape.
        shape: Tuple,
        /// The extent.
        extent: i64,
    },
    /// A number left the range of 64 bits.
    #[error(
        "{operation}: expected results within 64 bits, found an overflow for {}",
        brief(operands)
    )]
    Overflow {
        /// The operation.
        operation: &'static str,
        /// Its operands.
        operands: String,
    },
    /// A term, shape or search larger than this library takes on.
    #[error("{what}: expected at most {limit}, found {found}")]
    Limit {
        /// The bounded quantity.
        what: &'static str,
        /// The bound.
        limit: usize,
        /// The quantity that was requested.
        found: String,
    },
    /// A coordinate that does not fit a shape.
    #[error("expected a coordinate that fits the shape {}, found {}", brief(shape), brief(coord))]
    Coordinate {
        /// The shape.
        shape: Tuple,
        /// The coordinate.
        coord: String,
    },
    /// A composition that is no layout.
    #[error(
        "composition({}, {}): no layout has these values: expected {expected} at coordinate \
         {coordinate}, found {found} in the only candidate",
        brief(a),
        brief(b)
    )]
    NoComposition {
        /// Left operand.
        a: ShapeStride,
        /// Right operand.
        b: ShapeStride,
        /// The first one-dimensional coordinate where every layout fails.
        coordinate: i64,
        /// `a(b(coordinate))`.
        expected: i64,
        /// The offset in the layout that agrees on all earlier coordinates.
        found: i64,
    },
    /// The closed form does not decide and the operand is too large to enumerate.
    #[error(
        "composition({}, {}): expected a strongly divisible right operand or at most {limit} \
         coordinates to compare, found {size}",
        brief(a),
        brief(b)
    )]
    Undecided {
        /// Left operand.
        a: ShapeStride,
        /// Right operand.
        b: ShapeStride,
        /// Coordinates to compare: those of the right operand, and what the operation has compared in
        /// earlier modes.
        size: i64,
        /// The budget of an operation.
        limit: i64,
    },
    /// A condition of an operation that its operand does not meet.
    #[error("{operation}({}): expected {expected}, found {}", brief(operand), brief(found))]
    Condition {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: String,
        /// The condition.
        expected: &'static str,
        /// The part that breaks it.
        found: String,
    },
    /// An operand of the wrong kind, or the wrong number of operands.
    #[error("{operation}: expected {}, found {}", brief(expected), brief(found))]
    Operand {
        /// The operation.
        operation: &'static str,
        /// The operand that the operation takes.
        expected: String,
        /// The operand that it was given.
        found: String,
    },
    /// A mode that a layout does not have.
    #[error(
        "{operation}: expected a mode below the rank {rank} of {}, found {mode}",
        brief(layout)
    )]
    Mode {
        /// The operation.
        operation: &'static str,
        /// The layout.
        layout: String,
        /// Its rank.
        rank: usize,
        /// The mode.
        mode: i64,
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

/// The characters of an operand that a message quotes; the error itself has all.
const QUOTED: usize = 200;

/// An operand in a message, which is one line: of a long one its beginning.
pub(crate) fn brief(operand: impl ToString) -> String {
    let mut text = operand.to_string();
    if let Some((end, _)) = text.char_indices().nth(QUOTED) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The part of a message about the name that was meant.
fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

impl Error {
    /// The kind of error, for programs: one lower-case word or words for each variant, which stay
    /// the same when messages are reworded.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// assert_eq!(Term::parse("coalesce(").unwrap_err().code(), "parse");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parse { .. } => "parse",
            Self::Incongruent { .. } => "incongruent",
            Self::Extent { .. } => "extent",
            Self::Overflow { .. } => "overflow",
            Self::Limit { .. } => "limit",
            Self::Coordinate { .. } => "coordinate",
            Self::NoComposition { .. } => "no-composition",
            Self::Undecided { .. } => "undecided",
            Self::Condition { .. } => "condition",
            Self::Operand { .. } => "operand",
            Self::Mode { .. } => "mode",
            Self::At { error, .. } => error.code(),
        }
    }

    /// The byte where a parse stopped.
    pub fn offset(&self) -> Option<usize> {
        match self {
            Self::Parse { offset, .. } => Some(*offset),
            Self::At { error, .. } => error.offset(),
            _ => None,
        }
    }

    pub(crate) fn parse(offset: usize, expected: impl Into<String>, found: impl ToString) -> Self {
        let (expected, found) = (expected.into(), found.to_string());
        Self::Parse { offset, expected, found, nearest: None }
    }

    pub(crate) fn condition(
        operation: &'static str,
        operand: impl ToString,
        expected: &'static str,
        found: impl ToString,
    ) -> Self {
        let (operand, found) = (operand.to_string(), found.to_string());
        Self::Condition { operation, operand, expected, found }
    }

    pub(crate) fn operand(
        operation: &'static str,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> Self {
        Self::Operand { operation, expected: expected.into(), found: found.to_string() }
    }

    pub(crate) fn limit(
        what: &'static str,
        limit: impl TryInto<usize>,
        found: impl ToString,
    ) -> Self {
        let limit = limit.try_into().unwrap_or(usize::MAX);
        Self::Limit { what, limit, found: found.to_string() }
    }

    pub(crate) fn overflow(operation: &'static str, operands: impl ToString) -> Self {
        Self::Overflow { operation, operands: operands.to_string() }
    }
}

impl WithPlace for Error {
    fn map_place(self, change: impl FnOnce(&mut Place)) -> Self {
        let (mut place, error) = match self {
            // It has its place in the text.
            Self::Parse { .. } => return self,
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

    /// Where it is, in the term that was evaluated. An error that names one operand is about that one.
    pub fn place(&self) -> Place {
        let mut place = match self {
            Self::At { place, .. } => (**place).clone(),
            _ => Place::default(),
        };
        if place.operand.is_none() {
            place.operand = match self.cause() {
                Self::NoComposition { .. } | Self::Undecided { .. } => Some(1),
                Self::Condition { .. } | Self::Coordinate { .. } => Some(0),
                _ => None,
            };
        }
        place
    }
}
