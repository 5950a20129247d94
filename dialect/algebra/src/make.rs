//! Layouts from shapes.

use crate::{
    error::{Error, Result},
    layout::Layout,
    shape::compact,
    tuple::Tuple,
};

/// The compact layout of a shape whose modes run in the order given: the smallest number runs
/// fastest. Extents of 1 have stride 0.
///
/// # Errors
///
/// An order with another number of entries than the shape has leaves; overflow.
///
/// ```
/// use layout_algebra::{Layout, Tuple, make_ordered_layout};
/// let (shape, order): (Tuple, Tuple) = ("(4,6,2)".parse()?, "(1,0,2)".parse()?);
/// assert_eq!(make_ordered_layout(&shape, &order)?.to_string(), "(4,6,2):(6,1,24)");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn make_ordered_layout(shape: &Tuple, order: &Tuple) -> Result<Layout> {
    let keys = order.leaves();
    let leaves = shape.leaf_count();
    if leaves != keys.len() {
        return Err(Error::Operand {
            operation: "make_ordered_layout",
            expected: format!("an order with {leaves} entries for {shape}"),
            found: order.to_string(),
        });
    }
    let mut by_order: Vec<usize> = (0..leaves).collect();
    by_order.sort_by_key(|&i| (keys[i], i));
    Layout::new(shape.clone(), compact("make_ordered_layout", shape, &by_order)?)
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
