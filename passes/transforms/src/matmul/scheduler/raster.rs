//! Rasterisation: the order in which blocks take the tiles of C. Blocks that run at the same time compute a nearly square
//! piece of C, so that what they read stays in the L2 cache.
//!
//! The raster is a layout where extents are known and groups of tiles divide them. Otherwise the last group has the remaining
//! rows, and the order is arithmetic.

use crate::matmul::{
    emit::{Emit, Emitted, Extent, Extents},
    scheduler::TileScheduler,
};
use layout_algebra::Layout;
use layout_dialect::build::Val;
use melior::ir::Type;

/// Tiles along one mode that successive blocks take before they continue along the other, at most: near square
/// pieces of C reuse the L2 cache best.
pub(crate) const RASTER_LIMIT: i64 = 16;

/// The order of a problem's tiles: from a tile's number to its place.
#[derive(Clone, Copy)]
pub(crate) enum Raster<'c> {
    /// The number is that of a block along x, for the rows of all matrices; this is its number along y, the column.
    Grid(Val<'c>),
    /// Column by column.
    Columns,
    /// From a block's number to the column-major number of a tile.
    Layout(Val<'c>),
    /// Rows of tiles in groups, of which there are as many as sizes at run time require.
    Groups(Groups<'c>),
    /// The same, of known extents that no group divides.
    Ragged(Groups<'c>),
}

/// The tiles of a problem in groups of rows: along M in a group, along N from there, and then the next group.
#[derive(Clone, Copy)]
pub(crate) struct Groups<'c> {
    /// Clusters along M and N, and matrices of a batch.
    clusters: [Extent<'c>; 2],
    batch: Option<Extent<'c>>,
    /// Blocks of a cluster along M and N.
    cluster: (i64, i64),
    /// Rows of clusters in a group.
    height: i64,
}

impl<'c> Raster<'c> {
    /// The order that a plan requires.
    pub(crate) fn new(
        e: &Emit<'c>,
        scheduler: &TileScheduler,
        extents: &Extents<'c>,
    ) -> Emitted<Self> {
        let rows = scheduler.covered.0 || extents.m.known().is_some();
        let columns = scheduler.covered.1 || extents.n.known().is_some();
        if rows && columns && extents.batch.is_none_or(|batch| batch.known().is_some()) {
            if scheduler.is_by_columns() {
                return Ok(Self::Columns);
            }
            let Some(height) = scheduler.ragged_groups() else {
                return Ok(Self::Layout(e.layout(&scheduler.raster())?));
            };
            let ((rows, columns), cluster) = (scheduler.tiles(), scheduler.cluster);
            let clusters = [rows / cluster.0, columns / cluster.1].map(Extent::Known);
            let batch = scheduler.batch.map(Extent::Known);
            return Ok(Self::Ragged(Groups { clusters, batch, cluster, height }));
        }
        let (cm, cn) = scheduler.cluster;
        let clusters = [
            e.cover(extents.m, scheduler.tile.0.saturating_mul(cm), 1)?,
            e.cover(extents.n, scheduler.tile.1.saturating_mul(cn), 1)?,
        ];
        let (batch, cluster) = (extents.batch, scheduler.cluster);
        Ok(Self::Groups(Groups { clusters, batch, cluster, height: RASTER_LIMIT }))
    }
}

impl<'c> Raster<'c> {
    /// The place of a tile, by its number among those of one problem.
    pub(crate) fn place_of(
        &self,
        e: &Emit<'c>,
        scheduler: &TileScheduler,
        tile: Val<'c>,
    ) -> Emitted<Vec<Val<'c>>> {
        match self {
            Self::Groups(groups) | Self::Ragged(groups) => groups.place_of(e, tile),
            Self::Layout(raster) => scheduler.place_of(e, Some(*raster), tile),
            Self::Columns | Self::Grid(_) => scheduler.place_of(e, None, tile),
        }
    }
}

impl<'c> Groups<'c> {
    /// Tiles of all matrices.
    pub(crate) fn count(&self, e: &Emit<'c>) -> Emitted<Val<'c>> {
        let (cm, cn) = self.cluster;
        let clusters = e.product(self.clusters[0], self.clusters[1])?;
        let all = e.product(clusters, self.batch.unwrap_or(Extent::Known(1)))?;
        e.value(e.product(all, Extent::Known(cm * cn))?)
    }

    /// Where the tile of a number is: its row, its column, and of which matrix of a batch.
    pub(crate) fn place_of(&self, e: &Emit<'c>, tile: Val<'c>) -> Emitted<Vec<Val<'c>>> {
        // Tiles are numbered in 32 bits, as blocks are.
        let word = e.b.integer(32);
        let number = |value: i64| e.b.constant(word, value);
        let narrow = |value: Val<'c>| e.b.value("arith.index_cast", &[value], word, &[]);
        let tile = narrow(tile)?;
        // A divisor that is not 0 lets one division do for all steps of a tile.
        let divide = |a: Val<'c>, b: Val<'c>| -> Emitted<[Val<'c>; 2]> {
            let b = e.b.binary("arith.maxui", b, number(1)?)?;
            let quotient = e.b.binary("arith.divui", a, b)?;
            let whole = e.b.binary("arith.muli", quotient, b)?;
            Ok([quotient, e.b.binary("arith.subi", a, whole)?])
        };
        let (cm, cn) = self.cluster;
        // The blocks of a cluster are numbered along M first.
        let (tile, own) = match self.cluster {
            (1, 1) => (tile, None),
            _ => {
                let [cluster, block] = divide(tile, number(cm * cn)?)?;
                let [column, row] = divide(block, number(cm)?)?;
                (cluster, Some([row, column]))
            }
        };
        let [rows, columns] =
            [narrow(e.value(self.clusters[0])?)?, narrow(e.value(self.clusters[1])?)?];
        let (tile, matrix) = match self.batch {
            None => (tile, None),
            Some(_) => {
                let [matrix, tile] = divide(tile, e.b.binary("arith.muli", rows, columns)?)?;
                (tile, Some(matrix))
            }
        };
        let height = number(self.height)?;
        let [group, rest] = divide(tile, e.b.binary("arith.muli", columns, height)?)?;
        let first = e.b.binary("arith.muli", group, height)?;
        let left = e.b.binary("arith.subi", rows, first)?;
        let [column, row] = divide(rest, e.b.binary("arith.minui", left, height)?)?;
        let row = e.b.binary("arith.addi", first, row)?;
        let mut place = match own {
            None => vec![row, column],
            Some([own_row, own_column]) => {
                let row = e.b.binary("arith.muli", row, number(cm)?)?;
                let column = e.b.binary("arith.muli", column, number(cn)?)?;
                vec![
                    e.b.binary("arith.addi", row, own_row)?,
                    e.b.binary("arith.addi", column, own_column)?,
                ]
            }
        };
        place.extend(matrix);
        let index = Type::index(e.b.context());
        place.into_iter().map(|at| e.b.value("arith.index_castui", &[at], index, &[])).collect()
    }
}

impl TileScheduler {
    /// The order in which blocks take tiles: a layout from their number to the column-major number
    /// of a tile of C, one matrix of a batch after the other. The blocks of a cluster take a
    /// cluster of tiles.
    pub(crate) fn raster(&self) -> String {
        let (rows, columns) = self.tiles();
        let (cm, cn) = self.cluster;
        let order = match (&self.raster, self.batch) {
            (Some(raster), _) => raster.to_string(),
            (None, None) => Self::groups(rows / cm, columns / cn),
            (None, Some(batch)) => {
                let order = Self::groups(rows / cm, columns / cn);
                format!("make_layout({order}, {batch}:{})", rows / cm * (columns / cn))
            }
        };
        if self.cluster == (1, 1) {
            return order;
        }
        let clusters = match self.batch {
            None => format!("({},{}):({cm},{})", rows / cm, columns / cn, rows * cn),
            Some(batch) => format!(
                "({},{},{batch}):({cm},{},{})",
                rows / cm,
                columns / cn,
                rows * cn,
                rows * columns
            ),
        };
        format!("make_layout(({cm},{cn}):(1,{rows}), composition({clusters}, {order}))")
    }

    /// Checks that a raster that a schedule gives takes each cluster of tiles once.
    pub(crate) fn check_raster(&self) -> Result<(), String> {
        let ((rows, columns), (cm, cn)) = (self.tiles(), self.cluster);
        let count = (rows / cm) * (columns / cn) * self.batch.unwrap_or(1);
        match &self.raster {
            Some(raster) if !numbers(raster, count) => Err(format!(
                "expected a raster that maps onto each of {count} tiles once, found {raster}"
            )),
            _ => Ok(()),
        }
    }

    /// Rows of clusters in a group, where those that divide them are too few and those of columns, too.
    fn ragged_groups(&self) -> Option<i64> {
        let ((rows, columns), (cm, cn)) = (self.tiles(), self.cluster);
        self.raster.is_none().then(|| Self::ragged_height(rows / cm, columns / cn)).flatten()
    }

    fn ragged_height(rows: i64, columns: i64) -> Option<i64> {
        // Below, a column of all rows is read as fast.
        let is_high = rows > 4 * RASTER_LIMIT;
        let is_ragged = is_high && ![rows, columns].into_iter().any(Self::is_good_group);
        // Groups as equal as can be: 14, 14, 14, 13 and 12 of 67.
        let groups = (rows - 1) / RASTER_LIMIT + 1;
        is_ragged.then_some((rows - 1) / groups + 1)
    }

    /// The most tiles that divide those of a mode, up to the limit.
    fn largest_group(tiles: i64) -> i64 {
        (1..=tiles.min(RASTER_LIMIT)).rev().find(|&group| tiles % group == 0).unwrap_or(1)
    }

    /// Whether groups that divide a mode's tiles make a nearly square piece of C, or the one group is all of it.
    fn is_good_group(tiles: i64) -> bool {
        let group = Self::largest_group(tiles);
        group >= RASTER_LIMIT / 4 || group == tiles
    }

    /// Along M in groups, and along N from group to group; along N in groups where so many rows have no group of a good height.
    fn groups(rows: i64, columns: i64) -> String {
        let [high, wide] = [rows, columns].map(Self::largest_group);
        if !Self::is_good_group(rows) && rows > 2 * RASTER_LIMIT && wide >= high && wide > 1 {
            return format!("({wide},{rows},{}):({rows},1,{})", columns / wide, rows * wide);
        }
        let group = if Self::is_good_group(rows) { high } else { rows };
        format!("({group},{columns},{}):(1,{rows},{group})", rows / group)
    }
}

/// Whether a layout's values are the numbers below `count`, each once.
fn numbers(layout: &Layout, count: i64) -> bool {
    layout.size() == count && layout.right_inverse().is_ok_and(|inverse| inverse.size() == count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_take_each_tile_once_in_nearly_square_pieces() {
        for (rows, columns, expected) in [
            (32, 16, "(16,16,2):(1,32,16)"),
            (7, 5, "(7,5,1):(1,7,7)"),
            // 32,128 rows in tiles of 128.
            (251, 5, "(5,251,1):(251,1,1255)"),
            (393, 3, "(3,393,1):(393,1,1179)"),
            (47, 32, "(16,47,2):(47,1,752)"),
            (94, 2, "(2,94,1):(94,1,188)"),
            (251, 1, "(251,1,1):(1,251,251)"),
            (38, 19, "(38,19,1):(1,38,38)"),
            (47, 34, "(2,47,17):(47,1,94)"),
        ] {
            assert_eq!(TileScheduler::ragged_height(rows, columns), None);
            let order = TileScheduler::groups(rows, columns);
            assert_eq!(order, expected);
            assert!(numbers(&order.parse().unwrap(), rows * columns), "{order}");
        }
        // Neither has a group.
        for (rows, columns, height) in [(251, 37, 16), (67, 19, 14), (94, 34, 16)] {
            assert_eq!(TileScheduler::ragged_height(rows, columns), Some(height));
        }
    }
}
