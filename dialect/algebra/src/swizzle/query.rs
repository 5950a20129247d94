//! Whether layouts, plain or composed, are one-to-one and onto.

use super::{AnyLayout, ComposedLayout, Outer};
use crate::{
    error::{Error, Result},
    layout::{
        evaluate::{Offsets, admit},
        injective,
    },
    swizzle::Outside,
};
use alloc::{vec, vec::Vec};

impl AnyLayout {
    /// Whether different coordinates have different offsets.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::is_injective`](crate::Layout::is_injective). Under a layout, or a swizzle that clears bits:
    /// more than half of [`ENUMERATION_LIMIT`](crate::ENUMERATION_LIMIT) coordinates.
    pub fn is_injective(&self) -> Result<bool> {
        match self {
            Self::Plain(layout) => layout.is_injective(),
            // A one-to-one function keeps different offsets different.
            Self::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), inner, .. })
                if swizzle.is_bijective() =>
            {
                inner.is_injective()
            }
            Self::Composed(composed) => {
                let Image { offsets, least, greatest } = composed.image("is_injective")?;
                injective::distinct(&offsets, least, greatest)
            }
        }
    }

    /// Whether every offset from 0 to the greatest is reached; where some are negative, from the
    /// least.
    ///
    /// # Errors
    ///
    /// Overflow; under a swizzle or a layout, more than half of
    /// [`ENUMERATION_LIMIT`](crate::ENUMERATION_LIMIT) coordinates.
    pub fn is_surjective(&self) -> Result<bool> {
        let composed = match self {
            Self::Plain(layout) => return layout.is_surjective(),
            Self::Composed(composed) => composed,
        };
        Ok(composed.image("is_surjective")?.fills())
    }

    /// Whether the layout only permutes `0 .. size`.
    pub fn is_bijective(&self) -> Result<bool> {
        match self {
            Self::Plain(layout) => layout.is_bijective(),
            Self::Composed(composed) => {
                let image = composed.image("is_bijective")?;
                let last = composed.inner.size() - 1;
                Ok((image.least, image.greatest) == (0, last) && image.fills())
            }
        }
    }
}

/// The offset of each coordinate, and the bounds of all.
struct Image {
    offsets: Vec<i64>,
    least: i64,
    greatest: i64,
}

impl Image {
    /// Whether no offset is left out from 0, or from the least one below 0, to the greatest.
    fn fills(&self) -> bool {
        let span = usize::try_from(self.greatest.abs_diff(self.least.min(0)));
        let Some(span) = span.ok().filter(|&span| self.least <= 0 && span < self.offsets.len())
        else {
            return false;
        };
        let mut reached = vec![false; span + 1];
        for offset in &self.offsets {
            let place = usize::try_from(offset.abs_diff(self.least)).ok();
            if let Some(place) = place.and_then(|place| reached.get_mut(place)) {
                *place = true;
            }
        }
        reached.into_iter().all(|reached| reached)
    }
}

impl ComposedLayout {
    fn image(&self, operation: &'static str) -> Result<Image> {
        let outside = Outside::of(self)?;
        // An offset that is kept and looked up takes as long as some divisions.
        admit(self.inner.size(), outside.modes().saturating_add(15))?;
        let (mut least, mut greatest) = (i64::MAX, i64::MIN);
        let offsets = Offsets::of(&self.inner).map(|offset| {
            let offset = outside.at(offset.ok_or_else(|| Error::overflow(operation, self))?)?;
            (least, greatest) = (least.min(offset), greatest.max(offset));
            Ok(offset)
        });
        let offsets = offsets.collect::<Result<_>>()?;
        Ok(Image { offsets, least, greatest })
    }
}
