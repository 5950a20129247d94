"""The exported models of the device run in PyTorch: arithmetic in float32, rounded to the model's type where the model rounds.

`ALL` has for a file its function and its arguments: a name, a shape and what it is scaled by for each. The sizes are the file's own, and of the sizes that a file leaves
open others than those of the static file.
"""

import math

import torch
from torch.nn import functional

#: The references run anywhere.
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

def _weight(*shape, fan_in=None):
    return shape, 1 / math.sqrt(fan_in or shape[-2]), 0.0


def _input(*shape):
    return shape, 1.0, 0.0


def _bias(*shape):
    return shape, 0.1, 0.0


def _gain(*shape):
    return shape, 0.1, 1.0


def arguments(specification, dtype):
    made = []
    for one in specification:
        if isinstance(one, int):
            made.append(torch.tensor(one, device=DEVICE, dtype=torch.int32))
            continue
        shape, scale, offset = one
        made.append((torch.randn(*shape, device=DEVICE) * scale + offset).to(dtype))
    return made


def _gelu(x):
    return functional.gelu(x, approximate="tanh")


def _layer_norm(x, gain, bias):
    return functional.layer_norm(x.float(), x.shape[-1:], gain.float(), bias.float(), 1e-5).to(x.dtype)


def _rms_norm(x, gain):
    wide = x.float()
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * gain


def _mm(a, b):
    """A contraction with float32 as its result."""
    return a.float() @ b.float()


def _mlp(activate):
    def model(x, w1, b1, w2, b2):
        h = _mm(x, w1) + b1.float()
        if activate == "swiglu":
            gate, up = h.chunk(2, -1)
            h = functional.silu(gate) * up
        else:
            h = activate(h)
        return (_mm(h.to(x.dtype), w2) + b2.float()).to(x.dtype)

    return model


def _mlp_arguments(tokens, width=4096):
    return [_input(tokens, 1024), _weight(1024, width), _bias(width), _weight(4096, 1024), _bias(1024)]


def _gpt(x, g1, b1, wqkv, bqkv, wo, bo, g2, b2, w1, c1, w2, c2):
    batch, length, width = x.shape
    heads, size = 12, width // 12
    qkv = (_mm(_layer_norm(x, g1, b1), wqkv) + bqkv.float()).to(x.dtype)
    q, k, v = (t.reshape(batch, length, heads, size).transpose(1, 2) for t in qkv.chunk(3, -1))
    scores = _mm(q, k.transpose(-1, -2)) / math.sqrt(size)
    scores = scores.masked_fill(torch.ones(length, length, device=DEVICE, dtype=torch.bool).triu(1), -1e30)
    o = _mm(scores.softmax(-1).to(x.dtype), v).to(x.dtype).transpose(1, 2).reshape(batch, length, width)
    x = (_mm(o, wo) + bo.float() + x.float()).to(x.dtype)
    h = _gelu(_mm(_layer_norm(x, g2, b2), w1) + c1.float()).to(x.dtype)
    return (_mm(h, w2) + c2.float() + x.float()).to(x.dtype)


def _gpt_arguments(length, d=768):
    return [
        *(_input(2, length, d), _gain(d), _bias(d), _weight(d, 3 * d), _bias(3 * d), _weight(d, d), _bias(d)),
        *(_gain(d), _bias(d), _weight(d, 4 * d), _bias(4 * d), _weight(4 * d, d), _bias(d)),
    ]


def _rope(x, position):
    half = x.shape[-1] // 2
    frequency = torch.exp(torch.arange(half, device=DEVICE) * (-math.log(500000.0) / half))
    angle = position.float()[:, None] * frequency
    cos, sin = torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)
    wide = x.float()
    low, high = wide.chunk(2, -1)
    return (wide * cos + torch.cat([-high, low], -1) * sin).to(x.dtype)


def _heads(x, weight, count):
    batch, length, _ = x.shape
    return _mm(x, weight).to(x.dtype).reshape(batch, length, count, 128).transpose(1, 2)


def _feed_forward(x, norm, gate, up, down):
    h = _rms_norm(x, norm)
    h = (functional.silu(_mm(h, gate)) * _mm(h, up)).to(x.dtype)
    return x + _mm(h, down).to(x.dtype)


def _grouped(q, k, v, mask):
    batch, heads, length, size = q.shape
    k, v = (t.repeat_interleave(heads // t.shape[1], 1) for t in (k, v))
    scores = (_mm(q, k.transpose(-1, -2)) / math.sqrt(size)).masked_fill(~mask, -1e30)
    return _mm(scores.softmax(-1).to(q.dtype), v).to(q.dtype).transpose(1, 2).reshape(batch, length, heads * size)


def _llama_prefill(x, norm1, wq, wk, wv, wo, *rest):
    length = x.shape[1]
    h = _rms_norm(x, norm1)
    position = torch.arange(length, device=DEVICE)
    q, k, v = _rope(_heads(h, wq, 32), position), _rope(_heads(h, wk, 8), position), _heads(h, wv, 8)
    o = _grouped(q, k, v, torch.ones(length, length, device=DEVICE, dtype=torch.bool).tril())
    return _feed_forward(x + _mm(o, wo).to(x.dtype), *rest)


def _llama_decode(x, k_cache, v_cache, position, norm1, wq, wk, wv, wo, *rest):
    h = _rms_norm(x, norm1)
    at = position[None]
    q, k, v = _rope(_heads(h, wq, 32), at), _rope(_heads(h, wk, 8), at), _heads(h, wv, 8)
    k_cache, v_cache = k_cache.clone(), v_cache.clone()
    k_cache[:, :, position], v_cache[:, :, position] = k[:, :, 0], v[:, :, 0]
    seen = torch.arange(k_cache.shape[2], device=DEVICE) <= position
    o = _grouped(q, k_cache, v_cache, seen[None])
    return _feed_forward(x + _mm(o, wo).to(x.dtype), *rest), k_cache, v_cache


def _llama_weights(d=4096, h=14336):
    return [
        *(_gain(d), _weight(d, 4096), _weight(d, 1024), _weight(d, 1024), _weight(4096, d)),
        *(_gain(d), _weight(d, h), _weight(d, h), _weight(h, d)),
    ]


def _moe(x, router, w1, w2):
    p = _mm(x, router).softmax(-1)
    experts = p.shape[1]
    first = functional.one_hot(p.argmax(-1), experts).float()
    second = functional.one_hot((p * (1 - first)).argmax(-1), experts).float()
    g1, g2 = (p * first).sum(-1), (p * second).sum(-1)
    gate = (first * g1[:, None] + second * g2[:, None]) / (g1 + g2)[:, None]
    h = (_gelu(_mm(x[None], w1)) * gate.t()[:, :, None]).to(x.dtype)
    return torch.einsum("eth,ehd->td", h.float(), w2.float()).to(x.dtype)


def _wide(x):
    return x if x.dtype == torch.float64 else x.float()


def _resnet(stride, channels_last):
    def model(x, w1, s1, b1, w2, s2, b2, *projection):
        def convolution(x, w, stride, padding):
            if channels_last:
                x, w = x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1)
            y = functional.conv2d(_wide(x), _wide(w), stride=stride, padding=padding)
            return y.permute(0, 2, 3, 1) if channels_last else y

        def scaled(y, scale, bias):
            shape = (-1,) if channels_last else (-1, 1, 1)
            return y * _wide(scale).reshape(shape) + _wide(bias).reshape(shape)

        h = scaled(convolution(x, w1, stride, 1), s1, b1).relu().to(x.dtype)
        y = scaled(convolution(h, w2, 1, 1), s2, b2)
        skipped = _wide(x)
        if projection:
            skipped = scaled(convolution(x, projection[0], stride, 0), *projection[1:])
        return (y + skipped).relu().to(x.dtype)

    return model


def _resnet_arguments(stride, channels_last, out):
    def kernel(size, inputs, outputs):
        shape = (size, size, inputs, outputs) if channels_last else (outputs, inputs, size, size)
        return _weight(*shape, fan_in=size * size * inputs)

    x = _input(8, 56, 56, 64) if channels_last else _input(8, 64, 56, 56)
    own = [x, kernel(3, 64, out), _gain(out), _bias(out), kernel(3, out, out), _gain(out), _bias(out)]
    return own + ([kernel(1, 64, out), _gain(out), _bias(out)] if stride != 1 else [])


def _convnext(x, depthwise, bias, gain, shift, w1, b1, w2, b2, scale):
    channels = x.shape[-1]
    h = functional.conv2d(
        x.float().permute(0, 3, 1, 2), depthwise.float().permute(3, 2, 0, 1), padding=3, groups=channels
    ).permute(0, 2, 3, 1)
    h = _layer_norm((h + bias.float()).to(x.dtype), gain, shift)
    h = _gelu(_mm(h, w1) + b1.float()).to(x.dtype)
    return ((_mm(h, w2) + b2.float()) * scale.float() + x.float()).to(x.dtype)


def _convnext_arguments(d=384):
    return [
        *(_input(4, 14, 14, d), _weight(7, 7, 1, d, fan_in=49), _bias(d), _gain(d), _bias(d)),
        *(_weight(d, 4 * d), _bias(4 * d), _weight(4 * d, d), _bias(d), _gain(d)),
    ]


ALL = {
    "convnext_block_bf16": (_convnext, _convnext_arguments()),
    "gpt_block_bf16": (_gpt, _gpt_arguments(128)),
    "gpt_block_bf16_dyn_seq": (_gpt, _gpt_arguments(77)),
    "gpt_block_bf16_generic": (_gpt, _gpt_arguments(128)),
    "llama_decode_bf16": (
        _llama_decode,
        [_input(8, 1, 4096), _input(8, 8, 2048, 128), _input(8, 8, 2048, 128), 1500, *_llama_weights()],
    ),
    "llama_prefill_bf16": (_llama_prefill, [_input(1, 512, 4096), *_llama_weights()]),
    "llama_prefill_bf16_dyn_seq": (_llama_prefill, [_input(1, 301, 4096), *_llama_weights()]),
    "mlp_gelu_bf16": (_mlp(_gelu), _mlp_arguments(512)),
    "mlp_gelu_bf16_dyn_tokens": (_mlp(_gelu), _mlp_arguments(77)),
    "mlp_relu_bf16": (_mlp(torch.relu), _mlp_arguments(512)),
    "mlp_swiglu_bf16": (_mlp("swiglu"), _mlp_arguments(512, 8192)),
    "moe_dense_bf16": (_moe, [_input(256, 1024), _weight(1024, 8), _weight(8, 1024, 2048), _weight(8, 2048, 1024)]),
    "resnet_block_s1_nhwc_bf16": (_resnet(1, True), _resnet_arguments(1, True, 64)),
    "resnet_block_s2_nchw_bf16": (_resnet(2, False), _resnet_arguments(2, False, 128)),
    "resnet_block_s2_nchw_f32_onnx": (_resnet(2, False), _resnet_arguments(2, False, 128)),
}
