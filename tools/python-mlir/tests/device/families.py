"""Matmuls whose M is known at run time, beside the kernels that are compiled for each M and PyTorch's, on a GPU:

    python tests/device/families.py [--rounds N] FOLDER

The folder holds what `layout-translate gx_N_K.mlir --pipeline --layout-to-ptx --manifest gx_N_K.json -o gx_N_K.ptx` wrote of functions `gx_N_K`, which multiply (M, K) by (N, K)
transposed in bf16 for any M, and likewise `gM_N_K` for one M. Results are compared with float32's. Then all three are launched in random order, each after a write that flushes the
L2 cache. A line of JSON for each M, N and K has the mean of the middle half of the times between CUPTI's first start and last end, in microseconds, and the ratios to ours. The exit code is 1 where a result is wrong.
"""

import argparse
import json
import pathlib
import random
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sizes import FLUSHED, Kernel, middle


def durations(launches, rounds):
    """The times from the start of each launch's first kernel to the end of its last, as a dependent launch starts while the first runs."""
    cold = torch.empty(FLUSHED, device="cuda", dtype=torch.uint8)
    order = [label for label in launches for _ in range(rounds)]
    random.Random(1).shuffle(order)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True) as profile:
        for label in order:
            cold.fill_(1)
            launches[label]()
        torch.cuda.synchronize()
    found, own, spans = {label: [] for label in launches}, iter(order), None
    for event in sorted((one for one in profile.events() if one.device_time > 0), key=lambda one: one.time_range.start):
        if "FillFunctor" in event.name:
            spans = found[next(own)]
            spans.append((float("inf"), 0.0))
        elif spans:
            start, end = spans[-1]
            spans[-1] = min(start, event.time_range.start), max(end, event.time_range.end)
    return {label: [end - start for start, end in all] for label, all in found.items()}


def measure(folder, m, n, k, rounds):
    torch.manual_seed(m)
    a, b = (torch.randn(rows, k, device="cuda").bfloat16() for rows in (m, n))
    exact = a.float() @ b.float().t()
    record, launches, right = {"m": m, "n": n, "k": k}, {}, True
    for label, stem in (("family", f"gx_{n}_{k}"), ("fixed", f"g{m}_{n}_{k}")):
        if not (folder / f"{stem}.ptx").exists():
            continue
        c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
        kernel = Kernel(folder, stem)
        launch = kernel.on([a, b, c], dict.fromkeys(kernel.names, m))
        launch()
        wrong = float((c.float() - exact).norm() / exact.norm())
        record[f"{label} error"] = float(f"{wrong:.1e}")
        right &= wrong <= 1e-2
        launches[label] = launch
    launches["torch"] = lambda: torch.nn.functional.linear(a, b)
    launches["torch"]()
    times = {label: middle(all) for label, all in durations(launches, rounds).items()}
    record |= {f"{label} us": round(time, 2) for label, time in times.items()}
    record |= {f"{label}/family": round(time / times["family"], 3) for label, time in times.items() if label != "family"}
    return record, right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=51)
    options = parser.parse_args()
    # Sums in float32 are exact enough to compare with, in tf32 they are not.
    torch.backends.cuda.matmul.allow_tf32 = False
    print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__}), flush=True)
    right = True
    names = (path.stem.removeprefix("g").split("_") for path in options.folder.glob("g[0-9]*.ptx"))
    for n, k, m in sorted((int(n), int(k), int(m)) for m, n, k in names):
        record, verdict = measure(options.folder, m, n, k, options.rounds)
        right &= verdict
        print(json.dumps(record), flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
