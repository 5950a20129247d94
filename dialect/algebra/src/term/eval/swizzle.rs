//! What operations do with swizzles that stand by themselves, as functions of an offset.

use super::Args;
use crate::{
    Op, Swizzle, Value,
    error::{Error, Result},
    tuple::Tuple,
};
use alloc::{borrow::ToOwned, format};

impl Args<'_> {
    /// What an operation on layouts does with a swizzle; `None` of one that does nothing with it, or where
    /// there is none.
    pub(super) fn on_swizzle(&self) -> Option<Result<Value>> {
        use Op::*;
        // `crd2idx` has the coordinate first.
        let Value::Swizzle(swizzle) = self.value(usize::from(self.op == Crd2Idx))? else {
            return match (self.op, self.value(1)?) {
                (Composition, Value::Swizzle(right)) => Some(self.composition_with(right)),
                _ => None,
            };
        };
        Some(match self.op {
            Composition => self.composition_of(swizzle),
            Crd2Idx => self.swizzled(*swizzle),
            RightInverse | LeftInverse => {
                self.count(1, 1).and_then(|()| swizzle.inverse().map(Value::Swizzle))
            }
            Upcast => self.recast_swizzle(2, |numbers| swizzle.widened(numbers[0])),
            Downcast => self.recast_swizzle(2, |numbers| swizzle.narrowed(numbers[0])),
            Recast => self.recast_swizzle(3, |numbers| swizzle.recast(numbers[0], numbers[1])),
            RecastLayout => {
                self.recast_swizzle(3, |numbers| swizzle.recast(numbers[1], numbers[0]))
            }
            IsInjective | IsSurjective | IsBijective => {
                self.count(1, 1).map(|()| Value::Bool(swizzle.is_bijective()))
            }
            _ => return None,
        })
    }

    /// What stands first at each offset that a swizzle makes.
    fn composition_with(&self, right: &Swizzle) -> Result<Value> {
        self.count(2, 2)?;
        self.any_layout(0)?.composition_swizzle(right).map(Value::from)
    }

    /// A swizzle after a layout, or after another swizzle where both are one.
    fn composition_of(&self, left: &Swizzle) -> Result<Value> {
        self.count(2, 2)?;
        let Some(Value::Swizzle(right)) = self.value(1) else {
            return left.composition(&self.any_layout(1)?).map(Value::from);
        };
        left.compose(right).map(Value::Swizzle).ok_or_else(|| Error::Condition {
            operation: self.op.name(),
            operand: format!("{left}, {right}"),
            expected: "two swizzles that are one",
            found: "a product of their matrices that is no swizzle".to_owned(),
        })
    }

    /// Whether two swizzles may change places.
    pub(super) fn commutes(&self) -> Result<Value> {
        self.count(2, 2)?;
        let swizzle = |i| match self.value(i) {
            Some(Value::Swizzle(swizzle)) => Ok(*swizzle),
            _ => Err(self.kind(i, "a swizzle")),
        };
        Ok(Value::Bool(swizzle(0)?.commutes_with(&swizzle(1)?)))
    }

    /// The image of one offset.
    fn swizzled(&self, swizzle: Swizzle) -> Result<Value> {
        self.count(2, 2)?;
        match &*self.tuple(0)? {
            Tuple::Leaf(offset) => Ok(Value::Int(swizzle.apply(*offset))),
            Tuple::Node(_) => Err(self.kind(0, "an offset")),
        }
    }

    fn recast_swizzle(
        &self,
        count: usize,
        f: impl FnOnce(&[i64]) -> Result<Swizzle>,
    ) -> Result<Value> {
        self.count(count, count)?;
        f(&self.integers(1)?).map(Value::Swizzle)
    }
}
