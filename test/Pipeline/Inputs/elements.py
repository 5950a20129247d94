"""The kernels of `gemms.py … types`: every element type that an atom multiplies, and every type in which accumulators are stored."""

# The type of C, if it differs from that of A and B; a case may state it, as `f8E4M3FN>f32`.
RESULTS = {"f8E4M3FN": "bf16", "f8E5M2": "bf16", "i8": "i32"}
# The elements, the chip, and the schedule: for a GPU, and a small one for one thread at a time; the epilogue, and a batch.
TYPES = [
    ("f8E4M3FN", "sm_90a", "tile = (128,256,128), warps = (8,1), stages = 4", "tile = (64,40,128), warps = (4,1), stages = 3"),
    ("f8E4M3FN>f32", "sm_90a", "tile = (128,128,128), warps = (8,1), stages = 4", "tile = (64,48,64), warps = (4,1), stages = 3"),
    (
        "f8E4M3FN",
        "sm_90a",
        "tile = (128,192,128), warps = (8,1), stages = 4, mma = wgmma_m64n96k32_f32_e4m3, two_level_accumulation = true",
        "tile = (64,48,128), warps = (4,1), stages = 3, mma = wgmma_m64n24k32_f32_e4m3, two_level_accumulation = true",
    ),
    ("f8E5M2", "sm_90a", "tile = (128,256,128), warps = (8,1), stages = 4", "tile = (64,32,32), warps = (4,1), stages = 3"),
    (
        "f32",
        "sm_90a",
        "tile = (128,256,32), warps = (8,1), stages = 4, mma = wgmma_m64n256k8_f32_tf32",
        "tile = (64,40,32), warps = (4,1), stages = 3, mma = wgmma_m64n40k8_f32_tf32",
    ),
    ("i8", "sm_90a", "tile = (128,256,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3"),
    ("f8E4M3FN", "sm_89", "tile = (128,128,64), warps = (2,2), stages = 3", "tile = (32,32,64), warps = (1,2), stages = 2"),
    ("f8E5M2", "sm_89", "tile = (128,128,64), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (1,2), stages = 2"),
    ("i8", "sm_80", "tile = (128,128,64), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (2,1), stages = 2"),
    (
        "f32",
        "sm_80",
        "tile = (128,128,16), warps = (2,2), stages = 3, mma = mma_m16n8k8_f32_tf32",
        "tile = (32,32,16), warps = (2,1), stages = 2, mma = mma_m16n8k8_f32_tf32",
    ),
    (
        "f16",
        "sm_80",
        "tile = (128,128,32), warps = (2,2), stages = 3, mma = mma_m16n8k16_f16_f16",
        "tile = (32,32,32), warps = (2,1), stages = 2, mma = mma_m16n8k16_f16_f16",
    ),
    ("f64", "sm_80", "tile = (64,64,16), warps = (2,2), stages = 3", "tile = (16,16,8), warps = (1,1), stages = 2"),
    ("f32", "sm_80", "tile = (64,64,16), warps = (2,2), stages = 3", "tile = (16,16,16), warps = (1,1), stages = 2"),
    (
        "f64",
        "sm_80",
        "tile = (32,64,16), warps = (2,2), stages = 3, mma = fma_m4n8k1_f64",
        "tile = (16,16,8), warps = (1,1), stages = 2, mma = fma_m4n8k1_f64",
    ),
    ("i8>bf16", "sm_90a", "tile = (128,128,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3", "dequantized"),
    ("i8>f32", "sm_80", "tile = (64,128,64), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (2,1), stages = 2", "dequantized"),
    ("f64", "sm_80", "tile = (64,64,16), warps = (2,2), stages = 3", "tile = (16,16,8), warps = (1,1), stages = 2", "wide"),
    # A from registers, which takes both orders of A.
    (
        "f16",
        "sm_90a",
        "tile = (128,256,64), warps = (8,1), stages = 4, mma = wgmma_ra_m64n256k16_f32_f16",
        "tile = (64,40,64), warps = (4,1), stages = 3, mma = wgmma_ra_m64n40k16_f32_f16",
    ),
    (
        "f8E4M3FN",
        "sm_90a",
        "tile = (128,256,128), warps = (8,1), stages = 4, mma = wgmma_ra_m64n256k32_f32_e4m3",
        "tile = (64,40,128), warps = (4,1), stages = 3, mma = wgmma_ra_m64n40k32_f32_e4m3",
    ),
    (
        "f8E4M3FN",
        "sm_90a",
        "tile = (128,256,128), warps = (8,1), stages = 4, mma = wgmma_ra_m64n64k32_f32_e4m3, two_level_accumulation = true",
        "tile = (64,48,128), warps = (4,1), stages = 3, mma = wgmma_ra_m64n16k32_f32_e4m3, two_level_accumulation = true",
    ),
    (
        "f8E5M2",
        "sm_90a",
        "tile = (128,256,128), warps = (8,1), stages = 4, mma = wgmma_ra_m64n256k32_f32_e5m2",
        "tile = (64,32,64), warps = (4,1), stages = 3, mma = wgmma_ra_m64n32k32_f32_e5m2",
    ),
    (
        "f32",
        "sm_90a",
        "tile = (128,256,32), warps = (8,1), stages = 4, mma = wgmma_ra_m64n256k8_f32_tf32",
        "tile = (64,40,32), warps = (4,1), stages = 3, mma = wgmma_ra_m64n40k8_f32_tf32",
    ),
    (
        "i8",
        "sm_90a",
        "tile = (128,256,128), warps = (8,1), stages = 4, mma = wgmma_ra_m64n256k32_s32_s8",
        "tile = (64,48,128), warps = (4,1), stages = 3, mma = wgmma_ra_m64n48k32_s32_s8",
    ),
    # Results of 8 bits: stores through shared memory and element by element, instructions that convert and arithmetic that does.
    ("f8E4M3FN>f8E4M3FN", "sm_90a", "tile = (128,256,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3"),
    ("bf16>f8E4M3FN", "sm_90a", "tile = (128,128,64), warps = (8,1), stages = 4", "tile = (64,40,64), warps = (4,1), stages = 3", "quantized"),
    ("bf16>f8E5M2", "sm_90a", "tile = (128,192,64), warps = (8,1), stages = 3", "tile = (64,32,64), warps = (4,1), stages = 3", "alpha_beta"),
    ("i8>i8", "sm_90a", "tile = (128,256,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3", "requantized"),
    ("i8>i8", "sm_90a", "tile = (128,128,128), warps = (8,1), stages = 4", "tile = (64,64,128), warps = (4,1), stages = 3"),
    (
        "f16>i8",
        "sm_90a",
        "tile = (128,128,64), warps = (8,1), stages = 4, swap_ab = true",
        "tile = (64,48,64), warps = (4,1), stages = 3, swap_ab = true",
        "quantized",
    ),
    (
        "f8E4M3FN>f8E5M2",
        "sm_90a",
        "tile = (64,128,64), warps = (4,1), stages = 3, split_k = 2",
        "tile = (64,48,64), warps = (4,1), stages = 3, split_k = 2",
        "quantized",
    ),
    (
        "bf16>f8E4M3FN",
        "sm_90a",
        "tile = (64,128,64), warps = (4,1), stages = 4, ping_pong = true",
        "tile = (64,48,64), warps = (4,1), stages = 3, ping_pong = true",
        "quantized",
        (3, ("packed", "packed", "packed")),
    ),
    ("bf16>f8E4M3FN", "sm_80", "tile = (128,128,32), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (1,2), stages = 2", "quantized"),
    ("f8E4M3FN>f8E4M3FN", "sm_89", "tile = (128,128,64), warps = (2,2), stages = 3", "tile = (32,32,64), warps = (1,2), stages = 2", "quantized"),
    ("i8>i8", "sm_80", "tile = (128,128,64), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (2,1), stages = 2", "requantized"),
    ("f32>f8E5M2", "sm_80", "tile = (64,64,16), warps = (2,2), stages = 3", "tile = (16,16,16), warps = (1,1), stages = 2"),
    (
        "bf16>i8",
        "sm_90a",
        "tile = (64,128,64), warps = (4,1), stages = 3, stream_k = 3",
        "tile = (64,48,64), warps = (4,1), stages = 3, stream_k = 5",
        "quantized",
    ),
]
TYPE_SIZES = [(8, 16, 32), (127, 129, 65), (136, 264, 136), (257, 131, 200), (1024, 1024, 1024)]
TYPE_HOST_SIZES = [(67, 41, 137), (72, 88, 136)]
# Bulk copies take all types in both orders.
TYPE_ORDERS_SIZE = (80, 96, 144)
