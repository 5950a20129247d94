//! An operand in global memory: which mode is contiguous, and how wide a vectorised access may be. Imports partitions.

use crate::{matmul::partition::Major, pointers::ASSUMED};
use layout_algebra::{Layout, gcd};

/// Bytes that a copy instruction moves at most.
const WIDEST_COPY: i64 = 16;

/// Where an operand is.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) element_bytes: i64,
    /// Bytes that its address is a multiple of.
    pub(crate) alignment: i64,
    /// Whether it is a workspace, whose gaps may be written.
    pub(crate) is_workspace: bool,
    /// Whether a stride is known at run time; a number stands for it in the layout.
    pub(crate) is_strided: bool,
}

impl<'a> Memory<'a> {
    /// A workspace.
    pub(crate) fn workspace(layout: &'a Layout, element_bytes: i64) -> Self {
        Self { layout, element_bytes, alignment: ASSUMED, is_workspace: true, is_strided: false }
    }
}

/// An operand's extents and how its tiles are copied.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// Extents of the two modes: `(M,K)` of A, `(N,K)` of B, `(M,N)` of C.
    pub(crate) extent: (i64, i64),
    /// Matrices, where there is a mode for them.
    pub(crate) batch: Option<i64>,
    /// The mode along which vectors run.
    pub(crate) major: Major,
    /// Elements a vector may hold: every vector-aligned coordinate along `major` has an offset
    /// that is a multiple of this, and the extents end on a vector.
    pub(crate) vector: i64,
}

impl Operand {
    /// Reads an operand's layout.
    ///
    /// # Errors
    ///
    /// When the layout is not of rank 2, or of rank 3 with a batch.
    pub(crate) fn new(name: &str, memory: Memory<'_>) -> Result<Self, String> {
        let Memory { layout, element_bytes, alignment, is_strided, .. } = memory;
        let modes = layout.modes();
        let (outer, reduction, batch) = match modes.as_slice() {
            [outer, reduction] => (outer, reduction, None),
            [outer, reduction, batch] => (outer, reduction, Some(batch)),
            _ => return Err(format!("expected {name} of rank 2 or 3, found {layout}")),
        };
        let widest = (WIDEST_COPY.min(alignment) / element_bytes).max(1);
        let by_outer = vector(outer, reduction, batch, widest);
        let by_reduction = vector(reduction, outer, batch, widest);
        let (major, vector) = if by_outer > by_reduction {
            (Major::Outer, by_outer)
        } else {
            (Major::Reduction, by_reduction)
        };
        let batch = batch.map(Layout::size);
        let vector = if is_strided { 1 } else { vector };
        Ok(Self { extent: (outer.size(), reduction.size()), batch, major, vector })
    }
}

/// The widest power of two `v <= widest` such that along `contiguous`, aligned runs of `v`
/// elements are contiguous, and every such run of the operand starts at a multiple of `v`.
fn vector(contiguous: &Layout, other: &Layout, batch: Option<&Layout>, widest: i64) -> i64 {
    let mut leaves = reached(contiguous);
    let Some((extent, 1)) = leaves.next() else { return 1 };
    // No tile goes beyond a matrix of the batch to the next.
    let starts = batch.map(Layout::flat).into_iter().flatten().filter(|&(extent, _)| extent != 1);
    let rest = leaves.chain(reached(other)).chain(starts);
    let common = rest.fold(extent, |common, (_, stride)| gcd(common, stride));
    let mut vector = 1;
    while vector < widest && common % (2 * vector) == 0 {
        vector *= 2;
    }
    vector
}

/// The leaves of a mode whose strides add to offsets: those of extent 1 do not, except the last
/// one, in which a tile that is larger than the operand continues.
fn reached(mode: &Layout) -> impl Iterator<Item = (i64, i64)> {
    let leaves = mode.flat();
    let last = leaves.len().saturating_sub(1);
    let counts = move |&(i, (extent, _)): &(usize, (i64, i64))| extent != 1 || i == last;
    leaves.into_iter().enumerate().filter(counts).map(|(_, leaf)| leaf)
}

#[cfg(test)]
#[path = "../../tests/matmul/operand.rs"]
mod tests;
