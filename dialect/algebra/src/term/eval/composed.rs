//! Operations on a composed layout.

use super::{Args, Evaluated, operands::tuple_of};
use crate::term::prelude::*;
use crate::{
    integer::{self},
    layout::modal::{unpack_all, unpack_rests},
    swizzle::Outer,
    term::value::composed_value,
};

impl<L: TermLeaf> Args<'_, L> {
    /// The composed layout among the operands that an operation sees as a whole, or `None` if the operation
    /// only rearranges what is inside.
    fn seen_whole(&self) -> Option<&ComposedLayout<L>> {
        use Op::*;
        let place = match self.op {
            Crd2Idx | Slice | SliceAndOffset => 1,
            Upcast | Downcast | Recast | RecastLayout | RightInverse | LeftInverse
            | IsInjective | IsSurjective | IsBijective | Nullspace => 0,
            _ => return None,
        };
        match self.value(place)? {
            Value::Composed(composed) => Some(composed),
            _ => None,
        }
    }

    /// A composed layout of its parts.
    pub(super) fn make_composed_layout(&self) -> Evaluated<L> {
        let [outer, offset, inner] = self.values else {
            return Err(self.kind(2, "a layout").into());
        };
        if !matches!(**outer, Value::Swizzle(_) | Value::Layout(_) | Value::Basis(_)) {
            return Err(self.kind(0, "a swizzle, or a plain or a coordinate layout").into());
        }
        if tuple_of(offset).is_none() {
            return Err(self.kind(1, "an offset").into());
        }
        composed_value(self.facts, outer, offset, inner).unwrap_or_else(|| {
            Err(match **inner {
                Value::Layout(_) => self.kind(1, "an integer"),
                _ => self.kind(2, "a plain layout"),
            }
            .into())
        })
    }

    /// A call of what examines a composed layout as a whole, or `None` for any other.
    pub(super) fn on_composed(&self) -> Option<Evaluated<L>> {
        use Op::*;
        match self.op {
            LogicalProduct | ZippedProduct | TiledProduct | FlatProduct
                if matches!(self.value(0), Some(Value::Layout(_) | Value::Int(_)))
                    && matches!(self.value(1), Some(Value::Composed(_))) =>
            {
                Some(L::by_values(self, product_composed))
            }
            _ => Some(self.of_composed(self.seen_whole()?)),
        }
    }

    fn of_composed(&self, composed: &ComposedLayout<L>) -> Evaluated<L> {
        use Op::*;
        let facts = self.facts;
        Ok(match self.op {
            Upcast => composed.upcast_under(facts, self.int(1)?)?.into(),
            Downcast => composed.downcast_under(facts, self.int(1)?)?.into(),
            Recast => composed.recast_under(facts, self.int(1)?, self.int(2)?)?.into(),
            RecastLayout => composed.recast_under(facts, self.int(2)?, self.int(1)?)?.into(),
            RightInverse | LeftInverse => L::composed_inverse(self, composed)?.into(),
            IsInjective | IsSurjective | IsBijective => {
                return L::by_values(self, |call| {
                    let whole = call.any_layout(0)?;
                    Ok(Value::Bool(match call.op {
                        IsInjective => whole.is_injective()?,
                        IsSurjective => whole.is_surjective()?,
                        _ => whole.is_bijective()?,
                    }))
                });
            }
            Crd2Idx => Value::Int(composed.crd2idx_under(facts, &*self.tuple(0)?)?),
            Slice => composed.kept_under(facts, &self.coord(0)?)?.into(),
            Nullspace => {
                // Coordinates that map to 0 inside are at the image of the offset.
                let start = composed.outer.at_under(facts, &composed.offset)?;
                let operands = || composed.to_string();
                let site = Site { operation: "nullspace", operands: &operands };
                L::require(&site, L::equal(facts, &start, &L::from(0)), || {
                    Error::condition("nullspace", composed, "offset 0 at index 0", &start)
                })?;
                Value::Layout(composed.inner.nullspace_under(facts)?)
            }
            _ => {
                let (kept, offset) = composed.slice_under(facts, &self.coord(0)?)?;
                Value::List(vec![kept.into(), Value::Int(offset)])
            }
        })
    }
}

/// A layout repeated at the places of a composed one.
fn product_composed(call: &Args<'_>) -> Result<Value> {
    let Some(Value::Composed(times)) = call.value(1) else {
        return Err(call.kind(1, "a composed layout"));
    };
    let product = call.layout(0)?.product_composed(times)?;
    let product = product.try_map(|product| match call.op {
        Op::TiledProduct => unpack_rests(product),
        Op::FlatProduct => unpack_all(product),
        _ => Ok(product.clone()),
    });
    product.map(Value::from)
}

/// An inverse of a composed layout of expressions, where nothing is swizzled.
pub(crate) fn inverse_of_expressions(
    call: &Args<'_, Expr>,
    composed: &ComposedLayout<Expr>,
) -> integer::Result<AnyLayout<Expr>> {
    if let Outer::Swizzle(swizzle) = &composed.outer {
        swizzle.require_bijective(call.op.name())?;
    }
    match composed.fold_under(call.facts)? {
        Some((plain, offset)) if offset.is(0) => {
            let inverse = match call.op {
                Op::RightInverse => plain.right_inverse_under(call.facts)?,
                _ => plain.left_inverse_under(call.facts)?,
            };
            Ok(inverse.into())
        }
        _ => Err(call.unknown()),
    }
}

/// One more than the greatest offset of a composed layout of expressions, which modes that descend do not
/// raise.
pub(crate) fn cosize_of_expressions(
    call: &Args<'_, Expr>,
    composed: &ComposedLayout<Expr>,
) -> integer::Result<Expr> {
    let Some((plain, offset)) = composed.fold_under(call.facts)? else {
        return Err(call.unknown());
    };
    let zero = Expr::from(0);
    let rises = |stride: &Expr| !call.facts.at_least(&zero, stride).is_yes();
    let rising: Vec<_> = plain.flat().into_iter().filter(|(_, stride)| rises(stride)).collect();
    let end = match rising.is_empty() {
        true => Expr::from(1),
        false => Layout::of_leaves(&rising)?.cosize_under(call.facts)?,
    };
    let end = end.plus(&offset)?;
    // Offsets that are all below 0 are counted as one at 0.
    if call.facts.at_least(&end, &Expr::from(1)).is_yes() { Ok(end) } else { Err(call.unknown()) }
}
