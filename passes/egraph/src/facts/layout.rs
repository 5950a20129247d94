//! The facts of layouts: predicates on values, and what calls without a value keep.

use super::{Facts, number::Number};
use layout_algebra::{Layout, Op, Value};

/// The facts of a layout, with or without its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// How many coordinates it has.
    pub size: Option<i64>,
    /// One more than its greatest offset.
    pub cosize: Option<i64>,
    /// Its least and greatest offset for indices below the size.
    pub image: Option<(i64, i64)>,
    /// No offset twice.
    pub injective: Option<bool>,
    /// A permutation of `0 .. size`.
    pub bijective: Option<bool>,
    /// Sorted by stride, each stride is a multiple of the extent times the stride before it.
    pub chain: Option<bool>,
}

/// The fact that either side has, or `None` if they differ.
fn either<T: PartialEq>(a: Option<T>, b: Option<T>) -> Option<Option<T>> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => None,
        (a, b) => Some(a.or(b)),
    }
}

impl Shape {
    /// The facts of a value; a value that is no plain layout has none.
    pub fn of_value(value: &Value) -> Self {
        let Value::Layout(layout) = value else { return Self::default() };
        let chain = is_chain(layout);
        Self {
            size: Some(layout.size()),
            cosize: layout.cosize().ok(),
            image: image(layout),
            // A layout that is no chain may be injective all the same: not examined here.
            injective: chain.then_some(true),
            bijective: Some(is_bijective(layout)),
            chain: Some(chain),
        }
    }

    /// The facts that a call keeps of its operands.
    pub(super) fn of_call(op: Op, below: &[&Facts]) -> Self {
        let Some(first) = below.first().map(|facts| facts.shape) else { return Self::default() };
        match op {
            // The same offsets at the same indices.
            Op::Coalesce | Op::Flatten if below.len() == 1 => first,
            // The right operand is the domain, where it is a layout.
            Op::Composition => match below.get(1).map(|facts| facts.shape) {
                Some(second) => {
                    let inside = second.image.zip(first.size);
                    let inside = inside.is_some_and(|((low, high), n)| low >= 0 && high < n);
                    Self {
                        size: second.size,
                        injective: (inside
                            && first.injective == Some(true)
                            && second.injective == Some(true))
                        .then_some(true),
                        ..Self::default()
                    }
                }
                None => Self::default(),
            },
            Op::MakeLayout => Self {
                size: below.iter().try_fold(1_i64, |n, facts| n.checked_mul(facts.shape.size?)),
                image: below.iter().try_fold((0_i64, 0_i64), |(low, high), facts| {
                    let (a, b) = facts.shape.image?;
                    Some((low.checked_add(a)?, high.checked_add(b)?))
                }),
                ..Self::default()
            },
            _ => Self::default(),
        }
    }

    /// The facts of both sides, or `None` if they differ.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        Some(Self {
            size: either(self.size, other.size)?,
            cosize: either(self.cosize, other.cosize)?,
            image: either(self.image, other.image)?,
            injective: either(self.injective, other.injective)?,
            bijective: either(self.bijective, other.bijective)?,
            chain: either(self.chain, other.chain)?,
        })
    }
}

/// The facts of `crd2idx`: the layout's image where the index lies in its domain.
pub(super) fn applied(below: &[&Facts], width: u32) -> Option<Number> {
    let [index, layout] = below else { return None };
    let (index, Some(Value::Layout(layout))) = (index.number?, &layout.value) else { return None };
    if index.low < 0 || index.high >= layout.size() {
        return None;
    }
    let (low, high) = image(layout)?;
    let strides = layout.flat().into_iter().filter(|&(extent, _)| extent > 1);
    let multiple =
        strides.fold(0, |common, (_, stride)| num_integer::gcd(common, stride.unsigned_abs()));
    Number::between(low, high, multiple, width)
}

/// Modes of extent above 1, sorted by stride.
fn sorted(layout: &Layout) -> Vec<(i64, i64)> {
    let mut modes: Vec<_> = layout
        .flat()
        .into_iter()
        .filter(|&(extent, _)| extent > 1)
        .map(|(extent, stride)| (stride, extent))
        .collect();
    modes.sort_unstable();
    modes
}

/// The facts of a swizzled index: bits that the swizzle does not write stay, and so does a
/// divisor that lies below what it reads and writes.
pub(super) fn swizzled(below: &[&Facts]) -> Option<Number> {
    let [swizzle, index] = below else { return None };
    let (Some(Value::Swizzle(swizzle)), Some(index)) = (&swizzle.value, index.number) else {
        return None;
    };
    let (target, any) = (swizzle.target_mask(), Number::any(index.width));
    let multiple = 1 << index.multiple.trailing_zeros().min(target.trailing_zeros()).min(62);
    let reached = match index.multiple {
        0 => return Some(index),
        _ if index.low < 0 => any,
        _ => Number { low: 0, ..any },
    };
    let kept = Number { zeros: index.zeros & !target, ones: index.ones & !target, ..reached };
    Number { multiple, ..Number::any(index.width) }.meet(&kept)
}

/// Each stride, in order of size, is a positive multiple of the extent times the stride before it.
/// A chain is injective.
pub fn is_chain(layout: &Layout) -> bool {
    let mut filled = 1_i64;
    sorted(layout).into_iter().all(|(stride, extent)| {
        let fits = stride > 0 && stride % filled == 0;
        match stride.checked_mul(extent) {
            Some(end) if fits => {
                filled = end;
                true
            }
            _ => false,
        }
    })
}

/// Offsets `0 .. size`, each once.
pub fn is_bijective(layout: &Layout) -> bool {
    let mut filled = 1_i64;
    sorted(layout).into_iter().all(|(stride, extent)| {
        let fits = stride == filled;
        filled = filled.saturating_mul(extent);
        fits
    })
}

/// The least and greatest offset, for indices below the size.
pub fn image(layout: &Layout) -> Option<(i64, i64)> {
    layout.flat().into_iter().try_fold((0_i64, 0_i64), |(low, high), (extent, stride)| {
        let reach = (extent - 1).checked_mul(stride)?;
        Some((low.checked_add(reach.min(0))?, high.checked_add(reach.max(0))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        text.parse().expect("a layout")
    }

    #[test]
    fn chains_and_bijections() {
        assert!(is_chain(&layout("(4,2):(2,16)")) && !is_bijective(&layout("(4,2):(2,16)")));
        assert!(is_bijective(&layout("(4,8):(8,1)")) && is_bijective(&layout("(1,3):(7,1)")));
        assert!(!is_chain(&layout("(2,2):(1,1)")) && !is_chain(&layout("(2,2):(2,3)")));
        assert!(!is_bijective(&layout("(2,2):(1,4)")) && !is_chain(&layout("2:-1")));
    }

    #[test]
    fn images_follow_signs() {
        assert_eq!(image(&layout("(3,2):(-2,5)")), Some((-4, 5)));
    }
}
