"""Random convolutions of linalg in bf16 and f16, NHWC and NCHW: padding on each side, strides, dilations, groups, sizes of one and seven; filled
or added to, with a bias, an activation and a residual behind.

Most have channels in whole rows of a tile, and are read as images; the others stay matrices with modes of several loops. Of dynamic ones
the number of images is known at run time, or height and width, too.
"""
import random


class Convolution:
    """A function @pNUMBER, as linalg.py calls it."""
    kind = "tensor"
    called, results = [None], [None]

    def __init__(self, seed, number):
        dice = random.Random(f"convolutions {seed} {number}")
        self.name, self.rounds, self.arguments, self.lines = f"p{number}", 1, [], []
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
        padded = [one + before + behind for one, before, behind in zip(size, low, high)]
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
            self.behind(dice, result, len(front) + (2 if form.startswith("nhwc") else 0), element, tensor)

    def unknown(self, seed, rows):
        """The dimensions of images and results that are known at run time; rows and columns are these."""
        return []

    def behind(self, dice, result, channel, element, tensor):
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

    def handed(self, _):
        of, element, shape, _ = self.result
        return [*self.arguments, ("%result", of, shape, element)]

    def text(self):
        arguments = ", ".join(f"{name}: {of}" for name, of, _, _ in self.arguments)
        body = "\n".join(f"  {line}" for line in self.lines)
        return f"func.func @{self.name}({arguments}) -> {self.result[0]} {{\n{body}\n  return {self.result[3]} : {self.result[0]}\n}}\n"


class DynamicConvolution(Convolution):
    def unknown(self, seed, rows):
        return random.Random(f"unknown {seed} {self.name}").choice([[0], [0], [0, rows, rows + 1]])
