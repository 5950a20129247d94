//! Compositions by their values, where the closed form does not decide. Integers and expressions have a function each.
//! For integers, all offsets are computed, within a budget, and the coordinate at which every layout fails is found. For
//! expressions, only the strides of the left operand may be open, and each coordinate is a comparison of two expressions.

use crate::layout::prelude::*;
use crate::layout::{
    evaluate::{Budget, Offsets},
    modal::Part,
    offset_at,
};

/// Coordinates that are compared where the closed form does not decide: each is an expression.
pub const SYMBOLIC_ENUMERATION_LIMIT: i64 = 1 << 12;

/// The composition by its values.
pub(crate) fn by_values(
    a: &Layout,
    b: &Layout,
    radix: &[(i64, i64)],
    budget: &mut Budget,
) -> Result<Layout> {
    budget.spend(b.size(), divisions(radix, b)).map_err(|exceeded| Error::Undecided {
        a: a.into(),
        b: b.into(),
        size: exceeded.found,
        limit: exceeded.limit,
    })?;
    // The product of the extents that come before: a refutation is stated in coordinates of `b`.
    let mut below = 1_i64;
    let candidate = Part::of(b).replaced(&mut |extent, stride| {
        let value = |i: i64| i.checked_mul(stride).and_then(|middle| offset_at(radix, middle));
        let values: Option<Vec<i64>> = (0..extent).map(value).collect();
        let start = below;
        below = below.saturating_mul(extent);
        Layout::of_offsets(&values.ok_or_else(|| overflow(a, b))?)?.map(Some).map_err(
            |refutation| Error::NoComposition {
                a: a.into(),
                b: b.into(),
                coordinate: refutation.index * start,
                expected: refutation.expected,
                found: refutation.found,
            },
        )
    })?;
    let Some(candidate) = candidate else { return Err(overflow(a, b)) };
    if b.is_leaf() {
        return Ok(candidate);
    }
    for ((coordinate, middle), found) in (0..).zip(Offsets::of(b)).zip(Offsets::of(&candidate)) {
        let expected = middle.and_then(|middle| offset_at(radix, middle));
        let (Some(expected), Some(found)) = (expected, found) else { return Err(overflow(a, b)) };
        if expected != found {
            return Err(Error::NoComposition {
                a: a.into(),
                b: b.into(),
                coordinate,
                expected,
                found,
            });
        }
    }
    Ok(candidate)
}

/// How many digits in the radix an offset of `b` may have.
fn divisions(radix: &[(i64, i64)], b: &Layout) -> usize {
    let mut reach = b.cosize().unwrap_or(i64::MAX);
    let digits = radix.iter().take_while(|(extent, _)| {
        let more = reach > 0;
        reach /= extent;
        more
    });
    digits.count()
}

fn overflow(a: &Layout, b: &Layout) -> Error {
    Error::overflow("composition", format!("({a}, {b})"))
}

/// The composition by its values, where the right operand and the digits are static and only
/// strides of the left one are not: each leaf's offsets become the layout of least rank, and the
/// sum of the leaves is compared at every coordinate. None where that does not decide.
///
/// # Errors
///
/// The sum differs at a coordinate, unless a relation of the strides holds.
pub(crate) fn by_values_under(
    facts: &Facts,
    site: &Site<'_>,
    radix: &[(Expr, Expr)],
    b: &Layout<Expr>,
) -> integer::Result<Option<Layout<Expr>>> {
    let Some(((_, last), before)) = radix.split_last() else { return Ok(None) };
    let Some(right) = b.to_static() else { return Ok(None) };
    let digits: Option<Vec<i64>> = before.iter().map(|(extent, _)| extent.as_constant()).collect();
    let Some(digits) = digits else { return Ok(None) };
    if right.size() > SYMBOLIC_ENUMERATION_LIMIT {
        return Ok(None);
    }
    let value = |offset: i64| -> integer::Result<Option<Expr>> {
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
    let mut leaf = |extent: i64, stride: i64| -> integer::Result<Option<Layout<Expr>>> {
        let offsets: Option<Vec<Expr>> = (0..extent)
            .map(|i| {
                value(
                    i.checked_mul(stride)
                        .ok_or_else(|| integer::Error::overflow("composition", b))?,
                )
            })
            .collect::<integer::Result<_>>()?;
        offsets.map_or(Ok(None), |offsets| layout_of_exprs(&offsets))
    };
    let Some(candidate) = Part::of(&right).replaced(&mut leaf)? else { return Ok(None) };
    for coordinate in 0..right.size() {
        let Some(expected) = value(right.at(coordinate)?)? else { return Ok(None) };
        let found = candidate.at_under(facts, &Expr::from(coordinate))?;
        site.require(facts.equal(&expected, &found))?;
    }
    Ok(Some(candidate))
}

/// The flat layout of least rank with the given offsets; see [`Layout::of_offsets`].
fn layout_of_exprs(offsets: &[Expr]) -> integer::Result<Option<Layout<Expr>>> {
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
    Ok(Some(Layout::of_modes(&modes, ())))
}

/// The layout with all offsets negative.
pub(crate) fn negated(layout: &Layout<Expr>) -> integer::Result<Layout<Expr>> {
    let stride = layout.stride().try_map(&mut |stride| stride.scaled(-1))?;
    Ok(layout.restrided((), stride))
}
