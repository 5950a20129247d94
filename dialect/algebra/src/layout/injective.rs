//! Questions about a layout as a function: is it one-to-one, is it onto.
//!
//! Integer and symbolic layouts use different algorithms. For integers, where sorted modes do not decide, the offsets do,
//! within a budget. For expressions, the answer is true or false where it is so under every assignment;
//! between the two, the fact that would decide is missing.

use crate::layout::prelude::*;
use crate::{
    integer::{Answer, Quotient},
    layout::{
        evaluate::{Offsets, admit, limited},
        image::{ascending, reach},
    },
    shape::gcd,
};

impl<L: Injective> Layout<L> {
    /// Whether different coordinates have different offsets.
    ///
    /// Decided without evaluation where sorted modes do not reach into each other, where a mode of
    /// stride 0 repeats, and where two modes meet; else by evaluating.
    ///
    /// It is so where modes can be put in an order in which each steps past all that those before it
    /// reach. It is not where a mode of two entries has stride 0, or two modes meet.
    pub fn is_injective_under(&self, facts: &L::Facts) -> Result<bool, L::Error> {
        L::injective(facts, self)
    }

    /// Whether every offset from 0 to the greatest is reached; of a layout with negative strides, from
    /// the least.
    ///
    /// Exact and without evaluation: in the order of strides, each must not step past what the smaller
    /// ones reach, since no larger one could fill the gap.
    ///
    /// It is so where modes can be put in an order in which none steps past what those before it reach;
    /// it is not where all that are left, and one of them has two entries, step past that.
    pub fn is_surjective_under(&self, facts: &L::Facts) -> Result<bool, L::Error> {
        L::surjective(facts, self)
    }

    /// Whether the layout only permutes `0 .. size`: injective and surjective.
    pub fn is_bijective_under(&self, facts: &L::Facts) -> Result<bool, L::Error> {
        L::bijective(facts, self)
    }
}

closed! { Layout {
    is_injective = is_injective_under() -> bool;
    is_surjective = is_surjective_under() -> bool;
    is_bijective = is_bijective_under() -> bool;
} }

/// How the leaves of a layout answer: integers by sorted modes and by offsets, expressions by facts.
pub trait Injective: Leaf {
    /// [`Layout::is_injective_under`].
    fn injective(facts: &Self::Facts, layout: &Layout<Self>) -> Result<bool, Self::Error>;
    /// [`Layout::is_surjective_under`].
    fn surjective(facts: &Self::Facts, layout: &Layout<Self>) -> Result<bool, Self::Error>;
    /// [`Layout::is_bijective_under`].
    fn bijective(facts: &Self::Facts, layout: &Layout<Self>) -> Result<bool, Self::Error>;
}

impl Injective for i64 {
    fn injective((): &(), layout: &Layout) -> Result<bool> {
        let mut modes = reaching(layout)?;
        if modes.iter().any(|&(_, stride)| stride == 0) {
            return Ok(false);
        }
        modes.sort_unstable_by_key(|&(_, stride)| stride);
        let mut reach = 0_i64;
        let mut is_separated = true;
        for (i, &(extent, stride)) in modes.iter().enumerate() {
            is_separated &= stride > reach;
            reach = (extent - 1)
                .checked_mul(stride)
                .and_then(|more| reach.checked_add(more))
                .ok_or_else(|| Error::overflow("is_injective", layout))?;
            for &(other, step) in &modes[..i] {
                let common = gcd(stride, step);
                if step / common < extent && stride / common < other {
                    return Ok(false);
                }
            }
        }
        if is_separated {
            return Ok(true);
        }
        // None overflows, since the reach did not.
        let offsets = Offsets::of_modes(&modes, layout.size()).flatten();
        let reach = reach.unsigned_abs();
        if reach < MARKS {
            limited(layout)?;
            return Ok(differ_below(reach, offsets));
        }
        // A place in a large table takes as long as many divisions.
        admit(layout.size(), 32)?;
        Ok(differ(layout.size(), offsets))
    }

    fn surjective((): &(), layout: &Layout) -> Result<bool> {
        let mut modes = reaching(layout)?;
        modes.sort_unstable_by_key(|&(_, stride)| stride);
        let mut reach = 0_i64;
        for (extent, stride) in modes {
            if stride > reach + 1 {
                return Ok(false);
            }
            reach = (extent - 1)
                .checked_mul(stride)
                .and_then(|more| reach.checked_add(more))
                .filter(|&reach| reach < i64::MAX)
                .ok_or_else(|| Error::overflow("is_surjective", layout))?;
        }
        Ok(true)
    }

    fn bijective((): &(), layout: &Layout) -> Result<bool> {
        if layout.flat().iter().any(|&(extent, stride)| extent > 1 && stride < 0) {
            return Ok(false);
        }
        // A surjection between sets of one size is one-to-one.
        Ok(layout.is_surjective()? && layout.cosize()? == layout.size())
    }
}

impl Injective for Expr {
    fn injective(facts: &Facts, layout: &Layout<Self>) -> integer::Result<bool> {
        let operands = || layout.to_string();
        injective(facts, &Site { operation: "is_injective", operands: &operands }, layout)
    }

    fn surjective(facts: &Facts, layout: &Layout<Self>) -> integer::Result<bool> {
        let operands = || layout.to_string();
        surjective(facts, &Site { operation: "is_surjective", operands: &operands }, layout)
    }

    fn bijective(facts: &Facts, layout: &Layout<Self>) -> integer::Result<bool> {
        let site = Site { operation: "is_bijective", operands: &|| layout.to_string() };
        let natural = natural(facts, &site, layout);
        match (surjective(facts, &site, layout), injective(facts, &site, layout)) {
            (Ok(false), _) | (_, Ok(false)) => Ok(false),
            _ if matches!(natural, Ok(false)) => Ok(false),
            (onto, one_to_one) => Ok(onto? && one_to_one? && natural?),
        }
    }
}

/// Whether none of some offsets from a least to a greatest one comes twice.
///
/// # Errors
///
/// More than is evaluated, where they lie far apart.
pub(crate) fn distinct(offsets: &[i64], least: i64, greatest: i64) -> Result<bool> {
    let above = |&offset: &i64| offset.wrapping_sub(least);
    let reach = greatest.abs_diff(least);
    if reach < MARKS {
        return Ok(differ_below(reach, offsets.iter().map(above)));
    }
    let count = i64::try_from(offsets.len()).unwrap_or(i64::MAX);
    admit(count, 32)?;
    if i64::try_from(reach).is_err() {
        return Err(Error::overflow("is_injective", format!("offsets from {least} to {greatest}")));
    }
    Ok(differ(count, offsets.iter().map(above)))
}

/// Offsets up to which each has a bit of its own: four million bytes.
const MARKS: u64 = 1 << 25;

/// Whether no offset up to a reach comes twice.
fn differ_below(reach: u64, mut offsets: impl Iterator<Item = i64>) -> bool {
    let mut marks = vec![0_u64; usize::try_from(reach / 64 + 1).unwrap_or(0)];
    offsets.all(|offset| {
        let offset = offset.unsigned_abs();
        let (word, bit) = (usize::try_from(offset / 64).unwrap_or(0), 1 << (offset % 64));
        let seen = marks[word] & bit != 0;
        marks[word] |= bit;
        !seen
    })
}

/// Whether none of a number of offsets, which are not negative, comes twice: by a table of twice their
/// number, in less time than sorting takes, and half of what hashbrown's set takes with the hash of rustc-hash.
fn differ(count: i64, mut offsets: impl Iterator<Item = i64>) -> bool {
    const FREE: i64 = -1;
    let places = usize::try_from(count).unwrap_or(0).max(1).saturating_mul(2).next_power_of_two();
    let mut table = vec![FREE; places];
    offsets.all(|offset| {
        // Fibonacci hashing: the high bits of a product with the golden ratio.
        let hash = offset.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = usize::try_from(hash >> (64 - places.trailing_zeros())).unwrap_or(0);
        while table[place] != FREE && table[place] != offset {
            place = (place + 1) & (places - 1);
        }
        core::mem::replace(&mut table[place], offset) == FREE
    })
}

/// The modes that have more than one coordinate, with positive strides: turning a mode around
/// shifts the image and changes nothing else.
fn reaching(layout: &Layout) -> Result<Modes> {
    let mut modes = layout.leaves();
    modes.retain(|&mut (extent, _)| extent != 1);
    for (_, stride) in &mut modes {
        *stride = stride.checked_abs().ok_or_else(|| Error::overflow("abs", layout))?;
    }
    Ok(modes)
}

/// Whether no offset is below 0.
fn natural(facts: &Facts, site: &Site<'_>, layout: &Layout<Expr>) -> integer::Result<bool> {
    let mut open = Vec::new();
    for (extent, stride) in layout.flat() {
        let ascends = facts.at_least(&stride, &Expr::from(0));
        if extent.is(1) || ascends.is_yes() {
            continue;
        }
        if several(facts, &extent) && facts.at_least(&Expr::from(-1), &stride).is_yes() {
            return Ok(false);
        }
        open.push(match ascends {
            // A mode of one entry reaches nothing.
            Answer::No(_) => facts.at_least(&Expr::from(1), &extent),
            other => other,
        });
    }
    if open.iter().all(Answer::is_yes) {
        return Ok(true);
    }
    Err(site.unmet_best(open.into_iter().filter(|answer| !answer.is_yes()).collect()))
}

fn injective(facts: &Facts, site: &Site<'_>, layout: &Layout<Expr>) -> integer::Result<bool> {
    let modes = reaching_under(facts, site, layout)?;
    for (i, (extent, stride)) in modes.iter().enumerate() {
        let repeats = stride.is(0) && several(facts, extent);
        if repeats || modes[..i].iter().any(|other| meet(facts, (extent, stride), other)) {
            return Ok(false);
        }
    }
    // Each steps past all before it, which makes strides positive from the first on.
    let ordered =
        ascending(modes, |(extent, stride), before| match facts.at_least(stride, before) {
            // A mode of one entry meets none.
            Answer::No(_) => facts.at_least(&Expr::from(1), extent),
            other => other,
        })?;
    let Err(left) = ordered else { return Ok(true) };
    // A symbol is more likely to be large enough than to be small enough.
    let (queries, others): (Vec<_>, Vec<_>) =
        left.into_iter().partition(|(_, mode)| mode.1.as_constant().is_none());
    let answers = queries.into_iter().chain(others).map(|(answer, _)| answer);
    Err(site.unmet_best(answers.collect()))
}

fn surjective(facts: &Facts, site: &Site<'_>, layout: &Layout<Expr>) -> integer::Result<bool> {
    let mut modes = reaching_under(facts, site, layout)?;
    for (_, stride) in &modes {
        site.require(facts.at_least(stride, &Expr::from(0)))?;
    }
    let mut next = Expr::from(1);
    while !modes.is_empty() {
        let within: Vec<_> =
            modes.iter().map(|(_, stride)| facts.at_least(&next, stride)).collect();
        match within.iter().position(Answer::is_yes) {
            Some(within) => next = next.plus(&reach(&modes.remove(within))?)?,
            None if within.iter().all(|answer| matches!(answer, Answer::No(_))) => {
                // The next offset is left out, if there are any past it.
                let mut lengths = Vec::new();
                for (extent, _) in &modes {
                    if several(facts, extent) {
                        return Ok(false);
                    }
                    lengths.push(facts.at_least(extent, &Expr::from(2)));
                }
                return Err(site.unmet_best(lengths));
            }
            None => {
                let open = within.into_iter().filter(|answer| matches!(answer, Answer::Unknown(_)));
                return Err(site.unmet_best(open.collect()));
            }
        }
    }
    Ok(true)
}

/// The modes that may have more than one coordinate, turned around where they are known to descend:
/// that shifts the image and changes nothing else.
fn reaching_under(
    facts: &Facts,
    site: &Site<'_>,
    layout: &Layout<Expr>,
) -> integer::Result<Vec<(Expr, Expr)>> {
    let mut modes = layout.flat();
    modes.retain(|(extent, _)| !extent.is(1));
    site.few(modes.len())?;
    for (_, stride) in &mut modes {
        if facts.at_least(&Expr::from(0), stride).is_yes() {
            *stride = stride.scaled(-1)?;
        }
    }
    Ok(modes)
}

fn several(facts: &Facts, extent: &Expr) -> bool {
    facts.at_least(extent, &Expr::from(2)).is_yes()
}

/// Whether a step of one mode is known to be one step, or some, of the other.
fn meet(facts: &Facts, a: (&Expr, &Expr), b: &(Expr, Expr)) -> bool {
    let steps = |(extent, stride): (&Expr, &Expr), (long, step): (&Expr, &Expr)| {
        let quotient = match (stride.as_constant(), step.as_constant()) {
            // Constants meet at their least common multiple.
            (Some(stride), Some(step)) => {
                let common = num_integer::gcd(stride.unsigned_abs(), step.unsigned_abs());
                let steps = |over: i64| over.unsigned_abs().checked_div(common);
                let [Some(here), Some(there)] = [steps(step), steps(stride)]
                    .map(|steps| steps.and_then(|steps| i64::try_from(steps).ok()?.checked_add(1)))
                else {
                    return false;
                };
                return facts.at_least(extent, &Expr::from(here)).is_yes()
                    && facts.at_least(long, &Expr::from(there)).is_yes();
            }
            _ => facts.divide(stride, step),
        };
        match quotient {
            Quotient::Exact(quotient) => {
                several(facts, extent)
                    && facts.at_least(&quotient, &Expr::from(1)).is_yes()
                    && quotient
                        .plus(&Expr::from(1))
                        .is_ok_and(|least| facts.at_least(long, &least).is_yes())
            }
            _ => false,
        }
    };
    let b = (&b.0, &b.1);
    steps(a, b) || steps(b, a)
}
