//! Errors as exceptions with the error's text, and its parts as attributes.

use layout_runtime::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::launch::LaunchError;

create_exception!(
    layout_mlir,
    CompileError,
    PyException,
    "Why there is no code.\n\n\
     diagnostics: the messages of the compiler, a list of Diagnostic: severity, location, message and notes."
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

/// A result whose error is raised.
pub(crate) trait RaiseExt<T> {
    fn raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> RaiseExt<T> for Result<T, LaunchError> {
    fn raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|refused| refused.raise(py))
    }
}

impl LaunchError {
    /// Its exception.
    pub(crate) fn raise(&self, py: Python<'_>) -> PyErr {
        let operand = match self {
            Self::Operand(operand) => operand,
            Self::Runtime(error) => return of(error),
            Self::Value(text) => return PyValueError::new_err(text.clone()),
        };
        let error = OperandError::new_err(self.to_string());
        let (number, name) = operand.operand.clone().unzip();
        // An exception without its attributes is one still.
        let _ = (|| {
            let value = error.value(py);
            value.setattr("function", &operand.of)?;
            value.setattr("operand", number)?;
            value.setattr("name", name)?;
            value.setattr("property", operand.property)?;
            value.setattr("expected", &operand.expected)?;
            value.setattr("found", &operand.found)
        })();
        error
    }
}

/// The exception of an error of the runtime.
pub(crate) fn of(error: &Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::NoGpu(_) => NoGpuError::new_err(text),
        Error::Launch(_) | Error::Manifest(_) | Error::Reference { .. } => {
            PyValueError::new_err(text)
        }
        Error::Read { source, .. } => PyErr::from(std::io::Error::new(source.kind(), text)),
        _ => DriverError::new_err(text),
    }
}
