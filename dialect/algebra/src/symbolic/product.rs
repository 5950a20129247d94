//! Products: a layout repeated as another says.

use super::{
    complement::complement,
    composition::composition,
    error::{Error, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::{SymbolicLayout, compact},
    tuple::{SymbolicTiler, SymbolicTuple},
};
use crate::{
    Tuple,
    make::in_order,
    modal::{Past, all_apart, by_mode, gathered, joined, padded, rests_apart, zip_product},
};

/// The layout repeated as the tiler says: `(A, complement(A, size A * cosize B) o B)`.
///
/// # Errors
///
/// Those of [`complement`](super::complement), [`composition`](super::composition) and
/// [`SymbolicLayout::cosize`].
///
/// ```
/// use layout_algebra::symbolic::{SymbolicLayout, SymbolicTiler, logical_product};
/// let (block, mut facts) = SymbolicLayout::parse("(M,8):(1,M)")?;
/// let times = SymbolicLayout::parse_with("(N,2):(2,1)", &mut facts)?;
/// let product = logical_product(&facts, &block, &SymbolicTiler::Layout(times))?;
/// assert_eq!(product.to_string(), "((M,8),(N,2)):((1,M),(16*M,8*M))");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn logical_product(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    by_mode("logical_product", Past::Kept, layout, tiler, &mut |mode, times| {
        let cosize = times.cosize(facts)?;
        let codomain = SymbolicTuple::Leaf(mode.size()?.times(&cosize)?);
        let rest = complement(facts, mode, &codomain)?;
        // Past the size of the complement its last mode goes on, and at values at which that has
        // one entry it is another mode.
        if let Some((extent, _)) = rest.flat().pop()
            && extent.as_constant().is_none()
        {
            let operands = || format!("{mode}, {times}");
            let site = Site { operation: "logical_product", operands: &operands };
            let enough = facts.at_least(&rest.size()?, &cosize);
            let longer = facts.at_least(&extent, &Expr::from(2));
            if !enough.is_yes() && !longer.is_yes() {
                return Err(site.unmet(vec![enough, longer]));
            }
        }
        joined(vec![mode.clone(), composition(facts, &rest, times)?])
    })
}

/// [`logical_product`] by mode, gathered as [`super::zipped_divide`] gathers.
///
/// # Errors
///
/// As [`logical_product`].
pub fn zipped_product(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    gathered(logical_product(facts, layout, tiler)?, tiler)
}

/// [`zipped_product`] with the repetitions as modes of their own.
///
/// # Errors
///
/// As [`logical_product`].
pub fn tiled_product(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    rests_apart(&zipped_product(facts, layout, tiler)?)
}

/// [`zipped_product`] with all modes at the top.
///
/// # Errors
///
/// As [`logical_product`].
pub fn flat_product(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    all_apart(&zipped_product(facts, layout, tiler)?)
}

/// Blocks side by side, mode by mode: `((block 0, times 0), (block 1, times 1), …)`.
///
/// # Errors
///
/// As [`logical_product`].
pub fn blocked_product(
    facts: &Facts,
    block: &SymbolicLayout,
    times: &SymbolicLayout,
) -> Result<SymbolicLayout> {
    interleaved(facts, block, times, |block, times| [block, times])
}

/// Blocks interleaved, mode by mode: `((times 0, block 0), (times 1, block 1), …)`.
///
/// # Errors
///
/// As [`logical_product`].
pub fn raked_product(
    facts: &Facts,
    block: &SymbolicLayout,
    times: &SymbolicLayout,
) -> Result<SymbolicLayout> {
    interleaved(facts, block, times, |block, times| [times, block])
}

fn interleaved(
    facts: &Facts,
    block: &SymbolicLayout,
    times: &SymbolicLayout,
    order: impl Fn(SymbolicLayout, SymbolicLayout) -> [SymbolicLayout; 2],
) -> Result<SymbolicLayout> {
    zip_product(block, times, &SymbolicLayout::one(), order, |block, times| {
        logical_product(facts, block, &SymbolicTiler::Layout(times))
    })
}

/// The block repeated until it covers a shape, in column-major order or in the order given: smaller
/// numbers run faster.
///
/// # Errors
///
/// A shape of lower rank than the block, or one that the block is not known to divide; those of
/// [`logical_product`].
pub fn tile_to_shape(
    facts: &Facts,
    block: &SymbolicLayout,
    shape: &SymbolicTuple,
    order: Option<&Tuple>,
) -> Result<SymbolicLayout> {
    let rank = shape.rank();
    if rank < block.rank() {
        let expected = format!("a shape of at least rank {} for {block}", block.rank());
        return Err(Error::operand("tile_to_shape", expected, shape));
    }
    let operands = || format!("{block}, {shape}");
    let site = Site { operation: "tile_to_shape", operands: &operands };
    let block = padded(block, rank, &SymbolicLayout::one())?;
    let modes = match shape {
        SymbolicTuple::Leaf(_) => vec![block.size()?],
        SymbolicTuple::Node(_) => {
            block.modes().iter().map(SymbolicLayout::size).collect::<Result<_>>()?
        }
    };
    let mut times: Vec<SymbolicTuple> = shape
        .entries()
        .iter()
        .zip(&modes)
        .map(|(extent, size)| {
            site.exact(facts.divide(&extent.product()?, size)).map(SymbolicTuple::Leaf)
        })
        .collect::<Result<_>>()?;
    let times = match (shape, times.pop()) {
        (SymbolicTuple::Leaf(_), Some(only)) => only,
        (_, last) => {
            times.extend(last);
            SymbolicTuple::Node(times)
        }
    };
    let order = order
        .cloned()
        .unwrap_or_else(|| Tuple::Node((0_i64..).take(rank).map(Tuple::Leaf).collect()));
    blocked_product(facts, &block, &make_ordered_layout(facts, &times, &order)?)
}

/// The compact layout of a shape whose modes run in the order given: the smallest number has
/// stride 1. Extents of 1 have stride 0.
///
/// # Errors
///
/// An order as [`crate::make_ordered_layout`] refuses it; overflow and limits.
pub fn make_ordered_layout(
    facts: &Facts,
    shape: &SymbolicTuple,
    order: &Tuple,
) -> Result<SymbolicLayout> {
    let by_order = in_order(shape, order)?;
    SymbolicLayout::new(facts, shape.clone(), compact(shape, &by_order)?)
}
