//! The tiles of a kernel's problems, as its blocks take them: operations that map an index of work to a tile.

use super::{
    TileScheduler, Work,
    grouped::{self, Range, Split},
    raster::Raster,
    split_k, stream_k,
    stream_k::StreamK,
};
use crate::matmul::{
    emit::{Emit, Emitted, Extent, Extents},
    sizes,
};
use layout_dialect::build::{Val, result};
use melior::ir::{Region, Type};

/// A tile of C, in a problem.
pub(crate) struct Tile<'c> {
    /// Its number among those of the problem.
    number: Val<'c>,
    /// Row, column, and matrix of a batch.
    pub(crate) at: Vec<Val<'c>>,
    /// The slice of K that is accumulated, if there are several.
    part: Option<Val<'c>>,
}

/// The tiles of a kernel's problems.
pub(crate) struct Tiles<'p, 'c> {
    all: Vec<Scheduled<'p, 'c>>,
    ranges: Vec<Range>,
    split: Split,
    /// The block's share of stream-K.
    share: Option<(&'p StreamK, stream_k::Work<'c>)>,
}

/// The tiles of one problem.
struct Scheduled<'p, 'c> {
    scheduler: &'p TileScheduler,
    raster: Raster<'c>,
    extents: Extents<'c>,
}

/// Emits the work on a tile, given the problem's number.
pub(crate) type ForTile<'a, 'c> = &'a dyn Fn(&Emit<'c>, usize, &Tile<'c>) -> Emitted<()>;

impl<'p, 'c> Tiles<'p, 'c> {
    /// The tiles of problems of these extents, for the block that runs.
    pub(crate) fn new(
        e: &Emit<'c>,
        gemms: impl Iterator<Item = (&'p TileScheduler, Extents<'c>)>,
        block: Val<'c>,
    ) -> Emitted<Self> {
        let gemms: Vec<_> = gemms.collect();
        let mut all = Vec::with_capacity(gemms.len());
        for &(scheduler, extents) in &gemms {
            let raster = match gemms.len() {
                1 if scheduler.is_grid() => Raster::Grid(e.hardware_index("gpu.block_id", "y")?),
                1 => Raster::new(e, scheduler, &extents)?,
                _ if scheduler.is_by_columns() => Raster::Columns,
                _ => Raster::new(e, scheduler, &extents)?,
            };
            all.push(Scheduled { scheduler, raster, extents });
        }
        let first = gemms.first().map(|&(scheduler, _)| scheduler);
        let split = match first.map(|first| &first.work) {
            Some(Work::DataParallel) => Split::Half,
            _ => Split::First,
        };
        let share = match (first.map(|first| &first.work), all.first()) {
            (Some(Work::StreamK(stream_k)), Some(one)) => {
                Some((stream_k, stream_k.work(e, stream_k.steps(e, &one.raster)?, block)?))
            }
            _ => None,
        };
        let count = |&(gemm, _): &(&TileScheduler, _)| gemm.all_tiles() * gemm.split_k();
        Ok(Self { all, ranges: grouped::ranges(gemms.iter().map(count)), split, share })
    }

    /// Does something for the tile of an index, in a branch for each problem.
    pub(crate) fn tile(&self, e: &Emit<'c>, index: Val<'c>, act: ForTile<'_, 'c>) -> Emitted<()> {
        grouped::of_gemm(e, index, (&self.ranges, self.split), &|e, number, own| {
            act(e, number, &self.all[number].tile(e, own)?)
        })
    }

    /// The step along K of a tile's step.
    pub(crate) fn step(
        &self,
        e: &Emit<'c>,
        (number, tile): (usize, &Tile<'c>),
        step: Val<'c>,
    ) -> Emitted<Val<'c>> {
        let scheduler = self.all[number].scheduler;
        match (tile.part, &self.share) {
            (Some(part), _) => {
                let (depth, split_k) = (scheduler.depth(), scheduler.split_k());
                let all = e.layout(&format!("({depth},{split_k}):(1,{depth})"))?;
                e.crd2idx(all, "(?,?)", &[step, part])
            }
            (None, Some((stream_k, work))) => {
                let part = stream_k.part(e, work, tile.number)?;
                e.b.binary("arith.addi", step, part.skipped)
            }
            (None, None) => Ok(step),
        }
    }

    /// Whether blocks share the steps of tiles.
    pub(crate) fn are_shared(&self) -> bool {
        self.share.is_some()
    }

    /// The number of a tile's steps that are the block's own.
    pub(crate) fn own_steps(
        &self,
        e: &Emit<'c>,
        (number, tile): (usize, &Tile<'c>),
        all: Extent<'c>,
    ) -> Emitted<Extent<'c>> {
        match &self.share {
            Some((stream_k, work)) => Ok(Extent::At(stream_k.part(e, work, tile.number)?.steps)),
            None if tile.part.is_some() => Ok(Extent::Known(self.all[number].scheduler.depth())),
            None => Ok(all),
        }
    }

    /// Stores the tile of an index: `whole` to its destination, and where it is the block's only in part, `partly` to a
    /// place in the workspace.
    pub(crate) fn finish(
        &self,
        e: &Emit<'c>,
        index: Val<'c>,
        whole: &dyn Fn(&Emit<'c>) -> Emitted<()>,
        partly: &dyn Fn(&Emit<'c>, Val<'c>) -> Emitted<()>,
    ) -> Emitted<()> {
        match &self.share {
            None => whole(e),
            Some((stream_k, work)) => stream_k.finish(e, work, index, whole, partly),
        }
    }

    /// The place of a tile's accumulators: in C, or in the partial results of its slice of K, which are concatenated.
    pub(crate) fn destination(
        &self,
        e: &Emit<'c>,
        (number, tile): (usize, &Tile<'c>),
    ) -> Emitted<Vec<Val<'c>>> {
        let scheduler = self.all[number].scheduler;
        match (tile.part, &scheduler.work) {
            (Some(part), Work::SplitK(split)) => split_k::destination(e, split, &tile.at, part),
            _ => Ok(tile.at.clone()),
        }
    }

    /// The indices that the block takes: lower bound, upper bound and step.
    pub(crate) fn bounds(
        &self,
        e: &Emit<'c>,
        block: Val<'c>,
        blocks: Val<'c>,
    ) -> Emitted<[Val<'c>; 3]> {
        if let Some((stream_k, work)) = &self.share {
            return stream_k.tiles(e, work);
        }
        let count = match self.all.as_slice() {
            [Scheduled { raster: Raster::Groups(groups), scheduler, .. }] => {
                let count = Extent::At(groups.count(e)?);
                e.value(e.product(count, Extent::Known(scheduler.split_k()))?)?
            }
            _ => {
                let count = self.ranges.last().map_or(0, |last| last.end());
                e.b.constant(Type::index(e.b.context()), count)?
            }
        };
        Ok([block, count, blocks])
    }

    /// How many steps a tile has at most.
    pub(crate) fn depth(&self) -> i64 {
        let most = |Scheduled { scheduler, extents, .. }: &Scheduled<'_, 'c>| match extents.k {
            Extent::Known(_) => scheduler.depth(),
            Extent::At(_) => sizes::MAX_SIZE / scheduler.tile.2 + 1,
        };
        self.all.iter().map(most).max().unwrap_or(1)
    }

    /// How many steps the tile of an index has, as the region of a pipeline, where that is not the same for all.
    pub(crate) fn steps(&self, e: &Emit<'c>) -> Emitted<Region<'c>> {
        if let Some((stream_k, work)) = &self.share {
            return stream_k.region(e, work);
        }
        let depth = |gemm: &Scheduled<'_, 'c>| gemm.scheduler.depth();
        let Some((last, others)) = self.all.split_last() else { return Ok(Region::new()) };
        if let (Extent::At(_), []) = (last.extents.k, others) {
            let (region, inner) = e.b.region_with(&[Type::index(e.b.context())]);
            let e = Emit { b: inner };
            let steps = e.value(e.cover(last.extents.k, last.scheduler.tile.2, 1)?)?;
            e.b.operation("layout.yield", &[steps], &[], &[], vec![])?;
            return Ok(region);
        }
        if others.iter().all(|other| depth(other) == depth(last)) {
            return Ok(Region::new());
        }
        let index = Type::index(e.b.context());
        let (region, inner) = e.b.region_with(&[index]);
        let tile = inner.argument(0);
        let mut steps = inner.constant(index, depth(last))?;
        for (gemm, range) in others.iter().zip(&self.ranges).rev() {
            let end = inner.constant(index, range.end())?;
            let own = inner.constant(index, depth(gemm))?;
            let before = inner.less(tile, end)?;
            steps = inner.value("arith.select", &[before, own, steps], index, &[])?;
        }
        inner.operation("layout.yield", &[steps], &[], &[], vec![])?;
        Ok(region)
    }
}

impl<'c> Scheduled<'_, 'c> {
    /// A tile by its number among the problem's.
    fn tile(&self, e: &Emit<'c>, number: Val<'c>) -> Emitted<Tile<'c>> {
        let scheduler = self.scheduler;
        let mut part = None;
        let at = match self.raster {
            Raster::Grid(column) => {
                let rows = e.cover(self.extents.m, scheduler.tile.0, 1)?;
                let (row, matrix) = e.row_of(number, rows, self.extents.batch)?;
                [row, column].into_iter().chain(matrix).collect()
            }
            Raster::Groups(groups) => {
                let mut tile = number;
                let split_k = scheduler.split_k();
                if split_k != 1 {
                    // Slices of one tile are next to each other: how many tiles there are is not known.
                    let split_k = e.b.constant(Type::index(e.b.context()), split_k)?;
                    part = Some(e.b.binary("arith.remui", number, split_k)?);
                    tile = e.b.binary("arith.divui", number, split_k)?;
                }
                groups.place_of(e, tile)?
            }
            Raster::Columns | Raster::Layout(_) | Raster::Ragged(_) => {
                let (tiles, split_k) = (scheduler.all_tiles(), scheduler.split_k());
                let mut tile = number;
                if split_k != 1 {
                    let parts = e.idx2crd(number, &format!("({tiles},{split_k})"))?;
                    tile = result(parts, 0);
                    part = Some(result(parts, 1));
                }
                self.raster.place_of(e, scheduler, tile)?
            }
        };
        Ok(Tile { number, at, part })
    }
}
