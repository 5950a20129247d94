//! From outputs back to inputs.

use super::{
    LinearLayout,
    dims::{Dims, coordinate, size_of},
};
use crate::error::{Error, Result};
use alloc::{format, vec::Vec};

impl LinearLayout {
    /// The inverse, with inputs and outputs in each other's places.
    ///
    /// # Errors
    ///
    /// A layout that is no bijection, with two inputs that share an output, or an output that no
    /// input has.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [2,3]} -> {row = 4}>".parse()?;
    /// let inverse = layout.invert()?;
    /// assert_eq!(inverse.to_string(), "linear<{row = [3,1]} -> {lane = 4}>");
    /// assert_eq!(layout.compose(&inverse)?, LinearLayout::identity1d(4, "lane", "lane")?);
    ///
    /// let twice: LinearLayout = "linear<{lane = [1,1]} -> {row = 2}>".parse()?;
    /// assert_eq!(
    ///     twice.invert().unwrap_err().to_string(),
    ///     "invert(linear<{lane = [1,1]} -> {row = 2}>): expected a bijection, found (lane = 0) and \
    ///      (lane = 3) both at (row = 0)"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn invert(&self) -> Result<Self> {
        let refuse = |found| Err(self.refuse("invert", "a bijection", found));
        let matrix = self.matrix();
        if let Some(&same) = matrix.kernel().first() {
            let (zero, other) = (self.ins.show(0), self.ins.show(same));
            return refuse(format!("{zero} and {other} both at {}", self.outs.show(0)));
        }
        if let Some(missed) = self.missed() {
            return refuse(format!("no input at {}", self.outs.show(missed)));
        }
        let inverse = matrix.reduce().pseudo_inverse();
        Ok(Self::from_parts(self.outs.clone(), self.ins.clone(), inverse.columns()))
    }

    /// A pseudo-inverse: `B` with `A(B(y)) = y` for every output `y` of `A`. The input that it chooses is the smallest,
    /// the last dimension compared first.
    ///
    /// Also `A B A = A` and `B A B = B`; of a bijection it is the inverse. Outputs that `A` does not
    /// have go to inputs of others (so call [`is_surjective`](Self::is_surjective) first if that
    /// matters).
    #[must_use]
    pub fn pseudo_invert(&self) -> Self {
        let inverse = self.matrix().reduce().pseudo_inverse();
        Self::from_parts(self.outs.clone(), self.ins.clone(), inverse.columns())
    }

    /// The layout `C` with `outer(C(x)) = self(x)` for all `x`: from where data are to where the
    /// same data are in `outer`.
    ///
    /// Both have the same outputs, in any order. Where several inputs of `outer` hold the element,
    /// `C` goes to the smallest, the last dimension compared first; except that an input dimension
    /// which both have with the same bases stays as it is, if no other input of either moves an output bit that
    /// it moves. So nothing moves across it without need. This is the choice of Triton 3.9.
    ///
    /// # Errors
    ///
    /// Other outputs; an element that this layout has and `outer` has not.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let registers: LinearLayout =
    ///     "linear<{lane = [(0,1),(1,0)], warp = [(0,0)]} -> {row = 2, col = 2}>".parse()?;
    /// let memory: LinearLayout = "linear<{offset = [(1,0),(0,1)]} -> {row = 2, col = 2}>".parse()?;
    /// let stored = registers.invert_and_compose(&memory)?;
    /// assert_eq!(stored.to_string(), "linear<{lane = [2,1], warp = [0]} -> {offset = 4}>");
    /// assert_eq!(stored.compose(&memory)?, registers);
    ///
    /// let half: LinearLayout = "linear<{offset = [(1,0)]} -> {row = 2, col = 2}>".parse()?;
    /// assert_eq!(
    ///     registers.invert_and_compose(&half).unwrap_err().to_string(),
    ///     "invert_and_compose(linear<{offset = [(1,0)]} -> {row = 2, col = 2}>): expected an outer \
    ///      layout that has every element, found none for (0,1), which is at lane = 1"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn invert_and_compose(&self, outer: &Self) -> Result<Self> {
        const OPERATION: &str = "invert_and_compose";
        if !self.outs.same_names(&outer.outs.names().collect::<Vec<_>>()) {
            let expected = format!("layouts with the same outputs {}", self.outs.listed());
            return Err(Error::operand(OPERATION, expected, outer.outs.listed()));
        }
        let repack = |column| self.outs.repack(column, &outer.outs);
        let echelon = outer.matrix().reduce();
        let mut columns = Vec::with_capacity(self.columns.len());
        for (name, span) in self.ins.spans() {
            let here = |column: &u64| repack(*column).unwrap_or(0);
            let own = self.columns_of(name).iter().map(here);
            let mut others =
                self.ins.names().filter(|&other| other != name).fold(0, |bits, other| {
                    self.columns_of(other).iter().map(here).fold(bits, |bits, column| bits | column)
                });
            for other in outer.ins.names().filter(|&other| other != name) {
                others |= outer.columns_of(other).iter().fold(0, |bits, column| bits | column);
            }
            let inside = outer.ins.span(name).filter(|_| {
                own.clone().eq(outer.columns_of(name).iter().copied())
                    && own.fold(0, |bits, column| bits | column) & others == 0
            });
            for (bit, &column) in (0..span.bits).zip(self.columns_of(name)) {
                let solution = match inside {
                    Some(span) => Some(1 << (span.shift + bit)),
                    None => repack(column).and_then(|image| echelon.solve(image)),
                };
                columns.push(solution.ok_or_else(|| {
                    let element = coordinate(&self.outs.unpack(column));
                    let found =
                        format!("none for {element}, which is at {name} = {}", size_of(bit));
                    outer.refuse(OPERATION, "an outer layout that has every element", found)
                })?);
            }
        }
        Ok(Self::from_parts(self.ins.clone(), outer.ins.clone(), columns))
    }

    /// Independent inputs whose sums are all those that go to zero: how to change an input without
    /// changing its output.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [1,3], warp = [2]} -> {row = 4}>".parse()?;
    /// assert_eq!(layout.kernel(), [vec![3, 1]]); // lane 3 of warp 1
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn kernel(&self) -> Vec<Vec<i64>> {
        self.matrix().kernel().into_iter().map(|input| self.ins.unpack(input)).collect()
    }

    /// Dimensions and columns, for the conversions.
    pub(super) fn flat(&self) -> (&Dims, &Dims, &[u64]) {
        (&self.ins, &self.outs, &self.columns)
    }
}
