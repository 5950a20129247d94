//! The schedules of the least estimated time for a GEMM of bf16 matrices, contiguous along K:
//!
//!     cargo run -p layout-schedule --example choose -- 777 6144 4096
//!     cargo run -p layout-schedule --example choose -- 777 6144 4096 sm_90a

use layout_schedule::{Chip, GemmShape, Operand, Problem, model, space};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<i64> = arguments.iter().filter_map(|text| text.parse().ok()).collect();
    let [m, n, k] = numbers[..] else { return Err("expected M, N and K".to_owned()) };
    let name = arguments.get(3).map_or("sm_90a", String::as_str);
    let chip = Chip::named(name).ok_or_else(|| format!("expected a chip, found {name}"))?;
    let operand = Operand {
        outer: false,
        across: (2 * k) % 16 == 0 && (2 * k) % 128 != 0,
        copied: (2 * k) % 16 != 0,
    };
    let problem = Problem {
        gemms: vec![GemmShape { extents: [m, n, k], batch: 1 }],
        bytes: 2,
        result_bytes: 2,
        operands: [operand; 2],
        factors: 1,
        turned_c: false,
        bulk_stores: n % 8 == 0,
        sums_of_f32: true,
        two_levels: false,
        vectors: k % 4 == 0,
    };
    let tilings = space::tilings(chip, &problem, &|columns| columns % 8 == 0 && columns <= 256);
    let mut all: Vec<_> =
        tilings.into_iter().map(|tiling| (model::time(chip, &tiling, &problem), tiling)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (time, tiling) in all.iter().take(8) {
        println!("{time:>10.2} µs  {tiling}");
    }
    Ok(())
}
