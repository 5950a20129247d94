"""The queries of proofs.rs, decided by islpy in the paper's way: relations on flat coordinates.

    pip install islpy
    cargo bench -p layout-relation --bench islpy

runs it beside our own; alone, `python3 passes/relation/benches/proofs_islpy.py`. Times are of the processor, so that a busy machine
matters little.
"""

import os
import resource
import statistics
import time

import islpy as isl

# Seconds of the processor for one question.
LIMIT = 20


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
    """The median of a question's processor times, each in a process of its own that has its limit."""
    times = []
    for _ in range(runs):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))
            start = time.process_time_ns()
            answer = question()
            took = time.process_time_ns() - start
            os.write(writer, f"{took if answer else -1}".encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            text = answer.read()
        os.waitpid(child, 0)
        if not text:
            print(f"{name}\tmore than {LIMIT} s", flush=True)
            return
        assert int(text) >= 0, f"{name}: expected it to hold"
        times.append(int(text))
    print(f"{name}\t{statistics.median(times) / 1e6:.3f} ms", flush=True)


def equal_14_modes():
    (c, i), (d, j) = layout([2] * 14, [1 << k for k in range(14)]), layout([16384], [1])
    return c.apply_range(i).is_equal(d.apply_range(j))


def injective_24(shape, stride):
    return layout(shape, stride)[1].is_injective()


def involution(bits, base, shift):
    mapping = swizzle(bits, base, shift)
    return mapping.apply_range(mapping).is_equal(swizzle(0, bits + base, shift))


def bits_of(count):
    """A number's bits, the highest first: equation 11."""
    digits = [f"floor(c/{1 << count - 1})"] + [f"floor(c/{1 << count - 1 - j}) mod 2" for j in range(1, count)]
    return isl.Map(f"{{ [c] -> [{', '.join(digits)}] : 0 <= c < {1 << count} }}")


def tile():
    """128 threads by 128 values onto a swizzled tile: from natural coordinates to the bits of an offset."""
    index = layout([4, 8, 4, 2, 2, 16, 2], [2, 128, 4096, 1, 1024, 8, 2048])[1]
    # Ten of the offset's fourteen bits are the swizzle's; those above stay as they are.
    moved = swizzle(3, 4, 3)
    high = isl.Map("{ [a, b, c, d] -> [a, b, c, d] : 0 <= a, b, c, d <= 1 }")
    return index.apply_range(bits_of(14)).apply_range(high.flat_product(moved))


def tile_within():
    linear = isl.Map(f"{{ [{', '.join(f'b{j}' for j in range(14))}] -> [{' + '.join(f'{1 << 13 - j}*b{j}' for j in range(14))}] }}")
    return tile().apply_range(linear).range().is_subset(isl.Set("{ [i] : 0 <= i < 16384 }"))


if __name__ == "__main__":
    timed("14 modes equal their coalesced form", equal_14_modes)
    ones = ([2] * 24, [1 << k for k in range(24)])
    timed("24 modes are injective", lambda: injective_24(*ones))
    tangled = ([3, 2] * 12, [f * 10**k for k in range(12) for f in (2, 3)])
    timed("24 tangled modes are injective", lambda: injective_24(*tangled), 3)
    timed("128 threads by 128 values are apart", lambda: tile().is_injective(), 3)
    timed("128 threads by 128 values are inside", tile_within, 3)
    for parameters in [(2, 0, 3), (3, 4, 3), (3, 4, 4), (4, 4, 8), (8, 0, 8)]:
        timed(f"S<{','.join(map(str, parameters))}> is an involution", lambda: involution(*parameters))
