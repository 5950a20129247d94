//! Calls of operations on values that may have symbols.

use super::{
    error::{Error, Result},
    expr::Expr,
    facts::Facts,
};
use crate::{Op, Value, term::Decides};
use alloc::{borrow::ToOwned, string::ToString, vec::Vec};

/// An operation on values, under facts that are complete.
///
/// Where no operand has symbols it is the static algebra's. Where there is no other answer, but all
/// symbols have one value each, it is that of these values: a linear layout has no other form.
///
/// # Errors
///
/// That of the operation.
///
/// ```
/// use layout_algebra::{Op, Value, Layout, call, Expr};
/// let (layout, facts) = Layout::<Expr>::parse("(M,8):(1,M)")?;
/// let whole = call(Op::Coalesce, &[Value::Layout(layout)], &facts)?;
/// assert_eq!(whole.to_string(), "8*M:1");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub fn call(op: Op, values: &[Value<Expr>], facts: &Facts) -> Result<Value<Expr>> {
    let values: Vec<_> = values.iter().collect();
    Expr::apply(facts, op, &values)
}

/// Whether an operation takes a shape in a place, of which the extents are at least 1 as those of a layout are. In a term
/// that states a fact, as the shape of a layout does; values that come from elsewhere state none.
pub(super) fn takes_shape(op: Op, place: usize) -> bool {
    use Op::*;
    match op {
        MakeIdentityLayout | MakeOrderedLayout | CompactColMajor | CompactRowMajor
        | DomainDistribute => place == 0,
        Complement | TileToShape | Idx2Crd | Composition | LogicalDivide | ZippedDivide
        | TiledDivide | FlatDivide | LogicalProduct | ZippedProduct | TiledProduct
        | FlatProduct | BlockedProduct | RakedProduct | Distribute => place == 1,
        _ => false,
    }
}

/// An answer to operands without symbols.
pub(crate) fn static_answer(
    operation: &'static str,
    answer: Result<Value<Expr>>,
) -> crate::Result<Value> {
    let value = answer.and_then(|answer| {
        answer.to_static().ok_or_else(|| Error::operand(operation, "known operands", &answer))
    });
    value.map_err(|error| match error {
        Error::Algebra(error) => error,
        other => crate::Error::Operand {
            operation,
            expected: "known operands".to_owned(),
            found: other.to_string(),
        },
    })
}
