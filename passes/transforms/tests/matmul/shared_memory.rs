//! Bank conflicts of every kind of schedule.

use super::*;
use crate::matmul::{
    limits::Request,
    mainloop::{warpgroups, warps},
    problem::Problem,
    sizes::Sizes,
};
use layout_dialect::schedule::Schedule;

/// The conflicts of 256x256x256 with a schedule: element types, bytes of A and B, and bits of C.
fn of((input, bytes, bits): (&str, i64, i64), orders: &str, keys: &str) -> String {
    let layout = |k_major: bool| -> Layout {
        let text = if k_major { "(256,256):(256,1)" } else { "(256,256):(1,256)" };
        text.parse().expect("a layout")
    };
    let schedule: Schedule = keys.parse().expect("a schedule");
    let mut orders = orders.chars().map(|order| layout(order == 'k'));
    let [a, b] = [0; 2].map(|_| orders.next().expect("an order"));
    let c = layout(true);
    let problem = Problem {
        a: &a,
        b: &b,
        c: &c,
        alignments: [256; 3],
        input,
        input_bytes: bytes,
        elements: [input; 2],
        output_bits: bits,
        schedule: &schedule,
        stores_to_workspace: false,
        sizes: &Sizes::default(),
        strided: [false; 3],
        dual: None,
        window: None,
    };
    let text = if Request::of(&schedule) != Request::Warps {
        text(&warpgroups::plan(&problem).expect("a plan").conflicts())
    } else {
        let plan = match warps::plan(&problem) {
            Ok(plan) => plan,
            Err(error) => return error,
        };
        format!(
            "{} ({} {})",
            text(&plan.conflicts()),
            swizzle(&plan.warps().expect("warps").a.shared),
            swizzle(&plan.warps().expect("warps").b.shared)
        )
    };
    text.replace("extra wavefronts of shared memory for a tile: ", "")
}

fn swizzle(term: &str) -> &str {
    let from = term.find("S<").unwrap_or(0);
    &term[from..term.find(" o ").unwrap_or(term.len())]
}

/// Every kind of schedule, element and order.
#[test]
fn conflicts_of_every_kind_of_schedule() {
    let sm90 = |keys: &str| format!("{keys}, chip = \"sm_90a\"");
    let mut all = String::new();
    for (types, orders, keys) in [
        (("bf16", 2, 16), "kk", sm90("tile = (128,256,64), warps = (8,1), stages = 4")),
        (("bf16", 2, 16), "mm", sm90("tile = (128,256,64), warps = (8,1), stages = 4")),
        (("f16", 2, 16), "km", sm90("tile = (64,40,32), warps = (4,1), stages = 4")),
        (
            ("bf16", 2, 16),
            "mk",
            sm90("tile = (64,24,16), warps = (4,1), stages = 4, swap_ab = true"),
        ),
        (("bf16", 2, 32), "kk", sm90("tile = (128,128,64), warps = (8,1), stages = 4")),
        (("f8E4M3FN", 1, 16), "kk", sm90("tile = (128,256,128), warps = (8,1), stages = 4")),
        (("i8", 1, 32), "kk", sm90("tile = (128,256,128), warps = (8,1), stages = 4")),
        (("i8", 1, 8), "kk", sm90("tile = (128,256,128), warps = (8,1), stages = 4")),
        (("bf16", 2, 8), "kk", sm90("tile = (128,192,64), warps = (8,1), stages = 4")),
        (("f16", 2, 8), "kk", sm90("tile = (64,48,64), warps = (4,1), stages = 4")),
        (
            ("f32", 4, 32),
            "kk",
            sm90("tile = (128,256,32), warps = (8,1), stages = 4, mma = wgmma_m64n256k8_f32_tf32"),
        ),
        (
            ("bf16", 2, 16),
            "mk",
            sm90(
                "tile = (128,128,64), warps = (8,1), stages = 3, mma = wgmma_ra_m64n128k16_f32_bf16",
            ),
        ),
        (
            ("f32", 4, 32),
            "mk",
            sm90(
                "tile = (128,128,32), warps = (8,1), stages = 3, mma = wgmma_ra_m64n128k8_f32_tf32",
            ),
        ),
        (
            ("i8", 1, 32),
            "kk",
            sm90(
                "tile = (128,128,128), warps = (8,1), stages = 3, mma = wgmma_ra_m64n128k32_s32_s8",
            ),
        ),
        (("bf16", 2, 16), "kk", "tile = (128,128,32), warps = (2,2), stages = 4".to_owned()),
        (("bf16", 2, 16), "mm", "tile = (128,128,32), warps = (2,2), stages = 4".to_owned()),
        (("f16", 2, 16), "kk", "tile = (128,96,32), warps = (2,2), stages = 3".to_owned()),
        (("f16", 2, 16), "mm", "tile = (128,64,16), warps = (2,2), stages = 3".to_owned()),
        (("i8", 1, 32), "kk", "tile = (128,128,64), warps = (2,2), stages = 3".to_owned()),
        (("i8", 1, 32), "mm", "tile = (128,128,64), warps = (2,2), stages = 3".to_owned()),
        (
            ("f32", 4, 32),
            "kk",
            "tile = (128,128,16), warps = (2,2), stages = 3, mma = mma_m16n8k8_f32_tf32".to_owned(),
        ),
        (
            ("f32", 4, 32),
            "mm",
            "tile = (128,128,16), warps = (2,2), stages = 3, mma = mma_m16n8k8_f32_tf32".to_owned(),
        ),
        (("f64", 8, 64), "kk", "tile = (64,64,16), warps = (2,2), stages = 3".to_owned()),
        (("f64", 8, 64), "mm", "tile = (64,64,16), warps = (2,2), stages = 3".to_owned()),
        (("f32", 4, 32), "kk", "tile = (64,64,16), warps = (2,2), stages = 3".to_owned()),
        (("f32", 4, 32), "mm", "tile = (64,64,16), warps = (2,2), stages = 3".to_owned()),
        (
            ("f64", 8, 64),
            "kk",
            "tile = (32,64,16), warps = (2,2), stages = 3, mma = fma_m4n8k1_f64".to_owned(),
        ),
    ] {
        all += &format!("{} {orders} {keys}: {}\n", types.0, of(types, orders, &keys));
    }
    assert_eq!(all, EXPECTED);
}

/// Results of i8 are of i32 and of 8 bits; so are those after them. Without conflicts all but two on
/// warpgroups: C of 32 bits, of which [`conflicts_of_results_of_32_bits`]
/// says why, and A of 32 bits that threads gather for themselves, for the same reason.
const EXPECTED: &str = r#"bf16 kk tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a": A none, B none, C none
bf16 mm tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a": A none, B none, C none
f16 km tile = (64,40,32), warps = (4,1), stages = 4, chip = "sm_90a": A none, B none
bf16 mk tile = (64,24,16), warps = (4,1), stages = 4, swap_ab = true, chip = "sm_90a": A none, B none
bf16 kk tile = (128,128,64), warps = (8,1), stages = 4, chip = "sm_90a": A none, B none, C 64 beside 64
f8E4M3FN kk tile = (128,256,128), warps = (8,1), stages = 4, chip = "sm_90a": A none, B none, C none
i8 kk tile = (128,256,128), warps = (8,1), stages = 4, chip = "sm_90a": A none, B none, C 64 beside 64
i8 kk tile = (128,256,128), warps = (8,1), stages = 4, chip = "sm_90a": A none, B none, C none
bf16 kk tile = (128,192,64), warps = (8,1), stages = 4, chip = "sm_90a": A none, B none, C none
f16 kk tile = (64,48,64), warps = (4,1), stages = 4, chip = "sm_90a": A none, B none, C none
f32 kk tile = (128,256,32), warps = (8,1), stages = 4, mma = wgmma_m64n256k8_f32_tf32, chip = "sm_90a": A none, B none, C 64 beside 64
bf16 mk tile = (128,128,64), warps = (8,1), stages = 3, mma = wgmma_ra_m64n128k16_f32_bf16, chip = "sm_90a": A none, B none, C none
f32 mk tile = (128,128,32), warps = (8,1), stages = 3, mma = wgmma_ra_m64n128k8_f32_tf32, chip = "sm_90a": A 128 beside 128, B none, C 64 beside 64
i8 kk tile = (128,128,128), warps = (8,1), stages = 3, mma = wgmma_ra_m64n128k32_s32_s8, chip = "sm_90a": A none, B none, C 64 beside 64
bf16 kk tile = (128,128,32), warps = (2,2), stages = 4: A none, B none, C none (S<2,3,3> S<2,3,3>)
bf16 mm tile = (128,128,32), warps = (2,2), stages = 4: A none, B none, C none (S<3,3,3> S<3,3,3>)
f16 kk tile = (128,96,32), warps = (2,2), stages = 3: A none, B none (S<2,3,3> S<2,3,3>)
f16 mm tile = (128,64,16), warps = (2,2), stages = 3: A none, B none, C none (S<3,3,3> S<3,3,3>)
i8 kk tile = (128,128,64), warps = (2,2), stages = 3: A none, B none, C none (S<2,4,3> S<2,4,3>)
i8 mm tile = (128,128,64), warps = (2,2), stages = 3: A none, B none, C none (S<2,5,4> S<2,5,4>)
f32 kk tile = (128,128,16), warps = (2,2), stages = 3, mma = mma_m16n8k8_f32_tf32: A none, B none, C none (S<2,2,3> S<2,2,3>)
f32 mm tile = (128,128,16), warps = (2,2), stages = 3, mma = mma_m16n8k8_f32_tf32: A none, B none, C none (S<2,3,2> S<2,3,2>)
f64 kk tile = (64,64,16), warps = (2,2), stages = 3: A none, B none (S<2,2,2> S<2,2,2>)
f64 mm tile = (64,64,16), warps = (2,2), stages = 3: A none, B none (S<2,2,2> S<2,2,2>)
f32 kk tile = (64,64,16), warps = (2,2), stages = 3: A none, B none, C none (S<2,2,3> S<2,2,3>)
f32 mm tile = (64,64,16), warps = (2,2), stages = 3: A none, B none, C none (S<3,2,3> S<3,2,3>)
f64 kk tile = (32,64,16), warps = (2,2), stages = 3, mma = fma_m4n8k1_f64: A none, B none, C none (S<3,1,3> S<3,1,3>)
"#;

/// Lanes that store two neighbours each to the rows of an accumulator: of the copy engine's swizzles, that
/// of rows of 32 bytes alone has no conflicts. It would have the engine take four times as many rows, which
/// takes longer.
#[test]
fn conflicts_of_results_of_32_bits() {
    let piece = (64, 32);
    let held = "((4,8),(2,2,2)):((32,1),(16,8,128))";
    let partition = partition::fragment(piece, (16, 32), (16, 16), held);
    let access = access_of_warps(&partition, 2);
    let extra = |width| {
        let tile =
            tile(&partition::staging(piece, (Major::Reduction, width), (1, 1), 4)).expect("a tile");
        let accesses = [access.clone().expect("an access")];
        Fewest::among(&[tile], &accesses, 32).expect("conflicts").extra()
    };
    assert_eq!([32, 16, 8, 4].map(extra), [64, 64, 0, 64]);
    let rows = 64;
    assert!(rows * ROW + 64 * WAVEFRONT < 4 * rows * ROW);
    assert_eq!(written_by_threads(piece, (Major::Reduction, 0), access, 4).0, 0);
}
