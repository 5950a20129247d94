//! What each operation does with its operands.

mod linear;
mod swizzle;
mod table;
mod tile;

pub(super) use table::FAMILIES;
pub use table::Op;
pub(crate) use table::TABLE;

use super::{
    Value,
    op::{Law, Operation},
};
use crate::{
    banks,
    basis::{BasisLayout, make_identity_layout},
    common,
    complement::complement,
    composition::{composition_tiler, composition_tiler_under},
    coordinates, distribute, divide,
    entries::{Order, compact_from, diced, idx2crd_by, of_entries, sliced},
    error::{Error, Result},
    function::{self, Refutation},
    image, inverse,
    layout::{Layout, crd2crd},
    linear::LinearLayout,
    modal::joined,
    modes, order,
    predicate::{Comparison, Predicate, in_bounds_of_composition, in_bounds_of_divide},
    product, shape,
    slice::{dice, slice_under},
    swizzle::AnyLayout,
    symbolic,
    tiler::Tiler,
    tuple::{Coord, Tuple},
};
use alloc::{borrow::Cow, borrow::ToOwned, format, string::ToString, vec, vec::Vec};

/// The operands of one call, borrowed where the term has them: they may be long.
pub(super) struct Args<'v> {
    pub(super) op: Op,
    pub(super) values: &'v [Cow<'v, Value>],
}

impl Args<'_> {
    /// The value of the call.
    pub(super) fn eval(&self) -> Result<Value> {
        let mut values = self.values.iter().enumerate();
        let is_made_of_others = matches!(self.op, Op::Equal | Op::LocalTile);
        if !is_made_of_others
            && let Some((place, layout)) = values.find_map(|(place, value)| match &**value {
                Value::Basis(layout) => Some((place, layout)),
                _ => None,
            })
        {
            if let Some(answer) = symbolic::on_coordinates(self.op, self.values) {
                return answer;
            }
            return match self.op.moves_modes(place, self.values.len()) {
                // Modes are taken apart alike, whatever their strides are.
                true => symbolic::on_modes(self.op, self.values),
                false => self.on_basis(layout),
            };
        }
        if self.values.iter().any(|value| matches!(**value, Value::Linear(_)))
            && let Some(value) = self.overloaded()
        {
            return value;
        }
        if let Some(value) = self.on_swizzle() {
            return value;
        }
        if let Some(value) = self.on_tuple() {
            return value;
        }
        (self.op.row().eval)(self)
    }

    /// The operations on layouts into coordinates.
    fn on_basis(&self, layout: &BasisLayout) -> Result<Value> {
        use Op::*;
        // `slice` and `crd2idx` have the coordinate first.
        let place = usize::from(matches!(self.op, Slice | SliceAndOffset | Crd2Idx));
        if !matches!(self.value(place), Some(Value::Basis(_))) {
            return Err(self.kind(place, "a layout into coordinates"));
        }
        match self.op {
            Coalesce | Size | Rank | Depth | Shape | Stride | Coshape => self.count(1, 1)?,
            Composition | LogicalDivide | ZippedDivide | Crd2Idx | Slice | SliceAndOffset => {
                self.count(2, 2)?;
            }
            _ => {}
        }
        let basis = |layout: BasisLayout| Value::Basis(layout);
        match self.op {
            Coalesce => modes::coalesce(layout).map(basis),
            Composition => composition_tiler_under(&(), layout, &*self.tiler(1)?).map(basis),
            LogicalDivide => divide::logical_divide(layout, &*self.tiler(1)?).map(basis),
            ZippedDivide => divide::zipped_divide(layout, &*self.tiler(1)?).map(basis),
            Size => Ok(Value::Int(layout.size())),
            Rank => Ok(Value::Int(int(layout.rank()))),
            Depth => Ok(Value::Int(int(layout.shape().depth()))),
            Shape => Ok(Value::from(layout.shape().clone())),
            Stride => Ok(Value::Steps(layout.stride().clone())),
            Coshape => layout.coshape().map(Value::from),
            Crd2Idx => layout.crd2crd(&*self.tuple(0)?).map(Value::from),
            Slice => Ok(basis(slice_under(&(), &self.coord(0)?, layout)?.0)),
            SliceAndOffset => {
                let (kept, fixed) = slice_under(&(), &self.coord(0)?, layout)?;
                Ok(Value::List(vec![basis(kept), Value::from(fixed)]))
            }
            _ => Err(Error::Operand {
                operation: self.op.name(),
                expected: "a layout of integer strides".to_owned(),
                found: layout.to_string(),
            }),
        }
    }

    /// `A o B`: with a composed layout on the left, the inner layout is composed.
    fn composition(&self) -> Result<Value> {
        self.count(2, 2)?;
        if let Value::Composed(_) = &*self.values[1] {
            return self.any_layout(0)?.composition(&self.any_layout(1)?).map(Value::from);
        }
        let tiler = self.tiler(1)?;
        self.on_layout(|layout| composition_tiler(layout, &tiler))
    }

    /// The layout that has given offsets, one after the other.
    fn layout_of(&self) -> Result<Value> {
        self.count(1, 2)?;
        let offsets = self.tuple(0)?.leaves();
        let found = match self.values.get(1) {
            None => function::layout_of(&offsets)?,
            Some(shape) => {
                let shape = self.shape_of(shape)?;
                if usize::try_from(shape.product()?) != Ok(offsets.len()) {
                    return Err(self.kind(1, &format!("a shape of {} coordinates", offsets.len())));
                }
                function::layout_with_shape(&shape, &offsets)?
            }
        };
        let Refutation { index, wanted, found } = match found {
            Ok(layout) => return Ok(Value::Layout(layout)),
            Err(refutation) => refutation,
        };
        Err(Error::Condition {
            operation: "layout_of",
            operand: self.values[0].to_string(),
            expected: "the offsets of a layout",
            found: format!("{wanted} at index {index}, where the only candidate has {found}"),
        })
    }

    fn with_tiler(&self, f: impl Fn(&Layout, &Tiler) -> Result<Layout>) -> Result<Value> {
        self.count(2, 2)?;
        let tiler = self.tiler(1)?;
        self.on_layout(|layout| f(layout, &tiler))
    }

    fn with_layout(&self, f: impl Fn(&Layout, &Layout) -> Result<Layout>) -> Result<Value> {
        self.count(2, 2)?;
        let other = self.layout(1)?;
        self.on_layout(|layout| f(layout, &other))
    }

    fn unary(&self, f: impl Fn(&Layout) -> Result<Layout>) -> Result<Value> {
        self.count(1, 1)?;
        f(&*self.layout(0)?).map(Value::Layout)
    }

    fn unary_any(&self, f: impl Fn(&AnyLayout) -> Result<AnyLayout>) -> Result<Value> {
        self.count(1, 1)?;
        f(&self.any_layout(0)?).map(Value::from)
    }

    /// What an operation on modes does with the entries of a tuple.
    fn on_tuple(&self) -> Option<Result<Value>> {
        let operand = |i: usize| self.value(i).and_then(|value| tuple_of(value).ok());
        if matches!(self.op, Op::Slice | Op::Dice) && self.values.len() == 2 {
            let (Ok(coord), Some(Value::Int(_) | Value::Tuple(_))) = (self.coord(0), self.value(1))
            else {
                return None;
            };
            let (coord, tuple) = (coord, operand(1)?);
            let kept = match self.op {
                Op::Slice => sliced(&coord, &tuple),
                _ => diced(&coord, &tuple),
            };
            return Some(kept.map(Value::from));
        }
        // An integer by itself is a layout, as in CuTe.
        let Some(Value::Tuple(tuple)) = self.value(0) else { return None };
        let (numbers, other) = match self.op {
            Op::Append | Op::Prepend => (1..1, Some(operand(1)?)),
            Op::Replace => (1..2, Some(operand(2)?)),
            _ => (1..self.values.len(), None),
        };
        let used = numbers.len() + 1 + usize::from(other.is_some());
        if used != self.values.len() {
            return None;
        }
        let numbers: Result<Vec<_>> = numbers.map(|i| self.int(i)).collect();
        match numbers {
            Ok(numbers) => of_entries(self.op, tuple, &numbers, other.as_deref())
                .map(|value| value.map(Value::from)),
            Err(_) => None,
        }
    }

    /// Compact strides, from 1 on or from a number given.
    fn compact(&self, order: Order) -> Result<Value> {
        self.count(1, 2)?;
        let shape = self.shape_of(&self.values[0])?;
        let start = match self.values.len() {
            1 => Cow::Owned(Tuple::Leaf(1)),
            _ => self.tuple(1)?,
        };
        compact_from(order, &shape, &start).map(Value::from)
    }

    /// Whether tiles of a divisor, which may be a tiler, fill a shape.
    fn evenly_divides(&self) -> Result<Value> {
        self.count(2, 2)?;
        let shape = self.shape_of(&self.values[0])?;
        match &*self.values[1] {
            Value::Int(_) | Value::Tuple(_) => {
                let divisor = self.tuple(1)?;
                Ok(Value::Bool(shape::evenly_divides(&shape, &divisor)))
            }
            _ => divide::fills_evenly(&shape, &*self.tiler(1)?).map(Value::Bool),
        }
    }

    /// A number of the first operand, or of the mode of it that the other operands name.
    fn of_mode(&self, f: impl Fn(&Value) -> Result<i64>) -> Result<Value> {
        self.part_of_mode(|value| f(value).map(Value::Int))
    }

    /// What the first operand has, or the mode of it that the other operands name.
    fn part_of_mode(&self, f: impl Fn(&Value) -> Result<Value>) -> Result<Value> {
        self.count(1, usize::MAX)?;
        let path = self.integers(1)?;
        if path.is_empty() {
            return f(&self.values[0]);
        }
        let mode = match &*self.values[0] {
            Value::Int(_) | Value::Tuple(_) => {
                let shape = tuple_of(&self.values[0])?;
                match of_entries(Op::Get, &shape, &path, None) {
                    Some(mode) => Value::Tuple(mode?),
                    None => return f(&self.values[0]),
                }
            }
            _ => self.on_layout(|layout| modes::get(layout, &path))?,
        };
        f(&mode)
    }

    /// The comparisons `layout < bound` that all hold inside, each as `[layout, bound]`.
    fn in_bounds(&self, f: impl Fn(&Layout, &Tiler) -> Result<Predicate>) -> Result<Value> {
        self.count(2, 2)?;
        let predicate = f(&*self.layout(0)?, &*self.tiler(1)?)?;
        let comparisons = predicate.comparisons().iter().map(|Comparison { layout, bound }| {
            Value::List(vec![Value::Layout(layout.clone()), Value::Int(*bound)])
        });
        Ok(Value::List(comparisons.collect()))
    }

    fn predicate(&self, f: impl Fn(&AnyLayout) -> Result<bool>) -> Result<Value> {
        self.count(1, 1)?;
        f(&self.any_layout(0)?).map(Value::Bool)
    }

    fn relation(&self, f: impl Fn(&Tuple, &Tuple) -> bool) -> Result<Value> {
        self.count(2, 2)?;
        let (a, b) = (self.shape_of(&self.values[0])?, self.shape_of(&self.values[1])?);
        Ok(Value::Bool(f(&a, &b)))
    }

    fn on_shapes(&self, f: impl Fn(&Tuple, &Tuple) -> Result<Tuple>) -> Result<Value> {
        self.count(2, 2)?;
        let (a, b) = (self.shape_of(&self.values[0])?, self.shape_of(&self.values[1])?);
        f(&a, &b).map(Value::from)
    }

    /// A quotient of shapes; by a tiler of layouts the shape of the tiles, as a divide has them.
    fn ceil_div(&self) -> Result<Value> {
        self.count(2, 2)?;
        let layout = match self.value(1) {
            Some(Value::Layout(_) | Value::Tiler(_)) => {
                Layout::from_shape(self.shape_of(&self.values[0])?.into_owned())?
            }
            _ => return self.on_shapes(shape::ceil_div),
        };
        let divided = divide::zipped_divide(&layout, &*self.tiler(1)?)?;
        Ok(Value::from(modes::get(&divided, &[1])?.shape().clone()))
    }

    /// Applies an operation to the first operand, behind its swizzle if it has one.
    fn on_layout(&self, f: impl FnOnce(&Layout) -> Result<Layout>) -> Result<Value> {
        match self.value(0) {
            // A swizzle of no bits changes nothing, and CuTe drops it.
            Some(Value::Composed(composed)) => {
                Ok(Value::from(composed.with_inner(f(&composed.inner)?).simplified()))
            }
            _ => f(&*self.layout(0)?).map(Value::Layout),
        }
    }

    fn count(&self, least: usize, most: usize) -> Result<()> {
        let found = self.values.len();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = match (least, most) {
            (1, 1) => "1 operand".to_owned(),
            _ if least == most => format!("{least} operands"),
            (_, usize::MAX) => format!("at least {least} operands"),
            _ => format!("{least} to {most} operands"),
        };
        Err(Error::Operand { operation: self.op.name(), expected, found: found.to_string() })
    }

    fn kind(&self, i: usize, expected: &str) -> Error {
        Error::Operand {
            operation: self.op.name(),
            expected: format!("{expected} as operand {}", i + 1),
            found: self.values.get(i).map_or("none".to_owned(), ToString::to_string),
        }
    }

    fn value(&self, i: usize) -> Option<&Value> {
        self.values.get(i).map(Cow::as_ref)
    }

    fn layout(&self, i: usize) -> Result<Cow<'_, Layout>> {
        match self.value(i) {
            Some(Value::Layout(layout)) => Ok(Cow::Borrowed(layout)),
            // CuTe takes an extent where it takes a layout.
            Some(Value::Int(extent)) => Layout::leaf(*extent, 1).map(Cow::Owned),
            _ => Err(self.kind(i, "a plain layout")),
        }
    }

    fn any_layout(&self, i: usize) -> Result<AnyLayout> {
        match self.value(i) {
            Some(Value::Composed(composed)) => Ok(AnyLayout::Composed(composed.clone())),
            _ => self.layout(i).map(|layout| AnyLayout::Plain(layout.into_owned())),
        }
    }

    fn tiler(&self, i: usize) -> Result<Cow<'_, Tiler>> {
        match self.value(i) {
            Some(Value::Tiler(tiler)) => Ok(Cow::Borrowed(tiler)),
            value => value
                .and_then(|value| value.tiler().ok())
                .map(Cow::Owned)
                .ok_or_else(|| self.kind(i, "a layout, a shape, `_` or a tuple of tilers")),
        }
    }

    fn tuple(&self, i: usize) -> Result<Cow<'_, Tuple>> {
        self.value(i)
            .and_then(|value| tuple_of(value).ok())
            .ok_or_else(|| self.kind(i, "an integer or a tuple of integers"))
    }

    fn coord(&self, i: usize) -> Result<Coord> {
        match self.value(i) {
            Some(Value::Coord(coord)) => Ok(coord.clone()),
            _ => self
                .tuple(i)
                .map(|tuple| Coord::from(&*tuple))
                .map_err(|_| self.kind(i, "a coordinate")),
        }
    }

    fn int(&self, i: usize) -> Result<i64> {
        match self.value(i) {
            Some(Value::Int(value)) => Ok(*value),
            _ => Err(self.kind(i, "an integer")),
        }
    }

    fn integers(&self, from: usize) -> Result<Vec<i64>> {
        (from..self.values.len()).map(|i| self.int(i)).collect()
    }

    fn shape_of<'v>(&self, value: &'v Value) -> Result<Cow<'v, Tuple>> {
        match value {
            Value::Int(_) | Value::Tuple(_) => tuple_of(value),
            Value::Layout(layout) => Ok(Cow::Borrowed(layout.shape())),
            Value::Composed(composed) => Ok(Cow::Borrowed(composed.inner.shape())),
            _ => Err(Error::Operand {
                operation: self.op.name(),
                expected: "a layout or a shape".to_owned(),
                found: value.to_string(),
            }),
        }
    }
}

fn any_layout(value: &Value) -> Result<AnyLayout> {
    match value {
        Value::Layout(layout) => Ok(AnyLayout::Plain(layout.clone())),
        Value::Composed(composed) => Ok(AnyLayout::Composed(composed.clone())),
        other => Err(Error::Operand {
            operation: "layout",
            expected: "a layout".to_owned(),
            found: other.to_string(),
        }),
    }
}

fn tuple_of(value: &Value) -> Result<Cow<'_, Tuple>> {
    match value {
        Value::Int(value) => Ok(Cow::Owned(Tuple::Leaf(*value))),
        Value::Tuple(tuple) => Ok(Cow::Borrowed(tuple)),
        other => Err(Error::Operand {
            operation: "tuple",
            expected: "an integer or a tuple of integers".to_owned(),
            found: other.to_string(),
        }),
    }
}

/// A count as a value; counts are bounded by the length of a term's text.
fn int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
