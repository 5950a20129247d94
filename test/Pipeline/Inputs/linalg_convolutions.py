"""Random convolutions of linalg in bf16 and f16, NHWC and NCHW: padding on each side, strides, dilations, groups, sizes of one and seven; filled
or added to, with a bias, an activation and a residual after it.

Most have channels in whole rows of a tile, and are read as images; the others stay matrices with modes of several loops. Of dynamic ones
the number of images is known at run time, or height and width, too.
"""
import random

import shrink


class Function:
    """A function @pNUMBER on tensors with one result, as linalg.py calls it."""
    kind, rounds = "tensor", 1
    called, results = [None], [None]

    def call_values(self, _):
        of, element, shape, _ = self.result
        return [*self.arguments, ("%result", of, shape, element)]

    def text(self):
        arguments = ", ".join(f"{name}: {of}" for name, of, _, _ in self.arguments)
        body = "\n".join(f"  {line}" for line in self.lines)
        return f"func.func @{self.name}({arguments}) -> {self.result[0]} {{\n{body}\n  return {self.result[3]} : {self.result[0]}\n}}\n"


class Convolution(Function):

    def __init__(self, seed, number):
        dice = shrink.dice(f"convolutions {seed} {number}")
        self.name, self.arguments, self.lines = f"p{number}", [], []
        element = dice.choice(["bf16", "bf16", "f16"])
        form = dice.choice(["nhwc_hwcf", "nhwc_hwcf", "nhwc_fhwc", "nchw_fchw", "ngchw_gfchw"])
        images, groups = dice.choice([1, 2, 3]), 2 if form == "ngchw_gfchw" else 1
        channels, filters = dice.choice([64, 64, 64, 128, 24]), dice.choice([8, 16, 64, 65])
        if not form.startswith("nhwc"):
            channels = dice.choice([3, 16, 64])
        out, size, taps, stride, dilation, low, high = ([0, 0] for _ in range(7))
        for along in range(2):
            while out[along] < 1:
                size[along], taps[along] = dice.choice([1, 2, 5, 7, 7, 9]), dice.choice([1, 1, 2, 3, 3, 5])
                stride[along], dilation[along] = dice.choice([1, 1, 1, 2, 2, 3]), dice.choice([1, 1, 1, 2, 3])
                low[along], high[along] = dice.choice([0, 1, 1, 2, 3]), dice.choice([0, 1, 1, 2, 4])
                reach = (taps[along] - 1) * dilation[along] + 1
                out[along] = (size[along] + low[along] + high[along] - reach) // stride[along] + 1
        padded = [one + before + after for one, before, after in zip(size, low, high)]
        of = lambda spatial, depth, front: [*front, *spatial, depth] if form.startswith("nhwc") else [*front, depth, *spatial]
        front = [images] if groups == 1 else [images, groups]
        x, y, result = of(size, channels, front), of(padded, channels, front), of(out, filters, front)
        filter_shape = {"nhwc_hwcf": [*taps, channels, filters], "nhwc_fhwc": [filters, *taps, channels], "nchw_fchw": [filters, channels, *taps],
                        "ngchw_gfchw": [groups, filters, channels, *taps]}[form]
        rows = len(front) + (not form.startswith("nhwc"))
        unknown = self.unknown(seed, rows)
        known = lambda shape, of: f"tensor<{''.join(f'{extent}x' for extent in shape)}{of}>"
        tensor = lambda shape, of: known(["?" if d in unknown and len(shape) == len(x) else extent for d, extent in enumerate(shape)], of)
        self.argument("%x", x, element, tensor)
        self.argument("%w", filter_shape, element, known)
        read = "%x"
        if any(low) or any(high) or dice.random() < 0.3:
            zero = dice.choice(["0.0"] * 5 + ["1.0"])
            at = [f"%i{d}" for d in range(len(x))]
            sides = [", ".join(map(str, of(side, 0, [0] * len(front)))) for side in (low, high)]
            self.lines += [f"%pad = arith.constant {zero} : {element}",
                           f"%p = tensor.pad %x low[{sides[0]}] high[{sides[1]}] {{", f"^bb0({', '.join(f'{i}: index' for i in at)}):",
                           f"tensor.yield %pad : {element}", f"}} : {tensor(x, element)} to {tensor(y, element)}"]
            read = "%p"
        sums = tensor(result, "f32")
        self.sizes = ", ".join(f"%size{d}" for d in unknown)
        for d in unknown:
            self.lines += [f"%d{d} = arith.constant {d} : index", f"%of{d} = tensor.dim {read}, %d{d} : {tensor(y, element)}"]
            if d == 0:
                self.lines.append("%size0 = arith.addi %of0, %d0 : index")
                continue
            reach = (taps[d - rows] - 1) * dilation[d - rows]
            self.lines += [f"%reach{d} = arith.constant {reach} : index", f"%step{d} = arith.constant {stride[d - rows]} : index",
                           f"%whole{d} = arith.subi %of{d}, %reach{d} : index", f"%size{d} = arith.ceildivui %whole{d}, %step{d} : index"]
        if dice.random() < 0.8:
            self.lines += ["%zero = arith.constant 0.0 : f32", f"%e = tensor.empty({self.sizes}) : {sums}",
                           f"%c = linalg.fill ins(%zero : f32) outs(%e : {sums}) -> {sums}"]
        else:
            self.argument("%c", result, "f32", tensor)
        dense = lambda pair: f"dense<[{pair[0]}, {pair[1]}]> : tensor<2xi64>"
        self.lines.append(f"%s = linalg.conv_2d_{form} {{dilations = {dense(dilation)}, strides = {dense(stride)}}} "
                          f"ins({read}, %w : {tensor(y, element)}, {known(filter_shape, element)}) outs(%c : {sums}) -> {sums}")
        self.result = (sums, "f32", result, "%s")
        if dice.random() < 0.7:
            self.epilogue(dice, result, len(front) + (2 if form.startswith("nhwc") else 0), element, tensor)

    def unknown(self, seed, rows):
        """The dimensions of images and results that are known at run time; rows and columns are these."""
        return []

    def epilogue(self, dice, result, channel, element, tensor):
        """A bias for each channel, a residual or none, an activation, and a rounding."""
        sums, stored = tensor(result, "f32"), tensor(result, element)
        loops = ", ".join(f"d{d}" for d in range(len(result)))
        identity = f"affine_map<({loops}) -> ({loops})>"
        self.argument("%b", [result[channel]], element, tensor)
        inputs, types, maps, arguments = ["%s", "%b"], [sums, tensor([result[channel]], element)], [identity, f"affine_map<({loops}) -> (d{channel})>"], ["%t: f32", f"%u: {element}"]
        if dice.random() < 0.5:
            self.argument("%r", result, element, tensor)
            inputs, types, maps, arguments = [*inputs, "%r"], [*types, stored], [*maps, identity], [*arguments, f"%v: {element}"]
        kinds = ", ".join(['"parallel"'] * len(result))
        self.lines += [f"%o = tensor.empty({self.sizes}) : {stored}",
                       f"%y = linalg.generic {{indexing_maps = [{', '.join([*maps, identity])}], iterator_types = [{kinds}]}} "
                       f"ins({', '.join(inputs)} : {', '.join(types)}) outs(%o : {stored}) {{",
                       f"^bb0({', '.join(arguments)}, %old: {element}):", f"%u1 = arith.extf %u : {element} to f32", "%sum = arith.addf %t, %u1 : f32"]
        last = "%sum"
        if len(inputs) == 3:
            self.lines += [f"%v1 = arith.extf %v : {element} to f32", "%more = arith.addf %sum, %v1 : f32"]
            last = "%more"
        if dice.random() < 0.7:
            self.lines += ["%nothing = arith.constant 0.0 : f32", f"%relu = arith.maximumf {last}, %nothing : f32"]
            last = "%relu"
        self.lines += [f"%round = arith.truncf {last} : f32 to {element}", f"linalg.yield %round : {element}", f"}} -> {stored}"]
        self.result = (stored, element, result, "%y")

    def argument(self, name, shape, element, tensor):
        self.arguments.append((name, tensor(shape, element), shape, element))


class DynamicConvolution(Convolution):
    def unknown(self, seed, rows):
        return random.Random(f"unknown {seed} {self.name}").choice([[0], [0], [0, rows, rows + 1]])


class Network(Function):
    """Convolutions one after the other, NCHW as torch-mlir and ONNX write them or with the transposes of JAX around NHWC, with scales, activations and
    residuals between them; the number of images is known or not.
    """

    def __init__(self, seed, number):
        dice = self.dice = shrink.dice(f"networks {seed} {number}")
        self.name, self.arguments, self.lines, self.count = f"p{number}", [], [], 0
        self.images, self.open = dice.choice([1, 2, 3]), dice.random() < 0.5
        channels, self.place = dice.choice([64, 64, 64, 8]), [dice.choice([4, 5, 7]), dice.choice([3, 6, 7])]
        x = self.argument([self.images, channels, *self.place], "bf16")
        if self.open:
            self.lines += ["%c0 = arith.constant 0 : index", f"%n = tensor.dim {x}, %c0 : {self.of(channels, 'bf16')}"]
        self.lines += ["%zero = arith.constant 0.0 : bf16", "%none = arith.constant 0.0 : f32"]
        earlier = [(x, channels)]
        for _ in range(dice.choice([1, 2, 2, 3])):
            filters = dice.choice([64, 64, 64, 16])
            last = self.convolution(*earlier[-1], filters)
            for _ in range(dice.choice([0, 1, 2, 3])):
                last = self.elementwise(last, filters, [one for one, own in earlier if own == filters])
            earlier.append((self.map([(last, self.of(filters, "f32"), "f32")], filters, "bf16", "arith.truncf %e0 : f32 to bf16"), filters))
        value, channels = earlier[-1]
        self.result = (self.of(channels, "bf16"), "bf16", [self.images, channels, *self.place], value)

    def of(self, channels, element, last=False):
        front = "?" if self.open else self.images
        shape = [front, *self.place, channels] if last else [front, channels, *self.place]
        return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"

    def fresh(self, line):
        self.count += 1
        self.lines.append(f"%v{self.count} = {line}")
        return f"%v{self.count}"

    def argument(self, shape, element):
        name = f"%a{len(self.arguments)}"
        extents = ["?" if self.open and not self.arguments else shape[0], *shape[1:]]
        self.arguments.append((name, f"tensor<{''.join(f'{extent}x' for extent in extents)}{element}>", shape, element))
        return name

    def empty(self, of):
        return self.fresh(f"tensor.empty({'%n' if self.open else ''}) : {of}")

    def transposed(self, value, to, channels, element, last):
        return self.fresh(f"linalg.transpose ins({value} : {self.of(channels, element, not last)}) outs({self.empty(to)} : {to}) permutation = {'[0, 2, 3, 1]' if last else '[0, 3, 1, 2]'}")

    def convolution(self, x, channels, filters):
        dice, taps = self.dice, self.dice.choice([1, 3, 3])
        last = dice.random() < 0.5
        side, other = taps // 2, [one + taps - 1 for one in self.place]
        if last:
            x = self.transposed(x, self.of(channels, "bf16", True), channels, "bf16", True)
        read = self.of(channels, "bf16", last)
        if taps > 1:
            place, self.place = self.place, other
            padded = self.of(channels, "bf16", last)
            self.place = place
            sides = ", ".join(str(one) for one in ([0, side, side, 0] if last else [0, 0, side, side]))
            x = self.fresh(f"tensor.pad {x} low[{sides}] high[{sides}] {{\n  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):\n    tensor.yield %zero : bf16\n  }} : {read} to {padded}")
            read = padded
        shape = [taps, taps, channels, filters] if last else [filters, channels, taps, taps]
        w = self.argument(shape, "bf16")
        to = self.of(filters, "f32", last)
        start = self.fresh(f"linalg.fill ins(%none : f32) outs({self.empty(to)} : {to}) -> {to}")
        if not last and dice.random() < 0.4:
            b = self.argument([filters], "f32")
            start = self.fresh(f"linalg.broadcast ins({b} : tensor<{filters}xf32>) outs({self.empty(to)} : {to}) dimensions = [0, 2, 3]")
        filter_type = f"tensor<{'x'.join(map(str, shape))}xbf16>"
        y = self.fresh(f"linalg.conv_2d_{'nhwc_hwcf' if last else 'nchw_fchw'} ins({x}, {w} : {read}, {filter_type}) outs({start} : {to}) -> {to}")
        return self.transposed(y, self.of(filters, "f32"), filters, "f32", False) if last else y

    def map(self, inputs, channels, element, line, maps=None):
        """One elementwise operation over NCHW."""
        identity, to = "affine_map<(n, c, h, w) -> (n, c, h, w)>", self.of(channels, element)
        maps = [*(maps or [identity] * len(inputs)), identity]
        arguments = ", ".join([*(f"%e{i}: {own}" for i, (_, _, own) in enumerate(inputs)), f"%old: {element}"])
        kinds = ", ".join(['"parallel"'] * 4)
        return self.fresh(f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} ins({', '.join(one for one, _, _ in inputs)} : "
                          f"{', '.join(of for _, of, _ in inputs)}) outs({self.empty(to)} : {to}) {{\n  ^bb0({arguments}):\n    %r = {line}\n    linalg.yield %r : {element}\n  }} -> {to}")

    def elementwise(self, x, channels, earlier):
        dice, of = self.dice, self.of(channels, "f32")
        kind = dice.choice(["scale", "broadcast", "ones", "activation", "residual", "residual"])
        own, identity = (x, of, "f32"), "affine_map<(n, c, h, w) -> (n, c, h, w)>"
        if kind == "residual" and earlier:
            wide = self.map([(dice.choice(earlier), self.of(channels, "bf16"), "bf16")], channels, "f32", "arith.extf %e0 : bf16 to f32")
            return self.map([own, (wide, of, "f32")], channels, "f32", dice.choice(["arith.addf %e0, %e1 : f32", "arith.addf %e1, %e0 : f32"]))
        if kind in ("activation", "residual"):
            return self.map([own], channels, "f32", "arith.maximumf %e0, %none : f32")
        b = self.argument([channels], "f32")
        if kind == "scale":
            return self.map([own, (b, f"tensor<{channels}xf32>", "f32")], channels, "f32", "arith.mulf %e0, %e1 : f32", [identity, "affine_map<(n, c, h, w) -> (c)>"])
        if kind == "ones":
            ones = f"tensor<1x{channels}x1x1xf32>"
            b = self.fresh(f"tensor.expand_shape {b} [[0, 1, 2, 3]] output_shape [1, {channels}, 1, 1] : tensor<{channels}xf32> into {ones}")
            return self.map([own, (b, ones, "f32")], channels, "f32", "arith.addf %e0, %e1 : f32", [identity, "affine_map<(n, c, h, w) -> (0, c, 0, 0)>"])
        wide = self.fresh(f"linalg.broadcast ins({b} : tensor<{channels}xf32>) outs({self.empty(of)} : {of}) dimensions = [0, 2, 3]")
        return self.map([own, (wide, of, "f32")], channels, "f32", "arith.addf %e0, %e1 : f32")
