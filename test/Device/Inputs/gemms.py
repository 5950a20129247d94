"""Compiles GEMMs of many shapes and layouts, and checks each on the GPU against float64.

    gemms.py FOLDER            all sizes, both input types, all four transposes

Letters are BLAS's: `n` is a column-major left side (m,k), or a column-major right side (k,n), which is a row-major (n,k).
Exits with 1 when a kernel cannot be compiled or is wrong; says which.
"""

import itertools
import pathlib
import subprocess
import sys

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
ELEMENTS = ["f16", "bf16"]
TRANSPOSES = ["nn", "nt", "tn", "tt"]

PROGRAM = """\
func.func @gemm(%a: {a}, %b: {b}, %c: {c}) {{
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
    : {a}, {b}, {c}
  return
}}
"""


def view(element, rows, columns, row_major):
    stride = f"({columns},1)" if row_major else f"(1,{rows})"
    return f"!layout.view<{element}, global, ({rows},{columns}):{stride}>"


def program(m, n, k, element, transposes):
    return PROGRAM.format(
        a=view(element, m, k, transposes[0] == "t"),
        b=view(element, n, k, transposes[1] == "n"),
        c=view(element, m, n, True),
    )


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for (m, n, k), element, transposes in itertools.product(SIZES, ELEMENTS, TRANSPOSES):
        name = f"gemm_{element}_{transposes}_{m}x{n}x{k}"
        source, ptx, manifest = (folder / f"{name}.{end}" for end in ("mlir", "ptx", "json"))
        source.write_text(program(m, n, k, element, transposes))
        steps = [
            ["layout-translate", source, "--pipeline", "--layout-to-ptx", "--manifest", manifest, "-o", ptx],
            ["layout-run", "check", ptx, manifest],
        ]
        for step in steps:
            done = run(step)
            if done.returncode != 0:
                wrong += 1
                print(f"{name}: {step[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}")
                break
        else:
            print(f"{name}: {done.stdout.splitlines()[-1]}")
    total = len(SIZES) * len(ELEMENTS) * len(TRANSPOSES)
    print(f"{total - wrong} of {total} kernels are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
