//! The events that threads wait for.

use super::{machine::WARP, mma::LaneRegisters};

/// The event that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wait {
    Barrier {
        site: u32,
    },
    Sync {
        site: u32,
    },
    Shuffle {
        mode: i32,
        value: u64,
        offset: i32,
        width: i32,
        /// Whether the lanes of a segment wait for each other alone.
        alone: bool,
        site: u32,
    },
    Product {
        registers: LaneRegisters,
        /// The atom's place among those of warps.
        atom: u32,
        site: u32,
    },
    /// All threads of the block, each of which passes a value.
    Gather {
        value: u64,
        site: u32,
    },
    /// The end of a phase of a barrier in shared memory.
    Phase {
        barrier: u64,
        parity: bool,
        site: u32,
    },
    /// So many threads at a barrier of a number.
    Some {
        number: u32,
        site: u32,
    },
    /// A warpgroup, for an MMA.
    Warpgroup {
        site: u32,
    },
    /// Registers that others give back.
    Registers {
        count: u32,
        site: u32,
    },
    /// All threads of its cluster.
    Cluster {
        site: u32,
    },
    /// Nothing: others run first.
    Turn,
    /// The run is at its end.
    Ever,
}

impl Wait {
    pub(super) const fn site(self) -> u32 {
        match self {
            Self::Barrier { site }
            | Self::Sync { site }
            | Self::Shuffle { site, .. }
            | Self::Product { site, .. }
            | Self::Gather { site, .. }
            | Self::Phase { site, .. }
            | Self::Some { site, .. }
            | Self::Registers { site, .. }
            | Self::Cluster { site }
            | Self::Warpgroup { site } => site,
            Self::Turn | Self::Ever => 0,
        }
    }

    /// Whether lanes of a warp wait for each other.
    pub(super) const fn is_collective(self) -> bool {
        matches!(self, Self::Sync { .. } | Self::Shuffle { .. } | Self::Product { .. })
    }

    /// The lanes that wait for each other from a multiple of their number on: a segment of a shuffle, or the warp.
    pub(super) fn lanes(self) -> usize {
        match self {
            Self::Shuffle { width, alone: true, .. } => {
                usize::try_from(width).map_or(WARP, |width| width.clamp(1, WARP))
            }
            _ => WARP,
        }
    }

    /// Whether other threads than those of its warp may let it continue, or a copy.
    pub(super) const fn may_end(self) -> bool {
        matches!(
            self,
            Self::Phase { .. }
                | Self::Some { .. }
                | Self::Warpgroup { .. }
                | Self::Registers { .. }
                | Self::Cluster { .. }
        )
    }
}
