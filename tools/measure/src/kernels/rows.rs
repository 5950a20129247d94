//! The kernels that are checked: each row of the table of schedules, and others without a row.

use layout_support::process::Error;
use serde_json::{Value, json};

use super::{TABLE, field};
use crate::program::Program;

/// A kernel that is none of the table's: what is less exact or more than what a problem gets by itself,
/// several GEMMs, a batch, stream-K and split-K.
struct Other {
    name: &'static str,
    chip: &'static str,
    element: &'static str,
    /// (M, N, K) of each GEMM.
    gemms: &'static [[i64; 3]],
    /// GEMMs of a batch.
    batch: Option<i64>,
    schedule: &'static str,
    /// Whether the compiler is to choose that schedule by itself.
    is_auto: bool,
}

const LARGE: &[[i64; 3]] = &[[4096, 4096, 4096]];

const OTHERS: &[Other] = &[
    Other {
        name: "two_level_accumulation",
        chip: "sm_90a",
        element: "f8E4M3FN",
        gemms: LARGE,
        batch: None,
        schedule: "tile = (256,128,128), warps = (8,1), stages = 4, mma = wgmma_m64n128k32_f32_e4m3, \
                   two_level_accumulation = true, cluster = (2,1)",
        is_auto: false,
    },
    Other {
        name: "two_level_accumulation_from_registers",
        chip: "sm_90a",
        element: "f8E4M3FN",
        gemms: LARGE,
        batch: None,
        schedule: "tile = (128,256,128), warps = (8,1), stages = 4, mma = wgmma_ra_m64n64k32_f32_e4m3, \
                   two_level_accumulation = true, cluster = (2,1)",
        is_auto: false,
    },
    Other {
        name: "from_registers",
        chip: "sm_90a",
        element: "bf16",
        gemms: LARGE,
        batch: None,
        schedule: "tile = (128,256,64), warps = (8,1), stages = 4, mma = wgmma_ra_m64n256k16_f32_bf16",
        is_auto: false,
    },
    Other {
        name: "4096x4096x4096",
        chip: "sm_90a",
        element: "f8E5M2",
        gemms: LARGE,
        batch: None,
        schedule: "tile = (128,256,128), warps = (8,1), stages = 4",
        is_auto: false,
    },
    Other {
        name: "tf32",
        chip: "sm_90a",
        element: "f32",
        gemms: LARGE,
        batch: None,
        schedule: "tile = (128,256,32), warps = (8,1), stages = 4, mma = wgmma_m64n256k8_f32_tf32",
        is_auto: false,
    },
    Other {
        name: "16_of_256x2048x7168",
        chip: "sm_90a",
        element: "bf16",
        gemms: &[[256, 2048, 7168]; 16],
        batch: None,
        schedule: "tile = (128,256,64), warps = (8,1), stages = 4",
        is_auto: true,
    },
    Other {
        name: "32_of_256x256x256",
        chip: "sm_90a",
        element: "bf16",
        gemms: &[[256, 256, 256]; 32],
        batch: None,
        schedule: "tile = (128,128,64), warps = (8,1), stages = 6",
        is_auto: true,
    },
    Other {
        name: "8_of_1_to_1290_rows",
        chip: "sm_90a",
        element: "bf16",
        gemms: &[
            [64, 4096, 4096],
            [128, 4096, 4096],
            [200, 4096, 4096],
            [333, 4096, 4096],
            [512, 4096, 4096],
            [700, 4096, 4096],
            [1, 4096, 4096],
            [1290, 4096, 4096],
        ],
        batch: None,
        schedule: "tile = (128,256,64), warps = (8,1), stages = 4",
        is_auto: true,
    },
    Other {
        name: "4_ragged",
        chip: "sm_90a",
        element: "f16",
        gemms: &[[257, 131, 200], [127, 129, 65], [1000, 1001, 999], [1, 33, 129]],
        batch: None,
        schedule: "tile = (128,128,64), warps = (8,1), stages = 4",
        is_auto: false,
    },
    Other {
        name: "stream_k",
        chip: "sm_90a",
        element: "bf16",
        gemms: &[[3072, 3072, 3072]],
        batch: None,
        schedule: "tile = (128,256,64), warps = (8,1), stages = 4, stream_k = 132",
        is_auto: false,
    },
    Other {
        name: "stream_k_small_tiles",
        chip: "sm_90a",
        element: "f16",
        gemms: &[[128, 8192, 8192]],
        batch: None,
        schedule: "tile = (128,128,64), warps = (8,1), stages = 6, stream_k = 132",
        is_auto: false,
    },
    Other {
        name: "split_k",
        chip: "sm_90a",
        element: "bf16",
        gemms: &[[2048, 2048, 65536]],
        batch: None,
        schedule: "tile = (128,256,64), warps = (8,1), stages = 4, split_k = 3",
        is_auto: false,
    },
    Other {
        name: "16_batched_1000x1000x1000",
        chip: "sm_90a",
        element: "bf16",
        gemms: &[[1000, 1000, 1000]],
        batch: Some(16),
        schedule: "tile = (128,256,64), warps = (8,1), stages = 4, cluster = (2,1)",
        is_auto: true,
    },
    // Short loops of many MMAs, which ptxas would unroll beyond its registers.
    Other {
        name: "3_batched_257x131x200",
        chip: "sm_80",
        element: "bf16",
        gemms: &[[257, 131, 200]],
        batch: Some(3),
        schedule: "tile = (128,128,32), warps = (2,2), stages = 4",
        is_auto: false,
    },
    Other {
        name: "3_batched_257x131x200_auto",
        chip: "sm_80",
        element: "bf16",
        gemms: &[[257, 131, 200]],
        batch: Some(3),
        schedule: "tile = (32,64,64), warps = (1,2), stages = 6",
        is_auto: true,
    },
];

/// The rows of the table's text, and the others in the same words.
pub(super) fn all(table: &str) -> Result<Vec<Value>, Error> {
    let mut rows: Vec<Value> =
        serde_json::from_str(table).map_err(|error| format!("{TABLE}: {error}"))?;
    rows.extend(OTHERS.iter().map(|other| {
        let &Other { name, chip, element, gemms, batch, schedule, is_auto } = other;
        json!({"name": name, "chip": chip, "element": element, "problems": gemms,
            "batch": batch, "schedule": schedule, "named": !is_auto})
    }));
    Ok(rows)
}

pub(super) fn name(row: &Value) -> Result<String, Error> {
    let (chip, element) = (field(row, "chip")?, field(row, "element")?);
    let problem = match row["name"].as_str() {
        Some(name) => name.to_owned(),
        None => format!("{}x{}x{}", row["m"], row["n"], row["k"]),
    };
    Ok(format!("{problem}_{element}_{chip}"))
}

/// Whether the schedule is written down, and not left to the compiler.
pub(super) fn is_named(row: &Value) -> bool {
    row["named"] == json!(true)
}

/// The row's problems, A and B contiguous along K.
pub(super) fn program(row: &Value) -> Result<String, Error> {
    let one = [json!([row["m"], row["n"], row["k"]])];
    let problems: Option<Vec<[i64; 3]>> = row["problems"]
        .as_array()
        .map_or(&one[..], Vec::as_slice)
        .iter()
        .map(|problem| Some([problem[0].as_i64()?, problem[1].as_i64()?, problem[2].as_i64()?]))
        .collect();
    let program = Program {
        element: field(row, "element")?,
        transposes: "tn",
        batch: row["batch"].as_i64(),
        schedule: if is_named(row) { field(row, "schedule")? } else { "auto" },
        chip: field(row, "chip")?,
    };
    let problems = problems.ok_or_else(|| format!("{TABLE}: expected extents, found {row}"))?;
    Ok(program.text(&problems))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_a_name_of_its_own() {
        let mut names: Vec<String> =
            all("[]").unwrap().iter().map(|row| name(row).unwrap()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), count), (OTHERS.len(), OTHERS.len()));
    }

    #[test]
    fn rows_are_programs() {
        let row = json!({"chip": "sm_80", "element": "bf16", "problems": [[8, 16, 32]],
            "batch": 3, "schedule": "tile", "named": false});
        let text = program(&row).unwrap();
        assert!(text.contains("(8,32,3):(32,1,256)") && text.contains("<auto,"), "{text}");
        let row = json!({"chip": "sm_80", "element": "f16", "m": 8, "n": 16, "k": 32,
            "schedule": "tile", "named": true});
        let text = program(&row).unwrap();
        assert!(text.contains("(8,32):(32,1)") && text.contains("<tile,"), "{text}");
        assert_eq!(
            program(&json!({"chip": "sm_80", "element": "f16"})).unwrap_err(),
            format!("{TABLE}: expected extents, found {{\"chip\":\"sm_80\",\"element\":\"f16\"}}")
        );
    }
}
