//! Products: a layout repeated as another says.

use crate::{
    error::{Error, Result},
    integer::{Site, Verdict},
    layout::{
        Layout,
        complement::complement_under,
        composition::composition_within,
        evaluate::Budget,
        leaf::Leaf,
        modal::{Past, all_apart, by_mode, gathered, padded, rests_apart, zip_product},
        order::make_ordered_layout_under,
        tiler::{Tiler, TilerOf},
    },
    place::Travels,
    tuple::{Nested, Tuple},
};
use alloc::{format, string::ToString, vec, vec::Vec};

/// The layout repeated as the tiler says: `(A, complement(A, size A * cosize B) o B)`.
///
/// # Errors
///
/// Those of [`complement`](crate::complement()) and [`composition`](crate::composition).
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("logical_product((2,2):(4,1), 6:1)")?, "((2,2),(2,3)):((4,1),(2,8))");
/// # Ok::<(), Error>(())
/// ```
pub fn logical_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    logical_product_under(&(), layout, tiler)
}

/// [`logical_product`] under facts.
///
/// # Errors
///
/// Those of [`complement_under`], [`composition_under`](crate::composition_under()) and
/// [`Layout::cosize_under`].
///
/// ```
/// use layout_algebra::{Layout, TilerOf, logical_product_under, Expr};
/// let (block, mut facts) = Layout::<Expr>::parse("(M,8):(1,M)")?;
/// let times = Layout::<Expr>::parse_with("(N,2):(2,1)", &mut facts)?;
/// let product = logical_product_under(&facts, &block, &TilerOf::Layout(times))?;
/// assert_eq!(product.to_string(), "((M,8),(N,2)):((1,M),(16*M,8*M))");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub fn logical_product_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    tiler: &TilerOf<Layout<L>>,
) -> Result<Layout<L>, L::Error> {
    let mut budget = Budget::new();
    by_mode("logical_product", Past::Kept, layout, tiler, &mut |mode, times| {
        let cosize = times.cosize_under(facts)?;
        let extent = mode
            .total()
            .and_then(|size| size.times(&cosize))
            .map_err(|lost| L::lost(lost, "logical_product", format_args!("({mode}, {times})")))?;
        let free =
            complement_under(facts, mode, &Nested::Leaf(extent)).map_err(|error| error.about(0))?;
        if L::OPEN {
            goes_on(facts, [mode, times], &free, &cosize)?;
        }
        Layout::of_two([mode.clone(), composition_within(facts, &free, times, &mut budget)?])
    })
}

/// Refuses a complement that may be too short for the repetitions: past its size its last mode goes
/// on, and at values at which that has one entry it is another mode.
fn goes_on<L: Leaf>(
    facts: &L::Facts,
    [mode, times]: [&Layout<L>; 2],
    free: &Layout<L>,
    cosize: &L,
) -> Result<(), L::Error> {
    let Some((extent, _)) = free.leaves().pop().filter(|mode| mode.0.constant().is_none()) else {
        return Ok(());
    };
    let operands = || format!("{mode}, {times}");
    let site = Site { operation: "logical_product", operands: &operands };
    let size = free.total().map_err(|lost| L::lost(lost, site.operation, free))?;
    let enough = L::at_least(facts, &size, cosize);
    let longer = L::at_least(facts, &extent, &L::from(2));
    if enough.is_yes() || longer.is_yes() {
        return Ok(());
    }
    Err(L::undecided(&site, vec![enough, longer]))
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
    zipped_product_under(&(), layout, tiler)
}

/// [`zipped_product`] under facts, with the errors of [`logical_product_under`].
pub fn zipped_product_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    tiler: &TilerOf<Layout<L>>,
) -> Result<Layout<L>, L::Error> {
    gathered(logical_product_under(facts, layout, tiler)?, tiler)
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
    tiled_product_under(&(), layout, tiler)
}

/// [`tiled_product`] under facts, with the errors of [`logical_product_under`].
pub fn tiled_product_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    tiler: &TilerOf<Layout<L>>,
) -> Result<Layout<L>, L::Error> {
    rests_apart(&zipped_product_under(facts, layout, tiler)?)
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
    flat_product_under(&(), layout, tiler)
}

/// [`flat_product`] under facts, with the errors of [`logical_product_under`].
pub fn flat_product_under<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    tiler: &TilerOf<Layout<L>>,
) -> Result<Layout<L>, L::Error> {
    all_apart(&zipped_product_under(facts, layout, tiler)?)
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
    blocked_product_under(&(), block, times)
}

/// [`blocked_product`] under facts, with the errors of [`logical_product_under`].
pub fn blocked_product_under<L: Leaf>(
    facts: &L::Facts,
    block: &Layout<L>,
    times: &Layout<L>,
) -> Result<Layout<L>, L::Error> {
    interleaved(facts, block, times, |block, times| [block, times])
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
    raked_product_under(&(), block, times)
}

/// [`raked_product`] under facts, with the errors of [`logical_product_under`].
pub fn raked_product_under<L: Leaf>(
    facts: &L::Facts,
    block: &Layout<L>,
    times: &Layout<L>,
) -> Result<Layout<L>, L::Error> {
    interleaved(facts, block, times, |block, times| [times, block])
}

fn interleaved<L: Leaf>(
    facts: &L::Facts,
    block: &Layout<L>,
    times: &Layout<L>,
    order: impl Fn(Layout<L>, Layout<L>) -> [Layout<L>; 2],
) -> Result<Layout<L>, L::Error> {
    zip_product(block, times, &Layout::one(), order, |block, times| {
        logical_product_under(facts, block, &TilerOf::Layout(times))
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
    tile_to_shape_under(&(), block, shape, order)
}

/// [`tile_to_shape`] under facts.
///
/// # Errors
///
/// A shape of lower rank than the block, or one that the block is not known to divide; those of
/// [`logical_product_under`].
pub fn tile_to_shape_under<L: Leaf>(
    facts: &L::Facts,
    block: &Layout<L>,
    shape: &Nested<L>,
    order: Option<&Tuple>,
) -> Result<Layout<L>, L::Error> {
    let (operation, rank) = ("tile_to_shape", shape.rank());
    if rank < block.rank() {
        let expected = format!("a shape of at least rank {} for {block}", block.rank());
        return Err(Error::Operand { operation, expected, found: shape.to_string() }.into());
    }
    let operands = || format!("{block}, {shape}");
    let site = Site { operation, operands: &operands };
    let padded = padded(block, rank, &Layout::one())?;
    let uneven = || {
        let (operand, found) = (padded.to_string(), shape.to_string());
        let expected = "a shape that the block divides, mode by mode";
        Error::Condition { operation, operand, expected, found }
    };
    let sizes: Result<Vec<L>, L::Lost> = match shape {
        Nested::Leaf(_) => padded.total().map(|size| vec![size]),
        Nested::Node(_) => padded.modes().iter().map(Layout::total).collect(),
    };
    let sizes = sizes.map_err(|lost| L::lost(lost, operation, block))?;
    let times = shape.entries().iter().zip(&sizes).map(|(extent, size)| {
        let extent = extent.product()?;
        if !L::OPEN {
            L::require(&site, L::at_least(facts, &extent, &L::from(0)), uneven)?;
        }
        let count = L::divide(facts, &extent, size);
        count.map(Nested::Leaf).map_err(|answer| L::unmet(&site, vec![answer], uneven))
    });
    let mut times = times.collect::<Result<Vec<_>, L::Error>>()?;
    let times = match (shape, times.pop()) {
        (Nested::Leaf(_), Some(only)) => only,
        (_, last) => {
            times.extend(last);
            Nested::Node(times)
        }
    };
    let order = order
        .cloned()
        .unwrap_or_else(|| Tuple::Node((0_i64..).take(rank).map(Tuple::Leaf).collect()));
    blocked_product_under(facts, &padded, &make_ordered_layout_under(facts, &times, &order)?)
}
