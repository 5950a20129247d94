//! Distributing elements over threads.

use crate::{
    composition::composition_tiler,
    divide::zipped_divide,
    error::{Error, Result},
    layout::Layout,
    modes::coalesce,
    shape::{compact_col_major, gcd},
    tiler::Tiler,
    tuple::Tuple,
};

/// What `n` threads take of a shape, each its own: a layout of size `n`, where possible, into the
/// indices of the shape, taking from each mode the greatest common divisor of what is left.
///
/// # Errors
///
/// `n` below 1; overflow.
///
/// ```
/// use layout_algebra::{Tuple, domain_distribute};
/// let shape: Tuple = "(3,5,2)".parse()?;
/// assert_eq!(domain_distribute(&shape, 6)?.to_string(), "(3,2):(1,15)");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn domain_distribute(shape: &Tuple, n: i64) -> Result<Layout> {
    if n < 1 {
        return Err(Error::Condition {
            operation: "domain_distribute",
            operand: shape.to_string(),
            expected: "at least 1 to distribute over",
            found: n.to_string(),
        });
    }
    let flat = shape.flatten();
    let stride = compact_col_major(&flat)?;
    let mut rest = n;
    let taken = flat.map(&mut |extent| {
        let common = gcd(extent, rest);
        rest /= common.max(1);
        Ok(common)
    })?;
    coalesce(&Layout::new(taken, stride)?)
}

/// A layout whose tiles are distributed by a thread-value layout: `((thread, value), rest)`.
///
/// `tv` maps a thread and a value to an index of the tile; `tile` is the shape of a tile, and the
/// rest counts the tiles.
///
/// # Errors
///
/// A thread-value layout that is no pair or leaves the tile; those of [`zipped_divide`] and
/// [`composition_tiler`].
///
/// ```
/// use layout_algebra::{Layout, Tuple, distribute};
/// let layout: Layout = "(16,16):(16,1)".parse()?;
/// // Four threads of four values over tiles of four rows by four columns: a row for each thread.
/// let tv: Layout = "(4,4):(1,4)".parse()?;
/// let parts = distribute(&layout, &"(4,4)".parse()?, &tv)?;
/// assert_eq!(parts.to_string(), "((4,4),(4,4)):((16,1),(64,4))");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn distribute(layout: &Layout, tile: &Tuple, tv: &Layout) -> Result<Layout> {
    let size = tile.product()?;
    if tv.rank() != 2 || tv.cosize()? > size {
        return Err(Error::Operand {
            operation: "distribute",
            expected: format!(
                "a layout (thread, value) into the {size} indices of the tile {tile}"
            ),
            found: tv.to_string(),
        });
    }
    let divided = zipped_divide(layout, &Tiler::from_shape(tile)?)?;
    composition_tiler(&divided, &Tiler::Tuple(vec![Tiler::Layout(tv.clone()), Tiler::Any]))
}
