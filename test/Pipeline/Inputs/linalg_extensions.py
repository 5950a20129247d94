"""Random programs of operations that front ends emit next to linalg: sorts, first elements, scans, scatters and attention of torch-mlir's dialect
`tm_tensor` and of IREE's `iree_linalg_ext`. Compares what kernels compute on the CPU with loops of Python.

    linalg_extensions.py check FOLDER COUNT SEED
    linalg_extensions.py show SEED NUMBER
    linalg_extensions.py again FILE
"""
import ctypes, itertools, math, pathlib, re, struct, sys

import linalg
import shrink

PASSES = ("builtin.module(layout-decompose-extensions,canonicalize,cse,layout-propagate,layout-from-linalg)")
NAN = float("nan")
GREATEST = {"i8": 2**7 - 1, "i16": 2**15 - 1, "i32": 2**31 - 1, "i64": 2**63 - 1}
COMBINE = {
    "arith.addf": lambda x, y: x + y, "arith.mulf": lambda x, y: x * y, "arith.maximumf": max, "arith.minimumf": min,
    "arith.subf": lambda x, y: x - y, "arith.addi": lambda x, y: x + y, "arith.maxsi": max, "arith.minsi": min, "arith.xori": lambda x, y: x ^ y,
    "arith.subi": lambda x, y: x - y,
}


def single(value):
    """A number as f32 has it."""
    return struct.unpack("f", struct.pack("f", value))[0]


def tensor(sizes, of):
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{of}>"


def places(shape):
    return itertools.product(*map(range, shape))


def flat(at, shape):
    number = 0
    for own, size in zip(at, shape):
        number = number * size + own
    return number


class Program:
    """A function of one operation: its text, its arguments as numbers, and the numbers of its results."""

    def __init__(self, seed, number):
        self.dice = shrink.dice(f"{seed} extension {number}")
        self.name, self.arguments, self.results, self.lines = f"p{number}", [], [], []
        self.dialect = self.dice.choice(["tm_tensor", "iree_linalg_ext"])
        kinds = ["sort", "topk", "scan", "scatter"] + (["attention", "index_put"] if self.dialect == "tm_tensor" else [])
        self.kind = self.dice.choice(kinds)
        self.tolerance = 0.0
        getattr(self, self.kind)()

    def argument(self, shape, of, numbers, dynamic=True):
        """A new argument, some of whose sizes are known at run time only."""
        # The CPU traps where a kernel divides a coordinate, though it predicates what it computes from that, by a size of 0.
        hidden = [dynamic and self.dice.random() < 0.4 and 0 not in shape for _ in shape]
        sizes = ["?" if own else size for own, size in zip(hidden, shape)]
        name = f"%a{len(self.arguments)}"
        self.arguments.append((name, tensor(sizes, of), shape, of, numbers))
        return name, tensor(sizes, of), sizes

    def empty(self, name, like, sizes, of, number=None):
        """A tensor without values, or filled with a number; sizes that types do not say are those of another tensor."""
        own = []
        for d, size in enumerate(sizes):
            if size == "?":
                self.lines += [f"{name}c{d} = arith.constant {d} : index", f"{name}d{d} = tensor.dim {like[0]}, {name}c{d} : {like[1]}"]
                own.append(f"{name}d{d}")
        kind = tensor(sizes, of)
        self.lines.append(f"{name}e = tensor.empty({', '.join(own)}) : {kind}")
        if number is None:
            return f"{name}e", kind
        self.lines += [f"{name}n = arith.constant {number} : {of}",
                       f"{name} = linalg.fill ins({name}n : {of}) outs({name}e : {kind}) -> {kind}"]
        return name, kind

    def numbers(self, shape, of):
        """Small numbers, many of which are equal; floats with infinities and NaN where a sort is to order them."""
        special = [math.inf, -math.inf, NAN, -0.0] if of.startswith("f") and self.kind in ("sort", "topk") and self.dice.random() < 0.5 else []
        pick = lambda: self.dice.choice(special) if special and self.dice.random() < 0.2 else self.dice.randint(-4, 4)
        return [pick() for _ in range(math.prod(shape))]

    def shape(self, most=3):
        """Sizes, and the dimension that the operation works along."""
        shape = [self.dice.choice([1, 2, 3, 5]) for _ in range(self.dice.randint(1, most))]
        d = self.dice.randrange(len(shape))
        shape[d] = self.dice.choice([1, 2, 7, 16, 33, 64, 100] + [0] * (self.kind != "topk"))
        return shape, d

    def operation(self, kind, attributes, inputs, outputs, region, results):
        """The operation in its dialect's form; the attributes are where each dialect has them."""
        listed = lambda all: f"{', '.join(name for name, _ in all)} : {', '.join(of for _, of in all)}"
        read = f"ins({listed(inputs)}) " if inputs else ""
        arrow = ", ".join(of for _, of in outputs)
        self.lines.append(f"%r{f':{len(results)}' if len(results) > 1 else ''} = {self.dialect}.{kind} {attributes} {read}outs({listed(outputs)}) {{")
        self.lines += [*region, "} -> " + arrow]
        for i, (of, shape, element, numbers) in enumerate(results):
            self.results.append((f"%r#{i}" if len(results) > 1 else "%r", of, shape, element, numbers))

    def compared(self, of):
        """A comparison of two elements, and the order of elements that it means."""
        descending, equal, turned = (self.dice.random() < 0.5 for _ in range(3))
        letter = ("g" if descending != turned else "l") + ("e" if equal else "t")
        is_float = of.startswith(("f", "b"))
        operands = "%y, %x" if turned else "%x, %y"
        step = f"%c = arith.cmp{'f o' if is_float else 'i s'}{letter}, {operands} : {of}"
        # NaN comes after all numbers, or in front of them where the order is turned.
        key = lambda value: (1, 0) if value != value else (0, value)
        return step, descending, key

    def ordered(self, numbers, shape, d, descending, key):
        """For each row along a dimension, its places in order: a list of the element that each place gets."""
        rest = [range(size) if i != d else [0] for i, size in enumerate(shape)]
        for start in itertools.product(*rest):
            row = [flat([*start[:d], i, *start[d + 1:]], shape) for i in range(shape[d])]
            # Equal elements keep their order, whichever way it is.
            order = sorted(range(shape[d]), key=lambda i: key(numbers[row[i]]))
            if descending:
                order = sorted(range(shape[d]), key=lambda i: (tuple(-part for part in key(numbers[row[i]])), i))
            yield start, row, order

    def sort(self):
        shape, d = self.shape()
        of, other = self.dice.choice(["f32", "f16", "i32", "i64"]), self.dice.choice(["f32", "i32"])
        count = self.dice.choice([1, 2])
        keys, payload = self.numbers(shape, of), [self.dice.randint(-9, 9) for _ in range(math.prod(shape))]
        operands = [self.argument(shape, of, keys)]
        sizes = operands[0][2]
        results = [(operands[0][1], shape, of, [None] * len(keys))]
        if count == 2:
            name = f"%a{len(self.arguments)}"
            self.arguments.append((name, tensor(sizes, other), shape, other, payload))
            operands.append((name, tensor(sizes, other), sizes))
            results.append((tensor(sizes, other), shape, other, [None] * len(keys)))
        step, descending, key = self.compared(of)
        for _, row, order in self.ordered(keys, shape, d, descending, key):
            for place, i in zip(row, order):
                results[0][3][place] = keys[row[i]]
                if count == 2:
                    results[1][3][place] = payload[row[i]]
        more = f", %z: {other}, %w: {other}" if count == 2 else ""
        region = [f"^bb0(%x: {of}, %y: {of}{more}):", step, f"{self.dialect}.yield %c : i1"]
        self.operation("sort", f"dimension({d})", [], [own[:2] for own in operands], region, results)
        if self.dice.random() < 0.4 and shape[d] and all(size != "?" for i, size in enumerate(sizes) if i != d):
            self.first(self.dice.randint(1, shape[d]), d)

    def first(self, k, d):
        """Only the first elements of the results are read, as `topk` of PyTorch does."""
        for number, (name, kind, shape, of, numbers) in enumerate(self.results):
            taken = [*shape[:d], k, *shape[d + 1:]]
            own = tensor(taken, of)
            self.lines.append(f"%s{number} = tensor.extract_slice {name}[{', '.join('0' for _ in shape)}] [{', '.join(map(str, taken))}] "
                              f"[{', '.join('1' for _ in shape)}] : {kind} to {own}")
            self.results[number] = (f"%s{number}", own, taken, of, [numbers[flat(at, shape)] for at in places(taken)])

    def topk(self):
        shape, d = self.shape()
        if self.dice.random() < 0.15:
            # Elements of several blocks.
            shape, d = [self.dice.choice([1023, 1025, 2500, 8193])], 0
        of = self.dice.choice(["f32", "f16", "i32"])
        k = min(self.dice.randint(1, shape[d]), 200)
        keys = self.numbers(shape, of)
        name, kind, sizes = self.argument(shape, of, keys)
        step, descending, key = self.compared(of)
        last = {"f32": "0xFF800000", "f16": "0xFC00"}.get(of, -GREATEST.get(of, 0) - 1) if descending else {"f32": "0x7F800000", "f16": "0x7C00"}.get(of, GREATEST.get(of))
        inputs, index = [(name, kind)], lambda place: place
        taken = [*sizes[:d], k, *sizes[d + 1:]]
        target = [*shape[:d], k, *shape[d + 1:]]
        if self.dice.random() < 0.3:
            own = [self.dice.randint(0, 999) for _ in keys]
            self.arguments.append((f"%a{len(self.arguments)}", tensor(sizes, "i32"), shape, "i32", own))
            inputs.append((self.arguments[-1][0], self.arguments[-1][1]))
        else:
            own = None
        values = self.empty("%v", (name, kind), taken, of, last)
        at = self.empty("%i", (name, kind), taken, "i32", GREATEST["i32"])
        results = [(values[1], target, of, [None] * math.prod(target)), (at[1], target, "i32", [None] * math.prod(target))]
        for start, row, order in self.ordered(keys, shape, d, descending, key):
            for place, i in enumerate(order[:k]):
                to = flat([*start[:d], place, *start[d + 1:]], target)
                results[0][3][to], results[1][3][to] = keys[row[i]], own[row[i]] if own else i
        region = [f"^bb0(%x: {of}, %y: {of}):", step, f"{self.dialect}.yield %c : i1"]
        self.operation("topk", f"dimension({d})", inputs, [values, at], region, results)

    def scan(self):
        shape, d = self.shape()
        if self.dice.random() < 0.3:
            shape[d] = self.dice.choice([255, 256, 257, 600, 1025, 1300])
        of = self.dice.choice(["f32", "i32", "i64"])
        combine = self.dice.choice([name for name in COMBINE if name.endswith("f") == (of == "f32")])
        inclusive = self.dice.random() < 0.7
        values = self.numbers(shape, of)
        if combine == "arith.mulf":
            values = [self.dice.choice([1, -1, 1, 2, 0.5]) for _ in values]
        name, kind, sizes = self.argument(shape, of, values)
        rest, own = [*shape[:d], *shape[d + 1:]], [*sizes[:d], *sizes[d + 1:]]
        first = [self.dice.randint(-3, 3) for _ in range(math.prod(rest))]
        self.arguments.append((f"%a{len(self.arguments)}", tensor(own, of), rest, of, first))
        start = self.arguments[-1][:2]
        output = self.empty("%v", (name, kind), sizes, of)
        numbers = [None] * len(values)
        for place in places(rest):
            held = None if inclusive else first[flat(place, rest)]
            for i in range(shape[d]):
                at = flat([*place[:d], i, *place[d:]], shape)
                before, held = held, values[at] if held is None else COMBINE[combine](held, values[at])
                numbers[at] = held if inclusive else before
        region = [f"^bb0(%x: {of}, %y: {of}):", f"%c = {combine} %x, %y : {of}", f"{self.dialect}.yield %c : {of}"]
        self.tolerance = 1e-5 if of == "f32" else 0.0
        self.operation("scan", f"dimension({d}) inclusive({str(inclusive).lower()})", [(name, kind)], [output, start], region,
                       [(output[1], shape, of, numbers), (start[1], rest, of, None)])

    def scatter(self):
        depth, whole = self.dice.randint(1, 2), self.dice.randint(0, 2)
        shape = [self.dice.choice([1, 3, 4, 8]) for _ in range(depth)] + [self.dice.choice([1, 3, 5, 16]) for _ in range(whole)]
        rank = len(shape)
        of = self.dice.choice(["f32", "f16", "i32"])
        is_iree = self.dialect == "iree_linalg_ext"
        batch = [self.dice.choice([1, 2, 5, 9, 40]) for _ in range(self.dice.choice([1, 1, 2]) if is_iree else 1)]
        # One number for each index has no dimension in IREE, or one of one element.
        has_depth = not is_iree or depth > 1 or self.dice.random() < 0.5
        units = [] if is_iree else [1] * self.dice.choice([0, depth])
        of_index, of_updates = [*batch, *([depth] if has_depth else [])], [*batch, *units, *shape[depth:]]
        order = list(range(depth))
        if not is_iree:
            self.dice.shuffle(order)
        # Some places are outside of the tensor.
        count = math.prod(batch)
        indices = [[self.dice.randint(-1, shape[order[k]]) for k in range(depth)] for _ in range(count)]
        if self.dice.random() < 0.5:
            indices = [[self.dice.randrange(shape[order[k]]) for k in range(depth)] for _ in range(count)]
        updates, original = self.numbers(of_updates, of), self.numbers(shape, of)
        u, _, sizes = self.argument(of_updates, of, updates)
        # Dimensions of one element, and that of an index, are in the types.
        known = [*sizes[:len(batch)], *units, *sizes[len(batch) + len(units):]]
        u = (u, tensor(known, of))
        self.arguments[-1] = (*u, of_updates, of, updates)
        i32 = self.dice.choice(["i32", "i64"])
        sizes = [*known[:len(batch)], *([depth] if has_depth else [])]
        self.arguments.append((f"%a{len(self.arguments)}", tensor(sizes, i32), of_index, i32, [own for one in indices for own in one]))
        i = self.arguments[-1][:2]
        name, kind, _ = self.argument(shape, of, original)
        combine = self.dice.choice([None, None] + [own for own in COMBINE if own.endswith("f") == of.startswith("f") and own != "arith.mulf"])
        numbers = list(original)
        for number, at in enumerate(indices):
            place = [0] * depth
            for k, own in enumerate(at):
                place[order[k]] = own
            if not all(0 <= own < size for own, size in zip(place, shape)):
                continue
            for rest in places(shape[depth:]):
                to, new = flat([*place, *rest], shape), updates[number * math.prod(shape[depth:]) + flat(rest, shape[depth:])]
                numbers[to] = new if combine is None else COMBINE[combine](numbers[to], new)
        steps = [f"%c = {combine} %y, %x : {of}", f"{self.dialect}.yield %c : {of}"] if combine else [f"{self.dialect}.yield %x : {of}"]
        listed = ", ".join(map(str, order))
        unique = "unique_indices(false)"
        attributes = f"dimension_map = [{listed}] {unique}" if is_iree else f"{{dimension_map = array<i64: {listed}>}} {unique}"
        self.operation("scatter", attributes, [u, i], [(name, kind)], [f"^bb0(%x: {of}, %y: {of}):", *steps], [(kind, shape, of, numbers)])

    def index_put(self):
        """`x[:, i, :] = u`, as torch-mlir writes it: an index for each element, and dimensions that are taken whole counted."""
        rank = self.dice.randint(2, 4)
        shape = [self.dice.choice([1, 2, 3, 5, 8]) for _ in range(rank)]
        indexed = [d for d in range(rank) if self.dice.random() < 0.5] or [self.dice.randrange(rank)]
        counts = [self.dice.choice([1, 2, 4]) if d in indexed else shape[d] for d in range(rank)]
        if len(indexed) > 1:
            # Indices of several dimensions go together, along the first of these.
            counts = [1 if d in indexed[1:] else size for d, size in enumerate(counts)]
        along = indexed[0]
        of, total = self.dice.choice(["f32", "i32"]), math.prod(counts)
        indices = {d: [self.dice.randrange(shape[d]) for _ in range(counts[along])] for d in indexed}
        updates, original = self.numbers(counts, of), self.numbers(shape, of)
        u = self.argument(counts, of, updates, dynamic=False)
        i = {d: self.argument([counts[along]], "i64", indices[d], dynamic=False) for d in indexed}
        name, kind, _ = self.argument(shape, of, original)
        loops = ", ".join(f"d{d}" for d in range(rank))
        whole = f"affine_map<({loops}) -> ({loops})>"
        parallel = ", ".join('"parallel"' for _ in range(rank))
        columns = []
        for d in range(rank):
            source, size = (i[d][0], counts[along]) if d in indexed else (f"%n{d}", counts[d])
            if d not in indexed:
                self.lines += [f"%ne{d} = tensor.empty() : tensor<{size}xi64>",
                               f"%n{d} = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]}} outs(%ne{d} : tensor<{size}xi64>) {{",
                               "^bb0(%old: i64):", "%p = linalg.index 0 : index", "%q = arith.index_cast %p : index to i64", "linalg.yield %q : i64",
                               f"}} -> tensor<{size}xi64>"]
            place = f"d{along if d in indexed else d}"
            many = tensor(counts, "i64")
            self.lines += [f"%be{d} = tensor.empty() : {many}",
                           f"%b{d} = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({place})>, {whole}], iterator_types = [{parallel}]}} "
                           f"ins({source} : tensor<{size}xi64>) outs(%be{d} : {many}) {{",
                           "^bb0(%in: i64, %old: i64):", "linalg.yield %in : i64", f"}} -> {many}",
                           f"%f{d} = tensor.collapse_shape %b{d} [[{', '.join(map(str, range(rank)))}]] : {many} into tensor<{total}xi64>",
                           f"%c{d} = tensor.expand_shape %f{d} [[0, 1]] output_shape [{total}, 1] : tensor<{total}xi64> into tensor<{total}x1xi64>"]
            columns.append(f"%c{d}")
        one, flats, units = f"tensor<{total}x1xi64>", f"tensor<{total}x{of}>", tensor([total] + [1] * rank, of)
        self.lines += [f"%at = tensor.concat dim(1) {', '.join(columns)} : ({', '.join(one for _ in columns)}) -> tensor<{total}x{rank}xi64>",
                       f"%uf = tensor.collapse_shape {u[0]} [[{', '.join(map(str, range(rank)))}]] : {u[1]} into {flats}",
                       f"%u = tensor.expand_shape %uf [[{', '.join(map(str, range(rank + 1)))}]] output_shape [{', '.join(map(str, [total] + [1] * rank))}] : {flats} into {units}"]
        combine = self.dice.choice([None, "arith.addf" if of == "f32" else "arith.addi"])
        numbers = list(original)
        for at in places(counts):
            to, new = list(at), updates[flat(at, counts)]
            for d in indexed:
                to[d] = indices[d][at[along]]
            to = flat(to, shape)
            numbers[to] = numbers[to] + new if combine else new
        steps = [f"%c = {combine} %x, %y : {of}", f"tm_tensor.yield %c : {of}"] if combine else [f"tm_tensor.yield %x : {of}"]
        attributes = f"{{dimension_map = array<i64: {', '.join(map(str, range(rank)))}>}} unique_indices(false)"
        self.operation("scatter", attributes, [("%u", units), ("%at", f"tensor<{total}x{rank}xi64>")], [(name, kind)], [f"^bb0(%x: {of}, %y: {of}):", *steps],
                       [(kind, shape, of, numbers)])

    def attention(self):
        batch = [self.dice.choice([1, 2, 3]) for _ in range(self.dice.randint(0, 2))]
        m, n, width, out = (self.dice.choice([1, 5, 16, 33]), self.dice.choice([1, 3, 16, 40]), self.dice.choice([4, 8, 16, 32]), self.dice.choice([4, 8, 16]))
        of = self.dice.choice(["f32", "f32", "f16"])
        mask = self.dice.choice([None, "f32", "i1"])
        hidden = {d: self.dice.random() < 0.4 for d in range(len(batch) + 2)}
        held = lambda *last: [*batch, *last]
        sizes = lambda shape: ["?" if hidden.get(d) and d < len(shape) - 1 else size for d, size in enumerate(shape)]
        data = {}
        for letter, shape in (("q", held(m, width)), ("k", held(n, width)), ("v", held(n, out))):
            data[letter] = [self.dice.randint(-4, 4) / 4 for _ in range(math.prod(shape))]
            self.arguments.append((f"%{letter}", tensor(sizes(shape), of), shape, of, data[letter]))
        operands = [own[:2] for own in self.arguments]
        masked = None
        if mask:
            shape = held(m, n)
            masked = [self.dice.choice([0, 1, 1]) if mask == "i1" else self.dice.choice([-math.inf, 0, 0.5]) for _ in range(math.prod(shape))]
            if self.dice.random() < 0.5:
                # All keys of the first query.
                masked[:n] = [0 if mask == "i1" else -math.inf] * n
            own = sizes(shape)
            self.arguments.append(("%m", tensor(own, mask), shape, mask, masked))
            operands.append(self.arguments[-1][:2])
        shape = held(m, out)
        target = self.empty("%o", operands[0], sizes(shape), of, "0.0")
        numbers = []
        for at in places(batch):
            row = flat(at, batch) if batch else 0
            part = lambda letter, count, i: data[letter][(row * count[0] + i) * count[1]:(row * count[0] + i + 1) * count[1]]
            for i in range(m):
                q, scores = part("q", (m, width), i), []
                for j in range(n):
                    score = sum(x * y for x, y in zip(q, part("k", (n, width), j))) / math.sqrt(width)
                    if mask:
                        own = masked[(row * m + i) * n + j]
                        score = (score if own else -math.inf) if mask == "i1" else score + own
                    scores.append(score)
                most = max(scores)
                weights = [0.0 if score == -math.inf else math.exp(score - most) for score in scores]
                total = sum(weights) or 1.0
                numbers += [sum(w * part("v", (n, out), j)[e] for j, w in enumerate(weights)) / total for e in range(out)]
        self.tolerance = 2e-5 if of == "f32" else 4e-3
        listed = lambda all: f"{', '.join(name for name, _ in all)} : {', '.join(own for _, own in all)}"
        self.lines.append(f"%r = tm_tensor.attention ins({listed(operands)}) outs({listed([target])}) -> {target[1]}")
        self.results.append(("%r", target[1], shape, of, numbers))

    def text(self):
        given = ", ".join(f"{name}: {of}" for name, of, *_ in self.arguments)
        results = [own for own in self.results if own[4] is not None]
        kinds = ", ".join(of for _, of, *_ in results)
        values = ", ".join(name for name, *_ in results)
        body = "\n".join("  " + line for line in self.lines)
        return f"func.func @{self.name}({given}) -> ({kinds}) {{\n{body}\n  return {values} : {kinds}\n}}\n"


def bits(value, of):
    if of in ("f16", "f32"):
        return struct.unpack("<H", struct.pack("<e", value))[0] if of == "f16" else single(value)
    return value if of == "i1" else int(value)


def called(code, program):
    """The differences of a program's results."""
    memory, arguments = [], []
    results = [own for own in program.results if own[4] is not None]
    for number, (_, _, shape, of, numbers) in enumerate([*program.arguments, *results]):
        held = (linalg.C[of] * (math.prod(shape) + 16))()
        if number < len(program.arguments):
            held[:len(numbers)] = [bits(value, of) for value in numbers]
        memory.append(held)
        pointer = ctypes.cast(held, ctypes.c_void_p)
        strides = [math.prod(shape[d + 1:]) for d in range(len(shape))]
        arguments += [pointer, pointer, ctypes.c_int64(0), *map(ctypes.c_int64, shape), *map(ctypes.c_int64, strides)]
    function = getattr(code, program.name)
    function.restype = None
    function(*arguments)
    for number, ((_, _, shape, of, numbers), held) in enumerate(zip(results, memory[len(program.arguments):])):
        ours = linalg.values(held, of)[:math.prod(shape)]
        theirs = [float(single(value)) if of == "f32" and program.tolerance == 0 else value for value in numbers]
        if difference := linalg.wrong(ours, theirs, program.tolerance, 1.0):
            return f"{program.dialect}.{program.kind}, result {number}: {difference}"
    return None


def checked(programs, folder):
    folder.mkdir(parents=True, exist_ok=True)
    module = "".join(program.text() for program in programs)
    (folder / "module.mlir").write_text(module)
    try:
        taken = linalg.run(["layout-opt", f"--pass-pipeline={PASSES}"], module)
        if left := re.search(r"(tm_tensor|iree_linalg_ext)\.\w+|linalg\.generic", taken):
            raise RuntimeError(f"{left[0]} is left")
        ours = linalg.run(["layout-opt", *linalg.BUFFERISE, *linalg.LOOPS, "--layout-to-host"], taken)
        code = linalg.library(ours, folder, "ours")
    except RuntimeError as error:
        if len(programs) == 1:
            return {programs[0].name: f"{programs[0].dialect}.{programs[0].kind}: {error}"}
        return {name: text for program in programs for name, text in checked([program], folder / program.name).items()}
    found = {program.name: called(code, program) for program in programs}
    return {name: text for name, text in found.items() if text}


def main():
    if sys.argv[1] == "again":
        (seed, number, _), draws = shrink.read(sys.argv[2])
        program, _ = shrink.built(lambda: Program(seed, number), draws)
        found = checked([program], pathlib.Path(sys.argv[2]).with_suffix(""))
        print(f"{program.text()}{found.get(program.name, 'right')}")
        return 1 if found else 0
    if sys.argv[1] == "show":
        print(Program(sys.argv[2], int(sys.argv[3])).text())
        return 0
    folder, count, seed = pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    programs = [Program(seed, number) for number in range(count)]
    wrong = {}
    for part in linalg.in_parts(programs, lambda part, first: checked(part, folder / f"m{first}")):
        wrong.update(part)
    for name, text in wrong.items():
        print(f"{name}: {text}")
    linalg.in_small(wrong, folder, seed, "", lambda number: Program(seed, number), lambda program, own: checked([program], own))
    print(f"extensions: {count - len(wrong)} of {count} programs are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
