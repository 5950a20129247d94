//! Mainloops: which instructions multiply a tile, which copies bring it to shared memory and to registers, and how
//! buffers are laid out. [`warps`] are fed by `cp.async` and multiply with `mma.sync` or FMA, [`warpgroups`] by bulk
//! copies and multiply with `wgmma`.
//!
//! Imports the problem, partitions, tile schedulers and stores; knows nothing of pipelines, normalisation and launches.

pub(crate) mod bulk_copy;
pub(crate) mod register_operand;
pub(crate) mod shared_memory;
pub(crate) mod warpgroups;
pub(crate) mod warps;

use crate::matmul::{epilogue::store::Store, problem::Problem, scheduler::TileScheduler};
use layout_algebra::Conflicts;
use layout_dialect::atoms::{self, Atom, MmaAtom, WARPGROUP};
use warpgroups::Warpgroups;
use warps::Warps;

/// All choices of one matmul, made before any operation is emitted.
pub(crate) struct Plan {
    pub(crate) scheduler: TileScheduler,
    /// Stages of the pipeline.
    pub(crate) stages: i64,
    /// Threads of a block.
    pub(crate) threads: i64,
    pub(crate) chip: String,
    pub(crate) mma: &'static Atom,
    /// The atom whose accumulators are those of one GEMM.
    pub(crate) stored: &'static MmaAtom,
    /// Accumulators of a thread for one GEMM: `(values, atoms along M, atoms along N)`.
    pub(crate) accumulators: (i64, i64, i64),
    /// GEMMs of A whose accumulators an atom has side by side: two with a second B.
    pub(crate) factors: i64,
    /// Term: where the accumulators belong in a tile of C.
    pub(crate) partition: String,
    pub(crate) store: Store,
    /// Pieces of a tile that are stored beside the steps of the block's next tile, the last ones.
    pub(crate) deferred: i64,
    pub(crate) mainloop: Mainloop,
}

/// The threads that multiply a tile, and how it is copied.
pub(crate) enum Mainloop {
    Warps(Box<Warps>),
    Warpgroups(Box<Warpgroups>),
}

impl Plan {
    pub(crate) fn warps(&self) -> Result<&Warps, melior::Error> {
        match &self.mainloop {
            Mainloop::Warps(warps) => Ok(warps),
            Mainloop::Warpgroups(_) => Err(melior::Error::OperationBuild),
        }
    }

    pub(crate) fn warpgroups(&self) -> Result<&Warpgroups, melior::Error> {
        match &self.mainloop {
            Mainloop::Warpgroups(warpgroups) => Ok(warpgroups),
            Mainloop::Warps(_) => Err(melior::Error::OperationBuild),
        }
    }

    /// The element type of accumulators.
    pub(crate) fn accumulator(&self) -> &'static str {
        self.mma.mma().map_or("f32", |mma| mma.output)
    }

    /// Whether accumulation has two levels: each tile along K separately.
    pub(crate) fn has_two_levels(&self) -> bool {
        self.warpgroups().is_ok_and(|warpgroups| warpgroups.two_level_accumulation)
    }

    /// How many atoms a warpgroup has along N and along M, and how many pieces an atom has.
    pub(crate) fn pieces(&self) -> (i64, i64, i64) {
        let (values, down, across) = self.accumulators;
        match &self.store {
            Store::Direct { .. } => (across, down, 1),
            Store::Staged { piece, .. } => (across, down, values * WARPGROUP / (piece.0 * piece.1)),
        }
    }

    /// The pieces of a warpgroup's tile in the order in which they are stored: the atom along M and along N, and the
    /// piece of it.
    pub(crate) fn all_pieces(&self) -> Vec<[i64; 3]> {
        let (across, down, along) = self.pieces();
        let mut all = Vec::new();
        for n in 0..across {
            for m in 0..down {
                all.extend((0..along).map(|piece| [m, n, piece]));
            }
        }
        all
    }

    /// The bank conflicts of what accesses shared memory, after `swap_ab`.
    pub(crate) fn conflicts(&self) -> Vec<(&'static str, &[Conflicts])> {
        let (a, b, c) = match (&self.mainloop, &self.store) {
            (Mainloop::Warps(warps), _) => {
                let c = warps.vectors.as_ref().map(|vectors| &vectors.conflicts);
                (&warps.a.conflicts, &warps.b.conflicts, c)
            }
            (Mainloop::Warpgroups(own), Store::Staged { conflicts, .. }) => {
                (&own.a.conflicts, &own.b.conflicts, Some(conflicts))
            }
            (Mainloop::Warpgroups(own), Store::Direct { .. }) => {
                (&own.a.conflicts, &own.b.conflicts, None)
            }
        };
        let c = c.map(|conflicts| ("C", &conflicts[..]));
        [("A", &a[..]), ("B", &b[..])].into_iter().chain(c).collect()
    }

    /// Lets threads write C from their registers, whatever C allows.
    pub(crate) fn store_directly(&mut self, problem: &Problem<'_>) -> Result<(), String> {
        let warpgroups = match &mut self.mainloop {
            Mainloop::Warps(warps) => {
                warps.vectors = None;
                return Ok(());
            }
            Mainloop::Warpgroups(warpgroups) => warpgroups,
        };
        let (m, n, _) = self.scheduler.tile;
        let group_tile = (m / warpgroups.groups.0, n / warpgroups.groups.1);
        self.store = Store::direct(problem.result(), ((m, n), group_tile), self.stored)?;
        Ok(())
    }
}

/// The atom of a name that this pass uses.
pub(crate) fn known(name: &str) -> Result<&'static Atom, String> {
    atoms::lookup(name).ok_or_else(|| format!("expected the atom table to have {name}"))
}
