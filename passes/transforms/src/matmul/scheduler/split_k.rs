//! Split-K: each block accumulates a slice of K, and a second kernel adds the partial results. It adds them in a fixed
//! order, so that two runs give the same bits.

use crate::matmul::{
    elementwise::TilePartition,
    emit::{Emit, Emitted, Extent},
    epilogue::fusion::Bound,
    mainloop::{bulk_copy::arranged, known},
    operand::Operand,
    partition::Major,
    problem::Problem,
};
use layout_algebra::Layout;
use layout_dialect::{
    atoms::Atom,
    build::{Builder, Val},
};

/// Threads of a block.
const THREADS: i64 = 128;

/// Elements along the contiguous mode, and along the other, that a block adds.
const TILE: (i64, i64) = (128, 4);

/// Elements that a thread adds: a vector of 16 bytes of f32.
const VECTOR: i64 = 4;

/// The suffix in the names of the kernel and of the workspace of partial results.
pub(crate) const NAME: &str = "sum";

/// The partial results of a matmul whose K is divided among blocks, and their addition: for each slice of K a matrix of
/// whole tiles of f32, concatenated along the mode that is not contiguous.
#[derive(Debug)]
pub(crate) struct SplitK {
    /// The workspace.
    pub(crate) layout: Layout,
    /// Parts.
    pub(crate) count: i64,
    /// The part of C that each thread adds.
    pub(crate) shares: TilePartition,
    /// Extents of one part, no smaller than those of C, and its tiles.
    part: (i64, i64),
    tiles: (i64, i64),
    /// The mode that is contiguous.
    major: Major,
    load: &'static Atom,
    store: &'static Atom,
}

impl SplitK {
    /// So many parts, each of so many whole tiles of these extents.
    pub(crate) fn new(
        problem: &Problem<'_>,
        tiles: (i64, i64),
        (rows, columns): (i64, i64),
        count: i64,
    ) -> Result<Self, String> {
        let (m, n) = (tiles.0.saturating_mul(rows), tiles.1.saturating_mul(columns));
        let c = Operand::new("C", problem.result())?;
        let major = c.major;
        let (shape, stride) = match major {
            Major::Reduction => (format!("{},{n}", m.saturating_mul(count)), format!("{n},1")),
            Major::Outer => (format!("{m},{}", n.saturating_mul(count)), format!("1,{m}")),
        };
        let text = match c.batch {
            None => format!("({shape}):({stride})"),
            Some(batch) => {
                let partials = m.saturating_mul(n).saturating_mul(count);
                format!("({shape},{batch}):({stride},{partials})")
            }
        };
        let tile = match major {
            Major::Outer => TILE,
            Major::Reduction => (TILE.1, TILE.0),
        };
        // A matrix of one row or column that is seen transposed has lost the stride of the other mode.
        let is_line = c.extent.0 == 1 || c.extent.1 == 1;
        let vector = if is_line { 1 } else { c.vector.min(VECTOR) };
        let shares = TilePartition::new((c.extent, c.batch), tile, THREADS, major, VECTOR)?;
        let (tile, partition) = shares.arrangement();
        arranged("C", problem.c, tile, partition)?;
        Ok(Self {
            layout: text.parse().map_err(|error: layout_algebra::Error| error.to_string())?,
            count,
            shares,
            part: (m, n),
            tiles,
            major,
            load: known(&format!("simt_{VECTOR}"))?,
            store: known(&format!("simt_{vector}"))?,
        })
    }

    /// Emits the kernel's body.
    pub(crate) fn emit<'c>(
        &self,
        builder: Builder<'c>,
        partial: Val<'c>,
        c: Val<'c>,
        fused: Option<Bound<'_, 'c>>,
        extent: (Extent<'c>, Extent<'c>),
    ) -> Emitted<()> {
        let e = Emit { b: builder };
        let here = self.shares.thread_slice(e)?;
        let part = (Extent::Known(self.part.0), Extent::Known(self.part.1));
        let inside = here.predicates(self.part, part)?;
        let parts = e.algebra(
            "layout.zipped_divide",
            here.matrix(partial)?,
            &format!("({},{})", self.part.0, self.part.1),
        )?;
        let sums = e.registers("f32", &[VECTOR])?;
        let held = e.registers("f32", &[VECTOR])?;
        for part in 0..self.count {
            let whole = e.slice(parts, &format!("((_,_),{part})"), &[])?;
            let to = if part == 0 { sums } else { held };
            e.copy(self.load.name, here.of(whole)?, to, &inside)?;
            if part > 0 {
                for i in 0..VECTOR {
                    let sum = e.b.binary("arith.addf", e.element(sums, i)?, e.element(held, i)?)?;
                    e.set_element(sum, sums, i)?;
                }
            }
        }
        if let Some(fused) = fused {
            let fused = here.epilogue(fused)?;
            let shares = fused.shares(&e, (extent, None), (true, true), &|view| here.of(view))?;
            fused.apply(&e, (&[sums], sums), &shares)?;
        }
        e.copy(self.store.name, sums, here.of(c)?, &here.predicates(self.shares.extent, extent)?)?;
        e.b.operation("gpu.return", &[], &[], &[], vec![])?;
        Ok(())
    }
}

/// The place of a tile in the partial results of a slice of K.
pub(crate) fn destination<'c>(
    e: &Emit<'c>,
    split: &SplitK,
    at: &[Val<'c>],
    part: Val<'c>,
) -> Emitted<Vec<Val<'c>>> {
    let mut at = at.to_vec();
    let (mode, tiles) = match split.major {
        Major::Reduction => (0, split.tiles.0),
        Major::Outer => (1, split.tiles.1),
    };
    let all = e.layout(&format!("({tiles},{}):(1,{tiles})", split.count))?;
    at[mode] = e.crd2idx(all, "(?,?)", &[at[mode], part])?;
    Ok(at)
}
