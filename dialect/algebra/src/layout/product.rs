//! Products: a layout repeated by another.

use crate::{
    error::{Error, Result},
    integer::{Site, Verdict},
    layout::{
        Layout,
        composition::composition_within,
        evaluate::Budget,
        leaf::Leaf,
        modal::{TrailingModes, by_mode, gathered, padded, unpack_all, unpack_rests, zip_product},
        stride::Stride,
        tiler::{Tiler, TilerOf},
    },
    place::WithPlace,
    tuple::{Nested, Tuple},
};
use alloc::{format, string::String, vec};

impl<L: Leaf> Layout<L> {
    /// The layout repeated by a tiler: `(A, complement(A, size A * cosize B) o B)`.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::complement`](crate::Layout::complement) and [`Layout::composition`](crate::Layout::composition). Under facts:
    /// those of [`Layout::complement_under`], [`Layout::composition_under`](crate::Layout::composition_under) and
    /// [`Layout::cosize_under`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("logical_product((2,2):(4,1), 6:1)"), "((2,2),(2,3)):((4,1),(2,8))");
    /// ```
    ///
    /// ```
    /// use layout_algebra::{Layout, TilerOf, Expr};
    /// let (block, mut facts) = Layout::<Expr>::parse("(M,8):(1,M)")?;
    /// let times = Layout::<Expr>::parse_with("(N,2):(2,1)", &mut facts)?;
    /// let product = block.logical_product_under(&facts, &TilerOf::Layout(times))?;
    /// assert_eq!(product.to_string(), "((M,8),(N,2)):((1,M),(16*M,8*M))");
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn logical_product_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L>, L::Error> {
        let mut budget = Budget::new();
        by_mode("logical_product", TrailingModes::Kept, self, tiler, &mut |mode, times| {
            let cosize = times.cosize_under(facts)?;
            let extent = mode.total().and_then(|size| size.times(&cosize)).map_err(|lost| {
                L::lost(lost, "logical_product", format_args!("({mode}, {times})"))
            })?;
            let free = mode
                .complement_under(facts, &Nested::Leaf(extent))
                .map_err(|error| error.about(0))?;
            goes_on(facts, &|| format!("{mode}, {times}"), &free, &cosize)?;
            Layout::of_two([mode.clone(), composition_within(facts, &free, times, &mut budget)?])
        })
    }

    /// [`Layout::logical_product`] by mode, gathered as [`crate::Layout::zipped_divide`] gathers.
    ///
    /// # Errors
    ///
    /// As [`Layout::logical_product`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("zipped_product((2,5):(5,1), <3:5, 4:6>)"), "((2,5),(3,4)):((5,1),(10,30))");
    /// ```
    pub fn zipped_product_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L>, L::Error> {
        gathered(self.logical_product_under(facts, tiler)?, tiler)
    }

    /// [`Layout::zipped_product`] with the repetitions as modes of their own.
    ///
    /// # Errors
    ///
    /// As [`Layout::logical_product`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("tiled_product((2,5):(5,1), <3:5, 4:6>)"), "((2,5),3,4):((5,1),10,30)");
    /// ```
    pub fn tiled_product_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L>, L::Error> {
        unpack_rests(&self.zipped_product_under(facts, tiler)?)
    }

    /// [`Layout::zipped_product`] with all modes at the top.
    ///
    /// # Errors
    ///
    /// As [`Layout::logical_product`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("flat_product((2,5):(5,1), <3:5, 4:6>)"), "(2,5,3,4):(5,1,10,30)");
    /// ```
    pub fn flat_product_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L>, L::Error> {
        unpack_all(&self.zipped_product_under(facts, tiler)?)
    }

    /// Blocks side by side, mode by mode: `((block 0, times 0), (block 1, times 1), …)`.
    ///
    /// # Errors
    ///
    /// As [`Layout::logical_product`].
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// let (block, times): (Layout, Layout) = ("2:2".parse()?, "4:1".parse()?);
    /// // Every other block fills the gap of the one before: the places are two modes, and stay one.
    /// assert_eq!(block.blocked_product(&times)?.to_string(), "((2,(2,2))):((2,(1,4)))");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn blocked_product_under(
        &self,
        facts: &L::Facts,
        times: &Layout<L>,
    ) -> Result<Layout<L>, L::Error> {
        interleaved(facts, self, times, |block, times| [block, times])
    }

    /// Blocks interleaved, mode by mode: `((times 0, block 0), (times 1, block 1), …)`.
    ///
    /// # Errors
    ///
    /// As [`Layout::logical_product`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("raked_product((2,5):(5,1), (3,4):(1,3))"), "((3,2),(4,5)):((10,5),(30,1))");
    /// ```
    pub fn raked_product_under(
        &self,
        facts: &L::Facts,
        times: &Layout<L>,
    ) -> Result<Layout<L>, L::Error> {
        interleaved(facts, self, times, |block, times| [times, block])
    }

    /// The block repeated until it covers a shape, in column-major order or in the order given: smaller
    /// numbers run faster. The sizes of the modes are those of the shape, rounded up to multiples of the block's.
    ///
    /// # Errors
    ///
    /// A shape of lower rank than the block; an extent below 1, or under facts one that is not known to be at
    /// least 0; those of [`Layout::logical_product`], and under facts of [`Layout::logical_product_under`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("tile_to_shape((2,2):(2,1), (4,6))"), "((2,2),(2,3)):((2,4),(1,8))");
    /// assert_eq!(answer("tile_to_shape((2,2):(2,1), (4,6), (1,0))"), "((2,2),(2,3)):((2,12),(1,4))");
    /// assert_eq!(answer("tile_to_shape((2,2):(2,1), (3,6))"), "((2,2),(2,3)):((2,4),(1,8))");
    /// assert_eq!(
    ///     answer("tile_to_shape((8,64):(64,1), (M,100))"),
    ///     "((8,ceil_div(M,8)),(64,2)):((64,512),(1,512*ceil_div(M,8)))",
    /// );
    /// ```
    pub fn tile_to_shape_under(
        &self,
        facts: &L::Facts,
        shape: &Nested<L>,
        order: Option<&Tuple>,
    ) -> Result<Layout<L>, L::Error> {
        let (block, times) = tiles_of(self, facts, shape, order, &Layout::one())?;
        block.blocked_product_under(facts, &times)
    }
}

/// A block and its repetitions.
type Tiles<L, S> = (Layout<L, S>, Layout<L>);

/// A block padded to the rank of a shape, and the layout of how often it is repeated to cover that.
pub(crate) fn tiles_of<L: Leaf, S: Stride<L>>(
    block: &Layout<L, S>,
    facts: &L::Facts,
    shape: &Nested<L>,
    order: Option<&Tuple>,
    one: &Layout<L, S>,
) -> Result<Tiles<L, S>, L::Error> {
    let rank = shape.rank();
    if rank < block.rank() {
        let expected = format!("a shape of at least rank {} for {block}", block.rank());
        return Err(Error::operand("tile_to_shape", expected, shape).into());
    }
    let block = padded(block, rank, one)?;
    let extents = match shape {
        Nested::Leaf(_) => Nested::Leaf(block.shape().product()?),
        Nested::Node(_) => block.shape().product_each()?,
    };
    let times = shape.product_each()?.ceil_div_under(facts, &extents)?;
    let order = order
        .cloned()
        .unwrap_or_else(|| Tuple::Node((0_i64..).take(rank).map(Tuple::Leaf).collect()));
    Ok((block, times.make_ordered_layout_under(facts, &order)?))
}

/// Refuses a complement that may be too short for the repetitions: past its size its last mode goes
/// on, and at values at which that has one entry it is another mode.
pub(crate) fn goes_on<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    operands: &dyn Fn() -> String,
    free: &Layout<L, S>,
    cosize: &L,
) -> Result<(), L::Error> {
    let Some((extent, _)) = free.leaves().pop().filter(|mode| mode.0.constant().is_none()) else {
        return Ok(());
    };
    let site = Site { operation: "logical_product", operands };
    let size = free.total().map_err(|lost| L::lost(lost, site.operation, free))?;
    let enough = L::at_least(facts, &size, cosize);
    let longer = L::at_least(facts, &extent, &L::from(2));
    if enough.is_yes() || longer.is_yes() {
        return Ok(());
    }
    Err(L::undecided(&site, vec![enough, longer]))
}

fn interleaved<L: Leaf>(
    facts: &L::Facts,
    block: &Layout<L>,
    times: &Layout<L>,
    order: impl Fn(Layout<L>, Layout<L>) -> [Layout<L>; 2],
) -> Result<Layout<L>, L::Error> {
    zip_product(block, times, &Layout::one(), order, |block, times| {
        block.logical_product_under(facts, &TilerOf::Layout(times))
    })
}

closed! { Layout {
    logical_product = logical_product_under(tiler: &Tiler) -> Layout;
    zipped_product = zipped_product_under(tiler: &Tiler) -> Layout;
    tiled_product = tiled_product_under(tiler: &Tiler) -> Layout;
    flat_product = flat_product_under(tiler: &Tiler) -> Layout;
    blocked_product = blocked_product_under(times: &Layout) -> Layout;
    raked_product = raked_product_under(times: &Layout) -> Layout;
    tile_to_shape = tile_to_shape_under(shape: &Tuple, order: Option<&Tuple>) -> Layout;
} }
