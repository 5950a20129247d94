//! The table of atoms: thread-value layouts, names and chips.

use layout_algebra::Layout;
use layout_dialect::Space;
use layout_dialect::atoms::{Atom, WARP, all, for_warp, for_warpgroup, lookup, shared_limit};

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
            // Lanes share what scalar MMAs multiply.
            if mma.a_space == Space::Register && !mma.is_scalar() {
                assert_bijection(atom.name, &mma.a, mma.threads, mma.a_values, m * k);
            }
            if mma.b_space == Space::Register && !mma.is_scalar() {
                assert_bijection(atom.name, &mma.b, mma.threads, mma.b_values, n * k);
            }
        }
        for bytes in [1, 2, 4, 8] {
            for text in [atom.source(bytes), atom.destination(bytes)].into_iter().flatten() {
                let values = atom.elements(bytes).expect("a collective copy");
                assert_bijection(atom.name, &text, WARP, values, WARP * values);
            }
        }
    }
}

#[test]
fn every_thread_sees_the_whole_of_a_shared_input() {
    for mma in all().iter().filter_map(Atom::mma) {
        let (m, n, k) = mma.extent;
        let operands = [(mma.a_space, &mma.a, (m, k)), (mma.b_space, &mma.b, (n, k))];
        for (_, text, extent) in operands.into_iter().filter(|o| o.0 == Space::Shared) {
            let layout: Layout = text.parse().expect("a layout");
            let values = layout.mode(1).expect("values");
            let whole: Layout =
                format!("({},{}):(1,{})", extent.0, extent.1, extent.0).parse().expect("a layout");
            assert_eq!(values, whole);
            assert!(layout.mode(0).expect("threads").flat().iter().all(|&(_, s)| s == 0));
        }
    }
}

/// The layouts of a scalar MMA's operands and result agree: its lanes share the row and the column of the sum.
#[test]
fn scalar_products_are_of_the_row_and_the_column_of_their_sum() {
    let at = |text: &str, lane| text.parse::<Layout>().expect("a layout").at(lane).expect("in");
    for mma in all().iter().filter_map(Atom::mma).filter(|mma| mma.is_scalar()) {
        let (m, ..) = mma.extent;
        for lane in 0..WARP {
            let sum = at(&mma.c, lane);
            assert_eq!((at(&mma.a, lane), at(&mma.b, lane)), (sum % m, sum / m));
        }
    }
}

/// The default atom of a matmul that names none: exact multiplication, in the widest accumulators.
#[test]
fn elements_have_an_atom_of_their_own() {
    let name = |atom: Option<&'static Atom>| atom.map(|atom| atom.name);
    assert_eq!(name(for_warp("f16")), Some("mma_m16n8k16_f32_f16"));
    assert_eq!(name(for_warp("f32")), Some("fma_m4n8k1_f32"));
    assert_eq!(name(for_warp("f64")), Some("mma_m8n8k4_f64_f64"));
    assert_eq!(name(for_warp("i8")), Some("mma_m16n8k32_s32_s8"));
    assert_eq!(name(for_warpgroup("f8E4M3FN", 256)), Some("wgmma_m64n256k32_f32_e4m3"));
    assert_eq!(name(for_warpgroup("i8", 64)), Some("wgmma_m64n64k32_s32_s8"));
    // No instruction has 40 columns of integers, and none multiplies f32 as it is.
    assert_eq!((name(for_warpgroup("i8", 40)), name(for_warpgroup("f32", 64))), (None, None));
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
    assert_eq!((run("ldmatrix_x4", 4), run("ldmatrix_x4", 8)), (Some(4), None));
    assert_eq!((run("ldmatrix_x4_trans", 2), run("ldmatrix_x4_trans", 4)), (Some(8), None));
    assert_eq!(run("simt_4", 4), Some(4));
    assert_eq!(run("mma_m16n8k16_f32_f16", 2), None);
}
