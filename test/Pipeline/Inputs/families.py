#!/usr/bin/env python3
"""A function on tensors with rows as a caller has them, on the CPU: the kernels of each size beside upstream's own loops.

    families.py FOLDER MODEL.mlir CHIP ROWS…     prints what differs at each number of rows, and how many kernels there are

Numbers are small integers, so that sums are the same in every order.
"""
import ctypes, pathlib, random, sys
from linalg import BUFFERISE, LOOPS, library, numbers, run, size

SHAPES = [("bf16", lambda m: [m, 64]), ("bf16", lambda m: [64, 256]), ("f32", lambda m: [256]), ("bf16", lambda m: [256, 64]),
          ("bf16", lambda m: [m, 64]), ("bf16", lambda m: [m, 64])]  # where it may be stored, and where it is


def call(code, rows):
    dice = random.Random(rows)
    arguments, memory = [], []
    for of, shape in SHAPES:
        shape = shape(rows)
        memory.append(numbers(dice, size(shape) + 16, of))
        strides = [size(shape[d + 1:]) for d in range(len(shape))]
        pointer = ctypes.cast(memory[-1], ctypes.c_void_p)
        arguments += [pointer, pointer, ctypes.c_int64(0), *map(ctypes.c_int64, shape), *map(ctypes.c_int64, strides)]
    code.mlp.restype = None
    code.mlp(*arguments)
    return list(memory[-1])


def main():
    folder, model, chip = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    theirs = library(run(["mlir-opt", *LOOPS], run(["mlir-opt", *BUFFERISE], model)), folder, "theirs")
    taken = run(["layout-opt", f"--layout-from-linalg=chip={chip}", *BUFFERISE], model)
    tiled = run(["layout-opt", "--layout-tile-matmul"], taken)
    ours = library(run(["layout-opt", *LOOPS, "--layout-to-host"], taken), folder, "ours")
    wrong = 0
    for rows in map(int, sys.argv[4:]):
        own, other = call(ours, rows), call(theirs, rows)
        different = sum(a != b for a, b in zip(own, other))
        wrong += different != 0
        print(f"{rows} rows: {different} of {len(other)} elements differ")
    print(f"{tiled.count('gpu.launch_func')} launches, {tiled.count('scf.if')} choices")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
