//! Classes for the kinds of values; all are values of the algebra, immutable and hashable.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use layout_algebra::{
    AnyLayout, Error, Layout, Leaf, Nested, Op, Outer, Swizzle, Tuple, Value, Values,
};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PySlice, PyTuple};

use crate::error::{RaiseExt, raised};
use crate::give::{self, ToObject, give};
use crate::held::{AnyValue, Open, integers, operand, taken};
use crate::operations::evaluated;
use crate::pictures::{self, PictureContent, PyPicture, picture};

/// A value of the algebra: a layout of any kind, a swizzle, or an expression of symbols.
#[pyclass(subclass, frozen, name = "Value", module = "layout_algebra")]
pub(crate) struct PyValue(pub(crate) AnyValue);

#[pymethods]
impl PyValue {
    fn __str__(&self) -> String {
        match &self.0 {
            AnyValue::Closed(value) => value.to_string(),
            AnyValue::Open(open) => open.value.to_string(),
        }
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("{}(\"{}\")", slf.get_type().name()?, slf.get().0.text()))
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> Py<PyAny> {
        let py = other.py();
        let Ok(other) = other.cast::<PyValue>() else { return py.NotImplemented() };
        let equal = match (&self.0, &other.get().0) {
            (AnyValue::Closed(a), AnyValue::Closed(b)) => a == b,
            (AnyValue::Open(a), AnyValue::Open(b)) => a.value == b.value,
            _ => false,
        };
        pyo3::types::PyBool::new(py, equal).to_owned().into_any().unbind()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match &self.0 {
            AnyValue::Closed(value) => value.hash(&mut hasher),
            AnyValue::Open(open) => open.value.hash(&mut hasher),
        }
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().into_any(), (slf.get().0.text(),)))
    }

    /// The kind: "layout", "composed", "swizzle", "linear layout", "basis layout", "integer".
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// The names of its symbols, in the order in which its text has them.
    #[getter]
    fn symbols(&self) -> Vec<String> {
        match &self.0 {
            AnyValue::Closed(_) => Vec::new(),
            AnyValue::Open(open) => open.value.symbols(),
        }
    }

    /// The facts of its symbols: a text for each, such as "M{div=8 range=8..}".
    #[getter]
    fn facts(&self) -> Vec<String> {
        match &self.0 {
            AnyValue::Closed(_) => Vec::new(),
            AnyValue::Open(open) => open.facts.symbols().map(ToString::to_string).collect(),
        }
    }

    /// The same value under more facts, each the text of a symbol: `L.assume("M{div=8}", "K{range=64..}")`.
    #[pyo3(signature = (*facts))]
    fn assume(&self, py: Python<'_>, facts: Vec<String>) -> PyResult<Py<PyAny>> {
        let AnyValue::Open(open) = &self.0 else { return give(py, self.0.clone()) };
        let mut known = (*open.facts).clone();
        for fact in facts {
            known.declare(&fact).raise(py)?;
        }
        let value = open.value.refresh(&known).raise(py)?;
        give(py, AnyValue::open(value, Arc::new(known)))
    }

    /// The value with integers in place of symbols, each of which needs one: `L.substitute(M=128, K=64)`.
    #[pyo3(signature = (**values))]
    fn substitute(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let AnyValue::Open(open) = &self.0 else { return give(py, self.0.clone()) };
        let mut table = Vec::new();
        for (name, value) in values.into_iter().flatten() {
            table.push((name.to_string(), value.extract::<i64>()?));
        }
        let table = table.iter().map(|(name, value)| (name.as_str(), *value));
        let values = Values::new(&open.facts, table).raise(py)?;
        give(py, AnyValue::Closed(open.value.substitute(&values).raise(py)?))
    }

    /// A picture of the offsets under their coordinates, of at most `max` rows and columns.
    #[pyo3(signature = (max = None))]
    fn draw(&self, py: Python<'_>, max: Option<usize>) -> PyResult<PyPicture> {
        picture(py, &self.0, &PictureContent::Offsets, max)
    }

    /// A picture of who holds each element of a tile: the layout is one of threads and values over it.
    #[pyo3(signature = (tile, max = None))]
    fn draw_threads(
        &self,
        py: Python<'_>,
        tile: &Bound<'_, PyAny>,
        max: Option<usize>,
    ) -> PyResult<PyPicture> {
        picture(py, &self.0, &PictureContent::ThreadValues(tile), max)
    }

    /// A picture of the bank of shared memory beside each offset, for elements of so many bits; an access by threads and
    /// values has its conflicts counted.
    #[pyo3(signature = (bits, access = None, max = None))]
    fn draw_banks(
        &self,
        py: Python<'_>,
        bits: i64,
        access: Option<&Bound<'_, PyAny>>,
        max: Option<usize>,
    ) -> PyResult<PyPicture> {
        picture(py, &self.0, &PictureContent::Banks { bits, access }, max)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        pictures::of_itself(py, &self.0).map(|picture| picture._repr_svg_())
    }

    fn _repr_html_(&self, py: Python<'_>) -> Option<String> {
        pictures::of_itself(py, &self.0).map(|picture| picture._repr_html_())
    }
}

/// The value of a constructor's one text; or of what else it takes, if that is of the kind.
fn constructed(of: &Bound<'_, PyAny>, operation: &'static str, kind: &str) -> PyResult<PyValue> {
    let held = taken(of, 0)?;
    if held.kind() == kind {
        return Ok(PyValue(held));
    }
    let (expected, found) = (format!("a {kind}"), format!("the {} {}", held.kind(), held.text()));
    Err(raised(of.py(), Error::Operand { operation, expected, found }))
}

/// A coordinate as the operands of a call have it: one, or a tuple of several.
fn coordinate(operands: &Bound<'_, PyTuple>) -> PyResult<AnyValue> {
    match operands.len() {
        1 => taken(&operands.get_item(0)?, 0),
        _ => taken(operands.as_any(), 0),
    }
}

/// The offset of a coordinate; of one with `None` what is left of the layout.
fn called(py: Python<'_>, layout: &AnyValue, operands: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    // The quick ways: integers, and tuples of them.
    if let AnyValue::Closed(value) = layout
        && operands.len() == 1
        && let Ok(index) = operands.get_item(0)?.cast::<PyInt>()
        && let Ok(index) = index.extract::<i64>()
    {
        let offset = match value {
            Value::Layout(layout) => layout.at(index),
            Value::Composed(composed) => composed.at(index),
            _ => return called_at(py, layout, &AnyValue::Closed(Value::Int(index))),
        };
        return i64::number(py, offset.raise(py)?, &());
    }
    if let (AnyValue::Closed(Value::Layout(layout)), Some(coordinate)) =
        (layout, integers(operands, 0)?)
    {
        let coordinate = match coordinate {
            Nested::Node(mut one) if one.len() == 1 => one.remove(0),
            several => several,
        };
        return i64::number(py, layout.crd2idx(&coordinate).raise(py)?, &());
    }
    for operand in operands.iter() {
        // Arrays of indices, or of coordinates in each mode, are mapped entry by entry.
        if operand.hasattr("dtype")? {
            let arrays = py.import("layout_algebra._arrays")?;
            let layout = give(py, layout.clone())?;
            return Ok(arrays.call_method1("mapped", (layout, operands))?.unbind());
        }
    }
    called_at(py, layout, &coordinate(operands)?)
}

fn called_at(py: Python<'_>, layout: &AnyValue, coordinate: &AnyValue) -> PyResult<Py<PyAny>> {
    let slices = match coordinate {
        AnyValue::Closed(value) => matches!(value, Value::Coord(_)),
        AnyValue::Open(open) => matches!(open.value, Value::Coord(_)),
    };
    if let (AnyValue::Closed(Value::Composed(composed)), AnyValue::Closed(coordinate)) =
        (layout, coordinate)
        && let Ok(coordinate) = crate::held::tuple_of("coordinate", coordinate.clone())
    {
        let layout = AnyLayout::Composed(composed.clone());
        return i64::number(py, layout.crd2idx(&coordinate).raise(py)?, &());
    }
    let operands = [Cow::Borrowed(coordinate), Cow::Borrowed(layout)];
    let op = if slices { Op::Slice } else { Op::Crd2Idx };
    give(py, evaluated(op, &operands).raise(py)?)
}

/// A mode, or several of them.
fn modes(
    py: Python<'_>,
    layout: &AnyValue,
    rank: usize,
    at: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let int = |value: usize| AnyValue::Closed(Value::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    if let Ok(slice) = at.cast::<PySlice>() {
        let indices = slice.indices(isize::try_from(rank).unwrap_or(isize::MAX))?;
        let mut operands = vec![Cow::Borrowed(layout)];
        let mut index = indices.start;
        for _ in 0..indices.slicelength {
            operands.push(Cow::Owned(int(usize::try_from(index).unwrap_or(0))));
            index += indices.step;
        }
        return give(py, evaluated(Op::Select, &operands).raise(py)?);
    }
    let index = at.extract::<isize>()?;
    let index = if index < 0 { index.saturating_add_unsigned(rank) } else { index };
    let Some(index) = usize::try_from(index).ok().filter(|&index| index < rank) else {
        let text = layout.text();
        return Err(PyIndexError::new_err(format!(
            "expected a mode below the rank {rank} of {text}, found {at}"
        )));
    };
    give(py, evaluated(Op::Get, &[Cow::Borrowed(layout), Cow::Owned(int(index))]).raise(py)?)
}

/// All modes, as an iterator.
fn each_mode(py: Python<'_>, layout: &AnyValue, rank: usize) -> PyResult<Py<PyAny>> {
    let modes = (0..rank).map(|index| modes(py, layout, rank, index.into_pyobject(py)?.as_any()));
    let modes = PyTuple::new(py, modes.collect::<PyResult<Vec<_>>>()?)?;
    Ok(modes.try_iter()?.into_any().unbind())
}

/// The value of a class's own kind. No object has another: it would not have been made.
macro_rules! of_kind {
    ($held:expr, $variant:ident($it:ident), $with:ident => $what:expr) => {
        match $held {
            AnyValue::Closed(Value::$variant($it)) => {
                let $with = &();
                $what
            }
            AnyValue::Open(open) => match &open.value {
                Value::$variant($it) => {
                    let $with = &open.facts;
                    $what
                }
                other => Err(strange(other.kind())),
            },
            AnyValue::Closed(other) => Err(strange(other.kind())),
        }
    };
}

fn strange(kind: &str) -> PyErr {
    PyTypeError::new_err(format!("expected a value of the class's kind, found the {kind}"))
}

/// The offsets of a coordinate each, the first mode's the fastest: 8 bytes of the machine's order each.
fn offset_bytes(layout: &AnyLayout) -> layout_algebra::Result<Vec<u8>> {
    let size = layout.size();
    if size > layout_algebra::ENUMERATION_LIMIT * 16 {
        return Err(Error::Limit {
            what: "offsets of an array",
            limit: usize::try_from(layout_algebra::ENUMERATION_LIMIT * 16).unwrap_or(usize::MAX),
            found: size.to_string(),
        });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) * 8);
    for index in 0..size {
        bytes.extend(layout.at(index)?.to_ne_bytes());
    }
    Ok(bytes)
}

/// The images of integers of 8 bytes each.
fn mapped(
    bytes: &[u8],
    f: impl Fn(i64) -> layout_algebra::Result<i64>,
) -> layout_algebra::Result<Vec<u8>> {
    let (words, _) = bytes.as_chunks::<8>();
    let mut out = Vec::with_capacity(bytes.len());
    for word in words {
        out.extend(f(i64::from_ne_bytes(*word))?.to_ne_bytes());
    }
    Ok(out)
}

fn any_layout(held: &AnyValue) -> PyResult<AnyLayout> {
    match held {
        AnyValue::Closed(Value::Layout(layout)) => Ok(AnyLayout::Plain(layout.clone())),
        AnyValue::Closed(Value::Composed(composed)) => Ok(AnyLayout::Composed(composed.clone())),
        other => Err(PyTypeError::new_err(format!(
            "expected a layout of integers, found {}; substitute(…) puts integers in place of symbols",
            other.text()
        ))),
    }
}

fn extents(held: &AnyValue) -> PyResult<Vec<i64>> {
    let layout = any_layout(held)?;
    Ok(layout.inner().modes().iter().map(Layout::size).collect())
}

/// A layout: a function from coordinates to offsets, as `Layout((4, 8), (8, 1))` or `Layout("(4,8):(8,1)")`.
///
/// Called at a coordinate it gives the offset, and with `None` for a mode what is left of the layout. `L[i]` is a mode.
/// Leaves may be symbols: `Layout(("M", 8), (8, 1))`.
#[pyclass(extends = PyValue, frozen, name = "Layout", module = "layout_algebra")]
pub(crate) struct PyLayout;

#[pymethods]
impl PyLayout {
    #[new]
    #[pyo3(signature = (shape, stride = None))]
    fn new(
        shape: &Bound<'_, PyAny>,
        stride: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = shape.py();
        let held = taken(shape, 0)?;
        let stride = stride.map(|stride| taken(stride, 0)).transpose()?;
        let held = match (held.kind(), &stride) {
            ("integer" | "tuple", _) => crate::held::layout(&held, stride.as_ref()).raise(py)?,
            (_, None) => held,
            (kind, Some(_)) => {
                let (expected, found) =
                    ("a shape before the stride".to_owned(), format!("the {kind} {}", held.text()));
                return Err(raised(py, Error::Operand { operation: "Layout", expected, found }));
            }
        };
        if held.kind() != "layout" {
            let expected = "a plain layout, or a shape and a stride".to_owned();
            let found = format!("the {} {}", held.kind(), held.text());
            return Err(raised(py, Error::Operand { operation: "Layout", expected, found }));
        }
        Ok(PyClassInitializer::from(PyValue(held)).add_subclass(Self))
    }

    /// The shape: an integer or a tuple.
    #[getter]
    fn shape(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, Layout(it), with => give::shape(slf.py(), it, with))
    }

    /// The stride, nested as the shape is.
    #[getter]
    fn stride(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, Layout(it), with => give::stride(slf.py(), it, with))
    }

    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        called(slf.py(), &slf.as_super().get().0, coordinate)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        of_kind!(&slf.as_super().get().0, Layout(it), _with => Ok(it.rank()))
    }

    fn __getitem__(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        modes(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?, mode)
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        each_mode(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?)
    }

    fn _offsets<'py>(slf: &Bound<'py, Self>) -> PyResult<(Cow<'static, [u8]>, Vec<i64>)> {
        let held = &slf.as_super().get().0;
        let bytes = offset_bytes(&any_layout(held)?).raise(slf.py())?;
        Ok((Cow::Owned(bytes), extents(held)?))
    }

    fn _mapped(slf: &Bound<'_, Self>, bytes: &[u8]) -> PyResult<Cow<'static, [u8]>> {
        let layout = any_layout(&slf.as_super().get().0)?;
        mapped(bytes, |index| layout.at(index)).raise(slf.py()).map(Cow::Owned)
    }

    /// The layout whose offsets these are, one after the other; a shape says how it is nested.
    #[staticmethod]
    #[pyo3(signature = (bytes, shape))]
    fn _of_offsets(bytes: &[u8], shape: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = shape.py();
        let (words, _) = bytes.as_chunks::<8>();
        let offsets: Tuple = Nested::Node(
            words.iter().map(|word| Nested::Leaf(i64::from_ne_bytes(*word))).collect(),
        );
        let operands = [Cow::Owned(AnyValue::Closed(Value::Tuple(offsets))), operand(shape)?];
        give(py, evaluated(Op::LayoutOf, &operands).raise(py)?)
    }
}

/// A composed layout: the offset of `c` is `outer(offset + inner(c))`.
#[pyclass(extends = PyValue, frozen, name = "ComposedLayout", module = "layout_algebra")]
pub(crate) struct PyComposed;

#[pymethods]
impl PyComposed {
    #[new]
    #[pyo3(signature = (outer, offset = None, inner = None))]
    fn new(
        outer: &Bound<'_, PyAny>,
        offset: Option<&Bound<'_, PyAny>>,
        inner: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = outer.py();
        let (Some(offset), Some(inner)) = (offset, inner) else {
            return Ok(PyClassInitializer::from(constructed(outer, "ComposedLayout", "composed")?)
                .add_subclass(Self));
        };
        let parts = [operand(outer)?, operand(offset)?, operand(inner)?];
        let parts: Vec<&AnyValue> = parts.iter().map(|part| &**part).collect();
        let held = composed(&parts).raise(py)?;
        Ok(PyClassInitializer::from(PyValue(held)).add_subclass(Self))
    }

    /// The outer function, applied last: a swizzle or a layout.
    #[getter]
    fn outer(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, Composed(it), with => match &it.outer {
            Outer::Swizzle(swizzle) => part::<i64>(slf.py(), Value::Swizzle(*swizzle), &()),
            Outer::Layout(layout) => part(slf.py(), layout.clone(), with),
        })
    }

    /// The offset that is added between.
    #[getter]
    fn offset(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, Composed(it), with => part(slf.py(), Value::Int(Clone::clone(&it.offset)), with))
    }

    /// The inner layout, which is applied first.
    #[getter]
    fn inner(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, Composed(it), with => part(slf.py(), it.inner.clone(), with))
    }

    /// The shape of the inner layout.
    #[getter]
    fn shape(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, Composed(it), with => give::shape(slf.py(), &it.inner, with))
    }

    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        called(slf.py(), &slf.as_super().get().0, coordinate)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        of_kind!(&slf.as_super().get().0, Composed(it), _with => Ok(it.inner.rank()))
    }

    fn __getitem__(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        modes(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?, mode)
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        each_mode(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?)
    }

    fn _offsets(slf: &Bound<'_, Self>) -> PyResult<(Cow<'static, [u8]>, Vec<i64>)> {
        let held = &slf.as_super().get().0;
        let bytes = offset_bytes(&any_layout(held)?).raise(slf.py())?;
        Ok((Cow::Owned(bytes), extents(held)?))
    }

    fn _mapped(slf: &Bound<'_, Self>, bytes: &[u8]) -> PyResult<Cow<'static, [u8]>> {
        let layout = any_layout(&slf.as_super().get().0)?;
        mapped(bytes, |index| layout.at(index)).raise(slf.py()).map(Cow::Owned)
    }
}

/// A composed layout of its three parts.
fn composed(parts: &[&AnyValue]) -> layout_algebra::integer::Result<AnyValue> {
    fn of<L: Leaf>(parts: Vec<Value<L>>) -> Option<Value<L>> {
        let [outer, Value::Int(offset), Value::Layout(inner)] = <[_; 3]>::try_from(parts).ok()?
        else {
            return None;
        };
        let outer = match outer {
            Value::Swizzle(swizzle) => Outer::Swizzle(swizzle),
            Value::Layout(layout) => Outer::Layout(layout),
            _ => return None,
        };
        Some(Value::Composed(layout_algebra::ComposedLayout { outer, offset, inner }))
    }
    let made = match crate::held::common(parts)? {
        Some((values, facts)) => of(values).map(|value| AnyValue::open(value, facts)),
        None => {
            let values = parts.iter().filter_map(|part| match part {
                AnyValue::Closed(value) => Some(value.clone()),
                AnyValue::Open(_) => None, // handled above
            });
            of(values.collect()).map(AnyValue::Closed)
        }
    };
    made.ok_or_else(|| {
        let expected = "a swizzle or a layout, an offset and a plain layout".to_owned();
        let found: Vec<String> = parts.iter().map(|part| part.text()).collect();
        Error::Operand { operation: "ComposedLayout", expected, found: found.join(", ") }.into()
    })
}

/// A swizzle: `Swizzle(bits, base, shift)`, as CuTe's `Swizzle<bits,base,shift>`, or its text.
#[pyclass(extends = PyValue, frozen, name = "Swizzle", module = "layout_algebra")]
pub(crate) struct PySwizzle;

impl PySwizzle {
    fn of(slf: &Bound<'_, Self>) -> PyResult<Swizzle> {
        match &slf.as_super().get().0 {
            AnyValue::Closed(Value::Swizzle(swizzle)) => Ok(*swizzle),
            other => Err(strange(other.kind())),
        }
    }
}

#[pymethods]
impl PySwizzle {
    #[new]
    #[pyo3(signature = (bits, base = None, shift = None))]
    fn new(
        bits: &Bound<'_, PyAny>,
        base: Option<u32>,
        shift: Option<i32>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (Some(base), Some(shift)) = (base, shift) else {
            return Ok(PyClassInitializer::from(constructed(bits, "Swizzle", "swizzle")?)
                .add_subclass(Self));
        };
        let swizzle = Swizzle::new(bits.extract()?, base, shift).raise(bits.py())?;
        Ok(PyClassInitializer::from(PyValue(AnyValue::Closed(Value::Swizzle(swizzle))))
            .add_subclass(Self))
    }

    /// Bits that take part.
    #[getter]
    fn bits(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::of(slf)?.bits)
    }

    /// Lower bits that stay.
    #[getter]
    fn base(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::of(slf)?.base)
    }

    /// Distance between the two groups of bits.
    #[getter]
    fn shift(slf: &Bound<'_, Self>) -> PyResult<i32> {
        Ok(Self::of(slf)?.shift)
    }

    /// The image of an offset.
    fn __call__(slf: &Bound<'_, Self>, offset: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        if offset.hasattr("dtype")? {
            let arrays = py.import("layout_algebra._arrays")?;
            return Ok(arrays.call_method1("mapped", (slf, (offset,)))?.unbind());
        }
        i64::number(py, Self::of(slf)?.apply(offset.extract()?), &())
    }

    fn _mapped(slf: &Bound<'_, Self>, bytes: &[u8]) -> PyResult<Cow<'static, [u8]>> {
        let swizzle = Self::of(slf)?;
        mapped(bytes, |offset| Ok(swizzle.apply(offset))).raise(slf.py()).map(Cow::Owned)
    }

    /// The offsets after which it repeats.
    fn size(slf: &Bound<'_, Self>) -> PyResult<i64> {
        Ok(Self::of(slf)?.period())
    }
}

pub(crate) use crate::expr::PyExpr;
pub(crate) use crate::linear::PyLinear;

/// A coordinate layout: its strides are multiples of basis elements, as in `(4,8):(1@0,1@1)`.
#[pyclass(extends = PyValue, frozen, name = "CoordinateLayout", module = "layout_algebra")]
pub(crate) struct PyCoordinates;

#[pymethods]
impl PyCoordinates {
    #[new]
    fn new(of: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyClassInitializer::from(constructed(of, "CoordinateLayout", "basis layout")?)
            .add_subclass(Self))
    }

    /// The shape: an integer or a tuple.
    #[getter]
    fn shape(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(of_kind!(&slf.as_super().get().0, Basis(it), with => give::basis_parts(slf.py(), it, with))?.0)
    }

    /// The stride, nested as the shape is.
    #[getter]
    fn stride(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(of_kind!(&slf.as_super().get().0, Basis(it), with => give::basis_parts(slf.py(), it, with))?.1)
    }

    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        called(slf.py(), &slf.as_super().get().0, coordinate)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        of_kind!(&slf.as_super().get().0, Basis(it), _with => Ok(it.rank()))
    }

    fn __getitem__(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        modes(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?, mode)
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        each_mode(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?)
    }
}

/// A composed coordinate layout: the coordinate of `c` is `outer(offset + inner(c))`, with a coordinate layout as the outer one.
#[pyclass(extends = PyValue, frozen, name = "ComposedCoordinateLayout", module = "layout_algebra")]
pub(crate) struct PyComposedCoordinates;

#[pymethods]
impl PyComposedCoordinates {
    #[new]
    fn new(of: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let made = constructed(of, "ComposedCoordinateLayout", "composed basis layout")?;
        Ok(PyClassInitializer::from(made).add_subclass(Self))
    }

    /// The outer layout, applied last.
    #[getter]
    fn outer(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, ComposedBasis(it), with => part(slf.py(), it.outer.clone(), with))
    }

    /// The index that is added between.
    #[getter]
    fn offset(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, ComposedBasis(it), with => part(slf.py(), Value::Int(Clone::clone(&it.offset)), with))
    }

    /// The inner layout, which is applied first: a layout, or a composed one.
    #[getter]
    fn inner(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, ComposedBasis(it), with => part(slf.py(), it.inner.clone(), with))
    }

    /// The shape of the inner layout.
    #[getter]
    fn shape(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        of_kind!(&slf.as_super().get().0, ComposedBasis(it), with => give::shape(slf.py(), it.inner.inner(), with))
    }

    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        called(slf.py(), &slf.as_super().get().0, coordinate)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        of_kind!(&slf.as_super().get().0, ComposedBasis(it), _with => Ok(it.inner.inner().rank()))
    }

    fn __getitem__(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        modes(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?, mode)
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        each_mode(slf.py(), &slf.as_super().get().0, Self::__len__(slf)?)
    }
}

/// A part of a value, with the symbols of the whole.
fn part<L: ToObject>(
    py: Python<'_>,
    of: impl Into<Value<L>>,
    with: &L::With,
) -> PyResult<Py<PyAny>> {
    give(py, L::hold(of.into(), with))
}

/// A multiple of a basis element, `ScaledBasis(4, 1)` or "4@1": a stride that steps through a mode of a coordinate.
#[pyclass(extends = PyValue, frozen, name = "ScaledBasis", module = "layout_algebra")]
pub(crate) struct PyStep;

#[pymethods]
impl PyStep {
    #[new]
    #[pyo3(signature = (value, mode = None))]
    fn new(
        value: &Bound<'_, PyAny>,
        mode: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let Some(mode) = mode else {
            return Ok(PyClassInitializer::from(constructed(
                value,
                "ScaledBasis",
                "basis stride",
            )?)
            .add_subclass(Self));
        };
        let path: Vec<usize> = match mode.extract::<usize>() {
            Ok(mode) => vec![mode],
            Err(_) => mode.extract()?,
        };
        let path = path.iter().rev().map(|mode| format!("@{mode}")).collect::<String>();
        let scale = operand(value)?;
        let scale = match &*scale {
            AnyValue::Closed(Value::Int(scale)) => scale.to_string(),
            AnyValue::Open(open) if matches!(**open, Open { value: Value::Int(_), .. }) => {
                format!("({})", scale.text())
            }
            other => return Err(strange(other.kind())),
        };
        Ok(PyClassInitializer::from(PyValue(
            AnyValue::of_text(&format!("{scale}{path}")).raise(value.py())?,
        ))
        .add_subclass(Self))
    }
}
