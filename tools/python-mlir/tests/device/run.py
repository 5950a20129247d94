"""The package on a GPU, beside PyTorch: python tests/device/run.py --kernels FOLDER --models FOLDER [--compiled FOLDER] [--out FILE]

Every kernel and every model is compiled, or loaded from the folder of what was compiled, called with tensors of PyTorch and compared with what PyTorch makes of them.
Then come streams, other protocols, operators of PyTorch under torch.compile, CUDA graphs, and the time of a call. One line for each; the exit code is 1 where one is wrong.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import re
import sys
import threading
import time
import traceback

import torch

import layout_mlir

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import kernels
import models
import overhead


ROOT = pathlib.Path(__file__).resolve().parents[4]


class Run:
    def __init__(self, options):
        self.options, self.records, self.failed = options, [], 0

    def module(self, path):
        compiled = self.options.compiled and pathlib.Path(self.options.compiled) / f"{path.stem}.ptx"
        if compiled and compiled.exists():
            return layout_mlir.load(compiled)
        return layout_mlir.compile(path, cache=False)

    def check(self, name, does):
        start = time.perf_counter()
        torch.manual_seed(1)
        try:
            record = {"name": name, "verdict": "passed", **(does() or {})}
        except Exception as error:
            record = {"name": name, "verdict": "failed", "error": f"{type(error).__name__}: {error}"}
            if not isinstance(error, layout_mlir.CompileError):
                traceback.print_exc()
        self.failed += record["verdict"] != "passed"
        record["seconds"] = round(time.perf_counter() - start, 3)
        self.records.append(record)
        print(json.dumps(record), flush=True)
        torch.cuda.empty_cache()


def compare(found, expected, allowed):
    """The norm of the difference over that of the expected result."""
    assert found.shape == expected.shape, f"expected the shape {tuple(expected.shape)}, found {tuple(found.shape)}"
    difference, expected = found.double() - expected.double(), expected.double()
    error = float(difference.norm() / expected.norm())
    verdict = "passed" if error <= allowed and bool(found.isfinite().all()) else "failed"
    return {"error": error, "allowed": allowed, "verdict": verdict}


def model(run, path):
    function, specification = models.ALL[path.stem]
    dtype = torch.float32 if "_f32" in path.stem else torch.bfloat16
    module = run.module(path)
    given = models.arguments(specification, dtype)
    found, expected = module(*given), function(*given)
    found, expected = (one if isinstance(one, tuple) else (one,) for one in (found, expected))
    assert len(found) == len(expected)
    allowed = {torch.float32: 1e-4, torch.bfloat16: 1e-2}[dtype]
    # Into memory of NaNs: every element is written.
    again = tuple(torch.full_like(one, float("nan")) for one in found)
    module(*given, out=again)
    for one, other, own in zip(found, expected, again):
        assert len({one.data_ptr(), other.data_ptr(), own.data_ptr()}) == 3
        assert compare(own, one, allowed)["verdict"] == "passed"
    worst = max((compare(*both, allowed) for both in zip(found, expected)), key=lambda one: one["error"])
    if dtype == torch.float32:
        exact = function(*(one.double() for one in given))
        worst["error_of_float64"] = compare(found[0], exact, allowed)["error"]
        worst["pytorch_of_float64"] = compare(expected[0], exact, allowed)["error"]
    equal = sum(int((one == other).sum()) for one, other in zip(found, expected))
    return {**worst, "equal": equal / sum(one.numel() for one in found), "kernels": len(module.kernels)}


class Interface:
    """A tensor's memory by __cuda_array_interface__ alone."""

    def __init__(self, tensor):
        self.tensor, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__


class Capsule:
    """A tensor's memory by __dlpack__ alone."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **keywords):
        return self.tensor.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def protocols(transpose):
    x = torch.randn(2048, 4096, device="cuda")
    for wrapped in (Interface(x), Capsule(x)):
        array = transpose(wrapped)
        assert isinstance(array, layout_mlir.Array), type(array)
        assert torch.equal(torch.from_dlpack(array), x.t())
        assert torch.equal(torch.as_tensor(array, device="cuda"), x.t())
        y = torch.empty(4096, 2048, device="cuda")
        assert transpose(wrapped, out=Interface(y)) is not None
        assert torch.equal(y, x.t())
    # The memory lives as long as the tensor that was made of it.
    kept = torch.from_dlpack(transpose(Capsule(x)))
    del array
    transpose(Capsule(torch.zeros_like(x)))
    assert torch.equal(kept, x.t())


def cupy(transpose):
    import cupy as cp

    x = cp.random.rand(2048, 4096, dtype=cp.float32)
    with cp.cuda.Stream() as stream:
        y = transpose(x, stream=stream)
        assert isinstance(y, cp.ndarray), type(y)
        stream.synchronize()
    assert bool((y == x.T).all())
    out = cp.empty((4096, 2048), cp.float32)
    transpose(x, out)
    assert bool((out == x.T).all())
    return {"cupy": cp.__version__}


def jax(transpose):
    import jax
    import jax.numpy as jnp

    x = jax.random.normal(jax.random.key(1), (2048, 4096), jnp.float32)
    y = transpose(x)
    assert isinstance(y, jax.Array), type(y)
    assert bool((y == x.T).all())
    return {"jax": jax.__version__}


def jax_calls(loaded, program):
    import jax
    import jax.numpy as jnp

    from layout_mlir.jax import wrap

    def key(number):
        return jax.random.key(number)

    def close(found, expected, allowed=1e-2):
        found, expected = (one.astype(jnp.float32) for one in (found, expected))
        error = float(jnp.linalg.norm((found - expected).ravel()) / jnp.linalg.norm(expected.ravel()))
        assert error <= allowed, error

    turn, softmax, rotate, add = (wrap(loaded[name]) for name in ("transpose", "softmax", "rotary", "reduction"))
    x = jax.random.normal(key(1), (2048, 4096), jnp.float32)
    assert bool((turn(x) == x.T).all())
    assert bool((jax.jit(lambda x: turn(x * 2) + 1)(x) == x.T * 2 + 1).all())
    for rows in (1, 33, 1000):
        y = jax.random.normal(key(rows), (rows, 4096)).astype(jnp.bfloat16)
        close(jax.jit(lambda y: softmax(y * 2))(y), jax.nn.softmax(y.astype(jnp.float32) * 2))
    # A layout whose first coordinate is the fastest: XLA turns memory to it.
    heads = jax.random.normal(key(2), (77, 32, 128)).astype(jnp.bfloat16)
    angle = jax.random.uniform(key(3), (77, 64)) * 6
    turned = jax.jit(lambda x, c, s: rotate(x.transpose(2, 1, 0), c.T, s.T).transpose(2, 1, 0))(heads, jnp.cos(angle), jnp.sin(angle))
    low, high = heads.astype(jnp.float32)[..., :64], heads.astype(jnp.float32)[..., 64:]
    c, s = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
    close(turned, jnp.concatenate([low * c - high * s, high * c + low * s], -1))
    # An array that is read and written comes back, and the array that was taken keeps its value.
    one, numbers = jnp.ones(1), jax.random.normal(key(4), (100 * 8192,))
    for call in (add, jax.jit(add)):
        close(call(numbers, one), 1 + numbers.sum()[None], 1e-3)
        assert float(one[0]) == 1
    given = [jax.dlpack.from_dlpack(one) for one in models.arguments(models.ALL["mlp_gelu_bf16_dyn_tokens"][1], torch.bfloat16)]
    layers = wrap(program)
    found = torch.from_dlpack(jax.jit(layers)(*given))
    expected = models.ALL["mlp_gelu_bf16_dyn_tokens"][0](*(torch.from_dlpack(one) for one in given))
    assert compare(found, expected, 1e-2)["verdict"] == "passed"
    try:
        softmax(x.T)
    except layout_mlir.OperandError as error:
        assert error.property == "shape"
    else:
        raise AssertionError("expected an error, found a launch")
    compiled, own = jax.jit(softmax), jax.jit(lambda x: jax.nn.softmax(x, 1))
    y = jax.random.normal(key(4), (4, 4096)).astype(jnp.bfloat16)
    found = overhead.measure({"jax.jit of the kernel": lambda: compiled(y), "jax.jit of jax.nn.softmax": lambda: own(y)})
    return {"jax": jax.__version__, "microseconds": {name: [round(one, 3) for one in both] for name, both in found.items()}}


def streams(softmax):
    x = torch.randn(20000, 4096, device="cuda", dtype=torch.bfloat16)
    expected = (x * 2 * 2).float().softmax(1)
    torch.cuda.synchronize()
    for give in (lambda stream: None, lambda stream: stream, lambda stream: stream.cuda_stream):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            # Without its order after this, the kernel would read what is not there yet.
            torch.cuda._sleep(20_000_000)
            z = x * 2 * 2
            y = softmax(z, stream=give(stream))
            assert not stream.query()
        stream.synchronize()
        assert compare(y, expected, 1e-2)["verdict"] == "passed"


def threads(softmax):
    wrong = []

    def work(seed):
        generator = torch.Generator("cuda").manual_seed(seed)
        with torch.cuda.stream(torch.cuda.Stream()):
            for rows in range(1, 200, 7):
                x = torch.randn(rows + seed, 4096, device="cuda", generator=generator).bfloat16()
                if compare(softmax(x), x.float().softmax(1), 1e-2)["verdict"] != "passed":
                    wrong.append((seed, rows))

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong, wrong


def errors(softmax):
    x = torch.randn(8, 4096, device="cuda", dtype=torch.bfloat16)
    unaligned = torch.empty(8 * 4096 + 1, device="cuda", dtype=torch.bfloat16)[1:].reshape(8, 4096)
    for operands, expected in (
        ((x.cpu(),), ("device", "memory of a CUDA device", "the CPU")),
        ((x.float(),), ("element type", "elements of bf16", "f32")),
        ((x.t(),), ("shape", "shape (rows,4096) at rows=4096", "(4096,8)")),
        ((x[:, ::2],), ("shape", "shape (rows,4096) at rows=8", "(8,2048)")),
        ((unaligned,), ("alignment", "an address at a multiple of 16 bytes", "an address 2 bytes past a multiple of 16")),
        ((x, x.cpu()), ("device", "memory of a CUDA device", "the CPU")),
    ):
        try:
            softmax(*operands)
        except layout_mlir.OperandError as error:
            assert (error.property, error.expected, error.found) == expected, error
        else:
            raise AssertionError(f"expected {expected}, found a launch")


def operators(run, softmax, program):
    from layout_mlir.torch import register

    op, mlp = register("layout_example::softmax", softmax), register("layout_example::mlp", program)
    given = models.arguments(models.ALL["mlp_gelu_bf16_dyn_tokens"][1], torch.bfloat16)

    def rows(x):
        return op(x * 2) + 1

    def layers(x, *weights):
        return mlp(torch.relu(x), *weights) * 2

    done = {}
    for backend in ("eager", "aot_eager", "inductor"):
        torch._dynamo.reset()
        counter = torch._dynamo.utils.counters
        counter.clear()
        try:
            compiled, layered = (torch.compile(one, backend=backend, fullgraph=True, dynamic=True) for one in (rows, layers))
            for count in (7, 64, 1000):
                x = torch.randn(count, 4096, device="cuda").bfloat16()
                assert compare(compiled(x), (x * 2).float().softmax(1) + 1, 1e-2)["verdict"] == "passed"
                own = (torch.randn(count, 1024, device="cuda").bfloat16(), *given[1:])
                expected = models.ALL["mlp_gelu_bf16_dyn_tokens"][0](torch.relu(own[0]), *own[1:]).float() * 2
                assert compare(layered(*own), expected, 1e-2)["verdict"] == "passed"
            done[backend] = f"{counter['stats']['unique_graphs']} graphs for 6 shapes"
        except Exception as error:
            # A machine without a C compiler has no inductor.
            if backend != "inductor":
                raise
            done[backend] = f"{type(error).__name__}: {error}"[:300]
    return done


def opcheck(softmax):
    from layout_mlir.torch import register

    op = register("layout_example::checked", softmax)
    x = torch.randn(5, 4096, device="cuda").bfloat16()
    return {"opcheck": torch.library.opcheck(op.default, (x,), test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))}


def graphs(softmax, program):
    given = models.arguments(models.ALL["mlp_gelu_bf16_dyn_tokens"][1], torch.bfloat16)
    x = torch.randn(64, 4096, device="cuda").bfloat16()
    softmax(x), program(*given)
    done = {}
    for name, call, data, reference in (
        ("kernel", lambda: softmax(x), x, lambda: x.float().softmax(1)),
        ("program", lambda: program(*given), given[0], lambda: models.ALL["mlp_gelu_bf16_dyn_tokens"][0](*given)),
    ):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = call()
        data.copy_(torch.randn_like(data))
        graph.replay()
        torch.cuda.synchronize()
        done[name] = compare(y, reference(), 1e-2)["verdict"]
        assert done[name] == "passed", name
    return done


def readme():
    """The example that needs a GPU, in the folder of the repository."""
    text = (ROOT / "tools/python-mlir/README.md").read_text()
    [block] = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "import torch" in block]
    os.chdir(ROOT)
    exec(compile(block, "README.md", "exec"), {})


def times(run, softmax, program):
    from layout_mlir.torch import register

    x = torch.randn(4, 4096, device="cuda").bfloat16()
    y = torch.empty_like(x)
    z = torch.empty_like(x)
    op = register("layout_example::timed", softmax)
    given = models.arguments(models.ALL["mlp_gelu_bf16_dyn_tokens"][1], torch.bfloat16)
    a, b = (torch.randn(512, 512, device="cuda").bfloat16() for _ in range(2))
    candidates = {
        "kernel into a tensor": lambda: softmax(x, y),
        "kernel, result allocated": lambda: softmax(x),
        "kernel as an operator of PyTorch": lambda: op(x),
        "program of several kernels, result allocated": lambda: program(*given),
        "torch.softmax(out=)": lambda: torch.softmax(x, 1, out=z),
        "torch.matmul": lambda: a @ b,
    }
    triton, version = overhead.triton_softmax(x, torch.empty_like(x))
    if triton:
        candidates["Triton's kernel into a tensor"] = triton
    matmul = run.module(pathlib.Path(__file__).resolve().parent / "matmul.mlir").matmul
    c = torch.empty(512, 512, device="cuda").bfloat16()
    matmul(a, b.t(), c)
    assert compare(c, a.double() @ b.double(), 1e-2)["verdict"] == "passed"
    candidates["matmul with tensor maps into a tensor"] = lambda: matmul(a, b.t(), c)
    turned = b.t()
    candidates["the same, of a view that is there"] = lambda: matmul(a, turned, c)
    found = overhead.measure(candidates)
    for name, (median, least) in found.items():
        print(f"{median:8.2f} µs  {least:8.2f} µs  {name}", flush=True)
    return {"triton": version, "microseconds": {name: [round(one, 3) for one in both] for name, both in found.items()}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--compiled")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    run = Run(options)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    driver = torch.cuda.get_device_name()
    print(f"{driver}, PyTorch {torch.__version__}, Python {platform.python_version()}, compiler: {layout_mlir.HAS_COMPILER}")
    loaded = {}
    for path in sorted(options.kernels.glob("*.mlir")):

        def kernel(path=path):
            module = run.module(path)
            functions = list(module.functions.values())
            loaded[path.stem] = functions[0] if len(functions) == 1 else module
            found, expected, allowed = kernels.ALL[path.stem](loaded[path.stem])
            return compare(found, expected, allowed)

        run.check(f"kernel {path.stem}", kernel)
    for path in sorted(options.models.glob("*.mlir")) if options.models else ():
        run.check(f"model {path.stem}", lambda path=path: model(run, path))
    softmax = loaded["softmax"]
    program = None
    if options.models:
        program = run.module(options.models / "mlp_gelu_bf16_dyn_tokens.mlir").main
    run.check("protocols", lambda: protocols(loaded["transpose"]))
    for name, own in (("cupy", lambda: cupy(loaded["transpose"])), ("jax", lambda: jax(loaded["transpose"]))):
        if importlib.util.find_spec(name):
            run.check(name, own)
    if importlib.util.find_spec("jax"):
        run.check("jax calls", lambda: jax_calls(loaded, program))
    run.check("streams", lambda: streams(softmax))
    run.check("threads", lambda: threads(softmax))
    run.check("errors", lambda: errors(softmax))
    run.check("operators", lambda: operators(run, softmax, program))
    run.check("opcheck", lambda: opcheck(softmax))
    run.check("graphs", lambda: graphs(softmax, program))
    if layout_mlir.HAS_COMPILER:
        run.check("README", readme)
    run.check("times", lambda: times(run, softmax, program))
    if options.out:
        options.out.write_text("".join(json.dumps(record) + "\n" for record in run.records))
    print(f"{len(run.records) - run.failed} passed, {run.failed} failed")
    sys.exit(run.failed != 0)


if __name__ == "__main__":
    main()
