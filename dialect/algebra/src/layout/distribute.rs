//! Distributing elements over threads.

use crate::{
    error::{Error, Result},
    integer::Site,
    layout::{Layout, Modes, leaf::Leaf, stride::Stride, tiler::TilerOf},
    shape::gcd,
    tuple::{Nested, Tuple},
};
use alloc::{format, vec};

impl Tuple {
    /// The part of a shape that each of `n` threads takes: a layout of size `n`, where possible, into the
    /// indices of the shape, taking from each mode the greatest common divisor of what is left.
    ///
    /// # Errors
    ///
    /// `n` below 1; overflow.
    ///
    /// ```
    /// use layout_algebra::Tuple;
    /// let shape: Tuple = "(3,5,2)".parse()?;
    /// assert_eq!(shape.domain_distribute(6)?.to_string(), "(3,2):(1,15)");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
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
    ///
    /// ```
    /// use layout_algebra::answer;
    /// assert_eq!(answer("domain_distribute((4,M{div=32 range=32..}), 128)"), "128:1");
    /// assert_eq!(
    ///     answer("domain_distribute((4,M{range=1..}), 128)"),
    ///     "domain_distribute((4,M), 128): needs \"32 divides M\", which is not known; add the fact M{div=32}",
    /// );
    /// ```
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
    ///
    /// # Errors
    ///
    /// A thread-value layout that is no pair or leaves the tile; those of
    /// [`Layout::zipped_divide`](crate::Layout::zipped_divide) and [`Layout::composition_tiler`](crate::Layout::composition_tiler). Under
    /// facts: a thread-value layout that is no pair or is not known to stay in the tile; those of
    /// [`Layout::zipped_divide_under`] and [`Layout::composition_tiler_under`].
    ///
    /// ```
    /// use layout_algebra::{Layout, Tuple};
    /// let layout: Layout = "(16,16):(16,1)".parse()?;
    /// // Four threads of four values over tiles of four rows by four columns: a row for each thread.
    /// let tv: Layout = "(4,4):(1,4)".parse()?;
    /// let parts = layout.distribute(&"(4,4)".parse()?, &tv)?;
    /// assert_eq!(parts.to_string(), "((4,4),(4,4)):((16,1),(64,4))");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    ///
    /// ```
    /// use layout_algebra::{Layout, Nested, Expr};
    /// let (layout, mut facts) = Layout::<Expr>::parse("(M{div=4},N{div=4}):(N,1)")?;
    /// let tv = Layout::<Expr>::parse_with("(4,4):(1,4)", &mut facts)?;
    /// let tile = Nested::<Expr>::from(&"(4,4)".parse()?);
    /// let parts = layout.distribute_under(&facts, &tile, &tv)?;
    /// assert_eq!(parts.to_string(), "((4,4),(M/4,N/4)):((N,1),(4*N,4))");
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
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
