//! Values of the algebra as Python has them, and Python's objects as operands.

use std::borrow::Cow;
use std::sync::Arc;

use layout_algebra::integer::Result;
use layout_algebra::{
    Basis, BasisLayout, CoordOf, DEPTH_LIMIT, Error, Expr, Facts, Layout, Leaf, Nested, Tuple,
    Value, evaluate, integer,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PyString, PyTuple};

use crate::classes::PyValue;
use crate::error::{RaiseExt, raised};

/// A value, with the facts under which its symbols are.
#[derive(Clone)]
pub(crate) enum AnyValue {
    Closed(Value),
    Open(Box<Open>),
}

/// A value with symbols.
#[derive(Clone, PartialEq)]
pub(crate) struct Open {
    pub value: Value<Expr>,
    pub facts: Arc<Facts>,
}

impl AnyValue {
    /// The value of a text.
    pub(crate) fn of_text(text: &str) -> Result<Self> {
        let mut facts = Facts::new();
        let value = evaluate(text, &mut facts)?;
        Ok(Self::open(value, Arc::new(facts)))
    }

    /// A value of expressions: of integers, where no symbol is left.
    pub(crate) fn open(value: Value<Expr>, facts: Arc<Facts>) -> Self {
        match value.to_static() {
            Some(value) => Self::Closed(value),
            None => Self::Open(Box::new(Open { value, facts })),
        }
    }

    /// The value with expressions as leaves.
    pub(crate) fn expressions(&self) -> Cow<'_, Value<Expr>> {
        match self {
            Self::Closed(value) => Cow::Owned(Value::from(value)),
            Self::Open(open) => Cow::Borrowed(&open.value),
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Closed(value) => value.kind(),
            Self::Open(open) => open.value.kind(),
        }
    }

    /// The text, which reads back as the value: with the facts of symbols at their first mention.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Closed(value) => value.to_string(),
            Self::Open(open) => open.value.annotated(&open.facts),
        }
    }
}

/// Values of expressions under the same facts.
type Common = (Vec<Value<Expr>>, Arc<Facts>);

/// The common facts of several values, and each value in their normal form, or `None` if all are of integers.
pub(crate) fn common(values: &[&AnyValue]) -> Result<Option<Common>> {
    let mut facts: Option<Arc<Facts>> = None;
    let mut several = false;
    for value in values {
        let AnyValue::Open(open) = value else { continue };
        match &mut facts {
            None => facts = Some(Arc::clone(&open.facts)),
            Some(known) if Arc::ptr_eq(known, &open.facts) || **known == *open.facts => {}
            Some(known) => {
                Arc::make_mut(known).join(&open.facts)?;
                several = true;
            }
        }
    }
    let Some(facts) = facts else { return Ok(None) };
    let lifted = values.iter().map(|value| match value {
        AnyValue::Open(open) if several => open.value.refresh(&facts),
        value => Ok(value.expressions().into_owned()),
    });
    Ok(Some((lifted.collect::<Result<_>>()?, facts)))
}

/// An operand: a value of ours as it is, anything else as what it is taken for.
pub(crate) fn operand<'a>(any: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, AnyValue>> {
    match any.cast::<PyValue>() {
        Ok(value) => Ok(Cow::Borrowed(&value.get().0)),
        Err(_) => taken(any, 0).map(Cow::Owned),
    }
}

/// The value of a Python object: an integer or tuple, the text of a term, an array of integers, or anything that
/// has a shape and a stride.
pub(crate) fn taken(any: &Bound<'_, PyAny>, depth: usize) -> PyResult<AnyValue> {
    let py = any.py();
    if depth > DEPTH_LIMIT {
        let (what, limit) = ("depth of a tuple", DEPTH_LIMIT);
        return Err(raised(py, Error::Limit { what, limit, found: "a deeper one".to_owned() }));
    }
    if let Ok(value) = any.cast::<PyValue>() {
        return Ok(value.get().0.clone());
    }
    if any.is_none() {
        return Ok(AnyValue::Closed(Value::Coord(CoordOf::Any)));
    }
    if any.is_instance_of::<PyBool>() {
        return Err(unexpected(any));
    }
    if any.is_instance_of::<PyInt>() {
        return integer(any).map(|value| AnyValue::Closed(Value::Int(value)));
    }
    if let Ok(tuple) = any.cast::<PyTuple>() {
        if let Some(tuple) = integers(tuple, depth)? {
            return Ok(AnyValue::Closed(Value::Tuple(tuple)));
        }
        let entries = tuple.iter().map(|entry| taken(&entry, depth + 1));
        return joined(&entries.collect::<PyResult<Vec<_>>>()?).raise(py);
    }
    if let Ok(list) = any.cast::<PyList>() {
        return taken(list.to_tuple().as_any(), depth);
    }
    if let Ok(text) = any.cast::<PyString>() {
        return AnyValue::of_text(text.to_str()?).raise(py);
    }
    if any.hasattr("__index__")? && !any.hasattr("shape")? {
        return integer(any).map(|value| AnyValue::Closed(Value::Int(value)));
    }
    if any.hasattr("stride")? && any.hasattr("shape")? {
        return strided(any, depth);
    }
    // An array, or a number of one.
    if any.hasattr("tolist")? {
        return taken(&any.call_method0("tolist")?, depth + 1);
    }
    Err(unexpected(any))
}

/// A layout of another library, or a tensor: what has a shape and a stride.
fn strided(any: &Bound<'_, PyAny>, depth: usize) -> PyResult<AnyValue> {
    let part = |name: &str| {
        let part = any.getattr(name)?;
        let part = if part.is_callable() { part.call0()? } else { part };
        taken(&part, depth + 1)
    };
    layout(&part("shape")?, Some(&part("stride")?)).raise(any.py())
}

/// A layout of a shape and a stride; compact without one.
pub(crate) fn layout(shape: &AnyValue, stride: Option<&AnyValue>) -> Result<AnyValue> {
    let pair = match stride {
        None => common(&[shape])?,
        Some(stride) => common(&[shape, stride])?,
    };
    let Some((mut values, mut facts)) = pair else {
        let (AnyValue::Closed(shape), stride) = (shape, stride) else {
            return Err(expected_tuple("shape", shape.kind()));
        };
        let shape = tuple_of("shape", shape.clone())?;
        return Ok(AnyValue::Closed(match stride {
            Some(AnyValue::Closed(Value::Steps(steps))) => {
                Value::Basis(BasisLayout::new(shape, steps.clone())?)
            }
            Some(AnyValue::Closed(stride)) => {
                Value::Layout(Layout::new(shape, tuple_of("stride", stride.clone())?)?)
            }
            _ => Value::Layout(Layout::from_shape(shape)?),
        }));
    };
    let stride = stride.and_then(|_| values.pop());
    let shape = values.pop().unwrap_or(Value::Tuple(Nested::Node(Vec::new())));
    let shape = tuple_of("shape", shape)?;
    let known = Arc::make_mut(&mut facts);
    shape.leaves().into_iter().try_for_each(|extent| known.assume_extent(extent))?;
    let shape = shape.refresh(known)?;
    let layout = match stride {
        None => Layout::compact(known, shape)?,
        Some(steps @ Value::Steps(_)) => {
            let Value::Steps(steps) = steps.refresh(known)? else {
                return Err(expected_tuple("stride", "another kind"));
            };
            let layout = BasisLayout::under(known, shape, steps)?;
            return Ok(AnyValue::open(Value::Basis(layout), facts));
        }
        Some(stride) => Layout::under(known, shape, tuple_of("stride", stride)?.refresh(known)?)?,
    };
    Ok(AnyValue::open(Value::Layout(layout), facts))
}

fn expected_tuple(what: &'static str, found: &str) -> integer::Error {
    let expected = "an integer or a tuple of integers".to_owned();
    Error::Operand { operation: what, expected, found: found.to_owned() }.into()
}

pub(crate) fn tuple_of<L: Leaf>(what: &'static str, value: Value<L>) -> Result<Nested<L>> {
    match value {
        Value::Int(value) => Ok(Nested::Leaf(value)),
        Value::Tuple(tuple) => Ok(tuple),
        other => Err(expected_tuple(what, &other.to_string())),
    }
}

fn integer(any: &Bound<'_, PyAny>) -> PyResult<i64> {
    any.extract::<i64>().map_err(|error| match error.is_instance_of::<PyOverflowError>(any.py()) {
        true => {
            raised(any.py(), Error::Overflow { operation: "integer", operands: any.to_string() })
        }
        false => error,
    })
}

/// A tuple of integers and of such tuples, or `None` if other things are in it.
pub(crate) fn integers(tuple: &Bound<'_, PyTuple>, depth: usize) -> PyResult<Option<Tuple>> {
    if depth > DEPTH_LIMIT {
        return Ok(None); // refused on the way that says why
    }
    let mut entries = Vec::with_capacity(tuple.len());
    for entry in tuple.iter() {
        entries.push(if entry.is_exact_instance_of::<PyInt>() {
            Nested::Leaf(integer(&entry)?)
        } else if let Ok(entry) = entry.cast::<PyTuple>() {
            match integers(entry, depth + 1)? {
                Some(entry) => entry,
                None => return Ok(None),
            }
        } else {
            return Ok(None);
        });
    }
    Ok(Some(Nested::Node(entries)))
}

fn unexpected(any: &Bound<'_, PyAny>) -> PyErr {
    let kind = any.get_type().name().map_or("an object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "expected a layout, an integer, a tuple of these, `None` or the text of a term, found {kind}"
    ))
}

/// A tuple of values: a shape, a coordinate, a stride of basis elements, or a tuple of tilers.
fn joined(entries: &[AnyValue]) -> Result<AnyValue> {
    let borrowed: Vec<&AnyValue> = entries.iter().collect();
    if let Some((values, facts)) = common(&borrowed)? {
        return Ok(AnyValue::open(join(values, &facts)?, facts));
    }
    let values = entries.iter().filter_map(|entry| match entry {
        AnyValue::Closed(value) => Some(value.clone()),
        AnyValue::Open(_) => None, // handled above
    });
    join(values.collect(), &()).map(AnyValue::Closed)
}

fn join<L: Leaf>(values: Vec<Value<L>>, facts: &L::Facts) -> Result<Value<L>>
where
    integer::Error: From<L::Error>,
{
    let any = |is: fn(&Value<L>) -> bool| values.iter().any(is);
    if any(|value| matches!(value, Value::Steps(_))) {
        let steps = values.into_iter().map(steps).collect::<Result<_>>()?;
        return Ok(Value::steps(Nested::Node(steps))?);
    }
    if any(|value| !matches!(value, Value::Int(_) | Value::Tuple(_) | Value::Coord(_))) {
        return Ok(Value::of_tilers(values, facts)?);
    }
    let coords = values.into_iter().filter_map(|value| match value {
        Value::Int(value) => Some(CoordOf::At(value)),
        Value::Tuple(tuple) => Some(CoordOf::from(&tuple)),
        Value::Coord(coord) => Some(coord),
        _ => None, // handled above
    });
    Ok(CoordOf::Tuple(coords.collect()).into())
}

fn steps<L: Leaf>(value: Value<L>) -> Result<Nested<Basis<L>>> {
    let plain = |tuple: Nested<L>| {
        tuple.try_map(&mut |scale| Ok(Basis { scale: scale.clone(), path: Vec::new() }))
    };
    match value {
        Value::Steps(steps) => Ok(steps),
        other => plain(tuple_of("stride", other)?),
    }
}
