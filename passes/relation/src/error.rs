//! Errors of queries, each with what was expected and what was found.

use layout_algebra::Tuple;

use crate::isl::Limit;

/// The result of a question.
pub type Result<T> = std::result::Result<T, Error>;

/// An error; its text is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The algebra has no answer.
    #[error(transparent)]
    Algebra(#[from] layout_algebra::Error),
    /// A limit was hit first.
    #[error("{operation}: expected an answer within {limit}, found none")]
    Limit {
        /// The operation of ISL.
        operation: &'static str,
        /// The limit.
        limit: Limit,
    },
    /// ISL refused.
    #[error("{operation}: expected an answer of ISL, found its error `{message}`")]
    Isl {
        /// The operation of ISL.
        operation: &'static str,
        /// Its message.
        message: String,
    },
    /// Text that is no relation or set.
    #[error("expected {expected}, found {found}")]
    Text {
        /// The text that was expected.
        expected: &'static str,
        /// The text that was found.
        found: String,
    },
    /// Operands that belong to different contexts.
    #[error("expected operands of one context, found two contexts")]
    Contexts,
    /// A number that does not fit.
    #[error("expected an integer within 64 bits, found {found}")]
    Range {
        /// The number.
        found: String,
    },
    /// Tuples of the wrong number of dimensions.
    #[error("{operation}: expected {expected}, found {found}")]
    Dimensions {
        /// The operation.
        operation: &'static str,
        /// The operands that were expected.
        expected: String,
        /// The operand that was found.
        found: String,
    },
    /// A shape that is no coordinate space of a layout.
    #[error("expected a shape that is compatible with {shape}, found {found}")]
    Incompatible {
        /// The layout's shape.
        shape: Tuple,
        /// The shape that was given.
        found: Tuple,
    },
    /// A condition of an operation that its operand does not meet.
    #[error("{operation}({operand}): expected {expected}, found {found}")]
    Condition {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: String,
        /// The condition.
        expected: &'static str,
        /// The value that breaks it.
        found: String,
    },
}
