"""Kernels that compute one function of `math` each, for each element of 256, with the same function as the reference.

    functions.py TYPE FLAGS > all.mlir     TYPE f64, f32, f16 or bf16; FLAGS none or afn
"""

import sys

# Functions of one operand, and where their arguments lie: anywhere, above 0, from 1 on, or within -1 and 1.
UNARY = {
    "absf": "any", "ceil": "any", "floor": "any", "round": "any", "roundeven": "any", "trunc": "any",
    "sqrt": "positive", "rsqrt": "positive", "cbrt": "any",
    "exp": "any", "exp2": "any", "expm1": "any", "log": "positive", "log2": "positive", "log10": "positive", "log1p": "positive",
    "sin": "any", "cos": "any", "tan": "unit", "asin": "unit", "acos": "unit", "atan": "any",
    "sinh": "any", "cosh": "any", "tanh": "any", "asinh": "any", "acosh": "from_one", "atanh": "unit",
    "erf": "any", "erfc": "any",
}
# Functions of two operands: those and their types, and where the first lies.
BINARY = {
    "copysign": ("%a, %half", "T", "positive"), "atan2": ("%a, %half", "T", "positive"), "powf": ("%a, %half", "T", "positive"),
    "fpowi": ("%a, %five", "T, i32", "any"),
}

# The approximations that `afn` allows.
APPROXIMATE = ["sqrt", "rsqrt", "exp", "exp2", "log2", "tanh"]

# The steps that bring an argument there are exact in each type.
DOMAINS = {
    "any": "%a = arith.addf %x, %zero : T",
    "positive": "%a = math.absf %x : T",
    "from_one": "%s = math.absf %x : T\n%a = arith.maximumf %s, %one : T",
    "unit": "%s = arith.mulf %x, %quarter : T\n%t = arith.minimumf %s, %one : T\n%a = arith.maximumf %t, %less : T",
}


def body(name, domain, flags):
    constants = [("zero", "0.0"), ("quarter", "0.25"), ("half", "0.5"), ("one", "1.0"), ("less", "-1.0")]
    lines = [f"%{own} = arith.constant {value} : T" for own, value in constants]
    lines += DOMAINS[domain].splitlines()
    lines.append("%five = arith.constant 5 : i32")
    operands, types, _ = BINARY.get(name, ("%a", "T", domain))
    fast = f" fastmath<{flags}>" if flags != "none" else ""
    lines.append(f"%y = math.{name} {operands}{fast} : {types}")
    return lines


def main():
    of, flags = sys.argv[1:]
    names = {**UNARY, **{name: domain for name, (_, _, domain) in BINARY.items()}}
    if flags != "none":
        names = {name: names[name] for name in APPROXIMATE}
    print(f"!row = !layout.view<{of}, global, 256:1>\n!own = !layout.view<{of}, register, 1:0>\ngpu.module @kernels {{")
    for name, domain in names.items():
        steps = "\n".join(" " * 6 + line.replace(": T", f": {of}") for line in body(name, domain, flags))
        print(f"""  gpu.func @{name}(%in: !row, %out: !row) kernel
      attributes {{known_block_size = array<i32: 128, 1, 1>, layout.reference = @{name}_reference,
                  layout.kernel = {{grid = [2], names = ["in", "out"]}}}} {{
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %c128 = arith.constant 128 : index
    %first = arith.muli %block, %c128 : index
    %at = arith.addi %first, %thread : index
    %own = layout.alloc : !own
    %loaded = layout.load %in(%at)
    layout.store %loaded, %own(0)
    layout.map outs(%own) {{
    ^bb0(%x: {of}):
{steps}
      layout.yield %y : {of}
    }}
    %result = layout.load %own(0)
    layout.store %result, %out(%at)
    gpu.return
  }}""")
    print("}")
    written = "f64" if of == "f64" else "f32"
    for name, domain in names.items():
        # The reference computes in f64, and what it stores is not rounded.
        steps = "\n".join(" " * 4 + line.replace(": T", f": {written}") for line in body(name, domain, "none"))
        is_narrow = of != written
        wide = f"    %x = arith.extf %in : {of} to f32\n" if is_narrow else ""
        narrow = f"    %z = arith.truncf %y : f32 to {of}\n" if is_narrow else ""
        argument, result = ("%in", "%z") if is_narrow else ("%x", "%y")
        print(f"""func.func @{name}_reference(%a0: memref<256x{of}>, %a1: memref<256x{of}>) {{
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%a0 : memref<256x{of}>) outs(%a1 : memref<256x{of}>) {{
  ^bb0({argument}: {of}, %before: {of}):
{wide}{steps}
{narrow}    linalg.yield {result} : {of}
  }}
  return
}}""")


if __name__ == "__main__":
    main()
