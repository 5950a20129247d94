//! Transposes: operands that are contiguous along another loop than the result go through a tile of shared memory.
//!
//! ```text
//! a block has 32 steps of both loops:
//!     tile(i, j) = x(…, j, …, i)     threads along j: vectors of x
//!     barrier
//!     y(…, i, …, j) = f(tile(i, j))  threads along the innermost loop of y: vectors of y
//! ```
//!
//! The last tile of a loop may reach beyond it: runs that do are predicated. Rows of the tile are two elements longer than they have to be, so that the threads that read along a column meet at few banks.

use super::{
    graph::{Graph, Node, Step},
    kernel::{Built, Kernel, Scope, load_at, store_at},
    passes::{Loaded, Parameter, Task, element},
    shape::WIDE,
    vectors::{Access, Run, width_of},
};
use layout_dialect::build::Val;
use melior::ir::Type;
use num_integer::div_ceil;
use std::collections::HashSet;

/// Steps of a tile along each of its loops.
const SIDE: i64 = 32;

/// The fewest steps of a loop that is tiled: tiles of a shorter one would be empty for the most part.
const MIN_STEPS: i64 = SIDE / 2;

/// Elements of padding after each row of a tile.
const PADDING: i64 = 2;

/// A tile of two loops of an elementwise kernel.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// The loop along which results lie in rows.
    innermost: usize,
    /// The loop along which reads lie in rows.
    across: usize,
    /// The reads that go through the tile.
    reads: Vec<Node>,
    /// Threads of a block.
    pub(super) threads: i64,
}

impl Tile {
    /// Elements of a tile.
    const ELEMENTS: i64 = SIDE * SIDE;

    /// The tile of an elementwise kernel with runs of a length, where it has one.
    pub(super) fn of(graph: &Graph<'_>, width: i64) -> Option<Self> {
        let &innermost = graph.outer.last().filter(|_| graph.rows.is_none() && width > 1)?;
        let fits = |number: usize| {
            let size = graph.coordinates.known(graph.loops[number]);
            size.is_some_and(|size| size >= MIN_STEPS && size % width == 0)
        };
        let run = Run::new(graph, innermost, width);
        let writes_rows = graph.outputs.iter().any(|output| {
            matches!(run.access(graph, &output.stored.0, &output.at), Access::Row(_))
        });
        if !fits(innermost) || !writes_rows {
            return None;
        }
        let values: Vec<Node> = graph.outputs.iter().map(|output| output.value).collect();
        let always = graph.always(&values);
        let others = graph.outer.iter().copied().filter(|&own| own != innermost && fits(own));
        let tiles = others.map(|across| {
            let along = Run::new(graph, across, width_of(graph, &[across], width));
            let reads = always.iter().copied().filter(|&node| match &graph.steps[node] {
                Step::Load { tensor, at } => {
                    let of = |run: &Run| run.access(graph, &graph.stored[*tensor].0, at);
                    of(&run) == Access::Each && of(&along) == Access::Row(along.width)
                }
                _ => false,
            });
            (along.width, Self { innermost, across, reads: reads.collect(), threads: 0 })
        });
        let (own, mut tile) = tiles.max_by_key(|(_, tile)| tile.reads.len())?;
        let same = own == width && !tile.reads.is_empty();
        tile.threads = (Self::ELEMENTS / width).min(WIDE);
        same.then_some(tile)
    }

    /// The two loops.
    pub(super) fn loops(&self) -> [usize; 2] {
        [self.innermost, self.across]
    }

    /// The tiles that both loops have together.
    pub(super) fn count(&self, graph: &Graph<'_>) -> i64 {
        let size = |own| graph.coordinates.known(graph.loops[own]).unwrap_or(SIDE);
        self.loops().map(|own| div_ceil(size(own), SIDE)).into_iter().product()
    }
}

impl<'c> Kernel<'_, 'c> {
    /// All elements of a block's tile.
    pub(super) fn tile(
        &mut self,
        scope: &mut Scope<'c>,
        tile: &Tile,
        (block, thread): (Val<'c>, Val<'c>),
    ) -> Built<()> {
        let b = scope.b;
        let index = Type::index(b.context());
        let loops = self.graph.outer.clone();
        let written = self.runs(&loops);
        let read = self.runs(&[tile.across]);
        let (innermost, across) = (written.run.innermost, tile.across);
        let width = written.run.width;
        // The block's number is that of the tile.
        let side = b.constant(index, SIDE)?;
        let sizes = |this: &mut Self, number: usize| {
            let size = this.graph.coordinates.known(this.graph.loops[number]).unwrap_or(SIDE);
            let size = this.graph.coordinates.constant(div_ceil(size, SIDE));
            this.graph.loops.push(size);
            this.graph.loops.len() - 1
        };
        let (tile_innermost, tile_across) = (sizes(self, innermost), sizes(self, across));
        let tiled: Vec<usize> = loops
            .iter()
            .map(|&own| match own {
                _ if own == innermost => tile_innermost,
                _ if own == across => tile_across,
                _ => own,
            })
            .collect();
        self.open(scope, &tiled, block)?;
        let first = [tile_innermost, tile_across].map(|own| self.loops[&own]);
        let [first_innermost, first_across] =
            [b.binary("arith.muli", first[0], side)?, b.binary("arith.muli", first[1], side)?];
        let each = b.constant(index, SIDE / width)?;
        let width_value = b.constant(index, width)?;
        let rounds = Tile::ELEMENTS / width / tile.threads;
        // A run's place in the tile: along the loop of the runs, and across it.
        let place = |scope: &mut Scope<'c>, round: Val<'c>| -> Built<(Val<'c>, Val<'c>)> {
            let b = scope.b;
            let before = b.binary("arith.muli", round, b.constant(index, tile.threads)?)?;
            let own = b.binary("arith.addi", before, thread)?;
            Ok((b.binary("arith.remui", own, each)?, b.binary("arith.divui", own, each)?))
        };
        // Where the number of tiles is known only at run time, there is one block more than tiles at times.
        let tiles = self.count(&tiled);
        let is_tile = match self.graph.coordinates.known(tiles) {
            Some(_) => None,
            None => Some(self.below(scope, block, tiles)?),
        };
        let mut shared = Vec::with_capacity(tile.reads.len());
        self.predicated(scope, is_tile, |this, scope| {
            for &node in &tile.reads {
                let Step::Load { tensor, at } = this.graph.steps[node].clone() else { continue };
                let of = element(this.tensors[tensor])?;
                let view =
                    format!("!layout.view<{of}, shared, ({SIDE},{SIDE}):({},1)>", SIDE + PADDING);
                let view = Type::parse(b.context(), &view)
                    .ok_or(melior::Error::TypeExpected("view", view))?;
                let view = this.entry.value("layout.alloc", &[], view, &[])?;
                let (inside, round) = scope.b.open_count(rounds)?;
                let mut inner = scope.inside(inside);
                let (run, row) = place(&mut inner, round)?;
                let start = inside.binary("arith.muli", run, width_value)?;
                this.loops.insert(innermost, inside.binary("arith.addi", first_innermost, row)?);
                this.loops.insert(across, inside.binary("arith.addi", first_across, start)?);
                let before = inside.binary("arith.muli", first[1], each)?;
                this.loops.insert(read.vectors, inside.binary("arith.addi", before, run)?);
                let is_inside = this.is_inside(&mut inner, tile)?;
                this.predicated(&inner, is_inside, |this, inner| {
                    this.round = Some(inner.b.constant(index, 0)?);
                    let mut values = Vec::new();
                    this.graph.operands(node, &mut values);
                    this.values(inner, &values)?;
                    let register = this.register(of, &format!("({width},1):(1,{width})"))?;
                    let from = (Parameter::Input(tensor), at.as_slice());
                    this.vectors(inner, &read, from, (register, width))?;
                    let zero = inner.b.constant(index, 0)?;
                    let (steps, step) = inner.b.open_count(width)?;
                    let value = load_at(&steps, register, "(?,?)", &[step, zero])?;
                    let column = steps.binary("arith.addi", start, step)?;
                    store_at(&steps, value, view, "(?,?)", &[row, column])
                })?;
                shared.push((node, view));
            }
            Ok(())
        })?;
        b.operation("gpu.barrier", &[], &[], &[], vec![])?;
        self.predicated(scope, is_tile, |this, scope| {
            let (inside, round) = scope.b.open_count(rounds)?;
            let mut inner = scope.inside(inside);
            let (run, row) = place(&mut inner, round)?;
            let start = inside.binary("arith.muli", run, width_value)?;
            this.loops.insert(innermost, inside.binary("arith.addi", first_innermost, start)?);
            this.loops.insert(across, inside.binary("arith.addi", first_across, row)?);
            let before = inside.binary("arith.muli", first[0], each)?;
            this.loops.insert(written.vectors, inside.binary("arith.addi", before, run)?);
            let is_inside = this.is_inside(&mut inner, tile)?;
            this.predicated(&inner, is_inside, |this, inner| {
                let zero = inner.b.constant(index, 0)?;
                this.round = Some(zero);
                for (node, view) in shared {
                    let Step::Load { tensor, .. } = this.graph.steps[node] else { continue };
                    let of = element(this.tensors[tensor])?;
                    let register = this.register(of, &format!("({width},1):(1,{width})"))?;
                    let (steps, step) = inner.b.open_count(width)?;
                    let column = steps.binary("arith.addi", start, step)?;
                    let value = load_at(&steps, view, "(?,?)", &[column, row])?;
                    store_at(&steps, value, register, "(?,?)", &[step, zero])?;
                    this.loaded.insert(node, Loaded::each(register));
                }
                let required = this.required(&Task::Write);
                let fresh: HashSet<(Node, bool)> =
                    this.plan(inner, &written, &required, (1, false))?;
                if !fresh.is_empty() {
                    this.read(&mut inner.clone(), &written, &required, (&fresh, true))?;
                }
                this.compute(inner, &written, &Task::Write)?;
                this.loaded.clear();
                Ok(())
            })
        })
    }

    /// Whether the steps of a tile that the loops are at are steps of loops that it reaches beyond, if it does.
    fn is_inside(&mut self, scope: &mut Scope<'c>, tile: &Tile) -> Built<Option<Val<'c>>> {
        let mut all = None;
        for own in tile.loops() {
            let size = self.graph.loops[own];
            if self.graph.coordinates.known(size).is_some_and(|size| size % SIDE == 0) {
                continue;
            }
            let below = self.below(scope, self.loops[&own], size)?;
            all = Some(match all {
                None => below,
                Some(all) => scope.b.binary("arith.andi", all, below)?,
            });
        }
        Ok(all)
    }
}
