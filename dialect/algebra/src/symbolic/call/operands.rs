//! The operands of a call, as what an operation takes.

use super::{
    super::{
        error::{Error, Result},
        expr::Expr,
        layout::SymbolicLayout,
        term::{as_tuple, tiler, wrong_count},
        tuple::{SymbolicCoord, SymbolicTuple},
    },
    Call, WithLayout, WithTiler,
};
use crate::{Tuple, Value};
use alloc::{format, vec::Vec};

impl Call<'_> {
    /// The shape of the first operand, or of the mode of it that the other operands name.
    pub(super) fn mode_shape(&self) -> Result<SymbolicTuple> {
        self.count(1, usize::MAX)?;
        let shape = self.shape_of(0)?;
        let layout = SymbolicLayout::known(shape.clone(), shape);
        Ok(crate::get(&layout, &self.integers(1)?)?.shape().clone())
    }

    pub(super) fn with_tiler(&self, f: WithTiler) -> Result<SymbolicLayout> {
        self.count(2, 2)?;
        let tiler = tiler(self.facts, &self.values[1])?;
        f(self.facts, &self.layout(0)?, &tiler)
    }

    pub(super) fn with_layout(&self, f: WithLayout) -> Result<SymbolicLayout> {
        self.count(2, 2)?;
        f(self.facts, &self.layout(0)?, &self.layout(1)?)
    }

    pub(super) fn only_layout(&self) -> Result<SymbolicLayout> {
        self.count(1, 1)?;
        self.layout(0)
    }

    pub(super) fn count(&self, least: usize, most: usize) -> Result<()> {
        let found = self.values.len();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = match (least, most) {
            _ if least == most => format!("{least}"),
            (_, usize::MAX) => format!("at least {least}"),
            _ => format!("{least} to {most}"),
        };
        Err(wrong_count(self.op.name(), &expected, found))
    }

    pub(super) fn layout(&self, i: usize) -> Result<SymbolicLayout> {
        match &self.values[i] {
            Value::Layout(layout) => Ok(layout.clone()),
            // CuTe takes an extent where it takes a layout.
            Value::Int(extent) => SymbolicLayout::under(
                self.facts,
                SymbolicTuple::Leaf(extent.clone()),
                SymbolicTuple::Leaf(Expr::from(1)),
            ),
            other => {
                let is_layout =
                    matches!(other, Value::Composed(_) | Value::Basis(_) | Value::Linear(_));
                let expected = if is_layout { "a plain layout" } else { "a layout" };
                Err(Error::operand(self.op.name(), expected, other))
            }
        }
    }

    pub(super) fn shape_of(&self, i: usize) -> Result<SymbolicTuple> {
        match &self.values[i] {
            Value::Layout(layout) => Ok(layout.shape().clone()),
            other => as_tuple(other, self.op.name()),
        }
    }

    pub(super) fn coord(&self, i: usize) -> Result<SymbolicCoord> {
        match &self.values[i] {
            Value::Int(expr) => Ok(SymbolicCoord::At(expr.clone())),
            Value::Tuple(tuple) => Ok(tuple.into()),
            Value::Coord(coord) => Ok(coord.clone()),
            other => Err(Error::operand(self.op.name(), "a coordinate", other)),
        }
    }

    pub(super) fn integer(&self, i: usize) -> Result<i64> {
        match &self.values[i] {
            Value::Int(expr) => self.one(expr),
            other => Err(Error::operand(self.op.name(), "an integer", other)),
        }
    }

    /// The value of an expression that counts.
    pub(super) fn one(&self, expr: &Expr) -> Result<i64> {
        self.facts.known(expr).ok_or_else(|| self.open(self.facts.need_known(expr)))
    }

    pub(super) fn integers(&self, from: usize) -> Result<Vec<i64>> {
        (from..self.values.len()).map(|i| self.integer(i)).collect()
    }

    pub(super) fn static_tuple(&self, i: usize) -> Result<Tuple> {
        let tuple = as_tuple(&self.values[i], self.op.name())?;
        tuple.try_map(&mut |expr| self.one(expr))
    }
}
