//! A of warpgroups in registers: the copy from shared memory, and how many steps along K are held at once. Imports
//! partitions.
//!
//! Loads by threads have a two-way bank conflict with every swizzle except, for elements of 4 bytes, that of
//! 32 bytes. With that one TMA copies four times as many rows, which takes
//! longer: 481 µs against 374 at 4096x4096x4096 on an H200.

use crate::matmul::{mainloop::known, partition::Major};
use layout_dialect::{
    atoms::{Atom, MmaAtom, REGISTERS_WITHOUT_FRAGMENTS},
    schedule::Schedule,
};

/// An operand that MMAs read from registers.
pub(crate) struct RegisterOperand {
    /// Shared memory to registers.
    pub(crate) copy: &'static Atom,
    /// Values of a thread for an atom, and atoms along M.
    pub(crate) fragment: (i64, i64),
    /// Steps along K whose registers are held at once: while some are multiplied, others are loaded.
    pub(crate) steps: i64,
}

/// Bytes of a register.
const REGISTER_BYTES: i64 = 4;

/// The most steps along K whose operands are in registers at once: loads of one overlap MMAs of the others.
const MAX_K_STEPS: i64 = 4;

impl RegisterOperand {
    /// How A comes to registers: collectively where a copy has its order, else each thread what it needs.
    pub(crate) fn new(
        tiled: &MmaAtom,
        major: Major,
        element_bytes: i64,
        (atoms, steps): (i64, i64),
    ) -> Result<Self, String> {
        let collective = match major {
            Major::Reduction => known("ldmatrix_x4")?,
            Major::Outer => known("ldmatrix_x4_trans")?,
        };
        let copy = match collective.elements(element_bytes) {
            Some(_) => collective,
            None => known("simt_1")?,
        };
        Ok(Self { copy, fragment: (tiled.a_values, atoms), steps })
    }
}

/// The number of steps along K whose operands are in registers at once, given a thread's registers and accumulators.
/// Two-level accumulation takes all steps of a tile together.
///
/// # Errors
///
/// When not even the fewest fit.
pub(crate) fn steps(
    tiled: &MmaAtom,
    schedule: &Schedule,
    element_bytes: i64,
    groups: (i64, i64),
    (accumulators, registers): (i64, i64),
) -> Result<i64, String> {
    let ((bm, bn, bk), (am, _, ak)) = (schedule.tile, tiled.extent);
    let of_atom = tiled.a_values * element_bytes / REGISTER_BYTES;
    let each = of_atom.saturating_mul(bm / groups.0 / am);
    let steps = bk / ak;
    let (least, most) =
        if schedule.two_level_accumulation { (steps, steps) } else { (1, steps.min(MAX_K_STEPS)) };
    let left = registers - accumulators - REGISTERS_WITHOUT_FRAGMENTS;
    let fits = (least..=most).rev().find(|steps| each.saturating_mul(*steps) <= left);
    fits.ok_or_else(|| {
        format!(
            "expected a tile whose accumulators and fragments of A leave a thread \
             {REGISTERS_WITHOUT_FRAGMENTS} of its {registers} registers, found {accumulators} accumulators and {} \
             registers of A in ({bm},{bn},{bk}) of {} warpgroups",
            each.saturating_mul(least),
            (groups.0 * groups.1).saturating_mul(schedule.ping_pong)
        )
    })
}
