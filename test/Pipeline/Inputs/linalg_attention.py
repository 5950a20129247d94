"""Random programs of attention in linalg on tensors, as JAX and torch write it: two contractions and a softmax between them.

Heads, grouped heads, Q, K and V of their own or parts of one buffer, heads before tokens or after them, K transposed before the product
or in its map; scales, causal masks with and without an offset, windows and other masks that cover all of the first keys of a query, masks and
biases from memory, booleans among them; maxima from -inf or the least number on,
sums of products in either order, division or a product with the reciprocal; sizes known or not, and no multiples of tiles.
"""
import shrink


# Which keys a query has not; the last is an argument.
COVERS = {
    "window": ["%later = arith.cmpi sgt, %column, %row : index", "%end = arith.addi %column, %n : index", "%before = arith.cmpi sle, %end, %row : index",
               "%no = arith.ori %later, %before : i1"],
    "padding": ["%no = arith.cmpi slt, %column, %n : index"],
    "later": ["%end = arith.addi %row, %n : index", "%no = arith.cmpi slt, %column, %end : index"],
    "given": [],
}


class Attention:
    """A function @pNUMBER of a seed: its text, and the shapes and types of its arguments, the result last."""
    kind = "tensor"
    called, results = [None], [None]

    def __init__(self, seed, number):
        dice = self.dice = shrink.dice(f"attention {seed} {number}")
        self.name, self.number, self.rounds = f"p{number}", 0, 1
        self.arguments, self.lines = [], []
        e = self.element = dice.choice(["bf16", "bf16", "f16"])
        batch, kv, group = dice.choice([1, 2]), dice.choice([1, 2, 3]), dice.choice([1, 1, 1, 2])
        heads, d = kv * group, dice.choice([16, 32, 48, 64, 64, 128])
        queries = dice.choice([16, 33, 64, 70, 100, 128])
        is_fused = dice.random() < 0.4
        keys = queries if is_fused or dice.random() < 0.5 else dice.choice([17, 64, 90, 130, 192])
        known_q, known_k = [dice.random() < 0.65 for _ in range(2)]
        if is_fused:
            known_k = known_q
        self.shape = {"b": batch, "h": kv, "g": group, "q": queries, "k": keys, "d": d}
        self.known = {"b": True, "h": True, "g": True, "q": known_q, "k": known_k, "d": True}
        # The sizes that are not known are those of arguments.
        if is_fused:
            width = (heads + 2 * kv) * d
            whole = self.argument("%qkv", [batch, queries, width], [True, known_q, True], e)
            self.sizes({"q": ("%qkv", 1), "k": ("%qkv", 1)})
            q, k, v = (self.part(whole, at, n, t) for at, n, t in ((0, heads, "q"), (heads * d, kv, "k"), ((heads + kv) * d, kv, "k")))
            order = {"q": "bqhgd", "k": "bkhd", "v": "bkhd"}
        else:
            first = dice.random() < 0.5
            order = {"q": "bhgqd" if first else "bqhgd", "k": "bhkd" if first else "bkhd", "v": "bhkd" if first else "bkhd"}
            self.sizes({})
            q = self.argument("%q", *self.of(order["q"]), e)
            k = self.argument("%k", *self.of(order["k"]), e)
            v = self.argument("%v", *self.of(order["v"]), e)
            self.sizes({"q": ("%q", order["q"].index("q")), "k": ("%k", order["k"].index("k"))})
        s = self.contraction(q, k, order["q"], order["k"], "bhgqk")
        s = self.scores(s)
        s = self.weights(s)
        if dice.random() < 0.5:
            o = self.contraction(s, v, "bhgqk", order["v"], "bhgqd")
            o_order = "bhgqd"
        else:
            o = self.contraction(v, s, order["v"], "bhgqk", "bhdgq")
            o_order = "bhdgq"
        if dice.random() < 0.7:
            o = self.map([(o, o_order, "f32")], o_order, e, [f"%r = arith.truncf %x0 : f32 to {e}"], "%r")
            of = e
        else:
            of = "f32"
        target = dice.choice(["bqhgd", "bhgqd", o_order])
        if target != o_order:
            o = self.map([(o, o_order, of)], target, of, [], "%x0")
        sizes, known = self.of(target)
        self.result = (self.tensor(sizes, known, of), of, sizes, o)

    def of(self, order):
        return [self.shape[c] for c in order], [self.known[c] for c in order]

    def tensor(self, sizes, known, element):
        return "tensor<" + "".join(f"{size if k else '?'}x" for size, k in zip(sizes, known)) + f"{element}>"

    def fresh(self):
        self.number += 1
        return f"%v{self.number}"

    def line(self, text):
        self.lines.append("  " + text)

    def argument(self, name, sizes, known, element):
        self.arguments.append((name, self.tensor(sizes, known, element), sizes, element))
        return name

    def sizes(self, places):
        """Values of the sizes that are not known: dimensions of arguments."""
        for c, (name, place) in places.items():
            if not self.known[c]:
                of = next(kind for own, kind, _, _ in self.arguments if own == name)
                self.line(f"%i{c} = arith.constant {place} : index")
                self.line(f"%n{c} = tensor.dim {name}, %i{c} : {of}")

    def part(self, whole, at, heads, tokens):
        """Heads of the fused buffer, as (batch, tokens, heads, size)."""
        _, kind, (batch, count, _), e = self.arguments[0]
        d, known = self.shape["d"], self.known[tokens]
        size = count if known else f"%n{tokens}"
        own, name = self.tensor([batch, count, heads * d], [True, known, True], e), self.fresh()
        self.line(f"{name} = tensor.extract_slice {whole}[0, 0, {at}] [{batch}, {size}, {heads * d}] [1, 1, 1] : {kind} to {own}")
        digits = [self.shape["h"], self.shape["g"], d] if tokens == "q" and at == 0 else [heads, d]
        split, last = self.tensor([batch, count, *digits], [True, known] + [True] * len(digits), e), self.fresh()
        group = ", ".join(str(2 + i) for i in range(len(digits)))
        self.line(f"{last} = tensor.expand_shape {name} [[0], [1], [{group}]] output_shape [{batch}, {size}, {', '.join(map(str, digits))}] : {own} into {split}")
        return last

    def empty(self, order, element):
        name = self.fresh()
        open_sizes = ", ".join(f"%n{c}" for c in order if not self.known[c])
        self.line(f"{name} = tensor.empty({open_sizes}) : {self.tensor(*self.of(order), element)}")
        return name

    def filled(self, order, element, number):
        empty, value, name, kind = self.empty(order, element), self.fresh(), self.fresh(), self.tensor(*self.of(order), element)
        self.line(f"{value} = arith.constant {number} : {element}")
        self.line(f"{name} = linalg.fill ins({value} : {element}) outs({empty} : {kind}) -> {kind}")
        return name

    def generic(self, inputs, loops, target, element, out, body, value):
        """A structured operation over loops; inputs are (name, order, element)."""
        place = {c: f"d{i}" for i, c in enumerate(loops)}
        text = lambda order: ", ".join(place[c] if c in place else "0" for c in order)
        maps = [f"affine_map<({', '.join(place.values())}) -> ({text(order)})>" for order in [*(own for _, own, _ in inputs), target]]
        kinds = ", ".join('"parallel"' if c in target else '"reduction"' for c in loops)
        kind, name = self.tensor(*self.of(target), element), self.fresh()
        ins = ""
        if inputs:
            types = [self.tensor(*self.of(own), of) for _, own, of in inputs]
            ins = f"ins({', '.join(name for name, _, _ in inputs)} : {', '.join(types)}) "
        self.line(f"{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} {ins}outs({out} : {kind}) {{")
        self.line("^bb0(" + ", ".join([f"%x{i}: {of}" for i, (_, _, of) in enumerate(inputs)] + [f"%old: {element}"]) + "):")
        for text in body:
            self.line(text)
        self.line(f"linalg.yield {value} : {element}")
        self.line(f"}} -> {kind}")
        return name

    def map(self, inputs, target, element, body, value):
        return self.generic(inputs, target, target, element, self.empty(target, element), body, value)

    def contraction(self, a, b, of_a, of_b, target):
        e = self.element
        loops = target + "".join(c for c in of_a + of_b if c not in target and (of_a + of_b).index(c) >= 0)
        loops = "".join(dict.fromkeys(loops))
        body = [f"%a = arith.extf %x0 : {e} to f32", f"%b = arith.extf %x1 : {e} to f32", "%p = arith.mulf %a, %b : f32", "%s = arith.addf %old, %p : f32"]
        return self.generic([(a, of_a, e), (b, of_b, e)], loops, target, "f32", self.filled(target, "f32", "0.0"), body, "%s")

    def scores(self, s):
        dice = self.dice
        scale = dice.choice(["0.125", "0.25", "0.0883883461"])
        s = self.map([(s, "bhgqk", "f32")], "bhgqk", "f32", [f"%c = arith.constant {scale} : f32", "%y = arith.mulf %x0, %c : f32"], "%y")
        mask = dice.choice(["none", "causal", "causal", "causal", "bias", "both", "window", "padding", "later", "given"])
        if mask in COVERS:
            return self.covered(s, COVERS[mask])
        if mask in ("bias", "both"):
            order = dice.choice(["bhgqk", "qk", "k", "bk", "hq"])
            of = dice.choice([self.element, "f32"])
            self.argument("%bias", *self.of(order), of)
            widen = [f"%w = arith.extf %x1 : {of} to f32"] if of != "f32" else []
            s = self.map([(s, "bhgqk", "f32"), ("%bias", order, of)], "bhgqk", "f32",
                         [*widen, f"%y = arith.addf %x0, {'%w' if widen else '%x1'} : f32"], "%y")
        if mask in ("causal", "both"):
            low = dice.choice(["-1.0e30", "0xFF800000", "-3.40282347E+38"])
            offset = dice.choice([0, 0, 0, 5, self.shape["k"] - self.shape["q"]])
            if offset < 0 and low == "0xFF800000":
                offset = 0
            if dice.random() < 0.5:
                # As JAX writes it: rows and columns as tensors, compared.
                rows = self.map([], "qk", "i32", ["%i = linalg.index 0 : index", "%y = arith.index_cast %i : index to i32"], "%y")
                columns = self.map([], "qk", "i32", ["%i = linalg.index 1 : index", "%y = arith.index_cast %i : index to i32"], "%y")
                keep = self.map([(rows, "qk", "i32"), (columns, "qk", "i32")], "qk", "i1",
                                [f"%c = arith.constant {offset} : i32", "%m = arith.addi %x0, %c : i32", "%y = arith.cmpi sge, %m, %x1 : i32"], "%y")
                wide = self.map([(keep, "qk", "i1")], "bhgqk", "i1", [], "%x0")
                s = self.map([(wide, "bhgqk", "i1"), (s, "bhgqk", "f32")], "bhgqk", "f32",
                             [f"%c = arith.constant {low} : f32", "%y = arith.select %x0, %x1, %c : f32"], "%y")
            else:
                s = self.map([(s, "bhgqk", "f32")], "bhgqk", "f32",
                             ["%row = linalg.index 3 : index", "%column = linalg.index 4 : index", f"%c = arith.constant {offset} : index",
                              "%m = arith.addi %row, %c : index", "%later = arith.cmpi sgt, %column, %m : index",
                              f"%low = arith.constant {low} : f32", "%y = arith.select %later, %low, %x0 : f32"], "%y")
        return s

    def covered(self, s, is_covered):
        """Scores that a finite number replaces: where all of a query are, its weights are equal."""
        dice, inputs = self.dice, [(s, "bhgqk", "f32")]
        if not is_covered:
            order = dice.choice(["qk", "bk", "bhgqk"])
            inputs.append((self.argument("%mask", *self.of(order), "i1"), order, "i1"))
        numbers = ["%row = linalg.index 3 : index", "%column = linalg.index 4 : index", f"%n = arith.constant {dice.choice([1, 7, 64, 70])} : index",
                   f"%low = arith.constant {dice.choice(['-1.0e9', '-65504.0', '-1.0e30', '-3.40282347E+38'])} : f32"]
        return self.map(inputs, "bhgqk", "f32", [*numbers, *is_covered, f"%y = arith.select {'%no' if is_covered else '%x1'}, %low, %x0 : f32"], "%y")

    def weights(self, s):
        dice, e = self.dice, self.element
        least = dice.choice(["0xFF800000", "-3.40282347E+38"])
        m = self.greatest(s, least)
        x = self.map([(s, "bhgqk", "f32"), (m, "bhgq", "f32")], "bhgqk", "f32", ["%d = arith.subf %x0, %x1 : f32", "%y = math.exp %d : f32"], "%y")
        t = self.generic([(x, "bhgqk", "f32")], "bhgqk", "bhgq", "f32", self.filled("bhgq", "f32", "0.0"), ["%y = arith.addf %old, %x0 : f32"], "%y")
        if dice.random() < 0.75:
            p = self.map([(x, "bhgqk", "f32"), (t, "bhgq", "f32")], "bhgqk", "f32", ["%y = arith.divf %x0, %x1 : f32"], "%y")
        else:
            t = self.map([(t, "bhgq", "f32")], "bhgq", "f32", ["%c = arith.constant 1.0 : f32", "%y = arith.divf %c, %x0 : f32"], "%y")
            p = self.map([(x, "bhgqk", "f32"), (t, "bhgq", "f32")], "bhgqk", "f32", ["%y = arith.mulf %x0, %x1 : f32"], "%y")
        return self.map([(p, "bhgqk", "f32")], "bhgqk", e, [f"%y = arith.truncf %x0 : f32 to {e}"], "%y")

    def greatest(self, s, least):
        first = self.filled("bhgq", "f32", least)
        if self.dice.random() < 0.7:
            return self.generic([(s, "bhgqk", "f32")], "bhgqk", "bhgq", "f32", first, ["%y = arith.maximumf %old, %x0 : f32"], "%y")
        # As torch writes it: with its place, which nothing reads.
        place, name = self.filled("bhgq", "i64", "0"), self.fresh()
        kinds = [self.tensor(*self.of(order), of) for order, of in (("bhgqk", "f32"), ("bhgq", "f32"), ("bhgq", "i64"))]
        row, all_of = "affine_map<(b, h, g, q, k) -> (b, h, g, q)>", "affine_map<(b, h, g, q, k) -> (b, h, g, q, k)>"
        self.line(f'{name}:2 = linalg.generic {{indexing_maps = [{all_of}, {row}, {row}], iterator_types = ["parallel", "parallel", "parallel", "parallel", '
                  f'"reduction"]}} ins({s} : {kinds[0]}) outs({first}, {place} : {kinds[1]}, {kinds[2]}) {{')
        self.line("^bb0(%x0: f32, %old: f32, %at: i64):")
        for text in ("%i = linalg.index 4 : index", "%j = arith.index_cast %i : index to i64", "%y = arith.maximumf %x0, %old : f32",
                     "%c = arith.cmpf ogt, %x0, %old : f32", "%n = arith.select %c, %j, %at : i64", "linalg.yield %y, %n : f32, i64"):
            self.line(text)
        self.line(f"}} -> ({kinds[1]}, {kinds[2]})")
        return f"{name}#0"

    def call_values(self, _):
        kind, of, shape, _ = self.result
        return [*self.arguments, ("%result", kind, shape, of)]

    def text(self):
        of, _, _, value = self.result
        arguments = ", ".join(f"{name}: {own}" for name, own, _, _ in self.arguments)
        return "\n".join([f"func.func @{self.name}({arguments}) -> {of} {{", *self.lines, f"  return {value} : {of}", "}", ""])
