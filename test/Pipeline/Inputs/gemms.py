"""Compiles GEMMs of many shapes and layouts, f16 and bf16, all four transposes.

    gemms.py compile FOLDER     compiles each, for `layout-run bench FOLDER`
    gemms.py run FOLDER         checks each on the GPU against float64
    gemms.py assemble FOLDER    assembles each for sm_80 and sm_90a with ptxas, and looks for spills and stack frames
    gemms.py host FOLDER        runs each tile program on the CPU, one thread at a time, against float64
    gemms.py verify FOLDER      proves that each pass keeps what each program does

A second word after the folder, `warpgroups`, takes the schedule of Hopper's warpgroups (wgmma, for sm_90a). Operands whose rows do not
start at multiples of 16 bytes are copied first. `schedules` takes every key of a schedule for warpgroups, at a few sizes, in bf16; the
numbers of the kernels' names say which. `table` takes the kernels of the first table in `test/Device/PERFORMANCE.md`; what they must not take, `cargo
measure kernels` looks for.

`epilogues` takes programs with an epilogue: a bias by column or row, activations, scales of rows, columns and the whole
result, a residual, the result's old self, one after the other; with warpgroups and without, stores through shared memory and element by
element, swapped operands and split-K.

`types` takes every kind of elements that an atom multiplies, with the accumulators and the results that it may have: warpgroups, warps, and threads
that multiply each for itself; operands that the instruction does not transpose are copied, or gathered element by element; A from registers
in both orders.

`batched` takes batches of GEMMs: contiguous matrices, with gaps, row by row among each other, one for all, and where bulk
copies cannot take them; with warpgroups, clusters, split-K and ping-pong, and without; with an epilogue.

`sizes` takes every extent from 1 to 33 in each mode, primes, powers of two, and matrices of few rows or columns, on warps and on warpgroups.

`grouped` takes several GEMMs of one kernel, each with its own sizes and epilogue, from one row to a thousand; some of as many tiles along K
for each, with consumer groups, and some with clusters; operands that are copied first; batches beside single GEMMs. Those of warps, and of threads that
multiply each for itself, have other orders of A and B and other alignments too.

`blocked` takes matrices in blocks, whose modes have several strides: blocks of 16 B along K (interleaved), of 32, 64 and
128 bytes, along M or N, rows in groups with gaps between them; C in blocks; with clusters, swapped operands, split-K, ping-pong, and
batches of several strides. Tensor maps take all of them as they are, but for the last, whose tiles do not fit the blocks.

`deferred` takes blocks of several tiles, whose pieces of C are stored beside the steps of the next tile: elements and results of 8, 16 and
32 bits, epilogues, clusters, swapped operands, a batch, and a second B.

`pointers` takes memory that starts at multiples of a few bytes only, as `llvm.align` of an argument says; the GPU and the CPU are given such.

Letters are BLAS's: `n` is a column-major left side (m,k), or a column-major right side (k,n), which is a row-major (n,k).
Exits with 1 when a kernel cannot be compiled or is wrong; says which.
"""

import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys

# Imports leave nothing beside the sources.
sys.dont_write_bytecode = True

from elements import RESULTS, TYPE_HOST_SIZES, TYPE_ORDERS_SIZE, TYPE_SIZES, TYPES
from groups import BATCHES, GROUP_HOST_SCHEDULES, GROUP_SCHEDULES, GROUP_SPECIAL, GROUPS, WARP_GROUPS

SIZES = [
    (1, 1, 1),
    (7, 13, 31),
    (16, 8192, 512),
    (127, 129, 65),
    (1000, 1000, 1000),
    (1024, 1024, 1024),
    (4096, 4096, 4096),
    (4097, 4095, 4099),
]
# Ragged at every edge, and with no edge at all.
FEW_SIZES = [(127, 129, 65), (1024, 1024, 1024)]
# One element, less than a tile, ragged at every edge, several tiles.
HOST_SIZES = [(1, 1, 1), (7, 13, 31), (127, 129, 65), (136, 256, 96)]
VERIFY_SIZES = [(7, 13, 31), (127, 129, 65), (1024, 1024, 1024)]
CHIPS = ["sm_80", "sm_90a"]

SCHEDULE = "tile = (128,128,32), warps = (2,2), stages = 4"
WARPGROUPS = 'tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a"'
# A tile of its own: what one thread does on the CPU takes time.
WARPGROUPS_HOST = 'tile = (64,40,64), warps = (4,1), stages = 3, chip = "sm_90a"'
WARPGROUP_SIZES = [
    (1, 1, 1),
    (8, 8, 8),
    (127, 129, 65),
    (136, 264, 72),
    (1000, 1000, 1000),
    (1024, 1024, 1024),
    (4096, 4096, 4096),
    (4097, 4095, 4099),
    (8192, 8192, 8192),
]
WARPGROUP_FEW_SIZES = [(127, 129, 65), (136, 264, 72), (1024, 1024, 1024)]
WARPGROUP_HOST_SIZES = [(8, 8, 8), (72, 88, 136), (67, 41, 137)]
# Every extent from 1 to 33 in each mode, primes, powers of two, and matrices of few rows or columns.
SWEEP = [
    *((i, 34 - i, 7 * i % 33 + 1) for i in range(1, 34)),
    *((37, 41, 43), (61, 67, 71), (127, 131, 137), (257, 263, 269), (509, 521, 523), (1009, 1013, 1019)),
    *((2**i, 2 ** (12 - i), 2 ** (i % 6 + 5)) for i in range(13)),
    *((1, 4096, 777), (4099, 1, 64), (3, 8191, 40), (8192, 5, 128), (33, 2, 16384), (1, 1, 65537)),
]
SWEEP_SCHEDULES = [
    ("sm_80", "tile = (128,128,32), warps = (2,2), stages = 4"),
    ("sm_90a", "tile = (128,128,64), warps = (8,1), stages = 4"),
    ("sm_90a", "tile = (64,64,64), warps = (4,1), stages = 4, ping_pong = true"),
    ("sm_90a", "tile = (64,128,64), warps = (4,1), stages = 4, swap_ab = true"),
]
SWEEP_HOST_SCHEDULES = [
    ("sm_80", "tile = (32,32,32), warps = (1,2), stages = 2"),
    ("sm_90a", "tile = (64,40,64), warps = (4,1), stages = 3"),
]
# Keys that only schedules for warpgroups have, alone and together.
SCHEDULES = [
    "tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true",
    "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (2,1)",
    "tile = (64,40,64), warps = (4,1), stages = 3, cluster = (1,2)",
    "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (2,2)",
    "tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2",
    "tile = (64,24,64), warps = (4,1), stages = 3, split_k = 3, swap_ab = true",
    "tile = (64,128,64), warps = (4,1), stages = 3, cluster = (2,1), split_k = 2, swap_ab = true",
    "tile = (128,192,64), warps = (8,1), stages = 3",
    "tile = (64,64,64), warps = (4,1), stages = 3, stream_k = 7",
    "tile = (64,40,64), warps = (4,1), stages = 3, stream_k = 3, swap_ab = true",
    "tile = (64,64,64), warps = (4,1), stages = 3, ping_pong = true",
    "tile = (64,24,64), warps = (4,1), stages = 4, ping_pong = 3, cluster = (1,2), swap_ab = true",
    # Instructions of fewer columns than the tile, whose rows along N no instruction begins inside of.
    "tile = (64,48,64), warps = (4,1), stages = 3, mma = wgmma_m64n24k16_f32_bf16",
    "tile = (64,192,64), warps = (4,1), stages = 3, mma = wgmma_m64n96k16_f32_bf16",
    # A from registers: of one step along K, of all, of some alternately, and of two rows of atoms.
    "tile = (64,64,16), warps = (4,1), stages = 3, mma = wgmma_ra_m64n64k16_f32_bf16",
    "tile = (64,64,64), warps = (4,1), stages = 3, mma = wgmma_ra_m64n64k16_f32_bf16, split_k = 2, swap_ab = true",
    "tile = (64,40,96), warps = (4,1), stages = 3, mma = wgmma_ra_m64n40k16_f32_bf16, ping_pong = true",
    "tile = (128,64,64), warps = (4,1), stages = 3, mma = wgmma_ra_m64n64k16_f32_bf16, cluster = (1,2), swap_ab = true",
    "tile = (128,64,64), warps = (8,1), stages = 3, mma = wgmma_ra_m64n64k16_f32_bf16, stream_k = 3",
]
SCHEDULE_SIZES = [(1, 1, 136), (136, 264, 136), (257, 129, 200)]
SCHEDULE_HOST_SIZES = [(72, 88, 136), (67, 73, 137), (1, 88, 136)]
SCHEDULE_DEVICE_SIZES = [*SCHEDULE_SIZES, (1000, 1001, 999), (1024, 1024, 1024)]
# Epilogues: the operands (a matrix, one number a column, a row, or the result) with their element types, and the program.
GELU = """\
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubic = arith.constant 0.044715 : f32
    %scale = arith.constant 0.7978845608 : f32
    %square = arith.mulf {x}, {x} : f32
    %inner = math.fma %square, %cubic, %one : f32
    %scaled = arith.mulf {x}, %scale : f32
    %argument = arith.mulf %scaled, %inner : f32
    %tanh = math.tanh %argument{flags} : f32
    %sum1 = arith.addf %tanh, %one : f32
    %halved = arith.mulf {x}, %half : f32
    %gelu = arith.mulf %halved, %sum1 : f32
    layout.yield %gelu : f32
"""
# Sums of random products are large: scaled to what the functions bend.
SCALED = """\
    %few = arith.constant 0.08 : f32
    %x = arith.mulf %sum, %few : f32
"""
EPILOGUES = {
    "relu": (
        [],
        """\
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %sum, %zero : f32
    layout.yield %relu : f32
""",
    ),
    "bias_gelu": (
        [("column", None)],
        "    %x = arith.addf %sum, %e0 : f32\n" + GELU.format(x="%x", flags=" fastmath<afn>"),
    ),
    "gelu": ([], SCALED + GELU.format(x="%x", flags=" fastmath<afn>")),
    "gelu_erf": (
        [],
        SCALED
        + """\
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.70710678118 : f32
    %scaled = arith.mulf %x, %root : f32
    %erf = math.erf %scaled : f32
    %more = arith.addf %erf, %one : f32
    %halved = arith.mulf %x, %half : f32
    %gelu = arith.mulf %halved, %more : f32
    layout.yield %gelu : f32
""",
    ),
    "row_bias_silu": (
        [("row", "f32")],
        SCALED
        + """\
    %one = arith.constant 1.0 : f32
    %y = arith.addf %x, %e0 : f32
    %minus = arith.negf %y : f32
    %power = math.exp %minus : f32
    %below = arith.addf %power, %one : f32
    %silu = arith.divf %y, %below : f32
    layout.yield %silu : f32
""",
    ),
    "alpha_beta": (
        [("scalar", "f32"), ("scalar", "f32"), ("result", None)],
        """\
    %new = arith.mulf %sum, %e0 : f32
    %both = math.fma %e1, %e2, %new : f32
    layout.yield %both : f32
""",
    ),
    "scales_residual": (
        [("row", "f32"), ("column", "f16"), ("matrix", None)],
        """\
    %rows = arith.mulf %sum, %e0 : f32
    %both = arith.mulf %rows, %e1 : f32
    %sum1 = arith.addf %both, %e2 : f32
    layout.yield %sum1 : f32
""",
    ),
    "everything": (
        [("scalar", "f32"), ("column", None), ("matrix", None), ("row", "bf16")],
        SCALED
        + """\
    %zero = arith.constant 0.0 : f32
    %scaled = arith.mulf %x, %e0 : f32
    %y = arith.addf %scaled, %e1 : f32
    %tanh = math.tanh %y : f32
    %size = math.absf %e2 : f32
    %root = math.sqrt %size : f32
    %less = arith.cmpf olt, %e2, %zero : f32
    %chosen = arith.select %less, %tanh, %root : f32
    %all = math.fma %chosen, %e3, %y : f32
    layout.yield %all : f32
""",
    ),
}
# Types beside the usual ones: integer accumulators that become floats, and f64 ones, without functions of `math`.
OTHER_EPILOGUES = {
    "dequantized": (
        [("row", "f32"), ("column", "f32")],
        """\
    %rows = arith.mulf %sum, %e0 : f32
    %both = arith.mulf %rows, %e1 : f32
    layout.yield %both : f32
""",
    ),
    # To numbers of 8 bits: some of them saturate.
    "quantized": (
        [("column", "f32")],
        """\
    %scale = arith.constant 8.0 : f32
    %zero = arith.constant 0.0 : f32
    %scaled = arith.mulf %sum, %scale : f32
    %biased = arith.addf %scaled, %e0 : f32
    %relu = arith.maximumf %biased, %zero : f32
    layout.yield %relu : f32
""",
    ),
    # Integer accumulators, with rows of scales of their own.
    "requantized": (
        [("row", "f32"), ("column", "f32")],
        """\
    %scale = arith.constant 0.004 : f32
    %scaled = arith.mulf %sum, %scale : f32
    %rows = arith.mulf %scaled, %e0 : f32
    %biased = arith.addf %rows, %e1 : f32
    layout.yield %biased : f32
""",
    ),
    "wide": (
        [("scalar", "f32"), ("scalar", "f32"), ("result", None)],
        """\
    %new = arith.mulf %sum, %e0 : f32
    %old = arith.mulf %e1, %e2 : f32
    %both = arith.addf %new, %old : f32
    layout.yield %both : f32
""",
    ),
}
EPILOGUE_SCHEDULES = [
    'tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a"',
    'tile = (128,128,64), warps = (8,1), stages = 3, swap_ab = true, chip = "sm_90a"',
    'tile = (64,128,64), warps = (4,1), stages = 3, split_k = 2, chip = "sm_90a"',
    'tile = (64,128,64), warps = (4,1), stages = 3, stream_k = 5, chip = "sm_90a"',
    "tile = (64,64,32), warps = (2,2), stages = 3",
]
# One thread at a time takes long.
EPILOGUE_HOST_SCHEDULES = [
    'tile = (64,48,64), warps = (4,1), stages = 3, chip = "sm_90a"',
    'tile = (64,40,64), warps = (4,1), stages = 3, swap_ab = true, chip = "sm_90a"',
    'tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2, swap_ab = true, chip = "sm_90a"',
    'tile = (64,24,64), warps = (4,1), stages = 3, stream_k = 5, swap_ab = true, chip = "sm_90a"',
    "tile = (32,32,32), warps = (1,2), stages = 2",
]
EPILOGUE_SIZES = [(136, 264, 136), (257, 129, 200)]
EPILOGUE_HOST_SIZES = [(72, 88, 136), (67, 41, 137)]
# Errors are relative to the norm of the result, which one element near 0 does not have.
EPILOGUE_DEVICE_SIZES = [(3, 33, 136), *EPILOGUE_SIZES, (1000, 1001, 999), (2048, 1024, 512)]
# For a GPU, and small ones for one thread at a time; and the epilogue.
BATCH_SCHEDULES = [
    ("tile = (64,128,32), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (1,2), stages = 2", ""),
    ("tile = (128,128,64), warps = (8,1), stages = 3", "tile = (64,40,64), warps = (4,1), stages = 3", "scales_residual"),
    (
        "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (2,1), swap_ab = true",
        "tile = (64,48,64), warps = (4,1), stages = 3, cluster = (1,2), swap_ab = true",
        "",
    ),
    (
        "tile = (64,128,64), warps = (4,1), stages = 3, split_k = 2",
        "tile = (64,48,64), warps = (4,1), stages = 3, split_k = 2",
        "alpha_beta",
    ),
    (
        "tile = (64,128,64), warps = (4,1), stages = 3, stream_k = 3",
        "tile = (64,48,64), warps = (4,1), stages = 3, stream_k = 5",
        "scales_residual",
    ),
    ("tile = (64,64,64), warps = (4,1), stages = 4, ping_pong = true", "tile = (64,48,64), warps = (4,1), stages = 3, ping_pong = true", ""),
]
BATCH_SIZES = [(64, 64, 128), (136, 264, 136), (257, 131, 200), (1000, 1001, 999)]
BATCH_HOST_SIZES = [(67, 73, 137)]
# Memory that starts at multiples of so many bytes only: of A, of B, and of C and what an epilogue reads.
POINTERS = [
    ("bf16", "tile = (64,64,32), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (1,2), stages = 2", "scales_residual", (2, 4, 8)),
    ("bf16", "tile = (128,128,64), warps = (8,1), stages = 3", "tile = (64,40,64), warps = (4,1), stages = 3", "scales_residual", (2, 16, 16)),
    (
        "bf16",
        "tile = (128,128,64), warps = (8,1), stages = 3, swap_ab = true",
        "tile = (64,48,64), warps = (4,1), stages = 3, swap_ab = true",
        "",
        (16, 4, 2),
    ),
    (
        "bf16",
        "tile = (64,128,64), warps = (4,1), stages = 3, split_k = 2",
        "tile = (64,48,64), warps = (4,1), stages = 3, split_k = 2",
        "alpha_beta",
        (8, 8, 4),
    ),
    (
        "bf16",
        "tile = (64,128,64), warps = (4,1), stages = 3, stream_k = 3",
        "tile = (64,48,64), warps = (4,1), stages = 3, stream_k = 5",
        "",
        (16, 16, 2),
    ),
    ("f8E4M3FN", "tile = (128,128,128), warps = (8,1), stages = 3", "tile = (64,48,64), warps = (4,1), stages = 3", "", (1, 2, 4)),
    ("i8", "tile = (128,128,128), warps = (8,1), stages = 3", "tile = (64,48,64), warps = (4,1), stages = 3", "", (16, 1, 4)),
    (
        "f32",
        "tile = (128,128,32), warps = (8,1), stages = 3, mma = wgmma_m64n128k8_f32_tf32",
        "tile = (64,48,32), warps = (4,1), stages = 3, mma = wgmma_m64n48k8_f32_tf32",
        "",
        (8, 4, 8),
    ),
]
POINTER_SIZES = [(136, 264, 136), (257, 131, 200), (2048, 2056, 128)]
POINTER_HOST_SIZES = [(72, 88, 136), (67, 73, 137)]
# Matmuls with a second B: the elements, the orders, the schedule for a GPU and a small one, and the epilogue of the difference of both accumulators.
DUAL = [
    ("bf16", "tn", "tile = (128,128,64), warps = (8,1), stages = 4", "tile = (64,48,64), warps = (4,1), stages = 3", ""),
    ("bf16", "tt", "tile = (128,128,64), warps = (8,1), stages = 4, cluster = (2,1)", "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (2,1)", "row_bias_silu"),
    ("f16", "nn", "tile = (64,128,64), warps = (4,1), stages = 4, ping_pong = true", "tile = (64,40,64), warps = (4,1), stages = 3, ping_pong = true", "scales_residual"),
    ("bf16>f32", "nt", "tile = (256,64,64), warps = (8,1), stages = 4, cluster = (1,2)", "tile = (64,32,64), warps = (4,1), stages = 3, cluster = (1,2)", "everything"),
    ("bf16", "tn", "tile = (128,64,64), warps = (8,1), stages = 3, mma = wgmma_ra_m64n128k16_f32_bf16", "tile = (64,16,64), warps = (4,1), stages = 3, mma = wgmma_ra_m64n32k16_f32_bf16", "bias_gelu"),
    ("f8E4M3FN>bf16", "tn", "tile = (128,64,128), warps = (8,1), stages = 4, two_level_accumulation = true", "tile = (64,32,64), warps = (4,1), stages = 3, two_level_accumulation = true", "alpha_beta"),
    ("i8>bf16", "tn", "tile = (128,64,128), warps = (8,1), stages = 4", "tile = (64,16,64), warps = (4,1), stages = 3", "dequantized"),
    ("f32", "tn", "tile = (128,64,32), warps = (8,1), stages = 4, mma = wgmma_m64n128k8_f32_tf32", "tile = (64,24,32), warps = (4,1), stages = 3, mma = wgmma_m64n48k8_f32_tf32", ""),
    ("bf16", "tn", "tile = (128,64,64), warps = (8,1), stages = 4", "tile = (64,40,64), warps = (4,1), stages = 3", "gelu", (3, ("packed", "gap", "packed"))),
    ("bf16", "tt", "auto", "auto", "scales_residual"),
]
# Blocks have several tiles, whose pieces are stored beside the steps of the next one: elements, orders, keys on the GPU and on the CPU, the
# epilogue, a batch, and whether there is a second B.
DEFERRED = [
    ("bf16", "tn", "tile = (128,256,64), warps = (8,1), stages = 4", "tile = (64,64,64), warps = (4,1), stages = 3", "", None, False),
    ("bf16", "nt", "tile = (128,256,64), warps = (8,1), stages = 4, cluster = (2,1)", "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (2,1)", "", None, False),
    ("bf16", "tn", "tile = (128,256,64), warps = (8,1), stages = 4, swap_ab = true", "tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true", "", None, False),
    ("f16", "nn", "tile = (256,128,64), warps = (8,1), stages = 4, cluster = (1,2)", "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (1,2)", "", None, False),
    ("f16", "tt", "tile = (64,256,64), warps = (4,1), stages = 5", "tile = (64,80,64), warps = (4,1), stages = 3", "", None, False),
    ("bf16>f32", "tn", "tile = (128,192,64), warps = (8,1), stages = 3", "tile = (64,64,64), warps = (4,1), stages = 3", "", None, False),
    ("f32", "tn", "tile = (128,128,32), warps = (8,1), stages = 4, mma = wgmma_m64n128k8_f32_tf32", "tile = (64,64,32), warps = (4,1), stages = 3, mma = wgmma_m64n64k8_f32_tf32", "", None, False),
    ("i8", "tn", "tile = (128,256,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3", "", None, False),
    ("i8>bf16", "tn", "tile = (128,256,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3", "dequantized", None, False),
    ("f8E4M3FN", "tn", "tile = (128,224,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3", "", None, False),
    ("bf16", "tn", "tile = (128,240,64), warps = (8,1), stages = 4, swap_ab = true", "tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true", "", (2, ("one", "gap", "rows")), False),
    ("bf16", "tt", "tile = (128,128,64), warps = (8,1), stages = 4", "tile = (64,64,64), warps = (4,1), stages = 3", "", None, True),
]
DEFERRED_SIZES, DEFERRED_HOST_SIZES = [(3000, 4104, 520), (2568, 5200, 144)], [(840, 1000, 144)]

DUAL_SIZES = [(136, 264, 144), (257, 136, 208), (1000, 1008, 992), (2048, 1024, 512)]
DUAL_HOST_SIZES = [(72, 96, 144), (67, 48, 64)]
# The problems of the table; their schedules are those that the compiler chooses.
TABLE = [
    (512, 512, 512),
    (1000, 1000, 1000),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (4096, 4096, 4096),
    (4096, 4096, 128),
    (4097, 4095, 4099),
    (128, 8192, 8192),
    (16, 8192, 8192),
    (8192, 8192, 8192),
    (2048, 2048, 65536),
    (16384, 8192, 8192),
    (8192, 28672, 8192),
]
ELEMENTS = ["f16", "bf16"]
TRANSPOSES = ["nn", "nt", "tn", "tt"]
# How A, B and C lie: `n` column-major, `t` row-major, `k8` in blocks of 8 columns and `m8` in blocks of 8 rows, one after the other, and
# `g64` row-major in groups of 64 rows with a gap after each. The elements, the epilogue, the schedule for a GPU and a small one
# for one thread at a time, and what the extents are multiples of.
BLOCKED = [
    (("k8", "k8", "k8"), "bf16", "", "tile = (128,128,64), warps = (8,1), stages = 4", "tile = (64,48,64), warps = (4,1), stages = 3", (8, 8, 8)),
    (("k8", "t", "t"), "f16", "", "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (1,2)", "tile = (64,40,64), warps = (4,1), stages = 3, cluster = (1,2)", (1, 8, 8)),
    (("k16", "k32", "k16"), "bf16", "bias_gelu", "tile = (128,192,64), warps = (8,1), stages = 3", "tile = (64,48,64), warps = (4,1), stages = 3", (1, 16, 32)),
    (("k64", "k128", "k64"), "bf16", "", "tile = (128,128,64), warps = (8,1), stages = 4, cluster = (2,1)", "tile = (64,64,64), warps = (4,1), stages = 3, cluster = (2,1)", (1, 64, 128)),
    (("m8", "m8", "k8"), "bf16", "", "tile = (128,128,64), warps = (8,1), stages = 3, swap_ab = true", "tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true", (8, 8, 1)),
    (("m64", "m32", "m16"), "f16", "", "tile = (128,128,64), warps = (8,1), stages = 3, swap_ab = true", "tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true", (64, 32, 1)),
    (("g64", "g64", "g64"), "bf16", "", "tile = (128,128,64), warps = (8,1), stages = 3, ping_pong = true", "tile = (64,64,64), warps = (4,1), stages = 3, ping_pong = true", (64, 64, 8)),
    (("k8", "g64", "t"), "bf16", "", "tile = (64,128,64), warps = (4,1), stages = 3, split_k = 2", "tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2", (1, 64, 8)),
    (("k8", "m16", "t"), "bf16", "", "tile = (64,128,64), warps = (4,1), stages = 3, stream_k = 5", "tile = (64,64,64), warps = (4,1), stages = 3, stream_k = 5", (1, 16, 8)),
    (("k16", "k16", "k4"), "i8", "", "tile = (128,128,128), warps = (8,1), stages = 4", "tile = (64,48,128), warps = (4,1), stages = 3", (1, 4, 16)),
    (("k4", "k8", "k8"), "f32", "", "tile = (128,128,32), warps = (8,1), stages = 4, mma = wgmma_m64n128k8_f32_tf32", "tile = (64,48,32), warps = (4,1), stages = 3, mma = wgmma_m64n48k8_f32_tf32", (1, 8, 8)),
    (("k16", "k64", "t"), "f8E4M3FN", "", "tile = (128,128,128), warps = (8,1), stages = 4", "tile = (64,40,128), warps = (4,1), stages = 3", (1, 8, 64)),
    (("k8", "k8", "k8", 3), "bf16", "", "tile = (64,128,64), warps = (4,1), stages = 3, cluster = (2,2)", "tile = (64,48,64), warps = (4,1), stages = 3, cluster = (1,2)", (8, 8, 8)),
    (("k8", "k8", "k8"), "bf16", "", "tile = (64,128,32), warps = (2,2), stages = 3", "tile = (32,32,32), warps = (1,2), stages = 2", (8, 8, 8)),
    (("k24", "m24", "t"), "bf16", "", "tile = (128,128,64), warps = (8,1), stages = 3", "tile = (64,64,64), warps = (4,1), stages = 3", (1, 24, 24)),
    (("t", "t", "g7"), "bf16>f32", "", "tile = (64,128,64), warps = (4,1), stages = 3, split_k = 2, swap_ab = true", "tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2, swap_ab = true", (7, 8, 8)),
    (("t", "t", "g7"), "bf16>f32", "bias_gelu", "tile = (64,128,64), warps = (4,1), stages = 3, stream_k = 5", "tile = (64,64,64), warps = (4,1), stages = 3, stream_k = 5", (7, 8, 8)),
]
BLOCKED_SIZES = [(67, 41, 137), (136, 264, 136), (257, 131, 200), (1000, 1001, 999)]
BLOCKED_HOST_SIZES = [(67, 73, 137)]

PROGRAM = """\
func.func @gemm(%a: {a}, %b: {b}, %c: {c}{parameters}) {{
  layout.matmul %a, %b, %c{second}
    schedule(#layout.schedule<{schedule}>){epilogue}
    : {a}, {b}, {c}{types}
  return
}}
"""
OPERAND_STRIDES = {"column": (0, 1), "row": (1, 0), "scalar": (0, 0)}


def view(element, shape, strides):
    """A view of a matrix, or of a batch."""
    text = [",".join(str(value) for value in values) for values in (shape, strides)]
    return f"!layout.view<{element}, global, ({text[0]}):({text[1]})>"


def blocked(element, rows, columns, kind, batch=None):
    """A view of a matrix in blocks, or of a batch of two times some, of which the first two lie after the others."""
    letter, block = kind[0], int(kind[1:] or 0)
    shapes = {
        "n": ((rows, columns), (1, rows)),
        "t": ((rows, columns), (columns, 1)),
        "k": ((rows, (block, columns // max(block, 1))), (block, (1, block * rows))),
        "m": (((block, rows // max(block, 1)), columns), ((1, block * columns), block)),
        "g": (((block, rows // max(block, 1)), columns), ((columns, block * columns + 64), 1)),
    }
    shape, strides = shapes[letter]
    if batch:
        whole = -(-rows * columns // 64) * 64
        shape, strides = (*shape, (2, batch)), (*strides, (batch * whole + 64, whole))
    shape, strides = (str(value).replace(" ", "") for value in (shape, strides))
    return f"!layout.view<{element}, global, {shape}:{strides}>"


def matrix(element, rows, columns, row_major, batch=None):
    """A view of a matrix, or of several that lie as a word says."""
    strides = (columns, 1) if row_major else (1, rows)
    if batch is None:
        return view(element, (rows, columns), strides)
    count, kind = batch
    line, whole = (columns if row_major else rows), -(-rows * columns // 8) * 8
    apart = {"packed": rows * columns, "gap": whole + 64, "odd": whole + 1, "one": 0, "rows": line}[kind]
    if kind == "rows":
        strides = tuple(stride if stride == 1 else stride * count for stride in strides)
    return view(element, (rows, columns, count), (*strides, apart))


def program(m, n, k, elements, transposes, schedule, name="", batch=None, starts=(), dual=False):
    element, _, result = elements.partition(">")
    if isinstance(transposes, tuple):
        kinds, many = transposes[:3], transposes[3:]
        of = zip((element, element, result or RESULTS.get(element, element)), ((m, k), (n, k), (m, n)), kinds)
        a, b, c = (blocked(one, *extents, kind, *many) for one, extents, kind in of)
        bias = f", %x0: {view(element, (m, n), (0, 1))}" if name else ""
        steps = EPILOGUES[name][1] if name else ""
        epilogue = f" epilogue(%x0) {{\n  ^bb0(%sum: f32, %e0: f32):\n{steps}  }}" if name else ""
        types = f", {bias.split(': ', 1)[1]}" if name else ""
        return PROGRAM.format(schedule=schedule, a=a, b=b, c=c, second="", parameters=bias, types=types, epilogue=epilogue)
    count, kinds = batch or (None, (None, None, None))
    a_batch, b_batch, c_batch = ((count, kind) if batch else None for kind in kinds)
    c = matrix(result or RESULTS.get(element, element), m, n, True, c_batch)
    parameters = types = epilogue = ""
    number = "f64" if element == "f64" else "f32"
    if name:
        operands, steps = {**EPILOGUES, **OTHER_EPILOGUES}[name]
        operands, steps = [(kind, number if of == "f32" else of) for kind, of in operands], steps.replace(": f32", f": {number}")
        names, elements = [], []
        for i, (kind, of) in enumerate(operands):
            strides = OPERAND_STRIDES.get(kind, (n, 1))
            # Each GEMM has its own, in sequence.
            apart = {"column": n, "row": m, "scalar": 1}.get(kind, m * n)
            shape, strides = ((m, n, count), (*strides, apart)) if batch else ((m, n), strides)
            other = c if kind == "result" else view(of or element, shape, strides)
            names.append("%c" if kind == "result" else f"%x{i}")
            elements.append(f", %e{i}: {number}")
            types += f", {other}"
            if kind != "result":
                parameters += f", %x{i}: {other}"
        listed = f"({', '.join(names)})" if names else ""
        epilogue = f" epilogue{listed} {{\n  ^bb0(%sum: {number}{''.join(elements)}):\n{steps}  }}"
    b = matrix(element, n, k, transposes[1] == "n", b_batch)
    if dual:
        # The epilogue of one accumulator is applied to the difference of two.
        epilogue = epilogue or f" epilogue {{\n  ^bb0(%sum: {number}):\n    layout.yield %sum : {number}\n  }}"
        difference = f"    %sum = arith.subf %first, %second : {number}\n"
        epilogue = epilogue.replace("%sum:", f"%first: {number}, %second:", 1).replace("):\n", f"):\n{difference}", 1)
        parameters, types = f"{parameters}, %d: {b}", f" dual {b}{types}"
    text = PROGRAM.format(
        schedule=schedule,
        second=" dual %d" if dual else "",
        a=matrix(element, m, k, transposes[0] == "t", a_batch),
        b=b,
        c=c,
        parameters=parameters,
        types=types,
        epilogue=epilogue,
    )
    for argument, start in zip("abc", starts):
        # The head; the operation names the types after it.
        text = re.sub(rf"(%{argument}: [^%{{]*>)", rf"\1 {{llvm.align = {start} : i64}}", text, count=1)
    if starts:
        text = re.sub(r"(%x\d: [^%{]*>)", rf"\1 {{llvm.align = {starts[2]} : i64}}", text)
    return text


def grouped(sizes, element, transposes, names, schedule, dual=False):
    """A function of several GEMMs, each with arguments of its own."""
    functions = [
        program(*size[:3], element, ab, schedule, name, *size[3:], dual=dual)
        for size, name, ab in zip(sizes, names, itertools.cycle(transposes.split("-")))
    ]
    heads, bodies = [], []
    for number, function in enumerate(functions):
        head, body = function.split(") {\n", 1)
        # Every argument belongs to the one GEMM.
        own = lambda text: re.sub(r"%(a|b|c|d|x\d)\b", rf"%\g<1>_{number}", text)
        heads.append(own(head.split("(", 1)[1]))
        bodies.append(own(body.rsplit("  return", 1)[0]))
    return f"func.func @gemm({', '.join(heads)}) {{\n{''.join(bodies)}  return\n}}\n"


def compile_to(folder, number, case, chip, schedule):
    (m, *rest), element, transposes, *epilogue = case
    size = "x".join(str(extent) for extent in [m, *rest]) if isinstance(m, int) else f"{1 + len(rest)}"
    lie = transposes if isinstance(transposes, str) else "".join(str(one) for one in transposes)
    name = f"gemm{number}_{element.replace('>', '-')}_{lie}_{size}_{chip}"
    source, ptx, manifest = (folder / f"{name}.{end}" for end in ("mlir", "ptx", "json"))
    if isinstance(m, int):
        source.write_text(program(m, *rest, element, transposes, schedule, *epilogue))
    else:
        source.write_text(grouped([m, *rest], element, transposes, *epilogue, schedule))
    command = ["layout-translate", source, "--pipeline", "--layout-to-ptx", "--chip", chip]
    return name, [*command, "--manifest", manifest, "-o", ptx], ptx


def choices(mode, warpgroups):
    """The schedule, the sizes and the chips."""
    if not warpgroups:
        sizes = {"run": SIZES, "compile": SIZES, "host": HOST_SIZES, "verify": VERIFY_SIZES}.get(mode, FEW_SIZES)
        return SCHEDULE, sizes, CHIPS if mode == "assemble" else CHIPS[:1]
    if mode in ("host", "verify"):
        return WARPGROUPS_HOST, WARPGROUP_HOST_SIZES, CHIPS[1:]
    return WARPGROUPS, WARPGROUP_FEW_SIZES if mode == "assemble" else WARPGROUP_SIZES, CHIPS[1:]


def cases(mode, word):
    """For each kernel: the folder inside, the case, the chip, and the schedule."""
    if word == "schedules":
        sizes = {"host": SCHEDULE_HOST_SIZES, "verify": SCHEDULE_SIZES[1:2], "assemble": SCHEDULE_SIZES}.get(mode, SCHEDULE_DEVICE_SIZES)
        for (i, keys), size, ab in itertools.product(enumerate(SCHEDULES), sizes, ["tn", "nt"]):
            if ab == "nt" and mode in ("host", "verify") and "wgmma_m64" not in keys:
                continue
            # One tile is too few for a cluster, and its steps are too few for many blocks.
            if ("cluster" in keys or "stream_k" in keys) and min(size) == 1:
                continue
            yield str(i), (size, "bf16", ab), CHIPS[1], f'{keys}, chip = "{CHIPS[1]}"'
        return
    if word == "epilogues":
        sizes = {"host": EPILOGUE_HOST_SIZES, "assemble": EPILOGUE_SIZES, "verify": EPILOGUE_SIZES[:1]}.get(mode, EPILOGUE_DEVICE_SIZES)
        # Without warpgroups, the addresses of a ragged residual's elements take more registers than there are.
        schedules = {"host": EPILOGUE_HOST_SCHEDULES, "assemble": EPILOGUE_SCHEDULES[:-1]}.get(mode, EPILOGUE_SCHEDULES)
        for (i, keys), size, name in itertools.product(enumerate(schedules), sizes, EPILOGUES):
            # Tiles that blocks share, and others, have two of them; the smallest has too few steps.
            if "stream_k" in keys and (name not in ("alpha_beta", "bias_gelu") or size[0] == 3):
                continue
            yield f"{i}_{name}", (size, "bf16", "tn", name), CHIPS["chip" in keys], keys
        return
    if word == "types":
        sizes = {"host": TYPE_HOST_SIZES, "verify": TYPE_HOST_SIZES[1:], "assemble": TYPE_SIZES[2:4]}.get(mode, TYPE_SIZES)
        turned = TRANSPOSES if mode in ("run", "compile") else ["tn", "nt"]
        for (i, (elements, chip, large, small, *name)), size in itertools.product(enumerate(TYPES), [*sizes, TYPE_ORDERS_SIZE]):
            keys = small if mode in ("host", "verify") else large
            held = "wgmma_ra" in keys
            # The copy engine takes rows of 8 bits that are as long as this size's.
            narrow = elements.endswith((">f8E4M3FN", ">f8E5M2", ">i8"))
            # One tile along K has no parts.
            if size == TYPE_ORDERS_SIZE and not held and not narrow or ("split_k" in keys or "stream_k" in keys) and size[2] <= 64:
                continue
            # Transposed operands where both edges are ragged.
            for ab in turned if size[0] % 8 or size == TYPE_ORDERS_SIZE and held else ["tn"]:
                yield str(i), (size, elements, ab, *name), chip, f'{keys}, chip = "{chip}"'
        return
    if word == "batched":
        sizes = {"host": BATCH_HOST_SIZES, "verify": BATCH_SIZES[1:3], "assemble": BATCH_SIZES[1:3]}.get(mode, BATCH_SIZES)
        small = mode in ("host", "verify")
        schedules = enumerate(BATCH_SCHEDULES)
        for (i, (gpu, host, name)), (j, batch), size in itertools.product(schedules, enumerate(BATCHES), sizes):
            # One tile is too few for a cluster.
            if "cluster" in gpu and min(size) == 64:
                continue
            # Tiles that blocks share are proved element by element: those of a batch are too many, those of one GEMM are not.
            if mode == "verify" and "stream_k" in gpu:
                continue
            chip = CHIPS[i > 0]
            yield f"{i}_{j}", (size, "bf16", ["tn", "nt"][j % 2], name, batch), chip, f'{host if small else gpu}, chip = "{chip}"'
        return
    if word == "dual":
        small = mode in ("host", "verify")
        sizes = DUAL_HOST_SIZES if small else DUAL_SIZES[:2] if mode == "assemble" else DUAL_SIZES
        for (i, (elements, ab, gpu, host, name, *batch)), size in itertools.product(enumerate(DUAL), sizes):
            yield str(i), (size, elements, ab, name, *(batch or [None]), (), True), CHIPS[1], f'{host if small else gpu}, chip = "{CHIPS[1]}"'
        return
    if word == "deferred":
        small = mode in ("host", "verify")
        sizes = DEFERRED_HOST_SIZES if small else DEFERRED_SIZES[:1] if mode == "assemble" else DEFERRED_SIZES
        for (i, (elements, ab, gpu, host, name, batch, dual)), size in itertools.product(enumerate(DEFERRED), sizes):
            yield str(i), (size, elements, ab, name, batch, (), dual), CHIPS[1], f'{host if small else gpu}, chip = "{CHIPS[1]}"'
        return
    if word == "pointers":
        small = mode in ("host", "verify")
        sizes = POINTER_HOST_SIZES if small else POINTER_SIZES[: 2 if mode == "assemble" else 3]
        for (i, (element, gpu, host, name, starts)), size in itertools.product(enumerate(POINTERS), sizes):
            chip = CHIPS[i > 0]
            yield str(i), (size, element, "tn", name, None, starts), chip, f'{host if small else gpu}, chip = "{chip}"'
        return
    if word == "grouped":
        small = mode in ("host", "verify")
        for i, (sizes, ab, names) in enumerate(GROUPS):
            # One thread at a time takes long, and so do proofs of many elements.
            if small and max(max(size[:3]) for size in sizes) > 300:
                sizes, names = sizes[:2], names[:2]
            schedules = GROUP_HOST_SCHEDULES if small else GROUP_SCHEDULES
            for j, keys in enumerate([*schedules, *([GROUP_SPECIAL[i]] if i in GROUP_SPECIAL else [])]):
                yield f"{i}_{j}", (sizes, "bf16", ab, names), CHIPS[1], f'{keys}, chip = "{CHIPS[1]}"'
        for i, (elements, chip, ab, gpu, host, sizes, names) in enumerate(WARP_GROUPS):
            if small and max(max(size[:3]) for size in sizes) > 300:
                sizes, names, ab = sizes[1:], names[1:], "-".join(ab.split("-")[::-1])
            yield f"w{i}", (sizes, elements, ab, names), chip, f'{host if small else gpu}, chip = "{chip}"'
        return
    if word == "blocked":
        sizes = {"host": BLOCKED_HOST_SIZES, "verify": BLOCKED_HOST_SIZES, "assemble": BLOCKED_SIZES[1:2]}.get(mode, BLOCKED_SIZES)
        small = mode in ("host", "verify")
        for (i, (kinds, element, name, gpu, host, whole)), size in itertools.product(enumerate(BLOCKED), sizes):
            size = tuple(-(-extent // unit) * unit for extent, unit in zip(size, whole))
            keys = host if small else gpu
            # One tile is too few for a cluster, and its steps are too few for many blocks.
            if ("cluster" in keys or "stream_k" in keys) and not small and size[0] < 100:
                continue
            chip = CHIPS[keys.split("warps = ")[1][1] in "48"]
            yield str(i), (size, element, kinds, name), chip, f'{keys}, chip = "{chip}"'
        return
    if word == "sizes":
        small = mode in ("host", "verify")
        schedules = SWEEP_HOST_SCHEDULES if small else SWEEP_SCHEDULES
        # A few of the small ones, for one thread at a time.
        sizes = SWEEP[:33:4] if small else SWEEP
        for (i, (chip, keys)), (j, size) in itertools.product(enumerate(schedules), enumerate(sizes)):
            yield str(i), (size, ELEMENTS[j % 2], TRANSPOSES[(i + j) % 4]), chip, f'{keys}, chip = "{chip}"'
        return
    if word == "table":
        for size in TABLE:
            yield "", (size, "bf16", "tn"), CHIPS[1], f'auto, chip = "{CHIPS[1]}"'
        return
    schedule, sizes, chips = choices(mode, word == "warpgroups")
    for size, elements, ab, chip in itertools.product(sizes, ELEMENTS, TRANSPOSES, chips):
        # Matrices of one element are the same in every order.
        if max(size) > 1 or ab == TRANSPOSES[0]:
            yield "", (size, elements, ab), chip, schedule


def steps_of(mode, folder, word):
    """For each kernel: its name, the commands, what the last one has to say, and what it must not."""
    for number, case, chip, schedule in cases(mode, word):
        name, translate, ptx = compile_to(folder, number, case, chip, schedule)
        source = ptx.with_suffix(".mlir")
        if mode == "compile":
            yield name, [translate], "", None
        elif mode == "run":
            yield name, [translate, ["layout-run", "check", ptx]], "PASSED", None
        elif mode == "verify":
            pipelines = ["--layout-to-nvvm", "--layout-to-host"]
            proofs = [["layout-opt", source, p, "--verify-each-layout-pass", "-o", "/dev/null"] for p in pipelines]
            yield name, proofs, "", "not proved"
        elif mode == "host":
            yield name, [["layout-translate", source, "--pipeline", "--run-on-cpu"]], ": right", None
        else:
            assemble = ["ptxas", "--verbose", "--gpu-name", chip, ptx, "-o", ptx.with_suffix(".cubin")]
            # The warning of ptxas (C7510) about a wgmma that it makes wait for the one before.
            yield name, [translate, assemble], "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "C75"


def failure(steps, expected, unwanted):
    """None when all is well, else what happened."""
    output = ""
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True)
        output += done.stdout + done.stderr
        if done.returncode != 0:
            return f"{step[0]} ended with {done.returncode}\n{output}"
    if unwanted is not None and unwanted in output:
        return f"expected no {unwanted}, found\n{output}"
    if expected not in output:
        return f"expected {expected}, found\n{output}"
    return None


def main():
    mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    folder.mkdir(parents=True, exist_ok=True)
    total = wrong = 0
    kernels = list(steps_of(mode, folder, word))
    sources = [(step[1].read_text(), *(part for part in step if isinstance(part, str))) for _, (step, *_), *_ in kernels]
    if len(set(sources)) < len(sources):
        twice = [name for (name, *_), source in zip(kernels, sources) if sources.count(source) > 1]
        print(f"expected each kernel to be compiled once, found equal ones: {', '.join(twice)}")
        return 1
    # The last test of a suite has all cores.
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (name, *_), found in zip(kernels, pool.map(lambda kernel: failure(*kernel[1:]), kernels)):
            total += 1
            wrong += found is not None
            print(f"{name}: {found or 'right'}", flush=True)
    print(f"{total - wrong} of {total} kernels are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
