//! Elementwise kernels over one matrix, a tile for each block: the partition of a tile among threads, and its
//! predicates. Imports the emitter, partitions and epilogues.

use crate::matmul::{
    emit::{Emit, Emitted, Extent, Predicate},
    epilogue::fusion::Bound,
    partition::{self, Major},
};
use layout_dialect::build::Val;

/// Blocks along x and y, and threads of a block.
pub(crate) type Place = ((i64, i64), i64);

/// How a matrix is divided among blocks, and a block's tile among its threads.
#[derive(Debug)]
pub(crate) struct TilePartition {
    /// Extents of the matrix.
    pub(crate) extent: (i64, i64),
    /// Matrices, where there are several: each has blocks of its own.
    batch: Option<i64>,
    tile: (i64, i64),
    threads: i64,
    partition: String,
}

impl TilePartition {
    /// Tiles for blocks of `threads` threads, each with vectors of `vector` elements along the mode
    /// that is contiguous.
    pub(crate) fn new(
        (extent, batch): ((i64, i64), Option<i64>),
        tile: (i64, i64),
        threads: i64,
        major: Major,
        vector: i64,
    ) -> Result<Self, String> {
        let partition = partition::copy(tile, threads, major, vector)?;
        Ok(Self { extent, batch, tile, threads, partition })
    }

    pub(crate) fn launch(&self) -> Place {
        let (rows, columns) = self.tiles();
        ((rows.saturating_mul(self.batch.unwrap_or(1)), columns), self.threads)
    }

    /// A block's tile, and how its threads share it.
    pub(crate) fn arrangement(&self) -> ((i64, i64), &str) {
        (self.tile, &self.partition)
    }

    fn tiles(&self) -> (i64, i64) {
        let cover = |extent: i64, tile: i64| (extent - 1) / tile + 1;
        (cover(self.extent.0, self.tile.0), cover(self.extent.1, self.tile.1))
    }

    /// The running thread's slice.
    pub(crate) fn thread_slice<'c>(&self, e: Emit<'c>) -> Emitted<ThreadSlice<'_, 'c>> {
        let thread = e.hardware_index("gpu.thread_id", "x")?;
        let blocks =
            [e.hardware_index("gpu.block_id", "x")?, e.hardware_index("gpu.block_id", "y")?];
        let rows = Extent::Known(self.tiles().0);
        let (row, number) = e.row_of(blocks[0], rows, self.batch.map(Extent::Known))?;
        Ok(ThreadSlice { shares: self, e, coordinate: [thread, row, blocks[1]], number })
    }
}

/// The running thread's slice of the tile.
pub(crate) struct ThreadSlice<'s, 'c> {
    shares: &'s TilePartition,
    e: Emit<'c>,
    /// Thread, and block along rows and columns.
    coordinate: [Val<'c>; 3],
    /// The matrix of the batch.
    number: Option<Val<'c>>,
}

impl<'c> ThreadSlice<'_, 'c> {
    /// The matrix of a batch that is the block's.
    pub(crate) fn matrix(&self, view: Val<'c>) -> Emitted<Val<'c>> {
        self.e.matrix(view, self.number)
    }

    /// An epilogue of that matrix.
    pub(crate) fn epilogue<'f>(&self, fused: Bound<'f, 'c>) -> Emitted<Bound<'f, 'c>> {
        fused.of_matrix(&self.e, self.number)
    }

    /// The thread's share of a view.
    pub(crate) fn of(&self, view: Val<'c>) -> Emitted<Val<'c>> {
        let TilePartition { tile, partition, .. } = self.shares;
        let view = self.matrix(view)?;
        let tiles =
            self.e.algebra("layout.zipped_divide", view, &format!("({},{})", tile.0, tile.1))?;
        let arranged = self.e.algebra("layout.composition", tiles, &format!("<{partition}, _>"))?;
        self.e.slice(arranged, "(((?,_),_),(?,?))", &self.coordinate)
    }

    /// The predicates that keep the slice within a matrix of these extents: `static_extent` as the kernel is compiled for,
    /// `extent` as it runs.
    pub(crate) fn predicates(
        &self,
        static_extent: (i64, i64),
        extent: (Extent<'c>, Extent<'c>),
    ) -> Emitted<Vec<Predicate<'c>>> {
        let tile = self.shares.tile;
        let ragged = (static_extent.0 % tile.0 != 0, static_extent.1 % tile.1 != 0);
        Predicate::each(&self.e.predicates(extent, None, ragged)?, |view| self.of(view))
    }
}
