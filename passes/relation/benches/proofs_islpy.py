"""The questions of proofs.rs, asked of islpy in the paper's way: relations of flat coordinates.

    pip install islpy
    python3 passes/relation/benches/proofs_islpy.py
"""

import statistics
import time

import islpy as isl


def layout(shape, stride):
    """The layout mapping, and the index mapping of natural coordinates, as in algorithm 1."""
    steps, size = [], 1
    for extent in shape:
        steps.append(size)
        size *= extent
    names = [f"c{i}" for i in range(len(shape))]
    last = len(shape) - 1
    digits = [
        f"c{i} = floor(c/{step})" if i == last else f"c{i} = floor((c mod {steps[i + 1]})/{step})"
        for i, step in enumerate(steps)
    ]
    bounds = " and ".join(f"0 <= {name} < {extent}" for name, extent in zip(names, shape))
    tuple_ = ", ".join(names)
    coordinates = isl.Map(f"{{ [c] -> [{tuple_}] : 0 <= c < {size} and {' and '.join(digits)} and {bounds} }}")
    offset = " + ".join(f"{factor}*{name}" for factor, name in zip(stride, names))
    index = isl.Map(f"{{ [{tuple_}] -> [{offset}] : {bounds} }}")
    return coordinates, index


def swizzle(bits, base, shift):
    """The swizzle on bits, the highest first."""
    count = bits + base + abs(shift)
    mask = ((1 << bits) - 1) << (base + max(shift, 0))
    names = [f"c{i}" for i in range(count)]
    results = []
    for j in range(count):
        source = j - shift
        swizzled = 0 <= source < count and mask >> (count - 1 - source) & 1
        results.append(f"(c{source} + c{j}) mod 2" if swizzled else f"c{j}")
    bounds = " and ".join(f"0 <= {name} <= 1" for name in names)
    return isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(results)}] : {bounds} }}")


def timed(name, question, runs=9):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        assert question()
        times.append(time.perf_counter() - start)
    print(f"{name:<52} {statistics.median(times) * 1e3:10.3f} ms")


def equal_14_modes():
    (c, i), (d, j) = layout([2] * 14, [1 << k for k in range(14)]), layout([16384], [1])
    return c.apply_range(i).is_equal(d.apply_range(j))


def injective_24(shape, stride):
    return layout(shape, stride)[1].is_injective()


def involution(bits, base, shift):
    mapping = swizzle(bits, base, shift)
    return mapping.apply_range(mapping).is_equal(swizzle(0, bits + base, shift))


if __name__ == "__main__":
    timed("equality, 14 modes and their coalesced form", equal_14_modes)
    ones = ([2] * 24, [1 << k for k in range(24)])
    timed("injectivity, 24 modes, natural coordinates", lambda: injective_24(*ones))
    # With 24 of these, as in proofs.rs, there was no answer after four minutes.
    tangled = ([3, 2] * 4, [f * 10**k for k in range(4) for f in (2, 3)])
    timed("injectivity, 8 tangled modes, natural coordinates", lambda: injective_24(*tangled), 3)
    for parameters in [(2, 0, 3), (3, 4, 3), (3, 4, 4), (4, 4, 8), (8, 0, 8)]:
        timed(f"involution of S<{','.join(map(str, parameters))}> on bits", lambda: involution(*parameters))
