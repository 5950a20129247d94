//! Accumulators that warps collect.

use super::*;
use crate::matmul::partition::WARP;
use layout_algebra::Layout;
use layout_dialect::atoms::WARPGROUP;

/// A warp collects the accumulators as every atom has them.
#[test]
fn accumulators_are_collected_where_the_atoms_have_them() {
    let collected: Layout = STMATRIX.parse().expect("a layout");
    for n in [16, 64, 256] {
        let atom = known(&format!("wgmma_m64n{n}k16_f32_bf16")).expect("an atom");
        let c: Layout = atom.mma().expect("wgmma").c.parse().expect("a layout");
        for warp in 0..4 {
            for lane in 0..WARP {
                for value in 0..8 {
                    let at = c.at(lane + WARP * warp + WARPGROUP * value).expect("in range");
                    let place = collected.at(lane + WARP * value).expect("in range");
                    assert_eq!(at % 64, place % 16 + 16 * warp);
                    assert_eq!(at / 64, place / 16);
                }
            }
        }
    }
}
