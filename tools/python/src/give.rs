//! Converts values to Python's objects.

use std::sync::Arc;

use layout_algebra::{
    Basis, BasisLayout, CoordOf, Expr, Facts, Layout, Leaf, Nested, TilerOf, Value,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use crate::classes::{
    PyComposed, PyComposedCoordinates, PyCoordinates, PyExpr, PyLayout, PyLinear, PyStep,
    PySwizzle, PyValue,
};
use crate::held::{AnyValue, Open};

/// The object of a class with a value.
macro_rules! object {
    ($py:expr, $held:expr, $class:expr) => {
        Ok(Py::new($py, PyClassInitializer::from(PyValue($held)).add_subclass($class))?.into_any())
    };
}

/// The conversion of values with other leaves into objects.
pub(crate) trait ToObject: Leaf {
    /// The facts that go along with a value.
    type With: Clone;

    fn hold(value: Value<Self>, with: &Self::With) -> AnyValue;

    fn number(py: Python<'_>, leaf: Self, with: &Self::With) -> PyResult<Py<PyAny>>;
}

impl ToObject for i64 {
    type With = ();

    fn hold(value: Value<Self>, (): &()) -> AnyValue {
        AnyValue::Closed(value)
    }

    fn number(py: Python<'_>, leaf: Self, (): &()) -> PyResult<Py<PyAny>> {
        Ok(leaf.into_pyobject(py)?.into_any().unbind())
    }
}

impl ToObject for Expr {
    type With = Arc<Facts>;

    fn hold(value: Value<Self>, facts: &Arc<Facts>) -> AnyValue {
        AnyValue::open(value, Arc::clone(facts))
    }

    fn number(py: Python<'_>, leaf: Self, facts: &Arc<Facts>) -> PyResult<Py<PyAny>> {
        match leaf.as_constant() {
            Some(value) => i64::number(py, value, &()),
            None => {
                let open = Open { value: Value::Int(leaf), facts: Arc::clone(facts) };
                object!(py, AnyValue::Open(Box::new(open)), PyExpr)
            }
        }
    }
}

/// The object of a value.
pub(crate) fn give(py: Python<'_>, held: AnyValue) -> PyResult<Py<PyAny>> {
    match held {
        AnyValue::Closed(value) => given::<i64>(py, value, &()),
        AnyValue::Open(open) => given::<Expr>(py, open.value, &open.facts),
    }
}

fn given<L: ToObject>(py: Python<'_>, value: Value<L>, with: &L::With) -> PyResult<Py<PyAny>> {
    match value {
        Value::Layout(_) => object!(py, L::hold(value, with), PyLayout),
        Value::Int(leaf) => L::number(py, leaf, with),
        Value::Tuple(tuple) => nested(py, &tuple, &mut |leaf| L::number(py, leaf.clone(), with)),
        Value::Coord(coord) => coordinate::<L>(py, &coord, with),
        Value::Composed(_) => object!(py, L::hold(value, with), PyComposed),
        Value::Swizzle(_) => object!(py, L::hold(value, with), PySwizzle),
        Value::Tiler(tiler) => tilers::<L, _>(py, tiler, with),
        Value::CoordinateTiler(tiler) => tilers::<L, _>(py, tiler, with),
        Value::Basis(_) => object!(py, L::hold(value, with), PyCoordinates),
        Value::ComposedBasis(_) => object!(py, L::hold(value, with), PyComposedCoordinates),
        Value::Steps(steps) => strides::<L>(py, &steps, with),
        Value::Linear(_) => object!(py, L::hold(value, with), PyLinear),
        Value::Bool(answer) => Ok(PyBool::new(py, answer).to_owned().into_any().unbind()),
        Value::List(values) => {
            let values = values.into_iter().map(|value| given::<L>(py, value, with));
            let values = values.collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, values)?.into_any().unbind())
        }
    }
}

/// Shape and stride of a layout, as tuples.
pub(crate) fn shape<L: ToObject>(
    py: Python<'_>,
    of: &Layout<L>,
    with: &L::With,
) -> PyResult<Py<PyAny>> {
    nested(py, of.shape(), &mut |leaf| L::number(py, leaf.clone(), with))
}

pub(crate) fn stride<L: ToObject>(
    py: Python<'_>,
    of: &Layout<L>,
    with: &L::With,
) -> PyResult<Py<PyAny>> {
    nested(py, of.stride(), &mut |leaf| L::number(py, leaf.clone(), with))
}

pub(crate) fn basis_parts<L: ToObject>(
    py: Python<'_>,
    of: &BasisLayout<L>,
    with: &L::With,
) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let shape = nested(py, of.shape(), &mut |leaf| L::number(py, leaf.clone(), with))?;
    Ok((shape, strides::<L>(py, of.stride(), with)?))
}

pub(crate) fn nested<T>(
    py: Python<'_>,
    of: &Nested<T>,
    leaf: &mut impl FnMut(&T) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    match of {
        Nested::Leaf(value) => leaf(value),
        Nested::Node(entries) => {
            let entries = entries.iter().map(|entry| nested(py, entry, leaf));
            let entries = entries.collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, entries)?.into_any().unbind())
        }
    }
}

fn coordinate<L: ToObject>(py: Python<'_>, of: &CoordOf<L>, with: &L::With) -> PyResult<Py<PyAny>> {
    match of {
        CoordOf::At(value) => L::number(py, value.clone(), with),
        CoordOf::Any => Ok(py.None()),
        CoordOf::Tuple(entries) => {
            let entries = entries.iter().map(|entry| coordinate::<L>(py, entry, with));
            let entries = entries.collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, entries)?.into_any().unbind())
        }
    }
}

fn tilers<L: ToObject, T>(py: Python<'_>, of: TilerOf<T>, with: &L::With) -> PyResult<Py<PyAny>>
where
    Value<L>: From<T>,
{
    match of {
        TilerOf::Layout(layout) => given::<L>(py, layout.into(), with),
        TilerOf::Any => Ok(py.None()),
        TilerOf::Tuple(entries) => {
            let entries = entries.into_iter().map(|entry| tilers::<L, _>(py, entry, with));
            let entries = entries.collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, entries)?.into_any().unbind())
        }
    }
}

/// A stride of basis elements; one that is a number is given as that.
fn strides<L: ToObject>(
    py: Python<'_>,
    of: &Nested<Basis<L>>,
    with: &L::With,
) -> PyResult<Py<PyAny>> {
    nested(py, of, &mut |step| match step.path.is_empty() {
        true => L::number(py, step.scale.clone(), with),
        false => {
            let step = Value::Steps(Nested::Leaf(step.clone()));
            object!(py, L::hold(step, with), PyStep)
        }
    })
}
