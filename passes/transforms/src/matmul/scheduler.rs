//! Tile schedulers: a map from the index of a block's work to a tile of C, its problem of a group, its matrix of a
//! batch, the range of K, and the destination of its accumulators.
//!
//! | variant | a block computes |
//! |---|---|
//! | data-parallel | one tile, whose place is the block's |
//! | persistent | several tiles, with a stride of the number of blocks |
//! | split-K ([`split_k`]) | several tiles, each accumulated over one slice of K |
//! | stream-K ([`stream_k`]) | its part of an even division of the steps along K of all tiles |
//!
//! Each of them goes over the tiles in an order ([`raster`]), and over those of several problems one problem after the
//! other ([`grouped`]). [`TileScheduler`] is the map as it is decided, [`tiles::Tiles`] as it is in a kernel; pipelines
//! know nothing else of it.
//!
//! Imports the emitter, partitions, elementwise kernels and stores; knows nothing of mainloops and launches.

pub(crate) mod grouped;
pub(crate) mod raster;
pub(crate) mod split_k;
pub(crate) mod stream_k;
pub(crate) mod tiles;

use crate::matmul::{
    elementwise::Place,
    emit::{Emit, Emitted, Extents},
    epilogue::{fusion::Bound, store::Store},
    limits,
    operand::Memory,
    problem::Problem,
};
use layout_algebra::Layout;
use layout_dialect::{
    atoms::MmaAtom,
    build::{Builder, Val, result},
};
use split_k::SplitK;
use stream_k::StreamK;

/// The assignment of the tiles of a GEMM to blocks.
pub(crate) struct TileScheduler {
    /// M, N and K of the GEMM, after `swap_ab`.
    pub(crate) extents: (i64, i64, i64),
    /// Matrices, where there is a batch of them.
    pub(crate) batch: Option<i64>,
    /// M, N and K of a tile.
    pub(crate) tile: (i64, i64, i64),
    /// Blocks of a cluster along M and N.
    pub(crate) cluster: (i64, i64),
    /// Whether one tile covers the rows of C, and its columns, whatever they are at run time.
    pub(crate) covered: (bool, bool),
    /// The order of clusters of tiles that a schedule gives.
    pub(crate) raster: Option<Layout>,
    /// Whether blocks take several tiles, of as many as the grid has.
    pub(crate) loops: bool,
    pub(crate) work: Work,
}

/// The part of the tiles that is the work of a block.
pub(crate) enum Work {
    /// One tile.
    DataParallel,
    /// Tiles round-robin.
    Persistent,
    /// Tiles round-robin, and a slice of K of each.
    SplitK(SplitK),
    /// Steps of all tiles.
    StreamK(StreamK),
}

impl TileScheduler {
    /// Tiles along M and N, in whole clusters.
    pub(crate) fn tiles(&self) -> (i64, i64) {
        let cover = |extent: i64, tile: i64| (extent - 1) / tile + 1;
        let ((m, n, _), (rows, columns, _), (cm, cn)) = (self.extents, self.tile, self.cluster);
        let rows = if self.covered.0 { 1 } else { cover(m, rows) };
        let columns = if self.covered.1 { 1 } else { cover(n, columns) };
        (cover(rows, cm) * cm, cover(columns, cn) * cn)
    }

    /// Tiles of all matrices.
    pub(crate) fn all_tiles(&self) -> i64 {
        let (rows, columns) = self.tiles();
        rows.saturating_mul(columns).saturating_mul(self.batch.unwrap_or(1))
    }

    /// Whether some tiles are not whole ones, along M and along N.
    pub(crate) fn ragged(&self) -> (bool, bool) {
        let ((m, n, _), (rows, columns, _), tiles) = (self.extents, self.tile, self.tiles());
        (m != tiles.0 * rows, n != tiles.1 * columns)
    }

    /// The number of slices of K; 1 without split-K.
    pub(crate) fn split_k(&self) -> i64 {
        match &self.work {
            Work::SplitK(split) => split.count,
            _ => 1,
        }
    }

    /// Tiles along K.
    pub(crate) fn k_tiles(&self) -> i64 {
        (self.extents.2 - 1) / self.tile.2 + 1
    }

    /// Tiles along K that a block sums up.
    pub(crate) fn depth(&self) -> i64 {
        (self.k_tiles() - 1) / self.split_k() + 1
    }

    /// Whether blocks take tiles round-robin, so that a grid that fills the device is enough.
    pub(crate) fn is_persistent(&self) -> bool {
        self.loops && matches!(self.work, Work::Persistent | Work::SplitK(_))
    }

    /// Whether the grid has a block for each row and column of tiles, which is its place in C.
    pub(crate) fn is_grid(&self) -> bool {
        matches!(self.work, Work::DataParallel) && self.is_by_columns()
    }

    /// Whether tiles are taken column by column: what the grid does of itself.
    pub(crate) fn is_by_columns(&self) -> bool {
        !self.loops && self.raster.is_none()
    }

    /// Takes the raster order and the part of K that blocks have from a schedule, and says how partial sums of split-K
    /// are stored. Warps, or warpgroups, have parts of a block's tile.
    pub(crate) fn share_k(
        &mut self,
        problem: &Problem<'_>,
        tiles: ((i64, i64), (i64, i64)),
        tiled: &MmaAtom,
    ) -> Result<Option<Store>, String> {
        let (schedule, k_tiles) = (problem.schedule, self.k_tiles());
        if schedule.split_k > k_tiles {
            return Err(format!(
                "expected at most {k_tiles} for 'split_k', the tiles along K, found {}",
                schedule.split_k
            ));
        }
        limits::at_run_time(problem, self.covered)?;
        self.check_raster()?;
        let (rows, columns) = problem.modes();
        let is_open = |name: &str| problem.sizes.get(name).is_some();
        let open = (is_open(rows) && !self.covered.0)
            || (is_open(columns) && !self.covered.1)
            || is_open("batch");
        let steps = ((!open).then(|| self.all_tiles()), k_tiles);
        if let Some(stream_k) = StreamK::new(schedule, steps, tiles, tiled, problem.result())? {
            self.work = Work::StreamK(stream_k);
        }
        if schedule.split_k == 1 {
            return Ok(None);
        }
        // As many tiles as sizes that are known at run time allow.
        let (most, (rows, columns, _)) = (problem.most(), self.tile);
        let at_most = |most: Option<i64>, tile: i64, cluster: i64, tiles: i64| match most {
            Some(most) => ((most.max(1) - 1) / tile / cluster + 1) * cluster,
            None => tiles,
        };
        let part = (
            at_most(most.0, rows, self.cluster.0, self.tiles().0),
            at_most(most.1, columns, self.cluster.1, self.tiles().1),
        );
        let split = SplitK::new(problem, part, (rows, columns), schedule.split_k)?;
        let store = Store::direct(Memory::workspace(&split.layout, 4), tiles, tiled)?;
        self.work = Work::SplitK(split);
        Ok(Some(store))
    }

    /// The work of all blocks: what their indices are below.
    pub(crate) fn blocks(&self) -> i64 {
        match &self.work {
            Work::StreamK(stream_k) => stream_k.blocks,
            _ => self.all_tiles().saturating_mul(self.split_k()),
        }
    }

    /// The grid of a kernel of these GEMMs.
    pub(crate) fn grid(gemms: &[&Self]) -> (i64, i64) {
        match gemms {
            [one] if one.is_grid() => {
                let (rows, columns) = one.tiles();
                (rows.saturating_mul(one.batch.unwrap_or(1)), columns)
            }
            _ => {
                let blocks = gemms.iter().map(|gemm| gemm.blocks());
                (blocks.fold(0, i64::saturating_add), 1)
            }
        }
    }

    /// The grid as expressions, from those of the tiles along M and N and of the matrices.
    pub(crate) fn grid_at_run_time(&self, [rows, columns, matrices]: [String; 3]) -> [String; 2] {
        match (&self.work, self.split_k()) {
            (Work::StreamK(stream_k), _) => [stream_k.blocks.to_string(), "1".to_owned()],
            (Work::DataParallel, _) => [format!("{rows}*{matrices}"), columns],
            (_, 1) => [format!("{rows}*{columns}*{matrices}"), "1".to_owned()],
            (_, split_k) => [format!("{rows}*{columns}*{matrices}*{split_k}"), "1".to_owned()],
        }
    }

    /// The workspace of partial sums, and the launch of the kernel that makes them C, where there are any.
    pub(crate) fn partials(&self) -> Option<(&Layout, Place)> {
        match &self.work {
            Work::DataParallel | Work::Persistent => None,
            Work::SplitK(split) => Some((&split.layout, split.shares.launch())),
            Work::StreamK(stream_k) => {
                let parts = stream_k.partial.as_ref()?;
                Some((&parts.layout, stream_k.launch(parts)))
            }
        }
    }

    /// Emits the kernel that makes partial sums C.
    pub(crate) fn reduce<'c>(
        &self,
        builder: Builder<'c>,
        [partials, c]: [Val<'c>; 2],
        fused: Option<Bound<'_, 'c>>,
        extents: &Extents<'c>,
    ) -> Emitted<()> {
        match &self.work {
            Work::DataParallel | Work::Persistent => Ok(()),
            Work::SplitK(split) => split.emit(builder, partials, c, fused, (extents.m, extents.n)),
            Work::StreamK(stream_k) => match &stream_k.partial {
                Some(parts) => stream_k.sum((parts, self, extents), builder, [partials, c], fused),
                None => Ok(()),
            },
        }
    }

    /// A tile's extents, as what divides a matrix or a batch of them.
    pub(crate) fn tiler(&self, (rows, columns): (i64, i64)) -> String {
        match self.batch {
            None => format!("({rows},{columns})"),
            Some(_) => format!("({rows},{columns},1)"),
        }
    }

    /// The pattern that names a tile of a matrix, or of a batch of them.
    pub(crate) fn place(&self) -> &'static str {
        if self.batch.is_some() { "(?,?,?)" } else { "(?,?)" }
    }

    /// The coordinates of a tile by its column-major number.
    fn coordinates<'c>(&self, e: &Emit<'c>, number: Val<'c>) -> Emitted<Vec<Val<'c>>> {
        let (rows, columns) = self.tiles();
        let shape = match self.batch {
            None => format!("({rows},{columns})"),
            Some(batch) => format!("({rows},{columns},{batch})"),
        };
        let coordinates = e.idx2crd(number, &shape)?;
        Ok((0..if self.batch.is_some() { 3 } else { 2 }).map(|i| result(coordinates, i)).collect())
    }

    /// The coordinates of a tile by its number in the raster order, which is [`Self::raster`]; none is by columns.
    pub(crate) fn place_of<'c>(
        &self,
        e: &Emit<'c>,
        raster: Option<Val<'c>>,
        tile: Val<'c>,
    ) -> Emitted<Vec<Val<'c>>> {
        let number = raster.map_or(Ok(tile), |raster| e.crd2idx(raster, "?", &[tile]))?;
        self.coordinates(e, number)
    }
}
