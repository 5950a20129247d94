//! From a function to a layout: the layout of least rank with given offsets, or the first index
//! that refutes.

use crate::{
    error::{Error, Result},
    layout::{Layout, offset_at},
};
use smallvec::SmallVec;

/// The first index at which no layout can have the given offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The index.
    pub index: i64,
    /// The offset that was given for it.
    pub wanted: i64,
    /// The offset of the one layout that agrees with all that comes before.
    pub found: i64,
}

/// The flat layout of least rank whose offset at every index is the given one.
///
/// The first mode is as long as the offsets grow by a constant step; the offsets at its multiples
/// are a layout again, by the same rule; and each later run repeats the first, shifted. If the
/// first run's length does not divide the number of offsets, no layout exists: a shorter first mode
/// would have a second that continues it. Linear time.
///
/// # Errors
///
/// The refutation, inside `Ok`; an empty sequence or overflow as an error.
///
/// ```
/// use layout_algebra::layout_of;
/// assert_eq!(layout_of(&[0, 2, 8, 10])?.expect("a layout").to_string(), "(2,2):(2,8)");
/// assert_eq!(layout_of(&[0, 2, 4, 3])?.expect_err("none").index, 3);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn layout_of(offsets: &[i64]) -> Result<std::result::Result<Layout, Refutation>> {
    let Some(&first) = offsets.first() else {
        return Err(Error::Operand {
            operation: "layout_of",
            expected: "at least one offset".to_owned(),
            found: "none".to_owned(),
        });
    };
    if first != 0 {
        return Ok(Err(Refutation { index: 0, wanted: first, found: 0 }));
    }
    let size = offsets.len();
    let overflow = || Error::overflow("layout_of", format!("{size} offsets"));
    let mut modes: Vec<(i64, i64)> = Vec::new();
    // Offsets of multiples of `below` are what is left to explain.
    let mut below = 1_usize;
    while below < size {
        let count = size / below;
        let value = |i: usize| offsets[i * below];
        let step = value(1);
        let mut run = 2;
        let mut expected = step;
        while run < count {
            expected = expected.checked_add(step).ok_or_else(overflow)?;
            if value(run) != expected {
                break;
            }
            run += 1;
        }
        if !count.is_multiple_of(run) {
            // The only candidate continues in step up to the run, so it first fails in the part
            // of a run that is cut short, if not before.
            return Ok(Err(refute(offsets, &modes, below, step, run)));
        }
        let extent = i64::try_from(run).map_err(|_| overflow())?;
        modes.push((extent, step));
        below *= run;
    }
    match first_difference(offsets, &modes).ok_or_else(overflow)? {
        Some(refutation) => Ok(Err(refutation)),
        None => {
            let layout = Layout::from_flat(&modes)?;
            // Offsets that wrapped around would not have been told apart.
            layout.cosize().map(|_| Ok(layout))
        }
    }
}

/// The first index at which offsets differ from a layout, counted as an odometer counts: one
/// addition for most indices. Nothing on overflow.
fn first_difference(offsets: &[i64], modes: &[(i64, i64)]) -> Option<Option<Refutation>> {
    let Some((&(extent, step), above)) = modes.split_first() else { return Some(None) };
    let run = usize::try_from(extent).ok()?;
    let mut digits: SmallVec<[i64; 16]> = above.iter().map(|_| 0).collect();
    let mut base = 0_i64;
    for (count, part) in offsets.chunks(run).enumerate() {
        let mut found = base;
        for (i, &wanted) in part.iter().enumerate() {
            if wanted != found {
                let index = i64::try_from(count * run + i).ok()?;
                return Some(Some(Refutation { index, wanted, found }));
            }
            // The step past the last one of a run may overflow, and is not used.
            found = found.wrapping_add(step);
        }
        for (digit, &(extent, stride)) in digits.iter_mut().zip(above) {
            *digit += 1;
            if *digit < extent {
                base = base.checked_add(stride)?;
                break;
            }
            base = base.checked_sub(stride.checked_mul(extent - 1)?)?;
            *digit = 0;
        }
    }
    Some(None)
}

/// The first index at which offsets differ from the layout of `modes` continued by `step`.
fn refute(
    offsets: &[i64],
    modes: &[(i64, i64)],
    below: usize,
    step: i64,
    run: usize,
) -> Refutation {
    let mut all = modes.to_vec();
    all.push((i64::try_from(run).unwrap_or(i64::MAX), step));
    for (index, &wanted) in (0_i64..).zip(offsets) {
        if let Some(found) = offset_at(&all, index)
            && found != wanted
        {
            return Refutation { index, wanted, found };
        }
    }
    let index = i64::try_from(below * run).unwrap_or(i64::MAX);
    Refutation { index, wanted: offsets.get(below * run).copied().unwrap_or(0), found: step }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every offset sequence of up to 6 numbers below 7: found exactly when brute force finds one.
    #[test]
    fn finds_a_layout_whenever_one_exists() {
        for size in 1..=6_u32 {
            let mut reachable = std::collections::BTreeSet::new();
            for modes in factorizations(i64::from(size)) {
                strides(&modes, &mut Vec::new(), &mut |layout: &Layout| {
                    let offsets: Vec<i64> =
                        (0..i64::from(size)).map(|i| layout.at(i).expect("small")).collect();
                    reachable.insert(offsets);
                });
            }
            for code in 0..7_i64.pow(size - 1) {
                let mut rest = code;
                let mut offsets = vec![0];
                for _ in 1..size {
                    offsets.push(rest % 7);
                    rest /= 7;
                }
                let found = layout_of(&offsets).expect("small");
                assert_eq!(found.is_ok(), reachable.contains(&offsets), "{offsets:?}");
                if let Ok(layout) = found {
                    let values: Vec<i64> =
                        (0..i64::from(size)).map(|i| layout.at(i).expect("small")).collect();
                    assert_eq!(values, offsets);
                }
            }
        }
    }

    fn factorizations(n: i64) -> Vec<Vec<i64>> {
        if n == 1 {
            return vec![vec![]];
        }
        (2..=n)
            .filter(|d| n % d == 0)
            .flat_map(|d| {
                factorizations(n / d).into_iter().map(move |mut rest| {
                    rest.insert(0, d);
                    rest
                })
            })
            .collect()
    }

    fn strides(shape: &[i64], chosen: &mut Vec<(i64, i64)>, visit: &mut impl FnMut(&Layout)) {
        let Some((&extent, rest)) = shape.split_first() else {
            visit(&Layout::from_flat(chosen).expect("small"));
            return;
        };
        for stride in -6..7 {
            chosen.push((extent, stride));
            strides(rest, chosen, visit);
            chosen.pop();
        }
    }
}
