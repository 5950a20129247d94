"""Functions as calls of JAX, under `jax.jit` too: XLA's foreign functions, on XLA's own streams.

    >>> softmax = wrap(module.softmax)        # doctest: +SKIP
    >>> jax.jit(lambda x: softmax(x) + 1)(x)  # doctest: +SKIP
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy

from . import _native
from ._native import Function

__all__ = ["wrap"]

_TARGET = "layout_mlir"
_NAMES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint64": "ui64",
    "uint32": "ui32",
    "uint16": "ui16",
    "uint8": "ui8",
    "bool": "i1",
}
_TYPES = {name: kind for kind, name in _NAMES.items()} | {"tf32": "float32", "index": "int64", "i4": "int8"}

_REGISTERED = False


def _register():
    global _REGISTERED
    if not _REGISTERED:
        handler = jax.ffi.pycapsule(_native._XLA_HANDLER)
        for platform in ("CUDA", "cpu"):  # on the CPU a call says what it expected
            jax.ffi.register_ffi_target(_TARGET, handler, platform=platform, api_version=1)
        _REGISTERED = True


def _order(shape, strides, name):
    """The dimensions from the slowest to the fastest, of memory without gaps."""
    order = sorted(range(len(shape)), key=lambda at: (strides[at], shape[at] != 1, -at), reverse=True)
    expected = 1
    for at in reversed(order):
        if shape[at] != 1 and strides[at] != expected:
            raise ValueError(f"{name}: expected a layout without gaps, as arrays of JAX have, found strides {tuple(strides)} of {tuple(shape)}")
        expected *= shape[at]
    return tuple(order)


def wrap(function: Function, *, vmap_method: str | None = None) -> Callable[..., Any]:
    """A function of arrays of JAX: it takes what `function` reads, and returns what that writes, an array or a tuple of several.

    Operands that are read and written are taken, and returned with what was written; the array that was taken keeps its values. Arrays are laid out in memory as the
    layouts of the function need. `vmap_method` is that of `jax.ffi.ffi_call`. There is no derivative.
    """
    operands = function.operands
    inputs = [operand for operand in operands if operand.access != "write"]
    number = numpy.int64(function._number())

    def call(*arrays):
        _register()
        shaped = [(_NAMES.get(str(array.dtype), str(array.dtype)), list(array.shape)) for array in map(_described, arrays)]
        strides, results = function._places(shaped)
        orders = [_order(shape, own, operand.name) for (_, shape), own, operand in zip(shaped, strides, inputs, strict=True)]
        made, made_orders, aliases, written = [], [], {}, iter(results)
        place = 0
        for operand in operands:
            if operand.access != "write":
                if operand.access == "read_write":
                    aliases[place] = len(made)
                    made.append(jax.ShapeDtypeStruct(arrays[place].shape, arrays[place].dtype))
                    made_orders.append(orders[place])
                place += 1
                continue
            element, shape, own = next(written)
            made.append(jax.ShapeDtypeStruct(tuple(shape), _TYPES[element]))
            made_orders.append(_order(shape, own, operand.name))
        launch = jax.ffi.ffi_call(
            _TARGET,
            made,
            vmap_method=vmap_method,
            input_layouts=orders,
            output_layouts=made_orders,
            input_output_aliases=aliases or None,
        )
        found = launch(*arrays, function=number)
        return found[0] if len(made) == 1 else tuple(found)

    call.__name__ = call.__qualname__ = function.name
    return call


def _described(array):
    if not hasattr(array, "dtype") or not hasattr(array, "shape"):
        raise TypeError(f"expected an array of JAX, found {type(array).__name__}")
    return array
