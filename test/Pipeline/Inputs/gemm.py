"""Compiles, assembles and checks one GEMM: gemm.py SCRATCH TYPE M N K TRANSPOSE...

TRANSPOSE is two letters, for A and for B: `n` is row-major as BLAS reads it, `t` its transpose.
"""
import pathlib
import subprocess
import sys

SCHEDULE = "#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>"


def program(element, m, n, k, transpose):
    a = f"({m},{k}):({k},1)" if transpose[0] == "n" else f"({m},{k}):(1,{m})"
    b = f"({n},{k}):(1,{n})" if transpose[1] == "n" else f"({n},{k}):({k},1)"
    c = f"({m},{n}):({n},1)"
    a, b, c = (f"!layout.view<{element}, global, {layout}>" for layout in (a, b, c))
    return (
        f"func.func @gemm(%a: {a}, %b: {b}, %c: {c}) {{\n"
        f"  layout.matmul %a, %b, %c schedule({SCHEDULE}) : {a}, {b}, {c}\n"
        f"  return\n}}\n"
    )


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    print("$", *command, done.stdout, done.stderr, sep=" ", flush=True)
    if done.returncode:
        sys.exit(f"expected exit code 0, found {done.returncode}")
    return done.stdout + done.stderr


def check(stem, element, m, n, k, transpose):
    source = stem.with_suffix(".mlir")
    source.write_text(program(element, m, n, k, transpose))
    ptx, lowered = stem.with_suffix(".ptx"), stem.with_suffix(".lowered.mlir")
    run("layout-translate", source, "--pipeline", "--layout-to-ptx", "-o", ptx)
    for chip in ("sm_80", "sm_90a"):
        report = run("ptxas", "-v", f"-arch={chip}", ptx, "-o", stem.with_suffix(".cubin"))
        if "0 bytes spill stores, 0 bytes spill loads" not in report:
            sys.exit(f"expected no spills for {chip}")
    # No layout operation, type or attribute is left: a tool that does not know them accepts the IR.
    run("layout-opt", source, "--layout-tile-matmul", "--layout-lower", "-o", lowered)
    run("mlir-opt", lowered, "-o", stem.with_suffix(".accepted.mlir"))
    if "right" not in run("layout-translate", source, "--pipeline", "--run-on-cpu"):
        sys.exit("expected a right result")


def main():
    scratch, element, m, n, k, *transposes = sys.argv[1:]
    for transpose in transposes:
        stem = pathlib.Path(f"{scratch}.{element}.{m}x{n}x{k}.{transpose}")
        check(stem, element, int(m), int(n), int(k), transpose)


main()
