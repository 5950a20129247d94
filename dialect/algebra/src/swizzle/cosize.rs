//! The greatest offset of a composed layout, without evaluating all coordinates where that can be
//! helped.

use super::{
    ComposedLayout, Outer, Swizzle,
    bits::{Leaf, OffsetBits, WALK_LIMIT},
    compose::range,
};
use crate::{
    error::{Error, Result},
    layout::{
        Layout,
        evaluate::walk,
        evaluate::{At, admit},
    },
};
use alloc::{vec, vec::Vec};

/// The most steps that [`by_residues`] takes.
const MAX_STEPS: i64 = 1 << 23;

/// The longest period for which [`by_residues`] keeps a sum for each residue.
const PERIODS: i64 = 1 << 18;

impl ComposedLayout {
    /// One more than the greatest offset, and at least 1.
    ///
    /// Under a swizzle it is found from the bits where the offsets are linear over GF(2), and from
    /// the offsets modulo the swizzle's period otherwise, so that the size does not matter. Under
    /// a layout, by composing or by evaluating.
    ///
    /// # Errors
    ///
    /// An answer that cannot be found with [`crate::ENUMERATION_LIMIT`] evaluations; overflow.
    pub fn cosize(&self) -> Result<i64> {
        let greatest = match &self.outer {
            Outer::Swizzle(swizzle) => swizzled_cosize(*swizzle, self)?,
            Outer::Layout(outer) => self.outer_layout_cosize(outer)?,
        };
        greatest.max(0).checked_add(1).ok_or_else(|| Error::overflow("cosize", self))
    }

    fn outer_layout_cosize(&self, outer: &Layout) -> Result<i64> {
        if self.offset == 0
            && self.inner.size() > WALK_LIMIT
            && let Ok(whole) = outer.composition(&self.inner)
        {
            let overflow = |_| Error::overflow("cosize", self);
            return range(0, &whole).map(|(_, greatest)| greatest).map_err(overflow);
        }
        let outer = At::new(outer)?;
        admit(self.inner.size(), outer.modes())?;
        let mut greatest = 0;
        for middle in walk("cosize", self.offset, &self.inner)? {
            let at = outer.offset(middle).ok_or_else(|| Error::overflow("cosize", self))?;
            greatest = greatest.max(at);
        }
        Ok(greatest)
    }
}

fn swizzled_cosize(swizzle: Swizzle, layout: &ComposedLayout) -> Result<i64> {
    let reach = OffsetBits::new("cosize", layout.offset, &layout.inner)?;
    if let Some(vectors) = reach.basis() {
        return Ok(by_bits(swizzle, reach.constant, &vectors));
    }
    // Few coordinates are sooner evaluated.
    if swizzle.period() <= PERIODS.min(layout.inner.size())
        && let Some(greatest) = by_residues(swizzle, layout.offset, &reach.leaves)
    {
        return Ok(greatest);
    }
    let offsets = walk("cosize", layout.offset, &layout.inner)?;
    Ok(offsets.map(|offset| swizzle.apply(offset)).max().unwrap_or(0))
}

/// The greatest of `S(constant xor some of the vectors)`: the images are the sums of `S(constant)`
/// and those of the vectors, so that from the top down each bit can be had or not.
fn by_bits(swizzle: Swizzle, constant: u64, vectors: &[u64]) -> i64 {
    let image = |word: u64| swizzle.apply(word.cast_signed()).cast_unsigned();
    let mut greatest = image(constant);
    let mut left: Vec<u64> = vectors.iter().map(|&vector| image(vector)).collect();
    // The offsets of a basis are not negative; the sign is the constant's.
    for bit in (0..63).rev().map(|bit| 1_u64 << bit) {
        let Some(place) = left.iter().position(|vector| vector & bit != 0) else { continue };
        let pivot = left.swap_remove(place);
        for vector in &mut left {
            if *vector & bit != 0 {
                *vector ^= pivot;
            }
        }
        if greatest & bit == 0 {
            greatest ^= pivot;
        }
    }
    greatest.cast_signed()
}

/// The greatest image where `S(x + d) = S(x) + d` for multiples of the period: of all sums with
/// the same residue only the greatest counts. None where that takes too many steps.
fn by_residues(swizzle: Swizzle, offset: i64, leaves: &[Leaf]) -> Option<i64> {
    let period = swizzle.period();
    let places = usize::try_from(period).ok()?;
    let mut steps = MAX_STEPS;
    // Per residue, the greatest sum.
    let mut sums: Vec<Option<i64>> = vec![None; places];
    *sums.get_mut(residue(offset, period)?)? = Some(offset);
    for leaf in leaves {
        // Past that many steps a leaf comes to the same residues again, higher or lower.
        let cycle = period >> leaf.stride.trailing_zeros().min(period.trailing_zeros());
        let tried = leaf.extent.min(cycle);
        let first = if leaf.stride > 0 { leaf.extent - tried } else { 0 };
        let mut next = vec![None; places];
        for sum in sums.iter().copied().flatten() {
            steps = steps.checked_sub(tried).filter(|&left| left >= 0)?;
            for i in first..first + tried {
                let sum = sum + i * leaf.stride;
                let best = next.get_mut(residue(sum, period)?)?;
                if best.is_none_or(|best| best < sum) {
                    *best = Some(sum);
                }
            }
        }
        sums = next;
    }
    sums.into_iter().flatten().map(|sum| swizzle.apply(sum)).max()
}

fn residue(sum: i64, period: i64) -> Option<usize> {
    // Periods are powers of two.
    usize::try_from(sum & (period - 1)).ok()
}
