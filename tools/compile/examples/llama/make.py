"""A Llama-like model as linalg on tensors: @prefill of a prompt, and @decode of one token with a cache.

    pip install jax==0.10.2 iree-base-compiler==3.13.0
    python make.py llama.mlir layers=2 d=256 heads=4 kv_heads=2 head_dim=64 hidden=512 vocab=1024 prompt=32 cache=64
    layout-compile llama.mlir -o llama.so

Both take embedded tokens and give the logits of the last one. Weights are arguments, so that the file holds none.
"""

import math
import re
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
from jax import lax

SMALL = dict(layers=2, d=256, heads=4, kv_heads=2, head_dim=64, hidden=512, vocab=1024, prompt=32, cache=64)
WEIGHTS = 9


def product(spec, a, b):
    return jnp.einsum(spec, a, b, preferred_element_type=jnp.float32)


def norm(x, gain):
    x = x.astype(jnp.float32)
    scale = lax.rsqrt((x * x).sum(-1, keepdims=True) / x.shape[-1] + 1e-5)
    return (x * scale).astype(jnp.bfloat16) * gain


def rotate(x, positions):
    """x[tokens, heads, head_dim] by the angles of their positions."""
    half = x.shape[-1] // 2
    frequency = jnp.exp(lax.broadcasted_iota(jnp.float32, (1, half), 1) * (-math.log(1e4) / half))
    angle = positions.astype(jnp.float32)[:, None] * frequency
    cos, sin = (jnp.concatenate([f(angle), f(angle)], -1)[:, None, :] for f in (jnp.cos, jnp.sin))
    wide = x.astype(jnp.float32)
    turned = jnp.concatenate([-wide[..., half:], wide[..., :half]], -1)
    return (wide * cos + turned * sin).astype(jnp.bfloat16)


def softmax(x):
    e = jnp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer(c, x, positions, weights, attend):
    """One layer on x[tokens, d]; `attend` has queries, keys and values, and gives what is attended to."""
    g1, wq, wk, wv, wo, g2, wg, wu, wd = weights
    tokens, half = x.shape[0], jnp.bfloat16
    split = lambda y, heads: y.astype(half).reshape(tokens, heads, c["head_dim"])
    h = norm(x, g1)
    q = rotate(split(product("td,de->te", h, wq), c["heads"]), positions)
    k = rotate(split(product("td,de->te", h, wk), c["kv_heads"]), positions)
    v = split(product("td,de->te", h, wv), c["kv_heads"])
    out, kept = attend(q, k, v)
    x = x + product("te,ed->td", out.reshape(tokens, -1), wo).astype(half)
    h = norm(x, g2)
    gate, up = product("td,dh->th", h, wg), product("td,dh->th", h, wu)
    act = (gate / (1.0 + jnp.exp(-gate)) * up).astype(half)
    return x + product("th,hd->td", act, wd).astype(half), kept


def attention(c, q, k, v, mask):
    """q[tokens, heads, e], k and v[kv_heads, positions, e]; mask[tokens, positions] says what is seen."""
    tokens, group = q.shape[0], c["heads"] // c["kv_heads"]
    q = q.reshape(tokens, c["kv_heads"], group, c["head_dim"])
    s = product("qkge,kse->kgqs", q, k) * (1.0 / math.sqrt(c["head_dim"]))
    p = softmax(lax.select(jnp.broadcast_to(mask, s.shape), s, jnp.full(s.shape, -1e30))).astype(jnp.bfloat16)
    return product("kgqs,kse->qkge", p, v).astype(jnp.bfloat16)


def logits(x, gain, head):
    return product("td,dv->tv", norm(x[-1:], gain), head)


def layers(weights):
    return [weights[i:i + WEIGHTS] for i in range(0, len(weights) - 2, WEIGHTS)]


def prefill(c):
    tokens = c["prompt"]

    def f(x, *weights):
        at = lax.broadcasted_iota(jnp.int32, (tokens,), 0)
        kept = []
        for own in layers(weights):
            def attend(q, k, v):
                k, v = k.transpose(1, 0, 2), v.transpose(1, 0, 2)
                return attention(c, q, k, v, at[:, None] >= at[None, :]), [k, v]
            x, cache = layer(c, x, at, own, attend)
            kept += cache
        return logits(x, *weights[-2:]), *kept
    return f, [(tokens, c["d"])]


def decode(c):
    cache = (c["kv_heads"], c["cache"], c["head_dim"])

    def f(x, position, *rest):
        caches, weights = rest[:2 * c["layers"]], rest[2 * c["layers"]:]
        t, kept = lax.broadcasted_iota(jnp.int32, (c["cache"],), 0), []
        for number, own in enumerate(layers(weights)):
            def attend(q, k, v):
                zero = jnp.zeros((), jnp.int32)
                place = (zero, position, zero)
                k = lax.dynamic_update_slice(caches[2 * number], k.transpose(1, 0, 2), place)
                v = lax.dynamic_update_slice(caches[2 * number + 1], v.transpose(1, 0, 2), place)
                return attention(c, q, k, v, (t <= position)[None, :]), [k, v]
            x, both = layer(c, x, position[None], own, attend)
            kept += both
        return logits(x, *weights[-2:]), *kept
    return f, [(1, c["d"]), ()] + [cache] * (2 * c["layers"])


def weight_shapes(c):
    d, q, kv, h = c["d"], c["heads"] * c["head_dim"], c["kv_heads"] * c["head_dim"], c["hidden"]
    one = [(d,), (d, q), (d, kv), (d, kv), (q, d), (d,), (d, h), (d, h), (h, d)]
    return one * c["layers"] + [(d,), (d, c["vocab"])]


def linalg(name, function, shapes):
    """The text of a function, in linalg."""
    of = lambda shape: jax.ShapeDtypeStruct(shape, jnp.int32 if shape == () else jnp.bfloat16)
    text = str(jax.jit(function).lower(*map(of, shapes)).compiler_ir("stablehlo"))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        command = ["iree-compile", "--iree-input-type=stablehlo", "--compile-to=input", file.name]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"\butil\.(func|return|call)\b", r"func.\1", text).replace("@main", f"@{name}")
    # The functions of both modules go into one.
    return text[text.index("{\n") + 2:text.rindex("}")]


def main(output, *sizes):
    c = {**SMALL, **{k: int(v) for k, v in (size.split("=") for size in sizes)}}
    with open(output, "w") as file:
        for name, build in (("prefill", prefill), ("decode", decode)):
            function, shapes = build(c)
            file.write(linalg(name, function, shapes + weight_shapes(c)))


if __name__ == "__main__":
    main(*sys.argv[1:])
