//! The elements that a copy moves at once between layouts of which one is swizzled.

use super::{AnyLayout, ComposedLayout, Outer, Swizzle, bits::WALK_LIMIT};
use crate::{
    error::{Error, Result},
    layout::Layout,
};

impl AnyLayout {
    /// [`Layout::max_common_vector`](crate::Layout::max_common_vector) of the layouts inside; where they have different
    /// swizzles, no more than the `2^base` elements that each moves together.
    ///
    /// # Errors
    ///
    /// As there. An offset under a swizzle; a layout after another.
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// let (plain, swizzled) = ("(8,64):(64,1)", "S<3,3,3> o 0 o (8,64):(64,1)");
    /// assert_eq!(answer(&format!("max_common_vector({swizzled}, {plain})")), "8");
    /// assert_eq!(answer(&format!("max_common_vector({swizzled}, {swizzled})")), "512");
    /// ```
    pub fn max_common_vector(&self, b: &Self) -> Result<i64> {
        let ((first, a), (second, b)) =
            (self.swizzled("max_common_vector")?, b.swizzled("max_common_vector")?);
        let vector = a.max_common_vector(b)?;
        if first == second && first.is_bijective() {
            // Offset `i` of both is that of element `S^-1(i)` inside, as long as the vector has it.
            let whole = vector - vector % first.period();
            let most = vector.min(whole.saturating_add(WALK_LIMIT));
            let left = |&i: &i64| first.unapply(i).is_ok_and(|inside| inside >= vector);
            return Ok((whole..most).find(left).unwrap_or(most));
        }
        Ok(vector.min(block(first)).min(block(second)))
    }

    /// The coordinates of the elements that [`AnyLayout::max_common_vector`] counts, of layouts of which one is plain.
    ///
    /// # Errors
    ///
    /// As there; two swizzled layouts.
    pub fn max_common_layout(&self, b: &Self) -> Result<Layout> {
        let ((first, a), (second, b)) =
            (self.swizzled("max_common_layout")?, b.swizzled("max_common_layout")?);
        let common = match (first.is_identity(), second.is_identity()) {
            (_, true) => a.max_common_layout(b)?,
            (true, _) => b.max_common_layout(a)?,
            _ => {
                let expected = "a plain layout beside a swizzled one";
                return Err(Error::operand("max_common_layout", expected, self));
            }
        };
        match block(first).min(block(second)) {
            most if most < common.size() => common.composition(&Layout::of_leaves(&[(most, 1)])?),
            _ => Ok(common),
        }
    }

    /// A plain layout, or the inner one under a swizzle alone.
    fn swizzled(&self, operation: &'static str) -> Result<(Swizzle, &Layout)> {
        match self {
            Self::Plain(layout) => Ok((Swizzle::identity(), layout)),
            Self::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), offset: 0, inner }) => {
                Ok((*swizzle, inner))
            }
            Self::Composed(composed) => {
                let expected = "a swizzle around a layout, with an offset of 0";
                Err(Error::condition(operation, self, expected, composed.offset))
            }
        }
    }
}

/// The elements that a swizzle moves together.
fn block(swizzle: Swizzle) -> i64 {
    match swizzle.is_identity() {
        true => i64::MAX,
        false => 1_i64.checked_shl(swizzle.base).filter(|&block| block > 0).unwrap_or(i64::MAX),
    }
}
