//! The atom table: hardware instructions and how they spread elements over threads and values.
//!
//! A *thread-value layout* maps a lane of the warp and the number of a value that the lane holds to
//! an element of the instruction's tile, counted column-major. Layouts are written as CuTe writes
//! them; offsets count elements. The sources are the PTX ISA's figures of the fragments of `ldmatrix`,
//! `mma` and `wgmma`; the rows of the last two are in `multiply`.
//!
//! The requirements of an instruction on a layout in shared memory are derived from that layout, or refused:
//! [`shared_matrix`] for `wgmma`, [`tensor_map`] for bulk tensor copies, [`im2col`] for those of convolutions.

pub mod choice;
pub mod im2col;
mod multiply;
pub mod schedule;
pub mod shared_matrix;
pub mod space;
pub mod tensor_map;
pub mod tiled;

pub use multiply::MmaAtom;

use crate::atoms::space::Space;
use std::sync::LazyLock;

/// Lanes of a warp.
pub const WARP: i64 = 32;

/// Threads of a warpgroup.
pub const WARPGROUP: i64 = 128;

/// A row of the table.
#[derive(Debug)]
pub struct Atom {
    /// The name in `#layout.atom<…>`.
    pub name: &'static str,
    chips: Chips,
    data: Data,
}

/// The chips that have an instruction.
#[derive(Debug)]
enum Chips {
    /// All from this number on: 80 for `sm_80`.
    From(u32),
    /// One, whose instructions later chips dropped.
    Only(&'static str),
}

#[derive(Debug)]
enum Data {
    Mma(MmaAtom),
    Copy(CopyAtom),
}

/// How a copy atom moves elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// Ordinary vector loads and stores, between any spaces; converts between floats.
    Simt,
    /// `cp.async`: global to shared memory, without passing through registers.
    CpAsync,
    /// `ldmatrix`: shared memory to the registers of a whole warp.
    Ldmatrix {
        /// Whether each 8 by 8 matrix is transposed on the way.
        transposed: bool,
    },
    /// `stmatrix`: the registers of a whole warp to shared memory; `ldmatrix` the other way round.
    Stmatrix {
        /// Whether each 8 by 8 matrix is transposed on the way.
        transposed: bool,
    },
    /// `cp.async.bulk.tensor`: a tile of a global matrix to shared memory, by the copy engine. One
    /// thread issues it.
    BulkTensor,
    /// The same from shared memory to a tile of a global matrix, for a warpgroup whose first thread
    /// issues it.
    BulkTensorStore,
    /// `cp.async.bulk`: bytes in a row from global to shared memory, by the copy engine. One thread
    /// issues it.
    Bulk,
    /// The same from shared to global memory, for a warpgroup whose first thread issues it.
    BulkStore,
}

impl CopyKind {
    /// Whether the copy engine loads, and counts the bytes at a barrier of a pipeline.
    pub fn is_bulk_load(self) -> bool {
        matches!(self, CopyKind::BulkTensor | CopyKind::Bulk)
    }

    /// Whether the copy engine stores.
    pub fn is_bulk_store(self) -> bool {
        matches!(self, CopyKind::BulkTensorStore | CopyKind::BulkStore)
    }

    /// Whether the copy engine copies.
    pub fn is_bulk(self) -> bool {
        self.is_bulk_load() || self.is_bulk_store()
    }
}

#[derive(Debug)]
struct CopyAtom {
    kind: CopyKind,
    /// Elements an instruction moves for a thread; bytes for `CpAsync` and collective copies, and those that
    /// an instruction of a `Bulk` or a `BulkStore` moves a multiple of.
    run: i64,
}

/// Bytes of a row of an 8 by 8 matrix, whose address a lane gives to a collective copy.
const MATRIX_ROW: i64 = 16;

/// Bytes that a bulk copy without a tensor map moves a multiple of, from a multiple of them.
const BULK_UNIT: i64 = 16;

/// The table.
static ATOMS: LazyLock<Vec<Atom>> = LazyLock::new(|| {
    let mut atoms = multiply::atoms();
    atoms.extend([
        copy("ldmatrix_x4", 75, CopyKind::Ldmatrix { transposed: false }, MATRIX_ROW),
        copy("ldmatrix_x4_trans", 75, CopyKind::Ldmatrix { transposed: true }, MATRIX_ROW),
        copy("cp_async_4", 80, CopyKind::CpAsync, 4),
        copy("cp_async_8", 80, CopyKind::CpAsync, 8),
        copy("cp_async_16", 80, CopyKind::CpAsync, 16),
        copy("simt_1", 20, CopyKind::Simt, 1),
        copy("simt_2", 20, CopyKind::Simt, 2),
        copy("simt_4", 20, CopyKind::Simt, 4),
        copy("simt_8", 20, CopyKind::Simt, 8),
        copy("simt_16", 20, CopyKind::Simt, 16),
        copy("simt_32", 20, CopyKind::Simt, 32),
        copy("stmatrix_x4", 90, CopyKind::Stmatrix { transposed: false }, MATRIX_ROW),
        copy("stmatrix_x4_trans", 90, CopyKind::Stmatrix { transposed: true }, MATRIX_ROW),
        copy("bulk_tensor_load", 90, CopyKind::BulkTensor, 1),
        copy("bulk_tensor_store", 90, CopyKind::BulkTensorStore, 1),
        copy("bulk_load", 90, CopyKind::Bulk, BULK_UNIT),
        copy("bulk_store", 90, CopyKind::BulkStore, BULK_UNIT),
    ]);
    atoms
});

/// All atoms.
pub fn all() -> &'static [Atom] {
    &ATOMS
}

fn copy(name: &'static str, first_chip: u32, kind: CopyKind, run: i64) -> Atom {
    Atom { name, chips: Chips::From(first_chip), data: Data::Copy(CopyAtom { kind, run }) }
}

/// The atom of a warpgroup that multiplies elements of this type without conversion, in `n` columns.
pub fn for_warpgroup(element: &str, n: i64) -> Option<&'static Atom> {
    find(Space::Shared, element, n)
}

/// The atom of a warp that multiplies elements of this type without conversion.
pub fn for_warp(element: &str) -> Option<&'static Atom> {
    find(Space::Register, element, 8)
}

fn find(space: Space, element: &str, n: i64) -> Option<&'static Atom> {
    let fits = |mma: &MmaAtom| {
        (mma.a_space, mma.b_space) == (space, space)
            && mma.operand == element
            && mma.is_exact()
            && mma.extent.1 == n
    };
    ATOMS.iter().find(|atom| atom.mma().is_some_and(fits))
}

/// Finds an atom by name.
pub fn lookup(name: &str) -> Option<&'static Atom> {
    ATOMS.iter().find(|atom| atom.name == name)
}

/// The number of a chip's name: 90 for `sm_90` and `sm_90a`.
pub fn chip_number(chip: &str) -> Option<u32> {
    let number = chip.strip_prefix("sm_")?;
    let number = number.strip_suffix(['a', 'f']).unwrap_or(number);
    let plain = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    if plain { number.parse().ok() } else { None }
}

/// Registers of a producer's and of a consumer's thread after `setmaxnreg`, by the number of consumer warpgroups: all
/// that a multiprocessor has for one block. With one or with many warpgroups, none are moved.
pub fn moved_registers(groups: i64) -> Option<(i64, i64)> {
    match groups {
        2 => Some((40, 232)),
        3 => Some((32, 160)),
        _ => None,
    }
}

/// Registers that a thread needs beside its accumulators: the least that `ptxas` requires.
pub const REGISTERS_WITHOUT_ACCUMULATORS: i64 = 26;

/// The least registers of a thread beside its accumulators and fragments, where warpgroups exchange registers (`setmaxnreg`).
pub const REGISTERS_WITHOUT_FRAGMENTS: i64 = 24;

/// Registers that a thread may have with this number of consumer warpgroups beside a producer.
pub fn consumer_registers(groups: i64) -> i64 {
    const REGISTERS: i64 = 1 << 16;
    let threads = WARPGROUP * groups.max(0).saturating_add(1);
    match moved_registers(groups) {
        // With three warpgroups, what one instruction names must fit before registers are reallocated.
        Some((_, consumer)) if groups == 2 => consumer,
        _ => (REGISTERS / threads / 8 * 8).min(255),
    }
}

/// Bytes of shared memory that a block may require, by the chip's description.
pub fn shared_limit(chip: &str) -> Option<i64> {
    Some(layout_schedule::Chip::named(chip)?.shared_bytes)
}

/// The names of the chips that have a description, oldest first.
pub fn described_chips() -> Vec<&'static str> {
    layout_schedule::Chip::all().iter().map(|chip| chip.name.as_str()).collect()
}

impl Atom {
    /// The name of the first chip that has the instruction.
    pub fn min_chip(&self) -> String {
        match self.chips {
            Chips::From(number) => format!("sm_{number}"),
            Chips::Only(name) => name.to_owned(),
        }
    }

    /// Whether a chip has the instruction.
    pub fn runs_on(&self, chip: &str) -> bool {
        match self.chips {
            Chips::From(first) => chip_number(chip).is_some_and(|number| number >= first),
            Chips::Only(name) => chip == name,
        }
    }

    /// The multiply-accumulate, if the atom is one.
    pub fn mma(&self) -> Option<&MmaAtom> {
        match &self.data {
            Data::Mma(mma) => Some(mma),
            Data::Copy(_) => None,
        }
    }

    /// How the atom copies, if it does.
    pub fn copy_kind(&self) -> Option<CopyKind> {
        self.copy().map(|copy| copy.kind)
    }

    /// Elements of `bytes` bytes that one instruction moves for a thread, or `None` if it cannot
    /// move such elements, or does not copy.
    pub fn elements(&self, bytes: i64) -> Option<i64> {
        self.elements_of_bits(bytes.checked_mul(8)?)
    }

    /// Elements of `bits` bits that one instruction moves for a thread, which may lie several to a byte, or `None` if it
    /// cannot move such elements, or does not copy.
    pub fn elements_of_bits(&self, bits: i64) -> Option<i64> {
        let copy = self.copy()?;
        let bytes = bits / 8;
        match copy.kind {
            CopyKind::BulkTensor | CopyKind::BulkTensorStore if bytes == 0 => None,
            CopyKind::Simt | CopyKind::BulkTensor | CopyKind::BulkTensorStore => Some(copy.run),
            CopyKind::CpAsync | CopyKind::Bulk | CopyKind::BulkStore => {
                let run = copy.run.checked_mul(8)?;
                (bits > 0 && run % bits == 0).then(|| run / bits)
            }
            CopyKind::Ldmatrix { transposed } | CopyKind::Stmatrix { transposed } => {
                // A transposed copy takes elements of 16 bits; else a register holds any in a row.
                let whole = if transposed { bytes == 2 } else { matches!(bytes, 1 | 2 | 4) };
                whole.then(|| copy.run / bytes)
            }
        }
    }

    /// For a collective copy of elements of `bytes` bytes: from lane and value to the element whose address in shared
    /// memory the lane provides.
    pub fn source(&self, bytes: i64) -> Option<String> {
        let row = self.collective(bytes)?;
        Some(format!("({WARP},{row}):({row},1)"))
    }

    /// For a collective copy of elements of `bytes` bytes: from lane and value to the element in the lane's registers:
    /// four 8 by 8 matrices of 16 bits each, by the PTX ISA's figure of their fragments.
    pub fn destination(&self, bytes: i64) -> Option<String> {
        const REGISTER: i64 = 4;
        let row = self.collective(bytes)?;
        let held = REGISTER / bytes;
        let transposed = CopyKind::Ldmatrix { transposed: true } == self.copy()?.kind
            || CopyKind::Stmatrix { transposed: true } == self.copy()?.kind;
        Some(match transposed {
            true => "((4,8),(2,4)):((16,1),(8,64))".to_owned(),
            false => format!("((4,8),({held},4)):(({held},{row}),(1,{}))", 8 * row),
        })
    }

    /// Elements of a row of a matrix, of a collective copy.
    fn collective(&self, bytes: i64) -> Option<i64> {
        let kind = self.copy()?.kind;
        matches!(kind, CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix { .. })
            .then(|| self.elements(bytes))
            .flatten()
    }

    fn copy(&self) -> Option<&CopyAtom> {
        match &self.data {
            Data::Mma(_) => None,
            Data::Copy(copy) => Some(copy),
        }
    }
}

#[cfg(test)]
#[path = "../tests/units/atoms/page.rs"]
mod page;
