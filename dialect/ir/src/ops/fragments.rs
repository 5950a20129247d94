//! Arithmetic on fragments: `layout.map` and `layout.reduce`.
//!
//! A fragment is a view of registers: what one thread has of a tile. [`write_out`] makes element by element of these
//! operations what other passes and lowerings know: loads, stores, arithmetic, reductions of lanes, barriers.

mod broadcast;
mod exchange;
mod map;
mod plan;
mod reduce;
mod write;

pub use broadcast::Elements;
pub use exchange::{Accesses, accesses};
pub(crate) use map::verify as verify_map;
pub use map::{Map, map};
pub(crate) use reduce::verify as verify_reduce;
pub use write::{is_fragment_wide, write_out};

/// Elements of a fragment that are written out, at most.
pub(crate) const MAX_ELEMENTS: i64 = 1 << 16;
