//! The nearest legal input: what a hint proposes in place of what was refused.

use layout_algebra::{Layout, Nested, Tuple};

/// How many steps away from a number another one is looked for.
const STEPS: i64 = 64;

/// The number nearest to `found`, and at least 1, that `fits`; the smaller of two.
pub(crate) fn number(found: i64, fits: impl Fn(i64) -> bool) -> Option<i64> {
    (1..=STEPS)
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
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_legal_and_near() {
        assert_eq!(number(24, |n| 64 % n == 0), Some(16));
        assert_eq!(number(3, |n| 8 % n == 0), Some(2));
        assert_eq!(number(0, |n| n > 100), None);
        assert_eq!(number(i64::MAX, |n| n == i64::MAX - 1), Some(i64::MAX - 1));
        assert_eq!(multiple(96, 128), Some(128));
        assert_eq!(multiple(300, 128), Some(256));
        assert_eq!(multiple(12, 0), None);
        assert_eq!(multiple(i64::MAX, 2), None);
        let tuple = |text: &str| text.parse::<Tuple>().expect("a tuple");
        let regrouped = stride(&tuple("(4,(2,2))"), &tuple("(1,4,8)")).map(|t| t.to_string());
        assert_eq!(regrouped.as_deref(), Some("(1,(4,8))"));
        let compact = stride(&tuple("(4,2)"), &tuple("(1,2,3)")).map(|t| t.to_string());
        assert_eq!(compact.as_deref(), Some("(1,4)"));
        assert_eq!(entries(&['a', 'b', 'c'], 2, &'_'), ['a', 'b']);
        assert_eq!(entries(&['a'], 2, &'_'), ['a', '_']);
    }
}
