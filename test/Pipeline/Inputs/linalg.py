#!/usr/bin/env python3
"""Random programs of linalg on the CPU: the kernels of layout-from-linalg compared with upstream's own loops.

    linalg.py check FOLDER COUNT [SEED] [KIND]    COUNT programs of a seed in modules of 20; prints what differs, exits with 1
                                                  if anything does; `all` counts those of `table`
    linalg.py show SEED NUMBER [KIND]             one program
    linalg.py again FILE                          the smallest program that fails in the way of another, as `check` found it

A program is a contraction of any dimensions in any order (or a convolution), on tensors or memrefs, with sizes known or not, of
each type; filled or added to; with casts, biases, activations, residuals and scales after it. Both ways are compiled to machine
code and get the same numbers. Sums are of small integers, so that they are the same in every order; where an epilogue rounds, results
may differ by a rounding. With `rows` programs have no contractions: see linalg_rows.py; with `vectors`
neither, and their sizes are ones that vectors divide; with `empty` one of them is 0, and with `empty_contractions` one of a contraction; with `moves` contractions are between operations that move elements: see
linalg_moves.py. With `attention` each is attention, which is to be one
kernel: see linalg_attention.py.
"""
import concurrent.futures, ctypes, itertools, math, os, pathlib, random, struct, subprocess, sys

import shrink
from linalg_attention import Attention
from linalg_convolutions import Convolution, DynamicConvolution, Network
from linalg_moves import Moves
from linalg_rows import Empty, Rows, Vectors
from linalg_table import TABLE, Table

TYPES = {"f16": ["f16", "f32"], "bf16": ["bf16", "f32"], "f32": ["f32"], "f64": ["f64"], "i8": ["i32"]}
C = {"f16": ctypes.c_uint16, "bf16": ctypes.c_uint16, "f32": ctypes.c_float, "f64": ctypes.c_double, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
     "i1": ctypes.c_bool, "index": ctypes.c_int64}
# Multiplications of a contraction, which upstream's loops make one by one.
MOST = 1 << 18
BUFFERISE = ["--one-shot-bufferize=bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map",
             "--buffer-results-to-out-params=modify-public-functions=true", "--canonicalize", "--cse"]
LOOPS = ["--scf-forall-to-for", "--convert-linalg-to-loops"]
LLVM = ["--convert-scf-to-cf", "--memref-expand", "--expand-strided-metadata", "--lower-affine", "--convert-math-to-llvm", "--convert-math-to-libm",
        "--arith-expand", "--convert-arith-to-llvm", "--finalize-memref-to-llvm", "--convert-func-to-llvm", "--convert-cf-to-llvm", "--reconcile-unrealized-casts"]


def shape_type(kind, sizes, known, element):
    dims = "".join(f"{size if k else '?'}x" for size, k in zip(sizes, known))
    return f"{kind}<{dims}{element}>"


class Program:
    """A function @pNUMBER of a seed: its text, and the shapes and types of its arguments, the result last."""

    def __init__(self, seed, number):
        dice = self.dice = shrink.dice(f"{seed} {number}")
        self.name = f"p{number}"
        # On memrefs one operation each; on tensors operations after it, too.
        self.kind = dice.choice(["tensor", "tensor", "memref"])
        element = dice.choice(list(TYPES))
        result = dice.choice(TYPES[element])
        modes = {loop: dice.choice(counts) for loop, counts in
                 {"b": [0, 0, 0, 1, 1, 2], "m": [0, 1, 1, 1, 2], "n": [0, 1, 1, 1, 2], "k": [1, 1, 1, 2]}.items()}
        dims = [loop for loop, count in modes.items() for _ in range(count)]
        if dice.random() < 0.7:
            dice.shuffle(dims)
        sizes = [dice.choice([1, 2, 3, 4, 7, 8, 16, 17, 33] if len(dims) > 3 else [1, 3, 8, 16, 17, 31, 40, 64, 65]) for _ in dims]
        dynamic = dice.random() < 0.3
        known = [not (dynamic and dice.random() < 0.5) for _ in dims]
        while size(sizes) > MOST:
            sizes[sizes.index(max(sizes))] //= 2
        self.resize(sizes, known)
        a, b, c = ([d for d, loop in enumerate(dims) if loop in of] for of in ("bmk", "bnk", "bmn"))
        if dice.random() < 0.4:
            for order in (a, b, c):
                dice.shuffle(order)
        self.arguments, self.lines = [], []
        types = {}
        for name, order, of in (("%a", a, element), ("%b", b, element), ("%c", c, result)):
            types[name] = shape_type(self.kind, [sizes[d] for d in order], [known[d] for d in order], of)
            self.arguments.append((name, types[name], [sizes[d] for d in order], of))
            if self.kind == "tensor" and name != "%c" and all(known[d] for d in order):
                self.part(name, types[name], [sizes[d] for d in order], of, shrink.dice(f"{seed} {number} {name}"))
        loops = ", ".join(f"d{d}" for d in range(len(dims)))
        maps = [f"affine_map<({loops}) -> ({', '.join(f'd{d}' for d in order)})>" for order in (a, b, c)]
        kinds = ", ".join('"reduction"' if loop == "k" else '"parallel"' for loop in dims)
        is_float = result[0] != "i"
        out = "%c"
        if not is_float or dice.random() < 0.7:
            zero = "0.0" if is_float else "0"
            if is_float and dice.random() < 0.1:
                zero = "3.0"
            self.line(f"%zero = arith.constant {zero} : {result}")
            if self.kind == "tensor":
                out = "%filled"
                self.line(f"%filled = linalg.fill ins(%zero : {result}) outs(%c : {types['%c']}) -> {types['%c']}")
            else:
                self.line(f"linalg.fill ins(%zero : {result}) outs(%c : {types['%c']})")
        arrow = f" -> {types['%c']}" if self.kind == "tensor" else ""
        self.line(f"{'%sums = ' if arrow else ''}linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
                  f"ins(%a, %b : {types['%a']}, {types['%b']}) outs({out} : {types['%c']}) {{")
        self.line(f"^bb0(%x: {element}, %y: {element}, %s: {result}):")
        x, y = "%x", "%y"
        if element != result:
            widen = "arith.extf" if is_float else "arith.extsi"
            self.line(f"%x1 = {widen} %x : {element} to {result}")
            self.line(f"%y1 = {widen} %y : {element} to {result}")
            x, y = "%x1", "%y1"
        f = "f" if is_float else "i"
        factors = [x, y] if dice.random() < 0.8 else [y, x]
        self.line(f"%p = arith.mul{f} {factors[0]}, {factors[1]} : {result}")
        terms = ["%s", "%p"] if dice.random() < 0.8 else ["%p", "%s"]
        self.line(f"%t = arith.add{f} {terms[0]}, {terms[1]} : {result}")
        self.line(f"linalg.yield %t : {result}")
        self.line(f"}}{arrow}")
        self.result = (types["%c"], result, [sizes[d] for d in c], "%sums")
        self.rounds = 0
        # Integers become floats in the first operation after them.
        if self.kind == "tensor":
            for step in range(dice.choice([0, 0, 1, 2, 3, 4])):
                self.epilogue(step, [sizes[d] for d in c], [known[d] for d in c])

    def resize(self, sizes, known):
        """Changes the sizes of the loops."""

    def part(self, name, kind, sizes, of, dice):
        """Makes an operand a part of a larger argument: a slice, and a slice that is reshaped."""
        if dice.random() < 0.6:
            return
        groups = [[d] for d in range(len(sizes))]
        if len(sizes) > 1 and dice.random() < 0.5:
            first = dice.randrange(len(sizes) - 1)
            groups[first:first + 2] = [[first, first + 1]]
        own = [size(sizes[d] for d in group) for group in groups]
        offsets = [dice.choice([0, 0, 1, 8, 16]) for _ in own]
        steps = [dice.choice([1, 1, 1, 1, 2]) for _ in own]
        whole = [at + step * one + dice.choice([0, 0, 3, 8]) for at, step, one in zip(offsets, steps, own)]
        types = [shape_type("tensor", shape, [True] * len(shape), of) for shape in (whole, own)]
        self.arguments[-1] = (f"{name}w", types[0], whole, of)
        sliced = name if len(own) == len(sizes) else f"{name}s"
        self.line(f"{sliced} = tensor.extract_slice {name}w[{', '.join(map(str, offsets))}] [{', '.join(map(str, own))}] "
                  f"[{', '.join(map(str, steps))}] : {types[0]} to {types[1]}")
        if sliced != name:
            self.line(f"{name} = tensor.expand_shape {sliced} {groups} output_shape {sizes} : {types[1]} into {kind}")

    called, results = [None], [None]

    def call_values(self, _):
        """The arguments, and where the result is stored."""
        if self.kind == "memref":
            return self.arguments
        kind, of, shape, _ = self.result
        return [*self.arguments, ("%result", kind, shape, of)]

    def line(self, text):
        self.lines.append("  " + text)

    def epilogue(self, step, sizes, known):
        """One elementwise operation on the last result, which may be read more than once."""
        dice = self.dice
        source_type, element, _, source = self.result
        identity = list(range(len(sizes)))
        inputs, maps = [(source, source_type, element)], [[f"d{d}" for d in identity]]
        # Beside it: an argument along some dimensions, alone or with dimensions of one element, or one number everywhere.
        other = dice.choice(["argument", "argument", "ones", "number", None])
        if other in ("argument", "ones"):
            keep = [d for d in identity if dice.random() < 0.6]
            of = dice.choice(["f32", "f64"] if element == "f64" else ["f32", "bf16", "f16"])
            own = keep if other == "argument" else identity
            shape = [sizes[d] if d in keep else 1 for d in own]
            name, kind_of = f"%o{step}", shape_type("tensor", shape, [known[d] or d not in keep for d in own], of)
            self.arguments.append((name, kind_of, shape, of))
            inputs.append((name, kind_of, of))
            maps.append([f"d{d}" if d in keep else "0" for d in own])
        targets = ["f32", "bf16", "f16"] if element == "i32" else [element, "f32", "bf16", "f16"]
        target = element if element == "f64" else dice.choice(targets)
        computed = "f64" if element == "f64" else "f32"
        result_type = shape_type("tensor", sizes, known, target)
        # Its values are not read: the result of the contraction has its sizes, whatever its type.
        init = f"%i{step}"
        at_run_time = [d for d in identity if not known[d]]
        for d in at_run_time:
            self.line(f"%d{step}_{d}c = arith.constant {d} : index")
            self.line(f"%d{step}_{d} = tensor.dim {source}, %d{step}_{d}c : {source_type}")
        self.line(f"{init} = tensor.empty({', '.join(f'%d{step}_{d}' for d in at_run_time)}) : {result_type}")
        loops = ", ".join(f"d{d}" for d in identity)
        whole = [f"d{d}" for d in identity]
        text = [f"affine_map<({loops}) -> ({', '.join(own)})>" for own in [*maps, whole]]
        kinds = ", ".join('"parallel"' for _ in identity)
        if other == "number":
            # As frameworks write it: a tensor of rank 0, repeated.
            of = shape_type("tensor", sizes, known, computed)
            self.line(f"%n{step} = arith.constant dense<{dice.choice(['0.5', '2.0', '-3.0'])}> : tensor<{computed}>")
            self.line(f"%m{step} = tensor.empty({', '.join(f'%d{step}_{d}' for d in at_run_time)}) : {of}")
            self.line(f"%o{step} = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ()>, {text[-1]}], iterator_types = [{kinds}]}} "
                      f"ins(%n{step} : tensor<{computed}>) outs(%m{step} : {of}) {{")
            self.line(f"^bb0(%x: {computed}, %old: {computed}):")
            self.line(f"linalg.yield %x : {computed}")
            self.line(f"}} -> {of}")
            inputs.append((f"%o{step}", of, computed))
            text.insert(1, text[0])
        self.line(f"%r{step} = linalg.generic {{indexing_maps = [{', '.join(text)}], iterator_types = [{kinds}]}} "
                  f"ins({', '.join(name for name, _, _ in inputs)} : {', '.join(own for _, own, _ in inputs)}) outs({init} : {result_type}) {{")
        self.line("^bb0(" + ", ".join(f"%e{i}: {own}" for i, (_, _, own) in enumerate(inputs)) + f", %old: {target}):")
        values = []
        for i, (_, _, own) in enumerate(inputs):
            if own != computed:
                self.line(f"%w{i} = arith.{'sitofp' if own == 'i32' else 'extf'} %e{i} : {own} to {computed}")
            values.append(f"%w{i}" if own != computed else f"%e{i}")
        if len(values) == 2:
            operation = dice.choice(["addf", "subf", "mulf", "maximumf"])
            self.line(f"%v = arith.{operation} {values[0]}, {values[1]} : {computed}")
        else:
            number = dice.choice(["0.0", "0.5", "2.0"])
            operation = dice.choice(["mulf", "maximumf", "addf"])
            self.line(f"%k = arith.constant {number} : {computed}")
            self.line(f"%v = arith.{operation} {values[0]}, %k : {computed}")
        last = "%v"
        if target != computed:
            last = "%n"
            self.line(f"%n = arith.truncf %v : {computed} to {target}")
        self.line(f"linalg.yield {last} : {target}")
        self.line(f"}} -> {result_type}")
        self.rounds += 1
        self.result = (result_type, target, sizes, f"%r{step}")

    def text(self):
        of, _, _, value = self.result
        arguments = ", ".join(f"{name}: {own}" for name, own, _, _ in self.arguments)
        if self.kind == "memref":
            return "\n".join([f"func.func @{self.name}({arguments}) {{", *self.lines, "  return", "}", ""])
        # The result is stored where the caller says, as bufferisation does with arguments that it may write.
        return "\n".join([f"func.func @{self.name}({arguments}) -> {of} {{", *self.lines, f"  return {value} : {of}", "}", ""])


class EmptyContraction(Program):
    """One with a loop of no steps, or two, which may not be known."""

    def resize(self, sizes, known):
        dice = shrink.dice(f"empty {self.name} {sizes}")
        for _ in range(dice.choice([1, 1, 2])):
            place = dice.randrange(len(sizes))
            sizes[place], known[place] = 0, dice.random() < 0.3

    def part(self, *_):
        """Upstream takes no slice of nothing."""


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{command[0]} {' '.join(command[1:3])}: {done.stderr[:2000]}")
    return done.stdout


def library(text, folder, name):
    """Machine code of a module of loops. Upstream's passes make it LLVM's: what they give is read once more, which verifies it."""
    text = run(["mlir-opt", *LLVM, "--verify-each=0"], text)
    ir = run(["mlir-translate", "--mlir-to-llvmir"], text)
    run(["llc", "-O0", "-relocation-model=pic", "-filetype=obj", "-o", f"{folder}/{name}.o"], ir)
    run(["cc", "-shared", "-o", f"{folder}/{name}.so", f"{folder}/{name}.o", "-lm",
         "-L/usr/lib/llvm-22/lib", "-lmlir_float16_utils", "-lmlir_c_runner_utils", "-Wl,-rpath,/usr/lib/llvm-22/lib"], "")
    return ctypes.CDLL(str((folder / f"{name}.so").resolve()))


def numbers(dice, count, of):
    """Small integers, as bits of a type."""
    bits = {"f16": lambda v: struct.unpack("<H", struct.pack("<e", v))[0], "bf16": lambda v: struct.unpack("<I", struct.pack("<f", v))[0] >> 16}
    return (C[of] * count)(*dice.choices([bits[of](v) if of in bits else v for v in range(-3, 4)], k=count))


def values(held, of):
    """The numbers in memory of a type."""
    if of not in ("f16", "bf16"):
        return list(held)
    raw = bytes(held)
    if of == "f16":
        return list(struct.unpack(f"<{len(held)}e", raw))
    # The upper half of each f32.
    wide = bytearray(2 * len(raw))
    wide[2::4], wide[3::4] = raw[::2], raw[1::2]
    return list(struct.unpack(f"<{len(held)}f", wide))


def size(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


def call(code, program, seed, run_time):
    """The contents that a program leaves in all memory that it is given, as numbers; of tensors, results are the last."""
    dice = random.Random(f"{seed} {program.name} data")
    memory, arguments = [], []
    for _, _, shape, of in program.call_values(run_time):
        if shape is None:
            arguments.append(C[of](run_time if of == "index" else 2))
            continue
        # Memory past an operand must stay as it is.
        memory.append((numbers(dice, size(shape) + 16, of), of))
        strides = [size(shape[d + 1:]) for d in range(len(shape))]
        pointer = ctypes.cast(memory[-1][0], ctypes.c_void_p)
        arguments += [pointer, pointer, ctypes.c_int64(0), *map(ctypes.c_int64, shape), *map(ctypes.c_int64, strides)]
    getattr(code, program.name).restype = None
    getattr(code, program.name)(*arguments)
    return [values(held, of) for held, of in memory]


def differs(program, of, ours, theirs):
    if isinstance(program, Attention):
        # Weights are rounded before they are divided, and not after it.
        tolerance = {"f16": 4e-3, "bf16": 3e-2, "f32": 4e-3 if program.element == "f16" else 3e-2}[of]
        return wrong(ours, theirs, tolerance, 1.0)
    tolerance = {"f16": 2e-3, "bf16": 1.6e-2}.get(of, 1e-6) if program.rounds else 0.0
    # Accumulators of 16 bits are rounded after each product upstream; sums of small integers are exact up to 2048 and 256.
    if program.rounds == 0 and of in ("f16", "bf16"):
        tolerance = {"f16": 1e-3, "bf16": 3e-2}[of]
    return wrong(ours, theirs, tolerance, 4.0)


def wrong(ours, theirs, tolerance, least):
    if ours == theirs:
        return None
    for number, (a, b) in enumerate(zip(ours, theirs)):
        if math.isnan(a) and math.isnan(b):
            continue
        if not (a == b or abs(a - b) <= tolerance * max(abs(a), abs(b), least)):
            return f"element {number}: {a}, upstream {b}"
    return None


def checked(programs, folder, seed):
    """The differences of these; a module that does not compile is reported program by program."""
    folder.mkdir(parents=True, exist_ok=True)
    module = "".join(program.text() for program in programs)
    (folder / "module.mlir").write_text(module)
    try:
        bufferised = run(["mlir-opt", *BUFFERISE], module)
        theirs = library(run(["mlir-opt", *LOOPS], bufferised), folder, "theirs")
        taken = subprocess.run(["layout-opt", "--layout-propagate", "--layout-from-linalg"], input=module, capture_output=True, text=True, timeout=600)
        if taken.returncode:
            raise RuntimeError(taken.stderr[-2000:])
        ours = run(["layout-opt", *BUFFERISE, *LOOPS, "--layout-to-host"], taken.stdout)
        ours = library(ours, folder, "ours")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        if len(programs) == 1:
            return {programs[0].name: str(error)}, 0
        found, all_taken = {}, 0
        for program in programs:
            more, taken = checked([program], folder / program.name, seed)
            found.update(more)
            all_taken += taken
        return found, all_taken
    found = {}
    for program in programs:
        difference = None
        for size in program.called:
            memory = [one for one in program.call_values(size) if one[2] is not None]
            all_of = zip(memory, call(ours, program, seed, size), call(theirs, program, seed, size))
            # Bufferisation may write to the memory of a tensor that is given.
            for (name, _, _, of), own, other in list(all_of)[-len(program.results) if program.kind == "tensor" else 0:]:
                difference = difference or (lambda d: d and f"{name}{'' if size is None else f' with {size}'}: {d}")(differs(program, of, own, other))
        if difference:
            found[program.name] = difference
    return found, taken.stdout.count("layout.matmul ") if isinstance(programs[0], Program) else taken.stdout.count("gpu.launch_func")


def in_parts(programs, check):
    """The findings of a check of programs, 20 at a time with the number of the first. All cores check, as the last test of a suite has them."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda first: check(programs[first:first + 20], first), range(0, len(programs), 20)))


KINDS = {"rows": Rows, "vectors": Vectors, "attention": Attention, "moves": Moves, "table": Table, "convolutions": Convolution, "dynamic_convolutions": DynamicConvolution,
         "networks": Network, "empty": Empty, "empty_contractions": EmptyContraction}


def in_small(wrong, folder, seed, word, make, check):
    """Reduces some of the programs that are wrong. Each is checked in a folder of its own, since a library is loaded once."""
    folders = itertools.count()

    def failure(program):
        found = check(program, folder / f"smaller{next(folders)}")
        return shrink.kind_of(found.get(program.name))

    for name in sorted(wrong)[:shrink.PROGRAMS]:
        number = int(name[1:])
        shrink.report(sys.argv[0], folder, name, [seed, number, word], lambda: make(number), lambda program: program.text(), failure)


def main():
    verb, word = sys.argv[1], sys.argv[-1]
    if verb == "again":
        (seed, number, word), draws = shrink.read(sys.argv[2])
        program, _ = shrink.built(lambda: KINDS.get(word, Program)(seed, number), draws)
        found, _ = checked([program], pathlib.Path(sys.argv[2]).with_suffix(""), seed)
        print(f"{program.text()}{found.get(program.name, 'right')}")
        return 1 if found else 0
    kind = KINDS.get(word, Program)
    if verb == "show":
        print(kind(sys.argv[2], int(sys.argv[3])).text())
        return 0
    folder, count, seed = pathlib.Path(sys.argv[2]), int(sys.argv[3]) if sys.argv[3] != "all" else len(TABLE), sys.argv[4] if len(sys.argv) > 4 else "1"
    programs = [kind(seed, number) for number in range(count)]
    wrong, taken = {}, 0
    for part, own in in_parts(programs, lambda part, first: checked(part, folder / f"m{first}", seed)):
        wrong.update(part)
        taken += own
    for name, text in wrong.items():
        print(f"{name}: {text}")
    if kind is not Table:
        in_small(wrong, folder, seed, word, lambda number: kind(seed, number), lambda program, own: checked([program], own, seed)[0])
    print(f"linalg: {count - len(wrong)} of {count} programs are right; {taken} {'contractions were taken' if issubclass(kind, Program) else 'kernels were made'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
