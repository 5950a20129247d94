"""Triton's kernels, in a file of their own: Triton reads their source."""

import triton
from triton import language


@triton.jit
def softmax(x, y, x_stride, y_stride, columns, BLOCK: language.constexpr):
    row = language.program_id(0)
    offsets = language.arange(0, BLOCK)
    mask = offsets < columns
    values = language.load(x + row * x_stride + offsets, mask=mask, other=float("-inf")).to(language.float32)
    values = language.exp(values - language.max(values, 0))
    language.store(y + row * y_stride + offsets, (values / language.sum(values, 0)).to(language.bfloat16), mask=mask)
