"""Reductions of tiles that threads hold by many thread-value layouts: a program that runs them all, and what it must print.

    reductions.py make > all.mlir     kernels, and a main function that launches each and prints its result
    reductions.py check < printed     compares what was printed with sums and maxima of the tile itself
"""

import re
import sys

# Name, threads of the block, thread-value layout, tile, reduced modes, kind, element type, repetitions of the kernel's loop.
CASES = [
    ("row_in_block", 256, "(256,(4,2)):(4,(1,1024))", (2048,), [0], "add", "i32"),
    ("warp_a_row", 128, "((32,4),(2,4)):((8,1),(4,256))", (4, 256), [1], "max", "i32"),
    ("warp_a_row_columns", 128, "((32,4),(2,4)):((8,1),(4,256))", (4, 256), [0], "add", "i32"),
    ("mma_rows", 64, "((4,8),(2,2)):((32,1),(16,8))", (16, 8), [1], "add", "f32"),
    ("mma_columns", 64, "((4,8),(2,2)):((32,1),(16,8))", (16, 8), [0], "min", "f32"),
    ("mma_all", 32, "((4,8),(2,2)):((32,1),(16,8))", (16, 8), [0, 1], "add", "f32"),
    ("basis", 128, "((32,4),(4,2)):((4@1,1@0),(1@1,4@0))", (8, 128), [1], "add", "i32"),
    ("basis_rows", 128, "((32,4),(4,2)):((4@1,1@0),(1@1,4@0))", (8, 128), [0], "xor", "i32"),
    ("three_warps", 96, "(96,2):(2,1)", (192,), [0], "add", "i32"),
    ("of_24", 96, "(24,2):(2,1)", (48,), [0], "add", "i32"),
    ("columns_of_3", 96, "((3,32),1):((32,1),0)", (32, 3), [0], "add", "i32"),
    ("columns_of_12", 192, "((12,16),4):((64,1),16)", (16, 48), [0], "add", "i32"),
    ("three_by_four", 96, "((3,4),2):((1,3),12)", (3, 8), [1], "add", "i32"),
    ("held_twice", 64, "((32,2),(2,2)):((2,0),(1,0))", (64,), [0], "add", "i32"),
    ("strided_lanes", 32, "((2,2,2,2,2),2):((1,16,2,32,4),8)", (4, 16), [0], "add", "i32"),
    ("distant_warps", 128, "((32,2,2),2):((4,1,128),2)", (4, 64), [1], "mul", "i32"),
    ("region", 128, "(128,2):(2,1)", (256,), [0], None, "f32"),
    ("halves", 64, "(64,4):(4,1)", (256,), [0], "max", "bf16"),
    ("region_of_halves", 32, "(32,4):(4,1)", (128,), [0], None, "f16"),
    ("in_a_loop", 128, "(128,2):(2,1)", (256,), [0], "add", "i32"),
    ("alone", 32, None, (4, 4), [1], "add", "i32"),
]


def flat(shape, stride):
    """The leaves of a shape and a stride that nest alike, as (extent, stride)."""
    if isinstance(shape, tuple):
        return [leaf for s, d in zip(shape, stride) for leaf in flat(s, d)]
    return [(shape, stride)]


def size(shape):
    return size_of(flat(shape, shape))


def size_of(leaves):
    product = 1
    for extent, _ in leaves:
        product *= extent
    return product


def holders(case):
    """For each thread and value the coordinate in the tile."""
    _, block, layout, tile, *_ = case
    if layout is None:
        count = size(tile)
        return [[coordinate(v, tile) for v in range(count)]], block
    shape, stride = layout.split(":")
    # A scaled basis element becomes a step in the tile's index: one in mode 1 passes all of mode 0.
    stride = re.sub(r"(\d+)@0", r"\1", stride)
    stride = re.sub(r"(\d+)@1", lambda m: str(int(m[1]) * tile[0]), stride)
    shape, stride = eval(shape), eval(stride)
    threads, values = flat(shape[0], stride[0]), flat(shape[1], stride[1])

    def at(leaves, index):
        total = 0
        for extent, step in leaves:
            total += index % extent * step
            index //= extent
        return total

    count, each = size_of(threads), size_of(values)
    return [[coordinate(at(threads, t) + at(values, v), tile) for v in range(each)]
            for t in range(count)], block


def coordinate(index, tile):
    out = []
    for extent in tile:
        out.append(index % extent)
        index //= extent
    return tuple(out)


def input_value(case, index):
    value = (index * 7919 + 13) % 1009 - 500
    if case[5] == "mul":
        return value | 1
    return value % 97 if case[6] != "i32" else value


def combine(case, values):
    kind = case[5]
    if kind in ("add",):
        return sum(values)
    if kind == "max" or kind is None:
        return max(values)
    if kind == "min":
        return min(values)
    total = 0 if kind == "xor" else 1
    for value in values:
        total = total ^ value if kind == "xor" else total * value
    total &= (1 << 32) - 1
    return total - (1 << 32) if total >= 1 << 31 else total


def linear(coord, tile):
    index, place = 0, 1
    for digit, extent in zip(coord, tile):
        index += digit * place
        place *= extent
    return index


def expected(case):
    held, block = holders(case)
    tile, along = case[3], case[4]
    copies = block // len(held)
    out = []
    for copy in range(copies):
        kept = {}
        for coord in {c for own in held for c in own}:
            key = tuple(d for m, d in enumerate(coord) if m not in along)
            kept.setdefault(key, []).append(input_value(case, linear(coord, tile) + copy * size(tile)))
        kept = {key: combine(case, values) for key, values in kept.items()}
        for index in range(size(tile)):
            coord = coordinate(index, tile)
            key = tuple(d for m, d in enumerate(coord) if m not in along)
            out.append(kept[key])
    return out


def kernel(case):
    name, block, layout, tile, along, kind, element = case
    held, _ = holders(case)
    threads, values = len(held), len(held[0])
    copies, count = block // threads, size(tile)
    outer = "i32" if element == "i32" else "f32"
    tile_text = "(" + ",".join(map(str, tile)) + ")"
    # A fragment's values are all of one tile, whose elements are contiguous.
    by = layout
    if by is None:
        by = f"(1,{count}):(0,1)"
    by = re.sub(r"(\d+)@0", r"\1", by)
    by = re.sub(r"(\d+)@1", lambda m: str(int(m[1]) * tile[0]), by)
    plain = "@" not in (layout or "")
    attributes = ""
    shape = f"{values}:1"
    if layout is None:
        shape = "(4,4):(1,4)"
    else:
        attributes = f" threads(#layout<{layout}>)"
        if plain and len(tile) > 1:
            attributes += f" tile(#layout<{tile_text}>)"
    lines = [f"!in_{name} = !layout.view<{outer}, global, ({count},{copies}):(1,{count})>"]
    body = f"""
  gpu.func @{name}(%in: !in_{name}, %out: !in_{name}) kernel attributes {{known_block_size = array<i32: {block}, 1, 1>,
      layout.kernel = {{grid = array<i64: 1, 1, 1>, block = array<i64: {block}, 1, 1>, chip = "sm_80"}}}} {{
    %id = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant {2 if name == "in_a_loop" else 1} : index
    %t:2 = layout.idx2crd %id, #layout<({threads},{copies})>
    %own = layout.alloc : !layout.view<{outer}, register, {shape}>
    %x = layout.alloc : !layout.view<{element}, register, {shape}>
    %y = layout.alloc : !layout.view<{element}, register, {shape}>
    scf.for %round = %c0 to %rounds step %c1 {{
    %it = layout.composition %in, #layout<<{by}, _>> : !in_{name}
    %ot = layout.composition %out, #layout<<{by}, _>> : !in_{name}
"""
    shape_, stride_ = by.split(":")
    whole = f"!layout.view<{outer}, global, ({shape_},{copies}):({stride_},{count})>"
    parts = re.fullmatch(r"\((.*)\)", shape_)[1], re.fullmatch(r"\((.*)\)", stride_)[1]
    second = [split(part)[1] for part in parts]
    mine = f"!layout.view<{outer}, global, ({second[0]}):({second[1]})>"
    register = lambda of: f"!layout.view<{of}, register, {shape}>"
    cast_in = cast_out = "%e"
    before = after = ""
    if element in ("bf16", "f16"):
        before, cast_in = f"      %n = arith.truncf %e : f32 to {element}\n", "%n"
        after, cast_out = f"      %n = arith.extf %e : {element} to f32\n", "%n"
    body += f"""    %i = layout.slice %it((%t#0, _), %t#1) : {whole}
    %o = layout.slice %ot((%t#0, _), %t#1) : {whole}
    layout.map ins(%i : {mine}) outs(%x : {register(element)}) {{
    ^bb0(%e: {outer}, %old: {element}):
{before}      layout.yield {cast_in} : {element}
    }}
"""
    if kind is None:
        body += f"""    layout.reduce %x into %y along {along}{attributes} {{
    ^bb0(%a: {element}, %b: {element}):
      %more = arith.cmpf ogt, %a, %b : {element}
      %most = arith.select %more, %a, %b : {element}
      layout.yield %most : {element}
    }} : {register(element)}, {register(element)}
"""
    else:
        body += f"    layout.reduce {kind} %x into %y along {along}{attributes} : {register(element)}, {register(element)}\n"
    body += f"""    layout.map ins(%y : {register(element)}) outs(%own : {register(outer)}) {{
    ^bb0(%e: {element}, %old: {outer}):
{after}      layout.yield {cast_out} : {outer}
    }}
    layout.copy #layout.atom<simt_1> %own, %o : {register(outer)}, {mine}
    }}
    gpu.return
  }}
"""
    return lines, body


def split(text):
    """The entries of a tuple's text at the top."""
    depth, entries = 0, [""]
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            entries.append("")
        else:
            entries[-1] += c
    return entries


def make():
    aliases, kernels, main = [], [], []
    for case in CASES:
        lines, body = kernel(case)
        aliases += lines
        kernels.append(body)
        name, block, _, tile, *_, element = case
        held, _ = holders(case)
        copies, count = block // len(held), size(tile)
        outer = "i32" if element == "i32" else "f32"
        memref = f"memref<{count}x{copies}x{outer}, strided<[1, {count}]>, 1>"
        flat_type = f"memref<{count * copies}x{outer}, 1>"
        values = ", ".join(str(input_value(case, i)) for i in range(count * copies))
        # Results that are not written stay what no result is.
        main.append(f"""
    %{name}_in = memref.alloc() : {flat_type}
    %{name}_out = memref.alloc() : {flat_type}
    %{name}_n = arith.constant {count * copies} : index
    scf.for %i = %c0 to %{name}_n step %c1 {{
      %w = arith.index_cast %i : index to i64
      %p = arith.muli %w, %prime : i64
      %q = arith.addi %p, %first : i64
      %r = arith.remsi %q, %period : i64
      %s = arith.subi %r, %half : i64
{convert(case)}
      memref.store %e, %{name}_in[%i] : {flat_type}
      memref.store %none_{outer}, %{name}_out[%i] : {flat_type}
    }}
    %{name}_l = layout.constant #layout<({count},{copies}):(1,{count})> : !layout<({count},{copies}):(1,{count})>
    %{name}_x = layout.make_view %{name}_in, %{name}_l : {flat_type}, !layout<({count},{copies}):(1,{count})>
    %{name}_y = layout.make_view %{name}_out, %{name}_l : {flat_type}, !layout<({count},{copies}):(1,{count})>
    %{name}_b = arith.constant {block} : index
    gpu.launch_func @reductions::@{name} blocks in (%c1, %c1, %c1) threads in (%{name}_b, %c1, %c1) dynamic_shared_memory_size %shared args(%{name}_x : !in_{name}, %{name}_y : !in_{name})
    %{name}_p = memref.memory_space_cast %{name}_out : {flat_type} to memref<{count * copies}x{outer}>
    %{name}_u = memref.cast %{name}_p : memref<{count * copies}x{outer}> to memref<*x{outer}>
    call @printMemref{outer.upper()}(%{name}_u) : (memref<*x{outer}>) -> ()
""")
    print("\n".join(aliases))
    print("module attributes {gpu.container_module} {\ngpu.module @reductions {" + "".join(kernels) + "}")
    print("""
  func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
  func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %prime = arith.constant 7919 : i64
    %first = arith.constant 13 : i64
    %period = arith.constant 1009 : i64
    %half = arith.constant 500 : i64
    %one = arith.constant 1 : i64
    %mod = arith.constant 97 : i64
    %shared = arith.constant 0 : i32
    %none_i32 = arith.constant 123456789 : i32
    %none_f32 = arith.constant 123456.0 : f32""")
    print("".join(main) + "    return\n  }\n}")


def convert(case):
    if case[6] == "i32":
        odd = "      %v = arith.ori %s, %one : i64" if case[5] == "mul" else "      %v = arith.addi %s, %zero : i64"
        odd = odd.replace("arith.addi %s, %zero", "arith.muli %s, %one")
        return odd + "\n      %e = arith.trunci %v : i64 to i32"
    # Python's remainder is not negative.
    return """      %a = arith.remsi %s, %mod : i64
      %b = arith.addi %a, %mod : i64
      %v = arith.remsi %b, %mod : i64
      %e = arith.sitofp %v : i64 to f32"""


def check():
    printed = re.findall(r"data =\s*\n?\s*\[(.*?)\]", sys.stdin.read(), re.S)
    assert len(printed) == len(CASES), f"expected {len(CASES)} results, found {len(printed)}"
    for case, text in zip(CASES, printed):
        found = [float(number) for number in text.replace("\n", " ").split(",")]
        numbers = expected(case)
        wrong = [i for i, (a, b) in enumerate(zip(found, numbers)) if a != b]
        assert len(found) == len(numbers), f"{case[0]}: {len(found)} results, expected {len(numbers)}"
        if wrong:
            at = wrong[0]
            print(f"{case[0]}: {len(wrong)} wrong; first at {at}: expected {numbers[at]}, found {found[at]}")
        else:
            print(f"{case[0]}: right")


{"make": make, "check": check}[sys.argv[1]]()
