"""Random programs of linalg on tensors without contractions: elementwise operations and reductions in chains.

Maps are transposed and broadcast, sizes 0 and 1 among them, known or not, types mixed; with padding, slices, reshapes, indices and
elements read by coordinates, named operations, reductions of each kind along any dimensions, of two results, softmax and norms.
"""
import shrink

FLOATS = ["f32", "f32", "f16", "bf16", "f64"]
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 17, 31, 32, 33, 40]


def tensor(sizes, known, element):
    dims = "".join(f"{size if k else '?'}x" for size, k in zip(sizes, known))
    return f"tensor<{dims}{element}>"


def is_float(element):
    return element[0] in "fb"


class Value:
    def __init__(self, name, sizes, known, element):
        self.name, self.sizes, self.known, self.element = name, sizes, known, element
        self.type = tensor(sizes, known, element)


class Rows:
    """A function @pNUMBER of a seed: its text, and the shapes and types of its arguments, the result last."""
    kind = "tensor"
    called, results = [None], [None]
    sizes = SIZES
    # How often a program has a size of 0, and sizes that are not known.
    zeros, open_sizes = 0.1, 0.35

    def __init__(self, seed, number):
        dice = self.dice = shrink.dice(f"rows {seed} {number}")
        self.name, self.number = f"p{number}", 0
        self.arguments, self.lines, self.rounds = [], [], 1
        rank = dice.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
        sizes = [dice.choice(self.sizes) for _ in range(rank)]
        if dice.random() < self.zeros and rank:
            sizes[dice.randrange(rank)] = 0
        if dice.random() < 0.3 and rank:
            sizes[-1] = dice.choice([100, 256, 300, 1030, 1100])
        while self.count(sizes) > 20000:
            place = max(range(rank), key=lambda i: sizes[i] if i < rank - 1 else 0)
            sizes[place] = max(1, sizes[place] // 2)
            if all(size <= 1 for size in sizes[:-1]):
                break
        dynamic = dice.random() < self.open_sizes
        known = [not (dynamic and dice.random() < 0.6) for _ in sizes]
        # Values of some bound grow no further.
        element = dice.choice(FLOATS + ["i32", "i8", "i64"])
        last = self.argument(sizes, known, element)
        self.all = [last]
        for _ in range(dice.choice([1, 1, 2, 3, 4, 5])):
            steps = [self.unary, self.binary, self.binary, self.reduce, self.transpose, self.broadcast, self.reshape, self.slice,
                     self.pad, self.insert, self.indexed, self.gather, self.named, self.cast]
            if is_float(last.element) and last.element != "f64":
                steps += [self.softmax, self.norm]
            if last.sizes:
                steps += [self.pair]
            last = dice.choice(steps)(last)
            self.all.append(last)
        # Half of what is made may be narrowed at the end.
        self.result = (last.type, last.element, last.sizes, last.name)
        if last.name in [name for name, _, _, _ in self.arguments]:
            last = self.unary(last)
            self.result = (last.type, last.element, last.sizes, last.name)

    def count(self, sizes):
        total = 1
        for size in sizes:
            total *= max(size, 1)
        return total

    def call_values(self, _):
        kind, of, shape, _ = self.result
        return [*self.arguments, ("%result", kind, shape, of)]

    def fresh(self, stem="v"):
        self.number += 1
        return f"%{stem}{self.number}"

    def line(self, text):
        self.lines.append("  " + text)

    def argument(self, sizes, known, element):
        name = f"%a{len(self.arguments)}"
        value = Value(name, list(sizes), list(known), element)
        self.arguments.append((name, value.type, list(sizes), element))
        return value

    def constant(self, element, number):
        name = self.fresh("c")
        text = f"{float(number)}" if is_float(element) else str(int(number))
        self.line(f"{name} = arith.constant {text} : {element}")
        return name

    def size(self, value, i):
        """A dimension's size as a value of the host."""
        index, name = self.fresh("d"), self.fresh("n")
        self.line(f"{index} = arith.constant {i} : index")
        self.line(f"{name} = tensor.dim {value.name}, {index} : {value.type}")
        return name

    def empty(self, sizes, known, element, like):
        """`like` has for each dimension a value and its dimension whose size it has."""
        at_run_time = [self.size(*like[i]) for i in range(len(sizes)) if not known[i]]
        value = Value(self.fresh("e"), list(sizes), list(known), element)
        self.line(f"{value.name} = tensor.empty({', '.join(at_run_time)}) : {value.type}")
        return value

    def generic(self, inputs, init, maps, kinds, body, element=None):
        """A generic operation; the body gets the names of arguments, and gives lines and the names of its values."""
        count = len(kinds)
        loops = ", ".join(f"d{d}" for d in range(count))
        text = ", ".join(f"affine_map<({loops}) -> ({', '.join(map(str, own))})>" for own in maps)
        iterators = ", ".join(f'"{"parallel" if k == "p" else "reduction"}"' for k in kinds)
        names = [self.fresh("x") for _ in [*inputs, *init]]
        lines, values = body(names)
        results = [self.fresh() for _ in init]
        into = f"ins({', '.join(v.name for v in inputs)} : {', '.join(v.type for v in inputs)}) " if inputs else ""
        left = results[0] if len(init) == 1 else f"{results[0]}:{len(init)}"
        self.line(f"{left} = linalg.generic {{indexing_maps = [{text}], iterator_types = [{iterators}]}} {into}"
                  f"outs({', '.join(v.name for v in init)} : {', '.join(v.type for v in init)}) {{")
        self.line("^bb0(" + ", ".join(f"{n}: {v.element}" for n, v in zip(names, [*inputs, *init])) + "):")
        for one in lines:
            self.line("  " + one)
        self.line(f"  linalg.yield {', '.join(values)} : {', '.join(v.element for v in init)}")
        types = ", ".join(v.type for v in init)
        self.line(f"}} -> {types if len(init) == 1 else f'({types})'}")
        if len(init) > 1:
            results = [f"{results[0]}#{i}" for i in range(len(init))]
        return [Value(n, v.sizes, v.known, v.element) for n, v in zip(results, init)]

    def like(self, value):
        return [(value, i) for i in range(len(value.sizes))]

    def identity(self, value):
        return [f"d{d}" for d in range(len(value.sizes))]

    def converted(self, lines, name, source, target):
        """A number as one of another type."""
        if source == target:
            return name
        width = lambda t: int(t.lstrip("fbi"))
        out = self.fresh("w")
        if is_float(source) and is_float(target):
            if width(source) == width(target):
                wide = self.fresh("w")
                lines.append(f"{wide} = arith.extf {name} : {source} to f32")
                lines.append(f"{out} = arith.truncf {wide} : f32 to {target}")
                return out
            operation = "extf" if width(source) < width(target) else "truncf"
        elif is_float(target):
            operation = "sitofp"
        elif is_float(source):
            # Numbers are kept within the integers' range.
            low, high, one, two = (self.fresh("w") for _ in range(4))
            lines.append(f"{low} = arith.constant -100.0 : {source}")
            lines.append(f"{high} = arith.constant 100.0 : {source}")
            lines.append(f"{one} = arith.maxnumf {name}, {low} : {source}")
            lines.append(f"{two} = arith.minnumf {one}, {high} : {source}")
            # Roundings before must not become whole steps here.
            half, three = self.fresh("w"), self.fresh("w")
            lines.append(f"{half} = arith.constant 0.375 : {source}")
            lines.append(f"{three} = arith.addf {two}, {half} : {source}")
            lines.append(f"{out} = arith.fptosi {three} : {source} to {target}")
            self.rounds += 100
            return out
        else:
            operation = "extsi" if width(source) < width(target) else "trunci"
        lines.append(f"{out} = arith.{operation} {name} : {source} to {target}")
        return out

    def elementwise(self, inputs, maps, sizes, known, like, element, body):
        init = self.empty(sizes, known, element, like)
        own = [f"d{d}" for d in range(len(sizes))]
        return self.generic(inputs, [init], [*maps, own], "p" * len(sizes), body)[0]

    def unary(self, value):
        dice, element = self.dice, value.element
        if is_float(element):
            operation = dice.choice(["mulf", "addf", "maximumf", "negf"] + (["tanh", "abs", "rsqrt", "sin", "cos", "log", "log2"] if element == "f32" else []) +
                                    (["tanh", "abs"] if element in ("f16", "bf16") else []))
        else:
            operation = dice.choice(["addi", "maxsi", "andi", "select"])
        number = self.constant(element, dice.choice([0, 1, 2]))

        def body(names):
            x, out, lines = names[0], self.fresh("t"), []
            if operation in ("tanh", "abs"):
                lines.append(f"{out} = math.{'absf' if operation == 'abs' else operation} {x} : {element}")
            elif operation in ("rsqrt", "log", "log2"):
                square, more, one = (self.fresh("t") for _ in range(3))
                lines += [f"{square} = arith.mulf {x}, {x} : f32", f"{one} = arith.constant 1.0 : f32",
                          f"{more} = arith.addf {square}, {one} : f32", f"{out} = math.{operation} {more} : f32"]
            elif operation in ("sin", "cos"):
                # Many turns, but only of what no rounding has changed.
                turns, angle = self.fresh("t"), self.fresh("t")
                exact = value.name in [name for name, _, _, _ in self.arguments]
                lines += [f"{turns} = arith.constant {'12345.75' if exact else '1.0'} : f32", f"{angle} = arith.mulf {x}, {turns} : f32",
                          f"{out} = math.{operation} {angle} : f32"]
            elif operation == "negf":
                lines.append(f"{out} = arith.negf {x} : {element}")
            elif operation == "select":
                test = self.fresh("t")
                lines += [f"{test} = arith.cmpi slt, {x}, {number} : {element}", f"{out} = arith.select {test}, {x}, {number} : {element}"]
            else:
                lines.append(f"{out} = arith.{operation} {x}, {number} : {element}")
            return lines, [out]
        return self.elementwise([value], [self.identity(value)], value.sizes, value.known, self.like(value), element, body)

    def binary(self, value):
        """With another operand: one that is there, or one of some of the dimensions in any order."""
        dice, element = self.dice, value.element
        rank = len(value.sizes)
        same = [v for v in self.all if v.sizes == value.sizes and v.element == element]
        if len(same) > 1 and dice.random() < 0.5:
            other, own = dice.choice(same), self.identity(value)
        else:
            keep = [d for d in range(rank) if dice.random() < 0.6]
            dice.shuffle(keep)
            of = dice.choice(FLOATS) if is_float(element) else dice.choice(["i32", "i8", "i64"])
            other = self.argument([value.sizes[d] for d in keep], [value.known[d] for d in keep], of)
            own = [f"d{d}" for d in keep]
        operation = dice.choice(["addf", "subf", "mulf", "maximumf", "minnumf"] if is_float(element) else ["addi", "subi", "maxsi", "xori"])

        def body(names):
            lines, out = [], self.fresh("t")
            second = self.converted(lines, names[1], other.element, element)
            lines.append(f"{out} = arith.{operation} {names[0]}, {second} : {element}")
            return lines, [out]
        return self.elementwise([value, other], [self.identity(value), own], value.sizes, value.known, self.like(value), element, body)

    def reduce(self, value, along=None, operation=None):
        dice, element, rank = self.dice, value.element, len(value.sizes)
        if along is None:
            along = [d for d in range(rank) if dice.random() < 0.5]
        keep = [d for d in range(rank) if d not in along]
        if dice.random() < 0.2:
            dice.shuffle(keep)
        if operation is None:
            operation = dice.choice(["addf", "addf", "maximumf", "minimumf", "maxnumf"] if is_float(element) else ["addi", "maxsi", "minsi", "ori", "maxui"])
            # A body that no threads share.
            if dice.random() < 0.1:
                operation = "last"
        sizes, known = [value.sizes[d] for d in keep], [value.known[d] for d in keep]
        like = [(value, d) for d in keep]
        if dice.random() < 0.25:
            init = self.argument(sizes, known, element)
        else:
            empty = self.empty(sizes, known, element, like)
            number = {"maximumf": -1000, "minimumf": 1000, "maxnumf": -1000, "maxsi": -100, "minsi": 100}.get(operation, 0)
            start = self.constant(element, number)
            name = self.fresh()
            self.line(f"{name} = linalg.fill ins({start} : {element}) outs({empty.name} : {empty.type}) -> {empty.type}")
            init = Value(name, sizes, known, element)

        def body(names):
            out, lines = self.fresh("t"), []
            x, old = (names[0], names[1]) if dice.random() < 0.5 else (names[1], names[0])
            if operation == "last":
                two, half = self.fresh("t"), self.fresh("t")
                kind = "f" if is_float(element) else "i"
                number = "0.5" if kind == "f" else "1"
                lines += [f"{half} = arith.constant {number} : {element}",
                          f"{two} = arith.{'mulf' if kind == 'f' else 'andi'} {names[1]}, {half} : {element}",
                          f"{out} = arith.add{kind} {two}, {names[0]} : {element}"]
            else:
                lines.append(f"{out} = arith.{operation} {x}, {old} : {element}")
            return lines, [out]
        kinds = "".join("r" if d in along else "p" for d in range(rank))
        return self.generic([value], [init], [self.identity(value), [f"d{d}" for d in keep]], kinds, body)[0]

    def pair(self, value):
        """The greatest of each row, and its place."""
        element, rank = value.element, len(value.sizes)
        sizes, known, like = value.sizes[:-1], value.known[:-1], [(value, d) for d in range(rank - 1)]
        init = []
        for of, number in ((element, -100), ("i32", 0)):
            empty, start, name = self.empty(sizes, known, of, like), self.constant(of, number), self.fresh()
            self.line(f"{name} = linalg.fill ins({start} : {of}) outs({empty.name} : {empty.type}) -> {empty.type}")
            init.append(Value(name, sizes, known, of))

        def body(names):
            x, old, place = names
            index, at, test, best, where = (self.fresh("t") for _ in range(5))
            greater = "cmpf ogt" if is_float(element) else "cmpi sgt"
            return [f"{index} = linalg.index {rank - 1} : index", f"{at} = arith.index_cast {index} : index to i32",
                    f"{test} = arith.{greater}, {x}, {old} : {element}", f"{best} = arith.select {test}, {x}, {old} : {element}",
                    f"{where} = arith.select {test}, {at}, {place} : i32"], [best, where]
        own = [f"d{d}" for d in range(rank - 1)]
        best, where = self.generic([value], init, [self.identity(value), own, own], "p" * (rank - 1) + "r", body)
        # A rounding may separate equal numbers.
        return best if self.rounds > 1 else self.dice.choice([best, where])

    def transpose(self, value):
        # Upstream's parser fails on a permutation of nothing.
        if not value.sizes:
            return self.unary(value)
        order = list(range(len(value.sizes)))
        self.dice.shuffle(order)
        sizes, known = [value.sizes[d] for d in order], [value.known[d] for d in order]
        init = self.empty(sizes, known, value.element, [(value, d) for d in order])
        out = Value(self.fresh(), sizes, known, value.element)
        self.line(f"{out.name} = linalg.transpose ins({value.name} : {value.type}) outs({init.name} : {init.type}) permutation = [{', '.join(map(str, order))}]")
        return out

    def broadcast(self, value):
        if self.count(value.sizes) > 4000 or len(value.sizes) > 3:
            return self.unary(value)
        place, size = self.dice.randrange(len(value.sizes) + 1), self.dice.choice([1, 3, 8])
        sizes, known = list(value.sizes), list(value.known)
        sizes.insert(place, size)
        known.insert(place, True)
        like = self.like(value)
        like.insert(place, None)
        init = self.empty(sizes, known, value.element, like)
        out = Value(self.fresh(), sizes, known, value.element)
        self.line(f"{out.name} = linalg.broadcast ins({value.name} : {value.type}) outs({init.name} : {init.type}) dimensions = [{place}]")
        return out

    def reshape(self, value):
        """Collapses neighbours, or expands a dimension that is known."""
        rank = len(value.sizes)
        # Upstream's bufferisation gives a collapse of no elements a type that does not verify.
        if 0 in value.sizes:
            return self.unary(value)
        places = [d for d in range(rank) if value.known[d] and value.sizes[d] % 2 == 0 and value.sizes[d]]
        if places and self.dice.random() < 0.5:
            d = self.dice.choice(places)
            sizes = [*value.sizes[:d], 2, value.sizes[d] // 2, *value.sizes[d + 1:]]
            known = [*value.known[:d], True, True, *value.known[d + 1:]]
            groups = [[i] if i < d else ([d, d + 1] if i == d else [i + 1]) for i in range(rank)]
            at = [str(size) if k else self.size(value, i if i < d else i - 1) for i, (size, k) in enumerate(zip(sizes, known))]
            out = Value(self.fresh(), sizes, known, value.element)
            self.line(f"{out.name} = tensor.expand_shape {value.name} {groups} output_shape [{', '.join(at)}] : {value.type} into {out.type}")
            return out
        if rank < 2:
            return self.unary(value)
        d = self.dice.randrange(rank - 1)
        sizes = [*value.sizes[:d], value.sizes[d] * value.sizes[d + 1], *value.sizes[d + 2:]]
        known = [*value.known[:d], value.known[d] and value.known[d + 1], *value.known[d + 2:]]
        groups = [[i] if i < d else ([d, d + 1] if i == d else [i + 1]) for i in range(rank - 1)]
        out = Value(self.fresh(), sizes, known, value.element)
        self.line(f"{out.name} = tensor.collapse_shape {value.name} {groups} : {value.type} into {out.type}")
        return out

    def slice(self, value):
        dice = self.dice
        # Upstream takes no slice of nothing.
        if 0 in value.sizes:
            return self.unary(value)
        offsets, sizes, strides, known, texts = [], [], [], [], []
        for i, size in enumerate(value.sizes):
            first, stride = (dice.randrange(size) if size and dice.random() < 0.5 else 0), dice.choice([1, 1, 2])
            most = (size - first + stride - 1) // stride
            own = dice.randint(0 if most == 0 else 1, most)
            offsets.append(str(first))
            strides.append(str(stride))
            sizes.append(own)
            if value.known[i] or dice.random() < 0.5:
                known.append(True)
                texts.append(str(own))
            else:
                known.append(False)
                texts.append(self.fresh("s"))
                self.line(f"{texts[-1]} = arith.constant {own} : index")
        out = Value(self.fresh(), sizes, known, value.element)
        self.line(f"{out.name} = tensor.extract_slice {value.name}[{', '.join(offsets)}] [{', '.join(texts)}] [{', '.join(strides)}] : {value.type} to {out.type}")
        return self.unary(out)

    def pad(self, value):
        dice, rank = self.dice, len(value.sizes)
        # Upstream makes a slice of a pad of nothing, which it refuses.
        if not rank or 0 in value.sizes:
            return self.unary(value)
        low, high = ([dice.choice([0, 0, 1, 2]) for _ in range(rank)] for _ in range(2))
        sizes = [size + a + b for size, a, b in zip(value.sizes, low, high)]
        out, number = Value(self.fresh(), sizes, value.known, value.element), self.constant(value.element, dice.choice([0, 1]))
        self.line(f"{out.name} = tensor.pad {value.name} low[{', '.join(map(str, low))}] high[{', '.join(map(str, high))}] {{")
        self.line("^bb0(" + ", ".join(f"%i{self.number}_{d}: index" for d in range(rank)) + "):")
        self.line(f"  tensor.yield {number} : {value.element}")
        self.line(f"}} : {value.type} to {out.type}")
        return out

    def insert(self, value):
        """Puts it into a larger one at a place, in a row or with elements of the other between."""
        dice = self.dice
        if 0 in value.sizes:
            return self.unary(value)
        more = [dice.choice([0, 0, 1, 3]) for _ in value.sizes]
        at = [dice.randint(0, n) for n in more]
        steps = [dice.choice([1, 1, 2, 3]) for _ in value.sizes]
        sizes = [(size - 1) * step + 1 + n for size, step, n in zip(value.sizes, steps, more)]
        whole = self.argument(sizes, [True for _ in value.sizes], value.element)
        out = Value(self.fresh(), whole.sizes, whole.known, value.element)
        texts = [str(size) if k else self.size(value, i) for i, (size, k) in enumerate(zip(value.sizes, value.known))]
        self.line(f"{out.name} = tensor.insert_slice {value.name} into {whole.name}[{', '.join(map(str, at))}] [{', '.join(texts)}] "
                  f"[{', '.join(map(str, steps))}] : {value.type} into {whole.type}")
        return out

    def indexed(self, value):
        """Adds a coordinate, or keeps what is below a diagonal."""
        rank, element = len(value.sizes), value.element
        if not rank:
            return self.unary(value)
        place = self.dice.randrange(rank)

        def body(names):
            index, at, small, out = (self.fresh("t") for _ in range(4))
            lines = [f"{index} = linalg.index {place} : index", f"{at} = arith.index_cast {index} : index to i32",
                     f"{small} = arith.constant 3 : i32"]
            test = self.fresh("t")
            lines += [f"{test} = arith.cmpi sle, {at}, {small} : i32"]
            if self.dice.random() < 0.5 and element not in ("i8",):
                number = self.fresh("t")
                computed = {"i32": f"arith.addi {at}, {at} : i32", "i64": f"arith.index_cast {index} : index to i64"}
                lines.append(f"{number} = {computed.get(element, f'arith.sitofp {at} : i32 to {element}')}")
                lines.append(f"{out} = arith.select {test}, {number}, {names[0]} : {element}")
            else:
                zero = self.fresh("t")
                lines.append(f"{zero} = arith.constant {'0.0' if is_float(element) else '0'} : {element}")
                lines.append(f"{out} = scf.if {test} -> ({element}) {{")
                lines.append(f"  scf.yield {names[0]} : {element}")
                lines.append("} else {")
                lines.append(f"  scf.yield {zero} : {element}")
                lines.append("}")
            return lines, [out]
        return self.elementwise([value], [self.identity(value)], value.sizes, value.known, self.like(value), element, body)

    def gather(self, value):
        """Both halves of the last dimension exchanged, by coordinates."""
        rank, element = len(value.sizes), value.element
        if not rank or not value.known[-1] or value.sizes[-1] % 2 or not value.sizes[-1]:
            return self.unary(value)
        half = value.sizes[-1] // 2

        def body(names):
            at = [self.fresh("t") for _ in range(rank)]
            number, test, out, moved, read, other = (self.fresh("t") for _ in range(6))
            lines = [f"{name} = linalg.index {d} : index" for d, name in enumerate(at)]
            lines += [f"{number} = arith.constant {half} : index", f"{test} = arith.cmpi ult, {at[-1]}, {number} : index",
                      f"{out} = scf.if {test} -> ({element}) {{", f"  {moved} = arith.addi {at[-1]}, {number} : index",
                      f"  {read} = tensor.extract {value.name}[{', '.join([*at[:-1], moved])}] : {value.type}",
                      f"  scf.yield {read} : {element}", "} else {"]
            back = self.fresh("t")
            lines += [f"  {back} = arith.subi {at[-1]}, {number} : index",
                      f"  {other} = tensor.extract {value.name}[{', '.join([*at[:-1], back])}] : {value.type}",
                      f"  scf.yield {other} : {element}", "}"]
            return lines, [out]
        init = self.empty(value.sizes, value.known, element, self.like(value))
        return self.generic([], [init], [self.identity(value)], "p" * rank, body)[0]

    def named(self, value):
        init = self.empty(value.sizes, value.known, value.element, self.like(value))
        out = Value(self.fresh(), value.sizes, value.known, value.element)
        both = f"ins({value.name}, {value.name} : {value.type}, {value.type}) outs({init.name} : {init.type}) -> {out.type}"
        operation = self.dice.choice(["add", "max", "sub"])
        self.line(f"{out.name} = linalg.{operation} {both}")
        return out

    def cast(self, value):
        target = self.dice.choice(FLOATS + ["i32"])
        if target == value.element or (value.element == "i8" and target == "i8"):
            return self.unary(value)

        def body(names):
            lines = []
            out = self.converted(lines, names[0], value.element, target)
            return lines, [out]
        return self.elementwise([value], [self.identity(value)], value.sizes, value.known, self.like(value), target, body)

    def wide(self, value):
        if value.element == "f32":
            return value

        def body(names):
            lines = []
            out = self.converted(lines, names[0], value.element, "f32")
            return lines, [out]
        return self.elementwise([value], [self.identity(value)], value.sizes, value.known, self.like(value), "f32", body)

    def over_rows(self, value, row, lines_of):
        """An elementwise operation of a value and of one for each row."""
        own = [f"d{d}" for d in range(len(value.sizes) - 1)]

        def body(names):
            lines = []
            return lines, [lines_of(lines, *names[:2])]
        return self.elementwise([value, row], [self.identity(value), own], value.sizes, value.known, self.like(value), "f32", body)

    def softmax(self, value):
        if not value.sizes or not value.sizes[-1]:
            return self.unary(value)
        value, last = self.wide(value), len(value.sizes) - 1

        def exponent(lines, x, m):
            d, e = self.fresh("t"), self.fresh("t")
            lines += [f"{d} = arith.subf {x}, {m} : f32", f"{e} = math.exp {d} : f32"]
            return e

        def ratio(lines, x, s):
            out = self.fresh("t")
            lines.append(f"{out} = arith.divf {x}, {s} : f32")
            return out
        most = self.reduce(value, [last], "maximumf")
        powers = self.over_rows(value, most, exponent) if most.sizes == value.sizes[:-1] else value
        total = self.reduce(powers, [last], "addf")
        if total.sizes != value.sizes[:-1] or powers is value:
            return powers
        return self.over_rows(powers, total, ratio)

    def norm(self, value):
        if not value.sizes or not value.sizes[-1]:
            return self.unary(value)
        value, last = self.wide(value), len(value.sizes) - 1
        square = self.elementwise([value], [self.identity(value)], value.sizes, value.known, self.like(value), "f32",
                                  lambda names: ([f"%q{self.number} = arith.mulf {names[0]}, {names[0]} : f32"], [f"%q{self.number}"]))
        total = self.reduce(square, [last], "addf")
        if total.sizes != value.sizes[:-1]:
            return square

        def scaled(lines, x, s):
            size, mean, one, more, root, out = (self.fresh("t") for _ in range(6))
            lines += [f"{size} = arith.constant {float(max(value.sizes[-1], 1))} : f32", f"{mean} = arith.divf {s}, {size} : f32",
                      f"{one} = arith.constant 1000.0 : f32", f"{more} = arith.addf {mean}, {one} : f32", f"{root} = math.rsqrt {more} : f32",
                      f"{out} = arith.mulf {x}, {root} : f32"]
            return out
        return self.over_rows(value, total, scaled)

    def text(self):
        of, _, _, value = self.result
        arguments = ", ".join(f"{name}: {own}" for name, own, _, _ in self.arguments)
        return "\n".join([f"func.func @{self.name}({arguments}) -> {of} {{", *self.lines, f"  return {value} : {of}", "}", ""])


class Vectors(Rows):
    """The same with sizes that vectors and tiles of 32 by 32 divide."""
    sizes = [1, 2, 8, 16, 24, 32, 64]


class Empty(Rows):
    """The same with a size of 0 each, which is mostly not known."""
    zeros, open_sizes = 1.0, 0.9
