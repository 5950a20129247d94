//! Fixing coordinates: slice keeps the modes written `_`, dice the others.

use crate::layout::prelude::*;
use crate::{
    layout::modal::{Part, side_by_side, walk},
    tuple::{Coord, CoordOf},
};

/// The kept modes, and the offset of the fixed ones.
pub type Sliced<L, S> = (Layout<L, S>, <S as Stride<L>>::Offset);

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// The modes that a coordinate leaves of a layout, and the offset of those that it fixes.
    ///
    /// The kept modes are side by side, whatever they were nested in; a coordinate that fixes all
    /// leaves `():()`.
    pub fn slice_under(
        &self,
        facts: &L::Facts,
        coord: &CoordOf<L>,
    ) -> Result<Sliced<L, S>, L::Error> {
        let mut fixed = S::origin(self.codomain());
        if *coord == CoordOf::Any {
            return Ok((self.clone(), fixed));
        }
        let mut kept = Vec::new();
        walk(coord, Part::of(self), &mut |index, part| {
            match index {
                None => kept.push(part.to_layout()),
                Some(index) => {
                    let (codomain, shape, stride) = (self.codomain(), part.shape(), part.stride());
                    let offset = S::place(facts, codomain, shape, stride, index)?;
                    S::add(&mut fixed, offset).map_err(|lost| L::lost(lost, "slice", self))?;
                }
            }
            Ok(())
        })?;
        Ok((side_by_side(kept, self.codomain())?, fixed))
    }

    /// The modes that a coordinate fixes.
    pub fn dice(&self, coord: &CoordOf<L>) -> Result<Layout<L, S>, L::Error> {
        if let CoordOf::At(_) = coord {
            return Ok(self.clone());
        }
        let mut fixed = Vec::new();
        walk(coord, Part::of(self), &mut |index, part| {
            fixed.extend(index.map(|_| part.to_layout()));
            Ok(())
        })?;
        side_by_side(fixed, self.codomain())
    }
}

closed! { Layout {
    slice = slice_under(coord: &Coord) -> (Layout, i64);
} }
