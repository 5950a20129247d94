"""Runs layout-simplify on chains of two lengths, and fails where the work of an operation is more than a constant:
e-nodes and equations, as statistics count them. With `--times`, prints what 20,000 operations take."""

import pathlib
import re
import subprocess
import sys
import time

KINDS = ["constant", "sum", "difference", "product", "twice", "exclusive", "least", "two", "arguments", "mixed", "loops"]


# E-nodes, and equations, of an operation at most.
MOST = 25


def run(kind, count):
    """The counts of one run, and its seconds."""
    program = pathlib.Path(__file__).with_name("long_chains.py")
    text = subprocess.run([sys.executable, program, kind, str(count)], capture_output=True, text=True, check=True).stdout
    options = ["--allow-unregistered-dialect", "--layout-simplify", "--mlir-pass-statistics"]
    start = time.monotonic()
    found = subprocess.run(["layout-opt", "-", *options], input=text, capture_output=True, text=True, check=True)
    seconds = time.monotonic() - start
    counted = dict((name, int(n)) for n, name in re.findall(r"(\d+) (nodes|rules applied) -", found.stderr))
    return counted, seconds


wrong = False
if "--times" in sys.argv:
    for kind in KINDS:
        counted, seconds = run(kind, 20_000)
        print(f"{kind}: {seconds:.2f} s, {counted}")
else:
    for kind in KINDS:
        for count in [4_000, 12_000]:
            for name, found in run(kind, count)[0].items():
                if found > MOST * count:
                    print(f"{kind}: {found} {name} of {count} operations, more than {MOST} each")
                    wrong = True
sys.exit(wrong)
