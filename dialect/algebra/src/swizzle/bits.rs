//! Which bits the offsets of a layout reach, and walking over all of them.

use super::Swizzle;
use crate::{
    error::Result,
    layout::{
        Layout,
        evaluate::{bounded, walk},
    },
};
use alloc::vec::Vec;

/// Coordinates that are walked where the bits do not decide.
pub(super) const WALK_LIMIT: i64 = crate::layout::evaluate::ENUMERATION_LIMIT;

/// A constant and the leaves of a layout, each with the bits that its offsets may have.
pub(super) struct OffsetBits {
    /// The constant's bits.
    pub(super) constant: u64,
    /// The leaves that move.
    pub(super) leaves: Vec<Leaf>,
}

/// A leaf `extent:stride` of extent above 1 and a stride that is not 0.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub(super) extent: i64,
    pub(super) stride: i64,
    /// A superset of the bits that its offsets have: from the stride's lowest to the top offset's
    /// highest. For a negative stride, all from the lowest on.
    pub(super) cover: u64,
}

impl Leaf {
    pub(super) fn new(extent: i64, stride: i64) -> Option<Self> {
        if extent <= 1 || stride == 0 {
            return None;
        }
        let low = stride.trailing_zeros();
        let high = if stride < 0 {
            64
        } else {
            // Past 64 bits the offsets overflow, which is reported elsewhere.
            64 - (extent - 1).saturating_mul(stride).leading_zeros()
        };
        Some(Self { extent, stride, cover: super::ones(high) & !super::ones(low) })
    }

    /// The offsets at 1, 2, 4, …, if any other is the sum of some of them and no bit is in two.
    pub(super) fn basis(&self) -> Option<Vec<u64>> {
        if self.stride < 0 || !self.extent.cast_unsigned().is_power_of_two() {
            return None;
        }
        let vectors: Vec<u64> = (0..self.extent.trailing_zeros())
            .map(|bit| self.stride.cast_unsigned() << bit)
            .collect();
        disjoint(vectors.iter().copied()).then_some(vectors)
    }
}

/// Whether no bit is set in two of the words.
pub(super) fn disjoint(words: impl IntoIterator<Item = u64>) -> bool {
    let mut seen = 0_u64;
    words.into_iter().all(|word| {
        let free = seen & word == 0;
        seen |= word;
        free
    })
}

impl OffsetBits {
    /// The reach of `constant + layout(c)`.
    pub(super) fn new(operation: &'static str, constant: i64, layout: &Layout) -> Result<Self> {
        bounded(operation, constant, layout)?;
        let leaves =
            layout.flat().into_iter().filter_map(|(extent, stride)| Leaf::new(extent, stride));
        Ok(Self { constant: constant.cast_unsigned(), leaves: leaves.collect() })
    }

    /// Whether no sum carries, since no bit may be set in two summands: sums are then xors.
    pub(super) fn is_disjoint(&self) -> bool {
        disjoint(core::iter::once(self.constant).chain(self.leaves.iter().map(|leaf| leaf.cover)))
    }

    /// The offsets that generate all others by xor with the constant, each with its own bits; none
    /// where the layout is not linear in this way.
    pub(super) fn basis(&self) -> Option<Vec<u64>> {
        let mut vectors = Vec::new();
        for leaf in &self.leaves {
            vectors.extend(leaf.basis()?);
        }
        disjoint(core::iter::once(self.constant).chain(vectors.iter().copied())).then_some(vectors)
    }
}

/// Whether some of `constant + layout(c)` have one of the bits in `mask`.
pub(super) fn may_have(
    operation: &'static str,
    constant: i64,
    layout: &Layout,
    mask: u64,
) -> Result<bool> {
    Ok(reached(operation, constant, layout, mask)? != 0)
}

/// The bits in `mask` that some of `constant + layout(c)` have.
///
/// # Errors
///
/// Sums that overflow; where the bits do not decide, more than [`WALK_LIMIT`] coordinates.
pub(super) fn reached(
    operation: &'static str,
    constant: i64,
    layout: &Layout,
    mask: u64,
) -> Result<u64> {
    if mask == 0 {
        return Ok(0);
    }
    let reach = OffsetBits::new(operation, constant, layout)?;
    if reach.is_disjoint() {
        let covers = reach.leaves.iter().fold(reach.constant, |all, leaf| all | leaf.cover);
        if covers & mask == 0 {
            return Ok(0);
        }
    }
    if let Some(vectors) = reach.basis() {
        return Ok(vectors.iter().fold(reach.constant, |all, vector| all | vector) & mask);
    }
    let mut found = 0;
    for offset in walk(operation, constant, layout)? {
        found |= offset.cast_unsigned() & mask;
        if found == mask {
            break;
        }
    }
    Ok(found)
}

impl Swizzle {
    /// The bits that change when a bit of `word` does.
    pub(super) fn spread(&self, word: u64) -> u64 {
        word | self.map_place(word)
    }
}
