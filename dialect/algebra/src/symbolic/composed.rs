//! Layouts behind a swizzle or another layout, with symbols.
//!
//! What rearranges or composes coordinates happens inside, as for static ones. An offset is swizzled
//! bit by bit: bit `k` of `x` is `mod(floor_div(x, 2^k), 2)`, and `z xor y = z + y - 2*y*z`, which is
//! an expression whatever the facts are. What they say makes it smaller.

use super::{
    error::{Error, Quotient, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    substitute::Values,
    tuple::{SymbolicCoord, SymbolicTuple},
};
use crate::{
    AnyLayout, ComposedLayout, Outer, Swizzle,
    recast::{self, downcast_under, upcast_under},
    slice::slice_under,
    swizzle::factor,
};
use alloc::{borrow::ToOwned, format, string::String, string::ToString};

/// A recast of plain layouts by a factor.
type Recast = fn(&Facts, &SymbolicLayout, i64) -> Result<SymbolicLayout>;

impl Outer<Expr> {
    /// The image of an offset.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::at`](crate::Layout::at); an expression that passes the limits.
    pub fn at(&self, facts: &Facts, offset: &Expr) -> Result<Expr> {
        match self {
            Self::Swizzle(swizzle) => swizzled(facts, *swizzle, offset),
            Self::Layout(layout) => layout.at(facts, offset),
        }
    }
}

/// The swizzled offset.
pub(crate) fn swizzled(facts: &Facts, swizzle: Swizzle, offset: &Expr) -> Result<Expr> {
    let bit = |at: u32| {
        let power = |at: u32| {
            let limit = || Error::overflow("swizzle", format!("{swizzle}, {offset}"));
            1_i64.checked_shl(at).filter(|&power| power > 0).map(Expr::from).ok_or_else(limit)
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

impl ComposedLayout<Expr> {
    /// A swizzle after the whole: one swizzle, where both are one, or else before the plain layout that the
    /// whole is known to be.
    ///
    /// # Errors
    ///
    /// A layout outside; two swizzles that are not one, over what is not known to be plain.
    pub fn behind(&self, facts: &Facts, swizzle: Swizzle) -> Result<AnyLayout<Expr>> {
        let refuse = |expected, found: String| {
            let operand = format!("{swizzle}, {self}");
            crate::Error::Condition { operation: "composition", operand, expected, found }
        };
        let inside = match &self.outer {
            Outer::Swizzle(inside) => *inside,
            Outer::Layout(layout) => {
                return Err(refuse("a swizzle behind a swizzle", layout.to_string()).into());
            }
        };
        let over = |swizzle| Outer::Swizzle(swizzle);
        if let Some(one) = swizzle.compose(&inside) {
            return Ok(Self { outer: over(one), ..self.clone() }.simplified());
        }
        match self.fold(facts)? {
            Some((inner, offset)) => {
                Ok(AnyLayout::Composed(Self { outer: over(swizzle), offset, inner }))
            }
            None => {
                let found = format!("{swizzle} and {inside}");
                Err(refuse("two swizzles that are one", found).into())
            }
        }
    }

    /// The offset of a coordinate that nests like the shape, or less deeply.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::crd2idx`](crate::Layout::crd2idx) and [`Outer::at`].
    pub fn crd2idx(&self, facts: &Facts, coord: &SymbolicTuple) -> Result<Expr> {
        self.outer.at(facts, &self.inner.crd2idx(facts, coord)?.plus(&self.offset)?)
    }

    /// What a coordinate leaves, and the offset that is no part of it: the element at `c` of the result
    /// is at `result(c) + offset`. A coordinate that fixes nothing changes only the shape. The result is a plain layout where that is known, as
    /// [`ComposedLayout::fold`] says.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; those of [`Outer::at`].
    pub fn slice(&self, facts: &Facts, coord: &SymbolicCoord) -> Result<(AnyLayout<Expr>, Expr)> {
        let (kept, fixed) = slice_under(facts, coord, &self.inner)?;
        if coord.fixes_nothing() {
            return Ok((self.with_inner(kept).simplified(), Expr::from(0)));
        }
        let sliced = Self { offset: self.offset.plus(&fixed)?, ..self.with_inner(kept) };
        Ok(match sliced.fold(facts)? {
            Some((plain, offset)) => (AnyLayout::Plain(plain), offset),
            None => (sliced.simplified(), Expr::from(0)),
        })
    }

    /// The plain layout and the offset that it starts at, where the whole is known to be one: the
    /// layout steps by whole periods of the swizzle, or stays below what the swizzle reads.
    ///
    /// # Errors
    ///
    /// Those of [`Outer::at`].
    pub fn fold(&self, facts: &Facts) -> Result<Option<(SymbolicLayout, Expr)>> {
        let Outer::Swizzle(swizzle) = &self.outer else { return Ok(None) };
        let period = swizzle.period();
        let whole =
            |stride: &&Expr| matches!(facts.divide(stride, &period.into()), Quotient::Exact(_));
        if swizzle.is_identity() || self.inner.stride().leaves().iter().all(whole) {
            return Ok(Some((self.inner.clone(), swizzled(facts, *swizzle, &self.offset)?)));
        }
        let read = 1_i64.checked_shl(swizzle.source_mask().trailing_zeros()).unwrap_or(i64::MAX);
        Ok(self.stays_below(facts, read)?.then(|| (self.inner.clone(), self.offset.clone())))
    }

    /// Whether all offsets are known to lie in `0 .. limit`.
    fn stays_below(&self, facts: &Facts, limit: i64) -> Result<bool> {
        let zero = Expr::from(0);
        let ascends = |from: &Expr| facts.at_least(from, &zero).is_yes();
        if !ascends(&self.offset) || !self.inner.stride().leaves().into_iter().all(ascends) {
            return Ok(false);
        }
        let end = self.inner.cosize(facts)?.plus(&self.offset)?;
        Ok(facts.at_least(&Expr::from(limit), &end).is_yes())
    }

    /// The layout of elements `n` times as wide; see [`ComposedLayout::upcast`].
    ///
    /// # Errors
    ///
    /// Those of [`upcast_under`] for the inner layout; a factor that is no power of two; an offset
    /// that is not known to be a multiple of it; a stride within a wide element that is not known to be
    /// at least 0; bits that would be split, if not all offsets are known to be below them; a layout
    /// outside.
    pub fn upcast(&self, facts: &Facts, n: i64) -> Result<AnyLayout<Expr>> {
        self.widened(facts, n, upcast_under)
    }

    fn widened(&self, facts: &Facts, n: i64, inner: Recast) -> Result<AnyLayout<Expr>> {
        let (swizzle, log2) = self.factor("upcast", n)?;
        let operands = || format!("{self}, {n}");
        let site = Site { operation: "upcast", operands: &operands };
        let factor = Expr::from(n);
        let offset = site.exact(facts.divide(&self.offset, &factor))?;
        let inner = inner(facts, &self.inner, n)?;
        let (wide, lost) = swizzle.upcast(log2);
        if !swizzle.is_identity() {
            for stride in self.inner.stride().leaves() {
                if !matches!(facts.divide(stride, &factor), Quotient::Exact(_)) {
                    site.require(facts.at_least(stride, &Expr::from(0)))?;
                }
            }
        }
        if lost != 0 {
            let limit = 1_i64 << lost.trailing_zeros();
            if !self.stays_below(facts, limit)? {
                site.require(facts.at_least(&self.offset, &Expr::from(0)))?;
                let end = self.inner.cosize(facts)?.plus(&self.offset)?;
                site.require(facts.at_least(&Expr::from(limit), &end))?;
            }
        }
        Ok(Self { outer: Outer::Swizzle(wide), offset, inner }.simplified())
    }

    /// The layout of elements `n` times as narrow; see [`ComposedLayout::downcast`].
    ///
    /// # Errors
    ///
    /// Those of [`downcast_under`] for the inner layout; a factor that is no power of two; a stride
    /// of -1; a layout outside.
    pub fn downcast(&self, facts: &Facts, n: i64) -> Result<AnyLayout<Expr>> {
        let (swizzle, _) = self.factor("downcast", n)?;
        let made = self.narrowed(facts, n, downcast_under)?;
        if n > 1
            && !swizzle.is_identity()
            && self.inner.stride().leaves().iter().any(|at| at.is(-1))
        {
            return Err(self.condition(
                "downcast",
                n,
                "strides that are not negative within a wide element behind a swizzle",
                "-1".to_owned(),
            ));
        }
        Ok(made)
    }

    fn narrowed(&self, facts: &Facts, n: i64, inner: Recast) -> Result<AnyLayout<Expr>> {
        let (swizzle, log2) = self.factor("downcast", n)?;
        let inner = inner(facts, &self.inner, n)?;
        let outer = Outer::Swizzle(swizzle.downcast(log2)?);
        Ok(Self { outer, offset: self.offset.scaled(n)?, inner }.simplified())
    }

    /// The layout of elements of `new` bits over memory that holds elements of `old` bits.
    ///
    /// # Errors
    ///
    /// Bits below 1; those of [`ComposedLayout::upcast`] and [`ComposedLayout::downcast`].
    pub fn recast(&self, facts: &Facts, old: i64, new: i64) -> Result<AnyLayout<Expr>> {
        let [up, down] = recast::factors(&self, old, new)?;
        let wide = if up == 1 { self.clone().simplified() } else { self.upcast(facts, up)? };
        match wide {
            AnyLayout::Composed(composed) if down != 1 => composed.downcast(facts, down),
            AnyLayout::Plain(layout) if down != 1 => {
                downcast_under(facts, &layout, down).map(AnyLayout::Plain)
            }
            wide => Ok(wide),
        }
    }

    /// The layout of a view of `new` bits over the memory of one of `old` bits; see
    /// [`recast_view`](crate::recast_view).
    ///
    /// # Errors
    ///
    /// Those of [`recast_view_under`](crate::recast_view_under()) for the inner layout, and of [`ComposedLayout::upcast`] and
    /// [`ComposedLayout::downcast`] for what stands outside.
    pub fn recast_view(&self, facts: &Facts, old: i64, new: i64) -> Result<AnyLayout<Expr>> {
        let [up, down] = recast::factors(&self, old, new)?;
        // A swizzle of narrow elements reads no bit within a wide one: it takes parts in their order.
        let wide = if up == 1 {
            self.clone().simplified()
        } else {
            self.widened(facts, up, recast::join)?
        };
        match wide {
            AnyLayout::Composed(composed) if down != 1 => {
                composed.narrowed(facts, down, recast::split)
            }
            AnyLayout::Plain(layout) if down != 1 => {
                recast::split(facts, &layout, down).map(AnyLayout::Plain)
            }
            wide => Ok(wide),
        }
    }

    fn factor(&self, operation: &'static str, n: i64) -> Result<(Swizzle, u32)> {
        let swizzle = match &self.outer {
            Outer::Swizzle(swizzle) => Ok(*swizzle),
            Outer::Layout(layout) => Err(layout),
        };
        factor(swizzle, n, |expected, found| self.condition(operation, n, expected, found))
    }

    fn condition(
        &self,
        operation: &'static str,
        n: i64,
        expected: &'static str,
        found: String,
    ) -> Error {
        let operand = format!("{self}, {n}");
        Error::Algebra(crate::Error::Condition { operation, operand, expected, found })
    }

    /// The same with integers, if all leaves are constant.
    pub fn to_static(&self) -> Option<ComposedLayout> {
        Some(ComposedLayout {
            outer: match &self.outer {
                Outer::Swizzle(swizzle) => Outer::Swizzle(*swizzle),
                Outer::Layout(layout) => Outer::Layout(layout.to_static()?),
            },
            offset: self.offset.as_constant()?,
            inner: self.inner.to_static()?,
        })
    }

    /// The layout at chosen values.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::substitute`](crate::Layout::substitute).
    pub fn substitute(&self, values: &Values) -> Result<ComposedLayout> {
        Ok(ComposedLayout {
            outer: match &self.outer {
                Outer::Swizzle(swizzle) => Outer::Swizzle(*swizzle),
                Outer::Layout(layout) => Outer::Layout(layout.substitute(values)?),
            },
            offset: values.evaluate(&self.offset)?,
            inner: self.inner.substitute(values)?,
        })
    }
}

impl From<&ComposedLayout> for ComposedLayout<Expr> {
    fn from(composed: &ComposedLayout) -> Self {
        Self {
            outer: match &composed.outer {
                Outer::Swizzle(swizzle) => Outer::Swizzle(*swizzle),
                Outer::Layout(layout) => Outer::Layout(layout.into()),
            },
            offset: composed.offset.into(),
            inner: (&composed.inner).into(),
        }
    }
}
