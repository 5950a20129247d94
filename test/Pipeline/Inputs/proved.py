"""Runs our passes over every .mlir file of the suites, and requires a proof of each step.

    proved.py            says which files are not, and exits with 1 if there is one
    proved.py FILE…      these files only

What a file's tests are about may end a pass early: what ran until then is proved all the same. Files of errors are left out.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

SUITES = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["Addresses", "Dialect", "Lowering", "Passes", "Pipeline"]
PASSES = "layout-tile-matmul,layout-simplify,layout-fold,layout-lower,canonicalize,cse,layout-simplify"

# Files whose functions use what translation validation does not follow, and what its warning says of it. A file that is not here is
# proved; one that is here must have the warning, and nothing that is refuted.
NOT_FOLLOWED = {
    "Dialect/buffers.mlir": "(the result of memref.alloc is unknown)",
    "Dialect/buffers_owned.mlir": "(the result of memref.alloc is unknown)",
    "Dialect/cooperative_copy.mlir": "first: a copy whose elements are not in a row in @to_shared",
    "Dialect/copy_errors.mlir": "first: a copy whose elements are not in a row in @registers",
    "Dialect/im2col.mlir": "first: layout.copy_im2col in @convolution",
    "Dialect/omitted_types.mlir": "that became 0 kernels of its name",
    "Dialect/tiled.mlir": "first: an address of stores of",
    "Dialect/views.mlir": "first: layout.pointer in @pointers",
    "Lowering/barriers.mlir": "first: layout.arrive in @barriers",
    "Lowering/block_memory.mlir": "first: memref.load in @shift",
    "Lowering/cooperative_copy.mlir": "first: layout.cooperative_copy of partly static views in @strided",
    "Lowering/fragments_exchange.mlir": "first: the exchange through shared memory of layout.reduce in @once",
    "Lowering/host_foreign.mlir": "that became 0 kernels of its name",
    "Lowering/host_memory.mlir": "first: memref.alloc in @device",
    "Lowering/lower.mlir": "@idx2crd_",
    "Lowering/packed.mlir": "(the result of layout.recast is unknown)",
    "Lowering/plain.mlir": "first: value 0 of func.return in @round_trip",
    "Lowering/pointers.mlir": "first: a copy (the limit of predicate 0 is dynamic) in @read",
    "Lowering/pointer.mlir": "(the result of layout.pointer is unknown)",
    "Lowering/structure.mlir": "first: value 2 of func.call in @calls",
    "Lowering/tiled.mlir": "(the result of llvm.getelementptr is unknown)",
    "Lowering/tensor_maps.mlir": "first: an operand of nvvm.cp.async.bulk.tensor.shared.cluster.global in @memory_of_blocks",
    "Passes/export_programs_control.mlir": "first: memref.copy in @branch",
    "Passes/export_programs.mlir": "first: @sized_kernel at other sizes than m = ",
    "Lowering/im2col.mlir": "first: layout.copy_im2col in @convolution",
    "Lowering/launch.mlir": "first: 2 functions became 3",
    "Passes/dual_matmul.mlir": "that became 0 kernels of its name",
    "Passes/from_linalg_attention.mlir": "first: linalg.fill in @grouped",
    "Passes/from_linalg_collapse.mlir": "first: linalg.fill in @run_time",
    "Passes/from_linalg_extents.mlir": "first: linalg.fill in @computed_twice",
    "Passes/normalise_matmul.mlir": "that became 0 kernels of its name",
    "Passes/pipeline_loops.mlir": "(an argument of type index is unknown) in @tiles",
    "Passes/propagate.mlir": "first: linalg.add in @reshape_after",
    "Passes/serialize.mlir": "(the result of layout.load is unknown) in @loaded",
    "Passes/tile_matmul_families.mlir": "that became 0 kernels of its name",
    "Passes/tile_matmul_outline.mlir": "that became 0 kernels of its name",
    "Passes/tile_matmul_run_time.mlir": "at other sizes than m = ",
    "Passes/verify_block_memory.mlir": "first: memref.load in @shift",
    "Passes/verify_integers.mlir": "first: an access under a condition that is no comparison in @sorted",
    "Passes/verify_launch.mlir": "(the result of layout.load is unknown) in @scatter",
    "Lowering/verify_live_ranges.mlir": "first: an access under a condition that is no comparison in @shared",
    "Passes/verify_loaded.mlir": "(the result of layout.load is unknown) in @gather",
    "Passes/verify_run_time.mlir": "at other sizes than m = ",
    "Pipeline/verify_run_time_matmul.mlir": "at other sizes than m = ",
    "Pipeline/verify_run_time_parts.mlir": "a copy (the limit of predicate 0 is dynamic)",
    "Pipeline/fragments.mlir": "first: memref.alloc in @main",
    "Pipeline/lanes.mlir": "first: memref.alloc in @main",
    "Pipeline/two_types.mlir": "that became 0 kernels of its name",
}


def files(names):
    if names:
        return [pathlib.Path(name).resolve() for name in names]
    found = (path for folder in FOLDERS for path in sorted((SUITES / folder).glob("*.mlir")))
    return [path for path in found if "errors" not in path.name]


def diagnostics(path):
    """The diagnostics of translation validation of a file: none where all is proved."""
    command = ["layout-opt", path, "--split-input-file", "--allow-unregistered-dialect"]
    command += [f"--pass-pipeline=builtin.module({PASSES})", "--verify-each-layout-pass", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode < 0:
        return [f"ended by signal {-done.returncode}"]
    passes = tuple(f": layout-{name}: " for name in ("tile-matmul", "simplify", "fold", "lower"))
    return [line for line in done.stderr.splitlines() if any(name in line for name in passes)]


def main():
    wrong = total = 0
    paths = files(sys.argv[1:])
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(diagnostics, paths))
    for path, lines in zip(paths, found):
        total += 1
        reason = NOT_FOLLOWED.get(path.relative_to(SUITES).as_posix())
        if reason:
            followed = [line for line in lines if not ("warning: " in line and ("; first: " in line))]
            if lines and not followed and any(reason in line for line in lines):
                continue
            lines = followed or [f"expected a warning that says {reason}"]
        if lines:
            wrong += 1
            print(f"{path.relative_to(SUITES)}: " + "\n".join(lines))
    print(f"{wrong} of {total} files are not proved")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
