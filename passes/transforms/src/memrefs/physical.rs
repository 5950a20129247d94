//! The memref that has a dimension for each leaf of a layout.

use layout_algebra::{Layout, Value};
use layout_dialect::{TermValue, buffers::Buffer};
use melior::ir::Type;

/// A leaf of a mode, and the dimension that it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// `None` is known at run time.
    pub(super) extent: Option<i64>,
    pub(super) dimension: usize,
}

/// A memref whose modes have several strides, with a dimension for each leaf. The dimensions are ordered by their strides, the
/// greatest first, where all are static; otherwise modes keep their sequence, and the fastest leaf of each is its last.
#[derive(Clone, Debug)]
pub(super) struct Physical<'c> {
    pub(super) r#type: Type<'c>,
    /// The leaves of each mode, the fastest first.
    pub(super) modes: Vec<Vec<Leaf>>,
}

/// Why a memref has no such form.
pub(super) type Reason = String;

impl<'c> Physical<'c> {
    /// The form of a memref; `None` where each dimension has one stride, or the layout is no `#layout<…>`.
    pub(super) fn of(r#type: Type<'c>) -> Option<Result<Self, Reason>> {
        let buffer = Buffer::of(r#type).ok()??;
        let term = buffer.term()?;
        if buffer.is_strided() {
            return None;
        }
        let found = term.term_value().map_err(|refused| refused.to_string());
        Some(found.and_then(|value| Self::expand(buffer, &value)))
    }

    fn expand(buffer: Buffer<'c>, value: &TermValue) -> Result<Self, Reason> {
        let modes: Vec<Vec<(Option<i64>, Option<i64>)>> = match value {
            TermValue::Static(Value::Layout(layout)) => {
                let leaves = |mode: &Layout| {
                    let simple = mode.coalesce().unwrap_or_else(|_| mode.clone());
                    simple.flat().iter().map(|&(e, s)| (Some(e), Some(s))).collect()
                };
                layout.modes().iter().map(leaves).collect()
            }
            TermValue::Symbolic { value: Value::Layout(layout), .. } => {
                let known = |leaf: &layout_algebra::Expr| leaf.as_constant();
                let modes = layout.modes();
                let leaves = modes.iter().map(|mode| {
                    let simple = mode.coalesce().unwrap_or_else(|_| mode.clone());
                    simple.flat().iter().map(|(e, s)| (known(e), known(s))).collect()
                });
                leaves.collect()
            }
            _ => return Err("expected a layout without an offset".to_owned()),
        };
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (i, leaves) in modes.iter().enumerate() {
            order.extend((0..leaves.len()).rev().map(|j| (i, j)));
        }
        let stride = |&(i, j): &(usize, usize)| modes[i][j].1;
        if order.iter().any(|at| stride(at) == Some(0) && modes[at.0][at.1].0 != Some(1)) {
            return Err("expected strides other than 0".to_owned());
        }
        if order.iter().all(|at| stride(at).is_some()) {
            order.sort_by_key(|at| std::cmp::Reverse(stride(at)));
        }
        let dimensions: Vec<_> = order.iter().map(|&(i, j)| modes[i][j]).collect();
        let place = |at: (usize, usize)| order.iter().position(|&own| own == at).unwrap_or(0);
        let leaf = |i: usize, j: usize| Leaf { extent: modes[i][j].0, dimension: place((i, j)) };
        let modes = modes
            .iter()
            .enumerate()
            .map(|(i, leaves)| (0..leaves.len()).map(|j| leaf(i, j)).collect())
            .collect();
        Ok(Self { r#type: buffer.with_strides(&dimensions), modes })
    }

    /// How many dimensions it has.
    pub(super) fn rank(&self) -> usize {
        self.modes.iter().map(Vec::len).sum()
    }

    /// The leaves in the sequence of the dimensions, each with its mode and its number in it.
    pub(super) fn dimensions(&self) -> Vec<(usize, usize, Leaf)> {
        let mut all = Vec::with_capacity(self.rank());
        for (i, leaves) in self.modes.iter().enumerate() {
            all.extend(leaves.iter().enumerate().map(|(j, &leaf)| (i, j, leaf)));
        }
        all.sort_by_key(|(_, _, leaf)| leaf.dimension);
        all
    }
}
