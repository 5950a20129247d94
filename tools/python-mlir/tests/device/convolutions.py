"""The convolutions of ResNet-50 in bf16, NHWC, beside cuDNN's (PyTorch, channels_last, cudnn.benchmark):

    python tests/device/convolutions.py write FOLDER [--images N]               the programs, for layout-compile FOLDER/NAME.mlir -o FOLDER/NAME.ptx
    python tests/device/convolutions.py run FOLDER [--images N] [--out FILE]    on a GPU: each is right, and its time

Both are CUDA graphs of the same calls, replayed interleaved, with filters as channels_last has them. One line of JSON for each; the last has the geometric mean
of our speed over cuDNN's, each shape counted as often as the network has it.
"""

import argparse
import json
import math
import pathlib

# Times in the network, size of the image, channels, filters, taps, stride, padding.
SHAPES = [
    (1, 224, 3, 64, 7, 2, 3),
    (1, 56, 64, 64, 1, 1, 0), (3, 56, 64, 64, 3, 1, 1), (4, 56, 64, 256, 1, 1, 0), (2, 56, 256, 64, 1, 1, 0),
    (1, 56, 256, 128, 1, 1, 0), (1, 56, 128, 128, 3, 2, 1), (4, 28, 128, 512, 1, 1, 0), (1, 56, 256, 512, 1, 2, 0),
    (3, 28, 512, 128, 1, 1, 0), (3, 28, 128, 128, 3, 1, 1),
    (1, 28, 512, 256, 1, 1, 0), (1, 28, 256, 256, 3, 2, 1), (6, 14, 256, 1024, 1, 1, 0), (1, 28, 512, 1024, 1, 2, 0),
    (5, 14, 1024, 256, 1, 1, 0), (5, 14, 256, 256, 3, 1, 1),
    (1, 14, 1024, 512, 1, 1, 0), (1, 14, 512, 512, 3, 2, 1), (3, 7, 512, 2048, 1, 1, 0), (1, 14, 1024, 2048, 1, 2, 0),
    (2, 7, 2048, 512, 1, 1, 0), (2, 7, 512, 512, 3, 1, 1),
]

#: Calls of a graph, and how often it is replayed.
CALLS, REPLAYS = 20, 41


def named(shape):
    _, size, channels, filters, taps, stride, _ = shape
    return f"conv_{size}_{channels}_{filters}_{taps}x{taps}_{stride}"


def program(shape, images):
    _, size, channels, filters, taps, stride, padding = shape
    out = (size + 2 * padding - taps) // stride + 1
    tensor = lambda element, *extents: f"tensor<{''.join(f'{extent}x' for extent in extents)}{element}>"
    x, w = tensor("bf16", images, size, size, channels), tensor("bf16", filters, taps, taps, channels)
    padded = tensor("bf16", images, size + 2 * padding, size + 2 * padding, channels)
    sums, y = (tensor(element, images, out, out, filters) for element in ("f32", "bf16"))
    identity = "affine_map<(n, h, w, f) -> (n, h, w, f)>"
    lines = ["%zero = arith.constant 0.0 : bf16", "%none = arith.constant 0.0 : f32"]
    read = "%x"
    if padding:
        read = "%padded"
        lines.append(f"%padded = tensor.pad %x low[0, {padding}, {padding}, 0] high[0, {padding}, {padding}, 0] {{\n  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
                     f"    tensor.yield %zero : bf16\n  }} : {x} to {padded}")
    lines += [
        f"%e = tensor.empty() : {sums}",
        f"%c = linalg.fill ins(%none : f32) outs(%e : {sums}) -> {sums}",
        f"%s = linalg.conv_2d_nhwc_fhwc {{dilations = dense<1> : tensor<2xi64>, strides = dense<{stride}> : tensor<2xi64>}} "
        f"ins({read}, %w : {padded}, {w}) outs(%c : {sums}) -> {sums}",
        f"%o = tensor.empty() : {y}",
        f'%y = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} '
        f"ins(%s : {sums}) outs(%o : {y}) {{\n  ^bb0(%a: f32, %b: bf16):\n    %r = arith.truncf %a : f32 to bf16\n    linalg.yield %r : bf16\n  }} -> {y}",
        f"return %y : {y}",
    ]
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n{body}\n}}\n"


def graph(call):
    import torch

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured, stream=stream):
        for _ in range(CALLS):
            call()
    return captured


def times(graphs):
    """The median time of a call of each, in microseconds."""
    import torch

    found = [[] for _ in graphs]
    for _ in range(REPLAYS):
        for own, one in zip(found, graphs):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            one.replay()
            end.record()
            end.synchronize()
            own.append(start.elapsed_time(end) * 1e3 / CALLS)
    return [sorted(own)[len(own) // 2] for own in found]


def run(folder, images):
    import torch
    from torch.nn import functional

    import layout_mlir

    torch.backends.cudnn.benchmark = True
    records, logarithms, wrong = [], 0.0, 0
    for shape in SHAPES:
        count, size, channels, filters, taps, stride, padding = shape
        torch.manual_seed(1)
        x = torch.randn(images, size, size, channels, device="cuda").bfloat16()
        w = (torch.randn(filters, taps, taps, channels, device="cuda") / math.sqrt(taps * taps * channels)).bfloat16()
        seen = [one.permute(0, 3, 1, 2) for one in (x, w)]
        record = {"name": named(shape), "images": images, "count": count}
        try:
            module = layout_mlir.load(folder / f"{named(shape)}.ptx")
            exact = functional.conv2d(*(one.double() for one in seen), stride=stride, padding=padding).permute(0, 2, 3, 1)
            out = torch.full(exact.shape, float("nan"), device="cuda", dtype=torch.bfloat16)
            module(x, w, out=out)
            record["error"] = float((out.double() - exact).norm() / exact.norm())
            record["verdict"] = "passed" if record["error"] <= 4e-3 else "failed"
            cudnn = functional.conv2d(*seen, stride=stride, padding=padding)
            record["error_cudnn"] = float((cudnn.permute(0, 2, 3, 1).double() - exact).norm() / exact.norm())
            del exact
            ours, theirs = times([graph(lambda: module(x, w, out=out)), graph(lambda: functional.conv2d(*seen, stride=stride, padding=padding))])
            flops = 2 * out.numel() * taps * taps * channels
            record |= {"us": round(ours, 2), "us_cudnn": round(theirs, 2), "ratio": round(theirs / ours, 3), "tflops": round(flops / ours / 1e6, 1), "kernels": len(module.kernels)}
            logarithms += count * math.log(theirs / ours)
        except Exception as error:
            record |= {"verdict": "failed", "error": f"{type(error).__name__}: {error}"}
        wrong += record["verdict"] != "passed"
        records.append(record)
        print(json.dumps(record), flush=True)
    total = sum(shape[0] for shape in SHAPES)
    records.append({"name": "geometric mean", "images": images, "ratio": round(math.exp(logarithms / total), 3), "device": torch.cuda.get_device_name(), "torch": torch.__version__,
                    "cudnn": torch.backends.cudnn.version(), "failed": wrong})
    print(json.dumps(records[-1]), flush=True)
    return records


def main():
    options = argparse.ArgumentParser()
    options.add_argument("verb", choices=["write", "run"])
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--images", type=int, default=32)
    options.add_argument("--out")
    options = options.parse_args()
    if options.verb == "write":
        options.folder.mkdir(parents=True, exist_ok=True)
        for shape in SHAPES:
            (options.folder / f"{named(shape)}.mlir").write_text(program(shape, options.images))
        return 0
    records = run(options.folder, options.images)
    if options.out:
        pathlib.Path(options.out).write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return 1 if records[-1]["failed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
