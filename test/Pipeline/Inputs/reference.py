"""reference.py LIBRARY: computes the reference of the reduction as layout-run does."""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
values = (ctypes.c_double * 5)(1.0, 2.5, -4.0, 8.0, 0.125)
result = (ctypes.c_double * 1)(100.0)
# The pointer of each memref twice, its offset, extents and strides.
words = []
for array in (values, result):
    words += [ctypes.addressof(array)] * 2 + [0, len(array), 1]
library.layout_reference_reduce_reference((ctypes.c_uint64 * len(words))(*words))
expected = 100.0 + sum(values)
if result[0] != expected:
    sys.exit(f"expected {expected}, found {result[0]}")
