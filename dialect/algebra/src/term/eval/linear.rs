//! Operations on linear layouts, which work on bits and have no symbolic form: operands are integers, or expressions to
//! which the facts leave one value.

use super::{Args, Evaluated, count_of};
use crate::linear::LinearLayout;
use crate::term::prelude::*;

impl<L: TermLeaf> Args<'_, L> {
    /// An operation on layouts of CuTe, of linear ones; `None` for one that does nothing
    /// with them.
    pub(super) fn on_linear(&self) -> Option<Evaluated<L>> {
        use Op::*;
        let f: fn(&Args<'_>) -> Result<Value> = match self.op {
            Composition => |call| call.with_linear(|outer, inner| inner.compose(outer)),
            Size => |call| call.on_linear_layout(|layout| Ok(Value::Int(layout.size()))),
            Cosize => |call| call.on_linear_layout(|layout| Ok(Value::Int(layout.cosize()))),
            IsInjective => {
                |call| call.on_linear_layout(|layout| Ok(Value::Bool(layout.is_injective())))
            }
            IsSurjective => {
                |call| call.on_linear_layout(|layout| Ok(Value::Bool(layout.is_surjective())))
            }
            IsBijective => {
                |call| call.on_linear_layout(|layout| Ok(Value::Bool(layout.is_invertible())))
            }
            Crd2Idx => linear_at,
            BankConflicts if matches!(self.value(0), Some(Value::Linear(_))) => |call| {
                let conflicts = call.linear(0)?.conflicts(&*call.layout(1)?, call.int(2)?)?;
                Ok(count_of(&conflicts))
            },
            // Beside a linear layout an expression needs a value.
            _ if L::OPEN => |call| call.eval(),
            _ => return None,
        };
        Some(L::by_values(self, f))
    }
}

/// A layout or a swizzle as a linear layout.
pub(super) fn to_linear(call: &Args<'_>) -> Result<Value> {
    let layout = match &*call.values[0] {
        Value::Linear(layout) => layout.clone(),
        Value::Swizzle(swizzle) => LinearLayout::from_swizzle(swizzle, swizzle.period())?,
        Value::Layout(_) | Value::Composed(_) | Value::Int(_) => {
            LinearLayout::from_any(&call.any_layout(0)?)?
        }
        _ => return Err(call.kind(0, "a layout or a swizzle")),
    };
    Ok(Value::Linear(layout))
}

/// The output at a coordinate: an entry for each input, in their order, or one flat index.
fn linear_at(call: &Args<'_>) -> Result<Value> {
    let layout = call.linear(1)?;
    let coordinate = match &*call.tuple(0)? {
        Tuple::Leaf(index) => return layout.at(*index).map(Value::Int),
        Tuple::Node(entries) => entries
            .iter()
            .map(|entry| match entry {
                Tuple::Leaf(value) => Ok(*value),
                Tuple::Node(_) => Err(call.kind(0, "an index, or one for each input,")),
            })
            .collect::<Result<Vec<_>>>()?,
    };
    if coordinate.len() != layout.in_names().len() {
        return Err(call.kind(0, "an index, or one for each input,"));
    }
    let named: Vec<_> = layout.in_names().zip(coordinate).collect();
    let image = layout.apply(&named)?.into_iter().map(|(_, value)| Tuple::Leaf(value));
    match image.collect::<Vec<_>>().as_slice() {
        [only] => Ok(Value::from(only.clone())),
        parts => Ok(Value::from(Tuple::Node(parts.to_vec()))),
    }
}

impl Args<'_> {
    pub(super) fn linear(&self, i: usize) -> Result<&LinearLayout> {
        match self.value(i) {
            Some(Value::Linear(layout)) => Ok(layout),
            _ => Err(self.kind(i, "a linear layout")),
        }
    }

    pub(super) fn on_linear_layout(
        &self,
        f: impl Fn(&LinearLayout) -> Result<Value>,
    ) -> Result<Value> {
        f(self.linear(0)?)
    }

    pub(super) fn with_linear(
        &self,
        f: impl Fn(&LinearLayout, &LinearLayout) -> Result<LinearLayout>,
    ) -> Result<Value> {
        f(self.linear(0)?, self.linear(1)?).map(Value::Linear)
    }
}
