"""Grouped GEMMs and batches, for `gemms.py`."""

# The number of GEMMs of a batch, and the layouts of A, B and C.
BATCHES = [
    (3, ("packed", "packed", "packed")),
    (2, ("one", "gap", "rows")),
    (4, ("rows", "one", "gap")),
    (2, ("odd", "packed", "odd")),
]
# Several GEMMs of one kernel: their sizes, A and B of each, and the epilogue of each.
GROUPS = [
    ([(136, 264, 136), (257, 264, 200), (8, 264, 64)], "tn", ["", "", ""]),
    ([(64, 128, 72), (200, 136, 72)], "nt", ["", ""]),
    ([(1, 33, 129), (67, 73, 137), (130, 40, 65), (128, 128, 128)], "tn", ["", "alpha_beta", "", "scales_residual"]),
    ([(136, 264, 136), (136, 264, 136)], "nn", ["bias_gelu", ""]),
    ([(257, 131, 200), (127, 129, 65), (1000, 1001, 999)], "tt", ["", "", ""]),
    ([(64, 136, 72, BATCHES[0]), (130, 40, 136), (64, 72, 128, BATCHES[2])], "tn", ["scales_residual", "", "alpha_beta"]),
]
GROUP_SCHEDULES = [
    "tile = (64,64,64), warps = (4,1), stages = 3",
    "tile = (128,128,64), warps = (8,1), stages = 3, swap_ab = true",
]
GROUP_HOST_SCHEDULES = [
    "tile = (64,40,64), warps = (4,1), stages = 3",
    "tile = (64,48,64), warps = (4,1), stages = 3, swap_ab = true",
]
# GEMMs with equal numbers of K tiles, or with clusters that all have.
GROUP_SPECIAL = {
    1: "tile = (64,64,64), warps = (4,1), stages = 4, ping_pong = true",
    3: "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (2,1)",
}
# On warps: the elements, the chip, A and B (of each GEMM in order), the schedule for a GPU and a small one for one thread at a time; the
# sizes, some with a batch or operands aligned to a few bytes, and the epilogue.
WARP_GROUPS = [
    (
        "bf16",
        "sm_80",
        "tn",
        "tile = (128,128,32), warps = (2,2), stages = 3",
        "tile = (32,32,32), warps = (1,2), stages = 2",
        [(136, 264, 136), (257, 131, 200), (1, 264, 64)],
        ["bias_gelu", "", "row_bias_silu"],
    ),
    # Other orders of each GEMM, whose shared memory is that of all.
    (
        "f16",
        "sm_80",
        "nt-tn-nn-tt",
        "tile = (64,64,32), warps = (2,2), stages = 3",
        "tile = (32,32,32), warps = (2,1), stages = 2",
        [(64, 128, 72), (127, 129, 65), (200, 136, 72), (33, 1, 31)],
        ["", "alpha_beta", "", "relu"],
    ),
    # Batches beside a single GEMM.
    (
        "bf16",
        "sm_89",
        "tn",
        "tile = (64,128,32), warps = (2,2), stages = 4",
        "tile = (32,32,32), warps = (1,2), stages = 2",
        [(64, 136, 72, BATCHES[0]), (130, 40, 136), (64, 72, 128, BATCHES[2]), (67, 41, 33, BATCHES[3])],
        ["row_bias_silu", "", "alpha_beta", ""],
    ),
    (
        "bf16",
        "sm_80",
        "tn-nt",
        "tile = (128,64,32), warps = (2,2), stages = 3, swap_ab = true",
        "tile = (32,32,32), warps = (2,1), stages = 2, swap_ab = true",
        [(1000, 999, 72), (8, 300, 200), (130, 40, 65)],
        ["", "bias_gelu", "row_bias_silu"],
    ),
    (
        "f8E4M3FN",
        "sm_89",
        "tn-nt",
        "tile = (128,128,64), warps = (2,2), stages = 3",
        "tile = (32,32,64), warps = (1,2), stages = 2",
        [(136, 264, 136), (67, 73, 137), (3, 200, 64)],
        ["", "row_bias_silu", ""],
    ),
    (
        "i8>f32",
        "sm_80",
        "tn",
        "tile = (64,128,64), warps = (2,2), stages = 3",
        "tile = (32,32,32), warps = (2,1), stages = 2",
        [(136, 264, 136), (67, 73, 137)],
        ["dequantized", "dequantized"],
    ),
    (
        "f32",
        "sm_80",
        "tn-nn",
        "tile = (64,64,16), warps = (2,2), stages = 3",
        "tile = (16,16,16), warps = (1,1), stages = 2",
        [(1, 33, 129), (67, 73, 137), (200, 136, 64)],
        ["", "alpha_beta", "bias_gelu"],
    ),
    (
        "f64",
        "sm_80",
        "tt",
        "tile = (64,64,16), warps = (2,2), stages = 3",
        "tile = (16,16,8), warps = (1,1), stages = 2",
        [(33, 72, 40), (67, 41, 137), (64, 64, 32, BATCHES[1]), (24, 40, 16, (1, ("odd", "odd", "odd")))],
        ["", "wide", "", ""],
    ),
    (
        "f64",
        "sm_80",
        "tn-nt",
        "tile = (32,64,16), warps = (2,2), stages = 3, mma = fma_m4n8k1_f64",
        "tile = (16,16,8), warps = (1,1), stages = 2, mma = fma_m4n8k1_f64",
        [(1, 1, 65), (130, 40, 65)],
        ["", ""],
    ),
    # Memory that starts at multiples of a few bytes.
    (
        "bf16",
        "sm_80",
        "tn",
        "tile = (64,64,32), warps = (2,2), stages = 3",
        "tile = (32,32,32), warps = (1,2), stages = 2",
        [(136, 264, 136, None, (2, 4, 8)), (72, 88, 136), (72, 88, 136, None, (16, 8, 2))],
        ["", "", "bias_gelu"],
    ),
    # Equal GEMMs, whose branches have common parts.
    (
        "f16",
        "sm_80",
        "tn",
        "tile = (64,64,32), warps = (2,2), stages = 2",
        "tile = (32,32,32), warps = (1,2), stages = 2",
        [(64, 64, 64)] * 5,
        ["bias_gelu", "bias_gelu", "", "", ""],
    ),
    ("bf16", "sm_80", "tn", "auto", "auto", [(72, 200, 136), (130, 40, 65)], ["", "relu"]),
    ("f32", "sm_89", "tn", "auto", "auto", [(72, 40, 136), (1, 33, 65)], ["", ""]),
]
