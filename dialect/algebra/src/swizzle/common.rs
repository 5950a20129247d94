//! The elements that a copy moves at once between layouts of which one is swizzled.

use super::{AnyLayout, ComposedLayout, Outer, Swizzle, Swizzles, bits::WALK_LIMIT};
use crate::{
    error::{Error, Result},
    integer::{Site, Verdict},
    layout::{
        Layout,
        common::{Common, alignment_under},
        leaf::Leaf,
    },
};
use alloc::{borrow::Cow, format, vec};

impl Swizzle {
    /// How far it keeps vectors aligned: it moves blocks of `2^base` elements as a whole.
    pub fn max_alignment(&self) -> i64 {
        1_i64.checked_shl(self.base).filter(|&block| block > 0).unwrap_or(i64::MAX)
    }

    /// How many offsets from the image of `offset` on are images of `offset .. offset + length`; where they are very
    /// many, some of them are counted.
    fn run_from(&self, offset: i64, length: i64) -> i64 {
        let (start, period) = (self.apply(offset), self.period());
        let end = offset.saturating_add(length);
        let leaves = |from: i64, to: i64| {
            let to = to.min(from.saturating_add(WALK_LIMIT));
            let inside = |at: i64| self.unapply(at).is_ok_and(|at| (offset..end).contains(&at));
            (from..to).find(|&at| !inside(at)).unwrap_or(to)
        };
        // Whole periods are images of themselves.
        let ahead = (period - offset.rem_euclid(period)) % period;
        let first = offset.saturating_add(ahead);
        let last = end.saturating_sub(end.rem_euclid(period));
        let from = if first < last {
            match leaves(start, first) {
                at if at == first => last,
                at => return at.saturating_sub(start),
            }
        } else {
            start
        };
        leaves(from, i64::MAX).saturating_sub(start)
    }
}

impl<L: Swizzles + Common> AnyLayout<L> {
    /// [`Layout::max_common_vector`](crate::Layout::max_common_vector) of the layouts inside; under different
    /// swizzles or offsets, no more than each keeps together, as in [`max_alignment`](crate::Op::MaxAlignment): `2^base`
    /// elements, or fewer where the offset is no multiple of them.
    ///
    /// # Errors
    ///
    /// As there; a layout after another that are not one. Under facts also offsets that are not known to be equal under
    /// one swizzle, or of which it is not known what they have in common with its blocks.
    pub fn max_common_vector_under(&self, facts: &L::Facts, b: &Self) -> Result<L, L::Error> {
        const OPERATION: &str = "max_common_vector";
        let site = Site { operation: OPERATION, operands: &|| format!("{self}, {b}") };
        let (first, second) = (self.swizzled(facts)?, b.swizzled(facts)?);
        let vector = first.inner.max_common_vector_under(facts, &second.inner)?;
        let swizzle = first.swizzle;
        if !swizzle.is_identity() && swizzle == second.swizzle && swizzle.is_bijective() {
            let alike = L::equal(facts, &first.offset, &second.offset);
            if alike.is_yes() {
                return run_under(facts, &site, swizzle, &first.offset, vector);
            }
            if !alike.is_no() {
                return Err(L::undecided(&site, vec![alike]));
            }
        }
        [first, second].iter().try_fold(vector, |vector, side| match side.block(facts, &site)? {
            Some(block) => {
                L::lesser(facts, &vector, &block).map_err(|lost| L::lost(lost, OPERATION, self))
            }
            None => Ok(vector),
        })
    }

    /// The coordinates of the elements that [`AnyLayout::max_common_vector_under`] counts, of layouts of which one is
    /// plain.
    ///
    /// # Errors
    ///
    /// As there; two swizzled layouts. Under facts also a count of which it is not known whether it is that of the
    /// layouts inside.
    pub fn max_common_layout_under(
        &self,
        facts: &L::Facts,
        b: &Self,
    ) -> Result<Layout<L>, L::Error> {
        const OPERATION: &str = "max_common_layout";
        let site = Site { operation: OPERATION, operands: &|| format!("{self}, {b}") };
        let (first, second) = (self.swizzled(facts)?, b.swizzled(facts)?);
        let (common, swizzled) = match [&first, &second].map(|side| side.swizzle.is_identity()) {
            [_, true] => (first.inner.max_common_layout_under(facts, &second.inner)?, first),
            [true, _] => (second.inner.max_common_layout_under(facts, &first.inner)?, second),
            _ => {
                let expected = "a plain layout beside a swizzled one";
                return Err(Error::operand(OPERATION, expected, self).into());
            }
        };
        let Some(block) = swizzled.block(facts, &site)? else { return Ok(common) };
        let size = common.total().map_err(|lost| L::lost(lost, OPERATION, &common))?;
        let whole = L::at_least(facts, &block, &size);
        if whole.is_yes() {
            return Ok(common);
        }
        let part = L::at_least(facts, &size, &block);
        if !part.is_yes() {
            return Err(L::undecided(&site, vec![whole, part]));
        }
        common.composition_under(facts, &Layout::of_leaves(&[(block, L::from(1))])?)
    }

    /// The parts of a plain layout, or of one under a swizzle.
    fn swizzled(&self, facts: &L::Facts) -> Result<Side<'_, L>, L::Error> {
        let plain = |inner| Side { swizzle: Swizzle::identity(), offset: L::from(0), inner };
        match self {
            Self::Plain(layout) => Ok(plain(Cow::Borrowed(layout))),
            Self::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), offset, inner }) => {
                let (offset, inner) = (offset.clone(), Cow::Borrowed(inner));
                Ok(Side { swizzle: *swizzle, offset, inner })
            }
            Self::Composed(composed) => composed.plain(facts).map(|whole| plain(Cow::Owned(whole))),
        }
    }
}

/// A layout under a swizzle; a plain one is under the identity.
struct Side<'l, L: Leaf> {
    swizzle: Swizzle,
    offset: L,
    inner: Cow<'l, Layout<L>>,
}

impl<L: Leaf> Side<'_, L> {
    /// The elements from the offset on that the swizzle moves together, wherever a vector of so many starts; None for all.
    fn block(&self, facts: &L::Facts, site: &Site<'_>) -> Result<Option<L>, L::Error> {
        if self.swizzle.is_identity() {
            return Ok(None);
        }
        let block = L::from(self.swizzle.max_alignment());
        alignment_under(facts, site, block, &(L::from(2), self.offset.clone())).map(Some)
    }
}

/// [`Swizzle::run_from`] under facts: integers, or whole periods.
fn run_under<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    swizzle: Swizzle,
    offset: &L,
    vector: L,
) -> Result<L, L::Error> {
    if let (Some(offset), Some(vector)) = (offset.constant(), vector.constant()) {
        return Ok(L::from(swizzle.run_from(offset, vector)));
    }
    let period = L::from(swizzle.period());
    for part in [offset, &vector] {
        if let Err(answer) = L::divide(facts, part, &period) {
            return Err(L::undecided(site, vec![answer]));
        }
    }
    Ok(vector)
}

closed! { AnyLayout {
    max_common_vector = max_common_vector_under(b: &AnyLayout) -> i64;
    max_common_layout = max_common_layout_under(b: &AnyLayout) -> Layout;
} }
