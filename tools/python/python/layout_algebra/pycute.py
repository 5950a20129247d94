"""pycute's names on the algebra: what imports `pycute` runs with `from layout_algebra import pycute` in its place.

Layouts are those of `layout_algebra`. Where pycute answers with a layout that is another function, the answer here is the
right one, or a LayoutError; pycute's assertions about operands are LayoutError too.
"""

from abc import ABCMeta
from math import prod

from . import _native
from ._native import ComposedLayout, Layout, Swizzle
from ._native import left_inverse as _left_inverse
from ._native import right_inverse as _right_inverse


class Integer(metaclass=type("IntegerMeta", (ABCMeta,), {
    "__subclasscheck__": lambda cls, kind: issubclass(kind, int) and not issubclass(kind, bool),
    "__instancecheck__": lambda cls, value: isinstance(value, int) and not isinstance(value, bool),
})):
    """An integer: `int` and what is derived from it, apart from `bool`."""


class _LayoutBaseMeta(type):
    def __instancecheck__(cls, value):
        return isinstance(value, (Layout, ComposedLayout))


class LayoutBase(metaclass=_LayoutBaseMeta):
    """The base class that `is_layout` checks: plain and composed layouts are instances."""


def is_int(x):
    """Whether it is an integer and no boolean."""
    return isinstance(x, Integer)


def is_tuple(x):
    """Whether it is a tuple."""
    return isinstance(x, tuple)


def is_layout(x):
    """Whether it is a layout."""
    return isinstance(x, LayoutBase)


def flatten(t):
    """The leaves of a tuple, or the flat layout of a layout."""
    if is_layout(t):
        return _native.flatten(t)
    if not is_tuple(t):
        return (t,)
    return tuple(leaf for entry in t for leaf in flatten(entry))


def signum(a):
    """-1, 0 or 1."""
    return (a > 0) - (a < 0)


def product(a):
    """The product of all leaves."""
    return prod(flatten(a)) if is_tuple(a) else a


def inner_product(a, b):
    """The sum of the products of leaves in the same place."""
    if is_tuple(a) or is_tuple(b):
        return sum(inner_product(x, y) for x, y in zip(a, b, strict=True))
    return a * b


def tuple_max(a):
    """The greatest leaf."""
    return max(flatten(a))


def elem_scale(a, b):
    """Leaf by leaf `a` times the product of `b` in the same place."""
    if is_tuple(a):
        return tuple(elem_scale(x, y) for x, y in zip(a, b, strict=True))
    return a * product(b)


shape_div = _native.shape_div


def prefix_product(a, init=1):
    """The strides of the compact column-major layout of a shape, from `init` on."""
    if is_tuple(init):
        return tuple(prefix_product(entry, start) for entry, start in zip(a, init, strict=True))
    if not is_tuple(a):
        return init
    strides = []
    for entry in a:
        strides.append(prefix_product(entry, init))
        init *= product(entry)
    return tuple(strides)


def idx2crd(idx, shape, stride=None):
    """The coordinate of an index."""
    return _native.idx2crd(idx, shape) if stride is None else _native.idx2crd(idx, shape, stride)


def crd2idx(crd, shape, stride=None):
    """The index of a coordinate; `None` counts as 0."""
    return Layout(shape, stride)(_zeros(crd))


def crd2crd(crd, dst_shape, src_shape=None):
    """A coordinate in another shape."""
    if is_tuple(crd) and is_tuple(dst_shape):
        return tuple(crd2crd(x, y) for x, y in zip(crd, dst_shape, strict=True))
    if is_tuple(crd):
        if src_shape is None:
            raise _native.LayoutError(f"expected the shape that {crd} is a coordinate of, found none")
        return crd2idx(crd, src_shape)
    return idx2crd(crd, dst_shape)


def slice_(crd, trg):
    """The entries of a tuple where the coordinate has `None`."""
    if is_tuple(crd):
        kept = (slice_(c, t) for c, t in zip(crd, trg, strict=True))
        return tuple(entry for entries in kept for entry in entries)
    return (trg,) if crd is None else ()


def has_none(a):
    """Whether `None` is in it."""
    return any(has_none(entry) for entry in a) if is_tuple(a) else a is None


def make_layout(*layouts):
    """A layout that has these as its modes; one operand may be an iterable of them."""
    if len(layouts) == 1 and not is_layout(layouts[0]):
        (layouts,) = layouts
    return _native.make_layout(*layouts)


def size(layout):
    """The size of a layout or a shape."""
    return _native.size(layout)


def cosize(layout):
    """One more than the greatest offset."""
    return _native.cosize(layout)


def coalesce(layout, profile=None):
    """The same function in the fewest modes, or in those of a profile."""
    return _native.coalesce(layout, profile) if is_tuple(profile) else _native.coalesce(layout)


def filter(layout, profile=None):
    """Without modes of stride 0 and of extent 1."""
    return _native.filter(layout, profile) if is_tuple(profile) else _native.filter(layout)


def _tiled(operation):
    def apply(layoutA, layoutB):
        return layoutA if layoutB is None else operation(layoutA, layoutB)

    apply.__name__ = apply.__qualname__ = operation.__name__
    apply.__doc__ = operation.__doc__
    return apply


composition = _tiled(_native.composition)
logical_divide = _tiled(_native.logical_divide)
zipped_divide = _tiled(_native.zipped_divide)
tiled_divide = _tiled(_native.tiled_divide)
logical_product = _tiled(_native.logical_product)
zipped_product = _tiled(_native.zipped_product)
tiled_product = _tiled(_native.tiled_product)


def complement(layout, max_idx=1):
    """The complement of a layout; without a bound up to where it ends."""
    return _native.complement(layout, max(max_idx, 1))


def right_inverse(layout):
    """From offsets back to indices, as far as the offsets from 0 have no gap."""
    return None if layout is None else _right_inverse(layout)


def left_inverse(layout):
    """From the offsets of an injective layout back to its indices."""
    return None if layout is None else _left_inverse(layout)


def hier_unzip(splitter, layoutA, layoutB):
    """`splitter` mode by mode, and the first parts together, then the second."""
    if layoutB is None:
        return make_layout(Layout(1, 0), layoutA)
    if not is_tuple(layoutB):
        return splitter(layoutA, layoutB)
    split = [hier_unzip(splitter, a, b) for a, b in zip(layoutA, layoutB)]
    rest = [layoutA[i] for i in range(len(layoutB), len(layoutA))]
    return make_layout(make_layout(part[0] for part in split), make_layout(*(part[1] for part in split), *rest))


def slice_and_offset(crd, layout):
    """The rest of a layout where the coordinate has `None`, and the offset where that starts."""
    rest = Layout(slice_(crd, layout.shape), slice_(crd, layout.stride))
    return rest, layout(_zeros(crd))


def _zeros(crd):
    if is_tuple(crd):
        return tuple(_zeros(entry) for entry in crd)
    return 0 if crd is None else crd


def shiftr(a, s):
    """`a` shifted to the right, or to the left where `s` is negative."""
    return a >> s if s > 0 else a << -s


def shiftl(a, s):
    """`a` shifted to the left, or to the right where `s` is negative."""
    return a << s if s > 0 else a >> -s


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("ABCMeta", "prod")]
