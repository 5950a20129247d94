//! Relayout copies: a kernel of its own copies an operand that bulk copies cannot take to a workspace whose rows start
//! at multiples of 128 bytes. It reads and writes the operand once more than the matmul must, and the matmul then runs
//! as on an aligned operand.
//!
//! Where the instruction takes one order only, the copy transposes what is in the other.
//!
//! A matrix in blocks that no tile of a copy fits is copied digit by digit ([`DigitMatrix`]): two digits of its
//! coordinates are the modes of a matrix in tiles, and all others number such matrices as a batch does. So
//! every plain layout has a copy.
//!
//! 16 bytes would be enough for the copy engine, but a box's rows of 128 bytes would then lie in two
//! cache lines each.

use crate::matmul::{
    elementwise::TilePartition,
    emit::{Emit, Emitted, Extent},
    mainloop::{
        bulk_copy::{digits, whole_blocks},
        known,
    },
    operand::{Memory, Operand},
    partition::Major,
};
use layout_algebra::Layout;
use layout_dialect::{
    atoms::{
        Atom,
        tensor_map::{self, Digit, misfit},
    },
    build::{Builder, Val},
};

/// Threads of a block.
const THREADS: i64 = 256;

/// Elements along the contiguous mode, and along the other, that a block copies.
const TILE: (i64, i64) = (512, 8);

/// The tile of a copy that transposes, which reads and writes a few contiguous elements; [`TILE`] otherwise.
const TRANSPOSE_TILE: (i64, i64) = (64, 64);

/// Bytes of a cache line.
const LINE: i64 = 128;

/// How an operand is copied.
#[derive(Debug)]
pub(crate) struct Relayout {
    /// The workspace's layout.
    pub(crate) layout: Layout,
    /// The name in those of kernels and workspaces of this operand.
    pub(crate) name: &'static str,
    /// The part of each thread.
    pub(crate) shares: TilePartition,
    /// The atoms that read or write the operand, and the workspace.
    operand: &'static Atom,
    workspace: &'static Atom,
    /// Elements of a thread.
    held: i64,
    /// Term: both matrices digit by digit, where no tile fits their blocks.
    digits: Option<String>,
}

impl Relayout {
    /// A copy of an operand, with the widest vectors that its alignment proves: along the mode that it
    /// is contiguous in, or always `along_k`.
    pub(crate) fn new(
        name: &'static str,
        memory: Memory<'_>,
        along_k: bool,
    ) -> Result<Self, String> {
        let Memory { layout, element_bytes, .. } = memory;
        let granule = LINE / element_bytes;
        let operand = Operand::new(name, memory)?;
        let (rows, columns) = operand.extent;
        let modes = layout.modes();
        let contiguous =
            |mode: &Layout| mode.flat().first().is_some_and(|&(_, stride)| stride == 1);
        let by_rows =
            modes.first().is_some_and(contiguous) && !modes.get(1).is_some_and(contiguous);
        let padded = |extent: i64| {
            extent
                .checked_add(granule - 1)
                .map(|extent| extent / granule * granule)
                .ok_or_else(|| format!("expected {name} with smaller extents, found {layout}"))
        };
        let turned = by_rows && along_k;
        let (major, strides, tile) = match by_rows {
            true if turned => (Major::Outer, (padded(columns)?, 1), TRANSPOSE_TILE),
            true => (Major::Outer, (1, padded(rows)?), TILE),
            false => (Major::Reduction, (padded(columns)?, 1), (TILE.1, TILE.0)),
        };
        let tile = fitting(&modes, tile);
        let fits = whole_blocks(name, layout, tile, element_bytes).is_ok();
        let vector = if operand.major == major { operand.vector } else { 1 };
        // One matrix for all of a batch is copied once.
        let moves = |batch: &Layout| {
            batch.flat().iter().any(|&(extent, stride)| extent != 1 && stride != 0)
        };
        let each = operand.batch.filter(|_| modes.get(2).is_some_and(moves));
        let text = match operand.batch {
            None => format!("({rows},{columns}):({},{})", strides.0, strides.1),
            Some(batch) => {
                let (lines, pitch) =
                    if strides.1 == 1 { (rows, strides.0) } else { (columns, strides.1) };
                let batch_stride =
                    each.map_or(Some(0), |_| lines.checked_mul(pitch)).ok_or_else(|| {
                        format!("expected {name} with smaller extents, found {layout}")
                    })?;
                format!("({rows},{columns},{batch}):({},{},{batch_stride})", strides.0, strides.1)
            }
        };
        let workspace = text.parse().map_err(|error: layout_algebra::Error| error.to_string())?;
        let same = |vector: i64| known(&format!("simt_{vector}"));
        if !fits {
            let digits = DigitMatrix::new(layout, each.is_some(), &workspace, memory)?;
            return Ok(Self {
                layout: workspace,
                name,
                operand: same(digits.vectors.0)?,
                workspace: same(digits.vectors.1)?,
                held: digits.tile.0 * digits.tile.1 / THREADS,
                shares: digits.shares()?,
                digits: Some(digits.term),
            });
        }
        Ok(Self {
            layout: workspace,
            name,
            shares: TilePartition::new((operand.extent, each), tile, THREADS, major, vector)?,
            operand: same(vector)?,
            workspace: same(if turned { 1 } else { vector })?,
            held: tile.0 * tile.1 / THREADS,
            digits: None,
        })
    }

    /// The copy of an operand that is one to a workspace of this layout.
    ///
    /// # Errors
    ///
    /// A layout that no copy has.
    pub(crate) fn to(
        name: &'static str,
        memory: Memory<'_>,
        workspace: &Layout,
    ) -> Result<Self, String> {
        let along_k = workspace
            .mode(1)
            .is_some_and(|mode| mode.flat().iter().any(|&(_, stride)| stride == 1));
        let own = Self::new(name, memory, along_k)?;
        if own.layout != *workspace {
            return Err(format!(
                "expected the relayout copy of {name} to be {}, found {workspace}",
                own.layout
            ));
        }
        Ok(own)
    }

    /// Emits the body of a kernel that copies the operand to the workspace.
    pub(crate) fn pack<'c>(
        &self,
        builder: Builder<'c>,
        element: &str,
        operand: Val<'c>,
        workspace: Val<'c>,
    ) -> Emitted<()> {
        self.emit(builder, element, (self.operand, operand), (self.workspace, workspace))
    }

    /// Emits the body of a kernel that copies the workspace to the operand.
    pub(crate) fn unpack<'c>(
        &self,
        builder: Builder<'c>,
        element: &str,
        workspace: Val<'c>,
        operand: Val<'c>,
    ) -> Emitted<()> {
        self.emit(builder, element, (self.workspace, workspace), (self.operand, operand))
    }

    /// Emits the kernel's body: every thread reads all of its share before it writes.
    fn emit<'c>(
        &self,
        builder: Builder<'c>,
        element: &str,
        (load, source): (&Atom, Val<'c>),
        (store, target): (&Atom, Val<'c>),
    ) -> Emitted<()> {
        let e = Emit { b: builder };
        let here = self.shares.thread_slice(e)?;
        let seen = |view| match &self.digits {
            Some(term) => e.algebra("layout.composition", view, term),
            None => Ok(view),
        };
        let (source, target) = (here.of(seen(source)?)?, here.of(seen(target)?)?);
        let (rows, columns) = self.shares.extent;
        let extent = (Extent::Known(rows), Extent::Known(columns));
        let predicates = here.predicates(self.shares.extent, extent)?;
        let held = e.registers(element, &[self.held])?;
        e.copy(load.name, source, held, &predicates)?;
        e.copy(store.name, held, target, &predicates)?;
        e.b.operation("gpu.return", &[], &[], &[], vec![])?;
        Ok(())
    }
}

/// A matrix, or a batch of them, digit by digit: the contiguous digit of its coordinates and the largest of
/// the others are the modes of matrices that any tile fits, of which the other digits are the batch.
struct DigitMatrix {
    /// Term: what a matrix is composed with.
    term: String,
    extent: (i64, i64),
    batch: Option<i64>,
    tile: (i64, i64),
    /// Elements of a vector of the operand, and of the workspace.
    vectors: (i64, i64),
}

impl DigitMatrix {
    /// How the operand `layout`, which lies in `memory`, and the workspace are taken apart: a matrix for `each` of a
    /// batch, or one for all.
    fn new(
        layout: &Layout,
        each: bool,
        workspace: &Layout,
        memory: Memory<'_>,
    ) -> Result<Self, String> {
        const MAX_VECTOR_BYTES: i64 = 16;
        const ELEMENTS: i64 = 4096;
        const MAX_TILE: i64 = 512;
        let too_large = || format!("expected a matrix with smaller extents, found {layout}");
        // Each digit, and what one step of it adds to the index of an element.
        let mut digits: Vec<(Digit, i64)> = Vec::new();
        let mut before = 1_i64;
        for mode in layout.modes().into_iter().take(if each { 3 } else { 2 }) {
            for digit in tensor_map::digits(&mode).into_iter().filter(|digit| digit.extent != 1) {
                let step = before.checked_mul(digit.block).ok_or_else(too_large)?;
                digits.push((digit, step));
            }
            before = before.checked_mul(mode.size()).ok_or_else(too_large)?;
        }
        let mut take = |order: &dyn Fn(&Digit) -> (bool, i64)| {
            let best = (0..digits.len()).max_by_key(|&i| (order(&digits[i].0), usize::MAX - i));
            best.map(|i| digits.remove(i))
        };
        let first = take(&|digit| (digit.stride == 1, digit.extent));
        let second = take(&|digit| (digit.stride != 0, digit.extent));
        let extent_of =
            |taken: &Option<(Digit, i64)>| taken.map_or((1, 0), |(d, step)| (d.extent, step));
        let ((x, step_x), (y, step_y)) = (extent_of(&first), extent_of(&second));
        let shape: Vec<String> = digits.iter().map(|(digit, _)| digit.extent.to_string()).collect();
        let steps: Vec<String> = digits.iter().map(|(_, step)| step.to_string()).collect();
        let (batch, term) = match digits.as_slice() {
            [] => (None, format!("({x},{y}):({step_x},{step_y})")),
            all => {
                let count = all.iter().try_fold(1_i64, |n, (digit, _)| n.checked_mul(digit.extent));
                let term = format!(
                    "({x},{y},({})):({step_x},{step_y},({}))",
                    shape.join(","),
                    steps.join(",")
                );
                (Some(count.ok_or_else(too_large)?), term)
            }
        };
        // Aligned runs of this length are contiguous in the operand and in the workspace.
        let widest = |contiguous: bool, alignment: i64, strides: &[i64]| {
            let mut vector = 1;
            while contiguous
                && 2 * vector * memory.element_bytes <= MAX_VECTOR_BYTES.min(alignment)
                && x % (2 * vector) == 0
                && strides.iter().all(|stride| stride % (2 * vector) == 0)
            {
                vector *= 2;
            }
            vector
        };
        let contiguous = first.is_some_and(|(digit, _)| digit.stride == 1);
        let others: Vec<i64> =
            digits.iter().chain(&second).map(|(digit, _)| digit.stride).collect();
        let read = widest(contiguous, memory.alignment, &others);
        let at = |step: i64| workspace.at(step).map_err(|error| error.to_string());
        let others = digits.iter().chain(&second).map(|&(_, step)| at(step));
        let others = others.collect::<Result<Vec<_>, String>>()?;
        let in_a_row = contiguous && at(step_x)? == 1;
        let written = if in_a_row { widest(true, MAX_VECTOR_BYTES, &others).min(read) } else { 1 };
        let cover = |extent: i64| u64::try_from(extent).unwrap_or(1).next_power_of_two() as i64;
        let along = cover(x.min(MAX_TILE)).max(read).min(MAX_TILE);
        let across = cover(y.min(ELEMENTS)).min(ELEMENTS / along);
        // Threads have a vector each, at least.
        let across = across.max((THREADS * read + along - 1) / along);
        let (extent, tile) = ((x, y), (along, across));
        Ok(Self { term, extent, batch, tile, vectors: (read, written) })
    }

    fn shares(&self) -> Result<TilePartition, String> {
        let Self { extent, batch, tile, vectors, .. } = *self;
        TilePartition::new((extent, batch), tile, THREADS, Major::Outer, vectors.0)
    }
}

/// A tile with the same number of elements, of which each extent fits the blocks of a matrix whose modes have several
/// strides: the one that is as it was, or else a power of two.
fn fitting(modes: &[Layout], tile: (i64, i64)) -> (i64, i64) {
    let fits = |(rows, columns): (i64, i64)| {
        let own = modes.iter().map(digits).zip([rows, columns]);
        own.into_iter().all(|(digits, extent)| misfit(&digits, extent, extent).is_none())
    };
    let size = tile.0 * tile.1;
    let others = (0..=size.ilog2()).map(|bits| (size >> bits, 1_i64 << bits));
    // The one that is nearest to what it was.
    let distance = |&(rows, _): &(i64, i64)| (rows.ilog2().abs_diff(tile.0.ilog2()), rows);
    if fits(tile) { tile } else { others.filter(|&t| fits(t)).min_by_key(distance).unwrap_or(tile) }
}

#[cfg(test)]
#[path = "../../../tests/matmul/relayout.rs"]
mod tests;
