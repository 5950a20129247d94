"""Kernels in CuTe's layouts, and models in linalg, compiled and launched on tensors.

    >>> import layout_mlir
    >>> module = layout_mlir.compile("softmax.mlir")    # doctest: +SKIP
    >>> y = module.softmax(x)                            # doctest: +SKIP

`compile` makes a Module of MLIR, `jit` one whose functions are compiled again for the shapes of calls, `load` one of what was compiled before. Each function of it is called with tensors: anything with
`__dlpack__` or `__cuda_array_interface__`, as PyTorch's, CuPy's and JAX's. `layout_mlir.torch` registers functions as PyTorch's operators.
"""

from ._native import (
    HAS_COMPILER,
    Array,
    CompileError,
    Diagnostic,
    DriverError,
    Function,
    Module,
    NoGpuError,
    Operand,
    OperandError,
    __version__,
    load,
)

__all__ = [
    "Array",
    "CompileError",
    "Diagnostic",
    "DriverError",
    "Function",
    "HAS_COMPILER",
    "Module",
    "NoGpuError",
    "Operand",
    "OperandError",
    "load",
]

if HAS_COMPILER:
    from ._native import chips, compile, jit

    __all__ += ["chips", "compile", "jit"]
