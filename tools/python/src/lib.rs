//! The extension of the Python package `layout_algebra`: every operation of the algebra's table as a function, and a class
//! for each kind of value.

mod classes;
mod describe;
mod error;
mod expr;
mod give;
mod held;
mod linear;
mod operations;
mod pictures;

use pyo3::prelude::*;

use error::RaiseExt;
use layout_algebra::Operation;

/// The native part of `layout_algebra`.
#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<classes::PyValue>()?;
    module.add_class::<classes::PyLayout>()?;
    module.add_class::<classes::PyComposed>()?;
    module.add_class::<classes::PySwizzle>()?;
    module.add_class::<classes::PyLinear>()?;
    module.add_class::<classes::PyCoordinates>()?;
    module.add_class::<classes::PyComposedCoordinates>()?;
    module.add_class::<classes::PyStep>()?;
    module.add_class::<classes::PyExpr>()?;
    module.add_class::<pictures::PyPicture>()?;
    module.add("LayoutError", py.get_type::<error::LayoutError>())?;
    module.add("ParseError", py.get_type::<error::ParseError>())?;
    module.add("NoCompositionError", py.get_type::<error::NoCompositionError>())?;
    module.add("MissingFactError", py.get_type::<error::MissingFactError>())?;
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(layout, module)?)?;
    module.add_function(wrap_pyfunction!(expr::symbol, module)?)?;
    module.add("OPERATIONS", rows(py)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    operations::add(module)
}

/// The value of a term, such as `"composition((6,2):(8,2), (4,3):(3,1))"`.
///
/// Names that are given stand for values, and other names for symbols: numbers that are known at run time, with what is
/// known of them in braces, as in `"(M,K{div=8}):(K,1)"`.
#[pyfunction]
#[pyo3(signature = (text, **names))]
fn evaluate(
    py: Python<'_>,
    text: &str,
    names: Option<&Bound<'_, pyo3::types::PyDict>>,
) -> PyResult<Py<PyAny>> {
    let Some(names) = names.filter(|names| !names.is_empty()) else {
        return give::give(py, held::AnyValue::of_text(text).raise(py)?);
    };
    let mut facts = layout_algebra::Facts::new();
    let mut texts = std::collections::BTreeMap::new();
    for (name, value) in names {
        let value = held::operand(&value)?.into_owned();
        texts.insert(
            name.to_string(),
            match &value {
                held::AnyValue::Closed(value) => value.to_string(),
                held::AnyValue::Open(open) => {
                    facts.join(&open.facts).raise(py)?;
                    open.value.to_string()
                }
            },
        );
    }
    let value = layout_algebra::evaluate_with(text, &mut facts, &texts).raise(py)?;
    give::give(py, held::AnyValue::open(value, std::sync::Arc::new(facts)))
}

/// The layout of an object: text, an integer, a shape, or an object with a shape and a stride, such as a tensor
/// of PyTorch's or a layout of pycute's or CUTLASS's.
#[pyfunction]
#[pyo3(signature = (of, /))]
fn layout(py: Python<'_>, of: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    use layout_algebra::Value;
    let held = held::operand(of)?;
    match held.kind() {
        "integer" | "tuple" => give::give(py, held::layout(&held, None).raise(py)?),
        "layout" | "composed" | "linear layout" | "basis layout" => {
            give::give(py, held.into_owned())
        }
        _ => {
            let found = match &*held {
                held::AnyValue::Closed(value @ (Value::Coord(_) | Value::Tiler(_))) => {
                    value.to_string()
                }
                held => held.text(),
            };
            Err(error::raised(
                py,
                layout_algebra::Error::Operand {
                    operation: "layout",
                    expected: "a layout".to_owned(),
                    found,
                },
            ))
        }
    }
}

/// The rows of the table of operations, in its order: name, family, form, meaning, law, example, value, CuTe's spelling,
/// and as which method of layouts it is known: its name and the place of the layout, and whether linear layouts have it.
fn rows(py: Python<'_>) -> PyResult<Vec<Bound<'_, pyo3::types::PyTuple>>> {
    Operation::all()
        .iter()
        .map(|row| {
            (
                row.name,
                row.family,
                row.form,
                row.meaning,
                row.law.text(),
                row.example,
                row.cute,
                describe::place_of_self(row),
                describe::is_linear(row),
                describe::has_linear(row),
            )
                .into_pyobject(py)
        })
        .collect()
}
