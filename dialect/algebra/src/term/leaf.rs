//! Differences between terms of integers and of expressions: decisions by values, or by facts.

use super::{
    Op, Value,
    eval::{Args, Evaluated, composed},
    op::{Function, Functions},
};
use crate::term::prelude::*;
use crate::{
    integer::{self, Answer, Error, Facts, Need},
    layout::{common::Common, injective::Injective},
    smem::Conflicts,
    swizzle::{ComposedCoordinates, Swizzle, Swizzles},
};
use core::convert::Infallible;

/// The operations of terms that differ by leaf: those that enumerate, go by bits, or search. All others are written
/// over [`Leaf`].
pub(crate) trait TermLeaf: Swizzles + Injective + Common {
    /// The function of a row for these leaves.
    fn function(of: &Functions) -> Function<Self>;

    /// The value of a call; where no operand has symbols, that of integers.
    fn apply(facts: &Self::Facts, op: Op, values: &[Cow<'_, Value<Self>>]) -> Evaluated<Self>;

    /// A value without symbols.
    fn literal(value: &Value) -> Cow<'_, Value<Self>>;

    /// The answer of integers, where `f` has no form with symbols; else the value that is missing.
    fn by_values(call: &Args<'_, Self>, f: fn(&Args<'_>) -> Result<Value>) -> Evaluated<Self>;

    /// The value of a leaf that counts.
    fn one(call: &Args<'_, Self>, leaf: &Self) -> Result<i64, Self::Error>;

    /// The right or the left inverse of a composed layout.
    fn composed_inverse(
        call: &Args<'_, Self>,
        layout: &ComposedLayout<Self>,
    ) -> Result<AnyLayout<Self>, Self::Error>;

    /// The least shape that holds what a composed coordinate layout reaches.
    fn coshape_of_composed(
        call: &Args<'_, Self>,
        layout: &ComposedCoordinates<Self>,
    ) -> Result<Nested<Self>, Self::Error>;

    /// One more than the greatest offset of a composed layout.
    fn composed_cosize(
        call: &Args<'_, Self>,
        layout: &ComposedLayout<Self>,
    ) -> Result<Self, Self::Error>;

    /// A swizzle after a layout.
    fn swizzle_after(
        call: &Args<'_, Self>,
        swizzle: &Swizzle,
        layout: &AnyLayout<Self>,
    ) -> Result<AnyLayout<Self>, Self::Error>;

    /// [`crate::AnyLayout::conflicts`] under facts.
    fn conflicts(
        facts: &Self::Facts,
        layout: &AnyLayout<Self>,
        access: &Layout<Self>,
        bits: i64,
    ) -> Result<Conflicts, Self::Error>;
}

impl TermLeaf for i64 {
    fn function(of: &Functions) -> Function<i64> {
        of.closed
    }

    fn apply(facts: &(), op: Op, values: &[Cow<'_, Value>]) -> Result<Value> {
        Args { facts, op, values }.eval()
    }

    fn literal(value: &Value) -> Cow<'_, Value> {
        Cow::Borrowed(value)
    }

    fn by_values(call: &Args<'_>, f: fn(&Args<'_>) -> Result<Value>) -> Result<Value> {
        f(call)
    }

    fn one(_: &Args<'_>, leaf: &i64) -> Result<i64> {
        Ok(*leaf)
    }

    fn composed_inverse(call: &Args<'_>, layout: &ComposedLayout) -> Result<AnyLayout> {
        if call.op == Op::RightInverse { layout.right_inverse() } else { layout.left_inverse() }
    }

    fn coshape_of_composed(_: &Args<'_>, layout: &ComposedCoordinates) -> Result<Tuple> {
        layout.coshape()
    }

    fn composed_cosize(_: &Args<'_>, layout: &ComposedLayout) -> Result<i64> {
        layout.cosize()
    }

    fn swizzle_after(_: &Args<'_>, swizzle: &Swizzle, layout: &AnyLayout) -> Result<AnyLayout> {
        swizzle.composition(layout)
    }

    fn conflicts((): &(), layout: &AnyLayout, access: &Layout, bits: i64) -> Result<Conflicts> {
        layout.conflicts(access, bits)
    }
}

impl TermLeaf for Expr {
    fn function(of: &Functions) -> Function<Expr> {
        of.open
    }

    /// Where there is no other answer, but all symbols have one value each, it is that of these values: a
    /// linear layout has no other form.
    fn apply(facts: &Facts, op: Op, values: &[Cow<'_, Value<Expr>>]) -> Evaluated<Expr> {
        if let Some(values) = values.iter().map(|value| value.to_static()).collect() {
            return fixed(op, values);
        }
        let call = Args { facts, op, values };
        call.eval().or_else(|error| match call.known() {
            Ok(values) => fixed(op, values),
            Err(_) => Err(error),
        })
    }

    fn literal(value: &Value) -> Cow<'_, Value<Expr>> {
        Cow::Owned(value.into())
    }

    fn by_values(call: &Args<'_, Expr>, _: fn(&Args<'_>) -> Result<Value>) -> Evaluated<Expr> {
        Err(call.unknown())
    }

    fn one(call: &Args<'_, Expr>, leaf: &Expr) -> integer::Result<i64> {
        call.facts.known(leaf).ok_or_else(|| call.open(call.facts.need_known(leaf)))
    }

    fn composed_inverse(
        call: &Args<'_, Expr>,
        layout: &ComposedLayout<Expr>,
    ) -> integer::Result<AnyLayout<Expr>> {
        composed::inverse_of_expressions(call, layout)
    }

    fn coshape_of_composed(
        call: &Args<'_, Expr>,
        _: &ComposedCoordinates<Expr>,
    ) -> integer::Result<Nested<Expr>> {
        Err(call.unknown())
    }

    fn composed_cosize(
        call: &Args<'_, Expr>,
        layout: &ComposedLayout<Expr>,
    ) -> integer::Result<Expr> {
        composed::cosize_of_expressions(call, layout)
    }

    fn swizzle_after(
        call: &Args<'_, Expr>,
        swizzle: &Swizzle,
        layout: &AnyLayout<Expr>,
    ) -> integer::Result<AnyLayout<Expr>> {
        swizzle.after(call.facts, layout)?.ok_or_else(|| call.unknown())
    }

    fn conflicts(
        facts: &Facts,
        layout: &AnyLayout<Expr>,
        access: &Layout<Expr>,
        bits: i64,
    ) -> integer::Result<Conflicts> {
        let composed = match layout {
            AnyLayout::Composed(composed) => composed,
            AnyLayout::Plain(layout) => &Swizzle::identity().before(0.into(), layout.clone()),
        };
        composed.conflicts_under(facts, access, bits)
    }
}

/// The answer of integers.
fn fixed(op: Op, values: Vec<Value>) -> Evaluated<Expr> {
    let values: Vec<_> = values.into_iter().map(Cow::Owned).collect();
    Ok((&i64::apply(&(), op, &values)?).into())
}

impl Args<'_, Expr> {
    /// The operands, where the facts leave one value of each.
    fn known(&self) -> integer::Result<Vec<Value>> {
        let values = self.values.iter().map(|value| {
            let known = value.map_leaves(&mut |expr| Expr::one(self, expr).map(Expr::from))?;
            known.to_static().ok_or_else(|| self.unknown())
        });
        values.collect()
    }

    /// The error for an operation on values that are not known: the first of them.
    pub(crate) fn unknown(&self) -> Error {
        let mut symbolic = Vec::new();
        for value in self.values {
            // The visited value stays as it is.
            let _ = value.map_leaves(&mut |expr| {
                symbolic.extend(expr.as_constant().is_none().then(|| expr.clone()));
                Ok::<_, Infallible>(expr.clone())
            });
        }
        let open = symbolic.iter().find(|expr| self.facts.known(expr).is_none());
        let first = open.or(symbolic.first()).map(|expr| self.facts.need_known(expr));
        match first {
            Some(need) => self.open(need),
            None => Error::operand(self.op.name(), "operands with symbols", "none"),
        }
    }

    fn open(&self, need: Need) -> Error {
        let operands =
            || self.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let site = Site { operation: self.op.name(), operands: &operands };
        site.unmet(alloc::vec![Answer::Unknown(need)])
    }
}
