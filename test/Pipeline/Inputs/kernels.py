"""Kernels of the library on a few rows: a main function that launches one on numbers, and what it must print.

    kernels.py make FILE [ROWS] > all.mlir
    kernels.py check FILE [ROWS] < printed     compares with the function that the kernel is, in float64
"""

import math
import os
import re
import sys

command, path = sys.argv[1:3]
ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
NAME = os.path.splitext(os.path.basename(path))[0]
SOURCE = open(path).read()
# As many rows, or elements of a sum, as are known here, and as many blocks as those are; the function of float64 is below, and not in the file.
SOURCE = re.sub(r"\?\{range=[^}]*\}", str(ROWS), SOURCE)
SOURCE = re.sub(r"layout\.reference = @\w+,\s*", "", SOURCE[:SOURCE.index("func.func @")])
EACH = re.search(r'grid = \["ceil_div\(n,(\d+)\)"\]', SOURCE)
BLOCKS = -(-ROWS // int(EACH[1])) if EACH else ROWS
SOURCE = re.sub(r"grid = \[\"[^]]*\"\], sizes = \[[^]]*\]", f"grid = [{BLOCKS}]", SOURCE)
VIEWS = dict(re.findall(r"^(!\w+) = !layout\.view<(\w+, global, .*)>$", SOURCE, re.M))
ARGUMENTS = re.findall(r"%(\w+): (!\w+)", re.search(r"gpu\.func @\w+\((.*?)\) kernel", SOURCE)[1])
THREADS = int(re.search(r"known_block_size = array<i32: (\d+)", SOURCE)[1])


def extent(layout):
    """The number of a layout's elements, which are contiguous."""
    shape = re.findall(r"\d+", layout.split(":")[0])
    return math.prod(int(number) for number in shape)


def input_value(number, index):
    """The elements of an argument, by its number; bf16 has them exactly."""
    return ((index * 37 + number * 11) % 253 - 126) / 64


def make():
    print(SOURCE.replace("gpu.module", "module attributes {gpu.container_module} {\ngpu.module"))
    print("""  func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %shared = arith.constant 0 : i32
    %factor = arith.constant 37 : i64
    %period = arith.constant 253 : i64
    %half = arith.constant 126 : i64
    %unit = arith.constant 0.015625 : f32
    %zero = arith.constant 0.0 : f32""")
    for number, (name, alias) in enumerate(ARGUMENTS):
        element, _, layout = VIEWS[alias].split(", ")
        count = extent(layout)
        memref = f"memref<{count}x{element}, 1>"
        value = "%zero" if name == "out" else f"%{name}_f"
        narrow = f"      %{name}_v = arith.truncf {value} : f32 to {element}" if element != "f32" else ""
        stored = f"%{name}_v" if narrow else value
        print(f"""    %{name} = memref.alloc() : {memref}
    %{name}_n = arith.constant {count} : index
    %{name}_k = arith.constant {number * 11} : i64
    scf.for %i = %c0 to %{name}_n step %c1 {{
      %w = arith.index_cast %i : index to i64
      %p = arith.muli %w, %factor : i64
      %q = arith.addi %p, %{name}_k : i64
      %r = arith.remsi %q, %period : i64
      %s = arith.subi %r, %half : i64
      %whole = arith.sitofp %s : i64 to f32
      %{name}_f = arith.mulf %whole, %unit : f32
{narrow}
      memref.store {stored}, %{name}[%i] : {memref}
    }}
    %{name}_l = layout.constant #layout<{layout}> : !layout<{layout}>
    %{name}_view = layout.make_view %{name}, %{name}_l : {memref}, !layout<{layout}>""")
    operands = ", ".join(f"%{name}_view : {alias}" for name, alias in ARGUMENTS)
    element, _, layout = VIEWS[dict(ARGUMENTS)["out"]].split(", ")
    count = extent(layout)
    wide = "      %f = arith.extf %e : bf16 to f32" if element == "bf16" else ""
    print(f"""    %blocks = arith.constant {BLOCKS} : index
    %threads = arith.constant {THREADS} : index
    gpu.launch_func @{NAME}::@{NAME} blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        dynamic_shared_memory_size %shared args({operands})
    %all = memref.alloc() : memref<{count}xf32>
    scf.for %i = %c0 to %out_n step %c1 {{
      %e = memref.load %out[%i] : memref<{count}x{element}, 1>
{wide}
      memref.store {"%f" if wide else "%e"}, %all[%i] : memref<{count}xf32>
    }}
    %any = memref.cast %all : memref<{count}xf32> to memref<*xf32>
    call @printMemrefF32(%any) : (memref<*xf32>) -> ()
    return
  }}
}}""")


def softmax(row, _):
    most = max(row)
    powers = [math.exp(e - most) for e in row]
    return [power / sum(powers) for power in powers]


def layer_norm(row, others):
    mean = sum(row) / len(row)
    scale = 1 / math.sqrt(sum((e - mean) ** 2 for e in row) / len(row) + 1e-5)
    return [(e - mean) * scale * w + b for e, w, b in zip(row, *others)]


def rms_norm(row, others):
    scale = 1 / math.sqrt(sum(e * e for e in row) / len(row) + 1e-6)
    return [e * scale * w for e, w in zip(row, *others)]


def check():
    inputs = [[input_value(number, i) for i in range(extent(VIEWS[alias].split(", ")[2]))]
              for number, (name, alias) in enumerate(ARGUMENTS) if name != "out"]
    if NAME == "reduction":
        expected = [sum(inputs[0])]
    else:
        length = len(inputs[0]) // ROWS
        rows = [inputs[0][i * length:(i + 1) * length] for i in range(ROWS)]
        expected = [e for row in rows for e in globals()[NAME](row, inputs[1:])]
    text = re.search(r"data =\s*\[(.*?)\]", sys.stdin.read(), re.S)[1]
    found = [float(number) for number in text.replace("\n", " ").split(",")]
    assert len(found) == len(expected), f"{len(found)} results, expected {len(expected)}"
    # Half a unit in the last place of bf16 is 2^-9 of a number; sums near 0 lose bits of their terms. Six digits are printed.
    wrong = [i for i, (a, b) in enumerate(zip(found, expected)) if not abs(a - b) <= abs(b) / 256 + 1e-5]
    for i in wrong[:3]:
        print(f"{NAME}: wrong at {i}: expected {expected[i]}, found {found[i]}")
    print(f"{NAME}: {len(found)} results, {len(wrong)} wrong")


{"make": make, "check": check}[command]()
