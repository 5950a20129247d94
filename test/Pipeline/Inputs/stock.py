"""Compares the PTX in stock mlir-opt's gpu.binary with ours: launch directives, and instructions that whole warps execute.

stock.py STOCK.mlir OURS.ptx
"""

import re
import sys

WHAT = [
    ("maxntid", r"\.maxntid"),
    ("minnctapersm", r"\.minnctapersm"),
    ("param .align 64 .b8", r"\.param \.align 64 \.b8 "),
    ("mma.sync", r"(?<![\w.])mma\.sync\."),
    ("setmaxnreg", r"setmaxnreg\."),
    ("wgmma.commit_group", r"wgmma\.commit_group\."),
    ("wgmma.fence", r"wgmma\.fence\."),
    ("wgmma.mma_async", r"wgmma\.mma_async\."),
    ("wgmma.wait_group.sync.aligned 0", r"wgmma\.wait_group\.sync\.aligned\s+0;"),
    ("wgmma.wait_group.sync.aligned 1", r"wgmma\.wait_group\.sync\.aligned\s+1;"),
]


def assembly(module):
    """The text of the one object of a gpu.binary."""
    found = re.search(r'assembly = "(.*?)"', module, re.S)
    if found is None:
        sys.exit("expected an object with assembly, found none")
    return re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code.group(1), 16)), found.group(1))


def main():
    stock, ours = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
    stock = assembly(stock)
    alike = True
    for name, pattern in WHAT:
        counts = [len(re.findall(pattern, text)) for text in (stock, ours)]
        print(f"{name}: {counts[0]}" + ("" if counts[0] == counts[1] else f", ours {counts[1]}"))
        alike &= counts[0] == counts[1]
    print("both are alike" if alike else "they differ")


main()
