//! Errors as exceptions with the error's text, and its parts as attributes.

use layout_algebra::{Error, integer};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

create_exception!(
    layout_algebra,
    LayoutError,
    PyValueError,
    "Why an operation has no answer: expected, found, and where.\n\n\
     code: the kind of error, which stays the same when messages are reworded.\n\
     operation, expected, found: what was called, what it takes and what it was given; None where they do not apply.\n\
     operand: the operand that it is about, from 0; None if it is about none.\n\
     mode: the mode of that operand, from the outermost inwards, as a tuple.\n\
     calls: of nested calls, the operands that lead to the one that was refused.\n\
     offset: the byte of the text where reading stopped; None if the text could be read."
);
create_exception!(layout_algebra, ParseError, LayoutError, "Text that is no term.");
create_exception!(
    layout_algebra,
    NoCompositionError,
    LayoutError,
    "A composition that is no layout.\n\n\
     coordinate: the first one where every layout fails.\n\
     expected, found: the value there, and that of the layout which agrees before."
);
create_exception!(
    layout_algebra,
    MissingFactError,
    LayoutError,
    "An operation on symbols whose answer depends on what is not known of them.\n\n\
     needs: the facts, of which any one is enough.\n\
     hints: how to state each."
);

/// A result whose error is raised.
pub(crate) trait RaiseExt<T> {
    fn raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Into<integer::Error>> RaiseExt<T> for Result<T, E> {
    fn raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, error))
    }
}

/// The exception of an error.
pub(crate) fn raised(py: Python<'_>, error: impl Into<integer::Error>) -> PyErr {
    let error = error.into();
    let text = error.to_string();
    let exception = match error.cause() {
        integer::Error::Algebra(error) => match error.cause() {
            Error::Parse { .. } => ParseError::new_err(text),
            Error::NoComposition { .. } => NoCompositionError::new_err(text),
            _ => LayoutError::new_err(text),
        },
        integer::Error::Missing { .. } => MissingFactError::new_err(text),
        _ => LayoutError::new_err(text),
    };
    // An exception without its attributes is one still.
    let _ = describe(exception.value(py).as_any(), &error);
    exception
}

fn describe(exception: &Bound<'_, PyAny>, error: &integer::Error) -> PyResult<()> {
    let py = exception.py();
    let place = error.place();
    exception.setattr("operand", place.operand)?;
    exception.setattr("mode", PyTuple::new(py, &place.modes)?)?;
    exception.setattr("calls", PyTuple::new(py, &place.calls)?)?;
    exception.setattr("offset", error.offset())?;
    let reported = Reported::of(error);
    exception.setattr("code", reported.code)?;
    exception.setattr("operation", reported.operation)?;
    exception.setattr("expected", reported.expected)?;
    exception.setattr("found", reported.found)?;
    if let integer::Error::Algebra(error) = error.cause()
        && let Error::NoComposition { coordinate, expected, found, .. } = error.cause()
    {
        exception.setattr("coordinate", coordinate)?;
        exception.setattr("expected", expected)?;
        exception.setattr("found", found)?;
    }
    let needs = error.missing();
    exception.setattr(
        "needs",
        PyTuple::new(py, needs.iter().map(|need| need.fact.to_string().replace('"', "")))?,
    )?;
    exception.setattr("hints", PyTuple::new(py, needs.iter().map(|need| &need.hint))?)
}

/// The parts of an error.
#[derive(Default)]
struct Reported {
    code: &'static str,
    operation: Option<String>,
    expected: Option<String>,
    found: Option<String>,
}

impl Reported {
    fn of(error: &integer::Error) -> Self {
        let report =
            |code, operation: Option<&str>, expected: Option<&str>, found: Option<&str>| Self {
                code,
                operation: operation.map(str::to_owned),
                expected: expected.map(str::to_owned),
                found: found.map(str::to_owned),
            };
        match error.cause() {
            integer::Error::Algebra(error) => {
                let cause = error.cause();
                match cause {
                    Error::Parse { expected, found, .. } => {
                        report(cause.code(), None, Some(expected), Some(found))
                    }
                    Error::Operand { operation, expected, found } => {
                        report(cause.code(), Some(operation), Some(expected), Some(found))
                    }
                    Error::Condition { operation, expected, found, .. } => {
                        report(cause.code(), Some(operation), Some(expected), Some(found))
                    }
                    Error::Overflow { operation, .. } | Error::Mode { operation, .. } => {
                        report(cause.code(), Some(operation), None, None)
                    }
                    Error::NoComposition { .. } | Error::Undecided { .. } => {
                        report(cause.code(), Some("composition"), None, None)
                    }
                    _ => report(cause.code(), None, None, None),
                }
            }
            integer::Error::Missing { operation, .. } => {
                report("missing-fact", Some(operation), None, None)
            }
            integer::Error::Never { operation, .. } => {
                report("ruled-out", Some(operation), None, None)
            }
            integer::Error::Value { expected, found, .. } => {
                report("value", None, Some(expected), Some(found))
            }
            integer::Error::Contradiction { found, .. } => {
                report("contradiction", None, None, Some(found))
            }
            _ => report("error", None, None, None),
        }
    }
}
