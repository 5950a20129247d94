//! Right and left inverses of composed layouts: the inverse of the inner layout, and the swizzle as
//! it is seen through that.
//!
//! `S o L` is undone by `L⁻¹ o S`, since the swizzle undoes itself. If `L⁻¹` takes the bits that the
//! swizzle reads and changes to bits again, in a row, then `L⁻¹ o S = S' o L⁻¹` with a swizzle `S'` of
//! those:
//!
//! ```text
//!   S<1,0,2> o 0 o (4,4):(4,1)       S reads bit 2 and changes bit 0
//!   L⁻¹ = (4,4):(4,1)                bit 2 -> bit 0, bit 0 -> bit 2
//!   inverse: S<1,0,-2> o 0 o (4,4):(4,1)
//! ```

use super::{
    AnyLayout, ComposedLayout, Outer, Swizzle,
    bits::{OffsetBits, WALK_LIMIT, reached},
};
use crate::{
    error::{Error, Result},
    layout::{
        Layout,
        evaluate::walk,
        evaluate::{At, admit},
    },
};
use alloc::{borrow::ToOwned, format, string::String, string::ToString, vec::Vec};

impl ComposedLayout {
    /// A layout `R` with `self(R(i)) = i` for `i` below its size.
    ///
    /// The inner layout's right inverse under the swizzle as it is seen through it, shortened to what the swizzle
    /// keeps among itself, or to the indices that come back. Under a layout `A`: `B⁻¹ o -offset o A⁻¹`. Where the
    /// whole is a plain layout whose right inverse is longer, that one.
    ///
    /// # Errors
    ///
    /// Under a swizzle: an offset, since no element may then be at 0; a swizzle that does not undo
    /// itself, unless the whole is a plain layout; a swizzle whose bits the inverse does not keep in a row. Under a layout: an index
    /// that does not come back. More than [`crate::ENUMERATION_LIMIT`] coordinates where bits do
    /// not decide; overflow.
    pub fn right_inverse(&self) -> Result<AnyLayout> {
        let inner = self.inner.right_inverse()?;
        let swizzle = match &self.outer {
            Outer::Layout(outer) => {
                let outside = self.outside(inner, outer.right_inverse()?, "right_inverse")?;
                let indices = 0..outside.inner.size();
                self.came_back("right_inverse", indices, &outside, self)?;
                // The plain layout that the whole may be goes on where a part of it ends.
                if self.offset == 0
                    && outside.inner.size() < self.inner.size()
                    && let Ok(plain) = outer.composition(&self.inner)
                    && let Ok(longer) = plain.right_inverse()
                    && longer.size() > outside.inner.size()
                {
                    return Ok(longer.into());
                }
                return Ok(outside.into());
            }
            Outer::Swizzle(swizzle) => *swizzle,
        };
        if let Some(plain) = self.only_plain(swizzle)? {
            return plain.right_inverse().map(AnyLayout::Plain);
        }
        self.requirements("right_inverse", swizzle)?;
        let kept = kept(swizzle, &inner)?;
        for mask in masks(&kept) {
            if let Some(seen) = seen_through(swizzle, &kept, mask)
                && undoes(swizzle, seen, &kept)?
            {
                let found = seen.before(0, kept).simplified();
                return self.longest_right_inverse(swizzle, &inner, found);
            }
        }
        Err(self.bits_not_kept("right_inverse", &kept))
    }

    /// The longest of a right inverse that was found, that part of the inner inverse that comes back index by index, and
    /// the inverse of the plain layout that the whole may be.
    fn longest_right_inverse(
        &self,
        swizzle: Swizzle,
        inverse: &Layout,
        found: AnyLayout,
    ) -> Result<AnyLayout> {
        let mut longest = found;
        if longest.size() < inverse.size() && inverse.size() <= WALK_LIMIT {
            for mask in masks(inverse) {
                let Some(seen) = seen_through(swizzle, inverse, mask) else { continue };
                let part = prefix_below(inverse, self.coming_back(swizzle, seen, inverse)?)?;
                if part.size() > longest.size() {
                    longest = seen.before(0, part).simplified();
                }
            }
        }
        if longest.size() < self.inner.size()
            && let Ok(Some((plain, 0))) = self.fold()
            && let Ok(inverse) = plain.right_inverse()
            && inverse.size() > longest.size()
        {
            longest = inverse.into();
        }
        Ok(longest)
    }

    /// How many indices from 0 on the inverse of the inner layout, under the swizzle as it is seen through it, takes to
    /// indices of the layout that come back.
    fn coming_back(&self, swizzle: Swizzle, seen: Swizzle, inverse: &Layout) -> Result<i64> {
        let forward = At::new(&self.inner)?;
        let returns = |index: i64, at: i64| {
            let place = seen.apply(at);
            (0..self.inner.size()).contains(&place)
                && forward.offset(place).map(|offset| swizzle.apply(offset)) == Some(index)
        };
        let mut indices = (0_i64..).zip(walk("right_inverse", 0, inverse)?);
        let first_lost = indices.find(|&(index, at)| !returns(index, at));
        Ok(first_lost.map_or(inverse.size(), |(index, _)| index))
    }

    /// A layout `R` with `R(self(i)) = i` for every `i` below the size of `self` whose coordinates in
    /// modes of stride 0 are 0; for the others `self(R(self(i))) = self(i)`.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::left_inverse`](crate::Layout::left_inverse) for the inner layout, and those of
    /// [`ComposedLayout::right_inverse`].
    pub fn left_inverse(&self) -> Result<AnyLayout> {
        let inner = self.inner.left_inverse()?;
        let swizzle = match &self.outer {
            Outer::Layout(outer) => {
                let outside = self.outside(inner, outer.left_inverse()?, "left_inverse")?;
                let indices = walk("left_inverse", 0, &indices(&self.inner)?)?;
                self.came_back("left_inverse", indices, self, &outside)?;
                return Ok(outside.into());
            }
            Outer::Swizzle(swizzle) => *swizzle,
        };
        if let Some(plain) = self.only_plain(swizzle)? {
            return plain.left_inverse().map(AnyLayout::Plain);
        }
        self.requirements("left_inverse", swizzle)?;
        let whole = u64::MAX;
        let active = reached("left_inverse", 0, &self.inner, swizzle.source_mask())?;
        for mask in [whole, active] {
            if let Some(seen) = seen_through(swizzle, &inner, mask)
                && self.is_undone(swizzle, seen, &inner)?
            {
                return Ok(seen.before(0, inner).simplified());
            }
        }
        Err(self.bits_not_kept("left_inverse", &inner))
    }

    /// `inner o -offset o outer`, of two inverses.
    fn outside(&self, inner: Layout, outer: Layout, operation: &'static str) -> Result<Self> {
        let offset = self.offset.checked_neg().ok_or_else(|| Error::overflow(operation, self))?;
        let outside = Self { outer: Outer::Layout(inner), offset, inner: outer };
        // Both inverses are checked index by index.
        drop(walk(operation, offset, &outside.inner)?);
        Ok(outside)
    }

    /// Checks that `back(there(c)) = i` for every coordinate `c` of `there` and the index `i` that
    /// stands for it. Both are composed.
    fn came_back(
        &self,
        operation: &'static str,
        indices: impl Iterator<Item = i64>,
        there: &Self,
        back: &Self,
    ) -> Result<()> {
        let (Outer::Layout(first), Outer::Layout(last)) = (&there.outer, &back.outer) else {
            return Ok(());
        };
        let (first, second, last) = (At::new(first)?, At::new(&back.inner)?, At::new(last)?);
        admit(there.inner.size(), first.modes() + second.modes() + last.modes())?;
        for (index, middle) in indices.zip(walk(operation, there.offset, &there.inner)?) {
            let returned = match first.at(middle)? {
                // An index that an inverse gave, and that is none.
                image if image < 0 => None,
                image => Some(last.at(back.shifted(second.at(image)?)?)?),
            };
            if returned != Some(index) {
                let returned = returned.map_or("none".to_owned(), |index| index.to_string());
                let expected = "inverses that compose, so that each index comes back";
                let found = format!("{returned} for index {index}");
                return Err(Error::condition(operation, self, expected, found));
            }
        }
        Ok(())
    }

    /// The plain layout that it is, for a swizzle that has no swizzle as its inverse.
    fn only_plain(&self, swizzle: Swizzle) -> Result<Option<Layout>> {
        if swizzle.is_identity() {
            return Ok((self.offset == 0).then(|| self.inner.clone()));
        }
        if swizzle.is_involution() || !swizzle.is_bijective() {
            return Ok(None);
        }
        Ok(self.fold()?.and_then(|(plain, offset)| (offset == 0).then_some(plain)))
    }

    fn requirements(&self, operation: &'static str, swizzle: Swizzle) -> Result<()> {
        swizzle.require_bijective(operation)?;
        let condition = |expected: &'static str, found: String| {
            Error::condition(operation, self, expected, found)
        };
        if self.offset != 0 {
            return Err(condition("an offset of 0 under the swizzle", self.offset.to_string()));
        }
        if !swizzle.is_involution() {
            return Err(condition(
                "a swizzle that undoes itself",
                format!("|shift| {} for {} bits", swizzle.shift.unsigned_abs(), swizzle.bits),
            ));
        }
        Ok(())
    }

    fn bits_not_kept(&self, operation: &'static str, inner: &Layout) -> Error {
        let expected = "an inverse of the inner layout that keeps the swizzle's bits in a row";
        Error::condition(operation, self, expected, inner)
    }

    /// Whether `seen(inverse(self(c))) = c` for all `c`.
    fn is_undone(&self, swizzle: Swizzle, seen: Swizzle, inverse: &Layout) -> Result<bool> {
        let ready = At::new(inverse)?;
        // Offsets below 0, or so far that the inverse overflows, have no index.
        let back = |offset: i64| match swizzle.apply(offset) {
            swizzled if swizzled < 0 => None,
            swizzled => ready.offset(swizzled).map(|index| seen.apply(index)),
        };
        let vectors = OffsetBits::new("left_inverse", 0, &self.inner)?.basis();
        if let (Some(vectors), Some(_)) =
            (vectors, OffsetBits::new("left_inverse", 0, inverse)?.basis())
        {
            // All four maps are linear as long as offsets stay below the inverse's size.
            let reached = vectors.iter().fold(0, |all, &v| all | swizzle.apply(v.cast_signed()));
            if reached < inverse.size() {
                for (index, vector) in index_bits(&self.inner).zip(&vectors) {
                    if back(vector.cast_signed()) != Some(index) {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
        }
        admit(self.inner.size(), ready.modes())?;
        let indices = walk("left_inverse", 0, &indices(&self.inner)?)?;
        for (index, offset) in indices.zip(walk("left_inverse", 0, &self.inner)?) {
            if back(offset) != Some(index) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The indices of a layout, with 0 for the coordinates in modes of stride 0.
fn indices(layout: &Layout) -> Result<Layout> {
    let mut below = 1_i64;
    let mut modes = Vec::new();
    for &(extent, stride) in &layout.flat() {
        modes.push((extent, if stride == 0 { 0 } else { below }));
        below = below.saturating_mul(extent);
    }
    Layout::of_leaves(&modes)
}

/// The indices of a layout's basis, in its order. Leaves of stride 0 have none.
fn index_bits(layout: &Layout) -> impl Iterator<Item = i64> {
    let mut below = 1_i64;
    let mut indices = Vec::new();
    for &(extent, stride) in &layout.flat() {
        if stride != 0 && extent > 1 {
            indices.extend((0..extent.trailing_zeros()).map(|bit| below << bit));
        }
        below = below.saturating_mul(extent);
    }
    indices.into_iter()
}

/// The swizzle of the places to which a layout takes the bits of one, of those bits that are read
/// and in the mask.
fn seen_through(swizzle: Swizzle, layout: &Layout, mask: u64) -> Option<Swizzle> {
    let place = |bit: u32| {
        let image = layout.at(1 << bit).ok()?;
        (image > 0 && image.cast_unsigned().is_power_of_two()).then(|| image.trailing_zeros())
    };
    let mut pairs = Vec::new();
    for (source, target) in swizzle.pairs().filter(|&(source, _)| mask & 1 << source != 0) {
        pairs.push((place(source)?, place(target)?));
    }
    pairs.sort_unstable();
    Swizzle::of_pairs(&pairs)
}

/// Whether `seen o inverse = inverse o swizzle` below the inverse's size, which the swizzle keeps.
fn undoes(swizzle: Swizzle, seen: Swizzle, inverse: &Layout) -> Result<bool> {
    let ready = At::new(inverse)?;
    let agrees = |index: i64, at: Option<i64>| {
        at.map(|at| seen.apply(at)) == ready.offset(swizzle.apply(index))
    };
    if OffsetBits::new("right_inverse", 0, inverse)?.basis().is_some() {
        for bit in 0..inverse.size().trailing_zeros() {
            if !agrees(1 << bit, ready.offset(1 << bit)) {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    admit(inverse.size(), ready.modes())?;
    for (index, at) in (0_i64..).zip(walk("right_inverse", 0, inverse)?) {
        if !agrees(index, Some(at)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The bits of offsets that count: all, or those that indices of an inverse have.
fn masks(inverse: &Layout) -> [u64; 2] {
    let whole = u64::MAX;
    let size = inverse.size().cast_unsigned();
    [whole, size.checked_next_power_of_two().map_or(whole, |n| n - 1)]
}

/// The longest layout of the first indices of another, of which there are no more than `count`.
fn prefix_below(layout: &Layout, count: i64) -> Result<Layout> {
    let (mut modes, mut left) = (Vec::new(), count);
    for &(extent, stride) in &layout.flat() {
        let length = left.min(extent);
        if length > 1 {
            modes.push((length, stride));
        }
        left /= extent;
        if left <= 1 {
            break;
        }
    }
    if modes.is_empty() {
        modes.push((1, 0));
    }
    Layout::of_leaves(&modes)
}

/// The longest part of a right inverse that is found such that the swizzle maps the indices below
/// its size to themselves.
fn kept(swizzle: Swizzle, inverse: &Layout) -> Result<Layout> {
    let size = inverse.size();
    if keeps(swizzle, size) {
        return Ok(inverse.clone());
    }
    // Below the base nothing moves; whole periods are kept.
    let below_base = 1_i64 << swizzle.base.min(Swizzle::BIT_LIMIT);
    let candidates = [size - size % swizzle.period(), below_base];
    let mut best = Layout::of_leaves(&[(1, 0)])?;
    for candidate in candidates {
        if candidate > best.size()
            && keeps(swizzle, candidate)
            && let Some(part) = prefix(inverse, candidate)?
        {
            best = part;
        }
    }
    Ok(best)
}

/// Whether a swizzle is known to map `0 .. size` to itself: it moves nothing there, or only within
/// aligned groups of which there is a whole number.
fn keeps(swizzle: Swizzle, size: i64) -> bool {
    swizzle.pairs().all(|(source, target)| size <= 1 << source || size % (1 << (target + 1)) == 0)
}

/// The first `size` indices of a layout, if they are a layout's.
fn prefix(layout: &Layout, size: i64) -> Result<Option<Layout>> {
    let mut modes = Vec::new();
    let mut left = size;
    for &(extent, stride) in &layout.flat() {
        if left <= extent {
            modes.push((left, stride));
            return Layout::of_leaves(&modes).map(Some);
        }
        if left % extent != 0 {
            return Ok(None);
        }
        modes.push((extent, stride));
        left /= extent;
    }
    Ok(None)
}
