//! Layouts of wider or narrower elements over the same memory.

use super::{
    error::{Answer, Error, Quotient, Result, Site},
    expr::{Expr, gcd},
    facts::Facts,
    layout::SymbolicLayout,
    tuple::SymbolicTuple,
};
use std::fmt;

/// The layout of elements `n` times as wide; what does not fill the last of them is padded.
///
/// # Errors
///
/// `n` below 1; a stride that is not known to be a multiple of `n`, or a constant divisor of it;
/// packed modes that are not known to reach every wide element in which a narrow one lies.
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, upcast};
/// let (layout, facts) = SymbolicLayout::parse("(M,K{div=8}):(K,1)")?;
/// assert_eq!(upcast(&facts, &layout, 8)?.to_string(), "(M,K/8):(K/8,1)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn upcast(facts: &Facts, layout: &SymbolicLayout, n: i64) -> Result<SymbolicLayout> {
    if let Some(layout) = layout.to_static() {
        return Ok((&crate::upcast(&layout, n)?).into());
    }
    let operands = || format!("{layout}, {n}");
    let site = Site { operation: "upcast", operands: &operands };
    let factor = positive("upcast", layout, n)?;
    // How far the packed modes reach to either side, in narrow elements and in wide ones.
    let zero = || (Expr::from(0), Expr::from(0));
    let mut reached = [zero(), zero()];
    let result = each(layout, &mut |extent, stride| {
        // 0 stays 0, and the sign stays.
        if let Quotient::Exact(quotient) = facts.divide(stride, &factor) {
            return Ok((extent.clone(), quotient));
        }
        let step = stride.as_constant().filter(|&step| step != 0 && n.checked_rem(step) == Some(0));
        let Some(step) = step else {
            return Err(site.unmet(vec![facts.divide(stride, &factor).into()]));
        };
        let magnitude = step.checked_abs().ok_or_else(|| site.overflow())?;
        let packed = facts.ceil_div(extent, &Expr::from(n / magnitude))?;
        let (narrow, wide) = &mut reached[usize::from(step < 0)];
        *narrow = narrow.plus(&extent.plus(&Expr::from(-1))?.scaled(magnitude)?)?;
        *wide = wide.plus(&packed.plus(&Expr::from(-1))?)?;
        Ok((packed, Expr::from(step.signum())))
    })?;
    // Otherwise a narrow element lies in a wide one that no coordinate reaches.
    let [(narrow, wide), (below, wide_below)] = reached;
    site.require(facts.equal(&facts.floor_div(&narrow, &factor)?, &wide))?;
    // Offset -1 lies in wide element -1.
    site.require(facts.equal(&facts.ceil_div(&below, &factor)?, &wide_below))?;
    Ok(result)
}

/// The layout of elements `n` times as narrow.
///
/// # Errors
///
/// `n` below 1; a stride of which it is not known whether it is 1 or -1; for `n` above 1, no mode of
/// stride 1; overflow.
pub fn downcast(facts: &Facts, layout: &SymbolicLayout, n: i64) -> Result<SymbolicLayout> {
    if let Some(layout) = layout.to_static() {
        return Ok((&crate::downcast(&layout, n)?).into());
    }
    let operands = || format!("{layout}, {n}");
    let site = Site { operation: "downcast", operands: &operands };
    positive("downcast", layout, n)?;
    if n == 1 {
        return Ok(layout.clone());
    }
    let mut contiguous = false;
    let result = each(layout, &mut |extent, stride| {
        contiguous |= stride.is(1);
        for unit in [1, -1] {
            match facts.distinct(stride, &Expr::from(unit)) {
                Answer::Yes => {}
                Answer::No(_) => return Ok((extent.scaled(n)?, stride.clone())),
                unknown => return Err(site.unmet(vec![unknown])),
            }
        }
        Ok((extent.clone(), stride.scaled(n)?))
    })?;
    if !contiguous {
        return Err(Error::Algebra(crate::Error::Condition {
            operation: "downcast",
            operand: format!("{layout}, {n}"),
            expected: "a mode of stride 1",
            found: layout.stride().to_string(),
        }));
    }
    Ok(result)
}

/// The layout of elements of `new` bits over memory that holds elements of `old` bits.
///
/// # Errors
///
/// Bits below 1; those of [`upcast`] and [`downcast`].
pub fn recast(
    facts: &Facts,
    layout: &SymbolicLayout,
    old: i64,
    new: i64,
) -> Result<SymbolicLayout> {
    let [up, down] = factors(layout, old, new)?;
    let wide = if up == 1 { layout.clone() } else { upcast(facts, layout, up)? };
    if down == 1 { Ok(wide) } else { downcast(facts, &wide, down) }
}

/// How much wider elements become, and then how much narrower.
pub(super) fn factors(layout: &impl fmt::Display, old: i64, new: i64) -> Result<[i64; 2]> {
    positive("recast", layout, old.min(new))?;
    let common = i64::try_from(gcd(old.unsigned_abs(), new.unsigned_abs())).unwrap_or(1);
    Ok([new / common, old / common])
}

fn positive(operation: &'static str, layout: &impl fmt::Display, n: i64) -> Result<Expr> {
    if n < 1 {
        return Err(Error::Algebra(crate::Error::Condition {
            operation,
            operand: layout.to_string(),
            expected: "a factor of at least 1",
            found: n.to_string(),
        }));
    }
    Ok(Expr::from(n))
}

/// The layout with each leaf replaced; `f` keeps extents at 1 or above.
fn each(
    layout: &SymbolicLayout,
    f: &mut impl FnMut(&Expr, &Expr) -> Result<(Expr, Expr)>,
) -> Result<SymbolicLayout> {
    let mut old = layout.stride().leaves().into_iter();
    let mut strides = Vec::new();
    let shape = layout.shape().map(&mut |extent| {
        let zero = Expr::from(0);
        let (extent, stride) = f(extent, old.next().unwrap_or(&zero))?;
        strides.push(stride);
        Ok(extent)
    })?;
    let mut strides = strides.into_iter();
    let stride: SymbolicTuple =
        layout.stride().map(&mut |_| Ok(strides.next().unwrap_or_else(|| Expr::from(0))))?;
    Ok(SymbolicLayout::known(shape, stride))
}
