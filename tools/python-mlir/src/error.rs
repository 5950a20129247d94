//! Errors as exceptions: the text is the error's, and what it is about stands in attributes.

use layout_runtime::Error;
use layout_runtime::binding::Mismatch;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    layout_mlir,
    CompileError,
    PyException,
    "Why there is no code.\n\n\
     diagnostics: what the compiler said, a list of Diagnostic: severity, location, message and notes."
);
create_exception!(
    layout_mlir,
    OperandError,
    PyValueError,
    "Tensors that a launch does not take.\n\n\
     function: the kernel or the program.\n\
     operand, name: the operand that it is about, from 0, and its name; None if it is about none.\n\
     property: what of it: \"count\", \"element type\", \"shape\", \"strides\", \"size\", \"layout\", \"device\", \"alignment\" or \"access\".\n\
     expected, found: what is taken, and what there is."
);
create_exception!(
    layout_mlir,
    DriverError,
    PyRuntimeError,
    "What the CUDA driver refused, or code that cannot be loaded."
);
create_exception!(layout_mlir, NoGpuError, DriverError, "No CUDA driver, or no such device.");

/// An operand that a launch does not take.
pub(crate) fn refused(py: Python<'_>, mismatch: &Mismatch) -> PyErr {
    let property = mismatch.property.name();
    let operand = mismatch.operand.clone();
    raised(py, (&mismatch.of, operand), property, &mismatch.expected, &mismatch.found)
}

/// As [`refused`], of what is known of tensors here alone.
pub(crate) fn raised(
    py: Python<'_>,
    (of, operand): (&str, Option<(usize, String)>),
    property: &str,
    expected: &str,
    found: &str,
) -> PyErr {
    let place = operand.as_ref().map(|(number, name)| format!(", operand {number} ({name})"));
    let place = place.unwrap_or_default();
    let error = OperandError::new_err(format!("{of}{place}: expected {expected}, found {found}"));
    let (number, name) = operand.unzip();
    // An exception without its attributes is one still.
    let _ = (|| {
        let value = error.value(py);
        value.setattr("function", of)?;
        value.setattr("operand", number)?;
        value.setattr("name", name)?;
        value.setattr("property", property)?;
        value.setattr("expected", expected)?;
        value.setattr("found", found)
    })();
    error
}

/// The exception of an error of the runtime.
pub(crate) fn of(error: &Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::NoGpu(_) => NoGpuError::new_err(text),
        Error::Launch(_) | Error::Manifest(_) => PyValueError::new_err(text),
        Error::Read { source, .. } => PyErr::from(std::io::Error::new(source.kind(), text)),
        _ => DriverError::new_err(text),
    }
}
