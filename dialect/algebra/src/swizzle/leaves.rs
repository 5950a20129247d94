//! Differences between composed layouts of integers and of expressions. For integers, bits decide, or the offsets one
//! by one; for expressions, facts about strides and about the greatest offset.
//!
//! An expression is swizzled bit by bit: bit `k` of `x` is `mod(floor_div(x, 2^k), 2)`, and
//! `z xor y = z + y - 2*y*z`, which is an expression whatever the facts are. Facts make it smaller.

use super::{ComposedLayout, Swizzle, bits::may_have};
use crate::{
    error::{self, Error},
    integer::{self, Expr, Facts, Quotient, Site},
    layout::{Layout, leaf::Leaf},
};
use alloc::format;

/// The interface of leaves to swizzled layouts.
pub trait Swizzles: Leaf {
    /// The swizzled offset.
    fn swizzled(facts: &Self::Facts, swizzle: Swizzle, offset: &Self) -> Result<Self, Self::Error>;

    /// The plain layout and the offset that it starts at, where a swizzled one is known to be one.
    fn folded(
        facts: &Self::Facts,
        swizzle: Swizzle,
        layout: &ComposedLayout<Self>,
    ) -> Result<Option<(Layout<Self>, Self)>, Self::Error>;

    /// A fixed offset as what the swizzle sees and what passes through it, given what is kept.
    fn parted(
        layout: &ComposedLayout<Self>,
        swizzle: Swizzle,
        fixed: &Self,
        kept: &Layout<Self>,
    ) -> Result<(Self, Self), Self::Error>;

    /// Refuses offsets that are not known to have none of the bits of a mask.
    ///
    /// # Errors
    ///
    /// [`Error::Condition`] by `refuse`, or the facts that are missing.
    fn without(
        facts: &Self::Facts,
        site: &Site<'_>,
        layout: &ComposedLayout<Self>,
        mask: u64,
        refuse: &dyn Fn() -> Error,
    ) -> Result<(), Self::Error>;
}

impl Swizzles for i64 {
    fn swizzled((): &(), swizzle: Swizzle, offset: &i64) -> error::Result<i64> {
        Ok(swizzle.apply(*offset))
    }

    fn folded(
        (): &(),
        swizzle: Swizzle,
        layout: &ComposedLayout,
    ) -> error::Result<Option<(Layout, i64)>> {
        let folded = super::slice::fold(swizzle, layout.offset, &layout.inner)?;
        Ok(folded.map(|plain| (plain, swizzle.apply(layout.offset))))
    }

    fn parted(
        layout: &ComposedLayout,
        swizzle: Swizzle,
        fixed: &i64,
        kept: &Layout,
    ) -> error::Result<(i64, i64)> {
        layout.split(swizzle, *fixed, kept)
    }

    fn without(
        (): &(),
        site: &Site<'_>,
        layout: &ComposedLayout,
        mask: u64,
        refuse: &dyn Fn() -> Error,
    ) -> error::Result<()> {
        match may_have(site.operation, layout.offset, &layout.inner, mask)? {
            true => Err(refuse()),
            false => Ok(()),
        }
    }
}

impl Swizzles for Expr {
    fn swizzled(facts: &Facts, swizzle: Swizzle, offset: &Expr) -> integer::Result<Expr> {
        let bit = |at: u32| {
            let power = |at: u32| {
                let limit = || integer::Error::overflow("swizzle", format!("{swizzle}, {offset}"));
                let power = 1_i64.checked_shl(at).filter(|&power| power > 0);
                power.map(Expr::from).ok_or_else(limit)
            };
            facts.modulo(&facts.floor_div(offset, &power(at)?)?, &Expr::from(2))
        };
        swizzle.pairs().try_fold(offset.clone(), |sum, (source, target)| {
            let read = bit(source)?;
            if read.is(0) {
                return Ok(sum);
            }
            let turned = Expr::from(1).minus(&bit(target)?.scaled(2)?)?;
            sum.plus(&read.times(&turned)?.scaled(1 << target)?)
        })
    }

    /// The layout steps by whole periods of the swizzle, or stays below what the swizzle reads.
    fn folded(
        facts: &Facts,
        swizzle: Swizzle,
        layout: &ComposedLayout<Expr>,
    ) -> integer::Result<Option<(Layout<Expr>, Expr)>> {
        let (inner, period) = (&layout.inner, Expr::from(swizzle.period()));
        let whole = |stride: &&Expr| matches!(facts.divide(stride, &period), Quotient::Exact(_));
        if swizzle.is_identity() || inner.stride().leaves().iter().all(whole) {
            let start = Self::swizzled(facts, swizzle, &layout.offset)?;
            return Ok(Some((inner.clone(), start)));
        }
        let read = 1_i64.checked_shl(swizzle.source_mask().trailing_zeros()).unwrap_or(i64::MAX);
        Ok(layout.lies_below(facts, read)?.then(|| (inner.clone(), layout.offset.clone())))
    }

    fn parted(
        _: &ComposedLayout<Expr>,
        _: Swizzle,
        fixed: &Expr,
        _: &Layout<Expr>,
    ) -> integer::Result<(Expr, Expr)> {
        Ok((fixed.clone(), Expr::from(0)))
    }

    fn without(
        facts: &Facts,
        site: &Site<'_>,
        layout: &ComposedLayout<Expr>,
        mask: u64,
        _: &dyn Fn() -> Error,
    ) -> integer::Result<()> {
        let limit = 1_i64.checked_shl(mask.trailing_zeros()).unwrap_or(i64::MAX);
        if mask == 0 || layout.lies_below(facts, limit)? {
            return Ok(());
        }
        site.require(facts.at_least(&layout.offset, &Expr::from(0)))?;
        let end = layout.inner.cosize_under(facts)?.plus(&layout.offset)?;
        site.require(facts.at_least(&Expr::from(limit), &end))
    }
}

impl ComposedLayout<Expr> {
    /// Whether all offsets inside are known to lie in `0 .. limit`.
    fn lies_below(&self, facts: &Facts, limit: i64) -> integer::Result<bool> {
        let zero = Expr::from(0);
        let ascends = |from: &Expr| facts.at_least(from, &zero).is_yes();
        if !ascends(&self.offset) || !self.inner.stride().leaves().into_iter().all(ascends) {
            return Ok(false);
        }
        let end = self.inner.cosize_under(facts)?.plus(&self.offset)?;
        Ok(facts.at_least(&Expr::from(limit), &end).is_yes())
    }
}
