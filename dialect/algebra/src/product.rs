//! Products: a layout repeated as another says.

use crate::{
    complement::complement,
    composition::{by_mode, composition_within},
    divide::{gathered, two},
    error::{Error, Result},
    evaluate::Budget,
    layout::Layout,
    make::make_ordered_layout,
    modes::{make_layout, padded},
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
    product_within(layout, tiler, &mut Budget::new())
}

fn product_within(layout: &Layout, tiler: &Tiler, budget: &mut Budget) -> Result<Layout> {
    match tiler {
        Tiler::Any => Ok(layout.clone()),
        Tiler::Layout(times) => {
            let extent = layout.size().checked_mul(times.cosize()?).ok_or_else(|| {
                Error::overflow("logical_product", format!("({layout}, {times})"))
            })?;
            let free = complement(layout, &Tuple::Leaf(extent))?;
            let places = composition_within(&free, times, budget)?;
            make_layout(&[layout.clone(), places])
        }
        Tiler::Tuple(entries) => {
            let mut repeat = |mode: &Layout, entry: &Tiler| product_within(mode, entry, budget);
            make_layout(&by_mode("logical_product", layout, entries, &mut repeat)?)
        }
    }
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
    let [tile, rest] = two(&zipped_product(layout, tiler)?)?;
    let mut modes = vec![tile];
    modes.extend(rest.modes());
    make_layout(&modes)
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
    let [tile, rest] = two(&zipped_product(layout, tiler)?)?;
    let mut modes = tile.modes();
    modes.extend(rest.modes());
    make_layout(&modes)
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
    zip_product(block, times, |block, times| [block, times])
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
    zip_product(block, times, |block, times| [times, block])
}

fn zip_product(
    block: &Layout,
    times: &Layout,
    order: impl Fn(Layout, Layout) -> [Layout; 2],
) -> Result<Layout> {
    let rank = block.rank().max(times.rank());
    let (block, times) = (padded(block, rank)?, padded(times, rank)?);
    // The places of one mode may be several modes: they stay one.
    let parts = |of: &Layout, mode: Layout| if of.is_leaf() { vec![mode] } else { mode.modes() };
    let tiler = Tiler::Layout(times.clone());
    let [tile, places] = two(&logical_product(&block, &tiler)?)?;
    let modes = parts(&block, tile).into_iter().zip(parts(&times, places));
    let modes = modes.map(|(block, times)| make_layout(&order(block, times)));
    make_layout(&modes.collect::<Result<Vec<_>>>()?)
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
    let block = padded(block, rank)?;
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
