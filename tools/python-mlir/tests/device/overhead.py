"""Time of a call on the host, with tensors of PyTorch: ours, and Triton's in the same run.

A batch is 100 calls after each other, with the device idle before it, so that no call waits for the queue; a time is a batch's over 100. Candidates
alternate, and a figure is the median of 51 batches.
"""

import statistics
import time

import torch

CALLS, BATCHES = 100, 51


def measure(candidates):
    """The median time of a call in µs, and the least, for each of the functions."""
    times = {name: [] for name in candidates}
    for call in candidates.values():
        for _ in range(20):
            call()
    for _ in range(BATCHES):
        for name, call in candidates.items():
            torch.cuda.synchronize()
            start = time.perf_counter_ns()
            for _ in range(CALLS):
                call()
            times[name].append((time.perf_counter_ns() - start) / CALLS / 1e3)
    torch.cuda.synchronize()
    return {name: (statistics.median(own), min(own)) for name, own in times.items()}


def triton_softmax(x, y):
    """Triton's kernel for the same tensors, as a function without arguments; what went wrong where there is none."""
    try:
        import triton
        import triton_kernels

        grid = (x.shape[0],)
        kernel = triton_kernels.softmax
        call = lambda: kernel[grid](x, y, x.stride(0), y.stride(0), x.shape[1], BLOCK=4096, num_warps=8)
        call()
        torch.cuda.synchronize()
        torch.testing.assert_close(y, x.float().softmax(1).to(y.dtype), rtol=2e-2, atol=1e-5)
        return call, triton.__version__
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
