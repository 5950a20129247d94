//! Composition under facts: `A o B` is the layout with `(A o B)(c) = A(B(c))`.
//!
//! A leaf `s:d` of `B` walks through the digits of `A`, as in the static algebra; but each step must
//! be known to be right under every assignment:
//!
//! | what is known of digit `n:f` | what the leaf becomes there |
//! |---|---|
//! | `(s-1)*d <= room` | `s:d*f`, and nothing is left |
//! | `d` divides `n`, `n/d` divides `s` | `n/d:d*f`; `s/(n/d):1` goes on |
//! | `n` divides `d` | nothing; `s:d/n` goes on |
//!
//! `room` is `n-1` less what other leaves of `B` have put into the digit already, and never falls
//! below 0: no sum carries. The last digit is unbounded and takes what is left; its extent is of no
//! account. Where none of the rows is known, the error names a fact that would do.

use super::{
    coalesce_x,
    error::{Answer, Error, Quotient, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
};
use crate::{
    Nested,
    modal::{Part, joined},
};
use alloc::{format, vec, vec::Vec};

/// Coordinates that are compared where the closed form does not decide: each is an expression.
pub const SYMBOLIC_ENUMERATION_LIMIT: i64 = 1 << 12;

/// `A o B`.
///
/// # Errors
///
/// A fact that is missing; overflow and limits. Where all that matters is static, those of
/// [`crate::composition`].
///
/// ```
/// use layout_algebra::symbolic::{Facts, SymbolicLayout, composition};
/// let mut facts = Facts::new();
/// let a = SymbolicLayout::parse_with("(M,8):(8,1)", &mut facts)?;
/// let b = SymbolicLayout::parse_with("4:2", &mut facts)?;
/// // Rows 0, 2, 4 and 6: are there 7 rows?
/// assert_eq!(
///     composition(&facts, &a, &b).expect_err("unknown").to_string(),
///     "composition((M,8):(8,1), 4:2): needs \"2 divides M\" or \"M >= 7\", neither of which is \
///      known; say M{div=2} or say M{range=7..}",
/// );
/// facts.declare("M{range=7..}")?;
/// assert_eq!(composition(&facts, &a, &b)?.to_string(), "4:16");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn composition(
    facts: &Facts,
    a: &SymbolicLayout,
    b: &SymbolicLayout,
) -> Result<SymbolicLayout> {
    let radix = coalesce_x(a)?.flat();
    if let Some(b) = b.to_static()
        && let Some(a) = a.to_static().or_else(|| without_last_extent(&radix))
    {
        return Ok((&crate::composition(&a, &b)?).into());
    }
    // A(-i) = -A(i): a right operand that only descends is the negative of one that ascends.
    let zero = Expr::from(0);
    let descends = |stride: &&Expr| !stride.is(0) && facts.at_least(&zero, stride).is_yes();
    let strides = b.stride().leaves();
    if radix.len() > 1
        && strides.iter().any(&descends)
        && strides.iter().all(|stride| stride.is(0) || descends(stride))
    {
        return negated(&ascending(facts, a, &negated(b)?, &radix, b)?);
    }
    ascending(facts, a, b, &radix, b)
}

/// `A o B` for a `B` that does not descend, or an `A` of one digit; errors tell of what was asked.
fn ascending(
    facts: &Facts,
    a: &SymbolicLayout,
    b: &SymbolicLayout,
    radix: &[(Expr, Expr)],
    asked: &SymbolicLayout,
) -> Result<SymbolicLayout> {
    let operands = || format!("{a}, {asked}");
    let site = Site { operation: "composition", operands: &operands };
    site.few(radix.len())?;
    site.few(b.shape().leaves().len())?;
    let Some(((_, last), before)) = radix.split_last() else { return Ok(b.clone()) };
    let room: Result<Vec<Expr>> =
        before.iter().map(|(extent, _)| extent.plus(&Expr::from(-1))).collect();
    let mut walk = Walk { facts, site, before, last, room: room? };
    match walk.layout(Part::of(b)) {
        // The values may decide yet, if there are few.
        Err(error @ (Error::Missing { .. } | Error::Never { .. })) => {
            by_values(facts, &walk.site, before, last, b)?.ok_or(error)
        }
        result => result,
    }
}

/// The layout with all offsets negative.
fn negated(layout: &SymbolicLayout) -> Result<SymbolicLayout> {
    let stride = layout.stride().map(&mut |stride| stride.scaled(-1))?;
    Ok(SymbolicLayout::known(layout.shape().clone(), stride))
}

/// The layout with extent 1 in its last mode, which is the same left operand, if that is static.
fn without_last_extent(radix: &[(Expr, Expr)]) -> Option<crate::Layout> {
    let mut modes = radix.to_vec();
    modes.last_mut()?.0 = Expr::from(1);
    SymbolicLayout::of_flat(modes).to_static()
}

/// The leaves of a right operand on their way through the digits of a left one.
struct Walk<'w> {
    facts: &'w Facts,
    site: Site<'w>,
    /// The digits but the last: extent and stride.
    before: &'w [(Expr, Expr)],
    /// The stride of the last digit.
    last: &'w Expr,
    /// How much may still be added to each digit without a carry.
    room: Vec<Expr>,
}

impl Walk<'_> {
    fn layout(&mut self, b: Part<'_, SymbolicLayout>) -> Result<SymbolicLayout> {
        match (b.shape(), b.stride()) {
            (Nested::Leaf(extent), Nested::Leaf(stride)) => {
                self.leaf(extent.clone(), stride.clone())
            }
            _ => joined(b.modes().map(|mode| self.layout(mode)).collect::<Result<_>>()?),
        }
    }

    fn leaf(&mut self, extent: Expr, stride: Expr) -> Result<SymbolicLayout> {
        if stride.is(0) {
            return Ok(SymbolicLayout::single(extent, stride));
        }
        let before = self.before;
        let mut result = Vec::new();
        let (mut rest, mut step) = (extent, stride);
        for (i, (size, factor)) in before.iter().enumerate() {
            if rest.is(1) {
                // CuTe goes on dividing the stride, which only the leftover mode below would show.
                step = self.facts.ceil_div(&step, size)?;
                continue;
            }
            let fits = self.fits(i, &rest, &step)?;
            if fits.is_yes() {
                self.take(i, &rest, &step)?;
                result.push((rest, step.times(factor)?));
                (rest, step) = (Expr::from(1), Expr::from(1));
                continue;
            }
            let positive = self.facts.at_least(&step, &Expr::from(1));
            if !positive.is_yes() {
                return Err(self.site.unmet(vec![positive]));
            }
            let (down, up) = (self.facts.divide(size, &step), self.facts.divide(&step, size));
            match (down, up) {
                (_, Quotient::Exact(quotient)) => step = quotient,
                (Quotient::Exact(taken), _) => {
                    let after = match self.facts.divide(&rest, &taken) {
                        Quotient::Exact(after) => after,
                        other => return Err(self.site.unmet(vec![other.into(), fits])),
                    };
                    self.take(i, &taken, &step)?;
                    result.push((taken, step.times(factor)?));
                    (rest, step) = (after, Expr::from(1));
                }
                (down, up) => return Err(self.site.unmet(vec![down.into(), up.into(), fits])),
            }
        }
        if !rest.is(1) || result.is_empty() {
            result.push((rest, step.times(self.last)?));
        }
        Ok(SymbolicLayout::of_flat(result))
    }

    /// Whether `0, step, …, (extent-1)*step` all stay within the room of a digit.
    fn fits(&self, digit: usize, extent: &Expr, step: &Expr) -> Result<Answer> {
        let positive = self.facts.at_least(step, &Expr::from(0));
        if !positive.is_yes() {
            return Ok(positive);
        }
        let reach = extent.plus(&Expr::from(-1))?.times(step)?;
        Ok(match self.room.get(digit) {
            Some(room) => self.facts.at_least(room, &reach),
            None => Answer::Yes,
        })
    }

    /// Takes the room that a mode needs in a digit.
    fn take(&mut self, digit: usize, extent: &Expr, step: &Expr) -> Result<()> {
        let fits = self.fits(digit, extent, step)?;
        self.site.require(fits)?;
        let reach = extent.plus(&Expr::from(-1))?.times(step)?;
        if let Some(room) = self.room.get_mut(digit) {
            *room = room.minus(&reach)?;
        }
        Ok(())
    }
}

/// The composition by its values, where the right operand and the digits are static and only
/// strides of the left one are not: each leaf's offsets become the layout of least rank, and the
/// sum of the leaves is compared at every coordinate. None where that does not decide.
///
/// # Errors
///
/// The sum differs at a coordinate, unless a relation of the strides holds.
fn by_values(
    facts: &Facts,
    site: &Site<'_>,
    before: &[(Expr, Expr)],
    last: &Expr,
    b: &SymbolicLayout,
) -> Result<Option<SymbolicLayout>> {
    let Some(right) = b.to_static() else { return Ok(None) };
    let digits: Option<Vec<i64>> = before.iter().map(|(extent, _)| extent.as_constant()).collect();
    let Some(digits) = digits else { return Ok(None) };
    if right.size() > SYMBOLIC_ENUMERATION_LIMIT {
        return Ok(None);
    }
    let value = |offset: i64| -> Result<Option<Expr>> {
        if offset < 0 && !digits.is_empty() {
            return Ok(None);
        }
        let (mut rest, mut sum) = (offset, Expr::from(0));
        for (extent, (_, stride)) in digits.iter().zip(before) {
            sum = sum.plus(&stride.scaled(rest % extent)?)?;
            rest /= extent;
        }
        sum.plus(&last.scaled(rest)?).map(Some)
    };
    let mut leaf = |extent: i64, stride: i64| -> Result<Option<SymbolicLayout>> {
        let offsets: Option<Vec<Expr>> = (0..extent)
            .map(|i| value(i.checked_mul(stride).ok_or_else(|| Error::overflow("composition", b))?))
            .collect::<Result<_>>()?;
        offsets.map_or(Ok(None), |offsets| layout_of(&offsets))
    };
    let Some(candidate) = replace(Part::of(&right), &mut leaf)? else { return Ok(None) };
    for coordinate in 0..right.size() {
        let Some(wanted) = value(right.at(coordinate)?)? else { return Ok(None) };
        let found = candidate.at(facts, &Expr::from(coordinate))?;
        site.require(facts.equal(&wanted, &found))?;
    }
    Ok(Some(candidate))
}

/// The layout with each leaf replaced.
fn replace(
    part: Part<'_, crate::Layout>,
    leaf: &mut dyn FnMut(i64, i64) -> Result<Option<SymbolicLayout>>,
) -> Result<Option<SymbolicLayout>> {
    if let (Nested::Leaf(extent), Nested::Leaf(stride)) = (part.shape(), part.stride()) {
        return leaf(*extent, *stride);
    }
    let modes = part.modes().map(|mode| replace(mode, leaf)).collect::<Result<Option<_>>>()?;
    modes.map(joined).transpose()
}

/// The flat layout of least rank with the given offsets; see [`crate::layout_of`].
fn layout_of(offsets: &[Expr]) -> Result<Option<SymbolicLayout>> {
    let mut modes: Vec<(Expr, Expr)> = Vec::new();
    let mut below = 1_usize;
    while below < offsets.len() {
        let count = offsets.len() / below;
        let step = &offsets[below];
        let (mut run, mut expected) = (2, step.scaled(2)?);
        while run < count && offsets[run * below] == expected {
            run += 1;
            expected = expected.plus(step)?;
        }
        if !count.is_multiple_of(run) {
            return Ok(None);
        }
        modes.push((Expr::from(i64::try_from(run).unwrap_or(i64::MAX)), step.clone()));
        below *= run;
    }
    Ok(Some(SymbolicLayout::of_flat(modes)))
}
