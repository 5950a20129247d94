"""Prints a function of many arithmetic operations: digits of numbers, put together again."""

import sys

count = int(sys.argv[1])
print("func.func @long(%n: memref<?xi32>) {")
print("  %c = arith.constant 12 : i32")
for i in range(count):
    print(f"  %x{i} = \"test.make\"() : () -> i32")
    print(f"  %q{i} = arith.divui %x{i}, %c : i32")
    print(f"  %r{i} = arith.remui %x{i}, %c : i32")
    print(f"  %m{i} = arith.muli %q{i}, %c : i32")
    print(f"  %s{i} = arith.addi %m{i}, %r{i} : i32")
    print(f"  \"test.use\"(%s{i}) : (i32) -> ()")
print("  return\n}")
