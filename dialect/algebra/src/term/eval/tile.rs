//! Operations that are composed of others: tiles at a coordinate, modes in another order, other shapes, and whether two
//! values are the same.

use super::{Args, Evaluated, int, no_layout};
use crate::term::prelude::*;
use crate::{
    layout::{common::alignment_under, evaluate::ENUMERATION_LIMIT},
    swizzle::Outer,
};

impl<L: TermLeaf> Args<'_, L> {
    /// The tile at a coordinate of tiles: the modes of the tile, and those of the rests that the
    /// coordinate leaves open.
    pub(super) fn local_tile(&self) -> Evaluated<L> {
        let divided = self.call(Op::ZippedDivide, &[&self.values[0], &self.values[1]])?;
        let tile = match self.shape_at(&divided, 0)? {
            Nested::Leaf(_) => CoordOf::Any,
            Nested::Node(modes) => CoordOf::Tuple(vec![CoordOf::Any; modes.len()]),
        };
        let rests = match self.coord(2)? {
            CoordOf::Tuple(mut entries) => {
                let rank = self.shape_at(&divided, 1)?.rank();
                if entries.len() < rank {
                    entries.resize(rank, CoordOf::Any);
                }
                CoordOf::Tuple(entries)
            }
            index => index,
        };
        let at = Value::Coord(CoordOf::Tuple(vec![tile, rests]));
        self.call(Op::Slice, &[&at, &divided])
    }

    /// The shape of a mode of a layout of any kind.
    fn shape_at(&self, layout: &Value<L>, mode: usize) -> Result<Nested<L>, L::Error> {
        let mode = self.call(Op::Get, &[layout, &Value::Int(int(mode))])?;
        self.shape_any(&mode)
    }

    /// The shape of a layout of any kind.
    fn shape_any(&self, layout: &Value<L>) -> Result<Nested<L>, L::Error> {
        match self.call(Op::Shape, &[layout])? {
            Value::Int(extent) => Ok(Nested::Leaf(extent)),
            Value::Tuple(shape) => Ok(shape),
            _ => Err(no_layout(layout).into()),
        }
    }

    /// The modes in another order, or the outputs of a linear layout.
    pub(super) fn transpose(&self) -> Evaluated<L> {
        if let Value::Linear(_) = &*self.values[0] {
            return L::by_values(self, transposed_outputs);
        }
        let shape = self.shape_any(&self.values[0])?;
        let order = self.order(shape.rank())?;
        if order.is_empty() || matches!(shape, Nested::Leaf(_)) {
            return Ok(Value::clone(&self.values[0]));
        }
        let order: Vec<_> = order.into_iter().map(|mode| Value::Int(L::from(mode))).collect();
        let mut values = vec![&*self.values[0]];
        values.extend(&order);
        self.call(Op::Select, &values)
    }

    /// The permutation of `rank` modes in the second operand, or the reverse order.
    fn order(&self, rank: usize) -> Result<Vec<i64>, L::Error> {
        let modes = 0..i64::try_from(rank).unwrap_or(i64::MAX);
        let order = match self.values.len() {
            1 => modes.clone().rev().collect(),
            _ => self.counts(1)?.leaves(),
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted.into_iter().eq(modes) {
            return Ok(order);
        }
        let expected = format!("the modes 0 to {} in some order", rank.saturating_sub(1));
        let found = self.values.get(1).map_or("none".to_owned(), ToString::to_string);
        Err(Error::operand("transpose", expected, found).into())
    }

    /// The same offsets in a row under another shape, or other outputs of a linear layout.
    pub(super) fn reshape(&self) -> Evaluated<L> {
        let shape = self.tuple(1)?;
        if let Value::Linear(_) = &*self.values[0] {
            return L::by_values(self, reshaped_outputs);
        }
        let size = self.shape_any(&self.values[0])?.product()?;
        let found = shape.product()?;
        let operands = || format!("{}, {shape}", self.values[0]);
        let site = Site { operation: "reshape", operands: &operands };
        L::require(&site, L::equal(self.facts, &size, &found), || {
            Error::operand("reshape", format!("a shape of size {size}"), &shape)
        })?;
        let rows = Value::Layout(Layout::compact(self.facts, Nested::clone(&shape))?);
        self.call(Op::Composition, &[&self.values[0], &rows])
    }

    /// How far a layout is aligned; under a swizzle, which moves blocks of `2^base` elements, no further than
    /// these and the offset.
    pub(super) fn max_alignment(&self) -> Result<L, L::Error> {
        let composed = match self.any_layout(0)? {
            AnyLayout::Plain(layout) => return layout.max_alignment_under(self.facts),
            AnyLayout::Composed(composed) => composed,
        };
        let operands = || composed.to_string();
        let site = Site { operation: "max_alignment", operands: &operands };
        let block = match &composed.outer {
            Outer::Swizzle(swizzle) if swizzle.is_identity() => 0,
            Outer::Swizzle(swizzle) => swizzle.max_alignment(),
            Outer::Layout(_) => 1,
        };
        let inner = composed.inner.max_alignment_under(self.facts)?;
        [L::from(block), composed.offset.clone()].into_iter().try_fold(inner, |aligned, by| {
            alignment_under(self.facts, &site, aligned, &(L::from(2), by))
        })
    }

    /// A layout from a shape and a stride, which is compact if it is not given.
    pub(super) fn layout_of_parts(&self, shape: &Nested<L>) -> Evaluated<L> {
        self.count(1, 2)?;
        if let Some(Value::Steps(steps)) = self.value(1) {
            let layout = BasisLayout::under(self.facts, shape.clone(), steps.clone())?;
            return Ok(Value::Basis(layout));
        }
        let layout = match self.values.len() {
            1 => Layout::compact(self.facts, shape.clone())?,
            _ => Layout::under(self.facts, shape.clone(), self.tuple(1)?.into_owned())?,
        };
        Ok(Value::Layout(layout))
    }
}

/// A linear layout with its outputs in another order.
fn transposed_outputs(call: &Args<'_>) -> Result<Value> {
    let layout = call.linear(0)?;
    let names: Vec<&str> = layout.out_names().collect();
    let at = |mode: i64| usize::try_from(mode).ok().and_then(|mode| names.get(mode));
    let order: Vec<&str> = call.order(names.len())?.into_iter().filter_map(at).copied().collect();
    layout.transpose_outs(&order).map(Value::Linear)
}

/// A linear layout with outputs of other sizes.
fn reshaped_outputs(call: &Args<'_>) -> Result<Value> {
    let layout = call.linear(0)?;
    let sizes = call.tuple(1)?.leaves().into_iter().enumerate();
    let dims: Vec<_> = sizes.map(|(i, size)| (format!("dim{i}"), size)).collect();
    layout.reshape_outs(&dims).map(Value::Linear)
}

impl Args<'_> {
    /// Whether two layouts are the same function, or other values the same.
    pub(super) fn equal(&self) -> Result<Value> {
        if let (Value::Basis(a), Value::Basis(b)) = (&*self.values[0], &*self.values[1]) {
            return Ok(Value::Bool(a.coalesced_steps()? == b.coalesced_steps()?));
        }
        if let [Value::ComposedBasis(_), Value::Basis(_) | Value::ComposedBasis(_)]
        | [Value::Basis(_), Value::ComposedBasis(_)] = [&*self.values[0], &*self.values[1]]
        {
            return self.equal_coordinates();
        }
        let (Ok(a), Ok(b)) = (self.any_layout(0), self.any_layout(1)) else {
            return Ok(Value::Bool(self.values[0] == self.values[1]));
        };
        if a == b || a.size() != b.size() {
            return Ok(Value::Bool(a == b));
        }
        // Functions of integers of one size have one coalesced layout.
        if let (AnyLayout::Plain(a), AnyLayout::Plain(b)) = (&a, &b) {
            return Ok(Value::Bool(a.coalesce()? == b.coalesce()?));
        }
        if a.size() > ENUMERATION_LIMIT {
            return Err(Error::limit("coordinates to compare", ENUMERATION_LIMIT, a.size()));
        }
        for index in 0..a.size() {
            if a.at(index)? != b.at(index)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }

    /// Whether two layouts, of which one is a composed coordinate layout, are the same function.
    fn equal_coordinates(&self) -> Result<Value> {
        let [a, b] = [&*self.values[0], &*self.values[1]];
        let size = self.size(a)?;
        if a == b || size != self.size(b)? {
            return Ok(Value::Bool(a == b));
        }
        if size > ENUMERATION_LIMIT {
            return Err(Error::limit("coordinates to compare", ENUMERATION_LIMIT, size));
        }
        for index in 0..size {
            let at = |layout: &Value| self.call(Op::Crd2Idx, &[&Value::Int(index), layout]);
            if at(a)? != at(b)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }

    /// A linear layout without inputs, by their places, that go straight to the outputs of their names.
    pub(super) fn quotient(&self) -> Result<Value> {
        let layout = self.linear(0)?;
        let names: Vec<&str> = layout.in_names().collect();
        let chosen = self.integers(1)?.into_iter().map(|mode| {
            let name = usize::try_from(mode).ok().and_then(|mode| names.get(mode)).copied();
            name.ok_or_else(|| Error::Mode {
                operation: "quotient",
                layout: layout.to_string(),
                rank: names.len(),
                mode,
            })
        });
        layout.quotient(&chosen.collect::<Result<Vec<_>>>()?).map(Value::Linear)
    }

    /// For each input of a linear layout the bits that copies differ in.
    pub(super) fn free_variables(&self) -> Result<Value> {
        self.on_linear_layout(|layout| {
            let masks = layout.free_variable_masks().into_iter();
            let mut masks: Vec<_> = masks.map(|(_, mask)| Tuple::Leaf(mask)).collect();
            Ok(Value::from(match masks.len() {
                1 => masks.remove(0),
                _ => Tuple::Node(masks),
            }))
        })
    }
}
