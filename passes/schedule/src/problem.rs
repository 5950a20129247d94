//! The properties of a problem that times depend on.

/// GEMMs that one kernel computes: one, a batch of equal ones, or a group of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Each, of a group; one otherwise.
    pub gemms: Vec<GemmShape>,
    /// Bytes of an element of A and B.
    pub bytes: i64,
    /// Bytes of an element of C.
    pub result_bytes: i64,
    /// GEMMs of A that a block computes together: two with a second B of the first one's shape.
    pub factors: i64,
    /// A and B, those of the largest of several.
    pub operands: [Operand; 2],
    /// Whether C is contiguous along M alone.
    pub turned_c: bool,
    /// Whether rows of C are multiples of 16 bytes, as bulk copies store them.
    pub bulk_stores: bool,
    /// Whether accumulators are f32, so that slices of K may be accumulated separately.
    pub sums_of_f32: bool,
    /// Whether each tile along K is accumulated separately and then added (`two_level_accumulation`).
    pub two_levels: bool,
    /// Whether rows of A and B start at places where warps fetch 8 bytes at a time.
    pub vectors: bool,
}

/// The shape of a GEMM, or of a batch of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmShape {
    /// M, N and K.
    pub extents: [i64; 3],
    /// GEMMs of a batch; 1 for a single one.
    pub batch: i64,
}

/// The layout of an operand in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operand {
    /// Whether it is contiguous along M or N, and not along K.
    pub outer: bool,
    /// Whether its rows start at other places than cache lines do.
    pub across: bool,
    /// Whether it is copied first, since bulk copies cannot take it as it is.
    pub copied: bool,
}

impl Problem {
    /// The GEMM with the most work.
    #[must_use]
    pub fn largest(&self) -> GemmShape {
        let work = |gemm: &&GemmShape| {
            gemm.extents.iter().fold(gemm.batch, |all, &extent| all.saturating_mul(extent))
        };
        let none = GemmShape { extents: [1; 3], batch: 1 };
        self.gemms.iter().max_by_key(work).copied().unwrap_or(none)
    }
}

/// How many tiles cover an extent.
#[must_use]
pub fn cover(extent: i64, tile: i64) -> i64 {
    (extent - 1).div_euclid(tile.max(1)) + 1
}
