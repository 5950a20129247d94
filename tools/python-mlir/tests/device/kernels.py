"""The kernels of lowering/kernels through the package, and what PyTorch makes of the same tensors.

Each function takes the kernel, and gives its result and PyTorch's, and the relative error that is allowed: the norm of the difference over that of the
expected result. Inputs are random and of fixed seed.
"""

import torch
from torch.nn import functional

DEVICE = "cuda"
BF16 = 1e-2
EXACT = 0.0


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device=DEVICE).to(dtype)


def softmax(kernel):
    x = random(1000, 4096)
    return kernel(x), x.float().softmax(1), BF16


def layer_norm(kernel):
    x, weight, bias = random(999, 1024), random(1024), random(1024)
    return kernel(x, weight, bias), functional.layer_norm(x.float(), (1024,), weight.float(), bias.float()), BF16


layer_norm_rows = layer_norm


def rms_norm(kernel):
    x, weight = random(999, 4096), random(4096)
    return kernel(x, weight), functional.rms_norm(x.float(), (4096,), weight.float(), 1e-6), BF16


def reduction(kernel):
    x, out = random(100 * 8192 + 4099, dtype=torch.float32), torch.ones(1, device=DEVICE)
    kernel(x, out)
    return out, 1 + x.double().sum().reshape(1), 1e-4


def transpose(kernel):
    x = random(1001, 777, dtype=torch.float32)
    return kernel(x), x.t(), EXACT


def stencil(kernel):
    x = random(1001, 776, dtype=torch.float32)
    weight = torch.tensor([[0, 1, 0], [1, 0, 1], [0, 1, 0]], device=DEVICE, dtype=torch.float32) / 4
    expected = functional.conv2d(x[None, None].double(), weight[None, None].double(), padding=1)[0, 0]
    return kernel(x), expected, 1e-6


def permute(kernel):
    # Batch, token, head, element; the kernel has its coordinates from the fastest on.
    x = random(3, 1001, 12, 64)
    y = kernel(x.permute(3, 2, 1, 0))
    # Heads and tokens have changed places in memory.
    assert y.permute(3, 1, 2, 0).is_contiguous()
    return y, x.permute(3, 2, 1, 0), EXACT


def rotary(kernel):
    x = random(77, 40, 128)
    angle = torch.rand(77, 64, device=DEVICE) * 6
    cos, sin = angle.cos(), angle.sin()
    y = kernel(x.permute(2, 1, 0), cos.t(), sin.t()).permute(2, 1, 0)
    low, high = x.float()[..., :64], x.float()[..., 64:]
    cos, sin = cos[:, None], sin[:, None]
    return y, torch.cat([low * cos - high * sin, high * cos + low * sin], -1), BF16


def swiglu(kernel):
    gate, up = random(50 * 4096), random(50 * 4096)
    y = kernel(gate, up)
    return y.t().reshape(-1), functional.silu(gate.float()) * up.float(), BF16


def gemm(kernel):
    a, b = random(256, 128, dtype=torch.float16), random(256, 128, dtype=torch.float16)
    return kernel(a, b), a.double() @ b.double().t(), 1e-5


gemm_sm80 = gemm_sm90 = gemm


def _attention(kernel, heads, kv_heads, size, causal, has_batches=False, **sizes):
    q = random(heads, 4096, size)
    k, v = random(kv_heads, 4096, size), random(kv_heads, 4096, size)
    if has_batches:
        o = kernel(*(one[None].permute(2, 3, 1, 0) for one in (q, k, v)), **sizes).permute(3, 2, 0, 1)[0]
    else:
        o = kernel(*(one.permute(1, 2, 0) for one in (q, k, v)), **sizes).permute(2, 0, 1)
    shared = heads // kv_heads
    expected = []
    for head in range(heads):
        scores = q[head].float() @ k[head // shared].float().t() / size**0.5
        if causal:
            scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
        expected.append(scores.softmax(1) @ v[head // shared].float())
    return o, torch.stack(expected), BF16


def attention(kernel):
    return _attention(kernel, 32, 32, 64, False)


def attention_sm90(kernel):
    return _attention(kernel, 64, 16, 128, True, True, sizes={"causal": 1})


def attention_sm90_64(kernel):
    return _attention(kernel, 128, 128, 64, False, True, sizes={"causal": 0})


def attention_sm90_256(kernel):
    return _attention(kernel, 16, 8, 256, True, True, sizes={"causal": 1})


def _varlen(kernel, size):
    """Three sequences in one batch, the second of no queries: 16 heads of queries, 4 of keys, causal from the end."""
    starts = {"q": [0, 700, 700, 1229], "k": [0, 900, 1000, 1529]}
    q, k, v = random(1229, 16, size), random(1529, 4, size), random(1529, 4, size)
    bounds = [torch.tensor(starts[one], device=DEVICE, dtype=torch.int32) for one in "qk"]
    o = kernel(*(one.permute(0, 2, 1) for one in (q, k, v)), *bounds, sizes={"causal": 1}).permute(0, 2, 1)
    expected = []
    for i in range(3):
        (a, b), (c, d) = starts["q"][i : i + 2], starts["k"][i : i + 2]
        keys, values = (one[c:d].float().repeat_interleave(4, 1) for one in (k, v))
        scores = torch.einsum("qhd,khd->hqk", q[a:b].float(), keys) / size**0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1 + (d - c) - (b - a))
        weights = scores.masked_fill(later, float("-inf")).softmax(2)
        expected.append(torch.einsum("hqk,khd->qhd", weights, values))
    return o, torch.cat(expected), BF16


def attention_varlen_sm90(kernel):
    return _varlen(kernel, 128)


def attention_varlen_sm90_64(kernel):
    return _varlen(kernel, 64)


def attention_varlen_sm90_256(kernel):
    return _varlen(kernel, 256)


def _packed(kernel, tokens, leaves, along, scaled):
    """A GEMM of packed weights: `leaves` are the shape and stride of their bytes, of which the first `along` are those of K."""
    blocks = leaves[0][-1]
    rows = 256 * blocks
    x = random(tokens, 8192)
    memory = torch.randint(-128, 128, (1 + sum((n - 1) * d for n, d in zip(*leaves)),), device=DEVICE, dtype=torch.int8)
    w = memory.as_strided(*leaves)
    scale = random(blocks, 64, 256)
    y = random(rows, tokens, dtype=torch.float32)
    before = y.clone()
    kernel(x.t(), w, scale.permute(2, 1, 0), y.t())
    # Bytes by their place along K and their row, the first coordinate the fastest.
    order = [*reversed(range(along)), *reversed(range(along, len(leaves[0])))]
    number = scaled(w.permute(order).reshape(-1, rows), torch.arange(8192, device=DEVICE))
    scales = scale.float().permute(1, 0, 2).reshape(64, rows).repeat_interleave(128, 0)
    expected = before + (x.double() @ (number * scales).double()).t()
    return y, expected, 1e-5


def _halves(flat, k):
    """Numbers of 4 bits: the bytes of each eight have the even ones first."""
    place, half = k % 8 // 2, k % 2
    byte = flat[k // 8 * 4 + half * 2 + place // 2].int()
    return torch.where((place % 2 == 1)[:, None], byte >> 4, (byte << 28) >> 28)


def gemm_int4(kernel):
    leaves = ((16, 4, 16, 4, 8, 2, 2, 8, 3), (1, 16, 16384, 262144, 64, 512, 1024, 2048, 1048576))
    return _packed(kernel, 16, leaves, 4, _halves)


def gemm_int4_64(kernel):
    leaves = ((16, 4, 16, 4, 8, 2, 2, 2, 4, 3), (1, 16, 16384, 262144, 64, 512, 1024, 2048, 4096, 1048576))
    return _packed(kernel, 64, leaves, 4, _halves)


def gemm_int4_sm90(kernel):
    """Number 32 c + 8 p + 2 t + j of a row is in byte 16 t + 4 c + 2 j + p / 2."""
    blocks, k = 3, torch.arange(128, device=DEVICE)
    x, rows = random(64, 8192), 256 * blocks
    w = torch.randint(-128, 128, (blocks, 64, 256, 64), device=DEVICE, dtype=torch.int8)
    scale = random(blocks, 64, 256)
    y = random(rows, 64, dtype=torch.float32)
    before = y.clone()
    kernel(x, w.reshape(-1, 256).t(), scale.permute(2, 1, 0), y)
    place = k // 8 % 4
    byte = w[..., k % 8 // 2 * 16 + k // 32 * 4 + k % 2 * 2 + place // 2].int()
    number = torch.where(place % 2 == 1, byte >> 4, (byte << 28) >> 28)
    scaled = (number * scale.float()[..., None]).permute(0, 2, 1, 3).reshape(rows, 8192)
    return y, before + scaled.double() @ x.double().t(), 1e-5


def gemm_grouped_sm90(kernel):
    """Five experts, two of which have no rows."""
    starts = [0, 129, 129, 700, 700, 1001]
    x, w, y = random(1001, 448), random(5, 520, 448), random(1001, 520)
    first = torch.tensor(starts, device=DEVICE, dtype=torch.int32)
    kernel(x, w.permute(1, 2, 0), y, first)
    expected = [x[a:b].float() @ w[e].float().t() for e, (a, b) in enumerate(zip(starts, starts[1:]))]
    return y, torch.cat(expected), BF16


def gemm_int8(kernel):
    leaves = ((16, 2, 4, 16, 4, 8, 2, 2, 8, 3), (1, 16384, 16, 32768, 524288, 64, 512, 1024, 2048, 2097152))
    # In 4 numbers, the first and the third come before the others.
    return _packed(kernel, 16, leaves, 5, lambda flat, k: flat[k // 4 * 4 + k % 2 * 2 + k % 4 // 2].int())


def top_k(kernel):
    x = random(1001, 64)
    indices, weights = kernel(x.t())
    # The first of equal logits.
    order = x.float().sort(dim=1, descending=True, stable=True).indices[:, :2]
    assert torch.equal(indices.t().long(), order)
    return weights.t(), x.float().softmax(1).gather(1, order), 1e-5


def attention_decode(module):
    """Both kernels: the parts of a sequence, and their combination."""
    seqs, pages, context = 3, 200, 40
    q, k, v = random(seqs, 8, 8, 128), random(pages, 8, 16, 128), random(pages, 8, 16, 128)
    table = torch.randint(0, pages, (seqs, 8192), device=DEVICE, dtype=torch.int32)
    lengths = torch.tensor([1, 16 * context, 333], device=DEVICE, dtype=torch.int32)
    parts = torch.full((seqs, 16, 8, 8, 128), float("nan"), device=DEVICE)
    sums = torch.full((seqs, 16, 8, 8), float("nan"), device=DEVICE)
    o = torch.full((seqs, 8, 8, 128), float("nan"), device=DEVICE, dtype=torch.bfloat16)
    seen = parts.as_strided((2, 4, 128, 8, 16, seqs), (128, 256, 1, 1024, 8192, 131072))
    of_sums = sums.as_strided((2, 4, 8, 16, seqs), (1, 2, 8, 64, 1024))
    queries = q.as_strided((8, 2, 128, 8, seqs), (128, 0, 1, 1024, 8192))
    first = table.as_strided((context, seqs), (1, 8192))
    module.attention_decode(queries, k.permute(2, 3, 1, 0), v.permute(2, 3, 1, 0), first, lengths, seen, of_sums)
    module.attention_decode_combine(seen, of_sums, o.permute(2, 3, 1, 0))
    expected = []
    for seq, length in enumerate(lengths.tolist()):
        keys, values = (one[table[seq, :context].long()].float().permute(1, 0, 2, 3).reshape(8, -1, 128)[:, :length] for one in (k, v))
        scores = q[seq].float() @ keys.transpose(1, 2) / 128**0.5
        expected.append(scores.softmax(2) @ values)
    return o, torch.stack(expected), BF16


ALL = {
    name: globals()[name]
    for name in (
        "attention attention_decode attention_sm90 attention_sm90_64 attention_sm90_256 attention_varlen_sm90 attention_varlen_sm90_64 attention_varlen_sm90_256"
        " gemm_grouped_sm90 gemm_int4 gemm_int4_64 gemm_int4_sm90 gemm_int8 gemm_sm80 gemm_sm90 layer_norm layer_norm_rows permute reduction rms_norm rotary softmax stencil swiglu"
        " top_k transpose"
    ).split()
}
