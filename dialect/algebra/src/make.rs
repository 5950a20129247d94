//! Layouts from shapes.

use crate::{
    error::{Error, Result},
    layout::Layout,
    shape::{compact, stands_for},
    tuple::{Nested, Tuple},
};
use std::{fmt, iter};

/// The compact layout of a shape whose modes run in the order given: the smallest number runs
/// fastest. A number in place of a tuple is that of all its leaves, which then run from left to right.
/// Extents of 1 have stride 0.
///
/// # Errors
///
/// An order with another number of entries than the shape has leaves, which does not stand for them
/// either; overflow.
///
/// ```
/// use layout_algebra::{Layout, Tuple, make_ordered_layout};
/// let (shape, order): (Tuple, Tuple) = ("(4,6,2)".parse()?, "(1,0,2)".parse()?);
/// assert_eq!(make_ordered_layout(&shape, &order)?.to_string(), "(4,6,2):(6,1,24)");
/// let (shape, order): (Tuple, Tuple) = ("(4,(2,3))".parse()?, "(1,0)".parse()?);
/// assert_eq!(make_ordered_layout(&shape, &order)?.to_string(), "(4,(2,3)):(6,(1,2))");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn make_ordered_layout(shape: &Tuple, order: &Tuple) -> Result<Layout> {
    let by_order = in_order(shape, order)?;
    Layout::new(shape.clone(), compact("make_ordered_layout", shape, &by_order)?)
}

/// The leaves of a shape in an order: the one with the smallest number first.
pub(crate) fn in_order<T: fmt::Display>(shape: &Nested<T>, order: &Tuple) -> Result<Vec<usize>> {
    let (mut keys, leaves) = (order.leaves(), shape.leaf_count());
    if keys.len() != leaves {
        keys.clear();
        let stands = stands_for(order, shape, &mut |key, part| {
            keys.extend(iter::repeat_n(*key, part.leaf_count()));
            true
        });
        if !stands {
            return Err(Error::Operand {
                operation: "make_ordered_layout",
                expected: format!("an order with {leaves} entries for {shape}"),
                found: order.to_string(),
            });
        }
    }
    let mut by_order: Vec<usize> = (0..leaves).collect();
    by_order.sort_by_key(|&i| (keys[i], i));
    Ok(by_order)
}

/// A compact layout of the same shape whose modes run in the same order; modes of stride 0 keep it.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// use layout_algebra::{Layout, make_layout_like};
/// let layout: Layout = "(4,3,2):(16,0,1)".parse()?;
/// assert_eq!(make_layout_like(&layout)?.to_string(), "(4,3,2):(2,0,1)");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn make_layout_like(layout: &Layout) -> Result<Layout> {
    let flat = layout.flat();
    let mut order: Vec<usize> = (0..flat.len()).filter(|&i| flat[i].1 != 0).collect();
    order.sort_by_key(|&i| (flat[i].1.unsigned_abs(), i));
    let stride = compact("make_layout_like", layout.shape(), &order)?;
    Layout::new(layout.shape().clone(), stride)
}
