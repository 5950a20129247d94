"""Additions to the classes: each operation of the table as a method, and what needs another package."""

from . import _native
from ._native import (
    ComposedCoordinateLayout,
    ComposedLayout,
    CoordinateLayout,
    Layout,
    LayoutError,
    LinearLayout,
    Picture,
    Swizzle,
)


def _method(name, place):
    function = getattr(_native, name)
    if place == 0:

        def method(self, *operands):
            return function(self, *operands)

    else:

        def method(self, *operands):
            return function(*operands[:place], self, *operands[place:])

    method.__name__ = name
    method.__qualname__ = "Layout." + name
    method.__doc__ = function.__doc__
    return method


def add():
    """Adds the methods; done once, when the package is imported."""
    layouts = (Layout, ComposedLayout, CoordinateLayout, ComposedCoordinateLayout)
    for name, *_, place, linear, has_linear in _native.OPERATIONS:
        if place is None:
            continue
        method = _method(name, place)
        if not linear or name == "to_linear":
            for kind in layouts:
                setattr(kind, name, method)
        if has_linear and name != "to_linear":
            setattr(LinearLayout, name, method)
    for kind in layouts:
        kind.compose = kind.composition
        kind.group_modes = kind.group
    for name in ("composition", "to_linear"):
        setattr(Swizzle, name, _method(name, 0))
    for kind in (Layout, ComposedLayout):
        kind.offsets = _offsets
        kind.__array__ = _array
        kind.to_cute = _to_cute
    Swizzle.to_cute = _to_cute
    Layout.from_offsets = staticmethod(_from_offsets)
    LinearLayout.from_bases = staticmethod(_from_bases)
    LinearLayout.from_triton = staticmethod(_from_triton)
    LinearLayout.to_triton = _to_triton
    LinearLayout.triton_text = _triton_text
    Picture.save = _save


def _offsets(self):
    """The offsets as an array of numpy's, with an axis for each mode.

    >>> Layout((2, 3), (3, 1)).offsets().tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    from . import _arrays

    return _arrays.offsets(self)


def _array(self, dtype=None, copy=None):
    array = _offsets(self)
    return array if dtype is None else array.astype(dtype)


def _from_offsets(offsets, shape=None):
    """The layout that has these offsets, an array or a sequence of integers.

    Without a shape, an array of one axis gives the layout of the fewest modes, and one of several a mode for each axis.

    >>> Layout.from_offsets([0, 2, 1, 3])
    Layout("(2,2):(2,1)")
    """
    from . import _arrays

    return _arrays.layout_of(offsets, shape)


def _to_cute(self):
    """The program text that makes it in the CuTe DSL, `cutlass.cute`.

    >>> Layout((4, 8), (8, 1)).to_cute()
    'cute.make_layout((4, 8), stride=(8, 1))'
    """
    from . import cute

    return cute.spelling(self)


def _from_bases(bases, out_dims):
    """The linear layout of these bases: for each input, in order, its outputs at 1, 2, 4, …

    `out_dims` has the outputs with their sizes, or their names alone where the bases reach all of them. A basis of one
    output may be an integer.

    >>> print(LinearLayout.from_bases({"lane": [(0, 1), (1, 0)]}, ["row", "col"]))
    linear<{lane = [(0,1),(1,0)]} -> {row = 2, col = 2}>
    """
    pairs = bases.items() if hasattr(bases, "items") else bases
    pairs = [
        (name, [[vector] if isinstance(vector, int) else list(vector) for vector in vectors])
        for name, vectors in pairs
    ]
    if hasattr(out_dims, "items"):
        out_dims = list(out_dims.items())
    out_dims = list(out_dims)
    if all(isinstance(out, str) for out in out_dims):
        return LinearLayout._of_bases(pairs, out_dims)
    return LinearLayout._of_bases(pairs, [name for name, _ in out_dims], [size for _, size in out_dims])


def _from_triton(of, shape=None):
    """Triton's linear layout as one of ours: the object of its Python bindings, the text that it prints, or an encoding with the
    shape of its tensor. Encodings are Gluon's objects, and the text of Triton's IR.

    >>> LinearLayout.from_triton("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>", (4, 4))
    LinearLayout("linear<{offset = [(0,1),(0,2),(1,1),(2,2)], block = []} -> {dim0 = 4, dim1 = 4}>")
    """
    from . import triton

    return triton.read(of, shape)


def _to_triton(self):
    """The object of Triton's Python bindings; needs the package `triton`."""
    from . import triton

    return triton.binding(self)


def _triton_text(self):
    """The text that Triton prints of the same layout."""
    from . import triton

    return triton.text(self)


def _save(self, path):
    """Writes it to a file: by the end of its name SVG, HTML, LaTeX (`.tex`) or text (`.txt`)."""
    path = str(path)
    ways = {"svg": self.svg, "html": self.html, "tex": self.latex, "txt": self.text}
    way = ways.get(path.rpartition(".")[2])
    if way is None:
        raise LayoutError(f"expected a file that ends in {', '.join('.' + end for end in ways)}, found {path}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(way())
