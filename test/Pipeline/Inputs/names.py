"""Compiles a function under names that C or PTX does not allow, and prints the exit code and errors of layout-compile.

    names.py FOLDER
"""

import os
import subprocess
import sys

FUNCTION = """func.func @NAME(%x: tensor<16x32xbf16>, %w: tensor<32x64xbf16>, %o: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<16x32xbf16>, tensor<32x64xbf16>) outs(%o : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
"""
NAMES = ["plain$1", "_x", '"a b"', '""', '"gr\u00f6\u00dfe"', '"a-b.c"', '"a\\22b"', '"a\\0Ab"', '"a\\00b"', '"a*/b"', '"1abc"',
         '"%r1"', '"\\FF"', "x" * 3000, "int", "n_load"]

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "n.mlir")
for name in NAMES:
    with open(path, "w", encoding="utf-8") as file:
        file.write(FUNCTION.replace("NAME", name))
    command = ["layout-compile", "n.mlir", "--ptxas", "ptxas", "-o", "n.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    print(f"{name[:12]}: {done.returncode}", *errors)
