//! How accumulators are stored to C: by each thread from its registers; of warps, through shared memory in vectors of a
//! block's threads; of warpgroups, through shared memory by the copy engine.
//!
//! Imports partitions and what bulk copies take; knows nothing of mainloops and schedulers.

use crate::matmul::{
    mainloop::{
        bulk_copy::{Rows, arranged},
        known, shared_memory,
    },
    operand::{Memory, Operand},
    partition::{self, Major},
    problem::Problem,
};
use layout_algebra::Conflicts;
use layout_dialect::atoms::{Atom, MmaAtom};
use layout_schedule::piece as pieces;

/// The lane-value layout of the accumulators that a warp has of 16 columns: the first eight values of every `wgmma`,
/// over 16 rows.
const STMATRIX: &str = "((4,8),(2,2,2)):((32,1),(16,8,128))";

/// Rows and columns of [`STMATRIX`].
const STMATRIX_TILE: (i64, i64) = (16, 16);

/// The lane-value layout of 8 columns.
const HALF_STMATRIX: &str = "((4,8),(2,2)):((32,1),(16,8))";
const HALF_STMATRIX_TILE: (i64, i64) = (16, 8);

/// Most bytes of a row of a piece: those of the widest swizzle.
const PIECE_BYTES: i64 = 128;

/// How C is written.
pub(crate) enum Store {
    /// Each thread writes its accumulators.
    Direct {
        /// Registers to global.
        copy: &'static Atom,
        /// Term: where the accumulators go in a tile of C.
        partition: String,
    },
    /// Each warpgroup puts its accumulators together in shared memory, piece by piece, and the copy
    /// engine writes the pieces.
    Staged {
        /// Rows and columns of a piece.
        piece: (i64, i64),
        /// Pieces that may be in flight at once.
        buffers: i64,
        /// Term: the buffers, `((rows,columns),buffers,groups)`.
        staging: String,
        /// The bank conflicts of what writes a piece.
        conflicts: Vec<Conflicts>,
        /// Registers to shared memory.
        collect: &'static Atom,
        /// Term: the addresses in a piece that each lane of each warp gives.
        collect_partition: String,
        /// Shared to global memory.
        store: &'static Atom,
        /// Term: a tile of C in pieces, by warpgroup.
        pieces: String,
    },
}

/// How warps put a block's tile of C together in shared memory, from where the block's threads write it in vectors.
pub(crate) struct Vectors {
    /// Term: the tile in shared memory, `((rows,columns),1)`.
    pub(crate) buffer: String,
    /// The bank conflicts of the copies to it and from it.
    pub(crate) conflicts: Vec<Conflicts>,
    /// Registers to shared memory.
    pub(crate) collect: &'static Atom,
    /// Term: where the accumulators go in the tile.
    pub(crate) collect_partition: String,
    /// Shared to global memory.
    pub(crate) store: &'static Atom,
    /// Term: how the block's threads share the tile.
    pub(crate) store_partition: String,
}

impl Vectors {
    /// None where C has no vectors that are wider than what a thread has in its registers side by side, or `space` bytes of
    /// shared memory are too few.
    pub(crate) fn new(
        problem: &Problem<'_>,
        (block_tile, warp_tile): ((i64, i64), (i64, i64)),
        tiled: &MmaAtom,
        threads: i64,
        space: i64,
    ) -> Option<Self> {
        let bytes = problem.output_bits / 8;
        let c = Operand::new("C", problem.result()).ok()?;
        let at_once = if c.major == Major::Reduction && !tiled.is_scalar() { 2 } else { 1 };
        let tile_bytes = block_tile.0.checked_mul(block_tile.1)?.checked_mul(bytes)?;
        // Where no instruction converts to numbers of 8 bits, as many conversions at once as fill a tile take all registers.
        if c.vector <= at_once || bytes < 2 || tile_bytes > space {
            return None;
        }
        let (am, an, _) = tiled.extent;
        let collect_partition = partition::fragment(block_tile, warp_tile, (am, an), &tiled.c);
        let store_partition = partition::copy(block_tile, threads, c.major, c.vector).ok()?;
        arranged("C", problem.c, block_tile, &store_partition).ok()?;
        let accesses = [
            shared_memory::access_of_warps(&collect_partition, at_once),
            shared_memory::access(&store_partition, c.vector),
        ];
        let tile = (block_tile, warp_tile.0);
        let chosen = shared_memory::shared(tile, 1, c.major, bytes, &accesses);
        Some(Self {
            buffer: chosen.term,
            conflicts: chosen.conflicts,
            collect: known(&format!("simt_{at_once}")).ok()?,
            collect_partition,
            store: known(&format!("simt_{}", c.vector)).ok()?,
            store_partition,
        })
    }
}

impl Store {
    /// Each thread writes its accumulators of an atom, in a block's tile that warps, or warpgroups, have parts of.
    pub(crate) fn direct(
        c: Memory<'_>,
        (block_tile, group_tile): ((i64, i64), (i64, i64)),
        tiled: &MmaAtom,
    ) -> Result<Self, String> {
        let c = Operand::new("C", c)?;
        // The accumulators' first value mode runs along N, where a lane has several.
        let vector = match c.major {
            Major::Reduction if !tiled.is_scalar() => c.vector.min(2),
            _ => 1,
        };
        let (am, an, _) = tiled.extent;
        Ok(Self::Direct {
            copy: known(&format!("simt_{vector}"))?,
            partition: partition::fragment(block_tile, group_tile, (am, an), &tiled.c),
        })
    }

    /// How C is written, with at most `space` bytes of shared memory: through it where C allows that.
    pub(crate) fn new(
        problem: &Problem<'_>,
        block_tile: (i64, i64),
        group_tile: (i64, i64),
        tiled: &MmaAtom,
        groups: i64,
        space: i64,
    ) -> Result<Self, String> {
        let (_, an, _) = tiled.extent;
        let direct = || Self::direct(problem.result(), (block_tile, group_tile), tiled);
        let staged = |buffers| Self::staged(problem, block_tile, group_tile, an, groups, buffers);
        let not_staged = || {
            format!(
                "expected C with elements of 8, 16 or 32 bits, rows that bulk copies take, and \
                 tiles of a multiple of {} columns for 'epilogue_stages', found C {}",
                STMATRIX_TILE.1, problem.c
            )
        };
        let Some((_, pieces, bytes)) = staged(1) else {
            return match problem.schedule.epilogue_stages {
                None => direct(),
                Some(_) => Err(not_staged()),
            };
        };
        // A buffer is used again when the store of as many pieces before is done: over all tiles,
        // so that their number divides the pieces of a tile.
        match problem.schedule.epilogue_stages {
            Some(buffers) if pieces % buffers != 0 => Err(format!(
                "expected 'epilogue_stages' to divide the {pieces} subtiles of a warpgroup's tile, found {buffers}"
            )),
            Some(buffers) if bytes.saturating_mul(buffers) > space => Err(format!(
                "expected at most {space} bytes of shared memory for the epilogue, beside the mainloop's stages, found {} for {buffers} epilogue stages of {groups} warpgroups",
                bytes.saturating_mul(buffers)
            )),
            Some(buffers) => staged(buffers).map(|(store, ..)| store).ok_or_else(not_staged),
            None => {
                let fits = |&buffers: &i64| pieces % buffers == 0 && bytes * buffers <= space;
                let buffers = [2, 1].into_iter().find(fits);
                buffers.and_then(staged).map_or_else(direct, |(store, ..)| Ok(store))
            }
        }
    }

    /// The staged store, the pieces of a warpgroup's tile, and the bytes of shared memory that one
    /// buffer for each warpgroup takes; where C allows it: rows of elements of 8, 16 or 32 bits that the
    /// copy engine takes, and whole pieces.
    fn staged(
        problem: &Problem<'_>,
        block_tile: (i64, i64),
        group_tile: (i64, i64),
        atom_columns: i64,
        groups: i64,
        buffers: i64,
    ) -> Option<(Self, i64, i64)> {
        let element_bytes = problem.output_bits / 8;
        let (piece, Rows { major, width: row }) = pieces_of_c(problem, atom_columns)?;
        let (_, width) = piece;
        let warp_piece = (STMATRIX_TILE.0, width);
        let by_thread = |tile, held| partition::fragment(piece, warp_piece, tile, held);
        let (collect, collect_partition) = match (element_bytes, major) {
            (2, _) if width % STMATRIX_TILE.1 == 0 => {
                let collect = known(match major {
                    Major::Reduction => "stmatrix_x4",
                    Major::Outer => "stmatrix_x4_trans",
                });
                let copy = (collect.ok()?, element_bytes);
                let (tile, held) = (STMATRIX_TILE, STMATRIX);
                (copy.0, partition::collective_source(piece, warp_piece, tile, held, copy).ok()?)
            }
            // Each thread its own: no instruction has bytes for its unit, or one matrix beside another. With
            // ping-pong, ptxas would make one MMA wait for another.
            (2, Major::Outer) if problem.schedule.ping_pong == 1 => {
                (known("simt_1").ok()?, by_thread(HALF_STMATRIX_TILE, HALF_STMATRIX))
            }
            // Two neighbours at a time.
            (1 | 4, Major::Reduction) if width % STMATRIX_TILE.1 == 0 => {
                (known("simt_2").ok()?, by_thread(STMATRIX_TILE, STMATRIX))
            }
            _ => return None,
        };
        let at_once = collect.elements(element_bytes).unwrap_or(1);
        let access = shared_memory::access_of_warps(&collect_partition, at_once);
        let (width, conflicts) =
            shared_memory::written_by_threads(piece, (major, row), access, element_bytes);
        let store = Self::Staged {
            conflicts,
            piece,
            buffers,
            staging: partition::staging(piece, (major, width), (buffers, groups), element_bytes),
            collect,
            collect_partition,
            store: known("bulk_tensor_store").ok()?,
            pieces: partition::pieces(block_tile, group_tile, piece),
        };
        let pieces = group_tile.0 / piece.0 * (group_tile.1 / piece.1);
        Some((store, pieces, piece.0 * piece.1 * element_bytes * groups))
    }
}

/// Rows and columns of a piece of C, and how bulk copies store it, or `None` if they do not. Pieces are as long as a
/// warpgroup's rows where C is contiguous along these, so that any number of columns will do.
pub(crate) fn pieces_of_c(problem: &Problem<'_>, columns: i64) -> Option<((i64, i64), Rows)> {
    let bytes = problem.output_bits / 8;
    let narrow = piece(columns, bytes);
    let rows = Rows::stored("C", problem.result(), narrow).ok()?;
    match rows.major {
        Major::Reduction => Some((narrow, rows)),
        Major::Outer => {
            let long = (narrow.0, pieces::along(columns));
            Some((long, Rows::stored("C", problem.result(), long).ok()?))
        }
    }
}

/// Rows and columns of a piece of C of a tile with `columns` columns: the rows of a warpgroup, and
/// the largest power of two that divides the columns.
pub(crate) fn piece(columns: i64, element_bytes: i64) -> (i64, i64) {
    const GROUP_ROWS: i64 = 64;
    (GROUP_ROWS, pieces::across(columns, PIECE_BYTES / element_bytes))
}

#[cfg(test)]
#[path = "../../../tests/matmul/store.rs"]
mod tests;
