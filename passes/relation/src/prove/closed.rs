//! Closed forms: conditions on extents and strides.
//!
//! A coalesced layout is the only one with its function: its first mode is as long as offsets grow
//! by a constant step, and so on. So plain layouts are compared mode by mode, without limits on
//! their size; and a bijective swizzle in front of both changes nothing.

use crate::error::Result;

use super::{
    Question, Tier, Verdict, Witness,
    function::{FinalStep, Function},
};
use num_integer::gcd;

const PROVED: Verdict = Verdict::Proved(Tier::ClosedForm);

pub(super) fn answer(question: Question<'_>) -> Result<Option<Verdict>> {
    match question {
        Question::Equal(left, right) => equal(left, right),
        Question::Injective(function) => injective(function),
        Question::Disjoint(left, right) => disjoint(left, right),
        Question::Within(function, lower, upper) => within(function, lower, upper),
        Question::Aligned(function, unit) => aligned(function, unit),
        Question::Consecutive(function, run) => consecutive(function, run),
    }
}

fn equal(left: &Function, right: &Function) -> Result<Option<Verdict>> {
    if left == right {
        return Ok(Some(PROVED));
    }
    if left.outer != right.outer || !left.outer_is_injective() {
        return Ok(None);
    }
    let coordinate = first_difference(left, right);
    Ok(Some(Verdict::Refuted(Witness::Differ {
        coordinate,
        left: left.at_if_inside(coordinate)?,
        right: right.at_if_inside(coordinate)?,
    })))
}

/// Where two different functions in normal form first differ, before what is applied last.
fn first_difference(left: &Function, right: &Function) -> i64 {
    if left.offset != right.offset {
        return 0;
    }
    let mut below = 1;
    for i in 0.. {
        match (left.modes.get(i), right.modes.get(i)) {
            (Some((extent, stride)), Some((other, step))) if stride == step => {
                if extent != other {
                    // The shorter one continues in another step, or ends.
                    return below * extent.min(other);
                }
                below *= extent;
            }
            // One steps elsewhere, or is at its end.
            _ => return below,
        }
    }
    below
}

fn injective(function: &Function) -> Result<Option<Verdict>> {
    if function.size == 1 {
        return Ok(Some(PROVED));
    }
    // The longest run of first modes of which each steps past what the smaller ones reach.
    let mut below = 1;
    for (i, &(extent, stride)) in function.modes.iter().enumerate() {
        if stride == 0 {
            // No earlier coordinates collide, and this one repeats coordinate 0.
            return Ok(function.outer_is_injective().then_some(Verdict::Refuted(
                Witness::Collide { coordinate: below, earlier: 0, offset: function.at(0)? },
            )));
        }
        if !strides_are_separated(&function.modes[..=i]) {
            let injective = function.outer_is_injective() && blocks_are_injective(&function.modes);
            return Ok(injective.then_some(PROVED));
        }
        below *= extent;
    }
    Ok(function.outer_is_injective().then_some(PROVED))
}

/// Whether each stride is greater than what all smaller ones reach together.
fn strides_are_separated(modes: &[(i64, i64)]) -> bool {
    let mut modes: Vec<_> =
        modes.iter().map(|&(extent, stride)| (stride.unsigned_abs(), extent)).collect();
    modes.sort_unstable();
    let mut reach = 0_u128;
    modes.iter().all(|&(stride, extent)| {
        let past = u128::from(stride) > reach;
        reach += u128::from(stride) * u128::from((extent - 1).unsigned_abs());
        past
    })
}

/// Whether modes fall into blocks, each injective by itself, of which the strides of each and all
/// after it are multiples of a number that the ones before do not reach.
///
/// Then offsets that differ in a block differ by more than the ones before can make up for.
fn blocks_are_injective(modes: &[(i64, i64)]) -> bool {
    let mut modes = modes.to_vec();
    if modes.iter().any(|&(_, stride)| stride == 0) {
        return false;
    }
    modes.sort_unstable_by_key(|&(_, stride)| stride.unsigned_abs());
    let mut reach = 0_u128;
    let mut start = 0;
    for i in 0..modes.len() {
        let (extent, stride) = modes[i];
        reach += u128::from(stride.unsigned_abs()) * u128::from((extent - 1).unsigned_abs());
        let common =
            modes[i + 1..].iter().fold(0, |all, (_, stride)| gcd(all, stride.unsigned_abs()));
        if common == 0 || u128::from(common) > reach {
            if !small_and_injective(&modes[start..=i]) {
                return false;
            }
            start = i + 1;
        }
    }
    true
}

/// Coordinates of a block that are listed.
const BLOCK: i64 = 1 << 10;

fn small_and_injective(modes: &[(i64, i64)]) -> bool {
    if let [_] = modes {
        return true;
    }
    let size = modes.iter().try_fold(1_i64, |size, &(extent, _)| size.checked_mul(extent));
    if size.is_none_or(|size| size > BLOCK) {
        return false;
    }
    let mut offsets = vec![0_i128];
    for &(extent, stride) in modes {
        let steps = (1..extent).map(|digit| i128::from(digit) * i128::from(stride));
        let more: Vec<_> =
            steps.flat_map(|step| offsets.iter().map(move |offset| offset + step)).collect();
        offsets.extend(more);
    }
    offsets.sort_unstable();
    offsets.windows(2).all(|pair| pair[0] != pair[1])
}

fn disjoint(left: &Function, right: &Function) -> Result<Option<Verdict>> {
    let meet = |coordinates: (i64, i64)| -> Result<Option<Verdict>> {
        let (a, b) = coordinates;
        Ok(Some(Verdict::Refuted(Witness::Meet { left: a, right: b, offset: left.at(a)? })))
    };
    if left.at(0)? == right.at(0)? {
        return meet((0, 0));
    }
    if left.outer != right.outer || !left.outer_is_injective() {
        // Swizzles stay within blocks.
        let (a, b) = (blocks(left), blocks(right));
        return Ok(match (a, b) {
            (Some(a), Some(b)) if a.1 < b.0 || b.1 < a.0 => Some(PROVED),
            _ => None,
        });
    }
    let (a, b) = (left.reach(), right.reach());
    if a.1 < b.0 || b.1 < a.0 {
        return Ok(Some(PROVED));
    }
    let strides = left.modes.iter().chain(&right.modes).map(|&(_, stride)| stride.unsigned_abs());
    let common = strides.fold(0, gcd);
    let distance = i128::from(left.offset) - i128::from(right.offset);
    Ok((common != 0 && distance.unsigned_abs() % u128::from(common) != 0).then_some(PROVED))
}

/// Bounds of the offsets; those of a swizzle are whole periods.
fn blocks(function: &Function) -> Option<(i128, i128)> {
    let (least, greatest) = function.reach();
    match &function.outer {
        FinalStep::Nothing => Some((least, greatest)),
        FinalStep::Swizzle(swizzle) => {
            let period = i128::from(swizzle.period());
            let down = least.div_euclid(period) * period;
            Some((down, (greatest.div_euclid(period) + 1) * period - 1))
        }
        FinalStep::Matrix(columns) => {
            let reached = columns.iter().fold(0, |all, column| all | column);
            Some((0, i128::from(reached)))
        }
        FinalStep::Layout(layout) => {
            // Digits are at most their extents, but the last, which is at most what is left.
            let modes = layout.flat();
            let (&(_, last), before) = modes.split_last()?;
            let size: i128 = before.iter().map(|&(extent, _)| i128::from(extent)).product();
            let digits = before.iter().map(|&(extent, stride)| (i128::from(extent - 1), stride));
            let digits = digits.chain([(greatest / size, last)]);
            Some(digits.fold((0, 0), |(least, greatest), (digit, stride)| {
                let end = digit * i128::from(stride);
                (least + end.min(0), greatest + end.max(0))
            }))
        }
    }
}

fn within(function: &Function, lower: i64, upper: i64) -> Result<Option<Verdict>> {
    if let Some((least, greatest)) = blocks(function)
        && least >= i128::from(lower)
        && greatest < i128::from(upper)
    {
        return Ok(Some(PROVED));
    }
    if function.outer != FinalStep::Nothing {
        return Ok(None);
    }
    // At least one of the two is passed, since the bounds of a plain layout are reached.
    let above = least_reaching(&function.modes, i128::from(upper) - i128::from(function.offset), 1);
    let below =
        least_reaching(&function.modes, i128::from(function.offset) - i128::from(lower) + 1, -1);
    let Some(coordinate) = above.into_iter().chain(below).min() else { return Ok(None) };
    let offset = function.at(coordinate)?;
    Ok(Some(Verdict::Refuted(Witness::Outside { coordinate, offset })))
}

/// The least coordinate whose offset, times `sign`, is at least `target`: each digit, from the
/// last, is the least for which the digits below it can still reach.
fn least_reaching(modes: &[(i64, i64)], target: i128, sign: i128) -> Option<i64> {
    let gain = |stride: i64| i128::from(stride) * sign;
    let mut rest: i128 =
        modes.iter().map(|&(extent, stride)| i128::from(extent - 1) * gain(stride).max(0)).sum();
    if rest < target {
        return None;
    }
    let mut below: i64 = modes.iter().map(|&(extent, _)| extent).product();
    let (mut missing, mut coordinate) = (target, 0);
    for &(extent, stride) in modes.iter().rev() {
        below /= extent;
        let gain = gain(stride);
        rest -= i128::from(extent - 1) * gain.max(0);
        let short = missing - rest;
        let digit = if short > 0 && gain > 0 { (short - 1) / gain + 1 } else { 0 };
        missing -= digit * gain;
        coordinate += i64::try_from(digit).ok()? * below;
    }
    Some(coordinate)
}

fn aligned(function: &Function, unit: i64) -> Result<Option<Verdict>> {
    let decided = match &function.outer {
        FinalStep::Nothing => true,
        // Bits below the base stay what they are.
        FinalStep::Swizzle(swizzle) => {
            unit & (unit - 1) == 0 && u64::from(unit.trailing_zeros()) <= u64::from(swizzle.base)
        }
        FinalStep::Layout(_) | FinalStep::Matrix(_) => false,
    };
    if !decided {
        return Ok(None);
    }
    let mut coordinate = 1;
    if function.offset % unit == 0 {
        let mut modes = function.modes.iter();
        loop {
            let Some((extent, stride)) = modes.next() else { return Ok(Some(PROVED)) };
            if stride % unit != 0 {
                break;
            }
            coordinate *= extent;
        }
    } else {
        coordinate = 0;
    }
    let offset = function.at(coordinate)?;
    Ok(Some(Verdict::Refuted(Witness::Misaligned { coordinate, offset })))
}

/// The first mode of a coalesced layout is as long as offsets continue by its stride.
fn consecutive(function: &Function, run: i64) -> Result<Option<Verdict>> {
    if run == 1 {
        return Ok(Some(PROVED));
    }
    let first = function.modes.first().copied();
    let in_rows = matches!(first, Some((extent, 1)) if extent % run == 0);
    match &function.outer {
        FinalStep::Nothing if in_rows => Ok(Some(PROVED)),
        FinalStep::Nothing => {
            // Where the offset does not follow the one before, which is no multiple of the run.
            let coordinate = match first {
                Some((extent, 1)) => extent,
                _ => 1,
            };
            let (offset, before) = (function.at(coordinate)?, function.at(coordinate - 1)?);
            Ok(Some(Verdict::Refuted(Witness::Broken { coordinate, offset, before })))
        }
        // A swizzle keeps the bits below its base, and an aligned run changes no others.
        FinalStep::Swizzle(swizzle) => {
            let stays =
                run & (run - 1) == 0 && u64::from(run.trailing_zeros()) <= u64::from(swizzle.base);
            let starts = function.offset % run == 0
                && function.modes.iter().skip(1).all(|&(_, stride)| stride % run == 0);
            Ok((in_rows && stays && starts).then_some(PROVED))
        }
        FinalStep::Layout(_) | FinalStep::Matrix(_) => Ok(None),
    }
}
