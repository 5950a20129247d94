"""Triton's encodings of tensors as linear layouts: where each element of a shape is held, or lies.

An encoding is an object of Gluon's or the text that Triton prints in its IR. Each is built as Triton defines it: a tile is the
product of factors that each move along one dimension, is repeated or cut to the shape of a block, and then divided among blocks.
"""

import re
from math import prod

from ._native import LayoutError, LinearLayout

#: The names that Gluon's classes have for an encoding's fields.
_GLUON = {
    "BlockedLayout": ("blocked", "size_per_thread threads_per_warp warps_per_cta order"),
    "SliceLayout": ("slice", "dim parent"),
    "DotOperandLayout": ("dot_op", "operand_index parent k_width"),
    "NVMMADistributedLayout": ("nvidia_mma", "version warps_per_cta instr_shape"),
    "SwizzledSharedLayout": ("swizzled_shared", "vec per_phase max_phase order"),
    "NVMMASharedLayout": ("nvmma_shared", "swizzle_byte_width element_bitwidth transposed fp4_padded"),
    "DistributedLinearLayout": ("linear", "reg_bases lane_bases warp_bases block_bases shape"),
    "SharedLinearLayout": ("shared_linear", "offset_bases block_bases"),
}
#: Those that Triton's IR has for the same fields.
_IR = {
    "blocked": "sizePerThread threadsPerWarp warpsPerCTA order",
    "slice": "dim parent",
    "dot_op": "opIdx parent kWidth",
    "nvidia_mma": "version warpsPerCTA instrShape",
    "swizzled_shared": "vec perPhase maxPhase order",
    "nvmma_shared": "swizzlingByteWidth elementBitWidth transposed fp4Padded",
    "linear": "register lane warp block shape",
    "shared_linear": "offset block",
}
TAKEN = ", ".join(f"#ttg.{kind}" for kind in _IR)


def gluon(of):
    """The fields of an object of Gluon's, or None of another object."""
    known = _GLUON.get(type(of).__name__)
    if known is None:
        return None
    kind, names = known
    fields = {ours: getattr(of, theirs) for ours, theirs in zip(_IR[kind].split(), names.split())}
    if "parent" in fields:
        parent = gluon(fields["parent"])
        if parent is None:
            raise LayoutError(f"{of!r}: expected a parent among {', '.join(_GLUON)}, found {type(of.parent).__name__}")
        fields["parent"] = parent
    elif hasattr(of, "cga_layout"):
        fields["CGALayout"] = of.cga_layout
    return {"kind": kind, **fields}


_TOKEN = re.compile(r"\s*(#(?:ttg|triton_gpu)\.\w+|#\w+|\w+|[<>{}\[\],=])")


def parsed(text):
    """The fields of an encoding that Triton prints, such as `#ttg.blocked<{sizePerThread = [1], …}>`."""
    tokens, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise LayoutError(f"expected an encoding of Triton's, found {text[at:].strip()!r}")
        tokens.append(match[1])
        at = match.end()
    tokens.reverse()
    fields = _encoding(tokens)
    if tokens:
        raise LayoutError(f"expected the end of the encoding, found {tokens[-1]!r}")
    return fields


def _take(tokens, *expected):
    token = tokens.pop() if tokens else "the end"
    if expected and token not in expected:
        raise LayoutError(f"expected {' or '.join(f'`{one}`' for one in expected)} in an encoding, found {token!r}")
    return token


def _encoding(tokens):
    name = _take(tokens)
    kind = name.rpartition(".")[2]
    if "." not in name:
        raise LayoutError(f"expected an encoding such as #ttg.blocked<{{…}}>, found {name}; write an alias out")
    if kind not in _IR:
        raise LayoutError(f"expected one of {TAKEN}, found {name}")
    fields = {"kind": kind}
    _take(tokens, "<")
    _take(tokens, "{")
    while (key := _take(tokens)) != "}":
        _take(tokens, "=")
        fields[key] = _encoding(tokens) if tokens and tokens[-1].startswith("#") else _value(tokens)
        if _take(tokens, ",", "}") == "}":
            break
    if _take(tokens, ">", ",") == ",":
        key = _take(tokens)
        _take(tokens, "=")
        fields[key] = _value(tokens)
        _take(tokens, ">")
    if "versionMajor" in fields:
        fields["version"] = [fields["versionMajor"], fields.get("versionMinor", 0)]
    return fields


def _value(tokens):
    token = _take(tokens)
    if token == "[":
        values = []
        while tokens and tokens[-1] != "]":
            values.append(_value(tokens))
            if tokens and tokens[-1] == ",":
                tokens.pop()
        _take(tokens, "]")
        return values
    if token.isdecimal() or token in ("true", "false"):
        return int(token) if token.isdecimal() else token == "true"
    raise LayoutError(f"expected a number, a list or a truth value in an encoding, found {token!r}")


class _Tile:
    """Bases over outputs by number; each factor takes the next bits of its input and of its output."""

    def __init__(self, rank, names):
        self.sizes = [1] * rank
        self.bases = {name: [] for name in names}

    def basis(self, dim, value):
        return [value if at == dim else 0 for at in range(len(self.sizes))]

    def grow(self, name, dim, size):
        for bit in range(_log2(size)):
            self.bases[name].append(self.basis(dim, self.sizes[dim] << bit))
        self.sizes[dim] *= size

    def repeat(self, name, size):
        self.bases[name] += [self.basis(0, 0) for _ in range(_log2(size))]

    def extend(self, dims, shape):
        """Repeats the tile along the dimensions to the shape, in the first input."""
        for dim in dims:
            self.grow(next(iter(self.bases)), dim, max(1, shape[dim] // self.sizes[dim]))

    def cut(self, shape, drop=False):
        """The tile's part in the shape: the bases past it move nowhere, and registers go where `drop`."""
        for dim, size in enumerate(shape):
            for name, bases in self.bases.items():
                cut = [basis[dim] >= size for basis in bases]
                for basis, past in zip(bases, cut):
                    basis[dim] = 0 if past else basis[dim]
                if drop and name == "register":
                    self.bases[name] = [basis for basis, past in zip(bases, cut) if not past]
            self.sizes[dim] = min(self.sizes[dim], size)

    def linear(self):
        return LinearLayout.from_bases(self.bases, {f"dim{dim}": size for dim, size in enumerate(self.sizes)})


def linear(encoding, shape):
    """The encoding's linear layout of a shape."""
    if shape is None:
        shape = encoding.get("shape")
        if shape is None and encoding["kind"] in ("linear", "shared_linear"):
            names = [name for name in _IR[encoding["kind"]].split() if name in encoding]
            bases = [basis for name in names for basis in _field(encoding, name)]
            shape = [1 << max(values).bit_length() for values in zip(*bases)]
        if shape is None:
            raise LayoutError(f"expected the shape of the tensor beside #ttg.{encoding['kind']}, found none")
    shape = list(shape)
    if not shape:
        raise LayoutError("expected a shape of at least one dimension, found ()")
    for size in shape:
        _log2(size)
    return _tile(encoding, shape).linear()


def _tile(encoding, shape):
    kind = encoding["kind"]
    fields = [_field(encoding, name) for name in _IR[kind].split() if name in _NEEDED[kind]]
    return _MAKE[kind](encoding, shape, len(shape), *fields)


def _field(encoding, name):
    value = encoding.get(name)
    number = lambda of: isinstance(of, int) and not isinstance(of, bool)
    numbers = lambda of: isinstance(of, (list, tuple)) and all(map(number, of))
    if name == "parent":
        expected, right = "an encoding", isinstance(value, dict)
    elif name in ("transposed", "fp4Padded"):
        expected, right = "a truth value", isinstance(value, bool)
    elif name in ("register", "lane", "warp", "block", "offset", "CGALayout"):
        expected, right = "a list of bases", isinstance(value, (list, tuple)) and all(map(numbers, value))
    elif name in _LISTS:
        expected, right = "a list of numbers", numbers(value) and len(value) > 0
    else:
        expected, right = "a number", number(value)
    if not right:
        found = "none" if value is None else value
        raise LayoutError(f"expected {expected} as {name} of #ttg.{encoding['kind']}, found {found}")
    return value


def _blocked(encoding, shape, rank, registers, lanes, warps, order):
    _ranks(encoding, rank, order=order, sizePerThread=registers, threadsPerWarp=lanes, warpsPerCTA=warps)
    tile = _distributed(rank)
    for name, sizes in (("register", registers), ("lane", lanes), ("warp", warps)):
        for dim in order:
            tile.grow(name, dim, sizes[dim])
    return _over_blocks(encoding, tile, order, shape, drop=True)


def _slice(encoding, shape, rank, dim, parent):
    if not 0 <= dim <= rank:
        raise LayoutError(f"expected dim of #ttg.slice from 0 to {rank}, found {dim}")
    tile = _tile(parent, [*shape[:dim], 1, *shape[dim:]])
    for bases in tile.bases.values():
        for basis in bases:
            del basis[dim]
    del tile.sizes[dim]
    tile.bases["register"] = [basis for basis in tile.bases["register"] if any(basis)]
    return tile


def _dot_operand(encoding, shape, rank, index, parent):
    if rank < 2 or index not in (0, 1):
        raise LayoutError(f"expected opIdx 0 or 1 of a tensor of at least two dimensions, found {index} of {rank}")
    depth = rank - 1 - index  # the contracted dimension: K
    kind = parent["kind"]
    inner = {**parent, "CGALayout": [[*basis[:depth], 0, *basis[depth + 1 :]] for basis in _blocks(parent, rank)]}
    if kind == "blocked":
        order, registers = _field(parent, "order"), list(_field(parent, "sizePerThread"))
        lanes, warps = _field(parent, "threadsPerWarp"), _field(parent, "warpsPerCTA")
        _ranks(parent, rank, order=order, sizePerThread=registers, threadsPerWarp=lanes, warpsPerCTA=warps)
        registers[depth] = shape[depth]
        tile = _distributed(rank)
        for dim in order:
            tile.grow("register", dim, registers[dim])
        _shared_along(tile, "lane", lanes, order, depth)
        warp_order = order
    elif kind == "nvidia_mma":
        width, version, warps = _field(encoding, "kWidth"), _field(parent, "version")[0], _field(parent, "warpsPerCTA")
        _ranks(parent, rank, warpsPerCTA=warps)
        if version not in (2, 3) or (version == 3 and index == 1):
            raise LayoutError(f"expected operand A of version 2 or 3, or B of version 2, found operand {'AB'[index]} of version {version}")
        order = _row_major(rank) if index == 0 else [rank - 2, *_row_major(rank)[:1], *_row_major(rank)[2:]]
        size = [1] * rank
        size[depth], size[2 * rank - 3 - depth] = 8 * width, 16 if index == 0 else 8
        tile, warp_order = _mma_tile(size, width, order), _warp_order(rank, version)
    else:
        raise LayoutError(f"expected a parent #ttg.blocked or #ttg.nvidia_mma of #ttg.dot_op, found #ttg.{kind}")
    _shared_along(tile, "warp", warps, warp_order, depth)
    return _over_blocks(inner, tile, order, shape)


def _mma(encoding, shape, rank, version, warps, instruction):
    if rank < 2 or version[0] not in (2, 3):
        raise LayoutError(f"expected #ttg.nvidia_mma of version 2 or 3 and two dimensions, found version {version[0]} of {rank}")
    size = instruction if version[0] == 2 else instruction[:2]
    _ranks(encoding, rank, warpsPerCTA=warps, instrShape=size)
    order = _row_major(rank)
    tile = _mma_tile(size, 2, order)
    for dim in _warp_order(rank, version[0]):
        tile.grow("warp", dim, warps[dim])
    return _over_blocks(encoding, tile, order, shape)


def _swizzled(encoding, shape, rank, vec, per_phase, max_phase, order):
    _ranks(encoding, rank, order=order)
    for size in (vec, per_phase, max_phase):
        _log2(size)
    block = _block_shape(encoding, shape)
    tile = _Tile(rank, ("offset",))
    for dim in order:
        tile.grow("offset", dim, block[dim])
    if rank > 1:
        column, row = order[:2]
        for basis in tile.bases["offset"]:
            if basis[row]:
                basis[column] = vec * (basis[row] // per_phase % max_phase) % block[column]
    return _over_blocks(encoding, tile, order, shape)


def _nvmma_shared(encoding, shape, rank, swizzle, element, transposed):
    padded = "fp4Padded" in encoding and _field(encoding, "fp4Padded")
    if swizzle not in (0, 32, 64, 128) or element not in (8, 16, 32, 64):
        raise LayoutError(f"expected a swizzle of 0, 32, 64 or 128 bytes and elements of 8 to 64 bits, found {swizzle} and {element}")
    if padded and (swizzle, element) != (128, 8):
        raise LayoutError(f"expected fp4Padded with a swizzle of 128 bytes and elements of 8 bits, found {swizzle} and {element}")
    block = _block_shape(encoding, shape)
    columns = 0 if transposed else rank - 1
    width = 8 * swizzle // element
    dims = [0, *range(rank - 1, 0, -1)] if transposed else _row_major(rank)  # the contiguous one first
    packed = 2 if padded else 1
    # One tensor map has at most 256 elements in each dimension, and rows of the swizzle's width.
    box = [min(size * (packed if dim == dims[0] else 1), 256) for dim, size in enumerate(block)]
    width = 8 * swizzle // element or box[dims[0]]
    tile = _Tile(rank, ("offset",))
    if not swizzle:
        if transposed and rank > 2:
            raise LayoutError(f"expected a swizzle, or at most two dimensions, of a transposed #ttg.nvmma_shared, found {rank}")
        tile.extend(dims, box)
        tile.extend(_row_major(rank), block)
        return _over_blocks(encoding, tile, range(rank), shape)
    box[dims[0]] = width // packed
    rows = box[-1] if transposed else prod(box[:-1])
    columns = prod(box) // rows
    if rank < 2 or rows < 8 or block[dims[0]] < box[dims[0]]:
        outer = f"dimension {rank - 1}" if transposed else "the others"
        expected = f"{box[dims[0]]} elements in dimension {dims[0]} and 8 in {outer} of a block"
        raise LayoutError(f"expected at least {expected}, found {' x '.join(map(str, block))}")
    vec, per_phase = 128 // element, 128 // swizzle
    column = [1 << bit for bit in range(_log2(width))]
    row = [(1 << bit, vec * ((1 << bit) // per_phase % (8 // per_phase))) for bit in range(3)]
    if padded:  # 8 elements in 16 places
        column, row = [_packed(at) for at in column], [(at, _packed(moved)) for at, moved in row]
    flat = [*column, *(at * columns + moved for at, moved in row)]
    flat += [at * columns for at in _doubling(8, rows)] + _doubling(box[dims[0]], columns)
    for value in flat:
        basis = tile.basis(0, 0)
        for dim in dims:
            basis[dim], value = value % box[dim], value // box[dim]
        tile.bases["offset"].append(basis)
    tile.sizes = box
    tile.extend(range(rank), block)
    return _over_blocks(encoding, tile, range(rank), shape)


def _packed(at):
    return at // 16 * 8 + at % 8


def _doubling(first, end):
    return [first << bit for bit in range(_log2(end // first))]


def _linear(encoding, shape, rank, *bases):
    names = ("register", "lane", "warp", "block")
    tile = _given(encoding, names, bases, rank)
    seen = [next(dim for dim, value in enumerate(basis) if value) for basis in tile.bases["register"] if any(basis)]
    tile.extend(dict.fromkeys([*seen, *_row_major(rank)]), shape)
    tile.cut(shape, drop=True)
    return tile


def _shared_linear(encoding, shape, rank, offset):
    block = _field(encoding, "block") if "block" in encoding else []
    tile = _given(encoding, ("offset", "block"), (offset, block), rank)
    if tile.sizes != shape:
        raise LayoutError(f"expected the shape {tuple(tile.sizes)} of #ttg.shared_linear, found {tuple(shape)}")
    return tile


def _given(encoding, names, bases, rank):
    tile = _Tile(rank, names)
    for name, vectors in zip(names, bases):
        for vector in vectors:
            _ranks(encoding, rank, **{f"each basis of {name}": vector})
        tile.bases[name] = [list(vector) for vector in vectors]
    every = [basis for vectors in tile.bases.values() for basis in vectors]
    tile.sizes = [1 << max((basis[dim] for basis in every), default=0).bit_length() for dim in range(rank)]
    return tile


def _mma_tile(size, width, order):
    """Quads of lanes hold rows: `width` values each along the inner dimension, in tiles of 8 rows."""
    inner, outer = order[:2]
    if size[outer] % 8 or size[inner] % (4 * width):
        expected = f"an instruction of whole tiles of 8 rows and {4 * width} columns"
        raise LayoutError(f"expected {expected}, found {size[outer]} and {size[inner]}")
    tile = _distributed(len(size))
    tile.grow("register", inner, width)
    tile.grow("lane", inner, 4)
    tile.grow("lane", outer, 8)
    tile.grow("register", outer, size[outer] // 8)
    tile.grow("register", inner, size[inner] // (4 * width))
    return tile


def _shared_along(tile, name, sizes, order, depth):
    """Lanes or warps along the contracted dimension hold the same elements."""
    for dim in order:
        if dim == depth:
            tile.repeat(name, sizes[dim])
        else:
            tile.grow(name, dim, sizes[dim])


def _warp_order(rank, version):
    """The order of warps: in version 3, the four warps of a warpgroup hold its rows."""
    return _row_major(rank) if version == 2 else list(range(rank))


def _distributed(rank):
    return _Tile(rank, ("register", "lane", "warp"))


def _row_major(rank):
    return list(range(rank))[::-1]


def _blocks(encoding, rank):
    """Where blocks of a cluster lie, as bases: of `CGALayout`, or of the three fields that Triton had before."""
    if "CTAsPerCGA" in encoding:
        ctas, split, order = (_field(encoding, name) for name in ("CTAsPerCGA", "CTASplitNum", "CTAOrder"))
        _ranks(encoding, rank, order=order, CTAsPerCGA=ctas, CTASplitNum=split)
        tile = _Tile(rank, ("block",))
        for dim in order:
            tile.grow("block", dim, split[dim])
            tile.repeat("block", ctas[dim] // split[dim])
        return tile.bases["block"]
    bases = _field(encoding, "CGALayout") if encoding.get("CGALayout") is not None else []
    for basis in bases:
        _ranks(encoding, rank, CGALayout=basis)
    return bases


def _blocks_tile(encoding, shape):
    tile = _given(encoding, ("block",), (_blocks(encoding, len(shape)),), len(shape))
    tile.cut(shape)
    return tile


def _block_shape(encoding, shape):
    return [size // parts for size, parts in zip(shape, _blocks_tile(encoding, shape).sizes)]


def _over_blocks(encoding, tile, dims, shape, drop=False):
    """The tile in the part of the shape that each block has, and the blocks' places."""
    block = _block_shape(encoding, shape)
    tile.extend(dims, block)
    tile.cut(block, drop)
    over = _blocks_tile(encoding, shape).bases["block"]
    tile.bases["block"] = [[value * size for value, size in zip(basis, tile.sizes)] for basis in over]
    tile.sizes = list(shape)
    return tile


def _ranks(encoding, rank, order=None, **lists):
    if order is not None and sorted(order) != list(range(rank)):
        raise LayoutError(f"expected order of #ttg.{encoding['kind']} to permute {rank} dimensions, found {order}")
    for name, values in lists.items():
        if len(values) != rank:
            raise LayoutError(f"expected {name} of #ttg.{encoding['kind']} to have the shape's {rank} entries, found {values}")


def _log2(size):
    if not isinstance(size, int) or size < 1 or size & (size - 1) or size >> 62:
        raise LayoutError(f"expected powers of two up to 2^61 in an encoding and its shape, found {size}")
    return size.bit_length() - 1


_LISTS = "sizePerThread threadsPerWarp warpsPerCTA order version instrShape CTAsPerCGA CTASplitNum CTAOrder".split()
#: The fields without which there is no layout.
_NEEDED = {
    **_IR,
    "dot_op": "opIdx parent",
    "nvmma_shared": "swizzlingByteWidth elementBitWidth transposed",
    "linear": "register lane warp block",
    "shared_linear": "offset",
}
_NEEDED = {kind: names.split() for kind, names in _NEEDED.items()}
_MAKE = {
    "blocked": _blocked,
    "slice": _slice,
    "dot_op": _dot_operand,
    "nvidia_mma": _mma,
    "swizzled_shared": _swizzled,
    "nvmma_shared": _nvmma_shared,
    "linear": _linear,
    "shared_linear": _shared_linear,
}
