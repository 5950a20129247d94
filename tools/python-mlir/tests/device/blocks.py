"""Whole models as CUDA graphs on a GPU, beside torch.compile: python tests/device/blocks.py [--only PART] [--profile] LABEL=FOLDER…

A folder holds what layout-compile wrote, NAME.ptx and NAME.json. Each program is compared with the model in float32 (models.py), as PyTorch's own in bfloat16 is, whose
attention is scaled_dot_product_attention. Then all are captured, and batches of launches are timed interleaved: a line of JSON for each model, with medians in microseconds and ratios to
torch.compile. LAYOUT_RUNTIME is liblayout_runtime.so where that is not on the path. The exit code is 1 where a result is wrong.
"""

import argparse
import ctypes
import json
import math
import os
import pathlib
import re
import statistics
import sys

import torch
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import models


class Tensor(ctypes.Structure):
    """layout_tensor of layout_runtime.h."""
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t)]


RUNTIME = ctypes.CDLL(os.environ.get("LAYOUT_RUNTIME", "liblayout_runtime.so"))
RUNTIME.layout_last_error.restype = ctypes.c_char_p


def check(status):
    if status:
        raise RuntimeError(RUNTIME.layout_last_error().decode())


def described(tensors):
    all = (Tensor * len(tensors))()
    for one, tensor in zip(all, tensors):
        one.data, one.shape, one.rank = tensor.data_ptr(), (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.shape), tensor.dim()
    return all


class Program:
    """The function main of what layout-compile wrote."""

    def __init__(self, path, arguments, results):
        code, manifest = path.read_bytes() + b"\0", path.with_suffix(".json").read_bytes() + b"\0"
        self.executable, self.program = ctypes.c_void_p(), ctypes.c_void_p()
        check(RUNTIME.layout_executable_load(0, code, ctypes.c_size_t(len(code)), manifest, ctypes.byref(self.executable)))
        check(RUNTIME.layout_executable_program(self.executable, b"main", ctypes.byref(self.program)))
        self.given, self.results, self.kept = described(arguments), described(results), (arguments, results)
        self.counts = ctypes.c_size_t(len(arguments)), ctypes.c_size_t(len(results))

    def run(self):
        check(RUNTIME.layout_program_run(self.program, self.stream(), self.given, self.counts[0], self.results, self.counts[1]))

    def capture(self):
        graph = ctypes.c_void_p()
        check(RUNTIME.layout_program_capture(
            self.program, self.given, self.counts[0], self.results, self.counts[1], ctypes.byref(graph)))
        return lambda: check(RUNTIME.layout_graph_launch(graph, self.stream()))

    @staticmethod
    def stream():
        return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


def mlp(activate):
    def model(x, w1, b1, w2, b2):
        h = x @ w1 + b1
        if activate == "swiglu":
            gate, up = h.chunk(2, -1)
            return (functional.silu(gate) * up) @ w2 + b2
        return activate(h) @ w2 + b2

    return model


def gpt(x, g1, b1, wqkv, bqkv, wo, bo, g2, b2, w1, c1, w2, c2):
    batch, length, width = x.shape
    norm = lambda x, gain, bias: functional.layer_norm(x, (width,), gain, bias, 1e-5)
    qkv = norm(x, g1, b1) @ wqkv + bqkv
    q, k, v = (t.reshape(batch, length, 12, -1).transpose(1, 2) for t in qkv.chunk(3, -1))
    o = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + (o.transpose(1, 2).reshape(batch, length, width) @ wo + bo)
    return x + (functional.gelu(norm(x, g2, b2) @ w1 + c1, approximate="tanh") @ w2 + c2)


def heads(x, weight, count):
    return (x @ weight).reshape(x.shape[0], x.shape[1], count, 128).transpose(1, 2)


def feed_forward(x, norm, gate, up, down):
    h = models._rms_norm(x, norm)
    return x + (functional.silu(h @ gate) * (h @ up)) @ down


def merged(o):
    return o.transpose(1, 2).reshape(o.shape[0], o.shape[2], -1)


def llama_prefill(x, norm1, wq, wk, wv, wo, *rest):
    h = models._rms_norm(x, norm1)
    at = torch.arange(x.shape[1], device=x.device)
    q, k, v = models._rope(heads(h, wq, 32), at), models._rope(heads(h, wk, 8), at), heads(h, wv, 8)
    o = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return feed_forward(x + merged(o) @ wo, *rest)


def llama_decode(x, k_cache, v_cache, position, norm1, wq, wk, wv, wo, *rest):
    h = models._rms_norm(x, norm1)
    at = position[None]
    q, k, v = models._rope(heads(h, wq, 32), at), models._rope(heads(h, wk, 8), at), heads(h, wv, 8)
    k_cache, v_cache = k_cache.index_copy(2, at, k), v_cache.index_copy(2, at, v)
    seen = (torch.arange(k_cache.shape[2], device=x.device) <= position)[None, None, None]
    o = functional.scaled_dot_product_attention(q, k_cache, v_cache, attn_mask=seen, enable_gqa=True)
    return feed_forward(x + merged(o) @ wo, *rest), k_cache, v_cache


def moe(x, router, w1, w2):
    p = (x @ router).float().softmax(-1)
    experts = p.shape[1]
    first = functional.one_hot(p.argmax(-1), experts).float()
    second = functional.one_hot((p * (1 - first)).argmax(-1), experts).float()
    g1, g2 = (p * first).sum(-1), (p * second).sum(-1)
    gate = (first * g1[:, None] + second * g2[:, None]) / (g1 + g2)[:, None]
    h = functional.gelu(x[None] @ w1, approximate="tanh") * gate.t()[:, :, None]
    tokens, width = x.shape
    return h.to(x.dtype).permute(1, 0, 2).reshape(tokens, -1) @ w2.reshape(-1, width)


def residual(stride, channels_last):
    def model(x, w1, s1, b1, w2, s2, b2, *projection):
        first = lambda t: t.permute(0, 3, 1, 2) if channels_last else t
        convolution = lambda x, w, stride, padding: functional.conv2d(
            x, w.permute(3, 2, 0, 1) if channels_last else w, stride=stride, padding=padding)
        scaled = lambda y, scale, bias: y * scale.reshape(-1, 1, 1) + bias.reshape(-1, 1, 1)
        x = first(x)
        h = torch.relu(scaled(convolution(x, w1, stride, 1), s1, b1))
        y = scaled(convolution(h, w2, 1, 1), s2, b2)
        if projection:
            x = scaled(convolution(x, projection[0], stride, 0), *projection[1:])
        y = torch.relu(y + x)
        return y.permute(0, 2, 3, 1) if channels_last else y

    return model


def decode_arguments(batch):
    caches = [models._input(batch, 8, 2048, 128)] * 2
    return [models._input(batch, 1, 4096), *caches, 1500, *models._llama_weights()]


def prefill_arguments(length):
    return [models._input(1, length, 4096), *models._llama_weights()]


GELU = lambda x: functional.gelu(x, approximate="tanh")
PREFILL, DECODE, GPT = (models._llama_prefill, llama_prefill), (models._llama_decode, llama_decode), (models._gpt, gpt)
SWIGLU, GELUS = (models._mlp("swiglu"), mlp("swiglu")), (models._mlp(GELU), mlp(GELU))
RELU = models._mlp(torch.relu), mlp(torch.relu)

#: Measurements: the file, the model in float32 and PyTorch's own, and the arguments.
ALL = {
    "GPT block, 2 x 128": ("gpt_block_bf16", GPT, models._gpt_arguments(128)),
    "GPT block, 2 x 128, dynamic": ("gpt_block_bf16_dyn_seq", GPT, models._gpt_arguments(128)),
    "Llama prefill 512": ("llama_prefill_bf16", PREFILL, prefill_arguments(512)),
    "Llama prefill 512, dynamic": ("llama_prefill_bf16_dyn_seq", PREFILL, prefill_arguments(512)),
    "Llama prefill 2048": ("llama_prefill_2048_bf16", PREFILL, prefill_arguments(2048)),
    "Llama prefill 2048, dynamic": ("llama_prefill_bf16_dyn_seq", PREFILL, prefill_arguments(2048)),
    "Llama decode 8": ("llama_decode_bf16", DECODE, decode_arguments(8)),
    "Llama decode 8, dynamic": ("llama_decode_bf16_dyn_batch", DECODE, decode_arguments(8)),
    "MLP SwiGLU 512": ("mlp_swiglu_bf16", SWIGLU, models._mlp_arguments(512, 8192)),
    "MLP SwiGLU 512, dynamic": ("mlp_swiglu_bf16_dyn_tokens", SWIGLU, models._mlp_arguments(512, 8192)),
    "MLP GELU 512": ("mlp_gelu_bf16", GELUS, models._mlp_arguments(512)),
    "MLP GELU 512, dynamic": ("mlp_gelu_bf16_dyn_tokens", GELUS, models._mlp_arguments(512)),
    "MLP ReLU 512": ("mlp_relu_bf16", RELU, models._mlp_arguments(512)),
    "MLP ReLU 512, dynamic": ("mlp_relu_bf16_dyn_tokens", RELU, models._mlp_arguments(512)),
    "ResNet block, NHWC": (
        "resnet_block_s1_nhwc_bf16", (models._resnet(1, True), residual(1, True)), models._resnet_arguments(1, True, 64)),
    "ResNet block, NCHW, stride 2": (
        "resnet_block_s2_nchw_bf16", (models._resnet(2, False), residual(2, False)), models._resnet_arguments(2, False, 128)),
    "ResNet block, NHWC, dynamic": (
        "resnet_block_s1_nhwc_bf16_dyn_batch", (models._resnet(1, True), residual(1, True)), models._resnet_arguments(1, True, 64)),
    "ResNet block, NCHW, stride 2, dynamic": (
        "resnet_block_s2_nchw_bf16_dyn_batch", (models._resnet(2, False), residual(2, False)), models._resnet_arguments(2, False, 128)),
    "MoE 256": ("moe_dense_bf16", (models._moe, moe), models.ALL["moe_dense_bf16"][1]),
}


def error(found, exact):
    worst = 0.0
    for one, other in zip(found, exact):
        one, other = one.double(), other.double()
        difference = float((one - other).norm() / other.norm())
        worst = max(worst, difference if math.isfinite(difference) else math.inf)
    return worst


def tuple_of(value):
    return value if isinstance(value, tuple) else (value,)


def timed(launches, rounds, batch):
    """The median time of a launch of each, in batches that alternate."""
    times = {name: [] for name in launches}
    for turn in range(rounds + 2):
        for name, launch in launches.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(batch):
                launch()
            end.record()
            end.synchronize()
            if turn >= 2:
                times[name].append(start.elapsed_time(end) * 1000 / batch)
    return {name: statistics.median(all) for name, all in times.items()}


def kernels(run, rounds=10):
    """The mean time of each kernel of a run, in the order of the first run."""
    run()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(rounds):
            run()
        torch.cuda.synchronize()
    found = sorted((one for one in profile.events() if one.device_time > 0), key=lambda one: one.time_range.start)
    means = {}
    for one in found:
        means.setdefault(one.name[:60], []).append(one.device_time)
    return {name: [len(all) // rounds, round(sum(all) / rounds, 2)] for name, all in means.items()}


def measure(name, folders, options):
    stem, (exact, own), specification = ALL[name]
    torch.manual_seed(1)
    arguments = models.arguments(specification, torch.bfloat16)
    expected = tuple_of(exact(*arguments))
    record, launches, programs, verdict = {"model": name}, {}, [], True
    for label, folder in folders.items():
        path = folder / f"{stem}.ptx"
        if not path.exists():
            continue
        try:
            results = [torch.full_like(one, float("nan")) for one in expected]
            program = Program(path, arguments, results)
            programs.append(program)
            program.run()
            torch.cuda.synchronize()
            record[f"{label} error"] = round(error(results, expected), 5)
            for one in results:
                one.fill_(float("nan"))
            launch = program.capture()
            for _ in range(3):
                launch()
            torch.cuda.synchronize()
            again = error(results, expected)
            verdict &= record[f"{label} error"] <= 1e-2 and again <= 1e-2
            launches[label] = launch
            if options.profile:
                record[f"{label} kernels"] = kernels(program.run)
        except Exception as failure:
            record[f"{label} failure"], verdict = str(failure)[:300], False
    if not launches:
        return None, True
    if not options.ours:
        compiled = torch.compile(own)
        for _ in range(3):
            found = tuple_of(compiled(*arguments))
        record["PyTorch error"] = round(error(found, expected), 5)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = compiled(*arguments)
        launches["torch.compile"] = graph.replay
        if options.profile:
            record["torch.compile kernels"] = kernels(lambda: compiled(*arguments))
        del kept
    del expected
    times = timed(launches, options.rounds, 10)
    record.update({f"{label} us": round(time, 2) for label, time in times.items()})
    peer = times.get("torch.compile")
    if peer:
        record.update({f"{label} ratio": round(time / peer, 3) for label, time in times.items() if label != "torch.compile"})
    return record, verdict


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", metavar="LABEL=FOLDER")
    parser.add_argument("--only", default="", help="models whose names this regular expression finds")
    parser.add_argument("--profile", action="store_true", help="the time of each kernel, outside a graph")
    parser.add_argument("--ours", action="store_true", help="without PyTorch beside it")
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    folders = {label: pathlib.Path(folder) for label, folder in (one.split("=", 1) for one in options.folders)}
    # cuDNN times its algorithms, and takes the fastest.
    torch.backends.cudnn.benchmark = True
    print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__}), flush=True)
    right = True
    for name in (one for one in ALL if re.search(options.only, one)):
        record, verdict = measure(name, folders, options)
        right &= verdict
        if record:
            print(json.dumps(record), flush=True)
        torch._dynamo.reset()
        torch.cuda.empty_cache()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
