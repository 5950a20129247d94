//! What operations do with a layout behind a swizzle or another layout. That of integers decides bit by
//! bit, or goes through offsets; that of expressions asks the facts.

use super::{Args, Evaluated};
use crate::{
    AnyLayout, ComposedLayout, Layout, Op, Outer,
    error::Result,
    integer::{self, Expr},
    term::{Decides, Value},
};
use alloc::{vec, vec::Vec};

impl<L: Decides> Args<'_, L> {
    /// The composed layout among the operands that an operation sees as a whole, with its own count of
    /// operands checked; none where the operation only rearranges what is inside.
    fn seen_whole(&self) -> Option<&ComposedLayout<L>> {
        use Op::*;
        let place = match self.op {
            Crd2Idx | Slice | SliceAndOffset => 1,
            Upcast | Downcast | Recast | RecastLayout | RightInverse | LeftInverse => 0,
            IsInjective | IsSurjective | IsBijective if !L::OPEN => 0,
            _ => return None,
        };
        match self.value(place)? {
            Value::Composed(composed) => Some(composed),
            _ => None,
        }
    }

    fn count_composed(&self) -> Result<()> {
        match self.op {
            Op::Recast | Op::RecastLayout => self.count(3, 3),
            Op::RightInverse | Op::LeftInverse => self.count(1, 1),
            Op::IsInjective | Op::IsSurjective | Op::IsBijective => self.count(1, 1),
            _ => self.count(2, 2),
        }
    }

    /// A slice, or with its offset.
    fn slice_of(&self, kept: AnyLayout<L>, offset: L) -> Value<L> {
        match self.op {
            Op::Slice => kept.into(),
            _ => Value::List(vec![kept.into(), Value::Int(offset)]),
        }
    }
}

/// An operation on a composed layout of integers as a whole.
pub(crate) fn of_integers(call: &Args<'_>) -> Option<Result<Value>> {
    use Op::*;
    let composed = call.seen_whole()?;
    let answer = || {
        call.count_composed()?;
        let whole = || AnyLayout::Composed(composed.clone());
        Ok(match call.op {
            Upcast => composed.upcast(call.int(1)?)?.into(),
            Downcast => composed.downcast(call.int(1)?)?.into(),
            Recast => composed.recast(call.int(1)?, call.int(2)?)?.into(),
            RecastLayout => composed.recast(call.int(2)?, call.int(1)?)?.into(),
            RightInverse => composed.right_inverse()?.into(),
            LeftInverse => composed.left_inverse()?.into(),
            IsInjective => Value::Bool(whole().is_injective()?),
            IsSurjective => Value::Bool(whole().is_surjective()?),
            IsBijective => Value::Bool(whole().is_bijective()?),
            Crd2Idx => Value::Int(composed.crd2idx(&*call.tuple(0)?)?),
            _ => {
                let (kept, offset) = composed.slice_and_offset(&call.coord(0)?)?;
                call.slice_of(kept, offset)
            }
        })
    };
    Some(answer())
}

/// An operation on a composed layout of expressions as a whole.
pub(crate) fn of_expressions(call: &Args<'_, Expr>) -> Option<Evaluated<Expr>> {
    use Op::*;
    let (facts, composed) = (call.facts, call.seen_whole()?);
    let answer = || {
        call.count_composed()?;
        Ok(match call.op {
            Upcast => composed.upcast(facts, call.int(1)?)?.into(),
            Downcast => composed.downcast(facts, call.int(1)?)?.into(),
            Recast => composed.recast(facts, call.int(1)?, call.int(2)?)?.into(),
            RecastLayout => composed.recast(facts, call.int(2)?, call.int(1)?)?.into(),
            // Where nothing is swizzled.
            RightInverse | LeftInverse => {
                if let Outer::Swizzle(swizzle) = &composed.outer {
                    swizzle.require_bijective(call.op.name())?;
                }
                match composed.fold(facts)? {
                    Some((plain, offset)) if offset.is(0) => {
                        call.call(call.op, &[&Value::Layout(plain)])?
                    }
                    _ => return Err(call.unknown()),
                }
            }
            Crd2Idx => Value::Int(composed.crd2idx(facts, &*call.tuple(0)?)?),
            _ => {
                let (kept, offset) = composed.slice(facts, &call.coord(0)?)?;
                call.slice_of(kept, offset)
            }
        })
    };
    Some(answer())
}

/// One more than the greatest offset of a composed layout of expressions, which modes that descend do not
/// raise.
pub(crate) fn cosize_of_expressions(
    call: &Args<'_, Expr>,
    composed: &ComposedLayout<Expr>,
) -> integer::Result<Expr> {
    let Some((plain, offset)) = composed.fold(call.facts)? else { return Err(call.unknown()) };
    let zero = Expr::from(0);
    let rises = |stride: &Expr| !call.facts.at_least(&zero, stride).is_yes();
    let rising: Vec<_> = plain.flat().into_iter().filter(|(_, stride)| rises(stride)).collect();
    let end = match rising.is_empty() {
        true => Expr::from(1),
        false => Layout::<Expr>::of_flat(rising).cosize(call.facts)?,
    };
    let end = end.plus(&offset)?;
    // Offsets that are all below 0 are counted as one at 0.
    match call.facts.at_least(&end, &Expr::from(1)).is_yes() {
        true => Ok(end),
        false => Err(call.unknown()),
    }
}
