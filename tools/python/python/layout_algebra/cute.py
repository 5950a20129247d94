"""The algebra under the spellings of the CuTe DSL, `cutlass.cute`: positions and keywords are that module's.

    from layout_algebra import cute
    cute.size(cute.make_layout((4, 8), stride=(8, 1)), mode=[0])

All values are those of `layout_algebra`, and each function also takes what that takes for a layout.
"""

from . import _native
from ._native import *  # noqa: F401,F403: what has one spelling in both
from ._native import ComposedLayout, Layout, ScaledBasis, Swizzle, Value

group_modes = _native.group
slice_ = _native.slice


def _path(mode):
    return tuple(mode) if mode is not None else ()


def make_layout(shape, *, stride=None):
    """A layout of a shape, compact without a stride."""
    if isinstance(shape, (tuple, list)) and any(isinstance(part, Layout) for part in shape):
        return _native.make_layout(*shape)
    return _native.make_layout(shape, stride=stride)


def make_swizzle(b, m, s):
    """`S<b,m,s>`."""
    return Swizzle(b, m, s)


def make_composed_layout(inner, offset, outer):
    """`R(c) = inner(offset + outer(c))`: the DSL calls what is applied last the inner function."""
    return ComposedLayout(inner, offset, outer)


def make_ordered_layout(shape, order):
    """The compact layout whose modes run in an order."""
    return _native.make_ordered_layout(shape, order)


def E(mode):
    """The basis element of a mode."""
    return ScaledBasis(1, mode)


def size(a, mode=None):
    """The size of a layout or a shape, or of a mode of it."""
    return _native.size(a, *_path(mode))


def cosize(a, mode=None):
    """One more than the greatest offset."""
    return _native.cosize(a, *_path(mode))


def rank(a, mode=None):
    """The number of modes."""
    return _native.rank(a, *_path(mode))


def depth(a):
    """How deep it nests."""
    return _native.depth(a)


def shape(a, mode=None):
    """The shape of a layout, or of a mode of it."""
    return _native.shape(a, *_path(mode))


def get(a, mode):
    """A mode."""
    return _native.get(a, *_path(mode))


def select(a, mode):
    """Some of the modes."""
    return _native.select(a, *_path(mode))


def coalesce(a, *, target_profile=None):
    """The same function in the fewest modes, or in those of a profile."""
    return _native.coalesce(a) if target_profile is None else _native.coalesce(a, target_profile)


def complement(a, cotarget=None):
    """The complement of a layout below the cotarget."""
    return _native.complement(a) if cotarget is None else _native.complement(a, cotarget)


def crd2idx(coord, a, stride=None):
    """The offset of a coordinate in a layout, or in a shape and a stride."""
    return _native.crd2idx(coord, a if stride is None else _native.make_layout(a, stride=stride))


def append(a, mode, *, up_to_rank=None):
    """Appends a mode to the others; as often as it takes to reach a rank."""
    if up_to_rank is None:
        return _native.append(a, mode)
    for _ in range(up_to_rank - _native.rank(a)):
        a = _native.append(a, mode)
    return a


def prepend(a, mode, *, up_to_rank=None):
    """A mode before the others; as often as it takes to reach a rank."""
    if up_to_rank is None:
        return _native.prepend(a, mode)
    for _ in range(up_to_rank - _native.rank(a)):
        a = _native.prepend(a, mode)
    return a


def local_tile(a, tiler, coord):
    """The tile of a coordinate."""
    return _native.local_tile(a, tiler, coord)


def recast_layout(new_type_bits, old_type_bits, src_layout):
    """The layout of elements of another width."""
    return _native.recast_layout(src_layout, new_type_bits, old_type_bits)


def is_static(a):
    """Whether no symbol is in it."""
    return not (isinstance(a, Value) and a.symbols)


def is_congruent(a, b):
    """Whether both nest alike."""
    return _native.congruent(a, b)


def is_weakly_congruent(a, b):
    """Whether one nests as the other, or less deep."""
    return _native.weakly_congruent(a, b)


def spelling(value):
    """The program text that makes a value in the CuTe DSL."""
    if isinstance(value, Swizzle):
        return f"cute.make_swizzle({value.bits}, {value.base}, {value.shift})"
    if isinstance(value, ComposedLayout):
        parts = spelling(value.outer), value.offset, spelling(value.inner)
        return "cute.make_composed_layout({}, {}, {})".format(*parts)
    return f"cute.make_layout({_written(value.shape)}, stride={_written(value.stride)})"


def _written(tuple_):
    if not isinstance(tuple_, tuple):
        return str(tuple_)
    parts = [_written(part) for part in tuple_]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
