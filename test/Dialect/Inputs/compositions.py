"""Writes files of many compositions, and times how long a tool takes to fold them.

    compositions.py write terms 1000 > terms.mlir
    compositions.py time path/to/layout-opt 1000 100000

`terms`: each composition is a term, `layout.constant #layout<composition(A, B)>`. `operations`: each
is an operation, `layout.composition`, on a constant. No two compositions are alike. Times are the
median of a few runs of the whole process, with the most memory that any run held.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = {1000: 15}
FORMS = ["terms", "operations"]


def lines(form, count):
    yield "func.func @f() {"
    for i in range(count):
        s = i + 1
        a = f"(6,2):({8 * s},{2 * s})"
        c = f"((2,2),3):(({24 * s},{2 * s}),{8 * s})"
        if form == "terms":
            yield f"  %{i} = layout.constant #layout<composition({a}, (4,3):(3,1))> : !layout<{c}>"
        else:
            yield f"  %a{i} = layout.constant #layout<{a}> : !layout<{a}>"
            yield f"  %{i} = layout.composition %a{i}, #layout<(4,3):(3,1)> : !layout<{a}>"
        yield f'  "test.use"(%{i}) : (!layout<{c}>) -> ()'
    yield "  return"
    yield "}"


def fold(tool, path):
    """Seconds of wall time, seconds of the processor, and megabytes of one run."""
    command = [tool, path, "--allow-unregistered-dialect", "--canonicalize", "-o", os.devnull]
    started = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if status != 0:
        sys.exit(f"expected {' '.join(command)} to succeed, found the status {status}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(tool, counts):
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            for form in FORMS:
                path = os.path.join(folder, f"{form}.mlir")
                with open(path, "w") as file:
                    file.write("\n".join(lines(form, count)) + "\n")
                runs = [fold(tool, path) for _ in range(RUNS.get(count, 3))]
                wall, processor = (statistics.median(run[i] for run in runs) for i in (0, 1))
                memory = max(run[2] for run in runs)
                print(
                    f"    {count:>6} compositions as {form:<10} {wall * 1e3:>8.1f} ms, "
                    f"{processor * 1e3:>8.1f} ms of the processor, {memory:>6.0f} MB",
                    flush=True,
                )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", form, count] if form in FORMS:
            print("\n".join(lines(form, int(count))))
        case ["time", tool, *counts] if counts:
            measure(tool, [int(count) for count in counts])
        case _:
            sys.exit(__doc__)
