"""Prints a matmul for each family of MMA atoms and type of elements: of warps and of warpgroups, with A in shared memory or, where it is
contiguous along M, in registers.

    every_mma.py
"""

# Each atom's types of A and B and of C, what follows `k` in its name, and bytes of an element.
WARPS = [
    ("f16", "f32", "16_f32_f16", 2), ("bf16", "f32", "16_f32_bf16", 2), ("f16", "f16", "16_f16_f16", 2),
    ("f32", "f32", "8_f32_tf32", 4), ("f8E4M3FN", "f32", "32_f32_e4m3", 1), ("f8E5M2", "f32", "32_f32_e5m2", 1),
    ("i8", "i32", "32_s32_s8", 1),
]
WARPGROUPS = [row for row in WARPS if row[1] != "f16"]
M, N, K = 64, 32, 128


def view(of, rows, columns, by_rows=True):
    stride = f"({columns},1)" if by_rows else f"(1,{rows})"
    return f"!layout.view<{of}, global, ({rows},{columns}):{stride}>"


def matmul(name, of, to, schedule, is_k_major=True):
    a, b, c = view(of, M, K, is_k_major), view(of, N, K), view(to, M, N)
    print(f"func.func @{name}(%a: {a}, %b: {b}, %c: {c}) {{")
    print(f"  layout.matmul %a, %b, %c schedule(#layout.schedule<{schedule}>) : {a}, {b}, {c}")
    print("  return\n}\n")


for of, to, atom, size in WARPS:
    schedule = f"tile = (32,32,{64 // size}), warps = (2,1), stages = 2, mma = mma_m16n8k{atom}"
    matmul(f"warps_{atom}", of, to, f'{schedule}, chip = "{"sm_89" if size == 1 else "sm_80"}"')
schedule = 'tile = (32,32,8), warps = (2,1), stages = 2, mma = mma_m8n8k4_f64_f64, chip = "sm_80"'
matmul("warps_4_f64_f64", "f64", "f64", schedule)
for of, to, atom, size in WARPGROUPS:
    tile = f"tile = (64,32,{128 // size}), warps = (4,1), stages = 2"
    for family, is_k_major in ("wgmma", True), ("wgmma_ra", False):
        schedule = f'{tile}, mma = {family}_m64n32k{atom}, chip = "sm_90a"'
        matmul(f"{family}_{atom}", of, to, schedule, is_k_major)
for family in "wgmma", "wgmma_ra":
    schedule = f'tile = (64,32,64), warps = (4,1), stages = 2, mma = {family}_m64n32k32_f32_e4m3, two_level_accumulation = true, chip = "sm_90a"'
    matmul(f"{family}_two_levels", "f8E4M3FN", "f32", schedule)
