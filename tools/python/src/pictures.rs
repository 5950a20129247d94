//! Pictures of layouts, for notebooks and files.

use layout_algebra::{Error, Layout, Tuple, Value};
use layout_picture::{DEFAULT_EXTENT, Labels, Paint, draw, html, latex, svg, table};
use pyo3::prelude::*;

use crate::error::{RaiseExt, raised};
use crate::held::{AnyValue, operand, tuple_of};

/// A picture of a layout: a table in a notebook, and text where it is printed.
#[pyclass(frozen, name = "Picture", module = "layout_algebra")]
pub(crate) struct PyPicture([layout_picture::Picture; 1]);

#[pymethods]
impl PyPicture {
    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<Picture of {}>", self.0[0].title)
    }

    /// As text, as CuTe's `print_layout` draws it.
    fn text(&self) -> String {
        table::write(&self.0[0], Paint::Plain)
    }

    /// As a document of SVG.
    fn svg(&self) -> String {
        svg::document(&self.0)
    }

    /// As a page of HTML.
    fn html(&self) -> String {
        html::document(&self.0)
    }

    /// As a document of LaTeX, with TikZ.
    fn latex(&self) -> String {
        latex::document(&self.0)
    }

    pub(crate) fn _repr_svg_(&self) -> String {
        self.svg()
    }

    pub(crate) fn _repr_html_(&self) -> String {
        html::fragment(&self.0)
    }
}

/// The content of a picture of a layout.
pub(crate) enum PictureContent<'a, 'py> {
    Offsets,
    ThreadValues(&'a Bound<'py, PyAny>),
    Banks { bits: i64, access: Option<&'a Bound<'py, PyAny>> },
}

/// Draws a value.
pub(crate) fn picture(
    py: Python<'_>,
    held: &AnyValue,
    shown: &PictureContent<'_, '_>,
    max: Option<usize>,
) -> PyResult<PyPicture> {
    let refused = |expected: &str, found: String| {
        raised(py, Error::Operand { operation: "picture", expected: expected.to_owned(), found })
    };
    let AnyValue::Closed(value) = held else {
        return Err(refused("a layout of integers; substitute(…) makes one", held.text()));
    };
    let labels = match shown {
        PictureContent::Offsets => Labels::Offsets,
        PictureContent::ThreadValues(tile) => Labels::ThreadValues(closed_tuple(py, tile)?),
        PictureContent::Banks { bits, access } => {
            let access = match access {
                None => None,
                Some(access) => match &*operand(access)? {
                    AnyValue::Closed(Value::Layout(layout)) => Some(layout.clone()),
                    AnyValue::Closed(Value::Tuple(shape)) => {
                        Some(Layout::from_shape(shape.clone()).raise(py)?)
                    }
                    other => {
                        return Err(refused("a plain layout of threads and values", other.text()));
                    }
                },
            };
            Labels::Banks { bits: *bits, access }
        }
    };
    let picture = draw(value, &labels, max.unwrap_or(DEFAULT_EXTENT)).raise(py)?;
    Ok(PyPicture([picture]))
}

/// The picture that a notebook shows of a value by itself, or `None` if it is no layout of integers.
pub(crate) fn of_itself(py: Python<'_>, held: &AnyValue) -> Option<PyPicture> {
    match held.kind() {
        "layout" | "composed" | "basis layout" | "linear layout" => {
            picture(py, held, &PictureContent::Offsets, None).ok()
        }
        _ => None,
    }
}

fn closed_tuple(py: Python<'_>, any: &Bound<'_, PyAny>) -> PyResult<Tuple> {
    match &*operand(any)? {
        AnyValue::Closed(value) => tuple_of("tile", value.clone()).raise(py),
        other => {
            let (expected, found) = ("a shape of integers".to_owned(), other.text());
            Err(raised(py, Error::Operand { operation: "picture", expected, found }))
        }
    }
}
