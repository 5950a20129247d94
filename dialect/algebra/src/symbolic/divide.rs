//! Complement, divides and products.

use super::{
    composition::{by_mode, composition},
    error::{Answer, Error, Result, Site},
    expr::Expr,
    facts::Facts,
    layout::SymbolicLayout,
    modes::{coalesce, is_zero, make_layout, padded},
    tuple::{SymbolicTiler, SymbolicTuple},
};
use crate::Tuple;

/// The layout that fills what `layout` leaves out below `cosize`; see [`crate::complement`].
///
/// # Errors
///
/// Strides that are not known to be positive or 0; modes of which it is not known that, in some
/// order, each starts on a multiple of where the one before ends; a codomain that is not known to be
/// at least 1.
///
/// ```
/// use layout_algebra::symbolic::{Expr, SymbolicLayout, complement};
/// let (layout, facts) = SymbolicLayout::parse("(4,N):(M{range=1..},4*M)")?;
/// let k = facts.symbol("N")?.times(&facts.symbol("M")?)?.scaled(12)?;
/// assert_eq!(complement(&facts, &layout, &k)?.to_string(), "(M,3):(1,4*M*N)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn complement(facts: &Facts, layout: &SymbolicLayout, cosize: &Expr) -> Result<SymbolicLayout> {
    if let (Some(layout), Some(cosize)) = (layout.to_static(), cosize.as_constant()) {
        return Ok((&crate::complement(&layout, cosize)?).into());
    }
    let operands = || format!("{layout}, {cosize}");
    let site = Site { operation: "complement", operands: &operands };
    let one = Expr::from(1);
    site.require(facts.at_least(cosize, &one))?;
    let mut modes = Vec::new();
    for (extent, stride) in layout.flat() {
        if extent.is(1) || is_zero(facts, &site, &stride)? {
            continue;
        }
        site.require(facts.at_least(&stride, &one))?;
        modes.push((extent, stride));
    }
    let mut chain = Vec::with_capacity(modes.len());
    let mut filled = Expr::from(1);
    let mut result = Vec::with_capacity(modes.len() + 1);
    while !modes.is_empty() {
        let (extent, stride) = modes.remove(next_of_chain(facts, &site, &filled, &modes)?);
        result.push((site.exact(facts.divide(&stride, &filled))?, filled));
        filled = stride.times(&extent)?;
        chain.push((extent, stride));
    }
    // A mode of one entry is none: were there no later mode, what is below its stride would end
    // with the codomain, not with the stride.
    for (extent, stride) in chain.iter().rev() {
        let longer = facts.at_least(extent, &Expr::from(2));
        if longer.is_yes() {
            break;
        }
        let whole: Answer = facts.divide(cosize, stride).into();
        if !whole.is_yes() {
            return Err(site.unmet(vec![longer, whole]));
        }
    }
    result.push((facts.ceil_div(cosize, &filled)?, filled));
    coalesce(&SymbolicLayout::from_flat(result))
}

/// The mode that starts on a multiple of `filled` and ends where all others start on multiples: the
/// static algebra sorts by stride, which this order is, because what divides is no greater.
fn next_of_chain(
    facts: &Facts,
    site: &Site<'_>,
    filled: &Expr,
    modes: &[(Expr, Expr)],
) -> Result<usize> {
    let mut unmet = Vec::with_capacity(modes.len());
    for (i, (extent, stride)) in modes.iter().enumerate() {
        let end = stride.times(extent)?;
        let start: Answer = facts.divide(stride, filled).into();
        let others = modes.iter().enumerate().filter(|&(j, _)| j != i);
        let mut answers =
            std::iter::once(start).chain(others.map(|(_, (_, s))| facts.divide(s, &end).into()));
        match answers.find(|answer| !answer.is_yes()) {
            None => return Ok(i),
            Some(answer) => unmet.push(answer),
        }
    }
    Err(site.unmet_best(unmet))
}

/// Splits each mode that the tiler names into `(tile, rest)`: `A o (B, complement(B, size A))`.
///
/// # Errors
///
/// Those of [`complement`] and [`composition`].
///
/// ```
/// use layout_algebra::symbolic::{Facts, SymbolicLayout, SymbolicTiler, SymbolicTuple, zipped_divide};
/// let (layout, facts) = SymbolicLayout::parse("(M,K):(K,1)")?;
/// let tiler = SymbolicTiler::from_shape(&facts, &SymbolicTuple::from(&"(128,64)".parse()?))?;
/// assert_eq!(
///     zipped_divide(&facts, &layout, &tiler)?.to_string(),
///     "((128,64),(ceil_div(M,128),ceil_div(K,64))):((K,1),(128*K,64))",
/// );
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn logical_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    match tiler {
        SymbolicTiler::Any => Ok(layout.clone()),
        SymbolicTiler::Layout(tile) => {
            let rest = complement(facts, tile, &layout.size()?)?;
            composition(facts, layout, &make_layout(&[tile.clone(), rest])?)
        }
        SymbolicTiler::Tuple(entries) => {
            by_mode("logical_divide", layout, entries, &mut |mode, entry| {
                logical_divide(facts, mode, entry)
            })
        }
    }
}

/// [`logical_divide`] with all tiles gathered in the first mode and all rests in the second.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn zipped_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    unzip(&logical_divide(facts, layout, tiler)?, tiler)
}

/// [`zipped_divide`] with the rests as modes of their own: `(tiles, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn tiled_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    rests_apart(&zipped_divide(facts, layout, tiler)?)
}

/// [`zipped_divide`] with tiles and rests as modes of their own: `(tile, tile, …, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn flat_divide(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    all_apart(&zipped_divide(facts, layout, tiler)?)
}

fn rests_apart(zipped: &SymbolicLayout) -> Result<SymbolicLayout> {
    let [tile, rest] = two(zipped)?;
    let mut modes = vec![tile];
    modes.extend(rest.modes());
    make_layout(&modes)
}

fn all_apart(zipped: &SymbolicLayout) -> Result<SymbolicLayout> {
    let [tile, rest] = two(zipped)?;
    let mut modes = tile.modes();
    modes.extend(rest.modes());
    make_layout(&modes)
}

/// Gathers the first parts of the modes that a tiler's tuple names, and the second parts; modes
/// past the tuple go with the second.
fn unzip(divided: &SymbolicLayout, tiler: &SymbolicTiler) -> Result<SymbolicLayout> {
    match tiler {
        SymbolicTiler::Layout(_) => Ok(divided.clone()),
        // A mode that is kept is a tile of its own, once.
        SymbolicTiler::Any => {
            make_layout(&[divided.clone(), SymbolicLayout::leaf(Expr::from(1), Expr::from(0))])
        }
        SymbolicTiler::Tuple(entries) => {
            let (mut tiles, mut rests) = (Vec::new(), Vec::new());
            for (i, mode) in divided.modes().into_iter().enumerate() {
                match entries.get(i) {
                    Some(entry) => {
                        let [tile, rest] = two(&unzip(&mode, entry)?)?;
                        tiles.push(tile);
                        rests.push(rest);
                    }
                    None => rests.push(mode),
                }
            }
            make_layout(&[make_layout(&tiles)?, make_layout(&rests)?])
        }
    }
}

fn two(layout: &SymbolicLayout) -> Result<[SymbolicLayout; 2]> {
    <[SymbolicLayout; 2]>::try_from(layout.modes()).map_err(|modes| {
        let found = format!("{layout} of rank {}", modes.len());
        Error::operand("divide", "a layout of rank 2", found)
    })
}

/// The layout repeated as the tiler says: `(A, complement(A, size A * cosize B) o B)`.
///
/// # Errors
///
/// Those of [`complement`], [`composition`] and [`SymbolicLayout::cosize`].
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
    match tiler {
        SymbolicTiler::Any => Ok(layout.clone()),
        SymbolicTiler::Layout(times) => {
            let extent = layout.size()?.times(&times.cosize(facts)?)?;
            let places = composition(facts, &complement(facts, layout, &extent)?, times)?;
            make_layout(&[layout.clone(), places])
        }
        SymbolicTiler::Tuple(entries) => {
            by_mode("logical_product", layout, entries, &mut |mode, entry| {
                logical_product(facts, mode, entry)
            })
        }
    }
}

/// [`logical_product`] by mode, gathered as [`zipped_divide`] gathers.
///
/// # Errors
///
/// As [`logical_product`].
pub fn zipped_product(
    facts: &Facts,
    layout: &SymbolicLayout,
    tiler: &SymbolicTiler,
) -> Result<SymbolicLayout> {
    unzip(&logical_product(facts, layout, tiler)?, tiler)
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
    zip_product(facts, block, times, |block, times| [block, times])
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
    zip_product(facts, block, times, |block, times| [times, block])
}

fn zip_product(
    facts: &Facts,
    block: &SymbolicLayout,
    times: &SymbolicLayout,
    order: impl Fn(SymbolicLayout, SymbolicLayout) -> [SymbolicLayout; 2],
) -> Result<SymbolicLayout> {
    let rank = block.rank().max(times.rank());
    let tiler = SymbolicTiler::Layout(padded(times, rank)?);
    let [block, times] = two(&logical_product(facts, &padded(block, rank)?, &tiler)?)?;
    if block.is_leaf() || times.is_leaf() {
        return make_layout(&order(block, times));
    }
    let modes: Vec<_> = block
        .modes()
        .into_iter()
        .zip(times.modes())
        .map(|(block, times)| make_layout(&order(block, times)))
        .collect::<Result<_>>()?;
    make_layout(&modes)
}

/// The block repeated until it covers a shape, in column-major order or in the order given: smaller
/// numbers run faster.
///
/// # Errors
///
/// A shape of lower rank than the block; those of [`logical_product`].
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
    let block = padded(block, rank)?;
    let mut times: Vec<SymbolicTuple> = shape
        .entries()
        .iter()
        .zip(block.modes())
        .map(|(extent, mode)| {
            facts.ceil_div(&extent.product()?, &mode.size()?).map(SymbolicTuple::Leaf)
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
/// stride 1.
///
/// # Errors
///
/// An order with another number of entries than the shape has leaves; overflow and limits.
pub fn make_ordered_layout(
    facts: &Facts,
    shape: &SymbolicTuple,
    order: &Tuple,
) -> Result<SymbolicLayout> {
    let (extents, keys) = (shape.leaves(), order.leaves());
    if extents.len() != keys.len() {
        let expected = format!("an order with {} entries for {shape}", extents.len());
        return Err(Error::operand("make_ordered_layout", expected, order));
    }
    let mut by_order: Vec<usize> = (0..extents.len()).collect();
    by_order.sort_by_key(|&i| (keys[i], i));
    let mut strides = vec![Expr::from(0); extents.len()];
    let mut next = Expr::from(1);
    for i in by_order {
        let after = next.times(extents[i])?;
        strides[i] = std::mem::replace(&mut next, after);
    }
    let mut strides = strides.into_iter();
    let stride = shape.map(&mut |_| Ok(strides.next().unwrap_or_else(|| Expr::from(0))))?;
    SymbolicLayout::new(facts, shape.clone(), stride)
}
