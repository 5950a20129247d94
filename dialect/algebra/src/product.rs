//! Products: a layout repeated as another says.

use crate::{
    complement::complement,
    composition::composition_within,
    error::{Error, Result},
    evaluate::Budget,
    layout::Layout,
    make::make_ordered_layout,
    modal::{Past, all_apart, by_mode, gathered, padded, rests_apart, zip_product},
    shape::{ceil_div, evenly_divides, product_each},
    tiler::Tiler,
    tuple::Tuple,
};

/// The layout repeated as the tiler says: `(A, complement(A, size A * cosize B) o B)`.
///
/// # Errors
///
/// Those of [`complement`] and [`composition`](crate::composition).
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("logical_product((2,2):(4,1), 6:1)")?, "((2,2),(2,3)):((4,1),(2,8))");
/// # Ok::<(), Error>(())
/// ```
pub fn logical_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let mut budget = Budget::new();
    by_mode("logical_product", Past::Kept, layout, tiler, &mut |mode, times| {
        let extent = mode
            .size()
            .checked_mul(times.cosize()?)
            .ok_or_else(|| Error::overflow("logical_product", format!("({mode}, {times})")))?;
        let free = complement(mode, &Tuple::Leaf(extent))?;
        Layout::of_two([mode.clone(), composition_within(&free, times, &mut budget)?])
    })
}

/// [`logical_product`] by mode, gathered as [`crate::zipped_divide`] gathers.
///
/// # Errors
///
/// As [`logical_product`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("zipped_product((2,5):(5,1), <3:5, 4:6>)")?, "((2,5),(3,4)):((5,1),(10,30))");
/// # Ok::<(), Error>(())
/// ```
pub fn zipped_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    gathered(logical_product(layout, tiler)?, tiler)
}

/// [`zipped_product`] with the repetitions as modes of their own.
///
/// # Errors
///
/// As [`logical_product`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("tiled_product((2,5):(5,1), <3:5, 4:6>)")?, "((2,5),3,4):((5,1),10,30)");
/// # Ok::<(), Error>(())
/// ```
pub fn tiled_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    rests_apart(&zipped_product(layout, tiler)?)
}

/// [`zipped_product`] with all modes at the top.
///
/// # Errors
///
/// As [`logical_product`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("flat_product((2,5):(5,1), <3:5, 4:6>)")?, "(2,5,3,4):(5,1,10,30)");
/// # Ok::<(), Error>(())
/// ```
pub fn flat_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    all_apart(&zipped_product(layout, tiler)?)
}

/// Blocks side by side, mode by mode: `((block 0, times 0), (block 1, times 1), …)`.
///
/// # Errors
///
/// As [`logical_product`].
///
/// ```
/// use layout_algebra::{Layout, blocked_product};
/// let (block, times): (Layout, Layout) = ("2:2".parse()?, "4:1".parse()?);
/// // Every other block fills the gap of the one before: the places are two modes, and stay one.
/// assert_eq!(blocked_product(&block, &times)?.to_string(), "((2,(2,2))):((2,(1,4)))");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn blocked_product(block: &Layout, times: &Layout) -> Result<Layout> {
    interleaved(block, times, |block, times| [block, times])
}

/// Blocks interleaved, mode by mode: `((times 0, block 0), (times 1, block 1), …)`.
///
/// # Errors
///
/// As [`logical_product`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("raked_product((2,5):(5,1), (3,4):(1,3))")?, "((3,2),(4,5)):((10,5),(30,1))");
/// # Ok::<(), Error>(())
/// ```
pub fn raked_product(block: &Layout, times: &Layout) -> Result<Layout> {
    interleaved(block, times, |block, times| [times, block])
}

fn interleaved(
    block: &Layout,
    times: &Layout,
    order: impl Fn(Layout, Layout) -> [Layout; 2],
) -> Result<Layout> {
    zip_product(block, times, &Layout::one(), order, |block, times| {
        logical_product(block, &Tiler::Layout(times))
    })
}

/// The block repeated until it covers a shape, in column-major order or in the order given: smaller
/// numbers run faster.
///
/// # Errors
///
/// A shape of lower rank than the block, or one that the block does not divide; those of
/// [`logical_product`].
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("tile_to_shape((2,2):(2,1), (4,6))")?, "((2,2),(2,3)):((2,4),(1,8))");
/// assert_eq!(value("tile_to_shape((2,2):(2,1), (4,6), (1,0))")?, "((2,2),(2,3)):((2,12),(1,4))");
/// # Ok::<(), Error>(())
/// ```
pub fn tile_to_shape(block: &Layout, shape: &Tuple, order: Option<&Tuple>) -> Result<Layout> {
    let rank = shape.rank();
    if rank < block.rank() {
        return Err(Error::Operand {
            operation: "tile_to_shape",
            expected: format!("a shape of at least rank {} for {block}", block.rank()),
            found: shape.to_string(),
        });
    }
    let block = padded(block, rank, &Layout::one())?;
    let (target, tile) = (product_each(shape)?, product_each(block.shape())?);
    let tile = if target.depth() == 0 { Tuple::Leaf(tile.product()?) } else { tile };
    if !evenly_divides(&target, &tile) {
        return Err(Error::Condition {
            operation: "tile_to_shape",
            operand: block.to_string(),
            expected: "a shape that the block divides, mode by mode",
            found: shape.to_string(),
        });
    }
    let times = ceil_div(&target, &tile)?;
    let order = order
        .cloned()
        .unwrap_or_else(|| Tuple::Node((0_i64..).take(rank).map(Tuple::Leaf).collect()));
    blocked_product(&block, &make_ordered_layout(&times, &order)?)
}
