//! The atom table: hardware instructions and how they spread elements over threads and values.
//!
//! A *thread-value layout* maps a lane of the warp and the number of a value that the lane holds to
//! an element of the instruction's tile, counted column-major. Layouts are written as CuTe writes
//! them; offsets count elements. The sources are the PTX ISA's figures of the fragments of
//! `mma.m16n8k16`, of `ldmatrix` and of the accumulators of `wgmma.m64nNk16`.
//!
//! What an instruction wants of a layout in shared memory is derived from that layout, or refused:
//! [`shared_matrix`] for `wgmma`, [`tensor_map`] for bulk tensor copies.

pub mod shared_matrix;
pub mod tensor_map;

use crate::types::Space;
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

/// A matrix multiply-accumulate: `c(m,n) += sum over k of a(m,k) * b(n,k)`.
#[derive(Debug)]
pub struct MmaAtom {
    /// Element type of A and B.
    pub input: &'static str,
    /// Element type of C.
    pub output: &'static str,
    /// (M, N, K).
    pub extent: (i64, i64, i64),
    /// Threads that execute it together: a warp or a warpgroup.
    pub threads: i64,
    /// Where A and B lie: in registers, or in shared memory, which every thread sees as a whole.
    pub inputs: Space,
    /// Thread-value layout of A over (M, K).
    pub a: String,
    /// Thread-value layout of B over (N, K).
    pub b: String,
    /// Thread-value layout of C over (M, N).
    pub c: String,
    /// Values of A that a thread holds or sees.
    pub a_values: i64,
    /// Values of B that a thread holds or sees.
    pub b_values: i64,
    /// Values of C that a thread holds.
    pub c_values: i64,
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
    Stmatrix,
    /// `cp.async.bulk.tensor`: a tile of a global matrix to shared memory, by the copy engine. One
    /// thread issues it.
    BulkTensor,
    /// The same from shared memory to a tile of a global matrix, for a warpgroup whose first thread
    /// issues it.
    BulkTensorStore,
}

#[derive(Debug)]
struct CopyAtom {
    kind: CopyKind,
    /// Elements an instruction moves for a thread; bytes for `CpAsync`.
    run: i64,
    /// Lane and value to element, as addressed and as in registers; for collective copies.
    exchange: Option<(&'static str, &'static str)>,
}

/// The table.
static ATOMS: LazyLock<Vec<Atom>> = LazyLock::new(|| {
    let mut atoms = vec![
        mma("mma_m16n8k16_f32_f16", "f16"),
        mma("mma_m16n8k16_f32_bf16", "bf16"),
        ldmatrix("ldmatrix_x4", false, "((4,8),(2,4)):((2,8),(1,64))"),
        ldmatrix("ldmatrix_x4_trans", true, "((4,8),(2,4)):((16,1),(8,64))"),
        copy("cp_async_4", 80, CopyKind::CpAsync, 4),
        copy("cp_async_8", 80, CopyKind::CpAsync, 8),
        copy("cp_async_16", 80, CopyKind::CpAsync, 16),
        copy("simt_1", 20, CopyKind::Simt, 1),
        copy("simt_2", 20, CopyKind::Simt, 2),
        copy("simt_4", 20, CopyKind::Simt, 4),
        copy("simt_8", 20, CopyKind::Simt, 8),
        stmatrix("stmatrix_x4", "((4,8),(2,4)):((2,8),(1,64))"),
        copy("bulk_tensor_load", 90, CopyKind::BulkTensor, 1),
        copy("bulk_tensor_store", 90, CopyKind::BulkTensorStore, 1),
    ];
    for input in ["f16", "bf16"] {
        atoms.extend((8..=256).step_by(8).map(|n| wgmma(input, n)));
    }
    atoms
});

/// All atoms.
pub fn all() -> &'static [Atom] {
    &ATOMS
}

fn mma(name: &'static str, input: &'static str) -> Atom {
    Atom {
        name,
        chips: Chips::From(80),
        data: Data::Mma(MmaAtom {
            input,
            output: "f32",
            extent: (16, 8, 16),
            threads: WARP,
            inputs: Space::Register,
            a: "((4,8),(2,2,2)):((32,1),(16,8,128))".to_owned(),
            b: "((4,8),(2,2)):((16,1),(8,64))".to_owned(),
            c: "((4,8),(2,2)):((32,1),(16,8))".to_owned(),
            a_values: 8,
            b_values: 4,
            c_values: 4,
        }),
    }
}

/// A and B lie in shared memory; C is spread as in the PTX ISA's "wgmma.mma_async.m64nNk16
/// D fragment layout".
fn wgmma(input: &'static str, n: i64) -> Atom {
    let (m, k) = (64, 16);
    Atom {
        // The table is made once, and lives as long as the process.
        name: format!("wgmma_m{m}n{n}k{k}_f32_{input}").leak(),
        chips: Chips::Only("sm_90a"),
        data: Data::Mma(MmaAtom {
            input,
            output: "f32",
            extent: (m, n, k),
            threads: WARPGROUP,
            inputs: Space::Shared,
            a: format!("({WARPGROUP},({m},{k})):(0,(1,{m}))"),
            b: format!("({WARPGROUP},({n},{k})):(0,(1,{n}))"),
            c: format!("((4,8,4),(2,2,{})):((128,1,16),(64,8,512))", n / 8),
            a_values: m * k,
            b_values: n * k,
            c_values: m * n / WARPGROUP,
        }),
    }
}

fn ldmatrix(name: &'static str, transposed: bool, received: &'static str) -> Atom {
    Atom {
        name,
        chips: Chips::From(75),
        data: Data::Copy(CopyAtom {
            kind: CopyKind::Ldmatrix { transposed },
            run: 8,
            exchange: Some(("(32,8):(8,1)", received)),
        }),
    }
}

fn stmatrix(name: &'static str, given: &'static str) -> Atom {
    let exchange = Some(("(32,8):(8,1)", given));
    Atom {
        name,
        chips: Chips::From(90),
        data: Data::Copy(CopyAtom { kind: CopyKind::Stmatrix, run: 8, exchange }),
    }
}

fn copy(name: &'static str, first_chip: u32, kind: CopyKind, run: i64) -> Atom {
    let data = Data::Copy(CopyAtom { kind, run, exchange: None });
    Atom { name, chips: Chips::From(first_chip), data }
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

/// Registers of a loader's and of a consumer's thread after some have changed hands, by the number of
/// consuming warpgroups: all that a multiprocessor has for one block. With one or with many
/// warpgroups, nothing is moved.
pub fn moved_registers(groups: i64) -> Option<(i64, i64)> {
    match groups {
        2 => Some((40, 232)),
        3 => Some((32, 160)),
        _ => None,
    }
}

/// Bytes of shared memory that a block may ask for, by chip (CUDA C++ programming guide,
/// "Technical specifications per compute capability").
pub fn shared_limit(chip: &str) -> Option<i64> {
    match chip_number(chip)? {
        80 | 87 => Some(163 * 1024),
        86 | 89 | 120 | 121 => Some(99 * 1024),
        90 | 100 | 101 | 103 => Some(227 * 1024),
        _ => None,
    }
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

    /// Elements of `bytes` bytes that one instruction moves for a thread; nothing when it cannot
    /// move such elements, or does not copy.
    pub fn elements(&self, bytes: i64) -> Option<i64> {
        let copy = self.copy()?;
        match copy.kind {
            CopyKind::Simt | CopyKind::BulkTensor | CopyKind::BulkTensorStore => Some(copy.run),
            CopyKind::CpAsync => (bytes > 0 && copy.run % bytes == 0).then(|| copy.run / bytes),
            CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix => (bytes == 2).then_some(copy.run),
        }
    }

    /// Values that a thread has of the atom: of the elements that a copy moves (of one byte, for
    /// `cp.async`), or of C.
    pub fn values(&self) -> i64 {
        match &self.data {
            Data::Mma(mma) => mma.c_values,
            Data::Copy(copy) => copy.run,
        }
    }

    /// For a collective copy: lane and value to the element whose address in shared memory the lane
    /// gives.
    pub fn source(&self) -> Option<&'static str> {
        self.copy()?.exchange.map(|(source, _)| source)
    }

    /// For a collective copy: lane and value to the element that the lane has in its registers.
    pub fn destination(&self) -> Option<&'static str> {
        self.copy()?.exchange.map(|(_, destination)| destination)
    }

    fn copy(&self) -> Option<&CopyAtom> {
        match &self.data {
            Data::Mma(_) => None,
            Data::Copy(copy) => Some(copy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout_algebra::Layout;

    /// Every lane and value has an element of the tile, and every element has one lane and value.
    fn assert_bijection(atom: &str, text: &str, threads: i64, values: i64, tile: i64) {
        let layout: Layout = text.parse().expect("a layout");
        let modes = layout.modes();
        assert_eq!(modes[0].size(), threads, "{atom}: {text} has the threads");
        assert_eq!(modes[1].size(), values, "{atom}: {text} has the lane's values");
        let mut elements: Vec<i64> =
            (0..layout.size()).map(|i| layout.at(i).expect("in range")).collect();
        elements.sort_unstable();
        let expected: Vec<i64> = (0..tile).collect();
        assert_eq!(elements, expected, "{atom}: {text} is a bijection onto its tile");
    }

    #[test]
    fn thread_value_layouts_are_bijections() {
        for atom in all() {
            if let Some(mma) = atom.mma() {
                let (m, n, k) = mma.extent;
                assert_bijection(atom.name, &mma.c, mma.threads, mma.c_values, m * n);
                if mma.inputs == Space::Register {
                    assert_bijection(atom.name, &mma.a, mma.threads, mma.a_values, m * k);
                    assert_bijection(atom.name, &mma.b, mma.threads, mma.b_values, n * k);
                }
            }
            for text in [atom.source(), atom.destination()].into_iter().flatten() {
                assert_bijection(atom.name, text, WARP, atom.values(), WARP * atom.values());
            }
        }
    }

    #[test]
    fn every_thread_sees_the_whole_of_a_shared_input() {
        for mma in all().iter().filter_map(Atom::mma).filter(|mma| mma.inputs == Space::Shared) {
            let (m, n, k) = mma.extent;
            for (text, extent) in [(&mma.a, (m, k)), (&mma.b, (n, k))] {
                let layout: Layout = text.parse().expect("a layout");
                let values = layout.mode(1).expect("values");
                let whole: Layout = format!("({},{}):(1,{})", extent.0, extent.1, extent.0)
                    .parse()
                    .expect("a layout");
                assert_eq!(values, whole);
                assert!(layout.mode(0).expect("threads").flat().iter().all(|&(_, s)| s == 0));
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for atom in all() {
            assert!(std::ptr::eq(lookup(atom.name).expect("it is there"), atom));
        }
        assert!(lookup("simt_3").is_none());
    }

    #[test]
    fn chips_are_compared_by_number() {
        let atom = lookup("cp_async_16").expect("it is there");
        assert_eq!(atom.min_chip(), "sm_80");
        assert!(atom.runs_on("sm_80") && atom.runs_on("sm_90a") && atom.runs_on("sm_120f"));
        let atom = lookup("wgmma_m64n256k16_f32_bf16").expect("it is there");
        assert_eq!(atom.min_chip(), "sm_90a");
        assert!(atom.runs_on("sm_90a") && !atom.runs_on("sm_90") && !atom.runs_on("sm_100a"));
        assert_eq!(shared_limit("sm_90a"), Some(232_448));
        assert_eq!(shared_limit("sm_86"), Some(101_376));
        assert_eq!(shared_limit("sm_42"), None);
        assert!(!atom.runs_on("sm_75") && !atom.runs_on("gfx90a") && !atom.runs_on("sm_"));
    }

    #[test]
    fn runs_depend_on_the_element() {
        let run = |name: &str, bytes| lookup(name).and_then(|atom| atom.elements(bytes));
        assert_eq!(run("cp_async_16", 2), Some(8));
        assert_eq!(run("cp_async_4", 8), None);
        assert_eq!(run("ldmatrix_x4", 2), Some(8));
        assert_eq!(run("ldmatrix_x4", 4), None);
        assert_eq!(run("simt_4", 4), Some(4));
        assert_eq!(run("mma_m16n8k16_f32_f16", 2), None);
    }
}
