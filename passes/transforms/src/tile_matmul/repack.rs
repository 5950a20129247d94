//! Operands that bulk copies cannot take are copied first, to a workspace whose rows start at
//! multiples of 128 bytes, by a kernel of its own: it moves as many bytes as the matmul must at
//! least, twice more, and the matmul then runs as if the operand had always been so.
//!
//! Where the instruction takes one order only, the copy transposes what is in the other.
//!
//! 16 bytes would be enough for the copy engine, but a box's rows of 128 bytes would then lie in two
//! cache lines each.

use super::{
    bulk::whole_blocks,
    emit::{Emit, Emitted},
    operand::{Memory, Operand},
    partition::Major,
    plan::known,
    share::Shares,
};
use layout_algebra::Layout;
use layout_dialect::{
    atoms::{
        Atom,
        tensor_map::{self, misfit},
    },
    build::{Builder, Val},
};

/// Threads of a block.
const THREADS: i64 = 256;

/// Elements along the contiguous mode, and along the other, that a block copies.
const TILE: (i64, i64) = (512, 8);

/// As [`TILE`], of a copy that transposes: both sides have some elements in a row.
const TURNED: (i64, i64) = (64, 64);

/// Bytes of a cache line.
const LINE: i64 = 128;

/// How an operand is copied.
#[derive(Debug)]
pub(super) struct Repack {
    /// The workspace's layout.
    pub(super) layout: Layout,
    /// What kernels and workspaces of this operand are named after.
    pub(super) name: &'static str,
    /// What each thread copies.
    pub(super) shares: Shares,
    load: &'static Atom,
    store: &'static Atom,
    /// Elements of a thread.
    held: i64,
}

impl Repack {
    /// A copy of an operand, with the widest vectors that its alignment proves: along the mode that it
    /// is contiguous in, or always `along_k`.
    pub(super) fn new(
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
            true if turned => (Major::Outer, (padded(columns)?, 1), TURNED),
            true => (Major::Outer, (1, padded(rows)?), TILE),
            false => (Major::Reduction, (padded(columns)?, 1), (TILE.1, TILE.0)),
        };
        let tile = fitting(&modes, tile);
        whole_blocks(name, layout, tile, element_bytes)?;
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
                let apart =
                    each.map_or(Some(0), |_| lines.checked_mul(pitch)).ok_or_else(|| {
                        format!("expected {name} with smaller extents, found {layout}")
                    })?;
                format!("({rows},{columns},{batch}):({},{},{apart})", strides.0, strides.1)
            }
        };
        Ok(Self {
            layout: text.parse().map_err(|error: layout_algebra::Error| error.to_string())?,
            name,
            shares: Shares::new((operand.extent, each), tile, THREADS, major, vector)?,
            load: known(&format!("simt_{vector}"))?,
            store: known(&format!("simt_{}", if turned { 1 } else { vector }))?,
            held: tile.0 * tile.1 / THREADS,
        })
    }

    /// Emits the kernel's body: every thread reads all of its share before it writes.
    pub(super) fn emit<'c>(
        &self,
        builder: Builder<'c>,
        element: &str,
        source: Val<'c>,
        target: Val<'c>,
    ) -> Emitted<()> {
        let e = Emit { b: builder };
        let here = self.shares.here(e)?;
        let (source, target) = (here.of(source)?, here.of(target)?);
        let guards = here.guards(self.shares.extent)?;
        let held = e.registers(element, &[self.held])?;
        e.copy(self.load.name, source, held, &guards)?;
        e.copy(self.store.name, held, target, &guards)?;
        e.b.operation("gpu.return", &[], &[], &[], vec![])?;
        Ok(())
    }
}

/// A tile of as many elements, of which each extent fits the blocks of a matrix whose modes have several
/// strides: the one that is as it was, or else a power of two.
fn fitting(modes: &[Layout], tile: (i64, i64)) -> (i64, i64) {
    let fits = |(rows, columns): (i64, i64)| {
        let own = modes.iter().map(tensor_map::digits).zip([rows, columns]);
        own.into_iter().all(|(digits, extent)| misfit(&digits, extent, extent).is_none())
    };
    let size = tile.0 * tile.1;
    let others = (0..=size.ilog2()).map(|bits| (size >> bits, 1_i64 << bits));
    // The one that is nearest to what it was.
    let distance = |&(rows, _): &(i64, i64)| (rows.ilog2().abs_diff(tile.0.ilog2()), rows);
    if fits(tile) { tile } else { others.filter(|&t| fits(t)).min_by_key(distance).unwrap_or(tile) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, &'static str) {
        let layout: Layout = text.parse().expect("a layout");
        let repack = Repack::new("A", Memory::aligned(&layout, 2), false).expect("a copy");
        assert_eq!(repack.load.name, repack.store.name);
        (repack.layout.to_string(), repack.load.name)
    }

    #[test]
    fn tiles_fit_blocks() {
        // The last one has none.
        let of = |text: &str| {
            let layout: Layout = text.parse().expect("a layout");
            fitting(&layout.modes(), (8, 512))
        };
        assert_eq!(of("(200,(64,9)):(64,(1,12800))"), (8, 512));
        assert_eq!(of("(200,(24,9)):(24,(1,4800))"), (512, 8));
        assert_eq!(of("((24,9),(24,9)):((24,600),(1,5400))"), (8, 512));
        assert_eq!(of("(200,(7,9)):(7,(1,1400))"), (4096, 1));
    }

    #[test]
    fn copies_along_k_transpose() {
        let layout: Layout = "(96,40):(1,96)".parse().expect("a layout");
        let repack = Repack::new("A", Memory::aligned(&layout, 1), true).expect("a copy");
        assert_eq!(repack.layout.to_string(), "(96,40):(128,1)");
        assert_eq!((repack.load.name, repack.store.name), ("simt_16", "simt_1"));
    }

    #[test]
    fn a_batch_is_copied_matrix_by_matrix() {
        assert_eq!(of("(64,30,3):(30,1,1920)").0, "(64,30,3):(64,1,4096)");
        assert_eq!(of("(64,30,3):(1,64,2000)").0, "(64,30,3):(1,64,1920)");
        // One matrix for all.
        assert_eq!(of("(64,30,3):(30,1,0)").0, "(64,30,3):(64,1,0)");
        assert_eq!(of("(64,30,1):(30,1,7)").0, "(64,30,1):(64,1,0)");
    }

    #[test]
    fn rows_are_padded_and_vectors_as_wide_as_the_alignment() {
        assert_eq!(of("(4097,4099):(4099,1)"), ("(4097,4099):(4160,1)".into(), "simt_1"));
        assert_eq!(of("(4097,4099):(1,4097)"), ("(4097,4099):(1,4160)".into(), "simt_1"));
        assert_eq!(of("(64,30):(30,1)"), ("(64,30):(64,1)".into(), "simt_2"));
        assert_eq!(of("(64,60):(60,1)"), ("(64,60):(64,1)".into(), "simt_4"));
        // Nothing contiguous: by rows, element by element.
        assert_eq!(of("(64,64):(128,2)"), ("(64,64):(64,1)".into(), "simt_1"));
        assert_eq!(of("(1,1):(1,1)"), ("(1,1):(64,1)".into(), "simt_1"));
    }
}
