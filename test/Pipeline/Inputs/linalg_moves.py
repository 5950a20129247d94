"""Random programs of linalg on tensors with contractions between operations that move elements: transposes, reshapes, slices, padding, insertions
and concatenations in front of operands and after results, chains of contractions, and elementwise operations between them.
"""
import math

import shrink

from linalg_rows import Rows, Value, is_float

# Elements of an operand, beyond which a contraction makes no more of them.
MOST = 1 << 16
CONTRACTED = {"f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64", "i8": "i32"}


class Moves(Rows):
    """A function @pNUMBER of a seed, as linalg_rows.py makes them."""

    def __init__(self, seed, number):
        dice = self.dice = shrink.dice(f"moves {seed} {number}")
        self.name, self.number = f"p{number}", 0
        self.arguments, self.lines, self.rounds = [], [], 1
        rank = dice.choice([1, 2, 2, 3, 3, 4])
        sizes = [dice.choice([1, 2, 3, 4, 8, 8, 12, 16, 16, 17]) for _ in range(rank)]
        known = [not (dice.random() < 0.15) for _ in sizes]
        last = self.argument(sizes, known, dice.choice(["f32", "f32", "f16", "bf16", "f64", "i8"]))
        self.all = [last]
        moves = [self.transpose, self.transpose, self.reshape, self.reshape, self.slice, self.pad, self.insert, self.joined]
        for part in range(dice.choice([1, 1, 2])):
            for _ in range(dice.choice([0, 1, 2, 3])):
                last = self.all[-1] if self.all[-1].name == last.name else last
                last = dice.choice(moves)(last)
                self.all.append(last)
            last = self.contract(last)
            self.all.append(last)
        for _ in range(dice.choice([0, 1, 2, 4, 5])):
            last = dice.choice([*moves, self.transpose, self.scaled, self.binary, self.biased, self.biased])(last)
            self.all.append(last)
        self.result = (last.type, last.element, last.sizes, last.name)

    def contract(self, value):
        """A product with an argument, whose dimensions come in any order, and go through a transpose or a reshape first."""
        dice = self.dice
        if value.element not in CONTRACTED or not value.sizes:
            value = self.cast_to(value, "f32")
        element, target = value.element, CONTRACTED[value.element]
        rank = len(value.sizes)
        if not rank:
            return self.biased(value)
        k = [d for d in range(rank) if dice.random() < 0.4] or [dice.randrange(rank)]
        batch = [d for d in range(rank) if d not in k and dice.random() < 0.25]
        more = dice.choice([[4], [8], [16], [3], [2, 8], [1]])
        if math.prod(value.sizes) > MOST:
            more = [1]
        loops = list(range(rank + len(more)))
        right = [*batch, *k, *loops[rank:]]
        dice.shuffle(right)
        sizes = [*value.sizes, *more]
        known = [*value.known, *[True] * len(more)]
        other = self.argument([sizes[d] for d in right], [known[d] for d in right], element)
        if dice.random() < 0.5:
            order = list(range(len(right)))
            dice.shuffle(order)
            other = self.permuted(other, order)
            right = [right[d] for d in order]
        out = [d for d in loops if d not in k]
        if dice.random() < 0.3:
            dice.shuffle(out)
        like = {**{d: (value, d) for d in range(rank)}, **{d: (other, right.index(d)) for d in loops[rank:]}}
        init = self.empty([sizes[d] for d in out], [known[d] for d in out], target, [like[d] for d in out])
        zero, filled = self.constant(target, 0), self.fresh("f")
        self.line(f"{filled} = linalg.fill ins({zero} : {target}) outs({init.name} : {init.type}) -> {init.type}")
        init = Value(filled, init.sizes, init.known, target)
        inputs, maps = [value, other], [[f"d{d}" for d in range(rank)], [f"d{d}" for d in right]]
        if dice.random() < 0.4:
            inputs, maps = inputs[::-1], maps[::-1]

        def body(names):
            lines = []
            x, y = (self.converted(lines, name, element, target) for name in names[:2])
            kind = "f" if is_float(target) else "i"
            product, total = self.fresh("t"), self.fresh("t")
            lines += [f"{product} = arith.mul{kind} {x}, {y} : {target}", f"{total} = arith.add{kind} {names[2]}, {product} : {target}"]
            return lines, [total]

        kinds = "".join("r" if d in k else "p" for d in loops)
        return self.generic(inputs, [init], [*maps, [f"d{d}" for d in out]], kinds, body)[0]

    def permuted(self, value, order):
        sizes, known = [value.sizes[d] for d in order], [value.known[d] for d in order]
        init = self.empty(sizes, known, value.element, [(value, d) for d in order])
        name = self.fresh()
        self.line(f"{name} = linalg.transpose ins({value.name} : {value.type}) outs({init.name} : {init.type}) permutation = {order}")
        return Value(name, sizes, known, value.element)

    def cast_to(self, value, element):
        def body(names):
            lines = []
            return lines, [self.converted(lines, names[0], value.element, element)]

        return self.elementwise([value], [self.identity(value)], value.sizes, value.known, self.like(value), element, body)

    def scaled(self, value):
        number = self.constant(value.element, 2)

        def body(names):
            out = self.fresh("t")
            return [f"{out} = arith.mul{'f' if is_float(value.element) else 'i'} {names[0]}, {number} : {value.element}"], [out]

        return self.elementwise([value], [self.identity(value)], value.sizes, value.known, self.like(value), value.element, body)

    def biased(self, value):
        """An addition of an argument along some dimensions, or of one with dimensions of one element."""
        keep = [d for d in range(len(value.sizes)) if self.dice.random() < 0.5]
        ones = self.dice.random() < 0.4
        own = range(len(value.sizes)) if ones else keep
        sizes = [value.sizes[d] if d in keep else 1 for d in own]
        other = self.argument(sizes, [value.known[d] or d not in keep for d in own], value.element)

        def body(names):
            out = self.fresh("t")
            return [f"{out} = arith.add{'f' if is_float(value.element) else 'i'} {names[0]}, {names[1]} : {value.element}"], [out]

        there = [f"d{d}" if d in keep else "0" for d in own]
        return self.elementwise([value, other], [self.identity(value), there], value.sizes, value.known, self.like(value), value.element, body)

    def joined(self, value):
        """A concatenation with an argument, as insertions."""
        if not value.sizes or not all(value.known):
            return self.transpose(value)
        d = self.dice.randrange(len(value.sizes))
        sizes = list(value.sizes)
        sizes[d] = self.dice.choice([1, 2, 8])
        parts = [value, self.argument(sizes, value.known, value.element)]
        self.dice.shuffle(parts)
        sizes[d] += value.sizes[d]
        result = self.empty(sizes, value.known, value.element, [])
        at = 0
        for part in parts:
            own = Value(self.fresh(), sizes, value.known, value.element)
            offsets, steps = [0] * len(sizes), [1] * len(sizes)
            offsets[d] = at
            self.line(f"{own.name} = tensor.insert_slice {part.name} into {result.name}{offsets} {part.sizes} {steps} : {part.type} into {own.type}")
            result, at = own, at + part.sizes[d]
        return result
