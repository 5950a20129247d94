//! What operations do with linear layouts.

use super::Args;
use crate::{Op, Value, error::Result, linear::LinearLayout, tuple::Tuple};
use alloc::vec::Vec;

impl Args<'_> {
    /// What an operation on layouts of CuTe does with linear ones; `None` of one that does nothing
    /// with them.
    pub(super) fn overloaded(&self) -> Option<Result<Value>> {
        use Op::*;
        Some(match self.op {
            Composition => self.with_linear(|outer, inner| inner.compose(outer)),
            Size => self.on_linear(|layout| Ok(Value::Int(layout.size()))),
            Cosize => self.on_linear(|layout| Ok(Value::Int(layout.cosize()))),
            IsInjective => self.on_linear(|layout| Ok(Value::Bool(layout.is_injective()))),
            IsSurjective => self.on_linear(|layout| Ok(Value::Bool(layout.is_surjective()))),
            IsBijective => self.on_linear(|layout| Ok(Value::Bool(layout.is_invertible()))),
            Crd2Idx => self.linear_at(),
            _ => return None,
        })
    }

    pub(super) fn to_linear(&self) -> Result<Value> {
        self.count(1, 1)?;
        let layout = match &*self.values[0] {
            Value::Linear(layout) => layout.clone(),
            Value::Swizzle(swizzle) => LinearLayout::from_swizzle(swizzle, swizzle.period())?,
            Value::Layout(_) | Value::Composed(_) | Value::Int(_) => {
                LinearLayout::from_any(&self.any_layout(0)?)?
            }
            _ => return Err(self.kind(0, "a layout or a swizzle")),
        };
        Ok(Value::Linear(layout))
    }

    /// The output at a coordinate: an entry for each input, in their order, or one flat index.
    fn linear_at(&self) -> Result<Value> {
        self.count(2, 2)?;
        let layout = self.linear(1)?;
        let coordinate = match &*self.tuple(0)? {
            Tuple::Leaf(index) => return layout.at(*index).map(Value::Int),
            Tuple::Node(entries) => entries
                .iter()
                .map(|entry| match entry {
                    Tuple::Leaf(value) => Ok(*value),
                    Tuple::Node(_) => Err(self.kind(0, "an index, or one for each input,")),
                })
                .collect::<Result<Vec<_>>>()?,
        };
        if coordinate.len() != layout.in_names().len() {
            return Err(self.kind(0, "an index, or one for each input,"));
        }
        let named: Vec<_> = layout.in_names().zip(coordinate).collect();
        let image = layout.apply(&named)?.into_iter().map(|(_, value)| Tuple::Leaf(value));
        match image.collect::<Vec<_>>().as_slice() {
            [only] => Ok(Value::from(only.clone())),
            parts => Ok(Value::from(Tuple::Node(parts.to_vec()))),
        }
    }

    fn linear(&self, i: usize) -> Result<&LinearLayout> {
        match self.value(i) {
            Some(Value::Linear(layout)) => Ok(layout),
            _ => Err(self.kind(i, "a linear layout")),
        }
    }

    pub(super) fn on_linear(&self, f: impl Fn(&LinearLayout) -> Result<Value>) -> Result<Value> {
        self.count(1, 1)?;
        f(self.linear(0)?)
    }

    pub(super) fn with_linear(
        &self,
        f: impl Fn(&LinearLayout, &LinearLayout) -> Result<LinearLayout>,
    ) -> Result<Value> {
        self.count(2, 2)?;
        f(self.linear(0)?, self.linear(1)?).map(Value::Linear)
    }
}
