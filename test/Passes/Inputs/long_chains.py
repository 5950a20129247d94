"""Prints a function of a long chain of arithmetic of one kind."""

import random
import sys

ONE = {
    "constant": ("addi", "%k"),
    "sum": ("addi", "%b"),
    "difference": ("subi", "%k"),
    "product": ("muli", "%k"),
    "twice": ("addi", None),
    "exclusive": ("xori", "%b"),
    "least": ("minsi", "%b"),
}


def chain(kind, count):
    """The lines of the chain; the value at its end is last."""
    random.seed(1)
    last, before = "%a", "%b"
    for i in range(count):
        value = f"%v{i}"
        if kind in ONE:
            name, other = ONE[kind]
            yield f"{value} = arith.{name} {last}, {other or last} : i32"
        elif kind == "two":
            yield f"{value} = arith.addi {last}, {before} : i32"
        elif kind == "arguments":
            yield f"{value} = arith.addi {last}, {random.choice(['%a', '%b', '%d'])} : i32"
        elif i % 4 == 3:
            yield f"%p{i} = arith.cmpi slt, {last}, %d : i32"
            yield f"{value} = arith.select %p{i}, {last}, %b : i32"
        else:
            name = ["addi", "muli", "subi"][i % 4]
            yield f"{value} = arith.{name} {last}, {random.choice(['%b', '%d', '%k'])} : i32"
        last, before = value, last
    yield f'"test.use"({last}) : (i32) -> ()'


kind, count = sys.argv[1], int(sys.argv[2])
print("func.func @chain(%a: i32, %b: i32, %d: i32, %n: index) {")
print("  %k = arith.constant 7 : i32")
if kind == "loops":
    print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index")
    for depth in range(4):
        print(f"  scf.for %i{depth} = %c0 to %n step %c1 {{")
    print("  %x = arith.index_cast %i3 : index to i32\n  %w = arith.addi %x, %a : i32")
for line in chain("mixed" if kind == "loops" else kind, count):
    print("  " + (line.replace("%a", "%w") if kind == "loops" else line))
if kind == "loops":
    print("  }" * 4)
print("  return\n}")
