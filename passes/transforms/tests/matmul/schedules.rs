//! Which schedule is chosen for which problem.

use super::{
    problem::{VECTOR, lies_across},
    *,
};

fn of(chip: &str, element: &str, extents: [i64; 3]) -> Problem {
    let no = [false; 2];
    let pitch = extents[2] * element_bytes(element);
    Problem {
        chip: chip.into(),
        element: element.into(),
        extents,
        batch: 1,
        factors: 1,
        held: 0,
        two_levels: false,
        gemms: Vec::new(),
        across: [pitch % GRANULE == 0 && pitch % LINE != 0; 2],
        copied: [pitch % GRANULE != 0; 2],
        vectors: pitch % VECTOR == 0,
        outer: no,
        turned_c: false,
        result_bytes: 2,
        bulk_stores: extents[1] % 8 == 0,
        sums_of_f32: element != "i8",
        converted: None,
    }
}

/// The row, where it is one, and the schedule without its chip.
fn chosen(problem: &Problem) -> String {
    let Chosen { schedule, why } = super::ranked(&table().unwrap(), problem, &|_| true).unwrap();
    assert_eq!(schedule.chip, problem.chip);
    let schedule = schedule.to_string();
    let schedule = schedule.split(", chip = ").next().unwrap_or_default();
    match why {
        Reason::Measured(row) | Reason::Several(row, _) => {
            format!("{}x{}x{}: {schedule}", row.m, row.n, row.k)
        }
        Reason::Estimated(_) | Reason::Mixed | Reason::Usual => schedule.to_owned(),
    }
}

#[test]
fn every_row_is_a_schedule_and_its_own_nearest() {
    for row in table().unwrap() {
        parse(&row).unwrap();
        let problem = of(&row.chip, &row.element, [row.m, row.n, row.k]);
        assert_eq!(nearest(&table().unwrap(), &problem).unwrap()[0].0, row);
    }
}

/// No figure in the table that was not measured.
#[test]
fn every_row_is_in_its_record() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/Device/records/h200.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in table().unwrap() {
        let found = lines.iter().any(|line| {
            let ratio = line["ratio"].as_f64().unwrap_or(f64::NAN);
            line["run"] == row.record.as_str()
                && line["device"] == row.device.as_str()
                && [&line["m"], &line["n"], &line["k"]] == [row.m, row.n, row.k]
                && line["chip"] == row.chip.as_str()
                && line["types"][0] == row.element.as_str()
                && line["schedule"] == row.schedule.as_str()
                && line["changed"].is_null()
                && (ratio - row.ratio).abs() < 6e-4
        });
        assert!(found, "{row:?}");
    }
}

#[test]
fn the_nearest_problem_of_the_chip_gives_the_schedule() {
    let large = "tile = (128,256,64), warps = (8,1), stages = 4";
    assert_eq!(
        chosen(&of("sm_90a", "bf16", [4700, 4000, 4096])),
        format!("4096x4096x4096: {large}")
    );
    assert_eq!(
        chosen(&of("sm_90a", "f16", [500, 500, 512])),
        "512x512x512: tile = (64,64,64), warps = (4,1), stages = 8"
    );
    assert_eq!(
        chosen(&of("sm_89", "bf16", [300, 300, 300])),
        "256x256x256: tile = (32,64,64), warps = (1,2), stages = 6"
    );
}

/// Where no row is near, the least time: tiles of a width that fills whole rounds, narrow ones for few rows, and
/// slices of K where it is long and there are few tiles.
#[test]
fn a_product_that_no_row_is_near_is_estimated() {
    let of = |extents| chosen(&of("sm_90a", "bf16", extents));
    // 256 tiles are two rounds of 132, and so are 260 of 128 columns by 200 rows.
    let tall = "tile = (192,192,64), warps = (12,1), stages = 4";
    assert_eq!(of([3072, 3072, 3072]), tall);
    let swapped = "tile = (128,200,64), warps = (8,1), stages = 5, swap_ab = true";
    assert_eq!(of([2560, 2560, 8192]), swapped);
    // 128x64 takes as long (`2026-11-27-carried`).
    let one = "tile = (64,128,64), warps = (4,1), stages = 8";
    assert_eq!(of([256, 4096, 4096]), one);
    assert_eq!(of([8, 4096, 4096]), "tile = (64,8,256), warps = (4,1), stages = 5, swap_ab = true");
    assert_eq!(of([4096, 8, 4096]), "tile = (64,8,256), warps = (4,1), stages = 5");
    assert!(of([128, 128, 16384]).contains("split_k = "));
    // Small and with odd rows: no copies before it.
    assert_eq!(of([127, 129, 131]), "tile = (32,32,64), warps = (2,2), stages = 4");
    // Within a fifth of a row, it is the row's, but not where rows start elsewhere.
    let large = "tile = (128,256,64), warps = (8,1), stages = 4";
    assert_eq!(of([4700, 4096, 4096]), format!("4096x4096x4096: {large}"));
    assert!(!of([4700, 4096, 4104]).contains(':'));
}

/// Elements and chips without a row get a schedule all the same.
#[test]
fn elements_and_chips_without_rows_have_a_schedule() {
    let of = |chip, element| chosen(&of(chip, element, [1024, 1024, 1024]));
    assert!(of("sm_90a", "f8E5M2").starts_with("tile = (128,64,128), warps = (8,1)"));
    assert!(of("sm_90a", "f32").starts_with("tile = (64,64,16), warps = (2,2)"));
    assert!(of("sm_80", "f64").starts_with("tile = (64,64,16), warps = (2,2)"));
    assert!(of("sm_89", "f8E4M3FN").starts_with("tile = (64,64,64), warps = (2,2)"));
    // 64 tiles are enough for 108 multiprocessors.
    assert!(of("sm_80", "i8").starts_with("tile = (128,128,64), warps = (2,2)"));
}

/// Several GEMMs without rows, too; as long tiles as fill a device with those of all.
#[test]
fn several_products_without_rows_have_a_schedule() {
    let of = |chip, element, extents: [i64; 3], count| {
        let all = vec![of(chip, element, extents); count];
        chosen(&joined(all).expect("a problem"))
    };
    let small = "tile = (64,64,64), warps = (2,2), stages = 3";
    assert_eq!(of("sm_80", "i8", [512, 512, 512], 2), small);
    let large = "tile = (128,128,64), warps = (2,2), stages = 3";
    assert_eq!(of("sm_80", "i8", [512, 512, 512], 5), large);
    assert_eq!(of("sm_89", "f8E5M2", [1024, 1024, 64], 2), large);
    assert!(of("sm_80", "f64", [512, 512, 512], 8).starts_with("tile = (64,64,16)"));
    let least = "16x8192x512: tile = (16,64,128), warps = (1,4), stages = 6";
    assert_eq!(of("sm_80", "bf16", [40, 50, 60], 3), least);
}

#[test]
fn rows_across_cache_lines_are_those_that_bulk_copies_take() {
    let across = |text: &str| lies_across(&text.parse().unwrap(), 2);
    assert!(across("(4000,1000):(1000,1)") && across("(1000,4000):(1,1000)"));
    assert!(!across("(4096,1024):(1024,1)") && !across("(4096,64):(64,1)"));
    // Copied first, to whole lines.
    assert!(!across("(4097,4099):(4099,1)"));
    assert!(!across("(1,1000):(1000,1)"));
}

/// 16 GEMMs are like one of four times the rows and columns; those of 64 rows have short tiles.
#[test]
fn a_batch_is_like_one_product_of_as_many_tiles() {
    let of = |extents, batch| chosen(&Problem { batch, ..of("sm_90a", "bf16", extents) });
    let large = "4096x4096x4096: tile = (128,256,64), warps = (8,1), stages = 4";
    assert_eq!(of([1024, 1024, 4096], 16), large);
    assert_eq!(
        of([64, 4096, 4096], 64),
        "128x8192x8192: tile = (64,128,64), warps = (4,1), stages = 8"
    );
}

/// GEMMs of one kernel take the schedule that the blocks are done with first; consumer groups need as many
/// tiles along K for all.
#[test]
fn several_products_take_one_schedule() {
    let of = |extents: &[[i64; 3]]| {
        let all = extents.iter().map(|&extents| of("sm_90a", "bf16", extents)).collect();
        let all = chosen(&joined(all).expect("a problem"));
        all.split_once(": tile = ").expect("a row").1.to_owned()
    };
    let large = "(128,256,64), warps = (8,1), stages = 4";
    // 256 tiles of 128x256 are 1.9 rounds.
    assert_eq!(of(&[[256, 2048, 7168]; 16]), large);
    assert_eq!(of(&[[512, 4096, 4096]; 8]), large);
    // One long GEMM of four, whose tiles no other block takes a part of.
    let uneven = [64, 512, 2048, 8192].map(|k| [1024, 1024, k]);
    assert_eq!(of(&uneven), "(64,128,64), warps = (4,1), stages = 8");
    assert!(!of(&[[8192, 4096, 2048], [8192, 4096, 2000]]).contains("ping_pong"));
    let rows = [64, 128, 200, 333, 512, 700, 1000, 1290].map(|m| [m, 4096, 4096]);
    assert_eq!(of(&rows), "(128,192,64), warps = (4,1), stages = 4, ping_pong = true");
}

/// Rows of 2000 bytes require a cluster, of one GEMM and of many.
#[test]
fn rows_that_lie_across_cache_lines_take_a_cluster() {
    let across = [true; 2];
    let of = |extents, batch| chosen(&Problem { batch, across, ..of("sm_90a", "bf16", extents) });
    let cluster = "4000x4000x1000: tile = (128,256,64), warps = (8,1), stages = 4, cluster = (2,1)";
    assert_eq!((of([4000, 3900, 1000], 1), of([1000; 3], 16)), (cluster.into(), cluster.into()));
    let aligned = "4096x4096x1024: tile = (128,256,64), warps = (8,1), stages = 4";
    assert_eq!(of([1024; 3], 32), aligned);
}

#[test]
fn an_epilogues_operands_have_registers() {
    let of = |held| chosen(&Problem { held, ..of("sm_90a", "bf16", [8192, 8192, 2048]) });
    let ping_pong =
        "8192x8192x2048: tile = (128,192,64), warps = (4,1), stages = 4, ping_pong = true";
    // A bias, and a scale of rows.
    assert_eq!((of(0), of(16 + 2)), (ping_pong.into(), ping_pong.into()));
    // A residual.
    let one = "4096x4096x4096: tile = (128,256,64), warps = (8,1), stages = 4";
    assert_eq!((of(32), of(32 + 16 + 2)), (one.into(), one.into()));
    // More than any row has room for.
    assert_eq!(of(1000), ping_pong);
}

#[test]
fn schedules_with_more_parts_than_the_problem_are_passed_over() {
    let schedule = |keys: &str| -> Schedule {
        format!("tile = (128,64,64), warps = (4,1), stages = 2, {keys}").parse().unwrap()
    };
    let fits = |keys, extents| divides(&schedule(keys), extents);
    assert!(fits("cluster = (2,1)", [129, 1, 1]) && !fits("cluster = (2,1)", [128, 512, 1]));
    assert!(fits("cluster = (1,2)", [1, 65, 1]) && !fits("cluster = (1,2)", [512, 64, 1]));
    assert!(fits("split_k = 3", [1, 1, 129]) && !fits("split_k = 3", [512, 512, 128]));
    assert!(fits("stream_k = 12", [129, 65, 129]) && !fits("stream_k = 13", [129, 65, 129]));
    assert!(fits("cluster = (2,1), swap_ab = true", [1, 129, 1]));
}

#[test]
fn schedules_beyond_a_chips_shared_memory_are_passed_over() {
    let row = |m, stages: i64| Row {
        chip: "sm_80".into(),
        element: "f16".into(),
        m,
        n: 64,
        k: 64,
        schedule: format!("tile = (128,128,64), warps = (2,2), stages = {stages}"),
        ratio: 1.0,
        device: "a chip".into(),
        record: "a record".into(),
        reason: "a reason".into(),
    };
    let rows = [row(64, 4), row(4096, 2)];
    let m = |chip| nearest(&rows, &of(chip, "f16", [64, 64, 64])).unwrap()[0].0.m;
    assert_eq!((m("sm_80"), m("sm_89")), (64, 4096));
    assert_eq!(
        nearest(&rows, &of("sm_80", "f64", [64, 64, 64])).unwrap_err(),
        "expected operands and a chip that the table of schedules has rows for (f16 on sm_80), found f64 on sm_80"
    );
    assert_eq!(
        nearest(&rows, &of("sm_70", "f16", [64, 64, 64])).unwrap_err(),
        "expected a chip from sm_80 on that this pass knows, found sm_70"
    );
}
