//! Fixing coordinates of a composed layout, and folding it to a plain one.
//!
//! A swizzle is linear over GF(2), a layout over the integers. Where no two coordinates move the
//! same bit of `S(offset + inner(c))`, xor with the bit of one coordinate is an addition or, if the
//! offset has that bit set, a subtraction: the whole is a plain layout. Row 1 of an 8×8 tile:
//!
//! ```text
//!   S<3,0,3> o 0 o (8,8):(8,1)      at (1,c):   8 + (c xor 1)
//!     c          0   1   2   3   4   5   6   7
//!     offset     9   8  11  10  13  12  15  14      9 + (2,4):(-1,2)
//! ```

use super::{
    AnyLayout, ComposedLayout, Outer, Swizzle, Swizzles,
    bits::{Leaf, OffsetBits, WALK_LIMIT, disjoint},
};
use crate::{
    error::{Error, Result},
    integer::Site,
    layout::{Layout, evaluate::walk, modal::Part},
    matrix::bits,
    tuple::{Coord, CoordOf},
};
use alloc::{format, string::ToString, vec, vec::Vec};
use core::fmt;

/// Coordinates that are walked to see whether a part of an offset passes.
const PASS_LIMIT: i64 = 1 << 12;

impl AnyLayout {
    /// The modes that a coordinate leaves, and the offset that is no part of them: the element at `c` of the
    /// result is at `result(c) + offset` of the whole.
    pub fn slice_and_offset(&self, coord: &Coord) -> Result<(Self, i64)> {
        match self {
            Self::Plain(layout) => {
                let (kept, offset) = layout.slice(coord)?;
                Ok((Self::Plain(kept), offset))
            }
            Self::Composed(composed) => composed.slice_and_offset(coord),
        }
    }
}

impl<L: Swizzles> ComposedLayout<L> {
    /// [`ComposedLayout::slice`], and the offset that is no part of it: the element at `c` of the
    /// result is at `result(c) + offset`.
    ///
    /// # Errors
    ///
    /// As [`ComposedLayout::slice`]. Under facts: a coordinate that does not fit; those of
    /// [`Outer::at_under`]; overflow.
    pub fn slice_under(
        &self,
        facts: &L::Facts,
        coord: &CoordOf<L>,
    ) -> Result<(AnyLayout<L>, L), L::Error> {
        let (kept, fixed) = self.inner.slice_under(facts, coord)?;
        if coord.fixes_nothing() {
            return Ok((self.with_inner(kept).simplified(), L::from(0)));
        }
        let moved = |by: &L| self.offset.plus(by).map_err(|lost| L::lost(lost, "slice", self));
        let sliced = Self { offset: moved(&fixed)?, ..self.with_inner(kept) };
        let Outer::Swizzle(swizzle) = &self.outer else { return Ok((sliced.into(), L::from(0))) };
        if let Some((plain, offset)) = L::folded(facts, *swizzle, &sliced)? {
            return Ok((plain.into(), offset));
        }
        let (seen, unseen) = L::parted(self, *swizzle, &fixed, &sliced.inner)?;
        Ok((Self { offset: moved(&seen)?, ..sliced }.into(), unseen))
    }

    /// [`ComposedLayout::slice`] under facts.
    pub fn kept_under(
        &self,
        facts: &L::Facts,
        coord: &CoordOf<L>,
    ) -> Result<AnyLayout<L>, L::Error> {
        match &self.outer {
            Outer::Swizzle(swizzle) if swizzle.is_identity() => {
                let (kept, fixed) = self.inner.slice_under(facts, coord)?;
                let offset = self.offset.plus(&fixed).map_err(|lost| L::lost(lost, "slice", self));
                Ok(Self { offset: offset?, ..self.with_inner(kept) }.simplified())
            }
            _ => Ok(self.slice_under(facts, coord)?.0),
        }
    }

    /// The plain layout and the offset that together equal this layout: `self(c) = layout(c) + offset`. None if no
    /// layout that refines the shape does, if finding it would take more than [`crate::ENUMERATION_LIMIT`] evaluations,
    /// or if the outer function is a layout.
    ///
    /// # Errors
    ///
    /// Overflow. Under facts: those of [`Outer::at_under`].
    pub fn fold_under(&self, facts: &L::Facts) -> Result<Option<(Layout<L>, L)>, L::Error> {
        match &self.outer {
            Outer::Swizzle(swizzle) => L::folded(facts, *swizzle, self),
            Outer::Layout(_) => Ok(None),
        }
    }

    /// The plain layout that this is.
    ///
    /// # Errors
    ///
    /// Offsets that no plain layout is known to have; an offset that is not known to be 0.
    pub(crate) fn plain(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        let refuse = |found: &dyn fmt::Display| {
            let expected = "a layout that is plain, from offset 0 on";
            Error::condition("composition", self, expected, found)
        };
        let (plain, offset) = match &self.outer {
            Outer::Swizzle(_) => self.fold_under(facts)?.ok_or_else(|| refuse(self))?,
            Outer::Layout(outer) => {
                (outer.composition_under(facts, &self.inner)?, self.offset.clone())
            }
        };
        let site = Site { operation: "composition", operands: &|| self.to_string() };
        L::require(&site, L::equal(facts, &offset, &L::from(0)), || refuse(&offset))?;
        Ok(plain)
    }
}

impl ComposedLayout {
    /// The modes that a coordinate keeps. Under a swizzle: a plain layout if one equals the slice, as CuTe prints it.
    /// Otherwise the result stays composed, with the part of the fixed offset that the swizzle reads.
    ///
    /// As for plain layouts, the rest of the fixed offset is decided by
    /// [`slice_and_offset`](Self::slice_and_offset). A coordinate that fixes nothing changes only
    /// the shape.
    ///
    /// Under a layout, or a swizzle that changes nothing, the result is composed and has the whole offset, so that it
    /// is the function `self` at the coordinate.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow.
    pub fn slice(&self, coord: &Coord) -> Result<AnyLayout> {
        self.kept_under(&(), coord)
    }

    /// Parts a fixed offset into what the swizzle sees and what passes through it: whole periods, and
    /// bits that it neither reads nor changes as long as no carry comes to or from them.
    pub(super) fn split(&self, swizzle: Swizzle, fixed: i64, kept: &Layout) -> Result<(i64, i64)> {
        let overflow = || Error::overflow("slice", self);
        let whole = fixed.div_euclid(swizzle.period()).checked_mul(swizzle.period());
        let whole = whole.filter(|&whole| swizzle.hoists(whole)).unwrap_or(0);
        let rest = fixed.checked_sub(whole).ok_or_else(overflow)?;
        let mask = (swizzle.source_mask() | swizzle.target_mask()).cast_signed();
        let (seen, free) = (rest & mask, rest & !mask);
        if free != 0 && !self.passes(swizzle, seen, free, kept)? {
            return Ok((rest, whole));
        }
        Ok((seen, whole.checked_add(free).ok_or_else(overflow)?))
    }

    /// Whether `S(x + free) = S(x) + free` for all `x = offset + seen + kept(c)`, where `free` has no
    /// bit that the swizzle reads or changes.
    fn passes(&self, swizzle: Swizzle, seen: i64, free: i64, kept: &Layout) -> Result<bool> {
        let Some(start) = self.offset.checked_add(seen) else { return Ok(false) };
        let reach = OffsetBits::new("slice", start, kept)?;
        let leaves = reach.leaves.iter().map(|leaf| leaf.cover);
        if disjoint([reach.constant, free.cast_unsigned()].into_iter().chain(leaves)) {
            return Ok(true);
        }
        Ok(kept.size() <= PASS_LIMIT
            && walk("slice", start, kept)?.all(|at| {
                let after = swizzle.apply(at).checked_add(free);
                after.is_some() && at.checked_add(free).map(|at| swizzle.apply(at)) == after
            }))
    }
}

/// The layout `L` with `S(offset + inner(c)) = S(offset) + L(c)`, of the shape of `inner` with
/// leaves split where they must be.
pub(super) fn fold(swizzle: Swizzle, offset: i64, inner: &Layout) -> Result<Option<Layout>> {
    if swizzle.is_identity() {
        return Ok(Some(inner.clone()));
    }
    let reach = OffsetBits::new("slice", offset, inner)?;
    let folder = Folder { swizzle, offset };
    let bit_by_bit = match reach.basis() {
        // Where two coordinates move the same bit, no layout is the whole: the bits that both
        // move count twice too much when both are set, and these differences do not cancel.
        Some(vectors) => {
            if !disjoint(vectors.iter().map(|&vector| swizzle.spread(vector))) {
                return Ok(None);
            }
            true
        }
        None => {
            reach.is_disjoint()
                && disjoint(reach.leaves.iter().map(|leaf| swizzle.spread(leaf.cover)))
        }
    };
    if !bit_by_bit && inner.size() > WALK_LIMIT {
        return Ok(None);
    }
    let folded = Part::of(inner).replaced(&mut |extent, stride| folder.leaf(extent, stride))?;
    let (false, Some(candidate)) = (bit_by_bit, &folded) else { return Ok(folded) };
    // Bits do not decide; the values do. Leaf by leaf there is one candidate.
    let start = swizzle.apply(offset);
    let mut expected = walk("slice", offset, inner)?.map(|at| swizzle.apply(at));
    let equal = walk("slice", start, candidate)?.all(|at| expected.next() == Some(at));
    Ok(folded.filter(|_| equal))
}

struct Folder {
    swizzle: Swizzle,
    offset: i64,
}

impl Folder {
    /// `S(offset + i * stride) - S(offset)` as a layout in `i`, if it is one.
    fn leaf(&self, extent: i64, stride: i64) -> Result<Option<Layout>> {
        let Some(leaf) = Leaf::new(extent, stride) else {
            return self.unit(extent, stride).map(Some);
        };
        let start = self.swizzle.apply(self.offset);
        let disjoint = leaf.cover & self.offset.cast_unsigned() == 0;
        if disjoint
            && leaf.cover & self.swizzle.source_mask() == 0
            && leaf.cover & start.cast_unsigned() == 0
        {
            return Layout::of_leaves(&[(extent, stride)]).map(Some);
        }
        if let (true, Some(vectors)) = (disjoint, leaf.basis()) {
            if !super::bits::disjoint(vectors.iter().map(|&vector| self.swizzle.spread(vector))) {
                return Ok(None);
            }
            let mut modes = Vec::with_capacity(vectors.len());
            for vector in vectors {
                let at = self.swizzle.apply((self.offset.cast_unsigned() ^ vector).cast_signed());
                modes.push((2, at.checked_sub(start).ok_or_else(|| self.overflow())?));
            }
            return Layout::of_leaves(&modes)?.coalesce().map(Some);
        }
        if extent > WALK_LIMIT {
            return Ok(None);
        }
        let values = walk("slice", self.offset, &Layout::of_leaves(&[(extent, stride)])?)?
            .map(|at| self.swizzle.apply(at).checked_sub(start).ok_or_else(|| self.overflow()))
            .collect::<Result<Vec<_>>>()?;
        Ok(Layout::of_offsets(&values)?.ok())
    }

    /// A leaf that does not move. Its stride says nothing, and CuTe's text is what its composition
    /// with the swizzle, seen as a layout at this offset, makes of it.
    fn unit(&self, extent: i64, stride: i64) -> Result<Layout> {
        let leaf = Layout::of_leaves(&[(extent, stride)])?;
        let swizzle = &self.swizzle;
        // The fields of a swizzle are public, and may pass the limit of `Swizzle::new`.
        if extent > 1 || stride < 0 || swizzle.period() == i64::MAX {
            return Ok(leaf);
        }
        let distance = swizzle.shift.unsigned_abs();
        let Some(gap) = distance.checked_sub(swizzle.bits) else { return Ok(leaf) };
        let low = swizzle.source_mask().min(swizzle.target_mask());
        let high = swizzle.source_mask().max(swizzle.target_mask());
        let offset = self.offset.cast_unsigned();
        // Per bit: what it adds, given that the offset does not have it.
        let bits = |mask: u64| {
            bits(mask).map(move |bit| {
                let (bit, at) = (1_u64 << bit, |word: u64| swizzle.apply(word.cast_signed()));
                (2, at(offset | bit) - at(offset & !bit))
            })
        };
        let mut modes = vec![(1_i64 << swizzle.base, 1)];
        modes.extend(bits(low));
        modes.push((1 << gap, 1 << (swizzle.base + swizzle.bits)));
        modes.extend(bits(high));
        modes.push((1, swizzle.period()));
        let seen = Layout::of_leaves(&modes)?;
        Ok(seen.composition(&leaf).unwrap_or(leaf))
    }

    fn overflow(&self) -> Error {
        Error::overflow("slice", format!("{} at {}", self.swizzle, self.offset))
    }
}

closed! { ComposedLayout {
    slice_and_offset = slice_under(coord: &Coord) -> (AnyLayout, i64);
    fold = fold_under() -> Option<(Layout, i64)>;
} }
