//! Distributing elements over threads.

use crate::layout::prelude::*;
use crate::shape::gcd;

impl Tuple {
    /// The part of a shape that each of `n` threads takes: a layout of size `n`, where possible, into the
    /// indices of the shape, taking from each mode the greatest common divisor of what is left.
    pub fn domain_distribute(&self, n: i64) -> Result<Layout> {
        self.domain_distribute_under(&(), &n)
    }
}

impl<L: Leaf> Nested<L> {
    /// [`Nested::domain_distribute`] under facts.
    ///
    /// # Errors
    ///
    /// `n` or an extent that is not known to be at least 1; an extent and what is left of `n`, neither of
    /// which is known to divide the other, unless both are constant.
    pub fn domain_distribute_under(&self, facts: &L::Facts, n: &L) -> Result<Layout<L>, L::Error> {
        let (operation, one) = ("domain_distribute", L::from(1));
        let site = Site { operation, operands: &|| format!("{self}, {n}") };
        L::require(&site, L::at_least(facts, n, &one), || {
            Error::condition(operation, self, "at least 1 to distribute over", n)
        })?;
        let strides = self.compact_col_major()?;
        let mut rest = n.clone();
        let mut taken: Modes<L> = Modes::new();
        for (extent, stride) in self.values().into_iter().zip(strides.values()) {
            if L::OPEN {
                L::require(&site, L::at_least(facts, extent, &one), || {
                    Error::overflow(operation, n)
                })?;
            }
            let (common, left) = common_divisor(facts, &site, extent, &rest)?;
            rest = left;
            taken.push((common, stride.clone()));
        }
        Layout::of_leaves(&taken)?.coalesce()
    }
}

/// The greatest common divisor of two numbers that are at least 1, and the quotient of the second by
/// it.
fn common_divisor<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    a: &L,
    b: &L,
) -> Result<(L, L), L::Error> {
    if let (Some(x), Some(y)) = (a.constant(), b.constant()) {
        let common = gcd(x, y).max(1);
        return Ok((L::from(common), L::from(y / common)));
    }
    let over = match L::divide(facts, a, b) {
        Ok(_) => return Ok((b.clone(), L::from(1))),
        Err(answer) => answer,
    };
    match L::divide(facts, b, a) {
        Ok(quotient) => Ok((a.clone(), quotient)),
        Err(under) => Err(L::undecided(site, vec![over, under])),
    }
}

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// A layout whose tiles are distributed by a thread-value layout: `((thread, value), rest)`.
    ///
    /// `tv` maps a thread and a value to an index of the tile; `tile` is the shape of a tile, and the
    /// rest counts the tiles.
    pub fn distribute_under(
        &self,
        facts: &L::Facts,
        tile: &Nested<L>,
        tv: &Layout<L>,
    ) -> Result<Layout<L, S>, L::Error> {
        let operation = "distribute";
        let size = tile.product()?;
        let refused = || {
            let expected =
                format!("a layout (thread, value) into the {size} indices of the tile {tile}");
            Error::operand(operation, expected, tv)
        };
        if tv.rank() != 2 {
            return Err(refused().into());
        }
        let reach = tv.cosize_under(facts)?;
        if size.constant().zip(reach.constant()).is_some_and(|(size, reach)| reach > size) {
            return Err(refused().into());
        }
        let site = Site { operation, operands: &|| format!("{self}, {tile}, {tv}") };
        L::require(&site, L::at_least(facts, &size, &reach), refused)?;
        let divided = self.zipped_divide_under(facts, &TilerOf::of_extents(facts, tile)?)?;
        let tiler = TilerOf::Tuple(vec![TilerOf::Layout(tv.clone()), TilerOf::Any]);
        divided.composition_tiler_under(facts, &tiler)
    }
}

closed! { @S Layout<i64, S> {
    distribute = distribute_under(tile: &Tuple, tv: &Layout) -> Layout<i64, S>;
} }
