"""Drives the library of make.py's model token by token on a GPU, beside the same model in PyTorch, and compares the logits of each.

    layout-compile llama.mlir -o llama.so
    python run.py llama.so TOKENS layers=2 d=256 ...           the sizes that make.py was given

The first call prefills the cache with a prompt, each further one decodes a token: the greatest logit of ours is the next token of both.
PyTorch runs in bf16, and in float64, which both are compared with. A line for each token; exit code 1 where ours is further from float64
than 1.5 times PyTorch's bf16 is, in the norm over all tokens.
"""

import ctypes
import math
import os
import sys
import time

import torch

SMALL = dict(layers=2, d=256, heads=4, kv_heads=2, head_dim=64, hidden=512, vocab=1024, prompt=32, cache=64)


class Tensor(ctypes.Structure):
    """layout_tensor of layout_runtime.h."""
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t)]


class Library:
    """A library of layout-compile: its functions on tensors of PyTorch."""

    def __init__(self, path):
        self.runtime = ctypes.CDLL(os.environ.get("LAYOUT_RUNTIME", "liblayout_runtime.so"), mode=ctypes.RTLD_GLOBAL)
        self.runtime.layout_last_error.restype = ctypes.c_char_p
        self.code, self.executable = ctypes.CDLL(path), ctypes.c_void_p()
        name = os.path.basename(path).rsplit(".", 1)[0]
        self.check(getattr(self.code, name + "_load")(0, ctypes.byref(self.executable)))

    def check(self, status):
        if status:
            raise RuntimeError(self.runtime.layout_last_error().decode())

    @staticmethod
    def described(tensors):
        all = (Tensor * len(tensors))()
        for one, tensor in zip(all, tensors):
            shape = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.shape)
            one.data, one.shape, one.rank = tensor.data_ptr(), shape, tensor.dim()
        return all

    def run(self, name, arguments, results):
        given, outputs = self.described(arguments), self.described(results)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.check(getattr(self.code, name)(self.executable, stream, given, outputs))

    def graph(self, name, arguments, results):
        """A run of these tensors as a CUDA graph, as a function."""
        program, graph = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.runtime.layout_executable_program(self.executable, name.encode(), ctypes.byref(program)))
        given, outputs = self.described(arguments), self.described(results)
        count = ctypes.c_size_t
        self.check(self.runtime.layout_program_capture(
            program, given, count(len(arguments)), outputs, count(len(results)), ctypes.byref(graph)))
        return lambda: self.check(self.runtime.layout_graph_launch(
            graph, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)))


def random_weights(c, generator):
    d, q, kv, h = c["d"], c["heads"] * c["head_dim"], c["kv_heads"] * c["head_dim"], c["hidden"]
    one = [(d,), (d, q), (d, kv), (d, kv), (q, d), (d,), (d, h), (d, h), (h, d)]
    def make(shape):
        values = torch.randn(shape, generator=generator, device="cuda", dtype=torch.float32)
        return (1 + 0.1 * values if len(shape) == 1 else values / math.sqrt(shape[0])).to(torch.bfloat16)
    return [make(shape) for shape in one * c["layers"] + [(d,), (d, c["vocab"])]]


class Model:
    """The model in PyTorch, in a type."""

    def __init__(self, c, weights, dtype):
        self.c, self.dtype = c, dtype
        # The rotation and norms are in f32 in a bf16 model, as in ours.
        self.wide = torch.float64 if dtype == torch.float64 else torch.float32
        self.weights = [weight.to(dtype) for weight in weights]
        shape = (c["kv_heads"], c["cache"], c["head_dim"])
        self.keys, self.values = ([torch.zeros(shape, dtype=dtype, device="cuda") for _ in range(c["layers"])] for _ in "kv")

    def norm(self, x, gain):
        x = x.to(self.wide)
        return (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)).to(self.dtype) * gain

    def rotate(self, x, positions):
        half = self.c["head_dim"] // 2
        steps = torch.arange(half, device="cuda", dtype=self.wide)
        angle = positions.to(self.wide)[:, None] * torch.exp(steps * (-math.log(1e4) / half))
        cos, sin = (torch.cat([f(angle), f(angle)], -1)[:, None, :] for f in (torch.cos, torch.sin))
        wide = x.to(self.wide)
        return (wide * cos + torch.cat([-wide[..., half:], wide[..., :half]], -1) * sin).to(self.dtype)

    def __call__(self, x, start):
        c, tokens, end = self.c, x.shape[0], start + x.shape[0]
        x, at = x.to(self.dtype), torch.arange(start, end, device="cuda")
        mask = at[:, None] >= torch.arange(end, device="cuda")[None, :]
        for number in range(c["layers"]):
            g1, wq, wk, wv, wo, g2, wg, wu, wd = self.weights[9 * number:9 * number + 9]
            h = self.norm(x, g1)
            split = lambda y, heads: y.reshape(tokens, heads, c["head_dim"])
            q, k = self.rotate(split(h @ wq, c["heads"]), at), self.rotate(split(h @ wk, c["kv_heads"]), at)
            self.keys[number][:, start:end] = k.transpose(0, 1)
            self.values[number][:, start:end] = split(h @ wv, c["kv_heads"]).transpose(0, 1)
            out = torch.nn.functional.scaled_dot_product_attention(
                q.transpose(0, 1)[None], self.keys[number][None, :, :end], self.values[number][None, :, :end],
                attn_mask=mask, enable_gqa=True)
            x = x + out[0].transpose(0, 1).reshape(tokens, -1) @ wo
            h = self.norm(x, g2)
            x = x + (torch.nn.functional.silu(h @ wg) * (h @ wu)) @ wd
        return (self.norm(x[-1:], self.weights[-2]) @ self.weights[-1]).double()


def microseconds(function, repetitions=100):
    for _ in range(3):
        function()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repetitions):
        function()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / repetitions * 1e6


def main(path, count, *sizes):
    c = {**SMALL, **{k: int(v) for k, v in (size.split("=") for size in sizes)}}
    generator = torch.Generator("cuda").manual_seed(7)
    weights = random_weights(c, generator)
    embedding = torch.randn(c["vocab"], c["d"], generator=generator, device="cuda").to(torch.bfloat16)
    library, half, exact = Library(path), Model(c, weights, torch.bfloat16), Model(c, weights, torch.float64)
    new = lambda *shape: torch.zeros(shape, dtype=torch.bfloat16, device="cuda")
    logits = torch.zeros(1, c["vocab"], device="cuda")
    prompt = torch.randint(c["vocab"], (c["prompt"],), generator=generator, device="cuda")
    x = embedding[prompt].contiguous()
    kept = [new(c["kv_heads"], c["prompt"], c["head_dim"]) for _ in range(2 * c["layers"])]
    library.run("prefill", [x, *weights], [logits, *kept])
    # The cache goes back and forth between two places.
    places = [[new(c["kv_heads"], c["cache"], c["head_dim"]) for _ in kept] for _ in range(2)]
    for cache, rows in zip(places[0], kept):
        cache[:, :c["prompt"]] = rows
    token, position = new(1, c["d"]), torch.zeros((), dtype=torch.int32, device="cuda")
    turns = [library.graph("decode", [token, position, *places[i], *weights], [logits, *places[1 - i]]) for i in range(2)]
    ours = theirs = norm = 0.0
    with torch.no_grad():
        for step in range(int(count)):
            start = 0 if step == 0 else c["prompt"] + step - 1
            if step > 0:
                turns[(step - 1) % 2]()
            expected, other = exact(x, start), half(x, start)
            error, their = ((one - expected).norm().item() for one in (logits.double(), other))
            ours, theirs, norm = ours + error**2, theirs + their**2, norm + expected.norm().item()**2
            best = int(logits.argmax())
            size = expected.norm().item()
            print(f"token {step}: {best}, relative error {error / size:.2e}, PyTorch's {their / size:.2e}, "
                  f"{'the same' if best == int(expected.argmax()) else 'another'} token by float64", flush=True)
            x = embedding[best:best + 1].contiguous()
            token.copy_(x)
            position.fill_(c["prompt"] + step)
    ours, theirs = math.sqrt(ours / norm), math.sqrt(theirs / norm)
    print(f"all tokens: relative error {ours:.2e}, PyTorch's {theirs:.2e}")
    x = embedding[prompt].contiguous()
    prefill = library.graph("prefill", [x, *weights], [logits, *kept])
    print(f"prefill of {c['prompt']} tokens: {microseconds(prefill):.0f} us; decode: {microseconds(turns[0]):.0f} us")
    return 0 if ours <= 1.5 * theirs else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
