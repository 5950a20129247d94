//! Products: a layout repeated by another.

use crate::layout::prelude::*;
use crate::{
    layout::{
        composition::composition_within,
        evaluate::Budget,
        modal::{TrailingModes, by_mode, gathered, padded, unpack_all, unpack_rests, zip_product},
        tiler::Tiler,
    },
    place::WithPlace,
};

impl<L: Leaf> Layout<L> {
    /// The layout repeated by a tiler: `(A, complement(A, size A * cosize B) o B)`.
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
    pub fn zipped_product_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L>, L::Error> {
        gathered(self.logical_product_under(facts, tiler)?, tiler)
    }

    /// [`Layout::zipped_product`] with the repetitions as modes of their own.
    pub fn tiled_product_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L>, L::Error> {
        unpack_rests(&self.zipped_product_under(facts, tiler)?)
    }

    /// [`Layout::zipped_product`] with all modes at the top.
    pub fn flat_product_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L>, L::Error> {
        unpack_all(&self.zipped_product_under(facts, tiler)?)
    }

    /// Blocks side by side, mode by mode: `((block 0, times 0), (block 1, times 1), …)`.
    ///
    /// Where a block fills the gap of the one before, the places are two modes, and stay one.
    pub fn blocked_product_under(
        &self,
        facts: &L::Facts,
        times: &Layout<L>,
    ) -> Result<Layout<L>, L::Error> {
        interleaved(facts, self, times, |block, times| [block, times])
    }

    /// Blocks interleaved, mode by mode: `((times 0, block 0), (times 1, block 1), …)`.
    pub fn raked_product_under(
        &self,
        facts: &L::Facts,
        times: &Layout<L>,
    ) -> Result<Layout<L>, L::Error> {
        interleaved(facts, self, times, |block, times| [times, block])
    }

    /// The block repeated until it covers a shape, in column-major order or in the order given: smaller
    /// numbers run faster. The sizes of the modes are those of the shape, rounded up to multiples of the block's.
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
