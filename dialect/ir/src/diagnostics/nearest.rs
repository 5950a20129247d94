//! The nearest legal input, which a hint proposes in place of the refused one.

use layout_algebra::{Layout, Nested, Tuple};

/// The greatest distance from a number at which another one is searched for.
const MAX_DISTANCE: i64 = 64;

/// The number nearest to `found`, and at least 1, that `fits`; the smaller of two.
pub(crate) fn number(found: i64, fits: impl Fn(i64) -> bool) -> Option<i64> {
    (1..=MAX_DISTANCE)
        .flat_map(|step| [found.checked_sub(step), found.checked_add(step)])
        .flatten()
        .find(|&candidate| candidate >= 1 && fits(candidate))
}

/// The multiple of `step` nearest to `found`, and at least `step`.
pub(crate) fn multiple(found: i64, step: i64) -> Option<i64> {
    let below = found.checked_div(step)?.checked_mul(step)?;
    let above = below.checked_add(step)?;
    let nearer = if found.checked_sub(below)? <= above.checked_sub(found)? { below } else { above };
    Some(nearer.max(step))
}

/// A stride for a shape, of the numbers that a stride of another nesting has; the compact one where
/// there are not as many.
pub(crate) fn stride(shape: &Tuple, stride: &Tuple) -> Option<Tuple> {
    let numbers = stride.leaves();
    if numbers.len() == shape.leaf_count() {
        let mut numbers = numbers.into_iter();
        return shape.try_map(&mut |_| numbers.next().ok_or(())).ok();
    }
    Layout::from_shape(shape.clone()).ok().map(|layout| layout.stride().clone())
}

/// As many entries as `count`, of those that there are and of `filler`.
pub(crate) fn entries<T: Clone>(found: &[T], count: usize, filler: &T) -> Vec<T> {
    found.iter().cloned().chain(std::iter::repeat_n(filler.clone(), count)).take(count).collect()
}

/// A profile that nests like a tuple: a 1 for each of its modes.
pub(crate) fn profile(shape: &Tuple) -> Tuple {
    match shape {
        Nested::Leaf(_) => Nested::Leaf(1),
        Nested::Node(modes) => Nested::Node(vec![Nested::Leaf(1); modes.len()]),
    }
}

#[cfg(test)]
#[path = "../../tests/units/diagnostics/nearest.rs"]
mod tests;
