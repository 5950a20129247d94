"""Mutations of operations in MLIR's generic form, which a mutator of characters does not find.

Each takes a program in generic form and changes one operation: its operands, the kinds and values of its
attributes, its types, its regions, or its name. What comes out parses as MLIR, so that it reaches the
dialect's verifiers, inference and folds.
"""

import re

# `%0:2 = "layout.slice"(%a, %b) <{coord = "?"}> ({…}) {x} : (T, U) -> V`, on one line up to a region.
OPERATION = re.compile(
    r'^(?P<indent>\s*)(?P<results>%[^=]*= )?"(?P<name>layout\.\w+)"\((?P<operands>[^)]*)\)'
    r"(?P<rest>.*)$"
)
ATTRIBUTES = [
    "#layout<8:1>", "#layout<(4,8):(8,1)>", "#layout<(4,(2,2))>", "#layout<<4:1, _>>", "#layout<7>",
    "#layout<S<3,3,3> o 0 o (8,64):(64,1)>", "#layout<(4,8):(1@0,1@1)>", "#layout<size(8:1)>",
    "#layout<composition((3,4):(1,5), (2,2):(2,1))>", "#layout<linear<{lane = [1,2]} -> {row = 4}>>",
    "#layout.atom<simt_1>", "#layout.atom<wgmma_m64n64k16_f32_f16>", "#layout.schedule<auto>",
    '#layout.relation<"{ [a] -> [a] : 0 <= a < 4 }">', '"?"', '"(_,(?,3))"', '""', '"(((("',
    "unit", "true", "0 : i64", "-1 : i64", "9223372036854775807 : i64", "3 : i8", "1.5 : f32", "f16",
    "vector<4xf16>", "array<i64>", "array<i64: 1, 0>", "array<i64: -1, 99, 0>", "array<i32: 1, 1, 0>",
    "[]", "[1, 2]", "{}", "{a = 1}", "@f", "dense<1> : tensor<2xi64>", "affine_map<(d0) -> (d0 mod 4)>",
]
TYPES = [
    "!layout<8:1>", "!layout<(?,8):(1,?{div=8})>", "!layout<S<3,3,3> o 0 o (8,64):(64,1)>",
    "!layout<(4,8):(1@0,1@1)>", "!layout.tuple<(?,8)>", "!layout.tuple<(_,?)>", "!layout.tuple<7>",
    "!layout.view<f16, global, (?,8):(8,1)>", "!layout.view<f16, shared, (4,8):(8,1)>",
    "!layout.view<index, coordinate, 8:1>", "!layout.view<f32, register, (4,2):(1,4)>", "index", "i32", "i1",
    "f16", "none", "tensor<?xf16>", "memref<?x8xf16>", "memref<*xf16>", "!llvm.ptr", "!llvm.ptr<7>",
    "memref<4x8xf16, #layout<(4,8):(1,4)>, 3>", "memref<8xf16, affine_map<(i) -> (i mod 4)>>",
    "vector<4xf16>", "() -> ()", "tuple<>",
]


def split(text):
    """The entries of a list, by the commas outside of brackets."""
    entries, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "(<[{") - (c in ")]}" or (c == ">" and text[i - 1] != "-"))
        if c == "," and depth == 0:
            entries.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return entries + [last] if last else entries


def signature(rest):
    """The text before the types, the operands' types, and the text after them."""
    found = re.match(r"(.*) : \((.*?)\) -> (.*)$", rest)
    return found.groups() if found else None


def operands(rng, line, values):
    """Drops, doubles, exchanges or adds operands, with their types."""
    parts = signature(line["rest"])
    if parts is None:
        return None
    names, types = split(line["operands"]), split(parts[1])
    if len(names) != len(types):
        return None
    both = list(zip(names, types))
    i = rng.randrange(len(both)) if both else 0
    match rng.randrange(5):
        case 0 if both:
            del both[i]
        case 1 if both:
            both.insert(rng.randrange(len(both) + 1), both[i])
        case 2 if both:
            j = rng.randrange(len(both))
            both[i], both[j] = both[j], both[i]
        case 3 if values:
            both.insert(i, rng.choice(values))
        case _ if both and values:
            both[i] = rng.choice(values)
        case _:
            both = []
    names, types = (", ".join(pair[k] for pair in both) for k in (0, 1))
    return {**line, "operands": names, "rest": f"{parts[0]} : ({types}) -> {parts[2]}"}


def attributes(rng, line, _values):
    """Drops an attribute, gives it a value of another kind, or adds one."""
    rest = line["rest"]
    found = re.search(r"<\{(.*?)\}>(?= |$)", rest)
    if found is None:
        return {**line, "rest": f" <{{term = {rng.choice(ATTRIBUTES)}}}>{rest}"}
    entries = split(found.group(1))
    i = rng.randrange(len(entries)) if entries else 0
    match rng.randrange(4):
        case 0 if entries:
            del entries[i]
        case 1 | 2 if entries and "=" in entries[i]:
            entries[i] = entries[i].split("=")[0] + f"= {rng.choice(ATTRIBUTES)}"
        case _:
            keys = ["term", "coord", "modes", "n", "begin", "end", "shape", "element", "profile", "limits",
                    "multicast", "rank", "atom", "operandSegmentSizes", "cosize_hi", "old_bits", "nothing"]
            entries.append(f"{rng.choice(keys)} = {rng.choice(ATTRIBUTES)}")
    start, end = found.span()
    return {**line, "rest": f"{rest[:start]}<{{{', '.join(entries)}}}>{rest[end:]}"}


def results(rng, line, values):
    """Gives a result another type; uses of it then disagree, or the verifier does."""
    parts = signature(line["rest"])
    if parts is None:
        return None
    types = TYPES + [kind for _, kind in values]
    return {**line, "rest": f"{parts[0]} : ({parts[1]}) -> {rng.choice(types)}"}


def names(rng, line, _values, known=()):
    """Gives the operation another's name."""
    return {**line, "name": rng.choice(known)} if known else None


def written(line):
    return f'{line["indent"]}{line["results"] or ""}"{line["name"]}"({line["operands"]}){line["rest"]}'


def nested(rng, line):
    """The operation inside of regions: its results are then unknown outside, or it has none."""
    depth = rng.choice([1, 1, 2, 30])
    before, after = '"scf.execute_region"() ({\n' * depth, '\n"scf.yield"() : () -> ()\n}) : () -> ()' * depth
    return before + written(line) + after


def mutate(rng, text, known):
    """A program in generic form with one to three of its operations changed."""
    lines = text.split("\n")
    values = re.findall(r"(%[\w$.-]+): ([^,()]*(?:\([^()]*\))?[^,()]*)", text)
    for _ in range(rng.choice([1, 1, 2, 3])):
        places = [i for i, line in enumerate(lines) if OPERATION.match(line)]
        if not places:
            return text
        i = rng.choice(places)
        line = OPERATION.match(lines[i]).groupdict()
        match rng.randrange(12):
            case 0 | 1 | 2:
                changed = operands(rng, line, values)
            case 3 | 4 | 5 | 6:
                changed = attributes(rng, line, values)
            case 7:
                changed = results(rng, line, values)
            case 8:
                changed = names(rng, line, values, known)
            case 9:
                if not line["rest"].endswith("({"):
                    lines[i] = nested(rng, line)
                continue
            case 10:
                # Before what it uses, or twice.
                lines.insert(rng.choice(places), lines[i])
                continue
            case _:
                del lines[i]
                continue
        if changed:
            lines[i] = written(changed)
    return "\n".join(lines)
