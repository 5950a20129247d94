"""Generates random matmuls and runs them, as input that the compiler's authors did not choose.

    problems.py make FOLDER COUNT [SEED]       writes each problem
    problems.py host FOLDER COUNT [SEED]       has `layout-verify` follow small ones, and runs them on the CPU against float64
    problems.py compile FOLDER COUNT [SEED]    compiles each, for `layout-run check FOLDER`
    problems.py device FOLDER COUNT [SEED] [SANITIZED]
        compiles each, checks it on the GPU, and runs the four tools of compute-sanitizer over the smallest SANITIZED
    problems.py again FILE                     the smallest problem that is wrong as another is, which a run has written

Problem I of a seed is the same on every machine. Extents are of 1 to 1,024, with weight on 127, 128, 129 and multiples of 8; elements are of every
type that an atom multiplies. A matrix lies in memory in any order of its modes, which may be of several leaves, of blocks of any size; after each run
of elements there may be a gap of 1, 3, 8 or 64. Batches have gaps, or are one matrix. Accumulators have epilogues, whose operands have such layouts too. Schedules are
`auto` on every chip; some are given. Some problems are groups: several matmuls of one function, each with extents, orders, blocks and an epilogue of its
own.

A problem is right when its numbers are right, nothing outside of C was written, and nothing outside of operands was read into it. One that is refused
is wrong. Exits with 1 when any is wrong; says which.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# Imports leave nothing beside the sources.
sys.dont_write_bytecode = True

import shrink

# Most products of a problem, on a GPU and one thread at a time, and most elements that a matrix spans.
MOST_PRODUCTS = {"device": 3e8, "host": 6e5}
MOST_ELEMENTS = {"device": 1 << 23, "host": 1 << 17}
GAPS = [0, 0, 0, 1, 3, 8, 64]
BLOCKS = [2, 3, 4, 6, 7, 8, 8, 12, 14, 16, 16, 24, 28, 32, 48, 56, 64, 66, 124]
SIDES = [14, 28, 56]
# The elements of A and B, with those of C: most often the first, and every one that an epilogue may store.
NUMBERS = ["f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "i8"]
ELEMENTS = [
    ("bf16", ["bf16", "bf16", "bf16", "f32", "f32", *NUMBERS]),
    ("f16", ["f16", "f16", "f16", "f32", "f32", *NUMBERS]),
    ("f8E4M3FN", ["bf16", "bf16", "f32", "f32", *NUMBERS]),
    ("f8E5M2", ["bf16", "bf16", "f32", "f32", *NUMBERS]),
    ("i8", ["i32", "i32", "i32", "i8", *NUMBERS]),
    ("f32", ["f32", "f32", "f32", "f32", "f32", *NUMBERS]),
    ("f64", ["f64"]),
]
BYTES = {"f8E4M3FN": 1, "f8E5M2": 1, "i8": 1, "f16": 2, "bf16": 2, "f32": 4, "i32": 4, "f64": 8}
# Chips that schedules are chosen for: those whose kernels an H200 runs too, and all.
CHIPS = {
    "device": ["sm_90a"] * 8 + ["sm_90", "sm_89", "sm_89", "sm_87", "sm_86", "sm_80", "sm_80"],
    "host": ["sm_90a"] * 8 + ["sm_120a", "sm_120", "sm_100a", "sm_100", "sm_90", "sm_89", "sm_87", "sm_86", "sm_80", "sm_80"],
}
# Those without numbers of 8 bits with a point.
WITHOUT_F8 = ["sm_80", "sm_86", "sm_87"]
# Schedules that are given, by the chip.
GIVEN = {
    "sm_90a": [
        "tile = (64,64,{d}), warps = (4,1), stages = 3",
        "tile = (128,128,{d}), warps = (8,1), stages = 3",
        "tile = (64,64,{d}), warps = (4,1), stages = 3, swap_ab = true",
        "tile = (64,48,{d}), warps = (4,1), stages = 3, ping_pong = true",
    ],
    "sm_80": ["tile = (64,64,{d}), warps = (2,2), stages = 3", "tile = (112,128,{d}), warps = (1,4), stages = 2"],
}
TF32 = {"sm_90a": "tile = (64,64,32), warps = (4,1), stages = 3, mma = wgmma_m64n64k8_f32_tf32"}
TF32_OLD = "tile = (64,64,16), warps = (2,2), stages = 3, mma = mma_m16n8k8_f32_tf32"


class Mode:
    """A mode of a matrix: its extent, and the leaves that it may be taken apart into."""

    def __init__(self, leaves):
        self.leaves = leaves
        self.extent = 1
        for leaf in leaves:
            self.extent *= leaf

    def apart(self, dice, often):
        return self.leaves if len(self.leaves) > 1 and dice.random() < often else [self.extent]


def extent(dice, most):
    """An extent, with weight on what is next to tiles."""
    kind = dice.random()
    if kind < 0.3:
        value = dice.choice([127, 128, 129])
    elif kind < 0.6:
        value = 8 * dice.randint(1, 128)
    elif kind < 0.75:
        value = dice.randint(1, 1024)
    else:
        value = int(2 ** (10 * dice.random()))
    return max(1, min(value, most))


def mode(dice, most, blocked):
    """A mode; some have leaves."""
    if dice.random() >= blocked:
        return Mode([extent(dice, most)])
    if dice.random() < 0.25:
        side = dice.choice(SIDES)
        leaves = [side, side, dice.choice([1, 2, 3, 8])]
    else:
        block = dice.choice(BLOCKS) if dice.random() < 0.7 else dice.randint(2, 130)
        leaves = [block, dice.randint(1, max(1, 1024 // block))]
        if dice.random() < 0.3:
            leaves.append(dice.choice([2, 3, 9]))
    while len(leaves) > 1 and Mode(leaves).extent > most:
        leaves.pop() if leaves[-1] < 4 else leaves.append(leaves.pop() // 2)
    return Mode(leaves if Mode(leaves).extent <= most else [min(leaves[0], most)])


def view(dice, element, modes, batch, often, shared=False):
    """A view of a matrix, or of a batch, whose leaves lie in memory in some order, with gaps."""
    apart = [one.apart(dice, often) for one in modes]
    flat = [(number, place) for number, leaves in enumerate(apart) for place in range(len(leaves))]
    if len(flat) > 2 and dice.random() < 0.5:
        dice.shuffle(flat)
    elif dice.random() < 0.6:
        flat = [leaf for leaf in flat if leaf[0] == 1] + [leaf for leaf in flat if leaf[0] == 0]
    one = batch is not None and not shared and dice.random() < 0.15
    if batch is not None and not one:
        flat.insert(len(flat) if dice.random() < 0.85 else dice.randint(1, len(flat)), (2, 0))
    strides = {}
    # One in some has nothing that is contiguous.
    span = 1 if dice.random() < 0.97 else 2
    for number, place in flat:
        size = batch if number == 2 else apart[number][place]
        strides[number, place] = span
        span = span * size + dice.choice(GAPS)
    text = lambda values: str(values[0]) if len(values) == 1 else "(" + ",".join(str(value) for value in values) + ")"
    shape = [text(leaves) for leaves in apart]
    steps = [text([strides[number, place] for place in range(len(leaves))]) for number, leaves in enumerate(apart)]
    if batch is not None:
        shape, steps = [*shape, str(batch)], [*steps, str(0 if one else strides[2, 0])]
    return f"!layout.view<{element}, global, ({','.join(shape)}):({','.join(steps)})>", span


def broadcast(element, modes, batch, strides):
    """A view of a vector, or of one number, as large as C."""
    extents = [one.extent for one in modes]
    shape, steps = [str(value) for value in extents], [str(stride) for stride in strides]
    if batch is not None:
        shape, steps = [*shape, str(batch)], [*steps, "0"]
    return f"!layout.view<{element}, global, ({','.join(shape)}):({','.join(steps)})>"


def epilogue(dice, element, result, modes, batch, often, c):
    """Operands and operations of an epilogue: parameters, what the operation names, and its region."""
    number = "f64" if element == "f64" else "f32"
    kinds = ["f64"] if element == "f64" else ["f32", "f32", "bf16", "f16", *NUMBERS]
    operands, steps, last = [], [], "%sum"
    # Sums of integers are large.
    scale = {"f8E4M3FN": 0.25, "f8E5M2": 0.25, "i8": 0.1}.get(result, 1.0) * (0.015625 if element == "i8" else 1.0)
    if scale != 1.0:
        steps.append(f"%small = arith.constant {scale} : {number}")
        steps.append(f"%scaled = arith.mulf {last}, %small : {number}")
        last = "%scaled"
    for i in range(dice.choice([0, 1, 1, 2])):
        kind, of = dice.choice(["column", "row", "scalar", "matrix", "matrix", "result"]), dice.choice(kinds)
        if kind == "result" and "%c" not in [name for name, _ in operands]:
            operands.append(("%c", c))
            of = result
        else:
            if kind in ("matrix", "result"):
                text, _ = view(dice, of, modes, batch, often)
            else:
                text = broadcast(of, modes, batch, {"column": (0, 1), "row": (1, 0), "scalar": (0, 0)}[kind])
            operands.append((f"%x{i}", text))
        # Products with integers may be more than f16 holds.
        step = dice.choice(["addf", "addf", "subf"] + ["mulf"] * (of != "i8"))
        steps.append(f"%s{i} = arith.{step} {last}, %e{len(operands) - 1} : {number}")
        last = f"%s{i}"
    # Functions of f64 have no arithmetic.
    ends = ["maximumf", "maximumf", "select", "negf"] + ["none"] * (4 if steps else 0) + (["tanh", "absf"] if number == "f32" else [])
    end = dice.choice(ends)
    if end in ("maximumf", "select"):
        steps.append(f"%zero = arith.constant 0.0 : {number}")
    if end == "maximumf":
        steps.append(f"%top = arith.maximumf {last}, %zero : {number}")
    elif end == "select":
        # A value next to 0 on either side stays next to it.
        steps.append(f"%some = arith.constant 0.125 : {number}")
        steps.append(f"%less = arith.mulf {last}, %some : {number}")
        steps.append(f"%above = arith.cmpf ogt, {last}, %zero : {number}")
        steps.append(f"%top = arith.select %above, {last}, %less : {number}")
    elif end != "none":
        steps.append(f"%top = {'arith' if end == 'negf' else 'math'}.{end} {last} : {number}")
    last = last if end == "none" else "%top"
    names = ", ".join(name for name, _ in operands)
    elements = "".join(f", %e{i}: {number}" for i in range(len(operands)))
    body = "".join(f"    {step}\n" for step in [*steps, f"layout.yield {last} : {number}"])
    region = f" epilogue{f'({names})' if names else ''} {{\n  ^bb0(%sum: {number}{elements}):\n{body}  }}"
    parameters = "".join(f", {name}: {text}" for name, text in operands if name != "%c")
    return region, parameters, "".join(f", {text}" for _, text in operands)


def product(dice, element, result, where, most, kinds, name):
    """One more matmul of a group: its parameters, its operation but for the schedule, and its products; none where it is too large."""
    blocked, often = kinds
    m, n, k = (mode(dice, most, blocked) for _ in range(3))
    batch = dice.choice([None, None, None, 2, 3])
    products = m.extent * n.extent * k.extent * (batch or 1)
    a, span_a = view(dice, element, (m, k), batch, often)
    b, span_b = view(dice, element, (n, k), batch, often)
    c, span_c = view(dice, result, (m, n), batch, often, True)
    if max(span_a, span_b, span_c) > MOST_ELEMENTS[where]:
        return None
    region = parameters = types = ""
    needs = element == "i8" and result not in ("i8", "i32")
    if (needs or dice.random() < 0.4) and result != "i32":
        region, parameters, types = epilogue(dice, element, result, (m, n), batch, often, c)
    own = lambda text: re.sub(r"%(a|b|c|x[0-9])\b", rf"%{name}\1", text)
    operation = own("  layout.matmul %a, %b, %c schedule(#layout.schedule<SCHEDULE>)" + region + f"\n    : {a}, {b}, {c}{types}\n")
    return own(f"%a: {a}, %b: {b}, %c: {c}{parameters}"), operation, products


def group(dice, text, schedule, element, result, where, products):
    """A problem with more matmuls in its function, where they are not too large."""
    most = 257 if where == "device" else 72
    kinds = dice.choice([(0, 0), (0.5, 0.7), (0.9, 0.9)])
    for other in range(dice.choice([1, 1, 2, 3])):
        more = product(dice, element, result, where, most, kinds, f"g{other}")
        if more is None or products + more[2] > MOST_PRODUCTS[where]:
            continue
        parameters, operation, own = more
        text = text.replace(") {\n  layout.matmul", f", {parameters}) {{\n  layout.matmul", 1)
        text = text.replace("  return\n", operation.replace("SCHEDULE", schedule) + "  return\n")
        products += own
    return text, products


def problem(seed, number, where):
    """The text of a problem, its chip, and the products that it computes."""
    dice = shrink.dice(f"{seed}/{number}/{where}")
    while True:
        chip = dice.choice(CHIPS[where])
        element, results = dice.choice(ELEMENTS)
        if chip in WITHOUT_F8 and element.startswith("f8"):
            continue
        result = dice.choice(results)
        most = 1024 if where == "device" else 160
        blocked, often = dice.choice([(0, 0), (0.35, 0.6), (0.7, 0.8)])
        m, n, k = (mode(dice, most, blocked) for _ in range(3))
        batch = dice.choice([None, None, None, None, 1, 2, 3, 5]) if dice.random() < 0.7 else None
        if m.extent * n.extent * k.extent * (batch or 1) > MOST_PRODUCTS[where]:
            continue
        a, span_a = view(dice, element, (m, k), batch, often)
        b, span_b = view(dice, element, (n, k), batch, often)
        c, span_c = view(dice, result, (m, n), batch, often, True)
        if max(span_a, span_b, span_c) > MOST_ELEMENTS[where]:
            continue
        needs = element == "i8" and result not in ("i8", "i32")
        region = parameters = types = ""
        if (needs or dice.random() < 0.35) and result != "i32":
            region, parameters, types = epilogue(dice, element, result, (m, n), batch, often, c)
        schedule = "auto"
        draw = dice.random()
        old = "sm_90a" if chip == "sm_90a" else "sm_80"
        if draw < 0.1 and element not in ("f32", "f64"):
            depth = {1: 64, 2: 32}[BYTES[element]]
            schedule = dice.choice(GIVEN[old]).format(d=depth)
        elif draw < 0.3 and element == "f32":
            schedule = TF32.get(chip, TF32_OLD)
        text = (
            f"func.func @gemm(%a: {a}, %b: {b}, %c: {c}{parameters}) {{\n"
            f'  layout.matmul %a, %b, %c schedule(#layout.schedule<{schedule}, chip = "{chip}">){region}\n'
            f"    : {a}, {b}, {c}{types}\n  return\n}}\n"
        )
        if dice.random() < 0.06:
            # Memory that starts at multiples of a few bytes only.
            start = max(BYTES[element], BYTES[result], dice.choice([1, 2, 4, 8]))
            argument = dice.choice("abc")
            text = re.sub(rf"(%{argument}: [^%{{]*>)", rf"\1 {{llvm.align = {start} : i64}}", text, count=1)
        products = m.extent * n.extent * k.extent * (batch or 1)
        if schedule == "auto" and dice.random() < 0.2:
            text, products = group(dice, text, f'auto, chip = "{chip}"', element, result, where, products)
        return text, chip, products


def run(command, seconds):
    """The exit status of a command and what it says."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace")
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        output = "".join((text or b"").decode(errors="replace") for text in (late.stdout, late.stderr))
        return 124, f"{output}\nstopped after {seconds} s"


def names(folder, count, seed, where):
    """Writes the problems; their names, files and products."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        text, chip, products = problem(seed, number, where)
        source = folder / f"p{number:05}_{chip}.mlir"
        source.write_text(text)
        yield source, products


def compiled(source):
    """None when a problem was compiled, else what the compiler says."""
    ptx = source.with_suffix(".ptx")
    command = ["layout-translate", source, "--pipeline", "--layout-to-ptx", "--manifest", source.with_suffix(".json"), "-o", ptx]
    status, output = run(command, 120)
    return None if status == 0 else output


def on_host(source):
    """None when nothing of a problem's kernels is refuted, and their results on the CPU are right; else the message."""
    status, output = run(["layout-opt", source, "--layout-tile-matmul", "--layout-verify", "-o", os.devnull], 120)
    if status != 0:
        return output
    status, output = run(["layout-translate", source, "--pipeline", "--run-on-cpu"], 120)
    return None if status == 0 and ": right" in output else output


def workers():
    return len(os.sched_getaffinity(0))


def checked(sources):
    """The verdict of `layout-run check` on each; in one process as long as that goes well."""
    files = [source.with_suffix(".ptx") for source in sources]
    found = {}
    many = len(files) > 1
    status, output = run(["layout-run", "check", *files, "--seed", "11"], 30 + 5 * len(files) if many else 60)
    for source, ptx in zip(sources, files):
        own = [line for line in output.splitlines() if f"{ptx}: " in line] if many else [output]
        if any(": PASSED" in line for line in own):
            found[source] = None
        elif not many or any(": FAILED" in line for line in own):
            found[source] = output[-3000:] if not many else "\n".join(own)
        else:
            # The process ended before it, or for it: alone it says why.
            found.update(checked([source]))
    return found


def sanitized(tool, sources):
    """The report of a tool of compute-sanitizer on each, if it finds anything; of all in one process, where that is nothing."""
    files = [source.with_suffix(".ptx") for source in sources]
    command = ["compute-sanitizer", "--tool", tool, "--print-limit", "4", "--error-exitcode", "9"]
    status, output = run([*command, "layout-run", "check", *files, "--seed", "11"], 60 + 30 * len(files))
    if status == 0 and output.count("PASSED") == len(files):
        return dict.fromkeys(sources)
    if len(sources) == 1:
        return {sources[0]: output[-3000:]}
    found = {}
    for source in sources:
        found.update(sanitized(tool, [source]))
    return found


def chunks(sources, size):
    return [sources[i : i + size] for i in range(0, len(sources), size)]


def device(source):
    """None when a problem was compiled and is right on the GPU; else the message."""
    return compiled(source) or checked([source])[source]


# The check of one problem, by what was done with all.
CHECKS = {"host": on_host, "compile": compiled, "check": device}


def make_smaller(what, folder, seed, found):
    """Reduces some of the problems that are wrong, and prints them."""
    where = "host" if what == "host" else "device"

    def failure(problem):
        source = folder / "smaller.mlir"
        source.write_text(problem[0])
        return shrink.kind_of(CHECKS[what](source))

    for source in sorted(source for source, text in found.items() if text)[: shrink.PROGRAMS]:
        number = int(source.stem[1:6])
        shrink.report(sys.argv[0], folder, source.stem, [what], lambda: problem(seed, number, where), lambda one: one[0], failure)


def report(what, started, found, wrong):
    """Prints what is wrong, and how many are right; keeps that for the summary."""
    bad = {source.stem: text for source, text in found.items() if text is not None}
    for name, text in sorted(bad.items()):
        print(f"{what} {name}: {text}", flush=True)
    print(f"{what}: {len(found) - len(bad)} of {len(found)} problems are right; {time.time() - started:.0f} s", flush=True)
    wrong[what] = {"of": len(found), "right": len(found) - len(bad), "seconds": round(time.time() - started, 1), "wrong": bad}


def main():
    if sys.argv[1] == "again":
        ((what,), _), source = shrink.read(sys.argv[2]), pathlib.Path(sys.argv[2]).with_suffix(".mlir")
        found = CHECKS[what](source)
        print(f"{source.read_text()}{found or 'right'}")
        return 1 if found else 0
    verb, folder, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    seed = sys.argv[4] if len(sys.argv) > 4 else "1"
    where = "host" if verb == "host" else "device"
    all_of = list(names(folder, count, seed, where))
    sources = [source for source, _ in all_of]
    summary = {}
    with concurrent.futures.ThreadPoolExecutor(workers()) as pool:
        started = time.time()
        if verb == "make":
            return 0
        if verb == "host":
            found = dict(zip(sources, pool.map(on_host, sources)))
        else:
            found = dict(zip(sources, pool.map(compiled, sources)))
        what = "host" if verb == "host" else "compile"
        report(what, started, found, summary)
        make_smaller(what, folder, seed, found)
        if verb == "device":
            refused = summary["compile"]["wrong"]
            rest = [(source, products) for source, products in all_of if source.stem not in refused]
            started, found = time.time(), {}
            for part in pool.map(checked, chunks([source for source, _ in rest], 25)):
                found.update(part)
            report("check", started, found, summary)
            make_smaller("check", folder, seed, found)
            few = int(sys.argv[5]) if len(sys.argv) > 5 else 0
            # The smaller half, one after some others, so that all kinds are among them.
            small = sorted(rest, key=lambda one: one[1])[: max(len(rest) // 2, few)]
            small = [source for source, _ in small][:: max(1, len(small) // max(few, 1))][:few]
            for tool in ["memcheck", "racecheck", "synccheck", "initcheck"] if few else []:
                started, found = time.time(), {}
                for part in pool.map(lambda part, tool=tool: sanitized(tool, part), chunks(small, 4)):
                    found.update(part)
                report(tool, started, found, summary)
                (folder / "summary.json").write_text(json.dumps(summary, indent=1))
        (folder / "summary.json").write_text(json.dumps(summary, indent=1))
    return 1 if any(part["wrong"] for part in summary.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
