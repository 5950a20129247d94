//! The partial sums of a matmul whose K was divided among blocks become C, in a kernel behind it:
//! every element is the sum of its parts in their order, so that two runs give the same bits.

use super::{
    emit::{Emit, Emitted, Guard},
    operand::Operand,
    partition::{self, Major},
    plan::known,
    warpgroup_plan::Partial,
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
pub(super) const NAME: &str = "sum";

/// How partial sums are summed.
#[derive(Debug)]
pub(super) struct Sum {
    /// Extents of C.
    extent: (i64, i64),
    /// Extents of a part, which are no smaller.
    part: (i64, i64),
    parts: i64,
    tile: (i64, i64),
    partition: String,
    load: &'static Atom,
    store: &'static Atom,
}

impl Sum {
    /// Of these parts, to a C of this layout.
    pub(super) fn new(partial: &Partial, c: &Layout, element_bytes: i64) -> Result<Self, String> {
        let c = Operand::new("C", c, element_bytes)?;
        let tile = match partial.major {
            Major::Outer => TILE,
            Major::Reduction => (TILE.1, TILE.0),
        };
        let vector = if c.major == partial.major { c.vector.min(VECTOR) } else { 1 };
        Ok(Self {
            extent: c.extent,
            part: partial.extent,
            parts: partial.count,
            tile,
            partition: partition::copy(tile, THREADS, partial.major, VECTOR)?,
            load: known(&format!("simt_{VECTOR}"))?,
            store: known(&format!("simt_{vector}"))?,
        })
    }

    /// Blocks along x and y, and threads of a block.
    pub(super) fn launch(&self) -> ((i64, i64), i64) {
        let cover = |extent: i64, tile: i64| (extent - 1) / tile + 1;
        ((cover(self.extent.0, self.tile.0), cover(self.extent.1, self.tile.1)), THREADS)
    }

    /// Emits the kernel's body.
    pub(super) fn emit<'c>(
        &self,
        builder: Builder<'c>,
        partial: Val<'c>,
        c: Val<'c>,
    ) -> Emitted<()> {
        let e = Emit { b: builder };
        let thread = e.hardware_index("gpu.thread_id", "x")?;
        let blocks =
            [e.hardware_index("gpu.block_id", "x")?, e.hardware_index("gpu.block_id", "y")?];
        let tiler = format!("({},{})", self.tile.0, self.tile.1);
        let by_thread = format!("<{}, _>", self.partition);
        let share = |view: Val<'c>| -> Emitted<Val<'c>> {
            let tiles = e.algebra("layout.zipped_divide", view, &tiler)?;
            let arranged = e.algebra("layout.composition", tiles, &by_thread)?;
            e.slice(arranged, "(((?,_),_),(?,?))", &[thread, blocks[0], blocks[1]])
        };
        let guards = |extent: (i64, i64)| -> Emitted<Vec<Guard<'c>>> {
            let ragged = (extent.0 % self.tile.0 != 0, extent.1 % self.tile.1 != 0);
            e.guards(extent, ragged)?
                .into_iter()
                .map(|guard| Ok(Guard { view: share(guard.view)?, limit: guard.limit }))
                .collect()
        };
        let inside = guards(self.part)?;
        let parts = e.algebra(
            "layout.zipped_divide",
            partial,
            &format!("({},{})", self.part.0, self.part.1),
        )?;
        let sums = e.registers("f32", &[VECTOR])?;
        let held = e.registers("f32", &[VECTOR])?;
        for part in 0..self.parts {
            let whole = e.slice(parts, &format!("((_,_),{part})"), &[])?;
            let to = if part == 0 { sums } else { held };
            e.copy(self.load.name, share(whole)?, to, &inside)?;
            if part > 0 {
                for i in 0..VECTOR {
                    let sum = e.b.binary("arith.addf", e.element(sums, i)?, e.element(held, i)?)?;
                    e.set_element(sum, sums, i)?;
                }
            }
        }
        e.copy(self.store.name, sums, share(c)?, &guards(self.extent)?)?;
        e.b.operation("gpu.return", &[], &[], &[], vec![])?;
        Ok(())
    }
}
