//! Symbols and expressions over them.

use std::sync::Arc;

use layout_algebra::integer::Result;
use layout_algebra::{Error, Expr, Facts, Symbol, Value, Width};
use pyo3::prelude::*;

use crate::classes::PyValue;
use crate::error::{RaiseExt, raised};
use crate::give::give;
use crate::held::{AnyValue, common, operand, taken};

/// A symbol: a number that is known at run time, and what is known of it before.
///
/// `div` divides it, and it lies in `range`, a pair of bounds of which both are included and either may be None. `bits` is
/// its width, 32 or 64.
#[pyfunction(name = "Symbol")]
#[pyo3(signature = (name, div = None, range = (None, None), bits = 32))]
pub(crate) fn symbol(
    py: Python<'_>,
    name: &str,
    div: Option<i64>,
    range: (Option<i64>, Option<i64>),
    bits: u32,
) -> PyResult<Py<PyAny>> {
    let width = match bits {
        32 => Width::W32,
        64 => Width::W64,
        other => {
            let (expected, found) = ("a width of 32 or 64 bits".to_owned(), other.to_string());
            return Err(raised(py, Error::Operand { operation: "Symbol", expected, found }));
        }
    };
    let make = || -> Result<AnyValue> {
        let mut symbol = Symbol::new(name, width)?;
        if let Some(div) = div {
            symbol = symbol.with_divisor(div)?;
        }
        if let (Some(_), _) | (_, Some(_)) = range {
            let (least, most) = width.limits();
            symbol = symbol.with_range(range.0.unwrap_or(least), range.1.unwrap_or(most))?;
        }
        let mut facts = Facts::new();
        facts.insert(symbol)?;
        let value = Value::Int(facts.symbol(name)?);
        Ok(AnyValue::open(value, Arc::new(facts)))
    };
    give(py, make().raise(py)?)
}

/// An expression of symbols: a polynomial, with quotients and minima for factors. It may be used wherever an integer may.
#[pyclass(extends = PyValue, frozen, name = "Expr", module = "layout_algebra")]
pub(crate) struct PyExpr;

/// An operation on two expressions.
type Binary = fn(&Facts, &Expr, &Expr) -> Result<Expr>;

/// The value of an operation; another kind of operand is left to its own class.
fn binary(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>, f: Binary) -> PyResult<Py<PyAny>> {
    let py = left.py();
    let (left, right) = match (operand(left), operand(right)) {
        (Ok(left), Ok(right)) if left.kind() == "integer" && right.kind() == "integer" => {
            (left, right)
        }
        _ => return Ok(py.NotImplemented()),
    };
    let value = common(&[&left, &right]).and_then(|both| match both {
        Some((values, facts)) => match values.as_slice() {
            [Value::Int(left), Value::Int(right)] => {
                f(&facts, left, right).map(|value| AnyValue::open(Value::Int(value), facts))
            }
            _ => Ok(left.into_owned()), // both are integers
        },
        None => Ok(left.into_owned()), // one of them is an expression
    });
    give(py, value.raise(py)?)
}

#[pymethods]
impl PyExpr {
    #[new]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let held = taken(text, 0)?;
        match &held {
            AnyValue::Open(open) if matches!(open.value, Value::Int(_)) => {
                Ok(PyClassInitializer::from(PyValue(held)).add_subclass(Self))
            }
            other => {
                let (expected, found) = ("an expression with a symbol".to_owned(), other.text());
                Err(raised(text.py(), Error::Operand { operation: "Expr", expected, found }))
            }
        }
    }

    fn __add__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(slf.as_any(), other, |_, a, b| a.plus(b))
    }

    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(other, slf.as_any(), |_, a, b| a.plus(b))
    }

    fn __sub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(slf.as_any(), other, |_, a, b| a.minus(b))
    }

    fn __rsub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(other, slf.as_any(), |_, a, b| a.minus(b))
    }

    fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(slf.as_any(), other, |_, a, b| a.times(b))
    }

    fn __rmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(other, slf.as_any(), |_, a, b| a.times(b))
    }

    fn __neg__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        binary((-1_i64).into_pyobject(slf.py())?.as_any(), slf.as_any(), |_, a, b| a.times(b))
    }

    fn __floordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(slf.as_any(), other, Facts::floor_div)
    }

    fn __rfloordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(other, slf.as_any(), Facts::floor_div)
    }

    fn __mod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(slf.as_any(), other, Facts::modulo)
    }

    fn __rmod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        binary(other, slf.as_any(), Facts::modulo)
    }
}
