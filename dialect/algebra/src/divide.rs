//! Complement, divides and products: splitting a layout by another, and repeating one as another.

use crate::{
    composition::{by_mode, composition},
    error::{Error, Result},
    layout::Layout,
    modes::{coalesce, make_layout, padded},
    tiler::Tiler,
    tuple::Tuple,
};

/// The layout that fills what `layout` leaves out below `cosize`: its offsets, added to those of
/// `layout`, are all different, and it is ordered.
///
/// Together they reach every offset below `cosize` exactly where the modes of `layout`, sorted by
/// stride, are a chain (each stride a multiple of the extent times the stride before it) and the
/// last of them ends on a divisor of `cosize`; otherwise the rest is padded, as in CuTe.
///
/// # Errors
///
/// A layout that reaches an offset twice or whose strides do not divide; negative strides; overflow.
pub fn complement(layout: &Layout, cosize: i64) -> Result<Layout> {
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation: "complement",
        operand: layout.to_string(),
        expected,
        found,
    };
    if cosize < 1 {
        return Err(condition("a codomain of at least 1", cosize.to_string()));
    }
    let overflow = || Error::overflow("complement", layout);
    let mut modes: Vec<(i64, i64)> =
        layout.flat().into_iter().filter(|&(extent, stride)| extent != 1 && stride != 0).collect();
    if let Some((_, stride)) = modes.iter().find(|&&(_, stride)| stride < 0) {
        return Err(condition("strides that are not negative", stride.to_string()));
    }
    modes.sort_by_key(|&(extent, stride)| (stride, extent));
    let mut result = Vec::with_capacity(modes.len() + 1);
    let mut filled = 1_i64;
    for (extent, stride) in modes {
        if stride % filled != 0 {
            return Err(condition(
                "sorted modes that each start on a multiple of where the last ended",
                format!("stride {stride} after {filled}"),
            ));
        }
        result.push((stride / filled, filled));
        filled = stride.checked_mul(extent).ok_or_else(overflow)?;
    }
    result.push(((cosize - 1) / filled + 1, filled));
    coalesce(&Layout::from_flat(&result)?)
}

/// Splits each mode that the tiler names into `(tile, rest)`: `A o (B, complement(B, size A))`.
///
/// A divide that does not come out even keeps CuTe's padded result, whose last tiles reach past the
/// layout's size.
///
/// # Errors
///
/// Those of [`complement`] and [`composition`].
pub fn logical_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Any => Ok(layout.clone()),
        Tiler::Layout(tile) => {
            let rest = complement(tile, layout.size())?;
            composition(layout, &make_layout(&[tile.clone(), rest])?)
        }
        Tiler::Tuple(entries) => by_mode("logical_divide", layout, entries, &mut logical_divide),
    }
}

/// [`logical_divide`] with all tiles gathered in the first mode and all rests in the second.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn zipped_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    unzip(&logical_divide(layout, tiler)?, tiler)
}

/// [`zipped_divide`] with the rests as modes of their own: `(tiles, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn tiled_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let zipped = zipped_divide(layout, tiler)?;
    let [tile, rest] = two(&zipped)?;
    let mut modes = vec![tile];
    modes.extend(rest.modes());
    make_layout(&modes)
}

/// [`zipped_divide`] with tiles and rests as modes of their own: `(tile, tile, …, rest, rest, …)`.
///
/// # Errors
///
/// As [`logical_divide`].
pub fn flat_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let zipped = zipped_divide(layout, tiler)?;
    let [tile, rest] = two(&zipped)?;
    let mut modes = tile.modes();
    modes.extend(rest.modes());
    make_layout(&modes)
}

/// Gathers the first parts of the modes that a tiler's tuple names, and the second parts; modes
/// past the tuple go with the second.
fn unzip(divided: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Layout(_) => Ok(divided.clone()),
        // A mode that is kept is a tile of its own, once.
        Tiler::Any => make_layout(&[divided.clone(), Layout::leaf(1, 0)?]),
        Tiler::Tuple(entries) => {
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

fn two(layout: &Layout) -> Result<[Layout; 2]> {
    <[Layout; 2]>::try_from(layout.modes()).map_err(|modes| Error::Operand {
        operation: "divide",
        expected: "a layout of rank 2".to_owned(),
        found: format!("{layout} of rank {}", modes.len()),
    })
}

/// The layout repeated as the tiler says: `(A, complement(A, size A * cosize B) o B)`.
///
/// # Errors
///
/// Those of [`complement`] and [`composition`].
pub fn logical_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Any => Ok(layout.clone()),
        Tiler::Layout(times) => {
            let extent = layout.size().checked_mul(times.cosize()?).ok_or_else(|| {
                Error::overflow("logical_product", format!("({layout}, {times})"))
            })?;
            let places = composition(&complement(layout, extent)?, times)?;
            make_layout(&[layout.clone(), places])
        }
        Tiler::Tuple(entries) => by_mode("logical_product", layout, entries, &mut logical_product),
    }
}

/// [`logical_product`] by mode, gathered as [`zipped_divide`] gathers.
///
/// # Errors
///
/// As [`logical_product`].
pub fn zipped_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    unzip(&logical_product(layout, tiler)?, tiler)
}

/// [`zipped_product`] with the repetitions as modes of their own.
///
/// # Errors
///
/// As [`logical_product`].
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
pub fn blocked_product(block: &Layout, times: &Layout) -> Result<Layout> {
    zip_product(block, times, |block, times| [block, times])
}

/// Blocks interleaved, mode by mode: `((times 0, block 0), (times 1, block 1), …)`.
///
/// # Errors
///
/// As [`logical_product`].
pub fn raked_product(block: &Layout, times: &Layout) -> Result<Layout> {
    zip_product(block, times, |block, times| [times, block])
}

fn zip_product(
    block: &Layout,
    times: &Layout,
    order: impl Fn(Layout, Layout) -> [Layout; 2],
) -> Result<Layout> {
    let rank = block.rank().max(times.rank());
    let product = logical_product(&padded(block, rank)?, &Tiler::Layout(padded(times, rank)?))?;
    let [block, times] = two(&product)?;
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
    let times: Vec<Tuple> = shape
        .entries()
        .iter()
        .zip(block.modes())
        .map(|(extent, mode)| Ok(Tuple::Leaf((extent.product()? - 1) / mode.size() + 1)))
        .collect::<Result<_>>()?;
    let times = match shape {
        Tuple::Leaf(_) => times.into_iter().next().unwrap_or(Tuple::Leaf(1)),
        Tuple::Node(_) => Tuple::Node(times),
    };
    let order = order
        .cloned()
        .unwrap_or_else(|| Tuple::Node((0_i64..).take(rank).map(Tuple::Leaf).collect()));
    blocked_product(&block, &make_ordered_layout(&times, &order)?)
}

/// The compact layout of a shape whose modes run in the order given: the smallest number has
/// stride 1.
///
/// # Errors
///
/// An order with another number of entries than the shape has leaves; overflow.
pub fn make_ordered_layout(shape: &Tuple, order: &Tuple) -> Result<Layout> {
    let (extents, keys) = (shape.leaves(), order.leaves());
    if extents.len() != keys.len() {
        return Err(Error::Operand {
            operation: "make_ordered_layout",
            expected: format!("an order with {} entries for {shape}", extents.len()),
            found: order.to_string(),
        });
    }
    let mut by_order: Vec<usize> = (0..extents.len()).collect();
    by_order.sort_by_key(|&i| (keys[i], i));
    let mut strides = vec![0; extents.len()];
    let mut next = 1_i64;
    for i in by_order {
        strides[i] = next;
        next = next
            .checked_mul(extents[i])
            .ok_or_else(|| Error::overflow("make_ordered_layout", shape))?;
    }
    let mut strides = strides.into_iter();
    let stride = shape.map(&mut |_| Ok(strides.next().unwrap_or(0)))?;
    Layout::new(shape.clone(), stride)
}
