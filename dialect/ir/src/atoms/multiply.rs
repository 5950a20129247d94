//! The atoms that multiply and accumulate: a row for each type of elements, from which every
//! instruction of a family is made.

use super::{Atom, Chips, Data, WARP, WARPGROUP};
use crate::atoms::space::Space;

/// A matrix multiply-accumulate: `c(m,n) += sum over k of a(m,k) * b(n,k)`.
#[derive(Debug)]
pub struct MmaAtom {
    /// Element type of A and B where the instruction finds them.
    pub input: &'static str,
    /// Element type of A and B in a matmul, which are rounded to `multiplicand` where they differ.
    pub operand: &'static str,
    /// The type of the multiplicands, as PTX names it.
    pub multiplicand: &'static str,
    /// Element type of C.
    pub output: &'static str,
    /// `output`, as PTX names it.
    pub accumulator: &'static str,
    /// (M, N, K).
    pub extent: (i64, i64, i64),
    /// Threads that execute it together: a warp or a warpgroup.
    pub threads: i64,
    /// Where A lies: in registers, or in shared memory, which every thread sees as a whole.
    pub a_space: Space,
    /// Where B lies.
    pub b_space: Space,
    /// Whether accumulators have fewer bits than `output`, so that long sums lose bits that f32 would keep.
    pub narrow_accumulator: bool,
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

impl MmaAtom {
    /// Whether it multiplies operands without rounding them.
    pub fn is_exact(&self) -> bool {
        self.multiplicand != "tf32"
    }

    /// The name of LLVM's intrinsic of a warp's instruction, A by rows and B by columns.
    pub fn intrinsic(&self) -> String {
        let ((m, n, k), input, sum) = (self.extent, self.multiplicand, self.accumulator);
        format!("llvm.nvvm.mma.m{m}n{n}k{k}.row.col.{sum}.{input}.{input}.{sum}")
    }

    /// Whether threads multiply each for itself, without an instruction for matrices.
    pub fn is_scalar(&self) -> bool {
        self.extent.2 == 1
    }
}

/// The element types of a family of instructions.
struct Row {
    /// As PTX names it.
    multiplicand: &'static str,
    /// As MLIR names it, where the instruction finds it.
    input: &'static str,
    /// In a matmul's operands.
    operand: &'static str,
    /// Bytes of an element.
    bytes: i64,
    /// The accumulators, as MLIR and as PTX name them.
    output: (&'static str, &'static str),
    narrow_accumulator: bool,
    /// The first chip whose warps have it.
    chip: u32,
}

const F16: (&str, &str) = ("f16", "f16");
const F32: (&str, &str) = ("f32", "f32");
const F64: (&str, &str) = ("f64", "f64");
const S32: (&str, &str) = ("i32", "s32");

/// A row whose operands are what is multiplied.
const fn row(
    multiplicand: &'static str,
    input: &'static str,
    bytes: i64,
    output: (&'static str, &'static str),
) -> Row {
    Row { multiplicand, input, operand: input, bytes, output, narrow_accumulator: false, chip: 80 }
}

/// 8-bit floats, which warpgroups accumulate with fewer bits than f32 has.
const fn byte(multiplicand: &'static str, input: &'static str) -> Row {
    Row { narrow_accumulator: true, chip: 89, ..row(multiplicand, input, 1, F32) }
}

/// The types that `wgmma` multiplies, 32 bytes along K each.
const WGMMA: &[Row] = &[
    row("f16", "f16", 2, F32),
    row("bf16", "bf16", 2, F32),
    // The copy engine rounds what it brings to shared memory.
    Row { operand: "f32", ..row("tf32", "tf32", 4, F32) },
    byte("e4m3", "f8E4M3FN"),
    byte("e5m2", "f8E5M2"),
    row("s8", "i8", 1, S32),
];

/// The types that `mma.sync` multiplies in tiles of 16 by 8, 32 bytes along K each. Where there are
/// several types of accumulators, the first are those that a matmul takes by itself.
const MMA: &[Row] = &[
    row("f16", "f16", 2, F32),
    row("bf16", "bf16", 2, F32),
    row("f16", "f16", 2, F16),
    // Warps round what they have in registers.
    row("tf32", "f32", 4, F32),
    byte("e4m3", "f8E4M3FN"),
    byte("e5m2", "f8E5M2"),
    row("s8", "i8", 1, S32),
];

/// The types that threads multiply each for itself.
const FMA: &[Row] = &[row("f32", "f32", 4, F32), row("f64", "f64", 8, F64)];

/// Bytes along K of `wgmma` and of `mma.sync`.
const DEPTH: i64 = 32;

/// Bytes of a register.
const REGISTER: i64 = 4;

/// All of them; of those that a matmul may take, the better first.
pub(super) fn atoms() -> Vec<Atom> {
    let mut atoms: Vec<Atom> = MMA.iter().map(mma).collect();
    atoms.push(mma_f64());
    atoms.extend(FMA.iter().map(fma));
    for (row, a_space) in [Space::Shared, Space::Register]
        .into_iter()
        .flat_map(|space| WGMMA.iter().map(move |row| (row, space)))
    {
        let columns = (8..=256).step_by(8).filter(|&n| has_columns(row, n));
        atoms.extend(columns.map(|n| wgmma(row, n, a_space)));
    }
    atoms
}

/// Whether `wgmma` has an instruction with N = `n`: every multiple of 8, but of integers only
/// those of 16 beyond 32, as the PTX ISA's "asynchronous warpgroup level matrix shape" lists them.
fn has_columns(row: &Row, n: i64) -> bool {
    row.output != S32 || n < 32 || n % 16 == 0
}

/// A warp's atom; the layouts are those of A, B and C over their extents.
fn warp(
    family: &str,
    row: &Row,
    extent: (i64, i64, i64),
    [(a, a_values), (b, b_values), (c, c_values)]: [(String, i64); 3],
) -> Atom {
    let &Row { multiplicand, input, operand, output: (output, accumulator), chip, .. } = row;
    let (m, n, k) = extent;
    let name = match family {
        "fma" => format!("{family}_m{m}n{n}k{k}_{accumulator}"),
        _ => format!("{family}_m{m}n{n}k{k}_{accumulator}_{multiplicand}"),
    };
    Atom {
        // The table is made once, and lives as long as the process.
        name: name.leak(),
        chips: Chips::From(chip),
        data: Data::Mma(MmaAtom {
            input,
            operand,
            multiplicand,
            output,
            accumulator,
            extent,
            threads: WARP,
            a_space: Space::Register,
            b_space: Space::Register,
            // Warps of Hopper add up numbers of 8 bits as halves, in f32.
            narrow_accumulator: false,
            a,
            b,
            c,
            a_values,
            b_values,
            c_values,
        }),
    }
}

/// The PTX ISA's figures of the fragments of `mma.m16n8k8` to `mma.m16n8k32` differ in the elements of
/// a register only.
fn mma(row: &Row) -> Atom {
    let v = REGISTER / row.bytes;
    let a = format!("((4,8),({v},2,2)):(({},1),(16,8,{}))", 16 * v, 64 * v);
    let b = format!("((4,8),({v},2)):(({},1),(8,{}))", 8 * v, 32 * v);
    let c = "((4,8),(2,2)):((32,1),(16,8))".to_owned();
    warp("mma", row, (16, 8, DEPTH / row.bytes), [(a, 4 * v), (b, 2 * v), (c, 4)])
}

/// The PTX ISA's figures of the fragments of `mma.m8n8k4` with elements of f64.
fn mma_f64() -> Atom {
    let one = || "((4,8),1):((8,1),0)".to_owned();
    let c = "((4,8),2):((16,1),8)".to_owned();
    warp("mma", &row("f64", "f64", 8, F64), (8, 8, 4), [(one(), 1), (one(), 1), (c, 2)])
}

/// A multiply-add for each lane: eight along N, four along M.
fn fma(row: &Row) -> Atom {
    let layouts = ["((8,4),1):((0,1),0)", "((8,4),1):((1,0),0)", "((8,4),1):((4,1),0)"];
    warp("fma", row, (4, 8, 1), layouts.map(|layout| (layout.to_owned(), 1)))
}

/// B lies in shared memory, and A there or in registers; C is spread as in the PTX ISA's
/// "wgmma.mma_async D fragment layout", which is one for all types.
fn wgmma(row: &Row, n: i64, a_space: Space) -> Atom {
    let (m, k) = (64, DEPTH / row.bytes);
    let &Row {
        multiplicand,
        input,
        operand,
        output: (output, accumulator),
        narrow_accumulator,
        ..
    } = row;
    let (family, a, a_values) = match a_space {
        Space::Shared => ("wgmma", format!("({WARPGROUP},({m},{k})):(0,(1,{m}))"), m * k),
        _ => {
            let v = REGISTER / row.bytes;
            let strides = format!("(({},1,16),({m},8,{}))", m * v, 4 * m * v);
            ("wgmma_ra", format!("((4,8,4),({v},2,2)):{strides}"), 4 * v)
        }
    };
    Atom {
        // The table is made once, and lives as long as the process.
        name: format!("{family}_m{m}n{n}k{k}_{accumulator}_{multiplicand}").leak(),
        chips: Chips::Only("sm_90a"),
        data: Data::Mma(MmaAtom {
            input,
            operand,
            multiplicand,
            output,
            accumulator,
            extent: (m, n, k),
            threads: WARPGROUP,
            a_space,
            b_space: Space::Shared,
            narrow_accumulator,
            a,
            b: format!("({WARPGROUP},({n},{k})):(0,(1,{n}))"),
            c: format!("((4,8,4),(2,2,{})):((128,1,16),(64,8,512))", n / 8),
            a_values,
            b_values: n * k,
            c_values: m * n / WARPGROUP,
        }),
    }
}
