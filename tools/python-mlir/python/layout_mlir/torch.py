"""Functions as operators of PyTorch, which `torch.compile` takes: with fake tensors of static and of symbolic shapes.

    >>> softmax = register("example::softmax", module.softmax)    # doctest: +SKIP
    >>> torch.compile(lambda x: softmax(x) + 1)(x)                # doctest: +SKIP
"""

import torch

from ._native import Function

__all__ = ["register"]

_TYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "tf32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "i64": torch.int64,
    "index": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "i4": torch.int8,
    "i1": torch.bool,
}
_NAMES = {kind: name for name, kind in reversed(_TYPES.items())} | {torch.uint8: "ui8"}

#: Functions that texts of extents call.
_FUNCTIONS = {
    "__builtins__": {},
    "ceil_div": lambda a, b: -(-a // b),
    "floor_div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": torch.sym_min,
    "max": torch.sym_max,
}

#: Operators are there as long as their libraries are.
_LIBRARIES = []


def register(name: str, function: Function) -> "torch._ops.OpOverloadPacket":
    """Makes an operator of a function, under a name such as "example::softmax", and returns it.

    The operator takes what the function reads, and returns what it writes; operands that are read and written are mutated. It has
    no derivative.
    """
    namespace, _, own = name.partition("::")
    if not own:
        raise ValueError(f'expected a name such as "namespace::name", found {name!r}')
    operands = function.operands
    inputs = [number for number, operand in enumerate(operands) if operand.access != "write"]
    outputs = [operand for operand in operands if operand.access == "write"]
    sources = [source and (inputs.index(source[0]), *source[1:]) for source in function._sources]
    sizes = list(function.sizes)

    parameters = []
    for place, number in enumerate(inputs):
        mutated = operands[number].access == "read_write"
        parameters.append(f"Tensor({chr(ord('a') + place)}!) operand{place}" if mutated else f"Tensor operand{place}")
    returned = ["Tensor"] * len(outputs)
    returned = returned[0] if len(returned) == 1 else f"({', '.join(returned)})"
    library = torch.library.Library(namespace, "FRAGMENT")
    library.define(
        f"{own}({', '.join(parameters)}) -> {returned}",
        # A launch takes strides as they are.
        tags=(torch.Tag.needs_exact_strides, torch.Tag.pt2_compliant_tag),
    )
    library.impl(own, function, "CUDA")

    def fake(*tensors):
        if all(isinstance(extent, int) for tensor in tensors for extent in (*tensor.shape, *tensor.stride())):
            described = [(_NAMES[tensor.dtype], list(tensor.shape), list(tensor.stride())) for tensor in tensors]
            places = [(shape, strides) for _, shape, strides in function._infer(described)]
        else:
            places = [_symbolic(operand, _values(tensors)) for operand in outputs]
        made = [
            torch.empty_strided(shape, strides, dtype=_TYPES[operand.element], device=tensors[0].device)
            for operand, (shape, strides) in zip(outputs, places, strict=True)
        ]
        return made[0] if len(made) == 1 else tuple(made)

    def _values(tensors):
        values = {}
        for size, source in zip(sizes, sources, strict=True):
            if source is not None:
                tensor, dimension, divisor = source
                if tensors[tensor].dim() != len(operands[inputs[tensor]].shape):
                    raise ValueError(
                        f"{name}: expected a symbolic operand {tensor} of {len(operands[inputs[tensor]].shape)} dimensions,"
                        f" found {tensors[tensor].dim()}"
                    )
                values[size] = tensors[tensor].shape[dimension] // divisor
        return values

    torch.library.register_fake(name, fake, lib=library)
    _LIBRARIES.append(library)
    return getattr(getattr(torch.ops, namespace), own)


def _symbolic(operand, values):
    """Extents and strides as expressions of symbolic sizes."""
    if None in operand.strides:
        raise ValueError(f"expected a stride of each mode of {operand.name}, found a mode of several")
    return tuple([eval(text, _FUNCTIONS, values) for text in texts] for texts in (operand.shape, operand.strides))
