//! The slow, obvious definition of what each operation means, coordinate by coordinate.
//!
//! Nothing here is clever, and nothing of it is used to compute an answer: it is what answers are
//! compared with, by the tests of this crate and of those above it. Everything enumerates, so it is
//! for small layouts; overflow is `None`.

use crate::{
    layout::{
        Layout,
        basis::{Basis, BasisLayout},
    },
    tuple::{Nested, Tuple},
};
use alloc::{vec, vec::Vec};

/// Where two functions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The least one-dimensional coordinate.
    pub coordinate: i64,
    /// The offset by definition.
    pub expected: Option<i64>,
    /// The offset of the answer.
    pub found: Option<i64>,
}

/// The offset of an index: digits in the mixed radix of the shape times strides, the last digit
/// unbounded.
pub fn offset(layout: &Layout, index: i64) -> Option<i64> {
    let extents = layout.shape().leaves();
    let strides = layout.stride().leaves();
    let mut rest = index;
    let mut sum = 0_i64;
    for (i, (extent, stride)) in extents.iter().zip(&strides).enumerate() {
        let digit = if i + 1 == extents.len() { rest } else { rest % extent };
        rest /= extent;
        sum = sum.checked_add(digit.checked_mul(*stride)?)?;
    }
    Some(sum)
}

/// All offsets, in the order of indices.
pub fn offsets(layout: &Layout) -> Vec<Option<i64>> {
    (0..layout.size()).map(|index| offset(layout, index)).collect()
}

/// Whether two layouts are the same function on the coordinates of the first.
pub fn same(a: &Layout, b: &Layout) -> Result<(), Difference> {
    agree(a.size().max(b.size()), |i| offset(a, i), |i| offset(b, i))
}

/// Whether `found` maps every coordinate `c` below `size` to `expected(c)`.
pub fn agree(
    size: i64,
    expected: impl Fn(i64) -> Option<i64>,
    found: impl Fn(i64) -> Option<i64>,
) -> Result<(), Difference> {
    for coordinate in 0..size {
        let (expected, found) = (expected(coordinate), found(coordinate));
        if expected.is_none() || expected != found {
            return Err(Difference { coordinate, expected, found });
        }
    }
    Ok(())
}

/// Whether `result` is `A o B`: the size of `B`, a shape in which each leaf of `B`'s is kept or
/// split, and `A(B(c))` at every coordinate.
pub fn is_composition(a: &Layout, b: &Layout, result: &Layout) -> bool {
    let at = |c| offset(b, c).and_then(|middle| offset(a, middle));
    refines(result.shape(), b.shape()) && agree(b.size(), at, |c| offset(result, c)).is_ok()
}

/// Whether `result` is `A` divided by a tile, where `both` is the tile with its complement: the shape
/// of `both`, with leaves kept or split, and `A(both(c))` wherever `both(c)` is an index of `A`. The
/// other coordinates are outside, and nothing is defined for them.
pub fn is_divide_inside(a: &Layout, both: &Layout, result: &Layout) -> bool {
    refines(result.shape(), both.shape())
        && (0..both.size()).all(|c| match offset(both, c) {
            Some(index) if (0..a.size()).contains(&index) => {
                let expected = offset(a, index);
                expected.is_some() && expected == offset(result, c)
            }
            index => index.is_some(),
        })
}

/// Whether any layout is `A o B`: each leaf of `B` has a layout with its values, and these layouts
/// add up.
pub fn has_composition(a: &Layout, b: &Layout) -> bool {
    let through = |middle: i64| offset(a, middle);
    let extents = b.shape().leaves();
    let strides = b.stride().leaves();
    let leaves_exist = extents.iter().zip(&strides).all(|(&extent, &stride)| {
        let values: Option<Vec<i64>> = (0..extent).map(|i| through(i * stride)).collect();
        values.is_some_and(|values| is_layout(&values))
    });
    // The only function that such layouts can add up to.
    let sum = |index: i64| {
        let mut rest = index;
        let mut sum = 0;
        for (&extent, &stride) in extents.iter().zip(&strides) {
            sum += through((rest % extent) * stride)?;
            rest /= extent;
        }
        Some(sum)
    };
    let at = |c| offset(b, c).and_then(through);
    leaves_exist && agree(b.size(), at, sum).is_ok()
}

/// Whether any layout has these values, by trying every factorisation of their number.
pub fn is_layout(values: &[i64]) -> bool {
    values.first() == Some(&0) && factors_to_layout(values)
}

fn factors_to_layout(values: &[i64]) -> bool {
    let count = values.len();
    if count == 1 {
        return true;
    }
    (2..=count).filter(|&extent| count.is_multiple_of(extent)).any(|extent| {
        let step = values[1] - values[0];
        let every: Vec<i64> = values.iter().copied().step_by(extent).collect();
        let repeats = values
            .chunks(extent)
            .zip(&every)
            .all(|(run, &first)| (0_i64..).zip(run).all(|(i, &value)| value == first + i * step));
        repeats && factors_to_layout(&every)
    })
}

/// Whether shape `fine` nests as `coarse` with some leaves split into tuples of the same size.
pub fn refines(fine: &Tuple, coarse: &Tuple) -> bool {
    match (fine, coarse) {
        (_, Tuple::Leaf(extent)) => fine.product().is_ok_and(|size| size == *extent),
        (Tuple::Leaf(_), Tuple::Node(_)) => false,
        (Tuple::Node(fine), Tuple::Node(coarse)) => {
            fine.len() == coarse.len()
                && fine.iter().zip(coarse).all(|(fine, coarse)| refines(fine, coarse))
        }
    }
}

/// Whether the offsets of `rest` move those of `layout` to places that do not overlap, in
/// ascending order.
pub fn is_complement(layout: &Layout, rest: &Layout) -> bool {
    let (Some(mut base), Some(moves)) = (
        offsets(layout).into_iter().collect::<Option<Vec<_>>>(),
        offsets(rest).into_iter().collect::<Option<Vec<_>>>(),
    ) else {
        return false;
    };
    base.sort_unstable();
    base.dedup();
    let mut all: Vec<i64> =
        moves.iter().flat_map(|by| base.iter().map(move |offset| offset + by)).collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    all.len() == count && moves.is_sorted()
}

/// The offsets, in ascending order, that must be added to those of `layout` to reach every offset
/// below `size` exactly once, or `None` if that cannot be done. Modes of stride 0 do not count.
pub fn exact_complement(layout: &Layout, size: i64) -> Option<Vec<i64>> {
    let mut base: Vec<i64> = offsets(layout).into_iter().collect::<Option<_>>()?;
    base.sort_unstable();
    base.dedup();
    let modes = layout.flat();
    let moving = modes.iter().filter(|mode| mode.1 != 0).map(|mode| mode.0).product::<i64>();
    if i64::try_from(base.len()) != Ok(moving) {
        return None;
    }
    let mut taken = vec![false; usize::try_from(size).ok()?];
    let mut moves = Vec::new();
    // The least offset that is still free can only be reached by the least one of the layout.
    while let Some(free) = taken.iter().position(|taken| !taken) {
        let free = i64::try_from(free).ok()?;
        for &offset in &base {
            let place = taken.get_mut(usize::try_from(free + offset - base[0]).ok()?)?;
            if core::mem::replace(place, true) {
                return None;
            }
        }
        moves.push(free - base[0]);
    }
    Some(moves)
}

/// Whether `inverse` starts a contiguous range: `layout(inverse(i)) = i`.
pub fn is_right_inverse(layout: &Layout, inverse: &Layout) -> bool {
    agree(inverse.size(), Some, |i| offset(inverse, i).and_then(|index| offset(layout, index)))
        .is_ok()
}

/// Whether `inverse` leads back: `inverse(layout(i)) = i` wherever the coordinates of modes of
/// stride 0 are 0, and `layout(inverse(layout(i))) = layout(i)` everywhere.
pub fn is_left_inverse(layout: &Layout, inverse: &Layout) -> bool {
    let strides = layout.stride().leaves();
    let extents = layout.shape().leaves();
    (0..layout.size()).all(|index| {
        let mut rest = index;
        let repeated = extents.iter().zip(&strides).any(|(extent, stride)| {
            let digit = rest % extent;
            rest /= extent;
            *stride == 0 && digit != 0
        });
        let there = offset(layout, index);
        let back = there.and_then(|offset_| offset(inverse, offset_));
        if repeated {
            back.and_then(|index| offset(layout, index)) == there
        } else {
            back == Some(index)
        }
    })
}

/// The coordinate to which a coordinate layout maps an index: for each digit, its multiple of a basis element, added to
/// zeros. `zero` gives the nesting of the coordinates.
pub fn coordinate(layout: &BasisLayout, zero: &Tuple, index: i64) -> Option<Tuple> {
    fn steps(stride: &Nested<Basis>, all: &mut Vec<Basis>) {
        match stride {
            Nested::Leaf(basis) => all.push(basis.clone()),
            Nested::Node(entries) => entries.iter().for_each(|entry| steps(entry, all)),
        }
    }
    fn add(coordinate: &mut Tuple, path: &[usize], by: i64) -> Option<()> {
        match (coordinate, path) {
            (Nested::Leaf(value), []) => *value = value.checked_add(by)?,
            (Nested::Node(entries), [mode, path @ ..]) => add(entries.get_mut(*mode)?, path, by)?,
            (Nested::Node(_), []) if by == 0 => {}
            _ => return None,
        }
        Some(())
    }
    let mut all = Vec::new();
    steps(layout.stride(), &mut all);
    let extents = layout.shape().leaves();
    let (mut rest, mut coordinate) = (index, zero.clone());
    for (i, (extent, step)) in extents.iter().zip(&all).enumerate() {
        let digit = if i + 1 == extents.len() { rest } else { rest % extent };
        rest /= extent;
        add(&mut coordinate, &step.path, digit.checked_mul(step.scale)?)?;
    }
    Some(coordinate)
}

/// The offset of a coordinate: each integer of it is an index of the mode where it is, and modes that it does not
/// name are at 0.
pub fn offset_of(layout: &Layout, coordinate: &Tuple) -> Option<i64> {
    match coordinate {
        Nested::Leaf(index) => offset(layout, *index),
        Nested::Node(entries) => {
            let modes = layout.modes();
            if layout.is_leaf() || modes.len() < entries.len() {
                return None;
            }
            modes
                .iter()
                .zip(entries)
                .try_fold(0_i64, |sum, (mode, entry)| sum.checked_add(offset_of(mode, entry)?))
        }
    }
}
