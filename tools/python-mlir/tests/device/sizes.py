"""The library's kernels that memory limits, at sizes from 1 KB up, beside torch.compile and a device copy, on a GPU:

    python tests/device/sizes.py [--only KERNELS] [--bytes LEAST,MOST] [--rounds N] LABEL=FOLDER…

A folder holds what `layout-translate lowering/kernels/NAME.mlir --pipeline --layout-to-ptx --manifest NAME.json -o NAME.ptx` wrote. Each kernel is compared with PyTorch's result at
each size. Then all are launched in random order, each after a write that flushes the L2 cache. A line of JSON for each kernel and size has the mean of the middle half of CUPTI's
durations, in microseconds (the clock's ticks are 32 ns), and the ratios to ours. `torch.compile` knows every size as a constant. The exit code is 1 where a result is wrong.
"""

import argparse
import ctypes
import json
import pathlib
import random
import re
import sys

import torch
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from blocks import RUNTIME, Program, check

KB, MB = 1 << 10, 1 << 20
FLUSHED = 128 * MB


class Kernel:
    """A kernel of the library on tensors, which it takes as they are in memory."""

    def __init__(self, folder, name):
        code, manifest = (folder / f"{name}.ptx").read_bytes() + b"\0", (folder / f"{name}.json").read_bytes() + b"\0"
        self.executable, self.kernel = ctypes.c_void_p(), ctypes.c_void_p()
        check(RUNTIME.layout_executable_load(0, code, ctypes.c_size_t(len(code)), manifest, ctypes.byref(self.executable)))
        check(RUNTIME.layout_executable_kernel(self.executable, name.encode(), ctypes.byref(self.kernel)))
        RUNTIME.layout_kernel_size_name.restype = ctypes.c_char_p
        RUNTIME.layout_kernel_size_count.restype = ctypes.c_size_t
        count = RUNTIME.layout_kernel_size_count(self.kernel)
        self.names = [RUNTIME.layout_kernel_size_name(self.kernel, ctypes.c_size_t(one)).decode() for one in range(count)]

    def on(self, tensors, sizes):
        pointers = (ctypes.c_void_p * len(tensors))(*(one.data_ptr() for one in tensors))
        values = (ctypes.c_int64 * len(self.names))(*(sizes[name] for name in self.names))
        counts = ctypes.c_size_t(len(tensors)), ctypes.c_size_t(len(self.names))
        return lambda: check(RUNTIME.layout_kernel_launch(self.kernel, Program.stream(), pointers, counts[0], values, counts[1]))


def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda").to(dtype)


def rows_of(width):
    return lambda size: max(1, size // (2 * width))


# Each gives, for a size in bytes: the arguments, the result, the sizes by name, PyTorch's function of the arguments, and the bytes that are read and written.

def softmax(size):
    rows = rows_of(4096)(size)
    x = normal(rows, 4096)
    return [x], torch.empty_like(x), {"rows": rows}, lambda x: x.softmax(1), 2 * 2 * x.numel()


def layer_norm(size):
    rows = rows_of(1024)(size)
    x, weight, bias = normal(rows, 1024), normal(1024), normal(1024)
    return [x, weight, bias], torch.empty_like(x), {"rows": rows}, lambda x, w, b: functional.layer_norm(x, (1024,), w, b), 2 * 2 * x.numel()


def rms_norm(size):
    rows = rows_of(4096)(size)
    x, weight = normal(rows, 4096), normal(4096)
    return [x, weight], torch.empty_like(x), {"rows": rows}, lambda x, w: functional.rms_norm(x, (4096,), w, 1e-6), 2 * 2 * x.numel()


def square(size):
    return 1 << ((size // 4).bit_length() // 2)


def transpose(size):
    n = square(size)
    x = normal(n, n, dtype=torch.float32)
    return [x], torch.empty_like(x), {"rows": n, "columns": n}, lambda x: x.t().contiguous(), 2 * 4 * x.numel()


def stencil(size):
    n = square(size)
    x = normal(n, n, dtype=torch.float32)

    def four(x):
        zero = functional.pad(x, (1, 1, 1, 1))
        return (zero[:-2, 1:-1] + zero[2:, 1:-1] + zero[1:-1, :-2] + zero[1:-1, 2:]) * 0.25

    return [x], torch.empty_like(x), {"rows": n, "columns": n}, four, 2 * 4 * x.numel()


def permute(size):
    elements = size // 2
    heads = 2 if elements < 4096 else 16
    tokens = elements // (64 * heads)
    batches = max(1, tokens // 4096)
    x = normal(batches, tokens // batches, heads, 64)
    sizes = {"heads": heads, "tokens": tokens // batches, "batches": batches}
    return [x], x.new_empty(batches, heads, tokens // batches, 64), sizes, lambda x: x.permute(0, 2, 1, 3).contiguous(), 2 * 2 * x.numel()


def rotary(size):
    heads = min(32, size // 256)
    tokens = size // (256 * heads)
    x = normal(tokens, heads, 128)
    angle = torch.rand(tokens, 64, device="cuda") * 6
    cos, sin = angle.cos(), angle.sin()

    def turned(x, cos, sin):
        low, high = x.float().chunk(2, -1)
        cos, sin = cos[:, None], sin[:, None]
        return torch.cat([low * cos - high * sin, high * cos + low * sin], -1).to(x.dtype)

    return [x, cos, sin], torch.empty_like(x), {"heads": heads, "tokens": tokens}, turned, 2 * 2 * x.numel() + 2 * 4 * cos.numel()


def reduction(size):
    x = normal(size // 4, dtype=torch.float32)
    return [x], torch.zeros(1, device="cuda"), {"n": x.numel()}, lambda x: x.sum(), 4 * x.numel()


ALL = {one.__name__: one for one in (softmax, layer_norm, rms_norm, transpose, stencil, permute, rotary, reduction)}
ALL["layer_norm_rows"] = layer_norm


def durations(launches, rounds):
    """Durations of the kernels of each launch, all in random order."""
    cold = torch.empty(FLUSHED, device="cuda", dtype=torch.uint8)
    order = [label for label in launches for _ in range(rounds)]
    random.Random(1).shuffle(order)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True) as profile:
        for label in order:
            cold.fill_(1)
            launches[label]()
        torch.cuda.synchronize()
    found, own = {label: [] for label in launches}, iter(order)
    events = (one for one in profile.events() if one.device_time > 0)
    label = None
    for event in sorted(events, key=lambda one: one.time_range.start):
        if "FillFunctor" in event.name:
            label = next(own)
            found[label].append(0.0)
        elif label:
            found[label][-1] += event.device_time
    return found


def middle(values):
    values = sorted(values)
    kept = values[len(values) // 4 : len(values) - len(values) // 4]
    return sum(kept) / len(kept)


def measure(name, size, folders, rounds):
    torch.manual_seed(1)
    arguments, result, sizes, own, moved = ALL[name](size)
    exact = own(*(one.double() for one in arguments)).reshape(result.shape)
    record, launches, right = {"kernel": name, "bytes": size}, {}, True
    for label, folder in folders.items():
        if not (folder / f"{name}.ptx").exists():
            continue
        launch = Kernel(folder, name).on([*arguments, result], sizes)
        result.zero_() if name == "reduction" else result.fill_(float("nan"))
        launch()
        wrong = float((result.double() - exact).norm() / exact.norm())
        record[f"{label} error"] = float(f"{wrong:.1e}")
        right &= wrong <= 1e-2
        launches[label] = launch
    compiled = torch.compile(own, dynamic=False)
    for _ in range(3):
        compiled(*arguments)
    launches["torch"] = lambda: compiled(*arguments)
    # A copy of half of the bytes reads and writes as many as the kernel.
    source = torch.empty(max(moved // 2, 16), device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    launches["copy"] = lambda: target.copy_(source)
    for launch in launches.values():
        launch()
    times = {label: middle(all) for label, all in durations(launches, rounds).items()}
    record |= {f"{label} us": round(time, 3) for label, time in times.items()}
    for label in folders:
        if label in times:
            record |= {f"torch/{label}": round(times["torch"] / times[label], 3), f"copy/{label}": round(times["copy"] / times[label], 3)}
    torch._dynamo.reset()
    return record, right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", metavar="LABEL=FOLDER")
    parser.add_argument("--only", default="", help="kernels whose names this regular expression finds")
    parser.add_argument("--bytes", default=f"{KB},{256 * MB}", help="the least and the most bytes of the input")
    parser.add_argument("--rounds", type=int, default=201, help="launches up to 4 MB; a quarter of them beyond")
    options = parser.parse_args()
    folders = {label: pathlib.Path(folder) for label, folder in (one.split("=", 1) for one in options.folders)}
    least, most = (int(one) for one in options.bytes.split(","))
    print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__}), flush=True)
    right = True
    for name in (one for one in ALL if re.search(options.only, one)):
        size, done = KB, set()
        while size <= 256 * MB:
            # Rows are whole: several small sizes are one row.
            shape = tuple(tuple(one.shape) for one in ALL[name](size)[0]) if size <= MB else size
            if least <= size <= most and shape not in done:
                done.add(shape)
                record, verdict = measure(name, size, folders, options.rounds if size <= 4 * MB else options.rounds // 4)
                right &= verdict
                print(json.dumps(record), flush=True)
            size *= 4
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
