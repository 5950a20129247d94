//! Split-K: each block sums up a part of K, and the partial sums become C in a kernel behind: every element is the sum of
//! its parts in their order, so that two runs give the same bits.

use crate::matmul::{
    elementwise::Shares,
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

/// Elements along the contiguous mode, and along the other, that a block sums.
const TILE: (i64, i64) = (128, 4);

/// Elements that a thread sums: those of a vector of 16 bytes of f32.
const VECTOR: i64 = 4;

/// What the kernel, and the workspace of the partial sums, are named after.
pub(crate) const NAME: &str = "sum";

/// The partial sums of a matmul whose K is divided among blocks: for each part a matrix of whole
/// tiles of f32, one behind the other along the mode that is not contiguous.
#[derive(Debug)]
pub(crate) struct Partial {
    /// The workspace.
    pub(crate) layout: Layout,
    /// Extents of one part.
    pub(crate) extent: (i64, i64),
    /// Parts.
    pub(crate) count: i64,
    /// The mode that is contiguous.
    pub(crate) major: Major,
}

impl Partial {
    pub(crate) fn new(
        extent: (i64, i64),
        batch: Option<i64>,
        count: i64,
        major: Major,
    ) -> Result<Self, String> {
        let (m, n) = extent;
        let (shape, stride) = match major {
            Major::Reduction => (format!("{},{n}", m.saturating_mul(count)), format!("{n},1")),
            Major::Outer => (format!("{m},{}", n.saturating_mul(count)), format!("1,{m}")),
        };
        let text = match batch {
            None => format!("({shape}):({stride})"),
            Some(batch) => {
                let apart = m.saturating_mul(n).saturating_mul(count);
                format!("({shape},{batch}):({stride},{apart})")
            }
        };
        let layout = text.parse().map_err(|error: layout_algebra::Error| error.to_string())?;
        Ok(Self { layout, extent, count, major })
    }
}

/// How partial sums are summed.
#[derive(Debug)]
pub(crate) struct Sum {
    /// What of C each thread sums.
    pub(crate) shares: Shares,
    /// Extents of a part, which are no smaller.
    part: (i64, i64),
    parts: i64,
    load: &'static Atom,
    store: &'static Atom,
}

impl Sum {
    /// Of these parts, to a C of this layout.
    pub(crate) fn new(partial: &Partial, problem: &Problem<'_>) -> Result<Self, String> {
        let c = Operand::new("C", problem.result())?;
        let tile = match partial.major {
            Major::Outer => TILE,
            Major::Reduction => (TILE.1, TILE.0),
        };
        // A matrix of one row or column that is seen transposed has lost the stride of the other mode.
        let is_line = c.extent.0 == 1 || c.extent.1 == 1;
        let vector = if c.major == partial.major && !is_line { c.vector.min(VECTOR) } else { 1 };
        let shares = Shares::new((c.extent, c.batch), tile, THREADS, partial.major, VECTOR)?;
        let (tile, partition) = shares.arrangement();
        arranged("C", problem.c, tile, partition)?;
        Ok(Self {
            shares,
            part: partial.extent,
            parts: partial.count,
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
        let here = self.shares.here(e)?;
        let part = (Extent::Known(self.part.0), Extent::Known(self.part.1));
        let inside = here.guards(self.part, part)?;
        let parts = e.algebra(
            "layout.zipped_divide",
            here.matrix(partial)?,
            &format!("({},{})", self.part.0, self.part.1),
        )?;
        let sums = e.registers("f32", &[VECTOR])?;
        let held = e.registers("f32", &[VECTOR])?;
        for part in 0..self.parts {
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
            fused.apply(&e, (sums, sums), &shares)?;
        }
        e.copy(self.store.name, sums, here.of(c)?, &here.guards(self.shares.extent, extent)?)?;
        e.b.operation("gpu.return", &[], &[], &[], vec![])?;
        Ok(())
    }
}
