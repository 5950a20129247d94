//! Fixing coordinates: slice keeps the modes written `_`, dice the others.

use crate::{
    error::Result,
    layout::{
        Layout,
        leaf::Leaf,
        modal::{Part, side_by_side, walk},
        stride::Stride,
    },
    tuple::{Coord, CoordOf},
};
use alloc::vec::Vec;

/// The kept modes, and the offset of the fixed ones.
pub type Sliced<L, S> = (Layout<L, S>, <S as Stride<L>>::Offset);

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// The modes that a coordinate leaves of a layout, and the offset of those that it fixes.
    ///
    /// The kept modes are side by side, whatever they were nested in; a coordinate that fixes all
    /// leaves `():()`.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow. Under facts: a coordinate that does not fit; those of
    /// [`Layout::crd2idx_under`].
    ///
    /// ```
    /// use layout_algebra::{Coord, Layout};
    /// let layout: Layout = "(4,(2,4)):(2,(1,8))".parse()?;
    /// let coord = Coord::Tuple(vec![Coord::At(3), Coord::Any]);
    /// let (kept, offset) = layout.slice(&coord)?;
    /// assert_eq!((kept.to_string(), offset), ("((2,4)):((1,8))".to_owned(), 6));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    ///
    /// ```
    /// use layout_algebra::{CoordOf, Layout, Expr};
    /// let (layout, mut facts) = Layout::<Expr>::parse("((128,M),K):((K,128*K),1)")?;
    /// let block = facts.declare("block{range=0..}")?;
    /// let rows = CoordOf::Tuple(vec![CoordOf::Any, CoordOf::At(block)]);
    /// let (tile, offset) =
    ///     layout.slice_under(&facts, &CoordOf::Tuple(vec![rows, CoordOf::Any]))?;
    /// assert_eq!((tile.to_string(), offset.to_string()), ("(128,K):(K,1)".into(), "128*K*block".into()));
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
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
    ///
    /// # Errors
    ///
    /// As [`Layout::slice`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("dice((3,_), (4,(2,4)):(2,(1,8)))"), "(4):(2)");
    /// ```
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
