//! The number of threads for a row, and for a block.
//!
//! | graph | a row has | a block |
//! |---|---|---|
//! | no reduction | – | 256 threads of an element, 128 of a run, or as many as a [`tile`](super::tiles) has runs |
//! | reductions in one order only, or rows of up to 8 steps | a thread | 128 threads |
//! | many rows that lie side by side in memory, as those of a depthwise convolution | a thread | 128 threads |
//! | rows that 32 threads have as 32 columns each | a power of 2, up to a warp | 128 threads |
//! | longer rows | up to 512 threads | a row |
//!
//! Few rows have more threads, down to a run each, so that a device has work for all of its processors.

use super::{
    graph::Graph,
    tiles::Tile,
    vectors::{reads_neighbours, width, width_of},
};
use num_integer::div_ceil;

/// Threads of a block of kernels that have no vectors.
const THREADS: i64 = 256;

/// Threads of a block of a tile at most.
pub(super) const WIDE: i64 = THREADS;

/// Threads of a block of all others, unless a row has more.
const FEWER_THREADS: i64 = 128;

/// The columns of a row that one thread computes.
const COLUMNS_PER_THREAD: i64 = 8;

/// The most columns that a thread computes, if there are threads for it.
const MAX_COLUMNS_PER_THREAD: i64 = 32;

const WARP: i64 = 32;

/// The most threads of a row.
const MAX_THREADS_PER_ROW: i64 = 512;

/// Runs of a kernel that has not enough of them for its functions.
const SMALL: i64 = 1 << 10;

/// The number of threads of a launch from which on more of them do not use more of a device.
const SATURATING_THREADS: i64 = 1 << 14;

/// How threads share rows.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Threads that have a row together.
    pub(super) lanes: i64,
    /// Threads of a block.
    pub(super) threads: i64,
    /// The length of runs, at most.
    pub(super) width: i64,
    /// The tile that goes through shared memory.
    pub(super) tile: Option<Tile>,
}

impl Shape {
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        let passes = graph.passes();
        let width = width(graph, &passes);
        if graph.rows.is_none() {
            // All runs of what is written are one as long.
            let width = passes.last().map_or(1, |pass| width_of(graph, &pass.loops, width));
            // Functions of few elements are better computed side by side than one after the other.
            let is_small = steps(graph, &graph.outer).is_some_and(|steps| steps / width < SMALL);
            let width = if is_small && graph.has_functions() { 1 } else { width };
            let tile = Tile::of(graph, width);
            let threads = match &tile {
                Some(tile) => tile.threads,
                None if width > 1 => FEWER_THREADS,
                None => THREADS,
            };
            return Self { lanes: 1, threads, width, tile };
        }
        let is_shared = graph.stages().all(|(_, stage)| stage.is_shared());
        let runs = passes.iter().map(|pass| {
            let own = width_of(graph, &pass.loops, width);
            steps(graph, &pass.loops).map(|steps| (steps / own, own))
        });
        let longest = runs.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max());
        let rows = graph.row_loops();
        // Threads that read a row's columns together would each read another line of memory.
        let side_by_side = steps(graph, &rows).is_some_and(|count| count >= SATURATING_THREADS)
            && rows.last().is_some_and(|&row| reads_neighbours(graph, &passes, row))
            && !passes.iter().any(|pass| {
                pass.loops.last().is_some_and(|&column| reads_neighbours(graph, &passes, column))
            });
        let lanes = match longest {
            _ if !is_shared || side_by_side => 1,
            Some((runs, own)) if runs * own <= COLUMNS_PER_THREAD => 1,
            Some((runs, own)) => lanes(runs, own, steps(graph, &rows)),
            None => THREADS,
        };
        let threads = if lanes > WARP { lanes } else { FEWER_THREADS };
        Self { lanes, threads, width, tile: None }
    }

    /// Rows, elements or tiles of a block.
    pub(super) fn rows(&self, graph: &Graph<'_>) -> i64 {
        if self.tile.is_some() {
            return 1;
        }
        let each = if graph.rows.is_none() { self.width } else { 1 };
        self.threads / self.lanes * each
    }
}

/// Threads of a row of runs.
fn lanes(runs: i64, width: i64, rows: Option<i64>) -> i64 {
    let power = |count: i64| count.max(1).cast_unsigned().next_power_of_two().cast_signed();
    let most = power(runs);
    let lanes = power(div_ceil(runs, (MAX_COLUMNS_PER_THREAD / width).max(1)));
    let mut lanes = lanes.max(most.min(WARP)).min(MAX_THREADS_PER_ROW);
    while lanes < MAX_THREADS_PER_ROW
        && lanes * 2 <= runs
        && rows.is_some_and(|rows| rows * lanes < SATURATING_THREADS)
    {
        lanes *= 2;
    }
    lanes
}

/// How many steps loops have together, where that is known.
fn steps(graph: &Graph<'_>, loops: &[usize]) -> Option<i64> {
    let mut sizes = loops.iter().map(|&number| graph.coordinates.known(graph.loops[number]));
    sizes.try_fold(1_i64, |product, size| product.checked_mul(size?))
}
