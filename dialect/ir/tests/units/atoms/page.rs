//! `dialect/ATOMS.md`: the page of every atom, made from the table.

use super::{Atom, CopyAtom, CopyKind, Data, MmaAtom, WARP, all, space::Space};
use std::fmt::Write;

const HEAD: &str = "\
<!-- Made from dialect/ir/src/atoms.rs by `cargo xtask bless`; do not edit -->

# Atoms

An atom is one hardware instruction with the layouts of its operands. `#layout.atom<NAME>` names it in `layout.copy` and `layout.mma`; a
`#layout.tiled_copy<NAME, …>` or `#layout.tiled_mma<NAME, …>` repeats it over threads and values. [The kernel guide](book/kernels.md) and
[the library](../lowering/kernels/README.md) use them.

";

const COPIES: &str = "\
## Copies

A `simt` atom copies between any two spaces and converts between element types; other copies keep the elements.

| atom | PTX | from | to | elements | at once | issued by | first chip | CuTe |
|---|---|---|---|---|---|---|---|---|
";

const PRODUCTS: &str = "
## Matrix products

`c(m,n) += sum over k of a(m,k) * b(n,k)`. `N` in a name stands for each number of columns that its note gives. `layout.matmul` chooses an atom by its
operands; operands of f32 are multiplied as tf32 only if its schedule names such an atom.

| atom | PTX | (M,N,K) | A and B | C | A in | B in | issued by | first chip | CuTe |
|---|---|---|---|---|---|---|---|---|---|
";

const COLUMNS: &str = "
¹ N is a multiple of 8 from 8 to 256.

² N is 8, 16, 24, or a multiple of 16 from 32 to 256.
";

#[test]
fn the_page_lists_the_table() {
    // Blessed by UPDATE_EXPECT=1, as `cargo xtask bless` runs it.
    expect_test::expect_file!["../../../../ATOMS.md"].assert_eq(&page());
}

/// Copies first, then MMAs, each in the order of the table; instructions of a family that differ in N share a row.
fn page() -> String {
    let mut page = format!("{HEAD}{COPIES}");
    for atom in all() {
        if let Data::Copy(copy) = &atom.data {
            row(&mut page, &copy_cells(atom, copy));
        }
    }
    page.push_str(PRODUCTS);
    let mut last = Vec::new();
    for atom in all() {
        if let Data::Mma(mma) = &atom.data {
            let cells = product_cells(atom, mma);
            if cells != last {
                row(&mut page, &cells);
            }
            last = cells;
        }
    }
    page + COLUMNS
}

fn row(page: &mut String, cells: &[String]) {
    writeln!(page, "| {} |", cells.join(" | ")).expect("writing to a String does not fail");
}

fn copy_cells(atom: &Atom, copy: &CopyAtom) -> Vec<String> {
    let run = copy.run;
    let bytes = || format!("{run} bytes");
    let (ptx, from, to, elements, at_once, by, cute) = match copy.kind {
        CopyKind::Simt => {
            let count = if run == 1 { "1 element".to_owned() } else { format!("{run} elements") };
            let cute = "`UniversalCopy<uint_bit_t<…>>`, `AutoVectorizingCopy`";
            ("`ld`, `st`, `cvt`", "any", "any", "any", count, "a thread", cute)
        }
        CopyKind::CpAsync => {
            let cute = match run {
                16 => "`SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>`",
                8 => "`SM80_CP_ASYNC_CACHEALWAYS<uint64_t>`",
                _ => "`SM80_CP_ASYNC_CACHEALWAYS<uint32_t>`",
            };
            ("`cp.async`", "global", "shared", "any", bytes(), "a thread", cute)
        }
        CopyKind::Ldmatrix { transposed: false } => {
            let ptx = "`ldmatrix.sync.aligned.m8n8.x4`";
            (
                ptx,
                "shared",
                "register",
                "of 8, 16 or 32 bits",
                four(run),
                "a warp",
                "`SM75_U32x4_LDSM_N`",
            )
        }
        CopyKind::Ldmatrix { transposed: true } => {
            let ptx = "`ldmatrix.sync.aligned.m8n8.x4.trans`";
            (ptx, "shared", "register", "of 16 bits", four(run), "a warp", "`SM75_U16x8_LDSM_T`")
        }
        CopyKind::Stmatrix { transposed: false } => {
            let ptx = "`stmatrix.sync.aligned.m8n8.x4`";
            (
                ptx,
                "register",
                "shared",
                "of 8, 16 or 32 bits",
                four(run),
                "a warp",
                "`SM90_U32x4_STSM_N`",
            )
        }
        CopyKind::Stmatrix { transposed: true } => {
            let ptx = "`stmatrix.sync.aligned.m8n8.x4.trans`";
            (ptx, "register", "shared", "of 16 bits", four(run), "a warp", "`SM90_U16x8_STSM_T`")
        }
        CopyKind::BulkTensor => {
            let cute = "`SM90_TMA_LOAD`, `SM90_TMA_LOAD_MULTICAST`";
            let once = "a tile".to_owned();
            (
                "`cp.async.bulk.tensor`",
                "global",
                "shared",
                "of 8 bits or more",
                once,
                "one thread",
                cute,
            )
        }
        CopyKind::BulkTensorStore => {
            let once = "a tile".to_owned();
            let ptx = "`cp.async.bulk.tensor`";
            (ptx, "shared", "global", "of 8 bits or more", once, "a warpgroup", "`SM90_TMA_STORE`")
        }
        CopyKind::Bulk => {
            let once = format!("a multiple of {run} bytes");
            (
                "`cp.async.bulk`",
                "global",
                "shared",
                "any",
                once,
                "one thread",
                "`SM90_BULK_COPY_G2S`",
            )
        }
        CopyKind::BulkStore => {
            let once = format!("a multiple of {run} bytes");
            (
                "`cp.async.bulk`",
                "shared",
                "global",
                "any",
                once,
                "a warpgroup",
                "`SM90_BULK_COPY_S2G`",
            )
        }
    };
    let chip = atom.min_chip();
    let cells = [&format!("`{}`", atom.name), ptx, from, to, elements, &at_once, by, &chip, cute];
    cells.map(str::to_owned).to_vec()
}

/// The matrices of a collective copy.
fn four(run: i64) -> String {
    format!("4 matrices of 8 rows of {run} bytes")
}

fn product_cells(atom: &Atom, mma: &MmaAtom) -> Vec<String> {
    let (m, n, k) = mma.extent;
    let (accumulator, factor) = (mma.accumulator, mma.multiplicand);
    let (d, f) = (accumulator.to_uppercase(), factor.to_uppercase());
    let by = |space| if space == Space::Shared { "shared" } else { "register" }.to_owned();
    let is_group = mma.b_space == Space::Shared;
    let columns = if is_group { "N".to_owned() } else { n.to_string() };
    let note = match (is_group, accumulator) {
        (false, _) => "",
        (true, "s32") => "²",
        (true, _) => "¹",
    };
    let (ptx, cute) = if mma.is_scalar() {
        let name = if accumulator == "f64" { "double" } else { "float" };
        (format!("fma.rn.{accumulator}"), format!("UniversalFMA<{name}>"))
    } else if is_group {
        let a = if mma.a_space == Space::Shared { "SS" } else { "RS" };
        let order = if matches!(factor, "f16" | "bf16") { "" } else { "_TN" };
        (
            format!("wgmma.mma_async.sync.aligned.m{m}nNk{k}.{accumulator}.{factor}.{factor}"),
            format!("SM90_{m}xNx{k}_{d}{f}{f}_{a}{order}"),
        )
    } else {
        let chip = atom.min_chip().to_uppercase().replace('_', "");
        (
            format!(
                "mma.sync.aligned.m{m}n{n}k{k}.row.col.{accumulator}.{factor}.{factor}.{accumulator}"
            ),
            format!("{chip}_{m}x{n}x{k}_{d}{f}{f}{d}_TN"),
        )
    };
    vec![
        format!("`{}`{note}", atom.name.replace(&format!("n{n}k"), &format!("n{columns}k"))),
        format!("`{ptx}`"),
        format!("({m},{columns},{k})"),
        mma.input.to_owned(),
        mma.output.to_owned(),
        by(mma.a_space),
        by(mma.b_space),
        if mma.threads == WARP { "a warp" } else { "a warpgroup" }.to_owned(),
        atom.min_chip(),
        format!("`{cute}`"),
    ]
}
