//! Triton's linear layouts.

use layout_algebra::linear::LinearLayout;
use layout_algebra::{Error, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::classes::PyValue;
use crate::error::{RaiseExt, raised};
use crate::held::{AnyValue, taken};

/// A linear layout, as Triton has them: the output at a sum without carries is the xor of the outputs.
#[pyclass(extends = PyValue, frozen, name = "LinearLayout", module = "layout_algebra")]
pub(crate) struct PyLinear;

impl PyLinear {
    fn of<'a>(slf: &'a Bound<'_, Self>) -> PyResult<&'a LinearLayout> {
        match &slf.as_super().get().0 {
            AnyValue::Closed(Value::Linear(layout)) => Ok(layout),
            other => Err(PyTypeError::new_err(format!(
                "expected a linear layout, found the {}",
                other.kind()
            ))),
        }
    }
}

/// Dimensions and their bases.
type Bases = Vec<(String, Vec<Vec<i64>>)>;

#[pymethods]
impl PyLinear {
    #[new]
    fn new(of: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let held = taken(of, 0)?;
        if matches!(held, AnyValue::Closed(Value::Linear(_))) {
            return Ok(PyClassInitializer::from(PyValue(held)).add_subclass(Self));
        }
        let error = Error::Operand {
            operation: "LinearLayout",
            expected: "a linear layout; to_linear(L) makes one of another layout".to_owned(),
            found: held.text(),
        };
        Err(raised(of.py(), error))
    }

    #[staticmethod]
    #[pyo3(signature = (bases, names, sizes = None))]
    fn _of_bases(
        py: Python<'_>,
        bases: Bases,
        names: Vec<String>,
        sizes: Option<Vec<i64>>,
    ) -> PyResult<Py<PyAny>> {
        let layout = match sizes {
            None => LinearLayout::surjective(&bases, &names),
            Some(sizes) => {
                let outs: Vec<(String, i64)> = names.into_iter().zip(sizes).collect();
                LinearLayout::new(&bases, &outs)
            }
        };
        crate::give::give(py, AnyValue::Closed(Value::Linear(layout.raise(py)?)))
    }

    /// The bases: for each input the outputs at 1, 2, 4, … of it.
    #[getter]
    fn bases<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let bases = PyDict::new(slf.py());
        for (name, vectors) in Self::of(slf)?.bases() {
            bases.set_item(name, vectors)?;
        }
        Ok(bases)
    }

    /// The inputs and their sizes.
    #[getter]
    fn in_dims<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let dims = PyDict::new(slf.py());
        Self::of(slf)?.in_dims().try_for_each(|(name, size)| dims.set_item(name, size))?;
        Ok(dims)
    }

    /// The outputs and their sizes.
    #[getter]
    fn out_dims<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let dims = PyDict::new(slf.py());
        Self::of(slf)?.out_dims().try_for_each(|(name, size)| dims.set_item(name, size))?;
        Ok(dims)
    }

    /// The output at named inputs, as a dictionary; at one number the flattened output.
    #[pyo3(signature = (*index, **inputs))]
    fn __call__(
        slf: &Bound<'_, Self>,
        index: &Bound<'_, PyTuple>,
        inputs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let layout = Self::of(slf)?;
        if index.len() == 1 && inputs.is_none() {
            let offset = layout.at(index.get_item(0)?.extract()?).raise(py)?;
            return Ok(offset.into_pyobject(py)?.into_any().unbind());
        }
        if !index.is_empty() {
            return Err(PyTypeError::new_err("expected one index, or inputs by name"));
        }
        let mut named: Vec<(String, i64)> = Vec::new();
        for (name, value) in inputs.into_iter().flatten() {
            named.push((name.to_string(), value.extract()?));
        }
        let outputs = PyDict::new(py);
        for (name, value) in layout.apply(&named).raise(py)? {
            outputs.set_item(name, value)?;
        }
        Ok(outputs.into_any().unbind())
    }

    /// The number of inputs: the product of their sizes.
    fn size(slf: &Bound<'_, Self>) -> PyResult<i64> {
        Ok(Self::of(slf)?.size())
    }

    /// The number of outputs: the product of their sizes, whether they are reached or not.
    fn cosize(slf: &Bound<'_, Self>) -> PyResult<i64> {
        Ok(Self::of(slf)?.cosize())
    }

    /// Whether every output is reached.
    fn is_surjective(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::of(slf)?.is_surjective())
    }

    /// Whether no output is reached twice.
    fn is_injective(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::of(slf)?.is_injective())
    }
}
