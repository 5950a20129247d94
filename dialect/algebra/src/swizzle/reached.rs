//! The coordinates that a composed coordinate layout reaches: by its values, one by one.

use super::{AnyLayout, ComposedCoordinates, ComposedLayout, Outer};
use crate::{
    error::{Error, Result},
    layout::evaluate::{At, admit},
    tuple::Tuple,
};
use alloc::{format, string::ToString, vec::Vec};

impl ComposedCoordinates {
    /// The numbers of the coordinate at each index, in order.
    fn coordinates(&self, operation: &'static str) -> Result<Vec<Vec<i64>>> {
        let parts = self.outer.components();
        let parts: Vec<_> = parts.iter().map(|(_, part)| At::new(part)).collect::<Result<_>>()?;
        let size = self.inner.size();
        // A coordinate that is kept takes as long as some divisions.
        admit(size, parts.iter().map(|part| part.modes() + 15).sum())?;
        let at = |index: i64| {
            let overflow = || Error::overflow(operation, self);
            let inside = self.inner.at(index)?.checked_add(self.offset).ok_or_else(overflow)?;
            parts.iter().map(|part| part.at(inside)).collect()
        };
        (0..size).map(at).collect()
    }

    /// The least shape that holds every coordinate that is reached.
    ///
    /// # Errors
    ///
    /// More than [`crate::ENUMERATION_LIMIT`] evaluations; overflow.
    pub fn coshape(&self) -> Result<Tuple> {
        let coordinates = self.coordinates("coshape")?;
        let mut part = 0..;
        self.outer.zero().try_map(&mut |_| {
            let part = part.next().unwrap_or(0);
            let greatest = coordinates.iter().map(|numbers| numbers[part]).max().unwrap_or(0);
            greatest.max(0).checked_add(1).ok_or_else(|| Error::overflow("coshape", self))
        })
    }

    /// Whether no coordinate is reached twice.
    pub fn is_injective(&self) -> Result<bool> {
        Ok(self.distinct("is_injective")?.len() == usize::try_from(self.inner.size()).unwrap_or(0))
    }

    /// Whether every coordinate of the coshape is reached, and none outside of it.
    pub fn is_surjective(&self) -> Result<bool> {
        let distinct = self.distinct("is_surjective")?;
        let within = distinct.iter().flatten().all(|&number| number >= 0);
        let all = self.coshape()?.product().ok().and_then(|size| usize::try_from(size).ok());
        Ok(within && all == Some(distinct.len()))
    }

    fn distinct(&self, operation: &'static str) -> Result<Vec<Vec<i64>>> {
        let mut coordinates = self.coordinates(operation)?;
        coordinates.sort_unstable();
        coordinates.dedup();
        Ok(coordinates)
    }

    /// A layout `R` that takes coordinates to indices, with `self(R(c)) = c`: the inverse of the outer layout, and after the
    /// offset that of the inner one.
    ///
    /// # Errors
    ///
    /// A coordinate of its shape that does not come back; an offset under a swizzle; those of the inverses; as
    /// [`ComposedCoordinates::coshape`].
    pub fn right_inverse(&self) -> Result<AnyLayout> {
        let operation = "right_inverse";
        let outer = self.outer.right_inverse_under(&())?;
        let (shape, size) = (outer.shape().clone(), outer.size());
        let inner = match &self.inner {
            AnyLayout::Plain(inner) => inner.right_inverse()?.into(),
            AnyLayout::Composed(inner) => inner.right_inverse()?,
        };
        let back = self.after(operation, &inner, outer.into())?;
        let coordinates = self.coordinates(operation)?;
        for index in 0..size {
            let place = back.at(index).ok().and_then(|place| usize::try_from(place).ok());
            let found = place.and_then(|place| coordinates.get(place));
            let mut rest = index;
            let mut expected = self.outer.zero().paths().into_iter().map(|path| {
                let extent = shape.part(&path).map_or(Ok(1), Tuple::product)?;
                let number = rest % extent;
                rest /= extent;
                Ok(number)
            });
            if found.cloned() != Some(expected.by_ref().collect::<Result<_>>()?) {
                return Err(self.lost(operation, &format!("none for coordinate {index}")));
            }
        }
        Ok(back)
    }

    /// A layout `R` that takes coordinates to indices, with `R(self(i)) = i` where no other index has the same coordinate.
    pub fn left_inverse(&self) -> Result<AnyLayout> {
        let operation = "left_inverse";
        let outer = self.outer.left_inverse_under(&())?;
        let inner = match &self.inner {
            AnyLayout::Plain(inner) => inner.left_inverse()?.into(),
            AnyLayout::Composed(inner) => inner.left_inverse()?,
        };
        let back = self.after(operation, &inner, outer.into())?;
        let coordinates = self.coordinates(operation)?;
        for (index, numbers) in coordinates.iter().enumerate() {
            let mut numbers_left = numbers.iter();
            let coord = self.outer.zero().map(&mut |_| numbers_left.next().copied().unwrap_or(0));
            let place = back.crd2idx(&coord).ok().and_then(|place| usize::try_from(place).ok());
            if place.and_then(|place| coordinates.get(place)) != Some(numbers) {
                return Err(self.lost(operation, &format!("none for index {index}")));
            }
        }
        Ok(back)
    }

    /// `inner o -offset o outer`, of the inverses of both.
    fn after(
        &self,
        operation: &'static str,
        inner: &AnyLayout,
        outer: AnyLayout,
    ) -> Result<AnyLayout> {
        match (inner, outer) {
            (AnyLayout::Plain(inner), AnyLayout::Plain(outer)) if self.offset != 0 => {
                let offset = self.offset.checked_neg();
                let offset = offset.ok_or_else(|| Error::overflow(operation, self))?;
                let (inner, outer) = (outer, Outer::Layout(inner.clone()));
                Ok(AnyLayout::Composed(ComposedLayout { outer, offset, inner }))
            }
            (inner, outer) if self.offset == 0 => inner.composition(&outer),
            _ => Err(Error::condition(
                operation,
                self,
                "an offset of 0 before the swizzle",
                self.offset,
            )),
        }
    }

    fn lost(&self, operation: &'static str, found: &str) -> Error {
        let expected = "inverses that compose, so that each index comes back";
        Error::condition(operation, self.to_string(), expected, found)
    }
}
