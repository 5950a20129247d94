//! Operations on swizzles without a layout, as functions of an offset.

use super::{Args, Evaluated};
use crate::swizzle::Swizzle;
use crate::term::prelude::*;

impl<L: TermLeaf> Args<'_, L> {
    /// An operation on layouts, of a swizzle; `None` for one that does nothing with it, or where
    /// there is none.
    pub(super) fn on_swizzle(&self) -> Option<Evaluated<L>> {
        use Op::*;
        // `crd2idx` has the coordinate first.
        let Value::Swizzle(swizzle) = self.value(usize::from(self.op == Crd2Idx))? else {
            return match (self.op, self.value(1)?) {
                (Composition, Value::Swizzle(_)) => Some(L::by_values(self, composition_with)),
                _ => None,
            };
        };
        Some(match self.op {
            Composition => self.composition_of(swizzle),
            Crd2Idx => self.swizzled(*swizzle),
            RightInverse | LeftInverse => swizzle.inverse().map(Value::Swizzle).map_err(Into::into),
            Upcast => self.recast_swizzle(|numbers| swizzle.widened(numbers[0])),
            Downcast => self.recast_swizzle(|numbers| swizzle.narrowed(numbers[0])),
            Recast => self.recast_swizzle(|numbers| swizzle.recast(numbers[0], numbers[1])),
            RecastLayout => self.recast_swizzle(|numbers| swizzle.recast(numbers[1], numbers[0])),
            MakeLayout if self.values.len() == 1 => Ok(swizzle.make_layout().into()),
            MaxAlignment => Ok(Value::Int(L::from(swizzle.max_alignment()))),
            IsInjective | IsSurjective | IsBijective => Ok(Value::Bool(swizzle.is_bijective())),
            _ => return None,
        })
    }

    /// A swizzle after a layout, or after another swizzle where both are one.
    fn composition_of(&self, left: &Swizzle) -> Evaluated<L> {
        let Some(Value::Swizzle(right)) = self.value(1) else {
            return L::swizzle_after(self, left, &self.any_layout(1)?).map(Value::from);
        };
        let one = left.compose(right).map(Value::Swizzle);
        one.ok_or_else(|| {
            let expected = "two swizzles that are one";
            let found = "a product of their matrices that is no swizzle";
            Error::condition(self.op.name(), format!("{left}, {right}"), expected, found).into()
        })
    }

    /// The image of one offset.
    fn swizzled(&self, swizzle: Swizzle) -> Evaluated<L> {
        match &*self.tuple(0)? {
            Nested::Leaf(offset) => L::swizzled(self.facts, swizzle, offset).map(Value::Int),
            Nested::Node(_) => Err(self.kind(0, "an offset").into()),
        }
    }

    fn recast_swizzle(&self, f: impl FnOnce(&[i64]) -> Result<Swizzle>) -> Evaluated<L> {
        Ok(Value::Swizzle(f(&self.integers(1)?)?))
    }
}

/// The layout before each offset that a swizzle makes.
fn composition_with(call: &Args<'_>) -> Result<Value> {
    let Some(Value::Swizzle(right)) = call.value(1) else {
        return Err(call.kind(1, "a swizzle"));
    };
    call.any_layout(0)?.composition_swizzle(right).map(Value::from)
}

/// Whether two swizzles commute.
pub(super) fn commutes(call: &Args<'_>) -> Result<Value> {
    let swizzle = |i| match call.value(i) {
        Some(Value::Swizzle(swizzle)) => Ok(*swizzle),
        _ => Err(call.kind(i, "a swizzle")),
    };
    Ok(Value::Bool(swizzle(0)?.commutes_with(&swizzle(1)?)))
}
