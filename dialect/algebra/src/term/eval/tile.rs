//! Operations that are made of others: tiles at a coordinate, modes in another order, other shapes, and
//! whether two values are the same.

use super::{Args, any_layout};
use crate::{
    AnyLayout, ENUMERATION_LIMIT, Op, Value,
    error::{Error, Result},
    layout::Layout,
    modes::coalesce,
    tuple::{Coord, Tuple},
};
use alloc::{borrow::ToOwned, format, string::String, string::ToString, vec, vec::Vec};

impl Args<'_> {
    /// The tile at a coordinate of tiles: the modes of the tile, and those of the rests that the
    /// coordinate leaves open.
    pub(super) fn local_tile(&self) -> Result<Value> {
        self.count(3, 3)?;
        let divided = Op::ZippedDivide.apply(&[&self.values[0], &self.values[1]])?;
        let rank = |mode: i64| match Op::Rank.apply(&[&divided, &Value::Int(mode)]) {
            Ok(Value::Int(rank)) => Ok(usize::try_from(rank).unwrap_or(1)),
            other => other.map(|_| 1),
        };
        let rests = match self.coord(2)? {
            Coord::Tuple(mut entries) => {
                let rank = rank(1)?;
                if entries.len() < rank {
                    entries.resize(rank, Coord::Any);
                }
                Coord::Tuple(entries)
            }
            index => index,
        };
        let tile = match any_layout(&divided).map(|layout| layout.inner().mode(0)) {
            Ok(Some(mode)) if mode.is_leaf() => Coord::Any,
            _ => Coord::Tuple(vec![Coord::Any; rank(0)?]),
        };
        let at = Value::Coord(Coord::Tuple(vec![tile, rests]));
        Op::Slice.apply(&[&at, &divided])
    }

    /// The modes in another order, or the outputs of a linear layout.
    pub(super) fn transpose(&self) -> Result<Value> {
        self.count(1, 2)?;
        let outs: Option<Vec<&str>> = match &*self.values[0] {
            Value::Linear(layout) => Some(layout.out_names().collect()),
            _ => None,
        };
        let rank = match &outs {
            Some(names) => names.len(),
            None => any_layout(&self.values[0])?.inner().rank(),
        };
        let modes = 0..i64::try_from(rank).unwrap_or(i64::MAX);
        let order = match self.values.len() {
            1 => modes.clone().rev().collect(),
            _ => self.tuple(1)?.leaves(),
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(modes) {
            return Err(Error::Operand {
                operation: "transpose",
                expected: format!("the modes 0 to {} in some order", rank.saturating_sub(1)),
                found: self.values.get(1).map_or("none".to_owned(), ToString::to_string),
            });
        }
        match (outs, &*self.values[0]) {
            (Some(names), Value::Linear(layout)) => {
                let at = |&mode: &i64| usize::try_from(mode).ok().and_then(|mode| names.get(mode));
                let order: Vec<&str> = order.iter().filter_map(at).copied().collect();
                layout.transpose_outs(&order).map(Value::Linear)
            }
            _ => self.on_layout(|layout| match layout.is_leaf() {
                true => Ok(layout.clone()),
                false => crate::select(layout, &order),
            }),
        }
    }

    /// The same offsets in a row under another shape, or other outputs of a linear layout.
    pub(super) fn reshape(&self) -> Result<Value> {
        self.count(2, 2)?;
        let shape = self.tuple(1)?;
        if let Value::Linear(layout) = &*self.values[0] {
            let sizes = shape.leaves();
            let dims: Vec<(String, i64)> =
                sizes.iter().enumerate().map(|(i, size)| (format!("dim{i}"), *size)).collect();
            return layout.reshape_outs(&dims).map(Value::Linear);
        }
        let size = any_layout(&self.values[0])?.size();
        let found = shape.product()?;
        if found != size {
            return Err(Error::Operand {
                operation: "reshape",
                expected: format!("a shape of size {size}"),
                found: shape.to_string(),
            });
        }
        let rows = Layout::from_shape(shape.into_owned())?;
        self.on_layout(|layout| crate::composition(layout, &rows))
    }

    /// Whether two layouts are the same function, or other values the same.
    pub(super) fn equal(&self) -> Result<Value> {
        self.count(2, 2)?;
        let (Ok(a), Ok(b)) = (self.any_layout(0), self.any_layout(1)) else {
            return Ok(Value::Bool(self.values[0] == self.values[1]));
        };
        if a == b || a.size() != b.size() {
            return Ok(Value::Bool(a == b));
        }
        // Of one size, a function of integers has one coalesced layout.
        if let (AnyLayout::Plain(a), AnyLayout::Plain(b)) = (&a, &b) {
            return Ok(Value::Bool(coalesce(a)? == coalesce(b)?));
        }
        if a.size() > ENUMERATION_LIMIT {
            return Err(Error::Limit {
                what: "coordinates to compare",
                limit: usize::try_from(ENUMERATION_LIMIT).unwrap_or(usize::MAX),
                found: a.size().to_string(),
            });
        }
        for index in 0..a.size() {
            if a.at(index)? != b.at(index)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }

    /// A layout from a shape and a stride, which is compact if it is not given.
    pub(super) fn layout_of_parts(&self, shape: &Tuple) -> Result<Value> {
        self.count(1, 2)?;
        let layout = match self.values.len() {
            1 => Layout::from_shape(shape.clone())?,
            _ => Layout::new(shape.clone(), self.tuple(1)?.into_owned())?,
        };
        Ok(Value::from(AnyLayout::Plain(layout)))
    }

    /// A linear layout without inputs, by their places, that go straight to the outputs of their names.
    pub(super) fn quotient(&self) -> Result<Value> {
        self.count(2, usize::MAX)?;
        let Value::Linear(layout) = &*self.values[0] else {
            return Err(self.kind(0, "a linear layout"));
        };
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
        self.on_linear(|layout| {
            let masks = layout.free_variable_masks().into_iter();
            let mut masks: Vec<_> = masks.map(|(_, mask)| Tuple::Leaf(mask)).collect();
            Ok(Value::from(match masks.len() {
                1 => masks.remove(0),
                _ => Tuple::Node(masks),
            }))
        })
    }
}
