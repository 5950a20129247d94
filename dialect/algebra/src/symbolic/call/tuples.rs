//! The operations on tuples, and those that are made of others.

use super::{
    super::{
        complement,
        error::{Answer, Error, Result, Site},
        expr::Expr,
        layout::SymbolicLayout,
        term::as_tuple,
        tuple::{SymbolicCoord, SymbolicTiler, SymbolicTuple},
    },
    Call, call,
};
use crate::{
    Nested, Op, Value, compact_col_major, compact_row_major,
    entries::{diced, of_entries, sliced},
};
use alloc::{borrow::ToOwned, format, string::ToString, vec, vec::Vec};

impl Call<'_> {
    /// What an operation on modes does with the entries of a tuple.
    pub(super) fn on_tuple(&self) -> Option<Result<Value<Expr>>> {
        let operand = |i: usize| match self.values.get(i)? {
            value @ (Value::Int(_) | Value::Tuple(_)) => as_tuple(value, self.op.name()).ok(),
            _ => None,
        };
        let algebra = |error: crate::Error| Error::from(error);
        if matches!(self.op, Op::Slice | Op::Dice) && self.values.len() == 2 {
            let (coord, tuple) = (self.coord(0).ok()?, operand(1)?);
            let kept = match self.op {
                Op::Slice => sliced(&coord, &tuple),
                _ => diced(&coord, &tuple),
            };
            return Some(kept.map(Value::from).map_err(algebra));
        }
        // An integer by itself is a layout, as in CuTe.
        let Value::Tuple(tuple) = self.values.first()? else { return None };
        let (numbers, other) = match self.op {
            Op::Append | Op::Prepend => (1..1, Some(operand(1)?)),
            Op::Replace => (1..2, Some(operand(2)?)),
            _ => (1..self.values.len(), None),
        };
        if numbers.len() + 1 + usize::from(other.is_some()) != self.values.len() {
            return None;
        }
        let numbers: Vec<_> = numbers.map(|i| self.integer(i)).collect::<Result<_>>().ok()?;
        let entries = of_entries(self.op, tuple, &numbers, other.as_ref())?;
        Some(entries.map(Value::from).map_err(algebra))
    }

    /// Operations that are made of others.
    pub(super) fn made_of_others(&self) -> Result<Value<Expr>> {
        let facts = self.facts;
        let int = |n: usize| Value::Int(Expr::from(i64::try_from(n).unwrap_or(i64::MAX)));
        match self.op {
            Op::LocalTile => {
                self.count(3, 3)?;
                let divided = call(Op::ZippedDivide, &self.values[..2], facts)?;
                let shape_of = |mode: usize| {
                    call(Op::Get, &[divided.clone(), int(mode)], facts)
                        .and_then(|part| call(Op::Shape, &[part], facts))
                        .and_then(|shape| as_tuple(&shape, self.op.name()))
                };
                let tile = match shape_of(0)? {
                    SymbolicTuple::Leaf(_) => SymbolicCoord::Any,
                    SymbolicTuple::Node(modes) => {
                        SymbolicCoord::Tuple(vec![SymbolicCoord::Any; modes.len()])
                    }
                };
                let rests = match self.coord(2)? {
                    SymbolicCoord::Tuple(mut entries) => {
                        let rank = shape_of(1)?.rank();
                        if entries.len() < rank {
                            entries.resize(rank, SymbolicCoord::Any);
                        }
                        SymbolicCoord::Tuple(entries)
                    }
                    index => index,
                };
                let at = Value::Coord(SymbolicCoord::Tuple(vec![tile, rests]));
                call(Op::Slice, &[at, divided], facts)
            }
            Op::Transpose => {
                self.count(1, 2)?;
                let rank = self.mode_shape_of(0)?.rank();
                let modes = 0..i64::try_from(rank).unwrap_or(i64::MAX);
                let order = match self.values.len() {
                    1 => modes.clone().rev().collect(),
                    _ => self.static_tuple(1)?.leaves(),
                };
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(modes) {
                    let last = rank.saturating_sub(1);
                    let expected = format!("the modes 0 to {last} in some order");
                    let found = self.values.get(1).map_or("none".to_owned(), ToString::to_string);
                    return Err(Error::operand("transpose", expected, found));
                }
                if matches!(self.mode_shape_of(0)?, SymbolicTuple::Leaf(_)) {
                    return Ok(self.values[0].clone());
                }
                let mut values = vec![self.values[0].clone()];
                values.extend(order.into_iter().map(|mode| Value::Int(Expr::from(mode))));
                call(Op::Select, &values, facts)
            }
            _ => {
                self.count(2, 2)?;
                let shape = as_tuple(&self.values[1], self.op.name())?;
                let (size, found) = (self.mode_shape_of(0)?.product()?, shape.product()?);
                let operands = || format!("{}, {shape}", self.values[0]);
                let site = Site { operation: self.op.name(), operands: &operands };
                site.require(facts.equal(&size, &found))?;
                let rows = SymbolicLayout::compact(facts, shape)?;
                let values = [self.values[0].clone(), Value::Layout(rows)];
                call(Op::Composition, &values, facts)
            }
        }
    }

    /// The shape of an operand that is a layout of any kind.
    pub(super) fn mode_shape_of(&self, i: usize) -> Result<SymbolicTuple> {
        let shape = call(Op::Shape, &[self.values[i].clone()], self.facts)?;
        as_tuple(&shape, self.op.name())
    }

    /// Compact strides from a number on; see [`crate::compact_from`].
    pub(super) fn compact_from(
        &self,
        shape: &SymbolicTuple,
        start: &SymbolicTuple,
    ) -> Result<SymbolicTuple> {
        match (shape, start) {
            (_, SymbolicTuple::Leaf(start)) => {
                let strides = match self.op {
                    Op::CompactRowMajor => compact_row_major(shape)?,
                    _ => compact_col_major(shape)?,
                };
                strides.try_map(&mut |stride: &Expr| stride.times(start))
            }
            (SymbolicTuple::Node(modes), SymbolicTuple::Node(starts))
                if modes.len() == starts.len() =>
            {
                let modes = modes.iter().zip(starts);
                let strides = modes.map(|(mode, start)| self.compact_from(mode, start));
                strides.collect::<Result<_>>().map(SymbolicTuple::Node)
            }
            _ => {
                let expected = format!("a start that nests no deeper than {shape}");
                Err(Error::operand(self.op.name(), expected, start))
            }
        }
    }

    /// The coordinate of an index in a shape with strides; see [`crate::idx2crd_by`].
    pub(super) fn idx2crd_by(
        &self,
        index: &SymbolicTuple,
        shape: &SymbolicTuple,
        stride: &SymbolicTuple,
    ) -> Result<SymbolicTuple> {
        use Nested::{Leaf, Node};
        let misfit = || {
            let expected = format!("an index and a stride that nest no deeper than {shape}");
            Error::operand("idx2crd", expected, format!("{index} and {stride}"))
        };
        match (index, shape, stride) {
            (_, Node(_), Leaf(_)) => {
                let op = Op::CompactColMajor;
                let stride = Call { op, ..*self }.compact_from(shape, stride)?;
                self.idx2crd_by(index, shape, &stride)
            }
            (_, Node(shapes), Node(strides)) if shapes.len() == strides.len() => {
                let indices = match index {
                    Leaf(_) => vec![index.clone(); shapes.len()],
                    Node(indices) if indices.len() == shapes.len() => indices.clone(),
                    Node(_) => return Err(misfit()),
                };
                let each = shapes.iter().zip(strides).zip(&indices);
                let coords = each.map(|((s, d), index)| self.idx2crd_by(index, s, d));
                coords.collect::<Result<_>>().map(Node)
            }
            (Leaf(_), Leaf(extent), Leaf(_)) if extent.is(1) => Ok(Leaf(Expr::from(0))),
            (Leaf(index), Leaf(extent), Leaf(stride)) => {
                let digit = self.facts.floor_div(index, stride)?;
                self.facts.modulo(&digit, extent).map(Leaf)
            }
            _ => Err(misfit()),
        }
    }

    /// Whether tiles of a tiler fill a shape; see [`crate::fills_evenly`].
    pub(super) fn fills_evenly(
        &self,
        shape: &SymbolicTuple,
        tiler: &SymbolicTiler,
    ) -> Result<bool> {
        match tiler {
            SymbolicTiler::Any => Ok(true),
            SymbolicTiler::Layout(tile) => {
                let size = shape.product()?;
                let rest = complement(self.facts, tile, &SymbolicTuple::Leaf(size.clone()))?;
                let filled = tile.size()?.times(&rest.size()?)?;
                let operands = || format!("{shape}, {tiler}");
                let site = Site { operation: self.op.name(), operands: &operands };
                match self.facts.equal(&filled, &size) {
                    Answer::Yes => Ok(true),
                    Answer::No(_) => Ok(false),
                    open => Err(site.unmet(vec![open])),
                }
            }
            SymbolicTiler::Tuple(entries) if entries.len() > shape.rank() => Ok(false),
            SymbolicTiler::Tuple(entries) => {
                let mut every = true;
                for (part, tile) in shape.entries().iter().zip(entries) {
                    every &= self.fills_evenly(part, tile)?;
                }
                Ok(every)
            }
        }
    }
}
