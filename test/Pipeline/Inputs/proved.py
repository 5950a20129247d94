"""Runs our passes over every .mlir file of the suites, and wants each step proved.

    proved.py            says which files are not, and exits with 1 if there is one
    proved.py FILE…      these files only

What a file's tests are about may end a pass early: what ran until then is proved all the same. Files of errors are left out.
"""

import pathlib
import subprocess
import sys

SUITES = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["Addresses", "Dialect", "Lowering", "Passes", "Pipeline"]
PASSES = "layout-tile-matmul,layout-simplify,layout-fold,layout-lower,canonicalize,cse,layout-simplify"


def files(names):
    if names:
        return [pathlib.Path(name).resolve() for name in names]
    found = (path for folder in FOLDERS for path in sorted((SUITES / folder).glob("*.mlir")))
    return [path for path in found if "errors" not in path.name]


def said(path):
    """What translation validation says of a file: nothing where all is proved."""
    command = ["layout-opt", path, "--split-input-file", "--allow-unregistered-dialect"]
    command += [f"--pass-pipeline=builtin.module({PASSES})", "--verify-each-layout-pass", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode < 0:
        return [f"ended by signal {-done.returncode}"]
    passes = tuple(f": layout-{name}: " for name in ("tile-matmul", "simplify", "fold", "lower"))
    return [line for line in done.stderr.splitlines() if any(name in line for name in passes)]


def main():
    wrong = total = 0
    for path in files(sys.argv[1:]):
        lines = said(path)
        total += 1
        if lines:
            wrong += 1
            print(f"{path.relative_to(SUITES)}: " + "\n".join(lines))
    print(f"{wrong} of {total} files are not proved")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
