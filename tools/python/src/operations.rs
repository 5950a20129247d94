//! The table of operations as functions of the module.

use std::borrow::Cow;
use std::ffi::CString;

use layout_algebra::{Op, Operation, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::describe;
use crate::error::RaiseExt;
use crate::give::give;
use crate::held::{AnyValue, common, operand};

/// Adds a function for each row of the table.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for row in Operation::all() {
        let op = row.op;
        let doc = format!("{}\n--\n\n{}", describe::signature(row), describe::doc(row));
        // CPython keeps pointers to both for as long as it runs; the module is made once.
        let (name, doc) = (kept(row.name)?, kept(&doc)?);
        let function = PyCFunction::new_closure(
            py,
            Some(name),
            Some(doc),
            move |operands: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>| {
                apply(op, operands, named)
            },
        )?;
        module.add(row.name, function)?;
    }
    Ok(())
}

fn kept(text: &str) -> PyResult<&'static std::ffi::CStr> {
    Ok(Box::leak(CString::new(text)?.into_boxed_c_str()))
}

/// An operation on operands of Python's.
fn apply(
    op: Op,
    operands: &Bound<'_, PyTuple>,
    named: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = operands.py();
    let given: Vec<Bound<'_, PyAny>> = operands.iter().collect();
    let stride = |name: &Bound<'_, PyAny>| {
        // The one operand that programs in Python name.
        op == Op::MakeLayout && given.len() == 1 && name.to_string() == "stride"
    };
    let named: Vec<_> = named.into_iter().flatten().collect();
    let unknown = named.iter().find(|(name, _)| !stride(name));
    if let Some((name, value)) = unknown.or(named.first()) {
        if !stride(name) {
            return Err(PyTypeError::new_err(format!(
                "{}() got an unexpected keyword argument '{name}'",
                op.name()
            )));
        }
        let stride = if value.is_none() { None } else { Some(operand(value)?) };
        let layout = crate::held::layout(&*operand(&given[0])?, stride.as_deref());
        return give(py, layout.raise(py)?);
    }
    let values = given.iter().map(operand).collect::<PyResult<Vec<_>>>()?;
    let value = evaluated(op, &values).raise(py)?;
    give(py, value)
}

/// The value of an operation: of integers, unless an operand has symbols.
pub(crate) fn evaluated(
    op: Op,
    operands: &[Cow<'_, AnyValue>],
) -> layout_algebra::integer::Result<AnyValue> {
    let mut closed: Vec<&Value> = Vec::with_capacity(operands.len());
    for value in operands {
        match &**value {
            AnyValue::Closed(value) => closed.push(value),
            AnyValue::Open(_) => break,
        }
    }
    if closed.len() == operands.len() {
        return Ok(AnyValue::Closed(op.apply(&closed)?));
    }
    let values: Vec<&AnyValue> = operands.iter().map(|value| &**value).collect();
    match common(&values)? {
        Some((values, facts)) => Ok(AnyValue::open(op.apply_under(&facts, &values)?, facts)),
        None => Ok(AnyValue::Closed(op.apply(&closed)?)),
    }
}
